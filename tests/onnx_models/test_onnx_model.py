"""The ONNX loader: who names the columns, what goes in, what comes out, and what is refused in one line."""

import json
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from hierviz.errors import HiervizError, ModelError, PredictionsError
from hierviz.readers.onnx_model import load_model
from hierviz.taxonomy import Taxonomy

LEAVES = ["newt", "cat", "duck", "dog"]


def one_line(raised):
    text = str(raised.value)
    assert "\n" not in text
    assert "expected" in text
    return text


def test_metadata_names_columns_and_numbers_agree(build, metadata, taxonomy, pictures, expected):
    model = load_model(build(metadata=metadata), taxonomy)
    seen = []
    preds = model.predict(pictures, batch_size=3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(3, 7), (6, 7), (7, 7)]
    assert preds.name == "Tiny"
    assert preds.scores.dtype == np.float32
    assert [taxonomy.names[node] for node in preds.scored_nodes] == LEAVES
    np.testing.assert_allclose(preds.scores, expected(pictures), rtol=1e-5, atol=1e-5)
    e = np.exp(expected(pictures))
    p = preds.node_probabilities()
    np.testing.assert_allclose(p[:, taxonomy.node("cat")], e[:, 1] / e.sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(p[:, taxonomy.node("mammal")], (e[:, 1] + e[:, 3]) / e.sum(axis=1), rtol=1e-5)
    assert preds.notes == ()
    assert preds.sample_ids is None


def test_rows_do_not_depend_on_neighbours(build, metadata, taxonomy, pictures):
    model = load_model(build(metadata=metadata), taxonomy)
    alone = np.concatenate([model.predict(pictures[i : i + 1]).scores for i in range(7)])
    np.testing.assert_array_equal(alone, model.predict(pictures).scores)


def test_account_is_plain_json(build, metadata, taxonomy):
    account = json.loads(json.dumps(load_model(build(metadata=metadata), taxonomy).account))
    assert account["title"] == "Tiny"
    assert account["inputs"] == [{"name": "image", "dtype": "uint8", "shape": [None, 5, 6, 3]}]
    assert account["outputs"] == [{"name": "logits", "type": "tensor(float)", "shape": [None, 4]}]
    assert account["parametrisation_from"] == "the model's metadata"
    assert account["taxonomy"] == "the one the model was trained with"
    assert account["pictures"] == "accepted"
    assert len(account["sha256"]) == 64


def test_json_beside(build, metadata, taxonomy, pictures, expected):
    model = load_model(build(beside=metadata), taxonomy, name="mine")
    assert model.account["classes"] == "4 names from m.hierviz.json"
    preds = model.predict(pictures)
    assert preds.name == "mine"
    np.testing.assert_allclose(preds.scores, expected(pictures), rtol=1e-5, atol=1e-5)


def test_metadata_win_and_contradictions_become_notes(build, metadata, taxonomy, pictures):
    other = {**metadata, "nodes": sorted(LEAVES), "title": "Other", "input": {"colour": "BGR", "mean": [1, 2, 3]}}
    model = load_model(build(metadata=metadata, beside=other), taxonomy)
    assert [taxonomy.names[node] for node in model.scored_nodes] == LEAVES
    assert model.name == "Tiny"
    text = "; ".join(model.predict(pictures[:1]).notes)
    for words in ("says nodes", "says title", 'colour "BGR"', "metadata were used", "without range, mean and std"):
        assert words in text


@pytest.mark.parametrize("form", ["list", "txt", "csv", "csv without header"])
def test_classes_win(build, metadata, taxonomy, tmp_path, form):
    mine = ["cat", "newt", "dog", "duck"]
    classes = mine
    if form == "txt":
        classes = tmp_path / "classes.txt"
        classes.write_text("\n".join(mine) + "\n\n")
    elif form == "csv":
        classes = tmp_path / "classes.csv"
        classes.write_text("index,label text,node\n" + "".join(f'{i},"a, {n}",{n}\n' for i, n in enumerate(mine)))
    elif form == "csv without header":
        classes = str(tmp_path / "classes.csv")
        (tmp_path / "classes.csv").write_text("\n".join(mine))
    model = load_model(build(metadata=metadata), taxonomy, classes=classes)
    assert [taxonomy.names[node] for node in model.scored_nodes] == mine
    assert any("names other nodes than the model's metadata in 4 columns" in note for note in model.notes)


def test_no_names_asks_for_classes(build, taxonomy):
    with pytest.raises(ModelError, match="--classes") as raised:
        load_model(build(), taxonomy)
    assert "'logits' tensor(float) [any, 4]" in one_line(raised)


def test_unknown_name_offers_the_near_miss(build, metadata, taxonomy):
    names = ["newt", "cat", "duk", "dog"]
    for given in ({"metadata": {**metadata, "nodes": names}}, {"beside": {**metadata, "nodes": names}}):
        with pytest.raises(ModelError, match="Did you mean 'duck'") as raised:
            load_model(build(**given), taxonomy)
        assert "--classes" in one_line(raised)
    with pytest.raises(ModelError, match=r"Did you mean 'duck'.*--classes") as raised:
        load_model(build(), taxonomy, classes=names, parametrisation="flat_softmax")
    one_line(raised)


def test_repeated_and_missing_names(build, metadata, taxonomy):
    path = build()
    twice = ["newt", "cat", "cat", "dog"]
    with pytest.raises(ModelError, match="'cat' again"):
        load_model(path, taxonomy, classes=twice, parametrisation="flat_softmax")
    with pytest.raises(ModelError, match=r"expected a column for 'duck' with flat_softmax.*--classes"):
        load_model(path, taxonomy, classes=["newt", "cat", "bird", "dog"], parametrisation="flat_softmax")
    with pytest.raises(ModelError, match="'cat' several times"):
        load_model(build(metadata={**metadata, "nodes": twice}), taxonomy)


def test_wrong_width_lists_outputs(build, metadata, taxonomy):
    with pytest.raises(
        ModelError, match=r"with 4 scores a row.*got none among 'logits' tensor\(float\) \[any, 5\]"
    ) as raised:
        load_model(build(metadata=metadata, width=5), taxonomy)
    one_line(raised)


def test_missing_parametrisation_lists_what_fits(build, taxonomy):
    path = build()
    with pytest.raises(
        ModelError, match=r"--parametrisation; 4 columns .* fit flat_softmax, leaf_probabilities\."
    ) as raised:
        load_model(path, taxonomy, classes=LEAVES)
    one_line(raised)
    with pytest.raises(ModelError, match="Did you mean 'flat_softmax'"):
        load_model(path, taxonomy, classes=LEAVES, parametrisation="flat-softmax")


def test_parametrisation_argument_wins(build, metadata, taxonomy, pictures):
    model = load_model(build(metadata=metadata, softmax=True), taxonomy, parametrisation="leaf_probabilities")
    preds = model.predict(pictures)
    assert preds.parametrisation == "leaf_probabilities"
    assert "leaf_probabilities was asked for" in preds.notes[0]
    np.testing.assert_allclose(preds.node_probabilities()[:, 0], 1, atol=1e-5)


def test_logits_called_probabilities_are_refused(build, metadata, taxonomy, pictures):
    model = load_model(build(metadata=metadata), taxonomy, parametrisation="leaf_probabilities")
    with pytest.raises(PredictionsError, match="probability from 0 to 1"):
        model.predict(pictures)


def test_other_taxonomy_is_a_note(build, metadata, taxonomy):
    bigger = Taxonomy.from_edges([*taxonomy_edges(taxonomy), ("newt", "red newt")])
    model = load_model(build(metadata=metadata), taxonomy)
    assert model.notes == ()
    metadata = {**metadata, "nodes": ["red newt", "cat", "duck", "dog"]}
    model = load_model(build(metadata=metadata), bigger)
    assert "another taxonomy" in model.notes[0]
    assert model.account["taxonomy"].startswith("another one")


def taxonomy_edges(taxonomy):
    return [(taxonomy.names[a], taxonomy.names[b]) for a, b in taxonomy.edges]


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
    assert "how to scale" in model.account["pictures"]
    for inputs in (pictures, folder):
        with pytest.raises(ModelError, match="range") as raised:
            model.predict(inputs)
        one_line(raised)
    assert model.predict(pictures.astype(np.float32)).n_samples == 7


def test_declared_layout_and_size_yield_to_the_shape(build, metadata, taxonomy):
    given = {"layout": "NCHW", "dtype": "float32", "colour": "RGB", "size": [32, 32]}
    model = load_model(build(metadata={**metadata, "input": given}), taxonomy)
    assert (model.inputs[0].layout, model.inputs[0].size) == ("NHWC", (5, 6))
    assert len(model.notes) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"nodes": "[1, "}, "expected JSON"),
        ({"nodes": {"a": 1}}, "expected a list of node names"),
        ({"input": {"range": [1, 0]}}, "low below high"),
        ({"input": {"range": [0, "x"]}}, "low below high"),
        ({"input": {"size": 64}}, "height, width"),
        ({"input": {"std": [1, 0, 1]}}, "above 0"),
        ({"input": {"layout": "HWCN"}}, "NHWC or NCHW"),
        ({"input": [1]}, "an object with"),
    ],
)
def test_broken_metadata(build, metadata, taxonomy, given, words):
    with pytest.raises(ModelError, match=words) as raised:
        load_model(build(metadata={**metadata, **given}), taxonomy)
    one_line(raised)


