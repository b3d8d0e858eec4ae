"""One number of many methods: their runs as dots, the mean with its interval, and the best constant answer."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._canvas import position
from hierviz.charts._compose import layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._rows import frame
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import FONT, SIZE, palette
from hierviz.comparison.comparison_table import ComparisonTable
from hierviz.messages.errors import PredictionsError, near_miss
from hierviz.messages.number_text import value_text

ROW = 26


def method_intervals(found, key=None, *, dark=None, width=800):
    """Dot plot of one column of a table of methods.

    Parameters
    ----------
    found : ComparisonTable
        Of `hierviz.compare`.
    key : str, optional
        Of a column; the first when absent.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``model, runs, value, spread, low, high, rank, mark``. Small dots are runs, the large one their mean
        with its interval.

    Raises
    ------
    PredictionsError
        If there is no such column, or no method has a finite value.
    """
    column = _column(found, key)
    table = _table(found, column)
    rows = table[np.isfinite(table["value"].astype(float))]
    if not len(rows):
        raise PredictionsError(f"method_intervals: expected a finite {column.key}, got none. Choose another column.")
    draw = functools.partial(_drawn, found, column, rows)
    return Figure(draw, table, lambda: _sentence(found, column), dark, width)


def _drawn(found, column, rows, dark, width):
    look = palette(dark)
    names = [method.name for method in found.methods]
    left = min(max(text_width(name, SIZE) for name in names) + 14, 0.4 * width)
    plot, height = width - left - 24, ROW * len(names)
    middle = {name: ROW * (place + 0.5) for place, name in enumerate(names)}
    of_runs = [
        {"model": method.name, "run": file.run or "", "value": value, "y": middle[method.name]}
        for method in found.methods
        for file in found.files
        if file.name == method.name and method.n_runs > 1
        for value in (file.values[column.key],)
        if value is not None and np.isfinite(value)
    ]
    constant = found.constants.values.get(column.key)
    drawn = [*rows["value"], *rows["low"].dropna(), *rows["high"].dropna(), *(run["value"] for run in of_runs)]
    if constant is not None and np.isfinite(constant):
        drawn.append(constant)
    pad = 0.04 * (max(drawn) - min(drawn)) or 0.05
    domain = [max(column.range[0], min(drawn) - pad), min(column.range[1], max(drawn) + pad)]
    better = {"higher": " (higher is better)", "lower": " (lower is better)"}.get(column.better, "")
    unit = f", {column.unit}" if column.unit else ""
    x = alt.X("value:Q").scale(domain=domain, nice=False, zero=False)
    x = x.axis(title=f"{column.label}{unit}{better}", grid=True, tickCount=6, tickSize=0, labelPadding=6)
    y = position("y", height, axis="y")
    rows = rows.assign(y=[middle[name] for name in rows["model"]])
    spans = rows[rows["low"].notna()]
    tip = [
        alt.Tooltip("model:N", title="Method"),
        alt.Tooltip("value:Q", title=column.label, format=".4f"),
        alt.Tooltip("runs:Q", title="Runs"),
        alt.Tooltip("spread:Q", title="Standard deviation of runs", format=".4f"),
        alt.Tooltip("low:Q", title="Interval from", format=".4f"),
        alt.Tooltip("high:Q", title="to", format=".4f"),
    ]
    still = {"tooltip": None, "aria": False}
    words = frame([{"y": at, "text": shorten(name, left - 12, SIZE)} for name, at in middle.items()])
    layers = [
        alt.Chart(words)
        .mark_text(align="left", baseline="middle", font=FONT, fontSize=SIZE, color=look.ink, tooltip=None)
        .encode(x=alt.XValue(-left), y=y, text="text:N")
    ]
    if constant is not None and np.isfinite(constant):
        layers.append(
            alt.Chart(frame({"value": [constant]})).mark_rule(color=look.fp, strokeDash=[4, 3], **still).encode(x)
        )
    if len(spans):
        layers.append(
            alt.Chart(frame({name: spans[name].to_numpy() for name in ("low", "high", "y")}))
            .mark_rule(strokeWidth=2.5, opacity=0.6, color=look.path, **still)
            .encode(alt.X("low:Q").scale(domain=domain, nice=False, zero=False), x2=alt.X2("high:Q"), y=y)
        )
    if of_runs:
        layers.append(
            alt.Chart(frame(of_runs))
            .mark_point(size=28, strokeWidth=1.2, color=look.muted, opacity=1)
            .encode(
                x,
                y,
                tooltip=[
                    alt.Tooltip("model:N", title="Method"),
                    alt.Tooltip("run:N", title="Run"),
                    alt.Tooltip("value:Q", title=column.label, format=".4f"),
                ],
            )
        )
    layers.append(
        alt.Chart(
            frame({name: rows[name].to_numpy() for name in ("model", "value", "runs", "spread", "low", "high", "y")})
        )
        .mark_circle(size=85, opacity=1, color=look.path, stroke=look.background, strokeWidth=1)
        .encode(x, y, tooltip=tip)
    )
    return vconcat(layer(*layers).properties(width=plot, height=height))


def _table(found, column):
    rows = []
    for place, method in enumerate(found.methods):
        low, high = found.interval(method, column) or (None, None)
        rows.append(
            {"model": method.name, "runs": method.n_runs, "value": method.value(column.key)}
            | {"spread": method.spread(column.key), "low": low, "high": high}
            | {"rank": found.ranks[column.key][place], "mark": found.marks[column.key][place]}
        )
    return frame(rows)


def _sentence(found, column):
    """The best method of a column and all that are not clearly different from it, in words."""
    marks = found.marks[column.key]
    best = [method for method, mark in zip(found.methods, marks, strict=True) if mark == "best"]
    tied = [method.name for method, mark in zip(found.methods, marks, strict=True) if mark == "tied"]
    constant = found.constants.values.get(column.key)
    answer = "" if constant is None else f" Dashed: the best constant answer, {value_text(constant)}."
    if not best:
        return f"{column.label}: nothing is marked, as the methods have no intervals.{answer}"
    start = (
        f"{column.label}: {', '.join(one.name for one in best)} is best with {value_text(best[0].value(column.key))}"
    )
    rest = f"; not clearly different: {', '.join(tied)}." if tied else "; all others are clearly different."
    return start + rest + answer


def _column(found, key):
    if not isinstance(found, ComparisonTable):
        raise PredictionsError("method_intervals: expected a table of methods. Pass what hierviz.compare gives.")
    by_key = {column.key: column for column in found.columns}
    key = found.columns[0].key if key is None else key
    if key not in by_key:
        raise PredictionsError(
            f"key: expected one of {', '.join(list(by_key)[:5])}, got {key!r}.{near_miss(str(key), by_key)} Choose one."
        )
    return by_key[key]
