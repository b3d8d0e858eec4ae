"""Permutation tests of slices, and the order of the flagged ones.

Functions
---------
worst_first, permutation_p_values
"""

from __future__ import annotations

import numpy as np

from hierviz.metrics.ties import at_least
from hierviz.taxonomy.node_lists import group as grouped

# With fewer groups, or samples where there are no groups, nothing is tested.
FEWEST_GROUPS = 10


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
    """One-sided p-values of the mean loss inside against that of the rest, shape (n_slices,).

    A slice that is the same for all samples of each group is tested by permuting groups, each with its samples and losses; one
    that varies inside groups by permuting the losses inside each group.

    Parameters
    ----------
    members : SliceMembers
        No slice has all samples.
    losses : ndarray of float, shape (n_judged,)
    groups : ndarray of int, shape (n_judged,), or None
        Numbers from 0 without gaps; None where each sample is a group of its own.
    n_permutations, seed : int
    progress : callable, optional
        Called with (permutations done, n_permutations).

    Returns
    -------
    ndarray of float
        Share of the permutations, the data themselves included, whose difference is at least as large.
    """
    rng = np.random.default_rng(seed)
    n, n_slices, total = len(losses), len(members.n), losses.sum()
    groups = np.arange(n) if groups is None else groups
    sizes, sums = np.bincount(groups), np.bincount(groups, losses)
    sample, slice_of = np.repeat(np.arange(n), members.of_sample.lengths), members.of_sample.nodes
    pairs, count = np.unique(slice_of * len(sizes) + groups[sample], return_counts=True)
    slice_of_pair, group_of_pair = np.divmod(pairs, len(sizes))
    varies = np.zeros(n_slices, dtype=bool)
    varies[slice_of_pair[count < sizes[group_of_pair]]] = True
    whole = ~varies[slice_of_pair]
    slice_of_pair, group_of_pair = slice_of_pair[whole], group_of_pair[whole]
    inside = varies[slice_of]
    sample, slice_of = sample[inside], slice_of[inside]
    order = np.argsort(groups, kind="stable")
    group_in_order, loss_in_order = groups[order], losses[order]

    def above_rest(sums, n_inside):
        return sums / n_inside - (total - sums) / (n - n_inside)

    observed = above_rest(members.sums(losses), members.n)
    scale, as_far = np.abs(losses).max(), np.ones(n_slices)
    moved, n_inside = np.empty(n), members.n.astype(float)
    for done in range(1, n_permutations + 1):
        moved_sums = np.zeros(n_slices)
        if len(group_of_pair):
            other = rng.permutation(len(sizes))[group_of_pair]
            moved_sums = np.bincount(slice_of_pair, sums[other], n_slices)
            n_inside = np.where(varies, members.n, np.bincount(slice_of_pair, sizes[other], n_slices))
        if len(sample):
            moved[order] = loss_in_order[np.argsort(group_in_order + rng.random(n))]
            moved_sums += np.bincount(slice_of, moved[sample], n_slices)
        as_far += at_least(above_rest(moved_sums, n_inside), observed, scale)
        if progress:
            progress(done, n_permutations)
    return as_far / (n_permutations + 1)
