"""Every number of every lesson, computed once more: by plain definitions, or by another call of hierviz."""

import itertools
import math
import re
from fractions import Fraction
from itertools import pairwise

import naive
import numpy as np
import pytest

import hierviz as hv
from hierviz.demo import load_demo, load_wikipedia
from hierviz.lessons import how_sure, two_winners
from hierviz.lessons.catalogue import LESSON_FILES, lesson, lessons
from hierviz.lessons.lesson import Selector, Slider
from hierviz.lessons.parametrisations import read_as
from hierviz.lessons.quantities import TEXTS
from hierviz.lessons.samples import ANIMALS, SHOP, TRIO
from hierviz.predictions.parametrisation import default_columns
from tests.lessons.first_views import first_result

DEMO = [key for key in LESSON_FILES if lesson(key).models]


def graph_of(taxonomy):
    """The plain graph of a taxonomy."""
    edges = [(int(parent), node) for node, parents in enumerate(taxonomy.parents) for parent in parents]
    return naive.Graph(taxonomy.n_nodes, edges)


def path_metric(key):
    return lambda taxonomy, truth, answer: naive.path_metrics(graph_of(taxonomy), truth, answer, truncated=False)[key]


def mean_path_metric(key):
    return lambda taxonomy, truth, answers: np.mean([path_metric(key)(taxonomy, *pair) for pair in zip(truth, answers)])


def cell(key):
    return lambda taxonomy, truth, answer: naive.confusion(graph_of(taxonomy), truth, answer)[key]


def pooled(key):
    """A measure of one answer for all samples."""

    def measure(taxonomy, truth, answer):
        graph = graph_of(taxonomy)
        tp, tn, fp, fn = (
            sum(naive.confusion(graph, one, answer)[part] for one in truth) for part in ("tp", "tn", "fp", "fn")
        )
        if key == "f1":
            return 2 * tp / (2 * tp + fp + fn)
        return (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))

    return measure


def win(taxonomy, truth, p):
    return naive.win(graph_of(taxonomy), list(p), truth)


def expected_hf1(taxonomy, p, nodes):
    graph = graph_of(taxonomy)
    found = set().union(*(naive.ancestors(graph, node) for node in nodes)) - {0} if nodes else set()
    total = 0.0
    for leaf in graph.leaves:
        true = naive.ancestors(graph, leaf) - {0}
        total += p[leaf] * 2 * len(found & true) / (len(found) + len(true))
    return total


def leaf_probabilities(taxonomy, leaves):
    """Node probabilities of rows of leaves."""
    graph = graph_of(taxonomy)
    place = {int(leaf): i for i, leaf in enumerate(taxonomy.leaves)}
    return [
        [sum(row[place[leaf]] for leaf in naive.leaves_below(graph, node)) for node in range(graph.n)] for row in leaves
    ]


def mean_distribution(what):
    def value(taxonomy, truth, leaves):
        rows = leaf_probabilities(taxonomy, leaves)
        surprises = [-math.log(row[true]) if row[true] > 0 else math.inf for row, true in zip(rows, truth)]
        if what == "cross_entropy_infinite":
            return sum(map(math.isinf, surprises))
        if what == "cross_entropy_finite_mean":
            finite = [one for one in surprises if math.isfinite(one)]
            return np.mean(finite) if finite else None
        if what == "cross_entropy":
            return np.mean(surprises)
        wins = [win(taxonomy, true, row) for row, true in zip(rows, truth)]
        return np.mean(wins) if what == "softmax_win" else np.mean([-math.log(one) for one in wins])

    return value


def best_leaf(what):
    def value(taxonomy, truth, best):
        graph = graph_of(taxonomy)
        return np.mean([naive.best_leaf_metrics(graph, *pair)[what] for pair in zip(truth, best)])

    return value


def curve_of(taxonomy, truth, p):
    return hv.operating_curve(taxonomy, truth, p)


