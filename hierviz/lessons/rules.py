"""Lesson 4: many ways to answer; inference rules on one sample, who stops where and why."""

from __future__ import annotations

import numpy as np

import hierviz as hv
from hierviz.diagnosis._flip_intervals import flip_intervals
from hierviz.diagnosis.sample_answers import sample_answer
from hierviz.lessons.demo_models import TEXTS, texts
from hierviz.lessons.lesson import Exercise, Figure, Lesson, Number, OnData, Result, Selector, Slider, Step
from hierviz.lessons.quantities import bars_figure, p_number, probability_texts, tree_figure
from hierviz.lessons.sandbox import START, TRUTH, WEIGHTS, probabilities
from hierviz.lessons.trees import ANIMALS, TOPICS, leaf_names, spread
from hierviz.metrics.outcomes import OUTCOMES

# What each rule looks at, in words; the rules themselves stand in `hv.INFERENCE_RULES`.
WHY = {
    "leaf": "always a leaf",
    "majority": "more probable than not",
    "threshold": "above τ = 0.5",
    "depth_thresholds": "above the threshold of its depth: 0.8, 0.5, 0.3",
    "plurality": "more probable than every runner-up",
    "expected_information": "bits × p is largest",
    "darts": "(bits + λ) × p is largest, λ = 1",
    "information_threshold": "most probable with at least 1 bit",
    "exclusive": "p minus that of its children is largest",
    "crm_leaf": "fewest expected edges to the truth",
    "crm_nodes": "largest expected information F1",
    "top_down": "the larger child at each step",
    "threshold_set": "all above τ = 0.5",
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


def answer(taxonomy, p, rule, **parameters):
    """The answer of a rule: a node, or the nodes of a set."""
    found = hv.infer(taxonomy, p[None], rule, **parameters)[0]
    return found.tolist() if isinstance(found, np.ndarray) else int(found)


def all_rules(truth="cat", **weights):
    """The answer of every rule."""
    p, true = probabilities(weights), ANIMALS.node(truth)
    rows = []
    for rule, entry in hv.INFERENCE_RULES.items():
        found = answer(ANIMALS, p, rule, **PARAMETERS.get(rule, {}))
        nodes = found if isinstance(found, list) else [found]
        last = nodes[-1] if nodes else 0
        rows.append(
            {
                "rule": entry.label,
                "answer": ", ".join(ANIMALS.title(node) for node in nodes) or "nothing",
                "p": p_number(ANIMALS, p, last),
                "bits": Number("bits", float(ANIMALS.information[last]), "", ("bits", ANIMALS, last)),
                "why": WHY.get(rule, entry.sentence),
            }
        )
    start = probabilities(START)
    names = ("pet", "cat", "mammal")
    right = names.index(ANIMALS.title(answer(ANIMALS, start, "plurality")))
    second = max(float(np.sort(start[children])[-2]) for children in ANIMALS.children if len(children) > 1)
    return Result(
        f"With the weights at the start majority stops at {ANIMALS.title(answer(ANIMALS, start, 'majority'))}, plurality at "
        f"**{names[right]}**: "
        f"it only has to beat every runner-up among siblings, and the largest of these has {second:.2f}. The table has "
        f"all {len(hv.INFERENCE_RULES)} rules with the weights shown now. Some have a threshold or another parameter to "
        "choose, others have none.",
        right,
        rows=tuple(rows),
        asked=(tree_figure(ANIMALS, values=probability_texts(p)),),
        before=(tree_figure(ANIMALS, true, answer(ANIMALS, p, "majority"), probability_texts(p)),),
    )


def greedy(family=30):
    """The most probable leaf and the leaf that is reached from the top."""
    weights = dict(TOPIC_START, family=family)
    p = spread(TOPICS, [weights[name] for name in leaf_names(TOPICS)])
    best, stepwise = answer(TOPICS, p, "leaf"), answer(TOPICS, p, "top_down")
    start = spread(TOPICS, [TOPIC_START[name] for name in leaf_names(TOPICS)])
    names = ("family", "entertainment", "computers")
    at_start = answer(TOPICS, start, "top_down")
    leisure, relations = TOPICS.node("leisure"), TOPICS.node("relations")
    return Result(
        f"At the start *family* is the most probable leaf, but top-down arrives at **{TOPICS.title(at_start)}**: its first "
        "step compares leisure, p = "
        f"{p_number(TOPICS, start, leisure).text}, with relations, p = {p_number(TOPICS, start, relations).text}, and "
        "cannot be taken back. With the weight "
        f"shown now the most probable leaf is {TOPICS.title(best)} and top-down gives {TOPICS.title(stepwise)}. Wu, Tygert "
        "and LeCun use top-down for all "
        "their accuracies; a tie goes to the first child.",
        names.index(TOPICS.title(at_start)),
        numbers=(
            p_number(TOPICS, p, leisure),
            p_number(TOPICS, p, relations),
            p_number(TOPICS, p, best),
            p_number(TOPICS, p, stepwise),
        ),
        asked=(tree_figure(TOPICS, values=probability_texts(p)),),
        before=(tree_figure(TOPICS, (), stepwise, probability_texts(p)),),
    )


def darts(lam=0.0):
    """Reward for being right in bits."""
    p = probabilities(START)
    table = hv.pareto_table(ANIMALS, p[None])
    nodes = table.nodes.tolist()
    found = answer(ANIMALS, p, "darts", lam=float(lam))
    at_zero, at_eight = (answer(ANIMALS, p, "darts", lam=value) for value in (0.0, 8.0))
    bits = ANIMALS.information
    rewards = [
        Number(
            f"(I + λ) p of {ANIMALS.title(node)}",
            float((bits[node] + float(lam)) * p[node]),
            "",
            ("darts", ANIMALS, p, node, float(lam)),
        )
        for node in nodes
    ]
    return Result(
        f"With λ = 0 the answer is {ANIMALS.title(at_zero)} (this is *expected information*), with λ = 8 it is "
        f"{ANIMALS.title(at_eight)}. λ is paid in bits for every correct answer, "
        "however coarse, so a large λ makes safety worth more than detail. Now, at "
        f"λ = {float(lam):.1f}, the largest reward has {ANIMALS.title(found)}. DARTS walks through the same classes as a "
        "threshold does, "
        "but along the upper hull of probability and bits: some of the Pareto set it never answers.",
        0 if bits[at_eight] < bits[at_zero] else 1 if bits[at_eight] == bits[at_zero] else 2,
        numbers=tuple(rewards),
        before=(tree_figure(ANIMALS, (), found, probability_texts(p)),),
        after=(
            bars_figure(
                "rewards",
                {"reward": rewards},
                [ANIMALS.title(node) for node in nodes],
                f"The largest reward has {ANIMALS.title(found)}.",
                nodes.index(found) if found in nodes else None,
            ),
        ),
    )


def cheapest(eel=30):
    """The most probable leaf, and the leaf with the least expected distance."""
    weights = dict(FAR, eel=eel)
    p, start = probabilities(weights), probabilities(FAR)
    best, near = answer(ANIMALS, p, "leaf"), answer(ANIMALS, p, "crm_leaf")
    names = ("eel", "cat", "whale")
    at_start = answer(ANIMALS, start, "crm_leaf")
    return Result(
        f"At the start the leaf with the least expected distance is **{ANIMALS.title(at_start)}**. Eel is the most probable "
        "leaf, but the mammals together have p = "
        f"{p_number(ANIMALS, start, ANIMALS.node('mammal')).text}: if the truth is among them, cat is at most a few edges "
        "away and eel far off. With the weight shown now "
        f"the most probable leaf is {ANIMALS.title(best)} and the cheapest {ANIMALS.title(near)}. Instead of edges a table "
        "of real costs can be used.",
        names.index(ANIMALS.title(at_start)),
        numbers=(p_number(ANIMALS, p, ANIMALS.node("mammal")), p_number(ANIMALS, p, best), p_number(ANIMALS, p, near)),
        asked=(tree_figure(ANIMALS, values=probability_texts(p)),),
        before=(tree_figure(ANIMALS, (), near, probability_texts(p)),),
    )


def of_text(article="Catfish"):
    """Rules on the opening of a Wikipedia article, which a reader can judge by the words."""
    model = texts()
    predictions, taxonomy, row = model.predictions, model.taxonomy, list(TEXTS).index(article)
    true, p = int(predictions.truth[row]), predictions.node_probabilities(np.array([row]))[0]
    answers = {rule: sample_answer(model, row, rule) for rule in READ_BY}
    rows = [
        {
            "rule": hv.INFERENCE_RULES[rule].label,
            "answer": taxonomy.title(found.nodes[0]),
            "p": p_number(taxonomy, p, found.nodes[0]),
            "it is": OUTCOMES[found.outcome],
        }
        for rule, found in answers.items()
    ]
    said = {
        "exact": "the true class",
        "coarse": "right and says less than the text",
        "no_answer": "no answer",
        "wrong": "wrong",
    }
    found, outcomes = answers["majority"], ("exact", "coarse", "wrong")
    start = sample_answer(model, list(TEXTS).index("Catfish"), "majority").outcome
    flips = flip_intervals(model, row)
    return Result(
        f"Here majority answers *{taxonomy.title(found.nodes[0])}*, p = {p_number(taxonomy, p, found.nodes[0]).text}: "
        f"{said[found.outcome]}. The truth is *{taxonomy.title(true)}*, with p = {p_number(taxonomy, p, true).text}. "
        "The words show what a number cannot: where the text itself names the class and a rule stops above it, the model knows "
        "less than a reader, and no rule can mend that; it can only stop in time. Where the text names the class and the "
        "answer is another one, a high probability is no proof. Choose the other articles.",
        outcomes.index(start),
        numbers=(p_number(taxonomy, p, true, "p of the truth"),),
        rows=tuple(rows),
        after=(
            Figure(
                "thresholds",
                lambda **look: hv.charts.flip_ribbon(flips, 0.5, **look),
                hv.charts.flip_ribbon(flips, 0.5).sentence,
                lambda: hv.charts.flip_ribbon(flips).table,
            ),
        ),
        quoted=predictions.text(row),
        credit=predictions.detected["credit"],
    )


def solution():
    """Only children are not answered by rules of information."""
    weights = dict(TOPIC_START, family=90, entertainment=2, society=2, sports=2, health=2, computers=2)
    p = spread(TOPICS, [weights[name] for name in leaf_names(TOPICS)])
    majority, relations, family = answer(TOPICS, p, "majority"), TOPICS.node("relations"), TOPICS.node("family")
    texts = [
        Number(f"bits of {TOPICS.title(node)}", float(TOPICS.information[node]), "", ("bits", TOPICS, node))
        for node in (relations, family)
    ]
    return Result(
        f"No: with {family and p_number(TOPICS, p, family).text} on family majority answers {TOPICS.title(majority)}. "
        "Family is the only child of relations, so both have the same probability and the same "
        f"information, {texts[0].text} and {texts[1].text} bits. No rule that answers "
        "with one class stops at a class with one child, except *exclusive*, where a model gives that class a probability "
        "of its own.",
        0,
        numbers=(*texts, p_number(TOPICS, p, relations), p_number(TOPICS, p, family)),
        before=(tree_figure(TOPICS, (), majority, probability_texts(p), name="exercise"),),
    )


LESSON = Lesson(
    "rules",
    "Many ways to answer",
    "All inference rules on one sample: which stops where, and why; and some of them on texts.",
    (
        Step(
            "All rules, one sample",
            "A model gives probabilities; an *inference rule* turns them into an answer. With "
            "the answer the tree shows what *majority* says.",
            "Majority stops at pet. *Plurality* answers with the most specific class that is more probable than every "
            "runner-up among siblings. Where does it stop at the start?",
            ("pet", "cat", "mammal"),
            all_rules,
            (TRUTH, *WEIGHTS),
        ),
        Step(
            "Step by step from the top",
            "The rule *top-down* goes to the most probable child, again and again, until it reaches a leaf. The topics of "
            "questions are a tree; change the weight of *family*.",
            "At the start family is the most probable leaf. Which leaf does top-down reach?",
            ("family", "entertainment", "computers"),
            greedy,
            (Slider("family", "Weight of family", 0, 100, 30, 1),),
        ),
        Step(
            "Paying for correctness: DARTS",
            "DARTS answers with the class whose (bits + λ) × p is largest. Change λ.",
            "λ becomes large. The answer becomes …",
            ("less specific", "no different", "more specific"),
            darts,
            (Slider("lam", "λ in bits", 0.0, 8.0, 0.0, 0.1),),
        ),
        Step(
            "The cheapest leaf",
            "If a mistake costs as many edges as lie between answer and truth, the best leaf is the one with the least "
            "*expected* distance.",
            "At the start eel is the most probable leaf. Which leaf has the least expected distance?",
            ("eel", "cat", "whale"),
            cheapest,
            (Slider("eel", "Weight of eel", 0, 100, 30, 1),),
        ),
        Step(
            "Words to judge by",
            "The opening of a Wikipedia article, out of the demo of texts. A model that has seen other articles says which of "
            "many classes it belongs to. Read it first, and decide how specific your own answer would be.",
            "*Majority* goes down as long as one class is more probable than all others together. Its answer to *Catfish* is …",
            ("the true class, fishes", "a broader class, which is right", "another class, which is wrong"),
            of_text,
            (Selector("article", "Article", tuple(TEXTS), "Catfish"),),
        ),
    ),
    Exercise(
        "In the tree of topics, can *majority* ever answer *relations*, which has one child only? Say why.", solution
    ),
    ("inference rule", "threshold", "information", "leaf", "Pareto set"),
    OnData(
        "Mean information F1 of two rules, majority and most probable leaf, and the accuracies of top-down.",
        ("curve.majority_f1", "curve.leaf_f1", "top_down.coarsest_accuracy", "top_down.finest_accuracy"),
    ),
    sources=("Valmadre, NeurIPS 2022", "Wu, Tygert & LeCun 2019", "Deng et al., CVPR 2012", "Plaud et al., CoNLL 2024"),
)
