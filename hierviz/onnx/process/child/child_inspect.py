"""What an ONNX file says about itself, and what is refused before onnxruntime sees it.

Everything is found by walking the graph, its subgraphs (If, Loop, Scan) and the model's functions once; nothing is expanded.
"""

import math
import re

import onnx
from child_refused import Refused
from onnx import numpy_helper

MOST_NODES = 200_000
MOST_LABELS = 200_000
DOMAINS = ("", "ai.onnx", "ai.onnx.ml", "com.microsoft")
WEIGHT_ENDS = (".data", ".onnx_data", ".bin", ".weights")
LABELS = ("classlabels_strings", "classlabels_int64s", "classlabels_ints", "class_labels")
DAMAGED = (
    "expected an ONNX model, got a file that is damaged, cut short or of another kind. Download or export it again."
)


def inspect_file(path):
    """Facts of a model file as a dict of JSON types; Refused says what is wrong with it."""
    try:
        model = onnx.load(path, load_external_data=False)
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, RecursionError) or "depth" in str(error).lower():  # protobuf's own limit, 100 messages
            raise Refused("expected subgraphs nested at most 30 deep, got more. Export a simpler model.") from None
        if "alloc failed" in str(error):
            raise MemoryError from None
        raise Refused(DAMAGED) from None
    if not model.graph.node and not model.graph.output:
        raise Refused(DAMAGED)
    functions = {
        _key(_text(function.domain), _text(function.name), _text(function.overload)): function
        for function in model.functions
    }
    walked = _Walk(functions)
    main = walked.count(model.graph.node, [model.graph])
    inside = {key: walked.count(function.node, []) for key, function in functions.items()}
    for default in (each for function in model.functions for each in function.attribute_proto):
        for graph in walked.attribute("", default):
            walked.count(graph.node, [graph])
    for info in model.training_info:
        for graph in (info.initialization, info.algorithm):
            walked.count(graph.node, [graph])
    _check_calls(main, inside)
    return {
        "ir_version": model.ir_version,
        "opset": {_text(opset.domain) or "ai.onnx": opset.version for opset in model.opset_import},
        "producer": f"{_text(model.producer_name)} {_text(model.producer_version)}".strip(),
        "metadata": {_text(prop.key): _text(prop.value) for prop in model.metadata_props},
        "n_nodes": walked.n_nodes,
        "n_functions": len(functions),
        "domains": sorted(walked.domains),
        "weight_files": sorted(walked.locations),
        "class_labels": walked.class_labels(model.graph.initializer),
        **graph_ends(model),
    }


def _text(value):
    """Text of a model: bytes where it is no UTF-8."""
    return value if isinstance(value, str) else value.decode("utf-8", "replace")


def _key(domain, name, overload):
    return ("" if domain == "ai.onnx" else domain, name, overload)


class _Walk:
    """One walk over all nodes of a model."""

    def __init__(self, functions):
        self.functions = functions
        self.n_nodes = 0
        self.domains, self.locations = set(), set()
        self.labels = {}

    def count(self, nodes, graphs):
        """(nodes here and in subgraphs, {function called: how often})."""
        n_nodes, calls = 0, {}
        waiting = [(nodes, graphs)]
        while waiting:
            nodes, graphs = waiting.pop()
            n_nodes += len(nodes)
            self.n_nodes += len(nodes)
            if self.n_nodes > MOST_NODES:
                raise Refused(
                    f"expected at most {MOST_NODES:,} operators, got {self.n_nodes:,} or more. Export a smaller model."
                )
            for graph in graphs:
                self._check_weights(graph.initializer, graph.sparse_initializer)
            for node in nodes:
                domain = _text(node.domain)
                key = _key(domain, _text(node.op_type), _text(node.overload))
                if key in self.functions:
                    calls[key] = calls.get(key, 0) + 1
                elif domain not in DOMAINS:
                    raise Refused(
                        f"expected standard operators, got {key[1][:80]!r} of {domain[:80]!r}. "
                        "Export it without custom operators."
                    )
                self.domains.add(domain or "ai.onnx")
                for attribute in node.attribute:
                    waiting += [(graph.node, [graph]) for graph in self.attribute(node.op_type, attribute)]
        return n_nodes, calls

    def class_labels(self, initializers):
        """Labels of the last ZipMap, else of the last classifier, else of the table where skl2onnx looks them up."""
        for tensor in () if self.labels else initializers:
            is_table = re.fullmatch(r"classes\d*", _text(tensor.name)) and len(tensor.dims) in (1, 2)
            if not is_table or tensor.external_data or not 1 < math.prod(tensor.dims) <= MOST_LABELS:
                continue
            if tensor.data_type in (onnx.TensorProto.STRING, onnx.TensorProto.INT64, onnx.TensorProto.INT32):
                try:
                    values = numpy_helper.to_array(tensor).ravel().tolist()
                except Exception:  # of a damaged file; onnxruntime reports it
                    continue
                texts = [_text(value) if isinstance(value, (str, bytes)) else str(value) for value in values]
                if len(set(texts)) == len(texts):
                    return texts
        return self.labels.get("ZipMap", next(reversed(self.labels.values()), None))

    def attribute(self, op_type, attribute):
        """Look at an attribute's tensors and labels; -> its graphs."""
        if (
            attribute.name in LABELS
            and (attribute.strings or attribute.ints)
            and len(attribute.strings) + len(attribute.ints) <= MOST_LABELS
        ):
            self.labels.pop(op_type, None)
            texts = [text.decode("utf-8", "replace") for text in attribute.strings] or [
                str(number) for number in attribute.ints
            ]
            self.labels[op_type] = texts
        one, sparse, graph = (
            [getattr(attribute, name)] if attribute.HasField(name) else [] for name in ("t", "sparse_tensor", "g")
        )
        self._check_weights([*one, *attribute.tensors], [*sparse, *attribute.sparse_tensors])
        return [*graph, *attribute.graphs]

    def _check_weights(self, tensors, sparse_tensors):
        for tensor in [*tensors, *(part for sparse in sparse_tensors for part in (sparse.values, sparse.indices))]:
            self._check_place(tensor)

    def _check_place(self, tensor):
        if tensor.data_location != onnx.TensorProto.EXTERNAL and not tensor.external_data:
            return
        places = [_text(entry.value) for entry in tensor.external_data if entry.key == "location"]
        for place in places or [""]:
            if not is_bare(place):
                raise Refused(
                    f"expected its weights in a file next to the model (a bare name ending {', '.join(WEIGHT_ENDS)}), "
                    f"got {place[:120]!r}, which leads elsewhere. Export it again."
                )
            self.locations.add(place)


