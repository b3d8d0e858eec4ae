"""Intervals of thresholds against `infer` at every midpoint and on both sides of every flip."""

import math

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.metrics.outcomes import OUTCOMES

# Scores that are no probabilities are taken as they are.
VALUES = (*strategies.TIES, -0.25, 1.0 + 2**-52, 1.25)


def check(taxonomy, graph, row, found, truths):
    def answer(threshold):
        return int(hv.infer(taxonomy, row[None], "threshold", threshold=threshold)[0])

    # They tile [0, 1].
    assert found.low[0] == 0
    assert found.high[-1] == 1
    assert found.low[1:].tolist() == found.high[:-1].tolist()
    assert (found.low[:-1] < found.high[:-1]).all()
    assert (np.diff(found.node) != 0).all()
    for place in range(len(found)):
        low, high, node = float(found.low[place]), float(found.high[place]), int(found.node[place])
        assert answer(low) == answer((low + high) / 2) == node == naive.rule_threshold(graph, row.tolist(), low)
        last = high if place == len(found) - 1 else math.nextafter(high, 0)
        assert answer(last) == node
        for threshold in (low, (low + high) / 2, last):
            assert found.place(threshold) == place
        assert found.score[place] == row[node]
        outcomes = {naive.outcome(graph, truth, node) for truth in truths} or {""}
        assert found.outcome[place] == next(key for key in (*OUTCOMES, "") if key in outcomes)


@many
@given(st.one_of(strategies.judged(values=VALUES), strategies.judged(strategies.graphs(), values=VALUES)), st.data())
def test_against_the_rule(case, data):
    graph, taxonomy, p, truth = case
    table = hv.pareto_table(taxonomy, p)
    sample = data.draw(st.integers(0, len(p) - 1))
    truths = data.draw(st.sampled_from([[], [int(truth[sample])], [int(truth[sample]), 0]]))
    check(
        taxonomy,
        graph,
        p[sample],
        hv.diagnosis.flip_intervals(table, sample, taxonomy=taxonomy, truth=truths or None),
        truths,
    )


@many
@given(strategies.judged(values=strategies.TIES), st.data())
def test_of_predictions(case, data):
    graph, taxonomy, p, truth = case
    truth[data.draw(st.integers(0, len(p) - 1))] = -1
    predictions = hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    evaluation = hv.Evaluation.from_predictions(predictions)
    for sample in range(len(p)):
        truths = [int(truth[sample])] if truth[sample] >= 0 else []
        found = hv.diagnosis.flip_intervals(predictions, sample)
        check(taxonomy, graph, p[sample], found, truths)
        again = hv.diagnosis.flip_intervals(evaluation, sample, rule="majority").to_frame()
        assert again.equals(found.to_frame())


@pytest.mark.parametrize(
    "row", [[1.5, 1.25, -0.25, -0.5, -0.5, -0.5, -0.5], [1, 0.5, 0.0, 0, 0, 0, 0], [0.5, 1, 1, 0, 0, 0, 0]]
)
def test_scores_at_and_beyond_both_ends(taxonomy, row):
    graph = naive.Graph(7, [(0, 1), (1, 2), (1, 3), (0, 4), (4, 5), (0, 6)])
    p = np.array([row], dtype=float)
    check(taxonomy, graph, p[0], hv.diagnosis.flip_intervals(hv.pareto_table(taxonomy, p), 0, taxonomy=taxonomy), [])


def test_several_truths(taxonomy):
    predictions = hv.Predictions.from_scores(
        taxonomy, np.array([[0.5, 0.25, 0.125, 0.125]]), "leaf_probabilities", truth=[[6, 2]]
    )
    found = hv.diagnosis.flip_intervals(predictions, 0)
    assert [taxonomy.names[node] for node in found.node] == ["cat", "mammal", "animal"]
    assert found.high.tolist() == [0.5, 0.75, 1]
    assert found.outcome.tolist() == ["exact", "coarse", "no_answer"]


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        ("threshold_set", r"sets of nodes"),
        ("darts", r"a rule with lam"),
        ("leaf", r"a rule with no parameter"),
        ("information_threshold", r"a rule with bits"),
    ],
)
def test_rules_without_a_threshold(taxonomy, rule, what):
    predictions = hv.Predictions.from_scores(taxonomy, np.full((1, 4), 0.25), "leaf_probabilities")
    with pytest.raises(
        hv.PredictionsError, match=rf"^rule: expected threshold or majority, .* got '{rule}' \({what}\)\."
    ):
        hv.diagnosis.flip_intervals(predictions, 0, rule=rule)


def test_errors(taxonomy):
    predictions = hv.Predictions.from_scores(taxonomy, np.full((1, 4), 0.25), "leaf_probabilities")
    for sample in (1, -1, True, "a"):
        with pytest.raises(hv.PredictionsError, match=r"^sample: expected a row from 0 to 0, got"):
            hv.diagnosis.flip_intervals(predictions, sample)
    with pytest.raises(hv.PredictionsError, match=r"^taxonomy: expected a Taxonomy, got NoneType\. A ParetoTable"):
        hv.diagnosis.flip_intervals(hv.pareto_table(taxonomy, predictions), 0)
    with pytest.raises(hv.PredictionsError, match=r"^truth: expected node numbers from 0 to 6"):
        hv.diagnosis.flip_intervals(predictions, 0, truth=7)
    with pytest.raises(hv.PredictionsError, match=r"expected scores, got labels"):
        hv.diagnosis.flip_intervals(hv.Predictions.from_labels(taxonomy, [2]), 0)
    with pytest.raises(hv.PredictionsError, match=r"^flip intervals: expected a Predictions, got list"):
        hv.diagnosis.flip_intervals([1], 0)


def test_why_names_the_most_probable_of_the_more_specific_classes():
    taxonomy = hv.Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    scores = hv.Predictions.from_scores(taxonomy, [[0.5, 0.25, 0.25]], "leaf_probabilities")
    flips = hv.diagnosis.flip_intervals(scores, 0)
    assert flips.why(0.6) == (
        "Stops at mammal (p = 0.750): of the more specific classes cat is the most probable, but its 0.500 is not above τ."
    )
    assert flips.why(0.1) == "Stops at cat (p = 0.500): it is a leaf."
    assert flips.why(1.0).startswith("Stops at animal (p = 1): of the more specific classes mammal")
