"""Draws of all numbers against evaluating the repeated samples anew, on random trees and graphs."""

import math

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples, many

import hierviz as hv
from hierviz.comparison.columns import columns_of, file_numbers
from hierviz.comparison.resampled import ResampledNumbers
from hierviz.metrics.parts import OfAll
from hierviz.metrics.registry import METRICS


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
    # ICM keeps the frequencies of all samples.
    rows = np.repeat(np.arange(len(counts)), counts)
    again = hv.Evaluation.from_predictions(repeated(predictions, rows), corpus=model.corpus)
    expected = file_numbers(again, columns, choice).values
    without = {column.key for column in columns if isinstance(METRICS[column.metric].made, OfAll | None)}
    has_draws = [column.key for column in columns if column.key not in without and values[column.key] is not None]
    assert numbers.keys == has_draws
    for key in numbers.keys:
        for value, drawn in ((values[key], found[key][0]), (expected[key], found[key][1])):
            if value is None:
                assert math.isnan(drawn), key
            else:
                assert drawn == pytest.approx(value, abs=1e-9), key
    return numbers.keys


def two_classes(taxonomy, n=40):
    """(a model that is right on every cat and wrong on every dog, 0/1 counts): means 1 and 0 of the classes in every draw."""
    truth = np.where(np.arange(n) < n // 4, taxonomy.node("cat"), taxonomy.node("dog"))
    labels = np.full(n, taxonomy.node("cat"))
    p = np.zeros((n, taxonomy.n_leaves))
    p[np.arange(n), np.searchsorted(taxonomy.leaves, labels)] = 1
    return hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth, name="a")


def test_balanced_columns_count_their_classes_in_each_resample():
    taxonomy = hv.Taxonomy.from_edges([("r", "cat"), ("r", "dog")])
    found = hv.compare(two_classes(taxonomy), metrics="curve.balanced_leaf_f1", resamples=200)
    (column,) = found.columns
    (method,) = found.methods
    # A wrong leaf has precision and recall 0, so that the mean over both classes is 1/2 whatever their counts.
    np.testing.assert_allclose(method.draws[column.key], 0.5, atol=1e-12)
    assert found.interval(method, column) == pytest.approx((0.5, 0.5), abs=1e-12)


@settings(many, max_examples=examples(20))
@given(st.data(), strategies.trees(7))
def test_balanced_numbers_of_repeated_samples(data, graph):
    """A draw has the balanced numbers of its samples, evaluated by themselves, with equal weights and with others."""
    taxonomy = strategies.from_graph(graph)
    scores = data.draw(strategies.leaf_rows(graph))
    truth = np.array(data.draw(st.lists(st.integers(0, graph.n - 1), min_size=len(scores), max_size=len(scores))))
    counts = data.draw(counted(len(scores)))
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    weights = data.draw(st.sampled_from([None, 1.0 + np.arange(taxonomy.n_nodes)]))
    choice = {"rule": "majority", "threshold": 0.3}
    columns = [column for column in columns_of(taxonomy, "all") if column.is_balanced and column.metric != "n_points"]
    model = hv.Evaluation.from_predictions(predictions)
    values = file_numbers(model, columns, choice, weights).values
    found = ResampledNumbers(model, columns, values, model.rows, choice, weights).of(counts[None].astype(float))
    again = hv.Evaluation.from_predictions(repeated(predictions, np.repeat(np.arange(len(counts)), counts)))
    expected = file_numbers(again, columns, choice, weights).values
    for key, drawn in found.items():
        assert drawn[0] == pytest.approx(expected[key], abs=1e-9), key


@st.composite
def counted(draw, n):
    counts = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    return np.array(counts)


@settings(many, max_examples=examples(50))
@given(st.data(), strategies.trees(9), st.sampled_from(["majority", "leaf", "threshold", "threshold_set"]))
def test_scores_on_trees(data, graph, rule):
    taxonomy = strategies.from_graph(graph)
    scores = data.draw(strategies.leaf_rows(graph))
    truth = np.array(data.draw(st.lists(st.integers(0, graph.n - 1), min_size=len(scores), max_size=len(scores))))
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    compare(predictions, data.draw(counted(len(scores))), {"rule": rule, "threshold": 0.3})


@settings(many, max_examples=examples(50))
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
    # All that a declaration says how to put together.
    columns = [column for column in columns_of(taxonomy, "all") if not column.is_balanced]
    # These are of the rule hf_optimal alone.
    columns = [column for column in columns if not column.metric.startswith("hf_beta")]
    assert keys == [column.key for column in columns if not isinstance(METRICS[column.metric].made, OfAll | None)]
    assert {key.split(".")[0] for key in keys} == {
        *("distribution", "top_down", "best_leaves", "probabilities", "predicted"),
        *("random_cuts", "levels", "labels", "lca", "curve", "selective", "confusion"),
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
    hv.compare(
        files, resamples=40, stage=lambda name, unit: lambda *done: told.append(done) if unit == "resamples" else None
    )
    done = [resamples for resamples, total in told]
    assert done == sorted(done)
    assert len(set(done)) >= 40
    assert told[-1] == (40, 40)
