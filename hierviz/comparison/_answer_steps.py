"""How the answer to each sample changed over the steps of a training.

Conventions
-----------
Steps are read one after another: of each the answer to every sample and its probability are kept, no scores. At each level of
the taxonomy the answer's path is right, wrong, or ends before the truth's does.

Functions
---------
answer_steps, AnswerSteps, SampleOverSteps
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from hierviz.comparison._training_steps import Step, checked_steps
from hierviz.diagnosis._flip_intervals import outcomes
from hierviz.evaluation.common_samples import rows_of
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.severity import answer_probabilities
from hierviz.inference.registry import inference_rule, rule_and_threshold
from hierviz.messages.errors import PredictionsError, TaxonomyError
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import step_text
from hierviz.metrics.level_answers import path_levels
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.taxonomy import OUTSIDE_TITLE, NodeLists, Taxonomy


@dataclass(frozen=True, eq=False)
class AnswerSteps(Short):
    """The answer to each sample at each step of a training. Made by `answer_steps`.

    Attributes
    ----------
    taxonomy : Taxonomy
    steps : tuple of float
        Ascending.
    ids : ndarray of str, shape (n_samples,)
        Of the samples, in the order of the last step.
    answers : ndarray of int, shape (n_steps, n_samples)
        Nodes; -1 lies outside the taxonomy.
    p : ndarray of float, shape (n_steps, n_samples)
        Probability of the answer; nan of labels.
    truth : ndarray of int, shape (n_samples,), or NodeLists or None
        True nodes of each sample; None where none is known.
    judged : ndarray of bool, shape (n_samples,)
        Whether they are known.
    """

    taxonomy: Taxonomy
    steps: tuple[float, ...]
    ids: np.ndarray
    answers: np.ndarray
    p: np.ndarray
    truth: np.ndarray | NodeLists | None
    judged: np.ndarray

    def of_sample(self, sample: str) -> SampleOverSteps:
        """One sample by its id; PredictionsError where there is none."""
        places = np.flatnonzero(self.ids == str(sample))
        if not len(places):
            raise PredictionsError(f"sample: expected an id of these samples, got {sample!r}. Choose another one.")
        place = int(places[0])
        truth = np.empty(0, dtype=np.intp)
        if self.truth is not None and self.judged[place]:
            truth = np.atleast_1d(self.truth[place])
        return SampleOverSteps(
            self.taxonomy, self.steps, self.answers[:, place].astype(np.intp), self.p[:, place], truth
        )


@dataclass(frozen=True, eq=False)
class SampleOverSteps(Short):
    """The answer to one sample at each step.

    Attributes
    ----------
    taxonomy : Taxonomy
    steps : tuple of float
    answers : ndarray of int, shape (n_steps,)
    p : ndarray of float, shape (n_steps,)
    truth : ndarray of int, shape (n_truths,)
        Empty where it is not known.
    """

    taxonomy: Taxonomy
    steps: tuple[float, ...]
    answers: np.ndarray
    p: np.ndarray
    truth: np.ndarray

    @cached_property
    def outcome(self) -> list[str]:
        """Key of ``OUTCOMES`` of each step; "" where the truth is not known."""
        return [str(one) for one in outcomes(self.taxonomy, self.answers, self.truth)]

    @cached_property
    def levels(self) -> np.ndarray:
        """What each level of the answer's path is: ndarray of str, shape (n_steps, n_levels), n_levels the deepest that any
        path reaches.

        ``tp`` is on the true path, ``fp`` is not, ``fn`` is a level that only the truth has, ``path`` an answer without a known
        truth, ``outside`` one that the taxonomy does not hold, "" none.

        Raises
        ------
        TaxonomyError
            If the taxonomy is a graph.
        """
        self.taxonomy.require_tree("levels of the answers")
        given = path_levels(self.taxonomy, np.maximum(self.answers, 0))
        true = path_levels(self.taxonomy, self.truth)
        is_true = (given[:, None, :] == true[None]).any(axis=1) if len(true) else np.zeros(given.shape, dtype=bool)
        is_due = (true >= 0).any(axis=0)
        found = np.where(given >= 0, np.where(is_true, "tp", "fp" if len(true) else "path"), np.where(is_due, "fn", ""))
        found = found.astype("<U7")
        found[self.answers < 0, 0] = "outside"
        reached = np.flatnonzero((found != "").any(axis=0))
        return found[:, : int(reached[-1]) + 1 if len(reached) else 1]

    def title(self, place: int) -> str:
        """Name of the answer at the step of a place."""
        node = int(self.answers[place])
        return self.taxonomy.title(node) if node >= 0 else OUTSIDE_TITLE

    @property
    def runs(self) -> list[tuple[int, int]]:
        """Places of the first and the last of the steps that follow each other with one answer, in order."""
        groups = [
            [place for place, _ in some] for _, some in groupby(enumerate(self.answers.tolist()), lambda pair: pair[1])
        ]
        return [(group[0], group[-1]) for group in groups]


def answer_steps(
    steps: Mapping[float, Step],
    rule: str | None = None,
    threshold: float | None = None,
    *,
    stage: Callable[[str, str], Callable[[int, int], object] | None] = lambda name, unit: None,
    **parameters: Any,
) -> AnswerSteps:
    """The answers of a model at the steps of its training.

    Parameters
    ----------
    steps : dict of float to Predictions or Evaluation, or to a function that gives one
        As of `training_steps`; each has the samples of the last one, by their ids.
    rule, threshold, **parameters
        As of `Evaluation.answers`; ignored for labels.
    stage : callable
        As of `hierviz.compare`.

    Returns
    -------
    AnswerSteps

    Raises
    ------
    PredictionsError
        If there are fewer than two steps, the rule answers with sets, or a step lacks a sample.
    TaxonomyError
        If steps differ in their taxonomy.
    """
    ordered = checked_steps(steps)
    rule, threshold = rule_and_threshold(rule, threshold)
    if inference_rule(rule).returns_sets:
        raise PredictionsError(f"rule: expected one that answers with one class, got {rule!r}. Choose another one.")
    last: Evaluation | None = None
    found: list[tuple[np.ndarray, np.ndarray]] = []
    # From the end: the last step has the order of the samples.
    for step, given in reversed(ordered.items()):
        model = given() if callable(given) else given
        if isinstance(model, Predictions):
            model = Evaluation.from_predictions(model, stage(f"Evaluating step {step_text(step)}", "rows"))
        if last is None:
            last = model
        found.append(_answers(model, rule, threshold, parameters, last))
        model = given = None
    assert last is not None
    answers, p = (np.stack(one[::-1]) for one in zip(*found, strict=True))
    predictions = last.predictions
    return AnswerSteps(last.taxonomy, tuple(ordered), predictions.ids, answers, p, predictions.truth, last.judged)


def _answers(model, rule, threshold, parameters, last):
    """(answer, its probability) of each sample of the last step."""
    predictions = model.predictions
    if not model.taxonomy.has_nodes_of(last.taxonomy):
        raise TaxonomyError(
            f"{predictions.name}: expected the taxonomy of the last step ({last.taxonomy.n_nodes} nodes), got another one "
            f"({model.taxonomy.n_nodes} nodes). Judge all steps on one taxonomy."
        )
    rows = rows_of(last.predictions.ids, predictions.ids)
    if (rows < 0).any():
        raise PredictionsError(
            f"{predictions.name}: expected the {len(rows):,} samples of the last step, got "
            f"{int((rows >= 0).sum()):,} of them. Use the same samples for all steps."
        )
    if not predictions.has_scores:
        answers = model.label_paths()
        if answers is None:
            raise PredictionsError(
                f"{predictions.name}: expected one label a sample, got several. Choose another model."
            )
        return answers[rows].astype(np.int32), np.full(len(rows), np.nan, dtype=np.float32)
    answers = model.answers(rule, threshold, **parameters)
    p = answer_probabilities(model, np.maximum(answers, 0), np.arange(len(answers)))
    p = np.where(answers < 0, np.nan, p)
    return answers[rows].astype(np.int32), p[rows].astype(np.float32)
