"""Bars to both sides of zero, for one or several series of the same items side by side."""

from __future__ import annotations

import functools

from hierviz.charts._canvas import boxes, texts
from hierviz.charts._compose import layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._legend import legend
from hierviz.charts._rows import frame
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import SIZE, SMALL, palette
from hierviz.messages.number_text import value_text

ROW, BETWEEN = 18, 8


def signed_bars(series, items, *, highlight=None, dark=None, width=1000):
    """Bars of the values of each item, one a series, to the left of zero where negative.

    Parameters
    ----------
    series : dict of str to sequence of float
        Name to one value an item.
    items : sequence of str
    highlight : int, optional
        Place of an item whose name is bold.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``item`` and a column a series.
    """
    values = {name: [float(value) for value in row] for name, row in series.items()}
    draw = functools.partial(_drawn, values, list(items), highlight)
    return Figure(draw, lambda: frame({"item": list(items), **values}), dark=dark, width=width)


def _drawn(series, items, highlight, dark, width):
    look = palette(dark)
    width -= 8
    colours = dict(zip(series, look.models))
    left = min(0.42 * width, max(text_width(item, SIZE, True) for item in items) + 16)
    number = 64
    values = [value for row in series.values() for value in row]
    low, high = min(0.0, *values), max(0.0, *values)
    scale = (width - left - (number if low < 0 else 0) - number) / ((high - low) or 1)
    zero = left + (number if low < 0 else 0) - low * scale
    shapes, words, y = [], [], 4
    for place, item in enumerate(items):
        tall = ROW * len(series)
        name = shorten(item, left - 10, SIZE, place == highlight)
        weight = 600 if place == highlight else "normal"
        words.append({"x": 0, "y": y + tall / 2, "text": name, "colour": look.ink, "weight": weight})
        for i, (key, row) in enumerate(series.items()):
            value = row[place]
            end, middle = zero + value * scale, y + ROW * (i + 0.5)
            bar = {"y": middle - 7, "y2": middle + 7, "colour": colours[key]}
            shapes.append({**bar, "x": min(zero, end), "x2": max(zero, end, min(zero, end) + 1)})
            beside = {"x": end - 5, "align": "right"} if value < 0 else {"x": end + 5}
            words.append({**beside, "y": middle, "text": value_text(value), "colour": look.ink, "size": SMALL})
        y += tall + BETWEEN
    shapes.append({"x": zero - 0.5, "x2": zero + 0.5, "y": 0, "y2": y, "colour": look.axis})
    drawing = layer(boxes(shapes, width, y, radius=1), texts(words, width, y)).properties(width=width, height=y)
    if len(series) == 1:
        return vconcat(drawing)
    legend_items = [{"kind": "box", "label": name, "colour": colours[name]} for name in series]
    return vconcat(legend([(None, legend_items)], width, dark=dark), drawing, spacing=6)
