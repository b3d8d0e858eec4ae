"""Rule `crm_leaf` with costs that people bring: by the definition, equal to the named cost, refused where they do not fit."""

import numpy as np
import pytest
import strategies
from hypothesis import given
from strategies import many

import hierviz as hv
from hierviz.diagnosis.mistakes import mistakes
from hierviz.inference.leaf_costs import LeafCosts


def distances(taxonomy):
    """Edges between every pair of leaves."""
    answer, truth = (leaves.ravel() for leaves in np.meshgrid(taxonomy.leaves, taxonomy.leaves, indexing="ij"))
    depth = taxonomy.depth
    edges = depth[answer] + depth[truth] - 2 * depth[taxonomy.lca(answer, truth)]
    return edges.reshape(taxonomy.n_leaves, taxonomy.n_leaves)


def test_by_hand(taxonomy):
    """Leaves cat, dog, duck, newt. A false newt costs 9, a missed newt 5, anything else wrong 1."""
    p = np.array([[1, 0.75, 0.5, 0.25, 0, 0, 0.25]])
    costs = np.ones((4, 4)) - np.eye(4)
    costs[3, :3], costs[:3, 3] = 9, 5
    # cat 0.25 + 0.25 * 5 = 1.5; dog 0.5 + 1.25 = 1.75; duck 0.75 + 1.25 = 2; newt 0.75 * 9 = 6.75.
    given = LeafCosts.from_array(taxonomy, costs, "prices.csv")
    assert hv.infer(taxonomy, p, "crm_leaf", cost=given).tolist() == taxonomy.nodes("cat").tolist()
    # An answer "duck" that costs next to nothing is given whatever the probabilities are.
    costs[2] = 0.125
    given = LeafCosts.from_array(taxonomy, costs)
    assert hv.infer(taxonomy, p, "crm_leaf", cost=given).tolist() == taxonomy.nodes("duck").tolist()
    # Equal costs: the lowest leaf.
    given = LeafCosts.from_array(taxonomy, np.ones((4, 4)))
    assert hv.infer(taxonomy, p, "crm_leaf", cost=given).tolist() == taxonomy.nodes("cat").tolist()


@many
@given(strategies.judged())
def test_the_distance_as_a_table_is_the_named_cost(case):
    _, taxonomy, p, _ = case
    table = LeafCosts.from_array(taxonomy, distances(taxonomy))
    np.testing.assert_array_equal(
        hv.infer(taxonomy, p, "crm_leaf", cost=table), hv.infer(taxonomy, p, "crm_leaf", cost="depth_dist")
    )


def test_in_the_numbers_of_a_model(taxonomy):
    p = np.array([[0.5, 0.25, 0, 0.25]])
    predictions = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=taxonomy.nodes("duck"))
    costs = np.ones((4, 4)) - np.eye(4)
    costs[2] = 0
    given = LeafCosts.from_array(taxonomy, costs, "prices.csv")
    (model,) = hv.evaluate(predictions, "crm_leaf", cost=given)["models"]
    assert (model["rule"], model["cost"], model["predicted"]["exact"]) == ("crm_leaf", "prices.csv", 1)
    (model,) = hv.evaluate(predictions, "crm_leaf")["models"]
    assert "cost" not in model
    assert model["predicted"]["exact"] == 0


def test_costs_that_are_no_numbers(taxonomy):
    for values, words in (
        ([["a"] * 4] * 4, "expected an array of numbers, got values of type <U1"),
        (np.full((4, 4), 1j), "expected an array of numbers, got values of type complex128"),
        ([[1], [1, 2]], "expected rows of equal length, got different lengths"),
        (None, "expected an array of numbers, got values of type object"),
    ):
        with pytest.raises(hv.PredictionsError, match=f"^costs: {words}"):
            LeafCosts.from_array(taxonomy, values)


