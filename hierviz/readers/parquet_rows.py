"""Scores in Parquet files as an array that reads the row groups of the rows that are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from hierviz.messages.errors import FileError
from hierviz.readers.parquet_scores import GroupRows
from hierviz.readers.parquet_table import ParquetTable
from hierviz.readers.shared_file import SharedFile
from hierviz.readers.sources import Source, translated


@dataclass(eq=False)
class ParquetRows(GroupRows):
    """Columns of numbers in Parquet files, as an array that reads the row groups of the rows that are asked for.

    It can be sent to another process. The file and the row group that were read last are kept, for blocks of rows that end
    inside them.

    Parameters
    ----------
    files : list of SharedFile
    group_rows : list of ndarray of int
        Rows of each row group of each file.
    names : list of str
        Of the columns.
    dtype : numpy.dtype
    where : str
        What errors call them.
    """

    files: list[SharedFile]
    group_rows: list[np.ndarray]
    names: list[str]
    dtype: np.dtype
    where: str
    _kept: tuple = field(default=(None, None), init=False, repr=False)
    _open: tuple = field(default=(None, None), init=False, repr=False)

    def __getstate__(self):
        return {**self.__dict__, "_kept": (None, None), "_open": (None, None)}

    @cached_property
    def starts(self):
        """First row of each row group, and the number of rows, shape (n_groups + 1,): where cutting costs nothing."""
        return np.concatenate([[0], np.cumsum(np.concatenate(self.group_rows))])

    def part(self, start, stop):
        """ParquetRows of the row groups that hold the rows from `start` to `stop`, and the first row of these."""
        first = int(np.searchsorted(self.starts, start, side="right")) - 1
        last = max(first, int(np.searchsorted(self.starts, stop, side="left")))
        file = np.repeat(np.arange(len(self.files)), [len(rows) for rows in self.group_rows])
        inside = sorted(set(file[first:last].tolist()))
        some = replace(self, files=[self.files[k] for k in inside], group_rows=[self.group_rows[k] for k in inside])
        return some, int(self.starts[np.flatnonzero(file == inside[0])[0]]) if inside else 0

    def _rows_of(self, group, start, end):
        if self._kept[0] != group:
            file, inside = 0, group
            while inside >= len(self.group_rows[file]):
                inside -= len(self.group_rows[file])
                file += 1
            # What was kept is given back before as much is read.
            self._kept = (None, None)
            with translated(self.files[file].path):
                self._kept = (group, self._decoded(self._table(file), inside))
        return self._kept[1][start:end]

    def _table(self, file):
        """The open table of a file, which is kept until another one is asked for."""
        if self._open[0] != file:
            where = self.files[file].path
            table = ParquetTable(Source(Path(where), where, "parquet", pipe=self.files[file]))
            if table.group_rows != self.group_rows[file].tolist():
                raise FileError(f"{where}: expected the row groups that it had, got others. Open it again.")
            self._open = (file, table)
        return self._open[1]
