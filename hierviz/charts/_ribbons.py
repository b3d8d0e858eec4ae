"""Ribbons from a stretch of a left edge to one of a right edge: as high at both ends, in pixels, as what they are of."""

from __future__ import annotations

import altair as alt
import numpy as np

from hierviz.charts._canvas import position
from hierviz.charts._compose import OWN_COLOUR, STILL, plain_columns, tooltips
from hierviz.charts._sketch import sketched

# Points along a ribbon.
POINTS = 25


def ribbons(rows, x, x2, width, height):
    """Ribbons as they are seen.

    Parameters
    ----------
    rows : list of dict
        ``y`` and ``y2`` at the left end, ``end`` and ``end2`` at the right one, pixels; ``colour`` and ``opacity``.
    x, x2 : float
        Pixels of both edges.
    width, height : float
        Of the canvas.
    """
    return _ribbons(plain_columns(_points(rows, x, x2, ("colour", "opacity"))), width, height)


@sketched
def _ribbons(table, width, height):
    return _area(table, width, height, STILL).encode(
        color=OWN_COLOUR, fillOpacity=alt.FillOpacity("opacity:Q", scale=None)
    )


def ribbon_hover(rows, blocks, x, x2, width, height, tooltip, select):
    """Invisible ribbons, and rectangles, on top of all that show a tooltip: a click selects the value of `select`.

    Both are one layer: in one drawing a click reaches one layer only.

    Parameters
    ----------
    rows, x, x2, width, height
        As of `ribbons`, with the fields of `tooltip` and `select`.
    blocks : list of dict
        ``x, x2, y, y2`` and the same fields.
    tooltip : dict of str to str
        Field and title.
    select : str
        Name of the selection and its field.
    """
    told = (*tooltip, select)
    table = _points(rows, x, x2, told)
    for number, block in enumerate(blocks, len(rows)):
        ends = {"ribbon": number, "y": block["y"], "y2": block["y2"], **{name: block[name] for name in told}}
        table += [{**ends, "x": block["x"]}, {**ends, "x": block["x2"]}]
    return _hover(plain_columns(table), width, height, tooltip, select)


@sketched
def _hover(table, width, height, tooltip, select):
    tips = tooltips({f"{field}:N": title for field, title in tooltip.items()})
    clicked = alt.selection_point(name=select, fields=[select], on="click", toggle=False, empty=False)
    drawn = _area(table, width, height, {"opacity": 0, "aria": False, "cursor": "pointer"})
    return drawn.encode(tooltip=tips).add_params(clicked)


def _area(table, width, height, look):
    return (
        alt.Chart(table)
        .mark_area(strokeWidth=0, **look)
        .encode(
            x=position("x", width),
            y=position("y", height, axis="y"),
            y2=alt.Y2("y2:Q"),
            detail=alt.Detail("ribbon:N"),
        )
    )


def _points(rows, x, x2, told):
    """Rows of all points of some ribbons."""
    t = np.linspace(0, 1, POINTS)
    smooth = t * t * (3 - 2 * t)
    across, table = (x + (x2 - x) * t).tolist(), []
    for number, row in enumerate(rows):
        top, bottom = (row[a] + (row[b] - row[a]) * smooth for a, b in (("y", "end"), ("y2", "end2")))
        own = {name: row[name] for name in told}
        table += [
            {"ribbon": number, "x": at, "y": high, "y2": low, **own}
            for at, high, low in zip(across, top.tolist(), bottom.tolist(), strict=True)
        ]
    return table


def stacked_ends(flows, starts, ends, scale):
    """Where ribbons start and end, so that those of one block follow each other in the order of the other ends.

    Parameters
    ----------
    flows : list of (int, int, float)
        Left block, right block, amount.
    starts, ends : dict of int to float
        Top of each block, pixels.
    scale : float
        Pixels of one.

    Returns
    -------
    list of dict
        ``y, y2, end, end2`` of each flow, in their order.
    """
    made = [{} for _ in flows]
    for side, tops, names in ((0, starts, ("y", "y2")), (1, ends, ("end", "end2"))):
        used = dict(tops)
        for place in sorted(range(len(flows)), key=lambda k: (flows[k][side], flows[k][1 - side], k)):
            block, tall = flows[place][side], scale * flows[place][2]
            made[place] |= {names[0]: used[block], names[1]: used[block] + tall}
            used[block] += tall
    return made
