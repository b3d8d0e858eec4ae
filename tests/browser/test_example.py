"""The page of one sample in a real browser: keys, clicks in the tree, and the threshold that is dragged on the ribbon."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import quiet

pytestmark = pytest.mark.browser


def drawn(page):
    # The tree and the ribbon; what is folded is not made yet.
    expect(page.locator(".stVegaLiteChart svg.marks")).to_have_count(2)
    quiet(page)


def press(page, text):
    """Click on a text of the probability tree: what lies on top of it takes the click."""
    text.scroll_into_view_if_needed()
    box = text.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def texts(page, pattern):
    """Texts of the probability tree."""
    return page.locator(".stVegaLiteChart svg.marks").first.locator("text", has_text=re.compile(pattern))


@pytest.mark.long
def test_keys_step_through_the_samples_but_not_while_typing(open_page):
    page = open_page("example?tree=icicle")
    drawn(page)
    first = page.locator("h4").first.text_content()
    for key, place in (("ArrowRight", 2), ("j", 3), ("k", 2), ("ArrowLeft", 1), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        page.get_by_text(f"{place} of 600", exact=True).wait_for()
        quiet(page)
    assert page.locator("h4").first.text_content() == first
    search = page.get_by_role("textbox", name="Find a class in the tree")
    search.click()
    page.keyboard.type("jk")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    # The search is made when the field is left: the key counts that comes while the page is drawn anew.
    page.get_by_role("slider", name="threshold τ of this sample").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.search.includes('threshold=0.510')")
    quiet(page)
    expect(page.get_by_text("1 of 600", exact=True)).to_have_count(1)


@pytest.mark.long
def test_a_click_in_the_tree_focuses_and_others_unfold(open_page):
    page = open_page("example?sample=v0428&tree=icicle")
    drawn(page)
    press(page, texts(page, "^car$").first)
    page.wait_for_function("() => location.search.includes('focus=car')")
    drawn(page)
    # The path of the focused class leads back.
    page.get_by_role("button", name="road vehicle ›").click()
    page.wait_for_function("() => location.search.includes('focus=road+vehicle')")
    drawn(page)
    others, lines = texts(page, r"^others \(n="), texts(page, "")
    n_of_blocks = lines.count()
    page.get_by_test_id("stMain").get_by_text("List", exact=True).click()
    page.wait_for_function("() => location.search.includes('tree=list')")
    # The browser may draw after the server has nothing to do any more.
    expect(lines).not_to_have_count(n_of_blocks)
    drawn(page)
    n_groups, n_lines = others.count(), lines.count()
    press(page, others.last)
    page.wait_for_function("() => location.search.includes('unfold=')")
    expect(lines).not_to_have_count(n_lines)
    drawn(page)
    assert others.count() < n_groups
    assert lines.count() > n_lines


def test_the_threshold_is_dragged_on_the_ribbon(open_page):
    page = open_page("example?sample=v0428&rule=majority&tree=icicle")
    drawn(page)
    slider = page.get_by_role("slider", name="threshold τ of this sample")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.5, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.3, y, steps=5)
    # While it is dragged, the line above says what the answer is there, and the server has heard nothing.
    assert re.search(r"τ = 0\.(299|300|301): ", page.locator(".said").text_content())
    assert "threshold=" not in page.url
    page.mouse.move(box["x"] + box["width"] * 0.25, y, steps=3)
    page.mouse.up()
    page.wait_for_function("() => /threshold=0.2(49|5)/.test(location.search)")
    quiet(page)
    # It is the rule of this threshold now.
    assert "rule=" not in page.url
    page.get_by_text(re.compile(r"^At τ = 0\.2\d+ the answer is pickup")).wait_for()
    assert float(slider.get_attribute("aria-valuenow")) == pytest.approx(0.25, abs=0.002)


def test_the_calibrated_confidence_is_seen_without_scrolling(open_page):
    page = open_page("example?confidence=isotonic")
    expect(page.get_by_text("calibrated by isotonic regression")).to_be_in_viewport(ratio=1)
