"""Levels of a subtree, columns and the example of calibration, against sets and loops."""

import naive
import naive_diagnosis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.diagnosis._excess import excess, worst_subtrees
from hierviz.diagnosis._level_table import subtree_levels
from hierviz.diagnosis._node_table import NODE_COLUMNS, cost_key, number_text_of, usable_columns, worst_first
from hierviz.diagnosis.calibration_bins import SAMPLES_A_PAIR, calibration_example


@many
@given(naive_diagnosis.labelled(), st.data())
def test_levels_against_loops(case, data):
    graph, taxonomy, truths, answers = case
    predictions = hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths)
    table = hv.diagnosis.node_table(predictions)
    root = data.draw(st.integers(0, graph.n - 1))
    found = subtree_levels(predictions, root, nodes=table)
    inside = [node for node in range(graph.n) if root in naive.ancestors(graph, node)]
    depth = [naive.depth(graph, node) for node in range(graph.n)]
    cost = getattr(table, found.cost_key)
    for level in range(max(depth) + 1):
        here = [node for node in inside if depth[node] == level]
        assert found.n_nodes[level] == len(here)
        assert found.n_leaves[level] == sum(node in graph.leaves for node in here)
        assert found.n_supported[level] == sum(table.support[node] > 0 for node in here)
        assert found.truths[level] == sum(nodes.count(node) for nodes in map(list, truths) for node in here)
        assert found.answers[level] == sum(int(table.stopped_here[node]) for node in here)
        deep = [node for node in inside if depth[node] >= level]
        assert found.support[level] == sum(any(node in deep for node in nodes) for nodes in truths)
        candidates = [node for node in here if cost[node] > 0 and (node != root or not root)]
        beyond = {node: beyond_expected(table, found.cost_key, depth, node) for node in candidates}
        best = max(candidates, key=lambda node: (round(beyond[node], 9), -table.support[node], node), default=-1)
        assert found.worst[level] == best
        assert found.cost[level] == (cost[best] if best >= 0 else 0)
        assert found.excess[level] == pytest.approx(beyond[best] if best >= 0 else 0, abs=1e-9)


def beyond_expected(table, key, depth, node):
    """The cost of a node minus that of its samples at the rate of all, or of its depth where missed samples are counted."""
    cost, among = getattr(table, key), [0]
    if key == "missed":
        among = [other for other in range(len(depth)) if depth[other] == depth[node]]
    n = sum(int(table.support[other]) for other in among)
    return float(cost[node]) - int(table.support[node]) * (sum(float(cost[other]) for other in among) / n if n else 0)


@many
@given(naive_diagnosis.labelled())
def test_worst_subtrees_against_loops(case):
    graph, taxonomy, truths, answers = case
    predictions = hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths)
    table = hv.diagnosis.node_table(predictions)
    key, depth = cost_key(table), [naive.depth(graph, node) for node in range(graph.n)]
    beyond = [beyond_expected(table, key, depth, node) for node in range(graph.n)]
    assert excess(table) == pytest.approx(beyond, abs=1e-9)
    bad = [node for node in range(1, graph.n) if beyond[node] > 1e-9]

    def place(node):
        n = int(table.support[node])
        return min(n, int(table.support[0]) - n) < 10, -round(beyond[node], 9), n, -node

    assert worst_subtrees(table, most=graph.n).tolist() == sorted(bad, key=place)


def test_the_worst_subtree_is_that_of_the_headline(taxonomy):
    """Where nothing is clearly worse, `slices` names the subtree with the largest excess, too."""
    rng = np.random.default_rng(2)
    truth = rng.choice(taxonomy.leaves, 300)
    answer = np.where(rng.random(300) < 0.7, truth, rng.choice(taxonomy.leaves, 300))
    predictions = hv.Predictions.from_labels(taxonomy, answer, truth=truth)
    found = hv.diagnosis.slices(predictions)
    assert not found.n_flagged
    (worst,) = worst_subtrees(hv.diagnosis.node_table(predictions))
    assert found.rows[found.worst_subtree].node == worst
    assert excess(hv.diagnosis.node_table(predictions))[worst] == pytest.approx(found.rows[found.worst_subtree].excess)


