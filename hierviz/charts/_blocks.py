"""Blocks next to each other whose heights are amounts: where they are, words inside them, and labels next to thin ones.

Heights are true: nothing is enlarged to hold its words. What has no room for them has its label to the right of the drawing,
at the end of a thin line, so that small and large blocks can be compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from hierviz.charts._canvas import places
from hierviz.charts._compose import OWN_COLOUR, STILL, frame
from hierviz.charts._text import shorten, text_width, wrap_words
from hierviz.charts.theme import SIZE, SMALL

# Pixels: between the edge of a block and its words, between lines, the lowest blocks with words of the two sizes in them.
INSET, LINE, LOWEST, LOW = 8, 16, 13, 17
# Blocks that are narrower have less space at the sides.
ROOMY = 110
# Between blocks and their labels outside, and what a leader bends in.
LEAD, BEND = 22, 12
# Shorter words for the same.
SHORT = {"answer = truth": "exact"}
# Height of a block that would be thinner than a line that can be seen.
HAIRLINE = 1.0
# Blocks from this height on have a thin edge against their neighbours.
EDGED = 4


def stacked(parents, sizes):
    """Where each of some blocks starts, and the room that it and all in it need, both in units of the sizes.

    Children start where their parent starts, one after the other. What is inside a block may need more than the block itself:
    then the next one starts further down, and every block keeps its size.

    Parameters
    ----------
    parents : sequence of int
        Place of the parent of each, which comes before it; -1 of the first.
    sizes : sequence of float
        At least 0.

    Returns
    -------
    (list of float, list of float)
    """
    n = len(sizes)
    inside, room, start, used = [0.0] * n, [0.0] * n, [0.0] * n, [0.0] * n
    for i in reversed(range(n)):
        room[i] = max(sizes[i], inside[i])
        if parents[i] >= 0:
            inside[parents[i]] += room[i]
    for i in range(1, n):
        parent = parents[i]
        start[i] = start[parent] + used[parent]
        used[parent] += room[i]
    return start, room


def inside_words(place, name, value, ink, *, tag="", bold=False):
    """Rows of `texts` with the words of a block; none where they have no room in it.

    Parameters
    ----------
    place : dict
        x, x2, y and y2, pixels.
    name : str, or callable
        A callable takes the pixels there are and gives a text that fits.
    value, ink, tag : str
        The number, the colour, and a word below the name.
    bold : bool
        Of the name.
    """
    tall, room = place["y2"] - place["y"], place["x2"] - place["x"]
    inset = INSET if room >= ROOMY else INSET / 2
    room -= 2 * inset
    if tall < LOWEST or room < 20:
        return []
    size, weight = SIZE if tall >= LOW else SMALL, 600 if bold or tag else "normal"
    number = text_width(value, size, bold=True) if value else 0
    beside = room - (number + 6 if value else 0)
    left, right, middle = place["x"] + inset, place["x2"] - inset, (place["y"] + place["y2"]) / 2
    text = name if isinstance(name, str) else name(beside)
    fits = text_width(text, size, weight == 600) + (8 + text_width(tag, SMALL) if tag else 0) <= beside
    if fits or tall < 2 * LINE + 2:
        if not fits and (tag or beside < 30):
            return []
        rows = [{"x": left, "y": middle, "text": shorten(text, beside, size, weight == 600), "weight": weight}]
        if tag:
            rows.append({"x": left + text_width(text, size, bold=True) + 8, "y": middle, "text": tag, "size": SMALL})
        last = middle
    else:
        text = name if isinstance(name, str) else name(room)
        # The tag is next to the number, or above it.
        is_beside = text_width(tag, SMALL) + number + 6 <= room
        if tag and not is_beside and tall < 3 * LINE + 2:
            tag, is_beside = SHORT.get(tag, tag), True
        below = bool(value or tag) + bool(tag and value and not is_beside)
        lines = wrap_words(text, room, size, max(1, min(3, int((tall - 4) // LINE) - below)), weight == 600)
        first = middle - LINE * (len(lines) + below - 1) / 2
        rows = [{"x": left, "y": first + LINE * i, "text": line, "weight": weight} for i, line in enumerate(lines)]
        if tag:
            rows.append({"x": left, "y": first + LINE * len(lines), "text": tag, "size": SMALL, "limit": room + 4})
        last = first + LINE * (len(lines) + below - 1)
    if value:
        rows.append({"x": right, "y": last, "text": value, "weight": 600, "align": "right"})
    return [{"size": size, "colour": ink, **row} for row in rows]


@dataclass(frozen=True)
class MarginLabel:
    """A label next to a drawing.

    Attributes
    ----------
    x, y : float
        Pixels where its leader starts.
    lines : sequence of dict
        ``text`` and ``colour``, optionally ``more``, which follows the text and is not cut, ``weight`` and ``size``.
    rank : float
        Where there is no room for all, those of the lowest rank are drawn.
    row : dict, optional
        What a pointer on the label tells and opens.
    """

    x: float
    y: float
    lines: Sequence[dict]
    rank: float = 0.0
    row: dict | None = None

    @property
    def height(self):
        """Pixels."""
        return LINE * len(self.lines)


def outside_width(labels, most):
    """Pixels that labels and their leaders need, at most `most`; 0 without labels."""
    lines = [line for label in labels for line in label.lines]
    if not lines:
        return 0.0
    widths = (
        text_width(line["text"] + line.get("more", ""), line.get("size", SIZE), line.get("weight") == 600)
        for line in lines
    )
    return min(most, LEAD + 4 + max(widths))


def placed_outside(labels, left, right, height, colour):
    """Labels between two pixels, none on top of another.

    Returns
    -------
    (list of dict, list of dict, list of (MarginLabel, dict))
        Rows of `texts`, rows of `leaders`, and the labels that are drawn with their places (x, x2, y, y2).
    """
    kept, used = [], 0.0
    for label in sorted(labels, key=lambda label: label.rank):
        if used + label.height <= height:
            kept.append(label)
            used += label.height
    kept.sort(key=lambda label: (label.y, label.x))
    tops = spread([label.y - label.height / 2 for label in kept], [label.height for label in kept], height)
    words, lines, drawn, x = [], [], [], left + LEAD
    for label, top in zip(kept, tops, strict=True):
        bend = left + LEAD - BEND - 4
        lines.append({"x": label.x, "x2": bend, "y": label.y, "y2": label.y, "colour": colour})
        lines.append({"x": bend, "x2": x - 4, "y": label.y, "y2": top + LINE / 2, "colour": colour})
        for i, line in enumerate(label.lines):
            size, bold = line.get("size", SIZE), line.get("weight") == 600
            more = line.get("more", "")
            text = shorten(line["text"], right - x - text_width(more, size, bold), size, bold) + more
            words.append(
                {"size": size, "weight": line.get("weight", "normal"), "colour": line["colour"], "text": text, "x": x}
            )
            words[-1] |= {"y": top + LINE * (i + 0.5), "limit": right - x + 4}
        drawn.append((label, {"x": x - 4, "x2": right, "y": top, "y2": top + label.height}))
    return words, lines, drawn


def spread(wanted, heights, height):
    """Tops of some labels, as near to those that are wanted as they can be without overlap; ascending."""
    tops, below = [], 0.0
    for top, tall in zip(wanted, heights, strict=True):
        tops.append(max(top, below))
        below = tops[-1] + tall
    above = height
    for i in reversed(range(len(tops))):
        tops[i] = max(0.0, min(tops[i], above - heights[i]))
        above = tops[i]
    return tops


def leaders(rows, width, height):
    """Thin lines from blocks to their labels: x, x2, y, y2, colour."""
    mark = alt.Chart(frame(rows)).mark_rule(strokeWidth=1, **STILL)
    return mark.encode(**places(width, height, ends="xy"), color=OWN_COLOUR)


def edges(columns, colour):
    """Rows of `leaders` between blocks that are one below the other.

    Parameters
    ----------
    columns : sequence of sequence of dict
        Places of the blocks of each column, from above.
    colour : str
    """
    return [
        {"x": below["x"], "x2": below["x2"], "y": below["y"], "y2": below["y"], "colour": colour}
        for column in columns
        for above, below in itertools.pairwise(column)
        if min(above["y2"] - above["y"], below["y2"] - below["y"]) >= EDGED and below["y"] - above["y2"] < 0.5
    ]
