"""Matrices of cells with words in them, rows on the left and columns above: ranks, levels, agreement of metrics."""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._compose import frame
from hierviz.charts._figure import Figure
from hierviz.charts._word_cells import cells_drawn, room_of, word_cell
from hierviz.charts.theme import palette
from hierviz.comparison.comparison_table import ComparisonTable
from hierviz.comparison.formats import number
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS
from hierviz.metrics.ties import rounded

# Of more methods a sentence names those that are first.
NAMED = 8
# What is written of the marks of ranks.
MARKS = {"best": "best", "tied": "not clearly different from the best", "second": "best of the rest", None: ""}


def n_metrics_drawn(found, width):
    """How many of the metrics `agreement_matrix` draws in so many pixels: the first ones."""
    return max(2, min(len(found.columns), room_of(width)[1]))


def agreement_matrix(found, *, dark=None, width=900):
    """How far metrics agree in the order of the methods: Kendall's tau-b of every pair, or the pairs of methods they reverse.

    Blue where they put the methods in the same order, orange where in the opposite one.

    Parameters
    ----------
    found : Agreement
        Of `hierviz.compare`.
    dark : bool, optional
    width : int
        Pixels. Metrics are numbered; where the cells would be too narrow, the first metrics are drawn and the table has all.

    Returns
    -------
    Figure
        Its table: ``metric``, ``other``, ``kendall``, ``reversed``, ``pairs``, each pair once.

    Raises
    ------
    PredictionsError
        If there are fewer than two metrics or methods.
    """
    if len(found.columns) < 2 or found.n_methods < 2:
        raise PredictionsError(
            f"agreement: expected at least two metrics and two methods, got {len(found.columns)} and {found.n_methods}. Add some."
        )
    columns = found.columns
    pairs = [
        {"metric": columns[i].key, "other": columns[j].key, "kendall": found.kendall[i][j]}
        | {"reversed": found.reversed[i][j], "pairs": found.pairs[i][j]}
        for i in range(len(columns))
        for j in range(i)
    ]
    return Figure(functools.partial(_agreement, found), frame(pairs), found.sentence, dark, width)


def _agreement(found, dark, width):
    look, n, cells = palette(dark), n_metrics_drawn(found, width), []
    for i, j in np.ndindex(n, n):
        value, text = _agreed(found, i, j)
        one, other = found.columns[i].label, found.columns[j].label
        tips = {
            "tau": "–" if found.kendall[i][j] is None else text,
            "pairs": f"{found.reversed[i][j]} of {found.pairs[i][j]}",
        }
        share = None if value is None else 0.75 * value
        cells.append(word_cell(look, f"{i + 1}  {one}", str(j + 1), text, share, one=one, other=other, **tips))
    titles = {"one": "Metric", "other": "and", "tau": "Kendall's τ-b", "pairs": "Pairs of methods reversed"}
    return cells_drawn(cells, titles, dark, width)


def _agreed(found, i, j):
    """(value between -1 and 1, its text) of a pair: tau-b, or with few methods the share of reversed pairs."""
    tau = found.kendall[i][j]
    if tau is not None:
        return tau, f"{tau:.2f}".replace("-", "−")
    pairs, reversed_pairs = found.pairs[i][j], found.reversed[i][j]
    if not pairs or i == j:
        return None, "–" if not pairs else ""
    return 1 - 2 * reversed_pairs / pairs, f"{reversed_pairs}/{pairs}"


def level_matrix(found, *, dark=None, width=800):
    """Models trained at different levels tested at each level: darker is better, within a level.

    Parameters
    ----------
    found : LevelMatrix
        Of `hierviz.diagnosis.level_matrix`.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        A dash where a model does not know the level. Its table: ``model, trained_at, tested_at, value``, each cell once.
    """
    table = frame(
        [
            {"model": name, "trained_at": trained, "tested_at": level, "value": value}
            for name, trained, values in zip(found.models, found.finest, found.value.tolist(), strict=True)
            for level, value in zip(found.levels, values, strict=True)
        ]
    )
    return Figure(functools.partial(_levels, found), table, lambda: _best_of_levels(found), dark, width)


