"""Which samples an expert looks at: doubtful truths, the worst mistakes, or a random sample; and filters by what was said.

Functions
---------
review_queue, review_samples, QUEUES
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hierviz.diagnosis._label_errors import label_errors
from hierviz.diagnosis.sample_filter import SampleSet
from hierviz.evaluation._judged_answers import Judged, judged_answers
from hierviz.evaluation._review import VERDICTS, Review
from hierviz.evaluation.severity import SEVERITIES, why_no_severity
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind, check_one_of, check_whole

QUEUES = {"labels": "Doubtful truths", "worst": "Worst mistakes", "random": "Random sample"}
# Values of a filter besides the verdicts.
REVIEWED, OPEN, NOTED = "reviewed", "open", "noted"
FILTERS = {REVIEWED: "Reviewed", OPEN: "Not reviewed", **VERDICTS, NOTED: "With a note"}


def review_queue(
    evaluation: Judged,
    queue: str = "labels",
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    most: int = 50,
    seed: int = 0,
    **parameters: Any,
) -> np.ndarray:
    """Samples for an expert, in the order in which they are looked at.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
    queue : str
        ``labels``: wrong answers that are more probable than the truth (`label_errors`); ``worst``: wrong answers by the first
        severity that is defined (lost win of scores, else bits); ``random``: judged samples drawn without replacement.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`.
    most : int
        Length of the queue, at most.
    seed : int
        Of the random sample.

    Returns
    -------
    ndarray of int, shape (n,)
        Rows of the Predictions, n <= `most`.

    Raises
    ------
    PredictionsError
        If the queue is unknown, `most` or `seed` is negative, no truth is known, or the queue is not defined: ``labels`` needs
        scores on a tree with one truth a sample.
    """
    check_one_of("queue", queue, QUEUES)
    check_whole("most", most, 0)
    check_whole("seed", seed, 0)
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    if queue == "labels":
        return label_errors(answers, most=most).row
    if queue == "random":
        return answers.rows[np.random.default_rng(seed).permutation(answers.n_judged)[:most]]
    model, truth, predicted = answers.evaluation, answers.truth, answers.predicted
    key = next(key for key in SEVERITIES if why_no_severity(model, truth, predicted, key) is None)
    ranked = answers.ranked_by(key)
    is_mistake = answers.is_wrong if answers.is_single else answers.outcome != 0
    return answers.rows[ranked[is_mistake[ranked]][:most]]


def review_samples(review: Review, which: str, predictions: Predictions) -> SampleSet:
    """The samples of a review with a verdict, for a `SampleFilter`.

    Parameters
    ----------
    review : Review
    which : str
        A verdict, ``reviewed`` (any), ``open`` (none) or ``noted`` (a note).
    predictions : Predictions
        In which they are found.

    Returns
    -------
    SampleSet
    """
    check_kind("review", review, Review, "hierviz.load_review reads one.")
    check_one_of("review", which, FILTERS)
    all_ids = np.asarray(predictions.ids).astype(str)
    review = review.with_ids_of(all_ids)
    said = VERDICTS if which in (REVIEWED, OPEN) else () if which == NOTED else (which,)
    ids = review.ids(*said) if said else np.array([row.sample_id for row in review.rows if row.note], dtype=str)
    rows = np.flatnonzero(np.isin(all_ids, ids, invert=which == OPEN))
    return SampleSet(which, rows, None if predictions.sample_ids is None else all_ids[rows])
