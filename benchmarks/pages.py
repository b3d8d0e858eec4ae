"""Server time of the pages with many samples: python benchmarks/pages.py TAXONOMY SCORES.npy TRUTH.csv

Each line is the wall time of one whole run of a page, as Streamlit's AppTest makes it: the first visit of a page, a run
that changes nothing, and one after a change. Nothing is drawn and nothing is sent. `benchmarks/large_file.py` has a
generator of scores.
"""

import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def timed(what, work):
    """Print the wall time of `work` and give what it gives."""
    start = time.perf_counter()
    result = work()
    print(f"{what:36} {time.perf_counter() - start:7.2f} s", flush=True)
    return result


def main(taxonomy, scores, truth):
    """Open the files as `hierviz app` does and go through the pages."""
    sys.argv = ["hierviz", "--taxonomy", taxonomy, "--predictions", scores, "--truth", truth]
    sys.path.insert(0, str(ROOT / "tests" / "app"))
    from visit import Visit

    from hierviz.app.state import opened, paths

    paths.is_local = lambda headers: True
    timed("open", opened.startup)
    data = opened.startup().key

    class Page(Visit):
        def go(self, page=None, **query):
            # A query without the data would show the demo.
            return super().go(page, **({"data": data} | query if query else {}))

    overview = timed("overview, first", lambda: Page("overview"))
    timed("overview, again", overview.run)
    examples = timed("examples, first", lambda: Page("example"))
    timed("examples, again", examples.run)
    changes = {
        "threshold 0.3": {"threshold": "0.3", "rule": "threshold"},
        "threshold 0.31": {"threshold": "0.31", "rule": "threshold"},
        "wrong ones": {"threshold": "0.31", "rule": "threshold", "outcome": "wrong"},
        "by distance": {"threshold": "0.31", "rule": "threshold", "order": "info_dist"},
        "rule plurality": {"rule": "plurality"},
    }
    for what, query in changes.items():
        timed(f"examples, {what}", lambda query=query: examples.go(**query))
    curves = timed("curves, first", lambda: Page("curves"))
    timed("curves, again", curves.run)
    timed("curves, other axes", lambda: curves.go(axes="exact-correct"))
    for panel in ("target", "guarantee", "models", "export"):
        timed(f"curves, panel {panel}", lambda panel=panel: curves.go(panel=panel))
    timed("model, first", lambda: Page("model"))
    timed("open files, first", lambda: Page("open"))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
