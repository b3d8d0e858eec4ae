"""What is told of operating curves: the numbers of the sentence, and the thresholds worth stopping at."""

from __future__ import annotations

from dataclasses import dataclass

from hierviz.charts import curve_table as numbers
from hierviz.metrics.registry import METRICS


@dataclass(frozen=True)
class CurveWords:
    """What is told of some curves.

    Attributes
    ----------
    told : dict of str to str
        Metrics of the sentence, each with its words.
    best : dict of str to str
        Metrics that have a threshold where they are best, each with its words.
    half : str
        What the threshold 0.5 is called.
    at_level : str
        Metric whose best threshold with 95 % correct answers is a stop; none where empty.
    """

    told: dict
    best: dict
    half: str
    at_level: str = ""

    def stops(self, curve):
        """(label, threshold) of the thresholds worth stopping at."""
        stops = [(self.half, 0.5)]
        stops += [(f"best {label}", curve.best_threshold(key)) for key, label in self.best.items()]
        if self.at_level:
            stops.append(("95 % correct", curve.best_threshold(self.at_level, correct=0.95)))
        return [(label, threshold) for label, threshold in stops if threshold is not None]


def words_of(curves, counts="information"):
    """The CurveWords of some curves; `counts` is 'information' or 'depth'."""
    if numbers.are_sets(curves):
        briefs = {key: METRICS[key].brief or METRICS[key].label for key in numbers.common_keys(curves)}
        return CurveWords(briefs, {key: brief for key, brief in briefs.items() if "f1" in key}, "0.5")
    value = "depth" if counts == "depth" else "info"
    told = {
        "correct": "correct",
        "exact": "exact",
        "no_answer": "no answer",
        f"{value}_recall": METRICS[f"{value}_recall"].name,
    }
    return CurveWords(told, {f"{value}_f1": "F1"}, "majority", f"{value}_recall")
