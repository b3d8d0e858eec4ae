"""What timm's ``inference.py`` writes: per picture ``index``, ``label`` and ``prob``, in JSON by file name or as records, or as
columns of a CSV (``index_0, label_0, prob_0, ...``, or one column of lists each).

References
----------
.. [1] R. Wightman, PyTorch Image Models, ``inference.py``.
"""

from __future__ import annotations

import re

from hierviz.messages.errors import PredictionsError
from hierviz.readers.json_text import are_objects, of_kind

FILE_COLUMNS = ("filename", "file", "image")
SCORES = ("prob", "probability", "score")
_LIST = re.compile(r"\[.*\]", re.DOTALL)
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s,\[\]]+)")


def looks_like(value):
    """Whether a JSON value goes from file names to objects with prob, or is a list of objects with filename and prob."""
    if isinstance(value, dict) and set(value) == {"columns", "index", "data"}:
        return "prob" in of_kind(value["columns"], list)
    inside = list(value.values()) if isinstance(value, dict) else value
    return (
        are_objects(inside)
        and all(any(key in record for key in ("prob", "prob_0")) for record in inside)
        and all(any(key in record for key in ("label", "index", "label_0", "index_0")) for record in inside)
        and (isinstance(value, dict) or all("filename" in record for record in inside))
    )


def records(value, where, reading, notes):
    """Yield a record for every picture."""
    if isinstance(value, dict) and set(value) == {"columns", "index", "data"}:
        names, rows, index = (of_kind(value[key], list) for key in ("columns", "data", "index"))
        wrong = [row for row in rows if not isinstance(row, list) or len(row) != len(names)]
        if wrong or len(rows) != len(index):
            raise PredictionsError(
                f"{where}: expected a row of {len(names)} values for each name of 'index', got others. Is it cut off?"
            )
        rows = [dict(zip(map(str, names), row, strict=True)) for row in rows]
        value = dict(zip(map(str, index), rows, strict=True))
    pairs = value.items() if isinstance(value, dict) else ((record.get("filename"), record) for record in value)
    for name, record in pairs:
        yield {"sample_id": str(name), "scores": _entries(record, f"{where}, {name!r}")}


def looks_like_table(names):
    """Whether columns are a file name, label or index, and prob, each one column, or one for each rank."""
    folded = [name.casefold() for name in names]
    has_both = any(
        f"prob{end}" in folded and (f"label{end}" in folded or f"index{end}" in folded) for end in ("", "_0")
    )
    return has_both and any(name in folded for name in FILE_COLUMNS)


def table_records(samples, where, reading, notes):
    """Yield a record for every row of a SampleTable."""
    columns = samples.read()
    names = [name.casefold() for name in columns.names]
    known = [
        k for k, name in enumerate(names) if name in FILE_COLUMNS or re.fullmatch(r"(prob|label|index)(_\d+)?", name)
    ]
    file = next(k for k, name in enumerate(names) if name in FILE_COLUMNS)
    for row in range(len(columns)):
        cells = {names[k]: listed_cell(columns.text[k][row]) for k in known if k != file}
        record = {
            name: cell if name in ("prob", "label", "index") else "".join(cell[:1]) for name, cell in cells.items()
        }
        yield {
            "sample_id": columns.text[file][row],
            "scores": _entries(record, columns.place(row)),
            **{columns.names[k]: columns.text[k][row] for k in range(len(names)) if k not in known},
        }


def listed_cell(cell):
    """The values of a cell such as ``['tench' 'goldfish']`` or ``[0.5 0.25]``; a cell without brackets is one value."""
    if not _LIST.fullmatch(cell.strip()):
        return [cell]
    found = _QUOTED.findall(cell.strip()[1:-1])
    return [re.sub(r"\\(.)", r"\1", single or double) or plain for single, double, plain in found]


def _entries(record, where):
    """Labels and scores of a picture, with index and label as two names of one class."""
    values = {key: _column(record, key) for key in ("label", "index", "prob")}
    labels = values["label"] or values["index"]
    if not labels or len(labels) != len(values["prob"]):
        raise PredictionsError(
            f"{where}: expected as many labels as probabilities, got {len(labels)} and {len(values['prob'])}. Is it cut off?"
        )
    entries = []
    for label, score in zip(labels, values["prob"], strict=True):
        try:
            score = float(score)
        except (TypeError, ValueError, OverflowError):  # the last of a whole number of hundreds of digits
            raise PredictionsError(f"{where}: expected a probability, got {score!r:.40}. Correct it.") from None
        entries.append({"label": str(label), "score": score})
    return entries


def _column(record, key):
    if key in record:
        value = record[key]
        return value if isinstance(value, list) else [value]
    names = [name for name in record if re.fullmatch(rf"{key}_(0|[1-9][0-9]*)", name)]
    return [record[name] for name in sorted(names, key=lambda name: (len(name), name))]