@pytest.mark.parametrize(("text", "words"), [("{", "expected JSON"), ("[]", "expected a JSON object")])
def test_broken_json_beside(build, taxonomy, text, words):
    with pytest.raises(ModelError, match=f"m.hierviz.json: {words}") as raised:
        load_model(build(beside=text), taxonomy)
    one_line(raised)


def test_nan_rows_are_named(build, metadata, taxonomy, pictures, folder):
    model = load_model(build(metadata=metadata, bad_above=100.0), taxonomy)
    bright = pictures // 4
    assert model.predict(bright).n_samples == 7
    bright[[2, 5]] = 255
    with pytest.raises(ModelError, match=r"NaN or infinity in 2 of 7 rows \('2', '5'\)") as raised:
        model.predict(bright)
    one_line(raised)
    with pytest.raises(ModelError, match=r"\('c', 'f'\)"):
        model.predict(bright, sample_ids=list("abcdefg"))


def test_output_choice(build, metadata, taxonomy, pictures, expected):
    two = (("label", None), ("embedding", [0, 1]), ("linear", None))
    model = load_model(build(metadata=metadata, outputs=two), taxonomy)
    assert model.output == "linear"
    np.testing.assert_allclose(model.predict(pictures).scores, expected(pictures), rtol=1e-5, atol=1e-5)
    model = load_model(build(metadata=metadata, outputs=(("probabilities", None), ("logits", None))), taxonomy)
    assert model.output == "logits"
    assert "all fit" in model.notes[0]
    with pytest.raises(ModelError, match=r"got several among 'first' .*, 'second' ") as raised:
        load_model(build(metadata=metadata, outputs=(("first", None), ("second", None))), taxonomy)
    one_line(raised)


