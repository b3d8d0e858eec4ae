"""Parquet tables whose scores stay where they are: a folder of parts, or one file, by path or URL.

Conventions
-----------
Parts stand one after the other in the order of their names (part-2 before part-10). Scores are read by row groups, when their
rows are asked for; ids, truth and attributes are read at once. All parts have the columns of the first.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from hierviz.errors import FileError, listed
from hierviz.readers import limits
from hierviz.readers.columns import EVERY_SCORE, Columns
from hierviz.readers.parquet_table import VALUES_AT_ONCE, ParquetTable, _as_text, _numbers
from hierviz.readers.shared_file import SharedFile, is_url, parts_of_folder
from hierviz.readers.sources import Source, open_source, translated
from hierviz.readers.stored_array import rows_and_runs

SUFFIXES = (".parquet", ".pq", ".parq")


def open_predictions(path, wanted, kinds, *, read_scores=True):
    """As `sources.open_source`, and also folders of Parquet parts and what stays where it is.

    Parameters
    ----------
    path : str, path or Spooled
    wanted : str
    kinds : tuple of str
    read_scores : bool
        False takes a file by its absolute path, so that other processes can read its rows.

    Returns
    -------
    Source, or PartedSource for Parquet whose scores stay where they are
    """
    folder = None if isinstance(path, os.PathLike) and not isinstance(path, Path) else path
    parts = None if folder is None else parts_of_folder(folder if is_url(folder) else os.fspath(folder), SUFFIXES)
    if parts is not None:
        if not parts:
            raise FileError(
                f"{path}: expected a file, got a folder without Parquet parts ({', '.join(SUFFIXES)}). "
                "Name a file, or a folder that holds parts."
            )
        name = str(folder).rstrip("/").rpartition("/")[2]
        return PartedSource(name, [open_source(part, "a part in Parquet", ("parquet",)) for part in parts])
    if not read_scores and not is_url(path) and os.path.isfile(path):
        path = SharedFile.from_path(path)
    source = open_source(path, wanted, kinds)
    if source.kind == "parquet" and isinstance(source.pipe, SharedFile) and not source.is_gzipped:
        return PartedSource(source.where, [source])
    return source


@dataclass(frozen=True, eq=False)
class PartedSource:
    """Parts that were looked at; takes the place of a Source.

    Parameters
    ----------
    where : str
        What errors call them.
    parts : list of Source
    """

    where: str
    parts: list[Source]
    kind = "parquet"

    @property
    def stem(self):
        """The name without suffix."""
        return Path(self.where).stem if Path(self.where).suffix.lower() in SUFFIXES else self.where


class PartedTable:
    """A table in Parquet parts, with the methods of `tables.TextTable`. Made by `PartedTable(source)`."""

    can_lack_header = False

    def __init__(self, source):
        self.source, self.where = source, source.where
        self.parts = [ParquetTable(part) for part in source.parts]

    @property
    def schema(self):
        """pyarrow schema of the first part."""
        return self.parts[0].schema

    @property
    def first(self):
        """Names of the columns."""
        return self.parts[0].first

    @property
    def detected(self):
        """What was found out, in words."""
        return {"separator": "none (Parquet)", "parts": str(len(self.parts))}

    def is_number_column(self, place, has_header=True):
        """True when the column's type is a number."""
        return self.parts[0].is_number_column(place)

    def is_truth_column(self, place):
        """True when the column's type is true or false."""
        return self.parts[0].is_truth_column(place)

    def read(self, numbers=(), has_header=True, instead=None, advice=EVERY_SCORE):
        """Columns of all rows; `numbers` is a ParquetRows, which reads nothing yet."""
        import pyarrow as pa

        names, numbers = self.first, list(numbers)
        twice = [name for k, name in enumerate(names) if name in names[:k]]
        if twice:
            raise FileError(
                f"{self.where}: expected every column once, got {listed(twice)} more than once. Rename or remove one."
            )
        rest = [place for place in range(len(names)) if place not in set(numbers)]
        wanted = [names[place] for place in numbers]
        for part in self.parts:
            self._require_columns(part, wanted, rest, advice)
        sizes = [_group_rows(part.file) for part in self.parts]
        n_rows = int(sum(map(sum, sizes)))
        most = limits.most_rows(None, 0, len(rest))
        if n_rows > most:
            raise FileError(f"{self.where}: expected at most {most:,} rows, got {n_rows:,}. Split them.")
        text = {place: [] for place in rest}
        for part in self.parts if rest else ():
            for place, cells in _texts(part, [names[place] for place in rest]).items():
                text[rest[place]] += cells
        scores = None
        if numbers:
            narrow = (pa.float32(), pa.float16())
            is_narrow = all(part.schema.field(name).type in narrow for part in self.parts for name in wanted)
            scores = ParquetRows(
                [part.source.pipe for part in self.parts],
                [np.array(rows, dtype=np.int64) for rows in sizes],
                wanted,
                np.dtype(np.float32 if is_narrow else np.float64),
                self.where,
            )
        starts = np.cumsum([0, *map(sum, sizes)])
        return PartedColumns(
            self.where, names, text, scores, np.arange(1, n_rows + 1), False, [p.where for p in self.parts], starts
        )

    def _require_columns(self, part, wanted, rest, advice):
        import pyarrow as pa

        names = self.first
        if set(part.first) != set(names) or len(part.first) != len(names):
            lacking = [name for name in names if name not in set(part.first)]
            more = [name for name in part.first if name not in set(names)]
            raise FileError(
                f"{part.where}: expected the {len(names)} columns of {self.parts[0].where}, got {listed(lacking, 2) or 'none'} "
                f"missing and {listed(more, 2) or 'no'} others. Parts of one table have the same columns."
            )
        for name in wanted:
            place = part.first.index(name)
            if not part.is_number_column(place) and part.types[place] != pa.bool_():
                raise FileError(
                    f"{part.where}, column {name!r}: expected numbers, got values of type {part.types[place]}. {advice}"
                )
        _require_moderate(part, [part.first.index(names[place]) for place in rest])


