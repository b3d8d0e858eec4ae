"""Node-link picture of a folded tree: ribbons as wide as p, which divide at a class among its children."""

from __future__ import annotations

import altair as alt

from hierviz.charts._blocks import HAIRLINE
from hierviz.charts._canvas import boxes, hover, places, texts
from hierviz.charts._compose import OWN_COLOUR, STILL, frame, layer
from hierviz.charts._icicle import OPENED, TOOLTIP, too_thin
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import SIZE, SMALL

# Pixels: of a line, a further line in it, a node, space to the edge, widest label; around ribbons, above a node for its name.
ROW, NOTE, BAR, MARGIN, LABEL, AROUND, NAME = 25, 14, 8, 4, 330, 6, 22
# Pixels for the probability of the first row; least, where classes do not exclude each other.
WIDE, NARROWEST = 120, 24
# Points of the side of a ribbon, and how much is left of the colour of those that are not above the threshold.
POINTS, PALE = 12, 0.55


def ribbon_scale(rows, whole=1.0):
    """Pixels for a probability of 1, or None where classes that do not exclude each other leave too few."""
    largest = max(map(_mass, rows))
    scale = WIDE / max(whole, largest)
    return scale if scale * whole >= NARROWEST else None


def node_link(rows, look, width, select=None, *, whole=1.0, threshold=None):
    """Draw folded rows (dicts of `folding.fold` with ``tag`` and texts) as nodes and ribbons, `width` pixels wide.

    `select`: see `_canvas.hover`. `whole` is the probability of the first row; ribbons of rows that are not above the threshold
    are paler.
    """
    scale = ribbon_scale(rows, whole)
    tall = [max(scale * _mass(row), HAIRLINE) for row in rows]
    notes = _notes(rows, scale)
    across, down, height, ends, step = _layout(rows, width, tall, notes)
    ribbons, marks, words, tips = [], [], [], []
    left_at = [y - thick / 2 for y, thick in zip(down, tall, strict=True)]
    for row, x, y, thick in zip(rows, across, down, tall, strict=True):
        i, outcome = row["row"], row["outcome"]
        grey = outcome in ("tn", "others")
        is_pale = threshold is not None and not row["p"] > threshold
        look_of = {"colour": look.tn if grey else look.outcome(outcome), "fade": PALE if is_pale else 1.0}
        if i:
            parent = row["parent_row"]
            start, x0 = left_at[parent] + thick / 2, across[parent] + BAR
            left_at[parent] += scale * _mass(row)
            rank = 2 * (not grey) + (row["on_truth"] or row["on_answer"])
            ribbons += _ribbon({"link": i, "above": rank, **look_of}, (x0, start), (x, y), thick)
        bar = {"x": x, "x2": x + BAR, "y": y - thick / 2, "y2": y + thick / 2}
        marks.append({**bar, **look_of})
        if row["on_truth"]:
            around = {"x": x - 2, "x2": x + BAR + 2, "y": bar["y"] - 2, "y2": bar["y2"] + 2}
            marks.append({**around, "colour": "transparent", "stroke": look.ink, "line": 2, "fade": 1.0})
        rises = not i and len(rows) > 1 and down[1] < y
        words += _words(row, (x, y, thick), look, ends[i], width, step, notes[i], rises)
        near = max(thick / 2, 9)
        x2 = min(width, x + (LABEL if ends[i] else BAR + 10))
        tips.append({"x": x - 6, "x2": x2, "y": y - near, "y2": y + near} | {k: row[k] for k in (*TOOLTIP, OPENED)})
    ribbons.sort(key=lambda point: point["above"])
    drawn = []
    if ribbons:
        drawn.append(
            alt.Chart(frame(ribbons))
            .mark_area(interpolate="linear", **STILL)
            .encode(
                **places(width, height, ends="y"),
                detail=[alt.Detail("above:N"), alt.Detail("link:N")],
                color=OWN_COLOUR,
                opacity=alt.Opacity("fade:Q", scale=None),
            )
        )
    bars = boxes(marks, width, height, radius=0)
    drawn.append(bars.encode(opacity=alt.Opacity("fade:Q", scale=None)))
    drawn += [texts(words, width, height, halo=look.background), hover(tips, width, height, TOOLTIP, select=select)]
    return layer(*drawn).properties(width=width, height=height)


def _mass(row):
    return row["p"] if row["p"] > 0 else 0.0  # unknown is nothing


