r"""The hierarchical confusion matrix of several predicted paths against several true labels, in trees and graphs.

Conventions
-----------
Per sample: `truth`, an ordered list of nodes (repeats dropped), and `predicted`, an ordered list of paths from the root.
The root is never counted. `metrics.confusion.pair_counts` defines which paths form a pair
and what a pair counts; `metrics.confusion.confusion_counts` shows the pairs of one sample.

Where the reference implementation [1]_ stops or guesses, we do this: a true label outside the taxonomy, a path that does
not start at the root and one that skips a level are errors; a sample without any path is an error here and the root-only
path in `PathLists.from_lists`, `PathLists.from_nodes` and `greedy_cover`.

Of one path each in a tree, `truth` and `predicted` are node numbers of shape (n_samples,); each means its path from
the root. With T and P the two paths and z their lowest common node,

    TP = T & P,  FP = P \ T,  FN = T \ P,
    TN = siblings of the nodes of TP that are not on T, and children of z on neither path.

So an early mistake has few true negatives, and going right near the top is rewarded. Nothing is truncated here: a
prediction below the truth has false positives. Data set counts are sums; measures are ratios of these sums.

Labels that are no paths become paths by the greedy cover with which published results on label lists were computed
([1]_, case study GermEval 2019, task 1b). The labels of a sample are an ordered list of nodes, as in the file; the order
decides ties.

Functions
---------
confusion, confusion_paths, greedy_cover; what the first two return is in `hierviz.metrics.confusion.confusion_counts`

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError, listed
from hierviz.metrics.confusion.confusion_counts import (
    CELLS,
    HierarchicalConfusion,
    PathConfusion,
)
from hierviz.metrics.confusion.pair_counts import count, count_in_tree, match
from hierviz.metrics.confusion.path_lists import (
    PathLists,
    Towards,
    edges_up,
    first_of,
    follow,
    grouped,
    without_repeats,
)
from hierviz.metrics.node_pairs import with_outside
from hierviz.metrics.path import check_nodes, checked_nodes
from hierviz.taxonomy.checks import check_taxonomy, one_each
from hierviz.taxonomy.node_lists import distinct, is_member, offsets_of
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

# Neighbours in a graph are counted for so many of them at once (32 MB an array).
BLOCK_VALUES = 4_000_000


def confusion_paths(taxonomy, truth, predicted):
    """Hierarchical confusion of several predicted paths against several true labels per sample.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    truth : NodeLists, or ndarray of int, shape (n_samples,)
        True labels in the order of the source, leaves or inner nodes. None at all is allowed.
    predicted : PathLists
        At least one path a sample; the root-only path is no prediction. Nothing is truncated or covered here.

    Returns
    -------
    PathConfusion

    Raises
    ------
    PredictionsError
        If the lengths differ, a truth is not a node number, a sample has no path, or a path is none.

    Notes
    -----
    The work is done on the different (path, truth) combinations and, for the matching, in rounds: the first path of all
    samples, then the second. Time and memory grow with the number of path-truth pairs within samples.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> found = confusion_paths(taxonomy, NodeLists.from_lists([[2, 4]]), PathLists.from_lists([[[0, 1, 3], [0, 1]]]))
    >>> found.counts
    {'tp': 1, 'tn': 1, 'fp': 2, 'fn': 2}
    >>> [(pair.predicted.tolist(), pair.true.tolist()) for pair in found.pairs(0).pairs]
    [([0, 1, 3], [0, 1, 2]), ([0, 1], [0, 4])]
    """
    if len(truth) != len(predicted):
        raise PredictionsError(
            f"truth and predicted: expected as many samples in both, got {len(truth)} and {len(predicted)}. Align them."
        )
    truth = checked_truth(taxonomy, truth)
    predicted.check(taxonomy)
    turn, taken = match(taxonomy, truth, predicted)
    counts = count(taxonomy, truth, predicted, taken, BLOCK_VALUES)
    return PathConfusion(taxonomy, truth, predicted, *(counts[cell] for cell in CELLS), turn, taken)


def checked_truth(taxonomy, truth):
    """NodeLists of the truths, each once; a PredictionsError where one is no node number."""
    truth = NodeLists.of(truth)
    nodes = truth.nodes
    if len(nodes) and (
        not np.issubdtype(nodes.dtype, np.integer) or nodes.min() < 0 or nodes.max() >= taxonomy.n_nodes
    ):
        bad = nodes[(nodes < 0) | (nodes >= taxonomy.n_nodes)]
        raise PredictionsError(
            f"truth: expected node numbers from 0 to {taxonomy.n_nodes - 1}, got {listed(bad.tolist()) or nodes.dtype}. "
            "Use Taxonomy.nodes to look names up."
        )
    return without_repeats(truth)


def confusion(
    taxonomy: Taxonomy, truth: ArrayLike | NodeLists, predicted: ArrayLike | NodeLists | PathLists
) -> HierarchicalConfusion:
    """Hierarchical confusion of predicted nodes against true nodes, each with its path.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    truth, predicted : ndarray of int, shape (n_samples,), or NodeLists
        Node numbers; inner nodes and the root (nothing predicted) are allowed. `predicted` may also be PathLists. No
        truncation, and no cover: every node of a list is a path of its own. In a graph a predicted node means its
        first path in depth-first order.

    Returns
    -------
    HierarchicalConfusion
        A PathConfusion, which knows the matched pairs, for lists and on graphs.

    Raises
    ------
    PredictionsError
        If the lengths differ or a value is not a node number.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> confusion(taxonomy, taxonomy.nodes("cat"), taxonomy.nodes("dog")).counts
    {'tp': 1, 'tn': 1, 'fp': 1, 'fn': 1}
    """
    check_taxonomy(taxonomy)
    has_lists = any(hasattr(nodes, "offsets") for nodes in (truth, predicted))
    if has_lists or not taxonomy.is_tree:
        if not isinstance(predicted, PathLists):
            # A predicted label outside the taxonomy is -1.
            numbers = predicted.nodes if isinstance(predicted, NodeLists) else one_each("predicted", predicted)
            check_nodes(taxonomy, "predicted", np.maximum(numbers, 0) if numbers.dtype.kind in "iu" else numbers)
            predicted = PathLists.from_nodes(taxonomy, predicted)
        return confusion_paths(taxonomy, truth, predicted)
    true, answer = checked_nodes(taxonomy, truth, predicted)
    # What lies outside the taxonomy is one node below the root.
    tp, tn, fn = count_in_tree(taxonomy, true, np.maximum(answer, 0))
    return HierarchicalConfusion(taxonomy, true, answer, tp, tn, with_outside(taxonomy.depth, 1)[answer] - tp, fn)


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
    row = labels.rows
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
        row_of = left.rows
        on_path = np.sort(np.repeat(np.arange(len(left)), fullest.lengths) * n_nodes + fullest.nodes)
        is_open &= ~is_member(row_of * n_nodes + left.nodes, on_path)
        going = np.bincount(row_of[is_open], minlength=len(left)) > 0
        open_rows, left, is_open = open_rows[going], left.take(np.flatnonzero(going)), is_open[going[row_of]]
    unknown = row[labels.nodes == -1]
    keep(unknown, NodeLists(np.arange(len(unknown) + 1) * 2, np.tile([0, -1], len(unknown))))
    empty = np.flatnonzero(np.bincount(np.concatenate(rows), minlength=n) == 0)
    keep(empty, NodeLists(np.arange(len(empty) + 1), np.zeros(len(empty), np.intp)))

    rows, lengths = np.concatenate(rows), np.concatenate(lengths)
    paths = NodeLists(offsets_of(lengths), np.concatenate(paths).astype(np.intp))
    order = grouped(rows, np.arange(len(rows)), n)
    return PathLists.from_paths(order.offsets, paths.take(order.nodes))


def _fullest_paths(taxonomy, labels, is_open):
    """Per sample the first of the paths to its labels that go through most open labels, as NodeLists."""
    n_nodes = taxonomy.n_nodes
    row = labels.rows
    targets, target = np.unique(labels.nodes, return_inverse=True)
    up = Towards(taxonomy, targets)
    above = up.above.take(target)
    if taxonomy.is_tree:
        keys = np.sort(row[is_open] * n_nodes + labels.nodes[is_open])
        held = is_member(np.repeat(row, above.lengths) * n_nodes + above.nodes, keys)
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
