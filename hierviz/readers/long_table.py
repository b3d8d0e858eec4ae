"""Scores in long form: one row per sample and class.

The table is read once, from top to bottom. Each row becomes a number of its sample, a number of its class and a score; when all
classes are known, these are put into their places in a matrix. For text that is larger than memory both are temporary files.
"""

from __future__ import annotations

from array import array
from itertools import islice
from math import prod

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.listed_entries import ListedEntries, first_repeat, is_falling
from hierviz.predictions.name_matching import LooseMatches
from hierviz.predictions.node_names import column_node
from hierviz.predictions.parametrisation import without_column
from hierviz.readers import file_limits
from hierviz.readers.columns import Columns, as_number, joined, looks_numeric, named_place
from hierviz.readers.labels import text_array, unknown_node
from hierviz.readers.raw_predictions import RawPredictions
from hierviz.readers.tables import TextTable
from hierviz.readers.temporary_files import Scratch, too_much_scratch
from hierviz.readers.truth_file import samples_of, truth_place

SAMPLE_COLUMNS = ("sample_id", "id", "sample")
CLASS_COLUMNS = ("class", "node", "class_name", "category", "leaf", "label", "name")
SCORE_COLUMNS = ("score", "probability", "prob", "p", "confidence")
# Rows of the table that are put into their places at a time.
ROWS_AT_ONCE = 1 << 20
# Text unpacks to about so many times its size.
_UNPACKED = 8
# All bits: a nan that no text gives.
_ABSENT = np.uint64(0xFFFFFFFFFFFFFFFF)
_ENTRY = np.dtype([("sample", np.int32), ("class", np.int32), ("score", np.float64)])


def long_roles(names):
    """Places of (sample, class, score) among column names, None when one of them is missing."""
    roles = [named_place(names, accepted) for accepted in (SAMPLE_COLUMNS, CLASS_COLUMNS, SCORE_COLUMNS)]
    return None if None in roles else tuple(roles)


def read_long(table, names, reading):
    """Read a long table of scores: a matrix, or, where `missing` says what classes without a row are, the listed scores.

    Samples and classes keep the order in which they first come.

    Returns
    -------
    RawPredictions

    Raises
    ------
    PredictionsError
        If a class is not in the taxonomy, a pair is there twice or missing (naming sample and class), or the truth of a
        sample changes from row to row.
    """
    roles = long_roles(names)
    if roles is None:
        raise PredictionsError(
            f"{table.where}: expected the columns sample_id, class and score, got {listed(names)}. Rename them so."
        )
    cells = _Cells(table, names, roles, reading)
    nodes, entries, n_samples = np.array(list(cells.column_of), dtype=np.intp), cells.entries, len(cells.samples)
    if isinstance(entries, np.ndarray):
        cells.require_new(first_repeat(entries["sample"], entries["class"]))
    is_complete = _is_complete(reading.taxonomy, nodes, n_samples, len(entries))
    if nodes.min() >= 0 and (reading.missing is None or is_complete):
        found = {"scores": _matrix(cells), "scored_nodes": nodes}
    else:
        if reading.missing is None and len(entries) < n_samples * len(nodes):
            raise cells.missing_pair()
        rows, value = entries["sample"].astype(np.intp), np.ascontiguousarray(entries["score"])
        lengths = np.bincount(rows)
        # Rows of one class after the other do not show that the best ones are listed.
        is_top_k = bool((lengths == lengths[0]).all()) and is_falling(rows, value)
        listed_scores = ListedEntries(rows, nodes[entries["class"]], value, n_samples, is_top_k)
        if reading.answers is not None:
            listed_scores = reading.answers.settle_entries(
                listed_scores, ends(reading.taxonomy, nodes, entries["class"])
            )
        found = {"listed": listed_scores, "missing": reading.missing or "zero"}
    columns, place = cells.others, truth_place(names, reading.truth_column)
    for k, values in columns.text.items():
        if k != place and looks_numeric(values):
            raise PredictionsError(
                f"{columns.where}, column {names[k]!r}: expected text, got numbers that belong to no class. "
                "Remove it; put other numbers of a sample in the truth file."
            )
    more = samples_of(columns, None, place, reading) | {"ids": text_array(list(cells.samples))}
    detected = {"form": "long scores (one row per sample and class)", **table.detected}
    detected |= {f"{what} column": names[role] for what, role in zip(("id", "class", "score"), roles, strict=True)}
    detected |= {"rows": f"{n_samples:,}", "columns of scores": f"{len(nodes):,}"}
    return RawPredictions(
        table.where, "long", **found, **more, detected=detected, notes=tuple(cells.loose.notes(table.where))
    )


