"""Labels in columns of ranks (``kingdom, order, species``): a row means the deepest of its classes, which lie on one path.

A table need not have all ranks, a row may lack some of them, and the columns may be in any order.
"""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.name_matching import advice
from hierviz.predictions.node_names import find_node
from hierviz.readers.taxonomy_tables import RANKS


def rank_places(names):
    """Places of the columns called by a rank, of which there are two or more, else []."""
    places = [place for place, name in enumerate(names) if name.strip().casefold() in RANKS]
    return places if len(places) > 1 else []


def hold_classes(table, places, taxonomy):
    """Whether there are columns of ranks at these places, and the first rows hold classes; Parquet shows none of its rows."""
    rows = [
        _filled([row[place] for place in places if place < len(row)]) for _, row in getattr(table, "sample", ())[1:]
    ]
    return bool(places) and all(None not in _nodes_of(cells, taxonomy) for cells in rows)


def deepest_nodes(rows, taxonomy, place, unknown=None):
    """The deepest class of each row.

    Parameters
    ----------
    rows : sequence of tuple of str
        Cells of the columns of ranks; an empty one says nothing.
    taxonomy : Taxonomy
    place : callable
        Row number to what errors call that row.
    unknown : OutsideNames, optional
        Takes names that are not in the taxonomy.

    Returns
    -------
    ndarray of int, shape (n_rows,)
        -1 for a row of empty cells, what `unknown` gives for one with a name that it takes.

    Raises
    ------
    PredictionsError
        If a cell is no class, or the classes of a row lie on no single path.
    """
    known: dict = {}
    for row, cells in enumerate(rows):
        if cells not in known:
            known[cells] = _deepest(_filled(cells), taxonomy, row, place, unknown)
    return np.array([known[cells] for cells in rows], dtype=np.intp)


def _filled(cells):
    return [cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()]


def _nodes_of(cells, taxonomy):
    # A name that repeats is found by those before it.
    return [find_node(" > ".join(cells[: k + 1]), taxonomy) for k in range(len(cells))]


def _deepest(cells, taxonomy, row, place, unknown):
    nodes = _nodes_of(cells, taxonomy)
    if None in nodes:
        name = cells[nodes.index(None)]
        code = None if unknown is None else unknown.code(name)
        if code is not None:
            return code
        hint = advice(name, taxonomy, " Check the spelling, or that this is the right taxonomy.")
        more = "" if unknown is None else unknown.advice
        raise PredictionsError(
            f"{place(row)}: expected names of nodes in the columns of ranks, got {name!r}.{hint}{more}"
        )
    if not nodes:
        return -1
    deepest = max(nodes, key=lambda node: taxonomy.depth[node])
    if not set(nodes) <= set(taxonomy.ancestors(np.array([deepest])).nodes.tolist()):
        raise PredictionsError(
            f"{place(row)}: expected classes on one path in the columns of ranks, got {listed(cells)}. Correct the row."
        )
    return deepest
