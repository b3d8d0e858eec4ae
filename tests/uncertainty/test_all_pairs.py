"""Which of several models differ: by hand, against plain loops, of equal models and with a planted difference."""

import itertools

import numpy as np
import pytest
from scipy import stats

import hierviz as hv
from hierviz.uncertainty.comparison import clear_pairs, marks
from hierviz.uncertainty.resamples import Interval, percentile_ends
from hierviz.uncertainty.risk_bounds import wilson


def naive_clear(values, draws, level, n):
    """Straight from the conventions, one pair and one resample after the other."""
    pairs, gaps = list(itertools.combinations(range(len(values)), 2)), {}
    for a, b in pairs:
        apart = [x - y for x, y in zip(draws[a], draws[b])]
        gaps[a, b] = values[a] - values[b], np.std(apart, ddof=1), apart
    farthest = sorted(
        max(abs(apart[k] - gap) / error for gap, error, apart in gaps.values()) for k in range(len(draws[0]))
    )
    c = farthest[int(np.ceil(level * (len(farthest) - 1)))]
    c = stats.t.isf(stats.norm.sf(c), n - 1)
    return {pair: abs(gap) > c * error * (n / (n - 1)) ** 0.5 for pair, (gap, error, _) in gaps.items()}


def test_against_plain_loops():
    rng = np.random.default_rng(0)
    for n in (12, 60):
        values = np.array([0.5, 0.52, 0.6, 0.75])
        draws = values[:, None] + rng.normal(size=(4, 1)) * 0.01 + 0.05 * rng.normal(size=(4, 300))
        found = clear_pairs(values, draws, 0.9, n)
        expected = naive_clear(values, draws, 0.9, n)
        assert {(a, b): found[a, b] for a, b in expected} == expected
        assert (found == found.T).all()
        assert 0 < found.sum() < 12


def test_no_verdict():
    values, draws = np.array([1.0, 0.0]), np.repeat([[1.0], [0.0]], 100, axis=1)
    assert clear_pairs(values, draws, 0.95, 10)[0, 1]
    # Nine samples; too few resamples; too many that lack the number; a model without a value; the same up to rounding.
    assert not clear_pairs(values, draws, 0.95, 9).any()
    assert not clear_pairs(values, draws[:, :39], 0.95, 10).any()
    lacking = draws.copy()
    lacking[0, :3] = np.nan
    assert not clear_pairs(values, lacking, 0.95, 10).any()
    assert not clear_pairs([1.0, np.nan], lacking, 0.95, 10).any()
    assert not clear_pairs([0.1 + 0.2, 0.3], draws * 0 + [[0.1 + 0.2], [0.3]], 0.95, 10).any()
    # Infinite is clearly worse than finite, and not different from infinite.
    infinite = clear_pairs([np.inf, np.inf, 1.0], np.array([[np.inf] * 40, [np.inf] * 40, [1.0] * 40]), 0.95, 10)
    assert infinite.tolist() == [[False, False, True], [False, False, True], [True, True, False]]


def test_marks():
    clear = np.zeros((5, 5), dtype=bool)
    clear[0, 2:] = clear[2:, 0] = True
    assert marks([3.0, 2.9, 2, 2, np.nan], clear) == ["best", "tied", "second", "second", None]
    assert marks([0.3, 0.1 + 0.2, 0.2]) == ["best", "best", None]
    assert marks([np.nan, np.nan]) == [None, None]
    # Of two equal best ones, what is not clearly different from one of them is tied.
    assert marks([1, 1, 0.5], np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)) == ["best", "best", "tied"]


def simulated_tables(n_tables, k, n, seed=0, better=0.0):
    """Gains and draws of tables of k equally accurate methods, the first more accurate by `better`, as 0/1 of n samples."""
    for table in range(n_tables):
        rng = np.random.default_rng((seed, table, k))
        strength = 0.8 + rng.normal(size=(n, 1)) + 1.2 * rng.normal(size=(n, k))
        strength[:, 0] += better
        right = (strength > 0).astype(float)
        counts = rng.multinomial(n, np.full(n, 1 / n), size=400)
        yield right.mean(axis=0), (counts @ right / n).T


def continuous_tables(n_tables, k, n):
    """The same of normal values, which have no two equal means: the hardest for few samples."""
    for table in range(n_tables):
        rng = np.random.default_rng((table, k, n))
        values = rng.normal(size=(n, k))
        counts = rng.multinomial(n, np.full(n, 1 / n), size=400)
        yield values.mean(axis=0), (counts @ values / n).T


def share_with_a_worse(n_tables, k, n, tables=simulated_tables):
    """Share of tables of equal methods in which some are marked worse."""
    found = ["second" in marks(gains, clear_pairs(gains, draws, 0.95, n)) for gains, draws in tables(n_tables, k, n)]
    return float(np.mean(found))


def power(n_tables, k, n, better):
    """Share of the tables in which a method is clearly different from the better one: (all pairs, one pair alone)."""
    found = []
    for gains, draws in simulated_tables(n_tables, k, n, 1, better):
        clear = clear_pairs(gains, draws, 0.95, n)
        low, high = percentile_ends(draws[0] - draws[1], 0.95)
        found.append((clear[0, 1], low > 0 or high < 0))
    return np.mean(found, axis=0)


def test_equal_methods_are_rarely_marked_worse():
    """5 % and three standard errors of 100 tables."""
    for k, n in ((4, 60), (12, 20)):
        assert share_with_a_worse(100, k, n) <= 0.05 + 3 * (0.05 * 0.95 / 100) ** 0.5


