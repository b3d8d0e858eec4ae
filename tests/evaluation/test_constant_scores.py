"""Scores that are the same for every sample: the numbers are those of all rows, and each different truth is worked on once."""

import json

import numpy as np
import pytest

import hierviz as hv
from hierviz import Evaluation, Predictions, Taxonomy
from hierviz.curves.answer_values import breakpoints
from hierviz.evaluation import constant_scores
from hierviz.evaluation.constant_scores import evaluation_of_constant
from hierviz.inference.pareto_table import ParetoTable
from hierviz.taxonomy.taxonomy import NodeLists

EDGES = [("root", "a"), ("root", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b1", "b11"), ("b1", "b12")]


@pytest.fixture
def taxonomy():
    return Taxonomy.from_edges(EDGES)


def arrays(table):
    return table.offsets, table.nodes, table.scores


@pytest.mark.parametrize("is_coherent", [True, False])
@pytest.mark.parametrize("kind", ["leaves", "any node", "lists"])
def test_as_so_many_equal_rows(taxonomy, kind, is_coherent):
    rng = np.random.default_rng(3)
    p = rng.random(taxonomy.n_nodes)
    p[0] = 1
    if is_coherent:
        for node in range(1, taxonomy.n_nodes):
            p[node] *= p[taxonomy.parent[node]]
    nodes = taxonomy.leaves if kind == "leaves" else np.arange(taxonomy.n_nodes)
    truth = rng.choice(nodes, 60)
    if kind == "lists":
        truth = NodeLists(np.arange(0, 61, 2), np.maximum(truth, 1))
    found = evaluation_of_constant(taxonomy, truth, p, "constant", 0.3)
    rows = np.tile(p[1:], (len(truth), 1))
    plain = Evaluation.from_predictions(
        Predictions(taxonomy, "constant", rows, "node_probabilities", None, truth=truth), threshold=0.3
    )
    ours, theirs = (hv.evaluate(one, threshold=0.3)["models"][0] for one in (found, plain))
    # Means over the different truths, each with its number of samples, are those over samples but for rounding.
    curve, curve_of_rows = ours.pop("curve"), theirs.pop("curve")
    assert curve is None if kind == "lists" else curve == pytest.approx(curve_of_rows, rel=1e-12)
    assert json.dumps(ours) == json.dumps(theirs)
    if kind != "lists":
        for ours, sorted_ones in zip(
            breakpoints(found.table), breakpoints(ParetoTable(*arrays(found.table))), strict=True
        ):
            np.testing.assert_array_equal(ours, sorted_ones)
            assert ours.dtype == sorted_ones.dtype
    of_found, of_plain = (one.per_sample("threshold", 0.3) for one in (found, plain)) if kind != "lists" else ({}, {})
    assert of_found.keys() == of_plain.keys()
    for key, values in of_found.items():
        np.testing.assert_array_equal(values, of_plain[key], err_msg=key)


def test_each_different_truth_is_worked_on_once(taxonomy, monkeypatch):
    rows = []

    def counted(predictions, *arguments, **keywords):
        rows.append(predictions.n_samples)
        return Evaluation.from_predictions(predictions, *arguments, **keywords)

    class Counted(Evaluation):
        from_predictions = staticmethod(counted)

    monkeypatch.setattr(constant_scores, "Evaluation", Counted)
    truth = np.tile(taxonomy.leaves, 1000)
    found = evaluation_of_constant(taxonomy, truth, np.ones(taxonomy.n_nodes), "constant")
    assert rows == [taxonomy.n_leaves]
    assert found.n_judged == len(truth)
