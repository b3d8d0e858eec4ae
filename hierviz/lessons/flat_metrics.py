"""Lesson 1: why flat precision and recall mislead, and what sets of ancestors repair."""

from __future__ import annotations

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Exercise, Lesson, Number, OnData, Result, Selector, Slider, Step
from hierviz.lessons.quantities import cells_figure, mean_number, path_number, path_numbers, tree_figure
from hierviz.lessons.trees import SHOP, leaf_names
from hierviz.metrics.sets.label_sets import LabelSetCounts

TRUTH = SHOP.node("T-shirt")
ANSWER = Selector("answer", "Answer of the classifier", leaf_names(SHOP), "jumper")
ON_THE_WAY = Selector(
    "answer", "Answer of the classifier", ("shop", "clothing", "tops", "T-shirt", "shoes", "kitchen"), "clothing"
)
FOUR = ("T-shirt", "boots", "kettle", "rake")


def one_score(answer="jumper"):
    """Accuracy of a near and of a far mistake."""
    near, far, chosen = (
        path_number(f"exact, answer {name}", "exact", SHOP, TRUTH, SHOP.node(name))
        for name in ("jumper", "rake", answer)
    )
    same = near.value == far.value
    return Result(
        f"The truth is T-shirt. For the answer jumper *exact* is {near.text}, for the answer rake it is {far.text}"
        f"{': accuracy cannot tell them apart' if same else ''}. Flat precision and recall count exact hits too, so they "
        "cannot "
        "either. In a shop they differ: somebody who looks for a T-shirt may take a jumper, but not a rake.",
        0 if same else 1,
        numbers=(near, far) if answer in ("jumper", "rake") else (near, far, chosen),
        before=(tree_figure(SHOP, TRUTH, SHOP.node(answer)),),
    )


def sets_of_ancestors(answer="jumper"):
    """hP, hR and hF of a leaf."""
    node = SHOP.node(answer)
    numbers = path_numbers(SHOP, TRUTH, node)
    hp, hr, hf = numbers
    shared = hv.confusion(SHOP, np.array([TRUTH]), np.array([node])).counts
    options = ("0", "1/3", "2/3", "1")
    found = path_numbers(SHOP, TRUTH, SHOP.node("jumper"))[0].value
    right = int(np.argmin([abs(found - value) for value in (0, 1 / 3, 2 / 3, 1)]))
    return Result(
        "Replace each class by the set of itself and its ancestors, and leave out the root, which is in every set. The "
        "sets of "
        f"the truth T-shirt and of the answer {answer} have {shared['tp']} classes in common; the answer's set has "
        f"{shared['tp'] + shared['fp']}, the true one {shared['tp'] + shared['fn']}. **Hierarchical precision hP** is the "
        "share of the answer's "
        f"set that is true: {hp.text}. **Hierarchical recall hR** is the share of the true set that was found: {hr.text}. "
        "**hF** "
        f"is their harmonic mean: {hf.text}. Of the options, {options[right]} is right for the jumper.",
        right,
        numbers=numbers,
        asked=(tree_figure(SHOP, TRUTH),),
        before=(tree_figure(SHOP, TRUTH, node),),
        after=(cells_figure(SHOP, TRUTH, node),),
    )


def coarse_answers(answer="clothing"):
    """hP and hR of an answer above the leaves."""
    node = SHOP.node(answer)
    hp, hr, hf = path_numbers(SHOP, TRUTH, node)
    precision, recall, _ = path_numbers(SHOP, TRUTH, SHOP.node("clothing"))
    right = 0 if precision.value == 1 > recall.value else 1 if precision.value < 1 == recall.value else 2
    return Result(
        f"With the answer clothing hP is {precision.text}: all that was claimed is true. hR is {recall.text}: most of the "
        "path "
        "is missing. An answer above the truth costs recall only; an answer in another branch costs both. "
        f"For the answer chosen now, {answer}, hP is {hp.text}, hR {hr.text} and hF {hf.text}.",
        right,
        numbers=(hp, hr, hf),
        before=(tree_figure(SHOP, TRUTH, node),),
    )


