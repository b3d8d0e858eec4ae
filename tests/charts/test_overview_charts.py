"""The pictures of the Overview: places, lengths and words of what they draw, against numbers worked by hand."""

import html
import re
from itertools import pairwise

import numpy as np
import pytest
import vl_convert
from chart_cases import many_curves, shown_texts, size, three_points, views

import hierviz as hv
from hierviz import Taxonomy, charts
from hierviz.charts._text import text_width
from hierviz.demo import load_wikipedia
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.outcomes import outcome_shares
from hierviz.thresholds.most_specific import equally_correct

BEST = charts.ChosenPoint("a", "τ = 0.500", 0.5, 0.9)
SHARES = {
    "a": {"exact": 0.5, "coarse": 0.25, "no_answer": 0.125, "wrong": 0.125},
    "b": {"exact": 0.25, "coarse": 0.0, "no_answer": 0.0, "wrong": 0.75},
}


def rows(figure, *fields):
    """Rows of all data of a figure that have these fields."""
    tables = charts.to_vega_lite(figure)["datasets"].values()
    return [row for table in tables for row in table if set(fields) <= set(row)]


# Curves with one chosen point.


def test_dots_are_where_the_thresholds_are_and_the_line_at_the_target():
    curves = {"a": three_points(), "b": three_points()}
    figure = charts.operating_points(curves, {"b": 0.3}, BEST, level=0.95)
    # Below 0.4: 0.75 of the information, 0.6 correct.
    assert figure.table.to_dict("list") == {
        "model": ["a", "b"],
        "threshold": ["τ = 0.500", "τ = 0.300"],
        "info_recall": [0.5, 0.75],
        "correct": [0.9, 0.6],
        "chosen": [True, False],
    }
    dots = {row["model"]: row for row in rows(figure, "model", "x", "y", "size")}
    assert (dots["a"]["x"], dots["a"]["y"], dots["b"]["x"], dots["b"]["y"]) == (0.5, 0.9, 0.75, 0.6)
    assert dots["a"]["size"] > dots["b"]["size"]
    lines = [view for view in views(charts.to_vega_lite(figure)) if view["mark"].get("type") == "rule"]
    # The others join names to the ends of curves.
    assert [row["y"] for view in lines for row in view["rows"] if set(row) == {"y"}] == [0.95]
    words = shown_texts(charts.to_svg(figure))
    assert {"a, τ = 0.500", "95 % correct", "a", "b"} <= set(words)
    assert "model" in [parameter["name"] for parameter in charts.to_vega_lite(figure)["params"]]
    assert figure.sentence == (
        "a, τ = 0.500: 90.0 % of the answers are correct, information recall 50.0 %. The other dots, each with as many correct "
        "answers: information recall b 75.0 %."
    )


def test_a_point_of_another_rule_or_of_labels_is_beside_the_curves():
    point = charts.ChosenPoint("labels of a file", "labels", 0.6, 0.7)
    figure = charts.operating_points({"a": three_points()}, {}, point)
    dots = rows(figure, "model", "x", "y", "size")
    assert [(row["model"], row["x"], row["y"]) for row in dots] == [("labels of a file", 0.6, 0.7)]
    assert figure.sentence.endswith("information recall 60.0 %.")


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("width", [330, 600])
def test_every_curve_is_named_in_the_room_there_is(dark, width):
    curves = many_curves(8)
    point = charts.ChosenPoint("Flat softmax", "τ = 0.5", 0.4, 0.8)
    figure = charts.operating_points(curves, {}, point, level=0.95, dark=dark, width=width)
    svg = charts.to_svg(figure, dark)
    assert size(svg)[0] <= width + 8
    words = [html.unescape(word).rstrip("…") for word in shown_texts(svg)]
    for name in curves:
        assert any(word and name.startswith(word) for word in words), name


@pytest.mark.parametrize("width", [260, 300, 340, 390, 700])
def test_shares_below_the_curves_are_clear_of_each_other(width):
    curves = {"flat-softmax": three_points(), "a second model": three_points()}
    figure = charts.operating_points(curves, {}, charts.ChosenPoint("flat-softmax", "τ = 0.500", 0.5, 0.9), width=width)
    drawn = [vl_convert.vegalite_to_scenegraph(charts.to_vega_lite(figure))["scenegraph"]]
    labels = []
    while drawn:
        one = drawn.pop()
        if one.get("role") == "axis-label" and len({item["x"] for item in one["items"]}) > 1:
            labels = [item for item in one["items"] if item.get("opacity", 1)]
        drawn += one.get("items", [])
    # The first and the last one may begin or end at their tick.
    ends = []
    for item in labels:
        wide = text_width(item["text"], item.get("fontSize", 11))
        left = item["x"] - wide * {"left": 0, "center": 0.5, "right": 1}[item.get("align", "left")]
        ends.append((left, left + wide, item["text"]))
    ends.sort()
    assert len(ends) > 1
    for (_, end, one), (start, _, other) in pairwise(ends):
        assert start - end >= 3, (one, other)


