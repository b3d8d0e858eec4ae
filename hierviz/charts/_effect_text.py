"""A text whose words are coloured by what leaving them out does, and underlined in the colour of their sentence."""

from __future__ import annotations

import numpy as np

from hierviz.charts._canvas import boxes, hover, texts
from hierviz.charts._compose import layer
from hierviz.charts._effect_notes import LINE, note_lines
from hierviz.charts._effects_scale import HIGH, effect_scale
from hierviz.charts._text import shorten, text_width
from hierviz.charts._value_colours import text_on

# Pixels: size of the letters, of a line, around a word, between words; lines that are shown at most.
LETTERS, ROW, INSIDE, BETWEEN, MOST_LINES = 15, 30, 2, 3, 32


def effect_text(found, dark, width):
    """The drawing of a Sensitivity of a text."""
    parts = found.parts
    scale = effect_scale(found, found.effect, dark)
    is_word = parts.what == "word"
    words, sentences = np.flatnonzero(is_word), np.flatnonzero(~is_word)
    # The sentence of each word: the last one that starts at or before it.
    starts = parts.places[sentences, 0]
    of = np.searchsorted(starts, parts.places[words, 0], side="right") - 1
    placed = _placed([parts.names[k] for k in words.tolist()], width)
    first, n_lines = _window(placed, np.abs(found.effect[words]))
    more = ""
    if n_lines > MOST_LINES:
        more = f"Lines {first + 1} to {first + MOST_LINES} of {n_lines}, those with the largest effects."
    if len(sentences):
        more = f"Words are coloured by themselves, and underlined in the colour of their sentence. {more}".strip()
    notes = note_lines(found, width, more, dark)
    # The legend comes first: the tools of a page are at the top right.
    above = HIGH + 8
    below = above + min(n_lines, MOST_LINES) * ROW + 4
    height = below + LINE * len(notes) + 8
    fills, lines, letters, hovers = [], [], [], []
    for number, (k, (x, x2, line, name)) in enumerate(zip(words.tolist(), placed, strict=True)):
        if not first <= line < first + MOST_LINES:
            continue
        top, value = above + (line - first) * ROW, float(found.effect[k])
        fill = scale.fill(value)
        box = {"x": x, "x2": x2, "y": top + 2, "y2": top + ROW - 8}
        fills.append(box | {"colour": fill})
        told = {"tip_word": name, "tip_effect": _signed(value)}
        if len(sentences):
            effect = float(found.effect[sentences[of[number]]])
            is_next = number + 1 < len(words) and of[number + 1] == of[number] and placed[number + 1][2] == line
            end = placed[number + 1][0] if is_next else x2
            lines.append({"x": x, "x2": end, "y": top + ROW - 7, "y2": top + ROW - 3, "colour": scale.fill(effect)})
            told["tip_sentence"] = _signed(effect)
        middle = {"x": (x + x2) / 2, "y": top + (ROW - 6) / 2, "align": "center", "size": LETTERS}
        letters.append(middle | {"text": name, "colour": text_on(fill)})
        hovers.append(box | told)
    tips = {"tip_word": "Word", "tip_effect": "Leaving it out takes"}
    tips |= {"tip_sentence": "Leaving its sentence out takes"} if len(sentences) else {}
    drawn = [
        boxes(fills, width, height, radius=2),
        *([boxes(lines, width, height, radius=0)] if lines else []),
        texts(letters, width, height),
        *scale.layers(0, 0, width, width, height),
        texts([one | {"y": one["y"] + below} for one in notes], width, height),
        hover(hovers, width, height, tips),
    ]
    return layer(*drawn).properties(width=width, height=height)


def _placed(words, width):
    """(x, x2, line, word as it is written) of each word."""
    found, x, line = [], 0.0, 0
    for word in words:
        name = shorten(word, width - 2 * INSIDE, LETTERS)
        wide = text_width(name, LETTERS) + 2 * INSIDE
        if x and x + wide > width:
            x, line = 0.0, line + 1
        found.append((x, x + wide, line, name))
        x += wide + BETWEEN
    return found


def _window(placed, sizes):
    """The first of the lines that are shown, and how many there are: those with the largest effects where not all fit."""
    lines = np.array([line for _, _, line, _ in placed])
    n_lines = int(lines[-1]) + 1
    sums = np.concatenate([[0.0], np.cumsum(np.bincount(lines, sizes, n_lines))])
    if n_lines <= MOST_LINES:
        return 0, n_lines
    return int((sums[MOST_LINES:] - sums[:-MOST_LINES]).argmax()), n_lines


def _signed(value):
    return f"{value:+.3f} log-odds"
