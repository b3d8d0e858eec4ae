r"""Sets of nodes: closing them under ancestors, comparing them, and their information.

Conventions
-----------
The root is never counted: it is left out of every set. A set of a sample is a list of nodes in which order and
repetition play no part. In predicted lists -1 is a label outside the taxonomy, for example an empty field that was
kept; it is treated as a leaf directly under the root that is never true: one node, `log2(n_leaves)` bits, no
ancestors, and every such field is one more. With a weight w of nodes,

    shared = w(aug(H) & Y),  claimed = w(aug(H)),  due = w(Y),

where Y is the truth and aug(H) the prediction, both with all ancestors. The weight is 1 (``"nodes"``) or the
information of a node beyond its parent in bits (``"information"``, trees only), so that the sum over a set that is
closed under ancestors is the information of the set [1]_.

`p` has shape (n_samples, n_nodes). "Closed", "augmented" and "pruned" mean the same on graphs: a node
needs all its ancestors.

Functions
---------
closed_lists, most_specific, set_overlap, set_scores, node_weights, highest_below

References
----------
.. [1] R. Plaud, M. Labeau, A. Saillenfest, T. Bonald, Revisiting hierarchical text classification: inference and
       metrics, CoNLL 2024.
"""

from __future__ import annotations

import numpy as np

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.node_pairs import ratio, with_outside
from hierviz.metrics.path import check_nodes
from hierviz.taxonomy.node_lists import distinct, is_member
from hierviz.taxonomy.taxonomy import NodeLists
from hierviz.taxonomy.tree_sums import accumulate_down

# Work arrays hold about this many values (4 MB of float64), so that they stay in the processor's cache.
WORK_VALUES = 1 << 19


def closed_lists(taxonomy, nodes):
    """Each list with all ancestors of its nodes: ascending, every node once, without the root.

    Parameters
    ----------
    taxonomy : Taxonomy
    nodes : NodeLists, or ndarray of int, shape (n_samples,)
        Lists, or one node a sample.

    Returns
    -------
    NodeLists

    Raises
    ------
    PredictionsError
        If a value is not a node number; -1 is none here.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> closed_lists(taxonomy, taxonomy.nodes("cat", "newt", "animal")).nodes
    array([1, 2, 4])
    """
    row, node = np.divmod(truth_keys(taxonomy, nodes), taxonomy.n_nodes)
    return NodeLists.of_pairs(row, node, len(nodes))


def most_specific(taxonomy, nodes):
    """Each list without the nodes that have a descendant in it.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    nodes : NodeLists
        -1, a label outside the taxonomy, stays.

    Returns
    -------
    NodeLists
        In the order of the lists.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> lists = NodeLists.from_lists([taxonomy.nodes("mammal", "cat", "newt"), taxonomy.nodes("mammal")])
    >>> most_specific(taxonomy, lists).nodes
    array([2, 4, 1])
    """
    row = nodes.rows
    known = nodes.nodes >= 0
    keys = row * taxonomy.n_nodes + nodes.nodes
    different, place = np.unique(nodes.nodes[known], return_inverse=True)
    up = taxonomy.ancestors(different).take(place)
    is_above = up.nodes != np.repeat(nodes.nodes[known], up.lengths)
    above = distinct((np.repeat(row[known], up.lengths) * taxonomy.n_nodes + up.nodes)[is_above])
    kept = ~known | ~is_member(keys, above)
    return nodes.only(kept)


def node_weights(taxonomy, weight="nodes"):
    """What one node counts: 1, or its information beyond its parent in bits; 0 at the root. Shape (n_nodes,).

    Raises
    ------
    TaxonomyError
        If `weight` is ``"information"`` and the taxonomy is not a tree.
    """
    if weight == "nodes":
        weights = np.ones(taxonomy.n_nodes)
    elif weight == "information":
        taxonomy.require_tree("information of sets of nodes")
        # The quotient of equal numbers is exactly 1: an only child weighs exactly 0.
        weights = np.log2(taxonomy.n_leaves_below[taxonomy.parent] / taxonomy.n_leaves_below)
    else:
        raise PredictionsError(f"weight: expected 'nodes' or 'information', got {weight!r}. Choose one.")
    weights[0] = 0
    return weights


def closed_once(taxonomy, truth):
    """`closed_lists` of the different true nodes, or of all lists, and how many samples have each, shape (n_lists,) of int."""
    if isinstance(truth, NodeLists):
        return closed_lists(taxonomy, truth), np.ones(len(truth), dtype=np.intp)
    check_nodes(taxonomy, "truth", truth)
    count = np.bincount(truth, minlength=taxonomy.n_nodes)
    nodes = np.flatnonzero(count)
    return closed_lists(taxonomy, nodes), count[nodes]


