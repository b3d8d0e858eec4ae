r"""Which answers change from one threshold, rule or model to another, and what becomes of them.

Conventions
-----------
An answer has one of the outcomes of `hierviz.metrics.outcomes`, where *wrong* is two (keys of `STATES`): wrong with a class
below the root that answer and truth share, and wrong from the first step. An answer *changes* where it is another class; it
may stay in its state all the same.

Between two thresholds of one model, `at` is the threshold at which the answer first changes on the way from the first to the
second: upwards it changes at this threshold, downwards just below it (`hierviz.diagnosis.flip_intervals` has all changes of
one sample). Between two rules or two models there is none.

Functions
---------
answer_changes, AnswerChanges
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.comparison._paired_answers import PairedAnswers, paired_answers
from hierviz.comparison._paired_difference import table_of
from hierviz.diagnosis._flip_intervals import RULES
from hierviz.evaluation._judged_answers import Judged, JudgedAnswers, judged_answers
from hierviz.inference.registry import INFERENCE_RULES, rule_words
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import threshold_text
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.taxonomy.checks import check_one_of
from hierviz.taxonomy.node_lists import is_member

# States of an answer, the best first, with what they are called, and the outcome that each is of.
STATES = {
    "exact": "exact",
    "coarse": "coarse",
    "no_answer": "no answer",
    "wrong_later": "wrong below a shared class",
    "wrong_first": "wrong from the first step",
}
OUTCOME_OF = {
    "exact": "exact",
    "coarse": "coarse",
    "no_answer": "no_answer",
    "wrong_later": "wrong",
    "wrong_first": "wrong",
}
# In a flow, in place of the second state: the answer is the same.
SAME = "same"
# Moves between outcomes that a sentence names.
MOST_MOVES = 4


@dataclass(frozen=True, eq=False)
class AnswerChanges(Short):
    """The answers of two choices to the same samples.

    A *flow* is a pair of states, or a state and ``same`` for answers that do not change, joined by a hyphen: ``exact-coarse``,
    ``coarse-coarse`` (another class, coarse as well), ``coarse-same``.

    Attributes
    ----------
    pair : PairedAnswers
    labels : (str, str)
        What the two choices are called.
    state : (ndarray of int, ndarray of int), each shape (n_samples,)
        Place of each answer in `STATES`.
    is_changed : ndarray of bool, shape (n_samples,)
        Whether the answers are two classes.
    at : ndarray of float, shape (n_samples,)
        Threshold at which the answer first changes; NaN where it does not, and between rules or models.
    is_upwards : bool
        Whether the second threshold is the higher one.
    """

    _printed = ("labels", "sentence")

    pair: PairedAnswers
    labels: tuple[str, str]
    state: tuple[np.ndarray, np.ndarray]
    is_changed: np.ndarray
    at: np.ndarray
    is_upwards: bool = True

    @property
    def n_samples(self) -> int:
        """All samples."""
        return len(self.is_changed)

    @property
    def n_changed(self) -> int:
        """Samples with another answer."""
        return int(self.is_changed.sum())

    @property
    def totals(self) -> np.ndarray:
        """Answers of each choice by state, shape (2, n_states)."""
        return np.stack([np.bincount(of, minlength=len(STATES)) for of in self.state])

    @property
    def changed(self) -> np.ndarray:
        """Changed answers by first and second state, shape (n_states, n_states); on the diagonal another class of one state."""
        k = len(STATES)
        first, second = (of[self.is_changed] for of in self.state)
        return np.bincount(first * k + second, minlength=k * k).reshape(k, k)

    @property
    def kept(self) -> np.ndarray:
        """Answers that are the same, by state, shape (n_states,)."""
        return np.bincount(self.state[0][~self.is_changed], minlength=len(STATES))

    @property
    def flows(self) -> dict[str, int]:
        """Samples of each flow that has some: changes first, in the order of the states, then what is the same."""
        keys = list(STATES)
        found = {
            f"{keys[i]}-{keys[j]}": int(self.changed[i, j]) for i, j in zip(*np.nonzero(self.changed), strict=True)
        }
        return found | {f"{keys[i]}-{SAME}": int(self.kept[i]) for i in np.flatnonzero(self.kept)}

    @property
    def first_flow(self) -> str | None:
        """The flow with the most changed answers; None where no answer changes."""
        flows = {flow: n for flow, n in self.flows.items() if not flow.endswith(f"-{SAME}")}
        return max(flows, key=flows.__getitem__) if flows else None

    def places(self, flow: str | None = None) -> np.ndarray:
        """Places of the samples of a flow, or of all that change, by the threshold at which they change on the way.

        Samples without such a threshold are in the order of the file.
        """
        chosen = self.is_changed
        if flow is not None:
            start, end = flow_states(flow)
            of_second = ~self.is_changed if end is None else self.is_changed & (self.state[1] == end)
            chosen = (self.state[0] == start) & of_second
        found = np.flatnonzero(chosen)
        key = self.at[found] if self.is_upwards else -self.at[found]
        return found[np.argsort(key, kind="stable")]

    def samples(self, flow: str | None = None) -> np.ndarray:
        """Rows of the first Predictions of the samples of a flow, or of all that change, in the order of `places`."""
        return self.pair.rows[0][self.places(flow)]

    @property
    def has_thresholds(self) -> bool:
        """Whether the changes are those between two thresholds of one model."""
        return bool(self.is_changed.any()) and bool(np.isfinite(self.at[self.is_changed]).all())

    @property
    def notes(self) -> list[str]:
        """What the reader has to know, a sentence each."""
        first, second = (runs[0] for runs in self.pair.runs)
        if first.evaluation is second.evaluation or not first.evaluation.predictions.has_scores:
            return []
        return ["Scores of two models are on different scales: one threshold does not mean the same for both."]

    @property
    def sentence(self) -> str:
        """What changes, in words."""
        before, after = self.labels
        start = f"From {before} to {after}"
        if not self.n_changed:
            return f"{start}, no answer of {self.n_samples:,} changes."
        verb = "changes" if self.n_changed == 1 else "change"
        moves = sorted(self._moves().items(), key=lambda move: -move[1])
        said = [_move_text(first, last, n) for (first, last), n in moves[:MOST_MOVES]]
        rest = sum(n for _, n in moves[MOST_MOVES:])
        said += [f"{rest:,} change otherwise"] if rest else []
        listed = said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
        wrong = self.totals[:, [OUTCOME_OF[key] == "wrong" for key in STATES]].sum(axis=1).tolist()
        return (
            f"{start}, {self.n_changed:,} of {self.n_samples:,} answers {verb}: {listed}. Wrong answers: {wrong[0]:,} before, "
            f"{wrong[1]:,} after."
        )

    def _moves(self):
        """Changed answers by first and second outcome."""
        outcomes, found = [OUTCOME_OF[key] for key in STATES], {}
        for i, j in zip(*np.nonzero(self.changed), strict=True):
            move = outcomes[i], outcomes[j]
            found[move] = found.get(move, 0) + int(self.changed[i, j])
        return found

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a flow: both states, whether the answer is another one, samples and their share."""
        flows, keys = self.flows, list(STATES)
        states = [flow_states(flow) for flow in flows]
        return frame(
            {
                "from": [STATES[keys[i]] for i, _ in states],
                "to": [STATES[keys[i if j is None else j]] for i, j in states],
                "answer": ["the same" if j is None else "another" for _, j in states],
                "samples": list(flows.values()),
                "share": [n / max(self.n_samples, 1) for n in flows.values()],
            }
        )

    def to_sample_frame(self, flow: str | None = None) -> Any:
        """A pandas DataFrame, one row a sample of a flow, or of all that change: id, truth, answers and states, threshold."""
        places, (first, second) = self.places(flow), (runs[0] for runs in self.pair.runs)
        own = [of[0][places] for of in self.pair.places]
        names, words = self.pair.taxonomy.names, list(STATES.values())
        truth, answers = first.single[0][own[0]], (first.single[1][own[0]], second.single[1][own[1]])

        def named(nodes):
            return [names[node] if node >= 0 else "" for node in nodes.tolist()]

        return frame(
            {
                "sample_id": first.evaluation.predictions.ids[self.pair.rows[0][places]],
                "truth": named(truth),
                "first_answer": named(answers[0]),
                "second_answer": named(answers[1]),
                "from": [words[i] for i in self.state[0][places].tolist()],
                "to": [words[i] for i in self.state[1][places].tolist()],
                "threshold": self.at[places],
            }
        )


