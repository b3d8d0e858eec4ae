"""Resamples, bands and intervals against data sets that are really built from the resampled rows; coverage in short."""

import math

import naive
import numpy as np
import pytest
import strategies
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hierviz as hv
from benchmarks import interval_coverage as coverage
from hierviz.metrics.registry import path_keys
from hierviz.uncertainty.resamples import Interval

close, equal = np.testing.assert_allclose, np.testing.assert_array_equal
some = settings(
    max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
SCALARS = {
    "ap",
    "ac",
    "ac_exact",
    "depth_ap",
    "depth_ac",
    "recall_at_90_correct",
    "recall_at_95_correct",
    "majority_f1",
    "leaf_f1",
}


@pytest.fixture(scope="module")
def simulated():
    """(taxonomy, truth, table) of 300 samples."""
    taxonomy = coverage.uneven_tree(3)
    table, truth = coverage.simulate(taxonomy, np.full(300, 3.0), np.random.default_rng(5))
    return taxonomy, truth, table


# Resamples -----------------------------------------------------------------------------------------------------------


def all_counts(resamples):
    return np.array([counts for _, counts in resamples.each()])


def test_a_resample_takes_as_many_samples_as_there_are():
    counts = all_counts(hv.uncertainty.Resamples.draw(7, 50))
    assert counts.shape == (50, 7)
    assert counts.dtype.kind == "i"
    assert (counts.sum(axis=1) == 7).all()


def test_counts_are_multinomial():
    """Mean 1 and variance 1 - 1/n of each count, correlation -1/(n - 1): within 5 standard errors of 4,000 draws."""
    n, draws = 5, 4000
    counts = all_counts(hv.uncertainty.Resamples.draw(n, draws, seed=3))
    variance = 1 - 1 / n
    assert np.abs(counts.mean(axis=0) - 1).max() < 5 * math.sqrt(variance / draws)
    # Kurtosis of these binomials is below 4: the variance of a sample variance is below 3 / draws.
    assert np.abs(counts.var(axis=0) - variance).max() < 5 * math.sqrt(3 / draws)
    pairs = np.corrcoef(counts.T)[np.triu_indices(n, 1)]
    assert np.abs(pairs + 1 / (n - 1)).max() < 5 / math.sqrt(draws)


def test_seed_number_and_place_decide():
    first, again, longer = (
        hv.uncertainty.Resamples.draw(20, 4),
        hv.uncertainty.Resamples.draw(20, 4),
        hv.uncertainty.Resamples.draw(20, 9),
    )
    equal(all_counts(first), all_counts(again))
    equal(all_counts(first), all_counts(longer)[:4])
    equal(first.counts(3), all_counts(first)[3])
    assert not np.array_equal(all_counts(first), all_counts(hv.uncertainty.Resamples.draw(20, 4, seed=1)))
    assert len(np.unique(all_counts(longer), axis=0)) == 9
    assert first.is_same(again)
    groups = np.arange(20) % 3
    grouped = hv.uncertainty.Resamples.draw(20, 4, groups=groups)
    others = (longer, hv.uncertainty.Resamples.draw(20, 4, seed=1), hv.uncertainty.Resamples.draw(19, 4), grouped)
    assert not any(first.is_same(other) or other.is_same(first) for other in others)
    assert grouped.is_same(hv.uncertainty.Resamples.draw(20, 4, groups=groups))
    assert not grouped.is_same(hv.uncertainty.Resamples.draw(20, 4, groups=groups[::-1]))


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a", "b", "c", "a", "b"],
        np.array(["b", 7, "b", "c", 7, "b"], dtype=object),
        np.array([1.5, -2, 1.5, 30, -2, 1.5]),
    ],
)
def test_groups_stay_whole(labels):
    counts = all_counts(hv.uncertainty.Resamples.draw(6, 40, groups=labels))
    equal(counts[:, [0, 0, 1]], counts[:, [2, 5, 4]])
    assert (counts[:, [0, 1, 3]].sum(axis=1) == 3).all()
    assert len(np.unique(counts.sum(axis=1))) > 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: hv.uncertainty.Resamples.draw(0), "n_samples: expected a whole number >= 1, got 0"),
        (lambda: hv.uncertainty.Resamples.draw(5, 1), "n_resamples: expected a whole number from 2 to 100000, got 1"),
        (
            lambda: hv.uncertainty.Resamples.draw(5, 10.0),
            "n_resamples: expected a whole number from 2 to 100000, got 10.0",
        ),
        (lambda: hv.uncertainty.Resamples.draw(5, seed=-1), "seed: expected a whole number >= 0, got -1"),
        (lambda: hv.uncertainty.Resamples.draw(5, seed=True), "seed: expected a whole number >= 0, got True"),
        (
            lambda: hv.uncertainty.Resamples.draw(5, groups=[1, 2]),
            "groups: expected one label for each of the 5 samples, got shape (2,)",
        ),
        (
            lambda: hv.uncertainty.Resamples.draw(2, groups=["x", "x"]),
            "groups: expected at least two groups, got only 'x'",
        ),
        (
            lambda: hv.uncertainty.Resamples.draw(3, groups=["x", None, ""]),
            "expected a label for every sample, got none in rows 1, 2",
        ),
        (
            lambda: hv.uncertainty.Resamples.draw(2, groups=[1.0, np.nan]),
            "expected a label for every sample, got none in rows 1.",
        ),
        (
            lambda: hv.uncertainty.bootstrap_means([1.0], hv.uncertainty.Resamples.draw(2)),
            "values: expected those of 2 samples, got shape (1,)",
        ),
        (
            lambda: hv.uncertainty.bootstrap_means([1.0], hv.uncertainty.Resamples.draw(1), level=1.0),
            "level: expected a number between 0 and 1",
        ),
        (
            lambda: hv.uncertainty.bootstrap_means([1.0], hv.uncertainty.Resamples.draw(1), level="95"),
            "level: expected a number between 0 and 1",
        ),
    ],
)
def test_errors(call, words):
    with pytest.raises(hv.PredictionsError) as caught:
        call()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


