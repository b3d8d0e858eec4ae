"""Rule hf_optimal: no set has a larger expected hF_beta, on trees and graphs, with truths at inner nodes too."""

from itertools import combinations

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from random_trees import plain, random_row, random_tree
from strategies import many

import hierviz as hv
from hierviz.inference import optimal_sets
from hierviz.inference.truth_mass import truth_mass
from hierviz.second_opinion import plain_optimal

BETAS = (0.5, 1.0, 2.0)


def best_of_all_sets(graph, p, beta):
    mass, nodes = plain_optimal.truth_mass(graph, p), range(1, graph.n)
    sets = [chosen for size in range(graph.n) for chosen in combinations(nodes, size)]
    return max(plain_optimal.expected_hf(graph, mass, chosen, beta) for chosen in sets)


def test_as_good_as_the_best_of_all_sets():
    rng, gaps = np.random.default_rng(25), []
    for place in range(300):
        taxonomy = random_tree(rng)
        graph = plain(taxonomy)
        p = random_row(rng, taxonomy, ("leaves", "inner", "some", "any")[place % 4])
        mass = plain_optimal.truth_mass(graph, p[0].tolist())
        for beta in BETAS:
            sets, expected = optimal_sets.best_sets(taxonomy, p, beta)
            value = plain_optimal.expected_hf(graph, mass, sets[0].tolist(), beta)
            best = best_of_all_sets(graph, p[0].tolist(), beta)
            gaps += [abs(best - value), abs(expected[0] - value)]
            found = set(sets[0].tolist())
            assert all(graph.up[node] - {0} <= found for node in found)
            assert sets[0].tolist() == plain_optimal.hf_optimal(graph, p[0].tolist(), beta)
    assert max(gaps) <= 1e-12


@many
@given(
    st.one_of(strategies.trees(), strategies.graphs(most=8)).flatmap(lambda g: strategies.judged(st.just(g))), st.data()
)
def test_any_rows_with_ties(case, data):
    """Numbers that need not be coherent, with ties everywhere; a graph's truths are its leaves."""
    _, taxonomy, p, _ = case
    beta, twin = data.draw(st.sampled_from(BETAS)), plain(taxonomy)
    sets, expected = optimal_sets.best_sets(taxonomy, p, beta)
    for row, nodes, value in zip(p.tolist(), sets, expected.tolist(), strict=True):
        assert nodes.tolist() == plain_optimal.hf_optimal(twin, row, beta)
        chosen = set(nodes.tolist())
        assert all(twin.up[node] - {0} <= chosen for node in chosen)
        if taxonomy.n_nodes <= 9:
            assert value == pytest.approx(best_of_all_sets(twin, row, beta), abs=1e-12)
    np.testing.assert_allclose(optimal_sets.expected_hf(taxonomy, p, sets, beta), expected, rtol=0, atol=1e-12)


@many
@given(strategies.judged(), st.sampled_from(BETAS), st.integers(-40, 40))
def test_a_multiple_of_p_has_the_same_sets(case, beta, power):
    _, taxonomy, p, _ = case
    sets, expected = optimal_sets.best_sets(taxonomy, p, beta)
    others, scaled = optimal_sets.best_sets(taxonomy, p * 2.0**power, beta)
    np.testing.assert_array_equal(others.nodes, sets.nodes)
    np.testing.assert_array_equal(others.offsets, sets.offsets)
    np.testing.assert_array_equal(scaled, expected * 2.0**power)


def test_closed_on_wide_trees_of_many_terms():
    """Sums of hundreds of unequal terms, where a parent has little more than one child: no gain is above that of its parent."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        edges = [("r", "a"), ("a", "b"), *(("b", f"c{i}") for i in range(300)), ("r", "d")]
        edges += [(f"c{i}", f"e{i}") for i in range(0, 300, 2)]
        taxonomy = hv.Taxonomy.from_edges(edges)
        own = rng.dirichlet(np.full(taxonomy.n_leaves, 0.05))
        p = hv.node_probabilities(taxonomy, own[None], "leaf_probabilities")
        for beta in BETAS:
            nodes = hv.infer(taxonomy, p, "hf_optimal", beta=beta)[0]
            above = taxonomy.parent[nodes]
            assert np.isin(above[above > 0], nodes).all()


def test_by_hand(taxonomy):
    """Truths cat .5, dog .25, newt .25 (depths 2, 2, 1), beta 1.

    k = 1: gain of mammal .75 * 2 / 3 = .5, cat .5 * 2 / 3, newt .25 * 2 / 2: best {mammal}, .5.
    k = 2: mammal .75 * 2 / 4 = .375, cat .25, dog .125, newt .25 * 2 / 3 = .167: {mammal, cat}, .625.
    k = 3: mammal .75 * 2 / 5 = .3, cat .2, dog .1, newt .25 * 2 / 4 = .125: {mammal, cat, newt}, .625: no better.
    """
    p = np.array([[1, 0.75, 0.5, 0.25, 0, 0, 0.25]])
    sets, expected = optimal_sets.best_sets(taxonomy, p, 1.0)
    assert ([taxonomy.names[node] for node in sets[0]], expected[0]) == (["mammal", "cat"], 0.625)


def test_no_truth_below_the_root(taxonomy):
    """The truth is surely the root: nothing to answer. A row of zeros likewise."""
    p = np.zeros((2, 7))
    p[0, 0] = 1
    sets, expected = optimal_sets.best_sets(taxonomy, p)
    assert (sets.lengths.tolist(), expected.tolist()) == ([0, 0], [0, 0])
    assert truth_mass(taxonomy, p)[0].tolist() == p[0].tolist()


@pytest.mark.parametrize("beta", [0, -1, np.nan, np.inf, "1", True, 2000])
def test_refused(taxonomy, beta):
    with pytest.raises(hv.PredictionsError, match=r"^beta: expected a number above 0 and at most 1000, got"):
        hv.infer(taxonomy, np.ones((1, 7)), "hf_optimal", beta=beta)
