"""Lesson 3: one threshold, one answer; the Pareto set, the curve and its areas; from one node to a set."""

from __future__ import annotations

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Exercise, Figure, Lesson, Number, OnData, Result, Slider, Step
from hierviz.lessons.quantities import at_threshold, curves_figure, expected_number, probability_texts, tree_figure
from hierviz.lessons.sandbox import START, THRESHOLD, WEIGHTS, answer_at, probabilities
from hierviz.lessons.trees import ANIMALS, PLAUD, spread
from hierviz.messages.number_text import percent_text
from hierviz.metrics.sets.expected_sets import expected_by_threshold

N_SAMPLES = 60
FIGURE_7 = {"p2": 25, "p3": 20, "p4": 20, "p5": 35}
FIGURE_8 = {"p2": 10, "p3": 55, "p4": 0, "p5": 35}


def many_samples():
    """Probabilities and truths of some samples, drawn with a seed; the truth of each is drawn from its own probabilities."""
    rng = np.random.default_rng(4)
    leaves = rng.dirichlet(np.full(ANIMALS.n_leaves, 0.35), N_SAMPLES)
    truth = np.array([rng.choice(ANIMALS.leaves, p=row) for row in leaves])
    return hv.node_probabilities(ANIMALS, leaves, parametrisation="leaf_probabilities"), truth


P, TRUTH = many_samples()
CURVE = hv.operating_curve(ANIMALS, TRUTH, P)
SUMMARY = CURVE.summary()


def of_curve(label, key):
    """A number of the curve of the drawn samples."""
    return Number(label, float(SUMMARY[key]), key, ("curve", key, ANIMALS, TRUTH, P))


def at(label, key, threshold):
    """A mean at a threshold."""
    return Number(label, float(CURVE.at(threshold)[key]), key, ("at", key, float(threshold), ANIMALS, TRUTH, P))


def curve_figure(marks, **look_of):
    """The curve of the drawn samples."""
    return curves_figure({f"{N_SAMPLES} samples": CURVE}, marks=marks, **look_of)


def pareto_set(threshold=0.5, **weights):
    """All answers that thresholds can give one sample."""
    p = probabilities(weights)
    table, level = hv.pareto_table(ANIMALS, p[None]), float(threshold)
    nodes = table.nodes.tolist()
    start = hv.pareto_table(ANIMALS, probabilities(START)[None])
    options = ("one", "four", "seven", "twelve")
    right = {1: 0, 4: 1, 7: 2, 12: 3}[len(start.nodes)]
    figure = Figure(
        "pareto",
        lambda **look: hv.charts.pareto_points(ANIMALS, p, nodes, threshold=level, **look),
        f"Filled: the classes that some threshold answers ({', '.join(ANIMALS.title(node) for node in nodes)}). Hollow: the "
        "others. The dashed line is τ.",
        lambda: hv.charts.pareto_points_table(ANIMALS, p, nodes),
    )
    answer = answer_at(p, level)
    return Result(
        f"{len(nodes)} of the {ANIMALS.n_nodes} classes can be answered: "
        f"{', '.join(ANIMALS.title(node) for node in nodes)}. All others have a rival that is at least as "
        "specific and at least as probable. These classes are the *Pareto set* of the sample: sorted by probability, each "
        f"has more information than all before it. At τ = {level:.2f} the answer is {ANIMALS.title(answer)}. With the "
        f"weights at the start the set has {options[right]} classes.",
        right,
        numbers=(Number("classes in the Pareto set", len(nodes), "", ("count", len(nodes))),),
        before=(tree_figure(ANIMALS, (), answer, probability_texts(p)),),
        after=(figure,),
    )


def many(threshold=0.5):
    """Correct and specific over many samples."""
    level = float(threshold)
    correct, recall = at("correct", "correct", level), at("information recall", "info_recall", level)
    low, high = at("correct at τ = 0.1", "correct", 0.1), at("correct at τ = 0.9", "correct", 0.9)
    return Result(
        f"At τ = {level:.2f} a share of {correct.text} of the answers is correct, and they tell {recall.text} of the bits "
        "of their truths. At τ = 0.1 a share of "
        f"{low.text} is correct, at τ = 0.9 {high.text}. Each threshold is one point: to the right more specific, further "
        "up more often correct.",
        0 if high.value > low.value else 1,
        numbers=(correct, recall, low, high),
        before=(tree_figure(ANIMALS, int(TRUTH[0]), answer_at(P[0], level), probability_texts(P[0])),),
        after=(curve_figure(at_threshold(level)),),
    )


