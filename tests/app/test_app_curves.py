"""The operating curves: what is drawn and chosen is in the view and the URL, on the demo and on extreme data."""

import json
import re

import numpy as np
import pytest
from small_worlds import LEAVES, one_hot, spread, world
from visit import Visit

from hierviz.charts.curve_axes import axes
from hierviz.reports.view import View
from hierviz.reports.view_pages import DRAWN, MARKED


def chart_of(visit):
    """The chart with the strip, and its specification."""
    (chart, _), *_ = visit.charts()
    return chart, json.loads(chart.proto.spec)


def start_of(spec):
    """What the selections of a chart start at."""
    found = {}

    def walk(one):
        if isinstance(one, dict):
            if one.get("name") in ("chosen", "model") and "select" in one:
                found.update(one["value"][0])
            for below in one.values():
                walk(below)
        elif isinstance(one, list):
            for below in one:
                walk(below)

    walk(spec)
    return found


DAILY = ("recall-correct",)


@pytest.mark.parametrize(
    "pair", [pair if pair in DAILY else pytest.param(pair, marks=pytest.mark.long) for pair in axes()]
)
def test_every_pair_of_metrics(pair):
    visit = Visit("curves", models="flat-softmax,multi-label", axes=pair)
    assert visit.control("Axes").value == pair
    spec = json.dumps(chart_of(visit)[1])
    assert "hf1_samples" in spec if pair == "threshold-hf1" else "hf1_samples" not in spec
    assert visit.query.get("axes", "recall-correct") == pair


def test_rules_fronts_and_rejection():
    """The panel Rules: three charts, each with its sentence; the numbers are those of the command."""
    visit = Visit("curves", models="flat-softmax,multi-label", panel="rules")
    assert "points are beaten by no other in both metrics" in visit.text
    assert "QIIME 2 (Bokulich et al. 2018)" in visit.text
    assert visit.query["panel"] == "rules"
    visit.control("Chart").set_value("Pareto fronts").run()
    assert "QIIME 2" not in visit.text
    visit.control("Chart").set_value("Risk and coverage").run()
    assert "Smallest share of wrong answers" in visit.text
    visit.control("Chart").set_value("Selective classification").run()
    assert "hAURC, the area below the risk over the coverage, lower is better: Flat softmax 0.041" in visit.text
    assert "Climbing and the threshold rule give different answers: of **Flat softmax** on 9.8 % of the samples" in visit.text


def test_options_are_in_the_url(small_charts):
    visit = Visit("curves", models="flat-softmax", drawn="levels,nonsense,spread", marked="leaf,darts,nonsense")
    toggles = {one.label: one.value for one in visit.at.toggle}
    assert [toggles[label] for label, _ in DRAWN.values() if label in toggles].count(True) == 2
    assert visit.control("Rules to mark").value == ["leaf", "darts"]
    next(one for one in visit.at.toggle if one.label == DRAWN["levels"][0]).set_value(False)
    visit.run()
    assert visit.query["drawn"] == "spread"
    assert visit.query["marked"] == "leaf,darts"
    visit.control("Rules to mark").set_value([])
    visit.run()
    # As at first: none is marked unless a link or the toggle says so.
    assert "marked" not in visit.query


def test_rules_are_marked_on_demand():
    def toggle(visit):
        return next(one for one in visit.at.toggle if one.label == "Mark inference rules")

    def drawn(visit):
        return next(one.value for one in visit.at.dataframe if "rule" in one.value)["rule"].tolist()

    visit = Visit("curves", models="flat-softmax")
    assert not toggle(visit).value
    assert drawn(visit) == ["threshold"]
    toggle(visit).set_value(True)
    visit.run()
    assert visit.query["marked"] == ",".join(MARKED)
    assert visit.control("Rules to mark").value == list(MARKED)
    assert drawn(visit) == ["threshold", *MARKED]
    toggle(visit).set_value(False)
    visit.run()
    assert "marked" not in visit.query
    # What a link of an earlier version says about no rule.
    assert not toggle(Visit("curves", models="flat-softmax", marked="-")).value


def test_no_sentence_is_on_the_page_twice():
    """The title of the picture, which follows the handle there, is not below it again."""
    visit = Visit("curves")
    assert " at τ = 0.500" not in visit.text
    # Definitions, which share phrases, are in popovers.
    shown, _, _ = visit.text.partition("Definitions of the numbers")
    sentences = [part for line in shown.splitlines() for part in re.split(r"(?<=[.!?]) (?=[A-Z])", line)]
    long = [sentence for sentence in sentences if len(sentence) > 30]
    assert len(set(long)) == len(long)


