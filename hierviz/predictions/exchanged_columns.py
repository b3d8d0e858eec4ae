"""Columns of scores that look exchanged, by answers and what is true, and the test behind it: more than luck.

Functions
---------
exchanged, exchanged_words, luck, luck_words
"""

from __future__ import annotations

from math import comb, erfc, sqrt

import numpy as np

from hierviz.taxonomy.taxonomy import Taxonomy

# Chance, over all alternatives together, that luck alone makes one look as much better: below it a warning is given.
CLEARLY = 0.001
# Fewer samples say nothing about the columns of a model, and fewer of a class nothing about the class.
LEAST_SAMPLES, LEAST_OF_CLASS = 20, 5
# Of more rows that differ the exact test takes long, and the normal distribution is as good.
_MOST_EXACT = 2000


def exchanged(truth: np.ndarray, leaves: np.ndarray, n_nodes: int) -> dict[int, int]:
    """Which columns look exchanged: every class of a ring is clearly answered as the next one.

    Parameters
    ----------
    truth, leaves : ndarray of int, shape (n_samples,)
        True nodes, and the answered ones.
    n_nodes : int

    Returns
    -------
    dict of int to int
        Answered node -> the true node whose scores its column looks to hold.
    """
    pairs, counts = np.unique(truth * n_nodes + leaves, return_counts=True)
    true, answer = pairs // n_nodes, pairs % n_nodes
    right = np.zeros(n_nodes, dtype=np.intp)
    right[true[true == answer]] = counts[true == answer]
    order = np.lexsort((-counts, true))
    first = order[np.unique(true[order], return_index=True)[1]]
    first = first[(answer[first] != true[first]) & (counts[first] >= LEAST_OF_CLASS)]
    held = dict(zip(answer[first].tolist(), true[first].tolist(), strict=True))
    n_first = dict(zip(true[first].tolist(), counts[first].tolist(), strict=True))
    # Of two classes answered alike neither is exchanged.
    twice = len(first) - len(held)
    moved = {a: t for a, t in held.items() if not twice or (answer[first] == a).sum() == 1}
    while set(moved) != set(moved.values()):
        both = set(moved) & set(moved.values())
        moved = {a: t for a, t in moved.items() if a in both and t in both}
    n_better = sum(n_first[t] for t in moved.values())
    n_worse = int(sum(right[t] for t in moved.values()))
    chance = luck_of_many(n_better, n_worse, max(1, len(first)))
    return moved if moved and chance < CLEARLY and n_better > 2 * n_worse else {}


def exchanged_words(moved: dict[int, int], taxonomy: Taxonomy, by: str = "the truth") -> str:
    """What `exchanged` has found, as a sentence; an empty text where that is nothing."""
    if not moved:
        return ""
    shown = ", ".join(f"{taxonomy.names[a]!r} holds {taxonomy.names[b]!r}" for a, b in list(moved.items())[:4])
    siblings = taxonomy.is_tree and len({int(taxonomy.parent[node]) for node in moved}) == 1
    return f"{len(moved)} columns{' of siblings' if siblings else ''} look exchanged: {shown}, judged by {by}."


def luck(n_better: int, n_worse: int, n_alternatives: int = 1) -> float:
    """Chance that an alternative which is no better wins at least `n_better` of the rows where the two differ.

    Parameters
    ----------
    n_better, n_worse : int
        Rows that are right only with the alternative, and only with what was chosen.
    n_alternatives : int
        How many were tried; the chance is multiplied by it (Bonferroni).

    Returns
    -------
    float
        At most 1: the exact sign test (McNemar's) on the rows that differ.
    """
    n = n_better + n_worse
    tail = sum(comb(n, k) for k in range(n_better, n + 1))
    # Whole numbers of any length: the quotient is exact before it is rounded once.
    return min(1.0, n_alternatives * (tail / (1 << n)))


def luck_of_many(n_better: int, n_worse: int, n_alternatives: int = 1) -> float:
    """`luck`, of many rows by the normal distribution."""
    n = n_better + n_worse
    if n <= _MOST_EXACT:
        return luck(n_better, n_worse, n_alternatives)
    return min(1.0, n_alternatives * erfc((n_better - n_worse - 1) / sqrt(2 * n)) / 2)


def luck_words(chance: float) -> str:
    """A small chance in words."""
    return "less than one in a million" if chance < 1e-6 else f"one in {round(1 / chance):,}"