# Intervals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_draws", "level", "low", "high"),
    [(1000, 0.95, 24, 975), (2, 0.95, 0, 1), (11, 0.8, 1, 9), (1000, 0.8, 99, 900), (101, 0.5, 25, 75)],
)
def test_order_statistics(n_draws, level, low, high):
    draws = np.random.default_rng(0).permutation(n_draws).astype(float)
    found = Interval.from_draws(0.5, draws, None, level)
    assert (found.lower, found.upper) == (low, high)
    found = Interval.from_draws([1, 2], np.stack([draws, -draws], axis=1), None, level)
    equal(found.lower, [low, -high])
    equal(found.upper, [high, -low])


def test_an_unknown_draw_makes_an_unknown_interval():
    found = Interval.from_draws([1, 1], np.array([[1, 2], [np.nan, 3], [4, np.inf]]), None)
    equal(found.lower, [np.nan, 2])
    equal(found.upper, [np.nan, np.inf])


@pytest.mark.parametrize(
    ("n_infinite", "lower", "upper"),
    [
        (2, 1.0, np.inf),  # some of the draws are finite: from their percentile to infinity
        (30, np.nan, np.nan),  # a draw without any of 30 of 40 is not met: no interval, rather than [inf, inf]
    ],
)
def test_infinite_means(n_infinite, lower, upper):
    values = np.ones((40, 2))
    values[:n_infinite, 0], values[:, 1] = np.inf, np.arange(40)
    found = hv.uncertainty.bootstrap_means(values, hv.uncertainty.Resamples.draw(40, 1000))
    equal([found.lower[0], found.upper[0]], [lower, upper])
    assert np.isfinite([found.lower[1], found.upper[1]]).all()


def test_an_interval_at_the_end_of_the_range_says_so():
    """Of 100 draws 3 are at 1: more than 2.5 %. Not where 2 are, and not of an interval that is none of percentiles."""
    resamples = hv.uncertainty.Resamples.draw(50, 100)
    for n_at_end, is_told in ((3, True), (2, False)):
        draws = np.append(np.linspace(0.8, 0.9, 100 - n_at_end), np.ones(n_at_end))
        found = Interval.from_draws(0.85, draws, resamples)
        words = f"its interval may be too short: {n_at_end}.0 % of the resamples are at 1, the end of its range"
        assert found.caution((0, 1)) == (words if is_told else None)
        assert found.caution((-math.inf, math.inf)) is None
    right = np.append(np.ones(49), 0)
    assert hv.uncertainty.bootstrap_means(right, resamples).caution((0, 1)) is None


# Means ---------------------------------------------------------------------------------------------------------------


def expanded(values, counts):
    """The values of a resample one by one, those without a value left out."""
    return [value for value, n in zip(values, counts) for _ in range(n) if not math.isnan(value)]


