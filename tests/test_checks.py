"""Truth comes before predictions and scores in every signature; arguments the other way round are an error that says so."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.checks import check_truth_first
from hierviz.curves.operating_curve import CurveSteps
from hierviz.losses import LOSSES
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.metrics.sets.node_sets import set_overlap
from hierviz.metrics.sets.set_curves import SetMetricsByThreshold, curve_areas, set_curve, set_metrics_by_threshold
from hierviz.thresholds.groups import group_thresholds
from hierviz.thresholds.risk_control import certified_threshold
from hierviz.thresholds.selection import best_of, with_costs

P = np.array([[1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125], [1, 0.25, 0.125, 0.125, 0.5, 0.5, 0.25]])
TRUTH = np.array([2, 5])
RESAMPLES = hv.Resamples.draw(2, 3)


def curve(taxonomy):
    return hv.operating_curve(taxonomy, TRUTH, P)


OF_PROBABILITIES = {
    "win": hv.win,
    "LabelSetCounts.add": lambda t, y, p: LabelSetCounts(t).add(y, p),
    "SetMetricsByThreshold.add": lambda t, y, p: SetMetricsByThreshold(t, [0.5]).add(y, p),
    "curve_areas": curve_areas,
    "set_metrics_by_threshold": lambda t, y, p: set_metrics_by_threshold(t, y, p, [0.5]),
}
OF_TABLES = {
    "operating_curve": hv.operating_curve,
    "information_curve": hv.information_curve,
    "CurveSteps.from_table": CurveSteps.from_table,
    "bootstrap_curve": lambda t, y, table: hv.bootstrap_curve(t, y, table, RESAMPLES),
    "group_thresholds": lambda t, y, table: group_thresholds(t, y, table, [0, 0], best_of),
    "guaranteed_threshold": hv.guaranteed_threshold,
    "certified_threshold": certified_threshold,
    "with_costs": lambda t, y, table: with_costs(curve(t), t, y, table),
}


@pytest.mark.parametrize("name", OF_PROBABILITIES)
def test_probabilities_before_truth(taxonomy, name):
    call = OF_PROBABILITIES[name]
    call(taxonomy, TRUTH, P)
    with pytest.raises(hv.PredictionsError) as caught:
        call(taxonomy, P, TRUTH)
    assert str(caught.value) == (
        "truth: expected node numbers of shape (n_samples,), got floats of shape (2, 7). Truth comes before probabilities."
    )


@pytest.mark.parametrize("name", OF_TABLES)
def test_table_before_truth(taxonomy, name):
    call = OF_TABLES[name]
    predictions = hv.Predictions.from_scores(taxonomy, P, "node_probabilities", truth=TRUTH)
    for table, got in (
        (P, "floats of shape (2, 7)"),
        (hv.pareto_table(taxonomy, P), "a ParetoTable"),
        (predictions, "a Predictions"),
    ):
        call(taxonomy, TRUTH, table)
        with pytest.raises(hv.PredictionsError) as caught:
            call(taxonomy, table, TRUTH)
        assert str(caught.value) == (
            f"truth: expected node numbers of shape (n_samples,), got {got}. Truth comes before the table."
        )


@pytest.mark.parametrize("key", LOSSES)
def test_scores_before_truth(taxonomy, key):
    scores = np.zeros((2, len(LOSSES[key].columns(taxonomy))))
    keywords = {"counts": np.ones(7)} if "counts" in LOSSES[key].parameters else {}
    hv.loss(key, taxonomy, TRUTH, scores, **keywords)
    with pytest.raises(hv.PredictionsError, match=r"got floats of shape \(2, \d\). Truth comes before scores\.$"):
        hv.loss(key, taxonomy, scores, TRUTH, **keywords)


def test_the_name_of_a_loss_comes_first(taxonomy):
    with pytest.raises(
        hv.PredictionsError, match=r"^loss: expected one of flat_ce, .*, got <Taxonomy: tree of 7 nodes"
    ):
        hv.loss(taxonomy, TRUTH, np.zeros((2, 4)), "flat_ce")


@pytest.mark.parametrize("call", [hv.win_breakdown, set_curve])
def test_one_sample(taxonomy, call):
    call(taxonomy, 2, P[0])
    with pytest.raises(hv.PredictionsError, match=r"got floats of shape \(7,\). Truth comes before probabilities\.$"):
        call(taxonomy, P[0], 2)


def test_lists_before_truth(taxonomy):
    lists = hv.NodeLists.from_lists([[2], [1, 5]])
    set_overlap(taxonomy, TRUTH, lists)
    for call in (set_overlap, lambda t, y, predicted: LabelSetCounts(t).add_lists(y, predicted)):
        with pytest.raises(
            hv.PredictionsError, match=r"^predicted: expected NodeLists, got ndarray. Truth comes before"
        ):
            call(taxonomy, lists, TRUTH)


def test_a_table_is_worked_out_from_what_it_is_made_of(taxonomy):
    table = hv.pareto_table(taxonomy, P)
    predictions = hv.Predictions.from_scores(taxonomy, P, "node_probabilities", truth=TRUTH)
    for call in (hv.operating_curve, hv.information_curve):
        expected = call(taxonomy, TRUTH, table)
        for same in (P, predictions):
            found = call(taxonomy, TRUTH, same)
            np.testing.assert_array_equal(found.threshold, expected.threshold)
            for key, values in expected.values.items():
                np.testing.assert_array_equal(found.values[key], values)


def test_what_may_be_a_truth_is_let_through():
    for truth in (TRUTH, [2, 5], [], [2.0], 3, hv.NodeLists.from_lists([[1], []])):
        check_truth_first(truth)
