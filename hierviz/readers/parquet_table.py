"""Parquet tables, with the methods of `tables.TextTable`.

Conventions
-----------
Text, whole numbers and dates become text where text is asked for; a missing value is an empty cell. Numbers are float32
when all asked for are no wider, else float64. They are read in groups of columns, so that the file is never held twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierviz.errors import FileError
from hierviz.readers.columns import Columns
from hierviz.readers.sources import Source, translated
from hierviz.readers.tables import EVERY_SCORE, MOST_NUMBERS, MOST_TEXT_CELLS

# Values read at a time (32 MB), whatever the sizes of row groups.
VALUES_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class ParquetTable:
    """A Parquet table that was opened."""

    source: Source
    can_lack_header = False

    @property
    def where(self):
        """The file's name."""
        return self.source.where

    @cached_property
    def file(self):
        """The open pyarrow.parquet.ParquetFile."""
        import io

        import pyarrow as pa
        import pyarrow.parquet as pq

        with translated(self.where):
            try:
                return pq.ParquetFile(
                    io.BytesIO(self.source.read_bytes()) if self.source.is_gzipped else self.source.path
                )
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowKeyError, pa.ArrowTypeError) as error:
                raise self._broken(error) from None

    def _broken(self, error):
        words = " ".join(str(error).split()).rstrip(".")[:200]
        return FileError(
            f"{self.where}: expected an intact Parquet table, got one that cannot be read ({words}). Save it again."
        )

    @cached_property
    def schema(self):
        """The pyarrow schema."""
        return self.file.schema_arrow

    @cached_property
    def first(self):
        """Names of the columns."""
        return list(self.schema.names)

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

    def read(self, numbers=(), has_header=True, instead=None, advice=EVERY_SCORE):
        """Read all rows; see `TextTable.read`.

        List columns give lists of text, a missing number is always NaN, true and false are 1 and 0.
        """
        import pyarrow as pa

        n_rows, names = self.file.metadata.num_rows, self.first
        if (
            n_rows < 0
            or sum(self.file.metadata.row_group(k).num_rows for k in range(self.file.metadata.num_row_groups)) != n_rows
        ):
            raise self._broken("row counts that do not add up")
        numbers = list(numbers)
        rest = sorted(set(range(len(names))).difference(numbers))
        if n_rows * len(numbers) > MOST_NUMBERS or n_rows * len(rest) > MOST_TEXT_CELLS:
            raise FileError(
                f"{self.where}: expected at most {MOST_NUMBERS:,} values, got {n_rows} rows of {len(names)}. Use .npy."
            )
        for place in numbers:
            if not _is_number(self.types[place]) and not self.is_truth_column(place):
                raise FileError(
                    f"{self.where}, column {names[place]!r}: expected numbers, got values of type {self.types[place]}. "
                    f"{advice}"
                )
        narrow = all(self.types[place] in (pa.float32(), pa.float16()) for place in numbers)
        with translated(self.where):
            try:
                block = np.empty((n_rows, len(numbers)), np.float32 if narrow else np.float64) if numbers else None
                if numbers:
                    self._fill(block, [names[place] for place in numbers])
                text = {}
                if rest:
                    table = self.file.read(columns=[names[place] for place in rest], use_threads=False)
                    text = {place: _as_text(table.column(names[place])) for place in rest}
            except pa.ArrowException as error:
                raise self._broken(error) from None
        return Columns(self.where, names, text, block, np.arange(1, n_rows + 1), has_lines=False)

    def _fill(self, block, names):
        first = 0
        for group in range(self.file.metadata.num_row_groups):
            n_rows = self.file.metadata.row_group(group).num_rows
            rows = slice(first, first + n_rows)
            width = max(1, VALUES_AT_ONCE // max(1, n_rows))
            for start in range(0, len(names), width):
                some = names[start : start + width]
                table = self.file.read_row_group(group, columns=some, use_threads=False)
                block[rows, start : start + len(some)] = np.array([_numbers(table.column(name)) for name in some]).T
            first += n_rows


def _is_number(kind):
    import pyarrow.types as types

    return types.is_floating(kind) or types.is_integer(kind) or types.is_decimal(kind)


def _numbers(column):
    import pyarrow as pa

    # Truth with a missing value would become objects.
    return (column.cast(pa.uint8()) if column.type == pa.bool_() else column).to_numpy()


def _as_text(column):
    import pyarrow.types as types

    if types.is_list(column.type) or types.is_large_list(column.type):
        return [[] if one is None else [_cell(item) for item in one] for one in column.to_pylist()]
    return [_cell(one) for one in column.to_pylist()]


def _cell(value):
    if value is None or value != value:
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    # A whole number that pandas made a float because another row had none.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
