r"""How many nodes of a predicted and a true path agree: the four counts of a pair, and their sums over a sample.

Conventions
-----------
The root is never counted. A pair of a predicted path q and a true path p with their common prefix of k nodes, the last of
them z, counts

    TP = k - 1,  FP = |q \ p|,  FN = |p \ q|,
    TN = |siblings of the nodes of the prefix \ p| + |children of z \ (p | q)|,

siblings being nodes with a common parent; the two parts of TN are added, so a node may count twice in a graph.

Without a truth all nodes of q are FP; a truth without a prediction adds the nodes of its shortest path as FN.

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
count, count_in_tree, siblings_on_path, match, shared_prefix, known_end

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
"""

from __future__ import annotations

import numpy as np

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.metrics.confusion.confusion_counts import CELLS
from hierviz.metrics.confusion.path_lists import Towards, grouped, joined, padded
from hierviz.taxonomy.node_lists import distinct, is_member, offsets_of
from hierviz.taxonomy.taxonomy import NodeLists


def count(taxonomy, truth, predicted, taken, block_values):
    """The four counts of each sample, summed over its pairs.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : NodeLists
        True labels without repeats, shape (n_samples,).
    predicted : PathLists
    taken : ndarray of int, shape (n_paths,)
        From `hierviz.metrics.confusion.pair_counts.match`.
    block_values : int
        In a graph, neighbours are listed for about so many nodes at once.

    Returns
    -------
    dict of str to ndarray of int, shape (n_samples,)
        ``tp``, ``tn``, ``fp``, ``fn``.
    """
    n, n_nodes = len(truth), taxonomy.n_nodes
    sample = np.repeat(np.arange(n), predicted.lengths)
    of_path = {cell: np.zeros(len(taken), dtype=np.intp) for cell in CELLS}
    of_path["fp"] = predicted.paths.lengths[predicted.which] - 1
    matched = np.flatnonzero(taken >= 0)
    if len(matched):
        keys, place = np.unique(predicted.which[matched] * n_nodes + truth.nodes[taken[matched]], return_inverse=True)
        which, target = np.divmod(keys, n_nodes)
        if taxonomy.is_tree:
            tp, tn, fn = count_in_tree(taxonomy, target, known_end(predicted)[which])
        else:
            tp, tn, fn = _count_in_graph(taxonomy, predicted, which, target, block_values)
        of_path["tp"][matched], of_path["tn"][matched], of_path["fn"][matched] = tp[place], tn[place], fn[place]
        of_path["fp"] -= of_path["tp"]
    counts = {}
    for cell, values in of_path.items():
        counts[cell] = np.zeros(n, dtype=np.intp)
        np.add.at(counts[cell], sample, values)
    is_left = np.ones(len(truth.nodes), dtype=bool)
    is_left[taken[matched]] = False
    np.add.at(counts["fn"], truth.rows[is_left], taxonomy.depth[truth.nodes[is_left]])
    return counts


def count_in_tree(taxonomy, target, end):
    """TP, TN and FN of each pair of a truth and the last known node of a predicted path."""
    common = lowest_common_ancestors(taxonomy, end, target)
    tn = siblings_on_path(taxonomy)[common] + taxonomy.children.lengths[common] - (target != common) - (end != common)
    return taxonomy.depth[common], tn, taxonomy.depth[target] - taxonomy.depth[common]


def siblings_on_path(taxonomy):
    """Number of siblings of all nodes of the path to each node, shape (n_nodes,)."""
    total = np.zeros(taxonomy.n_nodes, dtype=np.intp)
    for level in taxonomy.levels[1:]:
        parent = taxonomy.parent[level]
        total[level] = total[parent] + taxonomy.children.lengths[parent] - 1
    return total


def _count_in_graph(taxonomy, predicted, which, target, block_values):
    """TP, TN and FN of each pair of a predicted path and a truth."""
    n_nodes, n_children = taxonomy.n_nodes, taxonomy.children.lengths
    prefix = shared_prefix(taxonomy, predicted, which, target)
    starts = predicted.paths.offsets[which]
    z = predicted.paths.nodes[starts + prefix - 1]
    rest = Towards(taxonomy, distinct(target)).rest(z, target)
    # Neighbours are listed one by one, so pairs are worked on in blocks.
    n_near = np.bincount(taxonomy.edges[:, 1], n_children[taxonomy.edges[:, 0]], n_nodes).astype(np.intp)
    shared = _heads(predicted.paths.take(which), prefix)
    size = np.add.reduceat(n_near[shared.nodes], shared.offsets[:-1]) + n_children[z]
    tn = np.zeros(len(which), dtype=np.intp)
    for rows in np.split(np.arange(len(which)), np.flatnonzero(np.diff(np.cumsum(size) // block_values)) + 1):
        head = shared.take(rows)
        true, answer = joined(head, rest.take(rows)), predicted.paths.take(which[rows])
        on_true, on_answer = (np.sort(_keys(paths, n_nodes)) for paths in (true, answer))
        above = _expand(head, taxonomy.parents)
        siblings = distinct(_keys(_expand(_lists_once(above, n_nodes), taxonomy.children), n_nodes))
        below = _keys(taxonomy.children.take(z[rows]), n_nodes)
        siblings = siblings[~is_member(siblings, on_true)]
        below = below[~is_member(below, on_true) & ~is_member(below, on_answer)]
        tn[rows] = np.bincount(np.concatenate([siblings, below]) // n_nodes, minlength=len(rows))
    return prefix - 1, tn, rest.lengths


def _heads(lists, lengths):
    """The first `lengths` nodes of each list, as NodeLists."""
    place = np.arange(len(lists.nodes)) - np.repeat(lists.offsets[:-1], lists.lengths)
    return NodeLists(offsets_of(lengths), lists.nodes[place < np.repeat(lengths, lists.lengths)])


def _keys(lists, n_nodes):
    """Number of the list * n_nodes + node, for each node of the taxonomy in lists."""
    known = lists.nodes >= 0
    return lists.rows[known] * n_nodes + lists.nodes[known]


def _expand(lists, neighbours):
    """Per list the neighbours of all its nodes, as NodeLists."""
    reached = neighbours.take(lists.nodes)
    return NodeLists(reached.offsets[lists.offsets], reached.nodes)


def _lists_once(lists, n_nodes):
    row, node = np.divmod(distinct(_keys(lists, n_nodes)), n_nodes)
    return grouped(row, node, len(lists))


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
