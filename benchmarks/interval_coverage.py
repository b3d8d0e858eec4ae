"""How often bootstrap bands hold the truth, and how long they take.

    python benchmarks/interval_coverage.py [--datasets 2000] [--resamples 119] [--samples 1000]

A population of 50,000 samples is simulated, so its operating curve is known. Data sets are drawn from it with
replacement; each gets its 95 % bands and intervals, and it is counted how often they hold the population's value:

    samples      data sets of single samples; bands averaged over the thresholds 0.01, 0.02, ..., 0.99
    difference   the same, for the difference of two models on the same samples
    groups       data sets of whole groups of ten samples that are alike; bands over groups, and over samples as if there
                 were no groups, which are too narrow

Claims: the coverage of each band, averaged over thresholds, is within 93 and 97 % for samples, differences and groups
(at least 2,000 data sets of 1,000 samples); bands over groups are wider than over samples; 1,000 resamples of 10,000
samples take less than 10 s CPU for one model. Exit code 1 when a claim does not hold.

Few resamples are enough here: between two order statistics of R draws, a further draw lies with probability
(high - low) / (R + 1), which is 114 / 120 = 95 % for R = 119. More resamples make an interval steadier, not wider.

"lowest threshold" is the coverage at the worst threshold. Near threshold 1 almost every answer is right, a data set may
hold no wrong one at all, and no bootstrap can tell how many there are elsewhere: there the bands are too narrow.
"""

import argparse
import sys
import time

import numpy as np

import hierviz as hv
from hierviz.metrics.registry import path_keys

THRESHOLDS = np.arange(1, 100) / 100
GROUP_SIZE = 10
LIMITS = (0.93, 0.97)
SECONDS = 10


def uneven_tree(depth, seed=0):
    """Taxonomy with two to six children a node and leaves at all depths from 2: bits and edges then differ."""
    rng, edges, level = np.random.default_rng(seed), [], ["root"]
    for below in range(1, depth + 1):
        children = [(parent, f"{parent}.{i}") for parent in level for i in range(rng.integers(2, 7))]
        edges += children
        level = [child for _, child in children if below < 2 or rng.random() < 0.6]
    return hv.Taxonomy.from_edges(edges)


def simulate(taxonomy, signal, rng, truth=None):
    """ParetoTable and truth of a model whose scores on the true path are higher by `signal`, shape (n_samples,)."""
    n = len(signal)
    truth = rng.choice(taxonomy.leaves, n) if truth is None else truth
    scores = 2 * rng.standard_normal((n, taxonomy.n_nodes - 1), dtype=np.float32)
    paths = taxonomy.ancestors(truth)
    rows = np.repeat(np.arange(n), paths.lengths)
    inner = paths.nodes > 0
    scores[rows[inner], paths.nodes[inner] - 1] += signal[rows[inner]]
    predictions = hv.Predictions.from_scores(taxonomy, scores, "conditional_softmax", truth=truth)
    return hv.pareto_table(taxonomy, predictions), truth


class Tally:
    """How often intervals hold the values of a population, and how wide they are."""

    def __init__(self, target):
        self.target, self.held, self.width, self.n = target, {}, {}, 0

    def add(self, bands):
        self.n += 1
        for key, one in (bands.curve | bands.summary).items():
            value = self.target[key]
            # A mean of equal values may miss them by rounding.
            held = (one.lower <= value + 1e-12) & (value - 1e-12 <= one.upper)
            self.held[key] = self.held.get(key, 0) + held
            self.width[key] = self.width.get(key, 0) + (one.upper - one.lower)

    def coverage(self):
        """Dict of floats; bands averaged over their thresholds."""
        return {key: float(np.mean(held)) / self.n for key, held in self.held.items()}

    def lowest(self, key):
        """Lowest coverage of a band at one threshold."""
        return float(np.min(self.held[key])) / self.n

    def mean_width(self, key):
        return float(np.mean(self.width[key])) / self.n


def target_of(curve, thresholds):
    """The population's values by name."""
    return curve.at(thresholds) | curve.summary()


