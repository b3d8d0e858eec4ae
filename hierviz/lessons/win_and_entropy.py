"""Lesson 5: the win, −log win and cross entropy."""

from __future__ import annotations

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Exercise, Lesson, Number, OnData, Result, Selector, Slider, Step
from hierviz.lessons.quantities import (
    log_numbers,
    probability_texts,
    raw_win_number,
    tree_figure,
    win_figure,
    win_number,
)
from hierviz.lessons.sandbox import START, TRUTH, WEIGHTS, probabilities
from hierviz.lessons.trees import ANIMALS, FISH, TOPICS, leaf_names, spread

PLACES = ("nowhere", "above everything", "between mammal and pet", "directly above cat", "below cat")
N = 10


def weights_along_the_path(truth="cat", **weights):
    """Weight and probability of each class on the true path."""
    p, true = probabilities(weights), ANIMALS.node(truth)
    found = hv.win_breakdown(ANIMALS, ANIMALS.node("cat"), probabilities(START))
    numbers = [
        Number(
            f"weight of {ANIMALS.title(int(node))}",
            float(weight),
            "",
            ("win weight", ANIMALS, ANIMALS.node("cat"), place),
        )
        for place, (node, weight) in enumerate(zip(found.nodes, found.weight))
    ]
    options = (1 / 4, 1 / 3, 1 / 2, 1)
    win = win_number(ANIMALS, true, p)
    return Result(
        f"For the truth cat the weights are {', '.join(number.text for number in numbers)}: halved at each step, and the "
        "last one doubled so that they add up to 1. "
        "Getting the first step right is worth as much as all that follows. Now the truth is "
        f"{truth} and the win {win.text}: each bar of the picture is a weight, filled as far as the probability goes.",
        int(np.argmin([abs(found.weight[0] - option) for option in options])),
        numbers=(win, *numbers),
        before=(tree_figure(ANIMALS, true, (), probability_texts(p)),),
        after=(win_figure(ANIMALS, true, p),),
    )


def all_mass_on(leaf="huso"):
    """Raw and rescaled win with all probability on one leaf."""
    truth = FISH.node("oxyrinchus")

    def on(name):
        return spread(FISH, [float(other == name) for other in leaf_names(FISH)])

    raw, win = raw_win_number(FISH, truth, on(leaf)), win_number(FISH, truth, on(leaf))
    rows = tuple(
        {
            "all probability on": name,
            "raw win": raw_win_number(FISH, truth, on(name)),
            "win": win_number(FISH, truth, on(name)),
        }
        for name in leaf_names(FISH)
    )
    start = raw_win_number(FISH, truth, on("huso")).value
    return Result(
        f"For huso the raw win is {raw_win_number(FISH, truth, on('huso')).text}: the root, which every leaf shares, gives "
        "one half, and sturgeon one quarter. The raw win therefore never falls "
        "below one half. The **rescaled** win leaves the root out and doubles the rest, so it runs from 0 to 1; all tables "
        "of the paper use it, and so does hierviz. "
        f"For {leaf} it is {win.text}.",
        int(np.argmin([abs(start - option) for option in (1 / 2, 3 / 4, 7 / 8, 1)])),
        numbers=(raw, win),
        rows=rows,
        before=(tree_figure(FISH, truth, FISH.node(leaf)),),
    )


def with_only_child(place):
    """The tree of animals with one class inserted that has a single child, its truth, and the win at the start."""
    named = [
        (ANIMALS.names[parent], ANIMALS.names[child]) for child, parent in enumerate(ANIMALS.parent.tolist()) if child
    ]
    truth = "cat"
    if place == "above everything":
        named = [("everything", "animal"), *named]
    elif place == "between mammal and pet":
        named = [edge for edge in named if edge != ("mammal", "pet")] + [("mammal", "inserted"), ("inserted", "pet")]
    elif place == "directly above cat":
        named = [edge for edge in named if edge != ("pet", "cat")] + [("pet", "inserted"), ("inserted", "cat")]
    elif place == "below cat":
        named, truth = [*named, ("cat", "inserted")], "inserted"
    taxonomy = hv.Taxonomy.from_edges(named)
    weights = {"inserted": START["cat"]} | START
    p = spread(taxonomy, [weights[name] for name in leaf_names(taxonomy)])
    return taxonomy, taxonomy.node(truth), p