def set_f1(augmented):
    def value(taxonomy, truth, p, threshold):
        graph, hit, predicted, true = graph_of(taxonomy), 0, 0, 0
        for node, row in zip(truth, p):
            found = {i for i in range(1, graph.n) if row[i] > threshold}
            if augmented:
                found = set().union(*(naive.ancestors(graph, i) for i in found)) - {0}
            on_path = naive.ancestors(graph, node) - {0}
            hit, predicted, true = hit + len(found & on_path), predicted + len(found), true + len(on_path)
        return 2 * hit / (predicted + true)

    return value


def lists(key):
    """Two paths a sample are matched by hand: the pair with the longest common start first."""

    def value(taxonomy, truth, predicted):
        graph, left, total = graph_of(taxonomy), list(truth), dict.fromkeys(("tp", "tn", "fp", "fn"), 0)

        def shared(a, b):
            return naive.confusion(graph, b, a)["tp"]

        names = {node: [taxonomy.names[i] for i in naive.path(graph, node)] for node in predicted}
        order = sorted(
            sorted(predicted, key=names.get, reverse=True), key=lambda one: -max(shared(one, true) for true in truth)
        )
        for one in order:
            true = max(left, key=lambda candidate: shared(one, candidate))
            left.remove(true)
            for part, count in naive.confusion(graph, true, one).items():
                total[part] += count
        return total[key]

    return value


def loss_value(name, taxonomy, truth, scores):
    """Some losses from node probabilities."""
    kind = hv.LOSSES[name].parametrisation
    p = naive.node_probabilities(graph_of(taxonomy), kind, dict(zip(default_columns(taxonomy, kind).tolist(), scores)))
    if name in ("flat_ce", "conditional_softmax", "hxe"):
        if name == "hxe":
            graph, total = graph_of(taxonomy), 0.0
            way = naive.path(graph, truth)
            for depth, (above, node) in enumerate(pairwise(way)):
                total -= math.exp(-0.1 * depth) * math.log(p[node] / p[above])
            return total
        return -math.log(p[truth])
    if name in ("raw_win", "log_win"):
        found = win(taxonomy, truth, p)
        return -found if name == "raw_win" else -math.log(found)
    assert name == "conditional_sigmoid"
    graph, total = graph_of(taxonomy), 0.0
    way = naive.ancestors(graph, truth)
    for node in range(1, graph.n):
        (parent,) = graph.parents[node]
        if parent in way:
            given = p[node] / p[parent]
            total -= math.log(given) if node in way else math.log(1 - given)
    return total


def slope(value, scores, column, step=1e-4):
    """Central difference."""
    up, down = list(scores), list(scores)
    up[column] += step
    down[column] -= step
    return (value(up) - value(down)) / (2 * step)


def of_interval(label, n):
    table, truth = how_sure.population()
    correct = hv.metrics.path_metrics(how_sure.ANIMALS, truth[:n], table.nodes_at(0.5)[:n])["correct"]
    found = hv.uncertainty.bootstrap_means(correct, hv.uncertainty.Resamples.draw(n, 1000))
    # The usual formula of a share's standard error.
    assert found.draws.std() == pytest.approx(math.sqrt(correct.mean() * (1 - correct.mean()) / n), rel=0.1)
    # The lesson shows the middle 95 % of a thousand resamples: the 25th from either end.
    low, high = np.sort(found.draws)[[24, 975]]
    return {"correct": correct.mean(), "lower end": low, "upper end": high, "width": high - low}[label]


def of_choice(label, n, part):
    rows = how_sure.choices.__wrapped__(n)
    assert (np.diff(rows[:, [1, 0, 2]]) >= 0).all()
    return rows[("in sample", "on new samples", "cross-fitted").index(label)][part]


def of_bins(column):
    def value(subject, place):
        example = how_sure.calibration_example()
        node = example.taxonomy.node(subject)
        p = example.node_probabilities()[:, node]
        is_below = example.taxonomy.is_ancestor(node, example.truth)
        level = np.unique(p.round(9))[place]
        inside = np.isclose(p, level)
        return {"p": level, "rate": is_below[inside].mean(), "n": inside.sum()}[column]

    return value


