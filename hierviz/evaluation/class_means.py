r"""Means over true classes, in which each class counts the same however many samples it has, or what it is said to.

A mean over classes is

.. math:: \sum_c w_c \, \bar x_c \, / \sum_c w_c,\qquad \bar x_c = \frac{1}{n_c} \sum_{i : y_i = c} x_i

over the classes that are the truth of a sample, which is the mean over samples with the weights w_c / n_c. They are scaled to
sum to the number of samples. A resample counts its own n_c.

Functions
---------
sample_weights
"""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import PredictionsError


def sample_weights(taxonomy, truth, class_weights=None, counts=None):
    """Weight of each sample.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth : ndarray of int, shape (n_samples,)
        True node of each sample.
    class_weights : array_like of float, shape (n_nodes,), optional
        w of each class, >= 0; 1 each when absent.
    counts : ndarray of float, shape (n_samples,), optional
        How often each sample is taken, as in a resample; once each when absent. A class has its weight however often its
        samples are taken.

    Returns
    -------
    ndarray of float, shape (n_samples,)
        >= 0, with sum n_samples (of `counts` where they are given). All 0 where no sample of a class with a weight is taken.

    Raises
    ------
    PredictionsError
        If there is not one weight a node, one is negative or not finite, no sample has a weight above 0, or they are so
        large or so small that their sum over the samples, or a share of it, is not finite.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    >>> sample_weights(taxonomy, taxonomy.nodes("cat", "cat", "cat", "dog")).round(2).tolist()
    [0.67, 0.67, 0.67, 2.0]
    """
    weights = np.ones(taxonomy.n_nodes) if class_weights is None else np.asarray(class_weights, dtype=np.float64)
    if weights.shape != (taxonomy.n_nodes,):
        raise PredictionsError(
            f"class weights: expected {taxonomy.n_nodes} values (one per node), got shape {weights.shape}. Give one per node."
        )
    own = weights[truth]
    if not np.isfinite(own).all() or (own < 0).any():
        node = taxonomy.names[int(truth[np.argmax(~np.isfinite(own) | (own < 0))])]
        raise PredictionsError(
            f"class weights: expected numbers >= 0 for all true classes, got another or none for {node!r}. Correct it."
        )
    if not own.any():
        raise PredictionsError(
            "class weights: expected one above 0 for a true class of a sample, got none. Give its class a weight."
        )
    # A resample may have the samples of one class alone.
    least, most = own[own > 0].min(), own.max()
    with np.errstate(over="ignore"):
        ends = most * len(truth), len(truth) / least
    if not np.isfinite(ends).all():
        raise PredictionsError(
            f"class weights: expected numbers whose sum and whose shares over {len(truth):,} samples are finite, got "
            f"{least:g} to {most:g}. Multiply all by one number that brings them near 1."
        )
    counts = np.ones(len(truth)) if counts is None else counts
    per_sample = np.divide(own * counts, np.bincount(truth, counts)[truth], out=np.zeros(len(truth)), where=counts > 0)
    total = per_sample.sum()
    return per_sample * (counts.sum() / total) if total else per_sample
