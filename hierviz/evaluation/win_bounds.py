r"""Lowest and highest win and probability of the truth when only some scores of a sample are listed.

The win is linear in the leaf probabilities: a leaf that shares d nodes of the true path (the root not counted) weighs
1 - 2^-d, one at or below the truth 1. Putting the unlisted mass on the heaviest, or the lightest, unlisted leaves first
gives its extremes exactly.
"""

from __future__ import annotations

import numpy as np

from hierviz.evaluation.unknown_mass import UnknownMass


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