def test_refused(taxonomy):
    with pytest.raises(
        hv.PredictionsError, match=r"^costs: expected a cost for every pair of the 4 leaves, shape \(4, 4\)"
    ):
        LeafCosts.from_array(taxonomy, np.ones((3, 4)))
    for value in (-1, np.nan, np.inf):
        costs = np.ones((4, 4))
        costs[1, 3] = value
        with pytest.raises(hv.PredictionsError, match=rf"got {float(value)} for answer 'dog' and truth 'newt'"):
            LeafCosts.from_array(taxonomy, costs)
    other = hv.Taxonomy.from_edges([("r", "a"), ("r", "b")])
    with pytest.raises(
        hv.TaxonomyError, match=r"^costs: expected the costs of this taxonomy \(2 leaves\), got those of an"
    ):
        hv.infer(other, np.ones((1, 3)), "crm_leaf", cost=LeafCosts.from_array(taxonomy, np.ones((4, 4))))
    for cost in (np.ones((4, 4)), None, "hops"):
        with pytest.raises(hv.PredictionsError, match=r"^cost: expected one of depth_dist, .*, or LeafCosts .*, got "):
            hv.infer(taxonomy, np.ones((1, 7)), "crm_leaf", cost=cost)
    predictions = hv.Predictions.from_scores(taxonomy, np.ones((1, 4)) / 4, "leaf_probabilities", truth=[2])
    with pytest.raises(
        hv.PredictionsError, match=r"^rule 'darts': expected parameters among .*, got 'lamb'\. Did you mean"
    ):
        hv.evaluate(predictions, "darts", lamb=2)


@many
@given(strategies.judged())
def test_costs_of_inner_classes_are_means_over_pairs_of_leaves(case):
    graph, taxonomy, _, _ = case
    if not taxonomy.is_tree:
        return
    costs = np.arange(float(taxonomy.n_leaves**2)).reshape(taxonomy.n_leaves, -1)
    given_costs = LeafCosts.from_array(taxonomy, costs)
    answer, truth = (nodes.ravel() for nodes in np.meshgrid(np.arange(taxonomy.n_nodes), np.arange(taxonomy.n_nodes)))
    below = [[i for i, leaf in enumerate(taxonomy.leaves) if leaf in set(taxonomy.subtree(v))] for v in range(graph.n)]
    naive = [np.mean([costs[y, u] for y in below[a] for u in below[t]]) for a, t in zip(answer, truth, strict=True)]
    np.testing.assert_allclose(given_costs.of_nodes(taxonomy, answer, truth), naive, atol=1e-9)


def test_mistakes_by_cost(taxonomy):
    # Order of leaves: cat, dog, duck, newt. A newt that is called a cat costs 7, one that is called a dog 2.
    costs = 1 - np.eye(4)
    costs[0, 3], costs[1, 3] = 7, 2
    given_costs = LeafCosts.from_array(taxonomy, costs, "prices.csv")
    p = [[0.4, 0.3, 0.2, 0.1], [0.3, 0.4, 0.2, 0.1], [0.2, 0.1, 0.6, 0.1], [0.1, 0.1, 0.2, 0.6]]
    truth = taxonomy.nodes("newt", "newt", "cat", "newt")
    model = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth)
    found = mistakes(model, "leaf", order="cost", cost=given_costs)
    assert found.row.tolist() == [0, 1, 2, 3]
    assert found.severity.tolist() == [7, 2, 1, 0]
    # Majority: rows 0 and 1 have the root, the mean over all answers to a newt: (7 + 2 + 1 + 0) / 4.
    found = mistakes(model, "threshold", 0.8, order="cost", cost=given_costs)
    assert sorted(found.severity.tolist(), reverse=True)[0] == pytest.approx(2.5)
    with pytest.raises(hv.PredictionsError, match="it needs a table of costs"):
        mistakes(model, "leaf", order="cost")


def test_a_part_is_changed(taxonomy):
    """The table of the edges, with an inner answer, in which two costs are changed; the rest stays."""
    table = LeafCosts.of_cost(taxonomy, "depth_dist", inner=["mammal"])
    np.testing.assert_array_equal(table.values[:4], distances(taxonomy))
    assert table.values[4].tolist() == [1, 1, 3, 2]
    assert table.part(taxonomy, ["mammal", "dog"], ["cat", "newt"]).tolist() == [[1, 2], [2, 3]]
    other = table.changed(taxonomy, ["mammal", "dog"], ["cat", "newt"], [[0.5, 2], [9, 3]], "mine.csv")
    assert (other.name, other.inner) == ("mine.csv", ("mammal",))
    assert np.argwhere(other.values != table.values).tolist() == [[1, 0], [4, 0]]
    with pytest.raises(hv.PredictionsError, match=r"^truths: expected one of cat, dog, duck, newt, got 'mammal'"):
        table.part(taxonomy, ["cat"], ["mammal"])
    with pytest.raises(hv.PredictionsError, match=r"^mine\.csv: expected costs of 0 or more, got -1"):
        table.changed(taxonomy, ["cat"], ["cat"], [[-1]], "mine.csv")