@pytest.mark.long
@pytest.mark.parametrize("n", [10, 20, 50, 200, 600])
@pytest.mark.parametrize("k", [4, 8, 12])
def test_equal_methods_of_400_tables(k, n):
    found = share_with_a_worse(400, k, n)
    print(f"{k} equal methods, {n} samples: some marked worse in {found:.1%} of 400 tables")
    assert found <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5


@pytest.mark.long
@pytest.mark.parametrize("n", [15, 50])
@pytest.mark.parametrize("k", [4, 8, 12])
def test_equal_methods_with_normal_values(k, n):
    found = share_with_a_worse(400, k, n, continuous_tables)
    print(f"{k} equal methods, {n} normal values: some marked worse in {found:.1%} of 400 tables")
    assert found <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5


def test_a_large_difference_is_found_among_many():
    assert power(20, 12, 300, 1.0)[0] == 1


@pytest.mark.long
def test_power_of_400_tables():
    """A planted difference of about 9 points of accuracy, 600 samples."""
    for k in (2, 4, 8, 12):
        among, alone = power(400, k, 600, 0.45)
        print(
            f"{k} methods, one better: found in {among:.1%} of 400 tables, by one paired interval alone in {alone:.1%}"
        )
        assert among >= {2: 0.95, 4: 0.9, 8: 0.8, 12: 0.7}[k]
        assert k > 2 or abs(among - alone) < 0.03


# Ends of intervals ---------------------------------------------------------------------------------------------------


def test_ends_with_infinite_and_missing_draws():
    inf, nan = np.inf, np.nan
    draws = np.array([[1.0, 1, nan, -inf], [2, inf, 2, 2], [3, inf, 3, 3], [4, inf, 4, 4]])
    low, high = percentile_ends(draws, 0.9)
    # The third column lacks a quarter of its draws.
    np.testing.assert_array_equal(low, [1, 1, nan, -inf])
    np.testing.assert_array_equal(high, [4, inf, nan, 4])
    low, high = percentile_ends(np.full((4, 1), inf), 0.9)
    assert np.isnan([low, high]).all()  # infinite in every resample: no interval
    # One of forty draws may be missing.
    some = np.append(np.arange(39.0), nan)
    assert percentile_ends(some, 0.95) == (0, 38)


def test_fewer_than_ten_have_no_interval():
    values = np.arange(9.0)
    assert np.isnan(hv.uncertainty.bootstrap_means(values, hv.uncertainty.Resamples.draw(9, 100)).lower)
    ten = hv.uncertainty.bootstrap_means(np.arange(10.0), hv.uncertainty.Resamples.draw(10, 100))
    assert ten.lower < 4.5 < ten.upper
    for n_groups, has_one in ((9, False), (10, True)):
        resamples = hv.uncertainty.Resamples.draw(90, 100, groups=np.arange(90) % n_groups)
        found = hv.uncertainty.bootstrap_means(np.arange(90.0), resamples)
        assert np.isnan(found.lower) != has_one
        assert (resamples.why_no_interval is None) == has_one
        assert hv.uncertainty.no_clear_difference(found) or has_one
    # Values of nine of a hundred samples.
    gaps = np.where(np.arange(100) < 9, np.arange(100.0), np.nan)
    assert np.isnan(hv.uncertainty.bootstrap_means(gaps, hv.uncertainty.Resamples.draw(100, 100)).lower)


def test_a_difference_of_what_has_no_interval_has_none():
    resamples = hv.uncertainty.Resamples.draw(20, 100)
    one = Interval.from_draws(0.5, np.linspace(0.4, 0.6, 100), resamples)
    none = Interval(one.estimate, np.array(np.nan), np.array(np.nan), one.draws - 0.3, 0.95, resamples)
    assert np.isnan(hv.uncertainty.paired_difference(one, none).lower)


# Shares --------------------------------------------------------------------------------------------------------------


def test_shares_have_the_interval_of_wilson():
    right = np.repeat([1.0, 0.0], [49, 1])
    resamples = hv.uncertainty.Resamples.draw(50, 1000)
    found = hv.uncertainty.bootstrap_means(np.column_stack([right, right + 0.5, np.ones(50)]), resamples)
    for place, events in ((0, 49), (2, 50)):
        expected = stats.binomtest(events, 50).proportion_ci(0.95, method="wilson")
        assert (found.lower[place], found.upper[place]) == pytest.approx((expected.low, expected.high))
    assert (found.lower[1], found.upper[1]) == pytest.approx((1.44, 1.5))
    # Samples of groups are not independent: their interval is that of the resamples.
    grouped = hv.uncertainty.bootstrap_means(right, hv.uncertainty.Resamples.draw(50, 1000, groups=np.arange(50) // 2))
    assert (grouped.lower, grouped.upper) == (np.quantile(grouped.draws, 0.025), 1)


@pytest.mark.parametrize("p", [0.9, 0.95, 0.98, 0.99])
def test_coverage_of_shares_near_one(p):
    """By the binomial law, without simulation; a percentile interval of .98 at n = 50 covers 64 %."""
    n = 50
    k = np.arange(n + 1)
    low, high = wilson(k, n)
    covered = float(stats.binom.pmf(k, n, p)[(low <= p) & (p <= high)].sum())
    assert covered >= 0.9
    low, high = (stats.binom.ppf(tail, n, k / n) / n for tail in (0.025, 0.975))
    percentile = float(stats.binom.pmf(k, n, p)[(low <= p) & (p <= high)].sum())
    print(f"share {p}, n = {n}: Wilson covers {covered:.1%}, percentiles {percentile:.1%}")
    assert percentile < covered
    if p == 0.98:
        assert percentile == pytest.approx(0.636, abs=0.01)