@dataclass(frozen=True)
class PartedColumns(Columns):
    """Columns of several parts; errors name the part. `starts` is the first row of each part, and the number of rows."""

    parts: list = field(default_factory=list)
    starts: np.ndarray | None = None

    def place(self, row):
        """How errors call a row."""
        part = int(np.searchsorted(self.starts, row, side="right")) - 1
        return f"{self.parts[part]}, row {row - self.starts[part] + 1}"


@dataclass(eq=False)
class ParquetRows:
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

    @property
    def shape(self):
        """(n_rows, n_columns)."""
        return int(self.starts[-1]), len(self.names)

    @property
    def ndim(self):
        """2."""
        return 2

    def __len__(self):
        return self.shape[0]

    def __array__(self, dtype=None, copy=None):
        values = self[:]
        return values if dtype is None else values.astype(dtype, copy=False)

    def part(self, start, stop):
        """ParquetRows of the row groups that hold the rows from `start` to `stop`, and the first row of these."""
        first, last = self._groups(start, stop)
        file = np.repeat(np.arange(len(self.files)), [len(rows) for rows in self.group_rows])
        inside = sorted(set(file[first:last].tolist()))
        some = replace(self, files=[self.files[k] for k in inside], group_rows=[self.group_rows[k] for k in inside])
        return some, int(self.starts[np.flatnonzero(file == inside[0])[0]]) if inside else 0

    def _groups(self, start, stop):
        first = int(np.searchsorted(self.starts, start, side="right")) - 1
        return first, max(first, int(np.searchsorted(self.starts, stop, side="left")))

    def __getitem__(self, key):
        """Rows by number, slice, or array of numbers or of bool; then columns, as in ``scores[:10, 3]``."""
        if isinstance(key, tuple):
            rows, *others = key
            if isinstance(rows, (int, np.integer)):
                return self[np.array([rows])][(0, *others)]
            return self[rows][(slice(None), *others)]
        if isinstance(key, (int, np.integer)):
            return self[np.array([key])][0]
        n, runs = rows_and_runs(key, len(self))
        block, done = np.empty((n, len(self.names)), self.dtype), 0
        for start, count in runs:
            first, last = self._groups(start, start + count)
            for group in range(first, last if count else first):
                begin, end = max(start, self.starts[group]), min(start + count, self.starts[group + 1])
                if begin < end:
                    inside = slice(begin - self.starts[group], end - self.starts[group])
                    block[done : done + end - begin] = self._group(group)[inside]
                    done += end - begin
        return block

    def _group(self, group):
        """Values of one row group, shape (n_rows, n_columns)."""
        if self._kept[0] != group:
            file, inside = 0, group
            while inside >= len(self.group_rows[file]):
                inside -= len(self.group_rows[file])
                file += 1
            # What was kept is given back before as much is read.
            self._kept = (None, None)
            self._kept = (group, self._read(file, inside))
        return self._kept[1]

    def _read(self, file, group):
        table, rows = self._table(file), int(self.group_rows[file][group])
        block = np.empty((rows, len(self.names)), self.dtype)
        width = max(1, VALUES_AT_ONCE // max(1, rows))
        with translated(table.where):
            for start in range(0, len(self.names), width):
                some = self.names[start : start + width]
                with table._parsing():
                    read = table.file.read_row_group(group, columns=some, use_threads=False)
                    block[:, start : start + len(some)] = np.array([_numbers(read.column(name)) for name in some]).T
        return block

    def _table(self, file):
        """The open table of a file, which is kept until another one is asked for."""
        if self._open[0] != file:
            where = self.files[file].path
            table = ParquetTable(Source(Path(where), where, "parquet", pipe=self.files[file]))
            if _group_rows(table.file) != self.group_rows[file].tolist():
                raise FileError(f"{where}: expected the row groups that it had, got others. Open it again.")
            self._open = (file, table)
        return self._open[1]


def _require_moderate(part, rest):
    """Raise a FileError where a row group, or the columns of text, would ask for far too much memory."""
    import pyarrow.types as types

    for place in rest:
        kind = part.types[place]
        is_list = types.is_list(kind) or types.is_large_list(kind)
        if types.is_nested(kind) and not (is_list and not types.is_nested(kind.value_type)):
            raise FileError(
                f"{part.where}, column {part.first[place]!r}: expected text, numbers or lists of them, got values of type "
                f"{kind}. Leave the column out."
            )
    metadata = part.file.metadata
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    largest = max((group.total_byte_size for group in groups), default=0)
    advice = "Write smaller row groups (row_group_size)."
    limits.require_unpacked(part.where, largest, part.source.size, advice)


def _group_rows(file):
    return [file.metadata.row_group(k).num_rows for k in range(file.metadata.num_row_groups)]


def _texts(part, names):
    """Cells of some columns by their place in `names`."""
    columns = [part.file.schema.column(k) for k in range(part.file.metadata.num_columns)]
    file = part._opened([column.path for column in columns if column.physical_type == "BYTE_ARRAY"])
    with translated(part.where), part._parsing():
        table = file.read(columns=names, use_threads=False)
    return {k: _as_text(table.column(name), f"{part.where}, column {name!r}") for k, name in enumerate(names)}
