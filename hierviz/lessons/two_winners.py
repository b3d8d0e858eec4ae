"""Lesson 9: two models, two metrics; flat softmax and parameter sharing on the demo, and the agreement of metrics."""

from __future__ import annotations

from functools import cache

import numpy as np

import hierviz as hv
from hierviz.comparison.agreement import kendall_by_chance
from hierviz.demo import MODELS
from hierviz.lessons.demo_models import evaluated, name_of, run_all
from hierviz.lessons.lesson import Exercise, Figure, Lesson, Number, OnData, Result, Selector, Slider, Step
from hierviz.lessons.quantities import at_threshold, bars_figure, curves_figure, intervals_figure, tree_figure

PAIR = ("flat_softmax", "parameter_sharing")
RESAMPLES = 1000
COLUMNS = {
    "Hierarchical win": "distribution.softmax_win",
    "Cross entropy": "distribution.cross_entropy",
    "Exact, majority": "predicted.exact",
    "Correct, majority": "predicted.correct",
    "AC": "curve.ac",
    "R@90C": "curve.recall_at_90_correct",
    "Finest accuracy": "top_down.finest_accuracy",
}


@cache
def differences():
    """Paired differences of flat softmax and parameter sharing: the win, and R@90C."""
    first, second = run_all(PAIR)
    resamples = hv.uncertainty.Resamples.draw(first.n_judged, RESAMPLES)
    wins = [
        hv.uncertainty.bootstrap_means(one.distribution_per_sample()["softmax_win"], resamples)
        for one in (first, second)
    ]
    tables = [one.judged_table for one in (first, second)]
    specific = hv.uncertainty.difference_of_models(
        first.taxonomy, first.truth, *tables, resamples, correct=[0.9]
    ).at_correct
    return {"win": hv.uncertainty.paired_difference(*wins), "R@90C": specific}


def difference_numbers(what):
    """A difference with its interval."""
    found = differences()[what]
    values = (float(np.ravel(part)[0]) for part in (found.estimate, found.lower, found.upper))
    return tuple(
        Number(label, value, "", ("difference", what, part))
        for part, (label, value) in enumerate(zip((f"{what}, difference", "lower end", "upper end"), values))
    )


def winner(what):
    """Name of the model that is clearly better, or None."""
    _, low, high = difference_numbers(what)
    return None if low.value <= 0 <= high.value else name_of(PAIR[0] if low.value > 0 else PAIR[1])


def which_is_better(metric="win"):
    """Two metrics with opposite winners."""
    win, specific = difference_numbers("win"), difference_numbers("R@90C")
    chosen = difference_numbers(metric)
    by_win, by_curve = winner("win"), winner("R@90C")
    options = (*(name_of(key) for key in PAIR), None)
    if by_win and by_curve and by_win != by_curve:
        verdict, right = (
            f"By the win {by_win} is clearly better, by R@90C {by_curve} is: both intervals leave out 0.",
            2,
        )
    elif by_win or by_curve:
        verdict, right = (
            f"By the win: {by_win or 'no clear difference'}; by R@90C: {by_curve or 'no clear difference'}.",
            2 if by_win != by_curve else options.index(by_win),
        )
    else:
        verdict, right = "Neither difference is clear.", 2
    return Result(
        f"{verdict} Flat softmax minus parameter sharing has {win[0].text} [{win[1].text}, {win[2].text}] of the win and "
        f"{specific[0].text} [{specific[1].text}, {specific[2].text}] of R@90C. The two metrics ask different things: the "
        "win, how much probability lies along the true path; "
        "R@90C, how specific the answers may be when nine of ten have to be right. Neither is wrong. Decide before you look "
        "which question is yours.",
        right,
        numbers=chosen,
        asked=(tree_figure(hv.projection.cut(run_all(PAIR)[0].taxonomy, max_depth=2)),),
        before=(
            intervals_figure(
                "differences",
                {"win": win, "R@90C": specific},
                f"Flat softmax minus parameter sharing, {metric}: {chosen[0].text}, 95 % interval from {chosen[1].text} to "
                f"{chosen[2].text}.",
                zero=True,
                highlight=metric,
            ),
        ),
    )


def same_threshold(threshold=0.9):
    """The same τ at two places of two curves."""
    level = float(threshold)
    curves = {name_of(key): evaluated(key).curve for key in PAIR}
    numbers = tuple(
        Number(f"{label}, {name}", float(curve.at(level)[key]), key, ("demo at", which, key, level))
        for which, (name, curve) in zip(PAIR, curves.items())
        for label, key in (("correct", "correct"), ("information recall", "info_recall"))
    )
    start = [curve.at(0.9)["correct"] for curve in curves.values()]
    same_level = [
        Number(
            f"R@90C, {name}", float(hv.curves.specificity_at(curve, 0.9)), "recall_at_90_correct", ("demo r90", which)
        )
        for which, (name, curve) in zip(PAIR, curves.items())
    ]
    return Result(
        f"At τ = {level:.2f}, {numbers[0].text} of the first and {numbers[2].text} of the second model's answers are "
        f"correct, with information recall {numbers[1].text} and {numbers[3].text}: two different points. The scores of two "
        "models are on different scales, so a comparison at the same τ compares nothing in particular. "
        f"Compare at an equal share of correct answers: with 90 % correct the information recall is {same_level[0].text} "
        f"and {same_level[1].text}. Or compare the areas under the whole curves.",
        0 if abs(start[0] - start[1]) > 0.002 else 1,
        numbers=(*numbers, *same_level),
        asked=(curves_figure(dict(list(curves.items())[:1]), marks=at_threshold(level)),),
        before=(curves_figure(curves, marks=at_threshold(level)),),
    )


