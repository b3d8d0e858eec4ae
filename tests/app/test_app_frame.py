"""The frame of every page: unknown parts of an address, the greeting, the copied link, sample files."""

import ast
import asyncio
import json
import os
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import streamlit as st
from small_worlds import LEAVES, spread, world
from streamlit.runtime.context import StreamlitCookies

import hierviz as hv
from hierviz.app import state
from hierviz.app.middleware import UnknownPage
from hierviz.app.state import entry, opened
from hierviz.app.state.entry import not_here
from hierviz.app.state.escape import in_form_words
from hierviz.app.widgets import offers, save_menu
from hierviz.messages.errors import HiervizError
from hierviz.opening.options import flag
from hierviz.reports.view import FILTERS, View, foreign_fields
from hierviz.reports.view_pages import PAGES as RECORDS
from tests.app.visit import PAGES, Visit


def greeted(visit):
    """The cookie that the browser is asked to keep."""
    part = next(one for one in visit.at.get("bidi_component") if one.proto.component_name.endswith("browser_part"))
    return json.loads(part.proto.json)["greeted"]


def said(visit):
    return [one.value.replace("\\", "") for one in visit.at.warning if "Not found here" in one.value]


def test_what_the_address_asks_for_and_is_not_here_is_said_in_one_line():
    visit = Visit("mistakes", model="nope", threshold="7", where="foo%3Dbar=1", part="zzz", utm_source="mail")
    (line,) = said(visit)
    assert "model “nope”, threshold “7”, filter “foo=bar=1”, part of the page “zzz”. The page shows" in line
    visit.run()
    assert said(visit) == [line]
    visit.go("overview")
    assert not said(visit)


def test_a_sample_that_is_not_here_stands_in_the_same_line():
    visit = Visit("example", model="nope", sample="zzz", step="99")
    (line,) = said(visit)
    assert "model “nope”, step “99”, sample “zzz”. The page shows" in line
    assert not visit.at.info


def test_the_filter_of_the_ranked_list_stays_there():
    visit = Visit("mistakes")
    assert visit.control("Show").value == "wrong"
    (link,) = [one.proto.query_string for one in visit.at.get("page_link") if one.label == "Open in Examples"]
    assert "outcome=wrong" in link
    visit.at.query_params.clear()  # as the header does
    visit.go("example")
    assert "outcome" not in visit.query
    assert "1 of 600" in visit.text


def test_a_choice_counts_that_comes_with_an_address_of_before():
    """A slow browser has not yet drawn what was chosen first; the button Back sends such an address too, and chooses nothing."""

    def choose(value, address):
        visit.at.query_params.clear()
        visit.at.query_params.update(address)
        told = {"sample": "v0428", "key": "flat-softmax", "rule": "threshold", "parameter": "threshold", "value": value}
        visit.trigger("hierviz_living", "chosen", told)
        return visit.query

    visit = Visit("example", sample="v0428", threshold="0.5", model="flat-softmax")
    first = visit.query
    second = choose(0.7, first)
    assert second["threshold"] == "0.700"
    assert choose(0.8, first)["threshold"] == "0.800"
    assert choose(0.9, second)["threshold"] == "0.900"
    visit.go(**second)
    assert visit.query == second
    assert visit.step["low"] <= 0.7


@pytest.mark.longer
def test_a_page_that_is_entered_is_one_step_of_the_history():
    """Each address that a page writes is another step, in which the button Back of the browser gets stuck."""
    visit = Visit("overview", threshold="0.700", rule="threshold")
    for page in PAGES if os.environ.get("HIERVIZ_LONG") else ("mistakes", "example", "taxonomy"):
        visit.at.query_params.clear()  # as the header does
        visit.go(page)
        assert not visit.query, page
        written = visit.at.session_state.published  # by the browser in place of the address without a query
        visit.go(**written)
        assert visit.query == written, page


