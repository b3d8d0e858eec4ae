"""What several rules, or several models, answer to one sample.

Conventions
-----------
An answer is a node, or a set of nodes under ``threshold_set`` and in files of labels. The information is that of a single node;
the win judges the probabilities, whatever the rule.

Functions
---------
sample_answer, answers_by_rule, SampleAnswer, sample_confusion
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hierviz.diagnosis._flip_intervals import outcomes
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.rule_answers import outside_taxonomy
from hierviz.inference.registry import infer, inference_rule
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.metrics.confusion.confusion_counts import HierarchicalConfusion
from hierviz.metrics.confusion.multi_path import confusion, greedy_cover
from hierviz.metrics.node_pairs import with_outside
from hierviz.metrics.win import WinBreakdown, win_breakdown
from hierviz.taxonomy.checks import check_kind
from hierviz.taxonomy.positions import check_position
from hierviz.taxonomy.taxonomy import NodeLists


@dataclass(frozen=True)
class SampleAnswer(Short):
    """The answer to one sample.

    Attributes
    ----------
    nodes : tuple of int
        The answer: one node, or a set, which may be empty; -1 is a label outside the taxonomy.
    outcome : str
        Key of ``OUTCOMES``, with several truths the best of them; of a set ``exact`` where it is the set of the truths, both
        with their ancestors, else ``no_answer`` where it is empty or the root alone, else ``wrong``; "" where no truth is known.
    information : float or None
        Specificity of a single node, in bits, at least 0; None for sets.
    p : float or None
        Probability of a single node; None for sets and labels.
    win : float or None
        Rescaled win of the sample, in [0, 1], higher is better; None where there is none.
    breakdown : WinBreakdown or None
        How the win comes about, level by level; None where there is none.
    """

    nodes: tuple[int, ...]
    outcome: str
    information: float | None
    p: float | None
    win: float | None
    breakdown: WinBreakdown | None = field(default=None, repr=False, compare=False)

    @property
    def win_terms(self) -> tuple[float, ...]:
        """What each level of the true path adds to the win; empty where there is none."""
        return () if self.breakdown is None else tuple(self.breakdown.term.tolist())


def sample_answer(
    evaluation: Evaluation, sample: int, rule: str = "majority", threshold: float = 0.5, **parameters: Any
) -> SampleAnswer:
    """The answer of one model to one sample.

    Parameters
    ----------
    evaluation : Evaluation
    sample : int
        Row of the Predictions.
    rule, threshold, **parameters
        As in `Evaluation.answers`; ignored for labels.

    Returns
    -------
    SampleAnswer

    Raises
    ------
    PredictionsError
        If there is no such sample or rule.
    """
    return answers_by_rule(evaluation, sample, [rule], threshold, **parameters)[rule]


def answers_by_rule(
    evaluation: Evaluation, sample: int, rules: Iterable[str], threshold: float = 0.5, **parameters: Any
) -> dict[str, SampleAnswer]:
    """The answers of several rules to one sample; arguments as in `sample_answer`.

    Returns
    -------
    dict of str to SampleAnswer
    """
    taxonomy, p = evaluation.taxonomy, probabilities_of(evaluation, sample)
    truth = truth_of(evaluation, sample)
    win = None if evaluation.win is None or not evaluation.judged[sample] else float(evaluation.win[sample])
    terms = None if win is None or p is None else win_breakdown(taxonomy, int(truth[0]), p[0])
    made = {}
    for rule in rules:
        answers = _answers(evaluation, sample, p, rule, threshold, parameters)
        is_set = isinstance(answers, NodeLists)
        nodes = np.asarray(answers[0]) if is_set else answers
        made[rule] = SampleAnswer(
            tuple(nodes.tolist()),
            str(outcomes(taxonomy, answers, truth)[0]),
            None if is_set else float(with_outside(taxonomy.information, np.log2(taxonomy.n_leaves))[nodes[0]]),
            None if is_set or p is None else float(_with_rest(p[0], evaluation, sample)[nodes[0]]),
            win,
            terms,
        )
    return made


def sample_confusion(
    evaluation: Evaluation, sample: int, rule: str = "majority", threshold: float = 0.5, **parameters: Any
) -> HierarchicalConfusion:
    """Hierarchical confusion of one sample, as in `Evaluation.confusion`; arguments as in `sample_answer`.

    Returns
    -------
    HierarchicalConfusion
        Of this sample alone, in row 0.

    Raises
    ------
    PredictionsError
        If there is no such sample or rule, or its truth is not known.
    """
    predictions, taxonomy, p = evaluation.predictions, evaluation.taxonomy, probabilities_of(evaluation, sample)
    if predictions.truth is None or not evaluation.judged[sample]:
        raise PredictionsError(f"sample: expected one with a known truth, got row {sample}. Choose another.")
    one, truth = np.array([sample]), predictions.truth
    truth = greedy_cover(taxonomy, truth.take(one)).ends if isinstance(truth, NodeLists) else truth[one]
    labels = predictions.labels
    answers = _answers(evaluation, sample, p, rule, threshold, parameters) if labels is None else labels.take(one)
    return confusion(taxonomy, truth, greedy_cover(taxonomy, answers) if isinstance(answers, NodeLists) else answers)


def truth_of(evaluation, sample):
    """True nodes of a sample as listed, shape (n,); empty where they are not known."""
    truth = evaluation.predictions.truth
    return np.atleast_1d(truth[sample]) if truth is not None and evaluation.judged[sample] else np.empty(0, np.intp)


def probabilities_of(evaluation, sample):
    """Probabilities of the nodes of a sample, shape (1, n_nodes), None of labels; an error where there is no such sample."""
    check_kind("answers", evaluation, Evaluation, "Use Evaluation.from_predictions.")
    predictions = evaluation.predictions
    check_position("sample", sample, predictions.n_samples, "row")
    return None if predictions.labels is not None else predictions.node_probabilities(slice(sample, sample + 1))


def _with_rest(p, evaluation, sample):
    """Probabilities of all nodes of a sample, with what is outside the taxonomy at the end, shape (n_nodes + 1,)."""
    mass = evaluation.leaf_mass
    return with_outside(p, 0.0 if mass is None else np.clip(1 - mass[sample], 0, 1))


def _answers(evaluation, sample, p, rule, threshold, parameters):
    """The answer of a rule by probabilities, or the label: nodes, shape (1,), or NodeLists of length 1 where it is a set."""
    if p is not None:
        settings = inference_rule(rule).settings({"threshold": threshold, **parameters})
        answers = infer(evaluation.taxonomy, p, rule, **settings)
        beaten = evaluation.predictions.best_outside
        return answers if beaten is None else outside_taxonomy(answers, beaten[[sample]])
    return labels_of(evaluation, sample)


def labels_of(evaluation, sample):
    """The label of a sample, shape (1,), or NodeLists of length 1; in a file of one label a sample, none counts as the root."""
    ends = evaluation.label_paths()
    return evaluation.predictions.labels.take(np.array([sample])) if ends is None else ends[[sample]]
