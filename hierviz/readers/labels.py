"""Cells that name nodes: one name, names joined by ``;``, or a path such as ``A > B > C``.

Conventions
-----------
A name is looked up exactly as written, then without blanks around it. A whole cell that is a name wins over cutting it,
so names may hold any of the separators. A path, with any separator but ; or a lineage such as ``d__Bacteria; p__Firmicutes``,
means its last node. What is no node's name is matched by its meaning
(`name_matching`), and where all cells are whole numbers by the class list that numbers them.
"""

from __future__ import annotations

import re
from array import array

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.name_matching import LooseMatches, advice
from hierviz.predictions.node_names import find_node
from hierviz.readers.lineages import is_lineage, lineage_node
from hierviz.taxonomy.taxonomy import NodeLists


def read_labels(
    cells,
    taxonomy,
    place,
    *,
    what="label",
    keep_empty=False,
    is_path=False,
    numbers=None,
    where="",
    notes=None,
    otherwise="",
    unknown=None,
):
    """Nodes that cells name.

    Parameters
    ----------
    cells : sequence of str or of list of str
    taxonomy : Taxonomy
    place : callable
        Row number to what errors call that row, for example ``"truth.csv:17"``.
    what : str
        What errors call the cell.
    keep_empty : bool
        Whether an empty field is a label -1; else it is dropped.
    is_path : bool
        Whether cells hold paths with any usual separator.
    numbers : mapping of int to int, optional
        Node of each number of a class list, for cells that are all numbers and not all names.
    where : str
        What notes call the cells.
    notes : list of str, optional
        Grows by names that were matched by their meaning, and by numbers that were looked up.
    otherwise : str
        What the cells may be else, as a sentence for the error.
    unknown : OutsideNames, optional
        Takes names that are not in the taxonomy where these are no error.

    Returns
    -------
    labels : NodeLists
        In the order of the cells; -1 also for a name that `unknown` took.
    n_empty : int
        Number of empty fields that were dropped or kept, an empty cell being one.
    has_lists : bool
        True when a cell holds more than one field.

    Raises
    ------
    PredictionsError
        If a name is not in the taxonomy; names the first such row and the nearest name.
    """
    distinct_cells, distinct = {}, array("q")
    for cell in cells:
        key = cell if isinstance(cell, str) else tuple(cell)
        distinct.append(distinct_cells.setdefault(key, len(distinct_cells)))
    # Few cells differ, and each of them is read once.
    distinct = np.array(distinct, dtype=np.intp)
    loose = LooseMatches(taxonomy)
    by_number = numbered_cells(distinct_cells, taxonomy, numbers, where, notes)
    read = [read_cell(by_number.get(key, key), taxonomy, keep_empty, is_path, loose, unknown) for key in distinct_cells]
    if notes is not None:
        notes += loose.notes(where)
    is_unknown = np.array([bool(missing) for *_, missing in read], dtype=bool)
    if is_unknown.any():
        first = int(np.argmax(is_unknown[distinct]))
        strange = dict.fromkeys(name for *_, missing in read for name in missing)
        name = next(iter(strange))
        raise PredictionsError(
            f"{place(first)}: expected the name of a node in the taxonomy ({taxonomy.n_nodes} nodes) as {what}, "
            f"got {listed(strange)}.{_advice(name, taxonomy, distinct_cells, numbers)}{otherwise}"
            f"{'' if unknown is None else unknown.advice}"
        )
    n_empty = int(np.array([empty for _, empty, _, _ in read], dtype=np.intp)[distinct].sum())
    labels = NodeLists.from_lists([nodes for nodes, _, _, _ in read]).take(distinct)
    labels = labels if unknown is None else unknown.settle(labels)
    return labels, n_empty, any(is_list for _, _, is_list, _ in read)


def unknown_node(place, name, taxonomy, otherwise=" Check the spelling.", more=""):
    """The error about a name that is no node of the taxonomy; `otherwise` is what to do where no name is near."""
    return PredictionsError(
        f"{place}: expected the name of a node in the taxonomy ({taxonomy.n_nodes} nodes), got {name!r}."
        f"{advice(name, taxonomy, otherwise)}{more}"
    )


