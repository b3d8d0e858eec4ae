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
    """How many samples were left out, how many answers are outside the taxonomy, and which share was mapped.

    Parameters
    ----------
    models : sequence of Predictions
        Those whose numbers are seen together.

    Returns
    -------
    list of str
        The samples that were left out, which is the same for all models, then a line for each model, or for those of which the
        same is true, with their names; empty where every name was that of a class.
    """
    reasons = {what for model in models for what, record in model.outside.items() if _leaves_samples_out(model, what)}
    lines = dict.fromkeys(line for model in models if (line := _left_out(model, reasons)))
    names_of: dict[str, list[str]] = {}
    for model in models:
        said = "; ".join(filter(None, (model.mapped_words, _outside(model), _without_truth(model))))
        if said:
            names_of.setdefault(said, []).append(model.name)
    return [*lines, *(f"{_named(names)}: {said}" for said, names in names_of.items())]


def _named(names):
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


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
    return f"{n:,} of {whole:,} samples ({percent_text(n / whole, 1)}) left out: {names} outside the taxonomy"


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
        return f"{n:,} of {whole:,} answers ({percent_text(n / whole, 1)}) {done} the taxonomy"
    judged = model.has_truth if model.has_truth.any() else np.ones(model.n_samples, dtype=bool)
    n, whole = int(model.is_outside[judged].sum()), int(judged.sum())
    return f"{n:,} of {whole:,} samples ({percent_text(n / whole, 1)}) answered outside the taxonomy" if n else ""


def _without_truth(model):
    """How many samples have no truth because it is outside: those of a model that was run, which keep their answer."""
    if len(model.dropped) or "truths" not in model.outside or not _leaves_samples_out(model, "truths"):
        return ""
    n, whole = len(model.outside["truths"].rows), model.outside["truths"].n_rows
    return f"{n:,} of {whole:,} truths outside the taxonomy, whose samples are not evaluated"