def calibration_error(name):
    parts = []
    for place in range(3 if name in "uw" else 2):
        parts.append([of_bins(column)(name, place) for column in ("p", "rate", "n")])
    return sum(n * abs(p - rate) for p, rate, n in parts) / sum(n for *_, n in parts)


def demo(key):
    """Predictions of a model of the demo, loaded anew."""
    if key not in LOADED:
        if key == "deep_rtc":
            LOADED[key] = demo("parameter_sharing").replace(parametrisation="deep_rtc")
        else:
            (LOADED[key],) = load_demo((key,))[1]
    return LOADED[key]


LOADED, EVALUATED = {}, {}


def demo_metric(key, column):
    if key not in EVALUATED:
        EVALUATED[key] = hv.evaluate(demo(key))["models"][0]
    block, name = column.split(".")
    return EVALUATED[key][block][name]


def difference(what, part):
    first, second = (hv.Evaluation.from_predictions(demo(key)) for key in two_winners.PAIR)
    column = {"win": "distribution.softmax_win", "R@90C": "curve.recall_at_90_correct"}[what]
    if part == 0:
        return demo_metric(two_winners.PAIR[0], column) - demo_metric(two_winners.PAIR[1], column)
    resamples = hv.uncertainty.Resamples.draw(first.n_judged, two_winners.RESAMPLES)
    if what == "win":
        gaps = first.distribution_per_sample()["softmax_win"] - second.distribution_per_sample()["softmax_win"]
        found = hv.uncertainty.bootstrap_means(gaps, resamples)
        return (found.lower, found.upper)[part - 1]
    tables = [one.judged_table for one in (first, second)]
    found = hv.uncertainty.difference_of_models(
        first.taxonomy, first.truth, *tables, resamples, correct=[0.9]
    ).at_correct
    return float((found.lower, found.upper)[part - 1][0])


def answers_of(key):
    p = demo(key).node_probabilities()
    return hv.infer(demo(key).taxonomy, p, "leaf")


def values_of(one, other):
    sign = {"distribution.cross_entropy": -1}
    return [[sign.get(column, 1) * demo_metric(key, column) for key in two_winners.MODELS] for column in (one, other)]


def kendall(one, other):
    return tau_b(*values_of(one, other))


def tau_b(x, y):
    values = (x, y)
    pairs = [
        (np.sign(a - b), np.sign(c - d)) for i, (a, c) in enumerate(zip(*values)) for b, d in list(zip(*values))[:i]
    ]
    # Pairs with the same value count in the numerator of neither, and in the denominator of the other one only.
    untied = [sum(1 for pair in pairs if pair[side]) for side in (0, 1)]
    return sum(a * b for a, b in pairs) / math.sqrt(untied[0] * untied[1])


def by_chance(one, other, part):
    """Of all orders of the second list: the share as far from 0, and the ends that at most 2.5 % lie beyond."""
    x, y = values_of(one, other)
    taus = np.round([tau_b(x, order) for order in itertools.permutations(y)], 9)
    if part == 0:
        return (abs(taus) >= round(abs(tau_b(x, y)), 9)).mean()
    ends = [tau for tau in np.unique(taus) if (taus < tau if part == 1 else taus > tau).mean() <= 0.025]
    return max(ends) if part == 1 else min(ends)


