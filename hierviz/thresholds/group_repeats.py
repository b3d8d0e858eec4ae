"""Thresholds of groups over many random halves: one half chooses, the other is measured, and one split alone says little.

Functions
---------
repeated_group_thresholds, GroupRepeats
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.inference.pareto_table import as_table
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import percent_text
from hierviz.metrics.registry import METRICS
from hierviz.taxonomy.checks import check_whole
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.thresholds.groups import group_thresholds


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
    progress: Callable[[int, int], object] | None = None,
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