def flow_states(flow: str) -> tuple[int, int | None]:
    """Places in `STATES` of the first and the second state of a flow, the second None where the answer is the same.

    Raises
    ------
    PredictionsError
        If there is no such flow.
    """
    keys = list(STATES)
    check_one_of("flow", flow, [f"{a}-{b}" for a in keys for b in (*keys, SAME)])
    start, _, end = flow.partition("-")
    return keys.index(start), None if end == SAME else keys.index(end)


def answer_changes(
    first: Judged,
    second: Judged | None = None,
    threshold: float = 0.5,
    to: float | None = None,
    *,
    rule: str = "threshold",
    to_rule: str | None = None,
    to_parameters: Mapping[str, Any] | None = None,
    **parameters: Any,
) -> AnswerChanges:
    """Which answers change from one threshold to another, and between which outcomes; also between rules or models.

    Parameters
    ----------
    first : Evaluation, Predictions, or JudgedAnswers
        Of scores or labels, with one truth and one answer a sample. JudgedAnswers are taken as they are, and may be of some
        samples: those that both have count.
    second : Evaluation, Predictions, or JudgedAnswers, optional
        A second model; the same one if not given.
    threshold, to : float
        Thresholds of the first and the second answers, in [0, 1]; without `to` both are the same.
    rule, to_rule : str
        Rules of the first and the second answers; without `to_rule` both are the same.
    to_parameters : mapping of str to value, optional
        Parameters of the second rule where they are others than those of the first.
    **parameters
        Of the rules, as in `Evaluation.answers`.

    Returns
    -------
    AnswerChanges

    Raises
    ------
    PredictionsError
        If samples have several truths or answers, a rule or threshold is not valid, or two models share no sample.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> scores = Predictions.from_scores(
    ...     taxonomy, [[0.6, 0.3, 0.1], [0.2, 0.1, 0.7]], "leaf_probabilities", truth=taxonomy.nodes("cat", "dog")
    ... )
    >>> found = answer_changes(scores, threshold=0.5, to=0.8)
    >>> found.flows, found.at.tolist()
    ({'exact-coarse': 1, 'wrong_first-no_answer': 1}, [0.6, 0.7])
    """
    one = judged_answers(first, rule, threshold, **parameters)
    other: Any = one.evaluation if second is None else second
    # Labels have neither.
    to_rule = (one.rule or rule) if to_rule is None else to_rule
    to = (threshold if one.threshold is None else one.threshold) if to is None else to
    if isinstance(first, JudgedAnswers):
        parameters = {**one.parameters, **parameters}
    two = judged_answers(other, to_rule, to, **{**parameters, **(to_parameters or {})})
    for answers in (one, two):
        _ = answers.single
    pair = paired_answers(one, two)
    states = [_states(answers)[places[0]] for answers, places in zip((one, two), pair.places, strict=True)]
    nodes = [answers.single[1][places[0]] for answers, places in zip((one, two), pair.places, strict=True)]
    is_changed = nodes[0] != nodes[1]
    ends = [_threshold_of(answers) for answers in (one, two)]
    at, is_upwards = np.full(len(is_changed), np.nan), True
    if one.evaluation is two.evaluation and None not in ends:
        start, end = ends
        at, is_upwards = table_of(one, pair.places[0][0]).first_change(start, end), end >= start
    return AnswerChanges(pair, _labels(pair, one, two), (states[0], states[1]), is_changed, at, is_upwards)


