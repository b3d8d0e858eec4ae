"""The drawing of one sample as Vega draws it: lengths of bars, the answer at a threshold, siblings, terms of the win, counts."""

import itertools
import math

import naive
import numpy as np
import pytest
import vl_convert
from ladder_samples import KINDS, PARAMETERS, DemoSample, Sample, record_of, samples_of, values_of

import hierviz as hv
from hierviz.charts.ladder_model import MOST_LANES
from hierviz.charts.ladder_record import LadderSettings, ladder_record
from hierviz.charts.ladder_spec import ladder_spec
from hierviz.charts.theme import COLOURS
from hierviz.demo import load_demo
from hierviz.diagnosis.sample_answers import sample_confusion
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.unknown_mass import node_bounds
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.number_text import probability_text

LOOKS = list(itertools.product((366, 900, 1310), (False, True)))
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

    def __init__(self, record, *, width=1310, dark=False, height=760, fills=True, **signals):
        self.width, rule = width, signals.get("rule", record["start"]["rule"])
        self.steps = [row for row in record["steps"] if row["r"] == rule]
        self.spec = ladder_spec(record, width=width, height=height, dark=dark, fills=fills)
        for signal in self.spec["signals"]:
            signal |= {"value": signals[signal["name"]]} if signal["name"] in signals else {}
        made = vl_convert.vega_to_scenegraph(self.spec)["scenegraph"]["items"][0]["items"]
        self.marks = list(zip(self.spec["marks"], (one["items"] for one in made), strict=True))
        self.names = {mark["name"]: items for mark, items in self.marks if "name" in mark}
        axis = next(items for mark, items in self.marks if mark["type"] == "rule" and data_of(mark) == "ticks")
        self.zero, self.one = axis[0]["x"], axis[-1]["x"]
        self.pixel = 1 / (self.one - self.zero)
        names, words, counts = (
            self.find("bars_now", "text", key) for key in ("datum.name + (", "narrow ? '' :", "|| ''")
        )
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
        """That of the stretch of the ribbon which is marked."""
        ribbon = zip(self.names["ribbon_marks"], self.steps, strict=True)
        (now,) = (step["name"] for stretch, step in ribbon if stretch["fillOpacity"] == 1)
        return now

    @property
    def sentence(self):
        shown = self.names["sentence"][0]["text"]
        return " ".join(shown) if isinstance(shown, list) else shown


def data_of(mark):
    return mark.get("from", {}).get("data")


@pytest.fixture(scope="module")
def demo_evaluation():
    _, (predictions,) = load_demo(["flat_softmax"])
    return Evaluation.from_predictions(predictions)


# Kinds of samples that are drawn every day; the others in the long run.
DAILY = ("inner", "labels")


@pytest.fixture(
    scope="module",
    params=[kind if kind in DAILY else pytest.param(kind, marks=pytest.mark.long) for kind in (*KINDS, "demo")],
)
def samples(request, demo_evaluation):
    return samples_of(request.param, demo_evaluation)


def path_nodes(graph, nodes):
    """Nodes with all their ancestors, without the root."""
    return {above for node in nodes for above in naive.ancestors(graph, node)} - {0}