def corpus_weights(taxonomy, truth):
    """Information of each node in the true classes of all samples, beyond that of its parent, for ICM; trees only.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,), or NodeLists
        Of all samples; ancestors are added.

    Returns
    -------
    weights : ndarray of float, shape (n_nodes,)
        log2(n(parent) / n(node)) bits, with n the samples of a node, 1 for one that has none; 0 at the root.
    outside : float
        Of a predicted label outside the taxonomy, which no sample has: log2(n_samples).
    """
    n, (closed, n_of) = len(truth), closed_once(taxonomy, truth)
    count = np.bincount(closed.nodes, n_of[closed.rows], taxonomy.n_nodes).astype(np.int64)
    count = np.maximum(count, 1)
    count[0] = max(n, 1)
    weights = np.log2(count[taxonomy.parent] / count)
    weights[0] = 0
    return weights, float(np.log2(max(n, 1)))


def outside_weight(taxonomy, weight="nodes"):
    """What one predicted label outside the taxonomy counts: 1, or the bits of a leaf."""
    return 1.0 if weight == "nodes" else float(np.log2(taxonomy.n_leaves))


def set_overlap(taxonomy, truth, predicted, weight="nodes"):
    """What prediction and truth share, what the prediction claims and what was due, of every sample.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : NodeLists, or ndarray of int, shape (n_samples,)
    predicted : NodeLists, length n_samples
        Augmented with ancestors here; -1 is a label outside the taxonomy.
    weight : 'nodes' or 'information'

    Returns
    -------
    shared, claimed, due : ndarray of float, shape (n_samples,)
        Nodes or bits.
    """
    same_length(truth, predicted)
    n, weights = len(predicted), node_weights(taxonomy, weight)
    if taxonomy.is_tree and isinstance(truth, np.ndarray) and (predicted.lengths == 1).all():
        # Of one node a sample the nodes above it are one path.
        check_nodes(taxonomy, "predicted", predicted.nodes, lowest=-1)
        check_nodes(taxonomy, "truth", truth)
        common = lowest_common_ancestors(taxonomy, truth, predicted.nodes)
        above = accumulate_down(taxonomy, weights[None], np.add)[0]
        return above[common], with_outside(above, outside_weight(taxonomy, weight))[predicted.nodes], above[truth]
    keys, outside = predicted_keys(taxonomy, predicted)
    keys, true = closed_keys(taxonomy, keys), truth_keys(taxonomy, truth)

    def total(some):
        row, node = np.divmod(some, taxonomy.n_nodes)
        return np.bincount(row, weights[node], minlength=n)

    return total(true[is_member(true, keys)]), total(keys) + outside * outside_weight(taxonomy, weight), total(true)


def set_scores(shared, claimed, due, empty=1.0):
    """Precision, recall and F1 of every sample from what is shared, claimed and due.

    Parameters
    ----------
    shared, claimed, due : ndarray of float, shape (n_samples,)
    empty : float
        Precision where nothing is claimed: 1, as at the start of the precision-recall curve, or 0, as in scikit-learn.

    Returns
    -------
    precision, recall, f1 : ndarray of float, shape (n_samples,)
        In [0, 1], dimensionless, higher is better. Recall is 1 where nothing is due. F1 is 0 where nothing is claimed,
        whatever `empty` is.
    """
    f1 = ratio(2 * shared, claimed + due, empty=0.0)
    return ratio(shared, claimed, empty), ratio(shared, due), f1


# Scores ----------------------------------------------------------------------------------------------------------------


def highest_below(taxonomy, p):
    """The largest p among a node and its descendants, shape (n_samples, n_nodes), a new array.

    Thresholding it gives the thresholded set with all ancestors added.
    """
    p = np.array(p, dtype=np.float64)
    for nodes, start, parents in reversed(taxonomy.families if taxonomy.is_tree else _families(taxonomy, "parent")):
        p[:, parents] = np.maximum(p[:, parents], np.maximum.reduceat(p[:, nodes], start, axis=1))
    return p


def complete_below(taxonomy, inside):
    """Which nodes are inside together with all their ancestors; `inside` is bool, shape (n_samples, n_nodes)."""
    values = inside.copy()
    values[:, 0] = True
    if taxonomy.is_tree:
        for nodes, _, _ in taxonomy.families:
            values[:, nodes] = np.minimum(values[:, nodes], values[:, taxonomy.parent[nodes]])
    else:
        for parents, start, nodes in _families(taxonomy, "child"):
            values[:, nodes] = np.minimum(values[:, nodes], np.minimum.reduceat(values[:, parents], start, axis=1))
    values[:, 0] = inside[:, 0]
    return values