def areas(goal=0.9):
    """AC, AP and the specificity at a share of correct answers."""
    level = float(goal)
    ac, ap = of_curve("AC", "ac"), of_curve("AP", "ap")
    largest = Number(
        "largest information recall",
        float(CURVE.values["info_recall"].max()),
        "info_recall",
        ("largest recall", ANIMALS, TRUTH, P),
    )
    chosen = hv.thresholds.choose(CURVE, subject_to={"correct": level}).threshold
    goal_mark = {} if chosen is None else {f"{percent_text(level)} correct": chosen}
    there = Number(
        f"information recall with {percent_text(level)} correct",
        float(hv.curves.specificity_at(CURVE, level)),
        "info_recall",
        ("specificity", level, ANIMALS, TRUTH, P),
    )
    return Result(
        f"**AC** is the area under *correct* over information recall, shaded here: {ac.text}. **AP** is the area under "
        f"information precision: {ap.text}. Both run along "
        "the envelope: at each recall the best value of all points at least as specific, in steps, without interpolation. "
        "Nothing is added "
        f"to the right of the last point, at {largest.text}, so no area is larger than that. With at least {percent_text(level)} "
        "correct the most specific point has "
        f"information recall {there.text}{' (no point is that correct)' if there.value == 0 else ''}; at 90 % this is "
        "called R@90C.",
        1 if ac.value <= largest.value else 0,
        numbers=(ac, ap, largest, there),
        asked=(curve_figure(goal_mark, level=level),),
        before=(curve_figure(goal_mark, level=level, area=True),),
    )


def plaud_numbers(weights):
    """Expected hF1 of the sets of one sample."""
    p = spread(PLAUD, [weights[f"p{name}"] for name in (PLAUD.title(int(leaf)) for leaf in PLAUD.leaves)])
    sets = expected_by_threshold(PLAUD, p)
    names = ["{" + ", ".join(PLAUD.title(node) for node in sets.nodes(i)) + "}" for i in range(len(sets.expected))]
    numbers = tuple(expected_number(PLAUD, p, sets.nodes(i).tolist(), name) for i, name in enumerate(names))
    figure = Figure(
        "sets",
        lambda **look: hv.charts.set_steps(PLAUD, sets, threshold=0.5, **look),
        f"The set with the highest expected hF1 is {names[sets.best]}.",
        lambda: hv.charts.set_steps_table(PLAUD, sets),
    )
    return p, sets, names, numbers, figure


def figure_7(**weights):
    """Expected hF1 of the sets of figure 7."""
    p, sets, names, numbers, figure = plaud_numbers(weights)
    _, _, _, start, _ = plaud_numbers(FIGURE_7)
    by_name = {number.label: number for number in start}
    best = max(start, key=lambda number: number.value)
    at_half = sets.nodes(int(np.searchsorted(-sets.threshold_from, -0.5)))
    half = expected_number(PLAUD, p, at_half.tolist(), "set at 0.5")
    return Result(
        f"In figure 7 of Plaud et al. the set {best.label} has the highest expected hF1, {best.text}. The paper shows that "
        f"{{1, 5}}, with {by_name['{1, 5}'].text}, beats {{1}}, the set above 0.5, with {by_name['{1}'].text}; it does not "
        "mention that adding class 2, which is in another branch, is worth still more. "
        f"With the probabilities shown now the best set is {names[sets.best]}, and a threshold of 0.5 gives a set worth "
        f"{half.text} only: nothing "
        "makes 0.5 the right threshold. A set may also hold several paths, while a single answer is one class.",
        ("{1}", "{1, 5}", "{1, 2, 5}", "{1, 2, 3, 4, 5}").index(best.label),
        numbers=(*numbers, *(() if weights == FIGURE_7 else (by_name["{1, 5}"], by_name["{1}"], best)), half),
        before=(tree_figure(PLAUD, values=probability_texts(p)),),
        after=(figure,),
    )


