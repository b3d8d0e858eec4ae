r"""The best constant answers, which a model must beat: that of the highest F1, and that of the highest MCC.

Conventions
-----------
Always answering node v claims the path q from the root to v. Let below(u) be the samples with a truth at or below u, at(u)
those with the truth u, ch(u) the number of children, and, for w on q with the next node w' of q,
m(w) = below(w) - below(w') (m(v) = below(v)) the samples whose path parts from q at w. In a tree, summed over samples,

    TP = sum over u on q, the root left out, of below(u),  FP = n depth(v) - TP,  FN = sum of the depths of all truths - TP,
    TN = sum over u on q, the root left out, of below(u) (ch(parent of u) - 1)
       + sum over w on q of m(w) ch(w) - m(w) [w is not v] - (m(w) - at(w)).

So the counts of all nodes follow from one pass down the tree. This needs samples of which no truth is above another one, as
the greedy cover gives them; elsewhere, and in graphs, every node is tried.

Functions
---------
best_constant_path, n_best_constants, constant_counts, counts_of_all

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
"""

from __future__ import annotations

import numpy as np

from hierviz.metrics.confusion.confusion_counts import CELLS, HierarchicalConfusion
from hierviz.metrics.confusion.multi_path import checked_truth, confusion, confusion_paths
from hierviz.metrics.confusion.path_lists import PathLists, Towards
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.registry import METRICS
from hierviz.taxonomy.node_lists import distinct, is_member

# Nodes of a graph, where the counts have no closed form.
MOST_TRIED = 300


def best_constant_path(taxonomy, truth, key="f1"):
    """The one path that, always predicted, has the highest F1 or MCC: what a model must beat.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph; in a graph each node is tried with its first path in depth-first order.
    truth : NodeLists, or ndarray of int, shape (n_samples,)
    key : str
        'f1' or 'mcc'.

    Returns
    -------
    node : int
        The end of that path; the lowest node number on ties, and the root where no constant answer has an MCC.
    HierarchicalConfusion
        Of predicting it for every sample. By MCC both are None where more than `MOST_TRIED` nodes would have to be tried one
        by one.
    """
    truth = checked_truth(taxonomy, truth)
    counts = constant_counts(taxonomy, truth) if key == "f1" else counts_of_all(taxonomy, truth)
    if counts is not None:
        node = int(np.argmax(_VALUES[key](counts)))
        return node, always(taxonomy, truth, node)
    return _highest_f1(taxonomy, truth) if key == "f1" else (None, None)


def _highest_f1(taxonomy, truth):
    """As `best_constant_path`, where the counts have no closed form.

    TP of a constant path are, summed over its nodes, the samples with a truth at or below the node. TP + FN is at least
    the sum of the shortest paths to all truths, and equal to it in a tree. In a graph this bounds F1 from above, and only
    nodes whose bound reaches the best F1 found so far are tried.
    """
    n, below = len(truth), samples_below(taxonomy, truth)
    below[0] = 0
    candidates = np.append(0, np.flatnonzero(below))
    paths = Towards(taxonomy, candidates).first_paths()
    hits = np.add.reduceat(below[paths.nodes], paths.offsets[:-1])
    claimed = n * (paths.lengths - 1)
    bound = ratio(2 * hits, claimed + int(taxonomy.depth[truth.nodes].sum()), empty=0.0)
    best = None
    for place in np.argsort(-bound, kind="stable").tolist():
        if best is not None and (taxonomy.is_tree or bound[place] < best[0]):
            break
        node = int(candidates[place])
        matched = always(taxonomy, truth, node)
        f1 = matched.measures["f1"] or 0.0
        if best is None or (f1, -node) > (best[0], -best[1]):
            best = f1, node, matched
    return best[1], best[2]


def n_best_constants(taxonomy, truth):
    """How many nodes of a tree have the best F1 as constant answers to one truth a sample."""
    f1 = _f1(constant_counts(taxonomy, checked_truth(taxonomy, truth)))
    return int((f1 == f1.max()).sum())


def _f1(counts):
    return np.nan_to_num(METRICS["f1"].made.of(counts), nan=0.0)


def _mcc(counts):
    tp, tn, fp, fn = (counts[cell] for cell in CELLS)
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(product > 0, (tp * tn - fp * fn) / np.sqrt(product), -np.inf)


