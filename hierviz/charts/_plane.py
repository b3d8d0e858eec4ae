"""The plane that lines of two numbers are drawn on: axes, lines of few enough points, and their look by model and part."""

from __future__ import annotations

import altair as alt

from hierviz.charts._coupling import left_axis
from hierviz.charts._rows import frame
from hierviz.charts.curve_lines import tables

# What stays free on the right.
RIGHT = 16
# Dashes of parts, in the order of `legend` kinds.
DASHES = {"line": [1, 0], "dashed": [6, 4], "dotted": [1.5, 3], "dash-dot": [9, 3, 1.5, 3]}


def plane(titles, domains, plot, formats=(None, None)):
    """Encodings ``x`` and ``y`` of a plot of `plot` pixels' width: titles, ranges and number formats, each of x and y."""
    across, up = ({} if number_format is None else {"format": number_format} for number_format in formats)
    at_x = alt.X("x:Q").scale(domain=list(domains[0]), nice=False, zero=False)
    at_y = alt.Y("y:Q").scale(domain=list(domains[1]), nice=False, zero=False)
    return {
        "x": at_x.axis(title=titles[0], tickCount=max(4, plot // 90), grid=True, tickSize=4, **across),
        "y": at_y.axis(left_axis(titles[1], 5, grid=True, **up)),
    }


def line_layers(drawn, place, colours, dashes=None):
    """Lines of `curve_lines`; `colours`, and `dashes` where they differ, one for each of their numbers."""
    layers = []
    for table in tables(drawn):
        for dash in dict.fromkeys(dashes or ["line"]):
            kept = table if dashes is None else table[[dashes[number] == dash for number in table["model"]]]
            if not len(kept):
                continue
            rows = frame({name: kept[name].to_numpy() for name in ("model", "part", "order", "x", "y")})
            rows = rows.assign(colour=[colours[number] for number in rows["model"]])
            layers.append(
                alt.Chart(rows)
                .mark_line(
                    strokeWidth=2, strokeDash=DASHES[dash], strokeJoin="round", clip=True, tooltip=None, aria=False
                )
                .encode(
                    **place,
                    order=alt.Order("order:Q"),
                    color=alt.Color("colour:N", scale=None),
                    detail=[alt.Detail("model:N"), alt.Detail("part:N")],
                )
            )
    return layers


def hover_layer(rows, place, tooltip):
    """Invisible points that show their numbers under the pointer; `tooltip` lists alt.Tooltip."""
    return alt.Chart(frame(rows)).mark_circle(size=160, opacity=0, aria=False).encode(**place, tooltip=tooltip)
