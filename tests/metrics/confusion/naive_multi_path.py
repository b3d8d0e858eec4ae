"""The hierarchical confusion matrix straight from its definition: names, sets, and all paths enumerated.

After Riehl et al., JRSS-C 2023. Works on names: `edges` are (parent, child) in the order of the source,
the root is called "root", a path is a list of names, and a node outside the taxonomy has the empty name.
"""

from collections import Counter


class Graph:
    def __init__(self, edges):
        self.children, self.parents = {}, {}
        for parent, child in edges:
            self.children.setdefault(parent, []).append(child)
            self.parents.setdefault(child, []).append(parent)

    def paths_to(self, target):
        """All paths from the root, depth first, children in edge order."""
        found = []

        def go(path):
            if path[-1] == target:
                found.append(path)
                return
            for child in self.children.get(path[-1], []):
                go([*path, child])

        go(["root"])
        return found

    def siblings(self, node):
        return {child for parent in self.parents.get(node, []) for child in self.children[parent]} - {node}

    def below(self, node):
        return set(self.children.get(node, []))


def common(p, q):
    k = 0
    while k < min(len(p), len(q)) and p[k] == q[k]:
        k += 1
    return k


def one_pair(graph, p, q):
    """Section 2: the nodes of the four counts, TN as a Counter."""
    k = common(p, q)
    beside = set().union(*(graph.siblings(node) for node in p[:k])) - set(p)
    under = graph.below(p[k - 1]) - set(p) - set(q)
    return {
        "tp": p[1:k],
        "tn": sorted((Counter(beside) + Counter(under)).elements()),
        "fp": [node for node in q if node not in p],
        "fn": [node for node in p if node not in q],
    }


def one_sample(graph, truths, predicted):
    """Section 3: (counts, pairs of (q, p, nodes), surplus paths, lengths of left-over shortest paths)."""
    waiting = {truth: graph.paths_to(truth) for truth in dict.fromkeys(truths)}
    m = {tuple(q): max((common(p, q) for paths in waiting.values() for p in paths), default=0) for q in predicted}
    order = sorted(predicted, reverse=True)
    order.sort(key=lambda q: -m[tuple(q)])
    counts, pairs, surplus = dict.fromkeys(("tp", "tn", "fp", "fn"), 0), [], []
    for q in order:
        best = None
        for truth, paths in waiting.items():
            for p in paths:
                if best is None or common(p, q) > common(best[1], q):
                    best = truth, p
        if best is None:
            surplus.append(q)
            counts["fp"] += len(q) - 1
            continue
        del waiting[best[0]]
        nodes = one_pair(graph, best[1], q)
        pairs.append((q, best[1], nodes))
        for cell in counts:
            counts[cell] += len(nodes[cell])
    left = [min(map(len, paths)) - 1 for paths in waiting.values()]
    counts["fn"] += sum(left)
    return counts, pairs, surplus, left


def cover(graph, labels):
    """Section 7: paths through all labels; each empty name is a path of its own."""
    known = [label for label in dict.fromkeys(labels) if label]
    unknown = [["root", label] for label in labels if not label]
    if known == ["root"] and unknown:
        known = []
    paths = [path for label in known for path in graph.paths_to(label)]
    open_labels, chosen = set(known), []
    while open_labels:
        best = max(paths, key=lambda path: len(open_labels & set(path)))  # the first one on ties
        chosen.append(best)
        open_labels -= set(best)
    return (chosen + unknown) or [["root"]]
