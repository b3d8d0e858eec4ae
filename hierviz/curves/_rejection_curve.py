r"""Risk against coverage: how often an answer is wrong among the samples that get one.

Conventions
-----------
A sample is covered where its answer, before truncation at the truth, has information, or lies at least at some depth; the
answer "root" rejects it. Risk is the share of wrong answers among the covered ones, for answers with information
(1 - Correct) / coverage; nan where nothing is covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.answer_depths import step_means
from hierviz.curves.answer_values import answer_kinds, checked_table, kind_values
from hierviz.curves.operating_curve import operating_curve
from hierviz.inference.pareto_table import ParetoTable
from hierviz.messages.notebook_html import Short
from hierviz.metrics.ties import at_least
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_taxonomy, check_whole
from hierviz.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class RejectionCurve(Short):
    """Coverage and risk at every threshold.

    Attributes
    ----------
    threshold : ndarray of float64, shape (J,)
        As in `OperatingCurve`.
    coverage : ndarray of float64, shape (J + 1,)
        In [0, 1].
    risk : ndarray of float64, shape (J + 1,)
        In [0, 1]; nan where the coverage is 0. Lower is better.
    """

    threshold: np.ndarray
    coverage: np.ndarray
    risk: np.ndarray

    def risk_at(self, coverage: float) -> float:
        """Smallest risk with at least this coverage, both over all thresholds; nan where none covers so much."""
        reached = at_least(self.coverage, coverage) & ~np.isnan(self.risk)
        return float(self.risk[reached].min()) if reached.any() else float("nan")

    def columns(self) -> dict[str, np.ndarray]:
        """The points as columns: ``threshold`` as `OperatingCurve.columns`, ``coverage``, ``risk``."""
        first = max(1.0, float(self.threshold[0])) if len(self.threshold) else 1.0
        return {"threshold": np.append(first, self.threshold), "coverage": self.coverage, "risk": self.risk}


def rejection_curve(
    taxonomy: Taxonomy, truth: ArrayLike, table: ArrayLike | Predictions | ParetoTable, *, min_depth: Any = None
) -> RejectionCurve:
    """Risk and coverage at every threshold.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        One known true node a sample.
    table : ndarray of float, shape (n_samples, n_nodes), Predictions, or ParetoTable
    min_depth : int, optional
        In edges, from 1 to max_depth: only answers at least so deep count as covered. Answers with information if not given.

    Returns
    -------
    RejectionCurve

    Raises
    ------
    PredictionsError, TaxonomyError
        As `hierviz.operating_curve`, or if the depth is not one of the taxonomy.
    """
    check_taxonomy(taxonomy)
    if min_depth is not None:
        check_whole("min_depth", min_depth, 1, taxonomy.max_depth)
    true_nodes, answers = checked_table(taxonomy, truth, table)
    threshold = operating_curve(taxonomy, true_nodes, answers, keys=("correct",)).threshold
    is_covered = taxonomy.information > 0 if min_depth is None else taxonomy.depth >= min_depth
    covered = is_covered[answers.nodes].astype(float)
    kinds = answer_kinds(taxonomy, true_nodes, answers)
    correct = kind_values(taxonomy, kinds, ("correct",))[0][kinds.of_answer, 0]
    # Counts of samples, which are whole numbers: a share of 0 is 0.
    coverage, wrong = (
        np.rint(step_means(answers, threshold, values) * len(true_nodes)) / len(true_nodes)
        for values in (covered, covered * (1 - correct))
    )
    risk = np.divide(wrong, coverage, out=np.full(len(coverage), np.nan), where=coverage > 0)
    return RejectionCurve(threshold, coverage, risk)
