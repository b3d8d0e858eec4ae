"""ICM and ICM-Norm: by hand, as PyEvALL computes them, of labels outside the taxonomy, and in tables."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz.evaluation.pieces import EvaluationPiece, evaluation_of_pieces

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "icm.json").read_text(encoding="utf-8"))


def predictions_of(taxonomy, predicted, truth):
    lists = (
        hv.NodeLists.from_lists([taxonomy.nodes(*names).tolist() for names in rows]) for rows in (predicted, truth)
    )
    return hv.Predictions.from_labels(taxonomy, next(lists), truth=next(lists))


def labels_of(predictions):
    return hv.evaluate(predictions)["models"][0]["labels"]


def test_four_samples_by_hand(taxonomy):
    """Truths cat, cat, dog, newt: mammal 3 of 4, cat 2 of 4, dog and newt 1 of 4; duck and bird have none and count as 1 of 4."""
    truth = [["cat"], ["cat"], ["dog"], ["newt"]]
    found = labels_of(predictions_of(taxonomy, [["cat"], ["mammal"], ["cat"], ["duck"]], truth))
    cat, mammal, dog, rare = 1, math.log2(4 / 3), 2, 2
    # Right: I(cat). Mammal for cat: 2 I(mammal) + 2 I(cat) - 3 I(cat). Cat for dog: the union is cat and what dog adds to
    # mammal. Duck for newt: the union has the bits of both.
    values = [cat, 2 * mammal - cat, 2 * cat + 2 * dog - 3 * (cat + dog - mammal), 2 * rare + 2 * rare - 3 * 2 * rare]
    assert found["icm"] == pytest.approx(sum(values) / 4, abs=1e-12)
    best = (cat + cat + dog + rare) / 4
    assert found["icm_norm"] == pytest.approx((sum(values) / 4 + best) / (2 * best), abs=1e-12)


@pytest.mark.parametrize("kind", GOLDEN["cases"])
def test_as_pyevall(kind):
    case, taxonomy = GOLDEN["cases"][kind], hv.Taxonomy.from_edges([tuple(edge) for edge in GOLDEN["edges"]])
    found = labels_of(predictions_of(taxonomy, case["pred"], case["gold"]))
    assert (found["icm"], found["icm_norm"]) == pytest.approx((case["icm"], case["icm_norm"]), abs=1e-12)


def test_the_ends(taxonomy):
    truth = [["cat"], ["dog", "newt"], ["duck"]]
    assert labels_of(predictions_of(taxonomy, truth, truth))["icm_norm"] == 1
    # A label outside the taxonomy is wrong by log2(n) bits; below the negative truth the norm is 0.
    outside = hv.Predictions.from_labels(taxonomy, [[-1, -1], [-1], [-1]], truth=taxonomy.nodes("cat", "dog", "duck"))
    found = labels_of(outside)
    assert found["icm"] == pytest.approx(-4 / 3 * math.log2(3) - math.log2(3))
    assert found["icm_norm"] == 0
    assert labels_of(outside.replace(truth=np.zeros(3, int)))["icm_norm"] is None


def test_graphs_have_none():
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("b", "x"), ("b", "y")])
    found = labels_of(predictions_of(graph, [["x"]], [["x"]]))
    assert (found["icm"], found["icm_norm"]) == (None, None)


def test_pieces_share_the_corpus(taxonomy):
    """Half of the samples have other frequencies: their piece is told those of all."""
    rng = np.random.default_rng(0)
    truth = np.repeat(taxonomy.nodes("cat", "newt"), 10)
    scores = rng.dirichlet(np.ones(4), 20)
    whole = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    evaluation = hv.Evaluation.from_predictions(whole)
    parts = [
        hv.Predictions.from_scores(taxonomy, scores[rows], "leaf_probabilities", truth=truth[rows])
        for rows in (slice(0, 10), slice(10, 20))
    ]
    pieces = [EvaluationPiece.from_predictions(part, corpus=evaluation.corpus) for part in parts]
    merged = hv.evaluate(evaluation_of_pieces(whole, pieces))["models"]
    assert merged == hv.evaluate(whole)["models"]


def test_of_sets_that_a_rule_chooses(taxonomy):
    """Bits are those of all samples under every rule: the sets of hf_optimal as label lists have the same ICM."""
    rng = np.random.default_rng(3)
    truth = taxonomy.leaves[rng.integers(0, 4, 30)]
    predictions = hv.Predictions.from_scores(taxonomy, rng.dirichlet(np.ones(4), 30), "leaf_probabilities", truth=truth)
    found = hv.evaluate(predictions, "hf_optimal")["models"][0]["labels"]
    sets = hv.Evaluation.from_predictions(predictions).answers("hf_optimal")
    listed = labels_of(hv.Predictions.from_labels(taxonomy, sets, truth=truth))
    assert (found["icm"], found["icm_norm"]) == pytest.approx((listed["icm"], listed["icm_norm"]), abs=1e-12)


def test_a_column_with_interval_and_constant(taxonomy):
    rng = np.random.default_rng(2)
    truth = taxonomy.leaves[rng.integers(0, 4, 40)]
    # Right more often than not: where all sets are the truth, every resample has ICM-Norm 1.
    scores = 0.7 * rng.dirichlet(np.ones(4), 40) + 0.3 * (taxonomy.leaves[None] == truth[:, None])
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    found = hv.compare(predictions, metrics="labels.icm,labels.icm_norm", resamples=50).to_dict()
    for key in ("labels.icm", "labels.icm_norm"):
        low, high = found["rows"][0]["interval"][key]
        assert low < found["rows"][0]["values"][key] < high
        node = found["constant"]["answers"][key]
        always = predictions_of(taxonomy, [[node]] * 40, [[taxonomy.names[y]] for y in truth])
        assert labels_of(always)[key.split(".")[1]] == pytest.approx(found["constant"]["values"][key], abs=1e-12)
