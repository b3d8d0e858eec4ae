"""The Model page without a browser: samples of the demo, rows, texts, what is asked, and where a run goes."""

import io
import json
import re
import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest

from hierviz.app.model_page import checks as model_checks
from hierviz.app.state import dataset, opened
from hierviz.app.state.dataset import ModelSource
from hierviz.app.state.escape import in_form_words, sentence
from hierviz.app.state.uploads import Uploads
from hierviz.app.widgets.model_samples import (
    Samples,
    answer,
    kind_of,
    perturbed,
    picture_feed,
    row_feed,
    samples_of_data,
    samples_of_file,
)
from hierviz.messages.errors import ModelError
from hierviz.messages.parameters import Sentence
from hierviz.onnx.inputs.model_inputs import load_inputs
from hierviz.onnx.model import load_model
from hierviz.onnx.perturbation import PERTURBATIONS
from hierviz.onnx.process.isolation import Limits
from hierviz.opening.options import LABELS
from hierviz.readers.classes_file import class_entries
from hierviz.readers.taxonomy_file import load_taxonomy
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy
from tests.app.visit import ROOT, Visit, shelve

pytest.importorskip("onnxruntime")
FILES = ROOT / "tests" / "onnx_models" / "files"


@pytest.fixture(scope="module")
def taxonomy():
    return load_taxonomy(FILES / "taxonomy.csv")


def test_the_page_answers_as_the_run_of_all_samples_did(demo):
    page = Visit("model", sample="v0007", model="log-win-flat-start")
    evaluation = demo.models["log-win-flat-start"]
    row = evaluation.predictions.row_of["v0007"]
    answered = demo.taxonomy.title(int(evaluation.answers("threshold", 0.5)[row]))
    truth = demo.taxonomy.title(int(evaluation.predictions.truth[row]))
    assert (page.answer, page.truth) == (answered, truth)
    # Its address is a link to what is seen.
    assert page.query == {"sample": "v0007", "model": "log-win-flat-start"}
    # Another drawing says so in words.
    page = Visit("model", sample="v0007", model="log-win-flat-start", tree="icicle")
    assert page.charts()
    assert f"Answer: **{answered}** · Truth: **{truth}**" in page.text


def test_one_sample_has_the_probabilities_that_it_has_among_all(demo):
    key = "soft-max-margin"
    source, predictions = demo.sources[key], demo.models[key].predictions
    model = source.draft(demo.taxonomy)
    assert kind_of(model) == "picture"
    found = samples_of_data(demo, model, source)
    assert found.ids.tolist() == predictions.ids.tolist()
    for row in (0, 299, 599):
        picture = found.inputs.pictures.array(found.inputs.pictures.names[row])
        alone = answer(model, picture_feed(model, picture), found.truth_of(row))
        np.testing.assert_allclose(alone.node_probabilities()[0], predictions.node_probabilities([row])[0], atol=1e-6)
        assert alone.truth.tolist() == [predictions.truth[row]]


def test_two_tables_about_the_same_answers_say_the_same(demo):
    # The first samples of a file need not be like all: each table once had samples of its own, and another accuracy.
    source = demo.sources["flat-softmax"]
    model = source.draft(demo.taxonomy)
    checks = model_checks.check(model, samples_of_data(demo, model, source))
    (order,) = [row for row in checks.orders if row["is_chosen"]]
    (way,) = [row for row in checks.ways if row["is_declared"]]
    assert (order["n_right"], order["n"]) == (way["n_right"], way["n"])


def test_sliders_change_the_picture_in_their_order(demo):
    found = samples_of_data(demo, demo.sources["flat-softmax"].draft(demo.taxonomy), demo.sources["flat-softmax"])
    picture = found.inputs.pictures.array(found.inputs.pictures.names[3])
    assert perturbed(picture, dict.fromkeys(PERTURBATIONS, 0.0)) is picture
    strengths = {"darker": 0.5, "smaller": 0.25, "blurred": 0.0, "moved": 0.75}
    expected = picture
    for name, strength in strengths.items():
        expected = PERTURBATIONS[name][0](expected, strength)
    np.testing.assert_array_equal(perturbed(picture, strengths), expected)


