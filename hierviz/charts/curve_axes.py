"""Pairs of metrics that operating curves can be drawn of, by what links call them."""

from __future__ import annotations

from dataclasses import dataclass

from hierviz.metrics.registry import METRICS, path_keys


@dataclass(frozen=True)
class Axes:
    """A pair of metrics, and the one of the strip."""

    label: str
    x: str
    y: str
    strip: str = "info_f1"


_PAIRS = {
    "recall-correct": Axes("correct against information recall", "info_recall", "correct"),
    "exact-correct": Axes("correct against exact", "exact", "correct"),
    "recall-precision": Axes("information precision against recall", "info_recall", "info_precision"),
    "depth-recall-correct": Axes("correct against depth recall", "depth_recall", "correct", "depth_f1"),
    "depth-recall-precision": Axes("depth precision against recall", "depth_recall", "depth_precision", "depth_f1"),
    "threshold-hf1": Axes("hF1 of the predicted set against τ", "threshold", "hf1_samples"),
}


def axes():
    """All that can be drawn: the pairs above, and against τ the path metrics that stand in none of them."""
    shown = {key for pair in _PAIRS.values() for key in (pair.x, pair.y)}
    rest = [key for key in path_keys() if key not in shown]
    return _PAIRS | {
        f"threshold-{key.replace('_', '-')}": Axes(f"{METRICS[key].label} against τ", "threshold", key) for key in rest
    }


def set_axes(is_tree=True):
    """What can be drawn of predicted sets; hF1 and ihF1 against τ, ihF1 on trees only."""
    pairs = {
        "set-recall-precision": Axes("hP against hR of the predicted sets", "hr_samples", "hp_samples", "hf1_samples")
    }
    keys = ["hf1_samples", *(["ihf1_samples"] if is_tree else []), "hp_samples", "hr_samples"]
    against = {
        f"set-threshold-{METRICS[key].brief.lower()}": Axes(f"{METRICS[key].label}, against τ", "threshold", key, key)
        for key in keys
    }
    if is_tree:
        label = "hP against hR, with ihF1 at every threshold"
        pairs["set-recall-precision-bits"] = Axes(label, "hr_samples", "hp_samples", "ihf1_samples")
    return pairs | against