def test_curves_are_shown_where_they_differ():
    """Left of the first wrong answer there is nothing to see; y starts a little below the lowest share."""
    figure = charts.operating_points({"a": three_points()}, {}, BEST, level=0.95)
    scale = next(
        view["encoding"]["x"]["scale"] for view in views(charts.to_vega_lite(figure)) if "x" in view["encoding"]
    )
    assert scale["domain"][0] == pytest.approx(0.4)
    assert scale["domain"][1] == pytest.approx(0.8)


# One bar a model.


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("width", [330, 600])
def test_bars_are_as_long_as_their_shares(dark, width):
    figure = charts.outcome_bars(SHARES, notes={"a": "τ = 0.5"}, highlight="b", dark=dark, width=width)
    assert figure.table.to_dict("records")[0] == {"model": "a", "chosen by": "τ = 0.5", **SHARES["a"]}
    look = charts.palette(dark)
    colours = {look.outcome("tp"): "exact", look.path: "coarse", look.root: "no_answer", look.fp: "wrong"}
    boxes = [row for row in rows(figure, "x", "x2", "y", "y2", "colour") if row["colour"] in colours]
    # Those of the legend are lower.
    boxes = [row for row in boxes if row["y2"] - row["y"] > 14]
    scale = max(row["x2"] for row in boxes) - min(row["x"] for row in boxes)
    of_rows = sorted({row["y"] for row in boxes})
    assert len(of_rows) == 2
    for top, shares in zip(of_rows, SHARES.values()):
        found = {colours[row["colour"]]: (row["x2"] - row["x"]) / scale for row in boxes if row["y"] == top}
        assert found == pytest.approx(shares)
    words = shown_texts(charts.to_svg(figure, dark))
    assert {"0 %", "50 %", "100 %", "× wrong", "✓ 50 %"} <= set(words)
    assert size(charts.to_svg(figure, dark))[0] <= width + 8
    assert figure.sentence == "b: 25.0 % exact, 0.0 % correct but coarse, 0.0 % no answer, 75.0 % wrong."


def test_of_many_models_the_highlighted_one_is_drawn_and_the_table_has_all():
    shares = {f"model {k}": SHARES["a"] for k in range(40)}
    figure = charts.outcome_bars(shares, highlight="model 39", height=200)
    assert len(figure.table) == 40
    drawn = {row["model"] for row in rows(figure, "model", "note")}
    assert "model 39" in drawn
    assert len(drawn) == 12
    assert figure.sentence.endswith("12 of 40 models are drawn; the table has all.")


def test_shares_that_are_none_are_refused():
    with pytest.raises(PredictionsError, match="that add up to 1"):
        charts.outcome_bars({"a": {"exact": 0.5, "wrong": 0.4}})
    with pytest.raises(PredictionsError, match="at least one model"):
        charts.outcome_bars({})


def test_shares_of_outcomes_are_those_of_the_answers():
    """From the means of a curve, and counted answer by answer."""
    evaluation = hv.Evaluation.from_predictions(load_wikipedia()[1][0])
    for threshold in (0.0, 0.3, 0.5, 0.9, 1.0):
        counted = hv.evaluation.judged_answers(evaluation, "threshold", threshold).outcome_shares
        assert outcome_shares(evaluation.curve.at(threshold)) == pytest.approx(counted)
        assert sum(counted.values()) == pytest.approx(1)


def test_equally_correct_thresholds_reach_the_share_and_are_the_most_specific():
    curve = three_points()
    points = equally_correct({"a": curve, "b": curve}, 0.8)
    assert set(points) == {"a", "b"}
    assert points["a"].values["correct"] == 0.9
    assert points["a"].values["info_recall"] == 0.5
    # Nothing said is never wrong: every share can be reached.
    assert equally_correct({"a": curve}, 1.0)["a"].values["info_recall"] == 0


# The worst subtrees.

EDGES = [("root", f"c{k:03d}") for k in range(200)] + [("c199", "tiny"), ("c199", "other")]


