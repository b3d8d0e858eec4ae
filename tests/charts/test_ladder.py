"""The drawing of one sample as Vega draws it: lengths of bars, the answer at a threshold, siblings, terms of the win, counts."""

import itertools
import math

import naive
import numpy as np
import pytest
import strategies
import vl_convert

import hierviz as hv
from hierviz.charts.ladder_record import MOST_LANES, LadderSettings, ladder_record
from hierviz.charts.ladder_spec import ladder_spec
from hierviz.charts.theme import COLOURS
from hierviz.demo import load_demo
from hierviz.diagnosis.sample_answers import sample_confusion
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.unknown_mass import node_bounds
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.number_text import probability_text
from hierviz.predictions.listed_scores import ListedScores

PARAMETERS = {"threshold": "threshold", "threshold_set": "threshold", "darts": "lam", "information_threshold": "bits"}
LOOKS = list(itertools.product((366, 900, 1310), (False, True)))
# Samples of each kind: 200 with those of the demo.
KINDS = {"leaves": 36, "any": 36, "several": 24, "graph": 24, "inner": 16, "unknown": 10, "top-k": 20, "labels": 10}
KINDS["chain"] = 8
DEMO = 16
WEIGHT_OF_ALL = 152


class Drawing:
    """What Vega draws of a record.

    Attributes
    ----------
    zero, one : float
        Pixels where the axis of p has these values.
    bars : list of dict
        ``name``, ``p`` (its length on the axis), ``hi`` (what its pale end adds), ``words`` behind it, ``count``, ``tall``.
    win, weights, terms : list
        Texts of the terms, the sum last, and lengths of their bars.
    """

    def __init__(self, record, *, width=1310, dark=False, height=760, **signals):
        self.spec = ladder_spec(record, width=width, height=height, dark=dark)
        for signal in self.spec["signals"]:
            signal |= {"value": signals[signal["name"]]} if signal["name"] in signals else {}
        made = vl_convert.vega_to_scenegraph(self.spec)["scenegraph"]["items"][0]["items"]
        self.marks = list(zip(self.spec["marks"], (one["items"] for one in made), strict=True))
        self.names = {mark["name"]: items for mark, items in self.marks if "name" in mark}
        axis = {one["text"]: one["x"] for one in self.find("ticks", "text", "datum.t") if one["text"] in ("0.0", "1.0")}
        self.zero, self.one = axis["0.0"], axis["1.0"]
        self.pixel = 1 / (self.one - self.zero)
        names, words, counts = (self.find("bars_now", "text", key) for key in ("datum.name + (", "narrow ? '' :", "|| ''"))
        pale = next(items for mark, items in self.marks if mark["type"] == "rect" and data_of(mark) == "bars_now")
        parts = zip(names, self.names["bar_marks"], pale, words, counts, strict=True)
        self.bars = [
            {"name": name["text"].split("  ")[0], "p": bar["width"] * self.pixel, "hi": end["width"] * self.pixel}
            | {"words": (said if width >= 640 else name)["text"], "count": count["text"], "tall": bar["height"]}
            | {"left": bar["x"]}
            for name, bar, end, said, count in parts
        ]
        self.win = [one["text"] for one in self.find("win_now", "text", "datum.text")]
        rects = [items for mark, items in self.marks if data_of(mark) == "win_now" and mark["type"] == "rect"]
        self.weights, self.terms = ([one["width"] / WEIGHT_OF_ALL for one in items] for items in rects)
        texts = [one.get("text") for mark, items in self.marks if mark["type"] == "text" for one in items]
        self.texts = [one for one in texts if isinstance(one, str)]
        self.background = COLOURS["background"][dark]

    def find(self, data, kind, holds):
        """Items of the mark of some data whose text holds something."""
        return next(
            items
            for mark, items in self.marks
            if data_of(mark) == data and mark["type"] == kind and holds in mark["encode"]["update"]["text"]["signal"]
        )

    @property
    def answer(self):
        return next(text[8:] for text in self.texts if text.startswith("Answer: "))

    @property
    def sentence(self):
        shown = self.names["sentence"][0]["text"]
        return " ".join(shown) if isinstance(shown, list) else shown


