"""Models that harm whoever opens them without care, as bytes: scores = x @ w + b of x (batch, 3), and something evil."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEIGHTS = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
BIAS = np.float32([0.5, -0.25, 0, 1])
X = np.float32([[1, 2, 3], [-1, 0, 0.5], [0, 0, 0]])


def model_of(nodes, tensors=None, functions=(), opsets=None, ir=8, inputs=None, outputs=None):
    """A model that takes x and gives logits; `w` and `b` are there."""
    tensors = {"w": WEIGHTS, "b": BIAS} | (tensors or {})
    graph = helper.make_graph(
        nodes,
        "g",
        inputs or [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3])],
        outputs or [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 4])],
        [
            one if hasattr(one, "dims") else numpy_helper.from_array(np.asarray(one), name)
            for name, one in tensors.items()
        ],
    )
    opsets = [helper.make_opsetid(*one) for one in (opsets or {"": 17}).items()]
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir, functions=list(functions))


def gemm(x="x", out="logits"):
    """The honest part."""
    return helper.make_node("Gemm", [x, "w", "b"], [out])


def honest():
    """Nothing evil."""
    return model_of([gemm()])


def added(nodes, last, tensors=None, **more):
    """The honest scores plus a number that evil nodes compute (`last`, of any shape that broadcasts)."""
    return model_of(
        [gemm(out="honest"), *nodes, helper.make_node("Add", ["honest", last], ["logits"])], tensors, **more
    )


def endless_loop():
    """A Loop of 2^62 rounds: loads at once, then runs for ever."""
    real = TensorProto.FLOAT
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Add", ["state", "state"], ["next"])],
        "body",
        [
            helper.make_tensor_value_info("round", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("state", real, ["batch", 4]),
        ],
        [
            helper.make_tensor_value_info("on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", real, ["batch", 4]),
        ],
    )
    loop = helper.make_node("Loop", ["rounds", "yes", "honest"], ["logits"], body=body)
    return model_of([gemm(out="honest"), loop], {"rounds": np.int64(2**62), "yes": np.array(True)})


def ones(gigabytes):
    """ConstantOfShape of so many GB, at run time."""
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Mul", ["shape", "times"], ["big"]),
        helper.make_node("ConstantOfShape", ["big"], ["zeros"]),
        helper.make_node("ReduceSum", ["zeros"], ["nought"], keepdims=0),
    ]
    # For batches of 64 rows of 3 numbers of 4 bytes.
    return added(nodes, "nought", {"times": np.int64([1, round(gigabytes * 1e9 / (64 * 3 * 4))])})


def wide(columns, declared):
    """Far more columns than are declared; onnxruntime lets it pass."""
    nodes = [
        helper.make_node("Shape", ["x"], ["rows"], start=0, end=1),
        helper.make_node("Concat", ["rows", "columns"], ["shape"], axis=0),
        helper.make_node("ConstantOfShape", ["shape"], ["logits"]),
    ]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", declared])]
    return model_of(nodes, {"columns": np.int64([columns])}, outputs=outputs)


def functions(depth):
    """A function that calls another one twice, and so on: 2^(depth - 1) copies."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("f", 1)]
    made = [helper.make_function("f", "f0", ["x"], ["y"], [helper.make_node("Neg", ["x"], ["y"])], opsets)]
    for at in range(1, depth):
        twice = [
            helper.make_node(f"f{at - 1}", ["x"], ["m"], domain="f"),
            helper.make_node(f"f{at - 1}", ["m"], ["y"], domain="f"),
        ]
        made.append(helper.make_function("f", f"f{at}", ["x"], ["y"], twice, opsets))
    return added(
        [helper.make_node(f"f{depth - 1}", ["b"], ["n"], domain="f")], "n", functions=made, opsets={"": 17, "f": 1}
    )


