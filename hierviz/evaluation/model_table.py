"""The table that compares models: which numbers, their intervals, and who is best, second or tied.

Conventions
-----------
Numbers are those of `OperatingCurve.summary` and means over samples; all are in [0, 1] and higher is better. Intervals of
several models come from the same `Resamples`, so that ties are judged by the differences of all pairs.

Functions
---------
model_numbers, model_intervals, answer_intervals, standings, spread_over_runs, run_groups
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from hierviz.messages.notebook_html import Short
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.uncertainty.bootstrap import CurveBands, bootstrap_curve, bootstrap_means
from hierviz.uncertainty.comparison import clear_pairs, marks
from hierviz.uncertainty.repeats import over_repeats
from hierviz.uncertainty.resamples import Interval

TABLE_KEYS = (
    "ap",
    "ac",
    "recall_at_90_correct",
    "recall_at_95_correct",
    "majority_f1",
    "leaf_f1",
    "hf1_auc",
    "softmax_win",
)
# Of answers at one threshold, which means different things for different models: these do not show which model is better.
AT_ONE_THRESHOLD = ("majority_f1",)
# Where bands are computed: evenly, and ever closer to 0 and 1, where sure models have their answers.
_ENDS = np.logspace(-2, -6, 25)
BAND_THRESHOLDS = np.unique(np.concatenate([np.arange(134) / 133, 1 - _ENDS, _ENDS, [0.5]]))[::-1]
# Shares of correct answers at which models are compared.
BAND_LEVELS = np.arange(201) / 200
# A word before the number: without one, models such as resnet18 and resnet50 would be runs of one model.
_RUN = re.compile(
    r"^(?P<stem>.*?)[\s_.,:(-]*(?<![A-Za-z])(?:seed|run|rep|repeat|replicate|trial)[\s_.=#-]*\d+\)?$", re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class ModelIntervals(Short):
    """Bands of a model's curve and the intervals of its numbers.

    Attributes
    ----------
    bands : CurveBands
    numbers : dict of str to Interval
        Keys `TABLE_KEYS`, and the other numbers of the curve's summary.
    """

    bands: CurveBands
    numbers: dict[str, Interval]


def model_numbers(samples):
    """The numbers of a model on some samples: dict of `TABLE_KEYS` (and the rest of the curve's summary) to float."""
    return samples.curve.summary() | {key: _mean(values) for key, values in samples.single.items()}


def model_intervals(samples, resamples, *, thresholds=BAND_THRESHOLDS, keys=None, levels=BAND_LEVELS, progress=None):
    """Bootstrap of all numbers of a model.

    Parameters
    ----------
    samples : JudgedSamples
    resamples : Resamples
        Of as many samples; give all models the same.
    thresholds : array_like of float, shape (n_thresholds,)
        Of the bands; the draws take 8 bytes x n_resamples x n_thresholds for each key.
    keys : sequence of str
        Of the bands, those of all path metrics if not given; none of them where only the numbers are wanted.
    levels : array_like of float, shape (n_levels,)
        Shares of correct answers of ``bands.at_correct``.
    progress : callable, optional
        Called with (resamples done, n_resamples); of each the curve counts half, and the means the other half.

    Returns
    -------
    ModelIntervals
    """
    bands = bootstrap_curve(
        samples.taxonomy,
        samples.truth,
        samples.table,
        resamples,
        thresholds=thresholds,
        keys=keys,
        levels=levels,
        progress=progress and (lambda done, n: progress(done // 2, n)),
    )
    keys = list(samples.single)
    means = bootstrap_means(
        np.column_stack([samples.single[key] for key in keys]),
        resamples,
        progress=progress and (lambda done, n: progress((n + done + 1) // 2, n)),
    )
    return ModelIntervals(bands, bands.summary | {key: means.part(i) for i, key in enumerate(keys)})


def answer_intervals(samples, threshold, resamples, *, progress=None):
    """Intervals of every metric of the answers at one threshold, any one: dict of `path_keys` to Interval.

    `progress` is called with (resamples done, n_resamples).
    """
    metrics = path_metrics(samples.taxonomy, samples.truth, samples.table.nodes_at(threshold))
    keys = path_keys()
    means = bootstrap_means(np.column_stack([metrics[key] for key in keys]), resamples, progress=progress)
    return {key: means.part(i) for i, key in enumerate(keys)}


def standings(key, values, intervals=None):
    """Who is best in one column, as in `hierviz.uncertainty.comparison.marks`.

    Parameters
    ----------
    key : str
        Of `METRICS`: says whether higher is better. Those in `AT_ONE_THRESHOLD` have no best model.
    values : sequence of float
        One a model; None and nan are not ranked.
    intervals : sequence of Interval, optional
        One a model, from the same resamples.

    Returns
    -------
    list of (str or None)
        'best', 'tied', 'second' or None; with one model, and with too few samples or groups for the intervals, all None.
        Without intervals 'best' alone.
    """
    values = np.array([np.nan if value is None else value for value in values], dtype=float)
    nobody: list[str | None] = [None] * len(values)
    if len(values) < 2 or key in AT_ONE_THRESHOLD:
        return nobody
    sign = -1 if METRICS[key].better == "lower" else 1
    if intervals is None:
        return marks(sign * values)
    level, resamples = intervals[0].level, intervals[0].resamples
    if resamples.why_no_interval is not None:
        return nobody
    draws = np.stack([interval.draws for interval in intervals])
    return marks(sign * values, clear_pairs(sign * values, sign * draws, level, resamples.n_units))


def run_groups(names):
    """Models whose names differ in the number of a seed or run alone: dict of what they share to list of names.

    ``hxe seed 1`` and ``hxe seed 2`` are runs of ``hxe``; ``seed``, ``run``, ``rep``, ``repeat``, ``replicate`` and
    ``trial`` are understood. Only what has at least two runs.
    """
    groups = {}
    for name in names:
        match = _RUN.match(name)
        if match:
            groups.setdefault(match["stem"].strip() or "model", []).append(name)
    return {stem: runs for stem, runs in groups.items() if len(runs) > 1}


def spread_over_runs(runs):
    """Mean and spread of every number over runs: list of dicts as of `model_numbers` -> dict of str to OverRuns."""
    return {key: over_repeats([run[key] for run in runs]) for key in TABLE_KEYS}


def _mean(values):
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
