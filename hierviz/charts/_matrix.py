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
from hierviz.charts._compose import OWN_COLOUR, STILL, frame, layer, plain_columns, tooltips
from hierviz.charts._figure import Figure
from hierviz.charts._matrix_lines import (
    NARROWEST,
    PRINTED,
    label_width,
    line_key,
    line_label,
    line_level,
    line_title,
    words_of_lines,
)
from hierviz.charts._sketch import Own, sketched
from hierviz.charts._text import text_width
from hierviz.charts._value_colours import mixed
from hierviz.charts.theme import SMALL, palette
from hierviz.diagnosis.folded_matrix import RELATIONS
from hierviz.messages.number_text import count_text, percent_texts

CELL, NODE = "cell", "node"
# Largest side of a cell, and the step that the tree indents.
WIDEST, INDENT = 64, 9
# Blanks at the start of a name are cut off, but for those behind a mark of no width; three are about as wide as the step.
MARK, BLANK = "\u200b", "\u00a0\u00a0\u00a0"
# Pixels of a line, of all lines where these can be read, and of names of columns.
ROW_LOW, ROW_HIGH, ROWS, HEADER = 17, 34, 580, 130
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
FAINTEST = 0.14


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
    names, above = ({line: line_label(folded, line, of is rows) for line in of} for of in (rows, columns))
    # Areas that take clicks are as large as the names in them.
    wanted = (INDENT * line_level(folded, line) + text_width(name, SMALL, bold=True) for line, name in names.items())
    left = min(label_width(width), max(wanted, default=0) + 16)
    top = min(HEADER, max(text_width(name, SMALL) for name in above.values()) + 14)
    wide = min(max((width - left) / max(len(columns), 1), NARROWEST), WIDEST)
    # All lines together fit a window where they can be read.
    tall = min(max(wide, ROW_LOW), ROW_HIGH, max(ROWS / max(len(rows), 1), ROW_LOW))
    across, down = _lines(folded, above, top, is_row=False), _lines(folded, names, left, is_row=True)
    cells = _cells(folded, normalisation, log, look)
    parts = [
        _behind(plain_columns({"row": [line_key(folded, line) for line in rows]}), down, look),
        _boxes(cells, across, down, look),
        _touched(plain_columns(_areas(folded, left, top, wide, tall)), look),
    ]
    if wide >= PRINTED:
        parts.insert(2, _numbers(cells, across, down, look, Own(wide)))
    return layer(*parts).properties(width=Own(wide * len(columns)), height=Own(tall * len(rows)))


@sketched
def _behind(table, down, look):
    return alt.Chart(table).mark_rect(color=look.grid, **STILL).encode(_at(look, **down))


@sketched
def _boxes(table, across, down, look):
    picked = alt.selection_point(name=CELL, fields=["row", "column"], on="click", empty=False)
    fields = {"truth": "Truth", "answer": "Answer", "samples": "Count", "shares": "Share", "means": "Meaning"}
    line = alt.condition(picked, alt.value(3), alt.StrokeWidth("line:Q", scale=None))
    tips = tooltips({f"{field}:N": title for field, title in fields.items()})
    mark = {"cornerRadius": 2, "cursor": "pointer", "stroke": look.ink, "opacity": 1, "aria": False}
    boxes = alt.Chart(table).mark_rect(**mark).encode(_at(look, **across), _at(look, **down))
    return boxes.encode(color=OWN_COLOUR, strokeWidth=line, tooltip=tips).add_params(picked)


@sketched
def _numbers(table, across, down, look, wide):
    words = alt.Chart(table).mark_text(fontSize=SMALL, limit=wide, tooltip=None)
    words = words.encode(_at(look, **across), _at(look, **down))
    return words.encode(text=alt.Text("text:N"), color=alt.Color("ink:N", scale=None))


