"""Every node's share of the mistakes: support, recall, precision, win and answers that stop there.

The columns of a `NodeTable` for people: label, sentence, kind of number, and which end is the worse one.

Conventions
-----------
Arrays over nodes have shape (n_nodes,). With T(v) the samples that have a truth at or below node v, and A(v) those that
have an answer at or below v,

    support = |T|,  answered = |A|,  hits = |T & A|,  recall = hits / support,  precision = hits / answered.

Nothing is truncated: an answer below an inner truth is right (`correct`), and a claim of the nodes between them that the
truth does not support (`precision`). A ratio of 0/0 is nan.

Functions
---------
node_table, usable_columns, cost_key, worst_first, number_text_of
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hierviz.diagnosis._reliability import Reliability
from hierviz.evaluation._judged_answers import Judged, judged_answers, samples_at_or_below
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import fixed_text, value_text
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.metrics.sets.node_sets import own_keys
from hierviz.taxonomy.checks import check_kind
from hierviz.taxonomy.node_lists import is_member
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


@dataclass(frozen=True)
class NodeColumn:
    """What a column of a `NodeTable` is.

    Attributes
    ----------
    label, sentence, formula : str
        For people; the formula in LaTeX.
    kind : str
        'count' (a number of samples), 'sum' (of values of samples), 'share' (0 to 1, higher is better; if not given) or 'error'
        (0 to 1, lower is better).
    worse : str
        'high' or 'low', which values are worse; '' where neither is.
    """

    label: str
    sentence: str
    formula: str
    kind: str = "share"
    worse: str = "low"


NODE_COLUMNS = {
    "support": NodeColumn("Support", "Samples whose truth is this class or below it.", r"|T(v)|", "count", ""),
    "n_wrong": NodeColumn(
        "Wrong",
        "Of these samples, those whose answer is wrong: neither the truth, nor above it, nor below it.",
        r"\sum_{i \in T(v)} [\text{answer}_i \text{ wrong}]",
        "count",
        "high",
    ),
    "correct": NodeColumn(
        "Correct",
        "Share of the support whose answer is not wrong: the truth, below it, or above it, the root included (no answer).",
        r"1 - \text{wrong} / |T(v)|",
    ),
    "n_no_answer": NodeColumn(
        "No answer",
        "Of the support, samples that get no answer: only the root, or no class at all.",
        r"|\{i \in T(v) : \text{answer}_i = \text{root}\}|",
        "count",
        "high",
    ),
    "missed": NodeColumn(
        "Missed",
        "Of the support, samples without an answer at or below this class: the answer is elsewhere or stops above.",
        r"|T(v)| - |T(v) \cap A(v)|",
        "count",
        "high",
    ),
    "stopped_here": NodeColumn(
        "Stopped here", "Samples whose answer is exactly this class.", r"|\{i : \text{answer}_i = v\}|", "count", ""
    ),
    "win_lost": NodeColumn(
        "Lost win", "Sum of 1 minus the win over the support.", r"\sum_{i \in T(v)} (1 - \text{win}_i)", "sum", "high"
    ),
    "mean_win": NodeColumn(
        "Mean win",
        "Mean hierarchical win of the support: 1 where all probability lies on the true path.",
        r"\frac{1}{|T(v)|} \sum_{i \in T(v)} \text{win}_i",
    ),
    "recall": NodeColumn(
        "Recall",
        "Of the samples with a truth at or below this class, the share with an answer at or below it.",
        r"|T(v) \cap A(v)| / |T(v)|",
    ),
    "precision": NodeColumn(
        "Precision",
        "Of the samples with an answer at or below this class, the share with a truth at or below it.",
        r"|T(v) \cap A(v)| / |A(v)|",
    ),
    "f1": NodeColumn("F1", "Harmonic mean of recall and precision.", r"2 |T(v) \cap A(v)| / (|T(v)| + |A(v)|)"),
    "ece": NodeColumn(
        "Calibration error",
        "Expected calibration error of the probability of this class: mean distance between probability and share of "
        "events in bins of equal size. Marked where it is larger than a calibrated model would show.",
        r"\sum_b \frac{n_b}{n} |\text{rate}_b - \bar p_b|",
        "error",
        "high",
    ),
}


def usable_columns(table: NodeTable) -> list[str]:
    """Keys of `NODE_COLUMNS` that have a number somewhere, in order; 'missed' only where answers cannot be wrong one by one."""
    usable = [key for key in NODE_COLUMNS if np.isfinite(getattr(table, key)).any()]
    return [key for key in usable if key != "missed" or cost_key(table) == "missed"]


def cost_key(table: NodeTable) -> str:
    """The column that says how much a subtree costs: wrong answers, and missed samples where no answer is wrong by itself."""
    return "n_wrong" if np.isfinite(table.n_wrong).any() else "missed"


def worst_first(table: NodeTable, nodes: np.ndarray, key: str, *, reverse: bool = False) -> np.ndarray:
    """Some nodes ordered by a column, what is worse first, larger support first on ties, nan last.

    Parameters
    ----------
    table : NodeTable
    nodes : ndarray of int, shape (n,)
    key : str
        Key of `NODE_COLUMNS`; where neither end is worse, large values come first.
    reverse : bool
        The better end first; nan is last all the same.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    values = np.asarray(getattr(table, key), dtype=float)[nodes]
    sign = 1 if (NODE_COLUMNS[key].worse == "low") != reverse else -1
    return nodes[np.lexsort((-table.support[nodes], np.where(np.isnan(values), np.inf, sign * values)))]


