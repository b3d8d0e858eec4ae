"""Two curves where the same share of answers is correct, or where both are equally specific.

Which points of a plane no other point beats in both metrics.

Conventions
-----------
Over all points j of a curve, with a measure of specificity x,

    S(c) = max x_j over points with Correct_j >= c,        C(x) = max Correct_j over points with x_j >= x,

steps over points, never interpolated. Correct is not monotone in the threshold, hence the maxima. S(c) is 0 where no point
reaches c; C(x) is nan beyond the largest x of the curve.

Functions
---------
specificity_at, correctness_at, pareto_front
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.operating_curve import StepCurve
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.ties import at_least
from hierviz.taxonomy.checks import array_of_numbers, check_kind, check_one_of


def specificity_at(curve: StepCurve, correct: ArrayLike, key: str = "info_recall") -> Any:
    """S(c): the most specific a model can be while at least the share `correct` of its answers is correct.

    Parameters
    ----------
    curve : OperatingCurve, DartsCurve or InformationCurve
    correct : array_like of float
        Shares from 0 to 1, of any shape.
    key : str
        What specific means, a key of the curve for which more is better: ``info_recall``, ``exact`` or ``depth_recall``.

    Returns
    -------
    float, or ndarray of the shape of `correct`
        0 where no point is that correct.
    """
    _check(curve, key)
    return curve.envelopes.best(key, "correct", array_of_numbers(correct, "correct"))


def correctness_at(curve: StepCurve, specificity: ArrayLike, key: str = "info_recall") -> Any:
    """C(x): the largest share of correct answers of a model at a given specificity or above.

    Parameters
    ----------
    curve, key
        As in `specificity_at`.
    specificity : array_like of float
        Values of `key`, of any shape.

    Returns
    -------
    float, or ndarray of the shape of `specificity`
        nan beyond the largest value of the curve.
    """
    _check(curve, key)
    wanted = array_of_numbers(specificity, "specificity")
    found = curve.envelopes.best("correct", key, wanted)
    found = np.where(at_least(curve.values[key].max(), wanted), found, np.nan)
    return float(found) if np.ndim(wanted) == 0 else found


def _check(curve, key):
    check_kind("curve", curve, StepCurve, "It comes first.")
    check_one_of("key", key, curve.values)


def pareto_front(x: ArrayLike, y: ArrayLike) -> np.ndarray:
    """Points that no other point dominates: none is at least as large in both numbers and larger in one.

    Parameters
    ----------
    x, y : array_like of float, shape (n,)
        More is better in both; turn losses round. A point with nan is on no front.

    Returns
    -------
    ndarray of bool, shape (n,)
        Equal points are on the front together.

    Raises
    ------
    PredictionsError
        If the lengths differ.

    Examples
    --------
    >>> pareto_front([0.2, 0.5, 0.4], [0.9, 0.8, 0.7])
    array([ True,  True, False])
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise PredictionsError(
            f"pareto_front: expected two lists of one length, got shapes {x.shape} and {y.shape}. Align them."
        )
    on_front = np.zeros(len(x), dtype=bool)
    known = np.flatnonzero(~(np.isnan(x) | np.isnan(y)))
    order = known[np.lexsort((-y[known], -x[known]))]
    if not len(order):
        return on_front
    ordered = y[order]
    # The best y among points further right, and among those with the same x before this one.
    best_before = np.append(-np.inf, np.maximum.accumulate(ordered)[:-1])
    is_twin = np.append(False, (np.diff(x[order]) == 0) & (np.diff(ordered) == 0))
    on_front[order] = ordered > best_before
    # A point equal to the one before shares its place.
    leader = np.maximum.accumulate(np.where(is_twin, 0, np.arange(len(order))))
    on_front[order] = on_front[order[leader]]
    return on_front
