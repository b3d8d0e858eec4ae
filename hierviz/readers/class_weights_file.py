"""Weights of classes from a table: what part each true class has in a mean over classes."""

from __future__ import annotations

import os

import numpy as np

from hierviz.messages.errors import FileError, listed, near_miss
from hierviz.readers.labels import find_node
from hierviz.readers.tables import open_table
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

COLUMNS = ("node", "weight")


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
    missing = [name for name in COLUMNS if name not in words]
    if missing:
        raise FileError(
            f"{table.where}: expected the columns {', '.join(COLUMNS)}, got {listed(table.first, 6)}. Name the columns."
        )
    columns = table.read(has_header=True)
    weights = np.full(taxonomy.n_nodes, np.nan)
    names, values = (columns.single_text(words.index(name)) for name in COLUMNS)
    for row, (name, text) in enumerate(zip(names, values, strict=True)):
        node = find_node(name, taxonomy)
        if node is None:
            raise FileError(
                f"{columns.place(row)}: expected a class of the taxonomy, got {name!r}.{near_miss(name, taxonomy.names)} "
                "Correct it."
            )
        if not np.isnan(weights[node]):
            raise FileError(f"{columns.place(row)}: expected one row per class, got {name!r} again. Remove one.")
        try:
            weights[node] = float(text)
        except ValueError:
            weights[node] = np.nan
        if not (np.isfinite(weights[node]) and weights[node] >= 0):
            raise FileError(f"{columns.place(row)}: expected a weight >= 0, got {text!r}. Correct it.")
    return weights
