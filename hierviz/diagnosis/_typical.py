"""The most typical right answers of a class: what the model takes for a clear case of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.ties import largest_first
from hierviz.taxonomy.checks import check_kind
from hierviz.taxonomy.positions import check_position
from hierviz.taxonomy.taxonomy import NodeLists


def typical_samples(
    evaluation: Evaluation,
    node: int,
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    most: int = 1,
    but: Iterable[int] = (),
    **parameters: Any,
) -> np.ndarray:
    """Samples of a class that are answered exactly right with the highest probability of the class.

    Parameters
    ----------
    evaluation : Evaluation
        Of scores or labels on a tree, with one truth and one answer a sample.
    node : int
        The class; samples of the classes below it count too.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
    most : int
        How many at most.
    but : iterable of int
        Rows that are left out, such as that of the sample they are compared with.

    Returns
    -------
    ndarray of int, shape (n,)
        Rows of the Predictions, the most probable first, the first of the file of equal ones; labels in the order of the file.
        Empty where no such sample is answered exactly right.

    Raises
    ------
    PredictionsError
        If there is no such node or rule, no truth is known, or truths or answers are sets.

    Examples
    --------
    >>> from hierviz import Evaluation, Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    >>> scores = [[0.75, 0.25], [0.875, 0.125], [1, 0]]
    >>> truth = taxonomy.nodes("cat", "cat", "dog")
    >>> found = Evaluation.from_predictions(Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth))
    >>> typical_samples(found, taxonomy.node("cat"), most=2)
    array([1, 0])
    """
    check_kind("evaluation", evaluation, Evaluation, "Use Evaluation.from_predictions.")
    taxonomy, predictions = evaluation.taxonomy, evaluation.predictions
    taxonomy.require_tree("typical_samples")
    check_position("node", node, taxonomy.n_nodes, "node number")
    judged = judged_answers(evaluation, rule, threshold, **parameters)
    if isinstance(judged.truth, NodeLists) or isinstance(judged.predicted, NodeLists):
        raise PredictionsError(
            f"{predictions.name}: expected one truth and one answer a sample, got sets. Choose a rule that answers one class."
        )
    known = judged.predicted >= 0
    is_right = known & taxonomy.is_ancestor(judged.truth, np.where(known, judged.predicted, 0))
    is_right &= taxonomy.is_ancestor(node, judged.truth) & ~np.isin(judged.rows, list(but))
    rows = judged.rows[is_right]
    if not predictions.has_scores or not len(rows):
        return rows[:most]
    step = max(1, 2**22 // taxonomy.n_nodes)
    p = [predictions.node_probabilities(rows[start : start + step])[:, node] for start in range(0, len(rows), step)]
    return rows[largest_first(np.concatenate(p))[:most]]
