"""`hierviz evaluate` and `hierviz curve` on score files larger than memory: time and own memory as the file grows.

    python benchmarks/large_file.py ../shared/data/hierarchies/inat21.csv --samples 30000 100000 300000 --dtype float16
    python benchmarks/large_file.py ../shared/data/hierarchies/inat21.csv --samples 10000 --format npz npz-packed parquet csv

Writes simulated leaf probabilities and their truth to a temporary folder, one file after the other, and runs the command on
each. For comparison it runs `cat file > /dev/null` on the same file; in both cases the file is not in the page cache. Own
memory is the peak of RssAnon in /proc/<pid>/status (anonymous pages, not those of files), every 20 ms. Claims, on 10,000
leaves: own memory under 2 GB for 1,000,000 samples, times that grow in proportion to the samples.

Two shared cores with other work, iNat21, `evaluate`, float16 .npy:

      samples  file_GB    cat_s   wall_s    cpu_s   own_MB  cpu_us/n wall/cat
        30000     0.60     0.75     5.93     2.88      202        96      7.9
       100000     2.00     6.52    16.46     7.28      373        73      2.5
       300000     6.00    10.10    44.61    24.12      709        80      4.4
      1000000    20.00    57.16   120.87    83.37     1464        83      2.1
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import numpy as np

import hierviz as hv

FORMATS = ("npy", "npz", "npz-packed", "parquet", "csv")
ROWS_AT_ONCE = 500


def blocks(taxonomy, n_samples, dtype=np.float32, seed=0):
    """Yield (classes, scores) of up to `ROWS_AT_ONCE` samples: most mass near the truth, rounding and all.

    Noise is drawn once for 64 rows and shifted at random for the others, or drawing it would take longer than evaluating.
    """
    rng, n = np.random.default_rng(seed), taxonomy.n_leaves
    noise = np.exp(2 * rng.standard_normal((64, n), dtype=np.float32))
    noise = np.concatenate([noise, noise], axis=1)
    families = taxonomy.parent[taxonomy.leaves]
    members = {family: np.flatnonzero(families == family) for family in np.unique(families).tolist()}
    for start in range(0, n_samples, ROWS_AT_ONCE):
        count = min(ROWS_AT_ONCE, n_samples - start)
        classes = rng.integers(0, n, count)
        scores = np.empty((count, n), np.float32)
        shifts, sources = rng.integers(0, n, count), rng.integers(0, len(noise), count)
        near, exact = np.float32(np.exp(5)), np.exp(rng.uniform(0, 8, count)).astype(np.float32)
        for row, true in enumerate(classes.tolist()):
            scores[row] = noise[sources[row], shifts[row] : shifts[row] + n]
            scores[row, members[int(families[true])]] *= near
            scores[row, true] *= exact[row]
        scores /= scores.sum(axis=1, keepdims=True, dtype=np.float64).astype(np.float32)
        yield classes, _halves(scores) if dtype == np.float16 else scores.astype(dtype)


def _halves(probabilities):
    """float32 from 0 to 1 as float16, rounded to even: numpy takes a millisecond for 10,000 very small numbers."""
    bits = probabilities.view(np.uint32)
    normal = ((bits + np.uint32(0xFFF) + ((bits >> 13) & 1)) >> 13) - np.uint32(112 << 10)
    small = np.rint(probabilities * np.float32(2**24)).astype(np.uint32)
    return np.where(probabilities < 2**-14, small, normal).astype(np.uint16).view(np.float16)


def write(taxonomy, folder, n_samples, dtype, form, row_group, seed=0):
    """Write scores and truth; the path of the scores and the arguments that name the files."""
    made, names = blocks(taxonomy, n_samples, dtype, seed), [taxonomy.names[node] for node in taxonomy.leaves]
    path, truth = folder / f"scores.{form.split('-')[0]}", []
    if form in ("npy", "npz", "npz-packed"):
        header = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": (n_samples, taxonomy.n_leaves)}
        packed = zipfile.ZIP_DEFLATED if form == "npz-packed" else zipfile.ZIP_STORED
        archive = zipfile.ZipFile(path, "w", packed, compresslevel=1) if form != "npy" else None
        with archive.open("prob.npy", "w", force_zip64=True) if archive else open(path, "wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
            for classes, scores in made:
                truth += classes.tolist()
                file.write(scores.tobytes())
        if archive:
            archive.close()
    elif form == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pa.schema([(name, pa.from_numpy_dtype(np.dtype(dtype))) for name in names])
        with pq.ParquetWriter(path, schema, use_dictionary=False, write_statistics=False, compression="none") as file:
            group = []
            for classes, scores in made:
                truth += classes.tolist()
                group.append(scores)
                if sum(map(len, group)) >= row_group or len(truth) == n_samples:
                    whole, group = np.concatenate(group), []
                    columns = [pa.array(np.ascontiguousarray(column)) for column in whole.T]
                    file.write_table(pa.Table.from_arrays(columns, schema=schema), row_group_size=len(whole))
    else:
        with open(path, "w") as file:
            file.write(",".join(f'"{name}"' for name in names) + "\n")
            for classes, scores in made:
                truth += classes.tolist()
                for row in scores.astype(np.float64):
                    file.write(",".join(map(repr, row.tolist())) + "\n")
    with open(folder / "truth.csv", "w", encoding="utf-8") as file:
        file.write("truth\n" + "".join(f'"{names[k]}"\n' for k in truth))
    return path


def simulate(taxonomy, folder, n_samples=2000, seed=0):
    """Leaf probabilities as a model would give them, as float32 in an .npy file; its path."""
    return write(taxonomy, folder, n_samples, np.float32, "npy", 0, seed)


def drop_from_cache(path):
    """Make the next reader of a file read it from the disk."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class OwnMemory(threading.Thread):
    """Watches the anonymous memory of a process; `most` bytes at its peak."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.path, self.most = Path(f"/proc/{pid}/status"), 0

    def run(self):
        """Until the process is gone."""
        while True:
            try:
                lines = self.path.read_text().splitlines()
            except OSError:
                return
            kilobytes = [int(line.split()[1]) for line in lines if line.startswith("RssAnon")]
            self.most = max([self.most, *(1024 * k for k in kilobytes)])
            time.sleep(0.02)


def timed(command, **more):
    """(wall seconds, CPU seconds, peak of own memory) of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.Popen(command, **more)
    memory = OwnMemory(process.pid)
    memory.start()
    if process.wait():
        raise SystemExit(f"{command}: exit code {process.returncode}")
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, memory.most


