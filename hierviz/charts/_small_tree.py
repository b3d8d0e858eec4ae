"""A small tree drawn whole, a column for each depth: names in boxes that are linked, or blocks as high as their probability."""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._blocks import (
    HAIRLINE,
    LEAD,
    LOW,
    LOWEST,
    MarginLabel,
    edges,
    inside_words,
    leaders,
    outside_width,
    placed_outside,
    stacked,
)
from hierviz.charts._canvas import boxes, hover, legend, texts
from hierviz.charts._compose import frame, layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._icicle import too_thin
from hierviz.charts._text import text_width
from hierviz.charts.theme import SIZE, SMALL, palette
from hierviz.messages.errors import PredictionsError
from hierviz.taxonomy.checks import check_taxonomy, checked_probabilities

# Pixels: a line of boxes, one with a value below the name, the space between columns; for a probability of 1, in wide and narrow
# drawings, at most for the labels of low blocks.
ROW, CROWDED, BETWEEN = 30, 44, 26
TALL, NARROW_TALL, LABELS = 320, 430, 190
WORDS = {
    "tp": "on both paths",
    "fp": "on the answer's path only",
    "fn": "on the true path only",
    "tn": "on neither path",
    "path": "in the answer",
}
# Before the name of a class: no meaning hangs on colour alone.
SIGNS = {"tp": "✓ ", "fp": "✗ ", "fn": "○ "}


def small_tree(taxonomy, *, truth=(), predicted=(), values=None, p=None, dark=None, width=1000):
    """All classes of a small tree, coloured by whether they are on the true path, on the answer's, on both or on neither.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree of at most some dozens of leaves.
    truth, predicted : int or sequence of int
        True and answered nodes; each represents its path.
    values : sequence of str, shape (n_nodes,), optional
        Written next to the names.
    p : ndarray of float, shape (n_nodes,), optional
        Node probabilities: each class is a block as high as its probability, inside its parent. Without it no length means
        anything: names are in boxes of one height, with lines from parents to children.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``node``, ``name``, ``depth``, ``kind`` ("tp", "fp", "fn", "tn", "path", "root"), and ``p`` where it is given.

    Raises
    ------
    PredictionsError
        If `p` has another length, or is no probability.
    """
    table = _table(taxonomy, truth, predicted)
    if p is not None:
        p = np.asarray(p, dtype=float)
        if p.shape != (taxonomy.n_nodes,):
            raise PredictionsError(
                f"p: expected shape ({taxonomy.n_nodes},), one sample, got {p.shape}. Pass one row of node probabilities."
            )
        table["p"] = checked_probabilities(taxonomy, p[None])[0]
    rows = table.to_dict("records")
    for row in rows:
        row["value"] = values[row["node"]] if values else ""
        row["said"] = SIGNS.get(row["kind"], "") + row["name"]
    draw = functools.partial(_drawn, taxonomy, rows, p is not None)
    return Figure(draw, table, lambda: _sentence(taxonomy, rows), dark, width)


def _drawn(taxonomy, rows, has_p, dark, width):
    look = palette(dark)
    width -= 8
    kinds = [kind for kind in WORDS if any(row["kind"] == kind for row in rows)]
    named = WORDS | ({"tn": "not in the answer"} if "path" in kinds else {})
    items = []
    if {"tp", "fp", "fn", "path"} & set(kinds):
        items = [
            {"kind": "box", "label": SIGNS.get(kind, "") + named[kind], "colour": look.outcome(kind)} for kind in kinds
        ]
    order = sorted(rows, key=lambda row: taxonomy.preorder[row["node"]])
    picture, notes = (_blocks if has_p else _boxes)(taxonomy, order, look, width)
    items += [{"kind": "note", "label": note} for note in notes]
    return vconcat(*([legend([(None, items)], width, dark=dark)] if items else []), picture, spacing=6)


def _tooltip(rows, places, width, height):
    titles = {"name": "Class", "what": "Where"} | ({"value": "Value"} if any(row["value"] for row in rows) else {})
    tips = [
        {**place, "name": row["name"], "what": WORDS.get(row["kind"], "root, never counted"), "value": row["value"]}
        for row, place in zip(rows, places, strict=True)
    ]
    return hover(tips, width, height, titles)


def _boxes(taxonomy, rows, look, width):
    """Boxes of one height with lines between them, and what the legend says of lengths: nothing."""
    top, wide = _places(taxonomy), (width + BETWEEN) / (taxonomy.max_depth + 1)
    between = min(BETWEEN, 0.2 * wide)
    # Where a name and its value have no room side by side, the value is below.
    is_crowded = any(
        row["value"]
        and text_width(row["said"], SIZE, bold=True) + text_width(row["value"], SIZE, bold=True) + 24 > wide - between
        for row in rows
    )
    step = CROWDED if is_crowded else ROW
    places, lines, words = {}, [], []
    for row in rows:
        node = row["node"]
        x, middle = wide * row["depth"], step * (top[node] + taxonomy.n_leaves_below[node] / 2)
        place = {"x": x, "x2": min(x + wide - between, width), "y": middle - step / 2 + 3, "y2": middle + step / 2 - 3}
        places[node] = place
        words += _inside(row, place, look)
        if row["depth"]:
            above = places[int(taxonomy.parent[node])]
            start, bend = (above["y"] + above["y2"]) / 2, x - between / 2
            pieces = ((above["x2"], bend, start, start), (bend, bend, start, middle), (bend, x, middle, middle))
            lines += [dict(zip(("x", "x2", "y", "y2"), piece), colour=look.axis) for piece in pieces]
    height = step * taxonomy.n_leaves
    drawn = layer(
        *([leaders(lines, width, height)] if lines else []),
        boxes([{**places[row["node"]], "colour": look.outcome(row["kind"])} for row in rows], width, height),
        texts(words, width, height),
        _tooltip(rows, [places[row["node"]] for row in rows], width, height),
    )
    return drawn.properties(width=width, height=height), ()


