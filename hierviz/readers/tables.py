"""Tables of text: rows of cells, taken exactly as they stand.

Conventions
-----------
Every cell is text: ``1/1/2``, ``007``, ``NA`` and ``None`` stay what they are. Only columns asked for as numbers become
float64. Rows are read one at a time, so a large table needs no more memory than its numbers. Line numbers are physical
and count from 1.

Functions
---------
open_table : a text table or, with the same methods, a Parquet table.

References
----------
.. [1] RFC 4180, Common Format and MIME Type for Comma-Separated Values, section 2 (quotes).
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from operator import itemgetter
from types import MappingProxyType

import numpy as np

from hierviz.errors import FileError
from hierviz.readers.columns import Columns, as_number, looks_numeric
from hierviz.readers.sources import Source, open_source, translated

SEPARATORS = {"\t": "tab", ",": "comma", ";": "semicolon", " ": "space"}
LONGEST_LINE = 1 << 26
MOST_NUMBERS = 500_000_000
MOST_TEXT_CELLS = 50_000_000
EVERY_SCORE = "Every sample needs a score for every class."
# A first line with one of these cells is cut at the right places, even if other lines do not fit.
_TELLING = {"sample_id", "id", "truth", "parent", "child", "node", "labels"}
_SAMPLE_LINES, _SAMPLE_CHARACTERS = 50, 1 << 20


@dataclass(frozen=True)
class TextTable:
    """A text table whose separator is known. `sample` holds its first records as (line, cells)."""

    source: Source
    separator: str | None
    sample: list
    notes: list = field(default_factory=list)
    can_lack_header = True

    @property
    def where(self):
        """The file's name."""
        return self.source.where

    @property
    def detected(self):
        """What was found out, in words."""
        words = "none (one column)" if self.separator is None else SEPARATORS.get(self.separator, repr(self.separator))
        return {"separator": words, **self.source.detected}

    @property
    def first(self):
        """Cells of the first record."""
        return self.sample[0][1]

    def is_number_column(self, place, has_header=True):
        """True when the first records (below the header) hold numbers in this column."""
        return looks_numeric(row[place] for _, row in self.sample[has_header:] if place < len(row))

    def records(self):
        """Yield (line, cells) of every record that is not blank; FileError when a row is ragged or not text."""
        width = len(self.first)
        with translated(self.where, self.source), _open_text(self.source) as text:
            blank = []
            for line, cells in _parse(_lines(text, self.source), self.separator):
                if not cells:
                    blank.append(line)
                    continue
                if width == 1 and line > self.sample[0][0]:
                    # In a single column a blank line between others is an empty cell, not nothing.
                    yield from ((number, [""]) for number in blank if number > self.sample[0][0])
                blank.clear()
                if len(cells) != width:
                    raise FileError(
                        f"{self.where}:{line}: expected {width} cells as in line {self.sample[0][0]}, got {len(cells)}. "
                        "Quote cells that hold the separator, or check that no cell is missing."
                    )
                yield line, cells

    def read(self, numbers=(), has_header=True, instead=MappingProxyType({}), advice=EVERY_SCORE):
        """Read all rows.

        Parameters
        ----------
        numbers : sequence of int
            Places of the columns that become float64, in the order wanted.
        has_header : bool
            Whether the first record holds names.
        instead : mapping of str to str
            Numbers that other cells stand for, such as ``{"": "nan", "True": "1"}``.
        advice : str
            What the error about a cell that is no number tells to do.

        Returns
        -------
        Columns

        Raises
        ------
        FileError
            If a row is ragged, a number is not one (the message names line and column), or the table is absurdly large.
        """
        numbers = list(numbers)
        names = (
            [cell.strip() for cell in self.first]
            if has_header
            else [f"column {k}" for k in range(1, len(self.first) + 1)]
        )
        rest = sorted(set(range(len(names))).difference(numbers))
        text = {place: [] for place in rest}
        appends = [(place, text[place].append) for place in rest]
        pick = _picker(numbers, len(names))
        block, lines = np.empty((64, len(numbers))), []
        records = self.records()
        if has_header:
            next(records)
        for line, cells in records:
            for place, append in appends:
                append(cells[place])
            if numbers:
                if len(lines) == len(block):
                    if block.size > MOST_NUMBERS:
                        raise FileError(f"{self.where}: expected at most {MOST_NUMBERS:,} numbers, got more. Use .npy.")
                    block.resize((len(block) + len(block) // 2, len(numbers)), refcheck=False)
                if not _fill(block[len(lines)], pick(cells), instead):
                    place = next(k for k in numbers if as_number(cells[k]) is None and cells[k].strip() not in instead)
                    raise FileError(
                        f"{self.where}:{line}, column {names[place]!r}: expected a number, got {cells[place]!r}. {advice}"
                    )
            if len(lines) * len(rest) > MOST_TEXT_CELLS:
                raise FileError(f"{self.where}: expected at most {MOST_TEXT_CELLS:,} cells, got more. Split the file.")
            lines.append(line)
        if numbers:
            block.resize((len(lines), len(numbers)), refcheck=False)
        return Columns(self.where, names, text, block if numbers else None, np.array(lines, dtype=np.int64))


def open_table(path, wanted, *, separator=None, kinds=("text", "parquet")):
    """Open a table and find its separator.

    Parameters
    ----------
    path : str, path or Source
    wanted : str
        What errors say was expected.
    separator : str, optional
        Said instead of found.
    kinds : tuple of str

    Returns
    -------
    TextTable or ParquetTable

    Raises
    ------
    FileError
        If the file cannot be read as a table.
    """
    source = path if isinstance(path, Source) else open_source(path, wanted, kinds)
    if source.kind == "parquet":
        from hierviz.readers.parquet_table import ParquetTable

        return ParquetTable(source)
    lines, is_whole = first_lines(source)
    with translated(source.where, source):
        if separator is None:
            separator = find_separator(lines)
        sample = [(line, cells) for line, cells in _parse(iter(lines), separator, strict=False) if cells]
    # The last lines of the sample may be one half of a quoted cell.
    sample = sample if is_whole or len(sample) < 3 else sample[:-1]
    if not sample:
        raise FileError(f"{source.where}: expected {wanted}, got blank lines only. Was it saved?")
    return TextTable(source, separator, sample)


def find_separator(lines):
    """The separator that cuts all `lines` into the same number of cells, two or more; None for a single column.

    Tried in this order: tab, comma, semicolon, space. When none fits all lines, the one that cuts the first line and
    fits most of the others, so that the error can name the ragged line.
    """
    best = (0.5, None)
    for separator in SEPARATORS:
        records = [cells for _, cells in _parse(iter(lines), separator, strict=False) if cells]
        widths = [len(cells) for cells in records]
        widths = widths[:-1] if len(widths) > 2 else widths
        if not widths or widths[0] < 2:
            continue
        share = sum(width == widths[0] for width in widths) / len(widths)
        if share == 1 or (separator != " " and _TELLING.intersection(cell.strip().casefold() for cell in records[0])):
            return separator
        if separator != " " and share > best[0]:
            best = (share, separator)
    return best[1]


def first_lines(source):
    """The first lines of a text, and whether they are all of it."""
    lines, characters = [], 0
    with translated(source.where, source), _open_text(source) as text:
        for line in _lines(text, source):
            lines.append(line)
            characters += len(line)
            if len(lines) >= _SAMPLE_LINES or (characters > _SAMPLE_CHARACTERS and len(lines) > 2):
                return lines, False
    return lines, True


def _open_text(source):
    return io.TextIOWrapper(source.open(), source.encoding, newline="")


def _lines(text, source):
    number = 0
    while line := text.readline(LONGEST_LINE):
        number += 1
        if "\0" in line:
            raise FileError(
                f"{source.where}:{number}: expected text, got a NUL character. Save the file again as UTF-8 text."
            )
        if len(line) >= LONGEST_LINE:
            raise FileError(
                f"{source.where}:{number}: expected lines of at most {LONGEST_LINE >> 20} million characters, "
                "got a longer one. Is it a text file?"
            )
        yield line


def _parse(lines, separator, strict=True):
    """Yield (first line, cells) of every record; no cells for a blank line."""
    if separator is None:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\r\n")
            quoted = len(line) > 1 and line[0] == line[-1] == '"'
            yield number, [line[1:-1].replace('""', '"') if quoted else line] if line.strip() else []
        return
    if csv.field_size_limit() < LONGEST_LINE:
        csv.field_size_limit(LONGEST_LINE)
    reader = csv.reader(lines, delimiter=separator, strict=strict, skipinitialspace=separator == " ")
    before = 0
    try:
        for cells in reader:
            yield before + 1, [] if len(cells) == 1 and cells[0].isspace() else cells
            before = reader.line_num
    except csv.Error as error:
        raise csv.Error(f"in line {before + 1}: {error}") from None


def _fill(row, cells, instead):
    """Put `cells` into `row` as numbers, or what stands `instead` of them; False when one is no number."""
    return _put(row, cells) or (bool(instead) and _put(row, [instead.get(cell.strip(), cell) for cell in cells]))


def _put(row, cells):
    try:
        row[:] = np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        return False
    # float() takes 1_000 for a number.
    return "_" not in "".join(cells)


def _picker(places, width):
    if places == list(range(places[0], places[-1] + 1)) if places else False:
        return itemgetter(slice(places[0], places[-1] + 1))
    return itemgetter(*places) if len(places) > 1 else lambda cells: [cells[place] for place in places]
