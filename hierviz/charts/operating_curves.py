"""Operating curves of several models, coupled by one threshold that can be dragged.

One concatenated chart: the curves, the strip to drag on, the read-out. All coupling happens in the browser: a point
selection called ``tau`` on invisible full-height rectangles, one per knot, is set by click, drag and the bound slider;
the marks at the threshold and the read-out filter the knot table by it. Streamlit reports the selection on release:
``st.altair_chart(chart, on_select="rerun", selection_mode="tau")``.
"""

from __future__ import annotations

import math

import altair as alt
import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._legend import legend
from hierviz.charts._read_out import read_out
from hierviz.charts._rows import frame
from hierviz.charts._text import percent_text, shorten, text_width
from hierviz.charts._threshold_strip import LEFT, at_threshold, by_model, left_axis, now, threshold_strip
from hierviz.charts.theme import FONT, SIZE, model_colours, palette, rule_label, rule_shape
from hierviz.metrics import METRICS

# Width from which there is room for columns; what padding and strokes add at the sides.
NARROW, EDGE = 640, 10


def operating_curves(
    curves,
    *,
    tau=0.5,
    x="info_recall",
    y="correct",
    strip="info_f1",
    rules=None,
    zoom=True,
    dark=False,
    width=1000,
    height=None,
):
    """Correctness against specificity of every model, the threshold strip below, and a read-out that follows it.

    Parameters
    ----------
    curves : dict of str to OperatingCurve, or OperatingCurve
        One to eight models by name.
    tau : float
        Threshold to start at, in [0, 1]; rounded to 0.001.
    x, y, strip : str
        Metrics of the panel's axes and of the strip, keys of `OperatingCurve.values`.
    rules : dict of str to dict of str to dict, optional
        Model, inference rule, metric values (those of `x` and `y` are used): hollow markers.
    zoom : bool
        Crop the axes to what is drawn; False shows the whole range of the metrics.
    dark : bool
    width : int
        Pixels of the whole figure; below 640 everything is stacked for a phone.
    height : int, optional
        Pixels of the main panel's plot.

    Returns
    -------
    alt.VConcatChart
        Unconfigured, with the point selection ``tau``; see `theme.finish`.

    Raises
    ------
    PredictionsError
        If there is no curve or a metric is not one of a curve.

    Notes
    -----
    Solid where tau >= 0.5, dashed below. Lines are simplified to 0.1 px at 1000 x 600; every number shown at a
    threshold is exact.
    """
    curves = numbers.checked_curves(curves)
    for what, key in (("x", x), ("y", y), ("strip", strip)):
        numbers.checked_metric(key, what)
    tau = min(max(round(float(tau), 3), 0.0), 1.0)
    look, colours = palette(dark), list(model_colours(curves, dark).values())
    wide = width >= NARROW
    side = min(260, max(150, _longest(curves, rules) + 40)) if wide else 0
    width -= EDGE
    plot = width - LEFT - (side + 28 if wide else 14)
    height = height or (360 if wide else 260)
    keys = numbers.read_out_keys(x, y)
    table = numbers.knot_table(curves, list(dict.fromkeys([*keys, x, y, strip])))
    knots = alt.Chart(table).transform_filter(f"abs(datum.tau - ({now(tau)})) < 0.0004")
    markers = _markers(curves, colours, rules, x, y)
    x_domain = numbers.domain(
        x, np.concatenate([c.values[x] for c in curves.values()] + [[row["x"] for row in markers]]), zoom
    )
    y_domain = numbers.domain(
        y, np.concatenate([c.values[y] for c in curves.values()] + [[row["y"] for row in markers]]), zoom
    )
    main = _main(curves, colours, knots, markers, x, y, x_domain, y_domain, look, plot, height, direct=wide)
    key = legend(
        _legend_groups(curves, colours, markers, x, y, x_domain, y_domain, look, wide),
        side or width,
        dark=dark,
        stacked=wide,
        start=0 if wide else LEFT,
    )
    below = threshold_strip(curves, colours, knots, strip, tau, look, width - LEFT - (40 if wide else 16), wide, zoom)
    table_below = read_out(list(curves), colours, keys, knots, now(tau), look, width, LEFT)
    if wide:
        return alt.vconcat(alt.hconcat(main, key, spacing=24), below, table_below, spacing=14)
    return alt.vconcat(main, key, below, table_below, spacing=12)


