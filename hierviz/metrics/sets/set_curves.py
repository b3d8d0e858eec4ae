r"""Precision and recall of the predicted set over all thresholds, per sample, and the area under that curve.

Conventions
-----------
One curve per sample: it starts at recall 0 and precision 1 (nothing predicted); then, for the distinct scores of the
sample in descending order, the set {score >= threshold}, so that equal scores enter together; it stops at the first set
with recall 1, which threshold 0 reaches at the latest. The area is the trapezoid over recall; precision is not made
monotone. The figure for a data set is the mean of the areas, not the area of a mean curve [1]_ (their code; the paper
says "all possible thresholds").

Sets are augmented with ancestors, which is the curve of the scores `highest_below`; the authors' code leaves that out
(``raw``), which is another number where scores are not coherent. A set without any weight counts as empty: precision 1.
A sample without any true weight has no curve: its areas are nan. The set of a sample that is answered outside the taxonomy has
one more label at every threshold, which is never true: its curve falls to precision 0 at once.

`SetMetricsByThreshold` is the other view: one threshold for all samples, strict, and means over samples. The area under
those points is another number.

Functions
---------
block_areas, SetMetricsByThreshold

References
----------
.. [1] R. Plaud, M. Labeau, A. Saillenfest, T. Bonald, Revisiting hierarchical text classification: inference and
       metrics, CoNLL 2024; code github.com/RomanPlaud/revisitingHTC at a1bbf09, `compute_curve_hf1`.
"""

from __future__ import annotations

import numpy as np

from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.parts import ratio_of_sums
from hierviz.metrics.sets.node_sets import (
    highest_below,
    node_weights,
    outside_weight,
    rows_of,
    same_length,
    set_scores,
    truth_keys,
    work_blocks,
)
from hierviz.taxonomy.checks import check_threshold, check_truth_first, checked_probabilities


def block_areas(taxonomy, p, augmented, keys, outside=None):
    """Areas under the precision-recall curves of a few rows.

    Parameters
    ----------
    taxonomy : Taxonomy
    p, augmented : ndarray of float, shape (n_rows, n_nodes)
        Scores in [0, 1], which need not be coherent, and their `highest_below`.
    keys : ndarray of int
        `truth_keys` of these rows.
    outside : ndarray of int, shape (n_rows,), optional
        How many labels outside the taxonomy each set has besides.

    Returns
    -------
    dict of str to ndarray of float, shape (n_rows,)
        ``hf1_auc``, ``hf1_auc_raw`` and on trees ``ihf1_auc``; in [0, 1], dimensionless, higher is better; nan where
        there is nothing to find.
    """
    row, node = np.divmod(keys, taxonomy.n_nodes)
    areas, n = {}, len(p)
    outside = np.zeros(n) if outside is None else outside
    raw, closed = p[:, 1:].astype(np.float64), augmented[:, 1:]
    nodes = np.ones(taxonomy.n_nodes)
    if taxonomy.is_tree:
        bits = node_weights(taxonomy, "information")
        order = np.argsort(-closed, axis=1)
        ascending = np.take_along_axis(closed, order, axis=1)[:, ::-1]
        claimed = np.zeros((n, taxonomy.n_nodes))
        np.cumsum(bits[1:][order], axis=1, out=claimed[:, 1:])
        beyond = outside * outside_weight(taxonomy, "information")
        areas["ihf1_auc"] = _areas(row, closed[row, node - 1], bits[node], ascending, beyond, claimed)
    else:
        ascending = np.sort(closed, axis=1)
    areas["hf1_auc"] = _areas(row, closed[row, node - 1], nodes[node], ascending, outside)
    areas["hf1_auc_raw"] = areas["hf1_auc"].copy()
    differ = (raw != closed).any(axis=1)
    if differ.any():
        place = np.cumsum(differ) - 1
        mine = differ[row]
        row, node = row[mine], node[mine]
        raw = raw[differ]
        areas["hf1_auc_raw"][differ] = _areas(
            place[row], raw[place[row], node - 1], nodes[node], np.sort(raw, axis=1), outside[differ]
        )
    return areas


def _areas(row, score, weight, ascending, outside, claimed=None):
    """Area of each row from the scores and weights of its true nodes, and what it claims `outside` the taxonomy.

    Area accrues only where recall grows, so only the thresholds that equal the score of a true node matter; how much is
    claimed just before and at such a threshold follows from ranks in the sorted scores. `claimed` is the weight of the
    k highest scores, k = 0, 1, ...; k itself when absent.
    """
    n = len(outside)
    due = np.bincount(row, weight, minlength=n)
    order = np.lexsort((-score, row))
    row, score, weight = row[order], score[order], weight[order]
    start = np.flatnonzero((np.diff(row, prepend=-1) != 0) | (np.diff(score, prepend=np.inf) != 0))
    row, score, gained = row[start], score[start], np.add.reduceat(weight, start) if len(start) else weight
    shared = _running(row, gained, n)
    width = ascending.shape[1]
    before = width - _rank(ascending, row, score, "right")
    here = width - _rank(ascending, row, score, "left")
    if claimed is not None:
        before, here = claimed[row, before], claimed[row, here]
    before, here = before + outside[row], here + outside[row]
    precision = np.minimum(ratio(shared, here), 1)
    precision_before = np.minimum(ratio(np.maximum(shared - gained, 0), before), 1)
    pieces = gained * (precision + precision_before) / 2
    areas = ratio(np.bincount(row, pieces, minlength=n), due, empty=np.nan)
    return np.minimum(areas, 1)


