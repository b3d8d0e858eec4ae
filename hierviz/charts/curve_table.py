"""The numbers behind the operating curves: the knot table of all thresholds, the table of one threshold, domains."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from hierviz.charts._compose import frame
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.curve_lines import kept
from hierviz.curves.answer_depths import answer_depths, share_not_at_leaf
from hierviz.curves.operating_curve import OperatingCurve
from hierviz.evaluation.evaluation import Evaluation, as_evaluation
from hierviz.messages.errors import PredictionsError, shown
from hierviz.metrics.registry import METRICS, path_keys, share_keys
from hierviz.predictions.predictions import Predictions, listed_models
from hierviz.taxonomy.checks import WAYS, check_kind, check_one_of, is_number

INFORMATION, SELECTIVE = "Information ", "Selective "
# What answers add to the metrics of a curve.
NOT_AT_LEAF, MEAN_DEPTH = "not_at_leaf", "mean_depth"


def checked_curves(curves):
    """`curves` as a dict of name to OperatingCurve: a single curve is called 'model', and Predictions and Evaluations (one, or a
    list or dict of them) have theirs computed."""
    if isinstance(curves, OperatingCurve):
        curves = {"model": curves}
    models = listed_models(curves)
    if models and all(isinstance(model, (Predictions, Evaluation)) for model in models):
        evaluations = [as_evaluation("curves", model) for model in models]
        curves = {model.predictions.name: model.curve for model in evaluations}
    if not isinstance(curves, Mapping):
        raise PredictionsError(
            f"curves: expected a dict of name to OperatingCurve, got {type(curves).__name__}. Give every curve a name: "
            f"{WAYS['OperatingCurve']}"
        )
    curves = {str(name): curve for name, curve in curves.items()}
    for curve in curves.values():
        check_kind("curves", curve, OperatingCurve, "Pass a dict of name to curve.")
    if not curves:
        raise PredictionsError("curves: expected at least one operating curve, got none. Pass a dict of name to curve.")
    return curves


def common_keys(curves):
    """Metrics that all curves hold, in the order of the first."""
    first, *others = curves.values()
    return [key for key in first.values if all(key in curve.values for curve in others)]


def are_sets(curves):
    """Whether curves are of predicted sets: they do not hold the metrics of one answer a sample."""
    return not any("correct" in curve.values for curve in curves.values())


def checked_metric(key, what, curves):
    """`key` when all curves have it."""
    shared = common_keys(curves)
    check_one_of(what, key, [metric for metric in METRICS if metric in shared])
    return key


def checked_model(name, curves):
    """Number of the model `name`; the first when None."""
    if name is None:
        return 0
    check_one_of("model", name, curves)
    return list(curves).index(name)


def checked_thresholds(threshold, curves):
    """Threshold of every model in [0, 1], and whether one is shared by all; `threshold` is a number or a dict by model."""
    shared = not isinstance(threshold, dict)
    thresholds = [threshold if shared else threshold.get(name, 0.5) for name in curves]
    for value in thresholds:
        if not is_number(value):
            raise PredictionsError(f"threshold: expected a number from 0 to 1, got {shown(value)}. Choose one.")
    return [min(max(float(threshold), 0.0), 1.0) for threshold in thresholds], shared


def short_label(key):
    """Column title of a metric: its label without "Information" or "Selective", with its unit."""
    label = axis_label(key)
    short = label.removeprefix(INFORMATION).removeprefix(SELECTIVE)
    return short if short == label else short[0].upper() + short[1:]


def axis_label(key):
    """Axis title of a metric: its label with its unit."""
    if key == "threshold":
        return "Threshold τ"
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
    if key == "threshold":
        return 0.0, 1.0
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


def extremes(curve, key):
    """Smallest and largest finite mean of a metric, which is all that `domain` needs; kept with the curve."""

    def make():
        values = curve.values[key]
        values = values if np.isfinite(values).all() else values[np.isfinite(values)]
        return np.array([values.min(), values.max()]) if len(values) else values

    return kept(curve, ("extremes", key), make)


def parting(curves, x, y, tolerance):
    """Largest `x` up to which all curves have one value of `y`, from their first point on, where nothing is answered.

    Parameters
    ----------
    curves : dict of str to OperatingCurve
    x, y : str
        Metrics of the curves.
    tolerance : float
        Values of `y` that differ by no more are one.

    Returns
    -------
    float
        The smallest `x` of all curves from where one leaves that value; -inf where none does.
    """

    def until(curve):
        across, up = curve.values[x], curve.values[y]
        is_apart = abs(up - start) > tolerance
        places = across[max(int(is_apart.argmax()) - 1, 0) :]
        places = places[np.isfinite(places)]
        return float(places.min()) if is_apart.any() and len(places) else math.inf

    start = float(next(iter(curves.values())).values[y][0])
    found = min(map(until, curves.values()))
    return found if math.isfinite(found) else -math.inf


def column(key, model):
    """Name of the column of one metric and model (its number) in the knot table: never a model's name."""
    return f"{key.removeprefix('info_')}_{model}"


