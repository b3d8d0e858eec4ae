r"""Classes, truths and answers by depth, and how many labels a sample has.

Conventions
-----------
The depth of a node is the number of edges from the root, in a graph by the shortest path. What several labels of one sample
have in common counts once for each label here.

Functions
---------
level_table
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.evaluation._judged_answers import JudgedAnswers, judged_answers, known_answers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Short
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.taxonomy import NodeLists


@dataclass(frozen=True, eq=False)
class LevelTable(Short):
    """Numbers by depth, arrays of int, shape (max_depth + 1,), and by number of labels.

    Attributes
    ----------
    n_nodes, n_leaves : ndarray of int
        Nodes and leaves at each depth.
    n_truths, n_answers : ndarray of int
        True nodes and answers at each depth, over all judged samples.
    truths_per_sample, answers_per_sample : ndarray of int
        Number of judged samples with 0, 1, 2, ... of them; an answer outside the taxonomy is none.
    """

    n_nodes: np.ndarray
    n_leaves: np.ndarray
    n_truths: np.ndarray
    n_answers: np.ndarray
    truths_per_sample: np.ndarray
    answers_per_sample: np.ndarray

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a depth."""
        keys = ("n_nodes", "n_leaves", "n_truths", "n_answers")
        return frame({"depth": np.arange(len(self.n_nodes)), **{key: getattr(self, key) for key in keys}})


def level_table(
    evaluation: Evaluation | Predictions | JudgedAnswers,
    rule: str = "majority",
    threshold: float = 0.5,
    **parameters: Any,
) -> LevelTable:
    """Classes, truths and answers by depth, and labels by sample.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
        Of scores or labels, of trees or graphs, with one truth a sample or several.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.

    Returns
    -------
    LevelTable

    Raises
    ------
    PredictionsError
        If no sample has a known truth, or the rule or a parameter is not valid.
    """
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    depth = answers.taxonomy.depth
    truth, predicted = answers.truth, known_answers(answers.predicted)

    def by_depth(nodes):
        return np.bincount(depth[nodes.nodes if isinstance(nodes, NodeLists) else nodes], minlength=depth.max() + 1)

    def by_number(nodes):
        return np.bincount(nodes.lengths) if isinstance(nodes, NodeLists) else np.array([0, len(nodes)])

    return LevelTable(
        by_depth(np.arange(len(depth))),
        by_depth(answers.taxonomy.leaves),
        by_depth(truth),
        by_depth(predicted),
        by_number(truth),
        by_number(predicted),
    )
