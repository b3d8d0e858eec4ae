"""Cells that stand for subtrees: their drawing, what their tooltip says, and what a click on one chooses."""

from __future__ import annotations

import altair as alt

from hierviz.charts._canvas import boxes, position, texts
from hierviz.charts._compose import layer, vconcat
from hierviz.charts._legend import legend
from hierviz.charts._rows import frame
from hierviz.charts.theme import palette
from hierviz.diagnosis._node_table import NODE_COLUMNS, number_text_of, usable_columns

# Name of the selection of the charts of subtrees.
CLICKED = "node"


def tooltip_of(table, node):
    """Name, number of children and all numbers of a node: dict of field to text."""
    taxonomy = table.taxonomy
    n_children = int(taxonomy.children.lengths[node])
    said = {"tip_name": taxonomy.title(node), "tip_children": f"{n_children:,}" if n_children else "none, a leaf"}
    return said | {key: number_text_of(key, float(getattr(table, key)[node])) for key in usable_columns(table)}


def tooltip_titles(table):
    """Titles of the fields of `tooltip_of`."""
    return {"tip_name": "Class", "tip_children": "Children"} | {
        key: NODE_COLUMNS[key].label for key in usable_columns(table)
    }


def drawing_of_cells(table, colours, rows, words, hovers, width, height):
    """The figure of some cells, below a legend of their colours.

    `rows`, `words` and `hovers` are those of `boxes`, `texts` and `clickable`; `colours` are the ValueColours of the cells.
    """
    drawing = layer(
        boxes(rows, width, height, radius=2),
        *([texts(words, width, height)] if words else []),
        clickable(hovers, width, height, tooltip_titles(table)),
    ).properties(width=width, height=height)
    others = {"kind": "box", "label": "several small classes", "colour": palette(colours.dark).others}
    groups = [(f"{NODE_COLUMNS[colours.key].label}:", [*colours.items(), others])]
    return vconcat(legend(groups, width, dark=colours.dark), drawing, spacing=6)


def clickable(rows, width, height, titles):
    """Invisible rectangles with tooltips; a click chooses the field ``target``, the name of an inner node, in `CLICKED`.

    Rows have x, x2, y, y2, ``target`` ("" for what has nothing below it) and the fields of `titles`, "" where one is unknown.
    """
    rows = [{**dict.fromkeys(titles, ""), **row} for row in rows]
    for row in rows:
        row["cursor"] = "pointer" if row["target"] else "default"
    return (
        alt.Chart(frame(rows))
        .mark_rect(opacity=0, aria=False, cursor=alt.ExprRef("datum.cursor"))
        .encode(
            position("x", width),
            position("y", height, axis="y"),
            x2=alt.X2("x2:Q"),
            y2=alt.Y2("y2:Q"),
            tooltip=[alt.Tooltip(f"{field}:N", title=title) for field, title in titles.items()],
        )
        .add_params(alt.selection_point(name=CLICKED, fields=["target"], on="click", toggle=False, empty=False))
    )
