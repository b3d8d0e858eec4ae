"""What the inputs of a model take: layout, colour, scaling, batch, several inputs."""

import numpy as np
import pytest

from hierviz.messages.errors import ModelError
from hierviz.onnx.model import load_model

from .one_line import one_line

LEAVES = ["newt", "cat", "duck", "dog"]


def test_fixed_batch(build, metadata, taxonomy, pictures, expected):
    model = load_model(build(metadata=metadata, shape=(4, 5, 6, 3)), taxonomy)
    assert model.batch == 4
    np.testing.assert_allclose(model.predict(pictures).scores, expected(pictures), rtol=1e-5, atol=1e-5)
    assert model.predict(pictures[:1]).n_samples == 1


def test_nchw_float_mean_std_bgr(build, metadata, taxonomy, pictures, expected):
    given = {"layout": "NCHW", "range": [-1, 1], "mean": [0.1, 0.2, 0.3], "std": [0.5, 0.6, 0.7], "colour": "BGR"}
    path = build(metadata={**metadata, "input": given}, shape=("n", 3, 5, 6), dtype="float32", channels_first=True)
    preds = load_model(path, taxonomy).predict(pictures)
    seen = pictures[..., ::-1].astype(float) / 255 * 2 - 1
    seen = (seen - [0.1, 0.2, 0.3]) / [0.5, 0.6, 0.7]
    np.testing.assert_allclose(preds.scores, expected(seen), rtol=1e-4, atol=1e-5)
    # Ready-made floats are fed as they are.
    ready = np.ascontiguousarray(seen.transpose(0, 3, 1, 2)).astype(np.float64)
    np.testing.assert_allclose(load_model(path, taxonomy).predict(ready).scores, preds.scores, atol=1e-6)


def test_bgr_uint8(build, metadata, taxonomy, pictures, expected):
    given = {**metadata["input"], "colour": "bgr"}
    preds = load_model(build(metadata={**metadata, "input": given}), taxonomy).predict(pictures)
    np.testing.assert_allclose(preds.scores, expected(pictures[..., ::-1]), rtol=1e-5, atol=1e-5)


def test_mean_and_std_without_range(build, metadata, taxonomy, pictures, expected):
    def load(given):
        return load_model(build(metadata={**metadata, "input": given}, dtype="float32"), taxonomy)

    model = load({"mean": [0.5, 0.5, 0.5], "std": [0.2, 0.2, 0.2], "colour": "RGB"})
    np.testing.assert_allclose(
        model.predict(pictures).scores, expected((pictures / 255 - 0.5) / 0.2), rtol=1e-4, atol=1e-5
    )
    assert "without range" in model.notes[0]
    with pytest.raises(ModelError, match="expected `range`"):
        load({"mean": [123.0, 117.0, 104.0]})


def test_float_input_without_scaling_refuses_pictures(build, metadata, taxonomy, pictures, folder):
    bare = {key: value for key, value in metadata.items() if key != "input"}
    model = load_model(build(metadata=bare, dtype="float32"), taxonomy)
    assert model.account["accepts"] == "pictures (after preprocessing={'range': ...}), arrays (.npy, .npz)"
    for inputs in (pictures, folder):
        with pytest.raises(ModelError, match="range") as raised:
            model.predict(inputs)
        one_line(raised)
    assert model.predict(pictures.astype(np.float32)).n_samples == 7


def test_what_arrays_are_told(build, taxonomy, pictures, folder):
    model = load_model(build(shape=("n", 5, 6, 3)), taxonomy, classes=LEAVES)
    first = pictures.transpose(0, 3, 1, 2)
    for array, words in (
        (
            first.astype(np.int16),
            r"got 7 x 3 x 5 x 6\. The axes are in another order: pass array\.transpose\(0, 2, 3, 1\)",
        ),
        (pictures[0], r"single sample pass array\[None\]"),
        (pictures[:, :4], r"Resize the array, or put its axes in this order with transpose \(not reshape\)"),
    ):
        with pytest.raises(ModelError, match=words) as raised:
            model.predict(array)
        one_line(raised)
    # The order of the colours is an assumption about picture files, not about arrays that are ready.
    assert model.predict(pictures).notes == ()
    assert model.predict(folder).notes == ("the order of the colour channels is not declared: RGB was assumed",)


