"""Every number of one model for any weights of its samples: what resamples need, worked out once.

Conventions
-----------
A draw takes each sample as often as its count says. Means run over the samples that have a value; ratios of sums, counts of
nodes and macro averages are worked out anew from the sums of each draw, and so is the operating curve. Metrics of all ones
are the numbers of `hierviz.evaluate`.

Functions
---------
ResampledNumbers
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from hierviz.comparison.columns import BY_DEPTH
from hierviz.comparison.node_counts import NodeCounts
from hierviz.curves.operating_curve import SUMMARY, CurveSteps
from hierviz.evaluation.class_weights import sample_weights
from hierviz.evaluation.sample_numbers import TOP
from hierviz.evaluation.summary import error_heights
from hierviz.metrics.confusion.confusion_counts import CELLS
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.outcomes import outcome_indicators
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import BALANCED_PREFIX, path_keys
from hierviz.metrics.win import best_leaf_metrics

_COUNTED_BY_NODE = (
    "macro_f1",
    "macro_f1_supported",
    "c_f1_micro",
    "c_f1_macro",
    "c_f1_micro_strict",
    "c_f1_macro_strict",
)
_MICRO = {"micro_precision": "n_predicted", "micro_recall": "n_true"}
_OF_SETS = {"hf1_micro": ("nodes", None), "hp_micro": ("nodes", "claimed"), "hr_micro": ("nodes", "due")}
_OF_SETS |= {"ihf1_micro": ("information", None)}
_LABEL_MEANS = {"hf1_samples": "hf1", "hp_samples": "hp", "hr_samples": "hr", "ihf1_samples": "ihf1"}
_LABEL_MEANS |= {key: key for key in ("hf1_auc", "ihf1_auc", "hf1_auc_raw")}


class ResampledNumbers:
    """Numbers of one model for counts of its samples.

    Parameters
    ----------
    model : Evaluation
    columns : sequence of Column
        Of which the numbers are wanted; those that have no value are left out of `keys`.
    values : dict of str to (float or None)
        The model's numbers by key: says which apply.
    rows : ndarray of int, shape (n_samples,)
        Rows of the Predictions that the counts are about, in their order; all judged samples.
    choice : dict
        rule, threshold and the parameters of the rule.
    class_weights : ndarray of float, shape (n_nodes,), optional
        As in `hierviz.evaluate`.

    Attributes
    ----------
    keys : list of str
        Numbers that have draws.
    has_value : dict of str to ndarray of bool, shape (n_samples,)
        Of means over samples: those that have a value.
    shares : set of str
        Means of 0/1 values.
    """

    def __init__(self, model, columns, values, rows, choice, class_weights=None):
        self.model, self.choice, self.rows = model, choice, rows
        # Places of the samples among the judged ones, of which arrays are.
        self.places = np.searchsorted(model.rows, rows)
        self.has_value: dict[str, np.ndarray] = {}
        self.shares: set[str] = set()
        self._sums: list[np.ndarray] = []
        self._from_sums: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {}
        self._by_node: list[Any] = []
        self._of_curve: list[str] = []
        self._of_balanced: list[str] = []
        wanted = {column.key: column for column in columns if values.get(column.key) is not None}
        for block in dict.fromkeys(column.block for column in wanted.values()):
            getattr(self, f"_add_{block}")([column for column in wanted.values() if column.block == block])
        self._matrix = np.column_stack(self._sums) if self._sums else np.empty((len(rows), 0))
        self._sums = []
        self.node_counts = None
        if self._by_node:
            self.node_counts = NodeCounts(model, rows, choice["threshold"])
        self._steps = self._truth = None
        self._class_weights = class_weights
        if self._of_curve or self._of_balanced:
            self._truth = model.predictions.truth[rows]
            # Of every draw only what the columns are made of.
            needed = {value for key in (*self._of_curve, *self._of_balanced) for value in SUMMARY[_curve_name(key)][0]}
            answers = model.table.take(rows)
            self._steps = CurveSteps.from_table(model.taxonomy, self._truth, answers, keys=sorted(needed))
        keys = [*self._from_sums, *self._of_curve, *self._of_balanced, *(column.key for column in self._by_node)]
        self.keys = [key for key in wanted if key in keys]

    def of(self, counts, told=lambda share: None):
        """The numbers of some draws.

        Parameters
        ----------
        counts : ndarray of float, shape (n_draws, n_samples)
            How often each sample is taken.
        told : callable, optional
            Called with the share of the work that is done, from 0 to 1, after each draw of each kind of number.

        Returns
        -------
        dict of str to ndarray of float, shape (n_draws,)
            By key; nan where a draw has no such number.
        """
        sums, n = counts @ self._matrix, counts.sum(axis=1)
        found = {key: formula(sums, n) for key, formula in self._from_sums.items()}
        n_kinds, done = (
            bool(self._of_curve) + bool(self._of_balanced) + (self.node_counts is not None),
            itertools.count(1),
        )

        def each(number_of):
            numbers = []
            for draw in counts:
                numbers.append(number_of(draw))
                told(next(done) / (n_kinds * len(counts)))
            return numbers

        for columns, weighed in ((self._of_curve, lambda draw: draw), (self._of_balanced, self._balanced)):
            if not columns:
                continue
            names = [_curve_name(key) for key in columns]
            numbers = each(lambda draw, weighed=weighed, names=names: self._curve_numbers(weighed(draw), names))
            found |= dict(zip(columns, np.array(numbers, dtype=np.float64).T))
        if self.node_counts is not None:
            by_draw = each(lambda draw: self.node_counts.numbers(draw, self._by_node))
            found |= {column.key: np.array([numbers[column.key] for numbers in by_draw]) for column in self._by_node}
        return found

    def _balanced(self, draw):
        """Counts of a draw, weighed so that each class has its weight, however often the draw takes it."""
        return sample_weights(self.model.taxonomy, self._truth, self._class_weights, draw)

    def _curve_numbers(self, counts, names):
        """These numbers of the curve; nan where a draw takes no class that has a weight."""
        if not counts.any():
            return [np.nan] * len(names)
        curve = self._steps.curve(counts)
        return [SUMMARY[name][1](curve) for name in names]

    # Kinds of numbers ----------------------------------------------------------------------------------------------

    def _sum(self, values):
        """The place among the sums of a new column, values of the judged samples."""
        self._sums.append(np.asarray(values, dtype=np.float64)[self.places])
        return len(self._sums) - 1

    def _add_mean(self, key, values):
        values = np.asarray(values, dtype=np.float64)
        self.has_value[key] = ~np.isnan(values)[self.places]
        if np.isin(values[~np.isnan(values)], (0, 1)).all():
            self.shares.add(key)
        total = self._sum(np.where(np.isfinite(values), values, 0))
        known = None if not np.isnan(values).any() else self._sum(~np.isnan(values))
        infinite = None if not np.isinf(values).any() else self._sum(np.isinf(values))

        def mean(sums, n):
            found = _over(sums[:, total], n if known is None else sums[:, known])
            return found if infinite is None else np.where(sums[:, infinite] > 0, np.inf, found)

        self._from_sums[key] = mean

    def _add_total(self, key, values):
        place = self._sum(values)
        self._from_sums[key] = lambda sums, n: sums[:, place]

    # Blocks --------------------------------------------------------------------------------------------------------

    def _add_distribution(self, columns):
        values = self.model.distribution_per_sample()
        for column in columns:
            if column.metric.endswith("_infinite"):
                self._add_total(column.key, np.isinf(values[column.metric.removesuffix("_infinite")]))
            elif column.metric == "cross_entropy_finite_mean":
                losses = values["cross_entropy"]
                self._add_mean(column.key, np.where(np.isinf(losses), np.nan, losses))
            else:
                self._add_mean(column.key, values[column.metric])

    def _add_top_down(self, columns):
        model = self.model
        best = best_leaf_metrics(model.taxonomy, model.truth, model.best_leaf[model.rows])
        parts = {name: self._sum(best[name]) for name in ("shared", "claimed", "due")}
        for column in columns:
            if column.metric == "argmax_leaf_accuracy":
                leaf = best_leaf_metrics(model.taxonomy, model.truth, model.answers("leaf")[model.rows])
                self._add_mean(column.key, leaf["finest_accuracy"])
            elif column.metric == "top5_leaf_accuracy":
                self._add_mean(column.key, model.leaf_rank[model.rows] < TOP)
            elif column.metric == "error_lca_height":
                self._add_mean(column.key, error_heights(model))
            elif column.metric in best:
                self._add_mean(column.key, best[column.metric])
            else:
                self._from_sums[column.key] = _aggregate(column.metric.removeprefix("aggregate_"), parts)

    def _add_predicted(self, columns):
        model = self.model
        metrics = path_metrics(model.taxonomy, model.truth, model.answers(**self.choice)[model.rows])
        counted = outcome_indicators(metrics)
        for column in columns:
            if column.metric in counted:
                self._add_total(column.key, counted[column.metric])
            else:
                assert column.metric in path_keys()
                self._add_mean(column.key, metrics[column.metric])

    def _add_labels(self, columns):
        counts = self.model.label_counts(self.choice["threshold"])
        _, of_sample = counts.counted()
        means, n_labels = counts.per_sample(), self.model.taxonomy.n_nodes - 1
        parts = {name: self._sum(values) for name, values in of_sample.items() if values.dtype != object}
        hit, predicted, true = (parts[name] for name in ("n_hit", "n_predicted", "n_true"))
        for column in columns:
            key, metric = column.key, column.metric
            if metric in _LABEL_MEANS:
                self._add_mean(key, means[_LABEL_MEANS[metric]])
            elif metric in _MICRO:
                whole = parts[_MICRO[metric]]
                self._from_sums[key] = lambda sums, n, whole=whole: ratio(sums[:, hit], sums[:, whole], empty=0.0)
            elif metric == "micro_f1":
                self._from_sums[key] = lambda sums, n: _f1(sums[:, hit], sums[:, predicted] + sums[:, true])
            elif metric == "hamming_loss":
                self._from_sums[key] = lambda sums, n: _over(
                    sums[:, predicted] + sums[:, true] - 2 * sums[:, hit], n * n_labels
                )
            elif metric in _OF_SETS:
                weight, whole = _OF_SETS[metric]
                places = [parts[f"{weight}_{part}"] for part in ("shared", "claimed", "due")]
                self._from_sums[key] = _of_overlap(places, whole)
            elif metric == "subset_accuracy":
                same = (of_sample["n_hit"] == of_sample["n_predicted"]) & (of_sample["n_hit"] == of_sample["n_true"])
                self._add_mean(key, same)
            elif metric == "n_empty":
                self._add_total(key, of_sample["n_predicted"] == 0)
            elif metric == "n_incoherent":
                self._add_total(key, of_sample["is_incoherent"])
            else:
                assert metric in _COUNTED_BY_NODE or metric == BY_DEPTH, metric
                self._by_node.append(column)

    def _add_curve(self, columns):
        for column in columns:
            if column.is_balanced:
                self._of_balanced.append(column.key)
            elif column.metric != "n_points":
                self._of_curve.append(column.key)

    def _add_confusion(self, columns):
        per_sample = self.model.confusion(**self.choice).per_sample
        cells = [self._sum(per_sample[cell]) for cell in CELLS]
        for column in columns:
            if column.metric in CELLS:
                place = cells[CELLS.index(column.metric)]
                self._from_sums[column.key] = lambda sums, n, place=place: sums[:, place]
            else:
                self._from_sums[column.key] = _measure(column.metric, cells)


def _curve_name(key):
    """Key of `OperatingCurve.summary` of a column."""
    return key.split(".")[1].removeprefix(BALANCED_PREFIX)


def measures_of(tp, tn, fp, fn):
    """`hierviz.metrics.confusion.confusion_counts.measures` of arrays of counts; nan where undefined."""
    tpr, tnr = _over(tp, tp + fn), _over(tn, tn + fp)
    # Factors apart: the product of four sums may be too large.
    root = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    with np.errstate(invalid="ignore"):
        pt = _over(np.sqrt(tpr * (1 - tnr)) + tnr - 1, tpr + tnr - 1)
    return {
        "acc": _over(tp + tn, tp + tn + fp + fn),
        "ppv": _over(tp, tp + fp),
        "tpr": tpr,
        "fnr": _over(fn, tp + fn),
        "fpr": _over(fp, tn + fp),
        "tnr": tnr,
        "pt": pt,
        "f1": _over(2 * tp, 2 * tp + fp + fn),
        "mcc": _over(tp * tn - fp * fn, root),
    }


def _measure(name, cells):
    return lambda sums, n: measures_of(*(sums[:, place] for place in cells))[name]


def _aggregate(what, parts):
    def of(sums, n):
        shared, claimed, due = (sums[:, parts[name]] for name in ("shared", "claimed", "due"))
        if what == "precision":
            return _over(shared, claimed)
        return _over(shared, due) if what == "recall" else _over(2 * shared, claimed + due)

    return of


def _of_overlap(places, whole):
    def of(sums, n):
        shared, claimed, due = (sums[:, place] for place in places)
        if whole is None:
            return _f1(shared, claimed + due)
        return ratio(shared, claimed if whole == "claimed" else due, empty=0.0)

    return of


def _f1(hit, both):
    return ratio(2 * hit, both, empty=0.0)


def _over(part, whole):
    """part / whole, nan where whole is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole == 0, np.nan, part / np.where(whole == 0, 1.0, whole))
