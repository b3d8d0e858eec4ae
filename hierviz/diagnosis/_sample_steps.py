r"""What one sample is answered for every value of a rule's own parameter, with all that a drawing says of each answer.

Conventions
-----------
One table has a row a step: bounds of the parameter, the answer and its paths, outcome, counts of nodes, hierarchical
precision and recall, and a sentence. A handle that is dragged looks rows up, and nothing is computed.

Counts are those of the hierarchical confusion matrix, as in `hierviz.diagnosis.sample_answers.sample_confusion`. Precision and
recall are those of Kiritchenko [1]_, with all ancestors of the true classes T and of the answered ones A, the root left out:

.. math:: hP = |A \cap T| / |A|,\quad hR = |A \cap T| / |T|,\quad hF = 2\, hP\, hR / (hP + hR)

0/0 is 1 in the first two. Of one answer and one truth in a tree these are TP / (TP + FP) and TP / (TP + FN).

Functions
---------
sample_steps, steps_by_rule, SampleSteps

References
----------
.. [1] S. Kiritchenko et al., Learning and evaluation in the presence of class hierarchies, Canadian AI 2006.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.curves._rule_curve import bits_of
from hierviz.diagnosis._flip_intervals import flip_intervals, outcomes
from hierviz.diagnosis._step_bounds import only_step, steps_of_rule
from hierviz.diagnosis._step_sentences import step_sentences
from hierviz.diagnosis.sample_answers import labels_of, probabilities_of, truth_of
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.registry import inference_rule
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Rows
from hierviz.metrics.confusion.multi_path import confusion, greedy_cover
from hierviz.metrics.confusion.path_lists import PathLists
from hierviz.metrics.node_pairs import harmonic_mean, with_outside
from hierviz.metrics.sets.node_sets import most_specific, set_overlap, set_scores
from hierviz.predictions.outside import OUTSIDE
from hierviz.taxonomy.checks import is_within
from hierviz.taxonomy.node_lists import is_member
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

# Sets of more nodes are not listed: no drawing shows them, and there are as many sets as nodes.
MOST_NODES = 100


@dataclass(frozen=True, eq=False)
class SampleSteps(Rows):
    """Steps of the parameter of a rule with one answer each, ascending; arrays of shape (n_steps,).

    Attributes
    ----------
    taxonomy : Taxonomy
    rule : str
        "" for labels.
    parameter : str
        Name of the rule's own number: ``threshold``, ``lam`` or ``bits``. "" where it has none, or for labels: one step.
    axis : (float, float)
        Ends of what the steps tile: probabilities from 0 to 1; bits from 0 to those of a leaf; λ in bits from 0 to a quarter
        above its last breakpoint.
    closed : str
        ``low``: a step holds for ``low <= value < high``, the last one at its end too. ``high``: it holds for
        ``low < value <= high``, the first one at 0 too.
    low, high : ndarray of float
        Each starts where the one before ends. The last one may be a single value, such as a threshold of 1.
    answers : NodeLists, length n_steps
        One node, or a set, which may be empty; -1 is a label outside the taxonomy.
    paths : PathLists, length n_steps
        Paths from the root to the answer; of sets those of the greedy cover, in a tree the most probable end first.
    outcome : ndarray of str
        Key of ``OUTCOMES``, as in `SampleAnswer`; "" where no truth is known.
    tp, fp, fn : ndarray of int
        Nodes of the paths without the root that are right, wrong and missing; -1 where no truth is known.
    hp, hr, hf : ndarray of float
        Hierarchical precision, recall and F1 in [0, 1], higher is better; nan where no truth is known.
    information, p : ndarray of float
        Bits and probability of a single node; nan for sets, p for labels too.
    next_node : ndarray of int
        Under ``threshold``, ``majority`` and ``darts`` the answer of the next lower step, under ``threshold_set`` the most
        probable class that is not in the set, the lowest of equal ones; -1 where there is none, and under other rules.
    next_p : ndarray of float
        Its probability, nan for none.
    next_is_below : ndarray of bool
        Whether it lies below the answer, of a set below the end of a path; else it is in another branch.
    sentence : ndarray of str
        What is answered, why not more, and whether it is right.
    unlisted : str
        What the axis leaves out, in one sentence: thresholds of sets with very many classes, λ above 1,000,000 bits. Else "".
    """

    taxonomy: Taxonomy
    rule: str
    parameter: str
    axis: tuple[float, float]
    closed: str
    low: np.ndarray
    high: np.ndarray
    answers: NodeLists
    paths: PathLists
    outcome: np.ndarray
    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    hp: np.ndarray
    hr: np.ndarray
    hf: np.ndarray
    information: np.ndarray
    p: np.ndarray
    next_node: np.ndarray
    next_p: np.ndarray
    next_is_below: np.ndarray
    sentence: np.ndarray
    unlisted: str = ""

    def place(self, value: float) -> int:
        """Number of the step that holds at a value of the parameter; a PredictionsError where it is not on the axis."""
        if not is_within(value, *self.axis):
            low, high = self.axis
            raise PredictionsError(
                f"{self.parameter or 'value'}: expected a number from {low:.6g} to {high:.6g}, got {shown(value)}. "
                f"{self.unlisted or 'Choose one in that range.'}"
            )
        if self.closed == "low":
            return int(np.searchsorted(self.low, value, side="right")) - 1
        return int(np.searchsorted(self.high, value, side="left"))

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a step; ``answer`` and ``next`` by name, the classes of a set joined by ";"."""
        names = (*self.taxonomy.names, "")
        answers = [";".join(names[node] for node in self.answers[i].tolist()) for i in range(len(self))]
        keys = ("outcome", "tp", "fp", "fn", "hp", "hr", "hf", "information", "p")
        columns: dict[str, Any] = {"low": self.low, "high": self.high, "answer": answers}
        columns |= {key: getattr(self, key) for key in keys}
        columns["next"] = [names[node] for node in self.next_node.tolist()]
        return frame(columns | {key: getattr(self, key) for key in ("next_p", "next_is_below", "sentence")})


