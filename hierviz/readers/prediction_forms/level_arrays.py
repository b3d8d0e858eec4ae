"""Scores with one array a level in an ``.npz``: ``level_1`` of shape (samples, classes of that level), and so on.

The names of the classes stand in ``<array>_names`` or ``<array>_classes``. Without them an array is taken for the classes of
one depth in the order of the taxonomy, and there must be as many.
"""

from __future__ import annotations

import re

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.name_matching import LooseMatches, advice
from hierviz.predictions.node_names import find_node

NAMES = ("_names", "_classes", "_labels")


def level_keys(headers):
    """Keys of arrays of numbers with two axes, in the order of the numbers at their ends; empty where they have none."""
    tables = [key for key, array in headers.items() if array.ndim == 2 and array.dtype.kind in "fiu"]
    numbers = [re.search(r"(\d+)$", key) for key in tables]
    if len(tables) < 2 or not all(numbers) or len({match[1] for match in numbers}) < len(tables):
        return []
    return [key for _, key in sorted(zip((int(match[1]) for match in numbers), tables, strict=True))]


def joined_levels(npz, keys, taxonomy, where, as_text, notes):
    """Scores of all levels side by side, and the node of each column.

    Returns
    -------
    scores : ndarray, shape (n_samples, n_columns)
    nodes : ndarray of int, shape (n_columns,)

    Raises
    ------
    PredictionsError
        If arrays differ in rows, a level has no names and is not as wide as a depth, or a class stands at two levels.
    """
    arrays = {key: npz[key] for key in keys}
    if len({len(array) for array in arrays.values()}) > 1:
        shapes = ", ".join(f"{key!r} {array.shape}" for key, array in arrays.items())
        raise PredictionsError(
            f"{where}: expected as many rows in the array of every level, got {shapes}. Align the rows."
        )
    nodes, assumed = [], []
    for place, key in enumerate(keys):
        width = arrays[key].shape[1]
        names = next((as_text(npz[key + end]) for end in NAMES if key + end in npz.headers), None)
        if names is None:
            depth = next((d for d in (place + 1, place) if np.count_nonzero(taxonomy.depth == d) == width), None)
            if depth is None:
                counts = ", ".join(map(str, np.bincount(taxonomy.depth).tolist()))
                raise PredictionsError(
                    f"{where}, array {key!r}: expected {key + NAMES[0]!r} with {width} names, or as many columns as a depth "
                    f"has classes ({counts} from the root down), got {width} columns. Save the names."
                )
            nodes.append(np.flatnonzero(taxonomy.depth == depth))
            assumed.append(key)
        else:
            nodes.append(_named(names, width, taxonomy, f"{where}, array {key!r}", notes))
    if assumed:
        notes.append(
            f"{where}: arrays {listed(assumed)} were assumed to be the classes of a depth in the order of the taxonomy"
        )
    joined = np.concatenate(nodes)
    twice = np.flatnonzero(np.bincount(joined, minlength=taxonomy.n_nodes) > 1)
    if len(twice):
        raise PredictionsError(
            f"{where}: expected every class at one level, got {listed([taxonomy.names[node] for node in twice])} at several. "
            "Leave the column out of the lower level."
        )
    return np.concatenate(list(arrays.values()), axis=1), joined


def _named(names, width, taxonomy, where, notes):
    if names is None or len(names) != width:
        raise PredictionsError(
            f"{where}: expected {width} names of its columns as text, got {len(names or ())}. Save them."
        )
    loose = LooseMatches(taxonomy)
    nodes = [find_node(name, taxonomy, loose=loose) for name in names]
    unknown = [name for name, node in zip(names, nodes, strict=True) if node is None]
    if unknown:
        raise PredictionsError(
            f"{where}: expected names of nodes, got {listed(unknown)}."
            f"{advice(unknown[0], taxonomy, ' Is it the right taxonomy?')}"
        )
    notes += loose.notes(where)
    return np.array(nodes, dtype=np.intp)
