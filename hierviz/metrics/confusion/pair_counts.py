r"""How many nodes of a predicted and a true path agree: the four counts of a pair, and their sums over a sample.

Conventions
-----------
The root is never counted. A pair of a predicted path q and a true path p with their common prefix of k nodes, the last of
them z, counts

    TP = k - 1,  FP = |q \ p|,  FN = |p \ q|,
    TN = |siblings of the nodes of the prefix \ p| + |children of z \ (p | q)|,

siblings being nodes with a common parent; the two parts of TN are added, so a node may count twice in a graph.

Without a truth all nodes of q are FP; a truth without a prediction adds the nodes of its shortest path as FN.

Functions
---------
count, count_in_tree, siblings_on_path

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
"""

from __future__ import annotations

import numpy as np

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.metrics.confusion.confusion_counts import CELLS
from hierviz.metrics.confusion.matching import known_end, shared_prefix
from hierviz.metrics.confusion.path_lists import Towards, grouped, is_in, joined
from hierviz.taxonomy.node_lists import distinct
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
        From `hierviz.metrics.confusion.matching.match`.
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
    np.add.at(counts["fn"], np.repeat(np.arange(n), truth.lengths)[is_left], taxonomy.depth[truth.nodes[is_left]])
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
        siblings = siblings[~is_in(on_true, siblings)]
        below = below[~is_in(on_true, below) & ~is_in(on_answer, below)]
        tn[rows] = np.bincount(np.concatenate([siblings, below]) // n_nodes, minlength=len(rows))
    return prefix - 1, tn, rest.lengths


def _heads(lists, lengths):
    """The first `lengths` nodes of each list, as NodeLists."""
    place = np.arange(len(lists.nodes)) - np.repeat(lists.offsets[:-1], lists.lengths)
    return NodeLists(
        np.append(0, np.cumsum(lengths)).astype(np.intp), lists.nodes[place < np.repeat(lengths, lists.lengths)]
    )


def _keys(lists, n_nodes):
    """Number of the list * n_nodes + node, for each node of the taxonomy in lists."""
    known = lists.nodes >= 0
    return np.repeat(np.arange(len(lists)), lists.lengths)[known] * n_nodes + lists.nodes[known]


def _expand(lists, neighbours):
    """Per list the neighbours of all its nodes, as NodeLists."""
    reached = neighbours.take(lists.nodes)
    return NodeLists(reached.offsets[lists.offsets], reached.nodes)


def _lists_once(lists, n_nodes):
    row, node = np.divmod(distinct(_keys(lists, n_nodes)), n_nodes)
    return grouped(row, node, len(lists))
