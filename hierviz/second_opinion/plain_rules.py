"""Inference rules on one row of node probabilities, as they are defined: Valmadre, NeurIPS 2022; Wu et al., 2019.

Conventions
-----------
A node with one child, or in a graph one leaf below several, is never answered but by ``exclusive``. More informative is: fewer
leaves below. Ties go to the lowest node.
"""

from __future__ import annotations

# Values that differ by no more are equal but for rounding.
NEAR = 1e-12
# Those with a plain definition here; others, such as sums over every pair of leaves, would take too long.
RECOMPUTED = (
    *("leaf", "majority", "threshold", "top_down", "plurality", "expected_information", "darts"),
    *("information_threshold", "exclusive"),
)


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


def answer(graph, p, rule, settings):
    """The node that a rule answers; `settings` as `INFERENCE_RULES` declares them."""
    if rule == "threshold":
        return threshold(graph, p, settings["threshold"])
    if rule == "depth_thresholds":
        return depth_thresholds(graph, p, settings["thresholds_by_depth"])
    if rule == "darts":
        return darts(graph, p, settings["lam"])
    if rule == "information_threshold":
        return information_threshold(graph, p, settings["bits"])
    plain = {"leaf": leaf, "majority": threshold, "top_down": top_down, "plurality": plurality}
    return (plain | {"expected_information": darts, "exclusive": exclusive})[rule](graph, p)
