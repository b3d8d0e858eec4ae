"""A server that runs no models of visitors: those of the demo and of the start are run, uploaded ones are refused in one line."""

import sys

import pytest

import hierviz as hv
from hierviz.app.state import dataset
from hierviz.demo import bundle_folder
from hierviz.opening.files import Files

MODEL = bundle_folder() / "models" / "flat_softmax.onnx"
TAXONOMY = bundle_folder() / "assets" / "demo" / "taxonomy.csv"
REFUSED = r"^model: expected predictions, as this server runs no uploaded models, got a model\. Run `hierviz predict`"


@pytest.fixture
def public(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["app.py", "--no-model-uploads"])


def test_an_uploaded_model_is_not_run(public, monkeypatch):
    monkeypatch.setattr(dataset, "draft_model", lambda *given, **options: pytest.fail("it was opened"))
    taxonomy = hv.load_taxonomy(TAXONOMY)
    refused = dataset.ModelSource(MODEL, held=("an upload",)).draft(taxonomy)
    with pytest.raises(hv.FileError, match=REFUSED):
        raise refused
    files = Files(taxonomy=str(TAXONOMY), model=(str(MODEL),), inputs="pictures.zip", held=("an upload",))
    with pytest.raises(hv.FileError, match=REFUSED):
        dataset.open_files(files)


def test_models_of_the_demo_and_of_the_start_are_run(public, monkeypatch):
    monkeypatch.setattr(dataset, "draft_model", lambda path, *given, **options: path)
    assert dataset.ModelSource(MODEL).draft(None) == MODEL


def test_other_servers_run_uploaded_models(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["app.py"])
    monkeypatch.setattr(dataset, "draft_model", lambda path, *given, **options: path)
    assert dataset.ModelSource(MODEL, held=("an upload",)).draft(None) == MODEL
