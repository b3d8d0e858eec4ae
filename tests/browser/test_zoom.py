"""A taxonomy that one zooms into in a real browser: without the server, by keys, by search, in a report and in a notebook.

`pytest tests/browser/test_zoom.py -s` prints how long the script of a frame took for 16,344 classes.
"""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

import hierviz as hv
from hierviz.charts.ladder_module import browser_module
from hierviz.demo import load_demo
from hierviz.reports.story_step import StoryStep
from tests.browser.conftest import WATCHDOG, quiet

pytestmark = pytest.mark.browser

ZOOM, TREE = "[data-hierviz=zoom]", "[role=tree]"
# A page with the module and records alone.
BARE = """<!doctype html><meta charset="utf-8"><div id="place" style="width: 1400px"></div><script type="module">
import {hierviz} from "./module.js";
window.show = record => {
    const place = document.getElementById("place");
    window.zoom?.end();
    place.frames = [];
    const look = () => ({dark: false, width: 1400, height: 620});
    const tell = told => { window.told = told; };
    window.zoom = hierviz.zoom(place, {record, start: record.rows.name[0], sentence: "All classes", look, tell});
};
// Zooms into a row and waits until it is there: the marks of each frame, and the pixels of the smallest one.
window.fly = row => new Promise(done => {
    const marks = [], draw = zoom.draw.bind(zoom);
    zoom.draw = isAtRest => {
        draw(isAtRest);
        marks.push([zoom.cells.length, Math.min(...zoom.cells.map(one => one.y2 - one.y))]);
    };
    zoom.go(row);
    const wait = () => zoom.move ? requestAnimationFrame(wait) : (delete zoom.draw, done(marks));
    wait();
});
window.isReady = true;
</script>"""


@pytest.fixture(scope="module")
def many():
    """A NodeTable of 16,344 classes in seven levels, 10,000 of them leaves, as those of iNat21."""
    rng = np.random.default_rng(5)
    counts, edges, above = [3, 13, 51, 273, 1103, 4900, 10_000], [], ["life"]
    for level, count in enumerate(counts):
        here = [f"class {level} {i}" for i in range(count)]
        # Each parent has a child; few have many.
        weights = rng.pareto(1.0, len(above)) + 0.05
        more = rng.choice(len(above), count - min(count, len(above)), p=weights / weights.sum())
        parents = [*range(min(count, len(above))), *more.tolist()]
        edges += [(above[parent], name) for parent, name in zip(parents, here, strict=True)]
        above = here
    taxonomy = hv.Taxonomy.from_edges(edges)
    assert taxonomy.n_nodes == 16_344
    leaves = taxonomy.leaves
    truth = np.concatenate([leaves, rng.choice(leaves, 30_000)])
    answers = np.where(rng.random(len(truth)) < 0.4, rng.choice(leaves, len(truth)), truth)
    return hv.diagnosis.node_table(hv.Predictions.from_labels(taxonomy, answers, truth=truth))


