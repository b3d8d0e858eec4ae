"""What each kind of file is read by: `DOORS` maps a role to a function of a path, which returns or raises a HiervizError."""

import json
from functools import cache

import numpy as np

import hierviz as hv
from hierviz.onnx.inputs.input_spec import InputSpec
from hierviz.onnx.inputs.model_inputs import load_inputs
from hierviz.onnx.model import draft_model
from hierviz.onnx.process.isolation import Limits
from hierviz.readers.classes_file import load_classes
from hierviz.readers.node_attributes import load_node_attributes
from hierviz.readers.operating_point_file import load_operating_point
from hierviz.readers.truth_file import load_truth
from tests.small_tree import EDGES

TAXONOMY = hv.Taxonomy.from_edges(EDGES)
PICTURE = InputSpec("x", "uint8", (None, 4, 4, 3), layout="NHWC", range=(0, 255), size=(4, 4))
TEXT = InputSpec("t", "str", (None, 1))
ARRAY = InputSpec("x", "float32", (None, 3))
TABLE = (InputSpec("length", "float32", (None, 1)), InputSpec("colour", "str", (None, 1)))


def taxonomy(path):
    """A taxonomy has a root and something below it, and its numbers can be worked with."""
    found = hv.load_taxonomy(path)
    assert found.n_nodes == len(found.names) >= 2
    assert np.isfinite(found.information).all()


def predictions(path):
    """What is read is counted and can be judged."""
    found = hv.load_predictions(path, TAXONOMY)
    assert found.n_samples >= 1
    if found.truth is not None:
        _judged(found)
    with_truth = path.with_name("the truth.csv")
    with_truth.write_text("sample_id,truth\na,cat\nb,bird\nc,newt\n")
    _judged(hv.load_predictions(path, TAXONOMY, with_truth))


def _judged(found):
    assert len(found.truth) == found.n_samples
    json.dumps(hv.evaluate(found), allow_nan=False)


def truth(path):
    """A truth by itself, and joined to scores."""
    load_truth(path, TAXONOMY)
    scores = path.with_name("the scores.csv")
    scores.write_text("sample_id,cat,dog,duck,newt\na,0.5,0.25,0.125,0.125\nb,0.25,0.25,0.25,0.25\nc,0,1,0,0\n")
    found = hv.load_predictions(scores, TAXONOMY, path)
    assert found.n_samples == 3
    _judged(found)


def classes(path):
    """A class for each column."""
    assert len(load_classes(path, TAXONOMY)) >= 1


def nodes(path):
    """Attributes of nodes."""
    load_node_attributes(path, TAXONOMY)


def point(path):
    """An operating point."""
    load_operating_point(path, TAXONOMY)


def _inputs(*specs):
    def read(path):
        found = load_inputs(path, specs)
        assert len(found) >= 1
        found.feed(specs, slice(0, 2))

    return read


def preprocessing(path):
    """A file beside a model."""
    beside = path.with_name("m.onnx")
    beside.write_bytes(_picture_model())
    drafted = draft_model(beside, TAXONOMY)
    drafted.session.close()
    json.dumps(drafted.account, allow_nan=False)


@cache
def _picture_model():
    """A model of pictures: scores = mean colour @ weights."""
    from onnx import TensorProto, helper, numpy_helper

    nodes = [
        helper.make_node("ReduceMean", ["x"], ["colour"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["colour", "w"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, None, None])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 4])],
        [numpy_helper.from_array(np.eye(3, 4, dtype=np.float32), "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def model(path):
    """A model is opened, asked about and run."""
    from hierviz.onnx.process.session import Session
    from tests.onnx_models.mutants import rows_for

    limits = Limits(cpu_seconds=2)
    with Session(path, limits=limits) as session:
        if session.inputs:
            session.run([rows_for(session)], [name for name, _, _ in session.outputs], n_rows=7, step=4)
    drafted = draft_model(path, TAXONOMY, limits=limits)
    drafted.session.close()
    json.dumps(drafted.account, allow_nan=False)


DOORS = {
    "taxonomy": taxonomy,
    "predictions": predictions,
    "truth": truth,
    "classes": classes,
    "nodes": nodes,
    "point": point,
    "pictures": _inputs(PICTURE),
    "table": _inputs(*TABLE),
    "texts": _inputs(TEXT),
    "array": _inputs(ARRAY),
    "preprocessing": preprocessing,
}
