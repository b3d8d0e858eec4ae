"""The check of the class order, on the demo's own answers and against counts by hand."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierviz import Taxonomy
from hierviz.demo import load_demo
from hierviz.onnx.class_order import are_right, check_class_order, near_chance, top_level_wrong
from hierviz.predictions.exchanged_columns import luck
from hierviz.taxonomy.node_lists import NodeLists


@pytest.fixture(scope="module")
def demo():
    """Predictions of flat softmax and of conditional softmax on the demo's pictures."""
    pytest.importorskip("onnxruntime")
    return load_demo(("flat_softmax", "conditional_softmax"))[1]


def chosen_of(table):
    (row,) = (row for row in table if row["is_chosen"])
    return row


def test_the_right_order_is_silent(demo):
    one = demo[0]
    table, warning = check_class_order(one.taxonomy, one.truth, one.scores, one.scored_nodes)
    assert warning is None
    best = table[0]
    assert best["is_chosen"]
    assert best["n"] == 600
    best_leaf = one.scored_nodes[np.argmax(one.scores, axis=1)]
    by_hand = sum(
        truth in one.taxonomy.path(leaf).tolist()
        for leaf, truth in zip(best_leaf.tolist(), one.truth.tolist(), strict=True)
    )
    assert best["n_right"] == by_hand > 400
    orders = [row["order"] for row in table]
    assert sum("alphabetical" in name for name in orders) == 3  # as it is and shifted either way
    assert all(row["n_right"] < 100 for row in table[1:])
    assert all(row["luck"] == 1 for row in table[1:])


@pytest.mark.parametrize("order", ["alphabetical", "shifted", "shifted back"])
def test_a_permuted_order_is_warned_about(demo, order):
    """The model's columns are in the tree's order; whoever names them believes another one."""
    one = demo[0]
    nodes = one.scored_nodes
    wrong = {
        "alphabetical": np.array(sorted(nodes.tolist(), key=lambda node: one.taxonomy.names[node])),
        "shifted": np.roll(nodes, -1),
        "shifted back": np.roll(nodes, 1),
    }[order]
    table, warning = check_class_order(one.taxonomy, one.truth, one.scores, wrong)
    assert "another order" in warning
    assert warning.endswith("Check the class names (classes=)")
    assert "less than one in a million" in warning
    assert not table[0]["is_chosen"]
    assert table[0]["n_right"] == pytest.approx(
        chosen_of(check_class_order(one.taxonomy, one.truth, one.scores, nodes)[0])["n_right"], abs=40
    )
    assert chosen_of(table)["accuracy"] < 0.1


def test_columns_of_inner_nodes(demo):
    one = demo[1]
    nodes = one.scored_nodes
    key = one.parametrisation
    table, warning = check_class_order(one.taxonomy, one.truth, one.scores, nodes, parametrisation=key)
    assert warning is None
    assert table[0]["is_chosen"]
    wrong = np.array(sorted(nodes.tolist(), key=lambda node: one.taxonomy.names[node]))
    table, warning = check_class_order(one.taxonomy, one.truth, one.scores, wrong, parametrisation=key)
    assert "another order" in warning
    assert table[0]["n_right"] > 400
    assert not any("background" in row["order"] for row in table)


def test_without_names_nothing_is_chosen(demo):
    """The table helps to find out; no order is taken."""
    one = demo[0]
    tree_order = np.argsort(one.scored_nodes)
    table, warning = check_class_order(one.taxonomy, one.truth, one.scores[:, tree_order], None)
    assert warning is None
    assert not any(row["is_chosen"] for row in table)
    assert "the taxonomy's order" in table[0]["order"]
    assert table[0]["accuracy"] > 0.7
    assert all(row["luck"] is None for row in table)
    # One column more than leaves: the background comes first or last.
    wide = np.concatenate([np.full((600, 1), 50.0), one.scores[:, tree_order]], axis=1)
    table, _ = check_class_order(one.taxonomy, one.truth, wide, None)
    assert table[0]["order"].startswith("the taxonomy's order, after one background class")
    assert table[0]["accuracy"] > 0.7
    assert check_class_order(one.taxonomy, one.truth, wide[:, :5], None) == ([], None)


def test_equal_orders_are_listed_once(taxonomy):
    """cat, dog, duck, newt: alphabetical, natural and the taxonomy's order are one."""
    scores = np.eye(4)
    truth = taxonomy.nodes("dog", "cat", "duck", "newt")
    table, warning = check_class_order(taxonomy, truth, scores, taxonomy.nodes("dog", "cat", "duck", "newt"))
    assert warning is None  # four rows prove nothing
    assert chosen_of(table)["n_right"] == 4
    assert sorted(row["order"] for row in table) == [
        "alphabetical order",
        "alphabetical order, after one background class",
        "alphabetical order, without the first class",
        "as matched",
        "as matched, after one background class",
        "as matched, without the first class",
    ]
    (other,) = (row for row in table if row["order"] == "alphabetical order")
    assert (other["n_right"], other["n_better"], other["n_worse"], other["luck"]) == (2, 0, 2, 1)
    assert check_class_order(taxonomy, np.full(4, -1), scores, taxonomy.leaves) == ([], None)


def test_right_counts_inner_truths_and_lists(taxonomy):
    cat, dog, mammal, duck, bird = taxonomy.nodes("cat", "dog", "mammal", "duck", "bird")
    leaves = np.array([cat, cat, cat, cat, duck, -1])
    assert are_right(taxonomy, np.array([cat, mammal, dog, -1, bird, cat]), leaves).tolist() == [
        True,
        True,
        False,
        False,
        True,
        False,
    ]
    lists = NodeLists.from_lists([[dog, mammal], [dog, duck], [], [cat], [bird], [cat]])
    assert are_right(taxonomy, lists, leaves).tolist() == [True, False, False, True, True, False]
    graph = Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d")])
    c, d, b, a = graph.nodes("c", "d", "b", "a")
    assert are_right(graph, np.array([a, b, d, a]), np.array([c, c, c, d])).tolist() == [True, True, False, False]


def test_top_level(taxonomy):
    cat, mammal, duck, bird, newt = taxonomy.nodes("cat", "mammal", "duck", "bird", "newt")
    leaves = np.array([cat, cat, duck, newt, newt, cat])
    truth = np.array([mammal, duck, bird, newt, 0, -1])
    assert top_level_wrong(taxonomy, truth, leaves).tolist() == [False, True, False, False, False, False]


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 15))
def test_luck_is_the_sign_test(better, worse, times):
    n = better + worse
    expected = sum(Fraction(comb(n, k), 2**n) for k in range(better, n + 1)) * times
    assert luck(better, worse, times) == pytest.approx(min(1.0, float(expected)), rel=1e-12)


def test_near_chance():
    assert "check the order of the classes and the scaling" in near_chance(44, 600, 40)
    assert near_chance(45, 600, 40) is None  # 3 / 40 of 600
    assert near_chance(0, 0, 40) is None
    # Two leaves: 3 / 2 would call everything chance.
    assert near_chance(70, 100, 2) is None
    assert near_chance(52, 100, 2) is not None
