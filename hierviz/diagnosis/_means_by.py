"""Where a model is weak: the mean of a metric by depth of the truth, by training samples, by number of labels, by attribute.

Intervals of means of samples in closed form: Wilson's for shares, Student's for other means, over groups where there are any.

Conventions
-----------
Samples are divided by one value each, into its distinct values or, where a number has many, into bins of about equal counts
(equal values together). Intervals are those of `mean_intervals`. Of several runs a sample has its mean over them, intervals
are over samples with the runs fixed, and the spread between runs is kept apart from them.

Samples that belong together (one observer, one document) are not independent. With groups c of sizes n_c and the mean m, the
variance of the mean is estimated from the sums of whole groups [1]_,

    G / (G - 1) sum over c of (sum over i in c of (x_i - m))^2 / n^2,

with G - 1 degrees of freedom; single samples are groups of one.

Functions
---------
means_by, ways_to_divide, mean_intervals

References
----------
.. [1] W. G. Cochran, Sampling Techniques, 3rd ed., Wiley 1977, section 9A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis.runs import run_answers
from hierviz.diagnosis.sample_values import least_of_truths, sample_keys, sample_values
from hierviz.diagnosis.slice_members import NO_FACETS, codes_of, group_codes
from hierviz.evaluation._judged_answers import Judged, JudgedAnswers
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Rows
from hierviz.messages.number_text import value_text
from hierviz.metrics.calibration import bin_ends
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.registry import METRICS
from hierviz.taxonomy.checks import check_kind, check_one_of, check_share, check_whole
from hierviz.taxonomy.node_lists import NodeLists
from hierviz.uncertainty.repeats import over_runs
from hierviz.uncertainty.resamples import FEWEST
from hierviz.uncertainty.risk_bounds import wilson
from hierviz.uncertainty.student import t_quantiles


def mean_intervals(
    values: np.ndarray,
    part: np.ndarray,
    n_parts: int,
    *,
    confidence: float = 0.95,
    groups: np.ndarray | None = None,
    limits: tuple[float, float] = (-np.inf, np.inf),
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Mean of each part of the samples with its interval.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        nan is left out.
    part : ndarray of int, shape (n,)
        Part of each sample, 0 .. n_parts - 1; -1 belongs to none.
    n_parts : int
    confidence : float
        In (0, 1).
    groups : ndarray of int, shape (n,), optional
        Group of each sample.
    limits : (float, float)
        Range of the values; intervals are cut there.

    Returns
    -------
    n : ndarray of int, shape (n_parts,)
        Samples with a value.
    mean, low, high : ndarray of float, shape (n_parts,)
        mean is nan without a sample; low and high are nan below `FEWEST` samples or groups, and where the mean is infinite.
    """
    used = np.flatnonzero((part >= 0) & ~np.isnan(values))
    part, values = part[used], values[used]
    n = np.bincount(part, minlength=n_parts)
    total = np.bincount(part, values, n_parts)
    with np.errstate(invalid="ignore"):
        mean = ratio(total, n, np.nan)
    if groups is None and np.isin(values, (0, 1)).all():
        low, high = wilson(total, np.maximum(n, 1), confidence)
        n_independent = n
    else:
        label = np.arange(len(values)) if groups is None else groups[used]
        n_labels = int(label.max(initial=0)) + 1
        member, place = np.unique(part * n_labels + label, return_inverse=True)
        with np.errstate(invalid="ignore"):
            off = np.bincount(place, values - mean[part], len(member))
        n_independent = np.bincount(member // n_labels, minlength=n_parts)
        squares = np.bincount(member // n_labels, off**2, n_parts)
        freedom = np.maximum(n_independent - 1, 1)
        error = np.sqrt(n_independent / freedom * squares) / np.maximum(n, 1)
        half = t_quantiles(confidence, np.where(n_independent < FEWEST, 1, freedom)) * error
        with np.errstate(invalid="ignore"):
            low, high = np.clip(mean - half, *limits), np.clip(mean + half, *limits)
    has_none = (n_independent < FEWEST) | ~np.isfinite(mean)
    return n, mean, np.where(has_none, np.nan, low), np.where(has_none, np.nan, high)


DEPTH, N_LABELS = "depth", "n_labels"
# Numbers with up to so many values are not put into bins.
MOST_VALUES = 12


@dataclass(frozen=True, eq=False)
class MeansBy(Rows):
    """The mean of a metric in each part of the samples; arrays of shape (n_parts,).

    Attributes
    ----------
    by, metric : str
        What divides the samples (see `means_by`), and a key of `METRICS`.
    label : list of str
        The value, or "low to high" of a bin; numbers ascending, texts in alphabetical order.
    low, high : ndarray of float
        Ends of each bin, both included; nan for texts.
    n : ndarray of int
        Samples.
    mean, lower, upper : ndarray of float
        In the unit of the metric; lower and upper are nan below ten samples (or groups).
    overall : float
        Mean over all samples of all parts.
    n_without : int
        Samples that have no value to be divided by, or none of the metric.
    confidence : float
    run_means : ndarray of float, shape (n_runs, n_parts)
        Mean of each run; `mean` is the mean over them.
    run_overall : ndarray of float, shape (n_runs,)
        Mean of each run over all samples of all parts.
    n_left_out : int
        Samples of the first run that another one does not have, which are in no part.
    """

    by: str
    metric: str
    label: list[str]
    low: np.ndarray
    high: np.ndarray
    n: np.ndarray
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    overall: float
    n_without: int
    confidence: float
    run_means: np.ndarray
    run_overall: np.ndarray
    n_left_out: int = 0

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return len(self.run_means)

    @property
    def spread(self) -> np.ndarray:
        """Standard deviation between runs (ddof = 1) of each part, shape (n_parts,); nan with one run."""
        return over_runs(self.run_means).sd

    @property
    def overall_spread(self) -> float:
        """Standard deviation between runs (ddof = 1) of the mean over all samples; nan with one run."""
        return float(over_runs(self.run_overall).sd)

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a part; with several runs also their number and the spread between them."""
        names = ("low", "high", "n", "mean", "lower", "upper")
        table = frame({self.by: self.label, **{name: getattr(self, name) for name in names}})
        return table.assign(n_runs=self.n_runs, spread=self.spread) if self.n_runs > 1 else table


def ways_to_divide(answers: JudgedAnswers) -> list[str]:
    """What `means_by` can divide these samples by: depth, number of labels, attributes of samples, numbers of nodes."""
    attributes = answers.evaluation.predictions.attributes
    nodes = [name for name, values in answers.taxonomy.attributes.items() if np.isfinite(_numbers(values)).any()]
    own = [name for name in attributes if name not in NO_FACETS]
    return list(dict.fromkeys([DEPTH, N_LABELS, *own, *nodes]))


def means_by(
    evaluation: Judged | Sequence[Judged],
    by: str,
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    metric: str | None = None,
    bins: int = 5,
    confidence: float = 0.95,
    group: str | np.ndarray | None = None,
    **parameters: Any,
) -> MeansBy:
    """Mean of a metric in parts of the samples, with intervals.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, JudgedAnswers, or list of them
        Several are runs of one method on the same samples (of JudgedAnswers those that all have are kept).
    by : str
        ``depth`` of the truth (the deepest of several), ``n_labels`` (number of true labels), an attribute of the samples,
        or a number that the taxonomy has for its nodes, for example ``train_count``, taken at the truth (the smallest of
        several).
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
    metric : str, optional
        Key of `METRICS` with a value per sample, for example ``correct``, ``info_recall``, ``softmax_win``, ``hf1_samples``;
        the first that the input has when None.
    bins : int
        Number of bins where a number has more than 12 values.
    confidence : float
        In (0, 1).
    group : str, or array of shape (n_samples,), optional
        Attribute or labels of samples that belong together; intervals then count whole groups.

    Returns
    -------
    MeansBy

    Raises
    ------
    PredictionsError
        If there is no such attribute or metric, or a keyword is out of range; says what there is.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> answers = taxonomy.nodes("dog", "cat", "newt")
    >>> found = means_by(Predictions.from_labels(taxonomy, answers, truth=taxonomy.nodes("cat", "cat", "newt")), "depth")
    >>> found.label, found.n, found.mean
    (['1', '2'], array([1, 2]), array([1. , 0.5]))
    """
    check_share("confidence", confidence)
    check_whole("bins", bins, 1)
    check_kind("by", by, str, "Name depth, n_labels, or an attribute.")
    runs = run_answers(evaluation, rule, threshold, **parameters)
    answers = runs.answers[0]
    metric = sample_keys(answers)[0] if metric is None else metric
    of_runs = np.array(
        [sample_values(one, metric)[places] for one, places in zip(runs.answers, runs.places, strict=True)], dtype=float
    )
    values = of_runs.mean(axis=0)
    part, label, low, high = _parts(answers, by, bins)
    groups = group_codes(answers, group)
    entry = METRICS[metric]
    n, mean, lower, upper = mean_intervals(
        values, part, len(label), confidence=confidence, groups=groups, limits=entry.range
    )
    used = (part >= 0) & ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        run_means = np.array([ratio(np.bincount(part[used], one[used], len(label)), n, np.nan) for one in of_runs])
        run_overall = of_runs[:, used].mean(axis=1) if used.any() else np.full(len(of_runs), np.nan)
    overall = float(values[used].mean()) if used.any() else float("nan")
    n_without = int((~used).sum())
    return MeansBy(
        *(by, metric, label, low, high, n, mean, lower, upper, overall, n_without, confidence),
        *(run_means, run_overall, runs.n_left_out),
    )


def _parts(answers, by, bins):
    """Part of each sample (-1: none), the parts' labels, and the ends of their bins."""
    taxonomy, attributes = answers.taxonomy, answers.evaluation.predictions.attributes
    if by == DEPTH:
        return _number_parts(least_of_truths(answers, taxonomy.depth.astype(float), largest=True), bins)
    if by == N_LABELS:
        return _number_parts(NodeLists.of(answers.truth).lengths.astype(float), bins)
    if by in attributes:
        column = np.asarray(attributes[by])[answers.rows]
        if column.dtype.kind in "iuf":
            return _number_parts(column.astype(float), bins)
        codes, texts = codes_of(column)
        none = np.full(len(texts), np.nan)
        return codes, texts, none, none
    check_one_of("by", by, ways_to_divide(answers))
    return _number_parts(least_of_truths(answers, _numbers(taxonomy.attributes[by])), bins)


def _number_parts(values, bins):
    known = np.flatnonzero(np.isfinite(values))
    ordered = np.sort(values[known])
    distinct = np.unique(ordered)
    if len(distinct) <= MOST_VALUES:
        low = high = distinct
    else:
        ends = bin_ends(ordered, bins, 1)
        low, high = ordered[np.append(0, ends[:-1])], ordered[ends - 1]
    part = np.full(len(values), -1)
    part[known] = np.searchsorted(high, values[known])
    label = [_text(a) if a == b else f"{_text(a)} to {_text(b)}" for a, b in zip(low.tolist(), high.tolist())]
    return part, label, low, high


def _text(value):
    return f"{int(value):,}" if value == int(value) else value_text(value)


def _numbers(values):
    """Values of an attribute of nodes as float, shape (n_nodes,), nan where there is none; all nan where one is no number."""
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        return np.full(len(values), np.nan)
