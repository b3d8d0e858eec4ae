r"""What an expert says of samples, and the numbers that follow from it.

Conventions
-----------
A verdict is about one answer to one sample with one truth. The verdicts are

- ``wrong_label``: the truth is wrong. What is right is not known, so the sample is left out of every number and counted.
- ``acceptable``: the answer is right, too. Where a model gives this answer it is the truth of the sample, so it is exact; any
  other answer is judged against the truth that was there before.
- ``model_wrong``: truth and judgement stay. It says that somebody looked.

Without a verdict a row holds a note alone. A verdict on another truth than the one that the data have is outdated: labels were
changed since. It is not used, and counted.

Functions and classes
---------------------
Review, ReviewRow, VERDICTS
reviewed, Reviewed : predictions with the truths that a review leaves.
reviewed_numbers : every number of `hierviz.evaluate` with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hierviz.evaluation._judged_answers import Judged, judged_answers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.summary import BLOCKS, model_summary
from hierviz.messages.errors import PredictionsError, listed, shown
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Rows, Short
from hierviz.messages.number_text import value_text
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind, check_one_of, check_taxonomy
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

VERDICTS = {"wrong_label": "Wrong label", "acceptable": "Acceptable", "model_wrong": "Model wrong"}
# Of a file of a review, in this order.
COLUMNS = ("sample_id", "verdict", "note", "order", "model", "answer", "truth")


class ReviewRow(NamedTuple):
    """What was said of one answer to one sample; nodes are numbers, ascending, () where they are not known."""

    sample_id: str
    verdict: str = ""
    note: str = ""
    model: str = ""
    answer: tuple[int, ...] = ()
    truth: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Review(Rows):
    """Verdicts in the reviewer's order.

    Attributes
    ----------
    taxonomy : Taxonomy
    rows : tuple of ReviewRow
        One for each pair of a sample and an answer.

    Raises
    ------
    PredictionsError
        If a verdict is unknown, a pair occurs twice, an acceptable answer is not named, or a sample has a wrong label and another
        verdict.
    """

    taxonomy: Taxonomy
    rows: tuple[ReviewRow, ...] = ()

    def __post_init__(self):
        check_taxonomy(self.taxonomy)
        rows = tuple(
            row._replace(**{of: tuple(sorted(getattr(row, of))) for of in ("answer", "truth")}) for row in self.rows
        )
        object.__setattr__(self, "rows", rows)
        seen: dict[Any, str] = {}
        for row in rows:
            for problem in _problems(row, seen):
                raise PredictionsError(f"review, sample {row.sample_id!r}: {problem}")

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def counts(self) -> dict[str, int]:
        """Number of rows with each verdict, by its key."""
        return {key: sum(row.verdict == key for row in self.rows) for key in VERDICTS}

    def of(self, sample_id: str, answer: Iterable[int]) -> ReviewRow | None:
        """What was said of an answer to a sample; a wrong label is said of all answers. None where nothing was."""
        key = sample_id, tuple(sorted(answer))
        same = [row for row in self.rows if row.sample_id == sample_id]
        return next((row for row in same if (row.sample_id, row.answer) == key or row.verdict == "wrong_label"), None)

    def saying(self, row: ReviewRow) -> Review:
        """The review with what is said last of a sample and an answer; a row without verdict and note takes it back.

        A verdict replaces those that contradict it: that of the same answer, and a wrong label every other one.
        """
        before = self.of(row.sample_id, row.answer)
        is_wrong = row.verdict == "wrong_label"
        others = [
            one
            for one in self.rows
            if one is not before and not (is_wrong and one.sample_id == row.sample_id and one.verdict)
        ]
        place = next((place for place, one in enumerate(self.rows) if one is before), len(others))
        if row.verdict or row.note:
            others.insert(min(place, len(others)), row)
        return replace(self, rows=tuple(others))

    @cached_property
    def _ids(self):
        return np.array([row.sample_id for row in self.rows], dtype=str)

    def ids(self, *verdicts: str) -> np.ndarray:
        """Sample ids with one of some verdicts, in the reviewer's order, each once: ndarray of str."""
        for verdict in verdicts:
            check_one_of("verdict", verdict, VERDICTS)
        return np.array(list(dict.fromkeys(row.sample_id for row in self.rows if row.verdict in verdicts)), dtype=str)

    def to_frame(self) -> Any:
        """A pandas DataFrame with the columns of a file: nodes by name, several joined by ``;``; `order` counts from 1."""
        return frame({name: [row[place] for row in self.records()] for place, name in enumerate(COLUMNS)})

    def records(self) -> list[tuple[str | int, ...]]:
        """The rows of a file, with the columns `COLUMNS`."""
        names = self.taxonomy.names
        return [
            (
                *(row.sample_id, row.verdict, row.note, order, row.model),
                *(";".join(names[node] for node in nodes) for nodes in (row.answer, row.truth)),
            )
            for order, row in enumerate(self.rows, 1)
        ]