def ends(taxonomy, nodes, column):
    """Which entries are of leaves, where the columns have some: a class above others always has a larger score than these."""
    is_leaf = np.append(taxonomy.is_leaf, False)[np.maximum(nodes, -1)]
    return is_leaf[column] if is_leaf.any() and not is_leaf[nodes >= 0].all() else None


def _is_complete(taxonomy, nodes, n_samples, n_rows):
    """Whether every sample has a row for every leaf or, with inner nodes, for every node but the root."""
    return n_rows == n_samples * len(nodes) and not len(without_column(taxonomy, nodes))


class _Cells:
    """The rows of a long table as numbers.

    Attributes
    ----------
    samples : dict of str to int
        Samples in the order in which they first come.
    column_of : dict of int to int
        Column of the matrix of each node, in the order in which they first come.
    entries : ndarray or StoredArray of `_ENTRY`, shape (n_rows,)
    others : Columns
        The other columns, one row a sample.
    """

    def __init__(self, table, names, roles, reading):
        self.table, self.names, self.roles, self.taxonomy = table, names, roles, reading.taxonomy
        self.samples, self.column_of, self.loose = {}, {}, LooseMatches(reading.taxonomy)
        self.unknown = reading.answers
        is_text = isinstance(table, TextTable)
        size = table.source.size * (_UNPACKED if table.source.is_gzipped else 1) if is_text else 0
        self._columns = None if is_text else table.read(numbers=[roles[2]])
        lines, text = array("q"), {k: [] for k in range(len(names)) if k not in roles}
        self.entries = self._read(lines, text, size > file_limits.MEMORY_BYTES and reading.missing is None)
        unit = table.unit if is_text else "row"
        self.others = Columns(table.where, names, text, None, np.array(lines, dtype=np.int64), unit)
        self.others.require_rows()

    def _records(self):
        """Yield line, cells and score of each row."""
        score, columns = self.roles[2], self._columns
        if columns is None:
            records = self.table.records()
            next(records)
            for line, cells in records:
                value = as_number(cells[score])
                if value is None:
                    raise self.table.not_a_number(line, self.names[score], cells[score])
                yield line, cells, value
            return
        text = {k: map(joined, column) for k, column in columns.text.items()} | {score: [""] * len(columns)}
        text |= {k: columns.single_text(k) for k in self.roles[:2]}
        rows = zip(*(text[k] for k in range(len(self.names))), strict=True)
        yield from zip(columns.lines.tolist(), rows, columns.numbers[:, 0].tolist(), strict=True)

    def _place(self, line):
        return self.table.place(line) if self._columns is None else self._columns.place(line - 1)

    def _read(self, lines, text, on_disk):
        """The entries; `lines` and `text` grow by those of each new sample."""
        sample, class_, _ = self.roles
        samples, others, shared, column_of = self.samples, list(text.items()), {}, {}
        most = file_limits.most_rows(getattr(self.table, "most_rows", None), 1, len(self.names) - 1)
        scratch, chunks, n_rows = Scratch(self.table.where) if on_disk else None, [], 0
        records, is_more = self._records(), True
        while is_more:
            rows, columns, scores = array("i"), array("i"), array("d")
            for line, cells, value in islice(records, ROWS_AT_ONCE):
                row = samples.setdefault(cells[sample], len(samples))
                if row == len(lines):
                    lines.append(line)
                    for k, column in others:
                        column.append(shared.setdefault(cells[k], cells[k]) if len(shared) < 1 << 16 else cells[k])
                else:
                    for k, column in others:
                        if cells[k] != column[row]:
                            raise PredictionsError(
                                f"{self._place(line)}, column {self.names[k]!r}: expected one value per sample, got "
                                f"{cells[k]!r} after {column[row]!r}. Make them equal or remove the column."
                            )
                column = column_of.get(cells[class_])
                if column is None:
                    column = column_of[cells[class_]] = self._column(line, cells[class_])
                rows.append(row)
                columns.append(column)
                scores.append(value)
            chunk, n_rows, is_more = np.empty(len(rows), _ENTRY), n_rows + len(rows), len(rows) == ROWS_AT_ONCE
            chunk["sample"], chunk["class"], chunk["score"] = rows, columns, scores
            if not on_disk and n_rows > most:
                raise self.table.too_many(most)
            if not on_disk:
                chunks.append(chunk)
            elif n_rows * _ENTRY.itemsize <= file_limits.SCRATCH_BYTES:
                scratch.append(chunk)
            else:
                raise too_much_scratch(self.table.where)
        return scratch.array((n_rows,), _ENTRY) if on_disk else np.concatenate(chunks)

    def _column(self, line, name):
        node = column_node(name, self.taxonomy, self.loose)
        if node is None and self.unknown is not None:
            node = self.unknown.code(name)
        if node is None:
            at, more = (
                f"{self._place(line)}, column {self.names[self.roles[1]]!r}",
                self.unknown.advice if self.unknown else "",
            )
            raise unknown_node(at, name, self.taxonomy, more=more)
        return self.column_of.setdefault(node, len(self.column_of))

    def chunks(self):
        """Yield first row and entries of some rows after the others."""
        for start in range(0, len(self.entries), ROWS_AT_ONCE):
            yield start, self.entries[start : start + ROWS_AT_ONCE]

    def require_new(self, row):
        """Raise a PredictionsError about a row whose pair of sample and class came before; None is no such row."""
        if row is not None:
            line = next(line for k, (line, _, _) in enumerate(self._records()) if k == row)
            entry = self.entries[row]
            raise PredictionsError(
                f"{self._place(line)}: expected every pair of sample and class once, got {list(self.samples)[entry['sample']]!r} "
                f"and {self._class_name(entry['class'])!r} again. Remove one of the rows."
            )

    def missing_pair(self):
        """The error about the first sample without a score for every class."""
        n_samples, n_classes = len(self.samples), len(self.column_of)
        counts = sum(np.bincount(part["sample"], minlength=n_samples) for _, part in self.chunks())
        sample = int(np.argmax(counts < n_classes))
        there = [part["class"][part["sample"] == sample] for _, part in self.chunks()]
        class_ = int(np.argmin(np.isin(np.arange(n_classes), np.concatenate(there))))
        return PredictionsError(
            f"{self.table.where}: expected a score of every sample for every class, got none of sample "
            f"{list(self.samples)[sample]!r} for class {self._class_name(class_)!r}. Missing pairs: "
            f"{n_samples * n_classes - len(self.entries)}. Write a row for every class, or say what the others are: "
            "{missing=unknown | zero}."
        )

    def _class_name(self, column):
        node = list(self.column_of)[column]
        return self.unknown.name(node) if node < 0 else self.taxonomy.names[node]


