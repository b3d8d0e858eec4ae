"""Numbers of lesson 4: inference rules on one sample and on some texts; who stops where and why."""

from functools import cache

import numpy as np

import hierviz as hv
from hierviz.demo import load_wikipedia
from hierviz.diagnosis._flip_intervals import flip_intervals
from hierviz.diagnosis.sample_answers import sample_answer
from hierviz.lessons import sandbox
from hierviz.lessons.lesson import Number, Selector, Slider
from hierviz.lessons.quantities import TEXTS, bars_figure, picture, ribbon_figure, texts
from hierviz.lessons.samples import ANIMALS, TOPICS, Sample
from hierviz.lessons.sandbox import START, of_weights
from hierviz.messages.number_text import value_text
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.thresholds._decisions import decisions

# What each rule looks at, in words; the rules themselves are in `hv.INFERENCE_RULES`.
WHY = {
    "leaf": "always a leaf",
    "majority": "more probable than not",
    "threshold": "above τ = 0.5",
    "depth_thresholds": "above the threshold of its depth: 0.8, 0.5, 0.3",
    "at_level": "most probable of the classes one step below the root",
    "plurality": "more probable than every runner-up",
    "expected_information": "bits × p is largest",
    "darts": "(bits + λ) × p is largest, λ = 1",
    "information_threshold": "most probable with at least 1 bit",
    "exclusive": "p minus that of its children is largest",
    "crm_leaf": "fewest expected edges to the truth",
    "crm_nodes": "largest expected information F1",
    "optimal_node": "fewest expected edges to the truth, inner classes too",
    "top_down": "the larger child at each step",
    "threshold_set": "all above τ = 0.5",
    "hf_optimal": "largest expected hF1 of a set",
}
PARAMETERS = {
    "threshold": {"threshold": 0.5},
    "threshold_set": {"threshold": 0.5},
    "depth_thresholds": {"thresholds_by_depth": "0.8,0.5,0.3"},
    "darts": {"lam": 1.0},
    "information_threshold": {"bits": 1.0},
}
TOPIC_START = {"entertainment": 20, "society": 20, "sports": 10, "family": 30, "health": 10, "computers": 10}
# Rules that read a text, from the most specific on.
READ_BY = ("leaf", "plurality", "expected_information", "majority")
FAR = {"eel": 30, "cat": 22, "dog": 22, "whale": 14, "duck": 4, "owl": 4, "trout": 4}
CONTROLS = {
    "truth": sandbox.CONTROLS["truth"],
    "weights": sandbox.CONTROLS["weights"],
    "family": Slider("family", "Weight of family", 0, 100, TOPIC_START["family"], 1),
    "λ": Slider("lam", "λ in bits", 0.0, 8.0, 0.0, 0.1),
    "eel": Slider("eel", "Weight of eel", 0, 100, FAR["eel"], 1),
    "article": Selector("article", "Article", tuple(TEXTS), "Catfish"),
}


def bits(taxonomy, node, label):
    """The information of a class."""
    return Number(label, float(taxonomy.information[node]), "", ("bits", taxonomy, node))


def all_rules(truth, **weights):
    """The answer of every rule."""
    sample, start, rows = of_weights(weights), of_weights(START), []
    for rule, entry in hv.INFERENCE_RULES.items():
        nodes = np.atleast_1d(sample.answer(rule, **PARAMETERS.get(rule, {}))).tolist()
        cells = {"rule": entry.label, "answer": ", ".join(map(ANIMALS.title, nodes)) or "nothing"}
        last = nodes[-1] if nodes else 0
        cells |= {"p": sample.probability(last), "bits": bits(ANIMALS, last, "bits")}
        rows.append(cells | {"why": WHY.get(rule, entry.sentence)})
    return {
        "majority": start.named("majority"),
        "plurality": start.named("plurality"),
        "runner_up": max(float(np.sort(start.p[below])[-2]) for below in ANIMALS.children if len(below) > 1),
        "n_rules": len(hv.INFERENCE_RULES),
        "rules": rows,
        "bare": sample.tree(),
        "tree": sample.tree(ANIMALS.node(truth), sample.answer("majority")),
    }


def greedy(family):
    """The most probable leaf and the leaf that is reached from the top."""
    sample = Sample.of_weights(TOPICS, dict(TOPIC_START, family=family))
    start = Sample.of_weights(TOPICS, TOPIC_START)
    best, stepwise = sample.answer("leaf"), sample.answer("top_down")
    return {
        "at_start": start.named("top_down"),
        "leisure": start.probability("leisure"),
        "relations": start.probability("relations"),
        "best": TOPICS.title(best),
        "stepwise": TOPICS.title(stepwise),
        "numbers": [sample.probability(node) for node in ("leisure", "relations", best, stepwise)],
        "bare": sample.tree(),
        "tree": sample.tree((), stepwise),
    }


