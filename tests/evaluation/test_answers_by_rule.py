"""The answers of an evaluated model are those of `infer`, by every rule, on trees and graphs."""

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.evaluation.evaluation import Evaluation

SETTINGS = {
    "threshold": [{"threshold": number} for number in (0.0, 0.3, 0.5, 1.0)],
    "threshold_set": [{"threshold": number} for number in (0.0, 0.5)],
    "depth_thresholds": [{"thresholds_by_depth": "0.3,0.6"}],
    "darts": [{"lam": number} for number in (0.0, 0.4, 3.0)],
    "crm_nodes": [{"expectation": "leaves"}, {"expectation": "exclusive"}],
}


def settings_of(rule, taxonomy):
    if rule == "information_threshold":
        # The bits of each node, and those of a leaf, which only leaves have.
        return [{"bits": bits} for bits in np.unique(np.append(taxonomy.information, np.log2(taxonomy.n_leaves)))]
    return SETTINGS.get(rule, [{}])


def plain(answers):
    return [one.tolist() for one in answers] if isinstance(answers, hv.NodeLists) else answers.tolist()


@many
@given(st.one_of(strategies.trees(), strategies.graphs()), st.data())
@pytest.mark.parametrize("parametrisation", ["leaf_probabilities", "node_probabilities"])
def test_every_rule(parametrisation, graph, data):
    taxonomy = strategies.from_graph(graph)
    if parametrisation == "leaf_probabilities":
        predictions = hv.Predictions.from_scores(taxonomy, data.draw(strategies.leaf_rows(graph)), parametrisation)
    else:
        # They need not be coherent.
        p = data.draw(strategies.rows(graph.n))
        scored = np.arange(taxonomy.n_nodes)
        predictions = hv.Predictions.from_scores(taxonomy, p, parametrisation, scored_nodes=scored)
    p = predictions.node_probabilities()
    for rule, entry in hv.INFERENCE_RULES.items():
        if entry.tree_only and not taxonomy.is_tree:
            continue
        for given_settings in settings_of(rule, taxonomy):
            found = Evaluation.from_predictions(predictions).answers(rule, **given_settings)
            assert plain(found) == plain(hv.infer(taxonomy, p, rule, **given_settings)), (rule, given_settings)


def diamond():
    return hv.Taxonomy.from_edges([("root", "a"), ("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("root", "e")])


def test_where_a_diamond_closes():
    """a has two children but only the leaf d below: it says nothing that d does not."""
    taxonomy = diamond()
    assert [taxonomy.names[node] for node in taxonomy.candidates] == ["root", "d", "e"]
    predictions = hv.Predictions.from_scores(
        taxonomy, np.array([[0.25, 0.75]]), "leaf_probabilities", scored_nodes=taxonomy.nodes("e", "d")
    )
    evaluation = Evaluation.from_predictions(predictions)
    for rule in ("leaf", "majority", "top_down", "expected_information"):
        assert taxonomy.names[int(evaluation.answers(rule)[0])] == "d", rule
    assert taxonomy.names[int(evaluation.answers("information_threshold", bits=1)[0])] == "d"
    assert taxonomy.names[int(evaluation.answers("threshold", threshold=0.8)[0])] == "root"


def test_a_graph_with_one_leaf():
    """Root, x and y all lie over the leaf alone, which is the only answer, as at the end of a chain."""
    taxonomy = hv.Taxonomy.from_edges([("root", "x"), ("root", "y"), ("x", "leaf"), ("y", "leaf")])
    assert [taxonomy.names[node] for node in taxonomy.candidates] == ["leaf"]
    for rule in ("leaf", "majority", "plurality"):
        assert taxonomy.names[int(hv.infer(taxonomy, np.ones((1, 4)), rule)[0])] == "leaf"


@pytest.fixture
def evaluation():
    taxonomy = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2")])
    p = np.array([[0.5, 0.2, 0.2, 0.1], [0.3, 0.3, 0.2, 0.2]])
    truth = taxonomy.nodes("a1", "a2")
    return Evaluation.from_predictions(hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth))


@pytest.mark.parametrize("make", [list, np.array])
def test_a_list_of_thresholds_that_changes_after_the_call(evaluation, make):
    """At .55 for depth 1 and .4 for depth 2: a1 for the first sample, a for the second; at .9 the root for both."""
    thresholds = make([0.55, 0.4])
    expected = {(0.55, 0.4): [3, 1], (0.9, 0.9): [0, 0]}
    for now in ((0.55, 0.4), (0.9, 0.9), (0.55, 0.4)):
        thresholds[:] = now
        answers = hv.evaluation.judged_answers(evaluation, "depth_thresholds", thresholds_by_depth=thresholds)
        assert answers.predicted.tolist() == expected[now]
        found = hv.diagnosis.node_table(evaluation, "depth_thresholds", thresholds_by_depth=thresholds)
        # Right at a1: only where it is the answer.
        assert found.hits[3] == (now == (0.55, 0.4))
    assert answers.parameters == {"thresholds_by_depth": "0.55,0.4"}
    thresholds[:] = (0.9, 0.9)
    assert answers.parameters == {"thresholds_by_depth": "0.55,0.4"}


def test_thresholds_that_differ_in_the_last_digit_are_others(evaluation):
    p = evaluation.predictions.node_probabilities()[0, 1]
    below, at = np.nextafter(p, 0), p
    for threshold, answer in ((at, 0), (below, 1), (at, 0)):
        found = evaluation.answers("depth_thresholds", thresholds_by_depth=[threshold, 1.0])
        assert found[0] == answer, threshold


@pytest.mark.parametrize("rule", ["top_down", "plurality", "threshold_set"])
def test_answers_that_are_kept_cannot_be_written_to(evaluation, rule):
    found = evaluation.answers(rule)
    found = found.nodes if isinstance(found, hv.NodeLists) else found
    with pytest.raises(ValueError, match="read-only"):
        found[:] = 0
    with pytest.raises(ValueError, match="read-only"):
        evaluation.table.scores[:] = 0