def figure_8(**weights):
    """Expected hF1 of the sets of figure 8."""
    p, _, _, numbers, figure = plaud_numbers(weights)
    _, start_sets, start_names, start, _ = plaud_numbers(FIGURE_8)
    best = start[start_sets.best]
    low, high = start_sets.threshold_from[start_sets.best], start_sets.threshold_below[start_sets.best]
    includes_half = low <= 0.5 < high
    return Result(
        f"In figure 8 the best set is {best.label} with {best.text}. It is what thresholds from {low:.2f} to {high:.2f} "
        "give, so 0.5 "
        f"{'happens to be' if includes_half else 'is not'} among them; in figure 7 it was not. The best threshold differs "
        "from sample to sample. This is why scores should be judged over "
        "all thresholds, by an area, before one is chosen on held-out data.",
        start_names.index(best.label) - 1,
        numbers=(*numbers, *(() if weights == FIGURE_8 else (best,))),
        before=(tree_figure(PLAUD, values=probability_texts(p)),),
        after=(figure,),
    )


def solution():
    """Figure 7 with class 2 less probable."""
    weights = dict(FIGURE_7, p2=15, p5=45)
    p, sets, names, _, _ = plaud_numbers(weights)
    with_2, without = (
        expected_number(PLAUD, p, PLAUD.nodes(*some).tolist(), label)
        for some, label in ((("1", "2", "5"), "{1, 2, 5}"), (("1", "5"), "{1, 5}"))
    )
    return Result(
        f"For example with weights 15 for class 2 and 45 for class 5: {{1, 5}} has {without.text} and {{1, 2, 5}} "
        f"{with_2.text}; the best set is {names[sets.best]}.",
        0,
        numbers=(with_2, without),
        before=(tree_figure(PLAUD, values=probability_texts(p), name="exercise"),),
    )


def sliders(weights):
    """A slider a leaf."""
    return tuple(Slider(name, f"Weight of class {name[1:]}", 0, 100, value, 1) for name, value in weights.items())


LESSON = Lesson(
    "thresholds",
    "One threshold, one answer",
    "The Pareto set of a sample, the curve of many, what AC and AP integrate, and why 0.5 is arbitrary.",
    (
        Step(
            "The Pareto set",
            "Twelve classes have a probability, but few of them can ever be the answer of a threshold. Change τ, then "
            "the weights.",
            "At the start: how many different answers do all thresholds together give?",
            ("one", "four", "seven", "twelve"),
            pareto_set,
            (THRESHOLD, *WEIGHTS),
        ),
        Step(
            "The curve of many samples",
            f"{N_SAMPLES} samples were drawn with a fixed seed; the truth of each is drawn from its own probabilities, so "
            "the model is calibrated. "
            "One threshold is used for all of them. The tree shows the first.",
            "The threshold goes from 0.1 to 0.9. What happens to the share of correct answers?",
            ("it rises", "it falls or stays"),
            many,
            (THRESHOLD,),
        ),
        Step(
            "Areas: AC and AP",
            "A curve is hard to rank. Two areas sum it up. Choose the share of correct answers that you need: the dashed line."
            " The dot is the most specific point above it.",
            "One of all thresholds has the largest information recall. Can AC be larger than that?",
            ("yes", "no"),
            areas,
            (Slider("goal", "Correct answers, at least", 0.5, 1.0, 0.9, 0.01),),
        ),
        Step(
            "From one class to a set",
            "Instead of one class, answer with *all* classes above τ. If the probabilities are right, the truth is a leaf "
            "drawn from them, and "
            "each set has an expected hF1. This is figure 7 of Plaud et al.; change its probabilities and see how the best set "
            "(★) changes. The dashed line is τ = 0.5.",
            "At the start: which set has the highest expected hF1?",
            ("{1}", "{1, 5}", "{1, 2, 5}", "{1, 2, 3, 4, 5}"),
            figure_7,
            sliders(FIGURE_7),
        ),
        Step(
            "Why 0.5 is arbitrary",
            "The same tree with other probabilities: figure 8.",
            "At the start: which set has the highest expected hF1?",
            ("{1}", "{1, 3}", "{1, 3, 5}", "{1, 2, 3, 5}"),
            figure_8,
            sliders(FIGURE_8),
        ),
    ),
    Exercise("In the step on figure 7, find weights for which {1, 5} is better than {1, 2, 5}.", solution),
    ("threshold", "Pareto set", "operating curve", "AC", "AP", "R@90C", "coherent"),
    OnData(
        "The areas of your model over all thresholds, and how specific it is with 90 % and 95 % correct.",
        ("curve.ac", "curve.ap", "curve.recall_at_90_correct", "curve.recall_at_95_correct", "labels.hf1_auc"),
    ),
    sources=("Valmadre, NeurIPS 2022", "Plaud et al., CoNLL 2024"),
)
