"""Tiny ONNX models whose numbers a line of numpy repeats: scores = mean colour of the picture @ weights + bias."""

import gc
import json
import tempfile

import numpy as np
import pytest

# The script that writes files/ needs the dev extra; it is not for --doctest-modules to import.
collect_ignore = ["make_models.py", "model_cases.py", "sklearn_cases.py", "torch_networks.py"]
collect_ignore += ["hostile_models.py", "mutants.py", "torch_picture_cases.py", "torch_table_cases.py"]
LEAVES = ["newt", "cat", "duck", "dog"]  # not the order of the taxonomy, on purpose
PICTURE = {"layout": "NHWC", "dtype": "uint8", "range": [0, 255], "colour": "RGB", "size": [5, 6]}


@pytest.fixture
def weights():
    """Weights (3, 7) and bias (7,); a model of k outputs uses the first k columns."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(3, 7)).astype(np.float32) / 50, rng.normal(size=7).astype(np.float32)


@pytest.fixture
def expected(weights):
    """(pictures (n, h, w, 3) as the model is to see them, width) -> scores, in numpy alone."""
    return lambda seen, width=4: seen.astype(np.float64).mean(axis=(1, 2)) @ weights[0][:, :width] + weights[1][:width]


@pytest.fixture
def build(tmp_path, weights):
    """Write a model: build("m.onnx", metadata={...}, beside={...}, shape=[...], ...) -> path."""
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    kinds = {
        "uint8": TensorProto.UINT8,
        "float32": TensorProto.FLOAT,
        "float64": TensorProto.DOUBLE,
        "int64": TensorProto.INT64,
    }

    def make(
        file="m.onnx",
        metadata=None,
        beside=None,
        shape=("batch", 5, 6, 3),
        dtype="uint8",
        channels_first=False,
        width=4,
        outputs=(("logits", None),),
        softmax=False,
        bad_above=None,
        opset=17,
        ir=8,
    ):
        batch = shape[0]
        nodes = [
            helper.make_node("Cast", ["image"], ["real"], to=TensorProto.FLOAT),
            helper.make_node("ReduceMean", ["real"], ["colour"], axes=[2, 3] if channels_first else [1, 2], keepdims=0),
            helper.make_node("Gemm", ["colour", "w", "b"], ["scores0"]),
        ]
        if bad_above is not None:  # 0/0 for pictures brighter than this
            nodes += [
                helper.make_node("ReduceMean", ["colour"], ["light"], axes=[1], keepdims=1),
                helper.make_node("Less", ["light", "limit"], ["is_dark"]),
                helper.make_node("Cast", ["is_dark"], ["one"], to=TensorProto.FLOAT),
                helper.make_node("Div", ["one", "one"], ["one_or_nan"]),
                helper.make_node("Mul", ["scores0", "one_or_nan"], ["scores1"]),
            ]
        last = "scores0" if bad_above is None else "scores1"
        if softmax:
            nodes.append(helper.make_node("Softmax", [last], ["scores2"], axis=1))
            last = "scores2"
        named = []
        for name, columns in outputs:
            columns = list(range(width)) if columns is None else columns
            if name == "label":
                nodes.append(helper.make_node("ArgMax", [last], ["label"], axis=1, keepdims=0))
                named.append(helper.make_tensor_value_info("label", TensorProto.INT64, [batch]))
                continue
            nodes.append(helper.make_node("Gather", [last, f"{name}_columns"], [name], axis=1))
            named.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [batch, len(columns)]))
        weight, bias = weights
        tensors = {"w": weight[:, :width], "b": bias[:width], "limit": np.float32([bad_above or 0])}
        tensors |= {f"{n}_columns": np.arange(width) if c is None else np.array(c) for n, c in outputs if n != "label"}
        graph = helper.make_graph(
            nodes,
            "tiny",
            [helper.make_tensor_value_info("image", kinds[dtype], list(shape))],
            named,
            [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in tensors.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir)
        if metadata:
            helper.set_model_props(
                model, {f"hierviz.{k}": v if isinstance(v, str) else json.dumps(v) for k, v in metadata.items()}
            )
        path = tmp_path / file
        path.write_bytes(model.SerializeToString())
        if beside is not None:
            (tmp_path / f"{path.stem}.hierviz.json").write_text(
                beside if isinstance(beside, str) else json.dumps(beside)
            )
        assert onnx is not None
        return path

    return make


@pytest.fixture
def metadata(taxonomy):
    """What a model of four leaves says about itself."""
    return {
        "format": "1",
        "title": "Tiny",
        "parametrisation": "flat_softmax",
        "nodes": LEAVES,
        "taxonomy_sha256": taxonomy.sha256,
        "input": PICTURE,
    }


@pytest.fixture
def pictures():
    """Seven pictures, uint8 (7, 5, 6, 3)."""
    return np.random.default_rng(1).integers(0, 256, size=(7, 5, 6, 3), dtype=np.uint8)


@pytest.fixture
def folder(tmp_path, pictures):
    """The same pictures as PNG files 1.png ... 7.png, without 6 but with 10: natural order matters."""
    image = pytest.importorskip("PIL.Image")
    place = tmp_path / "pictures"
    place.mkdir()
    for number, picture in zip([1, 2, 3, 4, 5, 7, 10], pictures, strict=True):
        image.fromarray(picture).save(place / f"{number}.png")
    return place


@pytest.fixture
def image():
    """Pillow's Image module."""
    return pytest.importorskip("PIL.Image")


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files of this test; nothing may be left there."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    gc.collect()  # errors, and what they hold
    assert list(folder.iterdir()) == []


@pytest.fixture
def write(tmp_path):
    """Write a model of onnx.helper, or its bytes: write(model) -> path."""

    def make(model, name="m.onnx"):
        path = tmp_path / name
        path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
        return path

    return make
