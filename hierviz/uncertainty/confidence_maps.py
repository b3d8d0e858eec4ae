r"""Maps from the confidence of an answer to a calibrated one, fitted on other samples: isotonic regression and Venn-Abers.

Conventions
-----------
`p` is the probability of one answer of each sample, shape (n,), in [0, 1], and `events` says whether that answer is right. A
map changes the confidence of the answer alone: mapped probabilities of several classes would no longer add up along the tree. A
temperature (`hierviz.uncertainty.fit_temperature`) changes all of them, and with them the answers.

Isotonic regression is the best map that never falls, in squared error, as pools of adjacent violators find it; between the
fitted p it is a straight line. Venn-Abers fits it twice for each new p, as if that sample's event were 0 and were 1, which
gives p_0 <= p_1, one of them calibrated; they are combined to p_1 / (1 - p_0 + p_1), the value that is best for log loss in the
worst case.

Functions
---------
isotonic, isotonic_map, venn_abers

References
----------
.. [1] M. Ayer et al., An empirical distribution function for sampling with incomplete information, Ann. Math. Stat. 26, 1955.
.. [2] B. Zadrozny, C. Elkan, Transforming classifier scores into accurate multiclass probability estimates, KDD 2002.
.. [3] V. Vovk, I. Petej, V. Fedorova, Large-scale probabilistic predictors with and without guarantees of validity, NIPS 2015.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError

# Different p that Venn-Abers keeps apart; of more, neighbours are pooled. Steps of a bisection from 0 to 1.
MOST_VALUES, STEPS = 1000, 44


def isotonic(p: ArrayLike, events: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Isotonic regression of events on p [1]_.

    Parameters
    ----------
    p : array_like of float, shape (n,)
    events : array_like of bool, shape (n,)

    Returns
    -------
    values, fitted : ndarray of float, shape (n_values,)
        The different p, ascending, and the fitted probability at each, which never falls.

    Raises
    ------
    PredictionsError
        If there are no samples, or lengths differ.

    Examples
    --------
    >>> isotonic([0.1, 0.2, 0.3, 0.4], [False, True, False, True])[1].tolist()
    [0.0, 0.5, 0.5, 1.0]
    """
    p, events = _checked(p, events)
    values, place, n = np.unique(p, return_inverse=True, return_counts=True)
    return values, _fitted(np.bincount(place, events), n)


def _fitted(hits, n):
    """Slopes of the greatest convex minorant of the cumulative sums: the fit at each value, shape (n_values,)."""
    x, y = np.append(0, np.cumsum(n)).astype(float), np.append(0, np.cumsum(hits)).astype(float)
    corners = _lower_hull(x, y)
    slopes = np.diff(y[corners]) / np.diff(x[corners])
    return np.clip(np.repeat(slopes, np.diff(corners)), 0, 1)


def _lower_hull(x, y):
    """Places of the corners of the lower convex hull of points with ascending x, by pools of adjacent violators."""
    kept = np.arange(len(x))
    while len(kept) > 2:
        slopes = np.diff(y[kept]) / np.diff(x[kept])
        # A point above the line between two others is no corner.
        is_above = np.append(False, np.append(slopes[1:] < slopes[:-1], False))
        if not is_above.any():
            break
        kept = kept[~is_above]
    return kept


def isotonic_map(p: ArrayLike, events: ArrayLike, new: ArrayLike) -> np.ndarray:
    """Calibrated confidence of new samples by isotonic regression on others [2]_.

    Parameters
    ----------
    p, events : array_like, shape (n,)
        Of the samples that are fitted on.
    new : array_like of float, shape (n_new,)

    Returns
    -------
    ndarray of float, shape (n_new,)
        Beyond the fitted p the value at the nearest one.
    """
    return np.interp(np.asarray(new, dtype=float), *isotonic(p, events))


def venn_abers(p: ArrayLike, events: ArrayLike, new: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inductive Venn-Abers probabilities of new samples [3]_.

    Parameters
    ----------
    p, events : array_like, shape (n,)
        Of the samples that are fitted on.
    new : array_like of float, shape (n_new,)

    Returns
    -------
    low, high, combined : ndarray of float, shape (n_new,)
        p_0, p_1, and p_1 / (1 - p_0 + p_1).
    """
    p, events = _checked(p, events)
    values, place, n = np.unique(p, return_inverse=True, return_counts=True)
    # Neighbouring values that count as one.
    group = np.arange(len(values)) * min(MOST_VALUES, len(values)) // len(values)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    hits, n = (np.add.reduceat(of, starts) for of in (np.bincount(place, events), n.astype(float)))
    least, most = values[starts], values[np.append(starts[1:], len(values)) - 1]
    new = np.asarray(new, dtype=float)
    # Groups below each new value, and those that it is not below.
    ends = np.stack([np.searchsorted(most, new, "left"), np.searchsorted(least, new, "right")], axis=1)
    distinct, where = np.unique(ends, axis=0, return_inverse=True)
    first, last = distinct.T
    low, high = (_with_one_more(hits, n, first, last, event)[where.reshape(-1)] for event in (0.0, 1.0))
    return low, high, high / (1 - low + high)


def _with_one_more(hits, n, first, last, event):
    """Isotonic fit at one more sample with some event, between groups `first` and `last`: shape (n_places,).

    It is the largest over starts, up to `first`, of the smallest mean over ends, from `last` on. The mean is at least a slope
    where the sums less the slope times the counts nowhere fall below where they start: that slope is found by bisection.
    """
    hit_sums, sums, place = np.append(0, np.cumsum(hits)), np.append(0, np.cumsum(n)), np.arange(len(n) + 1)
    low, high = np.zeros(len(first)), np.ones(len(first))
    before, after = place[None] <= first[:, None], place[None] >= last[:, None]
    for _ in range(STEPS):
        slope = (low + high) / 2
        off = hit_sums[None] - slope[:, None] * sums[None]
        rises = np.where(after, off, np.inf).min(axis=1) - np.where(before, off, np.inf).min(axis=1) + event - slope
        low, high = np.where(rises >= 0, slope, low), np.where(rises >= 0, high, slope)
    return (low + high) / 2


def _checked(p, events):
    p, events = np.asarray(p, dtype=float), np.asarray(events, dtype=float)
    if p.ndim != 1 or p.shape != events.shape or not len(p):
        raise PredictionsError(
            f"confidence: expected p and events of the same samples, got shapes {p.shape} and {events.shape}. Align them."
        )
    return p, events
