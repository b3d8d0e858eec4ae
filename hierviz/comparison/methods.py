r"""Methods with their runs: values, spread between runs, intervals, differences, ranks and marks.

Conventions
-----------
A method has one or several runs (trainings). Its value is the mean over them, its spread their standard deviation
(ddof = 1). An interval says how far the value may be from that of the population of samples and, with several runs, of
trainings: with B the variance of the mean over runs between resamples of the samples, in which the runs stay as they are,

.. math:: v = B + s^2 / r,\qquad \hat x \pm t_{\nu} \sqrt v

with the degrees of freedom of Welch and Satterthwaite [1]_: n - 1 (samples or groups) of B and r - 1 of the rest. The variance
of a difference of two methods is B of the difference, from the same resamples, plus s² / r of both. With one run there is no
s²: the interval is the percentile interval of the resamples and says nothing about retraining.

Marks of a column: *best* is the highest value (the lowest where less is better), *tied* are those not clearly different from
it, *second* is the best of the rest. Clearly different: the interval of the difference leaves out 0, after Holm's correction
for all methods that are compared with the best one [2]_.

Functions
---------
Method, Difference, difference, marks_of, ranks_of

References
----------
.. [1] F. E. Satterthwaite, An approximate distribution of estimates of variance components, Biometrics Bulletin 2 (1946).
.. [2] S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979) 65-70.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierviz.comparison.columns import Column
from hierviz.notebook_html import Short
from hierviz.uncertainty.comparison import FEWEST_WRONG, fewest_resamples
from hierviz.uncertainty.student import satterthwaite, t_quantile, t_tail

# A number that more of the draws lack has no interval.
MOST_LACKING = 0.025
# Shares of correct answers that a number is read off at.
_AT_CORRECT = {"recall_at_90_correct": 0.90, "recall_at_95_correct": 0.95}


@dataclass(frozen=True, eq=False)
class Method(Short):
    """One method with its runs.

    Attributes
    ----------
    name : str
    runs : list of dict of str to (float or None)
        Values of each run by key.
    draws : dict of str to ndarray of float, shape (n_resamples,)
        Mean over runs in each resample; empty without resamples.
    n_units : int
        Samples, or groups, that are resampled.
    n_samples : int
    """

    name: str
    runs: list[dict[str, float | None]]
    draws: dict[str, np.ndarray]
    n_units: int
    n_samples: int

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return len(self.runs)

    def value(self, key: str) -> float | None:
        """Mean over runs; None where a run has no value."""
        values = [value for run in self.runs if (value := run[key]) is not None]
        if len(values) < len(self.runs):
            return None
        return values[0] if len(values) == 1 else float(np.mean(values))

    def spread(self, key: str) -> float | None:
        """Standard deviation between runs, ddof = 1; None with one run, or where a run has no finite value."""
        values = [value for run in self.runs if (value := run[key]) is not None and math.isfinite(value)]
        if len(values) < max(2, len(self.runs)):
            return None
        return float(np.std(values, ddof=1))

    def run_variance(self, key: str) -> float:
        """s² / r, 0 with one run."""
        return (self.spread(key) or 0.0) ** 2 / self.n_runs

    def why_no_interval(self, column: Column) -> str | None:
        """Why a number has no interval, in words; None when it has one."""
        if self.value(column.key) is None:
            return "it has no value"
        level = next((level for key, level in _AT_CORRECT.items() if column.metric.endswith(key)), None)
        if level is not None and self.n_samples * (1 - level) < FEWEST_WRONG - 1e-9:
            return (
                f"{self.n_samples} samples are too few for {level:.0%} correct: fewer than {FEWEST_WRONG} may be wrong"
            )
        draws = self.draws.get(column.key)
        if draws is None:
            return "it is not resampled"
        lacking = float(np.isnan(draws).mean())
        return f"{lacking:.1%} of the resamples have no such number" if lacking > MOST_LACKING else None

    def interval(self, column: Column, level: float) -> tuple[float, float] | None:
        """Interval of the value, inside the range of the number; None where there is none."""
        if self.why_no_interval(column) is not None:
            return None
        value = self.value(column.key)
        assert value is not None
        alone = Difference(value, self.draws[column.key], [self], column.key)
        low, high = alone.interval(level)
        return max(low, column.range[0]), min(high, column.range[1])


@dataclass(frozen=True, eq=False)
class Difference(Short):
    """An estimate with what its interval is made of: the difference of two methods, or the value of one.

    Attributes
    ----------
    estimate : float
    draws : ndarray of float, shape (n_resamples,)
    methods : list of Method
        Whose spread between runs adds to the variance.
    key : str
    """

    estimate: float
    draws: np.ndarray
    methods: list[Method]
    key: str

    @property
    def has_runs(self) -> bool:
        """Whether a method has several runs."""
        return any(method.n_runs > 1 for method in self.methods)

    def variance(self) -> tuple[float, float]:
        """Variance, and its degrees of freedom."""
        known = self.draws[np.isfinite(self.draws)]
        parts = [float(known.var(ddof=1)) if len(known) > 1 else math.nan]
        degrees = [max(1.0, self.methods[0].n_units - 1.0)]
        for method in self.methods:
            if method.n_runs > 1:
                parts.append(method.run_variance(self.key))
                degrees.append(method.n_runs - 1.0)
        return sum(parts), satterthwaite(parts, degrees)

    def interval(self, level: float) -> tuple[float, float]:
        """(low, high): percentiles with one run each, where the resamples suffice for the level; else by Student's t."""
        if not math.isfinite(self.estimate):
            return self.estimate, self.estimate
        known = self.draws[~np.isnan(self.draws)]
        if not self.has_runs and len(known) >= fewest_resamples(level):
            tail, last = (1 - level) / 2, len(known) - 1
            low, high = int(np.floor(last * tail + 1e-9)), int(np.ceil(last * (1 - tail) - 1e-9))
            ends = np.partition(known, (low, high))[[low, high]]
            return float(ends[0]), float(ends[1])
        variance, degrees = self.variance()
        half = t_quantile(level, degrees) * math.sqrt(variance) if variance else 0.0
        return self.estimate - half, self.estimate + half

    def is_clear(self, level: float) -> bool:
        """Whether the interval leaves out 0."""
        if self.has_runs:
            variance, degrees = self.variance()
            return (
                bool(self.estimate) and t_tail(abs(self.estimate) / math.sqrt(variance or 1e-300), degrees) < 1 - level
            )
        low, high = self.interval(level)
        return low > 0 or high < 0


