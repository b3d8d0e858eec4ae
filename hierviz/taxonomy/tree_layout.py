"""A tree's nodes in the order in which sums, products and searches run through it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.messages.notebook_html import Short
from hierviz.taxonomy.node_lists import frozen
from hierviz.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class TreeLayout(Short):
    """The nodes of a tree by place: siblings side by side in declared order, each family close to its parent.

    Attributes
    ----------
    place : ndarray of int32, shape (n_nodes,)
        Place of every node; the root has place 0.
    node : ndarray of int32, shape (n_nodes,)
        Node at every place.
    parent : ndarray of int32, shape (n_nodes,)
        Place of the parent of the node at every place; 0 for the root.
    first, n_children : ndarray of int32, shape (n_nodes,)
        Place of the first child of the node at every place, and how many there are.
    inner : ndarray of int32, shape (n_inner,)
        Places of the inner nodes from the root down: parents before children.
    leaves : ndarray of int32, shape (n_leaves,)
        Places of the leaves in the order of classes, ascending by node.
    rank : ndarray of int32, shape (n_nodes,)
        Of the node at every place: its number when all nodes are sorted by leaves below, then by node.
    by_rank : ndarray of int32, shape (n_nodes,)
        Place of the node of every rank.
    n_leaves_below : ndarray of int32, shape (n_nodes,)
        Of the node at every place.
    """

    place: np.ndarray
    node: np.ndarray
    parent: np.ndarray
    first: np.ndarray
    n_children: np.ndarray
    inner: np.ndarray
    leaves: np.ndarray
    rank: np.ndarray
    by_rank: np.ndarray
    n_leaves_below: np.ndarray

    @classmethod
    def from_taxonomy(cls, taxonomy: Taxonomy) -> TreeLayout:
        """The layout of a tree."""
        taxonomy.require_tree("layout")
        children = taxonomy.children
        inner = np.flatnonzero(~taxonomy.is_leaf)
        inner = inner[np.argsort(taxonomy.preorder[inner])]
        below = children.take(inner)
        node = np.append(0, below.nodes)
        place = np.empty(taxonomy.n_nodes, dtype=np.intp)
        place[node] = np.arange(taxonomy.n_nodes)
        first = np.zeros(taxonomy.n_nodes, dtype=np.intp)
        first[place[inner]] = 1 + below.offsets[:-1]
        by_rank = place[np.argsort(taxonomy.n_leaves_below, kind="stable")]
        rank = np.empty(taxonomy.n_nodes, dtype=np.intp)
        rank[by_rank] = np.arange(taxonomy.n_nodes)
        parent = np.zeros(taxonomy.n_nodes, dtype=np.intp)
        parent[1:] = place[taxonomy.parent[node[1:]]]
        arrays = {
            "place": place,
            "node": node,
            "parent": parent,
            "first": first,
            "n_children": children.lengths[node],
            "inner": place[inner],
            "leaves": place[taxonomy.leaves],
            "rank": rank,
            "by_rank": by_rank,
            "n_leaves_below": taxonomy.n_leaves_below[node],
        }
        return cls(**{name: frozen(np.ascontiguousarray(values, dtype=np.int32)) for name, values in arrays.items()})
