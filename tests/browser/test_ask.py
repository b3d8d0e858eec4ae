"""Examples that ask first, in a real browser: a wrong and a right choice, rows by keys, a dragged bar, and its way back."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ready

pytestmark = pytest.mark.browser

# The answer at .5 is bicycle, p = .916, a leaf.
ADDRESS = "example?sample=v0001&ask=yes"


def drawn(page):
    page.locator("[data-hierviz=example][data-ready=v0001]").wait_for()


def choice(page, name):
    return page.locator(".ladder-choices").get_by_role("button", name=re.compile(f"^(✓ |✗ )?{name}"))


def opened(page):
    """Rows of which something is drawn: each has its term of the win."""
    return sum(re.match(r"1/[0-9]+ × ", text) is not None for text in texts(page))


def told(page):
    """The answer that the page is said to give."""
    return page.locator("[data-hierviz=answer]").get_attribute("data-answer")


def texts(page):
    return page.locator("[data-hierviz=example] svg").first.evaluate(
        "svg => [...svg.querySelectorAll('text')].map(one => one.textContent)"
    )


@pytest.mark.long
def test_it_asks_judges_and_opens_row_by_row(open_page):
    page = open_page(ADDRESS)
    drawn(page)
    verdict = page.locator("[data-hierviz=verdict]")
    slider = page.locator("[data-hierviz=tau]")
    assert "Answer: ?" in texts(page)
    # The name of a sample may tell its class.
    assert [text for text in texts(page) if "light: " in text]
    assert not [text for text in texts(page) if "v0001" in text]
    assert not [text for text in texts(page) if "correct" in text or "exact" in text]
    # Nor do those who hear the page hear it.
    assert slider.get_attribute("aria-valuetext") == "0.500"
    assert told(page) == ""
    rows = [opened(page)]
    for key in ("Space", "ArrowDown"):
        page.keyboard.press(key)
        rows.append(opened(page))
    assert rows == [1, 2, 3]
    assert page.evaluate("scrollY") == 0
    # Wrong, then asked again, then right.
    choice(page, "two-wheeler").click()
    expect(verdict).to_have_text("Not two-wheeler. Stops at bicycle (p = 0.916): it is a leaf. Exact.")
    assert slider.get_attribute("aria-valuetext").startswith("0.500: Stops at bicycle")
    assert told(page) == "bicycle"
    page.get_by_role("button", name="Ask again").click()
    expect(verdict).to_have_text("")
    assert opened(page) == 1
    choice(page, "bicycle").focus()
    page.keyboard.press("Enter")
    expect(verdict).to_have_text("Right: bicycle. Stops at bicycle (p = 0.916): it is a leaf. Exact.")
    # The second question: bicycle has 1/8 × .084, more than the others.
    expect(page.locator(".ladder-question")).to_have_text("Which term of the win is lost most?")
    assert "win = ?" in texts(page)
    choice(page, "land vehicle").click()
    expect(verdict).to_contain_text(
        re.compile(r"Not land vehicle: land vehicle loses 1/2 × \(1 − 0\.990\) = .*; most is lost at bicycle")
    )
    expect(choice(page, "bicycle")).to_have_class("right")
    expect(choice(page, "land vehicle")).to_have_class("wrong")
    assert any(text.startswith("win 0.97") for text in texts(page))


@pytest.mark.long
def test_a_dragged_bar_changes_the_answer_until_it_is_taken_back(open_page):
    page = open_page(ADDRESS)
    drawn(page)
    choice(page, "bicycle").click()
    page.get_by_role("button", name="All rows").click()
    changed = page.locator("[data-hierviz=changed]")
    expect(changed).to_be_hidden()
    grip = page.get_by_role("slider", name="What if: p of motorcycle")
    box = grip.locator("i").bounding_box()
    start, high = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    most, now = float(grip.get_attribute("aria-valuemax")), float(grip.get_attribute("aria-valuenow"))
    left = grip.evaluate("one => one.getBoundingClientRect().left")
    pixel = (start - left) / now
    page.mouse.move(start, high)
    page.mouse.down()
    page.mouse.move(left + 0.7 * pixel, high, steps=4)
    assert float(grip.get_attribute("aria-valuenow")) == pytest.approx(0.7, abs=0.03)
    # Nothing is worked out before it is released.
    expect(page.locator("[data-hierviz=verdict]")).to_contain_text("Stops at bicycle")
    page.mouse.up()
    expect(changed).to_contain_text(
        re.compile(r"Changed by you, not the model’s: motorcycle 0\.[67]\d\d \(model: 0\.069\)\.")
    )
    expect(page.locator("[data-hierviz=verdict]")).to_contain_text(re.compile(r"^Stops at motorcycle \(p = 0\.[67]"))
    assert "Answer: motorcycle" in texts(page)
    # The parent keeps its p, and bicycle has what motorcycle leaves.
    assert "0.985" in " ".join(texts(page))
    value = float(page.get_by_role("slider", name="What if: p of motorcycle").get_attribute("aria-valuenow"))
    other = float(page.get_by_role("slider", name="What if: p of bicycle").get_attribute("aria-valuenow"))
    assert value + other == pytest.approx(most, abs=1e-3)
    # By keys, and past the end there is nothing.
    grip.focus()
    page.keyboard.press("End")
    expect(changed).to_contain_text("motorcycle 0.985")
    page.get_by_role("button", name="Back to the model’s p").click()
    expect(changed).to_be_hidden()
    expect(page.locator("[data-hierviz=verdict]")).to_contain_text("Stops at bicycle")
    # The address keeps the mode, not what was changed.
    assert "ask=yes" in page.url
    page.reload()
    ready(page)
    drawn(page)
    expect(page.locator(".ladder-question")).to_have_text("Which answer at this τ?")


@pytest.mark.long
@pytest.mark.parametrize("size", [(390, 844), (1920, 1080)])
def test_it_fits_and_is_large_where_there_is_room(open_page, size):
    page = open_page(ADDRESS, size=size, scheme="dark", touch=size[0] < 500)
    drawn(page)
    choice(page, "bicycle").click()
    expect(page.locator("[data-hierviz=verdict]")).to_contain_text("Right: bicycle.")
    wide = page.evaluate("document.documentElement.scrollWidth")
    place, question = page.locator("[data-hierviz=example]"), page.locator(".ladder-question")
    high = place.evaluate("one => one.getBoundingClientRect().bottom")
    type_size = question.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
    assert wide <= size[0]
    if size[0] > 1000:
        assert high <= size[1]
        assert type_size > 24
    page.locator("[data-testid=stCheckbox]", has_text="Ask first").locator("label").first.click()
    page.wait_for_url(lambda url: "ask=yes" not in url)
    expect(page.locator("[data-hierviz=asks]")).to_be_hidden()
