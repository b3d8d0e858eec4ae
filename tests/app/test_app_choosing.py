"""The panels below the operating curves: every number is that of the core, on the demo and on the smallest worlds."""

import re
from dataclasses import replace

import numpy as np
import pytest
from small_worlds import EDGES, LEAVES, one_hot, spread, world, write
from visit import Visit, shelve

import hierviz as hv
from hierviz import charts
from hierviz.app import state
from hierviz.app.curve_panels import curve_chart
from hierviz.evaluation._conformal import conformal_of_model, conformal_of_sample
from hierviz.metrics.registry import METRICS
from hierviz.thresholds.groups import group_thresholds, groups_by_subtree
from hierviz.thresholds.risk_control import guaranteed_threshold
from hierviz.thresholds.selection import choose, with_costs, with_shallow_answers

PANELS = ("target", "guarantee", "conformal", "uncertainty", "models", "rules", "export")
SHOWN = {
    "Correct": "correct",
    "Exact": "exact",
    "Precision": "info_precision",
    "Recall": "info_recall",
    "F1": "info_f1",
}
MODEL = "flat-softmax"


@pytest.fixture
def no_chart(monkeypatch):
    """The page leaves out its main chart, which other tests draw: several times as fast."""

    def stand_in(choice):
        return replace(state.view(), model=state.shown_model_of(choice.keys))

    monkeypatch.setattr(curve_chart, "curve_chart", stand_in)


def keep(visit, **choices):
    """Choose in the panels as their widgets do."""
    visit.memory("choosing").clear()
    visit.memory("choosing").update(choices)
    return visit.run()


def table_with(visit, column):
    return next(one.value for one in visit.at.dataframe if column in one.value.columns)


def parts(evaluation):
    return evaluation.curve, evaluation.table.take(evaluation.rows), evaluation.truth


def pressed(visit, threshold):
    """The page after the button with this threshold is pressed: handle, URL and button are there."""
    visit.press(f"Use τ = {threshold}")
    assert visit.threshold == float(threshold)
    assert visit.query["threshold"] == threshold
    button = next(one for one in visit.at.button if "Current" in one.label)
    assert button.disabled
    return visit


def check_row(row, values):
    for label, key in SHOWN.items():
        assert row[label] == f"{values[key]:.3f}", label


@pytest.mark.long
def test_target_accuracy(demo, monkeypatch):
    drawn, build = [], charts.operating_curves
    monkeypatch.setattr(
        charts,
        "operating_curves",
        # A picture that is shown meanwhile has no layers.
        lambda *a, **b: drawn.extend([b["layers"].points] if "layers" in b else []) or build(*a, **b),
    )
    curve = demo.models[MODEL].curve
    visit = Visit("curves", models=MODEL)
    found = hv.thresholds.choose(curve, subject_to={"correct": 0.95})
    table = table_with(visit, "operating point").set_index("operating point")
    check_row(table.loc["95 % correct"], found.values)
    check_row(table.loc["current"], curve.at(0.5))
    assert float(table.loc["95 % correct", "τ"]) == found.threshold
    visit.control("Correct answers, at least (%)").set_value(80.0)
    visit.run()
    found = hv.thresholds.choose(curve, subject_to={"correct": 0.8})
    check_row(table_with(visit, "operating point").set_index("operating point").loc["80 % correct"], found.values)
    # The chart was told to ring it, and to draw the target as a line.
    ring = {"model": "Flat softmax", "label": "80 % correct", "threshold": found.threshold}
    assert drawn[-1] == [ring | {"metric": "correct", "level": 0.8}]
    pressed(visit, table_with(visit, "operating point")["τ"][0])


