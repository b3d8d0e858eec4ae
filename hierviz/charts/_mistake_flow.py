"""Wrong and coarse answers between two icicles of the classes: the truth's at the left, the answer's mirrored at the right.

Heights are samples, on one scale at both sides; every ribbon is as high at both ends as the samples it has.
"""

from __future__ import annotations

import functools
import itertools

import numpy as np

from hierviz.charts._blocks import inside_words
from hierviz.charts._canvas import boxes, legend, texts
from hierviz.charts._compose import layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._matrix_lines import line_key, line_title
from hierviz.charts._ribbons import ribbon_hover, ribbons, stacked_ends
from hierviz.charts._value_colours import mixed
from hierviz.charts.theme import ANSWERS, SMALL, palette
from hierviz.diagnosis._mistake_flow import KINDS, MistakeFlow
from hierviz.evaluation._judged_answers import LABEL_OUTSIDE
from hierviz.messages.number_text import percent_text
from hierviz.taxonomy.checks import check_kind, check_one_of, check_whole

# Selection that a click makes; pixels above the icicles, of the lowest ribbon with its number, of a narrow drawing, and of a
# level of open classes there and at most elsewhere.
CLICKED = "picked"
HEAD, LOWEST, NARROW, THIN, LEVEL = 24, 12, 620, 9, 84
# Opacity of ribbons: between two classes, inside one, chosen; what is left of it for the smallest ones.
BETWEEN, WITHIN, CHOSEN, SMALLEST = 0.62, 0.3, 0.9, 0.3


def mistake_flow(found, *, chosen=None, height=560, dark=None, width=1000):
    """Ribbons of wrong and coarse answers from the classes of the truth to those of the answer.

    Parameters
    ----------
    found : MistakeFlow
    chosen : str, optional
        Ribbon that is drawn stronger: what `ribbon_key` gives.
    height : int
        Pixels of the icicles and their head.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``truth, predicted, outcome, count, within``, one row a ribbon. A click selects ``picked``: of a ribbon what
        `ribbon_key` gives, of a class that opens or closes the number of its node, else an empty text.

    Raises
    ------
    PredictionsError
        If `found` is no MistakeFlow, or there is no such ribbon.
    """
    check_kind("found", found, MistakeFlow, "hierviz.diagnosis.mistake_flow makes it.")
    check_whole("height", height, 200)
    if chosen is not None:
        check_one_of("chosen", chosen, [ribbon_key(found, place) for place in range(len(found))])
    draw = functools.partial(_drawn, found, chosen, height)
    return Figure(draw, found.to_frame, lambda: _sentence(found), dark, width)


def ribbon_key(found, place):
    """What a ribbon is called in selections: the keys of both lines and its kind."""
    row, column = (line_key(found.folded, int(of[place])) for of in (found.row, found.column))
    return f"{row}|{column}|{found.kind[place]}"


def ribbon_title(found, place):
    """A ribbon in words."""
    row, column = int(found.row[place]), int(found.column[place])
    if found.is_within[place]:
        return f"inside {line_title(found.folded, row)}"
    return f"{line_title(found.folded, row)} → {line_title(found.folded, column, False)}"


