"""ONNX files that come with packages of the extras: their description, without misleading statements."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from hierviz import Taxonomy
from hierviz.messages.errors import ModelError
from hierviz.onnx.account import account_lines
from hierviz.onnx.model import draft_model

THOUSAND = [f"c{k}" for k in range(1000)]
SUMS = "probabilities that sum to 1 over all columns"
# The networks of onnx, without weights, and what their last operator says of their scores.
LIGHT = {
    "bvlc_alexnet": f"(Softmax) {SUMS}",
    "densenet121": "(Conv) raw scores",
    "inception_v1": f"(Softmax) {SUMS}",
    "inception_v2": f"(Softmax) {SUMS}",
    "resnet50": f"(Softmax) {SUMS}",
    "shufflenet": f"(Softmax) {SUMS}",
    "squeezenet": f"(Softmax) {SUMS}",
    "vgg19": f"(Softmax) {SUMS}",
    "zfnet512": f"(Softmax) {SUMS}",
}


@pytest.fixture(scope="module")
def thousand():
    return Taxonomy.from_edges(
        [("all", f"g{k // 50}") for k in range(0, 1000, 50)] + [(f"g{int(c[1:]) // 50}", c) for c in THOUSAND]
    )


def shipped(package, path):
    spec = find_spec(package)
    file = None if spec is None else Path(spec.submodule_search_locations[0]) / path
    if file is None or not file.is_file():
        pytest.skip(f"this {package} does not ship {path}")
    return file


def lines(model):
    said = {}
    for line in account_lines(model.account):
        key, words = line.split(": ", 1)
        said[key] = f"{said[key]} | {words}" if key in said else words
    return said


@pytest.mark.parametrize(
    "name", ["densenet121", "vgg19", *(pytest.param(n, marks=pytest.mark.long) for n in LIGHT if n[0] not in "dv")]
)
def test_the_networks_of_onnx(name, thousand):
    model = draft_model(shipped("onnx", f"backend/test/data/light/light_{name}.onnx"), thousand)
    said = lines(model)
    assert said["parametrisation"].endswith(f"; by the last operator of the graph {LIGHT[name]}")
    assert said["scores in"] == model.session.outputs[0][0]
    assert said["accepts"].startswith("pictures (after preprocessing")
    assert said["preprocessing"] == "of pictures not known yet; arrays are fed to the model unchanged"
    assert [question.about for question in model.questions] == ["classes", "preprocessing"]


def test_a_network_of_onnx_runs_and_its_answers_are_called_constant(thousand):
    path = shipped("onnx", "backend/test/data/light/light_squeezenet.onnx")
    model = draft_model(path, thousand, classes=THOUSAND, preprocessing={"range": [0, 1]})
    assert "by the last operator" in lines(model)["parametrisation"]
    pictures = np.random.default_rng(0).integers(0, 256, (11, 3, 224, 224)).astype(np.uint8)
    (note,) = (note for note in model.predict(pictures).notes if "constant" in note)
    assert note.startswith("the answers are constant: all 11 rows have the same scores")


def test_labels_that_number_the_columns(thousand):
    model = draft_model(shipped("onnxruntime", "datasets/logreg_iris.onnx"), thousand)
    said = lines(model)
    assert said["note"] == "the class labels in the graph number the 3 columns from 0 and name no class"
    assert said["question"].startswith("What are the class names of the 3 output columns, in order?")
    assert said["parametrisation"].endswith(f"(Normalizer) {SUMS}")
    with pytest.raises(
        ModelError, match=r"got none \(the class labels in the graph number the 3 columns from 0 and name"
    ):
        model.require_answers()


def test_an_example_of_an_operator(thousand):
    model = draft_model(shipped("onnxruntime", "datasets/mul_1.onnx"), thousand)
    assert model.questions[0].text.startswith(
        "By its operators ('Mul') each number that it gives is worked out from a single"
    )
    with pytest.raises(ModelError, match=r"got a function of single numbers \('Sigmoid'\) \(output 'y' \[3, 4, 5\]\)"):
        draft_model(shipped("onnxruntime", "datasets/sigmoid.onnx"), thousand)


def test_a_softmax_over_another_axis_tells_nothing(tmp_path, thousand):
    onnx = pytest.importorskip("onnx")
    for opset, axis, shape, tells in (
        (17, -1, [None, 4], True),
        (17, 1, [None, 4, 1, 1], True),
        (17, None, [None, 4, 1, 1], False),
        (11, None, [None, 4, 1, 1], True),
        (17, 0, [None, 4], False),
    ):
        rows = onnx.helper.make_tensor_value_info("x", 1, shape)
        scores = onnx.helper.make_tensor_value_info("y", 1, shape)
        over = {} if axis is None else {"axis": axis}
        nodes = [
            onnx.helper.make_node("Softmax", ["x"], ["s"], **over),
            onnx.helper.make_node("Identity", ["s"], ["y"]),
        ]
        graph = onnx.helper.make_graph(nodes, "g", [rows], [scores])
        made = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=8)
        onnx.save(made, tmp_path / "s.onnx")
        model = draft_model(tmp_path / "s.onnx", thousand)
        assert ("by the last operator" in lines(model)["parametrisation"]) == tells, (opset, axis, shape)
