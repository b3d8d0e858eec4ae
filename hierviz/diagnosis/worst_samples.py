"""Ids of the samples that a model judges worst, for those who want to look at some: `hv.diagnosis.worst`."""

from __future__ import annotations

from typing import Any

import numpy as np

from hierviz.diagnosis._set_mistakes import set_mistakes
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.mistakes import mistakes
from hierviz.messages.errors import PredictionsError
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind
from hierviz.taxonomy.taxonomy import NodeLists


def worst_rows(evaluation: Evaluation, most: int, rule: str, threshold: float, **parameters: Any) -> np.ndarray:
    """Rows of the samples with a wrong answer, the worst first, at most so many: ndarray of int.

    Ranked by the win (labels: by the distance in bits), or by hF1 where samples have several truths or answers or the taxonomy
    is a graph. Where no answer is wrong, those of the answers that are not exact, and where all are exact of all.
    """
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    if evaluation.why_no_mistakes() is None and not isinstance(answers.predicted, NodeLists):
        ranked = mistakes(evaluation, rule, threshold, **parameters)
        for kept in (ranked.outcome == "wrong", ranked.outcome != "exact"):
            if kept.any():
                return ranked.row[kept][:most]
        return ranked.row[:most]
    lost = set_mistakes(answers).row
    return (lost if len(lost) else set_mistakes(answers, only_wrong=False).row)[:most]


def worst(
    predictions: Predictions, most: int = 10, rule: str = "majority", threshold: float = 0.5, **parameters: Any
) -> list[str]:
    """Ids of the samples with the worst answers, the worst first.

    Parameters
    ----------
    most : int
        At least 1.
    rule, threshold, **parameters
        How the answer is chosen, as in `hierviz.infer`; ignored for labels.

    Returns
    -------
    list of str
        At most `most` ids of samples with a wrong answer, by the win, the lowest first. Labels are ranked by the distance between
        answer and truth in bits; where samples have several truths or answers, or the taxonomy is a graph, by lost hF1. Where no
        answer is wrong (a model that is unsure answers with coarse classes), ids of those that are not exact, and where all are
        exact of all: never empty.

    Raises
    ------
    PredictionsError
        If no sample has a known truth, or the number, the rule or a parameter is not valid.
    """
    check_kind("predictions", predictions, Predictions, "Pass those of one model.")
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise PredictionsError(f"most: expected a number of samples from 1, got {most!r}. Give one.")
    rows = worst_rows(Evaluation.from_predictions(predictions), int(most), rule, threshold, **parameters)
    return [predictions.sample_id(int(row)) for row in rows]
