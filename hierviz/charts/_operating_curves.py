"""Operating curves of several models, coupled by one threshold that can be dragged.

One concatenated chart: a sentence, the curves, the strip to drag on with a histogram next to it, the read-out. All coupling
happens in the browser, see `_coupling`; Streamlit reports the selections on release:
``st.altair_chart(chart, on_select="rerun", selection_mode=selections(curves))``.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._canvas import legend
from hierviz.charts._compose import hconcat, vconcat
from hierviz.charts._curve_figure import CurveFigure, words_of
from hierviz.charts._curve_panel import curve_panel
from hierviz.charts._end_labels import column_width
from hierviz.charts._figure import Figure
from hierviz.charts._plane import LEFT
from hierviz.charts._read_out import depth_histogram, live_sentence, read_out
from hierviz.charts._threshold_strip import threshold_strip
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.curve_table import threshold_table
from hierviz.charts.theme import WIDE, beside_tools
from hierviz.messages.number_text import percent_text
from hierviz.metrics.outcomes import answered_text
from hierviz.metrics.registry import METRICS

# What padding and strokes add at the sides; the most that names take on the right.
EDGE, MOST_SIDE = 10, 220
# Pixels of the legend, the axes and their titles above and below a plot.
AROUND = 100


def operating_curves(
    curves,
    *,
    threshold=0.5,
    axes=None,
    model=None,
    layers=None,
    among=None,
    intervals=None,
    dark=None,
    width=1000,
    height=None,
):
    """Correctness against specificity of every model, the threshold strip below, and a read-out that follows it.

    Parameters
    ----------
    curves : dict of str to OperatingCurve, or OperatingCurve
        One to eight models by name; all of predicted sets (SetOperatingCurve) or none.
    threshold : float, or dict of str to float
        Threshold to start at, in [0, 1]; a dict gives every model one of its own.
    axes : CurveAxes, optional
        Metrics of the panel and of the strip.
    model : str, optional
        The model to start with: its line is wider, the sentence is about it, and the handle moves it where each model has
        its own threshold.
    layers : CurveLayers, optional
        What is drawn besides the lines: rules, answers, envelopes, bands and others.
    among : sequence of str, optional
        Names that these models are chosen from: a model then has its colour by its place there, see `model_colours`.
    intervals : dict of str to dict of str to Interval, optional
        By model and metric, at the threshold: for the table.
    dark : bool, optional
    width : int
        Pixels of the whole figure; below 640 everything is stacked for a phone.
    height : int, optional
        Pixels of the main panel's plot.

    Returns
    -------
    Figure
        Its chart has the point selections ``chosen`` and, with several models, ``model``. Its table has one row a model at
        the threshold and one a model and rule: ``model``, ``rule``, ``threshold``, the metrics; with intervals also
        ``<metric>_low`` and ``<metric>_high``, empty for rules. Its sentence says what the chosen model does at its
        threshold; the others are left out: at one threshold models cannot be compared, as `comparison_sentence` does at
        equal correctness.

    Raises
    ------
    PredictionsError
        If there is no curve, or a metric or the model is not one of theirs.

    Notes
    -----
    Solid for thresholds of at least 0.5, dashed below. Lines are simplified to 0.1 px at 1000 x 600, and to 2,000 points
    a model; every number shown at a threshold is exact.
    """
    figure = CurveFigure(curves, threshold, axes, model, layers, among, bool(dark))
    return Figure(
        lambda dark, width: _drawn(dataclasses.replace(figure, dark=dark), width, height),
        lambda: threshold_table(figure.curves, figure.coupling.thresholds, figure.layers.rules, intervals),
        lambda: _sentence(figure.curves, figure.coupling),
        dark,
        width,
        still=lambda dark, width, height: _still(dataclasses.replace(figure, dark=dark), width, height),
    )


def _drawn(figure, width, height):
    wide = width >= WIDE
    width -= EDGE
    side = _side(figure) if wide else 0
    plot = width - LEFT - (side or 14)
    height = height or (360 if wide else 260)
    key = legend(_legend_groups(figure, wide), width, dark=figure.dark, start=LEFT)
    main, below = curve_panel(figure, plot, height, side, wide), threshold_strip(figure, plot, wide)
    words, table = live_sentence(figure, beside_tools(width), wide), read_out(figure, width, wide)
    bars = figure.layers.answers is not None
    if wide:
        below = hconcat(below, depth_histogram(figure, side - 34, 84), spacing=22) if bars else below
        rows = [words, key, main, below, table]
    else:
        rows = [words, main, key, below, table, *([depth_histogram(figure, plot, 70)] if bars else [])]
    # Handed over at once: `add_params` copies the whole figure for each.
    return vconcat(*rows, spacing=12, params=[parameter.param for parameter in figure.coupling.parameters()])


def _still(figure, width, height):
    """The curves alone: the strip, the numbers and the sentence follow a handle, which a slide has not."""
    width, side = width - EDGE, _side(figure)
    key = legend(_legend_groups(figure, True), width, dark=figure.dark, start=LEFT)
    plot = curve_panel(figure, width - LEFT - side, height - AROUND, side, True)
    parameters = figure.coupling.parameters(is_still=True)
    return vconcat(key, plot, spacing=12, params=[parameter.param for parameter in parameters])


def _side(figure):
    """Pixels right of the plots: names of the curves, and bars of the depths where there are answers."""
    return min(MOST_SIDE, max(column_width(figure.curves), 190 if figure.layers.answers else 0))


def selections(curves):
    """Names of the selections of `operating_curves`: ``chosen``, and ``model`` with several models."""
    return ["chosen", "model"] if len(numbers.checked_curves(curves)) > 1 else ["chosen"]


def curve_stops(curves, model=None, counts="information"):
    """Thresholds worth stopping at, as the strip marks them.

    Parameters
    ----------
    curves : dict of str to OperatingCurve, or OperatingCurve
    model : str, optional
        The first by default.
    counts : str
        'information' or 'depth': of which the F1 is, where answers are single nodes.

    Returns
    -------
    list of (str, float)
        Label and threshold.
    """
    curves = numbers.checked_curves(curves)
    name = list(curves)[numbers.checked_model(model, curves)]
    return words_of(curves, counts).stops(curves[name])


def _sentence(curves, coupling):
    """One plain sentence on what the chosen model does at its threshold."""
    name, at = coupling.names[coupling.picked], coupling.start
    values = curves[name].at(at)
    if numbers.are_sets(curves):
        parts = (f"{words} {percent_text(values[key])}" for key, words in words_of(curves).metrics.items())
        return f"{name} at τ = {threshold_text(at)}: {', '.join(parts)}."
    answered = answered_text(values["no_answer"], values["correct"])
    return (
        f"{name} at τ = {threshold_text(at)}: {percent_text(values['correct'])} of the answers are correct, "
        f"{percent_text(values['exact'])} exact; {answered}; information recall {percent_text(values['info_recall'])}."
    )


def _legend_groups(figure, wide):
    """What the marks mean; models too where there is no room for their names at their curves."""
    look = figure.look
    models = [
        {"kind": "line", "label": name, "colour": colour}
        for name, colour in zip(figure.curves, figure.colours, strict=True)
    ]
    lines = [
        {"kind": "dot", "label": "at τ", "shape": "circle", "colour": look.muted},
        {"kind": "line", "label": "τ from 0.5 up", "colour": look.muted},
        {"kind": "dashed", "label": "τ below 0.5", "colour": look.muted},
    ]
    # A ring on the line of its target needs no words.
    rings = ", ".join(dict.fromkeys(row["label"] for row in figure.rings if row["label"] not in figure.targets))
    lines += [{"kind": "outline", "label": rings, "colour": look.muted}] if rings else []
    rules = {row["rule"]: row for row in figure.markers}.values()
    points = [{"kind": "point", "label": row["label"], "shape": row["shape"], "colour": look.ink} for row in rules]
    x, y = figure.axes.x, figure.axes.y
    sides = [{"neither": "", "lower": "bottom", "higher": "top"}[METRICS[y].better]]
    if x != "threshold":
        sides.append("left" if METRICS[x].better == "lower" else "right")
    # What is higher at one threshold is not therefore better.
    is_incomparable = x == "threshold" and len(figure.curves) > 1
    notes = ["τ not comparable" if is_incomparable else f"Better: {' '.join(filter(None, sides))}"]
    notes += ["Pale: the raw points"] if figure.has_envelope else []
    limits = zip("xy", figure.domains, strict=True)
    notes += [f"{name} axis from {low:g}" for name, (low, _) in limits if low]
    lines += [{"kind": "note", "label": note} for note in notes]
    return [*([] if wide else [("Models", models)]), (None, lines), *([("Rules", points)] if points else [])]


# Places are whole ten-thousandths of a panel's width or height.
PARTS = 10_000


def curve_drag(curves, *, threshold=0.5, axes=None, model=None, layers=None):
    """Data for a script that moves the handle of `operating_curves`, which has the same arguments.

    Returns
    -------
    dict
        ``models`` (names), ``picked`` (number of the model to start with), ``shared``, ``thresholds`` (thresholds to choose
        from, ascending), ``texts`` (as written), ``strip`` (their places on the strip), ``x`` and ``y`` (by model, their
        places on the main panel from its top left corner), ``changes`` (by model, "1" at a threshold where its numbers
        are others than at the one before), ``stops`` (by model, numbers of thresholds worth stopping at). Places are in
        ten-thousandths.
    """
    figure = CurveFigure(curves, threshold, axes, model, layers)
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
