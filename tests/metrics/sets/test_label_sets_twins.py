"""Label sets against sets and loops on random trees and graphs, and the identities of Plaud et al., CoNLL 2024."""

import math

import naive
import naive_sets
import numpy as np
import pytest
import strategies
from compare import same, samples_f1_plain
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample_curves import curve_areas, sample_curve, set_information, set_metrics_by_threshold
from strategies import examples

import hierviz as hv
from hierviz.inference.rules import threshold_set
from hierviz.metrics.parts import ByNode, Mean, OfSums, Total
from hierviz.metrics.registry import OPTIMAL_SET_METRICS, keys_of
from hierviz.metrics.sets import label_sets, set_curves
from hierviz.metrics.sets.expected_sets import expected_by_threshold, expected_hf1
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.metrics.sets.node_sets import closed_lists, corpus_weights, highest_below, node_weights, set_overlap
from hierviz.taxonomy.taxonomy import NodeLists

many = settings(
    max_examples=examples(100), deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
# Ties, the threshold itself, both ends, and a pair that differs by a rounding error.
TIES = (0.0, 0.125, 0.25, 0.3, 0.1 + 0.2, 0.5, float(np.nextafter(0.5, 1)), 0.75, 1.0)


@many
@given(strategies.pairs(), st.data())
def test_overlap_of_one_node_a_sample(case, data):
    """Along one path, without the sets: -1 is a node outside the taxonomy with the weight of a leaf."""
    graph, taxonomy, truth, predicted = case
    predicted = np.where(data.draw(st.lists(st.booleans(), min_size=len(truth), max_size=len(truth))), -1, predicted)
    bits = math.log2(len(graph.leaves))
    for weight, outside in (("nodes", 1), ("information", bits)):
        of_node = [0.0, *([1.0] * (graph.n - 1))]
        if weight == "information":
            of_node = [
                graph.information[i] - graph.information[max(graph.parents[i], default=i)] for i in range(graph.n)
            ]
        found = np.array(set_overlap(taxonomy, truth, NodeLists.of(predicted), weight)).T
        for row, true, answer in zip(found.tolist(), truth.tolist(), predicted.tolist(), strict=True):
            due, claimed = naive.ancestors(graph, true), naive.ancestors(graph, answer) if answer >= 0 else set()
            sums = [math.fsum(of_node[i] for i in some) for some in (due & claimed, claimed, due)]
            assert row == pytest.approx([sums[0], sums[1] + outside * (answer < 0), sums[2]], abs=1e-12)


@st.composite
def cases(draw, is_tree=True, most=11):
    """parents, Taxonomy, scores (n, n_nodes), predicted lists with -1 and the root, truth lists that may be empty."""
    n_nodes = draw(st.integers(2, most))
    parents = [[]]
    for i in range(1, n_nodes):
        own = {draw(st.integers(0, i - 1))}
        if not is_tree:
            own |= draw(st.sets(st.integers(0, i - 1), max_size=2))
        parents.append(sorted(own))
    edges = [(f"n{a}", f"n{i}") for i, own in enumerate(parents) for a in own]
    taxonomy = hv.Taxonomy.from_edges(edges)
    assert taxonomy.names == tuple(f"n{i}" for i in range(n_nodes))
    n = draw(st.integers(1, 5))
    values = st.sampled_from(TIES) if draw(st.booleans()) else st.floats(0, 1)
    scores = [[1.0] + [draw(values) for _ in range(1, n_nodes)] for _ in range(n)]
    node = st.integers(0, n_nodes - 1)
    truth = [draw(st.lists(node, min_size=0, max_size=3)) for _ in range(n)]
    predicted = [draw(st.lists(st.integers(-1, n_nodes - 1), max_size=5)) for _ in range(n)]
    return parents, taxonomy, np.array(scores), predicted, truth


def blocks(n):
    """Two uneven blocks."""
    cut = n // 2
    return [slice(0, cut), slice(cut, n)]


def check(counts, parents, samples, is_tree):
    expected, rows = naive_sets.summary(parents, samples, is_tree)
    found = counts.summary()
    # Those of optimal sets are there only where a rule chose the sets.
    keys = keys_of("labels", Mean, Total, OfSums, ByNode)
    assert tuple(found) == tuple(key for key in keys if key not in OPTIMAL_SET_METRICS) == tuple(expected)
    same(found, expected)
    for key, values in counts.per_sample().items():
        np.testing.assert_allclose(values, [row[key] for row in rows], atol=1e-9, err_msg=key)
    return rows


def compare_both(case, is_tree):
    parents, taxonomy, p, predicted, truth = case
    lists = NodeLists.from_lists(truth)
    corpus = corpus_weights(taxonomy, lists) if is_tree else None
    for threshold in (0.5, 0.3):
        counts = LabelSetCounts(taxonomy, threshold, corpus)
        for rows in blocks(len(p)):
            counts.add(lists.take(np.arange(len(p))[rows]), p[rows])
        chosen = [[i for i in range(1, len(parents)) if row[i] > threshold] for row in p.tolist()]
        rows = check(counts, parents, list(zip(chosen, truth, p.tolist())), is_tree)
        assert set(rows[0]) - {"nodes", "bits", "is_equal"} == set(counts.per_sample())
        assert [one.tolist() for one in map(threshold_set(taxonomy, p, threshold).__getitem__, range(len(p)))] == chosen

    counts = LabelSetCounts(taxonomy, corpus=corpus)
    for rows in blocks(len(p)):
        counts.add_lists(lists.take(np.arange(len(p))[rows]), NodeLists.from_lists(predicted[rows]))
    check(counts, parents, [(a, b, None) for a, b in zip(predicted, truth)], is_tree)

    hard = LabelSetCounts(taxonomy, corpus=corpus)
    hard.add_lists(lists, NodeLists.from_lists(predicted), is_hard=True)
    closed = [sorted(naive_sets.close(parents, one)) + [-1] * one.count(-1) for one in predicted]
    check(hard, parents, [(a, b, None) for a, b in zip(closed, truth)], is_tree)
    assert hard.summary()["n_incoherent"] == 0

    for node, own in enumerate(closed_lists(taxonomy, np.arange(len(parents)))[i] for i in range(len(parents))):
        assert own.tolist() == sorted(naive_sets.up(parents, node))


@many
@given(cases(), st.sampled_from([1, 2, 1 << 19]))
def test_columns_are_the_same_however_they_are_put_together(case, at_once):
    _, taxonomy, p, _, truth = case
    lists = NodeLists.from_lists(truth)
    whole, parts = (LabelSetCounts(taxonomy, 0.5, corpus_weights(taxonomy, lists)) for _ in range(2))
    whole.add(lists, p)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_sets, "SAMPLES_TOGETHER", at_once)
        for row in range(len(p)):
            parts.add(lists.take(np.array([row])), p[row : row + 1])
    parts.put_together()
    for expected, found in zip((*whole.counted(), whole.parts()), (*parts.counted(), parts.parts()), strict=True):
        assert list(found) == list(expected)
        for key, values in expected.items():
            np.testing.assert_array_equal(found[key], values, err_msg=key)
    for key, values in whole.per_sample().items():
        np.testing.assert_array_equal(parts.of_samples(key), values)


