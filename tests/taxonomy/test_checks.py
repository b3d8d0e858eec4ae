"""Truth comes before predictions and scores in every signature; arguments the other way round are an error that says so."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sample_curves import curve_areas, sample_curve, set_metrics_by_threshold

import hierviz as hv
from hierviz.curves.operating_curve import CurveSteps
from hierviz.losses.registry import LOSSES
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.metrics.sets.node_sets import set_overlap
from hierviz.metrics.sets.set_curves import SetMetricsByThreshold
from hierviz.taxonomy.checks import check_truth_first, is_number
from hierviz.thresholds.groups import group_thresholds
from hierviz.thresholds.selection import choose, with_costs

P = np.array([[1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125], [1, 0.25, 0.125, 0.125, 0.5, 0.5, 0.25]])
TRUTH = np.array([2, 5])
RESAMPLES = hv.uncertainty.Resamples.draw(2, 3)


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
    "information_curve": hv.curves.information_curve,
    "CurveSteps.from_table": CurveSteps.from_table,
    "bootstrap_curve": lambda t, y, table: hv.uncertainty.bootstrap_curve(t, y, table, RESAMPLES),
    "group_thresholds": lambda t, y, table: group_thresholds(t, y, table, [0, 0], choose),
    "guaranteed_threshold": hv.thresholds.guaranteed_threshold,
    "guaranteed_threshold without a check": partial(hv.thresholds.guaranteed_threshold, fraction=None),
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


@pytest.mark.parametrize("call", [hv.win_breakdown, sample_curve])
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
    for call in (hv.operating_curve, hv.curves.information_curve):
        expected = call(taxonomy, TRUTH, table)
        for same in (P, predictions):
            found = call(taxonomy, TRUTH, same)
            np.testing.assert_array_equal(found.threshold, expected.threshold)
            for key, values in expected.values.items():
                np.testing.assert_array_equal(found.values[key], values)


def test_what_may_be_a_truth_is_let_through():
    for truth in (TRUTH, [2, 5], [], [2.0], 3, hv.NodeLists.from_lists([[1], []])):
        check_truth_first(truth)


# Arguments of another kind ---------------------------------------------------------------------------------------------


def predictions_of(taxonomy, truth=TRUTH):
    return hv.Predictions.from_scores(taxonomy, P, "node_probabilities", truth=truth, name="m")


OTHERS = [
    None,
    "text",
    5,
    1.5,
    [],
    {},
    object(),
    np.zeros((2, 3)),
    [[1], [2, 3]],
    [["a"], ["b", "c"]],
    pd.DataFrame({"a": [1]}),
]


def calls(taxonomy, folder):
    """Name of a public function to (function, arguments that it takes)."""
    predictions, costs = predictions_of(taxonomy), with_costs(curve(taxonomy), taxonomy, TRUTH, P)
    means = hv.uncertainty.bootstrap_means([1.0, 2.0], RESAMPLES)
    truth = folder / "truth.csv"
    truth.write_text("truth\ncat\nduck\n")
    point = hv.thresholds.OperatingPoint.from_curve(taxonomy, curve(taxonomy), 0.5, "m")
    return {
        "infer": (hv.infer, [taxonomy, P, "leaf"]),
        "win": (hv.win, [taxonomy, TRUTH, P]),
        "win_breakdown": (hv.win_breakdown, [taxonomy, 2, P[0]]),
        "pareto_table": (hv.pareto_table, [taxonomy, P]),
        "operating_curve": (hv.operating_curve, [taxonomy, TRUTH, P]),
        "information_curve": (hv.curves.information_curve, [taxonomy, TRUTH, predictions]),
        "path_metrics": (hv.metrics.path_metrics, [taxonomy, TRUTH, TRUTH]),
        "confusion": (hv.confusion, [taxonomy, TRUTH, TRUTH]),
        "node_probabilities": (hv.node_probabilities, [taxonomy, P, "node_probabilities"]),
        "evaluate": (hv.evaluate, [predictions, "leaf"]),
        "mistakes": (hv.mistakes, [predictions, "leaf"]),
        "Evaluation": (hv.Evaluation.from_predictions, [predictions]),
        "loss": (hv.loss, ["flat_ce", taxonomy, TRUTH, np.zeros((2, 4))]),
        "from_scores": (hv.Predictions.from_scores, [taxonomy, P, "node_probabilities"]),
        "from_labels": (hv.Predictions.from_labels, [taxonomy, TRUTH]),
        "from_frame": (hv.Predictions.from_frame, [pd.DataFrame(P, columns=taxonomy.names), taxonomy]),
        "from_predict_proba": (hv.Predictions.from_predict_proba, [taxonomy, P, taxonomy.names]),
        "from_level_labels": (hv.Predictions.from_level_labels, [taxonomy, [["mammal", "cat"]]]),
        "from_pipeline": (
            hv.Predictions.from_pipeline,
            [taxonomy, [[{"label": n, "score": 1} for n in taxonomy.names]]],
        ),
        "from_edges": (hv.Taxonomy.from_edges, [[("a", "b"), ("a", "c")]]),
        "guaranteed_threshold": (hv.thresholds.guaranteed_threshold, [taxonomy, TRUTH, P]),
        "bootstrap_curve": (hv.uncertainty.bootstrap_curve, [taxonomy, TRUTH, P, RESAMPLES]),
        "bootstrap_means": (hv.uncertainty.bootstrap_means, [[1.0, 2.0], RESAMPLES]),
        "paired_difference": (hv.uncertainty.paired_difference, [means, means]),
        "curve_over_repeats": (hv.uncertainty.curve_over_repeats, [[curve(taxonomy)] * 2, [0.5]]),
        "summary_over_repeats": (hv.uncertainty.summary_over_repeats, [[curve(taxonomy)] * 2]),
        "with_costs": (hv.thresholds.with_costs, [curve(taxonomy), taxonomy, TRUTH, P]),
        "choose": (hv.thresholds.choose, [costs, "info_recall", {"cost": 0.25}]),
        "with_shallow_answers": (hv.thresholds.with_shallow_answers, [curve(taxonomy), taxonomy, P, 1]),
        "OperatingPoint": (hv.thresholds.OperatingPoint.from_curve, [taxonomy, curve(taxonomy), 0.5]),
        "write_operating_point": (hv.thresholds.write_operating_point, [point, folder / "point.json"]),
        "load_operating_point": (hv.thresholds.load_operating_point, [folder / "point.json"]),
        "load_predictions": (hv.load_predictions, [folder / "none.csv", taxonomy]),
        "load_costs": (hv.load_costs, [folder / "none.csv", taxonomy]),
        "load_taxonomy": (hv.load_taxonomy, [folder / "none.csv"]),
        "load_truth": (hv.load_truth, [truth, taxonomy]),
        "attach_truth": (hv.attach_truth, [predictions.replace(truth=None), truth]),
        "write_predictions": (hv.write_predictions, [predictions, folder / "p.csv"]),
        "charts.operating_curves": (hv.charts.operating_curves, [{"m": curve(taxonomy)}]),
        "charts.probability_tree": (hv.charts.probability_tree, [taxonomy, P[0]]),
    }


def test_arguments_of_another_kind_are_one_line(taxonomy, tmp_path, monkeypatch):
    """Every argument in place of every other, and things that a notebook holds: a HiervizError, or an answer."""
    monkeypatch.chdir(tmp_path)
    for name, (function, arguments) in calls(taxonomy, tmp_path).items():
        swapped = [(j, arguments[k]) for j in range(len(arguments)) for k in range(len(arguments)) if j != k]
        for place, other in swapped + [(k, other) for k in range(len(arguments)) for other in OTHERS]:
            given = list(arguments)
            given[place] = other
            if name.startswith("write_") and place == 1 and isinstance(other, str):
                continue
            try:
                function(*given, **({"model_name": "m"} if name == "OperatingPoint" else {}))
            except hv.HiervizError:
                continue
            except Exception as error:
                pytest.fail(f"{name}, argument {place} = {other!r}: {type(error).__name__}: {error}")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: hv.infer(P, t), "taxonomy: expected a Taxonomy, got ndarray. It comes first."),
        (lambda t: hv.pareto_table(P, t), "taxonomy: expected a Taxonomy, got ndarray. It comes first."),
        (
            lambda t: hv.load_costs(t, "prices.csv"),
            "file: expected the path of a table of costs (CSV, TSV or Parquet), got",
        ),
        (
            lambda t: hv.load_predictions("p.csv", "t.csv"),
            "taxonomy: expected a Taxonomy, got str. It comes after the file.",
        ),
        (
            lambda t: hv.thresholds.with_costs(t, curve(t), TRUTH, P),
            "curve: expected an OperatingCurve, got Taxonomy. It comes first.",
        ),
        (
            lambda t: hv.evaluate({"m": "p.csv"}),
            "evaluate: expected Predictions, or a list or dict of them, got str.",
        ),
        (
            lambda t: hv.operating_curve(t, None, P),
            "truth: expected one node number a sample, got None. Predictions get ",
        ),
        (
            lambda t: hv.operating_curve(t, hv.NodeLists.from_lists([[1], [2, 3]]), P),
            "truth: expected one node number a sample, got lists of them.",
        ),
        (lambda t: hv.operating_curve(t, [[1], [2, 3]], P), "truth: expected one list, got lists of several lengths."),
        (
            lambda t: hv.operating_curve(t, ["cat", "dog"], P),
            "truth: expected node numbers from 0 to 6, got 'cat', 'dog'. Use Taxonomy.nodes to look",
        ),
        (
            lambda t: hv.win_breakdown(t, hv.NodeLists.from_lists([[1], [2, 3]]), P[0]),
            "truth: expected the node number of one sample, got NodeLists",
        ),
        (
            lambda t: hv.win_breakdown(t, 2, P),
            "p: expected shape (7,), the row of one sample, got (2, 7). Pass one row",
        ),
        (lambda t: hv.thresholds.choose(curve(t), "cost"), "maximise: expected one of exact, correct, "),
        (lambda t: curve(t).best_threshold("f1"), "key: expected one of exact, correct, "),
        (lambda t: curve(t).at("0.5"), "threshold: expected a number or numbers, got '0.5'. Choose one."),
        (
            lambda t: hv.infer(t, P, "threshold", threshold="0.5"),
            "threshold: expected a number from 0 to 1, got '0.5'.",
        ),
        (
            lambda t: hv.infer(t, P, "threshold", threshold=10**400),
            "threshold: expected a number from 0 to 1, got 1000",
        ),
        (lambda t: hv.infer(t, P, "darts", lam=10**400), "lam: expected a number of bits, 0 or more, got 1000"),
        (lambda t: hv.infer(t, P, ["leaf"]), "rule: expected one of leaf, majority"),
        (
            lambda t: hv.mistakes(predictions_of(t), under="mammal"),
            "under: expected a node number from 0 to 6, got 'mammal'.",
        ),
        (
            lambda t: hv.thresholds.OperatingPoint.from_curve(t, curve(t), 0.5, "m", intervals={"corect": (0, 1)}),
            "intervals: expected a pair (low, high) for keys among exact, correct, ",
        ),
        (
            lambda t: hv.charts.operating_curves([curve(t)]),
            "curves: expected a dict of name to OperatingCurve, got list.",
        ),
        (
            lambda t: hv.Taxonomy.from_edges([("a", "b", "c")]),
            "edges: expected two names in edge 1, got 'a', 'b', 'c'.",
        ),
        (lambda t: hv.load_taxonomy([("a", "b")]), "file: expected the path of a class taxonomy"),
    ],
)
def test_what_is_said(taxonomy, call, message):
    with pytest.raises(hv.HiervizError) as caught:
        call(taxonomy)
    assert str(caught.value).startswith(message)


def test_a_truth_in_a_list_is_one_node_a_sample(taxonomy):
    predictions = predictions_of(taxonomy, None).replace(truth=[2, 5])
    assert predictions.has_single_truth
    assert predictions.truth.tolist() == [2, 5]


def test_samples_that_one_model_lacks(taxonomy):
    first, second = (
        hv.Predictions.from_scores(
            taxonomy, P[: len(ids)], "node_probabilities", truth=TRUTH[: len(ids)], sample_ids=ids
        )
        for ids in (["a", "b"], ["a"])
    )
    with pytest.raises(hv.PredictionsError, match=r"got 1 missing \('b'\)\. Compare models on the same samples\.$"):
        hv.evaluate([first, second])


def test_node_numbers_of_another_taxonomy_in_a_graph():
    graph = hv.Taxonomy.from_edges([("r", "x"), ("r", "y"), ("y", "x"), ("y", "z")])
    with pytest.raises(
        hv.PredictionsError, match=r"^predicted: expected node numbers from 0 to 3, got 1 to 6 \(int64\)"
    ):
        hv.confusion(graph, np.array([1, 2]), np.array([1, 6]))


def test_numbers():
    for value in (0, 0.5, np.float32(0.5), np.int8(1)):
        assert is_number(value)
    for value in (True, "0.5", None, float("nan"), np.inf, 10**400, 1j, [0.5]):
        assert not is_number(value)
