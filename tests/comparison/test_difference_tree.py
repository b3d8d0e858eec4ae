"""Difference trees against plain counting and `evaluate`, and what their flags promise."""

import itertools
import math

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.comparison import difference_tree, metrics_by_class, paired_answers
from hierviz.comparison._paired_difference import points
from hierviz.comparison.class_sums import ClassSums, sign_flip_p_values
from tests.comparison.paired_worlds import grid, labelled, scored


def planted(seed, n_inside=120, n_all=540, gain=(0.5, 0.9), elsewhere=0.7):
    """Two models that are right alike but below "aa": A in a share of gain[0], B of gain[1]."""
    rng, taxonomy = np.random.default_rng(seed), grid()
    inside = taxonomy.leaves[[taxonomy.names[leaf].startswith("aa") for leaf in taxonomy.leaves]]
    # "aa" has less than half of the samples of "a".
    of_a = taxonomy.leaves[[taxonomy.names[leaf][0] == "a" and leaf not in inside for leaf in taxonomy.leaves]]
    others = np.setdiff1d(taxonomy.leaves, np.concatenate([inside, of_a]))
    truth = np.concatenate(
        [rng.choice(inside, n_inside), rng.choice(of_a, n_inside + 30), rng.choice(others, n_all - 2 * n_inside - 30)]
    )
    is_in = np.arange(n_all) < n_inside
    rights = [rng.random(n_all) < np.where(is_in, share, elsewhere) for share in gain]
    return [labelled(taxonomy, truth, right, name) for right, name in zip(rights, "AB")]


def flagged_names(found):
    return [found.taxonomy.names[node] for node in found.flagged]


def test_a_planted_class_is_flagged_with_the_right_sign():
    """120 samples, less than half of the parent's, right .5 against .9: in at least 95 of 100 data sets."""
    n_found = 0
    for seed in range(100):
        found = difference_tree(*planted(seed))
        node = found.taxonomy.index["aa"]
        n_found += bool(found.is_flagged[node] and found.gain[node] > 0 and found.explained_by[node] < 0)
    assert n_found >= 95


def test_a_planted_loss_and_the_sentence():
    found = difference_tree(*planted(3)[::-1])
    node = found.taxonomy.index["aa"]
    assert found.gain[node] < 0
    assert found.verdict(node) == "A loses"
    n_differ = int(found.n_differ[node])
    assert f"A loses in aa ({points(found.difference[node])}, they differ on {n_differ} of 120" in found.sentence
    explained = [name for name, node in found.taxonomy.index.items() if found.explained_by[node] >= 0]
    for name in explained:
        assert found.verdict(found.taxonomy.index[name]).startswith("explained by ")


def test_the_same_model_is_blank():
    a, _ = planted(0)
    found = difference_tree(a, a)
    assert not len(found.flagged)
    assert np.nanmax(np.abs(found.difference)) == 0
    assert (found.p_value[np.isfinite(found.p_value)] == 1).all()
    assert found.sentence.startswith("No class with a clear difference")
    scores = scored(a.taxonomy, a.truth, np.ones(len(a.truth), bool), "A", np.random.default_rng(0))
    assert not len(difference_tree(scores, scores, "softmax_win").flagged)


def share_of_alarms(n_sets, metric=None, n=300):
    alarms = 0
    for seed in range(n_sets):
        rng, taxonomy = np.random.default_rng(1000 + seed), grid()
        truth = rng.choice(taxonomy.leaves, n)
        shape = scored if metric else labelled
        a, b = (shape(taxonomy, truth, rng.random(n) < 0.7, name, *([rng] if metric else [])) for name in "AB")
        tests = hv.diagnosis.ManyTests(n_draws=1_999 if metric else None)
        alarms += bool(len(difference_tree(a, b, metric, tests=tests).flagged))
    return alarms / n_sets


def test_two_equal_models_seldom_flag_anything():
    assert share_of_alarms(60) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 60)


@pytest.mark.long
@pytest.mark.parametrize("metric", [None, "softmax_win"])
def test_two_equal_models_flag_at_most_five_in_a_hundred(metric):
    """At most 5 % and 3 standard errors of 400 data sets have any flag."""
    assert share_of_alarms(400, metric) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)


