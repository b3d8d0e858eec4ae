"""`python -m tests.fuzz --n 20000 --commands 10000 --models 1000`: damaged files, commands and models by the thousand.

The exit code is 1 when one of them is a finding.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from .commands import command, exhaustive_case, n_exhaustive
from .forms import originals
from .mutations import mutant
from .watchdog import watched


def main():
    """Run, print the counts, write the findings into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=20_000, help="files (20000)")
    parser.add_argument("--commands", type=int, default=10_000, help="commands (10000)")
    parser.add_argument("--models", type=int, default=1000, help="models (1000)")
    parser.add_argument(
        "--exhaustive", action="store_true", help="also each value of each numeric flag, each form of each file"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=20, help="a file that takes longer is a finding (20)")
    parser.add_argument("--out", type=Path, help="folder for the files that are findings, with what was said")
    options = parser.parse_args()
    n_findings = 0
    parts = {"files": options.n, "commands": options.commands, "models": options.models}
    for what, n in (parts | ({"exhaustive": n_exhaustive()} if options.exhaustive else {})).items():
        tally = watched(
            options.seed,
            n,
            what,
            workers=options.workers,
            seconds=options.seconds,
            progress=_progress(n),
            found=partial(_show, options, what),
        )
        counts = {fate: tally.counts[fate] for fate in ("fine", "one line", "other", "died", "slow", "memory")}
        print(f"{what}, seed {options.seed}: {sum(counts.values())} read; {counts}", flush=True)
        n_findings += len(tally.findings)
    return 1 if n_findings else 0


def _progress(n):
    every, start = (1, "\r") if sys.stderr.isatty() else (500, "\n")

    def report(tally):
        if tally.counts.total() % every == 0:
            print(f"{start}{tally.counts.total()} of {n}: {dict(tally.counts)}", end="", file=sys.stderr, flush=True)

    return report


def _show(options, what, number, fate, words):
    print(f"--- {what} {number}: {fate}\n{words[-1500:]}", flush=True)
    if options.out:
        _keep(options.out, options.seed, what, number, words)


def _keep(folder, seed, what, number, words):
    folder.mkdir(parents=True, exist_ok=True)
    name, content = "m.onnx", b""
    if what in ("commands", "exhaustive"):
        case = command(seed, number) if what == "commands" else exhaustive_case(number)
        case.write(folder / f"{what}-{number}")
    elif what == "files":
        role, name, content = mutant(seed, number, originals())
        name = f"{role}--{ascii(name)[1:-1].replace('/', '_')[-100:]}"
    else:
        from tests.onnx_models import mutants

        content = mutants.mutant(seed, number, mutants.originals())
    if what in ("files", "models"):
        (folder / f"{what}-{number}-{name}").write_bytes(content)
    (folder / f"{what}-{number}.txt").write_text(words)


if __name__ == "__main__":
    sys.exit(main())
