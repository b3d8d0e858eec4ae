r"""The exact curve of each rule that has one number: all values of its own parameter at once.

Conventions
-----------
Rule `information_threshold`: as in `curves.operating_curve`, with bits in place of probability. As the bound zeta falls
from the bits of a leaf to 0, the answer to a sample runs through its Pareto set from the other end. Point j holds for bounds
from just above the next breakpoint up to ``threshold[j - 1]``, itself included: rule `information_threshold` admits
I >= zeta, where the probability threshold is strict.

Rule `darts` answers with the candidate of largest (I + λ) p. Of one sample each candidate is a line in λ with slope p and
height I p at λ = 0; the answer follows the upper envelope of these lines, from the first element of the Pareto set (λ large)
to the largest I p (λ = 0). Only elements of the Pareto set lie on it. Breakpoints are where two lines cross: there both
answers are equally good, `infer` gives the lower node, and the curve the one that holds above the breakpoint. Values that
differ by no more than rounding, which `infer` takes for equal, are different here.

Functions
---------
rule_curve, information_curve, darts_table, turned_table

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
.. [2] J. Deng, J. Krause, A. Berg, L. Fei-Fei, Hedging your bets, CVPR 2012.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.answer_values import checked_table
from hierviz.curves.operating_curve import OperatingCurve, StepCurve, operating_curve
from hierviz.inference.pareto_table import ParetoTable
from hierviz.inference.rules import BITS_TIE
from hierviz.messages.errors import PredictionsError, shown
from hierviz.metrics.node_pairs import with_outside
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.node_lists import offsets_of
from hierviz.taxonomy.taxonomy import Taxonomy


def information_curve(taxonomy: Taxonomy, truth: ArrayLike, table: ArrayLike | Predictions | ParetoTable) -> StepCurve:
    """Operating curve of rule `information_threshold` over all bounds [1]_.

    Parameters
    ----------
    taxonomy, truth, table
        As of `hierviz.operating_curve`; a ParetoTable must be a full one, without `min_threshold`.

    Returns
    -------
    InformationCurve

    Raises
    ------
    PredictionsError, TaxonomyError
        As `hierviz.operating_curve`.
    """
    return rule_curve(taxonomy, truth, table, "information_threshold")


def turned_table(taxonomy, table):
    """The answers of rule `information_threshold` as its bound falls, with their bits in place of scores.

    Parameters
    ----------
    taxonomy : Taxonomy
    table : ParetoTable
        Of all thresholds.

    Returns
    -------
    ParetoTable
        Each set turned round: element k of a sample changes places with the k-th from its end.
    """
    sizes = np.diff(table.offsets)
    turned = np.repeat(table.offsets[:-1] + table.offsets[1:] - 1, sizes) - np.arange(len(table.nodes))
    nodes = table.nodes[turned]
    return ParetoTable(table.offsets, nodes, bits_of(taxonomy, nodes))


def bits_of(taxonomy, nodes):
    """Information of answers, shape of `nodes`; of one outside the taxonomy that of a leaf."""
    return with_outside(taxonomy.information, np.log2(taxonomy.n_leaves))[nodes]


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

    def columns(self) -> dict[str, np.ndarray]:
        """The points as columns, each of shape (J + 1,): ``lam`` in bits and the metrics.

        A row holds from its λ up, to that of the row before, which is excluded; the first one for all larger λ, the last one
        down to 0.
        """
        return {"lam": np.append(self.threshold, 0.0), **self.values}


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
    height = bits_of(taxonomy, table.nodes) * slope
    # Without any probability all candidates are equally good, and the lowest is the answer.
    is_known = (slope[starts] > 0) | (table.nodes[starts] < 0)
    first = np.where(is_known, table.nodes[starts], taxonomy.candidates[0]).astype(table.nodes.dtype)
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
        offsets_of(sizes),
        np.concatenate(nodes)[order],
        np.concatenate(below)[order],
    )


def rule_curve(
    taxonomy: Taxonomy, truth: ArrayLike, table: ArrayLike | Predictions | ParetoTable, rule: str = "threshold"
) -> StepCurve:
    """Operating curve of a rule over its own parameter: λ of ``darts``, bits of ``information_threshold``, or the threshold.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
    table : ndarray of float, shape (n_samples, n_nodes), Predictions, or ParetoTable
        A full table, without `min_threshold`.
    rule : str
        A key of `CURVES`. Rules without a number are single points of the plane.

    Returns
    -------
    OperatingCurve, DartsCurve or InformationCurve
        ``curve.at(value)`` gives the means at a value of the parameter, ``curve.columns()`` all points with it.

    Raises
    ------
    PredictionsError
        If the rule has no such curve; else as `hierviz.operating_curve`.
    """
    if not isinstance(rule, str) or rule not in CURVES:
        raise PredictionsError(
            f"rule: expected one with a curve of its own ({', '.join(CURVES)}), got {shown(rule)}. Choose one of them."
        )
    true_nodes, answers = checked_table(taxonomy, truth, table)
    kind, own_table = CURVES[rule]
    curve = operating_curve(taxonomy, true_nodes, own_table(taxonomy, answers))
    return kind(curve.threshold, curve.values, curve.n_samples)


@dataclass(frozen=True, eq=False)
class InformationCurve(StepCurve):
    """Means of the path metrics for every information threshold.

    Attributes
    ----------
    threshold : ndarray of float64, shape (J,)
        Bits, strictly descending.
    values : dict of str to ndarray of float64, shape (J + 1,)
        Keys `hierviz.metrics.registry.path_keys`; point 0 is the most probable leaf.
    n_samples : int
    """

    def place(self, bits: ArrayLike) -> Any:
        """Index of the point that holds at each bound (number or array): the number of breakpoints not below it."""
        return np.searchsorted(-self.threshold, BITS_TIE - np.asarray(bits, dtype=np.float64))

    def columns(self) -> dict[str, np.ndarray]:
        """The points as columns, each of shape (J + 1,): ``threshold`` in bits and the metrics.

        A row holds at its threshold and below it, down to that of the next row, which is excluded. The first row, which holds
        for all bounds above the first breakpoint, has infinity.
        """
        return {"threshold": np.append(np.inf, self.threshold), **self.values}


# Rules with a curve of their own: its class, and the answers in the order of its parameter as a ParetoTable.
CURVES: dict[str, tuple[type[StepCurve], Callable[[Taxonomy, ParetoTable], ParetoTable]]] = {
    "threshold": (OperatingCurve, lambda taxonomy, table: table),
    "darts": (DartsCurve, darts_table),
    "information_threshold": (InformationCurve, turned_table),
}