COMPUTED = {
    "p": lambda taxonomy, p, node: p[node],
    "bits": lambda taxonomy, node: naive.information(graph_of(taxonomy), node),
    "count": lambda n: n,
    "win": win,
    "raw win": lambda taxonomy, truth, p: naive.raw_win(graph_of(taxonomy), list(p), truth),
    "win weight": lambda taxonomy, truth, place: 2.0 ** -min(place + 1, naive.depth(graph_of(taxonomy), truth) - 1),
    "neg_log_win": lambda taxonomy, truth, p: -math.log(win(taxonomy, truth, p)),
    "cross_entropy": lambda taxonomy, truth, p: -math.log(p[truth]),
    "expected hf1": expected_hf1,
    "darts": lambda taxonomy, p, node, lam: (naive.information(graph_of(taxonomy), node) + lam) * p[node],
    **{
        key: path_metric(key)
        for key in ("exact", "correct", "info_recall", "depth_precision", "depth_recall", "depth_f1")
    },
    **{f"mean {key}": mean_path_metric(key) for key in ("depth_precision", "depth_recall")},
    "hp empty1": mean_path_metric("depth_precision"),
    "hp empty0": lambda taxonomy, truth, answers: np.mean(
        [
            0 if answer == 0 else path_metric("depth_precision")(taxonomy, true, answer)
            for true, answer in zip(truth, answers)
        ]
    ),
    "ppv": lambda taxonomy, truth, answers: None,
    **{key: cell(key) for key in ("tp", "tn", "fp", "fn")},
    **{f"lists {key}": lists(key) for key in ("tp", "tn", "fp", "fn")},
    **{
        f"graph {key}": lambda taxonomy, truth, answer, key=key: hv.confusion(
            taxonomy, np.array([truth]), np.array([answer])
        ).counts[key]
        for key in ("tp", "tn", "fp", "fn")
    },
    "constant mcc": pooled("mcc"),
    "constant f1": pooled("f1"),
    **{key: best_leaf(key) for key in ("coarsest_accuracy", "finest_accuracy", "one_hot_win")},
    **{
        f"mean {key}": mean_distribution(key)
        for key in (
            "cross_entropy",
            "cross_entropy_infinite",
            "cross_entropy_finite_mean",
            "neg_log_win",
            "softmax_win",
        )
    },
    "at": lambda key, level, taxonomy, truth, p: naive.mean_metrics(
        graph_of(taxonomy), p.tolist(), truth.tolist(), level
    )[key],
    "curve": lambda key, taxonomy, truth, p: hv.evaluate(
        hv.Predictions.from_scores(taxonomy, p[:, taxonomy.leaves], "leaf_probabilities", truth=truth)
    )["models"][0]["curve"][key],
    "largest recall": lambda taxonomy, truth, p: max(curve_of(taxonomy, truth, p).values["info_recall"]),
    "specificity": lambda level, taxonomy, truth, p: max(
        [
            recall
            for recall, correct in zip(
                *(curve_of(taxonomy, truth, p).values[key] for key in ("info_recall", "correct"))
            )
            if correct >= level - 1e-12
        ],
        default=0.0,
    ),
    "above parent": lambda taxonomy, key, scores: max(
        0.0,
        *(p_of(key, scores)[node] - p_of(key, scores)[taxonomy.parent[node]] for node in range(1, taxonomy.n_nodes)),
    ),
    "gap": lambda taxonomy, key, scores: max(
        abs(p_of(key, scores)[node] - sum(p_of(key, scores)[child] for child in children))
        for node, children in enumerate(taxonomy.children)
        if len(children)
    ),
    "conditional": lambda key, scores, name: (
        p_of(key, scores)[TRIO.node(name)] / p_of(key, scores)[TRIO.parent[TRIO.node(name)]]
    ),
    "sets micro_f1": set_f1(False),
    "sets hf1_micro": set_f1(True),
    "loss": loss_value,
    "gradient": lambda name, taxonomy, truth, scores, column: slope(
        lambda row: loss_value(name, taxonomy, truth, row), scores, column
    ),
    "hxe gradient": lambda alpha, scores, column: slope(
        lambda row: float(hv.loss("hxe", TRIO, TRIO.nodes("apple"), np.array([row]), alpha=alpha)[0][0]), scores, column
    ),
    "interval": of_interval,
    "choice": of_choice,
    "guarantee": lambda percent: how_sure.guaranteed.__wrapped__(percent).threshold,
    "in sample threshold": lambda: in_sample_threshold(),
    "bin p": of_bins("p"),
    "bin rate": of_bins("rate"),
    "bin n": of_bins("n"),
    "ece": calibration_error,
    "demo metric": demo_metric,
    "demo ac": lambda key: demo_metric(key, "curve.ac"),
    "demo r90": lambda key: demo_metric(key, "curve.recall_at_90_correct"),
    "demo at": lambda which, key, level: demo_at(which, key, level),
    "difference": difference,
    "kendall": kendall,
    "by chance": by_chance,
    "same leaf": lambda one, other: (answers_of(one) == answers_of(other)).mean(),
    "n leaves": lambda key: len(set(answers_of(key).tolist())),
}


