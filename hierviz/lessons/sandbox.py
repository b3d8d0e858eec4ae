"""Lesson 2: the sandbox, a tree of seven leaves whose probabilities are dragged."""

from __future__ import annotations

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Exercise, Figure, Lesson, Number, OnData, Result, Selector, Slider, Step
from hierviz.lessons.quantities import (
    at_threshold,
    cell_numbers,
    cells_figure,
    curves_figure,
    p_number,
    path_number,
    path_numbers,
    probability_texts,
    tree_figure,
    win_figure,
    win_number,
)
from hierviz.lessons.trees import ANIMALS, leaf_names, spread

START = {"whale": 10, "cat": 30, "dog": 25, "duck": 15, "owl": 10, "trout": 5, "eel": 5}
NOTHING = dict.fromkeys(START, 0)
WEIGHTS = tuple(Slider(name, name, 0, 100, START[name], 1) for name in leaf_names(ANIMALS))
TRUTH = Selector("truth", "Truth", leaf_names(ANIMALS), "cat")
THRESHOLD = Slider("threshold", "Threshold τ", 0.0, 1.0, 0.5, 0.01)
RULES = ("threshold", "leaf", "majority", "plurality", "expected_information", "exclusive", "top_down")


def probabilities(weights):
    """Node probabilities of the sliders."""
    return spread(ANIMALS, [weights[name] for name in leaf_names(ANIMALS)])


def of_leaves(p):
    """Probabilities of the leaves alone, as they stand beside names."""
    return [text if is_leaf else "?" for text, is_leaf in zip(probability_texts(p), ANIMALS.is_leaf)]


def answer_at(p, threshold):
    """The answer of the rule *threshold*."""
    return int(hv.infer(ANIMALS, p[None], "threshold", threshold=float(threshold))[0])


def adding_up(**weights):
    """Probabilities of inner classes."""
    p, mammal = probabilities(weights), ANIMALS.node("mammal")
    below = [int(leaf) for leaf in ANIMALS.leaves if ANIMALS.is_ancestor(mammal, leaf)]
    leaves = [p_number(ANIMALS, p, leaf) for leaf in below]
    parent = p_number(ANIMALS, p, mammal)
    is_sum = np.isclose(parent.value, sum(leaf.value for leaf in leaves))
    return Result(
        f"A mammal is a whale, a cat or a dog, and only one of them: {' + '.join(leaf.text for leaf in leaves)} = "
        f"{parent.text}. "
        "So no child is more probable than its parent, and the root, which holds all leaves, has "
        f"{p_number(ANIMALS, p, 0).text}.",
        1 if is_sum else 0,
        numbers=(parent, *leaves, p_number(ANIMALS, p, 0)),
        asked=(tree_figure(ANIMALS, values=of_leaves(p)),),
        before=(tree_figure(ANIMALS, values=probability_texts(p)),),
    )


def answers(threshold=0.5, **weights):
    """The answer at a threshold, and those of other rules."""
    p = probabilities(weights)
    node = answer_at(p, threshold)
    rows = []
    for rule in RULES:
        options = {"threshold": float(threshold)} if rule == "threshold" else {}
        found = int(hv.infer(ANIMALS, p[None], rule, **options)[0])
        rows.append(
            {"rule": hv.INFERENCE_RULES[rule].label, "answer": ANIMALS.title(found), "p": p_number(ANIMALS, p, found)}
        )
    start = answer_at(probabilities(START), THRESHOLD.value)
    chosen = p_number(ANIMALS, p, node)
    return Result(
        f"At τ = {float(threshold):.2f} the answer is **{ANIMALS.title(node)}**, p = {chosen.text}: the most specific class "
        "whose probability is "
        "above τ. A lower τ asks for less certainty and gets a more specific answer. Other rules choose in other ways: "
        "the table has some, a later lesson all.",
        ("animal", "mammal", "pet", "cat").index(ANIMALS.title(start)),
        numbers=(chosen,),
        rows=tuple(rows),
        asked=(tree_figure(ANIMALS, values=probability_texts(p)),),
        before=(tree_figure(ANIMALS, (), node, probability_texts(p)),),
    )


