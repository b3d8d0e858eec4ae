r"""Intervals of a paired difference that are honest with few samples, and the test that it is below a limit.

Conventions
-----------
A difference d has the variance v between resamples, n / (n - 1) times for n samples (or groups), and what runs add, with
:math:`\nu` degrees of freedom (Student's t, and Welch and Satterthwaite with runs [1]_). A sample can change the number by at
most its reach R over n. Where all samples at hand agree, v is 0 and says nothing about those that are rare: the score interval of
a share that was never seen ends at :math:`z^2 / (n + z^2)` [2]_, [3]_. The same is added here,

.. math:: d \pm t \sqrt{v + (t R / n)^2},

so that no interval is shorter than :math:`t^2 R / n` to either side. With 3,000 samples this changes the third digit of an
interval; with twelve it is most of it.

Groups of sizes m count as :math:`n = (\sum m)^2 / \sum m^2` of one size [4]_, in :math:`\nu` and in R / n: a large group moves a
number by more than one in n, and most of v is known from the large ones.

Of 0/1 values of single samples the interval is Tango's, with Student's quantile of n - 1 degrees of freedom in the place of the
normal one: with twelve samples the normal one errs in up to 5.6 % of the cases instead of 5 %. Arrays have one shape.

Functions
---------
effective_units, margin_interval, margin_p_values, score_margin

References
----------
.. [1] F. E. Satterthwaite, An approximate distribution of estimates of variance components, Biometrics Bulletin 2 (1946).
.. [2] E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927) 209-212.
.. [3] T. Tango, Statistics in Medicine 17 (1998) 891-908.
.. [4] L. Kish, Survey Sampling, Wiley 1965, section 8.2; A. Carter, K. Schnepel, D. Steigerwald, Asymptotic behavior of a t-test
   robust to cluster heterogeneity, Review of Economics and Statistics 99 (2017) 698-709.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hierviz.uncertainty.paired_proportions import score_ends, score_statistic
from hierviz.uncertainty.student import t_quantiles, t_tails

# Taken for a variance of 0: a gap too small for a square is none then, and any other is far.
LEAST = 1e-200


def effective_units(sizes: np.ndarray) -> float:
    """How many groups of one size say as much as groups of these sizes (number of samples each), as the conventions say.

    Examples
    --------
    >>> effective_units(np.array([10, 10, 10])), effective_units(np.array([30, 10, 10, 10]))
    (3.0, 3.0)
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def margin_interval(
    estimate: ArrayLike, variance: ArrayLike, degrees: ArrayLike, reach: ArrayLike, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the interval that the conventions describe.

    Parameters
    ----------
    estimate, variance : array_like of float
        Of the difference.
    degrees : array_like of float
        Of freedom, >= 1.
    reach : array_like of float
        R / n, >= 0.
    level : float
        In (0, 1).

    Returns
    -------
    lower, upper : ndarray of float
    """
    estimate, variance, degrees, reach = np.broadcast_arrays(estimate, variance, degrees, reach)
    t = t_quantiles(level, degrees)
    half = t * np.sqrt(variance + (t * reach) ** 2)
    return estimate - half, estimate + half


def margin_p_values(
    estimate: ArrayLike, variance: ArrayLike, degrees: ArrayLike, reach: ArrayLike, limit: ArrayLike
) -> np.ndarray:
    r"""One-sided p-values that the true difference is not below -limit: small where it is below.

    Parameters
    ----------
    estimate, variance, degrees, reach
        As of `margin_interval`.
    limit : array_like of float

    Returns
    -------
    ndarray of float
        In [0, 1]; below (1 - level) / 2 exactly where the upper end of the interval of that level is below -limit.

    Notes
    -----
    With :math:`g = |d + \mathrm{limit}|` and :math:`c = R / n`, the t whose interval ends at -limit solves
    :math:`t^2 v + t^4 c^2 = g^2`.
    """
    estimate, variance, degrees, reach, limit = np.broadcast_arrays(estimate, variance, degrees, reach, limit)
    gap = -(estimate + limit)
    root = np.hypot(variance, 2 * reach * gap)
    # t² is 2 g² / (v + root), which no small reach makes inexact.
    t = abs(gap) * np.sqrt(2 / np.maximum(variance + root, LEAST))
    tail = t_tails(t, degrees) / 2
    return np.where(gap > 0, tail, 1 - tail)


def score_margin(
    gained: ArrayLike, lost: ArrayLike, n: ArrayLike, limit: ArrayLike, level: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Interval and p-value of a difference of paired 0/1 values, second less first.

    Parameters
    ----------
    gained, lost, n : array_like of int
        Samples where the second alone is 1, where the first alone is, and all, at least two.
    limit : array_like of float
        In [0, 1).
    level : float

    Returns
    -------
    lower, upper, p_value : ndarray of float
        As of `margin_interval` and `margin_p_values`; the interval is never without width.
    """
    gained, lost, n, limit = np.broadcast_arrays(
        *(np.asarray(one, dtype=np.float64) for one in (gained, lost, n, limit))
    )
    lower, upper = score_ends(gained, lost, n, t_quantiles(level, n - 1))
    score = score_statistic(gained, lost, n, -limit)
    tail = t_tails(score, n - 1) / 2
    return lower, upper, np.where(score < 0, tail, 1 - tail)
