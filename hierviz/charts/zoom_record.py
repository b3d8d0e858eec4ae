"""What a drawing that one zooms into looks up: a record of plain values, from rectangles, texts and colours of its rows.

Functions and classes
---------------------
zoom_record, texts_of, rows_of, ZoomFigure
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from hierviz.charts._figure import Figure
from hierviz.charts._value_colours import text_on
from hierviz.charts.export import WIDE
from hierviz.charts.theme import palette

# Digits of the sides of rectangles in the unit square; pixels of a legend.
DIGITS, LEGEND = 10, 30
LOOKS = {"light": False, "dark": True}


class ZoomFigure(Figure):
    """A figure that one zooms into in a notebook, in a report and on a page; a file has it as it is drawn.

    Parameters
    ----------
    draw, table, sentence, dark, width
        As of `Figure`.
    record : callable
        Without arguments, gives the record of the whole taxonomy.
    start : str
        Name of the class that is zoomed into at first.
    height : int
        Pixels of the cells.
    """

    is_zoomed = True

    def __init__(self, draw, table, sentence, dark, width, *, record, start, height):
        super().__init__(draw, table, sentence, dark, width)
        self._record, self.start, self._height = record, start, height

    @cached_property
    def record(self):
        """What the drawing looks up: dict of plain values, the same for all classes that can be zoomed into."""
        return self._record()

    def looks(self, themes=(False, True), wide=WIDE):
        """What the browser needs to draw it; one record serves all themes and widths."""
        dark = themes[0] if len(themes) == 1 else None
        look = {"sentence": self.sentence, "room": self._height + LEGEND, "dark": dark}
        return {"zoom": self.record, "start": self.start, **look}


def zoom_record(kind, taxonomy, layout, colours, words, *, legend, marked=(), file):
    """The record of a drawing.

    Parameters
    ----------
    kind : str
        'icicle' or 'treemap'.
    taxonomy : Taxonomy
    layout : ZoomLayout
    colours : dict of str to list of str
        Colour of each row, by 'light' and 'dark'.
    words : dict
        ``said``, the number in each cell; ``count``, its samples in words; ``tips``: dict of title to texts of all rows.
    legend : callable
        Takes whether it is dark, gives the groups of a `_canvas.legend`.
    marked : sequence of int
        Nodes whose names are bold, the one that is outlined first.
    file : str
        Start of the names of files.

    Returns
    -------
    dict
        Plain values, ready for JSON. Columns of ``rows`` have a value for each row of the layout; `parent` is a row.
    """
    rows = layout.rows
    nodes, is_own = rows.node.tolist(), rows.is_own.tolist()
    names = [taxonomy.title(node) + " itself" * own for node, own in zip(nodes, is_own, strict=True)]
    keys = [taxonomy.names[node] for node in nodes]
    pairs = list(zip(colours["light"], colours["dark"], strict=True))
    places = {pair: place for place, pair in enumerate(dict.fromkeys(pairs))}
    looks = {}
    for side, (look, dark) in enumerate(LOOKS.items()):
        fills, of = [pair[side] for pair in places], palette(dark)
        inks = [text_on(fill) for fill in fills]
        looks[look] = {"fills": fills, "inks": inks, "background": of.background, "ink": of.ink}
        looks[look] |= {"muted": of.muted, "others": of.others}
    sides = {side: np.round(getattr(layout, side), DIGITS).tolist() for side in ("x0", "x1", "y0", "y1")}
    found = rows_of(rows, marked)
    return {
        "kind": kind,
        "rows": {
            "node": nodes,
            "parent": rows.parent.tolist(),
            **sides,
            "name": names,
            "key": [None if key == name else key for key, name in zip(keys, names, strict=True)],
            "fill": [places[pair] for pair in pairs],
            "said": words["said"],
            "count": words["count"],
            **({"is_own": is_own} if any(is_own) else {}),
        },
        "tips": [{"title": title, "texts": texts} for title, texts in words["tips"].items()],
        "looks": looks,
        "legend": _both(legend(False), legend(True), rows.n_left_out),
        "marked": found,
        "outlined": found[0] if found else -1,
        "file": file,
    }


def _both(light, dark, n_left_out):
    """Groups of a legend with their colours in both themes."""
    groups = []
    for (title, items), (_, others) in zip(light, dark, strict=True):
        pairs = zip(items, others, strict=True)
        keys = ("kind", "label")
        both = [
            {key: one[key] for key in keys} | {"light": one.get("colour"), "dark": other.get("colour")}
            for one, other in pairs
        ]
        groups.append({"title": title, "items": both})
    if n_left_out:
        note = f"the last {n_left_out} levels have too many classes and are not drawn"
        groups[-1]["items"].append({"kind": "note", "label": note, "light": None, "dark": None})
    return groups


def rows_of(rows, nodes):
    """The first row of each of some nodes that have one, in their order: list of int."""
    first = dict(zip(rows.node[::-1].tolist(), range(len(rows.node) - 1, -1, -1), strict=True))
    return [first[int(node)] for node in nodes if int(node) in first]


def texts_of(values, text):
    """Texts of an array of numbers, each different one written once: list of str."""
    # Of the equal ones nan are one.
    different, places = np.unique(np.asarray(values, dtype=float), return_inverse=True)
    written = np.array([text(value) for value in different.tolist()], dtype=object)
    return written[places].tolist()
