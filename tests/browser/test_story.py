"""The story of the demo, played in a real Chromium: full screen, arrow keys, captions with the numbers of the metric modules."""

import pytest

import hierviz as hv
from hierviz.demo import load_demo
from hierviz.reports.captions import caption_text
from hierviz.reports.of_the_demo import demo_story
from hierviz.reports.story_step import model_keys
from tests.browser.conftest import heading, quiet

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_the_story_is_played(open_page):
    _, predictions = load_demo(["flat_softmax"])
    models = {
        key: hv.Evaluation.from_predictions(found) for key, found in zip(model_keys(["Flat softmax"]), predictions)
    }
    steps = demo_story(models)
    page = open_page("story", new=True)
    page.get_by_role("button", name="Play").click()
    bar = page.locator(".st-key-story-played")
    for place, step in enumerate(steps):
        bar.get_by_text(f"{place + 1} of {len(steps)}").wait_for()
        quiet(page)
        assert bar.locator("p").inner_text() == caption_text(step, models)
        assert page.evaluate("document.fullscreenElement !== null")
        assert all(f"{name}=" in page.url for name in step.view)
        page.keyboard.press("ArrowRight")
    quiet(page)
    page.keyboard.press("ArrowLeft")
    bar.get_by_text(f"{len(steps) - 1} of {len(steps)}").wait_for()
    quiet(page)
    # Keys that are pressed while a page still works are not lost, and nothing lies below the bar.
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    bar.get_by_text(f"{len(steps) - 5} of {len(steps)}", exact=True).wait_for()
    quiet(page)
    assert bar.locator("p").inner_text() == caption_text(steps[len(steps) - 6], models)
    edge = page.get_by_test_id("stMain").bounding_box()
    assert abs(edge["y"] + edge["height"] - bar.locator("section").bounding_box()["y"]) < 2
    page.get_by_role("button", name="End").click()
    heading(page, "Story")
    assert bar.count() == 0
    page.wait_for_function("document.fullscreenElement === null")
