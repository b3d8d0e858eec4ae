r"""Two curves where the same share of answers is correct, or where both are equally specific.

Conventions
-----------
Over all points j of a curve, with a measure of specificity x,

    S(c) = max x_j over points with Correct_j >= c,        C(x) = max Correct_j over points with x_j >= x,

steps over points, never interpolated. Correct is not monotone in the threshold, hence the maxima. S(c) is 0 where no point
reaches c; C(x) is nan beyond the largest x of the curve.

Functions
---------
specificity_at, correctness_at
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.operating_curve import StepCurve, best_at_correct
from hierviz.messages.errors import PredictionsError, shown
from hierviz.metrics.ties import at_least
from hierviz.taxonomy.checks import array_of_numbers, check_kind


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
    x, share = _columns(curve, key)
    return best_at_correct(x, share, array_of_numbers(correct, "correct"))


def correctness_at(curve: StepCurve, specificity: ArrayLike, key: str = "info_recall") -> Any:
    """C(x): the largest share of correct answers of a model that is at least so specific.

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
    x, share = _columns(curve, key)
    wanted = array_of_numbers(specificity, "specificity")
    found = best_at_correct(share, x, wanted)
    found = np.where(at_least(x.max(), wanted), found, np.nan)
    return float(found) if np.ndim(wanted) == 0 else found


def _columns(curve, key):
    check_kind("curve", curve, StepCurve, "It comes first.")
    if not isinstance(key, str) or key not in curve.values:
        raise PredictionsError(f"key: expected one of {', '.join(curve.values)}, got {shown(key)}. Choose one.")
    return curve.values[key], curve.values["correct"]
