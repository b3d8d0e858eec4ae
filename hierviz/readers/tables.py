"""Tables of text: rows of cells, taken exactly as they are.

Conventions
-----------
Every cell is text: ``1/1/2``, ``007``, ``NA`` and ``None`` stay what they are, but for the apostrophe that hierviz writes
in front of what a spreadsheet would run (`hierviz.messages.csv_cells`). Only columns asked for as numbers become float64. Rows
are read one at a time, so a large table needs no more memory than its numbers. Line numbers are physical and count from 1.

Functions
---------
open_table : a text table or, with the same methods, a Parquet table.

References
----------
.. [1] RFC 4180, Common Format and MIME Type for Comma-Separated Values, section 2 (quotes).
"""

from __future__ import annotations

import csv
from array import array
from dataclasses import dataclass, field, replace
from operator import itemgetter
from types import MappingProxyType

import numpy as np

from hierviz.messages.csv_cells import text_of_cell
from hierviz.messages.errors import FileError
from hierviz.messages.progress import told_records
from hierviz.readers import file_limits
from hierviz.readers.columns import EVERY_SCORE, Columns, looks_numeric, no_numbers, place_of
from hierviz.readers.file_limits import stored_place
from hierviz.readers.sources import Source, open_source, translated
from hierviz.readers.temporary_files import NumberRows

SEPARATORS = {"\t": "tab", ",": "comma", ";": "semicolon", " ": "space"}
# A first line with one of these cells is cut at the right places, even if other lines do not fit.
_TELLING = {"sample_id", "id", "truth", "parent", "child", "node", "labels"}
# A column of text keeps one copy of each of its first so many different cells.
_SHARED_CELLS = 1 << 16


@dataclass(frozen=True)
class TextTable:
    """A text table whose separator is known. `sample` holds its first records as (line, cells).

    `is_verbatim`: apostrophes in front of = + - @ belong to the text.
    """

    source: Source
    separator: str | None
    sample: list
    notes: list = field(default_factory=list)
    most_rows: int | None = None
    is_verbatim: bool = False
    can_lack_header = True
    unit, cell = "line", "column"

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

    def records(self, with_ragged=False):
        """Yield (line, cells) of every record that is not blank; FileError when a row is ragged or not text.

        Rows of another width are given as they are, `with_ragged`.
        """
        width = len(self.first)
        with translated(self.where, self.source), self.source.open_text() as text:
            blank, parsed = None, _parse(self.source.lines_of(text), self.separator)
            parsed = told_records(parsed, width, self.source, lambda: stored_place(text.buffer))
            for line, cells in parsed if self.is_verbatim else _plain(parsed):
                if not cells:
                    blank = line if blank is None else blank
                    continue
                if width == 1 and blank is not None and line > self.sample[0][0]:
                    # In a single column a blank line between others is an empty cell, not nothing.
                    yield from ((number, [""]) for number in range(max(blank, self.sample[0][0] + 1), line))
                blank = None
                if len(cells) != width and not with_ragged:
                    raise FileError(
                        f"{self.where}:{line}: expected {width} cells as in line {self.sample[0][0]}, got {len(cells)}. "
                        "Quote cells that hold the separator, or check that no cell is missing."
                    )
                yield line, cells

    def read(self, numbers=(), has_header=True, instead=MappingProxyType({}), advice=EVERY_SCORE, may_stay=False):
        """Read all rows.

        Parameters
        ----------
        numbers : sequence of int
            Places of the columns that become float64, in the order wanted.
        has_header : bool
            Whether the first record holds names.
        instead : mapping of str to str
            Numbers to read in place of other cells, such as ``{"": "nan", "True": "1"}``.
        advice : str
            What to do, in the error about a cell that is no number.
        may_stay : bool
            Numbers beyond `file_limits.MEMORY_BYTES` become a StoredArray in a temporary file, in place of an ndarray.

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
        appends = [(place, text[place].append, {}) for place in rest]
        pick = _picker(numbers, len(names))
        most = file_limits.most_rows(self.most_rows, 0 if may_stay else len(numbers), len(rest))
        rows, lines = NumberRows(self.where, len(numbers), most, may_stay), array("q")
        records = self.records()
        if has_header:
            next(records)
        for line, cells in records:
            if len(lines) == most:
                raise self.too_many(most)
            for place, append, seen in appends:
                cell = cells[place]
                append(seen.setdefault(cell, cell) if len(seen) < _SHARED_CELLS else seen.get(cell, cell))
            if numbers and not _fill(rows.next(), pick(cells), instead):
                place = next(k for k in no_numbers(cells, numbers) if cells[k].strip() not in instead)
                raise self.not_a_number(line, names[place], cells[place], advice)
            lines.append(line)
        block = rows.finish() if numbers else None
        return Columns(self.where, names, text, block, np.array(lines, dtype=np.int64), self.unit)

    def place(self, line):
        """How errors call a record."""
        return place_of(self.where, line, self.unit)

    def not_a_number(self, line, name, cell, advice=EVERY_SCORE):
        """The FileError about a cell that is no number."""
        return FileError(f"{self.place(line)}, {self.cell} {name!r}: expected a number, got {cell!r}. {advice}")

    def too_many(self, most):
        """The FileError about more rows than may be."""
        advice = "Split the file." if self.most_rows else "Split the file, or save scores as .npy."
        return FileError(
            f"{self.where}: expected at most {most:,} rows of {len(self.first):,} columns, got more. {advice}"
        )


def open_table(path, wanted, *, separator=None, kinds=("text", "parquet"), most_rows=None, is_verbatim=False):
    """Open a table and find its separator.

    Parameters
    ----------
    path : str, path or Source
    wanted : str
        What errors say was expected.
    separator : str, optional
        Said instead of found.
    kinds : tuple of str
    most_rows : int, optional
        In place of `file_limits.TABLE_ROWS`.
    is_verbatim : bool
        An apostrophe in front of = + - @ belongs to the text: where a model is fed with it.

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

        return ParquetTable(source, most_rows)
    lines, is_whole = source.first_lines
    with translated(source.where, source):
        if separator is None:
            separator = find_separator(lines)
        for line in lines:
            if separator is not None and _is_too_wide(line, separator):
                raise _too_wide(source.where, line.count(separator) + 1)
        sample = [(line, cells) for line, cells in _parse(iter(lines), separator, strict=False) if cells]
    sample = sample if is_verbatim else list(_plain(sample))
    # The last lines of the sample may be one half of a quoted cell.
    sample = sample if is_whole or len(sample) < 3 else sample[:-1]
    if not sample:
        raise FileError(f"{source.where}: expected {wanted}, got blank lines only. Was it saved?")
    if len(sample[0][1]) > file_limits.TABLE_COLUMNS:
        raise _too_wide(source.where, len(sample[0][1]))
    return TextTable(source, separator, sample, most_rows=most_rows, is_verbatim=is_verbatim)