def test_what_a_model_accepts(build, taxonomy):
    from hierviz.onnx.inputs.declared_inputs import accepted_words, find_inputs

    def words(*signatures):
        return accepted_words(find_inputs("m.onnx", signatures, {}, []))

    text, number = ("words", "tensor(string)", (None, 1)), ("x", "tensor(float)", (None, 1))
    tokens = ("input_ids", "tensor(int64)", (None, None))
    assert words(text) == "texts (.txt), a table with a column `text`, arrays (.npy, .npz)"
    assert words(text, number) == "a table with a column for every input, arrays by input name (.npz)"
    assert words(tokens, tokens) == "arrays by input name (.npz)"
    assert words(("x", "tensor(float)", (None, 4))) == "a table, arrays (.npy, .npz)"
    assert words(("x", "tensor(float)", (None, 5, 6, 7))).startswith(
        "arrays (.npy, .npz); no pictures: an input with 5 or 7"
    )


def test_declared_layout_and_size_yield_to_the_shape(build, metadata, taxonomy):
    given = {"layout": "NCHW", "dtype": "float32", "colour": "RGB", "size": [32, 32]}
    model = load_model(build(metadata={**metadata, "input": given}), taxonomy)
    assert (model.inputs[0].layout, model.inputs[0].size) == ("NHWC", (5, 6))
    assert len(model.notes) == 3


def test_several_inputs_by_name(build, taxonomy, tmp_path, folder):
    from onnx import TensorProto, helper

    build()
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["ids"], ["f"], to=TensorProto.FLOAT),
            helper.make_node("Add", ["f", "x"], ["scores"]),
        ],
        "two",
        [
            helper.make_tensor_value_info("ids", TensorProto.INT64, ["n", 4]),
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4]),
        ],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["n", 4])],
    )
    path = tmp_path / "two.onnx"
    path.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    )
    model = load_model(path, taxonomy, classes=LEAVES, parametrisation="flat_softmax")
    ids, x = np.arange(12, dtype=np.int32).reshape(3, 4), np.full((3, 4), 0.5)
    np.savez(tmp_path / "in.npz", x=x, ids=ids, sample_id=[7, 8, 9])
    preds = model.predict(tmp_path / "in.npz")
    np.testing.assert_allclose(preds.scores, ids + x)
    assert preds.sample_ids.tolist() == ["7", "8", "9"]
    for inputs, words in (
        (x, "a dict, with arrays by input name"),
        ({"x": x}, r"one array per input of the model \('ids', 'x'\)"),
        ({"x": x, "ids": x}, "expected int64 for input 'ids', got float64"),
        ({"x": x[:2], "ids": ids}, "equally many rows"),
        ({"x": x[:, :3], "ids": ids}, "expected rows x 4 for input 'x', got 3 x 3"),
        (folder, "one input for pictures.*Pass a table with a column per input, or an .npz"),
    ):
        with pytest.raises(ModelError, match=words) as raised:
            model.predict(inputs)
        one_line(raised)


@pytest.mark.parametrize(
    ("range_", "mean", "std", "words"),
    [
        (
            (0, 1),
            127,
            None,
            r"expected a mean inside the range 0 to 1 \(mean and std are in units of the range\), got 127",
        ),
        ((0, 1), (0.5, 0.5, 117), None, "got 0.5, 0.5, 117"),
        ((-1, 1), -1.2, None, "inside the range -1 to 1"),
        ((0, 1), 0.5, 58, "expected a std from 0.00392 to 1 for the range 0 to 1"),
        ((0, 255), 0.485, 0.229, "expected a std from 1 to 255 for the range 0 to 255"),
        (None, -0.3, None, "expected a mean inside the range 0 to 1"),
        ((0, 255), (103.9, 116.8, 123.7), (1, 1, 1), ""),
        ((0, 255), 127.5, 127.5, ""),
        ((-1, 1), 0, 2, ""),
        ((5, 10), 0, 1, ""),  # neither of them changes anything
    ],
)
def test_mean_and_std_are_in_units_of_the_range(build, metadata, taxonomy, range_, mean, std, words):
    """Whoever says them: here the caller, the model itself in `input`."""
    given = {key: value for key, value in {"range": range_, "mean": mean, "std": std}.items() if value is not None}
    bare = {**metadata, "input": {"layout": "NHWC", "colour": "RGB"}}
    told = build("told.onnx", metadata={**metadata, "input": {**bare["input"], **given}}, dtype="float32")
    for path, preprocessing in ((build(metadata=bare, dtype="float32"), given), (told, None)):
        if not words:
            assert load_model(path, taxonomy, preprocessing=preprocessing).inputs[0].range == range_
            continue
        with pytest.raises(ModelError, match=words) as raised:
            load_model(path, taxonomy, preprocessing=preprocessing)
        assert "preprocessing={'range': ...}" in one_line(raised)