@cache
def seven():
    """All demo models by some metrics, without intervals."""
    return hv.compare(run_all(MODELS), metrics=tuple(COLUMNS.values()), resamples=0)


def agreement(one="Exact, majority", other="Correct, majority"):
    """How far metrics agree in the order of seven models."""
    found = seven()

    sign = {"distribution.cross_entropy": -1}
    models = [row["model"] for row in found.to_dict()["rows"]]

    def values_of(metric):
        return [sign.get(COLUMNS[metric], 1) * row["values"][COLUMNS[metric]] for row in found.to_dict()["rows"]]

    def numbers_of(first, second):
        values, key = [values_of(metric) for metric in (first, second)], (COLUMNS[first], COLUMNS[second])
        parts = ("share of all orders as far from 0", "lower end by chance", "upper end by chance")
        chance = kendall_by_chance(*values) or (None, None, None)
        return Number(
            f"Kendall's τ-b of {first} and {second}", hv.comparison.kendall(*values), "", ("kendall", *key)
        ), *(
            Number(label, value, "", ("by chance", *key, part))
            for part, (label, value) in enumerate(zip(parts, chance))
        )

    (start, share, low, high), now = numbers_of("Exact, majority", "Correct, majority"), numbers_of(one, other)
    matrix = found.agreement
    figure = Figure(
        "agreement",
        lambda **look: hv.charts.agreement_matrix(matrix, **look),
        f"Kendall's τ-b of every two of {len(COLUMNS)} metrics, on the order of {matrix.n_methods} models.",
        lambda: hv.charts.agreement_matrix(matrix).table,
    )
    return Result(
        f"Kendall's τ-b of *exact* and *correct* under majority is {start.text}: 1 would be the same order of the seven "
        "models, −1 the opposite one. Two orders that have nothing to do with each other lie between "
        f"{low.text} and {high.text} in at least 95 % of cases, and a share of {share.text} of all orders is as far from 0 "
        f"(p = {share.text}): seven models cannot tell whether the two metrics agree. For {one} and {other} τ-b is "
        f"{now[0].text} (p = {now[1].text}). Where metrics disagree, a ranking by one number is a choice of the metric.",
        2 if share.value >= 0.05 else 0 if start.value > 0 else 1,
        numbers=(*now, start) if (one, other) != ("Exact, majority", "Correct, majority") else now,
        asked=(
            bars_figure(
                "ranks",
                {one: [abs(value) for value in values_of(one)]},
                models,
                f"{one} of {matrix.n_methods} models.",
            ),
        ),
        before=(figure,),
    )


def solution():
    """AC of both."""
    numbers = tuple(
        Number(f"AC, {name_of(key)}", float(evaluated(key).curve.summary()["ac"]), "ac", ("demo ac", key))
        for key in PAIR
    )
    first, second = run_all(PAIR)
    resamples = hv.uncertainty.Resamples.draw(first.n_judged, RESAMPLES)
    found = hv.uncertainty.difference_of_models(
        first.taxonomy, first.truth, first.judged_table, second.judged_table, resamples
    ).summary["ac"]
    return Result(
        f"AC is {numbers[0].text} for {name_of(PAIR[0])} and {numbers[1].text} for {name_of(PAIR[1])}. "
        f"{hv.uncertainty.difference_sentence((name_of(PAIR[0]), name_of(PAIR[1])), found, 'AC')}",
        0,
        numbers=numbers,
    )


LESSON = Lesson(
    "two-winners",
    "Two models, two metrics",
    "Two models of the demo by two metrics; why the same τ is no comparison; how far metrics agree.",
    (
        Step(
            "Which model is better?",
            "Two networks of equal size classify the demo's 600 drawings: *flat softmax* and *parameter sharing*, in which "
            "a leaf's score is the sum of the scores on its path. Both answer the same samples, so their differences are "
            "paired.",
            "Which model is better?",
            ("flat softmax", "parameter sharing", "it depends on the metric"),
            which_is_better,
            (Selector("metric", "Metric", ("win", "R@90C"), "win"),),
        ),
        Step(
            "The same τ",
            "Both curves with one threshold τ for all. The picture has the first model; the other comes with the answer.",
            "At τ = 0.9, do both models have the same share of correct answers?",
            ("no", "yes"),
            same_threshold,
            (Slider("threshold", "Threshold τ", 0.0, 1.0, 0.9, 0.01),),
        ),
        Step(
            "Do metrics agree?",
            "Seven models, ranked by seven metrics. Choose two of them.",
            "Rank the seven models by exact and by correct answers under majority. The two orders are …",
            ("clearly alike", "clearly opposite", "not to be told from seven models"),
            agreement,
            (
                Selector("one", "One metric", tuple(COLUMNS), "Exact, majority"),
                Selector("other", "Another one", tuple(COLUMNS), "Correct, majority"),
            ),
        ),
    ),
    Exercise("Which of the two models has the larger AC, and is the difference clear?", solution),
    ("win", "R@90C", "interval", "AC", "operating curve"),
    OnData(
        "The same numbers of all open models. The page Compare has their intervals and the matrix of agreement.",
        ("distribution.softmax_win", "curve.recall_at_90_correct", "curve.ac", "predicted.exact", "predicted.correct"),
    ),
    models=MODELS,
    sources=("Wu, Tygert & LeCun 2019", "Valmadre, NeurIPS 2022", "Kendall 1945"),
)
