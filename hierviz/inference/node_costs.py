r"""Expected costs of all nodes of a tree, for costs with a name.

Conventions
-----------
C(v, u) is the cost of the answer v when the truth is exactly u, with a = lca(v, u), d the depth and I the information; 0/0 is 1.
Answers are not truncated at the truth: below a truth that is an inner node, they cost what they claim beyond it, where block
``predicted`` takes them as exact. Where truths are leaves both are the same.

===================================  =================================================================
info_dist, depth_dist                value(v) + value(u) - 2 value(a)
info_f1, depth_f1                    1 - 2 value(a) / (value(v) + value(u))
info_precision, depth_precision      1 - value(a) / value(v): the root costs nothing
info_recall, depth_recall            1 - value(a) / value(u): the more specific, the better
wu_palmer                            1 - 2 (d(a) + 1) / (d(v) + d(u) + 2)
win                                  1 - (1 where v = u, else 1 - 2^-d(a))
exact                                1 unless v = u
correct                              1 unless v is u or above it: the root costs nothing
===================================  =================================================================

Nothing is of size nodes x nodes: what u and v share is one sum up the tree and one down (`hierviz.inference.crm`), for F1 one
of each for every value that truths have.

Functions
---------
expected_costs, NODE_COSTS
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import numpy as np

from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.taxonomy.tree_sums import accumulate_down, sum_up


def expected_costs(taxonomy: Taxonomy, mass: np.ndarray, cost: str) -> tuple[np.ndarray, np.ndarray]:
    """Expected cost of every node under the probabilities of truths.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    mass : ndarray of float, shape (n_samples, n_nodes)
        Probability that the truth is exactly each node, >= 0.
    cost : str
        A key of `NODE_COSTS`.

    Returns
    -------
    expected : ndarray of float, shape (n_samples, n_nodes)
        >= 0 but for rounding; edges, bits or dimensionless.
    scale : ndarray of float, shape (n_samples,)
        Size of the terms that were added up.

    Examples
    --------
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> expected_costs(taxonomy, np.array([[0, 0, 0.5, 0.25, 0.25]]), "depth_dist")[0].tolist()
    [[1.75, 1.25, 1.25, 1.75, 2.25]]
    """
    taxonomy.require_tree(f"cost {cost!r}")
    return NODE_COSTS[cost](taxonomy, mass)


def _information(taxonomy):
    return taxonomy.information


def _depth(taxonomy):
    return taxonomy.depth.astype(np.float64)


def _shared(taxonomy, mass, value):
    """Sum over truths u of mass(u) value(lca(u, v)) for every node v."""
    steps = value - np.where(taxonomy.parent >= 0, value[taxonomy.parent], 0.0)
    return accumulate_down(taxonomy, sum_up(taxonomy, mass.copy()) * steps, np.add)


def _quotient(part, whole, empty):
    """part / whole, `empty` where whole is 0."""
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), empty)


def _lost(rewards):
    """Costs of a reward in [0, 1]: (taxonomy, mass, total) -> expected reward of every node."""

    def of(taxonomy, mass):
        total = mass.sum(axis=1)
        return total[:, None] - rewards(taxonomy, mass, total[:, None]), total

    return of


def _distance(value_of):
    def of(taxonomy, mass):
        value, total = value_of(taxonomy), mass.sum(axis=1)
        due = (mass * value).sum(axis=1)
        costs = value * total[:, None] + due[:, None] - 2 * _shared(taxonomy, mass, value)
        return costs, total * 2 * value.max(initial=0.0)

    return of


def _f1(value_of):
    def rewards(taxonomy, mass, total):
        value, found = value_of(taxonomy), np.zeros(mass.shape)
        # Truths of one value share a denominator.
        for due in np.unique(value[(mass > 0).any(axis=0)]):
            own = np.where(value == due, mass, 0.0)
            whole = value + due
            found += _quotient(2 * _shared(taxonomy, own, value), whole, own.sum(axis=1, keepdims=True))
        return found

    return _lost(rewards)


def _precision(value_of):
    def rewards(taxonomy, mass, total):
        value = value_of(taxonomy)
        return _quotient(_shared(taxonomy, mass, value), value, total)

    return _lost(rewards)


def _recall(value_of):
    def rewards(taxonomy, mass, total):
        value = value_of(taxonomy)
        free = np.where(value > 0, 0.0, mass).sum(axis=1, keepdims=True)
        return _shared(taxonomy, _quotient(mass, value, 0.0), value) + free

    return _lost(rewards)


def _win(taxonomy, mass, total):
    return _shared(taxonomy, mass, 1 - 0.5**taxonomy.depth) + mass * 0.5**taxonomy.depth


# By the values of `hierviz.inference.parameters.COST`: (taxonomy, mass) -> (costs, scale).
NODE_COSTS: MappingProxyType[str, Callable] = MappingProxyType(
    {
        "depth_dist": _distance(_depth),
        "info_dist": _distance(_information),
        "info_f1": _f1(_information),
        "depth_f1": _f1(_depth),
        "wu_palmer": _f1(lambda taxonomy: _depth(taxonomy) + 1),
        "win": _lost(_win),
        "exact": _lost(lambda taxonomy, mass, total: mass),
        "correct": _lost(lambda taxonomy, mass, total: sum_up(taxonomy, mass.copy())),
        "info_precision": _precision(_information),
        "depth_precision": _precision(_depth),
        "info_recall": _recall(_information),
        "depth_recall": _recall(_depth),
    }
)