# What ranks constant answers; -inf where undefined.
_VALUES = {"f1": _f1, "mcc": _mcc}


def constant_counts(taxonomy, truth):
    """TP, TN, FP and FN of always answering each node.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : NodeLists
        Without repeats.

    Returns
    -------
    dict of str to ndarray of float, shape (n_nodes,), or None
        None for graphs, and where one truth of a sample is above another one.
    """
    if not taxonomy.is_tree or _has_nested(taxonomy, truth):
        return None
    n = len(truth)
    below = samples_below(taxonomy, truth).astype(float)
    below[0] = n
    at = np.bincount(truth.nodes, minlength=taxonomy.n_nodes).astype(float)
    children = taxonomy.children.lengths.astype(float)
    tp, passed = np.zeros(taxonomy.n_nodes), np.zeros(taxonomy.n_nodes)
    for level in taxonomy.levels[1:]:
        above = taxonomy.parent[level]
        tp[level] = tp[above] + below[level]
        parting = below[above] - below[level]
        missed = parting * (children[above] - 1) - (parting - at[above])
        passed[level] = passed[above] + below[level] * (children[above] - 1) + missed
    tn = passed + below * children - (below - at)
    due = float(taxonomy.depth[truth.nodes].sum())
    return {"tp": tp, "tn": tn, "fp": n * taxonomy.depth - tp, "fn": due - tp}


def counts_of_all(taxonomy, truth):
    """`constant_counts`, found by trying where they have no closed form; None of more than `MOST_TRIED` nodes then."""
    counts = constant_counts(taxonomy, truth)
    if counts is None and taxonomy.n_nodes <= MOST_TRIED:
        tried = [always(taxonomy, truth, node).counts for node in range(taxonomy.n_nodes)]
        counts = {cell: np.array([of_node[cell] for of_node in tried], dtype=float) for cell in CELLS}
    return counts


def always(taxonomy, truth, node):
    """HierarchicalConfusion of predicting the first path to one node for every sample; `truth` is NodeLists."""
    n = len(truth)
    if taxonomy.is_tree and (truth.lengths == 1).all():
        targets, target = _different(taxonomy, truth.nodes)
        counted = confusion(taxonomy, targets, np.full(len(targets), node))
        counts = (getattr(counted, cell)[target] for cell in CELLS)
        return HierarchicalConfusion(taxonomy, truth.nodes, np.full(n, node), *counts)
    path = Towards(taxonomy, np.array([node])).first_paths()
    return confusion_paths(taxonomy, truth, PathLists(np.arange(n + 1), np.zeros(n, dtype=np.intp), path))


def samples_below(taxonomy, truth):
    """Number of samples with a truth at or below each node, shape (n_nodes,)."""
    n_nodes = taxonomy.n_nodes
    targets, target = _different(taxonomy, truth.nodes)
    above = Towards(taxonomy, targets).above
    row = truth.rows
    is_alone = truth.lengths[row] == 1
    n_alone = np.repeat(np.bincount(target[is_alone], minlength=len(targets)), above.lengths)
    total = np.zeros(n_nodes, dtype=np.intp)
    np.add.at(total, above.nodes, n_alone)
    # With several truths, what lies above two of them counts once.
    row, above = row[~is_alone], above.take(target[~is_alone])
    return total + np.bincount(
        distinct(np.repeat(row, above.lengths) * n_nodes + above.nodes) % n_nodes, minlength=n_nodes
    )


def _different(taxonomy, nodes):
    """The different ones of some nodes, ascending, and the place of each node among them; without sorting them."""
    is_there = np.zeros(taxonomy.n_nodes, dtype=bool)
    is_there[nodes] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[nodes]


def _has_nested(taxonomy, truth):
    """True where a sample has a truth above another of its truths."""
    row = truth.rows
    several = np.flatnonzero(truth.lengths[row] > 1)
    if not len(several):
        return False
    above = taxonomy.ancestors(truth.nodes[several])
    key = np.repeat(row[several], above.lengths) * taxonomy.n_nodes + above.nodes
    is_strict = above.nodes != np.repeat(truth.nodes[several], above.lengths)
    own = row[several] * taxonomy.n_nodes + truth.nodes[several]
    return bool(is_member(key[is_strict], np.sort(own)).any())
