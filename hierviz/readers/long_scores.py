"""Long tables of text that are larger than memory: read once, from top to bottom, into a matrix on disk.

Each row becomes a number of its sample, a number of its class and a score in one temporary file; when all classes are known
these are put into their places in a second one, which is the matrix.
"""

from __future__ import annotations

from array import array

import numpy as np

from hierviz.messages.errors import FileError, PredictionsError
from hierviz.predictions.name_matching import LooseMatches
from hierviz.readers import file_limits
from hierviz.readers.columns import Columns, as_number, no_rows
from hierviz.readers.labels import find_node, unknown_node
from hierviz.readers.long_table import (
    another_value,
    long_predictions,
    long_roles,
    pair_again,
    per_sample,
    read_long,
)
from hierviz.readers.parquet_scores import read_into
from hierviz.readers.temporary_files import Scratch

# Rows of the table that are put into their places at a time, 16 bytes each.
ROWS_AT_ONCE = 1 << 20
# Text unpacks to about so many times its size.
_UNPACKED = 8
# All bits: a nan that no text gives.
_ABSENT = np.uint64(0xFFFFFFFFFFFFFFFF)


def is_large(table):
    """Whether a table is text of more than `file_limits.MEMORY_BYTES`."""
    if not table.can_lack_header:
        return False
    return table.source.size * (_UNPACKED if table.source.is_gzipped else 1) > file_limits.MEMORY_BYTES


def read_long_in_blocks(table, names, reading):
    """`read_long` with scores that stay on disk."""
    roles, taxonomy = long_roles(names), reading.taxonomy
    if roles is None:
        return read_long(table, names, reading)  # says what is missing
    cells = _Cells(table, names, roles, taxonomy)
    cells.read()
    n_samples, n_classes = len(cells.samples), len(cells.place)
    n_pairs = n_samples * n_classes
    if cells.n_rows < n_pairs and cells.n_rows <= file_limits.TABLE_ROWS:
        return read_long(table, names, reading)  # says which pair is missing
    nodes, ids = np.array(list(cells.place), dtype=np.intp), list(cells.samples)
    class_names = [taxonomy.names[node] for node in nodes]
    if cells.n_rows < n_pairs:
        sample = int(np.argmax(cells.counts() < n_classes))
        missing = n_pairs - cells.n_rows
        raise PredictionsError(
            f"{table.where}: expected a score of every sample for every class, got {cells.counts()[sample]} of {n_classes} "
            f"for sample {ids[sample]!r}. Missing pairs: {missing}. Write a row for every class."
        )
    matrix = _matrix(cells, n_pairs)
    if isinstance(matrix, int):
        line = next(line for k, (line, _) in enumerate(table.records(), -1) if k == matrix)
        sample, class_ = divmod(cells.pair(matrix), n_classes)
        raise pair_again(f"{table.where}:{line}", ids[sample], class_names[class_])
    first = np.arange(n_samples)
    columns = Columns(table.where, names, cells.text, None, np.array(cells.lines, dtype=np.int64))
    more = per_sample(columns, roles, first, first, reading)
    found = {"scores": matrix.array((n_samples, n_classes), np.float64), "scored_nodes": nodes}
    return long_predictions(table, names, found, n_classes, ids, more, cells.loose)