def _problems(row, seen):
    """What is wrong with a row after those that were seen, as the second half of an error; `seen` grows."""
    if row.verdict and row.verdict not in VERDICTS:
        yield f"expected a verdict, one of {', '.join(VERDICTS)}, got {shown(row.verdict)}. Correct it."
    if row.verdict == "acceptable" and not row.answer:
        yield "expected the answer that is acceptable, got none. Name its class in the column answer."
    if (row.sample_id, row.answer) in seen:
        yield "expected one row for each answer to a sample, got a second one. Remove one."
    before = seen.get(row.sample_id)
    if row.verdict and before and "wrong_label" in (before, row.verdict):
        yield f"expected no other verdict on a sample with a wrong label, got {before} and {row.verdict}. Remove one."
    seen[row.sample_id, row.answer] = row.verdict
    if row.verdict:
        seen[row.sample_id] = row.verdict


@dataclass(frozen=True, eq=False)
class Reviewed(Short):
    """Predictions of a model with the truths that a review leaves.

    Attributes
    ----------
    predictions : Predictions
        Samples with a wrong label have no truth; those whose answer is accepted have it as their truth.
    n_verdicts : dict of str to int
        Samples of these predictions with each verdict; a sample of which several answers were reviewed counts for each verdict.
    n_accepted : int
        Samples whose answer of this model is accepted, other than its truth.
    n_outdated : int
        Rows about another truth than that of the data, which were not used.
    n_elsewhere : int
        Rows about samples that are not here, or have no known truth.
    """

    _printed = ("n_verdicts", "n_accepted", "n_outdated", "n_elsewhere")

    predictions: Predictions
    n_verdicts: dict[str, int]
    n_accepted: int
    n_outdated: int
    n_elsewhere: int

    @property
    def notes(self) -> list[str]:
        """What of the review was not used, as sentences."""
        found = []
        if self.n_outdated:
            found.append(
                f"review: {self.n_outdated:,} rows are about another truth than that of the data and were not used"
            )
        if self.n_elsewhere:
            found.append(
                f"review: {self.n_elsewhere:,} rows are about samples that are not judged here and were not used"
            )
        return found


def reviewed(
    evaluation: Judged, review: Review, rule: str = "majority", threshold: float = 0.5, **parameters: Any
) -> Reviewed:
    """Predictions with the truths that a review leaves, for one choice of answers.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
    review : Review
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`: an accepted answer counts where it is the answer.

    Returns
    -------
    Reviewed

    Raises
    ------
    PredictionsError
        If no sample has a known truth, no row of the review is about a sample of these predictions, or an answer of several
        classes is accepted where samples have one truth, or the review has another taxonomy.
    """
    check_kind("review", review, Review, "hierviz.load_review reads one.")
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    predictions = answers.evaluation.predictions
    if not (predictions.taxonomy.has_nodes_of(review.taxonomy) and review.taxonomy.has_nodes_of(predictions.taxonomy)):
        raise PredictionsError(
            "review: expected one of the same taxonomy as the predictions, got another one. Read it with theirs."
        )
    place = answers.places(review._ids)
    is_here = place >= 0
    if len(review) and not is_here.any():
        raise PredictionsError(
            f"review: expected samples of {predictions.name}, got {listed(review._ids.tolist(), 3)}, which it does not judge. "
            "Is it a review of these data?"
        )
    of_here = [row for row, inside in zip(review.rows, is_here, strict=True) if inside]
    place = place[is_here]
    truth, predicted = (NodeLists.of(nodes).take(place) for nodes in (answers.truth, answers.predicted))
    said_truth, said_answer = (
        NodeLists.from_lists([getattr(row, of) for row in of_here]) for of in ("truth", "answer")
    )
    is_current = (said_truth.lengths == 0) | _equal(said_truth, truth)
    verdict = np.array([row.verdict for row in of_here], dtype=str)
    n_verdicts = {key: len(np.unique(place[is_current & (verdict == key)])) for key in VERDICTS}
    accepted = is_current & (verdict == "acceptable") & _equal(said_answer, predicted)
    wrong = is_current & (verdict == "wrong_label")
    n_accepted = len(np.unique(place[accepted & ~_equal(said_answer, truth)]))
    new = _with_truth(answers, place[accepted], said_answer.take(np.flatnonzero(accepted)), place[wrong])
    made = predictions.replace(truth=new)
    return Reviewed(made, n_verdicts, n_accepted, int((~is_current).sum()), int((~is_here).sum()))


