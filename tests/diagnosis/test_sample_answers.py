"""Answers to one sample against those of the whole evaluation: every rule, one truth and several, trees and graphs."""

import naive
import naive_diagnosis
import numpy as np
import pytest

import hierviz as hv
from hierviz.diagnosis.sample_answers import answers_by_rule, sample_answer, sample_confusion
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.metrics.outcomes import OUTCOMES

TREE = [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f"), ("f", "g"), ("f", "h")]
GRAPH = [*TREE, ("b", "d")]


@pytest.mark.parametrize("edges", [TREE, GRAPH])
@pytest.mark.parametrize("several", [False, True])
def test_every_rule_answers_as_for_all_samples(edges, several):
    rng = np.random.default_rng(3)
    taxonomy = hv.Taxonomy.from_edges(edges)
    truth = rng.integers(0, taxonomy.n_nodes, 12)
    lists = hv.NodeLists.from_lists([np.unique(rng.integers(0, taxonomy.n_nodes, 2)) for _ in truth])
    scores = rng.dirichlet(np.ones(taxonomy.n_leaves), 12)
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=lists if several else truth)
    evaluation = Evaluation.from_predictions(predictions)
    rules = [rule for rule, entry in INFERENCE_RULES.items() if taxonomy.is_tree or not entry.tree_only]
    of_all = evaluation.answers_by_rule(rules, 0.4)
    graph = naive.Graph(taxonomy.n_nodes, taxonomy.edges.tolist())
    for row in range(12):
        of_one = answers_by_rule(evaluation, row, rules, 0.4)
        for rule, answer in of_one.items():
            assert list(answer.nodes) == np.atleast_1d(of_all[rule][row]).tolist(), rule
            if INFERENCE_RULES[rule].returns_sets:
                assert (answer.information, answer.p) == (None, None)
                true = lists[row].tolist() if several else [int(truth[row])]
                assert answer.outcome == naive_diagnosis.set_outcome(graph, true, answer.nodes)
                continue
            (node,) = answer.nodes
            truths = lists[row].tolist() if several else [int(truth[row])]
            outcomes = {naive.outcome(graph, one, node) for one in truths}
            assert answer.outcome == next(key for key in OUTCOMES if key in outcomes)
            assert answer.information == taxonomy.information[node]
            assert answer.p == pytest.approx(predictions.node_probabilities([row])[0, node])
            if taxonomy.is_tree and not several:
                assert answer.win == evaluation.win[row]
                assert sum(answer.win_terms) == pytest.approx(answer.win)
            else:
                assert answer.win is None
        assert sample_answer(evaluation, row, "leaf") == of_one["leaf"]
        for rule in ("threshold", "threshold_set", "hf_optimal"):
            counts, all_counts = sample_confusion(evaluation, row, rule, 0.4), evaluation.confusion(rule, 0.4)
            for cell in ("tp", "tn", "fp", "fn"):
                assert getattr(counts, cell)[0] == getattr(all_counts, cell)[row]
            for cell, nodes in all_counts.node_sets(row).items():
                assert counts.node_sets(0)[cell].tolist() == nodes.tolist()


def test_labels_and_bad_samples():
    taxonomy = hv.Taxonomy.from_edges(TREE)
    labels = hv.NodeLists.from_lists([taxonomy.nodes("c", "g"), taxonomy.nodes("d")])
    evaluation = Evaluation.from_predictions(
        hv.Predictions.from_labels(taxonomy, labels, truth=taxonomy.nodes("c", "d"))
    )
    assert sample_answer(evaluation, 0).nodes == tuple(taxonomy.nodes("c", "g").tolist())
    assert sample_answer(evaluation, 1).win is None
    assert [sample_answer(evaluation, row).outcome for row in (0, 1)] == ["wrong", "exact"]
    outside = hv.NodeLists.from_lists([[taxonomy.node("c"), -1]])
    judged = hv.Predictions.from_labels(taxonomy, outside, truth=taxonomy.nodes("c"))
    assert sample_answer(Evaluation.from_predictions(judged), 0).outcome == "wrong"
    assert sample_confusion(evaluation, 0).counts == {
        key: int(getattr(evaluation.confusion(), key)[0]) for key in ("tp", "tn", "fp", "fn")
    }
    with pytest.raises(hv.PredictionsError, match="sample: expected a row from 0 to 1, got 2"):
        sample_answer(evaluation, 2)
