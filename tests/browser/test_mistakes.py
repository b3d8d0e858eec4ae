"""The page Mistakes in a browser: the matrix by pointer and by key, and a link that shows the same."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import heading, quiet, ready

pytestmark = pytest.mark.browser
MATRIX = ".stVegaLiteChart svg.marks"


def counts(page):
    """Texts in the matrix, once it is drawn."""
    page.locator(MATRIX).nth(1).wait_for(state="attached")
    return page.locator(MATRIX).nth(1).locator("text").all_text_contents()


def shows(page, text):
    """Wait until the matrix shows a text."""
    expect(page.locator(MATRIX).nth(1)).to_contain_text(text)


def click_tip(page, **fields):
    """Click the invisible rectangle of the matrix whose row has these values."""
    place = (
        page.locator(MATRIX)
        .nth(1)
        .evaluate_handle(
            """(svg, fields) => [...svg.querySelectorAll('path')].find(path => path.__data__ && path.__data__.datum
            && Object.entries(fields).every(([key, value]) => path.__data__.datum[key] === value))""",
            fields,
        )
    )
    element = place.as_element()
    element.scroll_into_view_if_needed()
    element.click(force=True)


def click_in_table(page, right, down):
    """Click a place of the first table, once its rows are drawn and nothing moves it any more."""
    quiet(page)
    table = page.get_by_test_id("stDataFrame").first
    table.get_by_role("gridcell", name="v0595", include_hidden=True).wait_for(state="attached")
    table.scroll_into_view_if_needed()
    place = table.bounding_box()
    page.mouse.click(place["x"] + right, place["y"] + down)


@pytest.mark.long
def test_matrix_opens_and_a_cell_leads_to_its_samples(open_page):
    page = open_page("mistakes?part=matrix&rule=majority")
    heading(page, "Mistakes")
    quiet(page)
    # At first it is opened until it fills its place, the worst classes first.
    shows(page, "− land vehicle")
    assert len([word for word in counts(page) if word.startswith(("− ", "+ "))]) > 12
    page.goto(page.url.partition("?")[0] + "?part=matrix&rule=majority&opened=0")
    ready(page)
    quiet(page)
    shows(page, "+ watercraft")
    click_tip(page, name="watercraft", does="opens this class")
    page.wait_for_url(re.compile("opened=[1-9]"))
    quiet(page)
    shows(page, "− watercraft")
    click_tip(page, truth="aircraft", answer="land vehicle")
    page.get_by_role("heading", name="aircraft → land vehicle: 5").wait_for()
    quiet(page)
    page.get_by_role("link", name="Open these samples in Examples").click()
    heading(page, "Examples")
    expect(page.get_by_text("1 of 5", exact=True)).to_be_visible()
    # A reload of the link shows the same.
    page.go_back()
    heading(page, "Mistakes")
    page.reload()
    ready(page)
    quiet(page)
    shows(page, "− watercraft")


@pytest.mark.long
def test_matrix_by_key(open_page):
    page = open_page("mistakes?part=matrix&rule=majority&opened=0")
    quiet(page)
    chooser = page.get_by_role("combobox", name="Open or close a class")
    chooser.focus()
    page.keyboard.type("open aircraft")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("opened=[1-9]"))
    quiet(page)
    shows(page, "− aircraft")
    button = page.get_by_role("button", name="Close all")
    button.focus()
    page.keyboard.press("Enter")
    quiet(page)
    shows(page, "+ aircraft")
    cell = page.get_by_role("combobox", name="Samples of the cell")
    cell.focus()
    page.keyboard.type("watercraft → aircraft")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="watercraft → aircraft: 3").wait_for()


def test_list_shows_and_exports_what_is_chosen(open_page):
    page = open_page("mistakes?rule=majority")
    quiet(page)
    expect(page.get_by_role("heading", level=4)).to_have_text("v0428")
    # The second row; then the tick of the first.
    click_in_table(page, 150, 94)
    expect(page.get_by_role("heading", level=4)).to_have_text("v0595")
    click_in_table(page, 17, 58)
    button = page.get_by_role("button", name="Export ticked 1 (CSV)")
    button.wait_for()
    quiet(page)
    with page.expect_download() as download:
        button.click()
    header, *rows = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert header.startswith("sample_id,truth,answer,true_path,p_true_path,answer_path,p_answer_path,outcome,win_lost")
    assert [row.partition(",")[0] for row in rows] == ["v0428"]
    assert "vehicle > watercraft > motor vessel" in rows[0]


@pytest.mark.long
def test_a_filter_that_was_removed_does_not_come_back(open_page):
    page = open_page("mistakes?rule=majority")
    quiet(page)
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("combobox", name="Truth in subtree").click()
    page.get_by_role("option", name="aircraft", exact=True).click()
    page.wait_for_url("**under=aircraft*")
    page.get_by_role("heading", level=1).click()
    quiet(page)
    page.get_by_role("button", name="Truth in aircraft").click()
    page.wait_for_function("() => !location.search.includes('under=')")
    quiet(page)
    page.get_by_role("radio", name="Confusions").click()
    page.wait_for_url("**part=confusions*")
    quiet(page)
    assert "under=" not in page.url
