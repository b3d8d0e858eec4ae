"""Colours of one number of many nodes: orange is worse, blue is better.

Shares have one scale from 0 to 1 with grey at `MIDDLE`, the same in all drawings and of all models; what few samples have is
paler. Of counts and errors grey is 0, and orange (blue where neither end is worse) the largest number shown. The number itself
is always written too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.charts._blocks import edges, leaders
from hierviz.charts._canvas import boxes, hover, legend, texts
from hierviz.charts._compose import layer, vconcat
from hierviz.charts.theme import palette
from hierviz.diagnosis._node_table import NODE_COLUMNS, number_text_of, usable_columns
from hierviz.messages.number_text import percent_text

# Shares that are grey and in the legend: most classes of most models are right more often than half of the time.
MIDDLE, LEGEND = 0.75, (0.0, 0.5, 0.75, 1.0)
# Samples from which on a colour is full, and how much of it a single sample leaves.
ENOUGH, FAINTEST = 30, 0.2
# Contrast from which on a text is white.
WHITE = 3.8


@dataclass(frozen=True)
class ValueColours:
    """Colours of a column of a `NodeTable`, from `value_colours`.

    Attributes
    ----------
    key : str
    low, middle, high : float
        Numbers of the first, the grey and the last colour.
    dark : bool
    """

    key: str
    low: float
    middle: float
    high: float
    dark: bool

    @property
    def is_share(self):
        """Whether there are two ends with grey between them."""
        return NODE_COLUMNS[self.key].kind == "share"

    def fill(self, value, n=None):
        """Colour of a number, a share of `n` samples (many if not given); of nan that of the background of folded nodes."""
        look = palette(self.dark)
        if not np.isfinite(value):
            return look.others
        worse, below = NODE_COLUMNS[self.key].worse, value < self.middle
        span = self.middle - self.low if below else self.high - self.middle
        # What is below the middle is worse where low numbers are.
        end = look.fp if worse and below == (worse == "low") else look.path
        full = mixed(look.tn, end, abs(value - self.middle) / max(span, 1e-12))
        return mixed(look.background, full, strength(n)) if self.is_share and n is not None else full

    def text(self, fill):
        """Colour of a text on a fill: see `text_on`."""
        return text_on(fill)

    def items(self, most="the most below this class"):
        """Items of a `legend`: what each colour means; `most` says what the largest count is."""
        key = self.key
        if not self.is_share:
            ends = ((self.low, ""), (self.high, f" ({most})"))
            return [self._item(number_text_of(key, value) + words, value) for value, words in ends]
        return [self._item(percent_text(value), value) for value in LEGEND]

    def faded(self):
        """Items of a `legend`: how pale few samples are."""
        if not self.is_share:
            return []
        return [self._item("1 sample", 1.0, 1), self._item("10", 1.0, 10), self._item(f"{ENOUGH} or more", 1.0, ENOUGH)]

    def legend(self, *notes, **words):
        """A group of a `legend`: title and items, `notes` among them; `words` are those of `items`."""
        items = self.items(**words)
        if self.is_share:
            items = [*items, {"kind": "note", "label": "paler: fewer samples"}, *self.faded()]
        return f"{NODE_COLUMNS[self.key].label}:", [*items, *notes]

    def _item(self, label, value, n=None):
        return {"kind": "box", "label": label, "colour": self.fill(value, n)}


def text_on(fill):
    """Colour of a text on a fill: white where that is read well, else black, which is read worse on blue and orange."""
    channels = [int(fill[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    bright = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#ffffff" if 1.05 / (bright + 0.05) >= WHITE else "#000000"


def strength(n):
    """How much is left of a colour where it stands for `n` samples, in (0, 1]: as wide as their standard error is narrow."""
    return min(1.0, max(FAINTEST, (max(n, 0) / ENOUGH) ** 0.5))


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
    if NODE_COLUMNS[key].kind == "share":
        return ValueColours(key, 0.0, MIDDLE, 1.0, dark)
    shown = np.asarray(getattr(table, key), dtype=float)[np.asarray(nodes, dtype=np.intp)]
    return ValueColours(key, 0.0, 0.0, float(shown[np.isfinite(shown)].max(initial=0)) or 1.0, dark)


def n_behind(table, key, node):
    """Number of samples that a share of a node is of."""
    return int((table.answered if key == "precision" else table.support)[node])


def mixed(a, b, share):
    """A colour between two, `share` of the second."""
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


def drawing_of_cells(table, colours, cells, width, height, *, notes=(), columns=(), bent=(), words=()):
    """The figure of some cells, below a legend of their colours, the ValueColours.

    Parameters
    ----------
    table : NodeTable
    colours : ValueColours
    cells : list of dict
        ``place`` (x, x2, y, y2); ``node`` (None for several small classes and the like, which have ``value`` and ``n``, the
        number behind their colour and its samples); ``tips`` (fields of `tooltip_titles` where there is no node), ``is_open``
        (whether a click opens its subtree), ``is_worst``, and ``words``: a function of the colour of the text that gives rows of
        `texts`. One with a ``frame`` (a place and the width of its line) is drawn over the others, which are inside its frame.
    width, height : float
        Pixels.
    notes : sequence of dict
        Further items of the legend.
    columns : sequence of sequence of dict
        Places of cells that are one below the other.
    bent, words : sequence of dict
        Leaders and texts of labels outside.
    """
    look, taxonomy = palette(colours.dark), table.taxonomy
    titles, rows, texts_of, hovers, outlines = tooltip_titles(table), [], list(words), [], []
    frames, chips = [], []
    for cell in cells:
        node, place = cell["node"], cell["place"]
        if node is None:
            fill = colours.fill(cell["value"], cell["n"])
        else:
            fill = colours.fill(float(getattr(table, colours.key)[node]), n_behind(table, colours.key, node))
        (chips if "frame" in cell else rows).append({**place, "colour": fill, **cell.get("edge", {})})
        if "frame" in cell:
            around, line = cell["frame"]
            frames.append({**around, "colour": "transparent", "stroke": look.background, "line": line})
        if cell.get("is_worst"):
            outlines.append(
                _around(cell["frame"][0] if "frame" in cell else place)
                | {"colour": "transparent", "stroke": look.ink, "line": 2.5}
            )
        texts_of += cell["words"](colours.text(fill))
        target = taxonomy.names[node] if node is not None and cell["is_open"] and not taxonomy.is_leaf[node] else ""
        tips = cell["tips"] if node is None else tooltip_of(table, node)
        # A click chooses the name of an inner node; what has nothing below it has none.
        cursor = "pointer" if target else "default"
        hovers.append({**dict.fromkeys(titles, ""), **place, **tips, "target": target, "cursor": cursor})
        hovers[-1]["over"] = "frame" in cell
    hovers.sort(key=lambda row: row.pop("over"))
    lines = [*edges(columns, look.background), *bent]
    drawing = layer(
        boxes(rows, width, height, radius=0 if columns else 2),
        *([leaders(lines, width, height)] if lines else []),
        *([boxes(frames, width, height, radius=0), boxes(chips, width, height, radius=2)] if chips else []),
        *([boxes(outlines, width, height, radius=0)] if outlines else []),
        *([texts(texts_of, width, height)] if texts_of else []),
        hover(hovers, width, height, titles, CLICKED, "target"),
    ).properties(width=width, height=height)
    groups = [colours.legend(*_of_groups(cells, look), *notes)]
    return vconcat(legend(groups, width, dark=colours.dark), drawing, spacing=6)


def _around(place):
    """The outline of a cell, inside of it where it is large enough."""
    inset = 1.5 if min(place["x2"] - place["x"], place["y2"] - place["y"]) > 8 else -1.5
    return {
        "x": place["x"] + inset,
        "x2": place["x2"] - inset,
        "y": place["y"] + inset,
        "y2": place["y2"] - inset,
    }


def _of_groups(cells, look):
    """Item of the legend for cells of several classes that have no number together."""
    if not any(cell["node"] is None and not np.isfinite(cell["value"]) for cell in cells):
        return []
    return [{"kind": "box", "label": "several small classes", "colour": look.others}]