def _blocks(taxonomy, rows, look, width):
    """Blocks as high as p, the labels of low ones on their right, and what heights mean."""
    scale = (NARROW_TALL if width < 500 else TALL) / max(1.0, float(np.nanmax([row["p"] for row in rows])))
    number = {row["node"]: i for i, row in enumerate(rows)}
    parents = [number[int(taxonomy.parent[row["node"]])] if row["depth"] else -1 for row in rows]
    exact = [scale * (row["p"] if row["p"] > 0 else 0.0) for row in rows]
    is_shown = [row["kind"] != "tn" or of >= HAIRLINE for row, of in zip(rows, exact, strict=True)]
    tall = [max(of, HAIRLINE) if shown else 0.0 for of, shown in zip(exact, is_shown, strict=True)]
    start, room = stacked(parents, tall)
    height, most = room[0], min(LABELS, 0.3 * width)
    shown = [(row, y, t) for row, y, t in zip(rows, start, tall, strict=True) if t]
    # Labels take room from the blocks, which then hold fewer words.
    right, labels = width, [None]
    while labels and right >= width - most:
        places, words, labels = _placed(taxonomy, shown, right, look, most)
        if right < width or not labels:
            break
        right = width - outside_width(labels, most)
    outside, bent, _ = placed_outside(labels, right, width, height, look.muted)
    columns: dict = {}
    for (row, _, _), place in zip(shown, places, strict=True):
        columns.setdefault(row["depth"], []).append(place)
    lines = [*edges(columns.values(), look.background), *bent]
    cells = [{**place, "colour": look.outcome(row["kind"])} for (row, _, _), place in zip(shown, places, strict=True)]
    drawn = layer(
        boxes(cells, width, height, radius=0),
        *([leaders(lines, width, height)] if lines else []),
        texts(words + outside, width, height),
        _tooltip([row for row, _, _ in shown], places, width, height),
    )
    return drawn.properties(width=width, height=height), list(_notes(rows, parents, exact, is_shown))


def _placed(taxonomy, shown, right, look, most):
    """Places of the blocks, the words inside them, and the labels of those that hold none."""
    wide, places, words, labels = right / (taxonomy.max_depth + 1), [], [], []
    for row, y, t in shown:
        place = {"x": wide * row["depth"], "x2": wide * (row["depth"] + 1) - 3, "y": y, "y2": y + t}
        places.append(place)
        inside = (_inside(row, place, look) if t >= LOW else []) or _beside(taxonomy, row, place, look, right)
        words += inside
        if not inside:
            labels.append(_outside(row, place, look, most))
    return places, words, labels


def _beside(taxonomy, row, place, look, right):
    """The words of a leaf next to its block, where the columns of deeper classes leave room."""
    said, x = f"{row['said']} {row['value']}", place["x2"] + 7
    if (
        not taxonomy.is_leaf[row["node"]]
        or place["y2"] - place["y"] < LOWEST
        or x + text_width(said, SIZE, True) > right
    ):
        return []
    return [{"x": x, "y": (place["y"] + place["y2"]) / 2, "text": said, "colour": look.ink, "weight": 600}]


def _inside(row, place, look):
    # A sign stays next to its name.
    name = row["said"].replace(" ", "\u00a0", 1) if row["kind"] in SIGNS else row["said"]
    made = inside_words(place, name, row["value"], look.text_on(row["kind"]), bold=True)
    return [{**word, "text": word["text"].replace("\u00a0", " ")} for word in made]


def _notes(rows, parents, exact, is_shown):
    """What heights mean, and what they cannot show."""
    yield "height: p"
    hidden = [row["name"] for row, shown in zip(rows, is_shown, strict=True) if not shown]
    if hidden:
        yield f"too thin to draw: {', '.join(hidden)}"
    inside = np.bincount(np.array(parents[1:], int), exact[1:], len(rows)) if len(rows) > 1 else np.zeros(1)
    if (inside > np.array(exact) + HAIRLINE).any():
        yield "these classes do not exclude each other: together they are higher than the class they are in"


def _outside(row, place, look, width):
    lines = [{"text": row["said"], "more": f" {row['value']}", "colour": look.ink, "weight": 600}]
    if place["y2"] - place["y"] <= HAIRLINE and row["kind"] != "tn":
        lines.append({"text": too_thin(width - LEAD - 4), "colour": look.muted, "size": SMALL})
    return MarginLabel(place["x2"], (place["y"] + place["y2"]) / 2, lines, -row["p"])


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
