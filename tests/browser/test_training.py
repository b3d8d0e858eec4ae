"""Steps of a training in a browser: the slider of Examples, a press on a step, and the pictures of Compare on a phone."""

import re

import pytest

from tests.browser.conftest import Server, quiet
from tests.training_files import write_training

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_press_on_a_step_and_the_pictures_of_all(tmp_path, open_page):
    folder = write_training(tmp_path, (1, 2, 10))
    files = [
        "--taxonomy",
        folder / "taxonomy.csv",
        "--truth",
        folder / "truth.csv",
        "--predictions",
        f"flat@={folder / 'flat'}",
    ]
    server = Server(tmp_path / "log.txt", *map(str, files))
    try:
        page = open_page("example?sample=s3", base=server.url)
        quiet(page)
        slider = page.get_by_role("slider", name="Step of flat")
        slider.wait_for()
        hit = page.evaluate(
            """() => { for (const one of document.querySelectorAll(".stVegaLiteChart svg path")) {
                const datum = one.__data__?.datum;
                if (datum?.at === "2") { one.scrollIntoView({block: "center"});
                    const {x, y, width, height} = one.getBoundingClientRect(); return [x + width / 2, y + height / 2]; } } }"""
        )
        page.mouse.click(*hit)
        page.wait_for_url(re.compile("at_step=2"))
        page.get_by_text("Step 2:").wait_for()
        slider.focus()
        page.keyboard.press("ArrowLeft")
        page.wait_for_url(re.compile("at_step=1(&|$)"))
        page = open_page("compare?comparison=training", base=server.url, size=(390, 844))
        quiet(page)
        chart = page.locator(".stVegaLiteChart svg").first
        chart.wait_for()
        assert chart.bounding_box()["width"] <= 390
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    finally:
        server.stop()
