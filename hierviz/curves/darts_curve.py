r"""The operating curve of DARTS: every bonus λ for a correct answer at once.

Conventions
-----------
Rule `darts` answers with the candidate of largest (I + λ) p. Of one sample each candidate is a line in λ with slope p and
height I p at λ = 0; the answer follows the upper envelope of these lines, from the first element of the Pareto set (λ large)
to the largest I p (λ = 0). Only elements of the Pareto set lie on it. Breakpoints are where two lines cross: there both
answers are equally good, `infer` gives the lower node, and the curve the one that holds above the breakpoint. Values that
differ by no more than rounding, which `infer` takes for equal, are different here.

References
----------
.. [1] J. Deng, J. Krause, A. Berg, L. Fei-Fei, Hedging your bets, CVPR 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.operating_curve import StepCurve, operating_curve
from hierviz.inference.pareto_table import ParetoTable, as_table
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_taxonomy, one_truth_each
from hierviz.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class DartsCurve(StepCurve):
    """Means of the path metrics for every λ.

    Attributes
    ----------
    threshold : ndarray of float64, shape (J,)
        Breakpoints of λ in bits, strictly descending.
    values : dict of str to ndarray of float64, shape (J + 1,)
        Keys `hierviz.metrics.registry.path_keys`; point 0 is the answer of the largest λ, normally the root.
    n_samples : int
    """

    def place(self, lam: ArrayLike) -> Any:
        """Index of the point that holds at each λ (number or array): the number of breakpoints above it."""
        return np.searchsorted(-self.threshold, -np.asarray(lam, dtype=np.float64))

    def columns(self) -> dict[str, np.ndarray]:
        """The points as columns, each of shape (J + 1,): ``lam`` in bits and the metrics.

        A row holds from its λ up, to that of the row before, which is excluded; the first one for all larger λ, the last one
        down to 0.
        """
        return {"lam": np.append(self.threshold, 0.0), **self.values}


def darts_curve(taxonomy: Taxonomy, truth: ArrayLike, table: ArrayLike | Predictions | ParetoTable) -> DartsCurve:
    """Operating curve of rule `darts` over all λ >= 0 [1]_.

    Parameters
    ----------
    taxonomy, truth, table
        As of `hierviz.operating_curve`; a ParetoTable must be a full one, without `min_threshold`.

    Returns
    -------
    DartsCurve

    Raises
    ------
    PredictionsError, TaxonomyError
        As `hierviz.operating_curve`.
    """
    check_taxonomy(taxonomy)
    truth = one_truth_each(truth, "the table")
    curve = operating_curve(taxonomy, truth, darts_table(taxonomy, as_table(taxonomy, table)))
    return DartsCurve(curve.threshold, curve.values, curve.n_samples)


def darts_table(taxonomy, table):
    """The answers of rule `darts` as λ falls from large to 0, with the λ below which each holds in place of a score.

    Parameters
    ----------
    taxonomy : Taxonomy
    table : ParetoTable
        Of all thresholds.

    Returns
    -------
    ParetoTable
        Nodes in the order in which λ falls; ``scores`` are bits, descending, infinite for the first one.
    """
    n, starts = table.n_samples, table.offsets[:-1]
    row = np.repeat(np.arange(n), np.diff(table.offsets))
    slope = table.scores
    height = taxonomy.information[table.nodes] * slope
    # Without any probability all candidates are equally good, and the lowest is the answer.
    first = np.where(slope[starts] > 0, table.nodes[starts], taxonomy.candidates[0]).astype(table.nodes.dtype)
    current, rows, nodes, below = starts.copy(), [np.arange(n)], [first], [np.full(n, np.inf)]
    limit, is_open = np.full(n, np.inf), np.ones(n, dtype=bool)
    while True:
        # Lines that grow less steeply and are higher at 0 overtake the current one below where they cross.
        here = current[row]
        flatter = slope[here] - slope
        with np.errstate(invalid="ignore", divide="ignore"):
            crossing = np.where((flatter > 0) & is_open[row], (height - height[here]) / flatter, -np.inf)
        # Rounding must not let a later crossing come before an earlier one.
        crossing = np.minimum(crossing, limit[row])
        highest = np.maximum.reduceat(crossing, starts)
        is_open = is_open & (highest > 0)
        if not is_open.any():
            break
        # Of lines that cross at one place the flattest is the answer below it: the last element.
        places = np.where(crossing == highest[row], np.arange(len(row)), -1)
        chosen = np.maximum.reduceat(places, starts)
        moved = np.flatnonzero(is_open)
        current[moved], limit[moved] = chosen[moved], highest[moved]
        rows.append(moved)
        nodes.append(table.nodes[current[moved]])
        below.append(highest[moved])
    order = np.argsort(np.concatenate(rows), kind="stable")
    sizes = np.bincount(np.concatenate(rows), minlength=n)
    return ParetoTable(
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp),
        np.concatenate(nodes)[order],
        np.concatenate(below)[order],
    )
