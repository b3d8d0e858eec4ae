"""Offers of Open files: the demos, text to paste, and files that were opened by path before."""

import json

import pytest

import hierviz as hv
from hierviz.app.state import opened, remembered
from hierviz.app.state.dataset import Files
from tests.app.visit import Visit
from tests.small_tree import EDGES_CSV

SCORES = "sample_id,cat,dog,duck,newt,truth\na,0.5,0.25,0.125,0.125,duck\nb,0.125,0.125,0.25,0.5,cat\n"


@pytest.fixture(autouse=True)
def own_list(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.long
def test_the_demo_of_texts_in_one_click():
    visit = Visit("open").press("Demo: Wikipedia articles")
    assert "*Demo: Wikipedia articles*" in visit.text
    assert visit.query["data"] == "wikipedia"
    assert "Hierarchical WikiVitals" in visit.text
    assert "CC BY-SA 4.0" in visit.text
    shown = opened.demo("wikipedia").models["flat-softmax"].curve
    assert hv.thresholds.choose(shown, subject_to={"correct": 0.95}).threshold > 0.5
    assert "Flat softmax" in visit.text
    visit.go("open").press("Demo: drawn vehicles")
    assert "*Demo: drawn vehicles*" in visit.text


def test_a_table_is_pasted():
    visit = Visit("open")
    visit.at.text_area(key="kept_pasted_taxonomy").set_value(EDGES_CSV)
    visit.at.text_area(key="kept_pasted_table").set_value(SCORES)
    # Open takes what was typed, without a press on "Use these tables" before.
    next(one for one in visit.at.button if one.label == "Open").click()
    visit.run()
    data = opened.server().get(visit.query["data"])
    assert data.first.n_judged == data.first.predictions.n_samples == 2
    assert "truth of 2 of 2 samples from pasted-predictions.csv" in visit.text
    opened.server()._remove(data.key)


def test_all_files_come_first_and_are_named_beside_open():
    visit = Visit("open").press("Use these tables")
    assert "Uploaded: pasted-predictions.csv" in visit.text
    visit.memory("dealt uploads")["all"] = ["taxonomy", "predictions"]
    visit.run()
    assert visit.at.get("file_uploader")[0].label == "All files at once"
    assert "Taxonomy: pasted-taxonomy.csv; Predictions: pasted-predictions.csv" in visit.text


@pytest.mark.long
def test_files_opened_by_path_are_remembered(tmp_path):
    (tmp_path / "taxonomy.csv").write_text(EDGES_CSV)
    (tmp_path / "model.csv").write_text(SCORES)
    files = Files(
        taxonomy=str(tmp_path / "taxonomy.csv"), predictions=(str(tmp_path / "model.csv"),), truth_column="truth"
    )
    assert not any(one.label == "Forget this list" for one in Visit("open").at.button)
    Visit("open")
    remembered.remember(files)
    remembered.remember(files)
    assert remembered.remembered() == [files]
    (entry,) = json.loads(remembered.place().read_text())
    assert set(entry) == {"taxonomy", "predictions", "truth_column"}
    visit = Visit("open").press("model.csv")
    data = opened.server().get(visit.query["data"])
    assert data.files.predictions == files.predictions
    assert data.first.predictions.n_samples == 2
    opened.server()._remove(data.key)
    # Uploads are not; files that are gone are not shown; the list can be forgotten.
    remembered.remember(Files(taxonomy="/tmp/t", predictions=("/tmp/p",), held=(object(),)))
    assert remembered.remembered() == [files]
    visit = Visit("open").press("Forget this list")
    assert not remembered.place().exists()
    remembered.remember(files)
    (tmp_path / "model.csv").unlink()
    assert remembered.remembered() == []
    remembered.place().write_text('[{"taxonomy": 3}, 4, {"taxonomy": "/x", "predictions": ["/y"], "held": 1}]')
    assert remembered.remembered() == []
