"""Charts of rules, rejection, parts, ranks, methods and levels: what is drawn, tables, sentences, widths."""

import numpy as np
import pytest
from chart_cases import size, views

import hierviz as hv
from hierviz import charts
from hierviz.charts._plane import DASHES
from hierviz.curves._rejection_curve import RejectionCurve


@pytest.fixture(scope="module")
def models():
    """Two models with two runs each, one with an awkward name, on 60 samples of a small tree."""
    rng = np.random.default_rng(3)
    taxonomy = hv.Taxonomy.from_edges([("all", "a"), ("all", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")])
    truth = taxonomy.leaves[rng.integers(0, 4, 60)]
    light = np.array([*["day"] * 20, *["night"] * 15, *["fog"] * 10, *["rain"] * 9, *["snow"] * 6])
    made = []
    for name, skill in (("good", 1.8), ("poor <b>", 0.4)):
        for run in ("0", "1"):
            z = rng.normal(size=(60, 4)) + skill * (taxonomy.leaves == truth[:, None])
            made.append(
                hv.Predictions.from_scores(
                    taxonomy, z, "flat_softmax", truth=truth, name=name, run=run, attributes={"light": light}
                )
            )
    return made


@pytest.fixture(scope="module")
def table(models):
    return hv.compare(models, metrics="curve.ac,curve.ap,top_down.error_lca_height,curve.n_points", resamples=100)


@pytest.fixture(scope="module")
def frontiers(models):
    return hv.thresholds.rule_frontiers(models[0])


@pytest.fixture(scope="module")
def rejection(models):
    first = {model.name: model for model in models[::2]}
    return {name: hv.curves.rejection_curve(model.taxonomy, model.truth, model) for name, model in first.items()}


@pytest.fixture(scope="module")
def climbing(models):
    first = {model.name: model for model in models[::2]}
    return {name: hv.curves.selective_curve(model.taxonomy, model.truth, model) for name, model in first.items()}


@pytest.fixture(scope="module")
def parts(models):
    return hv.evaluation.curves_by(models[::2], "light")


@pytest.fixture(scope="module")
def levels(models):
    """The second model knows a, b only."""
    whole, coarse = models[0], models[2]
    taxonomy = whole.taxonomy
    return hv.diagnosis.level_matrix([whole, coarse.replace(known=np.array([0, *taxonomy.nodes("a", "b")]))])


DRAW = {
    "rules": lambda request, **look: charts.rule_frontiers(request("frontiers"), published=True, **look),
    "fronts": lambda request, **look: charts.rule_frontiers(request("frontiers"), front=True, **look),
    "rejection": lambda request, **look: charts.rejection_curves(request("rejection"), **look),
    "selective": lambda request, **look: charts.selective_curves(request("climbing"), **look),
    "facets": lambda request, **look: charts.facet_curves(request("parts"), "light", **look),
    "ranks": lambda request, **look: charts.rank_matrix(request("table"), **look),
    "methods": lambda request, **look: charts.method_intervals(request("table"), **look),
    "levels": lambda request, **look: charts.level_matrix(request("levels"), **look),
}


@pytest.mark.parametrize("kind", DRAW)
@pytest.mark.parametrize(("dark", "width"), [(False, 900), (True, 330)])
def test_it_fits(request, kind, dark, width):
    svg = charts.to_svg(DRAW[kind](request.getfixturevalue, dark=dark, width=width), dark)
    assert size(svg)[0] <= width + 8


def rows_of(chart):
    return [row for view in views(charts.to_vega_lite(chart)) for row in view["rows"]]


def test_rules(frontiers):
    chart = charts.rule_frontiers(frontiers, published=True)
    marks = [row for row in rows_of(chart) if "shape" in row and "key" in row]
    assert {row["key"] for row in marks} == {*frontiers, "published"}
    at_08 = next(row for row in marks if row["text"] == "RDP")
    assert (at_08["x"], at_08["y"]) == tuple(
        float(frontiers["threshold"].curve.at(0.8)[key]) for key in ("info_recall", "correct")
    )
    written = charts.to_svg(chart)
    for words in ("λ", "τ 0.5", "QIIME 2 (Bokulich et al. 2018): τ = 0.7", "Wang et al. 2007"):
        assert words in written
    found = charts.rule_frontiers(frontiers).table
    assert len(found) == sum(one.n_points for one in frontiers.values())
    assert found[found["rule"] == "depth_thresholds"]["thresholds_by_depth"].notna().all()
    said = charts.rule_frontiers(frontiers).sentence
    assert f"{int(found['on_front'].sum())} points are beaten by no other" in said
    assert "Least expected distance: correct" in said


def test_rejection(rejection):
    found = charts.rejection_curves(rejection).table
    for name, curve in rejection.items():
        rows = found[found["model"] == name]
        inside = ~np.isnan(curve.risk)
        assert rows["risk"].tolist() == curve.risk[inside].tolist()
    said = charts.rejection_curves(rejection).sentence
    reached = rejection["good"].coverage >= 0.8
    assert f"80 % covered: good {rejection['good'].risk[reached].min():.3f}" in said
    assert np.isnan(RejectionCurve(np.array([]), np.array([0.5]), np.array([0.1])).risk_at(0.6))
    nothing = RejectionCurve(np.array([]), np.array([0.0]), np.array([np.nan]))
    with pytest.raises(hv.PredictionsError, match="expected answers below the root, got none for 'none'"):
        charts.rejection_curves({"none": nothing})
    with pytest.raises(hv.PredictionsError, match="expected at least one curve"):
        charts.rejection_curves({})


def test_selective(climbing):
    figure = charts.selective_curves(climbing)
    for name, curve in climbing.items():
        rows = figure.table[figure.table["model"] == name]
        assert rows["risk"].tolist() == curve.risk.tolist()
        assert rows["coverage"].tolist() == curve.coverage.tolist()
        # Above all probabilities, where every answer is the root, a table has no number.
        assert np.isnan(rows["theta"].iloc[0])
        assert rows["theta"].tolist()[1:] == curve.threshold.tolist()
        assert f"{name} {curve.area:.3f}" in figure.sentence.partition("lower is better:")[2]
    with pytest.raises(hv.PredictionsError, match="selective_curves: expected at least one curve"):
        charts.selective_curves({})


def test_parts(models, parts):
    """Five parts: four kinds of line, the smallest part in the table only; each curve is that of its samples alone."""
    drawn = [
        view
        for view in views(charts.to_vega_lite(charts.facet_curves(parts, "light")))
        if view["mark"]["type"] == "line"
    ]
    assert [view["encoding"]["strokeDash"]["scale"]["range"] for view in drawn] == [[*DASHES]]
    assert len({row["of_part"] for view in drawn for row in view["rows"]}) == 4
    assert list(parts["good"]) == ["day", "fog", "night", "rain", "snow"]
    night = np.asarray(models[0].attributes["light"]) == "night"
    alone = hv.operating_curve(models[0].taxonomy, models[0].truth[night], models[0].node_probabilities()[night])
    assert parts["good"]["night"].summary() == alone.summary()
    table = charts.facet_curves(parts).table
    assert len(table) == 10
    assert "lowest for light" in charts.facet_curves(parts, "light").sentence
    with pytest.raises(hv.PredictionsError, match=r"facet: expected one of .light., got 'dark'"):
        hv.evaluation.curves_by(models[:1], "dark")
    with pytest.raises(
        hv.PredictionsError, match=r"by: expected something to divide the samples by \(.light.\), got none"
    ):
        hv.evaluation.curves_by(models[:1])
    with pytest.raises(hv.PredictionsError, match="facet_curves: expected models with curves of the same parts"):
        charts.facet_curves({"a": parts["good"], "b": {"day": parts["good"]["day"]}})


def test_parts_of_several_runs(models):
    """Models of one name are runs: the mean at each threshold, a pale band, no run lost."""
    one, other = models[0], models[2].replace(name=models[0].name)
    alone, both = (
        [hv.evaluation.curves_by(run, "light")["good"] for run in (one, other)],
        hv.evaluation.curves_by([one, other], "light"),
    )
    assert list(both) == ["good"]
    night = both["good"]["night"]
    tau = np.linspace(0, 1, 51)
    at = np.array([parts["night"].at(tau)["correct"] for parts in alone])
    np.testing.assert_allclose(night.at(tau)["correct"], at.mean(axis=0), atol=1e-12)
    areas = np.array([parts["night"].summary()["ac"] for parts in alone])
    assert night.summary()["ac"] == pytest.approx(areas.mean())
    assert night.spread()["ac"] == pytest.approx(np.std(areas, ddof=1))
    table = charts.facet_curves(both).table.set_index("part")
    assert table.loc["night", "ac_sd"] == pytest.approx(np.std(areas, ddof=1))
    assert table["runs"].tolist() == [2] * 5
    drawn = list(views(charts.to_vega_lite(charts.facet_curves(both, "light"))))
    assert any(isinstance(view["mark"], dict) and view["mark"].get("filled") for view in drawn)
    said = charts.facet_curves(both, "light").sentence
    assert said.startswith("good (2 runs): AC day")
    assert "± one standard deviation between the 2 runs" in said


def test_seen_and_unseen_are_the_default():
    taxonomy = hv.Taxonomy.from_edges([("all", "a"), ("all", "b")], attributes={"train_count": {"a": 5, "b": 0}})
    p = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    model = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=taxonomy.nodes("a", "b", "b"))
    (found,) = hv.evaluation.curves_by(model).values()
    assert {part: curve.n_samples for part, curve in found.items()} == {"seen": 1, "unseen": 2}


def test_ranks(table):
    found = charts.rank_matrix(table).table
    # Of the number of points neither more nor less is better.
    assert set(found["metric"]) == {"curve.ac", "curve.ap", "top_down.error_lca_height"}
    ac = found[found["metric"] == "curve.ac"].set_index("method")
    assert ac["rank"].to_dict() == {"good": 1, "poor <b>": 2}
    texts = {(row["row"], row["column"]): row["text"] for row in rows_of(charts.rank_matrix(table))}
    assert sum(text.rstrip(" ≈").isdigit() for text in texts.values()) == 6
    assert charts.rank_matrix(table).sentence.startswith("Of 3 metrics. good: first by")
    with pytest.raises(hv.PredictionsError, match="expected a table of at least two methods"):
        charts.rank_matrix(hv.compare(table.models[:1], metrics="curve.ac", resamples=0))


def test_methods_with_runs(table):
    found = charts.method_intervals(table, "curve.ac").table.set_index("model")
    runs = [file.values["curve.ac"] for file in table.files if file.name == "good"]
    assert found.loc["good", "spread"] == np.std(runs, ddof=1)
    assert found.loc["good", "value"] == np.mean(runs)
    dots = [row for row in rows_of(charts.method_intervals(table, "curve.ac")) if "run" in row]
    assert sorted(row["value"] for row in dots if row["item"] == "good") == sorted(runs)
    assert charts.method_intervals(table, "curve.ac").sentence.startswith("AC: good is best with")
    with pytest.raises(hv.PredictionsError, match=r"key: expected one of curve\.ac"):
        charts.method_intervals(table, "curve.acc")


def test_levels(models, levels):
    """Level 1: the share of answers whose parent is right, by hand; the coarse model has no number at level 2."""
    whole = models[0]
    taxonomy = whole.taxonomy
    p = whole.node_probabilities()
    top = taxonomy.nodes("a", "b")
    right = top[p[:, top].argmax(axis=1)] == taxonomy.parent[whole.truth]
    leaf = taxonomy.leaves[p[:, taxonomy.leaves].argmax(axis=1)] == whole.truth
    assert levels.value[0].tolist() == pytest.approx([right.mean(), leaf.mean()])
    assert levels.finest == [2, 1]
    assert np.isnan(levels.value[1]).tolist() == [False, True]
    table = charts.level_matrix(levels).table
    assert table["value"].isna().tolist() == [False, False, False, True]
    assert "best at level 1" in charts.level_matrix(levels).sentence
    assert levels.to_frame().shape == (2, 5)
    labels = hv.Predictions.from_labels(taxonomy, whole.truth, truth=whole.truth)
    assert hv.diagnosis.level_matrix(labels).value.tolist() == [[1, 1]]
    # Runs of one method are one row.
    runs, done = [whole.replace(run="1"), labels.replace(name=whole.name, run="2")], []
    of_runs = hv.diagnosis.level_matrix(runs, progress=lambda *told: done.append(told))
    assert of_runs.value[0].tolist() == pytest.approx([(right.mean() + 1) / 2, (leaf.mean() + 1) / 2])
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]
    for call, match in (
        (lambda: hv.diagnosis.level_matrix([]), "expected at least one model"),
        (lambda: hv.diagnosis.level_matrix(whole, "f1"), "metric: expected one of exact"),
        (lambda: hv.diagnosis.level_matrix(whole.replace(truth=None)), "no sample has a known truth"),
    ):
        with pytest.raises(hv.PredictionsError, match=match):
            call()
