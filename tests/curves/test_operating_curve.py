"""Pareto tables and operating curves against brute force at every threshold, and properties from Valmadre, NeurIPS 2022."""

import itertools
import math
import pickle
from dataclasses import replace

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.compiled import curve_sums
from hierviz.curves import answer_values
from hierviz.curves._selective_curve import SelectiveCurve
from hierviz.curves.envelopes import best_at_correct, envelope, envelope_integral
from hierviz.curves.operating_curve import CurveSteps
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import path_keys
from hierviz.predictions.parametrisation import default_columns

close = np.testing.assert_allclose
SUMMARY = {
    "ap": ("info_recall", "info_precision"),
    "ac": ("info_recall", "correct"),
    "ac_exact": ("exact", "correct"),
    "depth_ap": ("depth_recall", "depth_precision"),
    "depth_ac": ("depth_recall", "correct"),
}


def lists(table):
    return [table.nodes[a:b].tolist() for a, b in zip(table.offsets, table.offsets[1:])]


@many
@given(strategies.judged(st.one_of(strategies.trees(), strategies.graphs())), st.sampled_from([-1.0, *strategies.TIES]))
def test_pareto_sets(case, minimum):
    graph, taxonomy, p, _ = case
    table = hv.pareto_table(taxonomy, p)
    expected = [naive.pareto_set(graph, row) for row in p.tolist()]
    assert lists(table) == expected
    assert table.scores.tolist() == [row[node] for row, nodes in zip(p.tolist(), expected) for node in nodes]
    cut = hv.pareto_table(taxonomy, p, min_threshold=minimum)
    short = [naive.pareto_set(graph, row, minimum) or whole[:1] for row, whole in zip(p.tolist(), expected)]
    assert lists(cut) == short
    assert cut.scores.tolist() == [row[node] for row, nodes in zip(p.tolist(), short) for node in nodes]
    order = np.arange(len(p))[::-1]
    assert lists(table.take(order)) == expected[::-1]
    both = hv.inference.ParetoTable.concatenate([table, cut])
    assert lists(both) == expected + short
    assert both.n_samples == 2 * len(p)


@many
@given(strategies.judged(), st.sampled_from(strategies.TIES))
def test_answers_of_a_table(case, threshold):
    """Z(0.5) = majority, the end of the curve = leaf; in between, rule `threshold`."""
    graph, taxonomy, p, _ = case
    table = hv.pareto_table(taxonomy, p)
    assert table.nodes_at(threshold).tolist() == [naive.rule_threshold(graph, row, threshold) for row in p.tolist()]
    assert table.nodes[table.offsets[1:] - 1].tolist() == [naive.rule_leaf(graph, row) for row in p.tolist()]


@many
@given(strategies.judged())
def test_curve(case):
    graph, taxonomy, p, truth = case
    curve = hv.operating_curve(taxonomy, truth, hv.pareto_table(taxonomy, p))
    thresholds, points = naive.curve(graph, p.tolist(), truth.tolist())
    assert curve.threshold.tolist() == thresholds
    assert (curve.n_points, curve.n_samples) == (len(points), len(p))
    assert tuple(curve.values) == path_keys()
    for key in path_keys():
        close(curve.values[key], [point[key] for point in points], atol=1e-12, err_msg=key)
        assert (curve.values[key] >= 0).all()
        assert key.endswith("dist") or (curve.values[key] <= 1).all()
    for key, (x, y) in SUMMARY.items():
        area = naive.envelope_integral([point[x] for point in points], [point[y] for point in points])
        close(curve.summary()[key], area, atol=1e-9, err_msg=key)
    at_half = naive.mean_metrics(graph, p.tolist(), truth.tolist(), 0.5)
    close(curve.summary()["majority_f1"], at_half["info_f1"], atol=1e-12)
    leaf = [naive.path_metrics(graph, y, naive.rule_leaf(graph, row)) for row, y in zip(p.tolist(), truth.tolist())]
    close(curve.summary()["leaf_f1"], naive.mean([one["info_f1"] for one in leaf]), atol=1e-12)
    assert curve.summary()["n_points"] == len(points)


