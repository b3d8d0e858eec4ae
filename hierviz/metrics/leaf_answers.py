r"""Numbers of the most probable leaves: the rank of the truth among them, and how far up a wrong one meets the truth.

Conventions
-----------
Leaves are ranked by p, equal ones in the order of classes (ascending node number). Of a truth at an inner node the best leaf
below it counts, as in top-1 accuracy.

Functions
---------
leaf_ranks, node_heights

References
----------
.. [1] L. Bertinetto et al., Making better mistakes: leveraging class hierarchies with deep networks, CVPR 2020, section 5.
"""

from __future__ import annotations

import numpy as np


def leaf_ranks(taxonomy, truth, p):
    """How many leaves stand before the best leaf at or below the truth.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        True nodes, leaves or inner nodes.
    p : ndarray of float, shape (n_samples, n_nodes)

    Returns
    -------
    ndarray of int, shape (n_samples,)
        From 0 (the most probable leaf) to n_leaves - 1. The truth is among the k most probable leaves where it is below k.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> leaf_ranks(taxonomy, taxonomy.nodes("dog", "mammal"), np.array([[1, 0.5, 0.25, 0.25, 0.5]] * 2))
    array([2, 1])
    """
    leaves = taxonomy.leaves
    of_leaves = p[:, leaves]
    place = np.searchsorted(leaves, truth).clip(max=len(leaves) - 1)
    inner = np.flatnonzero(~taxonomy.is_leaf[truth])
    if len(inner):
        is_below = taxonomy.is_ancestor(np.repeat(truth[inner], len(leaves)), np.tile(leaves, len(inner)))
        place[inner] = np.where(is_below.reshape(len(inner), -1), of_leaves[inner], -np.inf).argmax(axis=1)
    best = of_leaves[np.arange(len(p)), place][:, None]
    comes_first = np.arange(len(leaves)) < place[:, None]
    return ((of_leaves > best) | ((of_leaves == best) & comes_first)).sum(axis=1)


def node_heights(taxonomy):
    """Edges from each node down to the deepest leaf below it, ndarray of int, shape (n_nodes,); 0 at leaves. Trees only."""
    taxonomy.require_tree("heights")
    height = np.zeros(taxonomy.n_nodes, dtype=np.intp)
    for level in reversed(taxonomy.levels[1:]):
        np.maximum.at(height, taxonomy.parent[level], height[level] + 1)
    return height
