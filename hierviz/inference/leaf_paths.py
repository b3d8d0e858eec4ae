"""The path from the root to the most probable leaf of every sample, with the probability of each node on it.

What climbing from the best leaf needs: `hierviz.uncertainty.conformal_nodes` and `hierviz.curves.selective_curve`.

Functions
---------
LeafPaths, leaf_paths, as_leaf_paths
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hierviz.compiled.compiling import first_call, is_compiled, module_of
from hierviz.compiled.tree_pass import Values, in_blocks, is_used
from hierviz.inference import rules
from hierviz.inference.pareto_table import ParetoTable
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_taxonomy, checked_probabilities
from hierviz.taxonomy.node_lists import entries_of, frozen
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

# Of the compiled loops, in `hierviz.compiled`.
MODULE = "path_kernels"
_LAYOUT = ("node", "parent", "first", "n_children", "inner", "leaves")


@dataclass(frozen=True, eq=False)
class LeafPaths(Short):
    """The nodes from the root down to the most probable leaf (the lowest of equal ones), of every sample.

    Attributes
    ----------
    paths : NodeLists, length n_samples
        Nodes of each sample from the root to the leaf, so that the node at place d of a list has depth d.
    p : ndarray of float64, shape of ``paths.nodes``
        Probability of each of them; a model may give a child more than its parent.

    Notes
    -----
    The arrays are read-only from then on.
    """

    paths: NodeLists
    p: np.ndarray

    def __post_init__(self):
        for array in (self.paths.offsets, self.paths.nodes, self.p):
            frozen(array)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.paths)

    @property
    def leaves(self) -> np.ndarray:
        """The most probable leaf of each sample, shape (n_samples,)."""
        return self.paths.nodes[self.paths.offsets[1:] - 1]

    @property
    def top_classes(self) -> np.ndarray:
        """The child of the root that is the leaf or above it, shape (n_samples,); the root where that is the leaf."""
        first = self.paths.offsets[:-1]
        return self.paths.nodes[np.minimum(first + 1, self.paths.offsets[1:] - 1)]

    def take(self, rows: np.ndarray | slice) -> LeafPaths:
        """The paths of some samples (ndarray of int, or slice), in that order."""
        offsets, places = entries_of(self.paths.offsets, rows)
        return LeafPaths(NodeLists(offsets, self.paths.nodes[places]), self.p[places])

    @classmethod
    def concatenate(cls, parts: Sequence[LeafPaths]) -> LeafPaths:
        """The paths of the samples of several, in order."""
        paths = NodeLists.concatenate([part.paths for part in parts])
        return cls(paths, np.concatenate([np.empty(0), *(part.p for part in parts)]))

    def climbed(self) -> ParetoTable:
        """What is answered by climbing, from the most probable leaf up to the first node with p >= θ, at every θ.

        Returns
        -------
        ParetoTable
            Nodes from the root down, each with the largest θ that it is the answer to. The root has infinity: it is the
            answer where no node of the path is so probable. A node that is no more probable than one below it is never
            answered.
        """
        offsets, lengths = self.paths.offsets, self.paths.lengths
        kept = np.zeros(len(self.p), dtype=bool)
        above = np.full(self.n_samples, -np.inf)
        for step in range(int(lengths.max(initial=0))):
            # All paths that are that long, at the same distance from their leaf.
            rows = np.flatnonzero(lengths > step)
            places = offsets[rows + 1] - 1 - step
            kept[places] = self.p[places] > above[rows]
            above[rows] = np.maximum(above[rows], self.p[places])
        scores = self.p.copy()
        kept[offsets[:-1]], scores[offsets[:-1]] = True, np.inf
        answers = self.paths.only(kept)
        return ParetoTable(answers.offsets, answers.nodes.astype(np.int32), scores[kept])


def leaf_paths(
    taxonomy: Taxonomy,
    p: ArrayLike | Predictions,
    *,
    progress: Callable[[int, int], object] | None = None,
    threads: int | None = None,
) -> LeafPaths:
    """Path to the most probable leaf of every row of node probabilities.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree: in a graph there are several paths.
    p : ndarray of float, shape (n_samples, n_nodes), or Predictions
        Predictions are read in blocks of rows.
    progress : callable, optional
        Called with (rows done, n_samples) for Predictions.
    threads : int, optional
        Blocks of Predictions that are worked on at a time, where compiled loops serve (`hierviz.compiled`); all processors
        when None.

    Returns
    -------
    LeafPaths

    Raises
    ------
    PredictionsError
        If `p` has another width or a value that is no finite number, or the Predictions hold labels.
    TaxonomyError
        If the taxonomy is not a tree.
    """
    check_taxonomy(taxonomy)
    taxonomy.require_tree("path to the most probable leaf")
    if not isinstance(p, Predictions):
        return _of_rows(taxonomy, checked_probabilities(taxonomy, p))
    parts, done = [], 0
    for part in _compiled(taxonomy, p, threads) if is_used(p, MODULE) else _in_blocks(taxonomy, p):
        parts.append(part)
        done += part.n_samples
        if progress:
            progress(done, p.n_samples)
    return LeafPaths.concatenate(parts)


def as_leaf_paths(taxonomy: Taxonomy, p: ArrayLike | Predictions | LeafPaths) -> LeafPaths:
    """`p` itself when it is LeafPaths, else those of node probabilities or Predictions."""
    if not isinstance(p, LeafPaths):
        return leaf_paths(taxonomy, p)
    check_taxonomy(taxonomy)
    taxonomy.require_tree("path to the most probable leaf")
    if len(p.paths.nodes) and p.paths.nodes.max() >= taxonomy.n_nodes:
        raise PredictionsError(
            f"paths: expected node numbers from 0 to {taxonomy.n_nodes - 1}, got {p.paths.nodes.max()}. "
            "Pass the paths of this taxonomy."
        )
    return p


def _in_blocks(taxonomy, predictions):
    return (_of_rows(taxonomy, predictions.node_probabilities(rows)) for rows in predictions.blocks())


def _compiled(taxonomy, predictions, threads):
    """As `_in_blocks`, with the same bits."""
    if not predictions.n_samples:
        return
    values = Values(predictions)
    was_compiled, kernels = is_compiled(MODULE, values.value_type), module_of(MODULE, values.value_type)
    layout = tuple(getattr(values.layout, name) for name in _LAYOUT)
    depth = np.ascontiguousarray(taxonomy.depth[values.layout.node], dtype=np.int32)

    def work(rows, scores):
        with first_call(MODULE, values.value_type, was_compiled):
            return rows, *kernels.run_paths(values.arguments(scores), layout, depth, taxonomy.max_depth)

    for rows, is_complete, leaves, p in in_blocks(predictions, work, threads):
        if is_complete:
            paths = taxonomy.ancestors(leaves.astype(np.intp))
            yield LeafPaths(paths, p[np.arange(taxonomy.max_depth + 1) < paths.lengths[:, None]])
        else:
            # A value is negative or not finite, which the numpy path judges.
            yield _of_rows(taxonomy, predictions.node_probabilities(rows))


def _of_rows(taxonomy, p):
    paths = taxonomy.ancestors(rules.leaf(taxonomy, p))
    return LeafPaths(NodeLists(paths.offsets, paths.nodes), p[paths.rows, paths.nodes].astype(np.float64, copy=False))
