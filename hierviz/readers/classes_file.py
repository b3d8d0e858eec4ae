"""Which node each column of scores belongs to: the names of a class list, looked up in the taxonomy.

The forms of a list are in `class_lists.class_list_forms`.
"""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.predictions.name_matching import LooseMatches
from hierviz.readers.class_lists.class_list_forms import class_list_of_text, read_class_list
from hierviz.readers.labels import find_node, unknown_node


def load_classes(classes, taxonomy, notes=None):
    """Node of each column.

    Parameters
    ----------
    classes : str, path, sequence of str, or mapping
        As `read_class_list` takes it: a file of class names, a folder of folders, the names themselves, or names by number.
    taxonomy : Taxonomy
    notes : list of str, optional
        Gets notes about numbers of columns that were used, and about names that were matched by their meaning.

    Returns
    -------
    ndarray of int, shape (n_scores,)

    Raises
    ------
    FileError
        If the file cannot be read.
    PredictionsError
        If a name is not in the taxonomy, fits several nodes or is repeated; names the line. If an index has gaps or
        repeats, or it is unclear which column is the index and which one holds the names.
    """
    return load_class_nodes(classes, taxonomy, notes)[0]


def load_class_nodes(classes, taxonomy, notes=None):
    """As `load_classes`, with what the list calls each class.

    Returns
    -------
    nodes : ndarray of int, shape (n_scores,)
    numbers : dict of int to int
        Node of each number.
    """
    notes = [] if notes is None else notes
    read, found, loose = looked_up(classes, taxonomy)
    notes += read.notes
    nodes, seen = [], {}
    for (place, name), node in zip(read.entries, found, strict=True):
        if node is None:
            raise unknown_node(place, name, taxonomy, " List one node per line, in the order of the columns.")
        if node in seen:
            raise PredictionsError(
                f"{place}: expected every class once, got {name!r} again ({seen[node]}). Remove one."
            )
        seen[node] = place
        nodes.append(node)
    if not nodes:
        raise PredictionsError(f"{read.where}: expected one node name per column of scores, got none. Fill the list.")
    notes += loose.notes(read.where)
    return np.array(nodes, dtype=np.intp), dict(zip(read.numbers, nodes, strict=True))


def class_numbers(classes, taxonomy):
    """Node of each number of a class list: dict of int to int. Classes that are no nodes are left out, as the background."""
    read, nodes, _ = looked_up(classes, taxonomy)
    return {number: node for number, node in zip(read.numbers, nodes, strict=True) if node is not None}


def looked_up(classes, taxonomy):
    """(ClassList, node of each of its names or None, LooseMatches that found them)."""
    read, loose = read_class_list(classes, taxonomy), LooseMatches(taxonomy)
    return read, loose.settle(read.names, [find_node(name, taxonomy, loose=loose) for name in read.names]), loose


def class_entries(path, taxonomy, notes):
    """(name of the file, list of (place, name)): what it holds, in the order of the columns of scores.

    No name is looked up yet: one that is no node stays as it is. `notes` gets one about numbers that were used.
    """
    read = read_class_list(path, taxonomy)
    notes += read.notes
    return read.where, list(read.entries)


def entries_of_text(text, where, taxonomy, notes):
    """As `class_entries`, for the text of such a file: its list of (place, name)."""
    read = class_list_of_text(text, where, taxonomy)
    notes += read.notes
    return list(read.entries)