@pytest.mark.long
def test_cost_and_depth(demo, no_chart):
    model = demo.models[MODEL]
    curve, table, truth = parts(model)
    visit = keep(Visit("curves", models=MODEL), target="cost", wrong=2.0, vague=0.5, most=0.4)
    priced = with_costs(curve, demo.taxonomy, truth, table, wrong=2.0, vague=0.5)
    rows = [one.value for one in visit.at.dataframe if "operating point" in one.value.columns]
    assert [one["operating point"][0] for one in rows] == ["lowest cost", "cost ≤ 0.4"]
    for row, found in zip(rows, (choose(priced, "cost"), choose(priced, subject_to={"cost": 0.4})), strict=True):
        check_row(row.iloc[0], found.values)
        assert f"mean cost {found.values['cost']:.3f} per sample" in visit.text
    assert "A wrong answer has its full cost" in visit.text
    keep(visit, target="cost", most=0.0, vague=0.3, wrong=1.0)
    assert "At no threshold is the mean cost 0 or less" in visit.at.info[0].value.replace("\\", "")

    keep(visit, target="depth", deep=3, share=40.0)
    found = choose(with_shallow_answers(curve, demo.taxonomy, table, 3), "correct", {"above_depth": 0.4})
    check_row(table_with(visit, "operating point").iloc[0], found.values)
    assert f"{100 * found.values['above_depth']:.1f} % above that depth" in visit.text
    keep(visit, target="depth", deep=5, share=0.0)
    assert "At no threshold" in visit.at.info[0].value


def test_a_threshold_for_each_group(demo, no_chart):
    _, table, truth = parts(demo.models[MODEL])
    visit = keep(Visit("curves", models=MODEL), target="groups", groups_on="same")
    labels = groups_by_subtree(demo.taxonomy, table)
    expected = group_thresholds(
        demo.taxonomy, truth, table, labels, lambda curve: hv.thresholds.choose(curve, subject_to={"correct": 0.95})
    )
    shown = table_with(visit, "common τ").set_index("group")
    assert shown.loc["All samples", "Recall, own τ"] == f"{expected.values['info_recall']:.3f}"
    assert shown.loc["All samples", "Recall, common τ"] == f"{expected.global_values['info_recall']:.3f}"
    for place, node in enumerate(expected.groups):
        row = shown.loc[demo.taxonomy.title(node)]
        assert float(row["own τ"].split()[0]) == pytest.approx(expected.threshold[place], abs=1e-12)
        assert row["Correct, own τ"] == f"{expected.group_values['correct'][place]:.3f}"
    assert "on new samples the results are" in visit.text
    keep(visit, target="groups", groups_on="other")
    assert "Thresholds were chosen on 300 samples and measured on 300 others." in visit.text


def test_guarantee(demo, no_chart):
    _, table, truth = parts(demo.models[MODEL])
    visit = Visit("curves", models=MODEL, panel="guarantee")
    found = guaranteed_threshold(demo.taxonomy, truth, table, 0.1, 0.1)
    assert found.sentence in visit.text
    assert found.assumption in visit.text
    metrics = {one.label: one.value for one in visit.at.metric}
    wrong = f"{100 * found.risk_check:.1f} %"
    assert metrics[f"Wrong answers, {found.n_check} held-out samples"] == wrong
    assert metrics["Upper bound for new samples"] == f"{100 * found.bound:.1f} %"
    pressed(visit, f"{found.threshold:.3f}")

    keep(visit, alpha=0.5)
    assert "no guarantee possible" in visit.text
    assert "are too few" in visit.text
    keep(visit, alpha=60.0, split_group="drawn_as", loss="info_recall", fraction=60.0, split_seed=3)
    groups = demo.models[MODEL].predictions.attributes["drawn_as"]
    found = guaranteed_threshold(
        demo.taxonomy, truth, table, 0.6, 0.1, key="info_recall", fraction=0.6, seed=3, groups=groups
    )
    assert found.sentence in visit.text
    assert "each group counting once" in visit.text


