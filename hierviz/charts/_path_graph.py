"""The paths of one sample in a graph, or of several answers and truths: layers of nodes with the edges between them.

A node is one layer behind the last of its drawn parents. Its colour is its outcome: on a matched true and predicted path,
on a predicted path only, or on a true path only; edges of a path are thick, those of true paths are dashed where no answer
runs along them. Parents that are not drawn are named.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import altair as alt
import numpy as np

from hierviz.charts._canvas import boxes, hover, legend, position, texts
from hierviz.charts._compose import frame, layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._probability_tree import LONG
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import SIZE, SMALL, palette
from hierviz.messages.number_text import probability_text
from hierviz.metrics.confusion.confusion_counts import SamplePairs

# Pixels of a layer, of a box, and from one box to the next.
NARROWEST, WIDEST, BOX, STEP = 104, 260, 34, 54
# From this width names may be cut, since the whole name is in the tooltip; phones have none.
ROOMY = 500
# Leaves off the paths that are drawn: so many, and their least probability.
LIKELIEST, LEAST_P = 3, 0.05
TOOLTIP = {"name": "Node", "tip_p": "p", "tip_outcome": "Outcome", "parents": "Parents"}


@dataclass(frozen=True)
class _Drawn:
    """What is drawn: rows (dict a node, in layers), edges (parent node, child node, kind)."""

    rows: list
    edges: list


def path_graph(taxonomy, confusion, row, *, p=None, truth=(), predicted=(), nodes=(), dark=None, width=1000):
    """Predicted and true paths of one sample as a layered graph.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    confusion : PathConfusion, optional
        From `hierviz.confusion` of lists, or on a graph. None: no paths, only what the other arguments name.
    row : int
        The sample in `confusion`.
    p : ndarray of float, shape (n_nodes,), optional
        Node probabilities, which are written next to the names. The `LIKELIEST` most probable leaves off the paths are drawn
        too, from `LEAST_P` on, with a shortest path each.
    truth, predicted : sequence of int
        Further true and answered nodes that are marked: those above others, on whose paths they lie.
    nodes : sequence of int
        Further nodes that are drawn.
    dark : bool, optional
    width : int
        Pixels. Where the layers have no room next to each other, each node has a line of its own.

    Returns
    -------
    Figure
        Its table: one row a node, ``node``, ``name``, ``layer``, ``outcome``, ``tag``, ``p``, and ``parents``,
        of which those in ``hidden_parents`` are not drawn.
    """
    drawn = _nodes_and_edges(taxonomy, confusion, row, p, truth, predicted, nodes)
    keys = ("node", "name", "layer", "outcome", "tag", "p", "parents", "hidden_parents")
    table = frame([{key: one[key] for key in keys} for one in drawn.rows])
    draw = functools.partial(_drawn, drawn, confusion is not None)
    return Figure(draw, table, lambda: _sentence(confusion, row, drawn.rows), dark, width)


def _drawn(drawn, has_paths, dark, width):
    look = palette(dark)
    width -= 8
    layers = max(one["layer"] for one in drawn.rows) + 1
    across = layers * NARROWEST <= width and (width >= ROOMY or _has_room(drawn.rows, layers, width))
    place = _in_layers(drawn.rows, layers, width) if across else _in_lines(drawn.rows, width)
    height = max(y for _, y, _ in place.values()) + BOX / 2 + 22
    cells, words, tips = [], [], []
    for one in drawn.rows:
        x, y, wide = place[one["node"]]
        _cell(one, x, y, wide, look, cells, words)
        tips.append({"x": x, "x2": x + wide, "y": y - BOX / 2, "y2": y + BOX / 2} | {key: one[key] for key in TOOLTIP})
    drawing = layer(
        *_lines(drawn.edges, place, look, width, height, across),
        boxes(cells, width, height, radius=6),
        texts(words, width, height, halo=None),
        hover(tips, width, height, TOOLTIP),
    ).properties(width=width, height=height)
    present = [one["outcome"] for one in drawn.rows] if has_paths else []
    items = [{"kind": "box", "label": LONG[key], "colour": look.outcome(key)} for key in LONG if key in present]
    items.append({"kind": "outline", "label": "outlined: true class", "colour": look.ink})
    if has_paths:
        items.append({"kind": "line", "label": "on an answer's path", "colour": look.ink})
        items.append({"kind": "dashed", "label": "on a true path only", "colour": look.ink})
    return vconcat(legend([(None, items)], width, dark=dark), drawing, spacing=8)


def _sentence(confusion, row, rows):
    """One plain sentence: how many paths are matched, and which parents are not drawn."""
    pairs = confusion.pairs(row)
    n_answers, n_truths = len(pairs.pairs) + len(pairs.surplus), len(pairs.pairs) + len(pairs.left_over)
    text = f"{_count(n_answers, 'predicted path')} and {_count(n_truths, 'true path')}: {len(pairs.pairs)} matched"
    if pairs.surplus:
        text += f", {_count(len(pairs.surplus), 'answer')} without a truth left"
    if pairs.left_over:
        text += f", {_count(len(pairs.left_over), 'truth')} without an answer left"
    if all(len(path) == 1 for path in (*(pair.predicted for pair in pairs.pairs), *pairs.surplus)):
        text = f"No path is predicted; {_count(n_truths, 'true path')} {'is' if n_truths == 1 else 'are'} missed"
    hidden = [f"{one['name']} is also under {one['hidden_parents']}" for one in rows if one["hidden_parents"]]
    more = f" Parents that are not drawn: {'; '.join(hidden[:6])}" if hidden else ""
    more += f"; and of {len(hidden) - 6} more nodes" if len(hidden) > 6 else ""
    return f"{text}.{more}{'.' if more else ''}"


def _count(n, what):
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _nodes_and_edges(taxonomy, confusion, row, p, more_true, more_answers, nodes):
    pairs = SamplePairs((), (), ()) if confusion is None else confusion.pairs(row)
    predicted = [pair.predicted for pair in pairs.pairs] + list(pairs.surplus)
    true = [pair.true for pair in pairs.pairs] + list(pairs.left_over)
    tags = _tags(predicted, true, len(pairs.pairs))
    for what, listed in (("answer", more_answers), ("truth", more_true)):
        for node in (int(node) for node in listed if node >= 0):
            if not any(tag.startswith(what) for tag in tags.get(node, ())):
                tags.setdefault(node, []).append(what)
    true_nodes = {int(path[-1]) for path in true} | {int(node) for node in more_true}
    on_answer, on_truth = (
        {node for path in paths for node in path.tolist() if node >= 0} for paths in (predicted, true)
    )
    matched = {node for pair in pairs.pairs for node in pair.tp.tolist()}
    nodes = on_answer | on_truth | {0} | {int(node) for node in nodes}
    for leaf in _likely(taxonomy, p, nodes):
        nodes |= set(_one_path(taxonomy, leaf))
    ordered = sorted(nodes)
    parents = {node: [one for one in taxonomy.parents[node].tolist() if one in nodes] for node in ordered}
    layers = {}
    # Parents come before children.
    for node in ordered:
        layers[node] = 1 + max((layers[parent] for parent in parents[node]), default=-1)
    steps = [
        {(a, b) for path in paths for a, b in zip(path.tolist(), path[1:].tolist())} for paths in (predicted, true)
    ]
    rows = []
    for node in ordered:
        outcome = "root" if node == 0 else "tp" if node in matched else ""
        outcome = outcome or ("fp" if node in on_answer else "fn" if node in on_truth else "tn")
        all_parents = taxonomy.parents[node].tolist()
        hidden = [taxonomy.title(one) for one in all_parents if one not in nodes]
        value = None if p is None else float(p[node])
        rows.append(
            {"node": node, "name": taxonomy.title(node), "layer": layers[node], "outcome": outcome}
            | {"tag": ", ".join(tags.get(node, ())), "p": value, "is_true": node in true_nodes}
            | {"parents": ", ".join(map(taxonomy.title, all_parents)) or "–", "hidden_parents": ", ".join(hidden)}
            | {"n_hidden": len(hidden), "drawn_parents": parents[node], "tip_outcome": LONG[outcome]}
            | {"tip_p": "–" if value is None else f"{value:.6g}"}
        )
    edges = [
        (parent, node, "answer" if (parent, node) in steps[0] else "truth" if (parent, node) in steps[1] else "")
        for node in ordered
        for parent in parents[node]
    ]
    return _Drawn(rows, edges)


def _tags(predicted, true, n_pairs):
    """What is written at the ends of the paths: which answer is judged by which truth."""
    tags = {}
    for what, paths in (("answer", predicted), ("truth", true)):
        for number, path in enumerate(paths):
            several = max(len(predicted), len(true)) > 1
            label = what + (f" {number + 1}" if several and number < n_pairs else " without match" if several else "")
            if path[-1] >= 0:
                tags.setdefault(int(path[-1]), []).append(label)
    return tags


def _likely(taxonomy, p, nodes):
    """The most probable leaves that are not drawn yet."""
    if p is None:
        return []
    leaves = taxonomy.leaves
    ranked = leaves[np.argsort(-np.nan_to_num(np.asarray(p)[leaves]), kind="stable")][: LIKELIEST + len(nodes)].tolist()
    return [leaf for leaf in ranked if leaf not in nodes and p[leaf] >= LEAST_P][:LIKELIEST]


def _one_path(taxonomy, node):
    """A shortest path from a node up to the root."""
    path = [node]
    while path[-1]:
        parents = taxonomy.parents[path[-1]]
        path.append(int(parents[np.argmin(taxonomy.depth[parents])]))
    return path


def _has_room(rows, layers, width):
    """Whether all names fit into their boxes in layers side by side."""
    return max(text_width(one["name"], SIZE, True) for one in rows) <= _box_width(layers, width) - 16


def _box_width(layers, width):
    return min(WIDEST, width / layers - 28)


def _in_layers(rows, layers, width):
    """(left, middle, width) of each node: layers side by side, in a layer in the order of the parents' middles."""
    step, wide = width / layers, _box_width(layers, width)
    middles, place = {}, {}
    by_layer = [[one for one in rows if one["layer"] == k] for k in range(layers)]
    tallest = max(map(len, by_layer))
    for k, together in enumerate(by_layer):
        order = sorted(
            together,
            key=lambda one: (np.mean([middles[parent] for parent in one["drawn_parents"]] or [0]), one["node"]),
        )
        gap = tallest * STEP / len(order)
        for i, one in enumerate(order):
            middles[one["node"]] = BOX / 2 + 4 + gap * (i + 0.5) - STEP / 2 + BOX / 4
            place[one["node"]] = (k * step + 1, middles[one["node"]], wide)
    return place


