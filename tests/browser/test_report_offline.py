"""A report opened from disk in a real Chromium with the network off: dragged, unfolded, and with names that are markup."""

import json
import re

import pytest
from playwright.sync_api import expect

import hierviz as hv
from hierviz import cli
from hierviz.demo import load_wikipedia
from hierviz.messages.number_text import percent_text
from hierviz.reports import ReportSamples
from hierviz.reports.story_step import StoryStep
from tests.browser.conftest import WATCHDOG
from tests.browser.curve_page import until
from tests.reports.report_cases import HOSTILE, hostile_predictions, numbers_of

pytestmark = pytest.mark.browser

STRIP = """() => { const r = document.querySelector('#curves svg g.strip_group path.background').getBoundingClientRect();
    return [r.left, r.top, r.width, r.height] }"""
TEXTS = "() => [...document.querySelectorAll('#curves svg text')].map(one => one.textContent)"
CELLS = """() => Object.fromEntries([...document.querySelectorAll('#matrix td[data-row]')]
    .map(cell => [cell.dataset.row + ' ' + cell.dataset.column, Number(cell.textContent)]))"""


@pytest.mark.long
def test_a_report_from_disk(chromium, tmp_path):
    predictions = hostile_predictions()
    evaluation = hv.Evaluation.from_predictions(predictions)
    row = predictions.sample_ids[0]
    story = (
        StoryStep("curves", {"threshold": "0.25"}, f"{HOSTILE[0]} {{threshold}} {{correct}}"),
        StoryStep("example", {"sample": row}, "{sample}"),
        StoryStep("compare", {}, "{wrong}"),
    )
    samples = ReportSamples(worst=1, random=0)
    made = hv.report(evaluation, "threshold", title=HOSTILE[2], notes=HOSTILE[1], samples=samples, story=story)
    made.write(tmp_path / "report.html")
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, offline=True, reduced_motion="reduce")
    context.set_default_timeout(WATCHDOG)
    page, requests, errors = context.new_page(), [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text))
    page.on("dialog", lambda dialog: errors.append(dialog.message))
    page.goto((tmp_path / "report.html").as_uri())

    # The story: one step at a time, by keys.
    assert page.locator(".step:visible").count() == 1
    page.locator("#story-1 [data-ready=light-wide]").wait_for()
    at = evaluation.curve.at(0.25)["correct"]
    # A number and its sign stay on one line.
    said = percent_text(at).replace(" %", "\u00a0%")
    assert page.locator("#story-1 .caption").inner_text() == f"{HOSTILE[0]} 0.250 {said}"
    page.keyboard.press("ArrowRight")
    page.locator("#story-2 [data-ladder][data-ready]").wait_for()
    assert page.locator("#story-2 .caption").inner_text() == row
    # An arrow key at the handle of an example moves its threshold, not the story.
    steps = hv.diagnosis.sample_steps(evaluation, 0)
    handle = page.locator("#story-2 [data-hierviz=tau]")
    handle.focus()
    page.keyboard.press("ArrowRight")
    assert handle.get_attribute("aria-valuetext") == f"0.510: {steps.sentence[steps.place(0.51)]}"
    assert page.locator(".story-place").inner_text() == "2 of 3"
    handle.blur()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator(".story-place").inner_text() == "3 of 3"
    page.keyboard.press("ArrowLeft")
    assert page.locator("#story-2").is_visible()

    # The threshold is dragged by its handle.
    page.locator("#curves").scroll_into_view_if_needed()
    page.locator("#curves [data-ready=light-wide]").wait_for()
    left, top, width, height = page.evaluate(STRIP)
    page.mouse.move(left + 0.5 * width, top + height / 2)
    page.mouse.down()
    page.mouse.move(left + 0.81 * width, top + height / 2, steps=8)
    page.mouse.up()

    def heading():
        return next((text for text in page.evaluate(TEXTS) if text.startswith("At τ")), "")

    until(page, lambda: "0.81" in heading())
    threshold = float(re.search(r"[\d.]+", heading())[0])
    values = evaluation.curve.at(threshold)
    for key in ("correct", "exact", "info_precision", "info_recall", "info_f1"):
        assert f"{values[key]:.3f}" in page.evaluate(TEXTS), key
    # It stays where it is in the other theme and on a phone.
    page.emulate_media(color_scheme="dark")
    page.locator("#curves [data-ready=dark-wide]").wait_for()
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#curves [data-ready=dark-narrow]").wait_for()
    until(page, lambda: f"{values['info_f1']:.3f}" in page.evaluate(TEXTS))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    # The taxonomy opens; the matrix opens, and each of its states is that of `confusion_matrix`.
    page.locator("#taxonomy").scroll_into_view_if_needed()
    rows = page.locator("#taxonomy tbody tr")
    page.locator("#taxonomy [data-ready]").wait_for()
    assert rows.count() == 3
    page.locator("#taxonomy").get_by_role("button", name=f"Open {HOSTILE[1]}").click()
    assert rows.count() == 5
    page.locator("#matrix").scroll_into_view_if_needed()
    page.locator("#matrix [data-ready]").wait_for()
    opened = []
    for node in (None, 1, 2):
        if node is not None:
            page.locator(f"#matrix tbody button[data-node='{node}']").click()
            opened.append(node)
        found = hv.diagnosis.matrix(evaluation, "threshold", 0.5, open_nodes=opened)
        cells = zip(found.row_nodes[found.row], found.column_nodes[found.column], found.count, strict=True)
        assert page.evaluate(CELLS) == {f"{row} {column}": count for row, column, count in cells}
    page.locator("#matrix tbody button[data-node='1']").click()
    assert page.locator("#matrix tbody button[data-node='1']").get_attribute("aria-expanded") == "false"

    # An example: its threshold is dragged, and another rule is chosen.
    page.set_viewport_size({"width": 1440, "height": 900})
    shown = page.locator("#examples [data-ladder]").first
    shown.scroll_into_view_if_needed()
    page.locator("#examples [data-ladder][data-ready]").first.wait_for()
    sample = shown.get_attribute("data-ready")
    example = predictions.row(sample)
    said, handle = shown.locator("[data-hierviz=answer]"), shown.locator("[data-hierviz=tau]")
    ends = []
    for key in ("Home", "End"):
        handle.press(key)
        box = handle.bounding_box()
        ends.append(box["x"] + box["width"] / 2)
    page.mouse.move(ends[1], box["y"] + box["height"] / 2)
    page.mouse.down()
    for share in (0.8, 0.45, 0.2, 0.05):
        page.mouse.move(ends[0] + share * (ends[1] - ends[0]), box["y"] + box["height"] / 2, steps=3)
        value = float(handle.get_attribute("aria-valuenow"))
        assert value == pytest.approx(share, abs=0.003)
        steps = hv.diagnosis.sample_steps(evaluation, example)
        assert said.inner_text() == steps.sentence[steps.place(value)]
    page.mouse.up()
    shown.get_by_label("Inference rule").select_option("leaf")
    assert said.inner_text() == hv.diagnosis.sample_steps(evaluation, example, "leaf").sentence[0]

    # All probabilities of a sample, as a tree.
    # It asks before it shows, with nothing else of it that says the answer.
    ask, head = page.get_by_role("button", name="Ask first").first, page.locator("#examples summary").first
    ask.click()
    shown.locator(".ladder-choices button").first.wait_for()
    assert said.inner_text() == ""
    assert head.get_by_text("answer", exact=False).is_hidden()
    ask.click()
    shown.locator(".ladder-asks").wait_for(state="hidden")
    assert said.inner_text() == hv.diagnosis.sample_steps(evaluation, example, "leaf").sentence[0]
    assert head.get_by_text("answer", exact=False).is_visible()
    page.locator("#examples summary", has_text="Facts and other drawings").first.click()
    page.locator("#examples summary", has_text="All classes").click()
    page.locator("#examples [data-tree][data-ready]").wait_for()
    assert page.locator("#examples .mark", has_text="truth").count() == 0  # its branch is closed
    page.locator("#examples .tree").get_by_role("button", expanded=False).first.click()
    context.close()
    assert [url for url in requests if not url.startswith(("data:", "blob:"))] == [(tmp_path / "report.html").as_uri()]
    assert errors == []
    assert made.html.count("window.hit") > 5