def _running(row, value, n):
    """Running sums of value[i] within each of n rows; `row` ascends.

    Each row is added by itself: what is left of a sum over all rows would depend on the rows before it.
    """
    place = np.arange(len(row)) - np.searchsorted(row, row)
    values = np.zeros((n, int(place.max(initial=0)) + 1))
    values[row, place] = value
    return np.cumsum(values, axis=1)[row, place]


def _rank(ascending, row, value, side):
    """`np.searchsorted` of value[i] in ascending[row[i]], for all i at once."""
    low, high = np.zeros(len(row), np.intp), np.full(len(row), ascending.shape[1])
    for _ in range(int(ascending.shape[1]).bit_length()):
        middle = (low + high) // 2
        probe = ascending[row, np.minimum(middle, ascending.shape[1] - 1)]
        go_up = ((probe < value) if side == "left" else (probe <= value)) & (low < high)
        low, high = np.where(go_up, middle + 1, low), np.where(go_up | (low >= high), high, middle)
    return low


class SetMetricsByThreshold:
    """Hierarchical precision, recall and F1 of the set {p > threshold} at some thresholds, added up in blocks of rows.

    Parameters
    ----------
    taxonomy : Taxonomy
    thresholds : sequence of float
        In [0, 1], any order.
    """

    def __init__(self, taxonomy, thresholds):
        self.taxonomy = taxonomy
        self.thresholds = np.asarray(thresholds, dtype=np.float64).reshape(-1)
        for threshold in self.thresholds:
            check_threshold(threshold)
        self._sorted, self._place = np.unique(self.thresholds, return_inverse=True)
        self._bits = node_weights(taxonomy, "information") if taxonomy.is_tree else None
        self._parts, self._parts_in_bits = [], []

    def add(self, truth, p, outside=None):
        """Add samples: truth of shape (n_rows,), or NodeLists, p of shape (n_rows, n_nodes).

        `outside`, bool of shape (n_rows,), says which sets have a label outside the taxonomy too.
        """
        check_truth_first(truth)
        p = checked_probabilities(self.taxonomy, p)
        same_length(truth, p)
        keys, n_nodes = truth_keys(self.taxonomy, truth), self.taxonomy.n_nodes
        beyond = np.zeros((len(p), 1)) if outside is None else np.asarray(outside, dtype=float)[:, None]
        for rows in work_blocks(len(p), n_nodes):
            scores = highest_below(self.taxonomy, p[rows])
            row, node = np.divmod(rows_of(keys, rows.start, rows.stop, n_nodes), n_nodes)
            n, every = len(scores), np.repeat(np.arange(len(scores)), n_nodes - 1)
            true_place, place = self._places(row, scores[row, node]), self._places(every, scores[:, 1:].ravel())
            due = np.bincount(row, minlength=n).astype(float)
            self._parts.append((self._above(true_place, n), self._above(place, n) + beyond[rows], due))
            if self._bits is not None:
                bits, every_bits = self._bits[node], np.tile(self._bits[1:], n)
                due = np.bincount(row, bits, minlength=n)
                claimed = self._above(place, n, every_bits) + beyond[rows] * outside_weight(
                    self.taxonomy, "information"
                )
                self._parts_in_bits.append((self._above(true_place, n, bits), claimed, due))

    def _places(self, row, score):
        """Which cell of `_above` each score is counted in: its row, and how many thresholds it exceeds."""
        return row * (len(self._sorted) + 1) + np.searchsorted(self._sorted, score, side="left")

    def _above(self, place, n, weights=None):
        """How many scores of each row exceed each threshold, or what they weigh, shape (n, n_thresholds)."""
        width = len(self._sorted) + 1
        count = np.bincount(place, weights, minlength=n * width).reshape(n, width)
        return count[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:].astype(float)

    def table(self):
        """The points in the order of `thresholds`.

        Returns
        -------
        dict of str to ndarray, shape (n_thresholds,)
            ``threshold``; ``hp``, ``hr``, ``hf1_samples`` (means over samples, an empty prediction has precision 1 and
            F1 0), on trees ``ihf1_samples`` (the same in bits), ``hf1_micro`` (ratio of sums) and ``n_empty``. Means of
            no sample are nan.
        """
        shared, claimed, due = self._joined(self._parts)
        columns = {"threshold": self.thresholds}
        for name, values in zip(("hp", "hr", "hf1_samples"), set_scores(shared, claimed, due)):
            columns[name] = self._mean(values)
        if self._bits is not None:
            columns["ihf1_samples"] = self._mean(set_scores(*self._joined(self._parts_in_bits))[2])
        micro = [
            ratio_of_sums(shared[:, j], claimed[:, j], due)[2] for j in range(len(self._sorted))
        ]  # few thresholds, three sums each
        columns["hf1_micro"] = np.array(micro, dtype=float)[self._place]
        columns["n_empty"] = (claimed == 0).sum(axis=0)[self._place]
        return columns

    def _joined(self, parts):
        """Shared, claimed (n_samples, n_thresholds) and due (n_samples, 1) of all blocks."""
        empty = np.empty((0, len(self._sorted)))
        columns = list(zip(*parts)) or [(empty,), (empty,), (np.empty(0),)]
        shared, claimed, due = (np.concatenate(column) for column in columns)
        return shared, claimed, due[:, None]

    def _mean(self, values):
        mean = values.mean(axis=0) if len(values) else np.full(len(self._sorted), np.nan)
        return mean[self._place]
