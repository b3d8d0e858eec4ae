"""Confidence calibrated on held-out folds: nobody's own outcome counts, groups stay whole, and which way is best."""

from dataclasses import replace

import numpy as np
import pytest

import hierviz as hv
from hierviz.evaluation._answer_confidence import answer_confidence
from hierviz.metrics.calibration import event_losses
from hierviz.uncertainty.confidence_comparison import compare_confidence_maps
from hierviz.uncertainty.confidence_folds import MAPS, MAPS_OF_ANSWERS, cross_fitted_confidence
from hierviz.uncertainty.confidence_maps import isotonic_map
from hierviz.uncertainty.resamples import fold_numbers, unit_numbers

EVERY_MAP = tuple(MAPS_OF_ANSWERS)


@pytest.fixture
def overconfident(taxonomy):
    """Logits that are four times too large, of 400 samples of leaves, in 40 groups."""
    rng = np.random.default_rng(0)
    truth = taxonomy.leaves[rng.integers(0, 4, 400)]
    logits = rng.normal(size=(400, 4)) + 1.5 * (taxonomy.leaves[None] == truth[:, None])
    columns = {"group": np.repeat(np.arange(40), 10).astype(str)}
    return hv.Predictions.from_scores(taxonomy, 4 * logits, "flat_softmax", truth=truth).replace(attributes=columns)


@pytest.fixture
def sample():
    """(p, whether right) of 200 samples."""
    rng = np.random.default_rng(1)
    p = rng.random(200)
    return p, (rng.random(200) < p**2).astype(float)


@pytest.mark.parametrize("how", EVERY_MAP)
def test_no_own_outcome_counts(sample, how):
    p, is_right = sample
    before = cross_fitted_confidence(p, is_right, how)
    for row in range(0, 200, 17):
        other = is_right.copy()
        other[row] = 1 - other[row]
        after = cross_fitted_confidence(p, other, how)
        assert after[row] == before[row]
        assert (after != before).any()


@pytest.mark.parametrize("how", EVERY_MAP)
def test_no_outcome_of_the_own_group_counts(sample, how):
    p, is_right = sample
    groups = np.arange(200) // 8
    before = cross_fitted_confidence(p, is_right, how, groups=groups)
    own = groups == 3
    after = cross_fitted_confidence(p, np.where(own, 1 - is_right, is_right), how, groups=groups)
    np.testing.assert_array_equal(after[own], before[own])
    assert (after != before).any()


def test_against_a_loop_over_folds(sample):
    p, is_right = sample
    fold = fold_numbers(unit_numbers(None, 200), 4, np.random.default_rng(7))
    assert sorted(np.bincount(fold).tolist()) == [50, 50, 50, 50]
    expected = np.empty(200)
    for row in range(200):
        others = fold != fold[row]
        expected[row] = isotonic_map(p[others], is_right[others], p[[row]])[0]
    np.testing.assert_allclose(cross_fitted_confidence(p, is_right, n_folds=4, seed=7), expected)


def test_without_an_answer_or_an_outcome(sample):
    """Who has no answer keeps none; who has no known outcome is mapped, and changes nobody."""
    p, is_right = sample[0].copy(), sample[1].copy()
    p[0], is_right[1] = np.nan, np.nan
    found = cross_fitted_confidence(p, is_right)
    assert np.isnan(found[0])
    assert 0 <= found[1] <= 1
    p[1] = 0.99
    np.testing.assert_array_equal(cross_fitted_confidence(p, is_right)[2:], found[2:])


def test_event_losses_by_hand():
    losses = event_losses(np.array([0.8, 0.8, 0.0]), np.array([True, False, True]))
    assert losses["brier"].tolist() == pytest.approx([0.04, 0.64, 1])
    assert losses["log_loss"].tolist() == pytest.approx([-np.log(0.8), -np.log(0.2), -np.log(1e-12)])


