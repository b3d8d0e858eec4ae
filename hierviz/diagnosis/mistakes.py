"""Which samples go wrong, and how badly: the ranked list behind the Mistakes view.

Samples with one truth and one answer on a tree are `Mistakes`; with several true classes, several answers, or a graph of
classes they are `SetMistakes`, ranked by lost hF1.

Conventions
-----------
Every judged sample has one outcome: its answer is exact, coarse, none or wrong, as `hierviz.metrics.outcomes` says.

With T the true nodes and A the answers of a sample, both with all ancestors and without the root [1]_,

    hP = |T & A| / |A|,  hR = |T & A| / |T|,  hF1 = 2 |T & A| / (|T| + |A|),  lost hF1 = 1 - hF1.

A label outside the taxonomy is one more answer that is wrong.

Functions
---------
mistakes, outcome_counts, set_mistakes, worst_rows, worst

References
----------
.. [1] S. Kiritchenko et al., Learning and evaluation in the presence of class hierarchies, Canadian AI 2006.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierviz.diagnosis.sample_filter import SampleFilter, filtered
from hierviz.evaluation._judged_answers import Judged, JudgedAnswers, judged_answers
from hierviz.evaluation.evaluation import Evaluation, as_evaluation
from hierviz.evaluation.severity import SEVERITIES, severity
from hierviz.inference.parameters import COST
from hierviz.inference.registry import rule_and_threshold
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Rows
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.metrics.sets.node_sets import set_overlap, set_scores
from hierviz.metrics.ties import largest_first
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind, check_one_of, check_whole
from hierviz.taxonomy.positions import check_position
from hierviz.taxonomy.taxonomy import OUTSIDE_TITLE, NodeLists, Taxonomy

ORDERS = {
    **{key: entry.label for key, entry in SEVERITIES.items() if entry.needs_one_truth},
    "file": "order of the file",
}


@dataclass(frozen=True, eq=False)
class Mistakes(Rows):
    """Samples, worst first.

    Attributes
    ----------
    row : ndarray of int, shape (n,)
        Rows of the Predictions.
    truth, predicted : ndarray of int, shape (n,)
        Node numbers, the answer before truncation; -1 lies outside the taxonomy.
    outcome : ndarray of str, shape (n,)
        Keys of `OUTCOMES`.
    win_lost : ndarray of float, shape (n,)
        1 - rescaled win, in [0, 1]; nan for label files.
    info_dist : ndarray of float, shape (n,)
        Bits between the (truncated) answer and the truth.
    severity : ndarray of float, shape (n,)
        What they are ranked by, a key of `SEVERITIES`; nan in the order of the file.

    Notes
    -----
    What is kept is the place of each sample; columns are made when they are asked for.
    """

    _printed = ("row", "truth", "predicted", "outcome", "win_lost", "info_dist", "severity")

    _places: np.ndarray
    # Of all judged samples, shared with what they come from: the win where there is one, the severity where it is another.
    _of_all: dict[str, np.ndarray]
    _is_by_win: bool

    def _column(self, name):
        values = self._of_all.get(name)
        return np.full(len(self), np.nan) if values is None else values[self._places]

    @property
    def row(self) -> np.ndarray:
        """See the class, as of all columns."""
        return self._column("row")

    @property
    def truth(self) -> np.ndarray:
        return self._column("truth")

    @property
    def predicted(self) -> np.ndarray:
        return self._column("predicted")

    @property
    def outcome(self) -> np.ndarray:
        return np.array(list(OUTCOMES))[self._column("outcome")]

    @property
    def win_lost(self) -> np.ndarray:
        return 1 - self._column("win")

    @property
    def info_dist(self) -> np.ndarray:
        return self._column("info_dist")

    @property
    def severity(self) -> np.ndarray:
        return self.win_lost if self._is_by_win else self._column("severity")

    def has_outcome(self, key: str) -> np.ndarray:
        """Which of the samples have this outcome, ndarray of bool."""
        return self._column("outcome") == list(OUTCOMES).index(key)

    @in_backend
    def to_frame(self, taxonomy: Taxonomy | None = None) -> Any:
        """A pandas DataFrame with the attributes as columns; `truth` and `predicted` by name where a taxonomy is given."""
        columns = {name: getattr(self, name) for name in self._printed}
        if taxonomy is not None:
            names = np.array([*taxonomy.names, OUTSIDE_TITLE], dtype=object)
            columns |= {name: names[columns[name]] for name in ("truth", "predicted")}
        return frame(columns)

    def take(self, places):
        """Some of the samples, by place or mask."""
        return replace(self, _places=self._places[places])


def mistakes(
    evaluation: Evaluation | Predictions,
    rule: str | None = None,
    threshold: float | None = None,
    *,
    outcome: str | None = None,
    under: int | None = None,
    among: np.ndarray | None = None,
    order: str = "win_lost",
    **parameters: Any,
) -> Mistakes | SetMistakes:
    """Judged samples with their outcome, filtered and ranked.

    Parameters
    ----------
    evaluation : Evaluation, or Predictions
        Of scores, or of labels with one path a sample, with one truth a sample on a tree; any other with ``lost_hf1`` only.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels. ``cost``, LeafCosts, is also what the order
        ``cost`` goes by.
    outcome : str, optional
        Keep only this key of `OUTCOMES`.
    under : int, optional
        Keep only truths at or below this node.
    among : ndarray of bool, shape (n_judged,), optional
        Keep only these judged samples, such as `hierviz.diagnosis.filtered` gives.
    order : str
        Key of `SEVERITIES`, worst first, ties in the order of the file; or ``file``. For labels, which have no win,
        ``win_lost`` is the information distance.

    Returns
    -------
    Mistakes, or SetMistakes
        The latter by ``lost_hf1`` where samples have several truths or answers, or on a graph.

    Raises
    ------
    PredictionsError
        If the input has no truth, several truths a sample or several labels, is no tree, or a keyword is unknown.
    """
    evaluation = as_evaluation("mistakes", evaluation)
    predictions, taxonomy = evaluation.predictions, evaluation.taxonomy
    if outcome is not None:
        check_one_of("outcome", outcome, OUTCOMES)
    check_one_of("order", order, (*SEVERITIES, "file"))
    if under is not None:
        check_position("under", under, taxonomy.n_nodes, "node number")
    reason = evaluation.why_no_mistakes()
    if reason and order != "lost_hf1":
        raise PredictionsError(f"{predictions.name}: expected answers that can be ranked, got none: {reason}.")
    rule, threshold = rule_and_threshold(rule, threshold)
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    if not answers.is_single and order != "lost_hf1":
        raise PredictionsError(f"rule: expected one answer per sample, got sets by {rule!r}. Choose another rule.")
    keep = filtered(answers, SampleFilter(outcome=outcome, under=under))
    if among is not None:
        kept = np.asarray(among)
        if kept.shape != keep.shape or kept.dtype != bool:
            raise PredictionsError(
                f"among: expected True or False for each of the {len(keep)} judged samples, got {kept.dtype} of shape "
                f"{kept.shape}. Use hierviz.diagnosis.filtered."
            )
        keep &= kept
    if reason or not answers.is_single:
        return set_mistakes(answers if keep.all() else answers.take(np.flatnonzero(keep)), only_wrong=False)
    truth, predicted = answers.single
    of_all = {"row": answers.rows, "truth": truth, "predicted": predicted, "outcome": answers.outcome}
    of_all["info_dist"] = answers.severity("info_dist")
    if evaluation.win is not None:
        of_all["win"] = evaluation.of_judged(evaluation.win)
    is_by_win = order == "win_lost" and evaluation.win is not None
    if order == "file":
        places = np.flatnonzero(keep)
    else:
        if is_by_win:
            places = evaluation.judged_by_win
        else:
            key = "info_dist" if order == "win_lost" else order
            if SEVERITIES[key].needs_costs:
                costs = parameters.get(COST.name)
                values = severity(evaluation, truth, predicted, key, rows=answers.rows, what="order", costs=costs)
                places = largest_first(values)
            else:
                values, places = answers.severity(key), answers.ranked_by(key)
            of_all["severity"] = values
        places = places if keep.all() else places[keep[places]]
    return Mistakes(places, of_all, is_by_win)


def outcome_counts(answers: JudgedAnswers, among: np.ndarray | None = None) -> dict[str, int]:
    """How many samples have each outcome that they can have: dict of key of `OUTCOMES` to int.

    `among` keeps some of the samples, ndarray of bool.
    """
    outcome = answers.outcome if among is None else answers.outcome[among]
    counts = dict(zip(OUTCOMES, np.bincount(outcome, minlength=len(OUTCOMES)).tolist(), strict=True))
    return {key: counts[key] for key in answers.outcomes}


@dataclass(frozen=True, eq=False)
class SetMistakes(Rows):
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

    def take(self, places: np.ndarray) -> SetMistakes:
        """Some of the samples, by place."""
        own = [name for name in self.__dataclass_fields__ if name != "taxonomy"]
        return replace(self, **{name: getattr(self, name).take(places) for name in own})

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a sample; names joined by ``;``, a label outside the taxonomy being ""."""
        names = (*self.taxonomy.names, "")
        texts = {
            key: [";".join(names[node] for node in lists[i].tolist()) for i in range(len(self))]
            for key, lists in (("truth", self.truth), ("predicted", self.predicted))
        }
        return frame({"row": self.row, **texts, "hp": self.hp, "hr": self.hr, "lost_hf1": self.lost_hf1})


