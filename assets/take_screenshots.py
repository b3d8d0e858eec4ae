"""Takes the pictures of `assets/screenshots`, or a grid of all pages to look at: data sets by sizes by colour schemes.

    python assets/take_screenshots.py                       # all of assets/screenshots, of the demo
    python assets/take_screenshots.py overview curves-dark  # some of them
    python assets/take_screenshots.py --grid /tmp/pages --data demo graph --size phone wide --scheme dark --page example
    python assets/take_screenshots.py --compare /tmp/compare   # tables of 2, 7 and 40 methods, of scores and of labels

A picture of the grid is called `<data>/<page>_<size>_<scheme>.png`; `--whole` takes the page from top to bottom. The demo and the
graph are made here, the other data sets are read from $HIERVIZ_TEST_DATA, and iNat21 has simulated scores. Needs Chromium, as the
browser tests do.
"""

import argparse
import csv
import itertools
import os
import re
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import large_file  # noqa: E402

import hierviz as hv  # noqa: E402
from tests.browser.conftest import CHROMIUM, GREETED, Server, quiet  # noqa: E402

SHARED = Path(os.environ.get("HIERVIZ_TEST_DATA", ROOT.parent / "shared" / "data"))
SIZES = {"desk": (1440, 900), "phone": (390, 844), "wide": (1920, 1080)}
# Of assets/screenshots: name -> (address, size, colour scheme).
KEPT = {
    "overview": ("", "desk", "light"),
    "overview-phone": ("", "phone", "light"),
    "curves": ("curves", "desk", "light"),
    "curves-dark": ("curves?drawn=bands", "desk", "dark"),
    "curves-phone": ("curves", "phone", "light"),
    "guarantee": ("curves?panel=guarantee", "desk", "light"),
    "compare": ("compare", "desk", "light"),
    "compare-classes": ("compare?comparison=classes", "desk", "light"),
    "compare-dark": ("compare?comparison=groups", "desk", "dark"),
    "compare-phone": ("compare", "phone", "light"),
    "example": ("example?outcome=wrong", "desk", "light"),
    "example-dark": ("example?sample=v0001&model=multi-label", "desk", "dark"),
    "example-phone": ("example?outcome=wrong", "phone", "light"),
    "mistakes": ("mistakes", "desk", "light"),
    "mistakes-phone": ("mistakes", "phone", "dark"),
    "confusions": ("mistakes?part=confusions", "desk", "light"),
    "matrix": ("mistakes?part=matrix&opened=1,2", "desk", "light"),
    "slices": ("mistakes?part=slices", "desk", "light"),
    "label-errors": ("mistakes?part=labels", "desk", "light"),
    "taxonomy": ("taxonomy", "desk", "light"),
    "taxonomy-dark": ("taxonomy?aspect=treemap", "desk", "dark"),
    "taxonomy-icicle": ("taxonomy?aspect=icicle", "desk", "light"),
    "taxonomy-phone": ("taxonomy", "phone", "light"),
    "calibration": ("taxonomy?aspect=calibration", "desk", "light"),
    "model": ("model", "desk", "light"),
    "model-phone": ("model", "phone", "dark"),
    "open": ("open", "desk", "light"),
    "open-phone": ("open", "phone", "light"),
}
# Of the grid: every page with its parts.
PAGES = {
    "overview": "",
    "curves": "curves",
    **{f"compare-{part}": f"compare?comparison={part}" for part in ("table", "agreement", "groups", "classes")},
    **{f"compare-pair-{kind}": f"compare?comparison=pair&contrast={kind}" for kind in ("cells", "tree", "together")},
    "example": "example",
    "example-wrong": "example?outcome=wrong",
    **{f"mistakes-{part}": f"mistakes?part={part}" for part in ("list", "confusions", "matrix", "slices", "labels")},
    **{
        f"taxonomy-{part}": f"taxonomy?aspect={part}"
        for part in ("table", "icicle", "treemap", "calibration", "levels")
    },
    "model": "model",
    "open": "open",
    "story": "story",
    "learn": "learn",
}
# Books whose classes form a graph: some classes have two parents.
EDGES = [
    ("work", "fiction"),
    ("work", "non-fiction"),
    ("fiction", "novel"),
    ("fiction", "historical novel"),
    ("novel", "crime novel"),
    ("novel", "fantasy"),
    ("non-fiction", "history"),
    ("non-fiction", "science"),
    ("history", "historical novel"),
    ("history", "biography"),
    ("science", "popular science"),
    ("biography", "scientist's life"),
    ("popular science", "scientist's life"),
]


