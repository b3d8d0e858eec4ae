"""Guarantees for new samples: the procedure step by step, and how often it is wrong on populations that are known."""

import math

import naive
import numpy as np
import pytest
import strategies
from exact_binomial import exact_cdf
from hypothesis import given, settings
from hypothesis import strategies as st

import hierviz as hv
from benchmarks.guarantee import population, simulate
from hierviz.curves.operating_curve import THOUSANDTHS
from hierviz.thresholds.risk_control import (
    guaranteed_keys,
    guaranteed_threshold,
    thresholds_in_order,
)
from hierviz.uncertainty.resamples import split_samples

some = settings(max_examples=60, deadline=None, derandomize=True, database=None)
GRID = np.array([0.9, 0.75, 0.5, 0.4, 0.3, 0.25, 0.1, 0.0])


@pytest.fixture(scope="module")
def world():
    return population(n_groups=400, largest=5)


def p_value(losses, alpha, is_exact):
    n, risk = len(losses), sum(losses) / len(losses)
    tail = float(exact_cdf(math.ceil(sum(losses) - 1e-9), n, alpha))
    if is_exact:
        return tail
    a = min(risk, alpha)
    h = (a * math.log(a / alpha) if a else 0) + (1 - a) * math.log((1 - a) / (1 - alpha))
    return min(math.exp(-n * h), math.e * tail)


def step_by_step(graph, p, truth, key, alpha, delta, groups):
    """Test one threshold after the other, stop at the first that fails: (last that passed, its mean loss)."""
    last = None
    for threshold in GRID.tolist():
        pairs = [(y, naive.rule_threshold(graph, row, threshold)) for row, y in zip(p, truth)]
        losses = [1 - naive.path_metrics(graph, y, node)[key] for y, node in pairs]
        if groups is not None:
            own = {one: [loss for loss, group in zip(losses, groups) if group == one] for one in groups}
            losses = [sum(one) / len(one) for one in own.values()]
        value = p_value(losses, alpha, is_exact=groups is None and key in ("correct", "exact"))
        assert abs(value - delta) > 1e-9 or value == delta
        if value > delta:
            break
        last = threshold, sum(losses) / len(losses)
    return last