def sample_coverage(
    n_datasets, n_resamples, n_samples=1000, thresholds=THRESHOLDS, keys=None, seed=0, population=50_000
):
    """Tallies (one model, difference of two) over data sets of single samples."""
    rng, taxonomy = np.random.default_rng(seed), uneven_tree(4)
    skill = rng.lognormal(1.2, 0.5, population)
    tables, truth = [], None
    for weaker in (1.0, 0.9):
        table, truth = simulate(taxonomy, weaker * skill, rng, truth)
        tables.append(table)
    first, second = (target_of(hv.operating_curve(taxonomy, truth, table), thresholds) for table in tables)
    one, difference = Tally(first), Tally({key: first[key] - second[key] for key in first})
    for number in range(n_datasets):
        rows = rng.integers(0, population, n_samples)
        resamples = hv.uncertainty.Resamples.draw(n_samples, n_resamples, seed=number)
        a, b = (
            hv.uncertainty.bootstrap_curve(
                taxonomy, truth[rows], table.take(rows), resamples, thresholds=thresholds, keys=keys
            )
            for table in tables
        )
        one.add(a)
        difference.add(hv.uncertainty.paired_difference(a, b))
    return one, difference


def group_coverage(
    n_datasets, n_resamples, n_samples=1000, thresholds=THRESHOLDS, keys=None, seed=1, population=50_000
):
    """Tallies (bands over groups, bands over samples) of the same data sets of whole groups."""
    rng, taxonomy = np.random.default_rng(seed), uneven_tree(4)
    skill = np.repeat(rng.lognormal(1.2, 0.8, population // GROUP_SIZE), GROUP_SIZE)
    table, truth = simulate(taxonomy, skill, rng)
    target = target_of(hv.operating_curve(taxonomy, truth, table), thresholds)
    grouped, single = Tally(target), Tally(target)
    n_groups = n_samples // GROUP_SIZE
    groups = np.repeat(np.arange(n_groups), GROUP_SIZE)
    for number in range(n_datasets):
        drawn = rng.integers(0, population // GROUP_SIZE, n_groups)
        rows = (drawn[:, None] * GROUP_SIZE + np.arange(GROUP_SIZE)).ravel()
        part = table.take(rows)
        for tally, labels in ((grouped, groups), (single, None)):
            resamples = hv.uncertainty.Resamples.draw(len(rows), n_resamples, seed=number, groups=labels)
            tally.add(
                hv.uncertainty.bootstrap_curve(taxonomy, truth[rows], part, resamples, thresholds=thresholds, keys=keys)
            )
    return grouped, single


def speed(n_samples=10_000, n_resamples=1000):
    """(CPU seconds, wall seconds, Pareto elements a sample) of all bands and intervals of one model."""
    rng, taxonomy = np.random.default_rng(0), uneven_tree(6)
    table, truth = simulate(taxonomy, rng.lognormal(1.2, 0.5, n_samples), rng)
    cpu, wall = time.process_time(), time.perf_counter()
    hv.uncertainty.bootstrap_curve(taxonomy, truth, table, hv.uncertainty.Resamples.draw(n_samples, n_resamples))
    return time.process_time() - cpu, time.perf_counter() - wall, len(table.nodes) / n_samples


def show(title, tally, claimed=True):
    """Print a table of coverages in %; how many bands break the claim."""
    print(f"\n{title}: {tally.n} data sets", flush=True)
    print(f"    {'':22}coverage %   lowest threshold %   mean width")
    late = 0
    for key, value in tally.coverage().items():
        is_band = key in path_keys()
        broken = claimed and is_band and not LIMITS[0] <= value <= LIMITS[1]
        late += broken
        lowest = f"{100 * tally.lowest(key):.1f}" if is_band else ""
        print(f"    {key:22}{100 * value:10.1f}   {lowest:>18}   {tally.mean_width(key):10.4f}{'   NO' * broken}")
    return late


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Coverage and speed of bootstrap bands.")
    parser.add_argument("--datasets", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=119)
    parser.add_argument("--samples", type=int, default=1000)
    given = parser.parse_args(arguments)
    cpu, wall, elements = speed()
    print(
        f"1,000 resamples of 10,000 samples ({elements:.1f} Pareto elements each), {len(path_keys())} bands at 1,001 thresholds "
        f"and 9 intervals: {cpu:.1f} s CPU, {wall:.1f} s wall; claim < {SECONDS} s CPU: {'yes' if cpu < SECONDS else 'NO'}",
        flush=True,
    )
    late = int(cpu >= SECONDS)
    sizes = (given.datasets, given.resamples, given.samples)
    one, difference = sample_coverage(*sizes)
    late += show("samples", one) + show("difference", difference)
    grouped, single = group_coverage(*sizes)
    late += show("groups", grouped) + show("groups, resampled as single samples", single, claimed=False)
    print("\nWidth of bands over groups, as a multiple of that over single samples")
    for key in path_keys():
        ratio = grouped.mean_width(key) / single.mean_width(key)
        late += ratio <= 1
        print(f"    {key:22}{ratio:10.2f}{'   NO' * (ratio <= 1)}")
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
