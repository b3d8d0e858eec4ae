"""Where the cells of an icicle of classes are: which stand alone, which are put together, and which are drawn in any case."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.charts._blocks import LOWEST

# Pixels of the whole, and of the lowest cell that may be put together with others; how many times as high another one may be.
HEIGHT, LEAST, GROUPED = 560, LOWEST, 3


@dataclass(frozen=True)
class SubtreeCell:
    """A cell of the icicle.

    Attributes
    ----------
    nodes : ndarray of int
        One node, or those of a group.
    is_others : bool
    level : int
        Levels below the root of the drawing; the column of classes that are deeper comes after the last one.
    top, height : float
        Pixels.
    """

    nodes: np.ndarray
    is_others: bool
    level: int
    top: float
    height: float


def subtree_cells(taxonomy, size, root=0, *, levels=4, height=HEIGHT, least=LEAST, worst=(), badness=None):
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
    worst : sequence of int
        Nodes that are drawn however low they are, the worst first, and all above them.
    badness : ndarray of float, shape (n_nodes,), optional
        Of classes of similar height the best are grouped first; if not given, the lowest.

    Returns
    -------
    list of SubtreeCell
    """
    worst = [int(node) for node in worst]
    kept = np.zeros(taxonomy.n_nodes, dtype=bool)
    if worst:
        kept[taxonomy.ancestors(np.array(worst, dtype=np.intp)).nodes] = True
    badness = size if badness is None else badness
    found, place, shown_nodes = [SubtreeCell(np.array([root]), False, 0, 0.0, float(height))], 0, {root}
    while place < len(found):
        cell, place = found[place], place + 1
        if cell.is_others or cell.level == levels:
            continue
        for inside in _children(taxonomy, size, cell, least, kept, badness):
            found.append(inside)
            shown_nodes |= set() if inside.is_others else {int(inside.nodes[0])}
    return found + _deeper(taxonomy, size, found, levels, [node for node in worst if node not in shown_nodes])


def _children(taxonomy, size, cell, least, kept, badness):
    """The cells of the children of a cell: single ones, the largest first, then a group of the others."""
    children = taxonomy.children[int(cell.nodes[0])]
    children = children[size[children] > 0]
    if not len(children):
        return
    children = children[np.argsort(-size[children], kind="stable")]
    total = max(float(size[cell.nodes[0]]), float(size[children].sum()))
    tall = cell.height * size[children] / total
    # In a cell that is too low for a name only what must be drawn is.
    alone = kept[children] | ((tall >= least) & (cell.height >= least))
    if cell.height >= least:
        # A group has room for its name, and more than one class: it takes in the best of those that are not much higher.
        movable = np.flatnonzero(alone & ~kept[children] & (tall < GROUPED * least))
        movable = movable[np.argsort(badness[children[movable]], kind="stable")].tolist()
        while movable and not alone.all() and ((~alone).sum() == 1 or tall[~alone].sum() < least):
            alone[movable.pop(0)] = False
    top = cell.top
    for i in np.flatnonzero(alone).tolist():
        yield SubtreeCell(children[i : i + 1], False, cell.level + 1, top, float(tall[i]))
        top += float(tall[i])
    rest, of_rest = children[~alone], float(tall[~alone].sum())
    if len(rest) and of_rest >= least:
        yield SubtreeCell(rest, len(rest) > 1, cell.level + 1, top, of_rest)


def _deeper(taxonomy, size, found, levels, missing):
    """Cells of the column after the last one: bad classes that are further down, inside the last class above them."""
    last = {int(cell.nodes[0]): cell for cell in found if cell.level == levels and not cell.is_others}
    used: dict[int, float] = {}
    drawn: list[set] = []
    made = []
    for node in missing:
        path = [node]
        while path[-1] not in last and path[-1]:
            path.append(int(taxonomy.parents[path[-1]][0]))
        above = last.get(path[-1])
        # What is above or below another one would count twice.
        if above is None or any(node in other or other_node in path for other, other_node in drawn):
            continue
        drawn.append((set(path[:-1]), node))
        tall = above.height * float(size[node]) / float(size[path[-1]])
        top = above.top + used.get(path[-1], 0.0)
        used[path[-1]] = used.get(path[-1], 0.0) + tall
        made.append(SubtreeCell(np.array([node]), False, levels + 1, top, tall))
    return made
