"""The curve of all information thresholds against the rule at every bound."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from strategies import many

import hierviz as hv
from hierviz.curves._rule_curve import information_curve
from hierviz.metrics.registry import path_keys


@many
@given(strategies.judged())
def test_curve_is_the_rule_at_every_bound(case):
    graph, taxonomy, p, truth = case
    curve = information_curve(taxonomy, truth, p)
    most = np.log2(taxonomy.n_leaves)
    assert (np.diff(curve.threshold) < 0).all()
    assert curve.n_points == len(curve.threshold) + 1
    bounds = np.unique([0, *taxonomy.information, *np.linspace(0, most, 7), most])
    at = curve.at(bounds)
    for place, bits in enumerate(bounds):
        predicted = hv.infer(taxonomy, p, "information_threshold", bits=bits)
        expected = [naive.path_metrics(graph, *pair) for pair in zip(truth.tolist(), predicted.tolist())]
        for key in path_keys():
            mean = naive.mean([one[key] for one in expected])
            assert at[key][place] == pytest.approx(mean, abs=1e-9), (key, bits)
            assert curve.at(bits)[key] == at[key][place]
    # Both ends are the ends of the operating curve.
    other = hv.operating_curve(taxonomy, truth, hv.pareto_table(taxonomy, p))
    for key in path_keys():
        assert curve.values[key][[0, -1]] == pytest.approx(other.values[key][[-1, 0]], abs=1e-12)


def test_predictions_in_blocks(taxonomy):
    scores = np.random.default_rng(3).normal(size=(30, 4))
    preds = hv.Predictions.from_scores(taxonomy, scores, "flat_softmax", truth=np.full(30, taxonomy.node("cat")))
    one = information_curve(taxonomy, preds.truth, preds)
    other = information_curve(taxonomy, preds.truth, preds.node_probabilities())
    assert one.n_samples == 30
    np.testing.assert_array_equal(one.threshold, other.threshold)
    for key in path_keys():
        np.testing.assert_array_equal(one.values[key], other.values[key])


def test_errors(taxonomy):
    with pytest.raises(hv.PredictionsError, match=r"^truth: expected one node for each of the 1 samples"):
        information_curve(taxonomy, [], np.ones((1, 7)))
    with pytest.raises(hv.PredictionsError, match=r"^p: expected shape"):
        information_curve(taxonomy, [0], np.ones((1, 6)))
    graph = hv.Taxonomy.from_edges([("r", "x"), ("r", "y"), ("y", "x"), ("y", "z")])
    with pytest.raises(hv.TaxonomyError, match=r"'x' with 2 parents"):
        information_curve(graph, [0], np.ones((1, 4)))
