"""Thresholds by target, against every breakpoint; the values returned are those that the threshold gives."""

import math
from decimal import Decimal
from fractions import Fraction

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import hierviz as hv
from hierviz.thresholds import selection as goals

some = settings(max_examples=60, deadline=None, derandomize=True, database=None)
few = strategies.judged(strategies.trees(8), most=3)
LEVELS = (0.0, 0.5, 2 / 3, 0.75, 0.9, 1.0)


def setting(case):
    _, taxonomy, p, truth = case
    table = hv.pareto_table(taxonomy, p)
    return taxonomy, table, truth, hv.operating_curve(taxonomy, truth, table)


def every_point(graph, p, truth):
    """(low, high, [(truth, answer), ...]) of each stretch of thresholds in [0, 1], most careful first."""
    thresholds, _ = naive.curve(graph, p.tolist(), truth.tolist())
    found = []
    for low, high in zip([*thresholds, -math.inf], [math.inf, *thresholds]):
        low = max(low, 0.0)
        if low <= 1 and low < high:
            answers = [naive.rule_threshold(graph, row, low) for row in p.tolist()]
            found.append((low, high, list(zip(truth.tolist(), answers))))
    return found


def mean_of(graph, pairs, key):
    return naive.mean([naive.path_metrics(graph, y, node)[key] for y, node in pairs])


def cost_of(graph, pairs, wrong, vague):
    costs = []
    for y, node in pairs:
        # An answer below the truth is the truth: correct, and nothing is missing.
        cut = y if y in naive.ancestors(graph, node) else node
        if cut not in naive.ancestors(graph, y):
            costs.append(wrong)
        else:
            due = naive.information(graph, y)
            costs.append(vague * (1 - naive.information(graph, cut) / due) if due else 0)
    return naive.mean(costs)


def check(choice, curve, points, value, is_allowed):
    """The choice is the first of the best allowed stretches, inside it, and keeps its word."""
    allowed = [(low, high, value(pairs)) for low, high, pairs in points if is_allowed(pairs)]
    assert choice.is_feasible == bool(allowed)
    if not allowed:
        assert choice.threshold is None
        assert choice.values == {}
        assert choice.why_not.endswith(".")
        return
    best = max(one for *_, one in allowed)
    low, high, _ = next(one for one in allowed if one[2] >= best - 1e-12)
    assert low <= choice.threshold < high
    assert 0 <= choice.threshold <= 1
    assert choice.why_not is None
    for key, one in curve.at(choice.threshold).items():
        assert choice.values[key] == one


@some
@given(few, st.sampled_from(LEVELS), st.sampled_from(["info_recall", "exact", "depth_f1", "info_dist"]))
def test_most_specific_with_enough_correct(case, level, key):
    graph, _, p, truth = case
    *_, curve = setting(case)
    points = every_point(graph, p, truth)
    sign = -1 if key.endswith("dist") else 1
    choice = goals.choose(curve, key, {"correct": level})
    check(
        choice,
        curve,
        points,
        lambda pairs: sign * mean_of(graph, pairs, key),
        lambda pairs: mean_of(graph, pairs, "correct") >= level,
    )
    if choice.is_feasible:
        for name in ("correct", key):
            at = naive.mean_metrics(graph, p.tolist(), truth.tolist(), choice.threshold)[name]
            assert choice.values[name] == pytest.approx(at, abs=1e-12)
    check(goals.choose(curve, key), curve, points, lambda pairs: sign * mean_of(graph, pairs, key), lambda pairs: True)


prices = st.sampled_from([0.0, 0.5, 1.0, 3.0])


