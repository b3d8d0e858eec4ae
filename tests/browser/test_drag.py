"""The threshold is dragged in the browser, without the server, and lands in the session, the URL and every number."""

import math
import re

import numpy as np
import pytest

import hierviz as hv
from hierviz.curves.answer_depths import answer_depths, share_not_at_leaf
from hierviz.demo import load_demo
from tests.browser.conftest import quiet
from tests.browser.curve_page import CurvePage, rest, until

pytestmark = pytest.mark.browser

MODELS = {"flat-softmax": "Flat softmax", "conditional-sigmoid": "Conditional sigmoid", "multi-label": "Multi-label"}
QUERY = f"curves?models={','.join(MODELS)}"


@pytest.fixture(scope="module")
def demo():
    """Taxonomy, and by model name: Pareto table of the judged samples and operating curve, from the public functions."""
    taxonomy, models = load_demo()
    found = {}
    for one in models:
        table = hv.pareto_table(taxonomy, one).take(np.flatnonzero(one.has_truth))
        found[one.name] = table, hv.operating_curve(taxonomy, one.truth[one.has_truth], table)
    return taxonomy, found


def expected_read_out(demo, threshold):
    """Texts of the read-out at a threshold, by model number."""
    taxonomy, models = demo
    found = {}
    for number, name in enumerate(MODELS.values()):
        table, curve = models[name]
        at = curve.at(threshold)
        keys = ("correct", "exact", "info_precision", "info_recall", "info_f1", "no_answer")
        counts = answer_depths(taxonomy, table, [threshold])[0]
        found[number] = [
            *(f"{at[key]:.3f}" for key in keys),
            f"{share_not_at_leaf(taxonomy, table, [threshold])[0]:.3f}",
            f"{counts @ np.arange(len(counts)) / table.n_samples:.2f}",
        ]
    return found


def percent(share):
    """Halves up, as a reader rounds them: a share of 600 samples may be one."""
    return math.floor(100 * share + 0.5 + 1e-9)


def check_everything(chart, demo, threshold, picked):
    """Every number on the page is the one of the public functions at `threshold`, to the digits shown."""
    taxonomy, models = demo
    assert chart.read_out() == expected_read_out(demo, threshold)
    table, curve = models[picked]
    counts = answer_depths(taxonomy, table, [threshold])[0].tolist()
    shown = [word for word in chart.words("depths") if re.fullmatch(r"[\d,]+", word)]
    assert [str(one) for one in counts] == shown[-len(counts) :]
    (sentence,) = chart.words("sentence")
    assert sentence.startswith(f"{picked} at τ = ")
    at = curve.at(threshold)
    for key in ("correct", "exact", "info_recall"):
        if 0.01 < at[key] < 0.99:
            assert f"{percent(at[key])} %" in sentence, key
    right = f"{percent(at['correct'])} %" if at["correct"] < 0.99 or at["correct"] == 1 else "over 99 %"
    assert f": correct {right}," in sentence


def settled(page, threshold):
    """Wait for the server's answer to a threshold: the link to the answers there has it."""
    page.locator(f'a[href*="threshold={threshold:.3f}"]', has_text="See the answers at this τ").wait_for()


def on_examples(page, threshold, model):
    """Wait for the page Examples at a threshold of a model."""
    page.wait_for_url(re.compile(rf"/example\?.*model={model}"))
    page.wait_for_function(
        """threshold => Math.abs(parseFloat(new URL(location).searchParams.get("threshold")) - threshold) < 1e-9""",
        arg=threshold,
    )


def twenty_steps(chart, places):
    """Move the pressed pointer to each place; what the page shows after each."""
    seen = []
    for x, y in places:
        chart.page.mouse.move(x, y, steps=2)
        rest(chart.page)
        seen.append(chart.state())
    return seen


@pytest.mark.long
def test_the_handle_with_the_server_stopped(open_page, server, demo):
    page = open_page(QUERY)
    chart = CurvePage(page, server)
    assert chart.threshold() == 0.5
    page.mouse.move(*chart.on_strip(0.5))
    page.mouse.down()
    with chart.server_stopped():
        chart.forget()
        seen = twenty_steps(chart, [chart.on_strip(0.51 + 0.02 * step) for step in range(20)])
        # The last step leaves the chart; the release is outside of it.
        x, y = chart.on_strip(0.9)
        page.mouse.move(x, y - 380)
        rest(page)
        assert chart.sent() == 0
    for what in ("read-out", "histogram", "sentence", "dots", "number", "handle"):
        # Ticks hold the handle for a step or two.
        assert len({one[what] for one in seen}) >= 18, what
    threshold = chart.threshold()
    assert threshold == pytest.approx(0.9, abs=0.003)
    page.mouse.up()
    assert chart.url_threshold("threshold > 0.8") == threshold
    page.wait_for_selector(
        '#hierviz-view[data-threshold="0.500"]', state="attached"
    )  # the page outside did not run again
    settled(page, threshold)
    assert chart.sent() == 1
    check_everything(chart, demo, threshold, "Flat softmax")
    before = chart.read_out()
    page.reload()
    again = CurvePage(page)
    assert again.read_out() == before
    ticks_hold_the_handle_unless_alt_is_down(again)


