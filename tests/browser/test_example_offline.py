"""An example outside of the app, in a real Chromium with the network off: dragged, moved by keys, another rule and model.

What it says is compared with the steps of the package for each value that its handle has.
"""

import numpy as np
import pytest

import hierviz as hv
from tests.browser.conftest import WATCHDOG
from tests.browser.curve_page import until
from tests.small_tree import EDGES

pytestmark = pytest.mark.browser

BACKGROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 22, 20)"}
SIZES = """() => {
    const {width, bottom} = document.querySelector("svg.marks").getBoundingClientRect();
    return [document.documentElement.scrollWidth - innerWidth, Math.round(width), innerWidth, Math.round(bottom), innerHeight];
}"""


@pytest.fixture(scope="module")
def models():
    """Evaluations of two models by name; sample s3 has other steps in each."""
    taxonomy = hv.Taxonomy.from_edges(EDGES)
    rng, made = np.random.default_rng(0), {}
    truth = rng.choice(taxonomy.leaves, 40)
    ids = np.array([f"s{row}" for row in range(40)])
    for name in ("first", "second"):
        scores = rng.dirichlet(np.full(taxonomy.n_leaves, 0.6), 40)
        found = hv.Predictions.from_scores(
            taxonomy, scores, "leaf_probabilities", truth=truth, sample_ids=ids, name=name
        )
        made[name] = hv.Evaluation.from_predictions(found)
    return made


@pytest.fixture
def opened(chromium, models, tmp_path):
    """Open a cell or a page of the example in a window without a network: (page, place of the drawing)."""
    contexts, requests, errors = [], [], []

    def open_one(kind, scheme="light", width=1200):
        shown = hv.show(hv.charts.example(models, "s3"))
        file = tmp_path / f"{kind}.html"
        cell = f"<!DOCTYPE html><meta charset='utf-8'>{shown._repr_html_()}"
        file.write_text(cell if kind == "cell" else shown.html, encoding="utf-8")
        context = chromium.new_context(viewport={"width": width, "height": 900}, offline=True, color_scheme=scheme)
        context.set_default_timeout(WATCHDOG)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: message.type in ("error", "warning") and errors.append(message.text))
        page.goto(file.as_uri())
        place = page.frame_locator("iframe") if kind == "cell" else page
        place.locator("[data-hierviz=example][data-ready=s3]").wait_for()
        return page, place

    yield open_one
    for context in contexts:
        context.close()
    assert [url for url in requests if not url.startswith(("data:", "blob:", "about:", "file:"))] == []
    assert errors == []


def sentences(steps, value):
    return str(steps.sentence[steps.place(value)])


def assert_shown(place, evaluation, rule="threshold"):
    """The sentence, the handle's words and the answer are those of the steps at the value of the handle; gives the value."""
    steps = hv.diagnosis.sample_steps(evaluation, 3, rule)
    handle = place.locator("[data-hierviz=tau]")
    value = float(handle.get_attribute("aria-valuenow"))
    expected = sentences(steps, value)
    assert place.locator("[data-hierviz=answer]").inner_text() == expected
    assert handle.get_attribute("aria-valuetext") == f"{value:.3f}: {expected}"
    drawn = place.locator("svg.marks").evaluate(
        "svg => [...svg.querySelectorAll('text')].map(text => text.textContent)"
    )
    # What is written in the picture is the same, in one line or several.
    assert expected.replace(" ", "") in "".join(drawn).replace(" ", "")
    answer = evaluation.taxonomy.names[steps.answers[steps.place(value)][0]]
    assert any(text.startswith(f"Answer: {answer}") for text in drawn), drawn
    return value


@pytest.mark.parametrize(
    ("kind", "scheme"),
    [pytest.param("cell", "light", marks=pytest.mark.long), pytest.param("page", "dark", marks=pytest.mark.long)],
)
def test_it_lives_without_a_network(opened, models, kind, scheme):
    page, place = opened(kind, scheme)
    first, second = models.values()
    handle = place.locator("[data-hierviz=tau]")
    assert place.locator("#chart").evaluate("one => getComputedStyle(one).backgroundColor") == BACKGROUND[scheme]
    assert assert_shown(place, first) == 0.5
    said = set()
    # By keys, through every answer.
    handle.focus()
    for key, expected in (("Home", 0), *(("PageUp", tenth / 10) for tenth in range(1, 11)), ("ArrowLeft", 0.99)):
        page.keyboard.press(key)
        assert assert_shown(place, first) == pytest.approx(expected)
        said.add(place.locator("[data-hierviz=answer]").inner_text())
    assert len(said) == len(hv.diagnosis.sample_steps(first, 3))
    # By dragging: where the handle is at 0 and 1 says where a value is.
    ends = []
    for key in ("Home", "End"):
        page.keyboard.press(key)
        box = handle.bounding_box()
        ends.append(box["x"] + box["width"] / 2)
    middle = box["y"] + box["height"] / 2
    page.mouse.move(ends[1], middle)
    page.mouse.down()
    page.mouse.move(ends[0] + 0.31 * (ends[1] - ends[0]), middle, steps=6)
    assert assert_shown(place, first) == pytest.approx(0.31, abs=0.003)
    page.mouse.up()
    assert_shown(place, first)
    # The other model, and rules with and without a number.
    place.get_by_label("Model").select_option(label="second")
    assert assert_shown(place, second) == pytest.approx(0.31, abs=0.003)
    for rule in ("darts", "information_threshold"):
        place.get_by_label("Inference rule").select_option(rule)
        assert_shown(place, second, rule)
        handle.focus()
        page.keyboard.press("Shift+ArrowRight")
        assert_shown(place, second, rule)
    place.get_by_label("Inference rule").select_option("leaf")
    only = str(hv.diagnosis.sample_steps(second, 3, "leaf").sentence[0])
    assert place.locator("[data-hierviz=answer]").inner_text() == only
    assert not handle.is_visible()
    # τ is where it was.
    place.get_by_label("Inference rule").select_option("threshold")
    assert assert_shown(place, second) == pytest.approx(0.31, abs=0.003)


@pytest.mark.long
def test_it_is_fitted_to_its_cell(opened):
    page, place = opened("cell")

    def sizes():
        return place.locator("body").evaluate(SIZES)

    for width in (1200, 700, 390):
        page.set_viewport_size({"width": width, "height": 900})
        # The drawing follows its room, and the frame the drawing.
        until(page, lambda: abs(sizes()[1] - sizes()[2]) <= 1 and sizes()[3] <= sizes()[4])
        too_wide, drawn, _, bottom, height = sizes()
        assert too_wide <= 0
        assert drawn > 0.9 * min(width, 1184)
        assert height - bottom < 40
    page.emulate_media(color_scheme="dark")
    background = "() => getComputedStyle(document.getElementById('chart')).backgroundColor"
    until(page, lambda: place.locator("body").evaluate(background) == BACKGROUND["dark"])
