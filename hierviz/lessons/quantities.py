"""Numbers of lessons, each from one function of hierviz: a lesson itself computes none.

Also the demos as lessons use them: models run when a lesson opens, with some metrics, and some texts, kept for the next one.
"""

from functools import cache

import numpy as np

import hierviz as hv
from hierviz.demo import MODELS, load_demo, load_wikipedia
from hierviz.evaluation.evaluation import Evaluation
from hierviz.lessons.lesson import NamedFigure, Number

# Of one answer against one truth: label and key of `METRICS`.
PATH = {"hP": "depth_precision", "hR": "depth_recall", "hF": "depth_f1"}
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


def path_number(label, key, taxonomy, truth, answer):
    """A path metric of one answer, by its key of `hv.metrics.path_metrics`."""
    values = hv.metrics.path_metrics(taxonomy, np.array([truth]), np.array([answer]), truncated=False)
    return Number(label, float(values[key][0]), key, (key, taxonomy, truth, answer))


def path_numbers(taxonomy, truth, answer):
    """hP, hR and hF of one answer, as *hp*, *hr* and *hf*."""
    return {label.lower(): path_number(label, key, taxonomy, truth, answer) for label, key in PATH.items()}


def mean_number(label, key, taxonomy, truth, answers):
    """Mean of a path metric over samples."""
    values = hv.metrics.path_metrics(taxonomy, np.asarray(truth), np.asarray(answers), truncated=False)
    return Number(label, float(values[key].mean()), key, (f"mean {key}", taxonomy, tuple(truth), tuple(answers)))


def cell_numbers(taxonomy, truth, answer):
    """TP, FP, FN and TN of one answer, as *tp*, *fp*, *fn* and *tn*."""
    found = hv.confusion(taxonomy, np.array([truth]), np.array([answer]))
    return counted(found, "", taxonomy, truth, answer)


def counted(found, kind, *made_of):
    """The four cells of a confusion by name; `kind` is written before the name of the quantity."""
    return {
        key: Number(key.upper(), found.counts[key], key, (kind + key, *made_of)) for key in ("tp", "fp", "fn", "tn")
    }


def titles(taxonomy, nodes):
    """Names of nodes, as texts list them."""
    return ", ".join(taxonomy.title(int(node)) for node in nodes)


def picture(name, chart, *of, sentence="", **also):
    """A figure of `hv.charts`, by the name of its builder; `sentence` is a text where another one than its own is shown."""
    return NamedFigure(name, getattr(hv.charts, chart)(*of, **also), sentence)


def tree_figure(taxonomy, truth=(), answer=(), values=None, name="tree", p=None):
    """The whole of a small tree; with `p` its classes are as high as their probability."""
    return picture(name, "small_tree", taxonomy, values=values, truth=truth, predicted=answer, p=p)


def curves_figure(curves, marks=None, **also):
    """Operating curves with marks at some thresholds; further keywords as of `hv.charts.plain_curves`."""
    return picture("curve", "plain_curves", curves, marks=marks, **also)


def at_threshold(threshold):
    """The mark of a threshold, as it is written on curves."""
    return {f"τ = {threshold:.2f}": threshold}


def cells_figure(taxonomy, truth, answer):
    """The four cells of one answer."""
    found = hv.confusion(taxonomy, np.array([truth]), np.array([answer]))
    return picture("confusion", "confusion_breakdown", taxonomy, found, 0)


def win_figure(taxonomy, truth, p):
    """The win, term by term."""
    return picture("win", "win_breakdown", taxonomy, hv.win_breakdown(taxonomy, truth, p))


def ribbon_figure(flips, threshold, name="ribbon"):
    """The answers of one sample at all thresholds, with the mark of one."""
    return picture(name, "flip_ribbon", flips, float(threshold))


def bars_figure(name, series, items, highlight=None, sentence=""):
    """Bars of some numbers; `series` holds Numbers or floats."""
    plain = {key: [float(getattr(value, "value", value)) for value in row] for key, row in series.items()}
    return picture(name, "signed_bars", plain, items, sentence=sentence, highlight=highlight)


def intervals_figure(name, items, zero=False, highlight=None):
    """Estimates with their ends; `items` holds three Numbers each."""
    plain = {key: tuple(float(number.value) for number in row) for key, row in items.items()}
    return picture(name, "interval_lines", plain, zero=zero, highlight=highlight)


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
