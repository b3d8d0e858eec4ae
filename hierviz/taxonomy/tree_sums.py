"""Sums and products along the tree, for rows of values of all nodes.

A tree's nodes in the order in which sums, products and searches run through it.

Conventions
-----------
Rows have shape (n_samples, n_nodes) and float64. In a tree the values of the children of a node are added one after the
other, in declared order, and then to the node's own value. `hierviz.compiled` adds in the same order, so that both give
the same bits, and a sum of numbers that are not negative never falls below one of them.

Functions
---------
sum_up, max_up, child_sums, accumulate_down, sum_in_order
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.messages.notebook_html import Short
from hierviz.taxonomy.node_lists import frozen
from hierviz.taxonomy.taxonomy import Taxonomy


def sum_up(taxonomy, p):
    """Add every node's value into its ancestors, in place. p: (n_samples, n_nodes), holding what each node owns itself."""
    if taxonomy.is_tree:
        for nodes, start, parents in reversed(taxonomy.families):
            p[:, parents] += _family_sums(p, nodes, start)
        return p
    return _reduced(taxonomy, p, np.add)


def child_sums(taxonomy, p):
    """Sum of the values of each node's children in a tree, 0 at leaves, a new array of the shape of `p`."""
    sums = np.zeros(p.shape)
    for nodes, start, parents in taxonomy.families:
        sums[:, parents] = _family_sums(p, nodes, start)
    return sums


def _family_sums(p, nodes, start):
    """Sum of each family of children, shape (n_samples, n_families); `nodes` and `start` as of `Taxonomy.families`."""
    family = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(nodes))))
    # `bincount` adds its weights one by one; `reduceat` adds in an order of its own.
    bins = (np.arange(len(p))[:, None] * len(start) + family).ravel()
    return np.bincount(bins, p[:, nodes].ravel(), len(p) * len(start)).reshape(len(p), len(start))


def max_up(taxonomy, p):
    """Raise every node to the largest value at it or below it, in place. p: (n_samples, n_nodes)."""
    if not taxonomy.is_tree:
        return _reduced(taxonomy, p, np.maximum)
    for nodes, start, parents in reversed(taxonomy.families):
        p[:, parents] = np.maximum(p[:, parents], np.maximum.reduceat(p[:, nodes], start, axis=1))
    return p


def _reduced(taxonomy, p, ufunc):
    """One value for each node of a graph out of those at it and below it, in place."""
    lists = taxonomy.ancestors(np.arange(taxonomy.n_nodes))
    below = np.repeat(np.arange(taxonomy.n_nodes), lists.lengths)
    order = np.argsort(lists.nodes, kind="stable")
    start = np.flatnonzero(np.diff(lists.nodes[order], prepend=-1))
    # Every node is its own ancestor, so each of the n_nodes groups has a member and comes out in node order.
    p[:] = ufunc.reduceat(p[:, below[order]], start, axis=1)
    return p


def accumulate_down(taxonomy, values, ufunc):
    """values[:, node] = ufunc(values[:, parent], values[:, node]) from the root down, in place."""
    for nodes, _, _ in taxonomy.families:
        values[:, nodes] = ufunc(values[:, taxonomy.parent[nodes]], values[:, nodes])
    return values


def sum_in_order(values):
    """Sum of each row, its values added one after the other; shape (n_samples,)."""
    return np.add.accumulate(values, axis=1)[:, -1]


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
        shape = place, node, parent, first, children.lengths[node], place[inner], place[taxonomy.leaves]
        arrays = *shape, rank, by_rank, taxonomy.n_leaves_below[node]
        return cls(*(frozen(np.ascontiguousarray(values, dtype=np.int32)) for values in arrays))
