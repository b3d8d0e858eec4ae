r"""Answers level by level: are they right, and do they agree with each other?

Conventions
-----------
A sample has one answer for each level l = 1, 2, ..., max_depth: a node, -1 where it has none, or -2 for one outside the taxonomy,
which is a leaf directly below the root. Its truth y, with depth L, has the ancestor a_l at each level up to L; levels below the
truth count for nothing. A hit is an answer equal to a_l. A sample whose truth is the root has no level, and is left out (nan),
except of TICE, which does not depend on the truth. Trees only.

Answers are a path if each is a child of the one before it, the first one of the root; they may stop early. A leaf above a
level, which scores may give as the answer of that level too, is no break of its own path.

Functions
---------
level_answer_numbers, path_levels, broken_links

References
----------
.. [1] Y. Tan, Y. Qing, B. Gong, Vision LLMs are bad at hierarchical visual understanding, and LLMs are the bottleneck, 2025,
       arXiv 2505.24840: full-path accuracy (HCA), POR, S-POR and TOR, S-POR by the common prefix as in the code.
.. [2] S. Park et al., Visually consistent hierarchical image classification (H-CAST), ICLR 2025: full-path accuracy, TICE and
       wAP.
.. [3] TARA, 2025: the longest run of right levels anywhere.
"""

from __future__ import annotations

import numpy as np

from hierviz.metrics.node_pairs import ratio
from hierviz.predictions.outside import OUTSIDE_AT_LEVEL


def path_levels(taxonomy, nodes):
    """Ancestors of nodes by level.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    nodes : ndarray of int, shape (n_samples,)

    Returns
    -------
    ndarray of int, shape (n_samples, max_depth)
        Of the depths 1, 2, ...; the node itself at its depth, -1 below it.
    """
    found = np.full((len(nodes), taxonomy.max_depth), -1)
    row, node = np.arange(len(nodes)), np.asarray(nodes)
    for _ in range(taxonomy.max_depth):
        inside = node > 0
        row, node = row[inside], node[inside]
        found[row, taxonomy.depth[node] - 1] = node
        node = taxonomy.parent[node]
    return found


def broken_links(taxonomy, answers):
    """Where the answer of a level does not follow from that of the level above.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    answers : ndarray of int, shape (n_samples, max_depth)

    Returns
    -------
    ndarray of bool, shape (n_samples, max_depth)
        Answers that are no child of the answer before them; after a level without an answer, any. One outside the taxonomy
        follows from the root, or from another.
    """
    before = np.concatenate([np.zeros((len(answers), 1), dtype=answers.dtype), answers[:, :-1]], axis=1)
    there, is_outside = answers != -1, answers == OUTSIDE_AT_LEVEL
    follows = (before >= 0) & (taxonomy.parent[np.maximum(answers, 0)] == before) & (answers > 0)
    stays = (answers == before) & taxonomy.is_leaf[np.maximum(answers, 0)]
    follows |= is_outside & ((before == 0) | (before == OUTSIDE_AT_LEVEL))
    return there & ~follows & ~stays


def level_answer_numbers(taxonomy, truth, answers):
    """Numbers of the block ``levels`` of each sample.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
    answers : ndarray of int, shape (n_samples, max_depth)

    Returns
    -------
    dict of str to ndarray of float, shape (n_samples,)
        ``full_path_accuracy``, ``por``, ``s_por``, ``s_por_longest_run`` and ``tor`` in [0, 1], higher is better; ``tice``, 0 or
        1, lower is better; for each level ``hit.D``, nan below the truth, and ``n_classes.D``, its number of classes.
    """
    true = path_levels(taxonomy, truth)
    there, n_levels = true >= 0, taxonomy.depth[truth].astype(float)
    hit = there & (answers == true)
    run, longest = np.zeros(len(truth)), np.zeros(len(truth))
    for level in range(taxonomy.max_depth):
        run = np.where(hit[:, level], run + 1, 0)
        longest = np.maximum(longest, run)
    prefix = np.logical_and.accumulate(hit, axis=1).sum(axis=1)
    pairs = (hit[:, 1:] & hit[:, :-1]).sum(axis=1)
    shares = {"por": hit.sum(axis=1), "s_por": prefix, "s_por_longest_run": longest}
    found = {key: ratio(of, n_levels, np.nan) for key, of in shares.items()}
    found["full_path_accuracy"] = np.where(n_levels > 0, prefix == n_levels, np.nan)
    found["tor"] = np.where(n_levels > 0, ratio(pairs, np.maximum(n_levels - 1, 0), 0.0), np.nan)
    found["tice"] = broken_links(taxonomy, answers).any(axis=1).astype(float)
    found |= {f"hit.{level + 1}": np.where(there[:, level], hit[:, level], np.nan) for level in range(hit.shape[1])}
    n_classes = np.bincount(taxonomy.depth)[1:].astype(float)
    return found | {f"n_classes.{level}": np.full(len(truth), n) for level, n in enumerate(n_classes, 1)}
