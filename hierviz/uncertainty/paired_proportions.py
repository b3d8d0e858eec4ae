r"""Two 0/1 values of the same samples: the score interval of their difference.

Conventions
-----------
`gained` are the samples where the second value alone is 1, `lost` those where the first alone is: the discordant pairs. The
difference is (gained - lost) / n, the second share less the first. Arrays have any one shape; samples are independent.

Functions
---------
score_interval, score_ends, score_statistic

References
----------
.. [1] T. Tango, Equivalence test and confidence interval for the difference in proportions for the paired-sample design,
   Statistics in Medicine 17 (1998) 891-908, equations for the restricted maximum likelihood estimate and the interval.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError
from hierviz.uncertainty.resamples import check_level
from hierviz.uncertainty.student import t_quantile

# Bisections of an interval of width 2: its ends are then known to 1e-14.
_STEPS = 48


def score_interval(
    gained: ArrayLike, lost: ArrayLike, n: ArrayLike, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    r"""Tango's score interval [1]_ of a difference of paired proportions, second less first.

    Parameters
    ----------
    gained, lost, n : array_like of int
        Of one shape; gained + lost <= n.
    level : float
        In (0, 1).

    Returns
    -------
    lower, upper : ndarray of float
        In [-1, 1]; nan where n is 0.

    Raises
    ------
    PredictionsError
        If a count is negative, there are more discordant pairs than samples, or the level is not inside (0, 1).

    Notes
    -----
    All differences :math:`\Delta` that the score test does not reject, :math:`|T(\Delta)| \le z`, with

    .. math:: T(\Delta) = \frac{b - c - n \Delta}{\sqrt{n (2 \hat q + \Delta (1 - \Delta))}},\qquad
        \hat q = \frac{\sqrt{B^2 - 8 n C} - B}{4 n}

    where b is gained and c is lost, :math:`B = -b - c + (2 n - b + c) \Delta` and :math:`C = -c \Delta (1 - \Delta)`;
    :math:`\hat q` is the probability of a lost pair that is most likely where the difference is :math:`\Delta`. T falls with
    :math:`\Delta`; both ends are found by bisection.

    Examples
    --------
    >>> [round(float(end), 3) for end in score_interval(1, 7, 21)]
    [-0.517, -0.026]
    """
    check_level(level)
    return score_ends(gained, lost, n, t_quantile(level, math.inf))


def score_ends(
    gained: ArrayLike, lost: ArrayLike, n: ArrayLike, z: np.ndarray | float
) -> tuple[np.ndarray, np.ndarray]:
    """`score_interval` of the differences whose score is at most z, a number or one for each."""
    gained, lost, n = np.broadcast_arrays(*_counts(gained, lost, n))
    if (gained + lost > n).any():
        raise PredictionsError("pairs: expected no more discordant pairs than samples, got more. Check the counts.")
    known = np.maximum(n, 1)
    estimate = (gained - lost) / known
    ends = []
    for bound, sign in ((-1.0, 1.0), (1.0, -1.0)):
        inside, outside = estimate.copy(), np.full(estimate.shape, bound)
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            accepted = sign * score_statistic(gained, lost, known, middle) <= z
            inside, outside = np.where(accepted, middle, inside), np.where(accepted, outside, middle)
        ends.append(np.where(n > 0, inside, np.nan))
    return ends[0], ends[1]


def score_statistic(gained: np.ndarray, lost: np.ndarray, n: np.ndarray, difference: np.ndarray | float) -> np.ndarray:
    """T of the Notes of `score_interval`; where the variance is 0, 0 at the difference itself and infinite at another one."""
    b = -gained - lost + (2 * n - gained + lost) * difference
    c = -lost * difference * (1 - difference)
    q = (np.sqrt(np.maximum(b * b - 8 * n * c, 0.0)) - b) / (4 * n)
    variance = np.maximum(n * (2 * q + difference * (1 - difference)), 0.0)
    off = gained - lost - n * difference
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 0, off / np.sqrt(variance), np.where(off == 0, 0.0, np.sign(off) * np.inf))


def _counts(*counts):
    arrays = [np.asarray(one, dtype=np.float64) for one in counts]
    if any((one < 0).any() for one in arrays):
        raise PredictionsError("pairs: expected numbers of samples >= 0, got a negative one. Check the counts.")
    return arrays