def _families(taxonomy, near):
    """`Taxonomy.families` of a graph: per level from the root down (far ends of edges, start of each group, near ends).

    Edges are grouped by their near end, 'parent' or 'child'. Levels are longest paths, so that all edges into a node
    are done before its value is used.
    """
    parent, child = taxonomy.edges.T
    level, before = np.zeros(taxonomy.n_nodes, dtype=np.intp), None
    while before is None or (level != before).any():
        before = level.copy()
        np.maximum.at(level, child, before[parent] + 1)
    near, far = (parent, child) if near == "parent" else (child, parent)
    order = np.lexsort((near, level[near]))
    near, far = near[order], far[order]
    families = []
    for here in np.split(np.arange(len(near)), np.flatnonzero(np.diff(level[near])) + 1):
        start = np.flatnonzero(np.diff(near[here], prepend=-1))
        families.append((far[here], start, near[here][start]))
    return families


def above(p, threshold):
    """Which nodes but the root have p > threshold, shape of p. Compared in float64, also where p is float32."""
    inside = np.asarray(p, dtype=np.float64) > threshold
    inside[:, 0] = False
    return inside


# Keys: row * n_nodes + node, ascending, every one once -------------------------------------------------------------------


def predicted_keys(taxonomy, predicted):
    """Keys of the predicted nodes, and how many labels outside the taxonomy every sample has, shape (n_samples,)."""
    if not isinstance(predicted, NodeLists):
        raise PredictionsError(
            f"predicted: expected NodeLists, got {type(predicted).__name__}. Truth comes before predictions."
        )
    row = predicted.rows
    check_nodes(taxonomy, "predicted", predicted.nodes, lowest=-1)
    inside = predicted.nodes > 0
    outside = np.bincount(row[predicted.nodes < 0], minlength=len(predicted))
    return distinct(row[inside] * taxonomy.n_nodes + predicted.nodes[inside]), outside


def own_keys(taxonomy, nodes):
    """Keys of nodes alone, the root too and -1 left out; `nodes` is one node a sample or NodeLists."""
    if not isinstance(nodes, NodeLists):
        return np.flatnonzero(nodes >= 0) * taxonomy.n_nodes + nodes[nodes >= 0]
    return distinct((nodes.rows * taxonomy.n_nodes + nodes.nodes)[nodes.nodes >= 0])


def truth_keys(taxonomy, truth):
    """Keys of the true nodes with all their ancestors; `truth` is one node a sample or NodeLists."""
    truth = NodeLists.of(truth)
    row = truth.rows
    check_nodes(taxonomy, "truth", truth.nodes)
    return closed_keys(taxonomy, row * taxonomy.n_nodes + truth.nodes.astype(np.intp))


def closed_keys(taxonomy, keys):
    """Keys of the nodes of `keys` and all their ancestors, without the root."""
    row, node = np.divmod(keys, taxonomy.n_nodes)
    different, place = np.unique(node, return_inverse=True)
    lists = taxonomy.ancestors(different).take(place)
    all_keys = np.repeat(row, lists.lengths) * taxonomy.n_nodes + lists.nodes
    return distinct(all_keys[lists.nodes > 0])


def valid_keys(taxonomy, keys):
    """Those of the `keys` of whose nodes all ancestors are there too."""
    # As many of a node's ancestors are predicted as it has.
    row, node = np.divmod(keys, taxonomy.n_nodes)
    different, place = np.unique(node, return_inverse=True)
    lists = taxonomy.ancestors(different).take(place)
    present = is_member(np.repeat(row, lists.lengths) * taxonomy.n_nodes + lists.nodes, keys) | (lists.nodes == 0)
    return keys[np.logical_and.reduceat(present, lists.offsets[:-1])]


def rows_of(keys, start, stop, n_nodes):
    """The keys of rows start..stop-1, counted from `start`."""
    first, last = np.searchsorted(keys, [start * n_nodes, stop * n_nodes])
    return keys[first:last] - start * n_nodes


def work_blocks(n_rows, n_nodes):
    """Slices of rows, each about `WORK_VALUES` values."""
    step = max(1, WORK_VALUES // n_nodes)
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def same_length(truth, predicted):
    """Raise a PredictionsError unless there are as many predictions as truths."""
    if len(predicted) != len(truth):
        raise PredictionsError(
            f"truth: expected {len(predicted)} values (one per prediction), got {len(truth)}. Align the rows."
        )
