"""Models that look at one corner of a picture, one word of a text or one column of a row, and at nothing else."""

import json

import numpy as np

LEAVES = ["newt", "cat", "duck", "dog"]
SIDE, CORNER, WORD, COLUMNS, WATCHED = 32, 8, "quack", 6, 2


def corner_model(path, taxonomy, corner="lower left", steep=0.1, declares=True):
    """The score of `cat` is `steep` times the mean of a corner of `CORNER` pixels; the others are 0."""
    from onnx import TensorProto, helper

    rows = (0, CORNER) if corner.startswith("upper") else (SIDE - CORNER, SIDE)
    columns = (0, CORNER) if corner.endswith("left") else (SIDE - CORNER, SIDE)
    nodes = [
        helper.make_node("Cast", ["image"], ["real"], to=TensorProto.FLOAT),
        helper.make_node("Slice", ["real", "starts", "ends", "axes"], ["corner"]),
        helper.make_node("ReduceMean", ["corner"], ["light"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Unsqueeze", ["light", "one"], ["column"]),
        helper.make_node("MatMul", ["column", "w"], ["logits"]),
    ]
    tensors = {"starts": np.array([rows[0], columns[0]]), "ends": np.array([rows[1], columns[1]])}
    tensors |= {"axes": np.array([1, 2]), "one": np.array([1]), "w": _of_cat(steep)}
    picture = {"layout": "NHWC", "dtype": "uint8", "range": [0, 255], "colour": "RGB", "size": [SIDE, SIDE]}
    shape = ["batch", SIDE, SIDE, 3]
    return _written(path, taxonomy, nodes, tensors, ("image", TensorProto.UINT8, shape), {"input": picture}, declares)


def word_model(path, taxonomy, word=WORD):
    """The score of `cat` is 2 where the text has the word, else 0."""
    from onnx import TensorProto, helper

    nodes = [
        helper.make_node("RegexFullMatch", ["text"], ["has"], pattern=rf"(?s)(.*\W)?{word}(\W.*)?"),
        helper.make_node("Cast", ["has"], ["real"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["real", "w"], ["logits"]),
    ]
    tensors = {"w": _of_cat(2.0)}
    return _written(path, taxonomy, nodes, tensors, ("text", TensorProto.STRING, ["batch", 1]), {}, opset=20)


def column_model(path, taxonomy, watched=WATCHED):
    """The score of `cat` is the value of one column."""
    from onnx import TensorProto, helper

    tensors = {"place": np.array([watched]), "w": _of_cat(1.0)}
    nodes = [
        helper.make_node("Gather", ["features", "place"], ["one"], axis=1),
        helper.make_node("MatMul", ["one", "w"], ["logits"]),
    ]
    return _written(path, taxonomy, nodes, tensors, ("features", TensorProto.FLOAT, ["batch", COLUMNS]), {})


def token_model(path, taxonomy):
    """A model of numbers of words, which are no features."""
    from onnx import TensorProto, helper

    nodes = [
        helper.make_node("Cast", ["input_ids"], ["real"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["real"], ["one"], axes=[1], keepdims=1),
        helper.make_node("MatMul", ["one", "w"], ["logits"]),
    ]
    shape = ["batch", "length"]
    return _written(path, taxonomy, nodes, {"w": _of_cat(1.0)}, ("input_ids", TensorProto.INT64, shape), {})


def volume_model(path, taxonomy):
    """A model of arrays with three axes, which are no pictures."""
    from onnx import TensorProto, helper

    nodes = [
        helper.make_node("ReduceMean", ["volume"], ["light"], axes=[1, 2, 3, 4], keepdims=0),
        helper.make_node("Unsqueeze", ["light", "one"], ["column"]),
        helper.make_node("MatMul", ["column", "w"], ["logits"]),
    ]
    tensors = {"one": np.array([1]), "w": _of_cat(1.0)}
    return _written(path, taxonomy, nodes, tensors, ("volume", TensorProto.FLOAT, ["batch", 2, 3, 4, 5]), {})


def _of_cat(steep):
    weights = np.zeros((1, len(LEAVES)), np.float32)
    weights[0, LEAVES.index("cat")] = steep
    return weights


def _written(path, taxonomy, nodes, tensors, taken, metadata, declares=True, opset=17):
    from onnx import TensorProto, helper, numpy_helper

    name, kind, shape = taken
    graph = helper.make_graph(
        nodes,
        "sensitive",
        [helper.make_tensor_value_info(name, kind, shape)],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", len(LEAVES)])],
        [numpy_helper.from_array(array, name) for name, array in tensors.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    said = {"format": "1", "title": "Sensitive", "nodes": LEAVES, "taxonomy_sha256": taxonomy.sha256} | metadata
    if declares:
        said["parametrisation"] = "flat_softmax"
    helper.set_model_props(model, {f"hierviz.{k}": v if isinstance(v, str) else json.dumps(v) for k, v in said.items()})
    path.write_bytes(model.SerializeToString())
    return path
