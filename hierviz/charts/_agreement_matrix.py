"""How far metrics agree in the order of the methods: Kendall's tau-b of every pair, or the pairs of methods they reverse."""

from __future__ import annotations

from hierviz.charts._canvas import boxes, hover, texts
from hierviz.charts._compose import layer
from hierviz.charts._rows import frame
from hierviz.charts._text import shorten, text_width
from hierviz.charts._value_colours import mixed
from hierviz.charts.theme import SIZE, SMALL, palette
from hierviz.errors import PredictionsError

# Narrowest cell that holds a number, widest and its height.
NARROWEST, WIDEST, ROW, HEAD = 44, 96, 30, 26


def agreement_matrix(found, *, dark=False, width=900):
    """Cells of pairs of metrics; blue where they put the methods in the same order, orange where in the opposite one.

    Parameters
    ----------
    found : Agreement
        Of `hierviz.table`.
    dark : bool
    width : int
        Pixels. Metrics are numbered; where the cells would be too narrow, the first metrics are drawn and the table has all.

    Returns
    -------
    alt.LayerChart
        Unconfigured; see `theme.finish`.

    Raises
    ------
    PredictionsError
        If there are fewer than two metrics or methods.
    """
    if len(found.columns) < 2 or found.n_methods < 2:
        raise PredictionsError(
            f"agreement: expected at least two metrics and two methods, got {len(found.columns)} and {found.n_methods}. Add some."
        )
    look = palette(dark)
    labels = _labels(found)
    left, n = _room(labels, width)
    wide = min((width - 4 - left) / n, WIDEST)
    height = HEAD + ROW * n
    cells, words, tips = [], [], []
    for i in range(n):
        y = HEAD + ROW * i
        words.append({"x": 0, "y": y + ROW / 2, "text": shorten(labels[i], left - 10, SIZE), "colour": look.ink})
        words.append(
            {"x": left + wide * (i + 0.5), "y": HEAD / 2, "text": str(i + 1), "colour": look.muted, "align": "center"}
        )
        for j in range(n):
            place = {"x": left + wide * j + 1, "x2": left + wide * (j + 1) - 1, "y": y + 1, "y2": y + ROW - 1}
            value, text = _cell(found, i, j)
            colour = look.grid
            if value is not None:
                colour = mixed(look.background, look.path if value >= 0 else look.fp, 0.75 * abs(value))
            cells.append(place | {"colour": colour})
            ink = look.ink if value is None or abs(value) < 0.8 else look.on_colour
            words.append(
                {
                    "x": left + wide * (j + 0.5),
                    "y": y + ROW / 2,
                    "text": text,
                    "colour": ink,
                    "size": SMALL,
                    "align": "center",
                }
            )
            tips.append(
                place
                | {
                    "one": found.columns[i].label,
                    "other": found.columns[j].label,
                    "tau": "–" if found.kendall[i][j] is None else _cell(found, i, j)[1],
                    "pairs": f"{found.reversed[i][j]} of {found.pairs[i][j]}",
                }
            )
    titles = {"one": "Metric", "other": "and", "tau": "Kendall's τ-b", "pairs": "Pairs of methods reversed"}
    return layer(
        boxes(cells, left + wide * n, height),
        texts(words, left + wide * n, height),
        hover(tips, left + wide * n, height, titles),
    ).properties(width=left + wide * n, height=height)


def n_metrics_drawn(found, width):
    """How many of the metrics `agreement_matrix` draws in so many pixels: the first ones."""
    return _room(_labels(found), width)[1]


def _labels(found):
    return [f"{place + 1}  {column.label}" for place, column in enumerate(found.columns)]


def _room(labels, width):
    """(pixels of the names, number of metrics that have room beside them)."""
    width -= 4
    left = min(max(text_width(label, SIZE) for label in labels) + 14, 0.42 * width)
    return left, max(2, min(len(labels), int((width - left) // NARROWEST)))


def agreement_matrix_table(found):
    """Table behind `agreement_matrix`: ``metric``, ``other``, ``kendall``, ``reversed``, ``pairs``, each pair once."""
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
