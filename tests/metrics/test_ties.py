"""Shares that equal a goal reach it, in whatever order they were added up."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.curves.operating_curve import CurveSteps
from hierviz.metrics.ties import at_least, at_most
from hierviz.thresholds.selection import choose, smallest_lambda, with_shallow_answers
from hierviz.uncertainty.repeats import curve_of_runs, mean_curve


@pytest.mark.parametrize(
    ("values", "level", "expected"),
    [
        (0.95, 0.95, True),
        (0.95 - 1e-13, 0.95, True),
        (0.95 - 1e-11, 0.95, False),
        (1e15 - 1, 1e15, True),
        (np.inf, np.inf, True),
        (1.0, np.inf, False),
        (-np.inf, -np.inf, True),
        (0.0, -np.inf, True),
        (np.nan, 0.0, False),
        (0.0, np.nan, False),
        ([0.1, 0.3], [0.3, 0.3], [False, True]),
        ([[0.2], [0.4]], [0.2, 0.3], [[True, False], [True, True]]),
    ],
)
def test_at_least(values, level, expected):
    found = at_least(values, level)
    assert np.array_equal(found, expected)
    assert isinstance(found, bool) == isinstance(expected, bool)
    assert np.array_equal(at_most(-np.asarray(values), -np.asarray(level)), expected)


def test_terms_of_a_large_scale():
    assert not at_least(-1e-6, 0)
    assert at_least(-1e-6, 0, scale=1e7)


@pytest.fixture(scope="module")
def tree():
    return hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2")])


def one_wrong(tree, truth, wrong):
    """p .875 for the leaf of the truth, or for b2 where `wrong`."""
    p = np.full((len(truth), 4), 0.125 / 3)
    leaf = np.searchsorted(tree.leaves, np.where(wrong, tree.node("b2"), truth))
    p[np.arange(len(truth)), leaf] = 0.875
    return hv.Predictions.from_scores(tree, p, "leaf_probabilities", truth=truth)


@pytest.mark.parametrize("n_runs", [1, 2, 3, 5, 6, 7])
@pytest.mark.parametrize(("right", "n"), [(19, 20), (7, 20), (47, 50), (99, 100), (163, 200)])
def test_a_goal_is_reached_by_the_mean_of_equal_runs(tree, right, n, n_runs):
    """The leaf is right for `right` of n samples, and nothing is more specific: S(right / n) = right / n."""
    truth = np.full(n, tree.node("a1"))
    predictions = one_wrong(tree, truth, np.arange(n) >= right)
    curve = hv.operating_curve(tree, truth, hv.pareto_table(tree, predictions))
    runs = mean_curve([curve] * n_runs)
    assert hv.curves.specificity_at(runs, right / n) == pytest.approx(right / n)
    assert hv.curves.correctness_at(runs, right / n) == pytest.approx(right / n)
    assert hv.curves.specificity_at(runs, [right / n, right / n + 1e-9]).tolist() == pytest.approx([right / n, 0])
    assert curve_of_runs([curve] * n_runs).best_threshold("info_recall", correct=right / n) < 0.9
    choice = hv.thresholds.choose(runs, subject_to={"correct": right / n})
    assert choice.values["info_recall"] == pytest.approx(right / n)


def test_weighted_shares_in_any_order_of_rows(tree):
    """All but one sample are right: the weighted share is 1 - w / sum of w, however it is added up."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth = np.repeat(tree.nodes("a1", "b1"), 15)
        weights = rng.random(30)
        goal = 1 - weights[0] / weights.sum()
        for order in (np.arange(30), np.arange(30)[::-1], rng.permutation(30)):
            predictions = one_wrong(tree, truth[order], order == 0)
            steps = CurveSteps.from_table(tree, truth[order], hv.pareto_table(tree, predictions))
            curve = steps.curve(weights[order])
            assert hv.curves.specificity_at(curve, goal) == pytest.approx(goal)
            assert hv.thresholds.choose(curve, subject_to={"correct": goal}).values["correct"] == pytest.approx(goal)


def test_lambda_and_depth_in_any_order_of_weights(tree):
    """λ and "above a depth" take the same goals: shares of means over runs, here of three equal ones."""
    truth = np.full(20, tree.node("a1"))
    predictions = one_wrong(tree, truth, np.arange(20) >= 19)
    curve = hv.curves.rule_curve(tree, truth, hv.pareto_table(tree, predictions), "darts")
    values = {key: (column + column + column) / 3 for key, column in curve.values.items()}
    assert values["correct"].min() < 0.95
    assert smallest_lambda(type(curve)(curve.threshold, values, 20), 0.95).threshold == 0
    table = hv.pareto_table(tree, predictions)

    def goal(curve, share):
        return choose(with_shallow_answers(curve, tree, table, 2), "correct", {"above_depth": share})

    assert goal(hv.operating_curve(tree, truth, table), share=0.0).values["above_depth"] == 0
