"""Time from a command to the demo on the first screen, and to that of a second visitor.

python benchmarks/first_screen.py 8632 uvx --from "dist/hierviz-1.0.0-py3-none-any.whl[app]" hierviz app --port 8632 --no-browser
"""

import os
import signal
import subprocess
import sys
import time
import urllib.request

import psutil
from playwright.sync_api import sync_playwright

CHROMIUM = "/usr/bin/chromium"
PICTURE = '[data-hierviz="main"]'
PATIENCE = 300


def is_up(address):
    try:
        with urllib.request.urlopen(f"{address}_stcore/health", timeout=5) as answer:
            return answer.read() == b"ok"
    except OSError:
        return False


def visit(browser, address):
    """Seconds until the picture of the first page is there."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    begun = time.perf_counter()
    page.goto(address)
    page.wait_for_selector(PICTURE, timeout=1000 * PATIENCE)
    return time.perf_counter() - begun


def measure(port, command):
    """Print the times of one start."""
    address = f"http://127.0.0.1:{port}/"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        begun = time.perf_counter()
        server = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
        try:
            while not is_up(address):
                if server.poll() is not None or time.perf_counter() - begun > PATIENCE:
                    raise SystemExit(f"{address}: expected an answer of the app, got none. See its messages above.")
                time.sleep(0.05)
            up = time.perf_counter() - begun
            first, second = visit(browser, address), visit(browser, address)
            running = [psutil.Process(server.pid), *psutil.Process(server.pid).children(recursive=True)]
            cpu = sum(sum(one.cpu_times()[:2]) for one in running)
            print(f"server answers after {up:.1f} s, demo on the first screen after {up + first:.1f} s")
            print(
                f"second visitor {second:.1f} s; CPU of the server {cpu:.1f} s; load of the machine {os.getloadavg()[0]:.1f}"
            )
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait()
            browser.close()


if __name__ == "__main__":
    measure(int(sys.argv[1]), sys.argv[2:])
