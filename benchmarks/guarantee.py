"""How often a promise is broken: guaranteed thresholds against the true risk of a known population.

    python benchmarks/guarantee.py [number of simulations, 2000]

A population of pictures with known answers is drawn from, with replacement, again and again. Every time a threshold is
chosen with `guaranteed_threshold` (split, certify, check), and the true mean loss of the whole population at that
threshold is compared with alpha. It may be larger in at most a share delta of the simulations, plus three standard
errors of that share. For comparison: the threshold a person takes who wants the same on the samples at hand and makes
no allowance for chance, and, for pictures that come in groups, a bound that takes them for independent. Exit code 1
when a promise is broken too often.
"""

import sys
import time
from dataclasses import dataclass

import numpy as np

import hierviz as hv
from hierviz.curves.operating_curve import THOUSANDTHS
from hierviz.inference.pareto_table import ParetoTable
from hierviz.metrics.path import path_metrics
from hierviz.thresholds.risk_control import guaranteed_keys, guaranteed_threshold, thresholds_in_order


@dataclass(frozen=True)
class Population:
    """Everything there is to draw from; `risk` are the true mean losses at the thousandths, by metric."""

    taxonomy: hv.Taxonomy
    table: ParetoTable
    truth: np.ndarray
    group: np.ndarray
    risk: dict

    def at(self, key, threshold):
        """True risk at a thousandth."""
        return self.risk[key][round((1 - threshold) * 1000)]


def population(n_groups=800, largest=6, alike=3.0, seed=0):
    """Pictures of 27 classes in groups of 1 to `largest`; `alike` is how much one group is harder than another."""
    rng = np.random.default_rng(seed)
    taxonomy = hv.Taxonomy.from_edges([(f"n{(node - 1) // 3}", f"n{node}") for node in range(1, 40)])
    group = np.repeat(np.arange(n_groups), rng.integers(1, largest + 1, n_groups))
    truth = rng.choice(taxonomy.leaves, len(group))
    # How much the scores know of the truth; half of what they say beyond that is made up.
    signal = 4 + alike * rng.normal(size=n_groups)[group] + rng.normal(size=len(group))
    scores = 1.5 * rng.normal(size=(len(group), taxonomy.n_leaves))
    relation = taxonomy.depth[taxonomy.lca(np.repeat(truth, 27), np.tile(taxonomy.leaves, len(group)))].reshape(-1, 27)
    scores += signal[:, None] * relation / 3
    table = hv.pareto_table(taxonomy, hv.node_probabilities(taxonomy, scores, "flat_softmax"))
    size = np.bincount(group)[group]
    risk = {}
    for threshold in THOUSANDTHS:
        metrics = path_metrics(taxonomy, truth, table.nodes_at(threshold))
        for key in guaranteed_keys():
            loss = 1 - metrics[key]
            risk.setdefault(key, []).append(loss.mean())
            risk.setdefault(f"{key} of groups", []).append((loss / size).sum() / n_groups)
    return Population(taxonomy, table, truth, group, {key: np.array(values) for key, values in risk.items()})


@dataclass(frozen=True)
class Outcome:
    """Shares of all simulations; `excess` is the share above alpha, of the promise and of a choice without allowance."""

    n: int
    excess: float
    careless_excess: float
    refused: float
    mean_risk: float
    mean_threshold: float

    def is_kept(self, delta):
        """Whether the share above alpha is no more than chance allows."""
        return self.excess <= delta + 3 * np.sqrt(delta * (1 - delta) / self.n)


def simulate(world, n_simulations, key, n_units, alpha, delta, *, by_group=False, ignore_groups=False, seed=1):
    """Outcome of many draws of `n_units` pictures, or groups, that are split in half."""
    rng = np.random.default_rng(seed)
    rows_of = np.split(np.arange(len(world.group)), np.cumsum(np.bincount(world.group))[:-1])
    name = f"{key} of groups" if by_group and not ignore_groups else key
    risks, thresholds, careless = [], [], []
    for number in range(n_simulations):
        if by_group:
            drawn = rng.integers(0, len(rows_of), n_units)
            rows = np.concatenate([rows_of[one] for one in drawn])
            groups = np.repeat(np.arange(n_units), [len(rows_of[one]) for one in drawn])
        else:
            rows, groups = rng.integers(0, len(world.group), n_units), None
        table, truth = world.table.take(rows), world.truth[rows]
        groups = None if ignore_groups else groups
        found = guaranteed_threshold(world.taxonomy, truth, table, alpha, delta, key=key, seed=number, groups=groups)
        if found.is_feasible:
            risks.append(world.at(name, found.threshold))
            thresholds.append(found.threshold)
        means = 1 - hv.operating_curve(world.taxonomy, truth, table).at(thresholds_in_order(key))[key]
        if means[0] <= alpha:
            last = len(means) - 1 if (means <= alpha).all() else int(np.argmax(means > alpha)) - 1
            careless.append(world.at(key, thresholds_in_order(key)[last]))
    return Outcome(
        n_simulations,
        float(np.sum(np.array(risks) > alpha) / n_simulations),
        float(np.sum(np.array(careless) > alpha) / n_simulations),
        1 - len(risks) / n_simulations,
        float(np.mean(risks)) if risks else np.nan,
        float(np.mean(thresholds)) if thresholds else np.nan,
    )


def main(n_simulations=2000):
    # Small groups, and large ones whose pictures are much alike.
    worlds = {"small": population(), "large": population(n_groups=300, largest=40, alike=4.0)}
    for name, world in worlds.items():
        print(f"{name}: {len(world.group)} pictures in {world.group[-1] + 1} groups; {n_simulations} simulations each")
    head = ("above alpha", "allowed", "no allowance", "refused", "mean risk", "threshold", "s")
    print(f"{'':62}" + "".join(f"{one:>13}" for one in head))
    broken = False
    for key, name, n_units, alpha, delta, more in (
        ("correct", "small", 400, 0.1, 0.1, {}),
        ("correct", "small", 2000, 0.05, 0.05, {}),
        ("exact", "small", 600, 0.65, 0.1, {}),
        ("info_recall", "small", 1000, 0.5, 0.1, {}),
        ("info_f1", "small", 1000, 0.45, 0.1, {}),
        ("info_precision", "small", 1000, 0.1, 0.1, {}),
        ("correct", "small", 400, 0.1, 0.1, {"by_group": True}),
        ("correct", "large", 100, 0.1, 0.1, {"by_group": True}),
        ("correct", "large", 100, 0.1, 0.1, {"by_group": True, "ignore_groups": True}),
    ):
        start = time.perf_counter()
        found = simulate(worlds[name], n_simulations, key, n_units, alpha, delta, **more)
        allowed = delta + 3 * np.sqrt(delta * (1 - delta) / n_simulations)
        units = f"{n_units} {name} groups" if more else f"{n_units} pictures"
        what = f"1 - {key} <= {alpha}, delta {delta}, {units}" + (", ignored" if "ignore_groups" in more else "")
        shares = (found.excess, allowed, found.careless_excess, found.refused, found.mean_risk, found.mean_threshold)
        seconds = time.perf_counter() - start
        print(f"{what:62}" + "".join(f"{one:13.4f}" for one in shares) + f"{seconds:13.1f}", flush=True)
        # Nothing is promised to those who ignore groups.
        broken |= not found.is_kept(delta) and "ignore_groups" not in more
    return int(broken)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
