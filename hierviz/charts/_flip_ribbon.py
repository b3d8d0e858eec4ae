"""The answers to one sample at every threshold: a ribbon from 0 to 1, each stretch with its outcome by colour and pattern.

An exact answer is plain, a coarse one has a dotted line, no answer has two, a wrong one is hatched; the current threshold is a
line with a label.
"""

from __future__ import annotations

import functools
import math

import altair as alt

from hierviz.charts._canvas import boxes, hover, legend, position, texts
from hierviz.charts._compose import frame, layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._text import shorten, text_width
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.theme import ANSWERS, SIZE, SMALL, palette
from hierviz.messages.number_text import probability_text, value_text
from hierviz.metrics.outcomes import OUTCOMES

COLOURS = {outcome: colour for outcome, (colour, _) in ANSWERS.items()} | {"": "root"}
WORDS = {**OUTCOMES, "": "truth unknown"}
# What a sentence says of an answer.
WHICH = {outcome: f", which is {words}" for outcome, words in OUTCOMES.items()} | {"": ""}
# What tells an outcome apart without colour.
PATTERNS = {"coarse": ", dotted line", "no_answer": ", two dotted lines", "wrong": ", hatched"}
# Pixels: on both sides of the ribbon, above it (the label of the threshold), of it, and below it (ticks).
MARGIN, TOP, TALL, BELOW = 22, 22, 46, 20
# Where dotted lines run, from the top of the ribbon.
DOTTED = {"coarse": (TALL - 6,), "no_answer": (TALL - 9, TALL - 3)}
# Of a part of a stretch that may hold words.
LEAST_BESIDE = 80
VIEW = "ribbon"


def flip_ribbon(flips, threshold=None, *, dark=None, width=1000):
    """Ribbon of the answers to one sample over the threshold.

    Parameters
    ----------
    flips : FlipIntervals
        From `hierviz.diagnosis.flip_intervals`.
    threshold : float, optional
        The current one, in [0, 1], which is marked.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: one row an interval, ``from``, ``to``, ``node``, ``name``, ``outcome``, ``p``.
    """
    table = _table(flips)
    draw = functools.partial(_drawn, flips, table, threshold)
    return Figure(draw, table, lambda: _sentence(flips, 0.5 if threshold is None else threshold), dark, width)


def _drawn(flips, table, threshold, dark, width):
    look = palette(dark)
    width -= 8
    height = TOP + TALL + BELOW
    cells, patterns, dots, words, tips = [], [], [], [], []
    for row in table.to_dict("records"):
        x, x2 = (_across(row[key], width) for key in ("from", "to"))
        kind = COLOURS[row["outcome"]]
        place = {"x": x, "x2": x2, "y": TOP, "y2": TOP + TALL}
        line = {"stroke": look.background, "line": 1 if x2 - x > 3 else 0}
        cells.append({**place, **line, "colour": look.outcome(kind)})
        if row["outcome"] == "wrong":
            patterns += _slashes(x, x2, look.on_colour)
        if x2 - x > 8:
            heights = [TOP + y for y in DOTTED.get(row["outcome"], ())]
            dots += [{"x": x + 4, "x2": x2 - 4, "y": y, "y2": y, "colour": look.on_colour} for y in heights]
        # Words keep clear of the line of the threshold.
        said = WORDS[row["outcome"]]
        wide = max(text_width(row["name"], SIZE, True), text_width(said, SMALL))
        start, end = _clear_of(threshold, x, x2, wide, width)
        room = end - start - 12
        name = shorten(row["name"], room, SIZE, True)
        # Less than three letters of a name are none.
        if room > 26 and (len(name) > 3 or name == row["name"]):
            place_of_text = {"x": (start + end) / 2, "align": "center", "colour": look.on_colour}
            words.append({**place_of_text, "y": TOP + 13, "text": name, "weight": 600, "limit": room + 6})
            if text_width(said, SMALL) <= room:
                words.append({**place_of_text, "y": TOP + 28, "text": said, "size": SMALL, "limit": room + 6})
        tips.append({**place, "name": row["name"], "said": WORDS[row["outcome"]], "span": _span(row)}
                    | {"p_text": f"{row['p']:.6g}"})  # fmt: skip
    for tick in (0, 0.2, 0.4, 0.6, 0.8, 1):
        words.append({"x": _across(tick, width), "y": TOP + TALL + 11, "text": f"{tick:g}", "colour": look.muted}
                     | {"size": SMALL, "align": "center"})  # fmt: skip
    layers = [boxes(cells, width, height, radius=0)]
    for lines, look_of_lines in ((patterns, {"strokeWidth": 2}), (dots, {"strokeWidth": 3, "strokeDash": [3, 4]})):
        if lines:
            layers.append(_rules(lines, width, height, **look_of_lines))
    if threshold is not None:
        layers.append(_marker(threshold, look, width, height, words))
    layers += [texts(words, width, height)]
    layers.append(
        hover(tips, width, height, {"name": "Answer", "said": "Outcome", "span": "Threshold τ", "p_text": "p"})
    )
    present = list(dict.fromkeys(flips.outcome.tolist()))
    items = []
    for outcome in [key for key in WORDS if key in present]:
        label = f"{WORDS[outcome]}{PATTERNS.get(outcome, '')}"
        items.append({"kind": "box", "label": label, "colour": look.outcome(COLOURS[outcome])})
    items.append({"kind": "note", "label": "across: threshold τ"})
    return vconcat(
        legend([(None, items)], width, dark=dark),
        layer(*layers).properties(width=width, height=height, name=VIEW),
        spacing=4,
    )


