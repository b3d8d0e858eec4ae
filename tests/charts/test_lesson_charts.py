"""Charts of small trees and few numbers: which marks, values and words they hold."""

import numpy as np
import pytest
from chart_cases import views

from hierviz import PredictionsError, Taxonomy, charts, operating_curve, pareto_table
from hierviz.charts._small_tree import NARROW_TALL, TALL
from hierviz.lessons import sandbox
from hierviz.lessons.samples import ANIMALS
from hierviz.metrics.sets.expected_sets import expected_by_threshold

TREE = Taxonomy.from_edges([("root", "1"), ("root", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
P = np.array([1, 0.75, 0.25, 0.2, 0.2, 0.35])


def rows(chart, *fields):
    """Rows of all data sets that have these fields."""
    found = charts.to_vega_lite(chart)["datasets"].values()
    return [row for table in found for row in table if set(fields) <= set(row)]


def test_a_small_tree_says_where_each_class_is_without_colour_too():
    names = {
        row["name"]: row["kind"] for row in charts.small_tree(TREE, truth=[3], predicted=[4]).table.to_dict("records")
    }
    assert names == {"root": "root", "1": "tp", "2": "tn", "3": "fn", "4": "fp", "5": "tn"}
    words = [row["text"] for row in rows(charts.small_tree(TREE, truth=[3], predicted=[4]), "text")]
    assert {"✓ 1", "○ 3", "✗ 4", "2", "5"} <= set(words)
    assert charts.small_tree(TREE, truth=[3], predicted=[4]).sentence == (
        "On both paths: 1; on the answer's path only: 4; on the true path only: 3."
    )
    assert set(charts.small_tree(TREE, predicted=[4]).table["kind"]) == {"root", "path", "tn"}


def heights(figure):
    """Of each filled block of the drawing: its height; legends have boxes of 13 pixels."""
    return [row["y2"] - row["y"] for row in rows(figure, "x", "y2", "colour", "line") if row["y2"] - row["y"] != 13]


def test_without_probabilities_no_height_means_anything():
    for width, height in ((190, 38), (900, 24)):
        shapes = heights(charts.small_tree(TREE, values=[f"{p:.3f}" for p in P], width=width))
        # Boxes are equally tall, those of leaves and of their parents; where there is no room the value is below the name.
        assert len(shapes) == 6
        assert shapes == pytest.approx([height] * 6)


@pytest.mark.parametrize("width", [330, 900])
@pytest.mark.parametrize("dark", [False, True])
def test_with_probabilities_heights_are_p(width, dark):
    figure = charts.small_tree(TREE, truth=[3], predicted=[4], values=list(map(str, P)), p=P, width=width, dark=dark)
    scale = TALL if width > 500 else NARROW_TALL
    # In the order of the tree: root, 1, 3, 4, 5, 2.
    assert heights(figure) == pytest.approx([scale * p for p in (1, 0.75, 0.2, 0.2, 0.35, 0.25)])
    words = {row["text"] for row in rows(figure, "text")}
    assert "height: p" in words
    assert not any("1 px" in word for word in words)
    assert figure.table["p"].tolist() == P.tolist()


def test_thin_and_incoherent_blocks_are_said():
    p = np.array([1, 1, 0, 0, 0, 1])
    words = {row["text"] for row in rows(charts.small_tree(TREE, truth=[3], values=list(map(str, p)), p=p), "text")}
    # 3 is the truth, drawn as a line; 2 and 4 are on no path.
    assert {"○ 3 0", "too thin: drawn as a 1 px line", "too thin to draw: 4, 2"} <= words
    p = np.array([1, 0.5, 0.4, 0.45, 0.4, 0.4])
    figure = charts.small_tree(TREE, p=p)
    assert heights(figure) == pytest.approx([TALL * p for p in (1, 0.5, 0.45, 0.4, 0.4, 0.4)])
    assert any("do not exclude each other" in row["text"] for row in rows(figure, "text"))
    with pytest.raises(PredictionsError, match=r"p: expected shape \(6,\), one sample, got \(2,\)"):
        charts.small_tree(TREE, p=[0.5, 0.5])


def test_the_lesson_on_sums_draws_eel_a_sixth_as_high_as_cat():
    drawn = sandbox.of_weights(sandbox.START).tree().figure
    tall = heights(drawn)
    names = [ANIMALS.title(int(node)) for node in np.argsort(ANIMALS.preorder)]
    by_name = dict(zip(names, tall, strict=True))
    assert by_name["cat"] / by_name["eel"] == pytest.approx(6)
    assert by_name["cat"] + by_name["dog"] == pytest.approx(by_name["pet"])
    assert by_name["animal"] == pytest.approx(TALL)


@pytest.mark.parametrize("dark", [False, True])
def test_bars_stand_on_both_sides_of_zero(dark):
    chart = charts.signed_bars({"one": [-1.0, 0.5], "other": [0.25, 0.0]}, ["a", "b"], dark=dark, width=400)
    bars = {(row["item"], row["text"]) for row in rows(chart, "text")}
    assert bars == {("a", "-1.000"), ("b", "0.500"), ("a", "0.250"), ("b", "0.000")}
    assert charts.signed_bars({"one": [-1.0, 0.5]}, ["a", "b"]).table.to_dict("list") == {
        "item": ["a", "b"],
        "one": [-1.0, 0.5],
    }


def test_the_best_set_is_marked():
    sets = expected_by_threshold(TREE, P)
    table = charts.set_steps(TREE, sets).table
    assert table["set"][table["is_best"]].tolist() == ["{1, 2, 5}"]
    labels = {row["set"]: row["label"] for row in rows(charts.set_steps(TREE, sets, threshold=0.5, width=330), "set")}
    assert labels["{1, 2, 5}"] == "★ 0.565"
    assert labels["{1, 5}"] == ""


def test_the_pareto_set_is_joined():
    nodes = pareto_table(TREE, P[None]).nodes.tolist()
    found = rows(charts.pareto_points(TREE, P, nodes, threshold=0.4), "in_set")
    assert {row["node"] for row in found if row["in_set"]} == set(nodes)


def test_intervals_have_their_ends():
    chart = charts.interval_lines({"win": (-0.5, -1.0, 0.25)}, zero=True, width=400)
    assert {(row["item"], row["text"]) for row in rows(chart, "text")} == {("win", "-0.500")}
    assert [row["value"] for row in rows(chart) if set(row) == {"value"}] == [0]
    assert charts.interval_lines({"win": (-0.5, -1.0, 0.25)}).table.to_dict("records") == [
        {"item": "win", "estimate": -0.5, "lower": -1.0, "upper": 0.25}
    ]


def test_plain_curves_mark_thresholds_on_axes_from_zero_to_one():
    p = np.array([[1, 0.75, 0.25, 0.2, 0.2, 0.35], [1, 0.9, 0.1, 0.5, 0.4, 0.0]])
    curve = operating_curve(TREE, [5, 3], p)
    figure = charts.plain_curves({"one": curve}, marks={"half": 0.5, "low": 0.3}, level=0.9, area=True, width=400)
    plot = charts.to_vega_lite(figure)
    marks = [layer["mark"]["type"] for layer in plot["layer"]]
    assert {"area", "line", "rule", "circle", "text"} <= set(marks)
    # Above 0.5 the answers are 1 and 1, both right: log2(4/3) of 2 bits each. Above 0.3 they are 5 and 3, exact.
    assert charts.plain_curves(curve, marks={"half": 0.5, "low": 0.3}).table.to_dict("list") == {
        "model": ["model", "model"],
        "mark": ["half", "low"],
        "threshold": [0.5, 0.3],
        "info_recall": [pytest.approx(np.log2(4 / 3) / 2), 1.0],
        "correct": [1.0, 1.0],
    }
    assert charts.plain_curves(curve, marks={"low": 0.3}).sentence == (
        "Low: 100 % of the answers are correct, information recall 100 %."
    )
    # Names of neighbouring dots stand on two sides of the curve.
    words = [view["rows"] for view in views(plot) if view["mark"]["type"] == "text"]
    assert [{row["dy"] for row in rows} for rows in words] == [{-13, 20}] * 2


def test_a_graph_without_paths_marks_none():
    graph = Taxonomy.from_edges([("root", "a"), ("root", "b"), ("a", "c"), ("b", "c")])
    table = charts.path_graph(graph, None, 0, truth=[3], nodes=range(4)).table
    assert table["outcome"].tolist() == ["root", "tn", "tn", "tn"]
    words = {
        row["text"] for row in rows(charts.path_graph(graph, None, 0, truth=[3], nodes=range(4), width=600), "text")
    }
    assert {"root", "a", "b", "c", "truth"} <= words
    assert "on an answer's path" not in words
