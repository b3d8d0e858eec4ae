"""`hierviz evaluate` on 2,000 samples x 10,000 leaves: time and peak memory of the whole process.

    python benchmarks/large_file.py ../shared/data/hierarchies/inat21.csv

Writes a simulated float32 .npy of leaf probabilities (80 MB) and its truth to a temporary folder and runs the command on
them. Claim: under 60 s and 2 GB.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import hierviz as hv


def simulate(taxonomy, folder, n_samples=2000, seed=0):
    """Leaf probabilities as a model would give them: most mass near the truth, float32 rounding and all."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, taxonomy.n_leaves, n_samples)
    path = folder / "scores.npy"
    scores = np.lib.format.open_memmap(path, "w+", np.float32, (n_samples, taxonomy.n_leaves))
    family = taxonomy.parent[taxonomy.leaves]
    for row, true in enumerate(classes):
        logits = rng.standard_normal(taxonomy.n_leaves) * 2
        logits[family == family[true]] += 5
        logits[true] += rng.uniform(0, 8)
        logits = np.exp(logits - logits.max())
        scores[row] = logits / logits.sum()
    scores.flush()
    names = [taxonomy.names[node] for node in taxonomy.leaves[classes]]
    (folder / "truth.csv").write_text("truth\n" + "".join(f'"{name}"\n' for name in names), encoding="utf-8")
    return path


def main(taxonomy_path):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        scores = simulate(hv.load_taxonomy(taxonomy_path), folder)
        command = [
            sys.executable,
            "-m",
            "hierviz",
            "evaluate",
            "--taxonomy",
            taxonomy_path,
            "--predictions",
            str(scores),
        ]
        command += ["--truth", str(folder / "truth.csv"), "--json", str(folder / "out.json")]
        start = time.perf_counter()
        subprocess.run(command, check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall, cpu = time.perf_counter() - start, used.ru_utime + used.ru_stime
        print(f"wall {wall:.1f} s, CPU {cpu:.1f} s, peak {used.ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
