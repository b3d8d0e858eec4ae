"""The hierarchical confusion matrix of a data set: four summed counts and the measures made of them."""

from __future__ import annotations

import functools

from hierviz.charts._canvas import boxes, hover, texts
from hierviz.charts._compose import layer
from hierviz.charts._figure import Figure
from hierviz.charts._rows import frame
from hierviz.charts.theme import SIZE, SMALL, palette
from hierviz.messages.number_text import percent_text
from hierviz.metrics.registry import METRICS

NARROW, GAP, TALL = 560, 6, 76
MEASURES = ("ppv", "tpr", "f1", "tnr", "acc", "mcc")
CELLS = ("tp", "fn", "fp", "tn")


def confusion(taxonomy, confusion, *, dark=None, width=640):
    """Counts of nodes over all samples as a two-by-two matrix, with measures beside (below on a phone).

    Parameters
    ----------
    taxonomy : Taxonomy
    confusion : HierarchicalConfusion
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``key``, ``name``, ``value``; counts, then measures.
    """
    of = taxonomy, confusion
    return Figure(functools.partial(_drawn, *of), lambda: _table(*of), lambda: _sentence(*of), dark, width)


def _drawn(taxonomy, confusion, dark, width):
    look, counts = palette(dark), confusion.counts
    width -= 8
    wide = width >= NARROW
    side = 78
    matrix = (width * 0.62 if wide else width) - side
    cell = (matrix - GAP) / 2
    total = sum(counts.values())
    shapes, words, tips = [], [], []
    for k, title in enumerate(("on the answer's path", "not on it")):
        words.append(
            {
                "x": side + k * (cell + GAP) + cell / 2,
                "y": 9,
                "text": title,
                "colour": look.muted,
                "size": SMALL,
                "align": "center",
                "limit": cell,
            }
        )
    for i, title in enumerate((("on the", "true path"), ("not on it",))):
        middle = 20 + i * (TALL + GAP) + TALL / 2
        for line, text in enumerate(title):
            y = middle + 15 * (line - (len(title) - 1) / 2)
            words.append({"x": side - 10, "y": y, "text": text, "colour": look.muted, "size": SMALL, "align": "right"})
    for place, name in enumerate(CELLS):
        x, y = side + (place % 2) * (cell + GAP), 20 + (place // 2) * (TALL + GAP)
        ink = look.text_on(name)
        box = {"x": x, "x2": x + cell, "y": y, "y2": y + TALL}
        shapes.append({**box, "colour": look.outcome(name)})
        label = METRICS[name].label
        words.append(
            {
                "x": x + cell / 2,
                "y": y + 30,
                "text": f"{counts[name]:,}",
                "colour": ink,
                "size": 20,
                "weight": 600,
                "align": "center",
            }
        )
        words.append(
            {
                "x": x + cell / 2,
                "y": y + 53,
                "text": label,
                "colour": ink,
                "align": "center",
                "limit": cell - 6,
                "size": SMALL,
            }
        )
        share = percent_text(counts[name] / total) if total else "–"
        tips.append(
            {**box, "cell": label, "count": f"{counts[name]:,}", "share": share, "means": METRICS[name].sentence}
        )
    bottom = 20 + 2 * TALL + GAP
    left, first = (width * 0.62 + 30, 22) if wide else (0, bottom + 22)
    for i, key in enumerate(MEASURES):
        y = first + 25 * i
        value = confusion.measures[key]
        text = "undefined" if value is None else f"{value:.3f}"
        words.append({"x": left, "y": y, "text": METRICS[key].label, "colour": look.ink})
        words.append({"x": width, "y": y, "text": text, "colour": look.ink, "weight": 600, "align": "right"})
        tips.append(
            {
                "x": left,
                "x2": width,
                "y": y - 11,
                "y2": y + 11,
                "cell": METRICS[key].label,
                "count": text,
                "share": "–",
                "means": METRICS[key].sentence,
            }
        )
    height = max(bottom, first + 25 * (len(MEASURES) - 1) + 12)
    words = [{"size": SIZE, **word} for word in words]
    tooltip = {"cell": "Number", "count": "Value", "share": "Share of all nodes", "means": "Meaning"}
    return layer(
        boxes(shapes, width, height, radius=4), texts(words, width, height), hover(tips, width, height, tooltip)
    ).properties(width=width, height=height)


def _table(taxonomy, confusion):
    values = {**confusion.counts, **confusion.measures}
    return frame({"key": list(values), "name": [METRICS[key].label for key in values], "value": list(values.values())})


def _sentence(taxonomy, confusion):
    """One plain sentence on the summed counts."""
    ppv, tpr = confusion.measures["ppv"], confusion.measures["tpr"]
    n = len(confusion.truth)
    if ppv is None or tpr is None:
        what = "answered" if ppv is None else "true"
        return f"Over {n:,} samples no {what} node lies below the root."
    return (
        f"Over {n:,} samples {percent_text(ppv)} of the answered nodes are true, "
        f"and {percent_text(tpr)} of the true nodes are answered."
    )
