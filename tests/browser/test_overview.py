"""The pictures of the Overview in a browser: what a press on each of them shows, and the way back."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import heading, quiet

pytestmark = pytest.mark.browser


def address(page):
    """Query of the address."""
    return page.url.partition("?")[2]


@pytest.mark.long
def test_pictures_are_linked_and_lead_on(open_page):
    page = open_page("", new=True)
    quiet(page)
    recommended = address(page)
    assert "model=soft-max-margin" in recommended
    title = page.get_by_text(re.compile("^Worst mistakes of Soft-max margin, threshold τ = 0.709"))
    expect(title).to_be_in_viewport()
    # A bar chooses its model, at the threshold with as many correct answers; the gallery and the sentence follow.
    bars = page.locator(".st-key-main-part-outcome-bars svg.marks").bounding_box()
    page.mouse.click(bars["x"] + bars["width"] / 2, bars["y"] + 40)
    expect(page.get_by_text("The pictures show the choice above instead: Flat softmax")).to_be_visible()
    expect(page.get_by_text(re.compile("^Worst mistakes of Flat softmax, threshold τ = 0.6726"))).to_be_visible()
    quiet(page)
    # Back is where the visit began, and it is one step.
    page.go_back()
    expect(title).to_be_in_viewport()
    quiet(page)
    assert address(page) == recommended
    # The whole card is its link, its picture too.
    page.locator(".st-key-card-0 img").click()
    heading(page, "Examples")
    quiet(page)
    assert "sample=v0344" in address(page)
    page.go_back()
    heading(page, "Overview")
    quiet(page)
    quiet(page)
    # A class of the icicle opens its subtree on Taxonomy, and the way back leads to the page as it was.
    subtrees = page.locator(".st-key-main-part-worst-subtrees svg.marks").bounding_box()
    page.mouse.click(subtrees["x"] + 60, subtrees["y"] + 100)
    heading(page, "Taxonomy")
    quiet(page)
    assert address(page) == f"{recommended}&under=land+vehicle"
    page.go_back()
    heading(page, "Overview")
    quiet(page)
    assert address(page) == recommended
    assert page.get_by_text("Truth in", exact=False).count() == 0
    # The page that the menu leads to shows the same model and threshold.
    page.get_by_role("link", name="Mistakes", exact=True).first.click()
    heading(page, "Mistakes")
    quiet(page)
    assert address(page) == recommended


@pytest.mark.long
def test_the_main_picture_of_the_page_is_marked_and_no_other(open_page):
    page = open_page("mistakes")
    page.wait_for_selector("[data-hierviz=main] .stDataFrame", state="attached")
    page.get_by_role("radio", name="Slices").click()
    expect(page.get_by_text("Clearly worse than the rest").first).to_be_visible()
    quiet(page)
    assert page.locator("[data-hierviz=main]").count() == 1
    page.get_by_role("link", name="Open files", exact=True).first.click()
    heading(page, "Open your own files")
    quiet(page)
    assert page.locator("[data-hierviz=main]").count() == 0
