"""What answers look like at many thresholds, against counting them one by one."""

import re
from dataclasses import replace

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import hierviz as hv
from hierviz.curves import answer_depths as answer_depths_file
from hierviz.curves.answer_depths import answer_counts, answer_depths, share_not_at_leaf, step_means
from hierviz.curves.answer_values import breakpoints
from hierviz.curves.operating_curve import THOUSANDTHS

some = settings(max_examples=60, deadline=None, derandomize=True, database=None)
inside = [value for value in strategies.TIES if 0 <= value <= 1]


@some
@given(
    strategies.judged(st.one_of(strategies.trees(), strategies.graphs())),
    st.lists(st.sampled_from(inside), min_size=1, max_size=5),
)
def test_counts(case, thresholds):
    graph, taxonomy, p, _ = case
    table = hv.pareto_table(taxonomy, p)
    depths, shares = answer_depths(taxonomy, table, thresholds), share_not_at_leaf(taxonomy, table, thresholds)
    for i, threshold in enumerate(thresholds):
        answers = [naive.rule_threshold(graph, row, threshold) for row in p.tolist()]
        expected = [naive.depth(graph, node) for node in answers]
        assert depths[i].tolist() == [expected.count(depth) for depth in range(taxonomy.max_depth + 1)]
        assert shares[i] == sum(bool(graph.children[node]) for node in answers) / len(p)


@some
@given(strategies.judged(), st.data())
def test_weighted_means_of_a_value(case, data):
    """At the breakpoints of the curve and on a grid that has nothing to do with them."""
    graph, taxonomy, p, truth = case
    table = hv.pareto_table(taxonomy, p)
    value = np.array(data.draw(st.lists(st.integers(-3, 9), min_size=graph.n, max_size=graph.n)), dtype=float)
    weights = np.arange(1, len(p) + 1) / np.arange(1, len(p) + 1).sum()
    curve = hv.operating_curve(taxonomy, truth, table)
    for thresholds in (curve.threshold, np.array([0.8, 0.5, 0.2])):
        for given_weights, each in ((None, np.full(len(p), 1 / len(p))), (weights, weights)):
            found = step_means(table, thresholds, value[table.nodes], given_weights)
            assert found.shape == (len(thresholds) + 1,)
            places = [*thresholds.tolist(), -1.0]
            for threshold, mean in zip(places, found):
                answers = [naive.rule_threshold(graph, row, threshold) for row in p.tolist()]
                assert mean == pytest.approx(sum(w * value[node] for w, node in zip(each, answers)), abs=1e-12)
        both = step_means(table, thresholds, value[table.nodes], np.array([np.ones(len(p)), 7 * weights]))
        for found, alone in zip(both, (None, weights), strict=True):
            assert found == pytest.approx(step_means(table, thresholds, value[table.nodes], alone), abs=1e-12)


@some
@given(strategies.judged(), st.sampled_from([1, 2, 7]), st.booleans(), st.sampled_from([0, 1 << 20]))
def test_blocks_of_any_size_change_no_bit(case, at_once, is_sorted, few):
    """Samples and elements are looked at in any blocks, whether the order of the scores is known or not."""
    _, taxonomy, p, truth = case
    table = hv.pareto_table(taxonomy, p)
    values = np.random.default_rng(0).random(len(table.nodes))
    grids = [hv.operating_curve(taxonomy, truth, table).threshold, np.array([0.8, 0.5, 0.2]), np.zeros(0)]
    # Others than those of the table itself are added up in another order.
    grids[0] = breakpoints(table)[0] if is_sorted else grids[0].copy()
    wanted = [(step_means(table, grid, values), answer_depths(taxonomy, table, grid.clip(0, 1))) for grid in grids]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer_depths_file, "SAMPLES_AT_ONCE", at_once)
        patch.setattr(answer_depths_file, "ELEMENTS_AT_ONCE", at_once)
        patch.setattr(answer_depths_file, "FEW_THRESHOLDS", few)
        table = replace(table)  # for which nothing is kept
        if is_sorted:
            grids[0] = breakpoints(table)[0]
        for grid, (means, depths) in zip(grids, wanted, strict=True):
            assert step_means(table, grid, values).tobytes() == means.tobytes()
            assert answer_depths(taxonomy, table, grid.clip(0, 1)).tolist() == depths.tolist()


