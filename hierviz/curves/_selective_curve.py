r"""Selective classification in a taxonomy: how much is claimed against how often it is wrong, at every threshold.

Conventions
-----------
Names and definitions are those of Goren et al. [1]_. The coverage of an answer v is

.. math:: 1 - \log_2 |L(v)| / \log_2 |L|

with L(v) the leaves at or below v and L all leaves: 0 for the root, 1 for a leaf. The risk is the share of wrong answers among
all samples, 1 - Correct: the root is never wrong. `hierviz.curves.rejection_curve` has other numbers of the same names: there a
sample is covered or not, and the risk is among the covered ones.

Climbing goes from the most probable leaf up to the first node with p >= θ, to the root where there is none. Our rule
``threshold`` answers with the most informative node with p > τ, wherever it is. They differ where that node is off the path of
the most probable leaf, which may be above 0.5, too: where the classes above another leaf are more probable.

hAURC is the area under risk over coverage, by trapezoids between the points of the curve, from coverage 0 and risk 0 (all answers
are the root) to the largest coverage that is reached: 1 at θ = 0 with climbing.

Functions
---------
selective_curve, SelectiveCurve, hierarchical_aurc, differing_share, RISK_AREAS

References
----------
.. [1] S. Goren, I. Galil, R. El-Yaniv, Hierarchical selective classification, NeurIPS 2024, sections 2 and 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.answer_values import checked_table
from hierviz.curves.operating_curve import StepCurve, operating_curve
from hierviz.inference.leaf_paths import LeafPaths, as_leaf_paths
from hierviz.inference.pareto_table import ParetoTable
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.taxonomy import Taxonomy

COVERAGE = "selective_coverage"
# What the area is made of.
OF_AREA = (COVERAGE, "correct")


@dataclass(frozen=True, eq=False)
class SelectiveCurve(StepCurve):
    """Means of the path metrics for every θ of climbing.

    Attributes
    ----------
    threshold : ndarray of float64, shape (J,)
        Every θ at which an answer changes, strictly descending.
    values : dict of str to ndarray of float64, shape (J + 1,)
        Keys `hierviz.metrics.registry.path_keys`; at point 0 all answers are the root.
    n_samples : int
    """

    def place(self, threshold: ArrayLike) -> Any:
        """Index of the point that holds at each θ (number or array): the number of breakpoints not below it."""
        return len(self.threshold) - np.searchsorted(self.threshold[::-1], threshold, side="left")

    @property
    def coverage(self) -> np.ndarray:
        """Mean coverage of the answers, shape (J + 1,); in [0, 1], ascending."""
        return self.values[COVERAGE]

    @property
    def risk(self) -> np.ndarray:
        """Share of wrong answers among all samples, shape (J + 1,); in [0, 1], lower is better."""
        return 1 - self.values["correct"]

    @property
    def area(self) -> float:
        """hAURC; in [0, 1], lower is better."""
        return hierarchical_aurc(self)

    def columns(self) -> dict[str, np.ndarray]:
        """The points as columns, each of shape (J + 1,): ``theta``, ``selective_coverage``, ``selective_risk``, path metrics.

        A row holds at its θ and below it, down to that of the next row, which is excluded. The first row, which holds for all θ
        above the first breakpoint, has infinity.
        """
        rest = {key: values for key, values in self.values.items() if key != COVERAGE}
        theta = np.append(np.inf, self.threshold)
        return {"theta": theta, COVERAGE: self.coverage, "selective_risk": self.risk, **rest}


def selective_curve(
    taxonomy: Taxonomy,
    truth: ArrayLike,
    p: ArrayLike | Predictions | LeafPaths,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> SelectiveCurve:
    """Coverage and risk of climbing at every θ.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        One known true node a sample, leaf or inner.
    p : ndarray of float, shape (n_samples, n_nodes), Predictions, or LeafPaths
    progress : callable, optional
        Called with (steps done, steps in all).

    Returns
    -------
    SelectiveCurve

    Raises
    ------
    PredictionsError, TaxonomyError
        As `hierviz.operating_curve`.

    Examples
    --------
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> curve = selective_curve(taxonomy, taxonomy.nodes("dog"), np.array([[1, 0.75, 0.5, 0.25, 0.25]]))
    >>> curve.threshold.tolist(), curve.coverage.round(3).tolist(), curve.risk.tolist(), round(curve.area, 3)
    ([0.75, 0.5], [0.0, 0.369, 1.0], [0.0, 0.0, 1.0], 0.315)
    """
    climbed = as_leaf_paths(taxonomy, p).climbed()
    curve = operating_curve(taxonomy, *checked_table(taxonomy, truth, climbed), progress=progress)
    return SelectiveCurve(curve.threshold, curve.values, curve.n_samples)


def hierarchical_aurc(curve: StepCurve) -> float:
    """hAURC of the answers of a curve, `SelectiveCurve` or `OperatingCurve`; in [0, 1], lower is better.

    It starts at coverage 0 and risk 0, which a threshold above all scores reaches.
    """
    order = np.argsort(curve.values[COVERAGE], kind="stable")
    coverage, risk = (np.append(0.0, values[order]) for values in (curve.values[COVERAGE], 1 - curve.values["correct"]))
    return float(np.diff(coverage) @ (risk[1:] + risk[:-1]) / 2)


# Numbers of a whole curve: which values each is made of, and how; as `hierviz.curves.operating_curve.SUMMARY`.
RISK_AREAS = dict.fromkeys(("haurc", "haurc_threshold"), (OF_AREA, hierarchical_aurc))


def differing_share(first: ParetoTable, second: ParetoTable) -> np.ndarray:
    """At which share of the thresholds from 0 to 1 two tables of answers have different nodes, of each sample.

    Parameters
    ----------
    first, second : ParetoTable
        Of the same samples: the answers of rules as their threshold falls.

    Returns
    -------
    ndarray of float, shape (n_samples,)
        In [0, 1]: the probability that the answers differ at a threshold that is drawn evenly from 0 to 1.
    """
    n = first.n_samples
    sample, table, score, node = _events(first, second)
    # A sample's answers by falling threshold: each holds until the next of its own table.
    order = np.lexsort((-score, sample))
    sample, table, score, node = sample[order], table[order], score[order], node[order]
    places = np.arange(len(node))
    now = [node[np.maximum.accumulate(np.where(table == which, places, 0))] for which in (0, 1)]
    # Down to the next change of either; the last one down to 0.
    is_last = np.append(sample[1:] != sample[:-1], True)
    until = np.where(is_last, 0.0, np.append(score[1:], 0.0))
    # Both first answers come at infinity: what lies between them has no width.
    width = score.clip(0, 1) - until.clip(0, 1)
    return np.bincount(sample, width * (now[0] != now[1]), minlength=n)


def _events(first, second):
    """Sample, table, threshold from which it holds, and node of each answer of both tables; the first hold from infinity."""
    tables = (first, second)
    scores = [table.scores.copy() for table in tables]
    for table, own in zip(tables, scores):
        own[table.offsets[:-1]] = np.inf
    sample = np.concatenate([np.repeat(np.arange(table.n_samples), np.diff(table.offsets)) for table in tables])
    which = np.repeat([0, 1], [len(table.nodes) for table in tables])
    return sample, which, np.concatenate(scores), np.concatenate([table.nodes for table in tables])
