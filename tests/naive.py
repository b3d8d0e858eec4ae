"""The plain definitions of `hierviz.second_opinion` as tests call them, and what only tests define: by trying everything.

A graph is nodes 0..n-1 with edges (parent, child) in declared order; node 0 is the root. Everything is about one sample
unless it says otherwise; samples are lists.
"""

import itertools
import math

from hierviz.second_opinion import plain_climbing, plain_graph, plain_numbers, plain_sets
from hierviz.second_opinion.plain_graph import candidates, top_down
from hierviz.second_opinion.plain_graph import leaf as rule_leaf
from hierviz.second_opinion.plain_graph import threshold as rule_threshold
from hierviz.second_opinion.plain_numbers import area_below_envelope as envelope_integral
from hierviz.second_opinion.plain_numbers import best_at_correct, is_in_top, mean, outcome, win
from hierviz.second_opinion.plain_numbers import best_leaf as best_leaf_metrics
from hierviz.second_opinion.plain_numbers import truncated as truncate

__all__ = ["best_at_correct", "best_leaf_metrics", "candidates", "envelope_integral", "is_in_top", "mean", "outcome"]
__all__ += ["rule_leaf", "rule_threshold", "rule_top_down", "truncate", "win"]
rule_top_down = top_down


class Graph(plain_graph.PlainGraph):
    def __init__(self, n, edges):
        self.edges = list(edges)
        super().__init__([[a for a, b in self.edges if b == i] for i in range(n)])
        self.children = [[b for a, b in self.edges if a == i] for i in range(n)]


def ancestors(graph, node):
    """The node and everything above it."""
    return set(graph.up[node])


def descendants(graph, node):
    return {other for other in range(graph.n) if node in graph.up[other]}


def leaves_below(graph, node):
    return {leaf for leaf in graph.leaves if node in graph.up[leaf]}


def depth(graph, node):
    return graph.depth[node]


def height(graph, node):
    return graph.height[node]


def information(graph, node):
    return graph.information[node]


def path(graph, node):
    """From the root to the node of a tree."""
    return graph.path(node)


def lca(graph, a, b):
    return graph.common(a, b)


def topological_order(edges):
    """Names: the root, then as first named as a child, a name waiting until all its parents are placed."""
    named = list(dict.fromkeys(child for _, child in edges))
    (root,) = {parent for parent, _ in edges} - set(named)
    order = [root]
    while len(order) < len(named) + 1:
        order.append(
            next(
                name
                for name in named
                if name not in order and all(parent in order for parent, child in edges if child == name)
            )
        )
    return order


def columns(graph, parametrisation):
    """Node of each column."""
    if parametrisation in ("flat_softmax", "leaf_probabilities", "leaf_sigmoid_noisy_or", "leaf_sigmoid_max"):
        return graph.leaves
    if parametrisation in ("softmax_all_nodes", "votes"):
        return list(range(graph.n))
    if parametrisation == "conditional_softmax":
        return [child for node in range(graph.n) for child in sorted(graph.children[node])]
    return list(range(1, graph.n))


def node_probabilities(graph, parametrisation, row):
    """p of every node from {node: score}."""
    return plain_graph.node_probabilities(graph, parametrisation, list(row), list(row.values()))


def pareto_set(graph, p, min_threshold=-math.inf):
    return [node for value, node in plain_graph.pareto_set(graph, p) if value > min_threshold]


def rule_majority(graph, p):
    return rule_threshold(graph, p, 0.5)


def mean_metrics(graph, rows, truth, threshold):
    """Means of all path metrics of all samples at one threshold, which may be below 0 or above 1."""
    found = [path_metrics(graph, y, rule_threshold(graph, p, threshold)) for p, y in zip(rows, truth)]
    return {key: mean([one[key] for one in found]) for key in found[0]}


def breakpoints(graph, rows):
    """Descending thresholds just below which some sample changes its answer."""
    values = sorted({value for p in rows for value in p}, reverse=True)
    return [
        value
        for value in values
        if any(
            rule_threshold(graph, p, value) != rule_threshold(graph, p, math.nextafter(value, -math.inf)) for p in rows
        )
    ]


def curve(graph, rows, truth):
    """(thresholds, one dict of means per point): brute force at and just below each threshold."""
    thresholds = breakpoints(graph, rows)
    places = [math.inf] + [math.nextafter(value, -math.inf) for value in thresholds]
    return thresholds, [mean_metrics(graph, rows, truth, place) for place in places]


def path_metrics(graph, truth, predicted, truncated=True):
    """The numbers of an answer, and the parts that they are made of."""
    found = plain_numbers.path_values(graph, truth, predicted, truncated)
    predicted = truncate(graph, truth, predicted) if truncated else predicted
    common = graph.common(truth, predicted)
    for name, value in (("info", graph.information), ("depth", graph.depth)):
        found[f"{name}_excess"], found[f"{name}_deficient"] = (
            value[node] - value[common] for node in (predicted, truth)
        )
        found[f"{name}_lca"] = value[common]
    return found


def raw_win(graph, p, truth):
    """The root counts like the other nodes of the path."""
    nodes = path(graph, truth)
    last = len(nodes)
    return sum(2.0**-j * p[node] for j, node in enumerate(nodes, 1)) + 2.0**-last * p[truth]


def confusion(graph, truth, predicted):
    """Counts of one pair of paths."""
    nodes = plain_sets.nodes_of_pair(graph, path(graph, truth), path(graph, predicted))
    return dict(zip(("tp", "tn", "fp", "fn"), map(len, nodes), strict=True))


def totals(graph, truth, predicted):
    found = [confusion(graph, y, q) for y, q in zip(truth, predicted)]
    return {cell: sum(one[cell] for one in found) for cell in ("tp", "tn", "fp", "fn")}


def best_constant(graph, truth):
    """Every node tried; the highest F1 = 2TP / (2TP + FP + FN), the lowest node on ties."""
    scores = {}
    for node in range(graph.n):
        found = totals(graph, truth, [node] * len(truth))
        whole = 2 * found["tp"] + found["fp"] + found["fn"]
        scores[node] = 2 * found["tp"] / whole if whole else 0.0
    return max(scores, key=lambda node: (scores[node], -node))


def threshold_answer(graph, p, theta):
    """Our threshold rule just below theta."""
    answers = plain_graph.pareto_set(graph, p)
    return [node for place, (score, node) in enumerate(answers) if place == 0 or score >= theta][-1]


def selective_points(graph, rows, truth, answer):
    """(coverage, risk) of `answer` at every probability that there is, the largest first, after (0, 0)."""
    thetas = sorted({p[node] for p in rows for node in range(graph.n)}, reverse=True)
    answered = ([answer(graph, p, theta) for p in rows] for theta in thetas)
    return [(0.0, 0.0), *(plain_climbing.risk_and_coverage(graph, answers, truth) for answers in answered)]


def differing(graph, p):
    """The share of the thresholds at which climbing and our threshold rule differ, tried between all probabilities."""
    ends = sorted({0.0, 1.0, *(value for value in p if 0 < value < 1)})
    between = ((low, high, (low + high) / 2) for low, high in itertools.pairwise(ends))
    return math.fsum(
        high - low
        for low, high, theta in between
        if plain_climbing.climb(graph, p, theta) != threshold_answer(graph, p, theta)
    )
