"""A model runs in a process of its own: what comes back from there."""

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

from onnx import TensorProto, helper

from hierviz.messages.errors import ModelError
from hierviz.onnx.process import isolation, spool
from hierviz.onnx.process.session import Session

from . import hostile_models as hostile

pytestmark = pytest.mark.usefixtures("temporary")


def scores(x):
    return x @ hostile.WEIGHTS + hostile.BIAS


def blocks_of(x, sizes):
    ends = np.cumsum(sizes)
    return ({"x": x[end - size : end]} for size, end in zip(sizes, ends))


@pytest.mark.parametrize("forks", [True, False])
def test_rows_come_back_in_order(write, monkeypatch, forks):
    monkeypatch.setattr(isolation, "CAN_FORK", forks and isolation.CAN_FORK)
    monkeypatch.setattr(spool, "CHUNK_BYTES", 12 * 20)  # chunks of 16 rows: many of them
    x = np.random.default_rng(0).normal(size=(101, 3)).astype(np.float32)
    with Session(write(hostile.honest())) as session:
        seen = []
        run = session.run(
            blocks_of(x, [1, 40, 7, 50, 3]),
            ["logits"],
            n_rows=101,
            step=8,
            progress=lambda *said: seen.append(said),
        )
        np.testing.assert_allclose(run.values["logits"], scores(x), rtol=1e-5, atol=1e-6)
        assert run.values["logits"].dtype == np.float32
        assert seen[-1] == (101, 101)
        assert seen == sorted(seen)
        # Not one bit depends on how the rows came.
        again = session.run(blocks_of(x, [101]), ["logits"], n_rows=101, step=8)
        np.testing.assert_array_equal(run.values["logits"], again.values["logits"])


def test_text_and_numbers_side_by_side(write, monkeypatch):
    """Every type of input and output, text of any length; a row more than a batch."""
    monkeypatch.setattr(spool, "CHUNK_BYTES", 2000)
    kinds = {"s": "STRING", "h": "FLOAT16", "d": "DOUBLE", "i": "INT64", "u": "UINT8", "t": "BOOL"}
    shapes = {name: ["batch", 2] if name in "sd" else ["batch"] for name in kinds}
    values = {
        name: helper.make_tensor_value_info(name, getattr(TensorProto, kind), shapes[name])
        for name, kind in kinds.items()
    }
    out = {
        name: helper.make_tensor_value_info(f"{name}_out", getattr(TensorProto, kind), shapes[name])
        for name, kind in kinds.items()
    }
    nodes = [helper.make_node("Identity", [name], [f"{name}_out"]) for name in kinds]
    session = Session(write(hostile.model_of(nodes, inputs=list(values.values()), outputs=list(out.values()))))
    assert session.inputs[0] == ("s", "tensor(string)", (None, 2))
    rng, n = np.random.default_rng(1), 33
    texts = np.array([["", "ä" * int(k)] for k in rng.integers(0, 30, n)], dtype=object)
    texts[7] = ["two\nlines \0 and a nought", "😀"]
    rows = {
        "s": texts,
        "h": rng.normal(size=n).astype(np.float16),
        "d": rng.normal(size=(n, 2)),
        "i": rng.integers(-(2**62), 2**62, n),
        "u": rng.integers(0, 256, n).astype(np.uint8),
        "t": rng.integers(0, 2, n).astype(bool),
    }
    parts = [{k: v[a:b] for k, v in rows.items()} for a, b in ((0, 5), (5, 20), (20, 33))]
    run = session.run(iter(parts), [f"{name}_out" for name in kinds], n_rows=n, step=8)
    for name, given in rows.items():
        got = run.values[f"{name}_out"]
        np.testing.assert_array_equal(got, given.astype(str) if name == "s" else given)
        assert got.dtype == given.dtype or name == "s"
    rows["s"] = rows["s"].copy()
    rows["s"][3, 0] = None
    with pytest.raises(ModelError, match="expected texts"):
        session.run([rows], ["s_out"], n_rows=n, step=8)
    session.close()