class _Cells:
    """The rows of a long table as numbers, in chunks on disk.

    Attributes
    ----------
    samples : dict of str to int
        Samples in the order in which they first come.
    place : dict of int to int
        Column of the matrix of each node, in the order in which they first come.
    text : dict of int to list of str
        The other columns, one cell a sample.
    lines : array of int
        Line on which each sample first comes.
    n_rows : int
    """

    def __init__(self, table, names, roles, taxonomy):
        self.table, self.names, self.roles, self.taxonomy = table, names, roles, taxonomy
        self.loose = LooseMatches(taxonomy)
        self.samples, self.place, self.lines, self.n_rows = {}, {}, array("q"), 0
        self.text = {k: [] for k in range(len(names)) if k not in roles}
        self._scratch, self._chunks, self._end = Scratch(table.where), [], 0

    def read(self):
        """Read the table; errors as those of `read_long`."""
        sample, class_, score = self.roles
        samples, others, shared = self.samples, list(self.text.items()), {}
        column_of, table = {}, self.table
        rows, columns, scores = array("i"), array("i"), array("d")
        records = table.records()
        next(records)
        for line, cells in records:
            row = samples.setdefault(cells[sample], len(samples))
            if row == len(self.lines):
                self.lines.append(line)
                for k, column in others:
                    column.append(shared.setdefault(cells[k], cells[k]) if len(shared) < 1 << 16 else cells[k])
            else:
                for k, column in others:
                    if cells[k] != column[row]:
                        raise another_value(f"{table.where}:{line}", self.names[k], cells[k], column[row])
            column = column_of.get(cells[class_])
            if column is None:
                column = column_of[cells[class_]] = self._column(line, cells[class_])
            value = as_number(cells[score])
            if value is None:
                raise table.not_a_number(line, self.names[score], cells[score])
            rows.append(row)
            columns.append(column)
            scores.append(value)
            if len(rows) == ROWS_AT_ONCE:
                self._flush(rows, columns, scores)
                rows, columns, scores = array("i"), array("i"), array("d")
        self._flush(rows, columns, scores)
        if not self.n_rows:
            raise no_rows(table.where)

    def _column(self, line, name):
        node = find_node(name, self.taxonomy, loose=self.loose)
        if node is None:
            place = f"{self.table.where}:{line}, column {self.names[self.roles[1]]!r}"
            raise unknown_node(place, name, self.taxonomy)
        return self.place.setdefault(node, len(self.place))

    def _flush(self, rows, columns, scores):
        if not rows:
            return
        self._chunks.append((self._end, len(rows)))
        for values in (rows, columns, scores):
            self._scratch.write(memoryview(values).cast("B"), self._end)
            self._end += len(values) * values.itemsize
        self.n_rows += len(rows)
        if self._end > file_limits.SCRATCH_BYTES:
            raise FileError(
                f"{self.table.where}: expected at most {file_limits.size_words(file_limits.SCRATCH_BYTES)} of scores, got more. "
                "Save them as .npy, which is read in place."
            )

    def chunks(self):
        """Yield (rows, columns, scores) of the matrix, in the order of the table."""
        with self._scratch.open_stored() as file:
            for start, n in self._chunks:
                file.seek(start)
                parts = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n)
                for part in parts:
                    read_into(file, part)
                yield parts

    def counts(self):
        """Rows of each sample, shape (n_samples,)."""
        return sum(np.bincount(rows, minlength=len(self.samples)) for rows, _, _ in self.chunks())

    def pair(self, wanted):
        """Place in the matrix, counted row by row, of one row of the table."""
        for rows, columns, _ in self.chunks():
            if wanted < len(rows):
                return int(rows[wanted]) * len(self.place) + int(columns[wanted])
            wanted -= len(rows)
        raise IndexError(wanted)


def _matrix(cells, n_pairs):
    """A Scratch with the scores in their places; the number of the first row of the table whose place is taken, if any."""
    matrix, before = Scratch(cells.table.where, 8 * n_pairs), 0
    for start in range(0, n_pairs, ROWS_AT_ONCE):
        matrix.append(np.full(min(ROWS_AT_ONCE, n_pairs - start), _ABSENT))
    with matrix.open_stored() as file:
        for rows, columns, scores in cells.chunks():
            pairs = rows.astype(np.int64) * len(cells.place) + columns
            order = np.argsort(pairs, kind="stable")
            pairs = pairs[order]
            is_taken = np.append(False, pairs[1:] == pairs[:-1])
            ends = np.flatnonzero(np.append(np.diff(pairs) != 1, True)) + 1
            runs = list(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True))
            for start, end in runs:
                there = np.empty(end - start, np.uint64)
                file.seek(int(pairs[start]) * 8)
                read_into(file, there)
                is_taken[start:end] |= there != _ABSENT
            if is_taken.any():
                return before + int(order[is_taken].min())
            for start, end in runs:
                matrix.write(scores[order[start:end]], int(pairs[start]) * 8)
            before += len(rows)
    return matrix
