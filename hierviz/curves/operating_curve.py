r"""Operating curves: every confidence threshold at once.

Conventions
-----------
A curve is computed from the answers that a ParetoTable holds, see `hierviz.inference.pareto_table`. It has J strictly descending
thresholds S and J + 1 points: point 0 holds for thresholds t >= S[0], point j for S[j] <= t < S[j - 1] (0-based), that is
point ``#{S > t}``. Metrics are truncated at the truth, as in `hierviz.metrics.path`, and averaged over samples. Trees only.

Functions
---------
operating_curve, CurveSteps

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.compiled.curve_sums import changes_of, running_means, sum_of_rows
from hierviz.curves.answer_values import answer_kinds, breakpoints, checked_table, kind_values, range_of
from hierviz.curves.envelopes import Envelopes
from hierviz.inference.pareto_table import ParetoTable
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short, fact_sheet, table
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.metrics.ties import at_least
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import array_of_numbers, check_one_of, is_number
from hierviz.taxonomy.taxonomy import Taxonomy

# The grid of thresholds that a person can choose from, descending.
THOUSANDTHS = np.arange(1000, -1, -1) / 1000


@dataclass(frozen=True, eq=False)
class StepCurve(Short, ABC):
    """Means of the path metrics that change at thresholds only; a subclass says which point holds where.

    Attributes
    ----------
    threshold : ndarray of float64, shape (J,)
        Strictly descending.
    values : dict of str to ndarray of float64, shape (J + 1,)
        Keys `hierviz.metrics.registry.path_keys`.
    n_samples : int
    """

    threshold: np.ndarray
    values: dict[str, np.ndarray]
    n_samples: int

    @property
    def n_points(self) -> int:
        """J + 1."""
        return len(self.threshold) + 1

    def place(self, threshold: ArrayLike) -> Any:
        """Index of the point that holds at each threshold (number or array): the number of breakpoints above it."""
        # A view, of which no copy is made: there may be millions.
        return len(self.threshold) - np.searchsorted(self.threshold[::-1], threshold, side="right")

    @cached_property
    def envelopes(self) -> Envelopes:
        """Envelopes of pairs of the metrics."""
        return Envelopes(self.values)

    @abstractmethod
    def columns(self) -> dict[str, np.ndarray]:
        """The points as columns, each of shape (J + 1,): ``threshold`` and the metrics."""

    def at(self, threshold: ArrayLike) -> dict[str, Any]:
        """Values at one or several thresholds: dict of float, or of arrays of the shape of `threshold`."""
        place = self.place(array_of_numbers(threshold, "threshold"))
        return {key: values[place] for key, values in self.values.items()}

    @in_backend
    def to_frame(self) -> Any:
        """The points as a pandas DataFrame, one row each; see `columns`."""
        return frame(self.columns())


@dataclass(frozen=True, eq=False)
class OperatingCurve(StepCurve):
    """Means of the path metrics for every threshold.

    Attributes
    ----------
    threshold : ndarray of float64, shape (J,)
        Strictly descending.
    values : dict of str to ndarray of float64, shape (J + 1,)
        Keys `hierviz.metrics.registry.path_keys`.
    n_samples : int
    """

    def _repr_html_(self):
        thresholds = (0.9, 0.7, 0.5, 0.3, 0.1)
        values = self.at(np.array(thresholds))
        rows = [[METRICS[key].label, *column.tolist()] for key, column in values.items()]
        heading = f"Operating curve of {self.n_samples:,} samples, {self.n_points:,} points"
        return fact_sheet(heading, table(["mean at threshold", *map(str, thresholds)], rows))

    def columns(self) -> dict[str, np.ndarray]:
        """The points as columns, each of shape (J + 1,): ``threshold`` and the metrics.

        A threshold identifies its point: the first row, which holds for all thresholds from the first breakpoint up, has 1 or
        the first breakpoint where that is larger; row j has ``threshold[j - 1]``, and its values hold just below it.
        """
        first = max(1.0, float(self.threshold[0])) if len(self.threshold) else 1.0
        return {"threshold": np.append(first, self.threshold), **self.values}

    def sampled(self, thresholds: ArrayLike) -> OperatingCurve:
        """The curve at descending `thresholds` only, as an OperatingCurve of len(thresholds) points.

        ``sampled(np.linspace(1, 0, 1001))`` is the variant of the published iNaturalist table.
        """
        thresholds = np.atleast_1d(array_of_numbers(thresholds, "thresholds"))
        return OperatingCurve(thresholds[:-1], self.at(thresholds), self.n_samples)

    def best_threshold(self, key: str, *, correct: float = 0.0) -> float | None:
        """Threshold with the best mean of a metric, among thousandths from 0 to 1.

        Parameters
        ----------
        key : str
            A key of `values`; of those that `METRICS` calls better when lower, the smallest mean is the best.
        correct : float
            Consider only thresholds where at least this share of the answers is correct.

        Returns
        -------
        float or None
            The largest such threshold on ties; None when no threshold is that correct.
        """
        check_one_of("key", key, self.values)
        if not is_number(correct):
            raise PredictionsError(f"correct: expected a share from 0 to 1, got {shown(correct)}. Choose one.")
        values = self.at(THOUSANDTHS)
        allowed = at_least(values["correct"], correct)
        gain = -values[key] if METRICS[key].better == "lower" else values[key]
        if not allowed.any():
            return None
        return float(THOUSANDTHS[np.argmax(allowed & at_least(gain, gain[allowed].max()))])

    def summary(self) -> dict[str, float]:
        """Numbers of the whole curve, named as block `curve` of the JSON.

        Returns
        -------
        dict of str to float
            ``ap, ac, ac_exact, depth_ap, depth_ac``: envelope integrals of correctness over specificity;
            ``recall_at_90_correct, recall_at_95_correct``: largest information recall where correct is at least that;
            ``majority_f1, leaf_f1``: mean information F1 at threshold 0.5 and at the end of the curve. All in [0, 1],
            higher is better. ``n_points``: number of points.
        """
        return dict(self._summary)

    @cached_property
    def _summary(self) -> dict[str, float]:
        return {name: number(self) for name, (_, number) in SUMMARY.items()}


def _area(x, y):
    return (x, y), lambda curve: curve.envelopes.area(x, y)


def _recall_at(level):
    needed = ("info_recall", "correct")
    return needed, lambda curve: curve.envelopes.best(*needed, level)


# Numbers of `OperatingCurve.summary`: which values each is made of, and how.
SUMMARY: dict[str, tuple[tuple[str, ...], Callable[[OperatingCurve], float]]] = {
    "ap": _area("info_recall", "info_precision"),
    "ac": _area("info_recall", "correct"),
    "ac_exact": _area("exact", "correct"),
    "depth_ap": _area("depth_recall", "depth_precision"),
    "depth_ac": _area("depth_recall", "correct"),
    "recall_at_90_correct": _recall_at(0.90),
    "recall_at_95_correct": _recall_at(0.95),
    "majority_f1": (("info_f1",), lambda curve: float(curve.values["info_f1"][curve.place(0.5)])),
    "leaf_f1": (("info_f1",), lambda curve: float(curve.values["info_f1"][-1])),
    "n_points": ((), lambda curve: curve.n_points),
}


def operating_curve(
    taxonomy: Taxonomy,
    truth: ArrayLike,
    table: ArrayLike | Predictions | ParetoTable,
    *,
    keys: Sequence[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> OperatingCurve:
    """Operating curve of a data set.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        One known true node a sample, leaf or inner.
    table : ndarray of float, shape (n_samples, n_nodes), Predictions, or ParetoTable
    keys : sequence of str, optional
        Which of `hierviz.metrics.registry.path_keys`; all if not given. `OperatingCurve.summary` needs all.
    progress : callable, optional
        Called with (steps done, steps in all).

    Returns
    -------
    OperatingCurve

    Raises
    ------
    PredictionsError
        If there is no sample, the lengths differ, or a truth is not a node number.
    TaxonomyError
        If the taxonomy is not a tree.
    """
    true_nodes, answers = checked_table(taxonomy, truth, table)
    n_answers = len(answers.nodes)

    def half(place):
        """`progress` of the first or second half of the work: every answer is classified, then added."""
        return progress and (lambda done, total: progress(place * n_answers + done * n_answers // total, 2 * n_answers))

    return CurveSteps.from_table(taxonomy, true_nodes, answers, keys=keys, progress=half(0)).curve(progress=half(1))


@dataclass(frozen=True, eq=False)
class CurveSteps(Short):
    """What every breakpoint adds to every metric: sorted once, added up for any weights of the samples.

    Attributes
    ----------
    threshold : ndarray of float64, shape (J,)
        Strictly descending.
    sample : ndarray of int32, shape (n_steps,)
        Whose answer changes at each step, in falling order of the threshold.
    before, after : ndarray of int32, shape (n_steps,)
        Rows of `values`: of the sample's answer until then, and from then on.
    ends : ndarray of int, shape (J,)
        How many steps each later point of the curve includes.
    keys : tuple of str
        Names of the columns of `values` and `bounds`.
    values : ndarray of float64, shape (n_kinds, n_keys)
        Of each kind of answer.
    first : ndarray of int32, shape (n_samples,)
        Row of `values` of the first answer of each sample, which holds above all thresholds.
    bounds : ndarray of float64, shape (2, n_keys)
        Range of the values of single answers, and so of their means.
    """

    threshold: np.ndarray
    sample: np.ndarray
    before: np.ndarray
    after: np.ndarray
    ends: np.ndarray
    keys: tuple[str, ...]
    values: np.ndarray
    first: np.ndarray
    bounds: np.ndarray

    @classmethod
    def from_table(cls, taxonomy, truth, table, more=None, *, keys=None, progress=None):
        """Steps of the path metrics `keys` (all if not given), and of any values `more` (dict) of the answers of the table.

        `progress` is called with (answers done, n_elements).
        """
        truth, table = checked_table(taxonomy, truth, table)
        keys = tuple(path_keys() if keys is None else keys)
        # Sorting takes the most memory: it comes before anything else is there.
        threshold, order, ends = breakpoints(table)
        kinds = answer_kinds(taxonomy, truth, table, progress)
        values, bounds = kind_values(taxonomy, kinds, keys)
        of_answer = kinds.of_answer
        if more:
            # These may differ between answers of one kind.
            columns = [np.asarray(column, dtype=np.float64) for column in more.values()]
            values = np.column_stack([values[of_answer], *columns])
            of_answer, bounds = np.arange(len(of_answer), dtype=np.int32), range_of(values)
        samples = np.repeat(np.arange(table.n_samples, dtype=np.int32), np.diff(table.offsets))[order]
        first, keys = of_answer[table.offsets[:-1]], (*keys, *(more or {}))
        return cls(threshold, samples, of_answer[order - 1], of_answer[order], ends, keys, values, first, bounds)

    @cached_property
    def _changes(self):
        """What each step adds, for the curves of many resamples; None where they are added up without it."""
        return changes_of(self.values, self.before, self.after)

    def curve(self, counts=None, *, progress=None):
        """OperatingCurve of the samples, each taken `counts` times (ndarray of int or float >= 0, shape (n_samples,); not all 0).

        The breakpoints stay: where the answer of a sample that is not taken changes, the curve has equal points. `progress` is
        called with (points done, J + 1).
        """
        total = len(self.first) if counts is None else counts.sum()
        counts = None if counts is None else counts.astype(np.float64)
        weights = None if counts is None else counts[self.sample]
        n_first = np.bincount(self.first, counts, len(self.values))
        used = np.flatnonzero(n_first)
        start = sum_of_rows(self.values[used], n_first[used])
        changes = None if counts is None else self._changes
        means = running_means(
            self.values, self.before, self.after, self.ends, start, weights, total, self.bounds, progress, changes
        )
        return OperatingCurve(self.threshold, dict(zip(self.keys, means, strict=True)), round(total))
