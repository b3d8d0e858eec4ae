"""A against B in a browser: presses on cells, samples, classes and bars, each of which is in the address."""

import re

import pytest

from tests.browser.conftest import quiet

pytestmark = pytest.mark.browser

PAIR = "compare?comparison=pair&model=flat-softmax&against=log-win-flat-start"


def press(page, words):
    """Press the place of a drawing that screen readers pass over, by what its tooltip says there."""
    hit = page.evaluate(
        """words => {
            for (const one of document.querySelectorAll(".stVegaLiteChart svg path")) {
                const datum = one.__data__?.datum;
                if (datum && words.every(([key, value]) => datum[key] === value)) {
                    const {x, y, width, height} = one.getBoundingClientRect();
                    return [x + width / 2, y + height / 2];
                }
            }
        }""",
        list(words.items()),
    )
    assert hit, words
    page.mouse.click(*hit)
    quiet(page)


def test_a_cell_its_sample_and_both_ladders(open_page):
    page = open_page(PAIR)
    quiet(page)
    page.wait_for_selector(".stVegaLiteChart svg path", state="attached")
    press(page, {"cell": "right-wrong"})
    page.wait_for_url(re.compile("cell=right-wrong"))
    card = page.locator("[class*=st-key-card-]").first
    card.locator("img").click()
    page.wait_for_url(re.compile("both="))
    drawings = page.locator(".ladder-drawing svg")
    drawings.nth(1).wait_for()
    quiet(page)
    # One scale of p: the numbers of both axes are at the same places.
    ticks = drawings.evaluate_all(
        """found => found.map(one => [...one.querySelectorAll("text")]
            .filter(text => /^(0\\.[0-9]|1\\.0)$/.test(text.textContent))
            .map(text => Math.round(text.getBoundingClientRect().x)))"""
    )
    assert len(ticks) == 2
    assert len(ticks[0]) >= 6
    assert ticks[0][:6] == ticks[1][:6]
    page.get_by_role("button", name="Next").click()
    quiet(page)
    first = page.url
    page.get_by_role("button", name="Back to the cells").click()
    drawings.first.wait_for(state="detached")
    page.go_back()
    page.wait_for_url(first)


@pytest.mark.long
def test_a_bar_becomes_a_filter(open_page):
    page = open_page("compare?comparison=pair&contrast=together")
    quiet(page)
    page.wait_for_selector(".stVegaLiteChart svg path", state="attached")
    press(page, {"right": "none"})
    page.wait_for_url(re.compile("right=none"))
    # Here the choice above the bars says the filter; on other pages it is a chip.
    page.get_by_text(re.compile("^No model is right: [0-9]+ samples")).first.wait_for()
    page.get_by_role("link", name="These samples in Mistakes").click()
    page.get_by_role("heading", level=1, name="Mistakes").wait_for()
    page.locator(".st-key-chip-right button").first.wait_for()