def named_nodes(names, taxonomy, where, notes):
    """Node of each name, shape (n_names,); PredictionsError when some are unknown. `notes` grows by names matched by meaning."""
    loose = LooseMatches(taxonomy)
    nodes = [find_node(name, taxonomy, loose=loose) for name in names]
    notes += loose.notes(where)
    unknown = [name for name, node in zip(names, nodes, strict=True) if node is None]
    if unknown:
        raise PredictionsError(
            f"{where}: expected names of nodes in the taxonomy ({taxonomy.n_nodes} nodes), got {listed(unknown)}."
            f"{advice(unknown[0], taxonomy, ' Is this the right taxonomy?')}"
        )
    return np.array(nodes, dtype=np.intp)


def numbered_cells(cells, taxonomy, numbers, where="", notes=None):
    """Name of the node of each cell that is one of `numbers`, where all cells are numbers and not all of them are names."""
    if not numbers or not _are_numbers(cells) or all(cell.strip() in taxonomy.index for cell in cells if cell.strip()):
        return {}
    nodes = {cell: numbers.get(int(float(cell))) for cell in cells if cell.strip()}
    found = {cell: taxonomy.names[node] for cell, node in nodes.items() if node is not None}
    if notes is not None and found:
        shown = ", ".join(f"{cell} is {name!r}" for cell, name in list(found.items())[:3])
        notes.append(f"{where}: {len(found)} numbers were looked up in the class list: {shown}")
    return found


def _are_numbers(cells):
    """True when every cell is a whole number, or empty."""
    filled = [cell for cell in cells if not isinstance(cell, str) or cell.strip()]
    return bool(filled) and all(
        isinstance(cell, str) and re.fullmatch(r"\s*\d{1,9}(\.0*)?\s*", cell) for cell in filled
    )


def read_cell(cell, taxonomy, keep_empty=False, is_path=False, loose=None, unknown=None):
    """(nodes, number of empty fields, whether there are several fields, unknown names); codes for names that `unknown` takes."""
    if isinstance(cell, str):
        node = find_node(cell, taxonomy, is_path) if cell.strip() else None
        lineage = lineage_node(cell, taxonomy) if node is None and is_lineage(cell) else None
        if lineage is not None:
            return np.array([lineage], dtype=np.intp), 0, False, []
        fields = [cell] if node is not None or is_path else cell.split(";")
    else:
        fields = cell or [""]
    nodes, empty, missing = [], 0, []
    for field in fields:
        node = find_node(field, taxonomy, is_path, loose) if field.strip() else -1
        if node is None and unknown is not None:
            node = unknown.code(field)
        if node is None:
            missing.append(field)
        elif node != -1 or keep_empty:
            nodes.append(node)
        empty += node == -1
    return np.array(nodes, dtype=np.intp), empty, len(fields) > 1, missing


def _advice(name, taxonomy, cells, numbers):
    twins = [taxonomy.names[i] for i, title in enumerate(taxonomy.titles or ()) if title == name.strip()]
    if len(twins) > 1:
        return f" Several nodes have this name: use {listed(twins)}."
    if _are_numbers(cells):
        return (
            " It is no number of {classes}." if numbers else " If these are numbers of classes, list these: {classes}."
        )
    return advice(name, taxonomy, " Check the spelling, or that this is the right taxonomy.")


def is_all_nodes(cells, taxonomy, loose=None):
    """True when there is a cell that is not empty and all such cells name nodes; by their meaning too, with `loose`."""
    filled = {cell if isinstance(cell, str) else tuple(cell) for cell in cells}
    filled = [cell for cell in filled if (cell.strip() if isinstance(cell, str) else cell)]
    return bool(filled) and not any(read_cell(cell, taxonomy, loose=loose)[3] for cell in filled)


def single_nodes(labels):
    """The only node of each list, -1 for an empty list, shape (n_lists,); None when a list is longer."""
    if len(labels.nodes) and labels.lengths.max() > 1:
        return None
    nodes = np.full(len(labels), -1, dtype=np.intp)
    nodes[labels.lengths == 1] = labels.nodes
    return nodes


def text_array(values):
    """Text as an array, shape (len(values),); of Python objects when a long text would make a fixed width wasteful."""
    longest = max(map(len, values), default=0)
    return np.array(values, dtype=str if longest <= 64 else object)
