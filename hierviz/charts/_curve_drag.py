"""Where the handle and the dots of the operating curves can go, as plain lists for a page that lets them be dragged."""

from __future__ import annotations

import numpy as np

from hierviz.charts._curve_figure import CurveFigure
from hierviz.charts.curve_knots import threshold_text

# Places are whole ten-thousandths of a panel's width or height.
PARTS = 10_000


def curve_drag(
    curves,
    *,
    threshold=0.5,
    x=None,
    y=None,
    strip=None,
    model=None,
    rules=None,
    spread=None,
    zoom=True,
    bands=None,
):
    """What a program needs to move the handle of `operating_curves` of the same arguments.

    Returns
    -------
    dict
        ``models`` (names), ``picked`` (number of the model to look at first), ``shared``, ``thresholds`` (thresholds to choose
        from, ascending), ``texts`` (as written), ``strip`` (their places on the strip), ``x`` and ``y`` (by model, their
        places on the main panel from its top left corner), ``changes`` (by model, "1" at a threshold where its numbers
        are others than at the one before), ``stops`` (by model, numbers of thresholds worth stopping at). Places are in
        ten-thousandths.
    """
    figure = CurveFigure(curves, threshold, x, y, strip, model, rules, None, spread, zoom, bands=bands)
    thresholds, picked = figure.thresholds, figure.coupling.picked
    across, down = zip(*map(figure.places, range(len(figure.curves))), strict=True)
    changes = [np.diff(curve.place(thresholds), prepend=-1) != 0 for curve in figure.curves.values()]
    return {
        "models": list(figure.curves),
        "picked": picked,
        "shared": figure.coupling.is_shared,
        "thresholds": thresholds.tolist(),
        "texts": [threshold_text(threshold) for threshold in thresholds.tolist()],
        "strip": _parts(figure.scale.place(thresholds)),
        "x": [_parts(places) for places in across],
        "y": [_parts(places) for places in down],
        "changes": ["".join("01"[int(is_change)] for is_change in row) for row in changes],
        "stops": [np.searchsorted(thresholds, [at for _, at in stops]).tolist() for stops in figure.stops],
    }


def _parts(values):
    return np.round(np.asarray(values) * PARTS).astype(int).tolist()
