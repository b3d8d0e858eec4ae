"""The comparison table with ties, few samples, shares and ends of ranges: intervals, ranks, marks and warnings."""

import numpy as np
import pytest
from scipy import stats

import hierviz as hv
from hierviz.comparison.alarms import alarms
from hierviz.comparison.columns import columns_of
from hierviz.comparison.constants import Constants
from hierviz.diagnosis.constant_answers import against_constants
from hierviz.uncertainty.comparison import never_reached
from hierviz.uncertainty.repeats import curve_of_runs


def simulated(taxonomy, n, seed, name, skill=1.5):
    rng = np.random.default_rng(seed)
    truth = taxonomy.leaves[np.arange(n) % taxonomy.n_leaves]
    logits = rng.normal(size=(n, taxonomy.n_leaves)) + skill * (taxonomy.leaves == truth[:, None])
    return hv.Predictions.from_scores(taxonomy, logits, "flat_softmax", truth=truth, name=name)


def test_ranks_and_marks_are_those_of_any_order_of_rows(taxonomy):
    """One file in 20 orders of its rows, with and without runs: one rank, no disagreement, nothing clearly different."""
    whole, rng = simulated(taxonomy, 61, 0, "a"), np.random.default_rng(0)
    files = []
    for place in range(20):
        order = rng.permutation(61)
        files.append(
            whole.replace(scores=whole.scores[order], truth=whole.truth[order], sample_ids=order.astype(str)).replace(
                name=f"order {place}"
            )
        )
    found = hv.compare(files, "all", resamples=60)
    values = np.array([[method.value(c.key) or 0.0 for c in found.columns] for method in found.methods])
    assert (np.ptp(values, axis=0) > 0).any(), "sums depend on the order, or this tests nothing"
    for column in found.columns:
        if "_at_" in column.metric:
            continue  # whether a point of the curve reaches a level is compared in `curves`
        ranks = set(found.ranks[column.key])
        assert ranks in ({1}, {None}), column.key
        assert set(found.marks[column.key]) <= {"best", None}, column.key
    runs = [one.replace(name=f"m{place % 2}", run=str(place // 2)) for place, one in enumerate(files[:6])]
    twice = hv.compare(runs, metrics="curve.ac,curve.ap,curve.leaf_f1,softmax_win,micro_f1,mcc", resamples=60)
    assert twice.agreement.sentence == "No two metrics put two methods in opposite orders."
    assert all(set(ranks) in ({1}, {None}) for ranks in twice.ranks.values())
    assert not any(twice.difference("m0", "m1", column.key)["is_clear"] for column in twice.columns)


def test_a_method_that_is_the_constant_is_not_better_than_it(taxonomy):
    """Whatever the order in which its numbers are added up: within rounding is the same."""
    columns = columns_of(taxonomy, metrics="labels.micro_f1")
    model = hv.Evaluation.from_predictions(simulated(taxonomy, 30, 0, "a"))
    for value, constant, is_told in ((0.1 + 0.2, 0.3, True), (0.3, 0.1 + 0.2, True), (0.31, 0.3, False)):
        best = Constants({columns[0].key: constant}, {}, {})
        told = alarms(model, {columns[0].key: value}, columns, best, {"rule": "majority", "threshold": 0.5})
        assert any("Not better than a constant answer" in one for one in told) == is_told
    perfect = Constants({columns[0].key: 1.0}, {}, {})
    told = alarms(model, {columns[0].key: 1 - 1e-16}, columns, perfect, {"rule": "majority", "threshold": 0.5})
    assert not any("constant" in one for one in told)


def test_few_samples_have_no_intervals_and_no_marks(taxonomy):
    nine = [simulated(taxonomy, 9, seed, name) for seed, name in enumerate("ab")]
    found = hv.compare(nine, metrics="curve.ac,predicted.exact", resamples=100)
    shown = found.to_dict()
    for row in shown["rows"]:
        assert set(row["interval"].values()) == set(row["mark"].values()) == {None}
        assert row["reason"]["curve.ac"] == "no interval: 9 samples are too few: an interval needs at least 10"
    assert "There are no intervals and no marks: 9 samples are too few" in shown["methods"]
    assert "9 samples are too few" in found.to_markdown()
    assert found.difference("a", "b", "curve.ac")["is_clear"] is None


def test_levels_are_written_as_they_are(taxonomy):
    models = [simulated(taxonomy, 60, seed, name) for seed, name in enumerate("ab")]
    text = hv.compare(models, metrics="curve.ac,predicted.exact", resamples=50, level=0.999).to_markdown()
    assert "Intervals of 99.9 %" in text
    assert "100%" not in text
    assert "50 resamples are too few to mark methods: take at least 2,000" in text


def test_shares_have_the_interval_of_wilson(taxonomy):
    model = simulated(taxonomy, 60, 0, "a")
    found = hv.compare([model], metrics="predicted.exact,predicted.info_recall", resamples=100)
    exact, recall = found.columns
    (method,) = found.methods
    right = round(60 * method.value(exact.key))
    expected = stats.binomtest(right, 60).proportion_ci(0.95, method="wilson")
    assert found.interval(method, exact) == pytest.approx((expected.low, expected.high))
    assert "Wilson" in found.methods_paragraph
    draws = np.sort(method.draws[recall.key])
    assert found.interval(method, recall) == (draws[2], draws[97])


def test_an_interval_at_the_end_of_its_range_says_so(taxonomy):
    """Every answer is right, so that each resample has AC 1."""
    p = np.repeat(np.eye(taxonomy.n_leaves)[:1], 30, axis=0)
    truth = np.full(30, taxonomy.leaves[0])
    model = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth, name="a")
    found = hv.compare([model], metrics="curve.ac", resamples=50).to_dict()["rows"][0]
    assert "its interval may be too short: 100.0 % of the resamples are at 1" in found["reason"]["curve.ac"]
    assert found["interval"]["curve.ac"] == [1, 1]


def test_few_samples_raise_no_alarm(taxonomy):
    """Nine answers of the wrong leaf are worse than any constant, and too few to say so; ten are enough."""
    for n, is_said in ((9, False), (10, True)):
        truth = taxonomy.nodes(*["cat", "newt"] * 5)[:n]
        answers = taxonomy.nodes(*["newt", "cat"] * 5)[:n]
        model = hv.Predictions.from_labels(taxonomy, answers, truth=truth, name="a")
        warnings = hv.compare([model]).to_dict()["rows"][0]["warnings"]
        assert any("contradict the truth" in one for one in warnings) == is_said
        assert any("Not better than a constant" in one for one in warnings) == is_said
        assert bool(against_constants(model).alarms) == is_said


def test_answers_of_the_root_alone_are_empty_ones(taxonomy):
    lists = [[0]] * 11 + [[taxonomy.node("cat")]]
    model = hv.Predictions.from_labels(taxonomy, lists, truth=taxonomy.nodes(*["cat", "newt"] * 6), name="a")
    warnings = hv.compare([model]).to_dict()["rows"][0]["warnings"]
    assert "11 of 12 answers are empty or the root alone." in warnings
    assert not any("of the answers are" in one for one in warnings)


def test_a_mean_curve_that_reaches_a_level_up_to_rounding_reaches_it(taxonomy):
    """19 of 20 right, as the mean of three runs, is .9499999999999998."""
    p = np.zeros((20, taxonomy.n_leaves))
    p[:, 0], p[:19, 1], p[:19, 0] = 1, 0.2, 0.8
    right, other = taxonomy.leaves[0], taxonomy.leaves[-1]
    truth = [int(right)] * 19 + [int(other)]
    curve = hv.Evaluation.from_predictions(
        hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth)
    ).curve
    mean = curve_of_runs([curve] * 3)
    assert mean.summary()["recall_at_95_correct"] > 0
    assert "recall_at_95_correct" not in never_reached(mean)


def test_groups_of_one_sample_each_are_no_groups(taxonomy):
    """A column of distinct values: intervals, marks and the text of the methods are those without it."""
    alone = np.random.default_rng(0).permutation(60).astype(str)
    files = [
        simulated(taxonomy, 60, seed, name).replace(attributes={"file": alone}) for seed, name in ((0, "a"), (1, "b"))
    ]
    plain, grouped = (
        hv.compare(files, metrics="labels.micro_f1,predicted.exact", resamples=60, group=group).to_dict()
        for group in (None, "file")
    )
    assert plain == grouped
    drawn = hv.uncertainty.Resamples.draw(60, 50, groups=alone)
    assert drawn.group_of is None
    assert drawn.is_same(hv.uncertainty.Resamples.draw(60, 50))