PRINTED = """async () => {
    const seen = element => [...element.querySelectorAll("svg")].some(svg => svg.getBoundingClientRect().width > 200);
    dispatchEvent(new Event("beforeprint"));
    // Printing waits for what is done, never for a timer.
    await Promise.resolve();
    for (let turn = 0; turn < 2000; turn++) await null;
    const places = [...document.querySelectorAll("[data-chart], [data-ladder]")];
    return [places.length, places.filter(place => seen(place.nextElementSibling)).length,
        places.filter(place => place.getClientRects().length).length,
        [...document.querySelectorAll("main > section > [data-matrix], main > section > [data-tree]")]
            .filter(place => !place.firstChild).length] }"""


@pytest.mark.long
def test_paper_shows_every_chart(chromium, tmp_path):
    predictions = hostile_predictions()
    story = (StoryStep("curves", {"threshold": "0.25"}, "{correct}"), StoryStep("taxonomy", {}, "{wrong}"))
    made = hv.report(predictions, "threshold", samples=ReportSamples(worst=1, random=2), story=story)
    made.write(tmp_path / "report.html")
    context = chromium.new_context(viewport={"width": 390, "height": 844}, offline=True, color_scheme="dark")
    context.set_default_timeout(WATCHDOG)
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((tmp_path / "report.html").as_uri())
    page.wait_for_selector("html[data-ready=paper]", state="attached")
    page.emulate_media(media="print", color_scheme="dark")
    n_charts, n_on_paper, n_on_screen, n_empty = page.evaluate(PRINTED)
    assert n_on_paper == n_charts > 8
    assert (n_on_screen, n_empty) == (0, 0)
    # What numbers mean is read on paper too; but for the trees of all classes nothing stays shut.
    shut = page.locator("details:not([open]):not(:has(> [data-tree])):not(.story *)")
    expect(shut).to_have_count(0)
    for means in page.locator("section:not(#story) summary", has_text="What these numbers mean").all():
        expect(means.locator("xpath=..").locator("dd").first).to_be_visible()
    # A chart keeps its words, and leaves no half of a page empty: A4 is 1123 pixels high.
    for figure in page.locator("main > section:not(#story) figure, .step figure").all():
        assert figure.evaluate("one => getComputedStyle(one).breakInside") == "avoid"
        assert figure.bounding_box()["height"] < 480
    for name in ("h4", ".step .caption"):
        assert page.locator(name).first.evaluate("one => getComputedStyle(one).breakAfter") == "avoid"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator(".paper").count() == 0
    assert page.locator("details.example[open]").count() == 1
    assert len(page.pdf()) > 20_000
    context.close()
    assert errors == []


