"""Scores brought into the form that a parametrisation takes: logarithms, shares of a row, a softmax of each depth."""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import ModelError
from hierviz.onnx.scores.score_kind import ROUNDING
from hierviz.onnx.scores.score_reading import PROBABILITIES, without_root
from hierviz.predictions.parametrisation import SUM_TOLERANCE

_TINY = 1e-30


def changed(where, scores, change, detected, taxonomy, nodes, key, notes):
    """Scores as a parametrisation wants them.

    Parameters
    ----------
    where : str
    scores : ndarray, shape (n_samples, n_scores)
    change : str
        From `choose`.
    detected : ScoreKind
    taxonomy : Taxonomy
    nodes : ndarray of int, shape (n_scores,)
        -1 for a column of no node, which goes in the end.
    key : str
        The parametrisation.
    notes : list of str
        Grows by what was done.

    Returns
    -------
    scores : ndarray of float32, shape (n_samples, n_kept)
    nodes : ndarray of int, shape (n_kept,)

    Raises
    ------
    ModelError
        If the scores cannot be of the declared kind.
    """
    if change in ("log", "logit", "log shares", "shares") and detected.low < -ROUNDING:
        raise ModelError(
            f"{where}: expected no score below 0, got {detected.low:.4g}. Leave {{scores}} out, or pass another kind."
        )
    if (change in ("log", "logit") or (not change and key in PROBABILITIES)) and not detected.in_range:
        raise ModelError(
            f"{where}: expected scores from 0 to 1, got {detected.low:.4g} to {detected.high:.4g}. "
            "Leave {scores} out, or pass another kind."
        )
    if change == "exp" and detected.high > ROUNDING:
        raise ModelError(
            f"{where}: expected no score above 0 (logarithms of probabilities), got {detected.high:.4g}. "
            "Leave {scores} out, or pass another kind."
        )
    kept = (nodes >= 0) & np.isin(nodes, without_root(key, nodes))
    if kept.sum() < (nodes >= 0).sum():
        notes.append(f"the column of the root {taxonomy.names[0]!r} was left out: {key} has no score for it")
    if change or not kept.all():
        scores = np.asarray(scores[:, kept], dtype=np.float64)
    nodes = nodes[kept]
    if change == "exp":
        scores = np.exp(scores)
    elif change == "softmax of each depth":
        scores = _softmax_of_depths(scores, taxonomy.depth[nodes])
        notes.append("a softmax was applied to the nodes of each depth")
    if key == "leaf_probabilities" and (change in ("exp", "shares") or detected.in_range):
        scores = _shares(scores, detected, change, not kept.all(), notes)
    if change in ("log", "log shares"):
        scores = np.log(np.maximum(scores, _TINY))
    elif change == "logit":
        inside = np.clip(scores, 1e-12, 1 - 1e-7)
        scores = np.log(inside) - np.log1p(-inside)
    with np.errstate(over="ignore"):
        scores = np.array(scores, dtype=np.float32)
    if key in PROBABILITIES:
        rounded = (scores > 1) & (scores <= 1 + ROUNDING) | (scores < 0) & (scores >= -ROUNDING)
        scores[rounded] = np.clip(scores[rounded], 0, 1)
    return scores, nodes


def _shares(scores, detected, change, has_dropped, notes):
    """Rows divided by their sums, where these are off."""
    off = max(abs(share - 1) for share in detected.sums)
    if off <= SUM_TOLERANCE and not has_dropped:
        return scores
    # In C order, or the order of the sum would depend on the number of rows.
    total = np.ascontiguousarray(scores).sum(axis=1, keepdims=True)
    nothing = total[:, 0] <= 0
    if nothing.any():
        notes.append(
            f"{int(nothing.sum())} rows have no probability on any leaf: a uniform distribution over the leaves was used"
        )
    if has_dropped:
        notes.append("each row was divided by its sum after columns that are not in the taxonomy were left out")
    else:
        notes.append(
            f"each row was divided by its sum ({detected.sums[0]:.4g} to {detected.sums[1]:.4g}), which should have been 1"
        )
    return np.where(nothing[:, None], 1 / scores.shape[1], scores / np.where(nothing[:, None], 1, total))


def _softmax_of_depths(scores, depth):
    order = np.argsort(depth, kind="stable")
    start = np.flatnonzero(np.diff(depth[order], prepend=-1))
    lengths = np.diff(np.append(start, len(order)))
    grouped = scores[:, order]
    grouped = np.exp(grouped - np.repeat(np.maximum.reduceat(grouped, start, axis=1), lengths, axis=1))
    made = np.empty_like(grouped)
    made[:, order] = grouped / np.repeat(np.add.reduceat(grouped, start, axis=1), lengths, axis=1)
    return made