def _in_lines(rows, width):
    """(left, middle, width) of each node: one below the other, each below its last drawn parent, indented by its layer."""
    children, order = {}, []
    for one in rows:
        children.setdefault(max(one["drawn_parents"], default=-1), []).append(one)
    stack = list(reversed(children[-1]))
    while stack:
        one = stack.pop()
        order.append(one)
        stack += reversed(children.get(one["node"], []))
    deepest = max(one["layer"] for one in rows)
    indent = min(18, width * 0.35 / max(1, deepest))
    return {
        one["node"]: (1 + indent * one["layer"], BOX / 2 + 4 + (BOX + 16) * i, width - 2 - indent * one["layer"])
        for i, one in enumerate(order)
    }


def _cell(one, x, y, wide, look, cells, words):
    outcome = one["outcome"]
    ink = look.text_on(outcome)
    box = {"x": x, "x2": x + wide, "y": y - BOX / 2, "y2": y + BOX / 2}
    cells.append({**box, "colour": look.outcome(outcome)})
    if one["is_true"]:
        inside = {"x": x + 1, "x2": x + wide - 1, "y": y - BOX / 2 + 1, "y2": y + BOX / 2 - 1}
        cells.append({**inside, "colour": "transparent", "stroke": look.ink, "line": 2.5})
    number = "" if one["p"] is None else probability_text(one["p"])
    tagged = bool(one["tag"])
    weight, of_number = (600 if tagged else "normal"), text_width(number, SIZE, True) + 6 if number else 0
    # Next to a long name there is no room for the number: it goes to the line below.
    is_below = text_width(one["name"], SIZE, tagged) > wide - 16 - of_number
    has_lines = tagged or (is_below and number)
    room = wide - 16 - (0 if is_below else of_number)
    name = shorten(one["name"], room, SIZE, tagged)
    words.append({"x": x + 8, "y": y - (7 if has_lines else 0), "text": name, "colour": ink, "limit": room + 6}
                 | {"weight": weight})  # fmt: skip
    if tagged:
        room = wide - 16 - (of_number if is_below else 0)
        tag = shorten(one["tag"], room, SMALL)
        words.append({"x": x + 8, "y": y + 8, "text": tag, "colour": ink, "size": SMALL, "limit": room + 8})
    if number:
        height = 8 if is_below else -7 if tagged else 0
        right = {"x": x + wide - 8, "y": y + height, "align": "right", "weight": 600}
        words.append({**right, "text": number, "colour": ink})
    if one["hidden_parents"]:
        said = f"also under {one['hidden_parents']}"
        if text_width(said, SMALL) > wide:
            said = f"also under {one['n_hidden']} not drawn" if one["n_hidden"] > 1 else shorten(said, wide, SMALL)
        words.append(
            {"x": x + 12, "y": y + BOX / 2 + 8, "text": said, "colour": look.muted, "size": SMALL, "limit": wide + 24}
        )


