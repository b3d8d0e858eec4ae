"""Speed and memory in one table: python benchmarks/run.py [--data ../shared/data] [--json FILE] [--only WORD ...] [--tries N]

Every job runs in its own process and gives medians of five runs, CPU time per sample on one thread unless stated
otherwise; ratios are from the same run. Scores are simulated: a softmax of normal logits with the true leaf raised by 0 to 12;
those of the app and of Dask are described in `browser.py` and `cluster.py`. "one read" is `scores.sum()` of the same array.
Jobs whose packages are missing are named and left out.

Exit code 1 when a claim does not hold: the curve from leaf probabilities of iNaturalist 2021 in 25 us and 12 reads, of the
ImageNet tree in 4.5 us, of these at most 4 and 2 us once the Pareto table is there, with the summary; all blocks of `evaluate`
in 80 us, two threads 1.6 times as fast as one, an interaction of the app in the server's CPU time of `browser.py`. Claims of
time are of the machine of `speed.py`; `machine` says how many times as long today's takes. With `--tries` a job whose claim does
not hold is run again, up to N times in all: what else a shared machine does only adds.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from speed import loop, slower

RUNS = 5
TREES = {"iNaturalist 2021": ("inat21.csv", 5_000), "ImageNet": ("imagenet_fiveai.csv", 50_000)}


def cpu():
    """CPU seconds of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def median(work, clock=cpu, runs=RUNS):
    """Median seconds of `runs` runs of `work`, after one that is not counted."""
    work()
    seconds = []
    for _ in range(runs):
        start = clock()
        work()
        seconds.append(clock() - start)
    return float(np.median(seconds))


