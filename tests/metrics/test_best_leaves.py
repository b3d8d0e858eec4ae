"""Distance of the most probable leaves: by hand, against the authors' code, and what no order of leaves changes."""

import json
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz.evaluation.score_numbers import score_numbers
from hierviz.metrics.best_leaves import best_leaf_numbers, best_leaves

# cat, dog, duck, newt: dog and duck are equally probable, and dog comes first.
P = [0.5, 0.2, 0.2, 0.1]
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "best_leaves.json").read_text(encoding="utf-8"))


def numbers_of(predictions):
    return score_numbers(hv.Evaluation.from_predictions(predictions), ("best_leaves",))["best_leaves"]


def test_two_samples_by_hand(taxonomy):
    truth = taxonomy.nodes("cat", "dog")
    block = hv.evaluate(hv.Predictions.from_scores(taxonomy, [P, P], "leaf_probabilities", truth=truth), more=True)[
        "models"
    ][0]
    found = block["best_leaves"]
    # Heights of the common ancestors: 0, 1, 2, 2 for the cat; 1, 0, 2, 2 for the dog.
    assert found["lca_height_1"] == (0 + 1) / 2
    assert found["lca_height_5"] == found["lca_height_20"] == (5 / 4 + 5 / 4) / 2
    # Of the dog alone: 2 edges less 1 of mammal; over all leaves 1, 0, 2, 2.
    assert (found["lca_depth_1"], found["lca_depth_5"]) == (1, 5 / 4)
    # Bits: 2 of the dog less 1 of mammal; 1, 0, 2, 2.
    assert (found["lca_information_1"], found["lca_information_20"]) == (1, 5 / 4)
    # The cat's order is perfect. The dog's ranks are 1, 0, 2, 2 in place of 0, 1, 2, 2, with weights 1, 1/2, 1/4, 1/8:
    # 1 + 1/2 lost, and of the reversed order 2, 2, 1, 0 it is 2 + 1/2 + 1/4 + 2/8 = 3.
    assert found["hops_5"] == (1 + (1 - 1.5 / 3)) / 2


def test_hops_and_lca_distance_of_the_authors_code():
    taxonomy = hv.Taxonomy.from_edges([tuple(edge) for edge in GOLDEN["edges"]])
    assert [taxonomy.names[leaf] for leaf in taxonomy.leaves] == GOLDEN["leaves"]
    truth = taxonomy.nodes(*GOLDEN["truth"])
    predictions = hv.Predictions.from_scores(taxonomy, GOLDEN["p"], "leaf_probabilities", truth=truth)
    found = numbers_of(predictions)
    for key in ("hops_5", "hops_20"):
        np.testing.assert_allclose(found[key], GOLDEN[key], atol=1e-12)
    block = hv.evaluate(predictions, more=True)["models"][0]["best_leaves"]
    for key in ("lca_information_1", "lca_information_5"):
        assert block[key] == pytest.approx(GOLDEN[key], abs=1e-12)


def test_the_perfect_order_is_the_best(taxonomy):
    """Leaves by their distance to the truth: HOPS is 1, and no other order has a smaller mean height."""
    truth = taxonomy.nodes("dog")
    best = best_leaf_numbers(taxonomy, truth, taxonomy.nodes("dog", "cat", "newt", "duck")[None])
    assert (best["hops_5"], best["hops_20"]) == (1, 1)
    assert np.isnan(best["lca_depth_1"]).all()
    worst = best_leaf_numbers(taxonomy, truth, taxonomy.nodes("newt", "duck", "cat", "dog")[None])
    assert worst["hops_5"] == 0


def test_a_truth_at_an_inner_node(taxonomy):
    """Leaves below it are right: no height, no distance, and any order of them is perfect."""
    found = best_leaf_numbers(taxonomy, taxonomy.nodes("mammal"), taxonomy.nodes("dog", "cat", "newt", "duck")[None])
    assert found["lca_height_1"] == 0
    assert found["lca_height_5"] == (0 + 0 + 2 + 2) / 4
    assert found["hops_5"] == 1


def test_ties_go_to_the_first_classes():
    taxonomy = hv.Taxonomy.from_edges([("root", f"n{i}") for i in range(30)])
    p = np.zeros((2, 31))
    p[1, [30, 7]] = 0.5
    assert best_leaves(taxonomy, p, 3).tolist() == [[1, 2, 3], [7, 30, 1]]
    assert best_leaves(taxonomy, p, 99).shape == (2, 30)


def test_the_preset_of_bertinetto(taxonomy):
    truth = taxonomy.nodes("cat", "dog")
    predictions = hv.Predictions.from_scores(taxonomy, [P, P], "leaf_probabilities", truth=truth)
    found = hv.compare(predictions, "bertinetto", resamples=0).to_dict()
    values = found["rows"][0]["values"]
    assert values["top_down.error_lca_height"] == 1
    assert values["best_leaves.lca_height_5"] == 5 / 4
    assert "best_leaves.lca_height_20" in values
