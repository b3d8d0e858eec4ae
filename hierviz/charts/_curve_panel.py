"""The main panel of the operating curves: lines, markers, dots at the threshold, targets, construction lines, bands, names."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from hierviz.charts import curve_table as numbers
from hierviz.charts._compose import OWN_COLOUR, STILL, frame, haloed, layer, tooltips
from hierviz.charts._coupling import ROW, by_model
from hierviz.charts._curve_figure import LEVELS
from hierviz.charts._end_labels import end_labels, label_layers
from hierviz.charts._plane import Room, points
from hierviz.charts._threshold_strip import threshold_axis
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.curve_lines import FINEST, against_threshold, envelopes, pixels_of, polylines, simplify, tables
from hierviz.metrics.registry import METRICS
from hierviz.uncertainty.repeats import RunBands

# The majority is the curve at 0.5: its triangle has to show around the dot that is there by default.
MARKER, MAJORITY, DOT, PICKED_DOT = 95, 350, 80, 115
DASHES, SOLID = [5, 4], [1, 0]


def curve_panel(figure, plot, height, side, wide):
    """All curves of a CurveFigure on a plot of `plot` x `height` pixels, with their names in `side` pixels on the right."""
    x, y, on = figure.axes.x, figure.axes.y, figure.plane(plot, height)
    place = on.place
    if x == "threshold":
        place["x"] = threshold_axis(figure.scale, wide, "x", grid=True, tickSize=4, labelPadding=4)
    bands = [(colour, (figure.layers.bands or {}).get(name)) for name, colour in zip(figure.curves, figure.colours)]
    fields = {"model:N": "Model", "text:N": "τ", **numbers.tips_of(x, y)}
    layers = [
        *band_layers(bands, x, y, on.domains, place, figure.scale),
        *_levels(figure, place, height),
        *_lines(figure, place),
    ]
    if figure.markers:
        rows = [row | {"size": MAJORITY if row["rule"] == "majority" else MARKER} for row in figure.markers]
        of_rules = {"model:N": "Model", "label:N": "Rule", **numbers.tips_of(x, y)}
        layers.append(points(rows, place, figure.look, of_rules))
    layers += [on.hover(list(_hovered(figure)), fields, place), *_rings(figure, place), _dots(figure, place, fields)]
    lines = [np.array(figure.places(number)) * [[plot], [height]] for number in range(len(figure.curves))]
    markers = np.array([on.pixel(row) for row in figure.markers]).reshape(-1, 2).T
    targets, words = _targets(figure, on, place, np.concatenate([*lines, markers], axis=1))
    layers[:0] = targets
    # Against the threshold all curves may end at one place: they are named from the other end.
    along = x == "threshold"
    named = end_labels(list(figure.curves), figure.colours, lines, on, side, others=markers, along=along)
    layers += [*words, *label_layers(named, on, not along)]
    return layer(*layers).properties(width=plot, height=height, name="main")


def _dots(figure, place, fields):
    """A dot a model at its threshold; one that a cropped axis leaves out is an arrow at its edge."""
    dots = figure.coupling.at_threshold(figure.knots, figure.colours, figure.axes.y, x=figure.axes.x)
    low = figure.domains[0][0]
    dots = dots.transform_calculate(shown=f"max(datum.x, {low})", shape=f"datum.x < {low} ? 'triangle-left' : 'circle'")
    size = alt.SizeValue(DOT, condition={"test": "datum.j === picked", "value": PICKED_DOT})
    across = place["x"].copy()
    across["shorthand"] = "shown:Q"
    dots = dots.mark_point(filled=True, opacity=1, stroke=figure.look.background, strokeWidth=1.5)
    shape = alt.Shape("shape:N", scale=None)
    return dots.encode(across, place["y"], color=OWN_COLOUR, shape=shape, key=ROW, size=size, tooltip=tooltips(fields))


def _targets(figure, on, place, others):
    """(lines of the targets across the picture, their words where `others` leave room)."""
    lines, words, room = [], [], Room((0, on.plot, 0, on.height), 12, others=others)
    look = {"strokeWidth": 1.2, "strokeDash": [2, 3], "color": figure.look.muted, **STILL}
    (left, right), (low, high) = figure.domains
    for label, (axis, level) in figure.targets.items():
        if not (left <= level <= right if axis == "x" else low <= level <= high):
            continue
        lines.append(alt.Chart(frame({axis: [level]})).mark_rule(**look).encode(place[axis]))
        if axis == "y":
            at = on.pixel({"x": left, "y": level})[1]
            ends = (on.plot, "right", -6), (0, "left", 6)
            tries = [(x, at, align, dx, dy) for dy in (-9, 9) for x, align, dx in ends]
        else:
            at = on.pixel({"x": level, "y": low})[0]
            tries = [(at, on.height, align, dx, -10) for align, dx in (("left", 6), ("right", -6))]
        found = room.placed(label, tries)
        words += [found | on.values(found["across"], found["down"])] if found else []
    return lines, on.words(words, colour=figure.look.muted)


def _lines(figure, place):
    """Raw curves, solid from 0.5 up and dashed below, or envelopes over pale raw ones; wide lines on top take clicks."""
    x, y, of_axes = figure.axes.x, figure.axes.y, figure.domains
    order, mark = alt.Order("order:Q"), {"strokeJoin": "round", "clip": True, **STILL}
    width = alt.StrokeWidthValue(1.8, condition={"test": "datum.model === picked", "value": 3.2})
    drawn = {"order": order, "color": by_model(figure.colours), "strokeWidth": width}
    if x == "threshold":
        raw = against_threshold(figure.curves, y, figure.domains[1], figure.scale, (1000, 600))
    else:
        raw = polylines(figure.curves, x, y, *of_axes)
    layers, pale = [], 0.3 if figure.has_envelope else 1
    for table in tables(raw):
        base = alt.Chart(table).encode(**place, **drawn)
        for part, dash in (("low", DASHES), ("high", SOLID)):
            lines = base.transform_filter(f"datum.part == '{part}'")
            layers.append(lines.mark_line(strokeDash=dash, opacity=pale, **mark))
    if figure.has_envelope:
        steps = tables(envelopes(figure.curves, x, y, *of_axes))
        layers += [alt.Chart(table).encode(**place, **drawn).mark_line(**mark) for table in steps]
    selection = figure.coupling.model_selection()
    if selection is not None:
        detail = [alt.Detail("model:N"), alt.Detail("part:N")]
        mark |= {"strokeWidth": 14, "opacity": 0, "cursor": "pointer"}
        wide = [alt.Chart(table).mark_line(**mark).encode(**place, order=order, detail=detail) for table in tables(raw)]
        layers += [wide[0].add_params(selection), *wide[1:]]
    return layers


def _levels(figure, place, height):
    """Horizontal lines at 90 and 95 % correct, and the last point of each model at that level."""
    rows = [row for row in figure.levels if row["x"] > figure.domains[0][0] and row["level"] >= figure.domains[1][0]]
    if not rows:
        return []
    name = "R" if figure.axes.x == "info_recall" else numbers.short_label(figure.axes.x)
    for row in rows:
        row["text"] = f"{name}@{100 * row['level']:.0f}C {row['x']:.3f}"
        row["low"], row["up"] = figure.domains[0][0], -4 if row["level"] == LEVELS[0] else -20
    look = figure.look
    base = alt.Chart(frame(rows))
    of_picked = base.transform_filter("datum.j === picked")
    left = place["x"].copy()
    left["shorthand"] = "low:Q"
    at_level = alt.Y("level:Q", scale={"domain": list(figure.domains[1]), "nice": False, "zero": False})
    mark = {"clip": True, "strokeDash": [2, 3], **STILL}
    picked = alt.OpacityValue(0.35, condition={"test": "datum.j === picked", "value": 1})
    # At the foot of the lines, on the axis that the number is read from: the curves leave that corner free.
    words = of_picked.encode(place["x"], y=alt.YValue(height), text=alt.Text("text:N"))
    text = {"align": "right", "baseline": "bottom", "dx": -5, "dy": alt.ExprRef("datum.up")}
    down = base.mark_rule(strokeWidth=1.2, **mark).encode(place["x"], y=at_level, y2=alt.Y2Value(height))
    return [
        of_picked.mark_rule(strokeWidth=1, color=look.muted, **mark).encode(left, y=at_level, x2=alt.X2("x:Q")),
        down.encode(color=OWN_COLOUR, opacity=picked),
        *haloed(words, look.background, **text),
    ]


def _hovered(figure):
    """Rows of points along the curves that show their numbers under the pointer."""
    x, y = figure.axes.x, figure.axes.y
    for name, curve in figure.curves.items():
        for threshold in (np.arange(41) / 40).tolist():
            at = curve.at(threshold)
            across = float(figure.scale.place(threshold) if x == "threshold" else at[x])
            if across >= figure.domains[0][0]:
                yield {"model": name, "text": threshold_text(threshold), "x": across, "y": float(at[y])}


# Half a pixel of the largest picture: the edge of an area this pale shows no more.
TOLERANCE, PALE = 0.5, 0.16
RING = 170


def bands_sentence(bands, x="info_recall", y="correct"):
    """What the bands of `operating_curves` on these axes mean, in one sentence; empty where none is drawn."""
    shown = [band for band in (bands or {}).values() if _fits(band, x, y)]
    if not shown:
        return ""
    across = "" if x == "threshold" else f", drawn at the mean {METRICS[x].name},"
    runs = [band for band in shown if isinstance(band, RunBands)]
    shown = [band for band in shown if not isinstance(band, RunBands)]
    if runs:
        counts = sorted({band.n_runs for band in runs})
        n = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        of_runs = (
            f"Lines with several runs are means at each threshold, with a pale band of {METRICS[y].name} ± one standard "
            f"deviation between the {n} runs{across.rstrip(',')}."
        )
        return f"{of_runs} {_sampling_sentence(shown, across, y)}" if shown else of_runs
    return _sampling_sentence(shown, across, y)


def _sampling_sentence(shown, across, y):
    if shown[0].curve[y].level == 1:
        return (
            f"The file lists only some scores of each sample, and the line leaves the others out: the {METRICS[y].name} that all "
            f"scores would give at each threshold is in the pale band{across.rstrip(',')}."
        )
    return (
        f"The pale band around a curve is the {100 * shown[0].curve[y].level:.4g} % bootstrap interval of "
        f"{METRICS[y].name} at each threshold{across} from samples resampled with replacement."
    )


def _fits(bands, x, y):
    """Whether both metrics of the axes are in the bands."""
    return all(key in bands.curve for key in (x, y) if key != "threshold")


def band_layers(bands, x, y, domains, place, scale=None):
    """One pale area a model: along its thresholds the interval of `y`, at the mean of `x`, or at its place on a ThresholdScale.

    `bands` is a list of (colour, CurveBands or None), one a model.
    """
    outlines = [
        _outline(*_edges(of_model, x, y, scale), domains).assign(colour=colour, model=number)
        for number, (colour, of_model) in enumerate(bands)
        if of_model is not None and _fits(of_model, x, y)
    ]
    drawn = tables(pd.concat(outlines, ignore_index=True)) if outlines else ()
    areas = [alt.Chart(of).mark_line(filled=True, fillOpacity=PALE, strokeWidth=0, clip=True, **STILL) for of in drawn]
    fill, detail = alt.Fill("colour:N", scale=None), alt.Detail("model:N")
    return [area.encode(place["x"], place["y"], order=alt.Order("order:Q"), fill=fill, detail=detail) for area in areas]


def _rings(figure, place):
    """Rings around the chosen thresholds of the chosen model."""
    if not figure.rings:
        return []
    base = alt.Chart(frame(figure.rings)).transform_filter("datum.j === picked").encode(place["x"], place["y"])
    rings = base.mark_point(filled=False, size=RING, strokeWidth=2, shape="square", opacity=1)
    return [rings.encode(color=OWN_COLOUR, tooltip=tooltips({"label:N": "Target", "threshold:Q": ("τ", ".4~f")}))]


def _edges(bands, x, y, scale):
    """Place across, lower and upper edge along the thresholds of the bands."""
    of_y = bands.curve[y]
    at = scale.place(bands.thresholds) if x == "threshold" else bands.curve[x].estimate
    known = np.isfinite(at) & np.isfinite(of_y.lower) & np.isfinite(of_y.upper)
    return np.asarray(at)[known], of_y.lower[known], of_y.upper[known]


def _outline(at, low, high, domains):
    """The area as one closed outline: forth along its lower edge and back along the upper one."""
    x, y = np.concatenate([at, at[::-1]]), np.concatenate([low, high[::-1]])
    pixels = [pixels_of(*of_axis) for of_axis in zip((x, y), domains, FINEST, strict=True)]
    kept = simplify(*pixels, TOLERANCE)
    return frame({"order": np.arange(len(kept)), "x": np.round(x[kept], 6), "y": np.round(y[kept], 6)})
