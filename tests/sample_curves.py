"""Curves of single samples point by point, and bits of sets, which published examples give and the package does not need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.sets.node_sets import (
    highest_below,
    node_weights,
    rows_of,
    same_length,
    truth_keys,
    work_blocks,
)
from hierviz.metrics.sets.set_curves import SetMetricsByThreshold, block_areas
from hierviz.taxonomy.checks import check_truth_first, checked_probabilities
from hierviz.taxonomy.taxonomy import NodeLists


@dataclass(frozen=True, eq=False)
class SampleCurve:
    """Precision over recall of one sample, for every threshold.

    Attributes
    ----------
    threshold : ndarray of float, shape (n_points,)
        Descending; nan at the first point, where nothing is predicted. A point is the set {score >= threshold}.
    size : ndarray of int, shape (n_points,)
        Nodes of the set, also where bits are counted.
    precision, recall : ndarray of float, shape (n_points,)
        In [0, 1]; recall ascends from 0 to 1.
    order : ndarray of int
        Nodes in the order in which they enter: the set of point j is ``order[:size[j]]``.
    """

    threshold: np.ndarray
    size: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    order: np.ndarray

    @property
    def area(self):
        """Area under the curve in [0, 1], higher is better."""
        return float(np.trapezoid(self.precision, self.recall))


def sample_curve(taxonomy, truth, p, *, weight="nodes", augmented=True):
    """The curve of one sample, for a picture.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : int or sequence of int
        True node or nodes; ancestors are added.
    p : ndarray of float, shape (n_nodes,)
    weight : 'nodes' or 'information'
        Count nodes (hF1) or bits (ihF1; trees only).
    augmented : bool
        Add the ancestors of predicted nodes.

    Returns
    -------
    SampleCurve
        With the first point only when the truth has no weight.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> curve = sample_curve(taxonomy, taxonomy.node("cat"), np.array([1, 0.75, 0.25, 0.5, 0.25]))
    >>> curve.recall, curve.precision, curve.area
    (array([0. , 0.5, 0.5, 1. ]), array([1. , 1. , 0.5, 0.5]), 0.75)
    """
    check_truth_first(truth, is_one_sample=True)
    p = checked_probabilities(taxonomy, np.asarray(p, dtype=np.float64)[None])
    weights = node_weights(taxonomy, weight)
    true = np.zeros(taxonomy.n_nodes, dtype=bool)
    true[truth_keys(taxonomy, NodeLists.from_lists([np.atleast_1d(truth)]))] = True
    scores = (highest_below(taxonomy, p) if augmented else p)[0]
    order = np.argsort(-scores[1:], kind="stable") + 1
    scores, weights, hit = scores[order], weights[order], true[order]
    is_last = np.append(np.diff(scores) != 0, True)
    ends = np.flatnonzero(is_last)
    shared, claimed = np.cumsum(weights * hit), np.cumsum(weights)
    # Recall is 1 at the last node that counts, so the sets end there; what follows adds nothing true.
    counting = np.flatnonzero(hit & (weights > 0))
    last = np.searchsorted(ends, counting[-1]) if len(counting) else -1
    ends = ends[: last + 1]
    recall, precision = ratio(shared[ends], shared[-1]), np.minimum(ratio(shared[ends], claimed[ends]), 1)
    return SampleCurve(
        np.concatenate([[np.nan], scores[ends]]),
        np.concatenate([[0], ends + 1]),
        np.concatenate([[1.0], precision]),
        np.concatenate([[0.0], recall]),
        order,
    )


def curve_areas(taxonomy, truth, p):
    """Areas under the precision-recall curves of every sample.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : ndarray of int, shape (n_samples,), or NodeLists
        Ancestors are added.
    p : ndarray of float, shape (n_samples, n_nodes)
        In [0, 1]; need not be coherent. Worked on in blocks of rows.

    Returns
    -------
    dict of str to ndarray of float, shape (n_samples,)
        ``hf1_auc``, ``hf1_auc_raw`` and on trees ``ihf1_auc``; in [0, 1], dimensionless, higher is better; nan where
        there is nothing to find.
    """
    check_truth_first(truth)
    p = checked_probabilities(taxonomy, p)
    same_length(truth, p)
    keys, n = truth_keys(taxonomy, truth), taxonomy.n_nodes
    blocks = [
        block_areas(taxonomy, p[rows], highest_below(taxonomy, p[rows]), rows_of(keys, rows.start, rows.stop, n))
        for rows in work_blocks(len(p), n)
    ]
    names = ("hf1_auc", "hf1_auc_raw") + (("ihf1_auc",) if taxonomy.is_tree else ())
    return {name: np.concatenate([block[name] for block in blocks] or [np.empty(0)]) for name in names}


def set_metrics_by_threshold(taxonomy, truth, p, thresholds):
    """`SetMetricsByThreshold.table` of one array of node probabilities, shape (n_samples, n_nodes)."""
    points = SetMetricsByThreshold(taxonomy, thresholds)
    points.add(truth, p)
    return points.table()


def set_information(taxonomy, nodes):
    r"""Information of each set in bits, shape (n_samples,): leaves and lists as in `closed_lists`; trees only.

    Notes
    -----
    .. math:: I(\\{y_1, \\dots, y_n\\}) = I(y_1) + I(\\{y_2, \\dots\\}) - I(\\{\\mathrm{lca}(y_1, y_i), i \\ge 2\\})

    which is the sum of :math:`I(y) - I(\\mathrm{parent}(y))` over the nodes and their ancestors, so order plays no part.
    """
    keys = truth_keys(taxonomy, nodes)
    row, node = np.divmod(keys, taxonomy.n_nodes)
    return np.bincount(row, node_weights(taxonomy, "information")[node], minlength=len(nodes))
