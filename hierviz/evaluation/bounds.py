"""Intervals of the numbers of an evaluation in which some scores are unknown, and why some numbers have none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.curves.operating_curve import THOUSANDTHS
from hierviz.evaluation.listed_bounds import CURVE_METRICS
from hierviz.evaluation.score_numbers import SCORE_BLOCKS
from hierviz.evaluation.top_k_bounds import RULES, bounds, curve_bounds
from hierviz.messages.notebook_html import Short
from hierviz.metrics.registry import BALANCED_PREFIX
from hierviz.predictions.parametrisation import SUM_TOLERANCE

# Parts of a block that do not depend on the predictions, or are no single number.
LEFT_OUT = ("baseline", "cuts", "links")
# What bounds allow for, wherever they are shown.
WIDENED = f"they allow for rows whose sum misses 1 by up to {SUM_TOLERANCE:g}, as those of rounded probabilities do"
# Of what is listed alone: unknown scores change nothing.
OF_LISTED = ("outside_share",)
# Why a number has no interval.
WHY_NOT = {
    "cross_entropy_finite_mean": "the samples that it averages depend on the unknown scores",
    "n_points": "it depends on every unknown score",
    "macro_f1_by_depth": "it is no single number",
    "hf1_auc": "its curve ranks all scores of a sample",
    "ihf1_auc": "its curve ranks all scores of a sample",
    "hf1_auc_raw": "its curve ranks all scores of a sample",
    "top5_leaf_accuracy": "it ranks all leaves of a sample",
    **dict.fromkeys(
        ("haurc", "haurc_threshold", "climbing_differs", "climbing_differs_mean"),
        "it depends on all scores along the path to the most probable leaf",
    ),
    "error_lca_height": "the samples that it averages depend on the unknown scores",
    "icm": "bounds of what sets share in the corpus are not computed",
    "icm_norm": "bounds of what sets share in the corpus are not computed",
    **dict.fromkeys(
        ("lca_precision", "lca_recall", "lca_f1"), "bounds of the ways between the labels of two sets are not computed"
    ),
    "mcc": "it need not grow or fall with a count",
    "pt": "it need not grow or fall with a count",
}


def bounds_of(model, blocks, rule, threshold, progress=None):
    """Intervals of the numbers in `blocks`.

    Parameters
    ----------
    model : Evaluation
    blocks : dict of str to (dict or None)
        Of `hierviz.evaluation.summary.model_summary`.
    rule, threshold
        As there.
    progress : callable, optional
        Called with (samples done, n_judged).

    Returns
    -------
    found : dict of str to (dict of str to ([low, high] or None) or None), or None
        None where nothing is unknown.
    notes : list of str
        What the intervals are, and which numbers have none and why.
    """
    predictions = model.predictions
    if not predictions.has_unknown:
        return None, []
    reason = why_no_bounds(model)
    known = {} if reason else bounds(predictions, model.rows, rule, threshold, progress)
    found, missing = {}, {}
    for name, values in blocks.items():
        found[name] = None if values is None else {}
        for key in values or ():
            if key in LEFT_OUT or key.startswith(BALANCED_PREFIX):
                continue
            found[name][key] = known.get(name, {}).get(key)
            if key in OF_LISTED and reason is None:
                found[name][key] = [values[key], values[key]]
            if found[name][key] is None:
                why = reason or WHY_NOT.get(key) or _why_not_in(name, rule, predictions)
                missing.setdefault(why, []).append(f"{name}.{key}")
    notes = [bounds_note(predictions)]
    notes += [f"bounds: null for {', '.join(keys)}, because {why}" for why, keys in missing.items()]
    return found, notes


def curve_bounds_of(model, progress=None):
    """CurveBounds of the judged samples of an Evaluation; None where nothing is unknown. `progress` as in `bounds_of`."""
    return curve_bounds(model.predictions, model.rows, progress) if model.predictions.has_unknown else None


@dataclass(frozen=True, eq=False)
class Bounded(Short):
    """A number with certain bounds: arrays of one shape; charts read `level`, which is 1."""

    estimate: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    level: float = 1.0


@dataclass(frozen=True, eq=False)
class BoundedCurve(Short):
    """Means at each threshold, unknown scores left out, and between what those of all scores lie; as `CurveBands` for charts."""

    thresholds: np.ndarray
    curve: dict[str, Bounded]


def bounded_curve(model, progress=None):
    """The BoundedCurve of an Evaluation at thousandths; None where nothing is unknown. `progress` as in `bounds_of`."""
    found = curve_bounds_of(model, progress)
    if found is None:
        return None
    means = model.curve.at(THOUSANDTHS)
    bounds = {key: [found.at(key, side, THOUSANDTHS) for side in (0, 1)] for key in CURVE_METRICS}
    return BoundedCurve(THOUSANDTHS, {key: Bounded(means[key], *pair) for key, pair in bounds.items()})


def why_no_bounds(model):
    """Why no number of an Evaluation has an interval, in words; None when some have."""
    if not model.n_judged:
        return "no sample has a known truth"
    return None if model.taxonomy.is_tree else "intervals are computed on trees only, and this taxonomy is a graph"


def bounds_note(predictions):
    """What is unknown and how the numbers deal with it, as a sentence."""
    scores = predictions.scores
    least, most = int(scores.lengths.min()), int(scores.lengths.max())
    listed = f"{least}" if least == most else f"{least} to {most}"
    return (
        f"{listed} of {scores.n_columns} scores are listed per sample and the others are unknown: numbers leave them out "
        "(nothing is renormalised), and bounds contain the number that all scores would give"
        + (f"; {WIDENED}" if predictions.parametrisation == "leaf_probabilities" else "")
    )


def _why_not_in(block, rule, predictions):
    if block == "levels" or block in SCORE_BLOCKS:
        return "they need the probabilities of all classes"
    if block == "confusion" and not predictions.has_single_truth:
        return "they need one true class per sample"
    if block in ("predicted", "confusion") and rule not in RULES:
        return f"the answers of the rule {rule} have none"
    return (
        "it is undefined for some of the possible scores"
        if block != "labels"
        else "scores of nodes need not be coherent"
    )
