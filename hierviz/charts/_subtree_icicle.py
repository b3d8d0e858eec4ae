"""Icicle of a taxonomy: depth from left to right, height by the samples below each class, colour by one of its numbers.

Children are below each other, the largest first. What would be too low for its name is grouped as "others", coloured by the
number of its samples together; the subtrees with the most mistakes beyond the expected ones are never grouped: where they are
low their labels are on the right, and where they are further down than the levels drawn, they have a column of their own. In a
graph a class is under each of its parents. Where samples have several true classes, children share the height of their parent
in proportion to their samples.
"""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._blocks import MarginLabel, inside_words, outside_width, placed_outside
from hierviz.charts._compose import frame
from hierviz.charts._value_colours import drawing_of_cells, value_colours
from hierviz.charts.subtree_layout import HEIGHT, LEAST, subtree_cells
from hierviz.charts.theme import palette
from hierviz.charts.zoom_record import ZoomFigure
from hierviz.charts.zoom_taxonomy import icicle_record
from hierviz.diagnosis._excess import excess, pooled, worst_subtrees
from hierviz.diagnosis._node_table import NODE_COLUMNS, cost_key, number_text_of, usable_columns
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.number_text import fixed_text
from hierviz.taxonomy.checks import check_whole

GAP = 2
# Pixels below which there is room for few columns.
NARROW = 500
# Subtrees that are always drawn; share of the width that labels outside may take, and pixels.
ALWAYS, SHARE, LABELS = 12, 0.26, 260


def subtree_icicle(table, root=0, *, value="correct", worst=None, height=HEIGHT, dark=None, width=1000):
    """Icicle of the subtree at a node, coloured by a number of each class.

    Parameters
    ----------
    table : NodeTable
    root : int
    value : str
        Key of `NODE_COLUMNS`.
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
        Its table: the numbers of the classes that are drawn, grouped ones included, one row a class. In a notebook and in a
        report it is one that can be zoomed into: all classes, drawn where there is room. In its chart a click on a class with
        children selects its name as ``target`` of `node`.

    Raises
    ------
    PredictionsError
        If the column is not known or has no number, or no sample has a truth in this subtree.
    """
    check_whole("height", height, 100)
    bad = named_worst(table, root, worst, ALWAYS)
    cells_of = functools.cache(lambda width: _cells(table, root, value, width, height, bad))
    cells = cells_of(width)

    def draw(dark, width):
        return _drawn(table, root, value, cells_of(width), dark, width, height, bad[:1])

    def record():
        # Of all classes: those of the whole taxonomy are marked, whatever is zoomed into.
        marked = bad if not root else named_worst(table, 0, worst, ALWAYS)
        words = {"file": "icicle", "worst": beyond(table, marked[0]) if marked else ""}
        return icicle_record(table, value, marked, words)

    zoom = {"record": record, "start": table.taxonomy.names[root], "height": height}
    said = functools.partial(_sentence, table, root, value, cells, bad)
    return ZoomFigure(draw, lambda: _table(table, cells), said, dark, width, **zoom)


def named_worst(table, root, worst, most, cost=None):
    """Nodes that a drawing of a subtree always shows, the one that is called the worst first: list of int."""
    found = worst_subtrees(table, root, most, cost).tolist()
    if worst is None or worst in (0, root) or not table.support[worst] or worst not in table.taxonomy.subtree(root):
        return found
    return [int(worst), *(node for node in found if node != worst)][:most]


def _drawn(table, root, value, cells, dark, width, height, worst):
    taxonomy, look = table.taxonomy, palette(dark)
    width -= 4
    single = [int(cell.nodes[0]) for cell in cells if not cell.is_others]
    colours = value_colours(table, value, single[1:] or single, dark)
    low = [
        _outside(table, cell, {"x2": 0.0, "y": 0.0, "y2": 0.0}, value, look, worst)
        for cell in cells
        if cell.height < LEAST
    ]
    is_narrow = width < NARROW
    right = width - outside_width(low, min(LABELS, (1.3 if is_narrow else 1) * SHARE * width))
    n_levels = max(cell.level for cell in cells) + 1
    # The root says little: its column is narrow.
    first = min(right / n_levels, 130, (0.18 if is_narrow else 0.24) * right) if n_levels > 1 else right
    left = [0.0] + [first + (right - first) * i / max(n_levels - 1, 1) for i in range(n_levels)]
    parts, columns, labels = [], {}, []
    for cell in cells:
        x = left[cell.level]
        place = {"x": x, "x2": left[cell.level + 1] - GAP, "y": cell.top, "y2": cell.top + cell.height}
        columns.setdefault(cell.level, []).append(place)
        node = None if cell.is_others else int(cell.nodes[0])
        name, number = _name(taxonomy, cell), _number(table, value, cell)
        said = number_text_of(value, number) if np.isfinite(number) else ""
        words = functools.partial(inside_words, place, name, said, bold=node in worst)
        tips = {"tip_name": _listed(taxonomy, cell.nodes), value: said}
        if cell.height < LEAST:
            words = _no_words
            labels.append(_outside(table, cell, place, value, look, worst))
        parts.append({"place": place, "node": node, "tips": tips, "is_open": node != root, "words": words})
        parts[-1] |= {"value": number, "n": _support(table, cell), "is_worst": node in worst}
    outside, bent, _ = placed_outside(labels, right, width, height, look.muted)
    notes = [{"kind": "note", "label": "height: samples"}]
    if worst and worst[0] in single:
        notes.append({"kind": "outline", "label": f"worst: {beyond(table, worst[0])}", "colour": look.ink})
    if n_levels - 1 > _levels(width + 4):
        notes.append({"kind": "note", "label": "last column: the worst of the classes further down"})
    more = {"notes": notes, "columns": list(columns.values()), "bent": bent, "words": outside}
    return drawing_of_cells(table, colours, parts, width, height, **more)


