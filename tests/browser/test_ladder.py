"""The ladder in a real browser: dragged without the server, by keys, on the small curve; the next sample; every step of 200
samples.

`pytest tests/browser/test_ladder.py -s` prints how long the script of a frame took.
"""

import json
import re

import numpy as np
import pytest
from ladder_samples import KINDS, PARAMETERS, record_of, samples_of, values_of
from playwright.sync_api import expect

from hierviz.charts.ladder_module import browser_module
from hierviz.charts.ladder_spec import ladder_spec
from hierviz.demo import load_demo
from hierviz.diagnosis._sample_steps import sample_steps
from hierviz.evaluation._conformal import conformal_of_sample
from hierviz.evaluation.evaluation import Evaluation
from tests.browser.conftest import quiet

pytestmark = pytest.mark.browser

SAMPLE = "v0428"
EXAMPLE, TAU, SAID = "[data-hierviz=example]", "[data-hierviz=tau]", "[data-hierviz=answer]"
# A page with the module and records alone, as a report or a notebook has them.
BARE = """<!doctype html><meta charset="utf-8"><div id="place"></div><script type="module">
import {hierviz, vegaEmbed} from "./ladder.js";
window.show = async (spec, record) => {
    const look = () => ({dark: false, width: 1200, height: 700});
    if (!window.ladder)
        window.ladder = await hierviz.ladder(document.getElementById("place"), {spec, record, embed: vegaEmbed, look});
    else await window.ladder.update(record);
};
// The answers that the drawing and its words give for each value of each rule.
window.answers = asked => asked.map(([rule, values]) => {
    ladder.choose({rule});
    return values.map(value => {
        ladder.state.value = value;
        ladder.draw();
        return [ladder.said.dataset.answer, ladder.view.data("now").map(one => one.name)];
    });
});
window.isReady = true;
</script>"""


@pytest.fixture(scope="module")
def demo():
    _, (predictions,) = load_demo(["flat_softmax"])
    return Evaluation.from_predictions(predictions)


@pytest.fixture(scope="module")
def bare(chromium):
    """A page without a server."""
    page = chromium.new_page()
    page.route("http://ladder.example/", lambda route: route.fulfill(body=BARE, content_type="text/html"))
    script = {"body": browser_module(), "content_type": "text/javascript"}
    page.route("http://ladder.example/ladder.js", lambda route: route.fulfill(**script))
    page.goto("http://ladder.example/")
    page.wait_for_function("() => window.isReady")
    yield page
    page.close()


@pytest.mark.parametrize("kind", ["demo", *(pytest.param(kind, marks=pytest.mark.long) for kind in KINDS)])
def test_the_answer_is_that_of_the_rule_at_every_step_and_a_float_beside(bare, demo, kind):
    for sample in samples_of(kind, demo):
        record = record_of(sample)
        asked = [(rule, *values_of(record, rule)) for rule in sample.rules if sample.p is None or rule in PARAMETERS]
        bare.evaluate("([spec, record]) => show(spec, record)", [ladder_spec(), json.loads(json.dumps(record))])
        found = bare.evaluate("asked => answers(asked)", [[rule, values] for rule, _, values in asked])
        for (rule, parameter, values), of_rule in zip(asked, found, strict=True):
            for value, (said, drawn) in zip(values, of_rule, strict=True):
                answer = sample.infer(rule, parameter, value)
                names = [sample.taxonomy.title(node) for node in answer]
                due = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") or "nothing"
                assert (said, drawn) == (due, [due]), (rule, value)


# On the page -----------------------------------------------------------------------------------------------------------


def opened(open_page, address=f"example?sample={SAMPLE}", **more):
    page = open_page(address, **more)
    drawn(page)
    return page


