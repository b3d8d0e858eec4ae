r"""The hierarchical win of Wu, Tygert & LeCun: how much of a row of probabilities lies near the truth.

Conventions
-----------
`p` has shape (n_samples, n_nodes), `truth` (n_samples,). With D the depth of the truth y and a_1 ... a_D = y its path
without the root,

    W = sum_d 2^-d p(a_d) + 2^-D p(y),        in [0, 1] for a distribution, higher is better,

the rescaled win used in every table of [1]_. The raw win counts the root too: (p(root) + W) / 2, in [1/2, 1].

When the scores have no leaf for an inner truth, the path ends at the truth, whose p counts twice, and a best leaf below
the truth counts as right: our convention, in step with truncation in `hierviz.metrics.path`. Trees only.

Leaves are ranked by p, equal ones in the order of classes (ascending node number). Of a truth at an inner node the best leaf
below it counts, as in top-1 accuracy.

Functions
---------
win, win_breakdown, best_leaf_metrics, leaf_ranks, node_heights

References
----------
.. [1] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically,
   version of 11 December 2019.
.. [2] L. Bertinetto et al., Making better mistakes: leveraging class hierarchies with deep networks, CVPR 2020, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.notebook_html import Short
from hierviz.metrics.node_pairs import with_outside
from hierviz.metrics.path import check_nodes, truncate
from hierviz.taxonomy.checks import (
    array_of_rows,
    check_taxonomy,
    check_truth_first,
    checked_probabilities,
    one_truth_each,
)
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


@dataclass(frozen=True, eq=False)
class WinBreakdown(Short):
    """The win of one sample, term by term along the true path, root left out.

    Attributes
    ----------
    nodes : ndarray of int, shape (depth,)
        The true path from depth 1 to the truth (the root alone when the truth is the root).
    weight : ndarray of float, shape (depth,)
        2^-d, the last one doubled; sums to 1.
    p : ndarray of float, shape (depth,)
        Probability of each node.
    term : ndarray of float, shape (depth,)
        weight * p; sums to `win`.
    lost : ndarray of float, shape (depth,)
        weight * (1 - p): what this node costs; sums to 1 - `win`.
    win, raw_win : float
        Rescaled and raw win.
    """

    nodes: np.ndarray
    weight: np.ndarray
    p: np.ndarray
    term: np.ndarray
    lost: np.ndarray
    win: float
    raw_win: float


def win(taxonomy: Taxonomy, truth: ArrayLike, p: ArrayLike, *, rescaled: bool = True) -> np.ndarray:
    r"""Hierarchical win of each sample.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        True nodes.
    p : ndarray of float, shape (n_samples, n_nodes)
        Node probabilities. The win is linear in them; they need not be normalised.
    rescaled : bool
        True: root left out and doubled, 0 to 1. False: the raw win, 1/2 to 1.

    Returns
    -------
    ndarray of float, shape (n_samples,)

    Raises
    ------
    PredictionsError
        If the shapes do not fit.

    Notes
    -----
    .. math:: W = \sum_{d=1}^{D} 2^{-d} p(a_d) + 2^{-D} p(y)

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> fish = Taxonomy.from_edges([("fish", "sturgeon"), ("sturgeon", "huso"), ("sturgeon", "acipenser")])
    >>> win(fish, fish.nodes("acipenser"), np.array([[1, 1, 1, 0.0]]))
    array([0.5])
    """
    truth, p = _checked(taxonomy, truth, p)
    rows, node = np.arange(len(truth)), truth.copy()
    total = np.ldexp(p[rows, truth], -taxonomy.depth[truth])
    for _ in range(taxonomy.max_depth):
        total += np.where(node > 0, np.ldexp(p[rows, node], -taxonomy.depth[node]), 0)
        node = np.maximum(taxonomy.parent[node], 0)
    return total if rescaled else (p[:, 0] + total) / 2


def win_breakdown(taxonomy: Taxonomy, truth: int, p: ArrayLike) -> WinBreakdown:
    """The win of one sample, term by term.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : int
        Its true node.
    p : ndarray of float, shape (n_nodes,)
        Node probabilities of the sample.

    Returns
    -------
    WinBreakdown

    Raises
    ------
    PredictionsError
        If `truth` is not one node number, or `p` not one row of finite numbers.
    TaxonomyError
        If the taxonomy is not a tree.
    """
    check_truth_first(truth, is_one_sample=True)
    check_taxonomy(taxonomy)
    if isinstance(truth, NodeLists) or np.ndim(truth):
        raise PredictionsError(f"truth: expected the node number of one sample, got {shown(truth)}. Pass one of them.")
    row = array_of_rows(p, "p")
    if row.shape != (taxonomy.n_nodes,):
        raise PredictionsError(
            f"p: expected shape ({taxonomy.n_nodes},), the row of one sample, got {row.shape}. "
            "Pass one row of node probabilities."
        )
    row = checked_probabilities(taxonomy, row[None])[0]
    value = win(taxonomy, np.array([truth]), row[None])[0]
    nodes = taxonomy.path(truth)
    nodes = nodes[1:] if len(nodes) > 1 else nodes
    weight = np.exp2(-np.arange(1.0, len(nodes) + 1))
    weight[-1] = 1.0 if truth == 0 else 2 * weight[-1]
    return WinBreakdown(
        nodes,
        weight,
        row[nodes],
        weight * row[nodes],
        weight * (1 - row[nodes]),
        float(value),
        float((row[0] + value) / 2),
    )


def best_leaf_metrics(taxonomy, truth, best_leaf):
    """What the paper reports of one leaf per sample.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth, best_leaf : ndarray of int, shape (n_samples,)
        `best_leaf` by `infer(rule="top_down")`; truncated at the truth here. -1 lies outside the taxonomy: a leaf below the root
        that is never true.

    Returns
    -------
    dict of str to ndarray of float, shape (n_samples,)
        ``one_hot_win``, ``coarsest_accuracy``, ``parents_accuracy``, ``finest_accuracy`` in [0, 1]; and, for ratios of
        sums, ``shared``, ``claimed`` and ``due``: nodes without the root of the common, the chosen and the true path.
    """
    return {key: make() for key, make in best_leaf_makers(taxonomy, truth, best_leaf).items()}


def best_leaf_makers(taxonomy, truth, best_leaf):
    """What makes each of `best_leaf_metrics`, by its name: of millions of samples not all need be in memory."""
    answer = truncate(taxonomy, truth, best_leaf)
    depth = taxonomy.depth
    shared = depth[lowest_common_ancestors(taxonomy, truth, answer)]
    right = answer == truth
    return {
        "one_hot_win": lambda: np.where(right, 1.0, 1 - np.exp2(-shared.astype(float))),
        "coarsest_accuracy": lambda: ((shared != 0) | right).astype(float),
        "parents_accuracy": lambda: ((taxonomy.parent[answer] == taxonomy.parent[truth]) & (answer >= 0)).astype(float),
        "finest_accuracy": lambda: right.astype(float),
        "shared": lambda: shared.astype(float),
        "claimed": lambda: with_outside(depth, 1)[answer].astype(float),
        "due": lambda: depth[truth].astype(float),
    }


def _checked(taxonomy: Taxonomy, truth: ArrayLike, p: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    check_taxonomy(taxonomy)
    taxonomy.require_tree("win")
    truth = one_truth_each(truth)
    p = checked_probabilities(taxonomy, p)
    if len(p) != len(truth):
        raise PredictionsError(
            f"p: expected shape ({len(truth)}, {taxonomy.n_nodes}) for {len(truth)} truths, got {p.shape}. Align them."
        )
    check_nodes(taxonomy, "truth", truth)
    return truth, p


def leaf_ranks(taxonomy, truth, p):
    """How many leaves rank before the best leaf at or below the truth.

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
