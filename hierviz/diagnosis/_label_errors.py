r"""Truths that may be wrong: samples whose answer the model believes far more than their truth.

Conventions
-----------
Of a wrong answer, with z the lowest common ancestor of truth and answer, t and a the children of z on the way to them,

    score = p(a) - p(t),

in [-1, 1], dimensionless; higher is more doubtful. So the doubt is about the branch at which both part, and not about a leaf
among its siblings. Answers above or below the truth do not contradict it and are no candidates.

A model that was trained on these samples may have learned their wrong labels: use predictions of held-out samples.

Functions
---------
label_errors
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis.confusions import branch_below
from hierviz.diagnosis.sample_paths import listed_probabilities
from hierviz.evaluation._judged_answers import Judged, judged_answers
from hierviz.evaluation.severity import table_probabilities
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Rows
from hierviz.messages.progress import Progress
from hierviz.metrics.ties import largest_first
from hierviz.predictions.parametrisation import PARAMETRISATIONS
from hierviz.taxonomy.checks import check_whole
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

CAUTION = "A model that was trained on these samples may have learned their wrong labels: use predictions of held-out samples."
# More than sums of probabilities differ by in another order.
ROUNDING = 1e-9
# Rows that are read at a time where only the first candidates are asked for, at least.
LEAST_READ = 1024


@dataclass(frozen=True, eq=False)
class LabelErrors(Rows):
    """Candidates, the most doubtful truth first; arrays of shape (n,).

    Attributes
    ----------
    taxonomy : Taxonomy
    row : ndarray of int
        Rows of the Predictions.
    sample_id : ndarray of str
    truth, predicted : ndarray of int
        Node numbers.
    common : ndarray of int
        Their lowest common ancestor.
    true_branch, predicted_branch : ndarray of int
        Its children on the way to them.
    p_true, p_predicted : ndarray of float
        Probabilities of these children.
    p_answer : ndarray of float
        Probability of the answer itself, at most that of its branch.
    score : ndarray of float
        p_predicted - p_true.
    n_candidates : int
        How many there are, with those that `most` left out.
    caution : str
        What to know about all candidates.
    """

    taxonomy: Taxonomy
    row: np.ndarray
    sample_id: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray
    common: np.ndarray
    true_branch: np.ndarray
    predicted_branch: np.ndarray
    p_true: np.ndarray
    p_predicted: np.ndarray
    score: np.ndarray
    p_answer: np.ndarray
    n_candidates: int
    caution: str = CAUTION

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a candidate, nodes by name."""
        names = np.array(self.taxonomy.names, dtype=object)
        nodes = ("truth", "predicted", "common", "true_branch", "predicted_branch")
        numbers = {key: getattr(self, key) for key in ("p_true", "p_predicted", "score", "p_answer")}
        return frame({"sample_id": self.sample_id, **{key: names[getattr(self, key)] for key in nodes}, **numbers})


def label_errors(
    evaluation: Judged,
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    most: int | None = None,
    progress: Progress = None,
    **parameters: Any,
) -> LabelErrors:
    """Wrong answers ranked by how much more probable their branch is than that of the truth.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
        Of scores of a tree, with one truth a sample.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`.
    most : int, optional
        Keep the first ones only, which spares reading the scores of most others; all wrong answers if not given.
    progress : callable, optional
        Called with (samples read, samples in all) where the scores of all of them are read.

    Returns
    -------
    LabelErrors
        The order of the file on ties.

    Raises
    ------
    PredictionsError
        If there are no scores, several truths or answers a sample, no known truth, or the taxonomy is a graph.
    """
    if most is not None:
        check_whole("most", most, 0)
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    reason = answers.evaluation.why_no_curve()
    predictions, taxonomy = answers.evaluation.predictions, answers.taxonomy
    if reason:
        raise PredictionsError(f"{predictions.name}: expected candidates for label errors, got none: {reason}.")
    truth, predicted = answers.single
    # An answer outside the taxonomy doubts no truth.
    places = np.flatnonzero(answers.is_wrong & ~answers.is_outside)
    rows, truth, predicted, common = (values[places] for values in (answers.rows, truth, predicted, answers.common))
    branches = [branch_below(taxonomy, common, nodes) for nodes in (truth, predicted)]
    n = len(rows)
    if most is None or 4 * most >= n or not PARAMETRISATIONS[str(predictions.parametrisation)].is_coherent:
        kept = np.arange(n)
        p = _probabilities(predictions, rows, [*branches, predicted], progress)
    else:
        kept, p = _first_ones(answers.evaluation, rows, [*branches, predicted], most)
    order = largest_first(p[1] - p[0])[: n if most is None else most]
    p, order = p[:, order], kept[order]
    rows = rows[order]
    nodes = [values[order] for values in (truth, predicted, common, *branches)]
    columns: tuple[Any, ...] = (*nodes, p[0], p[1], p[1] - p[0], p[2], n)
    return LabelErrors(taxonomy, rows, predictions.ids[rows], *columns)


def _first_ones(evaluation, rows, nodes, most):
    """Places, ascending, among which the `most` largest scores are, and the probabilities of their nodes; few of the others.

    The truth's branch is at least as probable as the truth, and the answer's branch is often in the Pareto table: their
    difference is a bound above, and only rows whose bound is large are read.
    """
    known = table_probabilities(evaluation, nodes[1], rows)
    bound = np.where(np.isnan(known), 1.0, known) - evaluation.p_truth[rows] + ROUNDING
    by_bound = np.argsort(-bound, kind="stable")
    step, stop, parts = max(4 * most, LEAST_READ), 0, []
    while stop < len(rows):
        # In the order of the file, which is read in runs.
        some = by_bound[stop : stop + step] = np.sort(by_bound[stop : stop + step])
        parts.append(_probabilities(evaluation.predictions, rows[some], [one[some] for one in nodes]))
        stop += len(some)
        scores = np.concatenate([part[1] - part[0] for part in parts])
        if most == 0 or (stop < len(rows) and bound[by_bound[stop]] < np.partition(scores, -most)[-most]):
            break
    order = np.argsort(by_bound[:stop])
    return by_bound[:stop][order], np.concatenate(parts, axis=1)[:, order]


def _probabilities(predictions, rows, nodes, progress=None):
    """Probability of some nodes of each row, shape (len(nodes), n_rows)."""
    return np.array(listed_probabilities(predictions, rows, *map(NodeLists.of, nodes), progress=progress))