def crowded():
    """200 classes with 10 samples, and in the last of them one that is much worse, with 2 samples, all of them wrong."""
    taxonomy = Taxonomy.from_edges(EDGES)
    truth = np.repeat(taxonomy.nodes(*[f"c{k:03d}" for k in range(199)]), 10)
    truth = np.concatenate([truth, np.repeat(taxonomy.nodes("tiny", "other"), [2, 8])])
    answers = truth.copy()
    answers[-10:-8] = taxonomy.node("c000")
    predictions = hv.Predictions.from_labels(taxonomy, answers, truth=truth)
    return taxonomy, hv.diagnosis.node_table(hv.Evaluation.from_predictions(predictions))


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("width", [330, 600])
def test_the_worst_is_never_in_a_group(dark, width):
    taxonomy, table = crowded()
    tiny = taxonomy.node("tiny")
    figure = charts.worst_subtrees(table, [tiny], dark=dark, width=width)
    drawn = [row for row in rows(figure, "tip_name", "target", "y", "y2") if row["tip_name"] == "tiny"]
    assert len(drawn) == 1
    # 2 of 2,000 samples in 220 pixels: its true height, not an enlarged one.
    (c199,) = [row for row in rows(figure, "tip_name", "y", "y2") if row["tip_name"] == "c199"]
    assert drawn[0]["y2"] - drawn[0]["y"] <= 0.23
    assert c199["y2"] - c199["y"] == pytest.approx(max(220 * 10 / 2000 - 1, 0), abs=0.01)
    words = shown_texts(charts.to_svg(figure, dark))
    assert {"tiny", "2 of 2 wrong"} <= set(words)
    assert any(re.fullmatch(r"\d+ others", word) for word in words)
    assert size(charts.to_svg(figure, dark))[0] <= width + 8
    flags = figure.table.set_index("class")["is_worst"]
    assert flags["tiny"]
    assert flags.sum() == 1
    # All classes of the level are in the table.
    assert {f"c{k:03d}" for k in range(200)} <= set(figure.table["class"])
    assert "Outlined: tiny (2 of 2 wrong)." in figure.sentence


def test_heights_are_in_proportion_to_samples(taxonomy):
    truth = taxonomy.nodes(*["cat"] * 6, *["dog"] * 3, "newt")
    answers = taxonomy.nodes(*["cat"] * 6, *["cat"] * 3, "newt")
    table = hv.diagnosis.node_table(hv.Predictions.from_labels(taxonomy, answers, truth=truth))
    figure = charts.worst_subtrees(table, [taxonomy.node("dog")], height=200)
    tall = {row["tip_name"]: row["y2"] - row["y"] + 1 for row in rows(figure, "tip_name", "y", "y2")}
    assert tall["mammal"] == pytest.approx(180)
    assert tall["cat"] == pytest.approx(120)
    assert tall["dog"] == pytest.approx(60)
    targets = {row["tip_name"]: row["target"] for row in rows(figure, "tip_name", "target")}
    assert targets["mammal"] == "mammal"
    assert targets["dog"] == ""


def test_several_names_do_not_cover_each_other():
    taxonomy, table = crowded()
    nodes = taxonomy.nodes("c000", "c001", "c002", "tiny", "c003")
    figure = charts.worst_subtrees(table, nodes.tolist(), counts=[f"text {k}" for k in range(5)])
    said = sorted(row["y"] for row in rows(figure, "text") if str(row["text"]).startswith("text "))
    assert (np.diff(said) >= 33.9).all()
    assert said[0] >= 0
    assert said[-1] <= 222


def test_classes_without_samples_are_refused():
    _, table = crowded()
    with pytest.raises(PredictionsError, match="classes with samples"):
        charts.worst_subtrees(table, [])


def test_answers_outside_the_taxonomy_are_a_part_of_the_wrong_ones():
    figure = charts.outcome_bars(SHARES, outside={"a": 0.0625, "b": 0.25}, highlight="b", width=600)
    assert figure.table["outside"].tolist() == [0.0625, 0.25]
    assert figure.sentence.endswith("75.0 % wrong (25.0 % outside the taxonomy).")
    look = charts.palette(False)
    boxes = [row for row in rows(figure, "x", "x2", "y", "y2", "colour") if row["y2"] - row["y"] > 14]
    end, scale = max(row["x2"] for row in boxes), max(row["x2"] for row in boxes) - min(row["x"] for row in boxes)
    parts = [row for row in boxes if row["colour"] == look.outcome("outside")]
    assert [(row["x2"] - row["x"]) / scale for row in parts] == pytest.approx([0.0625, 0.25])
    assert [row["x2"] for row in parts] == pytest.approx([end, end])
    drawn = shown_texts(charts.to_svg(figure))
    assert {"× wrong, inside the taxonomy", "× wrong, outside the taxonomy"} <= set(drawn)
    # Of b 75 % are wrong: 50 % inside the taxonomy and 25 % outside, and each part says its own share.
    assert {"× 50 %", "× 25 %"} <= set(drawn)
    assert "× 75 %" not in drawn
    # Without such answers nothing says so.
    plain = charts.outcome_bars(SHARES, outside={"a": 0.0, "b": 0.0})
    assert "outside" not in plain.table
    assert not any("the taxonomy" in text for text in shown_texts(charts.to_svg(plain)))
    with pytest.raises(PredictionsError, match="at most the share of wrong answers"):
        charts.outcome_bars(SHARES, outside={"a": 0.25})