def test_truth_as_names_or_numbers(build, metadata, taxonomy, pictures):
    model = load_model(build(metadata=metadata), taxonomy)
    preds = model.predict(pictures, truth=["cat", "", None, "mammal", "newt", "dog", "duck"])
    assert preds.truth.tolist() == [2, -1, -1, 1, 6, 3, 5]
    assert model.predict(pictures, truth=preds.truth).truth.tolist() == preds.truth.tolist()
    with pytest.raises(PredictionsError, match="Did you mean 'duck'"):
        model.predict(pictures, truth=["duk"] * 7)
    with pytest.raises(PredictionsError, match="expected 7 values"):
        model.predict(pictures, truth=["cat"])


def test_zip_map_output(build, metadata, taxonomy, tmp_path, weights):
    """skl2onnx's default: a dict a row, keys in their own order."""
    from onnx import TensorProto, helper, numpy_helper

    build()
    keys = sorted(LEAVES)
    graph = helper.make_graph(
        [
            helper.make_node("Gemm", ["x", "w", "b"], ["s"]),
            helper.make_node("ZipMap", ["s"], ["output_probability"], domain="ai.onnx.ml", classlabels_strings=keys),
        ],
        "zipmap",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 3])],
        [
            helper.make_value_info(
                "output_probability",
                helper.make_sequence_type_proto(
                    helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
                ),
            )
        ],
        [numpy_helper.from_array(weights[0][:, :4].copy(), "w"), numpy_helper.from_array(weights[1][:4].copy(), "b")],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 1)]
    path = tmp_path / "zip.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())
    x = np.random.default_rng(2).normal(size=(5, 3))
    preds = load_model(path, taxonomy, classes=LEAVES, parametrisation="flat_softmax").predict({"x": x})
    by_key = dict(zip(keys, (x @ weights[0][:, :4] + weights[1][:4]).T, strict=True))
    np.testing.assert_allclose(preds.scores, np.stack([by_key[name] for name in LEAVES], axis=1), rtol=1e-4, atol=1e-5)


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
        (folder, "not possible yet"),
    ):
        with pytest.raises(ModelError, match=words) as raised:
            model.predict(inputs)
        one_line(raised)


