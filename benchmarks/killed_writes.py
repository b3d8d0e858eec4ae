"""Kills commands while they write a file, and checks that the file is either the old or the new one, never a part.

Run: python benchmarks/killed_writes.py [--kills 50] [--signal SIGKILL|SIGINT|SIGTERM] [--seed 0]

A run that is stopped by another signal than SIGKILL prints one line, or nothing if it was already done. Output of Python
itself in its first milliseconds, before hierviz runs, also counts as "noisy".
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

OLD = '{"this is": "the file of a former run"}\n'


def make_input(folder, n_samples):
    """A small tree and the scores of many samples, with their truth; the flags that name them."""
    leaves = [f"leaf {k}" for k in range(20)]
    (folder / "taxonomy.csv").write_text(
        "".join(f"all,group {k % 4}\n" for k in range(4)) + "".join(f"group {k % 4},leaf {k}\n" for k in range(20))
    )
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(20), n_samples).tolist()
    truth = rng.integers(0, 20, n_samples).tolist()
    lines = [",".join([leaves[node], *map(repr, row)]) for node, row in zip(truth, rows, strict=True)]
    (folder / "scores.csv").write_text("\n".join([",".join(["truth", *leaves]), *lines]) + "\n")
    return ["--taxonomy", folder / "taxonomy.csv", "--predictions", folder / "scores.csv"]


def killed_runs(n_kills, folder, rng, n_samples=4000, number=signal.SIGKILL):
    """Counts of `evaluate` runs killed at random moments: those that left the old files, a new one, a broken one, a part.

    Parameters
    ----------
    n_kills : int
    folder : Path
        An empty one.
    rng : random.Random
    n_samples : int
    number : int
        The signal.

    Returns
    -------
    Counter
        Of "old", "new", "broken", "left" and, in addition, "noisy".
    """
    results = folder / "results"
    results.mkdir()
    outputs = [results / "out.json", results / "samples.csv"]
    given = [*make_input(folder, n_samples), "--json", outputs[0], "--per-sample", outputs[1]]
    command = [sys.executable, "-m", "hierviz", "evaluate", *map(str, given)]
    start = time.perf_counter()
    subprocess.run(command, check=True)
    whole, new = time.perf_counter() - start, [one.read_bytes() for one in outputs]
    json.loads(new[0])
    counts = collections.Counter()
    for _ in range(n_kills):
        for one in outputs:
            one.write_text(OLD)
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            # Three of four moments in the last part of a run, where the files are written.
            moment = rng.uniform(0 if rng.random() < 0.25 else 0.7, 1.05) * whole
            try:
                process.wait(moment)
            except subprocess.TimeoutExpired:
                process.send_signal(number)
            err = process.communicate()[1]
        if err not in ("", "hierviz: stopped\n"):
            counts["noisy"] += 1
            print(err, file=sys.stderr)
        found = [one.read_bytes() for one in outputs]
        kinds = ["old" if one == OLD.encode() else "new" if one == two else "broken" for one, two in zip(found, new)]
        kind = "broken" if "broken" in kinds else "new" if "new" in kinds else "old"
        counts["left" if len(list(results.iterdir())) != 2 else kind] += 1
    return counts


def main():
    """Print the counts; exit code 1 when a file was broken or a part left."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--signal", default="SIGKILL")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts = killed_runs(
            options.kills, Path(folder), random.Random(options.seed), number=getattr(signal, options.signal)
        )
    print(", ".join(f"{kind}: {counts[kind]}" for kind in ("old", "new", "broken", "left", "noisy")))
    return int(counts["broken"] + counts["left"] > 0)


if __name__ == "__main__":
    sys.exit(main())
