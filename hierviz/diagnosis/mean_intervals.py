r"""Intervals of means of samples in closed form: Wilson's for shares, Student's for other means, over groups where there are any.

Conventions
-----------
Samples that belong together (one observer, one document) are not independent. With groups c of sizes n_c and the mean m, the
variance of the mean is estimated from the sums of whole groups [1]_,

    G / (G - 1) sum over c of (sum over i in c of (x_i - m))^2 / n^2,

with G - 1 degrees of freedom; single samples are groups of one.

Functions
---------
mean_intervals

References
----------
.. [1] W. G. Cochran, Sampling Techniques, 3rd ed., Wiley 1977, section 9A.
"""

from __future__ import annotations

import numpy as np

from hierviz.metrics.node_pairs import ratio
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
    is_share = bool(np.isin(values, (0, 1)).all())
    if is_share and groups is None:
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