def test_bars_are_as_long_as_p_and_the_answer_is_that_of_the_rule(samples):
    """At some values of every rule, in a width and a theme after another; `tests/browser/test_ladder.py` sets all values."""
    rng, looks = np.random.default_rng(5), itertools.cycle(LOOKS)
    for number, sample in enumerate(samples):
        others = [rule for rule in sample.rules if rule not in PARAMETERS]
        rules = [rule for rule in sample.rules if rule in PARAMETERS] + others[
            number % len(others or [0]) :: len(INFERENCE_RULES)
        ]
        record = record_of(sample, tuple(rules))
        for rule in rules:
            parameter, values = values_of(record, rule)
            for value in rng.choice(values, min(len(values), 2), replace=False):
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
    # Beside the ladder, on a phone above it; also where there is nothing but labels.
    assert f"Answer: {drawing.answer}" in drawing.texts
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
            here = {node for node in drawn[:place] if node is not None}
            parents = {graph.parents[node][0] for node in here}
            # Where the row has children of several classes the rest names whose it is.
            name, _, whose = bar["name"].partition(" in ")
            if name == "unassigned":
                parents = [one for one in parents if not whose or sample.taxonomy.title(one) == whose]
                rests = [p[parent] - sum(p[node] for node in graph.children[parent]) for parent in parents]
                assert any(bar["p"] == pytest.approx(rest, abs=drawing.pixel / 2) for rest in rests)
                continue
            parent = graph.parents[drawn[place - 1]][0]
            children = graph.children[parent]
            rest = p[parent] - sum(p[node] for node in children if node in here)
            if bar["name"] == "rest: p is not coherent":
                assert bar["p"] == 0
                # Without a sibling the bar above may be of another class's child.
                assert any(
                    p[one] < max(sum(p[node] for node in graph.children[one] if node in here), 0) for one in parents
                ) or p[parent] < max(p[node] for node in children)
                continue
            others = [node for node in children if node not in here]
            assert name == f"{len(others)} other{'s' * (len(others) != 1)}"
            assert whose in ("", sample.taxonomy.title(parent))
            assert bar["p"] == pytest.approx(rest, abs=drawing.pixel / 2)
            # The best sibling is drawn above the rest.
            assert p[drawn[place - 1]] >= max(p[node] for node in others)


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
        assert [said.count(word) for word in ("correct", "wrong", "missed")] == [
            counts[key] for key in ("tp", "fp", "fn")
        ]


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


@pytest.mark.parametrize("height", [500, 600, 760])
def test_what_is_known_of_a_sample_ends_above_the_curve(demo_evaluation, height):
    record = hv.charts.example(demo_evaluation, demo_evaluation.predictions.sample_id(5)).record
    assert record["sample"][0]["picture"]
    assert len(record["sample"][0]["facts_wide"]) > 2
    drawing = Drawing(record, height=height, fills=False)
    texts = {
        mark["encode"]["update"]["text"]["signal"]: items for mark, items in drawing.marks if mark["type"] == "text"
    }
    ((facts,), (label,)) = (
        next(items for key, items in texts.items() if word in key) for word in ("facts_wide", "'correct ans")
    )
    assert facts["y"] + 14 * len(facts["text"]) <= label["y"] - 4


@pytest.mark.parametrize("width", [900, 1310])
def test_a_ladder_of_labels_says_at_its_left_what_the_sample_is(taxonomy, width):
    predictions = hv.Predictions.from_labels(
        taxonomy,
        taxonomy.nodes("cat"),
        truth=taxonomy.nodes("dog"),
        sample_ids=["x7"],
        attributes={"light": np.array(["dim"])},
    )
    drawing = Drawing(hv.charts.example(predictions, "x7").record, width=width)
    shown = {
        "".join(one["text"]) if isinstance(one["text"], list) else one["text"]: one
        for mark, items in drawing.marks
        if mark["type"] == "text"
        for one in items
        if one.get("text")
    }
    side = [shown[words] for words in ("Truth: dog", "Answer: cat", "× wrong", "sample: x7 · light: dim")]
    assert [one["x"] for one in side] == [0] * 4
    heights = [one["y"] for one in side]
    assert heights == sorted(set(heights))
    # Nothing of the ladder is drawn over them.
    assert max(one.get("limit") or 0 for one in side) <= 240
    assert min(bar["left"] for bar in drawing.bars) > 240


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


