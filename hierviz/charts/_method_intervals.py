"""One number of many methods: their runs as dots, the mean with its interval, and the best constant answer."""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._figure import Figure
from hierviz.charts._items import dots
from hierviz.charts._rows import frame
from hierviz.charts.theme import palette
from hierviz.comparison.comparison_table import ComparisonTable
from hierviz.messages.errors import PredictionsError, near_miss
from hierviz.messages.number_text import value_text


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
    look, constant = palette(dark), found.constants.values.get(column.key)
    constant = constant if constant is not None and np.isfinite(constant) else None
    of_runs = [
        {"item": method.name, "model": "", "run": file.run or "", "value": value}
        for method in found.methods
        for file in found.files
        if file.name == method.name and method.n_runs > 1
        for value in (file.values[column.key],)
        if value is not None and np.isfinite(value)
    ]
    ends = [*rows["value"], *rows["low"].dropna(), *rows["high"].dropna(), *(run["value"] for run in of_runs)]
    ends += [] if constant is None else [constant]
    pad = 0.04 * (max(ends) - min(ends)) or 0.05
    better = {"higher": " (higher is better)", "lower": " (lower is better)"}.get(column.better, "")
    tooltip = {"item:N": "Method", "value:Q": column.label, "runs:Q": "Runs", "spread:Q": "Standard deviation of runs"}
    return dots(
        rows.assign(item=rows["model"], model="", lower=rows["low"], upper=rows["high"]),
        [method.name for method in found.methods],
        {"": look.path},
        tooltip | {"lower:Q": "Interval from", "upper:Q": "to"},
        title=f"{column.label}{f', {column.unit}' if column.unit else ''}{better}",
        domain=(max(column.range[0], min(ends) - pad), min(column.range[1], max(ends) + pad)),
        look=look,
        width=width,
        runs=of_runs,
        constant=constant,
    )


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
