"""Envelopes of pairs of metrics along a curve, the areas under them, and the largest value where another is large enough.

Functions
---------
envelope, envelope_integral, best_at_correct, Envelopes
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.metrics.ties import TIE


def envelope(x, y):
    """Non-increasing envelope: points sorted by x, each with the largest y from it on; equal x keep their order.

    Parameters
    ----------
    x, y : ndarray of float, shape (n_points,)

    Returns
    -------
    x, e : ndarray of float, shape (n_points,)
        x ascending.
    """
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    return x, np.maximum.accumulate(y[::-1], out=y[::-1])[::-1]


def envelope_integral(x, y):
    """Area under the envelope from 0 to the largest x, by steps: no trapezoids, nothing beyond. In [0, 1]."""
    return Envelopes({"x": np.asarray(x), "y": np.asarray(y)}).area("x", "y")


def best_at_correct(x, correct, level):
    """Largest x over points with correct >= level (`ties.at_least`), 0 when there is none; of one level or an array of them."""
    return Envelopes({"x": np.asarray(x), "correct": np.asarray(correct)}).best("x", "correct", level)


class Envelopes:
    """Envelopes of pairs of columns of a curve, each made once.

    Parameters
    ----------
    values : dict of str to ndarray of float, shape (n_points,)
    """

    def __init__(self, values: Mapping[str, np.ndarray]):
        self._values = values
        self._kept: dict[frozenset, dict[str, np.ndarray]] = {}
        self._made: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]] = {}

    def area(self, x: str, y: str) -> float:
        """As `envelope_integral`."""
        across, height = self._envelope(x, y)
        return float(across[0] * height[0] + np.sum((across[1:] - across[:-1]) * height[1:]))

    def best(self, x: str, correct: str, level: ArrayLike) -> Any:
        """As `best_at_correct`."""
        # The envelope with the axes exchanged: from each share of correct answers on, the largest x.
        shares, largest = self._envelope(correct, x)
        best = np.append(largest, 0.0)[np.searchsorted(shares, np.asarray(level) - TIE, side="left")]
        return float(best) if np.ndim(level) == 0 else best

    def _envelope(self, x, y):
        if (x, y) not in self._made:
            kept = self._corners(x, y)
            self._made[x, y] = envelope(kept[x], kept[y])
        return self._made[x, y]

    def _corners(self, x, y):
        """The points without those that a neighbour has below and left of it: these are most, and add nothing."""
        pair = frozenset((x, y))
        if pair not in self._kept:
            across, up = self._values[x], self._values[y]
            n_before = np.inf
            # Among those that are left, others are neighbours: again as long as it makes them clearly fewer to sort.
            while len(across) < n_before / 2:
                n_before = len(across)
                kept = _not_covered(across, up)
                across, up = across[kept], up[kept]
            self._kept[pair] = {x: across, y: up}
        return self._kept[pair]


def _not_covered(across, up):
    """Numbers of the points that neither neighbour has below and left of it; of equal ones the last."""
    rises = (across[:-1] <= across[1:]) & (up[:-1] <= up[1:])
    falls = (across[:-1] >= across[1:]) & (up[:-1] >= up[1:])
    is_kept = np.ones(len(across), dtype=bool)
    np.logical_not(rises, out=is_kept[:-1])
    is_kept[1:] &= rises | ~falls
    return np.flatnonzero(is_kept)