def darts(lam):
    """Reward for being right in bits."""
    sample, lam = of_weights(START), float(lam)
    nodes = hv.pareto_table(ANIMALS, sample.p[None]).nodes.tolist()
    found = sample.answer("darts", lam=lam)
    rewards = []
    for node in nodes:
        reward, made_of = (ANIMALS.information[node] + lam) * sample.p[node], ("darts", ANIMALS, sample.p, node, lam)
        rewards.append(Number(f"(I + λ) p of {ANIMALS.title(node)}", float(reward), "", made_of))
    place = nodes.index(found) if found in nodes else None
    return {
        "at_zero": sample.named("darts", lam=0.0),
        "at_eight": sample.named("darts", lam=8.0),
        "answer": ANIMALS.title(found),
        "rewards": rewards,
        "tree": sample.tree((), found),
        "bars": bars_figure("rewards", {"reward": rewards}, list(map(ANIMALS.title, nodes)), place),
    }


def cheapest(eel):
    """The most probable leaf, and the leaf with the least expected distance."""
    sample, start = of_weights(dict(FAR, eel=eel)), of_weights(FAR)
    best, near = sample.answer("leaf"), sample.answer("crm_leaf")
    return {
        "at_start": start.named("crm_leaf"),
        "mammal": start.probability("mammal"),
        "best": ANIMALS.title(best),
        "near": ANIMALS.title(near),
        "numbers": [sample.probability(node) for node in ("mammal", best, near)],
        "bare": sample.tree(),
        "tree": sample.tree((), near),
    }


def of_text(article):
    """Rules on the opening of a Wikipedia article, which a reader can judge by the words."""
    model, row = texts(), list(TEXTS).index(article)
    predictions, taxonomy = model.predictions, model.taxonomy
    sample = Sample(taxonomy, predictions.node_probabilities(np.array([row]))[0])
    answers = {rule: sample_answer(model, row, rule) for rule in READ_BY}
    rows = []
    for rule, found in answers.items():
        cells = {"rule": hv.INFERENCE_RULES[rule].label, "answer": taxonomy.title(found.nodes[0])}
        rows.append(cells | {"p": sample.probability(found.nodes[0]), "it is": OUTCOMES[found.outcome]})
    found, true = answers["majority"], int(predictions.truth[row])
    return {
        "answer": taxonomy.title(found.nodes[0]),
        "p": sample.probability(found.nodes[0]),
        "outcome": ("exact", "coarse", "no_answer", "wrong").index(found.outcome),
        "truth": taxonomy.title(true),
        "p_truth": sample.probability(true, "p of the truth"),
        "rules": rows,
        "ribbon": ribbon_figure(flip_intervals(model, row), 0.5, "thresholds"),
        "opening": predictions.text(row),
        "credit": predictions.detected["credit"],
    }


def which_rule():
    """hF1 of the rules on the open texts, and which is optimal in theory."""
    return dict(_which_rule())


@cache
def _which_rule():
    """hF1 of the rules on the open texts, of the flat model, with the rule that is optimal in theory."""
    found = decisions(load_wikipedia()[1][0], ("hf1_samples",), n_resamples=200)
    rows = []
    for place, rule in enumerate(found.rules):
        low, high = (value_text(float(of[place, 0])) for of in (found.lower, found.upper))
        tuned = ", τ tuned" if np.isfinite(found.thresholds[place, 0]) else ""
        name = f"{hv.INFERENCE_RULES[rule].label}{tuned}"
        said = "optimal in theory" if found.optimal[0] == place else ""
        rows.append(
            {"rule": name, "hF1": f"{value_text(float(found.values[place, 0]))} [{low}, {high}]", "theory": said}
        )
    best = hv.INFERENCE_RULES[found.rules[found.best[0]]].label
    values = {rule: float(found.values[place, 0]) for place, rule in enumerate(found.rules)}
    return {
        "rows": rows,
        "bare": of_weights(START).tree(),
        "decisions": picture("decisions", "decisions", found),
        "best": best,
        "optimal": values["hf_optimal"],
        "expected": float(found.expected[0]),
        "tuned": values["threshold_set"],
        "majority": values["majority"],
    }


def only_child():
    """Only children are not answered by rules of information."""
    sample = Sample.of_weights(TOPICS, dict.fromkeys(TOPIC_START, 2) | {"family": 90})
    return {
        "majority": sample.named("majority"),
        **{name: sample.probability(name) for name in ("relations", "family")},
        **{f"bits_{name}": bits(TOPICS, TOPICS.node(name), f"bits of {name}") for name in ("relations", "family")},
        "tree": sample.tree((), sample.answer("majority"), "exercise"),
    }
