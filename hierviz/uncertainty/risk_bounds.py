r"""How large a mean can be in the population, given what a sample of it shows.

Conventions
-----------
Losses are in [0, 1]; `n` observations are independent draws from one population. A p-value is the evidence against
"the population's mean is above alpha": at most delta with probability at most delta when it is. Arguments broadcast.

Functions
---------
binomial_cdf, binomial_p_value, hoeffding_bentkus_p_value, upper_bound, wilson

References
----------
.. [1] C. Clopper, E. Pearson, The use of confidence or fiducial limits, Biometrika 1934.
.. [2] A. Angelopoulos, S. Bates, E. Candès, M. Jordan, L. Lei, Learn then Test, 2021, section 3.1 (Hoeffding-Bentkus).
.. [3] NIST Digital Library of Mathematical Functions, 8.17.5: the incomplete beta function of whole numbers is a binomial tail.
.. [4] E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22, 1927.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

# A mean is a sum of rounded values: a count this little above a whole number is that number.
ROUNDING = 1e-9
# Numbers that are worked on at a time.
ROOM = 1 << 16


def binomial_cdf(k, n, p):
    """Probability of at most k successes in n trials, by the incomplete beta function.

    Parameters
    ----------
    k, n : int or ndarray of int
        k < 0 gives 0, k >= n gives 1; n >= 1.
    p : float or ndarray of float
        In [0, 1].

    Returns
    -------
    ndarray of float
        Relative error about 1e-9 for n up to a million, also far out in the lower tail.
    """
    k, n, p = np.broadcast_arrays(np.asarray(k), np.asarray(n), np.asarray(p, dtype=float))
    share = np.where((k >= n) | ((p == 0) & (k >= 0)), 1.0, 0.0)
    inside = (k >= 0) & (k < n) & (p > 0) & (p < 1)
    share[inside] = _incomplete_beta(n[inside] - k[inside], k[inside] + 1, 1 - p[inside], p[inside])
    return share


def binomial_p_value(risk, n, alpha):
    """P(Bin(n, alpha) <= n risk): the exact test for a loss of 0 or 1 [1]_.

    Parameters
    ----------
    risk : float or ndarray of float
        Mean of the n losses.
    n : int
    alpha : float or ndarray of float
        In (0, 1).
    """
    return binomial_cdf(np.rint(np.asarray(risk) * n).astype(np.int64), n, alpha)


def hoeffding_bentkus_p_value(risk, n, alpha):
    r"""The smaller of Hoeffding's and Bentkus' p-value, for a loss anywhere in [0, 1] [2]_.

    .. math:: \min\{\exp(-n\, h(\min(\hat R, \alpha), \alpha)),\; e\, P(\mathrm{Bin}(n, \alpha) \le \lceil n \hat R \rceil)\},
        \quad h(a, b) = a \log\tfrac{a}{b} + (1 - a) \log\tfrac{1 - a}{1 - b}

    Parameters
    ----------
    risk : float or ndarray of float
        Mean of the n losses.
    n : int
    alpha : float or ndarray of float
        In (0, 1).
    """
    risk, alpha = np.broadcast_arrays(np.asarray(risk, dtype=float), np.asarray(alpha, dtype=float))
    low = np.minimum(risk, alpha)
    divergence = _times_log(low, alpha) + _times_log(1 - low, 1 - alpha)
    tail = binomial_cdf(np.ceil(risk * n - ROUNDING).astype(np.int64), n, alpha)
    return np.minimum(np.exp(-n * divergence), np.e * tail).clip(0, 1)


def upper_bound(p_value, risk, n, delta):
    """The smallest alpha that the data rule out with confidence 1 - delta: the mean is at most that.

    Parameters
    ----------
    p_value : callable
        `binomial_p_value`, for which this is the one-sided bound of Clopper and Pearson, or
        `hoeffding_bentkus_p_value`.
    risk : float or ndarray of float
        Mean of the n losses.
    n : int
    delta : float
        In (0, 1).

    Returns
    -------
    ndarray of float
        In [risk, 1].
    """
    risk = np.asarray(risk, dtype=float).clip(0, 1)
    low, high = risk, np.ones_like(risk)
    # Twelve times into 16 parts leaves a rounding error; the upper end is kept, which is ruled out or 1.
    parts = np.arange(1, 16) / 16
    for _ in range(12):
        inner = low[..., None] + (high - low)[..., None] * parts
        inside = (inner > 0) & (inner < 1)
        ruled_out = inside & (p_value(risk[..., None], n, np.where(inside, inner, 0.5)) <= delta)
        ends = np.concatenate([low[..., None], inner, high[..., None]], axis=-1)
        # A p-value falls as alpha rises: what follows the first that is ruled out is so too.
        first = np.where(ruled_out.any(axis=-1), ruled_out.argmax(axis=-1), len(parts))[..., None]
        low = np.take_along_axis(ends, first, -1)[..., 0]
        high = np.take_along_axis(ends, first + 1, -1)[..., 0]
    return high


def wilson(events, n, confidence=0.95):
    """Wilson's interval of a share [4]_.

    Parameters
    ----------
    events, n : ndarray of int
        n >= 1; events in [0, n].
    confidence : float
        In (0, 1).

    Returns
    -------
    low, high : ndarray of float
        In [0, 1].

    Examples
    --------
    >>> [float(round(end, 4)) for end in wilson(2, 20)]
    [0.0279, 0.301]
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    events, n = np.asarray(events, dtype=float), np.asarray(n, dtype=float)
    centre = (events + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(events * (n - events) / n + z**2 / 4)
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)


def _times_log(a, b):
    """a log(a / b), 0 where a is 0."""
    return a * np.log(np.divide(a, b, out=np.ones_like(a), where=a > 0))


def _incomplete_beta(a, b, x, rest):
    """Regularised incomplete beta function at x = 1 - rest, for whole a, b >= 1 and 0 < x < 1 [3]_."""
    swap = x >= (a + 1) / (a + b + 2)
    a, b = np.where(swap, b, a).astype(float), np.where(swap, a, b).astype(float)
    x, rest = np.where(swap, rest, x), np.where(swap, x, rest)
    # Of exactly a successes in a + b - 1 trials.
    front = _log_gamma(a + b) - _log_gamma(a + 1) - _log_gamma(b) + a * np.log(x) + (b - 1) * np.log(rest)
    area = np.exp(front) * _tail(a, b, x / rest)
    return np.where(swap, 1 - area, area).clip(0, 1)


def _tail(a, b, odds):
    """How many times as probable as a successes a or more of them are, in a + b - 1 trials; shape (n,).

    On this side of the mean each number is less probable than the one before; about 4 sqrt(a + b) of them count.
    """
    total, last, done, size = np.ones_like(odds), np.ones_like(odds), 0, 32
    moving = np.arange(len(odds))
    while len(moving):
        size = max(min(2 * size, ROOM // len(moving)), 1)
        more = done + np.arange(size)
        ratios = np.maximum(b[moving, None] - 1 - more, 0) / (a[moving, None] + 1 + more) * odds[moving, None]
        terms = last[moving, None] * np.cumprod(ratios, axis=1)
        total[moving] += terms.sum(axis=1)
        last[moving], done = terms[:, -1], done + size
        moving = moving[last[moving] > 1e-17 * total[moving]]
    return total


def _log_gamma(values):
    distinct, place = np.unique(values, return_inverse=True)
    return np.array([math.lgamma(value) for value in distinct.tolist()])[place.reshape(np.shape(values))]
