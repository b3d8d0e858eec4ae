"""Numbers of lesson 2: a tree of seven leaves whose probabilities are dragged."""

from functools import cache

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Number, Selector, Slider
from hierviz.lessons.quantities import (
    at_threshold,
    cell_numbers,
    cells_figure,
    curves_figure,
    path_number,
    path_numbers,
    ribbon_figure,
    titles,
    tree_figure,
    win_figure,
)
from hierviz.lessons.samples import ANIMALS, Sample, leaf_names

START = {"whale": 10, "cat": 30, "dog": 25, "duck": 15, "owl": 10, "trout": 5, "eel": 5}
NOTHING = dict.fromkeys(START, 0)
CAT, MAMMAL = ANIMALS.nodes("cat", "mammal").tolist()
RULES = ("threshold", "leaf", "majority", "plurality", "expected_information", "exclusive", "top_down")
CONTROLS = {
    "weights": tuple(Slider(name, name, 0, 100, START[name], 1) for name in leaf_names(ANIMALS)),
    "truth": Selector("truth", "Truth", leaf_names(ANIMALS), "cat"),
    "threshold": Slider("threshold", "Threshold τ", 0.0, 1.0, 0.5, 0.01),
}


def of_weights(weights):
    """The sample of the sliders."""
    return Sample.of_weights(ANIMALS, weights)


@cache
def practice():
    """The Evaluation of the sample at the start, whose truth is cat: for the ladder that asks."""
    leaves = of_weights(START).p[ANIMALS.leaves]
    ids = np.array(["sandbox"])
    samples = hv.Predictions.from_scores(
        ANIMALS, leaves[None], "leaf_probabilities", truth=np.array([CAT]), name="Sandbox", sample_ids=ids
    )
    return hv.Evaluation.from_predictions(samples)


def answer_at(sample, threshold):
    """The answer of the rule *threshold*."""
    return sample.answer("threshold", threshold=float(threshold))


def adding_up(**weights):
    """Probabilities of inner classes."""
    sample = of_weights(weights)
    leaves = [sample.probability(leaf) for leaf in ANIMALS.leaves if ANIMALS.is_ancestor(MAMMAL, int(leaf))]
    texts = [text if is_leaf else "?" for text, is_leaf in zip(sample.texts, ANIMALS.is_leaf)]
    return {
        "mammal": sample.probability(MAMMAL),
        "root": sample.probability(0),
        "leaves": leaves,
        "sum": " + ".join(leaf.text for leaf in leaves),
        "leaves_alone": tree_figure(ANIMALS, values=texts),
        "tree": sample.tree(),
    }


def answers(threshold, **weights):
    """The answer at a threshold, and those of other rules."""
    sample, rows = of_weights(weights), []
    for rule in RULES:
        found = answer_at(sample, threshold) if rule == "threshold" else sample.answer(rule)
        label = hv.INFERENCE_RULES[rule].label
        rows.append({"rule": label, "answer": ANIMALS.title(found), "p": sample.probability(found)})
    node = answer_at(sample, threshold)
    return {
        "answer": ANIMALS.title(node),
        "p": sample.probability(node),
        "rules": rows,
        "bare": sample.tree(),
        "tree": sample.tree((), node),
    }


def judged(truth, threshold, **weights):
    """hP, hR, hF and the counts of the answer."""
    sample, true = of_weights(weights), ANIMALS.node(truth)
    node = answer_at(sample, threshold)
    return {
        "answer": ANIMALS.title(node),
        **path_numbers(ANIMALS, true, node),
        **cell_numbers(ANIMALS, true, node),
        "bare": sample.tree(),
        "tree": sample.tree(true, node),
        "cells": cells_figure(ANIMALS, true, node),
    }


def earned(truth, **weights):
    """The win, which judges probabilities and not an answer."""
    sample, true = of_weights(weights), ANIMALS.node(truth)
    moved = dict(START, dog=0, eel=START["eel"] + START["dog"])
    return {
        "win": sample.win(true, "win now"),
        "at_start": of_weights(START).win(CAT, "win at the start"),
        "moved": of_weights(moved).win(CAT, "win with dog's weight at eel"),
        "tree": sample.tree(true),
        "terms": win_figure(ANIMALS, true, sample.p),
    }


def on_the_curve(truth, threshold, **weights):
    """Where the answer is between correct and specific."""
    sample, true = of_weights(weights), ANIMALS.node(truth)
    node, table = answer_at(sample, threshold), hv.pareto_table(ANIMALS, sample.p[None])
    n = len(table.nodes)
    curve = hv.operating_curve(ANIMALS, [true], table)
    return {
        "answer": ANIMALS.title(node),
        "correct": path_number("correct", "correct", ANIMALS, true, node),
        "recall": path_number("information recall", "info_recall", ANIMALS, true, node),
        "n_answers": Number("answers of all thresholds", n, "", ("count", n)),
        "answers": titles(ANIMALS, table.nodes),
        "tree": sample.tree(true, node),
        "ribbon": ribbon_figure(hv.diagnosis.flip_intervals(table, 0, taxonomy=ANIMALS, truth=true), threshold),
        "curve": curves_figure({"This sample": curve}, marks=at_threshold(threshold)),
    }


def sure_and_unsure():
    """Two samples with the same answer and different wins."""
    found = {}
    for label, weights in (("sure", dict(NOTHING, cat=100)), ("unsure", dict(NOTHING, cat=100, eel=99))):
        sample = of_weights(weights)
        found[f"win_{label}"] = sample.win(CAT, f"win, {label}")
        found[f"hf_{label}"] = path_number(f"hF, {label}", "depth_f1", ANIMALS, CAT, answer_at(sample, 0.5))
    return found | {"tree": sample.tree(CAT, CAT, "exercise")}
