"""Treemap of the mistakes below a class: area by their number, colour by the share of answers that are right.

Up to three levels are drawn: the children of a class, and inside them theirs, where there is room. Cells fill their class, so
that all areas have one scale; the name of a class lies over its cells. Samples that are labelled with an inner class have a cell
of their own. What would be too small to be seen is grouped as "others", coloured by the number of its samples together; the
subtrees with the most mistakes beyond the expected ones are never grouped. In a graph a class is under each of its parents;
where samples have several true classes, children share the area of their parent.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from hierviz.charts._blocks import Outside, outside_width, placed_outside
from hierviz.charts._figure import Figure
from hierviz.charts._subtree_icicle import ALWAYS, LABELS, SHARE, beyond, named_worst, node_frame
from hierviz.charts._text import shorten, text_width, wrap_words
from hierviz.charts._value_colours import drawing_of_cells, value_colours
from hierviz.charts.theme import SIZE, palette
from hierviz.diagnosis._excess import pooled
from hierviz.diagnosis._node_table import NODE_COLUMNS, cost_key, number_text_of
from hierviz.messages.errors import PredictionsError
from hierviz.taxonomy.checks import check_whole


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
        thick, at = area / short, 0.0
        for one in areas[start:end]:
            long = one / thick
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


HEIGHT, HEAD, INSET, LINE = 540, 18, 6, 16
# Pixels of area of the smallest cell of one class, that its name and number have room in.
LEAST_AREA = 1400
# Cells that are less wide or high have no room for a name: what can be grouped is, what must be drawn has its name outside.
NARROW, LOW = 46, 21
# A class inside another one is so much narrower, in proportion all the same.
NARROWER = 0.86
# Cells of a class that has its children in it: the least sides by level.
ROOMY = {3: (90, 58), 2: (150, 110)}
# Width of lines between the classes of a level.
LINES = {3: 4, 2: 2.5}
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
    x, y, width, height = place
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


def mistake_treemap(table, root=0, *, cost=None, worst=None, height=HEIGHT, dark=None, width=1000):
    """Treemap of the mistakes below a class.

    Parameters
    ----------
    table : NodeTable
    root : int
    cost : str, optional
        What areas are in proportion to: 'n_wrong', 'missed' or 'win_lost'; `cost_key` of the table by default.
    worst : int, optional
        Node that is outlined as the worst one; by default that with the most mistakes beyond the expected ones.
    height : int
        Pixels of the cells.
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
    check_whole("height", height, 100)
    cost = cost_key(table) if cost is None else cost
    if cost not in RATE_OF:
        raise PredictionsError(f"treemap: expected a cost among {', '.join(RATE_OF)}, got {cost!r}. Choose one.")
    bad = named_worst(table, root, worst, ALWAYS, cost)
    cells_of = functools.cache(lambda width: _cells(table, root, cost, width, height, bad))
    cells = cells_of(width)

    def draw(dark, width):
        return _drawn(table, root, cost, cells_of(width), dark, width, height, bad)

    return Figure(
        draw, lambda: _table(table, root, cells), lambda: _sentence(table, root, cost, cells, bad), dark, width
    )


def _drawn(table, root, cost, cells, dark, width, height, bad):
    look, width = palette(dark), width - 4
    single = [cell for cell in cells if cell.kind in ("class", "group")]
    colours = value_colours(table, RATE_OF[cost], [int(cell.nodes[0]) for cell in single] or [root], dark)
    chips: dict = {}
    for cell in cells:
        if cell.kind == "group":
            chips[int(cell.nodes[0])] = _chip(table, cost, cell, chips.values())
    within = {id(cell): _free(cell, cells, chips.values()) for cell in cells}
    low = [cell for cell in cells if cell.kind == "class" and cell.nodes[0] in bad and _is_small(within[id(cell)])]
    right = _right(width, [_outside(table, cost, cell, look, bad) for cell in low])
    edge, parts = {"stroke": look.background, "line": 1}, []
    for cell in cells:
        place, said, name = within[id(cell)], number_text_of(cost, cell.cost), _name(table.taxonomy, cell)
        node = None if cell.kind in ("others", "itself") else int(cell.nodes[0])
        words = functools.partial(_words, place, name, said, node in bad[:1])
        tips = {"tip_name": name, cost: said}
        part = {"place": cell.place, "node": node, "tips": tips, "is_open": True, "words": words, "edge": edge}
        if cell.kind == "group":
            chip = chips[node]
            part |= {
                "place": chip,
                "frame": (cell.place, LINES[cell.levels]),
                "words": functools.partial(_chip_words, chip, name, said),
            }
        part |= {"value": _rate(table, RATE_OF[cost], cell), "n": _support(table, cell), "is_worst": node in bad[:1]}
        parts.append(part)
    outside, bent, _ = placed_outside(
        [_outside(table, cost, cell, look, bad) for cell in low], width, right, height, look.muted
    )
    notes = [{"kind": "note", "label": f"area: {WHAT[cost]}"}]
    if bad and bad[0] in {int(cell.nodes[0]) for cell in single}:
        notes.append({"kind": "outline", "label": f"worst: {beyond(table, bad[0], cost)}", "colour": look.ink})
    return drawing_of_cells(table, colours, parts, right, height, notes=notes, bent=bent, words=outside)