def test_zip_map_and_labels(write):
    keys = helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    model = hostile.model_of(
        [
            hostile.gemm(out="s"),
            helper.make_node("ZipMap", ["s"], ["p"], domain="ai.onnx.ml", classlabels_int64s=[30, 4, 12, 1]),
            helper.make_node("ArgMax", ["s"], ["label"], axis=1, keepdims=0),
        ],
        opsets={"": 17, "ai.onnx.ml": 1},
        outputs=[
            helper.make_tensor_value_info("label", TensorProto.INT64, ["batch"]),
            helper.make_value_info("p", helper.make_sequence_type_proto(keys)),
        ],
    )
    with Session(write(model)) as session:
        assert session.class_labels == ["30", "4", "12", "1"]
        assert session.outputs[1] == ("p", "seq(map(int64,tensor(float)))", ())
        run = session.run([{"x": hostile.X}], ["label", "p"], n_rows=3, step=2)
    assert run.labels == {"p": ["1", "4", "12", "30"]}
    np.testing.assert_allclose(run.values["p"], scores(hostile.X)[:, [3, 1, 2, 0]], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(run.values["label"], scores(hostile.X).argmax(axis=1))


def test_class_labels(write):
    """Of the last classifier, of a ZipMap before it, and of the table that skl2onnx writes for models without one."""
    of_ml = {"domain": "ai.onnx.ml", "coefficients": [0.0] * 12, "intercepts": [0.0] * 4}
    first = helper.make_node("LinearClassifier", ["x"], ["l1", "s1"], classlabels_ints=[7, 8, 9, 10], **of_ml)
    second = helper.make_node("LinearClassifier", ["x"], ["l2", "s2"], classlabels_strings=list("dcba"), **of_ml)
    zipped = helper.make_node("ZipMap", ["s1"], ["m"], domain="ai.onnx.ml", classlabels_strings=list("wxyz"))
    more = {"opsets": {"": 17, "ai.onnx.ml": 1}}
    for nodes, tensors, labels in (
        ([gemm := hostile.gemm()], {}, None),
        ([gemm, first], {}, ["7", "8", "9", "10"]),
        ([gemm, first, second], {}, list("dcba")),
        ([gemm, first, zipped, second], {"classes": np.array(["n", "m"])}, list("wxyz")),
        ([gemm], {"classes": np.array(["newt", "cät"])}, ["newt", "cät"]),
        ([gemm], {"classes1": np.int64([[3, 1]])}, ["3", "1"]),
        ([gemm], {"classes": np.int64([3, 3])}, None),
        ([gemm], {"classes": np.float32([3, 1])}, None),
    ):
        with Session(write(hostile.model_of(nodes, tensors, **more))) as session:
            assert session.class_labels == labels


def test_facts(write):
    model = hostile.functions(4)
    model.producer_name, model.producer_version = "mine", "1.2"
    helper.set_model_props(model, {"a": "b"})
    model.graph.input.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, [3, 4]))  # also an initializer
    path = write(model)
    with Session(path) as session:
        assert session.inputs == [("x", "tensor(float)", (None, 3))]
        assert session.outputs == [("logits", "tensor(float)", (None, 4))]
        assert session.metadata == {"a": "b"}
        assert session.class_labels is None
        facts = session.facts
    assert facts["bytes"] == path.stat().st_size
    assert (facts["ir_version"], facts["opset"], facts["producer"]) == (8, {"ai.onnx": 17, "f": 1}, "mine 1.2")
    assert (facts["n_nodes"], facts["n_functions"], facts["domains"]) == (3 + 1 + 3 * 2, 4, ["ai.onnx", "f"])
    with Session(write(hostile.nested_ifs(5))) as session:
        assert session.facts["n_nodes"] == 1 + 5 + 5 + 1  # Gemm, If, else branches, the innermost
