"""Answers of rules that need all node probabilities, compiled, in one pass over the scores of a Predictions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hierviz.compiled.compiling import first_call, is_compiled, module_of
from hierviz.compiled.tree_pass import Values, in_blocks
from hierviz.predictions.predictions import Predictions

# Of the kernels, in this folder.
MODULE = "rule_kernels"
_LAYOUT = ("node", "first", "n_children", "inner", "rank", "by_rank", "n_leaves_below")


def rule_pass(
    predictions: Predictions, *, plurality: bool, weights: np.ndarray, tie: float, threads: int | None = None
) -> Iterator[tuple[slice, np.ndarray | None]]:
    """Answers of plurality and of the largest product of p and weight, block by block in order.

    Parameters
    ----------
    predictions : Predictions
        Scores on a tree.
    plurality : bool
        Whether its answers come, first.
    weights : ndarray of float, shape (n_products, n_nodes)
        Not negative; one row for each further rule.
    tie : float
        Share of the largest value within which values are equal.
    threads : int, optional
        Blocks that are worked on at a time; all processors when None.

    Yields
    ------
    rows : slice
    answers : ndarray of int, shape (n_rules, n_rows), or None
        None for a block in which a value is negative or not finite, which the numpy path judges.
    """
    values = Values(predictions)
    was_compiled, kernels = is_compiled(MODULE, values.value_type), module_of(MODULE, values.value_type)
    layout = values.layout
    weights = np.ascontiguousarray(weights[:, layout.node])
    arrays = tuple(getattr(layout, name) for name in _LAYOUT)

    def work(rows, scores):
        with first_call(MODULE, values.value_type, was_compiled):
            is_complete, answers = kernels.run_rules(*values.arguments(scores), arrays, plurality, weights, tie)
        return rows, answers.astype(np.intp) if is_complete else None

    return in_blocks(predictions, work, threads)