def _states(answers):
    """State of each answer as its place in `STATES`."""
    truth, predicted = answers.single
    if answers.taxonomy.is_tree:
        shares = (answers.common > 0) & (predicted >= 0)
    else:
        # In a graph: any class below the root at or above both.
        true, claimed = answers.closed()
        shares = np.zeros(len(truth), dtype=bool)
        shares[true[is_member(true, claimed)] // answers.taxonomy.n_nodes] = True
    keys, outcomes = list(STATES), list(OUTCOMES)
    of_outcome = np.array([keys.index(key) if key in STATES else -1 for key in outcomes])
    wrong = np.where(shares, keys.index("wrong_later"), keys.index("wrong_first"))
    return np.where(answers.outcome == outcomes.index("wrong"), wrong, of_outcome[answers.outcome])


def _threshold_of(answers):
    """The threshold that the answers are those of; None of another rule, and of labels."""
    if answers.rule not in RULES:
        return None
    return 0.5 if answers.rule == "majority" else float(answers.threshold)


def _labels(pair, one, two):
    """What both choices are called: thresholds, rules, or models."""
    if one.evaluation is not two.evaluation:
        return pair.names
    if one.rule == two.rule and one.rule is not None and INFERENCE_RULES[one.rule].needs_threshold:
        return f"τ = {threshold_text(one.threshold)}", f"τ = {threshold_text(two.threshold)}"
    return _rule_text(one), _rule_text(two)


def _rule_text(answers):
    if answers.rule is None:
        return "labels"
    settings = INFERENCE_RULES[answers.rule].settings({**answers.parameters, "threshold": answers.threshold})
    return rule_words(answers.rule, settings)


def _move_text(start, end, n):
    """A move between two outcomes, in words."""
    words = {**STATES, "wrong": "wrong"}
    if start == end:
        return f"{n:,} stay{'s' * (n == 1)} {words[start]} with another class"
    return f"{n:,} from {words[start]} to {words[end]}"
