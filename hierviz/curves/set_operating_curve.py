"""hF1 of the predicted set against one threshold for all samples, beside the path metrics of an operating curve.

Conventions
-----------
The set at a threshold is {score > threshold} with all ancestors, as in `hierviz.metrics.sets.set_curves`; its scores change at
every score of every node, so the curve holds at chosen thresholds only, where it is exact.

Functions
---------
set_operating_curve
"""

from __future__ import annotations

import numpy as np

from hierviz.curves.operating_curve import OperatingCurve
from hierviz.metrics.sets.set_curves import SetMetricsByThreshold

# Counts of one sample at one threshold that are kept at a time, two of them.
MOST_COUNTS = 2_000_000


def set_operating_curve(model, thresholds, progress=None):
    """The operating curve of an Evaluation at some thresholds, with the mean hF1 of the predicted sets.

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
        Of n_thresholds points; `values` has ``hf1_samples`` too: mean over the judged samples, in [0, 1], higher is
        better. Exact at `thresholds`, a step between them.

    Raises
    ------
    PredictionsError
        If the model has no operating curve, or a threshold is not in [0, 1].
    """
    thresholds = np.unique(np.asarray(thresholds, dtype=float))[::-1]
    curve = model.curve.sampled(thresholds)
    predictions, total, n_done = model.predictions, np.zeros(len(thresholds)), 0
    step = max(1, MOST_COUNTS // len(thresholds))
    for block in predictions.blocks():
        rows = np.flatnonzero(model.judged[block]) + block.start
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            points = SetMetricsByThreshold(model.taxonomy, thresholds)
            points.add(predictions.truth[some], predictions.node_probabilities(some))
            total += len(some) * points.table()["hf1_samples"]
            n_done += len(some)
            if progress:
                progress(n_done, model.n_judged)
    values = curve.values | {"hf1_samples": total / model.n_judged}
    return OperatingCurve(curve.threshold, values, curve.n_samples)
