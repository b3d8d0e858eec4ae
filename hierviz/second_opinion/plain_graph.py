"""The taxonomy as plain lists and sets, and how scores become probabilities of nodes.

Conventions
-----------
Nodes are numbers from 0, the root; parents come before children. `up[v]` is the set of v and its ancestors, the root among
them. A row of scores or probabilities is a list of floats.
"""

from __future__ import annotations

import math


class PlainGraph:
    """A taxonomy of which only the edges are taken.

    Parameters
    ----------
    parents : list of list of int
        Parents of each node, none for the root.
    """

    def __init__(self, parents):
        self.n, self.parents = len(parents), parents
        self.children = [[] for _ in parents]
        for node, own in enumerate(parents):
            for parent in own:
                self.children[parent].append(node)
        self.up, self.depth = [], []
        for node, own in enumerate(parents):
            self.up.append(frozenset({node}).union(*(self.up[parent] for parent in own)))
            self.depth.append(min((self.depth[parent] + 1 for parent in own), default=0))
        self.leaves = [node for node in range(self.n) if not self.children[node]]
        self.n_below = [0] * self.n
        for leaf in self.leaves:
            for node in self.up[leaf]:
                self.n_below[node] += 1
        self.information = [math.log2(len(self.leaves) / below) for below in self.n_below]
        self.height = [0] * self.n
        for node in reversed(range(self.n)):
            self.height[node] = max((1 + self.height[child] for child in self.children[node]), default=0)
        self.is_tree = all(len(own) <= 1 for own in parents)

    def path(self, node):
        """From the root to a node of a tree."""
        return sorted(self.up[node], key=lambda other: self.depth[other])

    def common(self, a, b):
        """Lowest common ancestor of two nodes of a tree."""
        return max(self.up[a] & self.up[b], key=lambda node: self.depth[node])


def softmax(scores):
    """exp(s) over the sum of them."""
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    whole = math.fsum(powers)
    return [power / whole for power in powers]


def sigmoid(score):
    """1 / (1 + exp(-s))."""
    return 1 / (1 + math.exp(-score)) if score > -700 else 0.0


def node_probabilities(graph, parametrisation, nodes, row):
    """Probability of every node from one row of scores; `nodes` is the node of each column."""
    score = dict(zip(nodes, row))
    inner = range(1, graph.n)
    if parametrisation in ("flat_softmax", "ps_softmax", "leaf_probabilities"):
        if parametrisation == "ps_softmax":
            own = softmax([sum(score[v] for v in graph.up[leaf] if v) for leaf in graph.leaves])
        elif parametrisation == "flat_softmax":
            own = softmax([score[leaf] for leaf in graph.leaves])
        else:
            own = [score[leaf] for leaf in graph.leaves]
        return _sums(graph, dict(zip(graph.leaves, own)))
    if parametrisation == "softmax_all_nodes":
        return _sums(graph, dict(enumerate(softmax([score[node] for node in range(graph.n)]))))
    if parametrisation == "multilabel_sigmoid":
        return [1.0] + [sigmoid(score[node]) for node in inner]
    if parametrisation in ("leaf_sigmoid_noisy_or", "leaf_sigmoid_max"):
        below = [[leaf for leaf in graph.leaves if node in graph.up[leaf]] for node in inner]
        if parametrisation == "leaf_sigmoid_max":
            return [1.0] + [max(sigmoid(score[leaf]) for leaf in leaves) for leaves in below]
        # 1 - sigmoid(s) = sigmoid(-s)
        return [1.0] + [1 - math.prod(sigmoid(-score[leaf]) for leaf in leaves) for leaves in below]
    if parametrisation == "deep_rtc":
        return [1.0] + [sigmoid(sum(score[v] for v in graph.up[node] if v) / 10) for node in inner]
    if parametrisation == "node_probabilities":
        return [score.get(node, 1.0) for node in range(graph.n)]
    p = [1.0] * graph.n
    for node in range(graph.n):
        children = graph.children[node]
        if children:
            own = [score[child] for child in children]
            shares = softmax(own) if parametrisation == "conditional_softmax" else list(map(sigmoid, own))
            for child, share in zip(children, shares):
                p[child] = p[node] * share
    return p


def _sums(graph, own):
    parts = [[] for _ in range(graph.n)]
    for node, value in own.items():
        for above in graph.up[node]:
            parts[above].append(value)
    return [math.fsum(values) for values in parts]
