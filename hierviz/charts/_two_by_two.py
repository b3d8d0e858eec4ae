"""Right and wrong answers of two models, crossed: one block a cell, with an area in proportion to its samples.

A row is a state of A, a column one of B. The block of the cell with the most samples fills it; the others have the same shape.
Where methods have runs, a block has a part for each share of runs, in proportion: the paler, the less the runs agree.
"""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._canvas import boxes, hover, legend, texts
from hierviz.charts._compose import layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._text import shorten, text_width
from hierviz.charts._value_colours import mixed, text_on
from hierviz.charts.theme import SIZE, SMALL, model_colours, palette
from hierviz.comparison._two_by_two import TwoByTwo
from hierviz.messages.number_text import percent_text
from hierviz.taxonomy.checks import check_kind, check_one_of, check_whole

# Selection that a click makes; pixels of names above the columns, of a second line there, left of the rows, between cells.
CLICKED = "cell"
HEAD, LINE, SIDE, GAP = 42, 15, 132, 6
# How much of a colour is left where runs do not agree at all.
FAINTEST = 0.25


def two_by_two(found, *, chosen=None, among=None, height=360, dark=None, width=1000):
    """Areas of the cells of two models' answers to the same samples.

    Parameters
    ----------
    found : TwoByTwo
    chosen : str, optional
        Cell that is outlined: states of A and of B with a hyphen, as in ``right-wrong``.
    among : sequence of str, optional
        Names of all models that are open: each has its colour among them.
    height : int
        Pixels of the cells and their names.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: the state of A and of B, ``samples``, ``share``; one row a cell. A click on a cell selects its ``cell``.

    Raises
    ------
    PredictionsError
        If `found` is no TwoByTwo, or there is no such cell.
    """
    check_kind("found", found, TwoByTwo, "hierviz.comparison.two_by_two makes it.")
    check_whole("height", height, 150)
    if chosen is not None:
        check_one_of("chosen", chosen, [f"{a}-{b}" for a in found.states for b in found.states])
    draw = functools.partial(_drawn, found, chosen, among, height)
    return Figure(draw, found.to_frame, lambda: found.sentence, dark, width)


def _drawn(found, chosen, among, height, dark, width):
    look, states, counts = palette(dark), list(found.states), found.counts
    k, n, most = len(states), found.n_samples, max(int(counts.max()), 1)
    side = min(SIDE, 0.27 * width)
    wide = (width - side) / k - GAP
    of_b = [f"{state} {n:,}" for state, n in zip(found.states.values(), counts.sum(axis=0).tolist(), strict=True)]
    head = HEAD + LINE * any(text_width(one, SIZE) > wide for one in of_b)
    tall = (height - head) / k - GAP
    colours = model_colours(found.names, dark, among if among and set(found.names) <= set(among) else None)
    rows, outlines, words, hovers, frames = [], [], _names(found, look, side, head, wide, tall), [], []
    for i, a in enumerate(states):
        for j, b in enumerate(states):
            left, top = side + j * (wide + GAP), head + i * (tall + GAP)
            place = {"x": left, "x2": left + wide, "y": top, "y2": top + tall}
            frames.append({**place, "colour": look.background, "stroke": look.grid, "line": 1})
            share = np.sqrt(counts[i, j] / most)
            block = {
                "x": left + wide * (1 - share) / 2,
                "x2": left + wide * (1 + share) / 2,
                "y": top + tall * (1 - share) / 2,
                "y2": top + tall * (1 + share) / 2,
            }
            fill = _fill(found, i, j, look, colours)
            parts = _parts(found, a, b, block, fill, look) if counts[i, j] else []
            rows += parts
            words += _words(found, i, j, place, block, parts, look)
            if chosen == f"{a}-{b}":
                inset = {"x": left + 1.5, "x2": left + wide - 1.5, "y": top + 1.5, "y2": top + tall - 1.5}
                outlines.append({**inset, "colour": "transparent", "stroke": look.ink, "line": 3})
            said = f"{counts[i, j]:,} of {n:,} samples ({percent_text(counts[i, j] / max(n, 1), 1)})"
            tip = {"tip": _title(found, a, b), "samples": said, CLICKED: f"{a}-{b}"}
            hovers.append({**place, **tip, "cursor": "pointer" if counts[i, j] else "default"})
    drawing = layer(
        boxes(frames, width, height, radius=2),
        *([boxes(rows, width, height, radius=0)] if rows else []),
        *([boxes(outlines, width, height, radius=2)] if outlines else []),
        texts(words, width, height),
        hover(hovers, width, height, {"tip": "Cell", "samples": "Samples"}, CLICKED),
    ).properties(width=width, height=height)
    return vconcat(legend([(None, _items(found, look, colours))], width, dark=dark), drawing, spacing=6)


