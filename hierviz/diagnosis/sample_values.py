"""One number of every judged sample by its key, computed alone: what is compared between parts of the samples.

Functions
---------
sample_values, sample_keys
"""

from __future__ import annotations

import numpy as np

from hierviz.evaluation._judged_answers import JudgedAnswers
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.metrics.path import node_pairs
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.taxonomy.checks import check_one_of
from hierviz.taxonomy.taxonomy import NodeLists

DISTRIBUTION = ("softmax_win", "softmax_win_raw", "neg_log_win", "cross_entropy")
OF_SETS = ("hf1_samples", "hp_samples", "hr_samples", "ihf1_samples")
# On graphs: key of METRICS -> the outcomes that it counts.
OF_OUTCOMES = {"correct": ("exact", "coarse", "no_answer"), "exact": ("exact",), "no_answer": ("no_answer",)}


def sample_keys(answers: JudgedAnswers) -> list[str]:
    """Keys of `METRICS` that have a value for every sample of this input, in the order of the registry's blocks."""
    keys: list[str] = []
    if answers.is_single:
        keys += path_keys() if answers.taxonomy.is_tree else OF_OUTCOMES
    if answers.evaluation.win is not None:
        keys += DISTRIBUTION
    return keys + [key for key in OF_SETS if key != "ihf1_samples" or answers.taxonomy.is_tree]


def sample_values(answers: JudgedAnswers, key: str) -> np.ndarray:
    """The number of each judged sample whose mean is the metric of that key, shape (n_judged,).

    Parameters
    ----------
    answers : JudgedAnswers
    key : str
        One of `sample_keys`. Numbers of sets are those of the label lists, of the nodes above the threshold, or of
        the set that the rule answers with.

    Returns
    -------
    ndarray of float

    Raises
    ------
    PredictionsError
        If this input has no such number; names those that it has.
    """
    keys = sample_keys(answers)
    check_one_of("metric", key, keys)
    evaluation = answers.evaluation
    threshold = 0.5 if answers.threshold is None else answers.threshold
    choice = {"rule": answers.rule or "majority", "threshold": threshold, **answers.parameters}
    if key in DISTRIBUTION or key in OF_SETS:
        of_judged = (
            evaluation.distribution_per_sample()[key]
            if key in DISTRIBUTION
            else evaluation.set_counts(choice).of_samples(key)
        )
        return of_judged[np.searchsorted(evaluation.rows, answers.rows)]
    if answers.taxonomy.is_tree:
        pairs = node_pairs(answers.taxonomy, *answers.single, common=answers.common)
        return np.asarray(METRICS[key].function(pairs), dtype=float)
    return np.isin(answers.outcome, [list(OUTCOMES).index(outcome) for outcome in OF_OUTCOMES[key]]).astype(float)


def least_of_truths(answers: JudgedAnswers, values: np.ndarray, *, largest: bool = False) -> np.ndarray:
    """Smallest, or largest, of the values (one a node) of the true nodes of each sample, shape (n_judged,); nan without one."""
    truth = answers.truth
    if not isinstance(truth, NodeLists):
        return values[truth]
    result = np.full(len(truth), np.nan)
    (np.fmax if largest else np.fmin).at(result, truth.rows, values[truth.nodes])
    return result
