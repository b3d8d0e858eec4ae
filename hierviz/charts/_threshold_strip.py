"""The strip under the operating curves: one metric against the threshold, and the handle that is dragged.

It holds the selection ``chosen``, see `_coupling`. Ticks at its foot are thresholds worth stopping at.
"""

from __future__ import annotations

import altair as alt
import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._compose import OWN_COLOUR, STILL, frame, haloed, layer
from hierviz.charts._coupling import ONE, ROW, by_model
from hierviz.charts._plane import LEFT, left_axis
from hierviz.charts._text import text_width
from hierviz.charts.curve_lines import against_threshold, tables
from hierviz.charts.theme import SIZE

STOP_SIZE, STOP_ROW = 11.5, 14
# Pixels that the rectangles stick out on the right; a legend is there when it is wide.
OUT = {True: 26, False: 12}


def threshold_strip(figure, plot, wide):
    """One metric against the threshold, the handle, and the rectangles that carry the selection."""
    look, coupling, curves, key = figure.look, figure.coupling, figure.curves, figure.axes.strip
    height = 84 if wide else 80
    drawn = np.concatenate([numbers.extremes(curve, key) for curve in curves.values()])
    limits = numbers.domain(key, drawn, figure.axes.zoom)
    axis = {"grid": True, "tickSize": 4, "labelPadding": 4}
    at_x = threshold_axis(figure.scale, wide, "x", **axis)
    scale = {"domain": list(limits), "nice": False, "zero": False}
    at_y = alt.Y("y:Q", scale=scale, axis=left_axis(None, 3, **axis))
    lines = [
        alt.Chart(table)
        .mark_line(strokeWidth=1.8, strokeJoin="round", **STILL)
        .encode(at_x, at_y, order=alt.Order("order:Q"), detail=alt.Detail("part:N"), color=by_model(figure.colours))
        for table in tables(against_threshold(curves, key, limits, figure.scale))
    ]
    # Half the width of the label stays inside, or the panels next to it would move.
    half = f"{SIZE * 0.29} * length(datum.label)"
    out = OUT[wide]
    handle = (
        coupling.knot(figure.knots)
        .transform_calculate(label="'τ = ' + datum.text")
        .transform_calculate(inside=f"clamp(datum.at, ({half} - {LEFT}) / {plot}, 1 - ({half} - {out}) / {plot})")
    )
    plain_x = _across("at")
    # Labels of stops are above the line of the handle, which may run through them.
    ticks, labels = _stops(figure, plot, height, limits, at_y)
    ink = {"color": look.ink, **STILL}
    text = {"baseline": "bottom", "dy": -13, "fontSize": SIZE, "fontWeight": 600, "color": look.ink, "tooltip": None}
    dots = coupling.at_threshold(figure.knots, figure.colours, key, x="threshold")
    dots = dots.mark_circle(size=70, opacity=1, stroke=look.background, strokeWidth=1.2, **STILL)
    head = handle.mark_point(shape="triangle-down", size=150, filled=True, opacity=1, **ink)
    named = handle.mark_text(**text).encode(_across("inside"), y=alt.YValue(0), text=alt.Text("label:N"), key=ONE)
    knots = alt.Chart(_rectangles(figure.thresholds, figure.scale, plot, wide))
    knots = knots.mark_rect(opacity=0, cursor="ew-resize", **STILL).add_params(coupling.threshold_selection())
    layers = [
        *lines,
        *ticks,
        handle.mark_rule(strokeWidth=2, **ink).encode(plain_x, y=alt.YValue(-4), y2=alt.Y2Value(height), key=ONE),
        *labels,
        dots.encode(plain_x, at_y, color=OWN_COLOUR, key=ROW),
        head.encode(plain_x, y=alt.YValue(-6), key=ONE),
        named,
        knots.encode(_across("lo"), x2=alt.X2("hi:Q"), y=alt.YValue(-30), y2=alt.Y2Value(height)),
    ]
    title = alt.TitleParams(
        f"{numbers.axis_label(key)} at every threshold" + (": drag, click or use the keys" if wide else ""),
        offset=2,
        anchor="start",
        color=look.ink,
    )
    return layer(*layers).properties(width=plot, height=height, name="strip", title=title)


def _across(field, **axis):
    """Encoding of a place from 0 to 1, without an axis of its own if not given."""
    return alt.X(f"{field}:Q", scale={"domain": [0, 1], "nice": False}, **axis)


def threshold_axis(scale, wide, field, **axis):
    """Encoding of thresholds by their place in [0, 1], the axis named by the thresholds."""
    ticks = scale.ticks(wide)
    places = [round(float(place), 6) for place in scale.place(ticks)]
    labels = [f"{tick:g}" if scale.nines else f"{tick:.1f}" for tick in ticks]
    named = " : ".join(
        f"abs(datum.value - {place!r}) < 1e-5 ? '{label}'" for place, label in zip(places, labels, strict=True)
    )
    title = "Threshold τ" + (", spread near 1" if scale.nines else "")
    named = f"{named} : ''"
    return _across(field, axis=alt.Axis(title=title, values=places, labelExpr=named, titlePadding=4, **axis))


def _rectangles(thresholds, scale, plot, wide):
    """One rectangle a knot, from the middle between it and the knot before to the middle after it."""
    at = scale.place(thresholds)
    middle = (at[1:] + at[:-1]) / 2
    # The ends stick out of the plot: a fast drag still reaches 0 and 1.
    middle = np.concatenate([[-(LEFT - 4) / plot], middle, [1 + OUT[wide] / plot]])
    return frame({"threshold": thresholds, "lo": middle[:-1], "hi": middle[1:]})


def _stops(figure, plot, height, limits, at_y):
    """Ticks of the thresholds worth stopping at, of the chosen model, each kind in a line of its own, and their labels."""
    rows = []
    for number, stops in enumerate(figure.stops):
        # The further left, the higher: no tick, which goes down from its label, crosses another label on its right.
        for line, (label, threshold) in enumerate(sorted(stops, key=lambda stop: -stop[1])):
            at = float(figure.scale.place(threshold))
            need = text_width(label, STOP_SIZE) + 8
            is_right = at * plot + need > plot
            high = limits[0] + (7 + STOP_ROW * line) / height * (limits[1] - limits[0])
            side = {"align": "right", "dx": -5} if is_right else {"align": "left", "dx": 5}
            rows.append({"model": number, "at": at, "y": high, "label": label, **side})
    if not rows:
        return [], []
    base = alt.Chart(frame(rows)).transform_filter("datum.model === picked").encode(_across("at"), at_y)
    look = figure.look
    text = {"baseline": "middle", "align": alt.ExprRef("datum.align"), "dx": alt.ExprRef("datum.dx")}
    ticks = base.mark_rule(strokeWidth=1.5, color=look.muted, **STILL).encode(y2=alt.Y2Value(height + 4))
    words = base.encode(text=alt.Text("label:N"))
    return [ticks], haloed(words, look.background, colour=look.muted, fontSize=STOP_SIZE, **text)
