"""Clear cases of a class against a plain loop."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import hierviz as hv
from hierviz.evaluation.evaluation import Evaluation


@strategies.many
@given(strategies.judged(most=8), st.data())
def test_the_most_probable_of_those_that_are_exactly_right(case, data):
    graph, taxonomy, p, truth = case
    predictions = hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    evaluation = Evaluation.from_predictions(predictions)
    rule = data.draw(st.sampled_from(["leaf", "majority"]))
    node = data.draw(st.integers(0, graph.n - 1))
    but = data.draw(st.sets(st.integers(0, len(p) - 1)))
    own = predictions.node_probabilities()
    answers = hv.infer(taxonomy, own, rule)
    right = [
        row
        for row in range(len(p))
        if row not in but
        and node in naive.ancestors(graph, truth[row])
        and truth[row] in naive.ancestors(graph, answers[row])
    ]
    due = sorted(right, key=lambda row: (-own[row, node], row))
    assert hv.diagnosis.typical_samples(evaluation, node, rule, most=3, but=but).tolist() == due[:3]


def test_labels_and_sets(taxonomy):
    cat, dog, mammal = taxonomy.nodes("cat", "dog", "mammal").tolist()
    truth = np.array([cat, dog, cat])
    labels = hv.Predictions.from_labels(taxonomy, np.array([cat, cat, cat]), truth=truth, is_hard=True)
    evaluation = Evaluation.from_predictions(labels)
    assert hv.diagnosis.typical_samples(evaluation, cat, most=5).tolist() == [0, 2]
    assert hv.diagnosis.typical_samples(evaluation, mammal, but=[0]).tolist() == [2]
    assert hv.diagnosis.typical_samples(evaluation, dog).tolist() == []
    scores = hv.Predictions.from_scores(taxonomy, np.eye(4)[[0, 1, 0]], "leaf_probabilities", truth=truth)
    with pytest.raises(hv.PredictionsError, match="one truth and one answer a sample, got sets"):
        hv.diagnosis.typical_samples(Evaluation.from_predictions(scores), cat, "threshold_set")
    with pytest.raises(hv.PredictionsError, match="node"):
        hv.diagnosis.typical_samples(Evaluation.from_predictions(scores), 99)
