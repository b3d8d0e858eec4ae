"""Numbers of classes from tables: weights in a mean over classes, and information accretion. Other columns are not read."""

from __future__ import annotations

import os

import numpy as np

from hierviz.messages.errors import FileError, listed, near_miss
from hierviz.readers import file_limits
from hierviz.readers.columns import as_number
from hierviz.readers.labels import find_node
from hierviz.readers.tables import open_table
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

WEIGHT_COLUMNS = ("node", "weight")


def load_class_weights(source: str | os.PathLike[str], taxonomy: Taxonomy) -> np.ndarray:
    """Weights of classes, for `evaluate` and `table`.

    Parameters
    ----------
    source : str or path
        A CSV, TSV or Parquet table (gzipped too) with the columns ``node`` and ``weight``, in any order; other columns are
        not read.
    taxonomy : Taxonomy

    Returns
    -------
    ndarray of float, shape (n_nodes,)
        nan where the table has no row.

    Raises
    ------
    FileError
        If the table cannot be read, a column is missing, a name is no node or there twice, or a weight is negative or no
        finite number; names the line.
    """
    check_taxonomy(taxonomy, "It comes after the file.")
    table = open_table(source, "a table of class weights (CSV, TSV or Parquet)")
    words = [name.strip().casefold() for name in table.first]
    if not set(WEIGHT_COLUMNS) <= set(words):
        raise FileError(
            f"{table.where}: expected the columns {', '.join(WEIGHT_COLUMNS)}, got {listed(table.first, 6)}. Name the columns."
        )
    columns, weights = table.read(has_header=True), np.full(taxonomy.n_nodes, np.nan)
    names, texts = (columns.single_text(words.index(name)) for name in WEIGHT_COLUMNS)
    for row, name in enumerate(names):
        node = find_node(name, taxonomy)
        if node is None:
            raise FileError(
                f"{columns.place(row)}: expected a class of the taxonomy, got {name!r}.{near_miss(name, taxonomy.names)} "
                "Correct it."
            )
        if not np.isnan(weights[node]):
            raise FileError(f"{columns.place(row)}: expected one row per class, got {name!r} again. Remove one.")
        weights[node] = _not_negative(texts[row])
        if np.isnan(weights[node]):
            raise FileError(f"{columns.place(row)}: expected a weight >= 0, got {texts[row]!r}. Correct it.")
    return weights


def _not_negative(text):
    """The number of a cell, nan where it is none, or is negative or infinite."""
    try:
        return float(text) if 0 <= float(text) < np.inf else np.nan
    except ValueError:
        return np.nan


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
    table = open_table(path, "a table of terms and their information accretion", most_rows=file_limits.CLASS_ROWS)
    is_about_node = find_node(table.first[0].strip(), taxonomy) is not None
    has_header = not table.can_lack_header or not (is_about_node or as_number(table.first[-1]) is not None)
    columns = table.read(has_header=has_header)
    if len(columns.names) != 2:
        raise FileError(
            f"{columns.where}: expected two columns, term and bits, got {listed(columns.names)}. Keep these two."
        )
    bits, unknown = np.full(taxonomy.n_nodes, np.nan), list[str]()
    for row, (name, text) in enumerate(zip(columns.single_text(0), columns.single_text(1), strict=True)):
        value, node = _not_negative(text), find_node(name, taxonomy)
        if np.isnan(value):
            raise FileError(f"{columns.place(row)}: expected bits of at least 0, got {text!r}. Correct it.")
        if node is None:
            unknown.append(name)
        else:
            bits[node] = value
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
