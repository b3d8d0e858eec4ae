"""Effects as bars from 0, the largest first: of the columns of a row, and means over samples with their intervals."""

from __future__ import annotations

import numpy as np

from hierviz.charts._canvas import boxes, hover, rules, texts
from hierviz.charts._compose import layer, vconcat
from hierviz.charts._effect_notes import LINE, note_lines
from hierviz.charts._effects_scale import effect_scale
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import SIZE, SMALL
from hierviz.diagnosis._sensitivity import NONE, odds_text

# Pixels of a line and the widest name; bars that are drawn at least and at most.
ROW, NAMES, FEWEST_BARS, MOST_BARS = 24, 300, 3, 24


def effect_bars(found, dark, width):
    """The drawing of a Sensitivity of a row, or of an AverageSensitivity of texts or rows."""
    is_mean = hasattr(found, "mean")
    effects = found.mean if is_mean else found.effect
    order = (
        np.arange(len(effects))
        if is_mean and found.parts.kind == "text"
        else np.argsort(-np.abs(effects), kind="stable")
    )
    n_clear = int((np.abs(effects) >= NONE).sum())
    shown = order[: min(MOST_BARS, max(n_clear, FEWEST_BARS))].tolist()
    scale = effect_scale(found, effects[shown], dark)
    look = scale.look
    names = min(NAMES, 0.42 * width)
    labels = [_label(found, k, is_mean) for k in shown]
    reach = np.concatenate([effects[shown], *([found.lower[shown], found.upper[shown]] if is_mean else [])])
    numbers = [_number(float(effects[k])) for k in shown]
    room = max((text_width(text, SMALL) for text in numbers), default=0) + 8
    # Numbers are at the ends of the bars.
    low, high = float(reach.min(initial=0)), float(reach.max(initial=0))
    unit = (width - names - 10 - room * (1 + (low < 0))) / ((high - low) or 1.0)
    middle = names + 10 - unit * low + room * (low < 0)
    notes = note_lines(found, width, _more(effects, order[len(shown) :], found.parts.what), dark)
    below = len(shown) * ROW + 6
    height = below + LINE * len(notes) + 8
    bars, ends, words, hovers = [], [], [], []
    for line, (k, label, number) in enumerate(zip(shown, labels, numbers, strict=True)):
        value, y = float(effects[k]), line * ROW + ROW / 2
        left, right = sorted((middle, middle + unit * value))
        bars.append({"x": left, "x2": right, "y": y - 7, "y2": y + 7, "colour": scale.colour(value)})
        words.append({"x": names, "y": y, "text": shorten(label, names, SIZE), "align": "right", "colour": look.ink})
        told = {"tip_name": label, "tip_effect": f"{value:+.3f} log-odds"}
        if is_mean:
            lower, upper = float(found.lower[k]), float(found.upper[k])
            left, right = min(left, middle + unit * lower), max(right, middle + unit * upper)
            ends.append({"x": middle + unit * lower, "x2": middle + unit * upper, "y": y, "y2": y, "colour": look.ink})
            told |= {"tip_interval": f"{lower:+.3f} to {upper:+.3f}", "tip_n": f"{found.n_with[k]:,}"}
        side = {"x": left - 5, "align": "right"} if value < 0 else {"x": right + 5}
        words.append(side | {"y": y, "text": number, "size": SMALL, "colour": look.ink})
        hovers.append({"x": 0, "x2": width, "y": y - ROW / 2, "y2": y + ROW / 2} | told)
    tips = {"tip_name": "Part", "tip_effect": "Mean effect" if is_mean else "Effect"}
    tips |= {"tip_interval": "Interval of the mean", "tip_n": "Samples with it"} if is_mean else {}
    zero = [{"x": middle, "x2": middle, "y": 0, "y2": len(shown) * ROW, "colour": look.axis}]
    drawn = [
        *([boxes(bars, width, height, radius=1), rules(zero, width, height)] if bars else []),
        *([rules(ends, width, height)] if ends else []),
        *([texts(words, width, height)] if words else []),
        texts([one | {"y": one["y"] + below} for one in notes], width, height),
        *([hover(hovers, width, height, tips)] if hovers else []),
    ]
    # The tools of a page are at the top right.
    return vconcat(scale.legend(width), layer(*drawn).properties(width=width, height=height), spacing=18)


def _label(found, k, is_mean):
    parts = found.parts
    if is_mean or parts.kind != "row":
        return parts.names[k]
    return f"{parts.names[k]}: {parts.content[k]} → {parts.instead[k]}"


def _number(value):
    text = odds_text(value)
    return text if not float(text) else ("−" if value < 0 else "+") + text


def _more(effects, left, what):
    """What is left out, in words."""
    if not len(left):
        return ""
    noun = "words" if len(what) and what[0] == "word" else "columns"
    most = float(np.abs(effects[left]).max())
    size = "under 0.01" if most < NONE else f"of at most {odds_text(most)}"
    return f"{len(left):,} more {noun} are in the table, with effects {size}."