def number_text_of(key: str, value: float) -> str:
    """A number of a column as text: counts whole, sums with one decimal, thousands grouped; – for nan."""
    if not np.isfinite(value):
        return "–"
    kind = NODE_COLUMNS[key].kind
    if kind == "count":
        return f"{round(value):,}"
    if kind == "sum":
        whole, _, rest = fixed_text(float(value), 1).partition(".")
        return f"{int(whole):,}.{rest}"
    return value_text(float(value))


@dataclass(frozen=True, eq=False)
class NodeTable(Short):
    """Numbers of every node, arrays of shape (n_nodes,).

    Attributes
    ----------
    taxonomy : Taxonomy
    support : ndarray of int
        Samples with a truth at or below the node.
    answered : ndarray of int
        Samples with an answer at or below it.
    hits : ndarray of int
        Samples with both.
    stopped_here : ndarray of int
        Samples with this node as an answer; without any answer it is the root.
    n_no_answer : ndarray of int
        Of the `support`, samples without an answer, as `hierviz.metrics.outcomes` says; they count as correct.
    n_correct : ndarray of float
        Of the `support`, samples whose answer is the truth, above it or below it; nan with several truths or answers.
    recall, precision, f1 : ndarray of float
        hits / support, hits / answered, and 2 hits / (support + answered), in [0, 1], higher is better; nan for 0/0.
    correct : ndarray of float
        n_correct / support, in [0, 1], higher is better; nan for 0/0.
    mean_win : ndarray of float
        Mean rescaled win of the `support`, in [0, 1], higher is better.
    ece, ece_expected : ndarray of float
        Expected calibration error of the node's probability, in [0, 1], lower is better, and what a calibrated model would
        have; nan where it was not computed.
    is_miscalibrated : ndarray of float
        1 where the error is flagged, 0 where it is not, nan where it was not computed.
    reasons : dict of str to str
        Why a column is nan throughout, by its name.
    """

    taxonomy: Taxonomy
    support: np.ndarray
    answered: np.ndarray
    hits: np.ndarray
    stopped_here: np.ndarray
    n_no_answer: np.ndarray
    n_correct: np.ndarray
    recall: np.ndarray
    precision: np.ndarray
    f1: np.ndarray
    correct: np.ndarray
    mean_win: np.ndarray
    ece: np.ndarray
    ece_expected: np.ndarray
    is_miscalibrated: np.ndarray
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def n_wrong(self) -> np.ndarray:
        """Wrong answers to the `support`, array of float; nan with several truths or answers."""
        return self.support - self.n_correct

    @property
    def missed(self) -> np.ndarray:
        """Samples of the `support` without an answer at or below the node, array of int."""
        return self.support - self.hits

    @property
    def win_lost(self) -> np.ndarray:
        """Sum of 1 - win over the `support`, array of float; nan where there is no win or no sample."""
        return self.support * (1 - self.mean_win)

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The numbers by name."""
        names = [name for name in self.__dataclass_fields__ if name not in ("taxonomy", "reasons")]
        return {name: getattr(self, name) for name in (*names, "n_wrong", "missed", "win_lost")}

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a node: ``node`` and ``parent`` by name (parents joined by ``;``), ``depth``, numbers."""
        names, parents = self.taxonomy.names, self.taxonomy.parents
        above = [";".join(names[one] for one in parents[node].tolist()) for node in range(self.taxonomy.n_nodes)]
        return frame({"node": names, "parent": above, "depth": self.taxonomy.depth, **self.columns})


