"""Below the curves: a target moves the handle, bands are drawn, the operating point is exported; also on a phone."""

import json

import pytest

import hierviz as hv
from hierviz.demo import load_demo
from tests.browser.conftest import quiet
from tests.browser.curve_page import CurvePage

pytestmark = pytest.mark.browser

RING = """() => [...document.querySelectorAll('svg.marks g.main_group path')].map(one => one.__data__?.datum)
    .filter(one => one?.label === '95 % correct').map(one => [one.threshold, one.x, one.y])"""
BANDS = """() => new Set([...document.querySelectorAll('svg.marks g.main_group .mark-line path')]
    .filter(one => one.getAttribute('fill-opacity') === '0.16').map(one => one.getAttribute('fill'))).size"""
TOO_WIDE = "() => document.documentElement.scrollWidth > window.innerWidth"


@pytest.fixture(scope="module")
def curves():
    """Operating curves of two demo models by name."""
    _, models = load_demo(("flat_softmax", "multilabel_sigmoid"))
    return {one.name: hv.Evaluation.from_predictions(one).curve for one in models}


@pytest.mark.long
def test_a_target_moves_the_handle(open_page, server, curves):
    page = open_page("curves?models=flat-softmax,multi-label")
    view = CurvePage(page, server)
    targets = {name: hv.thresholds.choose(curve, subject_to={"correct": 0.95}) for name, curve in curves.items()}
    flat, multi = targets["Flat softmax"], targets["Multi-label"]

    def ring(target):
        page.wait_for_function(f"threshold => ({RING})().some(one => one[0] === threshold)", arg=target.threshold)
        ((threshold, x, y),) = {tuple(one) for one in page.evaluate(RING)}
        assert (threshold, x, y) == pytest.approx(
            (target.threshold, target.values["info_recall"], target.values["correct"])
        )

    ring(flat)
    # The ring follows the model that is looked at, without the server.
    with view.server_stopped():
        page.get_by_label("Selected model").select_option("Multi-label")
        ring(multi)
    page.get_by_role("button", name=f"Use τ = {multi.threshold:.12g}").click()
    assert view.url_threshold(f"threshold === {multi.threshold}") == multi.threshold
    page.get_by_role("button", name="Current τ").wait_for()
    assert CurvePage(page, server).threshold() == pytest.approx(multi.threshold)


@pytest.mark.long  # bands and export are in tests/app; here the file that the browser saves
def test_bands_and_the_exported_file(open_page, curves, tmp_path):
    page = open_page("curves?models=flat-softmax,multi-label&panel=uncertainty&threshold=0.700")
    assert page.evaluate(BANDS) == 0
    page.get_by_text("Show bands and intervals").click()
    page.wait_for_function(f"() => ({BANDS})() === 2")
    page.get_by_text("intervals of the paired difference").wait_for()
    page.get_by_role("radio", name="Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Operating point (JSON)").click()
    path = tmp_path / "op.json"
    waiting.value.save_as(path)
    point = json.loads(path.read_text("utf-8"))
    assert (point["model"]["name"], point["threshold"], point["n_samples"]) == ("Flat softmax", 0.7, 600)
    for key, value in curves["Flat softmax"].at(0.7).items():
        one = point["values"][key]
        assert one["value"] == pytest.approx(float(value), abs=1e-12)
        assert one["low"] < one["value"] < one["high"]


@pytest.mark.long
def test_panels_on_a_phone(open_page):
    page = open_page("curves?models=flat-softmax&panel=guarantee", size=(390, 844))
    page.get_by_text("Assumption: new and calibration samples").wait_for()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for name in ("Threshold by target", "Model comparison", "Rules", "Export", "Guarantee"):
            page.get_by_role("radio", name=name).click()
            quiet(page)
            assert not page.evaluate(TOO_WIDE), (scheme, name)
        page.get_by_text("Assumption: new and calibration samples").wait_for()
