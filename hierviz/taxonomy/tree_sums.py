r"""Sums and products along the tree, for rows of values of all nodes.

Conventions
-----------
Rows have shape (n_samples, n_nodes) and float64. In a tree the values of the children of a node are added one after the
other, in declared order, and then to the node's own value. `hierviz.compiled` adds in the same order, so that both give
the same bits, and a sum of numbers that are not negative never falls below one of them.

Functions
---------
sum_up, max_up, accumulate_down, sum_in_order
"""

from __future__ import annotations

import numpy as np


def sum_up(taxonomy, p):
    """Add every node's value into its ancestors, in place. p: (n_samples, n_nodes), holding what each node owns itself."""
    if taxonomy.is_tree:
        for nodes, start, parents in reversed(taxonomy.families):
            family = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(nodes))))
            # `bincount` adds its weights one by one; `reduceat` adds in an order of its own.
            bins = (np.arange(len(p))[:, None] * len(start) + family).ravel()
            sums = np.bincount(bins, p[:, nodes].ravel(), len(p) * len(start)).reshape(len(p), len(start))
            p[:, parents] += sums
        return p
    return _reduced(taxonomy, p, np.add)


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