def drawn(page, sample=None):
    ready = f"[data-ready='{sample}']" if sample else "[data-ready]"
    page.locator(f"{EXAMPLE}{ready}").wait_for()
    quiet(page)


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def state(page):
    """(rule, model, value) of the drawing, and what it says: sentence and the counts that stand in it."""
    return page.locator(TAU).evaluate("one => [+one.getAttribute('aria-valuenow'), one.getAttribute('aria-valuetext')]")


def axis(page):
    """Pixels of the window where the axis of p is 0 and 1: from the places of the handle at both ends."""
    handle = page.locator(TAU)
    handle.focus()
    ends = []
    for key in ("Home", "End"):
        page.keyboard.press(key)
        ends.append(middle(handle)[0])
    return ends


def said_at(steps, value):
    return steps.sentence[steps.place(value)]


def svg_texts(page):
    return page.locator(f"{EXAMPLE} svg text").all_text_contents()


def check(page, steps, value):
    """Sentence, slider and counts are those of the step that holds."""
    k = steps.place(value)
    expect(page.locator(SAID)).to_have_text(steps.sentence[k])
    assert state(page) == [pytest.approx(value, abs=1e-9), f"{value:.3f}: {steps.sentence[k]}"]
    texts = svg_texts(page)
    assert [text for text in texts if text.startswith(f"sample: {SAMPLE} · ")]
    assert f"{steps.tp[k]} correct" in texts
    assert f"{steps.fp[k]} wrong, {steps.fn[k]} missed" in texts
    assert f"τ = {value:.3f}" in texts
    assert f"Answer: {steps.taxonomy.title(int(steps.answers[k][0]))}" in texts


@pytest.mark.long
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_the_conformal_node_is_below_the_answer_on_the_first_screen(open_page, size):
    """There where it was asked for, by each model, also before the server has heard of the model."""
    address = f"example?sample={SAMPLE}&model=flat-softmax"
    assert not [text for text in svg_texts(opened(open_page, address, size=size)) if "conformal" in text]
    page = opened(open_page, f"{address}&choices=choosing.conformal_examples%3Dtrue", size=size)
    models = load_demo(["flat_softmax", "multilabel_sigmoid"])[1]
    for model in models:
        evaluation = Evaluation.from_predictions(model)
        found = conformal_of_sample(evaluation, model.row(SAMPLE), 0.1)
        page.get_by_role("combobox", name="Model").first.select_option(label=model.name)
        name = found.taxonomy.title(int(found.nodes[0])) if found.nodes[0] else "no class below the root"
        line = page.locator(f"{EXAMPLE} svg text", has_text="With 90 %").first
        expect(line).to_contain_text(name)
        boxes = [one.bounding_box() for one in (page.locator(f"{EXAMPLE} svg .sentence text").first, line)]
        assert 0 <= boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"] + 2
        assert boxes[1]["y"] + boxes[1]["height"] < size[1]
        assert boxes[1]["x"] + boxes[1]["width"] <= size[0]


def test_the_line_is_dragged_without_the_server_which_hears_of_it_at_the_end(open_page, demo):
    page = opened(open_page, new=True)
    steps = sample_steps(demo, demo.predictions.row(SAMPLE))
    address = page.url
    zero, one = axis(page)
    quiet(page)
    frames = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: frames.append("sent")))
    # A new connection, whose messages are counted.
    page.goto(address)
    drawn(page)
    _, y = middle(page.locator(TAU))
    page.mouse.move(zero + 0.5 * (one - zero), y)
    frames.clear()
    page.mouse.down()
    for value in (0.45, 0.3, 0.1, 0.99, 0.75):
        page.mouse.move(zero + value * (one - zero), y, steps=4)
        shown, _ = state(page)
        assert shown == pytest.approx(value, abs=0.002)
        check(page, steps, shown)
    assert frames == []
    assert "threshold=" not in page.url
    page.mouse.up()
    page.wait_for_function("() => /threshold=0.7(49|50|51)/.test(location.search)")
    assert frames
    quiet(page)
    check(page, steps, state(page)[0])
    # The numbers below are those of the same threshold.
    page.get_by_text("Win, paths and metrics of this answer").click()
    answer = steps.taxonomy.title(int(steps.answers[steps.place(shown)][0]))
    expect(page.get_by_test_id("stMain")).to_contain_text(f"on the way to the answer {answer}")


