"""The answers of the levels to one sample, from the top down, and where one does not follow from the one above it."""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._canvas import boxes, hover, legend, rules, stripes, texts
from hierviz.charts._compose import frame, layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._text import shorten
from hierviz.charts.theme import ANSWERS, SMALL, palette
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.level_answers import broken_links, path_levels
from hierviz.predictions.outside import OUTSIDE_AT_LEVEL
from hierviz.taxonomy.taxonomy import OUTSIDE_TITLE

# Pixels: a level, the dot of an answer, the sign before its name, names of the levels.
ROW, DOT, SIGN, NAMES = 46, 7, 18, 70
TOOLTIP = {"level": "Level", "answer": "Answer", "truth": "Truth", "link": "Link"}


def level_answers(taxonomy, answers, truth=None, *, dark=None, width=1000):
    """The answer of each level of one sample next to the true class of that level.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    answers : sequence of int, shape (n_levels,)
        Nodes from the first level down; -1 for none, -2 for one outside the taxonomy.
    truth : int, optional
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: one row a level, ``level, answer, truth, outcome, is_broken``. An answer that is no child of the one above it
        has a striped red link, with the class that it would follow from.

    Raises
    ------
    PredictionsError
        If there is no level, or more than the taxonomy has.
    """
    taxonomy.require_tree("answers by level")
    given = np.asarray(answers, dtype=np.intp).reshape(1, -1)
    if not 0 < given.shape[1] <= taxonomy.max_depth:
        raise PredictionsError(
            f"level_answers: expected 1 to {taxonomy.max_depth} levels, got {given.shape[1]}. Pass a node of each level."
        )
    broken = broken_links(taxonomy, given)[0]
    true = [-1] * given.shape[1] if truth is None else path_levels(taxonomy, np.array([truth]))[0].tolist()
    rows = [
        {
            "level": level,
            "answer": taxonomy.title(node) if node >= 0 else OUTSIDE_TITLE if node == OUTSIDE_AT_LEVEL else "",
            "truth": taxonomy.title(own) if own >= 0 else "",
            "outcome": "path" if truth is None else "outside" if node < -1 else "tp" if node == own else "fp",
            "is_broken": bool(is_broken),
            "parent": taxonomy.title(int(taxonomy.parent[node])) if node > 0 else "no class" if node < 0 else "",
        }
        for level, (node, own, is_broken) in enumerate(zip(given[0].tolist(), true, broken), 1)
        if node != -1 or own >= 0
    ]
    keys = ("level", "answer", "truth", "outcome", "is_broken")
    table = frame([{key: row[key] for key in keys} for row in rows])
    root = taxonomy.title(0)
    return Figure(functools.partial(_drawn, rows, root, truth), table, functools.partial(_sentence, rows), dark, width)


def _drawn(rows, root, truth, dark, width):
    look = palette(dark)
    width -= 8
    height, at = ROW * (len(rows) + 1), NAMES + DOT
    other = NAMES + (width - NAMES) * 0.6
    room = other - at - 4 * DOT
    dots, links, breaks, tips = [], [], [], []
    words = [{"x": at + 2 * DOT, "y": ROW / 2, "text": root, "colour": look.muted, "size": SMALL}]
    if truth is not None:
        words.append({"x": other, "y": ROW / 2, "text": "truth", "colour": look.muted, "size": SMALL})
    dots.append(_dot(at, ROW / 2, look.root))
    for place, row in enumerate(rows, 1):
        y = ROW * (place + 0.5)
        words.append({"x": 0, "y": y, "text": f"level {row['level']}", "colour": look.muted, "size": SMALL})
        if row["truth"]:
            words.append({"x": other, "y": y, "text": shorten(row["truth"], width - other), "colour": look.ink})
        link = "–"
        if row["answer"]:
            wrong = ANSWERS["wrong"][1]
            sign = {"tp": ANSWERS["exact"][1], "fp": wrong, "outside": wrong}.get(row["outcome"], "")
            dots.append(_dot(at, y, getattr(look, row["outcome"])))
            # On its own: not every font has the signs.
            words.append({"x": at + 2 * DOT, "y": y, "text": sign, "colour": look.ink})
            said = shorten(row["answer"], room - SIGN)
            words.append({"x": at + 2 * DOT + SIGN, "y": y, "text": said, "colour": look.ink, "weight": "bold"})
            line = {"x": at, "y": y - ROW + DOT, "y2": y - DOT, "colour": look.fp if row["is_broken"] else look.axis}
            (breaks if row["is_broken"] else links).append(line)
            link = "a child of the answer above"
            if row["is_broken"]:
                link = f"broken: {row['answer']} is a child of {row['parent']}"
                said = shorten(f"{row['answer']} is in {row['parent']}", width - at - 2 * DOT)
                words.append({"x": at + 2 * DOT, "y": y - ROW / 2, "text": said, "colour": look.fp, "size": SMALL})
        else:
            words.append({"x": at + 2 * DOT, "y": y, "text": "no answer", "colour": look.muted})
        tips.append({"x": 0, "x2": width, "y": y - ROW / 2, "y2": y + ROW / 2, "link": link} | row)
    parts = [stripes(breaks, width, height)] if breaks else []
    if links:
        parts.append(rules([line | {"x2": line["x"]} for line in links], width, height))
    parts += [boxes(dots, width, height, radius=DOT), texts(words, width, height), hover(tips, width, height, TOOLTIP)]
    items = [{"kind": "line", "label": "follows from the answer above", "colour": look.axis}]
    if breaks:
        items.append({"kind": "stripes", "label": "broken link", "colour": look.fp})
    drawing = layer(*parts).properties(width=width, height=height)
    return vconcat(legend([(None, items)], width, dark=dark), drawing, spacing=8)


def _dot(x, y, colour):
    return {"x": x - DOT, "x2": x + DOT, "y": y - DOT, "y2": y + DOT, "colour": colour}


def _sentence(rows):
    broken = [row for row in rows if row["is_broken"]]
    n = sum(bool(row["answer"]) for row in rows)
    levels = f"{n} level{'s' * (n != 1)}"
    if not broken:
        return f"The answers of {levels} are a path from the top."
    named = "; ".join(f"{row['answer']} at level {row['level']} is in {row['parent']}" for row in broken)
    return f"The answers of {levels} are no path from the top: {named}."