def write(path, rows):
    """A CSV file; its path as text."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return str(path)


def graph(folder, n_samples=120, seed=3):
    """Simulated scores and label lists of two models in a graph, with one to three true classes of each sample."""
    rng, taxonomy = np.random.default_rng(seed), write(folder / "books.csv", [("parent", "child"), *EDGES])
    loaded = hv.load_taxonomy(taxonomy)
    names, nodes = [loaded.names[leaf] for leaf in loaded.leaves], range(1, loaded.n_nodes)
    paths = loaded.ancestors(loaded.leaves)
    below = [[node in paths[place] for place in range(len(names))] for node in nodes]
    true = rng.random((n_samples, len(names))) < 0.2
    true[np.arange(n_samples), rng.integers(0, len(names), n_samples)] = True
    scores = 1 / (1 + np.exp(-rng.normal(np.where(true, 1.2, -1.8))))
    of_nodes = np.transpose([scores[:, leaves].max(axis=1) for leaves in below]).round(4).tolist()
    ids = [f"book {number}" for number in range(1, n_samples + 1)]
    lists = [";".join(name for name, is_in in zip(names, row) if is_in) for row in true]
    labels = [";".join(name for name, score in zip(names, row) if score > 0.6) for row in scores]
    languages = rng.choice(["de", "en", "fr"], n_samples)
    tables = {
        "scores": [
            ("sample_id", *(loaded.names[node] for node in nodes)),
            *((one, *row) for one, row in zip(ids, of_nodes)),
        ],
        "label_lists": [("sample_id", "labels"), *zip(ids, labels)],
        "truth": [("sample_id", "truth", "language"), *zip(ids, lists, languages)],
    }
    paths = {name: write(folder / f"{name}.csv", rows) for name, rows in tables.items()}
    predictions = ["--predictions", paths["scores"], "--predictions", paths["label_lists"]]
    return ["--taxonomy", taxonomy, *predictions, "--truth", paths["truth"]]


def inat21(folder):
    """Simulated scores on a tree of 16,344 nodes."""
    taxonomy = str(SHARED / "hierarchies" / "inat21.csv")
    scores = large_file.simulate(hv.load_taxonomy(taxonomy), folder, 600)
    return ["--taxonomy", taxonomy, "--predictions", str(scores), "--truth", str(folder / "truth.csv")]


def hwv(folder):
    """Articles of Wikipedia with the scores of two models."""
    found = [SHARED / "hwv" / name for name in ("pred_flat.npz", "pred_bce_nodes.npz")]
    predictions = itertools.chain.from_iterable(("--predictions", str(path)) for path in found)
    return ["--taxonomy", str(SHARED / "hwv/taxonomy.csv"), *predictions, "--truth", str(SHARED / "hwv/test.csv")]


def germeval(folder):
    """Blurbs of books with label lists of three models."""
    found = sorted((SHARED / "germeval2019").glob("pred_1b_[CDE]*"))
    predictions = itertools.chain.from_iterable(("--predictions", str(path)) for path in found)
    truth = SHARED / "germeval2019" / "truth_1b.csv.gz"
    return ["--taxonomy", str(SHARED / "germeval2019/taxonomy_1b.csv"), *predictions, "--truth", str(truth)]


DATA = {"demo": lambda folder: [], "hwv": hwv, "germeval": germeval, "graph": graph, "inat21": inat21}


def methods(folder, n_methods, kind, n_samples=300, seed=4):
    """Simulated scores, or labels, of some methods on the classes of the demo."""
    rng, taxonomy = np.random.default_rng(seed), hv.load_taxonomy(str(ROOT / "assets/demo/taxonomy.csv"))
    leaves = [taxonomy.names[leaf] for leaf in taxonomy.leaves]
    ids, truth = [f"s{number:03d}" for number in range(n_samples)], rng.integers(0, len(leaves), n_samples)
    files = ["--taxonomy", write(folder / "classes.csv", _edges(taxonomy))]
    for number in range(n_methods):
        skill = 1.5 + 2.5 * rng.random()
        z = rng.normal(size=(n_samples, len(leaves))) + skill * (np.arange(len(leaves)) == truth[:, None])
        name = f"{NAMES[number % len(NAMES)]}{f'-{number // len(NAMES) + 1}' if n_methods > len(NAMES) else ''}.csv"
        if kind == "labels":
            rows = [("sample_id", "label"), *zip(ids, (leaves[k] for k in z.argmax(axis=1)))]
        else:
            p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
            rows = [("sample_id", *leaves), *((one, *row) for one, row in zip(ids, p.round(5).tolist()))]
        files += ["--predictions", write(folder / name, rows)]
    return [
        *files,
        "--truth",
        write(folder / "truth.csv", [("sample_id", "truth"), *zip(ids, (leaves[k] for k in truth))]),
    ]


NAMES = ("flat-softmax", "deep-rtc", "conditional-softmax", "hxe-0.3", "soft-labels", "darts", "parameter-sharing")


def _edges(taxonomy):
    """Header and edges of a tree."""
    edges = [(taxonomy.names[taxonomy.parent[node]], taxonomy.names[node]) for node in range(1, taxonomy.n_nodes)]
    return [("parent", "child"), *edges]


def window(browser, size, scheme):
    """A page of a new visitor."""
    width, height = SIZES[size]
    phone = size == "phone"
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=phone, reduced_motion="reduce"
    )
    context.set_default_timeout(120_000)
    # Of a visitor who has dismissed the greeting.
    context.add_cookies([{"name": GREETED, "value": "1", "domain": "127.0.0.1", "path": "/"}])
    return context.new_page()


def visit(page, url):
    """Open an address and wait until its charts have been drawn."""
    page.goto(url)
    page.wait_for_selector("#hierviz-view, [data-testid=stException]", state="attached", timeout=600_000)
    quiet(page)
    page.wait_for_timeout(700)
    quiet(page)
    if page.get_by_test_id("stException").count():
        print("an error is shown at", url, flush=True)


def stretched(page):
    """Make the window as high as the page, so that nothing has to be scrolled."""
    width = page.viewport_size["width"]
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": width, "height": min(max(height + 20, page.viewport_size["height"]), 6000)})
    page.wait_for_timeout(700)
    quiet(page)


def arranged(page, name):
    """What a visitor would do before the picture is taken."""
    dismiss = page.get_by_role("button", name="Dismiss")
    if dismiss.count():
        dismiss.click()
        quiet(page)
    if name == "taxonomy":
        page.get_by_role("row", name="land vehicle").first.focus()
        page.keyboard.press("ArrowRight")
        quiet(page)
        page.evaluate("document.activeElement.blur()")
    if name == "guarantee":
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollBy(0, 700)")
        page.wait_for_timeout(500)
    page.mouse.move(5, 400)
    page.wait_for_timeout(400)


def few_colours(picture, frequent=128, others=64):
    """A picture at a third of the size: flat areas keep their exact colours, and small areas one close to theirs."""
    counts = sorted(picture.getcolors(picture.width * picture.height), reverse=True)[:frequent]
    spread = picture.quantize(others, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, colour in counts for part in colour] + spread.getpalette()[: 3 * others])
    return picture.quantize(palette=palette, dither=Image.Dither.NONE)


def keep(browser, names):
    """The pictures of `assets/screenshots`."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "log.txt")
        try:
            for name in names or KEPT:
                address, size, scheme = KEPT[name]
                page = window(browser, size, scheme)
                visit(page, f"{server.url}/{address}")
                arranged(page, name)
                path = ROOT / "assets" / "screenshots" / f"{name}.png"
                page.screenshot(path=str(path))
                few_colours(Image.open(path).convert("RGB")).save(path, optimize=True)
                print(path.relative_to(ROOT), path.stat().st_size, flush=True)
                page.context.close()
        finally:
            server.stop()


