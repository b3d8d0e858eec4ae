"""Numbers of every node against sets and loops."""

import naive
import naive_diagnosis
import numpy as np
import pytest
import strategies
from hypothesis import given
from naive_diagnosis import same
from strategies import many

import hierviz as hv

COLUMNS = ("n_no_answer", "support", "answered", "hits", "stopped_here", "recall", "precision", "f1")


def check(found, expected):
    for key in COLUMNS:
        same(getattr(found, key), [row[key] for row in expected])


@many
@given(strategies.judged(most=6))
def test_one_truth_and_scores(case):
    graph, taxonomy, p, truth = case
    predictions = hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    found = hv.diagnosis.node_table(predictions, "threshold", 0.3)
    said = [naive.rule_threshold(graph, row, 0.3) for row in p.tolist()]
    check(found, naive_diagnosis.node_table(graph, [[y] for y in truth], [[y] for y in said]))
    for node in range(graph.n):
        below = [i for i, y in enumerate(truth) if node in naive.ancestors(graph, y)]
        right = [i for i in below if naive.outcome(graph, truth[i], said[i]) != "wrong"]
        same(found.n_correct[node], len(right))
        same(found.correct[node], naive_diagnosis.over(len(right), len(below)))
        wins = [naive.win(graph, p[i].tolist(), truth[i]) for i in below]
        same(found.mean_win[node], naive_diagnosis.over(sum(wins), len(below)))
    assert set(found.reasons) == {"ece", "ece_expected", "is_miscalibrated"}


@many
@given(strategies.judged(strategies.graphs(), most=6))
def test_one_truth_on_a_graph(case):
    graph, taxonomy, p, truth = case
    predictions = hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    found = hv.diagnosis.node_table(predictions, "threshold", 0.3)
    said = [naive.rule_threshold(graph, row, 0.3) for row in p.tolist()]
    check(found, naive_diagnosis.node_table(graph, [[y] for y in truth], [[y] for y in said]))
    for node in range(graph.n):
        below = [i for i, y in enumerate(truth) if node in naive.ancestors(graph, y)]
        right = [i for i in below if naive.outcome(graph, truth[i], said[i]) != "wrong"]
        same(found.n_correct[node], len(right))
    if not taxonomy.is_tree:
        assert "several parents" in found.reasons["mean_win"]


@many
@given(naive_diagnosis.labelled())
def test_sets(case):
    graph, taxonomy, truths, answers = case
    found = hv.diagnosis.node_table(
        hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths)
    )
    check(found, naive_diagnosis.node_table(graph, truths, answers))
    assert np.isnan(found.n_correct).all()
    assert "several true classes" in found.reasons["correct"]


def test_threshold_sets(taxonomy):
    p = np.array([[0.5, 0.25, 0.25, 0.0]])
    predictions = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=[[2, 6]])
    found = hv.diagnosis.node_table(predictions, "threshold_set", 0.3)
    # The set is mammal and cat; cat and newt are true.
    assert found.stopped_here.tolist() == [0, 1, 1, 0, 0, 0, 0]
    assert found.hits.tolist() == [1, 1, 1, 0, 0, 0, 0]
    assert found.support.tolist() == [1, 1, 1, 0, 0, 0, 1]


def test_ten_lemons_called_oranges():
    taxonomy = hv.Taxonomy.from_edges(
        [("fruit", "citrus"), ("citrus", "lemon"), ("citrus", "orange"), ("fruit", "pear")]
    )
    lemons = hv.Predictions.from_labels(
        taxonomy, np.full(10, taxonomy.node("orange")), truth=np.full(10, taxonomy.node("lemon"))
    )
    found = hv.diagnosis.node_table(lemons)
    assert found.recall[taxonomy.node("citrus")] == 1
    assert found.recall[taxonomy.node("lemon")] == 0
    assert found.n_correct.tolist() == [0, 0, 0, 0, 0]
    frame = found.to_frame()
    assert frame.loc[frame["node"] == "lemon", ["parent", "depth", "support"]].values.tolist() == [["citrus", 2, 10]]


def test_samples_without_truth_are_left_out(taxonomy):
    made = hv.Predictions.from_labels(taxonomy, [2, 3, 6], truth=[2, -1, 6])
    assert hv.diagnosis.node_table(made).support.tolist() == [2, 1, 1, 0, 0, 0, 1]


def test_no_truth(taxonomy):
    with pytest.raises(hv.PredictionsError, match=r"^model: expected samples with a known truth, got none\. Attach"):
        hv.diagnosis.node_table(hv.Predictions.from_labels(taxonomy, [2, 3]))
    with pytest.raises(hv.PredictionsError, match=r"^answers: expected an Evaluation, got list\."):
        hv.diagnosis.node_table([2, 3])


def test_choices_are_kept(taxonomy):
    evaluation = hv.Evaluation.from_predictions(hv.Predictions.from_labels(taxonomy, [2, 3], truth=[2, 2]))
    once = hv.evaluation.judged_answers(evaluation)
    assert hv.evaluation.judged_answers(evaluation) is once
    assert hv.evaluation.judged_answers(once, "leaf") is once
    # Labels are answers already, whatever the rule.
    assert hv.evaluation.judged_answers(evaluation, "leaf") is once
    scores = hv.Predictions.from_scores(taxonomy, [[0.5, 0.25, 0.25, 0]] * 2, "leaf_probabilities", truth=[2, 2])
    evaluation = hv.Evaluation.from_predictions(scores)
    assert hv.evaluation.judged_answers(evaluation, "leaf") is hv.evaluation.judged_answers(evaluation, "leaf")
    assert hv.evaluation.judged_answers(evaluation, "leaf") is not hv.evaluation.judged_answers(evaluation)
    assert len(hv.mistakes(evaluation)) == 2
