"""The numbers behind the operating curves: simplified polylines, the knot table of all thresholds, domains."""

from __future__ import annotations

import math

import numpy as np

from hierviz.charts._rows import frame
from hierviz.charts.simplify import simplify
from hierviz.curves import CURVE_KEYS, OperatingCurve
from hierviz.errors import PredictionsError
from hierviz.metrics import METRICS

KNOTS = np.arange(1001) / 1000
READ_OUT = ("correct", "exact", "info_precision", "info_recall", "info_f1", "info_dist")
FINEST = (1000, 600)
# Altair refuses tables above 5,000 rows outside Streamlit.
MOST_ROWS = 4000


def checked_curves(curves):
    """`curves` as a dict of name to OperatingCurve; a single curve is called 'model'."""
    curves = (
        {"model": curves}
        if isinstance(curves, OperatingCurve)
        else {str(name): one for name, one in dict(curves).items()}
    )
    if not curves:
        raise PredictionsError("curves: expected at least one operating curve, got none. Pass a dict of name to curve.")
    return curves


def checked_metric(key, what):
    """`key` when it is a metric of a curve."""
    if key not in CURVE_KEYS:
        raise PredictionsError(f"{what}: expected one of {', '.join(CURVE_KEYS)}, got {key!r}. Choose one.")
    return key


def short_label(key):
    """Column title of a metric: its label without "(information)", with its unit."""
    metric = METRICS[key]
    label = metric.label.replace(" (information)", "")
    return f"{label}, {metric.unit}" if metric.unit else label


def axis_label(key):
    """Axis title of a metric: its label with its unit."""
    metric = METRICS[key]
    return f"{metric.label}, {metric.unit}" if metric.unit else metric.label


def domain(key, values, zoom=True):
    """Range of an axis: the whole range of a metric, or with `zoom` what `values` need, in steps of 0.1.

    Parameters
    ----------
    key : str
    values : ndarray of float
        All that is drawn along this axis.
    zoom : bool

    Returns
    -------
    low, high : float
    """
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    low, high = METRICS[key].range
    if math.isinf(high):
        top = float(values.max()) if len(values) and values.max() > 0 else 1.0
        step = 10 ** math.floor(math.log10(top)) / 2
        return 0.0, step * math.ceil(top / step - 1e-9)
    if not zoom or not len(values):
        return low, high
    # Half a step of air below; what starts at 0 keeps its 0.
    bottom = math.floor((values.min() - 0.02) * 10) / 10
    top = math.ceil((values.max() + 0.02) * 10) / 10
    bottom, top = max(low, round(bottom, 1)), min(high, round(top, 1))
    return (bottom, top) if top - bottom >= 0.2 else (max(low, round(top - 0.2, 1)), top)


def polylines(curves, x, y, x_domain, y_domain):
    """The curves as few points as show no difference, in two parts that meet: tau >= 0.5 and below.

    Returns
    -------
    DataFrame
        ``model`` (number), ``part`` ("high" or "low"), ``order``, ``x``, ``y``.
    """
    pieces = []
    for number, curve in enumerate(curves.values()):
        switch = int(curve.place(0.5))
        for part, places in (("high", slice(0, switch + 1)), ("low", slice(switch, None))):
            if part == "high" or switch < curve.n_points - 1:
                pieces.append(({"model": number, "part": part}, curve.values[x][places], curve.values[y][places]))
    return _thinned(pieces, "x", x_domain, y_domain, FINEST)


def against_threshold(curves, key, y_domain):
    """One metric as a step function of the threshold: ``model``, ``order``, ``tau`` (ascending), ``y``."""
    pieces = []
    for number, curve in enumerate(curves.values()):
        inside = curve.threshold[(curve.threshold > 0) & (curve.threshold < 1)][::-1]
        tau = np.concatenate([[0], np.repeat(inside, 2), [1]])
        level = np.repeat(curve.at(np.concatenate([[0.0], inside]))[key], 2)
        pieces.append(({"model": number}, tau, level))
    return _thinned(pieces, "tau", (0, 1), y_domain, (FINEST[0], FINEST[1] / 4))


def _thinned(pieces, field, x_domain, y_domain, size):
    """Simplified pieces in one table of at most `MOST_ROWS` rows; jagged curves beyond that lose more than 0.1 px."""
    tolerance, pixels = 0.1, [(_pixels(x, x_domain, size[0]), _pixels(y, y_domain, size[1])) for _, x, y in pieces]
    kept = [simplify(*one, tolerance) for one in pixels]
    while sum(map(len, kept)) > MOST_ROWS:
        tolerance *= 1.5
        kept = [where[simplify(x[where], y[where], tolerance)] for where, (x, y) in zip(kept, pixels, strict=True)]
    rows = []
    for (labels, x, y), where in zip(pieces, kept, strict=True):
        rows += [
            labels | {"order": i, field: round(float(x[k]), 6), "y": round(float(y[k]), 6)} for i, k in enumerate(where)
        ]
    return frame(rows)


def column(key, model):
    """Name of the column of one metric and model (its number) in the knot table: never a model's name."""
    return f"{key.removeprefix('info_')}_{model}"


def read_out_keys(x, y):
    """Metrics of the read-out below a chart of these axes: by depth when an axis is, else by information."""
    value = "depth" if "depth" in x + y else "info"
    return ["correct", "exact", *(f"{value}_{what}" for what in ("precision", "recall", "f1", "dist"))]


def knot_table(curves, keys):
    """The exact values of all models at 1,001 thresholds, one row a threshold.

    Parameters
    ----------
    curves : dict of str to OperatingCurve
    keys : sequence of str

    Returns
    -------
    DataFrame
        ``tau`` = 0, 0.001 ... 1 and ``<metric>_<number of the model>``, see `column`.
    """
    values = {"tau": KNOTS}
    for number, curve in enumerate(curves.values()):
        at = curve.at(KNOTS)
        values |= {column(key, number): at[key] for key in keys}
    return frame(values)


def operating_curves_table(curves, *, tau=0.5, rules=None):
    """Table behind `operating_curves`: what every model reaches at one threshold, and by each rule.

    Parameters
    ----------
    curves : dict of str to OperatingCurve
    tau : float
    rules : dict of str to dict of str to dict, optional
        Model, rule, metric.

    Returns
    -------
    DataFrame
        One row a model at the threshold and one a model and rule: ``model``, ``rule``, ``threshold``, the metrics.
    """
    rows = []
    for name, curve in checked_curves(curves).items():
        rows.append(
            {"model": name, "rule": "threshold", "threshold": float(tau)}
            | {k: float(v) for k, v in curve.at(tau).items()}
        )
        for rule, values in (rules or {}).get(name, {}).items():
            rows.append({"model": name, "rule": rule, "threshold": None} | {key: values.get(key) for key in CURVE_KEYS})
    made = frame(rows)
    return made[["model", "rule", "threshold", *CURVE_KEYS]]


def _pixels(values, limits, size):
    low, high = limits
    return (np.asarray(values) - low) / (high - low) * size