def with_named_ids(table):
    """(the table, its first column called ``sample_id`` where it has texts and no name, whether it is so)

    Pandas writes the index of a frame without a name, and CellTypist the cells. Numbers without a name may be those of rows.
    """
    names = [cell.strip() for cell in table.first] if type(table) is TextTable else []
    is_unnamed = len(names) > 1 and not names[0] and "" not in names[1:] and "sample_id" not in names
    if not is_unnamed or len(table.sample) < 2 or table.is_number_column(0):
        return table, False
    line, cells = table.sample[0]
    return replace(table, sample=[(line, ["sample_id", *cells[1:]]), *table.sample[1:]]), True


def _is_too_wide(line, separator):
    """True for a line of far too many cells, before they are made."""
    return '"' not in line and line.count(separator) >= file_limits.TABLE_COLUMNS


def _too_wide(where, n_columns):
    return FileError(
        f"{where}: expected at most {file_limits.TABLE_COLUMNS:,} columns, got {n_columns:,}. Save scores as .npy."
    )


def find_separator(lines):
    """The separator that cuts all `lines` into the same number of cells, two or more; None for a single column.

    Tried in this order: tab, comma, semicolon, space. When none fits all lines, the one that cuts the first line and
    fits most of the others, so that the error can name the ragged line.
    """
    best = (0.5, None)
    for separator in SEPARATORS:
        if any(_is_too_wide(line, separator) for line in lines):
            if separator == " ":  # a long text
                continue
            return separator
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


def _parse(lines, separator, strict=True):
    """Yield (first line, cells) of every record; no cells for a blank line."""
    if separator is None:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\r\n")
            quoted = len(line) > 1 and line[0] == line[-1] == '"'
            yield number, [line[1:-1].replace('""', '"') if quoted else line] if line.strip() else []
        return
    if csv.field_size_limit() < file_limits.ROW_CHARACTERS:
        csv.field_size_limit(file_limits.ROW_CHARACTERS)
    rows = _Rows(lines)
    reader = csv.reader(rows, delimiter=separator, strict=strict, skipinitialspace=separator == " ")
    before = 0
    try:
        for cells in reader:
            rows.characters = 0
            yield before + 1, [] if len(cells) == 1 and cells[0].isspace() else cells
            before = reader.line_num
    except csv.Error as error:
        raise csv.Error(f"in line {before + 1}: {error}") from None


def _plain(records):
    """Records with their cells as the texts that they hold."""
    for line, cells in records:
        yield line, [text_of_cell(cell) for cell in cells] if "'" in "".join(cells) else cells


class _Rows:
    """Lines for `csv.reader`, which holds a row of many lines in memory: it may not become too long."""

    def __init__(self, lines):
        self.lines, self.characters = lines, 0

    def __iter__(self):
        return self

    def __next__(self):
        line = next(self.lines)
        self.characters += len(line)
        if self.characters > file_limits.ROW_CHARACTERS:
            raise csv.Error(f"a row of more than {file_limits.ROW_CHARACTERS:,} characters")
        return line


def _fill(row, cells, instead):
    """Put `cells` into `row` as numbers, or their values in `instead`; False when one is no number."""
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
