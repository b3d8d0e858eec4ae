"""The collapsible confusion matrix: true classes as rows, answers as columns, a click opens a class or picks a cell.

Lines are in the order of the tree, the classes of an open node indented below it. Colour is what a cell means (right, less
specific than the truth, no answer, wrong), its strength the count or share; cells of one class are outlined.
"""

from __future__ import annotations

import functools
import json

import altair as alt
import numpy as np

from hierviz.charts._canvas import legend
from hierviz.charts._compose import OWN_COLOUR, STILL, frame, layer, tooltips
from hierviz.charts._figure import Figure
from hierviz.charts._text import text_width
from hierviz.charts._value_colours import mixed
from hierviz.charts.theme import SMALL, palette
from hierviz.diagnosis.folded_matrix import RELATIONS
from hierviz.messages.number_text import count_text, percent_text

CELL, NODE = "cell", "node"
SIGNS = {"open": "− ", "closed": "+ ", "": ""}
# Smallest and largest side of a cell, the room a printed number needs, and the step that the tree indents.
NARROWEST, WIDEST, PRINTED, INDENT = 15, 64, 26, 9
# Blanks at the start of a name are cut off, but for those behind a mark of no width; three are about as wide as the step.
MARK, BLANK = "\u200b", "\u00a0\u00a0\u00a0"
# Pixels of a line, of all lines where these can be read, and of names of columns.
ROW_LOW, ROW_HIGH, ROWS, HEADER = 17, 34, 580, 130
# Lines that fill a place; more of them would be too small for their counts, or higher than a window.
FILLED = 34
LEGEND = {
    "same": ("tp", "the same class, or both below it"),
    "finer": ("tp", "answer below the truth"),
    "coarse": ("path", "answer stops above the truth"),
    "no_answer": ("root", "no answer: the root"),
    "wrong": ("fp", "wrong"),
    "folded": ("tn", "both among the other classes"),
    "none": ("fn", "without a partner"),
    "outside": ("outside", "answer outside the taxonomy"),
}
WITHOUT_NODE = {-1: ("no truth left", "no answer left"), -2: ("outside the taxonomy", "outside the taxonomy")}
FAINTEST = 0.14