def test_conformal_node(demo, no_chart):
    names = (MODEL, "soft-max-margin")
    visit = Visit("curves", models=",".join(names), panel="conformal")
    found = {name: conformal_of_model(demo.models[name], 0.1) for name in names}
    first = found[MODEL]
    assert first.sentence in visit.text
    assert first.assumption in visit.text
    metrics = {one.label: one.value for one in visit.at.metric}
    assert metrics[f"True class held, {first.n_check} held-out samples"] == f"{100 * first.held:.1f} %"
    assert (first.held < 0.9) == bool(first.shortfall)
    assert (first.shortfall or first.assumption) in visit.text
    assert metrics["Answers that are the root (say nothing)"] == f"{100 * first.root_share:.1f} %"
    shown = table_with(visit, "Held").set_index("Model")
    for name, nodes in found.items():
        row = shown.loc[demo.models[name].predictions.name]
        assert row["Held"] == f"{100 * nodes.held:.1f} %"
        assert row["Root"] == f"{100 * nodes.root_share:.1f} %"
        assert row["q"] == f"{nodes.q[0]:.3f}"

    keep(visit, conformal_probability=99.9, conformal_fraction=20.0)
    assert "All answers are the root: 99.9 % needs at least 999 calibration samples, and there are 120." in visit.text
    keep(visit, conformal_probability=80.0, conformal_by="top classes", conformal_seed=2)
    found = conformal_of_model(demo.models[MODEL], 0.2, by="class", seed=2)
    assert found.sentence in visit.text
    assert len(table_with(visit, "q").index) == 2
    classes = table_with(visit, "Calibration samples")
    assert classes["Calibration samples"].tolist() == found.n_calibration.tolist()
    keep(visit, conformal_probability=70.0, conformal_by="drawn_as")
    found = conformal_of_model(demo.models[MODEL], 0.3, by="drawn_as")
    assert "a new sample of a new group" in found.sentence
    assert found.sentence in visit.text


def test_the_line_of_examples_is_calibrated_on_all_other_samples(demo):
    visit = Visit("example", model=MODEL, sample="v0428", tree="icicle")
    assert "With 90 %" not in visit.text  # nobody asked for it
    visit.go("curves", model=MODEL, panel="conformal")
    next(one for one in visit.at.toggle if one.label == "Show on Examples").set_value(True)
    visit.run()
    of_link = visit.query["choices"]
    visit.go("example", model=MODEL, sample="v0428", tree="icicle", choices=of_link)
    row = demo.models[MODEL].predictions.row("v0428")
    found = conformal_of_sample(demo.models[MODEL], row, 0.1)
    name = demo.taxonomy.title(int(found.nodes[0]))
    assert found.n_calibration.tolist() == [599]
    assert found.held == 0
    said = "conformal node, calibrated on the 599 other samples; marginal"
    line = f"With 90 %: somewhere in {name} ({said}); it does not hold the truth."
    assert line in visit.text
    assert visit.text.index("Answer:") < visit.text.index(line) < visit.text.index("Probability tree")
    keep(visit, conformal_probability=99.9)
    assert "With 99.9 %: no class below the root (" in visit.text
    assert "999 calibration samples are needed" in visit.text


def test_the_ladder_says_the_conformal_node_of_each_model(demo):
    visit = Visit("example", model=MODEL, sample="v0428")
    assert not any("held" in model for model in visit.ladder["models"])
    visit = Visit("example", model=MODEL, sample="v0428", choices="choosing.conformal_examples=true")
    assert len(visit.ladders) > 1
    for record in visit.ladders:
        for model in record["models"]:
            of_model = demo.models[model["key"]]
            found = conformal_of_sample(of_model, of_model.predictions.row(record["id"]), 0.1)
            name = demo.taxonomy.title(int(found.nodes[0]))
            said = f"{name} (" if demo.taxonomy.is_leaf[found.nodes[0]] else f"somewhere in {name} ("
            assert model["held"].startswith(f"With 90 %: {said if found.nodes[0] else 'no class below the root ('}")
    visit = Visit("example", model=MODEL, sample="v0428", ask="yes", choices="choosing.conformal_examples=true")
    assert not any("held" in model for model in visit.ladder["models"])


