"""Numbers of lesson 5: the win, −log win and cross entropy."""

import numpy as np

import hierviz as hv
from hierviz.lessons import sandbox
from hierviz.lessons.lesson import Number, Selector, Slider
from hierviz.lessons.quantities import tree_figure, win_figure
from hierviz.lessons.samples import ANIMALS, FISH, TOPICS, Sample, leaf_names
from hierviz.lessons.sandbox import CAT, START, of_weights

PLACES = ("nowhere", "above everything", "between mammal and pet", "directly above cat", "below cat")
N = 10
CONTROLS = {
    "truth": sandbox.CONTROLS["truth"],
    "weights": sandbox.CONTROLS["weights"],
    "leaf": Selector("leaf", "All probability on", leaf_names(FISH), "huso"),
    "place": Selector("place", "Where it is inserted", PLACES, "above everything"),
    "branch": Slider("branch", "Right branch, of ten", 0, N, 8, 1),
    "zeros": Slider("n_zero", "Samples with a zero, of ten", 0, N, 1, 1),
}


def weights_along_the_path(truth, **weights):
    """Weight and probability of each class on the true path."""
    sample, true = of_weights(weights), ANIMALS.node(truth)
    found = hv.win_breakdown(ANIMALS, CAT, of_weights(START).p)
    numbers = [
        Number(f"weight of {ANIMALS.title(int(node))}", float(weight), "", ("win weight", ANIMALS, CAT, place))
        for place, (node, weight) in enumerate(zip(found.nodes, found.weight))
    ]
    return {
        "win": sample.win(true),
        "weights": numbers,
        "listed": ", ".join(number.text for number in numbers),
        "tree": sample.tree(true),
        "terms": win_figure(ANIMALS, true, sample.p),
    }


def all_mass_on(leaf):
    """Raw and rescaled win with all probability on one leaf."""
    truth = FISH.node("oxyrinchus")
    rows = {}
    for name in leaf_names(FISH):
        sample = Sample.of_weights(FISH, {other: float(other == name) for other in leaf_names(FISH)})
        wins = {"raw win": sample.win(truth, rescaled=False), "win": sample.win(truth)}
        rows[name] = {"all probability on": name, **wins}
    return {
        "raw_of_huso": rows["huso"]["raw win"],
        "raw": rows[leaf]["raw win"],
        "win": rows[leaf]["win"],
        "leaves": list(rows.values()),
        "tree": tree_figure(FISH, truth, FISH.node(leaf)),
    }


def with_only_child(place):
    """The animals at the start with one class inserted that has a single child, and their truth."""
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
    return Sample.of_weights(taxonomy, {"inserted": START["cat"]} | START), taxonomy.node(truth)


def only_children(place):
    """The win with an only child inserted."""
    samples = {where: with_only_child(where) for where in PLACES}
    wins = [sample.win(truth, label=where) for where, (sample, truth) in samples.items()]
    sample, truth = samples[place]
    return {
        "wins": wins,
        **dict(zip(("without", "top", "middle", "above", "below"), wins)),
        "tree": sample.tree(truth),
        "terms": win_figure(sample.taxonomy, truth, sample.p),
    }


def two_levels(branch):
    """One-hot win on a tree of two levels."""
    right_branch, right_leaf = int(branch), min(6, int(branch))
    sports, other_leaf, other_branch = TOPICS.nodes("sports", "society", "health").tolist()
    truth, place = np.full(N, sports), np.arange(N)
    best = np.where(place < right_leaf, truth, np.where(place < right_branch, other_leaf, other_branch))
    scores = (best[:, None] == TOPICS.leaves).astype(float)
    found = hv.evaluate(hv.Predictions.from_scores(TOPICS, scores, "leaf_probabilities", truth=truth))["models"][0]

    def number(key):
        made_of = (key, TOPICS, tuple(truth.tolist()), tuple(best.tolist()))
        label = key.replace("_", " ").replace("one hot", "one-hot")
        return Number(label, found["top_down"][key], key, made_of)

    return {
        "coarse": number("coarsest_accuracy"),
        "fine": number("finest_accuracy"),
        "win": number("one_hot_win"),
        "tree": tree_figure(TOPICS, sports, other_leaf),
    }


def distribution(taxonomy, leaves, truth):
    """Metrics of probabilities of leaves, shape (n, n_leaves), with one truth; infinite ones as numbers."""
    samples = hv.Predictions.from_scores(taxonomy, leaves, "leaf_probabilities", truth=np.full(len(leaves), truth))
    found = hv.evaluate(samples)["models"][0]["distribution"]
    return {key: float("inf") if value == "Infinity" else value for key, value in found.items()}


def zeros(n_zero):
    """Mean cross entropy and −log win where some true leaves have probability 0."""
    n_zero, start = int(n_zero), of_weights(START)
    cat, dog = (leaf_names(ANIMALS).index(name) for name in ("cat", "dog"))
    leaves = np.array([start.p[ANIMALS.leaves]] * N)
    leaves[:n_zero, dog] += leaves[:n_zero, cat]
    leaves[:n_zero, cat] = 0
    zero = hv.node_probabilities(ANIMALS, leaves[:1], parametrisation="leaf_probabilities")[0]
    found = distribution(ANIMALS, leaves, CAT)

    def number(label, key):
        return Number(label, found[key], key, (f"mean {key}", ANIMALS, (CAT,) * N, leaves))

    n_infinite = number("of which infinite", "cross_entropy_infinite")
    return {
        "entropy": number("mean cross entropy", "cross_entropy"),
        "n_infinite": n_infinite,
        "is_one": n_infinite.value == 1,
        "finite": number("mean of the finite ones", "cross_entropy_finite_mean"),
        "log_win": number("mean −log win", "neg_log_win"),
        "win": number("mean win", "softmax_win"),
        "tree": (Sample(ANIMALS, zero) if n_zero else start).tree(CAT),
    }


def log_numbers(sample, truth):
    """−log win and cross entropy of one sample; infinite where their probability is 0."""
    found = distribution(sample.taxonomy, sample.p[sample.taxonomy.leaves][None], truth)
    return [
        Number(label, found[key], key, (key, sample.taxonomy, truth, sample.p))
        for label, key in (("−log win", "neg_log_win"), ("cross entropy", "cross_entropy"))
    ]


def flat_tree():
    """On a flat tree both are the same."""
    flat = hv.Taxonomy.from_edges([("root", name) for name in leaf_names(ANIMALS)])
    sample, cat = Sample.of_weights(flat, START), flat.node("cat")
    log_win, entropy = log_numbers(sample, cat)
    deep, same = log_numbers(of_weights(START), CAT)
    return {
        "log_win": log_win,
        "entropy": entropy,
        "deep": deep,
        "same": same,
        "tree": sample.tree(cat, name="exercise"),
    }
