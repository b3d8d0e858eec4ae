"""The hierarchical win and the numbers of Wu's best leaf against `naive`, by hand, and identities of Wu, Tygert & LeCun, 2019."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.metrics.win import best_leaf_metrics, win, win_breakdown

close = np.testing.assert_allclose


@many
@given(strategies.judged())
def test_win_of_any_values(case):
    """Also of values that are no distribution: the win is linear in them."""
    graph, taxonomy, p, truth = case
    both = list(zip(p.tolist(), truth.tolist()))
    close(win(taxonomy, truth, p), [naive.win(graph, row, y) for row, y in both], atol=1e-12)
    close(win(taxonomy, truth, p, rescaled=False), [naive.raw_win(graph, row, y) for row, y in both], atol=1e-12)
    for row, y in both:
        terms = win_breakdown(taxonomy, y, np.array(row))
        close([terms.win, terms.raw_win], [naive.win(graph, row, y), naive.raw_win(graph, row, y)], atol=1e-12)
        assert terms.nodes.tolist() == (naive.path(graph, y)[1:] or [0])
        close(terms.weight, [2.0**-d for d in range(1, len(terms.nodes))] + [2.0 ** -max(len(terms.nodes) - 1, 0)])
        close(terms.term, terms.weight * np.array(row)[terms.nodes])
        close([terms.weight.sum(), terms.term.sum(), terms.lost.sum()], [1, terms.win, 1 - terms.win], atol=1e-12)


@many
@given(strategies.trees(), st.data())
def test_win_of_distributions(graph, data):
    taxonomy = strategies.from_graph(graph)
    rows = data.draw(strategies.leaf_rows(graph))
    p = hv.node_probabilities(taxonomy, rows, "leaf_probabilities")
    truth = data.draw(strategies.truths(graph, len(rows)))
    value, raw = win(taxonomy, truth, p), win(taxonomy, truth, p, rescaled=False)
    assert ((value >= 0) & (value <= 1 + 1e-12) & (raw >= 0.5 - 1e-12)).all()
    close(raw, (1 + value) / 2, rtol=1e-12)
    # -log of win is never above the cross entropy.
    assert (value >= p[np.arange(len(p)), truth] - 1e-12).all()
    for y in graph.leaves:
        # Linear: the win is the sum over leaves of p times the win of one-hot rows, 1 - 2^-m.
        one_hot = hv.node_probabilities(taxonomy, np.eye(len(graph.leaves)), "leaf_probabilities")
        gradient = win(taxonomy, np.full(len(one_hot), y), one_hot)
        shared = [len(naive.ancestors(graph, leaf) & naive.ancestors(graph, y)) - 1 for leaf in graph.leaves]
        close(gradient, [1 if leaf == y else 1 - 2.0**-m for leaf, m in zip(graph.leaves, shared)])
        close(win(taxonomy, np.full(len(p), y), p), rows @ gradient, atol=1e-12)


@many
@given(strategies.trees(), st.data())
def test_best_leaf(graph, data):
    taxonomy = strategies.from_graph(graph)
    truth = data.draw(strategies.truths(graph, 5))
    best = np.array(data.draw(st.lists(st.sampled_from(graph.leaves), min_size=5, max_size=5)))
    found = best_leaf_metrics(taxonomy, truth, best)
    expected = [naive.best_leaf_metrics(graph, y, leaf) for y, leaf in zip(truth.tolist(), best.tolist())]
    assert set(found) == set(expected[0])
    for key, values in found.items():
        close(values, [one[key] for one in expected], err_msg=key)


def test_flat_tree_is_the_probability_of_the_truth():
    flat = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("r", "c")])
    p = hv.node_probabilities(flat, np.array([[0.5, 0.3, 0.2]]), "leaf_probabilities")
    for node, value in zip(flat.leaves, (0.5, 0.3, 0.2)):
        close(win(flat, np.array([node]), p), value)
        assert best_leaf_metrics(flat, np.array([node]), np.array([1]))["parents_accuracy"][0] == 1


@pytest.mark.parametrize(
    ("truth", "value"),
    [
        ("cat", 0.75 / 2 + 0.5 / 4 + 0.5 / 4),  # mammal 1/2, cat 1/4 counted twice
        ("dog", 0.75 / 2 + 0.25 / 4 + 0.25 / 4),
        ("duck", 0.125 / 2 + 0.125 / 2),
        ("newt", 0.125 / 2 + 0.125 / 2),  # depth 1: p(newt) itself
        ("mammal", 0.75),  # an inner truth ends the path and counts twice
        ("animal", 1.0),
    ],
)
def test_by_hand(taxonomy, truth, value):
    p = np.array([[1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125]])
    close(win(taxonomy, taxonomy.nodes(truth), p), [value])
    close(win(taxonomy, taxonomy.nodes(truth), p, rescaled=False), [(1 + value) / 2])


def test_breakdown_by_hand(taxonomy):
    terms = win_breakdown(taxonomy, taxonomy.node("cat"), np.array([1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125]))
    assert terms.nodes.tolist() == [1, 2]
    assert terms.weight.tolist() == [0.5, 0.5]
    assert terms.p.tolist() == [0.75, 0.5]
    assert terms.term.tolist() == [0.375, 0.25]
    assert terms.lost.tolist() == [0.125, 0.25]
    assert (terms.win, terms.raw_win) == (0.625, 0.8125)


@pytest.mark.parametrize(
    ("truth", "best", "expected"),
    [
        # one-hot win, coarsest, parents', finest, shared, claimed, due
        ("cat", "cat", (1, 1, 1, 1, 2, 2, 2)),
        ("cat", "dog", (0.5, 1, 1, 0, 1, 2, 2)),
        ("cat", "newt", (0, 0, 0, 0, 0, 1, 2)),
        ("newt", "cat", (0, 0, 0, 0, 0, 2, 1)),
        ("mammal", "dog", (1, 1, 1, 1, 1, 1, 1)),  # below an inner truth: right
        ("mammal", "newt", (0, 0, 1, 0, 0, 1, 1)),  # both at depth 1: the parent is the root
        ("animal", "newt", (1, 1, 1, 1, 0, 0, 0)),
    ],
)
def test_best_leaf_by_hand(taxonomy, truth, best, expected):
    found = best_leaf_metrics(taxonomy, taxonomy.nodes(truth), taxonomy.nodes(best))
    keys = ("one_hot_win", "coarsest_accuracy", "parents_accuracy", "finest_accuracy", "shared", "claimed", "due")
    assert tuple(found[key][0] for key in keys) == expected


def test_top_down_beats_the_most_probable_leaf():
    """The Yahoo example of Wu, Tygert & LeCun, 2019: .25 + .25 + .125 in Leisure beats Family and Relationships with .375."""
    edges = [("r", "Leisure"), ("Leisure", "a"), ("Leisure", "b"), ("Leisure", "c"), ("r", "Relations")]
    taxonomy = hv.Taxonomy.from_edges([*edges, ("Relations", "Family")])
    leaves = taxonomy.nodes("a", "b", "c", "Family")
    p = hv.node_probabilities(taxonomy, np.array([[0.25, 0.25, 0.125, 0.375]]), "leaf_probabilities", leaves)
    assert [taxonomy.names[hv.infer(taxonomy, p, rule)[0]] for rule in ("top_down", "leaf")] == ["a", "Family"]


@many
@given(st.data())
def test_two_level_identity(data):
    """Every leaf at depth 2: one-hot win = (coarsest + finest) / 2 = aggregate precision = recall; parents' = coarsest."""
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    edges = [("r", f"s{i}") for i in range(len(sizes))]
    edges += [(f"s{i}", f"s{i} {j}") for i, size in enumerate(sizes) for j in range(size)]
    taxonomy = hv.Taxonomy.from_edges(edges)
    choice = st.lists(st.sampled_from(taxonomy.leaves.tolist()), min_size=8, max_size=8).map(np.array)
    found = best_leaf_metrics(taxonomy, data.draw(choice), data.draw(choice))
    half = (found["coarsest_accuracy"] + found["finest_accuracy"]) / 2
    close(found["one_hot_win"], half)
    close(found["shared"].sum() / found["claimed"].sum(), half.mean())
    close(found["shared"].sum() / found["due"].sum(), half.mean())
    close(found["parents_accuracy"], found["coarsest_accuracy"])


def test_errors(taxonomy):
    with pytest.raises(hv.PredictionsError, match=r"^p: expected shape \(2, 7\) for 2 truths, got \(1, 7\)\. Align"):
        win(taxonomy, np.array([1, 2]), np.ones((1, 7)))
    with pytest.raises(hv.PredictionsError, match=r"^p: expected shape \(n_samples, 7\), got \(1, 6\)"):
        win(taxonomy, np.array([1]), np.ones((1, 6)))
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    with pytest.raises(hv.TaxonomyError, match=r"^win: expected a tree, got 'c' with 2 parents"):
        win(graph, np.array([1]), np.ones((1, 4)))


@pytest.mark.parametrize("truth", [-1, 7])
def test_a_truth_that_is_no_node(taxonomy, truth):
    """-1 says that a truth is not known; as an index it would quietly be the last node."""
    with pytest.raises(hv.PredictionsError, match=r"^truth: expected node numbers"):
        win(taxonomy, np.array([truth]), np.ones((1, 7)))
    with pytest.raises(hv.PredictionsError, match=r"^truth: expected node numbers"):
        win_breakdown(taxonomy, truth, np.ones(7))
