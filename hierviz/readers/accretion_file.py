"""Information accretion of terms, from a file of it."""

from __future__ import annotations

import os

import numpy as np

from hierviz.messages.errors import FileError, listed, near_miss
from hierviz.readers import limits
from hierviz.readers.labels import find_node
from hierviz.readers.tables import open_table
from hierviz.taxonomy.taxonomy import Taxonomy


def load_accretion(path: str | os.PathLike[str], taxonomy: Taxonomy) -> tuple[np.ndarray, list[str]]:
    """Information accretion of every node from a table of two columns, term and bits.

    Parameters
    ----------
    path : str or path
        CSV or TSV, with a header or without.
    taxonomy : Taxonomy

    Returns
    -------
    accretion : ndarray of float, shape (n_nodes,)
        Bits; nan where a term has no row.
    notes : list of str
        Terms without a row, and rows of no node.

    Raises
    ------
    FileError
        If the table cannot be read, a value is no number of at least 0, or no row is about a node.
    """
    table = open_table(path, "a table of terms and their information accretion", most_rows=limits.CLASS_ROWS)
    is_about_node = find_node(table.first[0].strip(), taxonomy) is not None
    has_header = not table.can_lack_header or not (is_about_node or _is_number(table.first[-1]))
    columns = table.read(has_header=has_header)
    if len(columns.names) != 2:
        raise FileError(
            f"{columns.where}: expected two columns, term and bits, got {listed(columns.names)}. Keep these two."
        )
    bits, unknown = np.full(taxonomy.n_nodes, np.nan), list[str]()
    for row, (name, text) in enumerate(zip(columns.single_text(0), columns.single_text(1), strict=True)):
        if not _is_number(text) or not 0 <= float(text) < np.inf:
            raise FileError(f"{columns.place(row)}: expected bits of at least 0, got {text!r}. Correct it.")
        node = find_node(name, taxonomy)
        if node is None:
            unknown.append(name)
        else:
            bits[node] = float(text)
    if len(unknown) == len(columns):
        near = near_miss(unknown[0], taxonomy.names) if unknown else ""
        raise FileError(
            f"{columns.where}: expected rows about nodes of the taxonomy, got {listed(unknown)}.{near} Is it the right file?"
        )
    notes = []
    if unknown:
        notes.append(f"{columns.where}: {len(unknown)} rows are about no node of the taxonomy and were left out")
    n_missing = int(np.isnan(bits[1:]).sum())
    if n_missing:
        notes.append(
            f"{columns.where}: {n_missing} of {taxonomy.n_nodes - 1} terms have no information accretion; they weigh 0"
        )
    return bits, notes


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True
