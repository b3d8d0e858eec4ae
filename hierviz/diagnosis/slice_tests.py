"""Permutation tests of slices, and the order of the flagged ones.

Functions
---------
worst_first, permutation_p_values
"""

from __future__ import annotations

import numpy as np

from hierviz.node_lists import group as grouped


def worst_first(members, losses, sums, flagged, overall):
    """Flagged slices by the excess outside the earlier ones, with the samples there and their losses."""
    lists = members.of_sample
    sample = np.repeat(np.arange(len(lists)), lists.lengths)
    is_flagged = np.zeros(len(members.n), dtype=bool)
    is_flagged[flagged] = True
    inside = is_flagged[lists.nodes]
    samples_of = grouped(lists.nodes[inside], sample[inside], len(members.n))
    left, left_loss = members.n.astype(float), sums.astype(float).copy()
    is_covered = np.zeros(len(lists), dtype=bool)
    order, n_outside, loss_outside = [], [], []
    open_slices = flagged
    while len(open_slices):
        excess = left_loss[open_slices] - left[open_slices] * overall
        # On ties the smaller slice, then the later one: the more specific of two nested subtrees.
        best = np.lexsort((-open_slices, members.n[open_slices], -np.round(excess, 9)))[0]
        chosen = int(open_slices[best])
        order.append(chosen)
        n_outside.append(left[chosen])
        loss_outside.append(left_loss[chosen])
        new = samples_of[chosen]
        new = new[~is_covered[new]]
        is_covered[new] = True
        leaving = lists.take(new)
        left -= np.bincount(leaving.nodes, minlength=len(left))
        left_loss -= np.bincount(leaving.nodes, np.repeat(losses[new], leaving.lengths), len(left))
        open_slices = np.delete(open_slices, best)
    return np.array(order, dtype=np.intp), np.array(n_outside), np.array(loss_outside)


def permutation_p_values(members, losses, groups, n_permutations, seed, progress=None):
    """Share of permutations, the data themselves included, whose slice is at least as much above the mean of all.

    `progress` is called with (permutations done, n_permutations).
    """
    rng = np.random.default_rng(seed)
    n = len(losses)
    if groups is None:
        order, start, sizes = np.arange(n), np.arange(n), np.ones(n, dtype=np.intp)
    else:
        order = np.argsort(groups, kind="stable")
        sizes = np.bincount(groups)
        start = np.cumsum(sizes) - sizes
    place = np.arange(n) - np.repeat(start, sizes)
    observed = members.sums(losses) / members.n - losses.mean()
    # Equal sums in another order differ by rounding.
    observed -= 1e-12 * max(1.0, float(np.abs(losses).max()))
    as_far = np.ones(len(observed))
    moved = np.empty(n)
    for done in range(1, n_permutations + 1):
        other = rng.permutation(len(sizes))
        source = np.repeat(start[other], sizes) + place % np.repeat(sizes[other], sizes)
        moved[order] = losses[order[source]]
        as_far += members.sums(moved) / members.n - moved.mean() >= observed
        if progress:
            progress(done, n_permutations)
    return as_far / (n_permutations + 1)
