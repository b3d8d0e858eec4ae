"""Inference rules that need all node probabilities, compiled by numba: plurality, and the largest product of p and a weight."""

import numpy as np

from hierviz.compiled.compiling import compiled, inner
from hierviz.compiled.kernels import TILE, probabilities


@inner
def plurality(q, tie, layout, answers):
    """The node of smallest rank that is more probable than the second of every family, else the first of the last rank.

    As `hierviz.inference.rules.plurality`; `layout` as in `run_rules`, `answers` by row.
    """
    node, first, n_children, inner, rank, by_rank, below = layout
    bounds, best = np.full(TILE, -np.inf), np.empty(TILE, np.int32)
    for i in range(len(inner)):
        place = inner[i]
        if n_children[place] < 2:
            continue
        for r in range(TILE):
            top, second = -np.inf, -np.inf
            for child in range(first[place], first[place] + n_children[place]):
                value = q[child, r]
                if value > top:
                    top, second = value, top
                elif value > second:
                    second = value
            bounds[r] = max(bounds[r], second)
    # The least informative candidates are the answer where no other exceeds the bound.
    last = len(by_rank) - 1
    while n_children[by_rank[last]] == 1:
        last -= 1
    widest = below[by_rank[last]]
    while last > 0 and (below[by_rank[last - 1]] == widest):
        last -= 1
    while n_children[by_rank[last]] == 1:
        last += 1
    for r in range(TILE):
        best[r] = rank[by_rank[last]]
        bounds[r] = bounds[r] * (1 + tie)
    for place in range(len(node)):
        if n_children[place] == 1 or below[place] == widest:
            continue
        for r in range(TILE):
            if q[place, r] > bounds[r] and rank[place] < best[r]:
                best[r] = rank[place]
    for r in range(TILE):
        answers[r] = node[by_rank[best[r]]]


@inner
def largest_product(q, weights, tie, node, n_children, answers):
    """The lowest candidate of largest q times weight, those within `tie` of the largest being equal; `answers` by row."""
    best, lowest = np.zeros(TILE), np.empty(TILE, np.int32)
    for place in range(len(node)):
        if n_children[place] != 1:
            for r in range(TILE):
                best[r] = max(best[r], q[place, r] * weights[place])
    for r in range(TILE):
        best[r] = best[r] - tie * best[r]
        lowest[r] = 2147483647
    for place in range(len(node)):
        if n_children[place] != 1:
            for r in range(TILE):
                if q[place, r] * weights[place] >= best[r]:
                    lowest[r] = min(lowest[r], node[place])
    for r in range(TILE):
        answers[r] = lowest[r]


@compiled
def run_rules(given, layout, has_plurality, weights, tie):
    """Answers of each row: of plurality first where `has_plurality`, then of the product with each row of `weights`.

    Parameters as of `hierviz.compiled.kernels.run`; layout: node, first, n_children, inner, rank, by_rank, n_leaves_below.

    Returns
    -------
    is_complete : bool
        False where a value is negative or not finite.
    answers : ndarray of int32, shape (n_rules, n)
    """
    node, first, n_children, inner, _, _, _ = layout
    n, q = given[0].shape[0], np.ones((len(node), TILE))
    mass, least, top = np.zeros(TILE), np.zeros(TILE), np.zeros(TILE)
    answers, tile = np.empty((weights.shape[0] + has_plurality, n), np.int32), np.empty(TILE, np.int32)
    for start in range(0, n, TILE):
        if not probabilities(given, start, inner, first, n_children, q, mass, least, top):
            return False, answers
        for k in range(answers.shape[0]):
            if has_plurality and k == 0:
                plurality(q, tie, layout, tile)
            else:
                largest_product(q, weights[k - has_plurality], tie, node, n_children, tile)
            for r in range(min(TILE, n - start)):
                answers[k, start + r] = tile[r]
    return True, answers
