"""Comparing means and sums, which differ by rounding with the order in which they are added up.

Functions
---------
at_least, at_most, rounded, largest_first
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hierviz.compiled.curve_sums import descending

# Numbers less than this apart are equal; numbers of a larger scale, this share of it. Decimals of a value that count: sums of
# probabilities and bits agree to far more, and different values differ by more.
TIE, DECIMALS = 1e-12, 12


def at_least(values: Any, level: Any, scale: Any = 1.0) -> Any:
    """Whether values reach a level, which rounding alone does not miss: bool, or ndarray of the broadcast shape.

    Parameters
    ----------
    values, level : array_like of float
        -inf and inf are numbers like others; never true where one is nan.
    scale : array_like of float
        Largest size of the terms that `values` are made of, where it is above 1 and above the level.

    Examples
    --------
    >>> (1 - 0.05) * 60 >= 57, at_least((0.1 + 0.1 + 0.1) * 3, 0.9), at_least(0.89, 0.9)
    (True, True, False)
    """
    level = np.asarray(level)
    size = np.where(np.isfinite(level), np.maximum(np.abs(level), scale), 0.0)
    found = np.asarray(values) >= level - TIE * size
    return found if np.ndim(found) else bool(found)


def at_most(values: Any, level: Any, scale: Any = 1.0) -> Any:
    """Whether values stay below a level, or exceed it by rounding alone; as `at_least`."""
    return at_least(-np.asarray(values), -np.asarray(level), scale)


def rounded(values: Any) -> np.ndarray:
    """Numbers that may be ties, rounded so that they are equal: ndarray of float."""
    return np.round(np.asarray(values, dtype=np.float64), DECIMALS)


def largest_first(values: np.ndarray) -> np.ndarray:
    """Places of the values, the largest first, equal ones in their order, nan last; shape of `values`, of int.

    Examples
    --------
    >>> largest_first(np.array([0.1, 0.7 - 0.2, 0.6 - 0.1])).tolist()
    [1, 2, 0]
    """
    return descending(rounded(values))[1]
