"""Several files of one method, each file read in its own way, parts of the taxonomy, and the second opinion, on the pages."""

import sys

import numpy as np
import pytest
from small_worlds import EDGES, LEAVES, spread, write
from visit import Visit, shelve

import hierviz as hv
from hierviz import cli
from hierviz.app.state import dataset, opened
from hierviz.app.widgets.reading_fields import methods_of
from hierviz.cli import app as cli_app
from hierviz.messages.number_text import value_text
from hierviz.opening.named_files import shared_and_own
from hierviz.thresholds.most_specific import most_specific
from hierviz.uncertainty.repeats import mean_curve, run_bands

N = 24
IDS = [f"s{i}" for i in range(N)]


def table_with(visit, column):
    return next(one.value for one in visit.at.dataframe if column in one.value.columns)


def common(folder, truth=None):
    """Paths of the taxonomy and the truth."""
    truth = truth or [LEAVES[i % 6] for i in range(N)]
    return {
        "taxonomy": write(folder / "taxonomy.csv", [("parent", "child"), *EDGES]),
        "truth": write(folder / "truth.csv", [("sample_id", "truth"), *zip(IDS, truth, strict=True)]),
    }


def scores_file(folder, name, scores, leaves=LEAVES):
    rows = ([one, *row] for one, row in zip(IDS, np.asarray(scores).tolist(), strict=True))
    return write(folder / name, [("sample_id", *leaves), *rows])


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two methods, three runs and two."""
    folder = tmp_path_factory.mktemp("runs")
    paths = [scores_file(folder, f"m_seed_{k}.csv", spread(N, seed=k)) for k in range(5)]
    names = ("flat", "flat", "flat", "deep", "deep")
    files = common(folder)
    rows = [(one, LEAVES[i % 6], "day" if i % 3 else "night") for i, one in enumerate(IDS)]
    files["truth"] = write(folder / "truth_light.csv", [("sample_id", "truth", "light"), *rows])
    return shelve(predictions=tuple(paths), names=names, **files)


@pytest.mark.long
def test_files_of_one_name_are_runs(runs):
    assert {key: len(of_method) for key, of_method in runs.methods.items()} == {"flat-m-seed-0": 3, "deep-m-seed-3": 2}
    assert [model.predictions.name for model in runs.models.values()][:2] == ["flat · m_seed_0", "flat · m_seed_1"]
    flat = runs.methods["flat-m-seed-0"]
    assert [model.predictions.run for model in flat] == ["m_seed_0", "m_seed_1", "m_seed_2"]
    # The Overview recommends a method, by the mean of its runs, never one run.
    overview = Visit("overview", data=runs.key)
    curves = {key: [run.curve for run in of_method] for key, of_method in runs.methods.items()}
    best = most_specific(curves)
    name, n_runs = runs.methods[best.key][0].predictions.name, len(runs.methods[best.key])
    assert (best.n_runs, name) in ((3, "flat"), (2, "deep"))
    assert f"**{name}** (mean of its {n_runs} runs)" in overview.text
    assert "model is **flat ·" not in overview.text
    # The page Compare: as hv.compare of the same files.
    visit = Visit("compare", data=runs.key)
    shown = visit.at.dataframe[0].value
    assert shown["Model"].tolist() == ["flat (3 runs)", "deep (2 runs)", "Best constant"]
    every = [model for of_method in runs.methods.values() for model in of_method]
    expected = hv.compare(every, rule="threshold", resamples=0)  # of values and spreads alone
    for place, column in enumerate(expected.columns, 1):
        values = [model.value(column.key) for model in expected.methods]
        assert shown.iloc[:2, place].tolist() == pytest.approx(
            [np.nan if v is None else v for v in values], nan_ok=True
        )
    ac = next(column for column in expected.columns if column.key == "curve.ac")
    cells = visit.at.dataframe[0].proto.arrow_data.styler.display_values
    for method in expected.methods:
        alone = [
            run.curve.summary()["ac"]
            for run in runs.methods[{"flat": "flat-m-seed-0"}.get(method.name, "deep-m-seed-3")]
        ]
        assert method.spread(ac.key) == pytest.approx(np.std(alone, ddof=1))
        assert f"± {method.spread(ac.key):.3f}".encode() in cells
    assert "±: standard deviation between runs" in visit.text


def test_runs_on_the_curves(runs):
    visit = Visit("curves", data=runs.key, panel="models")
    assert "flat (3 runs), deep (2 runs): the panels use the first run of each" in visit.text
    assert "Lines with several runs are means at each threshold" in visit.text
    assert "with a pale band of correct ± one standard deviation between the 2 to 3 runs" in visit.text
    assert visit.control("Models").options == ["flat", "deep"]
    table = table_with(visit, "runs").set_index("model")
    for key, name in (("flat-m-seed-0", "flat"), ("deep-m-seed-3", "deep")):
        alone = [run.curve.summary()["ac"] for run in runs.methods[key]]
        assert table.loc[name, "AC"] == f"{value_text(np.mean(alone))} ± {value_text(np.std(alone, ddof=1))}"
        assert table.loc[name, "runs"] == len(alone)


def test_parts_and_classes_are_of_all_runs(runs):
    flat = runs.methods["flat-m-seed-0"]
    choice = {"rule": "threshold", "threshold": 0.5}
    visit = Visit("compare", data=runs.key, comparison="groups", by="depth", metric="correct")
    of_parts = table_with(visit, "part")
    found = hv.diagnosis.means_by(flat, "depth", metric="correct", **choice)
    own = of_parts[of_parts["model"] == "flat"]
    assert own["mean"].tolist() == pytest.approx(found.mean.tolist())
    assert own["spread"].tolist() == pytest.approx(found.spread.tolist())
    alone = [hv.diagnosis.means_by(run, "depth", metric="correct", **choice).mean for run in flat]
    assert found.spread.tolist() == pytest.approx(np.std(alone, axis=0, ddof=1).tolist())
    assert "the dot is their mean; its interval is over samples, with the runs fixed" in visit.text
    # Operating curves of the parts: every number is the mean over single curves of the part.
    curves = table_with(visit, "ac_sd").set_index(["model", "part"])
    by = visit.control("Parts by").value
    alone = [hv.evaluation.curves_by(run, by)["flat"] for run in flat]
    for part in alone[0]:
        areas = [one[part].summary()["ac"] for one in alone]
        assert curves.loc[("flat", part), "ac"] == pytest.approx(np.mean(areas))
        assert curves.loc[("flat", part), "ac_sd"] == pytest.approx(np.std(areas, ddof=1))
        assert curves.loc[("flat", part), "runs"] == 3
        assert curves.loc[("flat", part), "n"] == alone[0][part].n_samples
    assert "flat (3 runs): AC" in visit.text
    visit.go(data=runs.key, comparison="classes")
    shown = table_with(visit, "recall_sd").set_index("class")
    recalls = np.array([hv.diagnosis.class_table(run, **choice).exact.recall for run in flat])
    for leaf in LEAVES:
        node = runs.taxonomy.node(leaf)
        assert shown.loc[leaf, "recall"] == pytest.approx(recalls[:, node].mean())
        assert shown.loc[leaf, "recall_sd"] == pytest.approx(np.std(recalls[:, node], ddof=1))
    assert "Mean over 3 runs ± standard deviation" in visit.text


def test_single_samples_are_of_the_run_that_is_chosen(runs):
    visit = Visit("compare", data=runs.key, comparison="agreement", preset="kiritchenko")
    assert "flat: run m_seed_0, one of 3." in visit.text
    visit.control("Run of flat").set_value(2)
    visit.run()
    assert "flat: run m_seed_2, one of 3." in visit.text
    found = hv.comparison.metrics_on_samples(
        runs.methods["flat-m-seed-0"][2], "softmax_win", "hf1_samples", "threshold", 0.5
    )
    assert found.sentence in visit.text
    shown = table_with(visit, "sample_id")
    assert shown["sample_id"].tolist() == found.to_frame(100)["sample_id"].tolist()
    assert shown["difference"].tolist() == pytest.approx(found.to_frame(100)["difference"].tolist())


def test_two_runs_of_one_method_have_two_names(runs):
    one, other = runs.methods["flat-m-seed-0"][:2]
    found = hv.comparison.models_on_samples(one, other, "softmax_win")
    assert list(found.to_frame()) == ["sample_id", "flat, m_seed_0", "flat, m_seed_1", "difference"]
    assert hv.comparison.models_on_samples(one, one, "softmax_win").labels == ("flat, m_seed_0", "flat, m_seed_0 (2)")


def test_mean_curve_and_bands_at_any_threshold(runs):
    curves = [run.curve for run in runs.methods["flat-m-seed-0"]]
    thresholds = np.linspace(0, 1, 97)
    at = [curve.at(thresholds) for curve in curves]
    mean, bands = mean_curve(curves), run_bands(curves, thresholds)
    assert bands.n_runs == 3
    for key in ("correct", "info_recall"):
        values = np.array([one[key] for one in at])
        np.testing.assert_allclose(mean.at(thresholds)[key], values.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(bands.curve[key].upper, values.mean(axis=0) + values.std(axis=0, ddof=1), atol=1e-12)
        np.testing.assert_allclose(bands.curve[key].lower, values.mean(axis=0) - values.std(axis=0, ddof=1), atol=1e-12)
    # Of more breakpoints than asked for the ends stay.
    thinned = mean_curve(curves, most=5)
    assert (thinned.threshold[0], thinned.threshold[-1]) == (mean.threshold[0], mean.threshold[-1])
    assert len(thinned.threshold) == 5


@pytest.mark.long
def test_forty_files_are_eight_methods(tmp_path):
    paths = [scores_file(tmp_path, f"m{k // 5}_seed{k % 5}.csv", spread(N, seed=k)) for k in range(40)]
    assert methods_of(paths) == [f"m{k // 5}" for k in range(40)]
    data = shelve(predictions=tuple(paths), names=tuple(methods_of(paths)), **common(tmp_path))
    assert len(data.models) == 40
    assert list(map(len, data.methods.values())) == [5] * 8
    # Resampling forty files takes a minute; columns of one number suffice here.
    visit = Visit("compare", data=data.key, models=",".join(list(data.methods)[:2]))
    assert visit.at.dataframe[0].value["Model"].tolist()[:2] == ["m0 (5 runs)", "m1 (5 runs)"]
    visit = Visit("curves", data=data.key, models=",".join(data.methods))
    assert len(visit.control("Models").value) == 8


def test_names_of_single_models_and_of_runs():
    assert methods_of(["a/x.csv", "b/x.csv", "r_run1.npz", "r_run2.npz", "resnet18.npz", "resnet50.npz"]) == [
        "x",
        "x (2)",
        "r",
        "r",
        "resnet18",
        "resnet50",
    ]


def test_each_file_has_its_own_reading(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    logits, p = rng.normal(size=(N, 6)), spread(N)
    np.save(tmp_path / "turned.npy", p[:, ::-1])
    order = write(tmp_path / "order.txt", [[one] for one in LEAVES])
    turned = write(tmp_path / "turned.txt", [[one] for one in LEAVES[::-1]])
    np.save(tmp_path / "logits.npy", logits)
    files = common(tmp_path, [LEAVES[i % 6] for i in range(N)])
    truth = write(tmp_path / "rows.csv", [("truth",), *([LEAVES[i % 6]] for i in range(N))])
    paths = (str(tmp_path / "turned.npy"), str(tmp_path / "logits.npy"))
    own = {
        "names": ("p", "z"),
        "parametrisations": (None, "flat_softmax"),
        "classes_of": (turned, order),
        "thresholds": (0.25, None),
    }
    data = shelve(predictions=paths, **files | {"truth": truth}, **own)
    found = {model.predictions.name: model for model in data.models.values()}
    taxonomy = data.taxonomy
    for name, path, key, classes in (("p", paths[0], None, turned), ("z", paths[1], "flat_softmax", order)):
        alone = hv.evaluate(hv.load_predictions(path, taxonomy, truth, key, classes))["models"][0]
        assert hv.evaluate(found[name].predictions)["models"][0]["curve"] == alone["curve"]
    assert data.thresholds == {"p": 0.25}
    # Files of class names count for what is open already.
    again = dataset.Files(predictions=paths, **files | {"truth": truth}, **own | {"classes_of": (order, order)})
    assert opened.datasets.digest(again) != data.digest
    # The same by flags.
    flags = ["--taxonomy", files["taxonomy"], "--truth", truth, "--classes", order, "--classes", f"p={turned}"]
    flags += ["--predictions", f"p={paths[0]}", "--predictions", f"z={paths[1]}", "--parametrisation", "z=flat_softmax"]
    given = tuple(cli_app._named(cli.parser().parse_args(["app", *flags])))
    assert f"--classes=p={turned}" in given
    monkeypatch.setattr(sys, "argv", ["app", *given])
    of_flags = opened.startup_files()
    assert (of_flags.parametrisation, of_flags.parametrisations) == (None, (None, "flat_softmax"))
    assert (of_flags.classes, of_flags.classes_of) == (order, (turned, None))
    with pytest.raises(hv.FileError, match=r"--parametrisation: expected a value, or NAME=value with one of 'p', 'z'"):
        shared_and_own("--parametrisation", ["y=flat_softmax"], ["p", "z"])


def open_by_path(files, path):
    """The form with a path in each field."""
    visit = Visit("open")
    visit.control("Location").set_value("Path on this machine")
    visit.run()
    visit.control("Taxonomy").set_value(files["taxonomy"])
    visit.control("Predictions, one file per model or run").set_value(path)
    next(one for one in visit.at.text_input if one.label.startswith("Truth")).set_value(files["truth"])
    return visit.run()


def opened_by(visit):
    """The Evaluation that Open gives."""
    visit.press("Open")
    assert not visit.at.error, visit.at.error[0].value
    (model,) = opened.server().get(visit.query["data"]).models.values()
    return model


def test_the_form_cuts_and_projects_and_says_how_many(tmp_path):
    files = common(tmp_path, ["cello"] * 4 + [LEAVES[i % 6] for i in range(N - 4)])
    known = [one for one in LEAVES if one != "cello"]
    path = scores_file(tmp_path, "part.csv", spread(N, 5), known)
    visit = open_by_path(files, path)
    visit.control("Classes that count").set_value(True)
    visit.run()
    visit.control("Truths outside the known classes").set_value("project")
    model = opened_by(visit)
    assert "cello" not in model.taxonomy.index
    whole = hv.load_predictions(path, hv.load_taxonomy(files["taxonomy"]), files["truth"], partial=True)
    expected = hv.projection.only_known([whole], "project")[0]
    assert hv.evaluate(model.predictions)["models"][0]["curve"] == hv.evaluate(expected)["models"][0]["curve"]
    assert expected.notes[-1] in visit.text


def test_the_form_cuts_at_a_depth(tmp_path):
    files, path = common(tmp_path), scores_file(tmp_path, "all.csv", spread(N))
    visit = open_by_path(files, path)
    visit.control("Judged on").set_value("max_depth")
    model = opened_by(visit.run())
    expected = hv.projection.cut(
        hv.load_predictions(path, hv.load_taxonomy(files["taxonomy"]), files["truth"]), max_depth=2
    )
    assert model.taxonomy.max_depth == 2
    assert hv.evaluate(model.predictions)["models"][0]["curve"] == hv.evaluate(expected)["models"][0]["curve"]
    assert expected.notes[-1] in visit.text


def test_second_opinion(runs):
    visit = Visit("compare", data=runs.key, comparison="second")
    assert "This takes seconds to minutes" in visit.text
    visit.press("Second opinion")
    visit.run()
    model = runs.methods["flat-m-seed-0"][0]
    found = hv.verify(model, "threshold", 0.5)
    assert found.sentence in visit.text
    assert not found.of_verdict("different")
    n = {verdict: len(found.of_verdict(verdict)) for verdict in ("equal", "different by definition")}
    labels = [one.label for one in visit.at.expander]
    assert f"Equal ({n['equal']})" in labels
    if n["different by definition"]:
        table = table_with(visit, "why")
        assert table["why"].str.len().min() > 0
