r"""Probabilities of the classes of each level: Brier score, log loss, and the most probable class with whether it is right.

Conventions
-----------
The cut at depth d has the nodes at depth d and the leaves above it, d = 1, 2, ..., max_depth: the last cut is that of the
leaves. a_d is the class of a cut that the truth y belongs to, p the probabilities of its classes. Samples whose truth is above
the cut, an inner node, have
no class in it: nan. Trees only.

    Brier = sum over classes c of (p(c) - [c = a_d])^2,    log loss = -ln p(a_d),

the first in [0, 2] for a distribution, the second in nats, infinite where p(a_d) = 0.

Functions
---------
level_numbers

References
----------
.. [1] G. W. Brier, Verification of forecasts expressed in terms of probability, Monthly Weather Review 78, 1950, equation 2.
"""

from __future__ import annotations

import numpy as np


def level_numbers(taxonomy, truth, p):
    """Numbers of each sample at each level.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
    p : ndarray of float, shape (n_samples, n_nodes)

    Returns
    -------
    dict of str to ndarray of float, shape (n_samples,)
        ``brier.D`` and ``log_loss.D`` for each depth D, nan where the sample has no class in the cut; ``confidence.D``, p of
        the most probable class, the lowest node of several, and ``is_right.D``, 1 where the truth is at or below it, else 0;
        both nan where the truth is above it; ``answer.D``, that class, is an ndarray of int.
    """
    depth, n = taxonomy.depth, len(truth)
    above, found = np.zeros(n), {}
    best, best_p = np.full(n, -1), np.full(n, -np.inf)
    # The truth, and its ancestors from the cut of the leaves up to the first one.
    at, own = [truth], truth
    for level in range(taxonomy.max_depth, 1, -1):
        own = np.where(depth[own] >= level, taxonomy.parent[own], own)
        at.append(own)
    for level, own in zip(range(1, taxonomy.max_depth + 1), reversed(at)):
        nodes = np.sort(taxonomy.levels[level])
        values = p[:, nodes]
        largest = values.max(axis=1)
        first = nodes[values.argmax(axis=1)]
        # A shallower leaf stays in all deeper cuts.
        is_deeper = (largest > best_p) | ((largest == best_p) & (first < best))
        answer, confidence = np.where(is_deeper, first, best), np.where(is_deeper, largest, best_p)
        squares = above + np.square(values).sum(axis=1)
        p_own = p[np.arange(n), own]
        is_known = (depth[own] == level) | taxonomy.is_leaf[own]
        with np.errstate(divide="ignore"):
            losses = -np.log(p_own) + 0.0
        # Without the square of the class itself: 1 - p loses nothing where p is near 1.
        brier = np.maximum(squares - np.square(p_own), 0) + np.square(1 - p_own)
        found[f"answer.{level}"] = answer
        for key, values_of in (("brier", brier), ("log_loss", losses)):
            found[f"{key}.{level}"] = np.where(is_known, values_of, np.nan)
        is_right = taxonomy.is_ancestor(answer, truth)
        is_decided = is_right | ~taxonomy.is_ancestor(truth, answer)
        for key, values_of in (("confidence", confidence), ("is_right", is_right)):
            found[f"{key}.{level}"] = np.where(is_decided, values_of, np.nan)
        is_leaf = taxonomy.is_leaf[nodes]
        if is_leaf.any():
            leaves, values = nodes[is_leaf], values[:, is_leaf]
            above = above + np.square(values).sum(axis=1)
            largest, first = values.max(axis=1), leaves[values.argmax(axis=1)]
            is_new = (largest > best_p) | ((largest == best_p) & (first < best))
            best, best_p = np.where(is_new, first, best), np.where(is_new, largest, best_p)
    return found