def only_children(place="above everything"):
    """The win with an only child inserted."""
    numbers = [win_number(*with_only_child(where), label=where) for where in PLACES]
    taxonomy, truth, p = with_only_child(place)
    change = numbers[1].value - numbers[0].value
    without, top, middle, above, below = (number.text for number in numbers)
    return Result(
        f"Without it the win is {without}. Inserted above everything it is {top}: the step into an only child is always "
        "right and takes the largest weight. Between mammal and pet it is "
        f"{middle}; directly above the true leaf {above} and below it {below}, which is no change. An only child never "
        "lowers the win. So wins can be compared on one and the same tree only, and "
        "hierviz takes a tree as it is given.",
        2 if change > 0 else 1 if change == 0 else 0,
        numbers=tuple(numbers),
        before=(tree_figure(taxonomy, truth, (), probability_texts(p)),),
        after=(win_figure(taxonomy, truth, p),),
    )


def two_levels(branch=8):
    """One-hot win on a tree of two levels."""
    right_branch, right_leaf = int(branch), min(6, int(branch))
    truth = np.full(N, TOPICS.node("sports"))
    other_leaf, other_branch = TOPICS.nodes("society", "health")
    best = np.where(np.arange(N) < right_leaf, truth, np.where(np.arange(N) < right_branch, other_leaf, other_branch))
    scores = (best[:, None] == TOPICS.leaves).astype(float)
    found = hv.evaluate(hv.Predictions.from_scores(TOPICS, scores, "leaf_probabilities", truth=truth))["models"][0][
        "top_down"
    ]
    made = (TOPICS, tuple(truth.tolist()), tuple(best.tolist()))
    coarse, fine, win = (
        Number(label, found[key], key, (key, *made))
        for label, key in (
            ("coarsest accuracy", "coarsest_accuracy"),
            ("finest accuracy", "finest_accuracy"),
            ("one-hot win", "one_hot_win"),
        )
    )
    is_mean = np.isclose(win.value, (coarse.value + fine.value) / 2)
    return Result(
        f"All probability on the best leaf gives the *one-hot win*: {win.text}. It is the mean of {coarse.text} and "
        f"{fine.text}: the branch is worth one half, the leaf, whose weight is doubled, the other half. "
        "This holds on every tree of two levels, and all rows of the paper's tables for such trees obey it to rounding.",
        0 if is_mean else 1,
        numbers=(coarse, fine, win),
        before=(tree_figure(TOPICS, TOPICS.node("sports"), int(other_leaf)),),
    )


def zeros(n_zero=1):
    """Mean cross entropy and −log win where some true leaves have probability 0."""
    n_zero, cat = int(n_zero), ANIMALS.node("cat")
    leaves = np.array([probabilities(START)[ANIMALS.leaves]] * N)
    place = leaf_names(ANIMALS).index("cat")
    dog = leaf_names(ANIMALS).index("dog")
    leaves[:n_zero, dog] += leaves[:n_zero, place]
    leaves[:n_zero, place] = 0
    zero = hv.node_probabilities(ANIMALS, leaves[:1], parametrisation="leaf_probabilities")[0]
    found = hv.evaluate(hv.Predictions.from_scores(ANIMALS, leaves, "leaf_probabilities", truth=np.full(N, cat)))[
        "models"
    ][0]["distribution"]
    made = (ANIMALS, (cat,) * N, leaves)
    numbers = [
        Number(
            label,
            float(str(found[key]).replace("Infinity", "inf")) if found[key] is not None else None,
            key,
            (f"mean {key}", *made),
        )
        for label, key in (
            ("mean cross entropy", "cross_entropy"),
            ("of which infinite", "cross_entropy_infinite"),
            ("mean of the finite ones", "cross_entropy_finite_mean"),
            ("mean −log win", "neg_log_win"),
            ("mean win", "softmax_win"),
        )
    ]
    entropy, n_infinite, finite, log_win, win = numbers
    is_infinite = n_zero != 1 or np.isinf(entropy.value)
    return Result(
        f"{n_infinite.text} of {N} samples {'has' if n_infinite.value == 1 else 'have'} probability 0 at the true leaf. The "
        f"mean cross entropy is {entropy.text}: one zero decides it and hides all else, so "
        f"hierviz also counts the infinite samples and gives the mean of the finite ones, {finite.text}. −log win is "
        f"{log_win.text}: the classes above the true leaf still have some probability, and it is "
        "infinite only where the whole path has none. The win itself, between 0 and 1, is "
        f"{win.text}.",
        0 if is_infinite else 1,
        numbers=tuple(numbers),
        before=(tree_figure(ANIMALS, cat, (), probability_texts(zero if n_zero else probabilities(START))),),
    )


