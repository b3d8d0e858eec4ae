"""The check of the preprocessing, on the demo: its flat model without the scaling inside, fed in right and wrong ways."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from hierviz.demo import bundle_folder
from hierviz.onnx.class_order import near_chance
from hierviz.onnx.input_check import check_inputs
from hierviz.onnx.model import draft_model, load_model
from hierviz.readers.pictures import Pictures
from hierviz.readers.taxonomy_file import load_taxonomy
from hierviz.readers.truth_file import load_truth

MODELS, ASSETS = bundle_folder() / "models", bundle_folder() / "assets" / "demo"
RIGHT = {"range": [-1, 1], "colour": "RGB"}


@pytest.fixture(scope="module")
def demo():
    """Taxonomy, pictures as an array, truth of the 600 examples."""
    taxonomy = load_taxonomy(ASSETS / "taxonomy.csv")
    pictures = Pictures.from_path(ASSETS / "pictures.zip")
    truth = load_truth(ASSETS / "examples.csv", taxonomy)
    assert truth.ids.tolist() == list(pictures.stems)
    return taxonomy, np.stack([pictures.array(name) for name in pictures.names]), truth.nodes


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The flat model as others are exported: float32 NCHW, -1..1 outside the graph; `softmax` has one at the end."""
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    folder = tmp_path_factory.mktemp("bare")
    for name in ("raw", "softmax"):
        model = onnx.load(MODELS / "flat_softmax.onnx")
        graph = model.graph
        inside = [node for node in graph.node if node.op_type in ("Cast", "Mul", "Sub", "Transpose")]
        assert [node.op_type for node in inside] == ["Cast", "Mul", "Sub", "Transpose"]
        (first,) = (node for node in graph.node if inside[-1].output[0] in node.input)
        first.input[0] = "image"
        for node in inside:
            graph.node.remove(node)
        del graph.input[:]
        graph.input.append(helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, 64, 64]))
        if name == "softmax":
            graph.node.append(helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1))
            graph.output[0].name = "probabilities"
        kept = [one for one in model.metadata_props if one.key != "hierviz.input"]
        del model.metadata_props[:]
        model.metadata_props.extend(kept)
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, folder / f"{name}.onnx")
    return folder


def declared(table):
    (row,) = (row for row in table if row["is_declared"])
    return row


def test_the_right_way_is_silent(demo, bare):
    taxonomy, pictures, truth = demo
    model = load_model(bare / "raw.onnx", taxonomy, preprocessing=RIGHT)
    table, warning = check_inputs(model, pictures, truth)
    assert warning is None
    assert len(table) == 8  # 2 orders of colours x 4 scalings
    assert table[0]["is_declared"]
    assert table[0]["n"] == 200
    # The same rows by the shipped model, which scales inside.
    rows = np.sort(np.random.default_rng(0).choice(600, 200, replace=False))
    shipped = load_model(MODELS / "flat_softmax.onnx", taxonomy).predict(pictures[rows])
    leaves = shipped.scored_nodes[shipped.scores.argmax(axis=1)]
    right = taxonomy.is_ancestor(truth[rows], leaves)
    assert table[0]["n_right"] == right.sum()
    again, _ = check_inputs(model, pictures, truth)
    assert again == table


@pytest.mark.parametrize(
    "wrong",
    [
        {"range": [-1, 1], "colour": "BGR"},
        {"range": [0, 255], "colour": "RGB"},
        {"range": [0, 1], "colour": "RGB"},
    ],
)
def test_a_wrong_way_is_warned_about(demo, bare, wrong):
    taxonomy, pictures, truth = demo
    model = load_model(bare / "raw.onnx", taxonomy, preprocessing=wrong)
    table, warning = check_inputs(model, pictures, truth)
    assert table[0]["preprocessing"] == {"colour": "RGB", "range": [-1.0, 1.0]}
    assert "preprocessing of the pictures is probably wrong" in warning
    assert "with RGB, -1..1" in warning
    assert "preprocessing={'colour': ...}, preprocessing={'range': ...}" in warning
    assert table[0]["top_level_wrong"] < declared(table)["top_level_wrong"] / 2


def test_exchanged_sides_are_close_to_chance(demo, bare):
    """Height and width exchanged: no check of shapes can see it, the share of right answers can."""
    taxonomy, pictures, truth = demo
    model = load_model(bare / "raw.onnx", taxonomy, preprocessing=RIGHT)
    n = taxonomy.is_leaf[truth].sum()
    for fed, is_close in ((pictures, False), (pictures.transpose(0, 2, 1, 3), True)):
        scores = model.predict(fed).scores
        right = (model.scored_nodes[scores.argmax(axis=1)] == truth).sum()
        assert (near_chance(int(right), int(n), taxonomy.n_leaves) is not None) == is_close


