"""Results print short, as text and in notebooks; functions take one model, lists and dicts; others give a helpful error."""

import dataclasses
import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import hierviz as hv
from hierviz.diagnosis.mistakes import set_mistakes
from hierviz.messages.notebook_html import Short, brief
from hierviz.reports import ReportRun
from tests.small_tree import EDGES

LONGEST = 1000
# Pages, commands and programs print nothing of theirs in a notebook; an edge list or a file is what it is.
ELSEWHERE = ("app", "cli", "charts", "reports", "stories", "compiled", "readers", "findings", "lessons", "__main__")
N = 300


@pytest.fixture(scope="module")
def model():
    taxonomy = hv.Taxonomy.from_edges(EDGES)
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.full(taxonomy.n_leaves, 0.4), N)
    truth = np.array([rng.choice(taxonomy.leaves, p=row) for row in p])
    attributes = {"light": np.where(np.arange(N) % 3 == 0, "dark", "bright").astype(object)}
    return hv.Predictions.from_scores(
        taxonomy,
        p,
        "leaf_probabilities",
        truth=truth,
        name="one",
        sample_ids=[f"s{i}" for i in range(N)],
        attributes=attributes,
    )


def results(model):
    """Results of public functions on one model, by name."""
    taxonomy, other = model.taxonomy, model.replace(name="other")
    one = hv.Evaluation.from_predictions(model)
    resamples = hv.uncertainty.Resamples.draw(N, 500)
    means = hv.uncertainty.bootstrap_means(one.per_sample()["correct"], resamples)
    curve, table = one.curve, one.judged_table
    by_evaluation = [
        *(hv.diagnosis.class_table, hv.diagnosis.matrix, hv.diagnosis.confused_pairs, hv.diagnosis.label_errors),
        *(hv.diagnosis.level_table, hv.diagnosis.node_table, hv.diagnosis.reliability, set_mistakes),
        *(hv.diagnosis.slices, hv.mistakes, hv.evaluation.judged_answers, hv.curves.set_curve),
    ]
    return {function.__name__: function(one) for function in by_evaluation} | {
        "evaluation": one,
        "table": hv.compare([model, other], resamples=100),
        "interval": means,
        "difference": hv.uncertainty.paired_difference(means, means),
        "curve": curve,
        "pareto": table,
        "bands": hv.uncertainty.bootstrap_curve(taxonomy, one.truth, table, resamples),
        "models": hv.uncertainty.difference_of_models(taxonomy, one.truth, table, table, resamples),
        "means by": hv.diagnosis.means_by(one, "light"),
        "flips": hv.diagnosis.flip_intervals(table, 0, taxonomy=taxonomy, truth=int(one.truth[0])),
        "confusion": one.confusion(),
        "paths": hv.confusion(taxonomy, hv.NodeLists.from_lists([[1]] * N), hv.NodeLists.from_lists([[2]] * N)),
        "win": hv.win_breakdown(taxonomy, int(one.truth[0]), model.node_probabilities(rows=np.array([0]))[0]),
        "lists": hv.NodeLists.from_lists([[1]] * N),
        "matrix": hv.diagnosis.level_matrix(model),
        "runs": hv.diagnosis.class_table([model, other]),
        "choice": hv.thresholds.choose(curve, subject_to={"correct": 0.5}),
        "cross-fitted": hv.thresholds.cross_fitted(
            taxonomy, one.truth, table, lambda found: hv.thresholds.choose(found, subject_to={"correct": 0.3})
        ),
        "guarantee": hv.thresholds.guaranteed_threshold(taxonomy, one.truth, table, alpha=0.4, delta=0.1),
        "frontier": hv.thresholds.rule_frontiers(one)["threshold"],
        "verify": hv.verify(model),
        "on samples": hv.comparison.models_on_samples(model, other, "correct"),
        "information": hv.curves.information_curve(taxonomy, one.truth, model.node_probabilities()),
        "entry": hv.METRICS["ac"],
        "rule": hv.INFERENCE_RULES["darts"],
        "loss": hv.LOSSES["flat_ce"],
        "kind": hv.PARAMETRISATIONS["deep_rtc"],
    }


def test_every_result_is_short_as_text_and_as_html(model):
    for name, result in results(model).items():
        assert len(repr(result)) <= LONGEST, name
        assert "array([" not in repr(result), name
        assert "\n" not in repr(result), name
        assert len(result._repr_html_()) <= 6000, name
        assert "<script" not in result._repr_html_()


def test_what_is_printed_names_the_numbers():
    interval = hv.uncertainty.bootstrap_means(np.repeat([0.0, 1.0], 50), hv.uncertainty.Resamples.draw(100, 200))
    assert repr(interval).startswith("Interval(estimate=0.5, lower=")
    assert "draws=array of float64, shape (200,)" in repr(interval)
    assert brief([1, 2]) == "[1, 2]"
    assert brief(list(range(100))) == "list of 100"
    assert brief(np.float64(0.25)) == "0.25"


def test_tables_show_their_first_rows_in_notebooks(model):
    page = hv.mistakes(model)._repr_html_()
    assert "the first 10 rows" in page
    assert page.count("<tr>") == 11
    page = hv.compare([model, model.replace(name="<other>")], resamples=0)._repr_html_()
    assert "<td>one</td>" in page
    assert "<td>&lt;other&gt;</td>" in page


def test_every_class_of_results_with_arrays_prints_short():
    long = []
    for module in pkgutil.walk_packages(hv.__path__, "hierviz."):
        if module.name.split(".")[1] in ELSEWHERE or ".process" in module.name:
            continue
        for name, found in vars(importlib.import_module(module.name)).items():
            if not (inspect.isclass(found) and dataclasses.is_dataclass(found) and found.__module__ == module.name):
                continue
            has_arrays = any("ndarray" in str(field.type) for field in dataclasses.fields(found))
            prints_all = found.__repr__ is not Short.__repr__ and found.__dataclass_params__.repr
            if (
                has_arrays
                and prints_all
                and "def __repr__" not in inspect.getsource(found)
                and not name.startswith("_")
            ):
                long.append(f"{module.name}.{name}")
    assert not long


