r"""Are two models different? Paired intervals of their difference, and which models share the best place.

Which of several models differ when all pairs are compared, and marks that follow from it.

Conventions
-----------
Both sides come from the same `Resamples`, so that what makes a resample easy makes it easy for both: the difference is
taken in each resample, and its interval is narrower than two single intervals suggest. "No clear difference" means that
the interval of the difference contains 0, or that the resamples are too few to reach its level. It is pointwise, and no
correction is made for many comparisons, but in `clear_after_holm` (several pairs), `tied_with_best` (the best of several, by
`clear_pairs`) and `simultaneous` (a whole range). A difference of `TIE` or less is none.

Models are compared by numbers of the whole curve or where the same share of their answers is correct, never at the same
threshold: their scores are on different scales.

Whoever looks for the best of k models has compared all of them. With d the difference of a pair, v its variance between the
resamples, and d* the difference in one resample, c is the quantile `level` over the resamples of the largest
:math:`|d^* - d| / \sqrt v` of the k (k - 1) / 2 pairs (max-\|t\| [3]_, [4]_). The intervals :math:`d \pm c' \sqrt v` hold for all
pairs at once: of k equal models some pair is called different in 1 - level of all tables. c' is the quantile of Student's t of
the probability that c has of the normal distribution, with n - 1 degrees of freedom (samples or groups), and v is taken
n / (n - 1) times: without this, 10 to 13 % of tables of 12 equal models of 10 to 50 samples name a worse one.

Runs of a model add s² / r to v, and to each resample a normal deviate of that variance; the degrees of freedom are then those of
Welch and Satterthwaite.

Functions
---------
paired_difference, no_clear_difference, clear_after_holm, simultaneous, fewest_samples, too_few_for,
never_reached, tied_with_best, clear_pairs, marks, fewest_resamples

References
----------
.. [1] S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979) 65-70.
.. [2] J. L. Montiel Olea, M. Plagborg-Møller, Simultaneous confidence bands: theory, implementation, and an application
   to SVARs, J. Appl. Econometrics 34 (2019) 1-17.
.. [3] J. P. Romano, M. Wolf, Exact and approximate stepdown methods for multiple hypothesis testing, JASA 100 (2005) 94-108.
.. [4] J. W. Tukey, The problem of multiple comparisons, 1953 (all pairs).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.metrics.ties import TIE, at_least, rounded
from hierviz.taxonomy.checks import check_kind
from hierviz.uncertainty.bootstrap import AT_CORRECT, CurveBands
from hierviz.uncertainty.repeats import with_runs
from hierviz.uncertainty.resamples import FEWEST, FEWEST_WRONG, MOST_LACKING, Interval
from hierviz.uncertainty.student import satterthwaite, t_quantile, t_tail


def fewest_resamples(level, n_differences=1):
    """How many resamples it takes to call any of so many differences clear by Holm's steps: 40 for one at 95 %.

    With fewer, not even the outermost draws are as far out as the level asks for. Of `clear_pairs` it is the number for one.
    """
    return math.ceil(2 * n_differences / (1 - level) - 1e-6)


def clear_pairs(values, draws, level, n_units, *, degrees=None, spread=None, n_runs=None):
    """Which pairs of models are clearly different.

    Parameters
    ----------
    values : array_like of float, shape (n_models,)
        nan without a value. An infinite one is clearly different from every finite one.
    draws : ndarray of float, shape (n_models, n_resamples)
        From the same resamples; of several runs the mean over them.
    level : float
        In (0, 1).
    n_units : int
        Samples, or groups, that were drawn; below `FEWEST` nothing is clear.
    degrees : float, optional
        Of freedom of the variances between the resamples; n_units - 1 if not given.
    spread : array_like of float, shape (n_models,), optional
        Standard deviation between the runs of each model; 0 for one run.
    n_runs : array_like of int, shape (n_models,), optional

    Returns
    -------
    ndarray of bool, shape (n_models, n_models)
        Where the simultaneous interval of the difference leaves out 0, and the difference is more than rounding. Nothing is
        clear with fewer than `fewest_resamples` resamples, nor where too many of them lack a number.
    """
    values, draws = np.asarray(values, dtype=np.float64), np.asarray(draws, dtype=np.float64)
    k, n_draws = draws.shape
    n_runs = np.ones(k, dtype=int) if n_runs is None else np.asarray(n_runs)
    has_runs = n_runs > 1
    of_runs = np.where(has_runs, np.asarray(0 if spread is None else spread, dtype=np.float64) ** 2 / n_runs, 0.0)
    noise = np.zeros((k, 1))
    if of_runs.any():
        noise = np.sqrt(of_runs)[:, None] * np.random.default_rng(0).standard_normal(draws.shape)
    with np.errstate(invalid="ignore"):
        estimate = rounded(values[:, None] - values)
    if n_units < FEWEST or n_draws < fewest_resamples(level):
        return np.zeros((k, k), dtype=bool)
    of_samples, farthest = np.full((k, k), np.inf), np.zeros(n_draws)
    finite = np.isfinite(values)
    for first in np.flatnonzero(finite):
        others = np.flatnonzero(finite & (np.arange(k) > first))
        with np.errstate(invalid="ignore"):
            apart = rounded(draws[first] - draws[others])
        has_draws = np.isnan(apart).mean(axis=1) <= MOST_LACKING
        others, apart = others[has_draws], apart[has_draws]
        variance = np.nanvar(apart, axis=1, ddof=1) * n_units / (n_units - 1)
        of_samples[first, others] = of_samples[others, first] = variance
        off = np.abs(apart + noise[first] - noise[others] - estimate[first, others][:, None])
        # The draws by their own spread, which is that of n - 1: else the correction cancels itself.
        error = np.sqrt(variance * (n_units - 1) / n_units + of_runs[first] + of_runs[others])[:, None]
        t = np.divide(off, error, out=np.zeros_like(off), where=(off > TIE) & (error > 0))
        farthest = np.fmax(farthest, np.fmax.reduce(t, axis=0, initial=0.0))
    c = float(np.quantile(farthest, level, method="higher"))
    tail, degrees = t_tail(c, math.inf), n_units - 1 if degrees is None else degrees
    error = np.sqrt(of_samples + of_runs[:, None] + of_runs)
    is_known = np.isfinite(error) & (np.abs(estimate) > TIE)
    t = np.divide(np.abs(estimate), error, out=np.full((k, k), np.inf), where=is_known & (error > 0))
    clear = is_known & (t > (t_quantile(1 - tail, degrees) if c else 0.0))
    for first, other in np.argwhere(np.triu(has_runs[:, None] | has_runs, 1) & is_known):
        parts = [of_samples[first, other], of_runs[first], of_runs[other]]
        of_pair = satterthwaite(parts, [degrees, max(n_runs[first] - 1, 1), max(n_runs[other] - 1, 1)])
        clear[first, other] = clear[other, first] = t_tail(t[first, other], of_pair) < tail
    return clear | np.isinf(estimate)


def marks(gains, is_clear=None):
    """'best', 'tied', 'second' or None of each model.

    Parameters
    ----------
    gains : array_like of float, shape (n_models,)
        Larger is better; nan is not marked.
    is_clear : ndarray of bool, shape (n_models, n_models), optional
        Of `clear_pairs`. Without it there are the best values alone.

    Returns
    -------
    list of (str or None)
        Equal values share the first place. 'tied' are those not clearly different from a best one, 'second' is the best of
        the rest.
    """
    gains = rounded(gains)
    found = np.full(len(gains), None, dtype=object)
    if np.isnan(gains).all():
        return found.tolist()
    best = gains == np.nanmax(gains)
    found[best] = "best"
    if is_clear is not None:
        behind = ~np.isnan(gains) & ~best
        clear = behind & is_clear[best].all(axis=0)
        found[behind & ~clear] = "tied"
        found[clear & (gains == gains[clear].max(initial=-np.inf))] = "second"
    return found.tolist()


# Two of a kind, and a difference of that kind.
Compared = TypeVar("Compared", Interval, CurveBands)


def paired_difference(a: Compared | Sequence[Compared], b: Compared | Sequence[Compared]) -> Compared:
    """Values of `a` minus those of `b`, with their intervals.

    Parameters
    ----------
    a, b : Interval, or CurveBands, or sequence of them
        Two of a kind, of one level, from the same resamples; bands at the same thresholds and shares of correct answers. Several
        are the runs of a method: their means are compared, and the interval also says how much they vary
        (`hierviz.uncertainty.repeats.with_runs`).

    Returns
    -------
    Interval, or CurveBands
        Of the same shape; of CurveBands the keys that all have. Exactly 0 without width where both are the same model; none
        where one of them has no interval.

    Raises
    ------
    PredictionsError
        If resamples, levels, shapes or thresholds differ, or there is no run.
    """
    methods = [list(one) if isinstance(one, Sequence) else [one] for one in (a, b)]
    if not all(methods):
        raise PredictionsError("difference: expected at least one run of each method, got none. Pass one.")
    every = [one for runs in methods for one in runs]
    for one in every:
        if not isinstance(one, CurveBands):
            check_kind("difference", one, Interval, "Pass what a bootstrap returns.")
    if isinstance(every[0], CurveBands):
        for one in every[1:]:
            check_kind("difference", one, CurveBands, "Pass two of a kind.")
        return _bands_of_differences(methods)
    for one in every[1:] or every:
        _check_paired(every[0], one)
    first, second = methods
    with np.errstate(invalid="ignore"):
        # Two infinite means have no known difference.
        estimate, draws = (
            np.mean([getattr(one, name) for one in first], axis=0)
            - np.mean([getattr(one, name) for one in second], axis=0)
            for name in ("estimate", "draws")
        )
        found = Interval.from_draws(estimate, draws, every[0].resamples, every[0].level)
    found = found.without(np.any([np.isnan(one.lower) for one in every], axis=0))
    return with_runs(found, [[one.estimate for one in runs] for runs in methods])[0]


def _bands_of_differences(methods):
    first, *others = every = [one for runs in methods for one in runs]
    for name in ("thresholds", "levels"):
        for one in others:
            of_a, of_b = getattr(first, name), getattr(one, name)
            if not np.array_equal(of_a, of_b):
                raise PredictionsError(
                    f"{name}: expected the same for both models, got {len(of_a)} and {len(of_b)} that differ. "
                    "Bootstrap both at the same ones."
                )

    def differences(name):
        keys = [key for key in getattr(first, name) if all(key in getattr(one, name) for one in every)]
        return {
            key: paired_difference(*([getattr(one, name)[key] for one in runs] for runs in methods)) for key in keys
        }

    curve, summary, at_correct = map(differences, ("curve", "summary", "at_correct"))
    return CurveBands(first.thresholds, curve, summary, first.levels, at_correct)


def no_clear_difference(difference: Interval) -> np.ndarray:
    """Where the interval of a `paired_difference` contains 0, or is nan: ndarray of bool of its shape.

    True everywhere where the resamples are fewer than `fewest_resamples`.
    """
    check_kind("difference", difference, Interval, "paired_difference gives it.")
    if difference.resamples.n_resamples < fewest_resamples(difference.level):
        return np.ones(np.shape(difference.lower), dtype=bool)
    return ~((difference.lower > TIE) | (difference.upper < -TIE))


def clear_after_holm(differences):
    """Which of several differences are clear, all judged together.

    Parameters
    ----------
    differences : sequence of Interval
        Single numbers of one level, as `paired_difference` gives them.

    Returns
    -------
    ndarray of bool, shape (n_differences,)
        By Holm's steps [1]_: the chance that any of those without a true difference is called clear stays below
        1 - level. With one difference: whether its interval leaves 0 out. None is clear where the resamples are fewer
        than `fewest_resamples`.
    """
    clear = np.zeros(len(differences), dtype=bool)
    while not clear.all():
        left = np.flatnonzero(~clear)
        is_clear = []
        for place in left:
            one = differences[place]
            level = 1 - (1 - one.level) / len(left)
            strict = Interval.from_draws(one.estimate, one.draws, one.resamples, level)
            is_clear.append(not no_clear_difference(strict))
        if not any(is_clear):
            break
        clear[left[is_clear]] = True
    return clear


def simultaneous(difference):
    """The Interval with a band that holds along its whole length at once (sup-t [2]_), for sentences about a range.

    Parameters
    ----------
    difference : Interval
        Of a row of numbers, shape (n,).

    Returns
    -------
    Interval
        The same numbers: estimate ± c × standard deviation of the draws, c such that the share `level` of the draws lies
        inside everywhere. Without width where the draws have none; none with too few samples or groups.
    """
    spread = difference.draws.std(axis=0, ddof=1)
    off = np.abs(difference.draws - difference.estimate)
    farthest = np.divide(off, spread, out=np.zeros_like(off), where=spread > 0).max(axis=1, initial=0.0)
    half = np.quantile(farthest, difference.level, method="higher") * spread
    found = replace(difference, lower=difference.estimate - half, upper=difference.estimate + half)
    return found.without(difference.resamples.why_no_interval is not None)


def too_few_for(keys, n_samples):
    """Those of the keys that models cannot be compared by on so few samples: of `AT_CORRECT`, where under 10 may be wrong."""
    return [key for key in keys if key in AT_CORRECT and n_samples < fewest_samples(key)]


def fewest_samples(key):
    """How many samples it takes to compare models by a number of `AT_CORRECT`: 200 at 95 % correct."""
    return math.ceil(FEWEST_WRONG / (1 - AT_CORRECT[key]) - 1e-6)


def never_reached(curve):
    """Shares of `AT_CORRECT` that a curve reaches at no threshold: list of their keys. The number is 0 there."""
    most = curve.values["correct"].max()
    return [key for key, level in AT_CORRECT.items() if not at_least(most, level)]


def tied_with_best(models: Iterable[Interval], *, higher_is_better: bool = True) -> np.ndarray:
    """Which models are the best one or not clearly different from it.

    Parameters
    ----------
    models : sequence of Interval
        One a model, all of one shape (single numbers, or one number a column of a table), from the same resamples.
    higher_is_better : bool

    Returns
    -------
    ndarray of bool, shape (n_models, ...)
        True for the model with the best estimate (equal ones share it) and for those not clearly different from it when all
        pairs are compared (`hierviz.uncertainty.comparison`). False where a model's estimate is nan; below ten samples or
        groups nothing is clearly different.

    Raises
    ------
    PredictionsError
        If there is no model, or resamples, levels or shapes differ.
    """
    if not hasattr(models, "__iter__"):
        raise PredictionsError(f"models: expected a list of Intervals, got {type(models).__name__}. Pass one a model.")
    models = list(models)
    if not models:
        raise PredictionsError("models: expected at least one, got none. Nothing can be compared.")
    for other in models[1:]:
        _check_paired(models[0], other)
    level, resamples = models[0].level, models[0].resamples
    estimates = np.stack([model.estimate for model in models])
    draws = np.stack([model.draws for model in models])
    tied = np.zeros(estimates.shape, dtype=bool)
    for place in np.ndindex(estimates.shape[1:]):
        values = estimates[(slice(None), *place)]
        pairs = clear_pairs(values, draws[(slice(None), slice(None), *place)], level, resamples.n_units)
        found = marks(values if higher_is_better else -values, pairs)
        tied[(slice(None), *place)] = [mark in ("best", "tied") for mark in found]
    return tied


def _check_paired(a, b):
    for interval in (a, b):
        check_kind("difference", interval, Interval, "Pass two of bootstrap_means, or two of bootstrap_curve.")
    if not a.resamples.is_same(b.resamples):
        raise PredictionsError(
            "resamples: expected the same for both models, got others (seed, number, samples or groups). "
            "Bootstrap both with one Resamples."
        )
    if a.level != b.level or a.draws.shape != b.draws.shape:
        raise PredictionsError(
            f"intervals: expected one level and shape, got {a.level} {a.estimate.shape} and {b.level} {b.estimate.shape}. "
            "Compute both in the same way."
        )