@pytest.mark.parametrize("metric", ["argmax_leaf_accuracy", "exact", "info_recall", "softmax_win", "hf1_samples"])
def test_values_are_those_of_evaluate_on_the_filtered_files(metric):
    rng, taxonomy = np.random.default_rng(5), grid()
    truth = rng.choice(np.arange(1, taxonomy.n_nodes), 120)
    leaf = np.array([taxonomy.leaves[np.isin(taxonomy.leaves, taxonomy.subtree(y))][0] for y in truth])
    a, b = (scored(taxonomy, leaf, rng.random(120) < share, name, rng) for share, name in ((0.5, "A"), (0.8, "B")))
    a, b = (one.replace(truth=truth) for one in (a, b))
    found = difference_tree(a, b, metric)
    checked = 0
    for node in range(1, taxonomy.n_nodes):
        rows = np.flatnonzero(np.isin(truth, taxonomy.subtree(node)))
        assert found.n[node] == len(rows)
        if len(rows) < 10:
            assert np.isnan(found.p_value[node])
        if not len(rows) or checked > 12:
            continue
        checked += 1
        for model, values in ((a, found.value_a), (b, found.value_b)):
            scores = model.node_probabilities(rows)[:, taxonomy.leaves]
            part = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth[rows])
            block = hv.METRICS[metric].block
            expected = hv.evaluate(part, rule="majority")["models"][0][block][metric]
            assert values[node] == pytest.approx(expected, abs=1e-9)
    assert checked > 8


@many
@given(strategies.pairs(n=24), st.data())
def test_counts_and_p_values_by_plain_counting(case, data):
    graph, taxonomy, truth, said = case
    other = np.array(data.draw(st.lists(st.sampled_from(range(graph.n)), min_size=24, max_size=24)))
    a, b = (hv.Predictions.from_labels(taxonomy, one, truth=truth) for one in (said, other))
    found = difference_tree(a, b, "correct", min_samples=3)
    right = [hv.evaluation.judged_answers(one).outcome != 3 for one in (a, b)]
    for node in range(1, graph.n):
        inside = np.array([node == y or node in naive.ancestors(graph, y) for y in truth.tolist()])
        assert found.n[node] == inside.sum()
        if inside.sum() < 3:
            assert np.isnan(found.p_value[node])
            continue
        gained, lost = int((inside & right[1] & ~right[0]).sum()), int((inside & right[0] & ~right[1]).sum())
        n = gained + lost
        p = min(1.0, 2 * sum(math.comb(n, k) for k in range(min(gained, lost) + 1)) / 2**n)
        assert found.p_value[node] == pytest.approx(p)
        assert found.difference[node] == pytest.approx((gained - lost) / inside.sum())
        assert found.n_differ[node] == n


def naive_flips(d, inside, groups):
    """Share of all signs of the groups whose sum is as far from 0."""
    units = sorted(set(groups))
    sums = [sum(d[i] for i in inside if groups[i] == unit) for unit in units]
    observed = abs(sum(sums))
    every = [abs(sum(s * x for s, x in zip(signs, sums))) for signs in itertools.product((-1, 1), repeat=len(units))]
    return sum(one >= observed - 1e-9 for one in every) / len(every)


@pytest.mark.parametrize("grouped", [False, True])
def test_sign_flips_come_near_to_all_signs(grouped):
    rng, taxonomy = np.random.default_rng(2), grid()
    truth = rng.choice(taxonomy.leaves[:6], 12)
    d = np.round(rng.normal(0.3, 1, 12), 2)
    d[3] = 0.0
    groups = np.arange(12) // 2 if grouped else None
    members = ClassSums.of(taxonomy, truth)
    nodes = np.flatnonzero(members.n)[1:] if members.n[0] else np.flatnonzero(members.n)
    p = sign_flip_p_values(members, d, nodes, groups, 9_999)
    for node, found in zip(nodes.tolist(), p):
        inside = [i for i in range(12) if node in taxonomy.ancestors(truth[i : i + 1])[0]]
        expected = naive_flips(d, inside, list(range(12)) if groups is None else groups.tolist())
        assert found == pytest.approx(expected, abs=4 * math.sqrt(0.25 / 9_999) + 2e-4)
    # The same signs whatever else is asked for, and the same numbers on each call.
    assert np.array_equal(p, sign_flip_p_values(members, d, nodes, groups, 9_999))
    assert (p >= 1 / 10_000).all()


def test_groups_need_ten_and_flip_together():
    taxonomy, rng = grid(), np.random.default_rng(4)
    truth = np.repeat(rng.choice(taxonomy.leaves, 30), 8)
    place = np.repeat(np.arange(30), 8).astype(str)
    right = np.repeat(rng.random((2, 30)) < [[0.4], [0.7]], 8, axis=1)
    a, b = (labelled(taxonomy, truth, one, name, attributes={"place": place}) for one, name in zip(right, "AB"))
    alone, grouped = difference_tree(a, b), difference_tree(a, b, group="place")
    assert grouped.n_groups == 30
    assert "of groups" in grouped.test
    few = [
        node
        for node in range(1, taxonomy.n_nodes)
        if alone.n[node] >= 10 and len(set(place[np.isin(truth, taxonomy.subtree(node))])) < 10
    ]
    assert few
    assert np.isnan(grouped.p_value[few]).all()
    tested = np.flatnonzero(np.isfinite(grouped.p_value))
    # Copies of a sample are no evidence.
    assert (grouped.p_value[tested] >= alone.p_value[tested] - 0.02).all()
    assert (grouped.upper - grouped.lower)[tested].min() > 0


