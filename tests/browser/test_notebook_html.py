"""What `hv.show` gives a notebook: an iframe that works in a real Chromium from a file, with the network off."""

import re

import pytest

import hierviz as hv
from hierviz.demo import load_demo
from tests.browser.conftest import WATCHDOG
from tests.browser.curve_page import rest

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def curves():
    """Operating curves of two demo models by name, as in the notebook."""
    _, models = load_demo(["flat_softmax", "conditional_sigmoid"])
    return {one.name: hv.Evaluation.from_predictions(one).curve for one in models}


@pytest.fixture(scope="module")
def opened(chromium, curves, tmp_path_factory):
    """The notebook's cell as a file in an offline browser, and the document inside its iframe."""
    file = tmp_path_factory.mktemp("notebook") / "cell.html"
    shown = hv.show(hv.charts.operating_curves(curves, threshold=0.5))
    file.write_text(f"<!DOCTYPE html><meta charset='utf-8'>{shown._repr_html_()}", encoding="utf-8")
    context = chromium.new_context(viewport={"width": 1200, "height": 1000}, offline=True)
    context.set_default_timeout(WATCHDOG)
    page = context.new_page()
    requests, errors = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: message.type in ("error", "warning") and errors.append(message.text))
    page.goto(file.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("#chart svg.marks").wait_for()
    yield page, frame
    context.close()
    assert [url for url in requests if not url.startswith(("data:", "blob:", "about:"))] == [file.as_uri()]
    assert errors == []


def texts(frame):
    return frame.locator("#chart svg.marks").evaluate("el => [...el.querySelectorAll('text')].map(t => t.textContent)")


def numbers(frame):
    """(threshold of the heading, numbers of the read-out)."""
    found = texts(frame)
    heading = next(text for text in found if text.startswith("At τ"))
    return float(re.search(r"\d\.\d+|\d", heading)[0]), [one for one in found if re.fullmatch(r"\d\.\d{2,3}", one)]


def assert_numbers(frame, curves, threshold):
    heading, shown = numbers(frame)
    assert heading == pytest.approx(threshold, abs=0.0051)
    for name, curve in curves.items():
        values = curve.at(threshold)
        for key in ("correct", "exact", "info_precision", "info_recall", "info_f1"):
            assert f"{values[key]:.3f}" in shown, (name, key)


@pytest.mark.long
def test_the_slider_moves_the_numbers(opened, curves):
    page, frame = opened
    assert_numbers(frame, curves, 0.5)
    slider = frame.locator("input[type=range]")
    assert slider.count() == 1
    before = numbers(frame)
    slider.focus()
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    rest(page)
    threshold = float(slider.input_value())
    assert threshold > 0.5
    assert numbers(frame) != before
    assert_numbers(frame, curves, threshold)
    for threshold in (0.9, 0.123, 1.0, 0.0):
        slider.fill(str(threshold))
        rest(page)
        assert_numbers(frame, curves, threshold)


@pytest.mark.long
def test_nothing_is_cut_off(opened):
    """The iframe is as tall and wide as what stands in it, the slider included."""
    _, frame = opened
    sizes = frame.locator("html").evaluate(
        "el => [el.scrollWidth - innerWidth, el.scrollHeight - innerHeight, document.querySelectorAll('script[src]').length]"
    )
    assert sizes[0] <= 0
    assert sizes[1] <= 0
    assert sizes[2] == 0
