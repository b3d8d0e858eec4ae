"""The answers of one run of a method, or of several runs to the same samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.evaluation._judged_answers import Judged, JudgedAnswers, judged_answers
from hierviz.evaluation.common_samples import common_rows
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.metrics.sets.node_sets import own_keys
from hierviz.predictions.predictions import listed_models
from hierviz.taxonomy.node_lists import NodeLists

WRONG = list(OUTCOMES).index("wrong")


@dataclass(frozen=True, eq=False)
class RunAnswers(Short):
    """The answers of every run to the samples that all of them have.

    Attributes
    ----------
    answers : list of JudgedAnswers
        One a run, each in the order of its own file.
    places : list of ndarray of int, shape (n_samples,)
        Places in them of the samples in the order of the first run.
    n_left_out : int
        Samples of the first run that another one does not have: a filter that asks for answers leaves other samples in each.
    """

    answers: list[JudgedAnswers]
    places: list[np.ndarray]
    n_left_out: int

    @property
    def right(self) -> np.ndarray:
        """Share of the runs whose answer is not wrong, in [0, 1], shape (n_samples,): in the order of the first run."""
        is_right = [one.outcome[own] != WRONG for one, own in zip(self.answers, self.places, strict=True)]
        return np.mean(is_right, axis=0)

    @property
    def rows(self) -> np.ndarray:
        """Row of each sample in the Predictions of the first run, shape (n_samples,)."""
        return self.answers[0].rows[self.places[0]]


def run_answers(
    runs: Judged | Sequence[Judged], rule: str = "majority", threshold: float = 0.5, **parameters: Any
) -> RunAnswers:
    """The answers of one run of a method, or of several.

    Parameters
    ----------
    runs : Evaluation, Predictions, JudgedAnswers, or sequence of them
        Of the same judged samples, in any order; of JudgedAnswers, which may be of some samples, those that all have are kept.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels and JudgedAnswers.

    Returns
    -------
    RunAnswers

    Raises
    ------
    PredictionsError
        If there is no run, runs judge other samples or have other truths, or share no sample.
    """
    answers = [judged_answers(run, rule, threshold, **parameters) for run in listed_models(runs)]
    if not answers:
        raise PredictionsError("runs: expected at least one run, got none. Pass an Evaluation.")
    if len(answers) == 1:
        return RunAnswers(answers, [np.arange(answers[0].n_judged)], 0)
    models = [one.evaluation for one in answers]
    rows = common_rows(models)
    if any(len(own) != model.n_judged for model, own in zip(models, rows, strict=True)):
        raise PredictionsError(
            "runs: expected runs of one method that judge the same samples, got others. Pass one run."
        )
    kept = np.all([np.isin(own, one.rows) for one, own in zip(answers, rows, strict=True)], axis=0)
    if not kept.any():
        raise PredictionsError(
            "runs: expected a sample that all runs have, got none. Use other filters, or pass one run."
        )
    places = [np.searchsorted(one.rows, own[kept]) for one, own in zip(answers, rows, strict=True)]
    n_left_out = answers[0].n_judged - int(kept.sum())
    for number, (one, own) in enumerate(zip(answers, places, strict=True)):
        if len(own) < one.n_judged:
            answers[number] = one.take(own)
            places[number] = np.searchsorted(np.sort(own), own)
    truths = [
        (isinstance(one.truth, NodeLists), own_keys(one.taxonomy, NodeLists.of(one.truth).take(own)).tobytes())
        for one, own in zip(answers, places, strict=True)
    ]
    if len(set(truths)) > 1:
        raise PredictionsError("runs: expected runs of one method with the same truth, got another one. Pass one run.")
    return RunAnswers(answers, places, n_left_out)
