r"""What the probabilities of one sample would be if one class had another.

Functions
---------
what_if, changed_sample, why_no_what_if
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from hierviz.diagnosis._lane_bars import ROUNDING
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.number_text import probability_text
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import checked_probabilities, is_within
from hierviz.taxonomy.positions import check_position
from hierviz.taxonomy.taxonomy import Taxonomy

# By so much, files of probabilities may be off.
LOOSE = 2e-3


def what_if(taxonomy: Taxonomy, p: ArrayLike, node: int, value: float) -> np.ndarray:
    r"""Node probabilities in which one class has another value and nothing above it changes.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    p : array_like of float, shape (n_nodes,)
        Node probabilities of one sample: no child above its parent, no siblings above it together.
    node : int
        Of a class with siblings.
    value : float
        Its new probability, from 0 to that of its parent.

    Returns
    -------
    ndarray of float, shape (n_nodes,)

    Raises
    ------
    PredictionsError
        If `node` cannot be changed, see `why_no_what_if`, or `value` is out of range.

    Notes
    -----
    With the parent b of the class a and its new value v,

    .. math:: p'(a) = v,\qquad p'(s) = p(s)\, \frac{p(b) - v}{p(b) - p(a)}\quad\text{for its siblings } s,

    and so does what p(b) leaves beside its children. Where a had all of p(b), its siblings share the rest equally. Below a class
    that has changed, p keeps its proportions: :math:`p'(c) = p'(d)\, p(c) / p(d)` for a child c of d; where p(d) = 0, the
    children of d share equally.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> what_if(taxonomy, [1, 0.75, 0.5, 0.25, 0.25], taxonomy.node("newt"), 0.625)
    array([1.   , 0.375, 0.25 , 0.125, 0.625])
    """
    (row,) = checked_probabilities(taxonomy, np.asarray(p)[None])
    check_position("node", node, taxonomy.n_nodes, "node number", error=PredictionsError)
    if reason := why_no_what_if(taxonomy, row, node):
        raise PredictionsError(f"{taxonomy.names[node]}: expected a class whose probability can be changed; {reason}.")
    parent = int(taxonomy.parent[node])
    whole = float(row[parent])
    if not is_within(value, 0.0, whole):
        raise PredictionsError(
            f"{taxonomy.names[node]}: expected a probability from 0 to {probability_text(whole)}, that of its parent "
            f"{taxonomy.names[parent]}, got {shown(value)}. Choose one in that range."
        )
    siblings = taxonomy.children[parent]
    siblings = siblings[siblings != node]
    changed = row.copy()
    rest, before = whole - value, max(whole - row[node], row[siblings].sum())
    changed[node] = value
    changed[siblings] = row[siblings] * (rest / before) if before > ROUNDING else rest / len(siblings)
    below = np.zeros(taxonomy.n_nodes, dtype=bool)
    below[taxonomy.subtree(parent)] = True
    n_children = taxonomy.children.lengths
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(row[taxonomy.parent] > 0, row / row[taxonomy.parent], 1 / n_children[taxonomy.parent])
    for level in taxonomy.levels[int(taxonomy.depth[node]) + 1 :]:
        inside = level[below[level]]
        changed[inside] = changed[taxonomy.parent[inside]] * share[inside]
    return changed


def changed_sample(evaluation: Evaluation, row: int, changes: Iterable[tuple[int, float]]) -> Evaluation:
    """One sample with the probabilities of some classes changed, one after the other.

    Parameters
    ----------
    evaluation : Evaluation
        Of scores.
    row : int
        Of the sample.
    changes : iterable of (int, float)
        Nodes and their new probabilities; what is above that of the parent by then is lowered to it.

    Returns
    -------
    Evaluation
        Of that sample alone.
    """
    before, one = evaluation.predictions, np.array([row])
    taxonomy = before.taxonomy
    p = before.node_probabilities(one)[0]
    for node, value in changes:
        p = what_if(taxonomy, p, node, min(value, float(p[taxonomy.parent[node]])))
    truth = before.truth.take(one) if before.truth is not None else None
    attributes = {key: np.asarray(values)[one] for key, values in before.attributes.items()}
    ids = np.array([before.sample_id(row)])
    predictions = Predictions.from_scores(
        taxonomy,
        p[None],
        "node_probabilities",
        scored_nodes=np.arange(taxonomy.n_nodes),
        truth=truth,
        name=before.name,
        sample_ids=ids,
        attributes=attributes,
    )
    return Evaluation.from_predictions(predictions)


def why_no_what_if(taxonomy: Taxonomy, p: np.ndarray, node: int) -> str:
    """Why the probability of a class cannot be changed, as part of a sentence; "" where it can.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float, shape (n_nodes,)
    node : int
    """
    if not taxonomy.is_tree:
        return "in a graph a class may have several parents"
    if node == 0:
        return "the root has probability 1"
    parent = int(taxonomy.parent[node])
    if len(taxonomy.children[parent]) == 1:
        return "an only child has no siblings to share with"
    together = np.bincount(taxonomy.parent[1:], p[1:], taxonomy.n_nodes)
    if (together > p + LOOSE)[~taxonomy.is_leaf].any():
        return "the children of a class are together more probable than it"
    return ""
