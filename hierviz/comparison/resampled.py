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

from hierviz.comparison.node_counts import NodeCounts
from hierviz.curves.operating_curve import SUMMARY, CurveSteps
from hierviz.evaluation.class_weights import sample_weights
from hierviz.evaluation.sample_numbers import parts_of
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.parts import ByNode, Mean, OfSums, OverCurve, Total
from hierviz.metrics.registry import BALANCED_PREFIX, METRICS


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
            self._add_block(block, [column for column in wanted.values() if column.block == block])
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

    def _add_block(self, block, columns):
        made = {column.key: METRICS[column.metric].made for column in columns}
        has_parts = any(hasattr(one, "parts") for one in made.values())
        parts = parts_of(self.model, block, self.choice) if has_parts else {}
        names = (name for one in made.values() if isinstance(one, OfSums) for name in one.parts)
        places = {name: self._sum(parts[name]) for name in dict.fromkeys(names)}
        for column in columns:
            key, how = column.key, made[column.key]
            if isinstance(how, Mean):
                self._add_mean(key, parts[how.part])
            elif isinstance(how, Total):
                place = places.get(how.part)
                self._from_sums[key] = _formula(how, {how.part: self._sum(parts[how.part]) if place is None else place})
            elif isinstance(how, OfSums):
                self._from_sums[key] = _formula(how, places)
            elif isinstance(how, ByNode):
                self._by_node.append(column)
            elif isinstance(how, OverCurve):
                (self._of_balanced if column.is_balanced else self._of_curve).append(key)


def _formula(made, places):
    return lambda sums, n: made.of({name: sums[:, place] for name, place in places.items()})


def _over(part, whole):
    """part / whole, nan where whole is 0."""
    return ratio(part, whole, np.nan)


def _curve_name(key):
    """Key of `OperatingCurve.summary` of a column."""
    return key.split(".")[1].removeprefix(BALANCED_PREFIX)
