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

VOTES = "votes"
# Models that a line names.
MOST_NAMED = 3


def outside_lines(models: Sequence[Predictions]) -> list[str]:
    """How many samples were left out, which share was mapped, and how many answers are outside the taxonomy.

    Parameters
    ----------
    models : sequence of Predictions
        Those whose numbers are seen together.

    Returns
    -------
    list of str
        A line for each of these, with the numbers of the models by name where they differ; empty where every name was that of a
        class.
    """
    reasons = {what for model in models for what, record in model.outside.items() if _leaves_samples_out(model, what)}
    # What is counted -> name of a model -> how much of it.
    counted: dict[str, dict[str, str]] = {}
    for model in models:
        mapped = (record.mapped_words for record in reversed(model.outside.values()))
        for words in (_left_out(model, reasons), *mapped, _outside(model), _without_truth(model)):
            amount, of, rest = words.partition(" of ")
            if words:
                counted.setdefault(f"{of}{rest}", {})[model.name] = amount
    names = {model.name for model in models}
    return [f"{_amounts(amounts, names)}{rest}" for rest, amounts in counted.items()]


def _amounts(amounts, names):
    """One amount where it is that of all models, else those of the models by name."""
    if set(amounts) == names and len(set(amounts.values())) == 1:
        return next(iter(amounts.values()))
    said = [f"{name} {amount}" for name, amount in amounts.items()]
    more = f" and {len(said) - MOST_NAMED} more models" if len(said) > MOST_NAMED else ""
    return ", ".join(said[:MOST_NAMED]) + more


def _leaves_samples_out(model, what):
    record = model.outside[what]
    is_left_out = record.how == "drop" or (what == "truths" and record.how == "nearest")
    return is_left_out and bool(record.left) and not (what == "answers" and model.parametrisation == VOTES)


def _left_out(model, reasons):
    """How many samples all numbers leave out."""
    n = len(model.dropped)
    if not n:
        return ""
    whole = model.n_samples + n
    names = " or ".join(sorted(reasons))
    return f"{_counted(n, whole)} of {whole:,} samples left out: {names} outside the taxonomy"


def _counted(n, whole):
    return f"{n:,} ({percent_text(n / whole, 1)})"


def _outside(model):
    """How many of the judged samples are answered outside the taxonomy; of votes how many answers are."""
    if model.parametrisation == VOTES:
        record = model.outside.get("answers")
        n = 0 if record is None else sum(record.left.values())
        if not n:
            return ""
        is_left_out = record.how == "drop"
        whole = round(float(np.sum(getattr(model.scores, "values", model.scores)))) + n * is_left_out
        done = "left out: outside" if is_left_out else "outside"
        return f"{_counted(n, whole)} of {whole:,} answers {done} the taxonomy"
    judged = model.has_truth if model.has_truth.any() else np.ones(model.n_samples, dtype=bool)
    n, whole = int(model.is_outside[judged].sum()), int(judged.sum())
    return f"{_counted(n, whole)} of {whole:,} samples answered outside the taxonomy" if n else ""


def _without_truth(model):
    """How many samples have no truth because it is outside: those of a model that was run, which keep their answer."""
    if len(model.dropped) or "truths" not in model.outside or not _leaves_samples_out(model, "truths"):
        return ""
    n, whole = len(model.outside["truths"].rows), model.outside["truths"].n_rows
    return f"{_counted(n, whole)} of {whole:,} truths outside the taxonomy: their samples are not evaluated"
