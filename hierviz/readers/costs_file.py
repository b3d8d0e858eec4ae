"""Costs of mistakes from a table: what every answer costs under every truth.

Conventions
-----------
Three columns with the names of `COLUMNS`, in any order, and one row for every pair of leaves, a leaf with itself too. Other
columns are not read.
"""

from __future__ import annotations

import os

import numpy as np

from hierviz.inference.leaf_costs import LeafCosts, leaf_names, require_few_leaves
from hierviz.messages.errors import FileError, listed, near_miss
from hierviz.readers.labels import find_node
from hierviz.readers.tables import open_table
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

COLUMNS = ("predicted", "truth", "cost")


def load_costs(source: str | os.PathLike[str], taxonomy: Taxonomy) -> LeafCosts:
    """Costs of every pair of leaves, for rule `crm_leaf`.

    Parameters
    ----------
    source : str or path
        A CSV, TSV or Parquet table (gzipped too) with the columns ``predicted``, ``truth`` and ``cost``, and a row for every
        pair of leaves, a leaf with itself too.
    taxonomy : Taxonomy
        At most `hierviz.inference.leaf_costs.MOST_LEAVES` leaves.

    Returns
    -------
    LeafCosts
        Called as the file.

    Raises
    ------
    TaxonomyError
        If the taxonomy has too many leaves.
    FileError
        If the table cannot be read, a column is missing, a name is no leaf, a pair is missing or there twice, or a cost is
        negative or no finite number; names the line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hierviz import Taxonomy, infer
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    >>> path = Path(tempfile.mkdtemp(), "prices.csv")
    >>> _ = path.write_text("predicted,truth,cost\\ncat,cat,0\\ncat,dog,10\\ndog,cat,1\\ndog,dog,0\\n")
    >>> infer(taxonomy, [[1, 0.75, 0.25]], "crm_leaf", cost=load_costs(path, taxonomy)) == taxonomy.nodes("dog")
    array([ True])
    """
    table = open_table(source, "a table of costs (CSV, TSV or Parquet)")
    check_taxonomy(taxonomy, "It comes after the file.")
    require_few_leaves(taxonomy, table.where)
    names = [cell.strip().casefold() for cell in table.first]
    missing = [name for name in COLUMNS if names.count(name) != 1]
    if missing:
        raise FileError(
            f"{table.where}: expected the columns {', '.join(COLUMNS)}, each once, got {listed(table.first)}. "
            "Name them so in the first line."
        )
    predicted, truth, cost = (names.index(name) for name in COLUMNS)
    columns = table.read([cost], advice="Give every pair of leaves a cost.")
    values = columns.numbers[:, 0]
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise FileError(
            f"{columns.place(bad[0])}: expected a finite cost of 0 or more, got {values[bad[0]]:g}. Correct it."
        )
    rows, across = (_places(columns, place, taxonomy) for place in (predicted, truth))
    n = taxonomy.n_leaves
    pair = rows * n + across
    _require_every_pair_once(columns, pair, leaf_names(taxonomy))
    costs = np.empty(n * n)
    costs[pair] = values
    return LeafCosts.from_array(taxonomy, costs.reshape(n, n), columns.where)


def _places(columns, column, taxonomy):
    """Place among the leaves of each name in a column, ndarray of int, shape (n_rows,)."""
    place_of = {leaf: place for place, leaf in enumerate(taxonomy.leaves.tolist())}
    cells, known = columns.single_text(column), {}
    for row, cell in enumerate(cells):
        if cell in known:
            continue
        node = find_node(cell, taxonomy)
        if node not in place_of:
            got = f"{cell!r}" if node is None else f"{cell!r}, which has classes below it"
            hint = near_miss(cell, taxonomy.names) if node is None else ""
            raise FileError(
                f"{columns.place(row)}, column {columns.names[column]!r}: expected the name of a leaf, got {got}."
                f"{hint} Correct it."
            )
        known[cell] = place_of[node]
    return np.array([known[cell] for cell in cells], dtype=np.intp)


def _require_every_pair_once(columns, pair, leaves):
    n = len(leaves)
    counts = np.bincount(pair, minlength=n * n)
    if (counts > 1).any():
        # The first row whose pair stands in a row before.
        _, first = np.unique(pair, return_index=True)
        is_first = np.zeros(len(pair), dtype=bool)
        is_first[first] = True
        row = int(np.flatnonzero(~is_first)[0])
        before = int(np.flatnonzero(pair == pair[row])[0])
        raise FileError(
            f"{columns.place(row)}: expected every pair of leaves once, got {_pair(pair[row], leaves)} again "
            f"(first at {columns.place(before)}). Remove one of the rows."
        )
    absent = np.flatnonzero(counts == 0)
    if len(absent):
        raise FileError(
            f"{columns.where}: expected a cost for each of the {n * n:,} pairs of {n:,} leaves, got none for "
            f"{_pair(absent[0], leaves)}{f' and {len(absent) - 1:,} more' if len(absent) > 1 else ''}. Add what is missing."
        )


def _pair(pair, leaves):
    return f"predicted {leaves[pair // len(leaves)]!r}, truth {leaves[pair % len(leaves)]!r}"
