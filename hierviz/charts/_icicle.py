"""Icicle of a folded tree: depth from left to right, height by probability.

One scale of heights for all cells, and no cell is taller than its probability: what is too low for its words has them to the
right of the drawing, and what is thinner than a line that can be seen is such a line, which its label says. Off the paths, what
is thinner still is left out, unless it is kept for another reason.
"""

from __future__ import annotations

from dataclasses import dataclass

from hierviz.charts._blocks import (
    HAIRLINE,
    INSET,
    LEAD,
    MarginLabel,
    edges,
    inside_words,
    leaders,
    outside_width,
    placed_outside,
    stacked,
)
from hierviz.charts._canvas import boxes, hover, texts
from hierviz.charts._compose import layer
from hierviz.charts._text import text_width
from hierviz.charts.theme import SIZE, SMALL, palette
from hierviz.messages.number_text import count_text

GAP = 3
NARROWEST, WIDEST = 92, 250
TOOLTIP = {"name": "Node", "tip_p": "p", "tip_outcome": "Outcome", "tip_hidden": "Nodes not shown"}
# What a click on a row opens: the number of its node; of folded siblings -1 minus that of their parent.
OPENED = "opened"
# Pixels of a cell with a line of words, off the paths: less probable siblings are folded.
ROW = 17
# Pixels for the probability of the first row, and less where children that do not exclude each other need more than `BUDGET`.
TALL, COARSEST, BUDGET = 500, 54, 900
# Cells lower than this have no outline; labels outside take this share of the width at most, and this many pixels.
OUTLINED, SHARE, LABELS = 7, 0.32, 290
TOO_THIN = (
    "too thin to draw to scale, drawn as a 1 px line",
    "too thin: drawn as a 1 px line",
    "drawn as a 1 px line",
    "1 px line",
)


def icicle(layout, look, width, select=None):
    """Draw an `IcicleLayout`, its rows with ``tag`` and texts, `width` pixels wide; `select`: see `_canvas.hover`."""
    right = layout.cells_end(width)
    left = _columns(layout.drawn, right - 2)
    cells, words, tips, labelled, columns = [], [], [], {}, {}
    total = layout.total
    for row, y, tall in zip(layout.rows, layout.top, layout.height, strict=True):
        if not tall:
            continue
        x, x2, y2 = left[row["depth"]], left[row["depth"] + 1] - GAP, y + tall
        outcome = row["outcome"]
        place = {"x": x, "x2": x2, "y": y, "y2": y2}
        columns.setdefault(row["depth"], []).append(place)
        cells.append({**place, "colour": look.outcome(outcome)})
        if row["on_truth"] and tall >= OUTLINED:
            outline = {"x": x + 1.25, "x2": x2 - 1.25, "y": y + 1.25, "y2": y2 - 1.25, "colour": "transparent"}
            cells.append({**outline, "stroke": look.ink, "line": 2.5})
        inside = _words(row, place, look.text_on(outcome))
        if inside:
            words += inside
        else:
            labelled[row["row"]] = place
        is_exact = tall > HAIRLINE or layout.scale * _mass(row) >= HAIRLINE
        height = "to scale" if is_exact else "a 1 px line: too thin to draw to scale"
        tip = {key: row[key] for key in (*TOOLTIP, OPENED)} | {"tip_height": height}
        # A thin cell can be pointed at, too.
        middle, half = (y + y2) / 2, max(tall / 2, 3)
        tips.append({**place, "y": middle - half, "y2": middle + half, **tip, "tall": tall})
    lines = edges(columns.values(), look.background)
    labels = layout.labels(look, labelled, width - right - LEAD) if right < width else []
    outside, bent, places = placed_outside(labels, right, width, total, look.muted)
    tips.sort(key=lambda tip: -tip["tall"])
    titles = TOOLTIP | {"tip_height": "Height"}
    of_labels = [{**place, **_tip_of(tips, label.row)} for label, place in places]
    return layer(
        boxes(cells, width, total, radius=0),
        *([leaders(lines + bent, width, total)] if lines or bent else []),
        texts(words + outside, width, total),
        hover([*tips, *of_labels], width, total, titles, select=select),
    ).properties(width=width, height=total)


def _tip_of(tips, row):
    """What a pointer on the label of a row is told."""
    place = next(tip for tip in tips if tip[OPENED] == row[OPENED] and tip["name"] == row["name"])
    return {key: value for key, value in place.items() if key not in ("x", "x2", "y", "y2")}


def _words(row, place, ink):
    name = (lambda room: others_text(row, room)) if row["outcome"] == "others" else row["name"]
    return inside_words(place, name, row["p_said"], ink, tag=row["tag"], bold=bool(row["tag"]))


def others_text(row, room):
    """Label of a group: as many words as fit in `room` pixels, but always how many nodes it holds."""
    n = count_text(row["hidden"])
    return next((text for text in (row["name"], f"others {n}", f"+{n}") if text_width(text, SIZE) <= room), f"+{n}")


