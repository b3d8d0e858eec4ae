"""Verdicts on pages: at equal correctness, at equal specificity or of whole curves, never at one threshold."""

import math
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from small_worlds import EDGES, LEAVES, write
from visit import Visit, shelve

import hierviz as hv
from hierviz import charts
from hierviz.app import state
from hierviz.app.curve_panels import curve_chart
from hierviz.app.state import opened
from hierviz.messages.number_text import value_text
from hierviz.metrics.path import path_metrics
from hierviz.thresholds.groups import groups_by_subtree, repeated_group_thresholds
from hierviz.thresholds.selection import choose, cost_metrics, with_shallow_answers
from hierviz.uncertainty.resamples import split_samples

N = 800


@pytest.fixture
def no_chart(monkeypatch):
    """The page leaves out its main chart, which other tests draw."""
    monkeypatch.setattr(
        curve_chart, "curve_chart", lambda choice: replace(state.view(), model=state.shown_model_of(choice.keys))
    )


@pytest.fixture(scope="module")
def inverted(tmp_path_factory):
    """A knows more but is unsure of itself; B knows less and is sure: at most thresholds B looks better.

    A's curve lies above B's nearly everywhere.
    """
    folder, rng = tmp_path_factory.mktemp("inverted"), np.random.default_rng(5)
    truth = rng.integers(0, len(LEAVES), N)
    gain = np.eye(len(LEAVES))[truth]
    files = {
        "a": 0.32 * (rng.normal(size=gain.shape) + 4.5 * gain),
        "b": 1.5 * (rng.normal(size=gain.shape) + 2.7 * gain),
    }
    ids = [f"s{i}" for i in range(N)]
    paths = []
    for name, logits in files.items():
        p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        rows = ([one, *row] for one, row in zip(ids, p.tolist(), strict=True))
        paths.append(write(folder / f"{name}.csv", [("sample_id", *LEAVES), *rows]))
    return shelve(
        taxonomy=write(folder / "taxonomy.csv", [("parent", "child"), *EDGES]),
        predictions=tuple(paths),
        truth=write(folder / "truth.csv", [("sample_id", "truth"), *((one, LEAVES[t]) for one, t in zip(ids, truth))]),
    )


@pytest.mark.long
def test_the_better_curve_is_favoured_though_it_looks_worse_at_most_thresholds(inverted, no_chart):
    a, b = (inverted.models[key].curve for key in ("a", "b"))
    # What the data were made for.
    thresholds = np.linspace(0.005, 0.995, 199)
    f1 = [np.array([curve.at(one)["info_f1"] for one in thresholds]) for curve in (a, b)]
    assert np.mean(f1[1] > f1[0]) > 0.6
    levels = np.linspace(0.5, 0.97, 48)
    assert np.mean(hv.curves.specificity_at(a, levels) >= hv.curves.specificity_at(b, levels)) > 0.9
    # The page: whole curve, equal correctness, goal.
    visit = Visit("curves", data=inverted.key, models="a,b", model="a", drawn="bands")
    visit.memory("choosing").update(n_resamples=200)
    visit.run()
    (table,) = [one.value for one in visit.at.dataframe if "stops early" in one.value.columns]
    assert table["model"].tolist() == ["a", "b"]
    assert table[""].tolist() == ["best", ""]
    assert "each at its own τ, because their scores are on different scales" in visit.text
    visit.go(data=inverted.key, models="a,b", model="a", drawn="bands", panel="uncertainty")
    resamples = hv.uncertainty.Resamples.draw(N, 200, 0)
    found = difference(inverted, resamples)
    assert found.summary["ac"].lower > 0
    assert "Information recall where the same share of answers is correct: a is clearly higher" in visit.text
    visit.memory("choosing").update(difference_at="specificity")
    visit.run()
    assert charts.difference_band(found, "correct", ("a", "b")).sentence in visit.text
    assert "Correct where information recall is at least the same: a is clearly higher" in visit.text
    visit.memory("choosing").update(difference_at="curve")
    visit.run()
    assert "AC: a is clearly better than b" in visit.text
    assert "AP: a is clearly better than b" in visit.text
    assert not re.search("best balance|% of thresholds|b is clearly", visit.text)


def difference(data, resamples):
    a, b = data.models["a"], data.models["b"]
    return hv.uncertainty.difference_of_models(
        data.taxonomy,
        a.truth,
        a.judged_table,
        b.judged_table,
        resamples,
        correct=(),
        specificity=np.arange(101) / 100,
    )


