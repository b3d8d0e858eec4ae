"""Models side by side on a few metrics: one line a metric, one dot a model."""

from __future__ import annotations

import functools

import altair as alt

from hierviz.charts._canvas import position
from hierviz.charts._compose import layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._legend import legend
from hierviz.charts._rows import frame
from hierviz.charts._text import shorten
from hierviz.charts.theme import FONT, SIZE, model_colours, palette
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.registry import METRICS


def metric_bars(values, *, metrics=None, dark=None, width=1000):
    """Dot plot of metrics between 0 and 1.

    Parameters
    ----------
    values : dict of str to dict of str to float
        Model, metric; None and nan are left out.
    metrics : sequence of str, optional
        Keys of `METRICS` with range 0 to 1, in order; all that the models have by default.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``model``, ``metric``, ``name``, ``value``.

    Raises
    ------
    PredictionsError
        If no metric is left to show.
    """
    table = _table(values, metrics)
    rows = table[table["value"].notna()]
    if not len(rows):
        raise PredictionsError("metric bars: expected a metric between 0 and 1, got none. Pass `metrics`.")
    return Figure(functools.partial(_drawn, values, rows), table, dark=dark, width=width)


def _drawn(values, rows, dark, width):
    look, colours = palette(dark), model_colours(values, dark)
    keys = list(dict.fromkeys(rows["metric"]))
    width -= 8
    wide = width >= 560
    left = 230 if wide else 0
    step = 34 if wide else 46
    plot, height = width - left - 14, step * len(keys)
    line = {key: step * i + (step / 2 if wide else 30) for i, key in enumerate(keys)}
    # Equal values of two models lie side by side, not on top of each other.
    aside = {name: (i - (len(values) - 1) / 2) * min(6, 20 / len(values)) for i, name in enumerate(values)}
    rows = rows.assign(
        colour=[colours[name] for name in rows["model"]],
        middle=[line[key] for key in rows["metric"]],
        y=[line[key] + aside[name] for key, name in zip(rows["metric"], rows["model"], strict=True)],
    )
    at_x = (
        alt.X("value:Q")
        .scale(domain=[0, 1], nice=False)
        .axis(title=None, grid=True, tickCount=5, tickSize=0, labelPadding=6)
    )
    at_y = position("y", height, axis="y")
    names = [
        {
            "y": line[key] if wide else line[key] - 18,
            "text": shorten(METRICS[key].label, left - 20 if wide else plot, SIZE),
        }
        for key in keys
    ]
    spans = (
        rows.groupby("metric", sort=False)
        .agg(low=("value", "min"), high=("value", "max"), y=("middle", "first"))
        .reset_index()
    )
    layers = [
        alt.Chart(frame(spans))
        .mark_rule(strokeWidth=2, color=look.axis, tooltip=None, aria=False)
        .encode(alt.X("low:Q"), x2=alt.X2("high:Q"), y=at_y),
        alt.Chart(frame(rows))
        .mark_circle(size=130, opacity=1, stroke=look.background, strokeWidth=1.5)
        .encode(
            at_x,
            at_y,
            color=alt.Color("colour:N", scale=None),
            tooltip=[
                alt.Tooltip("model:N", title="Model"),
                alt.Tooltip("name:N", title="Metric"),
                alt.Tooltip("value:Q", title="Value", format=".4f"),
            ],
        ),
        alt.Chart(frame(names))
        .mark_text(align="left", baseline="middle", fontSize=SIZE, font=FONT, color=look.ink, tooltip=None)
        .encode(x=alt.XValue(-left), y=at_y, text=alt.Text("text:N")),
    ]
    items = [{"kind": "box", "label": name, "colour": colour} for name, colour in colours.items()]
    return vconcat(
        legend([(None, items)], width - 14, dark=dark, start=left),
        layer(*layers).properties(width=plot, height=height),
        spacing=6,
    )


def _table(values, metrics):
    wanted = (
        list(metrics) if metrics is not None else list(dict.fromkeys(key for model in values.values() for key in model))
    )
    wanted = [key for key in wanted if key in METRICS and METRICS[key].range == (0.0, 1.0)]
    rows = [
        {"model": name, "metric": key, "name": METRICS[key].label, "value": model.get(key)}
        for key in wanted
        for name, model in values.items()
    ]
    made = frame(rows) if rows else frame({"model": [], "metric": [], "name": [], "value": []})
    return made.assign(value=made["value"].astype(float))
