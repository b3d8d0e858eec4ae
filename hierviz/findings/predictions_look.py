"""All that is wrong with a file of predictions, alone and beside the truth."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from hierviz.findings.answers import look_at_answers
from hierviz.findings.finding import counted, some
from hierviz.findings.json_samples import JsonSamples
from hierviz.findings.mend import Changes
from hierviz.findings.prediction_rows import (
    listed_roles,
    look_at_headerless_rows,
    look_at_listed_rows,
    look_at_prediction_rows,
    missing_header,
)
from hierviz.findings.sample_ids import IdColumn, look_at_join
from hierviz.findings.score_values import look_at_scores
from hierviz.messages.errors import FileError, HiervizError, PredictionsError
from hierviz.projection.projected import NodeColumns
from hierviz.readers.parquet_parts import open_predictions
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.tables import TextTable, open_table
from hierviz.readers.truth_file import id_column
from hierviz.taxonomy.taxonomy import NodeLists

_BY_MEANING = "matched by meaning"


class PredictionsLook:
    """The looks at one file of predictions.

    Parameters
    ----------
    path : str or path
    taxonomy : Taxonomy
    found : Findings
    folder : Path
        For a copy that is mended so far as to be read.
    numbers : dict of int to int, optional
        Node of each number of the class list.
    **reading
        Keywords of `load_predictions`.
    """

    def __init__(self, path, taxonomy, found, folder, numbers=None, **reading):
        self.path, self.taxonomy, self.found, self.folder, self.reading = path, taxonomy, found, folder, reading
        self.where, self.numbers = Path(path).name, numbers
        self.table = self.changes = self.predictions = self.ids = self.roles = None
        self._look_at_file()

    def _look_at_file(self):
        try:
            source = open_predictions(self.path, "predictions", ("text", "parquet", "npy", "zip"), read_scores=True)
        except HiervizError as stopped:
            self.found.failed(stopped, self.where)
            return
        is_text = getattr(source, "kind", None) == "text"
        error = self._try(self.path)
        if is_text and (error or any(_BY_MEANING in note for note in self.predictions.notes)):
            before = len(self.found)
            error = (
                self._read_on_json(source, error)
                if error and source.begins in ("[", "{")
                else self._read_on(source, error)
            )
            # The reader would say what the looks have said.
            if error and any(one.severity == "error" for one in self.found[before:]):
                return
        elif is_text:
            self._open_table(source)
        if error:
            self.found.failed(error, self.where)
        elif self.predictions is not None and self.predictions.sample_ids is not None:
            self.ids = self._id_column()

    def _read_on(self, source, error):
        """Look at all rows, and read a copy without what cannot be used: None, or the error that is left."""
        before = len(self.found)
        try:
            self._look_at_rows(source)
            is_changed = self.changes is not None and self.changes.all
            if error is None or not (is_changed or len(self.found) > before):
                return error
            place = self._copy() if is_changed else self.path
            return self._try(place) and self._try(place, missing="zero")
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
            error = self._try(copy)
        if error is None and not samples.has_ids:
            # Numbers of the samples that are left are not those of the file.
            self.predictions = None
        return error

    def _try(self, path, missing=None, truth=None):
        """None, or the error of the reader."""
        said = dict(self.reading)
        if missing is not None:
            said["missing"] = missing
        if truth is None:
            said.pop("truth_column", None) if self.reading.get("is_truth_apart") else None
        said.pop("is_truth_apart", None)
        try:
            self.predictions = load_predictions(
                path, self.taxonomy, truth, name=Path(self.path).stem, is_checked=False, **said
            )
        except (FileError, PredictionsError) as error:
            return error
        return None

    def _open_table(self, source):
        try:
            table = open_table(source, "a table of predictions")
        except HiervizError:
            return
        if (
            isinstance(table, TextTable)
            and len(table.first) > 1
            and not any("[" in cell or "{" in cell for cell in table.first)
        ):
            self.changes = Changes.of(table)
            self.roles = listed_roles(table, self.taxonomy)
            # Rows are samples, and columns classes or labels, in other tables only.
            self.table = table if self.roles is None else None

    def _look_at_rows(self, source):
        self._open_table(source)
        if self.roles is not None:
            of = (self.roles, self.taxonomy, self.found, self.changes, self.numbers)
            look_at_listed_rows(self.changes.fixes.table, *of)
            return
        if self.table is None:
            return
        names = missing_header(self.table, self.taxonomy, self.reading.get("truth_column"))
        if names is not None and self.predictions is None:
            look_at_headerless_rows(self.table, names, self.taxonomy, self.found, self.changes, self.numbers)
        else:
            look_at_prediction_rows(
                self.table,
                self.taxonomy,
                self.found,
                self.changes,
                numbers=self.numbers,
                truth_column=None if self.reading.get("is_truth_apart") else self.reading.get("truth_column"),
                are_named=self.reading.get("classes") is None,
                may_lack=self.reading.get("missing") == "zero" or bool(self.reading.get("partial")),
            )

    def _copy(self):
        place = self.folder / self.changes.fixes.name
        self.changes.all.write(place)
        return place

    def _records(self):
        """Record of each row that was read."""
        dropped = set() if self.changes is None else self.changes.all.dropped
        kept, record = [], 1
        while len(kept) < self.predictions.n_samples:
            if record not in dropped:
                kept.append(record)
            record += 1
        return kept

    def _id_column(self):
        ids = self.predictions.ids.tolist()
        place = None if self.table is None else id_column([cell.strip() for cell in self.table.first])
        if place is None:
            return IdColumn(self.where, ids)
        return IdColumn(self.where, ids, self.changes, self._records(), place)

    def join(self, truth_path, truth_changes, truth_ids):
        """Meet the truth: ids first, then both files as they are mended."""
        if self.predictions is None:
            return
        if truth_ids is not None and self.ids is not None:
            both = (self.ids, truth_ids)
            if self.reading.get("ids") == "number":
                both = tuple(one.as_numbers() for one in both)
            look_at_join(*both, self.found, has_labels=not self.predictions.has_scores)
        place = truth_path
        if truth_changes is not None and truth_changes.all:
            place = self.folder / f"truth {truth_changes.fixes.name}"
            truth_changes.all.write(place)
        is_changed = self.changes is not None and self.changes.all
        missing = "zero" if self.predictions.known is not None else None
        before = self.predictions
        error = self._try(self._copy() if is_changed else self.path, missing=missing, truth=place)
        if error:
            self.predictions = before
            if not any(one.code == "ids_differ" for one in self.found):
                self.found.failed(error, self.where)

    def look_at_content(self):
        """The looks at what the scores or labels say."""
        if self.predictions is not None:
            can_rename = self.table is not None and self.reading.get("classes") is None
            look, moved = look_at_predictions(
                self.predictions,
                self.where,
                self.found,
                self.table is not None,
                can_rename,
                self._emptied(),
                has_all=self.changes is None or not self.changes.to_read_on.columns,
            )
            if look is not None and look.divisors and self.table is not None:
                self._divide(look.divisors)
            if moved and can_rename:
                self._exchange(moved)

    def _emptied(self):
        """How many cells were emptied to read on."""
        return 0 if self.changes is None else sum(not cell for cell in self.changes.to_read_on.cells.values())

    def _divide(self, divisors):
        names = [cell.strip() for cell in self.table.first]
        known = self.predictions.known if self.predictions.known is not None else self.predictions.scored_nodes
        nodes = set() if known is None else set(known.tolist())
        header = {place: self.changes.fixes.cells.get((0, place), name) for place, name in enumerate(names)}
        self.changes.fixes.scores = tuple(
            place for place, name in header.items() if self.taxonomy.index.get(name) in nodes
        )
        records = self._records()
        self.changes.fixes.divisors = {None if row is None else records[row]: value for row, value in divisors.items()}

    def _exchange(self, moved):
        names = [cell.strip() for cell in self.table.first]
        index = self.taxonomy.names
        for place, name in enumerate(names):
            node = self.taxonomy.index.get(self.changes.fixes.cells.get((0, place), name))
            if node in moved:
                self.changes.fixes.cells[0, place] = index[moved[node]]


def look_at_predictions(predictions, where, found, mendable=False, can_rename=False, n_emptied=0, has_all=True):
    """Note what is odd about predictions that could be read.

    Parameters
    ----------
    predictions : Predictions
    where : str
    found : Findings
    mendable, can_rename : bool
        Rows and columns of the file can be written otherwise.
    n_emptied : int
        Labels that were left out to read on, which are told already.
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
        # The scores of a model that knows a part of the classes, as they stand in its file.
        is_part = isinstance(predictions.scores, NodeColumns) and predictions.known is not None
        # Of a cut taxonomy the source has other nodes.
        is_part = is_part and predictions.scores.source.taxonomy.n_nodes == len(predictions.known)
        own = predictions.scores.source if is_part else predictions
        lacks = not has_all or any(one.code == "missing_classes" for one in found)
        look = look_at_scores(own, where, found, mendable, with_sums=not lacks)
        hashes = look.hashes
        leaves = np.where(look.leaves >= 0, predictions.known[look.leaves], -1) if is_part else look.leaves
    else:
        leaves = _single_answers(predictions, where, found, n_emptied)
    if predictions.has_unknown:
        hashes = None
    moved = {}
    if (
        not predictions.has_scores
        and isinstance(predictions.labels, NodeLists)
        and (predictions.labels.lengths > 1).any()
    ):
        leaves = None
    if leaves is not None and (leaves >= 0).any():
        moved = look_at_answers(
            taxonomy, truth, leaves, where, found, hashes=hashes, mendable=can_rename, known=predictions.known
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
    # The text may stand in the truth file, and is not there for samples without a truth.
    may_lack = predictions.truth is not None
    empty = [row for row, text in enumerate(texts) if not text.strip() and (not may_lack or predictions.has_truth[row])]
    if empty and len(empty) < len(texts):
        shown = some([predictions.sample_id(row) for row in empty])
        found.note(
            "empty_samples", where, f"{counted(len(empty), 'sample has', 'samples have')} an empty text ({shown})."
        )
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
            f"{counted(len(several), 'text stands', 'texts stand')} there with different truths: {some(several, 2)}. "
            f"No model gets all of them right."
        )
        found.note("texts_with_several_truths", where, text)
