"""Cells that stand for subtrees: what their tooltip says, and what a click on one chooses."""

from __future__ import annotations

import altair as alt

from hierviz.charts._canvas import position
from hierviz.charts._rows import frame
from hierviz.diagnosis.node_columns import NODE_COLUMNS, number_text_of, usable_columns

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
