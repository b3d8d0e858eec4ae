"""Parquet tables, with the methods of `tables.TextTable`.

Conventions
-----------
Text, whole numbers and dates become text where text is asked for; a missing value is an empty cell. Numbers have the
narrowest floating type that holds all asked for. They are read in groups of columns, so that the file is never held twice.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierviz.messages.errors import FileError, printable, shortened
from hierviz.messages.extras import require
from hierviz.messages.progress import tell
from hierviz.readers import file_limits
from hierviz.readers.columns import EVERY_SCORE, Columns, require_once
from hierviz.readers.file_limits import most_rows
from hierviz.readers.parquet_scores import ParquetScores
from hierviz.readers.sources import Source, translated

# Values read at a time (32 MB), whatever the sizes of row groups.
VALUES_AT_ONCE = 4_000_000
# Memory for a cell of text that other rows have too, and for an entry of a list.
_TEXT_BYTES, _ITEM_BYTES = 16, 64


@dataclass(frozen=True)
class ParquetTable:
    """A Parquet table that was opened."""

    source: Source
    most_rows: int | None = None
    can_lack_header = False

    def __post_init__(self):
        require(self.where, "files", "pyarrow")

    @property
    def where(self):
        """The file's name."""
        return self.source.where

    @cached_property
    def file(self):
        """The open pyarrow.parquet.ParquetFile."""
        parquet = self._opened()
        if parquet.metadata.num_columns > file_limits.TABLE_COLUMNS:
            raise FileError(
                f"{self.where}: expected at most {file_limits.TABLE_COLUMNS:,} columns, got {parquet.metadata.num_columns:,}. "
                "Save scores as .npy."
            )
        return parquet

    @cached_property
    def _content(self):
        return self.source.read_bytes() if self.source.is_gzipped else None

    def _opened(self, as_dictionaries=()):
        """The file, with the values of some columns of text kept once each, however often they come."""
        import io

        import pyarrow.parquet as pq

        with translated(self.where):
            if self._content is not None:
                file = io.BytesIO(self._content)
            elif self.source.pipe is not None:
                file = self.source.pipe.open()
            else:
                held = self.source.held
                file = self.source.path if held is None or held.file is None else io.BufferedReader(held.open())
        with self._parsing():
            return pq.ParquetFile(file, read_dictionary=as_dictionaries)

    @contextmanager
    def _parsing(self):
        """What pyarrow raises on the bytes of a file, as a FileError; only its calls belong inside."""
        import pyarrow as pa

        with translated(self.where):
            try:
                yield
            except (OSError, MemoryError):
                raise
            except (pa.ArrowException, ValueError, TypeError, LookupError, ArithmeticError) as error:
                raise self._broken(error) from None

    def _broken(self, error):
        words = " ".join(str(error).split()).rstrip(".")[:200]
        return FileError(
            f"{self.where}: expected an intact Parquet table, got one that cannot be read ({words}). Save it again."
        )

    @cached_property
    def schema(self):
        """The pyarrow schema."""
        with self._parsing():
            return self.file.schema_arrow

    @cached_property
    def first(self):
        """Names of the columns."""
        with self._parsing():
            names = list(self.schema.names)
        if not names:
            raise FileError(f"{self.where}: expected a table with columns, got one without. Save it again.")
        return names

    @cached_property
    def types(self):
        """Types of the columns."""
        return list(self.schema.types)

    @property
    def detected(self):
        """What was found out, in words."""
        return {"separator": "none (Parquet)", **self.source.detected}

    def is_number_column(self, place, has_header=True):
        """True when the column's type is a number."""
        return _is_number(self.types[place])

    def is_truth_column(self, place):
        """True when the column's type is true or false."""
        import pyarrow as pa

        return self.types[place] == pa.bool_()

    @cached_property
    def group_rows(self):
        """Rows of every row group."""
        with self._parsing():
            return [self.file.metadata.row_group(k).num_rows for k in range(self.file.metadata.num_row_groups)]

    def read(self, numbers=(), has_header=True, instead=None, advice=EVERY_SCORE, may_stay=False):
        """Read all rows; see `TextTable.read`. What may stay on disk becomes a `ParquetScores`.

        List columns give lists of text, a missing number is always NaN, true and false are 1 and 0.
        """
        n_rows, names = self.file.metadata.num_rows, self.first
        if n_rows < 0 or sum(self.group_rows) != n_rows:
            raise self._broken("row counts that do not add up")
        require_once(names, self.where)
        numbers = list(numbers)
        rest = sorted(set(range(len(names))).difference(numbers))
        dtype = self._number_type(numbers)
        stays = may_stay and n_rows * len(numbers) * dtype.itemsize > file_limits.MEMORY_BYTES
        self._require_moderate(n_rows, [] if stays else numbers, rest, stays)
        for place in numbers:
            require_numbers(self.types[place], f"{self.where}, column {names[place]!r}", advice)
        with translated(self.where):
            block = None
            if stays:
                block = ParquetScores(self, [names[place] for place in numbers], dtype)
            elif numbers:
                block = np.empty((n_rows, len(numbers)), dtype)
                self._fill(block, [names[place] for place in numbers])
            text = {}
            if rest:
                text = dict(zip(rest, self.cells([names[place] for place in rest]), strict=True))
            with self.source.open_stored():  # it is still the file that was opened
                pass
        return Columns(self.where, names, text, block, np.arange(1, n_rows + 1), "row")

    def _number_type(self, places):
        """The narrowest type that holds the numbers of some columns."""
        import pyarrow as pa

        kinds = {self.types[place] for place in places}
        narrow = np.float16 if kinds == {pa.float16()} else np.float32
        return np.dtype(narrow if kinds <= {pa.float16(), pa.float32()} else np.float64)

    def _require_moderate(self, n_rows, numbers, rest, stays):
        """Raise a FileError for more rows and cells than may be, by what the file says."""
        most = most_rows(self.most_rows, len(numbers), len(rest))
        if n_rows > most:
            raise FileError(
                f"{self.where}: expected at most {most:,} rows of {len(self.first):,} columns, got {n_rows:,}. Split the file."
            )
        for place in rest:
            require_text(self.types[place], f"{self.where}, column {self.first[place]!r}")
        metadata, schema = self.file.metadata, self.file.schema
        columns = [schema.column(k) for k in range(metadata.num_columns)]
        repeated = [k for k, column in enumerate(columns) if column.max_repetition_level]
        groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
        n_items = sum(group.column(k).num_values for group in groups for k in repeated)
        if n_items > file_limits.TABLE_TEXTS:
            raise FileError(
                f"{self.where}: expected at most {file_limits.TABLE_TEXTS:,} entries of lists, got {n_items:,}. Split the file."
            )
        size = n_rows * (8 * len(numbers) + _TEXT_BYTES * len(rest)) + n_items * _ITEM_BYTES
        size = max(size, sum(group.total_byte_size for group in groups))
        most = file_limits.SCRATCH_BYTES if stays else None
        file_limits.require_unpacked(
            self.where, size, self.source.size, "Save scores as .npy, or the table as CSV.", most
        )

    def cells(self, names):
        """Cells of some columns as text, a list each."""
        columns = map(self.file.schema.column, range(self.file.metadata.num_columns))
        file = self._opened([column.path for column in columns if column.physical_type == "BYTE_ARRAY"])
        with self._parsing():
            table = file.read(columns=names, use_threads=False)
            read = [table.column(name) for name in names]
        return [_as_text(column, f"{self.where}, column {name!r}") for name, column in zip(names, read, strict=True)]

    def _fill(self, block, names):
        first = 0
        for group, n_rows in enumerate(self.group_rows):
            for columns, values in self.panels(group, names):
                block[first : first + n_rows, columns] = values.T
                tell(first + n_rows * columns.stop // len(names), len(block))
            first += n_rows

    def panels(self, group, names):
        """Yield (slice of `names`, array of shape (n_columns, n_rows)): the columns of a row group, some at a time."""
        width = max(1, VALUES_AT_ONCE // max(1, self.group_rows[group]))
        for start in range(0, len(names), width):
            some = names[start : start + width]
            with self._parsing():
                table = self.file.read_row_group(group, columns=some, use_threads=False)
                columns = [_numbers(table.column(name)) for name in some]
            yield slice(start, start + len(some)), np.array(columns)


def require_numbers(kind, where, advice):
    """Raise a FileError for a column whose type is neither a number nor true and false."""
    import pyarrow.types as types

    if not _is_number(kind) and not types.is_boolean(kind):
        raise FileError(f"{where}: expected numbers, got values of type {kind}. {advice}")


def require_text(kind, where):
    """Raise a FileError for a column whose values cannot be cells of text."""
    import pyarrow.types as types

    if types.is_nested(kind) and not (_is_list(kind) and not types.is_nested(kind.value_type)):
        raise FileError(
            f"{where}: expected text, numbers or lists of them, got values of type {kind}. Leave the column out."
        )


def _is_number(kind):
    import pyarrow.types as types

    return types.is_floating(kind) or types.is_integer(kind) or types.is_decimal(kind)


def _numbers(column):
    import pyarrow as pa

    # Truth and decimals would become objects.
    if column.type == pa.bool_():
        column = column.cast(pa.uint8())
    elif pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    return column.to_numpy()


def _is_list(kind):
    import pyarrow.types as types

    return types.is_list(kind) or types.is_large_list(kind)


def _as_text(column, where):
    return [cell for chunk in column.chunks for cell in _chunk_as_text(chunk, where)]


def _chunk_as_text(chunk, where):
    if not _is_list(chunk.type):
        return _texts(chunk, where)
    items, ends = _texts(chunk.values, where), chunk.offsets.to_numpy().tolist()
    rows = zip(ends[:-1], ends[1:], chunk.is_valid().to_pylist(), strict=True)
    return [items[start:end] if is_there else [] for start, end, is_there in rows]


def _texts(array, where):
    """Cells of an array, those with the same value being one object."""
    import pyarrow as pa

    kind = array.type
    try:
        array = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
        values = array.dictionary.to_pylist()
        # The numbers of a short dictionary are too narrow for one more.
        indices = array.indices.cast(pa.int64()).fill_null(len(values)).to_numpy(zero_copy_only=False)
    except (pa.ArrowException, ValueError, LookupError, ArithmeticError) as error:
        # Years that Python's dates do not have, unknown time zones, text that is not UTF-8.
        raise FileError(
            f"{where}: expected values that can be written as text, got values of type {kind} that cannot "
            f"({shortened(printable(str(error)), 120)}). Leave the column out or save it as text."
        ) from None
    cells = np.empty(len(values) + 1, dtype=object)
    cells[:] = [*map(_cell, values), ""]
    return cells[indices].tolist()


def _cell(value):
    if value is None or value != value:
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    # A whole number that pandas made a float because another row had none.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
