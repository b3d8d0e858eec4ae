"""Where the cells of a treemap are: rectangles whose areas are amounts, and which of them are put together or kept."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

# Pixels: height of a treemap, of a name over cells, between the edge of a cell and its words.
HEIGHT, HEAD, INSET = 540, 18, 6
# Pixels of area of the smallest cell of one class, that its name and number have room in.
LEAST_AREA = 1400
# Cells that are less wide or high have no room for a name: what can be grouped is, what must be drawn has its name outside.
NARROW, LOW = 46, 21
# A class inside another one is so much narrower, in proportion all the same.
NARROWER = 0.86
# Cells of a class that has its children in it: the least sides by level.
ROOMY = {3: (90, 58), 2: (150, 110)}


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
    levels : int
        Levels that may be drawn from this one on; 0 of a bad class that is further down.
    """

    nodes: np.ndarray
    kind: str
    cost: float
    x: float
    y: float
    width: float
    height: float
    levels: int

    @property
    def place(self):
        """Its sides."""
        return {"x": self.x, "x2": self.x + self.width, "y": self.y, "y2": self.y + self.height}


def treemap_cells(taxonomy, cost, root=0, *, width=1000, height=HEIGHT, least=LEAST_AREA, levels=3, worst=()):
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
    worst : sequence of int
        Nodes that have a cell however small it is, the worst first.

    Returns
    -------
    list of TreemapCell
    """
    cost = np.nan_to_num(np.asarray(cost, dtype=float))
    kept = np.zeros(taxonomy.n_nodes, dtype=bool)
    if len(worst):
        kept[taxonomy.ancestors(np.array(worst, dtype=np.intp)).nodes] = True
    found = _inside(taxonomy, cost, root, (0.0, 0.0, width, height), least, levels, kept)
    return found + _deeper(taxonomy, cost, found, worst)


def _inside(taxonomy, cost, node, place, least, levels, kept):
    *_, width, height = place
    children = taxonomy.children[node]
    children = children[cost[children] > 0]
    children = children[np.argsort(-cost[children], kind="stable")]
    own = max(0.0, cost[node] - float(cost[children].sum()))
    total = own + float(cost[children].sum())
    if not total:
        return []
    alone = (cost[children] * width * height / total >= least) | kept[children]
    if (~alone).sum() == 1:
        alone[:] = True
    parts, places = _filled(node, children, cost, own, alone, place, kept)
    found = []
    for (kind, nodes, of_part), (cx, cy, cw, ch) in zip(parts, places):
        # Children of children need more room than children.
        widest, tallest = ROOMY.get(levels, (np.inf, np.inf))
        below = []
        if cw >= widest and ch >= tallest and kind == "class" and not taxonomy.is_leaf[nodes[0]]:
            below = _inside(taxonomy, cost, int(nodes[0]), (cx, cy, cw, ch), least, levels - 1, kept)
        found.append(TreemapCell(nodes, "group" if below else kind, of_part, cx, cy, cw, ch, levels))
        found += below
    return found


def _filled(node, children, cost, own, alone, place, kept):
    """Parts of a class and their places: what has no room for its name joins the others, the smallest first."""
    while True:
        parts = [("class", children[i : i + 1], float(cost[children[i]])) for i in np.flatnonzero(alone).tolist()]
        if not alone.all():
            parts.append(("others", children[~alone], float(cost[children[~alone]].sum())))
        if own > 1e-9:
            parts.append(("itself", np.array([node]), own))
        parts.sort(key=lambda part: -part[2])
        places = squarified([part[2] for part in parts], *place)
        is_thin = [kind != "itself" and (w < NARROW or h < LOW) for (kind, _, _), (_, _, w, h) in zip(parts, places)]
        thin = [
            int(nodes[0])
            for (kind, nodes, _), low in zip(parts, is_thin)
            if low and kind == "class" and not kept[nodes[0]]
        ]
        movable = np.flatnonzero(alone & ~kept[children])[::-1].tolist()
        needs_more = any(low and kind == "others" for (kind, _, _), low in zip(parts, is_thin))
        if not movable or not (thin or needs_more):
            return parts, places
        moved = np.isin(children, thin)
        n_others = int((~alone | moved).sum())
        for i in [i for i in movable if not moved[i]][: 1 if needs_more and not thin else max(0, 2 - n_others)]:
            moved[i] = True
        alone = alone & ~moved
        if (~alone).sum() < 2:
            # A class alone is no group.
            return parts, places


def _deeper(taxonomy, cost, found, worst):
    """Cells of bad classes that are further down, in proportion, at the bottom of the class above them that is drawn."""
    drawn = {int(cell.nodes[0]): cell for cell in found if cell.kind in ("class", "group")}
    made: list = []
    for node in map(int, worst):
        path = [node]
        while path[-1] not in drawn and path[-1]:
            path.append(int(taxonomy.parents[path[-1]][0]))
        above = drawn.get(path[-1])
        # One in each class: several could be inside each other.
        if above is None or path[-1] == node or above.kind != "class" or not above.cost or not cost[node]:
            continue
        share = min(1.0, float(cost[node]) / above.cost)
        # Its class is seen around it where it is not all of it.
        has_room = above.height * (1 - share / NARROWER) >= 4 * HEAD
        if not has_room and node != int(worst[0]):
            continue
        narrower = NARROWER if has_room else 1.0
        wide, tall = above.width * narrower, above.height * share / narrower
        x = above.x + (above.width - wide) / 2
        y = above.y + above.height - tall - (INSET if narrower < 1 else 0)
        made.append(TreemapCell(np.array([node]), "class", float(cost[node]), x, y, wide, tall, 0))
        del drawn[path[-1]]
    return made
