"""Several runs of one method: means with their spread, and of how many.

Conventions
-----------
Repeats are the first axis. Published tables have 1.96 sample standard deviations (ddof = 1) [1]_, `OverRuns.half_width`.

The difference of two methods varies with the samples and with the runs. To the variance over the samples, of the runs at hand,
that of the mean over the runs is added, s_A² / r_A + s_B² / r_B, with the degrees of freedom of Welch and Satterthwaite
(`with_runs`).

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.operating_curve import OperatingCurve
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.metrics.registry import path_keys
from hierviz.taxonomy.checks import array_of_numbers, check_kind
from hierviz.uncertainty.resamples import FEWEST, Interval
from hierviz.uncertainty.student import satterthwaite, t_quantiles, t_tail


@dataclass(frozen=True, eq=False)
class OverRuns(Short):
    """A number, or an array of numbers, over runs.

    Attributes
    ----------
    mean : ndarray of float
        Over the runs that have a value; nan where none has.
    sd : ndarray of float
        Sample standard deviation of these (ddof = 1); nan with fewer than two. It says how much a retraining changes a number,
        and nothing about other samples: that is what intervals say.
    n : ndarray of int
        Runs that have a value.
    """

    mean: np.ndarray
    sd: np.ndarray
    n: np.ndarray

    @property
    def half_width(self) -> np.ndarray:
        """1.96 standard deviations, as in the published tables."""
        return 1.96 * self.sd

    @property
    def n_repeats(self) -> int:
        """Number of runs, where all have a value."""
        return int(np.max(self.n))


def over_runs(values: ArrayLike) -> OverRuns:
    """Mean and standard deviation of numbers over runs.

    Parameters
    ----------
    values : array_like of float, shape (n_runs, ...)
        nan where a run has no such number.

    Returns
    -------
    OverRuns
        Arrays of the shape of one run.
    """
    values = np.asarray(values, dtype=float)
    known = ~np.isnan(values)
    n = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0.0).sum(axis=0) / n
        squares = np.where(known, (values - mean) ** 2, 0.0).sum(axis=0)
        sd = np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan)
    return OverRuns(mean, sd, n)


def over_repeats(values: ArrayLike) -> OverRuns:
    """Mean and spread of a number, or of an array of numbers, over runs that all have it.

    Parameters
    ----------
    values : array_like of float, shape (n_repeats, ...)
        At least two runs; nan where one of them is nan.

    Returns
    -------
    OverRuns

    Raises
    ------
    PredictionsError
        If there are fewer than two runs.
    """
    values = array_of_numbers(values, "repeats")
    if values.ndim == 0 or len(values) < 2:
        raise PredictionsError(f"repeats: expected at least two runs, got {values.size}. One run has no spread.")
    found = over_runs(values)
    mean, sd = (np.where(found.n == len(values), of, np.nan)[()] for of in (found.mean, found.sd))
    return OverRuns(mean, sd, found.n)


def with_runs(difference: Interval, runs: Sequence[ArrayLike]) -> tuple[Interval, np.ndarray]:
    """The difference of two methods with several runs, where both the samples and the runs vary.

    Parameters
    ----------
    difference : Interval
        Of the means over the runs: its draws are of the samples alone.
    runs : sequence of array_like of float, each shape (n_runs, ...)
        The numbers of every run of each method. One run says nothing about retraining, and adds nothing.

    Returns
    -------
    interval : Interval
        Student's interval. Its draws have a normal deviate for each run, and the spread that the interval has: bands along a
        range follow from them. As it was where no method has several runs.
    p_value : ndarray of float
        Two-sided, in [0, 1]; nan where there is no interval.
    """
    several = [values for of in runs if len(values := np.asarray(of, dtype=float)) > 1]
    n, estimate = difference.resamples.n_units, difference.estimate
    none = np.isnan(difference.lower)
    if not several or n < FEWEST:
        return difference, np.full(np.shape(estimate), np.nan)
    rng = np.random.default_rng(0)
    with np.errstate(invalid="ignore"):
        parts, noise = [over_runs(difference.draws).sd ** 2 * n / (n - 1)], 0.0
        for values in several:
            off, r = values - values.mean(axis=0), len(values)
            parts.append((off**2).sum(axis=0) / (r * (r - 1)))
            noise = noise + np.tensordot(rng.standard_normal((len(difference.draws), r)), off, 1) / np.sqrt(r * (r - 1))
        error = np.sqrt(sum(parts))
    degrees_of_parts = [n - 1, *(len(values) - 1 for values in several)]
    each = zip(*(np.where(none, 0.0, part).ravel() for part in parts), strict=True)
    degrees = np.reshape([satterthwaite(one, degrees_of_parts) for one in each], np.shape(error))
    quantile = t_quantiles(difference.level, degrees)
    t = np.divide(np.abs(estimate), error, out=np.where(estimate == 0, 0.0, np.inf), where=error > 0)
    tails = [t_tail(*one) for one in zip(np.where(none, 0.0, t).ravel(), degrees.ravel(), strict=True)]
    p_value = np.where(none, np.nan, np.reshape(tails, np.shape(error)))
    wider = quantile / t_quantiles(difference.level, np.array(np.inf))
    draws = estimate + wider * (difference.draws - estimate + noise)
    found = replace(difference, lower=estimate - quantile * error, upper=estimate + quantile * error, draws=draws)
    return found.without(none), p_value


def curve_over_repeats(curves: Sequence[OperatingCurve], thresholds: ArrayLike) -> dict[str, OverRuns]:
    """Operating curves of several runs at common thresholds [1]_.

    Parameters
    ----------
    curves : sequence of OperatingCurve
        At least two.
    thresholds : array_like of float, shape (n_thresholds,)

    Returns
    -------
    dict of str to OverRuns
        By the keys of `hierviz.metrics.registry.path_keys`; arrays of shape (n_thresholds,).

    Raises
    ------
    PredictionsError
        If there are fewer than two curves, or they are no OperatingCurves.
    """
    runs = [curve.at(thresholds) for curve in _checked(curves)]
    return {key: over_repeats([run[key] for run in runs]) for key in path_keys()}


@dataclass(frozen=True, eq=False)
class Spread(Short):
    """Mean over runs, and the mean less and plus one standard deviation (ddof = 1), as `Interval` for charts."""

    estimate: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


@dataclass(frozen=True, eq=False)
class RunBands(Short):
    """What varies between runs of one method at each threshold, as `hierviz.uncertainty.bootstrap.CurveBands` for charts.

    Attributes
    ----------
    thresholds : ndarray of float, shape (n_thresholds,)
    curve : dict of str to Spread
        Keys `hierviz.metrics.registry.path_keys`.
    n_runs : int
    """

    thresholds: np.ndarray
    curve: dict[str, Spread]
    n_runs: int


def run_bands(curves: Sequence[OperatingCurve], thresholds: ArrayLike) -> RunBands:
    """Bands over at least two runs at common thresholds: mean ± one standard deviation, ddof = 1."""
    found = curve_over_repeats(curves, thresholds)
    (n_runs,) = {one.n_repeats for one in found.values()}
    spread = {key: Spread(one.mean, one.mean - one.sd, one.mean + one.sd) for key, one in found.items()}
    return RunBands(np.asarray(thresholds, dtype=float), spread, n_runs)


def mean_curve(curves: Sequence[OperatingCurve], *, most: int = 20_000) -> OperatingCurve:
    """The mean over runs of one method at every threshold.

    Parameters
    ----------
    curves : sequence of OperatingCurve
        At least one, of as many samples each.
    most : int
        Of more breakpoints, so many are kept, evenly among them.

    Returns
    -------
    OperatingCurve
        Its breakpoints are those of all runs. Numbers of this curve are no means over runs of the numbers of theirs.
    """
    runs = _checked(curves)
    if not runs:
        raise PredictionsError("curves: expected at least one run, got none. Pass one.")
    found = np.unique(np.concatenate([run.threshold for run in runs]))[::-1]
    if len(found) > most:
        found = found[np.unique(np.linspace(0, len(found) - 1, most).astype(int))]
    if not len(found):
        return runs[0]
    points = np.append(found, np.nextafter(found[-1], -np.inf))
    at = [run.at(points) for run in runs]
    return OperatingCurve(found, {key: np.mean([one[key] for one in at], axis=0) for key in at[0]}, runs[0].n_samples)


@dataclass(frozen=True, eq=False)
class CurveOfRuns(OperatingCurve):
    """`mean_curve` of several runs of one method, with the curves of the runs.

    Attributes
    ----------
    runs : tuple of OperatingCurve
        At least two.
    """

    runs: tuple[OperatingCurve, ...] = ()

    def summary(self) -> dict[str, float]:
        """Means over the runs of their numbers; ``n_points`` is that of the mean curve."""
        means = {key: float(one.mean) for key, one in summary_over_repeats(self.runs).items()}
        return means | {"n_points": self.n_points}

    def spread(self) -> dict[str, float]:
        """Standard deviation between the runs (ddof = 1) of each number of `summary` but ``n_points``."""
        return {key: float(one.sd) for key, one in summary_over_repeats(self.runs).items()}


def curve_of_runs(curves: Sequence[OperatingCurve]) -> OperatingCurve:
    """The curve of a method of one run as it is; of several runs, of as many samples each, their `CurveOfRuns`."""
    runs = _checked(curves)
    if len(runs) == 1:
        return runs[0]
    mean = mean_curve(runs)
    return CurveOfRuns(mean.threshold, mean.values, mean.n_samples, tuple(runs))


def summary_over_repeats(curves: Sequence[OperatingCurve]) -> dict[str, OverRuns]:
    """The scalars of `OperatingCurve.summary` over several runs: dict of str to OverRuns (``n_points`` left out)."""
    runs = [curve.summary() for curve in _checked(curves)]
    return {key: over_repeats([run[key] for run in runs]) for key in (runs[0] if runs else ()) if key != "n_points"}


def _checked(curves):
    """The curves as a list; a PredictionsError unless they are OperatingCurves."""
    if isinstance(curves, (str, OperatingCurve)) or not hasattr(curves, "__iter__"):
        raise PredictionsError(
            f"curves: expected a list of OperatingCurves, got {type(curves).__name__}. Pass one a run."
        )
    curves = list(curves)
    for curve in curves:
        check_kind("curves", curve, OperatingCurve, "Pass a list of them, one a run.")
    return curves
