r"""How large each node's probability can be when only some scores of a sample are listed.

Conventions
-----------
`scores` are ListedScores. For leaf probabilities let r = max(0, 1 - listed mass). A leaf that is not listed has a probability
in [0, u], where u is the smallest listed one, or r if that is less, for the k best of a sample, and r for other lists. A node
with the listed mass a below it, and m unlisted leaves below it and m' elsewhere, has a probability in

    [a + max(0, r - m' u),  a + min(r, m u)],

which is exactly what the completions of the list give. For probabilities of nodes that have no sum, each node that is not
listed lies in [0, u], with u = 1 for lists that are not the best ones; the root is 1.

Rows of leaf probabilities may miss 1 by the tolerance with which they are accepted, for example because their numbers were
rounded for a file: the unlisted mass lies within `ROUNDING` of 1 - listed mass. A node below which all leaves are listed has
exactly the probability that the whole row would give it; bounds of other inner nodes are 1e-12 wider, because sums depend on
their order.

The win is linear in the leaf probabilities: a leaf that shares d nodes of the true path (the root not counted) weighs
1 - 2^-d, one at or below the truth 1. Putting the unlisted mass on the heaviest, or the lightest, unlisted leaves first
gives its extremes exactly.

Functions
---------
UnknownMass, node_bounds
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.messages.notebook_html import Short
from hierviz.predictions.parametrisation import SUM_TOLERANCE, node_probabilities
from hierviz.taxonomy.tree_sums import sum_up

# How far a row may miss 1, the rounding of its sum included.
ROUNDING = SUM_TOLERANCE + 1e-9
# Two sums of the same numbers in another order may differ by this much.
_OF_SUMS = 1e-12


@dataclass(frozen=True, eq=False)
class UnknownMass(Short):
    """What is not listed of some rows; arrays of shape (n_rows,).

    Attributes
    ----------
    least, most : ndarray of float
        Bounds of the mass of all unlisted leaves together; 0 and infinite for probabilities of nodes.
    each : ndarray of float
        The most that one unlisted leaf, or node, has.
    n_unlisted : ndarray of int
    """

    least: np.ndarray
    most: np.ndarray
    each: np.ndarray
    n_unlisted: np.ndarray

    @classmethod
    def from_scores(cls, scores, rows, is_distribution):
        """Of some rows (ndarray of int) of ListedScores."""
        each, n_unlisted = scores.largest_unlisted(rows), scores.n_columns - scores.lengths[rows]
        if not is_distribution:
            return cls(np.zeros(len(rows)), np.full(len(rows), np.inf), each, n_unlisted)
        rest = 1 - scores.mass(rows)
        each = np.minimum(each, np.maximum(rest + ROUNDING, 0))
        most = np.minimum(np.maximum(rest + ROUNDING, 0), n_unlisted * each)
        return cls(np.minimum(np.maximum(rest - ROUNDING, 0), most), most, each, n_unlisted)


def node_bounds(predictions, rows):
    """Lowest and highest probability of every node.

    Parameters
    ----------
    predictions : Predictions
        On a tree, with ListedScores.
    rows : ndarray of int

    Returns
    -------
    low, high : ndarray of float64, shape (n_rows, n_nodes)
        Equal where nothing is unknown.
    """
    taxonomy, scores = predictions.taxonomy, predictions.scores
    is_distribution = predictions.parametrisation == "leaf_probabilities"
    unknown = UnknownMass.from_scores(scores, rows, is_distribution)
    low = node_probabilities(taxonomy, scores[rows], predictions.parametrisation, predictions.scored_nodes)
    place, column, _ = scores.entries(rows)
    if not is_distribution:
        listed = np.zeros(low.shape, dtype=bool)
        listed[:, 0] = True
        listed[place, column + 1] = True
        return low, np.where(listed, low, unknown.each[:, None])
    n_unlisted = np.zeros(low.shape)
    n_unlisted[:, taxonomy.leaves] = 1
    n_unlisted[place, taxonomy.leaves[column]] = 0
    sum_up(taxonomy, n_unlisted)
    each = unknown.each[:, None]
    is_unknown_sum = (n_unlisted > 0) & (each > 0) & ~taxonomy.is_leaf
    high = low + np.minimum(unknown.most[:, None], n_unlisted * each) + is_unknown_sum * _OF_SUMS
    low += np.maximum(unknown.least[:, None] - (unknown.n_unlisted[:, None] - n_unlisted) * each - _OF_SUMS, 0)
    return low, np.maximum(low, high)


def win_bounds(predictions, rows):
    """Bounds of what the win needs of some samples.

    Parameters
    ----------
    predictions : Predictions
        On a tree, with ListedScores and one truth a sample.
    rows : ndarray of int
        Samples with a known truth.

    Returns
    -------
    dict of str to (low, high), each ndarray of float, shape (n_rows,)
        ``win`` (rescaled), ``p_truth`` and ``p_root``.
    """
    taxonomy, scores, truth = predictions.taxonomy, predictions.scores, predictions.truth[rows]
    is_distribution = predictions.parametrisation == "leaf_probabilities"
    unknown = UnknownMass.from_scores(scores, rows, is_distribution)
    place, column, value = scores.entries(rows)
    path, depth = _paths(taxonomy, truth), taxonomy.depth[truth]
    step = np.arange(path.shape[1])
    end = step == depth[:, None]
    if not is_distribution:
        return _of_nodes(taxonomy, truth, depth, unknown, place, column + 1, value)
    weight = np.where(end, 1.0, 1 - np.exp2(-step))
    shared = taxonomy.depth[taxonomy.lca(truth[place], taxonomy.leaves[column])]
    listed = np.zeros(path.shape)
    np.add.at(listed, (place, shared), value)
    n_leaves = np.where(path >= 0, taxonomy.n_leaves_below[path], 0)
    n_leaves[:, :-1] -= n_leaves[:, 1:].copy()
    np.subtract.at(n_leaves, (place, shared), 1)
    room = n_leaves * unknown.each[:, None]
    sure = (listed * weight).sum(axis=1)
    low = sure + (_filled(room, unknown.least) * weight).sum(axis=1)
    high = sure + (_filled(room[:, ::-1], unknown.most)[:, ::-1] * weight).sum(axis=1)
    all_room, row = room.sum(axis=1), np.arange(len(rows))
    listed_below, room_below = listed[row, depth], room[row, depth]
    mass = listed.sum(axis=1)
    return {
        "win": (low, np.maximum(low, high)),
        "p_truth": (
            listed_below + np.maximum(unknown.least - (all_room - room_below), 0),
            listed_below + np.minimum(unknown.most, room_below),
        ),
        "p_root": (mass + unknown.least, mass + unknown.most),
    }


def _paths(taxonomy, truth):
    """Nodes from the root to each truth, shape (n_rows, max_depth + 1), -1 beyond."""
    lists = taxonomy.ancestors(truth)
    path = np.full((len(truth), taxonomy.max_depth + 1), -1)
    row = np.repeat(np.arange(len(truth)), lists.lengths)
    path[row, taxonomy.depth[lists.nodes]] = lists.nodes
    return path


def _filled(room, mass):
    """How much of `mass`, shape (n_rows,), goes into each place when the first places are filled first; shape of `room`."""
    return np.diff(np.minimum(np.cumsum(room, axis=1), mass[:, None]), axis=1, prepend=0)


def _of_nodes(taxonomy, truth, depth, unknown, place, node, value):
    """The bounds where each node of the path has a probability of its own."""

    def weight_of(depth_of_node, depth_of_truth):
        return np.exp2(-depth_of_node.astype(float)) * (1 + (depth_of_node == depth_of_truth))

    on_path = taxonomy.is_ancestor(node, truth[place])
    row, node, value = place[on_path], node[on_path], value[on_path]
    weight = weight_of(taxonomy.depth[node], depth[row])
    low = np.bincount(row, weight * value, minlength=len(truth))
    # The weights of a path sum to 1, that of the root alone included, which is never listed.
    high = low + (1 - np.bincount(row, weight, minlength=len(truth))) * unknown.each
    at_truth = np.zeros(len(truth))
    is_listed = np.zeros(len(truth), dtype=bool)
    here = node == truth[row]
    at_truth[row[here]], is_listed[row[here]] = value[here], True
    is_root = truth == 0
    ones = np.ones(len(truth))
    return {
        "win": (np.where(is_root, 1, low), np.where(is_root, 1, high)),
        "p_truth": (np.where(is_root, 1, at_truth), np.where(is_root, 1, np.where(is_listed, at_truth, unknown.each))),
        "p_root": (ones, ones),
    }
