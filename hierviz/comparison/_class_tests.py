r"""In which classes is a difference of two models clear? Tests of all classes of a tree, and what is left of each outside others.

Conventions
-----------
d is B's value less A's of every sample. Tests are two-sided: of 0/1 values of independent samples and one run each the exact
binomial test of the discordant pairs; else sign flips of d, of the sum of a group where samples are grouped (9,999 flips, seed 0,
p = (1 + as far) / 10,000). A class is tested with at least `min_samples` samples, and ten groups where they are grouped. All
tested classes are one family: Benjamini-Hochberg at q [1]_. Tests do not go from the top down: gains and losses below one class
cancel.

Flagged classes are ordered by p, of equal ones the smaller first. A later one is counted again on the samples outside the earlier
ones that are not explained themselves; where less than half of its difference is left, it is explained by the one of them that
holds most of it. Thresholds and runs are held fixed. Intervals are of one class each, not of all at once: Tango's score interval
where the test is exact, else percentiles of paired resamples, of whole groups where samples are grouped.

Functions
---------
class_tests, ClassTests

References
----------
.. [1] Y. Benjamini, Y. Hochberg, Controlling the false discovery rate, J. R. Stat. Soc. B 57, 1995.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.comparison.class_sums import ClassSums, sign_flip_p_values
from hierviz.diagnosis.many_tests import ManyTests, adjusted, discordant_p_values
from hierviz.diagnosis.slice_members import FEWEST_GROUPS
from hierviz.messages.notebook_html import Short
from hierviz.uncertainty.paired_proportions import score_interval
from hierviz.uncertainty.resamples import Resamples, percentile_ends

EXACT, FLIPS = "exact binomial test of the discordant pairs", "sign flips"
N_FLIPS = 9_999


@dataclass(frozen=True, eq=False)
class ClassTests(Short):
    """Arrays of shape (n_nodes,) but `flagged`, as of `DifferenceTree`."""

    lower: np.ndarray
    upper: np.ndarray
    p_value: np.ndarray
    p_adjusted: np.ndarray
    flagged: np.ndarray
    n_outside: np.ndarray
    difference_outside: np.ndarray
    explained_by: np.ndarray
    test: str


def class_tests(
    members: ClassSums,
    values: tuple[np.ndarray, np.ndarray],
    groups: np.ndarray | None,
    has_runs: bool,
    min_samples: int,
    tests: ManyTests,
    confidence: float,
    progress=None,
) -> ClassTests:
    """Test every class with enough samples.

    Parameters
    ----------
    members : ClassSums
    values : (ndarray of float, ndarray of float), each shape (n_samples,)
        Of A and of B.
    groups : ndarray of int, shape (n_samples,), or None
    has_runs : bool
        Whether a method has several runs.
    min_samples : int
    tests : ManyTests
    confidence : float
    progress : callable, optional
        Called with (steps done, steps in all).

    Returns
    -------
    ClassTests
    """
    d, n = values[1] - values[0], members.n
    is_tested = n >= min_samples
    if groups is not None:
        is_tested &= members.n_groups(groups) >= FEWEST_GROUPS
    nodes = np.flatnonzero(is_tested)
    is_exact = groups is None and not has_runs and bool(np.isin(values, (0.0, 1.0)).all())
    p, lower, upper = (np.full(len(n), np.nan) for _ in range(3))
    n_flips = tests.n_draws or N_FLIPS
    if is_exact:
        gained, lost = (np.rint(members.sums(one)[nodes]) for one in (d > 0, d < 0))
        p[nodes] = discordant_p_values(gained, lost)
        lower[nodes], upper[nodes] = score_interval(gained, lost, n[nodes], confidence)
    else:
        draws = Resamples.draw(len(d), groups=groups)
        steps = n_flips + draws.n_resamples
        p[nodes] = sign_flip_p_values(members, d, nodes, groups, n_flips, tests.seed, _part(progress, 0, steps))
        lower[nodes], upper[nodes] = _resampled(members, d, nodes, draws, confidence, _part(progress, n_flips, steps))
    p_adjusted = np.full(len(n), np.nan)
    p_adjusted[nodes] = adjusted(p[nodes], tests.correction)
    flagged = nodes[p_adjusted[nodes] <= tests.q]
    # Of two with the same samples the more specific one, which comes later, leads.
    flagged = flagged[np.lexsort((-flagged, n[flagged], p[flagged]))]
    flips = f"{n_flips:,} {FLIPS}{' of groups' if groups is not None else ''}"
    test = EXACT if is_exact else flips
    n_outside, outside, explained_by = _outside(members, d, flagged)
    return ClassTests(lower, upper, p, p_adjusted, flagged, n_outside, outside, explained_by, test)


def _resampled(members, d, nodes, resamples, confidence, progress):
    """Percentile interval of the mean difference of each class."""
    draws = np.empty((resamples.n_resamples, len(nodes)))
    for index, counts in resamples.each(progress):
        n = members.sums(counts)[nodes]
        draws[index] = np.divide(members.sums(counts * d)[nodes], n, out=np.full(len(nodes), np.nan), where=n > 0)
    return percentile_ends(draws, confidence) if len(nodes) else (np.empty(0), np.empty(0))


def _outside(members, d, flagged):
    """Samples and mean difference of each flagged class outside the earlier ones that count, and what explains it."""
    n_nodes = members.taxonomy.n_nodes
    n_outside, outside, explained_by = members.n.copy(), np.full(n_nodes, np.nan), np.full(n_nodes, -1)
    whole = members.sums(d)
    free, held = np.ones(len(d), dtype=bool), np.full(len(d), -1)
    for node in flagged.tolist():
        own = members.inside(np.array([node]))
        left = own & free
        n_left, sum_left = int(left.sum()), float(d[left].sum())
        n_outside[node] = n_left
        outside[node] = sum_left / n_left if n_left else np.nan
        if sum_left * np.sign(whole[node]) < abs(whole[node]) / 2:
            taken = own & ~free
            holders = held[taken]
            shares = np.bincount(holders, d[taken] * np.sign(whole[node]), n_nodes)
            explained_by[node] = int(np.argmax(shares)) if shares.max(initial=0) > 0 else int(holders[0])
            continue
        held[left] = node
        free &= ~own
    return n_outside, outside, explained_by


def _part(progress, before, total):
    """Progress of a part of all steps."""
    return None if progress is None else lambda done, _: progress(before + done, total)
