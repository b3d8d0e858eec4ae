"""Thresholds of groups against choosing and measuring group by group."""

from functools import partial

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import hierviz as hv
from benchmarks.guarantee import population
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import path_keys
from hierviz.thresholds.groups import group_thresholds, groups_by_depth, groups_by_subtree, nodes_at_each
from hierviz.thresholds.selection import choose
from hierviz.uncertainty.resamples import split_samples

some = settings(max_examples=60, deadline=None, derandomize=True, database=None)
BEST = partial(choose, maximise="info_f1")
GOALS = {
    "f1": BEST,
    "correct": partial(choose, subject_to={"correct": 0.9}),
    "never": partial(choose, subject_to={"correct": 1.0}),
}


@pytest.fixture(scope="module")
def world():
    return population(n_groups=150, largest=5)


@some
@given(strategies.judged(strategies.trees(10)), st.data())
def test_groups_of_samples(case, data):
    graph, taxonomy, p, _ = case
    table = hv.pareto_table(taxonomy, p)
    leaf = [naive.rule_leaf(graph, row) for row in p.tolist()]
    found = groups_by_subtree(taxonomy, table)
    assert found.tolist() == [naive.path(graph, node)[1] for node in leaf]
    majority = [naive.depth(graph, naive.rule_majority(graph, row)) for row in p.tolist()]
    assert groups_by_depth(taxonomy, table).tolist() == majority
    thresholds = data.draw(st.lists(st.sampled_from(strategies.TIES), min_size=len(p), max_size=len(p)))
    answers = [naive.rule_threshold(graph, row, threshold) for row, threshold in zip(p.tolist(), thresholds)]
    assert nodes_at_each(table, np.array(thresholds)).tolist() == answers


@some
@given(strategies.judged(strategies.trees(8), most=8), st.sampled_from(list(GOALS)), st.booleans(), st.data())
def test_group_by_group(case, goal, is_checked, data):
    graph, taxonomy, p, truth = case
    n, table = len(p), hv.pareto_table(taxonomy, p)
    if is_checked and n < 2:
        return
    labels = np.array(data.draw(st.lists(st.sampled_from([0, 1, 3, 4]), min_size=n, max_size=n)))
    found = group_thresholds(taxonomy, truth, table, labels, GOALS[goal], fraction=0.5 if is_checked else None, seed=n)
    first, second = split_samples(n, 0.5, seed=n) if is_checked else (np.arange(n), np.arange(n))

    def choose(rows):
        return GOALS[goal](hv.operating_curve(taxonomy, truth[rows], table.take(rows))).threshold if len(rows) else None

    overall = choose(first)
    if overall is None:
        assert found is None
        return
    assert found.global_threshold == overall
    assert found.groups.tolist() == sorted({*labels.tolist()})
    tau_of = {}
    for i, group in enumerate(found.groups.tolist()):
        rows = first[labels[first] == group]
        own = choose(rows)
        assert found.is_own[i] == (own is not None)
        tau_of[group] = overall if own is None else own
        assert found.threshold[i] == tau_of[group]
        assert found.n_measured[i] == (labels[second] == group).sum()
    for tau, values, group_values in (
        (tau_of, found.values, found.group_values),
        (dict.fromkeys(tau_of, overall), found.global_values, found.global_group_values),
    ):
        metrics = {
            row: naive.path_metrics(
                graph, int(truth[row]), naive.rule_threshold(graph, p[row].tolist(), tau[int(labels[row])])
            )
            for row in second.tolist()
        }
        for key in ("correct", "info_recall", "info_dist"):
            assert values[key] == pytest.approx(naive.mean([one[key] for one in metrics.values()]), abs=1e-12)
            for i, group in enumerate(found.groups.tolist()):
                own = [one[key] for row, one in metrics.items() if labels[row] == group]
                mean = naive.mean(own) if own else np.nan
                assert group_values[key][i] == pytest.approx(mean, abs=1e-12, nan_ok=True)
    if not is_checked and goal == "f1":
        assert found.values["info_f1"] >= found.global_values["info_f1"] - 1e-12
    if not is_checked and found.is_own.all():
        level = {"f1": 0, "correct": 0.9, "never": 1}[goal]
        assert found.values["correct"] >= level - 1e-12
        assert (found.group_values["correct"] >= level - 1e-12).all()


def test_on_the_same_samples_and_on_others(world):
    labels = groups_by_subtree(world.taxonomy, world.table)
    same = group_thresholds(world.taxonomy, world.truth, world.table, labels, BEST)
    assert same.groups.tolist() == world.taxonomy.children[0].tolist()
    assert not same.is_checked
    assert "chosen and measured on the same" in same.sentence
    answers = nodes_at_each(world.table, same.threshold[np.searchsorted(same.groups, labels)])
    metrics = path_metrics(world.taxonomy, world.truth, answers)
    for key in path_keys():
        assert same.values[key] == pytest.approx(metrics[key].mean(), abs=1e-12)
    other = group_thresholds(world.taxonomy, world.truth, world.table, labels, BEST, fraction=0.5, seed=1)
    assert other.is_checked
    assert other.chosen_on + other.measured_on == len(labels)
    assert other.sentence == (
        f"Thresholds were chosen on {other.chosen_on} samples and measured on {other.measured_on} others."
    )


def test_errors(world):
    taxonomy, table, truth = world.taxonomy, world.table, world.truth
    with pytest.raises(
        hv.PredictionsError, match=r"^labels: expected one for each of the \d+ samples, got shape \(1,\)"
    ):
        group_thresholds(taxonomy, truth, table, [0], choose)
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    with pytest.raises(hv.TaxonomyError, match="expected a tree"):
        groups_by_subtree(graph, hv.pareto_table(graph, np.ones((1, 4))))
