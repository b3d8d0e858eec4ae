"""Dragging the threshold on the ladder of Examples: script time of a frame, with the network off, measured in the page.

    python benchmarks/ladder_frames.py [taxonomy.csv]

For both demos and, of simulated scores, the taxonomy of a file (parent and child without a heading, as iNaturalist 2021):
the sample is opened at 1440 x 900 pixels, the page goes offline, and the line is dragged over the axis in 60 moves. Printed
are the median and the 95th percentile. Claim: at most 8 ms and 16 ms.
"""

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import sync_playwright  # noqa: E402

from tests.browser.conftest import CHROMIUM, Server, quiet  # noqa: E402

EXAMPLE, TAU, N_SAMPLES = "[data-hierviz=example]", "[data-hierviz=tau]", 200


def simulated(path, folder):
    """Options of the command for scores of the leaves of a taxonomy that fall with the distance from the truth."""
    with open(path, encoding="utf-8", newline="") as file:
        edges = [tuple(row) for row in csv.reader(file) if row]
    parents = {parent for parent, _ in edges}
    leaves = [child for _, child in edges if child not in parents]
    rng = np.random.default_rng(0)
    truth = rng.integers(len(leaves), size=N_SAMPLES)
    scores = rng.gamma(0.02, size=(N_SAMPLES, len(leaves)))
    near = truth[:, None] + np.arange(-6, 7)[None]
    rows = np.arange(N_SAMPLES)[:, None]
    scores[rows, near % len(leaves)] += rng.gamma(0.5, 40, size=near.shape)
    scores /= scores.sum(1, keepdims=True)
    names = [str(folder / name) for name in ("taxonomy.csv", "scores.npz", "truth.csv")]
    Path(names[0]).write_text("".join(f"{a},{b}\n" for a, b in [("parent", "child"), *edges]), encoding="utf-8")
    np.savez(names[1], prob=scores.astype(np.float32), leaf=leaves, sample_id=[f"s{row}" for row in range(N_SAMPLES)])
    lines = [f"s{row},{leaves[leaf]}\n" for row, leaf in enumerate(truth.tolist())]
    Path(names[2]).write_text("sample_id,truth\n" + "".join(lines), encoding="utf-8")
    return ["--taxonomy", names[0], "--predictions", names[1], "--truth", names[2]]


def frames(page, url):
    """Milliseconds of script of each frame of a drag over the axis."""
    page.context.set_offline(False)
    page.goto(url)
    page.wait_for_selector(f"{EXAMPLE}[data-ready]", timeout=120_000)
    quiet(page)
    handle, ends = page.locator(TAU), []
    handle.focus()
    for key in ("Home", "End"):
        page.keyboard.press(key)
        box = handle.bounding_box()
        ends.append(box["x"] + box["width"] / 2)
    quiet(page)
    page.context.set_offline(True)
    zero, one = ends
    y = box["y"] + box["height"] / 2
    page.mouse.move(one, y)
    page.mouse.down()
    for value in np.linspace(0.05, 0.95, 60):
        page.mouse.move(zero + value * (one - zero), y)
    page.mouse.up()
    return np.array(page.locator(EXAMPLE).evaluate("place => place.frames"))


def main(taxonomy=None):
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        folder = Path(folder)
        data = {"vehicles": ["--demo", "vehicles"], "wikipedia": ["--demo", "wikipedia"]}
        if taxonomy:
            data[Path(taxonomy).stem] = simulated(taxonomy, folder)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, options in data.items():
            server = Server(folder / f"{name}.txt", *options)
            try:
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                times = frames(page, f"{server.url}/example")
                print(f"{name}: median {np.median(times):.1f} ms, 95th percentile {np.quantile(times, 0.95):.1f} ms")
            finally:
                server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:2])
