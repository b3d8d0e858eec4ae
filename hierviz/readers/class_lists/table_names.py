"""Class names in a table: a column of names and, where the rows are not in the order of the columns of scores, one that
numbers them (`class_index`).
"""

from __future__ import annotations

import io
from dataclasses import dataclass

from hierviz.messages.errors import FileError
from hierviz.readers import limits
from hierviz.readers.class_index import ClassTable, named_rows, whole
from hierviz.readers.class_lists.class_list import ClassList
from hierviz.readers.labels import find_node
from hierviz.readers.sources import Source
from hierviz.readers.tables import open_table


@dataclass(frozen=True)
class TextSource(Source):
    """A text to be read as a table."""

    text: str = ""

    @classmethod
    def from_text(cls, text, where):
        """A source of a text that was read already."""
        return cls(path=where, where=where, kind="text", encoding="utf-8", text=text)

    def open(self, most=None):
        """The text as a binary file."""
        return io.BytesIO(self.text.encode("utf-8", "surrogatepass"))


def read_table_names(source, taxonomy):
    """ClassList of a table, None when it has no two columns or none looks like names.

    Parameters
    ----------
    source : Source
        Text or Parquet.
    taxonomy : Taxonomy
    """
    table = open_table(source, "a list of classes", most_rows=limits.CLASSES)
    if len(table.first) < 2 and table.can_lack_header:
        return None
    header = ClassTable(source.where, [cell.strip() for cell in table.first], [], None)
    says = any(header.kind(k) for k in range(len(header.names)))
    # No header holds a number.
    has_header = not table.can_lack_header or (
        not any(whole(cell) is not None for cell in table.first)
        and (says or all(find_node(cell, taxonomy) is None for cell in table.first))
    )
    try:
        columns = table.read(has_header=has_header)
    except FileError:  # ragged: names with commas of which most are written otherwise than the nodes
        if says:
            raise
        return None
    cells = [columns.single_text(k) for k in range(len(columns.names))]
    names, notes = columns.names if has_header else [], []
    rows = named_rows(ClassTable(source.where, names, cells, columns.place), taxonomy, notes)
    if not rows:
        return None
    first = 1 if any(note.endswith("counted from 1") for note in notes) else 0
    return ClassList(source.where, tuple(rows), tuple(range(first, first + len(rows))), tuple(notes))
