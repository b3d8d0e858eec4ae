"""Several runs of one model: means with their spread.

Conventions
-----------
Repeats are the first axis. The spread is 1.96 sample standard deviations (ddof = 1), as in the published tables.

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hierviz.checks import array_of_numbers, check_kind
from hierviz.curves.operating_curve import OperatingCurve
from hierviz.errors import PredictionsError
from hierviz.metrics.registry import path_keys


@dataclass(frozen=True, eq=False)
class Repeats:
    """Mean and spread over runs.

    Attributes
    ----------
    mean, sd, half_width : ndarray of float
        Mean, sample standard deviation, and 1.96 of them, each of the shape of one run.
    n_repeats : int
    """

    mean: np.ndarray
    sd: np.ndarray
    half_width: np.ndarray
    n_repeats: int


def over_repeats(values: ArrayLike) -> Repeats:
    """Mean and spread of a number, or of an array of numbers, over runs.

    Parameters
    ----------
    values : array_like of float, shape (n_repeats, ...)
        At least two runs.

    Returns
    -------
    Repeats

    Raises
    ------
    PredictionsError
        If there are fewer than two runs.
    """
    values = array_of_numbers(values, "repeats")
    if values.ndim == 0 or len(values) < 2:
        raise PredictionsError(f"repeats: expected at least two runs, got {values.size}. One run has no spread.")
    sd = values.std(axis=0, ddof=1)
    return Repeats(values.mean(axis=0), sd, 1.96 * sd, len(values))


def curve_over_repeats(curves: Sequence[OperatingCurve], thresholds: ArrayLike) -> dict[str, Repeats]:
    """Operating curves of several runs at common thresholds [1]_.

    Parameters
    ----------
    curves : sequence of OperatingCurve
        At least two.
    thresholds : array_like of float, shape (n_thresholds,)

    Returns
    -------
    dict of str to Repeats
        By the keys of `hierviz.metrics.path_keys`; arrays of shape (n_thresholds,).

    Raises
    ------
    PredictionsError
        If there are fewer than two curves, or they are no OperatingCurves.
    """
    runs = [curve.at(thresholds) for curve in _checked(curves)]
    return {key: over_repeats([run[key] for run in runs]) for key in path_keys()}


def summary_over_repeats(curves: Sequence[OperatingCurve]) -> dict[str, Repeats]:
    """The scalars of `OperatingCurve.summary` over several runs: dict of str to Repeats (``n_points`` left out)."""
    runs = [curve.summary() for curve in _checked(curves)]
    return {key: over_repeats([run[key] for run in runs]) for key in (runs[0] if runs else ()) if key != "n_points"}


def _checked(curves):
    """The curves as a list; a PredictionsError unless they are OperatingCurves."""
    if isinstance(curves, (str, OperatingCurve)) or not hasattr(curves, "__iter__"):
        raise PredictionsError(
            f"curves: expected a list of OperatingCurves, got {type(curves).__name__}. Pass one a run."
        )
    curves = list(curves)
    for curve in curves:
        check_kind("curves", curve, OperatingCurve, "Pass a list of them, one a run.")
    return curves
