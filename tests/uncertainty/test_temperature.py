"""A planted temperature is recovered; probabilities and logits of one model agree."""

import numpy as np
import pytest
from scipy.special import softmax

import hierviz as hv
from hierviz.app.compare_page.temperatures import at_temperatures
from hierviz.app.state.dataset import Dataset
from hierviz.uncertainty.resamples import split_samples


@pytest.fixture
def case(taxonomy):
    """Logits three times as large as the law that the truths are drawn from."""
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(4000, 4)) * 1.5
    p = softmax(logits, axis=1)
    place = (p.cumsum(axis=1) > rng.random((4000, 1))).argmax(axis=1)
    return taxonomy, logits * 3, taxonomy.leaves[place]


def test_a_planted_temperature_is_found(case):
    taxonomy, logits, truth = case
    model = hv.Predictions.from_scores(taxonomy, logits, "flat_softmax", truth=truth)
    found = hv.uncertainty.fit_temperature(model, np.arange(2000))
    assert found.value == pytest.approx(3, rel=0.1)
    assert found.after < found.before
    assert (found.n_samples, found.n_left_out) == (2000, 0)
    # No neighbour is better.
    for factor in (0.97, 1.03):
        rows = slice(0, 2000)
        losses = [
            -np.log(
                hv.uncertainty.at_temperature(model, t).node_probabilities(rows)[np.arange(2000), truth[:2000]]
            ).mean()
            for t in (found.value, found.value * factor)
        ]
        assert losses[0] < losses[1]
    leaves = hv.Predictions.from_scores(taxonomy, softmax(logits, axis=1), "leaf_probabilities", truth=truth)
    assert hv.uncertainty.fit_temperature(leaves, np.arange(2000)).value == pytest.approx(found.value, rel=1e-6)
    scaled = hv.uncertainty.at_temperature(leaves, found.value)
    assert scaled.node_probabilities(slice(5)) == pytest.approx(
        hv.uncertainty.at_temperature(model, found.value).node_probabilities(slice(5))
    )
    assert any("temperature" in note for note in scaled.notes)
    # Sums over leaves change, and with them the areas: a temperature is no change of scale.
    areas = [hv.operating_curve(taxonomy, truth, one).summary()["ac"] for one in (leaves, scaled)]
    assert areas[0] != areas[1]


@pytest.mark.parametrize("case_of", ["against", "certain", "either"])
def test_where_no_temperature_fits_the_scores_are_left(case, case_of):
    """Against the truth the flattest scores are best, with no mistake the sharpest; equal scores are the same at all."""
    taxonomy, logits, truth = case
    is_true = taxonomy.leaves[None] == truth[:, None]
    logits = {"against": -3.0 * is_true, "certain": 1.0 * is_true, "either": 0.0 * is_true}[case_of]
    model = hv.Predictions.from_scores(taxonomy, logits, "flat_softmax", truth=truth)
    found = hv.uncertainty.fit_temperature(model, np.arange(2000))
    assert (found.fits, found.value) == (False, 1.0)
    assert found.after == found.before
    assert found.said == "no temperature between 0.018 and 55 fits; left as it is"


def test_the_page_says_which_models_are_left(case):
    taxonomy, logits, truth = case
    against = -3.0 * (taxonomy.leaves[None] == truth[:, None])
    models = {
        name: hv.Evaluation.from_predictions(
            hv.Predictions.from_scores(taxonomy, of, "flat_softmax", truth=truth, name=name)
        )
        for name, of in (("sure", logits), ("against", against))
    }
    data = Dataset("key", "two models", taxonomy, models)
    found = at_temperatures(data)
    first, _ = split_samples(4000, 0.5, seed=0)
    fitted = hv.uncertainty.fit_temperature(models["sure"].predictions, first).value
    assert found.calibration == (
        f"One temperature for each model, fitted on 2,000 samples (seed 0): sure {fitted:.3g}. All numbers are of the 2,000 "
        "other samples. against: no temperature between 0.018 and 55 fits; left as it is."
    )
    kept, scaled = (found.models[key].predictions.node_probabilities(slice(5)) for key in ("against", "sure"))
    np.testing.assert_array_equal(kept, models["against"].predictions.node_probabilities(slice(5)))
    assert np.abs(scaled - models["sure"].predictions.node_probabilities(slice(5))).max() > 0.01


def test_errors(case):
    taxonomy, logits, truth = case
    model = hv.Predictions.from_scores(taxonomy, logits, "flat_softmax", truth=truth)
    with pytest.raises(hv.PredictionsError, match="temperature: expected a number above 0"):
        hv.uncertainty.at_temperature(model, 0)
    nodes = hv.Predictions.from_scores(taxonomy, model.node_probabilities(), "node_probabilities", truth=truth)
    with pytest.raises(hv.PredictionsError, match="got probabilities of nodes"):
        hv.uncertainty.fit_temperature(nodes, [0])
    never = np.zeros((1, 4))
    never[0, 0] = 1
    model = hv.Predictions.from_scores(taxonomy, never, "leaf_probabilities", truth=taxonomy.leaves[1:2])
    with pytest.raises(hv.PredictionsError, match="got none"):
        hv.uncertainty.fit_temperature(model, [0])
