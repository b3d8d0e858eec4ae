r"""How near the k most probable leaves are to the truth: mean height of common ancestors, LCA distance and HOPS.

Conventions
-----------
Leaves are ranked by p, equal ones in the order of classes. k is at most the number of leaves. Of a truth at an inner node the
leaves at or below it are right, as in `hierviz.metrics.win`: their common ancestor with the truth is the truth, and its height
counts as 0. Trees only.

A leaf c has, for a truth y, the rank r(c): how many of the nodes of the path from y up to the root, of which each is the common
ancestor of y and some leaf, are below lca(y, c). Sorted, the ranks of all leaves are the perfect order r_1 <= r_2 <= ...; with
the ranks o_1, o_2, ... of the leaves as the model orders them,

    HOPS@k = max(0, 1 - sum_{j <= k} w_j |r_j - o_j| / sum_{j <= k} w_j |r_j - r_{k+1-j}|),

where the weights fall linearly, within the leaves of one rank r, from 2^-r to 2^-(r+1), those of the last rank to 0, and are 1
at rank 0. Where the denominator is 0, as with k leaves below the truth, it is 1 if the first k leaves are perfect, else 0.

Functions
---------
best_leaves, best_leaf_numbers, perfect_ranks

References
----------
.. [1] L. Bertinetto et al., Making better mistakes: leveraging class hierarchies with deep networks, CVPR 2020, section 4.
.. [2] J. Shi et al., LCA-on-the-line: benchmarking out-of-distribution generalization with class taxonomies, ICML 2024, section
       3.
.. [3] D. Sani, D. Anand, Hier-COS: making deep features hierarchy-aware via composition of orthogonal subspaces, 2025, section 4.
"""

from __future__ import annotations

import numpy as np

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.registry import SIZES
from hierviz.metrics.win import node_heights

# HOPS of one leaf is top-1 accuracy.
HOPS_SIZES = (5, 20)


def best_leaves(taxonomy, p, k):
    """The k most probable leaves of each row.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float, shape (n_samples, n_nodes)
    k : int
        At least 1.

    Returns
    -------
    ndarray of int, shape (n_samples, min(k, n_leaves))
        The most probable first, equal ones in the order of classes.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog"), ("animal", "newt")])
    >>> best_leaves(taxonomy, np.array([[1, 0.25, 0.25, 0.5]]), 2)
    array([[3, 1]])
    """
    values = p[:, taxonomy.leaves]
    n, n_leaves = values.shape
    k = min(k, n_leaves)
    least = np.partition(values, n_leaves - k, axis=1)[:, n_leaves - k, None]
    chosen, ties = values > least, values == least
    # Of the leaves with the last value that is among the best only the first ones.
    ties &= np.cumsum(ties, axis=1) <= k - chosen.sum(axis=1)[:, None]
    columns = np.nonzero(chosen | ties)[1].reshape(n, k)
    order = np.argsort(-np.take_along_axis(values, columns, axis=1), axis=1, kind="stable")
    return taxonomy.leaves[np.take_along_axis(columns, order, axis=1)]


def best_leaf_numbers(taxonomy, truth, leaves):
    """Numbers of the block ``best_leaves`` of each sample.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
    leaves : ndarray of int, shape (n_samples, k)
        Of `best_leaves`, for the largest of `SIZES`; -1 for a class outside the taxonomy, which is below the root.

    Returns
    -------
    dict of str to ndarray of float, shape (n_samples,)
        ``lca_height_K`` in edges, ``lca_depth_K`` in edges and ``lca_information_K`` in bits, lower is better, the last two nan
        where the first leaf is right; ``hops_K`` in [0, 1], higher is better.
    """
    k = leaves.shape[1]
    common = lowest_common_ancestors(taxonomy, np.repeat(truth, k), leaves.ravel()).reshape(leaves.shape)
    # What lies outside the taxonomy is below the root, and not right even there.
    is_right = (common == truth[:, None]) & (leaves >= 0)
    is_wrong = ~is_right[:, 0]
    heights = np.where(is_right, 0, node_heights(taxonomy)[common])
    found = {f"lca_height_{size}": heights[:, :size].mean(axis=1) for size in SIZES}
    for name, value in (("depth", taxonomy.depth), ("information", taxonomy.information)):
        missing = (value[truth][:, None] - value[common]).astype(float)
        found |= {f"lca_{name}_{size}": np.where(is_wrong, missing[:, :size].mean(axis=1), np.nan) for size in SIZES}
    return found | _hops(taxonomy, truth, common, leaves < 0)


def perfect_ranks(taxonomy, truth, k):
    """Ranks and weights of the first k leaves in the perfect order of some truths, and the rank of each depth.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_truths,)
    k : int
        At most the number of leaves.

    Returns
    -------
    ranks : ndarray of int, shape (n_truths, k)
    weights : ndarray of float, shape (n_truths, k)
    of_depth : ndarray of int, shape (n_truths, max_depth + 1)
        Rank of the leaves of which the common ancestor with the truth has this depth; -1 where there is none.
    """
    width, row = taxonomy.max_depth + 1, np.arange(len(truth))
    # Leaves whose common ancestor with the truth is at each depth.
    n_leaves, node = np.zeros((len(truth), width), dtype=np.intp), truth.copy()
    n_leaves[row, taxonomy.depth[truth]] = taxonomy.n_leaves_below[truth]
    for _ in range(taxonomy.max_depth):
        inner = np.flatnonzero(node)
        parent = taxonomy.parent[node[inner]]
        n_leaves[inner, taxonomy.depth[parent]] = taxonomy.n_leaves_below[parent] - taxonomy.n_leaves_below[node[inner]]
        node[inner] = parent
    # From the truth upwards, depths without a leaf left out of the count.
    upwards = n_leaves[:, ::-1]
    rank = np.cumsum(upwards > 0, axis=1) - 1
    ends = np.cumsum(upwards, axis=1)
    place = np.arange(k)
    at = (ends[:, None, :] <= place[None, :, None]).sum(axis=2)
    ranks, size = np.take_along_axis(rank, at, axis=1), np.take_along_axis(upwards, at, axis=1)
    step = place - (np.take_along_axis(ends, at, axis=1) - size)
    last = rank[:, -1][:, None]
    high = np.exp2(-ranks.astype(float))
    low = np.where(ranks == last, 0.0, np.where(ranks == 0, 1.0, high / 2))
    return ranks, high + (low - high) * step / size, np.where(upwards > 0, rank, -1)[:, ::-1]


def _hops(taxonomy, truth, common, is_outside):
    """HOPS of each sample from the common ancestors of its truth and its best leaves, and which of these are none."""
    targets, place = np.unique(truth, return_inverse=True)
    ranks, weights, of_depth = perfect_ranks(taxonomy, targets, common.shape[1])
    # Where no leaf has only the root in common with the truth, a class outside the taxonomy comes after all of them.
    of_depth[:, 0] = np.where(of_depth[:, 0] < 0, of_depth.max(axis=1) + 1, of_depth[:, 0])
    rank = of_depth[place[:, None], taxonomy.depth[common]]
    # All leaves are below a truth at the root; what lies outside is not.
    rank += is_outside & (truth == 0)[:, None]
    off = weights[place] * np.abs(rank - ranks[place])
    found = {}
    for size in HOPS_SIZES:
        own = ranks[:, :size]
        worst = (weights[:, :size] * np.abs(own - own[:, ::-1])).sum(axis=1)[place]
        lost = off[:, :size].sum(axis=1)
        found[f"hops_{size}"] = np.clip(1 - np.where(worst > 0, ratio(lost, worst), lost > 0), 0, 1)
    return found
