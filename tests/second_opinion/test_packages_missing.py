"""Broken packages of the second opinion: their long errors are hidden, and they are reported as missing."""

import importlib

import hierviz as hv
from hierviz.second_opinion import packages


def test_package_that_cannot_be_imported_is_said(monkeypatch):
    def broken(name, *more):
        raise ImportError("It seems that scikit-learn has not been built correctly.\n" * 20)

    taxonomy = hv.Taxonomy.from_edges([("animal", "cat"), ("animal", "dog"), ("animal", "newt")])
    truth = taxonomy.nodes("cat", "dog")
    model = hv.Predictions.from_scores(taxonomy, [[0.5, 0.25, 0.25]] * 2, "leaf_probabilities", truth=truth)
    verify = hv.verify  # public names are imported when they are asked for
    monkeypatch.setattr(packages.importlib, "import_module", broken)
    found = verify(model)
    monkeypatch.undo()
    assert found.without == ("scikit-learn", "hiclass")
    assert found.sentence.endswith("; scikit-learn and hiclass cannot be imported here.")
    assert {check.way for check in found.checks} == {"plain definition"}
    assert importlib.import_module("json")
