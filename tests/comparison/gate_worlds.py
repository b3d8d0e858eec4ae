"""Populations of paired models of which the true difference is known, and what a gate says of samples drawn from them.

A population is a pool of samples that two models judge; data sets are drawn from it with replacement, so that the difference of
the pool is the true one. Without a drop the pool has every sample twice, once with the models exchanged. Values of many data sets
are made as the gate makes them: a curve from its resamples, means over samples from their own variance, as of resamples.
"""

from types import SimpleNamespace

import numpy as np

import hierviz as hv
from hierviz.comparison.columns import columns_of
from hierviz.comparison.gating.gate_result import Gate
from hierviz.comparison.gating.margins import score_margin
from hierviz.comparison.gating.paired_rows import LimitedMetric, row_of_methods, with_verdicts
from hierviz.comparison.methods import Method
from hierviz.curves.operating_curve import CurveSteps
from hierviz.inference.pareto_table import ParetoTable

TREE = hv.Taxonomy.from_edges(
    [("root", f"{a}") for a in "abc"]
    + [(f"{a}", f"{a}{b}") for a in "abc" for b in "xy"]
    + [(f"{a}{b}", f"{a}{b}{c}") for a in "abc" for b in "xy" for c in "12"]
)
KEYS = ("curve.ac", "predicted.exact", "distribution.softmax_win")
COLUMNS = columns_of(TREE, metrics=KEYS)
# What `curve.ac` is made of.
OF_AC = ("correct", "info_recall")


def predictions(truth, logits, name):
    """Predictions by the softmax of logits."""
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return hv.Predictions.from_scores(TREE, p, "leaf_probabilities", truth=TREE.leaves[truth], name=name)


def models(n, seed, damage=0.0):
    """Baseline and candidate on the same samples; the candidate guesses on a share of them, damage."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, TREE.n_leaves, n)
    shared = 1.5 * rng.normal(size=(n, TREE.n_leaves))
    shared[np.arange(n), truth] += 5.0
    baseline, candidate = shared + 0.8 * rng.normal(size=(2, n, TREE.n_leaves))
    guessed = rng.random(n) < damage
    candidate[guessed] = 3 * rng.normal(size=(int(guessed.sum()), TREE.n_leaves))
    return [predictions(truth, of, name) for of, name in ((baseline, "main"), (candidate, "change"))]


class Population:
    """A pool of samples with the answers and numbers of two models; `drop` is the true drop of each of `KEYS`."""

    def __init__(self, damage=0.0, n=8000):
        both = [hv.Evaluation.from_predictions(model) for model in models(n, 1, damage)]
        tables, truth = [model.judged_table for model in both], np.asarray(both[0].truth)
        numbers = [model.per_sample() for model in both]
        values = [{key: np.asarray(of[key.split(".")[1]], dtype=float) for key in KEYS[1:]} for of in numbers]
        if not damage:
            tables = [ParetoTable.concatenate(pair) for pair in (tables, tables[::-1])]
            values = [{key: np.append(a[key], b[key]) for key in KEYS[1:]} for a, b in (values, values[::-1])]
            truth = np.append(truth, truth)
        self.tables, self.truth, self.values, self.n = tables, truth, values, len(truth)
        ac = [self.steps(side, np.arange(self.n)).curve().envelopes.area("info_recall", "correct") for side in (0, 1)]
        means = [{key: of[key].mean() for key in KEYS[1:]} for of in values]
        self.drop = {"curve.ac": ac[0] - ac[1]} | {key: means[0][key] - means[1][key] for key in KEYS[1:]}

    def steps(self, side, rows):
        return CurveSteps.from_table(TREE, self.truth[rows], self.tables[side].take(rows), keys=OF_AC)


def areas(steps, counts):
    """AC with all samples, and in each resample."""
    return [steps.curve(of).envelopes.area("info_recall", "correct") for of in (None, *counts)]


def data_sets(population, n_sets, n, seed, n_draws=100, keys=KEYS):
    """Of each data set by key: methods of resampled numbers, or (gained, lost) of 0/1 values."""
    rng = np.random.default_rng(seed)
    for _ in range(n_sets):
        rows = rng.integers(0, population.n, n)
        found = {}
        if "curve.ac" in keys:
            counts = rng.multinomial(n, np.full(n, 1 / n), size=n_draws)
            of_sides = [areas(population.steps(side, rows), counts) for side in (0, 1)]
            found["curve.ac"] = [
                Method(name, [{"curve.ac": of[0]}], {"curve.ac": np.array(of[1:])}, n, n)
                for name, of in zip("ab", of_sides, strict=True)
            ]
        for key in [key for key in keys if key != "curve.ac"]:
            values = [of[key][rows] for of in population.values]
            own = values[1] - values[0]
            if key == "predicted.exact":
                found[key] = int((own > 0).sum()), int((own < 0).sum())
                continue
            # Two draws whose variance is that of all resamples of a mean.
            spread = own.std() / np.sqrt(n) / np.sqrt(2)
            draws = [np.array([0.0, 0.0]), np.array([-spread, spread])]
            found[key] = [
                Method(name, [{key: of.mean()}], {key: of_draws}, n, n)
                for name, of, of_draws in zip("ab", values, draws, strict=True)
            ]
        yield found


def row_of(found, n, column, limit):
    """The GateRow of one metric of a data set before Holm's correction."""
    sides, asked = SimpleNamespace(table=SimpleNamespace(level=0.95)), LimitedMetric(column, limit)
    if column.key != "predicted.exact":
        return row_of_methods(sides, found[column.key], asked, "all", n)
    gained, lost = found[column.key]
    shared = [Method(name, [{column.key: 0.5}], {column.key: np.zeros(2)}, n, n) for name in "ab"]
    row = row_of_methods(sides, shared, asked, "all", n)
    lower, upper, p = score_margin(gained, lost, n, limit, 0.95)
    return type(row)(**vars(row) | {"lower": float(lower), "upper": float(upper), "p_value": float(p)})


def code(found, n, limits):
    """Exit code of a gate of a data set with some limits by key; rows of a limit are kept in `found` for other gates."""
    rows = []
    for column in COLUMNS:
        if column.key in limits:
            asked = column.key, limits[column.key]
            if asked not in found:
                found[asked] = row_of(found, n, column, asked[1])
            rows.append(found[asked])
    return Gate(("a", "b"), with_verdicts(rows, 0.95), [], None, 0.95, n).code


def shares(sets, n, limits):
    """Share of the data sets with exit 0, 1 and 3."""
    codes = [code(found, n, limits) for found in sets]
    return {value: float(np.mean([one == value for one in codes])) for value in (0, 1, 3)}