@many
@given(cases())
def test_tree(case):
    compare_both(case, is_tree=True)


@many
@given(cases(is_tree=False))
def test_graph(case):
    compare_both(case, is_tree=case[1].is_tree)


@many
@given(cases())
def test_information_of_sets(case):
    parents, taxonomy, _, predicted, truth = case
    for some in [[node for node in one if node >= 0] for one in predicted] + truth:
        found = set_information(taxonomy, NodeLists.from_lists([some]))[0]
        assert math.isclose(found, naive_sets.information_of_set(parents, some), abs_tol=1e-9)
        backwards = naive_sets.information_of_set(parents, some[::-1])
        assert math.isclose(found, backwards, abs_tol=1e-9)
    weights = node_weights(taxonomy, "information")
    assert (weights >= 0).all()
    only_children = taxonomy.children.lengths[taxonomy.parent] == 1
    assert (weights[1:][only_children[1:]] == 0).all()


@many
@given(cases())
def test_curve_of_one_sample(case):
    """The full polyline has the area that the areas' shortcut finds, and its sets are {score >= threshold}."""
    parents, taxonomy, p, _, truth = case
    areas = curve_areas(taxonomy, NodeLists.from_lists(truth), p)
    for i, own in enumerate(truth):
        for key, keywords in (
            ("hf1_auc", {}),
            ("hf1_auc_raw", {"augmented": False}),
            ("ihf1_auc", {"weight": "information"}),
        ):
            curve = sample_curve(taxonomy, own, p[i], **keywords)
            if np.isnan(areas[key][i]):
                assert len(curve.size) == 1
                continue
            assert math.isclose(curve.area, areas[key][i], abs_tol=1e-9)
            assert 0 <= areas[key][i] <= 1
            assert curve.recall[-1] == 1
            assert (np.diff(curve.recall) >= -1e-12).all()
            assert (np.diff(curve.threshold[1:]) < 0).all()
            for threshold, size in zip(curve.threshold[1:], curve.size[1:]):
                chosen = {node for node in range(1, len(parents)) if p[i, node] >= threshold}
                if key != "hf1_auc_raw":
                    chosen = naive_sets.close(parents, chosen)
                assert set(curve.order[:size].tolist()) == chosen


