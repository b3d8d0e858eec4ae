r"""The four counts of a hierarchical confusion matrix: their sums, the measures made of them, and the nodes behind them.

Conventions
-----------
Counts are numbers of nodes per sample; `hierviz.metrics.confusion.multi_path` defines them. Data set counts are
sums; measures are ratios of these sums.

`metrics.confusion.pair_counts` says which pairs there are and what a pair counts; here the same is
spelled out for one sample. The true path of a pair continues after the shared prefix through the first child that is the
truth or above it.

Functions
---------
HierarchicalConfusion, measures, CELLS, PathConfusion, SamplePairs, MatchedPair

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
.. [2] S. Kiritchenko et al., Learning and evaluation in the presence of class hierarchies, Canadian AI 2006.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hierviz.messages.extras import require
from hierviz.messages.notebook_html import Short, fact_rows, fact_sheet, table
from hierviz.metrics.confusion.path_lists import Towards
from hierviz.metrics.node_pairs import harmonic_mean, ratio
from hierviz.metrics.parts import OfSums
from hierviz.metrics.registry import CELLS, METRICS, keys_of
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


@dataclass(frozen=True, eq=False)
class HierarchicalConfusion(Short):
    """Hierarchical confusion of one predicted against one true path per sample.

    Attributes
    ----------
    taxonomy : Taxonomy
    truth, predicted : ndarray of int, shape (n_samples,)
    tp, tn, fp, fn : ndarray of int, shape (n_samples,)
        Numbers of nodes.
    """

    taxonomy: Taxonomy
    truth: np.ndarray
    predicted: np.ndarray
    tp: np.ndarray
    tn: np.ndarray
    fp: np.ndarray
    fn: np.ndarray

    def _repr_html_(self):
        counts = self.counts
        cells = [["true", counts["tp"], counts["fn"]], ["not true", counts["fp"], counts["tn"]]]
        matrix = table(["nodes of all samples", "predicted", "not predicted"], cells)
        return fact_sheet(f"Hierarchical confusion of {len(self.tp):,} samples", matrix, fact_rows(self.measures))

    @cached_property
    def counts(self) -> dict[str, int]:
        """Sums over samples, exact integers: {'tp':, 'tn':, 'fp':, 'fn':}."""
        return {cell: int(getattr(self, cell).sum()) for cell in CELLS}

    @cached_property
    def measures(self) -> dict[str, float | None]:
        """The measures of `measures` from the summed counts."""
        return measures(**self.counts)

    @cached_property
    def per_sample(self) -> dict[str, np.ndarray]:
        """Per sample: the four counts and hierarchical precision, recall and F1 (``hp``, ``hr``, ``hf1``) in [0, 1].

        hp is 1 where nothing is predicted (the root), hr is 1 where the truth is the root [2]_.
        """
        hp, hr = ratio(self.tp, self.tp + self.fp), ratio(self.tp, self.tp + self.fn)
        return {**{cell: getattr(self, cell) for cell in CELLS}, "hp": hp, "hr": hr, "hf1": harmonic_mean(hp, hr)}

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a sample: ``truth`` and ``predicted`` by name, and `per_sample`.

        Of several paths the names are joined by ``;``, a label outside the taxonomy being "".
        """
        require("to_frame", "files", "pandas")
        import pandas as pd

        ends = getattr(self.predicted, "ends", self.predicted)
        return pd.DataFrame({"truth": self._names(self.truth), "predicted": self._names(ends), **self.per_sample})

    def _names(self, nodes):
        names = (*self.taxonomy.names, "")
        if isinstance(nodes, NodeLists):
            return [";".join(names[node] for node in nodes[row].tolist()) for row in range(len(nodes))]
        return [names[node] for node in nodes.tolist()]

    def pairs(self, row: int) -> SamplePairs:
        """What the counts of one sample are made of.

        Parameters
        ----------
        row : int

        Returns
        -------
        SamplePairs
        """
        answer = self.predicted[row]
        path = self.taxonomy.path(answer) if answer >= 0 else np.array([0, answer])
        return SamplePairs((_pair(self.taxonomy, path, self.truth[row]),), (), ())

    def node_sets(self, row: int) -> dict[str, np.ndarray]:
        """The nodes behind the four counts of one sample, over all its paths.

        Parameters
        ----------
        row : int

        Returns
        -------
        dict of str to ndarray of int
            ``tp``, ``tn``, ``fp``, ``fn``, each ascending; a node is listed as often as it counts, and with several paths
            it may be in several cells. See `pairs` for each path.
        """
        found = self.pairs(row)
        more = {"tp": (), "tn": (), "fp": found.surplus, "fn": found.left_over}
        nodes = {
            cell: [*(getattr(pair, cell) for pair in found.pairs), *(path[1:] for path in more[cell])] for cell in CELLS
        }
        return {cell: np.sort(np.concatenate([np.empty(0, np.intp), *parts])) for cell, parts in nodes.items()}


