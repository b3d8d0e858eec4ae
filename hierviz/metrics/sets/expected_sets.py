r"""Which set of nodes a sample should be answered with, if the model's probabilities are right.

Conventions
-----------
`p` holds node probabilities; the truth is drawn from the leaves, leaf l with probability p(l) over the sum of p over
the leaves. Sets are augmented with ancestors and leave out the root. E[hF1] of a set H is

.. math:: E[hF_1(H)] = \sum_l p(l)\, \frac{2\, |H \cap A(l)|}{|H| + |A(l)|}

with A(l) the leaf and its ancestors. The empty set has 0. Works on graphs. This is the argument of [1]_, Figures 7 and 8
(appendix C.1), for all thresholds instead of a few.

Functions
---------
expected_hf1, expected_by_threshold, ExpectedSets

References
----------
.. [1] R. Plaud, M. Labeau, A. Saillenfest, T. Bonald, Revisiting hierarchical text classification: inference and
       metrics, CoNLL 2024.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.sets.node_sets import closed_keys, highest_below, node_weights, predicted_keys
from hierviz.metrics.ties import at_least
from hierviz.taxonomy.checks import checked_probabilities


@dataclass(frozen=True, eq=False)
class ExpectedSets(Short):
    """Expected F1 of every set that one sample's thresholds can give, from the empty set to the largest.

    Attributes
    ----------
    threshold_from, threshold_below : ndarray of float, shape (n_sets,)
        Set i is what every threshold in [from, below) gives with p > threshold; descending.
    size : ndarray of int, shape (n_sets,)
        Number of nodes.
    order : ndarray of int
        Nodes in the order in which they enter.
    expected : ndarray of float, shape (n_sets,)
        In [0, 1], higher is better.
    """

    threshold_from: np.ndarray
    threshold_below: np.ndarray
    size: np.ndarray
    order: np.ndarray
    expected: np.ndarray

    def nodes(self, i):
        """Nodes of set i, ascending."""
        return np.sort(self.order[: self.size[i]])

    @property
    def best(self):
        """Place of the set with the highest expectation; the smallest one on ties."""
        return int(np.argmax(at_least(self.expected, self.expected.max())))


def expected_by_threshold(taxonomy, p):
    """Expected hF1 of one sample at every threshold.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float, shape (n_nodes,)

    Returns
    -------
    ExpectedSets

    Raises
    ------
    PredictionsError
        If `p` has another shape or no leaf has a probability above 0.

    Examples
    --------
    Figure 7 of [1]_: the best answer is neither at threshold 0.5 nor the most probable path.

    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("root", "1"), ("root", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
    >>> sets = expected_by_threshold(taxonomy, np.array([1, 0.75, 0.25, 0.2, 0.2, 0.35]))
    >>> [taxonomy.names[i] for i in sets.nodes(sets.best)], round(float(sets.expected[sets.best]), 3)
    (['1', '2', '5'], 0.565)
    """
    p = checked_probabilities(taxonomy, np.asarray(p, dtype=np.float64)[None])
    mass, weights = _leaf_mass(taxonomy, p[0]), node_weights(taxonomy)
    scores = highest_below(taxonomy, p)[0]
    order = np.argsort(-scores[1:], kind="stable") + 1
    order = order[scores[order] > 0]
    # Leaves whose paths weigh the same share a denominator: mass below every node by what is due, then one running sum.
    lists = taxonomy.ancestors(taxonomy.leaves)
    due = np.add.reduceat(weights[lists.nodes], lists.offsets[:-1])
    distinct, kind = np.unique(np.round(due, 9), return_inverse=True)
    below = np.bincount(
        lists.nodes * len(distinct) + np.repeat(kind, lists.lengths),
        np.repeat(mass, lists.lengths),
        minlength=taxonomy.n_nodes * len(distinct),
    ).reshape(taxonomy.n_nodes, len(distinct))
    shared = np.cumsum(weights[order, None] * below[order], axis=0)
    claimed = np.cumsum(weights[order])
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True)) if len(order) else np.empty(0, np.intp)
    expected = ratio(2 * shared[ends], claimed[ends, None] + distinct, empty=0.0).sum(axis=1)
    steps = scores[order[ends]]
    sets = ExpectedSets(
        np.append(steps, 0.0),
        np.concatenate([[1.0], steps]),
        np.concatenate([[0], ends + 1]),
        order,
        np.concatenate([[0.0], expected]),
    )
    if sets.threshold_from[0] < 1:
        return sets
    # Something has probability 1: no threshold below 1 gives the empty set.
    return ExpectedSets(sets.threshold_from[1:], sets.threshold_below[1:], sets.size[1:], sets.order, sets.expected[1:])


def expected_hf1(taxonomy, p, sets):
    """Expected hF1 of given sets of nodes of one sample.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float, shape (n_nodes,)
    sets : NodeLists
        Ancestors are added. -1 is a label outside the taxonomy, never true.

    Returns
    -------
    ndarray of float, shape (n_sets,)
        In [0, 1], dimensionless, higher is better.
    """
    mass = _leaf_mass(taxonomy, checked_probabilities(taxonomy, np.asarray(p, dtype=np.float64)[None])[0])
    keys, outside = predicted_keys(taxonomy, sets)
    row, node = np.divmod(closed_keys(taxonomy, keys), taxonomy.n_nodes)
    lists, weights = taxonomy.ancestors(taxonomy.leaves), node_weights(taxonomy)
    due = np.add.reduceat(weights[lists.nodes], lists.offsets[:-1])
    inside = np.zeros((len(sets), taxonomy.n_nodes))
    inside[row, node] = weights[node]
    claimed = inside.sum(axis=1) + outside
    shared = np.add.reduceat(inside[:, lists.nodes], lists.offsets[:-1], axis=1)
    return (ratio(2 * shared, claimed[:, None] + due, empty=0.0) * mass).sum(axis=1)


def _leaf_mass(taxonomy, p):
    """p of the leaves, divided by its sum, shape (n_leaves,)."""
    mass = p[taxonomy.leaves]
    total = mass.sum()
    if total <= 0:
        raise PredictionsError(
            "p, row 0: expected a leaf with a probability above 0, got none. The truth is drawn from the leaves."
        )
    return mass / total
