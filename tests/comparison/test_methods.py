"""Runs, intervals, marks and ranks: by hand, and against scipy."""

import math

import numpy as np
import pytest
from scipy import stats

import hierviz as hv
from hierviz.comparison.columns import BLOCKS, BY_DEPTH, CONFORMAL, columns_of
from hierviz.comparison.methods import Method, difference, marks_of, ranks_of
from hierviz.metrics.registry import OPTIMAL_SET_METRICS, PROTEIN_METRICS, keys_of
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


def test_too_few_samples_have_no_interval(taxonomy):
    at_95, at_90 = columns_of(taxonomy, metrics="curve.recall_at_95_correct,curve.recall_at_90_correct")
    keys = {at_95.key: 0.5, at_90.key: 0.6}
    draws = {key: np.linspace(0.4, 0.7, 100) for key in keys}
    few = Method("a", [keys], draws, 199, 199)
    assert "199 samples are too few for 95 % correct" in few.why_no_interval(at_95)
    assert few.why_no_interval(at_90) is None
    assert Method("a", [keys], draws, 200, 200).why_no_interval(at_95) is None


def test_fewer_than_ten_samples_or_groups_have_no_interval_and_no_mark(column):
    for n_units, n_samples, words in ((9, 9, "9 samples are too few"), (1, 1, "1 sample is"), (9, 300, "9 groups are")):
        a, b = (
            Method(name, [{F1: v}], {F1: np.full(100, v)}, n_units, n_samples) for name, v in (("a", 1.0), ("b", 0.0))
        )
        assert words in a.why_no_interval(column)
        assert (a.interval(column, 0.95), difference(a, b, column)) == (None, None)
        assert marks_of([a, b], column, 0.95) == [None, None]
        assert ranks_of([a, b], column) == [1, 2]
    a, b = (Method(name, [{F1: v}], {F1: np.full(100, v)}, 10, 10) for name, v in (("a", 1.0), ("b", 0.0)))
    assert marks_of([a, b], column, 0.95) == ["best", "second"]


def test_an_infinite_mean_goes_from_its_finite_draws_to_infinity(taxonomy):
    (loss,) = columns_of(taxonomy, metrics="distribution.cross_entropy")
    draws = np.append(np.arange(400.0), np.full(600, np.inf))
    found = Method("a", [{loss.key: np.inf}], {loss.key: draws}, 100, 100)
    # Of 400 finite draws the 0-based place floor(399 * .025).
    assert found.interval(loss, 0.95) == (9.0, np.inf)
    finite = Method("b", [{loss.key: 1.0}], {loss.key: np.linspace(0.9, 1.1, 1000)}, 100, 100)
    assert marks_of([found, finite], loss, 0.95) == ["second", "best"]
    assert difference(found, finite, loss) is None
    # Infinite in every resample: no interval, and still not as good as the other.
    always = Method("a", [{loss.key: np.inf}], {loss.key: np.full(1000, np.inf)}, 100, 100)
    assert always.interval(loss, 0.95) is None
    assert always.why_no_interval(loss) == "it is infinite in every resample"
    assert marks_of([always, finite], loss, 0.95) == ["second", "best"]


def test_means_of_zeros_and_ones_have_the_interval_of_wilson(taxonomy):
    (exact,) = columns_of(taxonomy, metrics="predicted.exact")
    draws = np.random.default_rng(0).binomial(50, 0.98, 1000) / 50
    found = Method("a", [{exact.key: 0.98}], {exact.key: draws}, 50, 50, {exact.key: 50}, frozenset({exact.key}))
    expected = stats.binomtest(49, 50).proportion_ci(0.95, method="wilson")
    assert found.interval(exact, 0.95) == pytest.approx((expected.low, expected.high))
    assert found.interval_caution(exact) is None
    # Groups have no such interval, and it is said that the percentiles end at the range.
    grouped = Method("a", [{exact.key: 0.98}], {exact.key: draws}, 20, 50, {exact.key: 20})
    share = np.mean(draws == 1)
    assert f"{100 * share:.1f} % of the resamples are at 1" in grouped.interval_caution(exact)