def is_bare(place):
    """Whether a weight file's name can only mean a file in the model's own folder."""
    return (
        place.endswith(WEIGHT_ENDS)
        and place.isprintable()
        and not place.startswith(".")
        and not set(place) & set('/\\:*?"<>|')
    )


def _check_calls(main, inside):
    """Refuse functions that call themselves, and those that grow beyond all bounds once written out.

    Parameters
    ----------
    main : (int, dict)
        From `_Walk.count`, of the graph.
    inside : dict
        The same of each function.
    """
    sizes, open_calls = {}, set()

    def size(part):
        n_nodes, calls = part
        return n_nodes + sum((sizes[key] - 1) * times for key, times in calls.items())

    for first in inside:
        path = [first]
        while path:
            key = path[-1]
            if key in sizes:
                path.pop()
                continue
            open_calls.add(key)
            missing = [called for called in inside[key][1] if called not in sizes]
            if any(name in open_calls for name in missing):
                raise Refused(
                    f"expected functions without recursion, got {key[1][:80]!r}, which calls itself. "
                    "Export it again without functions."
                )
            if missing:
                path.append(missing[0])
                continue
            sizes[key] = size(inside[key])
            open_calls.discard(key)
            path.pop()
    total = size(main)
    if total > MOST_NODES:
        raise Refused(
            f"expected at most {MOST_NODES:,} operators, got {min(total, 10**18):,} or more once its functions are "
            "written out. Export a smaller model."
        )


# Each number that they give comes from one number of each input.
# fmt: off
BY_NUMBER = {
    "Abs", "Add", "Cast", "Ceil", "Celu", "Clip", "Cos", "Div", "Dropout", "Elu", "Erf", "Exp", "Floor", "Gelu",
    "HardSigmoid", "HardSwish", "Identity", "LeakyRelu", "Log", "Max", "Mean", "Min", "Mish", "Mul", "Neg", "PRelu",
    "Pow", "Reciprocal", "Relu", "Round", "Selu", "Sigmoid", "Sign", "Sin", "Softplus", "Softsign", "Sqrt", "Sub",
    "Sum", "Swish", "Tanh", "ThresholdedRelu", "Where", "Constant", "Scaler",
}
# fmt: on
# Operators that change no number: the one before them counts.
_BEHIND = ("Identity", "Cast", "ZipMap")
_RAW = ("Gemm", "MatMul", "Conv")
_MOST_STEPS = 20


def graph_ends(model):
    """``made_by``: output -> what makes it, one of "Softmax", "LogSoftmax", "Sigmoid", "Normalizer", "Gemm", "MatMul", "Conv".

    A softmax counts when it runs over the second axis of two or more, so that the columns of a row belong together.
    ``by_number``: the operators of the graph, where each number of its outputs is computed from one number of each input.
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
    """The operator in a word, an empty text where that is not informative."""
    kind = node.op_type
    if kind in ("Softmax", "LogSoftmax"):
        default = 1 if opset < 13 else -1
        axis = next((one.i for one in node.attribute if one.name == "axis"), default)
        # Where the axes are not declared, there are two of them.
        return kind if axis % (n_axes or 2) == 1 else ""
    if kind == "Normalizer":
        norm = next((one.s for one in node.attribute if one.name == "norm"), b"MAX")
        return kind if norm == b"L1" else ""
    if kind == "Add":
        # With the bias apart.
        before = [of[name].op_type for name in node.input if name in of]
        return next((one for one in before if one in _RAW), "")
    return kind if kind == "Sigmoid" or kind in _RAW else ""
