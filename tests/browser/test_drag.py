"""The threshold is dragged in the browser, without the server, and lands in the session, the URL and every number."""

import re
import signal

import pytest

import hierviz as hv
from hierviz.demo import load_demo

pytestmark = pytest.mark.browser

# With the SVG renderer every drawn element knows the Vega view it belongs to.
VIEW = """el => { for (const g of el.querySelectorAll('svg.marks *')) {
    const c = g.__data__ && g.__data__.context; if (c) return c.dataflow; } }"""
# Page coordinates of a point (share of width, share of height) of the group that holds the threshold's rectangles.
STRIP = """(v, [tau, down]) => {
    let found = null;
    const walk = (item, x, y) => {
        if (!item) return;
        if (item.marktype === 'group') for (const g of item.items) {
            const gx = x + (g.x || 0), gy = y + (g.y || 0);
            if (g.items) for (const mark of g.items) {
                if (mark.marktype === 'rect' && mark.items.length > 900) found = {x: gx, y: gy, mark, group: g};
                walk(mark, gx, gy);
            }
        }
    };
    walk(v.scenegraph().root, 0, 0);
    const svg = document.querySelector('.stVegaLiteChart svg.marks'), box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width || 1, origin = v.origin();
    const rect = found.mark.items.find(r => Math.abs(r.datum.tau - tau) < 0.0004);
    return [box.left + scale * (origin[0] + found.x + rect.x + rect.width / 2),
            box.top + scale * (origin[1] + found.y + rect.y + rect.height * down)];
}"""


@pytest.fixture(scope="module")
def curves():
    """Operating curves of the demo by model name."""
    _, models = load_demo()
    return {one.name: hv.Evaluation.of(one).curve for one in models}


class Chart:
    """The operating-curve chart of an open page."""

    def __init__(self, page):
        self.page = page
        self.element = page.get_by_test_id("stVegaLiteChart").first
        self.element.locator("svg.marks").wait_for(timeout=30_000)
        self.element.evaluate("el => el.scrollIntoView({block: 'end'})")
        page.wait_for_timeout(300)
        self.view = self.element.evaluate_handle(VIEW)

    def tau(self):
        """Threshold of the selection inside the chart."""
        return self.view.evaluate("v => { const t = v.signal('tau').tau; return Array.isArray(t) ? t[0] : null }")

    def at(self, tau):
        """Page coordinates of a threshold on the strip."""
        return self.view.evaluate(STRIP, [tau, 0.6])

    def texts(self):
        """All texts of the chart."""
        return self.element.evaluate("el => [...el.querySelectorAll('svg.marks text')].map(t => t.textContent)")

    def numbers(self):
        """The read-out: model name -> its six numbers, as shown."""
        texts = self.texts()
        start = next(i for i, text in enumerate(texts) if text.startswith("At τ"))
        return {"heading": texts[start], "all": [text for text in texts if re.fullmatch(r"\d\.\d{2,3}", text)]}


def tau_in_url(page, condition):
    """The threshold of the URL once it fulfils a condition on `tau`."""
    page.wait_for_function(
        f"() => {{ const tau = parseFloat(new URL(location).searchParams.get('tau')); return {condition} }}",
        timeout=15_000,
    )
    return float(re.search(r"tau=([\d.]+)", page.url)[1])


def test_drag_with_the_server_stopped(open_page, server, curves):
    page = open_page("curves?models=flat-softmax,conditional-sigmoid")
    chart = Chart(page)
    assert chart.tau() == 0.5
    process = server.streamlit()
    before = chart.numbers()
    page.mouse.move(*chart.at(0.5))
    page.mouse.down()
    process.send_signal(signal.SIGSTOP)
    try:
        seen = []
        for step in range(1, 13):
            page.mouse.move(*chart.at(round(0.5 + 0.03 * step, 3)), steps=3)
            seen.append((chart.tau(), tuple(chart.numbers()["all"])))
    finally:
        process.send_signal(signal.SIGCONT)
    assert len({tau for tau, _ in seen}) >= 10
    assert len({numbers for _, numbers in seen}) >= 10
    assert seen[0][1] != tuple(before["all"])
    page.mouse.up()
    tau = chart.tau()
    assert tau == pytest.approx(0.86, abs=0.004)

    page.wait_for_function(f"() => new URL(location).searchParams.get('tau') === '{tau:.3f}'", timeout=15_000)
    shown = Chart(page).numbers()["all"]
    for name in ("Flat softmax", "Conditional sigmoid"):
        values = curves[name].at(tau)
        for key in ("correct", "exact", "info_precision", "info_recall", "info_f1"):
            assert f"{values[key]:.3f}" in shown, (name, key)
        assert f"{values['info_dist']:.2f}" in shown
    sentence = page.get_by_text(f"At τ = {tau:.2f}")
    sentence.wait_for(timeout=10_000)

    page.reload()
    page.wait_for_selector("#hierviz-view", state="attached", timeout=60_000)
    again = Chart(page)
    assert again.tau() == tau
    assert again.numbers()["all"] == shown


def test_threshold_reaches_the_other_pages(open_page):
    page = open_page("curves")
    chart = Chart(page)
    page.mouse.click(*chart.at(0.9))
    tau = tau_in_url(page, "tau > 0.89 && tau < 0.91")
    page.get_by_text(f"At τ = {tau:.2f}").wait_for(timeout=10_000)
    page.get_by_role("link", name="See the answers at this τ").click()
    page.get_by_text(f"threshold τ = {tau:.3f}").first.wait_for(timeout=20_000)


def test_keyboard_and_buttons_move_the_threshold(open_page):
    page = open_page("curves")
    chart = Chart(page)
    page.get_by_role("slider", name=re.compile("threshold")).focus()
    page.keyboard.press("ArrowRight")
    assert tau_in_url(page, "tau > 0.5") == chart.tau() == 0.501
    page.get_by_role("button", name=re.compile("95 % correct")).click()
    tau = tau_in_url(page, "tau > 0.55")
    page.wait_for_function(
        f"""tau => {{ const view = ({VIEW})(document.querySelector('.stVegaLiteChart'));
        const at = view && view.signal('tau').tau; return at && at[0] === tau }}""",
        arg=tau,
        timeout=15_000,
    )
