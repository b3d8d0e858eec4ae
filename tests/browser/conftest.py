"""The app in a real Chromium: one server and one browser window per session, opened anew at an address by each test.

A page that is opened anew is a new visit to the app; what a window saves is that the browser reads the app's programs again.

Without Chromium the tests skip by name, unless HIERVIZ_REQUIRE_BROWSER is set, as the README's test command does.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GREETED = "hierviz_greeted"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# Names of other sites that lead to this machine; tests ask nothing of sites that exist.
MAPPED = "--host-resolver-rules=MAP *.example 127.0.0.1"
# Milliseconds. Every wait is for a condition; this is for what never comes, on a slow machine too.
WATCHDOG = 180_000

# Resolves when the page has been connected to a server with nothing to do for half a second, and has the programs of all it
# shows: the first chart of a window comes later than its page.
QUIET = """() => new Promise(done => { let since = Date.now(); const look = setInterval(() => {
    const app = document.querySelector('[data-testid=stApp]')?.dataset ?? {};
    if (app.testScriptState !== "notRunning" || app.testConnectionState !== "CONNECTED"
        || document.querySelector("[data-testid=stSkeleton]")) since = Date.now();
    if (Date.now() - since > 500) { clearInterval(look); done(); } }, 20) })"""

# As narrow as the window, which the server hears of in the first run; a page that could not begin does not ask.
DRAWN_NARROW = """() => { const width = document.querySelector("#hierviz-view")?.dataset.width;
    return width === "" || (innerWidth < 640) === (width < 600) }"""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """A test of this folder without the mark would not be run: one half of the test command ignores the folder."""
    here = Path(__file__).parent
    unmarked = {
        item.path.name for item in items if here in item.path.parents and not item.get_closest_marker("browser")
    }
    if unmarked:
        raise pytest.UsageError(f"tests/browser: expected the mark browser, got none in {', '.join(sorted(unmarked))}.")


class Server:
    """The app as a process of its own, started as the `hierviz` command starts it."""

    running = set()  # noqa: RUF012 - of all servers

    def __init__(self, log, *arguments, python=sys.executable, cwd=None):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        command = [python, "-m", "hierviz", "app", "--no-browser", "--port", str(self.port), *arguments]
        self.log = open(log, "w")  # noqa: SIM115 - lives as long as the process
        self.process = subprocess.Popen(
            command, cwd=cwd or log.parent, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True
        )
        Server.running.add(self)
        self.url = f"http://127.0.0.1:{self.port}"
        for _ in range(1200):
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1)
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"the app did not start: {log.read_text()[-2000:]}")

    def streamlit(self):
        """The process that serves."""
        import psutil

        return psutil.Process(self.process.pid)

    def stop(self):
        """End the whole process group."""
        Server.running.discard(self)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)
        self.process.wait()
        self.log.close()


def pytest_keyboard_interrupt():
    """Ctrl-C ends Chromium too, and to close a window of it may take longer than a worker has: servers end first."""
    for server in list(Server.running):
        server.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    found = Server(tmp_path_factory.mktemp("server") / "log.txt")
    yield found
    found.stop()


@pytest.fixture(scope="session")
def chromium():
    if CHROMIUM is None:
        if os.environ.get("HIERVIZ_REQUIRE_BROWSER"):
            pytest.fail("no chromium: run `apt-get install chromium`")
        pytest.skip("no chromium on this machine")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=WATCHDOG)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", MAPPED])
        yield browser
        browser.close()


def new_window(chromium, touch=False):
    """A page with nobody's cookies and no history."""
    context = chromium.new_context(reduced_motion="reduce", has_touch=touch)
    context.set_default_timeout(WATCHDOG)
    return context.new_page()


@pytest.fixture(scope="session")
def windows(chromium):
    """By touch: the window that all tests without a wish of their own share."""
    shared = {touch: new_window(chromium, touch) for touch in (False, True)}
    for page in shared.values():
        # Of a visitor who has dismissed the greeting.
        page.context.add_cookies([{"name": GREETED, "value": "1", "domain": "127.0.0.1", "path": "/"}])
    yield shared
    for page in shared.values():
        page.context.close()


@pytest.fixture
def open_page(chromium, windows, server):
    """Open a page of the app and wait for it; fails on a page error and on any request that leaves this machine.

    The first page of a test is in a shared window, unless it asks for a new one; further ones are other visitors.
    """
    errors, strangers, opened = [], [], []

    def open_one(path="", *, base=None, size=(1440, 900), scheme="light", touch=False, new=False):
        own = base or server.url
        page = new_window(chromium, touch) if new or opened else windows[touch]
        listeners = {
            "pageerror": lambda error: errors.append(error.stack or str(error)),
            "request": lambda request: is_local(request.url, own) or strangers.append(request.url),
        }
        for event, listener in listeners.items():
            page.on(event, listener)
        opened.append((page, listeners))
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{own}/{path}")
        ready(page)
        return page

    yield open_one
    for page, listeners in opened:
        if page not in windows.values():
            page.context.close()
            continue
        page.goto("about:blank")  # the visit ends
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
    assert not errors, errors
    assert not strangers, strangers


def is_local(url, own="http://127.0.0.1:"):
    return url.startswith(
        ("about:", "http://127.0.0.1:", "ws://127.0.0.1:", own, own.replace("http", "ws"), "data:", "blob:")
    )


def ready(page):
    """Wait until a freshly opened page has been drawn to its end, in the width of its window: a phone's is drawn twice."""
    page.wait_for_selector("#hierviz-view", state="attached", timeout=WATCHDOG)
    page.wait_for_function(DRAWN_NARROW, timeout=WATCHDOG)
    page.wait_for_function(
        "() => document.querySelector('[data-test-script-state=\"notRunning\"]') !== null", timeout=WATCHDOG
    )


def quiet(page):
    """Wait until the page has been connected to a server with nothing to do for half a second."""
    page.evaluate(QUIET)


def heading(page, text):
    """Wait for the title of a page."""
    page.get_by_role("heading", level=1, name=text).wait_for()


def unfold(page):
    """Open what is folded below an example and made only then: all answers, and the win, the paths and the metrics."""
    for label, made in (
        ("All rules and models on this sample", "answers"),
        ("Win, paths and metrics of this answer", "win"),
    ):
        quiet(page)
        page.get_by_text(label).click()
        page.locator(f".st-key-more-{made}").wait_for()
    quiet(page)


def upload(page, **files):
    """Choose files, by the name of their uploader, each while the page is at rest, and wait until the server has them."""
    for name, paths in files.items():
        paths = paths if isinstance(paths, list) else [paths]
        uploader = page.locator(f".st-key-upload_{name}")
        uploader.locator("input[type=file]").wait_for(state="attached")
        # A run of the page that begins at this moment makes Streamlit drop its answer to the browser, and the choice is lost.
        quiet(page)
        uploader.locator("input[type=file]").set_input_files([str(path) for path in paths])
        uploader.get_by_text(paths[-1].name).first.wait_for()
        quiet(page)
