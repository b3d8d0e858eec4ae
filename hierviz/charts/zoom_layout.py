"""Rectangles of a whole taxonomy in the unit square, for drawings that one can zoom into: an icicle and a treemap.

Conventions
-----------
A *row* is a class at one place: in a graph a class has one row below each of its parents. Rows come level by level, those of one
parent next to each other, the largest first; row 0 is the root. Classes of size 0 have none. Nothing is put together with others:
what is drawn depends on the zoom, and the browser chooses.

Functions and classes
---------------------
zoom_rows, icicle_rectangles, treemap_rectangles, ZoomRows, ZoomLayout
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.charts.treemap_layout import squarified

# Rows at most: a graph can have a class below very many others. Levels that do not fit are left out.
MOST_ROWS = 60_000
# Width of the column of the root of an icicle, of that of the other levels: it says little.
ROOT = 0.5


@dataclass(frozen=True, eq=False)
class ZoomRows:
    """Which classes there are, and where they belong.

    Attributes
    ----------
    node : ndarray of int, shape (n_rows,)
    parent : ndarray of int, shape (n_rows,)
        Row of the parent; -1 of the root.
    size : ndarray of float, shape (n_rows,)
    is_own : ndarray of bool, shape (n_rows,)
        Rows of what belongs to a class with children, and to none of these; `node` is that class.
    level : ndarray of int, shape (n_rows,)
    n_left_out : int
        Levels that are left out for want of room.
    """

    node: np.ndarray
    parent: np.ndarray
    size: np.ndarray
    is_own: np.ndarray
    level: np.ndarray
    n_left_out: int


@dataclass(frozen=True, eq=False)
class ZoomLayout:
    """Rows with their rectangles in the unit square, y from above.

    Attributes
    ----------
    rows : ZoomRows
    x0, x1, y0, y1 : ndarray of float, shape (n_rows,)
    """

    rows: ZoomRows
    x0: np.ndarray
    x1: np.ndarray
    y0: np.ndarray
    y1: np.ndarray


def zoom_rows(taxonomy, size, *, with_own=False, most=MOST_ROWS):
    """The rows of a taxonomy.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    size : ndarray, shape (n_nodes,)
        At least 0; nan counts as 0.
    with_own : bool
        Whether what a class has besides its children has a row of its own.
    most : int
        Rows at most.

    Returns
    -------
    ZoomRows
    """
    size = np.nan_to_num(np.asarray(size, dtype=float))
    levels = [(np.zeros(1, np.intp), np.full(1, -1), size[:1], np.zeros(1, bool))]
    n, first, left_out = 1, 0, 0
    while True:
        below = _below(taxonomy, size, levels[-1], first, with_own)
        if n + len(below[0]) > most:
            left_out = taxonomy.max_depth - len(levels) + 1
            break
        if not len(below[0]):
            break
        levels.append(below)
        first, n = n, n + len(below[0])
    columns = [np.concatenate(column) for column in zip(*levels, strict=True)]
    return ZoomRows(*columns, np.repeat(np.arange(len(levels)), [len(one[0]) for one in levels]), left_out)


def _below(taxonomy, size, level, first, with_own):
    """The level below a level whose rows begin at a number: nodes, rows of their parents, sizes, whether they are own rows."""
    node, _, of_level, is_own = level
    families = taxonomy.children.take(node)
    parent, child = families.rows, families.nodes
    kept = (size[child] > 0) & ~is_own[parent]
    parent, child = parent[kept], child[kept]
    amount, own = size[child], np.zeros(len(child), bool)
    if with_own:
        rest = of_level - np.bincount(parent, amount, len(node))
        having = np.flatnonzero((rest > 1e-9) & (np.bincount(parent, minlength=len(node)) > 0))
        child, parent = np.concatenate([child, node[having]]), np.concatenate([parent, having])
        amount = np.concatenate([amount, rest[having]])
        own = np.concatenate([own, np.ones(len(having), bool)])
    order = np.lexsort((-amount, parent))
    return child[order], parent[order] + first, amount[order], own[order]


def icicle_rectangles(taxonomy, size, *, most=MOST_ROWS):
    """Levels from left to right, heights in proportion to sizes.

    Where children together are larger than their parent (samples with several true classes), they share its height.

    Parameters
    ----------
    taxonomy : Taxonomy
    size : ndarray, shape (n_nodes,)
    most : int
        See `zoom_rows`.

    Returns
    -------
    ZoomLayout
    """
    rows = zoom_rows(taxonomy, size, most=most)
    total = _totals(rows)
    tall, y0 = np.ones(len(rows.node)), np.zeros(len(rows.node))
    for level in range(1, int(rows.level[-1]) + 1):
        here = np.flatnonzero(rows.level == level)
        above = rows.parent[here]
        tall[here] = tall[above] * (rows.size[here] / total[above])
        y0[here] = y0[above] + _before(above, tall[here])
    wide = ROOT + max(int(rows.level[-1]), 0)
    x0 = np.where(rows.level > 0, ROOT + rows.level - 1, 0.0) / wide
    return ZoomLayout(rows, x0, (ROOT + rows.level) / wide, y0, np.minimum(y0 + tall, 1.0))


def treemap_rectangles(taxonomy, size, *, aspect=1.9, most=MOST_ROWS):
    """Children inside their parents, areas in proportion to sizes.

    Parameters
    ----------
    taxonomy : Taxonomy
    size : ndarray, shape (n_nodes,)
    aspect : float
        Width of the drawing by its height. A zoom stretches a class to the whole drawing: its children are as square as can be
        between both shapes.
    most : int
        See `zoom_rows`.

    Returns
    -------
    ZoomLayout
    """
    rows = zoom_rows(taxonomy, size, with_own=True, most=most)
    place = np.zeros((len(rows.node), 4))
    place[0] = 0, 0, 1, 1
    starts = np.flatnonzero(np.diff(rows.parent, prepend=-1))
    ends = np.append(starts[1:], len(rows.node))[: len(starts)]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        x, y, wide, tall = place[rows.parent[start]]
        # Of a class whose shape is that of the drawing this is the shape of the drawing.
        shape = aspect * (wide / tall) ** 0.5 if wide > 0 and tall > 0 else aspect
        inside = np.array(squarified(rows.size[start:end].tolist(), 0.0, 0.0, shape, 1.0))
        place[start:end] = inside * [wide / shape, tall, wide / shape, tall] + [x, y, 0, 0]
    x0, y0 = place[:, 0], place[:, 1]
    return ZoomLayout(rows, x0, np.minimum(x0 + place[:, 2], 1.0), y0, np.minimum(y0 + place[:, 3], 1.0))


def _totals(rows):
    """What each row's children share: its size, or theirs where they are larger together."""
    return np.maximum(rows.size, np.bincount(rows.parent[1:], rows.size[1:], len(rows.node)))


def _before(group, amounts):
    """Sum of the amounts before each one in its group; groups are next to each other."""
    summed = np.cumsum(amounts) - amounts
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    return summed - np.repeat(summed[starts], np.diff(np.append(starts, len(group))))
