"""How far metrics agree in the order of the methods: Kendall's tau-b of every pair, or the pairs of methods they reverse."""

from __future__ import annotations

import functools

from hierviz.charts._cell_matrix import cell_matrix, room
from hierviz.charts._figure import Figure
from hierviz.charts._rows import frame
from hierviz.charts._value_colours import mixed
from hierviz.charts.theme import palette
from hierviz.messages.errors import PredictionsError


def agreement_matrix(found, *, dark=None, width=900):
    """Cells of pairs of metrics; blue where they put the methods in the same order, orange where in the opposite one.

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
    return Figure(functools.partial(_drawn, found), lambda: _table(found), found.sentence, dark, width)


def _drawn(found, dark, width):
    look, labels = palette(dark), _labels(found)
    n = n_metrics_drawn(found, width)
    cells = []
    for i in range(n):
        row = []
        for j in range(n):
            value, text = _cell(found, i, j)
            colour = look.grid
            if value is not None:
                colour = mixed(look.background, look.path if value >= 0 else look.fp, 0.75 * abs(value))
            row.append(
                {
                    "text": text,
                    "colour": colour,
                    "ink": look.ink if value is None or abs(value) < 0.8 else look.on_colour,
                    "one": found.columns[i].label,
                    "other": found.columns[j].label,
                    "tau": "–" if found.kendall[i][j] is None else text,
                    "pairs": f"{found.reversed[i][j]} of {found.pairs[i][j]}",
                }
            )
        cells.append(row)
    titles = {"one": "Metric", "other": "and", "tau": "Kendall's τ-b", "pairs": "Pairs of methods reversed"}
    numbers = [str(place + 1) for place in range(n)]
    return cell_matrix(labels[:n], numbers, cells, titles, dark=dark, width=width)


def n_metrics_drawn(found, width):
    """How many of the metrics `agreement_matrix` draws in so many pixels: the first ones."""
    return max(2, room(_labels(found), len(found.columns), width)[1])


def _labels(found):
    return [f"{place + 1}  {column.label}" for place, column in enumerate(found.columns)]


def _table(found):
    rows = {"metric": [], "other": [], "kendall": [], "reversed": [], "pairs": []}
    for i, one in enumerate(found.columns):
        for j in range(i):
            rows["metric"].append(one.key)
            rows["other"].append(found.columns[j].key)
            rows["kendall"].append(found.kendall[i][j])
            rows["reversed"].append(found.reversed[i][j])
            rows["pairs"].append(found.pairs[i][j])
    return frame(rows)


def _cell(found, i, j):
    """(value between -1 and 1, its text) of a pair: tau-b, or with few methods the share of reversed pairs."""
    tau = found.kendall[i][j]
    if tau is not None:
        return tau, f"{tau:.2f}".replace("-", "−")
    pairs, reversed_pairs = found.pairs[i][j], found.reversed[i][j]
    if not pairs or i == j:
        return None, "–" if not pairs else ""
    return 1 - 2 * reversed_pairs / pairs, f"{reversed_pairs}/{pairs}"
