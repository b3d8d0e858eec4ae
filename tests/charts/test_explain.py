"""One answer explained in one figure, and the choice of samples worth checking."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import hierviz as hv
from hierviz import charts
from tests.small_tree import EDGES

SVG = "http://www.w3.org/2000/svg"
P = np.array([[0.5, 0.25, 0.125, 0.125], [0.125, 0.125, 0.25, 0.5], [0.25, 0.5, 0.125, 0.125]])


@pytest.fixture
def predictions(taxonomy):
    # Answers of the rule majority: mammal (wrong), the root and mammal (coarse); of the rule leaf: cat, newt (wrong) and dog.
    truth = taxonomy.nodes("duck", "cat", "dog")
    ids = np.array(["a", "b", "c"])
    return hv.Predictions.from_scores(taxonomy, P, "leaf_probabilities", truth=truth, sample_ids=ids)


def test_the_worst(taxonomy, predictions):
    # Win of the true path: duck .5 x 1/8 + .5 x 1/8 = .125; cat .5 x .25 + .5 x .125 = .1875.
    assert hv.diagnosis.worst(predictions) == ["a"]
    assert hv.diagnosis.worst(predictions, 5, "leaf") == ["a", "b"]
    assert hv.diagnosis.worst(predictions, 1, "leaf") == ["a"]
    labels = hv.Predictions.from_labels(taxonomy, [[2], [6]], truth=[[2, 5], [3]])
    assert hv.diagnosis.worst(labels) == ["1", "0"]
    with pytest.raises(hv.PredictionsError, match=r"^most: expected a whole number >= 1, got 0\."):
        hv.diagnosis.worst(predictions, 0)


def texts(figure):
    """All texts of the drawing, as they stand in the SVG; lines of one text are joined."""
    drawn = ElementTree.fromstring(charts.to_svg(figure))
    return [" ".join(part.strip() for part in one.itertext() if part.strip()) for one in drawn.iter(f"{{{SVG}}}text")]


def drawn_height(figure):
    return int(re.search(r'height="(\d+)"', charts.to_svg(figure))[1])


@pytest.mark.parametrize(
    ("rule", "value", "answer", "sign"),
    [
        # Of sample a: p(mammal) = .75 > p(cat) = .5 > .25; the truth is duck.
        ("threshold", 0.3, "cat", "× wrong"),
        ("threshold", 0.5, "mammal", "× wrong"),
        ("threshold", 0.75, "animal", "∅ no answer"),
        ("majority", 0.5, "mammal", "× wrong"),
        ("leaf", 0.5, "cat", "× wrong"),
    ],
)
def test_the_drawing_says_what_the_steps_say(predictions, rule, value, answer, sign):
    figure = charts.example(predictions, "a", rule, value, width=1300)
    steps = hv.diagnosis.sample_steps(hv.Evaluation.from_predictions(predictions), 0, rule)
    sentence = str(steps.sentence[steps.place(value)])
    assert figure.sentence == sentence
    found = texts(figure)
    assert sentence in found
    assert f"Answer: {answer}" in found
    assert sign in found
    assert "Truth: duck" in found
    for name, p in (("mammal", "0.750"), ("bird", "0.250"), ("duck", "0.125")):
        assert any(one.startswith(p) for one in found), (name, found)
    # What can be dragged has a number; what a rule has fixed is called so.
    assert (f"τ = {value:.3f}" in found) == (rule == "threshold")
    assert (f"τ = {value:.3f}, fixed" in found) == (rule == "majority")


def test_its_table_has_the_steps_and_the_classes(predictions):
    table = charts.example(predictions, "a").table
    steps = table[table["part"] == "step"]
    # The root from .75, mammal from .5 and cat below.
    assert list(zip(steps["low"], steps["high"], steps["answer"])) == [
        (0, 0.5, "cat"),
        (0.5, 0.75, "mammal"),
        (0.75, 1, "animal"),
    ]
    assert steps["sentence"].str.endswith(("Wrong: the truth is duck.", "No answer.")).all()
    classes = table[table["part"] == "class"].set_index("class")
    assert classes.loc["mammal", ["depth", "state", "p"]].tolist() == [1, "fp", 0.75]
    assert classes.loc["duck", ["depth", "state", "p"]].tolist() == [2, "fn", 0.125]
    assert classes.loc["cat", ["depth", "state", "p"]].tolist() == [2, "tn", 0.5]


def test_its_chart_is_one_vega_specification(predictions):
    other = predictions.replace(name="other")
    figure = charts.example({"first": predictions, "second": other}, "a", model="second", width=700)
    spec = charts.to_vega_lite(figure, dark=True)
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega/")
    signals = {one["name"]: one.get("value") for one in spec["signals"]}
    assert [signals[name] for name in ("dark", "width", "model", "rule", "value")] == [True, 700, 1, "threshold", 0.5]
    assert [one["name"] for one in figure.record["models"]] == ["first", "second"]
    assert {"threshold", "darts", "leaf"} <= {one["key"] for one in figure.record["rules"]}
    assert charts.finish(figure) == figure.chart
    assert charts.to_png(figure, dark=True).startswith(b"\x89PNG")
    assert 'width="700"' in charts.to_svg(figure)
    # As high as its bars need: 34 pixels each at most, 10 at least.
    high, low = (drawn_height(charts.example(predictions, "a", height=room)) for room in (2000, 100))
    assert 300 < low < high < 700
    with pytest.raises(hv.PredictionsError, match=r"^sample_id: expected the id of a sample of model, got 'x'\."):
        charts.example(predictions, "x")
    with pytest.raises(hv.PredictionsError, match=r"^model: expected one of first, second, got 'third'\."):
        charts.example({"first": predictions, "second": other}, "a", model="third")
    with pytest.raises(hv.PredictionsError, match=r"^rule: expected one of leaf,"):
        charts.example(predictions, "a", "best")
    another = hv.Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    scores = hv.Predictions.from_scores(another, [[0.5, 0.5]], "leaf_probabilities", sample_ids=np.array(["a"]))
    with pytest.raises(hv.TaxonomyError, match="Compare models on one taxonomy"):
        charts.example([predictions, scores], "a")


def test_models_without_the_sample_are_left_out(taxonomy, predictions):
    fewer = hv.Predictions.from_scores(taxonomy, P[1:], "leaf_probabilities", sample_ids=np.array(["b", "c"]))
    assert [one["name"] for one in charts.example([fewer, predictions], "a").record["models"]] == ["model"]


def test_every_kind_of_sample_is_drawn(taxonomy, predictions):
    """Without a truth, of several truths, of labels and of a graph."""
    unknown = charts.example(predictions.replace(truth=None), "a")
    assert "truth unknown" in texts(unknown)
    assert unknown.sentence.endswith("not above τ.")
    several = charts.example(predictions.replace(truth=[[2, 5], [3], [6]]), "a", "threshold_set", 0.2)
    assert several.step["tp"] + several.step["fn"] > 2
    labels = charts.example(hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat")), "0")
    assert {"Label: cat.", "truth unknown"} <= set(texts(labels))
    wrong = hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat"), truth=taxonomy.nodes("dog"))
    assert {"Label: cat. Wrong: the truth is dog.", "wrong", "missed"} <= set(texts(charts.example(wrong, "0")))
    of_graph = of_a_graph(taxonomy)
    assert charts.example(of_graph, "2").step["sentence"] in texts(charts.example(of_graph, "2", width=1300))


def of_a_graph(taxonomy):
    graph = hv.Taxonomy.from_edges([*EDGES, ("bird", "newt")])
    leaves = graph.nodes(*(taxonomy.names[node] for node in taxonomy.leaves))
    truth = graph.nodes("cat", "dog", "newt")
    return hv.Predictions.from_scores(graph, P, "leaf_probabilities", scored_nodes=leaves, truth=truth)


def test_other_pictures_that_do_not_apply_are_left_out(taxonomy, predictions):
    def names(found):
        return [part.name for part in charts.sample_parts(hv.Evaluation.from_predictions(found), 0)]

    parts = charts.sample_parts(hv.Evaluation.from_predictions(predictions), 0)
    assert [part.name for part in parts] == ["tree", "confusion"]
    assert parts[0].figure.sentence.startswith("The answer is mammal (p = 0.750), the truth is duck (p = 0.125)")
    assert names(predictions.replace(truth=None)) == ["tree"]
    assert names(predictions.replace(truth=[[2, 5], [3], [6]])) == ["tree", "paths", "confusion"]
    assert names(hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat"), truth=taxonomy.nodes("dog"))) == [
        "confusion"
    ]
    assert names(of_a_graph(taxonomy)) == ["paths", "confusion"]
    assert names(hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat"))) == []