@some
@given(
    strategies.judged(strategies.trees(7), most=4),
    st.sampled_from(["correct", "exact", "info_f1", "depth_precision"]),
    st.sampled_from([0.05, 0.2, 0.5]),
    st.sampled_from([0.1, 0.3]),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_fixed_sequence(case, key, alpha, delta, by_group, random):
    graph, taxonomy, p, truth = case
    picks = np.array([random.randrange(len(p)) for _ in range(12)])
    p, truth = p[picks], truth[picks]
    groups = [f"g{random.randrange(6)}" for _ in picks]
    groups = [*groups[:-2], "x", "y"] if by_group else None
    found = guaranteed_threshold(
        taxonomy,
        truth,
        hv.pareto_table(taxonomy, p),
        alpha,
        delta,
        key=key,
        groups=groups,
        thresholds=GRID,
        fraction=None,
    )
    expected = step_by_step(graph, p.tolist(), truth.tolist(), key, alpha, delta, groups)
    assert found.unit == ("group" if by_group else "sample")
    assert found.n_calibration == (len(set(groups)) if by_group else 12)
    assert found.is_feasible == (expected is not None)
    if expected is None:
        assert found.threshold is None
        assert found.sentence == found.why_not
    else:
        assert found.threshold == expected[0]
        assert found.risk_calibration == pytest.approx(expected[1], abs=1e-12)
        assert found.risk_calibration <= found.bound <= alpha


def test_orders():
    """All are parts of the same grid, fixed beforehand; where the loss is smallest comes first."""
    assert thresholds_in_order("correct")[0] == 1
    assert (
        thresholds_in_order("exact")[0]
        == thresholds_in_order("info_recall")[0]
        == thresholds_in_order("info_f1")[0]
        == 0
    )
    for order in map(thresholds_in_order, guaranteed_keys()):
        assert sorted(order, reverse=True) == THOUSANDTHS.tolist()
        assert (np.abs(np.diff(order)) < 0.0011).all()


def test_being_wrong_is_not_monotone_below_a_half():
    """An answer may jump to another branch: the error falls from 1 to 0 as tau falls."""
    taxonomy = hv.Taxonomy.from_edges(
        [("r", "a"), ("a", "b"), ("a", "c"), ("r", "d"), ("d", "e"), ("d", "f"), ("d", "g")]
    )
    # r a b c d e f g: a is worth log2(5/2) bits, e log2 5.
    p = np.array([[1, 0.48, 0.24, 0.24, 0.52, 0.4, 0.07, 0.05]])
    curve = hv.operating_curve(taxonomy, taxonomy.nodes("e"), hv.pareto_table(taxonomy, p))
    assert curve.at(np.array([0.6, 0.5, 0.45, 0.3]))["correct"].tolist() == [1, 1, 0, 1]


def test_by_hand():
    """Binomial: 0 errors in 29 exclude 10 % with 95 % confidence (0.9^29 = 0.047), 0 in 28 do not (0.052)."""
    flat = hv.Taxonomy.from_edges([("r", "a"), ("r", "b")])

    def found(n_right, n_wrong):
        # Wrong answers appear below 0.6 only, right ones below 0.8.
        p = np.array([[1, 0.8, 0.2]] * n_right + [[1, 0.6, 0.4]] * n_wrong)
        truth = np.array([1] * n_right + [2] * n_wrong)
        return guaranteed_threshold(flat, truth, hv.pareto_table(flat, p), 0.1, 0.05, fraction=None)

    assert found(29, 0).threshold == 0
    assert found(28, 0).why_not == (
        "28 calibration samples are too few: a confidence of 95 % that at most 10 % of the answers to new samples are wrong "
        "needs at least 29, even without any loss."
    )
    # One error of 46: P(Bin(46, 0.1) <= 1) = 0.0480; of 45: 0.0524. Above 0.6 there is none.
    assert found(45, 1).threshold == 0
    some = found(44, 1)
    assert (some.threshold, some.risk_calibration, some.method, some.n_calibration) == (0.6, 0, "binomial", 45)
    assert some.bound == pytest.approx(1 - 0.05 ** (1 / 45))
    assert some.sentence == (
        "With a confidence of 95 %, at most 10 % of the answers to new samples are wrong at the threshold 0.6."
    )
    assert some.to_json()["bound"] == some.bound
    assert some.to_json()["assumption"] == some.assumption


def test_choose_on_one_part_check_on_the_other(world):
    found = guaranteed_threshold(world.taxonomy, world.truth, world.table, 0.1, 0.1, fraction=0.25, seed=5)
    first, second = split_samples(len(world.truth), 0.25, seed=5)
    assert (found.n_calibration, found.n_check) == (len(first), len(second))
    alone = guaranteed_threshold(world.taxonomy, world.truth[first], world.table.take(first), 0.1, 0.1, fraction=None)
    assert (found.threshold, found.bound) == (alone.threshold, alone.bound)
    assert (alone.n_check, alone.risk_check) == (0, None)
    right = world.taxonomy.is_ancestor(world.table.nodes_at(found.threshold), world.truth)
    assert found.risk_check == pytest.approx(1 - right[second].mean(), abs=1e-12)
    assert found.risk_calibration == pytest.approx(1 - right[first].mean(), abs=1e-12)
    assert guaranteed_threshold(world.taxonomy, world.truth, world.table, 0.1, 0.1, fraction=0.25, seed=5) == found
    # The next one down is not certified: the answer is the last.
    step = THOUSANDTHS[found.threshold > THOUSANDTHS][0]
    wrong = 1 - world.taxonomy.is_ancestor(world.table.nodes_at(step), world.truth)[first].mean()
    assert float(exact_cdf(round(wrong * len(first)), len(first), 0.1)) > 0.1


def test_groups_are_units(world):
    names = [f"place {one}" for one in world.group]
    found = guaranteed_threshold(world.taxonomy, world.truth, world.table, 0.1, 0.1, groups=names)
    assert (found.unit, found.method, found.n_calibration, found.n_check) == ("group", "hoeffding_bentkus", 200, 200)
    wrong = ~world.taxonomy.is_ancestor(world.table.nodes_at(found.threshold), world.truth)
    first, second = split_samples(len(names), 0.5, seed=0, groups=names)
    for rows, risk in ((first, found.risk_calibration), (second, found.risk_check)):
        means = [wrong[rows][world.group[rows] == one].mean() for one in np.unique(world.group[rows])]
        assert risk == pytest.approx(np.mean(means), abs=1e-12)
    assert "groups" in found.sentence
    assert "groups" in found.assumption


@some
@given(st.integers(2, 40), st.floats(0.01, 0.99), st.integers(0, 99), st.data())
def test_split(n, fraction, seed, data):
    groups = data.draw(st.none() | st.lists(st.sampled_from("abcdef"), min_size=n, max_size=n))
    if groups is not None and len(set(groups)) < 2:
        with pytest.raises(hv.PredictionsError, match="at least two groups"):
            split_samples(n, fraction, seed=seed, groups=groups)
        return
    first, second = split_samples(n, fraction, seed=seed, groups=groups)
    assert sorted([*first, *second]) == list(range(n))
    assert first.tolist() == sorted(first)
    assert second.tolist() == sorted(second)
    units = n if groups is None else len(set(groups))
    sides = [set(rows.tolist()) if groups is None else {groups[row] for row in rows} for rows in (first, second)]
    assert not sides[0] & sides[1]
    assert len(sides[0]) == min(max(round(fraction * units), 1), units - 1)
    again, _ = split_samples(n, fraction, seed=seed, groups=groups)
    assert first.tolist() == again.tolist()


@pytest.mark.long
@pytest.mark.parametrize(
    ("key", "n_units", "alpha", "more"),
    [("correct", 200, 0.1, {}), ("info_recall", 200, 0.55, {"by_group": True})],
)
def test_the_promise_is_kept(world, key, n_units, alpha, more):
    """1,000 times from a known population: above alpha in at most delta of them plus three standard errors."""
    found = simulate(world, 1000, key, n_units, alpha, 0.1, **more)
    assert found.is_kept(0.1)
    assert found.refused < 0.6
    # Without an allowance for chance about half are above: the population is one where a promise can be broken.
    assert found.careless_excess > 0.3
    if not more and key == "correct":
        # The exact bound gives away little: it is not kept by answering nothing.
        assert found.excess > 0.02
        assert found.mean_risk > 0.4 * alpha


def test_targets_out_of_reach(world):
    for key, alpha in (("exact", 0.2), ("info_f1", 0.05)):
        found = guaranteed_threshold(world.taxonomy, world.truth, world.table, alpha, 0.1, key=key)
        assert not found.is_feasible
        assert (found.threshold, found.risk_check) == (None, None)
        assert found.why_not.startswith(
            f"No threshold can be certified: at {thresholds_in_order(key)[0]:g}, the first one tested"
        )
        assert found.bound > alpha
        assert found.to_json()["threshold"] is None
    few = np.arange(40)
    found = guaranteed_threshold(world.taxonomy, world.truth[few], world.table.take(few), 0.01, 0.1)
    assert found.why_not.startswith("20 calibration samples are too few")
    assert "at least 230, even" in found.why_not


def test_errors(world):
    def call(truth=world.truth, **more):
        return guaranteed_threshold(world.taxonomy, truth, world.table, **more)

    n = len(world.truth)
    for more, message in (
        ({"alpha": 5}, r"^alpha: expected a number between 0 and 1, got 5\. "),
        ({"alpha": 0.0}, r"^alpha: expected a number between 0 and 1, got 0\.0"),
        ({"delta": float("nan")}, r"^delta: expected a number between 0 and 1, got nan"),
        ({"key": "info_dist"}, r"^key: expected one of correct, exact, .*, got 'info_dist'"),
        ({"fraction": 1.0}, r"^fraction: expected a number between 0 and 1, got 1\.0"),
        ({"seed": -1}, r"^seed: expected a whole number from 0 up, got -1"),
        ({"truth": world.truth[:-1]}, rf"^truth: expected one node for each of the {n} samples"),
        ({"groups": ["a"]}, rf"^groups: expected one label for each of the {n} samples"),
        ({"groups": ["a"] * n}, r"^groups: expected at least two groups"),
        ({"groups": ["a", None] + ["b"] * (n - 2)}, r"^groups: expected a label for every sample, got none in rows 1"),
        ({"thresholds": []}, r"^thresholds: expected a list of numbers from 0 to 1, got shape \(0,\)"),
        ({"thresholds": [0.5, 2.0]}, r"^threshold: expected a number from 0 to 1, got 2\.0"),
    ):
        with pytest.raises(hv.PredictionsError, match=message):
            call(**more)
    with pytest.raises(hv.PredictionsError, match=r"^split: expected at least two samples, got 1"):
        guaranteed_threshold(world.taxonomy, world.truth[:1], world.table.take(np.array([0])))