def test_a_slider_is_followed_by_another_answer():
    page = Visit("model", sample="v0001")
    assert [one["name"] for one in page.ladder["models"]] == ["Answer"]
    next(one for one in page.at.slider if one.label == "Darken").set_value(1.0)
    page.run()
    assert [one["name"] for one in page.ladder["models"]] == ["Changed", "Original"]
    tables = [one.value for one in page.at.dataframe]
    assert list(tables[-1].columns) == ["rule", "changed", "original"]
    page.press("Reset")
    assert [one["name"] for one in page.ladder["models"]] == ["Answer"]


@pytest.mark.parametrize(
    ("case", "kind"),
    [
        ("sklearn_zipmap_mixed", "row"),
        ("sklearn_text", "text"),
        ("torch_nchw_arrays", "picture"),
        ("torch_tokens", "row"),
    ],
)
def test_rows_texts_and_arrays_one_by_one(taxonomy, case, kind):
    entry = next(one for one in json.loads((FILES / "manifest.json").read_text())["cases"] if one["name"] == case)
    model = load_model(FILES / case / "model.onnx", taxonomy)
    assert kind_of(model) == kind
    path = FILES / case / entry["inputs"]
    found, whole = samples_of_file(path, model), model.predict(load_inputs(path, model))
    for row in (0, len(found) - 1):
        alone = answer(model, row_feed(model, found, row))
        np.testing.assert_allclose(alone.node_probabilities()[0], whole.node_probabilities([row])[0], atol=1e-6)


def own(page, path, taxonomy):
    """Name a model and a taxonomy of one's own by their paths."""
    page.control("Which model?").set_value("own")
    page.run()
    page.control("Taxonomy of the model").set_value("other")
    page.run()
    page.control("Taxonomy: or a path on this machine").set_value(str(taxonomy))
    page.control("ONNX model: or a path on this machine").set_value(str(path))
    return page.run()


@pytest.mark.long
def test_scores_that_may_be_two_things_are_asked_for(tmp_path):
    case = FILES / "torch_logits_nodes"
    for one in case.iterdir():
        shutil.copy(one, tmp_path)
    shutil.copy(tmp_path / "classes.txt", tmp_path / "model.labels.txt")
    page = own(Visit("model"), tmp_path / "model.onnx", FILES / "taxonomy.csv")
    assert "takes rows of a table" in page.text
    asked = [one.label for one in page.at.radio if "save" not in one.label]
    assert asked == []
    page.control("Row").set_value("type")
    page.run()
    # The numbers tell only when it runs.
    assert "What the scores are" in page.text
    (question,) = (one for one in page.at.radio if "save" not in one.label)
    assert "Conditional softmax" in question.options
    question.set_value("parametrisation:conditional_softmax")
    page.run()
    assert page.answer
    page.control("Section").set_value("about")
    page.run()
    assert "Your answers about the model" in [one.label for one in page.at.expander]


