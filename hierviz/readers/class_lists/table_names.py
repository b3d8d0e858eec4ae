"""Class names in a table, and in a numpy array of text, as scikit-learn's ``classes_`` saved with `numpy.save`.

A table has a column of names and, where the rows are not in the order of the columns of scores, one that numbers them
(`class_index`).
"""

from __future__ import annotations

import io
from dataclasses import dataclass

from hierviz.messages.errors import FileError, PredictionsError
from hierviz.readers import file_limits
from hierviz.readers.class_index import ClassList, ClassTable, named_rows, whole
from hierviz.readers.labels import find_node
from hierviz.readers.numpy_files import Header
from hierviz.readers.sources import Source, translated
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
    table = open_table(source, "a list of classes", most_rows=file_limits.CLASSES)
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


def read_npy_names(source):
    """ClassList of an ``.npy`` file of one axis: text, or whole numbers that are names of classes.

    Raises
    ------
    FileError
        If it holds Python objects, which are never unpickled.
    PredictionsError
        If it has more axes or other numbers.
    """
    with translated(source.where), source.open(file_limits.TEXT_BYTES) as file:
        header = Header.read(file, source.where, source.path.name)
        if header.dtype.hasobject:
            raise FileError(
                f"{source.where}: expected an array of text, got Python objects, which are not opened. "
                "Save it again with numpy.save(file, classes.astype(str))."
            )
        if header.n_bytes > file_limits.TEXT_BYTES:
            raise FileError(
                f"{source.where}: expected an array of at most {file_limits.size_words(file_limits.TEXT_BYTES)}, "
                "got a larger one. Is it a list of classes?"
            )
        array = header.values(file)
    if array.ndim != 1 or array.dtype.kind not in "USiu":
        raise PredictionsError(
            f"{source.where}: expected one axis of names, got {array.dtype} of shape {array.shape}. "
            "Save the names of the classes as text."
        )
    values = [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in array.tolist()]
    return ClassList(source.where, tuple((f"{source.where}, entry {k}", name) for k, name in enumerate(values, 1)))
