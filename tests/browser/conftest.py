"""The app in a real Chromium: one server per session, one fresh browser context per test.

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
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# Names of other sites that lead to this machine; tests ask nothing of sites that exist.
MAPPED = "--host-resolver-rules=MAP *.example 127.0.0.1"


class Server:
    """The app as a process of its own, started as the `hierviz` command starts it."""

    def __init__(self, log, *arguments, python=sys.executable, cwd=None):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        command = [python, "-m", "hierviz", "app", "--no-browser", "--port", str(self.port), *arguments]
        self.log = open(log, "w")  # noqa: SIM115 - lives as long as the process
        self.process = subprocess.Popen(
            command, cwd=cwd or log.parent, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True
        )
        self.url = f"http://127.0.0.1:{self.port}"
        for _ in range(300):
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
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)
        self.process.wait()
        self.log.close()


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
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", MAPPED])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, server):
    """Open a page of the app and wait for it; fails on a page error and on any request that leaves this machine."""
    contexts, errors, strangers = [], [], []

    def open_one(path="", *, base=None, size=(1440, 900), scheme="light", touch=False):
        own = base or server.url
        context = chromium.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            reduced_motion="reduce",
            has_touch=touch,
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: is_local(request.url, own) or strangers.append(request.url))
        page.goto(f"{own}/{path}")
        ready(page)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not errors, errors
    assert not strangers, strangers


def is_local(url, own="http://127.0.0.1:"):
    return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", own, own.replace("http", "ws"), "data:", "blob:"))


def ready(page):
    """Wait until a freshly opened page has been drawn to its end."""
    page.wait_for_selector("#hierviz-view", state="attached", timeout=60_000)
    page.wait_for_function(
        "() => document.querySelector('[data-test-script-state=\"notRunning\"]') !== null", timeout=60_000
    )
