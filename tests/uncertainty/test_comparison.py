"""Paired differences and ties: by hand, against the draws, and of a model with itself."""

import numpy as np
import pytest

import hierviz as hv
from benchmarks import interval_coverage as coverage
from hierviz.uncertainty.bootstrap import CurveBands
from hierviz.uncertainty.resamples import Interval
from hierviz.uncertainty.student import t_quantile

close, equal = np.testing.assert_allclose, np.testing.assert_array_equal
N = 400
RESAMPLES = hv.uncertainty.Resamples.draw(N, 200, seed=4)


@pytest.fixture(scope="module")
def models():
    """Bands of a model, of one a little worse on the same samples, and of the first one again."""
    taxonomy, rng = coverage.uneven_tree(3), np.random.default_rng(0)
    table, truth = coverage.simulate(taxonomy, np.full(N, 3.0), rng)
    worse, _ = coverage.simulate(taxonomy, np.full(N, 1.0), rng, truth)
    return [
        hv.uncertainty.bootstrap_curve(taxonomy, truth, one, RESAMPLES, thresholds=[1, 0.5, 0])
        for one in (
            table,
            worse,
            hv.inference.ParetoTable(table.offsets.copy(), table.nodes.copy(), table.scores.copy()),
        )
    ]


def interval(draws, estimate=0.0, resamples=RESAMPLES, level=0.95):
    return Interval.from_draws(estimate, np.asarray(draws, dtype=float), resamples, level)


def test_a_model_and_itself(models):
    difference = hv.uncertainty.paired_difference(models[0], models[2])
    for one in (*difference.curve.values(), *difference.summary.values()):
        for values in (one.estimate, one.lower, one.upper, one.draws):
            assert (values == 0).all()
        assert hv.uncertainty.no_clear_difference(one).all()


def test_difference_of_bands(models):
    better, worse, _ = models
    difference = hv.uncertainty.paired_difference(better, worse)
    assert (list(difference.curve), list(difference.summary)) == (list(better.curve), list(better.summary))
    for part in ("curve", "summary"):
        for key, one in getattr(difference, part).items():
            a, b = getattr(better, part)[key], getattr(worse, part)[key]
            close(one.estimate, a.estimate - b.estimate)
            ordered = np.sort(a.draws - b.draws, axis=0)
            equal(one.lower, ordered[4])
            equal(one.upper, ordered[195])
            equal(hv.uncertainty.no_clear_difference(one), (ordered[4] <= 0) & (ordered[195] >= 0))
    # Everyone answers the root at threshold 1; the better model names more leaves at threshold 0.
    recall = difference.curve["info_recall"]
    assert hv.uncertainty.no_clear_difference(recall).tolist() == [True, False, False]
    assert recall.lower[2] > 0
    back = hv.uncertainty.paired_difference(worse, better).curve["info_recall"]
    close(back.upper, -recall.lower)


def test_pairing_narrows(models):
    """Two models that are right on the same samples: their difference varies less than each of them."""
    right = np.random.default_rng(1).random(N)
    a, b = (hv.uncertainty.bootstrap_means(values, RESAMPLES) for values in (right, right**2))
    difference = hv.uncertainty.paired_difference(a, b)
    assert difference.upper - difference.lower < 0.5 * (a.upper - a.lower)
    per_sample = hv.uncertainty.bootstrap_means(right - right**2, RESAMPLES)
    close([difference.lower, difference.upper], [per_sample.lower, per_sample.upper], rtol=1e-9)
    assert not hv.uncertainty.no_clear_difference(difference)
    # The two intervals alone overlap for a smaller gap that is as clear.
    c = hv.uncertainty.bootstrap_means(right - 0.01, RESAMPLES)
    assert c.upper > a.lower
    assert not hv.uncertainty.no_clear_difference(hv.uncertainty.paired_difference(a, c))


def test_only_keys_of_both(models):
    better, worse, _ = models
    few = CurveBands(worse.thresholds, {"exact": worse.curve["exact"]}, {"ap": worse.summary["ap"]})
    difference = hv.uncertainty.paired_difference(better, few)
    assert (list(difference.curve), list(difference.summary)) == (["exact"], ["ap"])


@pytest.mark.parametrize(
    ("lower", "upper", "unclear"),
    [(-1, 1, True), (0, 1, True), (-1, 0, True), (0, 0, True), (1, 2, False), (-2, -1, False), (np.nan, np.nan, True)],
)
def test_no_clear_difference(lower, upper, unclear):
    assert hv.uncertainty.no_clear_difference(interval([lower, upper])) == unclear


def test_infinite_means_have_no_known_difference():
    one = interval([np.inf, np.inf, 1], np.inf)
    found = hv.uncertainty.paired_difference(one, one)
    assert np.isnan([found.estimate, found.lower, found.upper]).all()
    assert hv.uncertainty.no_clear_difference(found)


# Ties ----------------------------------------------------------------------------------------------------------------