def data_of(mark):
    return mark.get("from", {}).get("data")


class Sample:
    """One sample of a random taxonomy: `graph` and `p` for the plain definitions, `truth` and the Evaluation."""

    def __init__(self, kind, number):
        rng = np.random.default_rng([list(KINDS).index(kind), number])
        n = int(rng.integers(3, 14))
        parents = [[int(rng.integers(max(0, i - 4), i))] for i in range(1, n)]
        if kind == "chain":
            # Fourteen levels, of which some have a second child.
            parents = [[i] for i in range(14)] + [[i] for i in range(3, 12, 1 + number % 3)]
        if kind == "graph":
            parents = [one + [i - 2] * (i >= 2 and i - 2 not in one and rng.random() < 0.5) for i, one in enumerate(parents, 1)]
        self.graph = naive.Graph(len(parents) + 1, [(a, i) for i, own in enumerate(parents, 1) for a in own])
        self.taxonomy, self.kind = strategies.from_graph(self.graph), kind
        self.truth = [] if kind == "unknown" else [int(rng.choice(self.taxonomy.leaves))]
        if kind == "inner":
            self.truth = [int(rng.choice(np.flatnonzero(~self.taxonomy.is_leaf)))]
        if kind == "several":
            self.truth = rng.choice(np.arange(1, self.graph.n), 2, replace=False).tolist()
        predictions = self.predictions(rng)
        self.evaluation = Evaluation.from_predictions(predictions)
        self.p = predictions.node_probabilities([0])[0] if predictions.has_scores else None

    def predictions(self, rng):
        leaves, n, taxonomy = self.taxonomy.leaves, self.graph.n, self.taxonomy
        truth = {"several": hv.NodeLists.from_lists([self.truth]), "unknown": None}.get(self.kind, np.array(self.truth))
        if self.kind == "labels":
            labels = hv.NodeLists.from_lists([rng.choice(np.arange(1, n), min(2, n - 1), replace=False).tolist()])
            return hv.Predictions.from_labels(taxonomy, labels, truth=truth)
        if self.kind == "any":
            p = rng.choice(strategies.TIES, (1, n))
            p[:, 0] = 1
            return hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
        scores = rng.dirichlet(np.full(len(leaves), 0.5), 1)
        if rng.integers(2):
            scores = rng.multinomial(16, scores[0])[None] / 16
        if self.kind == "top-k":
            best = np.sort(np.argsort(-scores[0], kind="stable")[:2])
            scores = ListedScores.from_entries(np.zeros(len(best), int), best, scores[0, best], (1, len(leaves)))
        return hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)

    @property
    def rules(self):
        rules = [rule for rule, one in INFERENCE_RULES.items() if self.taxonomy.is_tree or not one.tree_only]
        return tuple(rules[:1] if self.p is None else rules)

    def infer(self, rule, parameter, value):
        """What the rule answers: list of nodes."""
        if self.p is None:
            return self.evaluation.predictions.labels[0].tolist()
        settings = INFERENCE_RULES[rule].settings({"threshold": 0.5} | ({parameter: value} if parameter else {}))
        found = hv.infer(self.taxonomy, self.p[None], rule, **settings)
        return found[0].tolist() if isinstance(found, hv.NodeLists) else [int(found[0])]


class DemoSample(Sample):
    """One of the demo."""

    kind = "demo"

    def __init__(self, evaluation, row):
        self.evaluation, self.taxonomy, self.row = evaluation, evaluation.taxonomy, row
        edges = [(int(self.taxonomy.parent[i]), i) for i in range(1, self.taxonomy.n_nodes)]
        self.graph = naive.Graph(self.taxonomy.n_nodes, edges)
        self.truth = [int(evaluation.predictions.truth[row])]
        self.p = evaluation.predictions.node_probabilities([row])[0]

    row = 0


