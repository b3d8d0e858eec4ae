"""Lesson 7: scores in disguise; logits, sigmoids and conditionals, and seven parametrisations of one tree."""

from __future__ import annotations

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Exercise, Lesson, Number, OnData, Result, Selector, Slider, Step
from hierviz.lessons.quantities import bars_figure, p_number, probability_texts, tree_figure
from hierviz.lessons.trees import TRIO
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.predictions.parametrisation import default_columns

SEVEN = (
    "flat_softmax",
    "conditional_softmax",
    "ps_softmax",
    "conditional_sigmoid",
    "multilabel_sigmoid",
    "deep_rtc",
    "softmax_all_nodes",
)
LABELS = {hv.PARAMETRISATIONS[key].label: key for key in SEVEN}
# Raw scores of all classes; a parametrisation takes those of its columns.
START = {"fruit": 0.5, "bread": 0.0, "apple": 1.5, "pear": 1.0, "roll": 2.0, "loaf": -1.0}
SCORES = tuple(Slider(name, f"Score of {name}", -5.0, 5.0, value, 0.1) for name, value in START.items())
KIND = Selector("kind", "Parametrisation", tuple(LABELS), "Flat softmax")
TOLERANCE = 1e-9
N = 40


def read_as(key, scores):
    """Node probabilities of raw scores by one parametrisation; the root has the score 0."""
    values = {"thing": 0.0} | scores
    row = [values[TRIO.names[node]] for node in default_columns(TRIO, key)]
    return hv.node_probabilities(TRIO, np.array([row]), parametrisation=key)[0]


def scores_figure(scores):
    """The tree with the raw scores of its classes."""
    values = [f"{scores[name]:.1f}".replace("-", "−") if name in scores else "" for name in TRIO.names]
    return tree_figure(TRIO, values=values)


def above_parent(p):
    """How far the worst child stands above its parent, at least 0."""
    return max(0.0, float((p[1:] - p[TRIO.parent[1:]]).max()))


def not_shared_out(p):
    """The largest gap between a class and the sum of its children."""
    return max(
        round(abs(float(p[node] - p[children].sum())), 12)
        for node, children in enumerate(TRIO.children)
        if len(children)
    )


def row_of(key, scores, what, label, name):
    """A line of a table of parametrisations."""
    p = read_as(key, scores)
    return {
        "parametrisation": hv.PARAMETRISATIONS[key].label,
        label: Number(label, what(p), "", (name, TRIO, key, tuple(scores.items()))),
    }


def one_row_seven_readings(kind="Flat softmax", **scores):
    """The same raw scores, read in seven ways."""
    key = LABELS[kind]
    p = read_as(key, scores)

    def best(some):
        return TRIO.title(int(hv.infer(TRIO, read_as(some, scores)[None], "leaf")[0]))

    rows = tuple(
        {
            "parametrisation": hv.PARAMETRISATIONS[some].label,
            "best leaf": best(some),
            "p of it": p_number(
                TRIO, read_as(some, scores), int(hv.infer(TRIO, read_as(some, scores)[None], "leaf")[0])
            ),
            "p(fruit)": p_number(TRIO, read_as(some, scores), TRIO.node("fruit")),
        }
        for some in SEVEN
    )
    at_start = {int(hv.infer(TRIO, read_as(some, START)[None], "leaf")[0]) for some in SEVEN}
    return Result(
        f"At the start the seven readings name {len(at_start)} different best {'leaf' if len(at_start) == 1 else 'leaves'}: "
        f"{', '.join(TRIO.title(node) for node in sorted(at_start))}. A raw score means nothing before it is said how it "
        "becomes a probability: "
        "as one of all leaves (softmax), as one of its siblings (conditional), by itself (sigmoid), or as a part of a sum "
        "along the path (parameter sharing; Deep RTC, which divides the sum by a temperature of 10 before its sigmoid, so that "
        "all its probabilities come near one half). hierviz never guesses: "
        "a file of raw scores needs its parametrisation.",
        0 if len(at_start) == 1 else 1,
        numbers=(p_number(TRIO, p, TRIO.node("fruit")), p_number(TRIO, p, TRIO.node("bread"))),
        rows=rows,
        before=(tree_figure(TRIO, (), int(hv.infer(TRIO, p[None], "leaf")[0]), probability_texts(p)),),
    )


