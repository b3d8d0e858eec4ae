"""Probabilities along the path to the most probable leaf, compiled by numba."""

import numpy as np

from hierviz.compiled.compiling import compiled
from hierviz.compiled.kernels import TILE, probabilities


@compiled
def run_paths(given, layout, depth, max_depth):
    """The most probable leaf of each row, the first of equal ones, and the probabilities from the root down to it.

    Parameters as of `hierviz.compiled.kernels.run`; layout: node, parent, first, n_children, inner, leaves; depth: of each place.

    Returns
    -------
    is_complete : bool
        False where a value is negative or not finite.
    found : ndarray of int32, shape (n,)
        The leaf, a node.
    p : ndarray of float64, shape (n, max_depth + 1)
        By depth; what is below the leaf is not set.
    """
    node, parent, first, n_children, inner, leaves = layout
    n, q = given[0].shape[0], np.ones((len(node), TILE))
    mass, least, top = np.zeros(TILE), np.zeros(TILE), np.zeros(TILE)
    found, p, best = np.empty(n, np.int32), np.empty((n, max_depth + 1)), np.empty(TILE, np.int32)
    for start in range(0, n, TILE):
        if not probabilities(given, start, inner, first, n_children, q, mass, least, top):
            return False, found, p
        for r in range(TILE):
            best[r] = leaves[0]
        for j in range(1, len(leaves)):
            for r in range(TILE):
                if q[leaves[j], r] > q[best[r], r]:
                    best[r] = leaves[j]
        for r in range(min(TILE, n - start)):
            place = best[r]
            found[start + r] = node[place]
            while place > 0:
                p[start + r, depth[place]] = q[place, r]
                place = parent[place]
            p[start + r, 0] = q[0, r]
    return True, found, p