@many
@given(strategies.judged(most=3))
def test_look_up_at_every_threshold(case):
    """At, just above and just below every value that occurs, and beyond both ends."""
    graph, taxonomy, p, truth = case
    curve = hv.operating_curve(taxonomy, truth, hv.pareto_table(taxonomy, p))
    places = [-1.0, 2.0, 0.5]
    for value in sorted({*p.ravel().tolist()})[:6]:
        places += [value, math.nextafter(value, -math.inf), math.nextafter(value, math.inf)]
    found = curve.at(np.array(places))
    for i, place in enumerate(places):
        expected = naive.mean_metrics(graph, p.tolist(), truth.tolist(), place)
        for key in path_keys():
            close(found[key][i], expected[key], atol=1e-12)
        assert curve.at(place)["correct"] == found["correct"][i]
    grid = np.array([1, 0.75, 0.5, 0.25, 0.0])
    sampled = curve.sampled(grid)
    assert sampled.n_points == 5
    for key in path_keys():
        np.testing.assert_array_equal(sampled.values[key], curve.at(grid)[key])
        np.testing.assert_array_equal(sampled.at(grid)[key], curve.at(grid)[key])


@many
@given(strategies.judged(), st.data())
def test_what_leaves_a_curve_alone(case, data):
    """Permuting samples changes nothing; a monotone transform of scores leaves Z unchanged."""
    _, taxonomy, p, truth = case
    curve = hv.operating_curve(taxonomy, truth, hv.pareto_table(taxonomy, p))
    order = np.array(data.draw(st.permutations(range(len(p)))))
    moved = hv.operating_curve(taxonomy, truth[order], hv.pareto_table(taxonomy, p[order]))
    squashed = hv.operating_curve(taxonomy, truth, hv.pareto_table(taxonomy, 0.25 + p / 2))
    np.testing.assert_array_equal(moved.threshold, curve.threshold)
    # Halving is exact but for the smallest of neighbours, which 0.25 + x / 2 may merge.
    merged = len(np.unique(0.25 + p / 2)) < len(np.unique(p))
    for key in path_keys():
        close(moved.values[key], curve.values[key], atol=1e-12)
        if not merged:
            close(squashed.values[key], curve.values[key], atol=1e-12)
    if not merged:
        np.testing.assert_array_equal(squashed.threshold, 0.25 + curve.threshold / 2)


@many
@given(strategies.judged())
def test_a_table_of_parts_is_the_table_of_all(case):
    _, taxonomy, p, truth = case
    whole = hv.operating_curve(taxonomy, truth, hv.pareto_table(taxonomy, p))
    parts = hv.inference.ParetoTable.concatenate([hv.pareto_table(taxonomy, row[None]) for row in p])
    apart = hv.operating_curve(taxonomy, truth, parts)
    np.testing.assert_array_equal(apart.threshold, whole.threshold)
    for key in path_keys():
        np.testing.assert_array_equal(apart.values[key], whole.values[key])


points = st.lists(
    st.tuples(*[st.sampled_from([0.0, 0.125, 0.25, 0.5, 0.625, 0.9, 0.95, 1.0])] * 2), min_size=1, max_size=8
)


@many
@given(points, st.randoms(use_true_random=False), points)
def test_envelope_integral(found, random, more):
    x, y = (np.array(side) for side in zip(*found))
    area = envelope_integral(x, y)
    close(area, naive.envelope_integral(x.tolist(), y.tolist()), atol=1e-12)
    close(envelope_integral(y, x), area, atol=1e-12)
    ascending, height = envelope(x, y)
    assert ascending.tolist() == sorted(x.tolist())
    # At one x the first point has the largest y of all from there on; what follows at the same x may be lower.
    first = np.append(True, np.diff(ascending) > 0)
    expected = np.array([max(b for a, b in found if a >= here) for here in ascending])
    assert height[first].tolist() == expected[first].tolist()
    assert (height <= expected).all()
    assert (np.diff(height) <= 0).all()
    shuffled = list(found)
    random.shuffle(shuffled)
    # A point is dominated when another one is at least as far right and as high.
    shuffled += [(a, b) for a, b in more if any(a <= c and b <= d for c, d in found)]
    close(envelope_integral(*(np.array(side) for side in zip(*shuffled))), area, atol=1e-12)
    levels = [0.0, 0.25, 0.5, 0.9, 0.95, 1.0]
    best = [best_at_correct(x, y, level) for level in levels]
    assert best == [naive.best_at_correct(x.tolist(), y.tolist(), level) for level in levels]
    assert best == sorted(best, reverse=True)