def many_scores():
    """Random raw scores, drawn with a seed."""
    rng = np.random.default_rng(7)
    return [dict(zip(START, row)) for row in rng.normal(0, 2, (N, len(START))).tolist()]


def coherent(kind="Multi-label sigmoid", **scores):
    """Whether a child can stand above its parent."""
    key = LABELS[kind]
    p = read_as(key, scores)
    breaks = [some for some in SEVEN if any(above_parent(read_as(some, row)) > TOLERANCE for row in many_scores())]
    names = [hv.PARAMETRISATIONS[some].label for some in breaks]
    rows = tuple(
        row_of(some, scores, above_parent, "worst child above its parent by", "above parent") for some in SEVEN
    )
    expected = [
        {"multilabel_sigmoid", "deep_rtc"},
        {"multilabel_sigmoid"},
        {"conditional_sigmoid", "multilabel_sigmoid"},
    ]
    return Result(
        f"Of {N} random rows of scores, {' and '.join(names)} put a child above its parent, the other parametrisations "
        "never. Scores are *coherent* when that cannot happen. "
        "Sums of non-negative numbers and products of numbers up to 1 are coherent by construction; a sigmoid of each class "
        "by itself is not, nor is one of a sum along the path, since a score below adds to it. "
        "With incoherent scores the answers above a threshold may have gaps. In the picture: "
        f"{hv.PARAMETRISATIONS[key].label}.",
        expected.index(set(breaks)) if set(breaks) in expected else len(expected) - 1,
        rows=rows,
        asked=(scores_figure(scores),),
        before=(tree_figure(TRIO, values=probability_texts(p)),),
    )


def exhaustive(kind="Conditional sigmoid", **scores):
    """Whether the children share out their parent."""
    key = LABELS[kind]
    p = read_as(key, scores)
    exact = [some for some in SEVEN if all(not_shared_out(read_as(some, row)) < TOLERANCE for row in many_scores())]
    names = [hv.PARAMETRISATIONS[some].label for some in exact]
    rows = tuple(
        row_of(some, scores, not_shared_out, "largest gap between a class and its children", "gap") for some in SEVEN
    )
    fruit, apple, pear = (p_number(TRIO, p, node) for node in TRIO.nodes("fruit", "apple", "pear"))
    return Result(
        f"{', '.join(names)} share out every parent among its children: they are *exhaustive*. Conditional sigmoid "
        f"{'does' if 'conditional_sigmoid' in exact else 'does not'}: apple and pear may both be probable, or neither. "
        "Softmax over all nodes "
        f"{'does' if 'softmax_all_nodes' in exact else 'does not'} either: an inner class keeps a share for itself, "
        f"for *a fruit, but none of these*. In the picture, {hv.PARAMETRISATIONS[key].label}: fruit {fruit.text}, "
        f"apple {apple.text} and pear {pear.text}. "
        "Where leaves do not sum to 1, the win and expected costs still can be computed, but they are not those of a "
        "distribution.",
        1 if "conditional_sigmoid" not in exact else 0,
        numbers=(fruit, apple, pear),
        rows=rows,
        asked=(scores_figure(scores),),
        before=(tree_figure(TRIO, values=probability_texts(p)),),
    )


def micro_f1(threshold=0.5):
    """Micro F1 and micro hF1 of coherent and incoherent scores."""
    truth = np.random.default_rng(1).choice(TRIO.leaves, N)

    def both(key, level):
        p = np.array([read_as(key, row) for row in many_scores()])
        counts = LabelSetCounts(TRIO, threshold=level)
        counts.add(truth, p)
        found = counts.summary()
        return [
            Number(
                f"{label}, {hv.PARAMETRISATIONS[key].label}",
                found[name],
                name,
                (f"sets {name}", TRIO, tuple(truth.tolist()), p, level),
            )
            for label, name in (("micro F1", "micro_f1"), ("micro hF1", "hf1_micro"))
        ]

    level = float(threshold)
    flat, by_sets = both("conditional_softmax", level)
    plain, augmented = both("multilabel_sigmoid", level)
    start = both("conditional_softmax", 0.5)
    return Result(
        f"At τ = {level:.2f} conditional softmax has micro F1 {flat.text} and micro hF1 {by_sets.text}. hF1 adds all "
        "ancestors to the predicted set first. If the scores are coherent they are in it already, so both are the same at "
        "every threshold (Proposition 1 of Plaud et al.). "
        f"Multi-label sigmoid has {plain.text} and {augmented.text}: sets with gaps, where adding ancestors makes a "
        "difference.",
        0 if abs(start[0].value - start[1].value) < TOLERANCE else 1,
        numbers=(flat, by_sets, plain, augmented),
        before=(
            tree_figure(TRIO, int(truth[0]), (), probability_texts(read_as("multilabel_sigmoid", many_scores()[0]))),
        ),
        after=(
            bars_figure(
                "f1",
                {"micro F1": (flat, plain), "micro hF1": (by_sets, augmented)},
                ("conditional softmax", "multi-label sigmoid"),
                f"Micro F1 and micro hF1 at τ = {level:.2f} of coherent and of incoherent scores.",
            ),
        ),
    )


