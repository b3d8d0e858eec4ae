"""Ribbons from a stretch of a left edge to one of a right edge: as high at both ends, in pixels, as what they are of."""

from __future__ import annotations

import altair as alt
import numpy as np

from hierviz.charts._canvas import position
from hierviz.charts._compose import OWN_COLOUR, frame, tooltips
from hierviz.charts._sketch import sketched

# Points along a ribbon.
POINTS = 25


def ribbons(rows, x, x2, width, height, tooltip, select, *, opacity=0.5):
    """Ribbons that a click selects.

    Parameters
    ----------
    rows : list of dict
        ``y`` and ``y2`` at the left end, ``end`` and ``end2`` at the right one, pixels; ``colour``, the field `select`, and those
        of `tooltip`; optionally ``opacity``.
    x, x2 : float
        Pixels of both edges.
    width, height : float
        Of the canvas.
    tooltip : dict of str to str
        Field and title.
    select : str
        Name of the selection and its field.
    """
    t = np.linspace(0, 1, POINTS)
    smooth = t * t * (3 - 2 * t)
    table = []
    for number, row in enumerate(rows):
        top, bottom = (row[a] + (row[b] - row[a]) * smooth for a, b in (("y", "end"), ("y2", "end2")))
        told = {name: row[name] for name in (*tooltip, select, "colour")}
        table += [
            {"ribbon": number, "x": at, "y": high, "y2": low, "strength": row.get("opacity", opacity), **told}
            for at, high, low in zip((x + (x2 - x) * t).tolist(), top.tolist(), bottom.tolist(), strict=True)
        ]
    return _ribbons(frame(table), width, height, tooltip, select)


@sketched
def _ribbons(table, width, height, tooltip, select):
    clicked = alt.selection_point(name=select, fields=[select], on="click", toggle=False, empty=False)
    return (
        alt.Chart(table)
        .mark_area(strokeWidth=0, aria=False, cursor="pointer")
        .encode(
            x=position("x", width),
            y=position("y", height, axis="y"),
            y2=alt.Y2("y2:Q"),
            detail=alt.Detail("ribbon:N"),
            color=OWN_COLOUR,
            fillOpacity=alt.FillOpacity("strength:Q", scale=None),
            tooltip=tooltips({f"{field}:N": title for field, title in tooltip.items()}),
        )
        .add_params(clicked)
    )


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
