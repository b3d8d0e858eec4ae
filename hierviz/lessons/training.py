"""Lesson 11: training on a loss; three more models beside the demo's seven, shown as they are."""

from __future__ import annotations

from functools import cache

import numpy as np

import hierviz as hv
from hierviz.demo import MODELS
from hierviz.lessons.demo_models import LESSON_MODELS, evaluated, name_of, run_all
from hierviz.lessons.lesson import Exercise, Lesson, Number, OnData, Result, Selector, Step
from hierviz.lessons.quantities import bars_figure

ALL = (*MODELS, *LESSON_MODELS, "deep_rtc")
TRAINED_ON_IT = ("log_win", "lesson_raw_win")
COLUMNS = {
    "Finest accuracy": "top_down.finest_accuracy",
    "Coarsest accuracy": "top_down.coarsest_accuracy",
    "Hierarchical win": "distribution.softmax_win",
    "One-hot win": "top_down.one_hot_win",
    "AC": "curve.ac",
    "Correct, majority": "predicted.correct",
    "Exact, majority": "predicted.exact",
}


@cache
def summary(key):
    """All numbers of a model."""
    return hv.evaluate([evaluated(key).predictions])["models"][0]


def value(key, metric):
    """One number of a model."""
    block, name = COLUMNS[metric].split(".")
    return Number(name_of(key), summary(key)[block][name], name, ("demo metric", key, COLUMNS[metric]))


def metric_figure(metric, keys, highlight=None):
    """One number of some models."""
    numbers = [value(key, metric) for key in keys]
    return bars_figure(
        "models",
        {metric: numbers},
        [number.label for number in numbers],
        f"{metric} of {len(numbers)} models.",
        None if highlight is None else keys.index(highlight),
    )


def ten_models(metric="Finest accuracy"):
    """All models by one metric."""
    run_all(ALL)
    collapsed = value("lesson_raw_win", "Finest accuracy")
    coarse = value("lesson_raw_win", "Coarsest accuracy")
    flat = value("flat_softmax", "Finest accuracy")
    rows = tuple(
        {
            "model": name_of(key),
            **{
                label: value(key, label) for label in ("Finest accuracy", "Coarsest accuracy", "Hierarchical win", "AC")
            },
        }
        for key in ALL
    )
    return Result(
        f"Trained on the raw win from the first epoch, {collapsed.text} of the leaves are right, against {flat.text} of "
        f"flat softmax; {coarse.text} of the top branches are right. "
        "Wu, Tygert and LeCun report the same: the win is a sound measure and an unreliable objective for plain gradient "
        "descent, one reason being the vanishing gradient of the lesson before. All models are "
        "shown as they came out of one training each, with one seed; another seed may move some of them.",
        0 if collapsed.value < 0.2 else 1 if collapsed.value < 0.6 else 2,
        rows=rows,
        asked=(metric_figure(metric, MODELS),),
        before=(metric_figure(metric, ALL, "lesson_raw_win"),),
    )


def best_by_win(metric="Hierarchical win"):
    """Which model has the largest win."""
    run_all(ALL)
    wins = {key: value(key, "Hierarchical win") for key in ALL}
    best = max(ALL, key=lambda key: wins[key].value)
    trained_on_it = best in TRAINED_ON_IT
    return Result(
        f"The largest mean win has {name_of(best)}, {wins[best].text}. The model trained on the raw win has "
        f"{wins['lesson_raw_win'].text}, the one with last epochs on the log win {wins['log_win'].text}. "
        f"Being trained on a measure {'does help here' if trained_on_it else 'is no guarantee of being best by it'}: what "
        "counts is where the training arrives, and new pictures are not those it was trained on. Soft-max descendant has "
        f"{wins['lesson_softmax_descendant'].text}; "
        "its probabilities leave some mass on inner classes.",
        0 if trained_on_it else 1,
        numbers=(wins[best], wins["lesson_raw_win"], wins["log_win"], wins["lesson_softmax_descendant"]),
        asked=(metric_figure(metric, [key for key in ALL if key not in TRAINED_ON_IT]),),
        before=(metric_figure(metric, ALL, best),),
    )