def operating_curves_sentence(curves, tau=0.5):
    """One plain sentence on what the models do at a threshold.

    Parameters
    ----------
    curves : dict of str to OperatingCurve, or OperatingCurve
    tau : float

    Returns
    -------
    str
    """
    curves = numbers.checked_curves(curves)
    at = {name: curve.at(tau) for name, curve in curves.items()}
    name = max(at, key=lambda one: at[one]["info_f1"])
    values = at[name]
    text = (
        f"At τ = {tau:.2f} {name} is right {percent_text(values['correct'])} of the time, names exactly the true class in "
        f"{percent_text(values['exact'])} of the samples, "
        f"and states {percent_text(values['info_recall'])} of what there is to say"
    )
    if len(curves) == 1:
        return f"{text}."
    safest = max(at, key=lambda one: at[one]["correct"])
    if safest == name:
        return f"{text}: of {len(curves)} models the best balance, and the one most often right."
    return (
        f"{text}: of {len(curves)} models the best balance. {safest} is right most often, {percent_text(at[safest]['correct'])}, "
        f"but states {percent_text(at[safest]['info_recall'])}."
    )


def _longest(curves, rules):
    names = [*curves, *(rule_label(rule) for model in (rules or {}).values() for rule in model)]
    return max(text_width(name, SIZE) for name in names)


def _markers(curves, colours, rules, x, y):
    rows = []
    for number, name in enumerate(curves):
        for rule, values in (rules or {}).get(name, {}).items():
            at = values.get(x), values.get(y)
            if all(one is not None and math.isfinite(one) for one in at):
                rows.append(
                    {"model": name, "rule": rule, "label": rule_label(rule), "shape": rule_shape(rule)}
                    | {"x": float(at[0]), "y": float(at[1]), "colour": colours[number]}
                )
    return rows


def _legend_groups(curves, colours, markers, x, y, x_domain, y_domain, look, wide):
    models = [{"kind": "line", "label": name, "colour": colour} for name, colour in zip(curves, colours, strict=True)]
    rules = {row["rule"]: row for row in markers}
    points = [
        {"kind": "point", "label": row["label"], "shape": row["shape"], "colour": look.ink} for row in rules.values()
    ]
    lines = [
        {"kind": "line", "label": "τ from 0.5 up", "colour": look.muted},
        {"kind": "dashed", "label": "τ below 0.5", "colour": look.muted},
    ]
    sides = ["left" if METRICS[x].better == "lower" else "right", "bottom" if METRICS[y].better == "lower" else "top"]
    notes = [{"kind": "note", "label": f"Better: {sides[1]} {sides[0]}"}]
    notes += [
        {"kind": "note", "label": f"{name} axis from {low:g}"}
        for name, (low, _) in (("x", x_domain), ("y", y_domain))
        if low
    ]
    groups = [("Models", models), ("Threshold", lines)]
    return [*groups, *([("Rules", points)] if points else []), (None, notes)]


