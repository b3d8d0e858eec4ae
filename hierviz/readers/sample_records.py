"""Samples given one after the other, each with its classes and scores, or with labels: the way of all forms that are no matrix.

Conventions
-----------
A record is a list of ``{"label": ..., "score": ...}``, or an object with ``sample_id``, ``truth``, attributes of text, and either
one such list or a list ``predicted`` of labels. Readers of other tools (`prediction_forms`) yield records with ``scores`` or
``predicted``; what their scores mean says their `FileForm.scores`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.listed_entries import ListedEntries, first_repeat, is_falling, label_entries
from hierviz.predictions.name_matching import LooseMatches, advice
from hierviz.predictions.parametrisation import SUM_TOLERANCE, without_column
from hierviz.readers.columns import Columns, require_truth_column, sample_place
from hierviz.readers.labels import find_node, read_labels, text_array
from hierviz.readers.prediction_forms.detections import SHARED
from hierviz.readers.raw_predictions import RawPredictions
from hierviz.readers.truth_file import id_column, samples_of, truth_place


def raw_of_form(form, given, where, reading, detected):
    """RawPredictions of a file in the form of another tool.

    Parameters
    ----------
    form : FileForm
    given : object
        What the function `form.read` gets: a JSON value, objects, a SampleTable or a Source.
    where : str
    reading : Reading
    detected : dict of str to str
        What else was found out.
    """
    notes: list[str] = []
    found = form.read(given, where, reading, notes)
    if isinstance(found, RawPredictions):
        return replace(found, detected={"form": form.words, **found.detected}, notes=(*found.notes, *notes))
    return raw_of_records(where, found, reading, lambda: {"form": form.words, **detected}, form, notes)


def raw_of_records(where, records, reading, detected, form=None, notes=()):
    """RawPredictions of records.

    Parameters
    ----------
    where : str
    records : iterable
    reading : Reading
    detected : callable
        Gives what was found out, when all records were read.
    form : FileForm, optional
        Of another tool.
    notes : sequence of str
        Those of its reader, when all records were read.

    Raises
    ------
    PredictionsError
        If there is no record, a class is not in the taxonomy or twice in a list, or lists neither hold all classes nor fall;
        names the sample.
    """
    records = iter(records)
    first = next(records, None)
    if first is None:
        raise PredictionsError(f"{where}: expected a list for every sample, got none. Is the file complete?")
    records = chain([first], records)
    if isinstance(first, Mapping) and isinstance(first.get("predicted"), list):
        raw = _labels_of_records(where, list(records), reading, detected)
    else:
        raw = _scores_of_records(where, records, reading, detected, form)
    if form is not None:
        raw = replace(raw, form=form.key, counts_absent=form.counts_absent)
    return replace(raw, notes=(*raw.notes, *notes))


def _scores_of_records(where, records, reading, detected, form):
    taxonomy = reading.taxonomy
    missing = reading.missing or (None if form is None else form.missing)
    may_be_empty, others, empty, numbers = form is not None and missing == "zero", [], [], []

    def called(row):
        return sample_place(where, numbers[row], _id_of(others[row]))

    def lists():
        for place, record in enumerate(records):
            entries, rest = _parts(record, where, place) if form is None else _parts_of_form(record, where, place)
            if form is not None and not entries:
                empty.append(str(rest.get("sample_id", place)))
                if not may_be_empty:
                    continue
            others.append(rest)
            numbers.append(place)
            yield entries

    row, labels, value = label_entries(lists(), where, may_be_empty, called)
    if not others:
        raise PredictionsError(
            f"{where}: expected samples with classes and scores, got none that lists a class. Is the file complete?"
        )
    node_of, loose = {}, LooseMatches(taxonomy)
    for place, label in enumerate(labels):
        if label not in node_of:
            node_of[label] = _node_of(label, taxonomy, loose, reading.numbers)
            if node_of[label] is None and reading.answers is not None:
                node_of[label] = reading.answers.code(label)
            if node_of[label] is None:
                raise PredictionsError(
                    f"{called(row[place])}: expected the name of a node in the taxonomy ({taxonomy.n_nodes} nodes) as "
                    f"label, got {label!r}.{_advice(label, taxonomy)}{reading.answers.advice if reading.answers else ''}"
                )
    node = np.array([node_of[label] for label in labels], dtype=np.intp)
    twice = first_repeat(row, node)
    if twice is not None:
        raise PredictionsError(
            f"{called(row[twice])}: expected every class once, got {labels[twice]!r} again. Remove one of them."
        )
    is_top_k = is_falling(row, value)
    entries = ListedEntries(row, node, value, len(others), is_top_k)
    how = None if form is None else form.scores
    if how == "by sum":
        how = "exclusive" if sum_to_one(entries, 100 if reading.percent else 1) else "independent"
    if reading.answers is not None:
        entries = reading.answers.settle_entries(entries)
        row, node, value = entries.row, entries.node, entries.value
    more = {**per_sample(where, others, reading), "detected": {**detected(), "rows": f"{len(others):,}"}}
    notes = (*loose.notes(where), *_notes_about_nothing(where, empty, may_be_empty))
    is_mixed = how == "exclusive" and not taxonomy.is_leaf[node].all()
    if how == "independent" or is_mixed:
        entries, n_changed = entries.with_ancestors(taxonomy, "sum" if is_mixed else "max")
        notes = (*notes, *_note_about_ancestors(where, n_changed, is_mixed))
        defaults = {"missing": missing or "zero", "parametrisation": "node_probabilities"}
        defaults = defaults if how == "independent" else {**defaults, "missing": missing}
        return RawPredictions(where, "lists", listed=entries, **more, **defaults, notes=notes)
    is_whole = len(row) == len(others) * len(np.unique(node)) and not len(without_column(taxonomy, node))
    if is_whole and entries.outside_mass is not None:
        # What the classes outside have is nobody's.
        is_whole, missing = False, missing or "zero"
    if not is_whole and not is_top_k and missing is None:
        raise PredictionsError(
            f"{where}: expected all classes of every sample, or the best of each in falling order, got neither. Sort the "
            "lists by score, or say what the others are: {missing=unknown | zero}."
        )
    found = {"listed": entries, "missing": missing}
    if is_whole:
        nodes, column = np.unique(node, return_inverse=True)
        scores = np.empty((len(others), len(nodes)))
        scores[row, column] = value
        found = {"scores": scores, "scored_nodes": nodes}
    return RawPredictions(where, "lists", **found, **more, notes=notes)


def sum_to_one(entries, whole=1):
    """Whether the listed scores of every sample sum to 1, or to another `whole`."""
    sums = np.bincount(entries.row, entries.value, entries.n_rows) / whole
    return bool((np.abs(sums - 1) <= SUM_TOLERANCE).all())


def _note_about_ancestors(where, n_changed, is_sum):
    if not n_changed:
        return []
    words = (
        "the sums of those of the listed classes below them, because the classes exclude each other"
        if is_sum
        else "those of their most probable listed class below, because the scores are independent"
    )
    return [f"{where}: {n_changed:,} scores of classes above others are {words}"]


def _notes_about_nothing(where, empty, is_kept):
    if not empty:
        return []
    have = "1 sample lists" if len(empty) == 1 else f"{len(empty):,} samples list"
    left = "left out; to count them as answered with nothing, say {missing=zero}"
    done = "counted as answered with nothing" if is_kept else left
    return [f"{where}: {have} no class ({listed(empty)}): {done}"]


def _labels_of_records(where, records, reading, detected):
    """RawPredictions of records with a list of labels each."""
    notes = []
    cells = [record.get("predicted") if isinstance(record, Mapping) else None for record in records]
    wrong = next((k for k, cell in enumerate(cells) if not isinstance(cell, list) or not cell), None)
    if wrong is not None:
        raise PredictionsError(
            f"{sample_place(where, wrong, _id_of(records[wrong]))}: expected labels, got none. Remove the sample, or label it."
        )
    labels, _, has_lists = read_labels(
        [[str(label) for label in cell] for cell in cells],
        reading.taxonomy,
        lambda row: sample_place(where, row, _id_of(records[row])),
        what="prediction",
        keep_empty=reading.has_votes,
        numbers=reading.numbers,
        where=where,
        notes=notes,
        unknown=reading.answers,
    )
    others = [{key: value for key, value in record.items() if key != "predicted"} for record in records]
    more = {**per_sample(where, others, reading), "detected": {**detected(), "rows": f"{len(others):,}"}}
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


def _id_of(record):
    """The id of a record as text; empty where it has none."""
    names = list(map(str, record)) if isinstance(record, Mapping) else []
    place = id_column(names)
    return "" if place is None else str([*record.values()][place])


def is_label_list(value):
    """Whether a part of JSON is a list of objects with a label, one or more."""
    return isinstance(value, list) and bool(value) and all(isinstance(e, Mapping) and "label" in e for e in value)


def _parts(record, where, place):
    """(list of labels and scores, the other values of the sample)"""
    if not isinstance(record, Mapping):
        return record, {}
    keys = [key for key, value in record.items() if is_label_list(value)]
    if not keys and {"label", "score"} <= set(record):
        # One answer a sample, as a pipeline gives them without top_k.
        return [record], {str(key): value for key, value in record.items() if key not in ("label", "score")}
    if len(keys) != 1:
        got = f"{len(keys)} among the keys {listed(map(str, record))}" if record else "an empty object"
        raise PredictionsError(
            f"{sample_place(where, place, _id_of(record))}: expected one list of labels and scores, got {got}. "
            f"Write it as {{'sample_id': ..., 'scores': [{{'label': ..., 'score': ...}}, ...]}}, or a list of objects with a key "
            "for each class (pandas: to_json with orient='records')."
        )
    return record[keys[0]], {str(key): value for key, value in record.items() if key != keys[0]}


def _parts_of_form(record, where, place):
    if "scores" not in record:
        raise PredictionsError(
            f"{sample_place(where, place, _id_of(record))}: expected classes with scores as of the samples before it, got labels "
            "without. Score all samples, or none."
        )
    return record["scores"], {str(key): value for key, value in record.items() if key != "scores"}


def per_sample(where, others, reading):
    """Ids, truth and attributes from the other keys of each sample: keywords of RawPredictions."""
    names = list(dict.fromkeys(chain.from_iterable(others)))
    require_truth_column(names, reading.truth_column, where, "key")
    text = {place: [_text(values.get(name)) for values in others] for place, name in enumerate(names)}
    columns = Columns(where, names, text, None, np.arange(len(others)), "row")
    found = samples_of(columns, id_column(names), truth_place(names, reading.truth_column), reading)
    if reading.samples == "detection" and SHARED in names:
        found["truth_ids"] = text_array(columns.text[names.index(SHARED)])
    return found


def _text(value):
    """A value as a cell: text, or a list of texts."""
    if isinstance(value, list):
        return [str(item) for item in value]
    return "" if value is None else str(value)