def node_table(
    evaluation: Judged,
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    calibration: Reliability | None = None,
    **parameters: Any,
) -> NodeTable:
    """Support, recall, precision, correct answers, stops and win of every node.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
        Of scores or labels, of trees or graphs, with one truth a sample or several.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
    calibration : Reliability, optional
        Of nodes, from `hierviz.diagnosis.reliability`, which does not depend on the rule.

    Returns
    -------
    NodeTable

    Raises
    ------
    PredictionsError
        If no sample has a known truth, or the rule or a parameter is not valid.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("fruit", "citrus"), ("citrus", "lemon"), ("citrus", "orange"), ("fruit", "pear")])
    >>> lemons = Predictions.from_labels(taxonomy, taxonomy.nodes("orange", "orange"), truth=taxonomy.nodes("lemon", "lemon"))
    >>> node_table(lemons).recall[taxonomy.nodes("citrus", "lemon")]
    array([1., 0.])
    """
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    taxonomy, n_nodes = answers.taxonomy, answers.taxonomy.n_nodes
    if answers.is_single and taxonomy.is_tree:
        nodes_of = (*answers.single, answers.common)
        support, answered, hits = (samples_at_or_below(taxonomy, nodes) for nodes in nodes_of)
    else:
        true_keys, predicted_keys = answers.closed()
        support, answered, hits = (
            np.bincount(keys % n_nodes, minlength=n_nodes)
            for keys in (true_keys, predicted_keys, true_keys[is_member(true_keys, predicted_keys)])
        )
        support[0] = answered[0] = hits[0] = answers.n_judged
    reasons, without = {}, answers.outcome == list(OUTCOMES).index("no_answer")
    if answers.is_single:
        n_correct = _truths_below(answers, ~answers.is_wrong).astype(float)
        n_no_answer = _truths_below(answers, without)
    else:
        n_correct = np.full(n_nodes, np.nan)
        n_no_answer = np.bincount(true_keys[without[true_keys // n_nodes]] % n_nodes, minlength=n_nodes)
        n_no_answer[0] = without.sum()
        reasons["correct"] = reasons["n_correct"] = (
            f"it needs one true class and one answer per sample, and there are {answers.why_not_single()}"
        )
    win = answers.evaluation.win
    if win is None:
        mean_win = np.full(n_nodes, np.nan)
        why = answers.evaluation.why_no_curve()
        reasons["mean_win"] = why or "they need scores of one true class per sample on a tree"
    else:
        total = samples_at_or_below(taxonomy, np.asarray(answers.truth), win[answers.rows])
        mean_win = ratio(np.where(support > 0, total, 0), support, np.nan)
    errors = {key: np.full(n_nodes, np.nan) for key in ("ece", "null_mean", "is_flagged")}
    if calibration is None:
        why = "the calibration of nodes was not computed"
        reasons |= {"ece": why, "ece_expected": why, "is_miscalibrated": why}
    else:
        advice = "Pass hierviz.diagnosis.reliability(evaluation, nodes=...)."
        check_kind("calibration", calibration, Reliability, advice)
        if not taxonomy.has_nodes_of(calibration.taxonomy):
            raise PredictionsError(
                "calibration: expected nodes of the taxonomy of the answers, got another one. Pass that of the same data."
            )
        known = np.flatnonzero((calibration.node >= 0) & np.isfinite(calibration.ece))
        for key, column in errors.items():
            column[calibration.node[known]] = getattr(calibration, key)[known]
    ratios = ((hits, support), (hits, answered), (2 * hits, support + answered), (n_correct, support))
    columns: tuple[Any, ...] = (
        *(support, answered, hits, _stops(answers), n_no_answer, n_correct),
        *(ratio(part, whole, np.nan) for part, whole in ratios),
        *(mean_win, *errors.values(), reasons),
    )
    return NodeTable(taxonomy, *columns)


def _truths_below(answers, some):
    """Number of some samples (a mask) with their one truth at or below each node, shape (n_nodes,)."""
    taxonomy, truth = answers.taxonomy, answers.truth[some]
    if taxonomy.is_tree:
        return samples_at_or_below(taxonomy, truth)
    nodes, count = np.unique(truth, return_counts=True)
    above = taxonomy.ancestors(nodes)
    return np.bincount(above.nodes, np.repeat(count, above.lengths), taxonomy.n_nodes).astype(np.intp)


def _stops(answers):
    """Number of samples with each node as an answer, shape (n_nodes,)."""
    n_nodes, predicted = answers.taxonomy.n_nodes, answers.predicted
    if not isinstance(predicted, NodeLists):
        return np.bincount(predicted[predicted >= 0], minlength=n_nodes)
    stops = np.bincount(own_keys(answers.taxonomy, predicted) % n_nodes, minlength=n_nodes)
    stops[0] += int((predicted.lengths == 0).sum())
    return stops
