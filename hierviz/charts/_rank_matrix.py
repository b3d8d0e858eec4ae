"""The rank of every method by every metric: rows methods, columns metrics, the best marked."""

from __future__ import annotations

import functools

from hierviz.charts._cell_matrix import cell_matrix
from hierviz.charts._figure import Figure
from hierviz.charts._rows import frame
from hierviz.charts._value_colours import mixed
from hierviz.charts.theme import palette
from hierviz.comparison.comparison_table import ComparisonTable
from hierviz.comparison.formats import number
from hierviz.messages.errors import PredictionsError

TITLES = {
    "method": "Method",
    "metric": "Metric",
    "rank": "Rank",
    "value": "Value",
    "interval": "Interval",
    "mark": "Mark",
}
# Of more methods a sentence names those that are first.
NAMED = 8
# Letters beside ranks: what is not clearly different from the best, and the best of the rest.
MARKS = {"best": "best", "tied": "not clearly different from the best", "second": "best of the rest", None: ""}


def rank_matrix(found, *, dark=None, width=900):
    """Ranks of methods by metric; bold on blue the best and what is not clearly different from it, paler further down.

    Parameters
    ----------
    found : ComparisonTable
        Of `hierviz.compare`.
    dark : bool, optional
    width : int
        Pixels. Where cells would be too narrow the first metrics are drawn and the table has all.

    Returns
    -------
    Figure
        Its table: ``method, metric, rank, value, mark``, each cell once.

    Raises
    ------
    PredictionsError
        If there are fewer than two methods, or no metric ranks them.
    """
    of = found, _columns(found)
    return Figure(functools.partial(_drawn, *of), lambda: _table(*of), lambda: _sentence(*of), dark, width)


def _drawn(found, columns, dark, width):
    look, n = palette(dark), len(found.methods)
    cells = []
    for place, method in enumerate(found.methods):
        row = []
        for column in columns:
            rank, mark = found.ranks[column.key][place], found.marks[column.key][place]
            is_top = mark in ("best", "tied") or (mark is None and rank == 1)
            share = 0.0 if rank is None else 0.85 if is_top else 0.5 * (n - rank) / max(1, n - 1)
            ends = found.interval(method, column)
            row.append(
                {
                    "text": "–" if rank is None else f"{rank} ≈" if mark == "tied" else str(rank),
                    "colour": mixed(look.background, look.path, share) if rank is not None else look.grid,
                    "ink": look.on_colour if is_top else look.ink,
                    "weight": "bold" if is_top else "normal",
                    "method": method.name,
                    "metric": column.label,
                    "rank": "–" if rank is None else f"{rank} of {n}",
                    "value": number(method.value(column.key), column),
                    "interval": "–" if ends is None else f"{number(ends[0], column)} to {number(ends[1], column)}",
                    "mark": MARKS[mark],
                }
            )
        cells.append(row)
    rows = [method.name for method in found.methods]
    return cell_matrix(rows, [column.label for column in columns], cells, TITLES, dark=dark, width=width)


def _table(found, columns):
    rows = {"method": [], "metric": [], "rank": [], "value": [], "mark": []}
    for column in columns:
        for place, method in enumerate(found.methods):
            values = (method.name, column.key, found.ranks[column.key][place], method.value(column.key))
            for key, value in zip(rows, (*values, found.marks[column.key][place]), strict=True):
                rows[key].append(value)
    return frame(rows)


def _sentence(found, columns):
    """How often each method is first, in words; intervals decide what is tied with the best."""
    said, n_behind = [], 0
    for place, method in enumerate(found.methods):
        first = sum(found.ranks[column.key][place] == 1 for column in columns)
        tied = sum(found.marks[column.key][place] == "tied" for column in columns)
        if tied and not first and len(found.methods) > NAMED:
            n_behind += 1
        elif first or tied:
            said.append(f"{method.name}: first by {first}" + (f", not clearly behind by {tied} more" if tied else ""))
    others = f"; {n_behind} more are never first, but not clearly behind by some metric" if n_behind else ""
    return f"Of {len(columns)} metrics. {'; '.join(said)}{others}."


def _columns(found):
    if not isinstance(found, ComparisonTable) or len(found.methods) < 2:
        raise PredictionsError(
            "rank_matrix: expected a table of at least two methods. Pass what hierviz.compare gives."
        )
    columns = [column for column in found.columns if any(rank is not None for rank in found.ranks[column.key])]
    if not columns:
        raise PredictionsError(
            "rank_matrix: expected a metric in which more or less is better, got none. Choose another."
        )
    return columns