def solution():
    """On a flat tree both are the same."""
    flat = hv.Taxonomy.from_edges([("root", name) for name in leaf_names(ANIMALS)])
    p = spread(flat, [START[name] for name in leaf_names(flat)])
    log_win, entropy = log_numbers(flat, flat.node("cat"), p)
    deep, same = log_numbers(ANIMALS, ANIMALS.node("cat"), probabilities(START))
    return Result(
        f"On a flat tree the path has one class, so the win is p(truth) itself: −log win is {log_win.text} and cross "
        f"entropy {entropy.text}. On the tree of animals the same probabilities have {deep.text} and "
        f"{same.text}: −log win is never larger than cross entropy.",
        0,
        numbers=(log_win, entropy, deep, same),
        before=(tree_figure(flat, flat.node("cat"), (), probability_texts(p), name="exercise"),),
    )


LESSON = Lesson(
    "win",
    "The win, its logarithm and cross entropy",
    "Weights along the path, what an only child does, and why one zero hides everything.",
    (
        Step(
            "Weights along the path",
            "The win adds up the probabilities along the true path, each with a weight. Change the probabilities.",
            "The truth is cat. Which weight does *mammal* have, the first class below the root?",
            ("1/4", "1/3", "1/2", "1"),
            weights_along_the_path,
            (TRUTH, *WEIGHTS),
        ),
        Step(
            "Raw and rescaled",
            "The example of the paper: fish. The truth is *oxyrinchus*. All probability lies on one leaf; choose which.",
            "All probability is on huso, which shares the root and sturgeon with the truth. What is the *raw* win?",
            ("1/2", "3/4", "7/8", "1"),
            all_mass_on,
            (Selector("leaf", "All probability on", leaf_names(FISH), "huso"),),
        ),
        Step(
            "Only children",
            "Somebody inserts a class with a single child into the tree. No probability of any leaf changes; the truth is "
            "cat.",
            "The class is inserted above everything. What does the win do?",
            ("it falls", "it stays", "it rises"),
            only_children,
            (Selector("place", "Where it is inserted", PLACES, "above everything"),),
        ),
        Step(
            "Two levels",
            f"{N} questions on sports are sorted into a tree of two levels. Choose how many come into the right branch; six "
            "of them, if there are so many, into the right leaf.",
            "The one-hot win of all is …",
            ("the mean of the two accuracies", "their product"),
            two_levels,
            (Slider("branch", "Right branch, of ten", 0, 10, 8, 1),),
        ),
        Step(
            "A probability of zero",
            f"{N} samples have the probabilities of the sandbox and the truth cat. In some of them cat has probability "
            "exactly 0, and dog has what it had. Choose how many.",
            "One of the samples has a zero. What is the mean cross entropy?",
            ("infinite", "large, but finite"),
            zeros,
            (Slider("n_zero", "Samples with a zero, of ten", 0, 10, 1, 1),),
        ),
    ),
    Exercise(
        "A flat tree has all leaves directly below the root. How are −log win and cross entropy related there? Check it "
        "with the probabilities of the sandbox.",
        solution,
    ),
    ("win", "cross entropy", "path", "depth"),
    OnData(
        "Mean win, −log win and cross entropy, and how many samples have an infinite one.",
        (
            "distribution.softmax_win",
            "distribution.neg_log_win",
            "distribution.cross_entropy",
            "distribution.cross_entropy_infinite",
            "distribution.cross_entropy_finite_mean",
        ),
    ),
    sources=("Wu, Tygert & LeCun 2019",),
)
