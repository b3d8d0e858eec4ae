"""Bootstrap: how far curves and means would move with other samples of the same kind.

Conventions
-----------
Resamples and percentile intervals are those of `uncertainty.resamples`; means of 0/1 values of single samples have Wilson's
interval, since a percentile interval of a share near 0 or 1 is far too short. Bands are pointwise: at one threshold the interval
covers with its level, not at all thresholds at once. A curve is sorted once and only weighted again for each resample.

Functions
---------
bootstrap_means, bootstrap_curve, CurveBands
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.operating_curve import THOUSANDTHS, CurveSteps
from hierviz.inference.pareto_table import ParetoTable, as_table
from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.notebook_html import Short
from hierviz.metrics.registry import path_keys
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import array_of_numbers, one_truth_each
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.resamples import (
    FEWEST,
    Interval,
    Resamples,
    check_drawn_for,
    check_resamples,
    leaves_too_few_wrong,
)
from hierviz.uncertainty.risk_bounds import wilson


def bootstrap_means(
    values: ArrayLike,
    resamples: Resamples,
    *,
    level: float = 0.95,
    progress: Callable[[int, int], object] | None = None,
) -> Interval:
    """Means over samples of any per-sample numbers, with their intervals.

    For what `Evaluation.per_sample` and `LabelSetCounts.per_sample` hold: the win, hF1 of each sample, ``hf1_auc`` (the
    mean of the areas of single samples). A ratio of sums, as in micro averages, is ``Interval.from_draws`` the ratio of the
    estimates and of the draws of two such means.

    Parameters
    ----------
    values : array_like of float, shape (n_samples, ...)
        nan where a sample has no value: the mean runs over the others. Infinities make the means that hold them
        infinite.
    resamples : Resamples
    level : float
    progress : callable, optional
        Called with (resamples done, n_resamples).

    Returns
    -------
    Interval
        Arrays of the shape of one sample's values. nan where no sample has a value, and lower and upper also where fewer
        than ten samples, or groups, have one, too many resamples meet none, or the mean of every resample is infinite.

    Raises
    ------
    PredictionsError
        If the lengths differ or the level is not inside (0, 1).
    """
    check_resamples(resamples, level)
    values = array_of_numbers(values, "values")
    if values.ndim == 0 or len(values) != resamples.n_samples:
        raise PredictionsError(
            f"values: expected those of {resamples.n_samples} samples, got shape {values.shape}. Align them with the resamples."
        )
    flat = values.reshape(len(values), -1)
    # Zero times infinity is nan: add finite values up, and count nan and both infinities apart, where there are any.
    finite = np.where(np.isfinite(flat), flat, 0.0)
    odd = []
    for is_odd in (np.isnan(flat), flat == np.inf, flat == -np.inf):
        columns = np.flatnonzero(is_odd.any(axis=0))
        odd.append((columns, is_odd[:, columns].astype(np.float64)))
    (gaps, is_gap), (highs, is_high), (lows, is_low) = odd

    def mean(counts):
        counts = counts.astype(np.float64)
        known = np.full(flat.shape[1], counts.sum())
        known[gaps] -= counts @ is_gap
        total = counts @ finite
        total[highs[counts @ is_high > 0]] += np.inf
        with np.errstate(invalid="ignore"):
            total[lows[counts @ is_low > 0]] -= np.inf
            return np.divide(total, known, out=np.full(len(known), np.nan), where=known > 0)

    draws = np.array([mean(counts) for _, counts in resamples.each(progress)])
    estimate = mean(np.ones(len(flat)))
    found = Interval.from_draws(estimate, draws, resamples, level)
    n_known = np.full(flat.shape[1], resamples.n_units)
    for column, is_gap_of in zip(gaps, is_gap.T, strict=True):
        known = np.flatnonzero(is_gap_of == 0)
        n_known[column] = len(known if resamples.group_of is None else np.unique(resamples.group_of[known]))
    if resamples.group_of is None:
        is_share = np.isin(finite, (0, 1)).all(axis=0) & np.isfinite(estimate)
        of_shares = wilson(finite.sum(axis=0)[is_share], n_known[is_share], level)
        found.lower[is_share], found.upper[is_share] = of_shares
    found, shape = found.without(n_known < FEWEST), values.shape[1:]
    ends = {name: getattr(found, name).reshape(shape) for name in ("estimate", "lower", "upper")}
    return replace(found, **ends, draws=draws.reshape(len(draws), *shape))


# Numbers of a curve that say how specific a model is with so many correct answers, strictest first.
AT_CORRECT = {"recall_at_95_correct": 0.95, "recall_at_90_correct": 0.90}
# What can be read off a curve where so many answers are correct: how specific they are.
SPECIFICITY_KEYS = ("info_recall", "exact", "depth_recall")


@dataclass(frozen=True, eq=False)
class CurveBands(Short):
    """Bands around an operating curve and intervals of its numbers.

    Attributes
    ----------
    thresholds : ndarray of float64, shape (n_thresholds,)
    curve : dict of str to Interval
        Arrays of shape (n_thresholds,): means at each threshold; the band is ``lower`` to ``upper``.
    summary : dict of str to Interval
        Single numbers: the keys of `OperatingCurve.summary` but ``n_points``.
    levels : ndarray of float64, shape (n_levels,)
        Shares of correct answers.
    at_correct : dict of str to Interval
        Keys `SPECIFICITY_KEYS`, arrays of shape (n_levels,): the largest mean of any threshold at which at least that
        share of the answers is correct, 0 where there is none. Unlike values at one threshold, these of two models can
        be compared: thresholds of different models mean different things.
    """

    thresholds: np.ndarray
    curve: dict[str, Interval]
    summary: dict[str, Interval]
    levels: np.ndarray = field(default_factory=lambda: np.empty(0))
    at_correct: dict[str, Interval] = field(default_factory=dict)


def bootstrap_curve(
    taxonomy: Taxonomy,
    truth: ArrayLike,
    table: ArrayLike | Predictions | ParetoTable,
    resamples: Resamples,
    *,
    thresholds: ArrayLike = THOUSANDTHS,
    keys: Sequence[str] | None = None,
    more: Mapping[str, ArrayLike] | None = None,
    levels: ArrayLike = (),
    level: float = 0.95,
    progress: Callable[[int, int], object] | None = None,
) -> CurveBands:
    """Bands of an operating curve and intervals of its summary, from the Pareto sets alone.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        One known true node a sample.
    table : ndarray of float, shape (n_samples, n_nodes), Predictions, or ParetoTable
    resamples : Resamples
        Of as many samples. Give all models the same.
    thresholds : array_like of float, shape (n_thresholds,)
        Where the bands are wanted, in any order. The summary is exact: over the whole curve of each resample.
    keys : sequence of str, optional
        Which of `hierviz.metrics.registry.path_keys` (all if not given) and of the names in `more`. The draws take 8 bytes x
        n_resamples x n_thresholds each.
    more : dict of str to array_like, shape (n_elements,), optional
        Other values of the answers in the table, such as ``{"depth": taxonomy.depth[table.nodes]}``: their means get
        bands under their names.
    levels : array_like of float, shape (n_levels,), optional
        Shares of correct answers at which `SPECIFICITY_KEYS` are wanted.
    level : float
    progress : callable, optional
        Called with (resamples done, n_resamples).

    Returns
    -------
    CurveBands
        Without intervals (nan) below ten samples or groups, and at shares of correct answers that leave fewer than ten wrong.

    Raises
    ------
    PredictionsError
        If the lengths differ, a truth is not a node number, a key is not known, or the level is not inside (0, 1).
    TaxonomyError
        If the taxonomy is not a tree.
    """
    check_resamples(resamples, level)
    truth = one_truth_each(truth, "the table")
    table = as_table(taxonomy, table)
    steps = CurveSteps.from_table(taxonomy, truth, table, more)
    check_drawn_for(resamples, table.n_samples)
    keys = path_keys() if keys is None else keys
    unknown = [key for key in keys if key not in steps.keys]
    if unknown:
        raise PredictionsError(f"keys: expected some of {listed(steps.keys, 20)}, got {listed(unknown)}. Correct them.")
    thresholds = array_of_numbers(thresholds, "thresholds").reshape(-1)
    levels = array_of_numbers(levels, "levels").reshape(-1)
    whole = steps.curve()
    places = whole.place(thresholds)

    def numbers(curve):
        """Of one resample: the band of each key, the summary, and the largest means at the levels."""
        values, summary = curve.values, curve.summary()
        return (
            {key: values[key][places] for key in keys},
            {key: summary[key] for key in summary if key != "n_points"},
            {key: curve.envelopes.best(key, "correct", levels) for key in SPECIFICITY_KEYS if len(levels)},
        )

    estimates = numbers(whole)
    draws = [
        {key: np.empty((resamples.n_resamples, *np.shape(of_all))) for key, of_all in part.items()}
        for part in estimates
    ]
    for index, counts in resamples.each(progress):
        for drawn, part in zip(draws, numbers(steps.curve(counts)), strict=True):
            for key, value in part.items():
                drawn[key][index] = value
    bands, summary, at_correct = (
        {key: Interval.from_draws(of_all, drawn[key], resamples, level) for key, of_all in part.items()}
        for drawn, part in zip(draws, estimates, strict=True)
    )
    for key, band in bands.items() if resamples.group_of is None and resamples.why_no_interval is None else ():
        if np.isin(steps.values[:, steps.keys.index(key)], (0, 1)).all():
            lower, upper = wilson(band.estimate * table.n_samples, table.n_samples, level)
            bands[key] = replace(band, lower=lower, upper=upper)
    for key in AT_CORRECT:
        summary[key] = summary[key].without(leaves_too_few_wrong(table.n_samples, AT_CORRECT[key]))
    few = leaves_too_few_wrong(table.n_samples, levels)
    at_correct = {key: found.without(few) for key, found in at_correct.items()}
    return CurveBands(thresholds, bands, summary, levels, at_correct)
