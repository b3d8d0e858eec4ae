"""Stories in the app: views are added, ordered, captioned, removed, played and saved; and reading options per file."""

import json

import pytest

import hierviz as hv
from hierviz.app.state import opened, story
from hierviz.app.state.dataset import Files, open_files
from hierviz.app.state.session_file import SavedSession, is_session_of, session_of
from hierviz.reports.captions import caption_text
from hierviz.reports.of_the_demo import demo_story
from hierviz.reports.view import View
from tests.app.visit import Visit, shelve
from tests.small_tree import EDGES_CSV

SCORES = "sample_id,cat,dog,duck,newt,truth\na,0.5,0.25,0.125,0.125,duck\nb,0.125,0.125,0.25,0.5,cat\n"


def bar(visit):
    """What the bar at the foot of the page is told, None without one."""
    found = [one for one in visit.at.get("bidi_component") if "story_bar" in str(one.proto)]
    return found[0] if found else None


def press(visit, key):
    visit.at.button(key=key).click()
    return visit.run()


def captions(visit):
    return [one.value for one in visit.at.text_area if str(one.key).startswith("story-caption")]


@pytest.mark.long
def test_the_demo_is_played(demo):
    steps = demo_story(demo.models)
    visit = Visit("story", data="demo")
    for step in steps:
        assert caption_text(step, demo.models) in visit.text
    visit.press("Play")
    assert visit.at.title[0].value == "Overview"
    played = visit.memory(story.PLAYED)
    for place, step in enumerate(steps):
        assert played["at"] == place
        assert bar(visit) is not None
        shown = View.from_query({**step.view, "data": "demo"}).cleaned(demo)
        assert {**visit.query, "data": "demo"} == {**shown.to_query(), "data": "demo"}
        played.update(at=place + 1, go=True)
        visit.run()
    played.clear()
    visit.memory(story.PLAYED)["ended"] = True
    visit.run()
    assert visit.at.title[0].value == "Story"
    assert bar(visit) is None


@pytest.mark.long
def test_views_are_arranged(tmp_path):
    (tmp_path / "taxonomy.csv").write_text(EDGES_CSV)
    (tmp_path / "model.csv").write_text(SCORES)
    data = shelve(taxonomy=str(tmp_path / "taxonomy.csv"), predictions=(str(tmp_path / "model.csv"),))
    visit = Visit("story", data=data.key)
    assert "No views yet" in visit.at.info[0].value
    for page, caption in (("curves", "First {wrong}"), ("taxonomy", "Second"), ("example", "Third")):
        visit.go(page, data=data.key, threshold="0.25")
        visit.memory("save").update({"caption": caption, "what of view-report-story-session": "story"})
        press(visit.run(), "add-view")
    visit.go("story", data=data.key)
    assert captions(visit) == ["First {wrong}", "Second", "Third"]
    press(visit, "story-down-0")
    assert captions(visit) == ["Second", "First {wrong}", "Third"]
    press(visit, "story-remove-2")
    visit.at.text_area[1].set_value("Wrong: {n_wrong} of {answers}")
    visit.run()
    wrong = hv.mistakes(data.first, "threshold", 0.25, outcome="wrong")
    assert f"Wrong: {len(wrong)} of 2" in visit.text
    # A session file keeps them, and another server shows them.
    steps = visit.memory(story.STORIES)[data.key]
    saved = session_of(data, "story", View(data=data.key), {}, steps)
    assert SavedSession.from_json(saved.to_json()).story == steps
    assert [step["page"] for step in json.loads(saved.to_json())["story"]] == ["taxonomy", "curves"]
    assert "data" not in json.loads(saved.to_json())["story"][0]["view"]
    opened.server()._remove(data.key)


def test_a_session_knows_how_single_files_are_read(tmp_path):
    (tmp_path / "taxonomy.csv").write_text(EDGES_CSV)
    (tmp_path / "a.csv").write_text(SCORES)
    (tmp_path / "b.csv").write_text("sample_id,c0,c1,c2,c3\na,0.5,-1,1,2\nb,2,1,-2,0.5\n")
    (tmp_path / "classes.txt").write_text("cat\ndog\nduck\nnewt\n")
    (tmp_path / "truth.csv").write_text("sample_id,truth\na,duck\nb,cat\n")
    files = Files(
        taxonomy=str(tmp_path / "taxonomy.csv"),
        predictions=(str(tmp_path / "a.csv"), str(tmp_path / "b.csv")),
        truth=str(tmp_path / "truth.csv"),
        names=("flat", None),
        parametrisations=(None, "flat_softmax"),
        thresholds=(0.75, None),
        classes_of=(None, str(tmp_path / "classes.txt")),
    )
    data = open_files(files)
    saved = SavedSession.from_json(session_of(data, "overview", View(), {}).to_json())
    paths = [tmp_path / part.name for part in saved.parts]
    again = saved.files(paths)
    assert again == files
    assert is_session_of(files, saved)
    # The same files read in another way are another page.
    assert not is_session_of(Files(**{**vars(files), "parametrisations": ()}), saved)
    assert not is_session_of(Files(**{**vars(files), "predictions": files.predictions[::-1]}), saved)
    reopened = open_files(again)
    assert reopened.thresholds == data.thresholds
    assert hv.evaluate(list(reopened.models.values())) == hv.evaluate(list(data.models.values()))
