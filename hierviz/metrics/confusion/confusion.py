r"""The hierarchical confusion matrix: which nodes of the true and the predicted path agree.

Conventions
-----------
`truth` and `predicted` are node numbers of shape (n_samples,) in a tree; each stands for its path from the root. Several
paths a sample, and graphs, are matched in `hierviz.metrics.confusion.multi_path`. The root is never counted. With T and P the two
paths and z their lowest common node,

    TP = T & P,  FP = P \ T,  FN = T \ P,
    TN = siblings of the nodes of TP that are not on T, and children of z on neither path.

So an early mistake has few true negatives, and going right near the top is rewarded. Nothing is truncated here: a
prediction below the truth has false positives. Data set counts are sums; measures are ratios of these sums.

Functions
---------
confusion; the class it returns and `measures` stand in `hierviz.metrics.confusion.confusion_counts`

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
.. [2] S. Kiritchenko et al., Learning and evaluation in the presence of class hierarchies, Canadian AI 2006.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hierviz.metrics.confusion.confusion_counts import CELLS, HierarchicalConfusion, measures
from hierviz.metrics.confusion.multi_path import confusion_paths
from hierviz.metrics.confusion.pair_counts import count_in_tree
from hierviz.metrics.confusion.path_lists import PathLists
from hierviz.metrics.path import check_nodes, checked_nodes
from hierviz.taxonomy.checks import check_taxonomy, one_each
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

__all__ = ["CELLS", "HierarchicalConfusion", "confusion", "measures"]


def confusion(
    taxonomy: Taxonomy, truth: ArrayLike | NodeLists, predicted: ArrayLike | NodeLists | PathLists
) -> HierarchicalConfusion:
    """Hierarchical confusion of predicted nodes against true nodes, each standing for its path.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    truth, predicted : ndarray of int, shape (n_samples,), or NodeLists
        Node numbers; inner nodes and the root (nothing predicted) are allowed. `predicted` may also be PathLists. No
        truncation, and no cover: every node of a list is a path of its own. In a graph a predicted node stands for its
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