def test_the_model_that_is_picked_on_the_chart_is_looked_at_everywhere():
    visit = Visit("curves", models="flat-softmax,multi-label")
    chart, spec = chart_of(visit)
    assert start_of(spec) == {"threshold": 0.5, "model": 0}
    visit.select(chart, {"chosen": [{"threshold": 0.93124}], "model": [{"model": 1}]})
    assert (visit.query["model"], visit.query["threshold"]) == ("multi-label", "0.93124")
    visit.go("example")
    assert "Now: Threshold (τ = 0.93124)" in visit.text
    assert "Now: Multi-label." in visit.text
    assert start_of(chart_of(visit.go("curves"))[1]) == {"threshold": 0.93124, "model": 1}


def test_a_threshold_for_every_model(small_charts):
    visit = Visit("curves", models="flat-softmax,multi-label", threshold="0.6")
    toggle = "Separate τ per model"
    next(one for one in visit.at.toggle if one.label == toggle).set_value(True)
    visit.run()
    assert visit.query["thresholds"] == "flat-softmax:0.600,multi-label:0.600"
    chart, _ = chart_of(visit)
    visit.select(chart, {"chosen": [{"threshold": 0.25}], "model": [{"model": 1}]})
    assert visit.query["thresholds"] == "flat-softmax:0.600,multi-label:0.250"
    # Picking the other one reports the model before its threshold: that must not become the other's.
    visit.select(chart_of(visit)[0], {"chosen": [{"threshold": 0.25}], "model": [{"model": 0}]})
    assert visit.query["thresholds"] == "flat-softmax:0.600,multi-label:0.250"
    visit.select(chart_of(visit)[0], {"chosen": [{"threshold": 0.6}], "model": [{"model": 0}]})
    assert visit.query["thresholds"] == "flat-softmax:0.600,multi-label:0.250"
    for model, threshold in (("multi-label", "0.250"), ("flat-softmax", "0.600"), ("soft-max-margin", "0.250")):
        visit.go("example", **{**visit.query, "model": model, "rule": "threshold"})
        assert f"Now: Threshold (τ = {threshold})" in visit.text
    visit.go("curves", **{**visit.query, "model": "multi-label"})
    next(one for one in visit.at.toggle if one.label == toggle).set_value(False)
    visit.run()
    assert "thresholds" not in visit.query
    assert visit.query["threshold"] == "0.250"


def test_views_go_through_the_url_and_back():
    for view in (
        View(threshold=1 - 1e-9, drawn=("levels", "whole"), marked=(), axes="exact-correct"),
        View(thresholds=("a:0.500", "b:0.99987"), model="b"),
        View(),
    ):
        assert View.from_query(view.to_query()) == view
    broken = View.from_query({"thresholds": "a,b:nan,c:2,:0.5,d:0.1", "axes": "x", "drawn": "x"})
    assert broken.own == {"c": 1.0, "d": 0.1}
    assert (broken.axes, broken.drawn) == ("recall-correct", ())


EXTREMES = {
    "one sample": (one_hot(0), LEAVES[:1]),
    "all correct": (one_hot(0, 1, 2, 3, 4, 5), LEAVES),
    "all wrong": (one_hot(5, 5, 5), ["violin", "flute", "oboe"]),
    "constant scores": (np.full((8, 6), 1 / 6), [LEAVES[i % 6] for i in range(8)]),
    "two samples": (spread(2), ["violin", "oboe"]),
}


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("one sample", "threshold-hf1"),
        ("constant scores", "recall-correct"),
        *(
            pytest.param(name, pair, marks=pytest.mark.long)
            for name in EXTREMES
            for pair in ("recall-correct", "threshold-hf1")
            if (name, pair) not in (("one sample", "threshold-hf1"), ("constant scores", "recall-correct"))
        ),
    ],
)
def test_extreme_data_with_everything_drawn(tmp_path, name, pair):
    scores, truth = EXTREMES[name]
    data = world(tmp_path, scores=scores, truth=truth)
    visit = Visit("curves", data=data.key, drawn="levels,envelope,whole,spread", axes=pair, threshold="0.3")
    assert not visit.at.error
    chart, spec = chart_of(visit)
    assert "NaN" not in chart.proto.spec
    assert start_of(spec)["threshold"] == 0.3
    numbers = next(one.value for one in visit.at.dataframe if "threshold" in one.value)
    assert numbers["threshold"].tolist() == [0.3]
    assert "Models" not in [one.label for one in visit.at.multiselect]
