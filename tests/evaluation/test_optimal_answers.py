"""Rule hf_optimal in the numbers of a model: block labels, single samples, tables, several truths and graphs."""

from dataclasses import replace

import numpy as np
import pytest

import hierviz as hv
from hierviz.demo import load_wikipedia
from hierviz.evaluation.evaluation import Evaluation
from hierviz.thresholds.set_rules import set_rules

EXPECTED_ONLY = {"hf_beta_samples", "hf_beta_expected", "beta"}


@pytest.fixture(scope="module")
def texts():
    return [Evaluation.from_predictions(model) for model in load_wikipedia()[1]]


def labels(model, rule, threshold=0.5, **parameters):
    return hv.evaluate(model, rule, threshold, **parameters)["models"][0]["labels"]


@pytest.mark.long
def test_on_the_open_texts(texts):
    """The best of twelve thresholds in hindsight is below the rule with nothing tuned, for the model whose order is right."""
    flat, per_node = texts
    assert labels(flat, "threshold_set")["hf1_samples"] == pytest.approx(0.397, abs=0.0005)
    steps = np.arange(1, 13) * 0.05
    best = {step: labels(flat, "threshold_set", float(step))["hf1_samples"] for step in steps}
    assert max(best.values()) == pytest.approx(0.609, abs=0.0005)
    found = labels(flat, "hf_optimal")
    assert found["hf1_samples"] == pytest.approx(0.6122, abs=0.0005)
    assert found["hf_beta_samples"] == found["hf1_samples"] > max(best.values())
    # Of the other model a threshold is better, and the rule says by how much its probabilities are off.
    assert labels(per_node, "threshold_set", 0.25)["hf1_samples"] == pytest.approx(0.6135, abs=0.0005)
    other = labels(per_node, "hf_optimal")
    assert other["hf1_samples"] == pytest.approx(0.6075, abs=0.0005)
    gaps = [one["hf_beta_samples"] - one["hf_beta_expected"] for one in (found, other)]
    assert gaps == [pytest.approx(0.1356, abs=0.0005), pytest.approx(0.2835, abs=0.0005)]


@pytest.mark.long
def test_in_one_sentence(texts):
    flat, per_node = map(set_rules, texts)
    assert (flat.at_half, flat.best, flat.best_threshold) == (
        *(pytest.approx(value, abs=0.0005) for value in (0.3974, 0.609)),
        0.15,
    )
    assert (flat.optimal, flat.expected) == (pytest.approx(0.6122, abs=0.0005), pytest.approx(0.4766, abs=0.0005))
    assert flat.sentence == (
        "Flat softmax: hF1 is 0.397 at τ = 0.5, 0.609 at the best of 12 thresholds in hindsight (τ = 0.15), and 0.612 (expected: "
        "0.477) by the sets of largest expected hF1, with nothing tuned."
    )
    assert (per_node.best, per_node.best_threshold) == (pytest.approx(0.6135, abs=0.0005), 0.25)
    assert per_node.sentence.endswith(
        "and what was expected and what is reached clearly differ: the probabilities are off."
    )
    lucky = replace(per_node, is_off=False)
    assert lucky.sentence.endswith("which may be luck: it was chosen in hindsight, and what was expected is reached.")