@pytest.fixture
def bare(chromium):
    """A page without a server."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.route("http://zoom.example/", lambda route: route.fulfill(body=BARE, content_type="text/html"))
    script = {"body": browser_module(), "content_type": "text/javascript"}
    page.route("http://zoom.example/module.js", lambda route: route.fulfill(**script))
    page.goto("http://zoom.example/")
    page.wait_for_function("() => window.isReady")
    yield page
    context.close()


def shown(page):
    """(class that is zoomed into, what is said of the chosen one)."""
    place = page.locator(ZOOM)
    return place.get_attribute("data-ready"), place.locator(".zoom-said").inner_text()


@pytest.mark.long
@pytest.mark.parametrize("kind", ["icicle", "treemap"])
def test_frames_of_sixteen_thousand_classes(bare, many, kind):
    figure = hv.charts.subtree_icicle(many) if kind == "icicle" else hv.charts.mistake_treemap(many)
    record = figure.record
    bare.evaluate("record => show(record)", json.loads(json.dumps(record)))
    parents = np.array(record["rows"]["parent"])
    inner = np.unique(parents[1:])
    rng, n_marks = np.random.default_rng(1), []
    for row in [*rng.choice(inner, 8), 0, *inner[1:6], 0]:
        marks = bare.evaluate("row => fly(row)", int(row))
        n_marks += [n for n, _ in marks]
        # What is less high than a pixel has no mark.
        assert min(low for _, low in marks) >= 1 - 1e-6
        assert bare.evaluate("() => zoom.focus") == row
    frames = np.sort(bare.evaluate("() => document.getElementById('place').frames"))
    print(
        f"\n{kind}, {len(parents):,} rows: {len(frames)} frames, script of a frame in ms: median {np.median(frames):.1f}, "
        f"95 % below {np.quantile(frames, 0.95):.1f}, at most {frames.max():.1f}; at most {max(n_marks):,} marks"
    )
    assert len(frames) > 12
    assert max(n_marks) <= 1500
    # Small classes appear as they get room.
    assert bare.evaluate("() => zoom.cells.every(one => one.row !== zoom.tree.n - 1)")
    last = len(parents) - 1
    bare.evaluate("row => fly(row)", last)
    assert bare.evaluate("() => zoom.cells.some(one => one.row === zoom.tree.n - 1 && one.y2 - one.y > 10)")
    assert bare.evaluate("() => told.name") == (record["rows"]["key"][last] or record["rows"]["name"][last])


@pytest.mark.long
def test_nothing_moves_for_those_who_want_no_motion(bare, many):
    bare.emulate_media(reduced_motion="reduce")
    bare.evaluate("record => show(record)", json.loads(json.dumps(hv.charts.subtree_icicle(many).record)))
    marks = bare.evaluate("() => fly(1)")
    assert len(marks) == 1
    assert bare.evaluate("() => document.getElementById('place').frames") == []
    assert bare.evaluate("() => zoom.focus") == 1


# On the page -----------------------------------------------------------------------------------------------------------


def opened(open_page, address="taxonomy?aspect=icicle", **more):
    page = open_page(address, **more)
    page.locator(f"{ZOOM}[data-ready]").wait_for()
    quiet(page)
    return page


def test_a_click_zooms_without_the_server_which_hears_of_it_afterwards(open_page):
    page = opened(open_page)
    canvas = page.locator(f"{ZOOM} canvas").bounding_box()
    page.locator(ZOOM).evaluate("place => { place.mark = 1; }")
    # No message leaves the browser.
    page.evaluate(
        """() => {
            window.send = WebSocket.prototype.send;
            WebSocket.prototype.send = () => { window.held = (window.held ?? 0) + 1; };
        }"""
    )
    # Watercraft: below land vehicle, in the second column.
    page.mouse.click(canvas["x"] + 0.2 * canvas["width"], canvas["y"] + 0.7 * canvas["height"])
    page.locator(f"{ZOOM}[data-ready=watercraft]").wait_for()
    expect(page.locator(f"{ZOOM} .zoom-said")).to_contain_text("watercraft")
    assert "under=" not in page.url
    page.wait_for_function("() => window.held > 0")
    page.evaluate("() => { WebSocket.prototype.send = window.send; }")
    # The path leads up, and now the server hears of it.
    page.locator(".zoom-path button", has_text="vehicle").click()
    page.locator(f"{ZOOM}[data-ready=vehicle]").wait_for()
    quiet(page)
    page.mouse.click(canvas["x"] + 0.2 * canvas["width"], canvas["y"] + 0.7 * canvas["height"])
    expect(page).to_have_url(re.compile("under=watercraft"))
    quiet(page)
    expect(page.get_by_text(re.compile("^Of 165 samples of watercraft"))).to_be_visible()
    # The picture is the same one, at the same place.
    assert page.locator(ZOOM).evaluate("place => place.mark") == 1
    now = page.locator(f"{ZOOM} canvas").bounding_box()
    # Its height is fitted when it is drawn: what is above it may have grown by a line meanwhile.
    assert {key: now[key] for key in ("x", "y", "width")} == {key: canvas[key] for key in ("x", "y", "width")}
    page.go_back()
    page.locator(f"{ZOOM}[data-ready=vehicle]").wait_for()
    # An address opens it there.
    page = opened(open_page, "taxonomy?aspect=treemap&under=aircraft")
    assert shown(page)[0] == "aircraft"


def active(page):
    """(name of the class that keys are at, its level, whether it is open)."""
    return page.locator(f"{ZOOM} {TREE}").evaluate(
        """tree => {
            const item = tree.getRootNode().getElementById(tree.getAttribute("aria-activedescendant"));
            return [item.textContent.split(",")[0], +item.getAttribute("aria-level"), item.getAttribute("aria-expanded")];
        }"""
    )


def test_by_keys_alone(open_page):
    page = opened(open_page)
    page.locator(f"{ZOOM} {TREE}").focus()
    assert active(page) == ["vehicle", 1, "true"]
    page.keyboard.press("ArrowRight")
    assert active(page) == ["land vehicle", 2, "true"]
    page.keyboard.press("ArrowDown")
    assert active(page) == ["watercraft", 2, "true"]
    assert shown(page)[0] == "vehicle"
    assert "Support 165" in shown(page)[1]
    page.keyboard.press("Enter")
    page.locator(f"{ZOOM}[data-ready=watercraft]").wait_for()
    page.keyboard.press("ArrowRight")
    assert active(page) == ["motor vessel", 3, "true"]
    page.keyboard.press("End")
    assert active(page) == ["submarine", 3, None]
    page.keyboard.press("ArrowLeft")
    # What lies outside of the picture is moved to.
    page.keyboard.press("ArrowUp")
    assert active(page)[0] == "land vehicle"
    page.locator(f"{ZOOM}[data-ready=vehicle]").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(f"{ZOOM}[data-ready=watercraft]").wait_for()
    page.keyboard.press("Escape")
    page.locator(f"{ZOOM}[data-ready=vehicle]").wait_for()
    # Search: the second match, a leaf, is seen in its parent.
    page.get_by_role("combobox", name="Find a class").focus()
    page.keyboard.type("bus")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(f"{ZOOM}[data-ready=bus]").wait_for()
    assert active(page)[0] == "city bus"
    page.keyboard.press("Backspace")
    page.locator(f"{ZOOM}[data-ready='road vehicle']").wait_for()
    expect(page).to_have_url(re.compile(r"under=road\+vehicle"))
    page.get_by_role("combobox", name="Find a class").fill("no such class")
    expect(page.get_by_text("No class with samples has this name")).to_be_visible()


@pytest.mark.long
def test_what_is_shown_is_saved(open_page):
    page = opened(open_page, "taxonomy?aspect=icicle&under=watercraft")
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == "icicle-watercraft.svg"
    text = saved.value.path().read_text("utf-8")
    assert ">vehicle › watercraft<" in text
    assert ">motor vessel<" in text
    assert "helicopter" not in text
    with page.expect_download() as saved:
        page.get_by_role("button", name="PNG").click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_a_class_of_the_difference_tree_opens_its_cells(open_page):
    pair = "compare?comparison=pair&model=flat-softmax&against=log-win-flat-start&contrast=tree"
    page = opened(open_page, pair)
    page.get_by_role("combobox", name="Find a class").fill("watercraft")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("zoom=watercraft"))
    quiet(page)
    expect(page.locator(f"{ZOOM} .zoom-said")).to_contain_text("Samples 165")
    page.locator(ZOOM).get_by_role("button", name="Its samples, two by two").click()
    expect(page).to_have_url(re.compile("under=watercraft"))
    assert "contrast=tree" not in page.url
    page.get_by_text("of 165 samples").first.wait_for()


# Elsewhere ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def models():
    return load_demo(["flat_softmax", "log_win"])[1]


def offline(chromium, path):
    context = chromium.new_context(viewport={"width": 1300, "height": 900}, offline=True, reduced_motion="reduce")
    context.set_default_timeout(WATCHDOG)
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("request", lambda request: request.url.startswith("http") and page.errors.append(request.url))
    page.on("console", lambda message: message.type == "error" and page.errors.append(message.text))
    page.goto(path.as_uri())
    return page


def zooms(place, page):
    """Zoom by click and go up by key, in a place of a page."""
    place.wait_for()
    canvas = place.locator("canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    page.mouse.click(box["x"] + 0.2 * box["width"], box["y"] + 0.7 * box["height"])
    expect(place).to_have_attribute("data-ready", "watercraft")
    page.keyboard.press("Escape")
    expect(place).to_have_attribute("data-ready", "vehicle")


@pytest.mark.long
def test_a_report_zooms_with_the_network_off_and_prints_what_is_shown(chromium, models, tmp_path):
    story = (StoryStep("taxonomy", {"aspect": "icicle", "under": "watercraft"}, "{under}"),)
    hv.report(models, "threshold", story=story).write(tmp_path / "report.html")
    page = offline(chromium, tmp_path / "report.html")
    place = page.locator(f"#story {ZOOM}")
    expect(place).to_have_attribute("data-ready", "watercraft")
    pair = page.locator(f"#pair {ZOOM}")
    page.locator("#pair").scroll_into_view_if_needed()
    page.locator("#pair [data-zoom]").scroll_into_view_if_needed()
    zooms(pair, page)
    with page.expect_download() as saved:
        pair.get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == "difference-tree.svg"
    page.wait_for_function("() => document.documentElement.dataset.ready === 'paper'")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    paper = page.locator("#story .paper svg")
    assert "vehicle › watercraft" in paper.text_content()
    assert page.errors == []
    page.context.close()


def test_a_notebook_zooms_with_the_network_off(chromium, models, tmp_path):
    table = hv.diagnosis.node_table(models[0], "threshold", threshold=0.5)
    cell = hv.show(hv.charts.subtree_icicle(table))
    (tmp_path / "cell.html").write_text(f"<!DOCTYPE html><meta charset='utf-8'>{cell._repr_html_()}", "utf-8")
    page = offline(chromium, tmp_path / "cell.html")
    zooms(page.frame_locator("iframe").locator(ZOOM), page)
    assert page.errors == []
    page.context.close()
