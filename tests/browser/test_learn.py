"""A lesson in a real browser: a slider that is dragged, an answer that is revealed, and the arrow keys."""

import re

import pytest
from playwright.sync_api import expect

from hierviz.lessons.catalogue import LESSON_FILES, lesson
from tests.browser.conftest import quiet

pytestmark = pytest.mark.browser


def test_drag_reveal_and_arrow_keys(open_page):
    page = open_page("learn?lesson=sandbox&step=1")
    step = lesson("sandbox").step(1)
    quiet(page)
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
    page.get_by_role("heading", name="Classes above the leaves").click()
    quiet(page)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="The answer")).to_be_visible()
    expect(page).to_have_url(re.compile("step=2"))
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name="Classes above the leaves")).to_be_visible()


@pytest.mark.parametrize(
    ("size", "scheme"), [pytest.param((1440, 900), "light", marks=pytest.mark.long), ((390, 844), "dark")]
)
def test_lessons_fit(open_page, size, scheme):
    page = open_page("learn?lesson=confusion&step=1", size=size, scheme=scheme)
    quiet(page)
    page.get_by_role("button", name="Reveal").click()
    expect(page.get_by_role("button", name="Hide the answer")).to_be_visible()
    charts = page.locator(".stVegaLiteChart svg.marks")
    expect(charts).to_have_count(2)
    quiet(page)
    for chart in charts.all():
        box = chart.bounding_box()
        assert box["width"] > 200
        assert 0 <= box["x"] <= size[0] + 1 - box["width"]
    main = page.get_by_test_id("stMain").evaluate("el => [el.scrollWidth, el.clientWidth]")
    assert main[0] <= main[1]


SCREEN = (1920, 1080)


def fits(page):
    """Whether all of the page is on the screen."""
    return page.get_by_test_id("stMain").evaluate("el => el.scrollHeight <= el.clientHeight")


def letters(page):
    """Pixels of the letters of a picture on the screen, by how tall one of them is drawn."""
    return page.locator(".stVegaLiteChart svg text", has_text="mammal").first.evaluate(
        "el => el.getBoundingClientRect().height"
    )


@pytest.mark.long
def test_large_type_has_large_pictures_and_fits_the_screen(open_page):
    page = open_page("learn?lesson=sandbox&step=5", size=SCREEN)
    quiet(page)
    plain = letters(page)
    page = open_page("learn?lesson=sandbox&step=5&presenter=yes", size=SCREEN)
    quiet(page)
    size = page.get_by_text("A threshold trades certainty").evaluate("el => parseFloat(getComputedStyle(el).fontSize)")
    assert size > 19
    assert letters(page) > 1.25 * plain
    page.wait_for_function("document.querySelector('.st-key-lesson').style.zoom")
    assert fits(page)
    page.get_by_role("button", name="Reveal").click()
    # The step with most pictures.
    expect(page.locator(".stVegaLiteChart svg.marks")).to_have_count(3)
    quiet(page)
    assert fits(page)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function("Number(document.querySelector('.st-key-lesson').style.zoom) < 0.67")
    quiet(page)
    assert fits(page)


@pytest.mark.long
def test_every_step_fits_the_screen_before_and_after_its_answer(open_page):
    page = open_page("learn", size=SCREEN)
    for key in LESSON_FILES:
        page.goto(page.url.split("learn")[0] + f"learn?lesson={key}&step=1&presenter=yes")
        for number in range(1, len(lesson(key).steps) + 1):
            if number > 1:
                page.keyboard.press("PageDown")
                expect(page).to_have_url(re.compile(f"step={number}"))
            button = page.get_by_role("button", name="Reveal")
            expect(button).to_be_visible()
            quiet(page)
            assert fits(page), (key, number)
            button.click()
            expect(page.get_by_role("button", name="Hide the answer")).to_be_visible()
            quiet(page)
            assert fits(page), (key, number)
            zoom = page.locator(".st-key-lesson").evaluate("el => Number(el.style.zoom || 1)")
            assert zoom >= 0.8, (key, number)


@pytest.mark.long
def test_keys_lead_on_in_presenter_mode_whatever_has_the_focus(open_page):
    page = open_page("learn?lesson=sandbox&step=2&presenter=yes", size=SCREEN)

    def leads(key, step, focus=None):
        if focus is not None:
            focus.focus()
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(f"step={step}"))
        quiet(page)

    quiet(page)
    page.locator("[data-listens=keys]").wait_for(state="attached")
    leads("PageDown", 3)
    leads("PageUp", 2)
    threshold = page.get_by_role("slider", name="Threshold τ")
    leads("ArrowRight", 3, threshold)
    expect(page.get_by_role("slider", name="Threshold τ")).to_have_value("0.5")
    leads("ArrowLeft", 2, page.get_by_role("radio").first)
    leads("j", 3, page.get_by_role("button", name="Reveal"))
    leads("k", 2, page.get_by_role("combobox", name="Lesson"))
    # The last step leads to the exercise, which leads to the next lesson.
    for step in ("3", "4", "5", "exercise"):
        leads("PageDown", step)
    page.keyboard.press("PageDown")
    expect(page).to_have_url(re.compile("lesson=thresholds"))
    # Without large type PageDown is the browser's, and a slider keeps its keys.
    page.goto(page.url.split("learn")[0] + "learn?lesson=sandbox&step=2")
    slider = page.get_by_role("slider", name="Threshold τ")
    slider.focus()
    page.keyboard.press("PageDown")
    quiet(page)
    expect(page).to_have_url(re.compile("step=2"))


def test_the_answer_is_not_on_the_page_before_it_is_asked_for(open_page):
    page = open_page("learn?lesson=sandbox&step=2")
    quiet(page)
    expect(page.locator(".stVegaLiteChart")).to_have_count(1)
    expect(page.get_by_text("in the answer")).to_have_count(0)
    page.get_by_role("button", name="Reveal").click()
    expect(page.get_by_text("In the answer: mammal, pet.")).to_be_visible()
