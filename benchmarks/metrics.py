"""CPU time and peak memory of the metrics, each job in a process of its own.

    python benchmarks/metrics.py [../shared/data]

The folder of real files is the argument, else $HIERVIZ_TEST_DATA. Claims: the confusion of one GermEval 1B
submission under 0.3 s CPU; `hierviz evaluate` with all blocks for HWV pred_flat under 5 s CPU as a whole process and
under 1 GB. The other jobs have no claim: 2,000 x 16,344 simulated scores of all iNaturalist 2021 nodes, and 100,000
samples of one path each on the same tree. Exit code 1 when a claim does not hold.

"work" is the CPU time of the computation (the best of its runs), "process" that of the whole process with imports,
reading and simulating; "peak" is the peak memory of the process, "before" the same when the work began. Where peak and
before are equal the work needed less than what came before it.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

MB = 1024


def cpu():
    """CPU seconds of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak():
    """Peak memory of this process so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MB


def timed(work, runs=1):
    """CPU seconds of the best run, the peak before the first, and what the last one returned."""
    before, seconds = peak(), []
    for _ in range(runs):
        start = cpu()
        found = work()
        seconds.append(cpu() - start)
    return {"work": min(seconds), "before": before, "runs": [round(one, 3) for one in seconds]}, found


# Jobs: each is called in a process of its own and returns a dict of what it measured -------------------------------------


def germeval(data):
    """GermEval 1B, EricssonResearch: from label lists to the counts of 4,157 samples, path cover included."""
    import hierviz as hv

    folder = data / "germeval2019"
    taxonomy = hv.load_taxonomy(str(folder / "taxonomy_1b.csv"))
    file = folder / "pred_1b_EricssonResearch__fconv_A6C1Y.csv.gz"
    predictions = hv.load_predictions(str(file), taxonomy, truth=str(folder / "truth_1b.csv.gz"))

    def work():
        # Nothing that an Evaluation keeps is kept from one run to the next; the tree's tables of the first run are.
        return hv.Evaluation.from_predictions(predictions).confusion().counts

    measured, counts = timed(work, runs=5)
    if counts != {"tp": 8498, "tn": 119546, "fp": 3208, "fn": 6612}:
        raise SystemExit(f"wrong counts: {counts}")
    # The first run is what a command pays.
    return measured | {"work": measured["runs"][0]}


def hwv(data):
    """HWV pred_flat: `hierviz evaluate` with all blocks, to a file; the whole process counts."""
    from hierviz import cli

    folder = data / "hwv"
    with tempfile.TemporaryDirectory() as out:
        arguments = ["evaluate", "--taxonomy", folder / "taxonomy.csv", "--predictions", folder / "pred_flat.npz"]
        arguments += ["--truth", folder / "test.csv", "--json", Path(out) / "out.json"]
        measured, code = timed(lambda: cli.main([str(one) for one in arguments]))
        (model,) = json.loads((Path(out) / "out.json").read_text())["models"]
    blocks = ("distribution", "top_down", "predicted", "labels", "curve", "selective", "confusion")
    if code or any(model[block] is None for block in blocks):
        raise SystemExit("expected all blocks")
    return measured


def inat_blocks(data):
    """2,000 x 16,344 float32 node scores of iNaturalist 2021, not coherent: blocks confusion and labels."""
    import hierviz as hv

    taxonomy = hv.load_taxonomy(str(data / "hierarchies" / "inat21.csv"))
    rng = np.random.default_rng(0)
    n = 2000
    truth = rng.choice(taxonomy.leaves, n)
    scores = rng.random((n, taxonomy.n_nodes), dtype=np.float32)
    # Few nodes are likely: a real sigmoid model says 0.0 to nearly all of 16,344.
    np.power(scores, 40, out=scores)
    on_path = taxonomy.ancestors(truth)
    rows = np.repeat(np.arange(n), on_path.lengths)
    scores[rows, on_path.nodes] = rng.random(len(rows), dtype=np.float32) ** 0.5
    scores[:, 0] = 1
    predictions = hv.Predictions.from_scores(taxonomy, scores, "node_probabilities", truth=truth)

    def work():
        evaluation = hv.Evaluation.from_predictions(predictions)
        return evaluation.confusion().counts, evaluation.label_counts(0.5).summary()

    measured, (counts, labels) = timed(work)
    if not (counts["tp"] > counts["fn"] / 10 and 0 < labels["hf1_auc"] < 1):
        raise SystemExit(f"simulated scores without sense: {counts}, {labels['hf1_auc']}")
    return measured


def single_paths(data):
    """100,000 samples of one true and one predicted node (leaf or inner) on iNaturalist 2021: confusion, measures, baseline."""
    import hierviz as hv
    from hierviz.metrics.confusion.constant_paths import best_constant_path

    taxonomy = hv.load_taxonomy(str(data / "hierarchies" / "inat21.csv"))
    rng = np.random.default_rng(0)
    truth, predicted = rng.choice(taxonomy.leaves, 100_000), rng.integers(0, taxonomy.n_nodes, 100_000)
    predicted = np.where(rng.random(100_000) < 0.5, truth, predicted)

    def work():
        found = hv.confusion(taxonomy, truth, predicted)
        return found.counts, found.measures, found.per_sample, best_constant_path(taxonomy, truth)

    measured, (counts, *_) = timed(work, runs=3)
    if counts["tp"] + counts["fn"] != int(taxonomy.depth[truth].sum()):
        raise SystemExit(f"wrong counts: {counts}")
    return measured | {"work": measured["runs"][0]}


# Job -> {measured value: its limit}.
JOBS = {
    germeval: {"work": 0.3, "peak": 1000},
    hwv: {"process": 5, "peak": 1000},
    inat_blocks: {},
    single_paths: {},
}


def main(arguments):
    data = Path(arguments[0] if arguments else os.environ.get("HIERVIZ_TEST_DATA", "")).resolve()
    if not (data / "germeval2019").is_dir():
        raise SystemExit(f"{data}: expected the folder of real test data. Name it, or set HIERVIZ_TEST_DATA.")
    late = 0
    for job, limits in JOBS.items():
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, __file__, "--job", job.__name__, str(data)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{job.__name__}: {done.stderr}")
        found = json.loads(done.stdout)
        broken = [key for key, limit in limits.items() if found[key] >= limit]
        late += len(broken)
        claims = "; ".join(f"{key} < {limit}: {'NO' if key in broken else 'yes'}" for key, limit in limits.items())
        print(
            f"{job.__doc__}\n"
            f"    work {found['work']:.2f} s CPU (runs {found['runs']}), process {found['process']:.2f} s CPU, "
            f"{time.perf_counter() - start:.1f} s wall, peak {found['peak']:.0f} MB (before {found['before']:.0f} MB)"
            + (f"    {claims}" if claims else ""),
            flush=True,
        )
    return int(late > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        (chosen,) = (job for job in JOBS if job.__name__ == sys.argv[2])
        result = chosen(Path(sys.argv[3]))
        print(json.dumps(result | {"process": cpu(), "peak": peak()}))
    else:
        sys.exit(main(sys.argv[1:]))
