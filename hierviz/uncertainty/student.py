r"""Student's t distribution: intervals of estimates whose variance has few degrees of freedom, such as that of three runs.

Functions
---------
t_tail, t_tails, t_quantile, t_quantiles, satterthwaite

References
----------
.. [1] B. L. Welch, The generalization of 'Student's' problem when several different population variances are involved,
   Biometrika 34 (1947) 28-35; F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114.
.. [2] W. Press et al., Numerical Recipes, section 6.4 (continued fraction of the incomplete beta function).
"""

from __future__ import annotations

import math

import numpy as np


def t_tail(t, degrees):
    r"""Probability that \|T\| is at least \|t\|: the two-sided p-value.

    Parameters
    ----------
    t : float
    degrees : float
        >= 1, may be infinite (the normal distribution).

    Returns
    -------
    float
        In [0, 1].

    Notes
    -----
    .. math:: P(|T| \ge |t|) = I_{\nu / (\nu + t^2)}(\nu / 2, 1 / 2)
    """
    t = abs(float(t))
    if t == 0:
        return 1.0
    if math.isinf(t * t):
        return 0.0
    if degrees > 1e7:
        return math.erfc(t / math.sqrt(2))
    x = degrees / (degrees + t * t)
    a, b = degrees / 2, 0.5
    if x < (a + 1) / (a + b + 2):
        return _beta_area(a, b, x, 1 - x)
    return 1 - _beta_area(b, a, 1 - x, x)


def t_tails(t, degrees):
    """`t_tail` of many values and degrees of freedom: ndarray of float of their common shape."""
    return np.asarray(np.frompyfunc(t_tail, 2, 1)(t, degrees), dtype=np.float64)


def t_quantile(level, degrees):
    """The t beyond which, to both sides, lies 1 - level: 1.96 for 0.95 and very many degrees of freedom.

    Parameters
    ----------
    level : float
        In (0, 1).
    degrees : float
        >= 1.

    Returns
    -------
    float
        > 0; relative error about 1e-9.
    """
    low, high = 0.0, 1.0
    while t_tail(high, degrees) > 1 - level:
        low, high = high, 2 * high
    t = (low + high) / 2
    for _ in range(200):
        excess = t_tail(t, degrees) - (1 - level)
        low, high = (t, high) if excess > 0 else (low, t)
        # Newton's step, inside the bracket.
        step = t + excess / (2 * _density(t, degrees))
        step = step if low < step < high else (low + high) / 2
        if abs(step - t) <= 1e-13 * t:
            return step
        t = step
    return t


def t_quantiles(level, degrees):
    """`t_quantile` of many degrees of freedom, each value computed once.

    Parameters
    ----------
    level : float
        In (0, 1).
    degrees : ndarray of int or float
        Each >= 1.

    Returns
    -------
    ndarray of float
        Of the shape of `degrees`.
    """
    distinct, place = np.unique(degrees, return_inverse=True)
    values = np.array([t_quantile(level, one) for one in distinct.tolist()], dtype=float)
    return values[place].reshape(np.shape(degrees))


def satterthwaite(variances, degrees):
    r"""Degrees of freedom of a sum of independent variances [1]_.

    Parameters
    ----------
    variances, degrees : sequence of float
        Estimates >= 0, and the degrees of freedom of each.

    Returns
    -------
    float
        Between the smallest of `degrees` and their sum; infinite where all variances are 0.

    Notes
    -----
    .. math:: \nu = \left(\sum_k v_k\right)^2 / \sum_k v_k^2 / \nu_k
    """
    whole = sum(variances)
    parts = sum(v * v / d for v, d in zip(variances, degrees, strict=True))
    return whole * whole / parts if parts else math.inf


def _density(t, degrees):
    """Of the t distribution at t."""
    if degrees > 1e7:
        return math.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    front = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - 0.5 * math.log(degrees * math.pi)
    return math.exp(front - (degrees + 1) / 2 * math.log1p(t * t / degrees))


def _beta_area(a, b, x, rest):
    """Regularised incomplete beta function at x = 1 - rest < (a + 1) / (a + b + 2), by Lentz's method [2]_."""
    if x == 0:
        return 0.0
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest) - math.log(a)
    tiny = 1e-300
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    value = d
    for m in range(1, 10_000):
        before = value
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d, c = 1 / ((1 + term * d) or tiny), (1 + term / c) or tiny
            value *= d * c
        if abs(value - before) <= 1e-15 * abs(value):
            break
    return math.exp(front) * value
