r"""The answers of one model at one choice of rule and threshold, with the truth: the input of mistakes and diagnoses.

Conventions
-----------
Every judged sample has a true node and an answer, or lists of them. With one truth and one answer (on trees and graphs) a
sample has one of the outcomes of `hierviz.metrics.outcomes`.
With several paths, the truth and the answer of a sample are turned into paths by the greedy cover, and paths are matched
as in the hierarchical confusion matrix [1]_: a pair is a true and a predicted end, and what has no partner is kept.

Functions
---------
judged_answers, JudgedAnswers, AnswerPairs, outside_of_runs

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.evaluation.evaluation import Evaluation, as_evaluation
from hierviz.evaluation.severity import severity
from hierviz.inference.registry import inference_rule
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Rows, Short
from hierviz.metrics.outcomes import OUTCOMES, is_no_answer, outcome_places
from hierviz.metrics.path import mean_path_metrics
from hierviz.metrics.sets.node_sets import truth_keys
from hierviz.metrics.ties import largest_first
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.node_lists import is_member
from hierviz.taxonomy.positions import places_of
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

# Choices of rule and threshold whose answers an Evaluation keeps: a page asks for the same ones several times.
KEPT_CHOICES = 3
# In the place of a node: a path without a partner, and a predicted label that the taxonomy does not have.
NO_PARTNER, LABEL_OUTSIDE = -1, -2


@dataclass(frozen=True, eq=False)
class AnswerPairs(Rows):
    """Pairs of a true and a predicted node, in the order of the samples.

    Attributes
    ----------
    row : ndarray of int, shape (n_pairs,)
        Rows of the Predictions.
    truth, predicted : ndarray of int, shape (n_pairs,)
        Node numbers. ``NO_PARTNER`` in `truth`: no truth was left for this answer; in `predicted`: no answer was left for
        this truth. ``LABEL_OUTSIDE`` in `predicted`: a label outside the taxonomy.
    """

    row: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray


@dataclass(frozen=True, eq=False)
class JudgedAnswers(Short):
    """The answers of a choice of rule to the judged samples, in the order of the file.

    Attributes
    ----------
    evaluation : Evaluation
    rule, threshold, parameters
        The choice; None, None and {} for labels.
    truth, predicted : ndarray of int, shape (n_judged,), or NodeLists
        Node numbers; -1 in `predicted` is a label outside the taxonomy.
    rows : ndarray of int, shape (n_judged,)
        Rows of the Predictions, ascending.
    whole : JudgedAnswers, optional
        Where these are some of the judged samples: all of them.
    """

    evaluation: Evaluation
    rule: str | None
    threshold: float | None
    parameters: dict[str, Any]
    truth: np.ndarray | NodeLists
    predicted: np.ndarray | NodeLists
    rows: np.ndarray
    whole: JudgedAnswers | None = None
    _severities: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    _ranked: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of the predictions."""
        return self.evaluation.taxonomy

    @property
    def n_judged(self) -> int:
        """Number of samples."""
        return len(self.rows)

    def take(self, places: ArrayLike) -> JudgedAnswers:
        """The answers to some of these samples, for example those that filters leave; every diagnosis takes them.

        Parameters
        ----------
        places : array_like of int, or of bool, shape (n_judged,)
            Which of the samples, in any order; each counts once.

        Returns
        -------
        JudgedAnswers
            In the order of the file.

        Raises
        ------
        PredictionsError
            If no sample is left, or one is not there.
        """
        kept = np.zeros(self.n_judged, dtype=bool)
        kept[places_of("places", places, self.n_judged)] = True
        if not kept.any():
            raise PredictionsError(
                f"{self.evaluation.predictions.name}: expected at least one sample, got none. Choose some."
            )
        left = np.flatnonzero(kept)
        truth, predicted = (
            nodes.take(left) if isinstance(nodes, NodeLists) else nodes[left] for nodes in (self.truth, self.predicted)
        )
        return replace(
            self,
            truth=truth,
            predicted=predicted,
            rows=self.rows[left],
            whole=self.whole or self,
            _severities={},
            _ranked={},
        )

    def places(self, ids: np.ndarray) -> np.ndarray:
        """Place among the samples of each id, -1 where there is none, shape (n_ids,) of int; `ids` is an ndarray of str."""
        own = np.asarray(self.evaluation.predictions.ids)[self.rows].astype(str)
        if not len(own) or not len(ids):
            return np.full(len(ids), -1)
        order = np.argsort(own, kind="stable")
        found = np.minimum(np.searchsorted(own[order], ids), len(own) - 1)
        return np.where(own[order][found] == ids, order[found], -1)

    @property
    def is_single(self) -> bool:
        """True where every sample has one truth and one answer."""
        return isinstance(self.truth, np.ndarray) and isinstance(self.predicted, np.ndarray)

    @property
    def single(self) -> tuple[np.ndarray, np.ndarray]:
        """`truth` and `predicted` as arrays; a PredictionsError where they are lists."""
        if not (isinstance(self.truth, np.ndarray) and isinstance(self.predicted, np.ndarray)):
            raise PredictionsError(
                f"{self.evaluation.predictions.name}: expected one true class and one answer per sample, got "
                f"{self.why_not_single()}. Choose another rule, or use what is defined on sets."
            )
        return self.truth, self.predicted

    def why_not_single(self) -> str | None:
        """Why samples have more than one truth or answer, in words; None when they have one."""
        if not isinstance(self.truth, np.ndarray):
            return "several true classes per sample"
        return None if isinstance(self.predicted, np.ndarray) else "sets of answers"

    @cached_property
    def common(self) -> np.ndarray:
        """Lowest common ancestor of truth and answer in a tree, shape (n_judged,)."""
        self.taxonomy.require_tree("lowest common ancestors")
        return np.asarray(lowest_common_ancestors(self.taxonomy, *self.single), dtype=np.intp)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Keys of `OUTCOMES` that samples can have: with several truths or answers nothing is coarse."""
        return tuple(key for key in OUTCOMES if self.is_single or key != "coarse")

    @cached_property
    def outcome(self) -> np.ndarray:
        """Outcome of each sample as its place in `OUTCOMES`, shape (n_judged,) of int8."""
        if not self.is_single:
            return set_outcomes(self.taxonomy, self.truth, self.predicted)
        truth, predicted = self.single
        is_inside = predicted >= 0
        if self.taxonomy.is_tree:
            is_exact, is_above = self.common == truth, self.common == predicted
        else:
            # The root, which is above everything, has no key.
            n, rows = self.taxonomy.n_nodes, np.arange(len(truth))
            below = truth_keys(self.taxonomy, known_answers(predicted))
            is_exact = (truth == 0) | is_member(rows * n + truth, below)
            is_above = (predicted == 0) | is_member(rows * n + predicted, truth_keys(self.taxonomy, truth))
        return outcome_places(is_exact & is_inside, is_above & is_inside, is_no_answer(truth, predicted))

    @cached_property
    def is_outside(self) -> np.ndarray:
        """Which samples have an answer outside the taxonomy, one of several, shape (n_judged,) of bool."""
        if isinstance(self.predicted, NodeLists):
            found = np.zeros(self.n_judged, dtype=bool)
            found[self.predicted.rows[self.predicted.nodes < 0]] = True
            return found
        return self.predicted < 0

    @property
    def outside_share(self) -> float:
        """Share of the samples with an answer outside the taxonomy, in [0, 1]; not a number without samples."""
        return float(self.is_outside.mean()) if self.n_judged else float("nan")

    @cached_property
    def outcome_shares(self) -> dict[str, float]:
        """Share of the samples with each outcome that they can have, by its key; they add up to 1."""
        n_of = np.bincount(self.outcome, minlength=len(OUTCOMES)).tolist()
        return {key: n / self.n_judged for key, n in zip(OUTCOMES, n_of, strict=True) if key in self.outcomes}

    def severity(self, key: str) -> np.ndarray:
        """Severity of each sample, shape (n_judged,), kept; `key` is one of `hierviz.evaluation.severity.SEVERITIES`."""
        if key not in self._severities:
            self._severities[key] = severity(
                self.evaluation, self.truth, self.predicted, key, rows=self.rows, costs=self.parameters.get("cost")
            )
        return self._severities[key]

    def ranked_by(self, key: str) -> np.ndarray:
        """Places of the samples, the worst by `severity` first, in the order of the file on ties; kept."""
        if key not in self._ranked:
            self._ranked[key] = largest_first(self.severity(key))
        return self._ranked[key]

    @property
    def is_wrong(self) -> np.ndarray:
        """True where the one answer to one truth is wrong, shape (n_judged,); a PredictionsError where they are lists."""
        _ = self.single
        return self.outcome == list(OUTCOMES).index("wrong")

    @cached_property
    def path_means(self) -> dict[str, float]:
        """Mean over the samples of each metric of `hierviz.metrics.path.path_metrics`; in a tree, of one truth and one answer."""
        return mean_path_metrics(self.taxonomy, *self.single)

    @cached_property
    def pairs(self) -> AnswerPairs:
        """True and predicted node of each sample, or of each matched path and of what is left over."""
        if self.is_single:
            truth, predicted = self.single
            return AnswerPairs(self.rows, truth, np.where(predicted < 0, LABEL_OUTSIDE, predicted))
        if self.whole is not None:
            pairs = self.whole.pairs
            inside = is_member(pairs.row, self.rows)
            return AnswerPairs(pairs.row[inside], pairs.truth[inside], pairs.predicted[inside])
        given = {} if self.rule is None else {"rule": self.rule, "threshold": self.threshold, **self.parameters}
        return _matched_pairs(self.evaluation.confusion(**given), self.rows)

    def closed(self) -> tuple[np.ndarray, np.ndarray]:
        """Sample * n_nodes + node of every true and of every predicted node with its ancestors, the root left out; ascending."""
        return truth_keys(self.taxonomy, self.truth), truth_keys(self.taxonomy, known_answers(self.predicted))


def outside_of_runs(runs: Sequence[Evaluation]) -> float:
    """Mean over the runs of the share of the judged samples that every rule answers outside the taxonomy, in [0, 1]."""
    return float(np.mean([run.outside_share for run in runs]))


def set_outcomes(taxonomy: Taxonomy, truth: np.ndarray | NodeLists, predicted: np.ndarray | NodeLists) -> np.ndarray:
    """Outcome of sets as its place in `OUTCOMES`: exact where both are the same, ancestors added; -1 is a label outside."""
    true, claimed = truth_keys(taxonomy, truth), truth_keys(taxonomy, known_answers(predicted))
    is_exact, is_empty = np.ones(len(truth), dtype=bool), np.ones(len(truth), dtype=bool)
    is_exact[np.setxor1d(true, claimed, assume_unique=True) // taxonomy.n_nodes] = False
    is_empty[claimed // taxonomy.n_nodes] = False
    lists = NodeLists.of(predicted)
    outside = lists.rows[lists.nodes < 0]
    is_exact[outside] = is_empty[outside] = False
    return outcome_places(is_exact, np.zeros_like(is_exact), is_empty)


def _matched_pairs(matched, rows):
    """AnswerPairs of a PathConfusion of some rows: its pairs, and what no pair holds."""
    true, ends = matched.truth, matched.predicted.ends
    sample = np.repeat(np.arange(len(true)), ends.lengths)
    truths = np.where(matched.taken >= 0, true.nodes[matched.taken], NO_PARTNER) if len(true.nodes) else matched.taken
    is_left = np.ones(len(true.nodes), dtype=bool)
    is_left[matched.taken[matched.taken >= 0]] = False
    left = np.flatnonzero(is_left)
    samples = np.concatenate([sample, true.rows[left]])
    truths = np.concatenate([truths, true.nodes[left]])
    answers = np.concatenate([np.where(ends.nodes < 0, LABEL_OUTSIDE, ends.nodes), np.full(len(left), NO_PARTNER)])
    order = np.argsort(samples, kind="stable")
    return AnswerPairs(rows[samples[order]], truths[order], answers[order])


def known_answers(predicted: np.ndarray | NodeLists) -> np.ndarray | NodeLists:
    """Answers without labels outside the taxonomy: lists, of which some may be empty, where there are any."""
    nodes = predicted.nodes if isinstance(predicted, NodeLists) else predicted
    if not (nodes < 0).any():
        return predicted
    lists = NodeLists.of(predicted)
    return lists.only(lists.nodes >= 0)


# What answers are made of: `judged_answers` takes them.
Judged = Evaluation | Predictions | JudgedAnswers


def judged_answers(
    evaluation: Judged, rule: str = "majority", threshold: float = 0.5, **parameters: Any
) -> JudgedAnswers:
    """The answers of a rule with their truth, the input of all diagnoses.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
        Of scores or labels, of trees or graphs, with one truth a sample or several. JudgedAnswers are returned as they are.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels. An Evaluation keeps the last few choices.

    Returns
    -------
    JudgedAnswers

    Raises
    ------
    PredictionsError
        If no sample has a known truth, or the rule or a parameter is not valid.
    """
    if isinstance(evaluation, JudgedAnswers):
        return evaluation
    evaluation = as_evaluation("answers", evaluation)
    predictions, kept = evaluation.predictions, evaluation.kept_answers
    if not evaluation.n_judged:
        raise PredictionsError(
            f"{predictions.name}: expected samples with a known truth, got none. Attach the truth by hierviz.attach_truth."
        )
    # Values, which stay what they are: a list of numbers may change after this call.
    settings = inference_rule(rule).settings({"threshold": threshold, **parameters}) if predictions.has_scores else {}
    choice = (rule, threshold, settings) if predictions.has_scores else ()
    known = next((answers for of_choice, answers in kept if of_choice == choice), None)
    if known is not None:
        return known
    if predictions.has_scores:
        answers = evaluation.answers(rule, threshold, **parameters)
        given = {name: value for name, value in settings.items() if name in parameters}
        chosen: dict[str, Any] = {"rule": rule, "threshold": threshold, "parameters": given}
    else:
        ends, labels = evaluation.label_paths(), predictions.answer_labels
        assert labels is not None
        answers = labels if ends is None else ends
        chosen = {"rule": None, "threshold": None, "parameters": {}}
    predicted = evaluation.of_judged(answers)
    made = JudgedAnswers(evaluation, **chosen, truth=evaluation.truth, predicted=predicted, rows=evaluation.rows)
    kept[:] = [*kept[1 - KEPT_CHOICES :], (choice, made)]
    return made


def samples_at_or_below(taxonomy: Taxonomy, nodes: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Number, or summed weight, of the samples whose node is at or below each node of a tree, shape (n_nodes,).

    What lies outside the taxonomy is below the root alone.
    """
    nodes = np.maximum(nodes, 0)
    total = np.bincount(nodes, weights, taxonomy.n_nodes)
    for level in reversed(taxonomy.levels[1:]):
        np.add.at(total, taxonomy.parent[level], total[level])
    return total