def test_uncertainty_puts_intervals_everywhere(demo):
    names = ("flat-softmax", "soft-max-margin")
    visit = keep(Visit("curves", models=",".join(names), panel="uncertainty"), n_resamples=40, seed=7)
    assert len(visit.charts()) == 1
    assert "Without intervals this does not show which model is better." in visit.text
    next(one for one in visit.at.toggle if one.label == "Show bands and intervals").set_value(True)
    visit.run()
    assert visit.query["drawn"] == "bands"
    assert len(visit.charts()) == 2
    assert "The pale band around a curve" in visit.text
    # Compared over whole curves and at equal correctness, in sentence and chart.
    assert "AC, over all thresholds: Flat softmax 0.836, " in visit.text
    assert "in brackets 95 % intervals of the paired differences" in visit.text
    assert "Information recall where the same share of answers is correct: " in visit.text
    assert not re.search("best balance|most often|better than", visit.text)
    resamples = hv.uncertainty.Resamples.draw(600, 40, 7)
    _, table, truth = parts(demo.models[MODEL])
    bands = hv.uncertainty.bootstrap_curve(demo.taxonomy, truth, table, resamples, thresholds=[0.5])
    told = table_with(visit, "correct_low").iloc[0]
    assert told["correct_low"] == pytest.approx(float(bands.curve["correct"].lower[0]), abs=1e-12)
    assert told["info_f1_high"] == pytest.approx(float(bands.curve["info_f1"].upper[0]), abs=1e-12)

    visit.go(panel="export", drawn="bands", models=",".join(names))
    row, one = table_with(visit, "τ").iloc[0], bands.curve["exact"]
    assert row["Exact"] == f"{one.estimate[0]:.3f}  [{one.lower[0]:.3f}, {one.upper[0]:.3f}]"

    visit.go(panel="models", drawn="bands", models=",".join(names))
    element = next(one for one in visit.at.dataframe if METRICS["ap"].label in one.value.columns)
    shown = element.proto.arrow_data.styler.display_values
    ap = bands.summary["ap"]
    assert f"[{float(ap.lower):.3f}, {float(ap.upper):.3f}]".encode() in shown
    assert "In brackets: 95 % intervals" in visit.text

    keep(visit, n_resamples=40, group="drawn_as")
    visit.go(panel="uncertainty", drawn="bands", models=",".join(names))
    assert not visit.at.error


@pytest.mark.long
def test_models_by_facet(demo, no_chart):
    visit = keep(Visit("curves", models=MODEL, panel="models"), facet="unusual_setting", columns=["ac", "softmax_win"])
    table = table_with(visit, "unusual_setting").set_index("unusual_setting")
    model = demo.models[MODEL]
    setting = np.asarray(model.predictions.attributes["unusual_setting"])
    assert table["n"].to_dict() == {value: int((setting == value).sum()) for value in ("no", "yes")}
    for value in ("no", "yes"):
        rows = np.flatnonzero(setting == value)
        curve = hv.operating_curve(demo.taxonomy, model.truth[rows], model.table.take(rows))
        assert table[METRICS["ac"].label][value] == pytest.approx(curve.summary()["ac"])
        assert table[METRICS["softmax_win"].label][value] == pytest.approx(model.win[rows].mean())
    assert METRICS["ap"].label not in table.columns
    keep(visit, columns=[])
    assert "Choose at least one column" in visit.at.info[0].value
    # Of two models: below 200 samples R@95C has neither a mark nor an interval, and the page says so.
    few = int((setting == "yes").sum())
    assert few < 200 <= (setting == "no").sum()
    visit = Visit("curves", models=f"{MODEL},soft-max-margin", panel="models", drawn="bands")
    keep(visit, facet="unusual_setting", columns=["recall_at_95_correct"], n_resamples=40)
    element = next(one for one in visit.at.dataframe if "unusual_setting" in one.value.columns)
    values = element.value.set_index(["model", "unusual_setting"])["R@95C"]
    shown = element.proto.arrow_data.styler.display_values
    for (_name, kind), value in values.items():
        if kind == "no":
            assert f"{value:.3f}".encode() in shown
    assert shown.count(b"  [") == 2
    assert "R@95C needs at least 200 samples; with fewer, neither marks nor intervals are shown" in visit.text


def several_models(folder, **kinds):
    """A world with one file of predictions a model."""
    ids = [f"s{i}" for i in range(12)]
    files = [
        write(folder / f"{name}.csv", [("sample_id", *LEAVES), *([i, *row] for i, row in zip(ids, scores.tolist()))])
        for name, scores in kinds.items()
    ]
    truth = [("sample_id", "truth"), *((one, LEAVES[i % 6]) for i, one in enumerate(ids))]
    nodes = [("node", "train_count"), *((leaf, 3 * (i % 2)) for i, leaf in enumerate(LEAVES))]
    return shelve(
        taxonomy=write(folder / "taxonomy.csv", [("parent", "child"), *EDGES]),
        predictions=tuple(files),
        truth=write(folder / "truth.csv", truth),
        nodes=write(folder / "nodes.csv", nodes),
    )


