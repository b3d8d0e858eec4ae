"""The taxonomy as plain lists and sets, how scores become probabilities of nodes, and rules that answer with a node.

Conventions
-----------
Nodes are numbers from 0, the root; parents come before children. `up[v]` is the set of v and its ancestors, the root among
them. A row of scores or probabilities is a list of floats. A node with one child, or in a graph one leaf below several, is never
answered but by ``exclusive``. More informative is: fewer leaves below. Ties go to the lowest node. `OUTSIDE` is an answer that
the taxonomy does not hold: a claimed leaf below the root that is never true, and no node of the taxonomy.

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
.. [2] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically, 2019.
"""

from __future__ import annotations

import math

# Values that differ by no more are equal but for rounding.
NEAR = 1e-12
OUTSIDE = -1


class _ByNode(list):
    """Values of all nodes; at `OUTSIDE` that of an answer outside the taxonomy."""

    def __init__(self, values, outside):
        super().__init__(values)
        self.outside = outside

    def __getitem__(self, node):
        return self.outside if node == OUTSIDE else super().__getitem__(node)


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
        self.up, self.depth = _ByNode([], frozenset({0, OUTSIDE})), _ByNode([], 1)
        for node, own in enumerate(parents):
            self.up.append(frozenset({node}).union(*(self.up[parent] for parent in own)))
            self.depth.append(min((self.depth[parent] + 1 for parent in own), default=0))
        self.leaves = [node for node in range(self.n) if not self.children[node]]
        self.n_below = _ByNode([0] * self.n, 1)
        for leaf in self.leaves:
            for node in self.up[leaf]:
                self.n_below[node] += 1
        most = math.log2(len(self.leaves))
        self.information = _ByNode([math.log2(len(self.leaves) / below) for below in self.n_below], most)
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
        own = [score[leaf] for leaf in graph.leaves]
        if parametrisation == "ps_softmax":
            own = [sum(score[v] for v in graph.up[leaf] if v) for leaf in graph.leaves]
        if parametrisation != "leaf_probabilities":
            own = softmax(own)
        return _sums(graph, dict(zip(graph.leaves, own)))
    if parametrisation == "softmax_all_nodes":
        return _sums(graph, dict(enumerate(softmax([score[node] for node in range(graph.n)]))))
    if parametrisation == "votes":
        n_answers = sum(score.values())
        return [1.0] + [sum(score[v] for v in score if node in graph.up[v]) / (n_answers or 1) for node in inner]
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


# Rules [1]_, [2]_ -------------------------------------------------------------------------------------------------------


def candidates(graph):
    """Nodes that may be answered."""
    return [
        node
        for node, children in enumerate(graph.children)
        if not children or (len(children) > 1 and graph.n_below[node] > 1)
    ]


def pareto_set(graph, p):
    """(p, node) pairs: by falling p, each more informative than all before."""
    found, fewest = [], None
    for node in sorted(candidates(graph), key=lambda node: (-p[node], graph.n_below[node], node)):
        if fewest is None or graph.n_below[node] < fewest:
            fewest = graph.n_below[node]
            found.append((p[node], node))
    return found


def _most_informative(graph, p, nodes):
    return min(nodes, key=lambda node: (graph.n_below[node], -p[node], node))


def leaf(graph, p):
    """The most probable leaf."""
    return min(graph.leaves, key=lambda node: (-p[node], node))


def threshold(graph, p, threshold=0.5):
    """The most informative node above the threshold, else the first of the Pareto set."""
    above = [node for node in candidates(graph) if p[node] > threshold]
    return _most_informative(graph, p, above) if above else pareto_set(graph, p)[0][1]


def depth_thresholds(graph, p, thresholds_by_depth):
    """The most informative node above the threshold of its depth, else the first of the Pareto set."""
    of_depth = [float(part) for part in thresholds_by_depth.split(",")]
    # The first also for the root, the last for all deeper nodes.
    above = [v for v in candidates(graph) if p[v] > of_depth[min(max(graph.depth[v], 1), len(of_depth)) - 1]]
    return _most_informative(graph, p, above) if above else pareto_set(graph, p)[0][1]


def at_level(graph, p, answer_level=1):
    """The most probable node at a depth, leaves above it among them."""
    level = [
        v
        for v in range(graph.n)
        if graph.depth[v] == answer_level or (not graph.children[v] and graph.depth[v] < answer_level)
    ]
    return min(level, key=lambda node: (-p[node], node))


def top_down(graph, p):
    """From the root always to the most probable child."""
    node = 0
    while graph.children[node]:
        node = max(graph.children[node], key=lambda child: p[child])
    return node


def plurality(graph, p):
    """The most informative node above the largest second-best child, else the least informative one, which the root mostly is."""
    seconds = [sorted((p[child] for child in own), reverse=True)[1] for own in graph.children if len(own) > 1]
    bound = max(seconds, default=-1.0)
    nodes = candidates(graph)
    above = [node for node in nodes if p[node] > bound + NEAR] or [max(nodes, key=lambda v: (graph.n_below[v], -v))]
    return min(above, key=lambda node: (graph.n_below[node], node))


def _first_of_largest(values):
    """The lowest node whose value is the largest, but for rounding; dict of node to value."""
    bound = max(values.values()) - NEAR
    return min(node for node, value in values.items() if value >= bound)


def darts(graph, p, lam=0.0):
    """The largest (I + lambda) p; expected information with lambda 0."""
    return _first_of_largest({node: (graph.information[node] + lam) * p[node] for node in candidates(graph)})


def information_threshold(graph, p, bits):
    """The most probable node with at least so many bits."""
    able = [node for node in candidates(graph) if graph.information[node] >= bits - 1e-9]
    return min(able, key=lambda node: (-p[node], graph.n_below[node], node))


def exclusive(graph, p):
    """The largest probability of being this node and no finer one."""
    return _first_of_largest({v: p[v] - sum(p[child] for child in graph.children[v]) for v in range(graph.n)})


# Rules with a plain definition, and the parameters of each; others, such as sums over every pair of leaves, would take too long.
RULES = {
    "leaf": (leaf,),
    "majority": (threshold,),
    "threshold": (threshold, "threshold"),
    "top_down": (top_down,),
    "plurality": (plurality,),
    "expected_information": (darts,),
    "darts": (darts, "lam"),
    "information_threshold": (information_threshold, "bits"),
    "exclusive": (exclusive,),
    "at_level": (at_level, "answer_level"),
    "depth_thresholds": (depth_thresholds, "thresholds_by_depth"),
}


def answer(graph, p, rule, settings):
    """The node that a rule answers; `settings` as `INFERENCE_RULES` declares them."""
    function, *names = RULES[rule]
    return function(graph, p, *(settings[name] for name in names))
