"""Drawing in pixels: layers whose rows hold their positions, for figures that no scale lays out; and their legend.

A canvas is `width` x `height` pixels, y grows downwards. Rows are dicts; what a layer does not name falls back to its
defaults.
"""

from __future__ import annotations

import altair as alt

from hierviz.charts._compose import OWN_COLOUR, STILL, haloed, layer, plain_columns, tooltips
from hierviz.charts._sketch import sketched
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import FONT, SIZE, beside_tools, palette


def position(field, extent, *, axis="x", start=0):
    """Encoding of a pixel position on an axis of `extent` pixels; `start` is the pixel at the left edge of the view."""
    domain = [start, start + extent] if axis == "x" else [extent, 0]
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    return (alt.X if axis == "x" else alt.Y)(f"{field}:Q", scale=scale, axis=None)


def places(width, height, start=0, ends=()):
    """Channels ``x`` and ``y`` of rows in pixels; `ends` names those that also have an end, as in ``("x", "y")``."""
    made = {"x": position("x", width, start=start), "y": position("y", height, axis="y")}
    return made | {
        f"{axis}2": channel(f"{axis}2:Q") for axis, channel in (("x", alt.X2), ("y", alt.Y2)) if axis in ends
    }


def texts(rows, width, height, halo=None, start=0):
    """Text rows: x, y, text, colour; optionally size, weight, align, limit."""
    defaults = {"size": SIZE, "weight": "normal", "align": "left", "limit": 0}
    # Arrow takes columns of one type: weights are text, be they numbers or words.
    rows = [{**defaults, **row, "weight": str(row.get("weight", "normal"))} for row in rows]
    return _texts(plain_columns(rows), width, height, halo, start)


@sketched
def _texts(table, width, height, halo, start):
    base = alt.Chart(table).encode(**places(width, height, start), text=alt.Text("text:N"))
    mark = {
        "baseline": "middle",
        "fontSize": alt.ExprRef("datum.size"),
        "fontWeight": alt.ExprRef("datum.weight"),
        "align": alt.ExprRef("datum.align"),
        "limit": alt.ExprRef("datum.limit"),
    }
    if halo is not None:
        return layer(*haloed(base, halo, **mark))
    return base.mark_text(**mark, font=FONT, tooltip=None).encode(color=OWN_COLOUR)


def boxes(rows, width, height, radius=3, start=0):
    """Filled rectangles: x, x2, y, y2, colour; optionally stroke and line (its width)."""
    rows = [{"stroke": "transparent", "line": 0, **row} for row in rows]
    return _boxes(plain_columns(rows), width, height, radius, start)


@sketched
def _boxes(table, width, height, radius, start):
    mark = {"cornerRadius": radius, "strokeWidth": alt.ExprRef("datum.line"), "opacity": 1, **STILL}
    stroke = alt.Stroke("stroke:N", scale=None)
    return (
        alt.Chart(table).mark_rect(**mark).encode(**places(width, height, start, "xy"), color=OWN_COLOUR, stroke=stroke)
    )


def stripes(rows, width, height, start=0):
    """Striped vertical lines, 4 pixels wide: x, y, y2, colour."""
    return _stripes(plain_columns(rows), width, height, start)


@sketched
def _stripes(table, width, height, start):
    mark = alt.Chart(table).mark_rule(strokeWidth=4, strokeDash=[3, 3], **STILL)
    return mark.encode(**places(width, height, start, "y"), color=OWN_COLOUR)


def rules(rows, width, height, start=0):
    """Straight lines from one place to another: x, x2, y, y2, colour."""
    return _rules(plain_columns(rows), width, height, start)


@sketched
def _rules(table, width, height, start):
    mark = alt.Chart(table).mark_rule(strokeWidth=1, **STILL)
    return mark.encode(**places(width, height, start, "xy"), color=OWN_COLOUR)


def hover(rows, width, height, tooltip, select=None, field=None):
    """Invisible rectangles on top of all that show a tooltip: x, x2, y, y2 and the columns of `tooltip` (field: title).

    `select` names a selection of a field that a click makes, if not given the one of the same name; rows may have a ``cursor``.
    """
    return _hover(plain_columns(rows), width, height, tooltip, select, field)


@sketched
def _hover(table, width, height, tooltip, select, field):
    look = {"opacity": 0, "aria": False} | ({"cursor": alt.ExprRef("datum.cursor || 'pointer'")} if select else {})
    tips = tooltips({f"{field}:N": title for field, title in tooltip.items()})
    drawn = alt.Chart(table).mark_rect(**look).encode(**places(width, height, ends="xy"), tooltip=tips)
    if not select:
        return drawn
    clicked = alt.selection_point(name=select, fields=[field or select], on="click", toggle=False, empty=False)
    return drawn.add_params(clicked)


