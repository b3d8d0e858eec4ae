"""Which node each column of scores belongs to, read from a file of its own.

A list of names, one per line, or a table with a column of node names.
"""

from __future__ import annotations

import os

import numpy as np

from hierviz.errors import PredictionsError, listed, near_miss
from hierviz.readers import limits
from hierviz.readers.labels import find_node, is_all_nodes
from hierviz.readers.sources import open_source
from hierviz.readers.tables import open_table

CLASS_COLUMNS = ("node", "class", "name", "label", "leaf", "names", "classes", "labels", "class_name")


def read_classes(classes, taxonomy):
    """Node of each column.

    Parameters
    ----------
    classes : str, path or sequence of str
        A file with one node name per line (a first line such as ``class`` is skipped) or a table with a column of node
        names, else the names themselves.
    taxonomy : Taxonomy

    Returns
    -------
    ndarray of int, shape (n_scores,)

    Raises
    ------
    FileError
        If the file cannot be read.
    PredictionsError
        If a name is not in the taxonomy or stands there twice; names the line.
    """
    if isinstance(classes, (str, os.PathLike)):
        where, entries = class_entries(classes, taxonomy)
    else:
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


def class_entries(path, taxonomy):
    """(name of the file, list of (place, name)): what it holds, before any name is looked up."""
    source = open_source(path, "a list of classes, one per line, or a table with a column of them")
    lines = [
        (number, line.rstrip("\r")) for number, line in enumerate(source.read_text(lines=limits.CLASSES).split("\n"), 1)
    ]
    lines = [(number, line) for number, line in lines if line.strip()]
    # A line is a name as it stands even if it holds a comma; a table is what is left when most lines are no names.
    known = sum(find_node(_unquoted(line), taxonomy) is not None for _, line in lines)
    if known < len(lines) - 1 or (known == 0 and lines):
        found = _from_table(source, taxonomy)
        if found:
            return source.where, found
    if (
        lines
        and lines[0][1].strip().strip('"').casefold() in CLASS_COLUMNS
        and lines[0][1].strip() not in taxonomy.index
    ):
        lines = lines[1:]
    return source.where, [(f"{source.where}:{number}", _unquoted(line)) for number, line in lines]


def _unquoted(line):
    line = line.strip()
    return line[1:-1].replace('""', '"') if len(line) > 1 and line[0] == line[-1] == '"' else line


def _from_table(source, taxonomy):
    table = open_table(source, "a list of classes", most_rows=limits.CLASSES)
    if len(table.first) < 2:
        return None
    columns = table.read(has_header=True)
    folded = [name.casefold() for name in columns.names]
    candidates = [folded.index(name) for name in CLASS_COLUMNS if name in folded][:1]
    if not candidates:
        columns = table.read(has_header=any(find_node(cell, taxonomy) is not None for cell in table.first) is False)
        candidates = [place for place, cells in columns.text.items() if is_all_nodes(cells, taxonomy)]
    if len(candidates) != 1:
        raise PredictionsError(
            f"{source.where}: expected one column of node names, got {listed(columns.names[k] for k in candidates) or 'none'}. "
            f"Call it 'node', or list one name per line."
        )
    return [(columns.place(row), cell) for row, cell in enumerate(columns.single_text(candidates[0]))]
