"""A session file saved on one server and opened on another: Examples there is the same, number by number, charts too."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Server, heading, quiet, ready, unfold, upload

pytestmark = [pytest.mark.browser, pytest.mark.long]

TAXONOMY = """parent,child
plant,tree
tree,spruce
tree,beech
plant,herb
herb,sage
herb,basil
"""
SCORES = """sample_id,spruce,beech,sage,basil
leaf-01,0.625,0.25,0.0625,0.0625
leaf-02,0.25,0.5,0.125,0.125
leaf-03,0.3125,0.1875,0.3125,0.1875
leaf-04,0.0625,0.0625,0.5,0.375
"""
SECOND = SCORES.replace("0.3125,0.1875,0.3125", "0.1875,0.3125,0.3125").replace("0.625,0.25,", "0.25,0.625,")
TRUTH = """sample_id,truth
leaf-01,spruce
leaf-02,spruce
leaf-03,sage
leaf-04,herb
"""
# Of each chart: every text, and what every mark knows of its datum, in full precision.
CHARTS = """() => [...document.querySelectorAll('[data-testid=stMain] .stVegaLiteChart svg.marks')].map(chart => ({
    texts: [...chart.querySelectorAll('text')].map(one => one.textContent),
    marks: [...chart.querySelectorAll('*')].filter(one => one.__data__?.datum && typeof one.__data__.datum === 'object')
        .map(one => JSON.stringify(Object.entries(one.__data__.datum)
            .filter(([, value]) => ['number', 'string', 'boolean'].includes(typeof value)))) }))"""


def shown(page):
    """Text of the page, what is folded too, and texts and marks of its charts, at rest."""
    unfold(page)
    expect(page.locator(".stVegaLiteChart svg.marks")).to_have_count(5)
    quiet(page)
    return page.get_by_test_id("stMain").inner_text(), page.evaluate(CHARTS)


def test_examples_on_another_server(open_page, server, tmp_path, monkeypatch):
    files = {}
    for name, content in {"plants": TAXONOMY, "careful": SCORES, "hasty": SECOND, "truth": TRUTH}.items():
        files[name] = tmp_path / "first" / f"{name}.csv"
        files[name].parent.mkdir(exist_ok=True)
        files[name].write_text(content, encoding="utf-8")
    page = open_page("open")
    upload(page, taxonomy=files["plants"], predictions=[files["careful"], files["hasty"]], truth=files["truth"])
    quiet(page)
    page.locator("[data-testid=stBaseButton-primary]").click()
    page.wait_for_function("() => new URL(location).searchParams.has('data')")
    key = page.evaluate("() => new URL(location).searchParams.get('data')")
    page.goto(f"{server.url}/example?data={key}&sample=leaf-03&rule=threshold&threshold=0.312&model=hasty&tree=icicle")
    ready(page)
    text, charts = shown(page)
    assert "leaf-03" in text
    page.get_by_role("button", name="Save", exact=False).last.click()
    page.get_by_text("Session file", exact=True).click()
    quiet(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save the session file").click()
    saved = tmp_path / "plants.hierviz.json"
    waiting.value.save_as(saved)
    told = json.loads(saved.read_text("utf-8"))
    assert told["page"] == "example"
    assert key not in saved.read_text("utf-8")

    # Another process with another port, another folder to remember in, and copies of the files under other names.
    elsewhere = tmp_path / "second"
    elsewhere.mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(elsewhere / "state"))
    copies = []
    for name, path in files.items():
        copies.append(elsewhere / f"copy-of-{name}.csv")
        copies[-1].write_bytes(path.read_bytes())
    second = Server(elsewhere / "log.txt")
    try:
        other = open_page("open", base=second.url)
        other.get_by_text("Open a session file", exact=True).click()
        upload(other, session=saved)
        expect(other.get_by_test_id("stMain")).to_contain_text("page example")
        upload(other, session_files=copies)
        other.get_by_role("button", name="Open the session").click()
        heading(other, "Examples")
        again, others = shown(other)
        assert second.url in other.url
        assert again == text
        assert others == charts
        assert sum(len(chart["marks"]) for chart in charts) > 50
        for field in ("sample=leaf-03", "threshold=0.312"):
            assert field in other.url
    finally:
        second.stop()
