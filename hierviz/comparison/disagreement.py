"""The samples on which two metrics, or two models, disagree most.

Conventions
-----------
Two metrics have different scales: each is turned into the share of samples that it judges worse, ties counting half (0 the
worst, 1 the best sample), and samples are ordered by the difference. Two models are compared by one metric as it is.

Functions
---------
metrics_on_samples, models_on_samples, sample_metrics, SampleDisagreement
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hierviz.comparison._paired_answers import names_of_two
from hierviz.compiled.curve_sums import descending
from hierviz.diagnosis.sample_values import DISTRIBUTION, OF_SETS
from hierviz.evaluation.common_samples import common_rows
from hierviz.evaluation.evaluation import NODE_COLUMNS, Evaluation, as_evaluation
from hierviz.evaluation.sample_numbers import number_keys
from hierviz.inference.registry import inference_rule
from hierviz.messages.errors import PredictionsError, listed, near_miss
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.metrics.path import node_pairs
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.metrics.ties import rounded


@dataclass(frozen=True, eq=False)
class SampleDisagreement(Short):
    """Two numbers of every sample, and how far they disagree.

    Attributes
    ----------
    labels : (str, str)
        What `x` and `y` are.
    rows : ndarray of int, shape (n_samples,)
        Rows of the (first) Predictions.
    sample_ids : ndarray of str, shape (n_samples,)
    x, y : ndarray of float, shape (n_samples,)
        nan where a sample has no value.
    difference : ndarray of float, shape (n_samples,)
        Positive where the sample is better by x; nan where one has no value.
    is_of_ranks : bool
        Whether `difference` compares places among the samples (two metrics) and not values (two models).
    """

    labels: tuple[str, str]
    rows: np.ndarray
    sample_ids: np.ndarray
    x: np.ndarray
    y: np.ndarray
    difference: np.ndarray
    is_of_ranks: bool = False

    @cached_property
    def known(self) -> np.ndarray:
        """Places of the samples with both values, shape (n_known,)."""
        return np.flatnonzero(~np.isnan(self.difference))

    @cached_property
    def order(self) -> np.ndarray:
        """The same places, the largest disagreement first, then in the order of the file."""
        return self.known[np.argsort(-np.abs(self.difference[self.known]), kind="stable")]

    @in_backend
    def to_frame(self, most: int | None = None) -> Any:
        """A pandas DataFrame of the samples, the largest disagreement first."""
        order = self._first(most)
        table = {"sample_id": self.sample_ids[order], self.labels[0]: self.x[order], self.labels[1]: self.y[order]}
        return frame(table | {"difference": self.difference[order]})

    def _first(self, most):
        """The first `most` places of `order`: a million samples are not sorted for a hundred of them."""
        if most is None or most >= len(self.known) or "order" in self.__dict__:
            return self.order[:most]
        gap = np.abs(self.difference[self.known])
        least = np.partition(gap, len(gap) - most)[len(gap) - most] if most else np.inf
        some = np.flatnonzero(gap >= least)
        return self.known[some[np.argsort(-gap[some], kind="stable")][:most]]

    @property
    def sentence(self) -> str:
        """How many samples disagree, in words."""
        known = self.difference[self.known]
        first, second = int((known > 0).sum()), int((known < 0).sum())
        one, other = self.labels
        if self.is_of_ranks:
            return (
                f"Of {len(known):,} samples, each ranked by both metrics, {first:,} rank higher by {one}, {second:,} by "
                f"{other}, and {len(known) - first - second:,} have the same rank by both."
            )
        return (
            f"Of {len(known):,} samples {first:,} are better by {one}, {second:,} by {other}, "
            f"and {len(known) - first - second:,} are the same by both."
        )


def sample_metrics(
    evaluation: Evaluation, rule: str = "majority", threshold: float = 0.5, **parameters: Any
) -> list[str]:
    """Keys of the numbers that single samples of an evaluation have; arguments as `Evaluation.per_sample`."""
    left_out = ("p_truth", *NODE_COLUMNS)
    keys = number_keys(evaluation, rule, threshold, **parameters)
    return [key for key in keys if key not in left_out and key in METRICS]


def metrics_on_samples(
    evaluation: Evaluation, first: str, second: str, rule: str = "majority", threshold: float = 0.5, **parameters: Any
) -> SampleDisagreement:
    """The samples that two metrics of one model judge most differently.

    Parameters
    ----------
    evaluation : Evaluation
    first, second : str
        Of `sample_metrics`.
    rule, threshold, **parameters
        As in `Evaluation.answers`.

    Returns
    -------
    SampleDisagreement
        ``difference`` is that of the shares of samples that are judged worse, in [-1, 1].

    Raises
    ------
    PredictionsError
        If a metric is unknown, or this input has no such number.
    """
    evaluation, choice = as_evaluation("evaluation", evaluation), {"rule": rule, "threshold": threshold} | parameters
    x, y = (_column(evaluation, key, choice) for key in (first, second))
    known = ~(np.isnan(x) | np.isnan(y))
    gap = np.full(len(x), np.nan)
    gap[known] = _share_below(_turned(first, x[known])) - _share_below(_turned(second, y[known]))
    labels = METRICS[first].label, METRICS[second].label
    ids = evaluation.of_judged(evaluation.predictions.ids)
    return SampleDisagreement(labels, evaluation.rows, ids, x, y, gap, True)


def models_on_samples(
    a: Evaluation, b: Evaluation, metric: str, rule: str = "majority", threshold: float = 0.5, **parameters: Any
) -> SampleDisagreement:
    """The samples on which two models differ most by one metric.

    Parameters
    ----------
    a, b : Evaluation
        Of one taxonomy, with samples in common.
    metric : str
        Of `sample_metrics` of both.
    rule, threshold, **parameters
        As in `Evaluation.answers`, of both.

    Returns
    -------
    SampleDisagreement
        ``difference`` is a's value minus b's, negated where less is better.

    Raises
    ------
    PredictionsError
        If the metric is unknown, an input has no such number, or they share no sample.
    """
    a, b = as_evaluation("a", a), as_evaluation("b", b)
    rows = common_rows([a, b])
    choice = {"rule": rule, "threshold": threshold} | parameters
    x, y = (_column(model, metric, choice)[np.searchsorted(model.rows, own)] for model, own in zip((a, b), rows))
    with np.errstate(invalid="ignore"):
        gap = rounded(_turned(metric, x) - _turned(metric, y))
    # Two infinite losses are the same.
    gap = np.where(np.isinf(x) & (x == y), 0.0, gap)
    return SampleDisagreement(
        names_of_two(a.predictions, b.predictions), rows[0], a.predictions.ids[rows[0]], x, y, gap
    )


def _column(model, key, choice):
    """A number of every judged sample: the quick ones alone, others among all columns of `Evaluation.per_sample`."""
    values: Any = None
    if model.n_judged and model.why_no_curve() is None:
        if key in DISTRIBUTION:
            values = model.distribution_per_sample()[key]
        elif key in path_keys() and not inference_rule(choice["rule"]).returns_sets:
            answers = model.of_judged(model.answers(**choice))
            values = METRICS[key].function(node_pairs(model.taxonomy, np.asarray(model.truth), answers))
    if values is None and model.n_judged and key in OF_SETS:
        values = model.set_counts(choice).of_samples(key)
    return _among_all(model, key, choice) if values is None else np.asarray(values, dtype=np.float64)


def _among_all(model, key, choice):
    columns = model.per_sample(**choice)
    if key not in columns or key not in METRICS:
        known = [name for name in columns if name in METRICS]
        raise PredictionsError(
            f"{model.predictions.name}: expected a number of single samples such as {listed(known, 3)}, got {key!r}."
            f"{near_miss(key, known)} Choose one."
        )
    return np.asarray(columns[key], dtype=np.float64)


def _turned(key, values):
    return rounded(-values if METRICS[key].better == "lower" else values)


def _share_below(values):
    """Share of the samples with a smaller value, ties counting half."""
    # Sought among the sorted values one by one they would take ten times as long.
    fallen, order = descending(values)
    end = np.append(np.flatnonzero(fallen[1:] != fallen[:-1]) + 1, len(values))
    first = np.append(0, end[:-1])
    both = np.empty(len(values), dtype=np.intp)
    both[order] = np.repeat(2 * len(values) - first - end, end - first)
    return both / (2 * max(1, len(values)))