@pytest.mark.long
def test_it_is_dragged_with_the_network_off(open_page, demo):
    page = opened(open_page, new=True)
    steps = sample_steps(demo, demo.predictions.row(SAMPLE))
    zero, one = axis(page)
    quiet(page)
    _, y = middle(page.locator(TAU))
    page.context.set_offline(True)
    page.mouse.move(zero + 0.4 * (one - zero), y)
    page.mouse.down()
    for value in np.linspace(0.05, 0.95, 60):
        page.mouse.move(zero + value * (one - zero), y)
    page.mouse.up()
    check(page, steps, state(page)[0])
    assert state(page)[0] == pytest.approx(0.95, abs=0.002)
    # Another rule and another model, too.
    page.get_by_label("Inference rule").filter(visible=True).first.select_option("leaf")
    leaf = sample_steps(demo, demo.predictions.row(SAMPLE), "leaf")
    expect(page.locator(SAID)).to_have_text(leaf.sentence[0])
    expect(page.locator(TAU)).to_be_hidden()
    page.get_by_label("Inference rule").filter(visible=True).first.select_option("darts")
    darts = sample_steps(demo, demo.predictions.row(SAMPLE), "darts")
    expect(page.locator(SAID)).to_have_text(said_at(darts, state(page)[0]))
    times = np.array(page.locator(EXAMPLE).evaluate("place => place.frames"))
    print(
        f"script of a frame: median {np.median(times):.1f} ms, p95 {np.quantile(times, 0.95):.1f} ms, {len(times)} frames"
    )
    page.context.set_offline(False)


@pytest.mark.long
def test_keys_move_the_line_and_lead_to_the_next_change(open_page, demo):
    page = opened(open_page, f"example?sample={SAMPLE}&threshold=0.5")
    steps = sample_steps(demo, demo.predictions.row(SAMPLE))
    handle = page.locator(TAU)
    handle.focus()
    for key, value in (("ArrowRight", 0.51), ("ArrowDown", 0.5), ("PageUp", 0.6), ("PageDown", 0.5), ("Home", 0.0)):
        page.keyboard.press(key)
        check(page, steps, pytest.approx(value).expected)
    seen = [state(page)[0]]
    for _ in range(len(steps) - 1):
        page.keyboard.press("Shift+ArrowRight")
        seen.append(state(page)[0])
    # Each press leads to the next answer.
    assert [steps.place(value) for value in seen] == list(range(len(steps)))
    page.keyboard.press("End")
    check(page, steps, 1.0)
    back = []
    for _ in range(len(steps) - 1):
        page.keyboard.press("Shift+ArrowLeft")
        back.append(steps.place(state(page)[0]))
    assert back == list(range(len(steps) - 1))[::-1]
    page.wait_for_function("() => location.search.includes('threshold=0.000')")


@pytest.mark.long
def test_rule_and_model_are_chosen_and_the_address_follows(open_page, demo):
    page = opened(open_page)
    page.get_by_label("Model", exact=True).filter(visible=True).first.select_option(label="Multi-label")
    page.wait_for_function("() => location.search.includes('model=multi-label')")
    page.get_by_label("Inference rule").filter(visible=True).first.select_option("information_threshold")
    page.wait_for_function("() => location.search.includes('rule=information_threshold')")
    quiet(page)
    assert "ζ = " in " ".join(svg_texts(page))
    page.reload()
    drawn(page)
    assert "ζ = " in " ".join(svg_texts(page))
    expect(page.get_by_label("Inference rule").filter(visible=True).first).to_have_value("information_threshold")


