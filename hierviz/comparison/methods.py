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

An interval of a mean of 0/1 values over single samples, with one run, is Wilson's. Below ten samples, or groups, there are no
intervals and no marks.

Marks of a column: *best* is the highest value (the lowest where less is better), *tied* are those not clearly different from
it, *second* is the best of the rest. Clearly different: the simultaneous intervals of all pairs of methods leave out 0
(`hierviz.uncertainty.comparison`), since the best one was found among all of them.

Functions
---------
Method, Difference, difference, marks_of, clear_of, ranks_of

References
----------
.. [1] F. E. Satterthwaite, An approximate distribution of estimates of variance components, Biometrics Bulletin 2 (1946).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hierviz.comparison.columns import Column
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import percent_text
from hierviz.metrics.ties import TIE, rounded
from hierviz.uncertainty.bootstrap import AT_CORRECT
from hierviz.uncertainty.comparison import clear_pairs, fewest_resamples, marks
from hierviz.uncertainty.resamples import (
    FEWEST,
    FEWEST_WRONG,
    MOST_LACKING,
    bound_caution,
    leaves_too_few_wrong,
    percentile_ends,
    too_few_units,
)
from hierviz.uncertainty.risk_bounds import wilson
from hierviz.uncertainty.student import satterthwaite, t_quantile, t_tail


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
    n_valued : dict of str to int
        Of means over samples by key: samples, or groups, with a value.
    shares : frozenset of str
        Keys that are means of 0/1 values over single samples.
    """

    name: str
    runs: list[dict[str, float | None]]
    draws: dict[str, np.ndarray]
    n_units: int
    n_samples: int
    n_valued: Mapping[str, int] = field(default_factory=dict)
    shares: frozenset[str] = frozenset()

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

    def why_no_interval(self, column: Column) -> str | None:
        """Why a number has no interval, in words; None when it has one."""
        why = self.why_not_compared(column)
        if why is None and not np.isfinite(self.draws[column.key]).any():
            return "it is infinite in every resample"
        return why

    def why_not_compared(self, column: Column) -> str | None:
        """Why the resamples say nothing of a number, in words; None when they do, if only that it is infinite in all of them."""
        if self.value(column.key) is None:
            return "it has no value"
        draws = self.draws.get(column.key)
        if draws is None:
            return "it is not resampled"
        few = too_few_units(self.n_units, self.n_units != self.n_samples)
        if few is not None:
            return few
        if self.n_valued.get(column.key, FEWEST) < FEWEST:
            return f"only {self.n_valued[column.key]} samples or groups have it: an interval needs at least {FEWEST}"
        level = next((level for key, level in AT_CORRECT.items() if column.metric.endswith(key)), None)
        if level is not None and leaves_too_few_wrong(self.n_samples, level):
            return f"{self.n_samples} samples are too few for {100 * level:g} % correct: fewer than {FEWEST_WRONG} may be wrong"
        lacking = float(np.isnan(draws).mean())
        return f"{percent_text(lacking, 1)} of the resamples have no such number" if lacking > MOST_LACKING else None

    def interval(self, column: Column, level: float) -> tuple[float, float] | None:
        """Interval of the value, inside the range of the number; None where there is none."""
        if self.why_no_interval(column) is not None:
            return None
        value = self.value(column.key)
        assert value is not None
        if self._is_wilson(column):
            n = self.n_valued[column.key]
            low, high = map(float, wilson(round(value * n), n, level))
        else:
            low, high = Difference(value, self.draws[column.key], [self], column.key).interval(level)
        return max(low, column.range[0]), min(high, column.range[1])

    def interval_caution(self, column: Column) -> str | None:
        """That an interval may be too short since many resamples lie at the end of the range, in words; else None."""
        if self._is_wilson(column) or self.why_no_interval(column) is not None:
            return None
        return bound_caution(self.draws[column.key], column.range)

    def _is_wilson(self, column):
        return self.n_runs == 1 and column.key in self.shares


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
                parts.append((method.spread(self.key) or 0.0) ** 2 / method.n_runs)
                degrees.append(method.n_runs - 1.0)
        return sum(parts), satterthwaite(parts, degrees)

    def interval(self, level: float) -> tuple[float, float]:
        """(low, high): percentiles with one run each, where the resamples suffice for the level; else by Student's t."""
        known = self.draws[~np.isnan(self.draws)]
        is_open = not math.isfinite(self.estimate)
        if is_open or (not self.has_runs and len(known) >= fewest_resamples(level)):
            low, high = percentile_ends(known, level)
            return float(low), float(high)
        variance, degrees = self.variance()
        half = t_quantile(level, degrees) * math.sqrt(variance) if variance else 0.0
        return self.estimate - half, self.estimate + half

    def is_clear(self, level: float) -> bool:
        """Whether the interval leaves out 0, and the difference is more than rounding."""
        if abs(self.estimate) <= TIE:
            return False
        if self.has_runs:
            variance, degrees = self.variance()
            return (
                bool(self.estimate) and t_tail(abs(self.estimate) / math.sqrt(variance or 1e-300), degrees) < 1 - level
            )
        low, high = self.interval(level)
        return low > TIE or high < -TIE


def difference(a: Method, b: Method, column: Column) -> Difference | None:
    """The value of `a` minus that of `b`, paired by the resamples; None where one has no interval."""
    if a.why_not_compared(column) or b.why_not_compared(column):
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
    if not column.sign:
        return [None] * len(methods)
    gains = gains_of(methods, column)
    return [None if np.isnan(gain) else 1 + int((gains > gain).sum()) for gain in gains]


def gains_of(methods: Sequence[Method], column: Column) -> np.ndarray:
    """Values as they are compared, larger is better: ndarray of float, shape (n_methods,); nan without a value."""
    values = [method.value(column.key) for method in methods]
    return rounded([np.nan if value is None else column.sign * value for value in values])


def marks_of(methods: Sequence[Method], column: Column, level: float) -> list[str | None]:
    """'best', 'tied', 'second' or None of each method, as the conventions say; all None where nothing can be compared."""
    clear = clear_of(methods, column, level)
    gains = gains_of(methods, column)
    if clear is None or not column.sign or math.isinf(np.nanmax(gains)):
        return [None] * len(methods)
    return marks(gains, clear)


def clear_of(methods: Sequence[Method], column: Column, level: float) -> np.ndarray | None:
    """Which pairs of methods are clearly different by a number, as the conventions say.

    Returns
    -------
    ndarray of bool, shape (n_methods, n_methods), or None
        False where one has no value. None where nothing can be compared: fewer than two values, or a value without an interval.
    """
    sign, found = column.sign or 1, [method.value(column.key) for method in methods]
    values = np.array([np.nan if value is None else sign * value for value in found])
    places = np.flatnonzero(~np.isnan(values)).tolist()
    known = [methods[place] for place in places]
    if len(known) < 2 or any(method.why_not_compared(column) for method in known):
        return None
    draws = np.stack([method.draws[column.key] for method in known])
    if draws.shape[1] < fewest_resamples(level):
        return None
    clear = np.zeros((len(methods), len(methods)), dtype=bool)
    clear[np.ix_(places, places)] = clear_pairs(
        rounded(values[places]),
        sign * draws,
        level,
        known[0].n_units,
        spread=[method.spread(column.key) or 0.0 for method in known],
        n_runs=[method.n_runs for method in known],
    )
    return clear
