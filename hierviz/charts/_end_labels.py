"""Names at the ends of curves: next to the end where it is free, else in a column on the right, joined to it by a thin line."""

from __future__ import annotations

import altair as alt
import numpy as np

from hierviz.charts._compose import OWN_COLOUR, STILL, haloed, plain_columns
from hierviz.charts._plane import SPOT, Room
from hierviz.charts._sketch import sketched
from hierviz.charts._text import shorten, text_width

# Pixels: of the font, between lines of the column, from the plot to the column, and the widest name.
SIZE, ROW, GAP, LONGEST = 12.5, 16, 16, 190
# Corner of the name that touches the end of its curve, with its distance.
SPOTS = (("left", 12, 0), ("left", 11, 7), ("left", 11, -7))
# Pixels around a place on a curve that no other curve may come into, and between the points that are looked at.
ALONE, STEP = 15, 4
# On a curve against the threshold, where all may end at one place: right of a place, then below, then above.
ALONG = (("right", -8, 12), ("left", 8, -12), ("right", -10, 2), ("left", 10, 14))


def column_width(names, most=LONGEST):
    """Pixels that names in a column take on the right of a plot."""
    return GAP + 6 + min(most, max(text_width(name, SIZE, bold=True) for name in names))


def end_labels(names, colours, lines, on, room, *, others=((), ()), along=False):
    """Where the name of each curve is written.

    Parameters
    ----------
    names, colours : list of str, one a curve
    lines : list of ndarray of float, shape (2, n_points)
        Curves in pixels from the top left corner of the plot, each from the end that is named.
    on : Plane
    room : float
        Pixels on the right of the plot; without any, names that are not free at their end are left out.
    others : ndarray of float, shape (2, n_others)
        More places that no name may cover, pixels.
    along : bool
        All curves may end at one place: try places along a curve where its end is not free; names in the column are not joined.

    Returns
    -------
    list of dict
        ``text, across, down, align, dx, dy, colour``, and ``x, y`` in units of the axes; in the column also ``end_x, end_y``
        and ``end_across, end_down``, where its curve ends.
    """
    drawn = np.concatenate([*map(_dense, lines), np.asarray(others, dtype=float).reshape(2, -1)], axis=1)
    texts = [shorten(name, (room or LONGEST + GAP + 6) - GAP, SIZE, bold=True) for name in names]
    waiting: set[int] = set()
    while True:
        free = Room((0, on.plot + room, 0, on.height), SIZE, bold=True, others=drawn)
        rows = {}
        for number, line in enumerate(lines):
            if number not in waiting:
                far = [part for k, part in enumerate(lines) if k != number]
                found = free.placed(texts[number], list(_tries(line, far, along)))
                rows |= {number: found} if found else {}
        column = _column([k for k in range(len(lines)) if k not in rows], texts, lines, on) if room else {}
        met = {k for k, row in rows.items() if any(_meets(row, other, not along) for other in column.values())}
        if not met:
            break
        waiting |= met
    placed = rows | column
    return [
        placed[number] | {"colour": colours[number]} | on.values(placed[number]["across"], placed[number]["down"])
        for number in sorted(placed)
    ]


