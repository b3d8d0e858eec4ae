"""Scores in Parquet that stay on disk: one row group is decoded at a time.

A row group stores its columns one after the other, so that some rows of it cannot be had without decoding all. A group of up
to `file_limits.MEMORY_BYTES` is held in memory; a larger one goes to a temporary file, panel by panel: some columns of all its
rows, row after row, from which blocks of rows are put together. Read in order, each group is decoded once.

The footer of a Parquet file, which is read as a whole, takes about 1.2 kB for each column of each group: for 10,000 columns
and a million rows, groups of 50,000 rows or more are meant (0.25 GB), not of 10,000 (1.2 GB).
"""

from __future__ import annotations

import threading

import numpy as np

from hierviz.readers import file_limits
from hierviz.readers.stored_array import RunRows
from hierviz.readers.temporary_files import Scratch


class GroupRows(RunRows):
    """An array whose rows lie in row groups: `starts`, `names` and `dtype`; `_rows_of(group, start, end)` gives rows of one."""

    @property
    def shape(self):
        """(n_rows, n_columns)."""
        return int(self.starts[-1]), len(self.names)

    def _read(self, n_rows, runs):
        block, done = np.empty((n_rows, len(self.names)), self.dtype), 0
        for start, count in runs:
            while count > 0:
                group = int(np.searchsorted(self.starts, start, side="right")) - 1
                first, n = start - int(self.starts[group]), min(count, int(self.starts[group + 1]) - start)
                block[done : done + n] = self._rows_of(group, first, first + n)
                start, count, done = start + n, count - n, done + n
        return block

    def _decoded(self, table, group):
        """All rows of a group of a ParquetTable, shape (n_rows, n_columns)."""
        block = np.empty((table.group_rows[group], len(self.names)), self.dtype)
        for columns, values in table.panels(group, self.names):
            block[:, columns] = values.T
        return block


class ParquetScores(GroupRows):
    """Some columns of a Parquet table as an array that can be sliced by rows.

    Parameters
    ----------
    table : ParquetTable
    names : list of str
        Columns, in the order wanted.
    dtype : numpy.dtype
    """

    def __init__(self, table, names, dtype):
        self.table, self.names, self.dtype = table, names, np.dtype(dtype)
        self.starts = np.cumsum([0, *table.group_rows])
        self._group, self._lock = None, threading.Lock()

    def __repr__(self):
        return f"<ParquetScores {self.table.where!r}: {' x '.join(map(str, self.shape))} {self.dtype}>"

    def _rows_of(self, group, start, end):
        with self._lock, self.table.source.open_stored():  # it is still the file that was opened
            if self._group is None or self._group[0] != group:
                self._group = None  # before there are two
                self._group = (group, self._held(group))
            return self._group[1](start, end)

    def _held(self, group):
        """Function of first and last row of a group -> block of these rows."""
        n_bytes = self.table.group_rows[group] * len(self.names) * self.dtype.itemsize
        if n_bytes <= file_limits.MEMORY_BYTES:
            block = self._decoded(self.table, group)
            return lambda start, end: block[start:end]
        scratch, panels, place = Scratch(self.table.where, n_bytes), [], 0
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
