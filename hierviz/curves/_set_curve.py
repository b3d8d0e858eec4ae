"""Sets of classes against the threshold: hierarchical precision, recall and F1 of the predicted sets at many thresholds.

Metrics of the predicted sets with the path metrics of an operating curve, against one threshold for all samples.

Conventions
-----------
The set at a threshold is {score > threshold} with all ancestors, as in `hierviz.metrics.sets.set_curves`. Its metrics change
at every score of every node, so that the curve holds at chosen thresholds only, where it is exact. For one or several true
classes a sample, in trees and graphs; ``ihf1_samples`` needs a tree.

Functions
---------
set_curve, SetOperatingCurve, GRID, set_operating_curve

References
----------
.. [1] R. Plaud, M. Labeau, A. Saillenfest, T. Bonald, Revisiting hierarchical text classification: inference and
       metrics, CoNLL 2024.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.operating_curve import THOUSANDTHS, OperatingCurve
from hierviz.messages.errors import PredictionsError, shown
from hierviz.metrics.registry import METRICS
from hierviz.metrics.sets.set_curves import SetMetricsByThreshold
from hierviz.metrics.ties import at_least
from hierviz.taxonomy.checks import WAYS, array_of_numbers, check_one_of, is_number

# Numbers that are kept of some samples at all thresholds at a time, for each of a few counts.
MOST_COUNTS = 2_000_000
# Where scores are often crowded: between the first and last two hundredths, and close to 1.
_ENDS = np.arange(101) / 10_000
_NINES = np.array([(10.0**k - j) / 10.0**k for k in (5, 6, 7, 8) for j in range(1, 10)])
# The thresholds of a curve where none are given, descending.
GRID = np.unique(np.concatenate([THOUSANDTHS, _ENDS, (10_000 - np.arange(101)) / 10_000, _NINES]))[::-1]
# Keys of `SetMetricsByThreshold.table` by those of `METRICS`.
_COLUMNS = {"hp_samples": "hp", "hr_samples": "hr", "hf1_samples": "hf1_samples", "ihf1_samples": "ihf1_samples"}


@dataclass(frozen=True, eq=False)
class SetOperatingCurve(OperatingCurve):
    """Means of the metrics of predicted sets, exact at chosen thresholds and a step between them.

    Attributes
    ----------
    threshold : ndarray of float64, shape (J,)
        Strictly descending: all thresholds but the lowest.
    values : dict of str to ndarray of float64, shape (J + 1,)
        ``hp_samples, hr_samples, hf1_samples`` and on trees ``ihf1_samples``; point j is exact at ``exact_at[j]``. In [0, 1],
        dimensionless, higher is better.
    n_samples : int
    lowest : float
        The lowest threshold.
    """

    lowest: float = 0.0

    @property
    def exact_at(self) -> np.ndarray:
        """The thresholds that the points are exact at, descending, shape (J + 1,)."""
        return np.append(self.threshold, self.lowest)

    def columns(self) -> dict[str, np.ndarray]:
        """The points as columns, each of shape (J + 1,): ``threshold``, where a row is exact, and the metrics."""
        return {"threshold": self.exact_at, **self.values}

    def best_threshold(self, key: str, *, correct: float = 0.0) -> float | None:
        """Threshold of the curve with the best mean of a metric, the largest one on ties.

        Parameters
        ----------
        key : str
            A key of `values`.
        correct : float
            Only 0: no answer that is a set is correct or wrong as a whole.

        Returns
        -------
        float or None
            None where no sample is judged.
        """
        check_one_of("key", key, self.values)
        if not is_number(correct) or correct != 0:
            raise PredictionsError(f"correct: expected 0 on a curve of sets, got {shown(correct)}. Leave it out.")
        values = METRICS[key].sign * self.values[key]
        # Means that differ by a rounding error are equal.
        return float(self.exact_at[np.argmax(at_least(values, values.max()))]) if np.isfinite(values).all() else None

    def summary(self) -> dict[str, float]:
        """The largest mean of each F1: dict of float by its key; areas of single samples are in block ``labels``."""
        return {key: float(values.max()) for key, values in self.values.items() if "f1" in key}


def set_curve(
    model: Any, thresholds: ArrayLike | None = None, progress: Callable[[int, int], object] | None = None
) -> SetOperatingCurve:
    r"""Hierarchical precision, recall and F1 of the predicted sets of an Evaluation at many thresholds.

    Parameters
    ----------
    model : Evaluation
        With scores and a known truth; see `Evaluation.why_no_set_curve`.
    thresholds : array_like of float, shape (n_thresholds,), optional
        In [0, 1], any order; thousandths, and finer steps near 0 and 1, if not given.
    progress : callable, optional
        Called with (samples done, n_judged).

    Returns
    -------
    SetOperatingCurve
        Of the distinct thresholds, exact at each.

    Raises
    ------
    PredictionsError
        If the input has no such curve (says why), or a threshold is not in [0, 1].

    Notes
    -----
    With the predicted set :math:`\hat Y_i^{+}` and the truth :math:`Y_i` of sample i, both with all ancestors and without the
    root,

    .. math:: hP = \frac{1}{n} \sum_i \frac{|\hat Y_i^{+} \cap Y_i|}{|\hat Y_i^{+}|}, \quad
              hR = \frac{1}{n} \sum_i \frac{|\hat Y_i^{+} \cap Y_i|}{|Y_i|}, \quad
              hF_1 = \frac{1}{n} \sum_i \frac{2 |\hat Y_i^{+} \cap Y_i|}{|\hat Y_i^{+}| + |Y_i|}

    and ihF1 with the bits of nodes in place of their number [1]_ (Table 7). An empty set has precision 1 and F1 0.

    References
    ----------
    .. [1] R. Plaud, M. Labeau, A. Saillenfest, T. Bonald, Revisiting hierarchical text classification: inference and
           metrics, CoNLL 2024.

    Examples
    --------
    >>> import hierviz as hv
    >>> taxonomy = hv.Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> predictions = hv.Predictions.from_scores(
    ...     taxonomy, np.array([[0.5, 0.25, 0.25]]), "leaf_probabilities", truth=taxonomy.nodes("cat")
    ... )
    >>> curve = hv.curves.set_curve(hv.Evaluation.from_predictions(predictions), [0.2, 0.4, 0.6])
    >>> curve.values["hf1_samples"].round(3), curve.best_threshold("hf1_samples")
    (array([0.667, 1.   , 0.667]), 0.4)
    """
    if not hasattr(model, "why_no_set_curve"):
        raise PredictionsError(f"model: expected an Evaluation, got {type(model).__name__}. {WAYS['Evaluation']}")
    reason = model.why_no_set_curve()
    if reason:
        raise PredictionsError(f"{model.predictions.name}: expected a curve of sets, got none: {reason}.")
    wanted = GRID if thresholds is None else np.unique(array_of_numbers(thresholds, "thresholds"))[::-1]
    if not len(wanted):
        raise PredictionsError("thresholds: expected at least one number from 0 to 1, got none. Choose some.")
    predictions, n_done = model.predictions, 0
    keys = [key for key in _COLUMNS if model.taxonomy.is_tree or not METRICS[key].tree_only]
    totals = {key: np.zeros(len(wanted)) for key in keys}
    step = max(1, MOST_COUNTS // len(wanted))
    SetMetricsByThreshold(model.taxonomy, wanted)  # checks the thresholds before all scores are read
    for block in predictions.blocks():
        rows = np.flatnonzero(model.judged[block]) + block.start
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            points = SetMetricsByThreshold(model.taxonomy, wanted)
            truth = predictions.truth[some] if predictions.has_single_truth else predictions.truth.take(some)
            outside = None if predictions.best_outside is None else predictions.best_outside[some]
            points.add(truth, predictions.node_probabilities(some), outside)
            table = points.table()
            for key in keys:
                totals[key] += len(some) * table[_COLUMNS[key]]
            n_done += len(some)
            if progress:
                progress(n_done, model.n_judged)
    values = {key: np.clip(total / model.n_judged, 0, 1) for key, total in totals.items()}
    return SetOperatingCurve(wanted[:-1], values, model.n_judged, float(wanted[-1]))


def set_operating_curve(model, thresholds, progress=None):
    """The operating curve of an Evaluation at some thresholds, with the means of `hierviz.curves.set_curve`.

    Parameters
    ----------
    model : Evaluation
        With an operating curve; see `Evaluation.why_no_curve`.
    thresholds : array_like of float, shape (n_thresholds,)
        In [0, 1], any order; at least two of them.
    progress : callable, optional
        Called with (samples done, n_judged).

    Returns
    -------
    OperatingCurve
        Of n_thresholds points; `values` has those of the SetOperatingCurve too. Exact at `thresholds`, a step between them.

    Raises
    ------
    PredictionsError
        If the model has no operating curve, or a threshold is not in [0, 1].
    """
    sets = set_curve(model, thresholds, progress)
    curve = model.curve.sampled(sets.exact_at)
    return OperatingCurve(curve.threshold, curve.values | sets.values, curve.n_samples)