def test_block_labels(taxonomy):
    """Two samples by hand, p of leaves (cat .5, dog .25, newt .25) with {mammal, cat} at .625: truths cat and duck.

    hF1 of cat 1, of duck (bird, duck) 0. All keys of the scores are those of the threshold.
    """
    scores = np.array([[0.5, 0.25, 0, 0.25]] * 2)
    predictions = hv.Predictions.from_scores(
        taxonomy, scores, "leaf_probabilities", truth=taxonomy.nodes("cat", "duck")
    )
    found, by_threshold = labels(predictions, "hf_optimal"), labels(predictions, "threshold_set")
    assert (found["hf_beta_samples"], found["hf_beta_expected"], found["beta"]) == (0.5, 0.625, 1)
    assert (found["micro_precision"], found["micro_recall"], found["n_empty"]) == (0.5, 0.5, 0)
    assert set(found) - set(by_threshold) == EXPECTED_ONLY
    for key in ("hf1_auc", "ihf1_auc", "hf1_auc_raw"):
        assert found[key] == by_threshold[key]
    evaluation = Evaluation.from_predictions(predictions)
    columns = evaluation.per_sample("hf_optimal", beta=1)
    assert columns["hf_beta_samples"].tolist() == [1, 0]
    assert columns["hf_beta_expected"].tolist() == [0.625, 0.625]
    assert columns["n_predicted"].tolist() == [2, 2]
    # beta 2, k = 2: mammal .75 * 5 / 10, cat .5 * 5 / 10, dog .25 * 5 / 10, newt .25 * 5 / 6: .625 of {mammal, cat}.
    # k = 3: .75 * 5 / 11 + .5 * 5 / 11 + .25 * 5 / 7 = .747 with newt. k = 4: 1.5 * 5 / 12 + .25 * 5 / 8 = .781 with dog.
    found = labels(predictions, "hf_optimal", beta=2)
    assert found["hf_beta_expected"] == pytest.approx(1.5 * 5 / 12 + 0.25 * 5 / 8)
    assert found["hf_beta_samples"] == pytest.approx(5 * 2 / (4 + 4 * 2) / 2)
    table = hv.compare([predictions], metrics=["labels.hf_beta_samples", "labels.hf_beta_expected"], rule="hf_optimal")
    assert table.to_dict()["rows"][0]["values"] == {"labels.hf_beta_samples": 0.5, "labels.hf_beta_expected": 0.625}


def test_several_truths(taxonomy):
    """The set is made alike; what it is expected to yield assumes one truth."""
    truth = hv.NodeLists.from_lists([taxonomy.nodes("cat", "newt"), taxonomy.nodes("duck")])
    scores = np.array([[0.5, 0.25, 0, 0.25]] * 2)
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    (model,) = hv.evaluate(predictions, "hf_optimal")["models"]
    # {mammal, cat} against {mammal, cat, newt}: 2 * 2 / 5.
    assert model["labels"]["hf_beta_samples"] == pytest.approx(0.4)
    assert model["labels"]["hf_beta_expected"] is None
    assert "labels.hf_beta_expected: null, it assumes one true class, and this truth lists several" in model["notes"]


def test_a_graph():
    graph = hv.Taxonomy.from_edges([("r", "x"), ("r", "y"), ("y", "x"), ("y", "z")])
    predictions = hv.Predictions.from_scores(
        graph, np.array([[0.75, 0.25]]), "leaf_probabilities", truth=graph.nodes("z")
    )
    found = labels(predictions, "hf_optimal")
    # {y, x}, of which z, y are true: 2 * 1 / 4. Expected: .75 * 1 + .25 * .5.
    assert (found["hf_beta_samples"], found["hf_beta_expected"]) == (0.5, 0.875)


def test_other_rules_have_none_of_it(taxonomy):
    predictions = hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat"), truth=taxonomy.nodes("cat"))
    assert not EXPECTED_ONLY & set(labels(predictions, "hf_optimal"))


def test_a_multiple_of_the_scores(taxonomy):
    """Not scaled: half the probabilities, half the expectation, the same sets."""
    p = np.array([[1, 0.75, 0.5, 0.25, 0, 0, 0.25]])
    whole, half = (
        labels(
            hv.Predictions.from_scores(taxonomy, scale * p, "node_probabilities", truth=taxonomy.nodes("cat")),
            "hf_optimal",
        )
        for scale in (1, 0.5)
    )
    assert half["hf_beta_samples"] == whole["hf_beta_samples"]
    assert half["hf_beta_expected"] == whole["hf_beta_expected"] / 2
