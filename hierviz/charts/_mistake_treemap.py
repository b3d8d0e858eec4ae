"""Treemap of the mistakes below a class: area by their number, colour by the share of answers that are right.

Up to three levels are drawn: the children of a class, and inside them theirs, where there is room. Samples that are labelled
with an inner class have a cell of their own. What would be too small to be seen is grouped as "others". In a graph a class
is under each of its parents; where samples have several true classes, children share the area of their parent.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from hierviz.charts._figure import Figure
from hierviz.charts._subtree_icicle import node_frame
from hierviz.charts._text import shorten, text_width, wrap_words
from hierviz.charts._value_colours import drawing_of_cells, value_colours
from hierviz.charts.theme import SIZE, palette
from hierviz.diagnosis._node_table import NODE_COLUMNS, cost_key, number_text_of
from hierviz.messages.errors import PredictionsError


def squarified(sizes, x, y, width, height):
    """Rectangles (x, y, width, height) that fill a rectangle, one for each of some sizes above 0, the largest first [1]_.

    Parameters
    ----------
    sizes : sequence of float
        Descending.
    x, y, width, height : float
        The rectangle to fill, pixels.

    Returns
    -------
    list of tuple of float
        In the order of the sizes.
    """
    total = float(sum(sizes))
    if not total or width <= 0 or height <= 0:
        return []
    areas = [size * width * height / total for size in sizes]
    # Strips are shares of what is left, so that the last one ends where the rectangle does.
    left = [math.fsum(areas[start:]) for start in range(len(areas))]
    placed, start = [], 0
    while start < len(areas):
        short = min(width, height)
        end, area = start + 1, areas[start]
        # A strip along the short side takes in rectangles as long as the worst of them gets no longer.
        while end < len(areas) and _longest(areas[start], areas[end], area + areas[end], short) <= _longest(
            areas[start], areas[end - 1], area, short
        ):
            area += areas[end]
            end += 1
        area = math.fsum(areas[start:end])
        thick, at = max(width, height) * min(area / left[start], 1.0), 0.0
        for one in areas[start:end]:
            long = short * one / area
            placed.append((x, y + at, thick, long) if width >= height else (x + at, y, long, thick))
            at += long
        if width >= height:
            x, width = x + thick, max(width - thick, 0.0)
        else:
            y, height = y + thick, max(height - thick, 0.0)
        if end < len(areas) and min(width, height) <= 0:
            placed += [(x, y, 0.0, 0.0)] * (len(areas) - end)
            break
        start = end
    return placed


def _longest(largest, smallest, area, short):
    """The largest ratio of sides among the rectangles of a strip."""
    return max(short**2 * largest / area**2, area**2 / (short**2 * smallest)) if smallest > 0 else float("inf")


HEIGHT, HEAD, GAP, INSET, LINE = 520, 22, 2, 6, 16
# Pixels of area of the smallest cell of one class.
LEAST_AREA = 420
# What colour shows for each kind of cost.
RATE_OF = {"n_wrong": "correct", "missed": "recall", "win_lost": "mean_win"}


@dataclass(frozen=True)
class TreemapCell:
    """A rectangle: one class with its children drawn inside it or not, several small ones, or a class without its children.

    Attributes
    ----------
    nodes : ndarray of int
    kind : str
        'group', 'class', 'others' or 'itself' (truths that are the class itself).
    cost : float
    x, y, width, height : float
        Pixels.
    """

    nodes: np.ndarray
    kind: str
    cost: float
    x: float
    y: float
    width: float
    height: float


def treemap_cells(taxonomy, cost, root=0, *, width=1000, height=HEIGHT, least=LEAST_AREA, levels=3):
    """The cells of the mistakes below a class, groups before what is inside them.

    Parameters
    ----------
    taxonomy : Taxonomy
    cost : ndarray, shape (n_nodes,)
        At least 0; nan counts as 0.
    root : int
    width, height : float
        Pixels of the whole.
    least : float
        Area of the smallest cell of one class, in pixels.
    levels : int

    Returns
    -------
    list of TreemapCell
    """
    cost = np.nan_to_num(np.asarray(cost, dtype=float))
    return _inside(taxonomy, cost, root, (0.0, 0.0, width, height), least, levels)


def _inside(taxonomy, cost, node, place, least, levels):
    x, y, width, height = place
    children = taxonomy.children[node]
    children = children[cost[children] > 0]
    children = children[np.argsort(-cost[children], kind="stable")]
    own = max(0.0, cost[node] - float(cost[children].sum()))
    total = own + float(cost[children].sum())
    if not total:
        return []
    large = int((cost[children] * width * height / total >= least).sum())
    if len(children) - large == 1:
        large += 1
    parts = [("class", children[i : i + 1], float(cost[children[i]])) for i in range(large)]
    if large < len(children):
        parts.append(("others", children[large:], float(cost[children[large:]].sum())))
    if own > 1e-9:
        parts.append(("itself", np.array([node]), own))
    parts.sort(key=lambda part: -part[2])
    found = []
    places = squarified([part[2] for part in parts], x, y, width, height)
    for (kind, nodes, of_part), (cx, cy, cw, ch) in zip(parts, places):
        # Children of children need more room than children.
        widest, tallest = (90, HEAD + 36) if levels == 3 else (170, HEAD + 100)
        has_room = cw >= widest and ch >= tallest and levels > 1 and kind == "class"
        below = []
        if has_room and not taxonomy.is_leaf[nodes[0]]:
            inside = cx + 2, cy + HEAD, cw - 4 - GAP, ch - HEAD - 2 - GAP
            below = _inside(taxonomy, cost, int(nodes[0]), inside, least, levels - 1)
        found.append(TreemapCell(nodes, "group" if below else kind, of_part, cx, cy, cw, ch))
        found += below
    return found


def mistake_treemap(table, root=0, *, cost=None, dark=None, width=1000):
    """Treemap of the mistakes below a class.

    Parameters
    ----------
    table : NodeTable
    root : int
    cost : str, optional
        What areas are in proportion to: 'n_wrong', 'missed' or 'win_lost'; `cost_key` of the table by default.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: the numbers of the classes that are drawn, grouped ones included. A click on a class
        with children selects its name as ``target`` of `node`.

    Raises
    ------
    PredictionsError
        If the cost is not known, or there is none below the class.
    """
    cost = cost_key(table) if cost is None else cost
    cells_of = functools.cache(lambda width: _cells(table, root, cost, width - 4))
    cells = cells_of(width)

    def draw(dark, width):
        return _drawn(table, root, cost, cells_of(width), dark, width)

    return Figure(draw, lambda: _table(table, root, cells), lambda: _sentence(table, root, cost, cells), dark, width)


def _drawn(table, root, cost, cells, dark, width):
    drawn = [int(cell.nodes[0]) for cell in cells if cell.kind in ("class", "group")]
    colours = value_colours(table, RATE_OF[cost], drawn or [root], dark)
    edge, parts = {"stroke": palette(dark).background, "line": 1}, []
    for cell in cells:
        x2, y2 = cell.x + max(cell.width - GAP, 1), cell.y + max(cell.height - GAP, 1)
        place = {"x": cell.x, "x2": x2, "y": cell.y, "y2": y2}
        said, name = number_text_of(cost, cell.cost), _name(table.taxonomy, cell)
        node = None if cell.kind in ("others", "itself") else int(cell.nodes[0])
        words = functools.partial(_words, place, name, said, cell.kind == "group")
        tips = {"tip_name": name, cost: said}
        parts.append({"place": place, "node": node, "tips": tips, "is_open": True, "words": words, "edge": edge})
    return drawing_of_cells(table, colours, parts, width - 4, HEIGHT)


def _table(table, root, cells):
    nodes = np.concatenate([cell.nodes for cell in cells if cell.kind != "itself"] or [np.array([root])])
    return node_frame(table, nodes)


def _sentence(table, root, cost, cells):
    """What the treemap shows, in words."""
    taxonomy = table.taxonomy
    total = float(getattr(table, cost)[root])
    what = {"n_wrong": "number of wrong answers", "missed": "number of missed samples", "win_lost": "lost win"}[cost]
    said = f"Area is the {what}, {number_text_of(cost, total)} below {taxonomy.title(root)}."
    if cost == "missed":
        said = f"Area is the {what} of each class."
    classes = [cell for cell in cells if cell.kind in ("class", "group")]
    if classes:
        largest = max(classes, key=lambda cell: cell.cost)
        rate = float(getattr(table, RATE_OF[cost])[largest.nodes[0]])
        said += (
            f" The largest part is {_name(taxonomy, largest)} with {number_text_of(cost, largest.cost)} "
            f"({NODE_COLUMNS[RATE_OF[cost]].label.lower()} {number_text_of(RATE_OF[cost], rate)})."
        )
    return f"{said} A click on a class opens its subtree."


def _cells(table, root, cost, width):
    if cost not in RATE_OF:
        raise PredictionsError(f"treemap: expected a cost among {', '.join(RATE_OF)}, got {cost!r}. Choose one.")
    cells = treemap_cells(table.taxonomy, getattr(table, cost), root, width=width)
    if not cells:
        raise PredictionsError(
            f"treemap: expected mistakes below {table.taxonomy.names[root]!r}, got none. Choose another class or threshold."
        )
    return cells


def _name(taxonomy, cell):
    if cell.kind == "others":
        return f"{len(cell.nodes):,} others"
    title = taxonomy.title(int(cell.nodes[0]))
    return f"{title} itself" if cell.kind == "itself" else title


def _words(place, name, said, is_group, ink):
    """Name and number of a cell, as far as there is room."""
    wide, tall = place["x2"] - place["x"] - 2 * INSET, place["y2"] - place["y"]
    if wide < 16 or tall < LINE + 2:
        return
    needed = text_width(said, SIZE, bold=True)
    x, top = place["x"] + INSET, place["y"] + LINE / 2 + 3
    if is_group or tall < 2 * LINE + 6:
        room = wide - needed - 8
        if room >= 30:
            yield {"x": x, "y": top, "text": shorten(name, room, SIZE), "colour": ink, "limit": room + 6, "weight": 600}
        if needed <= wide:
            yield {"x": place["x2"] - INSET, "y": top, "text": said, "colour": ink, "align": "right", "weight": 600}
        return
    lines = wrap_words(name, wide, SIZE, min(3, int((tall - 6) // LINE) - 1)) if wide >= 30 else []
    for i, line in enumerate(lines):
        yield {"x": x, "y": top + LINE * i, "text": line, "colour": ink, "limit": wide + 6}
    if needed <= wide:
        yield {"x": x, "y": top + LINE * len(lines), "text": said, "colour": ink, "weight": 600}
