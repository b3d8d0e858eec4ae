"""Node-link picture of a folded tree: routes whose width grows with the square root of p."""

from __future__ import annotations

import math

import altair as alt

from hierviz.charts._canvas import hover, position, texts
from hierviz.charts._compose import frame, layer
from hierviz.charts._icicle import OPENED, TOOLTIP
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import SIZE, SMALL

ROW, MARGIN, LABEL = 34, 16, 330


def node_link(rows, look, width, select=None):
    """Draw folded rows (dicts of `folding.fold` with ``tag`` and texts) as nodes and links, `width` pixels wide.

    `select`: see `_canvas.hover`.
    """
    across, down, ends = _layout(rows, width)
    height = max(down) + ROW * 0.7
    links, dots, words, tips = [], [], [], []
    step = across[1] if len(rows) > 1 else width
    for row, x, y in zip(rows, across, down, strict=True):
        i, outcome = row["row"], row["outcome"]
        grey = outcome in ("tn", "others")
        colour = look.link if grey else look.outcome(outcome)
        share = math.sqrt(min(max(row["p"], 0), 1))
        if i:
            x0, y0 = across[row["parent_row"]], down[row["parent_row"]]
            half = (x0 + x) / 2
            links += [
                {"link": i, "order": k, "x": a, "y": b, "colour": colour, "wide": 1 + 12 * share, "above": not grey}
                for k, (a, b) in enumerate(((x0, y0), (half, y0), (half, y), (x, y)))
            ]
        dots.append(
            {"x": x, "y": y, "colour": look.tn if grey else colour, "size": 50 + 300 * share**2}
            | {"stroke": look.ink if row["on_truth"] else look.background, "line": 2.5 if row["on_truth"] else 1.5}
        )
        words += _words(row, x, y, look, ends[i], width, step, math.sqrt(dots[-1]["size"] / math.pi))
        tips.append(
            {"x": x - 14, "x2": min(width, x + (LABEL if ends[i] else 14)), "y": y - 12, "y2": y + 12}
            | {key: row[key] for key in (*TOOLTIP, OPENED)}
        )
    links.sort(key=lambda link: link["above"])
    place = {"x": position("x", width), "y": position("y", height, axis="y")}
    layers = []
    if links:
        layers.append(
            alt.Chart(frame(links))
            .mark_line(interpolate="basis", strokeCap="round", opacity=0.95, tooltip=None, aria=False)
            .encode(
                **place,
                order=alt.Order("order:Q"),
                detail=[alt.Detail("above:N"), alt.Detail("link:N")],
                color=alt.Color("colour:N", scale=None),
                strokeWidth=alt.StrokeWidth("wide:Q", scale=None),
            )
        )
    layers.append(
        alt.Chart(frame(dots))
        .mark_circle(opacity=1, strokeWidth=alt.ExprRef("datum.line"), tooltip=None, aria=False)
        .encode(
            **place,
            color=alt.Color("colour:N", scale=None),
            stroke=alt.Stroke("stroke:N", scale=None),
            size=alt.Size("size:Q", scale=None),
        )
    )
    layers += [texts(words, width, height, halo=look.background), hover(tips, width, height, TOOLTIP, select=select)]
    return layer(*layers).properties(width=width, height=height)


def _layout(rows, width):
    """x and y of every row, and whether it ends a route (its label is then on its right)."""
    parents = {row["parent_row"] for row in rows}
    ends = [row["row"] not in parents for row in rows]
    depth = max(row["depth"] for row in rows)
    longest = max((text_width(_label(row), SIZE, bold=True) for row in rows if row["depth"] == depth), default=0)
    room = min(LABEL, longest + 14, width * 0.5)
    step = (width - MARGIN - room - 12) / depth if depth else 0
    across = [MARGIN + step * row["depth"] for row in rows]
    down, line = [0.0] * len(rows), 0
    for row in rows:
        if ends[row["row"]]:
            down[row["row"]] = ROW * (line + 0.75)
            line += 1
    below = {}
    for row in reversed(rows):
        i = row["row"]
        if not ends[i]:
            down[i] = (min(below[i]) + max(below[i])) / 2
        below.setdefault(row["parent_row"], []).append(down[i])
    return across, down, ends


def _label(row):
    return f"{row['name']} {row['p_text']}" + (f" · {row['tag']}" if row["tag"] else "")


def _words(row, x, y, look, is_end, width, step, radius):
    bold = bool(row["tag"]) or row["outcome"] in ("tp", "fp", "fn", "path")
    colour, weight = (look.ink, 600) if bold else (look.muted, "normal")
    if is_end:
        more = _label({**row, "name": ""})
        room = min(LABEL, width - x - 12)
        text = shorten(row["name"], room - text_width(more, SIZE, bold) - 4, SIZE, bold) + more
        yield {"x": x + 14, "y": y, "text": text, "colour": colour, "weight": weight, "limit": width - x - 8}
        return
    room = step - 18 if row["depth"] else step - 10
    text = f"{shorten(row['name'], room - text_width(row['p_text'], SIZE, bold) - 8, SIZE, bold)} {row['p_text']}"
    first = row["depth"] == 0
    spot = {"x": 2 if first else x, "align": "left" if first else "center"}
    yield {**spot, "y": y - radius - 9, "text": text, "colour": colour, "weight": weight, "limit": room + 6}
    if row["tag"]:
        yield {**spot, "y": y + radius + 9, "text": row["tag"], "colour": look.ink, "size": SMALL, "limit": room}
