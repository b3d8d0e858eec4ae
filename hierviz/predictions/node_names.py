"""Names of classes in memory → node numbers: of columns, of truths, of labels with one column a level.

Conventions
-----------
A name is looked up exactly as it is, or without blanks around it; where `loose` is given, what no node is called so
is matched by its meaning (`name_matching`). None, NaN and "" are no name.

A path (``A > B > C``) means its last node. Paths with another separator than ``" > "`` are followed (`chain_node`): the steps
that are names of nodes must be ancestors of the last one, in this order, and there must be one.

Functions
---------
find_node, column_node, chain_node, nodes_named, truth_nodes, level_nodes, is_by_level
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from hierviz.messages.errors import PredictionsError, listed, near_miss
from hierviz.predictions.column_text import is_missing_value
from hierviz.predictions.name_matching import advice
from hierviz.taxonomy.checks import of_tensor
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

PATH_SEPARATORS = (" > ", ">", "|", "::", "/", ";")
# Of a taxonomy, the nodes by what they are called.
_known: WeakKeyDictionary = WeakKeyDictionary()


def find_node(text, taxonomy, is_path=False, loose=None):
    """Number of the node that `text` names, None when there is none.

    Parameters
    ----------
    text : str
    taxonomy : Taxonomy
    is_path : bool
        Also try to cut the text at every path separator; without it only at ``" > "``.
    loose : LooseMatches, optional
        Asked about what is no node's name, and remembers what it found.
    """
    index = taxonomy.index
    node = index.get(text)
    if node is None:
        node = index.get(text.strip())
    if node is not None:
        return node
    for separator in PATH_SEPARATORS if is_path else PATH_SEPARATORS[:1]:
        parts = [part.strip() for part in text.split(separator) if part.strip()]
        # Names that repeat are called "parent > child" in a taxonomy read from paths, so longer ends are tried as well.
        end = None
        for part in reversed(parts) if len(parts) > 1 else ():
            end = part if end is None else f"{part} > {end}"
            if len(end) > taxonomy.longest_name:
                break
            node = index.get(end)
            if node is not None:
                return node
    node = _node_of_path(text, taxonomy, PATH_SEPARATORS[1:-1])
    if node is not None or loose is None:
        return node
    ends = [text.split(separator)[-1] for separator in PATH_SEPARATORS[: None if is_path else 1] if separator in text]
    return next((node for end in (text, *ends) if end.strip() and (node := loose.find(end)) is not None), None)


def column_node(text, taxonomy, loose=None):
    """As `find_node`, of what names one class: a semicolon separates the steps of a path there, not classes."""
    node = _node_of_path(text, taxonomy, PATH_SEPARATORS[-1:])
    return find_node(text, taxonomy, loose=loose) if node is None else node


def _node_of_path(text, taxonomy, separators):
    if text.strip() in taxonomy.index:
        return None
    for separator in separators:
        steps = [step.strip() for step in text.split(separator)] if separator in text else []
        node = chain_node([step for step in steps if step], taxonomy)
        if node is not None:
            return node
    return None


def chain_node(steps, taxonomy):
    """The node at the end of a path, None where there is none.

    Parameters
    ----------
    steps : list of str
        Names or titles, from the top down; some may be missing, or be no nodes.
    taxonomy : Taxonomy
    """
    if len(steps) < 2:
        return None
    called = _called(taxonomy)
    fitting = [node for node in called.get(steps[-1], ()) if _follow(steps[:-1], node, called, taxonomy)]
    return fitting[0] if len(fitting) == 1 else None


def _follow(steps, node, called, taxonomy):
    """Whether the steps that are nodes lie above a node, in this order, and there is one."""
    above = taxonomy.ancestors(np.array([node])).nodes
    depth = {int(one): int(taxonomy.depth[one]) for one in above if one != node}
    last, n_known = -1, 0
    for step in steps:
        if step in called:
            last = next((depth[one] for one in called[step] if depth.get(one, -1) > last), None)
            if last is None:
                return False
            n_known += 1
    return n_known > 0


def _called(taxonomy):
    """The nodes that are called by each name or title."""
    known = _known.get(taxonomy)
    if known is None:
        known = _known[taxonomy] = {}
        for names in (taxonomy.names, taxonomy.titles or ()):
            for node, name in enumerate(names):
                if node not in known.setdefault(name, []):
                    known[name].append(node)
    return known


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


def truth_nodes(truth: Any, taxonomy: Taxonomy, named: str = "", unknown: Any = None) -> np.ndarray | NodeLists | None:
    """Truth given by node numbers, by names, or by lists of either, as node numbers; -1 where it is not known.

    Where `named`, such as "classes", has said the names of the classes, whole numbers may be their places: a PredictionsError.
    `unknown`, OutsideNames of `hierviz.readers.outside`, gives codes for names that are not in the taxonomy.
    """
    if truth is None or isinstance(truth, NodeLists):
        return truth
    truth = of_tensor(truth, "truth")
    # A column of Arrow.
    truth = truth.to_pylist() if hasattr(truth, "to_pylist") else truth
    _check_form(truth)
    if isinstance(truth, np.ndarray) and truth.dtype.kind in "iu":
        _check_numbers(np.unique(truth).tolist(), taxonomy, named)
        return truth
    entries = list(truth)
    are_lists = [isinstance(entry, (list, tuple, set, np.ndarray)) for entry in entries]
    lists = [list(entry) if is_list else [entry] for entry, is_list in zip(entries, are_lists, strict=True)]
    flat = list(chain.from_iterable(lists))
    known: dict = {}
    for value in flat:
        if isinstance(value, (Mapping, list, set)):
            raise PredictionsError(
                f"truth: expected node numbers or names, or lists of them, got {type(value).__name__} inside. Pass one name "
                "a sample, or a list of names."
            )
        if value in known:
            continue
        if is_missing_value(value):
            known[value] = -1
        elif _is_whole(value):
            # Pandas turns whole numbers into floats where one is missing.
            known[value] = int(value)
        else:
            known[value] = find_node(str(value), taxonomy)
            if known[value] is None and unknown is not None:
                known[value] = unknown.code(str(value))
    strange = [value for value, node in known.items() if node is None]
    if strange:
        row = next(k for k, names in enumerate(lists) if strange[0] in names)
        hint = advice(str(strange[0]), taxonomy, " Check the spelling, or that this is the right taxonomy.")
        more = "" if unknown is None else unknown.advice
        raise PredictionsError(f"truth, sample {row}: expected names of nodes, got {listed(strange)}.{hint}{more}")
    _check_numbers([node for value, node in known.items() if node != -1 and _is_whole(value)], taxonomy, named)
    if any(are_lists):
        return NodeLists.from_lists([[known[name] for name in names if known[name] != -1] for names in lists])
    return np.array([known[value] for value in flat], dtype=np.intp)


def _check_form(truth):
    """Raise a PredictionsError unless there is a truth a sample, or a list of them."""
    if isinstance(truth, (str, Mapping)) or not hasattr(truth, "__iter__"):
        got = repr(truth) if isinstance(truth, str) else type(truth).__name__
        raise PredictionsError(
            f"truth: expected node numbers or names, one a sample, got {got}. "
            "The truth of a file goes to hierviz.attach_truth."
        )
    if hasattr(truth, "columns") or (isinstance(truth, np.ndarray) and truth.ndim != 1 and truth.dtype.kind in "iufb"):
        raise PredictionsError(
            f"truth: expected one axis (a truth a sample), got shape {truth.shape}. Pass one column, or lists of names."
        )


def _check_numbers(numbers, taxonomy, named=""):
    """Raise a PredictionsError where a number may be a node or the class that is called by another node's number, or a place."""
    for number in numbers:
        node = taxonomy.index.get(str(number), number)
        if node != number:
            raise PredictionsError(
                f"truth: expected names as text, because classes are called by numbers, got {number}: the class "
                f"{str(number)!r} is node {node}. Pass names as text, or node numbers by predictions.replace(truth=...)."
            )
    if named and any(number != -1 for number in numbers):
        raise PredictionsError(
            f"truth: expected names, because {named} says names, got whole numbers "
            f"({listed([number for number in numbers if number != -1], 3)}), which may be places in a list of classes or node "
            "numbers. Pass names, such as np.array(classes)[truth], or node numbers by predictions.replace(truth=...)."
        )


