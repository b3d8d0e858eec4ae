"""Cells with words in them, rows on the left and columns above."""

from __future__ import annotations

import json
import textwrap

import altair as alt

from hierviz.charts._compose import OWN_COLOUR, layer, plain_columns, tooltips
from hierviz.charts._items import FIT
from hierviz.charts._sketch import Own, sketched
from hierviz.charts._value_colours import mixed
from hierviz.charts.theme import FONT, SIZE, SMALL, palette

# Pixels: widest names of rows, narrowest and widest cell, its height, a line of a title.
NAMES, NARROWEST, WIDEST, ROW, LINE = 250, 44, 110, 30, 14
# Of the width, what names of rows take at most.
NAMES_SHARE = 0.36
# Of the share of a colour from which on text on it is light.
STRONG = 0.6


def room_of(width, narrowest=NARROWEST, share=NAMES_SHARE):
    """(pixels of the names of rows, at most a share of all, columns that have room next to them)."""
    left = min(NAMES, share * width)
    return left, max(1, int((width - 4 - left) // narrowest))


def word_cell(look, row, column, text, share, weight="normal", **tips):
    """A cell for `cells_drawn` with what its tooltip says; `share` is how blue it is, below 0 how orange, None where unknown."""
    if share is None:
        colour, ink = look.grid, look.ink
    else:
        colour = mixed(look.background, look.path if share >= 0 else look.fp, abs(share))
        ink = look.ink if abs(share) < STRONG else look.on_colour
    looks = {"colour": colour, "ink": ink, "weight": weight, "edge": "transparent"}
    return {"row": row, "column": column, "text": text} | looks | tips


def cells_drawn(cells, titles, dark, width, row=ROW, narrowest=NARROWEST, share=NAMES_SHARE):
    """Draw cells of `word_cell`, `row` pixels high; `titles` are those of their tooltips by field.

    Where cells would be too narrow the first columns are drawn.
    """
    look = palette(dark)
    rows, columns = ([*dict.fromkeys(cell[key] for cell in cells)] for key in ("row", "column"))
    left, n = room_of(width, narrowest, share)
    columns = columns[:n]
    wide = min((width - 4 - left) / len(columns), WIDEST)
    # Titles are broken between words; where a word has no room, they are turned.
    letters = max(6, int(wide / 6))
    lines = {column: "\n".join(textwrap.wrap(column, letters, break_long_words=False)) for column in columns}
    is_turned = max(len(word) for column in columns for word in column.split()) > letters
    above = {
        "labelAngle": 270 if is_turned else 0,
        "labelAlign": "left" if is_turned else "center",
        # Further lines go down from the first one.
        "labelPadding": Own(6 if is_turned else 6 + LINE * max(text.count("\n") for text in lines.values())),
        "labelExpr": Own("datum.label" if is_turned else "split(" + json.dumps(lines) + "[datum.label], '\\n')"),
    }
    beside = {"labelFontSize": SIZE if left == NAMES else SMALL, "labelLimit": Own(left - 10)}
    at = {"columns": Own(columns), "rows": Own(rows), "above": above, "beside": beside, "look": look}
    table = plain_columns([cell for cell in cells if cell["column"] in lines])
    # The library gives names the width that they need, and the cells the rest.
    wide = min(width, NAMES + WIDEST * len(columns))
    drawn = layer(_boxes(table, at, titles), _words(table, at, _lines_up(row)))
    return drawn.properties(width=Own(wide), height=Own(row * len(rows)), autosize=FIT)


def _at(columns, rows, above, beside, look):
    """The channels of rows and columns."""
    axis = {"title": None, "domain": False, "ticks": False, "grid": False}
    names = alt.Axis(**axis, labelPadding=6, labelColor=look.ink, **beside)
    titles = alt.Axis(**axis, orient="top", labelFontSize=SMALL, labelLimit=180, **above)
    return (
        alt.X("column:N", sort=columns, axis=titles).scale(padding=0.04),
        alt.Y("row:N", sort=rows, axis=names).scale(padding=0.06),
    )


@sketched
def _boxes(table, at, titles):
    boxes = alt.Chart(table).mark_rect(cornerRadius=3, strokeWidth=1.5).encode(*_at(**at))
    tips = tooltips({f"{field}:N": title for field, title in titles.items()})
    return boxes.encode(color=OWN_COLOUR, stroke=alt.Stroke("edge:N", scale=None), tooltip=tips)


@sketched
def _words(table, at, side):
    mark = {"lineBreak": "\n", "lineHeight": LINE, **side, "fontSize": SMALL, "font": FONT, "tooltip": None}
    words = alt.Chart(table).mark_text(**mark, fontWeight=alt.ExprRef("datum.weight")).encode(*_at(**at))
    return words.encode(text=alt.Text("text:N"), color=alt.Color("ink:N", scale=None))


def _lines_up(row):
    """Where the first of two lines of text is in a high cell: the library centres the first one."""
    return {"dy": -LINE / 2} if row > ROW else {}
