"""Sums of a number over the samples of every class, and over them with signs that are flipped.

Conventions
-----------
A sample belongs to every class at or above its truth but the root. Samples of one truth are a *profile*: what is summed is summed
for each profile first. Arrays of classes have shape (n_nodes,).

Functions
---------
ClassSums, sign_flip_p_values
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierviz.messages.notebook_html import Short
from hierviz.metrics.sets.node_sets import truth_keys
from hierviz.metrics.ties import at_least
from hierviz.taxonomy.node_lists import NodeLists
from hierviz.taxonomy.taxonomy import Taxonomy

# Numbers that are held at a time.
AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class ClassSums(Short):
    """Which samples belong to which class.

    Attributes
    ----------
    taxonomy : Taxonomy
    profile : ndarray of int, shape (n_samples,)
        Number of the profile of each sample.
    classes : NodeLists
        Classes of each profile, the root left out.
    """

    taxonomy: Taxonomy
    profile: np.ndarray
    classes: NodeLists

    @classmethod
    def of(cls, taxonomy: Taxonomy, truth: np.ndarray | NodeLists) -> ClassSums:
        """Those of samples with one true node each, or several."""
        if isinstance(truth, NodeLists):
            rows, nodes = np.divmod(truth_keys(taxonomy, truth), taxonomy.n_nodes)
            return cls(taxonomy, np.arange(len(truth)), NodeLists.of_pairs(rows, nodes, len(truth)))
        truths, profile = np.unique(truth, return_inverse=True)
        above = taxonomy.ancestors(truths)
        return cls(taxonomy, profile, above.only(above.nodes != 0))

    @cached_property
    def n(self) -> np.ndarray:
        """Samples of each class."""
        return self.sums(np.ones(len(self.profile))).astype(np.intp)

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sum of values, one a sample, over the samples of each class, shape (n_nodes,)."""
        own = np.bincount(self.profile, values, len(self.classes))
        return np.bincount(self.classes.nodes, np.repeat(own, self.classes.lengths), self.taxonomy.n_nodes)

    def n_groups(self, groups: np.ndarray) -> np.ndarray:
        """Groups with a sample in each class; `groups` is the number of each sample's."""
        n_groups = int(groups.max(initial=-1)) + 1
        pairs = np.unique(self.profile * n_groups + groups)
        profile, group = np.divmod(pairs, n_groups)
        lists = self.classes.take(profile)
        keys = np.unique(lists.nodes * n_groups + np.repeat(group, lists.lengths))
        return np.bincount(keys // n_groups, minlength=self.taxonomy.n_nodes)

    def inside(self, nodes: np.ndarray) -> np.ndarray:
        """Which samples belong to any of some classes, shape (n_samples,) of bool."""
        wanted = np.zeros(self.taxonomy.n_nodes, dtype=bool)
        wanted[nodes] = True
        hit = np.bincount(self.classes.rows[wanted[self.classes.nodes]], minlength=len(self.classes)) > 0
        return hit[self.profile]


def sign_flip_p_values(
    members: ClassSums,
    d: np.ndarray,
    nodes: np.ndarray,
    groups: np.ndarray | None,
    n_flips: int = 9_999,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> np.ndarray:
    """Two-sided p-values of sums of differences, under signs that are as likely to be the other one.

    Parameters
    ----------
    members : ClassSums
    d : ndarray of float, shape (n_samples,)
        Differences.
    nodes : ndarray of int, shape (n_tests,)
        Classes, each once.
    groups : ndarray of int, shape (n_samples,), or None
        Numbers from 0: all differences of a group have one sign. None where each sample is a group.
    n_flips, seed : int
    progress : callable, optional
        Called with (flips done, n_flips).

    Returns
    -------
    ndarray of float, shape (n_tests,)
        (1 + flips whose sum is as far from 0) / (1 + n_flips).
    """
    unit, profile, value = _atoms(members.profile, d, groups)
    place = np.full(members.taxonomy.n_nodes, -1)
    place[nodes] = np.arange(len(nodes))
    as_far = np.ones(len(nodes))
    observed = np.abs(members.sums(d)[nodes])
    scale = members.sums(np.abs(d))[nodes]
    if not len(value):
        return np.ones(len(nodes))
    # Columns: one a profile with a difference; then one a class, from pairs of a class and a profile in its order.
    present, column = np.unique(profile, return_inverse=True)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    lists = members.classes.take(present)
    lists = lists.only(place[lists.nodes] >= 0)
    order = np.argsort(place[lists.nodes], kind="stable")
    of_pair, sorted_class = lists.rows[order], place[lists.nodes][order]
    tested, ends = np.unique(sorted_class, return_index=True)
    if not len(tested):
        return np.ones(len(nodes))
    rng, n_units = np.random.default_rng(seed), int(unit.max()) + 1
    block = int(np.clip(AT_ONCE // (n_units + len(value) + len(of_pair)), 1, n_flips))
    untested = np.setdiff1d(np.arange(len(nodes)), tested)
    for start in range(0, n_flips, block):
        n = min(block, n_flips - start)
        signs = rng.integers(0, 2, (n, n_units), dtype=np.int8) * np.int8(2) - np.int8(1)
        of_profile = np.add.reduceat(signs[:, unit] * value, starts, axis=1)
        sums = np.add.reduceat(of_profile[:, of_pair], ends, axis=1)
        as_far[tested] += at_least(np.abs(sums), observed[tested], scale[tested]).sum(axis=0)
        if progress:
            progress(start + n, n_flips)
    # Without any difference every sum is 0, as that of the data.
    as_far[untested] = n_flips + 1
    return as_far / (n_flips + 1)


def _atoms(profile, d, groups):
    """Unit, profile and summed difference of the samples that share both, by profile; without those that differ by nothing."""
    kept = np.flatnonzero(d != 0)
    profile, d = profile[kept], d[kept]
    if groups is None:
        order = np.argsort(profile, kind="stable")
        return order, profile[order], d[order]
    _, unit = np.unique(groups[kept], return_inverse=True)
    n_units = int(unit.max(initial=-1)) + 1
    keys, atom = np.unique(profile * n_units + unit, return_inverse=True)
    return keys % max(n_units, 1), keys // max(n_units, 1), np.bincount(atom, d, len(keys))
