"""What the operators of a graph tell about its outputs without running it: which one makes each, and what none of them does."""

# Each number that they give comes from one number of each input.
# fmt: off
BY_NUMBER = {
    "Abs", "Add", "Cast", "Ceil", "Celu", "Clip", "Cos", "Div", "Dropout", "Elu", "Erf", "Exp", "Floor", "Gelu",
    "HardSigmoid", "HardSwish", "Identity", "LeakyRelu", "Log", "Max", "Mean", "Min", "Mish", "Mul", "Neg", "PRelu",
    "Pow", "Reciprocal", "Relu", "Round", "Selu", "Sigmoid", "Sign", "Sin", "Softplus", "Softsign", "Sqrt", "Sub",
    "Sum", "Swish", "Tanh", "ThresholdedRelu", "Where", "Constant", "Scaler",
}
# fmt: on
# What an output is looked for behind: it changes no number.
_BEHIND = ("Identity", "Cast", "ZipMap")
_RAW = ("Gemm", "MatMul", "Conv")
_MOST_STEPS = 20


def graph_ends(model):
    """``made_by``: output -> what makes it, one of "Softmax", "LogSoftmax", "Sigmoid", "Normalizer", "Gemm", "MatMul", "Conv".

    A softmax counts when it runs over the second axis of two or more, so that the columns of a row belong together.
    ``by_number``: the operators of the graph, where each number of its outputs is worked out from one number of each input.
    """
    graph = model.graph
    of = {name: node for node in graph.node for name in node.output if name}
    opset = max((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), default=1)
    axes = {one.name: len(one.type.tensor_type.shape.dim) for one in [*graph.output, *graph.value_info]}
    made_by = {}
    for output in graph.output[:100]:
        name, node = output.name, of.get(output.name)
        for _ in range(_MOST_STEPS):
            if node is None or node.op_type not in _BEHIND or not node.input:
                break
            name = node.input[0]
            node = of.get(name)
        if node is not None:
            what = _what(node, of, opset, axes.get(name) or axes[output.name])
            if what and isinstance(output.name, str):
                made_by[output.name] = what
    names = {node.op_type for node in graph.node}
    is_by_number = bool(names) and not model.functions and names <= BY_NUMBER
    return {"made_by": made_by, "by_number": sorted(names) if is_by_number else []}


def _what(node, of, opset, n_axes):
    """The operator in a word, an empty text where it tells nothing."""
    kind = node.op_type
    if kind in ("Softmax", "LogSoftmax"):
        default = 1 if opset < 13 else -1
        axis = next((one.i for one in node.attribute if one.name == "axis"), default)
        # Where nothing is said of the axes there are two of them, as ever.
        return kind if axis % (n_axes or 2) == 1 else ""
    if kind == "Normalizer":
        norm = next((one.s for one in node.attribute if one.name == "norm"), b"MAX")
        return kind if norm == b"L1" else ""
    if kind == "Add":
        # With the bias apart.
        before = [of[name].op_type for name in node.input if name in of]
        return next((one for one in before if one in _RAW), "")
    return kind if kind == "Sigmoid" or kind in _RAW else ""
