"""The metadata of a model, in the file and in the JSON next to it, and contradictions."""

import numpy as np
import pytest

from hierviz.messages.errors import FileError, ModelError
from hierviz.onnx.model import load_model
from hierviz.taxonomy.taxonomy import Taxonomy

from .one_line import one_line

LEAVES = ["newt", "cat", "duck", "dog"]


def test_json_beside(build, metadata, taxonomy, pictures, expected):
    model = load_model(build(beside=metadata), taxonomy, name="mine")
    assert model.account["classes"] == "4 names from m.hierviz.json"
    preds = model.predict(pictures)
    assert preds.name == "mine"
    np.testing.assert_allclose(preds.scores, expected(pictures), rtol=1e-5, atol=1e-5)


def test_metadata_win_and_contradictions_become_notes(build, metadata, taxonomy, pictures):
    other = {**metadata, "nodes": sorted(LEAVES), "title": "Other", "input": {"colour": "BGR", "mean": [1, 2, 3]}}
    model = load_model(build(metadata=metadata, beside=other), taxonomy)
    assert [taxonomy.names[node] for node in model.scored_nodes] == LEAVES
    assert model.name == "Tiny"
    text = "; ".join(model.predict(pictures[:1]).notes)
    for words in (
        "declares nodes",
        "declares title",
        'colour "BGR"',
        "metadata were used",
        "without range, mean and std",
    ):
        assert words in text


def test_other_taxonomy_is_a_note(build, metadata, taxonomy):
    bigger = Taxonomy.from_edges([*taxonomy_edges(taxonomy), ("newt", "red newt")])
    model = load_model(build(metadata=metadata), taxonomy)
    assert model.notes == ()
    metadata = {**metadata, "nodes": ["red newt", "cat", "duck", "dog"]}
    model = load_model(build(metadata=metadata), bigger)
    assert "another taxonomy" in model.notes[0]
    assert model.account["taxonomy"].startswith("not the taxonomy")


def taxonomy_edges(taxonomy):
    return [(taxonomy.names[a], taxonomy.names[b]) for a, b in taxonomy.edges]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"nodes": "[1, "}, "expected JSON"),
        ({"nodes": {"a": 1}}, "expected a list of node names"),
        ({"input": {"range": [1, 0]}}, "low below high"),
        ({"input": {"range": [0, "x"]}}, "low below high"),
        ({"input": {"size": 64}}, "height, width"),
        ({"input": {"std": [1, 0, 1]}}, "above 0"),
        ({"input": {"layout": "HWCN"}}, "NHWC or NCHW"),
        ({"input": [1]}, "an object with"),
    ],
)
def test_broken_metadata(build, metadata, taxonomy, given, words):
    with pytest.raises(ModelError, match=words) as raised:
        load_model(build(metadata={**metadata, **given}), taxonomy)
    one_line(raised)


@pytest.mark.parametrize(("text", "words"), [("{", "expected JSON"), ("[]", "expected a JSON object")])
def test_broken_json_beside(build, taxonomy, text, words):
    with pytest.raises(ModelError, match=f"m.hierviz.json: {words}") as raised:
        load_model(build(beside=text), taxonomy)
    one_line(raised)


@pytest.mark.parametrize(("text", "words"), [(" ", "an empty file"), ("<!doctype html>", "a web page")])
def test_no_json_beside(build, taxonomy, text, words):
    with pytest.raises(FileError, match=f"m.hierviz.json: expected JSON, got {words}") as raised:
        load_model(build(beside=text), taxonomy)
    one_line(raised)
