"""Scores in Parquet that stay on disk: one row group is decoded at a time.

A row group stores its columns one after the other, so that some rows of it cannot be had without decoding all. A group of up
to `limits.MEMORY_BYTES` is held in memory; a larger one goes to a temporary file, panel by panel: some columns of all its
rows, row after row, from which blocks of rows are put together. Read in order, each group is decoded once.

The footer of a Parquet file, which is read as a whole, takes about 1.2 kB for each column of each group: for 10,000 columns
and a million rows, groups of 50,000 rows or more are meant (0.25 GB), not of 10,000 (1.2 GB).
"""

from __future__ import annotations

import threading
from numbers import Integral

import numpy as np

from hierviz.predictions.array_rows import ArrayRows
from hierviz.readers import limits
from hierviz.readers.scratch import Scratch


class ParquetScores(ArrayRows):
    """Some columns of a Parquet table as an array that can be sliced by rows.

    Parameters
    ----------
    table : ParquetTable
    names : list of str
        Columns, in the order wanted.
    dtype : numpy.dtype
    """

    ndim = 2

    def __init__(self, table, names, dtype):
        self.table, self.names, self.dtype = table, names, np.dtype(dtype)
        self._starts = np.cumsum([0, *table.group_rows])
        self.shape = (int(self._starts[-1]), len(names))
        self._group, self._lock = None, threading.Lock()

    def __repr__(self):
        return f"<ParquetScores {self.table.where!r}: {' x '.join(map(str, self.shape))} {self.dtype}>"

    def __getitem__(self, key):
        """Rows by number, slice, or array of numbers or of bool; then the columns, as in ``scores[:10, 3]``.

        Raises
        ------
        ChangedFileError
            If the file is not the one that was opened any more.
        """
        rows, *columns = key if isinstance(key, tuple) else (key,)
        if columns:
            block = self[rows]
            return block[columns[0] if block.ndim == 1 else (slice(None), *columns)]
        if isinstance(rows, slice) and rows.step in (None, 1):
            start, stop, _ = rows.indices(len(self))
            return self._run(start, max(start, stop))
        if isinstance(rows, Integral):
            return self[np.array([rows])][0]
        rows = np.arange(len(self))[rows]
        block = np.empty((len(rows), self.shape[1]), self.dtype)
        first = np.flatnonzero(np.diff(rows, prepend=-2) != 1).tolist()
        for start, end in zip(first, [*first[1:], len(rows)], strict=True):
            block[start:end] = self._run(int(rows[start]), int(rows[start]) + end - start)
        return block

    def _run(self, start, stop):
        parts = []
        while start < stop:
            group = int(np.searchsorted(self._starts, start, side="right")) - 1
            first, end = int(self._starts[group]), min(stop, int(self._starts[group + 1]))
            with self._lock, self.table.source.open_stored():  # it is still the file that was looked at
                if self._group is None or self._group[0] != group:
                    self._group = None  # before there are two
                    self._group = (group, self._decoded(group))
                parts.append(self._group[1](start - first, end - first))
            start = end
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.empty((0, self.shape[1]), self.dtype)

    def _decoded(self, group):
        """Function of first and last row of a group -> block of these rows."""
        n_rows, n_columns = self.table.group_rows[group], self.shape[1]
        if n_rows * n_columns * self.dtype.itemsize <= limits.MEMORY_BYTES:
            block = np.empty((n_rows, n_columns), self.dtype)
            for columns, values in self.table.panels(group, self.names):
                block[:, columns] = values.T
            return lambda start, end: block[start:end].copy()
        scratch = Scratch(self.table.where, n_rows * n_columns * self.dtype.itemsize)
        panels, place = [], 0
        for columns, values in self.table.panels(group, self.names):
            panel = np.ascontiguousarray(values.T, dtype=self.dtype)
            scratch.write(panel, place)
            panels.append((columns, place))
            place += panel.nbytes
        return lambda start, end: self._of_panels(scratch, panels, start, end)

    def _of_panels(self, scratch, panels, start, end):
        block = np.empty((end - start, self.shape[1]), self.dtype)
        with scratch.open_stored() as file:
            for columns, place in panels:
                width = columns.stop - columns.start
                panel = np.empty((end - start, width), self.dtype)
                file.seek(place + start * width * self.dtype.itemsize)
                read_into(file, panel)
                block[:, columns] = panel
        return block


def read_into(file, array):
    """Fill an array with the next bytes of an open file."""
    view, done = memoryview(array.reshape(-1).view(np.uint8)), 0
    while done < len(view):
        got = file.readinto(view[done:])
        if not got:
            raise EOFError
        done += got