@pytest.mark.long
def test_the_report_of_the_texts(chromium, tmp_path):
    """The demo of texts as the command writes it: its numbers are those of `evaluate`, which other tests hold to originals."""
    made = tmp_path / "wikipedia.html"
    assert cli.main(["report", "--demo", "wikipedia", "--out", str(made)]) == 0
    assert made.stat().st_size < 10_000_000
    models = load_wikipedia()[1]
    evaluations = [hv.Evaluation.from_predictions(one) for one in models]
    expected = hv.evaluate(models, "majority", more=True)["models"]
    found = numbers_of(made.read_text("utf-8"))["evaluate"]["models"]
    assert [{**one, "name": ""} for one in found] == [{**one, "name": ""} for one in json.loads(json.dumps(expected))]

    context = chromium.new_context(viewport={"width": 1440, "height": 900}, offline=True, reduced_motion="reduce")
    context.set_default_timeout(WATCHDOG)
    page, requests, errors = context.new_page(), [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(made.as_uri())
    page.locator("#curves").scroll_into_view_if_needed()
    page.locator("#curves [data-ready=light-wide]").wait_for()
    left, top, width, height = page.evaluate(STRIP)
    page.mouse.move(left + 0.5 * width, top + height / 2)
    page.mouse.down()
    page.mouse.move(left + 0.3 * width, top + height / 2, steps=8)
    page.mouse.up()

    def heading():
        return next((text for text in page.evaluate(TEXTS) if text.startswith("At τ")), "")

    until(page, lambda: re.search(r"0\.(29|30)", heading()))
    threshold = float(re.search(r"[\d.]+", heading())[0])
    texts = page.evaluate(TEXTS)
    for evaluation in evaluations:
        for key in ("correct", "exact", "info_precision", "info_recall", "info_f1"):
            assert f"{evaluation.curve.at(threshold)[key]:.3f}" in texts, (evaluation.predictions.name, key)

    page.locator("#taxonomy").scroll_into_view_if_needed()
    page.locator("#taxonomy [data-ready]").wait_for()
    rows = page.locator("#taxonomy tbody tr")
    before = rows.count()
    page.locator("#taxonomy").get_by_role("button", expanded=False).first.click()
    until(page, lambda: rows.count() > before)
    assert re.search("CC BY-SA 4.0", page.locator("body").inner_text())
    context.close()
    assert [url for url in requests if not url.startswith(("data:", "blob:"))] == [made.as_uri()]
    assert errors == []
