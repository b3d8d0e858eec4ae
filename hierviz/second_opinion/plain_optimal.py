"""Rules that are optimal for an expected metric, by their definition: every node against every truth, with loops.

Conventions
-----------
As in `hierviz.second_opinion.plain_graph`. A truth is a node with a probability of its own, see `truth_mass`; A(u) is a node with
its ancestors, without the root. Ties go to the smaller set and to the lower node.

References
----------
.. [1] R. Plaud, A. Saillenfest, T. Bonald, M. Labeau, Optimal decisions for hierarchical metrics, ICML 2025.
"""

from __future__ import annotations

import math

from hierviz.second_opinion.plain_graph import OUTSIDE, candidates
from hierviz.second_opinion.plain_numbers import mean
from hierviz.second_opinion.plain_sets import closed

# Of a sum: what rounding may make of it.
NEAR = 1e-13


def truth_mass(graph, p):
    """Probability that the truth is exactly each node: p minus that of the children, or the leaves alone where one is below 0."""
    largest = max(abs(value) for value in p)
    own = []
    for node in range(graph.n):
        value = p[node] - sum(p[child] for child in graph.children[node])
        own.append(0.0 if graph.children[node] and abs(value) <= NEAR * largest else value)
    if not graph.is_tree or any(own[node] < 0 for node in range(graph.n) if graph.children[node]):
        own = [0.0 if graph.children[node] else p[node] for node in range(graph.n)]
    return [max(value, 0.0) for value in own]


def expected_hf(graph, mass, nodes, beta):
    """Expected hF_beta of a set of nodes."""
    square, chosen = beta * beta, set(nodes) - {0}
    terms = []
    for truth in range(graph.n):
        path = graph.up[truth] - {0}
        whole = len(chosen) + square * len(path)
        terms.append(mass[truth] * (1 + square) * len(chosen & path) / whole if whole else 0.0)
    return math.fsum(terms)


def hf_optimal(graph, p, beta=1.0):
    """The set of largest expected hF_beta, ascending [1]_."""
    mass, square = truth_mass(graph, p), beta * beta
    truths = [truth for truth in range(graph.n) if mass[truth] > 0]
    total = math.fsum(mass[truth] for truth in truths if truth)
    best, found, size = 0.0, [], 0
    while size < graph.n - 1:
        size += 1
        weight = {truth: mass[truth] * (1 + square) / (size + square * (len(graph.up[truth]) - 1)) for truth in truths}
        if math.fsum(weight[truth] * (len(graph.up[truth]) - 1) for truth in truths) <= best:
            break
        gains = [0.0] * graph.n
        for truth in truths:
            for node in graph.up[truth]:
                gains[node] += weight[truth]
        order = sorted(range(1, graph.n), key=lambda node: (-gains[node], node))
        value = math.fsum(gains[node] for node in order[:size])
        if value > best + NEAR * total:
            margin, last = NEAR * gains[0], gains[order[size - 1]]
            sure = [node for node in order if gains[node] > last + margin]
            near = sorted(node for node in order if abs(gains[node] - last) <= margin)
            best, found = value, sorted(sure + near[: size - len(sure)])
    return found


def labels(graph, sets, truths, rows, beta):
    """What the sets of `hf_optimal` reach and were expected to reach, None for several truths a sample; and beta.

    The rule expects nothing of a label outside the taxonomy, which is added to its set.
    """
    square, reached = beta * beta, []
    for nodes, wanted in zip(sets, truths):
        true = closed(graph, wanted)
        whole = len(nodes) + square * len(true)
        reached.append((1 + square) * len(true & set(nodes)) / whole if whole else 0.0)
    expected = None
    if all(len(wanted) == 1 for wanted in truths):
        expected = mean(
            expected_hf(graph, truth_mass(graph, p), set(nodes) - {OUTSIDE}, beta)
            for p, nodes in zip(rows, sets, strict=True)
        )
    return {"hf_beta_samples": mean(reached), "hf_beta_expected": expected, "beta": beta}


def _quotient(part, whole):
    return part / whole if whole else 1.0


def cost(graph, key, answer, truth):
    """What an answer costs under a truth in a tree; `key` as of `hierviz.inference.node_costs.NODE_COSTS`."""
    common = graph.common(answer, truth)
    if key == "exact":
        return float(answer != truth)
    if key == "correct":
        return float(common != answer)
    if key == "win":
        return 0.0 if answer == truth else 2.0 ** -graph.depth[common]
    if key == "wu_palmer":
        return 1 - 2 * (graph.depth[common] + 1) / (graph.depth[answer] + graph.depth[truth] + 2)
    prefix, what = key.split("_")
    value = graph.information if prefix == "info" else graph.depth
    if what == "dist":
        return value[answer] + value[truth] - 2 * value[common]
    if what == "f1":
        return 1 - _quotient(2 * value[common], value[answer] + value[truth])
    return 1 - _quotient(value[common], value[answer if what == "precision" else truth])


def expected_costs(graph, p, key):
    """Expected cost of each node that may be answered: dict of node to cost."""
    mass = truth_mass(graph, p)
    truths = [truth for truth in range(graph.n) if mass[truth] > 0]
    return {
        node: math.fsum(mass[truth] * cost(graph, key, node, truth) for truth in truths) for node in candidates(graph)
    }


def optimal_node(graph, p, key="info_f1"):
    """The node of smallest expected cost; the lowest on ties but for rounding."""
    costs = expected_costs(graph, p, key)
    bound = min(costs.values()) + NEAR * sum(truth_mass(graph, p)) * (1 + 2 * max(graph.depth))
    return min(node for node, value in costs.items() if value <= bound)
