"""Pairs of metrics that operating curves can be drawn of, by what links call them."""

from __future__ import annotations

from dataclasses import dataclass

from hierviz.metrics.registry import METRICS, path_keys


@dataclass(frozen=True)
class CurveAxes:
    """What operating curves are drawn over.

    Attributes
    ----------
    x, y, strip : str, optional
        Metrics of the panel's axes and of the strip, keys of `OperatingCurve.values`; `x` may be ``"threshold"``. If not
        given ``info_recall``, ``correct`` and ``info_f1``, of predicted sets ``hr_samples``, ``hp_samples`` and ``hf1_samples``.
    label : str
        What the pair of metrics is called in menus.
    spread : bool, optional
        Spread the threshold axis near 1; None: only where more than half of the breakpoints lie above 0.99.
    zoom : bool
        Crop the axes to what is drawn; False shows the whole range of the metrics.
    """

    x: str | None = None
    y: str | None = None
    strip: str | None = None
    label: str = ""
    spread: bool | None = None
    zoom: bool = True


_PAIRS = {
    "recall-correct": CurveAxes("info_recall", "correct", "info_f1", "correct against information recall"),
    "exact-correct": CurveAxes("exact", "correct", "info_f1", "correct against exact"),
    "recall-precision": CurveAxes("info_recall", "info_precision", "info_f1", "information precision against recall"),
    "depth-recall-correct": CurveAxes("depth_recall", "correct", "depth_f1", "correct against depth recall"),
    "depth-recall-precision": CurveAxes(
        "depth_recall", "depth_precision", "depth_f1", "depth precision against recall"
    ),
    "selective-coverage-correct": CurveAxes(
        "selective_coverage", "correct", "info_f1", "correct against selective coverage"
    ),
    "threshold-hf1": CurveAxes("threshold", "hf1_samples", "info_f1", "hF1 of the predicted set against τ"),
}


def axes():
    """All that can be drawn: the pairs above, and against τ the path metrics that are in none of them."""
    shown = {key for pair in _PAIRS.values() for key in (pair.x, pair.y)}
    rest = [key for key in path_keys() if key not in shown]
    return _PAIRS | {
        f"threshold-{key.replace('_', '-')}": CurveAxes("threshold", key, "info_f1", f"{METRICS[key].label} against τ")
        for key in rest
    }


def set_axes(is_tree=True):
    """What can be drawn of predicted sets; hF1 and ihF1 against τ, ihF1 on trees only."""
    pairs = {
        "set-recall-precision": CurveAxes(
            "hr_samples", "hp_samples", "hf1_samples", "hP against hR of the predicted sets"
        )
    }
    keys = ["hf1_samples", *(["ihf1_samples"] if is_tree else []), "hp_samples", "hr_samples"]
    against = {
        f"set-threshold-{METRICS[key].brief.lower()}": CurveAxes(
            "threshold", key, key, f"{METRICS[key].label}, against τ"
        )
        for key in keys
    }
    if is_tree:
        label = "hP against hR, with ihF1 at every threshold"
        pairs["set-recall-precision-bits"] = CurveAxes("hr_samples", "hp_samples", "ihf1_samples", label)
    return pairs | against
