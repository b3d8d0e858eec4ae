"""Are two models different? Paired intervals of their difference, and which models share the best place.

Conventions
-----------
Both sides come from the same `Resamples`, so that what makes a resample easy makes it easy for both: the difference is
taken in each resample, and its interval is narrower than two single intervals suggest. "No clear difference" means that
the interval of the difference contains 0. It is pointwise, and no correction is made for many comparisons.

Functions
---------
paired_difference, no_clear_difference, tied_with_best
"""

from __future__ import annotations

import numpy as np

from hierviz.bootstrap import CurveBands
from hierviz.errors import PredictionsError
from hierviz.resamples import Interval


def paired_difference(a, b):
    """Values of `a` minus those of `b`, with their intervals.

    Parameters
    ----------
    a, b : Interval, or CurveBands
        Two of a kind, of one level, from the same resamples; bands at the same thresholds.

    Returns
    -------
    Interval, or CurveBands
        Of the same shape; of CurveBands the keys that both have. Exactly 0 without width where both are the same model.

    Raises
    ------
    PredictionsError
        If resamples, levels, shapes or thresholds differ.
    """
    if isinstance(a, CurveBands):
        if not np.array_equal(a.thresholds, b.thresholds):
            raise PredictionsError(
                f"thresholds: expected the same for both models, got {len(a.thresholds)} and {len(b.thresholds)} that "
                "differ. Bootstrap both at the same ones."
            )
        parts = ((a.curve, b.curve), (a.summary, b.summary))
        curve, summary = ({key: paired_difference(x[key], y[key]) for key in x if key in y} for x, y in parts)
        return CurveBands(a.thresholds, curve, summary)
    _check_paired(a, b)
    with np.errstate(invalid="ignore"):
        # Two infinite means have no known difference.
        return Interval.of(a.estimate - b.estimate, a.draws - b.draws, a.resamples, a.level)


def no_clear_difference(difference):
    """Where the interval of a `paired_difference` contains 0, or is nan: ndarray of bool of its shape."""
    return ~((difference.lower > 0) | (difference.upper < 0))


def tied_with_best(models, *, higher_is_better=True):
    """Which models are the best one or not clearly different from it.

    Parameters
    ----------
    models : sequence of Interval
        One a model, all of one shape (single numbers, or one number a column of a table), from the same resamples.
    higher_is_better : bool

    Returns
    -------
    ndarray of bool, shape (n_models, ...)
        True for the model with the best estimate (the first of equal ones) and for those whose paired difference from
        it has an interval that contains 0. False where a model's estimate is nan.

    Raises
    ------
    PredictionsError
        If there is no model, or resamples, levels or shapes differ.
    """
    models = list(models)
    if not models:
        raise PredictionsError("models: expected at least one, got none. Nothing can be compared.")
    for other in models[1:]:
        _check_paired(models[0], other)
    estimates = np.stack([one.estimate for one in models])
    known = ~np.isnan(estimates)
    worst = -np.inf if higher_is_better else np.inf
    ranked = np.where(known, estimates, worst)
    best = ranked.argmax(axis=0) if higher_is_better else ranked.argmin(axis=0)
    best_estimate, best_draws = models[0].estimate, models[0].draws
    for place, one in enumerate(models):
        best_estimate = np.where(best == place, one.estimate, best_estimate)
        best_draws = np.where(best == place, one.draws, best_draws)
    leader = Interval.of(best_estimate, best_draws, models[0].resamples, models[0].level)
    return known & [no_clear_difference(paired_difference(one, leader)) for one in models]


def _check_paired(a, b):
    if not a.resamples.is_same(b.resamples):
        raise PredictionsError(
            "resamples: expected the same for both models, got others (seed, number, samples or groups). "
            "Bootstrap both with one Resamples."
        )
    if a.level != b.level or a.draws.shape != b.draws.shape:
        raise PredictionsError(
            f"intervals: expected one level and shape, got {a.level} {a.estimate.shape} and {b.level} {b.estimate.shape}. "
            "Work both out in the same way."
        )