def test_a_row_that_is_empty_says_which_answers_it_is_for():
    # Above .35 no class of depth 3 is above the threshold, and from .45 on the answer is a, of depth 1.
    edges = [("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("b1", "x"), ("b1", "y")]
    taxonomy = hv.Taxonomy.from_edges(edges)
    scores = [[0.2, 0.2, 0.15, 0.35, 0.1]]
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=taxonomy.nodes("a1"))
    settings = LadderSettings("threshold", 0.5, ("threshold", "majority"))
    record = ladder_record({"m": Evaluation.from_predictions(predictions)}, "0", settings)
    said = "reached only below τ = 0.350: x"
    drawing = Drawing(record, value=0.5)
    assert drawing.answer == "a"
    assert drawing.texts.count(said) == 2  # with what is behind it
    assert said not in Drawing(record, value=0.3).texts
    assert "not reached by this rule" in Drawing(record, rule="majority").texts


def test_every_row_of_a_step_has_bars_or_says_why_not(samples):
    for sample in samples:
        record = record_of(sample)
        for step in (one for one in record["steps"] if one["a"] >= 0):
            rows = {one["row"] for one in record["rows"] if one["g"] == step["g"]}
            bars = {one["row"] for one in record["bars"] if one["a"] == step["a"]}
            said = {one["row"] for one in record["empty"] if (one["r"], one["k"]) == (step["r"], step["k"])}
            assert bars | said == rows
            assert not bars & said


def test_only_what_is_answered_and_true_is_correct(samples):
    """Of sets, several truths and labels too: green is on the path of an answer and of a truth, violet of a truth alone."""
    for sample in samples:
        record, true = record_of(sample), path_nodes(sample.graph, sample.truth)
        for rule in sample.rules:
            for step in (one for one in record["steps"] if one["r"] == rule and one["a"] >= 0):
                # Between two neighbouring floats there is no middle.
                value = step["low"] if step["closed"] == "low" else step["high"]
                answered = path_nodes(
                    sample.graph, [node for node in sample.infer(rule, step["parameter"], value) if node > 0]
                )
                for bar in (one for one in record["bars"] if one["a"] == step["a"] and one["kind"] == "node"):
                    is_answered, is_true = bar["node"] in answered, bar["node"] in true
                    both = {(True, True): "tp", (True, False): "fp", (False, True): "fn", (False, False): "tn"}
                    due = both[is_answered, is_true] if sample.truth else "path" if is_answered else "tn"
                    # In a graph a class may be on another path to the truth than the one that is counted.
                    may = {due, "fp", "fn"} if (due, sample.taxonomy.is_tree) == ("tp", False) else {due}
                    assert bar["state"] in may or bar["node"] < 0


def test_a_model_has_the_colour_of_its_method_whatever_else_is_drawn(taxonomy):
    scores = [[0.5, 0.1875, 0.1875, 0.125]]

    def model(name, run=None, sample="s"):
        return Evaluation.from_predictions(
            hv.Predictions.from_scores(
                taxonomy,
                scores,
                "leaf_probabilities",
                truth=taxonomy.nodes("dog"),
                name=name,
                run=run,
                sample_ids=[sample],
            )
        )

    # The first does not have the sample, the next two are runs of a method.
    models = {"x": model("x", sample="t"), "a": model("a", 0), "b": model("a", 1), "c": model("c")}
    record = ladder_record(models, "s", LadderSettings())
    assert {one["key"]: one["colour"] for one in record["models"]} == {"a": 1, "b": 1, "c": 2}
    for number, place in enumerate((1, 1, 2)):
        for dark in (False, True):
            drawing = Drawing(record, model=number, dark=dark)
            (curve,) = [items for mark, items in drawing.marks if data_of(mark) == "curve_now"]
            assert {one["stroke"] for one in curve} == {COLOURS["models"][dark][place]}
    assert [one["colour"] for one in hv.charts.example(list(models.values()), "s").record["models"]] == [1, 1, 2]


def test_an_answer_below_an_inner_truth_says_why_it_is_counted_as_wrong(taxonomy):
    predictions = hv.Predictions.from_scores(
        taxonomy, [[0.7, 0.1, 0.1, 0.1]], "leaf_probabilities", truth=taxonomy.nodes("mammal")
    )
    record = ladder_record({"m": Evaluation.from_predictions(predictions)}, "0", LadderSettings("threshold", 0.5))
    drawing = Drawing(record, value=0.65)
    assert drawing.sentence == "Stops at cat (p = 0.700): it is a leaf. Exact: it is below the truth, mammal."
    words = {bar["name"]: bar["words"] for bar in drawing.bars}
    assert words["cat"].endswith("below the truth")
    assert "below" not in words["mammal"]