def judged(truth="cat", threshold=0.5, **weights):
    """hP, hR, hF and the counts of the answer."""
    p, true = probabilities(weights), ANIMALS.node(truth)
    node = answer_at(p, threshold)
    cells = cell_numbers(ANIMALS, true, node)
    scores = path_numbers(ANIMALS, true, node)
    tp, fp, fn, _ = cells
    start = cell_numbers(ANIMALS, ANIMALS.node("cat"), answer_at(probabilities(START), THRESHOLD.value))
    return Result(
        f"The answer is {ANIMALS.title(node)}, the truth {truth}. TP are the classes on both paths ({tp.text}), FP those of "
        "the answer "
        f"alone ({fp.text}), FN those of the truth alone ({fn.text}). hP is TP / (TP + FP) = {scores[0].text} and hR is TP "
        "/ (TP + FN) = "
        f"{scores[1].text}: the same numbers as with sets of ancestors. TN is another matter: only siblings along the path "
        "and the children where the "
        "paths part count, as a later lesson shows.",
        int(start[2].value),
        numbers=(*scores, *cells),
        asked=(tree_figure(ANIMALS, values=probability_texts(p)),),
        before=(tree_figure(ANIMALS, true, node, probability_texts(p)),),
        after=(cells_figure(ANIMALS, true, node),),
    )


def earned(truth="cat", **weights):
    """The win, which judges probabilities and not an answer."""
    p, true = probabilities(weights), ANIMALS.node(truth)
    win = win_number(ANIMALS, true, p, "win now")
    moved = dict(START, dog=0, eel=START["eel"] + START["dog"])
    cat = ANIMALS.node("cat")
    shown = (("win at the start", START), ("win with dog's weight at eel", moved))
    before, after = (win_number(ANIMALS, cat, probabilities(some), label) for label, some in shown)
    change = after.value - before.value
    return Result(
        f"The hierarchical **win** is {win.text}. It needs no answer: it adds up the probabilities along the true path, "
        "with half of the weight on "
        "the first step, a quarter on the second, and so on. At the start it is "
        f"{before.text}. With all of dog's weight moved to eel it is {after.text}: dog shares two classes with cat, eel "
        "none. Change the weights of "
        "leaves outside the true path and watch which matter.",
        0 if change < 0 else 1 if change == 0 else 2,
        numbers=(win, before, after),
        before=(tree_figure(ANIMALS, true, (), probability_texts(p)),),
        after=(win_figure(ANIMALS, true, p),),
    )


def on_the_curve(truth="cat", threshold=0.5, **weights):
    """Where the answer stands between correct and specific."""
    p, true = probabilities(weights), ANIMALS.node(truth)
    node, table = answer_at(p, threshold), hv.pareto_table(ANIMALS, p[None])
    curve = hv.operating_curve(ANIMALS, np.array([true]), table)
    flips = hv.diagnosis.flip_intervals(table, 0, taxonomy=ANIMALS, truth=true)
    correct, recall = (
        path_number(label, key, ANIMALS, true, node)
        for label, key in (("correct", "correct"), ("information recall", "info_recall"))
    )
    bits = ANIMALS.information[hv.pareto_table(ANIMALS, probabilities(START)[None]).nodes]
    level = float(threshold)
    return Result(
        f"The answer {ANIMALS.title(node)} has correct {correct.text} (1 when it is the truth or above it) and information "
        f"recall {recall.text} (the share "
        "of the truth's bits that it gives). These two numbers are one point on the operating curve. From τ = 1 down to 0 "
        "the "
        f"answers are {', '.join(ANIMALS.title(int(one)) for one in table.nodes)}: each has more information and less "
        "probability than the one before.",
        0 if (np.diff(bits) > 0).all() else 1,
        numbers=(
            correct,
            recall,
            Number("answers of all thresholds", len(table.nodes), "", ("count", len(table.nodes))),
        ),
        before=(tree_figure(ANIMALS, true, node, probability_texts(p)),),
        after=(
            Figure(
                "ribbon",
                lambda **look: hv.charts.flip_ribbon(flips, level, **look),
                hv.charts.flip_ribbon(flips, level).sentence,
                lambda: hv.charts.flip_ribbon(flips).table,
            ),
            curves_figure({"This sample": curve}, marks=at_threshold(level)),
        ),
    )


