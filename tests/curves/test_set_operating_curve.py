"""hF1 against the threshold: the value of the JSON at every threshold, and the operating curve beside it unchanged."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.curves import _set_curve as module
from hierviz.curves._set_curve import set_operating_curve


def model(taxonomy, n=30, seed=4, without_truth=3):
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet(np.full(taxonomy.n_leaves, 0.5), n)
    truth = rng.choice(np.concatenate([taxonomy.leaves, [1]]), n)
    truth[rng.choice(n, without_truth, replace=False)] = -1
    return hv.Evaluation.from_predictions(
        hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    )


@pytest.mark.parametrize("counts", [2_000_000, 40])
def test_it_is_the_number_of_the_json_at_every_threshold(taxonomy, monkeypatch, counts):
    monkeypatch.setattr(module, "MOST_COUNTS", counts)
    one, thresholds = model(taxonomy), [0.7, 0, 0.25, 1, 0.5]
    curve = set_operating_curve(one, thresholds)
    assert (curve.n_points, curve.n_samples) == (5, 27)
    for tau in thresholds:
        labels = hv.evaluate(one.predictions, rule="threshold", threshold=tau)["models"][0]["labels"]
        at = curve.at(tau)
        assert at["hf1_samples"] == pytest.approx(labels["hf1_samples"], abs=1e-12)
        assert {key: at[key] for key in one.curve.values} == one.curve.at(tau)


def test_one_sample_by_hand(taxonomy):
    # cat has 0.5, dog 0.25, duck 0.25 of a cat: {mammal, cat} is found above 0.25 up to 0.5.
    scores = np.array([[0.5, 0.25, 0.25, 0.0]])
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=taxonomy.nodes("cat"))
    curve = set_operating_curve(hv.Evaluation.from_predictions(predictions), [0.2, 0.3, 0.6, 0.8])
    # 0.2: mammal, cat, dog, bird, duck: P 2/5, R 1; 0.3: P 1, R 1; 0.6: mammal alone, P 1, R 1/2; 0.8: nothing, F1 0.
    assert [curve.at(tau)["hf1_samples"] for tau in (0.2, 0.3, 0.6, 0.8)] == pytest.approx([4 / 7, 1, 2 / 3, 0])


def test_errors(taxonomy):
    with pytest.raises(hv.PredictionsError, match="threshold"):
        set_operating_curve(model(taxonomy), [0.5, 1.5])
