"""Tails and adjustments against exact counting, and scipy where it is installed."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.diagnosis.many_tests import adjusted, hypergeometric_tail, log_factorial


@many
@given(st.integers(1, 60), st.data())
def test_tail_against_counting(total, data):
    marked = data.draw(st.integers(0, total))
    drawn = data.draw(st.lists(st.integers(0, total), min_size=1, max_size=5))
    hits = [data.draw(st.integers(0, n)) for n in drawn]
    found = hypergeometric_tail(np.array(hits), np.array(drawn), marked, total)
    for p, a, n in zip(found, hits, drawn):
        ways = sum(math.comb(marked, x) * math.comb(total - marked, n - x) for x in range(a, n + 1))
        assert p == pytest.approx(float(Fraction(ways, math.comb(total, n))), rel=1e-10, abs=1e-300)


def test_tail_against_scipy():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    for total in (600, 100_000, 1_000_000):
        marked = total // 7
        drawn = rng.integers(10, total - 10, 300)
        mean = drawn * marked / total
        sd = np.sqrt(mean * (1 - marked / total) * (1 - drawn / total)) + 1
        hits = np.clip(np.rint(mean + rng.uniform(-6, 8, 300) * sd), 0, np.minimum(drawn, marked)).astype(int)
        expected = stats.hypergeom.sf(hits - 1, total, marked, drawn)
        np.testing.assert_allclose(hypergeometric_tail(hits, drawn, marked, total), expected, rtol=1e-6, atol=1e-300)


def test_tail_against_fisher():
    stats = pytest.importorskip("scipy.stats")
    table = [[36, 90], [25, 449]]
    expected = stats.fisher_exact(table, "greater").pvalue
    assert hypergeometric_tail(np.array([36]), np.array([126]), 61, 600)[0] == pytest.approx(expected, rel=1e-9)


def test_log_factorial():
    n = np.array([0, 1, 5, 255, 256, 257, 1000, 10**6])
    np.testing.assert_allclose(log_factorial(n), [math.lgamma(one + 1) for one in n.tolist()], rtol=1e-14)


@many
@given(
    st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.04, 0.05, 0.2, 1.0]), max_size=12),
    st.sampled_from(["bh", "by"]),
)
def test_adjusted_against_the_definition(values, correction):
    """An adjusted value is the smallest q at which the step-up procedure rejects."""
    n = len(values)
    factor = sum(1 / k for k in range(1, n + 1)) if correction == "by" else 1
    found = adjusted(np.array(values), correction)
    for p, one in zip(values, found.tolist()):
        ranks = [sum(other <= value for other in values) for value in values]
        bounds = [value * n * factor / rank for value, rank in zip(values, ranks) if value >= p]
        assert one == pytest.approx(min([1.0, *bounds]), abs=1e-12)


def test_correction():
    with pytest.raises(hv.PredictionsError, match=r"^correction: expected one of bh, by, got 'holm'\."):
        adjusted(np.array([0.5]), "holm")
