"""Metrics of the predicted sets beside the path metrics of an operating curve, against one threshold for all samples.

Functions
---------
set_operating_curve
"""

from __future__ import annotations

from hierviz.curves._set_curve import set_curve
from hierviz.curves.operating_curve import OperatingCurve


def set_operating_curve(model, thresholds, progress=None):
    """The operating curve of an Evaluation at some thresholds, with the means of `hierviz.curves.set_curve`.

    Parameters
    ----------
    model : Evaluation
        With an operating curve; see `Evaluation.why_no_curve`.
    thresholds : array_like of float, shape (n_thresholds,)
        In [0, 1], any order; at least two of them.
    progress : callable, optional
        Called with (samples done, n_judged).

    Returns
    -------
    OperatingCurve
        Of n_thresholds points; `values` has those of the SetOperatingCurve too. Exact at `thresholds`, a step between them.

    Raises
    ------
    PredictionsError
        If the model has no operating curve, or a threshold is not in [0, 1].
    """
    sets = set_curve(model, thresholds, progress)
    curve = model.curve.sampled(sets.exact_at)
    return OperatingCurve(curve.threshold, curve.values | sets.values, curve.n_samples)
