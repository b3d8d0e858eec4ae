r"""Confidence of answers that is calibrated on held-out folds, and which way to calibrate it is best.

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
cross_fitted_confidence, cross_fitted_temperature, answer_events, compare_confidence_maps, ConfidenceMaps
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Rows
from hierviz.messages.number_text import fixed_text
from hierviz.messages.progress import Progress
from hierviz.metrics.calibration import calibration_error, event_losses
from hierviz.metrics.sets.node_sets import truth_keys
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind, check_one_of, check_whole
from hierviz.taxonomy.node_lists import is_member
from hierviz.uncertainty.bootstrap import bootstrap_means
from hierviz.uncertainty.confidence_maps import isotonic_map, venn_abers
from hierviz.uncertainty.resamples import Interval, Resamples, fold_numbers, unit_numbers
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
    is_right[rows] = (nodes[rows] == 0) | is_member(keys, truth_keys(taxonomy, truth))
    return is_right


@dataclass(frozen=True, eq=False)
class ConfidenceMaps(Rows):
    """Ways to calibrate the confidence of the answers, judged on held-out folds; arrays of shape (n_maps,).

    Attributes
    ----------
    key : tuple of str
        Of `MAPS`, those that this model can have.
    brier, log_loss : Interval
        Of confidence against whether the answer is right: mean (p - event)^2, and mean log loss in nats; lower is better.
        Intervals are of resampled samples, or groups, with the maps as they were fitted.
    ece, ece_calibrated, squared_error : ndarray of float
        Adaptive ECE, what it would be for calibrated confidences, and the debiased squared error of calibration.
    best : int
        Row with the smallest log loss.
    gain : Interval
        Log loss of that row minus that of the confidence as it is, paired.
    n_samples, n_folds : int
    """

    key: tuple[str, ...]
    brier: Interval
    log_loss: Interval
    ece: np.ndarray
    ece_calibrated: np.ndarray
    squared_error: np.ndarray
    best: int
    gain: Interval
    n_samples: int
    n_folds: int

    @property
    def name(self) -> tuple[str, ...]:
        """Each way in words."""
        return tuple(MAPS[key] for key in self.key)

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a way."""
        columns: dict[str, Any] = {"map": list(self.key), "way": list(self.name)}
        for what in ("log_loss", "brier"):
            found = getattr(self, what)
            columns |= {what: found.estimate, f"{what}_lower": found.lower, f"{what}_upper": found.upper}
        return frame(columns | {key: getattr(self, key) for key in ("ece", "ece_calibrated", "squared_error")})

    @property
    def sentence(self) -> str:
        """Which way is best, with numbers."""
        losses, gain = self.log_loss.estimate, self.gain
        of = f"{self.n_folds} folds of {self.n_samples:,} samples; each is judged by a fit on the others"
        if not self.best:
            return f"No way has a smaller log loss than the confidence as it is, {losses[0]:.4f} ({of})."
        ends = f"[{fixed_text(float(gain.lower), 4)}, {fixed_text(float(gain.upper), 4)}]"
        interval = (
            "" if np.isnan(gain.lower) else f", difference {fixed_text(float(gain.estimate), 4)}, 95 % interval {ends}"
        )
        return (
            f"{self.name[self.best]} has the smallest log loss of the confidence, {losses[self.best]:.4f} against "
            f"{losses[0]:.4f} as it is{interval} ({of})."
        )


def compare_confidence_maps(
    predictions: Predictions,
    answers: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    n_folds: int = 5,
    seed: int = 0,
    progress: Progress = None,
) -> ConfidenceMaps:
    """Compare isotonic regression, Venn-Abers and a temperature for the confidence of the answers on held-out folds.

    Parameters
    ----------
    predictions : Predictions
        Scores with one truth a sample; samples of which it is an inner class are left out. Without logits or probabilities of all
        leaves there is no temperature.
    answers : array_like of int, shape (n_samples,), optional
        Node that is answered to each sample; where it is the root, the sample is left out. The most probable leaf if not given.
        All ways are judged on the same answers.
    groups : array_like, shape (n_samples,), optional
        Label of each sample: a group is in one fold, and drawn as a whole for intervals.
    n_folds : int
        At least 2; each fold is judged by maps that are fitted on the others.
    seed : int
        Of the draw of the folds and of the resamples.
    progress : callable, optional
        Called with (folds done, n_folds) while temperatures are fitted.

    Returns
    -------
    ConfidenceMaps

    Raises
    ------
    PredictionsError
        If these are labels, several truths a sample, or fewer than 20 samples whose truth is a leaf.
    """
    check_kind("predictions", predictions, Predictions)
    if not predictions.has_scores or not predictions.has_single_truth:
        raise PredictionsError(f"{predictions.name}: expected scores with one truth each. Compare nothing.")
    every = np.arange(predictions.n_samples)
    nodes = _best_leaves(predictions) if answers is None else np.asarray(answers)
    if nodes.shape != every.shape:
        raise PredictionsError(f"answers: expected a node for each of {len(every)} samples, got shape {nodes.shape}.")
    p = np.where(nodes == 0, np.nan, probability_of(predictions, nodes, every))
    is_right = answer_events(predictions, nodes)
    judged = np.flatnonzero(~np.isnan(p) & ~np.isnan(is_right))
    how: dict[str, Any] = {"groups": groups, "n_folds": n_folds, "seed": seed}
    found = {"none": p}
    found |= {key: cross_fitted_confidence(p, is_right, key, **how) for key in MAPS_OF_ANSWERS}
    try:
        is_fitted = np.isin(every, judged)
        found["temperature"] = cross_fitted_temperature(predictions, nodes, is_fitted, **how, progress=progress)
    except PredictionsError:
        pass  # scores that have no temperature
    keys = tuple(key for key in MAPS if key in found)
    kept = None if groups is None else np.asarray(groups)[judged]
    return _judged(keys, [found[key][judged] for key in keys], is_right[judged] == 1, n_folds, seed, kept)


def _best_leaves(predictions):
    """The most probable leaf of each sample, shape (n_samples,)."""
    leaves = predictions.taxonomy.leaves
    blocks = (predictions.node_probabilities(some)[:, leaves].argmax(axis=1) for some in predictions.blocks())
    return leaves[np.concatenate([np.empty(0, dtype=np.intp), *blocks])]


def _judged(keys, confidences, is_right, n_folds, seed, groups):
    """The ConfidenceMaps of some confidences of the same samples."""
    losses = [event_losses(p, is_right) for p in confidences]
    resamples = Resamples.draw(len(is_right), seed=seed, groups=groups)
    brier, log_loss = (
        bootstrap_means(np.stack([one[what] for one in losses], axis=1), resamples) for what in ("brier", "log_loss")
    )
    errors = {
        key: np.array([calibration_error(key, p, is_right) for p in confidences])
        for key in ("ece_adaptive", "ece_adaptive_calibrated", "calibration_error_squared")
    }
    best, losses = int(np.argmin(log_loss.estimate)), log_loss
    gain = losses.estimate[best] - losses.estimate[0]
    gained = Interval.from_draws(gain, losses.draws[:, best] - losses.draws[:, 0], resamples)
    return ConfidenceMaps(keys, brier, log_loss, *errors.values(), best, gained, len(is_right), n_folds)
