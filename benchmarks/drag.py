"""Dragging the threshold on the operating curves: time from a pointer move to all numbers changed, measured in the page.

    python benchmarks/drag.py [models] [slower]

Starts the app on the demo, opens the curves of `models` of its models (7) in Chromium, stops the server's process and
drags the handle of the strip, then a dot along its curve, 100 moves each. A move is timed in the page from the pointer
event to the change of the read-out, and to the next frame. `slower` throttles the CPU by that factor (1). Claim: the
median is under 16 ms with 7 models.
"""

import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import sync_playwright  # noqa: E402

from hierviz.demo import load_demo  # noqa: E402
from tests.browser.conftest import CHROMIUM, Server, ready  # noqa: E402
from tests.browser.curve_page import CurvePage  # noqa: E402

# Times of moves: [to the changed read-out, to the next frame], milliseconds.
WATCH = """() => {
    window.moves = [];
    let start = null;
    window.addEventListener('pointermove', () => { start = performance.now(); }, true);
    new MutationObserver(() => {
        if (start === null) return;
        const from = start, changed = performance.now() - from;
        start = null;
        requestAnimationFrame(() => requestAnimationFrame(() => window.moves.push([changed, performance.now() - from])));
    }).observe(document.querySelector('svg.marks g.read_out_group'), {subtree: true, childList: true, attributes: true,
        characterData: true});
}"""


def measure(chart, places):
    """Median and 95th percentile of both times over a drag."""
    page = chart.page
    page.mouse.move(*places[0])
    page.mouse.down()
    page.evaluate("() => { window.moves = []; }")
    with chart.server_stopped():
        for place in places[1:]:
            page.mouse.move(*place)
            page.wait_for_timeout(40)
        moves = page.evaluate("() => window.moves")
    page.mouse.up()
    for what, times in zip(("numbers changed", "next frame"), zip(*moves)):
        high = statistics.quantiles(times, n=20)[-1]
        print(
            f"  {what}: median {statistics.median(times):.1f} ms, 95th percentile {high:.1f} ms of {len(times)} moves"
        )
    return statistics.median(one[0] for one in moves)


def main(n_models=7, slower=1):
    keys = [one.name.lower().replace(" ", "-").replace("(", "").replace(")", "") for one in load_demo()[1]][:n_models]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "log.txt")
        try:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{server.url}/curves?models={','.join(keys)}")
            ready(page)
            chart = CurvePage(page, server)
            if slower > 1:
                page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
            page.evaluate(WATCH)
            print(f"{len(chart.read_out())} models, CPU slowed {slower} times")
            print("handle on the strip")
            measure(chart, [chart.on_strip(0.3 + 0.006 * step) for step in range(101)])
            page.wait_for_timeout(2000)
            print("dot along its curve")
            chart.show("main")
            x, y, _ = chart.dots()["Multi-label"]
            measure(chart, [(x - 3 * step, y - step) for step in range(101)])
        finally:
            server.stop()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