def test_envelope_integral_by_hand():
    # Steps of 0.5 at height 0.75 and 0.25 at height 0.5; nothing beyond 0.75; (0.25, 0.25) lies below.
    assert envelope_integral([0.5, 0.75, 0.25], [0.75, 0.5, 0.25]) == 0.5
    assert envelope_integral([0.0], [1.0]) == 0


def test_180_of_200_is_90_percent():
    """On the mean of counts, not strict."""
    flat = hv.Taxonomy.from_edges([("r", "a"), ("r", "b")])
    p = np.tile([1.0, 0.75, 0.25], (200, 1))
    truth = np.array([1] * 180 + [2] * 20)
    curve = hv.operating_curve(flat, truth, hv.pareto_table(flat, p))
    assert curve.summary()["recall_at_90_correct"] == 0.9
    assert curve.summary()["recall_at_95_correct"] == 0


def test_by_hand(taxonomy):
    p = np.array(
        [
            # animal mammal cat dog bird duck newt
            [1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125],
            [1, 0.25, 0.125, 0.125, 0.125, 0.125, 0.625],
        ]
    )
    table = hv.pareto_table(taxonomy, p)
    assert lists(table) == [[0, 1, 2], [0, 6]]
    assert table.scores.tolist() == [1, 0.75, 0.5, 1, 0.625]
    curve = hv.operating_curve(taxonomy, taxonomy.nodes("dog", "newt"), table)
    assert curve.threshold.tolist() == [0.75, 0.625, 0.5]
    # Answers: animal, animal | mammal, animal | mammal, newt | cat, newt. Truth dog and newt, 2 bits each.
    assert curve.values["correct"].tolist() == [1, 1, 1, 0.5]
    assert curve.values["exact"].tolist() == [0, 0, 0.5, 0.5]
    assert curve.values["info_recall"].tolist() == [0, 0.25, 0.75, 0.75]
    assert curve.values["info_precision"].tolist() == [1, 1, 1, 0.75]
    assert curve.values["info_dist"].tolist() == [2, 1.5, 0.5, 1]
    assert curve.values["depth_dist"].tolist() == [1.5, 1, 0.5, 1]
    # AP: width 0.75 at height 1. Exactly 0.5 is not yet cat: at tau = 0.5 the answers are mammal and newt.
    summary = curve.summary()
    assert {key: summary[key] for key in ("ap", "ac", "ac_exact", "recall_at_95_correct", "n_points")} == {
        "ap": 0.75,
        "ac": 0.75,
        "ac_exact": 0.5,
        "recall_at_95_correct": 0.75,
        "n_points": 4,
    }
    close(summary["majority_f1"], (2 / 3 + 1) / 2)
    close(summary["leaf_f1"], (0.5 + 1) / 2)
    assert [int(curve.place(t)) for t in (2, 0.75, 0.7, 0.625, 0.5, 0.49, 0)] == [0, 0, 1, 1, 2, 3, 3]
    with pytest.raises(hv.PredictionsError, match=r"^threshold: expected a number from 0 to 1, got 2"):
        table.nodes_at(2)


def test_one_point_when_nothing_ever_changes():
    """Root and leaf equally probable: the leaf is the only answer and no threshold exists."""
    chain = hv.Taxonomy.from_edges([("r", "a"), ("a", "b")])
    curve = hv.operating_curve(chain, np.array([2, 0]), hv.pareto_table(chain, np.ones((2, 3))))
    assert (curve.threshold.tolist(), curve.n_points) == ([], 1)
    assert curve.at(0.5)["exact"] == 1


