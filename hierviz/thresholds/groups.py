"""One threshold for each group of samples, compared with one for all.

Thresholds of groups over many random halves: one half chooses, the other is measured, and one split alone says little.

Conventions
-----------
The group of a sample is read off its probabilities, never off the truth, so that the thresholds can be applied to new
samples: the subtree that its most probable leaf lies in, or the depth of its majority answer (threshold 0.5). Groups are
disjoint, so each gets the threshold that reaches the goal best on its own samples. Groups without a sample and groups where
the goal cannot be reached use the threshold for all.

A goal that every group has to reach is harder than one that only the mean has to reach: "95 % correct" in each group
may cost more recall than one threshold for all. The best F1 of each group cannot be worse than that of one threshold,
on the samples that the thresholds were chosen on; only held-out samples show whether it is better on new ones.

Functions
---------
groups_by_subtree, groups_by_depth, group_thresholds, nodes_at_each, repeated_group_thresholds, GroupRepeats
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.answer_values import checked_table
from hierviz.curves.operating_curve import operating_curve
from hierviz.inference.pareto_table import as_table
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import percent_text
from hierviz.messages.progress import Progress
from hierviz.metrics.node_pairs import ratio, with_outside
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.taxonomy.checks import check_whole
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.resamples import split_samples


@dataclass(frozen=True, eq=False)
class GroupThresholds(Short):
    """Thresholds of groups, and what they reach.

    Attributes
    ----------
    groups : ndarray of int, shape (n_groups,)
        Labels: the node on top of a subtree, or a depth.
    threshold : ndarray of float, shape (n_groups,)
    is_own : ndarray of bool, shape (n_groups,)
        False where the threshold for all is used, because the group has no sample or cannot reach the goal.
    n_measured : ndarray of int, shape (n_groups,)
        Samples of each group that its threshold is measured on.
    global_threshold : float
        The threshold for all, chosen on the same samples for the same goal.
    values, global_values : dict of str to float
        Keys `path_keys`: means over all measured samples, with the thresholds of groups and with the one for all.
    group_values, global_group_values : dict of str to ndarray of float, shape (n_groups,)
        The same over the measured samples of each group; nan where there is none.
    chosen_on, measured_on : int
        Number of samples.
    is_checked : bool
        True when they are not the same samples.
    """

    groups: np.ndarray
    threshold: np.ndarray
    is_own: np.ndarray
    n_measured: np.ndarray
    global_threshold: float
    values: dict[str, float]
    global_values: dict[str, float]
    group_values: dict[str, np.ndarray]
    global_group_values: dict[str, np.ndarray]
    chosen_on: int
    measured_on: int
    is_checked: bool

    @property
    def sentence(self):
        """What the numbers were measured on, in one sentence."""
        if self.is_checked:
            return f"Thresholds were chosen on {self.chosen_on} samples and measured on {self.measured_on} others."
        return (
            f"Thresholds were chosen and measured on the same {self.chosen_on} samples: "
            "on new samples the results are likely to be worse."
        )


def groups_by_subtree(taxonomy, table):
    """Group of each sample: the subtree that its most probable leaf lies in.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    table : ndarray of float, shape (n_samples, n_nodes), Predictions, or ParetoTable
        A ParetoTable of all thresholds, so that the last element of a sample is its most probable leaf.

    Returns
    -------
    ndarray of int, shape (n_samples,)
        The child of the root on top of it, the root itself where it is the leaf.

    Raises
    ------
    TaxonomyError
        If the taxonomy is not a tree.
    """
    taxonomy.require_tree("thresholds of subtrees")
    table = as_table(taxonomy, table)
    # What lies outside the taxonomy lies in the root alone.
    leaf = np.maximum(table.nodes[table.offsets[1:] - 1], 0).astype(np.intp)
    tops = np.append(0, taxonomy.children[0])
    tops = tops[np.argsort(taxonomy.preorder[tops])]
    return tops[np.searchsorted(taxonomy.preorder[tops], taxonomy.preorder[leaf], side="right") - 1]


def groups_by_depth(taxonomy, table):
    """Group of each sample: the depth of its majority answer (threshold 0.5) in edges, shape (n_samples,)."""
    return with_outside(taxonomy.depth, 1)[as_table(taxonomy, table).nodes_at(0.5)]


def nodes_at_each(table, thresholds):
    """Answer of every sample at a threshold of its own.

    Parameters
    ----------
    table : ParetoTable
    thresholds : ndarray of float, shape (n_samples,)

    Returns
    -------
    ndarray of int, shape (n_samples,)
    """
    above = table.scores > np.repeat(thresholds, np.diff(table.offsets))
    above = np.add.reduceat(above.astype(np.intp), table.offsets[:-1])
    return table.nodes[table.offsets[:-1] + np.maximum(above, 1) - 1].astype(np.intp)


def group_thresholds(taxonomy, truth, table, labels, goal, *, fraction=None, seed=0, progress=None):
    """The threshold of each group for one goal, against one threshold for all.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        One known true node a sample.
    table : ndarray of float, shape (n_samples, n_nodes), Predictions, or ParetoTable
    labels : ndarray of int, shape (n_samples,)
        Group of each sample, from `groups_by_subtree` or `groups_by_depth`.
    goal : callable
        OperatingCurve -> Choice, for example `choose` or ``functools.partial(choose, subject_to={"correct": 0.95})``.
    fraction : float, optional
        Choose on this share of the samples and measure on the others; on the same samples if not given.
    seed : int
        Of the split.
    progress : callable, optional
        Called with (samples done, samples in all): each counts for the threshold for all and for that of its group.

    Returns
    -------
    GroupThresholds or None
        None when the goal cannot be reached with one threshold for all.

    Raises
    ------
    PredictionsError
        If there is no sample, lengths differ, or the split is not possible.
    TaxonomyError
        If the taxonomy is not a tree.
    """
    (truth, table), labels = checked_table(taxonomy, truth, table), np.asarray(labels)
    if labels.shape != (table.n_samples,):
        raise PredictionsError(
            f"labels: expected one for each of the {table.n_samples} samples, got shape {labels.shape}. Align them."
        )
    first = second = np.arange(table.n_samples)
    if fraction is not None:
        first, second = split_samples(table.n_samples, fraction, seed=seed)
    n_done = 0

    def chosen(rows):
        nonlocal n_done
        found = goal(operating_curve(taxonomy, truth[rows], table.take(rows))).threshold
        n_done += len(rows)
        if progress:
            progress(n_done, 2 * len(first))
        return found

    overall = chosen(first)
    if overall is None:
        return None
    groups, group_of = np.unique(labels, return_inverse=True)
    order = first[np.argsort(group_of[first], kind="stable")]
    rows_of_groups = np.split(order, np.cumsum(np.bincount(group_of[first], minlength=len(groups)))[:-1])
    chosen_of = [chosen(rows) if len(rows) else None for rows in rows_of_groups]
    is_own = np.array([own is not None for own in chosen_of], dtype=bool)
    threshold = np.array([overall if own is None else own for own in chosen_of], dtype=float)

    part, part_truth, group_of = table.take(second), truth[second], group_of[second]
    n_measured = np.bincount(group_of, minlength=len(groups))

    def means(thresholds):
        """Means of the metrics over all samples, and over those of each group."""
        metrics = path_metrics(taxonomy, part_truth, nodes_at_each(part, thresholds))
        sums = {key: np.bincount(group_of, metrics[key], len(groups)) for key in path_keys()}
        return (
            {key: float(metrics[key].mean()) for key in path_keys()},
            {key: ratio(of_groups, n_measured, np.nan) for key, of_groups in sums.items()},
        )

    (values, of_groups), (common_values, common_of_groups) = (
        means(thresholds) for thresholds in (threshold[group_of], np.full(len(second), overall))
    )
    of_all = (values, common_values, of_groups, common_of_groups, len(first), len(second), fraction is not None)
    return GroupThresholds(groups, threshold, is_own, n_measured, overall, *of_all)


@dataclass(frozen=True, eq=False)
class GroupRepeats(Short):
    """Means on the parts that were left out, one a split in which the goal could be reached.

    Attributes
    ----------
    own, common : dict of str to ndarray of float, shape (n_reached,)
        With a threshold for each group, and with one for all.
    n_splits : int
    """

    own: dict[str, np.ndarray]
    common: dict[str, np.ndarray]
    n_splits: int

    def sentence(self, key: str = "correct") -> str:
        """Mean and range of one metric over the splits, in words; empty where no split reached the goal."""
        if not len(self.own[key]):
            return ""
        parts = [
            f"{percent_text(float(values.mean()), 1)} (from {percent_text(float(values.min()), 1)} to "
            f"{percent_text(float(values.max()), 1)})"
            for values in (self.own[key], self.common[key])
        ]
        n = len(self.own[key])
        some = f"{n} of {self.n_splits}" if n < self.n_splits else f"{n}"
        return (
            f"Over {some} random splits, {METRICS[key].name} on the part that was left out is on average {parts[0]} with a "
            f"threshold for each group and {parts[1]} with one for all: a single split may lie anywhere in that range, because "
            "what is easy in one part is missing in the other."
        )


def repeated_group_thresholds(
    taxonomy: Taxonomy,
    truth: ArrayLike,
    table: Any,
    labels: ArrayLike,
    goal: Callable,
    *,
    fraction: float = 0.5,
    splits: int = 20,
    seed: int = 0,
    progress: Progress = None,
) -> GroupRepeats:
    """`hierviz.thresholds.groups.group_thresholds` over many random splits.

    Parameters
    ----------
    taxonomy, truth, table, labels, goal, fraction
        As there.
    splits : int
        At least 1. The first one is that of `seed`, the others have the seeds after it.
    seed : int
    progress : callable, optional
        Called with (splits done, splits).

    Returns
    -------
    GroupRepeats

    Raises
    ------
    PredictionsError
        As there, or if there is no split.
    """
    check_whole("splits", splits, 1)
    table, found = as_table(taxonomy, table), []
    for split in range(splits):
        found.append(group_thresholds(taxonomy, truth, table, labels, goal, fraction=fraction, seed=seed + split))
        if progress:
            progress(split + 1, splits)
    reached = [one for one in found if one is not None]
    keys = list(reached[0].values) if reached else ["correct"]
    own, common = (
        {key: np.array([getattr(one, of)[key] for one in reached]) for key in keys}
        for of in ("values", "global_values")
    )
    return GroupRepeats(own, common, splits)
