"""Runs, intervals, marks and ranks: by hand, and against scipy."""

import math

import numpy as np
import pytest
from scipy import stats

import hierviz as hv
from hierviz.comparison.columns import columns_of
from hierviz.comparison.methods import Difference, Method, clear_after_holm, difference, marks_of, ranks_of
from hierviz.uncertainty.student import satterthwaite, t_quantile, t_quantiles, t_tail

F1 = "confusion.f1"


@pytest.fixture
def column(taxonomy):
    return columns_of(taxonomy, metrics=F1)[0]


def method(name, runs, noise=0.0, seed=0, n=500):
    """Values of the runs, and draws around their mean with noise of their own."""
    draws = np.mean(runs) + noise * np.random.default_rng(seed).normal(size=2000)
    return Method(name, [{F1: value} for value in runs], {F1: draws}, n, n)


@pytest.mark.parametrize("degrees", [1, 1.7, 2, 4, 9.3, 30, 599, 1e9])
def test_student_against_scipy(degrees):
    for t in (0.0, 0.1, 1, 2.5, -3, 12.7, 60):
        assert t_tail(t, degrees) == pytest.approx(2 * stats.t.sf(abs(t), degrees), rel=1e-6, abs=1e-15)
    for level in (0.5, 0.9, 0.95, 0.999):
        assert t_quantile(level, degrees) == pytest.approx(stats.t.ppf((1 + level) / 2, degrees), rel=1e-6)


def test_many_quantiles():
    degrees = np.array([[3, 9], [9, 400]])
    assert t_quantiles(0.9, degrees) == pytest.approx(stats.t.ppf(0.95, degrees), rel=1e-9)
    assert t_quantiles(0.9, np.empty(0)).shape == (0,)


def test_student_at_the_ends():
    assert (t_tail(math.inf, 3), t_tail(0, 3), t_quantile(0.95, math.inf)) == (0, 1, pytest.approx(1.959963985))
    assert satterthwaite([1, 1], [4, 4]) == pytest.approx(8)
    assert satterthwaite([1, 0], [4, 1]) == pytest.approx(4)
    assert satterthwaite([0, 0], [4, 1]) == math.inf


def test_welch_is_what_runs_alone_give(column):
    """Without noise between resamples the interval of a difference is Welch's t interval of the runs."""
    a, b = [0.60, 0.64, 0.61, 0.66], [0.52, 0.55, 0.58]
    found = difference(method("a", a), method("b", b), column)
    expected = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    assert found.interval(0.95) == pytest.approx((expected.low, expected.high), rel=1e-6)


def test_an_interval_adds_samples_and_runs(column):
    runs = [0.60, 0.64, 0.61]
    of = method("a", runs, noise=0.02)
    boot, between = of.draws[F1].var(ddof=1), np.var(runs, ddof=1) / 3
    degrees = (boot + between) ** 2 / (boot**2 / 499 + between**2 / 2)
    half = stats.t.ppf(0.975, degrees) * math.sqrt(boot + between)
    assert of.interval(column, 0.95) == pytest.approx((np.mean(runs) - half, np.mean(runs) + half), rel=1e-6)
    assert of.spread(F1) == np.std(runs, ddof=1)
    # One run: percentiles, the 50th from either end of 2000.
    alone = method("b", [0.6], noise=0.02)
    ordered = np.sort(alone.draws[F1])
    assert alone.interval(column, 0.95) == (ordered[49], ordered[1950])
    assert alone.spread(F1) is None


def test_marks(column):
    best, near, second, worst = (
        method("best", [0.80], 0.01, 1),
        method("near", [0.79], 0.01, 2),
        method("second", [0.70], 0.01, 3),
        method("worst", [0.60], 0.01, 4),
    )
    assert marks_of([worst, best, second, near], column, 0.95) == [None, "best", "second", "tied"]
    assert ranks_of([worst, best, second, near], column) == [4, 1, 3, 2]
    # Equal ones share the first place, and the next rank is 3.
    twin = Method("twin", best.runs, best.draws, 500, 500)
    assert ranks_of([best, twin, worst], column) == [1, 1, 3]
    assert marks_of([best, twin, worst], column, 0.95) == ["best", "best", "second"]
    # No method beside it, and no draws: nothing is marked.
    assert marks_of([best], column, 0.95) == [None]
    assert marks_of([best, Method("x", [{F1: 0.1}], {}, 5, 5)], column, 0.95) == [None, None]
    assert marks_of([best, Method("x", [{F1: None}], {}, 5, 5), worst], column, 0.95) == ["best", None, "second"]


def test_holm(column):
    """Three differences of 2.3 standard errors: clear alone, not after Holm (p about .021 against .05 / 3)."""
    rng = np.random.default_rng(0)

    def one(z):
        draws = rng.normal(size=20_000)
        return Difference(z, z + (draws - draws.mean()) / draws.std(), [method("a", [0.5]), method("b", [0.5])], F1)

    three = {place: one(2.3) for place in range(3)}
    assert all(part.is_clear(0.95) for part in three.values())
    assert clear_after_holm(three, 0.95) == set()
    # One of 4 and one of 2.3: .021 < .05 / 1 once the first is out.
    assert clear_after_holm({0: one(4), 1: one(2.3)}, 0.95) == {0, 1}


