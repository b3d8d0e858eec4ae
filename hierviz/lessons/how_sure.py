"""Numbers of lesson 8: intervals, choices made in sample, a held-out value, a guarantee, calibration of parents and leaves."""

from dataclasses import replace
from functools import cache

import numpy as np

import hierviz as hv
from hierviz.diagnosis.calibration_bins import calibration_example
from hierviz.lessons.lesson import Number, Selector, Slider
from hierviz.lessons.quantities import curves_figure, intervals_figure, picture
from hierviz.lessons.samples import ANIMALS, Sample, drawn_animals
from hierviz.messages.number_text import value_text
from hierviz.uncertainty.resamples import percentile_ends

GOAL = 0.9
N_POPULATION, N_DRAWS = 4000, 40
CONTROLS = {
    "n": Slider("n", "Samples", 50, 2000, 100, 50),
    "few": Slider("n", "Samples", 50, 600, 100, 50),
    "wrong": Slider("wrong", "Wrong answers, at most (%)", 5, 40, 10, 1),
    "class": Selector("subject", "Class", ("a", "b", "c", "d", "u", "w"), "u"),
}


@cache
def population():
    """Pareto table and truths of many samples of a calibrated model, drawn with a seed."""
    p, truth = drawn_animals(11, 0.3, N_POPULATION)
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


def intervals(n):
    """The interval and its width."""
    n = int(n)
    correct, low, high = numbers = interval_numbers(n)
    several = {f"{some} samples": interval_numbers(some) for some in sorted({100, 400, n})}
    return {
        "correct": correct,
        "low": low,
        "high": high,
        "small": width(100),
        "large": width(400),
        "interval": intervals_figure("interval", {f"{n} samples": numbers}),
        "intervals": intervals_figure("intervals", several, highlight=f"{n} samples"),
    }


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
        found = hv.thresholds.cross_fitted(
            ANIMALS, truth[rows], table.take(rows), goal, folds=hv.thresholds.Folds(splits=4)
        )
        fitted.append(found.values.get("correct", np.nan))
    values = np.array([inside, outside, fitted])
    return np.column_stack([np.nanmean(values, axis=1), *np.nanquantile(values, [0.05, 0.95], axis=1)])


def chosen_in_sample(n):
    """A threshold is chosen and judged on the same samples."""
    n, labels = int(n), ("in sample", "on new samples", "cross-fitted")
    drawn = {
        label: tuple(
            Number(f"{label}{part}", float(value), "correct" if not part else "", ("choice", label, n, place))
            for place, (part, value) in enumerate(zip(("", ", lower end", ", upper end"), row))
        )
        for label, row in zip(labels, choices(n))
    }
    inside, outside, fitted = (row[0] for row in drawn.values())
    return {
        "inside": inside,
        "outside": outside,
        "fitted": fitted,
        "choice": intervals_figure("choice", {labels[0]: drawn[labels[0]]}),
        "choices": intervals_figure("choices", drawn),
    }


@cache
def guaranteed(percent):
    """A threshold with a guarantee, from 600 samples."""
    table, truth = population()
    return hv.thresholds.guaranteed_threshold(
        ANIMALS, truth[:600], table.take(slice(0, 600)), alpha=percent / 100, delta=0.1
    )


def guarantee(wrong):
    """At most so many wrong answers, with a confidence."""
    percent, (table, truth) = int(wrong), population()
    curves = {"600 samples": hv.operating_curve(ANIMALS, truth[:600], table.take(slice(0, 600)))}
    level = float(goal(curves["600 samples"]).threshold)
    in_sample = Number("threshold chosen in sample", level, "", ("in sample threshold",))
    found = guaranteed(percent)
    threshold = Number("threshold with the guarantee", found.threshold, "", ("guarantee", percent))
    at_ten = Number("with the guarantee for 10 %", guaranteed(10).threshold, "", ("guarantee", 10))
    chosen = {"chosen in sample": level}
    # A share so small that no threshold keeps to it has none.
    marks = chosen if found.threshold is None else chosen | {f"guarantee of {percent} %": found.threshold}
    return {
        "at_ten": at_ten,
        "in_sample": in_sample,
        "sentence": found.sentence,
        "numbers": (threshold, in_sample) if percent == 10 else (threshold, at_ten, in_sample),
        "curve": curves_figure(curves, marks=chosen, level=GOAL),
        "curves": curves_figure(curves, marks=marks, level=GOAL),
    }


@cache
def reliability_of(name):
    """Calibration of one class of the example."""
    example = calibration_example()
    return hv.diagnosis.reliability(example, nodes=[example.taxonomy.node(name)])


def bins_text(found):
    """The bins of one class in words."""
    bins = found.bins(0)
    pairs = zip(bins["p"].tolist(), bins["rate"].tolist())
    return ", ".join(
        f"where the model says {value_text(p)}, a share of {value_text(rate)} is true" for p, rate in pairs
    )


def calibration_error(name):
    """Calibration error of one class."""
    value = round(float(reliability_of(name).ece[0]), 12)
    return Number(f"calibration error of {name}", value, "", ("ece", name))


def calibration(subject):
    """Calibrated leaves whose parents are not."""
    example, found = calibration_example(), reliability_of(subject)
    columns = (("probability", "p", float), ("share that is true", "rate", float), ("samples", "n", int))
    bins = found.bins(0)
    rows = [{"class": subject} for _ in bins["p"]]
    for place, row in enumerate(rows):
        for heading, key, kind in columns:
            row[heading] = Number(key, kind(bins[key][place]), "", (f"bin {key}", subject, place))
    return {
        "leaf": bins_text(reliability_of("a")),
        "parent": bins_text(reliability_of("u")),
        "leaf_error": calibration_error("a"),
        "parent_error": calibration_error("u"),
        "bins": rows,
        "tree": Sample(example.taxonomy, example.node_probabilities(rows=np.array([0]))[0]).tree(),
        "reliability": picture("reliability", "reliability_diagram", found),
    }


def widths():
    """Width with 1,600 samples."""
    found = [width(n) for n in (100, 400, 1600)]
    return {"widths": found, "listed": ", ".join(number.text for number in found)}
