"""Bars of every level of a taxonomy: its nodes, the truths that are classes of this level, and the answers that stop there."""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._canvas import boxes, hover, texts
from hierviz.charts._compose import layer
from hierviz.charts._figure import Figure
from hierviz.charts._rows import frame
from hierviz.charts.theme import SIZE, SMALL, palette

ROW, TOP, LABEL, NUMBER = 24, 30, 52, 58
COLUMNS = {"n_nodes": "Classes", "truths": "Truths here", "answers": "Answers here"}


def level_bars(levels, *, dark=None, width=800):
    """Bars of classes, truths and answers for every depth.

    Parameters
    ----------
    levels : SubtreeLevels
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: DataFrame of `SubtreeLevels.to_frame`.
    """
    table = frame(dict(levels.to_frame().items()))
    return Figure(functools.partial(_drawn, levels), table, lambda: _sentence(levels), dark, width)


def _drawn(levels, dark, width):
    look = palette(dark)
    depths = np.flatnonzero(levels.n_nodes)
    n = len(depths)
    colours = {"n_nodes": look.tn, "truths": look.fn, "answers": look.path}
    width -= 4
    each = (width - LABEL) / len(COLUMNS)
    height = TOP + ROW * n
    bars, words, hovers = [], [], []
    words.append({"x": 0, "y": TOP / 2, "text": "Depth", "colour": look.muted, "size": SMALL})
    for place, depth in enumerate(depths.tolist()):
        y = TOP + ROW * place
        words.append({"x": 0, "y": y + ROW / 2, "text": str(depth), "colour": look.ink})
        tip = {"depth": str(depth)} | {key: f"{int(getattr(levels, key)[depth]):,}" for key in COLUMNS}
        hovers.append({"x": 0, "x2": width, "y": y, "y2": y + ROW, **tip})
    for place, (key, title) in enumerate(COLUMNS.items()):
        values = getattr(levels, key)
        x, full = LABEL + place * each, each - NUMBER - 14
        words.append({"x": x, "y": TOP / 2, "text": title, "colour": look.muted, "size": SMALL, "limit": each})
        most = max(int(values.max()), 1)
        for row, value in enumerate(values[depths].tolist()):
            y, long = TOP + ROW * row, full * value / most
            bars.append(
                {"x": x, "x2": x + max(long, 1 if value else 0), "y": y + 4, "y2": y + ROW - 4, "colour": colours[key]}
            )
            words.append(
                {"x": x + long + 5, "y": y + ROW / 2, "text": f"{value:,}", "colour": look.ink, "size": SIZE - 1}
            )
    return layer(
        boxes(bars, width, height, radius=1),
        texts(words, width, height),
        hover(hovers, width, height, {"depth": "Depth", **COLUMNS}),
    ).properties(width=width, height=height)


def _sentence(levels):
    """How large the taxonomy is and where truths and answers are, in words."""
    truths, answers = int(levels.truths.argmax()), int(levels.answers.argmax())
    n_nodes, n_leaves, n_supported = (
        int(counts.sum()) for counts in (levels.n_nodes, levels.n_leaves, levels.n_supported)
    )
    said = f"{n_nodes:,} classes on {int((levels.n_nodes > 0).sum())} levels, {n_leaves:,} of them leaves; "
    said += f"{n_supported:,} have a truth at or below them. "
    n_truths, n_answers = int(levels.truths[truths]), int(levels.answers[answers])
    if n_truths:
        said += f"Most truths are classes of depth {truths} ({n_truths:,})"
        said += (
            f", most answers of depth {answers} ({n_answers:,})."
            if n_answers
            else "; no answer is one of these classes."
        )
    return said.strip()
