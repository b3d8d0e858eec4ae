"""Every page in a real browser: fits, is drawn, is reachable by keyboard, can be downloaded from, and remembers."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import heading, quiet, ready

pytestmark = pytest.mark.browser

# Address and the number of charts in view.
PAGES = {
    "": 3,
    "curves": 1,
    "compare": 0,
    # The ladder is no chart of Streamlit; charts that are folded are not in view.
    "example": 0,
    "mistakes": 0,
    "taxonomy": 0,
    "model": 0,
    "learn": 0,
    "open": 0,
}
SIZES = {"desk": (1440, 900), "phone": (390, 844)}
SIGNATURES = {"csv": b"", "png": b"\x89PNG\r\n\x1a\n", "svg": b"<svg"}
# What sticks out of the window: class, text and right edge of the outermost such elements.
STICKING_OUT = """() => { const w = document.documentElement.clientWidth; return [...document.querySelectorAll(
    '[data-testid=stMain] *')].filter(e => { const b = e.getBoundingClientRect(); return b.width && b.right > w + 1
    && getComputedStyle(e).visibility !== 'hidden' && !e.closest('[data-testid=stDataFrame], .vega-bind, [style*="overflow"]'); })
    .slice(0, 5).map(e => [e.className.baseVal ?? e.className, e.textContent.slice(0, 40), e.getBoundingClientRect().right]) }"""
# Tables that lie over what follows them: its text.
OVER_THE_NEXT = """() => [...document.querySelectorAll('[data-testid=stMain] .stDataFrame')].map(e =>
    [e.getBoundingClientRect().bottom, e.closest('.stElementContainer').nextElementSibling]).filter(([end, next]) => next
    && next.getBoundingClientRect().height && next.getBoundingClientRect().top < end - 1).map(([, next]) => next.textContent)"""
CHOSEN = "button[data-variant]:is([aria-checked=true], [aria-pressed=true])"


def charts(page, count):
    """The charts of a page, once there are that many."""
    found = page.locator(".stVegaLiteChart svg.marks").filter(visible=True)
    expect(found).to_have_count(count)
    return found


# Each size and each theme once, and every page in one of them; the rest is for `tests/run.sh --long`.
@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        ("desk", "light"),
        ("phone", "dark"),
        pytest.param("desk", "dark", marks=pytest.mark.long),
        pytest.param("phone", "light", marks=pytest.mark.long),
    ],
)
def test_pages_fit_and_are_drawn(open_page, size, scheme):
    page = open_page(size=SIZES[size], scheme=scheme)
    base = page.url.split("?")[0]
    step = slice(None) if os.environ.get("HIERVIZ_LONG") else slice(size == "phone", None, 2)
    for path, n_charts in list(PAGES.items())[step]:
        if path:
            page.goto(base + path)
            ready(page)
        check_page(page, path, n_charts, SIZES[size][0], scheme)


def check_page(page, path, n_charts, width, scheme):
    """A page that was just opened: fits its window, is drawn, has the theme, and no sign of an error."""
    page.get_by_role("heading", level=1).wait_for()
    quiet(page)  # a phone's window has the page drawn once more, for its width
    for chart in charts(page, n_charts).all():
        # A chart that is drawn anew meanwhile is another element: it is looked for again, so often as needed.
        expect(chart).to_be_visible()
        chart.evaluate("one => one.scrollIntoView({block: 'center'})")
        expect(chart).to_be_visible()
        box = chart.bounding_box()
        assert box["width"] > 200, path
        assert box["height"] > 60, path
        assert box["x"] >= 0, path
        assert box["x"] + box["width"] <= width + 1, path
        assert chart.locator("path, text").count() > 10, path
    expect(page.get_by_test_id("stSpinner")).to_have_count(0)
    for element in ("html", "[data-testid=stMain]"):
        wide, room = page.locator(element).first.evaluate("el => [el.scrollWidth, el.clientWidth]")
        assert wide <= room, (path, page.evaluate(STICKING_OUT))
    assert page.evaluate(OVER_THE_NEXT) == [], path
    for colour in page.locator(CHOSEN).evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)"):
        assert colour == {"light": "rgb(29, 107, 82)", "dark": "rgb(38, 131, 95)"}[scheme], path
    text = page.locator("body").inner_text()
    assert "Traceback" not in text, path
    assert page.get_by_test_id("stException").count() == 0, path
    assert "nothing is sent anywhere" in text, path
    ground = page.get_by_test_id("stApp").evaluate("el => getComputedStyle(el).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 22, 20)"}[scheme], path
    # The charts follow the theme.
    for ground in page.locator(".stVegaLiteChart svg.marks").evaluate_all(
        "all => all.map(one => one.style.backgroundColor)"
    ):
        assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 22, 20)"}[scheme], path


@pytest.mark.parametrize(
    ("path", "names"),
    [
        pytest.param("curves", ["operating-curves"], marks=pytest.mark.long),
        ("example?tree=icicle", ["probability-tree", "win", "confusion"]),
    ],
)
@pytest.mark.long
def test_downloads_of_charts(open_page, path, names):
    page = open_page(path)
    quiet(page)
    if path.startswith("example"):
        page.get_by_text("Win, paths and metrics of this answer").click()
        charts(page, 4)
    else:
        charts(page, PAGES[path])
    quiet(page)
    for name in names:
        page.locator(f".st-key-more-{name} button").first.click()
        for kind, start in SIGNATURES.items():
            button = page.locator(f".st-key-get-{name}-{kind} button")
            button.wait_for()
            with page.expect_download() as found:
                button.click()
            assert found.value.suggested_filename == f"{name}.{kind}"
            check_file(kind, start, Path(found.value.path()).read_bytes())
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)


def check_file(kind, start, content):
    """A downloaded table or picture."""
    assert content.startswith(start)
    if kind == "csv":
        header, *rows = content.decode("utf-8").splitlines()
        assert header.count(",") >= 2
        assert rows
        assert all(row.count(",") >= header.count(",") for row in rows)
        return
    assert len(content) > 5000
    assert kind == "png" or content.rstrip().endswith(b"</svg>")


def test_table_of_models_can_be_downloaded(open_page):
    page = open_page()
    page.get_by_text("All metrics", exact=True).click()
    table = page.get_by_test_id("stDataFrame").first
    table.wait_for()
    table.hover()
    # Streamlit's own file would hold names as formulas.
    expect(page.get_by_role("button", name="Fullscreen").first).to_be_visible()
    expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)
    with page.expect_download() as found:
        page.locator(".st-key-get-overview-table button").click()
    rows = Path(found.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(rows) == 8
    assert rows[0].split(",")[0] == "model"


def focused(page):
    """What has the focus: role or tag, and its text or label."""
    return page.evaluate(
        """() => { const e = document.activeElement, label = e.getAttribute('aria-label') || e.textContent || '';
        return [e.getAttribute('role') || e.tagName.toLowerCase(), label.trim()] }"""
    )


def tab_until(page, wanted, most=120):
    """Press Tab until something whose text or label matches has the focus; all that was passed is returned."""
    seen = []
    for _ in range(most):
        page.keyboard.press("Tab")
        seen.append(focused(page))
        if re.search(wanted, seen[-1][1]):
            return seen
    raise AssertionError(f"no {wanted!r} among {seen}")


def test_keyboard_alone_opens_a_number(open_page):
    page = open_page("example")
    ladder(page)
    seen = tab_until(page, r"^.{0,30}Win, paths and metrics of this answer.{0,20}$")
    page.keyboard.press("Enter")
    page.get_by_text(re.compile("^Win by level$")).wait_for()
    seen += tab_until(page, r"^Hierarchical win")
    labels = " ".join(label for _, label in seen)
    for control in ("Next", "Samples", "All rules and models on this sample"):
        assert control in labels, control
    page.keyboard.press("Enter")
    body = page.get_by_test_id("stPopoverBody")
    body.get_by_text("This sample:").wait_for()
    expect(body.locator(".katex-html")).to_have_count(1)
    assert "Source:" in body.inner_text()
    page.keyboard.press("Escape")
    expect(body).to_have_count(0)


@pytest.mark.long
def test_keyboard_alone_opens_a_definition_and_a_page(open_page):
    page = open_page()
    tab_until(page, r"^.{0,40}Operating curves$", 12)
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="Operating curves").wait_for()
    charts(page, 1)
    quiet(page)
    page.get_by_role("heading", level=1).click()
    tab_until(page, r"^Correct(expand_more)?$")
    page.keyboard.press("Enter")
    page.get_by_test_id("stPopoverBody").get_by_text("Source:").wait_for()


# What of the header lies on its neighbour; links that do not fit are drawn without being seen, and are in the menu "more".
OVERLAPS = """() => { const all = [...document.querySelectorAll('[data-testid=stHeaderLogo], [data-testid=stTopNavLink], '
        + '[data-testid=stTopNavSection], .hierviz-open, .st-key-save-menu, .st-key-copy-link')]
    .filter(e => e.offsetWidth > 1 && !e.closest('.rc-overflow-item[aria-hidden=true]'))
    .map(e => [e.getBoundingClientRect(), e.textContent]).sort((a, b) => a[0].left - b[0].left);
    return all.slice(1).filter((one, k) => one[0].left < all[k][0].right - 1).map(one => one[1]) }"""


@pytest.mark.long
def test_a_walk_through_the_pages(open_page):
    """A page is one step of the history, and the hint that was read stays away."""
    page = open_page(new=True)  # a browser counts fifty steps and no more
    hint = page.get_by_text("New here?")
    expect(hint).to_have_count(1)
    page.get_by_role("button", name="Dismiss").click()
    expect(hint).to_have_count(0)
    quiet(page)
    steps = page.evaluate("history.length")
    for done, name in enumerate(("Operating curves", "Examples", "Open files"), 1):
        page.get_by_role("link", name=name, exact=True).first.click()
        page.get_by_role("heading", level=1, name=re.compile("Operating|Examples|Open your")).wait_for()
        quiet(page)
        assert page.evaluate("history.length") == steps + done, (name, page.url)
        expect(page.get_by_test_id("stSpinner")).to_have_count(0)
        expect(hint).to_have_count(0)
    for width in (1200, 1040, 820):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_function(f"() => !({OVERLAPS})().length")
    # The mouse chooses a page from the menu of a narrow window, which closes, and is closed after a reload while it was open.
    page.set_viewport_size({"width": 700, "height": 844})
    menu, is_open = page.get_by_test_id("stExpandSidebarButton"), page.get_by_test_id("stSidebarCollapseButton")
    menu.click()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Examples").click()
    heading(page, "Examples")
    expect(is_open).to_have_count(0)
    menu.click()
    expect(is_open).to_have_count(1)
    page.wait_for_function("() => !Object.keys(localStorage).some(key => key.startsWith('stSidebarCollapsed'))")
    page.reload()
    ready(page)
    expect(menu).to_be_visible()
    expect(is_open).to_have_count(0)
    expect(hint).to_have_count(0)


def sample(page):
    """Id of the sample that is shown."""
    return page.locator("[data-hierviz=example]").get_attribute("data-ready")


def ladder(page, sample=None):
    """Wait for the drawing of a sample."""
    ready = f"[data-ready='{sample}']" if sample else "[data-ready]"
    page.locator(f"[data-hierviz=example]{ready}").wait_for()
    quiet(page)


def in_url(page, name, value):
    """Wait until the URL has a value, or does not have the name when the value is None."""
    page.wait_for_function("([name, value]) => new URL(location).searchParams.get(name) === value", arg=[name, value])


def another_sample(page, than):
    """Wait until another sample is shown; returns its id."""
    page.wait_for_function(
        "([place, than]) => place && place.dataset.ready !== than",
        arg=[page.locator("[data-hierviz=example]").element_handle(), than],
    )
    return sample(page)


def test_next_previous_back_and_the_url(open_page):
    page = open_page("example")
    ladder(page)
    first = sample(page)
    page.get_by_role("button", name=re.compile("Next$")).click()
    second = another_sample(page, first)
    in_url(page, "sample", second)
    page.get_by_text("2 of 600", exact=True).wait_for()
    quiet(page)
    page.get_by_role("button", name=re.compile("Previous$")).click()
    assert another_sample(page, second) == first
    in_url(page, "sample", first)
    # The button Back of the browser undoes a step, too.
    quiet(page)
    page.get_by_role("button", name=re.compile("Next$")).click()
    assert another_sample(page, first) == second
    in_url(page, "sample", second)
    quiet(page)
    page.go_back()
    page.wait_for_function("() => location.pathname.endsWith('example')")
    assert another_sample(page, second) == first


@pytest.mark.long
def test_click_in_the_list(open_page):
    page = open_page("example?outcome=wrong")
    ladder(page)
    picked = sample(page)
    for where, row in (("box", 4), ("name", 3)):
        if not page.get_by_test_id("stPopoverBody").count():
            page.locator(".st-key-samples-drawer button").first.click()
            page.get_by_test_id("stPopoverBody").wait_for()
        quiet(page)
        box = page.get_by_test_id("stDataFrame").last.bounding_box()
        # Fifteen rows as high as their names need, below a header of 44 pixels. The box to tick is on the left.
        high = (box["height"] - 44) / 15
        page.mouse.click(box["x"] + (16 if where == "box" else box["width"] / 2), box["y"] + 44 + high * (row - 0.6))
        picked = another_sample(page, picked)
        in_url(page, "sample", picked)
        page.get_by_text(f"{row} of", exact=False).first.wait_for()
    page.reload()
    ready(page)
    ladder(page, picked)


@pytest.mark.long
def test_back_restores_the_former_view(open_page):
    page = open_page("example?sample=v0007&model=multi-label&threshold=0.700")
    ladder(page, "v0007")
    page.get_by_role("link", name="Operating curves", exact=True).first.click()
    page.get_by_role("heading", level=1, name="Operating curves").wait_for()
    charts(page, 1)
    quiet(page)
    page.go_back()
    page.get_by_role("heading", level=1, name="Examples").wait_for()
    ladder(page, "v0007")
    in_url(page, "sample", "v0007")
    in_url(page, "model", "multi-label")
    expect(page.locator("[data-hierviz=tau]")).to_have_attribute("aria-valuenow", "0.7")


@pytest.mark.long
def test_link_from_a_mistake_opens_it(open_page):
    page = open_page("?model=multi-label")
    # A press anywhere on the card, here on its picture.
    page.locator(".st-key-card-2 img").click()
    page.get_by_role("heading", level=1, name="Examples").wait_for()
    page.get_by_text("3 of", exact=False).first.wait_for()
    ladder(page)
    in_url(page, "outcome", "wrong")
    in_url(page, "model", "multi-label")
    in_url(page, "sample", sample(page))
    assert "Wrong" in page.locator("[data-hierviz=answer]").inner_text()


@pytest.mark.long  # tests/app follows such a link each day
def test_unknown_link_can_be_left(open_page):
    page = open_page("")
    page.goto(page.url.split("?")[0] + "?data=0123456789abcdef")
    page.get_by_text("not open on this machine").wait_for()
    page.get_by_role("button", name="Show the demo").click()
    page.get_by_role("heading", level=1, name="Overview").wait_for()
    in_url(page, "data", None)


def test_a_visit_is_one_run_of_the_page(open_page):
    """A desk's window is what the app assumes: its browser has nothing to report."""
    asked = []
    page = open_page(new=True)
    page.on("websocket", lambda socket: socket.on("framesent", lambda sent: asked.append(sent)))
    page.reload()
    ready(page)
    quiet(page)
    assert len(asked) == 1
