"""The strip under the operating curves: one metric against the threshold, and the handle that is dragged.

It holds the point selection ``tau``; other panels follow it through `now` and `at_threshold`.
"""

from __future__ import annotations

import json

import altair as alt
import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._rows import frame
from hierviz.charts.theme import FONT, SIZE

# Width of the left axis of all panels.
LEFT = 40


def threshold_strip(curves, colours, knots, key, tau, look, plot, wide, zoom):
    """One metric against the threshold, the handle, and the rectangles that carry the selection."""
    height = 84 if wide else 72
    limits = numbers.domain(key, np.concatenate([curve.values[key] for curve in curves.values()]), zoom)
    lines = numbers.against_threshold(curves, key, limits)
    axis = {"grid": True, "tickSize": 4, "labelPadding": 4}
    # The ends stick out of the plot: a fast drag still reaches 0 and 1.
    grid = frame({"tau": numbers.KNOTS, "lo": numbers.KNOTS - 0.0005, "hi": numbers.KNOTS + 0.0005})
    grid.loc[0, "lo"], grid.loc[1000, "hi"] = -(LEFT - 4) / plot, 1 + (36 if wide else 12) / plot
    at_x = (
        alt.X("tau:Q")
        .scale(domain=[0, 1], nice=False)
        .axis(alt.Axis(title="Threshold τ", tickCount=10 if wide else 5, format=".1f", titlePadding=4, **axis))
    )
    at_y = alt.Y("y:Q").scale(domain=list(limits), nice=False, zero=False).axis(left_axis(None, 3, **axis))
    current = now(tau)
    handle = alt.Chart(frame([{"z": 0}])).transform_calculate(
        tau=current,
        label=f"'τ = ' + format({current}, '.3f')",
        at=f"clamp({current}, {26 / plot - LEFT / plot}, {1 - (0 if wide else 14) / plot})",
    )
    selection = alt.selection_point(
        name="tau",
        fields=["tau"],
        value=[{"tau": tau}],
        empty=False,
        toggle=False,
        clear=False,
        on="pointerdown, pointermove[event.buttons === 1]",
        bind=alt.binding_range(min=0, max=1, step=1 / 1000, name="threshold τ "),
    )
    layers = [
        alt.Chart(lines)
        .mark_line(strokeWidth=1.8, strokeJoin="round", tooltip=None, aria=False)
        .encode(at_x, at_y, order="order:Q", color=by_model(colours)),
        handle.mark_rule(strokeWidth=2, color=look.ink, tooltip=None, aria=False).encode(
            at_x, y=alt.value(-4), y2=alt.value(height)
        ),
        at_threshold(knots, curves, colours, key)
        .mark_circle(size=70, opacity=1, stroke=look.background, strokeWidth=1.2, tooltip=None, aria=False)
        .encode(at_x, at_y, color=alt.Color("colour:N", scale=None)),
        handle.mark_point(
            shape="triangle-down", size=150, filled=True, opacity=1, color=look.ink, tooltip=None, aria=False
        ).encode(at_x, y=alt.value(-6)),
        handle.mark_text(
            baseline="bottom", dy=-13, fontSize=SIZE, fontWeight=600, font=FONT, color=look.ink, tooltip=None
        ).encode(alt.X("at:Q").scale(domain=[0, 1], nice=False), y=alt.value(0), text="label:N"),
        alt.Chart(grid)
        .mark_rect(opacity=0, cursor="ew-resize", tooltip=None, aria=False)
        .encode(alt.X("lo:Q").scale(domain=[0, 1], nice=False), x2="hi:Q", y=alt.value(-30), y2=alt.value(height))
        .add_params(selection),
    ]
    how = "drag, click or use the slider" if wide else "tap or slide"
    title = alt.TitleParams(
        f"{numbers.axis_label(key)} at every threshold: {how}", offset=2, anchor="start", color=look.ink
    )
    return alt.layer(*layers).properties(width=plot, height=height, name="strip", title=title)


def now(tau):
    """Vega expression of the threshold: what is selected, else where it started."""
    return f"isArray(tau.tau) ? tau.tau[0] : {tau}"


def at_threshold(knots, curves, colours, y, x=None):
    """The knot of the threshold as one row a model: ``model``, ``colour``, ``y`` and ``x``."""
    y_columns = [numbers.column(y, number) for number in range(len(curves))]
    made = knots.transform_fold(y_columns, as_=["field", "y"]).transform_calculate(
        j=f"indexof({json.dumps(y_columns)}, datum.field)"
    )
    looked = {"model": f"{json.dumps(list(curves))}[datum.j]", "colour": f"{json.dumps(colours)}[datum.j]"}
    if x is not None:
        looked["x"] = f"datum[{json.dumps([numbers.column(x, number) for number in range(len(curves))])}[datum.j]]"
    return made.transform_calculate(**looked)


def left_axis(title, ticks, **more):
    """A left axis of fixed width with its title lying on top: names are read without turning the head."""
    return alt.Axis(
        title=title,
        titleAngle=0,
        titleAlign="left",
        titleAnchor="end",
        titleBaseline="bottom",
        titleX=-LEFT + 2,
        titleY=-8,
        minExtent=LEFT - 2,
        maxExtent=LEFT - 2,
        tickCount=ticks,
        **more,
    )


def by_model(colours):
    """Colour of a polyline by the number of its model; one line a model."""
    return alt.Color("model:N", legend=None).scale(domain=list(range(len(colours))), range=colours)
