"""Brier score, log loss and errors of calibration: by hand, under calibration, and their place in tables."""

import math

import numpy as np
import pytest

import hierviz as hv
from hierviz.metrics.calibration import calibration_error


def test_scores_of_each_level_by_hand(taxonomy):
    """cat .5, dog .2, duck .2, newt .1 for a cat and a dog; a third sample is known to be a mammal only."""
    truth = taxonomy.nodes("cat", "dog", "mammal")
    predictions = hv.Predictions.from_scores(taxonomy, [[0.5, 0.2, 0.2, 0.1]] * 3, "leaf_probabilities", truth=truth)
    found = hv.evaluate(predictions, more=True)["models"][0]["probabilities"]
    # Leaves: .25 + .04 + .04 + .01, and .25 + .64 + .04 + .01. Depth 1, with newt: mammal .7, bird .2, newt .1.
    assert found["brier"] == pytest.approx((0.34 + 0.94) / 2)
    assert found["brier_by_depth"] == {"1": pytest.approx(0.09 + 0.04 + 0.01), "2": found["brier"]}
    assert found["log_loss"] == pytest.approx(-(math.log(0.5) + math.log(0.2)) / 2)
    assert found["log_loss_by_depth"]["1"] == pytest.approx(-math.log(0.7))
    assert found["ece_adaptive"] is None
    columns = "probabilities.brier_by_depth.1,probabilities.ece_static"
    row = hv.compare(predictions, metrics=columns, resamples=0).to_dict()["rows"][0]
    assert row["values"]["probabilities.brier_by_depth.1"] == pytest.approx(0.14)
    assert row["reason"] == {"probabilities.ece_static": "it needs at least 20 samples"}


def test_errors_by_hand():
    """20 samples of .6, of which 9 are right, and 20 of .9, of which 18 are: two bins either way."""
    p, right = np.repeat([0.6, 0.9], 20), np.arange(40) % 20 < np.repeat([9, 18], 20)
    assert calibration_error("ece_adaptive", p, right) == pytest.approx(0.5 * 0.15)
    assert calibration_error("ece_static", p, right) == pytest.approx(0.5 * 0.15)
    squared = 0.5 * (0.15**2 - 0.45 * 0.55 / 19) + 0.5 * (0 - 0.9 * 0.1 / 19)
    assert calibration_error("calibration_error_squared", p, right) == pytest.approx(squared)
    # Of a calibrated model: the mean of |k / 20 - p| over the two binomials, 4 standard errors of 200 draws.
    expected = sum(
        0.5 * math.comb(20, k) * share**k * (1 - share) ** (20 - k) * abs(k / 20 - share)
        for share in (0.6, 0.9)
        for k in range(21)
    )
    for key in ("ece_adaptive_calibrated", "ece_static_calibrated"):
        assert calibration_error(key, p, right) == pytest.approx(expected, abs=4 * 0.06 / math.sqrt(200))


def test_errors_by_depth(taxonomy):
    """40 samples with cat .6, dog .3, newt .1: mammal .9 is right of 36, cat of 18; one more is known to be a mammal only."""
    truth = taxonomy.nodes(*["cat"] * 18, *["dog"] * 18, *["newt"] * 4, "mammal")
    scores = np.tile([0.6, 0.3, 0.0, 0.1], (41, 1))
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    found = hv.evaluate(predictions, more=True)["models"][0]["probabilities"]
    # At depth 1 the 41st is right: 37 of 41. Of cat it is not known, and it is left out: 18 of 40.
    off = {"1": (37 / 41 - 0.9, 37 / 41, 41), "2": (18 / 40 - 0.6, 18 / 40, 40)}
    for depth, (error, rate, n) in off.items():
        assert found["ece_adaptive_by_depth"][depth] == pytest.approx(abs(error))
        assert found["ece_static_by_depth"][depth] == pytest.approx(abs(error))
        squared = error**2 - rate * (1 - rate) / (n - 1)
        assert found["calibration_error_squared_by_depth"][depth] == pytest.approx(squared)
        # Of a calibrated model: E|k / n - p| of one binomial, within 4 standard errors of 200 draws.
        p = 0.9 if depth == "1" else 0.6
        expected = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) * abs(k / n - p) for k in range(n + 1))
        for key in ("ece_adaptive_calibrated_by_depth", "ece_static_calibrated_by_depth"):
            assert found[key][depth] == pytest.approx(expected, abs=4 * 0.06 / math.sqrt(200))
    for key in ("calibration_error_squared", "ece_adaptive", "ece_static", "ece_adaptive_calibrated"):
        assert found[f"{key}_by_depth"]["2"] == found[key]
    assert hv.verify(predictions).of_verdict("different") == []
    columns = "probabilities.ece_static_by_depth,probabilities.calibration_error_squared_by_depth.1"
    table = hv.compare(predictions, metrics=columns, resamples=20).to_dict()
    assert list(table["rows"][0]["values"]) == [
        *(f"probabilities.ece_static_by_depth.{depth}" for depth in "12"),
        "probabilities.calibration_error_squared_by_depth.1",
    ]
    # Always the class frequencies is calibrated: no model has to beat that.
    assert set(table["constant"]["values"].values()) == {None}
    assert "Not better" not in " ".join(table["rows"][0]["warnings"])


def test_the_squared_error_has_no_bias():
    """300 calibrated data sets of 100 samples: its mean is 0 within 4 standard errors; the ECE is far above."""
    rng = np.random.default_rng(0)
    values, eces = [], []
    for _ in range(300):
        # Equal within bins: of other probabilities binning itself adds a little.
        p = np.repeat([0.3, 0.5, 0.7, 0.9], 25)
        right = rng.random(100) < p
        values.append(calibration_error("calibration_error_squared", p, right))
        eces.append(calibration_error("ece_adaptive", p, right))
    assert abs(np.mean(values)) <= 4 * np.std(values) / math.sqrt(300)
    assert np.mean(eces) > 0.05


def test_columns_have_intervals_and_a_constant(taxonomy):
    rng = np.random.default_rng(1)
    truth = taxonomy.leaves[rng.integers(0, 4, 60)]
    predictions = hv.Predictions.from_scores(taxonomy, rng.dirichlet(np.ones(4), 60), "leaf_probabilities", truth=truth)
    keys = (
        "probabilities.brier",
        "probabilities.brier_by_depth.1",
        "best_leaves.hops_5",
        "random_cuts.treecut_accuracy",
    )
    found = hv.compare(predictions, metrics=(*keys, "probabilities.ece_adaptive"), resamples=50).to_dict()
    row = found["rows"][0]
    for key in keys:
        low, high = row["interval"][key]
        assert low < row["values"][key] < high, key
    assert row["interval"].get("probabilities.ece_adaptive") is None
    # Frequencies of the classes are the best constant probabilities: its Brier score is 1 - sum of their squares.
    share = np.bincount(truth, minlength=7)[taxonomy.leaves] / 60
    assert found["constant"]["values"]["probabilities.brier"] == pytest.approx(1 - (share**2).sum())
