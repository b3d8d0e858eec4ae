"""Popovers, menus and dialogs that are open while the page changes: the new page is there, whole, and stays."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import heading, quiet

pytestmark = pytest.mark.browser

# Address and title by the label in the navigation.
PAGES = {
    "Overview": ("", "Overview"),
    "Operating curves": ("curves", "Operating curves"),
    "Compare": ("compare", "Compare"),
    "Examples": ("example", "Examples"),
    "Mistakes": ("mistakes", "Mistakes"),
    "Taxonomy": ("taxonomy", "Taxonomy"),
    "Model": ("model", "Model"),
    "Learn": ("learn", "Learn"),
    "Open files": ("open", "Open your own files"),
}
# Where more popovers stand, besides.
PARTS = (
    "curves?panel=models",
    "compare?comparison=agreement",
    "mistakes?part=matrix",
    "learn?lesson=glossary",
    "story",
)
# The kind of each popover of a page: of "number-exact" the first word, for numbers are defined alike; null of a hidden one.
KINDS = """all => all.map(one => {
    if (!one.checkVisibility()) return null;
    const key = [...one.closest('.stPopover, [data-testid=stPopover]')?.parentElement?.classList ?? []]
        .find(name => name.startsWith('st-key-'));
    return key?.slice(7).split('-')[0] ?? one.innerText.split('\\n')[0]; })"""


def follow(page, label):
    """Press a link of the navigation: the page is there, and nothing that comes later takes it away."""
    address, title = PAGES[label]
    page.get_by_role("link", name=label, exact=True).first.click()
    heading(page, title)
    quiet(page)
    heading(page, title)
    assert page.url.split("?")[0].rpartition("/")[2] == address
    expect(page.get_by_text("nothing is sent anywhere")).to_be_visible()
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)


def open_popover(page, place):
    page.get_by_test_id("stPopoverButton").nth(place).click()
    page.get_by_test_id("stPopoverBody").wait_for()
    quiet(page)


@pytest.mark.parametrize(
    "labels", [["Compare", "Mistakes"], pytest.param(list(PAGES), marks=pytest.mark.long, id="every page")]
)
def test_the_menu_save_is_open_while_a_page_is_opened(open_page, labels):
    page = open_page("learn", new=True)
    for label in labels:
        page.locator(".st-key-save-menu").get_by_role("button").first.click()
        page.get_by_test_id("stPopoverBody").get_by_text("What to save").wait_for()
        quiet(page)
        follow(page, label)


@pytest.mark.long
@pytest.mark.parametrize("start", [*(address for address, _ in PAGES.values()), *PARTS])
def test_every_popover_is_open_while_every_page_is_opened(open_page, start):
    page = open_page(start, new=True)
    quiet(page)
    kinds = page.get_by_test_id("stPopoverButton").evaluate_all(KINDS)
    for place in {kind: place for place, kind in enumerate(kinds) if kind}.values():
        for label in PAGES:
            if page.url.split("?")[0].rpartition("/")[2] != start.split("?")[0]:
                page.go_back()
                page.wait_for_function(
                    "n => document.querySelectorAll('[data-testid=stPopoverButton]').length > n", arg=place
                )
                quiet(page)
            open_popover(page, place)
            follow(page, label)


@pytest.mark.long
def test_a_dialog_is_open_while_the_browser_goes_back(open_page):
    page = open_page("mistakes", new=True)
    follow(page, "Operating curves")
    page.locator(".st-key-copy-link").get_by_role("button").first.click()
    page.get_by_role("button", name=re.compile("as a file")).click()
    page.get_by_test_id("stDialog").wait_for()
    quiet(page)
    page.go_back()
    heading(page, "Mistakes")
    quiet(page)
    heading(page, "Mistakes")
    expect(page.get_by_test_id("stDialog")).to_have_count(0)
    expect(page.get_by_text("nothing is sent anywhere")).to_be_visible()
