"""Names of classes in memory → node numbers: of columns, of truths, of labels with one column a level.

Conventions
-----------
A name is looked up exactly as it stands, or without blanks around it. None, NaN and "" are no name.

Functions
---------
nodes_named, truth_nodes, level_nodes
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from hierviz.errors import PredictionsError, listed, near_miss
from hierviz.taxonomy import NodeLists, Taxonomy


def nodes_named(names: Sequence[str], taxonomy: Taxonomy, where: str) -> np.ndarray:
    """Nodes of the names of columns, shape (n_names,); a PredictionsError when one is unknown or two are the same node."""
    index = taxonomy.index
    nodes = [index.get(name, index.get(name.strip())) for name in names]
    unknown = [name for name, node in zip(names, nodes, strict=True) if node is None]
    if unknown:
        hint = near_miss(unknown[0], taxonomy.names) or " Rename them, or leave them out."
        raise PredictionsError(f"{where}: expected names of nodes, got {listed(unknown)}.{hint}")
    distinct, count = np.unique(np.array(nodes, dtype=np.intp), return_counts=True)
    if (count > 1).any():
        twice = listed(taxonomy.names[node] for node in distinct[count > 1])
        raise PredictionsError(f"{where}: expected every class once, got {twice} more than once. Keep one of each.")
    return np.array(nodes, dtype=np.intp)


def truth_nodes(truth: Any, taxonomy: Taxonomy) -> np.ndarray | NodeLists | None:
    """Truth given by node numbers, by names, or by lists of either, as node numbers; -1 where it is not known."""
    if truth is None or isinstance(truth, NodeLists):
        return truth
    if isinstance(truth, np.ndarray) and truth.dtype.kind in "iu":
        return truth
    entries = list(truth)
    has_lists = any(isinstance(entry, (list, tuple, set, np.ndarray)) for entry in entries)
    lists = [list(entry) if isinstance(entry, (list, tuple, set, np.ndarray)) else [entry] for entry in entries]
    flat = list(chain.from_iterable(lists))
    known: dict = {}
    index = taxonomy.index
    for value in flat:
        if value in known:
            continue
        if _is_missing(value):
            known[value] = -1
        elif isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            known[value] = int(value)
        else:
            known[value] = index.get(str(value), index.get(str(value).strip()))
    unknown = [value for value, node in known.items() if node is None]
    if unknown:
        row = next(k for k, names in enumerate(lists) if unknown[0] in names)
        hint = near_miss(str(unknown[0]), taxonomy.names) or " Check the spelling, or that this is the right taxonomy."
        raise PredictionsError(f"truth, sample {row}: expected names of nodes, got {listed(unknown)}.{hint}")
    if has_lists:
        return NodeLists.from_lists([[known[name] for name in names if known[name] >= 0] for names in lists])
    return np.array([known[value] for value in flat], dtype=np.intp)


def level_nodes(labels: Any, taxonomy: Taxonomy, what: str) -> NodeLists:
    """Where the paths of labels by level end, one list a sample.

    Parameters
    ----------
    labels : array_like of str, shape (n_samples, n_levels), or (n_samples, n_paths, n_levels)
        Names from below the root down, filled with "" (or None, NaN) from where a path stops.
    taxonomy : Taxonomy
    what : str
        How errors call the labels.

    Returns
    -------
    NodeLists
        A path without a name has no node.

    Raises
    ------
    PredictionsError
        If a name is not in the taxonomy or no child of the one before it.
    """
    labels = np.asarray(labels, dtype=object)
    if labels.ndim not in (2, 3):
        raise PredictionsError(
            f"{what}: expected shape (n_samples, n_levels) or (n_samples, n_paths, n_levels), got {labels.shape}. "
            "Pass one column a level."
        )
    paths = labels.reshape(-1, labels.shape[-1])
    n_paths = len(paths) // max(len(labels), 1)
    known, ends = {}, np.full(len(paths), -1, dtype=np.intp)
    for row, names in enumerate(map(tuple, paths.tolist())):
        if names not in known:
            known[names] = _path_end(names, taxonomy, f"{what}, sample {row // n_paths}")
        ends[row] = known[names]
    lengths = (ends >= 0).reshape(len(labels), n_paths).sum(axis=1) if len(labels) else np.empty(0, dtype=np.intp)
    return NodeLists(np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp), ends[ends >= 0])


def _path_end(names, taxonomy, where):
    """The node at the end of names from the root's children down, -1 when there is none."""
    names = ["" if _is_missing(name) else str(name).strip() for name in names]
    filled = [name for name in names if name]
    if names[: len(filled)] != filled:
        raise PredictionsError(f"{where}: expected names without gaps from the top down, got {names!r}. Fill the gaps.")
    if filled[:1] == [taxonomy.names[0]]:
        filled = filled[1:]
    node = 0
    for level, name in enumerate(filled):
        # Where a name stands at two places, the taxonomy calls both by their parents too.
        longer = (taxonomy.index.get(" > ".join(filled[start : level + 1])) for start in range(level, -1, -1))
        child = next((other for other in longer if other is not None and node in taxonomy.parents[other]), None)
        if child is None:
            hint = near_miss(name, taxonomy.names) if name not in taxonomy.index else ""
            raise PredictionsError(
                f"{where}: expected a child of {taxonomy.names[node]!r} in column {level}, got {name!r}."
                f"{hint or ' Check the names and the taxonomy.'}"
            )
        node = child
    return node if filled else -1


def _is_missing(value):
    is_text, is_nan = isinstance(value, str), isinstance(value, (float, np.floating)) and np.isnan(value)
    return value is None or is_nan or (is_text and value == "") or type(value).__name__ in ("NAType", "NaTType")
