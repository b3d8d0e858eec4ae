"""Which models are right on the same samples: a bar for every combination, above the models that it has (an UpSet plot).

Filled dots are the models that are right, hollow ones those that are wrong, on exactly the samples of the bar.
"""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._canvas import boxes, hover, legend, places, rules, texts
from hierviz.charts._compose import STILL, frame, layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import SIZE, SMALL, model_colours, palette
from hierviz.comparison._right_together import RightTogether
from hierviz.messages.number_text import percent_text
from hierviz.taxonomy.checks import check_kind, check_whole

# Selection that a click makes; pixels of a row, the narrowest column, the widest name, above the highest bar.
CLICKED, ROW, COLUMN, NAMES, HEAD = "right", 26, 34, 230, 22
WIDEST = 90


def right_together(found, *, among=None, chosen=None, height=360, dark=None, width=1000):
    """Samples of every combination of models that are right together.

    Parameters
    ----------
    found : RightTogether
    among : sequence of str, optional
        Names of all models that are open: each has its colour among them.
    chosen : str, optional
        Combination that is outlined, as of `RightTogether.select`.
    height : int
        Pixels of bars and dots.
    dark : bool, optional
    width : int
        Pixels; the most frequent combinations that have room are drawn, and those of no model and of all.

    Returns
    -------
    Figure
        Its table: one row a combination, with whether each model is right, ``samples`` and ``share``. A click on a combination
        selects it as ``right``, a word for `RightTogether.select`.

    Raises
    ------
    PredictionsError
        If `found` is no RightTogether.
    """
    check_kind("found", found, RightTogether, "hierviz.comparison.right_together makes it.")
    check_whole("height", height, 150)
    draw = functools.partial(_drawn, found, among, chosen, height)
    return Figure(draw, found.to_frame, lambda: found.sentence, dark, width)


def _shown(found, room):
    """Combinations that are drawn, the most frequent first; those of none and of all are among them where they occur."""
    members, counts = found.combinations
    most = max(1, int(room // COLUMN))
    size = members.sum(axis=1)
    ends = [int(np.flatnonzero(size == n)[0]) for n in (0, members.shape[1]) if (size == n).any()]
    others = [place for place in range(len(counts)) if place not in ends]
    kept = sorted([*ends[:most], *others[: max(0, most - len(ends))]])
    return members[kept], counts[kept], len(counts) - len(kept)


def _drawn(found, among, chosen, height, dark, width):
    look, names, n = palette(dark), found.names, found.n_samples
    totals = [f"{name} {count:,}" for name, count in zip(names, found.is_right.sum(axis=1).tolist(), strict=True)]
    side = min(NAMES, 0.36 * width, max(text_width(name, SIZE, True) for name in totals) + 14)
    members, counts, n_left = _shown(found, width - side)
    step = min(WIDEST, (width - side) / len(counts))
    row = min(ROW, 0.55 * height / len(names))
    base = height - row * len(names) - 8
    scale = (base - HEAD) / max(int(counts.max()), 1)
    colours = model_colours(names, dark, among if among and set(names) <= set(among) else None)
    bars, words, dots, lines, hovers, outlines, bands = [], [], [], [], [], [], []
    centres = [base + 8 + row * (i + 0.5) for i in range(len(names))]
    for i, (name, total) in enumerate(zip(names, totals, strict=True)):
        if i % 2 == 0:
            band = {"x": 0, "x2": width, "y": centres[i] - row / 2, "y2": centres[i] + row / 2}
            bands.append({**band, "colour": look.grid})
        label = shorten(name, side - 14 - text_width(total[len(name) :], SIZE), SIZE) + total[len(name) :]
        words.append({"x": side - 10, "y": centres[i], "text": label, "align": "right", "colour": look.ink})
    for j, (of, count) in enumerate(zip(members, counts.tolist(), strict=True)):
        x, wide = side + step * (j + 0.5), min(step * 0.62, 46)
        size, word = int(of.sum()), found.word(of)
        fill = look.fp if not size else look.tp if size == len(names) else look.path
        if size == 1 and len(names) > 1:
            fill = colours[names[int(np.argmax(of))]]
        bars.append({"x": x - wide / 2, "x2": x + wide / 2, "y": base - scale * count, "y2": base, "colour": fill})
        said = f"{count:,}"
        words.append({"x": x, "y": base - scale * count - 9, "text": said, "align": "center", "colour": look.ink})
        words[-1] |= {"size": SMALL, "weight": 600}
        held = np.flatnonzero(of)
        if len(held) > 1:
            ends = {"y": centres[held[0]], "y2": centres[held[-1]]}
            lines.append({"x": x, "x2": x, **ends, "colour": fill})
        for i in range(len(names)):
            dots.append({"x": x, "y": centres[i], "colour": fill if of[i] else look.axis, "is_filled": bool(of[i])})
        place = {"x": x - step / 2, "x2": x + step / 2, "y": 0, "y2": height}
        tip = {"tip": found.words(of), "samples": f"{count:,} of {n:,} ({percent_text(count / n, 1)})", CLICKED: word}
        hovers.append({**place, **tip})
        if chosen == word:
            inset = {"x": place["x"] + 1.5, "x2": place["x2"] - 1.5, "y": 1.5, "y2": height - 1.5}
            outlines.append({**inset, "colour": "transparent", "stroke": look.ink, "line": 2.5})
    drawing = layer(
        boxes(bands, width, height, radius=0),
        boxes(bars, width, height, radius=1),
        *([rules(lines, width, height)] if lines else []),
        *_dots(dots, width, height, min(row * 0.4, 8)),
        *([boxes(outlines, width, height, radius=3)] if outlines else []),
        texts(words, width, height),
        hover(hovers, width, height, {"tip": "Right", "samples": "Samples"}, CLICKED),
    ).properties(width=width, height=height)
    notes = [{"kind": "box", "label": "no model is right", "colour": look.fp}]
    notes += [{"kind": "box", "label": "all are right", "colour": look.tp}]
    notes += [{"kind": "dot", "label": "right", "shape": "circle", "colour": look.path}]
    notes += [{"kind": "point", "label": "wrong", "shape": "circle", "colour": look.axis}]
    notes += [{"kind": "note", "label": "bar: samples on which exactly these are right"}]
    if n_left:
        notes.append({"kind": "note", "label": f"{n_left:,} rarer combinations are in the table"})
    return vconcat(legend([(None, notes)], width, dark=dark), drawing, spacing=6)


def _dots(rows, width, height, radius):
    """Filled dots of the models that are right, hollow ones of the others."""
    for is_filled in (True, False):
        some = [row for row in rows if row["is_filled"] == is_filled]
        if some:
            mark = {"filled": is_filled, "opacity": 1, "size": 3.1 * radius**2, "strokeWidth": 1.4, **STILL}
            channel = alt.Color("colour:N", scale=None) if is_filled else alt.Stroke("colour:N", scale=None)
            yield alt.Chart(frame(some)).mark_point(shape="circle", **mark).encode(channel, **places(width, height))
