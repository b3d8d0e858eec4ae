"""Bounds of a mean against exact rational arithmetic and against the definition."""

import math
from fractions import Fraction

import numpy as np
import pytest
from exact_binomial import exact_cdf

from hierviz.uncertainty.risk_bounds import binomial_cdf, binomial_p_value, hoeffding_bentkus_p_value, upper_bound


@pytest.mark.parametrize("p", [Fraction(1, 1000), Fraction(1, 20), Fraction(1, 3), Fraction(1, 2), Fraction(19, 20)])
def test_binomial(p):
    for n in (1, 2, 3, 10, 59):
        found = binomial_cdf(np.arange(-1, n + 2), n, float(p))
        expected = [0, *[float(exact_cdf(k, n, p)) for k in range(n + 1)], 1]
        np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.parametrize(("n", "p"), [(2000, Fraction(1, 20)), (2000, Fraction(1, 2)), (6000, Fraction(1, 50))])
def test_many_trials(n, p):
    """From far out in the lower tail, where 1 minus the upper one would be nothing but rounding, to the upper one."""
    mean, sd = float(n * p), float(n * p * (1 - p)) ** 0.5
    ks = sorted({max(0, min(n, round(mean + z * sd))) for z in (-12, -6, -2, -0.5, 0, 0.5, 2, 5)})
    expected = [float(exact_cdf(k, n, p)) for k in ks]
    assert expected[0] < 1e-18
    np.testing.assert_allclose(binomial_cdf(np.array(ks), n, float(p)), expected, rtol=1e-9)


def test_ends():
    assert binomial_cdf(0, 5, 0.0) == 1
    assert binomial_cdf(-1, 5, 0.0) == 0
    assert binomial_cdf(4, 5, 1.0) == 0
    assert binomial_cdf(5, 5, 1.0) == 1
    assert binomial_cdf(0, 10**6, 0.5) == 0
    assert binomial_cdf(0, 1000, 0.1) == pytest.approx(0.9**1000, rel=1e-10)


def test_hoeffding_bentkus():
    for n, alpha in ((7, 0.3), (50, 0.05), (400, 0.5)):
        risks = np.append(np.linspace(0, 1, 23), [alpha, 3 / n, 0.1 + 0.2])
        for risk, found in zip(risks.tolist(), hoeffding_bentkus_p_value(risks, n, alpha)):
            a = min(risk, alpha)
            h = (a * math.log(a / alpha) if a else 0) + (1 - a) * math.log((1 - a) / (1 - alpha))
            # n times a mean: 3 / n of n is 3, however it is rounded.
            bentkus = math.e * float(exact_cdf(math.ceil(risk * n - 1e-9), n, Fraction(alpha)))
            assert found == pytest.approx(min(math.exp(-n * h), bentkus, 1), rel=1e-9)


def test_upper_bound():
    """Clopper and Pearson: at the bound so few losses have probability delta; published one-sided examples."""
    for n, k, delta in ((20, 0, 0.05), (20, 1, 0.1), (300, 30, 0.01), (5000, 77, 0.2)):
        bound = float(upper_bound(binomial_p_value, k / n, n, delta))
        assert k / n < bound < 1
        assert float(exact_cdf(k, n, Fraction(bound))) == pytest.approx(delta, rel=1e-8)
    # No loss in n: 1 - delta^(1/n), for both bounds.
    for p_value in (binomial_p_value, hoeffding_bentkus_p_value):
        assert float(upper_bound(p_value, 0.0, 59, 0.05)) == pytest.approx(1 - 0.05 ** (1 / 59), rel=1e-12)
        assert float(upper_bound(p_value, 1.0, 59, 0.05)) == 1
    many = upper_bound(hoeffding_bentkus_p_value, np.array([[0.0, 0.2], [0.21, 0.9]]), 100, 0.1)
    assert many.shape == (2, 2)
    assert (np.diff(many.ravel()) > 0).all()
    # What the bound rules out, and what it just does not.
    assert (hoeffding_bentkus_p_value(np.array([[0.0, 0.2], [0.21, 0.9]]), 100, many) <= 0.1).all()
    assert (hoeffding_bentkus_p_value(np.array([[0.0, 0.2], [0.21, 0.9]]), 100, many - 1e-9) > 0.1).all()


def test_the_exact_bound_is_the_tighter_one():
    risks = np.arange(0, 101, 5) / 100
    exact, bounded = (upper_bound(f, risks, 100, 0.1) for f in (binomial_p_value, hoeffding_bentkus_p_value))
    assert (exact <= bounded + 1e-12).all()
    assert (bounded - exact)[2:].min() >= 0
    assert (bounded - exact).max() < 0.06
