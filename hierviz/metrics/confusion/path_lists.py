"""Paths from the root: how predictions of several paths a sample are kept, and how a path continues to a node.

Conventions
-----------
A path holds nodes from the root (node 0) on, each a child of the one before. -1 is a node outside the taxonomy, for
example an empty label that was kept; only further -1 may follow it. "No prediction" is the path that holds only the root.
Children are in the order of the source's edges; "first" means first in that order.

Functions
---------
PathLists, Towards
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.taxonomy.node_lists import is_member, offsets_of
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


@dataclass(frozen=True, eq=False)
class PathLists(Short):
    """Ordered paths of each sample; a path that occurs often is kept once.

    Build with `from_lists`, `from_nodes` or `greedy_cover`.

    Parameters
    ----------
    offsets : ndarray of int, shape (n_samples + 1,)
        Sample i has the paths ``paths[which[j]]`` for j in ``offsets[i] ... offsets[i + 1] - 1``.
    which : ndarray of int, shape (offsets[-1],)
        Number of each listed path in `paths`.
    paths : NodeLists
        The paths that occur.
    """

    offsets: np.ndarray
    which: np.ndarray
    paths: NodeLists

    @classmethod
    def from_lists(cls, lists):
        """Build from one sequence of paths a sample, a path being a sequence of nodes; no path is the root-only one.

        Examples
        --------
        >>> found = PathLists.from_lists([[[0, 1, 2], [0, 4]], []])
        >>> [path.tolist() for path in found[0]], [path.tolist() for path in found[1]]
        ([[0, 1, 2], [0, 4]], [[0]])
        """
        known, which, offsets = {}, [], [0]
        for paths in lists:
            for path in list(paths) or [(0,)]:
                which.append(known.setdefault(tuple(map(int, path)), len(known)))
            offsets.append(len(which))
        return cls(np.array(offsets, dtype=np.intp), np.array(which, dtype=np.intp), NodeLists.from_lists(known))

    @classmethod
    def from_nodes(cls, taxonomy, nodes):
        """Build from nodes that each mean a path of their own, without any cover.

        Parameters
        ----------
        taxonomy : Taxonomy
        nodes : ndarray of int, shape (n_samples,), or NodeLists
            One node a sample, or lists; an empty list is the root-only path and -1 the path of one unknown node. In a
            graph a node means its first path in depth-first order.
        """
        nodes = _filled(NodeLists.of(nodes))
        ends, which = np.unique(nodes.nodes, return_inverse=True)
        unknown = int(len(ends) > 0 and ends[0] == -1)
        paths = Towards(taxonomy, ends[unknown:]).first_paths()
        if unknown:
            paths = NodeLists(np.append(0, paths.offsets + 2), np.append([0, -1], paths.nodes))
        return cls(nodes.offsets, which.astype(np.intp), paths)

    @classmethod
    def from_paths(cls, offsets, paths):
        """Build from all paths in the order of the samples: `offsets` as above, `paths` as NodeLists with repeats."""
        distinct, which = _distinct(paths)
        return cls(offsets, which, distinct)

    def __len__(self):
        return len(self.offsets) - 1

    def __getitem__(self, i):
        return [self.paths[j] for j in self.which[self.offsets[i] : self.offsets[i + 1]]]

    @property
    def lengths(self):
        """Number of paths of each sample, shape (n_samples,)."""
        return np.diff(self.offsets)

    @cached_property
    def ends(self):
        """Last node of each path as NodeLists, one list a sample: the labels of the paths."""
        return NodeLists(self.offsets, self.paths.nodes[self.paths.offsets[1:] - 1][self.which])

    @cached_property
    def known_lengths(self):
        """Number of nodes of the taxonomy on each path of `paths`, the root included, shape (len(paths),)."""
        return (
            np.add.reduceat(self.paths.nodes >= 0, self.paths.offsets[:-1], dtype=np.intp)
            if len(self.paths)
            else self.which
        )

    def take(self, rows):
        """The paths of some samples (ndarray of int), in that order, as PathLists."""
        lists = NodeLists(self.offsets, self.which).take(rows)
        return PathLists(lists.offsets, lists.nodes, self.paths)

    def check(self, taxonomy):
        """Raise a PredictionsError that names the sample unless every sample has a path and all of them are paths."""
        if len(self) and self.lengths.min() < 1:
            row = int(np.argmax(self.lengths < 1))
            raise PredictionsError(
                f"predicted, sample {row}: expected at least one path, got none. No prediction is the path [0] (the root)."
            )
        bad = self._bad_path(taxonomy)
        if bad is not None:
            path, why = bad
            row = int(np.searchsorted(self.offsets, np.argmax(self.which == path), side="right")) - 1
            nodes = self.paths[path].tolist()
            raise PredictionsError(
                f"predicted, sample {row}: expected a path from the root (node 0) down along edges, got {nodes[:12]}: {why}. "
                "Give all nodes of the path; -1 for one outside the taxonomy."
            )

    def _bad_path(self, taxonomy):
        """(number of the first path that is none, reason), or None."""
        nodes, offsets, n = self.paths.nodes, self.paths.offsets, taxonomy.n_nodes
        path_of = self.paths.rows
        if (self.paths.lengths == 0).any():
            return int(np.argmax(self.paths.lengths == 0)), "it is empty"
        wrong = (nodes < -1) | (nodes >= n)
        if wrong.any():
            return int(path_of[np.argmax(wrong)]), f"node numbers end at {n - 1}"
        wrong = nodes[offsets[:-1]] != 0
        if wrong.any():
            return int(np.argmax(wrong)), "it does not start at the root"
        inside = np.ones(len(nodes), dtype=bool)
        inside[offsets[:-1]] = False
        place = np.flatnonzero(inside)
        above, below = nodes[place - 1], nodes[place]
        edges = np.sort(taxonomy.edges[:, 0] * n + taxonomy.edges[:, 1])
        wrong = (below >= 0) & ~((above >= 0) & is_member(above * n + below, edges))
        if wrong.any():
            k = int(np.argmax(wrong))
            return int(path_of[place[k]]), f"there is no edge from {above[k]} to {below[k]}"
        return None


@dataclass(frozen=True, eq=False)
class Towards(Short):
    """The nodes at or above some targets, and the first step from each of them to its target.

    Parameters
    ----------
    taxonomy : Taxonomy
    targets : ndarray of int
        Nodes, ascending, each once.
    """

    taxonomy: Taxonomy
    targets: np.ndarray

    @cached_property
    def above(self):
        """Each target with its ancestors as NodeLists, ascending."""
        return self.taxonomy.ancestors(self.targets)

    @cached_property
    def slot(self):
        """Number of the target of each node of `above`."""
        return np.repeat(np.arange(len(self.targets)), self.above.lengths)

    @cached_property
    def keys(self):
        """Number of the target * n_nodes + node, for each node of `above`; ascending."""
        return self.slot * self.taxonomy.n_nodes + self.above.nodes

    def is_above(self, nodes, targets):
        """True where a node is the target or above it, element by element; False for -1."""
        if self.taxonomy.is_tree:
            return (nodes >= 0) & self.taxonomy.is_ancestor(np.maximum(nodes, 0), targets)
        return (nodes >= 0) & is_member(self._slots(targets) * self.taxonomy.n_nodes + nodes, self.keys)

    @cached_property
    def first_edge(self):
        """Row in ``taxonomy.edges`` of the first edge of each node of `above` that leads to its target."""
        taxonomy = self.taxonomy
        edge = edges_up(taxonomy).take(self.above.nodes)
        slot = np.repeat(self.slot, edge.lengths)
        place = np.searchsorted(self.keys, slot * taxonomy.n_nodes + taxonomy.edges[edge.nodes, 0])
        return first_of(len(self.keys), place, edge.nodes)

    def first_paths(self):
        """The first path in depth-first order from the root to each target, as NodeLists."""
        if self.taxonomy.is_tree:
            return self.above
        return joined(
            NodeLists(np.arange(len(self.targets) + 1), np.zeros(len(self.targets), dtype=np.intp)),
            self.rest(np.zeros(len(self.targets), dtype=np.intp), self.targets),
        )

    def rest(self, start, targets):
        """The nodes below `start` down to each target, always through the first child that leads there, as NodeLists."""
        return follow(self.taxonomy, self.keys, self.first_edge, self._slots(targets), start, targets)

    def _slots(self, targets):
        return np.searchsorted(self.targets, targets)


def follow(taxonomy, keys, first_edge, slot, start, end):
    """Walk from `start` to `end` along the first edges; the nodes after `start` as NodeLists.

    Parameters
    ----------
    taxonomy : Taxonomy
    keys, first_edge : ndarray of int, shape (n_places,)
        slot * n_nodes + node of each place, ascending, and the row of the edge to take there.
    slot, start, end : ndarray of int, shape (n_walks,)
    """
    rows, nodes = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
    walking, node = np.arange(len(start)), np.asarray(start, dtype=np.intp)
    while True:
        going = node != end[walking]
        walking, node = walking[going], node[going]
        if not len(walking):
            break
        place = np.searchsorted(keys, slot[walking] * taxonomy.n_nodes + node)
        node = taxonomy.edges[first_edge[place], 1]
        rows.append(walking)
        nodes.append(node)
    return grouped(np.concatenate(rows), np.concatenate(nodes), len(start))


def edges_up(taxonomy):
    """Rows of ``taxonomy.edges`` that end at each node, as NodeLists, parallel to ``taxonomy.parents``."""
    return NodeLists(taxonomy.parents.offsets, np.argsort(taxonomy.edges[:, 1], kind="stable"))


def first_of(n, places, edges):
    """The lowest of `edges` at each of n places, shape (n,); meaningless where there is none."""
    first = np.full(n, np.iinfo(np.intp).max)
    np.minimum.at(first, places, edges)
    return first


def grouped(rows, nodes, n):
    """`nodes` as n NodeLists by row, keeping their order."""
    order = np.argsort(rows, kind="stable")
    return NodeLists.of_pairs(rows[order], nodes[order], n)


def joined(heads, tails):
    """Each list of `heads` followed by the list of `tails` in the same place, as NodeLists."""
    rows = np.concatenate([heads.rows, tails.rows])
    return grouped(rows, np.concatenate([heads.nodes, tails.nodes]), len(heads))


def without_repeats(lists):
    """`lists` with each node once a list, in the order of first mention, as NodeLists."""
    if not len(lists.nodes) or lists.lengths.max() < 2:
        return lists
    n = int(lists.nodes.max()) + 2
    row = lists.rows
    _, first = np.unique(row * n + lists.nodes + 1, return_index=True)
    first.sort()
    return grouped(row[first], lists.nodes[first], len(lists))


def padded(paths, fill):
    """Paths as rows of one array, `fill` after their end, shape (n_paths, longest)."""
    lengths = paths.lengths
    table = np.full((len(paths), lengths.max(initial=0)), fill, dtype=np.intp)
    table[np.arange(table.shape[1]) < lengths[:, None]] = paths.nodes
    return table


def _filled(lists):
    """`lists` with the root in those that are empty."""
    empty = lists.lengths == 0
    if not empty.any():
        return lists
    return joined(lists, NodeLists(offsets_of(empty), np.zeros(int(empty.sum()), np.intp)))


def _distinct(paths):
    """The different paths as NodeLists, and the number of each path among them."""
    if not len(paths):
        return paths, np.empty(0, np.intp)
    # Paths are distinguished node by node: a number for the path so far, then for one node more.
    table = padded(paths, -2) + 2
    base, code = int(table.max()) + 1, np.zeros(len(paths), dtype=np.intp)
    for column in table.T:
        _, first, code = np.unique(code * base + column, return_index=True, return_inverse=True)
    return paths.take(first), code.astype(np.intp)
