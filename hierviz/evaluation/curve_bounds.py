r"""Lowest and highest operating curve when only some scores of each sample are listed.

Conventions
-----------
For each threshold and sample a metric lies between its extremes over the nodes that can be the answer there
(`hierviz.evaluation.top_k_bounds`); means of these extremes are step functions of the threshold. The area under an envelope
is that of the union of the rectangles between the origin and the points of the curve, and R@xC is the largest x of some
points, so both grow with every coordinate of every point: the lowest coordinates bound them from below and the highest
from above. The bounds are sound but not tight: no single completion of the lists needs to have all extremes at once.

Functions
---------
CurveBounds

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

import numpy as np

from hierviz.curves.operating_curve import best_at_correct, envelope_integral
from hierviz.metrics.path import path_metrics

# Metrics that the areas are made of; all in [0, 1], higher is better.
CURVE_METRICS = ("correct", "exact", "info_recall", "info_precision", "depth_recall", "depth_precision")
AREAS = {
    "ap": ("info_recall", "info_precision"),
    "ac": ("info_recall", "correct"),
    "ac_exact": ("exact", "correct"),
    "depth_ap": ("depth_recall", "depth_precision"),
    "depth_ac": ("depth_recall", "correct"),
}


class CurveBounds:
    """Lowest and highest mean of each of `CURVE_METRICS` at every threshold, added up in blocks of samples."""

    def __init__(self):
        self.n_samples = 0
        self._parts = {(key, side): [] for key in CURVE_METRICS for side in (0, 1)}
        self._steps = {}

    def add(self, taxonomy, truth, answers):
        """Add samples: truth of shape (n_rows,), and their Answers."""
        self.n_samples += len(truth)
        cells = _CurveCells(answers.row, answers.leaves_at, answers.enters_at)
        metrics = path_metrics(taxonomy, truth[answers.row], answers.node, common=answers.common)
        for key in CURVE_METRICS:
            for side, sign in ((0, -1.0), (1, 1.0)):
                self._parts[key, side].append(cells.steps(sign * metrics[key], sign))

    def step_curve(self, key, side):
        """(thresholds, means) of the lowest (side 0) or highest (1) values: descending, shape (J,) and (J + 1,).

        Mean j holds for thresholds t with ``thresholds[j] <= t < thresholds[j - 1]``.
        """
        if (key, side) not in self._steps:
            first, thresholds, changes = zip(*self._parts[key, side])
            thresholds, changes = np.concatenate(thresholds), np.concatenate(changes)
            order = np.argsort(-thresholds, kind="stable")
            thresholds, changes = thresholds[order], changes[order]
            ends = np.flatnonzero(np.append(np.diff(thresholds) != 0, True)) if len(thresholds) else np.empty(0, int)
            totals = sum(first) + np.append(0, np.cumsum(changes)[ends])
            self._steps[key, side] = thresholds[ends], np.clip(totals / self.n_samples, 0, 1)
        return self._steps[key, side]

    def at(self, key, side, thresholds, *, below=False):
        """Values at some thresholds, or just below them; shape of `thresholds`."""
        steps, means = self.step_curve(key, side)
        return means[np.searchsorted(-steps, -np.asarray(thresholds), side="right" if below else "left")]

    def summary(self):
        """Intervals of the numbers of block ``curve`` that have one: dict of [low, high]."""
        found = {key: sorted(self._area(*pair, side) for side in (0, 1)) for key, pair in AREAS.items()}
        for percent in (90, 95):
            found[f"recall_at_{percent}_correct"] = sorted(self._best(percent / 100, side) for side in (0, 1))
        return found

    def columns(self, thresholds):
        """Columns ``<metric>_low`` and ``<metric>_high`` for the points of a curve.

        Parameters
        ----------
        thresholds : ndarray of float, shape (J + 1,)
            As `OperatingCurve.columns` has them: the first point holds from there up, the others just below.

        Returns
        -------
        dict of str to ndarray of float, shape (J + 1,)
        """
        columns = {}
        for key in CURVE_METRICS:
            sides = []
            for side in (0, 1):
                values = self.at(key, side, thresholds, below=True)
                values[:1] = self.at(key, side, thresholds[:1])
                sides.append(values)
            # Sums of the same terms in another order: where nothing is unknown, the lowest value may be above the highest.
            columns[f"{key}_low"], columns[f"{key}_high"] = np.minimum(*sides), np.maximum(*sides)
        return columns

    def _points(self, x, y, side):
        thresholds = np.union1d(self.step_curve(x, side)[0], self.step_curve(y, side)[0])[::-1]
        thresholds = np.append(np.inf, thresholds)
        return (self.at(key, side, thresholds, below=True) for key in (x, y))

    def _area(self, x, y, side):
        return envelope_integral(*self._points(x, y, side))

    def _best(self, share, side):
        return best_at_correct(*self._points("info_recall", "correct", side), share)


class _CurveCells:
    """The thresholds of each row, cut where an interval begins or ends; the cells of all rows one after the other.

    Cell i reaches from ``threshold[i]`` down to ``threshold[i + 1]``; the last threshold of a row, -inf, begins no cell.
    """

    def __init__(self, row, leaves_at, enters_at):
        n = len(row)
        rows, ends = np.concatenate([row, row]), np.concatenate([enters_at, leaves_at])
        order = np.lexsort((-ends, rows))
        rows, ends = rows[order], ends[order]
        is_new = np.ones(len(rows), dtype=bool)
        is_new[1:] = (np.diff(rows) != 0) | (ends[1:] != ends[:-1])
        cell = np.empty(2 * n, dtype=np.intp)
        cell[order] = np.cumsum(is_new) - 1
        self.row, self.threshold = rows[is_new], ends[is_new]
        first, last = cell[:n], cell[n:]
        # An interval is the union of two runs of 2^level cells, from its first one and up to its last one.
        level = np.frexp((last - first).astype(float))[1] - 1
        self.n_levels = int(level.max(initial=0)) + 1
        n_cells = len(self.row)
        self.runs = np.concatenate([level * n_cells + first, level * n_cells + last - (1 << level)])

    def steps(self, values, sign):
        """(sum over rows of the first cell, thresholds of later cells with another value, changes there).

        The value of a cell is `sign` times the largest of `values` whose interval covers it.
        """
        n = len(self.row)
        largest = np.full(self.n_levels * n, -np.inf)
        np.maximum.at(largest, self.runs, np.concatenate([values, values]))
        largest = largest.reshape(self.n_levels, n)
        for level in range(self.n_levels - 1, 0, -1):
            half = 1 << (level - 1)
            np.maximum(largest[level - 1], largest[level], out=largest[level - 1])
            np.maximum(largest[level - 1, half:], largest[level, :-half], out=largest[level - 1, half:])
        cells = np.flatnonzero(np.isfinite(self.threshold) | (self.threshold > 0))
        row, value = self.row[cells], sign * largest[0, cells]
        is_first = np.diff(row, prepend=-1) != 0
        change = np.diff(value, prepend=0)
        later = ~is_first & (change != 0)
        return value[is_first].sum(), self.threshold[cells][later], change[later]
