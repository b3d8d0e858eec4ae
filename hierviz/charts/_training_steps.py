"""Numbers over the steps of a training: a small picture for each, with the band of its intervals."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import altair as alt
import numpy as np

from hierviz.charts._canvas import legend
from hierviz.charts._compose import OWN_COLOUR, STILL, frame, hconcat, layer, tooltips, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts.theme import SIZE, SMALL, beside_tools, model_colours, palette
from hierviz.comparison._training_steps import TrainingSteps
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import step_text, value_text
from hierviz.taxonomy.checks import check_kind

# Pixels: narrowest and highest picture, its axis of numbers, between pictures. Pictures in a row, and that are drawn.
LEAST, HEIGHT, AXIS, BETWEEN, IN_A_ROW, MOST = 200, 120, 40, 16, 4, 24
# Steps up to which each has a mark of its own size.
FEW = 30


def training_steps(found, keys=None, *, among=None, dark=None, width=1000):
    """Numbers of one or several models over the steps of their training, each in a picture of its own.

    Parameters
    ----------
    found : TrainingSteps, or dict of str to TrainingSteps
        By model; of `hierviz.comparison.training_steps`.
    keys : sequence of str, optional
        Which numbers, such as ``curve.ac``; all that each of the models has by default.
    among : sequence of str, optional
        Names that these models are chosen from, as of `operating_curves`.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``model, step, number, key, value, lower, upper, mark``. Filled dots are the best step and those not clearly
        different from it; the band has the interval of each step. Of more than `MOST` numbers the first are drawn; the table has
        all. The sentence is about the first number.

    Raises
    ------
    PredictionsError
        If there is no model, a model lacks a number, or no number has a finite value.
    """
    models = _checked(found)
    first, *others = models.values()
    if keys is None:
        known = [{column.key for column in one.columns} for one in others]
        keys = [column.key for column in first.columns if all(column.key in of for of in known)]
    columns = [first.column(key) for key in keys]
    table = _table(models, columns) if columns else frame({"key": [], "value": []})
    shown = [c for c in columns if np.isfinite(table["value"][table["key"] == c.key].astype(float)).any()]
    if not shown:
        raise PredictionsError("training_steps: expected a number with a finite value, got none. Choose another one.")
    draw = functools.partial(_drawn, table, shown[:MOST], list(models), among)
    return Figure(draw, table, lambda: _sentence(models, shown[0]), dark, width)


def _checked(found):
    models = {found.name: found} if isinstance(found, TrainingSteps) else found
    if not isinstance(models, Mapping) or not models:
        raise PredictionsError(
            "training_steps: expected steps of at least one training, got none. Pass what "
            "hierviz.comparison.training_steps gives."
        )
    for one in models.values():
        check_kind("training_steps", one, TrainingSteps, "Pass what hierviz.comparison.training_steps gives.")
    return models


def _table(models, columns):
    rows = []
    for name, one in models.items():
        for column in columns:
            ends = one.intervals(column.key)
            of_steps = zip(one.steps, one.values(column.key), ends, one.marks[column.key], strict=True)
            rows += [
                {"model": name, "step": step, "number": column.label, "key": column.key, "value": value}
                | {"lower": low, "upper": high, "mark": mark}
                for step, value, (low, high), mark in of_steps
            ]
    return frame(rows)


def _drawn(table, columns, names, among, dark, width):
    colours = model_colours(names, dark, among)
    in_row = max(1, min(IN_A_ROW, len(columns), (width + BETWEEN) // (LEAST + AXIS + BETWEEN)))
    wide = (width - BETWEEN * (in_row - 1)) // in_row - AXIS - 6
    rows = table.assign(colour=[colours[name] for name in table["model"]])
    parts = [
        _picture(rows[rows["key"] == column.key], column, len(names) > 1, palette(dark), wide) for column in columns
    ]
    lines = [hconcat(*parts[place : place + in_row], spacing=BETWEEN) for place in range(0, len(parts), in_row)]
    above = []
    if len(names) > 1:
        items = [{"kind": "line", "label": name, "colour": colour} for name, colour in colours.items()]
        above = [legend([(None, items)], beside_tools(width), dark=dark)]
    return vconcat(*above, *lines, spacing=BETWEEN)


def _picture(rows, column, several, look, wide):
    """One number: line, band and dots over the steps."""
    values = rows[["value", "lower", "upper"]].to_numpy(dtype=float)
    values = values[np.isfinite(values)]
    pad = 0.08 * (values.max() - values.min()) or 0.05
    low, high = column.range
    domain = [max(low, float(values.min()) - pad), min(high, float(values.max()) + pad)]
    steps = sorted(set(rows["step"]))
    x_axis = alt.Axis(title="step", titlePadding=2, grid=False, **_ticks(steps, wide))
    x = alt.X("step:Q", axis=x_axis, scale=alt.Scale(domain=[steps[0], steps[-1]], nice=False, zero=False, padding=6))
    y_axis = alt.Axis(title=None, tickCount=4, grid=True, minExtent=AXIS - 6, maxExtent=AXIS - 6)
    y = functools.partial(alt.Y, axis=y_axis, scale=alt.Scale(domain=domain, nice=False, zero=False))
    tips = {"model:N": "Model"} if several else {}
    tips = tooltips(tips | {"at:N": "Step", "said:N": column.label, "ends:N": "Interval", "marked:N": "Mark"})
    rows = rows.assign(
        at=[step_text(step) for step in rows["step"]],
        said=[value_text(value) for value in rows["value"]],
        ends=[_ends(low, high) for low, high in zip(rows["lower"], rows["upper"], strict=True)],
        marked=[mark or "–" for mark in rows["mark"]],
        fill=[
            colour if mark in ("best", "tied") else look.background
            for colour, mark in zip(rows["colour"], rows["mark"], strict=True)
        ],
    )
    detail, base = alt.Detail("model:N"), alt.Chart(rows)
    size = 34 if len(steps) <= FEW else 14
    dots = base.mark_point(filled=True, size=size, strokeWidth=1.3, opacity=1)
    parts = [
        base.mark_area(opacity=0.18, **STILL).encode(
            x, y("lower:Q"), y2=alt.Y2("upper:Q"), color=OWN_COLOUR, detail=detail
        ),
        base.mark_line(strokeWidth=1.8, **STILL).encode(x, y("value:Q"), color=OWN_COLOUR, detail=detail),
        dots.encode(
            x,
            y("value:Q"),
            fill=alt.Fill("fill:N", scale=None),
            stroke=alt.Stroke("colour:N", scale=None),
            tooltip=tips,
        ),
    ]
    arrow = {"higher": " ↑", "lower": " ↓"}.get(column.better, "")
    unit = f", {column.unit}" if column.unit else ""
    title = alt.Title(
        f"{column.label}{unit}{arrow}",
        anchor="start",
        frame="group",
        dx=6 - AXIS,
        offset=8,
        fontSize=SIZE,
        fontWeight=600,
        color=look.ink,
        limit=wide + AXIS,
    )
    return layer(*parts).properties(width=wide, height=HEIGHT, title=title)


def _ticks(steps, wide):
    """Of the axis of the steps: each of a few, else round numbers."""
    if sum(8 * len(step_text(step)) + 14 for step in steps) <= wide:
        return {"values": steps, "labelExpr": "toString(datum.value)"}
    whole = {"tickMinStep": 1} if all(float(step).is_integer() for step in steps) else {}
    return {"tickCount": max(2, wide // 60), "labelFontSize": SMALL} | whole


def _ends(low, high):
    return "–" if np.isnan(low) or np.isnan(high) else f"{value_text(low)} to {value_text(high)}"


def _sentence(models, column):
    return " ".join(one.sentence_of(column.key, name if len(models) > 1 else "") for name, one in models.items())
