"""Write a trained network as ONNX: preprocessing inside, batch norm folded, everything a reader needs in the metadata."""

import json
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Read when onnxruntime is imported: nothing is sent anywhere.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime

SIZE = 64
INPUT = {"layout": "NHWC", "dtype": "uint8", "range": [0, 255], "colour": "RGB", "size": [SIZE, SIZE]}


def write_onnx(path, network, metadata):
    """Write `network` to `path`.

    Input `image`, uint8 (batch, 64, 64, 3), RGB; output `logits`, float32 (batch, n_scores). Opset 17, IR 8.

    Parameters
    ----------
    path : Path
    network : Network
    metadata : dict
        Key to text, or to a value that is written as JSON; keys get the prefix `hierviz.`.
    """
    nodes, weights = [], []

    def constant(name, value):
        weights.append(numpy_helper.from_array(np.asarray(value, np.float32), name))
        return name

    def step(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    x = step("Cast", ["image"], "float_image", to=TensorProto.FLOAT)
    x = step("Mul", [x, constant("scale", 1 / 127.5)], "image_times_scale")
    x = step("Sub", [x, constant("one", 1.0)], "image_scaled")
    x = step("Transpose", [x], "image_nchw", perm=[0, 3, 1, 2])
    folded = network.folded()
    for k, (weight, bias) in enumerate(folded, start=1):
        size, half = weight.shape[-1], weight.shape[-1] // 2
        x = step(
            "Conv",
            [x, constant(f"conv{k}_weight", weight), constant(f"conv{k}_bias", bias)],
            f"conv{k}",
            kernel_shape=[size, size],
            strides=[2, 2] if k == 1 else [1, 1],
            pads=[half] * 4,
        )
        x = step("Relu", [x], f"relu{k}")
        if k < len(folded):
            x = step("MaxPool", [x], f"pool{k}", kernel_shape=[2, 2], strides=[2, 2])
    mean, most = step("GlobalAveragePool", [x], "plane_mean"), step("GlobalMaxPool", [x], "plane_max")
    x = step("Flatten", [step("Concat", [mean, most], "both", axis=1)], "features", axis=1)
    head = network.head
    step(
        "Gemm",
        [x, constant("head_weight", head.weight.detach().numpy()), constant("head_bias", head.bias.detach().numpy())],
        "logits",
        transB=1,
    )

    graph = helper.make_graph(
        nodes,
        "hierviz_demo",
        [helper.make_tensor_value_info("image", TensorProto.UINT8, ["batch", SIZE, SIZE, 3])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", head.out_features])],
        weights,
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="hierviz models/train.py"
    )
    helper.set_model_props(
        model,
        {f"hierviz.{key}": value if isinstance(value, str) else json.dumps(value) for key, value in metadata.items()},
    )
    onnx.checker.check_model(model, full_check=True)
    path.write_bytes(model.SerializeToString(deterministic=True))


def run_onnx(path, pictures, batch=50):
    """Scores of a written model, float32 (n, n_scores); pictures uint8 (n, 64, 64, 3)."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return np.concatenate(
        [session.run(["logits"], {"image": pictures[k : k + batch]})[0] for k in range(0, len(pictures), batch)]
    )