def _no_words(_):
    return []


def _name(taxonomy, cell):
    return f"{len(cell.nodes):,} others" if cell.is_others else taxonomy.title(int(cell.nodes[0]))


def _number(table, value, cell):
    """The number of a cell; of several classes that of their samples together, nan in a graph."""
    if not cell.is_others:
        return float(getattr(table, value)[cell.nodes[0]])
    return pooled(table, value, cell.nodes) if table.taxonomy.is_tree else np.nan


def _support(table, cell):
    return int(table.support[cell.nodes].sum())


def _outside(table, cell, place, value, look, worst):
    """The label of a low cell."""
    node = int(cell.nodes[0])
    more = f" {number_text_of(value, _number(table, value, cell))}"
    line = {
        "text": _name(table.taxonomy, cell),
        "more": more,
        "colour": look.ink,
        "weight": 600 if node in worst else "normal",
    }
    return MarginLabel(
        place["x2"], (place["y"] + place["y2"]) / 2, [line], -float(excess(table)[node]) - 1e9 * (node in worst)
    )


def beyond(table, node, cost=None):
    """How much worse a class is than expected, in words; `cost` is as in `excess`."""
    key = cost_key(table) if cost is None else cost
    of = float(getattr(table, key)[node])
    what = {
        "n_wrong": f"of {table.support[node]:,} wrong",
        "missed": f"of {table.support[node]:,} missed",
        "win_lost": "win lost",
    }
    more = float(excess(table, key)[node])
    amount = f"{fixed_text(abs(more), 1)} {'more' if more >= 0 else 'less'} than expected"
    return f"{table.taxonomy.title(node)}, {number_text_of(key, of)} {what[key]}, {amount}"


def _table(table, cells):
    nodes = np.concatenate([cell.nodes for cell in cells])
    depth = np.concatenate([np.full(len(cell.nodes), cell.level) for cell in cells])
    return node_frame(table, nodes, {"level": depth})


def node_frame(table, nodes, lead=None):
    """Numbers of some classes as a table: name, the columns of `lead`, and the columns that have a number."""
    names = [table.taxonomy.names[node] for node in nodes.tolist()]
    columns = {key: getattr(table, key)[nodes] for key in usable_columns(table)}
    return frame({"class": names, **(lead or {}), **columns})


def _sentence(table, root, value, cells, worst):
    """What the icicle shows, in words."""
    taxonomy, column = table.taxonomy, NODE_COLUMNS[value]
    # In a graph a class is below each of its parents.
    drawn = len({int(cell.nodes[0]) for cell in cells if not cell.is_others}) - 1
    folded = sum(len(cell.nodes) for cell in cells if cell.is_others)
    said = f"{taxonomy.title(root)}: {number_text_of('support', table.support[root])} samples"
    if value != "support":
        said += f", {column.label.lower()} {number_text_of(value, float(getattr(table, value)[root]))}"
    if worst:
        said += f"; the worst class below it is {beyond(table, worst[0])}"
    rest = f", {folded:,} too small to draw {'is' if folded == 1 else 'are'} grouped" if folded else ""
    drawn_text = f"{drawn:,} {'class is' if drawn == 1 else 'classes are'} drawn below it"
    return (
        f"{said}. Height is the number of samples with a truth at or below the class, colour is {column.label.lower()}. "
        f"{drawn_text}{rest}."
    )


def _levels(width):
    return 2 if width < NARROW else 3 if width < 800 else 4


def _cells(table, root, value, width, height, worst):
    if value not in NODE_COLUMNS or not np.isfinite(getattr(table, value)).any():
        known = ", ".join(usable_columns(table))
        raise PredictionsError(f"icicle: expected a column with numbers ({known}), got {shown(value)}. Choose one.")
    if not table.support[root]:
        raise PredictionsError(
            f"icicle: expected samples with a truth below {table.taxonomy.names[root]!r}, got none. Choose a class above it."
        )
    # A column of deeper classes leaves the others of a phone too little room: there it is for the worst class alone.
    worst = worst[: ALWAYS if width >= NARROW else 1]
    keywords = {"levels": _levels(width), "height": height, "worst": worst, "badness": excess(table)}
    return subtree_cells(table.taxonomy, table.support, root, **keywords)


def _listed(taxonomy, nodes, most=6):
    names = [taxonomy.title(node) for node in nodes[:most].tolist()]
    more = len(nodes) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")
