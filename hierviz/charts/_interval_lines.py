"""Numbers with their intervals, one a line: a dot for the estimate, a line from end to end."""

from __future__ import annotations

import functools

from hierviz.charts._canvas import boxes, hover, texts
from hierviz.charts._compose import layer
from hierviz.charts._figure import Figure
from hierviz.charts._rows import frame
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import SIZE, SMALL, palette
from hierviz.messages.number_text import value_text

ROW, TICKS = 38, 22


def interval_lines(items, *, zero=False, highlight=None, dark=None, width=1000):
    """Estimates with intervals on one scale.

    Parameters
    ----------
    items : dict of str to (float, float, float)
        Name to estimate, lower and upper end.
    zero : bool
        Whether 0 is on the scale, with a line.
    highlight : str, optional
        Name of an item that is bold.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``item``, ``estimate``, ``lower``, ``upper``.
    """
    ends = ("estimate", "lower", "upper")
    values = {key: [float(row[i]) for row in items.values()] for i, key in enumerate(ends)}
    table = frame({"item": list(items), **values})
    return Figure(functools.partial(_drawn, table, zero, highlight), table, dark=dark, width=width)


def _drawn(table, zero, highlight, dark, width):
    look, rows = palette(dark), table.to_dict("records")
    width -= 8
    left = min(0.4 * width, max(text_width(row["item"], SIZE, True) for row in rows) + 20)
    ends = [row[key] for row in rows for key in ("lower", "upper")] + ([0.0] if zero else [])
    low, high = min(ends), max(ends)
    room = width - left - 60

    def at(value):
        return left + 30 + room * (value - low) / ((high - low) or 1)

    height, shapes, words, tips = ROW * len(rows) + TICKS, [], [], []
    if zero:
        shapes.append({"x": at(0) - 0.5, "x2": at(0) + 0.5, "y": 0, "y2": height - TICKS, "colour": look.axis})
        words.append({"x": at(0), "y": height - TICKS / 2, "text": "0", "colour": look.muted, "align": "center"})
    for place, row in enumerate(rows):
        y, colour = ROW * place + ROW / 2 + 6, look.models[0]
        name = shorten(row["item"], left - 12, SIZE, row["item"] == highlight)
        weight = 600 if row["item"] == highlight else "normal"
        words.append({"x": 0, "y": y, "text": name, "colour": look.ink, "weight": weight})
        shapes.append({"x": at(row["lower"]), "x2": at(row["upper"]), "y": y - 1.5, "y2": y + 1.5, "colour": colour})
        for end in ("lower", "upper"):
            shapes.append({"x": at(row[end]) - 1, "x2": at(row[end]) + 1, "y": y - 6, "y2": y + 6, "colour": colour})
        middle = at(row["estimate"])
        shapes.append({"x": middle - 5, "x2": middle + 5, "y": y - 5, "y2": y + 5, "colour": colour})
        over = {"y": y - 15, "colour": look.ink, "size": SMALL, "align": "center"}
        words.append({**over, "x": middle, "text": value_text(row["estimate"])})
        tip = {key: value_text(row[key]) for key in ("estimate", "lower", "upper")}
        tips.append({"x": 0, "x2": width, "y": y - ROW / 2, "y2": y + ROW / 2, "item": row["item"], **tip})
    tooltip = {"item": "What", "estimate": "Estimate", "lower": "From", "upper": "To"}
    return layer(
        boxes(shapes, width, height, radius=1), texts(words, width, height), hover(tips, width, height, tooltip)
    ).properties(width=width, height=height)
