"""The order of ranked lists: values that differ by the rounding of sums alone are equal, so that ties are ties.

Functions
---------
largest_first
"""

from __future__ import annotations

import numpy as np

# Decimals of a value that count: sums of probabilities and bits agree to far more, and different values differ by more.
DECIMALS = 12


def largest_first(values: np.ndarray) -> np.ndarray:
    """Places of the values, the largest first, equal ones in their order, nan last; shape of `values`, of int.

    Examples
    --------
    >>> largest_first(np.array([0.1, 0.7 - 0.2, 0.6 - 0.1])).tolist()
    [1, 2, 0]
    """
    return np.argsort(-np.round(values, DECIMALS), kind="stable")
