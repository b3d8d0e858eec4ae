"""What names outside the taxonomy did to the numbers of some models, in lines that stand next to these numbers.

Functions
---------
outside_lines
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hierviz.messages.number_text import percent_text
from hierviz.predictions.predictions import Predictions

VOTES, MAPPED = "votes", " mapped to "
# Models that a line names.
MOST_NAMED = 3


def outside_lines(models: Sequence[Predictions], *, by_name: bool = True) -> list[str]:
    """How many samples were left out, which share was mapped, and how many answers are outside the taxonomy.

    Parameters
    ----------
    models : sequence of Predictions
        Those whose numbers are seen together.
    by_name : bool
        Numbers that differ between a few models are given with their names, else from the smallest to the largest one.

    Returns
    -------
    list of str
        A line for each of these; empty where every name was that of a class.
    """
    reasons = {what for model in models for what, record in model.outside.items() if _leaves_samples_out(model, what)}
    # What is counted -> name of a model -> how much of it, for the order and in words.
    counted: dict[str, dict[str, tuple[float, str]]] = {}
    for model in models:
        mapped = [(record.n_mapped / max(record.n_rows, 1), record.mapped_words) for record in _records(model)]
        for value, words in (_left_out(model, reasons), *mapped, _outside(model), _without_truth(model)):
            amount, of, rest = words.partition(" of ")
            if words:
                counted.setdefault(f"{of}{rest}", {})[model.name] = value, amount
    names = {model.name for model in models}
    lines = [f"{_amounts(amounts, names, by_name)}{rest}" for rest, amounts in counted.items()]
    return _joined(lines)


def _joined(lines):
    """The same with one line for truths and answers that were mapped to the same."""
    joined: list[str] = []
    for line in lines:
        (_, is_mapped, to), (before, *_, same) = line.partition(MAPPED), (joined or [""])[-1].partition(MAPPED)
        if is_mapped and to == same:
            joined[-1] = f"{before} and {line}"
        else:
            joined.append(line)
    return joined


def _records(model):
    """What is known of truths, then of answers."""
    return [model.outside[what] for what in ("truths", "answers") if what in model.outside]


def _amounts(amounts, names, by_name):
    """One amount where it is that of all models, else those of the models by name, or the smallest and the largest one."""
    ordered = sorted(set(amounts.values()))
    if set(amounts) == names and len(ordered) == 1:
        return ordered[0][1]
    if by_name and len(amounts) <= MOST_NAMED:
        return ", ".join(f"{name} {amount}" for name, (_, amount) in amounts.items())
    least = ordered[0][1] if set(amounts) == names else "none"
    return f"{least} to {ordered[-1][1]}"


def _leaves_samples_out(model, what):
    record = model.outside[what]
    is_left_out = record.how == "drop" or (what == "truths" and record.how == "nearest")
    return is_left_out and bool(record.left) and not (what == "answers" and model.parametrisation == VOTES)


def _left_out(model, reasons):
    """How many samples all numbers leave out."""
    n = len(model.dropped)
    if not n:
        return 0, ""
    whole = model.n_samples + n
    names = " or ".join(sorted(reasons))
    return n, f"{_counted(n, whole)} of {whole:,} samples left out: {names} outside the taxonomy"


def _counted(n, whole):
    return f"{n:,} ({percent_text(n / whole, 1)})"


def _outside(model):
    """How many of the judged samples are answered outside the taxonomy; of votes how many answers are."""
    if model.parametrisation == VOTES:
        record = model.outside.get("answers")
        n = 0 if record is None else sum(record.left.values())
        if not n:
            return 0, ""
        is_left_out = record.how == "drop"
        whole = round(float(np.sum(getattr(model.scores, "values", model.scores)))) + n * is_left_out
        done = "left out: outside" if is_left_out else "outside"
        return n, f"{_counted(n, whole)} of {whole:,} answers {done} the taxonomy"
    judged = model.has_truth if model.has_truth.any() else np.ones(model.n_samples, dtype=bool)
    n, whole = int(model.is_outside[judged].sum()), int(judged.sum())
    return n, f"{_counted(n, whole)} of {whole:,} samples answered outside the taxonomy" if n else ""


def _without_truth(model):
    """How many samples have no truth because it is outside: those of a model that was run, which keep their answer."""
    if len(model.dropped) or "truths" not in model.outside or not _leaves_samples_out(model, "truths"):
        return 0, ""
    n, whole = len(model.outside["truths"].rows), model.outside["truths"].n_rows
    return n, f"{_counted(n, whole)} of {whole:,} truths outside the taxonomy: their samples are not evaluated"
