"""Labels to paths: the greedy cover with which published results on label lists were computed.

Conventions
-----------
Labels of a sample are an ordered list of nodes, as in the file. The order decides ties.

Functions
---------
greedy_cover

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023; case study GermEval 2019, task 1b.
"""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.metrics.confusion.path_lists import (
    PathLists,
    Towards,
    edges_up,
    first_of,
    follow,
    grouped,
    is_in,
    without_repeats,
)
from hierviz.taxonomy.node_lists import distinct
from hierviz.taxonomy.taxonomy import NodeLists


def greedy_cover(taxonomy, labels):
    """Few paths that go through all labels of a sample.

    All paths from the root to the labels are listed, label by label and depth first; the path that goes through most
    labels not covered yet is taken, the first one on ties, until all labels are covered [1]_. Missing ancestors are thereby
    filled in.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    labels : NodeLists
        Ordered labels of each sample. Repeats count once. The root counts only when it is alone, as every path goes
        through it. Each -1 (a label outside the taxonomy) becomes a path of its own, after the others.

    Returns
    -------
    PathLists
        As many paths a sample as it takes; without any label the root-only path. A prediction keeps these paths, a truth
        keeps their ends (`PathLists.ends`): the most specific labels.

    Raises
    ------
    PredictionsError
        If a label is neither a node number nor -1.

    Notes
    -----
    No path is enumerated: the number of labels on the best path to a node is one more than on the best path to one of its
    parents, if it is a label itself; the first path in depth-first order steps from the root always to the first child on
    a best path. The result is that of the enumeration, also in graphs. There, a path may end at a label that is already
    covered (to take an ancestor in on another way): as a truth such an end counts once.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> found = greedy_cover(taxonomy, NodeLists.from_lists([taxonomy.nodes("newt", "mammal", "dog"), []]))
    >>> [[taxonomy.names[node] for node in path] for path in found[0]], [path.tolist() for path in found[1]]
    ([['animal', 'mammal', 'dog'], ['animal', 'newt']], [[0]])
    """
    n, n_nodes = len(labels), taxonomy.n_nodes
    if len(labels.nodes) and not (labels.nodes.min() >= -1 and labels.nodes.max() < n_nodes):
        bad = labels.nodes[(labels.nodes < -1) | (labels.nodes >= n_nodes)]
        raise PredictionsError(
            f"labels: expected node numbers from 0 to {n_nodes - 1} or -1, got {listed(bad.tolist())}. "
            "Use Taxonomy.nodes to look names up."
        )
    row = np.repeat(np.arange(n), labels.lengths)
    rows, paths, lengths = [], [], []

    def keep(samples, fullest):
        rows.append(samples)
        paths.append(fullest.nodes)
        lengths.append(fullest.lengths)

    below_root = labels.nodes > 0
    left = without_repeats(grouped(row[below_root], labels.nodes[below_root], n))
    open_rows = np.flatnonzero(left.lengths)
    left, is_open = left.take(open_rows), np.ones(len(left.nodes), dtype=bool)
    while len(open_rows):
        fullest = _fullest_paths(taxonomy, left, is_open)
        keep(open_rows, fullest)
        row_of = np.repeat(np.arange(len(left)), left.lengths)
        on_path = np.sort(np.repeat(np.arange(len(left)), fullest.lengths) * n_nodes + fullest.nodes)
        is_open &= ~is_in(on_path, row_of * n_nodes + left.nodes)
        going = np.bincount(row_of[is_open], minlength=len(left)) > 0
        open_rows, left, is_open = open_rows[going], left.take(np.flatnonzero(going)), is_open[going[row_of]]
    unknown = row[labels.nodes == -1]
    keep(unknown, NodeLists(np.arange(len(unknown) + 1) * 2, np.tile([0, -1], len(unknown))))
    empty = np.flatnonzero(np.bincount(np.concatenate(rows), minlength=n) == 0)
    keep(empty, NodeLists(np.arange(len(empty) + 1), np.zeros(len(empty), np.intp)))

    rows, lengths = np.concatenate(rows), np.concatenate(lengths)
    paths = NodeLists(np.append(0, np.cumsum(lengths)).astype(np.intp), np.concatenate(paths).astype(np.intp))
    order = grouped(rows, np.arange(len(rows)), n)
    return PathLists.from_paths(order.offsets, paths.take(order.nodes))


def _fullest_paths(taxonomy, labels, is_open):
    """Per sample the first of the paths to its labels that go through most open labels, as NodeLists."""
    n_nodes = taxonomy.n_nodes
    row = np.repeat(np.arange(len(labels)), labels.lengths)
    targets, target = np.unique(labels.nodes, return_inverse=True)
    up = Towards(taxonomy, targets)
    above = up.above.take(target)
    if taxonomy.is_tree:
        keys = np.sort(row[is_open] * n_nodes + labels.nodes[is_open])
        held = is_in(keys, np.repeat(row, above.lengths) * n_nodes + above.nodes)
        best = _first_largest(np.add.reduceat(held, above.offsets[:-1], dtype=np.intp), labels)
        return above.take(best)
    # Places are the nodes at or above a label, sample by sample; steps are the edges between them.
    keys = distinct(np.repeat(row, above.lengths) * n_nodes + above.nodes)
    slot, node = np.divmod(keys, n_nodes)
    label_place = np.searchsorted(keys, row * n_nodes + labels.nodes)
    own = np.zeros(len(keys), dtype=np.intp)
    own[label_place] = is_open
    edge = edges_up(taxonomy).take(node)
    lower = np.repeat(np.arange(len(keys)), edge.lengths)
    upper = np.searchsorted(keys, slot[lower] * n_nodes + taxonomy.edges[edge.nodes, 0])
    has_parent = np.flatnonzero(edge.lengths)
    most, before = own.copy(), None
    while before is None or (most != before).any():
        before, most = most, own.copy()
        most[has_parent] += np.maximum.reduceat(before[upper], edge.offsets[:-1][has_parent])
    best = _first_largest(most[label_place], labels)
    is_best = most[lower] == most[upper] + own[lower]
    leads = np.zeros(len(keys), dtype=bool)
    leads[label_place[best]] = True
    n_before = 0
    while leads.sum() > n_before:
        n_before = leads.sum()
        leads[upper[is_best & leads[lower]]] = True
    good = is_best & leads[lower]
    end = labels.nodes[best]
    root = np.zeros(len(labels), dtype=np.intp)
    steps = follow(
        taxonomy, keys, first_of(len(keys), upper[good], edge.nodes[good]), np.arange(len(labels)), root, end
    )
    return grouped(
        np.concatenate([np.arange(len(labels)), np.repeat(np.arange(len(labels)), steps.lengths)]),
        np.concatenate([root, steps.nodes]),
        len(labels),
    )


def _first_largest(values, lists):
    """Place in ``lists.nodes`` of the first largest of `values` in each list; no list may be empty."""
    last = len(values) - 1
    return last - np.maximum.reduceat(values * (last + 1) + last - np.arange(last + 1), lists.offsets[:-1]) % (last + 1)
