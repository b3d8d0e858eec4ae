r"""The hierarchical confusion matrix: which nodes of the true and the predicted path agree.

Conventions
-----------
`truth` and `predicted` are node numbers of shape (n_samples,) in a tree; each stands for its path from the root. Several
paths a sample, and graphs, are matched in `hierviz.metrics.multi_path`. The root is never counted. With T and P the two
paths and z their lowest common node,

    TP = T & P,  FP = P \ T,  FN = T \ P,
    TN = siblings of the nodes of TP that are not on T, and children of z on neither path.

So an early mistake has few true negatives, and going right near the top is rewarded. Nothing is truncated here: a
prediction below the truth has false positives. Data set counts are sums; measures are ratios of these sums.

Functions
---------
confusion, measures

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
.. [2] S. Kiritchenko et al., Learning and evaluation in the presence of class hierarchies, Canadian AI 2006.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierviz.metrics.path import _checked, harmonic_mean, ratio
from hierviz.taxonomy import Taxonomy

CELLS = ("tp", "tn", "fp", "fn")


@dataclass(frozen=True, eq=False)
class HierarchicalConfusion:
    """Hierarchical confusion of one predicted against one true path per sample.

    Attributes
    ----------
    taxonomy : Taxonomy
    truth, predicted : ndarray of int, shape (n_samples,)
    tp, tn, fp, fn : ndarray of int, shape (n_samples,)
        Numbers of nodes.
    """

    taxonomy: Taxonomy
    truth: np.ndarray
    predicted: np.ndarray
    tp: np.ndarray
    tn: np.ndarray
    fp: np.ndarray
    fn: np.ndarray

    @cached_property
    def counts(self):
        """Sums over samples, exact integers: {'tp':, 'tn':, 'fp':, 'fn':}."""
        return {cell: int(getattr(self, cell).sum()) for cell in CELLS}

    @cached_property
    def measures(self):
        """The measures of `measures` from the summed counts."""
        return measures(**self.counts)

    @cached_property
    def per_sample(self):
        """Per sample: the four counts and hierarchical precision, recall and F1 (``hp``, ``hr``, ``hf1``) in [0, 1].

        hp is 1 where nothing is predicted (the root), hr is 1 where the truth is the root [2]_.
        """
        hp, hr = ratio(self.tp, self.tp + self.fp), ratio(self.tp, self.tp + self.fn)
        return {**{cell: getattr(self, cell) for cell in CELLS}, "hp": hp, "hr": hr, "hf1": harmonic_mean(hp, hr)}

    def node_sets(self, row):
        """The nodes behind the four counts of one sample.

        Parameters
        ----------
        row : int

        Returns
        -------
        dict of str to ndarray of int
            ``tp``, ``tn``, ``fp``, ``fn``, each ascending.
        """
        taxonomy = self.taxonomy
        true, predicted = (taxonomy.path(node) for node in (self.truth[row], self.predicted[row]))
        tp = np.intersect1d(true, predicted)
        # Children of every common node: siblings of the nodes below it, or of nothing under the last one.
        near = taxonomy.children.take(tp).nodes
        return {
            "tp": tp[1:],
            "tn": np.setdiff1d(near, np.union1d(true, predicted)),
            "fp": np.setdiff1d(predicted, true),
            "fn": np.setdiff1d(true, predicted),
        }


def confusion(taxonomy, truth, predicted):
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
    has_lists = any(hasattr(one, "offsets") for one in (truth, predicted))
    if has_lists or not taxonomy.is_tree:
        from hierviz.metrics.multi_path import confusion_paths
        from hierviz.metrics.path_lists import PathLists

        if not isinstance(predicted, PathLists):
            predicted = PathLists.from_nodes(taxonomy, predicted)
        return confusion_paths(taxonomy, truth, predicted)
    truth, predicted = _checked(taxonomy, truth, predicted)
    common = taxonomy.lca(truth, predicted)
    depth = taxonomy.depth
    tp = depth[common]
    tn = _siblings_on_path(taxonomy)[common] + taxonomy.children.lengths[common]
    tn = tn - (truth != common) - (predicted != common)
    return HierarchicalConfusion(taxonomy, truth, predicted, tp, tn, depth[predicted] - tp, depth[truth] - tp)


def measures(tp, tn, fp, fn):
    """The measures of a confusion matrix from exact integers.

    Parameters
    ----------
    tp, tn, fp, fn : int

    Returns
    -------
    dict of str to float or None
        ``acc, ppv, tpr, fnr, fpr, tnr, pt, f1`` in [0, 1] and ``mcc`` in [-1, 1]; None where undefined (0/0).
    """
    tp, tn, fp, fn = int(tp), int(tn), int(fp), int(fn)
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    tpr, tnr = _over(tp, tp + fn), _over(tn, tn + fp)
    defined = tpr is not None and tnr is not None and tpr + tnr != 1
    return {
        "acc": _over(tp + tn, tp + tn + fp + fn),
        "ppv": _over(tp, tp + fp),
        "tpr": tpr,
        "fnr": _over(fn, tp + fn),
        "fpr": _over(fp, tn + fp),
        "tnr": tnr,
        "pt": (math.sqrt(tpr * (1 - tnr)) + tnr - 1) / (tpr + tnr - 1) if defined else None,
        "f1": _over(2 * tp, 2 * tp + fp + fn),
        "mcc": (tp * tn - fp * fn) / math.sqrt(product) if product else None,
    }


def _over(part, whole):
    return part / whole if whole else None


def _siblings_on_path(taxonomy):
    """Number of siblings of all nodes of the path to each node, shape (n_nodes,)."""
    total = np.zeros(taxonomy.n_nodes, dtype=np.intp)
    for level in taxonomy.levels[1:]:
        parent = taxonomy.parent[level]
        total[level] = total[parent] + taxonomy.children.lengths[parent] - 1
    return total