def kinds(tmp_path):
    """Files that are no ONNX models, and the words that name them."""

    def zipped(*names):
        path = tmp_path / "made.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, b"x")
        return path.read_bytes()

    return {
        "an empty file": b"",
        "a web page": b"\n<!DOCTYPE html><html><body>Sign in</body></html>",
        "a git-lfs pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n",
        "a PyTorch file": zipped("archive/data.pkl", "archive/data/0"),
        r"a zip with 'm/model.onnx' inside": zipped("m/model.onnx"),
        "a Keras model": zipped("metadata.json", "config.json", "model.weights.h5"),
        "a numpy .npz": zipped("a.npy"),
        "a damaged zip": b"PK\x03\x04" + bytes(40),
        "a Python pickle": pickle.dumps({"a": 1}),
        "an HDF5 file": b"\x89HDF\r\n\x1a\n" + bytes(20),
        "a gzip file": b"\x1f\x8b\x08" + bytes(20),
        "a PNG picture": b"\x89PNG\r\n\x1a\n" + bytes(20),
        "a TensorFlow Lite": b"\x1c\x00\x00\x00TFL3" + bytes(20),
        "a safetensors": (100).to_bytes(8, "little") + b'{"a": {}}',
        "a JSON file": b'{"nodes": []}',
        "a text file": b"cat\ndog\n",
        "damaged, cut short": bytes(range(256)) * 5,
    }


def test_files_that_are_no_models(tmp_path, taxonomy, build):
    build()
    for words, content in kinds(tmp_path).items():
        path = tmp_path / "some.onnx"
        path.write_bytes(content)
        with pytest.raises(ModelError, match=words) as raised:
            load_model(path, taxonomy)
        assert one_line(raised).startswith("some.onnx: ")
    with pytest.raises(ModelError, match="nothing there"):
        load_model(tmp_path / "none.onnx", taxonomy)
    with pytest.raises(ModelError, match="a folder"):
        load_model(tmp_path, taxonomy)


def test_models_onnxruntime_refuses(build, metadata, taxonomy, tmp_path, capfd):
    whole = build(metadata=metadata).read_bytes()
    cut = tmp_path / "cut.onnx"
    cut.write_bytes(whole[: len(whole) // 2])
    for path, words in (
        (cut, "damaged, cut short"),
        (build("new.onnx", metadata, ir=99), r"expected IR version \d+ or lower, got 99"),
        (build("opset.onnx", metadata, opset=99), "opset"),
    ):
        with pytest.raises(ModelError, match=words) as raised:
            load_model(path, taxonomy)
        assert one_line(raised).startswith(path.name)
    assert capfd.readouterr().out == ""


def test_weights_in_a_file_beside(build, metadata, taxonomy, tmp_path, pictures, expected):
    whole = build(metadata=metadata)
    import onnx

    def split(location):
        model = onnx.load(whole)
        tensor = next(one for one in model.graph.initializer if one.name == "w")
        (tmp_path / "w.onnx.data").write_bytes(tensor.raw_data)
        tensor.ClearField("raw_data")
        tensor.data_location = 1
        entry = tensor.external_data.add()
        entry.key, entry.value = "location", location
        (tmp_path / "w.onnx").write_bytes(model.SerializeToString())
        return tmp_path / "w.onnx"

    model = load_model(split("w.onnx.data"), taxonomy)
    np.testing.assert_allclose(model.predict(pictures).scores, expected(pictures), rtol=1e-5, atol=1e-5)
    assert [one["file"] for one in model.account["companions"]] == ["w.onnx.data"]
    for location, words in (
        ("none.data", "expected the file of its weights beside"),
        ("../../etc/passwd", "leads elsewhere"),
    ):
        with pytest.raises(ModelError, match=words) as raised:
            load_model(split(location), taxonomy)
        one_line(raised)


def test_damaged_models_never_raise_anything_else(build, metadata, taxonomy, tmp_path, pictures):
    whole = bytearray(build(metadata=metadata).read_bytes())
    rng = np.random.default_rng(3)
    path = tmp_path / "damaged.onnx"
    for _ in range(60):
        changed = bytearray(whole)
        for place in rng.integers(0, len(whole), 4):
            changed[place] = rng.integers(0, 256)
        path.write_bytes(bytes(changed))
        try:
            load_model(path, taxonomy).predict(pictures[:2])
        except HiervizError as error:
            assert "\n" not in str(error)  # noqa: PT017


def test_old_or_missing_onnxruntime(build, metadata, taxonomy, monkeypatch):
    import onnxruntime

    path = build(metadata=metadata)
    monkeypatch.setattr(onnxruntime, "__version__", "1.23.2")
    with pytest.raises(ModelError, match=r"expected 1\.24\.1 or newer"):
        load_model(path, taxonomy)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelError, match=r"pip install 'hierviz\[onnx\]'"):
        load_model(path, taxonomy)


def test_import_loads_no_heavy_library():
    code = (
        "import sys, hierviz.readers.onnx_model, hierviz.readers.pictures, hierviz.readers.model_inputs; "
        "print([m for m in ('onnxruntime', 'onnx', 'PIL', 'pandas', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
