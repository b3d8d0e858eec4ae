"""Costs of mistakes from a table, long or wide.

Conventions
-----------
Long: three columns with the names of `COST_COLUMNS`, in any order, and one row for every pair of an answer and a true leaf;
other columns are not read. Wide: the column ``predicted``, and one column for every leaf, called as it is. All leaves are
answers; inner classes are where the table has them, each with a cost under every leaf. A file is read row by row into the array
that is kept; only Parquet columns are held as a whole.
"""

from __future__ import annotations

import csv
import io
import os

import numpy as np

from hierviz.inference.leaf_costs import LeafCosts, number_type, require_few_cells
from hierviz.messages.csv_cells import cell_of_text
from hierviz.messages.errors import FileError, listed, near_miss
from hierviz.readers.columns import as_number, place_of
from hierviz.readers.labels import find_node
from hierviz.readers.tables import open_table
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

COST_COLUMNS = ("predicted", "truth", "cost")
_ADVICE = "Give every pair of leaves a cost."


def load_costs(source: str | os.PathLike[str], taxonomy: Taxonomy) -> LeafCosts:
    """Costs of every answer under every true leaf, for rules `crm_leaf` and `optimal_node`.

    Parameters
    ----------
    source : str or path
        A CSV, TSV or Parquet table (gzipped too). Either with the columns ``predicted``, ``truth`` and ``cost``, and a row for
        every pair of leaves, a leaf with itself too; or with the column ``predicted`` and a column for every leaf. Inner classes
        may be predicted, too.
    taxonomy : Taxonomy

    Returns
    -------
    LeafCosts
        Called as the file; at most `hierviz.inference.leaf_costs.MOST_CELLS` costs.

    Raises
    ------
    TaxonomyError
        If there would be too many costs.
    FileError
        If the table cannot be read, a column is missing, a name is no class, a pair is missing or there twice, or a cost is
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

    A wide table, with a cost for not deciding:

    >>> _ = path.write_text("predicted,cat,dog\\ncat,0,10\\ndog,4,0\\nanimal,1,1\\n")
    >>> infer(taxonomy, [[1, 0.75, 0.25]], "optimal_node", cost=load_costs(path, taxonomy)) == taxonomy.nodes("animal")
    array([ True])
    """
    table = open_table(source, "a table of costs (CSV, TSV or Parquet)")
    check_taxonomy(taxonomy, "It comes after the file.")
    require_few_cells(taxonomy, table.where)
    names = [cell.strip().casefold() for cell in table.first]
    rows = _CostRows(table, taxonomy)
    if all(names.count(name) == 1 for name in COST_COLUMNS):
        _read_long(table, [names.index(name) for name in COST_COLUMNS], rows)
    elif names.count("predicted") == 1 and any(find_node(cell, taxonomy) is not None for cell in table.first):
        _read_wide(table, names.index("predicted"), rows)
    else:
        raise FileError(
            f"{table.where}: expected the columns {', '.join(COST_COLUMNS)}, each once, got {listed(table.first)}. "
            "Name them so in the first line, or give the column predicted and a column for every leaf."
        )
    return rows.finish()


class _CostRows:
    """Costs by answer and true leaf as they are read; nan where there is none yet."""

    def __init__(self, table, taxonomy):
        self.table, self.taxonomy = table, taxonomy
        n = taxonomy.n_leaves
        self.place_of = {leaf: place for place, leaf in enumerate(taxonomy.leaves.tolist())}
        self.of_leaves = np.full((n, n), np.nan, dtype=number_type(n * n))
        self.inner, self._rows, self._places = {}, {}, {}

    def row(self, line, name, column):
        """The array of an answer by its name."""
        if name not in self._rows:
            node = self._node(line, name, column, "a class of the taxonomy")
            if node in self.place_of:
                self._rows[name] = self.of_leaves[self.place_of[node]]
            else:
                if node not in self.inner:
                    require_few_cells(self.taxonomy, self.table.where, len(self.inner) + 1)
                    self.inner[node] = np.full(self.taxonomy.n_leaves, np.nan, dtype=self.of_leaves.dtype)
                self._rows[name] = self.inner[node]
        return self._rows[name]

    def place(self, line, name, column):
        """Place of a true leaf by its name."""
        if name not in self._places:
            node = self._node(line, name, column, "the name of a leaf")
            if node not in self.place_of:
                raise self._wrong(line, column, "the name of a leaf", f"{name!r}, which has classes below it", "")
            self._places[name] = self.place_of[node]
        return self._places[name]

    def _node(self, line, name, column, wanted):
        node = find_node(name, self.taxonomy)
        if node is None:
            raise self._wrong(line, column, wanted, repr(name), near_miss(name, self.taxonomy.names))
        return node

    def _wrong(self, line, column, wanted, got, hint):
        where = self.where(line) if line else self.table.where
        return FileError(f"{where}, column {column!r}: expected {wanted}, got {got}.{hint} Correct it.")

    def where(self, line):
        """How errors call a line."""
        return place_of(self.table.where, line, "line" if self.table.can_lack_header else "row")

    def require_cost(self, line, value):
        """Raise a FileError unless a cost is finite and not negative."""
        if not 0 <= value < np.inf:
            raise FileError(f"{self.where(line)}: expected a finite cost of 0 or more, got {value:g}. Correct it.")

    def finish(self):
        """The LeafCosts, once each pair has one."""
        taxonomy, n = self.taxonomy, self.taxonomy.n_leaves
        nodes = sorted(self.inner)
        values = self.of_leaves
        if nodes:
            values = np.concatenate([values, [self.inner[node] for node in nodes]])
        absent = np.argwhere(np.isnan(values))
        if len(absent):
            answer, truth = np.append(taxonomy.leaves, nodes).astype(int)[absent[0, 0]], taxonomy.leaves[absent[0, 1]]
            more = f" and {len(absent) - 1:,} more" if len(absent) > 1 else ""
            inner = f" and of {len(nodes):,} inner class{'es' * (len(nodes) > 1)} with them" if nodes else ""
            raise FileError(
                f"{self.table.where}: expected a cost for each of the {n * n:,} pairs of {n:,} leaves{inner}, got none for "
                f"{_pair(taxonomy.names[answer], taxonomy.names[truth])}{more}. Add what is missing."
            )
        return LeafCosts.from_array(taxonomy, values, self.table.where, inner=[taxonomy.names[node] for node in nodes])