def _dense(line):
    """Points of a line, and between them: there it is drawn as well."""
    length = _length(line)
    at = np.linspace(0, length[-1], 2 + int(length[-1] // STEP))
    return np.concatenate([line, [np.interp(at, length, of_axis) for of_axis in line]], axis=1)


def box_points(words, size, bold=False):
    """Points all over the words that `Room.placed` gave: shape (2, n_points), for `others` of `end_labels`."""
    found = [np.empty((2, 0))]
    for word in words:
        wide = text_width(word["text"], size, bold)
        start = word["across"] + word["dx"] - (wide if word["align"] == "right" else 0)
        across = np.linspace(start, start + wide, 2 + int(wide // STEP))
        found += [
            np.array([across, np.full(len(across), word["down"] + word["dy"] + up)]) for up in (-size / 2, size / 2)
        ]
    return np.concatenate(found, axis=1)


def _length(line):
    """Pixels along a line at each of its points."""
    return np.concatenate([[0], np.cumsum(np.hypot(*np.diff(line)))])


def _meets(row, other, joined):
    """Whether a name at its curve is on a name of the column, or on the line to it."""
    wide = text_width(row["text"], SIZE, bold=True)
    left, middle = row["across"] + row["dx"] - (wide if row["align"] == "right" else 0), row["down"] + row["dy"]
    if left + wide > other["across"] - 6 and abs(middle - other["down"]) < ROW:
        return True
    if not joined:
        return False
    steps = np.linspace(0, 1, 60)
    across = other["end_across"] + steps * (other["across"] - 4 - other["end_across"])
    down = other["end_down"] + steps * (other["down"] - other["end_down"])
    return bool(((across > left - 3) & (across < left + wide + 3) & (abs(down - middle) < ROW / 2)).any())


def _tries(line, others, along):
    yield from ((*line[:, 0], *spot) for spot in SPOTS)
    if not along:
        return
    others = np.concatenate([np.empty((2, 0)), *others], axis=1)
    length = _length(line)
    for share in np.linspace(0.02, 0.9, 45):
        x, y = line[:, int(np.searchsorted(length, share * length[-1]))]
        if not (np.hypot(others[0] - x, others[1] - y) < ALONE).any():
            yield from ((x, y, *spot) for spot in ALONG)


def _column(numbers, texts, lines, on):
    """Names below each other on the right of the plot, in the order of the ends of their curves and as close as they fit."""
    order = sorted(numbers, key=lambda k: (lines[k][1, 0], lines[k][0, 0]))
    wanted = np.array([lines[k][1, 0] for k in order])
    downs = spread(wanted, ROW, ROW / 2, max(on.height - ROW / 2, ROW * (len(order) - 0.5)))
    return {
        k: {"text": texts[k], "across": on.plot + GAP, "down": float(down), "align": "left", "dx": 0, "dy": 0}
        | {f"end_{name}": value for name, value in zip(("across", "down"), lines[k][:, 0].tolist(), strict=True)}
        | {f"end_{name}": value for name, value in on.values(*lines[k][:, 0].tolist()).items()}
        for k, down in zip(order, downs.tolist(), strict=True)
    }


def spread(wanted, gap, low, high):
    """Places between two limits at least `gap` apart, as close to the wanted ones, ascending, as possible.

    The sum of squared distances is smallest: neighbours that are too close become a block around their mean.
    """
    n = len(wanted)
    # Without the gaps it is a regression on ascending values.
    shifted, blocks = np.asarray(wanted, dtype=float) - gap * np.arange(n), []
    for value in shifted.tolist():
        blocks.append([value, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, m), (b, k) = blocks[-2:]
            blocks[-2:] = [[(a * m + b * k) / (m + k), m + k]]
    found = np.repeat([value for value, _ in blocks], [count for _, count in blocks])
    return np.clip(found, low, high - gap * max(n - 1, 0)) + gap * np.arange(n)


def label_layers(rows, on, joined=True):
    """The names, and the thin lines to those in the column where they are joined."""
    if not rows:
        return []
    lines = [
        {"colour": row["colour"], "x": row["end_x"], "y": row["end_y"], **_reach(row, on)}
        for row in rows
        if joined and "end_x" in row
    ]
    layers = []
    if lines:
        layers.append(_joints(plain_columns(lines), on))
    words = plain_columns([{key: row[key] for key in WRITTEN} for row in rows])
    return [*layers, *(_names(words, on, place) for place in (0, 1))]


@sketched
def _joints(table, on):
    base = alt.Chart(table).mark_rule(strokeWidth=1, opacity=0.75, **STILL)
    return base.encode(**on.place, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"), color=OWN_COLOUR)


@sketched
def _names(table, on, place):
    """The halo of names (0), or the names (1)."""
    words = alt.Chart(table).encode(**on.place, text=alt.Text("text:N"))
    look = {"baseline": "middle", "fontWeight": 600, "fontSize": SIZE, "aria": False}
    return haloed(words, on.look.background, **look, **SPOT)[place]


WRITTEN = ("text", "x", "y", "colour", "align", "dx", "dy")


def _reach(row, on):
    """End of the thin line, just left of its name."""
    found = on.values(row["across"] - 4, row["down"])
    return {"x2": found["x"], "y2": found["y"]}
