"""Checks of the arguments of public functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hierviz.errors import PredictionsError
from hierviz.node_lists import NodeLists
from hierviz.taxonomy import Taxonomy

KINDS = {"f": "floats", "i": "integers", "u": "integers", "b": "booleans", "U": "texts"}


def checked_probabilities(taxonomy: Taxonomy, p: ArrayLike) -> np.ndarray:
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


def check_truth_first(truth: object, then: str = "probabilities", *, is_one_sample: bool = False) -> None:
    """Raise a PredictionsError when `truth` is what comes after it in every signature: scores, probabilities or a table.

    Parameters
    ----------
    truth : object
        Node numbers, shape (n_samples,), or NodeLists.
    then : str
        What comes after the truth, for the message.
    is_one_sample : bool
        True where the truth of a single sample is expected, and its row of probabilities has one axis too.
    """
    if isinstance(truth, NodeLists):
        return
    if hasattr(truth, "scores"):
        got = f"a {type(truth).__name__}"
    else:
        values = np.asarray(truth)
        if values.ndim < 2 and not (is_one_sample and values.ndim == 1 and values.dtype.kind == "f" and values.size):
            return
        got = f"{KINDS.get(values.dtype.kind, values.dtype)} of shape {values.shape}"
    raise PredictionsError(f"truth: expected node numbers of shape (n_samples,), got {got}. Truth comes before {then}.")


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
