"""Server time of the app's interactions, measured in Chromium: python benchmarks/browser.py [n_samples ...] [--json FILE]

For each number of samples (1,000 and 100,000) scores of 1,000 leaves are made (float16), the app is started on them, and a
visitor goes through the pages. The time of an interaction is that from the message that the browser sends to the message that
the server's run is finished, both seen on the web socket; the slowest is told where an interaction makes several runs. First
visits of a page stand apart: what is made then is kept. Exit code 1 when another interaction takes the server longer than
0.3 s at up to 100,000 samples, or 1 s above them.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import sync_playwright  # noqa: E402
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg  # noqa: E402

from tests.browser.conftest import CHROMIUM, Server  # noqa: E402

N_LEAVES, FAN = 1_000, 10
# Milliseconds: opening a million samples takes a while.
LONGEST = 600_000


def make_files(folder, n):
    """Taxonomy, scores and truth of `n` samples of a tree of three levels of fans of ten, as files."""
    edges = [("root", f"n{i}") for i in range(FAN)]
    edges += [(f"n{i}", f"n{i}.{j}") for i in range(FAN) for j in range(FAN)]
    leaves = [f"n{i}.{j}.{k}" for i in range(FAN) for j in range(FAN) for k in range(FAN)]
    edges += [(leaf.rsplit(".", 1)[0], leaf) for leaf in leaves]
    (folder / "taxonomy.csv").write_text("".join(f"{a},{b}\n" for a, b in [("parent", "child"), *edges]))
    rng = np.random.default_rng(0)
    truth = rng.integers(N_LEAVES, size=n)
    scores = np.lib.format.open_memmap(folder / "scores.npy", "w+", np.float16, (n, N_LEAVES))
    for start in range(0, n, 10_000):
        rows = slice(start, min(start + 10_000, n))
        logits = 2 * rng.standard_normal((rows.stop - start, N_LEAVES), dtype=np.float32)
        logits[np.arange(len(logits)), truth[rows]] += 12 * rng.random(len(logits), dtype=np.float32)
        np.exp(logits, out=logits)
        scores[rows] = logits / logits.sum(1, keepdims=True)
    scores.flush()
    (folder / "classes.txt").write_text("\n".join(leaves) + "\n")
    lines = [f"{row},{leaves[leaf]}\n" for row, leaf in enumerate(truth.tolist())]
    (folder / "truth.csv").write_text("sample_id,truth\n" + "".join(lines))
    names = ["taxonomy.csv", "scores.npy", "truth.csv", "classes.txt"]
    return [str(folder / name) for name in names]


class Visitor:
    """A page whose web socket is listened to."""

    def __init__(self, browser, server):
        self.page = browser.new_page(viewport={"width": 1440, "height": 900})
        self.page.set_default_timeout(LONGEST)
        self.server, self.asked, self.runs, self.last = server, None, [], 0.0
        self.page.on("websocket", self._listen)

    def _listen(self, socket):
        socket.on("framesent", self._sent)
        socket.on("framereceived", self._received)

    def _sent(self, _):
        self.last = time.perf_counter()
        if self.asked is None:
            self.asked = self.last

    def _received(self, content):
        self.last = time.perf_counter()
        message = ForwardMsg.FromString(content) if isinstance(content, bytes) else None
        if message and message.WhichOneof("type") == "script_finished" and self.asked is not None:
            self.runs.append(self.last - self.asked)
            self.asked = None

    def seconds(self, act):
        """Server time of what `act` makes the page ask, in seconds; the slowest of its runs."""
        self.asked, self.runs = None, []
        act()
        start = time.perf_counter()
        while not self.runs or self.asked is not None or time.perf_counter() - self.last < 0.5:
            self.page.wait_for_timeout(50)
            if time.perf_counter() - start > LONGEST / 1000:
                raise TimeoutError("no run was finished")
        return max(self.runs)

    def link(self, name):
        """A page of the navigation."""
        return lambda: self.page.get_by_role("link", name=name, exact=False).first.click()

    def radio(self, name):
        """One of several alternatives."""
        return lambda: self.page.get_by_role("radio", name=name).first.click()

    def button(self, name, last=False):
        """A button."""
        found = self.page.get_by_role("button", name=name)
        return lambda: (found.last if last else found.first).click()

    def option(self, label, text):
        """An entry of a list to choose from."""

        def choose():
            self.page.get_by_role("combobox", name=label).first.click()
            self.page.get_by_role("option", name=text).first.click()

        return choose

    def threshold(self, value):
        """A threshold that is typed."""

        def enter():
            field = self.page.get_by_label("Threshold τ", exact=True).first
            field.fill(value)
            field.press("Enter")

        return enter


def interactions(visitor):
    """(what, act, whether it is the first visit of something) in the order of a visit."""
    v = visitor
    yield "Overview: first visit", lambda: v.page.goto(v.server.url), True
    yield "Overview: threshold", v.threshold("0.4"), False
    yield "Overview: threshold, next", v.threshold("0.45"), False
    yield "Overview: rule", v.option("Inference rule", "Plurality"), False
    yield "Examples: first visit", v.link("Examples"), True
    yield "Examples: rule", v.option("Inference rule", "Threshold"), False
    yield "Examples: threshold", v.threshold("0.3"), False
    yield "Examples: threshold, next", v.threshold("0.31"), False
    yield "Examples: next sample", v.button("Next"), False
    yield "Examples: only wrong answers", v.radio("wrong"), False
    yield "Examples: sorted by distance", v.option("Sort by", "Information distance"), False
    yield "Examples: next of the list", v.button("Next 15", last=True), False
    yield "Operating curves: first visit", v.link("Operating curves"), True
    yield "Operating curves: other axes", v.option("Axes", "Depth"), False
    for panel in ("Guarantee", "Model comparison", "Export", "Threshold by target"):
        yield f"Operating curves: {panel.lower()}", v.radio(panel), False
    for choice in ("Mean cost", "Shallow answers", "Threshold per group"):
        yield f"Operating curves: {choice.lower()}", v.radio(choice), False


def measure(n, folder, tell=print):
    """(seconds, whether it is the first visit of something) by interaction; `tell` is told line by line."""
    taxonomy, scores, truth, classes = make_files(folder, n)
    start = time.perf_counter()
    arguments = ["--taxonomy", taxonomy, "--predictions", scores, "--truth", truth, "--classes", classes]
    server, times = Server(folder / "log.txt", *arguments), {}
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            visitor = Visitor(browser, server)
            for what, act, is_first in interactions(visitor):
                times[what] = visitor.seconds(act), is_first
                tell(f"{n:>10,}  {what:42} {times[what][0]:7.2f} s")
                if what == "Overview: first visit":
                    times["start to first numbers"] = time.perf_counter() - start, True
                    tell(f"{n:>10,}  {'start to first numbers':42} {times['start to first numbers'][0]:7.2f} s")
            browser.close()
    finally:
        server.stop()
    return times


def above_the_limit(n, times):
    """What takes longer than 0.3 s at up to 100,000 samples or 1 s above them; a first visit makes what is kept."""
    limit = 0.3 if n <= 100_000 else 1.0
    return [what for what, (seconds, is_first) in times.items() if seconds > limit and not is_first]


def main():
    """Print the table; exit code 1 when an interaction is above 0.3 s at 100,000 samples or 1 s above them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n_samples", nargs="*", type=int, default=[1_000, 100_000])
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    tables, slow = {}, []
    for n in arguments.n_samples:
        with tempfile.TemporaryDirectory() as folder:
            times = measure(n, Path(folder))
        tables[n] = {what: round(seconds, 4) for what, (seconds, _) in times.items()}
        slow += [f"{what} at {n:,}" for what in above_the_limit(n, times)]
    if arguments.json:
        arguments.json.write_text(json.dumps(tables, indent=2) + "\n")
    print("Above the limit: " + ("; ".join(slow) or "none"))
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
