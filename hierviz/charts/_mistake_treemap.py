"""Treemap of the mistakes below a class: area by their number, colour by the share of answers that are right.

Up to three levels are drawn: the children of a class, and inside them theirs, where there is room. Cells fill their class, so
that all areas have one scale; the name of a class lies over its cells. Samples that are labelled with an inner class have a cell
of their own. What would be too small to be seen is grouped as "others", coloured by the number of its samples together; the
subtrees with the most mistakes beyond the expected ones are never grouped. In a graph a class is under each of its parents;
where samples have several true classes, children share the area of their parent.
"""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._blocks import MarginLabel, outside_width, placed_outside
from hierviz.charts._subtree_icicle import ALWAYS, LABELS, SHARE, beyond, named_worst, node_frame
from hierviz.charts._text import shorten, text_width, wrap_words
from hierviz.charts._value_colours import drawing_of_cells, value_colours
from hierviz.charts.theme import SIZE, palette
from hierviz.charts.treemap_layout import HEAD, HEIGHT, INSET, LOW, NARROW, treemap_cells
from hierviz.charts.zoom_record import ZoomFigure
from hierviz.charts.zoom_taxonomy import treemap_record
from hierviz.diagnosis._excess import pooled
from hierviz.diagnosis._node_table import NODE_COLUMNS, cost_key, number_text_of
from hierviz.messages.errors import PredictionsError
from hierviz.taxonomy.checks import check_whole

# Pixels: of a line; for the lines around classes at the edges.
LINE, MARGIN = 16, 8
# Width of lines between the classes of a level.
LINES = {3: 4, 2: 2.5}
# What colour shows for each kind of cost, and what the cost is.
RATE_OF = {"n_wrong": "correct", "missed": "recall", "win_lost": "mean_win"}
WHAT = {"n_wrong": "wrong answers", "missed": "missed samples", "win_lost": "lost win"}


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
        Its table: the numbers of the classes that are drawn, grouped ones included. In a notebook and in a report it is one
        that can be zoomed into: all classes, drawn where there is room. In its chart a click on a class with children selects
        its name as ``target`` of `node`.

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

    def record():
        marked = bad if not root else named_worst(table, 0, worst, ALWAYS, cost)
        words = {"file": "treemap", "worst": beyond(table, marked[0], cost) if marked else ""}
        look = {"aspect": width / height, "area": WHAT[cost]}
        return treemap_record(table, cost, RATE_OF[cost], marked, words, **look)

    zoom = {"record": record, "start": table.taxonomy.names[root], "height": height}
    said = functools.partial(_sentence, table, root, cost, cells, bad)
    return ZoomFigure(draw, lambda: _table(table, root, cells), said, dark, width, **zoom)


def _drawn(table, root, cost, cells, dark, width, height, bad):
    look, width = palette(dark), width - MARGIN
    single = [cell for cell in cells if cell.kind in ("class", "group")]
    colours = value_colours(table, RATE_OF[cost], [int(cell.nodes[0]) for cell in single] or [root], dark)
    chips, within = _words_places(table, cost, cells)
    labels = [_outside(table, cost, cell, look, bad) for cell in _unnamed(cells, within, bad)]
    end = max(cell.x + cell.width for cell in cells)
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
    outside, bent, _ = placed_outside(labels if end < width - 1 else [], end, width, height, look.muted)
    notes = [{"kind": "note", "label": f"area: {WHAT[cost]}"}]
    if bad and bad[0] in {int(cell.nodes[0]) for cell in single}:
        notes.append({"kind": "outline", "label": f"worst: {beyond(table, bad[0], cost)}", "colour": look.ink})
    return drawing_of_cells(table, colours, parts, width, height, notes=notes, bent=bent, words=outside)


def _words_places(table, cost, cells):
    """Where names of classes lie over their cells, by node, and what is left of each cell for its words, by its id."""
    chips: dict = {}
    for cell in cells:
        if cell.kind == "group":
            chips[int(cell.nodes[0])] = _chip(table, cost, cell, chips.values())
    return chips, {id(cell): _free(cell, cells, chips.values()) for cell in cells}


def _unnamed(cells, within, bad):
    """Cells of bad classes that have no room for their name."""
    return [cell for cell in cells if cell.kind == "class" and cell.nodes[0] in bad and _is_small(within[id(cell)])]


def _is_small(place):
    return place["x2"] - place["x"] < NARROW or place["y2"] - place["y"] < LOW


def _outside(table, cost, cell, look, bad):
    node = int(cell.nodes[0])
    text = {"text": table.taxonomy.title(node), "more": f" {number_text_of(cost, cell.cost)}", "colour": look.ink}
    place = cell.place
    lines = [text | {"weight": 600 if node == bad[0] else "normal"}]
    return MarginLabel(place["x2"] - cell.width / 2, (place["y"] + place["y2"]) / 2, lines, bad.index(node))


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
    return said


def _cells(table, root, cost, width, height, bad):
    wide = width - MARGIN
    keywords = {"height": height, "worst": bad}
    cells = treemap_cells(table.taxonomy, getattr(table, cost), root, width=wide, **keywords)
    if not cells:
        raise PredictionsError(
            f"treemap: expected mistakes below {table.taxonomy.names[root]!r}, got none. Choose another class or threshold."
        )
    # Labels outside take their room from the cells.
    _, within = _words_places(table, cost, cells)
    low = [_outside(table, cost, cell, palette(), bad) for cell in _unnamed(cells, within, bad)]
    if not low:
        return cells
    wide -= outside_width(low, min(LABELS, SHARE * width))
    return treemap_cells(table.taxonomy, getattr(table, cost), root, width=wide, **keywords)


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
