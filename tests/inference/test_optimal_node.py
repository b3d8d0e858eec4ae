"""Rule optimal_node: no node that may be answered has a smaller expected cost, for every declared cost and for tables."""

import os

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from random_trees import plain, random_row, random_tree
from strategies import many

import hierviz as hv
from hierviz.inference.leaf_costs import LeafCosts
from hierviz.inference.node_costs import NODE_COSTS, expected_costs
from hierviz.inference.parameters import COST
from hierviz.inference.truth_mass import truth_mass
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import METRICS
from hierviz.second_opinion import plain_optimal
from hierviz.second_opinion.plain_graph import candidates


@pytest.mark.longer
def test_as_cheap_as_the_cheapest_node():
    """60 of the 300 trees each day, all before a release."""
    rng, gaps = np.random.default_rng(26), []
    for place in range(300 if os.environ.get("HIERVIZ_LONG") else 60):
        taxonomy = random_tree(rng, most=12)
        graph = plain(taxonomy)
        p = random_row(rng, taxonomy, ("leaves", "inner", "some", "any")[place % 4])
        for cost in NODE_COSTS:
            (node,) = hv.infer(taxonomy, p, "optimal_node", cost=cost).tolist()
            by_node = plain_optimal.expected_costs(graph, p[0].tolist(), cost)
            found = expected_costs(taxonomy, truth_mass(taxonomy, p), cost)[0][0]
            gaps += [abs(found[other] - value) for other, value in by_node.items()]
            gaps.append(by_node[node] - min(by_node.values()))
    assert max(gaps) <= 1e-12


@many
@given(strategies.judged())
def test_ties_go_to_the_lowest(case):
    _, taxonomy, p, _ = case
    if not taxonomy.is_tree:
        return
    twin = plain(taxonomy)
    for cost in NODE_COSTS:
        found = hv.infer(taxonomy, p, "optimal_node", cost=cost).tolist()
        assert found == [plain_optimal.optimal_node(twin, row, cost) for row in p.tolist()], cost


def test_costs_are_one_list():
    assert set(COST.choices) == set(NODE_COSTS)


def test_costs_of_metrics_are_what_they_lose():
    """Where truths are leaves, or the answer is not below the truth, a cost is what block `predicted` says is lost."""
    rng = np.random.default_rng(3)
    taxonomy = random_tree(rng, most=20)
    graph = plain(taxonomy)
    for truth in range(taxonomy.n_nodes):
        for answer in range(taxonomy.n_nodes):
            if truth in graph.up[answer] and truth != answer:
                continue
            values = path_metrics(taxonomy, np.array([truth]), np.array([answer]))
            for key in set(NODE_COSTS) & set(values):
                lost = values[key][0] if METRICS[key].better == "lower" else 1 - values[key][0]
                assert plain_optimal.cost(graph, key, answer, truth) == pytest.approx(lost, abs=1e-12), (
                    key,
                    answer,
                    truth,
                )


def test_by_hand(taxonomy):
    """Truths cat .5, dog .25, newt .25. Depths: mammal 1, cat and dog 2, bird 1, duck 2, newt 1."""
    p = np.array([[1, 0.75, 0.5, 0.25, 0, 0, 0.25]])
    costs = {
        # cat: .25 * 2 + .25 * 3 = 1.25; mammal: .75 * 1 + .25 * 2 = 1.25; root: .75 * 2 + .25 = 1.75. The lower node.
        "depth_dist": "mammal",
        # cat: 1 - (.5 + .25 * 2 * 1 / 4) = .375; mammal: 1 - .75 * 2 / 3 = .5.
        "depth_f1": "cat",
        # cat: 1 - (.5 + .25 * 2 * 2 / 6 + .25 * 2 / 5) = .233; mammal: 1 - (.75 * 2 * 2 / 5 + .25 * 2 / 4) = .275.
        "wu_palmer": "cat",
        # cat: .25 * .5 + .25 = .375; mammal: .75 * .5 + .25 = .625.
        "win": "cat",
        "exact": "cat",
        "correct": "animal",
        "info_precision": "animal",
        "depth_recall": "cat",
    }
    for cost, name in costs.items():
        assert taxonomy.names[hv.infer(taxonomy, p, "optimal_node", cost=cost)[0]] == name, cost


def test_a_truth_at_an_inner_node(taxonomy):
    """Surely a mammal, and not a finer one: what is named beyond it costs."""
    p = np.array([[1.0, 1, 0, 0, 0, 0, 0]])
    for cost in set(NODE_COSTS) - {"correct", "info_precision", "depth_precision"}:
        assert hv.infer(taxonomy, p, "optimal_node", cost=cost).tolist() == [1], cost


@many
@given(strategies.judged(), st.randoms(use_true_random=False))
def test_tables_with_inner_answers(case, random):
    """The cheapest row of the table, by loops; answers that it lacks are not given."""
    _, taxonomy, p, _ = case
    if not taxonomy.is_tree:
        return
    inner = [node for node in range(taxonomy.n_nodes) if not taxonomy.is_leaf[node] and random.random() < 0.5]
    leaves = taxonomy.leaves.tolist()
    values = [[random.choice([0, 0.5, 1, 2, 7]) for _ in leaves] for _ in (*leaves, *inner)]
    costs = LeafCosts.from_array(taxonomy, values, inner=[taxonomy.names[node] for node in inner])
    for rule, answers in (("optimal_node", [*leaves, *inner]), ("crm_leaf", leaves)):
        for row, found in zip(p.tolist(), hv.infer(taxonomy, p, rule, cost=costs).tolist(), strict=True):
            of_answer = {
                answer: sum(max(row[leaf], 0) * value for leaf, value in zip(leaves, of, strict=True))
                for answer, of in zip(answers, values, strict=False)
            }
            least = min(of_answer.values())
            assert found == min(node for node, value in of_answer.items() if value <= least + 1e-9)


def test_the_declared_cost_as_a_table(taxonomy):
    rng = np.random.default_rng(5)
    graph, p = plain(taxonomy), hv.node_probabilities(taxonomy, rng.normal(size=(50, 4)), "flat_softmax")
    inner = [node for node in candidates(graph) if graph.children[node]]
    for key in NODE_COSTS:
        values = [[plain_optimal.cost(graph, key, v, u) for u in graph.leaves] for v in (*graph.leaves, *inner)]
        table = LeafCosts.from_array(taxonomy, values, inner=[taxonomy.names[node] for node in inner])
        expected = hv.infer(taxonomy, p, "optimal_node", cost=key)
        np.testing.assert_array_equal(hv.infer(taxonomy, p, "optimal_node", cost=table), expected, key)


def test_refused(taxonomy):
    with pytest.raises(hv.PredictionsError, match=r"^cost: expected one of depth_dist, info_dist, .*or LeafCosts"):
        hv.infer(taxonomy, np.ones((1, 7)), "optimal_node", cost="price")
    for inner, got in ((["cat"], "'cat'"), (["bird", "bird"], "'bird' twice"), (["cow"], "'cow'")):
        values = np.ones((4 + len(inner), 4))
        with pytest.raises(
            hv.PredictionsError, match=f"^costs: expected different inner classes of the taxonomy, got {got}"
        ):
            LeafCosts.from_array(taxonomy, values, inner=inner)
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d")])
    with pytest.raises(hv.TaxonomyError, match="rule 'optimal_node'"):
        hv.infer(graph, np.ones((1, 5)), "optimal_node")
