"""How sure a model is of its answers: the probability of each, or what a map makes of it that is fitted on other samples.

Functions and classes
---------------------
answer_confidence, AnswerConfidence, why_no_confidence
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.evaluation._judged_answers import Judged, JudgedAnswers
from hierviz.evaluation.evaluation import Evaluation, as_evaluation
from hierviz.evaluation.severity import answer_probabilities
from hierviz.inference.registry import inference_rule
from hierviz.messages.errors import PredictionsError, listed, near_miss, shown
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import probability_text
from hierviz.messages.progress import Progress
from hierviz.taxonomy.checks import check_one_of
from hierviz.uncertainty.confidence_comparison import ConfidenceMaps, compare_confidence_maps
from hierviz.uncertainty.confidence_folds import (
    MAPS,
    answer_events,
    cross_fitted_confidence,
    cross_fitted_temperature,
)

N_FOLDS, SEED = 5, 0


@dataclass(frozen=True, eq=False)
class AnswerConfidence(Short):
    """The confidence of the answer to each sample of a model; arrays of shape (n_samples,).

    Attributes
    ----------
    evaluation : Evaluation
    how : str
        Key of `hierviz.uncertainty.confidence_folds.MAPS`.
    group : str or None
        Column whose values are groups, each in one fold.
    predicted : ndarray of int
        The answers.
    p : ndarray of float
        Probability of the answer; nan where the answer is the root.
    confidence : ndarray of float
        What the map makes of it without the sample's own fold; `p` where there is no map.
    is_right : ndarray of float
        1 where the truth is at or below the answer, else 0; nan where no leaf is known to be true.
    """

    evaluation: Evaluation
    how: str
    group: str | None
    predicted: np.ndarray
    p: np.ndarray
    confidence: np.ndarray
    is_right: np.ndarray

    @property
    def way(self) -> str:
        """The map in a sentence."""
        return {"temperature": "a temperature", "isotonic": "isotonic regression"}.get(self.how, MAPS[self.how])

    @property
    def said(self) -> str:
        """How it was calibrated, as the end of a sentence."""
        if self.how == "none":
            return "as it is"
        of = "" if self.group is None else f" of whole groups ({self.group})"
        return f"calibrated by {self.way} on held-out folds{of}; node probabilities unchanged"

    def text(self, row: int) -> str:
        """The confidence of the answer to a sample in words, next to its p."""
        if np.isnan(self.p[row]):
            return "no answer below the root"
        return (
            f"{probability_text(float(self.confidence[row]))} (p = {probability_text(float(self.p[row]))}), {self.said}"
        )

    def compared(self, progress: Progress = None) -> ConfidenceMaps:
        """The maps next to each other, on these answers and the same folds."""
        groups = _groups(self.evaluation, self.group)
        return compare_confidence_maps(
            self.evaluation.predictions, self.predicted, groups=groups, n_folds=N_FOLDS, seed=SEED, progress=progress
        )


def why_no_confidence(evaluation: Evaluation, rule: str) -> str | None:
    """Why answers by a rule have no confidence that can be calibrated, in words; None when they have one."""
    sets = "it needs one answer per sample, and these are sets" if inference_rule(rule).returns_sets else None
    return evaluation.why_no_curve() or sets


def answer_confidence(
    evaluation: Judged,
    how: str = "isotonic",
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    group: str | None = None,
    progress: Progress = None,
    **parameters: Any,
) -> AnswerConfidence:
    """The confidence of the answers of a rule, calibrated on held-out folds.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
        Scores on a tree with one truth a sample. JudgedAnswers have a rule of their own.
    how : str
        ``none``, ``isotonic``, ``venn-abers``, or ``temperature``: the probability that the same answer has at a temperature.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`.
    group : str, optional
        Column of the samples whose values are groups: a group is in one of the five folds.
    progress : callable, optional
        Called with (folds done, folds) while temperatures are fitted.

    Returns
    -------
    AnswerConfidence
        Of all samples. A map is fitted on samples of other folds whose truth is a leaf; see
        `hierviz.uncertainty.cross_fitted_confidence`.

    Raises
    ------
    PredictionsError
        If the answers have no confidence, fewer than 20 samples can be fitted on, or an argument is not valid.
    """
    check_one_of("confidence map", how, MAPS)
    if isinstance(evaluation, JudgedAnswers):
        rule, threshold, parameters = evaluation.rule or rule, evaluation.threshold or 0.0, dict(evaluation.parameters)
        evaluation = evaluation.evaluation
    model = as_evaluation("confidence", evaluation)
    reason = why_no_confidence(model, rule)
    if reason:
        raise PredictionsError(f"{model.predictions.name}: expected answers with a confidence, got none: {reason}.")
    predictions, rows = model.predictions, np.arange(model.predictions.n_samples)
    predicted = np.asarray(model.answers(rule, threshold, **parameters))
    p = np.where(predicted == 0, np.nan, np.clip(answer_probabilities(model, predicted, rows), 0, 1))
    is_right = answer_events(predictions, predicted)
    folds: dict[str, Any] = {"groups": _groups(model, group), "n_folds": N_FOLDS, "seed": SEED}
    if how == "none":
        mapped = p
    elif how == "temperature":
        is_fitted = ~np.isnan(p) & ~np.isnan(is_right)
        scaled = cross_fitted_temperature(predictions, predicted, is_fitted, **folds, progress=progress)
        mapped = np.where(np.isnan(p), np.nan, scaled)
    else:
        mapped = cross_fitted_confidence(p, is_right, how, **folds)
    return AnswerConfidence(model, how, group, predicted, p, mapped, is_right)


def _groups(model, group):
    """Values of a column of the samples, None for no column."""
    if group is None:
        return None
    columns = model.predictions.attributes
    if group not in columns:
        raise PredictionsError(
            f"confidence groups: expected a column of the samples ({listed(list(columns)) or 'there are none'}), got "
            f"{shown(group)}.{near_miss(group, list(columns))} Choose one."
        )
    return np.asarray(columns[group])
