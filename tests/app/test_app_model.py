"""The Model page without a browser: samples of the demo, rows, texts, what is asked, and where a run goes."""

import json
import re
import shutil

import numpy as np
import pytest

from hierviz.app import dataset, state
from hierviz.app.form_words import in_form_words
from hierviz.app.model_samples import (
    answer,
    disturbed,
    kind_of,
    picture_feed,
    row_feed,
    samples_of_data,
    samples_of_file,
)
from hierviz.app.model_source import ModelSource
from hierviz.app.uploads import Uploads
from hierviz.onnx import load_inputs, load_model
from hierviz.onnx.disturb import DISTURBANCES
from hierviz.readers import load_taxonomy
from tests.app.visit import ROOT, Visit

pytest.importorskip("onnxruntime")
FILES = ROOT / "tests" / "onnx_models" / "files"


@pytest.fixture(scope="module")
def taxonomy():
    return load_taxonomy(FILES / "taxonomy.csv")


def test_the_page_answers_as_the_run_of_all_samples_did(demo):
    page = Visit("model", sample="v0007", model="log-win-flat-start")
    assert page.charts()
    evaluation = demo.models["log-win-flat-start"]
    row = evaluation.predictions.row_of["v0007"]
    answered = demo.taxonomy.title(int(evaluation.answers("threshold", 0.5)[row]))
    truth = demo.taxonomy.title(int(evaluation.predictions.truth[row]))
    assert f"Answer: **{answered}** · Truth: **{truth}**" in page.text
    # Its address is a link to what is seen.
    assert page.query == {"sample": "v0007", "model": "log-win-flat-start"}


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


def test_sliders_change_the_picture_in_their_order(demo):
    found = samples_of_data(demo, demo.sources["flat-softmax"].draft(demo.taxonomy), demo.sources["flat-softmax"])
    picture = found.inputs.pictures.array(found.inputs.pictures.names[3])
    assert disturbed(picture, dict.fromkeys(DISTURBANCES, 0.0)) is picture
    strengths = {"darker": 0.5, "smaller": 0.25, "blurred": 0.0, "moved": 0.75}
    expected = picture
    for name, strength in strengths.items():
        expected = DISTURBANCES[name][0](expected, strength)
    np.testing.assert_array_equal(disturbed(picture, strengths), expected)


def test_a_slider_is_followed_by_another_answer():
    page = Visit("model", sample="v0001")
    assert "as it was" not in page.text
    next(one for one in page.at.slider if one.label == "Darker").set_value(1.0)
    page.run()
    assert "as it was:" in page.text
    tables = [one.value for one in page.at.dataframe]
    assert list(tables[-1].columns) == ["rule", "changed", "as it was"]
    page.press("As it was")
    assert "as it was:" not in page.text


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
    page.control("Taxonomy: which class belongs under which").set_value("other")
    page.run()
    page.control("Taxonomy: or its path on this machine").set_value(str(taxonomy))
    page.control("ONNX model: or its path on this machine").set_value(str(path))
    return page.run()


@pytest.fixture
def paths_allowed(monkeypatch):
    monkeypatch.setattr(state, "may_open_paths", lambda: True)


def test_scores_that_may_be_two_things_are_asked_for(paths_allowed, tmp_path):
    case = FILES / "torch_logits_nodes"
    for one in case.iterdir():
        shutil.copy(one, tmp_path)
    shutil.copy(tmp_path / "classes.txt", tmp_path / "model.labels.txt")
    page = own(Visit("model"), tmp_path / "model.onnx", FILES / "taxonomy.csv")
    assert "takes rows of a table" in page.text
    assert not page.at.radio
    page.control("Row").set_value("type")
    page.run()
    # The numbers tell only when it runs.
    assert "What the scores mean" in page.text
    choices = page.at.radio[0].options
    assert "Conditional softmax" in choices
    page.at.radio[0].set_value("parametrisation:conditional_softmax")
    page.run()
    assert "Answer: **" in page.text
    page.control("Section").set_value("about")
    page.run()
    assert "What you said about the model" in [one.label for one in page.at.expander]


def test_missing_model_and_taxonomy_are_one_line_each(paths_allowed, tmp_path):
    page = own(Visit("model"), tmp_path / "nowhere.onnx", tmp_path / "nowhere.csv")
    said = [one.value for one in page.at.error]
    assert len(said) == 1
    assert "nowhere" in said[0]
    page.control("Taxonomy: or its path on this machine").set_value(str(FILES / "taxonomy.csv"))
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


def test_errors_name_fields_of_the_form():
    said = in_form_words(
        "m.onnx: got none. Pass --range (in Python: preprocessing={'range': ...}) or --mean; the caller."
    )
    assert said == "m.onnx: got none. Pass 'Scale of the pictures' or 'mean'; you."
    assert in_form_words("name it (several times; in Python: outputs=), or") == "name it (several times), or"


def test_uploads_lie_beside_each_other_and_go_when_nobody_holds_them(tmp_path):
    class File:
        def __init__(self, name):
            self.name = name

        def getbuffer(self):
            return self.name.encode()

    held = Uploads([File("m.onnx"), File("../m.onnx.data")], tmp_path)
    assert [path.name for path in held.paths] == ["m.onnx", "m.onnx.data"]
    assert {path.parent for path in held.paths} == {held.folder}
    assert held.paths[0].read_bytes() == b"m.onnx"
    source, folder = ModelSource(held.paths[0], held=(held,)), held.folder
    del held
    assert folder.is_dir()
    del source
    assert not folder.exists()