WHAT = {"n_wrong": "wrong answers", "missed": "missed samples", "win_lost": "lost win"}


def _right(width, labels):
    return width + outside_width(labels, min(LABELS, SHARE * width))


def _is_small(place):
    return place["x2"] - place["x"] < NARROW or place["y2"] - place["y"] < LOW


def _outside(table, cost, cell, look, bad):
    node = int(cell.nodes[0])
    text = {"text": table.taxonomy.title(node), "more": f" {number_text_of(cost, cell.cost)}", "colour": look.ink}
    place = cell.place
    lines = [text | {"weight": 600 if node == bad[0] else "normal"}]
    return Outside(place["x2"] - cell.width / 2, (place["y"] + place["y2"]) / 2, lines, bad.index(node))


def _chip(table, cost, cell, others):
    """Where the name of a class lies over its cells, below those of the classes that it is in."""
    text = f"{_name(table.taxonomy, cell)} {number_text_of(cost, cell.cost)}"
    wide = min(text_width(text, SIZE, bold=True) + 2 * INSET, cell.width - 4)
    x, y = cell.x + 2, cell.y + 2
    if any(other["x"] < x + wide and x < other["x2"] and other["y"] < y + HEAD and y < other["y2"] for other in others):
        y += HEAD + 2
    return {"x": x, "x2": x + wide, "y": y, "y2": y + HEAD}


def _free(cell, cells, chips):
    """The part of a cell that is clear of names of classes and of the cell of a bad class in it."""
    place = dict(cell.place)
    for chip in sorted(chips, key=lambda chip: chip["y"]):
        if (
            chip["x"] < place["x2"] - 4
            and chip["x2"] > place["x"]
            and chip["y"] < place["y"] + HEAD
            and chip["y2"] > place["y"]
        ):
            place["y"] = min(chip["y2"], place["y2"])
    for other in cells:
        if other is not cell and cell.kind == "class" and not other.levels and _holds(cell, other):
            place["y2"] = max(place["y"], min(place["y2"], other.y))
    return place


def _holds(cell, other):
    return cell.x <= other.x + 1e-6 < cell.x + cell.width and cell.y <= other.y + 1e-6 < cell.y + cell.height


def _rate(table, key, cell):
    """The share that colours a cell of several classes, or of a class without its children; nan in a graph."""
    taxonomy = table.taxonomy
    if not taxonomy.is_tree:
        return np.nan
    return pooled(table, key, cell.nodes, taxonomy.children[int(cell.nodes[0])] if cell.kind == "itself" else None)


def _support(table, cell):
    n = int(table.support[cell.nodes].sum())
    return n - int(table.support[table.taxonomy.children[int(cell.nodes[0])]].sum()) if cell.kind == "itself" else n


def _table(table, root, cells):
    nodes = np.concatenate([cell.nodes for cell in cells if cell.kind != "itself"] or [np.array([root])])
    return node_frame(table, nodes)


def _sentence(table, root, cost, cells, bad):
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
        said = (
            f"The largest part is {_name(taxonomy, largest)} with {number_text_of(cost, largest.cost)} "
            f"({NODE_COLUMNS[RATE_OF[cost]].label.lower()} {number_text_of(RATE_OF[cost], rate)})"
            + (f"; beyond what is expected the worst is {beyond(table, bad[0], cost)}. " if bad else ". ")
            + said
        )
    return f"{said} A click on a class opens its subtree."


def _cells(table, root, cost, width, height, bad):
    wide = width - 4
    keywords = {"height": height, "worst": bad}
    cells = treemap_cells(table.taxonomy, getattr(table, cost), root, width=wide, **keywords)
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


def _chip_words(chip, name, said, ink):
    """Name and number of a class, over its cells."""
    y, room = (chip["y"] + chip["y2"]) / 2, chip["x2"] - chip["x"] - 2 * INSET
    text = f"{shorten(name, room - text_width(said, SIZE, True) - 4, SIZE, True)} {said}"
    yield {"x": chip["x"] + INSET, "y": y, "text": text, "colour": ink, "limit": room + INSET, "weight": 600}


def _words(place, name, said, is_worst, ink):
    """Name and number of a cell, as far as there is room."""
    wide, tall = place["x2"] - place["x"] - 2 * INSET, place["y2"] - place["y"]
    if wide < 16 or tall < LINE + 2:
        return
    needed = text_width(said, SIZE, bold=True)
    x, top, weight = place["x"] + INSET, place["y"] + LINE / 2 + 3, 600 if is_worst else "normal"
    if tall < 2 * LINE + 6:
        room = wide - needed - 8
        if room >= 30:
            yield {
                "x": x,
                "y": top,
                "text": shorten(name, room, SIZE),
                "colour": ink,
                "limit": room + 6,
                "weight": weight,
            }
        if needed <= wide:
            yield {"x": place["x2"] - INSET, "y": top, "text": said, "colour": ink, "align": "right", "weight": 600}
        return
    lines = wrap_words(name, wide, SIZE, min(3, int((tall - 6) // LINE) - 1)) if wide >= 30 else []
    for i, line in enumerate(lines):
        yield {"x": x, "y": top + LINE * i, "text": line, "colour": ink, "limit": wide + 6, "weight": weight}
    if needed <= wide:
        yield {"x": x, "y": top + LINE * len(lines), "text": said, "colour": ink, "weight": 600}
