"""LCA precision, recall and F1 of two sets of labels, way by way: Kosmopoulos et al., Data Mining and Knowledge Discovery 2015.

Conventions
-----------
Those of `hierviz.second_opinion.plain_graph`. A predicted label outside the taxonomy is -1: a node of its own below the root.
"""

from __future__ import annotations

from hierviz.second_opinion.plain_numbers import mean

# The node above all classes; labels outside the taxonomy are -2, -3, ...
TOP = -1


def lca(graph, predicted, truth, most=None):
    """Block ``lca``: means over samples; `most` is the largest distance."""
    found = [lca_of_sample(graph, *lists, most) for lists in zip(predicted, truth, strict=True)]
    return {key: mean(values) for key, values in zip(("lca_precision", "lca_recall", "lca_f1"), zip(*found))}


def lca_of_sample(graph, predicted, truth, most=None):
    """(precision, recall, F1) of two lists of labels."""
    sets = _most_specific(graph, predicted), _most_specific(graph, truth)
    ways = [{label: _ways(graph, label, most) for label in labels} for labels in sets]
    # LCA -> the labels that it links, as (set, label).
    links: dict = {}
    for which, labels in enumerate(sets):
        for label in labels - sets[1 - which]:
            for node, others in _lowest(graph, label, ways[which][label], ways[1 - which], most):
                links.setdefault(node, set()).update({(which, label), *((1 - which, other) for other in others)})
    needing = {(which, label) for which, labels in enumerate(sets) for label in labels - sets[1 - which]}
    for node in sorted(links, key=lambda node: (_depth(graph, node), -node)):
        others = set().union(*(linked for other, linked in links.items() if other != node))
        if links[node] & needing <= others:
            del links[node]
    drawn = {node: set() for node in links}
    for end in needing:
        own = [node for node in links if end in links[node]]
        drawn[min(own, key=lambda node: (-_depth(graph, node), node))].add(end)
    nodes = [set(labels) for labels in sets]
    for node, ends in drawn.items():
        for which in (0, 1):
            if not any(of == which for of, _ in ends):
                linked = [label for of, label in links[node] if of == which]
                ends = ends | {(which, min(linked, key=lambda label: (len(ways[which][label][node]), abs(label))))}
        for which, label in ends:
            nodes[which].update(ways[which][label][node])
    shared = len(nodes[0] & nodes[1])
    return shared / len(nodes[0]), shared / len(nodes[1]), 2 * shared / (len(nodes[0]) + len(nodes[1]))


def _most_specific(graph, labels):
    outside = {-2 - i for i in range(sum(label < 0 for label in labels))}
    known = {label for label in labels if label > 0}
    return {label for label in known if not any(label in graph.up[other] - {other} for other in known)} | outside or {0}


def _above(graph, node):
    return [0] if node < TOP else [] if node == TOP else graph.parents[node] or [TOP]


def _depth(graph, node):
    return graph.depth[node] if node >= 0 else -1 if node == TOP else 1


def _ways(graph, label, most):
    """The shortest way to each node above a label, as a list of nodes from the label on."""
    found, front = {label: [label]}, [label]
    for step in range(graph.n + 2):
        reached = {}
        for node in sorted(front):
            for parent in [TOP] if step == most and node != TOP else _above(graph, node):
                if parent not in found:
                    reached.setdefault(parent, [*found[node], parent])
        found |= reached
        front = list(reached)
    return found


def _lowest(graph, label, own, others, most):
    """The LCAs of a label, each with the nearest labels of the other set; `own` and `others` are ways by node, and by label."""

    def met(node, step):
        if any(node in ways for ways in others.values()):
            return {node}
        return set().union(*(met(parent, step + 1) for parent in ([TOP] if step == most else _above(graph, node))))

    distance = {
        (node, other): len(own[node]) + len(ways[node])
        for node in met(label, 0)
        for other, ways in others.items()
        if node in ways
    }
    fewest = min(distance.values())
    found: dict = {}
    for (node, other), edges in distance.items():
        if edges == fewest:
            found.setdefault(node, []).append(other)
    return found.items()
