"""Errors on Open files: each remedy is a button below the error that opens the files."""

import pytest
from visit import ROOT, Visit

import hierviz as hv
from hierviz.app.state.server_memory import server

TAXONOMY = "parent,child\nroot,osprey\nroot,eagle\nroot,hawk\n"
SCORES = "id,osprey,eagle,hawk\n1,.7,.2,.1\n2,.1,.8,.1\n"
FILES = ROOT / "tests" / "files" / "predictions"
NAMES = "osprey\neagle\nhawk"


@pytest.fixture(autouse=True)
def own_list(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def refused(**files):
    page = Visit("open")
    for slot, given in {"taxonomy": [("t.csv", TAXONOMY)], **files}.items():
        for name, content in given:
            page.at.file_uploader(key=f"upload_{slot}").upload(name, content.encode())
    page.run().press("Open")
    assert len(page.at.error) == 1
    return page


def opened(page):
    """The data set that a press has opened."""
    assert not page.at.error
    data = server().get(page.query["data"])
    server()._remove(data.key)
    return data


WAYS = {
    "Treat 'eagle' as probability 0": {
        "predictions": [("p.csv", "id,osprey,hawk,truth\n1,.7,.3,osprey\n2,.1,.9,eagle\n")]
    },
    "The scores are percent": {
        "predictions": [("p.csv", "id,osprey,eagle,hawk,truth\n1,70,20,10,osprey\n2,10,80,10,eagle\n")]
    },
    "Open the fixed files": {
        "predictions": [("p.csv", "id,osprey,eagle,hawk,truth\n1,70,20,10,osprey\n2,10,80,10,eagle\n")]
    },
    "1.0 is 1": {"predictions": [("p.csv", SCORES)], "truth": [("y.csv", "id,truth\n1.0,osprey\n2.0,eagle\n")]},
}


def test_names_outside_are_mapped_where_the_question_is():
    rows = "id,predicted,truth\n1,ospreyy,osprey\n2,unicorn,eagle\n3,hawk,hawk\n"
    page = refused(predictions=[("p.csv", rows)])
    assert "What do answers outside the taxonomy count as?" in page.text
    assert "1 of 2 names outside the taxonomy is mapped to a class" in page.text
    [table] = [one.value for one in page.at.dataframe if "mapped_to" in one.value]
    assert dict(zip(table["given"], table["mapped_to"], strict=True)) == {"ospreyy": "osprey", "unicorn": "(no class)"}
    data = opened(page.press("Map names to the nearest class"))
    (model,) = data.models.values()
    assert model.predictions.labels.nodes.tolist() == [1, -1, 3]
    assert model.predictions.outside["answers"].mapped == {"ospreyy": 1}


def test_the_table_of_pictures_goes_with_the_observations():
    """Of Camtrap DP: media.csv names the pictures, and is no model of its own."""
    folder = ROOT / "tests" / "files" / "predictions" / "camtrap_dp"
    page = Visit("open")
    given = {"taxonomy": [FILES / "speciesnet_taxonomy.csv"], "predictions": sorted(folder.iterdir())}
    for slot, paths in given.items():
        for path in paths:
            page.at.file_uploader(key=f"upload_{slot}").upload(path.name, path.read_bytes())
    page.run()
    assert "media.csv is read with the observations" in page.text
    data = opened(page.press("Open"))
    (model,) = data.models.values()
    expected = hv.load_predictions(folder / "observations.csv", hv.load_taxonomy(FILES / "speciesnet_taxonomy.csv"))
    assert model.predictions.ids.tolist() == expected.ids.tolist()
    assert "media/IMG_0002.JPG" in model.predictions.ids.tolist()


# Each way is offered by a finding that tests/findings reads each day.
DAILY = ("Open the mended files", "1.0 is 1")


@pytest.mark.parametrize(
    "label", [pytest.param(label, marks=[pytest.mark.long] * (label not in DAILY)) for label in WAYS]
)
def test_one_press_opens_the_files(label):
    data = opened(refused(**WAYS[label]).press(label))
    (model,) = data.models.values()
    assert model.predictions.truth.tolist() == [1, 2]
    right = 1 if "eagle" in label else 2  # what is treated as 0 is never the answer
    assert int((model.answers("leaf") == model.truth).sum()) == right


def test_headings_that_are_numbers_are_named():
    page = refused(predictions=[("p.csv", "id,0,1,2,truth\n1,.7,.2,.1,osprey\n2,.1,.8,.1,eagle\n")])
    page.at.text_area(key="way-typed-classes").set_value(NAMES.replace("eagle", "eagel"))
    page.press("Open with these names")
    assert "got 'eagel'. Did you mean 'eagle'?" in page.text
    page.at.text_area(key="way-typed-classes").set_value(NAMES)
    data = opened(page.press("Open with these names"))
    assert data.first.predictions.scored_nodes.tolist() == [1, 2, 3]
    # They stand in place of the list until that is taken back.
    page.go("open").press("Read the files as chosen")
    assert "class-names.txt" not in page.text


def test_integer_truths_in_a_column_label():
    page = refused(predictions=[("p.csv", SCORES), ("y.csv", "id,label\n1,0\n2,1\n")])
    page.press("y.csv is the truth")
    assert "expected the name of a node in the taxonomy (4 nodes) as truth, got '0', '1'" in page.text
    page.at.text_area(key="way-typed-classes").set_value(NAMES)
    data = opened(page.press("Open with these names"))
    assert data.first.truth.tolist() == [1, 2]
    assert len(data.models) == 1


def test_a_truth_by_path_and_raw_scores(tmp_path):
    (tmp_path / "t.csv").write_text(TAXONOMY)
    (tmp_path / "p.csv").write_text("id,osprey,eagle,hawk\n1,7,2,-1\n2,1,8,1\n")
    (tmp_path / "y.csv").write_text("id,label\n1,osprey\n2,eagle\n")
    page = Visit("open")
    page.control("Location").set_value("Path on this machine")
    page.run()
    page.at.text_input(key="path_taxonomy").set_value(str(tmp_path / "t.csv"))
    page.at.text_input(key="path_predictions").set_value(f"{tmp_path / 'p.csv'}; {tmp_path / 'y.csv'}")
    page.run().press("y.csv is the truth")
    assert "expected a probability from 0 to 1, got 7.0" in page.text
    page.at.selectbox(key="way-typed-parametrisation").set_value("flat_softmax")
    data = opened(page.press("Open with this"))
    assert (data.first.predictions.parametrisation, data.first.truth.tolist()) == ("flat_softmax", [1, 2])