def recursive_function():
    """Two functions that call each other."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("f", 1)]
    made = [
        helper.make_function("f", a, ["x"], ["y"], [helper.make_node(b, ["x"], ["y"], domain="f")], opsets)
        for a, b in (("tick", "tock"), ("tock", "tick"))
    ]
    return added([helper.make_node("tick", ["b"], ["n"], domain="f")], "n", functions=made, opsets={"": 17, "f": 1})


def nested_ifs(depth):
    """If within If."""
    out = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 4])]
    graph = helper.make_graph([helper.make_node("Identity", ["honest"], ["y"])], "inner", [], out)
    for at in range(depth - 1):
        name = f"y{at}"
        node = helper.make_node("If", ["yes"], [name], then_branch=graph, else_branch=_identity(at))
        graph = helper.make_graph(
            [node], f"g{at}", [], [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 4])]
        )
    last = helper.make_node("If", ["yes"], ["logits"], then_branch=graph, else_branch=_identity("last"))
    return model_of([gemm(out="honest"), last], {"yes": np.array(True)})


def _identity(at):
    name = f"e{at}"
    out = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 4])]
    return helper.make_graph([helper.make_node("Identity", ["honest"], [name])], f"else{at}", [], out)


def too_deep(depth):
    """Bytes of a model whose If holds an If, deeper than protobuf would write it."""
    inner = _identity("inner").SerializeToString()
    for _ in range(depth):
        branch = onnx.AttributeProto(name="then_branch", type=onnx.AttributeProto.GRAPH).SerializeToString()
        node = onnx.NodeProto(op_type="If", input=["yes"], output=["einner"]).SerializeToString()
        inner = field(1, node + field(5, branch + field(6, inner)))
    # Fields that come twice are joined: this graph and the honest one.
    return honest().SerializeToString() + field(7, inner)


def many_nodes(count):
    """Bytes of a model with so many operators: one and the same, again and again."""
    node = field(1, helper.make_node("Neg", ["b"], [""]).SerializeToString())
    return honest().SerializeToString() + field(7, node * count)


def field(number, content):
    """A field of a protobuf message."""
    size, length = len(content), b""
    while size > 127:
        length, size = length + bytes([size & 127 | 128]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


def external(location, where="initializer", length=None):
    """The weights are in another file: as a tensor of the graph, of a subgraph, of a Constant or of a sparse one."""
    tensor = TensorProto(name="w", dims=[3, 4], data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), *([] if length is None else [("length", str(length))])):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    if where == "initializer":
        return model_of([gemm()], {"w": tensor})
    if where == "constant":
        model = model_of([helper.make_node("Constant", [], ["v"], value=tensor), gemm()])
        model.graph.node[1].input[1] = "v"
        return model
    if where == "subgraph":
        inner = helper.make_graph(
            [helper.make_node("Gemm", ["x", "w", "b"], ["y"])],
            "inner",
            [],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 4])],
            [tensor],
        )
        choice = helper.make_node("If", ["yes"], ["logits"], then_branch=inner, else_branch=inner)
        return model_of([choice], {"yes": np.array(True)})
    if where == "default":  # of an attribute of a function
        weights = helper.make_node("Constant", [], ["w"])
        weights.attribute.add(name="value", type=onnx.AttributeProto.TENSOR, ref_attr_name="weights")
        inside = [weights, helper.make_node("Gemm", ["x", "w", "b"], ["y"])]
        opsets, defaults = [helper.make_opsetid("", 17)], [helper.make_attribute("weights", tensor)]
        made = helper.make_function("f", "f", ["x", "b"], ["y"], inside, opsets, attribute_protos=defaults)
        call = helper.make_node("f", ["x", "b"], ["logits"], domain="f")
        return model_of([call], functions=[made], opsets={"": 17, "f": 1})
    assert where == "sparse"
    model = honest()
    sparse = model.graph.sparse_initializer.add(dims=[3, 4])
    sparse.values.CopyFrom(tensor)
    sparse.values.name = "v"
    sparse.indices.CopyFrom(numpy_helper.from_array(np.arange(12), "i"))
    return model


def odd_models():
    """{name: model} that onnxruntime refuses to load or run."""
    of_x, whole = helper.make_tensor_value_info, np.int64
    short = numpy_helper.from_array(WEIGHTS, "w")
    short.raw_data = short.raw_data[:20]
    negative = numpy_helper.from_array(WEIGHTS, "w")
    negative.dims[0] = -3
    no_opset = honest()
    del no_opset.opset_import[:]
    return {
        "unknown operator": model_of([helper.make_node("Frobnicate", ["x"], ["logits"])]),
        "custom domain": model_of(
            [helper.make_node("Evil", ["x"], ["logits"], domain="my.ops")], opsets={"": 17, "my.ops": 1}
        ),
        "no opset": no_opset,
        "dangling edge": model_of([gemm(x="nowhere")]),
        "cycle": model_of([helper.make_node("Neg", ["a"], ["c"]), helper.make_node("Neg", ["c"], ["a"]), gemm(x="a")]),
        "wrong dims": model_of([gemm()], {"w": WEIGHTS.T}),
        "raw data too short": model_of([gemm()], {"w": short}),
        "negative dims": model_of([gemm()], {"w": negative}),
        "Gather out of range": added([helper.make_node("Gather", ["b", "nine"], ["n"])], "n", {"nine": whole([9] * 4)}),
        "integer division by 0": added(
            [
                helper.make_node("Cast", ["x"], ["i"], to=TensorProto.INT64),
                helper.make_node("Sub", ["i", "i"], ["o"]),
                helper.make_node("Div", ["i", "o"], ["d"]),
                helper.make_node("ReduceSum", ["d"], ["s"], keepdims=0),
                helper.make_node("Cast", ["s"], ["n"], to=TensorProto.FLOAT),
            ],
            "n",
        ),
        "output without the batch": model_of(
            [gemm(out="y"), helper.make_node("ReduceSum", ["y", "first"], ["logits"], keepdims=0)],
            {"first": whole([0])},
            outputs=[of_x("logits", TensorProto.FLOAT, [4])],
        ),
        "IR 99": model_of([gemm()], ir=99),
        "opset 99": model_of([gemm()], opsets={"": 99}),
    }
