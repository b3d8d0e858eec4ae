"""Confidence of answers that is calibrated on held-out folds.

Conventions
-----------
Samples are split into folds, whole groups together. The confidence of a sample is mapped by what was fitted on the other folds:
its own outcome, and that of its group, has no part in it. Isotonic regression and Venn-Abers (`confidence_maps`) change the
confidence of the answer alone, and the probabilities of nodes stay what they are. A temperature gives all nodes other
probabilities; here it is that of the same answer which counts.

An answer is right where the truth is at or below it. Samples whose truth is an inner class are mapped, but not fitted or judged
on: whether a deeper answer is right is not known.

Functions
---------
cross_fitted_confidence, cross_fitted_temperature, answer_events, probability_of
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError
from hierviz.messages.progress import Progress
from hierviz.metrics.sets.node_sets import truth_keys
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_one_of, check_whole
from hierviz.taxonomy.node_lists import is_member
from hierviz.uncertainty.confidence_maps import isotonic_map, venn_abers
from hierviz.uncertainty.resamples import fold_numbers, unit_numbers
from hierviz.uncertainty.temperature import at_temperature, fit_temperature

# Ways to calibrate a confidence, in words.
MAPS = MappingProxyType(
    {"none": "As it is", "temperature": "Temperature", "isotonic": "Isotonic regression", "venn-abers": "Venn-Abers"}
)
# Those that map the confidence of the answer alone: (p, events, new p) -> new confidence.
MAPS_OF_ANSWERS: MappingProxyType[str, Callable[..., np.ndarray]] = MappingProxyType(
    {"isotonic": isotonic_map, "venn-abers": lambda *of: venn_abers(*of)[2]}
)
# Samples with a known outcome, with fewer of which nothing is fitted.
FEWEST_FITTED = 20


def cross_fitted_confidence(
    p: ArrayLike,
    is_right: ArrayLike,
    how: str = "isotonic",
    *,
    groups: ArrayLike | None = None,
    n_folds: int = 5,
    seed: int = 0,
) -> np.ndarray:
    """The confidence of each sample, mapped by what is fitted without its fold.

    Parameters
    ----------
    p : array_like of float, shape (n_samples,)
        Confidence of the answers, in [0, 1]; nan where there is no answer.
    is_right : array_like of float, shape (n_samples,)
        1 or 0; nan where it is not known: these are mapped, and not fitted on.
    how : str
        ``isotonic`` or ``venn-abers``.
    groups : array_like, shape (n_samples,), optional
        Label of each sample: a group is in one fold.
    n_folds : int
        At least 2.
    seed : int
        Of the draw of the folds.

    Returns
    -------
    ndarray of float, shape (n_samples,)
        In [0, 1]; nan where `p` is.

    Raises
    ------
    PredictionsError
        If lengths differ, an argument is not valid, or fewer than 20 samples have an answer and a known outcome.
    """
    check_one_of("how", how, MAPS_OF_ANSWERS)
    p, is_right = np.array(p, dtype=float), np.asarray(is_right, dtype=float)
    if p.ndim != 1 or p.shape != is_right.shape:
        raise PredictionsError(
            f"confidence: expected p and is_right of the same samples, got {p.shape} and {is_right.shape}."
        )
    has_answer, mapped = ~np.isnan(p), p.copy()
    is_fitted = has_answer & ~np.isnan(is_right)
    for held_out, others in _folds(is_fitted, groups, n_folds, seed):
        new = held_out & has_answer
        mapped[new] = MAPS_OF_ANSWERS[how](p[others], is_right[others], p[new])
    return mapped


def cross_fitted_temperature(
    predictions: Predictions,
    nodes: np.ndarray,
    is_fitted: np.ndarray,
    *,
    groups: ArrayLike | None = None,
    n_folds: int = 5,
    seed: int = 0,
    progress: Progress = None,
) -> np.ndarray:
    """Probability of a node of each sample at a temperature that is fitted without its fold; arguments as above.

    Parameters
    ----------
    predictions : Predictions
        Logits, or probabilities of all leaves.
    nodes : ndarray of int, shape (n_samples,)
    is_fitted : ndarray of bool, shape (n_samples,)
        Samples to fit on.
    progress : callable, optional
        Called with (folds done, n_folds).

    Returns
    -------
    ndarray of float, shape (n_samples,)

    Raises
    ------
    PredictionsError
        As `fit_temperature`, and as `cross_fitted_confidence`.
    """
    p = np.empty(len(nodes))
    for done, (held_out, others) in enumerate(_folds(is_fitted, groups, n_folds, seed)):
        scaled = at_temperature(predictions, fit_temperature(predictions, np.flatnonzero(others)).value)
        rows = np.flatnonzero(held_out)
        p[rows] = probability_of(scaled, nodes[rows], rows)
        if progress:
            progress(done + 1, n_folds)
    return p


def _folds(is_fitted, groups, n_folds, seed):
    """(samples of the fold, samples of the others that are fitted on) of each fold, as masks."""
    check_whole("n_folds", n_folds, 2)
    check_whole("seed", seed, 0)
    unit_of = unit_numbers(groups, len(is_fitted)) if len(is_fitted) else np.empty(0, dtype=np.intp)
    n = int(is_fitted.sum())
    if n < max(FEWEST_FITTED, n_folds):
        raise PredictionsError(
            f"confidence: expected at least {max(FEWEST_FITTED, n_folds)} samples with an answer and a leaf as their truth, got "
            f"{n}. Leave the confidence as it is."
        )
    fold = fold_numbers(unit_of, n_folds, np.random.default_rng(seed))
    parts = [(fold == k, (fold != k) & is_fitted) for k in range(n_folds)]
    if not all(others.any() for _, others in parts):
        raise PredictionsError("confidence: expected known truths in several groups, got one. Choose other groups.")
    return parts


def probability_of(predictions: Predictions, nodes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Probability of one node of each of some rows, shape (n_rows,), in [0, 1]."""
    step, p = max(1, (1 << 22) // predictions.taxonomy.n_nodes), np.empty(len(rows))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        block = predictions.node_probabilities(some)
        p[start : start + step] = block[np.arange(len(some)), nodes[start : start + step]]
    return np.clip(p, 0, 1)


def answer_events(predictions: Predictions, nodes: np.ndarray) -> np.ndarray:
    """Whether the truth is at or below the answer of each sample: 1, 0, or nan where it is not known to be a leaf.

    Parameters
    ----------
    predictions : Predictions
        With one truth a sample.
    nodes : ndarray of int, shape (n_samples,)
        -1 lies outside the taxonomy, where no truth is.

    Returns
    -------
    ndarray of float, shape (n_samples,)
    """
    taxonomy, is_right = predictions.taxonomy, np.full(predictions.n_samples, np.nan)
    rows = np.flatnonzero(predictions.has_truth)
    truth = np.asarray(predictions.truth)[rows]
    rows, truth = rows[taxonomy.is_leaf[truth]], truth[taxonomy.is_leaf[truth]]
    # The root, which is above everything, has no key.
    keys = np.arange(len(rows)) * taxonomy.n_nodes + nodes[rows]
    # The key of -1 would be that of the last node in the row before.
    is_right[rows] = (nodes[rows] == 0) | ((nodes[rows] > 0) & is_member(keys, truth_keys(taxonomy, truth)))
    return is_right
