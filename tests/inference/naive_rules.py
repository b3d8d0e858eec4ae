"""The rules of Valmadre, NeurIPS 2022, with sets, loops and dense tables, for numbers or exact fractions.

`row` is a list over nodes; `near` is the difference up to which two values tie: 0 for fractions. Rewards of pairs of
nodes stand in tables nodes x nodes, built once per graph.
"""

import math

import naive

NEAR = 1e-9


class Tables:
    """Everything about pairs of nodes of a graph; `lca` and what stands on it for trees only."""

    def __init__(self, graph, is_tree=True):
        nodes = range(graph.n)
        self.graph, self.nodes = graph, nodes
        self.above = [naive.ancestors(graph, node) for node in nodes]
        self.size = [len(naive.leaves_below(graph, node)) for node in nodes]
        self.bits = [naive.information(graph, node) for node in nodes]
        self.depth = [naive.depth(graph, node) for node in nodes]
        self.candidates = naive.candidates(graph)
        if is_tree:
            self.lca = [[max(self.above[a] & self.above[b], key=self.depth.__getitem__) for b in nodes] for a in nodes]
            self.distance = [
                [self.depth[a] + self.depth[b] - 2 * self.depth[self.lca[a][b]] for b in nodes] for a in nodes
            ]

    def recall(self, truth, predicted):
        due = self.bits[truth]
        return self.bits[self.lca[truth][predicted]] / due if due else 1.0

    def info_f1(self, truth, predicted):
        if truth in self.above[predicted]:
            predicted = truth
        claimed = self.bits[predicted]
        recall = self.recall(truth, predicted)
        precision = self.bits[self.lca[truth][predicted]] / claimed if claimed else 1.0
        return 2 / (1 / recall + 1 / precision) if recall and precision else 0.0

    def correct(self, truth, predicted):
        return predicted in self.above[truth] or truth in self.above[predicted]

    def exclusive_mass(self, row):
        return [row[y] - sum(row[c] for c in self.graph.children[y]) for y in self.nodes]


def best(values, near=NEAR):
    """Lowest node whose value is the largest; `values` maps nodes to numbers."""
    top = max(values.values())
    return min(node for node, value in values.items() if value >= top - near)


def depth_thresholds(tables, row, thresholds, near=NEAR):
    """Above the threshold of its own depth: most bits, then most probable, then lowest; else the first of the Pareto set."""
    tau = [thresholds[min(max(depth, 1), len(thresholds)) - 1] for depth in tables.depth]
    above = [node for node in tables.candidates if row[node] > tau[node]]
    if above:
        return min(above, key=lambda node: (tables.size[node], -row[node], node))
    top = max(row[node] for node in tables.candidates)
    return min((node for node in tables.candidates if row[node] == top), key=lambda node: (tables.size[node], node))


def plurality(tables, row, near=NEAR):
    seconds = [
        sorted((row[c] for c in children), reverse=True)[1] for children in tables.graph.children if len(children) > 1
    ]
    bound = max(seconds, default=-math.inf)
    allowed = [y for y in tables.candidates if row[y] > bound + near]
    # The root: or, where it has a single child and is never predicted, the candidate of as little information.
    allowed += [min(y for y in tables.candidates if tables.size[y] == tables.size[0])]
    return min(allowed, key=lambda y: (tables.size[y], y))


def darts(tables, row, lam, near=NEAR):
    return best({y: (tables.bits[y] + lam) * row[y] for y in tables.candidates}, near)


def information_threshold(tables, row, bits):
    allowed = [y for y in tables.candidates if tables.bits[y] >= bits - NEAR]
    return min(allowed, key=lambda y: (-row[y], tables.size[y], y))


def exclusive(tables, row, near=NEAR):
    return best(dict(enumerate(tables.exclusive_mass(row))), near)


def crm_leaf(tables, row, near=NEAR):
    leaves = tables.graph.leaves
    return best({y: -sum(row[u] * tables.distance[u][y] for u in leaves) for y in leaves}, near)


def crm_f1(tables, row, near=NEAR):
    leaves = tables.graph.leaves
    return best({y: math.fsum(row[u] * tables.info_f1(u, y) for u in leaves) for y in tables.candidates}, near)


def crm_correct_recall(tables, row, near=NEAR):
    own = tables.exclusive_mass(row)
    return best(
        {
            y: math.fsum(own[u] * tables.correct(u, y) * tables.recall(u, y) for u in tables.nodes)
            for y in tables.candidates
        },
        near,
    )


def crm_contains_information(tables, row, near=NEAR):
    """Exclusive mass, and I(y) as the reward where y contains u: this is expected information."""
    own = tables.exclusive_mass(row)
    return best(
        {
            y: math.fsum(own[u] * (y in tables.above[u]) * tables.bits[y] for u in tables.nodes)
            for y in tables.candidates
        },
        near,
    )


def threshold_set(graph, row, threshold):
    return [y for y in range(1, graph.n) if row[y] > threshold]