@many
@given(cases(is_tree=False), st.lists(st.sampled_from(TIES), min_size=1, max_size=5))
def test_operating_points(case, thresholds):
    parents, taxonomy, p, _, truth = case
    table = set_metrics_by_threshold(taxonomy, NodeLists.from_lists(truth), p, thresholds)
    for j, tau in enumerate(thresholds):
        sums, rows = np.zeros(3), []
        for own, row in zip(truth, p):
            chosen = naive_sets.close(parents, [i for i in range(1, len(parents)) if row[i] > tau])
            true = naive_sets.close(parents, own)
            one = len(chosen & true), len(chosen), len(true)
            sums += one
            rows.append((*naive_sets.triple(*one), not chosen))
        expected = [*np.mean(rows, axis=0)[:3], naive_sets.f1(*sums), sum(row[3] for row in rows)]
        found = [table[key][j] for key in ("hp", "hr", "hf1_samples", "hf1_micro", "n_empty")]
        np.testing.assert_allclose(found, expected, atol=1e-12)
        assert table["threshold"][j] == tau


@many
@given(cases(is_tree=False))
def test_thresholds_commute(case):
    """Thresholding then augmenting = thresholding the highest below; pruning = thresholding the lowest above."""
    parents, taxonomy, p, _, _ = case
    high, low = highest_below(taxonomy, p), naive_sets.lowest_above(taxonomy, p)
    for tau in sorted({0.0, 0.5, *p.ravel().tolist()} - {1.0}):
        plain, closed, pruned = (threshold_set(taxonomy, one, tau) for one in (p, high, low))
        for i in range(len(p)):
            chosen = set(plain[i].tolist())
            assert set(closed[i].tolist()) == naive_sets.close(parents, chosen)
            assert set(pruned[i].tolist()) == {node for node in chosen if naive_sets.up(parents, node) <= chosen}


@many
@given(cases(is_tree=False))
def test_proposition_1(case):
    """Coherent scores: hF1 micro = micro F1, hF1 samples = plain F1, both C-F1 = F1, no curve needs augmenting."""
    _, taxonomy, p, _, truth = case
    counts = LabelSetCounts(taxonomy)
    counts.add(NodeLists.from_lists(truth), highest_below(taxonomy, p))
    found = counts.summary()
    assert math.isclose(found["hf1_micro"], found["micro_f1"], abs_tol=1e-12)
    assert math.isclose(found["hf1_samples"], samples_f1_plain(counts), abs_tol=1e-12)
    assert found["c_f1_micro"] == found["c_f1_micro_strict"] == found["micro_f1"]
    assert found["c_f1_macro"] == found["c_f1_macro_strict"] == found["macro_f1"]
    assert found["n_incoherent"] == 0
    assert found["hf1_auc"] == found["hf1_auc_raw"]


