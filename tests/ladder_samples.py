"""Samples of random taxonomies and of the demo for the tests of the ladder, with the values of a rule's number to look at."""

import math
import os

import naive
import numpy as np
import strategies

import hierviz as hv
from hierviz.charts.ladder_record import LadderSettings, ladder_record
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.predictions.listed_scores import ListedScores

PARAMETERS = {"threshold": "threshold", "threshold_set": "threshold", "darts": "lam", "information_threshold": "bits"}
# Samples of each kind: 200 with those of the demo.
KINDS = {"leaves": 36, "any": 36, "several": 24, "graph": 24, "inner": 16, "unknown": 10, "top-k": 20, "labels": 10}
KINDS["chain"] = 8
DEMO = 16


class Sample:
    """One sample of a random taxonomy: `graph` and `p` for the plain definitions, `truth` and the Evaluation."""

    row = 0

    def __init__(self, kind, number):
        rng = np.random.default_rng([list(KINDS).index(kind), number])
        n = int(rng.integers(3, 14))
        parents = [[int(rng.integers(max(0, i - 4), i))] for i in range(1, n)]
        if kind == "chain":
            # Fourteen levels, of which some have a second child.
            parents = [[i] for i in range(14)] + [[i] for i in range(3, 12, 1 + number % 3)]
        if kind == "graph":
            parents = [
                one + [i - 2] * (i >= 2 and i - 2 not in one and rng.random() < 0.5) for i, one in enumerate(parents, 1)
            ]
        self.graph = naive.Graph(len(parents) + 1, [(a, i) for i, own in enumerate(parents, 1) for a in own])
        self.taxonomy, self.kind = strategies.from_graph(self.graph), kind
        self.truth = [] if kind == "unknown" else [int(rng.choice(self.taxonomy.leaves))]
        if kind == "inner":
            self.truth = [int(rng.choice(np.flatnonzero(~self.taxonomy.is_leaf)))]
        if kind == "several":
            self.truth = rng.choice(np.arange(1, self.graph.n), 2, replace=False).tolist()
        predictions = self.predictions(rng)
        self.evaluation = Evaluation.from_predictions(predictions)
        self.p = predictions.node_probabilities([0])[0] if predictions.has_scores else None

    def predictions(self, rng):
        leaves, n, taxonomy = self.taxonomy.leaves, self.graph.n, self.taxonomy
        truth = {"several": hv.NodeLists.from_lists([self.truth]), "unknown": None}.get(self.kind, np.array(self.truth))
        if self.kind == "labels":
            labels = hv.NodeLists.from_lists([rng.choice(np.arange(1, n), min(2, n - 1), replace=False).tolist()])
            return hv.Predictions.from_labels(taxonomy, labels, truth=truth)
        if self.kind == "any":
            p = rng.choice(strategies.TIES, (1, n))
            p[:, 0] = 1
            return hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
        scores = rng.dirichlet(np.full(len(leaves), 0.5), 1)
        if rng.integers(2):
            scores = rng.multinomial(16, scores[0])[None] / 16
        if self.kind == "top-k":
            best = np.sort(np.argsort(-scores[0], kind="stable")[:2])
            scores = ListedScores.from_entries(np.zeros(len(best), int), best, scores[0, best], (1, len(leaves)))
        return hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)

    @property
    def rules(self):
        rules = [rule for rule, one in INFERENCE_RULES.items() if self.taxonomy.is_tree or not one.tree_only]
        return tuple(rules[:1] if self.p is None else rules)

    def infer(self, rule, parameter, value):
        """What the rule answers: list of nodes."""
        if self.p is None:
            return self.evaluation.predictions.labels[0].tolist()
        settings = INFERENCE_RULES[rule].settings({"threshold": 0.5} | ({parameter: value} if parameter else {}))
        found = hv.infer(self.taxonomy, self.p[None], rule, **settings)
        return found[0].tolist() if isinstance(found, hv.NodeLists) else [int(found[0])]


class DemoSample(Sample):
    """One of the demo."""

    kind = "demo"

    def __init__(self, evaluation, row):
        self.evaluation, self.taxonomy, self.row = evaluation, evaluation.taxonomy, row
        edges = [(int(self.taxonomy.parent[i]), i) for i in range(1, self.taxonomy.n_nodes)]
        self.graph = naive.Graph(self.taxonomy.n_nodes, edges)
        self.truth = [int(evaluation.predictions.truth[row])]
        self.p = evaluation.predictions.node_probabilities([row])[0]


def record_of(sample, rules=None, start="threshold"):
    rules = sample.rules if rules is None else rules
    settings = LadderSettings(start if start in rules else rules[0], 0.5, rules)
    return ladder_record({"m": sample.evaluation}, sample.evaluation.predictions.sample_id(sample.row), settings)


def samples_of(kind, demo):
    """A part of the samples of a kind each day, all of them before a release; `demo` is the Evaluation of the demo's model."""
    n = KINDS.get(kind, DEMO)
    few = range(n if os.environ.get("HIERVIZ_LONG") else max(n // 8, 1))
    if kind in KINDS:
        return [Sample(kind, number) for number in few]
    rows = np.random.default_rng(3).permutation(demo.predictions.n_samples)
    return [DemoSample(demo, int(rows[number])) for number in few]


def values_of(record, rule):
    """Name of the number of a rule, and values of it: bounds, a float to both sides of them, the middles, the ends."""
    steps = [row for row in record["steps"] if row["r"] == rule]
    parameter = steps[0]["parameter"]
    if not parameter:
        return parameter, [0.5]
    bounds = [step["low"] for step in steps[1:]]
    if parameter == "lam":
        # At a bound of λ lines cross, and which of them is the answer there is a matter of rounding.
        values = [bound * (1 + side) for bound in bounds for side in (-1e-8, 1e-8)]
    else:
        values = [side for bound in bounds for side in (math.nextafter(bound, -9), bound, math.nextafter(bound, 9))]
    values += [(step["low"] + step["high"]) / 2 for step in steps] + [steps[0]["from"], steps[0]["to"]]
    return parameter, sorted({value for value in values if steps[0]["from"] <= value <= steps[0]["to"]})
