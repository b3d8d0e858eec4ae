r"""What one sample is answered at every threshold from 0 to 1, and where the answer changes.

Conventions
-----------
The answer at threshold t is the last node of the sample's Pareto set whose score is above t, and the first node where none
is. The k-th node therefore holds for s_(k+1) <= t < s_k, and the first up to 1, with 1 itself. Intervals ascend, are closed
below and open above (the last one is closed), and tile [0, 1].

Only the rule ``threshold`` runs through thresholds of one node; ``majority`` is this rule at 0.5. ``threshold_set`` has a
threshold too, but answers with sets: a node is in the set for all t below its probability. ``information_threshold`` (bits),
``darts`` (lam), ``crm_leaf`` and ``crm_nodes`` (costs, rewards) have other parameters, and ``leaf``, ``plurality``,
``expected_information``, ``exclusive`` and ``top_down`` have none.

Functions
---------
flip_intervals, outcomes
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.evaluation._judged_answers import set_outcomes
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.pareto_table import ParetoTable, pareto_table
from hierviz.inference.registry import inference_rule
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Rows
from hierviz.messages.number_text import probability_text
from hierviz.metrics.outcomes import OUTCOMES, outcome_places
from hierviz.metrics.path import check_nodes
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind, check_threshold
from hierviz.taxonomy.positions import check_position, check_positions
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

# Rules that the intervals are those of.
RULES = ("threshold", "majority")


@dataclass(frozen=True, eq=False)
class FlipIntervals(Rows):
    """Intervals of thresholds with one answer each, ascending; arrays of shape (n_intervals,).

    Attributes
    ----------
    taxonomy : Taxonomy
    low, high : ndarray of float
        ``low <= threshold < high``; the last interval holds at its end, 1, too. The first starts at 0, and each starts where
        the one before ends.
    node : ndarray of int
        The answer.
    score : ndarray of float
        Its probability.
    outcome : ndarray of str
        Key of ``OUTCOMES``, with several truths the best of them; "" where no truth is known.
    """

    taxonomy: Taxonomy
    low: np.ndarray
    high: np.ndarray
    node: np.ndarray
    score: np.ndarray
    outcome: np.ndarray

    def place(self, threshold: float) -> int:
        """Number of the interval that holds at a threshold in [0, 1]."""
        check_threshold(threshold)
        return int(np.searchsorted(self.low, threshold, side="right")) - 1

    def why(self, threshold: float) -> str:
        """One sentence: why the answer at a threshold in [0, 1] is not more specific."""
        place, title = self.place(threshold), self.taxonomy.title
        node = int(self.node[place])
        stops = f"Stops at {title(node)} (p = {probability_text(float(self.score[place]))})"
        if place == 0:
            is_leaf = self.taxonomy.is_leaf[node]
            return (
                f"{stops}: it is a leaf." if is_leaf else f"{stops}: no more specific class has a probability above 0."
            )
        following, p = int(self.node[place - 1]), probability_text(float(self.score[place - 1]))
        # Of another branch the next answer may be: more specific is what has more information, not only what lies below.
        branch = "" if following in self.taxonomy.subtree(node) else ", in another branch,"
        more = f"of the more specific classes {title(following)}{branch} is the most probable"
        return f"{stops}: {more}, but its {p} is not above τ."

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row an interval, ``node`` by name."""
        columns = {key: getattr(self, key) for key in ("low", "high", "score", "outcome")}
        return frame({"node": [self.taxonomy.names[node] for node in self.node.tolist()], **columns})