def test_ties_of_single_numbers():
    noise = np.linspace(-1, 1, 200)
    # b moves with the best one but is always lower; c is lower on average and often higher; d is unknown.
    a, b = interval(10 + noise, 10), interval(9.9 + noise, 9.9)
    c, d = interval(9.8 - noise, 9.8), interval(np.full(200, np.nan), np.nan)
    assert hv.uncertainty.tied_with_best([b, a, d, c]).tolist() == [False, True, False, True]
    assert hv.uncertainty.tied_with_best([a]).tolist() == [True]
    assert hv.uncertainty.tied_with_best([a, a]).tolist() == [True, True]
    assert hv.uncertainty.tied_with_best([d, d]).tolist() == [False, False]
    # Where lower is better c is the best one, and both others are often lower; without it b is, always.
    assert hv.uncertainty.tied_with_best([a, d, b, c], higher_is_better=False).tolist() == [True, False, True, True]
    assert hv.uncertainty.tied_with_best([a, b], higher_is_better=False).tolist() == [False, True]


def test_ties_of_columns():
    """Each column has its own best model, as if it stood alone."""
    rng = np.random.default_rng(7)
    estimates = rng.random((4, 6))
    draws = estimates[:, None] + rng.normal(0, 0.12, (4, 200, 6))
    models = [interval(one, estimate) for one, estimate in zip(draws, estimates)]
    found = hv.uncertainty.tied_with_best(models)
    assert found.shape == (4, 6)
    for j in range(6):
        assert found[estimates[:, j].argmax(), j]
        equal(found[:, j], hv.uncertainty.tied_with_best([interval(draws[i, :, j], estimates[i, j]) for i in range(4)]))
    assert 6 < found.sum() < 24


def test_errors(models):
    a = interval(np.zeros(200))
    others = {
        "resamples": interval(np.zeros(200), resamples=hv.uncertainty.Resamples.draw(N, 200, seed=5)),
        "intervals": interval(np.zeros(200), level=0.9),
        "intervals:": interval(np.zeros((200, 2))),
    }
    for words, other in others.items():
        for call in (lambda b: hv.uncertainty.paired_difference(a, b), lambda b: hv.uncertainty.tied_with_best([a, b])):
            with pytest.raises(hv.PredictionsError, match=words) as caught:
                call(other)
            assert "\n" not in str(caught.value)
    with pytest.raises(hv.PredictionsError, match="models: expected at least one"):
        hv.uncertainty.tied_with_best([])
    moved = CurveBands(models[0].thresholds / 2, models[0].curve, models[0].summary)
    with pytest.raises(hv.PredictionsError, match="thresholds: expected the same"):
        hv.uncertainty.paired_difference(models[0], moved)


def test_difference_of_methods_with_runs():
    # Three runs and two: the variance over samples of the difference of the means, plus s_A² / 3 + s_B² / 2, by Welch.
    rng = np.random.default_rng(1)
    own = [interval(rng.normal(value, 0.01, 200), value) for value in (0.90, 0.92, 0.88, 0.80, 0.84)]
    first, second = own[:3], own[3:]
    found = hv.uncertainty.paired_difference(first, second)
    draws = np.mean([one.draws for one in first], axis=0) - np.mean([one.draws for one in second], axis=0)
    parts = [draws.var(ddof=1) * N / (N - 1), 0.02**2 / 3, 0.0008 / 2]
    degrees = sum(parts) ** 2 / (parts[0] ** 2 / (N - 1) + parts[1] ** 2 / 2 + parts[2] ** 2 / 1)
    half = t_quantile(0.95, degrees) * np.sqrt(sum(parts))
    close(found.estimate, 0.90 - 0.82)
    close((found.lower, found.upper), (0.08 - half, 0.08 + half))
    # The draws have the spread of the interval, for bands along a range.
    close(found.draws.std(ddof=1), half / 1.959964, rtol=0.15)
    # The runs alone make the difference unclear: without their spread it is clear.
    alone = hv.uncertainty.paired_difference(first[:1], second[:1])
    equal(alone.lower, hv.uncertainty.paired_difference(first[0], second[0]).lower)
    assert not hv.uncertainty.no_clear_difference(alone)
    assert half > 3 * (alone.upper - alone.lower) / 2
    with pytest.raises(hv.HiervizError, match="at least one run"):
        hv.uncertainty.paired_difference([], second)


def test_bands_of_methods_with_runs(models):
    better, worse, again = models
    found = hv.uncertainty.paired_difference([better, worse], [again])
    key = "info_recall"
    close(
        found.curve[key].estimate,
        (better.curve[key].estimate + worse.curve[key].estimate) / 2 - again.curve[key].estimate,
    )
    # At threshold 1 every run answers the root: no difference, no width.
    equal((found.curve[key].lower[0], found.curve[key].upper[0]), (0, 0))
    # Two runs that are the same have no spread between them: the interval is that over samples, of Student.
    same = hv.uncertainty.paired_difference([better, again], [worse]).summary["ac"]
    alone = hv.uncertainty.paired_difference(better, worse).summary["ac"]
    half = t_quantile(0.95, N - 1) * alone.draws.std(ddof=1) * np.sqrt(N / (N - 1))
    close((same.lower, same.upper), (alone.estimate - half, alone.estimate + half))
