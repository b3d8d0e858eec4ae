"""Scores to node probabilities: all parametrisations against `naive`, by hand, and at their edges."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.predictions.parametrisation import default_columns, sigmoid, softmax

KEYS = list(hv.PARAMETRISATIONS)
ON_GRAPHS = ["flat_softmax", "multilabel_sigmoid", "softmax_all_nodes", "leaf_sigmoid_noisy_or", "leaf_sigmoid_max"]
ON_GRAPHS += ["votes", "leaf_probabilities", "node_probabilities"]
# Their scores are no numbers of any size.
HOLD_PROBABILITIES = ("leaf_probabilities", "node_probabilities")
COUNTS = (0.0, 0.0, 1.0, 2.0, 7.0)


def scores_for(draw, graph, key):
    if key == "leaf_probabilities":
        return draw(strategies.leaf_rows(graph))
    values = {"node_probabilities": strategies.TIES, "votes": COUNTS}.get(key, strategies.LOGITS)
    return draw(strategies.rows(len(naive.columns(graph, key)), values))


def check(graph, key, scores, order):
    taxonomy = strategies.from_graph(graph)
    columns = naive.columns(graph, key)
    expected = [naive.node_probabilities(graph, key, dict(zip(columns, row))) for row in scores.tolist()]
    assert default_columns(taxonomy, key).tolist() == columns
    p = hv.node_probabilities(taxonomy, scores, key)
    assert p.dtype == np.float64
    np.testing.assert_allclose(p, expected, rtol=1e-9, atol=1e-12)
    named = hv.node_probabilities(taxonomy, scores[:, order], key, np.array(columns)[order])
    np.testing.assert_allclose(named, p, rtol=1e-12)
    return taxonomy, p


@pytest.mark.parametrize("key", KEYS)
@many
@given(st.data())
def test_on_trees(key, data):
    graph = data.draw(strategies.trees())
    scores = scores_for(data.draw, graph, key)
    order = data.draw(st.permutations(range(scores.shape[1])))
    taxonomy, p = check(graph, key, scores, order)
    entry = hv.PARAMETRISATIONS[key]
    if entry.is_coherent:
        assert (p[:, 1:] <= p[:, taxonomy.parent[1:]] + 1e-12).all()
    if entry.is_distribution:
        np.testing.assert_allclose(p[:, taxonomy.leaves].sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("key", ON_GRAPHS)
@many
@given(st.data())
def test_on_graphs(key, data):
    graph = data.draw(strategies.graphs())
    scores = scores_for(data.draw, graph, key)
    check(graph, key, scores, data.draw(st.permutations(range(scores.shape[1]))))


def test_which_are_defined_on_graphs():
    assert [key for key in KEYS if not hv.PARAMETRISATIONS[key].tree_only] == ON_GRAPHS


@many
@given(strategies.trees(), st.data())
def test_path_sums_make_parameter_sharing_flat(graph, data):
    """PS q = flat q of path sums (parameter sharing in Valmadre, NeurIPS 2022)."""
    taxonomy = strategies.from_graph(graph)
    theta = data.draw(strategies.rows(graph.n - 1, (-2.0, -0.5, 0.0, 0.25, 1.0, 3.0)))
    sums = np.array(
        [[sum(row[node - 1] for node in naive.path(graph, leaf)[1:]) for leaf in graph.leaves] for row in theta]
    )
    np.testing.assert_allclose(
        hv.node_probabilities(taxonomy, theta, "ps_softmax"), hv.node_probabilities(taxonomy, sums, "flat_softmax")
    )


@pytest.mark.parametrize("key", [key for key in KEYS if hv.PARAMETRISATIONS[key].is_coherent])
def test_coherent_to_the_last_bit(key):
    """Never a child above its parent, nor a threshold above 1: sums miss 1 by a rounding error."""
    rng = np.random.default_rng(0)
    edges = [("r", "a"), ("r", "b")] + [("a", f"a{i}") for i in range(7)] + [("b", "b0"), ("b", "b1")]
    taxonomy = hv.Taxonomy.from_edges(edges)
    scores = rng.normal(size=(500, len(default_columns(taxonomy, key))))
    scores[:, -3:] -= 60
    if key == "leaf_probabilities":
        scores = softmax(scores)
    if key == "votes":
        scores = np.floor(np.abs(scores))
    p = hv.node_probabilities(taxonomy, scores, key)
    assert (p[:, 1:] <= p[:, taxonomy.parent[1:]]).all()
    assert key == "leaf_probabilities" or (p[:, 0] == 1).all()


@pytest.mark.parametrize("key", [key for key in KEYS if key not in (*HOLD_PROBABILITIES, "votes")])
def test_extreme_scores_stay_finite(taxonomy, key):
    width = len(default_columns(taxonomy, key))
    scores = np.random.default_rng(1).choice([-1e5, -1e3, 0.0, 1e3, 1e5], size=(50, width))
    p = hv.node_probabilities(taxonomy, scores, key)
    assert np.isfinite(p).all()
    assert ((p >= 0) & (p <= 1 + 1e-12)).all()
    assert (p[:, 0] == 1).all()


# By hand: 0 animal, 1 mammal (2 cat, 3 dog), 4 bird (5 duck), 6 newt ---------------------------------------------------

LN2, LN3 = np.log(2), np.log(3)


@pytest.mark.parametrize(
    ("key", "scores", "expected"),
    [
        # cat, dog, duck, newt: e^x = 1, 2, 3, 2, sum 8.
        ("flat_softmax", [0, LN2, LN3, LN2], [1, 3 / 8, 1 / 8, 2 / 8, 3 / 8, 3 / 8, 2 / 8]),
        # sigmoid(0) = 1/2, sigmoid(ln 3) = 3/4, sigmoid(-ln 3) = 1/4, each on its own.
        ("multilabel_sigmoid", [0, LN3, -LN3, 0, LN3, 0], [1, 1 / 2, 3 / 4, 1 / 4, 1 / 2, 3 / 4, 1 / 2]),
        # Columns: mammal, bird, newt | cat, dog | duck. Families (1, 2, 1)/4, (1, 3)/4, (1)/1.
        (
            "conditional_softmax",
            [0, LN2, 0, 0, LN3, 7],
            [1, 1 / 4, 1 / 16, 3 / 16, 1 / 2, 1 / 2, 1 / 4],
        ),
        # mammal 1/2, cat 3/4, dog 1/4, bird 3/4, duck 1/2, newt 1/4 given the parent.
        ("conditional_sigmoid", [0, LN3, -LN3, LN3, 0, -LN3], [1, 1 / 2, 3 / 8, 1 / 8, 3 / 4, 3 / 8, 1 / 4]),
        # Path sums: mammal 10 ln 3, cat 0, dog 10 ln 3, bird 0, duck -10 ln 3, newt 0; sigmoid of a tenth.
        (
            "deep_rtc",
            [10 * LN3, -10 * LN3, 0, 0, -10 * LN3, 0],
            [1, 3 / 4, 1 / 2, 3 / 4, 1 / 2, 1 / 4, 1 / 2],
        ),
        # Path sums of cat ln 2, dog ln 2 + ln 3, duck 0, newt 0: 2, 6, 1, 1, sum 10.
        ("ps_softmax", [LN2, 0, LN3, LN3, -LN3, 0], [1, 8 / 10, 2 / 10, 6 / 10, 1 / 10, 1 / 10, 1 / 10]),
        # Own mass 1, 2, 1, 1, 1, 3, 1 of 10.
        ("softmax_all_nodes", [0, LN2, 0, 0, 0, LN3, 0], [1, 4 / 10, 1 / 10, 1 / 10, 4 / 10, 3 / 10, 1 / 10]),
        # 10 answers: 1 animal, 2 mammal, 3 cat, 0 dog, 0 bird, 4 duck, 0 newt.
        ("votes", [1, 2, 3, 0, 0, 4, 0], [1, 5 / 10, 3 / 10, 0, 4 / 10, 4 / 10, 0]),
        ("leaf_probabilities", [0.5, 0.25, 0.125, 0.125], [1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125]),
        ("node_probabilities", [0.9, 0.2, 0.8, 0.5, 0.6, 0.1], [1, 0.9, 0.2, 0.8, 0.5, 0.6, 0.1]),
        ("node_probabilities", [0.7, 0.9, 0.2, 0.8, 0.5, 0.6, 0.1], [0.7, 0.9, 0.2, 0.8, 0.5, 0.6, 0.1]),
    ],
)
def test_by_hand(taxonomy, key, scores, expected):
    np.testing.assert_allclose(hv.node_probabilities(taxonomy, np.array([scores]), key), [expected], rtol=1e-12)


def test_conditional_softmax_columns_are_grouped_by_parent(taxonomy):
    assert default_columns(taxonomy, "conditional_softmax").tolist() == [1, 4, 6, 2, 3, 5]


def test_the_root_of_leaf_probabilities_is_their_sum(taxonomy):
    p = hv.node_probabilities(taxonomy, np.array([[0.5, 0.25, 0.125, 0.0]]), "leaf_probabilities")
    assert p[0, 0] == 0.875


def test_named_root_column_may_stand_anywhere(taxonomy):
    nodes = np.array([6, 5, 4, 0, 3, 2, 1])
    p = hv.node_probabilities(taxonomy, nodes[None] / 10, "node_probabilities", nodes)
    np.testing.assert_array_equal(p, np.arange(7)[None] / 10)


def test_float32_is_summed_in_float64(taxonomy):
    scores = np.random.default_rng(2).normal(size=(20, 4)).astype(np.float32)
    p = hv.node_probabilities(taxonomy, scores, "flat_softmax")
    assert p.dtype == np.float64
    np.testing.assert_array_equal(p, hv.node_probabilities(taxonomy, scores.astype(np.float64), "flat_softmax"))


def test_the_input_is_left_alone(taxonomy):
    scores = np.full((2, 7), 0.25)
    hv.node_probabilities(taxonomy, scores, "node_probabilities")[:] = 9
    assert (scores == 0.25).all()


def test_sigmoid_and_softmax_at_the_ends():
    np.testing.assert_array_equal(sigmoid(np.array([-1e4, 0.0, 1e4])), [0, 0.5, 1])
    np.testing.assert_array_equal(softmax(np.array([[1e4, 0.0], [3.0, 3.0]])), [[1, 0], [0.5, 0.5]])


# Errors ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "shape", "nodes", "message"),
    [
        (
            "sofmax",
            (1, 4),
            None,
            r"^parametrisation: expected one of flat_softmax, .*, got 'sofmax'\. Did you mean 'ps_softmax'",
        ),
        (None, (1, 4), None, r"^parametrisation: expected one of .*, got None"),
        ("flat_softmax", (4,), None, r"^scores: expected two axes \(samples, scores\), got shape \(4,\)"),
        ("flat_softmax", (1, 5), None, r"expected 4 columns for flat_softmax \(one per leaf\), got 5\. Check"),
        ("deep_rtc", (1, 7), None, r"expected 6 columns for deep_rtc \(one per node except the root\), got 7"),
        ("softmax_all_nodes", (1, 6), None, r"expected 7 columns for softmax_all_nodes \(one per node\), got 6"),
        ("flat_softmax", (1, 4), [2, 3, 5], r"expected one node per column, got 3 nodes for 4 columns\. Name every"),
        ("flat_softmax", (1, 3), [2, 3, 5], r"expected a column for 'newt' with flat_softmax \(4 columns.*, got none"),
        ("flat_softmax", (1, 5), [2, 3, 5, 6, 1], r"expected no column for 'mammal' with flat_softmax .*, got one"),
        ("flat_softmax", (1, 5), [2, 3, 5, 6, 6], r"expected one column for 'newt' with flat_softmax .*, got several"),
        ("node_probabilities", (1, 1), [0], r"expected a column for 'mammal', .*'duck' and 1 more with node_prob"),
    ],
)
def test_wrong_columns(taxonomy, key, shape, nodes, message):
    with pytest.raises(hv.PredictionsError, match=message):
        hv.node_probabilities(taxonomy, np.zeros(shape), key, None if nodes is None else np.array(nodes))


@pytest.mark.parametrize("node", [7, 99, -1])
def test_a_column_of_an_unknown_node(taxonomy, node):
    with pytest.raises(hv.PredictionsError, match=r"scores: .*" + str(node)):
        hv.node_probabilities(taxonomy, np.zeros((1, 4)), "flat_softmax", np.array([2, 3, 5, node]))


@pytest.mark.parametrize("key", [key for key in KEYS if key not in ON_GRAPHS])
def test_trees_only(key):
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    with pytest.raises(hv.TaxonomyError, match=rf"^{key}: expected a tree, got 'c' with 2 parents \('a', 'b'\)"):
        hv.node_probabilities(graph, np.zeros((1, 3)), key)
