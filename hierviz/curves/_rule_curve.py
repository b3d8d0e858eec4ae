"""The exact curve of each rule that has one number: all values of its own parameter at once.

The operating curve of the information threshold: the most probable answer of at least so many bits.

Conventions
-----------
As in `curves.operating_curve`, with bits in place of probability: as the bound zeta falls from the bits of a leaf to 0, the
answer to a sample runs through its Pareto set from the other end. Point j holds for bounds from just above the next
breakpoint up to ``threshold[j - 1]``, itself included: rule `information_threshold` admits I >= zeta, where the
probability threshold is strict.

Functions
---------
rule_curve

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.darts_curve import darts_curve
from hierviz.curves.operating_curve import StepCurve, operating_curve
from hierviz.inference.pareto_table import ParetoTable, as_table
from hierviz.inference.rules import BITS_TIE
from hierviz.messages.errors import PredictionsError, shown
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_taxonomy, one_truth_each
from hierviz.taxonomy.taxonomy import Taxonomy


def information_curve(
    taxonomy: Taxonomy, truth: ArrayLike, table: ArrayLike | Predictions | ParetoTable
) -> InformationCurve:
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
    check_taxonomy(taxonomy)
    truth = one_truth_each(truth, "the table")
    table = as_table(taxonomy, table)
    # Each set turned round: element k of a sample changes places with the k-th from its end.
    sizes = np.diff(table.offsets)
    turned = np.repeat(table.offsets[:-1] + table.offsets[1:] - 1, sizes) - np.arange(len(table.nodes))
    nodes = table.nodes[turned]
    curve = operating_curve(taxonomy, truth, ParetoTable(table.offsets, nodes, taxonomy.information[nodes]))
    return InformationCurve(curve.threshold, curve.values, curve.n_samples)


CURVES: dict[str, Callable[..., StepCurve]] = {
    "threshold": operating_curve,
    "darts": darts_curve,
    "information_threshold": information_curve,
}


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
    return CURVES[rule](taxonomy, truth, table)


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
