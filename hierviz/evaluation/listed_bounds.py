r"""Lowest and highest operating curve, and metrics of sets {p > threshold}, when only some scores of a sample are listed.

Conventions
-----------
For each threshold and sample a metric of the curve lies between its extremes over the nodes that can be the answer there
(`hierviz.evaluation.top_k_bounds`); means of these extremes are step functions of the threshold. The area under an envelope
is that of the union of the rectangles between the origin and the points of the curve, and R@xC is the largest x of some
points, so both grow with every coordinate of every point: the lowest coordinates bound them from below and the highest
from above. The bounds are sound but not tight: no single completion of the lists needs to have all extremes at once.

Of sets, a node is surely predicted when its lowest probability is above the threshold, and can be predicted when its highest
one is. With h the true nodes in the set, f the false ones and y the true ones, F1 = 2 h / (h + f + y), precision and recall
grow with h and fall with f, so bounds of h and f, per sample or per node, give theirs. Of leaf probabilities, which sum to 1
within `ROUNDING`, less than 1 / threshold nodes of one depth can be above the threshold, or one more; this limits f.

Functions
---------
CurveBounds, SetBounds, intervals

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

import numpy as np

from hierviz.curves.envelopes import best_at_correct, envelope_integral
from hierviz.evaluation.unknown_mass import ROUNDING
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.parts import Mean, Ratio, Total
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import METRICS, keys_of
from hierviz.metrics.sets.node_sets import above, highest_below, node_weights, truth_keys
from hierviz.taxonomy.node_lists import is_member


class SetBounds:
    """Bounds of block ``labels``, added up in blocks of samples.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    threshold : float
    is_distribution : bool
        Leaf probabilities: the sets hold the ancestors of their nodes.
    """

    def __init__(self, taxonomy, threshold, is_distribution):
        self.taxonomy, self.threshold, self.is_distribution = taxonomy, threshold, is_distribution
        self.n_samples = 0
        # Samples in which each node is true, surely and possibly hit, surely and possibly predicted falsely.
        self._of_nodes = np.zeros((5, taxonomy.n_nodes), dtype=np.int64)
        self._n_empty = np.zeros(2, dtype=np.int64)
        # Sums over samples, of which each is (lowest, highest).
        self._sums = {"plain": {}, "nodes": {}, "information": {}}
        self._most_of_depth = np.inf
        if is_distribution and threshold > 0:
            self._most_of_depth = np.ceil((1 + ROUNDING) / threshold) - 1

    def add(self, truth, low, high):
        """Add samples: truth of shape (n_rows,) or NodeLists, node bounds of shape (n_rows, n_nodes)."""
        true = truth_keys(self.taxonomy, truth)
        cells = self._cells(true, low, high)
        row, node, is_sure, is_true = cells
        n, n_nodes = low.shape
        self.n_samples += n
        groups = (is_true & is_sure, is_true, ~is_true & is_sure, ~is_true)
        nodes = (true % n_nodes, *(node[cells_of_group] for cells_of_group in groups))
        self._of_nodes += np.array([np.bincount(of_part, minlength=n_nodes) for of_part in nodes])
        self._n_empty += [n - len(np.unique(row)), n - len(np.unique(row[is_sure]))]
        self._add_sums("plain", n, true, cells, np.ones(n_nodes))
        if not self.is_distribution:
            cells = self._cells(true, highest_below(self.taxonomy, low), highest_below(self.taxonomy, high))
        for name in ("nodes", "information"):
            self._add_sums(name, n, true, cells, node_weights(self.taxonomy, name))

    def _cells(self, true, low, high):
        """(row, node, whether it is surely above the threshold, whether it is true) of every node that can be above it."""
        row, node = np.nonzero(above(high, self.threshold))
        is_sure = low[row, node] > self.threshold
        return row, node, is_sure, is_member(row * low.shape[1] + node, true)

    def _add_sums(self, name, n, true, cells, weights):
        """Add what is due, hit and false, and precision, recall and F1 of each sample."""
        due, hits, false = self._of_samples(n, true, cells, weights)
        values = {
            "due": np.array([due, due]),
            "hits": hits,
            "false": false,
            "precision": ratio(hits, hits + false[::-1]),
            "recall": ratio(hits, due),
            "f1": _f1(hits, false[::-1], due),
            # Surely, and possibly, all of the true nodes and no others.
            "equal": np.array([(hit == due) & (wrong == 0) for hit, wrong in zip(hits, false[::-1])], dtype=float),
        }
        before = self._sums[name]
        self._sums[name] = {key: before.get(key, 0) + pair.sum(axis=1) for key, pair in values.items()}

    def _of_samples(self, n, true, cells, weights):
        """Weight of the true nodes, shape (n_rows,); lowest and highest of hits and of false ones, shape (2, n_rows)."""
        row, node, is_sure, is_true = cells
        weight = weights[node]

        def total(which):
            return np.bincount(row[which], weight[which], minlength=n)

        due = np.bincount(true // self.taxonomy.n_nodes, weights[true % self.taxonomy.n_nodes], minlength=n)
        surely_false = total(~is_true & is_sure)
        false = total(~is_true)
        if np.isfinite(self._most_of_depth):
            width = self.taxonomy.max_depth + 1
            level, of_level = np.unique((row * width + self.taxonomy.depth[node])[~is_true], return_inverse=True)
            sums, most = np.bincount(of_level, weight[~is_true], minlength=len(level)), np.zeros(len(level))
            np.maximum.at(most, of_level, weight[~is_true])
            most *= np.minimum(np.bincount(of_level, minlength=len(level)), self._most_of_depth)
            false = np.maximum(surely_false, np.bincount(level // width, np.minimum(most, sums), minlength=n))
        return due, np.array([total(is_true & is_sure), total(is_true)]), np.array([surely_false, false])

    def summary(self):
        """Intervals of the numbers of block ``labels`` that have one: dict of [low, high]."""
        plain, n = self._sums["plain"], self.n_samples
        sums = {"n_samples": n, "n_cells": n * (self.taxonomy.n_nodes - 1), "n_empty": self._n_empty}
        sums |= {"n_true": plain["due"], "n_hit": plain["hits"], "n_predicted": plain["hits"] + plain["false"][::-1]}
        sums["n_wrong"] = plain["false"][::-1] + plain["due"] - plain["hits"]
        sums["subset_accuracy"] = plain["equal"]
        for prefix, name in (("h", "nodes"), ("ih", "information")):
            of = self._sums[name]
            sums |= {f"{prefix}p_samples": of["precision"], f"{prefix}r_samples": of["recall"]}
            sums |= {f"{prefix}f1_samples": of["f1"], f"{name}_shared": of["hits"], f"{name}_due": of["due"]}
            sums[f"{name}_claimed"] = of["hits"] + of["false"][::-1]
        if self.is_distribution:
            sums |= {"n_valid": sums["n_predicted"], "n_valid_hit": sums["n_hit"], "n_incoherent": np.zeros(2, int)}
        found = intervals("labels", sums)
        true, *node_hits, node_low, node_high = self._of_nodes[:, 1:]
        node_f1 = [_f1(hit, miss, true) for hit, miss in zip(node_hits, (node_high, node_low))]
        supported = true > 0
        macro = ("macro_f1", "c_f1_macro", "c_f1_macro_strict") if self.is_distribution else ("macro_f1",)
        found |= {key: [f1.mean() for f1 in node_f1] for key in macro}
        if supported.any():
            found["macro_f1_supported"] = [f1[supported].mean() for f1 in node_f1]
        return found


def intervals(block, sums):
    """Lowest and highest value of the numbers of a block of whose parts the sums are known.

    Parameters
    ----------
    block : str
    sums : dict of str to ndarray of float, shape (2,) or (3,)
        By name of the part, and ``n_samples``: in the worst case, in the best one, and where a ratio may be 0/0 the lowest
        sum of each part.

    Returns
    -------
    dict of str to [low, high]
        Without those that are undefined in one of the cases.
    """
    found = {}
    for key in keys_of(block, Mean, Total, Ratio):
        made = METRICS[key].made
        if all(name in sums for name in made.parts):
            values = np.asarray(made.of(sums))
            if not np.isnan(values).any():
                found[key] = np.sort(values[:2]).tolist()
    return found


def _f1(hit, wrong, due):
    """2 hit / (hit + wrong + due), 0 where nothing is true or predicted."""
    return ratio(2 * hit, hit + wrong + due, empty=0.0)


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
