"""The collapsible confusion matrix: true classes as rows, answers as columns, a click opens a class or picks a cell.

Lines stand in the order of the tree, the classes of an open node indented below it. Colour is what a cell means (right, less
specific than the truth, no answer, wrong), its strength the count or share; cells of one class are outlined.
"""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._canvas import boxes, position, texts
from hierviz.charts._compose import layer
from hierviz.charts._figure import Figure
from hierviz.charts._legend import legend
from hierviz.charts._rows import frame
from hierviz.charts._text import count_text, percent_text, shorten, text_width
from hierviz.charts._value_colours import mixed
from hierviz.charts.theme import SMALL, palette
from hierviz.diagnosis.folded_matrix import RELATIONS

CELL, NODE = "cell", "node"
SIGNS = {"open": "− ", "closed": "+ ", "": ""}
# Smallest and largest side of a cell, the room a printed number needs, and the step that the tree indents.
NARROWEST, WIDEST, PRINTED, INDENT = 15, 64, 26, 9
ROW_LOW, ROW_HIGH, HEADER = 20, 32, 150
LEGEND = {
    "same": ("tp", "the same class, or both below it"),
    "finer": ("tp", "answer below the truth"),
    "coarse": ("path", "answer stops above the truth"),
    "no_answer": ("root", "no answer: the root"),
    "wrong": ("fp", "wrong"),
    "folded": ("tn", "both among the other classes"),
    "none": ("fn", "without a partner"),
}
WITHOUT_NODE = {-1: ("no truth left", "no answer left"), -2: ("outside the taxonomy", "outside the taxonomy")}
FAINTEST = 0.14