def test_means_against_the_rows_themselves():
    inf, nan = math.inf, math.nan
    values = np.array([[0.5, nan, inf, 1, nan], [0, 2, 1, inf, nan], [-3, nan, 0, -inf, nan], [0.25, 4, 2, 0, nan]])
    resamples = hv.uncertainty.Resamples.draw(4, 200, seed=2)
    found = hv.uncertainty.bootstrap_means(values, resamples)
    for i, counts in resamples.each():
        for j, column in enumerate(values.T.tolist()):
            rows = expanded(column, counts)
            expected = sum(rows) / len(rows) if rows else nan
            close(found.draws[i, j], expected, atol=1e-12)
    close(found.estimate, [-0.5625, 3, inf, nan, nan])
    assert np.isnan([found.lower, found.upper]).all(), "four samples are too few"
    many = np.append(np.arange(19.0), inf)
    one = hv.uncertainty.bootstrap_means(many, hv.uncertainty.Resamples.draw(20, 400))
    finite = np.sort(one.draws[np.isfinite(one.draws)])
    assert (one.estimate, one.upper) == (inf, inf)
    assert one.lower == finite[int(0.025 * (len(finite) - 1))]
    both = hv.uncertainty.bootstrap_means(np.append(many, -inf), hv.uncertainty.Resamples.draw(21, 400))
    assert np.isnan([both.estimate, both.lower, both.upper]).all()


def test_means_have_the_shape_of_a_sample():
    values = np.random.default_rng(0).random((30, 2, 3))
    resamples = hv.uncertainty.Resamples.draw(30, 20)
    found = hv.uncertainty.bootstrap_means(values, resamples)
    assert found.draws.shape == (20, 2, 3)
    one = hv.uncertainty.bootstrap_means(values[:, 1, 2], resamples)
    assert (one.estimate.shape, one.draws.shape) == ((), (20,))
    close(found.draws[:, 1, 2], one.draws, rtol=1e-12)
    close(one.estimate, values[:, 1, 2].mean())


def test_interval_of_a_mean_is_as_wide_as_theory_says():
    """Half width 1.96 s / sqrt(n), up to the Monte Carlo error of two tail quantiles (5 standard errors of 2 %)."""
    values = np.random.default_rng(0).normal(size=2000)
    found = hv.uncertainty.bootstrap_means(values, hv.uncertainty.Resamples.draw(2000, 2000))
    close((found.upper - found.lower) / 2, 1.96 * values.std() / math.sqrt(2000), rtol=0.1)


def test_means_are_the_numbers_of_an_evaluation(taxonomy):
    """hF1-AUC, too, is a mean over samples; a sample whose truth is the root has none and is left out of it."""
    p = np.array([[0.5, 0.25, 0.125, 0.125], [0.125, 0.25, 0.5, 0.125], [0.25, 0.25, 0.25, 0.25]])
    truth = taxonomy.nodes("cat", "newt", "animal")
    predictions = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth)
    (model,) = hv.evaluate(predictions)["models"]
    columns = hv.Evaluation.from_predictions(predictions).per_sample()
    numbers = model["distribution"] | model["labels"] | model["predicted"]
    for key in ("softmax_win", "hf1_auc", "ihf1_auc", "hf1_samples", "info_f1"):
        found = hv.uncertainty.bootstrap_means(columns[key], hv.uncertainty.Resamples.draw(3, 20))
        close(found.estimate, numbers[key], err_msg=key)


# Curves --------------------------------------------------------------------------------------------------------------


@some
@given(strategies.judged(most=6), st.integers(0, 99), st.booleans())
def test_curve_of_each_resample(case, seed, is_grouped):
    """Every draw equals the curve of a table that holds the rows as often as they are taken."""
    graph, taxonomy, p, truth = case
    table, n = hv.pareto_table(taxonomy, p), len(p)
    groups = np.arange(n) // 2 if is_grouped and n > 2 else None
    resamples = hv.uncertainty.Resamples.draw(n, 5, seed=seed, groups=groups)
    thresholds = np.array([1.0, *strategies.TIES, *np.nextafter(p.ravel()[:4], 2), -1.0])
    depth = taxonomy.depth[table.nodes] - 3.0
    bands = hv.uncertainty.bootstrap_curve(
        taxonomy, truth, table, resamples, thresholds=thresholds, more={"more": depth}, keys=(*path_keys(), "more")
    )
    assert tuple(bands.curve) == (*path_keys(), "more")
    assert set(bands.summary) == SCALARS
    whole = hv.operating_curve(taxonomy, truth, table)
    for i, counts in resamples.each():
        rows = np.repeat(np.arange(n), counts)
        curve = hv.operating_curve(taxonomy, truth[rows], table.take(rows))
        at, summary = curve.at(thresholds), curve.summary()
        for key in path_keys():
            close(bands.curve[key].draws[i], at[key], atol=1e-9, err_msg=key)
        for key, one in bands.summary.items():
            close(one.draws[i], summary[key], atol=1e-9, err_msg=key)
        half = naive.mean_metrics(graph, p[rows].tolist(), truth[rows].tolist(), 0.5)
        close(bands.summary["majority_f1"].draws[i], half["info_f1"], atol=1e-9)
        for j in (0, 3, -1):
            answers = [naive.rule_threshold(graph, row, thresholds[j]) for row in p[rows].tolist()]
            close(bands.curve["more"].draws[i, j], taxonomy.depth[answers].mean() - 3, atol=1e-9)
    for key in path_keys():
        equal(bands.curve[key].estimate, whole.at(thresholds)[key])
    for key, one in bands.summary.items():
        assert one.estimate == whole.summary()[key]
        # Fewer than ten samples have no interval.
        assert np.isnan(one.lower)