def measure(options, form, n_samples, taxonomy):
    """One row of the table, as a dict."""
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        folder = Path(folder)
        path = write(taxonomy, folder, n_samples, np.dtype(options.dtype), form, options.row_group)
        drop_from_cache(path)
        read, _, _ = timed(["cat", str(path)], stdout=subprocess.DEVNULL)
        drop_from_cache(path)
        command = [sys.executable, "-m", "hierviz", options.command, "--taxonomy", options.taxonomy]
        command += ["--predictions", str(path), "--truth", str(folder / "truth.csv")]
        command += ["--json" if options.command == "evaluate" else "--csv", str(folder / "out")]
        command += [] if options.threads is None else ["--threads", str(options.threads)]
        wall, cpu, own = timed(command, env={**os.environ, "TMPDIR": str(folder)})
        return {
            "format": form,
            "samples": n_samples,
            "scores": taxonomy.n_leaves,
            "dtype": options.dtype,
            "file_gb": path.stat().st_size / 1e9,
            "cat_s": read,
            "wall_s": wall,
            "cpu_s": cpu,
            "own_mb": own / 1e6,
            "wall_us_per_sample": wall / n_samples * 1e6,
            "cpu_us_per_sample": cpu / n_samples * 1e6,
            "wall_per_cat": wall / read,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("taxonomy")
    parser.add_argument("--samples", type=int, nargs="+", default=[2000])
    parser.add_argument("--format", nargs="+", default=["npy"], choices=FORMATS)
    parser.add_argument("--dtype", default="float32", choices=["float16", "float32", "float64"])
    parser.add_argument("--row-group", type=int, default=10_000, help="rows of a Parquet row group")
    parser.add_argument("--command", default="evaluate", choices=["evaluate", "curve"])
    parser.add_argument("--threads", type=int)
    parser.add_argument("--folder", help="where the files are written, on a disk with room for the largest twice")
    parser.add_argument("--json", help="write the table as JSON too")
    options = parser.parse_args()
    taxonomy, rows = hv.load_taxonomy(options.taxonomy), []
    columns = "{:>10} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>10} {:>10} {:>8}"
    titles = ["format", "samples", "file_GB", "cat_s", "wall_s", "cpu_s", "own_MB", "wall_us/n", "cpu_us/n", "wall/cat"]
    print(columns.format(*titles))
    for form in options.format:
        for n_samples in options.samples:
            row = measure(options, form, n_samples, taxonomy)
            rows.append(row)
            shown = [f"{row[key]:.2f}" for key in ("file_gb", "cat_s", "wall_s", "cpu_s")]
            shown += [f"{row[key]:.0f}" for key in ("own_mb", "wall_us_per_sample", "cpu_us_per_sample")]
            print(columns.format(form, n_samples, *shown, f"{row['wall_per_cat']:.1f}"), flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
