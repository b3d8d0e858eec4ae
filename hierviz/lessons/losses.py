"""Lesson 10: losses; values and gradients of two losses on the same scores."""

from __future__ import annotations

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Exercise, Lesson, Number, OnData, Result, Selector, Slider, Step
from hierviz.lessons.quantities import bars_figure, loss_numbers, probability_texts, tree_figure
from hierviz.lessons.trees import TRIO, leaf_names
from hierviz.predictions.parametrisation import default_columns

# Losses of one score a leaf.
OF_LEAVES = {hv.LOSSES[key].label: key for key in ("flat_ce", "raw_win", "log_win", "hxe")}
ACROSS = {"apple": 0.0, "pear": 0.0, "roll": 8.0, "loaf": 0.0}
INSIDE = {"apple": 0.0, "pear": 8.0, "roll": 0.0, "loaf": 0.0}
NODES = {"fruit": 0.5, "bread": 0.0, "apple": -1.0, "pear": 1.0}
APPLE = TRIO.node("apple")
ONE = Selector("one", "One loss", tuple(OF_LEAVES), "Flat cross entropy")
OTHER = Selector("other", "Another loss", tuple(OF_LEAVES), "Log win")


def sliders(start):
    """A slider a leaf."""
    return tuple(Slider(name, f"Score of {name}", -10.0, 10.0, value, 0.1) for name, value in start.items())


def gradients(scores):
    """Value and pull on each leaf of the losses of leaves: dict of key to (value, gradient entries)."""
    row = [scores[name] for name in leaf_names(TRIO)]
    return {key: loss_numbers(key, TRIO, APPLE, row) for key in OF_LEAVES.values()}


def shown_gradients(one, other, scores):
    """Figures and numbers of two losses."""
    found = gradients(scores)
    pair = dict.fromkeys((one, other))
    p = hv.node_probabilities(
        TRIO, np.array([[scores[name] for name in leaf_names(TRIO)]]), parametrisation="flat_softmax"
    )[0]
    series = {label: found[OF_LEAVES[label]][1] for label in pair}
    place = leaf_names(TRIO).index("apple")
    pulls = "; ".join(f"{label}: {entries[place].text}" for label, entries in series.items())
    tree = tree_figure(TRIO, APPLE, (), probability_texts(p))
    bars = bars_figure(
        "gradients", series, leaf_names(TRIO), f"Gradient by the score of apple, the truth. {pulls}.", place
    )
    numbers = tuple(found[OF_LEAVES[label]][0] for label in pair)
    return numbers, tuple(entries[place] for entries in series.values()), tree, bars


def at_truth(scores):
    """Gradient at the true leaf by loss."""
    place = leaf_names(TRIO).index("apple")
    return {key: entries[place] for key, (_, entries) in gradients(scores).items()}


def across(one="Flat cross entropy", other="Log win", **scores):
    """A confident mistake in another branch."""
    numbers, pulls, tree, bars = shown_gradients(one, other, scores)
    start = at_truth(ACROSS)
    order = ("flat_ce", "log_win", "raw_win")
    return Result(
        f"At the start cross entropy pulls the score of apple with {start['flat_ce'].text}, log win with "
        f"{start['log_win'].text}, raw win with {start['raw_win'].text}. A negative gradient raises the score in training. "
        "Cross entropy pulls with nearly its whole strength at the worst mistakes. "
        "The raw win is linear in the probabilities, and the softmax is flat where it is sure: the gradient vanishes, so "
        "training cannot leave a confident mistake. The logarithm restores a pull, "
        "but shares it with pear, which stands in the right branch.",
        int(np.argmax([abs(start[key].value) for key in order])),
        numbers=(*numbers, *pulls),
        before=(tree,),
        after=(bars,),
    )


def inside(one="Flat cross entropy", other="Log win", **scores):
    """A confident mistake inside the right branch."""
    numbers, pulls, tree, bars = shown_gradients(one, other, scores)
    start = at_truth(INSIDE)
    value = abs(start["log_win"].value)
    return Result(
        f"Inside the branch log win pulls apple with {start['log_win'].text} only, cross entropy still with "
        f"{start['flat_ce'].text}. Pear earns half of the win already, so the logarithm is no longer steep. A network "
        "trained with it from scratch learns the branches and not the leaves; "
        "this is why the demo's log-win model starts with some epochs of cross entropy.",
        int(np.argmin([abs(value - option) for option in (1.0, 0.5, 0.0)])),
        numbers=(*numbers, *pulls),
        before=(tree,),
        after=(bars,),
    )


