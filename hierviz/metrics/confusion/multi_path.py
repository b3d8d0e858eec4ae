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

Functions
---------
confusion, confusion_paths; what they return is in `hierviz.metrics.confusion.confusion_counts`

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
from hierviz.metrics.confusion.path_lists import PathLists, without_repeats
from hierviz.metrics.path import check_nodes, checked_nodes
from hierviz.taxonomy.checks import check_taxonomy, one_each
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
    tp, tn, fn = count_in_tree(taxonomy, true, answer)
    return HierarchicalConfusion(taxonomy, true, answer, tp, tn, taxonomy.depth[answer] - tp, fn)
