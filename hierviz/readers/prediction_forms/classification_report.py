"""scikit-learn's ``classification_report``, which has no answers of samples: it is refused with a sentence that says so."""

from __future__ import annotations

import json

from hierviz.messages.errors import FileError

_COLUMNS = {"precision", "recall", "f1-score", "support"}


def refuse_report(source):
    """Raise a FileError where a text is a report: as printed, as the JSON of its dict, or as a table.

    Parameters
    ----------
    source : Source
    """
    if source.kind == "text" and _is_report(source):
        raise FileError(
            f"{source.where}: expected an answer or scores for every sample, got a classification_report of scikit-learn, which "
            "holds totals of each class only: no sample, and no class that another one was taken for. Save the answers that it "
            "was made of."
        )


def _is_report(source):
    lines = source.filled_lines
    if not lines:
        return False
    if source.begins != "{":
        return set(lines[0].replace(",", " ").replace("\t", " ").replace(";", " ").split()) == _COLUMNS
    text = "".join(source.first_lines[0])
    if not all(f'"{name}"' in text for name in _COLUMNS):
        return False
    try:
        value = json.loads(source.read_text())
    except (ValueError, RecursionError):
        return False
    inside = [part for part in value.values() if isinstance(part, dict)]
    return bool(inside) and all(part.keys() >= _COLUMNS for part in inside)
