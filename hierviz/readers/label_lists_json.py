"""Lists of ``{"label": ..., "score": ...}`` in JSON, one a sample, as pipelines of Hugging Face give them.

Conventions
-----------
A file is a JSON list of such lists, an object from sample id to list, or a list of objects that hold a list with ``sample_id``,
``truth`` and attributes of text; JSON lines hold one list or object each.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from itertools import chain

import numpy as np

from hierviz.messages.errors import FileError, PredictionsError, listed
from hierviz.predictions.listed_scores import ListedEntries, first_repeat, is_falling, label_entries
from hierviz.predictions.name_matching import LooseMatches, advice
from hierviz.predictions.parametrisation import without_column
from hierviz.readers import file_limits
from hierviz.readers.columns import Columns, require_truth_column
from hierviz.readers.json_text import require_single_keys
from hierviz.readers.labels import find_node, read_labels
from hierviz.readers.prediction_forms.known_prediction_forms import PREDICTION_FORMS
from hierviz.readers.raw_predictions import RawPredictions
from hierviz.readers.sources import translated
from hierviz.readers.truth_file import ID_COLUMNS, id_column, samples_of, truth_place


def is_prediction_json(source):
    """Whether JSON is lists of label and score, or one of the forms of `PREDICTION_FORMS`, rather than a taxonomy."""
    try:
        text = source.read_text()
        file_limits.require_json(source.where, text)
        value = json.loads(text)
    except (FileError, ValueError, RecursionError):
        return False
    if any(form.kind == "json" and form.looks_like(value) for form in PREDICTION_FORMS.values()):
        return True
    parts = list(value.values()) if isinstance(value, Mapping) else value
    first = parts[0] if isinstance(parts, list) and parts else None
    inside = [first, *first.values()] if isinstance(first, Mapping) else [first]
    return any(_is_label_list(part) and "score" in part[0] for part in inside)


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
    form = ["JSON"]

    def detected():
        words = form[0] if " " in form[0] and form[0] != "JSON lines" else f"lists of label and score ({form[0]})"
        return {"form": words, **source.detected}

    return raw_of_records(source.where, _records(source, form, reading), reading, detected)


def raw_of_records(where, records, reading, detected):
    """RawPredictions of samples, each a list of labels and scores, or an object that holds one or a list ``predicted``.

    Parameters
    ----------
    where : str
    records : iterable
    reading : Reading
    detected : callable
        Gives what was found out, when all records were read.
    """
    taxonomy = reading.taxonomy
    records = iter(records)
    first = next(records, None)
    if first is None:
        raise PredictionsError(f"{where}: expected a list for every sample, got none. Is the file complete?")
    records = chain([first], records)
    if isinstance(first, Mapping) and isinstance(first.get("predicted"), list):
        return _labels_of_records(where, list(records), reading, detected)
    others = []

    def lists():
        for place, record in enumerate(records):
            entries, rest = _parts(record, where, place)
            others.append(rest)
            yield entries

    row, labels, value = label_entries(lists(), where)
    node_of, loose = {}, LooseMatches(taxonomy)
    for place, label in enumerate(labels):
        if label not in node_of:
            node_of[label] = _node_of(label, taxonomy, loose, reading.numbers)
            if node_of[label] is None:
                raise PredictionsError(
                    f"{where}, sample {row[place]}: expected the name of a node in the taxonomy ({taxonomy.n_nodes} nodes) as "
                    f"label, got {label!r}.{_advice(label, taxonomy)}"
                )
    node = np.array([node_of[label] for label in labels], dtype=np.intp)
    twice = first_repeat(row, node)
    if twice is not None:
        raise PredictionsError(
            f"{where}, sample {row[twice]}: expected every class once, got {labels[twice]!r} again. Remove one of them."
        )
    is_top_k = is_falling(row, value)
    entries = ListedEntries(row, node, value, len(others), is_top_k)
    is_whole = len(row) == len(others) * len(np.unique(node)) and not len(without_column(taxonomy, node))
    if not is_whole and not is_top_k and reading.missing is None:
        raise PredictionsError(
            f"{where}: expected all classes of every sample, or the best of each in falling order, got neither. Sort the "
            "lists by score, or say what the others are: {missing=unknown | zero}."
        )
    found = {"listed": entries}
    if is_whole:
        nodes, column = np.unique(node, return_inverse=True)
        scores = np.empty((len(others), len(nodes)))
        scores[row, column] = value
        found = {"scores": scores, "scored_nodes": nodes}
    words, notes = {**detected(), "rows": f"{len(others):,}"}, tuple(loose.notes(where))
    return RawPredictions(where, "lists", **found, **_per_sample(where, others, reading), detected=words, notes=notes)


def _labels_of_records(where, records, reading, detected):
    """RawPredictions of records with a list of labels each."""
    notes = []
    cells = [record.get("predicted") if isinstance(record, Mapping) else None for record in records]
    wrong = next((k for k, cell in enumerate(cells) if not isinstance(cell, list) or not cell), None)
    if wrong is not None:
        raise PredictionsError(f"{where}, sample {wrong}: expected labels, got none. Remove the sample, or label it.")
    labels, _, has_lists = read_labels(
        [[str(label) for label in cell] for cell in cells],
        reading.taxonomy,
        lambda row: f"{where}, sample {row}",
        what="prediction",
        numbers=reading.numbers,
        where=where,
        notes=notes,
    )
    others = [{key: value for key, value in record.items() if key != "predicted"} for record in records]
    more = {**_per_sample(where, others, reading), "detected": {**detected(), "rows": f"{len(others):,}"}}
    form = "labels" if has_lists else "hard"
    return RawPredictions(where, form, labels=labels, is_hard=not has_lists, **more, notes=tuple(notes))


def _node_of(label, taxonomy, loose, numbers):
    """The node of a label: its name, the class of its number (also as ``LABEL_3``), else what it means."""
    node = find_node(label, taxonomy)
    number = re.fullmatch(r"(?:LABEL_)?(\d{1,9})", label) if node is None and numbers else None
    if number is not None:
        return numbers.get(int(number[1]))
    return find_node(label, taxonomy, loose=loose) if node is None else node


def _advice(label, taxonomy):
    if re.fullmatch(r"(?:LABEL_)?\d+", label):
        return " If these are numbers of classes, list these: {classes}."
    return advice(label, taxonomy, " Check the spelling.")


def _records(source, form, reading):
    """Yield the value of each sample, a list or an object with a list; `form[0]` becomes how they are written, in words."""
    with translated(source.where, source), source.open() as file:
        text = io.TextIOWrapper(file, source.encoding)
        lines = ((number, line) for number, line in enumerate(text, 1) if line.strip())
        first = next(lines, None)
        second = next(lines, None)
        if first is not None and second is not None and _is_json(first[1]):
            form[0] = "JSON lines"
            yield from (_parsed(source.where, line, number) for number, line in chain((first, second), lines))
            return
    content = source.read_text(most=file_limits.UNPACKED_BYTES)
    file_limits.require_json(source.where, content)
    value = _parsed(source.where, content, None)
    is_lines = source.path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    others = [other for other in PREDICTION_FORMS.values() if other.kind == "json"]
    if reading.form is None:
        other = next((other for other in others if not is_lines and other.looks_like(value)), None)
    else:
        other = next((other for other in others if other.key == reading.form), None)
    if other is not None:
        form[0] = other.words
        if not other.looks_like(value):
            raise PredictionsError(f"{source.where}: expected {other.recognised}, got other JSON. Leave the form out.")
        yield from other.read(value, source.where, reading.taxonomy)
    elif is_lines:
        form[0] = "JSON lines"
        yield value
    elif isinstance(value, Mapping) and value and all(_is_label_list(part) for part in value.values()):
        form[0] = "JSON, by sample id"
        yield from ({ID_COLUMNS[0]: name, "scores": part} for name, part in value.items())
    elif isinstance(value, list) and not _is_label_list(value):
        yield from value
    elif not isinstance(value, list):
        yield value
    else:
        raise PredictionsError(
            f"{source.where}: expected one list per sample, got a single list of labels and scores. Put each sample's list in "
            "brackets of its own."
        )


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


def _is_label_list(value):
    return isinstance(value, list) and bool(value) and all(isinstance(e, Mapping) and "label" in e for e in value)


def _parts(record, where, place):
    """(list of labels and scores, the other values of the sample)"""
    if not isinstance(record, Mapping):
        return record, {}
    keys = [key for key, value in record.items() if _is_label_list(value)]
    if not keys and {"label", "score"} <= set(record):
        # One answer a sample, as a pipeline gives them without top_k.
        return [record], {str(key): value for key, value in record.items() if key not in ("label", "score")}
    if len(keys) != 1:
        got = f"{len(keys)} among the keys {listed(map(str, record))}" if record else "an empty object"
        raise PredictionsError(
            f"{where}, sample {place}: expected one list of labels and scores, got {got}. "
            f"Write it as {{'sample_id': ..., 'scores': [{{'label': ..., 'score': ...}}, ...]}}, or a list of objects with a key "
            "for each class (pandas: to_json with orient='records')."
        )
    return record[keys[0]], {str(key): value for key, value in record.items() if key != keys[0]}


def _per_sample(where, others, reading):
    """Ids, truth and attributes from the other keys of each sample: keywords of RawPredictions."""
    names = list(dict.fromkeys(chain.from_iterable(others)))
    require_truth_column(names, reading.truth_column, where, "key")
    text = {place: [_text(values.get(name)) for values in others] for place, name in enumerate(names)}
    columns = Columns(where, names, text, None, np.arange(len(others)), "row")
    return samples_of(columns, id_column(names), truth_place(names, reading.truth_column), reading)


def _text(value):
    """A value as a cell: text, or a list of texts."""
    if isinstance(value, list):
        return [str(item) for item in value]
    return "" if value is None else str(value)