def p_of(key, scores):
    """Node probabilities of named raw scores, by plain definitions."""
    values = {"thing": 0.0} | dict(scores)
    return naive.node_probabilities(
        graph_of(TRIO), key, {node: values[TRIO.names[node]] for node in default_columns(TRIO, key).tolist()}
    )


def demo_at(which, key, level):
    """Mean of a path metric of the rule threshold over the samples with a truth."""
    model = demo(which)
    answers = hv.infer(model.taxonomy, model.node_probabilities(), "threshold", threshold=level)
    return hv.metrics.path_metrics(model.taxonomy, model.truth, answers)[key].mean()


def in_sample_threshold():
    table, truth = how_sure.population()
    curve = hv.operating_curve(how_sure.ANIMALS, truth[:600], table.take(slice(0, 600)))
    good = np.flatnonzero(curve.values["correct"] >= how_sure.GOAL)
    best = good[np.argmax(curve.values["info_recall"][good])]
    return curve.threshold[best]


def settings_of(step, seed):
    """Random settings of a step."""
    rng, chosen = np.random.default_rng(seed), {}
    for control in step.controls:
        if isinstance(control, Selector):
            chosen[control.name] = control.options[rng.integers(len(control.options))]
        elif isinstance(control, Slider):
            steps = round((control.high - control.low) / control.step)
            chosen[control.name] = control.low + control.step * int(rng.integers(steps + 1))
    return chosen


def check(result):
    for number in result.all_numbers:
        expected = COMPUTED[number.made_of[0]](*number.made_of[1:])
        if expected is None:
            assert number.value is None, number.label
        else:
            assert number.value == pytest.approx(expected, rel=1e-5, abs=2e-6), (number.label, number.made_of[0])


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(key, marks=pytest.mark.long) if key in (*DEMO, "how-sure", "rules", "thresholds") else key
        for key in LESSON_FILES
    ],
)
def test_every_number_is_that_of_the_definition(key):
    for step in lesson(key).steps:
        check(first_result(step))
    check(lesson(key).exercise.result())


@pytest.mark.parametrize(
    "key",
    [
        # Forty repetitions of folds, at several settings.
        pytest.param(key, marks=pytest.mark.long) if key in ("how-sure", "rules") else key
        for key in LESSON_FILES
        if key not in DEMO
    ],
)
def test_numbers_follow_the_settings(key):
    for seed in (1, 2):
        for step in lesson(key).steps:
            check(step.result(**settings_of(step, seed)))


def nearest(value, **options):
    """The option whose number is nearest to a value."""
    return min(options, key=lambda name: abs(options[name] - value))


def nearest_share(number):
    """A number as one of the fractions that questions offer."""
    return min(
        ("0", "1/4", "1/3", "1/2", "2/3", "3/4", "7/8", "1"), key=lambda text: abs(Fraction(text) - number.value)
    )


def sign(value, falls="it decreases", stays="it does not change", rises="it increases"):
    return falls if value < 0 else stays if value == 0 else rises


def bits_of(names):
    return ANIMALS.information[ANIMALS.nodes(*names.split(", "))]


def what_goes_down(found):
    precision, recall = found["precision"].value, found["recall"].value
    return {(True, False): "only hR", (False, True): "only hP"}.get((precision == 1, recall == 1), "hP and hR")


