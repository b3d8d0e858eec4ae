"""Which points of a plane no other point beats in both metrics.

Functions
---------
pareto_front
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError


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
