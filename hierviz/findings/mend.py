"""Changes to a text table, and the table with them: read and written record by record, so that a large one needs no memory.

Conventions
-----------
Records are counted from 0, the header included. A change is a *fix* where it is certain what was meant; others are made only to
read on after an error, in a copy that nobody gets.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field, replace
from pathlib import Path

from hierviz.messages.errors import FileError
from hierviz.new_files import new_text
from hierviz.readers.columns import as_number


@dataclass
class Mend:
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
        What numbers in `scores` are divided by; the key None stands for all records.
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
        """What the mended file is called: as the one it is made of, without .gz."""
        return self.table.source.path.name.removesuffix(".gz")

    def and_then(self, other):
        """Both, where they are about one table."""
        return Mend(
            self.table,
            self.cells | other.cells,
            self.dropped | other.dropped,
            self.columns | other.columns,
            self.divisors | other.divisors,
            self.scores or other.scores,
        )

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


@dataclass(frozen=True)
class Changes:
    """The fixes of a table, and what is changed besides only to read on."""

    fixes: Mend
    to_read_on: Mend

    @classmethod
    def of(cls, table):
        """No changes yet."""
        return cls(Mend(table), Mend(table))

    @property
    def all(self):
        """Both together."""
        return self.fixes.and_then(self.to_read_on)
