"""Where in the taxonomy one model is better than another: an icicle, coloured where the difference is clear.

Depth from left to right, height by the samples below each class. Blue: B gains; orange: B loses; what is not clear, or is
explained by another class, is pale; what is not tested is grey. Classes with a clear difference are drawn however low they are.
"""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._blocks import MarginLabel, edges, inside_words, leaders, outside_width, placed_outside
from hierviz.charts._canvas import boxes, hover, legend, texts
from hierviz.charts._compose import layer, vconcat
from hierviz.charts._value_colours import mixed, text_on
from hierviz.charts.subtree_layout import HEIGHT, LEAST, subtree_cells
from hierviz.charts.theme import palette
from hierviz.charts.zoom_layout import icicle_rectangles
from hierviz.charts.zoom_record import LOOKS, ZoomFigure, zoom_record
from hierviz.comparison._difference_tree import DifferenceTree
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import probability_text, value_text
from hierviz.metrics.registry import METRICS
from hierviz.taxonomy.checks import check_kind, check_whole
from hierviz.taxonomy.positions import check_position

# Selection that a click makes; pixels between columns, of labels at the right, and below which there are few columns.
CLICKED, GAP, LABELS, SHARE, NARROW = "node", 2, 260, 0.26, 500
# Classes that are drawn in any case, how much of a colour is left where it is not clear, and the smallest end of the scale.
ALWAYS, PALE, LEAST_SPAN = 12, 0.22, 0.02


def difference_tree(found, root=0, *, chosen=None, height=HEIGHT, dark=None, width=1000):
    """Icicle of the difference of two models in every class.

    Parameters
    ----------
    found : DifferenceTree
    root : int
        Top of the subtree that is drawn.
    chosen : int, optional
        Class that is outlined.
    height : int
        Pixels of the cells.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: that of `DifferenceTree.to_frame`, all classes with samples. In a notebook and in a report it is one that
        can be zoomed into: all classes, drawn where there is room. In its chart a click on a class selects its name as
        ``target`` of `node`.

    Raises
    ------
    PredictionsError
        If `found` is no DifferenceTree, or no sample has a truth in this subtree.
    """
    check_kind("found", found, DifferenceTree, "hierviz.comparison.difference_tree makes it.")
    check_whole("height", height, 100)
    check_position("root", root, found.taxonomy.n_nodes, "node number")
    if not found.n[root]:
        raise PredictionsError(
            f"difference tree: expected samples with a truth below {found.taxonomy.names[root]!r}, got none. "
            "Choose a class above it."
        )
    draw = functools.partial(_drawn, found, root, chosen, height)
    zoom = {"record": functools.partial(_record, found), "start": found.taxonomy.names[root], "height": height}
    return ZoomFigure(draw, found.to_frame, lambda: found.sentence, dark, width, **zoom)


def _record(found):
    """The record of all classes, to zoom into; clear ones are marked, none is outlined."""
    layout = icicle_rectangles(found.taxonomy, found.n)
    nodes = layout.rows.node.tolist()
    span = _span(found, layout.rows.node)
    fills = {look: [_fill(found, node, span, palette(dark)) for node in nodes] for look, dark in LOOKS.items()}
    told = [_tips_of(found, node) for node in nodes]
    words = {
        "said": [_difference(found, node) if _is_shown(found, node) else "" for node in nodes],
        "count": [f"{found.n[node]:,} samples" for node in nodes],
        "tips": {title: [one[key] for one in told] for key, title in TITLES.items() if key != "tip"},
    }

    def legend(dark):
        return [_items(found, span, palette(dark))]

    made = zoom_record(
        "icicle", found.taxonomy, layout, fills, words, legend=legend, marked=found.clear, file="difference-tree"
    )
    return made | {"outlined": -1}


def _drawn(found, root, chosen, height, dark, width):
    look, taxonomy, width = palette(dark), found.taxonomy, width - 4
    inside = np.isin(found.clear, taxonomy.subtree(root))
    always = found.clear[inside & (found.clear != root)][: ALWAYS if width >= NARROW else 2].tolist()
    levels = 2 if width < NARROW else 3 if width < 800 else 4
    badness = np.where(found.is_flagged, 1.0, 0.0) + np.nan_to_num(np.abs(found.gain))
    cells = subtree_cells(taxonomy, found.n, root, levels=levels, height=height, worst=always, badness=badness)
    span = _span(found, np.array([int(cell.nodes[0]) for cell in cells if not cell.is_others]))
    low = [_label(found, cell, {"x2": 0.0, "y": 0.0, "y2": 0.0}, look) for cell in cells if cell.height < LEAST]
    right = width - outside_width(low, min(LABELS, (1.3 if width < NARROW else 1) * SHARE * width))
    n_levels = max(cell.level for cell in cells) + 1
    first = min(right / n_levels, 130, (0.18 if width < NARROW else 0.24) * right) if n_levels > 1 else right
    left = [0.0] + [first + (right - first) * i / max(n_levels - 1, 1) for i in range(n_levels)]
    rows, words, hovers, outlines, columns, labels = [], [], [], [], {}, []
    for cell in cells:
        place = {
            "x": left[cell.level],
            "x2": left[cell.level + 1] - GAP,
            "y": cell.top,
            "y2": cell.top + cell.height,
        }
        columns.setdefault(cell.level, []).append(place)
        node = None if cell.is_others else int(cell.nodes[0])
        fill = look.others if node is None else _fill(found, node, span, look)
        rows.append({**place, "colour": fill})
        if cell.height < LEAST:
            labels.append(_label(found, cell, place, look))
        else:
            said = "" if node is None or not _is_shown(found, node) else _difference(found, node)
            is_clear = node is not None and node in found.clear
            words += inside_words(place, _name(found, cell), said, text_on(fill), bold=is_clear)
        if node is not None and node == chosen:
            inset = {key: place[key] + shift for key, shift in (("x", 1.5), ("x2", -1.5), ("y", 1.5), ("y2", -1.5))}
            outlines.append({**inset, "colour": "transparent", "stroke": look.ink, "line": 3})
        hovers.append({**place, **_tips(found, cell), "cursor": "default" if node is None else "pointer"})
    outside, bent, _ = placed_outside(labels, right, width, height, look.muted)
    lines = [*edges(columns.values(), look.background), *bent]
    drawing = layer(
        boxes(rows, width, height, radius=0),
        *([leaders(lines, width, height)] if lines else []),
        *([boxes(outlines, width, height, radius=0)] if outlines else []),
        *([texts(words + outside, width, height)] if words or outside else []),
        hover(hovers, width, height, TITLES, CLICKED, "target"),
    ).properties(width=width, height=height)
    return vconcat(legend([_items(found, span, look)], width, dark=dark), drawing, spacing=6)