def test_too_few_samples_have_no_interval(taxonomy):
    at_95, at_90 = columns_of(taxonomy, metrics="curve.recall_at_95_correct,curve.recall_at_90_correct")
    keys = {at_95.key: 0.5, at_90.key: 0.6}
    draws = {key: np.linspace(0.4, 0.7, 100) for key in keys}
    few = Method("a", [keys], draws, 199, 199)
    assert "199 samples are too few for 95% correct" in few.why_no_interval(at_95)
    assert few.why_no_interval(at_90) is None
    assert Method("a", [keys], draws, 200, 200).why_no_interval(at_95) is None


def test_draws_that_lack_the_number(column):
    draws = np.linspace(0.4, 0.6, 1000)
    draws[:25] = np.nan
    assert Method("a", [{F1: 0.5}], {F1: draws}, 9, 9).why_no_interval(column) is None
    draws[:26] = np.nan
    assert "2.6% of the resamples" in Method("a", [{F1: 0.5}], {F1: draws}, 9, 9).why_no_interval(column)


def simulated(taxonomy, truth, name, seed, skill=1.5, run=None):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(len(truth), taxonomy.n_leaves)) + skill * (taxonomy.leaves == truth[:, None])
    return hv.Predictions.from_scores(taxonomy, logits, "flat_softmax", truth=truth, name=name, run=run)


@pytest.mark.long
def test_forty_runs_in_one_table(taxonomy):
    """Eight methods with five seeds: mean and standard deviation are those of 40 single evaluations."""
    rng = np.random.default_rng(0)
    truth = taxonomy.leaves[rng.integers(0, taxonomy.n_leaves, 60)]
    files = [
        simulated(taxonomy, truth, f"method {m}", 100 * m + s, 0.2 * m, f"seed{s}") for m in range(8) for s in range(5)
    ]
    found = hv.table(files, "all", resamples=40).to_dict()
    single = [hv.evaluate(file)["models"][0] for file in files]
    assert [row["n_runs"] for row in found["rows"]] == [5] * 8
    compared = 0
    for m, row in enumerate(found["rows"]):
        assert [run["run"] for run in row["runs"]] == [f"seed{s}" for s in range(5)]
        for key, value in row["values"].items():
            block, metric, *depth = key.split(".")
            if metric.startswith("balanced_") or depth:
                continue
            runs = [model[block][metric] for model in single[5 * m : 5 * m + 5]]
            assert value == pytest.approx(np.mean(runs), rel=1e-12, abs=1e-12), key
            assert row["spread"][key] == pytest.approx(np.std(runs, ddof=1), rel=1e-9, abs=1e-12), key
            compared += 1
    assert compared == 8 * 79


def test_an_increasing_map_of_node_scores_changes_nothing(taxonomy):
    """p -> p ** 3 keeps the order: areas and R@C stay, and their difference is 0 in every draw."""
    rng = np.random.default_rng(1)
    truth = taxonomy.leaves[rng.integers(0, taxonomy.n_leaves, 300)]
    p = simulated(taxonomy, truth, "a", 5).node_probabilities()
    a, b = (
        hv.Predictions.from_scores(
            taxonomy, values, "node_probabilities", scored_nodes=np.arange(taxonomy.n_nodes), truth=truth, name=name
        )
        for name, values in (("p", p), ("cube", p**3))
    )
    found = hv.table([a, b], metrics="curve.ac,curve.ap,curve.recall_at_90_correct", resamples=200)
    for column in found.columns:
        draws = [method.draws[column.key] for method in found.methods]
        assert np.array_equal(*draws), column.key
        assert found.difference("p", "cube", column.key)["interval"] == [0, 0]
        assert found.marks[column.key] == ["best", "best"]


@pytest.mark.long
def test_independent_equal_models_are_rarely_called_different(taxonomy):
    """40 pairs of models of one law: the interval of the difference of AC holds 0 in 34 to 40 of them (95 %: 38)."""
    held = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth = taxonomy.leaves[rng.integers(0, taxonomy.n_leaves, 100)]
        both = [simulated(taxonomy, truth, name, 1000 + 2 * seed + k) for k, name in enumerate("ab")]
        held += not hv.table(both, metrics="curve.ac", resamples=80).difference("a", "b", "curve.ac")["is_clear"]
    assert 34 <= held <= 40


def test_groups_and_order_of_samples(taxonomy):
    """Samples in another order are met by their ids; whole groups are resampled."""
    rng = np.random.default_rng(2)
    truth = taxonomy.leaves[rng.integers(0, taxonomy.n_leaves, 40)]
    ids, group = np.arange(40).astype(str), np.repeat(np.arange(10), 4).astype(str)
    a, b = (
        simulated(taxonomy, truth, name, seed).replace(sample_ids=ids, attributes={"site": group})
        for name, seed in (("a", 1), ("b", 2))
    )
    order = rng.permutation(40)
    shuffled = b.replace(
        scores=b.scores[order], truth=b.truth[order], sample_ids=ids[order], attributes={"site": group[order]}
    )
    for more in ({}, {"group": "site"}):
        one, other = (hv.table([a, x], resamples=50, **more) for x in (b, shuffled))
        first, second = one.to_dict(), other.to_dict()
        for row, again in zip(first["rows"], second["rows"]):
            for key, interval in row["interval"].items():
                assert again["interval"][key] == (interval and pytest.approx(interval, rel=1e-9)), key
    assert "10 groups" in one.methods_paragraph
    with pytest.raises(hv.PredictionsError, match=r"group.*sit"):
        hv.table([a, b], group="sit")
