r"""Which true label each predicted path of a sample is judged by.

Conventions
-----------
Of each sample, an ordered list of true nodes and an ordered list of predicted paths q from the root.

Matching is greedy. Predictions come in the order of m, the longest prefix they share with a path to any of the truths,
longest first; on ties the path whose list of names is larger (by code point) comes first, -1 having the empty name. Each
takes, among the truths still free, the one it shares the longest prefix with, on ties the first in the order of the
truth; p is the path to that truth that shares this prefix, on ties the first in depth-first order. A prediction that
shares nothing takes a truth all the same. When no truth is left, all nodes of q are FP and nothing is TN. A truth that is
left over adds the nodes of its shortest path as FN.

No path is enumerated: the prefix shared with a path to t are the nodes of q that are t or above it.

Functions
---------
match, shared_prefix, known_end

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
"""

from __future__ import annotations

import numpy as np

from hierviz.metrics.confusion.path_lists import Towards, padded
from hierviz.taxonomy.node_lists import distinct
from hierviz.taxonomy.taxonomy import NodeLists


def match(taxonomy, truth, predicted):
    """Which truth each predicted path is judged by.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : NodeLists
        True labels without repeats, shape (n_samples,).
    predicted : PathLists

    Returns
    -------
    turn, taken : ndarray of int, shape (n_paths,)
        Of every listed path: its place in the order of matching of its sample, and the place in ``truth.nodes`` of the
        truth it takes, -1 if none is left.
    """
    n_paths, n_truths = len(predicted.which), len(truth.nodes)
    sample = np.repeat(np.arange(len(truth)), predicted.lengths)
    turn, taken = np.arange(n_paths) - predicted.offsets[:-1][sample], np.full(n_paths, -1)
    # All pairs within samples, path by path.
    pairs = NodeLists(truth.offsets, np.arange(n_truths)).take(sample)
    prefix = shared_prefix(taxonomy, predicted, np.repeat(predicted.which, pairs.lengths), truth.nodes[pairs.nodes])
    if len(turn) and turn.max():
        longest = np.zeros(n_paths, dtype=np.intp)
        np.maximum.at(longest, np.repeat(np.arange(n_paths), pairs.lengths), prefix)
        order = np.lexsort((-_name_order(taxonomy, predicted.paths)[predicted.which], -longest, sample))
        turn = np.empty(n_paths, dtype=np.intp)
        turn[order] = np.arange(n_paths) - predicted.offsets[:-1][sample[order]]
    # The longer prefix wins, then the earlier truth: one number says both.
    value = prefix * (n_truths + 1) + n_truths - pairs.nodes
    is_free = np.ones(n_truths, dtype=bool)
    with_truth = np.flatnonzero(pairs.lengths)
    with_truth = with_truth[np.argsort(turn[with_truth], kind="stable")]
    for paths in np.split(with_truth, np.flatnonzero(np.diff(turn[with_truth])) + 1) if len(with_truth) else ():
        here = NodeLists(pairs.offsets, value).take(paths)
        free = is_free[n_truths - here.nodes % (n_truths + 1)]
        best = np.maximum.reduceat(np.where(free, here.nodes, -1), here.offsets[:-1])
        paths, best = paths[best >= 0], best[best >= 0]
        taken[paths] = n_truths - best % (n_truths + 1)
        is_free[taken[paths]] = False
    return turn, taken


def shared_prefix(taxonomy, predicted, which, target):
    """Number of nodes that path `which` shares with the nearest path to `target`, the root included, pair by pair."""
    keys, place = np.unique(which * taxonomy.n_nodes + target, return_inverse=True)
    which, target = np.divmod(keys, taxonomy.n_nodes)
    if taxonomy.is_tree:
        return (taxonomy.depth[taxonomy.lca(known_end(predicted)[which], target)] + 1)[place]
    up = Towards(taxonomy, distinct(target))
    nodes = predicted.paths.take(which)
    shared = up.is_above(nodes.nodes, np.repeat(target, nodes.lengths))
    # What is above a node of the prefix is above the target too: the nodes shared are the prefix.
    return np.add.reduceat(shared, nodes.offsets[:-1], dtype=np.intp)[place]


def known_end(predicted):
    """The last node of the taxonomy on each of ``predicted.paths``."""
    return predicted.paths.nodes[predicted.paths.offsets[:-1] + predicted.known_lengths - 1]


def _name_order(taxonomy, paths):
    """Rank of each path among all of them, as lists of names, by code point; -1 is the empty name."""
    used = np.unique(paths.nodes[paths.nodes >= 0]).tolist()
    rank = np.zeros(taxonomy.n_nodes + 1, dtype=np.intp)
    # Index -1 is the last one: names are never empty, so it comes before all of them and after the end of a path.
    rank[sorted(used, key=taxonomy.names.__getitem__)] = np.arange(2, len(used) + 2)
    rank[-1] = 1
    table = padded(NodeLists(paths.offsets, rank[paths.nodes]), 0)
    position = np.empty(len(paths), dtype=np.intp)
    position[np.lexsort(table.T[::-1])] = np.arange(len(paths))
    return position
