"""Do two checkouts give the same numbers? What `evaluate`, `table`, `curve` and `diagnose` write on real files, value by value.

    python benchmarks/same_numbers.py OTHER_CHECKOUT [../shared/data] [--only WORD] [--all]

OTHER_CHECKOUT is a folder with another state of hierviz, for example of `git worktree add /tmp/before v0.1`. Texts in `notes`,
`methods`, `warnings` and `sentence` may differ and are counted separately; everything else must be equal to the last digit. Keys
and columns that only one side has are listed separately from values that differ. Both sides take the compiled path
(HIERVIZ_COMPILED=0: neither), whether or not their kernels are compiled already: sums such as those of ihF1's area are added up
in another order there, and differ in the last digit.
"""

from __future__ import annotations

import argparse
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RULES = (
    ["leaf"],
    ["majority"],
    ["threshold", "--threshold", "0.3"],
    ["plurality"],
    ["expected_information"],
    ["darts", "--lam", "0.5"],
    ["information_threshold", "--bits", "2"],
    ["exclusive"],
    ["crm_leaf"],
    ["crm_nodes"],
    ["top_down"],
    ["threshold_set", "--threshold", "0.2"],
)
EVALUATE = ["--json", "out.json", "--per-sample", "per_sample.csv"]
CURVE = ["--csv", "curve.csv"]
TABLE = ["--format", "json", "--out", "out.json"]
DIAGNOSE = ["--json", "out.json"]
for table in ("node-table", "confusions", "matrix", "mistakes", "class-table", "slices", "reliability", "label-errors"):
    DIAGNOSE += [f"--{table}", f"{table}.csv"]
WORDS = ("/notes", "/methods", "/warnings", "/reason", "sentence")
DEMO = """
import json
import hierviz as hv
from hierviz.demo import load_demo
taxonomy, predictions = load_demo()
json.dump(hv.evaluate(predictions), open("out.json", "w"))
"""


def commands(data):
    """Name of a case and the command that it is."""
    hwv, transposon, germeval = data / "hwv", data / "transposon", data / "germeval2019"

    def predictions(paths):
        return [part for path in sorted(paths) for part in ("--predictions", path)]

    texts = ["--taxonomy", hwv / "taxonomy.csv", "--truth", hwv / "test.csv"]
    for file in ("pred_flat", "pred_bce_nodes"):
        one = [*texts, "--predictions", hwv / f"{file}.npz"]
        for rule in RULES:
            yield f"evaluate HWV {file} {rule[0]}", ["evaluate", *one, "--rule", *rule, *EVALUATE]
        for rule in ("threshold", "darts", "information_threshold"):
            yield f"curve HWV {file} {rule}", ["curve", *one, "--rule", rule, *CURVE]
        for rule in ("majority", "leaf"):
            yield f"diagnose HWV {file} {rule}", ["diagnose", *one, "--rule", rule, *DIAGNOSE]
    both = [*texts, *predictions(hwv.glob("pred_*.npz"))]
    yield "table HWV", ["table", *both, "--preset", "all", "--resamples", "200", *TABLE]
    for kind in ("pred", "scores"):
        files = ["--taxonomy", transposon / "taxonomy.csv", *predictions(transposon.glob(f"{kind}_*.csv.gz"))]
        for column in ("label_raw", "label_paper"):
            truth = ["--truth", transposon / "truth.csv.gz", "--truth-column", column]
            yield f"evaluate Transposon {kind} {column}", ["evaluate", *files, *truth, *EVALUATE]
            yield (
                f"table Transposon {kind} {column}",
                ["table", *files, *truth, "--preset", "all", "--resamples", "50", *TABLE],
            )
    for task in ("1a", "1b"):
        files = ["--taxonomy", germeval / f"taxonomy_{task}.csv", *predictions(germeval.glob(f"pred_{task}_*.csv.gz"))]
        files += ["--truth", germeval / f"truth_{task}.csv.gz"]
        for more in ([], ["--keep-empty-labels"]):
            yield " ".join(["evaluate GermEval", task, *more]), ["evaluate", *files, *more, *EVALUATE]
        yield f"table GermEval {task}", ["table", *files, "--preset", "all", "--resamples", "200", *TABLE]
    yield "evaluate demo", None


def written(checkout, arguments):
    """What a checkout says: exit code, {file: its JSON, or its rows as columns}, standard error."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["-c", DEMO] if arguments is None else ["-m", "hierviz", *map(str, arguments)]
        done = subprocess.run(
            [sys.executable, *command],
            env={"HIERVIZ_COMPILED": "1", **os.environ, "PYTHONPATH": str(checkout)},
            cwd=folder,
            capture_output=True,
            text=True,
        )
        files = {}
        for path in sorted(Path(folder).iterdir()):
            if path.suffix == ".json":
                files[path.name] = json.loads(path.read_text(encoding="utf-8"))
            else:
                rows = list(csv.reader(path.open(encoding="utf-8", newline="")))
                files[path.name] = {head: list(column) for head, *column in zip(*rows)}
    return done.returncode, files, done.stderr


def values(block, place=""):
    """(place, value) of every value of a JSON."""
    if isinstance(block, (dict, list)):
        for key, part in block.items() if isinstance(block, dict) else enumerate(block):
            yield from values(part, f"{place}/{key}")
    else:
        yield place, block


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--only", default="", help="only the cases whose name holds this word")
    parser.add_argument("--all", action="store_true", help="print every difference, not the first of each case and key")
    options = parser.parse_args()
    checkouts = [options.other.resolve(), Path(__file__).resolve().parents[1]]
    n = collections.Counter()
    different = {}
    for name, arguments in commands(options.data.resolve()):
        if options.only not in name:
            continue
        (code, before, error), (code_now, now, error_now) = (written(checkout, arguments) for checkout in checkouts)
        if code != code_now or not now:
            n["different"] += 1
            different[name] = [f"exit {code} {error.strip()[-300:]!r}, then {code_now} {error_now.strip()[-300:]!r}"]
            continue
        left, right = dict(values(before)), dict(values(now))
        for place in sorted(left.keys() | right.keys()):
            if place in left and place in right and left[place] == right[place]:
                n["equal"] += 1
            elif any(word in place for word in WORDS):
                n["words"] += 1
            else:
                kind = "different" if place in left and place in right else "gone" if place in left else "new"
                n[kind] += 1
                shown = place if options.all else "/".join(part for part in place.split("/") if not part.isdigit())
                key = f"{name} {kind} {shown}"
                different.setdefault(key, []).append(
                    f"{place}: {left.get(place, 'absent')!r}, then {right.get(place, 'absent')!r}"
                )
        print(f"{name}: {len(right):,} values", flush=True)
    print(
        f"{n['equal']:,} values equal, {n['different']:,} different, {n['new']:,} new, {n['gone']:,} gone, "
        f"{n['words']:,} texts in other words"
    )
    for key, places in different.items():
        print(f"{key} ({len(places)}): {places[0]}")
    return bool(n["different"] or n["gone"])


if __name__ == "__main__":
    sys.exit(main())