@sketched
def _touched(table, look):
    """Rectangles over the names that show a tooltip, take a click and are outlined once they are selected."""
    toggled = alt.selection_point(name=NODE, fields=["node"], on="click", empty=False)
    # In pixels: names are outside the scales of the cells.
    x, y = (channel(f"{field}:Q", scale=None, axis=None) for channel, field in ((alt.X, "x"), (alt.Y, "y")))
    boxes = alt.Chart(table).mark_rect(fillOpacity=0, cursor="pointer", stroke=look.ink, cornerRadius=2, aria=False)
    line = alt.condition(toggled, alt.value(3), alt.value(0))
    tips = tooltips({"name:N": "Class", "path:N": "Path", "does:N": "Click"})
    boxes = boxes.encode(x, y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"), strokeWidth=line, tooltip=tips)
    return boxes.add_params(toggled)


def _cells(folded, normalisation, log, look):
    """Table of the cells."""
    shares = folded.count if normalisation == "count" else folded.shares(normalisation)
    strength, count = _strength(shares, log), folded.count.tolist()
    keys, rows, columns = words_of_lines(folded)
    row, column, relation = folded.row.tolist(), folded.column.tolist(), folded.relation.tolist()
    outcome, is_strong = [LEGEND[kind][0] for kind in relation], strength > 0.55
    full, on_full = ({kind: of(kind) for kind in set(outcome)} for of in (look.outcome, look.text_on))
    said = zip(*(percent_texts(folded.shares(key), 1) for key in ("row", "column", "total")), strict=True)
    colours = list(zip(outcome, strength.tolist(), strict=True))
    colour_of = {pair: mixed(look.background, full[pair[0]], pair[1]) for pair in set(colours)}
    means = [RELATIONS[kind] for kind in relation]
    for i in np.flatnonzero((folded.n_different > 0) & np.isin(folded.relation, ("same", "folded"))).tolist():
        means[i] += f"; {folded.n_different[i]:,} of {count[i]:,} are of different classes"
    is_count = normalisation == "count"
    return plain_columns(
        {
            "row": [keys[line] for line in row],
            "column": [keys[line] for line in column],
            "colour": [colour_of[pair] for pair in colours],
            "line": np.where(folded.relation == "same", 1.2, 0.0),
            "text": [count_text(n) for n in count]
            if is_count
            else [text.replace("under ", "<") for text in percent_texts(shares)],
            "ink": [on_full[kind] if strong else look.ink for kind, strong in zip(outcome, is_strong, strict=True)],
            "truth": [rows[line] for line in row],
            "answer": [columns[line] for line in column],
            "samples": [f"{n:,}" for n in count],
            "means": means,
            "shares": [
                f"{of_row} of the row, {of_column} of the column, {of} of the total" for of_row, of_column, of in said
            ],
        }
    )


def _lines(folded, names, size, is_row):
    """Settings of `_at`: the lines of an axis by their names, indented as in the tree, for which there are `size` pixels."""
    keys = {line: line_key(folded, line) for line in names}
    texts = {keys[line]: (MARK + BLANK * line_level(folded, line)) * is_row + name for line, name in names.items()}
    is_open = f"indexof({json.dumps([keys[line] for line in names if folded.is_open[line]])}, datum.value) >= 0"
    side = {"titleX": Own(-size)} if is_row else {"titleY": Own(8 - size)}
    room = {"labelLimit": Own(size - 10), "labelPadding": Own(size) if is_row else 6}
    side |= room | {"labelExpr": Own(json.dumps(texts) + "[datum.value]")}
    return {"is_row": is_row, "order": Own(list(keys.values())), "is_open": Own(is_open), "side": side}


def _at(look, is_row, order, is_open, side):
    """The channel of rows or columns, whose axis has open classes in bold."""
    if is_row:
        side = side | {"titleAnchor": "end", "titleBaseline": "bottom", "titleY": -6, "titleAlign": "left"}
    else:
        side = side | {"orient": "top", "labelAngle": 270, "titleX": -8, "titleAlign": "right"}
    axis = alt.Axis(
        title="Truth ↓" if is_row else "Answer →",
        titleAngle=0,
        titleColor=look.muted,
        titleFontSize=SMALL,
        labelFontWeight={"condition": {"test": is_open, "value": 600 if is_row else 400}, "value": 400},
        labelFontSize=SMALL,
        labelColor=look.ink,
        labelAlign="left",
        labelOverlap=False,
        domain=False,
        ticks=False,
        grid=False,
        **side,
    )
    scale = alt.Scale(paddingInner=0.08, paddingOuter=0.04)
    return (
        alt.Y("row:N", scale=scale, sort=order, axis=axis)
        if is_row
        else alt.X("column:N", scale=scale, sort=order, axis=axis)
    )


def _areas(folded, left, top, wide, tall):
    """Rows of `_touched`."""
    titles = folded.matrix.taxonomy.shown_titles
    paths = folded.tree.ancestors(np.maximum(folded.nodes, 0))
    said = [
        "–" if node < 0 else " › ".join(titles[step] for step in paths[i].tolist())
        for i, node in enumerate(folded.nodes)
    ]
    return [
        {"x": -left, "x2": -4, "y": tall * i, "y2": tall * (i + 1), **_what(folded, line, True, said)}
        for i, line in enumerate(folded.row_lines.tolist())
    ] + [
        {"x": wide * i, "x2": wide * (i + 1), "y": -top, "y2": -2, **_what(folded, line, False, said)}
        for i, line in enumerate(folded.column_lines.tolist())
    ]


def _what(folded, line, is_row, paths):
    does = "closes this class" if folded.is_open[line] else "opens this class" if folded.can_open[line] else "nothing"
    if line == 0:
        does = "nothing: the root is always open"
    elif folded.n_folded[line]:
        does = "nothing: open a class by its name"
    return {
        "node": line_key(folded, line),
        "name": line_title(folded, line, is_row),
        "path": paths[line],
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
    _, rows, columns = words_of_lines(folded)
    return frame(
        {
            "truth": [rows[line] for line in folded.row.tolist()],
            "answer": [columns[line] for line in folded.column.tolist()],
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
