"""Lesson 8: how sure; intervals, choices made in sample, a held-out value, a guarantee, calibration of parents and leaves."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import hierviz as hv
from hierviz.diagnosis.calibration_bins import calibration_example
from hierviz.lessons.lesson import Exercise, Figure, Lesson, Number, OnData, Result, Selector, Slider, Step
from hierviz.lessons.quantities import curves_figure, intervals_figure, probability_texts, tree_figure
from hierviz.lessons.trees import ANIMALS
from hierviz.messages.number_text import value_text
from hierviz.uncertainty.resamples import percentile_ends

GOAL = 0.9
N_POPULATION, N_DRAWS = 4000, 40


@cache
def population():
    """Pareto table and truths of many samples of a calibrated model, drawn with a seed."""
    rng = np.random.default_rng(11)
    leaves = rng.dirichlet(np.full(ANIMALS.n_leaves, 0.3), N_POPULATION)
    truth = np.array([rng.choice(ANIMALS.leaves, p=row) for row in leaves])
    p = hv.node_probabilities(ANIMALS, leaves, parametrisation="leaf_probabilities")
    return hv.pareto_table(ANIMALS, p), truth


@cache
def correct_interval(n):
    """Share of correct answers of the first n samples with its interval, at a threshold of one half."""
    table, truth = population()
    correct = hv.metrics.path_metrics(ANIMALS, truth[:n], table.take(slice(0, n)).nodes_at(0.5))["correct"]
    found = hv.uncertainty.bootstrap_means(correct, hv.uncertainty.Resamples.draw(n, 1000))
    # The lesson draws what the resamples are; the interval of a share is otherwise Wilson's.
    lower, upper = percentile_ends(found.draws, found.level)
    return replace(found, lower=lower, upper=upper)


def interval_numbers(n):
    """Estimate and ends of the interval."""
    found = correct_interval(n)
    return tuple(
        Number(f"{label}, n = {n}", float(value), "correct" if label == "correct" else "", ("interval", label, n))
        for label, value in (("correct", found.estimate), ("lower end", found.lower), ("upper end", found.upper))
    )


def width(n):
    """Width of the interval."""
    found = correct_interval(n)
    return Number(f"width, n = {n}", float(found.upper - found.lower), "", ("interval", "width", n))


def intervals(n=100):
    """The interval and its width."""
    n = int(n)
    numbers, small, large = interval_numbers(n), width(100), width(400)
    ratio = large.value / small.value
    correct, low, high = numbers
    return Result(
        f"With 100 samples the 95 % interval is {small.text} wide, with 400 samples {large.text}: to halve it takes four "
        f"times as many samples. Now n = {n}: {correct.text} correct, with an interval from {low.text} to {high.text}. "
        "It comes from the *bootstrap*: the samples are drawn anew, with repeats, a thousand times, and the middle 95 % of "
        "the shares are kept. It says how much the number depends on which samples there are; it says nothing about "
        "retraining "
        "the model.",
        int(np.argmin([abs(ratio - option) for option in (1.0, 0.5, 0.25)])),
        numbers=(*numbers, small, large),
        before=(
            intervals_figure(
                "interval",
                {f"{n} samples": numbers},
                f"{correct.text} correct with {n} samples, between {low.text} and {high.text}.",
            ),
        ),
        after=(
            intervals_figure(
                "intervals",
                {f"{some} samples": interval_numbers(some) for some in sorted({100, 400, n})},
                "Intervals of the share of correct answers from so many samples.",
                highlight=f"{n} samples",
            ),
        ),
    )


def goal(curve):
    """The most specific threshold with the wanted share of correct answers."""
    return hv.thresholds.choose(curve, subject_to={"correct": GOAL})


@cache
def choices(n):
    """Share of correct answers in sample, on new samples, and cross-fitted, at thresholds chosen on n samples: of `N_DRAWS`
    repetitions the mean and the ends of the middle nine tenths, shape (3, 3)."""
    table, truth = population()
    curve_of_all = hv.operating_curve(ANIMALS, truth, table)
    inside, outside, fitted = [], [], []
    for draw in range(N_DRAWS):
        rows = np.random.default_rng(draw).choice(N_POPULATION, n, replace=False)
        curve = hv.operating_curve(ANIMALS, truth[rows], table.take(rows))
        threshold = goal(curve).threshold
        inside.append(curve.at(threshold)["correct"])
        outside.append(curve_of_all.at(threshold)["correct"])
        found = hv.thresholds.cross_fitted(ANIMALS, truth[rows], table.take(rows), goal, splits=4)
        fitted.append(found.values.get("correct", np.nan))
    values = np.array([inside, outside, fitted])
    return np.column_stack([np.nanmean(values, axis=1), *np.nanquantile(values, [0.05, 0.95], axis=1)])


def chosen_in_sample(n=100):
    """A threshold is chosen and judged on the same samples."""
    n = int(n)
    labels = ("in sample", "on new samples", "cross-fitted")
    drawn = {
        label: tuple(
            Number(f"{label}{part}", float(value), "correct" if not part else "", ("choice", label, n, place))
            for place, (part, value) in enumerate(zip(("", ", lower end", ", upper end"), row))
        )
        for label, row in zip(labels, choices(n))
    }
    numbers = tuple(row[0] for row in drawn.values())
    inside, outside, fitted = numbers
    start = choices(100)[:, 0]
    return Result(
        f"Chosen on {n} samples for 90 % correct, the threshold has {inside.text} there, and {outside.text} on new samples "
        f"(mean of {N_DRAWS} repetitions). The choice has picked the samples' luck, too: the value at a threshold that was "
        "chosen on the same "
        "samples is optimistic, and the less so the more samples there are. *Cross-fitting* repairs the number: choose on "
        f"four fifths, measure on the last fifth, many times. It gives {fitted.text}. It judges "
        "this way of choosing, "
        "not the one threshold at hand.",
        0 if start[1] < start[0] else 1,
        numbers=numbers,
        asked=(
            intervals_figure(
                "choice",
                {labels[0]: drawn[labels[0]]},
                f"In sample {inside.text} are correct; nine of ten lie on the line.",
            ),
        ),
        before=(
            intervals_figure(
                "choices",
                drawn,
                f"In sample {inside.text}, on new samples {outside.text}, cross-fitted {fitted.text}; nine of ten repetitions "
                "lie on each line.",
            ),
        ),
    )


@cache
def guaranteed(percent):
    """A threshold with a guarantee, from 600 samples."""
    table, truth = population()
    return hv.thresholds.guaranteed_threshold(
        ANIMALS, truth[:600], table.take(slice(0, 600)), alpha=percent / 100, delta=0.1
    )


def guarantee(wrong=10):
    """At most so many wrong answers, with a confidence."""
    percent = int(wrong)
    table, truth = population()
    found, start = guaranteed(percent), guaranteed(10)
    curve = hv.operating_curve(ANIMALS, truth[:600], table.take(slice(0, 600)))
    in_sample = Number("threshold chosen in sample", float(goal(curve).threshold), "", ("in sample threshold",))
    threshold = Number("threshold with the guarantee", found.threshold, "", ("guarantee", percent))
    at_ten = Number("with the guarantee for 10 %", start.threshold, "", ("guarantee", 10))
    numbers = (threshold, in_sample) if percent == 10 else (threshold, at_ten, in_sample)
    # A share so small that no threshold keeps to it has none.
    marks = {
        label: number.value
        for label, number in (("chosen in sample", in_sample), (f"guarantee of {percent} %", threshold))
        if number.value is not None
    }
    curves = {"600 samples": curve}
    return Result(
        f"For at most 10 % wrong answers the threshold with a guarantee is {at_ten.text}; the one chosen in sample is "
        f"{in_sample.text}. A guarantee has to leave room for luck, so it asks for more certainty. It is found on one half "
        "of the samples and checked on the other. "
        f"With {percent} %: {found.sentence}",
        0 if start.threshold is not None and start.threshold > in_sample.value else 1,
        numbers=numbers,
        asked=(curves_figure(curves, marks=dict(list(marks.items())[:1]), level=GOAL),),
        before=(curves_figure(curves, marks=marks, level=GOAL),),
    )


@cache
def reliability_of(name):
    """Calibration of one class of the example."""
    example = calibration_example()
    return hv.diagnosis.reliability(example, nodes=[example.taxonomy.node(name)])


def told(found):
    """The bins of one class in words."""
    bins = found.bins(0)
    pairs = zip(bins["p"].tolist(), bins["rate"].tolist())
    return ", ".join(
        f"where the model says {value_text(p)}, a share of {value_text(rate)} is true" for p, rate in pairs
    )


def calibration(subject="u"):
    """Calibrated leaves whose parents are not."""
    example = calibration_example()
    taxonomy, found = example.taxonomy, reliability_of(subject)
    bins = found.bins(0)
    rows = tuple(
        {
            "class": subject,
            "probability": Number("p", float(bins["p"][i]), "", ("bin p", subject, i)),
            "share that is true": Number("rate", float(bins["rate"][i]), "", ("bin rate", subject, i)),
            "samples": Number("n", int(bins["n"][i]), "", ("bin n", subject, i)),
        }
        for i in range(len(bins["p"]))
    )
    leaf, parent = reliability_of("a"), reliability_of("u")
    leaf_ece, parent_ece = (
        Number(f"calibration error of {name}", round(float(one.ece[0]), 12), "", ("ece", name))
        for name, one in (("a", leaf), ("u", parent))
    )
    p = example.node_probabilities(rows=np.array([0]))[0]
    figure = Figure(
        "reliability",
        lambda **look: hv.charts.reliability_diagram(found, **look),
        hv.charts.reliability_diagram_sentence(found),
        lambda: hv.charts.reliability_diagram_table(found),
    )
    return Result(
        f"The leaf a is calibrated: {told(leaf)} (calibration error {leaf_ece.text}). Its parent u is not: {told(parent)} "
        f"(calibration error {parent_ece.text}). A leaf is right on average over all cases; the sum of two leaves mixes the "
        "cases in "
        "another way. So calibrate, or check, the level at which the answers are given.",
        1 if bool(parent.is_flagged[0]) and not bool(leaf.is_flagged[0]) else 0,
        numbers=(leaf_ece, parent_ece),
        rows=rows,
        before=(tree_figure(taxonomy, values=probability_texts(p)),),
        after=(figure,),
    )


def solution():
    """Width with 1,600 samples."""
    numbers = tuple(width(n) for n in (100, 400, 1600))
    return Result(
        f"The widths are {', '.join(number.text for number in numbers)} for 100, 400 and 1,600 samples: each time about one "
        "half. For a quarter of the width of 100 samples about 1,600 are needed.",
        0,
        numbers=numbers,
    )


LESSON = Lesson(
    "how-sure",
    "How sure?",
    "Intervals, thresholds chosen in sample, a guarantee, and the calibration of leaves and parents.",
    (
        Step(
            "Intervals",
            "A share of correct answers from a few samples is a rough number. The samples come from a model whose "
            "probabilities are right, at a threshold of one half. Choose how many samples there are.",
            "Four times as many samples: the 95 % interval is about …",
            ("as wide", "half as wide", "a quarter as wide"),
            intervals,
            (Slider("n", "Samples", 50, 2000, 100, 50),),
        ),
        Step(
            "Chosen in sample",
            "Choose the most specific threshold with 90 % correct answers, on some samples, and report what it reaches "
            "there.",
            "How does the same threshold do on new samples, on average?",
            ("worse", "as well or better"),
            chosen_in_sample,
            (Slider("n", "Samples", 50, 600, 100, 50),),
        ),
        Step(
            "A guarantee",
            "From 600 samples: a threshold for which, with a confidence of 90 %, at most a given share of *new* answers is "
            "wrong. Choose that share.",
            "At most 10 % wrong, guaranteed. Compared with the threshold chosen in sample for 90 % correct, the threshold "
            "is …",
            ("higher", "the same or lower"),
            guarantee,
            (Slider("wrong", "Wrong answers, at most (%)", 5, 40, 10, 1),),
        ),
        Step(
            "Leaves and their parents",
            "Four leaves: a and b below u, c and d below w. For each of the six pairs of leaves, some samples have 0.4 for "
            "these two and 0.1 for the others. Choose a class.",
            "Every leaf is calibrated. Are the parents, whose probability is the sum of their leaves?",
            ("yes, sums of calibrated numbers are calibrated", "no"),
            calibration,
            (Selector("subject", "Class", ("a", "b", "c", "d", "u", "w"), "u"),),
        ),
    ),
    Exercise(
        "How many samples make the interval of the first step a quarter as wide as with 100? Predict it, then try.",
        solution,
    ),
    ("interval", "bootstrap", "calibrated", "threshold"),
    OnData(
        "How specific your models are with 90 % and 95 % correct; the page Operating curves has their intervals and "
        "guarantees, the page Taxonomy their calibration.",
        ("predicted.correct", "curve.recall_at_90_correct", "curve.recall_at_95_correct"),
    ),
    sources=("Angelopoulos et al., Learn then test", "docs/comparing-models.md"),
)