def grid(browser, options):
    """All pages of the data sets in all sizes and schemes."""
    pages = {name: path for name, path in PAGES.items() if not options.page or name.startswith(tuple(options.page))}
    for data in options.data:
        out = Path(options.grid) / data
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            server = Server(Path(folder) / "log.txt", *DATA[data](Path(folder)))
            try:
                for size, scheme in itertools.product(options.size, options.scheme):
                    page = window(browser, size, scheme)
                    page.on("pageerror", lambda error: print("error of the page:", error, flush=True))
                    visit(page, server.url)
                    key = re.search("data=([0-9a-f]+)", page.url)
                    for name, path in pages.items():
                        link = path if key is None else f"{path}{'&' if '?' in path else '?'}{key[0]}"
                        visit(page, f"{server.url}/{link}")
                        if options.whole:
                            stretched(page)
                        page.screenshot(path=str(out / f"{name}_{size}_{scheme}.png"))
                        page.set_viewport_size(dict(zip(("width", "height"), SIZES[size])))
                    print(data, size, scheme, flush=True)
                    page.context.close()
            finally:
                server.stop()


def compare(browser, options):
    """The table of Compare with few and many rows; a picture is taken when the table and its downloads are there."""
    out = Path(options.compare)
    out.mkdir(parents=True, exist_ok=True)
    for kind, rows in itertools.product(("scores", "labels"), (2, 7, 40)):
        with tempfile.TemporaryDirectory() as folder:
            server = Server(Path(folder) / "log.txt", *methods(Path(folder), rows, kind))
            try:
                for size, scheme in itertools.product(("desk", "phone"), options.scheme):
                    page = window(browser, size, scheme)
                    visit(page, f"{server.url}/compare")
                    page.get_by_text("Methods paragraph, for copying").wait_for(timeout=600_000)
                    page.get_by_test_id("stDataFrame").first.locator("canvas").first.wait_for()
                    arranged(page, "compare")
                    if options.whole:
                        stretched(page)
                    quiet(page)
                    page.screenshot(path=str(out / f"{kind}_{rows}_{size}_{scheme}.png"))
                    print(kind, rows, size, scheme, flush=True)
                    page.context.close()
            finally:
                server.stop()


def main():
    """Read the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="pictures of assets/screenshots (default: all)")
    parser.add_argument("--grid", metavar="FOLDER", help="take all pages into this folder instead")
    parser.add_argument(
        "--compare", metavar="FOLDER", help="take the table of Compare with 2, 7 and 40 rows into this folder"
    )
    parser.add_argument("--data", nargs="+", default=list(DATA), choices=DATA)
    parser.add_argument("--size", nargs="+", default=list(SIZES), choices=SIZES)
    parser.add_argument("--scheme", nargs="+", default=["light", "dark"], choices=["light", "dark"])
    parser.add_argument("--page", nargs="+", help="beginnings of names of pages (default: all)")
    parser.add_argument("--whole", action="store_true", help="whole pages, not only what the window shows")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        if options.grid:
            grid(browser, options)
        elif options.compare:
            compare(browser, options)
        else:
            keep(browser, options.names)
        browser.close()


if __name__ == "__main__":
    main()
