"""The table under the operating curves: text marks that follow the threshold, without a server."""

from __future__ import annotations

import json

import altair as alt

from hierviz.charts import curve_table as numbers
from hierviz.charts._canvas import position, texts
from hierviz.charts._text import shorten
from hierviz.charts.theme import FONT, SIZE
from hierviz.metrics import METRICS

NARROW = 640
BRIEF = {"precision": "Prec.", "dist": "Dist.", "correct": "Correct", "exact": "Exact", "recall": "Recall", "f1": "F1"}


def read_out(names, colours, keys, knots, now, look, width, left):
    """One row a model, one column a metric, at the threshold of the selection; the best of each column is bold.

    Parameters
    ----------
    names, colours : list of str
        Of the models.
    keys : list of str
        Metrics.
    knots : alt.Chart
        The knot table, filtered to the threshold.
    now : str
        Vega expression of the threshold.
    look : Palette
    width, left : int
        Pixels of the whole figure, and how far it starts left of this view's origin.

    Returns
    -------
    alt.LayerChart
    """
    wide = width >= NARROW
    row, top = (24, 30) if wide else (42, 30)
    height = top + row * len(names)
    name_width = min(240, width * 0.3) if wide else 0
    step = (width - name_width - 16) / len(keys)
    ends = [name_width + step * (i + 1) for i in range(len(keys))]
    size = SIZE if wide else 12
    fixed = []
    for key, end in zip(keys, ends, strict=True):
        title = numbers.short_label(key) if wide else BRIEF[key.split("_")[-1]]
        fixed.append(
            {
                "x": end,
                "y": 12,
                "text": title,
                "colour": look.muted,
                "align": "right",
                "size": SIZE - 1 if wide else 11.5,
            }
        )
    for i, (name, colour) in enumerate(zip(names, colours, strict=True)):
        y = top + row * i + (row / 2 if wide else 11)
        room = name_width - 8 if wide else width - 12
        fixed.append(
            {
                "x": 2,
                "y": y,
                "text": shorten(name, room, SIZE, bold=True),
                "colour": colour,
                "weight": 600,
                "limit": room + 6,
            }
        )
    columns = [numbers.column(key, j) for key in keys for j in range(len(names))]
    signs = [-1 if METRICS[key].better == "lower" else 1 for key in keys]
    formats = [".2f" if key.endswith("dist") else ".3f" for key in keys]
    values = (
        knots.transform_fold(columns, as_=["field", "value"])
        .transform_calculate(place=f"indexof({json.dumps(columns)}, datum.field)")
        .transform_calculate(j=f"datum.place % {len(names)}", k=f"floor(datum.place / {len(names)})")
        .transform_calculate(
            x=f"{json.dumps(ends)}[datum.k]",
            y=f"{top + row / 2 if wide else top + 29} + {row} * datum.j",
            text=f"format(datum.value, {json.dumps(formats)}[datum.k])",
            goodness=f"datum.value * {json.dumps(signs)}[datum.k]",
        )
        .transform_joinaggregate(best="max(goodness)", groupby=["k"])
        .transform_calculate(weight=f"{len(names)} > 1 && datum.goodness > datum.best - 5e-4 ? 700 : 400")
        .mark_text(
            align="right",
            baseline="middle",
            fontSize=size,
            font=FONT,
            color=look.ink,
            fontWeight=alt.ExprRef("datum.weight"),
            tooltip=None,
        )
        .encode(position("x", width - left, start=left), position("y", height, axis="y"), text="text:N")
    )
    title = (
        alt.Chart(alt.InlineData([{"x": 2, "y": 12}]))
        .transform_calculate(text=f"'At τ = ' + format({now}, '.3f')")
        .mark_text(align="left", baseline="middle", fontSize=SIZE - 1, font=FONT, color=look.muted, tooltip=None)
        .encode(position("x", width - left, start=left), position("y", height, axis="y"), text="text:N")
    )
    layers = [texts(fixed, width - left, height, start=left), values, *([title] if wide else [])]
    return alt.layer(*layers).properties(width=width - left, height=height, name="read_out")
