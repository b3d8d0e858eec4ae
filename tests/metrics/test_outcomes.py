"""The four outcomes of an answer: counts add up, and what says nothing is no answer."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.diagnosis.mistakes import outcome_counts
from hierviz.metrics.outcomes import OUTCOMES, answered_text, outcome_indicators, outcomes_text
from hierviz.metrics.path import path_metrics


@many
@given(strategies.pairs(n=8), st.data())
def test_against_naive(case, data):
    """On trees: every way of counting gives the outcome of the definition."""
    graph, taxonomy, truth, said = case
    expected = [naive.outcome(graph, y, a) for y, a in zip(truth.tolist(), said.tolist())]
    found = outcome_indicators(path_metrics(taxonomy, truth, said))
    assert {key: holds.tolist() for key, holds in found.items()} == {
        f"n_{key}": [what == key for what in expected] for key in OUTCOMES
    }
    answers = hv.evaluation.judged_answers(hv.Predictions.from_labels(taxonomy, said, truth=truth))
    assert [list(OUTCOMES)[place] for place in answers.outcome] == expected


@many
@given(strategies.judged(), st.floats(0, 1))
def test_curves_know_the_share_without_an_answer(case, threshold):
    graph, taxonomy, p, truth = case
    curve = hv.operating_curve(taxonomy, truth, p)
    answers = [naive.rule_threshold(graph, row, threshold) for row in p.tolist()]
    outcomes = [naive.outcome(graph, y, a) for y, a in zip(truth.tolist(), answers)]
    assert curve.at(threshold)["no_answer"] == pytest.approx(outcomes.count("no_answer") / len(truth), abs=1e-12)
    assert hv.thresholds.choose(curve, subject_to={"correct": 0.0}).values.keys() >= {"no_answer", "correct"}


def test_on_a_graph():
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("c", "d")])
    r, a, b, c, d = graph.nodes("r", "a", "b", "c", "d").tolist()
    truth = np.array([c, c, c, c, c, r, r])
    said = np.array([c, d, b, r, c, r, a])
    answers = hv.evaluation.judged_answers(hv.Predictions.from_labels(graph, said, truth=truth))
    names = ["exact", "exact", "coarse", "no_answer", "exact", "exact", "exact"]
    assert [list(OUTCOMES)[place] for place in answers.outcome] == names


def test_the_root_is_an_answer_where_it_is_the_truth(taxonomy):
    made = hv.Predictions.from_labels(taxonomy, [0, 0, 3], truth=[0, 2, 0])
    answers = hv.evaluation.judged_answers(made)
    assert outcome_counts(answers) == {"exact": 2, "coarse": 0, "no_answer": 1, "wrong": 0}


def test_sets_without_an_answer(taxonomy):
    """An empty set, and the root alone; a label outside the taxonomy is an answer, and a wrong one."""
    labels = hv.NodeLists.from_lists([[], [0], [2, 6], [2], [-1]])
    made = hv.Predictions.from_labels(taxonomy, labels, truth=[[2, 6]] * 5)
    answers = hv.evaluation.judged_answers(made)
    assert outcome_counts(answers) == {"exact": 1, "no_answer": 2, "wrong": 2}
    assert hv.evaluate(made)["models"][0]["labels"]["n_empty"] == 2
    kept = hv.diagnosis.filtered(answers, hv.diagnosis.SampleFilter(outcome="no_answer"))
    assert kept.tolist() == [True, True, False, False, False]


def test_one_wording():
    # 100 samples, 30 without an answer, 65 of the other 70 correct: 65 / 70 = .92857.
    assert answered_text(0.3, 0.95) == "30.0 % get no answer; of the others 92.9 % are correct"
    # Rounding may not lift or lower a share beyond its ends.
    assert answered_text(0.25, 0.25 - 1e-17) == "25.0 % get no answer; of the others 0.0 % are correct"
    assert answered_text(0.0, 0.8) == "all samples get an answer"
    assert answered_text(1.0, 1.0) == "no sample gets an answer"


def test_a_share_is_written_once():
    """45.4 % is written 46 % where all shares have to add up to 100: it is not said again, as 45.4 %."""
    said = outcomes_text({"exact": 202, "coarse": 303, "no_answer": 454, "wrong": 41})
    # 505 of 546.
    assert "454 (46 %) are no answer (only the root)" in said
    assert said.endswith(" Of those with an answer 92.5 % are correct.")
