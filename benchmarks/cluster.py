"""`hierviz evaluate` of a Parquet folder of 20 parts: without a cluster, and with 1 and 2 local Dask workers.

    python benchmarks/cluster.py FOLDER [--rows 20000 40000 80000] [--classes 1000] [--parts 20] [--repeats 3]

Writes a simulated folder of parts for each number of rows (float32, kept in FOLDER and used again) and prints a table: wall
time of the whole command (median), CPU time and peak memory of the command and of its largest worker. The JSON must be the
same in every run. Memory is the resident set, sampled every 20 ms.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import psutil

import hierviz as hv

# Levels of ten children each, the last as wide as is needed.
CHILDREN = 10
GROUP_ROWS = 1000


def taxonomy_of(n_leaves):
    """Edges of a tree with so many leaves, ten children to a node."""
    edges, level = [], ["root"]
    while len(level) * CHILDREN < n_leaves:
        below = [f"{node}.{k}" for node in level for k in range(CHILDREN)]
        edges += [(node.rpartition(".")[0], node) for node in below]
        level = below
    edges += [(level[k % len(level)], f"leaf {k}") for k in range(n_leaves)]
    return edges


def write_parts(folder, n_rows, n_leaves, n_parts, seed=0):
    """A folder of Parquet parts with leaf probabilities as a model would give them, sample ids and the truth."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    edges = taxonomy_of(n_leaves)
    (folder.parent / f"taxonomy_{n_leaves}.csv").write_text(
        "parent,child\n" + "".join(f"{parent},{child}\n" for parent, child in edges)
    )
    if folder.is_dir() and len(list(folder.glob("*.parquet"))) == n_parts:
        return
    folder.mkdir(parents=True, exist_ok=True)
    taxonomy = hv.Taxonomy.from_edges(edges)
    names = [taxonomy.names[node] for node in taxonomy.leaves]
    family = taxonomy.parent[taxonomy.leaves]
    rng = np.random.default_rng(seed)
    for part, rows in enumerate(np.array_split(np.arange(n_rows), n_parts)):
        classes = rng.integers(0, n_leaves, len(rows))
        scores = 2 * rng.standard_normal((len(rows), n_leaves), dtype=np.float32)
        scores[family[None, :] == family[classes][:, None]] += 3
        scores[np.arange(len(rows)), classes] += rng.uniform(0, 8, len(rows))
        np.exp(scores - scores.max(axis=1, keepdims=True), out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        columns = {"sample_id": [f"s{row}" for row in rows], "truth": [names[k] for k in classes]}
        columns |= dict(zip(names, np.ascontiguousarray(scores.T)))
        # Random floats do not compress, and dictionaries of them cost time.
        pq.write_table(
            pa.table(columns),
            folder / f"part-{part}.parquet",
            row_group_size=GROUP_ROWS,
            compression="none",
            use_dictionary=["truth"],
        )


def run(command):
    """Wall and CPU seconds of a command, and the peak resident set of it and of its largest child in MB."""
    start = time.perf_counter()
    process = psutil.Popen(command)
    peaks, cpu = {}, {}
    while process.poll() is None:
        for one in [process, *_children(process)]:
            try:
                with one.oneshot():
                    peaks[one.pid] = max(peaks.get(one.pid, 0), one.memory_info().rss)
                    times = one.cpu_times()
                    cpu[one.pid] = times.user + times.system
            except psutil.Error:
                continue
        time.sleep(0.02)
    if process.returncode:
        raise SystemExit(process.returncode)
    others = [peak for pid, peak in peaks.items() if pid != process.pid]
    mb = 1 << 20
    return time.perf_counter() - start, sum(cpu.values()), peaks[process.pid] / mb, max(others, default=0) / mb


def _children(process):
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def measure(folder, n_rows, n_classes=1000, n_parts=20, repeats=3):
    """Medians by where it ran (none, local:1, local:2): wall s, CPU s, peak MB of the command and of a worker.

    Raises SystemExit when the reports differ.
    """
    parts = folder / f"parts_{n_rows}_{n_classes}"
    write_parts(parts, n_rows, n_classes, n_parts)
    command = [sys.executable, "-m", "hierviz", "evaluate", "--predictions", str(parts)]
    command += ["--taxonomy", str(folder / f"taxonomy_{n_classes}.csv")]
    reports, measured = {}, {}
    # In turn, so that what else the machine does meets all alike.
    for _ in range(repeats):
        for where in ("none", "local:1", "local:2"):
            out = folder / "out.json"
            more = [] if where == "none" else ["--cluster", where]
            measured.setdefault(where, []).append(run([*command, "--json", str(out), *more]))
            reports[where] = json.loads(out.read_text())
    if not reports["none"] == reports["local:1"] == reports["local:2"]:
        raise SystemExit("the reports differ")
    return {where: [statistics.median(values) for values in zip(*runs)] for where, runs in measured.items()}


def main():
    """Write, run, compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000, 40_000, 80_000])
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--parts", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print("      rows  cluster   wall s  CPU s  command MB  worker MB")
    for n_rows in options.rows:
        measured = measure(options.folder, n_rows, options.classes, options.parts, options.repeats)
        for where, (wall, cpu, own, worker) in measured.items():
            print(f"{n_rows:10,}  {where:8} {wall:7.2f} {cpu:6.2f} {own:11.0f} {worker:10.0f}", flush=True)


if __name__ == "__main__":
    main()
