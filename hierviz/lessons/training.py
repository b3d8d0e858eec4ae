"""Numbers of lesson 11: three more models than the demo's seven, shown as trained."""

import numpy as np

from hierviz.demo import MODELS
from hierviz.lessons.lesson import Number, Selector
from hierviz.lessons.quantities import LESSON_MODELS, METRICS, bars_figure, evaluated, metric_of, name_of, run_all

ALL = (*MODELS, *LESSON_MODELS, "deep_rtc")
TRAINED_ON_IT = ("log_win", "lesson_raw_win")
COLUMNS = tuple(label for label in METRICS if label not in ("Cross entropy", "R@90C"))
CONTROLS = {"metric": Selector("metric", "Metric", COLUMNS, COLUMNS[0])}


def metric_figure(metric, keys, highlight=None):
    """One number of some models."""
    numbers = [metric_of(key, metric) for key in keys]
    place, sentence = None if highlight is None else keys.index(highlight), f"{metric} of {len(numbers)} models."
    return bars_figure("models", {metric: numbers}, [number.label for number in numbers], place, sentence)


def ten_models(metric):
    """All models by one metric."""
    run_all(ALL)
    columns = ("Finest accuracy", "Coarsest accuracy", "Hierarchical win", "AC")
    return {
        "collapsed": metric_of("lesson_raw_win", "Finest accuracy"),
        "coarse": metric_of("lesson_raw_win", "Coarsest accuracy"),
        "flat": metric_of("flat_softmax", "Finest accuracy"),
        "models": [{"model": name_of(key), **{label: metric_of(key, label) for label in columns}} for key in ALL],
        "seven": metric_figure(metric, MODELS),
        "all": metric_figure(metric, ALL, "lesson_raw_win"),
    }


def best_by_win(metric):
    """Which model has the largest win."""
    run_all(ALL)
    wins = {key: metric_of(key, "Hierarchical win") for key in ALL}
    best = max(ALL, key=lambda key: wins[key].value)
    return {
        "name": name_of(best),
        "best": wins[best],
        "raw_win": wins["lesson_raw_win"],
        "log_win": wins["log_win"],
        "descendant": wins["lesson_softmax_descendant"],
        "is_trained_on_it": best in TRAINED_ON_IT,
        "others": metric_figure(metric, [key for key in ALL if key not in TRAINED_ON_IT]),
        "all": metric_figure(metric, ALL, best),
    }


def two_readings(metric):
    """The same scores as parameter sharing and as Deep RTC."""
    pair = ("parameter_sharing", "deep_rtc")
    shared, deep = run_all(pair)
    same = float((shared.answers(rule="leaf") == deep.answers(rule="leaf")).mean())
    return {
        "share": Number("samples with the same best leaf", same, "", ("same leaf", *pair)),
        "shared": metric_of("parameter_sharing", metric),
        "deep": metric_of("deep_rtc", metric),
        "one": metric_figure(metric, pair[:1]),
        "both": metric_figure(metric, pair),
    }


def leaves_answered():
    """How many leaves the raw-win model ever answers."""

    def n_leaves(key):
        found = len(np.unique(evaluated(key).answers(rule="leaf")))
        return Number(f"different leaves answered, {name_of(key)}", found, "", ("n leaves", key))

    return {
        "raw_win": n_leaves("lesson_raw_win"),
        "flat": n_leaves("flat_softmax"),
        "n_leaves": evaluated("flat_softmax").taxonomy.n_leaves,
    }