def solution():
    """Two samples with the same answer and different wins."""
    sure, unsure = (
        dict(NOTHING, cat=100),
        dict(NOTHING, cat=100, eel=99),
    )
    cat, numbers = ANIMALS.node("cat"), []
    for label, some in (("sure", sure), ("unsure", unsure)):
        p = probabilities(some)
        numbers += [
            win_number(ANIMALS, cat, p, f"win, {label}"),
            path_number(f"hF, {label}", "depth_f1", ANIMALS, cat, answer_at(p, 0.5)),
        ]
    return Result(
        f"Cat alone, with all other weights 0, has a win of {numbers[0].text}, the largest there is; cat 100 and eel 99 have "
        f"{numbers[2].text}. No gap is wider: the answer is cat only while cat has more than one half, and what cat has is in "
        "every class on its path, so no win of cat is below that; it is so small where all the rest lies off the path. "
        f"hF is {numbers[1].text} and {numbers[3].text}: hF judges the answer, the win judges the probabilities.",
        0,
        numbers=tuple(numbers),
        before=(tree_figure(ANIMALS, cat, cat, probability_texts(probabilities(unsure)), name="exercise"),),
    )


LESSON = Lesson(
    "sandbox",
    "The sandbox",
    "Change the probabilities of seven leaves: the answer, its counts, the win and the point on the curve follow.",
    (
        Step(
            "Classes above the leaves",
            "A model gives each of seven leaves a probability: its weight divided by the sum of all weights. Change the weights.",
            "What is the probability of *mammal*?",
            ("that of its most probable leaf", "the sum over its leaves", "the mean over its leaves"),
            adding_up,
            WEIGHTS,
        ),
        Step(
            "The answer",
            "The rule *threshold* answers with the most specific class whose probability is above τ. Change τ.",
            "At the start: which class does the threshold of one half give?",
            ("animal", "mammal", "pet", "cat"),
            answers,
            (THRESHOLD, *WEIGHTS),
        ),
        Step(
            "True and false positives",
            "Now there is a truth. Compare its path with the answer's.",
            "At the start the truth is cat and the answer is pet. How many classes are false negatives?",
            ("none", "one", "two"),
            judged,
            (TRUTH, THRESHOLD, *WEIGHTS),
        ),
        Step(
            "The win",
            "An answer hides how sure the model was. The *win* judges the probabilities themselves.",
            "The truth is cat, and all of dog's probability moves to eel. What does the win do?",
            ("it falls", "it stays", "it rises"),
            earned,
            (TRUTH, *WEIGHTS),
        ),
        Step(
            "A point on the curve",
            "A threshold trades certainty for detail. *Correct* says whether the answer is right, *information recall* how "
            "much of the truth it tells.",
            "The threshold goes down. What happens to the information (in bits) of the answer?",
            ("it never falls", "it may fall"),
            on_the_curve,
            (TRUTH, THRESHOLD, *WEIGHTS),
        ),
    ),
    Exercise(
        "Find two settings in which the answer at a threshold of one half is cat, the truth is cat, and the wins differ as "
        "much as you can.",
        solution,
    ),
    ("node probability", "threshold", "TP, FP, FN, TN", "win", "information", "correct"),
    OnData(
        "The mean win of your samples, and the counts of their answers by the rule majority.",
        ("distribution.softmax_win", "confusion.tp", "confusion.fp", "confusion.fn", "predicted.correct"),
    ),
    sources=("Wu, Tygert & LeCun 2019", "Valmadre, NeurIPS 2022", "Riehl et al. 2023"),
)
