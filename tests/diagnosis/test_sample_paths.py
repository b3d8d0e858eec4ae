"""Probabilities along both paths of single samples."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.diagnosis.sample_paths import sample_paths

TREE = hv.Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])


def test_scores():
    scores = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    predictions = hv.Predictions.from_scores(
        TREE, scores, "leaf_probabilities", truth=TREE.nodes("newt", "dog"), sample_ids=["x", "y"]
    )
    answers = hv.evaluation.judged_answers(predictions, "leaf")
    table = sample_paths(answers, [1, 0]).to_frame()
    assert table.to_dict("records") == [
        {
            "sample_id": "y",
            "truth": "dog",
            "answer": "newt",
            "true_path": "animal > mammal > dog",
            "p_true_path": "1 > 0.3 > 0.2",
            "answer_path": "animal > newt",
            "p_answer_path": "1 > 0.7",
        },
        {
            "sample_id": "x",
            "truth": "newt",
            "answer": "cat",
            "true_path": "animal > newt",
            "p_true_path": "1 > 0.2",
            "answer_path": "animal > mammal > cat",
            "p_answer_path": "1 > 0.8 > 0.5",
        },
    ]
    found = sample_paths(answers, [0, 1])
    p = predictions.node_probabilities()
    for i in range(2):
        for paths, values in ((found.true_paths, found.p_true), (found.answer_paths, found.p_answer)):
            assert values[i].tolist() == pytest.approx(p[i][paths[i][0]].tolist())


def test_labels_of_several_paths():
    """Labels have no probabilities; a label outside the taxonomy has a path without a name; nothing said is the root."""
    predicted = hv.NodeLists.from_lists([[3, -1], []])
    predictions = hv.Predictions.from_labels(TREE, predicted, truth=hv.NodeLists.from_lists([[2, 4], [2]]))
    found = sample_paths(hv.evaluation.judged_answers(predictions), [0, 1])
    assert found.p_true is None
    table = found.to_frame()
    assert list(table) == ["sample_id", "truth", "answer", "true_path", "answer_path"]
    assert table["truth"].tolist() == ["cat;newt", "cat"]
    assert table["true_path"][0] == "animal > mammal > cat ; animal > newt"
    assert table["answer_path"].tolist() == ["animal > mammal > dog ; animal > ", "animal"]
