"""The operating curves of an open page as a visitor uses them: positions, numbers, messages to the server."""

import contextlib
import re
import signal
import time

from tests.browser.conftest import quiet

PLOT = """name => { const r = document.querySelector(`.stVegaLiteChart svg.marks g.${name}_group path.background`)
    .getBoundingClientRect(); return [r.left, r.top, r.width, r.height] }"""
# The dots at the threshold: model -> [x, y of its middle, threshold]. With the SVG renderer elements know their data.
DOTS = """() => Object.fromEntries([...document.querySelectorAll('svg.marks g.main_group .mark-symbol path')]
    .filter(one => one.__data__?.datum?.field !== undefined)
    .map(one => { const r = one.getBoundingClientRect(), d = one.__data__.datum;
        return [d.model, [r.left + r.width / 2, r.top + r.height / 2, d.threshold]] }))"""
# The read-out: [[model number, column, text]].
READ_OUT = """() => [...document.querySelectorAll('svg.marks g.read_out_group text')]
    .filter(one => one.__data__?.datum?.spot !== undefined)
    .map(one => [one.__data__.datum.j, one.__data__.datum.k, one.textContent])"""
WORDS = "name => [...document.querySelectorAll(`svg.marks g.${name}_group text`)].map(one => one.textContent)"
STATE = f"""() => {{
    window.bar ??= [...document.querySelectorAll('*')].find(one => one.shadowRoot?.querySelector('.handle')).shadowRoot;
    const words = {WORDS};
    return {{"read-out": String(({READ_OUT})()), histogram: String(words("depths")), sentence: String(words("sentence")),
        dots: JSON.stringify(({DOTS})()), number: window.bar.querySelector("input").value,
        handle: window.bar.querySelector(".handle").getAttribute("aria-valuetext")}};
}}"""
# Counts what the page sends to the server: one message a run it asks for.
COUNT = """() => { if (window.sent !== undefined) return; window.sent = 0; const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (...message) { window.sent += 1; return send.apply(this, message) } }"""


RESTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))))"


def rest(page):
    """Wait until the page has drawn what the last event changed, however long that takes here."""
    page.evaluate(RESTED)


def until(page, check):
    """Look again and again until `check()` is true; a minute is for what never comes."""
    end = time.monotonic() + 60
    while not check():
        assert time.monotonic() < end, "it did not come"
        rest(page)


class CurvePage:
    """An open page of operating curves."""

    def __init__(self, page, server=None):
        self.page, self.server = page, server
        quiet(page)  # a run that is still to come, as with the width of a phone, draws another chart
        page.locator(".stVegaLiteChart svg.marks g.read_out_group text").first.wait_for()
        self.handle = page.get_by_role("slider", name="threshold τ")
        self.number = page.get_by_label("Threshold τ as a number")
        self.handle.wait_for(state="attached")
        page.wait_for_function("() => document.querySelector('.vega-bindings')?.hidden")
        page.evaluate(COUNT)
        self.show("strip")

    def sent(self):
        """How many runs the page has asked the server for since `forget`."""
        return self.page.evaluate("() => window.sent")

    def forget(self):
        """Start counting anew."""
        self.page.evaluate("() => { window.sent = 0 }")

    def show(self, name):
        """Scroll so that a panel is in the middle of the window."""
        self.page.evaluate(
            "name => document.querySelector(`svg.marks g.${name}_group`).scrollIntoView({block: 'center'})", name
        )
        rest(self.page)

    def plot(self, name):
        """Left, top, width and height of a panel's plot, in page coordinates."""
        return self.page.evaluate(PLOT, name)

    def on_strip(self, threshold):
        """Page coordinates of a threshold on the strip."""
        left, top, width, height = self.plot("strip")
        return left + width * threshold, top + height * 0.6

    def dots(self):
        """Model -> [x, y, threshold] of the dots."""
        return self.page.evaluate(DOTS)

    def read_out(self):
        """Model number -> texts of its numbers, in the order of the columns."""
        found = {}
        for j, _, text in sorted(self.page.evaluate(READ_OUT), key=lambda one: one[:2]):
            found.setdefault(j, []).append(text)
        return found

    def words(self, name):
        """All texts of a panel."""
        return self.page.evaluate(WORDS, name)

    def heading(self):
        """What the read-out says of the threshold."""
        return next(one for one in self.words("read_out") if one.startswith("At τ"))

    def threshold(self):
        """The threshold as the drawing says it."""
        return float(self.heading().removeprefix("At τ = "))

    def state(self):
        """All that follows the threshold: read-out, histogram, sentence, dots, number field, handle; as text."""
        return self.page.evaluate(STATE)

    def url_threshold(self, condition="threshold !== null"):
        """The threshold of the URL once it fulfils a condition on `threshold`."""
        self.page.wait_for_function(
            f"() => {{ const threshold = parseFloat(new URL(location).searchParams.get('threshold')); return {condition} }}"
        )
        return float(re.search(r"threshold=([\d.]+)", self.page.url)[1])

    @contextlib.contextmanager
    def server_stopped(self):
        """The server's process does not run meanwhile."""
        process = self.server.streamlit()
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)