def test_nothing_declared_still_shows_the_table(demo, bare):
    taxonomy, pictures, truth = demo
    model = draft_model(bare / "raw.onnx", taxonomy)
    assert [(one.about, one.keywords, one.stops) for one in model.questions] == [
        ("preprocessing", ("preprocessing.range",), "pictures")
    ]
    table, warning = check_inputs(model, pictures, truth)
    assert warning is None
    assert not any(row["is_declared"] for row in table)
    assert table[0]["preprocessing"] == {"colour": "RGB", "range": [-1.0, 1.0]}
    # What the table says can be handed back.
    told = load_model(bare / "raw.onnx", taxonomy, preprocessing=table[0]["preprocessing"])
    assert check_inputs(told, pictures, truth)[0][0]["is_declared"]


def test_whole_numbers_only_have_colours(demo):
    taxonomy, _, truth = demo
    model = load_model(MODELS / "conditional_softmax.onnx", taxonomy)
    table, warning = check_inputs(model, Pictures.from_path(ASSETS / "pictures.zip"), truth)
    assert warning is None
    assert [row["variant"] for row in table] == ["RGB", "BGR"]
    assert table[0]["is_declared"]
    assert table[0]["accuracy"] > table[1]["accuracy"] + 0.05


def test_no_pictures_no_table(demo, bare):
    taxonomy, pictures, truth = demo
    model = load_model(bare / "raw.onnx", taxonomy, preprocessing=RIGHT)
    assert check_inputs(model, pictures, np.full(600, -1)) == ([], None)
    ready = pictures[:4].transpose(0, 3, 1, 2).astype(np.float32)
    assert check_inputs(model, ready, truth[:4]) == ([], None)


def test_a_second_softmax_is_warned_about(demo, bare):
    """The graph ends in a softmax, the metadata still say flat_softmax."""
    taxonomy, pictures, _ = demo
    some = pictures[:200]
    twice = load_model(bare / "softmax.onnx", taxonomy, preprocessing=RIGHT).predict(some)
    (note,) = (note for note in twice.notes if "second softmax" in note)
    assert "scores='probabilities'" in note
    once = load_model(bare / "softmax.onnx", taxonomy, preprocessing=RIGHT, scores="probabilities").predict(some)
    raw = load_model(bare / "raw.onnx", taxonomy, preprocessing=RIGHT).predict(some)
    assert not any("softmax" in note for note in (*once.notes, *raw.notes))
    np.testing.assert_allclose(once.node_probabilities(), raw.node_probabilities(), atol=1e-5)
    # The note's consequence, as measured there: top-1 stays, the rest is gone.
    assert twice.node_probabilities()[:, taxonomy.leaves].max() < 0.066
    np.testing.assert_array_equal(twice.scores.argmax(axis=1), raw.scores.argmax(axis=1))


def test_pictures_of_a_zip(demo, bare, tmp_path):
    taxonomy, _, truth = demo
    with zipfile.ZipFile(ASSETS / "pictures.zip") as archive:
        archive.extractall(tmp_path, archive.namelist()[:60])
    model = load_model(bare / "raw.onnx", taxonomy, preprocessing=RIGHT)
    names = Pictures.from_path(tmp_path).stems
    table, _ = check_inputs(model, str(Path(tmp_path)), truth[: len(names)])
    assert table[0]["n"] == 60


def test_the_fitting_of_wide_pictures_is_tried(demo, bare, tmp_path, image):
    """Wide pictures whose middle is what the model knows: stretched they are nearly as bad as chance."""
    taxonomy, pictures, truth = demo
    for k, picture in enumerate(pictures[:80]):
        wide = np.random.default_rng(k).integers(0, 256, size=(64, 160, 3), dtype=np.uint8)
        wide[:, 48:112] = picture
        image.fromarray(wide).save(tmp_path / f"p{k:03}.png")
    stretched = load_model(bare / "raw.onnx", taxonomy, preprocessing=RIGHT)
    table, warning = check_inputs(stretched, str(tmp_path), truth[:80])
    # Slightly enlarged or not is much the same.
    assert [row["preprocessing"].get("resize") for row in table[:2]] in ([64, 73], [73, 64])
    assert declared(table)["variant"].endswith("stretched")
    assert declared(table)["accuracy"] < table[1]["accuracy"] / 2
    assert f"with {table[0]['variant']}" in warning
    assert "preprocessing={'resize': ...}, preprocessing={'crop': ...} and preprocessing={'pad': ...}" in warning
    assert {row["variant"].partition("1..1, ")[2] for row in table if row["variant"].startswith("RGB, -1..1, ")} == {
        "stretched",
        "shorter side 64, then a centre crop",
        "shorter side 73, then a centre crop",
        "whole, padded with borders",
    }
    (middle,) = (row for row in table if row["preprocessing"].get("resize") == 64)
    told = load_model(bare / "raw.onnx", taxonomy, preprocessing=middle["preprocessing"])
    again, warning = check_inputs(told, str(tmp_path), truth[:80])
    assert warning is None
    assert declared(again)["n_right"] == middle["n_right"]
