"""Inference rules against `naive`, by hand, and the words of their errors."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv

RULES = {"leaf": naive.rule_leaf, "majority": naive.rule_majority, "top_down": naive.rule_top_down}


@many
@given(strategies.judged(st.one_of(strategies.trees(), strategies.graphs())), st.sampled_from(strategies.TIES))
def test_rules(case, threshold):
    graph, taxonomy, p, _ = case
    rows = p.tolist()
    for rule, naive_rule in RULES.items():
        assert hv.infer(taxonomy, p, rule).tolist() == [naive_rule(graph, row) for row in rows], rule
    found = hv.infer(taxonomy, p, "threshold", threshold=threshold)
    assert found.tolist() == [naive.rule_threshold(graph, row, threshold) for row in rows]
    # The other rules have their twins in tests/rules.
    assert set(hv.INFERENCE_RULES) > {*RULES, "threshold"}


@many
@given(st.one_of(strategies.trees(), strategies.graphs()), st.data())
def test_rules_on_leaf_distributions(graph, data):
    taxonomy = strategies.from_graph(graph)
    p = hv.node_probabilities(taxonomy, data.draw(strategies.leaf_rows(graph)), "leaf_probabilities")
    for rule, naive_rule in RULES.items():
        assert hv.infer(taxonomy, p, rule).tolist() == [naive_rule(graph, row) for row in p.tolist()], rule


def rows_of(*rows):
    return np.array(rows, dtype=float)


def test_by_hand(taxonomy):
    p = rows_of(
        # animal mammal cat dog bird duck newt
        [1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125],  # cat has exactly 0.5, which is no majority
        [1, 0.625, 0.375, 0.25, 0, 0, 0.375],  # cat and newt tie
        [1, 0.5, 0.25, 0.25, 0.5, 0.5, 0],  # mammal and bird tie at the top
        [1, 0.25, 0.125, 0.125, 0.75, 0.75, 0],  # bird has one child and is never predicted
        [0.25, 0.25, 0.25, 0, 0, 0, 0],  # nothing above 0.5 and cat equals the root: the most informative of equals
    )
    cat, dog, duck, newt, mammal, animal = taxonomy.nodes("cat", "dog", "duck", "newt", "mammal", "animal")
    assert hv.infer(taxonomy, p).tolist() == [mammal, mammal, animal, duck, cat]
    assert hv.infer(taxonomy, p, "leaf").tolist() == [cat, cat, duck, duck, cat]
    assert hv.infer(taxonomy, p, "top_down").tolist() == [cat, cat, cat, duck, cat]
    assert hv.infer(taxonomy, p, "threshold", threshold=0).tolist() == [cat, cat, duck, duck, cat]
    assert hv.infer(taxonomy, p, "threshold", threshold=1).tolist() == [animal, animal, animal, animal, cat]
    # Two nodes of equal information above the threshold: the more probable one, not the first.
    assert hv.infer(taxonomy, rows_of([1, 0.9, 0.3, 0.6, 0, 0, 0]), "threshold", threshold=0.25).tolist() == [dog]
    assert hv.infer(taxonomy, rows_of([1, 0.4, 0.2, 0.2, 0.1, 0.1, 0.5]), "top_down").tolist() == [newt]


def test_top_down_ties_go_to_the_first_declared_child():
    """x is declared before y but numbered after it, because its other parent y comes first."""
    graph = hv.Taxonomy.from_edges([("r", "x"), ("r", "y"), ("y", "x"), ("y", "z")])
    x, y, z = graph.nodes("x", "y", "z")
    assert (y, x, z) == (1, 2, 3)
    p = np.zeros((1, 4))
    p[:, [0, x, y, z]] = 1, 0.5, 0.5, 0.5
    assert hv.infer(graph, p, "top_down").tolist() == [x]


def test_no_rows(taxonomy):
    for rule in RULES:
        assert hv.infer(taxonomy, np.empty((0, 7)), rule).shape == (0,)


@pytest.mark.parametrize(
    ("shape", "rule", "keywords", "message"),
    [
        (
            (1, 7),
            "mayority",
            {},
            r"^rule: expected one of leaf, majority, .*, got 'mayority'\. Did you mean 'majority'\? Choose one",
        ),
        ((1, 6), "leaf", {}, r"^p: expected shape \(n_samples, 7\), got \(1, 6\)\. Pass node probabilities"),
        ((7,), "leaf", {}, r"^p: expected shape \(n_samples, 7\), got \(7,\)"),
        ((1, 7), "threshold", {}, r"^rule 'threshold': expected the keywords \['threshold'\], got \[\]"),
        ((1, 7), "leaf", {"threshold": 0.5}, r"^rule 'leaf': expected the keywords \[\], got \['threshold'\]"),
        ((1, 7), "threshold", {"threshold": 1.5}, r"^threshold: expected a number from 0 to 1, got 1\.5\. Choose"),
        ((1, 7), "threshold", {"threshold": -0.1}, r"^threshold: expected a number from 0 to 1, got -0\.1"),
        ((1, 7), "threshold", {"threshold": float("nan")}, r"^threshold: expected a number from 0 to 1, got nan"),
        ((1, 7), "threshold", {"threshold": "half"}, r"^threshold: expected a number from 0 to 1, got 'half'"),
        ((1, 7), "threshold", {"threshold": None}, r"^threshold: expected a number from 0 to 1, got None"),
    ],
)
def test_errors(taxonomy, shape, rule, keywords, message):
    with pytest.raises(hv.PredictionsError, match=message):
        hv.infer(taxonomy, np.ones(shape), rule, **keywords)


@pytest.mark.parametrize("rule", ["leaf", "majority", "top_down"])
def test_probabilities_that_are_no_numbers(taxonomy, rule):
    """A nan loses every comparison: without a check the root would be answered without a word."""
    with pytest.raises(hv.PredictionsError, match=r"^p: expected .*nan"):
        hv.infer(taxonomy, np.full((1, 7), np.nan), rule)


def test_rows_of_a_pareto_table_by_slice_and_mask(taxonomy):
    p = np.random.default_rng(0).dirichlet(np.ones(taxonomy.n_leaves), 6)
    predictions = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities")
    table = hv.pareto_table(taxonomy, predictions)
    for rows in (slice(None), slice(1, 4), slice(None, None, -1), np.array([5, 0]), np.arange(6) > 2):
        some, numbers = table.take(rows), np.arange(6)[rows]
        assert len(some.offsets) == len(numbers) + 1
        for place, row in enumerate(numbers.tolist()):
            expected = slice(table.offsets[row], table.offsets[row + 1])
            np.testing.assert_array_equal(
                some.nodes[some.offsets[place] : some.offsets[place + 1]], table.nodes[expected]
            )