def test_values_of_too_few_samples_have_no_interval(column):
    draws = {F1: np.linspace(0.4, 0.6, 100)}
    few = Method("a", [{F1: 0.5}], draws, 100, 100, {F1: 9})
    assert "only 9 samples or groups have it" in few.why_no_interval(column)
    assert Method("a", [{F1: 0.5}], draws, 100, 100, {F1: 10}).why_no_interval(column) is None


def test_what_differs_by_rounding_is_equal(column):
    """.1 + .2 is more than .3 by 5.6e-17: one rank, one mark and no clear difference, with runs and without."""
    one, other, worse = 0.1 + 0.2, 0.3, 0.2
    assert one > other
    noise = np.random.default_rng(0).normal(size=500) * 0.001
    for runs in (1, 2):
        three = [
            Method(str(v), [{F1: v}] * runs, {F1: v + (noise if v != worse else -noise)}, 100, 100)
            for v in (other, one, worse)
        ]
        assert ranks_of(three, column) == [1, 1, 3]
        assert marks_of(three, column, 0.95) == ["best", "best", "second"]
        apart = difference(three[1], three[0], column)
        assert apart.estimate > 0
        assert not apart.is_clear(0.95)
        assert difference(three[0], three[2], column).is_clear(0.95)


def test_draws_that_lack_the_number(column):
    draws = np.linspace(0.4, 0.6, 1000)
    draws[:25] = np.nan
    assert Method("a", [{F1: 0.5}], {F1: draws}, 10, 10).why_no_interval(column) is None
    draws[:26] = np.nan
    assert "2.6 % of the resamples" in Method("a", [{F1: 0.5}], {F1: draws}, 10, 10).why_no_interval(column)


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
    found = hv.compare(files, "all", resamples=40).to_dict()
    single = [hv.evaluate(file, more=True)["models"][0] for file in files]
    assert [row["n_runs"] for row in found["rows"]] == [5] * 8
    compared = 0
    for m, row in enumerate(found["rows"]):
        assert [run["run"] for run in row["runs"]] == [f"seed{s}" for s in range(5)]
        for key, value in row["values"].items():
            block, metric, *depth = key.split(".")
            if metric.startswith("balanced_") or depth:
                continue
            if metric in OPTIMAL_SET_METRICS:
                assert value is None, key  # of a rule of its own
                continue
            runs = [model[block][metric] for model in single[5 * m : 5 * m + 5]]
            assert value == pytest.approx(np.mean(runs), rel=1e-12, abs=1e-12), key
            assert row["spread"][key] == pytest.approx(np.std(runs, ddof=1), rel=1e-9, abs=1e-12), key
            compared += 1
    numbers = {key for block in BLOCKS for key in keys_of(block)} - {*BY_DEPTH, *PROTEIN_METRICS}
    numbers -= {*OPTIMAL_SET_METRICS, *keys_of(CONFORMAL)}
    assert compared == 8 * len(numbers)


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
    found = hv.compare([a, b], metrics="curve.ac,curve.ap,curve.recall_at_90_correct", resamples=200)
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
        held += not hv.compare(both, metrics="curve.ac", resamples=80).difference("a", "b", "curve.ac")["is_clear"]
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
        one, other = (hv.compare([a, x], resamples=50, **more) for x in (b, shuffled))
        first, second = one.to_dict(), other.to_dict()
        for row, again in zip(first["rows"], second["rows"]):
            for key, interval in row["interval"].items():
                assert again["interval"][key] == (interval and pytest.approx(interval, rel=1e-9)), key
    assert "10 groups" in one.methods_paragraph
    with pytest.raises(hv.PredictionsError, match=r"group.*sit"):
        hv.compare([a, b], group="sit")
