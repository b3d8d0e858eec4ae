"""Predictions from a file: which form it has, which parametrisation, and the join with the truth.

The forms are read in `prediction_tables` (wide scores, label lists, hard labels), `top_k_table`, `long_table`,
`label_lists_json` and `arrays`; `join` brings in the truth.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hierviz.messages.errors import FileError, PredictionsError, TaxonomyError, listed
from hierviz.messages.parameters import template_of
from hierviz.messages.progress import name_of, telling
from hierviz.predictions.listed_scores import ListedScores, require_missing
from hierviz.predictions.name_mapping import NameMapping
from hierviz.predictions.outside import GIVEN
from hierviz.predictions.parametrisation import column_order, default_columns, probabilities_of, without_column
from hierviz.predictions.predictions import Predictions
from hierviz.predictions.score_rows import COUNTS, CheckedScores
from hierviz.projection.projected import with_zeros
from hierviz.projection.taxonomy_part import part_of_known
from hierviz.readers import file_limits
from hierviz.readers.arrays import read_npy, read_npz
from hierviz.readers.classes_file import load_class_nodes
from hierviz.readers.json_table import json_table
from hierviz.readers.label_lists_json import json_form, read_label_lists
from hierviz.readers.mapping_file import load_mapping
from hierviz.readers.outside import ANSWERS, TRUTHS, OutsideNames, check_outside
from hierviz.readers.parquet_parts import PartedSource, PartedTable, open_predictions
from hierviz.readers.prediction_forms.classification_report import refuse_report
from hierviz.readers.prediction_forms.known_prediction_forms import PREDICTION_FORMS
from hierviz.readers.prediction_forms.local_numbers import with_local_numbers
from hierviz.readers.prediction_tables import (
    OWN_TABLE_FORMS,
    TABLE_FORMS,
    VERBATIM_COLUMNS,
    read_prediction_table,
)
from hierviz.readers.raw_predictions import (
    DISAGREEING,
    SAMPLES,
    Reading,
    check_disagreeing,
    check_ids,
    check_samples,
    join,
)
from hierviz.readers.run_record import read_record, record_words
from hierviz.readers.sample_records import raw_of_form
from hierviz.readers.tables import open_table
from hierviz.readers.truth_file import load_truth
from hierviz.readers.votes import as_votes
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

FORMS = {
    "wide": "one column of scores per class; in JSON one object per sample with a key per class",
    "top_k": "the best classes of each sample: class_1, score_1, ...",
    "long": "one row per sample and class",
    "lists": "JSON lists of label and score",
    "labels": "lists of predicted classes, separated by ;",
    "hard": "one predicted class per sample",
    "npy": "an array of scores",
    "npz": "an array of scores with names and ids, or one array per level",
    **{key: form.words for key, form in PREDICTION_FORMS.items()},
}
_JSON_FORMS = tuple(key for key, form in PREDICTION_FORMS.items() if form.kind in ("json", "objects"))
_LINE_FORMS = tuple(form for form in PREDICTION_FORMS.values() if form.kind == "lines")


def load_predictions(
    path: str | os.PathLike[str],
    taxonomy: Taxonomy,
    truth: Any = None,
    parametrisation: str | None = None,
    classes: str | os.PathLike[str] | Sequence[str] | None = None,
    *,
    name: str | None = None,
    truth_column: str | None = None,
    keep_empty_labels: bool = False,
    form: str | None = None,
    missing: str | None = None,
    percent: bool = False,
    disagreeing: str | None = None,
    ids: str | None = None,
    samples: str | None = None,
    outside: str | None = None,
    outside_truth: str | None = None,
    mapping: str | os.PathLike[str] | NameMapping | Mapping[str, int] | None = None,
    partial: bool = False,
    read_scores: bool = True,
    stage: Callable[[str, str], Callable[[int, int], object] | None] = lambda name, unit: None,
    is_checked: bool | None = True,
) -> Predictions:
    """Read the predictions of one model.

    Parameters
    ----------
    path : str or path
        CSV, TSV, Parquet, JSON, JSON lines, ``.npy`` or ``.npz``, gzipped or not, or a folder of Parquet parts; by path or
        URL. What it holds is detected and kept in ``predictions.detected``.
    taxonomy : Taxonomy
    truth : str, path or sequence, optional
        A file, or one node number, name or list of them per row. Absent, the file's own column of truth is used.
    parametrisation : str, optional
        A key of `PARAMETRISATIONS`. Without it, scores must be probabilities of the leaves or of all nodes. With ``"votes"``
        labels are answers: rows with one id, or a list, are several answers to one sample.
    classes : str, path or sequence of str, optional
        Node of each column, where the file does not name them.
    name : str, optional
        How screens call the model; the file's name without suffixes when absent.
    truth_column : str, optional
        Column that holds the truth, in the truth file or else in `path`.
    keep_empty_labels : bool
        Keep each empty field of a label list as a predicted node outside the taxonomy (-1).
    form : str, optional
        A key of `FORMS` where detection goes wrong.
    missing : {"unknown", "zero"}, optional
        What the scores of classes are that a sample does not list. Files of the best classes of each sample leave the others
        unknown when absent; other incomplete lists are an error then. With ``"zero"`` whole columns may be missing too, see
        `partial`.
    percent : bool
        Scores are percent: they are divided by 100.
    disagreeing : {"error", "levels", "deepest"}, optional
        Labels in columns of levels that lie on no single path: an error when absent; with ``"levels"`` the answers of the levels
        are kept as they are, for block ``levels`` of the numbers, with ``"deepest"`` only the deepest one of each row.
    ids : {"text", "number"}, optional
        How sample ids of predictions and truth are compared: as they are, or a number such as ``1.0``, as pandas writes it
        where an id is missing, as ``1``. Ids are kept as they are in the predictions.
    samples : {"picture", "detection"}, optional
        What a sample is in files that list the detections of each picture: the picture, with the classes of its classified
        detection of the highest confidence, when absent; or each classified detection, whose truth is that of its picture.
    outside : {"error", "wrong", "drop", "nearest"}, optional
        Answers that the taxonomy does not hold: an error when absent. With ``"wrong"`` each counts as one claimed leaf below the
        root that is never true, with ``"drop"`` its sample leaves answers and truth, with ``"nearest"`` names are mapped to the
        classes that they nearly are, and what is not mapped is wrong. Of scores it is about classes outside the taxonomy: their
        scores belong to no class, and the answer lies outside where one of them is the largest.
    outside_truth : {"error", "drop", "nearest"}, optional
        Truths that the taxonomy does not hold: an error when absent; with ``"nearest"`` what is not mapped is dropped.
    mapping : str, path, NameMapping or mapping of str to int, optional
        Nodes of names that the taxonomy does not hold (-1: none), or the file with them (`hierviz.load_mapping`). They hold
        before `outside` and `outside_truth`.
    partial : bool
        Columns of named classes may be missing, because the model does not know these: their probability is 0, and
        `Predictions.known` says what it knows (`hierviz.projection.only_known` keeps to that). The scores are read as those
        of the tree of the classes that have a column. For labels the known classes are those of `classes`.
    read_scores : bool
        False leaves the scores of ``.npy`` and Parquet files where they are, unread and unchecked: for `evaluate` with a
        ``client``, whose workers read and check the rows they are given.
    stage : callable, optional
        Called with "Reading NAME" for each file, and what is counted; gives its `progress`, called with (rows done, rows in
        all) while a large file is read, or None. Of a text the rows in all are a float, an estimate, until its end.
    is_checked : bool
        False skips the checks of the scores: `hierviz.doctor` reports all problems of them. None checks all scores that stay
        on disk when they are first read, however few: for callers that evaluate them next.

    Returns
    -------
    Predictions
        Rows in the order of the file. Truths without a prediction are empty predictions after them in label files.
        Scores of more than `file_limits.MEMORY_BYTES` (256 MB) stay on disk and are read in blocks; they are checked when they
        are first read, so that the file is read once.

    Raises
    ------
    FileError
        If a file cannot be read.
    PredictionsError
        If it does not fit the taxonomy, the parametrisation or the truth; names row and column. About scores that stay on
        disk it is raised where they are first read, for example by `evaluate`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    >>> path = Path(tempfile.mkdtemp(), "scores.csv")
    >>> _ = path.write_text("sample_id,cat,dog,truth\\n007,0.75,0.25,cat\\n")
    >>> load_predictions(path, taxonomy)
    <Predictions 'scores': leaf_probabilities of 1 samples, truth known>
    """
    check_taxonomy(taxonomy, "It comes after the file.")
    if form is not None and form not in FORMS:
        raise FileError(f"form: expected one of {', '.join(FORMS)}, got {form!r}. Choose one of them.")
    require_missing(missing)
    check_ids(ids)
    check_disagreeing(disagreeing)
    check_samples(samples)
    check_outside(outside, outside_truth)
    said: list[str] = []
    nodes, numbers = (None, None) if classes is None else load_class_nodes(classes, taxonomy, said)
    wanted_words, kinds = "predictions (CSV, TSV, Parquet, JSON, .npy or .npz)", ("text", "parquet", "npy", "zip")
    source = open_predictions(path, wanted_words, kinds, read_scores=read_scores)
    if not isinstance(source, PartedSource):
        refuse_report(source)
    records = _records(source, form)
    is_json = (
        records is None
        and form in (None, "lists", *_JSON_FORMS)
        and source.kind == "text"
        and source.begins in ("[", "{")
    )
    lines = tuple(one.key for one in _LINE_FORMS)
    tables = ("lists", *_JSON_FORMS) if is_json else (*OWN_TABLE_FORMS, *TABLE_FORMS, *lines)
    wanted = {"npy": ("npy",), "zip": ("npz",)}.get(source.kind, tables)
    if form is not None and form not in wanted:
        raise FileError(
            f"{source.where}: expected {FORMS[form]} ({form}), got a file of another kind. Leave the form out."
        )
    column = truth_column if truth is None else None
    chosen = load_mapping(mapping, taxonomy) if isinstance(mapping, (str, os.PathLike)) else mapping
    has_votes = parametrisation == COUNTS
    # Of several answers, one that names no class counts, too.
    keep_empty_labels, missing = keep_empty_labels or has_votes, "zero" if has_votes else missing
    how = (disagreeing or DISAGREEING[0], samples or SAMPLES[0], percent, has_votes)
    unknown = [
        OutsideNames(taxonomy, what, one, chosen)
        for what, one in ((ANSWERS, outside), (TRUTHS, outside_truth), (TRUTHS, outside_truth))
    ]
    answers, own_truths, truths = unknown
    reading = Reading(taxonomy, column, form, missing, nodes, numbers, keep_empty_labels, *how, answers, own_truths)
    record, more = None, []
    is_plain = source.kind == "text" and not is_json and records is None and not isinstance(source, PartedSource)
    with telling(stage(f"Reading {name_of(path)}", "rows")):
        of_lines = line_form(source, form) if is_plain else None
        if of_lines is not None:
            raw = raw_of_form(of_lines, source, source.where, reading, source.detected)
        elif source.kind == "npy":
            raw = read_npy(source, reading)
        elif source.kind == "zip":
            raw = read_npz(source, reading)
        elif is_json:
            raw = read_label_lists(source, replace(reading, form=None) if form == "lists" else reading)
        else:
            is_parted = isinstance(source, PartedSource)
            table = PartedTable(source) if is_parted else records or open_table(source, "a table of predictions")
            raw = read_prediction_table(with_local_numbers(table, VERBATIM_COLUMNS), reading)
            record, more = read_record(source, getattr(table, "schema", None))
    if reading.samples == "detection" and raw.truth_ids is None:
        forms = ", ".join(key for key, one in PREDICTION_FORMS.items() if one.has_detections)
        raise FileError(
            f"{raw.where}: expected detections in pictures ({forms}) with {{samples=detection}}, got {FORMS[raw.form]} "
            f"({raw.form}). Leave it out."
        )
    if percent:
        raw = raw.as_shares()
    if has_votes:
        raw = as_votes(raw, taxonomy, answers)
    missing = missing or raw.missing
    made, told = record_words(record, taxonomy)
    if raw.listed is not None:
        scores, columns, _ = raw.listed.scores(taxonomy, raw.where, parametrisation or raw.parametrisation, missing)
        more += [
            note
            for note in [raw.listed.note(taxonomy, raw.where)]
            if note and not (parametrisation or raw.parametrisation)
        ]
        said_missing = "taken for 0" if missing == "zero" else "unknown"
        listed_words = {"listed": f"{raw.listed.words()}; the other scores are {said_missing}"}
        raw = replace(raw, scores=scores, scored_nodes=columns, detected={**raw.detected, **listed_words})
    notes, detected = [*told, *more, *said, *raw.notes], {**raw.detected, **made}
    part = None
    if raw.scores is None:
        if parametrisation is not None:
            notes.append(f"{raw.where} holds labels: the parametrisation {parametrisation} is ignored")
        parametrisation, tree = None, taxonomy
    else:
        if raw.scored_nodes is not None and (partial or missing == "zero"):
            part = part_of_known(taxonomy, raw.scored_nodes)
            part = None if part.is_whole else part
        if part is not None:
            raw = replace(raw, scored_nodes=part.number[raw.scored_nodes])
        tree = taxonomy if part is None else part.taxonomy
        parametrisation, detected["parametrisation"], more = _parametrisation(raw, tree, parametrisation)
        notes += more
    their = raw.truth
    if truth is not None:
        is_file = isinstance(truth, (str, os.PathLike))
        with telling(stage(f"Reading {name_of(truth)}", "rows") if is_file else None):
            their = load_truth(truth, taxonomy, truth_column, numbers, truths)
    if their is not None:
        _require_nodes(their, taxonomy)
        notes += their.notes
        detected |= their.detected
        if raw.truth is not None and their is not raw.truth:
            notes.append(f"the truth is that of {their.where}, not the column in {raw.where}")
    joined = join(raw, their, ids)
    found = [answers] if their is None else [answers, own_truths if their is raw.truth else truths]
    for names, where in zip(found, (raw, their), strict=False):
        notes += names.notes(where.where)
    attributes = joined.attributes
    if len(answers.rows) and not answers.drops:
        attributes = {**attributes, GIVEN: answers.given(_n_samples(joined))}
    model = name or source.stem
    predictions = Predictions(
        tree,
        model,
        joined.scores,
        parametrisation,
        raw.scored_nodes,
        joined.labels,
        raw.is_hard,
        joined.truth if part is None else None,
        joined.sample_ids,
        attributes,
        joined.n_without_prediction,
        joined.n_without_truth,
        tuple(notes) + joined.notes,
        detected,
        is_by_level=raw.is_by_level,
        outside={names.what: record for names in found if (record := names.record) is not None},
        best_outside=_best_outside(raw, joined),
    )
    if not predictions.has_scores:
        # Label lists of a model that knows some classes and their ancestors.
        part = None if not partial or nodes is None else part_of_known(predictions.taxonomy, nodes)
        predictions = predictions if part is None or part.is_whole else predictions.replace(known=part.nodes)
        return _without_dropped(predictions, answers, joined.lost)
    if is_checked is not False:
        predictions = _checked(predictions, raw, read_scores, file_limits.MEMORY_BYTES if is_checked else 0)
    predictions = predictions if part is None else with_zeros(taxonomy, part, predictions).replace(truth=joined.truth)
    return _without_dropped(predictions, answers, joined.lost)


def _n_samples(joined):
    """Number of samples of what was joined."""
    return joined.scores.shape[0] if joined.labels is None else len(joined.labels)


def _best_outside(raw, joined):
    """Which samples have their largest score at a class outside the taxonomy; None where no class lies outside."""
    rows = raw.outside if raw.listed is None else raw.listed.outside
    if rows is None:
        return None
    found = np.zeros(joined.scores.shape[0], dtype=bool)
    found[rows] = True
    return found


def _without_dropped(predictions, answers, lost):
    """The Predictions without the samples that leave because of their answer, or of their truth (`lost`)."""
    leaves = np.zeros(predictions.n_samples, dtype=bool)
    if answers.drops:
        leaves[answers.rows] = True
    if lost is not None:
        leaves[: len(lost)] |= lost
    return without_samples(predictions, leaves) if leaves.any() else predictions


def without_samples(predictions, leaves):
    """Predictions without some samples (ndarray of bool, shape (n_samples,)), whose ids are kept in `dropped`."""
    if leaves.all():
        raise PredictionsError(
            f"{predictions.name}: expected samples with answers and truths in the taxonomy, got none. Is it the right taxonomy?"
        )
    ids = np.append(np.asarray(predictions.dropped, dtype=predictions.ids.dtype), predictions.ids[leaves])
    left = predictions.take(np.flatnonzero(~leaves))
    n_without = predictions.n_without_truth
    if n_without:
        n_without = int((~left.has_truth).sum())
    return left.replace(dropped=ids, n_without_truth=n_without)


def _records(source, form):
    """The JsonTable of flat objects that are no form of another tool; else None."""
    not_tables = ("lists", *_JSON_FORMS, *(one.key for one in _LINE_FORMS))
    table = None if (form in not_tables and form not in TABLE_FORMS) or source.kind != "text" else json_table(source)
    return None if table is not None and json_form(table.objects) is not None else table


def line_form(source, key=None):
    """The form of lines that is said or that the first lines of a text have; None for other files."""
    asked = [one for one in _LINE_FORMS if key in (None, one.key)]
    return next((one for one in asked if key or one.looks_like(source.first_lines[0])), None)


def _checked(predictions, raw, read_scores, most_bytes):
    is_in_memory = isinstance(raw.scores, (np.ndarray, ListedScores)) or raw.listed is not None
    if not read_scores and not is_in_memory:
        return predictions
    # What is in memory, and what is small, is checked now; a large file while it is read.
    if is_in_memory or getattr(raw.scores, "nbytes", 0) <= most_bytes:
        predictions.check_scores(where=raw.where)
        return predictions
    return predictions.replace(scores=CheckedScores(predictions, raw.where))


def _parametrisation(raw, taxonomy, given):
    """(key, reason in words, notes)"""
    n_scores, nodes = raw.scores.shape[1], raw.scored_nodes
    if given is not None:
        key, reason = given, f"{given} (as given)"
    elif raw.parametrisation is not None:
        key, reason = raw.parametrisation, f"{raw.parametrisation} (what the format holds)"
    elif nodes is None:
        key, reason = _by_width(raw.where, taxonomy, n_scores)
    else:
        key, reason = _by_columns(raw, taxonomy, nodes)
    try:
        column_order(taxonomy, key, n_scores, nodes)
    except PredictionsError as error:
        message = template_of(error)
        message = message if message.startswith("parametrisation:") else message.removeprefix("scores: ")
        raise PredictionsError(f"{raw.where}: {message}") from None
    except TaxonomyError as error:
        raise PredictionsError(f"{raw.where}: {error}") from None
    notes = []
    if nodes is None:
        first = default_columns(taxonomy, key)
        first = np.arange(taxonomy.n_nodes) if len(first) != n_scores else first
        order = "grouped by parent" if key == "conditional_softmax" else "in the order of the taxonomy"
        shown = listed([taxonomy.names[node] for node in first[:3]])
        notes.append(
            f"{raw.where} does not name its {n_scores} columns: they were assumed to be the classes {order} ({shown}, ...)"
        )
    return key, reason, notes


def _by_width(where, taxonomy, n_scores):
    n = taxonomy.n_nodes
    if n_scores == taxonomy.n_leaves:
        return "leaf_probabilities", "leaf_probabilities (as many columns as leaves)"
    if n_scores in (n - 1, n):
        return "node_probabilities", "node_probabilities (as many columns as nodes)"
    raise PredictionsError(
        f"{where}: expected {taxonomy.n_leaves} columns (one per leaf), {n - 1} or {n} (one per node without or with the root), "
        f"got {n_scores}. Check the taxonomy, or name the columns with {{classes}}."
    )


def _by_columns(raw, taxonomy, nodes):
    what = "columns" if raw.listed is None else "listed classes"
    key, missing = probabilities_of(taxonomy, nodes), without_column(taxonomy, nodes)
    if key == "node_probabilities":
        reason, words = f"{key} (the {what} name inner nodes)", "node except the root"
    else:
        are = "are the" if raw.listed is None else "are"
        reason, words = f"{key} (the {what} {are} leaves)", "leaf"
    if len(missing):
        n = len(default_columns(taxonomy, key))
        advice = "Add the columns, or say that the model does not know these classes: {missing=zero}."
        if raw.form == "long":
            advice = "Add their rows, or say what their scores are: {missing=unknown | zero}."
        names = [taxonomy.names[node] for node in missing]
        raise PredictionsError(
            f"{raw.where}: expected a column for every {words} ({n}), got {n - len(missing)}: missing "
            f"{listed(names)}. {advice}",
            about=names,
        )
    return key, reason


def _require_nodes(truth, taxonomy):
    nodes = getattr(truth.nodes, "nodes", truth.nodes)
    wrong = nodes[(nodes < -1) | (nodes >= taxonomy.n_nodes)]
    if len(wrong):
        raise PredictionsError(
            f"{truth.where}: expected node numbers from 0 to {taxonomy.n_nodes - 1} (-1 where not known), "
            f"got {listed(wrong.tolist())}. Use taxonomy.nodes to look names up."
        )