def test_single_child_families_are_skipped():
    chain = hv.Taxonomy.from_edges([("r", "a"), ("a", "b"), ("r", "c"), ("c", "d"), ("c", "e")])
    # Nodes r a b c d e: a (0.9) has one child and is skipped, b alone (1 of 3 leaves) beats c (2 of 3).
    assert lists(hv.pareto_table(chain, np.array([[1, 0.9, 0.3, 0.5, 0.2, 0.1]]))) == [[0, 3, 2]]


@many
@given(strategies.trees(), st.data())
def test_high_thresholds_run_down_one_chain(graph, data):
    """Coherent p: for tau >= 0.5 the answers of a sample lie on one path (Valmadre, NeurIPS 2022)."""
    taxonomy = strategies.from_graph(graph)
    p = hv.node_probabilities(taxonomy, data.draw(strategies.leaf_rows(graph)), "leaf_probabilities")
    for nodes in lists(hv.pareto_table(taxonomy, p, min_threshold=0.5)):
        assert all(a in naive.ancestors(graph, b) for a, b in itertools.pairwise(nodes))


@pytest.mark.parametrize("key", [key for key in hv.PARAMETRISATIONS if "probabilities" not in key])
def test_curves_agree_with_rules(key, taxonomy):
    """Means of rule `threshold` at any tau, from the matrix, equal the curve, which only has the table."""
    rng = np.random.default_rng(5)
    shape = 60, len(default_columns(taxonomy, key))
    # Votes are numbers of answers.
    scores = rng.poisson(1, shape) if key == "votes" else rng.normal(size=shape, scale=2)
    preds = hv.Predictions.from_scores(taxonomy, scores, key, truth=rng.integers(0, 7, 60))
    curve = hv.operating_curve(taxonomy, preds.truth, hv.pareto_table(taxonomy, preds))
    p = preds.node_probabilities()
    for tau in (0, 0.1, 0.3, 0.5, 0.9, 1):
        metrics = path_metrics(taxonomy, preds.truth, hv.infer(taxonomy, p, "threshold", threshold=tau))
        for name in path_keys():
            close(curve.at(tau)[name], metrics[name].mean(), atol=1e-12)


def test_errors(taxonomy):
    with pytest.raises(hv.PredictionsError, match=r"^p: expected shape \(n_samples, 7\), got \(2, 6\)"):
        hv.pareto_table(taxonomy, np.ones((2, 6)))
    table = hv.pareto_table(taxonomy, np.ones((2, 7)))
    message = r"^truth: expected one node for each of the 2 samples \(at least one\), got 1\. Align them"
    with pytest.raises(hv.PredictionsError, match=message):
        hv.operating_curve(taxonomy, np.array([1]), table)
    empty = hv.pareto_table(taxonomy, np.ones((0, 7)))
    assert (empty.n_samples, empty.nodes_at(0.5).tolist()) == (0, [])
    with pytest.raises(
        hv.PredictionsError, match=r"^truth: expected one node for each of the 0 samples \(at least one\)"
    ):
        hv.operating_curve(taxonomy, np.array([], dtype=int), empty)
    with pytest.raises(hv.PredictionsError, match=r"^truth: expected node numbers from 0 to 6"):
        hv.operating_curve(taxonomy, np.array([1, -1]), table)
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    with pytest.raises(hv.TaxonomyError, match=r"expected a tree, got 'c' with 2 parents"):
        hv.operating_curve(graph, np.array([1]), hv.pareto_table(graph, np.ones((1, 4))))


def test_probabilities_that_are_no_numbers(taxonomy):
    """A nan loses every comparison: the sample would be left with no answer at all."""
    with pytest.raises(hv.PredictionsError, match=r"^p: expected .*nan"):
        hv.pareto_table(taxonomy, np.full((2, 7), np.nan))