def _fill(found, i, j, look, colours):
    """Colour of a cell: that of the outcome where both are alike, else that of the better model."""
    a, b = found.names
    if i == j:
        last = len(found.states) - 1
        return look.tp if i == 0 else look.fp if i == last else look.tn
    return colours[a] if i < j else colours[b]


def _items(found, look, colours):
    a, b = found.names
    better = "better" if len(found.states) > 2 else "right alone"
    items = [
        {"kind": "box", "label": f"{a} {better}", "colour": colours[a]},
        {"kind": "box", "label": f"{b} {better}", "colour": colours[b]},
        {"kind": "box", "label": f"both {next(iter(found.states.values()))}", "colour": look.tp},
        {"kind": "box", "label": "both wrong", "colour": look.fp},
        {"kind": "note", "label": "area: samples"},
    ]
    if len(found.states) > 2:
        items.insert(3, {"kind": "box", "label": "both alike", "colour": look.tn})
    if max(found.pair.n_runs) > 1:
        items.append({"kind": "note", "label": "paler: fewer runs agree"})
    return items


def _names(found, look, side, head, wide, tall):
    """Names of the models and of their states, with the samples of each."""
    (a, b), states, counts = found.names, list(found.states.values()), found.counts
    rows = [
        {"x": side, "y": 9, "text": shorten(f"{b} →", len(states) * (wide + GAP), SIZE, True), "weight": 600},
        {"x": 0, "y": head - 12, "text": shorten(f"{a} ↓", side - 4, SMALL, True), "weight": 600, "size": SMALL},
    ]
    for j, (state, n) in enumerate(zip(states, counts.sum(axis=0).tolist(), strict=True)):
        parts = [f"{state} {n:,}"] if head == HEAD else [state, f"{n:,}"]
        at = {"x": side + j * (wide + GAP) + wide / 2, "align": "center"}
        first = head - 12 - LINE * (len(parts) - 1)
        rows += [
            {**at, "y": first + LINE * line, "text": shorten(part, wide + 4, SIZE)} for line, part in enumerate(parts)
        ]
    for i, (state, n) in enumerate(zip(states, counts.sum(axis=1).tolist(), strict=True)):
        middle = head + i * (tall + GAP) + tall / 2
        if text_width(f"{state} {n:,}", SIZE) <= side - 10:
            rows.append({"x": side - 10, "y": middle, "text": f"{state} {n:,}", "align": "right"})
            continue
        rows += [
            {"x": side - 10, "y": middle + shift, "text": shorten(text, side - 10, SIZE), "align": "right"}
            for shift, text in ((-8, state), (8, f"{n:,}"))
        ]
    return [{"colour": look.ink, **row} for row in rows]


def _parts(found, a, b, block, fill, look):
    """The block of a cell; of methods with runs a part for each share of runs, the surest first."""
    if max(found.pair.n_runs) == 1:
        return [{**block, "colour": fill}]
    places = found.places(a, b)
    sure = np.mean([np.abs(2 * share[places] - 1) for share in found.share], axis=0)
    levels, counts = np.unique(-np.round(sure, 9), return_counts=True)
    ends = block["x"] + (block["x2"] - block["x"]) * np.cumsum([0, *(counts / counts.sum()).tolist()])
    return [
        {
            **block,
            "x": float(start),
            "x2": float(end),
            "colour": mixed(look.background, fill, FAINTEST - (1 - FAINTEST) * level),
        }
        for level, start, end in zip(levels.tolist(), ends, ends[1:])
    ]


def _words(found, i, j, place, block, parts, look):
    """Count and share of a cell, in its block where there is room, else below it."""
    n, share = int(found.counts[i, j]), percent_text(found.counts[i, j] / max(found.n_samples, 1), 1)
    x, middle = (place["x"] + place["x2"]) / 2, (place["y"] + place["y2"]) / 2
    wide, tall = block["x2"] - block["x"] - 8, block["y2"] - block["y"]
    count = {"text": f"{n:,}", "size": 15, "weight": 600}
    if n and wide >= text_width(count["text"], 15, True) and tall >= 20:
        has_share = tall >= 36 and wide >= text_width(share, SMALL)
        rows = [{"y": middle - 8 * has_share, **count}]
        rows += [{"y": middle + 9, "text": share, "size": SMALL}] if has_share else []
        ink = text_on(next(part["colour"] for part in parts if part["x2"] >= x))
    else:
        said = f"{n:,} ({share})" if n else "0"
        said = said if text_width(said, SMALL) <= place["x2"] - place["x"] - 4 else f"{n:,}"
        below = block["y2"] + 9 if n else middle
        y = below if below + 7 <= place["y2"] else block["y"] - 8
        rows, ink = [{"y": y, "text": said, "size": SMALL, "weight": 600}], look.ink
    return [{"x": x, "align": "center", "colour": ink, **row} for row in rows]


def _title(found, a, b):
    """What a cell is, in words."""
    states = found.states
    return f"{found.names[0]} {states[a]}, {found.names[1]} {states[b]}"
