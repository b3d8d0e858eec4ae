"""The ONNX loader: who names the columns, which output holds the scores, and what comes out."""

import json

import numpy as np
import pytest

from hierviz.errors import ModelError, PredictionsError
from hierviz.onnx.model import load_model

from .one_line import one_line

LEAVES = ["newt", "cat", "duck", "dog"]


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
    with pytest.raises(ModelError, match=r"class names in the model's metadata, entry 3: .*'cat' again"):
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
    with pytest.raises(PredictionsError, match="attach_truth"):
        model.predict(pictures, truth="truth.csv")


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