# The right option of every question, from what its step computes at the start.
RIGHT = {
    "flat-metrics": (
        lambda found: "both the same" if found["near"].value == found["far"].value else "jumper as less wrong",
        lambda found: nearest_share(found["hp"]),
        what_goes_down,
        lambda found: nearest_share(found["recall"]),
    ),
    "sandbox": (
        lambda found: (
            "the sum over its leaves"
            if np.isclose(found["mammal"].value, sum(leaf.value for leaf in found["leaves"]))
            else "that of its most probable leaf"
        ),
        lambda found: found["answer"],
        lambda found: ("none", "one", "two")[found["fn"].value],
        lambda found: sign(found["moved"].value - found["at_start"].value),
        lambda found: "it never decreases" if (np.diff(bits_of(found["answers"])) > 0).all() else "it may decrease",
    ),
    "thresholds": (
        lambda found: {1: "one", 4: "four", 7: "seven", 12: "twelve"}[found["n"].value],
        lambda found: "it increases" if found["high"].value > found["low"].value else "it decreases or does not change",
        lambda found: "no" if found["ac"].value <= found["largest"].value else "yes",
        lambda found: max(found["sets"], key=lambda number: number.value).label,
        lambda found: max(found["sets"], key=lambda number: number.value).label,
    ),
    "rules": (
        lambda found: found["plurality"],
        lambda found: found["at_start"],
        lambda found: sign(
            float(bits_of(found["at_eight"])[0] - bits_of(found["at_zero"])[0]),
            "less specific",
            "no different",
            "more specific",
        ),
        lambda found: found["at_start"],
        lambda found: {0: "the true class, fishes", 1: "a broader class, which is correct"}.get(
            found["outcome"], "another class, which is wrong"
        ),
        lambda found: found["best"],
    ),
    "win": (
        lambda found: nearest_share(found["weights"][0]),
        lambda found: nearest_share(found["raw_of_huso"]),
        lambda found: sign(found["top"].value - found["without"].value),
        lambda found: (
            "the mean of the two accuracies"
            if np.isclose(found["win"].value, (found["coarse"].value + found["fine"].value) / 2)
            else "their product"
        ),
        lambda found: "infinite" if np.isinf(found["entropy"].value) else "large, but finite",
    ),
    "confusion": (
        lambda found: found["at_start"].text,
        lambda found: re.search(r"\*jumper\* is compared with \*(.+?)\*", found["at_start"])[1],
        lambda found: found["way"],
        lambda found: sign(found["at_start"].value, "below 0", "0", "above 0"),
    ),
    "parametrisations": (
        lambda found: "yes" if found["is_one"] else "no",
        lambda found: found["names"].replace("Multi", "multi"),
        lambda found: "yes" if found["is_sigmoid_exhaustive"] else "no",
        lambda found: (
            "equal at every threshold" if abs(found["flat"].value - found["by_sets"].value) < 1e-9 else "hF1 is larger"
        ),
    ),
    "how-sure": (
        lambda found: nearest(
            found["large"].value / found["small"].value,
            **{"as wide": 1, "half as wide": 1 / 2, "a quarter as wide": 1 / 4},
        ),
        lambda found: "worse" if found["outside"].value < found["inside"].value else "as well or better",
        lambda found: "higher" if found["at_ten"].value > found["in_sample"].value else "the same or lower",
        lambda found: (
            "no"
            if how_sure.reliability_of("u").is_flagged[0] and not how_sure.reliability_of("a").is_flagged[0]
            else "yes, sums of calibrated numbers are calibrated"
        ),
    ),
    "two-winners": (
        lambda found: (
            found["by_win"].casefold() if found["by_win"] == found["by_curve"] else "it depends on the metric"
        ),
        lambda found: "no" if abs(found["correct_first"].value - found["correct_second"].value) > 0.002 else "yes",
        lambda found: (
            "neither: seven models are too few"
            if found["share"].value >= 0.05
            else sign(found["start"].value, "clearly opposite", "", "clearly alike")
        ),
    ),
    "losses": (
        lambda found: max(
            ("cross entropy", "log win", "raw win"),
            key=lambda name: abs(found[f"across_{name.replace('cross entropy', 'flat_ce').replace(' ', '_')}"].value),
        ),
        lambda found: nearest(
            abs(found["inside_log_win"].value), **{"nearly 1": 1, "about one half": 1 / 2, "nearly 0": 0}
        ),
        lambda found: "the same formula, with different probabilities" if found["agrees"] else "the same numbers",
    ),
    "training": (
        lambda found: (
            "under a fifth"
            if found["collapsed"].value < 0.2
            else "between a fifth and three fifths"
            if found["collapsed"].value < 0.6
            else "over three fifths"
        ),
        lambda found: "yes" if found["is_trained_on_it"] else "no",
        lambda found: "yes, nearly always" if found["share"].value > 0.99 else "often not",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("key", LESSON_FILES)
def test_the_options_that_are_marked_right_are_those_that_the_numbers_give(key):
    for step, right in zip(lesson(key).steps, RIGHT[key], strict=True):
        assert step.options[step.right] == right(step.work(**step.defaults)), step.title


def test_an_only_child_never_lowers_the_win():
    numbers = {number.label: number.value for number in first_result(lesson("win").steps[2]).numbers}
    without = numbers.pop("nowhere")
    assert numbers.pop("above everything") > without
    assert numbers.pop("directly above cat") == pytest.approx(without)
    assert numbers.pop("below cat") == pytest.approx(without)
    assert min(numbers.values()) >= without


def test_published_values():
    """Figures 7 and 8 of Plaud et al., and the fish of Wu et al., to the digits of the papers."""
    seven, eight = (
        {number.label: number.value for number in first_result(lesson("thresholds").steps[i]).numbers} for i in (3, 4)
    )
    assert seven["{1}"] == pytest.approx(0.5)
    assert seven["{1, 5}"] == pytest.approx(0.55)
    assert seven["{1, 2, 5}"] == pytest.approx(0.565)
    assert seven["{1, 2, 3, 4, 5}"] == pytest.approx(0.5119, abs=5e-5)
    assert [eight[name] for name in ("{1}", "{1, 3}", "{1, 3, 5}", "{1, 2, 3, 5}")] == pytest.approx(
        [0.6, 0.725, 0.72, 0.64]
    )
    fish = {
        row["all probability on"]: (row["raw win"].value, row["win"].value)
        for row in first_result(lesson("win").steps[1]).rows
    }
    assert fish["huso"] == (3 / 4, 1 / 2)
    assert fish["other"] == (7 / 8, 3 / 4)
    assert fish["oxyrinchus"] == (1, 1)


def test_the_shop_has_ten_articles_and_the_sandbox_seven_leaves():
    assert SHOP.n_leaves == 10
    assert len(lessons()) == 11
    assert 3 <= min(len(one.steps) for one in lessons()) <= max(len(one.steps) for one in lessons()) <= 6
    assert read_as("flat_softmax", dict.fromkeys(("apple", "pear", "roll", "loaf"), 0.0)).p[TRIO.node("fruit")] == 0.5


@pytest.mark.long
def test_texts_are_those_of_the_demo_with_sums_of_their_leaves():
    predictions = load_wikipedia()[1][0]
    for article, sample in TEXTS.items():
        row, result = predictions.row(sample), lesson("rules").steps[4].result(article=article)
        assert article.split()[0][:6] in result.quoted
        assert result.quoted == predictions.text(row)
        assert "CC BY-SA" in result.credit
        for cell in (result.numbers[0], *(one["p"] for one in result.rows)):
            taxonomy, p, node = cell.made_of[1:]
            leaves = [place for place, leaf in enumerate(taxonomy.leaves) if node in taxonomy.path(leaf)]
            assert cell.value == pytest.approx(float(predictions.scores[row][leaves].sum()), abs=1e-5)
            assert p[0] == pytest.approx(1)
