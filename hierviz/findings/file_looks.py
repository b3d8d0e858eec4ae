"""Files that are checked: a text table or the samples of a JSON file, what is left of them, and the changes that fix a table.

Conventions
-----------
Records are counted from 0, the header included. A change is a *fix* where it is certain what was meant; others are made only to
read on after an error, in a copy that nobody gets. The changed table is read and written record by record, so that a large one
needs no memory. From JSON a sample that cannot be read is left out, to read on after it.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from hierviz.findings.finding import counted, lines_words, some
from hierviz.messages.errors import FileError, HiervizError
from hierviz.messages.new_files import new_text
from hierviz.messages.parameters import template_of
from hierviz.readers import file_limits
from hierviz.readers.columns import Columns, as_number
from hierviz.readers.truth_file import id_column


@dataclass
class Changes:
    """Changes to the records of a table.

    Attributes
    ----------
    table : TextTable
    cells : dict of (record, place) to str
    dropped : set of int
        Records.
    columns : set of int
        Places of columns that are left out.
    divisors : dict of record to float
        What numbers in `scores` are divided by; the key None means all records.
    scores : tuple of int
        Places of the columns of numbers.
    """

    table: object
    cells: dict = field(default_factory=dict)
    dropped: set = field(default_factory=set)
    columns: set = field(default_factory=set)
    divisors: dict = field(default_factory=dict)
    scores: tuple = ()

    def __bool__(self):
        return bool(self.cells or self.dropped or self.columns or self.divisors)

    @property
    def name(self):
        """The name of the fixed file: that of the original without .gz."""
        return self.table.source.path.name.removesuffix(".gz")

    def write(self, path):
        """Write the changed table; nothing else in it changes.

        Parameters
        ----------
        path : str or path
            Not that of the table itself.
        """
        source = self.table.source
        if Path(path).resolve() == Path(source.path).resolve():
            raise FileError(f"{path}: expected another place than that of the file itself. Choose another folder.")
        with source.open() as stored:
            first = stored.readline()
        separator, end = self.table.separator, "\r\n" if first.endswith(b"\r\n") else "\n"
        with new_text(path) as file:
            writer = csv.writer(file, delimiter=separator or ",", lineterminator=end)
            for record, (_, cells) in enumerate(replace(self.table, is_verbatim=True).records(with_ragged=True)):
                if record not in self.dropped:
                    cells = self._changed(record, cells)
                    if separator is None:
                        file.write(cells[0] + end)
                    else:
                        writer.writerow(cells)

    def _changed(self, record, cells):
        cells = [self.cells.get((record, place), cell) for place, cell in enumerate(cells)]
        divisor = self.divisors.get(record, self.divisors.get(None))
        if divisor is not None and record:
            for place in self.scores:
                number = as_number(cells[place])
                cells[place] = cells[place] if number is None else repr(number / divisor)
        return [cell for place, cell in enumerate(cells) if place not in self.columns] if self.columns else cells


class TableLook:
    """A table, and what is found in it.

    Parameters
    ----------
    table : TextTable
    found : Findings
        Grows by what is noted.

    Attributes
    ----------
    names : list of str
        Cells of the first record.
    rows, ragged : dict of record to (line, list of str)
        Records as wide as the first that were not dropped, and the others; empty before `read_rows`.
    fixes, to_read_on : Changes
    """

    def __init__(self, table, found):
        self.table, self.where, self.found = table, table.where, found
        self.names = [cell.strip() for cell in table.first]
        self.rows, self.ragged = {}, {}
        self.fixes, self.to_read_on = Changes(table), Changes(table)

    @property
    def all(self):
        """Changes that are fixes, and those that are not."""
        fixes, others = self.fixes, self.to_read_on
        return replace(
            fixes,
            cells=fixes.cells | others.cells,
            dropped=fixes.dropped | others.dropped,
            columns=fixes.columns | others.columns,
        )

    def read_rows(self, has_header=True):
        """Read all records, but for that of the header; those of another width are noted."""
        width = len(self.table.first)
        for record, (line, cells) in enumerate(self.table.records(with_ragged=True)):
            (self.rows if len(cells) == width else self.ragged)[record] = line, cells
        if has_header:
            del self.rows[0]
        if self.ragged:
            widths = some(sorted({len(cells) for _, cells in self.ragged.values()}))
            lines = [line for line, _ in self.ragged.values()]
            text = (
                f"{counted(len(lines), 'row does', 'rows do')} not have {width} cells ({widths}): {lines_words(lines)}. "
                "Quote cells that hold the separator, or add what is missing."
            )
            self.found.note("ragged_rows", f"{self.where}:{lines[0]}", text)
            self.to_read_on.dropped.update(self.ragged)
        return self

    def columns(self):
        """The Columns of the rows that are left."""
        rows = self.rows.values()
        text = {place: [cells[place] for _, cells in rows] for place in range(len(self.names))}
        return Columns(self.where, self.names, text, None, np.array([line for line, _ in rows]))

    def lines(self, records):
        """The lines of some records in words."""
        return lines_words(self.rows[record][0] for record in records)

    def note(self, code, records, message, fix=None, severity=None):
        """Add a finding about some records."""
        line = min(self.rows[record][0] for record in records)
        self.found.note(code, f"{self.where}:{line}", message, fix, severity)

    def note_header(self, code, message, fix=None):
        """Add a finding about the names of the columns."""
        self.found.note(code, f"{self.where}:{self.table.sample[0][0]}", message, fix)

    def drop(self, records, is_fix=False):
        """Leave records out."""
        (self.fixes if is_fix else self.to_read_on).dropped.update(records)
        for record in records:
            del self.rows[record]

    def copy_in(self, folder, prefix=""):
        """Write a copy with all changes into a folder, and give its path."""
        path = folder / f"{prefix}{self.fixes.name}"
        self.all.write(path)
        return path


# So many faults are reported one by one, and so many in the same words: the file may be of another form.
MOST_ERRORS, MOST_ALIKE = 20, 3
_SAMPLE = re.compile(r", sample number (\d+)\b")


class JsonSamples:
    """The samples that are left: `values`, and `numbers`, their places in the file.

    Parameters
    ----------
    values : list
    where : str
        The file.
    is_lines : bool
        One a line.
    """

    def __init__(self, values, where, is_lines):
        self.values, self.where, self.is_lines, self.n_errors = values, where, is_lines, 0
        self.numbers, self.told = list(range(len(values))), Counter()

    @classmethod
    def of(cls, source):
        """The samples of a file; None where it is no list of them."""
        try:
            text = source.read_text()
            file_limits.require_json(source.where, text)
            value = json.loads(text)
            is_lines = False
        except json.JSONDecodeError:
            try:
                value, is_lines = [json.loads(line) for line in text.splitlines() if line.strip()], True
            except (ValueError, RecursionError):
                return None
        except (HiervizError, ValueError, RecursionError):
            return None
        return cls(list(value), source.where, is_lines) if isinstance(value, list) else None

    @property
    def has_ids(self):
        """Whether samples are called by an id of their own."""
        return all(isinstance(value, dict) and id_column(value) is not None for value in self.values)

    def place(self, error):
        """Place of the sample that an error is about; None where it names none, or enough are reported."""
        if error is None:
            return None
        place, _, words = template_of(error).partition(": ")
        match = _SAMPLE.search(place)
        self.told[words] += 1
        if self.told[words] > MOST_ALIKE:
            return None
        if match is None or self.n_errors >= MOST_ERRORS or int(match[1]) > len(self.values):
            return None
        return int(match[1]) - 1

    def error(self, error):
        """The error with the number that the sample has in the file."""
        text = _SAMPLE.sub(
            lambda match: f", sample number {self.numbers[int(match[1]) - 1] + 1}", template_of(error), count=1
        )
        return type(error)(text)

    def leave_out(self, place):
        """Leave a sample out: whether any are left."""
        del self.values[place], self.numbers[place]
        self.n_errors += 1
        return bool(self.values)

    def write(self, path):
        """Write what is left in the form of the file."""
        with new_text(path) as file:
            if self.is_lines:
                file.writelines(json.dumps(value) + "\n" for value in self.values)
            else:
                json.dump(self.values, file)