def measures(tp: int, tn: int, fp: int, fn: int) -> dict[str, float | None]:
    """The measures of a confusion matrix from exact integers.

    Parameters
    ----------
    tp, tn, fp, fn : int

    Returns
    -------
    dict of str to float or None
        ``acc, ppv, tpr, fnr, fpr, tnr, pt, f1`` in [0, 1] and ``mcc`` in [-1, 1]; None where undefined (0/0).
    """
    counts = {"tp": int(tp), "tn": int(tn), "fp": int(fp), "fn": int(fn)}
    found = {key: float(METRICS[key].made.of(counts)) for key in keys_of("confusion", OfSums)}
    return {key: None if math.isnan(value) else value for key, value in found.items()}


@dataclass(frozen=True)
class MatchedPair(Short):
    """A predicted path, the true path it is judged by, and the nodes behind the counts.

    Attributes
    ----------
    predicted, true : ndarray of int
        Paths from the root; -1 in `predicted` is a node outside the taxonomy.
    tp, tn, fp, fn : ndarray of int
        Nodes, ascending. In a graph a node may be in `tn` twice: it counts twice.
    """

    predicted: np.ndarray
    true: np.ndarray
    tp: np.ndarray
    tn: np.ndarray
    fp: np.ndarray
    fn: np.ndarray


@dataclass(frozen=True)
class SamplePairs(Short):
    """What a sample's counts are made of.

    Attributes
    ----------
    pairs : tuple of MatchedPair
        In the order of matching.
    surplus : tuple of ndarray of int
        Predicted paths for which no truth was left, in the order of matching: their nodes below the root are FP.
    left_over : tuple of ndarray of int
        A shortest path to each truth that no prediction took, in the order of the truth: its nodes below the root are FN.
    """

    pairs: tuple[MatchedPair, ...]
    surplus: tuple[np.ndarray, ...]
    left_over: tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class PathConfusion(HierarchicalConfusion):
    """Hierarchical confusion of the predicted paths against the true labels of each sample.

    Attributes
    ----------
    taxonomy : Taxonomy
    truth : NodeLists
        True labels without repeats, shape (n_samples,).
    predicted : PathLists
    tp, tn, fp, fn : ndarray of int, shape (n_samples,)
        Numbers of nodes, summed over the pairs of a sample.
    turn, taken : ndarray of int, shape (n_paths,)
        Of each path listed in `predicted`: its place in the order of matching of its sample, and the place in
        ``truth.nodes`` of the truth it took, -1 if none was left.
    """

    turn: np.ndarray | None = None
    taken: np.ndarray | None = None

    def pairs(self, row):
        """As `HierarchicalConfusion.pairs`, of all paths of a sample."""
        first, last = self.predicted.offsets[row], self.predicted.offsets[row + 1]
        listed = first + np.argsort(self.turn[first:last])
        pairs, surplus = [], []
        for place in listed.tolist():
            path = self.predicted.paths[self.predicted.which[place]]
            if self.taken[place] < 0:
                surplus.append(path)
            else:
                pairs.append(_pair(self.taxonomy, path, self.truth.nodes[self.taken[place]]))
        places = np.arange(self.truth.offsets[row], self.truth.offsets[row + 1])
        left = self.truth.nodes[np.setdiff1d(places, self.taken[first:last])]
        return SamplePairs(tuple(pairs), tuple(surplus), tuple(_shortest_path(self.taxonomy, node) for node in left))


def _pair(taxonomy, path, target):
    """The MatchedPair of one predicted path and one truth."""
    up = Towards(taxonomy, np.array([target]))
    k = int(np.isin(path, up.above.nodes).sum())
    true = np.concatenate([path[:k], up.rest(path[k - 1 : k], up.targets).nodes])
    siblings = taxonomy.children.take(np.unique(taxonomy.parents.take(path[:k]).nodes)).nodes
    below = np.setdiff1d(taxonomy.children[path[k - 1]], np.concatenate([true, path]))
    tn = np.concatenate([np.setdiff1d(siblings, true), below])
    return MatchedPair(path, true, np.sort(path[1:k]), np.sort(tn), np.sort(path[k:]), np.sort(true[k:]))


def _shortest_path(taxonomy, node):
    """One of the shortest paths from the root to a node, through the first parent on a shortest path."""
    path = [int(node)]
    while path[-1]:
        parents = taxonomy.parents[path[-1]]
        path.append(int(parents[np.argmax(taxonomy.depth[parents] < taxonomy.depth[path[-1]])]))
    return np.array(path[::-1])
