"""Numbers of lesson 3: the Pareto set, the curve of many samples and its areas; from one class to a set."""

from functools import cache

import numpy as np

import hierviz as hv
from hierviz.demo import load_wikipedia
from hierviz.evaluation.evaluation import Evaluation
from hierviz.lessons import sandbox
from hierviz.lessons.lesson import Number, Slider
from hierviz.lessons.quantities import at_threshold, curves_figure, picture, titles
from hierviz.lessons.samples import ANIMALS, PLAUD, Sample, drawn_animals
from hierviz.lessons.sandbox import answer_at, of_weights
from hierviz.messages.number_text import percent_text
from hierviz.metrics.sets.expected_sets import expected_by_threshold, expected_hf1
from hierviz.taxonomy.taxonomy import NodeLists
from hierviz.thresholds.set_rules import TRIED, set_rules

N_SAMPLES = 60
FIGURE_7 = {"2": 25, "3": 20, "4": 20, "5": 35}
FIGURE_8 = {"2": 10, "3": 55, "4": 0, "5": 35}
CONTROLS = {
    "threshold": sandbox.CONTROLS["threshold"],
    "weights": sandbox.CONTROLS["weights"],
    "goal": Slider("goal", "Correct answers, at least", 0.5, 1.0, 0.9, 0.01),
    **{
        figure: tuple(
            Slider(f"p{name}", f"Weight of class {name}", 0, 100, value, 1) for name, value in weights.items()
        )
        for figure, weights in (("figure 7", FIGURE_7), ("figure 8", FIGURE_8))
    },
}
P, TRUTH = drawn_animals(4, 0.35, N_SAMPLES)
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


def pareto_set(threshold, **weights):
    """All answers that thresholds can give one sample."""
    sample, level = of_weights(weights), float(threshold)
    nodes, answer = hv.pareto_table(ANIMALS, sample.p[None]).nodes.tolist(), answer_at(sample, level)
    return {
        "n": Number("classes in the Pareto set", len(nodes), "", ("count", len(nodes))),
        "n_classes": ANIMALS.n_nodes,
        "classes": titles(ANIMALS, nodes),
        "answer": ANIMALS.title(answer),
        "tree": sample.tree((), answer),
        "points": picture("pareto", "pareto_points", ANIMALS, sample.p, nodes, threshold=level),
    }


def many(threshold):
    """Correct and specific over many samples."""
    first = Sample(ANIMALS, P[0])
    return {
        "correct": at("correct", "correct", threshold),
        "recall": at("information recall", "info_recall", threshold),
        "low": at("correct at τ = 0.1", "correct", 0.1),
        "high": at("correct at τ = 0.9", "correct", 0.9),
        "tree": first.tree(int(TRUTH[0]), answer_at(first, threshold)),
        "curve": curve_figure(at_threshold(threshold)),
    }


def areas(goal):
    """AC, AP and the specificity at a share of correct answers."""
    level, drawn = float(goal), (ANIMALS, TRUTH, P)
    largest = float(CURVE.values["info_recall"].max())
    chosen = hv.thresholds.choose(CURVE, subject_to={"correct": level}).threshold
    mark = {} if chosen is None else {f"{percent_text(level)} correct": chosen}
    there = float(hv.curves.specificity_at(CURVE, level))
    label = f"information recall with {percent_text(level)} correct"
    return {
        "ac": of_curve("AC", "ac"),
        "ap": of_curve("AP", "ap"),
        "largest": Number("largest information recall", largest, "info_recall", ("largest recall", *drawn)),
        "there": Number(label, there, "info_recall", ("specificity", level, *drawn)),
        "is_nowhere": there == 0,
        "level": percent_text(level),
        "curve": curve_figure(mark, level=level),
        "area": curve_figure(mark, level=level, area=True),
    }


def expected_number(sample, nodes, label):
    """Expected hF1 of a set of nodes."""
    value = float(expected_hf1(sample.taxonomy, sample.p, NodeLists.from_lists([list(nodes)]))[0])
    return Number(label, value, "hf1_samples", ("expected hf1", sample.taxonomy, sample.p, tuple(nodes)))


def sets_of(weights):
    """The sample of some weights, its sets at all thresholds, and the expected hF1 of each by its name."""
    sample = Sample.of_weights(PLAUD, weights)
    sets = expected_by_threshold(PLAUD, sample.p)
    lists = [sets.nodes(i).tolist() for i in range(len(sets.expected))]
    names = [f"{{{titles(PLAUD, nodes)}}}" for nodes in lists]
    return sample, sets, {name: expected_number(sample, nodes, name) for name, nodes in zip(names, lists)}


def shown_sets(sample, sets, numbers):
    """What both figures show."""
    steps = picture("sets", "set_steps", PLAUD, sets, threshold=0.5)
    return {"best": list(numbers)[sets.best], "sets": list(numbers.values()), "tree": sample.tree(), "steps": steps}


def of_sliders(weights):
    """The weights of the sliders by the class."""
    return {name.removeprefix("p"): weight for name, weight in weights.items()}


def figure_7(**weights):
    """Expected hF1 of the sets of figure 7."""
    sample, sets, numbers = sets_of(of_sliders(weights))
    _, _, start = sets_of(FIGURE_7)
    largest = max(start.values(), key=lambda number: number.value)
    compared = [start["{1, 5}"], start["{1}"], largest]
    at_half = sets.nodes(int(np.searchsorted(-sets.threshold_from, -0.5)))
    return {
        **shown_sets(sample, sets, numbers),
        "at_start": [] if of_sliders(weights) == FIGURE_7 else compared,
        "set_1_5": compared[0],
        "set_1": compared[1],
        "largest": largest,
        "largest_set": largest.label,
        "half": expected_number(sample, at_half.tolist(), "set at 0.5"),
    }


def figure_8(**weights):
    """Expected hF1 of the sets of figure 8."""
    _, start_sets, start = sets_of(FIGURE_8)
    best = list(start.values())[start_sets.best]
    low, high = start_sets.threshold_from[start_sets.best], start_sets.threshold_below[start_sets.best]
    return {
        **shown_sets(*sets_of(of_sliders(weights))),
        "at_start": [] if of_sliders(weights) == FIGURE_8 else [best],
        "largest": best,
        "largest_set": best.label,
        "low": float(low),
        "high": float(high),
        "is_half_inside": bool(low <= 0.5 < high),
        **on_texts(),
    }


@cache
def on_texts():
    """hF1 on the open texts by thresholds and by the sets of largest expected hF1, of both models."""
    flat, per_node = (set_rules(Evaluation.from_predictions(model)) for model in load_wikipedia()[1])
    found = {"n_tried": len(TRIED), "is_flat_tuned_better": flat.best > flat.optimal}
    for name, of in (("flat", flat), ("per_node", per_node)):
        found |= {f"{name}_{key}": value for key, value in vars(of).items() if key != "name"}
    return found | {"is_per_node_tuned_better": per_node.best > per_node.optimal}


def less_of_class_2():
    """Figure 7 with class 2 less probable."""
    sample, sets, numbers = sets_of(dict(FIGURE_7, **{"2": 15, "5": 45}))
    return {
        "with_2": expected_number(sample, PLAUD.nodes("1", "2", "5").tolist(), "{1, 2, 5}"),
        "without": expected_number(sample, PLAUD.nodes("1", "5").tolist(), "{1, 5}"),
        "best": list(numbers)[sets.best],
        "tree": sample.tree(name="exercise"),
    }
