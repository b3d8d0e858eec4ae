"""Damaged models: `mutant(seed, number, originals())` is always the same file for the same seed and number."""

import numpy as np
import onnx
from onnx import TensorProto, helper

from . import hostile_models as hostile

TYPES = {
    "float": np.float32,
    "double": np.float64,
    "int64": np.int64,
    "uint8": np.uint8,
    "int32": np.int32,
    "bool": bool,
}


def originals():
    """Small models with the parts that damage can turn into something else: subgraphs, functions, maps, text, attributes."""
    picture = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 8, 8])]
    network = hostile.model_of(
        [
            helper.make_node("Conv", ["x", "k"], ["c"], kernel_shape=[3, 3], strides=[2, 2]),
            helper.make_node("GlobalAveragePool", ["c"], ["p"]),
            helper.make_node("Flatten", ["p"], ["f"]),
            hostile.gemm("f"),
        ],
        {"k": np.ones((3, 3, 3, 3), np.float32)},
        inputs=picture,
    )
    rounds = hostile.endless_loop()
    next(one for one in rounds.graph.initializer if one.name == "rounds").raw_data = np.int64(3).tobytes()
    probabilities = helper.make_value_info(
        "p",
        helper.make_sequence_type_proto(
            helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
        ),
    )
    classifier = hostile.model_of(
        [
            helper.make_node(
                "LinearClassifier",
                ["x"],
                ["label", "s"],
                domain="ai.onnx.ml",
                coefficients=hostile.WEIGHTS.T.ravel().tolist(),
                intercepts=hostile.BIAS.tolist(),
                classlabels_strings=list("abcd"),
                post_transform="SOFTMAX",
            ),
            helper.make_node("ZipMap", ["s"], ["p"], domain="ai.onnx.ml", classlabels_strings=list("abcd")),
        ],
        opsets={"": 17, "ai.onnx.ml": 1},
        outputs=[helper.make_tensor_value_info("label", TensorProto.STRING, ["batch"]), probabilities],
    )
    made = [hostile.honest(), network, rounds, classifier, hostile.functions(4), hostile.nested_ifs(3)]
    return [np.frombuffer(one.SerializeToString(), dtype=np.uint8) for one in made]


def mutant(seed, number, models):
    """A model whose fields, or whose bytes, were changed."""
    rng = np.random.default_rng((seed, number))
    data = models[number % len(models)].copy()
    return of_fields(rng, data) if number % 3 else of_bytes(rng, data)


def of_fields(rng, data):
    """Well-formed files of wrong models: one to three numbers, names, dimensions, types or weights are others."""
    model = onnx.ModelProto.FromString(data.tobytes())
    for _ in range(rng.integers(1, 4)):
        message = model.graph
        while True:  # down to some field
            fields = [one for one in message.ListFields() if one[0].name not in ("doc_string", "ir_version")]
            if not fields:
                break
            field, value = fields[rng.integers(len(fields))]
            many = field.is_repeated
            at = int(rng.integers(len(value))) if many else None
            one = value[at] if many else value
            if field.message_type is not None:
                if many and rng.random() < 0.05:
                    del value[at]
                    break
                message = one
                continue
            changed = other(rng, one)
            try:
                if many:
                    value[at] = changed
                else:
                    setattr(message, field.name, changed)
            except ValueError:  # out of the range of the field
                continue
            break
    return model.SerializeToString()


def other(rng, value):
    """Another value of the same kind."""
    if isinstance(value, float):
        return float(rng.choice([0, -1, 1e30, np.inf, np.nan]))
    if isinstance(value, int):
        return int(rng.choice([0, -1, 1, 2, 7, value + 1, 10**6, 2**31 - 1, 2**62]))
    if isinstance(value, str):
        return str(
            rng.choice(["", "x", "w", "y", "logits", "Add", "Mul", "Relu", "Softmax", "ReduceSum", "Tile", "Expand"])
        )
    raw = np.frombuffer(value, dtype=np.uint8).copy()
    if len(raw):
        raw[rng.integers(0, len(raw), 3)] = rng.choice([0, 127, 128, 255], 3)
    return raw.tobytes()


def of_bytes(rng, data):
    """Bytes changed, cut off, left out or doubled."""
    a, b = np.sort(rng.integers(0, len(data), 2))
    match rng.integers(0, 8):
        case 0:
            data = data[: b + 1]
        case 1:
            data = np.concatenate([data[:a], data[min(b, a + 20) :]])
        case 2:
            data = np.concatenate([data[:b], data[max(a, b - 40) : b], data[b:]])
        case 3:
            data[rng.integers(0, len(data), 3)] ^= (1 << rng.integers(0, 8, 3)).astype(np.uint8)
        case _:
            count = rng.integers(1, 5)
            data[rng.integers(0, len(data), count)] = rng.integers(0, 256, count)
    return data.tobytes()


def rows_for(session):
    """Seven rows of what a model says it takes; the wrong type or shape is part of the game."""
    rng = np.random.default_rng(0)
    made = {}
    for name, kind, shape in session.inputs:
        tail = [min(axis or 3, 9) for axis in shape[1:]]
        if "string" in kind:
            made[name] = np.full([7, *tail], "text")
        else:
            made[name] = rng.normal(size=[7, *tail]).astype(TYPES.get(kind.removeprefix("tensor(")[:-1], np.float32))
    return made