def _levels(found, dark, width):
    look, sign, cells = palette(dark), METRICS[found.metric].sign, []
    for row, column in np.ndindex(found.value.shape):
        name, level, value = found.models[row], found.levels[column], found.value[row, column]
        known = sign * found.value[:, column]
        known = known[~np.isnan(known)]
        trained, tested = f"level {found.finest[row]}", f"level {level}"
        tips = {"model": name, "trained": trained, "tested": tested}
        if np.isnan(value):
            tips["value"] = "the model does not know this level"
            cells.append(word_cell(look, f"{trained}: {name}", tested, "–", None, **tips))
            continue
        is_best = rounded(sign * value) == rounded(known).max()
        share = 0.8 if is_best else 0.45 * (sign * value - known.min()) / ((known.max() - known.min()) or 1)
        text, weight = value_text(float(value)), "bold" if is_best else "normal"
        cells.append(word_cell(look, f"{trained}: {name}", tested, text, share, weight, value=text, **tips))
    titles = {"model": "Model", "trained": "Trained at", "tested": "Tested at", "value": "Value"}
    return cells_drawn(cells, titles, dark, width)


def _best_of_levels(found):
    """The best model of each level, in words."""
    sign, said = METRICS[found.metric].sign, []
    for column, level in enumerate(found.levels):
        values = sign * found.value[:, column]
        if not np.isnan(values).all():
            best = int(np.nanargmax(values))
            said.append(f"level {level} {found.models[best]} ({value_text(float(found.value[best, column]))})")
    return (
        f"{METRICS[found.metric].label}, best at {'; '.join(said)}." if said else "No model knows a level completely."
    )


def rank_matrix(found, *, dark=None, width=900):
    """The rank of every method by every metric; bold on blue the best and what is not clearly different from it.

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
    if not isinstance(found, ComparisonTable) or len(found.methods) < 2:
        raise PredictionsError(
            "rank_matrix: expected a table of at least two methods. Pass what hierviz.compare gives."
        )
    columns = [column for column in found.columns if any(rank is not None for rank in found.ranks[column.key])]
    if not columns:
        raise PredictionsError(
            "rank_matrix: expected a metric in which more or less is better, got none. Choose another."
        )
    table = frame(
        [
            {"method": method.name, "metric": column.key, "rank": found.ranks[column.key][place]}
            | {"value": method.value(column.key), "mark": found.marks[column.key][place]}
            for column in columns
            for place, method in enumerate(found.methods)
        ]
    )
    return Figure(functools.partial(_ranks, found, columns), table, lambda: _firsts(found, columns), dark, width)


def _ranks(found, columns, dark, width):
    look, n, cells = palette(dark), len(found.methods), []
    for place, method in enumerate(found.methods):
        for column in columns:
            rank, mark = found.ranks[column.key][place], found.marks[column.key][place]
            is_top = mark in ("best", "tied") or (mark is None and rank == 1)
            share = None if rank is None else 0.85 if is_top else 0.5 * (n - rank) / max(1, n - 1)
            ends = found.interval(method, column)
            tips = {
                "rank": "–" if rank is None else f"{rank} of {n}",
                "value": number(method.value(column.key), column),
                "interval": "–" if ends is None else " to ".join(number(end, column) for end in ends),
                "mark": MARKS[mark],
            }
            text, weight = (
                "–" if rank is None else f"{rank} ≈" if mark == "tied" else str(rank),
                "bold" if is_top else "normal",
            )
            cells.append(word_cell(look, method.name, column.label, text, share, weight, **tips))
    fields = ("row", "column", "rank", "value", "interval", "mark")
    titles = dict(zip(fields, ("Method", "Metric", "Rank", "Value", "Interval", "Mark"), strict=True))
    return cells_drawn(cells, titles, dark, width)


def _firsts(found, columns):
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
