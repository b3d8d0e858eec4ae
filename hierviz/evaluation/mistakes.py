"""Which samples go wrong, and how badly: the ranked list behind the Mistakes view.

Conventions
-----------
Every judged sample has one outcome: its answer is exact, coarse, none or wrong, as `hierviz.metrics.outcomes` says.

Functions
---------
mistakes, outcome_counts
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.evaluation._judged_answers import JudgedAnswers, judged_answers
from hierviz.evaluation.evaluation import Evaluation, as_evaluation
from hierviz.evaluation.severity import SEVERITIES
from hierviz.inference.registry import rule_and_threshold
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import require
from hierviz.messages.notebook_html import Short
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_one_of
from hierviz.taxonomy.positions import check_position
from hierviz.taxonomy.taxonomy import Taxonomy

ORDERS = {
    **{key: entry.label for key, entry in SEVERITIES.items() if entry.needs_one_truth},
    "file": "order of the file",
}


@dataclass(frozen=True, eq=False)
class Mistakes(Short):
    """Samples, worst first.

    Attributes
    ----------
    row : ndarray of int, shape (n,)
        Rows of the Predictions.
    truth, predicted : ndarray of int, shape (n,)
        Node numbers, the answer before truncation.
    outcome : ndarray of str, shape (n,)
        Keys of `OUTCOMES`.
    win_lost : ndarray of float, shape (n,)
        1 - rescaled win, in [0, 1]; nan for label files.
    info_dist : ndarray of float, shape (n,)
        Bits between the (truncated) answer and the truth.
    severity : ndarray of float, shape (n,)
        What they are ranked by, a key of `SEVERITIES`; nan in the order of the file.
    """

    row: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray
    outcome: np.ndarray
    win_lost: np.ndarray
    info_dist: np.ndarray
    severity: np.ndarray

    def __len__(self):
        return len(self.row)

    def to_frame(self, taxonomy: Taxonomy | None = None) -> Any:
        """A pandas DataFrame with the attributes as columns; `truth` and `predicted` by name where a taxonomy is given."""
        require("to_frame", "files", "pandas")
        import pandas as pd

        columns = {name: getattr(self, name) for name in self.__dataclass_fields__}
        if taxonomy is not None:
            names = np.array(taxonomy.names, dtype=object)
            columns |= {name: names[columns[name]] for name in ("truth", "predicted")}
        return pd.DataFrame(columns)

    def take(self, places):
        """Some of the samples, by place or mask."""
        return Mistakes(*(getattr(self, name)[places] for name in self.__dataclass_fields__))


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
) -> Mistakes:
    """Judged samples with their outcome, filtered and ranked.

    Parameters
    ----------
    evaluation : Evaluation, or Predictions
        Of scores, or of labels with one path a sample, with one truth a sample on a tree.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
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
    Mistakes

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
    if reason:
        raise PredictionsError(f"{predictions.name}: expected answers that can be ranked, got none: {reason}.")
    rule, threshold = rule_and_threshold(rule, threshold)
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    if not isinstance(answers.predicted, np.ndarray):
        raise PredictionsError(f"rule: expected one answer per sample, got sets by {rule!r}. Choose another rule.")
    keep = np.ones(len(answers.rows), dtype=bool)
    if outcome is not None:
        keep &= answers.outcome == list(OUTCOMES).index(outcome)
    truth = np.asarray(evaluation.truth)
    if under is not None:
        keep &= taxonomy.is_ancestor(np.full(len(truth), under), truth)
    if among is not None:
        kept = np.asarray(among)
        if kept.shape != keep.shape or kept.dtype != bool:
            raise PredictionsError(
                f"among: expected True or False for each of the {len(keep)} judged samples, got {kept.dtype} of shape "
                f"{kept.shape}. Use hierviz.diagnosis.filtered."
            )
        keep &= kept
    values = None
    if order == "file":
        places = np.flatnonzero(keep)
    else:
        win = evaluation.win if order == "win_lost" else None
        if win is not None:
            values, places = 1 - win[evaluation.rows], evaluation.judged_by_win
        else:
            key = "info_dist" if order == "win_lost" else order
            values, places = answers.severity(key), answers.ranked_by(key)
        places = places if keep.all() else places[keep[places]]
    rows = answers.rows[places]
    return Mistakes(
        rows,
        truth[places],
        answers.predicted[places],
        np.array(list(OUTCOMES))[answers.outcome[places]],
        np.full(len(rows), np.nan) if evaluation.win is None else 1 - evaluation.win[rows],
        answers.severity("info_dist")[places],
        np.full(len(rows), np.nan) if values is None else values[places],
    )


def outcome_counts(ranked: Mistakes | JudgedAnswers, among: np.ndarray | None = None) -> dict[str, int]:
    """How many samples have each outcome that they can have: dict of key of `OUTCOMES` to int.

    `among` keeps some of the samples, ndarray of bool.
    """
    outcome = ranked.outcome if among is None else ranked.outcome[among]
    if isinstance(ranked, JudgedAnswers):
        counts = dict(zip(OUTCOMES, np.bincount(outcome, minlength=len(OUTCOMES)).tolist(), strict=True))
        return {key: counts[key] for key in ranked.outcomes}
    return {key: int((outcome == key).sum()) for key in OUTCOMES}
