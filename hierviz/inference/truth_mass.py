r"""How probable each node is as the truth: what expected metrics are weighted with.

Conventions
-----------
`p` has shape (n_samples, n_nodes). The probability that the truth is exactly u is

.. math:: \tilde p(u) = p(u) - \sum_{c \in \text{children}(u)} p(c)

where this is at least 0 for all nodes of a sample: its truth may be an inner node, the root too. Where one is negative, the
model's probabilities are no distribution over nodes, and the truth is one of the leaves, each with its own p. The same
holds in a graph with several parents, where p counts a leaf once however many ways lead to it. Rounding is neither: a
difference up to `TIE` of the largest p of the sample is 0. Nothing is scaled: the sum of a row is what the model gives it.

Functions
---------
truth_mass, ancestor_counts
"""

from __future__ import annotations

import numpy as np

from hierviz.taxonomy.node_lists import frozen
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.taxonomy.tree_sums import child_sums

# Rounding of sums over ten thousand leaves stays below this share of the sum.
TIE = 1e-13


def truth_mass(taxonomy: Taxonomy, p: np.ndarray, *, leaves_only: bool = False) -> np.ndarray:
    """Probability that the truth is exactly each node, a new array of shape (n_samples, n_nodes), >= 0.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float64, shape (n_samples, n_nodes)
        Negative values of leaves count as 0.
    leaves_only : bool
        Take the leaves alone in any case.

    Examples
    --------
    The second row is no distribution: both children together are more probable than their parent.

    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> truth_mass(taxonomy, np.array([[1, 0.75, 0.5, 0.125, 0.25], [1, 0.5, 0.5, 0.25, 0.25]])).tolist()
    [[0.0, 0.125, 0.5, 0.125, 0.25], [0.0, 0.0, 0.5, 0.25, 0.25]]
    """
    of_leaves = np.where(taxonomy.is_leaf, np.maximum(p, 0.0), 0.0)
    if leaves_only or not taxonomy.is_tree:
        return of_leaves
    own = np.where(taxonomy.is_leaf, 0.0, p - child_sums(taxonomy, p))
    own[np.abs(own) <= TIE * np.abs(p).max(axis=1, initial=0.0)[:, None]] = 0.0
    own[(own < 0).any(axis=1)] = 0.0
    return own + of_leaves


def ancestor_counts(taxonomy: Taxonomy) -> np.ndarray:
    """Number of ancestors of each node, itself counted and the root not: in a tree its depth. Shape (n_nodes,) of int."""
    if taxonomy.is_tree:
        return taxonomy.depth
    return frozen(taxonomy.ancestors(np.arange(taxonomy.n_nodes)).lengths - 1)