def flip_intervals(
    evaluation: Evaluation | Predictions | ParetoTable,
    sample: int,
    *,
    taxonomy: Taxonomy | None = None,
    truth: Any = None,
    rule: str = "threshold",
) -> FlipIntervals:
    """The answer to one sample at every threshold from 0 to 1.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or ParetoTable
        Of scores, of a tree or a graph. A ParetoTable has to hold all thresholds, and needs a taxonomy.
    sample : int
        Row of the Predictions.
    taxonomy : Taxonomy, optional
        Of a ParetoTable.
    truth : int, or sequence of int, optional
        True nodes of the sample; those of the predictions if not given.
    rule : str
        ``threshold``, or ``majority``, which is the same at 0.5.

    Returns
    -------
    FlipIntervals

    Raises
    ------
    PredictionsError
        If the rule answers no single node by a threshold (says which do), the predictions hold labels, or there is no such
        sample.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> scores = Predictions.from_scores(taxonomy, [[0.5, 0.25, 0.25]], "leaf_probabilities", truth=taxonomy.nodes("dog"))
    >>> found = flip_intervals(scores, 0)
    >>> found.low, [taxonomy.names[node] for node in found.node], found.outcome.tolist()
    (array([0.  , 0.5 , 0.75]), ['cat', 'mammal', 'animal'], ['wrong', 'coarse', 'no_answer'])
    """
    if not isinstance(rule, str) or rule not in RULES:
        entry = inference_rule(rule)
        own = ", ".join(entry.parameters) or "no parameter"
        what = "sets of nodes" if entry.returns_sets else f"a rule with {own}"
        raise PredictionsError(
            f"rule: expected {' or '.join(RULES)}, whose one answer changes with the threshold, got {entry.key!r} ({what}). "
            "Choose one of them."
        )
    if isinstance(evaluation, ParetoTable):
        check_kind("taxonomy", taxonomy, Taxonomy, "A ParetoTable does not hold it.")
        assert taxonomy is not None
        nodes, scores = _of_table(evaluation, sample)
        check_positions("nodes of the table", nodes, taxonomy.n_nodes, "node number")
    else:
        predictions = evaluation.predictions if isinstance(evaluation, Evaluation) else evaluation
        check_kind("flip intervals", predictions, Predictions, "Pass Predictions, an Evaluation or a ParetoTable.")
        taxonomy = predictions.taxonomy
        check_position("sample", sample, predictions.n_samples, "row")
        if isinstance(evaluation, Evaluation) and evaluation.table is not None:
            nodes, scores = _of_table(evaluation.table, sample)
        else:
            p = predictions.node_probabilities(slice(sample, sample + 1))
            nodes, scores = _of_table(pareto_table(taxonomy, p), 0)
        if truth is None and predictions.truth is not None:
            known = np.atleast_1d(predictions.truth[sample])
            truth = known[known >= 0]
    true_nodes = np.atleast_1d(np.asarray([] if truth is None else truth))
    check_nodes(taxonomy, "truth", true_nodes)
    high = np.append(1.0, np.minimum(scores[1:], 1.0))
    low = np.append(np.clip(scores[1:], 0.0, 1.0), 0.0)
    # Where the second score is 1 or more, the first node is never returned below 1.
    first = int((scores[1:] > 1).sum())
    high[first] = 1.0
    kept = np.flatnonzero((high > low) | (np.arange(len(nodes)) == first))
    kept = kept[kept >= first][::-1]
    found = outcomes(taxonomy, nodes[kept], true_nodes)
    return FlipIntervals(taxonomy, low[kept], high[kept], nodes[kept], scores[kept], found)


def _of_table(table, sample):
    check_position("sample", sample, table.n_samples, "row")
    inside = slice(table.offsets[sample], table.offsets[sample + 1])
    return table.nodes[inside].astype(np.intp), table.scores[inside]


def outcomes(taxonomy: Taxonomy, nodes: np.ndarray | NodeLists, truth: np.ndarray) -> np.ndarray:
    """Outcome of each answer to one sample, of several truths the best of them, of sets as in `set_outcomes`.

    Parameters
    ----------
    taxonomy : Taxonomy
    nodes : ndarray of int, shape (n_answers,), or NodeLists
    truth : ndarray of int, shape (n_truths,)
        May be empty.

    Returns
    -------
    ndarray of str, shape (n_answers,)
        Keys of ``OUTCOMES``; "" without a truth.
    """
    if not len(truth):
        return np.full(len(nodes), "")
    if isinstance(nodes, NodeLists):
        true = NodeLists.from_lists([truth]).take(np.zeros(len(nodes), dtype=np.intp))
        return np.array(list(OUTCOMES))[set_outcomes(taxonomy, true, nodes)]
    above_truth = np.unique(taxonomy.ancestors(truth).nodes)
    answers = taxonomy.ancestors(np.maximum(nodes, 0))
    holds_truth = np.add.reduceat(np.isin(answers.nodes, truth), answers.offsets[:-1]) > 0
    # What lies outside the taxonomy is never true.
    holds_truth &= nodes >= 0
    return np.array(list(OUTCOMES))[outcome_places(holds_truth, np.isin(nodes, above_truth), nodes == 0)]
