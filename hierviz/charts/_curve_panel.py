"""The main panel of the operating curves: lines, rule markers, the dots at the threshold, construction lines, names."""

from __future__ import annotations

import altair as alt
import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._compose import layer
from hierviz.charts._coupling import ROW, by_model, left_axis
from hierviz.charts._curve_bands import band_layers, point_layers
from hierviz.charts._curve_figure import LEVELS
from hierviz.charts._rows import frame
from hierviz.charts._text import shorten, text_width
from hierviz.charts._threshold_strip import threshold_axis
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.curve_lines import against_threshold, envelopes, polylines, tables
from hierviz.charts.theme import FONT

# The majority is the curve at 0.5: its triangle has to show around the dot that stands there by default.
MARKER, MAJORITY, DOT, PICKED_DOT = 95, 350, 80, 115
DASHES, SOLID = [5, 4], [1, 0]


def curve_panel(figure, plot, height, *, envelope=False, levels=False, wide=True):
    """All curves of a CurveFigure on a plot of `plot` x `height` pixels."""
    axis = {"grid": True, "tickSize": 4, "labelPadding": 4}
    if figure.x == "threshold":
        at_x = threshold_axis(figure.scale, wide, "x", **axis)
    else:
        at_x = alt.X("x:Q").scale(domain=list(figure.x_domain), nice=False, zero=False)
        title = numbers.axis_label(figure.x)
        at_x = at_x.axis(alt.Axis(title=title, tickCount=max(4, plot // 90), titlePadding=6, **axis))
    at_y = (
        alt.Y("y:Q")
        .scale(domain=list(figure.y_domain), nice=False, zero=False)
        .axis(left_axis(numbers.axis_label(figure.y), 5, **axis))
    )
    place = {"x": at_x, "y": at_y}
    layers = [
        *band_layers(figure, place),
        *(_levels(figure, place, height) if levels and figure.levels else []),
        *_lines(figure, place, envelope),
        *_markers(figure, place),
        _hover(figure, place),
        *point_layers(figure, place),
        _dots(figure, place),
    ]
    if wide:
        layers += _names(figure, place, plot, height)
    return layer(*layers).properties(width=plot, height=height, name="main")


def _lines(figure, place, envelope):
    """Raw curves, solid from 0.5 up and dashed below, or their envelopes over pale raw ones; wide lines to click on top."""
    colour = by_model(figure.colours)
    mark = {"strokeJoin": "round", "clip": True, "tooltip": None, "aria": False}
    width = alt.StrokeWidthValue(1.8, condition={"test": "datum.model === picked", "value": 3.2})
    if figure.x == "threshold":
        raw = against_threshold(figure.curves, figure.y, figure.y_domain, figure.scale, (1000, 600))
    else:
        raw = polylines(figure.curves, figure.x, figure.y, figure.x_domain, figure.y_domain)
    layers, pale = [], 0.3 if envelope else 1
    for table in tables(raw):
        base = alt.Chart(table).encode(**place, order=alt.Order("order:Q"), color=colour, strokeWidth=width)
        for part, dash in (("low", DASHES), ("high", SOLID)):
            layers.append(
                base.transform_filter(f"datum.part == '{part}'").mark_line(strokeDash=dash, opacity=pale, **mark)
            )
    if envelope:
        steps = envelopes(figure.curves, figure.x, figure.y, figure.x_domain, figure.y_domain)
        layers += [
            alt.Chart(table)
            .encode(**place, order=alt.Order("order:Q"), color=colour, strokeWidth=width)
            .mark_line(**mark)
            for table in tables(steps)
        ]
    selection = figure.coupling.model_selection()
    if selection is not None:
        wide = [
            alt.Chart(table)
            .encode(**place, order=alt.Order("order:Q"), detail=[alt.Detail("model:N"), alt.Detail("part:N")])
            .mark_line(strokeWidth=14, opacity=0, cursor="pointer", **mark)
            for table in tables(raw)
        ]
        layers += [wide[0].add_params(selection), *wide[1:]]
    return layers


def _levels(figure, place, height):
    """Horizontal lines at 90 and 95 % correct, and where each model's last point at that level stands."""
    rows = [row for row in figure.levels if row["x"] > figure.x_domain[0] and row["level"] >= figure.y_domain[0]]
    if not rows:
        return []
    name = "R" if figure.x == "info_recall" else numbers.short_label(figure.x)
    for row in rows:
        row["text"] = f"{name}@{100 * row['level']:.0f}C {row['x']:.3f}"
        row["low"], row["up"] = figure.x_domain[0], -4 if row["level"] == LEVELS[0] else -20
    look = figure.look
    base = alt.Chart(frame(rows))
    left = place["x"].copy()
    left["shorthand"] = "low:Q"
    at_level = alt.Y("level:Q").scale(domain=list(figure.y_domain), nice=False, zero=False)
    mark = {"clip": True, "tooltip": None, "aria": False}
    picked = alt.OpacityValue(0.35, condition={"test": "datum.j === picked", "value": 1})
    # At the foot of the lines, on the axis that the number is read from: the curves leave that corner free.
    text = {"align": "right", "baseline": "bottom", "dx": -5, "fontSize": 12, "font": FONT, "tooltip": None}
    text["dy"] = alt.ExprRef("datum.up")
    words = base.transform_filter("datum.j === picked").encode(
        place["x"], y=alt.YValue(height), text=alt.Text("text:N")
    )
    return [
        base.transform_filter("datum.j === picked")
        .mark_rule(strokeWidth=1, strokeDash=[2, 3], color=look.muted, **mark)
        .encode(left, y=at_level, x2=alt.X2("x:Q")),
        base.mark_rule(strokeWidth=1.2, strokeDash=[2, 3], **mark).encode(
            place["x"], y=at_level, y2=alt.Y2Value(height), color=alt.Color("colour:N", scale=None), opacity=picked
        ),
        words.mark_text(stroke=look.background, strokeWidth=4, strokeJoin="round", aria=False, **text),
        words.mark_text(**text).encode(color=alt.Color("colour:N", scale=None)),
    ]


def _markers(figure, place):
    if not figure.markers:
        return []
    rows = [row | {"size": MAJORITY if row["rule"] == "majority" else MARKER} for row in figure.markers]
    return [
        alt.Chart(frame(rows))
        .mark_point(strokeWidth=2, fill=figure.look.background, fillOpacity=0.85, opacity=1)
        .encode(
            **place,
            size=alt.Size("size:Q", scale=None),
            stroke=alt.Stroke("colour:N", scale=None),
            shape=alt.Shape("shape:N", scale=None),
            tooltip=[
                alt.Tooltip("model:N", title="Model"),
                alt.Tooltip("label:N", title="Rule"),
                *_tooltips(figure),
            ],
        )
    ]


def _hover(figure, place):
    """Invisible points along the curves that show their numbers under the pointer."""
    rows = []
    for number, name in enumerate(figure.curves):
        curve = list(figure.curves.values())[number]
        for threshold in np.arange(41) / 40:
            at = curve.at(threshold)
            x = float(figure.scale.place(threshold)) if figure.x == "threshold" else float(at[figure.x])
            rows.append({"model": name, "text": threshold_text(threshold), "x": x, "y": float(at[figure.y])})
    return (
        alt.Chart(frame(rows))
        .mark_circle(size=160, opacity=0, aria=False)
        .encode(
            **place,
            tooltip=[alt.Tooltip("model:N", title="Model"), alt.Tooltip("text:N", title="τ"), *_tooltips(figure)],
        )
    )


def _dots(figure, place):
    return (
        figure.coupling.at_threshold(figure.knots, figure.colours, figure.y, x=figure.x)
        .mark_circle(opacity=1, stroke=figure.look.background, strokeWidth=1.5)
        .encode(
            **place,
            color=alt.Color("colour:N", scale=None),
            key=ROW,
            size=alt.SizeValue(DOT, condition={"test": "datum.j === picked", "value": PICKED_DOT}),
            tooltip=[alt.Tooltip("model:N", title="Model"), alt.Tooltip("text:N", title="τ"), *_tooltips(figure)],
        )
    )


def _tooltips(figure):
    return [
        alt.Tooltip(f"{field}:Q", title=numbers.axis_label(key), format=numbers.number_format(key))
        for field, key in (("x", figure.x), ("y", figure.y))
        if key != "threshold"
    ]


def _names(figure, place, plot, height):
    rows = direct_labels(figure, plot, height)
    if not rows:
        return []
    base = alt.Chart(frame(rows)).encode(**place, text=alt.Text("text:N"))
    mark = {
        "align": alt.ExprRef("datum.align"),
        "baseline": "middle",
        "dx": alt.ExprRef("datum.dx"),
        "dy": alt.ExprRef("datum.dy"),
        "fontSize": 12,
        "font": FONT,
        "fontWeight": 600,
        "tooltip": None,
        "aria": False,
    }
    return [
        base.mark_text(stroke=figure.look.background, strokeWidth=4, strokeJoin="round", **mark),
        base.mark_text(**mark).encode(color=alt.Color("colour:N", scale=None)),
    ]


HALF, SIZE = 9, 12
# Pixels around a place on a curve that no other curve may come into.
ALONE = 15
# Corner of the name that touches the curve, with its distance: right of the end first, then below, then above.
SPOTS = (("left", 12, 0), ("right", -8, 12), ("left", 8, -12), ("right", -10, 2), ("left", 10, 14))


def direct_labels(figure, plot, height):
    """Rows x, y, text, colour, align, dx, dy of the names that can stand beside their curve, clear of everything else.

    The end of a curve is tried first, then places along it; a name that finds none is left to the legend.
    """
    x_low, x_high = figure.x_domain
    y_low, y_high = figure.y_domain
    lines = [(across * plot, down * height) for across, down in map(figure.places, range(len(figure.curves)))]
    spots = [
        ((row["x"] - x_low) / (x_high - x_low) * plot, (y_high - row["y"]) / (y_high - y_low) * height)
        for row in figure.markers
    ]
    all_x = np.concatenate([across for across, _ in lines] + [[spot[0] for spot in spots]])
    all_y = np.concatenate([down for _, down in lines] + [[spot[1] for spot in spots]])
    # Between two knots the curve is drawn as well.
    middle_x = np.concatenate([(across[1:] + across[:-1]) / 2 for across, _ in lines])
    middle_y = np.concatenate([(down[1:] + down[:-1]) / 2 for _, down in lines])
    all_x, all_y = np.concatenate([all_x, middle_x]), np.concatenate([all_y, middle_y])
    taken, rows = [], []
    for number, (name, colour) in enumerate(zip(figure.curves, figure.colours, strict=True)):
        across, down = lines[number]
        others = [np.empty((2, 0)), *(line for place, line in enumerate(lines) if place != number)]
        others = np.concatenate(others, axis=1)
        text = shorten(name, 150, SIZE, bold=True)
        width = text_width(text, SIZE, bold=True)
        for start, (align, dx, dy) in _tries(across, down):
            if (np.hypot(others[0] - across[start], others[1] - down[start]) < ALONE).any():
                continue  # nobody could say whose name it is
            left = across[start] + dx - (width if align == "right" else 0)
            top = down[start] + dy - HALF
            box = left - 3, left + width + 3, top, top + 2 * HALF
            inside = box[0] >= 0 and box[1] <= plot + 10 and box[2] >= 0 and box[3] <= height
            on_line = (all_x > box[0]) & (all_x < box[1]) & (all_y > box[2]) & (all_y < box[3])
            on_name = any(box[0] < b[1] and b[0] < box[1] and box[2] < b[3] and b[2] < box[3] for b in taken)
            if inside and not on_name and not on_line.any():
                taken.append(box)
                rows.append(
                    {
                        "x": float(across[start] / plot * (x_high - x_low) + x_low),
                        "y": float(y_high - down[start] / height * (y_high - y_low)),
                        "text": text,
                        "colour": colour,
                        "align": align,
                        "dx": dx,
                        "dy": dy,
                    }
                )
                break
    return rows


def _tries(across, down):
    """(place on the curve, spot), the end of the curve first, then from there to its start in steps of its length."""
    yield 0, SPOTS[0]
    length = np.concatenate([[0], np.cumsum(np.hypot(np.diff(across), np.diff(down)))])
    for share in np.linspace(0.02, 0.9, 45):
        start = int(np.searchsorted(length, share * length[-1]))
        yield from ((start, spot) for spot in SPOTS[1:])