def sample_steps(
    evaluation: Evaluation,
    sample: int,
    rule: str = "threshold",
    *,
    threshold: float = 0.5,
    most_nodes: int = MOST_NODES,
    **parameters: Any,
) -> SampleSteps:
    """The answer of one model to one sample for every value of a rule's own parameter.

    Parameters
    ----------
    evaluation : Evaluation
        Of scores or labels, of a tree or a graph.
    sample : int
        Row of the Predictions.
    rule : str
        Key of `INFERENCE_RULES`; ignored for labels, which give one step.
    threshold, **parameters
        As in `Evaluation.answers`, for what is no step: costs, expectation, thresholds by depth.
    most_nodes : int
        Sets of more nodes are not listed; `SampleSteps.unlisted` says so.

    Returns
    -------
    SampleSteps

    Raises
    ------
    PredictionsError
        If there is no such sample, rule or parameter.

    Examples
    --------
    >>> from hierviz import Evaluation, Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> scores = Predictions.from_scores(taxonomy, [[0.5, 0.25, 0.25]], "leaf_probabilities", truth=taxonomy.nodes("dog"))
    >>> steps = sample_steps(Evaluation.from_predictions(scores), 0)
    >>> steps.low, steps.outcome.tolist(), steps.tp, steps.fp
    (array([0.  , 0.5 , 0.75]), ['wrong', 'coarse', 'no_answer'], array([1, 1, 0]), array([1, 0, 0]))
    >>> print(steps.sentence[1])
    Stops at mammal (p = 0.750): the next class, cat, has 0.500, not above τ. Coarse: the truth is below it.
    """
    return steps_by_rule(evaluation, sample, [rule], threshold=threshold, most_nodes=most_nodes, **parameters)[rule]


def steps_by_rule(
    evaluation: Evaluation,
    sample: int,
    rules: Iterable[str],
    *,
    threshold: float = 0.5,
    most_nodes: int = MOST_NODES,
    **parameters: Any,
) -> dict[str, SampleSteps]:
    """The tables of several rules for one sample, judged in one go; arguments as in `sample_steps`.

    Returns
    -------
    dict of str to SampleSteps
    """
    p = probabilities_of(evaluation, sample)
    taxonomy, truth, steps = evaluation.taxonomy, truth_of(evaluation, sample), {}
    if p is None:
        labels = labels_of(evaluation, sample)
        only = only_step(NodeLists.of(labels), is_set=isinstance(labels, NodeLists))
        steps = dict.fromkeys(rules, only)
    else:
        flips = flip_intervals(evaluation, sample)
        assert evaluation.table is not None
        table = evaluation.table.take(np.array([sample]))
        beaten = evaluation.predictions.best_outside
        for rule in rules:
            settings = inference_rule(rule).settings({"threshold": threshold, **parameters})
            if beaten is not None and beaten[sample] and not inference_rule(rule).returns_sets:
                steps[rule] = only_step(NodeLists.of(np.array([OUTSIDE])))
                continue
            steps[rule] = steps_of_rule(taxonomy, p, rule, settings, flips, table, most_nodes)
    made: dict[str, SampleSteps] = {}
    for is_set in (False, True):
        some = {rule: of_rule for rule, of_rule in steps.items() if of_rule.is_set == is_set}
        if some:
            made |= _judged(evaluation, truth, None if p is None else p[0], some, is_set)
    return {rule: made[rule] for rule in steps}