def staying_at_the_root(at_root=2):
    """Mean hP where some of four answers are the root, by three conventions."""
    at_root = int(at_root)
    truth = SHOP.nodes(*FOUR)
    answers = np.where(np.arange(4) < at_root, 0, truth)
    p = np.zeros((4, SHOP.n_nodes))
    p[:, 0] = 1
    for row in range(at_root, 4):
        p[row, SHOP.path(int(truth[row]))] = 1
    sets = LabelSetCounts(SHOP)
    sets.add(truth, p)
    family = sets.family()
    one_root = hv.confusion(SHOP, truth[:1], np.array([0]))
    recall = path_number("hR of the root", "depth_recall", SHOP, int(truth[0]), 0)
    by_one = mean_number("mean hP, 0/0 = 1", "depth_precision", SHOP, truth, answers)
    of_sets = Number(
        "mean hP, as hierviz reports it",
        family["precision_samples_empty1"],
        "hp_samples",
        ("hp empty1", SHOP, tuple(truth), tuple(answers)),
    )
    by_zero = Number(
        "mean hP, 0/0 = 0",
        family["precision_samples_empty0"],
        "hp_samples",
        ("hp empty0", SHOP, tuple(truth), tuple(answers)),
    )
    ppv = Number("PPV of one root", one_root.measures["ppv"], "ppv", ("ppv", SHOP, (int(truth[0]),), (0,)))
    mean_recall = mean_number("mean hR", "depth_recall", SHOP, truth, answers)
    rows = (
        {
            "convention": "0/0 is 1: nothing was claimed, so nothing is wrong",
            "used by": "Valmadre; hierviz (`hp_samples`)",
            "mean hP": by_one,
        },
        {"convention": "0/0 is 0", "used by": "scikit-learn, by default", "mean hP": by_zero},
        {
            "convention": "undefined: a ratio of sums",
            "used by": "Riehl et al., where hP is called PPV",
            "mean hP": ppv,
        },
    )
    return Result(
        f"An answer *root* has hR {recall.text}: it finds nothing. Its hP is 0/0, and the sources do not agree what that is. "
        f"With {at_root} of four answers at the root and the others exact, mean hP is {by_one.text} or {by_zero.text}, from "
        "the same answers; "
        f"mean hR is {mean_recall.text} for all. The positive predictive value (PPV: hP from the four cells of a later "
        "lesson) of a single answer *root* is "
        f"{'undefined' if ppv.value is None else ppv.text}. "
        "State the convention beside every hP, and never quote hP without hR: a classifier that always stays at the root "
        "has a perfect hP by the first.",
        0 if recall.value == 0 else 1,
        numbers=(recall, mean_recall, of_sets),
        rows=rows,
        before=(tree_figure(SHOP, TRUTH, 0),),
    )


def solution():
    """Truth saucepan, answer kettle."""
    truth, answer = SHOP.nodes("saucepan", "kettle")
    hp, hr, hf = path_numbers(SHOP, int(truth), int(answer))
    return Result(
        f"The sets are {{kitchen, pans, saucepan}} and {{kitchen, kettle}}; kitchen is in both. hP is {hp.text}, hR "
        f"{hr.text}, hF "
        f"{hf.text}. Exchange truth and answer, and hP and hR change places.",
        0,
        numbers=(hp, hr, hf),
        before=(tree_figure(SHOP, int(truth), int(answer), name="exercise"),),
    )


LESSON = Lesson(
    "flat-metrics",
    "Why flat precision and recall mislead",
    "What accuracy says of a near mistake and of a far one, and what sets of ancestors add.",
    (
        Step(
            "A near mistake and a far one",
            "A shop sorts its articles with a classifier. An article is a **T-shirt**; the classifier says something else. "
            "Choose what it says. The truth and its ancestors are marked ○, the answer's ✗, and what both share ✓.",
            "How does accuracy count the answers *jumper* and *rake*?",
            ("both the same", "jumper as less wrong"),
            one_score,
            (ANSWER,),
        ),
        Step(
            "Sets of ancestors",
            "A jumper is no T-shirt, but both are tops, and both are clothing. Count these too: compare the *paths*, not "
            "the leaves.",
            "The truth is T-shirt and the answer is jumper. Which share of the answer's path, without the root, is true?",
            ("0", "1/3", "2/3", "1"),
            sets_of_ancestors,
            (ANSWER,),
        ),
        Step(
            "Coarse answers",
            "A hierarchical classifier may stop early: *clothing* is a careful answer for a blurred picture of a T-shirt.",
            "The answer is *clothing*. What goes down?",
            ("only hR", "only hP", "hP and hR"),
            coarse_answers,
            (ON_THE_WAY,),
        ),
        Step(
            "Staying at the root",
            "The most careful answer is the root: *it is something from the shop*. Four articles (T-shirt, boots, kettle, "
            "rake) are "
            "classified. Choose how many of them get the root; the others are exact.",
            "What is the hierarchical recall of an answer that stays at the root?",
            ("0", "it depends on the convention", "1"),
            staying_at_the_root,
            (Slider("at_root", "Answers at the root, of four", 0, 4, 2, 1),),
        ),
    ),
    Exercise("The truth is *saucepan*, the answer is *kettle*. Work out hP, hR and hF on paper.", solution),
    ("ancestor", "root", "hP", "hR", "hF", "exact", "coarse"),
    OnData(
        "Exact counts hits only; depth precision, recall and F1 are the means of hP, hR and hF over your samples, where a "
        "prediction "
        "below the truth counts as right.",
        ("predicted.exact", "predicted.depth_precision", "predicted.depth_recall", "predicted.depth_f1"),
    ),
    sources=("Kiritchenko et al. 2006", "Valmadre, NeurIPS 2022", "Riehl et al. 2023"),
)
