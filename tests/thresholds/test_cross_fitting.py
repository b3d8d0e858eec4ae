"""Values on folds that were left out: by plain loops, without the optimism of the sample, and for several models."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

import hierviz as hv
from hierviz.thresholds import Folds
from hierviz.uncertainty.resamples import split_samples

TREE = hv.Taxonomy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("b", "b2"), ("b", "b3")]
)
BEST = partial(hv.thresholds.choose, maximise="info_f1")
GOAL = partial(hv.thresholds.choose, subject_to={"correct": 0.95})


class Law:
    """A population of 400 equally frequent rows of probabilities; a truth is drawn from the row's own calibrated law."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        leaves = rng.dirichlet(np.full(6, 0.25), 400)
        self.law = leaves
        self.p = hv.node_probabilities(TREE, leaves, "leaf_probabilities")
        self.table = hv.pareto_table(TREE, self.p)
        self.contains = np.array(
            [[TREE.is_ancestor(node, leaf) for leaf in TREE.leaves] for node in range(TREE.n_nodes)]
        )

    def draw(self, rng, n):
        rows = rng.integers(0, 400, n)
        place = (self.law[rows].cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
        return rows, TREE.leaves[place]

    def correct(self, threshold):
        """Population share of correct answers at a threshold."""
        answers = self.table.nodes_at(threshold)
        return float((self.law * self.contains[answers]).sum(axis=1).mean())


def test_against_plain_loops():
    law, rng = Law(1), np.random.default_rng(2)
    rows, truth = law.draw(rng, 60)
    table = law.table.take(rows)
    found = hv.thresholds.cross_fitted(TREE, truth, table, BEST, folds=Folds(3, 2, 5))
    order = np.random.default_rng(5)
    values = []
    for split in range(2):
        fold_of = np.empty(60, dtype=int)
        fold_of[order.permutation(60)] = np.arange(60) % 3
        means = []
        for fold in range(3):
            train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            choice = hv.thresholds.choose(hv.operating_curve(TREE, truth[train], table.take(train)), "info_f1")
            assert found.thresholds[split, fold] == choice.threshold
            answers = hv.infer(TREE, law.p[rows[test]], "threshold", threshold=choice.threshold)
            means.append(hv.metrics.path_metrics(TREE, truth[test], answers)["info_f1"].mean())
        values.append(np.mean(means))
    assert found.values["info_f1"] == pytest.approx(np.mean(values))
    assert (found.low["info_f1"], found.high["info_f1"]) == pytest.approx((min(values), max(values)))


def test_groups_stay_together_and_goals_out_of_reach_are_counted():
    law = Law(1)
    rows, truth = law.draw(np.random.default_rng(3), 40)
    groups = np.repeat(np.arange(8), 5)
    found = hv.thresholds.cross_fitted(TREE, truth, law.table.take(rows), GOAL, folds=Folds(4, 3, groups=groups))
    assert (found.fold_sizes == 10).all()
    with pytest.raises(hv.PredictionsError, match="expected at least 5 samples or groups, got 2"):
        hv.thresholds.cross_fitted(TREE, truth, law.table.take(rows), GOAL, folds=Folds(groups=np.repeat([0, 1], 20)))
    p = np.zeros((40, TREE.n_nodes))
    p[:, TREE.node("a1")] = 1
    never = hv.thresholds.cross_fitted(TREE, np.full(40, TREE.node("b1")), p, GOAL, folds=Folds(4, 3))
    assert (never.n_unreached, never.values) == (12, {})


def _optimism(n_sets, splits):
    law, rng = Law(7), np.random.default_rng(0)
    fitted, inside = [], []
    for _ in range(n_sets):
        rows, truth = law.draw(rng, 100)
        table = law.table.take(rows)
        choice = GOAL(hv.operating_curve(TREE, truth, table))
        inside.append(choice.values["correct"] - law.correct(choice.threshold))
        found = hv.thresholds.cross_fitted(TREE, truth, table, GOAL, folds=Folds(splits=splits))
        population = [law.correct(threshold) for threshold in found.thresholds.ravel()]
        fitted.append(found.values["correct"] - np.average(population, weights=found.fold_sizes.ravel()))
    return [(np.mean(values), np.std(values, ddof=1) / np.sqrt(n_sets)) for values in (fitted, inside)]


def test_cross_fitted_values_are_not_optimistic():
    (fitted, error), (inside, of_inside) = _optimism(60, 2)
    assert abs(fitted) < 3 * error
    assert inside > 3 * of_inside


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_cross_fitted_values_of_500_data_sets():
    (fitted, error), (inside, of_inside) = _optimism(500, 4)
    print(
        f"cross-fitted {100 * fitted:+.3f} ± {100 * error:.3f} points, in sample {100 * inside:+.3f} ± {100 * of_inside:.3f}"
    )
    assert abs(fitted) < 3 * error
    assert inside > 3 * of_inside


def _training_parts(n, folds, splits):
    rng = np.random.default_rng(0)
    for _ in range(splits):
        fold_of = np.empty(n, dtype=int)
        fold_of[rng.permutation(n)] = np.arange(n) % folds
        for fold in range(folds):
            yield np.flatnonzero(fold_of != fold)


def test_folds_weigh_by_their_samples():
    """Four groups of 40 samples and one of 4: the mean over samples, not over folds."""
    law = Law(1)
    rows, truth = law.draw(np.random.default_rng(3), 164)
    groups = np.repeat(np.arange(5), [40, 40, 40, 40, 4])
    table = law.table.take(rows)
    found = hv.thresholds.cross_fitted(TREE, truth, table, BEST, folds=Folds(5, 1, groups=groups))
    correct = np.empty(164)
    for fold in range(5):
        out = np.flatnonzero(groups == fold)
        rest = np.flatnonzero(groups != fold)
        threshold = hv.thresholds.choose(hv.operating_curve(TREE, truth[rest], table.take(rest)), "info_f1").threshold
        correct[out] = hv.metrics.path_metrics(TREE, truth[out], table.take(out).nodes_at(threshold))["correct"]
    assert found.values["correct"] == pytest.approx(correct.mean(), abs=1e-12)


def test_all_models_for_a_target():
    law, rng = Law(3), np.random.default_rng(4)
    rows, truth = law.draw(rng, 200)
    good = law.p[rows]
    blurred = hv.node_probabilities(
        TREE, 0.5 * law.law[rows] + 0.5 * rng.dirichlet(np.ones(6), 200), "leaf_probabilities"
    )
    never = np.zeros_like(good)
    never[np.arange(200), np.where(truth == TREE.leaves[0], TREE.leaves[1], TREE.leaves[0])] = 1
    resamples = hv.uncertainty.Resamples.draw(200, 100, 0)
    tables = {"blurred": blurred, "never": never, "good": good, "again": good}
    found = hv.thresholds.rank_for_target(TREE, truth, tables, GOAL, resamples, folds=Folds(4, 10))
    assert [row.name for row in found.rows] == ["good", "again", "blurred", "never"]
    assert [row.is_best for row in found.rows][:2] == [True, True]
    assert not found.rows[-1].is_best
    assert found.rows[-1].threshold is None
    assert "95 % of the answers correct" in found.rows[-1].why_not
    row = found.rows[0]
    curve = hv.operating_curve(TREE, truth, good)
    choice = GOAL(curve)
    assert row.threshold == choice.threshold
    assert row.values["info_recall"] == pytest.approx(choice.values["info_recall"])
    answers = hv.infer(TREE, good, "threshold", threshold=choice.threshold)
    assert row.stops_early == np.mean(~TREE.is_leaf[answers])
    assert row.interval["correct"][0] <= row.values["correct"] <= row.interval["correct"][1]
    alone = hv.thresholds.cross_fitted(TREE, truth, good, GOAL, folds=Folds(4, 10))
    assert row.cross_fitted.values == alone.values
    # ± from the numbers on the training parts: three times their variance, and Student's t of ten splits.
    on_parts = [
        GOAL(hv.operating_curve(TREE, truth[rows_of], hv.pareto_table(TREE, good).take(rows_of))).values["info_recall"]
        for rows_of in _training_parts(200, 4, 10)
    ]
    assert row.margin == pytest.approx(stats.t.ppf(0.975, 9) * np.sqrt(3) * np.std(on_parts, ddof=1))
    # Two splits in four folds are too few for a verdict, and so is one sample a group of nine.
    for folds in (None, Folds(4, 2), Folds(4, 10, groups=np.arange(200) % 9)):
        few = hv.thresholds.rank_for_target(TREE, truth, {"good": good, "blurred": blurred}, GOAL, folds=folds)
        assert [(one.is_best, one.margin) for one in few.rows] == [(False, None)] * 2
    # In each fold the model with the best value on the training samples is taken.
    inside = found.best_inside
    assert set(np.unique(inside.chosen)) <= {0, 2}
    for name, place in (("good", 2), ("blurred", 0)):
        (fit,) = [one.cross_fitted for one in found.rows if one.name == name]
        there = inside.chosen == place
        np.testing.assert_array_equal(inside.thresholds[there], fit.thresholds[there])


def test_models_that_differ_by_rounding_keep_the_order_given():
    """The same rows in another order, all of one truth: means differ in the last digit at most."""
    law = Law(3)
    p = law.p[law.p[:, TREE.node("a1")].argsort()[::-1]][:150]
    truth = np.full(len(p), TREE.node("a1"))
    for seed in range(8):
        moved = p[np.random.default_rng(seed).permutation(len(p))]
        found = hv.thresholds.rank_for_target(TREE, truth, {"b": p, "a": moved}, GOAL, folds=None)
        assert [row.name for row in found.rows] == ["b", "a"]
        found = hv.thresholds.rank_for_target(TREE, truth, {"b": moved, "a": p}, GOAL, folds=None)
        assert [row.name for row in found.rows] == ["b", "a"]


def test_groups_of_one_sample_each_are_no_groups():
    law = Law(1)
    rows, truth = law.draw(np.random.default_rng(2), 60)
    alone = np.random.default_rng(0).permutation(60)
    plain, grouped = (
        hv.thresholds.rank_for_target(
            TREE, truth, {"one": law.table.take(rows)}, GOAL, folds=Folds(4, 10, groups=groups)
        )
        for groups in (None, alone)
    )
    assert plain.rows[0].margin is not None
    assert plain.rows[0].margin == grouped.rows[0].margin
    np.testing.assert_array_equal(plain.rows[0].cross_fitted.thresholds, grouped.rows[0].cross_fitted.thresholds)
    splits = [split_samples(60, seed=4, groups=groups) for groups in (None, alone)]
    np.testing.assert_array_equal(splits[0][0], splits[1][0])
    promises = [
        hv.thresholds.guaranteed_threshold(TREE, truth, law.table.take(rows), 0.3, groups=groups)
        for groups in (None, alone)
    ]
    assert promises[0].sentence == promises[1].sentence
    assert promises[1].unit == "sample"