def test_costs_of_one_truth(taxonomy):
    # animal > mammal (cat, dog), bird (duck), newt: cat is called a dog, then a mammal; newt is called a cat.
    predictions = hv.Predictions.from_labels(
        taxonomy, taxonomy.nodes("dog", "mammal", "cat"), truth=taxonomy.nodes("cat", "cat", "newt")
    )
    table = hv.diagnosis.node_table(predictions)
    assert cost_key(table) == "n_wrong"
    assert table.n_wrong[taxonomy.nodes("animal", "mammal", "cat", "newt")].tolist() == [2, 1, 1, 1]
    assert table.missed[taxonomy.nodes("animal", "mammal", "cat", "newt")].tolist() == [0, 0, 2, 1]
    assert np.isnan(table.win_lost).all()
    assert "missed" not in usable_columns(table)
    levels = subtree_levels(predictions, taxonomy.node("mammal"))
    assert [taxonomy.names[node] for node in levels.worst.tolist() if node >= 0] == ["cat"]
    assert levels.to_frame()["n_wrong"].tolist() == [0, 0, 1]
    # Two of three answers are wrong, so of two cats 4/3.
    assert levels.excess.tolist() == pytest.approx([0, 0, 1 - 4 / 3])


def test_lost_win_is_the_sum_over_the_support(taxonomy):
    p = np.array([[0.5, 0.25, 0.125, 0.125], [0.125, 0.125, 0.25, 0.5]])
    predictions = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=taxonomy.nodes("cat", "dog"))
    found = hv.diagnosis.node_table(predictions)
    win = hv.win(taxonomy, predictions.truth, predictions.node_probabilities())
    assert found.win_lost[0] == pytest.approx((1 - win).sum())
    assert np.isnan(found.win_lost[taxonomy.node("newt")])


def test_worst_first(taxonomy):
    predictions = hv.Predictions.from_labels(
        taxonomy, taxonomy.nodes("dog", "cat", "cat", "newt"), truth=taxonomy.nodes("cat", "cat", "cat", "newt")
    )
    table = hv.diagnosis.node_table(predictions)
    cat, dog, newt = taxonomy.nodes("cat", "dog", "newt").tolist()
    nodes = np.array([newt, dog, cat])
    # Recall 2/3 of cat, 1 of newt, none of dog: nan is last either way.
    assert worst_first(table, nodes, "recall").tolist() == [cat, newt, dog]
    assert worst_first(table, nodes, "recall", reverse=True).tolist() == [newt, cat, dog]
    assert worst_first(table, nodes, "n_wrong").tolist() == [cat, newt, dog]
    assert worst_first(table, nodes, "support", reverse=True).tolist() == [dog, newt, cat]


def test_texts_of_numbers():
    assert [
        number_text_of(key, value) for key, value in (("support", 16344.0), ("win_lost", 1234.56), ("recall", 0.5))
    ] == [
        "16,344",
        "1,234.6",
        "0.500",
    ]
    assert number_text_of("ece", np.nan) == "–"
    assert all(column.kind in ("count", "sum", "share", "error") for column in NODE_COLUMNS.values())


def test_calibrated_leaves_and_parents_that_are_not():
    predictions = calibration_example()
    assert predictions.n_samples == 6 * SAMPLES_A_PAIR
    names = list("uwabcd")
    found = hv.diagnosis.reliability(predictions, nodes=predictions.taxonomy.nodes(*names))
    assert found.is_flagged.tolist() == [True, True, False, False, False, False]
    assert found.ece == pytest.approx([0.8 / 6, 0.8 / 6, 0, 0, 0, 0], abs=1e-12)
    assert found.bins(0)["p"] == pytest.approx([0.2, 0.5, 0.8])
    assert found.bins(0)["rate"] == pytest.approx([0.6, 0.5, 0.4])
