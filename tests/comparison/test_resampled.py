"""Draws of all numbers against evaluating the repeated samples anew, on random trees and graphs."""

import math

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples, many

import hierviz as hv
from hierviz.comparison.columns import columns_of
from hierviz.comparison.numbers import file_numbers
from hierviz.comparison.resampled import ResampledNumbers


def repeated(predictions, rows):
    """The same samples, each as often as it stands in `rows`."""
    truth = predictions.truth.take(rows) if isinstance(predictions.truth, hv.NodeLists) else predictions.truth[rows]
    if predictions.has_scores:
        return predictions.replace(scores=predictions.scores[rows], truth=truth)
    return predictions.replace(labels=predictions.labels.take(rows), truth=truth)


def compare(predictions, counts, choice):
    model = hv.Evaluation.from_predictions(predictions)
    columns = [column for column in columns_of(predictions.taxonomy, "all") if not column.is_balanced]
    values = file_numbers(model, columns, choice).values
    numbers = ResampledNumbers(model, columns, values, model.rows, choice)
    found = numbers.of(np.vstack([np.ones(len(counts)), counts]))
    again = hv.Evaluation.from_predictions(repeated(predictions, np.repeat(np.arange(len(counts)), counts)))
    expected = file_numbers(again, columns, choice).values
    has_draws = [column.key for column in columns if column.metric != "n_points" and values[column.key] is not None]
    assert numbers.keys == has_draws
    for key in numbers.keys:
        for value, drawn in ((values[key], found[key][0]), (expected[key], found[key][1])):
            if value is None:
                assert math.isnan(drawn), key
            else:
                assert drawn == pytest.approx(value, abs=1e-9), key
    return numbers.keys


@st.composite
def counted(draw, n):
    counts = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    return np.array(counts)


@settings(many, max_examples=examples(100))
@given(st.data(), strategies.trees(9), st.sampled_from(["majority", "leaf", "threshold", "threshold_set"]))
def test_scores_on_trees(data, graph, rule):
    taxonomy = strategies.from_graph(graph)
    scores = data.draw(strategies.leaf_rows(graph))
    truth = np.array(data.draw(st.lists(st.integers(0, graph.n - 1), min_size=len(scores), max_size=len(scores))))
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    compare(predictions, data.draw(counted(len(scores))), {"rule": rule, "threshold": 0.3})


@settings(many, max_examples=examples(100))
@given(st.data(), strategies.graphs(8), st.booleans())
def test_labels_on_graphs(data, graph, is_hard):
    taxonomy, n = strategies.from_graph(graph), data.draw(st.integers(1, 5))
    node = st.integers(-1, graph.n - 1)
    labels = [data.draw(st.lists(node, max_size=3)) for _ in range(n)]
    truth = [data.draw(st.lists(st.integers(1, graph.n - 1), min_size=1, max_size=2)) for _ in range(n)]
    if is_hard:
        labels = [label[:1] for label in labels]
    predictions = hv.Predictions.from_labels(
        taxonomy, hv.NodeLists.from_lists(labels), truth=hv.NodeLists.from_lists(truth), is_hard=is_hard
    )
    compare(predictions, data.draw(counted(n)), {"rule": "majority", "threshold": 0.5})


def test_every_block_is_compared(taxonomy):
    rng = np.random.default_rng(0)
    truth = taxonomy.leaves[rng.integers(0, taxonomy.n_leaves, 20)]
    scores = rng.dirichlet(np.ones(taxonomy.n_leaves) / 3, size=20)
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    keys = compare(predictions, rng.integers(0, 3, 20), {"rule": "majority", "threshold": 0.5})
    assert len(keys) == 80
    assert {key.split(".")[0] for key in keys} == {
        *("distribution", "top_down", "predicted", "labels", "curve", "confusion")
    }


def test_progress_is_told_within_a_block_of_resamples(taxonomy):
    """Many resamples fit into one block, and a page can be cancelled only when it is told something."""
    rng = np.random.default_rng(5)
    truth = rng.choice(taxonomy.leaves, 12)
    files = [
        hv.Predictions.from_scores(
            taxonomy, rng.dirichlet(np.ones(taxonomy.n_leaves), 12), "leaf_probabilities", truth=truth, name=name
        )
        for name in ("one", "other")
    ]
    told = []
    hv.table(
        files, resamples=40, stage=lambda name, unit: lambda *done: told.append(done) if unit == "resamples" else None
    )
    done = [resamples for resamples, total in told]
    assert done == sorted(done)
    assert len(set(done)) >= 40
    assert told[-1] == (40, 40)
