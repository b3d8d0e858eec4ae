"""The demo's models as lessons use them: run when a lesson opens, kept for the next one."""

from __future__ import annotations

from functools import cache

from hierviz.demo import MODELS, load_demo
from hierviz.evaluation.evaluation import Evaluation

# Two more networks, trained for a lesson only.
LESSON_MODELS = ("lesson_raw_win", "lesson_softmax_descendant")
DEEP_RTC = "Deep RTC reading"


@cache
def evaluated(key):
    """Evaluation of one model of the demo by its file name; ``deep_rtc`` reads the scores of parameter sharing as Deep RTC."""
    if key == "deep_rtc":
        shared = evaluated("parameter_sharing").predictions
        return Evaluation.from_predictions(shared.replace(parametrisation="deep_rtc", name=DEEP_RTC))
    (predictions,) = load_demo((key,))[1]
    return Evaluation.from_predictions(predictions)


def name_of(key):
    """Name of a model for people."""
    return evaluated(key).predictions.name


def run_all(keys=MODELS):
    """Run several models at once, which takes less time than one after the other; returns their evaluations."""
    return [evaluated(key) for key in keys]
