r"""How large each node's probability can be when only some scores of a sample are listed.

Conventions
-----------
`scores` are ListedScores. For leaf probabilities let r = max(0, 1 - listed mass). A leaf that is not listed has a probability
in [0, u], where u is the smallest listed one, or r if that is less, for the k best of a sample, and r for other lists. A node
with the listed mass a below it, and m unlisted leaves below it and m' elsewhere, has a probability in

    [a + max(0, r - m' u),  a + min(r, m u)],

which is exactly what the completions of the list give. For probabilities of nodes that have no sum, each node that is not
listed lies in [0, u], with u = 1 for lists that are not the best ones; the root is 1.

Rows of leaf probabilities may miss 1 by the tolerance with which they are accepted, for example because their numbers were
rounded for a file: the unlisted mass lies within `ROUNDING` of 1 - listed mass. A node below which all leaves are listed has
exactly the probability that the whole row would give it; bounds of other inner nodes are 1e-12 wider, because sums depend on
their order.

Functions
---------
UnknownMass, node_bounds
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.messages.notebook_html import Short
from hierviz.predictions.parametrisation import SUM_TOLERANCE, node_probabilities
from hierviz.taxonomy.tree_sums import sum_up

# How far a row may miss 1, the rounding of its sum included.
ROUNDING = SUM_TOLERANCE + 1e-9
# Two sums of the same numbers in another order may differ by this much.
_OF_SUMS = 1e-12


@dataclass(frozen=True, eq=False)
class UnknownMass(Short):
    """What is not listed of some rows; arrays of shape (n_rows,).

    Attributes
    ----------
    least, most : ndarray of float
        Bounds of the mass of all unlisted leaves together; 0 and infinite for probabilities of nodes.
    each : ndarray of float
        The most that one unlisted leaf, or node, has.
    n_unlisted : ndarray of int
    """

    least: np.ndarray
    most: np.ndarray
    each: np.ndarray
    n_unlisted: np.ndarray

    @classmethod
    def from_scores(cls, scores, rows, is_distribution):
        """Of some rows (ndarray of int) of ListedScores."""
        each, n_unlisted = scores.largest_unlisted(rows), scores.n_columns - scores.lengths[rows]
        if not is_distribution:
            return cls(np.zeros(len(rows)), np.full(len(rows), np.inf), each, n_unlisted)
        rest = 1 - scores.mass(rows)
        each = np.minimum(each, np.maximum(rest + ROUNDING, 0))
        most = np.minimum(np.maximum(rest + ROUNDING, 0), n_unlisted * each)
        return cls(np.minimum(np.maximum(rest - ROUNDING, 0), most), most, each, n_unlisted)


def node_bounds(predictions, rows):
    """Lowest and highest probability of every node.

    Parameters
    ----------
    predictions : Predictions
        On a tree, with ListedScores.
    rows : ndarray of int

    Returns
    -------
    low, high : ndarray of float64, shape (n_rows, n_nodes)
        Equal where nothing is unknown.
    """
    taxonomy, scores = predictions.taxonomy, predictions.scores
    is_distribution = predictions.parametrisation == "leaf_probabilities"
    unknown = UnknownMass.from_scores(scores, rows, is_distribution)
    low = node_probabilities(taxonomy, scores[rows], predictions.parametrisation, predictions.scored_nodes)
    place, column, _ = scores.entries(rows)
    if not is_distribution:
        listed = np.zeros(low.shape, dtype=bool)
        listed[:, 0] = True
        listed[place, column + 1] = True
        return low, np.where(listed, low, unknown.each[:, None])
    n_unlisted = np.zeros(low.shape)
    n_unlisted[:, taxonomy.leaves] = 1
    n_unlisted[place, taxonomy.leaves[column]] = 0
    sum_up(taxonomy, n_unlisted)
    each = unknown.each[:, None]
    is_unknown_sum = (n_unlisted > 0) & (each > 0) & ~taxonomy.is_leaf
    high = low + np.minimum(unknown.most[:, None], n_unlisted * each) + is_unknown_sum * _OF_SUMS
    low += np.maximum(unknown.least[:, None] - (unknown.n_unlisted[:, None] - n_unlisted) * each - _OF_SUMS, 0)
    return low, np.maximum(low, high)