def solution():
    """An incoherent row, read in a coherent way."""
    scores = dict(START, fruit=-2.0, apple=3.0)
    sigmoid, conditional = read_as("multilabel_sigmoid", scores), read_as("conditional_sigmoid", scores)
    fruit, apple = TRIO.nodes("fruit", "apple").tolist()
    numbers = (
        p_number(TRIO, sigmoid, fruit, "fruit, sigmoid"),
        p_number(TRIO, sigmoid, apple, "apple, sigmoid"),
        p_number(TRIO, conditional, fruit, "fruit, conditional"),
        p_number(TRIO, conditional, apple, "apple, conditional"),
    )
    return Result(
        f"For example fruit −2 and apple 3: as independent sigmoids fruit has {numbers[0].text} and apple "
        f"{numbers[1].text}, a child above its parent. The same scores as conditional sigmoids give {numbers[2].text} and "
        f"{numbers[3].text}: "
        "the product along the path cannot exceed the parent.",
        0,
        numbers=numbers,
        before=(tree_figure(TRIO, values=probability_texts(sigmoid), name="exercise"),),
    )


LESSON = Lesson(
    "parametrisations",
    "Scores in disguise",
    "Seven ways to turn raw scores into probabilities of classes; which keep parents above children, and which share them "
    "out.",
    (
        Step(
            "One row, seven readings",
            "A network ends in raw scores (logits). Change them, and choose how they are read. Each reading uses the scores "
            "of the classes it needs.",
            "Do the seven readings of the scores at the start agree on the most probable leaf?",
            ("yes", "no"),
            one_row_seven_readings,
            (KIND, *SCORES),
        ),
        Step(
            "Coherent",
            "A cat is a mammal: whoever says cat with 0.8 should say mammal with at least 0.8.",
            "Which parametrisations can put a child above its parent?",
            ("multi-label sigmoid and Deep RTC", "multi-label sigmoid only", "conditional and multi-label sigmoid"),
            coherent,
            (Selector("kind", "Parametrisation", tuple(LABELS), "Multi-label sigmoid"), *SCORES),
        ),
        Step(
            "Exhaustive",
            "Must a fruit be an apple or a pear, when these are all the fruits in the tree?",
            "Do the children of conditional *sigmoids* always add up to their parent?",
            ("yes", "no"),
            exhaustive,
            (Selector("kind", "Parametrisation", tuple(LABELS), "Conditional sigmoid"), *SCORES),
        ),
        Step(
            "Micro F1 and micro hF1",
            f"{N} random rows of scores, with random truths. The answer is the set of all classes above τ.",
            "The scores are coherent. How do micro F1 and micro hF1 compare?",
            ("equal at every threshold", "hF1 is larger"),
            micro_f1,
            (Slider("threshold", "Threshold τ", 0.0, 1.0, 0.5, 0.01),),
        ),
    ),
    Exercise(
        "Find raw scores that, as independent sigmoids, put *apple* above *fruit*. Then read the same scores as conditional "
        "sigmoids.",
        solution,
    ),
    ("logit", "parametrisation", "coherent", "exhaustive", "node probability"),
    OnData(
        "Micro F1 and micro hF1 of your models at 0.5, and how many samples have sets with gaps.",
        ("labels.micro_f1", "labels.hf1_micro", "labels.n_incoherent"),
    ),
    sources=("Valmadre, NeurIPS 2022", "Plaud et al., CoNLL 2024"),
)