def ticks_hold_the_handle_unless_alt_is_down(chart):
    page = chart.page
    x, y = chart.on_strip(0.5)
    page.mouse.move(x + 60, y)
    page.mouse.down()
    page.mouse.move(x + 4, y)
    rest(page)
    assert chart.threshold() == 0.5
    page.keyboard.down("Alt")
    page.mouse.move(x + 5, y)
    rest(page)
    width = chart.plot("strip")[2]
    assert chart.threshold() == pytest.approx(0.5 + 5 / width, abs=0.002)
    assert chart.threshold() != 0.5
    page.keyboard.up("Alt")
    page.mouse.up()


@pytest.mark.long
def test_a_dot_along_its_curve_with_the_server_stopped(open_page, server, demo):
    page = open_page(QUERY)
    chart = CurvePage(page, server)
    chart.show("main")
    x, y, _ = chart.dots()["Multi-label"]
    page.mouse.move(x, y)
    rest(page)
    assert page.evaluate("() => document.querySelector('svg.marks').style.cursor") == "grab"
    page.mouse.down()
    with chart.server_stopped():
        chart.forget()
        seen = twenty_steps(chart, [(x - 12 * step, y - 3 * step) for step in range(1, 21)])
        assert chart.sent() == 0
        end = chart.dots()["Multi-label"]
    for what in ("read-out", "dots", "number", "handle"):
        assert len({one[what] for one in seen}) == 20, what
    assert len({one["sentence"] for one in seen}) >= 15
    # The dot stays on its curve and near the pointer; its curve is to the left above one half.
    thresholds = [float(one["number"]) for one in seen]
    assert thresholds == sorted(thresholds)
    assert end[2] == chart.threshold() > 0.6
    assert abs(end[0] - (x - 240)) < 40
    page.mouse.up()
    threshold = chart.threshold()
    assert chart.url_threshold("threshold > 0.55") == threshold
    settled(page, threshold)
    assert chart.sent() == 1
    # Who is grabbed is looked at, here and on the other pages.
    assert "model=multi-label" in page.url
    check_everything(chart, demo, threshold, "Multi-label")
    page.get_by_role("link", name="See the answers at this τ").click()
    on_examples(page, threshold, "multi-label")
    # Back on the page another chart stands there, and is moved once, not twice.
    page.go_back()
    page.wait_for_url("**/curves?*")
    chart = CurvePage(page, server)
    assert chart.threshold() == threshold
    chart.forget()
    page.mouse.move(*chart.on_strip(0.3))
    page.mouse.down()
    page.mouse.move(*chart.on_strip(0.33), steps=4)
    page.mouse.up()
    assert chart.url_threshold("threshold < 0.4") == chart.threshold()
    settled(page, chart.threshold())
    assert chart.sent() == 1


@pytest.mark.long
def test_keys_and_the_number_field_with_the_server_stopped(open_page, server, demo):
    page = open_page(f"{QUERY}&model=multi-label")
    chart = CurvePage(page, server)
    curve = demo[1]["Multi-label"][1]
    chart.handle.focus()
    with chart.server_stopped():
        seen = [chart.state()]
        for key, threshold in (
            ("ArrowRight", 0.51),
            ("ArrowUp", 0.52),
            ("ArrowLeft", 0.51),
            ("PageUp", 0.61),
            ("Home", 0),
        ):
            page.keyboard.press(key)
            rest(page)
            assert chart.threshold() == threshold
            seen.append(chart.state())
        page.keyboard.press("End")
        rest(page)
        assert chart.threshold() == 1
        chart.number.fill("0.42")
        rest(page)
        assert chart.threshold() == 0.42
        assert chart.handle.get_attribute("aria-valuenow") == "0.42"
        assert chart.read_out() == expected_read_out(demo, 0.42)
        chart.number.press("ArrowUp")
        rest(page)
        assert chart.threshold() == 0.43
        # With shift to the next threshold at which the answers of the model change: something must be different there.
        chart.handle.focus()
        for key, step in (("Shift+ArrowRight", 1), ("Shift+ArrowRight", 1), ("Shift+ArrowLeft", -1)):
            old = chart.threshold()
            page.keyboard.press(key)
            rest(page)
            assert 0 < step * (chart.threshold() - old) < 0.01
            assert curve.place(chart.threshold()) != curve.place(old)
        threshold = chart.threshold()
    assert len({one["read-out"] for one in seen}) == 5  # 0.51 twice
    assert chart.url_threshold(f"Math.abs(threshold - {threshold}) < 1e-9") == threshold
    settled(page, threshold)
    check_everything(chart, demo, threshold, "Multi-label")
    chart.forget()
    # In one go, so that the page has no time to ask the server in between.
    chart.handle.evaluate(
        """handle => { for (let k = 0; k < 10; k += 1)
        handle.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true, cancelable: true})) }"""
    )
    chart.url_threshold(f"threshold > {threshold} + 0.09")
    assert chart.sent() == 1


