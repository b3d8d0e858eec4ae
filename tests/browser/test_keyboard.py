"""Every page by keyboard only: focusable elements have a name and a ring, nothing traps the focus, all tasks work."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import heading, quiet

pytestmark = pytest.mark.browser

PAGES = {
    "": "Overview",
    "curves": "Operating curves",
    "compare": "Compare",
    "example?outcome=wrong": "Examples",
    "mistakes": "Mistakes",
    "mistakes?part=matrix": "Mistakes",
    "taxonomy": "Taxonomy",
    "taxonomy?aspect=icicle": "Taxonomy",
    "model": "Model",
    "open": "Open",
}
# Walked with --long only.
OTHERS = tuple(path for path in PAGES if path not in ("", "example?outcome=wrong"))
MOST = 200

# What has the focus, through shadow roots: a number of its own, its name, and how it and what stands around it are drawn.
# The name is put together as browsers do it, from the simple sources.
FOCUSED = """() => {
  let e = document.activeElement;
  while (e && e.shadowRoot && e.shadowRoot.activeElement) e = e.shadowRoot.activeElement;
  if (!e || e === document.body) return null;
  window.walked ??= [];
  if (!window.walked.includes(e)) window.walked.push(e);
  const root = e.getRootNode();
  const words = (ids) => (ids ?? "").split(" ").map((id) => (id && root.getElementById(id)?.textContent) ?? "").join(" ");
  const labels = [...(e.labels ?? [])].map((one) => one.textContent).join(" ");
  const sources = [e.getAttribute("aria-label"), words(e.getAttribute("aria-labelledby")), labels, e.textContent, e.title];
  const name = sources.map((one) => (one ?? "").trim()).find(Boolean) ?? "";
  const mark = window.walked.indexOf(e);
  // A table: its canvas, the cells inside, and what scrolls it, which gets the focus in Chromium because it scrolls.
  const is_grid = e.closest("[data-testid=stDataFrame]") !== null;
  return {mark, name, look: LOOK(mark), what: e.outerHTML.slice(0, 160), is_grid};
}"""
LOOK = """((mark) => {
  document.getAnimations().forEach((one) => { try { one.finish(); } catch { /* it has no end */ } });
  const looks = [];
  for (let e = window.walked[mark], up = 0; e instanceof Element && up < 5; e = e.parentElement, up++) {
    const style = getComputedStyle(e);
    const outline = style.outlineStyle === "none" ? "" : [style.outlineColor, style.outlineWidth];
    const after = getComputedStyle(e, "::after").content;
    looks.push([outline, style.boxShadow, style.borderColor, style.backgroundColor, after].join());
  }
  return looks.join("|");
})"""
FOCUSED = FOCUSED.replace("LOOK(", f"{LOOK}(")


def walk(page):
    """What gets the focus, from the first press of Tab until it leaves the page or comes back: list of dict."""
    found = []
    page.evaluate("document.activeElement?.blur()")
    for _ in range(MOST):
        page.keyboard.press("Tab")
        now = page.evaluate(FOCUSED)
        if found:
            # A table draws its ring on its canvas. All others look different with the focus.
            before = found[-1]
            before["ring"] |= before["is_grid"] or before["look"] != page.evaluate(LOOK, before["mark"])
        if now is None or any(now["mark"] == one["mark"] for one in found[:-1]):
            return found
        if not found or now["mark"] != found[-1]["mark"]:
            found.append(now | {"presses": 0, "ring": False})
        # In a table the key goes on to the next column, and from the last one to what follows.
        found[-1]["presses"] += 1
        assert found[-1]["presses"] <= (20 if now["is_grid"] else 1), f"Tab does not leave {now['what']}"
    raise AssertionError(f"{MOST} presses of Tab do not come round")


@pytest.mark.parametrize("path", [pytest.param(path, marks=[pytest.mark.long] * (path in OTHERS)) for path in PAGES])
def test_what_has_the_focus_has_a_name_and_a_ring(open_page, path):
    page = open_page(path)
    heading(page, re.compile(PAGES[path]))
    quiet(page)
    found = walk(page)
    assert len(found) > 8
    assert [one["what"] for one in found if not one["name"] and not one["is_grid"]] == []
    assert [one["what"] for one in found if not one["ring"]] == []


def test_taxonomy_is_searched_and_sorted_by_keys(open_page):
    page = open_page("taxonomy")
    quiet(page)
    grid = page.get_by_role("treegrid", name="Classes and their numbers")
    grid.get_by_role("button", name="Recall").focus()
    page.keyboard.press("Enter")
    expect(grid.get_by_role("columnheader", name="Recall")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("textbox", name="Search").focus()
    page.keyboard.type("truck")
    page.keyboard.press("Enter")
    expect(grid.get_by_role("row", name=re.compile("^heavy truck"))).to_be_visible()
    expect(grid.get_by_role("row", name=re.compile("^(Open|Close) "))).to_have_count(0)
