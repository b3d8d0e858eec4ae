"""Pages of the app opened in a Chromium of their own, and what was asked, shown and wrong there."""

import json
import os
import subprocess
import sys

import pytest

from tests.browser.conftest import CHROMIUM

# A browser of its own, as a process: Playwright's session of tests/browser may be open in this one.
LOOK = """
import json, sys
from playwright.sync_api import sync_playwright

executable, url, paths = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
found = {"requests": [], "errors": [], "texts": {}, "deploy": None}
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
    page = browser.new_page()
    page.on("request", lambda request: found["requests"].append(request.url))
    page.on("websocket", lambda one: found["requests"].append(one.url))
    page.on("pageerror", lambda error: found["errors"].append(str(error)))
    for path in paths:
        page.goto(f"{url}/{path}")
        page.wait_for_selector("#hierviz-view", state="attached", timeout=180_000)
        page.wait_for_function(
            "() => document.querySelector('[data-test-script-state=\\"notRunning\\"]') !== null", timeout=180_000
        )
        found["texts"][path] = page.inner_text("body")
        found["deploy"] = page.locator("[data-testid=stAppDeployButton]").count()
        found["exceptions"] = page.locator("[data-testid=stException]").count()
    browser.close()
print(json.dumps(found))
"""


def look(url, *paths):
    """Visit pages in Chromium: {"requests", "errors", "texts", "deploy", "exceptions"}."""
    if CHROMIUM is None:
        if os.environ.get("HIERVIZ_REQUIRE_BROWSER"):
            pytest.fail("no chromium: run `apt-get install chromium`")
        pytest.skip("no chromium on this machine")
    done = subprocess.run(
        [sys.executable, "-c", LOOK, CHROMIUM, url, json.dumps(paths)], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