def test_gains_and_losses_below_one_class_cancel():
    """The parent is not flagged, both children are: no test from the top down would find them."""
    taxonomy, rng = grid(), np.random.default_rng(6)
    truth = np.concatenate([np.repeat(taxonomy.leaves[:3], 40), np.repeat(taxonomy.leaves[3:6], 40)])
    is_first = np.arange(240) < 120
    a = labelled(taxonomy, truth, rng.random(240) < np.where(is_first, 0.5, 0.9), "A")
    b = labelled(taxonomy, truth, rng.random(240) < np.where(is_first, 0.9, 0.5), "B")
    found = difference_tree(a, b)
    names = flagged_names(found)
    assert {"aa", "ab"} <= set(names)
    assert "a" not in names
    assert "gains in aa" in found.sentence
    assert "loses in ab" in found.sentence


def test_a_parent_of_one_changed_child_is_explained_by_it():
    for seed in range(20):
        found = difference_tree(*planted(seed, n_inside=200, n_all=520))
        parent = found.taxonomy.index["a"]
        if found.is_flagged[parent] and found.flagged[0] != parent:
            first = found.taxonomy.index["aa"]
            own = np.isin(found.pair.truth, found.taxonomy.subtree(parent)) & ~np.isin(
                found.pair.truth, found.taxonomy.subtree(first)
            )
            if found.flagged[0] == first:
                assert found.n_outside[parent] == own.sum()
                assert found.explained_by[parent] == first
                assert parent not in found.clear
                return
    pytest.fail("no data set flags the parent")


def test_by_is_stricter_than_bh():
    a, b = planted(1)
    bh, by = (difference_tree(a, b, tests=hv.diagnosis.ManyTests(correction=key)) for key in ("bh", "by"))
    tested = np.isfinite(bh.p_adjusted)
    assert (by.p_adjusted[tested] >= bh.p_adjusted[tested]).all()
    assert "Benjamini-Yekutieli" in " ".join(by.notes)


def test_numbers_without_a_value_per_sample_are_named():
    rng, taxonomy = np.random.default_rng(7), grid()
    truth = rng.choice(taxonomy.leaves, 60)
    a, b = (scored(taxonomy, truth, rng.random(60) < 0.7, name, rng) for name in "AB")
    reasons = metrics_by_class(paired_answers(a, b))
    assert reasons["info_recall"] is None
    assert reasons["argmax_leaf_accuracy"] is None
    assert "all thresholds" in reasons["ac"]
    assert "ratio of sums" in reasons["micro_f1"]
    assert "over classes" in reasons["macro_f1"]
    for key in ("ac", "micro_f1", "nothing"):
        with pytest.raises(hv.PredictionsError, match="value per sample"):
            difference_tree(a, b, key)
    for key, reason in reasons.items():
        if reason is None:
            assert len(difference_tree(a, b, key, tests=hv.diagnosis.ManyTests(n_draws=9)).n) == taxonomy.n_nodes


def test_lower_is_better_turns_the_gain():
    rng, taxonomy = np.random.default_rng(8), grid()
    truth = rng.choice(taxonomy.leaves, 200)
    a, b = (scored(taxonomy, truth, rng.random(200) < share, name, rng) for share, name in ((0.4, "A"), (0.9, "B")))
    found = difference_tree(a, b, "cross_entropy", tests=hv.diagnosis.ManyTests(n_draws=999))
    assert found.difference[0] < 0 < found.gain[0]
    assert len(found.flagged)
    assert found.sentence.startswith("B gains")


def test_graphs_and_several_truths():
    taxonomy = hv.Taxonomy.from_edges([("root", "a"), ("root", "b"), ("a", "c"), ("b", "c"), ("a", "d"), ("b", "e")])
    truth = hv.NodeLists.from_lists([taxonomy.nodes("c"), taxonomy.nodes("d", "e"), taxonomy.nodes("e")] * 8)
    a = hv.Predictions.from_labels(taxonomy, truth, truth=truth, name="A")
    b = hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists([taxonomy.nodes("c")] * 24), truth=truth, name="B")
    found = difference_tree(a, b)
    assert found.metric == "hf1_samples"
    # c is below a and b; the second sample is below both, too.
    assert found.n[taxonomy.nodes("a", "b", "c", "d", "e")].tolist() == [16, 24, 8, 8, 16]
    assert found.value_a[0] == 1
    assert found.value_b[taxonomy.index["c"]] == 1


def test_the_frame_holds_every_class_with_samples():
    found = difference_tree(*planted(2))
    frame = found.to_frame()
    assert len(frame) == int((found.n[1:] > 0).sum())
    assert frame["class"].tolist()[: len(found.flagged)] == flagged_names(found)
    assert {"A", "B", "difference", "n", "n_differ", "p_value", "verdict"} <= set(frame)