def _lines(edges, place, look, width, height, across):
    """Edges in three layers: thin ones, dashed true ones, full ones of answers."""
    for kind in ("", "truth", "answer"):
        rows = []
        for number, (parent, child, of_kind) in enumerate(edges):
            if of_kind != kind:
                continue
            for order, (x, y) in enumerate(_bends(place[parent], place[child], across)):
                rows.append({"edge": number, "order": order, "x": x, "y": y})
        if rows:
            look_of = {"strokeWidth": 3 if kind else 1.2, "color": look.ink if kind else look.axis}
            look_of |= {"strokeDash": [5, 4]} if kind == "truth" else {}
            yield (
                alt.Chart(frame(rows))
                .mark_line(interpolate="basis" if across else "linear", tooltip=None, aria=False, **look_of)
                .encode(
                    position("x", width),
                    position("y", height, axis="y"),
                    order=alt.Order("order:Q"),
                    detail=alt.Detail("edge:N"),
                )
            )


def _bends(parent, child, across):
    (x, y, wide), (x2, y2, _) = parent, child
    if not across:
        return [(x + 6, y + BOX / 2), (x + 6, y2), (x2, y2)]
    x += wide
    half = (x + x2) / 2
    return [(x, y), (half, y), (half, y2), (x2, y2)]
