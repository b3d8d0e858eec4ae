"""Lists of nodes of different lengths, kept in two arrays, and walks along them.

Conventions
-----------
Nodes are integers. Where the lists are the neighbours of nodes, list i holds the neighbours of node i: its parents, or its
children. Arrays over nodes have shape (n_nodes,).

Functions
---------
NodeLists, distinct, counted, is_member, group, frozen, steps_from, reached, lowest_common
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hierviz.messages.errors import TaxonomyError
from hierviz.messages.notebook_html import Short

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# More pairs of a node and one that it leads to are refused (5 GB); marks for the search of repeats (64 MB).
MOST_PAIRS, MARKS_AT_ONCE = 100_000_000, 64_000_000
# Places of a table of all numbers for each number that is counted in it.
PLACES_A_NUMBER = 4


@dataclass(frozen=True, eq=False)
class NodeLists(Short):
    """Lists of nodes of different lengths, one after the other.

    Parameters
    ----------
    offsets : ndarray of int, shape (n_lists + 1,)
        List i is ``nodes[offsets[i]:offsets[i + 1]]``.
    nodes : ndarray of int, shape (offsets[-1],)
    """

    offsets: np.ndarray
    nodes: np.ndarray

    @classmethod
    def from_lists(cls, lists: Iterable[ArrayLike]) -> NodeLists:
        """Build from an iterable of sequences of node numbers."""
        parts = [np.asarray(nodes_of_list, dtype=np.intp).reshape(-1) for nodes_of_list in lists]
        lengths = np.array([len(part) for part in parts], dtype=np.intp)
        nodes = np.concatenate(parts) if parts else np.empty(0, np.intp)
        return cls(offsets_of(lengths), nodes)

    @classmethod
    def of(cls, nodes: ArrayLike | NodeLists) -> NodeLists:
        """Lists of one node each from an array, shape (n,); NodeLists as they are."""
        if isinstance(nodes, NodeLists):
            return nodes
        nodes = np.asarray(nodes)
        # What is no node number is left to the checks of those who know what it should be.
        return cls(np.arange(len(nodes) + 1), nodes.astype(np.intp, copy=False) if nodes.dtype.kind in "iu" else nodes)

    @classmethod
    def of_pairs(cls, row: np.ndarray, nodes: np.ndarray, n_lists: int) -> NodeLists:
        """From the list and node of every entry, each of shape (n_entries,), the lists in ascending order."""
        return cls(offsets_of(np.bincount(row, minlength=n_lists)), nodes)

    @classmethod
    def concatenate(cls, parts: Sequence[NodeLists]) -> NodeLists:
        """The lists of several NodeLists, in order."""
        lengths = np.concatenate([np.empty(0, np.intp), *(part.lengths for part in parts)])
        nodes = np.concatenate([np.empty(0, np.intp), *(part.nodes for part in parts)])
        return cls(offsets_of(lengths), nodes)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> np.ndarray:
        return self.nodes[self.offsets[i] : self.offsets[i + 1]]

    @property
    def rows(self) -> np.ndarray:
        """List of every entry, shape of `nodes`."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def lengths(self) -> np.ndarray:
        """Number of nodes of each list, shape (n_lists,)."""
        return np.diff(self.offsets)

    def only(self, kept: np.ndarray) -> NodeLists:
        """The lists with some of their nodes; `kept` is of bool, shape of `nodes`."""
        return NodeLists(np.append(0, np.cumsum(kept)).astype(np.intp)[self.offsets], self.nodes[kept])

    def take(self, rows: np.ndarray | slice) -> NodeLists:
        """The lists of `rows` (ndarray of int, or slice), in that order, as NodeLists."""
        offsets, places = entries_of(self.offsets, rows)
        return NodeLists(offsets, self.nodes[places])