def set_mistakes(
    evaluation: Judged,
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
    return SetMistakes(answers.taxonomy, answers.rows, truth, predicted, hp, hr, lost).take(order)


def worst_rows(evaluation: Evaluation, most: int, rule: str, threshold: float, **parameters: Any) -> np.ndarray:
    """Rows of the samples with a wrong answer, the worst first, at most so many: ndarray of int.

    Ranked by the win (labels: by the distance in bits), or by hF1 where samples have several truths or answers or the taxonomy
    is a graph. Where no answer is wrong, those of the answers that are not exact, and where all are exact of all.
    """
    is_single = judged_answers(evaluation, rule, threshold, **parameters).is_single
    order = "win_lost" if is_single and evaluation.why_no_mistakes() is None else "lost_hf1"
    ranked = mistakes(evaluation, rule, threshold, order=order, **parameters)
    if isinstance(ranked, Mistakes):
        steps = [ranked.has_outcome("wrong"), ~ranked.has_outcome("exact")]
    else:
        steps = [ranked.lost_hf1 > 0]
    return next((ranked.row[kept] for kept in steps if kept.any()), ranked.row)[:most]


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
    check_whole("most", most, 1)
    rows = worst_rows(Evaluation.from_predictions(predictions), most, rule, threshold, **parameters)
    return [predictions.sample_id(int(row)) for row in rows]