def test_bands_are_order_statistics_of_the_draws(simulated):
    bands = hv.uncertainty.bootstrap_curve(*simulated, hv.uncertainty.Resamples.draw(300, 101), level=0.9)
    assert bands.thresholds.shape == (1001,)
    shares = ("correct", "exact", "no_answer")
    for one in (*(of for key, of in bands.curve.items() if key not in shares), *bands.summary.values()):
        ordered = np.sort(one.draws, axis=0)
        equal(one.lower, ordered[5])
        equal(one.upper, ordered[95])
    # Means of 0/1 values have Wilson's interval, at 90 % with z = 1.6449.
    for key in shares:
        one, z2 = bands.curve[key], 1.6448536269514722**2
        middle, half = one.estimate + z2 / 600, np.sqrt(one.estimate * (1 - one.estimate) / 300 * z2 + (z2 / 600) ** 2)
        close(one.lower, (middle - half) / (1 + z2 / 300), atol=1e-12)
        close(one.upper, (middle + half) / (1 + z2 / 300), atol=1e-12)
    correct = bands.curve["correct"]
    middle = bands.thresholds == 0.5
    assert (correct.lower < correct.estimate)[middle].all()
    assert (correct.estimate < correct.upper)[middle].all()


def test_same_seed_same_bands_and_keys_are_a_choice(simulated):
    first = hv.uncertainty.bootstrap_curve(*simulated, hv.uncertainty.Resamples.draw(300, 40))
    few = hv.uncertainty.bootstrap_curve(
        *simulated, hv.uncertainty.Resamples.draw(300, 40), thresholds=[0.25, 0.75], keys=["exact"]
    )
    other = hv.uncertainty.bootstrap_curve(*simulated, hv.uncertainty.Resamples.draw(300, 40, seed=1))
    assert list(few.curve) == ["exact"]
    equal(few.curve["exact"].draws, first.curve["exact"].draws[:, [750, 250]])
    for key in SCALARS:
        equal(few.summary[key].draws, first.summary[key].draws)
        assert (first.summary[key].draws != other.summary[key].draws).any()


def test_few_samples_have_no_band(simulated):
    """Nine samples have none; with twenty there is none where fewer than ten answers may be wrong."""
    taxonomy, truth, table = simulated

    def bands_of(n):
        rows = np.arange(n)
        return hv.uncertainty.bootstrap_curve(
            taxonomy,
            truth[rows],
            table.take(rows),
            hv.uncertainty.Resamples.draw(n, 100),
            thresholds=[0.5],
            levels=[0.4, 0.5, 0.6],
        )

    few = bands_of(9)
    for one in (*few.curve.values(), *few.summary.values(), *few.at_correct.values()):
        assert np.isnan(one.lower).all()
        assert np.isnan(one.upper).all()
    twenty = bands_of(20)
    assert not np.isnan(twenty.summary["ac"].lower)
    assert np.isnan([twenty.summary[f"recall_at_{share}_correct"].lower for share in (90, 95)]).all()
    assert np.isnan(twenty.at_correct["info_recall"].lower).tolist() == [False, False, True]
    itself = hv.uncertainty.paired_difference(twenty, twenty)
    assert np.isnan(itself.summary["recall_at_95_correct"].lower)
    assert itself.summary["ac"].lower == 0


