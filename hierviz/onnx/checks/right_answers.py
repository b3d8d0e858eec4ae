"""Leaves answered by a model against the truth: the counts behind the checks of class order and preprocessing.

Conventions
-----------
An answered leaf is right when it is the truth or lies below it; with several true nodes, when it does so for one of them.
A truth of -1, or an empty list, is not known, and nothing is right there.
"""

from __future__ import annotations

import numpy as np

from hierviz.messages.number_text import percent_text
from hierviz.taxonomy.taxonomy import NodeLists


def are_right(taxonomy, truth, leaves):
    """Which answered leaves are right.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : ndarray of int, shape (n_samples,), or NodeLists
    leaves : ndarray of int, shape (n_samples,)
        -1 for no answer, which is never right.

    Returns
    -------
    ndarray of bool, shape (n_samples,)
    """
    truth = NodeLists.of(truth)
    right = np.zeros(len(leaves), dtype=bool)
    row = np.repeat(np.arange(len(leaves)), truth.lengths)
    known = (truth.nodes >= 0) & (leaves[row] >= 0)
    row, nodes = row[known], truth.nodes[known]
    if taxonomy.is_tree:
        right[row[taxonomy.is_ancestor(nodes, leaves[row])]] = True
        return right
    above = taxonomy.ancestors(leaves[row])
    pair = np.repeat(np.arange(len(row)), above.lengths)
    right[row[pair[above.nodes == nodes[pair]]]] = True
    return right


def top_level_wrong(taxonomy, truth, leaves):
    """Which answers lie below another child of the root than the truth (trees, one true node a sample).

    Parameters
    ----------
    taxonomy : Taxonomy
    truth, leaves : ndarray of int, shape (n_samples,)
        Truths of -1 or the root count as not wrong.

    Returns
    -------
    ndarray of bool, shape (n_samples,)
    """
    tops = np.flatnonzero(taxonomy.parent == 0)
    # The top of a node is the last one that does not start after it in depth-first order.
    start = np.sort(taxonomy.preorder[tops])
    branch = np.searchsorted(start, taxonomy.preorder, side="right")
    return (truth > 0) & (branch[leaves] != branch[truth])


def near_chance(n_right, n, n_leaves):
    """A warning when the accuracy is so low that class order or scaling may be wrong, else None.

    Parameters
    ----------
    n_right, n : int
        Of the samples whose truth is a leaf.
    n_leaves : int
        Chance is one in `n_leaves`. Below 3 times that is close to chance; with fewer than 8 leaves, less than two
        standard errors above it.
    """
    if not n:
        return None
    chance = 1 / n_leaves
    limit = 3 * n if n_leaves >= 8 else n_leaves * (n * chance + 2 * np.sqrt(n * chance * (1 - chance)))
    if n_right * n_leaves >= limit:
        return None
    return (
        f"accuracy is close to chance ({percent_text(n_right / n, 1)} of {n} leaves correct, {percent_text(chance, 1)} by "
        "chance): "
        "check the order of the classes and the scaling of the inputs"
    )