@pytest.mark.long
def test_the_sentence_below_the_chart(inverted):
    visit = Visit("curves", data=inverted.key, models="a,b", model="a", drawn="bands")
    assert re.search(r"AC, over all thresholds: a \d\.\d+, clearly higher than b", visit.text)
    assert re.search(r"where at least 95 % of the answers are correct: a \d\.\d+, clearly higher than b", visit.text)
    assert not re.search("best balance|% of thresholds|clearly lower", visit.text)


@pytest.mark.long
def test_all_models_for_a_goal(demo, no_chart):
    keys = ("flat-softmax", "multi-label", "soft-max-margin")
    visit = Visit("curves", models=",".join(keys))
    models = {key: demo.models[key] for key in keys}
    truth = models[keys[0]].truth
    expected = hv.thresholds.rank_for_target(
        demo.taxonomy,
        truth,
        {key: model.judged_table for key, model in models.items()},
        partial(hv.thresholds.choose, subject_to={"correct": 0.95}),
        hv.uncertainty.Resamples.draw(len(truth), 1000, 0),
    )
    (table,) = [one.value for one in visit.at.dataframe if "stops early" in one.value.columns]
    assert table["model"].tolist() == [demo.models[row.name].predictions.name for row in expected.rows]
    for place, row in enumerate(expected.rows):
        low, high = row.interval["correct"]
        assert (
            table["Correct"][place] == f"{value_text(row.values['correct'])}  [{value_text(low)}, {value_text(high)}]"
        )
        fit = row.cross_fitted
        assert table["Recall, left out"][place].startswith(
            f"{value_text(fit.values['info_recall'])} ± {value_text(row.margin)} ("
        )
        assert table["stops early"][place] == f"{100 * row.stops_early:.1f}\u00a0%"
        now = models[row.name].curve.at(0.5)
        assert table["Correct, current τ"][place] == value_text(now["correct"])
        assert float(table["τ"][place]) == row.threshold
    assert (
        f"With the best model chosen inside the folds, too: correct {value_text(expected.best_inside.values['correct'])}"
        in (visit.text)
    )
    # Every model at its own threshold, by one button.
    visit.press("Use all")
    assert visit.query["thresholds"] == ",".join(
        f"{key}:{next(row.threshold for row in expected.rows if row.name == key):.12g}"
        for key in [row.name for row in expected.rows]
    )
    # Without the slow columns the rest stays.
    visit.memory("choosing").update(left_out=False)
    visit.run()
    (table,) = [one.value for one in visit.at.dataframe if "stops early" in one.value.columns]
    assert "Recall, left out" not in table
    assert table["Correct"][0] == value_text(expected.rows[0].values["correct"])
    assert "these values are optimistic" in visit.text


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """Two models of 120 samples from two, four and five sites."""
    folder, rng = tmp_path_factory.mktemp("sites"), np.random.default_rng(5)
    truth, ids = rng.integers(0, len(LEAVES), 120), [f"s{i}" for i in range(120)]
    paths = []
    for name, gain in (("a", 3), ("b", 2)):
        p = np.exp(rng.normal(size=(120, len(LEAVES))) + gain * np.eye(len(LEAVES))[truth])
        rows = ([one, *row] for one, row in zip(ids, (p / p.sum(axis=1, keepdims=True)).tolist(), strict=True))
        paths.append(write(folder / f"{name}.csv", [("sample_id", *LEAVES), *rows]))
    rows = ((one, LEAVES[t], *(f"x{i % n}" for n in (2, 4, 5))) for i, (one, t) in enumerate(zip(ids, truth)))
    return shelve(
        taxonomy=write(folder / "taxonomy.csv", [("parent", "child"), *EDGES]),
        predictions=tuple(paths),
        truth=write(folder / "truth.csv", [("sample_id", "truth", "two", "four", "five"), *rows]),
    )


def test_intervals_at_the_end_of_the_range_say_so_on_the_page(tmp_path, no_chart):
    """Every answer of 20 is right and certain, so that every resample has AC 1; shares have Wilson's interval, without it."""
    rows = [(f"s{i}", *(float(i % len(LEAVES) == k) for k in range(len(LEAVES)))) for i in range(20)]
    data = shelve(
        taxonomy=write(tmp_path / "taxonomy.csv", [("parent", "child"), *EDGES]),
        predictions=(write(tmp_path / "a.csv", [("sample_id", *LEAVES), *rows]),),
        truth=write(
            tmp_path / "truth.csv", [("sample_id", "truth"), *((f"s{i}", LEAVES[i % len(LEAVES)]) for i in range(20))]
        ),
    )
    visit = Visit("curves", data=data.key, panel="models", drawn="bands")
    assert "a: " in visit.text
    assert "AC: its interval may be too short: 100.0 % of the resamples are at 1, the end of its range" in visit.text


