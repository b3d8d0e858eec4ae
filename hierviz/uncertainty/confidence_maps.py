r"""Maps from the confidence of an answer to a calibrated one, fitted on other samples: isotonic regression and Venn-Abers.

Conventions
-----------
`p` is the probability of one answer of each sample, shape (n,), in [0, 1], and `events` says whether that answer is right. A
map changes the confidence of the answer alone: mapped probabilities of several classes would no longer add up along the tree. A
temperature (`hierviz.uncertainty.fit_temperature`) changes all of them, and with them the answers.

Isotonic regression is the best map that never falls, in squared error, as pools of adjacent violators find it; between the
fitted p it is a straight line. Venn-Abers fits it twice for each new p, as if that sample's event were 0 and were 1, which
gives p_0 <= p_1, one of them calibrated; they are combined to p_1 / (1 - p_0 + p_1), the value that is best for log loss in the
worst case.

Functions
---------
isotonic, isotonic_map, venn_abers, compare_confidence_maps

References
----------
.. [1] M. Ayer et al., An empirical distribution function for sampling with incomplete information, Ann. Math. Stat. 26, 1955.
.. [2] B. Zadrozny, C. Elkan, Transforming classifier scores into accurate multiclass probability estimates, KDD 2002.
.. [3] V. Vovk, I. Petej, V. Fedorova, Large-scale probabilistic predictors with and without guarantees of validity, NIPS 2015.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Rows
from hierviz.metrics.calibration import calibration_error
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind, check_whole
from hierviz.uncertainty.temperature import at_temperature, fit_temperature

# Different p that Venn-Abers keeps apart; of more, neighbours are pooled. Steps of a bisection from 0 to 1.
MOST_VALUES, STEPS = 1000, 44
MAPS = ("as it is", "temperature", "isotonic", "Venn-Abers")


def isotonic(p: ArrayLike, events: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Isotonic regression of events on p [1]_.

    Parameters
    ----------
    p : array_like of float, shape (n,)
    events : array_like of bool, shape (n,)

    Returns
    -------
    values, fitted : ndarray of float, shape (n_values,)
        The different p, ascending, and the fitted probability at each, which never falls.

    Raises
    ------
    PredictionsError
        If there are no samples, or lengths differ.

    Examples
    --------
    >>> isotonic([0.1, 0.2, 0.3, 0.4], [False, True, False, True])[1].tolist()
    [0.0, 0.5, 0.5, 1.0]
    """
    p, events = _checked(p, events)
    values, place, n = np.unique(p, return_inverse=True, return_counts=True)
    return values, _fitted(np.bincount(place, events), n)


def _fitted(hits, n):
    """Slopes of the greatest convex minorant of the cumulative sums: the fit at each value, shape (n_values,)."""
    x, y = np.append(0, np.cumsum(n)).astype(float), np.append(0, np.cumsum(hits)).astype(float)
    corners = _lower_hull(x, y)
    slopes = np.diff(y[corners]) / np.diff(x[corners])
    return np.clip(np.repeat(slopes, np.diff(corners)), 0, 1)


def _lower_hull(x, y):
    """Places of the corners of the lower convex hull of points with ascending x, by pools of adjacent violators."""
    kept = np.arange(len(x))
    while len(kept) > 2:
        slopes = np.diff(y[kept]) / np.diff(x[kept])
        # A point above the line between two others is no corner.
        is_above = np.append(False, np.append(slopes[1:] < slopes[:-1], False))
        if not is_above.any():
            break
        kept = kept[~is_above]
    return kept


def isotonic_map(p: ArrayLike, events: ArrayLike, new: ArrayLike) -> np.ndarray:
    """Calibrated confidence of new samples by isotonic regression on others [2]_.

    Parameters
    ----------
    p, events : array_like, shape (n,)
        Of the samples that are fitted on.
    new : array_like of float, shape (n_new,)

    Returns
    -------
    ndarray of float, shape (n_new,)
        Beyond the fitted p the value at the nearest one.
    """
    return np.interp(np.asarray(new, dtype=float), *isotonic(p, events))


