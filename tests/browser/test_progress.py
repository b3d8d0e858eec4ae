"""Long computations in a real browser: the progress bar is visible, Cancel ends it, and it can be restarted."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
BAR = "[data-testid=stProgress]"
TOLD = re.compile(r"Bootstrap of .+: [\d,]+ of 100,000 resamples, [\d,]+ a second, .+ left")


@pytest.mark.long
@pytest.mark.parametrize(("size", "scheme"), [((1440, 900), "light"), ((390, 844), "dark")])
def test_a_bootstrap_is_cancelled_and_started_again(open_page, size, scheme):
    page = open_page("curves?panel=uncertainty", size=size, scheme=scheme)
    page.get_by_role("spinbutton", name="Resamples").fill("100000")
    page.get_by_role("spinbutton", name="Resamples").press("Enter")
    page.get_by_text("Show bands and intervals").click()
    # The press comes from a part of the page that runs alone; the work does not, or nobody could cancel it.
    expect(page.locator(BAR)).to_contain_text(TOLD)
    box = page.locator(BAR).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size[0]
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Bands and intervals: cancelled.")).to_have_count(1)
    expect(page.locator(BAR)).to_have_count(0)
    expect(page.locator(".stVegaLiteChart svg.marks").first).to_be_visible()
    page.get_by_role("button", name="Start again").click()
    expect(page.locator(BAR)).to_contain_text(TOLD)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Bands and intervals: cancelled.")).to_have_count(1)
