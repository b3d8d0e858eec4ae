"""Which way to calibrate the confidence of answers is best, judged on held-out folds.

Functions
---------
compare_confidence_maps, ConfidenceMaps
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Rows
from hierviz.messages.number_text import fixed_text
from hierviz.messages.progress import Progress
from hierviz.metrics.calibration import calibration_error, event_losses
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind
from hierviz.uncertainty.bootstrap import bootstrap_means
from hierviz.uncertainty.confidence_folds import (
    MAPS,
    MAPS_OF_ANSWERS,
    answer_events,
    cross_fitted_confidence,
    cross_fitted_temperature,
    probability_of,
)
from hierviz.uncertainty.resamples import Interval, Resamples


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

    @in_backend
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
        of = f"{self.n_samples:,} samples in {self.n_folds} folds"
        if not self.best:
            return f"No way has a smaller log loss than the confidence as it is, {fixed_text(losses[0], 3)} ({of})."
        difference, lower, upper = (fixed_text(float(one), 3) for one in (gain.estimate, gain.lower, gain.upper))
        interval = "" if np.isnan(gain.lower) else f", 95 % interval [{lower}, {upper}]"
        unclear = ", but not clearly" if gain.lower <= 0 <= gain.upper else ""
        return (
            f"{self.name[self.best]} has the smallest log loss{unclear}: {fixed_text(losses[self.best], 3)} against "
            f"{fixed_text(losses[0], 3)} as it is (difference {difference}{interval}; {of})."
        ).replace("-0.", "−0.")


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
