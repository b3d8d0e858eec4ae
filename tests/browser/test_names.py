"""Names that Streamlit would read as links, rules, formulas, colours, icons or emoji are shown as they are written."""

import csv
import itertools

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Server, ready, unfold

pytestmark = pytest.mark.browser

NAMES = [
    "http://a.example/x?y=1",
    "see https://a.example now",
    "www.a.example",
    "me@a.example",
    "---",
    "# heading",
    "$x$ and $y$",
    ":red[alarm]",
    ":material/home:",
    ":smile:",
    "- item",
    "1. one",
    "a -> b",
    "<b>bold</b>",
    "[a](http://b.example)",
    "![p](http://b.example/p.png)",
]
# What Markdown would have made of them; anchors of headings lead nowhere else.
MADE = """main => [...main.querySelectorAll(
    'a[href^="http"]:not([href^="http://127.0.0.1"]), a[href^="mailto:"], hr, ol, ul:not([role]), blockquote, .katex,'
    + ' [data-testid=stMarkdownContainer] :is(b, img, pre, h1:not(:first-child)),'
    + ' [data-testid=stMarkdownContainer] p [data-testid=stIconMaterial]')].map(one => one.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def names_server(tmp_path_factory):
    """The app on data whose classes, samples, attributes and files have such names."""
    folder = tmp_path_factory.mktemp("names")

    def write(name, rows):
        with open(folder / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        return str(folder / name)

    # Each class is a child of the one before it: the path of the last names them all.
    taxonomy = write("t.csv", [("parent", "child"), *itertools.pairwise(["all", *NAMES]), ("all", "www.b.example")])
    ids = ["---", "www.sample.example"]
    scores = [("sample_id", NAMES[-1], "www.b.example"), (ids[0], 0.25, 0.75), (ids[1], 0.5, 0.5)]
    found = write("www.model.example.csv", scores)
    note = "mail me@b.example or see http://b.example"
    truth = [("sample_id", "truth", "www.c.example"), *((one, NAMES[-1], note) for one in ids)]
    server = Server(
        folder / "log.txt", "--taxonomy", taxonomy, "--predictions", found, "--truth", write("truth.csv", truth)
    )
    yield server
    server.stop()


@pytest.mark.long
def test_names_are_shown_as_they_are_written(open_page, names_server):
    # The ladder is no Markdown; what is below it is.
    page = open_page("example", base=names_server.url)
    ladder = page.locator("[data-hierviz=example]")
    expect(ladder).to_have_attribute("data-ready", "---")
    texts = ladder.locator("svg text").all_text_contents()
    assert f"Truth: {NAMES[-1]}" in texts
    assert any(text.startswith("sample: --- · ") for text in texts)
    main = page.get_by_test_id("stMain")
    unfold(page)
    assert main.evaluate(MADE) == [], "ladder"
    page.goto(f"{names_server.url}/example?tree=list")
    ready(page)
    unfold(page)

    def text_of(found):
        return found.first.inner_text().replace("\N{WORD JOINER}", "")

    assert text_of(main.get_by_role("heading", level=4)) == "---"
    assert text_of(main.get_by_text("Truth: ")).split("\n") == [f"Truth: {NAMES[-1]}", " › ".join(NAMES)]
    assert text_of(main.get_by_text("c.example: mail")) == "www.c.example: mail me@b.example or see http://b.example"
    assert main.evaluate(MADE) == []
    for path in ("", "curves", "open"):
        page.goto(f"{names_server.url}/{path}")
        ready(page)
        assert main.evaluate(MADE) == [], path or "overview"
