"""Isotonic regression and Venn-Abers: against loops and scikit-learn, and by hand."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.uncertainty.confidence_maps import isotonic, isotonic_map, venn_abers


def naive_isotonic(p, events):
    """Pools of adjacent violators, one value after the other: the different p and their fit."""
    blocks = []
    for value in sorted(set(p)):
        own = [event for q, event in zip(p, events) if q == value]
        blocks.append([sum(own), len(own), [value]])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            hits, n, values = blocks.pop()
            blocks[-1] = [blocks[-1][0] + hits, blocks[-1][1] + n, blocks[-1][2] + values]
    return {value: hits / n for hits, n, values in blocks for value in values}


@pytest.mark.parametrize("seed", range(6))
def test_against_loops(seed):
    rng = np.random.default_rng(seed)
    # With ties for even seeds.
    p = rng.random(60) if seed % 2 else rng.integers(0, 12, 60) / 12
    events = rng.random(60) < p**2
    values, fitted = isotonic(p, events)
    expected = naive_isotonic(p.tolist(), events.tolist())
    assert dict(zip(values.tolist(), fitted.tolist())) == pytest.approx(expected)
    new = np.append(rng.random(5), p[:5])
    low, high, combined = venn_abers(p, events, new)
    for place, value in enumerate(new.tolist()):
        zero, one = (naive_isotonic([*p.tolist(), value], [*events.tolist(), e])[value] for e in (0, 1))
        assert (low[place], high[place]) == pytest.approx((zero, one), abs=1e-10)
        assert combined[place] == pytest.approx(one / (1 - zero + one), abs=1e-10)


def test_isotonic_of_scikit_learn():
    from sklearn.isotonic import IsotonicRegression

    rng = np.random.default_rng(9)
    p, new = rng.random(300), rng.random(50)
    events = rng.random(300) < p**2
    model = IsotonicRegression(out_of_bounds="clip").fit(p, events)
    np.testing.assert_allclose(isotonic_map(p, events, new), model.predict(new), atol=1e-12)


def test_venn_abers_by_hand():
    """Right at .2 of .1 and .9: at .5, with 0 the last two pool to a half at most; with 1 it is 1."""
    low, high, combined = venn_abers([0.1, 0.9], [False, True], [0.5])
    assert (low[0], high[0]) == pytest.approx((0, 1))
    assert combined[0] == pytest.approx(0.5)
    low, high, _ = venn_abers([0.1, 0.2, 0.9], [True, False, True], [0.2])
    # With 0 the first three pool to 1/3; with 1 to 2/3.
    assert (low[0], high[0]) == pytest.approx((1 / 3, 2 / 3))


def test_many_values_are_pooled():
    rng = np.random.default_rng(4)
    p = rng.random(5000)
    events = rng.random(5000) < p**2
    _, _, combined = venn_abers(p, events, np.linspace(0.05, 0.95, 50))
    assert np.abs(combined - np.linspace(0.05, 0.95, 50) ** 2).max() < 0.1
    assert (np.diff(combined) >= -1e-9).all()


def test_lengths_of_a_fit():
    with pytest.raises(hv.PredictionsError, match="of the same samples, got shapes"):
        isotonic([0.5], [True, False])
