r"""The worst answers where samples have several true classes, several answers, or a graph of classes.

Conventions
-----------
With T the true nodes and A the answers of a sample, both with all ancestors and without the root [1]_,

    hP = |T & A| / |A|,  hR = |T & A| / |T|,  hF1 = 2 |T & A| / (|T| + |A|),  lost hF1 = 1 - hF1.

A label outside the taxonomy is one more answer that is wrong.

Functions
---------
set_mistakes

References
----------
.. [1] S. Kiritchenko et al., Learning and evaluation in the presence of class hierarchies, Canadian AI 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.evaluation._judged_answers import JudgedAnswers, judged_answers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.ranking import largest_first
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Short
from hierviz.metrics.sets.node_sets import set_overlap, set_scores
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


@dataclass(frozen=True, eq=False)
class SetMistakes(Short):
    """Samples, the worst first.

    Attributes
    ----------
    taxonomy : Taxonomy
    row : ndarray of int, shape (n,)
        Rows of the Predictions.
    truth, predicted : NodeLists
        True nodes and answers as they are listed; -1 is a label outside the taxonomy.
    hp, hr, lost_hf1 : ndarray of float, shape (n,)
        In [0, 1]; higher is better of the first two, worse of the last.
    """

    taxonomy: Taxonomy
    row: np.ndarray
    truth: NodeLists
    predicted: NodeLists
    hp: np.ndarray
    hr: np.ndarray
    lost_hf1: np.ndarray

    def __len__(self):
        return len(self.row)

    def take(self, places: np.ndarray) -> SetMistakes:
        """Some of the samples, by place."""
        lists = (self.truth.take(places), self.predicted.take(places))
        return SetMistakes(
            self.taxonomy, self.row[places], *lists, self.hp[places], self.hr[places], self.lost_hf1[places]
        )

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a sample; names joined by ``;``, a label outside the taxonomy being ""."""
        names = (*self.taxonomy.names, "")
        texts = {
            key: [";".join(names[node] for node in lists[i].tolist()) for i in range(len(self))]
            for key, lists in (("truth", self.truth), ("predicted", self.predicted))
        }
        return frame({"row": self.row, **texts, "hp": self.hp, "hr": self.hr, "lost_hf1": self.lost_hf1})


def set_mistakes(
    evaluation: Evaluation | Predictions | JudgedAnswers,
    rule: str = "threshold_set",
    threshold: float = 0.5,
    *,
    only_wrong: bool = True,
    **parameters: Any,
) -> SetMistakes:
    """Judged samples ranked by lost hF1, the order of the file on ties.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
        Of scores or labels, of trees or graphs, with one truth a sample or several.
    rule, threshold, **parameters
        How the answers are chosen, as in `Evaluation.answers`; ignored for labels.
    only_wrong : bool
        Leave out samples that lost nothing.

    Returns
    -------
    SetMistakes

    Raises
    ------
    PredictionsError
        If no sample has a known truth, or the rule or a parameter is not valid.
    """
    check_kind("only_wrong", only_wrong, bool, "Say True or False.")
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    truth, predicted = NodeLists.of(answers.truth), NodeLists.of(answers.predicted)
    shared, claimed, due = set_overlap(answers.taxonomy, truth, predicted)
    hp, hr, f1 = set_scores(shared, claimed, due)
    lost = np.where(claimed + due == 0, 0.0, 1 - f1)
    order = largest_first(lost)
    if only_wrong:
        order = order[lost[order] > 0]
    return SetMistakes(
        answers.taxonomy,
        answers.rows[order],
        truth.take(order),
        predicted.take(order),
        hp[order],
        hr[order],
        lost[order],
    )