@pytest.mark.parametrize("kind", [np.float32, np.int8])
def test_sums_are_of_float64_whatever_the_values_are(kind):
    taxonomy = hv.Taxonomy.from_edges([("root", "a"), ("root", "b")])
    p = np.random.default_rng(0).random(50_000) / 2 + 0.5
    table = hv.pareto_table(taxonomy, np.stack([np.ones_like(p), p, 1 - p], axis=1))
    values = np.where(table.nodes == 0, 1, 99).astype(kind)
    thresholds = hv.operating_curve(taxonomy, np.ones(len(p), dtype=int), table).threshold
    for grid in (thresholds, thresholds.copy()):
        assert step_means(table, grid, values)[-1] == 99


def test_by_hand(taxonomy):
    # animal, mammal from below 0.75, cat from below 0.5 | animal, newt from below 0.625.
    p = np.array([[1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125], [1, 0.25, 0.125, 0.125, 0.125, 0.125, 0.625]])
    table = hv.pareto_table(taxonomy, p)
    thresholds = [0.2, 1, 0.75, 0.625, 0.5, 0.7]
    assert answer_depths(taxonomy, table, thresholds).tolist() == [
        [0, 1, 1],
        [2, 0, 0],
        [2, 0, 0],
        [1, 1, 0],
        [0, 2, 0],
        [1, 1, 0],
    ]
    assert share_not_at_leaf(taxonomy, table, thresholds).tolist() == [0, 1, 1, 1, 0.5, 1]
    assert answer_counts(table, [0.6], np.array([0, 1, 1, 1, 1, 1, 2]), 3).tolist() == [[0, 1, 1]]


def test_a_thousand_thresholds(taxonomy):
    rng = np.random.default_rng(3)
    table = hv.pareto_table(taxonomy, hv.node_probabilities(taxonomy, rng.normal(size=(500, 4)), "flat_softmax"))
    depths, shares = (f(taxonomy, table, THOUSANDTHS) for f in (answer_depths, share_not_at_leaf))
    assert depths.shape == (1001, 3)
    assert (depths.sum(axis=1) == 500).all()
    for i in range(0, 1001, 50):
        nodes = table.nodes_at(THOUSANDTHS[i])
        assert depths[i].tolist() == np.bincount(taxonomy.depth[nodes], minlength=3).tolist()
        assert shares[i] == (~taxonomy.is_leaf[nodes]).mean()


def test_no_samples_and_bad_thresholds(taxonomy):
    empty = hv.pareto_table(taxonomy, np.ones((0, 7)))
    assert answer_depths(taxonomy, empty, [0.5, 0.2]).tolist() == [[0, 0, 0], [0, 0, 0]]
    with pytest.raises(hv.PredictionsError, match=r"^answers: expected at least one sample, got none"):
        share_not_at_leaf(taxonomy, empty, [0.5])
    table = hv.pareto_table(taxonomy, np.ones((1, 7)))
    assert answer_depths(taxonomy, table, []).shape == (0, 3)
    for bad, got in (([0.5, 1.5], "1.5"), ([float("nan")], "nan"), ([-0.1], "-0.1")):
        with pytest.raises(
            hv.PredictionsError, match=rf"^threshold: expected a number from 0 to 1, got {re.escape(got)}"
        ):
            answer_depths(taxonomy, table, bad)
    with pytest.raises(
        hv.PredictionsError, match=r"^thresholds: expected a list of numbers from 0 to 1, got an array of"
    ):
        answer_depths(taxonomy, table, 0.5)