def _pair(answer, truth):
    return f"predicted {answer!r}, truth {truth!r}"


def _records(table, texts, numbers):
    """Yield (line, cells of some columns of text, numbers of others) of every row below the header."""
    if not table.can_lack_header:
        columns = table.read(numbers, advice=_ADVICE)
        of_text = [columns.single_text(place) for place in texts]
        for row, line in enumerate(columns.lines.tolist()):
            yield line, [cells[row] for cells in of_text], columns.numbers[row]
        return
    records = table.records()
    next(records)
    for line, cells in records:
        values = [as_number(cells[place]) for place in numbers]
        if None in values:
            place = numbers[values.index(None)]
            raise table.not_a_number(line, table.first[place].strip(), cells[place], _ADVICE)
        yield line, [cells[place] for place in texts], values


def _read_long(table, places, rows):
    *texts, cost = places
    names = [table.first[place].strip() for place in texts]
    for line, (answer, truth), (value,) in _records(table, texts, [cost]):
        of_answer, place = rows.row(line, answer, names[0]), rows.place(line, truth, names[1])
        rows.require_cost(line, value)
        if not np.isnan(of_answer[place]):
            raise _again(table, texts, rows, line, answer, truth)
        of_answer[place] = value
    if not rows.inner and np.isnan(rows.of_leaves).all():
        raise FileError(f"{table.where}: expected a row for every pair of leaves, got none. {_ADVICE}")


def _again(table, texts, rows, line, answer, truth):
    """The FileError about a pair that is there twice."""
    taxonomy = rows.taxonomy
    pair = find_node(answer, taxonomy), find_node(truth, taxonomy)
    before = next(
        earlier
        for earlier, cells, _ in _records(table, texts, [])
        if tuple(find_node(cell, taxonomy) for cell in cells) == pair
    )
    return FileError(
        f"{rows.where(line)}: expected every pair of leaves once, got "
        f"{_pair(*(taxonomy.names[node] for node in pair))} again (first at {rows.where(before)}). Remove one of the rows."
    )


def _read_wide(table, predicted, rows):
    numbers = [place for place in range(len(table.first)) if place != predicted]
    names = [table.first[place].strip() for place in numbers]
    leaves = [rows.place(None, name, name) for name in names]
    twice = [name for place, name in enumerate(names) if leaves[place] in leaves[:place]]
    if twice:
        raise FileError(f"{table.where}: expected a column for every leaf once, got {twice[0]!r} again. Remove one.")
    for line, (answer,), values in _records(table, [predicted], numbers):
        row = rows.row(line, answer, table.first[predicted].strip())
        if not np.isnan(row).all():
            raise FileError(f"{rows.where(line)}: expected every answer once, got {answer!r} again. Remove one row.")
        for value in values:
            rows.require_cost(line, value)
        row[leaves] = values


def costs_csv(costs: LeafCosts) -> str:
    """A wide table of costs as CSV, which `load_costs` reads."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["predicted", *map(cell_of_text, costs.leaves)])
    for name, values in zip((*costs.leaves, *costs.inner), costs.values.tolist(), strict=True):
        writer.writerow([cell_of_text(name), *(format(value, ".15g") for value in values)])
    return text.getvalue()