def proposition_2(**scores):
    """Conditional softmax and conditional sigmoid: the same formula with another P."""
    values = {"roll": 0.0, "loaf": 0.0} | scores
    rows, series, numbers = [], {}, []
    for key in ("conditional_softmax", "conditional_sigmoid"):
        columns = default_columns(TRIO, key)
        row = [values[TRIO.names[node]] for node in columns]
        value, entries = loss_numbers(key, TRIO, APPLE, row)
        series[hv.LOSSES[key].label] = [entries[list(columns).index(node)] for node in TRIO.nodes(*NODES)]
        numbers.append(value)
    p = {
        key: hv.node_probabilities(
            TRIO, np.array([[values[TRIO.names[node]] for node in default_columns(TRIO, key)]]), parametrisation=key
        )[0]
        for key in ("conditional_softmax", "conditional_sigmoid")
    }
    holds = []
    for place, name in enumerate(NODES):
        node = TRIO.node(name)
        line = {"class": name, "true": "yes" if name in ("fruit", "apple") else "no"}
        for key in p:
            given = float(p[key][node] / p[key][TRIO.parent[node]])
            entry = series[hv.LOSSES[key].label][place]
            line[f"P, {key.removeprefix('conditional_')}"] = Number(
                "P", given, "", ("conditional", key, tuple(values.items()), name)
            )
            line[f"gradient, {key.removeprefix('conditional_')}"] = entry
            holds.append(np.isclose(entry.value, given - (name in ("fruit", "apple")), atol=1e-6))
        rows.append(line)
    return Result(
        "For every class on the true path and its siblings the gradient is P(class | parent), less 1 if the class is true: "
        f"{'the table agrees with that for both losses' if all(holds) else 'the table does not agree'}. *Equal gradients* "
        "in Proposition 2 of Plaud et al. means this one formula; the P in it are different, "
        "since siblings of a softmax share 1 and sigmoids do not, so the numbers differ. Classes whose parent is not on the "
        "true path get no gradient from either.",
        1 if all(holds) else 0,
        numbers=tuple(numbers),
        rows=tuple(rows),
        before=(tree_figure(TRIO, APPLE, (), probability_texts(p["conditional_softmax"])),),
        after=(
            bars_figure(
                "gradients",
                series,
                tuple(NODES),
                "Gradients of conditional softmax and conditional sigmoid by the scores of four classes.",
            ),
        ),
    )


def solution():
    """HXE with weights that fall with depth."""
    row = [INSIDE[name] for name in leaf_names(TRIO)]
    place = leaf_names(TRIO).index("apple")
    numbers = []
    for alpha in (0.0, 1.0):
        _, gradient = hv.loss("hxe", TRIO, np.array([APPLE]), np.array([row]), alpha=alpha)
        numbers.append(
            Number(f"HXE, α = {alpha:g}", float(gradient[0, place]), "", ("hxe gradient", alpha, tuple(row), place))
        )
    entropy = at_truth(INSIDE)["flat_ce"]
    return Result(
        "HXE weighs the conditionals along the path by exp(−α (depth − 1)). With α = 0 it is cross entropy: the pull on "
        f"apple is {numbers[0].text}, as {entropy.text}. With α = 1 it is {numbers[1].text}: a mistake inside the branch "
        "counts less.",
        0,
        numbers=(*numbers, entropy),
        before=(tree_figure(TRIO, APPLE, (), name="exercise"),),
    )


LESSON = Lesson(
    "losses",
    "Losses and their gradients",
    "What two losses do with the same scores: who pulls, how hard, and where.",
    (
        Step(
            "A confident mistake in another branch",
            "A model is sure of *roll* (score 8), but the truth is *apple*. Training moves each score against its gradient. "
            "Choose two losses and change the scores.",
            "At the start: which loss pulls the score of apple hardest?",
            ("cross entropy", "log win", "raw win"),
            across,
            (ONE, OTHER, *sliders(ACROSS)),
        ),
        Step(
            "A confident mistake inside the branch",
            "Now the model is sure of *pear*, the sibling of the true *apple*.",
            "At the start: how strong is the pull of log win on apple?",
            ("nearly 1", "about one half", "nearly 0"),
            inside,
            (ONE, OTHER, *sliders(INSIDE)),
        ),
        Step(
            "Proposition 2",
            "Conditional softmax and conditional sigmoid read one score of each class as its probability given its parent. "
            "Change the scores.",
            "Proposition 2 of Plaud et al. says that their gradients are equal. What does that mean?",
            ("the same numbers", "the same formula, with different probabilities"),
            proposition_2,
            tuple(Slider(name, f"Score of {name}", -5.0, 5.0, value, 0.1) for name, value in NODES.items()),
        ),
    ),
    Exercise(
        "Hierarchical cross entropy (HXE) has a parameter α. What happens to the pull on apple inside the branch when α goes "
        "from 0 to 1? Use `hv.loss('hxe', ...)`.",
        solution,
    ),
    ("loss", "gradient", "logit", "cross entropy", "win"),
    OnData(
        "Cross entropy and −log win of your models: the losses that could have trained them.",
        ("distribution.cross_entropy", "distribution.neg_log_win"),
    ),
    sources=("Wu, Tygert & LeCun 2019", "Plaud et al., CoNLL 2024", "Bertinetto et al., CVPR 2020"),
)
