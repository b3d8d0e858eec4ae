"""Named edges of a file to numbered ones: repeats, several tops, node order, cycles.

Conventions
-----------
An edge is (parent, child), two names; a parent of None declares a node that has no parent. Node 0 is the root, and a parent
always has a smaller number than its children.

Functions
---------
numbered, named_and_tops, require_depth, cycle_of, cycle_words
"""

import heapq
import re
from graphlib import CycleError, TopologicalSorter

import numpy as np

from hierviz.messages.errors import TaxonomyError, listed, shown

# Every class costs as much memory as it has classes above it.
MOST_DEPTH = 1000
_HALF = re.compile("[\ud800-\udfff]")


def numbered(edges, where):
    """Number the nodes of named edges.

    Parameters
    ----------
    edges : iterable of (parent, child)
    where : str
        How errors call the source.

    Returns
    -------
    names : tuple of str, length n_nodes
        In the order that `Taxonomy.from_edges` describes.
    pairs : ndarray of int, shape (n_edges, 2)
        (parent, child) in the order of the source.
    notes : list of str
        What was dropped or added.

    Raises
    ------
    TaxonomyError
        If there is no edge, a name is empty, the edges form a cycle, or a node is more than `MOST_DEPTH` edges deep.
    """
    pairs = _pairs(edges, where)
    edges = list(dict.fromkeys(pairs))
    notes = [f"{len(pairs) - len(edges)} repeated edges were read once"] if len(edges) < len(pairs) else []
    named, tops = named_and_tops(edges)
    if len(named) < 2:
        raise TaxonomyError(f"{where}: expected at least two nodes, got {len(named)}. Is the file empty?")
    if not tops:
        raise TaxonomyError(_cycle_message(where, edges))
    if len(tops) > 1:
        root = "root" if "root" not in named else next(f"root {k}" for k in range(2, 9**9) if f"root {k}" not in named)
        notes.append(f"{len(tops)} nodes have no parent ({listed(tops)}): a root {root!r} was added above them")
        edges = _under_one_root(edges, set(tops), root)
    else:
        root = tops[0]
        edges = [edge for edge in edges if edge[0] is not None]
    names = _node_order(root, edges, where)
    number = {name: i for i, name in enumerate(names)}
    pairs = np.array([(number[parent], number[child]) for parent, child in edges], dtype=np.intp).reshape(-1, 2)
    depth = [0] * len(names)
    for above, below in pairs[np.argsort(pairs[:, 1], kind="stable")].tolist():
        depth[below] = max(depth[below], depth[above] + 1)
    require_depth(max(depth), names[depth.index(max(depth))], where)
    return tuple(names), pairs, notes


def named_and_tops(edges):
    """All names of edges as they come, and those among them that have no parent: two lists; a parent of None or "" is none."""
    is_child = {child for parent, child in edges if parent}
    named = list(dict.fromkeys(name for edge in edges for name in edge if name))
    return named, [name for name in named if name not in is_child]


def require_depth(depth, name, where):
    """Raise a TaxonomyError when the class `name` has more than `MOST_DEPTH` classes above it."""
    if depth > MOST_DEPTH:
        raise TaxonomyError(
            f"{where}: expected at most {MOST_DEPTH:,} levels, got {depth:,} above {name!r}. "
            "Leave levels out, or check that it is the right file."
        )


def _pairs(edges, where):
    """The edges as tuples of two names; a TaxonomyError names the first edge that is none."""
    if isinstance(edges, str) or hasattr(edges, "columns") or not hasattr(edges, "__iter__"):
        raise TaxonomyError(
            f"{where}: expected a list of pairs (parent, child), got {type(edges).__name__}. Pass such a list."
        )
    pairs = []
    for number, edge in enumerate(edges, start=1):
        if isinstance(edge, str) or not hasattr(edge, "__iter__"):
            raise TaxonomyError(
                f"{where}: expected a pair (parent, child) in edge {number}, got {shown(edge)}. Give both names."
            )
        pair = tuple(name if name is None else str(name) for name in edge)
        if len(pair) != 2:
            raise TaxonomyError(
                f"{where}: expected two names in edge {number}, got {listed(map(str, pair))}. Give parent and child."
            )
        parent, child = pair
        if child in ("", None) or parent == "":
            raise TaxonomyError(
                f"{where}: expected two names in edge {number}, got {(parent, child)!r}. Name every node."
            )
        if _HALF.search(child) or (parent and _HALF.search(parent)):
            raise TaxonomyError(
                f"{where}: expected names in Unicode text, got an unpaired surrogate in edge {number}: {(parent, child)!r}. "
                "Write the file in UTF-8 again."
            )
        if parent == child:
            raise TaxonomyError(
                f"{where}: expected a tree or a directed acyclic graph, got a cycle: {child!r} is its own parent "
                f"(edge {number}). Remove that edge."
            )
        pairs.append(pair)
    return pairs


def _under_one_root(edges, tops, root):
    """`edges` with (root, top) put before the first edge that names each top."""
    placed, result = set(), []
    for parent, child in edges:
        for name in (parent, child):
            if name in tops and name not in placed:
                placed.add(name)
                result.append((root, name))
        if parent is not None:
            result.append((parent, child))
    return result


def _node_order(root, edges, where):
    """The root, then nodes as they are first named as a child; a stable topological order when that puts a child first."""
    rank = {root: 0}
    for _, child in edges:
        rank.setdefault(child, len(rank))
    if all(parent in rank and rank[parent] < rank[child] for parent, child in edges):
        return list(rank)
    below, waiting = {}, dict.fromkeys(rank, 0)
    for parent, child in edges:
        below.setdefault(parent, []).append(child)
        waiting[child] += 1
    ready, order = [(0, root)], []
    while ready:
        _, name = heapq.heappop(ready)
        order.append(name)
        for child in below.get(name, ()):
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, (rank[child], child))
    if len(order) < len(rank):
        raise TaxonomyError(_cycle_message(where, edges))
    return order


def _cycle_message(where, edges):
    cycle, _ = cycle_of(edges)
    return (
        f"{where}: expected a tree or a directed acyclic graph, got a cycle: {cycle_words(cycle, 6)}. "
        "Remove one of these edges."
    )


def cycle_words(cycle, most):
    """The first names of a cycle, each above the next."""
    return " > ".join(map(shown, cycle[:most])) + (" > …" if len(cycle) > most else "")


def cycle_of(edges):
    """One way round a cycle.

    Parameters
    ----------
    edges : iterable of (parent, child)
        A parent of None or "" is none.

    Returns
    -------
    cycle : list of str
        Each name the parent of the next, the first one at both ends; empty where there is no cycle.
    left : set of str
        All names that lie on a cycle or below one.
    """
    above = {}
    for parent, child in edges:
        if parent:
            above.setdefault(child, []).append(parent)
    sorter = TopologicalSorter(above)
    try:
        sorter.prepare()
    except CycleError as error:
        cycle = error.args[1][:-1]
    else:
        return [], set()
    left = set(above)
    while ready := sorter.get_ready():
        left.difference_update(ready)
        sorter.done(*ready)
    start = cycle.index(min(cycle))
    return [*cycle[start:], *cycle[: start + 1]], left
