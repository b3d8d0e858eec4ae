"""The hierarchical confusion matrix of a data set: four summed counts and the measures computed from them."""

from __future__ import annotations

import functools

import altair as alt

from hierviz.charts._compose import OWN_COLOUR, hconcat, layer, tooltips, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._rows import frame
from hierviz.charts.theme import SIZE, SMALL, palette
from hierviz.messages.number_text import percent_text
from hierviz.metrics.registry import METRICS

# Pixels: below which measures are below the matrix; of a cell's height, of the line of a measure, of the left axis.
NARROW, TALL, LINE, AXES = 560, 80, 25, 78
MEASURES = ("ppv", "tpr", "f1", "tnr", "acc", "mcc")
# Of the true and of the answered path, as the rows and columns of the matrix.
CELLS = {
    "tp": ("on the\ntrue path", "on the answer's path"),
    "fn": ("on the\ntrue path", "not on it"),
    "fp": ("not on it", "on the answer's path"),
    "tn": ("not on it", "not on it"),
}
TOOLTIP = {"name:N": "Number", "text:N": "Value", "share:N": "Share of all nodes", "means:N": "Meaning"}


def confusion(taxonomy, confusion, *, dark=None, width=640):
    """Counts of nodes over all samples as a two-by-two matrix, with measures next to it (below on a phone).

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
    draw = functools.partial(_drawn, confusion)
    return Figure(draw, lambda: _table(confusion), lambda: _sentence(confusion), dark, width)


def _drawn(confusion, dark, width):
    look, counts, total = palette(dark), confusion.counts, sum(confusion.counts.values())
    wide = width >= NARROW
    cells = [
        {"truth": truth, "answer": answer, "colour": look.outcome(key), "ink": look.text_on(key)}
        | {"name": METRICS[key].label, "text": f"{counts[key]:,}", "means": METRICS[key].sentence}
        | {"share": percent_text(counts[key] / total) if total else "–"}
        for key, (truth, answer) in CELLS.items()
    ]
    values = {key: confusion.measures[key] for key in MEASURES}
    measures = [
        {"name": METRICS[key].label, "text": "undefined" if value is None else f"{value:.3f}"}
        | {"share": "–", "means": METRICS[key].sentence}
        for key, value in values.items()
    ]
    axis, tips = {"title": None, "domain": False, "ticks": False, "grid": False}, tooltips(TOOLTIP)
    above = alt.Axis(orient="top", labelAngle=0, labelFontSize=SMALL, **axis)
    left = alt.Axis(labelExpr="split(datum.label, '\\n')", labelFontSize=SMALL, labelPadding=8, **axis)
    base = alt.Chart(frame(cells)).encode(
        alt.X("answer:N", sort=None, axis=above).scale(padding=0.02),
        alt.Y("truth:N", sort=None, axis=left).scale(padding=0.04),
    )
    ink = alt.Color("ink:N", scale=None)
    numbers = base.mark_text(fontSize=20, fontWeight=600, dy=-8, tooltip=None)
    drawn = layer(
        base.mark_rect(cornerRadius=4).encode(color=OWN_COLOUR, tooltip=tips),
        numbers.encode(text=alt.Text("text:N"), color=ink),
        base.mark_text(fontSize=SMALL, dy=15, tooltip=None).encode(text=alt.Text("name:N"), color=ink),
    ).properties(width=(0.62 * width if wide else width) - AXES, height=2 * TALL)
    listed = alt.Chart(frame(measures)).mark_text().encode(alt.Y("name:N", sort=None, axis=None), tooltip=tips)
    right = width * 0.38 - 30 if wide else width - AXES
    lines = layer(
        listed.mark_text(align="left", fontSize=SIZE).encode(
            x=alt.XValue(0 if wide else 8 - AXES), text=alt.Text("name:N")
        ),
        listed.mark_text(align="right", fontSize=SIZE, fontWeight=600).encode(
            x=alt.XValue(right), text=alt.Text("text:N")
        ),
    ).properties(width=right, height=LINE * len(MEASURES))
    return (hconcat if wide else vconcat)(drawn, lines, spacing=30)


def _table(confusion):
    values = {**confusion.counts, **confusion.measures}
    return frame({"key": list(values), "name": [METRICS[key].label for key in values], "value": list(values.values())})


def _sentence(confusion):
    """One plain sentence on the summed counts."""
    ppv, tpr = confusion.measures["ppv"], confusion.measures["tpr"]
    n = len(confusion.truth)
    if ppv is None or tpr is None:
        what = "answered" if ppv is None else "true"
        return f"Over {n:,} samples no {what} node is below the root."
    return (
        f"Over {n:,} samples {percent_text(ppv)} of the answered nodes are true, "
        f"and {percent_text(tpr)} of the true nodes are answered."
    )
