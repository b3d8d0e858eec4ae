r"""How bad a mistake is: the numbers by which mistakes are ranked, and what confusions and slices cost.

Conventions
-----------
One number a sample, shape (n_judged,), >= 0, higher is worse. Distances truncate an answer below the truth at the truth.

Functions
---------
severity, SEVERITIES
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.leaf_costs import LeafCosts
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.path import node_pairs
from hierviz.metrics.sets.node_sets import set_overlap, set_scores
from hierviz.taxonomy.checks import check_one_of
from hierviz.taxonomy.taxonomy import NodeLists


@dataclass(frozen=True)
class Severity:
    """One measure of how bad a mistake is.

    Attributes
    ----------
    label, sentence, unit : str
        Name for people, one plain sentence, unit ("" where dimensionless).
    function : callable
        (evaluation, truth, predicted, rows) -> ndarray of float, shape (n_judged,).
    needs_scores, needs_one_truth : bool
        Whether it is defined for scores only, and for one truth and one answer a sample on a tree only.
    needs_costs : bool
        Whether it is read from a table of costs, which is one more argument of the function.
    """

    label: str
    sentence: str
    unit: str
    function: Callable
    needs_scores: bool = False
    needs_one_truth: bool = True
    needs_costs: bool = False


def severity(
    evaluation: Evaluation,
    truth: np.ndarray | NodeLists,
    predicted: np.ndarray | NodeLists,
    key: str,
    *,
    rows: np.ndarray | None = None,
    what: str = "severity",
    costs: object = None,
) -> np.ndarray:
    """How bad the answer to each judged sample is.

    Parameters
    ----------
    evaluation : Evaluation
    truth, predicted : ndarray of int, shape (n_judged,), or NodeLists
        Of the judged samples.
    key : str
        Of `SEVERITIES`.
    rows : ndarray of int, shape (n_judged,), optional
        Rows of the Predictions, where these are not all judged samples.
    what : str
        The parameter that an error names.
    costs : LeafCosts, optional
        Of ``cost``; anything else counts as none.

    Returns
    -------
    ndarray of float, shape (n_judged,)

    Raises
    ------
    PredictionsError
        If the key is unknown, or the measure is not defined for this input; says why.
    """
    check_one_of(what, key, SEVERITIES)
    reason = why_no_severity(evaluation, truth, predicted, key, costs)
    if reason:
        raise PredictionsError(f"{what} {key!r}: expected an input that has it, got none: {reason}. Choose another.")
    rows = evaluation.rows if rows is None else rows
    more = (costs,) if SEVERITIES[key].needs_costs else ()
    return SEVERITIES[key].function(evaluation, truth, predicted, rows, *more)


def why_no_severity(
    evaluation: Evaluation,
    truth: np.ndarray | NodeLists,
    predicted: np.ndarray | NodeLists,
    key: str,
    costs: object = None,
) -> str | None:
    """Why a measure of `SEVERITIES` is not defined for this input, in words; None when it is."""
    entry = SEVERITIES[key]
    if entry.needs_costs:
        if not isinstance(costs, LeafCosts):
            return "it needs a table of costs"
        if not costs.is_of(evaluation.taxonomy):
            return f"the leaves of {costs.name} are others"
    if entry.needs_one_truth:
        reason = evaluation.why_not_one_truth()
        if reason:
            return reason
        if isinstance(truth, NodeLists) or isinstance(predicted, NodeLists):
            return "it needs one answer per sample, and these are sets"
    if entry.needs_scores and not evaluation.predictions.has_scores:
        return "it needs scores, and this file holds labels"
    return None


def answer_probabilities(evaluation: Evaluation, predicted: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Probability of the answer to each of some rows, shape (n_rows,)."""
    p = table_probabilities(evaluation, predicted, rows)
    # Some rules answer with nodes that no threshold returns.
    rest = np.flatnonzero(np.isnan(p))
    predictions = evaluation.predictions
    step = max(1, (1 << 22) // predictions.taxonomy.n_nodes)
    for start in range(0, len(rest), step):
        some = rest[start : start + step]
        p[some] = predictions.node_probabilities(rows[some])[np.arange(len(some)), predicted[some]]
    return p


def table_probabilities(evaluation: Evaluation, nodes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Probability of one node of each of some rows, shape (n_rows,); nan where it is not in the row's Pareto set."""
    table = evaluation.table
    assert table is not None
    own = table if len(rows) == table.n_samples else table.take(rows)
    sizes = np.diff(own.offsets)
    place = np.flatnonzero(own.nodes == np.repeat(nodes, sizes))
    p = np.full(len(rows), np.nan)
    p[np.repeat(np.arange(len(rows)), sizes)[place]] = own.scores[place]
    return p


def _win_lost(evaluation, truth, predicted, rows):
    return 1 - evaluation.win[rows]


def _information(evaluation, truth, predicted, rows):
    return node_pairs(evaluation.taxonomy, truth, predicted).information.distance


def _depth(evaluation, truth, predicted, rows):
    return node_pairs(evaluation.taxonomy, truth, predicted).depth.distance


def _confidence(evaluation, truth, predicted, rows):
    return answer_probabilities(evaluation, predicted, rows) * _information(evaluation, truth, predicted, rows)


def _cost(evaluation, truth, predicted, rows, costs):
    found = costs.of_nodes(evaluation.taxonomy, np.maximum(predicted, 0), truth)
    outside = predicted < 0
    if outside.any():
        # As dear as the worst leaf.
        found[outside] = costs.most_of(evaluation.taxonomy, truth[outside])
    # An exact answer costs what the table says of the leaf; of an inner class, nothing.
    return np.where((truth == predicted) & ~evaluation.taxonomy.is_leaf[truth], 0.0, found)


def _lost_f1(evaluation, truth, predicted, rows):
    shared, claimed, due = set_overlap(evaluation.taxonomy, truth, NodeLists.of(predicted))
    # Nothing claimed where nothing was due is right.
    return np.where(claimed + due == 0, 0.0, 1 - set_scores(shared, claimed, due)[2])


SEVERITIES = MappingProxyType(
    {
        "win_lost": Severity(
            "win lost", "1 minus the rescaled win, whatever the answer is.", "", _win_lost, needs_scores=True
        ),
        "info_dist": Severity(
            "information distance", "Bits on the way from the answer to the truth.", "bits", _information
        ),
        "depth_dist": Severity("depth distance", "Edges on the way from the answer to the truth.", "edges", _depth),
        "confidence_dist": Severity(
            "confidence × distance",
            "Probability of the answer times the bits on the way from it to the truth.",
            "bits",
            _confidence,
            needs_scores=True,
        ),
        "cost": Severity(
            "cost",
            "Cost of the answer by the table of costs; of an inner class the mean over the leaves below it.",
            "",
            _cost,
            needs_costs=True,
        ),
        "lost_hf1": Severity(
            "lost hF1",
            "1 minus the hierarchical F1 of the answers and the truths, both with their ancestors.",
            "",
            _lost_f1,
            needs_one_truth=False,
        ),
    }
)
