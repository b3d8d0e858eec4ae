"""F-max and S-min of the predictions of one model; see `hierviz.metrics.sets.protein_function`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from hierviz.metrics.sets.protein_function import TermCounts, indicator
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind
from hierviz.taxonomy.node_lists import NodeLists


def protein_function(
    predictions: Predictions,
    accretion: ArrayLike | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, float | None]:
    """F-max and S-min of one model on one ontology.

    Parameters
    ----------
    predictions : Predictions
        Scores of terms, or lists of terms, which count as scores of 1; samples without a known truth play no part.
    accretion : array_like of float, shape (n_nodes,), optional
        Information accretion of every term in bits, from `hierviz.metrics.information_accretion` or `hierviz.load_accretion`.
    progress : callable, optional
        Called with (rows done, n_samples).

    Returns
    -------
    dict of str to float or None
        ``f_max``, ``f_max_micro``, ``wf_max``, ``wf_max_micro``, ``s_min``, ``s_min_micro``; the last four are None without
        `accretion`.
    """
    check_kind("predictions", predictions, Predictions, "Pass those of one model.")
    return term_counts(predictions, accretion, progress).summary()


def term_counts(predictions, accretion=None, progress=None, *, judged=None, keep_samples=False):
    """TermCounts of the judged samples, in their order: those with a known truth if not given; else as `protein_function`."""
    counts = TermCounts(predictions.taxonomy, accretion, keep_samples=keep_samples)
    judged = predictions.has_truth if judged is None else judged
    for rows in predictions.blocks():
        known = np.flatnonzero(judged[rows]) + rows.start
        if len(known):
            truth = predictions.truth
            assert truth is not None
            p = (
                indicator(predictions.taxonomy, predictions.labels.take(known))
                if predictions.labels is not None
                else predictions.node_probabilities(rows)[known - rows.start]
            )
            counts.add(truth.take(known) if isinstance(truth, NodeLists) else truth[known], p)
        if progress:
            progress(rows.stop, predictions.n_samples)
    return counts
