r"""What the counts of several paths a sample are made of: the matched pairs and the nodes behind them.

Conventions
-----------
`metrics.confusion.matching` says which pairs there are and `metrics.confusion.pair_counts` what a pair counts; here the same
is spelled out for one sample. The true path of a pair continues after the shared prefix through the first child that is
the truth or above it.

Functions
---------
PathConfusion, SamplePairs, MatchedPair

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.messages.notebook_html import Short
from hierviz.metrics.confusion.confusion_counts import CELLS, HierarchicalConfusion
from hierviz.metrics.confusion.path_lists import Towards


@dataclass(frozen=True)
class MatchedPair(Short):
    """A predicted path, the true path it is judged by, and the nodes behind the counts.

    Attributes
    ----------
    predicted, true : ndarray of int
        Paths from the root; -1 in `predicted` is a node outside the taxonomy.
    tp, tn, fp, fn : ndarray of int
        Nodes, ascending. In a graph a node may stand twice in `tn`: it counts twice.
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

    @property
    def _ends(self):
        return self.predicted.ends

    def pairs(self, row):
        """What the counts of one sample are made of.

        Parameters
        ----------
        row : int

        Returns
        -------
        SamplePairs
        """
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

    def node_sets(self, row):
        """The nodes behind the four counts of one sample, over all its paths.

        Parameters
        ----------
        row : int

        Returns
        -------
        dict of str to ndarray of int
            ``tp``, ``tn``, ``fp``, ``fn``, each ascending; a node stands as often as it counts, and with several paths
            it may stand under several cells. See `pairs` for each path.
        """
        pairs = self.pairs(row)
        more = {"tp": (), "tn": (), "fp": pairs.surplus, "fn": pairs.left_over}
        return {
            cell: np.sort(
                np.concatenate(
                    [
                        np.empty(0, np.intp),
                        *(getattr(pair, cell) for pair in pairs.pairs),
                        *(path[1:] for path in more[cell]),
                    ]
                )
            )
            for cell in CELLS
        }


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
