"""Parquet tables whose scores stay where they are: a folder of parts, or one file, by path or URL.

Conventions
-----------
Parts follow each other in the order of their names (part-2 before part-10). Scores are read by row groups, when their
rows are asked for (`ParquetRows`); ids, truth and attributes are read at once. All parts have the columns of the first.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hierviz.messages.errors import FileError, listed
from hierviz.messages.progress import tell
from hierviz.readers import file_limits
from hierviz.readers.columns import EVERY_SCORE, Columns, require_once
from hierviz.readers.parquet_scores import GroupRows
from hierviz.readers.parquet_table import ParquetTable, require_numbers, require_text
from hierviz.readers.shared_file import SharedFile, is_url, parts_of_folder
from hierviz.readers.sources import Source, open_source, translated

SUFFIXES = (".parquet", ".pq", ".parq")
# Files that are no parts, by name in a note.
MOST_NAMED = 3


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
    # Other kinds of paths are files that are held open; what is no path at all is refused below.
    folder = path if isinstance(path, (str, Path)) else None
    inside = None if folder is None else parts_of_folder(folder if is_url(folder) else os.fspath(folder), SUFFIXES)
    if inside is not None:
        parts, others = inside
        if not parts:
            raise FileError(
                f"{path}: expected a file, got a folder without Parquet parts ({', '.join(SUFFIXES)}). "
                "Name a file, or a folder that holds parts."
            )
        name = str(folder).rstrip("/").rpartition("/")[2]
        return PartedSource(name, [open_source(part, "a part in Parquet", ("parquet",)) for part in parts], others)
    if not read_scores and folder is not None and not is_url(path) and os.path.isfile(path):
        path = SharedFile.from_path(path)
    source = open_source(path, wanted, kinds)
    if source.kind == "parquet" and isinstance(source.pipe, SharedFile) and not source.is_gzipped:
        return PartedSource(source.where, [source])
    return source


@dataclass(frozen=True, eq=False)
class PartedSource:
    """Parts that were opened; takes the place of a Source.

    Parameters
    ----------
    where : str
        What errors call them.
    parts : list of Source
    others : list of str
        Names of files in the folder that are no parts.
    """

    where: str
    parts: list[Source]
    others: list[str] = field(default_factory=list)
    kind = "parquet"

    @property
    def stem(self):
        """The name without suffix."""
        return Path(self.where).stem if Path(self.where).suffix.lower() in SUFFIXES else self.where


@dataclass(frozen=True, eq=False)
class _Part:
    """What is kept of a part: not its metadata, which may be large."""

    source: Source
    schema: Any
    group_rows: np.ndarray
    group_bytes: int

    @classmethod
    def from_source(cls, source, like):
        """Look at a part; its schema is the object of `like` where they are equal."""
        table = ParquetTable(source)
        groups = [table.file.metadata.row_group(k) for k in range(table.file.metadata.num_row_groups)]
        rows = np.array([group.num_rows for group in groups], dtype=np.int64)
        schema = table.schema if like is None or not table.schema.equals(like.schema) else like.schema
        return cls(source, schema, rows, max((group.total_byte_size for group in groups), default=0))


class PartedTable:
    """A table in Parquet parts, with the methods of `tables.TextTable`. Made by `PartedTable(source)`."""

    can_lack_header = False

    def __init__(self, source):
        self.where, self.parts, self.others = source.where, [], source.others
        for part in source.parts:
            self.parts.append(_Part.from_source(part, self.parts[0] if self.parts else None))
        self._first = ParquetTable(source.parts[0])

    @property
    def schema(self):
        """pyarrow schema of the first part."""
        return self._first.schema

    @property
    def first(self):
        """Names of the columns."""
        return self._first.first

    @property
    def detected(self):
        """What was found out, in words."""
        found = {"separator": "none (Parquet)", "parts": str(len(self.parts))}
        if self.others:
            named = ", ".join(self.others[:MOST_NAMED])
            more = f" and {len(self.others) - MOST_NAMED:,} more" if len(self.others) > MOST_NAMED else ""
            found["other files, not read"] = named + more
        return found

    def is_number_column(self, place, has_header=True):
        """True when the column's type is a number."""
        return self._first.is_number_column(place)

    def is_truth_column(self, place):
        """True when the column's type is true or false."""
        return self._first.is_truth_column(place)

    def read(self, numbers=(), has_header=True, instead=None, advice=EVERY_SCORE, may_stay=False):
        """Columns of all rows; `numbers` is a ParquetRows, which reads nothing yet, whatever `may_stay` says."""
        import pyarrow as pa

        names, numbers = self.first, list(numbers)
        require_once(names, self.where)
        is_number = set(numbers)
        rest = [place for place in range(len(names)) if place not in is_number]
        wanted = [names[place] for place in numbers]
        for k, part in enumerate(self.parts):
            if k == 0 or part.schema is not self.parts[0].schema:
                self._require_columns(part, wanted, [names[place] for place in rest], advice)
            _require_moderate(part)
        starts = np.cumsum([0, *(part.group_rows.sum() for part in self.parts)])
        n_rows, most = int(starts[-1]), file_limits.most_rows(None, 0, len(rest))
        if n_rows > most:
            raise FileError(f"{self.where}: expected at most {most:,} rows, got {n_rows:,}. Split them.")
        text = {place: [] for place in rest}
        for part, end in zip(self.parts if rest else (), starts[1:].tolist()):
            for place, cells in zip(
                rest, ParquetTable(part.source).cells([names[place] for place in rest]), strict=True
            ):
                text[place] += cells
            tell(end, n_rows)
        scores = None
        if numbers:
            narrow = (pa.float32(), pa.float16())
            schemas = {id(part.schema): part.schema for part in self.parts}.values()
            is_narrow = all(schema.field(name).type in narrow for schema in schemas for name in wanted)
            scores = ParquetRows(
                [part.source.pipe for part in self.parts],
                [part.group_rows for part in self.parts],
                wanted,
                np.dtype(np.float32 if is_narrow else np.float64),
                self.where,
            )
        places = [part.source.where for part in self.parts]
        return PartedColumns(self.where, names, text, scores, np.arange(1, n_rows + 1), "row", places, starts)

    def _require_columns(self, part, wanted, others, advice):
        names, where = part.schema.names, part.source.where
        lacking, more = ([one for one in a if one not in set(b)] for a, b in ((self.first, names), (names, self.first)))
        if lacking or more or len(names) != len(self.first):
            raise FileError(
                f"{where}: expected the {len(self.first)} columns of {self.parts[0].source.where}, got "
                f"{listed(lacking, 2) or 'none'} missing and {listed(more, 2) or 'no'} others. "
                "Parts of one table have the same columns."
            )
        for name in wanted:
            require_numbers(part.schema.field(name).type, f"{where}, column {name!r}", advice)
        for name in others:
            require_text(part.schema.field(name).type, f"{where}, column {name!r}")