def _judged(evaluation, truth, p, steps, is_set):
    """SampleSteps of several rules, all of sets or none."""
    taxonomy = evaluation.taxonomy
    answers = NodeLists.concatenate([of_rule.answers for of_rule in steps.values()])
    n = len(answers)
    paths = _paths(taxonomy, answers, p) if is_set else PathLists.from_nodes(taxonomy, answers.nodes)
    following = np.concatenate([of_rule.following for of_rule in steps.values()])
    columns: dict[str, Any] = {"outcome": np.full(n, "")}
    columns |= {cell: np.full(n, -1) for cell in ("tp", "fp", "fn")}
    columns |= {key: np.full(n, np.nan) for key in ("hp", "hr", "hf", "information", "p", "next_p")}
    columns["next_node"] = following
    columns["next_is_below"] = _is_below(taxonomy, following, paths.ends)
    if p is not None:
        columns["next_p"] = np.where(following >= 0, p[following], np.nan)
    if not is_set:
        columns["information"] = bits_of(taxonomy, answers.nodes)
        columns["p"] = columns["p"] if p is None else with_outside(p, np.nan)[answers.nodes]
    if len(truth):
        columns |= _against_truth(evaluation, truth, answers, paths, is_set)
    made, start = {}, 0
    for rule, of_rule in steps.items():
        stop = start + len(of_rule.low)
        own = {key: values[start:stop] for key, values in columns.items()}
        own_paths = paths.take(slice(start, stop))
        sentence = step_sentences(taxonomy, p, rule, of_rule, own_paths, own["outcome"], own["next_is_below"], truth)
        made[rule] = SampleSteps(
            taxonomy,
            "" if p is None else rule,
            of_rule.parameter,
            of_rule.axis,
            of_rule.closed,
            of_rule.low,
            of_rule.high,
            of_rule.answers,
            own_paths,
            **own,
            sentence=sentence,
            unlisted=of_rule.unlisted,
        )
        start = stop
    return made


def _against_truth(evaluation, truth, answers, paths, is_set):
    """Outcome, counts, precision and recall of every answer."""
    taxonomy, n = evaluation.taxonomy, len(answers)
    rows = np.zeros(n, dtype=np.intp)
    true = NodeLists.from_lists([truth])
    outcome = outcomes(taxonomy, answers if is_set else answers.nodes, truth)
    ends = truth[rows] if evaluation.predictions.has_single_truth else greedy_cover(taxonomy, true).ends.take(rows)
    counts = confusion(taxonomy, ends, paths if is_set else answers.nodes)
    hp, hr, _ = set_scores(*set_overlap(taxonomy, true.take(rows), answers))
    found = {cell: getattr(counts, cell) for cell in ("tp", "fp", "fn")}
    return found | {"outcome": outcome, "hp": hp, "hr": hr, "hf": harmonic_mean(hp, hr)}


def _paths(taxonomy, answers, p):
    """Paths of sets by the greedy cover; in a tree, which has one path to each most specific class, the most probable first."""
    if p is None or not taxonomy.is_tree:
        return greedy_cover(taxonomy, answers)
    ends = most_specific(taxonomy, answers)
    order = np.lexsort((-p[ends.nodes], ends.rows))
    return PathLists.from_nodes(taxonomy, NodeLists(ends.offsets, ends.nodes[order]))


def _is_below(taxonomy, nodes, ends):
    """Whether each node lies below one of some ends, shape (n,); False for -1."""
    found = np.zeros(len(nodes), dtype=bool)
    known = np.flatnonzero(nodes >= 0)
    up = taxonomy.ancestors(nodes[known])
    n = taxonomy.n_nodes
    keys = np.sort(ends.rows * n + ends.nodes)
    row = known[up.rows]
    found[row[is_member(row * n + up.nodes, keys) & (up.nodes != nodes[row])]] = True
    return found
