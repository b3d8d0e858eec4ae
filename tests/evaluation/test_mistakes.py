"""Ranked mistakes against plain sorting of naive values."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.diagnosis.mistakes import ORDERS, mistakes, outcome_counts
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.severity import severity
from hierviz.metrics.outcomes import OUTCOMES


@many
@given(strategies.pairs())
def test_means_of_the_path_metrics(case):
    graph, taxonomy, truth, predicted = case
    found = judged_answers(hv.Predictions.from_labels(taxonomy, predicted, truth=truth)).path_means
    values = [naive.path_metrics(graph, *one) for one in zip(truth.tolist(), predicted.tolist(), strict=True)]
    assert found == pytest.approx({key: sum(one[key] for one in values) / len(values) for key in found}, abs=1e-12)


@many
@given(strategies.judged(), st.data())
def test_against_naive(case, data):
    graph, taxonomy, p, truth = case
    truth = np.where([*data.draw(st.lists(st.booleans(), min_size=len(p) - 1, max_size=len(p) - 1)), False], -1, truth)
    evaluation = hv.Evaluation.from_predictions(
        hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    )
    kind = data.draw(st.sampled_from([None, *OUTCOMES]))
    under = data.draw(st.sampled_from([None, *range(graph.n)]))
    order = data.draw(st.sampled_from([key for key in ORDERS if key != "cost"]))
    found = mistakes(evaluation, "threshold", 0.3, outcome=kind, under=under, order=order)
    expected = []
    for row, (values, y) in enumerate(zip(p.tolist(), truth.tolist())):
        if y < 0:
            continue
        answer = naive.rule_threshold(graph, values, 0.3)
        what = naive.outcome(graph, y, answer)
        if (kind is None or what == kind) and (under is None or under in naive.ancestors(graph, y)):
            metrics = naive.path_metrics(graph, y, answer)
            bits = metrics["info_dist"]
            lost = 1 - naive.win(graph, values, y)
            expected.append((row, y, answer, what, lost, bits, metrics["depth_dist"], bits * values[answer]))
    place = {"win_lost": 4, "info_dist": 5, "depth_dist": 6, "confidence_dist": 7, "file": 0}[order]
    worst = sorted(expected, key=lambda one: one[0] if order == "file" else (-round(one[place], 9), one[0]))
    assert found.row.tolist() == [one[0] for one in worst]
    assert found.truth.tolist() == [one[1] for one in worst]
    assert found.predicted.tolist() == [one[2] for one in worst]
    assert found.outcome.tolist() == [one[3] for one in worst]
    np.testing.assert_allclose(found.win_lost, [one[4] for one in worst], atol=1e-12)
    np.testing.assert_allclose(found.info_dist, [one[5] for one in worst], atol=1e-12)
    ranked = [np.nan if order == "file" else one[place] for one in worst]
    np.testing.assert_allclose(found.severity, ranked, atol=1e-12)
    answers = hv.evaluation.judged_answers(evaluation, "threshold", 0.3)
    kept = hv.diagnosis.filtered(answers, hv.diagnosis.SampleFilter(outcome=kind, under=under))
    assert outcome_counts(answers, kept) == {key: sum(one[3] == key for one in expected) for key in OUTCOMES}


def test_by_hand(taxonomy):
    #   mammal 0.75: cat 0.5, dog 0.25      duck 1       all 0.25: newt and three others, mammal 0.5 is no majority
    rows = np.array([[0.5, 0.25, 0.125, 0.125], [0, 0, 1, 0], [0.25, 0.25, 0.25, 0.25], [1, 0, 0, 0]])
    made = hv.Predictions.from_scores(taxonomy, rows, "leaf_probabilities", truth=[3, 2, 6, 1])
    found = mistakes(hv.Evaluation.from_predictions(made))
    # Win lost: dog 1 - (.375 + .125), cat 1 - 0, newt 1 - 0.25, mammal 1 - 1.
    assert found.row.tolist() == [1, 2, 0, 3]
    assert found.win_lost.tolist() == [1, 0.75, 0.5, 0]
    assert found.outcome.tolist() == ["wrong", "no_answer", "coarse", "exact"]
    assert [taxonomy.names[node] for node in found.predicted] == ["duck", "animal", "mammal", "cat"]
    assert found.info_dist.tolist() == [4, 2, 1, 0]
    counts = outcome_counts(hv.evaluation.judged_answers(made))
    assert counts == {"exact": 1, "coarse": 1, "no_answer": 1, "wrong": 1}
    assert (len(found), len(found.take(found.outcome == "coarse"))) == (4, 1)


def test_hard_labels_rank_by_information(taxonomy):
    made = hv.Predictions.from_labels(taxonomy, [2, 3, 6, 1], truth=[2, 2, 2, 2])
    found = mistakes(hv.Evaluation.from_predictions(made))
    assert found.row.tolist() == [2, 1, 3, 0]
    assert found.info_dist.tolist() == [4, 2, 1, 0]
    assert np.isnan(found.win_lost).all()


def test_severity_of_answers_that_no_threshold_returns(taxonomy):
    # cat 0.4, dog 0.1, duck 0.3, newt 0.2: the table knows animal, mammal and cat; duck is what the cost makes of it.
    rows = np.array([[0.4, 0.1, 0.3, 0.2], [0.1, 0.1, 0.7, 0.1]])
    made = hv.Predictions.from_scores(taxonomy, rows, "leaf_probabilities", truth=taxonomy.nodes("dog", "newt"))
    evaluation = hv.Evaluation.from_predictions(made)
    found = severity(evaluation, evaluation.truth, taxonomy.nodes("newt", "duck"), "confidence_dist")
    np.testing.assert_allclose(found, [0.2 * 4, 0.7 * 4])
    with pytest.raises(hv.PredictionsError, match=r"^severity: expected one of win_lost, .* got 'win'\."):
        severity(evaluation, evaluation.truth, taxonomy.nodes("newt", "duck"), "win")


def test_nothing_said_of_nothing_is_no_loss(taxonomy):
    made = hv.Evaluation.from_predictions(hv.Predictions.from_labels(taxonomy, [0, 2, 0], truth=[0, 0, 2]))
    assert severity(made, made.truth, np.array([0, 2, 0]), "lost_hf1").tolist() == [0, 1, 1]


def test_errors(taxonomy):
    made = hv.Predictions.from_labels(taxonomy, [[2, 3], [6]], truth=[2, 2])
    evaluation = hv.Evaluation.from_predictions(made)
    with pytest.raises(
        hv.PredictionsError, match=r"^model: expected answers that can be ranked, got none: they need one answer"
    ):
        mistakes(evaluation)
    with pytest.raises(
        hv.PredictionsError, match=r"^outcome: expected one of exact, coarse, no_answer, wrong, got 'bad'"
    ):
        mistakes(evaluation, outcome="bad")
    with pytest.raises(
        hv.PredictionsError,
        match=r"^order: expected one of win_lost, info_dist, depth_dist, confidence_dist, cost, lost_hf1, file, got 'worst'",
    ):
        mistakes(evaluation, order="worst")
    lists = hv.Predictions.from_scores(taxonomy, np.ones((1, 6)), "node_probabilities", truth=[[2, 3]])
    with pytest.raises(hv.PredictionsError, match=r"got none: they need one true class per sample"):
        mistakes(hv.Evaluation.from_predictions(lists))
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    dag = hv.Predictions.from_scores(graph, np.ones((1, 3)), "node_probabilities", truth=[3])
    with pytest.raises(hv.PredictionsError, match=r"got none: they are defined on trees"):
        mistakes(hv.Evaluation.from_predictions(dag))


@pytest.mark.parametrize("under", [-1, 7])
def test_under_is_a_node(taxonomy, under):
    made = hv.Predictions.from_labels(taxonomy, [2], truth=[2])
    with pytest.raises(hv.HiervizError, match=r"^under: expected"):
        mistakes(hv.Evaluation.from_predictions(made), under=under)
