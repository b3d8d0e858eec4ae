"""The numbers that follow from what an expert says of samples.

Conventions
-----------
What verdicts mean: `hierviz.evaluation._review`. Where predictions are judged on a part of the taxonomy or with leaves for inner
truths (`hierviz.projection`), truths and answers of a review of the whole are moved as theirs were; on a part several answers may
be one class, which is accepted where one of them was.

Functions and classes
---------------------
reviewed, Reviewed : predictions with the truths that a review leaves.
projected_review : a review on the taxonomy of some predictions.
reviewed_numbers : every number of `hierviz.evaluate` with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.evaluation._judged_answers import Judged, judged_answers
from hierviz.evaluation._review import VERDICTS, Review, ReviewRow
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.summary import BLOCKS, model_summary
from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import value_text
from hierviz.predictions.predictions import Predictions
from hierviz.projection.moves import ReadableNodes
from hierviz.taxonomy.checks import check_kind
from hierviz.taxonomy.taxonomy import NodeLists

# Of two verdicts on one answer the later one counts.
_RANKS = ("", "model_wrong", "acceptable", "wrong_label")


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
    n_outside : int
        Rows that accept an answer of which nothing but the root is left on this part of the taxonomy, which were not used.
    """

    _printed = ("n_verdicts", "n_accepted", "n_outdated", "n_elsewhere", "n_outside")

    predictions: Predictions
    n_verdicts: dict[str, int]
    n_accepted: int
    n_outdated: int
    n_elsewhere: int
    n_outside: int = 0

    @property
    def notes(self) -> list[str]:
        """What of the review was not used, as sentences."""
        unused = {
            ("is about another truth", "are about another truth", " than that of the data"): self.n_outdated,
            ("is about a sample that is", "are about samples that are", " not judged here"): self.n_elsewhere,
            ("accepts a class", "accept classes", " outside this part of the taxonomy"): self.n_outside,
        }
        return [
            f"review: {n:,} {'row' if n == 1 else 'rows'} {one if n == 1 else several}{what} and "
            f"{'was' if n == 1 else 'were'} not used"
            for (one, several, what), n in unused.items()
            if n
        ]


def reviewed(
    evaluation: Judged, review: Review, rule: str = "majority", threshold: float = 0.5, **parameters: Any
) -> Reviewed:
    """Predictions with the truths that a review leaves, for one choice of answers.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
    review : Review
        On the taxonomy of the predictions, or on the one that they were projected from.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`: an accepted answer counts where it is the answer.

    Returns
    -------
    Reviewed

    Raises
    ------
    PredictionsError
        If no sample has a known truth, no row of the review is about a sample of these predictions, or an answer of several
        classes is accepted where samples have one truth, or the review has another taxonomy than they, or than the one that they
        were projected from.
    """
    check_kind("review", review, Review, "hierviz.load_review reads one.")
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    predictions = answers.evaluation.predictions
    review = review.with_ids_of(predictions.ids.astype(str))
    place = answers.places(review.sample_ids)
    is_here = place >= 0
    if len(review) and not np.isin(review.sample_ids, predictions.ids.astype(str)).any():
        raise PredictionsError(
            f"review: expected samples of {predictions.name}, got {listed(review.sample_ids.tolist(), 3)}. Is it a review of "
            "these data?"
        )
    of_here = np.flatnonzero(is_here)
    place = place[is_here]
    truth, predicted = (NodeLists.of(nodes).take(place) for nodes in (answers.truth, answers.predicted))
    *said, is_outside = _projected(review, predictions)
    said_truth, said_answer, at_leaves = (lists.take(of_here) for lists in said)
    is_outside = is_outside[is_here]
    verdict = np.array([row.verdict for row in review.rows], dtype=str)[is_here]
    is_said = np.array([bool(row.truth) for row in review.rows], dtype=bool)[is_here]
    is_current = ~is_said | _equal(said_truth, truth)
    n_verdicts = {key: len(np.unique(place[is_current & (verdict == key)])) for key in VERDICTS}
    is_accepted = is_current & (verdict == "acceptable")
    accepted = is_accepted & ~is_outside & (_equal(said_answer, predicted) | _equal(at_leaves, predicted))
    wrong = is_current & (verdict == "wrong_label")
    n_accepted = len(np.unique(place[accepted & ~_equal(predicted, truth)]))
    new = _with_truth(answers, place[accepted], predicted.take(np.flatnonzero(accepted)), place[wrong])
    n_unused = (~is_current).sum(), (~is_here).sum(), (is_accepted & is_outside).sum()
    return Reviewed(predictions.replace(truth=new), n_verdicts, n_accepted, *map(int, n_unused))


def projected_review(review: Review, predictions: Predictions) -> Review:
    """A review on the taxonomy that predictions are judged on.

    Parameters
    ----------
    review : Review
        On that taxonomy, or on the one before `hierviz.projection` (`hierviz.projection.ReadableNodes`).
    predictions : Predictions

    Returns
    -------
    Review
        Of answers to one sample that are the same class there, an accepted one is kept, else a wrong one, with the notes of all.

    Raises
    ------
    PredictionsError
        If the review has another taxonomy.
    """
    review = review.with_ids_of(predictions.ids.astype(str))
    truths, plain, at_leaves, _ = _projected(review, predictions)
    answers = plain if predictions.has_scores else at_leaves
    kept: dict[Any, ReviewRow] = {}
    for place, row in enumerate(review.rows):
        made = row._replace(answer=tuple(sorted(answers[place].tolist())), truth=tuple(sorted(truths[place].tolist())))
        key = made.sample_id, made.answer
        if before := kept.get(key):
            notes = "; ".join(dict.fromkeys(filter(None, (before.note, made.note))))
            made = max(before, made, key=lambda one: _RANKS.index(one.verdict))._replace(note=notes)
        kept[key] = made
    return Review(predictions.taxonomy, tuple(kept.values()))


def _projected(review, predictions):
    """Truths, answers, answers at leaves for inner truths, and whether an accepted class is lost, of each row of a review."""
    truths, answers = (NodeLists.from_lists([getattr(row, of) for row in review.rows]) for of in ("truth", "answer"))
    nodes = ReadableNodes(predictions)
    if not any(one.has_nodes_of(review.taxonomy) for one in (nodes.taxonomy, nodes.whole)):
        if predictions.taxonomy.has_nodes_of(review.taxonomy):
            return truths, answers, answers, np.zeros(len(review), dtype=bool)
        raise PredictionsError(
            "review: expected one of the same taxonomy as the predictions, got another one. Read it with theirs."
        )
    plain, at_leaves = nodes.answers(answers)
    is_outside = _is_root(plain) & ~_is_root(answers)
    return nodes.truths(truths), plain, at_leaves, is_outside


def _is_root(lists):
    """Whether the only node of each list is the root."""
    found = lists.lengths == 1
    found[lists.rows[lists.nodes != 0]] = False
    return found


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
    n_accepted, n_wrong = after["n_accepted"], after["n_wrong_label"]
    said = (
        f"{entry['name']}: {n_accepted:,} accepted {'answer counts' if n_accepted == 1 else 'answers count'} as exact, "
        f"{n_wrong:,} {'sample with a wrong label is' if n_wrong == 1 else 'samples with a wrong label are'} left out"
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