def test_a_table_of_methods_keeps_its_intervals(model):
    found = hv.compare([model, model.replace(name="other")], resamples=100)
    frame = found.to_frame()
    for row in found.to_dict()["rows"]:
        for key, interval in row["interval"].items():
            if interval is not None:
                assert frame.loc[row["model"], [f"{key}.lower", f"{key}.upper"]].tolist() == interval, key
    assert "curve.ac.lower" in frame
    plain = hv.compare([model], resamples=0).to_frame()
    assert not [name for name in plain.columns if name.endswith((".lower", ".upper"))]


def test_a_model_that_is_unsure_has_worst_samples():
    taxonomy = hv.Taxonomy.from_edges(
        [("root", branch) for branch in "abcd"] + [(b, f"{b}{i}") for b in "abcd" for i in (1, 2)]
    )
    n = taxonomy.n_leaves
    flat = np.full((4, n), 1 / n)
    # All leaves are about as probable as each other: majority answers with the root, which is never wrong.
    flat[2] += np.linspace(0.01, -0.01, n)
    unsure = hv.Predictions.from_scores(taxonomy, flat, "leaf_probabilities", truth=taxonomy.leaves[[0, 1, n - 1, 2]])
    outcomes = hv.mistakes(unsure).outcome
    assert "wrong" not in outcomes
    assert "exact" not in outcomes
    # The truth of sample 2 has the smallest probability of all.
    assert hv.diagnosis.worst(unsure)[0] == "2"
    assert len(hv.diagnosis.worst(unsure, 2)) == 2
    sure = hv.Predictions.from_scores(taxonomy, np.eye(n), "leaf_probabilities", truth=taxonomy.leaves)
    assert len(hv.diagnosis.worst(sure, 1)) == 1
    labels = hv.Predictions.from_labels(taxonomy, [[1]], truth=[[1]])
    assert hv.diagnosis.worst(labels) == ["0"]


def test_a_sample_that_is_wrong_stays_the_worst(model):
    wrong = hv.mistakes(model, outcome="wrong")
    assert hv.diagnosis.worst(model, 5) == [f"s{row}" for row in wrong.row[:5]]


@pytest.mark.long
def test_models_are_taken_as_one_as_a_list_and_as_a_dict(model):
    other = model.replace(name="other")
    named = {"first": model, "second": other}
    assert [one["name"] for one in hv.evaluate(named)["models"]] == ["first", "second"]
    assert [one["name"] for one in hv.evaluate([model, other])["models"]] == ["one", "other"]
    assert hv.compare(named, resamples=0).to_frame().index.tolist() == ["first", "second"]
    assert hv.report(named).evaluate["models"][1]["name"] == "second"
    assert list(hv.evaluation.curves_by(named, "light")) == ["first", "second"]
    assert hv.diagnosis.means_by(named, "light").n_runs == 2
    assert (
        hv.diagnosis.level_matrix(named).to_frame().shape == hv.diagnosis.level_matrix([model, other]).to_frame().shape
    )
    assert hv.diagnosis.class_table(named).n_runs == 2
    for curves in (model, [model, other], named, hv.Evaluation.from_predictions(model)):
        table = hv.charts.operating_curves(curves, threshold=0.5).table
        assert set(table["model"]) == (
            {"first", "second"} if curves is named else {"one", "other"} if type(curves) is list else {"one"}
        )
    evaluated = {"again": hv.Evaluation.from_predictions(model)}
    assert hv.evaluate(evaluated)["models"][0]["name"] == "again"


def test_unknown_types_name_the_way(model):
    taxonomy, p = model.taxonomy, model.node_probabilities()
    for call in (
        lambda: hv.Taxonomy(EDGES),
        lambda: hv.infer(EDGES, p),
        lambda: hv.tree_text(EDGES),
        lambda: hv.charts.small_tree(EDGES),
        lambda: hv.projection.cut(EDGES, max_depth=1),
        lambda: hv.load_taxonomy(EDGES),
    ):
        with pytest.raises(hv.HiervizError, match="from_edges"):
            call()
    for call in (
        lambda: hv.thresholds.choose(model, subject_to={"correct": 0.9}),
        lambda: hv.thresholds.choose(model, "info_f1"),
        lambda: hv.curves.specificity_at(model, 0.9),
    ):
        with pytest.raises(hv.PredictionsError, match=r"operating_curve\(taxonomy, truth, table\)"):
            call()
    for call in (lambda: hv.evaluate(p), lambda: hv.compare(p), lambda: hv.report(p), lambda: hv.verify(p)):
        with pytest.raises(hv.PredictionsError, match="from_scores"):
            call()
    for call in (
        lambda: hv.thresholds.rule_frontiers(p),
        lambda: hv.curves.set_curve(model),
        lambda: hv.comparison.models_on_samples(p, p, "correct"),
    ):
        with pytest.raises(hv.PredictionsError, match="from_predictions"):
            call()
    with pytest.raises(hv.PredictionsError, match=r"hierviz\.diagnosis\.reliability"):
        hv.charts.reliability_diagram(model)
    assert taxonomy.n_nodes == p.shape[1]


def test_docstrings_say_what_the_arguments_are():
    text = inspect.getdoc(hv.Evaluation.curve)
    assert "every threshold" in text
    assert "Raises" in text
    text = inspect.getdoc(ReportRun)
    for name in ("words", "stage"):
        assert f"{name} : " in text
