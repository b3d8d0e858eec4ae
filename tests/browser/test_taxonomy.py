"""The page Taxonomy in a real browser: the tree grid by mouse and by keys, the samples of a number."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import heading, quiet

pytestmark = pytest.mark.browser


def row(page, name):
    """The row of a class in the tree grid."""
    return page.get_by_role("row", name=re.compile(f"^(Open|Close) {name} "))


def test_the_tree_opens_by_keys_and_shows_the_samples_of_a_number(open_page):
    page = open_page("taxonomy")
    grid = page.get_by_role("treegrid", name="Classes and their numbers")
    first = row(page, "land vehicle")
    expect(first).to_have_attribute("aria-expanded", "false")
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(row(page, "land vehicle")).to_have_attribute("aria-expanded", "true")
    expect(row(page, "road vehicle")).to_be_visible()
    expect(row(page, "land vehicle")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(row(page, "road vehicle")).to_be_focused()
    expect(row(page, "road vehicle")).to_have_attribute("aria-level", "3")
    page.keyboard.press("ArrowLeft")
    expect(row(page, "land vehicle")).to_be_focused()
    # A press on a column sorts.
    grid.get_by_role("button", name="Recall").click()
    expect(grid.get_by_role("columnheader", name="Recall")).to_have_attribute("aria-sort", "descending")
    expect(page).to_have_url(re.compile("node_order=recall"))
    # Enter goes into the subtree; a number of wrong answers leads to these samples.
    row(page, "watercraft").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("under=watercraft"))
    wrong = row(page, "watercraft").get_by_role("button", name=re.compile("Wrong: show these samples"))
    count = int(wrong.inner_text())
    wrong.click()
    heading(page, "Examples")
    quiet(page)
    expect(page).to_have_url(re.compile("outcome=wrong"))
    expect(page).to_have_url(re.compile("under=watercraft"))
    expect(page.get_by_text(re.compile(rf"^1 of {count}$"))).to_be_visible()