@many
@given(cases())
def test_strict_is_never_above(case):
    _, taxonomy, _, predicted, truth = case
    counts = LabelSetCounts(taxonomy)
    counts.add_lists(NodeLists.from_lists(truth), NodeLists.from_lists(predicted))
    found = counts.summary()
    assert found["c_f1_micro_strict"] <= min(found["c_f1_micro"], found["micro_f1"]) + 1e-12
    assert found["c_f1_macro_strict"] <= min(found["c_f1_macro"], found["macro_f1"]) + 1e-12


@many
@given(cases())
def test_perfect_ranking(case):
    """Every true node above every other: all areas 1. Exactly the truth predicted: all F1 1."""
    _, taxonomy, p, _, truth = case
    truth = [one for one in truth if any(one)] or [[1]]
    lists = NodeLists.from_lists(truth)
    closed = closed_lists(taxonomy, lists)
    scores = p[np.arange(len(truth)) % len(p)] / 4
    scores[np.repeat(np.arange(len(truth)), closed.lengths), closed.nodes] += 0.5
    for key, values in curve_areas(taxonomy, lists, scores).items():
        values = values[~np.isnan(values)]
        np.testing.assert_allclose(values, 1, rtol=0, atol=1e-12 if key == "ihf1_auc" else 0, err_msg=key)
    counts = LabelSetCounts(taxonomy)
    counts.add_lists(lists, closed)
    found = counts.summary()
    for key in ("micro_f1", "macro_f1_supported", "c_f1_micro", "c_f1_micro_strict", "hf1_samples", "hf1_micro"):
        assert math.isclose(found[key], 1, abs_tol=1e-12), key
    assert found["hamming_loss"] == 0


@many
@given(cases(is_tree=False))
def test_expected_sets(case):
    parents, taxonomy, p, predicted, _ = case
    leaves = naive_sets.leaves(parents)
    for row in p:
        if not any(row[leaf] for leaf in leaves):
            continue
        found = expected_by_threshold(taxonomy, row)
        assert found.threshold_from[-1] == 0
        assert found.threshold_below[0] == 1
        np.testing.assert_array_equal(found.threshold_from[:-1], found.threshold_below[1:])
        for i in range(len(found.size)):
            chosen = {node for node in range(1, len(parents)) if row[node] > found.threshold_from[i]}
            assert set(found.nodes(i).tolist()) == naive_sets.close(parents, chosen)
            value = naive_sets.expected_f1(parents, row, chosen, len)
            assert math.isclose(found.expected[i], value, abs_tol=1e-9)
        assert math.isclose(found.expected[found.best], found.expected.max(), abs_tol=1e-9)
        inside = [[node for node in one if node >= 0] for one in predicted]
        direct = expected_hf1(taxonomy, row, NodeLists.from_lists(inside))
        values = [naive_sets.expected_f1(parents, row, one, len) for one in inside]
        np.testing.assert_allclose(direct, values, atol=1e-9)


def test_blocks_do_not_matter(monkeypatch):
    """Work blocks of any size, and any split into calls, give the same numbers."""
    rng = np.random.default_rng(5)
    taxonomy = hv.Taxonomy.from_edges((f"n{rng.integers(0, i)}", f"n{i}") for i in range(1, 60))
    p, truth = np.round(rng.random((40, 60)), 1), rng.integers(0, 60, 40)
    whole = LabelSetCounts(taxonomy)
    whole.add(truth, p)
    points = set_metrics_by_threshold(taxonomy, truth, p, [0.1, 0.35, 0.8])
    monkeypatch.setattr("hierviz.metrics.sets.node_sets.WORK_VALUES", 150)
    parts = LabelSetCounts(taxonomy)
    for start in range(0, 40, 7):
        parts.add(truth[start : start + 7], p[start : start + 7])
    same(parts.summary(), whole.summary(), tolerance=1e-12)
    for key, values in parts.per_sample().items():
        np.testing.assert_allclose(values, whole.per_sample()[key], atol=1e-12)
    for key, values in set_metrics_by_threshold(taxonomy, truth, p, [0.1, 0.35, 0.8]).items():
        np.testing.assert_array_equal(values, points[key])
    assert {label_sets.work_blocks, set_curves.work_blocks} == {label_sets.work_blocks}