def reviewed_numbers(
    evaluation: Judged,
    review: Review,
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    class_weights: Any = None,
    **parameters: Any,
) -> dict[str, Any]:
    """Every number of `hierviz.evaluate` with the truths that a review leaves.

    Parameters
    ----------
    evaluation, review, rule, threshold, **parameters
        As of `reviewed`.
    class_weights : optional
        As of `hierviz.evaluate`.

    Returns
    -------
    dict
        The blocks of one entry of ``models`` in the dict of `hierviz.evaluate`, before them ``n_wrong_label``,
        ``n_acceptable`` and ``n_model_wrong`` (samples), ``n_accepted`` and ``n_samples``, after them ``notes``.
    """
    found = reviewed(evaluation, review, rule, threshold, **parameters)
    model = Evaluation.from_predictions(found.predictions, threshold=threshold)
    numbers = model_summary(model, rule, threshold, class_weights=class_weights, **parameters)
    return {
        **{f"n_{key}": n for key, n in found.n_verdicts.items()},
        "n_accepted": found.n_accepted,
        "n_samples": numbers["n_samples"],
        **{name: numbers[name] for name in (*BLOCKS, "bounds") if name in numbers},
        "notes": found.notes,
    }


def review_sentence(entry: dict[str, Any]) -> str:
    """The share of exact answers with and without a review, of an entry of `hierviz.evaluate` with its block ``review``."""
    after = entry["review"]
    said = (
        f"{entry['name']}: {after['n_accepted']:,} accepted answers count as exact, {after['n_wrong_label']:,} samples with a "
        "wrong label are left out"
    )
    if entry.get("predicted") and after.get("predicted"):
        exact = [value_text(block["predicted"]["exact"]) for block in (entry, after)]
        said += f"; exact {exact[0]} without the review, {exact[1]} with it"
    return f"{said}."


def _equal(some, others):
    """Whether each list has the nodes of the other one, in any order, shape (n_lists,) of bool."""
    same = some.lengths == others.lengths
    pairs = [lists.only(same[lists.rows]) for lists in (some, others)]
    nodes = [lists.nodes[np.lexsort((lists.nodes, lists.rows))] for lists in pairs]
    same[pairs[0].rows[nodes[0] != nodes[1]]] = False
    return same


def _with_truth(answers, places, accepted, wrong):
    """The truth of all rows of the Predictions, with another one at some places, and none at the wrong ones."""
    old, rows = answers.evaluation.predictions.truth, answers.rows
    if isinstance(old, np.ndarray):
        if (accepted.lengths != 1).any():
            raise PredictionsError(
                "review: expected an accepted answer of one class, because samples have one truth, got several classes. Review "
                "the answers of a rule that returns one."
            )
        new = old.copy()
        new[rows[places]] = accepted.nodes
        new[rows[wrong]] = -1
        return new
    whole = NodeLists.concatenate([old, accepted, NodeLists.from_lists([[]])])
    taken = np.arange(len(old))
    taken[rows[places]] = len(old) + np.arange(len(accepted))
    taken[rows[wrong]] = len(whole) - 1
    return whole.take(taken)