def venn_abers(p: ArrayLike, events: ArrayLike, new: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inductive Venn-Abers probabilities of new samples [3]_.

    Parameters
    ----------
    p, events : array_like, shape (n,)
        Of the samples that are fitted on.
    new : array_like of float, shape (n_new,)

    Returns
    -------
    low, high, combined : ndarray of float, shape (n_new,)
        p_0, p_1, and p_1 / (1 - p_0 + p_1).
    """
    p, events = _checked(p, events)
    values, place, n = np.unique(p, return_inverse=True, return_counts=True)
    # Neighbouring values that count as one.
    group = np.arange(len(values)) * min(MOST_VALUES, len(values)) // len(values)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    hits, n = (np.add.reduceat(of, starts) for of in (np.bincount(place, events), n.astype(float)))
    least, most = values[starts], values[np.append(starts[1:], len(values)) - 1]
    new = np.asarray(new, dtype=float)
    # Groups below each new value, and those that it is not below.
    ends = np.stack([np.searchsorted(most, new, "left"), np.searchsorted(least, new, "right")], axis=1)
    distinct, where = np.unique(ends, axis=0, return_inverse=True)
    low, high = (_with_one_more(hits, n, *distinct.T, event)[where.reshape(-1)] for event in (0.0, 1.0))
    return low, high, high / (1 - low + high)


def _with_one_more(hits, n, first, last, event):
    """Isotonic fit at one more sample with some event, between groups `first` and `last`: shape (n_places,).

    It is the largest over starts, up to `first`, of the smallest mean over ends, from `last` on. The mean is at least a slope
    where the sums less the slope times the counts nowhere fall below where they start: that slope is found by bisection.
    """
    hit_sums, sums, place = np.append(0, np.cumsum(hits)), np.append(0, np.cumsum(n)), np.arange(len(n) + 1)
    low, high = np.zeros(len(first)), np.ones(len(first))
    before, after = place[None] <= first[:, None], place[None] >= last[:, None]
    for _ in range(STEPS):
        slope = (low + high) / 2
        off = hit_sums[None] - slope[:, None] * sums[None]
        rises = np.where(after, off, np.inf).min(axis=1) - np.where(before, off, np.inf).min(axis=1) + event - slope
        low, high = np.where(rises >= 0, slope, low), np.where(rises >= 0, high, slope)
    return (low + high) / 2


def _checked(p, events):
    p, events = np.asarray(p, dtype=float), np.asarray(events, dtype=float)
    if p.ndim != 1 or p.shape != events.shape or not len(p):
        raise PredictionsError(
            f"confidence: expected p and events of the same samples, got shapes {p.shape} and {events.shape}. Align them."
        )
    return p, events


@dataclass(frozen=True, eq=False)
class ConfidenceMaps(Rows):
    """Ways to calibrate the confidence of the most probable leaf, judged on held-out folds; arrays of shape (n_maps,).

    Attributes
    ----------
    name : tuple of str
        Of `MAPS`, those that this model can have.
    brier, log_loss, ece, squared_error : ndarray of float
        Of confidence against whether the leaf is right: mean (p - event)^2, mean log loss in nats, adaptive ECE and the
        debiased squared error of calibration; lower is better.
    best : int
        Row with the smallest log loss.
    n_samples, n_folds : int
    """

    name: tuple[str, ...]
    brier: np.ndarray
    log_loss: np.ndarray
    ece: np.ndarray
    squared_error: np.ndarray
    best: int
    n_samples: int
    n_folds: int

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a way."""
        return frame({"way": list(self.name)} | {key: getattr(self, key) for key in _COLUMNS})

    @property
    def sentence(self) -> str:
        """Which way is best, with numbers."""
        return (
            f"{self.name[self.best]} has the smallest log loss of the confidence of the most probable leaf, "
            f"{self.log_loss[self.best]:.4f} against {self.log_loss[0]:.4f} {self.name[0]} "
            f"({self.n_folds} folds of {self.n_samples:,} samples; each is judged by a fit on the others)."
        )


_COLUMNS = ("brier", "log_loss", "ece", "squared_error")


def compare_confidence_maps(predictions: Predictions, *, n_folds: int = 5, seed: int = 0) -> ConfidenceMaps:
    """Compare isotonic regression, Venn-Abers and a temperature for the confidence of the most probable leaf on held-out folds.

    Parameters
    ----------
    predictions : Predictions
        Scores with one truth a sample; samples of which it is an inner class are left out. Without logits or probabilities of all
        leaves there is no temperature.
    n_folds : int
        At least 2; each fold is judged by maps that are fitted on the others.
    seed : int
        Of the draw of the folds.

    Returns
    -------
    ConfidenceMaps

    Raises
    ------
    PredictionsError
        If these are labels, several truths a sample, or fewer than 20 samples whose truth is a leaf.
    """
    check_kind("predictions", predictions, Predictions)
    check_whole("n_folds", n_folds, 2)
    rows = np.flatnonzero(predictions.has_truth)
    if predictions.has_single_truth:
        rows = rows[predictions.taxonomy.is_leaf[np.asarray(predictions.truth)[rows]]]
    if not predictions.has_scores or not predictions.has_single_truth or len(rows) < max(20, n_folds):
        raise PredictionsError(
            f"{predictions.name}: expected scores with one truth each of at least {max(20, n_folds)} samples, got "
            f"{len(rows) if predictions.has_scores else 'labels'}. Compare nothing."
        )
    fold = np.random.default_rng(seed).permutation(np.arange(len(rows)) % n_folds)
    p, is_right = _confidence(predictions, rows)
    found: dict[str, np.ndarray] = {name: np.empty(len(rows)) for name in MAPS}
    found["as it is"] = p
    for k in range(n_folds):
        held_out, others = fold == k, fold != k
        fitted = p[others], is_right[others]
        found["isotonic"][held_out] = isotonic_map(*fitted, p[held_out])
        found["Venn-Abers"][held_out] = venn_abers(*fitted, p[held_out])[2]
        if "temperature" in found:
            try:
                scaled = at_temperature(predictions, fit_temperature(predictions, rows[others]).value)
            except PredictionsError:
                del found["temperature"]
            else:
                found["temperature"][held_out] = _confidence(scaled, rows[held_out])[0]
    names = tuple(name for name in MAPS if name in found)
    numbers = [_judged(found[name], is_right) for name in names]
    columns = (np.array(values) for values in zip(*numbers, strict=True))
    brier, log_loss, ece, squared = columns
    return ConfidenceMaps(names, brier, log_loss, ece, squared, int(np.argmin(log_loss)), len(rows), n_folds)


def _confidence(predictions, rows):
    """(p of the most probable leaf, whether the truth is at or below it), each shape (n_rows,)."""
    taxonomy, leaves = predictions.taxonomy, predictions.taxonomy.leaves
    step, parts = max(1, (1 << 22) // taxonomy.n_nodes), []
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        p = predictions.node_probabilities(some)[:, leaves]
        best = p.argmax(axis=1)
        parts.append((p[np.arange(len(some)), best], leaves[best] == np.asarray(predictions.truth)[some]))
    confidence, is_right = (np.concatenate(of) for of in zip(*parts, strict=True))
    return np.clip(confidence, 0, 1), is_right


def _judged(p, is_right):
    """Brier score, log loss, ECE and squared error of calibration; where a map says 0 or 1, the loss is that of 1e-12 off."""
    near = np.clip(np.where(is_right, p, 1 - p), 1e-12, 1)
    errors = (calibration_error(key, p, is_right) for key in ("ece_adaptive", "calibration_error_squared"))
    return np.mean((p - is_right) ** 2), np.mean(-np.log(near)), *errors