def too_thin(room):
    """What the label of a hairline says of it, as far as it fits in `room` pixels."""
    return next((text for text in TOO_THIN if text_width(text, SMALL) <= room), TOO_THIN[-1])


def wanted_widths(rows):
    """Pixels every level would like to have for its names."""
    need = [NARROWEST] * (max(row["depth"] for row in rows) + 1)
    for row in rows:
        beside = 0 if row["tag"] else text_width(row["p_said"], SIZE, bold=True) + 6
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
    scale : float
        Pixels for a probability of 1.
    total : float
        Pixels of the whole.
    """

    rows: list
    top: list
    height: list
    scale: float
    total: float

    @property
    def drawn(self):
        """The rows that are not left out."""
        return [row for row, tall in zip(self.rows, self.height, strict=True) if tall]

    @property
    def thin(self):
        """Rows that are drawn thicker than their probability: as a line."""
        return [row for row in self.drawn if self.scale * _mass(row) < HAIRLINE]

    @property
    def overflows(self):
        """Whether some children together are clearly more probable than their parent."""
        inside = [0.0] * len(self.rows)
        for row in self.rows[1:]:
            inside[row["parent_row"]] += _mass(row)
        return any(self.scale * (of - _mass(row)) > HAIRLINE for row, of in zip(self.rows, inside, strict=True))

    def cells_end(self, width):
        """Pixels of a drawing of so many at which its cells end and labels begin."""
        low = {row["row"]: {"x2": 0.0, "y": 0.0, "y2": 0.0} for row in self.drawn if self._is_low(row)}
        if not low:
            return width
        most = min(LABELS, SHARE * width)
        return width - outside_width(self.labels(palette(), low, most - LEAD - 4), most)

    def _is_low(self, row):
        return self.height[row["row"]] < (2 * ROW if row["tag"] else ROW)

    def labels(self, look, labelled, room):
        """Outside labels of some rows, `room` pixels wide: dict of number of a row to its place.

        A row and its child on a path share a label.
        """
        found = []
        chained: set = set()
        for i in labelled:
            if i in chained:
                continue
            row, steps = self.rows[i], [self.rows[i]]
            while (below := self._followed(steps[-1], labelled)) is not None:
                steps.append(below)
                chained.add(below["row"])
            lines = [_line(step, number, look) for number, step in enumerate(steps)]
            if self.scale * _mass(steps[-1]) < HAIRLINE:
                lines.append({"text": too_thin(room), "colour": look.muted, "size": SMALL})
            last = labelled[steps[-1]["row"]]
            rank = (0 if row["on_truth"] else 1 if row["on_answer"] or row["kept"] else 2) - min(_mass(row), 0.99)
            found.append(MarginLabel(last["x2"], (last["y"] + last["y2"]) / 2, lines, rank, steps[-1]))
        return found

    def _followed(self, row, labelled):
        """The child of a row whose label continues that of the row: on a path, or with most of its probability."""
        inside = [child for child in map(self.rows.__getitem__, labelled) if child["parent_row"] == row["row"]]
        on_path = [child for child in inside if child["on_truth"] or child["on_answer"]]
        most = [child for child in inside if child["node"] >= 0 and _mass(child) > _mass(row) / 2]
        return next(iter(on_path or most), None)


def _line(row, number, look):
    more = f" {row['p_said']}" + (f" · {row['tag']}" if row["tag"] else "")
    on_path = row["on_truth"] or row["on_answer"]
    look_of = {"colour": look.ink if on_path else look.muted, "weight": 600 if row["tag"] else "normal"}
    return {"text": f"{'› ' * bool(number)}{row['name']}", "more": more, **look_of}


def icicle_layout(folded, *, min_p, max_rows, whole=1.0):
    """The layout of one sample, or None when it does not fit into `BUDGET` pixels.

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
    rows = folded(min_p=max(min_p, ROW / TALL), max_rows=max_rows)
    _, room = stacked([row["parent_row"] for row in rows], list(map(_mass, rows)))
    scale = min(TALL / whole, BUDGET / max(room[0], whole))
    return None if scale * whole < COARSEST else _placed(rows, scale)


def _tall(row, scale):
    """Pixels of a row; 0 of what is left out."""
    tall = scale * _mass(row)
    return tall if tall >= HAIRLINE else HAIRLINE if _on_path(row) else 0.0


def _mass(row):
    return row["p"] if row["p"] > 0 else 0.0  # unknown is nothing


def _on_path(row):
    return row["on_truth"] or row["on_answer"] or row["kept"] or row["parent_row"] < 0


def _placed(rows, scale):
    height = [_tall(row, scale) for row in rows]
    # Nothing is inside of what is left out.
    for row in rows[1:]:
        if not height[row["parent_row"]]:
            height[row["row"]] = 0.0
    top, room = stacked([row["parent_row"] for row in rows], height)
    for row in reversed(rows):
        if not height[row["row"]]:
            rows[row["parent_row"]]["hidden"] += row["hidden"] + (row["node"] >= 0)
    return IcicleLayout(rows, top, height, scale, room[0])
