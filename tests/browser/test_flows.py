"""Flows in a browser: presses on ribbons, classes and bars, each of which opens its samples."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import quiet

pytestmark = pytest.mark.browser


def press(page, field, value):
    """Press the start of a ribbon or block, by what its tooltip holds."""
    page.wait_for_function(
        "([field, value]) => [...document.querySelectorAll('.stVegaLiteChart svg path')].some("
        "one => String(one.__data__?.datum?.[field]) === value)",
        arg=[field, value],
    )
    hit = page.evaluate(
        """([field, value]) => {
            const found = [...document.querySelectorAll(".stVegaLiteChart svg path")];
            const one = found.find(path => String(path.__data__?.datum?.[field]) === value);
            one.scrollIntoView({block: "center"});
            const start = one.getPointAtLength(0).matrixTransform(one.getScreenCTM());
            return [start.x + 3, start.y + 3];
        }""",
        [field, value],
    )
    page.mouse.click(*hit)
    quiet(page)


@pytest.mark.long
def test_a_ribbon_of_changes_has_its_samples(open_page):
    page = open_page("curves?models=flat-softmax&panel=changes&to=0.8")
    quiet(page)
    press(page, "flow", "exact-coarse")
    page.wait_for_url(re.compile("flow=exact-coarse"))
    expect(page.get_by_role("combobox", name=re.compile("Samples")).first).to_have_value(re.compile("exact → coarse: "))


@pytest.mark.long
def test_a_class_of_the_flow_opens_and_a_ribbon_has_its_samples(open_page):
    page = open_page("mistakes?model=flat-softmax&part=matrix&opened=0&choices=matrix.drawing%3D%2522flow%2522")
    quiet(page)
    # Land vehicle is node 1, as the first child in the file.
    press(page, "picked", "1")
    page.wait_for_url(re.compile("opened=1"))
    press(page, "picked", "1")
    page.wait_for_url(re.compile("opened=0"))
    press(page, "picked", "1|1|wrong")
    page.get_by_role("heading", name=re.compile("land vehicle → land vehicle, wrong: ")).wait_for()
