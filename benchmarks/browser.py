"""Server time of the app's interactions, measured in Chromium: python benchmarks/browser.py [n_samples ...] [--json FILE]

For each number of samples (1,000 and 100,000), scores of 1,000 leaves are simulated (float16), the app is started on them,
and a visitor goes through the pages. The time of an interaction is the time from the message of the browser to the server's
message that the run is finished, both measured on the wire (`benchmarks/wire.py`); if an interaction makes several runs,
the slowest counts. Also printed are the same time measured in the page, which is later if the browser is still drawing, and
the CPU time of all threads of the server for all runs, which excludes other work on a shared machine. Two kinds are listed
separately: results that the first visit of a page computes and keeps (`first`), and work that needs all scores, resamples
or tests again, with progress on the page (`work`). Exit code 1 if another interaction takes the server longer than 0.3 s at
up to 100,000 samples, or 1 s above; with `--cpu` if its CPU time is longer than 0.15 s, or 0.5 s above; or if an interaction
could not be done. With `--visits` each has its least time of several visits, each of a server of its own: what else a shared
machine does only adds. Limits of CPU are of a machine that needs 2 s for a loop in Python (`speed.py`), and longer in
proportion on a slower one; what this one needs, before and after, is printed, so that figures of two days or machines can be
compared.
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

import psutil  # noqa: E402
from playwright.sync_api import Error as PlaywrightError  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from speed import SECONDS, loop, slower  # noqa: E402
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg  # noqa: E402
from wire import Wire  # noqa: E402

from hierviz.app.compare_page.group_panel import AT_ONCE as TESTED_AT_ONCE  # noqa: E402
from hierviz.app.curve_panels.target_ranking import FEW_ANSWERS  # noqa: E402
from tests.browser.conftest import CHROMIUM, Server  # noqa: E402

N_LEAVES, FAN = 1_000, 10
# Samples that are made at a time; the noise of the next ones is the same in another order.
ROWS = 5_000
# Milliseconds: opening a million samples takes a while.
LONGEST = 600_000
# An element that is not there.
MISSING = 30_000
# Seconds of an interaction at up to so many samples, and above: of time, and of CPU.
MANY, LIMITS, CPU_LIMITS = 100_000, (0.3, 1.0), (0.15, 0.5)


def make_files(folder, n):
    """Taxonomy, scores and truth of `n` samples of a tree of three levels of fans of ten, as files; those of a former run."""
    names = [str(folder / name) for name in ("taxonomy.csv", "scores.npy", "truth.csv", "classes.txt")]
    if (folder / "truth.csv").exists():
        return names
    edges = [("root", f"n{i}") for i in range(FAN)]
    edges += [(f"n{i}", f"n{i}.{j}") for i in range(FAN) for j in range(FAN)]
    leaves = [f"n{i}.{j}.{k}" for i in range(FAN) for j in range(FAN) for k in range(FAN)]
    edges += [(leaf.rsplit(".", 1)[0], leaf) for leaf in leaves]
    (folder / "taxonomy.csv").write_text("".join(f"{a},{b}\n" for a, b in [("parent", "child"), *edges]))
    rng = np.random.default_rng(0)
    truth = rng.integers(N_LEAVES, size=n)
    # A third of the peaks is at another leaf, mostly in the same branch.
    peak = np.where(rng.random(n) < 0.2, truth // 100 * 100 + rng.integers(100, size=n), truth)
    peak = np.where(rng.random(n) < 0.1, rng.integers(N_LEAVES, size=n), peak)
    noise = np.exp(2 * rng.standard_normal((ROWS, N_LEAVES), dtype=np.float32))
    scores = np.lib.format.open_memmap(folder / "scores.npy", "w+", np.float16, (n, N_LEAVES))
    for start in range(0, n, ROWS):
        rows = slice(start, min(start + ROWS, n))
        values = noise[rng.permutation(ROWS)[: rows.stop - start]]
        values[np.arange(len(values)), peak[rows]] *= np.exp(12 * rng.random(len(values), dtype=np.float32))
        scores[rows] = values / values.sum(1, keepdims=True)
    scores.flush()
    (folder / "classes.txt").write_text("\n".join(leaves) + "\n")
    lines = [f"{row},{leaves[leaf]}\n" for row, leaf in enumerate(truth.tolist())]
    (folder / "truth.csv").write_text("sample_id,truth\n" + "".join(lines))
    return names


class Visitor:
    """A page whose web socket is listened to, in the page and on the wire."""

    def __init__(self, browser, server, n):
        self.n, self.wire = n, Wire(server.port)
        self.url = self.wire.url
        self.page = browser.new_page(viewport={"width": 1440, "height": 900})
        self.page.set_default_timeout(MISSING)
        self.page.set_default_navigation_timeout(LONGEST)
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

    def cpu(self):
        """CPU seconds of the server so far."""
        times = psutil.Process(self.server.process.pid).cpu_times()
        return times.user + times.system

    def rest(self):
        """Wait until the server does nothing: what it prepares for the next page is no part of an interaction."""
        before, start = -1.0, time.perf_counter()
        while self.cpu() > before + 0.02 and time.perf_counter() - start < LONGEST / 1000:
            before = self.cpu()
            self.page.wait_for_timeout(300)

    def seconds(self, act):
        """(server time, the same seen in the page, CPU time) of what `act` asks, in seconds; of times the slowest of its runs."""
        self.rest()
        self.asked, self.runs = None, []
        self.wire.passed.clear()
        before = self.cpu()
        act()
        start = time.perf_counter()
        while not self.runs or self.asked is not None or time.perf_counter() - self.last < 0.5:
            self.page.wait_for_timeout(50)
            asked_nothing = not self.runs and self.asked is None
            if time.perf_counter() - start > (MISSING if asked_nothing else LONGEST) / 1000:
                raise PlaywrightError("no run was finished")
        return self._answered(), max(self.runs), self.cpu() - before

    def _answered(self):
        """Seconds of the slowest run on the wire."""
        asked, slowest = None, 0.0
        for when, what in self.wire.passed:
            if what == "asked":
                asked = when if asked is None else asked
            elif asked is not None:
                slowest, asked = max(slowest, when - asked), None
        return slowest

    def link(self, name):
        """A page of the navigation."""
        return lambda: self.page.get_by_role("link", name=name, exact=True).first.click()

    def radio(self, name, exact=False):
        """One of several alternatives; `exact` where another one holds its name."""
        return lambda: self.page.get_by_role("radio", name=name, exact=exact).first.click()

    def button(self, name, last=False):
        """A button."""
        found = self.page.get_by_role("button", name=name)
        return lambda: (found.last if last else found.first).click()

    def option(self, label, text, typed=""):
        """An entry of a list to choose from; of a long list what is typed to find it."""

        def choose():
            self.page.get_by_role("combobox", name=label).first.click()
            self.page.keyboard.type(typed)
            self.page.get_by_role("option", name=text).first.click()

        return choose

    def other_option(self, label):
        """Another entry of a list to choose from, whatever it is called."""

        def choose():
            self.page.get_by_role("combobox", name=label).first.click()
            for key in ("ArrowDown", "ArrowDown", "Enter"):
                self.page.keyboard.press(key)

        return choose

    def filter(self, act):
        """What is done among the filters."""

        def do():
            self.page.get_by_role("button", name="Filters").first.click()
            act()
            self.page.get_by_role("heading", level=1).click()

        return do

    def columns(self, act):
        """What is done in the popover of the columns of Compare."""

        def do():
            self.page.get_by_role("button", name="Columns").first.click()
            act()
            self.page.get_by_role("heading", level=1).click()

        return do

    def chip(self, name):
        """Remove a filter."""
        return lambda: self.page.locator(f".st-key-chip-{name} button:visible").last.click()

    def words(self, label, text):
        """A text that is typed."""

        def enter():
            field = self.page.get_by_label(label).and_(self.page.locator("input")).first
            field.fill(text)
            field.press("Enter")

        return enter

    def threshold(self, value):
        """A threshold that is typed."""
        return self.words("Threshold τ", value)

    def ladder_threshold(self, value):
        """A threshold that is typed into the ladder, which tells the server of it."""

        def enter():
            field = self.page.locator(".living input[type=number]").first
            field.fill(value)
            field.press("Enter")

        return enter

    def drawer(self, act):
        """What is done in the drawer of samples, which covers the page until the title is pressed."""

        def do():
            self.page.locator(".st-key-samples-drawer button").first.click()
            act()
            self.page.get_by_role("heading", level=1).click()

        return do

    def press(self, key):
        """A key, after a click on the title of the page."""

        def do():
            self.page.get_by_role("heading", level=1).click()
            self.page.keyboard.press(key)

        return do

    def cell(self, row, column=150):
        """A row of the first table."""

        def do():
            table = self.page.get_by_test_id("stDataFrame").first
            table.scroll_into_view_if_needed()
            place, before = table.bounding_box(), None
            # What is above it may still be drawn.
            while place != before:
                self.page.wait_for_timeout(200)
                place, before = table.bounding_box(), place
            # A table that has just come takes no click until it is drawn.
            for _ in range(5):
                self.page.mouse.click(place["x"] + column, place["y"] + 58 + 36 * row)
                for _ in range(20):
                    if self.runs or self.asked is not None:
                        return
                    self.page.wait_for_timeout(50)

        return do

    def toggle(self, label):
        """A switch."""
        return lambda: self.page.get_by_text(label, exact=True).first.click()

    def in_tree(self, act):
        """In the tree grid of the page Taxonomy."""
        return lambda: act(self.page.get_by_role("treegrid"))


def overview(v):
    """(what, act, kind) of the page Overview."""
    yield "first visit", lambda: v.page.goto(v.url), "first"
    yield "threshold", v.threshold("0.4"), "work"
    yield "threshold, next", v.threshold("0.45"), ""
    yield "rule: majority", v.option("Inference rule", "Majority"), ""
    yield "rule: plurality, scores read again", v.option("Inference rule", "Plurality"), "work"
    yield "rule: threshold, back", v.option("Inference rule", "Threshold"), ""


def examples(v):
    """(what, act, kind) of the page Examples."""
    yield "first visit", v.link("Examples"), "first"
    yield "threshold", v.ladder_threshold("0.3"), ""
    yield "threshold, next", v.ladder_threshold("0.31"), ""
    yield "next sample", v.button("Next"), ""
    yield "next sample by key", v.press("j"), ""
    # Not the row of the sample that is shown, the third: nothing is asked then.
    yield "a row of the list", v.drawer(v.cell(1)), ""
    yield "next of the list", v.drawer(v.button("Next 15", last=True)), ""
    yield "only wrong answers", v.drawer(v.radio("wrong")), ""
    yield "sorted by distance", v.drawer(v.option("Sort by", "Information distance")), ""
    yield "filter: truth in a subtree", v.drawer(v.filter(v.option("Truth in subtree", "n3"))), ""
    yield "filter: id contains", v.drawer(v.filter(v.words("Sample id or text contains", "7"))), ""
    yield "filter: common ancestor", v.drawer(v.filter(v.option("Common ancestor at depth", "1"))), ""
    yield "all filters removed", v.drawer(v.button("Remove all filters")), ""


def curves(v):
    """(what, act, kind) of the page Operating curves."""
    yield "first visit", v.link("Operating curves"), "first"
    yield "other axes", v.option("Axes", "Depth"), ""
    yield "guarantee", v.radio("Guarantee"), ""
    yield "guarantee: other loss", v.words("Mean loss, at most", "5"), ""
    # Of few samples values on left-out samples are worked out unasked.
    fitted = "work" if v.n <= FEW_ANSWERS else ""
    # Label numbers need all scores once.
    yield "model comparison", v.radio("Model comparison"), "first"
    for panel in ("Export", "Threshold by target"):
        yield panel.lower(), v.radio(panel), ""
    yield "target: 90 % correct", v.words("Correct answers, at least", "90"), fitted
    yield "mean cost", v.radio("Mean cost"), fitted
    yield "mean cost: other cost", v.words("Cost of a wrong answer", "2"), fitted
    yield "shallow answers", v.radio("Shallow answers"), fitted
    yield "shallow answers: other share", v.words("Share of answers, at most", "10"), fitted
    yield "threshold per group", v.radio("Threshold per group"), "work"
    yield "uncertainty", v.radio("Uncertainty"), ""
    yield "levels drawn", lambda: (v.button("Options")(), v.toggle("Lines at 90 and 95 % correct")()), ""


def mistakes(v):
    """(what, act, kind) of the page Mistakes."""
    yield "first visit", v.link("Mistakes"), "first"
    yield "other severity", v.other_option("Rank by"), ""
    if v.n >= 1_000_000:
        # The table has fewer rows at once.
        yield "next of the list", v.button("Next"), ""
    yield "a row of the list", v.cell(2), ""
    yield "threshold", v.threshold("0.35"), ""
    yield "as gallery", v.radio("Gallery"), ""
    yield "gallery, next", v.button("Next 18"), ""
    yield "filter: truth in a subtree", v.filter(v.option("Truth in subtree", "n3")), ""
    yield "filter removed", v.chip("under"), ""
    yield "confusions", v.radio("Confusions"), ""
    yield "grouped by branches", v.option("Group by", "branches"), ""
    yield "grouped by level 1", v.option("Group by", "level 1"), ""
    yield "ordered by cost", v.radio("Cost"), ""
    yield "cost: win lost", v.option("Cost", "Win lost"), ""
    yield "another group", v.cell(2), ""
    yield "confusion matrix", v.radio("Confusion matrix"), ""
    yield "a class opened", v.option("Open or close a class", "open n3", "n3"), ""
    yield "opened where most is hidden", v.button("Open where most is hidden"), ""
    yield "share of the row", v.option("Cells", "Share of the row"), ""
    yield "another cell", v.other_option("Samples of the cell"), ""
    yield "filter in the matrix", v.filter(v.option("Truth in subtree", "n4")), ""
    yield "filter in the matrix removed", v.chip("under"), ""
    yield "slices", v.radio("Slices"), "work"
    yield "slices: another slice", v.cell(2), ""
    yield "other correction", v.option("Correction for many tests", "Benjamini-Yekutieli"), "work"
    yield "label errors", v.radio("Label errors"), "work"
    yield "label errors: as a list", v.radio("List", exact=True), ""
    yield "label errors: a row", v.cell(2), ""


def taxonomy(v):
    """(what, act, kind) of the page Taxonomy."""
    yield "first visit", v.link("Taxonomy"), "first"
    yield "threshold", v.threshold("0.55"), ""
    yield "sorted by recall", v.in_tree(lambda grid: grid.get_by_role("button", name="Recall").click()), ""
    yield "a class opened", v.in_tree(lambda grid: grid.get_by_role("row").nth(2).press("ArrowRight")), ""
    yield "all leaves", v.option("Rows", "all leaves"), ""
    yield "search", v.words("Search", "n3.1"), ""
    yield "search removed", v.words("Search", ""), ""
    yield "icicle", v.radio("Icicle"), ""
    yield "icicle: value shown", v.option("Colour", "Precision"), ""
    yield "treemap", v.radio("Treemap of mistakes"), ""
    yield "treemap: lost win", v.option("Area", "lost win"), ""
    yield "levels", v.radio("Levels"), ""
    yield "into a subtree", lambda: v.page.locator(".st-key-costliest button").first.click(), ""
    yield "back to all classes", v.button("Show all classes"), ""
    yield "calibration", v.radio("Calibration"), "work"
    yield "calibration of a subtree", lambda: v.page.locator(".st-key-costliest button").first.click(), "work"
    yield "calibration: other threshold", v.threshold("0.6"), "work"


def compare(v):
    """(what, act, kind) of the page Compare; intervals of many samples, which are resamples, are not asked for."""
    yield "first visit", v.link("Compare"), "work"
    yield "columns of a paper", v.columns(v.option("Columns", "Wu, Tygert")), "work"
    yield "columns: back", v.columns(v.option("Columns", "short selection")), ""
    yield "intervals and ranks", v.columns(v.option("With each number", "intervals and ranks")), ""
    yield "threshold", v.threshold("0.3"), "work"
    yield "agreement", v.radio("Do the metrics agree?"), ""
    yield "agreement: another metric", v.other_option("Metric"), ""
    yield "agreement: a row", v.cell(2), ""
    # Few samples are tested at each level unasked.
    yield "weak spots", v.radio("Where they are weak"), "work" if v.n <= TESTED_AT_ONCE else ""
    yield "weak spots: another metric", v.other_option("Metric"), ""
    yield "weak spots: threshold", v.threshold("0.35"), ""
    yield "weak spots: truth in a subtree", v.filter(v.option("Truth in subtree", "n3")), ""
    yield "weak spots: filter removed", v.chip("under"), ""
    yield "every class", v.radio("Classes"), ""
    yield "every class: ancestors too", v.option("A class counts where", "it is the class or one below"), ""
    yield "every class: other β", v.words("β", "2"), ""
    yield "every class: a row", v.cell(2), ""
    yield "every class: threshold", v.threshold("0.45"), ""
    yield "second opinion, not asked for yet", v.radio("Second opinion"), ""
    # The columns that depend on the threshold are resampled.
    yield "back to the table, after other thresholds", v.radio("Table"), "work"


PAGES = {
    "Overview": overview,
    "Examples": examples,
    "Operating curves": curves,
    "Mistakes": mistakes,
    "Taxonomy": taxonomy,
    "Compare": compare,
}


def interactions(visitor, pages=tuple(PAGES)):
    """(what, act, kind) in the order of a visit; kind is "first", "work" or ""."""
    for page in pages:
        for what, act, kind in PAGES[page](visitor):
            yield f"{page}: {what}", act, kind


def measure(n, folder, pages=tuple(PAGES), tell=print):
    """What was measured, and what could not be done.

    Returns (dict of interaction to seconds, seconds seen in the page, CPU seconds and kind; list of interactions). `tell` is
    called with each line.
    """
    taxonomy_file, scores, truth, classes = make_files(folder, n)
    start = time.perf_counter()
    arguments = ["--taxonomy", taxonomy_file, "--predictions", scores, "--truth", truth, "--classes", classes]
    server, times, failed = Server(folder / "log.txt", *arguments), {}, []

    def note(what, seconds, seen, cpu, kind):
        times[what] = seconds, seen, cpu, kind
        tell(f"{n:>10,}  {what:48} {seconds:7.2f} s {seen:7.2f} s in the page {cpu:7.2f} s CPU  {kind}", flush=True)

    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            visitor = Visitor(browser, server, n)
            if pages[0] != "Overview":
                visitor.seconds(lambda: visitor.page.goto(visitor.url))
            for what, act, kind in interactions(visitor, pages):
                try:
                    note(what, *visitor.seconds(act), kind)
                except PlaywrightError as error:
                    visitor.page.screenshot(path=folder / "failed.png")
                    tell(f"{n:>10,}  {what:48} not done: {str(error)[:300]!r}; see {folder / 'failed.png'}", flush=True)
                    failed.append(f"{what} at {n:,}")
                if what == "Overview: first visit":
                    passed = time.perf_counter() - start
                    note("start to first numbers", passed, passed, visitor.cpu(), "first")
            browser.close()
            visitor.wire.stop()
    finally:
        server.stop()
    return times, failed


def least(before, now):
    """The least times of the interactions of two visits, as of `measure`."""
    return now | {
        what: (*map(min, times[:-1], now[what][:-1]), times[-1]) if what in now else times
        for what, times in before.items()
    }


def above_the_limit(n, times, slower=None):
    """What takes longer than `LIMITS`, first visits and work left out.

    With `slower`, of `speed.slower`, what takes more CPU than so many times `CPU_LIMITS`.
    """
    limit = LIMITS[n > MANY] if slower is None else CPU_LIMITS[n > MANY] * slower
    return [
        what for what, (wall, _, busy, kind) in times.items() if (wall if slower is None else busy) > limit and not kind
    ]


def main():
    """Print the table; exit code 1 when an interaction is above its limit, or could not be done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n_samples", nargs="*", type=int, default=[1_000, 100_000])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--cpu", action="store_true", help="judge by the server's CPU time: other work is going on")
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=list(PAGES))
    parser.add_argument("--visits", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="make the files in this folder, and use those of a former run")
    arguments = parser.parse_args()
    found, not_done, before = {}, [], loop()
    for n in arguments.n_samples:
        with tempfile.TemporaryDirectory() as temporary:
            folder = arguments.folder / str(n) if arguments.folder else Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            for _ in range(arguments.visits):
                times, failed = measure(n, folder, tuple(arguments.pages))
                found[n] = least(found.get(n, times), times)
                not_done += failed
    speed = [before, loop()]
    print(f"CPU of a loop in Python: {speed[0]:.2f} s before, {speed[1]:.2f} s after; limits are for {SECONDS:.2f} s")
    by_cpu = slower(*speed) if arguments.cpu else None
    slow = [f"{what} at {n:,}" for n, times in found.items() for what in above_the_limit(n, times, by_cpu)]
    if arguments.json:
        tables = {
            n: {what: [*(round(value, 4) for value in values), kind] for what, (*values, kind) in times.items()}
            for n, times in found.items()
        }
        arguments.json.write_text(json.dumps(tables | {"loop": speed}, indent=2) + "\n")
    print("Above the limit: " + ("; ".join(slow) or "none"))
    print("Not done: " + ("; ".join(not_done) or "none"))
    return 1 if slow or not_done else 0


if __name__ == "__main__":
    sys.exit(main())
