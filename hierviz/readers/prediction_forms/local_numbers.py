"""Numbers as spreadsheets of many countries write them: ``0,25``, ``25 %``, ``25,0%``.

A column is read so where the first rows show it: all its cells are such numbers, and a comma does not separate the columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hierviz.readers.columns import as_number
from hierviz.readers.tables import TextTable

_LOCAL = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*(?:%\s*)?")


@dataclass(frozen=True)
class LocalTable(TextTable):
    """A text table of which some columns hold local numbers; its cells are plain numbers already.

    `local` holds their places.
    """

    local: frozenset = frozenset()

    @property
    def detected(self):
        """What was found out, in words."""
        return {**super().detected, "numbers": "decimal commas or percent"}

    def records(self, with_ragged=False):
        """As those of a `TextTable`."""
        for line, cells in super().records(with_ragged):
            yield line, [plain(cell) if place in self.local else cell for place, cell in enumerate(cells)]


def plain(cell):
    """A local number as Python reads it; any other cell as it is."""
    if not _LOCAL.fullmatch(cell):
        return cell
    text = cell.strip().replace(",", ".")
    return repr(float(text[:-1]) / 100) if text.endswith("%") else text


def with_local_numbers(table, verbatim=()):
    """The table, its columns of local numbers read as plain ones; the same table where it has none.

    Columns called as in `verbatim` stay as they are.
    """
    if type(table) is not TextTable or len(table.sample) < 2:
        return table
    local = set()
    for place in range(len(table.first)):
        cells = [row[place] for _, row in table.sample[1:] if place < len(row) and row[place].strip()]
        if table.first[place].strip().casefold() in verbatim:
            continue
        if cells and all(map(_LOCAL.fullmatch, cells)) and any(as_number(cell) is None for cell in cells):
            local.add(place)
    if not local:
        return table
    sample = [
        (line, [plain(cell) if place in local and k else cell for place, cell in enumerate(cells)])
        for k, (line, cells) in enumerate(table.sample)
    ]
    kept = {"notes": table.notes, "most_rows": table.most_rows, "is_verbatim": table.is_verbatim}
    return LocalTable(table.source, table.separator, sample, **kept, local=frozenset(local))
