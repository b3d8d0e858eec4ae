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
