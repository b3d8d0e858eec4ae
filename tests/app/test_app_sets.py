"""Several true classes and graphs on Operating curves: the handle, its numbers and the way to the answers."""

import json

import pytest
from small_worlds import EDGES, LEAVES, spread, world
from visit import Visit, look_around

import hierviz as hv

ORGAN = [*EDGES, ("instrument", "keys"), ("keys", "piano"), ("keys", "organ"), ("winds", "organ")]


# Scores of no other file: the server keeps charts by the contents of the data, and other tests draw small ones.
def several(tmp_path):
    truth = ["violin;flute", "oboe", "drum;cello", "bassoon;oboe", "flute", "violin", "cello;drum;oboe", "oboe"]
    return world(tmp_path, scores=spread(8, seed=31), truth=truth)


def graph(tmp_path):
    leaves = [*LEAVES, "piano", "organ"]
    return world(tmp_path, edges=ORGAN, leaves=leaves, scores=spread(6, 8, seed=31), truth=["organ", *leaves[:5]])


def spec_of(visit):
    (chart, below), *_ = visit.charts()
    return chart, json.loads(chart.proto.spec), below


@pytest.mark.long
@pytest.mark.parametrize(("make", "has_bits"), [(several, True), (graph, False)])
def test_a_threshold_is_dragged(tmp_path, make, has_bits):
    data = make(tmp_path)
    visit = Visit("curves", data=data.key)
    chart, spec, _ = spec_of(visit)
    text = json.dumps(spec)
    assert "hp_samples" in text
    assert ("ihf1_samples" in text) is has_bits
    assert ("trees only" in visit.text) is not has_bits
    visit.select(chart, {"chosen": [{"threshold": 0.2}]})
    assert (visit.query["threshold"], visit.query["rule"]) == ("0.200", "threshold_set")
    curve = hv.curves.set_curve(data.first)
    table = next(one.value for one in visit.at.dataframe if "threshold" in one.value)
    for key, value in curve.at(0.2).items():
        assert table[key].iloc[0] == value
    labels = hv.evaluate(data.first.predictions, rule="threshold_set", threshold=0.2)["models"][0]["labels"]
    assert table["hf1_samples"].iloc[0] == pytest.approx(labels["hf1_samples"])
    link = next(one for one in visit.at.get("page_link") if one.label == "See the answers at this threshold")
    assert "rule=threshold_set" in link.proto.query_string
    best = curve.best_threshold("hf1_samples")
    visit.press("Best hF1")
    assert float(visit.query.get("threshold", 0.5)) == best
    assert any(label.startswith("Best ihF1") for label in (one.label for one in visit.at.button)) is has_bits


def test_axes_are_in_the_url(tmp_path):
    data = several(tmp_path)
    visit = Visit("curves", data=data.key, axes="set-threshold-ihf1")
    assert visit.control("Axes").value == "set-threshold-ihf1"
    assert visit.query["axes"] == "set-threshold-ihf1"
    # Those of one answer a sample are not drawn here.
    assert Visit("curves", data=data.key, axes="exact-correct").control("Axes").value == "set-recall-precision"


def test_sets_are_the_rule_of_several_true_classes(tmp_path):
    data = several(tmp_path)
    pages = look_around(data)
    rule = pages["overview"].control("Inference rule")
    assert rule.value == "threshold_set"
    assert "Threshold" not in rule.options
    assert "are exactly the true classes" in pages["overview"].text
    Visit("overview", data=data.key, rule="majority")


def test_a_graph_offers_sets_beside_single_answers(tmp_path):
    data = graph(tmp_path)
    rule = Visit("overview", data=data.key).control("Inference rule")
    assert rule.value == "threshold"
    assert Visit("overview", data=data.key, rule="threshold_set").control("Inference rule").value == "threshold_set"


@pytest.mark.long
def test_trees_offer_no_sets(tmp_path):
    data = world(tmp_path, scores=spread(6), truth=LEAVES)
    for query in ({}, {"data": data.key}):
        assert "threshold_set" not in {rule["key"] for rule in Visit("example", **query).ladder["rules"]}
        visit = Visit("example", **query, tree="list")
        assert hv.INFERENCE_RULES["threshold_set"].label not in visit.control("Inference rule").options
