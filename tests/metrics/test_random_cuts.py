"""Random cuts: what a cut is, how they are drawn, all of them where they are few, and accuracies by hand."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.metrics.random_cuts import CUTS_A_RATE, RATES, cut_accuracies, random_cuts


def complete_tree(depth, width=2):
    """A tree in which each inner node has `width` children."""
    edges, level = [], ["r"]
    for _ in range(depth):
        edges += [(node, f"{node}{i}") for node in level for i in range(width)]
        level = [f"{node}{i}" for node in level for i in range(width)]
    return hv.Taxonomy.from_edges(edges)


def test_all_cuts_by_hand(taxonomy):
    """mammal or its two leaves, bird or duck: 2 x 2 cuts."""
    cuts = random_cuts(taxonomy)
    names = {tuple(taxonomy.names[node] for node in cut) for cut in cuts.cuts}
    sides = [("mammal",), ("cat", "dog")], [("bird",), ("duck",)]
    assert names == {tuple(sorted((*a, *b, "newt"), key=taxonomy.names.index)) for a in sides[0] for b in sides[1]}
    assert cuts.to_dict() == {"n": 4, "seed": 0, "rates": [None] * 4, "sizes": [len(cut) for cut in cuts.cuts]}


def test_accuracies_by_hand(taxonomy):
    """cat .5, dog .2, duck .2, newt .1: the cat is right in all cuts, the dog in those with mammal."""
    truth = taxonomy.nodes("cat", "dog", "mammal", "newt")
    scores = [[0.5, 0.2, 0.2, 0.1]] * 4
    p = hv.node_probabilities(taxonomy, scores, "leaf_probabilities")
    # An inner truth is right where the answer is at, above or below it: mammal, or cat below it.
    assert cut_accuracies(taxonomy, truth, p, random_cuts(taxonomy)).tolist() == [1, 0.5, 1, 0]
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    block = hv.evaluate(predictions, more=True)["models"][0]["random_cuts"]
    assert block["treecut_accuracy"] == 2.5 / 4
    assert block["cuts"]["n"] == 4


@pytest.mark.parametrize("seed", [0, 1])
def test_drawn_cuts(seed):
    taxonomy = complete_tree(6)
    cuts = random_cuts(taxonomy, seed)
    assert cuts.rate == tuple(rate for rate in RATES for _ in range(CUTS_A_RATE))
    assert len({tuple(cut) for cut in cuts.cuts}) == 25
    for cut in cuts.cuts:
        above = taxonomy.is_ancestor(np.repeat(cut, taxonomy.n_leaves), np.tile(taxonomy.leaves, len(cut)))
        assert (above.reshape(len(cut), -1).sum(axis=0) == 1).all()
    sizes = np.array(cuts.to_dict()["sizes"]).reshape(len(RATES), -1).mean(axis=1)
    assert (np.diff(sizes) > 0).all()
    assert [cut.tolist() for cut in random_cuts(taxonomy, seed).cuts] == [cut.tolist() for cut in cuts.cuts]


def test_a_node_is_expanded_if_all_above_it_are():
    """At rate .5 a child of the root is expanded in half of the cuts, a grandchild in a quarter: 4 standard errors of 4,000."""
    from hierviz.metrics.random_cuts import _expanded

    taxonomy = complete_tree(4)
    kept = np.random.default_rng(3).random((4000, taxonomy.n_nodes)) >= 0.5
    share = _expanded(taxonomy, kept).mean(axis=0)
    for depth, expected in ((0, 1.0), (1, 0.5), (2, 0.25), (3, 0.125), (4, 0.0)):
        error = 4 * np.sqrt(expected * (1 - expected) / 4000)
        assert (np.abs(share[taxonomy.depth == depth] - expected) <= error).all(), depth


def test_a_chain_and_a_star():
    assert len(random_cuts(hv.Taxonomy.from_edges([("r", f"n{i}") for i in range(50)])).cuts) == 1
    chain = hv.Taxonomy.from_edges([(f"n{i}", f"n{i + 1}") for i in range(60)])
    cuts = random_cuts(chain).cuts
    assert len({tuple(cut) for cut in cuts}) == len(cuts) > 5


def test_graphs_have_none():
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("b", "x"), ("b", "y")])
    with pytest.raises(hv.TaxonomyError, match="random cuts"):
        random_cuts(graph)
    scores = [[1, 1, 1, 0]]
    predictions = hv.Predictions.from_scores(graph, scores, "node_probabilities", truth=graph.nodes("x"))
    model = hv.evaluate(predictions, more=True)["models"][0]
    assert model["random_cuts"] is None
    assert any(note.startswith("random_cuts: null, they are defined on trees") for note in model["notes"])
