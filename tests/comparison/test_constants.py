"""The best constant answer of each metric against evaluating every constant answer, one by one."""

import math

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples, many

import hierviz as hv
from hierviz.comparison.columns import columns_of
from hierviz.comparison.constants import TRAINING, TRUTH, constants
from hierviz.metrics.registry import OPTIMAL_SET_METRICS

CHOICE = {"rule": "majority", "threshold": 0.5}


def brute_force(taxonomy, truth, columns):
    """Value of each column for every node that is always answered: list of dicts."""
    n = len(truth)
    always = []
    for node in range(taxonomy.n_nodes):
        labels = hv.Predictions.from_labels(taxonomy, np.full(n, node), truth=truth)
        (model,) = hv.evaluate(labels)["models"]
        found = {}
        for column in columns:
            block = model[column.block]
            parts = column.key.split(".")
            if block is None:
                continue
            if len(parts) > 2:
                by_depth = block[parts[1]]
                found[column.key] = None if by_depth is None else by_depth[parts[2]]["macro_f1"]
            else:
                found[column.key] = block[column.metric]
        if taxonomy.is_tree and isinstance(truth, np.ndarray):
            metrics = hv.metrics.path_metrics(taxonomy, truth, np.full(n, node))
            found |= {c.key: metrics[c.metric].mean() for c in columns if c.metric in metrics}
        always.append(found)
    return always


def check(taxonomy, truth):
    scores = np.full((len(truth), taxonomy.n_nodes - 1), 0.5)
    predictions = hv.Predictions.from_scores(taxonomy, scores, "node_probabilities", truth=truth)
    columns = [c for c in columns_of(taxonomy, "all") if c.block in ("labels", "confusion", "predicted")]
    model = hv.Evaluation.from_predictions(predictions)
    # Of sets that rule hf_optimal chooses, no constant answer is one.
    optimal = [c for c in columns if c.metric in OPTIMAL_SET_METRICS]
    assert set(constants(model, optimal).reasons) == {"labels.hf_beta_samples", "labels.hf_beta_expected"}
    columns = [c for c in columns if c not in optimal]
    found = constants(model, columns)
    always, compared = brute_force(taxonomy, truth, columns), 0
    for column in columns:
        assert (found.values[column.key] is None) == (column.key in found.reasons), column.key
        if found.values[column.key] is None or column.metric.endswith(("_auc", "_auc_raw")):
            continue
        values = [value for of_node in always if (value := of_node.get(column.key)) is not None]
        best = max(values) if column.better == "higher" else min(values)
        assert found.values[column.key] == pytest.approx(best, abs=1e-9), column.key
        node = taxonomy.node(found.answers[column.key])
        assert always[node][column.key] == pytest.approx(best, abs=1e-9), column.key
        compared += 1
    return compared


@settings(many, max_examples=examples(40))
@given(strategies.trees(8), st.integers(0, 1 << 30))
def test_one_truth_on_trees(graph, seed):
    taxonomy, rng = strategies.from_graph(graph), np.random.default_rng(seed)
    assert check(taxonomy, rng.integers(1, graph.n, int(rng.integers(1, 8)))) >= 25


@settings(many, max_examples=examples(40))
@given(strategies.graphs(8), st.integers(0, 1 << 30))
def test_several_truths_on_graphs(graph, seed):
    taxonomy, rng = strategies.from_graph(graph), np.random.default_rng(seed)
    truth = [rng.integers(1, graph.n, int(rng.integers(1, 3))).tolist() for _ in range(int(rng.integers(1, 6)))]
    assert check(taxonomy, hv.NodeLists.from_lists(truth)) >= 15


def test_scores_are_class_frequencies(taxonomy):
    """cat 3, dog 2, duck 1 of 6: as leaf probabilities by hand; with training counts 1, 1, 1, 1 these."""
    truth = taxonomy.nodes("cat", "cat", "cat", "dog", "dog", "duck")
    columns = columns_of(
        taxonomy, metrics="distribution.cross_entropy,distribution.softmax_win,curve.ac,labels.hf1_auc"
    )
    uniform = hv.Predictions.from_scores(taxonomy, np.full((6, 4), 0.25), "leaf_probabilities", truth=truth)
    found = constants(hv.Evaluation.from_predictions(uniform), columns)
    assert set(found.answers.values()) == {TRUTH}
    entropy = -sum(p * math.log(p) for p in (1 / 2, 1 / 3, 1 / 6))
    assert found.values["distribution.cross_entropy"] == pytest.approx(entropy)
    # mammal 5/6: cat 5/12 + 1/8 + 1/8, ... weights 1/2, 1/4, 1/4.
    wins = [5 / 12 + 1 / 4, 5 / 12 + 1 / 6, 1 / 12 + 1 / 12]
    assert found.values["distribution.softmax_win"] == pytest.approx((3 * wins[0] + 2 * wins[1] + wins[2]) / 6)

    counts = {"train_count": {taxonomy.names[leaf]: 1 for leaf in taxonomy.leaves}}
    with_counts = taxonomy.with_nodes(attributes=counts)
    found = constants(hv.Evaluation.from_predictions(uniform.replace(taxonomy=with_counts)), columns)
    assert set(found.answers.values()) == {TRAINING}
    assert found.values["distribution.cross_entropy"] == pytest.approx(math.log(4))


def test_what_has_no_constant(taxonomy):
    truth = taxonomy.nodes("cat", "dog")
    labels = hv.Predictions.from_labels(taxonomy, truth, truth=truth)
    columns = columns_of(
        taxonomy, metrics="confusion.tp,predicted.correct,labels.hp_samples,confusion.fpr,curve.n_points"
    )
    found = constants(hv.Evaluation.from_predictions(labels), columns)
    assert set(found.reasons) == {column.key for column in columns}
    assert not found.answers
