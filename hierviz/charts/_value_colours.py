"""Colours of one number of many nodes: orange is worse, blue is better.

Grey is the number of all samples for `correct` and the mean win, and half way between the ends for shares that are 1 at the
root. Of counts and errors grey is 0, and orange (blue where neither end is worse) the largest number shown. The number itself
is always written too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.charts._canvas import boxes, hover, legend, texts
from hierviz.charts._compose import layer, vconcat
from hierviz.charts.theme import palette
from hierviz.diagnosis._node_table import NODE_COLUMNS, number_text_of, usable_columns

# Shares that differ by less than this from that of all samples do not get a full colour.
LEAST_SPAN = 0.05
# Shares that are informative for all samples; the others are 1 at the root.
OF_ALL = ("correct", "mean_win")


@dataclass(frozen=True)
class ValueColours:
    """Colours of a column of a `NodeTable`, from `value_colours`.

    Attributes
    ----------
    key : str
    low, middle, high : float
        Numbers of the first, the grey and the last colour.
    of_all : bool
        Whether `middle` is the number of all samples.
    dark : bool
    """

    key: str
    low: float
    middle: float
    high: float
    of_all: bool
    dark: bool

    @property
    def is_share(self):
        """Whether there are two ends with grey between them."""
        return NODE_COLUMNS[self.key].kind == "share"

    def fill(self, value):
        """Colour of a number; of nan that of the background of folded nodes."""
        look = palette(self.dark)
        if not np.isfinite(value):
            return look.others
        worse, below = NODE_COLUMNS[self.key].worse, value < self.middle
        span = self.middle - self.low if below else self.high - self.middle
        # What is below the middle is worse where low numbers are.
        end = look.fp if worse and below == (worse == "low") else look.path
        return mixed(look.tn, end, abs(value - self.middle) / max(span, 1e-12))

    def text(self, fill):
        """Colour of a text on a fill: black or white, whichever is read better."""
        channels = [int(fill[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        bright = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        return "#ffffff" if 1.05 / (bright + 0.05) >= (bright + 0.05) / 0.05 else "#000000"

    def items(self):
        """Items of a `legend`: what each colour means."""
        key = self.key

        def said(value, words=""):
            return {"kind": "box", "label": f"{number_text_of(key, value)}{words}", "colour": self.fill(value)}

        if not self.is_share:
            return [said(self.low), said(self.high, " (the most below this class)")]
        ends = {value: said(value) for value in (self.low, self.high)}
        ends[self.middle] = said(self.middle, " (all samples)" if self.of_all else "")
        return [ends[value] for value in sorted(ends)]


def value_colours(table, key, nodes, dark=False):
    """The ValueColours of a column for the nodes that are drawn.

    Parameters
    ----------
    table : NodeTable
    key : str
        Key of `NODE_COLUMNS`.
    nodes : sequence of int
    dark : bool
    """
    values = np.asarray(getattr(table, key), dtype=float)
    shown = values[np.asarray(nodes, dtype=np.intp)]
    shown = shown[np.isfinite(shown)]
    if NODE_COLUMNS[key].kind != "share":
        return ValueColours(key, 0.0, 0.0, float(shown.max(initial=0)) or 1.0, False, dark)
    of_all = key in OF_ALL and bool(np.isfinite(values[0]))
    low, high = shown.min(initial=1), shown.max(initial=0)
    middle = float(values[0]) if of_all else (low + high) / 2
    low, high = max(0.0, min(low, middle - LEAST_SPAN)), min(1.0, max(high, middle + LEAST_SPAN))
    return ValueColours(key, float(low), float(middle), float(high), of_all, dark)


def mixed(a, b, share):
    share = min(max(share, 0.0), 1.0)
    parts = [(int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(one + (other - one) * share):02x}" for one, other in parts)


# Name of the selection of the charts of subtrees.
CLICKED = "node"


def tooltip_of(table, node):
    """Name, number of children and all numbers of a node: dict of field to text."""
    taxonomy = table.taxonomy
    n_children = int(taxonomy.children.lengths[node])
    said = {"tip_name": taxonomy.title(node), "tip_children": f"{n_children:,}" if n_children else "none, a leaf"}
    return said | {key: number_text_of(key, float(getattr(table, key)[node])) for key in usable_columns(table)}


def tooltip_titles(table):
    """Titles of the fields of `tooltip_of`."""
    columns = {key: NODE_COLUMNS[key].label for key in usable_columns(table)}
    return {"tip_name": "Class", "tip_children": "Children"} | columns


def drawing_of_cells(table, colours, cells, width, height):
    """The figure of some cells, below a legend of their colours, the ValueColours.

    Cells are dicts with ``place`` (x, x2, y, y2), ``node`` (None for several small classes and the like), ``name``, ``tips``
    (fields of `tooltip_titles` where there is no node), ``is_open`` (whether a click opens its subtree) and ``words``: a
    function of the colour of the text that gives rows of `texts`.
    """
    look, taxonomy = palette(colours.dark), table.taxonomy
    titles, rows, words, hovers = tooltip_titles(table), [], [], []
    for cell in cells:
        node, place = cell["node"], cell["place"]
        fill = look.others if node is None else colours.fill(float(getattr(table, colours.key)[node]))
        rows.append({**place, "colour": fill, **cell.get("edge", {})})
        words += cell["words"](look.on_grey if node is None else colours.text(fill))
        target = taxonomy.names[node] if node is not None and cell["is_open"] and not taxonomy.is_leaf[node] else ""
        tips = cell["tips"] if node is None else tooltip_of(table, node)
        # A click chooses the name of an inner node; what has nothing below it has none.
        cursor = "pointer" if target else "default"
        hovers.append({**dict.fromkeys(titles, ""), **place, **tips, "target": target, "cursor": cursor})
    drawing = layer(
        boxes(rows, width, height, radius=2),
        *([texts(words, width, height)] if words else []),
        hover(hovers, width, height, titles, CLICKED, "target"),
    ).properties(width=width, height=height)
    others = {"kind": "box", "label": "several small classes", "colour": look.others}
    groups = [(f"{NODE_COLUMNS[colours.key].label}:", [*colours.items(), others])]
    return vconcat(legend(groups, width, dark=colours.dark), drawing, spacing=6)