def difference(a: Method, b: Method, column: Column) -> Difference | None:
    """The value of `a` minus that of `b`, paired by the resamples; None where one has no interval."""
    if a.why_no_interval(column) or b.why_no_interval(column):
        return None
    first, second = a.value(column.key), b.value(column.key)
    assert first is not None
    assert second is not None
    if math.isinf(first) or math.isinf(second):
        return None
    with np.errstate(invalid="ignore"):
        draws = a.draws[column.key] - b.draws[column.key]
    return Difference(first - second, draws, [a, b], column.key)


def ranks_of(methods: Sequence[Method], column: Column) -> list[int | None]:
    """Rank of each method, 1 the best; equal values share one. None without a value, or where neither is better."""
    gains = [None if (value := method.value(column.key)) is None else column.sign * value for method in methods]
    if not column.sign:
        return [None] * len(gains)
    return [None if gain is None else 1 + sum(g is not None and g > gain for g in gains) for gain in gains]


def marks_of(methods: Sequence[Method], column: Column, level: float) -> list[str | None]:
    """'best', 'tied', 'second' or None of each method, as the conventions say; all None where nothing can be compared."""
    ranks = ranks_of(methods, column)
    marks: list[str | None] = [None] * len(methods)
    ranked = [place for place, rank in enumerate(ranks) if rank is not None]
    if len(ranked) < 2 or any(methods[place].why_no_interval(column) for place in ranked):
        return marks
    best = [place for place in ranked if ranks[place] == 1]
    if math.isinf(methods[best[0]].value(column.key) or 0.0):
        return marks
    others = [place for place in ranked if ranks[place] != 1]
    compared = {place: difference(methods[best[0]], methods[place], column) for place in others}
    # An infinite value is worse than any finite one.
    clear = {place for place, found in compared.items() if found is None}
    clear |= clear_after_holm({place: found for place, found in compared.items() if found is not None}, level)
    for place in best:
        marks[place] = "best"
    for place in set(others) - clear:
        marks[place] = "tied"
    if clear:
        second = min(ranks[place] or 0 for place in clear)
        for place in clear:
            if ranks[place] == second:
                marks[place] = "second"
    return marks


def clear_after_holm(differences: dict[int, Difference], level: float) -> set[int]:
    """Keys of the differences that are clear when all are judged together, by Holm's steps [2]_."""
    clear: set[int] = set()
    while left := set(differences) - clear:
        strict = 1 - (1 - level) / len(left)
        more = {place for place in left if differences[place].is_clear(strict)}
        if not more:
            break
        clear |= more
    return clear
