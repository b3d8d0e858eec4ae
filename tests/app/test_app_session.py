"""Session files: saved from a page, validated, opened again with the same files; missing or changed files are named."""

import hashlib
import json
import re
import shlex

import pytest

import hierviz as hv
from hierviz import cli
from hierviz.app.state import opened
from hierviz.app.state.dataset import Files
from hierviz.app.state.session_file import (
    PAGES,
    SavedSession,
    is_session_of,
    matched,
    session_of,
    sha256,
    why_no_session,
)
from hierviz.messages.errors import FileError, slug
from hierviz.reports.view import View
from tests.app.visit import ROOT, Visit, shelve
from tests.reports.report_cases import numbers_of
from tests.small_tree import EDGES_CSV

SCORES = """sample_id,cat,dog,duck,newt,truth
a,0.5,0.25,0.125,0.125,duck
b,0.125,0.125,0.25,0.5,cat
c,0.25,0.5,0.125,0.125,dog
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "taxonomy.csv").write_text(EDGES_CSV)
    (tmp_path / "model.csv").write_text(SCORES)
    return {"taxonomy": str(tmp_path / "taxonomy.csv"), "predictions": (str(tmp_path / "model.csv"),)}


@pytest.fixture
def saved(files):
    """A session on Examples: sample b at another threshold, and a choice that no link has."""
    data = shelve(**files)
    view = View(data=data.key, sample="b", threshold=0.25, order="file")
    memories = {"choosing": {"level": 80.0, "shown": object()}, "model": {"path": "/secret"}}
    return data, session_of(data, "example", view, memories)


def test_what_stands_in_it(saved, files):
    data, session = saved
    found = json.loads(session.to_json())
    assert found["page"] == "example"
    assert found["view"] == {"sample": "b", "threshold": "0.250", "order": "file"}
    assert found["choices"] == {"choosing": {"level": 80.0}}
    assert [(part["role"], part["name"]) for part in found["data"]["files"]] == [
        ("taxonomy", "taxonomy.csv"),
        ("predictions", "model.csv"),
    ]
    # SHA-256 as `sha256sum` gives it; neither paths nor the key of the data.
    assert found["data"]["files"][1]["sha256"] == hashlib.sha256(SCORES.encode()).hexdigest()
    assert files["taxonomy"] not in session.to_json()
    assert data.key not in session.to_json()
    assert SavedSession.from_json(session.to_json()) == session


def test_every_page_can_be_saved():
    assert {path.stem for path in (ROOT / "hierviz" / "app" / "pages").glob("*.py")} - {"__init__"} == set(PAGES)


def test_of_the_demo_and_of_no_files(demo):
    session = session_of(demo, "curves", View(threshold=0.9), {})
    assert session.is_demo
    assert session.parts == ()
    assert why_no_session(demo) == ""
    assert "not in a file" in why_no_session(opened.replace(demo, key="0" * 16))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"hierviz_session": 2}',
        '{"hierviz_session": 1}',
        '{"hierviz_session": 1, "page": "curves", "view": [], "data": {"demo": true}}',
        '{"hierviz_session": 1, "page": "curves", "view": {}, "data": {"files": [{"role": "x", "name": "a", "sha256": "0"}]}}',
        '{"hierviz_session": 1, "page": "curves", "view": {}, "data": {"files": []}}',
        "[" * 100_000,
    ],
)
def test_what_is_no_session_file(text):
    with pytest.raises(
        FileError, match=r"^s\.json: expected a session file of hierviz \(format 1\), got something else\."
    ):
        SavedSession.from_json(text, "s.json")


def test_what_is_not_understood_is_dropped():
    part = {"role": "truth", "name": "../../etc/passwd", "sha256": "0" * 64}
    text = json.dumps(
        {
            "hierviz_session": 1,
            "page": "../../x",
            "view": {"threshold": "0.3", "sample": 4, "data": "0" * 16},
            "choices": {"choosing": {"level": 1}, "model": {"path": "/x"}, "matrix": 3},
            "data": {
                "files": [part],
                "reading": {"truth_column": "t", "given": {"classes": "/x"}, "projection": {"max_depth": 2, "x": "/x"}},
            },
        }
    )
    found = SavedSession.from_json(text)
    assert found.page == "overview"
    assert found.view == {"threshold": "0.3"}
    assert found.memories == {"choosing": {"level": 1}}
    assert found.parts[0].name == "passwd"
    assert found.reading == {"truth_column": "t", "projection": {"max_depth": 2}}
    assert found.files(["/tmp/t"]) == Files(truth="/tmp/t", truth_column="t", projection={"max_depth": 2})


def test_files_are_told_by_their_content(saved, files, tmp_path):
    _, session = saved
    found, problems = matched(session.parts, [])
    assert found == [None, None]
    assert problems[0] == "taxonomy.csv (taxonomy): expected the file of the session, got none. Add it."
    renamed = tmp_path / "other.csv"
    renamed.write_text(EDGES_CSV)
    changed = tmp_path / "new" / "model.csv"
    changed.parent.mkdir()
    changed.write_text(SCORES.replace("0.5,0.25", "0.25,0.5"))
    found, problems = matched(session.parts, [renamed, changed])
    assert found == [str(renamed), None]
    (problem,) = problems
    assert re.fullmatch(
        r"model\.csv \(predictions\): expected the file of the session \(SHA-256 [0-9a-f]{12}…\), got another content "
        r"\([0-9a-f]{12}…\)\. Choose the file that the session was saved with\.",
        problem,
    )
    assert is_session_of(Files(**files), session)
    assert not is_session_of(Files(**files, truth=str(renamed)), session)
    assert not is_session_of(Files(taxonomy=files["taxonomy"], predictions=(str(changed),)), session)
    # A folder is what lies in it.
    before = sha256(changed.parent)
    (changed.parent / "b.csv").write_text("x")
    assert sha256(changed.parent) != before
    with pytest.raises(FileError, match=r"^gone\.csv: expected a file that can be read, got none\."):
        sha256(tmp_path / "gone.csv")


def upload(visit, slot, **contents):
    uploader = visit.at.file_uploader(key=f"upload_{slot}")
    found = [(name.replace("__", "."), content.encode(), "text/plain") for name, content in contents.items()]
    uploader.set_value(found if slot == "session_files" else found[0])
    return visit.run()


def test_a_session_is_opened_again(saved, files):
    """Uploaded on a page that has none of the files open: the same page, number by number."""
    data, session = saved
    before = Visit("open").go("example", data=data.key, **session.view)
    visit = upload(Visit("open"), "session", s__json=session.to_json())
    assert "A session on **model.csv**, page **example**" in "\n".join(visit.markdown())
    (button,) = [one for one in visit.at.button if one.label == "Open the session"]
    assert button.disabled
    upload(visit, "session_files", taxonomy__csv=EDGES_CSV, model__csv=SCORES.replace("0.5,0.25", "0.25,0.5"))
    assert "got another content" in "\n".join(one.value for one in visit.at.warning)
    upload(visit, "session_files", taxonomy__csv=EDGES_CSV, model__csv=SCORES)
    visit.folded = before.folded
    visit.press("Open the session")
    assert visit.sample == "b"
    assert visit.query["data"] != data.key
    assert {**visit.query, "data": ""} == {**before.query, "data": ""}
    assert visit.text == before.text
    assert visit.memory("choosing")["level"] == 80.0
    opened.server()._remove(data.key)


def test_a_closed_link_offers_both(demo):
    visit = Visit("example", data="0" * 16)
    assert "open a session file" in visit.text
    assert [one.label for one in visit.at.button if "demo" in one.label] == ["Show the demo"]
    assert visit.at.file_uploader(key="upload_session").label == "Session file"
    session = session_of(demo, "taxonomy", View(threshold=0.75), {})
    upload(visit, "session", s__json=session.to_json())
    visit.press("Open the session")
    assert visit.at.title[0].value == "Taxonomy"
    assert visit.threshold == 0.75
    upload(Visit("open"), "session", s__json="{}")


@pytest.mark.long
def test_a_file_of_the_view(files, tmp_path, monkeypatch):
    data = shelve(**files)
    visit = Visit("example", data=data.key, rule="threshold", threshold="0.25", sample="c")
    visit.memory("save view")["asked"] = ("example", visit.query)
    visit.run()
    _, html = visit.memory("save")["view made"]
    first = html.split("<main>")[1].split("</section>")[0]
    assert "<h2>Examples</h2>" in first
    assert "Sample c, " in first
    (offer,) = [one.proto for one in visit.at.get("download_button") if one.proto.id.endswith("get-view")]
    assert offer.label.startswith("Save ")
    assert offer.label.split()[1].endswith("-example.html")
    # The command it states makes a report that begins with this view.
    command = numbers_of(html)["command"]
    assert " --view 'example?" in command
    monkeypatch.chdir(tmp_path)
    assert cli.main(shlex.split(command)[1:]) == 0
    report = (tmp_path / "report.html").read_text("utf-8")
    assert "Sample c, " in report.split("<main>")[1].split("</section>")[0]
    opened.server()._remove(data.key)


@pytest.mark.long
def test_a_report_of_the_demo_has_its_story_where_it_is_ticked():
    visit = Visit("overview")
    visit.memory("save")["what of view-report-story-session"] = "report"
    visit.run()
    (box,) = [one for one in visit.at.toggle if one.label.startswith("With the story")]
    assert not box.value


@pytest.mark.long
def test_the_menu_makes_a_report(files):
    data = shelve(**files)
    visit = Visit("overview", data=data.key, rule="threshold", threshold="0.25", sample="c")
    visit.memory("save").update({"worst": 1, "random": 0, "what of view-report-story-session": "report"})
    visit.run()
    visit.press("Make the report")
    (made,) = [value.value for key, value in opened.server().results._found.items() if key[0] == "report"]
    assert numbers_of(made.html)["evaluate"] == hv.evaluate(list(data.models.values()), "threshold", 0.25, more=True)
    assert numbers_of(made.html)["command"].startswith("hierviz report --taxonomy taxonomy.csv --predictions ")
    assert "--sample c" in numbers_of(made.html)["command"]
    # The button has the name of the file that comes.
    (offer,) = [one.proto for one in visit.at.get("download_button") if "MB)" in one.proto.label]
    assert f"<title>{data.title}</title>" in made.html
    assert offer.label.startswith(f"Save {slug(data.title, 'report')}.html")
    opened.server().results.drop(data.digest)
    opened.server()._remove(data.key)