@pytest.mark.long
@pytest.mark.parametrize(("group", "is_left_out"), [("two", False), ("four", False), ("five", True)])
def test_fewer_groups_than_folds_have_no_values_on_left_out_samples(sites, no_chart, group, is_left_out):
    """Five folds of whole groups take five groups: with fewer, the models are ranked on all samples and none is marked."""
    visit = Visit("curves", data=sites.key, models="a,b", model="a")
    visit.memory("choosing").update(group=group, left_out=True)
    visit.run()
    (table,) = [one.value for one in visit.at.dataframe if "stops early" in one.value.columns]
    assert ("Recall, left out" in table) == is_left_out
    assert table[""].tolist() == ["", ""]
    assert "No model is marked as the best: marks need values on left-out samples, of at least ten" in visit.text
    assert not visit.at.exception


@pytest.mark.long
def test_other_goals_are_ranked_too(demo, no_chart):
    visit = Visit("curves", models="flat-softmax,multi-label")
    visit.memory("choosing").update(target="cost", wrong=2.0, vague=0.5, most=0.4)
    visit.run()
    tables = [one.value for one in visit.at.dataframe if "stops early" in one.value.columns]
    assert len(tables) == 2
    costs = [float(text.split()[0]) for text in tables[0]["Mean cost"]]
    assert costs == sorted(costs)
    visit.memory("choosing").update(target="depth", deep=3, share=40.0)
    visit.run()
    (table,) = [one.value for one in visit.at.dataframe if "stops early" in one.value.columns]
    model = demo.models["flat-softmax"]
    point = choose(
        with_shallow_answers(model.curve, demo.taxonomy, model.judged_table, 3), "correct", {"above_depth": 0.4}
    )
    assert float(table.set_index("model").loc["Flat softmax", "τ"]) == point.threshold


def test_costs_of_single_answers_are_those_of_the_curve(demo):
    model = demo.models["flat-softmax"]
    priced = hv.thresholds.with_costs(model.curve, demo.taxonomy, model.truth, model.judged_table, wrong=2.0, vague=0.5)
    answers = model.judged_table.nodes_at(0.6)
    single = cost_metrics(demo.taxonomy, model.truth, answers, wrong=2.0, vague=0.5)
    assert single["cost"].mean() == pytest.approx(priced.at(0.6)["cost"])
    assert single.keys() - path_metrics(demo.taxonomy, model.truth, answers).keys() == {"cost"}


@pytest.mark.long
def test_groups_are_measured_on_many_halves(demo, no_chart):
    model = demo.models["conditional-softmax"]
    labels = groups_by_subtree(demo.taxonomy, model.judged_table)
    goal = partial(hv.thresholds.choose, subject_to={"correct": 0.95})
    found = repeated_group_thresholds(demo.taxonomy, model.truth, model.judged_table, labels, goal)
    # The first half is an unlucky one: chosen at 95 %, it is measured at 91.7 %, and the mean of all is .3 points below 95 %.
    assert math.isclose(found.own["correct"][0], 0.9167, abs_tol=1e-4)
    assert 0.935 < found.own["correct"].mean() < 0.955
    assert len(found.own["correct"]) == 20
    visit = Visit("curves", models="conditional-softmax")
    visit.memory("choosing").update(target="groups")
    visit.run()
    assert found.sentence() in visit.text


@pytest.mark.long
def test_one_temperature_per_model_is_offered_and_said(inverted):
    visit = Visit("compare", data=inverted.key, models="a,b")
    assert "Calibrate first" in visit.text
    visit.press("Fit one temperature per model")
    first, second = split_samples(N, 0.5, seed=0)
    told = f"One temperature for each model, fitted on {len(first)} samples (seed 0): "
    told += f"b {hv.uncertainty.fit_temperature(inverted.models['b'].predictions, first).value:.3g}"
    # A makes no mistake on the first half: the sharper, the better.
    left = "a: no temperature between 0.018 and 55 fits; left as it is."
    assert f"{told}. All numbers are of the {len(second)} other samples. {left}" in visit.text
    data = opened.server().get(visit.query["data"])
    assert data.key != inverted.key
    for key in ("a", "b"):
        predictions = inverted.models[key].predictions
        scaled = hv.uncertainty.at_temperature(predictions, hv.uncertainty.fit_temperature(predictions, first).value)
        judged = data.models[key]
        np.testing.assert_array_equal(judged.rows, second)
        curve = hv.operating_curve(data.taxonomy, predictions.truth[second], scaled.node_probabilities(second))
        assert judged.curve.summary()["ac"] == pytest.approx(curve.summary()["ac"])
    # And back.
    assert "Back to the scores as they were read" in visit.text
    assert "fitted on 400 samples" in Visit("curves", data=data.key).text
