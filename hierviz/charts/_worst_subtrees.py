"""The worst subtrees in a small icicle: depth from left to right, height by samples; what is worst is never grouped away.

Children are below each other, the largest first. Heights are in proportion to samples throughout: of a class that is too low to
see, the line from its name shows the place.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from hierviz.charts._canvas import boxes, hover, legend, rules, texts
from hierviz.charts._compose import layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._subtree_icicle import node_frame
from hierviz.charts._text import shorten, text_width
from hierviz.charts._value_colours import CLICKED, n_behind, tooltip_of, tooltip_titles, value_colours
from hierviz.charts.theme import SIZE, SMALL, palette
from hierviz.diagnosis._node_table import NODE_COLUMNS, cost_key, number_text_of
from hierviz.messages.errors import PredictionsError
from hierviz.taxonomy.checks import check_kind

# Pixels: the lowest cell of a class that is not one of the worst, with a name, between cells, of the text of one of the worst.
LEAST, NAMED, GAP, TWO_LINES = 12, 13, 1, 34
# Worst subtrees with a name at the side, levels that are drawn at least where there are as many.
MOST, LEVELS = 5, 2


@dataclass(frozen=True)
class _WorstCell:
    """Nodes (several in a group), level, and top and height in pixels."""

    nodes: np.ndarray
    level: int
    top: float
    height: float


def worst_subtrees(table, nodes, *, counts=None, dark=None, width=430, height=220):
    """Icicle of all samples that shows where the worst subtrees are, coloured by the share of correct answers.

    Parameters
    ----------
    table : NodeTable
    nodes : sequence of int
        The worst subtrees, the worst first, such as `hierviz.diagnosis.Slices.worse_subtrees` has; at most five are named.
    counts : sequence of str, optional
        What is written below their names; their wrong answers, or missed samples, if not given.
    dark : bool, optional
    width, height : int
        Pixels: of the whole figure, of the icicle.

    Returns
    -------
    Figure
        Its table: the numbers of the classes that are drawn, grouped ones included, with ``level`` and ``is_worst``. A click on
        a class with children selects its name as ``target`` of `node`.

    Raises
    ------
    PredictionsError
        If there is no subtree, or no sample has a truth in one.
    """
    nodes = [int(node) for node in nodes][:MOST]
    if not nodes or not all(table.support[node] for node in nodes):
        raise PredictionsError("worst_subtrees: expected classes with samples, got none, or one without. Pass some.")
    check_kind("counts", counts, (list, tuple, type(None)), "Pass one text for each subtree.")
    counts = [_counted(table, node) for node in nodes] if counts is None else list(counts)
    cells = _cells(table, nodes, height)
    draw = functools.partial(_drawn, table, nodes, counts, cells, height)
    return Figure(draw, lambda: _table(table, nodes, cells), lambda: _sentence(table, nodes, counts), dark, width)


def _counted(table, node):
    cost = cost_key(table)
    what = "wrong" if cost == "n_wrong" else "missed"
    return f"{number_text_of(cost, float(getattr(table, cost)[node]))} of {int(table.support[node]):,} {what}"


def _value(table):
    """The column that colours show."""
    return "correct" if np.isfinite(table.correct).any() else "recall"


def _cells(table, nodes, height):
    """The cells, a parent before its children; classes that lead to one of the worst are never in a group."""
    taxonomy, size = table.taxonomy, table.support
    kept = set(np.concatenate([taxonomy.ancestors([node])[0] for node in nodes]).tolist()) | set(nodes)
    depth = max(int(taxonomy.depth[node]) for node in nodes)
    levels = max(depth, min(LEVELS, taxonomy.max_depth))
    found, place = [_WorstCell(np.array([0]), 0, 0.0, float(height))], 0
    while place < len(found):
        cell, place = found[place], place + 1
        if len(cell.nodes) > 1 or cell.level == levels:
            continue
        children = taxonomy.children[int(cell.nodes[0])]
        children = children[size[children] > 0]
        children = children[np.argsort(-size[children], kind="stable")]
        if not len(children):
            continue
        total = max(float(size[cell.nodes[0]]), float(size[children].sum()))
        tall = cell.height * size[children] / total
        alone = (tall >= LEAST) | np.isin(children, list(kept))
        # Never a group of one class.
        alone = np.ones_like(alone) if (~alone).sum() == 1 else alone
        top = cell.top
        for child, high in zip(children[alone].tolist(), tall[alone].tolist(), strict=True):
            found.append(_WorstCell(np.array([child]), cell.level + 1, top, high))
            top += high
        if (~alone).any():
            found.append(_WorstCell(children[~alone], cell.level + 1, top, float(tall[~alone].sum())))
    return found


def _drawn(table, nodes, counts, cells, height, dark, width):
    look, taxonomy, value = palette(dark), table.taxonomy, _value(table)
    side = _side(table, nodes, counts, width)
    levels = max(cell.level for cell in cells)
    left = [(width - side) * k / levels for k in range(levels + 1)]
    drawn = [int(cell.nodes[0]) for cell in cells if len(cell.nodes) == 1]
    colours = value_colours(table, value, drawn, dark)
    rows, words, hovers, edges, middles = [], [], [], [], {}
    for cell in cells:
        # All samples are the whole height: a column of their own would say nothing.
        if not cell.level:
            continue
        node = int(cell.nodes[0]) if len(cell.nodes) == 1 else None
        bottom = cell.top + max(cell.height - GAP, 0.0)
        place = {"x": left[cell.level - 1], "x2": left[cell.level] - GAP, "y": cell.top, "y2": bottom}
        fill = look.others
        if node is not None:
            fill = colours.fill(float(getattr(table, value)[node]), n_behind(table, value, node))
        rows.append({**place, "colour": fill})
        name = f"{len(cell.nodes):,} others" if node is None else taxonomy.title(node)
        room = place["x2"] - place["x"] - 8
        if cell.height >= NAMED and room >= 24:
            ink = look.on_grey if node is None else colours.text(fill)
            at = {"x": place["x"] + 5, "y": (place["y"] + place["y2"]) / 2, "colour": ink, "size": SMALL}
            words.append({**at, "text": shorten(name, room, SMALL), "weight": 700 if node in nodes else 400})
        tips = (
            {"tip_name": ", ".join(map(taxonomy.title, cell.nodes[:6].tolist()))}
            if node is None
            else tooltip_of(table, node)
        )
        target = taxonomy.names[node] if node is not None and not taxonomy.is_leaf[node] else ""
        cursor = "pointer" if target else "default"
        hovers.append({**dict.fromkeys(tooltip_titles(table), ""), **place, **tips, "target": target, "cursor": cursor})
        if node in nodes and node not in middles:
            # The outline is around the class with all that is below it.
            line = 2 if cell.height >= NAMED else 1
            edges.append({**place, "x2": width - side - GAP, "colour": "transparent", "stroke": look.ink, "line": line})
            middles[node] = cell.top + cell.height / 2
    lines, names = _names(table, nodes, counts, middles, width - side, side, height, look)
    total = height + 2
    drawing = layer(
        boxes(rows, width, total, radius=0),
        rules(lines, width, total),
        boxes(edges, width, total, radius=1),
        texts(words + names, width, total),
        hover(hovers, width, total, tooltip_titles(table), CLICKED, "target"),
    ).properties(width=width, height=total)
    items = colours.items()
    if colours.is_share:
        # One row: between the ends, the grey middle is enough.
        items = [items[0], *items[-2:], {"kind": "note", "label": "paler: fewer samples"}]
    groups = [(f"{NODE_COLUMNS[value].label}:", items)]
    return vconcat(legend(groups, width, dark=dark), drawing, spacing=4)


def _side(table, nodes, counts, width):
    """Pixels of the names of the worst at the side."""
    words = [text_width(table.taxonomy.title(node), SIZE, bold=True) for node in nodes]
    words += [text_width(text, SMALL) for text in counts]
    return min(max(words) + 26, 0.5 * width)


def _names(table, nodes, counts, middles, left, side, height, look):
    """Lines from the worst to their names, and the names, which do not cover each other."""
    order = sorted(nodes, key=middles.__getitem__)
    places = [min(max(middles[node], TWO_LINES / 2), height - TWO_LINES / 2) for node in order]
    for k in range(1, len(places)):
        places[k] = max(places[k], places[k - 1] + TWO_LINES)
    places[-1] = min(places[-1], height - TWO_LINES / 2)
    for k in range(len(places) - 2, -1, -1):
        places[k] = min(places[k], places[k + 1] - TWO_LINES)
    lines, words = [], []
    for node, down in zip(order, places, strict=True):
        lines.append({"x": left, "x2": left + 16, "y": middles[node], "y2": down, "colour": look.ink})
        room, said = side - 22, counts[nodes.index(node)]
        at = {"x": left + 20, "colour": look.ink}
        words.append(
            {**at, "y": down - 8, "text": shorten(table.taxonomy.title(node), room, SIZE, bold=True), "weight": 700}
        )
        words.append({**at, "y": down + 8, "text": shorten(said, room, SMALL), "size": SMALL, "weight": 400})
    return lines, words


def _table(table, nodes, cells):
    cells = [cell for cell in cells if cell.level]
    drawn = np.concatenate([cell.nodes for cell in cells])
    level = np.concatenate([np.full(len(cell.nodes), cell.level) for cell in cells])
    return node_frame(table, drawn, {"level": level, "is_worst": np.isin(drawn, nodes)})


def _sentence(table, nodes, counts):
    column = NODE_COLUMNS[_value(table)].label.lower()
    listed = "; ".join(f"{table.taxonomy.title(node)} ({text})" for node, text in zip(nodes, counts, strict=True))
    drawn = f"Height is the number of samples of a class, colour is {column}"
    return f"Outlined: {listed}. {drawn}."