def test_maps_help_an_overconfident_model(overconfident):
    found = compare_confidence_maps(overconfident)
    assert found.key == tuple(MAPS)
    assert found.best > 0
    losses = found.log_loss
    assert (losses.estimate[1:] < losses.estimate[0]).all()
    assert (losses.lower < losses.estimate).all()
    assert (losses.estimate < losses.upper).all()
    assert (found.ece[1:] < found.ece[0]).all()
    assert found.ece[0] > 2 * found.ece_calibrated[0]
    # Paired: far narrower than the interval of either.
    assert found.gain.upper < 0
    assert found.gain.estimate == pytest.approx(losses.estimate[found.best] - losses.estimate[0])
    assert found.sentence.startswith(f"{found.name[found.best]} has the smallest log loss: ")
    holds_0 = replace(found, gain=replace(found.gain, upper=0.001))
    assert holds_0.sentence.startswith(f"{found.name[found.best]} has the smallest log loss, but not clearly: ")
    assert found.to_frame()["map"].tolist() == list(MAPS)
    # Only the temperature needs logits.
    nodes = overconfident.replace(
        scores=overconfident.node_probabilities()[:, 1:],
        parametrisation="node_probabilities",
        scored_nodes=np.arange(1, 7),
    )
    assert compare_confidence_maps(nodes).key == tuple(key for key in MAPS if key != "temperature")


@pytest.mark.parametrize("how", EVERY_MAP)
@pytest.mark.parametrize("group", [None, "group"])
def test_confidence_of_answers(overconfident, how, group):
    """Of a rule, without those that answer the root; the probabilities of nodes are what they were."""
    model = hv.Evaluation.from_predictions(overconfident)
    found = answer_confidence(model, how, "threshold", 0.9, group=group)
    answers, p = model.answers("threshold", 0.9), overconfident.node_probabilities()
    own = p[np.arange(400), answers]
    np.testing.assert_allclose(found.p, np.where(answers == 0, np.nan, own))
    assert 0 < (answers == 0).sum() < 400
    is_right = overconfident.taxonomy.is_ancestor(answers, overconfident.truth)
    np.testing.assert_array_equal(found.is_right, is_right)
    groups = None if group is None else overconfident.attributes["group"]
    expected = cross_fitted_confidence(found.p, is_right, how, groups=groups)
    np.testing.assert_array_equal(found.confidence, expected)
    np.testing.assert_array_equal(overconfident.node_probabilities(), p)
    assert found.said.endswith("node probabilities unchanged")
    # What is compared is what is shown.
    maps = found.compared()
    losses = event_losses(found.confidence, is_right)["log_loss"][answers != 0]
    assert maps.log_loss.estimate[maps.key.index(how)] == pytest.approx(losses.mean())


def test_temperature_of_the_same_answers(overconfident):
    found = answer_confidence(overconfident, "temperature", "threshold", 0.9)
    np.testing.assert_array_equal(found.predicted, answer_confidence(overconfident, "none", "threshold", 0.9).predicted)
    known = ~np.isnan(found.p)
    assert found.confidence[known].mean() < found.p[known].mean()


def test_reliability_before_and_after(overconfident):
    confidence = answer_confidence(overconfident, "isotonic")
    found = hv.diagnosis.confidence_reliability(confidence)
    assert found.subjects == ["p of the answer", "confidence by isotonic regression"]
    assert found.is_flagged[0]
    assert found.ece[0] > 2 * found.ece[1]
    assert found.n.tolist() == 2 * [int((confidence.predicted != 0).sum())]
    assert found.n_left_out.tolist() == (400 - found.n).tolist()
    assert hv.diagnosis.confidence_reliability(answer_confidence(overconfident, "none")).subjects == ["p of the answer"]


def test_what_has_no_confidence(taxonomy, overconfident):
    labels = hv.Predictions.from_labels(taxonomy, taxonomy.leaves, truth=taxonomy.leaves)
    with pytest.raises(hv.PredictionsError, match="expected scores with one truth each"):
        compare_confidence_maps(labels)
    with pytest.raises(hv.PredictionsError, match="got none: they need scores"):
        answer_confidence(labels)
    with pytest.raises(hv.PredictionsError, match="these are sets"):
        answer_confidence(overconfident, "isotonic", "threshold_set")
    with pytest.raises(hv.PredictionsError, match="expected a column of the samples"):
        answer_confidence(overconfident, "isotonic", group="grup")
    with pytest.raises(hv.PredictionsError, match="at least 20 samples with an answer"):
        cross_fitted_confidence(np.full(19, 0.5), np.ones(19))
    with pytest.raises(hv.PredictionsError, match="expected one of isotonic, venn-abers"):
        cross_fitted_confidence([0.5], [1], "temperature")
