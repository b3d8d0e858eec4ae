"""The taxonomy as arrays, for training.

Conventions: node 0 is the root, node j > 0 is the child of row j - 1 of the edge list; leaves keep node order. Nothing
in this folder imports `hierviz`, so that models can be retrained without the package, and its tests can compare the
two.
"""

import hashlib
from functools import cached_property

import numpy as np


class Tree:
    """Nodes of an edge list whose parents come before their children.

    Parameters
    ----------
    edges : sequence of (str, str)
        Parent and child.
    """

    def __init__(self, edges):
        self.edges = tuple(edges)
        self.names = (self.edges[0][0], *(child for _, child in self.edges))
        self.number = {name: node for node, name in enumerate(self.names)}
        self.parent = np.array([-1, *(self.number[parent] for parent, _ in self.edges)])
        if len(self.number) != len(self.names) or (self.parent[1:] >= np.arange(1, len(self))).any():
            raise ValueError("edge list: expected each child once and parents before children")
        self.is_leaf = np.bincount(self.parent[1:], minlength=len(self)) == 0
        self.leaves = np.flatnonzero(self.is_leaf)

    def __len__(self):
        return len(self.names)

    @cached_property
    def contains(self):
        """bool, (n_nodes, n_nodes): whether node i is node j or an ancestor of it."""
        table = np.eye(len(self), dtype=bool)
        for node in range(1, len(self)):
            table[:, node] |= table[:, self.parent[node]]
        return table

    @cached_property
    def depth(self):
        """int, (n_nodes,): edges from the root."""
        return self.contains.sum(0) - 1

    @cached_property
    def information(self):
        """float, (n_nodes,): log2(n_leaves / leaves below the node), bits."""
        return np.log2(len(self.leaves) / self.contains[:, self.leaves].sum(1))

    @cached_property
    def grouped_by_parent(self):
        """int, (n_nodes - 1,): the node of each column of a conditional softmax, families side by side."""
        return 1 + np.argsort(self.parent[1:], kind="stable")

    @property
    def sha256(self):
        """Hash of the sorted lines parent<TAB>child<LF>: independent of node order."""
        return hashlib.sha256("".join(sorted(f"{a}\t{b}\n" for a, b in self.edges)).encode()).hexdigest()

    def lowest_common_ancestor(self, first, second):
        """Deepest node above both; int arrays of shape (n,) in, one out."""
        shared = self.contains[:, first] & self.contains[:, second]
        return np.where(shared, self.depth[:, None], -1).argmax(0)
