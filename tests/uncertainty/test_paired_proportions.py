"""Tango's score interval and the exact test of discordant pairs against published values, and against plain definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hierviz as hv
from hierviz.diagnosis.many_tests import discordant_p_values
from hierviz.uncertainty.paired_proportions import score_interval

Z95 = 1.959963984540054


def likeliest(gained, lost, n, difference):
    """The probability of a lost pair that is most likely under a difference, by bisection of the slope of the likelihood."""
    low, high = max(0.0, -difference), (1 - difference) / 2

    def slope(q):
        parts = [(lost, q, 1), (gained, q + difference, 1), (n - gained - lost, 1 - 2 * q - difference, -2)]
        return sum(weight * count / p if p > 0 else weight * math.inf for count, p, weight in parts if count)

    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return (low + high) / 2


def naive_score(gained, lost, n, difference):
    q = likeliest(gained, lost, n, difference)
    variance = n * (2 * q + difference - difference**2)
    return (gained - lost - n * difference) / math.sqrt(variance) if variance > 1e-12 else math.inf


def naive_interval(gained, lost, n):
    """Ends of the differences whose score is at most z, each by bisection."""
    estimate, ends = (gained - lost) / n, []
    for bound in (-1.0, 1.0):
        inside, outside = estimate, bound
        for _ in range(60):
            middle = (inside + outside) / 2
            is_in = abs(naive_score(gained, lost, n, middle)) <= Z95
            inside, outside = (middle, outside) if is_in else (inside, middle)
        ends.append(inside)
    return ends


def test_published_values():
    """Fagerland, Lydersen and Laake, Statistics in Medicine 33 (2014): airway hyper-responsiveness, cells 1, 1, 7 and 12.

    Tango's interval -0.517 to -0.026; McNemar's exact test 0.0703.
    """
    lower, upper = score_interval(1, 7, 21)
    assert (round(float(lower), 3), round(float(upper), 3)) == (-0.517, -0.026)
    assert discordant_p_values(np.array([1]), np.array([7]))[0] == pytest.approx(0.0703, abs=5e-5)


@pytest.mark.long
@given(st.integers(0, 25), st.integers(0, 25), st.integers(0, 60))
def test_interval_solves_the_score_equation(gained, lost, ties):
    n = gained + lost + ties
    if not n:
        return
    expected = naive_interval(gained, lost, n)
    found = score_interval(gained, lost, n)
    assert np.allclose(found, expected, atol=1e-6), (found, expected)
    assert found[0] <= (gained - lost) / n <= found[1]
    # The other model first: the same interval with the other sign.
    assert np.allclose(score_interval(lost, gained, n), (-found[1], -found[0]), atol=1e-9)


def test_interval_of_many_at_once_and_of_none():
    lower, upper = score_interval([1, 0, 40], [7, 0, 20], [21, 0, 160])
    assert lower[0] == score_interval(1, 7, 21)[0]
    assert np.isnan([lower[1], upper[1]]).all()
    assert (lower[2], upper[2]) == score_interval(40, 20, 160)
    # A higher level is wider; more pairs are narrower.
    assert score_interval(1, 7, 21, 0.99)[0] < lower[0]
    assert score_interval(10, 70, 210)[0] > lower[0]


def test_bad_counts_are_named():
    with pytest.raises(hv.PredictionsError, match="no more discordant pairs than samples"):
        score_interval(5, 6, 10)
    with pytest.raises(hv.PredictionsError, match=">= 0"):
        score_interval(-1, 6, 10)
    with pytest.raises(hv.PredictionsError, match="level"):
        score_interval(1, 6, 10, 1.0)


@given(st.integers(0, 60), st.integers(0, 60))
def test_exact_p_value_by_counting(gained, lost):
    n, fewer = gained + lost, min(gained, lost)
    expected = min(1.0, 2 * sum(math.comb(n, k) for k in range(fewer + 1)) / 2**n)
    assert discordant_p_values(np.array([gained]), np.array([lost]))[0] == pytest.approx(expected, rel=1e-9)


def test_exact_p_value_of_very_many_pairs():
    found = discordant_p_values(np.array([50_000, 500_000, 0]), np.array([51_000, 500_000, 2000]))
    # Nearly normal: z = 999 / sqrt(101000) with the correction for continuity.
    assert found[0] == pytest.approx(math.erfc(999 / math.sqrt(101_000) / math.sqrt(2)), rel=1e-3)
    assert found[1] == 1.0
    assert 0 <= found[2] < 1e-300
