"""A lesson in a real browser: a slider that is dragged, an answer that is revealed, and the arrow keys."""

import re

import pytest
from playwright.sync_api import expect

from hierviz.lessons.catalogue import lesson
from tests.browser.conftest import quiet
from tests.browser.test_pages import check_page

pytestmark = pytest.mark.browser


def test_drag_reveal_and_arrow_keys(open_page):
    page = open_page("learn?lesson=sandbox&step=1")
    step = lesson("sandbox").step(1)
    page.get_by_text(step.options[1], exact=True).click()
    quiet(page)
    page.get_by_role("button", name="Reveal").click()
    expect(page.get_by_text("You predicted it.")).to_be_visible()
    start = page.get_by_text("A mammal is a whale, a cat or a dog").inner_text()
    assert start.startswith(step.result().reveal[:60])

    knob = page.get_by_role("slider", name="cat")
    box = knob.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    expect(page.get_by_role("button", name="Back to the start")).to_be_visible()
    cat = int(knob.input_value())
    assert cat > 30
    expect(page.get_by_text(step.result(cat=cat).reveal[:70])).to_be_visible()

    # The slider has the focus: its arrow keys move it, and not the step.
    page.keyboard.press("ArrowRight")
    expect(knob).to_have_value(str(cat + 1))
    page.get_by_role("heading", name="Probabilities add up").click()
    quiet(page)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="The answer")).to_be_visible()
    expect(page).to_have_url(re.compile("step=2"))
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name="Probabilities add up")).to_be_visible()


@pytest.mark.parametrize(("size", "scheme"), [((1440, 900), "light"), ((390, 844), "dark")])
def test_lessons_fit(open_page, size, scheme):
    page = open_page("learn?lesson=confusion&step=1", size=size, scheme=scheme)
    page.get_by_role("button", name="Reveal").click()
    expect(page.get_by_role("button", name="Hide the answer")).to_be_visible()
    check_page(page, "learn", 2, size[0], scheme)


def test_presenter_mode_is_in_the_address(open_page):
    page = open_page("learn?lesson=win&presenter=yes")
    size = page.get_by_text("The win adds up the probabilities").evaluate(
        "el => parseFloat(getComputedStyle(el).fontSize)"
    )
    assert size > 20