def _matrix(cells):
    """Scores of every sample for every class, shape (n_samples, n_classes); PredictionsError where a pair is missing."""
    shape = len(cells.samples), len(cells.column_of)
    n_pairs, is_on_disk = prod(shape), not isinstance(cells.entries, np.ndarray)
    if len(cells.entries) < n_pairs:
        raise cells.missing_pair()
    if is_on_disk:
        scratch = Scratch(cells.table.where, 8 * n_pairs)
        for start in range(0, n_pairs, ROWS_AT_ONCE):
            scratch.append(np.full(min(ROWS_AT_ONCE, n_pairs - start), _ABSENT))
        # The file has its full size: no page of it can be missing.
        matrix = np.memmap(scratch.file, np.uint64, "r+", shape=n_pairs)
    else:
        matrix = np.full(n_pairs, _ABSENT)
    for first, part in cells.chunks():
        pairs = part["sample"].astype(np.int64) * shape[1] + part["class"]
        if is_on_disk:
            places = [first_repeat(pairs, pairs), *np.flatnonzero(matrix[pairs] != _ABSENT)[:1].tolist()]
            cells.require_new(min((first + place for place in places if place is not None), default=None))
        matrix[pairs] = np.ascontiguousarray(part["score"]).view(np.uint64)
    return scratch.array(shape, np.float64) if is_on_disk else matrix.view(np.float64).reshape(shape)
