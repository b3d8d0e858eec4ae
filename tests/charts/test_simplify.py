"""Ramer-Douglas-Peucker keeps the shape: the bound, the ends, and curves worked by hand."""

import itertools

import numpy as np
import pytest
from chart_cases import curve_of, distance_to_polyline
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples

from hierviz.charts import curve_knots, curve_lines, simplify
from hierviz.charts.curve_knots import ThresholdScale, knots
from hierviz.charts.curve_lines import against_threshold, polylines


def largest_deviation(x, y, kept):
    """Largest distance of a point to the segment between the kept points around it, straight from the definition."""
    worst = 0.0
    for a, b in itertools.pairwise(kept):
        for i in range(a, b + 1):
            d = np.array([x[b] - x[a], y[b] - y[a]])
            v = np.array([x[i] - x[a], y[i] - y[a]])
            along = np.clip(v @ d / (d @ d), 0, 1) if d @ d > 0 else 0.0
            worst = max(worst, float(np.hypot(*(v - along * d))))
    return worst


def test_points_on_a_line_go_and_a_corner_stays():
    assert simplify([0, 1, 2, 3, 3, 3], [0, 0, 0, 0, 1, 2], 0.1).tolist() == [0, 3, 5]


def test_a_bump_below_the_tolerance_goes():
    assert simplify([0, 1, 2], [0, 0.09, 0], 0.1).tolist() == [0, 2]
    assert simplify([0, 1, 2], [0, 0.11, 0], 0.1).tolist() == [0, 1, 2]


def test_a_spike_along_its_own_line_stays():
    # Forth and back: the point is on the line through the ends, but not on the segment between them.
    assert simplify([0, 5, 1], [0, 0, 0], 0.1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_short_curves_are_kept_whole(n):
    assert simplify(np.arange(n), np.arange(n), 0.1).tolist() == list(range(n))


points = st.lists(st.tuples(st.floats(-500, 500), st.floats(-500, 500)), min_size=2, max_size=60)


@settings(max_examples=examples(75), deadline=None, derandomize=True, database=None)
@given(points, st.sampled_from([0.0, 0.1, 5.0, 80.0]))
def test_nothing_is_further_away_than_the_tolerance(points, tolerance):
    x, y = np.array(points).T
    kept = simplify(x, y, tolerance)
    assert kept[0] == 0
    assert kept[-1] == len(x) - 1
    assert np.all(np.diff(kept) > 0)
    assert largest_deviation(x, y, kept) <= tolerance + 1e-6


def one_at_a_time(x, y, tolerance):
    """Which points Douglas and Peucker keep, a segment at a time: of equally far ones the first."""

    def far(a, b):
        at = [largest_deviation(x[[a, i, b]], y[[a, i, b]], [0, 2]) for i in range(a + 1, b)]
        if not at or max(at) <= tolerance:
            return []
        middle = a + 1 + at.index(max(at))
        return [*far(a, middle), middle, *far(middle, b)]

    return [0, *far(0, len(x) - 1), len(x) - 1]


# Exact in binary: equal distances are equal however they are worked out.
steps = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-8, 0, 0, 8])), min_size=2, max_size=40)


@settings(max_examples=examples(75), deadline=None, derandomize=True, database=None)
@given(steps)
def test_all_segments_at_once_keep_what_one_at_a_time_does(steps):
    x, y = np.cumsum(steps, axis=0).astype(float).T
    # No distance of these is as near to it as a rounding error.
    assert simplify(x, y, 0.7171).tolist() == one_at_a_time(x, y, 0.7171)


def test_a_hundred_thousand_points_become_few():
    x = np.linspace(0, 1000, 100_000)
    y = 600 * np.exp(-x / 300)
    kept = simplify(x, y, 0.1)
    assert len(kept) < 120
    assert np.abs(np.interp(x, x[kept], y[kept]) - y).max() < 0.2


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_points_are_looked_at_in_any_blocks(monkeypatch, at_once):
    n, rng = 5000, np.random.default_rng(3)
    thresholds = np.unique(rng.random(n).round(4))[::-1]
    walk = np.cumsum(rng.normal(size=len(thresholds) + 1)) / 100
    curves = [curve_of(thresholds, info_recall=np.sort(walk.clip(0, 1)), correct=walk.clip(0, 1)) for _ in range(2)]

    def drawn(curve):
        axes = (0, 1), (0, 1)
        lines = [polylines({"m": curve}, "info_recall", "correct", *axes)]
        lines += [against_threshold({"m": curve}, "correct", (0, 1), scale) for scale in map(ThresholdScale, (0, 3))]
        return [line.to_numpy().tolist() for line in lines], knots({"m": curve}).tolist()

    monkeypatch.setattr(curve_lines, "MANY", 100)
    whole = drawn(curves[0])
    for file in (curve_lines, curve_knots):
        monkeypatch.setattr(file, "POINTS_AT_ONCE", at_once)
    assert drawn(curves[1]) == whole


@pytest.mark.long
def test_a_million_breakpoints_in_two_thousand_points():
    """A step up and down at every second breakpoint where little is recalled, as single sure mistakes make; then a fall."""
    n, rng = 1_000_000, np.random.default_rng(5)
    recall = np.linspace(0, 0.8, n + 1) ** 1.3
    noise = np.where(rng.random(n + 1) < 0.5, 1, -1) * 0.2 / (1 + np.arange(n + 1) / 40)
    correct = np.clip(1 - 0.5 * recall**3 + noise, 0, 1)
    curve = curve_of(np.linspace(1, 0, n + 2)[1:-1], info_recall=recall, correct=correct)
    found = polylines({"m": curve}, "info_recall", "correct", (0, 1), (0, 1))
    assert len(found) <= 2000
    kept = found[["x", "y"]].to_numpy()
    # All of the spikes, and samples of the rest, each to the drawn line; the axes have length 1.
    places = np.unique(np.concatenate([np.arange(1000), rng.integers(0, n + 1, 1500)]))
    assert np.ptp(correct[:100]) > 0.1
    worst = max(distance_to_polyline(np.array([recall[i], correct[i]]), kept) for i in places.tolist())
    assert worst < 0.001
    steps = against_threshold({"m": curve}, "correct", (0, 1), ThresholdScale())
    assert len(steps) <= 2000