def _drawn(found, chosen, height, dark, width):
    look, n = palette(dark), int(found.count.sum())
    scale = (height - HEAD) / n
    sides = [_Side(found, which, scale, width) for which in (0, 1)]
    places = stacked_ends(
        list(zip(found.row.tolist(), found.column.tolist(), found.count.tolist(), strict=True)),
        *(side.tops for side in sides),
        scale,
    )
    left, right = sides[0].edge, sides[1].edge
    rows = []
    largest = {kind: int(found.count[found.kind == kind].max(initial=1)) for kind in KINDS}
    for place, at in enumerate(places):
        key, kind, count = ribbon_key(found, place), str(found.kind[place]), int(found.count[place])
        fill, sign = ANSWERS[kind]
        # The few large ones are seen through the many small ones.
        shade = max(np.sqrt(count / largest[kind]), SMALLEST) * (WITHIN if found.is_within[place] else BETWEEN)
        strength = CHOSEN if key == chosen else float(shade)
        rows.append(
            {
                **at,
                CLICKED: key,
                "colour": look.outcome("outside" if is_outside(found, place) else fill),
                "opacity": strength,
                "tip": f"{sign} {kind}: {ribbon_title(found, place)}",
                "samples": f"{count:,} of {n:,} wrong and coarse answers ({percent_text(count / n, 1)})",
            }
        )
    words = _numbers(found, places, left, right, look)
    pressed = sorted(rows, key=lambda row: row["y"] - row["y2"])
    # Seen: wrong answers over coarse ones, the large over the small; pressed: the small ones, which have little room.
    order = sorted(range(len(rows)), key=lambda place: (str(found.kind[place]), int(found.count[place])))
    rows = [rows[place] for place in order]
    blocks, hovers = [], []
    for side in sides:
        side.draw(look, blocks, words, hovers)
    drawing = layer(
        ribbons(rows, left, right, width, height),
        boxes(blocks, width, height, radius=0),
        texts(words, width, height),
        ribbon_hover(pressed, hovers, left, right, width, height, {"tip": "What", "samples": "Samples"}, CLICKED),
    ).properties(width=width, height=height)
    return vconcat(legend([(None, _items(found, look))], width, dark=dark), drawing, spacing=6)


def _numbers(found, places, left, right, look):
    """The counts of ribbons at one of their ends: where they have the room of a line, then of the largest of the others.

    Wrong answers come first; a count of one answer has to have its own room.
    """
    tall = [at["y2"] - at["y"] >= LOWEST for at in places]
    order = [place for place in range(len(places)) if tall[place] or found.count[place] > 1]
    order.sort(key=lambda place: (not tall[place], found.kind[place] != "wrong", -int(found.count[place])))
    words, taken = [], {"y": [], "end": []}
    for place in order:
        at, sign = places[place], ANSWERS[str(found.kind[place])][1]
        for end, x, align in (("y", left + 8, "left"), ("end", right - 8, "right")):
            middle = (at[end] + at[f"{end}2"]) / 2
            if all(abs(middle - other) >= LOWEST for other in taken[end]):
                taken[end].append(middle)
                said = {"x": x, "y": middle, "align": align, "text": f"{sign} {int(found.count[place]):,}"}
                words.append({**said, "size": SMALL, "weight": 600, "colour": look.ink})
                break
    return words


