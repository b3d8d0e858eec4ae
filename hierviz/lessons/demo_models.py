"""The demos as lessons use them: models run when a lesson opens, with some metrics, and some texts; kept for the next one."""

from __future__ import annotations

from functools import cache

import numpy as np

import hierviz as hv
from hierviz.demo import MODELS, load_demo, load_wikipedia
from hierviz.evaluation.evaluation import Evaluation
from hierviz.lessons.lesson import Number

# Two more networks, trained for a lesson only.
LESSON_MODELS = ("lesson_raw_win", "lesson_softmax_descendant")
# Openings of Wikipedia articles in the demo of texts.
TEXTS = {"Catfish": "825", "Tsetse": "538", "Hippopotamus": "956"}
DEEP_RTC = "Deep RTC reading"
METRICS = {
    "Finest accuracy": "top_down.finest_accuracy",
    "Coarsest accuracy": "top_down.coarsest_accuracy",
    "Hierarchical win": "distribution.softmax_win",
    "One-hot win": "top_down.one_hot_win",
    "Cross entropy": "distribution.cross_entropy",
    "AC": "curve.ac",
    "R@90C": "curve.recall_at_90_correct",
    "Correct, majority": "predicted.correct",
    "Exact, majority": "predicted.exact",
}


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


@cache
def summary(key):
    """All numbers of a model."""
    return hv.evaluate([evaluated(key).predictions])["models"][0]


def metric_of(key, metric, label=""):
    """One number of a model, by its label in `METRICS`."""
    block, name = METRICS[metric].split(".")
    return Number(label or name_of(key), summary(key)[block][name], name, ("demo metric", key, METRICS[metric]))


@cache
def texts():
    """Evaluation of the first model of the demo of texts on `TEXTS`, in their order."""
    predictions = load_wikipedia()[1][0]
    rows = np.array([predictions.row_of[sample] for sample in TEXTS.values()])
    some = predictions.replace(
        scores=predictions.scores[rows],
        truth=predictions.truth[rows],
        sample_ids=predictions.ids[rows],
        attributes={name: values[rows] for name, values in predictions.attributes.items()},
        n_without_prediction=0,
    )
    return Evaluation.from_predictions(some)