def own_memory():
    """Anonymous memory of this process, MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return float("nan")


def simulated(data, file, n, n_leaves=None):
    """(taxonomy, truth, Predictions) of `n` samples."""
    import hierviz as hv

    taxonomy = hv.load_taxonomy(str(data / "hierarchies" / file)) if n_leaves is None else made_tree(*n_leaves)
    rng = np.random.default_rng(0)
    truth = rng.choice(taxonomy.leaves, n)
    scores = 2 * rng.standard_normal((n, taxonomy.n_leaves), dtype=np.float32)
    scores[np.arange(n), np.searchsorted(taxonomy.leaves, truth)] += 12 * rng.random(n, dtype=np.float32)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return taxonomy, truth, hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)


def made_tree(n_leaves, depth):
    """A tree of `n_leaves` leaves, all at one depth, with families as equal as they can be."""
    import hierviz as hv

    sizes = [max(1, round(n_leaves ** (level / depth))) for level in range(depth + 1)]
    edges = []
    for leaf in range(n_leaves):
        place, names = leaf, [f"leaf {leaf}"]
        for level in range(depth - 1, 0, -1):
            place = place * sizes[level] // sizes[level + 1]
            names.append(f"{level}:{place}")
        names.reverse()
        edges += list(zip(["root", *names[:-1]], names, strict=True))
    return hv.Taxonomy.from_edges(list(dict.fromkeys(edges)))


def naive_curve(taxonomy, scores, rows):
    """Pareto sets the plain way: node sums by a dense matrix of leaves and ancestors, then a sort of all nodes per sample."""
    below = np.zeros((taxonomy.n_leaves, taxonomy.n_nodes), dtype=np.float32)
    lists = taxonomy.ancestors(taxonomy.leaves)
    below[np.repeat(np.arange(taxonomy.n_leaves), lists.lengths), lists.nodes] = 1

    def work():
        sets = []
        for row in scores[:rows]:
            p = row @ below
            order = np.lexsort((-p, -taxonomy.information))
            best, chosen = -1.0, []
            for node in order.tolist():
                if p[node] > best:
                    best = p[node]
                    chosen.append(node)
            sets.append(chosen)
        return sets

    return work


# Jobs ------------------------------------------------------------------------------------------------------------------


def curve(data, tree):
    """Operating curve from leaf probabilities in memory, one thread, compared with one read and the naive way."""
    import hierviz as hv

    file, n = TREES[tree]
    taxonomy, truth, predictions = simulated(data, file, n)
    scores = np.asarray(predictions.scores)

    def work():
        hv.operating_curve(taxonomy, truth, hv.pareto_table(taxonomy, predictions, threads=1))

    before = loop()
    read, seconds = median(scores.sum), median(work)
    after = median_after_table(taxonomy, truth, predictions)
    rows = 20 if taxonomy.n_nodes > 5_000 else 200
    naive = median(naive_curve(taxonomy, scores, rows), runs=1) / rows * 1e6
    microseconds, reads = seconds / n * 1e6, seconds / read
    slow = slower(before, loop())
    limit, limit_after = {"iNaturalist 2021": (25, 4), "ImageNet": (4.5, 2)}[tree]
    after *= 1e6 / n
    holds = microseconds <= limit * slow and after <= limit_after * slow and (tree == "ImageNet" or reads <= 12)
    found = {"us a sample": microseconds, "after the table us": after, "reads": reads, "naive us": naive}
    return found | {"machine": slow, "holds": holds}


def median_after_table(taxonomy, truth, predictions):
    """Median seconds of the curve and its summary from a new Pareto table, whose own time is not counted."""
    import hierviz as hv

    seconds = []
    for _ in range(2 * RUNS):
        table = hv.pareto_table(taxonomy, predictions, threads=1)
        start = cpu()
        hv.operating_curve(taxonomy, truth, table).summary()
        seconds.append(cpu() - start)
    return float(np.median(seconds[1:]))


def blocks(data, tree):
    """All blocks of `evaluate`, one thread."""
    import hierviz as hv

    file, n = TREES[tree]
    _, _, predictions = simulated(data, file, n)
    before = loop()
    microseconds = median(lambda: hv.evaluate(predictions, threads=1)) / n * 1e6
    slow = slower(before, loop())
    holds = tree == "ImageNet" or microseconds <= 80 * slow
    return {"us a sample": microseconds, "machine": slow, "holds": holds}


def threads(data):
    """Two threads compared with one, wall time of runs of at least two seconds, in alternation."""
    import hierviz as hv

    taxonomy, _, predictions = simulated(data, TREES["iNaturalist 2021"][0], 40_000)
    walls = {1: [], 2: []}
    hv.pareto_table(taxonomy, predictions.replace(scores=predictions.scores[:64], truth=predictions.truth[:64]))
    for _ in range(RUNS):
        for n_threads, seconds in walls.items():
            start = time.perf_counter()
            for _ in range(4):
                hv.pareto_table(taxonomy, predictions, threads=n_threads)
            seconds.append(time.perf_counter() - start)
    one, two = (float(np.median(seconds)) for seconds in walls.values())
    return {"one s": one, "two s": two, "times": one / two, "holds": one / two >= 1.6}


def growth(data):
    """us a sample of the curve with more samples, leaves and levels."""
    import hierviz as hv

    rows = {}
    for n, tree in ((2_000, (1_000, 4)), (8_000, (1_000, 4)), (32_000, (1_000, 4)), (2_000, (4_000, 4)), (2_000, (16_000, 4)),
                    (8_000, (1_000, 2)), (8_000, (1_000, 9))):  # fmt: skip
        taxonomy, truth, predictions = simulated(data, None, n, tree)

        def work(taxonomy=taxonomy, truth=truth, predictions=predictions):
            hv.operating_curve(taxonomy, truth, hv.pareto_table(taxonomy, predictions, threads=1))

        rows[f"{n:,} x {tree[0]:,}, depth {tree[1]}"] = median(work, runs=3) / n * 1e6
    return rows


def memory(data):
    """Own memory that an evaluation needs beyond the scores, MB."""
    import hierviz as hv

    _, _, predictions = simulated(data, TREES["iNaturalist 2021"][0], 10_000)
    before = own_memory()
    evaluation = hv.Evaluation.from_predictions(predictions, threshold=0.5, threads=1)
    return {
        "scores MB": predictions.scores.nbytes / 2**20,
        "kept MB": own_memory() - before,
        "samples": evaluation.n_judged,
    }


def libraries(data):
    """The same number by hiclass (hierarchical precision of one path a sample) and by scikit-learn (micro F1 of sets)."""
    from hiclass.metrics import precision as hiclass_precision
    from sklearn.metrics import f1_score

    import hierviz as hv
    from hierviz.metrics.sets.label_sets import LabelSetCounts

    taxonomy = hv.load_taxonomy(str(data / "hierarchies" / "tiny_imagenet_fiveai.csv"))
    rng = np.random.default_rng(0)
    n = 5_000
    truth, predicted = rng.choice(taxonomy.leaves, n), rng.choice(taxonomy.leaves, n)
    paths = np.full((2, n, taxonomy.max_depth), "", dtype=object)
    sets = np.zeros((2, n, taxonomy.n_nodes), dtype=bool)
    for k, nodes in enumerate((truth, predicted)):
        lists = taxonomy.ancestors(nodes)
        row = np.repeat(np.arange(n), lists.lengths)
        sets[k, row, lists.nodes] = True
        inside = lists.nodes > 0
        paths[k, row[inside], taxonomy.depth[lists.nodes[inside]] - 1] = np.array(taxonomy.names, dtype=object)[
            lists.nodes[inside]
        ]
    sets = sets[:, :, 1:]

    def ours():
        counts = LabelSetCounts(taxonomy)
        counts.add_lists(truth, hv.NodeLists(np.arange(n + 1), predicted), is_hard=True)
        return counts.summary()

    numbers = ours()
    same = abs(numbers["micro_precision"] - hiclass_precision(paths[0], paths[1])) < 1e-9
    same &= abs(numbers["micro_f1"] - f1_score(sets[0], sets[1], average="micro")) < 1e-9
    return {
        "all label numbers us": median(ours) / n * 1e6,
        "hiclass precision us": median(lambda: hiclass_precision(paths[0], paths[1]), runs=1) / n * 1e6,
        "scikit-learn micro F1 us": median(lambda: f1_score(sets[0], sets[1], average="micro")) / n * 1e6,
        "holds": bool(same),
    }


def app(data, n):
    """CPU seconds of the server for each interaction with the app in Chromium; see `benchmarks/browser.py`."""
    from browser import above_the_limit, measure

    before = loop()
    with tempfile.TemporaryDirectory() as folder:
        times, failed = measure(n, Path(folder), tell=lambda line, **_: None)
    holds = not failed and not above_the_limit(n, times, slower(before, loop()))
    return {what: seconds for what, (_, _, seconds, _) in times.items()} | {"holds": holds}


def cluster(data):
    """The command without a cluster and with one and two local Dask workers; see `benchmarks/cluster.py`."""
    from cluster import measure

    with tempfile.TemporaryDirectory() as folder:
        measured = measure(Path(folder), 80_000)
    names = ("wall s", "CPU s", "command MB", "worker MB")
    return {f"{where} {name}": value for where, values in measured.items() for name, value in zip(names, values)}


JOBS = {
    **{f"curve, {tree}": (curve, tree) for tree in TREES},
    **{f"all blocks, {tree}": (blocks, tree) for tree in TREES},
    "two threads": (threads,),
    "growth": (growth,),
    "memory": (memory,),
    "hiclass and scikit-learn": (libraries,),
    "Dask, 80,000 x 1,000": (cluster,),
    **{f"app, {n:,} x 1,000": (app, n) for n in (1_000, 100_000, 1_000_000)},
}


def shown(result):
    """Figures of a job as a line."""
    return "; ".join(
        f"{key} {value:,.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in result.items()
    )


def main():
    """Run the jobs, each in a process of its own, print the table and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("HIERVIZ_TEST_DATA", "../shared/data")))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", nargs="*", help="jobs whose name holds one of these words")
    parser.add_argument("--tries", type=int, default=1, help="processes of a job, until its claim holds in one")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        work, *arguments = JOBS[options.job]
        print(json.dumps(work(options.data, *arguments)))
        return 0
    results, failed = {}, False
    for name in JOBS:
        if options.only and not any(word in name for word in options.only):
            continue
        command = [sys.executable, __file__, "--data", str(options.data), "--job", name]
        # What a user waits for may be compiled or not, as the app and the command choose.
        forced = {} if name.startswith(("app", "Dask")) else {"HIERVIZ_COMPILED": "1"}
        for _ in range(options.tries):
            done = subprocess.run(command, capture_output=True, text=True, env=os.environ | forced)
            if done.returncode:
                print(f"{name}: left out: {done.stderr.strip().splitlines()[-1]}", flush=True)
                break
            results[name] = json.loads(done.stdout.splitlines()[-1])
            print(f"{name}: {shown(results[name])}", flush=True)
            if results[name].get("holds") is not False:
                break
        failed |= results.get(name, {"holds": False}).get("holds") is False
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
