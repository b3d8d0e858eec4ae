"""Icicle of a taxonomy: depth from left to right, height by the samples below each class, colour by one of its numbers.

Children are below each other, the largest first. What would be lower than `LEAST` pixels is grouped as "others". In a
graph a class is under each of its parents. Where samples have several true classes, children share the height of their
parent in proportion to their samples.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from hierviz.charts._compose import frame
from hierviz.charts._figure import Figure
from hierviz.charts._text import shorten, text_width
from hierviz.charts._value_colours import drawing_of_cells, value_colours
from hierviz.charts.theme import SIZE, SMALL
from hierviz.diagnosis._node_table import NODE_COLUMNS, number_text_of, usable_columns
from hierviz.messages.errors import PredictionsError, shown

HEIGHT, LEAST, GAP, INSET, LINE = 600, 16, 2, 7, 16
# Pixels from which on a group is drawn at all.
THINNEST = 2.0


@dataclass(frozen=True)
class SubtreeCell:
    """A cell of the icicle.

    Attributes
    ----------
    nodes : ndarray of int
        One node, or those of a group.
    is_others : bool
    level : int
        Levels below the root of the drawing.
    top, height : float
        Pixels.
    """

    nodes: np.ndarray
    is_others: bool
    level: int
    top: float
    height: float


def subtree_cells(taxonomy, size, root=0, *, levels=4, height=HEIGHT, least=LEAST):
    """Positions of the cells of a subtree, the cell of a parent before those of its children.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    size : ndarray, shape (n_nodes,)
        What heights are in proportion to; children of size 0 are not drawn.
    root : int
    levels : int
        Levels below the root that are drawn.
    height, least : float
        Pixels of the root, and of the lowest cell of a single class.

    Returns
    -------
    list of SubtreeCell
    """
    found, place = [SubtreeCell(np.array([root]), False, 0, 0.0, float(height))], 0
    while place < len(found):
        cell, place = found[place], place + 1
        if cell.is_others or cell.level == levels:
            continue
        children = taxonomy.children[int(cell.nodes[0])]
        children = children[size[children] > 0]
        if not len(children):
            continue
        children = children[np.argsort(-size[children], kind="stable")]
        total = max(float(size[cell.nodes[0]]), float(size[children].sum()))
        tall = cell.height * size[children] / total
        n_drawn = int((tall >= least).sum())
        # Never a group of one class.
        if len(children) - n_drawn == 1 and tall[-1] >= least / 2:
            n_drawn += 1
        top = cell.top
        for i in range(n_drawn):
            found.append(SubtreeCell(children[i : i + 1], False, cell.level + 1, top, float(tall[i])))
            top += float(tall[i])
        rest = float(tall[n_drawn:].sum())
        if rest >= THINNEST:
            found.append(SubtreeCell(children[n_drawn:], True, cell.level + 1, top, rest))
    return found


def subtree_icicle(table, root=0, *, value="correct", dark=None, width=1000):
    """Icicle of the subtree at a node, coloured by a number of each class.

    Parameters
    ----------
    table : NodeTable
    root : int
    value : str
        Key of `NODE_COLUMNS`.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: the numbers of the classes that are drawn, grouped ones included, one row a class. A
        click on a class with children selects its name as ``target`` of `node`.

    Raises
    ------
    PredictionsError
        If the column is not known or has no number, or no sample has a truth in this subtree.
    """
    cells_of = functools.cache(lambda width: _cells(table, root, value, width))
    cells = cells_of(width)

    def draw(dark, width):
        return _drawn(table, root, value, cells_of(width), dark, width)

    return Figure(draw, lambda: _table(table, cells), lambda: _sentence(table, root, value, cells), dark, width)


def _drawn(table, root, value, cells, dark, width):
    taxonomy = table.taxonomy
    width -= 4
    single = [int(cell.nodes[0]) for cell in cells if not cell.is_others]
    colours = value_colours(table, value, single[1:] or single, dark)
    n_levels = max(cell.level for cell in cells) + 1
    # The root says little: its column is narrow.
    first = min(width / n_levels, 130, 0.24 * width) if n_levels > 1 else width
    left = [0.0] + [first + (width - first) * i / max(n_levels - 1, 1) for i in range(n_levels)]
    parts = []
    for cell in cells:
        y2 = cell.top + max(cell.height - GAP, 1)
        place = {"x": left[cell.level], "x2": left[cell.level + 1] - GAP, "y": cell.top, "y2": y2}
        node = None if cell.is_others else int(cell.nodes[0])
        name = f"{len(cell.nodes):,} others" if node is None else taxonomy.title(node)
        said = "" if node is None else number_text_of(value, float(getattr(table, value)[node]))
        tips = {"tip_name": _listed(taxonomy, cell.nodes)}
        words = functools.partial(_words, place, name, said)
        parts.append({"place": place, "node": node, "tips": tips, "is_open": node != root, "words": words})
    return drawing_of_cells(table, colours, parts, width, HEIGHT)


def _words(place, name, said, ink):
    """Name and number of a cell, as far as there is room."""
    tall, whole = place["y2"] - place["y"], place["x2"] - place["x"] - 2 * INSET
    if tall < 12:
        return
    size = SIZE if tall >= 17 else SMALL
    room = whole - (text_width(said, size, bold=True) + 8 if said else 0)
    at = {"x": place["x"] + INSET, "y": (place["y"] + place["y2"]) / 2, "colour": ink, "size": size}
    if said and tall >= 3 * LINE and text_width(name, size) > room:
        # The number is below a name that has no room next to it.
        yield {**at, "y": at["y"] - LINE / 2, "text": shorten(name, whole, size), "limit": whole + 6}
        at["y"] += LINE / 2
    elif room >= 24:
        yield {**at, "text": shorten(name, room, size), "limit": room + 6}
    if said:
        yield {**at, "x": place["x2"] - INSET, "text": said, "align": "right", "weight": 600}


def _table(table, cells):
    nodes = np.concatenate([cell.nodes for cell in cells])
    depth = np.concatenate([np.full(len(cell.nodes), cell.level) for cell in cells])
    return node_frame(table, nodes, {"level": depth})


def node_frame(table, nodes, lead=None):
    """Numbers of some classes as a table: name, the columns of `lead`, and the columns that have a number."""
    names = [table.taxonomy.names[node] for node in nodes.tolist()]
    columns = {key: getattr(table, key)[nodes] for key in usable_columns(table)}
    return frame({"class": names, **(lead or {}), **columns})


def _sentence(table, root, value, cells):
    """What the icicle shows, in words."""
    taxonomy, column = table.taxonomy, NODE_COLUMNS[value]
    # In a graph a class is below each of its parents.
    drawn = len({int(cell.nodes[0]) for cell in cells if not cell.is_others}) - 1
    folded = sum(len(cell.nodes) for cell in cells if cell.is_others)
    said = (
        f"Height is the number of samples with a truth at or below the class, colour is {column.label.lower()}. "
        f"{taxonomy.title(root)}: {number_text_of('support', table.support[root])} samples"
    )
    if value != "support":
        said += f", {column.label.lower()} {number_text_of(value, float(getattr(table, value)[root]))}"
    rest = f", {folded:,} too small to draw {'is' if folded == 1 else 'are'} grouped" if folded else ""
    drawn_text = f"{drawn:,} {'class is' if drawn == 1 else 'classes are'} drawn below it"
    return f"{said}. {drawn_text}{rest}. A click on a class opens its subtree."


def _cells(table, root, value, width):
    if value not in NODE_COLUMNS or not np.isfinite(getattr(table, value)).any():
        known = ", ".join(usable_columns(table))
        raise PredictionsError(f"icicle: expected a column with numbers ({known}), got {shown(value)}. Choose one.")
    if not table.support[root]:
        raise PredictionsError(
            f"icicle: expected samples with a truth below {table.taxonomy.names[root]!r}, got none. Choose a class above it."
        )
    levels = 2 if width < 500 else 3 if width < 800 else 4
    return subtree_cells(table.taxonomy, table.support, root, levels=levels)


def _listed(taxonomy, nodes, most=6):
    names = [taxonomy.title(node) for node in nodes[:most].tolist()]
    more = len(nodes) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")
