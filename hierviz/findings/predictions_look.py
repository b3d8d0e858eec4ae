"""All problems of a file of predictions, by itself and with the truth."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import numpy as np

from hierviz.findings.file_looks import JsonSamples, TableLook
from hierviz.findings.finding import counted, some
from hierviz.findings.prediction_rows import (
    headerless_roles,
    listed_roles,
    look_at_rows,
    sample_roles,
)
from hierviz.findings.sample_ids import IdColumn, look_at_join
from hierviz.findings.scores_and_answers import look_at_answers, look_at_scores
from hierviz.messages.errors import FileError, HiervizError, PredictionsError
from hierviz.predictions.outside import READ_AS
from hierviz.predictions.score_rows import COUNTS
from hierviz.projection.projected import NodeColumns
from hierviz.readers.outside import OutsideNames
from hierviz.readers.parquet_parts import open_predictions
from hierviz.readers.prediction_forms.detections import SHARED
from hierviz.readers.prediction_forms.known_prediction_forms import PREDICTION_FORMS
from hierviz.readers.prediction_forms.levels import off_paths
from hierviz.readers.prediction_tables import TABLE_FORMS
from hierviz.readers.predictions_file import line_form, load_predictions
from hierviz.readers.tables import TextTable, open_table
from hierviz.readers.truth_file import id_column
from hierviz.taxonomy.taxonomy import NodeLists

# Of other tools, by their words.
_FORMS = {form.words: key for key, form in PREDICTION_FORMS.items()}
_WHAT_TO_DO = " Say what they count as: {outside=wrong | drop | nearest}."
_BY_MEANING = "matched by meaning"
# Kinds of rows off the paths that are told.
MOST_PATHS = 10


class PredictionsLook:
    """The checks of one file of predictions.

    Parameters
    ----------
    path : str or path
    taxonomy : Taxonomy
    found : Findings
    folder : Path
        For a copy that is fixed so far as to be read.
    numbers : dict of int to int, optional
        Node of each number of the class list.
    is_truth_apart : bool
        The truth is in a file of its own, and so is its column.
    **reading
        Keywords of `load_predictions`.
    """

    def __init__(self, path, taxonomy, found, folder, numbers=None, is_truth_apart=False, **reading):
        self.path, self.taxonomy, self.found, self.folder, self.reading = path, taxonomy, found, folder, reading
        self.where, self.numbers, self.is_truth_apart = Path(path).name, numbers, is_truth_apart
        self.look = self.predictions = self.ids = self.roles = None
        try:
            source = open_predictions(path, "predictions", ("text", "parquet", "npy", "zip"), read_scores=True)
        except HiervizError as stopped:
            found.failed(stopped, self.where)
            return
        error = self._error_of_reader(path)
        error = None if error and self._are_texts(error) else error
        if getattr(source, "kind", None) == "text":
            if error or any(_BY_MEANING in note for note in self.predictions.notes):
                before = len(found)
                is_json = error and source.begins in ("[", "{")
                error = self._read_on_json(source, error) if is_json else self._read_on(source, error)
                # The reader would say what the checks have said.
                if error and any(one.severity == "error" for one in found[before:]):
                    return
            else:
                self._open_table(source)
        if error:
            found.failed(error, self.where)
        elif self.predictions is not None and self.predictions.sample_ids is not None:
            self.ids = self._id_column()
        if self.predictions is not None and self.predictions.detected.get("form") in _FORMS:
            key = _FORMS[self.predictions.detected["form"]]
            found.note("other_form", self.where, f"the file is read as {PREDICTION_FORMS[key].words} ({key}).")

    @property
    def samples(self):
        """The look at a table whose rows are samples and whose columns are classes or labels; None for other files."""
        return self.look if self.roles is None else None

    def _read_on(self, source, error):
        """Check all rows, and read a copy without what cannot be used: None, or the error that is left."""
        before = len(self.found)
        try:
            self._open_table(source)
            if self.look is not None and _is_of_paths(error):
                return self._look_at_paths()
            elif self.look is not None:
                self._look_at_rows()
            place = self._fixed_path()
            if error is None or (place == self.path and len(self.found) == before):
                return error
            error = self._error_of_reader(place) and self._error_of_reader(place, missing="zero")
            has_rows = self.look is not None and bool(self.look.rows)
            return self._look_at_paths() if has_rows and _is_of_paths(error) else error
        except HiervizError as stopped:
            return error or stopped

    def _read_on_json(self, source, error):
        """Leave out one sample after the other that cannot be read, and note what is wrong with it; as `_read_on`."""
        samples = JsonSamples.of(source)
        while samples is not None and (place := samples.place(error)) is not None:
            self.found.failed(samples.error(error), self.where)
            if not samples.leave_out(place):
                return None
            copy = self.folder / source.path.name
            samples.write(copy)
            error = self._error_of_reader(copy)
        if error is None and not samples.has_ids:
            # Numbers of the samples that are left are not those of the file.
            self.predictions = None
        return error

    def _error_of_reader(self, path, truth=None, **instead):
        """Read the predictions: None, or the error of the reader."""
        said = self.reading | instead
        if truth is None and self.is_truth_apart:
            said["truth_column"] = None
        try:
            name = Path(self.path).stem
            self.predictions = load_predictions(path, self.taxonomy, truth, name=name, is_checked=False, **said)
        except (FileError, PredictionsError) as error:
            return error
        return None

    def _are_texts(self, error):
        """Whether texts of a language model stop the reader: they are noted, and read as answers outside the taxonomy."""
        if "outside" not in error.parameters or self.reading.get("outside"):
            return False
        if self._error_of_reader(self.path, outside="wrong") or READ_AS not in self.predictions.attributes:
            self.predictions = None
            return False
        self.reading["outside"] = "wrong"
        names = self.predictions.outside["answers"].left
        why = [note for note in self.predictions.notes if "name no single class" in note]
        text = "; ".join(note.removeprefix(f"{self.where}: ") for note in why)
        self.found.note("unnamed_texts", self.where, f"{text}. They are {some(names, 10)}.{_WHAT_TO_DO}")
        return True

    def _open_table(self, source):
        table = None
        with suppress(HiervizError):
            table = open_table(source, "a table of predictions")
        is_plain = isinstance(table, TextTable) and len(table.first) > 1
        names = [name.strip() for name in table.first] if is_plain else []
        # What they hold is said by their readers.
        if line_form(source) or any(form.looks_like(names) for key, form in TABLE_FORMS.items() if key != "levels"):
            return
        if is_plain and not any("[" in cell or "{" in cell for cell in table.first):
            self.look = TableLook(table, self.found)
            self.roles = listed_roles(self.look, self.taxonomy)

    def _look_at_rows(self):
        reading, truth_column = self.reading, None if self.is_truth_apart else self.reading.get("truth_column")
        roles = self.roles
        if roles is None and self.predictions is None:
            roles = headerless_roles(self.look, self.taxonomy, reading.get("truth_column"))
        roles = roles or sample_roles(
            self.look,
            self.taxonomy,
            truth_column=truth_column,
            are_named=reading.get("classes") is None,
            may_lack=reading.get("missing") == "zero" or bool(reading.get("partial")),
        )
        if reading.get("parametrisation") == COUNTS:
            # Rows with one id are several answers.
            roles = replace(roles, samples=None)
        look_at_rows(self.look, roles, self.taxonomy, self.numbers, self.reading)

    def _look_at_paths(self):
        """Note all rows of levels whose classes lie on no path, and what stops the reader of the others."""
        look = self.look if self.look.rows else self.look.read_rows()
        records, columns = list(look.rows), look.columns()
        unknown = OutsideNames(self.taxonomy, how=self.reading.get("outside"), mapping=self.reading.get("mapping"))
        found: dict = {}
        for row, text in off_paths(columns, self.taxonomy, unknown):
            found.setdefault(text, []).append(records[row])
        wrong = [record for of_text in found.values() for record in of_text]
        if wrong:
            each = [f"{look.lines(of_text)}: {text}" for text, of_text in islice(found.items(), MOST_PATHS)]
            more = f" And {len(found) - MOST_PATHS:,} more." if len(found) > MOST_PATHS else ""
            text = (
                f"{counted(len(wrong), 'row names', 'rows name')} classes that lie on no path. {' '.join(each)}{more} To keep "
                "the answer of each level, say {disagreeing=levels}, or only the deepest, {disagreeing=deepest}."
            )
            look.note("off_the_path", wrong, text)
            look.drop(wrong)
        error = self._error_of_reader(self._fixed_path())
        if error and look.rows:
            self.found.failed(error, self.where)
        return error

    def _fixed_path(self):
        """The file, or a copy with all changes where there are any."""
        return self.look.copy_in(self.folder) if self.look is not None and self.look.all else self.path

    def _records(self):
        """Record of each row that was read."""
        dropped = self.look.all.dropped
        left = (record for record in count(1) if record not in dropped)
        return list(islice(left, self.predictions.n_samples))

    def _id_column(self):
        ids = self.predictions.ids.tolist()
        if self.reading.get("samples") == "detection" and SHARED in self.predictions.attributes:
            # Detections have the truth of their picture.
            return IdColumn(self.where, dict.fromkeys(self.predictions.attributes[SHARED].tolist()))
        place = None if self.samples is None else id_column(self.look.names)
        place = None if self.reading.get("parametrisation") == COUNTS else place
        return IdColumn(self.where, ids, *(() if place is None else (self.look, self._records(), place)))

    def join(self, truth_path, truth_look, truth_ids):
        """Join the truth: ids first, then both files as they are fixed."""
        if self.predictions is None:
            return
        if truth_ids is not None and self.ids is not None:
            both = (self.ids, truth_ids)
            if self.reading.get("ids") == "number":
                both = tuple(one.as_numbers() for one in both)
            look_at_join(*both, self.found, has_labels=not self.predictions.has_scores)
        if truth_look is not None and truth_look.all:
            truth_path = truth_look.copy_in(self.folder, "truth ")
        before = self.predictions
        more = {"missing": "zero"} if before.known is not None else {}
        error = self._error_of_reader(self._fixed_path(), truth_path, **more)
        if error:
            self.predictions = before
            if not any(one.code == "ids_differ" for one in self.found):
                self.found.failed(error, self.where)

    def look_at_content(self):
        """The checks of what the scores or labels say."""
        if self.predictions is None:
            return
        others = None if self.look is None else self.look.to_read_on
        look, moved = look_at_predictions(
            self.predictions,
            self.where,
            self.found,
            is_table=self.samples is not None,
            can_rename=self.samples is not None and self.reading.get("classes") is None,
            n_emptied=0 if others is None else sum(not cell for cell in others.cells.values()),
            has_all=others is None or not others.columns,
        )
        if self.samples is not None:
            self._fix_scores({} if look is None else look.divisors, moved)

    def _fix_scores(self, divisors, moved):
        """Divide scores of records, and exchange the names of columns."""
        fixes, index = self.look.fixes, self.taxonomy.index
        node_of = {k: index.get(fixes.cells.get((0, k), name)) for k, name in enumerate(self.look.names)}
        if divisors:
            known = self.predictions.known if self.predictions.known is not None else self.predictions.scored_nodes
            nodes = set() if known is None else set(known.tolist())
            fixes.scores = tuple(place for place, node in node_of.items() if node in nodes)
            records = self._records()
            fixes.divisors = {None if row is None else records[row]: value for row, value in divisors.items()}
        if moved and self.reading.get("classes") is None:
            for place, node in node_of.items():
                if node in moved:
                    fixes.cells[0, place] = self.taxonomy.names[moved[node]]


def _is_of_paths(error):
    """Whether an error is about levels that lie on no path."""
    return error is not None and "disagreeing" in error.parameters


def look_at_predictions(predictions, where, found, *, is_table=False, can_rename=False, n_emptied=0, has_all=True):
    """Note what is odd about predictions that could be read.

    Parameters
    ----------
    predictions : Predictions
    where : str
    found : Findings
    is_table, can_rename : bool
        The scores, and the names of the columns, can be fixed in the file.
    n_emptied : int
        Labels that were left out to read on, which are reported already.
    has_all : bool
        No column was left out to read on.

    Returns
    -------
    look : ScoreLook or None
    moved : dict of int to int
        As `look_at_answers` gives it.
    """
    taxonomy, truth, look, hashes = predictions.taxonomy, predictions.truth, None, None
    if predictions.has_scores:
        # The scores of a model that knows a part of the classes, as they are in its file.
        is_part = isinstance(predictions.scores, NodeColumns) and predictions.known is not None
        # Of a cut taxonomy the source has other nodes.
        is_part = is_part and predictions.scores.source.taxonomy.n_nodes == len(predictions.known)
        own = predictions.scores.source if is_part else predictions
        lacks = not has_all or any(one.code == "missing_classes" for one in found)
        look = look_at_scores(own, where, found, is_table, with_sums=not lacks)
        hashes = look.hashes
        leaves = np.where(look.leaves >= 0, predictions.known[look.leaves], -1) if is_part else look.leaves
    else:
        leaves = _single_answers(predictions, where, found, n_emptied)
    if predictions.has_unknown:
        hashes = None
    moved: dict = {}
    has_lists = not predictions.has_scores and isinstance(predictions.labels, NodeLists)
    if not (has_lists and (predictions.labels.lengths > 1).any()) and (leaves >= 0).any():
        moved = look_at_answers(
            taxonomy, truth, leaves, where, found, hashes=hashes, can_rename=can_rename, known=predictions.known
        )
    _look_at_texts(predictions, where, found)
    return look, moved


def _single_answers(predictions, where, found, n_emptied):
    """The only label of each sample, -1 where there is none."""
    lists = predictions.labels
    n_extra = predictions.n_without_prediction
    n_empty = int((lists.lengths == 0).sum()) - n_extra - n_emptied
    if n_empty > 0:
        found.note("empty_samples", where, f"{counted(n_empty, 'sample has', 'samples have')} no label.")
    leaves = np.full(len(lists), -1, dtype=np.intp)
    has_one = lists.lengths == 1
    leaves[has_one] = lists.nodes[lists.offsets[:-1][has_one]]
    return leaves


def _look_at_texts(predictions, where, found):
    """Empty texts, and equal ones of different truth."""
    texts = predictions.attributes.get("text")
    if texts is None:
        return
    texts = texts[: predictions.n_samples - predictions.n_without_prediction].tolist()
    # The text may be in the truth file, and is missing for samples without a truth.
    may_lack = predictions.truth is not None
    empty = [row for row, text in enumerate(texts) if not text.strip() and (not may_lack or predictions.has_truth[row])]
    if empty and len(empty) < len(texts):
        have = counted(len(empty), "sample has", "samples have")
        found.note("empty_samples", where, f"{have} an empty text ({some(map(predictions.sample_id, empty))}).")
    twice = {text for text, n in Counter(texts).items() if n > 1 and text.strip()}
    if not twice or predictions.truth is None:
        return
    truths: dict = {}
    for row, text in enumerate(texts):
        if text in twice and predictions.has_truth[row]:
            truths.setdefault(text, set()).add(tuple(np.atleast_1d(predictions.truth[row]).tolist()))
    several = [text for text, found_truths in truths.items() if len(found_truths) > 1]
    if several:
        text = (
            f"{counted(len(several), 'text has', 'texts have')} different truths: {some(several, 2)}. "
            f"No model gets all of them right."
        )
        found.note("texts_with_several_truths", where, text)
