"""Drawing in pixels: layers whose rows hold their positions, for figures that no scale lays out.

A canvas is `width` x `height` pixels, y grows downwards. Rows are dicts; what a layer does not name falls back to its
defaults.
"""

from __future__ import annotations

import altair as alt

from hierviz.charts._compose import OWN_COLOUR, STILL, haloed, layer, tooltips
from hierviz.charts._rows import frame
from hierviz.charts.theme import FONT, SIZE


def position(field, extent, *, axis="x", start=0):
    """Encoding of a pixel position on an axis of `extent` pixels; `start` is the pixel at the left edge of the view."""
    domain = [start, start + extent] if axis == "x" else [extent, 0]
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    return (alt.X if axis == "x" else alt.Y)(f"{field}:Q", scale=scale, axis=None)


def places(width, height, start=0, ends=()):
    """Channels ``x`` and ``y`` of rows in pixels; `ends` names those that also have an end, as in ``("x", "y")``."""
    of_ends = {"x": {"x2": alt.X2("x2:Q")}, "y": {"y2": alt.Y2("y2:Q")}}
    made = {"x": position("x", width, start=start), "y": position("y", height, axis="y")}
    return made | {channel: end for axis in ends for channel, end in of_ends[axis].items()}


def texts(rows, width, height, halo=None, start=0):
    """Text rows: x, y, text, colour; optionally size, weight, align, limit."""
    defaults = {"size": SIZE, "weight": "normal", "align": "left", "limit": 0}
    # Arrow takes columns of one type: weights are text, be they numbers or words.
    rows = [{**defaults, **row, "weight": str(row.get("weight", "normal"))} for row in rows]
    base = alt.Chart(frame(rows)).encode(**places(width, height, start), text=alt.Text("text:N"))
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
    defaults = {"stroke": "transparent", "line": 0}
    return (
        alt.Chart(frame([{**defaults, **row} for row in rows]))
        .mark_rect(cornerRadius=radius, strokeWidth=alt.ExprRef("datum.line"), opacity=1, **STILL)
        .encode(**places(width, height, start, "xy"), color=OWN_COLOUR, stroke=alt.Stroke("stroke:N", scale=None))
    )


def stripes(rows, width, height, start=0):
    """Striped vertical lines, 4 pixels wide: x, y, y2, colour."""
    mark = alt.Chart(frame(rows)).mark_rule(strokeWidth=4, strokeDash=[3, 3], **STILL)
    return mark.encode(**places(width, height, start, "y"), color=OWN_COLOUR)


def hover(rows, width, height, tooltip, start=0, select=None):
    """Invisible rectangles on top of all that show a tooltip: x, x2, y, y2 and the columns of `tooltip` (field: title).

    `select` is the field of a selection of the same name that a click makes.
    """
    look = {"opacity": 0, "aria": False} | ({"cursor": "pointer"} if select else {})
    tips = tooltips({f"{field}:N": title for field, title in tooltip.items()})
    drawn = alt.Chart(frame(rows)).mark_rect(**look).encode(**places(width, height, start, "xy"), tooltip=tips)
    if not select:
        return drawn
    return drawn.add_params(alt.selection_point(name=select, fields=[select], on="click", empty=False))
