"""Counts by depth against loops, and probabilities along paths."""

from collections import Counter

import naive
import naive_diagnosis
import numpy as np
import pytest
import strategies
from hypothesis import given
from strategies import many

import hierviz as hv
from hierviz.diagnosis import sample_paths as module


def counted(values, n):
    counts = Counter(values)
    return [counts[k] for k in range(n)]


@many
@given(naive_diagnosis.labelled(least=0))
def test_against_loops(case):
    graph, taxonomy, truths, answers = case
    answers[0] = [*answers[0], *({0, 1} - set(answers[0]))]  # lists of several labels
    found = hv.diagnosis.level_table(
        hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths)
    )
    depth = [naive.depth(graph, node) for node in range(graph.n)]
    n = max(depth) + 1
    assert found.n_nodes.tolist() == counted(depth, n)
    assert found.n_leaves.tolist() == counted([depth[leaf] for leaf in graph.leaves], n)
    assert found.n_truths.tolist() == counted([depth[node] for nodes in truths for node in nodes], n)
    known = [[node for node in nodes if node >= 0] for nodes in answers]
    assert found.n_answers.tolist() == counted([depth[node] for nodes in known for node in nodes], n)
    for values, lists in ((found.truths_per_sample, truths), (found.answers_per_sample, known)):
        assert values.tolist() == counted([len(nodes) for nodes in lists], len(values))
        assert values.sum() == len(truths)


def test_one_label(taxonomy):
    found = hv.diagnosis.level_table(hv.Predictions.from_labels(taxonomy, [2, 1, 0], truth=[2, 2, 6]))
    assert found.to_frame().values.tolist() == [[0, 1, 0, 0, 1], [1, 3, 1, 1, 1], [2, 3, 3, 2, 1]]
    assert found.truths_per_sample.tolist() == found.answers_per_sample.tolist() == [0, 3]


@many
@given(strategies.judged(most=6))
def test_along_paths(case):
    graph, taxonomy, p, truth = case
    predictions = hv.Predictions.from_scores(taxonomy, p, "node_probabilities")
    rows = np.arange(len(p))[::-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK_VALUES", 2 * graph.n)
        found = hv.diagnosis.path_probabilities(predictions, rows, truth[rows])
    for place, row in enumerate(rows.tolist()):
        path = naive.path(graph, truth[row])
        assert found.paths[place].tolist() == path
        inside = slice(found.paths.offsets[place], found.paths.offsets[place + 1])
        assert found.p[inside].tolist() == p[row, path].tolist()
    assert len(found.to_frame()) == len(found.p)
    assert len(found.texts) == len(p)


def test_errors(taxonomy):
    predictions = hv.Predictions.from_scores(taxonomy, np.full((2, 4), 0.25), "leaf_probabilities")
    with pytest.raises(hv.PredictionsError, match=r"^nodes: expected one for each of 1 rows, got shape \(2,\)\."):
        hv.diagnosis.path_probabilities(predictions, [0], [1, 2])
    with pytest.raises(hv.PredictionsError, match=r"^rows: expected rows from 0 to 1, got 2\."):
        hv.diagnosis.path_probabilities(predictions, [2], [1])
    with pytest.raises(hv.PredictionsError, match=r"^nodes: expected node numbers from 0 to 6, got 9 to 9"):
        hv.diagnosis.path_probabilities(predictions, [1], [9])
    with pytest.raises(hv.PredictionsError, match="expected scores, got labels"):
        hv.diagnosis.path_probabilities(hv.Predictions.from_labels(taxonomy, [2]), [0], [2])