def read_out_keys(x, y, curves=None):
    """Metrics of the read-out below a chart of these axes: by depth when an axis is, else by information.

    Of `curves` (dict of str to curve) of predicted sets it is all that they hold.
    """
    of_sets = curves is not None and are_sets(curves)
    keys = common_keys(curves) if of_sets else [*share_keys(counted(x, y)), "no_answer"]
    return [*keys, *(key for key in (x, y) if key != "threshold" and key not in keys)]


def counted(x, y):
    """What the metrics of the axes count: 'depth' when one of them does, else 'information'."""
    return "depth" if any(getattr(METRICS.get(key), "counts", "") == "depth" for key in (x, y)) else "information"


def number_format(key):
    """Format of a number in the browser: two digits where it has a unit, else three."""
    return ".2f" if METRICS[key].unit else ".3f"


def tips_of(x, y):
    """The fields ``x`` and ``y`` for `tooltips`, each with the title and the format of its metric; a threshold has none."""
    return {
        f"{field}:Q": (axis_label(key), number_format(key)) for field, key in (("x", x), ("y", y)) if key != "threshold"
    }


def knot_table(curves, keys, thresholds, scale, answers=None):
    """The exact values of all models at the thresholds to choose from, one row a threshold.

    Parameters
    ----------
    curves : dict of str to OperatingCurve
    keys : sequence of str
    thresholds : ndarray of float, ascending
        As `curve_knots.knots`.
    scale : ThresholdScale
    answers : dict of str to (Taxonomy, ParetoTable), optional
        Adds ``not_at_leaf_<j>``, ``mean_depth_<j>`` and the counts ``depth<d>_<j>``.

    Returns
    -------
    DataFrame
        ``threshold``, ``at`` (its place on the axis), ``text`` (as written) and ``<metric>_<number of the model>``, see `column`.
    """
    texts = [threshold_text(threshold) for threshold in thresholds.tolist()]
    values = {"threshold": thresholds, "at": scale.place(thresholds), "text": texts}
    for number, (name, curve) in enumerate(curves.items()):
        at = curve.at(thresholds)
        values |= {column(key, number): at[key] for key in keys}
        if answers:
            taxonomy, table = answers[name]
            of_answers = ("answers", taxonomy.sha256, thresholds.tobytes())
            counts, inner = kept(table, of_answers, lambda of=(taxonomy, table): _of_answers(*of, thresholds))
            values[column(NOT_AT_LEAF, number)] = inner
            values[column(MEAN_DEPTH, number)] = counts @ np.arange(counts.shape[1]) / table.n_samples
            smallest = np.min_scalar_type(int(counts.max()))
            values |= {column(f"depth{d}", number): counts[:, d].astype(smallest) for d in range(counts.shape[1])}
    return frame(values)


def _of_answers(taxonomy, table, thresholds):
    return answer_depths(taxonomy, table, thresholds), share_not_at_leaf(taxonomy, table, thresholds)


def threshold_table(curves, thresholds, rules=None, intervals=None):
    """The table of `operating_curves`: what every model reaches at its threshold, and by each rule."""
    rows = []
    keys = [key for key in METRICS if all(key in curve.values for curve in curves.values())]
    for (name, curve), at in zip(curves.items(), thresholds, strict=True):
        reached = {key: float(value) for key, value in curve.at(at).items()}
        rows.append({"model": name, "rule": "threshold", "threshold": at} | reached)
        for rule, values in (rules or {}).get(name, {}).items():
            rows.append({"model": name, "rule": rule, "threshold": None} | {key: values.get(key) for key in keys})
    order = path_keys()
    keys = sorted(keys, key=lambda key: order.index(key) if key in order else len(order))
    if intervals:
        ends = [key for key in keys if any(key in interval for interval in intervals.values())]
        for row in rows:
            spans = intervals.get(row["model"], {}) if row["rule"] == "threshold" else {}
            row |= {f"{key}_low": float(spans[key].lower) for key in spans}
            row |= {f"{key}_high": float(spans[key].upper) for key in spans}
        keys = [column for key in keys for column in ((key, f"{key}_low", f"{key}_high") if key in ends else (key,))]
    return frame(rows)[["model", "rule", "threshold", *keys]]