@pytest.mark.long
def test_the_dot_of_the_small_curve_moves_the_line(open_page, demo):
    page = opened(open_page)
    dot = page.locator(".ladder-dot")
    x, y = middle(dot)
    before = state(page)[0]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y - 10, steps=4)
    after = state(page)[0]
    page.mouse.up()
    # To the left of the curve answers contain less: a higher threshold.
    assert after > before
    steps = sample_steps(demo, demo.predictions.row(SAMPLE))
    check(page, steps, after)
    # The dot is on the curve at this threshold.
    curve = demo.curve.at(np.array([round(200 * after) / 200]))
    box = page.locator(f"{EXAMPLE} svg").first.evaluate(
        """svg => { const at = [...svg.querySelectorAll('.mark-symbol.role-mark path')].at(-1);
                    return at.getAttribute('aria-label') ?? at.getAttribute('transform'); }"""
    )
    assert box
    assert 0 < curve["correct"][0] <= 1
    page.wait_for_function("() => location.search.includes('threshold=')")


def test_keys_and_buttons_lead_to_the_next_sample_and_back(open_page):
    page = opened(open_page, "example")
    place = page.locator(EXAMPLE)
    first = place.get_attribute("data-ready")
    page.keyboard.press("j")
    page.get_by_text("2 of 600", exact=True).wait_for()
    quiet(page)
    second = place.get_attribute("data-ready")
    assert second != first
    page.wait_for_function("id => new URL(location).searchParams.get('sample') === id", arg=second)
    page.get_by_role("button", name=re.compile("Next$")).click()
    page.get_by_text("3 of 600", exact=True).wait_for()
    page.keyboard.press("k")
    page.get_by_text("2 of 600", exact=True).wait_for()
    drawn(page, second)
    # Presses that come before the server has answered add up.
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.get_by_text("4 of 600", exact=True).wait_for()
    quiet(page)
    fourth = page.evaluate("() => new URL(location).searchParams.get('sample')")
    assert fourth not in (first, second)
    drawn(page, fourth)
    page.goto(page.url.split("?")[0])
    drawn(page, first)
    # While a number is typed the keys are those of the field.
    page.locator(".ladder-value input").click()
    page.keyboard.type("j")
    quiet(page)
    assert place.get_attribute("data-ready") == first


@pytest.mark.long
def test_the_next_sample_is_drawn_before_the_server_answers(open_page):
    page = opened(open_page, "example", new=True)
    first = page.locator(EXAMPLE).get_attribute("data-ready")
    page.context.set_offline(True)
    page.keyboard.press("j")
    expect(page.locator(EXAMPLE)).not_to_have_attribute("data-ready", first)
    second = page.locator(EXAMPLE).get_attribute("data-ready")
    page.context.set_offline(False)
    page.wait_for_function("id => new URL(location).searchParams.get('sample') === id", arg=second)
    drawn(page, second)


@pytest.mark.parametrize(
    ("size", "scheme"), [((390, 844), "light"), pytest.param((1440, 900), "dark", marks=pytest.mark.long)]
)
def test_phone_and_dark_theme(open_page, size, scheme):
    page = opened(open_page, size=size, scheme=scheme, touch=size[0] < 640)
    box = page.locator(f"{EXAMPLE} svg").first.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size[0]
    background = page.locator(f"{EXAMPLE} svg rect.background, {EXAMPLE} svg path.background").first
    fill = page.locator(f"{EXAMPLE} svg").first.evaluate(
        "svg => [...svg.querySelectorAll('[fill]')].map(one => one.getAttribute('fill')).find(one => /^#/.test(one))"
    )
    assert background is not None
    light = np.mean([int(fill[i : i + 2], 16) for i in (1, 3, 5)]) if len(fill) == 7 else 255
    assert (light < 128) == (scheme == "dark")
    handle = page.locator(TAU)
    handle.scroll_into_view_if_needed()
    handle.focus()
    before = state(page)[0]
    page.keyboard.press("ArrowRight")
    assert state(page)[0] == pytest.approx(before + 0.01)
