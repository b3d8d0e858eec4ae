"""A small tree drawn whole: a column for each depth, every class as tall as its leaves, with a value next to its name."""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._canvas import boxes, hover, legend, texts
from hierviz.charts._compose import frame, layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import SIZE, palette
from hierviz.taxonomy.checks import check_taxonomy

ROW, CROWDED = 30, 42
WORDS = {
    "tp": "on both paths",
    "fp": "on the answer's path only",
    "fn": "on the true path only",
    "tn": "on neither path",
    "path": "in the answer",
}
# Before the name of a class: no meaning hangs on colour alone.
SIGNS = {"tp": "✓ ", "fp": "✗ ", "fn": "○ "}


def small_tree(taxonomy, *, truth=(), predicted=(), values=None, dark=None, width=1000):
    """All classes of a small tree, coloured by whether they are on the true path, on the answer's, on both or on neither.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree of at most some dozens of leaves.
    truth, predicted : int or sequence of int
        True and answered nodes; each represents its path.
    values : sequence of str, shape (n_nodes,), optional
        Written next to the names.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``node``, ``name``, ``depth``, ``kind`` ("tp", "fp", "fn", "tn", "path", "root").
    """
    table = _table(taxonomy, truth, predicted)
    rows = table.to_dict("records")
    draw = functools.partial(_drawn, taxonomy, rows, values)
    return Figure(draw, table, lambda: _sentence(taxonomy, rows), dark, width)


def _drawn(taxonomy, rows, values, dark, width):
    look = palette(dark)
    width -= 8
    kinds = [kind for kind in WORDS if any(row["kind"] == kind for row in rows)]
    named = WORDS | ({"tn": "not in the answer"} if "path" in kinds else {})
    items = [
        {"kind": "box", "label": SIGNS.get(kind, "") + named[kind], "colour": look.outcome(kind)} for kind in kinds
    ]
    top, wide = _places(taxonomy), width / (taxonomy.max_depth + 1)
    # Where a name and its value have no room side by side, the value is below.
    tall_row = CROWDED if values and wide < 120 else ROW
    shapes, words, tips = [], [], []
    for row in rows:
        node, fill = row["node"], look.outcome(row["kind"])
        x, y = wide * row["depth"], tall_row * top[node]
        y2 = y + tall_row * taxonomy.n_leaves_below[node]
        place = {"x": x, "x2": x + wide - 3, "y": y, "y2": y2 - 3}
        shapes.append({**place, "colour": fill})
        ink, value = look.text_on(row["kind"]), values[node] if values else ""
        middle, room = (y + y2 - 3) / 2, wide - 17
        beside = value and text_width(row["name"], SIZE) + text_width(value, SIZE) + 34 < wide
        tall = not beside and y2 - y > CROWDED - 2
        name = SIGNS.get(row["kind"], "") + row["name"]
        name = shorten(name, room - (text_width(value, SIZE) + 8 if value and not tall else 0), SIZE)
        at = {"x": x + 7, "y": middle - 8 if value and tall else middle}
        words.append(at | {"text": name, "colour": ink, "weight": 600})
        if value:
            at = {"x": x + 7, "y": middle + 9} if tall else {"x": x + wide - 10, "y": middle, "align": "right"}
            words.append({**at, "text": value, "colour": ink})
        what = WORDS.get(row["kind"], "root, never counted")
        tips.append({**place, "name": row["name"], "what": what, "value": value})
    height = tall_row * taxonomy.n_leaves
    tooltip = {"name": "Class", "what": "Where"} | ({"value": "Value"} if values else {})
    drawn = layer(boxes(shapes, width, height), texts(words, width, height), hover(tips, width, height, tooltip))
    of_colours = [legend([(None, items)], width, dark=dark)] if {"tp", "fp", "fn", "path"} & set(kinds) else []
    return vconcat(*of_colours, drawn.properties(width=width, height=height), spacing=6)


def _places(taxonomy):
    """Leaves that are above each node, counted in preorder."""
    order = np.argsort(taxonomy.preorder)
    is_leaf = taxonomy.is_leaf[order]
    above = np.empty(taxonomy.n_nodes, int)
    above[order] = np.cumsum(is_leaf) - is_leaf
    return above


def _table(taxonomy, truth, predicted):
    check_taxonomy(taxonomy)
    on_truth, on_answer = (
        {int(above) for node in np.atleast_1d(np.array(nodes, int)) for above in taxonomy.path(int(node))}
        for nodes in (truth, predicted)
    )
    # Of a class: whether it is on the true path, and on the answer's.
    kinds = {(True, True): "tp", (False, True): "fp" if on_truth else "path", (True, False): "fn", (False, False): "tn"}
    every = range(taxonomy.n_nodes)
    of_nodes = ["root", *(kinds[node in on_truth, node in on_answer] for node in every[1:])]
    columns = {"node": list(every), "name": list(map(taxonomy.title, every)), "depth": taxonomy.depth}
    return frame(columns | {"kind": of_nodes})


def _sentence(taxonomy, rows):
    """One plain sentence: which classes are on both paths, and which on one of them."""
    named = {kind: [row["name"] for row in rows if row["kind"] == kind] for kind in ("tp", "fp", "fn", "path")}
    parts = [f"{WORDS[kind]}: {', '.join(names)}" for kind, names in named.items() if names]
    text = "; ".join(parts) or f"{taxonomy.n_nodes} classes, {taxonomy.n_leaves} of them leaves"
    return text[0].upper() + text[1:] + "."
