"""Where answers leave the true path: for each level a bar a model, of the samples that come there: right, stops, goes wrong."""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._canvas import boxes, hover, legend, texts
from hierviz.charts._compose import frame, layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import ANSWERS, SIZE, SMALL, palette
from hierviz.diagnosis._departures import WAYS
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import percent_text

# Selection that a click makes; pixels of a bar, at least and at most, between levels, of the axis, and of names.
CLICKED = "departure"
LEAST, TALL, GAP, AXIS, NAMES = 14, 32, 12, 20, 180
# Outcome whose colour and sign each way has.
LOOK_OF = {"right": "exact", "stopped": "coarse", "wrong": "wrong"}


def departures(found, *, height=420, dark=None, width=1000):
    """Shares of the answers that are right, stop, or go wrong at each level, of those that come there, by model.

    Parameters
    ----------
    found : dict of str to Departures
        By the name of the model.
    height : int
        Pixels that it takes at most where bars have room; bars are never lower than can be read.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``model, level, samples``, counts and shares. A click on a part of a bar selects its ``departure``: the place
        of the model, the level and the way, joined by colons.

    Raises
    ------
    PredictionsError
        If there is no model, or no truth is below the root.
    """
    if not found:
        raise PredictionsError(
            "departures: expected at least one model, got none. Pass {name: hv.diagnosis.departures(...)}."
        )
    if not any(len(one) for one in found.values()):
        raise PredictionsError("departures: expected a truth below the root, got none. Attach other truths.")
    draw = functools.partial(_drawn, found, height)
    return Figure(draw, lambda: _table(found), lambda: _sentence(found), dark, width)


def _drawn(found, height, dark, width):
    look, names = palette(dark), list(found)
    levels = sorted({level for one in found.values() for level in one.level.tolist()})
    is_one = len(names) == 1
    counts = {name: dict(zip(one.level.tolist(), one.n.tolist(), strict=True)) for name, one in found.items()}
    most_words = text_width(f"{max(max(of.values(), default=0) for of in counts.values()):,} samples", SMALL)
    # One model: level and bar are one line. Several: the level is a heading above its bars.
    head = 0 if is_one else 20
    room = height - AXIS - (GAP + head) * len(levels)
    step = min(max(room / (len(levels) * len(names)), LEAST + 3), TALL + 3)
    side = text_width("Level 10", SIZE, True) + 12 if is_one else min(NAMES, 0.32 * width, _widest(names) + 10)
    right = width - most_words - 12
    scale, y = right - side, 0.0
    rows, words, hovers = [], [], []
    for level in levels:
        label = {"x": 0.0, "text": f"Level {level}", "weight": 600, "colour": look.ink}
        words.append(label | {"y": y + (step / 2 if is_one else head / 2)})
        y += head
        for place, name in enumerate(names):
            one, top, bottom = found[name], y + 1.5, y + step - 1.5
            middle = (top + bottom) / 2
            if not is_one:
                at = {"x": side - 8, "y": middle, "align": "right", "size": SMALL, "colour": look.ink}
                words.append({**at, "text": shorten(name, side - 10, SMALL)})
            n = counts[name].get(level, 0)
            said = {"x": right + 8, "y": middle, "size": SMALL, "colour": look.muted}
            words.append({**said, "text": f"{n:,}{' samples' * (level == levels[0] and place == 0)}"})
            y += step
            if not n:
                continue
            left = side
            for way in WAYS:
                count = int(getattr(one, way)[level - 1])
                fill, sign = ANSWERS[LOOK_OF[way]]
                wide = scale * count / n
                box = {"x": left, "x2": left + wide, "y": top, "y2": bottom}
                share = percent_text(count / n, 1)
                rows.append({**box, "colour": look.outcome(fill)})
                text = next((one for one in (f"{sign} {share}", share, sign) if wide >= text_width(one, SMALL) + 6), "")
                if text:
                    at = {"x": left + wide / 2, "y": middle, "align": "center", "size": SMALL}
                    words.append({**at, "text": text, "colour": look.text_on(fill)})
                tip = {"model": name, "tip": f"Level {level}: {WAYS[way]}", "samples": f"{count:,} of {n:,} ({share})"}
                if count:
                    hovers.append({**box, **tip, CLICKED: f"{place}:{level}:{way}", "cursor": "pointer"})
                left += wide
        y += GAP
    tall = y - GAP
    ticks = [{"x": side + scale * tick / 100, "text": f"{tick} %"} for tick in (0, 25, 50, 75, 100)]
    at = {"y": tall + 11, "colour": look.muted, "size": SMALL, "align": "center"}
    titles = {"model": "Model", "tip": "Answers", "samples": "Samples"}
    drawing = layer(
        boxes(rows, width, tall + AXIS, radius=0),
        texts([*words, *(at | tick for tick in ticks)], width, tall + AXIS),
        hover(hovers, width, tall + AXIS, titles, CLICKED),
    ).properties(width=width, height=tall + AXIS)
    items = [
        {
            "kind": "box",
            "label": f"{ANSWERS[LOOK_OF[way]][1]} {words_of}",
            "colour": look.outcome(ANSWERS[LOOK_OF[way]][0]),
        }
        for way, words_of in WAYS.items()
    ]
    note = {"kind": "note", "label": "of the samples right until there"}
    return vconcat(legend([(None, [*items, note])], width, dark=dark), drawing, spacing=8)


def _widest(names):
    return max(text_width(name, SMALL) for name in names)


def _table(found):
    columns = {}
    for name, one in found.items():
        for key, values in one.to_frame().items():
            columns.setdefault(key, []).append(np.asarray(values))
        columns.setdefault("model", []).append(np.full(len(one), name, dtype=object))
    joined = {key: np.concatenate(parts) for key, parts in columns.items()}
    return frame({"model": joined.pop("model").tolist(), **joined})


def _sentence(found):
    said = {name: one.sentence for name, one in found.items()}
    return " ".join(f"{name}: {text[0].lower()}{text[1:]}" for name, text in said.items())