def matrix_lines(width):
    """How many lines of the matrix can be read on `width` pixels."""
    return int((width - _label_width(width)) // (NARROWEST + 2))


def _label_width(width):
    return min(230, 0.3 * width)


def line_key(folded, line):
    """What a line is called in selections: the number of its node, or "others-" and that of the parent."""
    return f"{'others-' * bool(folded.n_folded[line])}{folded.nodes[line]}"


def line_title(folded, line, is_row=True):
    """Name of a line in words."""
    node = int(folded.nodes[line])
    if node < 0:
        return WITHOUT_NODE[node][0 if is_row else 1]
    title = folded.matrix.taxonomy.title(node)
    if folded.n_folded[line]:
        return f"{folded.n_folded[line]:,} other classes of {title}"
    return f"{title} itself" if folded.is_open[line] else title


def matrix(folded, *, normalisation="count", log=True, dark=None, width=900):
    """Counts of true classes against answers, classes open or closed.

    Parameters
    ----------
    folded : FoldedMatrix
    normalisation : 'count', 'row', 'column' or 'total'
        What cells show.
    log : bool
        Whether the strength of a colour grows with the logarithm.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: a row for every cell that is not 0. Its selection `CELL` has the fields ``row`` and ``column``
        (`line_key`), its selection `NODE` the field ``node``.
    """
    draw = functools.partial(_drawn, folded, normalisation, log)
    return Figure(draw, lambda: _table(folded), lambda: _sentence(folded), dark, width)


def _drawn(folded, normalisation, log, dark, width):
    look = palette(dark)
    rows, columns = folded.row_lines.tolist(), folded.column_lines.tolist()
    wanted = (_indent(folded, line) + text_width(_label(folded, line, True), SMALL, bold=True) for line in rows)
    left = min(_label_width(width), max(wanted, default=0) + 16)
    wide = min(max((width - left) / max(len(columns), 1), NARROWEST), WIDEST)
    tall = min(max(wide, ROW_LOW), ROW_HIGH)
    names = {line: _label(folded, line, False) for line in columns}
    top = min(HEADER, max(text_width(name, SMALL) for name in names.values()) + 14)
    extent, height = left + wide * len(columns), top + tall * len(rows)
    x = {line: left + wide * i for i, line in enumerate(columns)}
    y = {line: top + tall * i for i, line in enumerate(rows)}
    ground = [
        {"x": left, "x2": extent, "y": y[line] + 1, "y2": y[line] + tall - 1, "colour": look.grid} for line in rows
    ]
    shares = folded.count if normalisation == "count" else folded.shares(normalisation)
    strength = _strength(shares, log)
    cells, words, tips = [], [], []
    of = {key: folded.shares(key) for key in ("row", "column", "total")}
    for i, (row, column) in enumerate(zip(folded.row.tolist(), folded.column.tolist(), strict=True)):
        relation = str(folded.relation[i])
        place = {"x": x[column] + 1, "x2": x[column] + wide - 1, "y": y[row] + 1, "y2": y[row] + tall - 1}
        edge = {"stroke": look.ink, "line": 1.2} if relation == "same" else {}
        colour = mixed(look.background, look.outcome(LEGEND[relation][0]), strength[i])
        cells.append({**place, "colour": colour, **edge})
        count = int(folded.count[i])
        if wide >= PRINTED:
            text = (
                count_text(count) if normalisation == "count" else percent_text(float(shares[i])).replace("under ", "<")
            )
            ink = look.text_on(LEGEND[relation][0]) if strength[i] > 0.55 else look.ink
            middle = {"x": x[column] + wide / 2, "y": y[row] + tall / 2}
            words.append({**middle, "text": text, "colour": ink, "size": SMALL, "align": "center", "limit": wide})
        tips.append(
            {
                **place,
                "row": line_key(folded, row),
                "column": line_key(folded, column),
                "truth": line_title(folded, row),
                "answer": line_title(folded, column, False),
                "samples": f"{count:,}",
                "means": _meaning(relation, count, int(folded.n_different[i])),
                "shares": ", ".join(f"{percent_text(float(of[key][i]), 1)} of the {key}" for key in of),
            }
        )
    labels, label_tips = _labels(folded, look, (x, y), (left, top, wide, tall))
    picked = alt.selection_point(name=CELL, fields=["row", "column"], on="click", empty=False)
    toggled = alt.selection_point(name=NODE, fields=["node"], on="click", empty=False)
    tooltip = {
        "truth": "Truth",
        "answer": "Answer",
        "samples": "Count",
        "shares": "Share",
        "means": "Meaning",
    }
    parts = [
        boxes(ground, extent, height, radius=0),
        boxes(cells, extent, height, radius=2),
        texts([*labels, *words], extent, height),
        _headers(names, x, look, wide, top, (extent, height)),
        _touched(label_tips, extent, height, {"name": "Class", "path": "Path", "does": "Click"}, toggled, look),
        _touched(tips, extent, height, tooltip, picked, look),
    ]
    return layer(*parts).properties(width=extent, height=height)


def _label(folded, line, is_row):
    sign = "open" if folded.is_open[line] else "closed" if folded.can_open[line] else ""
    if folded.n_folded[line]:
        return f"{folded.n_folded[line]:,} others"
    title = (
        line_title(folded, line, is_row).removesuffix(" itself") if sign == "open" else line_title(folded, line, is_row)
    )
    return SIGNS[sign] + title


def _indent(folded, line):
    node = int(folded.nodes[line])
    return 0 if node < 0 else INDENT * (int(folded.tree.depth[node]) + bool(folded.n_folded[line]))


def _labels(folded, look, places, sizes):
    """Text rows of the lines, and what is under the pointer there."""
    (x, y), (left, top, wide, tall) = places, sizes
    words, tips = [], []
    for line, high in y.items():
        indent = min(_indent(folded, line), left * 0.35)
        text = shorten(_label(folded, line, True), left - indent - 10, SMALL)
        weight = 600 if folded.is_open[line] else "normal"
        words.append(
            {"x": indent, "y": high + tall / 2, "text": text, "colour": look.ink, "size": SMALL, "weight": weight}
        )
        tips.append({"x": 0, "x2": left - 4, "y": high, "y2": high + tall, **_what(folded, line, True)})
    tips += [
        {"x": start, "x2": start + wide, "y": 0, "y2": top - 2, **_what(folded, line, False)}
        for line, start in x.items()
    ]
    words.append({"x": 0, "y": top - 22, "text": "Truth ↓", "colour": look.muted, "size": SMALL})
    words.append({"x": left - 8, "y": 8, "text": "Answer →", "colour": look.muted, "size": SMALL, "align": "right"})
    return words, tips


def _what(folded, line, is_row):
    node = int(folded.nodes[line])
    taxonomy = folded.matrix.taxonomy
    steps = [] if node < 0 else folded.tree.path(node).tolist()
    does = "closes this class" if folded.is_open[line] else "opens this class" if folded.can_open[line] else "nothing"
    if line == 0:
        does = "nothing: the root is always open"
    elif folded.n_folded[line]:
        does = "nothing: open a class by its name"
    return {
        "node": line_key(folded, line),
        "name": line_title(folded, line, is_row),
        "path": " › ".join(taxonomy.title(step) for step in steps) or "–",
        "does": does,
    }


def _headers(names, x, look, wide, top, extent):
    rows = [
        {"x": x[line] + wide / 2, "y": top - 6, "text": shorten(name, top - 10, SMALL), "colour": look.ink}
        for line, name in names.items()
    ]
    mark = {"angle": 270, "align": "left", "baseline": "middle", "fontSize": SMALL, "tooltip": None}
    return (
        alt.Chart(frame(rows))
        .mark_text(**mark)
        .encode(
            position("x", extent[0]),
            position("y", extent[1], axis="y"),
            text=alt.Text("text:N"),
            color=alt.Color("colour:N", scale=None),
        )
    )


def _touched(rows, width, height, tooltip, selection, look):
    """Rectangles that show a tooltip, take a click and are outlined once they are selected."""
    return (
        alt.Chart(frame(rows))
        .mark_rect(fillOpacity=0, cursor="pointer", stroke=look.ink, cornerRadius=2, aria=False)
        .encode(
            position("x", width),
            position("y", height, axis="y"),
            x2=alt.X2("x2:Q"),
            y2=alt.Y2("y2:Q"),
            strokeWidth=alt.condition(selection, alt.value(3), alt.value(0)),
            tooltip=[alt.Tooltip(f"{field}:N", title=title) for field, title in tooltip.items()],
        )
        .add_params(selection)
    )


def _strength(values, log):
    """How strong the colour of each value is, from `FAINTEST` to 1."""
    values = np.asarray(values, dtype=float)
    if not len(values):
        return values
    if log:
        # Counts start at 1; of shares everything below a thousandth of the largest is faint.
        low = max(values.min(), values.max() / 1000) / 2
        values = np.log(np.maximum(values, low) / low)
    return FAINTEST + (1 - FAINTEST) * values / values.max()


def _meaning(relation, count, n_different):
    words = RELATIONS[relation]
    if relation in ("same", "folded") and n_different:
        return f"{words}; {n_different:,} of {count:,} are of different classes"
    return words


def matrix_legend(folded, width, *, dark=False):
    """What the colours of the cells mean, `width` pixels wide: alt.LayerChart."""
    look = palette(dark)
    shown = dict.fromkeys(LEGEND[relation] for relation in LEGEND if relation in folded.relation)
    items = [{"kind": "box", "colour": look.outcome(colour), "label": label} for colour, label in shown]
    return legend([(None, items)], width, dark=dark, size=SMALL)


def _table(folded):
    rows, columns = folded.row.tolist(), folded.column.tolist()
    return frame(
        {
            "truth": [line_title(folded, line) for line in rows],
            "answer": [line_title(folded, line, False) for line in columns],
            "count": folded.count,
            "of_different_classes": folded.n_different,
            **{f"share_of_{key}": folded.shares(key) for key in ("row", "column", "total")},
            "meaning": folded.relation,
        }
    )


def _sentence(folded):
    """One plain sentence: the largest cell of wrong answers, and how many are hidden in closed classes."""
    total, unit = folded.matrix.total, "samples"
    if (np.diff(folded.matrix.pairs.row) == 0).any():
        unit = "paths"
    wrong = np.flatnonzero(folded.relation == "wrong")
    inside = int(folded.n_different[folded.row == folded.column].sum())
    hidden = f" {inside:,} answers of another class than the truth are inside closed classes." if inside else ""
    if not len(wrong):
        return f"None of {total:,} {unit} is in a cell of two different classes shown here.{hidden}"
    worst = wrong[np.argmax(folded.count[wrong])]
    row, column = int(folded.row[worst]), int(folded.column[worst])
    return (
        f"Of {total:,} {unit}, {int(folded.count[wrong].sum()):,} are in cells of wrong answers; the largest is "
        f"{line_title(folded, row)} answered as {line_title(folded, column, False)}, {int(folded.count[worst]):,}.{hidden}"
    )
