"""Lists of ``{"label": ..., "score": ...}`` in JSON, one a sample, as pipelines of Hugging Face give them.

Conventions
-----------
A file is a JSON list of such lists, an object from sample id to list, or a list of objects that hold a list with ``sample_id``,
``truth`` and attributes of text; JSON lines hold one list or object each.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from itertools import chain

from hierviz.messages.errors import FileError, PredictionsError
from hierviz.readers import file_limits
from hierviz.readers.json_text import are_objects, require_single_keys
from hierviz.readers.prediction_forms.known_prediction_forms import PREDICTION_FORMS
from hierviz.readers.sample_records import is_label_list, raw_of_form, raw_of_records
from hierviz.readers.sources import translated
from hierviz.readers.truth_file import ID_COLUMNS


def is_prediction_json(source):
    """Whether JSON is lists of label and score, or one of the forms of `PREDICTION_FORMS`, rather than a taxonomy."""
    try:
        text = source.read_text()
        file_limits.require_json(source.where, text)
        value = json.loads(text)
    except (FileError, ValueError, RecursionError):
        return False
    if json_form(value) is not None:
        return True
    parts = list(value.values()) if isinstance(value, Mapping) else value
    first = parts[0] if isinstance(parts, list) and parts else None
    inside = [first, *first.values()] if isinstance(first, Mapping) else [first]
    return any(is_label_list(part) and "score" in part[0] for part in inside)


def read_label_lists(source, reading):
    """Scores of a JSON file or JSON lines.

    Parameters
    ----------
    source : Source
    reading : Reading

    Returns
    -------
    RawPredictions

    Raises
    ------
    PredictionsError
        If the file is no JSON of one of these forms, a class is not in the taxonomy or twice in a list, or lists neither hold
        all classes nor fall; names line or sample.
    """
    values = _values_of_lines(source)
    first = next(values, None)
    if first is not None:
        form, words = json_form([first], reading.form), "JSON lines"
        given = records = chain([first], values)
    else:
        content = source.read_text(most=file_limits.UNPACKED_BYTES)
        file_limits.require_json(source.where, content)
        given = _parsed(source.where, content, None)
        is_lines = source.path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))
        given = [given] if is_lines else given
        form = json_form(given, reading.form)
        words, records = ("JSON lines", given) if is_lines or form is not None else _own_records(given, source.where)
    if form is None and reading.form is not None:
        said = PREDICTION_FORMS[reading.form]
        raise PredictionsError(f"{source.where}: expected {said.recognised}, got other JSON. Leave the form out.")
    if form is not None:
        given = list(given) if form.kind == "json" and not isinstance(given, Mapping) else given
        return raw_of_form(form, given, source.where, reading, source.detected)
    words = f"lists of label and score ({words})"
    return raw_of_records(source.where, records, reading, lambda: {"form": words, **source.detected})


def json_form(value, key=None):
    """The form of another tool that a JSON value has: the one of this key, or any where it is None; None for no form."""
    for form in PREDICTION_FORMS.values():
        is_asked = form.key == key if key is not None else form.kind in ("json", "objects")
        if is_asked and form.kind == "json" and form.looks_like(value):
            return form
        if is_asked and form.kind == "objects" and are_objects(value) and form.looks_like(value[0]):
            return form
    return None


def _values_of_lines(source):
    """Yield the values of JSON lines, two or more; nothing for other files."""
    with translated(source.where, source), source.open() as file:
        text = io.TextIOWrapper(file, source.encoding)
        lines = ((number, line) for number, line in enumerate(text, 1) if line.strip())
        first = next(lines, None)
        second = next(lines, None)
        if first is not None and second is not None and _is_json(first[1]):
            yield from (_parsed(source.where, line, number) for number, line in chain((first, second), lines))


def _own_records(value, where):
    """How lists of label and score are written, and the samples."""
    if isinstance(value, Mapping) and value and all(is_label_list(part) for part in value.values()):
        return "JSON, by sample id", [{ID_COLUMNS[0]: name, "scores": part} for name, part in value.items()]
    if is_label_list(value):
        raise PredictionsError(
            f"{where}: expected one list per sample, got a single list of labels and scores. Put each sample's list in "
            "brackets of its own."
        )
    return "JSON", value if isinstance(value, list) else [value]


def _is_json(line):
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _parsed(where, text, line):
    try:
        return json.loads(text, object_pairs_hook=require_single_keys(where, PredictionsError))
    except (ValueError, RecursionError) as error:
        number = getattr(error, "lineno", 1) if line is None else line
        said = getattr(error, "msg", None) or error
        raise PredictionsError(f"{where}:{number}: expected JSON, got an error ({said}). Correct the file.") from None
