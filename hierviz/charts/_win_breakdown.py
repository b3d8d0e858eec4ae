"""The hierarchical win of one sample, term by term: what each level of the true path could earn, and what it did.

The slots of all levels tile the line from 0 to 1, so the picture shows that half of the win hangs on the first step.
"""

from __future__ import annotations

import functools

from hierviz.charts._canvas import boxes, hover, legend, texts
from hierviz.charts._compose import frame, layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import SIZE, palette
from hierviz.messages.number_text import adding_up, fixed_text, probability_text

NARROW, MOST = 560, 9

SUM = "Sum: the win"


def win_breakdown(taxonomy, breakdown, *, dark=None, width=1000):
    """Slots of the win along the true path, earned part filled.

    Parameters
    ----------
    taxonomy : Taxonomy
    breakdown : WinBreakdown
        From `hierviz.win_breakdown`.
    dark : bool, optional
    width : int
        Pixels; below 560 the words are above the slots.

    Returns
    -------
    Figure
        Its table: one row a level of the true path, ``level``, ``node``, ``name``, ``weight``, ``from`` (where its slot
        starts between 0 and 1), ``p``, ``term`` (earned), ``lost``. Of a path of more than nine levels the last share one
        line of the picture.
    """
    table = _table(taxonomy, breakdown)
    draw = functools.partial(_drawn, table, breakdown)
    return Figure(draw, table, lambda: _sentence(taxonomy, breakdown), dark, width)


def _drawn(table, breakdown, dark, width):
    look = palette(dark)
    rows, total = _written(_together(table.to_dict("records")), breakdown.win)
    width -= 8
    wide = width >= NARROW
    right = max(text_width(text, SIZE) for text in [total, *(row["sum"] for row in rows)]) + 14
    left = (
        min(width * 0.28, max(text_width(name, SIZE, True) for name in [SUM, *(row["name"] for row in rows)]) + 16)
        if wide
        else 0
    )
    start, end = (left, width - right) if wide else (1, width - 1)
    step, top, bar = (32, 4, 20) if wide else (46, 22, 16)
    room = left - 14 if wide else width - right - 4
    shapes, words, tips = [], [], []

    def at(share):
        return start + (end - start) * min(max(share, 0), 1)

    def line(i, name, text, bold):
        """Words of a line, and the position of its bar."""
        y = step * i + top + (6 if i == len(rows) else 0)
        middle = y + bar / 2 if wide else y - top + 10
        weight = 600 if bold else "normal"
        name = shorten(name, room, SIZE, bold)
        words.append({"x": 0, "y": middle, "text": name, "colour": look.ink, "weight": weight, "limit": room + 6})
        words.append({"x": width, "y": middle, "text": text, "colour": look.ink, "weight": weight, "align": "right"})
        return {"y": y, "y2": y + bar}

    for i, row in enumerate(rows):
        place = line(i, row["name"], row["sum"], row["node"] == breakdown.nodes[-1])
        first, last = at(row["from"]), at(row["from"] + row["weight"])
        shapes.append({**place, "x": first, "x2": max(last, first + 1), "colour": look.tn})
        shapes.append({**place, "x": first, "x2": first + (last - first) * min(max(row["p"], 0), 1), "colour": look.tp})
        # Of the whole line: a name that is cut shows whole on hover.
        tips.append(
            {"x": 0, "x2": width, "y": place["y"] - (0 if wide else top), "y2": place["y2"], "name": row["name"]}
            | {k: f"{row[k]:.6g}" for k in ("weight", "p", "term", "lost")}
        )
    place = line(len(rows), SUM, total, True)
    shapes.append({**place, "x": start, "x2": end, "colour": look.tn})
    earned = 0.0
    for row in rows:
        piece = {**place, "x": at(earned), "x2": at(earned + row["term"])}
        earned += row["term"]
        if row["term"] > 0:
            shapes.append({**piece, "colour": look.tp, "stroke": look.background, "line": 1})
    height = step * (len(rows) + 1) + 10
    items = [
        {"kind": "box", "label": "earned: weight × p", "colour": look.tp},
        {"kind": "box", "label": "lost", "colour": look.tn},
        {"kind": "note", "label": "a full bar is 1"},
    ]
    tooltip = {"name": "Node", "weight": "Weight", "p": "p", "term": "Earned", "lost": "Lost"}
    drawing = layer(
        boxes(shapes, width, height, radius=1), texts(words, width, height), hover(tips, width, height, tooltip)
    ).properties(width=width, height=height)
    return vconcat(legend([(None, items)], width, dark=dark), drawing, spacing=6)


def win_text(terms, win):
    """A win with the digits with which its terms add up to it: those of `win_breakdown`."""
    terms = [float(term) for term in terms]
    if len(terms) > MOST:
        terms = [*terms[: MOST - 1], sum(terms[MOST - 1 :])]
    return adding_up(terms, win)[1]


def _together(rows):
    """Rows of the table; from the ninth level on in one row, their weights being so small."""
    if len(rows) <= MOST:
        return rows
    rest = rows[MOST - 1 :]
    weight, term = sum(row["weight"] for row in rest), sum(row["term"] for row in rest)
    summed = {
        **rest[-1],
        "from": rest[0]["from"],
        "weight": weight,
        "term": term,
        "p": term / weight,
        "lost": weight - term,
        "n_levels": len(rest),
    }
    summed["name"] = f"{len(rest)} more levels to {rest[-1]['name']}"
    return [*rows[: MOST - 1], summed]


def _written(rows, win):
    """Rows with the text of their product, whose results add up to the text of the win, which is returned too."""
    terms, total = adding_up([row["term"] for row in rows], win)
    decimals = len(total.partition(".")[2])
    for row, term in zip(rows, terms, strict=True):
        if "n_levels" in row:
            row["sum"] = f"{fraction_text(row['weight'])} in all, {term}"
        else:
            row["sum"] = f"{fraction_text(row['weight'])} × {p_text(row['p'], decimals)} = {term}"
    return rows, f"win {total}"


def p_text(p, decimals):
    """A probability with so many decimals; one that would read 0 has its own way."""
    text = fixed_text(p, decimals)
    return probability_text(p) if p > 0 and float(text) == 0 else text


def _table(taxonomy, breakdown):
    weight = breakdown.weight
    return frame(
        {
            "level": range(1, len(weight) + 1),
            "node": breakdown.nodes,
            "name": [taxonomy.title(node) for node in breakdown.nodes],
            "weight": weight,
            "from": weight.cumsum() - weight,
            "p": breakdown.p,
            "term": breakdown.term,
            "lost": breakdown.lost,
        }
    )


def _sentence(taxonomy, breakdown):
    """One plain sentence: the win, and the level that cost most."""
    costly = int(breakdown.lost.argmax())
    text = f"The win is {win_text(breakdown.term, breakdown.win)} (at most 1)"
    if breakdown.lost[costly] <= 0.005:
        return f"{text}: almost nothing is lost on the way to {taxonomy.title(breakdown.nodes[-1])}."
    name, p = taxonomy.title(breakdown.nodes[costly]), float(breakdown.p[costly])
    return (
        f"{text}. The largest loss, {fixed_text(breakdown.lost[costly], 3)}, is at {name}: its weight is "
        f"{fraction_text(breakdown.weight[costly])}, its probability {probability_text(p)}."
    )


def fraction_text(weight):
    """A weight of the win as text: 1, 1/2, 1/4, ..."""
    return "1" if weight == 1 else f"1/{round(1 / weight):,}"
