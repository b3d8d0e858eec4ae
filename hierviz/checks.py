"""What public functions check at the door."""

from __future__ import annotations

import numpy as np

from hierviz.errors import PredictionsError


def checked_probabilities(taxonomy, p):
    """`p` as float64; a PredictionsError unless its shape is (n_samples, n_nodes) and all values are finite."""
    p = np.asarray(p, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] != taxonomy.n_nodes:
        raise PredictionsError(
            f"p: expected shape (n_samples, {taxonomy.n_nodes}), got {p.shape}. Pass node probabilities."
        )
    if not np.isfinite(p).all():
        row, node = np.argwhere(~np.isfinite(p))[0]
        raise PredictionsError(
            f"p: expected finite numbers, got {p[row, node]} in row {row} at {taxonomy.names[node]!r}. Remove it."
        )
    return p


def check_threshold(threshold):
    """Raise a PredictionsError unless `threshold` is a number in [0, 1]."""
    if not is_within(threshold, 0, 1):
        raise PredictionsError(
            f"threshold: expected a number from 0 to 1, got {threshold!r}. Choose one in that range."
        )


def is_within(value, low, high):
    """Whether `value` is a number, or the text of one, in [low, high]."""
    try:
        return low <= float(value) <= high
    except (TypeError, ValueError):
        return False