def level_nodes(
    labels: Any, taxonomy: Taxonomy, what: str, unknown: Any = None, place: Callable[[int], str] | None = None
) -> NodeLists:
    """Where the paths of labels by level end, one list a sample.

    Parameters
    ----------
    labels : array_like of str, shape (n_samples, n_levels), or (n_samples, n_paths, n_levels)
        Names from below the root down, filled with "" (or None, NaN) from where a path stops.
    taxonomy : Taxonomy
    what : str
        How errors call the labels.
    unknown : OutsideNames, optional
        Of `hierviz.readers.outside`; takes names that are not in the taxonomy: a path with one is what it gives for it.
    place : callable, optional
        Number of a sample to how errors call it, by `what` and its number if not given.

    Returns
    -------
    NodeLists
        A path without a name has no node.

    Raises
    ------
    PredictionsError
        If a name is not in the taxonomy or no child of the one before it.
    """
    array = _object_array(labels)
    if array is None or array.ndim not in (2, 3) or array.shape[-1] == 0:
        got = "rows of different lengths" if array is None else array.shape
        raise PredictionsError(
            f"{what}: expected shape (n_samples, n_levels) or (n_samples, n_paths, n_levels), got {got}. "
            'Pass one column a level, filled with "".'
        )
    labels = array
    paths = labels.reshape(-1, labels.shape[-1])
    n_paths = len(paths) // max(len(labels), 1)
    known, ends = {}, np.full(len(paths), -1, dtype=np.intp)
    for row, names in enumerate(map(tuple, paths.tolist())):
        if names not in known:
            sample = row // n_paths
            known[names] = _path_end(names, taxonomy, place(sample) if place else f"{what}, sample {sample}", unknown)
        ends[row] = known[names]
    return NodeLists(np.arange(len(labels) + 1) * n_paths, ends).only(ends != -1)