@some
@given(few, prices, prices, st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_costs(case, wrong, vague, most):
    graph, _, p, truth = case
    taxonomy, table, truth, curve = setting(case)
    priced = goals.with_costs(curve, taxonomy, truth, table, wrong=wrong, vague=vague)
    points = every_point(graph, p, truth)
    for low, _, pairs in points:
        assert priced.at(low)["cost"] == pytest.approx(cost_of(graph, pairs, wrong, vague), abs=1e-12)
        assert priced.at(low)["missing"] == pytest.approx(cost_of(graph, pairs, 0, 1), abs=1e-12)
    check(
        goals.choose(priced, "cost"),
        priced,
        points,
        lambda pairs: -cost_of(graph, pairs, wrong, vague),
        lambda pairs: True,
    )
    check(
        goals.choose(priced, subject_to={"cost": most}),
        priced,
        points,
        lambda pairs: mean_of(graph, pairs, "info_recall"),
        lambda pairs: cost_of(graph, pairs, wrong, vague) <= most + 1e-12,
    )
    # Other prices: the same shares, priced anew.
    again = goals.with_costs(priced, taxonomy, truth, table, wrong=2, vague=1)
    close = goals.with_costs(curve, taxonomy, truth, table, wrong=2, vague=1)
    np.testing.assert_array_equal(again.values["cost"], close.values["cost"])


@some
@given(few, st.sampled_from(LEVELS), st.data())
def test_few_shallow_answers(case, share, data):
    graph, _, p, truth = case
    taxonomy, table, truth, curve = setting(case)
    depth = data.draw(st.integers(0, taxonomy.max_depth))

    def above(pairs):
        return Fraction(sum(naive.depth(graph, node) < depth for _, node in pairs), len(pairs))

    choice = goals.choose(goals.with_shallow_answers(curve, taxonomy, table, depth), "correct", {"above_depth": share})
    check(
        choice,
        curve,
        every_point(graph, p, truth),
        lambda pairs: mean_of(graph, pairs, "correct"),
        lambda pairs: float(above(pairs)) <= share,
    )
    if choice.is_feasible:
        answers = table.nodes_at(choice.threshold)
        assert choice.values["above_depth"] == (taxonomy.depth[answers] < depth).mean()


units = st.floats(0, 1, allow_subnormal=False)


@settings(max_examples=strategies.examples(100), deadline=None, derandomize=True, database=None)
@given(st.one_of(st.tuples(units, units), st.tuples(units, st.just(math.inf)), st.tuples(units, st.just(None))))
def test_typeable(pair):
    """Inside, and no number inside has fewer decimals."""
    low, high = pair
    high = math.nextafter(low, 2) if high is None else high
    if high <= low:
        low, high = high, math.nextafter(low, 2)
    found = goals.typeable(low, high)
    assert low <= found < high
    assert found <= 1
    decimals = max(-Decimal(repr(found)).normalize().as_tuple().exponent, 0)
    for fewer in range(min(decimals, 18)):
        base = math.floor(Fraction(low) * 10**fewer)
        around = [float(f"{whole}e-{fewer}") for whole in range(base - 1, base + 3)]
        assert not any(low <= one < high for one in around)


def test_typeable_by_hand():
    assert goals.typeable(0.1234567, 0.2) == 0.13
    assert goals.typeable(0.1234567, 0.124) == 0.1235
    assert goals.typeable(0.31, 0.42) == 0.4
    assert goals.typeable(0.5, 0.6) == 0.5
    assert goals.typeable(0.61, math.inf) == 1
    assert goals.typeable(0.0, 1e-9) == 0
    assert goals.typeable(1 / 3, math.nextafter(1 / 3, 1)) == 1 / 3


def test_by_hand(taxonomy):
    # Answers to dog and newt: animal, animal | mammal, animal (0.75) | mammal, newt (0.625) | cat, newt (0.5).
    p = np.array([[1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125], [1, 0.25, 0.125, 0.125, 0.125, 0.125, 0.625]])
    table, truth = hv.pareto_table(taxonomy, p), taxonomy.nodes("dog", "newt")
    curve = hv.operating_curve(taxonomy, truth, table)
    choice = goals.choose(curve, subject_to={"correct": 0.95})
    assert (choice.threshold, choice.values["correct"], choice.values["info_recall"]) == (0.5, 1, 0.75)
    # Equal recall of 0.75 also below 0.5, where one answer is wrong: the larger threshold wins.
    assert goals.choose(curve, subject_to={"correct": 0.5}).threshold == 0.5
    assert goals.choose(curve, "exact", {"correct": 0.5}).threshold == 0.5
    priced = goals.with_costs(curve, taxonomy, truth, table, wrong=10, vague=2)
    # Missing: both all; half of dog, all of newt; half of dog; none, one wrong.
    assert priced.values["missing"].tolist() == [1, 0.75, 0.25, 0]
    assert priced.values["cost"].tolist() == [2, 1.5, 0.5, 5]
    assert goals.choose(priced, "cost").threshold == 0.5
    assert goals.choose(goals.with_costs(curve, taxonomy, truth, table, wrong=0.1, vague=2), "cost").threshold == 0
    assert goals.choose(priced, subject_to={"cost": 1.5}).threshold == 0.5
    assert (
        goals.choose(priced, subject_to={"cost": 0.4}).why_not
        == "At no threshold is the mean cost 0.4 or less; the lowest is 0.5."
    )
    assert (
        goals.choose(goals.with_shallow_answers(curve, taxonomy, table, 1), "correct", {"above_depth": 0.5}).threshold
        == 0.7
    )
    assert (
        goals.choose(goals.with_shallow_answers(curve, taxonomy, table, 1), "correct", {"above_depth": 0.4}).threshold
        == 0.5
    )
    none = goals.choose(goals.with_shallow_answers(curve, taxonomy, table, 2), "correct", {"above_depth": 0.25})
    assert none.why_not == (
        "At no threshold do 25 % of the answers or fewer stop above depth 2; the lowest share is 50 %."
    )


def test_equal_but_for_rounding():
    """0.1 + 0.2 is not more than 0.3: the more careful threshold wins."""
    values = {"correct": np.array([1.0, 0.75, 0.5]), "info_recall": np.array([0.0, 0.3, 0.1 + 0.2])}
    curve = hv.curves.OperatingCurve(np.array([0.75, 0.5]), values, 4)
    assert goals.choose(curve, subject_to={"correct": 0.5}).threshold == 0.5
    assert goals.choose(curve, subject_to={"correct": 0.75}).values == {"correct": 0.75, "info_recall": 0.3}


def test_not_even_the_root_is_safe():
    """Where p of the root is not the largest the first answer may be wrong."""
    flat = hv.Taxonomy.from_edges([("r", "a"), ("r", "b")])
    table, truth = hv.pareto_table(flat, np.array([[0.5, 0.75, 0.25]])), np.array([2])
    choice = goals.choose(hv.operating_curve(flat, truth, table), subject_to={"correct": 0.9})
    assert choice.why_not == "At no threshold are 90 % of the answers correct; the highest share is 0 %."


def test_a_breakpoint_above_one_is_out_of_reach():
    """Scores a little above 1: the stretch above them cannot be typed into a control from 0 to 1."""
    flat = hv.Taxonomy.from_edges([("r", "a"), ("r", "b")])
    table, truth = hv.pareto_table(flat, np.array([[1.5, 1.25, 0.25]])), np.array([2])
    curve = hv.operating_curve(flat, truth, table)
    assert curve.values["correct"].tolist() == [1, 0]
    assert not goals.choose(curve, subject_to={"correct": 0.9}).is_feasible
    assert goals.choose(curve, subject_to={"correct": 0}).threshold == 0


def test_errors(taxonomy):
    table = hv.pareto_table(taxonomy, np.ones((2, 7)))
    truth = np.array([2, 6])
    curve = hv.operating_curve(taxonomy, truth, table)
    for call, message in (
        (lambda: goals.choose(curve, subject_to={"correct": 95}), r"^correct: expected a number from 0 to 1, got 95"),
        (
            lambda: goals.choose(curve, subject_to={"correct": float("nan")}),
            r"^correct: expected a number from 0 to 1, got nan",
        ),
        (
            lambda: goals.choose(curve, "recall", {"correct": 0.95}),
            r"^maximise: expected one of exact, correct, .*got 'recall'",
        ),
        (lambda: goals.choose(curve, "cost"), r"^maximise: expected one of .*got 'cost'"),
        (lambda: goals.choose(curve, subject_to={"cost": 1}), r"^subject_to: expected one of .*got 'cost'"),
        (
            lambda: goals.choose(
                goals.with_shallow_answers(curve, taxonomy, table, 3), "correct", {"above_depth": 0.1}
            ),
            r"^depth: expected a whole number from 0 to 2, got 3",
        ),
        (
            lambda: goals.choose(goals.with_shallow_answers(curve, taxonomy, table, 1), "correct", {"above_depth": -1}),
            r"^above_depth: expected a number from 0 to 1",
        ),
        (
            lambda: goals.choose(
                goals.with_shallow_answers(curve, taxonomy, table.take(np.array([0])), 1),
                "correct",
                {"above_depth": 0.1},
            ),
            r"^table: expected the 2 samples of the curve, got 1",
        ),
        (lambda: goals.with_costs(curve, taxonomy, truth, table, wrong=-1), r"^cost of a wrong answer: .*>= 0, got -1"),
        (lambda: goals.with_costs(curve, taxonomy, truth[:1], table), r"^truth: expected one node for each of the 2"),
    ):
        with pytest.raises(hv.PredictionsError, match=message):
            call()
    priced = goals.with_costs(curve, taxonomy, truth, table)
    with pytest.raises(hv.PredictionsError, match=r"^cost: expected a number, got 'low'"):
        goals.choose(priced, subject_to={"cost": "low"})
