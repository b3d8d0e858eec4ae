"""The curve of predicted sets: the definition with sets and loops, at every threshold, on trees and graphs."""

import math

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import from_graph, graphs, many, trees

import hierviz as hv
from hierviz.curves import _set_curve as module
from hierviz.taxonomy.taxonomy import NodeLists

VALUES = (0.0, 0.1, 0.25, 0.3, 0.1 + 0.2, 0.5, 0.75, 1.0)


def closed(graph, nodes):
    """The nodes with all their ancestors, without the root."""
    return {above for node in nodes for above in {node, *naive.ancestors(graph, node)}} - {0}


def means(graph, scores, truths, threshold):
    """hP, hR, hF1 and ihF1 of {score > threshold}, each sample by itself."""
    found = {key: [] for key in ("hp_samples", "hr_samples", "hf1_samples", "ihf1_samples")}
    for row, truth in zip(scores, truths, strict=True):
        true = closed(graph, truth)
        answer = closed(graph, [node for node in range(1, graph.n) if row[node] > threshold])
        shared = true & answer
        found["hp_samples"].append(len(shared) / len(answer) if answer else 1.0)
        found["hr_samples"].append(len(shared) / len(true) if true else 1.0)
        found["hf1_samples"].append(2 * len(shared) / (len(answer) + len(true)) if answer or true else 0.0)
        if all(len(parents) <= 1 for parents in graph.parents):
            bits = [sum(own_bits(graph, node) for node in nodes) for nodes in (shared, answer, true)]
            found["ihf1_samples"].append(2 * bits[0] / (bits[1] + bits[2]) if bits[1] + bits[2] else 0.0)
    return {key: sum(values) / len(values) for key, values in found.items() if values}


def own_bits(graph, node):
    """Bits of a node beyond its parent."""
    above, below = (len(naive.leaves_below(graph, one)) for one in (graph.parents[node][0], node))
    return math.log2(above / below)


@st.composite
def cases(draw):
    graph = draw(st.one_of(trees(8), graphs(8)))
    n = draw(st.integers(1, 4))
    row = st.lists(st.sampled_from(VALUES), min_size=graph.n - 1, max_size=graph.n - 1)
    scores = [[1.0, *draw(row)] for _ in range(n)]
    truths = [draw(st.lists(st.integers(1, graph.n - 1), min_size=1, max_size=3)) for _ in range(n)]
    thresholds = draw(st.lists(st.sampled_from(VALUES + (0.2, 0.9)), min_size=1, max_size=6))
    return graph, scores, truths, thresholds


def model_of(graph, scores, truths):
    taxonomy = from_graph(graph)
    predictions = hv.Predictions.from_scores(
        taxonomy,
        np.array(scores),
        "node_probabilities",
        scored_nodes=np.arange(graph.n),
        truth=truths,
    )
    return hv.Evaluation.from_predictions(predictions)


@many
@given(cases())
def test_it_is_the_definition_at_every_threshold(case):
    graph, scores, truths, thresholds = case
    curve = hv.curves.set_curve(model_of(graph, scores, truths), thresholds)
    assert curve.exact_at.tolist() == sorted(set(thresholds), reverse=True)
    for place, threshold in enumerate(curve.exact_at.tolist()):
        wanted = means(graph, scores, truths, threshold)
        assert set(curve.values) == set(wanted)
        for key, value in wanted.items():
            assert curve.values[key][place] == pytest.approx(value, abs=1e-12)
            assert curve.at(threshold)[key] == curve.values[key][place]


@many
@given(cases())
def test_the_best_threshold_is_the_largest_of_the_best(case):
    graph, scores, truths, thresholds = case
    curve = hv.curves.set_curve(model_of(graph, scores, truths), thresholds)
    f1 = {threshold: means(graph, scores, truths, threshold)["hf1_samples"] for threshold in thresholds}
    best = max(f1.values())
    assert curve.best_threshold("hf1_samples") == max(t for t, value in f1.items() if value > best - 1e-9)


def small(n=30):
    """A graph, scores and several true classes; the last samples without a truth."""
    graph = naive.Graph(6, [(0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (1, 5)])
    rng = np.random.default_rng(3)
    scores = np.column_stack([np.ones(n), rng.random((n, 5))])
    return graph, scores, [[3], [3, 4], [4, 5]] * (n // 3 - 1) + [[]] * 3


def test_samples_without_a_truth_and_blocks_change_nothing(monkeypatch):
    graph, scores, truths = small()
    model, whole, calls = model_of(graph, scores, truths), [], []
    curve = hv.curves.set_curve(model, progress=lambda done, total: whole.append((done, total)))
    assert (curve.n_samples, whole[-1]) == (27, (27, 27))
    assert curve.exact_at.tolist() == module.GRID.tolist()
    assert curve.at(0.5)["hf1_samples"] == pytest.approx(means(graph, scores[:27], truths[:27], 0.5)["hf1_samples"])
    monkeypatch.setattr(module, "MOST_COUNTS", 2000)
    again = hv.curves.set_curve(model, progress=lambda done, total: calls.append(done))
    assert len(calls) > 1
    assert calls == sorted(calls)
    assert again.values["hp_samples"] == pytest.approx(curve.values["hp_samples"], abs=1e-12)


def test_it_is_block_labels_of_the_json():
    graph, scores, truths = small()
    model = model_of(graph, scores, truths)
    labels = hv.evaluate(model.predictions, rule="threshold_set", threshold=0.35)["models"][0]["labels"]
    for key, value in hv.curves.set_curve(model, [0.35, 0.9]).at(0.35).items():
        assert value == pytest.approx(labels[key], abs=1e-12)


def test_rows_of_the_table_are_exact_at_their_threshold():
    graph, scores, truths = small()
    curve = hv.curves.set_curve(model_of(graph, scores, truths), [0.2, 0.7, 0.4])
    table = curve.columns()
    assert table["threshold"].tolist() == [0.7, 0.4, 0.2]
    assert [curve.at(threshold)["hr_samples"] for threshold in table["threshold"]] == table["hr_samples"].tolist()


def test_errors():
    graph, scores, truths = small()
    model = model_of(graph, scores, truths)
    with pytest.raises(hv.PredictionsError, match=r"threshold: expected a number from 0 to 1, got 1\.5"):
        hv.curves.set_curve(model, [0.5, 1.5])
    with pytest.raises(hv.PredictionsError, match="at least one"):
        hv.curves.set_curve(model, [])
    with pytest.raises(hv.PredictionsError, match="no sample has a known truth"):
        hv.curves.set_curve(model_of(graph, scores, [[]] * len(scores)))
    curve = hv.curves.set_curve(model, [0.5])
    with pytest.raises(hv.PredictionsError, match="key: expected one of hp_samples"):
        curve.best_threshold("ihf1_samples")
    with pytest.raises(hv.PredictionsError, match="correct: expected 0"):
        curve.best_threshold("hf1_samples", correct=0.9)


def test_sets_are_kept_for_the_next_call_and_those_of_another_threshold_replace_them():
    graph, scores, truths = small()
    model = model_of(graph, scores, truths)
    first = model.answers("threshold_set", 0.5)
    assert isinstance(first, NodeLists)
    assert not model.needs_pass("threshold_set", 0.5)
    assert model.answers("threshold_set", 0.5) is first
    model.answers("threshold_set", 0.6)
    assert model.needs_pass("threshold_set", 0.5)
