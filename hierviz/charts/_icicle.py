"""Icicle of a folded tree: depth from left to right, height by probability.

What is drawn taller than its probability has a striped edge. Every cell carries its p and a thin bar in a track from 0 to 1,
which is equally long everywhere.

One scale of heights for all cells, in pixels for a probability of 1: at one depth a cell of a larger probability is never
lower than one of a smaller, and the cells of the children lie within that of their parent. What is too improbable to draw is
left out, unless it is on a path or kept for another reason: then it gets the least height. It, and what it makes taller by
more than `TOLERANCE`, is marked as not to scale.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from hierviz.charts._canvas import boxes, hover, stripes, texts
from hierviz.charts._compose import layer
from hierviz.charts._text import text_width, wrap_words
from hierviz.charts.theme import SIZE, SMALL
from hierviz.messages.number_text import count_text

GAP, INSET, LINE = 3, 10, 16
NARROWEST, WIDEST = 92, 250
TOOLTIP = {"name": "Node", "tip_p": "p", "tip_outcome": "Outcome", "tip_hidden": "Nodes not shown"}
# What a click on a row opens: the number of its node; of folded siblings -1 minus that of their parent.
OPENED = "opened"
# Pixels of a cell with one line of text, and with a second line for its tag.
ROW, TAGGED = 27, 42
# Pixels for a probability of 1: at least, at most, and less where else the budget of the whole figure would not hold.
LEAST, MOST, COARSEST, BUDGET = 400, 560, 54, 900
# A cell may be so much taller than its probability, as a share and in pixels, before it is marked.
TOLERANCE, SLACK = 0.1, 2


def icicle(layout, look, width, select=None):
    """Draw an `IcicleLayout`, its rows with ``tag`` and texts, `width` pixels wide; `select`: see `_canvas.hover`."""
    left = _columns(layout.drawn, width - 2)
    # Columns differ in width; the bars of all have one scale.
    full = min(b - a for a, b in itertools.pairwise(left)) - GAP - 2 * INSET
    cells, bars, edges, words, tips = [], [], [], [], []
    for row, y, tall, to_scale in zip(layout.rows, layout.top, layout.height, layout.to_scale, strict=True):
        if not tall:
            continue
        x, x2, y2 = left[row["depth"]], left[row["depth"] + 1] - GAP, y + tall - GAP
        outcome = row["outcome"]
        place = {"x": x, "x2": x2, "y": y, "y2": y2}
        cells.append({**place, "colour": look.outcome(outcome)})
        if row["on_truth"]:
            outline = {"x": x + 1, "x2": x2 - 1, "y": y + 1, "y2": y2 - 1, "colour": "transparent"}
            cells.append({**outline, "stroke": look.ink, "line": 2.5})
        bar = {"x": x + INSET, "y": y2 - 6, "y2": y2 - 3}
        share = min(max(row["p"], 0), 1) if row["p"] > 0 else 0
        bars.append({**bar, "x2": x + INSET + full, "colour": look.track_on(outcome)})
        bars.append({**bar, "x2": x + INSET + full * share, "colour": look.bar_on(outcome)})
        if row["high"] > row["p"]:
            most = x + INSET + full * min(row["high"], 1)
            bars.append({**bar, "x": x + INSET + full * share, "x2": most, "colour": look.bar_on(outcome)[:7] + "70"})
        if not to_scale:
            edges.append({"x": x + 5, "y": y + 4, "y2": y2 - 3, "colour": look.text_on(outcome)})
        words += _words(row, place, look)
        height = "to scale" if to_scale else "not to scale: enlarged"
        tips.append({**place, **{key: row[key] for key in (*TOOLTIP, OPENED)}, "tip_height": height})
    total = layout.total
    return layer(
        boxes(cells, width, total),
        *([stripes(edges, width, total)] if edges else []),
        boxes(bars, width, total, radius=1),
        texts(words, width, total),
        hover(tips, width, total, TOOLTIP | {"tip_height": "Height"}, select=select),
    ).properties(width=width, height=total)


def _words(row, place, look):
    ink = look.text_on(row["outcome"])
    left, right = place["x"] + INSET, place["x2"] - INSET
    tall, tagged = place["y2"] - place["y"], bool(row["tag"])
    beside = text_width(row["p_text"], SIZE, bold=True) + 6
    # p is next to the name; below it in a cell with a tag, which has two lines, or where there is no room next to it.
    below = tagged or (tall >= TAGGED - GAP and text_width(row["name"], SIZE) > right - left - beside)
    room = right - left - (0 if below else beside)
    most = max(1, min(3, int((tall - 8) // LINE) - below))
    lines = (
        [others_text(row, room)] if row["outcome"] == "others" else wrap_words(row["name"], room, SIZE, most, tagged)
    )
    n = len(lines) + below
    # Two lines in a low cell are closer, clear of its edge and of the bar.
    line_height = min(LINE, (tall - 11) / n)
    first = (place["y"] + place["y2"]) / 2 - 2 - line_height * (n - 1) / 2
    weight = 600 if tagged else "normal"
    for i, line in enumerate(lines):
        yield {
            "x": left,
            "y": first + line_height * i,
            "text": line,
            "colour": ink,
            "limit": room + 6,
            "weight": weight,
        }
    last = first + line_height * (n - 1) if below else first
    if tagged:
        free = room - beside
        tag = row["tag"] if text_width(row["tag"], SMALL) <= free or "=" not in row["tag"] else "exact"
        yield {"x": left, "y": last, "text": tag, "colour": ink, "size": SMALL, "limit": free + 6}
    yield {"x": right, "y": last, "text": row["p_text"], "colour": ink, "weight": 600, "align": "right"}


def others_text(row, room):
    """Label of a group: as many words as fit in `room` pixels, but always how many nodes it holds."""
    n = count_text(row["hidden"])
    return next((text for text in (row["name"], f"others {n}", f"+{n}") if text_width(text, SIZE) <= room), f"+{n}")


def wanted_widths(rows):
    """Pixels every level would like to have for its names."""
    need = [NARROWEST] * (max(row["depth"] for row in rows) + 1)
    for row in rows:
        beside = 0 if row["tag"] else text_width(row["p_text"], SIZE, bold=True) + 6
        name = "others 9.9k" if row["outcome"] == "others" else row["name"]
        wanted = max(
            text_width(name, SIZE, bold=bool(row["tag"])), text_width(row["tag"], SMALL) + 40 if row["tag"] else 0
        )
        wanted += beside + 2 * INSET + GAP + 2
        need[row["depth"]] = max(need[row["depth"]], min(wanted, WIDEST))
    return need


def _columns(rows, width):
    """Left edge of every level and the right end: columns as wide as their names need, then all wider or narrower."""
    need = wanted_widths(rows)
    # The widest give way first when it is too much; spare width goes to all.
    while sum(need) > width and max(need) > NARROWEST:
        limit = max(need) - 4
        need = [min(width, max(limit, NARROWEST)) for width in need]
    spare = max(0, width - sum(need)) / len(need)
    scale = min(1, width / sum(need))
    left = [1.0]
    for needed in need:
        left.append(left[-1] + needed * scale + spare)
    return left


@dataclass(frozen=True)
class IcicleLayout:
    """Positions of the cells of folded rows, from above.

    Attributes
    ----------
    rows : list of dict
        As of `folding.fold`, in its order; ``hidden`` also counts what is left out here.
    top, height : list of float
        Pixels; the height of what is left out is 0.
    to_scale : list of bool
        False for a cell that is taller than its probability.
    scale : float
        Pixels for a probability of 1.
    """

    rows: list
    top: list
    height: list
    to_scale: list
    scale: float

    @property
    def total(self):
        """Pixels of the whole."""
        return self.height[0]

    @property
    def drawn(self):
        """The rows that are not left out."""
        return [row for row, tall in zip(self.rows, self.height, strict=True) if tall]

    @property
    def least(self):
        """Probability from which on every row is drawn."""
        return ROW / self.scale


def icicle_layout(folded, *, min_p, max_rows, whole=1.0):
    """The layout of one sample, or None when it does not fit into `BUDGET` pixels and a line for each row that is kept.

    Parameters
    ----------
    folded : callable
        `folding.fold` of the sample, takes ``min_p`` and ``max_rows``, gives a list of dicts with ``tag``.
    min_p, max_rows
        See `folding.fold`.
    whole : float
        Probability of the first row.

    Returns
    -------
    IcicleLayout or None
    """
    rows = folded(min_p=min_p, max_rows=max_rows)
    beside = [row["p"] for row in rows if row["p"] > 0 and not _on_path(row)]
    scale = min(MOST, max(LEAST, ROW / min(beside, default=whole) * whole)) / whole
    rows = folded(min_p=max(min_p, ROW / scale / whole), max_rows=max_rows)
    fitting = _largest_scale(rows, scale, whole)
    return None if fitting is None else _placed(rows, _heights(rows, fitting), fitting)


def _largest_scale(rows, scale, whole):
    """The largest scale, up to the one wished for, at which the rows fit; None when none does."""
    budget = BUDGET + ROW * sum(row["kept"] for row in rows)
    if _heights(rows, scale)[0] <= budget:
        return scale
    low, high = COARSEST / whole, scale
    if _heights(rows, low)[0] > budget:
        return None
    while (high - low) * whole > 1:
        middle = (low + high) / 2
        low, high = (middle, high) if _heights(rows, middle)[0] <= budget else (low, middle)
    return low


def _mass(row):
    return row["p"] if row["p"] > 0 else 0.0  # unknown is nothing


def _on_path(row):
    return row["on_truth"] or row["on_answer"] or row["kept"] or row["parent_row"] < 0


def _heights(rows, scale):
    """Least heights that hold the text, the probability, the children, and that grow with p at every depth."""
    height, inside = [0.0] * len(rows), [0.0] * len(rows)
    by_depth = sorted(rows, key=lambda row: (-row["depth"], _mass(row)))
    for _, level in itertools.groupby(by_depth, key=lambda row: row["depth"]):
        least = 0.0
        for _, alike in itertools.groupby(level, key=_mass):
            alike = [row for row in alike if _on_path(row) or scale * _mass(row) >= ROW or inside[row["row"]]]
            for row in alike:
                text = TAGGED if row["tag"] else ROW
                least = max(least, text, scale * _mass(row), inside[row["row"]])
            for row in alike:
                height[row["row"]] = least
                if row["parent_row"] >= 0:
                    inside[row["parent_row"]] += least
    return height


def _placed(rows, height, scale):
    top, used = [0.0] * len(rows), [0.0] * len(rows)
    for row in rows[1:]:
        i, parent = row["row"], row["parent_row"]
        top[i] = top[parent] + used[parent]
        used[parent] += height[i]
    for row in reversed(rows):
        if not height[row["row"]]:
            rows[row["parent_row"]]["hidden"] += row["hidden"] + (row["node"] >= 0)
    to_scale = [tall <= (1 + TOLERANCE) * scale * _mass(row) + SLACK for row, tall in zip(rows, height, strict=True)]
    return IcicleLayout(rows, top, height, to_scale, scale)