class _Side:
    """The icicle of one side: of the truth (0) at the left, of the answer (1) at the right.

    `tops` are the pixels at which the lines start, by line; `edge` those of the side of the ribbons.
    """

    def __init__(self, found, which, scale, width):
        self.found, self.which, self.scale, self.width = found, which, scale, width
        of = found.column if which else found.row
        counts = np.bincount(of, found.count, len(found.folded.nodes)).astype(int)
        self.lines = np.flatnonzero(counts).tolist()
        self.counts = {line: int(counts[line]) for line in self.lines}
        self.tops, y = {}, float(HEAD)
        for line in self.lines:
            self.tops[line] = y
            y += scale * self.counts[line]
        self.above = {line: _open_above(found.folded, line) for line in self.lines}
        self.n_levels = max(map(len, self.above.values()))
        self.wide = 0.33 * width
        self.level = THIN if width < NARROW else min(LEVEL, 0.5 * self.wide / max(self.n_levels, 1))
        if self.n_levels == 0:
            self.level = 0.0
        self.edge = width - self.wide if which else self.wide

    def _span(self, start, end):
        """x and x2 of what is so many pixels from the outer edge."""
        return {"x": self.width - end, "x2": self.width - start} if self.which else {"x": start, "x2": end}

    def draw(self, look, blocks, words, hovers):
        """Add the blocks of the classes, their names, and what a pointer on them tells and opens."""
        title = "Answer" if self.which else "Truth"
        head = {"x": self.edge if self.which else 0.0, "y": 9, "text": title, "weight": 600, "colour": look.ink}
        words.append(head)
        for line in self.lines:
            start = self.level * len(self.above[line])
            place = {**self._span(start, self.wide), **self._rows([line])}
            fill = look.others
            self._block(
                look, blocks, words, place, fill, line_title(self.found.folded, line, not self.which), self.counts[line]
            )
            key = line_key(self.found.folded, line)
            can_toggle = bool(self.found.folded.can_open[line] or self.found.folded.is_open[line])
            self._hover(
                hovers,
                place,
                line_title(self.found.folded, line, not self.which),
                self.counts[line],
                key if can_toggle else "",
            )
        for depth in range(self.n_levels):
            for node, lines in itertools.groupby(
                self.lines, key=lambda line, depth=depth: (self.above[line][depth : depth + 1] or (None,))[0]
            ):
                if node is None:
                    continue
                of = list(lines)
                place = {**self._span(self.level * depth, self.level * (depth + 1)), **self._rows(of)}
                name, count = self.found.folded.matrix.taxonomy.title(node), sum(self.counts[line] for line in of)
                fill = mixed(look.background, look.tn, max(0.45, 0.9 - 0.15 * depth))
                self._block(look, blocks, words, place, fill, name, count)
                self._hover(hovers, place, f"{name} (open)", count, str(node))

    def _rows(self, lines):
        return {"y": self.tops[lines[0]], "y2": self.tops[lines[-1]] + self.scale * self.counts[lines[-1]]}

    def _block(self, look, blocks, words, place, fill, name, count):
        is_edged = place["y2"] - place["y"] >= 3
        blocks.append({**place, "colour": fill, "stroke": look.background, "line": 1 if is_edged else 0})
        room = place["x2"] - place["x"]
        value = f"{count:,}" if room >= 110 else ""
        words += inside_words(place, name, value, look.on_grey)

    def _hover(self, hovers, place, name, count, target):
        n = int(self.found.count.sum())
        said = f"{count:,} of {n:,} wrong and coarse answers"
        hovers.append({**place, "tip": name, "samples": said, CLICKED: target})


def _open_above(folded, line):
    """The open classes that hold a line, from above, the root left out: of "X itself" and of others, X is the last of them."""
    node, tree = int(folded.nodes[line]), folded.tree
    if node <= 0:
        return []
    holds_itself = folded.is_open[line] or folded.n_folded[line]
    path = [node] if holds_itself else []
    while (node := int(tree.parent[node])) > 0:
        path.append(node)
    return path[::-1]


def is_outside(found, place):
    """Whether the answers of a ribbon lie outside the taxonomy."""
    return int(found.folded.nodes[found.column[place]]) == LABEL_OUTSIDE


def _items(found, look):
    total = found.total
    items = [
        {"kind": "box", "label": f"{ANSWERS[kind][1]} {kind} {total[kind]:,}", "colour": look.outcome(ANSWERS[kind][0])}
        for kind in KINDS[::-1]
    ]
    outside = sum(int(found.count[place]) for place in range(len(found.count)) if is_outside(found, place))
    if outside:
        label = f"{ANSWERS['wrong'][1]} of these outside the taxonomy {outside:,}"
        items.insert(1, {"kind": "box", "label": label, "colour": look.outside})
    items.append({"kind": "note", "label": "height: answers"})
    if found.is_within.any():
        items.append({"kind": "note", "label": "pale: inside a closed class, or few answers"})
    return items


def _sentence(found):
    """How many answers flow, the largest ribbon between two classes, and how many are inside closed classes."""
    total, n = found.total, int(found.count.sum())
    said = f"{total['wrong']:,} wrong and {total['coarse']:,} coarse answers of {found.n_samples:,}"
    between = np.flatnonzero(~found.is_within)
    if len(between):
        most = int(between[np.argmax(found.count[between])])
        said += f"; the most between two classes are {ribbon_title(found, most)} ({int(found.count[most]):,} {found.kind[most]})"
    within = int(found.count[found.is_within].sum())
    said += f"; {within:,} ({percent_text(within / n, 1)}) are inside closed classes." if within else "."
    return said