@dataclass(frozen=True)
class PartedColumns(Columns):
    """Columns of several parts; errors name the part. `starts` is the first row of each part, and the number of rows."""

    parts: list = field(default_factory=list)
    starts: np.ndarray | None = None

    def place(self, row):
        """How errors call a row."""
        part = int(np.searchsorted(self.starts, row, side="right")) - 1
        return f"{self.parts[part]}, row {row - self.starts[part] + 1}"


def _require_moderate(part):
    """Raise a FileError where a row group would ask for far too much memory."""
    advice = "Write smaller row groups (row_group_size)."
    file_limits.require_unpacked(part.source.where, part.group_bytes, part.source.size, advice)


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
    # Visitors of the app read at the same time.
    _lock: Any = field(default_factory=threading.Lock, init=False, repr=False)

    def __reduce__(self):
        return ParquetRows, (self.files, self.group_rows, self.names, self.dtype, self.where)

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
        with self._lock:
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
            self._open = (None, None)  # footers may be large
            where = self.files[file].path
            table = ParquetTable(Source(Path(where), where, "parquet", pipe=self.files[file]))
            if table.group_rows != self.group_rows[file].tolist():
                raise FileError(f"{where}: expected the row groups that it had, got others. Open it again.")
            self._open = (file, table)
        return self._open[1]