def matrix_lines(width):
    """How many lines of the matrix can be read on `width` pixels."""
    return int((width - _label_width(width)) // (NARROWEST + 2))


def lines_at_first(width):
    """How many lines a matrix has that fills `width` pixels and a window, with the counts in its cells."""
    return min(FILLED, matrix_lines(width), max(8, int((width - _label_width(width)) // PRINTED)))


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
    names, above = ({line: _label(folded, line, of is rows) for line in of} for of in (rows, columns))
    # Areas that take clicks are as large as the names in them.
    wanted = (INDENT * _level(folded, line) + text_width(name, SMALL, bold=True) for line, name in names.items())
    left = min(_label_width(width), max(wanted, default=0) + 16)
    top = min(HEADER, max(text_width(name, SMALL) for name in above.values()) + 14)
    wide = min(max((width - left) / max(len(columns), 1), NARROWEST), WIDEST)
    # All lines together fit a window where they can be read.
    tall = min(max(wide, ROW_LOW), ROW_HIGH, max(ROWS / max(len(rows), 1), ROW_LOW))
    gaps = {"paddingInner": 0.08, "paddingOuter": 0.04}
    axis_x, axis_y = (_axis(folded, above, look, top, is_row=False), _axis(folded, names, look, left, is_row=True))
    at_x = alt.X("column:N", scale=gaps, sort=[line_key(folded, line) for line in columns], axis=axis_x)
    at_y = alt.Y("row:N", scale=gaps, sort=[line_key(folded, line) for line in rows], axis=axis_y)
    picked = alt.selection_point(name=CELL, fields=["row", "column"], on="click", empty=False)
    toggled = alt.selection_point(name=NODE, fields=["node"], on="click", empty=False)
    cells = alt.Chart(frame(list(_cells(folded, normalisation, log, look)))).encode(at_x, at_y)
    fields = {"truth": "Truth", "answer": "Answer", "samples": "Count", "shares": "Share", "means": "Meaning"}
    behind = alt.Chart(frame({"row": [line_key(folded, line) for line in rows]}))
    line = alt.condition(picked, alt.value(3), alt.StrokeWidth("line:Q", scale=None))
    tips = tooltips({f"{field}:N": title for field, title in fields.items()})
    boxes = cells.mark_rect(cornerRadius=2, cursor="pointer", stroke=look.ink, opacity=1, aria=False)
    parts = [
        behind.mark_rect(color=look.grid, **STILL).encode(at_y),
        boxes.encode(color=OWN_COLOUR, strokeWidth=line, tooltip=tips).add_params(picked),
        _touched(folded, left, top, wide, tall, look, toggled),
    ]
    if wide >= PRINTED:
        words = cells.mark_text(fontSize=SMALL, limit=wide, tooltip=None)
        parts.insert(2, words.encode(text=alt.Text("text:N"), color=alt.Color("ink:N", scale=None)))
    return layer(*parts).properties(width=wide * len(columns), height=tall * len(rows))


def _cells(folded, normalisation, log, look):
    """Rows of the cells."""
    shares = folded.count if normalisation == "count" else folded.shares(normalisation)
    strength, of = _strength(shares, log), {key: folded.shares(key) for key in ("row", "column", "total")}
    for i, (row, column) in enumerate(zip(folded.row.tolist(), folded.column.tolist(), strict=True)):
        relation, count = str(folded.relation[i]), int(folded.count[i])
        n_different = int(folded.n_different[i])
        of_others = f"; {n_different:,} of {count:,} are of different classes"
        colour, share = LEGEND[relation][0], percent_text(float(shares[i])).replace("under ", "<")
        yield {
            "row": line_key(folded, row),
            "column": line_key(folded, column),
            "colour": mixed(look.background, look.outcome(colour), strength[i]),
            "line": 1.2 if relation == "same" else 0,
            "text": count_text(count) if normalisation == "count" else share,
            "ink": look.text_on(colour) if strength[i] > 0.55 else look.ink,
            "truth": line_title(folded, row),
            "answer": line_title(folded, column, False),
            "samples": f"{count:,}",
            "means": RELATIONS[relation] + (of_others if relation in ("same", "folded") and n_different else ""),
            "shares": ", ".join(f"{percent_text(float(of[key][i]), 1)} of the {key}" for key in of),
        }


def _axis(folded, names, look, size, is_row):
    """The axis of the lines by their names, indented and bold as in the tree; `size` pixels are for the names."""
    keys = {line: line_key(folded, line) for line in names}
    texts = {keys[line]: (MARK + BLANK * _level(folded, line)) * is_row + name for line, name in names.items()}
    is_open = f"indexof({json.dumps([keys[line] for line in names if folded.is_open[line]])}, datum.value) >= 0"
    side = {"titleAnchor": "end", "titleBaseline": "bottom", "titleX": -size, "titleY": -6, "titleAlign": "left"}
    if not is_row:
        side = {"orient": "top", "labelAngle": 270, "titleX": -8, "titleY": 8 - size, "titleAlign": "right"}
    return alt.Axis(
        title="Truth ↓" if is_row else "Answer →",
        titleAngle=0,
        titleColor=look.muted,
        titleFontSize=SMALL,
        labelExpr=json.dumps(texts) + "[datum.value]",
        labelFontWeight={"condition": {"test": is_open, "value": 600 if is_row else 400}, "value": 400},
        labelFontSize=SMALL,
        labelColor=look.ink,
        labelAlign="left",
        labelPadding=size if is_row else 6,
        labelLimit=size - 10,
        labelOverlap=False,
        domain=False,
        ticks=False,
        grid=False,
        **side,
    )


def _touched(folded, left, top, wide, tall, look, selection):
    """Rectangles over the names that show a tooltip, take a click and are outlined once they are selected."""
    rows = [
        {"x": -left, "x2": -4, "y": tall * i, "y2": tall * (i + 1), **_what(folded, line, True)}
        for i, line in enumerate(folded.row_lines.tolist())
    ] + [
        {"x": wide * i, "x2": wide * (i + 1), "y": -top, "y2": -2, **_what(folded, line, False)}
        for i, line in enumerate(folded.column_lines.tolist())
    ]
    # In pixels: names are outside the scales of the cells.
    x, y = (channel(f"{field}:Q", scale=None, axis=None) for channel, field in ((alt.X, "x"), (alt.Y, "y")))
    boxes = alt.Chart(frame(rows)).mark_rect(
        fillOpacity=0, cursor="pointer", stroke=look.ink, cornerRadius=2, aria=False
    )
    line = alt.condition(selection, alt.value(3), alt.value(0))
    tips = tooltips({"name:N": "Class", "path:N": "Path", "does:N": "Click"})
    boxes = boxes.encode(x, y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"), strokeWidth=line, tooltip=tips)
    return boxes.add_params(selection)


def _label(folded, line, is_row):
    if folded.n_folded[line]:
        return f"{folded.n_folded[line]:,} others"
    sign = "open" if folded.is_open[line] else "closed" if folded.can_open[line] else ""
    return SIGNS[sign] + (line_title(folded, line, is_row).removesuffix(" itself" if sign == "open" else ""))


def _level(folded, line):
    """Steps of indentation of a line."""
    node = int(folded.nodes[line])
    return 0 if node < 0 else int(folded.tree.depth[node]) + bool(folded.n_folded[line])


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
    total, unit = folded.matrix.total, "paths" if (np.diff(folded.matrix.pairs.row) == 0).any() else "samples"
    wrong = np.flatnonzero(folded.relation == "wrong")
    inside = int(folded.n_different[folded.row == folded.column].sum())
    hidden = f" {inside:,} answers of another class than the truth are inside closed classes." if inside else ""
    outside = int(folded.count[folded.relation == "outside"].sum())
    if outside:
        answers = "1 answer lies" if outside == 1 else f"{outside:,} answers lie"
        hidden = f" {answers} outside the taxonomy.{hidden}"
    if not len(wrong):
        return f"None of {total:,} {unit} is in a cell of two different classes shown here.{hidden}"
    worst = wrong[np.argmax(folded.count[wrong])]
    row, column = int(folded.row[worst]), int(folded.column[worst])
    return (
        f"Of {total:,} {unit}, {int(folded.count[wrong].sum()):,} are in cells of wrong answers; the largest is "
        f"{line_title(folded, row)} answered as {line_title(folded, column, False)}, {int(folded.count[worst]):,}.{hidden}"
    )
