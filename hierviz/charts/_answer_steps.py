"""How the answer to one sample changed over the steps of a training: a column a step, a cell a level of the answer's path."""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._canvas import boxes, hover, legend, texts
from hierviz.charts._compose import frame, layer, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._text import shorten, text_width
from hierviz.charts.theme import ANSWERS, SMALL, answer_text, palette
from hierviz.comparison._answer_steps import SampleOverSteps
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import probability_text, step_text
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.taxonomy.checks import check_kind

# Pixels: a level, a row of words, widest column, names of the levels (their share of a narrow picture), between cells.
LEVEL, WORDS, COLUMN, NAMES, SHARE, GAP = 18, 18, 64, 150, 0.3, 2
TOOLTIP = {"at": "Step", "answer": "Answer", "said": "Outcome", "p_text": "p"}
KINDS = {
    "tp": "on the true path",
    "fp": "wrong: another class than at the left",
    "path": "answer, truth unknown",
    "outside": "outside the taxonomy",
    "fn": "of the truth, not reached",
}
# Runs of equal answers that a sentence names.
MOST_RUNS = 5


def answer_steps(found, step=None, *, dark=None, width=800):
    """The answer to one sample at each step of a training, level by level.

    Parameters
    ----------
    found : SampleOverSteps
        Of `hierviz.comparison.answer_steps(...).of_sample(...)`, on a tree.
    step : float, optional
        The step that is outlined.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``step, answer, outcome, p, depth``. A press on a column selects its ``step``.

    Raises
    ------
    PredictionsError
        If these are no steps, or there is no such step.
    TaxonomyError
        If the taxonomy is a graph.
    """
    check_kind(
        "answer_steps", found, SampleOverSteps, "Pass what hierviz.comparison.answer_steps(...).of_sample gives."
    )
    if step is not None and step not in found.steps:
        raise PredictionsError(
            f"step: expected one of {found.steps[0]} ... {found.steps[-1]}, got {step!r}. Choose one."
        )
    depth = found.taxonomy.depth
    table = frame(
        {
            "step": list(found.steps),
            "answer": [found.title(place) for place in range(len(found.steps))],
            "outcome": [OUTCOMES.get(key, "") for key in found.outcome],
            "p": found.p.astype(float),
            "depth": [int(depth[node]) if node >= 0 else 0 for node in found.answers],
        }
    )
    return Figure(functools.partial(_drawn, found, found.levels, step), table, lambda: _sentence(found), dark, width)


def _drawn(found, levels, step, dark, width):
    look, (n, n_levels) = palette(dark), levels.shape
    true, names = _names(found, n_levels), min(NAMES, SHARE * width)
    left = min(names, max((text_width(name, SMALL) for name in true), default=0)) + 10
    column = min(COLUMN, (width - left - 2) / n)
    wide, top = left + n * column + 2, 2 * WORDS
    height = top + n_levels * LEVEL + WORDS
    cells, words, tips = [], [], []
    for level, name in enumerate(true):
        at = top + (level + 0.5) * LEVEL
        words.append({"x": 0, "y": at, "text": shorten(name, left - 8, SMALL), "colour": look.muted, "size": SMALL})
    if len(found.truth):
        words.append(
            {"x": 0, "y": top - WORDS / 2, "text": "truth", "colour": look.muted, "size": SMALL, "weight": "bold"}
        )
    gap = GAP if column > 8 else 0.5
    for place, kinds in enumerate(levels):
        x, x2 = left + place * column, left + (place + 1) * column
        for level, kind in enumerate(kinds):
            if kind:
                y = top + level * LEVEL
                missed = kind == "fn"
                cells.append(
                    {"x": x + gap, "x2": x2 - gap, "y": y + gap, "y2": y + LEVEL - gap}
                    | {"colour": "transparent" if missed else look.outcome(str(kind))}
                    | ({"stroke": look.fn, "line": 1} if missed else {})
                )
        sign = ANSWERS[found.outcome[place]][1] if found.outcome[place] else ""
        middle = {"x": (x + x2) / 2, "align": "center"}
        if column >= 9:
            words.append(middle | {"y": 1.5 * WORDS, "text": sign, "colour": look.ink})
        tips.append({"x": x, "x2": x2, "y": 0, "y2": height, "step": found.steps[place]} | _tip(found, place))
    words += _step_words(found, left, column, height, look)
    words += _run_words(found, left, column, look)
    layers = [boxes(cells, wide, height)] if cells else []
    if step is not None:
        x = left + found.steps.index(step) * column
        outline = {"x": x, "x2": x + column, "y": 1.05 * WORDS, "y2": height, "colour": "transparent"}
        layers.append(boxes([outline | {"stroke": look.ink, "line": 1.5}], wide, height))
    layers += [texts(words, wide, height), hover(tips, wide, height, TOOLTIP, "step")]
    drawing = layer(*layers).properties(width=wide, height=height)
    return vconcat(drawing, legend([(None, _items(levels, look))], width, dark=dark), spacing=6)


