"""How several models answer the same samples: how many are wrong, and the class that most of them name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.evaluation._judged_answers import JudgedAnswers
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Rows
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.taxonomy.checks import check_kind
from hierviz.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class AnswerAgreement(Rows):
    """The answers of some models to some samples; arrays of shape (n,).

    Attributes
    ----------
    sample_id : ndarray of str
    named : ndarray of int
        The node that most models answer with; of several equally frequent ones that of the first model.
    n_named : ndarray of int
        How many models do so.
    n_wrong : ndarray of int
        How many models are wrong: their answer is neither the truth nor above it.
    n_models : int
    taxonomy : Taxonomy
    """

    sample_id: np.ndarray
    named: np.ndarray
    n_named: np.ndarray
    n_wrong: np.ndarray
    n_models: int
    taxonomy: Taxonomy

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a sample, nodes by name."""
        names = np.array(self.taxonomy.names, dtype=object)
        numbers = {key: getattr(self, key) for key in ("n_named", "n_wrong")}
        return frame({"sample_id": self.sample_id, "named": names[self.named], **numbers})


def answer_agreement(answers: Sequence[JudgedAnswers], sample_ids: Sequence[str] | np.ndarray) -> AnswerAgreement:
    """How several models answer some samples.

    Parameters
    ----------
    answers : sequence of JudgedAnswers
        Of models of one taxonomy, with one truth and one answer a sample: ``hierviz.evaluation.judged_answers(model, ...)``.
    sample_ids : sequence of str, shape (n,)

    Returns
    -------
    AnswerAgreement

    Raises
    ------
    PredictionsError
        If there is no model, or one does not judge a sample or has several truths or answers a sample.
    """
    answers, ids = list(answers), np.asarray(sample_ids).astype(str)
    if not answers:
        raise PredictionsError("answers: expected at least one model, got none. Pass judged answers.")
    every, wrong = [], []
    for one in answers:
        check_kind("answers", one, JudgedAnswers, "Make them by hierviz.evaluation.judged_answers.")
        places = one.places(ids)
        if (places < 0).any():
            raise PredictionsError(
                f"{one.evaluation.predictions.name}: expected an answer to sample {str(ids[np.argmin(places)])!r}, got none. "
                "Pass samples that all models judge."
            )
        every.append(one.single[1][places])
        wrong.append(one.outcome[places] == list(OUTCOMES).index("wrong"))
    nodes = np.array(every)
    votes = np.array([(nodes == of_model).sum(axis=0) for of_model in nodes])
    # The first of the largest.
    first = votes.argmax(axis=0)
    place = np.arange(len(ids))
    return AnswerAgreement(
        ids, nodes[first, place], votes[first, place], np.sum(wrong, axis=0), len(answers), answers[0].taxonomy
    )
