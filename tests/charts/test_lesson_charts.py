"""Charts of small trees and few numbers: which marks, values and words they hold."""

import numpy as np
import pytest

from hierviz import Taxonomy, charts, pareto_table
from hierviz.metrics.sets.expected_sets import expected_by_threshold

TREE = Taxonomy.from_edges([("root", "1"), ("root", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
P = np.array([1, 0.75, 0.25, 0.2, 0.2, 0.35])


def rows(chart, *fields):
    """Rows of all data sets that have these fields."""
    found = charts.to_vega_lite(chart)["datasets"].values()
    return [row for table in found for row in table if set(fields) <= set(row)]


def test_a_small_tree_says_where_each_class_is_without_colour_too():
    names = {
        row["name"]: row["kind"] for row in charts.small_tree_table(TREE, truth=[3], predicted=[4]).to_dict("records")
    }
    assert names == {"root": "root", "1": "tp", "2": "tn", "3": "fn", "4": "fp", "5": "tn"}
    words = [row["text"] for row in rows(charts.small_tree(TREE, truth=[3], predicted=[4]), "text")]
    assert {"✓ 1", "○ 3", "✗ 4", "2", "5"} <= set(words)
    assert charts.small_tree_sentence(TREE, truth=[3], predicted=[4]) == (
        "On both paths: 1; on the answer's path only: 4; on the true path only: 3."
    )
    assert set(charts.small_tree_table(TREE, predicted=[4])["kind"]) == {"root", "path", "tn"}


def test_a_parent_spans_its_leaves_and_values_have_room_on_a_phone():
    for width, height in ((330, 42), (900, 30)):
        shapes = rows(charts.small_tree(TREE, values=[f"{p:.3f}" for p in P], width=width), "x", "y2", "colour")
        tall = sorted({round(row["y2"] - row["y"]) for row in shapes if "line" in row})
        assert tall == [height - 3, 3 * height - 3, 4 * height - 3]


@pytest.mark.parametrize("dark", [False, True])
def test_bars_stand_on_both_sides_of_zero(dark):
    chart = charts.signed_bars({"one": [-1.0, 0.5], "other": [0.25, 0.0]}, ["a", "b"], dark=dark, width=400)
    assert {"-1.000", "0.500", "0.250", "0.000", "a", "b"} <= {row["text"] for row in rows(chart, "text")}
    assert charts.signed_bars_table({"one": [-1.0, 0.5]}, ["a", "b"]).to_dict("list") == {
        "item": ["a", "b"],
        "one": [-1.0, 0.5],
    }


def test_the_best_set_is_marked():
    sets = expected_by_threshold(TREE, P)
    table = charts.set_steps_table(TREE, sets)
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
    assert {"win", "-0.500", "0"} <= {row["text"] for row in rows(chart, "text")}
    assert charts.interval_lines_table({"win": (-0.5, -1.0, 0.25)}).to_dict("records") == [
        {"item": "win", "estimate": -0.5, "lower": -1.0, "upper": 0.25}
    ]
