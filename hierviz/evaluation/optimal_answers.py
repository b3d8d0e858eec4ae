"""The sets of rule `hf_optimal` of all samples with what they are expected to yield, compiled where it pays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hierviz.compiled.compiling import first_call, is_compiled, module_of
from hierviz.compiled.tree_pass import Values, in_blocks, is_used
from hierviz.inference.optimal_sets import best_sets, check_beta
from hierviz.inference.truth_mass import TIE
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.node_lists import NodeLists, frozen, offsets_of

# Of the kernels, in `hierviz.compiled`.
MODULE = "set_kernels"
_LAYOUT = ("node", "first", "n_children", "inner")


@dataclass(frozen=True, eq=False)
class OptimalSets(NodeLists):
    """Sets of nodes with the expected hF_beta of each.

    Attributes
    ----------
    expected : ndarray of float, shape (n_lists,)
        As of `hierviz.inference.optimal_sets.best_sets`.
    """

    expected: np.ndarray


def optimal_answers(
    predictions: Predictions, beta: float, progress: Callable[[int, int], object] | None = None
) -> OptimalSets:
    """Set of every sample; `progress` is called with (rows done, n_samples).

    Raises
    ------
    PredictionsError
        If `beta` is no number above 0.
    """
    check_beta(beta)
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for rows, found in _compiled(predictions, beta) if is_used(predictions, MODULE) else _plain(predictions):
        if found is None:
            sets, expected = best_sets(predictions.taxonomy, predictions.node_probabilities(rows), beta)
            found = sets.nodes, sets.lengths, expected
        parts.append(found)
        if progress:
            progress(rows.stop, predictions.n_samples)
    if not parts:
        return OptimalSets(np.zeros(1, dtype=np.intp), np.empty(0, np.intp), np.empty(0))
    nodes, lengths, expected = (np.concatenate(some) for some in zip(*parts, strict=True))
    return OptimalSets(offsets_of(lengths), nodes.astype(np.intp), expected)


def _plain(predictions):
    return ((rows, None) for rows in predictions.blocks())


def _compiled(predictions, beta):
    """(rows, (nodes, lengths, expected)) of each block; None where a value is negative or not finite, which numpy judges."""
    if not predictions.n_samples:
        return
    values = Values(predictions)
    was_compiled, kernels = is_compiled(MODULE, values.value_type), module_of(MODULE, values.value_type)
    layout = tuple(getattr(values.layout, name) for name in _LAYOUT)
    depth = frozen(predictions.taxonomy.depth[values.layout.node].astype(np.int32))

    def work(rows, scores):
        with first_call(MODULE, values.value_type, was_compiled):
            return rows, *kernels.run_sets(values.arguments(scores), (*layout, depth), float(beta) * float(beta), TIE)

    for rows, is_complete, *found in in_blocks(predictions, work, None):
        yield rows, tuple(found) if is_complete else None