def _main(curves, colours, knots, markers, x, y, x_domain, y_domain, look, plot, height, direct):
    lines = numbers.polylines(curves, x, y, x_domain, y_domain)
    axis = {"grid": True, "tickSize": 4, "labelPadding": 4}
    ticks = max(4, plot // 90)
    at_x = alt.X("x:Q").scale(domain=list(x_domain), nice=False, zero=False)
    at_x = at_x.axis(alt.Axis(title=numbers.axis_label(x), tickCount=ticks, titlePadding=6, **axis))
    at_y = (
        alt.Y("y:Q")
        .scale(domain=list(y_domain), nice=False, zero=False)
        .axis(left_axis(numbers.axis_label(y), 5, **axis))
    )
    base = alt.Chart(lines).encode(at_x, at_y, order="order:Q", color=by_model(colours))
    layers = [
        base.transform_filter("datum.part == 'low'").mark_line(
            strokeWidth=2, strokeJoin="round", strokeDash=[5, 4], tooltip=None, aria=False
        ),
        base.transform_filter("datum.part == 'high'").mark_line(
            strokeWidth=2.4, strokeJoin="round", tooltip=None, aria=False
        ),
    ]
    place = {"x": at_x, "y": at_y}
    if markers:
        layers.append(
            alt.Chart(frame(markers))
            .mark_point(size=95, strokeWidth=2, fill=look.background, fillOpacity=0.85, opacity=1)
            .encode(
                **place,
                stroke=alt.Stroke("colour:N", scale=None),
                shape=alt.Shape("shape:N", scale=None),
                tooltip=[
                    alt.Tooltip("model:N", title="Model"),
                    alt.Tooltip("label:N", title="Rule"),
                    *_tooltips(x, y),
                ],
            )
        )
    hover = [
        {"model": name, "tau": t, "x": float(curve.at(t)[x]), "y": float(curve.at(t)[y])}
        for name, curve in curves.items()
        for t in np.arange(0, 41) / 40
    ]
    layers.append(
        alt.Chart(frame(hover))
        .mark_circle(size=160, opacity=0, aria=False)
        .encode(
            **place,
            tooltip=[
                alt.Tooltip("model:N", title="Model"),
                alt.Tooltip("tau:Q", title="τ", format=".3f"),
                *_tooltips(x, y),
            ],
        )
    )
    layers.append(
        at_threshold(knots, curves, colours, y, x=x)
        .mark_circle(size=120, opacity=1, stroke=look.background, strokeWidth=1.5)
        .encode(
            **place,
            color=alt.Color("colour:N", scale=None),
            tooltip=[
                alt.Tooltip("model:N", title="Model"),
                alt.Tooltip("tau:Q", title="τ", format=".3f"),
                *_tooltips(x, y),
            ],
        )
    )
    labels = _direct_labels(curves, colours, markers, x, y, x_domain, y_domain, plot, height) if direct else []
    if labels:
        layers.append(
            alt.Chart(frame(labels))
            .mark_text(
                align="left", baseline="middle", dx=12, fontSize=12, font=FONT, fontWeight=600, tooltip=None, aria=False
            )
            .encode(**place, text="text:N", color=alt.Color("colour:N", scale=None))
        )
    return alt.layer(*layers).properties(width=plot, height=height, name="main")


def _tooltips(x, y):
    return [
        alt.Tooltip(f"{field}:Q", title=numbers.axis_label(key), format=".2f" if key.endswith("dist") else ".3f")
        for field, key in (("x", x), ("y", y))
    ]


def _direct_labels(curves, colours, markers, x, y, x_domain, y_domain, plot, height):
    """Names at the ends of the curves, where they stay inside and clear of each other, of markers and of curves."""

    def pixels(at_x, at_y):
        across = (np.asarray(at_x) - x_domain[0]) / (x_domain[1] - x_domain[0]) * plot
        return across, (y_domain[1] - np.asarray(at_y)) / (y_domain[1] - y_domain[0]) * height

    lines = [pixels(curve.values[x], curve.values[y]) for curve in curves.values()]
    spots = pixels([row["x"] for row in markers], [row["y"] for row in markers])
    obstacles = [np.concatenate(parts) for parts in zip(*lines, spots, strict=True)]
    placed = []
    for (name, curve), colour, (across, down) in zip(curves.items(), colours, lines, strict=True):
        text = shorten(name, 150, 12, bold=True)
        left, top = across[-1] + 12, down[-1]
        right = left + text_width(text, 12, bold=True)
        covered = (obstacles[0] > left - 3) & (obstacles[0] < right + 6) & (np.abs(obstacles[1] - top) < 13)
        clear = all(abs(top - one[1]) > 15 or left > one[2] or right < one[0] for one in placed)
        if clear and not covered.any() and right <= plot + 10 and 6 <= top <= height - 6:
            placed.append(
                (left, top, right, {"x": curve.values[x][-1], "y": curve.values[y][-1], "text": text, "colour": colour})
            )
    return [row for *_, row in placed]
