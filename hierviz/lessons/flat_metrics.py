"""Numbers of lesson 1: accuracy of near and far mistakes, hP and hR of sets of ancestors, and three conventions of 0/0."""

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Number, Selector, Slider
from hierviz.lessons.quantities import cell_numbers, cells_figure, mean_number, path_number, path_numbers, tree_figure
from hierviz.lessons.samples import SHOP, leaf_names
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.metrics.sets.node_sets import set_scores

TRUTH = SHOP.node("T-shirt")
FOUR = ("T-shirt", "boots", "kettle", "rake")
ON_THE_WAY = ("shop", "clothing", "tops", "T-shirt", "shoes", "kitchen")
CONTROLS = {
    "article": Selector("answer", "Answer of the classifier", leaf_names(SHOP), "jumper"),
    "class": Selector("answer", "Answer of the classifier", ON_THE_WAY, "clothing"),
    "at root": Slider("at_root", "Answers at the root, of four", 0, 4, 2, 1),
}


def one_score(answer):
    """Accuracy of a near and of a far mistake."""
    near, far, chosen = (
        path_number(f"exact, answer {name}", "exact", SHOP, TRUTH, SHOP.node(name))
        for name in ("jumper", "rake", answer)
    )
    return {
        "near": near,
        "far": far,
        "is_same": near.value == far.value,
        "numbers": (near, far) if answer in ("jumper", "rake") else (near, far, chosen),
        "tree": tree_figure(SHOP, TRUTH, SHOP.node(answer)),
    }


def sets_of_ancestors(answer):
    """hP, hR and hF of a leaf."""
    node = SHOP.node(answer)
    cells = {name: number.value for name, number in cell_numbers(SHOP, TRUTH, node).items()}
    return {
        **path_numbers(SHOP, TRUTH, node),
        "shared": cells["tp"],
        "claimed": cells["tp"] + cells["fp"],
        "true": cells["tp"] + cells["fn"],
        "truth": tree_figure(SHOP, TRUTH),
        "tree": tree_figure(SHOP, TRUTH, node),
        "cells": cells_figure(SHOP, TRUTH, node),
    }


def coarse_answers(answer):
    """hP and hR of an answer above the leaves."""
    start, node = path_numbers(SHOP, TRUTH, SHOP.node("clothing")), SHOP.node(answer)
    return {
        "precision": start["hp"],
        "recall": start["hr"],
        **path_numbers(SHOP, TRUTH, node),
        "tree": tree_figure(SHOP, TRUTH, node),
    }


def staying_at_the_root(at_root):
    """Mean hP where some of four answers are the root, by three conventions."""
    at_root, truth = int(at_root), SHOP.nodes(*FOUR)
    answers = np.where(np.arange(4) < at_root, 0, truth)
    p = np.zeros((4, SHOP.n_nodes))
    p[:, 0] = 1
    for row in range(at_root, 4):
        p[row, SHOP.path(int(truth[row]))] = 1
    sets = LabelSetCounts(SHOP)
    sets.add(truth, p)
    parts, made_of = sets.parts(), (SHOP, tuple(truth), tuple(answers))
    overlap = [parts[f"nodes_{what}"] for what in ("shared", "claimed", "due")]

    def mean_precision(label, empty):
        value = float(set_scores(*overlap, empty=empty)[0].mean())
        return Number(label, value, "hp_samples", (f"hp empty{empty}", *made_of))

    one_root = hv.confusion(SHOP, truth[:1], np.array([0]))
    by_one = mean_number("mean hP, 0/0 = 1", "depth_precision", SHOP, truth, answers)
    by_zero = mean_precision("mean hP, 0/0 = 0", 0)
    ppv = Number("PPV of one root", one_root.measures["ppv"], "ppv", ("ppv", SHOP, (int(truth[0]),), (0,)))
    rows = (
        ("0/0 is 1: nothing was claimed, so nothing is wrong", "Valmadre; hierviz (`hp_samples`)", by_one),
        ("0/0 is 0", "scikit-learn, by default", by_zero),
        ("undefined: a ratio of sums", "Riehl et al., where hP is called PPV", ppv),
    )
    return {
        "recall": path_number("hR of the root", "depth_recall", SHOP, int(truth[0]), 0),
        "mean_recall": mean_number("mean hR", "depth_recall", SHOP, truth, answers),
        "of_sets": mean_precision("mean hP, as hierviz reports it", 1),
        "by_one": by_one,
        "by_zero": by_zero,
        "ppv": ppv,
        "has_ppv": ppv.value is not None,
        "conventions": [dict(zip(("convention", "used by", "mean hP"), row)) for row in rows],
        "tree": tree_figure(SHOP, TRUTH, 0),
    }


def saucepan_and_kettle():
    """Truth saucepan, answer kettle."""
    truth, answer = SHOP.nodes("saucepan", "kettle").tolist()
    return {**path_numbers(SHOP, truth, answer), "tree": tree_figure(SHOP, truth, answer, name="exercise")}
