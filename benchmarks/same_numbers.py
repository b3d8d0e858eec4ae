"""Do two checkouts give the same numbers? The JSON and the per-sample rows of `evaluate` on real files, value by value.

    python benchmarks/same_numbers.py OTHER_CHECKOUT [../shared/data]

OTHER_CHECKOUT is a folder with another state of hierviz, for example of `git worktree add /tmp/before v0.1`. Texts in `notes`
may differ and are counted apart; everything else has to be equal to the last digit.
"""

from __future__ import annotations

import argparse
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
DEMO = """
import json, sys
import hierviz as hv
from hierviz.demo import load_demo
taxonomy, predictions = load_demo()
json.dump(hv.evaluate(predictions), open(sys.argv[1], "w"))
"""


def commands(data):
    """Name of a case to the arguments of `hierviz evaluate`."""
    hwv, transposon, germeval = data / "hwv", data / "transposon", data / "germeval2019"

    def predictions(paths):
        return [part for path in sorted(paths) for part in ("--predictions", path)]

    for file in ("pred_flat", "pred_bce_nodes"):
        for rule in RULES:
            files = [
                "--taxonomy",
                hwv / "taxonomy.csv",
                "--predictions",
                hwv / f"{file}.npz",
                "--truth",
                hwv / "test.csv",
            ]
            yield f"HWV {file} {rule[0]}", [*files, "--rule", *rule]
    for kind in ("pred", "scores"):
        files = ["--taxonomy", transposon / "taxonomy.csv", *predictions(transposon.glob(f"{kind}_*.csv.gz"))]
        for column in ("label_raw", "label_paper"):
            truth = ["--truth", transposon / "truth.csv.gz", "--truth-column", column]
            yield f"Transposon {kind} {column}", [*files, *truth]
    for task in ("1a", "1b"):
        files = ["--taxonomy", germeval / f"taxonomy_{task}.csv", *predictions(germeval.glob(f"pred_{task}_*.csv.gz"))]
        for more in ([], ["--keep-empty-labels"]):
            yield " ".join(["GermEval", task, *more]), [*files, "--truth", germeval / f"truth_{task}.csv.gz", *more]


def answers(checkout, arguments, folder):
    """What a checkout says: (exit code, JSON, per-sample rows, standard error)."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    out, samples = folder / "out.json", folder / "samples.csv"
    for path in (out, samples):
        path.unlink(missing_ok=True)
    if arguments is None:
        command = [sys.executable, "-c", DEMO, out]
    else:
        command = [sys.executable, "-m", "hierviz", "evaluate", *arguments, "--json", out, "--per-sample", samples]
    done = subprocess.run([*map(str, command)], env=environment, cwd=folder, capture_output=True, text=True)
    rows = list(csv.reader(samples.open(encoding="utf-8", newline=""))) if samples.exists() else []
    return done.returncode, json.loads(out.read_text()) if out.exists() else None, rows, done.stderr


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
    options = parser.parse_args()
    checkouts = [options.other.resolve(), Path(__file__).resolve().parents[1]]
    n_equal = n_notes = n_cells = 0
    different = []
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in [*commands(options.data.resolve()), ("demo", None)]:
            (code, before, rows_before, error), (code_now, now, rows_now, error_now) = (
                answers(checkout, arguments, Path(folder)) for checkout in checkouts
            )
            if before is None or code != code_now:
                different.append(
                    f"{name}: exit {code} {error.strip()[-300:]!r}, then {code_now} {error_now.strip()[-300:]!r}"
                )
                continue
            left, right = dict(values(before)), dict(values(now))
            for place in left.keys() | right.keys():
                if "/notes" in place:
                    n_notes += left.get(place) != right.get(place)
                elif place in left and place in right and left[place] == right[place]:
                    n_equal += 1
                else:
                    different.append(
                        f"{name}{place}: {left.get(place, 'absent')!r}, then {right.get(place, 'absent')!r}"
                    )
            if rows_before == rows_now:
                n_cells += sum(map(len, rows_now))
            else:
                different.append(f"{name}: per-sample rows differ")
            print(f"{name}: {len(right):,} values, {sum(map(len, rows_now)):,} per-sample cells", flush=True)
    print(
        f"{n_equal:,} values and {n_cells:,} cells equal, {n_notes} notes in other words, {len(different)} differences"
    )
    print("\n".join(different[:50]))
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