def test_copies_in_groups_are_worth_one_sample_each(simulated):
    """Ten copies of each sample, told to be groups, give the bands of the samples; not told, bands sqrt(10) narrower."""
    taxonomy, truth, table = simulated
    keys, thresholds = ("correct", "info_recall"), np.linspace(0.1, 0.9, 9)
    single = hv.uncertainty.bootstrap_curve(
        taxonomy, truth, table, hv.uncertainty.Resamples.draw(300, 200), thresholds=thresholds, keys=keys
    )
    rows = np.repeat(np.arange(300), 10)
    # Numbers as text sort 0, 1, 10, ...: zeros in front keep the order of the samples.
    names = np.array([f"user {row:03d}" for row in rows])
    copies, bands = table.take(rows), {}
    for how, groups in (("grouped", names), ("naive", None)):
        resamples = hv.uncertainty.Resamples.draw(3000, 200, groups=groups)
        bands[how] = hv.uncertainty.bootstrap_curve(
            taxonomy, truth[rows], copies, resamples, thresholds=thresholds, keys=keys
        )
    for key in keys:
        close(bands["grouped"].curve[key].draws, single.curve[key].draws, atol=1e-9)
        grouped, narrow = ((one.curve[key].upper - one.curve[key].lower) for one in (bands["grouped"], bands["naive"]))
        assert (grouped > narrow).all()
        close((grouped / narrow).mean(), math.sqrt(10), rtol=0.15)


def test_progress(simulated):
    calls = []
    hv.uncertainty.bootstrap_curve(
        *simulated, hv.uncertainty.Resamples.draw(300, 250), progress=lambda *call: calls.append(call)
    )
    assert calls[-1] == (250, 250)
    assert calls == sorted(calls)
    assert 50 <= len(calls) <= 101
    calls.clear()
    hv.uncertainty.bootstrap_means(
        [1.0, 2.0], hv.uncertainty.Resamples.draw(2, 3), progress=lambda *call: calls.append(call)
    )
    assert calls == [(1, 3), (2, 3), (3, 3)]


def test_errors_of_curves(simulated, taxonomy):
    tree, truth, table = simulated
    resamples = hv.uncertainty.Resamples.draw(300, 2)
    for arguments, more, words in (
        ((tree, truth[:-1], table, resamples), {}, "truth: expected one node for each of the 300 samples"),
        ((tree, np.full(300, -1), table, resamples), {}, "truth: expected node numbers"),
        (
            (tree, truth, table, hv.uncertainty.Resamples.draw(299, 2)),
            {},
            "resamples: expected those of 300 samples, got 299",
        ),
        ((tree, truth, table, resamples), {"keys": ["correct", "speed"]}, "got 'speed'"),
        ((tree, truth, table, resamples), {"level": 0.0}, "level: expected a number between 0 and 1, got 0.0"),
    ):
        with pytest.raises(hv.PredictionsError) as caught:
            hv.uncertainty.bootstrap_curve(*arguments, **more)
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)
    graph = hv.Taxonomy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    with pytest.raises(hv.TaxonomyError, match="operating curve"):
        hv.uncertainty.bootstrap_curve(
            graph, np.zeros(1, int), hv.pareto_table(graph, np.ones((1, 4))), hv.uncertainty.Resamples.draw(1, 2)
        )


# Coverage ------------------------------------------------------------------------------------------------------------


KEYS = ("correct", "exact", "info_recall", "info_precision")


def allowed(n_datasets):
    """Largest distance from 95 %: the 2 points of the full program and 3 binomial standard errors of one threshold.

    Data sets are independent, and an average over thresholds varies less than one threshold.
    """
    return 0.02 + 3 * math.sqrt(0.95 * 0.05 / n_datasets)


@pytest.mark.long
def test_coverage_in_short():
    """Bands of one model and of the difference of two. The range of 39 draws is a 95 % interval: 38 / 40."""
    for tally in coverage.sample_coverage(150, 39, 300, np.linspace(0.1, 0.9, 9), KEYS, population=20_000):
        found = tally.coverage()
        assert all(abs(found[key] - 0.95) <= allowed(150) for key in KEYS), found


@pytest.mark.long
def test_coverage_of_groups_in_short():
    """Alike samples make a mean vary more: bands that take them for independent are too narrow."""
    grouped, single = coverage.group_coverage(60, 39, 500, np.linspace(0.1, 0.9, 9), KEYS, population=20_000)
    found, taken_alone = grouped.coverage(), single.coverage()
    for key in KEYS:
        assert abs(found[key] - 0.95) <= allowed(60), found
        assert grouped.mean_width(key) > 1.2 * single.mean_width(key)
        assert taken_alone[key] < 0.9
