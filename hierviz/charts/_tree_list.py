"""Indented list of a folded tree: one line a node, room for long names and deep trees, made for phones."""

from __future__ import annotations

from hierviz.charts._blocks import leaders
from hierviz.charts._canvas import boxes, hover, texts
from hierviz.charts._compose import layer
from hierviz.charts._icicle import OPENED, TOOLTIP, others_text
from hierviz.charts._text import shorten, text_width
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.theme import SIZE, SMALL

ROW, GAP, INSET, NUMBER = 26, 3, 8, 48
# Room for the words of the line at the threshold.
ABOVE = 18


def tree_list(rows, look, width, select=None, threshold=None):
    """Draw folded rows (dicts of `folding.fold` with ``tag`` and texts) as an indented list, `width` pixels wide.

    `select`: see `_canvas.hover`. A line at the threshold crosses the bars.
    """
    depth = max(row["depth"] for row in rows)
    names = min(width * 0.7, 560)
    indent = min(18, names * 0.32 / depth) if depth else 0
    bar, full = names + NUMBER + 8, width - names - NUMBER - 9
    above = 0 if threshold is None else ABOVE
    cells, bars, words, tips = [], [], [], []
    for row in rows:
        y, outcome = above + ROW * row["row"], row["outcome"]
        x, y2 = 1 + indent * row["depth"], y + ROW - GAP
        ink, middle = look.text_on(outcome), (y + y2) / 2
        cells.append({"x": x, "x2": names, "y": y, "y2": y2, "colour": look.outcome(outcome)})
        if row["on_truth"]:
            outline = {"x": x + 1, "x2": names - 1, "y": y + 1, "y2": y2 - 1, "colour": "transparent"}
            cells.append({**outline, "stroke": look.ink, "line": 2.5})
        room = names - x - 2 * INSET
        bold = bool(row["tag"])
        if row["tag"]:
            words.append(
                {"x": names - INSET, "y": middle, "text": row["tag"], "colour": ink, "size": SMALL, "align": "right"}
            )
            room -= text_width(row["tag"], SMALL) + 8
        name = others_text(row, room) if outcome == "others" else shorten(row["name"], room, SIZE, bold)
        words.append(
            {
                "x": x + INSET,
                "y": middle,
                "text": name,
                "colour": ink,
                "weight": 600 if bold else "normal",
                "limit": room + 6,
            }
        )
        words.append(
            {
                "x": names + NUMBER,
                "y": middle,
                "text": row["p_text"],
                "colour": look.ink,
                "weight": 600,
                "align": "right",
            }
        )
        strong = look.bar_on_grey if outcome in ("tn", "others") else look.outcome(outcome)
        bars.append({"x": bar, "x2": bar + full, "y": middle - 3, "y2": middle + 3, "colour": look.grid})
        bars.append(
            {
                "x": bar,
                "x2": bar + full * (min(row["p"], 1) if row["p"] > 0 else 0),
                "y": middle - 3,
                "y2": middle + 3,
                "colour": strong,
            }
        )
        if row["high"] > row["p"]:
            ends = {"x": bar + full * min(max(row["p"], 0), 1), "x2": bar + full * min(row["high"], 1)}
            bars.append({**ends, "y": middle - 3, "y2": middle + 3, "colour": strong + "70"})
        tips.append({"x": x, "x2": width, "y": y, "y2": y2} | {key: row[key] for key in (*TOOLTIP, OPENED)})
    height = above + ROW * len(rows)
    line = []
    if threshold is not None:
        at = bar + full * threshold
        line.append({"x": at, "x2": at, "y": above - 3, "y2": height, "colour": look.ink})
        text = f"τ = {threshold_text(threshold)}"
        # Inside the drawing at both ends.
        half = text_width(text, SMALL) / 2
        middle = min(max(at, bar + half), width - half)
        words.append(
            {"x": middle, "y": above / 2 - 2, "text": text, "colour": look.ink, "size": SMALL, "align": "center"}
        )
    return layer(
        boxes(cells, width, height),
        boxes(bars, width, height, radius=0),
        *([leaders(line, width, height)] if line else []),
        texts(words, width, height),
        hover(tips, width, height, TOOLTIP, select=select),
    ).properties(width=width, height=height)
