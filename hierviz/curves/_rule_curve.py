"""The exact curve of each rule that has one number: all values of its own parameter at once.

Functions
---------
rule_curve
"""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike

from hierviz.curves._information_curve import information_curve
from hierviz.curves.darts_curve import darts_curve
from hierviz.curves.operating_curve import StepCurve, operating_curve
from hierviz.inference.pareto_table import ParetoTable
from hierviz.messages.errors import PredictionsError, shown
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.taxonomy import Taxonomy

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
