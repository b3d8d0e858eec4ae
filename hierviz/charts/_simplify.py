"""Fewer points for a curve that looks the same: Ramer-Douglas-Peucker, in pixels.

References
----------
.. [1] D. Douglas, T. Peucker, Algorithms for the reduction of the number of points required to represent a digitized
   line or its caricature, Cartographica 1973.
"""

from __future__ import annotations

import numpy as np


def simplify(x, y, tolerance=0.1):
    """Points of a polyline to keep so that no point of it is further than `tolerance` from the kept polyline [1]_.

    Parameters
    ----------
    x, y : ndarray of float, shape (n_points,)
        In the unit of `tolerance`, normally pixels of the largest size the curve is drawn at. Finite.
    tolerance : float
        Largest distance of a left-out point to the segment that replaces it, >= 0.

    Returns
    -------
    ndarray of int, shape (n_kept,)
        Ascending; first and last point always.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    n = len(x)
    keep = np.zeros(n, dtype=bool)
    keep[[0, -1] if n else []] = True
    waiting = [(0, n - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        squared = _squared_distance(x[first + 1 : last], y[first + 1 : last], x[first], y[first], x[last], y[last])
        far = int(squared.argmax())
        if squared[far] > tolerance * tolerance:
            middle = first + 1 + far
            keep[middle] = True
            waiting += [(first, middle), (middle, last)]
    return np.flatnonzero(keep)


def _squared_distance(x, y, x0, y0, x1, y1):
    """Squared distance of points to the segment from (x0, y0) to (x1, y1): to the segment, not to its line."""
    dx, dy = x1 - x0, y1 - y0
    length = dx * dx + dy * dy
    u, v = x - x0, y - y0
    if length > 0:
        along = np.clip((u * dx + v * dy) / length, 0, 1)
        u, v = u - along * dx, v - along * dy
    return u * u + v * v