TITLES = {
    "tip": "Class",
    "verdict": "Verdict",
    "difference": "Difference",
    "interval": "Interval",
    "values": "A, B",
    "samples": "Samples",
    "p": "Corrected p",
}


def _span(found, nodes):
    """End of the scale: the largest clear difference of the nodes that are drawn, else the largest tested one."""
    gains = np.abs(found.gain[nodes])
    for some in (np.isin(nodes, found.clear), np.isfinite(found.p_value[nodes]) & (nodes != 0)):
        if some.any():
            return max(float(gains[some].max()), LEAST_SPAN)
    return LEAST_SPAN


def _fill(found, node, span, look):
    """Colour of a class: full where the difference is clear, pale where not, grey where it is not tested."""
    if node == 0 or np.isnan(found.p_value[node]):
        return look.others
    gain = float(found.gain[node])
    end = look.path if gain >= 0 else look.fp
    full = mixed(look.tn, end, 0.25 + 0.75 * min(abs(gain) / span, 1.0)) if gain else look.tn
    return full if node in found.clear else mixed(look.background, full, PALE)


def _items(found, span, look):
    a, b = found.names
    zero = mixed(look.background, look.tn, PALE)
    items = [
        {"kind": "box", "label": f"{b} gains", "colour": mixed(look.tn, look.path, 1.0)},
        {"kind": "box", "label": f"{b} loses (full colour: {_plain(found, span)} or more)", "colour": look.fp},
        {"kind": "box", "label": "pale: not clear, or explained by another class", "colour": zero},
        {"kind": "box", "label": "not tested", "colour": look.others},
        {"kind": "note", "label": "height: samples"},
    ]
    return f"{METRICS[found.metric].label}, {b} less {a}:", items


def _plain(found, span):
    return found.difference_text(span).removeprefix("+") if METRICS[found.metric].is_share else value_text(span)


def _is_shown(found, node):
    return node != 0 and bool(np.isfinite(found.p_value[node]))


def _difference(found, node):
    return found.difference_text(float(found.difference[node])).removesuffix(" points")


def _name(found, cell):
    return f"{len(cell.nodes):,} others" if cell.is_others else found.taxonomy.title(int(cell.nodes[0]))


def _label(found, cell, place, look):
    """The label of a low cell, next to the drawing."""
    node = int(cell.nodes[0])
    line = {
        "text": _name(found, cell),
        "more": f" {_difference(found, node)}" if _is_shown(found, node) else "",
        "colour": look.ink,
        "weight": 600 if node in found.clear else "normal",
    }
    return MarginLabel(
        place["x2"], (place["y"] + place["y2"]) / 2, [line], float(np.nan_to_num(found.p_value[node], nan=2))
    )


def _tips(found, cell):
    """What a pointer on a cell is told."""
    if cell.is_others:
        names = [found.taxonomy.title(node) for node in cell.nodes[:6].tolist()]
        more = len(cell.nodes) - len(names)
        several = {"tip": ", ".join(names) + (f" and {more:,} more" if more else ""), "target": ""}
        return dict.fromkeys(TITLES, "") | several
    return _tips_of(found, int(cell.nodes[0]))


def _tips_of(found, node):
    """What is told of a class."""
    a, b = found.names
    said, values = found.difference_text, [value_text(float(of[node])) for of in (found.value_a, found.value_b)]
    has_interval = np.isfinite(found.lower[node])
    return {
        "tip": found.taxonomy.title(node),
        "verdict": found.verdict(node) or "all samples",
        "difference": said(float(found.difference[node])),
        "interval": f"{said(float(found.lower[node]))} to {said(float(found.upper[node]))}" if has_interval else "–",
        "values": f"{a} {values[0]}, {b} {values[1]}",
        "samples": f"{found.n[node]:,}, different on {found.n_differ[node]:,}",
        "p": probability_text(float(found.p_adjusted[node])),
        "target": found.taxonomy.names[node],
    }
