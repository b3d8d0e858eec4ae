"""A report opened from disk in a real Firefox whose network leads nowhere: nothing asked for, threshold dragged, classes opened.

Firefox is driven by WebDriver BiDi, which it speaks itself: neither geckodriver nor a build of its own is needed.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

import hierviz as hv
from hierviz.reports import ReportSamples
from tests.browser.conftest import WATCHDOG
from tests.reports.report_cases import HOSTILE, hostile_predictions

pytestmark = [pytest.mark.browser, pytest.mark.long]

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
SECONDS = WATCHDOG / 1000
# Every address but a file leads to a port where nothing listens, and Firefox asks for nothing of its own.
OFFLINE = {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.dns.disabled": True,
    "app.update.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "browser.shell.checkDefaultBrowser": False,
}
TEXTS = "[...document.querySelectorAll('#curves svg text')].map(one => one.textContent)"
STRIP = """(() => { const r = document.querySelector('#curves svg g.strip_group path.background').getBoundingClientRect();
    return [r.left, r.top, r.width, r.height] })()"""


class Firefox:
    """One window, and commands to it."""

    def __init__(self, socket):
        self.socket, self.number, self.events = socket, 0, []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["network.beforeRequestSent", "log.entryAdded"])
        self.window = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        self.ask("browsingContext.setViewport", context=self.window, viewport={"width": 1440, "height": 900})

    def ask(self, method, **params):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv(timeout=SECONDS))
            if message.get("id") == self.number:
                assert message["type"] == "success", message
                return message["result"]
            self.events.append(message)

    def open(self, address):
        self.ask("browsingContext.navigate", context=self.window, url=address, wait="complete")

    def value(self, expression):
        """What an expression gives, as JSON has it."""
        found = self.ask(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression}) ?? null))()",
            target={"context": self.window},
            awaitPromise=True,
        )
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"])

    def until(self, expression):
        end = time.monotonic() + SECONDS
        while not self.value(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.05)

    def drag(self, start, end):
        moves = [
            {"type": "pointerMove", "x": round(start[0]), "y": round(start[1])},
            {"type": "pointerDown", "button": 0},
            *(
                {
                    "type": "pointerMove",
                    "x": round(start[0] + (end[0] - start[0]) * step / 8),
                    "y": round(end[1]),
                    "duration": 20,
                }
                for step in range(1, 9)
            ),
            {"type": "pointerUp", "button": 0},
        ]
        self.ask(
            "input.performActions",
            context=self.window,
            actions=[{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}],
        )


@pytest.fixture
def firefox(tmp_path):
    if FIREFOX is None:
        pytest.skip("no firefox on this machine: apt-get install firefox-esr")
    client = pytest.importorskip("websockets.sync.client")
    profile = tmp_path / "profile"
    profile.mkdir()
    prefs = "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in OFFLINE.items())
    (profile / "user.js").write_text(prefs)
    log = tmp_path / "firefox.txt"
    with log.open("w") as file:
        process = subprocess.Popen(
            [FIREFOX, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"],
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "HOME": str(tmp_path), "MOZ_HEADLESS_WIDTH": "1440", "MOZ_HEADLESS_HEIGHT": "900"},
        )
    try:
        end = time.monotonic() + SECONDS
        while not (found := re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read_text(errors="replace"))):
            assert process.poll() is None, log.read_text(errors="replace")[-2000:]
            assert time.monotonic() < end, log.read_text(errors="replace")[-2000:]
            time.sleep(0.1)
        with client.connect(f"{found[1]}/session", max_size=None, proxy=None) as socket:
            yield Firefox(socket)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_report_from_disk_in_firefox(firefox, tmp_path):
    predictions = hostile_predictions()
    evaluation = hv.Evaluation.from_predictions(predictions)
    made = hv.report(
        evaluation, "threshold", title=HOSTILE[2], notes=HOSTILE[1], samples=ReportSamples(worst=1, random=0)
    )
    made.write(tmp_path / "report.html")
    address = (tmp_path / "report.html").as_uri()
    firefox.open(address)
    assert firefox.value("document.title") == HOSTILE[2]
    firefox.until("document.documentElement.dataset.ready === 'paper'")

    # The threshold is dragged by its handle, and the numbers are those of the curve.
    firefox.value("document.querySelector('#curves').scrollIntoView()")
    firefox.until("!!document.querySelector('#curves [data-ready]')")
    firefox.value(f"scrollBy(0, {STRIP}[1] - innerHeight / 2)")
    heading = f"({TEXTS}.find(text => text.startsWith('At τ')) ?? '')"
    for _ in range(20):
        # The pointer is aimed at what is drawn: a window that still scrolls is aimed at once more.
        firefox.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        left, top, width, height = firefox.value(STRIP)
        firefox.drag((left + 0.5 * width, top + height / 2), (left + 0.81 * width, top + height / 2))
        if firefox.value(f"Math.abs(Number({heading}.match(/[0-9.]+/)?.[0]) - 0.81) < 0.02"):
            break
    texts = firefox.value(TEXTS)
    threshold = float(re.search(r"[\d.]+", next(text for text in texts if text.startswith("At τ")))[0])
    values = evaluation.curve.at(threshold)
    assert threshold == pytest.approx(0.81, abs=0.02)
    for key in ("correct", "exact", "info_precision", "info_recall", "info_f1"):
        assert f"{values[key]:.3f}" in texts, key

    # The taxonomy and the matrix open.
    rows = "document.querySelectorAll('#taxonomy tbody tr').length"
    assert firefox.value(rows) == 3
    firefox.value("document.querySelector('#taxonomy tbody button[data-path=\"0/1\"]').click()")
    assert firefox.value(rows) == 5
    firefox.value("document.querySelector('#matrix tbody button[data-node=\"1\"]').click()")
    assert firefox.value("document.querySelector('#matrix tbody button[data-node=\"1\"]').ariaExpanded") == "true"

    # On paper every chart is there.
    firefox.ask("browsingContext.print", context=firefox.window)
    charts = "document.querySelectorAll('[data-chart]').length"
    firefox.value("dispatchEvent(new Event('beforeprint'))")
    firefox.until(f"document.querySelectorAll('.paper svg').length === {charts}")
    firefox.value("dispatchEvent(new Event('afterprint'))")

    asked = [one["params"]["request"]["url"] for one in firefox.events if one["method"] == "network.beforeRequestSent"]
    inside = ("data:", "blob:", "about:", "chrome:", "resource:")
    assert [url for url in asked if url != address and not url.startswith(inside)] == []
    said = [one["params"] for one in firefox.events if one["method"] == "log.entryAdded"]
    assert [one["text"] for one in said if one["level"] == "error"] == []
    assert firefox.value("window.hit") is None