def _notes(rows, scale):
    """Of each row whether its label says that it is drawn as a line: of a path the last one."""
    thin = [scale * _mass(row) < HAIRLINE and (row["on_truth"] or row["on_answer"] or row["kept"]) for row in rows]
    above = {rows[row["parent_row"]]["row"] for row in rows[1:] if thin[row["row"]]}
    return [is_thin and row["row"] not in above for row, is_thin in zip(rows, thin, strict=True)]


def _ribbon(look, start, end, thick):
    """Points of a ribbon that is equally tall everywhere, from one middle to another."""
    (x0, y0), (x1, y1) = start, end
    for k in range(POINTS):
        t = k / (POINTS - 1)
        y = round(y0 + (y1 - y0) * t * t * (3 - 2 * t) - thick / 2, 2)
        yield {**look, "x": round(x0 + (x1 - x0) * t, 2), "y": y, "y2": round(y + thick, 3)}


def _layout(rows, width, tall, notes):
    """x and y of every row, the height of all, whether a row ends a route (its label is on its right), and between columns."""
    parents = {row["parent_row"] for row in rows}
    ends = [row["row"] not in parents for row in rows]
    depth = max(row["depth"] for row in rows)
    longest = max((text_width(_label(row), SIZE, bold=True) for row in rows if row["depth"] == depth), default=0)
    room = min(LABEL, longest + 14, width * 0.5)
    step = (width - MARGIN - BAR - room - 12) / depth if depth else 0
    across = [MARGIN + step * row["depth"] for row in rows]
    need, inside = [0.0] * len(rows), [0.0] * len(rows)
    for row in reversed(rows):
        i = row["row"]
        own = max(ROW, tall[i] + AROUND) if ends[i] else tall[i] + NAME + (NAME if row["tag"] or not i else AROUND)
        need[i] = max(own + NOTE * notes[i], inside[i])
        if i:
            inside[row["parent_row"]] += need[i]
    top, used = [0.0] * len(rows), [0.0] * len(rows)
    for row in rows[1:]:
        i, parent = row["row"], row["parent_row"]
        top[i] = top[parent] + (need[parent] - inside[parent]) / 2 + used[parent]
        used[parent] += need[i]
    down, below = [0.0] * len(rows), {}
    for row in reversed(rows):
        i = row["row"]
        middle = (
            top[i] + (need[i] - NOTE * (notes[i] and ends[i])) / 2 if ends[i] else (min(below[i]) + max(below[i])) / 2
        )
        lowest = top[i] + need[i] - tall[i] / 2 - (AROUND / 2 if ends[i] or not row["tag"] else NAME)
        down[i] = min(max(middle, top[i] + tall[i] / 2 + (AROUND / 2 if ends[i] else NAME)), lowest)
        below.setdefault(row["parent_row"], []).append(down[i])
    return across, down, need[0], ends, step


def _label(row):
    return f"{row['name']} {row['p_said']}" + (f" · {row['tag']}" if row["tag"] else "")


def _words(row, place, look, is_end, width, step, has_note, rises):
    x, y, thick = place
    bold = bool(row["tag"]) or row["outcome"] in ("tp", "fp", "fn", "path")
    colour, weight = (look.ink, 600) if bold else (look.muted, "normal")
    note = {"colour": look.muted, "size": SMALL}
    if is_end:
        more = _label({**row, "name": ""})
        left = x + BAR + 6
        room = min(LABEL, width - left - 4)
        text = shorten(row["name"], room - text_width(more, SIZE, bold) - 4, SIZE, bold) + more
        yield {"x": left, "y": y, "text": text, "colour": colour, "weight": weight, "limit": width - left}
        if has_note:
            yield {**note, "x": left, "y": y + NOTE, "text": too_thin(room), "limit": width - left}
        return
    room = step - 12
    text = f"{shorten(row['name'], room - text_width(row['p_said'], SIZE, bold) - 8, SIZE, bold)} {row['p_said']}"
    above, below = y - thick / 2 - 11, y + thick / 2 + 11
    spot = {"x": x + BAR, "align": "right"}
    if not row["depth"]:
        # Clear of a ribbon that goes up.
        spot, above, below = {"x": 2}, (below if rises else above), below + (NOTE if rises else 0)
    yield {**spot, "y": above, "text": text, "colour": colour, "weight": weight, "limit": room + 6}
    if row["tag"]:
        yield {**spot, "y": below, "text": row["tag"], "colour": look.ink, "size": SMALL, "limit": room}
    if has_note:
        yield {**note, **spot, "y": below + NOTE * bool(row["tag"]), "text": too_thin(room)}
