"""Masses of a softmax: the share that lies in some of the entries, and which leaves are below a node."""

from __future__ import annotations

import numpy as np

from hierviz.predictions.parametrisation import sigmoid


def mass_nll(scores, inside, outside=None):
    """-log of the share of the softmax mass that lies in `inside`, and its gradient by the scores.

    Parameters
    ----------
    scores : ndarray of float, shape (n, n_scores)
    inside, outside : ndarray of bool, shape (n, n_scores)
        Disjoint; `inside` is never empty. Scores in neither take no part. `outside` defaults to what is not inside.
    """
    log_in, within = _masked_softmax(scores, inside)
    log_out, without = _masked_softmax(scores, ~inside if outside is None else outside)
    odds = log_out - log_in
    return np.logaddexp(0, odds), sigmoid(odds)[:, None] * (without - within)


def _masked_softmax(scores, mask):
    """(log-sum-exp, softmax) of each row over the True entries; -inf and zeros where there is none."""
    chosen = np.where(mask, scores, -np.inf)
    top = chosen.max(axis=1)
    shift = np.where(np.isfinite(top), top, 0)
    chosen = np.exp(chosen - shift[:, None])
    total = chosen.sum(axis=1)
    chosen /= np.where(total > 0, total, 1)[:, None]
    with np.errstate(divide="ignore"):
        return np.log(total) + shift, chosen


def below_finder(taxonomy):
    """Function (truth) -> True where the leaf is at or below the truth, shape (n, n_leaves)."""
    if taxonomy.is_tree:
        return lambda truth: taxonomy.is_ancestor(truth[:, None], taxonomy.leaves[None, :])
    above = taxonomy.ancestors(taxonomy.leaves)
    column = np.repeat(np.arange(taxonomy.n_leaves), above.lengths)[np.argsort(above.nodes, kind="stable")]
    offsets = np.concatenate([[0], np.cumsum(taxonomy.n_leaves_below)])

    def below(truth):
        length = taxonomy.n_leaves_below[truth]
        ends = np.cumsum(length)
        place = np.arange(ends[-1] if len(ends) else 0) + np.repeat(offsets[truth] - ends + length, length)
        inside = np.zeros((len(truth), taxonomy.n_leaves), dtype=bool)
        inside[np.repeat(np.arange(len(truth)), length), column[place]] = True
        return inside

    return below