def _names(found, n_levels):
    """What each level is called: the true class there; without one truth its number."""
    names = [f"level {level + 1}" for level in range(n_levels)]
    if len(found.truth) == 1:
        path = [node for node in found.taxonomy.path(int(found.truth[0])).tolist() if node]
        names = [found.taxonomy.title(node) for node in path][:n_levels]
        names += ["below the truth"] * (n_levels - len(names))
    return names


def _step_words(found, left, column, height, look):
    """Numbers of the steps below their columns, as many as there is room for."""
    said = [step_text(step) for step in found.steps]
    every = max(1, int(np.ceil((max(text_width(one, SMALL) for one in said) + 6) / column)))
    y = height - WORDS / 2
    return [
        {"x": left + (place + 0.5) * column, "y": y, "text": said[place], "align": "center"}
        | {"colour": look.muted, "size": SMALL}
        for place in range(0, len(said), every)
    ] + [{"x": 0, "y": y, "text": "step", "colour": look.muted, "size": SMALL}]


def _run_words(found, left, column, look):
    """The answer above the steps that have it, where there is room for its name."""
    words = []
    for first, last in found.runs:
        room = (last - first + 1) * column - 6
        text = shorten(found.title(first), room, SMALL)
        if room > 24 and len(text) > 2:
            words.append(
                {"x": left + first * column + 2, "y": WORDS / 2, "text": text, "colour": look.ink, "size": SMALL}
            )
    return words


def _tip(found, place):
    return {
        "at": step_text(found.steps[place]),
        "answer": found.title(place),
        "said": answer_text(found.outcome[place]),
        "p_text": probability_text(float(found.p[place])),
    }


def _items(levels, look):
    there = [key for key in KINDS if (levels == key).any()]
    kinds = {"fn": "outline"}
    return [{"kind": kinds.get(key, "box"), "label": KINDS[key], "colour": look.outcome(key)} for key in there]


def _sentence(found):
    """How often the answer changes, and which answers there are, with their steps and outcomes."""
    runs, n = found.runs, len(found.steps)
    said = [_run_text(found, *run) for run in runs]
    if len(runs) == 1:
        return f"The answer is the same at all {n} steps: {said[0]}."
    if len(said) > MOST_RUNS:
        said = [*said[: MOST_RUNS - 2], "…", *said[-2:]]
    times = {2: "once", 3: "twice"}.get(len(runs), f"{len(runs) - 1} times")
    return f"The answer changes {times} over {n} steps: {'; '.join(said)}."


def _run_text(found, first, last):
    ends = [step_text(found.steps[place]) for place in (first, last)]
    at = f"step {ends[0]}" if first == last else f"steps {ends[0]} to {ends[1]}"
    outcome = OUTCOMES[found.outcome[first]].lower() if found.outcome[first] else ""
    return f"{found.title(first)} ({', '.join(part for part in (outcome, at) if part)})"