def flip_ribbon_drag(flips, threshold, *, width=1000):
    """Data for a script that drags the marked threshold: dict of plain values.

    Returns
    -------
    dict
        ``threshold``; ``margin``, share of the width of the view `ribbon` on each side of the ribbon; ``top`` and ``tall``,
        shares of its height; ``low``, ``name`` and ``said`` of each interval, ascending.
    """
    return {
        "threshold": threshold,
        "margin": MARGIN / (width - 8),
        "top": TOP / (TOP + TALL + BELOW),
        "tall": TALL / (TOP + TALL + BELOW),
        "low": flips.low.tolist(),
        "name": [flips.taxonomy.title(node) for node in flips.node.tolist()],
        "said": [WORDS[outcome] for outcome in flips.outcome.tolist()],
    }


def _table(flips):
    return frame(
        {
            "from": flips.low,
            "to": flips.high,
            "node": flips.node,
            "name": [flips.taxonomy.title(node) for node in flips.node.tolist()],
            "outcome": flips.outcome,
            "p": flips.score,
        }
    )


def _sentence(flips, threshold):
    """One plain sentence: what is answered at a threshold, from where to where, and what below and above that."""
    place, title = flips.place(threshold), flips.taxonomy.title
    low, high = (value_text(float(ends[place])) for ends in (flips.low, flips.high))
    named = [f"{title(node)} (p = {probability_text(p)})" for node, p in zip(flips.node.tolist(), flips.score.tolist())]
    now = f"{named[place]}{WHICH[flips.outcome[place]]}"
    if len(flips) == 1:
        return f"At every τ the answer is {now}."
    text = f"At τ = {threshold_text(threshold)} the answer is {now}; it stops there for τ from {low} to {high}"
    if place:
        text += f"; below that it is {named[place - 1]}{WHICH[flips.outcome[place - 1]]}"
    if place + 1 < len(flips):
        text += f"; from {high} on it is {named[place + 1]}{WHICH[flips.outcome[place + 1]]}"
    right = [key for key in ("exact", "coarse") if key in flips.outcome]
    if flips.outcome[place] == "wrong" and not right:
        text += "; it is wrong at every τ" + (" that gives an answer" if "no_answer" in flips.outcome else "")
    return f"{text}."


def _across(threshold, width):
    return MARGIN + (width - 2 * MARGIN) * min(max(threshold, 0), 1)


def _clear_of(threshold, x, x2, wide, width):
    """The part of a stretch for words: all of it, or its larger part on one side of the threshold's line."""
    at = None if threshold is None else _across(threshold, width)
    if at is None or not x < at < x2 or abs(at - (x + x2) / 2) > wide / 2 + 4:
        return x, x2
    left, right = (x, at), (at, x2)
    start, end = max(left, right, key=lambda side: side[1] - side[0])
    return (start, end) if end - start >= LEAST_BESIDE else (x, x2)


def _span(row):
    return f"{value_text(row['from'])} to {value_text(row['to'])}"


def _marker(threshold, look, width, height, words):
    """The line of the current threshold; its label goes to the words."""
    x = _across(threshold, width)
    label = f"τ = {threshold_text(threshold)}"
    half = math.ceil(text_width(label, SIZE, True) / 2)
    at = min(max(x, half), width - half)
    words.append({"x": at, "y": 8, "text": label, "colour": look.ink, "weight": 600, "align": "center"})
    rows = [
        {"x": x, "y": TOP - 5, "y2": TOP + TALL + 3, "colour": colour, "wide": wide}
        for colour, wide in ((look.background, 5), (look.ink, 2))
    ]
    return (
        alt.Chart(frame(rows))
        .mark_rule(strokeWidth=alt.ExprRef("datum.wide"), tooltip=None, aria=False)
        .encode(
            position("x", width),
            position("y", height, axis="y"),
            y2=alt.Y2("y2:Q"),
            color=alt.Color("colour:N", scale=None),
        )
    )


def _slashes(x, x2, colour):
    """Hatching along the lower edge of a stretch, in lines that lean to the right."""
    at = x + 3
    while at + 7 < x2:
        yield {"x": at, "x2": at + 5, "y": TOP + TALL - 2, "y2": TOP + TALL - 10, "colour": colour}
        at += 8


def _rules(rows, width, height, **mark):
    return (
        alt.Chart(frame(rows))
        .mark_rule(tooltip=None, aria=False, **mark)
        .encode(
            position("x", width),
            position("y", height, axis="y"),
            x2=alt.X2("x2:Q"),
            y2=alt.Y2("y2:Q"),
            color=alt.Color("colour:N", scale=None),
        )
    )
