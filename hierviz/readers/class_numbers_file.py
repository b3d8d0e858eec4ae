"""Numbers of classes from tables: weights in a mean over classes, information accretion, and costs of mistakes.

Conventions
-----------
Costs have three columns with the names of `COST_COLUMNS`, in any order, and one row for every pair of leaves, a leaf with itself
too. Other columns of weights and of costs are not read.
"""

from __future__ import annotations

import os

import numpy as np

from hierviz.inference.crm import LeafCosts, leaf_names, require_few_leaves
from hierviz.messages.errors import FileError, listed, near_miss
from hierviz.predictions.listed_scores import first_repeat
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


COST_COLUMNS = ("predicted", "truth", "cost")


def load_costs(source: str | os.PathLike[str], taxonomy: Taxonomy) -> LeafCosts:
    """Costs of every pair of leaves, for rule `crm_leaf`.

    Parameters
    ----------
    source : str or path
        A CSV, TSV or Parquet table (gzipped too) with the columns ``predicted``, ``truth`` and ``cost``, and a row for every
        pair of leaves, a leaf with itself too.
    taxonomy : Taxonomy
        At most `hierviz.inference.crm.MOST_LEAVES` leaves.

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
    missing = [name for name in COST_COLUMNS if names.count(name) != 1]
    if missing:
        raise FileError(
            f"{table.where}: expected the columns {', '.join(COST_COLUMNS)}, each once, got {listed(table.first)}. "
            "Name them so in the first line."
        )
    predicted, truth, cost = (names.index(name) for name in COST_COLUMNS)
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
    n, counts = len(leaves), np.bincount(pair, minlength=len(leaves) ** 2)
    row = first_repeat(pair, pair)
    if row is not None:
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
