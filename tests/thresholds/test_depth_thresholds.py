"""A threshold for each depth: the share of correct offers, counted by hand and by plain loops."""

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from naive_twins import naive_thresholds
from strategies import many

import hierviz as hv


@many
@given(strategies.judged(most=8), st.sampled_from((0.0, 0.5, 0.75, 1.0)))
def test_the_smallest_threshold_that_reaches_the_target(case, level):
    graph, taxonomy, p, truth = case
    found = hv.thresholds.thresholds_by_depth(taxonomy, truth, p, level)
    expected = naive_thresholds(graph, truth.tolist(), p.tolist(), level)
    assert len(found) == taxonomy.max_depth
    for threshold, (low, high) in zip(found, expected):
        assert low <= threshold < high or (threshold == high == 1)


def test_worked_by_hand(taxonomy):
    """Depth 1: mammal .9 right, mammal .6 wrong. Depth 2: cat .5 right, dog .4 wrong."""
    p = np.array([[1, 0.9, 0.5, 0.4, 0.1, 0.1, 0], [1, 0.6, 0.2, 0.4, 0.4, 0.4, 0]])
    truth = taxonomy.nodes("cat", "duck")
    assert hv.thresholds.thresholds_by_depth(taxonomy, truth, p, 1.0) == (0.6, 0.4)
    assert hv.thresholds.thresholds_by_depth(taxonomy, truth, p, 0.5) == (0, 0)
    points = hv.thresholds.depth_threshold_points(taxonomy, truth, p, [1.0, 0.5])
    assert points["thresholds_by_depth"] == ["0.6,0.4", "0,0"]
    assert points["correct"] == [1, 0.5]
    assert points["exact"] == [0.5, 0.5]
    other = hv.thresholds.depth_threshold_points(taxonomy, truth, p, [1.0], chosen_on=(truth[:1], p[:1]))
    assert other["thresholds_by_depth"] == ["0,0"]
    model = hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    assert hv.thresholds.thresholds_by_depth(taxonomy, truth, model, 1.0) == (0.6, 0.4)
    with pytest.raises(hv.PredictionsError, match=r"^level: expected a number from 0 to 1"):
        hv.thresholds.thresholds_by_depth(taxonomy, truth, p, 95)
    with pytest.raises(hv.PredictionsError, match=r"^truth: expected one node for each of the 2 samples"):
        hv.thresholds.thresholds_by_depth(taxonomy, truth[:1], p)