@pytest.mark.parametrize(
    ("query", "lost"),
    [
        ({"under": "nonsense", "threshold": "-1"}, [("under", "nonsense"), ("threshold", "-1")]),
        ({"models": "nope,multi-label"}, [("models", "nope")]),
        (
            {"data": "somewhere", "thresholds": "nope:0.5,multi-label:0.25"},
            [("data", "somewhere"), ("thresholds", "nope:0.5")],
        ),
        ({"panel": "goal", "axes": "tau-hf1"}, [("panel", "goal"), ("axes", "tau-hf1")]),
        (
            {"under": "watercraft", "threshold": "0.70", "models": "-", "drawn": "-", "sample": "x", "panel": "export"},
            [],
        ),
    ],
)
def test_each_field_that_is_not_here(demo, query, lost):
    assert not_here(query, View.from_query(query).cleaned(demo)) == lost


@pytest.mark.long
def test_the_greeting_stays_until_it_is_dismissed(monkeypatch):
    visit = Visit("overview")
    assert "New here?" in visit.text
    with monkeypatch.context() as patch:
        # A connection that was lost brings the cookies of now.
        patch.setattr(type(st.context), "cookies", StreamlitCookies({entry.GREETED: "1"}))
        assert "New here?" in visit.run().text
    assert "New here?" not in visit.go("curves").text
    assert "New here?" in visit.go("overview").text
    assert greeted(visit) == ""
    visit.press("Dismiss")
    assert "New here?" not in visit.text
    assert greeted(visit.run()) == entry.GREETED
    monkeypatch.setattr(type(st.context), "cookies", StreamlitCookies({entry.GREETED: "1"}))
    assert "New here?" not in Visit("overview").text


@pytest.mark.long
def test_the_story_of_the_greeting_is_played():
    visit = Visit("overview")
    visit.press("Story")
    assert visit.memory("story played")["at"] == 0
    assert visit.at.title[0].value == "Overview"


@pytest.mark.long
def test_another_demo_starts_without_the_filters_of_this_one():
    visit = Visit("mistakes", data="wikipedia", under="Birds", where="title=Swift", outcome="wrong", threshold="0.75")
    assert visit.query["under"] == "Birds"
    visit.go("open").press("Demo: drawn vehicles")
    assert visit.query == {"threshold": "0.750"}


@pytest.mark.parametrize(
    ("is_local", "until", "words"),
    [(True, "", "this machine only"), (False, "", ""), (False, ", while", "this server, while.")],
)
def test_what_a_copied_link_can_do(monkeypatch, is_local, until, words):
    monkeypatch.setattr(state, "is_local_visit", lambda: is_local)
    said = save_menu.reach(until, has_file=True)
    assert words in said
    # The button with the file stands after it.
    assert said.endswith("To send this view to somebody else:") == is_local
    assert bool(said) == (is_local or bool(until))


def test_a_copied_link_leaves_out_what_the_page_does_not_use():
    """Every page is known; filters, data, model, rule, threshold and how confidence is calibrated hold on all of them."""
    assert set(RECORDS) == set(PAGES)
    shared = {"data", "model", "rule", "threshold", "thresholds", "confidence", *FILTERS}
    own = foreign_fields("open")
    assert not shared & set(own)
    assert {*own} | shared == {one.name for one in fields(View)} - {"parameters"}
    assert {"part", "opened", "focus", "lesson"} <= set(foreign_fields("curves"))
    assert not {"axes", "models", "drawn", "panel"} & set(foreign_fields("curves"))
    assert "sample" not in foreign_fields("example")
    visit = Visit("taxonomy", colour="recall", part="slices")
    link = next(one for one in visit.at.get("bidi_component") if one.proto.component_name.endswith("copy_link"))
    assert json.loads(link.proto.json)["drop"] == foreign_fields("taxonomy")