def saved(path, nodes, shape, tensors=None, outputs=4):
    """A model of one float input; onnx is there for the tests only."""
    onnx = pytest.importorskip("onnx")
    helper, real = onnx.helper, onnx.TensorProto.FLOAT
    tensors = [onnx.numpy_helper.from_array(np.asarray(one), name) for name, one in (tensors or {}).items()]
    graph = helper.make_graph(
        [helper.make_node(*one[:3], **(one[3] if len(one) > 3 else {})) for one in nodes],
        "g",
        [helper.make_tensor_value_info("x", real, shape)],
        [helper.make_tensor_value_info("y", real, ["n", outputs])],
        tensors,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.fixture
def brightness(tmp_path):
    """(model, taxonomy, folder of pictures): of a bright picture the score of `day` is high; one picture is damaged."""
    from PIL import Image

    nodes = [("ReduceMean", ["x"], ["m"], {"axes": [2, 3], "keepdims": 0}), ("Gemm", ["m", "w", "b"], ["y"])]
    weights = {"w": np.float32([[3, -3]] * 3), "b": np.float32([-4.5, 4.5])}
    model = saved(tmp_path / "sky.onnx", nodes, ["n", 3, 8, 8], weights, outputs=2)
    (tmp_path / "sky.csv").write_text("parent,child\nsky,day\nsky,night\n")
    (tmp_path / "classes.csv").write_text("index,class\n1,night\n0,day\n")
    (tmp_path / "truth.csv").write_text("sample_id,truth\np0,night\np1,day\np2,day\np3,day\n")
    folder = tmp_path / "pictures"
    folder.mkdir()
    for k, value in enumerate((10, 250, 240, 230)):
        Image.fromarray(np.full((9, 9, 3), value, np.uint8)).save(folder / f"p{k}.png")
    (folder / "p2.png").write_bytes(b"damaged")
    return model, tmp_path / "sky.csv", folder


@pytest.fixture
def started(monkeypatch):
    """started(...) -> the app as `hierviz app` starts it with these flags."""
    from hierviz import cli

    def start(*flags):
        class Server:
            @staticmethod
            def run(config):
                assert config["server.address"] == "127.0.0.1"

        monkeypatch.setattr("runpy.run_path", lambda path: {"app": Server})
        monkeypatch.setattr("sys.argv", sys.argv)  # to be put back after the test
        assert cli.main(["app", *map(str, flags)]) in (0, None)
        opened._opening.clear()
        return Visit()

    yield start
    opened._opening.clear()


@pytest.mark.long
def test_a_question_at_the_start_opens_the_model_page(started, brightness):
    """The README's own line, for a model that does not say how its pictures are scaled: everything else is chosen."""
    model, taxonomy, folder = brightness
    flags = ["--model", model, "--taxonomy", taxonomy, "--inputs", folder, "--truth", folder.parent / "truth.csv"]
    page = started(*flags, "--classes", folder.parent / "classes.csv", "--batch", "2")
    assert [one.value for one in page.at.title] == ["Model"]
    assert not page.at.error
    assert page.control("Which model?").value == "start"
    page.go("model")  # AppTest does not stay where the app leads it
    assert page.control("Which model?").value == "start"
    assert "sky.onnx with taxonomy sky.csv, class names classes.csv, inputs pictures, truth truth.csv" in page.text
    assert "takes pictures (8 × 8 pixels) · 2 of 2 columns are classes of the taxonomy" in page.text
    # Numbers that do not belong together are refused beside the fields.
    scales(page).set_value("other")
    page.run()
    for label, number in {"0 becomes": 0.0, "255 becomes": 1.0, "Subtract mean": "127"}.items():
        page.control(label).set_value(number)
        page.run()
    page.press("Use these numbers")
    assert [one.value for one in page.at.warning] == [
        "Expected a mean inside the range 0 to 1 (mean and std are in units of the range), got 127."
    ]
    scales(page).set_value("0,1")
    page.run()
    # The inputs and their truth are there.
    assert (page.answer, page.truth) == ("night", "night")
    page.control("Section").set_value("run")
    page.run()
    assert "The 4 inputs chosen with the model" in str(page.control("Run on").options)
    page.press("Run")
    assert "Ran on 3 samples, truth known." in page.text
    assert "1 of 4 pictures could not be read and was left out: 'p2.png'" in page.text
    # With the toggle it stops, and names the picture.
    page.at.toggle[0].set_value(True)
    page.run()
    page.press("Run")
    assert "p2.png: expected a picture" in page.text
    page.at.toggle[0].set_value(False)
    page.run()
    page.press("Run")
    page.press("Add to the open data")
    assert "is now a model of the open data" in page.text
    # Another page says what it shows until then.
    assert "needs more information" in Visit("curves").run().text


def test_class_names_in_the_form_obey_an_index(brightness):
    """Typed, or out of a file: `night` is the second column."""
    model, taxonomy, folder = brightness
    page = own(Visit("model"), model, taxonomy)
    area = next(one for one in page.at.text_area if one.label.startswith("One name per line"))
    area.set_value("night,2\nday,1")
    page.run()
    assert "column 2 says which column of scores each class name belongs to, counted from 1" in page.text
    page.control("Section").set_value("about")
    page.run()
    table = next(one.value for one in page.at.dataframe if "class" in one.value)
    assert dict(zip(table["column"], table["class"], strict=True)) == {0: "day", 1: "night"}
    next(one for one in page.at.text_area).set_value("night,2\nday,2")
    page.run()
    assert "each once, got 2 again" in page.text
    notes = []
    columns = class_entries(folder.parent / "classes.csv", load_taxonomy(taxonomy), notes)[1]
    assert [name for _, name in columns] == ["day", "night"]
    assert "column 'index'" in notes[0]


def test_the_start_takes_all_flags_of_predict(started, brightness):
    model, taxonomy, folder = brightness
    flags = ["--model", model, "--taxonomy", taxonomy, "--inputs", folder, "--classes", folder.parent / "classes.csv"]
    page = started(
        *flags, "--range", "-1,1", "--mean", "-0.5", "--std", "0.5", "--scores", "logits", "--memory-mb", "1900"
    )
    assert [one.value for one in page.at.title] != ["Model"]
    (found,) = opened.startup().models.values()
    assert found.predictions.n_samples == 3
    assert "minus mean [-0.5], divided by std [0.5]" in found.predictions.detected["preprocessing"]
    (source,) = opened.startup().sources.values()
    assert source.given["limits"].memory_mb == 1900
    assert len(source.inputs) == 3


def test_app_and_predict_share_their_flags():
    import argparse

    from hierviz.cli import parser

    commands = next(one for one in parser()._actions if isinstance(one, argparse._SubParsersAction)).choices
    flags = {name: {flag for one in commands[name]._actions for flag in one.option_strings} for name in commands}
    assert flags["predict"] - flags["app"] == {"--out", "--inspect", "--json"}


@pytest.mark.long
def test_a_batch_that_does_not_fit_is_no_dead_end(tmp_path):
    """A row takes 30 MB, 64 of them more than the memory: a sample, the checks and a whole run go through all the same."""
    times = {"times": np.int64([1, 2_500_000]), "w": np.zeros((3, 2), np.float32)}
    nodes = [("Shape", ["x"], ["s"]), ("Mul", ["s", "times"], ["big"]), ("ConstantOfShape", ["big"], ["o"])]
    nodes += [
        ("ReduceSum", ["o"], ["nought"], {"keepdims": 0}),
        ("MatMul", ["x", "w"], ["h"]),
        ("Add", ["h", "nought"], ["y"]),
    ]
    model = saved(tmp_path / "m.onnx", nodes, ["n", 3], times, outputs=2)
    (tmp_path / "sky.csv").write_text("parent,child\nsky,day\nsky,night\n")
    np.save(tmp_path / "x.npy", np.zeros((5, 3), np.float32))
    taxonomy = load_taxonomy(tmp_path / "sky.csv")
    loaded = load_model(model, taxonomy, classes=["day", "night"], scores="logits", limits=Limits(memory_mb=900))
    found = samples_of_file(tmp_path / "x.npy", loaded)
    assert not any(" ran " in note for note in answer(loaded, row_feed(loaded, found, 0)).notes)
    checks = model_checks.check(loaded, replace(found, truth=np.full(5, 1)))
    assert checks.orders[0]["n"] == 5
    assert loaded.predict(found.inputs).notes[0].startswith("m.onnx ran ")


def test_rows_that_are_declared_endless_are_not_drawn(tmp_path):
    (tmp_path / "sky.csv").write_text("parent,child\nsky,day\nsky,night\n")
    nodes = [("Slice", ["x", "from", "to", "axes"], ["y"])]
    tensors = {"from": np.int64([0]), "to": np.int64([2]), "axes": np.int64([1])}
    saved(tmp_path / "m.onnx", nodes, ["n", 2_000_000_000], tensors, outputs=2)
    (tmp_path / "m.labels.txt").write_text("day\nnight\n")
    page = own(Visit("model"), tmp_path / "m.onnx", tmp_path / "sky.csv")
    page.control("Row").set_value("type")
    page.run()
    assert "rows of this model are too long to type" in page.text


def test_missing_model_and_taxonomy_are_one_line_each(tmp_path):
    page = own(Visit("model"), tmp_path / "nowhere.onnx", tmp_path / "nowhere.csv")
    said = [one.value for one in page.at.error]
    assert len(said) == 1
    assert "nowhere" in said[0]
    page.control("Taxonomy: or a path on this machine").set_value(str(FILES / "taxonomy.csv"))
    page.run()
    said = [one.value for one in page.at.error]
    assert len(said) == 1
    assert "nowhere.onnx" in re.sub(r"\\", "", said[0])


def test_a_run_joins_the_data_with_the_same_samples(demo):
    source = ModelSource(demo.sources["flat-softmax"].path, {"preprocessing": {"colour": "BGR"}})
    model = source.draft(demo.taxonomy)
    found = samples_of_data(demo, model, source)
    predictions = model.predict(found.inputs, truth=found.truth, sample_ids=found.ids)
    joined, key = dataset.with_model(demo, predictions, source)
    assert key == "flat-softmax-2"
    assert list(joined.models) == [*demo.models, key]
    assert joined.key != demo.key
    assert joined.models["flat-softmax"] is demo.models["flat-softmax"]
    assert joined.models[key].n_judged == demo.first.n_judged
    assert joined.sources[key] is source
    # Other samples make a data set of their own.
    few = model.predict(load_inputs(found.inputs.pictures.path, model), sample_ids=[f"other{k}" for k in range(600)])
    alone, key = dataset.with_model(demo, few, source)
    assert list(alone.models) == [key]


def test_a_model_whose_taxonomy_has_another_order_stays_apart(demo):
    """The same edges the other way round: node numbers of the open data would be other classes there."""
    names = demo.taxonomy.names
    turned = Taxonomy.from_edges([(names[parent], names[child]) for parent, child in demo.taxonomy.edges[::-1]])
    assert turned.sha256 == demo.taxonomy.sha256
    assert not turned.has_nodes_of(demo.taxonomy)
    source = ModelSource(demo.sources["flat-softmax"].path)
    model = source.draft(turned)
    found = samples_of_data(demo, model, source)
    assert (found.truth, found.is_meant) == (None, False)
    predictions = model.predict(found.inputs, sample_ids=found.ids)
    alone, key = dataset.with_model(demo, predictions, source)
    assert list(alone.models) == [key]
    assert alone.taxonomy is turned


def test_errors_name_fields_of_the_form():
    asked = ModelError("m.onnx: got none. Pass {preprocessing.range} or {preprocessing.mean}.")
    assert in_form_words(asked) == "m.onnx: got none. Pass 'Range of the pixel values' or 'Subtract mean'."
    note = Sentence("pass {scores=log_probabilities | siblings}, or raise {limits.memory_mb}")
    said = "pass 'What the scores are': Log probabilities | Siblings, or raise --memory-mb (when the app is started)"
    assert in_form_words(note) == said
    assert sentence(note) == f"P{said[1:]}"


def test_uploads_lie_beside_each_other_and_go_when_nobody_holds_them(tmp_path):
    class File(io.BytesIO):
        def __init__(self, name):
            super().__init__(name.encode())
            self.name = name

    held = Uploads([File("m.onnx"), File("../m.onnx.data")], tmp_path, together=True)
    assert [path.name for path in held.paths] == ["m.onnx", "m.onnx.data"]
    assert {path.parent for path in held.paths} == {held.folder}
    assert held.paths[0].read_bytes() == b"m.onnx"
    source, folder = ModelSource(held.paths[0], held=(held,)), held.folder
    del held
    assert folder.is_dir()
    del source
    assert not folder.exists()


def test_several_true_classes_of_a_sample_are_all_known():
    truth = NodeLists(np.array([0, 2, 2, 3]), np.array([4, 2, 1]))
    found = Samples(None, truth, "key", np.array(["a", "b", "c"]))
    assert [found.truths_of(row) for row in range(3)] == [[4, 2], [], [1]]
    assert [Samples(None, one, "key", found.ids).truths_of(0) for one in (np.array([3]), np.array([-1]), None)] == [
        [3],
        [],
        [],
    ]


def scales(page):
    """The choice of a range of values."""
    return next(one for one in page.at.radio if one.label == LABELS["preprocessing.range"])


def asked(page):
    """Titles of what the page asks about the model, while its box is open."""
    return [
        title
        for title in dict.fromkeys(LABELS.values())
        if "Missing information" in page.text and f"**{title}**" in page.text
    ]


def test_questions_are_about_the_taxonomy_that_is_chosen(tmp_path):
    case = FILES / "torch_logits_nodes"
    shutil.copytree(case, tmp_path, dirs_exist_ok=True)
    (tmp_path / "model.onnx").rename(tmp_path / "www.model.example.onnx")
    shutil.copy(case / "classes.txt", tmp_path / "www.model.example.labels.txt")
    other = tmp_path / "other.csv"
    other.write_text("parent,child\nsky,day\nsky,night\n")
    page = own(Visit("model"), tmp_path / "www.model.example.onnx", other)
    assert LABELS["classes"] in asked(page)
    # Wrong names for the one are no answer about the other, whose classes the model names itself.
    page.at.text_area[0].set_value("day\nnight")
    page.run()
    path = page.control("Taxonomy: or a path on this machine")
    path.set_value(str(FILES / "taxonomy.csv"))
    page.run()
    assert not page.at.error
    assert LABELS["classes"] not in page.text
    assert "www.model.example · takes rows of a table" in page.text.replace("**", "")
    # Its name is no link: it stands nowhere in Markdown in one piece.
    assert not [one for one in page.markdown() if "www.model.example" in one]


def test_other_data_bring_their_own_taxonomy(tmp_path, demo):
    shutil.copytree(FILES / "torch_logits_nodes", tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / "classes.txt", tmp_path / "model.labels.txt")
    (tmp_path / "labels.csv").write_text("sample_id,label\na,day\nb,night\n")
    (tmp_path / "sky.csv").write_text("parent,child\nsky,day\nsky,night\n")
    page = own(Visit("model"), tmp_path / "model.onnx", FILES / "taxonomy.csv")
    assert page.control("Taxonomy of the model").value == "other"
    data = shelve(taxonomy=str(tmp_path / "sky.csv"), predictions=(str(tmp_path / "labels.csv"),))
    page.go(data=data.key)
    assert page.control("Taxonomy of the model").value == "open"
    assert LABELS["classes"] in asked(page)


def test_the_box_stays_open_while_numbers_are_typed(tmp_path):
    shutil.copytree(FILES / "torch_two_files_fixed_batch", tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / "classes.txt", tmp_path / "model.labels.txt")
    page = own(Visit("model"), tmp_path / "model.onnx", FILES / "taxonomy.csv")
    assert asked(page) == [LABELS["preprocessing.resize"], LABELS["preprocessing.range"]]
    scales(page).set_value("other")
    page.run()
    for label, value in {
        "0 becomes": 0.0,
        "255 becomes": 1.0,
        "Subtract mean": "0.5, 0.4, 0.3",
        "Divide by std": "0.25",
    }.items():
        page.control(label).set_value(value)
        page.run()
        assert asked(page) == [LABELS["preprocessing.resize"], LABELS["preprocessing.range"]], label
    page.press("Use these numbers")
    assert not asked(page)
    assert "Your answers about the model" in [one.label for one in page.at.expander]
    page.control("Section").set_value("about")
    page.run()
    facts = "".join(one.proto.body for one in page.at.get("html"))
    assert "minus mean [0.5, 0.4, 0.3], divided by std [0.25]" in facts


def test_a_usual_preparation_fills_in_all_fields(tmp_path, brightness):
    """The preset of torchvision, changed afterwards; what the account then says."""
    model, taxonomy, folder = brightness
    (folder.parent / "sky.labels.txt").write_text("day\nnight\n")
    page = own(Visit("model"), model, taxonomy)
    assert asked(page) == [LABELS["preprocessing.resize"], LABELS["preprocessing.range"]]
    preset = page.control("A usual preparation (fills in the fields below)")
    assert (
        "Shorter side 9, centre crop 8 (bilinear), 0 to 1, ImageNet's mean and std – torchvision" in preset.options[0]
    )

    def words():
        page.control("Section").set_value("about")
        page.run()
        return "".join(one.proto.body for one in page.at.get("html"))

    preset.set_value("clip")
    page.run()
    assert not asked(page)
    text = words()
    assert (
        "pictures resized to 8 on the shorter side (bicubic), then a centre crop of 8 × 8 (width × height), RGB" in text
    )
    assert (
        "mapped to 0..1, minus mean [0.481455, 0.457827, 0.408211], divided by std [0.26863, 0.261303, 0.275777]"
        in text
    )
    page.control("Shorter side in pixels").set_value(12)
    page.run()
    assert "pictures resized to 12 on the shorter side (bicubic)" in words()
    page.control("A usual preparation (fills in the fields below)").set_value("borders")
    page.run()
    assert (
        "whole pictures padded to 8 × 8 (width × height) with borders of grey level 0, RGB, values 0..255 mapped to 0..1, axes"
        in words()
    )


def test_a_model_that_knows_some_of_the_classes_is_answered(tmp_path, brightness):
    """One question, two answers: the other classes have probability 0, or are no classes."""
    model, taxonomy, folder = brightness
    taxonomy.write_text("parent,child\nsky,day\nsky,night\nsky,twilight\ntwilight,dusk\ntwilight,dawn\n")
    (folder.parent / "sky.labels.txt").write_text("day\nnight\n")
    (folder.parent / "sky.hierviz.json").write_text('{"input": {"range": [0, 1]}}')
    page = own(Visit("model"), model, taxonomy)
    assert asked(page) == [LABELS["missing"]]
    assert "No column is called 'dusk', 'dawn': the model has no column for 2 of the 4 leaf classes." in page.text
    (ways,) = (one for one in page.at.radio if one.label == LABELS["missing"])
    ways.set_value("missing")
    page.run()
    assert not asked(page)
    assert not page.at.error
    source = ModelSource(model, {"classes": ("day", "night"), "preprocessing": {"range": [0, 1]}})
    whole, part = (
        source.saying(said).draft(load_taxonomy(taxonomy)) for said in ({"missing": "zero"}, {"only_known": True})
    )
    picture = np.full((9, 9, 3), 240, np.uint8)
    answered = [answer(one, picture_feed(one, picture), 1) for one in (whole, part)]
    assert [one.taxonomy.n_nodes for one in answered] == [6, 3]
    zeros = answered[0].node_probabilities()[0]
    np.testing.assert_allclose(zeros[answered[0].taxonomy.nodes("day", "night")].sum(), 1, atol=1e-6)
    assert zeros[answered[0].taxonomy.nodes("twilight", "dusk", "dawn")].max() == 0
    np.testing.assert_allclose(answered[1].node_probabilities()[0], zeros[:3], atol=1e-6)


def test_the_start_says_what_a_model_does_not_know(started, brightness):
    """The flags of `hierviz predict`, with one class missing and one column that is none."""
    model, taxonomy, folder = brightness
    taxonomy.write_text("parent,child\nsky,day\nsky,dusk\n")
    (folder.parent / "classes.csv").write_text("index,class\n1,other\n0,day\n")
    flags = ["--model", model, "--taxonomy", taxonomy, "--inputs", folder, "--range", "0,1", "--ignore", "other"]
    for more in (["--missing", "zero"], ["--only-known"]):
        page = started(*flags, "--classes", folder.parent / "classes.csv", *more)
        assert not page.at.error
        assert "3 samples" in page.text


def test_checks_of_a_model_that_knows_some_of_the_classes(started, brightness):
    """Its own classes have other numbers than in the whole taxonomy: the truth is looked up once."""
    model, taxonomy, folder = brightness
    taxonomy.write_text("parent,child\nsky,dusk\nsky,day\nsky,night\n")
    flags = ["--model", model, "--taxonomy", taxonomy, "--inputs", folder, "--truth", folder.parent / "truth.csv"]
    page = started(*flags, "--classes", folder.parent / "classes.csv", "--only-known")
    page.go("model")
    scales(page).set_value("0,1")
    page.run()
    page.control("Section").set_value("run")
    page.run()
    page.press("Run")
    assert "Ran on 3 samples, truth known." in page.text
    assert not page.at.warning
    tables = [one.value for one in page.at.dataframe if "used" in one.value]
    assert [table["accuracy"][table["used"] == "✓"].tolist() for table in tables] == [[1.0], [1.0]]
    assert page.text.count("Top-1 accuracy on 3 samples with known truth.") == 2


def test_a_model_without_inputs_is_opened_on_the_model_page(started, brightness):
    model, taxonomy, folder = brightness
    page = started("--model", model, "--taxonomy", taxonomy, "--classes", folder.parent / "classes.csv")
    assert [one.value for one in page.at.title] == ["Model"]
    assert not page.at.error
    assert "sky.onnx with taxonomy sky.csv, class names classes.csv, as given on the command line" in page.text


def test_open_files_hands_over_everything(brightness):
    """Model, taxonomy, class names, pictures and truth, by their paths: the page Model asks one question and runs them."""
    model, taxonomy, folder = brightness
    page = Visit("open")
    page.control("Predictions from").set_value("Model")
    page.run()
    page.control("Location").set_value("Path on this machine")
    page.run()
    chosen = {"taxonomy": taxonomy, "model": model, "inputs": folder, "truth": folder.parent / "truth.csv"}
    for name, path in (chosen | {"classes": folder.parent / "classes.csv"}).items():
        next(one for one in page.at.text_input if one.key == f"path_{name}").set_value(str(path))
    page.run()
    page.press("Open")
    assert "with the files chosen here" in page.text
    page.go("model")
    assert page.control("Which model?").value == "offered"
    assert "inputs pictures, truth truth.csv, as chosen on Open files" in page.text
    assert asked(page) == [LABELS["preprocessing.resize"], LABELS["preprocessing.range"]]
    scales(page).set_value("0,1")
    page.run()
    assert (page.answer, page.truth) == ("night", "night")
    page.control("Section").set_value("run")
    page.run()
    page.press("Run")
    assert "Ran on 3 samples, truth known." in page.text


def test_the_start_runs_a_model_on_a_part_of_the_taxonomy(started, brightness):
    """As prediction files, and what it does not know of the model is said there, not left out on the way to the page Model."""
    import hierviz as hv
    from hierviz.onnx.inputs.model_inputs import load_inputs
    from hierviz.onnx.model import load_model

    model, taxonomy, folder = brightness
    taxonomy.write_text("parent,child\nall,sky\nsky,day\nsky,night\nall,ground\n")
    flags = ["--model", model, "--taxonomy", taxonomy, "--inputs", folder, "--truth", folder.parent / "truth.csv"]
    flags += ["--classes", folder.parent / "classes.csv", "--missing", "zero", "--max-depth", "1"]
    page = started(*flags)
    assert "Or open it on the whole taxonomy" in page.text
    page = started(*flags, "--range", "0,1")
    assert not page.at.error
    found = next(iter(opened._opening(opened.startup_files())[0].models.values())).predictions
    assert found.taxonomy.names == ("all", "sky", "ground")
    told = load_model(model, hv.load_taxonomy(taxonomy), classes=folder.parent / "classes.csv", missing="zero",
                      preprocessing={"range": [0, 1]})  # fmt: skip
    expected = hv.projection.cut(told.predict(load_inputs(folder, told), unreadable={}), max_depth=1)
    assert np.array_equal(found.node_probabilities(), expected.node_probabilities())
    page.go("model")
    assert (
        "The open data are judged on a part of the taxonomy, but this page runs models on the whole taxonomy only"
        in page.text
    )


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        (("--level", "1"), ("all", "sky", "ground")),
        (("--inner-truth", "other"), ("all", "sky", "ground", "day", "night", "sky (other)")),
    ],
)
def test_the_start_runs_a_model_as_prediction_files_are_cut(started, brightness, flags, names):
    import hierviz as hv
    from hierviz.onnx.inputs.model_inputs import load_inputs
    from hierviz.onnx.model import load_model

    model, taxonomy, folder = brightness
    taxonomy.write_text("parent,child\nall,sky\nsky,day\nsky,night\nall,ground\n")
    truth = folder.parent / "truth.csv"
    truth.write_text("sample_id,truth\np0,sky\np1,day\np2,day\np3,day\n")
    said = ["--model", model, "--taxonomy", taxonomy, "--inputs", folder, "--truth", truth]
    said += ["--classes", folder.parent / "classes.csv", "--missing", "zero", "--range", "0,1"]
    page = started(*said, *flags)
    assert not page.at.error
    found = next(iter(opened._opening(opened.startup_files())[0].models.values())).predictions
    tree = hv.load_taxonomy(taxonomy)
    # The same scores by way of a file: p2 cannot be read, and is left out.
    told = load_model(model, tree, classes=folder.parent / "classes.csv", missing="zero",
                      preprocessing={"range": [0, 1]})  # fmt: skip
    scored = told.predict(load_inputs(folder, told), unreadable={})
    truths = dict(line.split(",") for line in truth.read_text().split()[1:])
    whole = scored.replace(truth=tree.nodes(*(truths[name] for name in scored.sample_ids)))
    expected = hv.projection.cut(whole, level=1) if "--level" in flags else hv.projection.with_other_leaves(whole)
    assert sorted(found.taxonomy.names) == sorted(names) == sorted(expected.taxonomy.names)
    assert np.array_equal(found.node_probabilities(), expected.node_probabilities())
    assert [found.taxonomy.names[node] for node in found.truth] == [
        expected.taxonomy.names[node] for node in expected.truth
    ]