Sample.row = 0


def record_of(sample, rules=None, start="threshold"):
    rules = sample.rules if rules is None else rules
    settings = LadderSettings(start if start in rules else rules[0], 0.5, rules)
    return ladder_record({"m": sample.evaluation}, sample.evaluation.predictions.sample_id(sample.row), settings)


@pytest.fixture(scope="module")
def demo_evaluation():
    _, (predictions,) = load_demo(["flat_softmax"])
    return Evaluation.from_predictions(predictions)


@pytest.fixture(scope="module", params=[*KINDS, "demo"])
def samples(request, demo_evaluation):
    """An eighth of the samples of a kind each day, all of them before a release."""
    n = KINDS.get(request.param, DEMO)
    few = range(n if strategies.examples(200) == 200 else max(n // 8, 1))
    if request.param != "demo":
        return [Sample(request.param, number) for number in few]
    rows = np.random.default_rng(3).permutation(demo_evaluation.predictions.n_samples)
    return [DemoSample(demo_evaluation, int(rows[number])) for number in few]


def values_of(record, rule, rng, most=2):
    """Values of the number of a rule: bounds, a float to both sides of them, the middles; some of them."""
    steps = [row for row in record["steps"] if row["r"] == rule]
    parameter = steps[0]["parameter"]
    if not parameter:
        return parameter, [0.5]
    bounds = [step["low"] for step in steps[1:]]
    if parameter == "lam":
        # At a bound of λ lines cross, and which of them is the answer there is a matter of rounding.
        values = [bound * (1 + side) for bound in bounds for side in (-1e-8, 1e-8)]
    else:
        values = [side for bound in bounds for side in (math.nextafter(bound, -9), bound, math.nextafter(bound, 9))]
    values += [(step["low"] + step["high"]) / 2 for step in steps] + [steps[0]["from"], steps[0]["to"]]
    values = sorted({value for value in values if steps[0]["from"] <= value <= steps[0]["to"]})
    return parameter, [values[place] for place in sorted(rng.permutation(len(values))[:most])]


def path_nodes(graph, nodes):
    """Nodes with all their ancestors, without the root."""
    return {above for node in nodes for above in naive.ancestors(graph, node)} - {0}


def test_bars_are_as_long_as_p_and_the_answer_is_that_of_the_rule(samples):
    """At some values of every rule, in a width and a theme after another; `tests/browser/test_ladder.py` sets all values."""
    rng, looks = np.random.default_rng(5), itertools.cycle(LOOKS)
    for number, sample in enumerate(samples):
        others = [rule for rule in sample.rules if rule not in PARAMETERS]
        rules = [rule for rule in sample.rules if rule in PARAMETERS] + others[number % len(others or [0])::len(INFERENCE_RULES)]
        record = record_of(sample, tuple(rules))
        for rule in rules:
            parameter, values = values_of(record, rule, rng)
            for value in values:
                width, dark = next(looks)
                drawing = Drawing(record, width=width, dark=dark, rule=rule, value=value)
                answer = sample.infer(rule, parameter, value)
                check_answer(drawing, sample, answer)
                check_bars(drawing, sample, answer)
                check_counts(drawing, sample, rule, {parameter: value} if parameter else {}, width)
                check_win(drawing, sample, width)


def check_answer(drawing, sample, answer):
    names = [sample.taxonomy.title(node) for node in answer]
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    assert drawing.answer == (shown or "nothing")
    truth = ", ".join(map(sample.taxonomy.title, sample.truth))
    assert f"Truth: {truth or 'unknown'}" in drawing.texts


def check_bars(drawing, sample, answer):
    """Every length is p; both paths are there, each node once; the best sibling and the rest are those of a plain count."""
    graph, p, pixel = sample.graph, sample.p, drawing.pixel
    node_of = {sample.taxonomy.title(node): node for node in range(graph.n)}
    is_tree = sample.taxonomy.is_tree
    # In a graph one path is drawn of each class.
    due = path_nodes(graph, [*answer, *sample.truth]) if is_tree else {*answer, *sample.truth} - {0}
    if "More than six paths: they are drawn below." in drawing.texts:
        assert drawing.bars == []
        return
    drawn = [node_of.get(bar["name"]) for bar in drawing.bars]
    assert due <= set(drawn)
    assert not is_tree or len({node for node in drawn if node is not None}) == sum(node is not None for node in drawn)
    for bar, node in zip(drawing.bars, drawn, strict=True):
        assert bar["left"] == pytest.approx(drawing.zero)
        if node is None:
            continue
        assert bar["p"] == pytest.approx(0 if p is None else p[node], abs=pixel / 2), bar
        assert p is None or probability_text(float(p[node])) in bar["words"]
    if sample.kind == "top-k":
        high = node_bounds(sample.evaluation.predictions, np.array([0]))[1][0]
        for bar, node in zip(drawing.bars, drawn, strict=True):
            if node is not None:
                assert bar["hi"] == pytest.approx(max(high[node] - p[node], 0), abs=pixel / 2)
    else:
        assert all(bar["hi"] == 0 for bar in drawing.bars)
    if p is not None and sample.taxonomy.is_tree:
        check_beside(drawing, sample, drawn)


def check_beside(drawing, sample, drawn):
    """In the drawing a row's bars follow each other: nodes of the paths, the best of the others, the rest."""
    graph, p = sample.graph, sample.p
    for place, bar in enumerate(drawing.bars):
        if drawn[place] is None:
            best, here = drawn[place - 1], {node for node in drawn[:place] if node is not None}
            parent = graph.parents[best][0]
            children = graph.children[parent]
            others = [node for node in children if node not in here or node == best]
            # A class in another branch that is answered next is drawn below what is beside the paths.
            assert best == max(others, key=lambda node: (p[node], -node))
            rest = p[parent] - sum(p[node] for node in children if node in here)
            if rest < -1e-9:
                assert (bar["name"], bar["p"]) == ("rest: p is not coherent", 0)
            else:
                n = len(others) - 1
                assert bar["name"] == (f"{n} other{'s' * (n != 1)}" if n else "unassigned")
                assert bar["p"] == pytest.approx(max(rest, 0), abs=drawing.pixel / 2)


def check_counts(drawing, sample, rule, setting, width):
    if not sample.truth:
        assert not any("missed" in text for text in drawing.texts)
        return
    counts = sample_confusion(sample.evaluation, sample.row, rule, **setting).counts
    texts = " ".join(drawing.texts)
    assert f"{counts['tp']} correct" in texts
    assert f"{counts['fp']} wrong, {counts['fn']} missed" in texts
    if len(sample.truth) == 1 and not INFERENCE_RULES[rule].returns_sets and sample.p is not None:
        said = [bar["count"] for bar in drawing.bars]
        assert [said.count(word) for word in ("correct", "wrong", "missed")] == [counts[key] for key in ("tp", "fp", "fn")]


def check_win(drawing, sample, width):
    if sample.p is None or len(sample.truth) != 1 or not sample.taxonomy.is_tree:
        assert drawing.win == []
        return
    win = float(hv.win(sample.taxonomy, np.array(sample.truth), sample.p[None])[0])
    if width < 640:
        assert any(text.startswith("win ") for text in drawing.texts)
        return
    *terms, total = drawing.win
    shown = [float(text.rpartition(" = ")[2].replace("−", "-")) for text in terms]
    digits = len(total.partition(".")[2])
    assert float(total.removeprefix("win ")) == pytest.approx(win, abs=0.51 * 10**-digits)
    assert sum(shown) == pytest.approx(float(total.removeprefix("win ")), abs=1e-9)
    assert drawing.terms[-1] == pytest.approx(win, abs=1 / WEIGHT_OF_ALL)
    assert sum(drawing.terms[:-1]) == pytest.approx(win, abs=1e-9)
    assert sum(drawing.weights[:-1]) == pytest.approx(1)


def test_both_themes_and_all_widths_have_the_same_lengths(demo_evaluation):
    sample = DemoSample(demo_evaluation, 5)
    record = record_of(sample)
    drawn = [Drawing(record, width=width, dark=dark) for width, dark in LOOKS]
    for one in drawn:
        assert [bar["p"] for bar in one.bars] == pytest.approx([bar["p"] for bar in drawn[0].bars])
        assert one.sentence == drawn[0].sentence
    backgrounds = {(one.background, one.names["sentence"][0]["fill"]) for one in drawn}
    assert len(backgrounds) == 2


def test_by_hand(taxonomy):
    # cat 8/16, dog 3/16, duck 3/16, newt 2/16: mammal 11/16, bird 3/16; the truth is dog.
    scores = [[0.5, 0.1875, 0.1875, 0.125]]
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=taxonomy.nodes("dog"))
    record = ladder_record({"m": Evaluation.from_predictions(predictions)}, "0", LadderSettings("threshold", 0.5))
    drawing = Drawing(record, value=0.5)
    assert drawing.answer == "mammal"
    assert drawing.sentence == (
        "Stops at mammal (p = 0.688): the next class, cat, has 0.500, not above τ. Coarse: the truth is below it."
    )
    shown = [(bar["name"], round(bar["p"], 4), bar["count"]) for bar in drawing.bars]
    # Of the children of animal: mammal; bird is the best of the others and newt, 2/16, the rest. Of mammal: cat and dog.
    assert shown == [
        ("mammal", 0.6875, "correct"),
        ("bird", 0.1875, ""),
        ("1 other", 0.125, ""),
        ("cat", 0.5, ""),
        ("dog", 0.1875, "missed"),
    ]
    assert Drawing(record, value=math.nextafter(0.5, 0)).answer == "cat"
    assert Drawing(record, value=0.6875).answer == "animal"
    assert any(text == "1 correct" for text in drawing.texts)
    # The line through all rows is where p is 0.5.
    (line, *_) = [items for mark, items in drawing.marks if mark["type"] == "rule" and data_of(mark) is None]
    assert line[0]["x"] == pytest.approx((drawing.zero + drawing.one) / 2)


@pytest.mark.parametrize("number", [21, 35, 40])
def test_the_true_path_of_a_graph_is_the_one_that_is_counted(number):
    """Of the paths to the truth, the one that shares most with the answer: in these, not the first one."""
    sample = Sample("graph", number)
    record = record_of(sample, ("threshold",))
    for step in record["steps"]:
        states = [bar["state"] for bar in record["bars"] if bar["a"] == step["a"] and bar["kind"] == "node"]
        assert [states.count(cell) for cell in ("tp", "fp", "fn")] == [step[cell] for cell in ("tp", "fp", "fn")]


def test_more_paths_than_lanes_are_left_to_the_layers():
    leaves = [f"leaf {i}" for i in range(9)]
    taxonomy = hv.Taxonomy.from_edges([("all", leaf) for leaf in leaves])
    predictions = hv.Predictions.from_scores(taxonomy, [np.full(9, 1 / 9)], "leaf_probabilities", truth=np.array([1]))
    record = ladder_record({"m": Evaluation.from_predictions(predictions)}, "0", LadderSettings("threshold_set", 0.05))
    drawing = Drawing(record, value=0.05)
    assert MOST_LANES < 9
    assert drawing.bars == []
    assert "More than six paths: they are drawn below." in drawing.texts
    assert drawing.answer == "leaf 0, leaf 1, leaf 2 and 6 more"