@pytest.mark.parametrize(
    ("path", "query", "accept", "leads_to"),
    [
        ("/nosuchpage", "", "text/html,*/*", "./?no-page=nosuchpage"),
        ("/nosuch page", "model=flat", "text/html", "./?no-page=nosuch%20page&model=flat"),
        ("/overview", "", "text/html", "./?no-page=overview"),
        ("/curves", "", "text/html", None),
        ("/hierviz/learn", "", "text/html", "../learn"),
        ("/a/b/curves", "model=flat", "text/html", "../../curves?model=flat"),
        ("/learn/", "", "text/html", "../learn"),
        ("/hierviz/nosuch", "", "text/html", "../?no-page=hierviz%2Fnosuch"),
        ("/hierviz/", "", "text/html", "../?no-page=hierviz"),
        ("//", "", "text/html", None),
        ("/component/x/", "", "text/html", None),
        ("/", "", "text/html", None),
        ("/nosuchpage", "", "application/json", None),
        ("/favicon.png", "", "text/html", None),
        ("/_stcore/health", "", "text/html", None),
        ("/media/picture", "", "text/html", None),
    ],
)
def test_an_unknown_page_leads_to_the_overview(path, query, accept, leads_to):
    sent, passed = [], []

    async def app(scope, receive, send):
        passed.append(scope["path"])

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode()}
    asyncio.run(UnknownPage(app)({**scope, "headers": [(b"accept", accept.encode())]}, None, send))
    if leads_to is None:
        assert (passed, sent) == ([path], [])
    else:
        assert not passed
        assert sent[0]["status"] == 307
        assert dict(sent[0]["headers"])[b"location"].decode() == leads_to


@pytest.mark.long
def test_the_overview_says_which_page_is_not_here():
    visit = Visit("overview", **{"no-page": "nosuchpage"})
    (line,) = said(visit)
    assert "page “nosuchpage”. The page shows" in line
    assert "no-page" not in visit.query
    assert not said(Visit("overview", **{"no-page": "overview"}))


@pytest.mark.long
def test_the_menu_says_what_each_file_is_for(tmp_path):
    data = world(tmp_path, scores=spread(12), truth=[LEAVES[k % len(LEAVES)] for k in range(12)])
    visit = Visit("curves", data=data.key)
    (choice,) = visit.at.radio
    assert choice.options == ["This view", "Report", "Story", "Session file"]
    assert choice.value == "view"
    visit.press("Make the file")
    (offer,) = [one.proto for one in visit.at.get("download_button") if "MB)" in one.proto.label]
    assert offer.label.startswith("Save scores-csv-curves.html")
    opened.server().results.drop(data.digest)
    assert Visit("open").at.radio[0].options == ["Report", "Story", "Session file"]


def test_no_popover_tells_when_it_is_closed():
    """The browser would tell it together with the link that closes it, of the page that is left: the new one is emptied."""
    calls = [
        (path.name, node)
        for path in Path(hv.__file__).parent.joinpath("app").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "popover"
    ]
    assert len(calls) > 10
    assert [path for path, node in calls if any(word.arg == "on_change" for word in node.keywords)] == []


def test_progress_goes_when_opening_ends_with_an_error():
    visit = Visit("open")
    visit.press("Open")
    assert "expected a file, got none" in visit.at.error[0].value
    assert "Cancel" not in [one.label for one in visit.at.button]
    assert not visit.at.get("progress")


def test_samples_on_the_page_open_as_they_are(tmp_path):
    for name in ("taxonomy", "predictions", "truth"):
        (tmp_path / f"{name}.csv").write_text(getattr(offers, name.upper()))
    taxonomy = hv.load_taxonomy(tmp_path / "taxonomy.csv")
    predictions = hv.load_predictions(tmp_path / "predictions.csv", taxonomy, truth=tmp_path / "truth.csv")
    assert taxonomy.n_leaves == 3
    assert predictions.n_samples == 2
    visit = Visit("open")
    assert [one.value for one in visit.at.code][:3] == [
        getattr(offers, name).strip() for name in ("TAXONOMY", "PREDICTIONS", "TRUTH")
    ]


def test_files_of_the_command_line_are_complained_about_with_its_flags():
    error = HiervizError("p.csv: expected names, got none. Give {classes}.")
    assert in_form_words(error, words=flag).endswith("Give --classes.")
    assert "--classes" not in in_form_words(error)


def test_an_address_without_data_means_those_of_the_start(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["app", "--demo", "wikipedia"])
    assert Visit("overview").at.session_state["view"].data == "wikipedia"
    visit = Visit("example", model="flat-softmax", sample="1757")
    assert (visit.query["data"], visit.query["sample"]) == ("wikipedia", "1757")
    # What shows the other demo says so, and so do its links.
    visit = Visit("example", data="demo", sample="v0428")
    assert (visit.query["data"], visit.sample) == ("demo", "v0428")
    monkeypatch.setattr(sys, "argv", ["app"])
    assert "data" not in Visit("example", sample="v0428").query
