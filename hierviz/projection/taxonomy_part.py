r"""A part of a taxonomy that holds every ancestor of its nodes: cut at a depth or a rank, or pruned to known classes.

Conventions
-----------
Nodes keep their order, so that ties are broken as before; depth, leaves and information are those of the part, counted
again. A node that is not in the part goes to its nearest ancestor that is; in a graph there may be several such nodes.

Functions
---------
TaxonomyPart, part_to_depth, part_to_level, part_of_known

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hierviz.messages.errors import TaxonomyError, listed, near_miss, shown
from hierviz.messages.notebook_html import Short
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

# Attribute of nodes that names their rank, and what the reader of level columns found.
RANK, LEVELS, FIRST_LEVEL, IS_ROOT = "rank", "levels", "first level", "the root"


@dataclass(frozen=True, eq=False)
class TaxonomyPart(Short):
    """Some nodes of a taxonomy with all their ancestors.

    Attributes
    ----------
    whole, taxonomy : Taxonomy
        What it is a part of, and the part as a taxonomy of its own.
    nodes : ndarray of int, shape (n_part,)
        Node of the whole for each node of the part, ascending.
    number : ndarray of int, shape (n_whole,)
        Node of the part for each node of the whole, -1 where it has none.
    """

    whole: Taxonomy
    taxonomy: Taxonomy
    nodes: np.ndarray
    number: np.ndarray

    @classmethod
    def of(cls, whole: Taxonomy, kept: np.ndarray, what: str) -> TaxonomyPart:
        """The part of the nodes where `kept` (ndarray of bool, shape (n_nodes,)) is True.

        Raises
        ------
        TaxonomyError
            If only the root is left, or a node is kept and one of its parents is not.
        """
        parent, child = whole.edges.T
        lost = np.flatnonzero(kept[child] & ~kept[parent])
        if len(lost):
            above, below = (whole.names[node] for node in whole.edges[lost[0]])
            raise TaxonomyError(
                f"{what}: expected every class that is kept to keep its parents, got {below!r} without its parent {above!r}, "
                "which lies deeper by its own shortest path. Cut a tree, or choose another depth."
            )
        nodes = np.flatnonzero(kept)
        if len(nodes) < 2:
            raise TaxonomyError(
                f"{what}: expected at least two nodes to be kept, got only the root. Choose another part."
            )
        number = np.full(whole.n_nodes, -1, dtype=np.intp)
        number[nodes] = np.arange(len(nodes))
        places = nodes.tolist()
        part = Taxonomy(
            tuple(whole.names[node] for node in places),
            number[whole.edges[kept[child]]],
            None if whole.titles is None else tuple(whole.titles[node] for node in places),
            {key: tuple(values[node] for node in places) for key, values in whole.attributes.items()},
            whole.notes,
            whole.detected,
        )
        return cls(whole, part, nodes, number)

    @property
    def is_whole(self) -> bool:
        """True when no node is missing."""
        return len(self.nodes) == self.whole.n_nodes

    @cached_property
    def nearest(self) -> np.ndarray:
        """Node of the part that each node of a whole tree goes to, shape (n_whole,): itself, or its nearest ancestor."""
        number, near = self.number, self.number.copy()
        for nodes, _, _ in self.whole.families:
            near[nodes] = np.where(number[nodes] >= 0, number[nodes], near[self.whole.parent[nodes]])
        return near

    def project(self, nodes: np.ndarray | NodeLists) -> np.ndarray | NodeLists:
        """Nodes of the part for nodes of the whole.

        Parameters
        ----------
        nodes : ndarray of int, shape (n,), or NodeLists
            -1 stays.

        Returns
        -------
        ndarray of int, shape (n,), or NodeLists
            The nearest ancestors in the part, of each list every one once, in the order in which they are first named. One
            node a sample becomes lists where a node of a graph has several nearest ancestors.
        """
        if isinstance(nodes, NodeLists):
            return self._project_lists(nodes)
        if self.whole.is_tree:
            return np.where(nodes >= 0, self.nearest[nodes], -1)
        if (self.number[nodes[nodes >= 0]] >= 0).all():
            return np.where(nodes >= 0, self.number[nodes], -1)
        return self._project_lists(NodeLists.of(nodes).only(nodes >= 0))

    def _project_lists(self, lists):
        row = lists.rows
        if self.whole.is_tree:
            node = np.where(lists.nodes >= 0, self.nearest[lists.nodes], -1)
        else:
            inside = lists.nodes >= 0
            lowest = self._lowest(lists.nodes[inside])
            lengths = np.ones(len(row), dtype=np.intp)
            lengths[inside] = lowest.lengths
            node = np.full(lengths.sum(), -1, dtype=np.intp)
            node[np.repeat(inside, lengths)] = lowest.nodes
            row = np.repeat(row, lengths)
        return _distinct_lists(row, node, len(lists), self.taxonomy.n_nodes)

    def _lowest(self, nodes):
        """For each node of a graph the nodes of the part above it that are parents of no other of them, as NodeLists."""
        distinct, place = np.unique(nodes, return_inverse=True)
        above = self.whole.ancestors(distinct)
        row, node = above.rows, self.number[above.nodes]
        row, node = row[node >= 0], node[node >= 0]
        n = self.taxonomy.n_nodes
        parents = self.taxonomy.parents.take(node)
        is_lowest = ~np.isin(row * n + node, np.repeat(row, parents.lengths) * n + parents.nodes)
        row, node = row[is_lowest], node[is_lowest]
        return NodeLists.of_pairs(row, node, len(distinct)).take(place)


def _distinct_lists(row, node, n_lists, n_nodes):
    """NodeLists of (row, node), each node once a row; every -1 stays, for each is a label of its own."""
    keys = row * (n_nodes + 1) + node
    first = np.zeros(len(keys), dtype=bool)
    first[np.unique(keys, return_index=True)[1]] = True
    first |= node < 0
    return NodeLists.of_pairs(row[first], node[first], n_lists)


def part_to_depth(taxonomy: Taxonomy, max_depth: int) -> TaxonomyPart:
    """The nodes of at most some depth.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree, or a graph in which no node that stays has a parent that lies deeper.
    max_depth : int
        In edges, at least 1. Leaves above it stay.

    Raises
    ------
    TaxonomyError
        If the depth is no whole number from 1 up, or the part is not defined on this graph.
    """
    check_taxonomy(taxonomy)
    if not isinstance(max_depth, (int, np.integer)) or isinstance(max_depth, bool) or max_depth < 1:
        raise TaxonomyError(
            f"max_depth: expected a whole number of edges from 1 up, got {shown(max_depth)}. Choose one."
        )
    return TaxonomyPart.of(taxonomy, taxonomy.depth <= max_depth, f"depth {max_depth}")


def part_to_level(taxonomy: Taxonomy, level: Any) -> TaxonomyPart:
    """The nodes of one rank and everything that does not lie below such a node: leaves above it stay.

    Parameters
    ----------
    taxonomy : Taxonomy
    level : str or int
        A value of the node attribute ``rank``, the header of a level column of the file, or a depth in edges.

    Raises
    ------
    TaxonomyError
        If no node is of that rank; names the ranks that there are.
    """
    check_taxonomy(taxonomy)
    text = str(level).strip()
    ranks = taxonomy.attributes.get(RANK)
    if ranks is not None:
        names = [str(rank).strip() for rank in ranks]
        is_at = np.array([name.casefold() == text.casefold() for name in names])
        if is_at.any():
            lists = taxonomy.ancestors(np.arange(taxonomy.n_nodes))
            node = np.repeat(np.arange(taxonomy.n_nodes), lists.lengths)
            is_below = np.zeros(taxonomy.n_nodes, dtype=bool)
            is_below[node[is_at[lists.nodes] & (lists.nodes != node)]] = True
            return TaxonomyPart.of(taxonomy, ~is_below, f"level {text!r}")
    headers = [name.strip() for name in taxonomy.detected.get(LEVELS, "").split(" > ") if name.strip()]
    places = [place for place, name in enumerate(headers) if name.casefold() == text.casefold()]
    if len(places) == 1:
        return part_to_depth(taxonomy, places[0] + (taxonomy.detected.get(FIRST_LEVEL) != IS_ROOT))
    if text.isdecimal() and int(text) >= 1:
        return part_to_depth(taxonomy, int(text))
    known = list(dict.fromkeys([*(str(rank) for rank in ranks or () if rank not in (None, "")), *headers]))
    there = f"one of {listed(known, 8)}, or a depth" if known else "a depth from 1 up (the file names no ranks)"
    raise TaxonomyError(f"level: expected {there}, got {text!r}.{near_miss(text, known)} Choose one.")


def part_of_known(taxonomy: Taxonomy, nodes: np.ndarray) -> TaxonomyPart:
    """The subtree, or subgraph, of some nodes and their ancestors.

    Parameters
    ----------
    taxonomy : Taxonomy
    nodes : ndarray of int, shape (n,)
        Numbers of nodes, in any order.
    """
    check_taxonomy(taxonomy)
    kept = np.zeros(taxonomy.n_nodes, dtype=bool)
    kept[0] = True
    kept[taxonomy.ancestors(np.unique(nodes)).nodes] = True
    return TaxonomyPart.of(taxonomy, kept, "known classes")


def with_leaves(taxonomy: Taxonomy, parents: np.ndarray, names: list[str]) -> Taxonomy:
    """The taxonomy with one more leaf under each of some nodes; they come after all other nodes."""
    n = taxonomy.n_nodes
    edges = np.column_stack([parents, np.arange(n, n + len(parents))]).astype(taxonomy.edges.dtype)
    nothing = (None,) * len(parents)
    return replace(
        taxonomy,
        names=(*taxonomy.names, *names),
        edges=np.concatenate([taxonomy.edges, edges]),
        titles=None if taxonomy.titles is None else (*taxonomy.titles, *names),
        attributes={key: (*values, *nothing) for key, values in taxonomy.attributes.items()},
    )
