"""The rules of Valmadre, NeurIPS 2022, that `hierviz.second_opinion` leaves out: sums over pairs of nodes, with dense tables.

`row` is a list over nodes; `near` is the difference up to which two values tie: 0 for fractions. Rewards of pairs of
nodes stand in tables nodes x nodes, built once per graph.
"""

import math

import naive

NEAR = 1e-9


class Tables:
    """Everything about pairs of nodes of a tree."""

    def __init__(self, graph):
        nodes = range(graph.n)
        self.graph, self.nodes = graph, nodes
        self.above = [naive.ancestors(graph, node) for node in nodes]
        self.bits = [naive.information(graph, node) for node in nodes]
        self.depth = [naive.depth(graph, node) for node in nodes]
        self.candidates = naive.candidates(graph)
        self.lca = [[max(self.above[a] & self.above[b], key=self.depth.__getitem__) for b in nodes] for a in nodes]
        self.distance = [[self.depth[a] + self.depth[b] - 2 * self.depth[self.lca[a][b]] for b in nodes] for a in nodes]

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
