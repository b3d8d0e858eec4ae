"""The thresholds that the handle can be at, and their places on the threshold axis.

Knots are the thousandths from 0 to 1 and breakpoints of the curves, so that a model whose scores are mostly near 1 still has
thresholds to choose from. Every number of the chart is exact at a knot.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from hierviz.charts.curve_lines import POINTS_AT_ONCE, between, kept
from hierviz.messages.number_text import threshold_text as threshold_text  # a name of `hierviz.charts`

THOUSANDTHS = np.arange(1001) / 1000
MOST_BREAKPOINTS = 500
# Breakpoints above this are crowded: most of a linear axis would be spent on thresholds where nothing happens.
CROWDED_FROM = 0.99


def breakpoints(curves):
    """All breakpoints of some curves strictly between 0 and 1, ascending, each once."""
    inside = [curve.threshold[::-1][between(curve, 0, 1)] for curve in curves.values()]
    return inside[0] if len(inside) == 1 else np.unique(np.concatenate(inside))


def knots(curves, *more):
    """Thresholds to choose from: thousandths, breakpoints (quantiles of them when there are many) and `more`.

    Parameters
    ----------
    curves : dict of str to OperatingCurve
    *more : float
        Thresholds that must be there, in [0, 1].

    Returns
    -------
    ndarray of float, ascending
        At most 1,501 and `more`. A breakpoint is rounded up to few digits: a threshold a person can read and type.
    """

    def rounded(curve):
        inside = breakpoints({"": curve})
        starts = range(0, len(inside), POINTS_AT_ONCE)
        parts = [np.unique(round_up(inside[start : start + POINTS_AT_ONCE])) for start in starts]
        return np.unique(np.concatenate([np.empty(0), *parts]))

    breaks = np.concatenate([kept(curve, "rounded up", partial(rounded, curve)) for curve in curves.values()])
    breaks = np.setdiff1d(breaks, THOUSANDTHS)
    if len(breaks) > MOST_BREAKPOINTS:
        breaks = breaks[np.linspace(0, len(breaks) - 1, MOST_BREAKPOINTS).round().astype(int)]
    return np.unique(np.concatenate([THOUSANDTHS, breaks, np.asarray(more, dtype=float).reshape(-1)]))


def round_up(threshold):
    """Thresholds rounded up so that about four digits are kept, of 1 - threshold too; from the value on."""
    threshold = np.asarray(threshold, dtype=float)
    digits = np.clip(np.ceil(-np.log10(np.minimum(threshold, 1 - threshold))) + 3, 4, 12)
    scale = 10.0**digits
    whole = np.round(threshold * scale)
    return np.where(whole / scale < threshold, (whole + 1) / scale, whole / scale)


@dataclass(frozen=True)
class ThresholdScale:
    """Places of thresholds on an axis of length 1.

    Attributes
    ----------
    nines : int
        0: as they are. Else the axis is spread near 1: every further nine (0.9, 0.99, 0.999 ...) has the same room, up
        to this many.
    """

    nines: int = 0

    @classmethod
    def from_curves(cls, curves, spread=None):
        """The scale of some curves; `spread` None: only where thresholds are crowded near 1."""
        if spread is None:
            n_crowded = sum(int(curve.place(CROWDED_FROM)) for curve in curves.values())
            spread = n_crowded > sum(len(curve.threshold) for curve in curves.values()) / 2
        if not spread:
            return cls()
        inside = breakpoints(curves)
        highest = np.quantile(inside, 0.95) if len(inside) else 0.99
        return cls(int(np.clip(np.ceil(-np.log10(max(1 - highest, 1e-9))), 3, 8)))

    def place(self, threshold):
        """Places in [0, 1] of thresholds, ascending with them."""
        threshold = np.asarray(threshold, dtype=float)
        if not self.nines:
            return threshold
        end = 10.0**-self.nines
        return np.clip(np.log10((1 + end) / (1 - threshold + end)) / np.log10((1 + end) / end), 0, 1)

    def ticks(self, wide=True):
        """Thresholds to name on the axis, ascending."""
        if not self.nines:
            return [i / 10 for i in range(0, 11, 1 if wide else 2)]
        further = [round(1 - 10.0**-k, k) for k in range(1, self.nines)]
        return [0.0, *([0.5, 0.8] if wide else []), *(further if wide else further[::2]), 1.0]