def offsets_of(lengths):
    """Where runs of these lengths begin and end, shape (n_runs + 1,)."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)


def entries_of(offsets, rows):
    """Offsets of some runs (ndarray of int, or slice), in that order, and the place of each of their entries."""
    starts = offsets[:-1][rows]
    lengths = offsets[1:][rows] - starts
    taken = offsets_of(lengths)
    return taken, np.arange(taken[-1]) + np.repeat(starts - taken[:-1], lengths)


def frozen(array):
    """The array itself, read-only from now on."""
    array.flags.writeable = False
    return array


def group(keys, values, n):
    """`values` in NodeLists by key 0..n-1, keeping their order."""
    order = np.argsort(keys, kind="stable")
    return NodeLists(frozen(offsets_of(np.bincount(keys, minlength=n))), frozen(values[order]))


def steps_from(neighbours, start):
    """Fewest steps from node `start` to every node along `neighbours`, shape (n_nodes,); -1 where none lead there."""
    steps = np.full(len(neighbours), -1, dtype=np.intp)
    front, step = np.array([start], dtype=np.intp), 0
    while len(front):
        steps[front] = step
        reached = distinct(neighbours.take(front).nodes)
        front, step = reached[steps[reached] < 0], step + 1
    return steps


def reached(neighbours, nodes, *, one_way=False):
    """Each node with all nodes that `neighbours` lead to, as NodeLists in ascending order.

    Parameters
    ----------
    neighbours : NodeLists
        Without cycles.
    nodes : ndarray of int, shape (n,)
    one_way : bool
        No node is reached on two ways, as the ancestors in a tree: spares the search for repeats.

    Raises
    ------
    TaxonomyError
        Before these are more than `MOST_PAIRS` in all.
    """
    n_nodes, nodes = len(neighbours), np.asarray(nodes, dtype=np.intp)
    # One mark for every pair that may come, a block of rows at a time; memory that is not marked is never touched.
    step = len(nodes) if one_way else max(1, MARKS_AT_ONCE // max(1, n_nodes))
    pairs, total = [np.empty(0, np.intp)], 0
    for start in range(0, len(nodes), step or 1):
        some = nodes[start : start + step]
        seen = None if one_way else np.zeros(len(some) * n_nodes, dtype=bool)
        front = np.arange(len(some)) * n_nodes + some
        while len(front):
            total += len(front)
            if total > MOST_PAIRS:
                raise TaxonomyError(
                    f"taxonomy: expected at most {MOST_PAIRS // 10**6} million pairs of a class and a class above it, "
                    "got more. Leave levels out, or pass fewer samples at a time."
                )
            pairs.append(front + start * n_nodes)
            row, node = np.divmod(front, n_nodes)
            near = neighbours.take(node)
            front = np.repeat(row * n_nodes, near.lengths) + near.nodes
            if not one_way:
                seen[pairs[-1] - start * n_nodes] = True
                front = distinct(front[~seen[front]])
    row, node = np.divmod(np.sort(np.concatenate(pairs)), n_nodes)
    return NodeLists.of_pairs(row, node, len(nodes))


def distinct(numbers):
    """The different ones of some whole numbers, ascending: `numpy.unique` hashes them (numpy 2.4), which takes far longer."""
    numbers = np.sort(numbers)
    return numbers[np.append(True, numbers[1:] != numbers[:-1])] if len(numbers) else numbers


def counted(numbers, n):
    """The different ones of some whole numbers from 0 to n - 1, ascending, and how often each is there."""
    if n <= PLACES_A_NUMBER * len(numbers):
        count = np.bincount(numbers, minlength=n)
        found = np.flatnonzero(count)
        return found, count[found]
    numbers = np.sort(numbers)
    first = np.flatnonzero(np.diff(numbers, prepend=-1))
    return numbers[first], np.diff(np.append(first, len(numbers)))


def is_member(some, ascending):
    """Which of `some` occur in an ascending array, shape of `some`."""
    if not len(ascending):
        return np.zeros(len(some), dtype=bool)
    place = np.minimum(np.searchsorted(ascending, some), len(ascending) - 1)
    return ascending[place] == some


def lowest_common(parent, a, b):
    """Lowest common ancestors in a tree, element by element; `parent` of every node, smaller than the node itself."""
    a, b = (np.array(nodes, dtype=np.intp) for nodes in np.broadcast_arrays(a, b))
    differ = np.flatnonzero(a != b)
    while len(differ):
        # Parents have smaller numbers: the larger of two different nodes cannot be an ancestor of the smaller.
        x, y = a[differ], b[differ]
        a[differ], b[differ] = np.where(x > y, parent[x], x), np.where(y > x, parent[y], y)
        differ = differ[a[differ] != b[differ]]
    return a
