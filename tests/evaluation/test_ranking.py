"""Ranked lists take values that differ by rounding alone for ties: then the order of the file, or of the nodes, counts."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.metrics.ties import largest_first


@pytest.fixture(scope="module")
def flat():
    return hv.Taxonomy.from_edges([("root", name) for name in "abcd"])


def with_answers(taxonomy, truth, answers, p):
    """Predictions whose answers by the rule leaf have these probabilities, which need not sum to 1."""
    scores = np.zeros((len(p), taxonomy.n_nodes))
    scores[:, 0] = 1
    scores[np.arange(len(p)), taxonomy.nodes(*answers)] = p
    return hv.Predictions.from_scores(taxonomy, scores, "node_probabilities", truth=taxonomy.nodes(*truth))


def test_places():
    assert largest_first(np.array([0.3, np.nan, 0.1 + 0.2, 0.3 + 1e-9])).tolist() == [3, 0, 2, 1]


def test_confusions_of_one_cost_stand_in_the_order_of_the_nodes(flat):
    # 4 bits times 0.15 + 0.15 and 0.1 + 0.2: the second sum is 1.2000000000000002.
    made = with_answers(flat, "aacc", "bbdd", [0.15, 0.15, 0.1, 0.2])
    found = hv.diagnosis.confused_pairs(made, "leaf", cost="confidence_dist")
    assert found.cost[0] != found.cost[1]
    assert [flat.names[node] for node in found.truth] == ["a", "c"]
    by_cost = hv.diagnosis.confused_pairs(made, "leaf", cost="confidence_dist", order="cost")
    assert [flat.names[node] for node in by_cost.truth] == ["a", "c"]


def test_mistakes_of_one_severity_stand_in_the_order_of_the_file(flat):
    made = with_answers(flat, "aa", "bc", [0.3, 0.1 + 0.2])
    assert hv.mistakes(made, "leaf", order="confidence_dist").row.tolist() == [0, 1]


def test_candidates_of_one_score_stand_in_the_order_of_the_file(flat):
    # 0.7 - 0.2 is 0.49999999999999994, 0.6 - 0.1 is 0.5.
    scores = np.array([[0.2, 0.7, 0.1, 0.0], [0.1, 0.6, 0.3, 0.0]])
    made = hv.Predictions.from_scores(flat, scores, "leaf_probabilities", truth=flat.nodes("a", "a"))
    found = hv.diagnosis.label_errors(made)
    assert found.score[0] < found.score[1]
    assert found.row.tolist() == [0, 1]
    assert hv.diagnosis.label_errors(made, most=1).row.tolist() == [0]