def nodes_by_level(cells: np.ndarray, taxonomy: Taxonomy, what: str, unknown: Any = None) -> NodeLists:
    """The node of each level of every sample, whether or not they lie on one path.

    Parameters
    ----------
    cells : ndarray of object, shape (n_samples, n_levels)
        Names from below the root down, filled with "" from where an answer stops.
    taxonomy : Taxonomy
    what : str
        How errors call the labels.
    unknown : OutsideNames, optional
        Takes names that are not in the taxonomy; what it gives for one stands at its level.

    Raises
    ------
    PredictionsError
        If a name is not in the taxonomy, a row has gaps, or there are more levels than the taxonomy has.
    """
    lists, known = [], {}
    for row, names in enumerate(map(tuple, cells.tolist())):
        if names not in known:
            known[names] = _level_answers(names, taxonomy, f"{what}, sample {row}", unknown)
        lists.append(known[names])
    return NodeLists.from_lists(lists)


def _level_answers(names, taxonomy, where, unknown):
    filled = _without_gaps(names, where)
    if filled[:1] == [taxonomy.names[0]]:
        filled = filled[1:]
    if len(filled) > taxonomy.max_depth:
        raise PredictionsError(
            f"{where}: expected at most {taxonomy.max_depth} levels below the root, got {filled!r}. Check the taxonomy."
        )
    nodes = []
    for level, name in enumerate(filled):
        # Where a name is at two places, the one on the path of the levels before, else the first.
        longer = (find_node(" > ".join(filled[start : level + 1]), taxonomy) for start in range(level + 1))
        node = next((other for other in longer if other is not None), None)
        if node is None and unknown is not None:
            node = unknown.code(name)
        if node is None:
            hint = advice(name, taxonomy, " Check the spelling, or that this is the right taxonomy.")
            more = "" if unknown is None else unknown.advice
            raise PredictionsError(
                f"{where}: expected the name of a class in column {level}, got {name!r}.{hint}{more}"
            )
        nodes.append(node)
    return nodes


def _without_gaps(names, where):
    """The names of a row that are not empty; a PredictionsError unless these come first."""
    names = ["" if is_missing_value(name) else str(name).strip() for name in names]
    filled = [name for name in names if name]
    if names[: len(filled)] != filled:
        raise PredictionsError(f"{where}: expected names without gaps from the top down, got {names!r}. Fill the gaps.")
    return filled


def is_by_level(labels: Any) -> bool:
    """Whether labels have one column a level: two or three axes, unlike one name a sample or lists of several lengths."""
    array = None if labels is None or isinstance(labels, NodeLists) else _object_array(labels)
    return array is not None and array.ndim >= 2


def _object_array(labels):
    """The labels as an array, None where rows differ in length."""
    try:
        return np.asarray(labels, dtype=object)
    except ValueError:
        return None


def _path_end(names, taxonomy, where, unknown=None):
    """The node at the end of names from the root's children down, -1 when there is none."""
    filled = _without_gaps(names, where)
    if filled[:1] == [taxonomy.names[0]]:
        filled = filled[1:]
    node = 0
    for level, name in enumerate(filled):
        # Where a name is at two places, the taxonomy calls both by their parents too.
        longer = (taxonomy.index.get(" > ".join(filled[start : level + 1])) for start in range(level, -1, -1))
        child = next((other for other in longer if other is not None and node in taxonomy.parents[other]), None)
        is_outside = child is None and unknown is not None and name not in _called(taxonomy)
        if is_outside and (code := unknown.code(name)) is not None:
            return code
        if child is None:
            hint = near_miss(name, taxonomy.names) if name not in taxonomy.index else ""
            raise PredictionsError(
                f"{where}: expected a child of {taxonomy.names[node]!r} in column {level}, got {name!r}."
                f"{hint or ' Check the names and the taxonomy.'}{unknown.advice if is_outside else ''}"
            )
        node = child
    return node if filled else -1


def _is_whole(value):
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return is_number and float(value).is_integer()