def test_runs_and_seen_classes(tmp_path, no_chart):
    scores = {f"hxe_seed_{seed}": spread(12, seed=seed) for seed in (1, 2, 3)}
    data = several_models(tmp_path, **scores)
    visit = keep(Visit("curves", data=data.key, panel="models"), facet="class seen in training")
    table = table_with(visit, "runs")
    values = [one.curve.summary()["ac"] for one in data.models.values()]
    half = np.std(values, ddof=1)
    assert table["model"].tolist() == ["hxe"]
    assert table["runs"].tolist() == [3]
    assert table[METRICS["ac"].label].tolist() == [f"{np.mean(values):.3f} ± {half:.3f}"]
    seen = table_with(visit, "class seen in training")
    assert sorted(set(seen["class seen in training"])) == ["seen", "unseen"]
    assert seen["n"].tolist() == [6] * 6


def small_worlds(folder):
    """Worlds at the edge, by name."""
    worlds = {
        "one sample": {"scores": [[0.25, 0.25, 0.5, 0, 0, 0]], "truth": ["violin"]},
        "all correct": {"scores": one_hot(0, 1, 2, 3, 4, 5), "truth": LEAVES},
        "all wrong": {"scores": one_hot(5, 5, 5, 5), "truth": ["violin", "flute", "oboe", "cello"]},
        "constant": {"scores": np.full((8, 6), 1 / 6), "truth": [LEAVES[i % 6] for i in range(8)]},
        "known to the root": {"scores": spread(4), "truth": ["instrument"] * 4},
        "few known": {"scores": spread(5), "truth": ["violin", "", "flute", "", ""]},
    }
    for name, given in worlds.items():
        place = folder / name.replace(" ", "-")
        place.mkdir()
        yield name, world(place, **given)


@pytest.mark.long
def test_every_panel_on_the_smallest_worlds(tmp_path, no_chart):
    for name, data in small_worlds(tmp_path):
        visit = None
        for panel, target in (
            *(("target", target) for target in ("correct", "cost", "depth", "groups")),
            *zip(PANELS[1:], "----"),
        ):
            query = {"data": data.key, "panel": panel, "drawn": "bands"}
            visit = visit.go(**query) if visit else Visit("curves", **query)
            keep(visit, target=target, n_resamples=40)
            where = (name, panel, target)
            assert not visit.at.error, (where, [one.value for one in visit.at.error])
            texts = " ".join(
                str(one.value.to_dict()) for one in visit.at.dataframe if "operating point" in one.value.columns
            )
            assert "nan" not in texts, where
            if panel == "guarantee":
                assert re.search(r"no guarantee possible|expected at least two samples", visit.text), where
            if panel == "rules":
                assert "points are beaten by no other" in visit.text, where
                keep(visit, rules_shown="Risk and coverage")
                visit.run()
                assert re.search(r"Smallest share of wrong|below the root", visit.text), where
                keep(visit, rules_shown="Curves of the rules")
            if panel == "uncertainty":
                assert ("too few: an interval needs at least 10" in visit.text) == (data.first.n_judged < 10)


@pytest.mark.long
def test_bands_on_the_smallest_worlds(tmp_path):
    for name, data in small_worlds(tmp_path):
        if name in ("one sample", "all wrong", "constant"):
            visit = Visit("curves", data=data.key, panel="none", drawn="bands")
            assert len(visit.charts()) == 1, name
            # Below ten samples there is no band.
            assert ("The pale band around a curve" in visit.text) == (data.first.n_judged >= 10), name


def test_panel_of_the_url(demo, no_chart):
    assert Visit("curves", models=MODEL, panel="bonsai").query == {"models": MODEL}
    visit = Visit("curves", models=MODEL, panel="none")
    assert not [one for one in visit.at.button if "Use τ" in one.label]
    assert not [one for one in visit.at.dataframe if "operating point" in one.value.columns]