@many
@given(strategies.judged(), st.sampled_from([1, 20, 1 << 20]), st.sampled_from([0, 4, 1000]), st.sampled_from("01"))
def test_blocks_of_any_size_change_no_bit(case, at_once, pairs, compiled):
    """Answers and points are worked on in any blocks, kinds found with or without sorting; what is done grows to the whole."""
    _, taxonomy, p, truth = case
    told = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIERVIZ_COMPILED", compiled)
        table = hv.pareto_table(taxonomy, p)
        expected = CurveSteps.from_table(taxonomy, truth, table).curve()
        patch.setattr(curve_sums, "POINTS_AT_ONCE", at_once)
        patch.setattr(answer_values, "WORK_KINDS", 1 + at_once % 7)
        patch.setattr(answer_values, "ANSWERS_AT_ONCE", 1 + at_once % 3)
        patch.setattr(answer_values, "PAIRS_AN_ANSWER", pairs)
        table = replace(table)  # for which nothing is kept
        found = hv.operating_curve(taxonomy, truth, table, progress=lambda *now: told.append(now))
    done, totals = zip(*told, strict=True)
    assert list(done) == sorted(done)
    assert set(totals) == {2 * len(table.nodes)}
    assert done[-1] == totals[-1]
    assert found.threshold.tobytes() == expected.threshold.tobytes()
    assert found.n_samples == expected.n_samples
    assert {k: v.tobytes() for k, v in found.values.items()} == {k: v.tobytes() for k, v in expected.values.items()}


@many
@given(
    strategies.judged(), st.lists(st.one_of(st.sampled_from(strategies.TIES), st.floats(-1, 2)), min_size=1, max_size=5)
)
def test_places_count_the_breakpoints_above(case, thresholds):
    _, taxonomy, p, truth = case
    curve = hv.operating_curve(taxonomy, truth, hv.pareto_table(taxonomy, p))
    climbing = SelectiveCurve(curve.threshold, curve.values, curve.n_samples)
    given = np.array([*thresholds, *curve.threshold])
    assert curve.place(given).tolist() == [(curve.threshold > one).sum() for one in given]
    assert climbing.place(given).tolist() == [(curve.threshold >= one).sum() for one in given]
    assert curve.place(thresholds[0]) == curve.place(thresholds)[0]


def test_what_a_curve_was_made_of_goes_where_its_table_goes(taxonomy):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, taxonomy.n_nodes, 30)
    scores = hv.Predictions.from_scores(taxonomy, rng.random((30, 4)), "flat_softmax", truth=truth)
    evaluation = hv.Evaluation.from_predictions(scores)
    curve = evaluation.curve
    found = pickle.loads(pickle.dumps(evaluation))
    threshold, order, _ = answer_values.breakpoints(found.judged_table)
    assert threshold is found.curve.threshold
    assert threshold.tolist() == curve.threshold.tolist()
    assert order.tolist() == answer_values.breakpoints(evaluation.judged_table)[1].tolist()
    assert answer_values.has_breakpoints(found.judged_table)
    assert not answer_values.has_breakpoints(replace(found.judged_table))


@many
@given(strategies.judged(), st.sampled_from([0, 1000]), st.sampled_from([1, 3, 1 << 20]))
def test_kinds_are_the_different_pairs_of_truth_and_answer(case, pairs_an_answer, at_once):
    _, taxonomy, p, truth = case
    table = hv.pareto_table(taxonomy, p)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer_values, "PAIRS_AN_ANSWER", pairs_an_answer)
        patch.setattr(answer_values, "ANSWERS_AT_ONCE", at_once)
        kinds = answer_values.answer_kinds(taxonomy, np.asarray(truth), table)
    pairs = list(zip(kinds.truth.tolist(), kinds.node.tolist(), strict=True))
    expected = list(zip(np.repeat(truth, np.diff(table.offsets)).tolist(), table.nodes.tolist(), strict=True))
    assert [pairs[kind] for kind in kinds.of_answer] == expected
    assert pairs == sorted(set(expected))


@many
@given(st.integers(1, 40), st.integers(1, 12))
def test_rows_are_added_one_after_the_other(n, n_keys):
    rng = np.random.default_rng(n)
    values, weights = rng.random((n, n_keys)), rng.integers(0, 4, n).astype(float)
    total = np.zeros(n_keys)
    for i in range(n):
        total += values[i] * weights[i]
    assert curve_sums.sum_of_rows(values, weights).tobytes() == total.tobytes()
