"""A legend drawn in pixels: it wraps by itself, can be placed anywhere and mixes lines, markers and boxes."""

from __future__ import annotations

import altair as alt

from hierviz.charts._canvas import boxes, places, stripes, texts
from hierviz.charts._compose import OWN_COLOUR, STILL, layer
from hierviz.charts._rows import frame
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import SIZE, palette

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
    alt.LayerChart
        `width` pixels wide; its height follows from the items.
    """
    look = palette(dark)
    placed, words, x, y = [], [], 0.0, ROW / 2
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
    view = width - start
    layers = [*_swatches(placed, view, height, start), texts(words, view, height, start=start)]
    return layer(*layers).properties(width=view, height=height)


def _swatches(placed, width, height, start):
    of_kind: dict[str, list] = {}
    for item in placed:
        of_kind.setdefault(item["kind"], []).append(item)
    for kind, dash in LINES.items():
        rows = [item | {"x2": item["x"] + 20} for item in of_kind.get(kind, ())]
        if rows:
            rule = alt.Chart(frame(rows)).mark_rule(strokeWidth=2.5, strokeDash=dash, **STILL)
            yield rule.encode(**places(width, height, start, "x"), color=OWN_COLOUR)
    squares = [
        {"x": item["x"] + 1, "x2": item["x"] + 14, "y": item["y"] - 6.5, "y2": item["y"] + 6.5}
        | (
            {"colour": "transparent", "stroke": item["colour"], "line": 2}
            if kind == "outline"
            else {"colour": item["colour"]}
        )
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
    for kind, channel in (("point", alt.Stroke), ("dot", alt.Color)):
        points = [item | {"x": item["x"] + 8} for item in of_kind.get(kind, ())]
        if points:
            mark = alt.Chart(frame(points)).mark_point(
                filled=kind == "dot", opacity=1, size=70, strokeWidth=1.8, **STILL
            )
            shape = alt.Shape("shape:N", scale=None)
            yield mark.encode(channel("colour:N", scale=None), **places(width, height, start), shape=shape)