ROW, SWATCH = 19, 26
# Items that are lines, with their dashes.
LINES = {"line": [1, 0], "dashed": [4, 3]}


def legend(groups, width, *, dark=False, stacked=False, size=SIZE, start=0):
    """Legend of several groups of items.

    Parameters
    ----------
    groups : list of (title or None, list of dict)
        Items have ``label`` and ``kind``: line, dashed, point (``shape``), dot (a filled point), box, outline or stripes,
        note (text alone); and ``colour`` where it has one.
    width : float
        Pixels.
    start : float
        The legend starts this many pixels left of its view's origin (under an axis of the panel above).
    stacked : bool
        One item a line (a column next to a chart) in place of items in a row that wraps.

    Returns
    -------
    Sketch of a LayerChart
        `width` pixels wide, with rows that end before the tools of a page; its height follows from the items.
    """
    look = palette(dark)
    placed, words, x, y, full = [], [], 0.0, ROW / 2, width
    width = width if stacked else beside_tools(width)
    for number, (title, items) in enumerate(groups):
        if number:
            y, x = y + ROW * (1.4 if stacked else 1), 0.0
        if title:
            words.append({"x": x, "y": y, "text": title, "colour": look.muted, "size": size - 1, "limit": width})
            if stacked:
                y += ROW
            else:
                x += text_width(title, size - 1) + 12
        for place, item in enumerate(items):
            lead = 0 if item["kind"] == "note" else SWATCH if item["kind"] in LINES else 20
            label = shorten(item["label"], width - lead, size)
            need = lead + text_width(label, size)
            if place and stacked:
                y += ROW
            elif not stacked and x and x + need > width:
                x, y = 0.0, y + ROW
            placed.append({**item, "x": x, "y": y})
            colour = look.muted if item["kind"] == "note" else look.ink
            words.append(
                {"x": x + lead, "y": y, "text": label, "colour": colour, "size": size, "limit": width - x - lead + 4}
            )
            x = 0.0 if stacked else x + need + 16
    height = y + ROW / 2
    view = full - start
    layers = [*_swatches(placed, view, height, start), texts(words, view, height, start=start)]
    return layer(*layers).properties(width=view, height=height)


def _swatches(placed, width, height, start):
    of_kind: dict[str, list] = {}
    for item in placed:
        of_kind.setdefault(item["kind"], []).append(item)
    for kind, dash in LINES.items():
        rows = [item | {"x2": item["x"] + 20} for item in of_kind.get(kind, ())]
        if rows:
            yield _legend_lines(plain_columns(rows), width, height, start, dash)
    outlined = {"colour": "transparent", "line": 2}
    squares = [
        {
            "x": item["x"] + 1,
            "x2": item["x"] + 14,
            "y": item["y"] - 6.5,
            "y2": item["y"] + 6.5,
            "colour": item["colour"],
        }
        | (outlined | {"stroke": item["colour"]} if kind == "outline" else {})
        for kind in ("box", "outline")
        for item in of_kind.get(kind, ())
    ]
    if squares:
        yield boxes(squares, width, height, radius=2, start=start)
    edges = [
        {"x": item["x"] + 7, "y": item["y"] - 7, "y2": item["y"] + 7, "colour": item["colour"]}
        for item in of_kind.get("stripes", ())
    ]
    if edges:
        yield stripes(edges, width, height, start=start)
    for kind in ("point", "dot"):
        points = [item | {"x": item["x"] + 8} for item in of_kind.get(kind, ())]
        if points:
            yield _legend_points(plain_columns(points), width, height, start, kind == "dot")


@sketched
def _legend_lines(table, width, height, start, dash):
    rule = alt.Chart(table).mark_rule(strokeWidth=2.5, strokeDash=dash, **STILL)
    return rule.encode(**places(width, height, start, "x"), color=OWN_COLOUR)


@sketched
def _legend_points(table, width, height, start, is_filled):
    mark = alt.Chart(table).mark_point(filled=is_filled, opacity=1, size=70, strokeWidth=1.8, **STILL)
    channel = alt.Color if is_filled else alt.Stroke
    shape = alt.Shape("shape:N", scale=None)
    return mark.encode(channel("colour:N", scale=None), **places(width, height, start), shape=shape)