def touch(page, kind, x=0, y=0):
    """One finger, as the browser gets it from a phone."""
    if not hasattr(page, "finger"):
        page.finger = page.context.new_cdp_session(page)
    points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
    page.finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@pytest.mark.long
def test_a_finger_at_390_pixels(open_page, server):
    page = open_page(QUERY, size=(390, 844), touch=True)
    chart = CurvePage(page, server)
    scrolled = "() => document.querySelector('[data-testid=stMain]').scrollTop"
    start = page.evaluate(scrolled)
    x, y = chart.on_strip(0.5)
    touch(page, "touchStart", x, y)
    seen = set()
    with chart.server_stopped():
        for step in range(1, 11):
            touch(page, "touchMove", x + 10 * step, y + 3 * step)
            rest(page)
            seen.add(chart.state()["read-out"])
    touch(page, "touchEnd")
    assert len(seen) >= 8
    first = float(chart.number.input_value())
    assert first > 0.8
    assert chart.url_threshold("threshold > 0.7") == first
    quiet(page)
    chart.show("main")
    until(page, lambda: "Multi-label" in chart.dots())
    x, y, _ = chart.dots()["Multi-label"]
    start = page.evaluate(scrolled)
    touch(page, "touchStart", x, y)
    seen = set()
    with chart.server_stopped():
        for step in range(1, 11):
            touch(page, "touchMove", x + 6 * step, y + 4 * step)
            rest(page)
            seen.add(chart.state()["read-out"])
    touch(page, "touchEnd")
    assert len(seen) >= 8
    assert page.evaluate(scrolled) == start
    assert chart.url_threshold(f"threshold < {first}") == float(chart.number.input_value()) < first
    # Where nothing can be grabbed the finger scrolls the page.
    left, top, _, height = chart.plot("main")
    top += height
    touch(page, "touchStart", left + 30, top - 15)
    for step in range(1, 11):
        touch(page, "touchMove", left + 30, top - 15 - 12 * step)
        rest(page)
    touch(page, "touchEnd")
    page.wait_for_function(f"() => document.querySelector('[data-testid=stMain]').scrollTop > {start} + 40")


@pytest.mark.long
def test_every_model_with_a_threshold_of_its_own(open_page, server):
    own = "flat-softmax:0.3,conditional-sigmoid:0.4,multi-label:0.7"
    page = open_page(f"{QUERY}&thresholds={own}&model=multi-label")
    chart = CurvePage(page, server)
    chart.show("main")

    def thresholds():
        return {name: at[2] for name, at in chart.dots().items()}

    assert thresholds() == {"Flat softmax": 0.3, "Conditional sigmoid": 0.4, "Multi-label": 0.7}
    for name, key, by in (("Conditional sigmoid", "conditional-sigmoid", -60), ("Multi-label", "multi-label", 30)):
        before = thresholds()
        x, y, _ = chart.dots()[name]
        chart.forget()
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + by, y + by / 6, steps=8)
        rest(page)
        page.mouse.up()
        now = thresholds()
        assert {one for one in now if now[one] != before[one]} == {name}
        text = f"{now[name]:.12f}".rstrip("0").ljust(5, "0")
        page.wait_for_function(f"() => new URL(location).searchParams.get('thresholds').includes('{key}:{text}')")
        assert chart.sent() == 1
    # Another theme is another drawing: it starts where the last one was left.
    now = thresholds()
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => document.querySelector('svg.marks').style.backgroundColor.includes('23, 22, 20')")
    chart = CurvePage(page, server)
    until(page, lambda: thresholds() == now)
    assert chart.handle.get_attribute("aria-valuenow") == str(now["Multi-label"])
    page.get_by_role("link", name="See the answers at this τ").click()
    on_examples(page, now["Multi-label"], "multi-label")


@pytest.mark.long
def test_a_button_moves_the_handle(open_page):
    page = open_page("curves?threshold=0.987654")
    chart = CurvePage(page)
    assert chart.threshold() == 0.987654
    assert float(chart.number.input_value()) == 0.987654
    page.get_by_role("button", name=re.compile("Majority")).click()
    # 0.5 is what a link without a threshold means.
    page.wait_for_function("() => !new URL(location).searchParams.has('threshold')")
    page.wait_for_function(
        "text => document.querySelector('svg.marks g.read_out_group')?.textContent.includes(text)",
        arg="At τ = 0.500",
    )
    # For a moment the old field stands beside the new one.
    until(page, lambda: chart.number.evaluate_all("all => all.map(one => Number(one.value))") == [0.5])