def two_readings(metric="AC"):
    """The same scores as parameter sharing and as Deep RTC."""
    shared, deep = run_all(("parameter_sharing", "deep_rtc"))
    same = float((shared.answers(rule="leaf") == deep.answers(rule="leaf")).mean())
    share = Number("samples with the same best leaf", same, "", ("same leaf", "parameter_sharing", "deep_rtc"))
    one, other = value("parameter_sharing", metric), value("deep_rtc", metric)
    return Result(
        f"The share of samples with the same best leaf is {share.text}: both readings add up the scores along the path, so "
        "the leaf with the largest sum is the same. Their probabilities differ. Parameter sharing puts the sums through "
        "one softmax over all leaves; Deep RTC puts the sum of every class, divided by ten, through a sigmoid "
        f"of its own, which squeezes all of them towards one half and lets a child stand above its parent. {metric}: "
        f"{one.text} and {other.text}. The model was trained for the first reading only; a network trained for Deep RTC "
        "would look different.",
        0 if same > 0.99 else 1,
        numbers=(share, one, other),
        asked=(metric_figure(metric, ["parameter_sharing"]),),
        before=(metric_figure(metric, ["parameter_sharing", "deep_rtc"]),),
    )


def solution():
    """How many leaves the raw-win model ever answers."""
    model, flat = evaluated("lesson_raw_win"), evaluated("flat_softmax")
    numbers = tuple(
        Number(
            f"different leaves answered, {name_of(key)}",
            len(np.unique(one.answers(rule="leaf"))),
            "",
            ("n leaves", key),
        )
        for key, one in (("lesson_raw_win", model), ("flat_softmax", flat))
    )
    return Result(
        f"{numbers[0].text} of {model.taxonomy.n_leaves} leaves; flat softmax answers {numbers[1].text}. Once a branch has "
        "a favourite leaf, the raw win gives its siblings hardly any pull.",
        0,
        numbers=numbers,
    )


LESSON = Lesson(
    "training",
    "Training on a loss",
    "Ten models of one shape and different losses, three of them for this lesson only, whatever they do.",
    (
        Step(
            "Ten models",
            "Besides the demo's seven models there are three: one trained on the *raw win* from the first epoch, one on "
            "*soft-max descendant*, and the scores of parameter sharing read as *Deep RTC*. They run now, on the 600 "
            "drawings. Choose a metric.",
            "How many leaves (of 40 kinds of vehicle) does the model get right that was trained on the raw win from the "
            "first epoch?",
            ("under a fifth", "between a fifth and three fifths", "over three fifths"),
            ten_models,
            (Selector("metric", "Metric", tuple(COLUMNS), "Finest accuracy"),),
        ),
        Step(
            "Trained on the win, best by the win?",
            "Two models were trained on the win, one of them from scratch, the other one after some epochs of cross entropy.",
            "Has one of these two the largest mean win of all?",
            ("yes", "no"),
            best_by_win,
            (Selector("metric", "Metric", tuple(COLUMNS), "Hierarchical win"),),
        ),
        Step(
            "Two readings of the same scores",
            "The scores of parameter sharing, one for each class, can also be read as Deep RTC: a sigmoid of each sum along "
            "the path.",
            "Do both readings give the same most probable leaf?",
            ("yes, nearly always", "often not"),
            two_readings,
            (Selector("metric", "Metric", tuple(COLUMNS), "AC"),),
        ),
    ),
    Exercise(
        "Does the model trained on the raw win use all 40 leaves? Count the different answers of its rule *most probable "
        "leaf*.",
        solution,
    ),
    ("loss", "win", "gradient", "parametrisation"),
    OnData(
        "The same columns of your models, whatever they were trained on: is the best by one of them the best by all?",
        (
            "top_down.finest_accuracy",
            "top_down.coarsest_accuracy",
            "distribution.softmax_win",
            "top_down.one_hot_win",
            "curve.ac",
        ),
    ),
    models=ALL,
    sources=("Wu, Tygert & LeCun 2019", "Valmadre, NeurIPS 2022", "models/README.md"),
)
