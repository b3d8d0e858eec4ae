"""Which node each column of scores belongs to, read from a file of its own or from typed text.

A list of names, one per line, or a table with a column of node names and, where the rows are not in the order of the columns
of scores, one that numbers them (see `class_index`).
"""

from __future__ import annotations

import io
import os
from dataclasses import dataclass

import numpy as np

from hierviz.errors import FileError, PredictionsError, near_miss
from hierviz.readers import limits
from hierviz.readers.class_index import NAME_COLUMNS, ClassTable, named_rows, numbered_names, whole
from hierviz.readers.labels import find_node
from hierviz.readers.sources import Source, open_source
from hierviz.readers.tables import open_table


def load_classes(classes, taxonomy, notes=None):
    """Node of each column.

    Parameters
    ----------
    classes : str, path, sequence of str, or mapping of column number to str
        A file with one node name per line (a first line such as ``class`` is skipped) or a table with a column of node
        names and perhaps an index, else the names themselves.
    taxonomy : Taxonomy
    notes : list of str, optional
        Gets a note about an index that was used.

    Returns
    -------
    ndarray of int, shape (n_scores,)

    Raises
    ------
    FileError
        If the file cannot be read.
    PredictionsError
        If a name is not in the taxonomy or stands there twice; names the line. If an index has gaps or doubles, or it cannot
        be told which column is the index and which one the names.
    """
    notes = [] if notes is None else notes
    if isinstance(classes, (str, os.PathLike)):
        where, entries = class_entries(classes, taxonomy, notes)
    else:
        classes = numbered_names(classes, "classes", notes) if isinstance(classes, dict) else classes
        where, entries = "classes", [(f"classes, entry {number}", str(name)) for number, name in enumerate(classes, 1)]
    nodes, seen = [], {}
    for place, name in entries:
        node = find_node(name, taxonomy)
        if node is None:
            raise PredictionsError(
                f"{place}: expected the name of a node in the taxonomy ({taxonomy.n_nodes} nodes), got {name!r}."
                f"{near_miss(name, taxonomy.names) or ' List one node per line, in the order of the columns.'}"
            )
        if node in seen:
            raise PredictionsError(
                f"{place}: expected every class once, got {name!r} again ({seen[node]}). Remove one."
            )
        seen[node] = place
        nodes.append(node)
    if not nodes:
        raise PredictionsError(f"{where}: expected one node name per column of scores, got none. Fill the list.")
    return np.array(nodes, dtype=np.intp)


def class_entries(path, taxonomy, notes):
    """(name of the file, list of (place, name)): what it holds, in the order of the columns of scores.

    No name is looked up yet: one that is no node stays as it is. `notes` gets one about an index that was used.
    """
    source = open_source(path, "a list of classes, one per line, or a table with a column of them")
    return source.where, entries_of_text(source.read_text(lines=limits.CLASSES), source.where, taxonomy, notes)


def entries_of_text(text, where, taxonomy, notes):
    """As `class_entries`, for the text of such a file."""
    lines = [(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1)]
    lines = [(number, line) for number, line in lines if line.strip()]
    # A line is a name as it stands even if it holds a comma; a table is what is left when most lines are no names.
    known = sum(find_node(_unquoted(line), taxonomy) is not None for _, line in lines)
    if lines and (known < len(lines) - 1 or known == 0):
        entries = _from_table(_TextSource.from_text(text, where), taxonomy, notes)
        if entries:
            return entries
    if (
        lines
        and lines[0][1].strip().strip('"').casefold() in NAME_COLUMNS
        and lines[0][1].strip() not in taxonomy.index
    ):
        lines = lines[1:]
    return [(f"{where}:{number}", _unquoted(line)) for number, line in lines]


def _unquoted(line):
    line = line.strip()
    return line[1:-1].replace('""', '"') if len(line) > 1 and line[0] == line[-1] == '"' else line


@dataclass(frozen=True)
class _TextSource(Source):
    """A text to be read as a table."""

    text: str = ""

    @classmethod
    def from_text(cls, text, where):
        return cls(path=where, where=where, kind="text", encoding="utf-8", text=text)

    def open(self):
        return io.BytesIO(self.text.encode("utf-8", "surrogatepass"))


def _from_table(source, taxonomy, notes):
    """Names with their places, None when there are no two columns or none looks like names."""
    table = open_table(source, "a list of classes", most_rows=limits.CLASSES)
    if len(table.first) < 2:
        return None
    header = ClassTable(source.where, [cell.strip() for cell in table.first], [], None)
    says = any(header.kind(k) for k in range(len(header.names)))
    # No header holds a number.
    has_header = not any(whole(cell) is not None for cell in table.first) and (
        says or all(find_node(cell, taxonomy) is None for cell in table.first)
    )
    try:
        columns = table.read(has_header=has_header)
    except FileError:  # ragged: names with commas of which most are written otherwise than the nodes
        if says:
            raise
        return None
    cells = [columns.text[k] for k in range(len(columns.names))]
    names = columns.names if has_header else []
    return named_rows(ClassTable(source.where, names, cells, columns.place), taxonomy, notes)
