"""A matrix of cells with words in them: titles of rows on the left, numbers of columns above with a key below."""

from __future__ import annotations

from hierviz.charts._canvas import boxes, hover, texts
from hierviz.charts._compose import layer
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import SIZE, SMALL, palette

# Narrowest and widest cell, its height, that of the titles.
NARROWEST, WIDEST, ROW, HEAD = 44, 110, 30, 26


def room(rows, n_columns, width):
    """(pixels of the titles of rows, number of columns that have room beside them)."""
    width -= 4
    left = min(max(text_width(title, SIZE) for title in rows) + 14, 0.4 * width)
    return left, max(1, min(n_columns, int((width - left) // NARROWEST)))


def cell_matrix(rows, columns, cells, titles, *, dark=False, width=900):
    """Draw a matrix of cells.

    Parameters
    ----------
    rows, columns : list of str
        Titles. Those of columns that do not fit above their cells are numbered, and listed below.
    cells : list of list of dict
        By row: ``text``, ``colour`` (fill), ``ink``, optionally ``weight``, and what `titles` names.
    titles : dict of str to str
        Field of a cell and its title in the tooltip.
    dark : bool
    width : int
        Pixels. Where cells would be too narrow the first columns are drawn.

    Returns
    -------
    alt.LayerChart
        Unconfigured.
    """
    look = palette(dark)
    left, n = room(rows, len(columns), width)
    width -= 4
    wide = min((width - left) / n, WIDEST)
    fits = all(text_width(title, SMALL) <= wide - 6 for title in columns[:n])
    shown = columns[:n] if fits else [str(place + 1) for place in range(n)]
    boxed, words, tips = [], [], []
    for j, title in enumerate(shown):
        at = {"x": left + wide * (j + 0.5), "y": HEAD / 2, "align": "center"}
        words.append(at | {"text": title, "colour": look.muted, "size": SMALL})
    for i, title in enumerate(rows):
        y = HEAD + ROW * i
        words.append({"x": 0, "y": y + ROW / 2, "text": shorten(title, left - 10, SIZE), "colour": look.ink})
        for j in range(n):
            cell = cells[i][j]
            place = {"x": left + wide * j + 1, "x2": left + wide * (j + 1) - 1, "y": y + 1, "y2": y + ROW - 1}
            boxed.append(place | {"colour": cell["colour"]})
            word = {"x": left + wide * (j + 0.5), "y": y + ROW / 2, "text": cell["text"], "colour": cell["ink"]}
            words.append(word | {"size": SMALL, "align": "center", "weight": cell.get("weight", "normal")})
            tips.append(place | {key: cell[key] for key in titles})
    height = HEAD + ROW * len(rows)
    if not fits:
        height += 6
        for j, title in enumerate(columns[:n]):
            text = shorten(f"{j + 1}  {title}", width, SMALL)
            words.append({"x": 0, "y": height + 9, "text": text, "colour": look.muted, "size": SMALL})
            height += 18
    across = max(left + wide * n, width)
    layers = (boxes(boxed, across, height), texts(words, across, height), hover(tips, across, height, titles))
    return layer(*layers).properties(width=across, height=height)
