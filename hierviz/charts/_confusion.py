"""The four cells of hierarchical confusion: summed over a data set, with its measures, and of one sample, with their nodes."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._canvas import boxes, hover, texts
from hierviz.charts._compose import OWN_COLOUR, frame, hconcat, layer, tooltips, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._text import wrap_items
from hierviz.charts.theme import SIZE, SMALL, palette
from hierviz.messages.number_text import percent_text, value_text
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
        alt.X("answer:N", sort=None, axis=above, scale={"padding": 0.02}),
        alt.Y("truth:N", sort=None, axis=left, scale={"padding": 0.04}),
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


# tp and fn are on the true path (first row), tp and fp on the answer's path (first column).
TITLES = {
    "tp": "answered and true",
    "fn": "true, not answered",
    "fp": "answered, not true",
    "tn": "siblings on neither path",
}
GAP, INSET, STEP = 6, 12, 17


def confusion_breakdown(taxonomy, confusion, row, *, dark=None, width=1000, most_lines=None):
    """True and false positives and negatives of one sample as four cells that name their nodes.

    Parameters
    ----------
    taxonomy : Taxonomy
    confusion : HierarchicalConfusion
        From `hierviz.confusion`.
    row : int
        The sample.
    dark : bool, optional
    width : int
        Pixels; below 560 the cells are one below the other.
    most_lines : int, optional
        Lines of names a cell holds, the rest is counted: 4, or 6 where the cells are stacked.

    Returns
    -------
    Figure
        Its table: ``cell`` (tp, fn, fp, tn), ``node``, ``name``, ``depth``; one row a node.
    """
    sets = confusion.node_sets(row)
    draw = functools.partial(_drawn_sample, taxonomy, sets, most_lines)
    sentence = functools.partial(_sentence_sample, taxonomy, confusion, row)
    return Figure(draw, lambda: _table_sample(taxonomy, sets), sentence, dark, width)


def _drawn_sample(taxonomy, sets, most_lines, dark, width):
    look = palette(dark)
    width -= 8
    columns = 2 if width >= NARROW else 1
    most_lines = most_lines or (4 if columns == 2 else 6)
    wide = (width - GAP * (columns - 1)) / columns
    sets = {cell: [taxonomy.title(node) for node in nodes] for cell, nodes in sets.items()}
    lines = {
        cell: wrap_items(names, wide - 2 * INSET - 4, SIZE, most_lines=most_lines) or ["none"]
        for cell, names in sets.items()
    }
    shapes, words, tips, y = [], [], [], 0.0
    for start in range(0, 4, columns):
        together = list(TITLES)[start : start + columns]
        tall = 44 + STEP * max(len(lines[cell]) for cell in together)
        for x, cell in zip((0, wide + GAP), together):
            names, count = sets[cell], f"{len(sets[cell]):,}"
            place = {"x": x, "x2": x + wide, "y": y, "y2": y + tall}
            shapes.append({**place, "colour": look.outcome(cell)})
            lead = 20 + 12 * len(count)
            said = [(INSET, 19, count, 20, 600), (lead, 14, METRICS[cell].label, SIZE, 600)]
            said += [(lead, 29, TITLES[cell], SMALL, "normal")]
            said += [(INSET, 48 + STEP * i, line, SIZE, "normal") for i, line in enumerate(lines[cell])]
            words += [
                {"x": x + left, "y": y + top, "text": text, "size": size, "weight": weight, "limit": wide - left - 6}
                | {"colour": look.text_on(cell)}
                for left, top, text, size, weight in said
            ]
            listed = ", ".join(names[:40]) + (f" and {len(names) - 40:,} more" if len(names) > 40 else "")
            tips.append({**place, "cell": METRICS[cell].label, "names": listed or "none"})
        y += tall + GAP
    tp, fp, fn = (len(sets[cell]) for cell in ("tp", "fp", "fn"))
    for text in (
        _fraction("hP", tp, tp + fp, "of the answer's nodes are true", "nothing is predicted"),
        _fraction("hR", tp, tp + fn, "of the true nodes are answered", "the truth is the root"),
    ):
        y += 18
        words.append({"x": 0, "y": y - 4, "text": text, "colour": look.ink, "limit": width})
    height = y + 8
    return layer(
        boxes(shapes, width, height, radius=4),
        texts(words, width, height),
        hover(tips, width, height, {"cell": "Cell", "names": "Nodes"}),
    ).properties(width=width, height=height)


def _table_sample(taxonomy, sets):
    nodes = np.concatenate([sets[cell] for cell in TITLES]).astype(int)
    columns = {"cell": np.repeat(list(TITLES), [len(sets[cell]) for cell in TITLES]), "node": nodes}
    return frame(columns | {"name": list(map(taxonomy.title, nodes.tolist())), "depth": taxonomy.depth[nodes]})


def _sentence_sample(taxonomy, confusion, row):
    """One plain sentence: how many nodes of answer and truth agree."""
    tp, fp, fn = (int(getattr(confusion, cell)[row]) for cell in ("tp", "fp", "fn"))
    truth, predicted = _ends(taxonomy, confusion.truth[row]), _ends(taxonomy, confusion.predicted[row])
    if tp + fp == 0:
        missing = f"{_nodes(fn)} on the way to {truth} {'is' if fn == 1 else 'are'} missed"
        return f"Nothing below the root is answered; {missing if fn else 'and the truth is the root itself'}."
    return (
        f"Of the {_nodes(tp + fp)} on the way to the answer {predicted}, {tp} {'is' if tp == 1 else 'are'} true; "
        f"of the {_nodes(tp + fn)} on the way to the truth {truth}, {tp} {'is' if tp == 1 else 'are'} answered."
    )


def _ends(taxonomy, paths):
    """Name of a node, or of all ends of several nodes or paths."""
    ends = [paths] if isinstance(paths, (int, np.integer)) else [np.ravel(path)[-1] for path in paths]
    names = [taxonomy.title(int(end)) for end in ends]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names) or "(nothing)"


def _nodes(n):
    return "one node" if n == 1 else f"{n} nodes"


def _fraction(name, part, whole, words, empty):
    return f"{name} = {part}/{whole} = {value_text(part / whole)} {words}" if whole else f"{name} = 1: {empty}"
