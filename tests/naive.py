"""Every definition once more, with sets and plain loops, straight from the papers; slow and independent of hierviz.

A graph is nodes 0..n-1 with edges (parent, child) in declared order; node 0 is the root. Everything is about one sample
unless it says otherwise; samples are lists.
"""

import math


class Graph:
    def __init__(self, n, edges):
        self.n, self.edges = n, list(edges)
        self.parents = [[a for a, b in self.edges if b == i] for i in range(n)]
        self.children = [[b for a, b in self.edges if a == i] for i in range(n)]
        self.leaves = [i for i in range(n) if not self.children[i]]


# The tree, as in Valmadre, NeurIPS 2022 -------------------------------------------------------------------------------


def ancestors(graph, node):
    """The node and everything above it."""
    found = {node}
    for parent in graph.parents[node]:
        found |= ancestors(graph, parent)
    return found


def descendants(graph, node):
    return {other for other in range(graph.n) if node in ancestors(graph, other)}


def leaves_below(graph, node):
    return {leaf for leaf in graph.leaves if node in ancestors(graph, leaf)}


def depth(graph, node):
    return 0 if node == 0 else 1 + min(depth(graph, parent) for parent in graph.parents[node])


def information(graph, node):
    return math.log2(len(graph.leaves)) - math.log2(len(leaves_below(graph, node)))


def path(graph, node):
    """From the root to the node of a tree."""
    return [*path(graph, graph.parents[node][0]), node] if node else [0]


def lca(graph, a, b):
    return max(ancestors(graph, a) & ancestors(graph, b), key=lambda node: len(path(graph, node)))


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


# Parametrisations: Valmadre, NeurIPS 2022 -----------------------------------------------------------------------


def columns(graph, parametrisation):
    """Node of each column."""
    if parametrisation in ("flat_softmax", "leaf_probabilities", "leaf_sigmoid_noisy_or", "leaf_sigmoid_max"):
        return graph.leaves
    if parametrisation == "softmax_all_nodes":
        return list(range(graph.n))
    if parametrisation == "conditional_softmax":
        return [child for node in range(graph.n) for child in sorted(graph.children[node])]
    return list(range(1, graph.n))


def softmax(scores):
    """{key: score} -> {key: share}; exp of the difference, so that nothing overflows."""
    return {key: 1 / sum(_exp(other - score) for other in scores.values()) for key, score in scores.items()}


def _exp(x):
    return math.inf if x > 700 else math.exp(x)


def sigmoid(score):
    return 1 / (1 + _exp(-score))


def node_probabilities(graph, parametrisation, row):
    """p of every node from {node: score}."""
    nodes = range(graph.n)
    if parametrisation in ("flat_softmax", "leaf_probabilities", "ps_softmax"):
        if parametrisation == "ps_softmax":
            row = {leaf: sum(row[node] for node in ancestors(graph, leaf) - {0}) for leaf in graph.leaves}
        leaf = row if parametrisation == "leaf_probabilities" else softmax(row)
        p = [math.fsum(leaf[u] for u in leaves_below(graph, node)) for node in nodes]
        return p if parametrisation == "leaf_probabilities" else [1.0, *p[1:]]
    if parametrisation == "softmax_all_nodes":
        mass = softmax(row)
        return [1.0] + [math.fsum(mass[u] for u in descendants(graph, node)) for node in nodes[1:]]
    if parametrisation == "multilabel_sigmoid":
        return [1.0] + [sigmoid(row[node]) for node in nodes[1:]]
    if parametrisation.startswith("leaf_sigmoid"):
        below = [[row[leaf] for leaf in leaves_below(graph, node)] for node in nodes[1:]]
        if parametrisation == "leaf_sigmoid_max":
            return [1.0] + [sigmoid(max(scores)) for scores in below]
        return [1.0] + [1 - math.prod(sigmoid(-score) for score in scores) for scores in below]
    if parametrisation == "deep_rtc":
        return [1.0] + [sigmoid(sum(row[u] for u in ancestors(graph, node) - {0}) / 10) for node in nodes[1:]]
    if parametrisation == "node_probabilities":
        return [row.get(node, 1.0) for node in nodes]
    given = {}
    for node in nodes:
        family = {child: row[child] for child in graph.children[node]}
        given |= (
            softmax(family)
            if parametrisation == "conditional_softmax"
            else {child: sigmoid(score) for child, score in family.items()}
        )
    return [math.prod(given[u] for u in ancestors(graph, node) - {0}) for node in nodes]


# Pareto set, rules and curve: Valmadre, NeurIPS 2022 --------------------------------------------------------


def candidates(graph):
    """All but trivial nodes: inner nodes that have one child, or one leaf below several."""
    nodes = [node for node in range(graph.n) if len(graph.children[node]) != 1]
    return [node for node in nodes if not graph.children[node] or len(leaves_below(graph, node)) > 1]


def pareto_set(graph, p, min_threshold=-math.inf):
    """By sorting; information is compared by the number of leaves below, which is exact."""
    size = [len(leaves_below(graph, node)) for node in range(graph.n)]
    kept = []
    for node in sorted(
        (node for node in candidates(graph) if p[node] > min_threshold), key=lambda y: (-p[y], size[y], y)
    ):
        if all(size[node] < size[other] for other in kept):
            kept.append(node)
    return kept


def rule_leaf(graph, p):
    return min(graph.leaves, key=lambda leaf: (-p[leaf], leaf))


def rule_threshold(graph, p, threshold):
    """Max information, then max p, then the lowest node; nothing above: first element of the Pareto set."""
    allowed = [node for node in candidates(graph) if p[node] > threshold]
    if not allowed:
        return pareto_set(graph, p)[0]
    return min(allowed, key=lambda node: (len(leaves_below(graph, node)), -p[node], node))


def rule_majority(graph, p):
    return rule_threshold(graph, p, 0.5)


def rule_top_down(graph, p):
    """Wu, Tygert & LeCun, 2019, single best leaf: first child in declared order on ties."""
    node = 0
    while graph.children[node]:
        best = graph.children[node][0]
        for child in graph.children[node]:
            if p[child] > p[best]:
                best = child
        node = best
    return node


def mean(values):
    return math.fsum(values) / len(values)


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


def envelope_integral(x, y):
    """Section 5: steps from 0 through the sorted x, each as high as the best y at or beyond."""
    area, last = 0.0, 0.0
    for here in sorted(x):
        area += (here - last) * max(b for a, b in zip(x, y) if a >= here)
        last = here
    return area


def best_at_correct(x, correct, level):
    """ "Correct >= c" means at least c - 1e-12."""
    return max((a for a, c in zip(x, correct) if c >= level - 1e-12), default=0.0)


# Path metrics: Valmadre, NeurIPS 2022 ---------------------------------------------------------------------------


def truncate(graph, truth, predicted):
    return truth if truth in ancestors(graph, predicted) else predicted


def outcome(graph, truth, predicted):
    """What an answer is, in one word; `predicted` is a node."""
    if truth in ancestors(graph, predicted):
        return "exact"
    if predicted not in ancestors(graph, truth):
        return "wrong"
    return "coarse" if ancestors(graph, predicted) != {predicted} else "no_answer"


def path_metrics(graph, truth, predicted, truncated=True):
    below = truth in ancestors(graph, predicted)
    if truncated:
        predicted = truncate(graph, truth, predicted)
    common = lca(graph, truth, predicted)
    found = {"exact": float(predicted == truth), "correct": float(below or predicted in ancestors(graph, truth))}
    found["no_answer"] = float(outcome(graph, truth, predicted) == "no_answer")
    for name, value in (("info", information), ("depth", depth)):
        shared, claimed, due = (float(value(graph, node)) for node in (common, predicted, truth))
        precision = shared / claimed if claimed else 1.0
        recall = shared / due if due else 1.0
        found |= {
            f"{name}_precision": precision,
            f"{name}_recall": recall,
            f"{name}_f1": 2 / (1 / recall + 1 / precision) if recall and precision else 0.0,
            f"{name}_dist": due + claimed - 2 * shared,
            f"{name}_excess": claimed - shared,
            f"{name}_deficient": due - shared,
            f"{name}_lca": shared,
        }
    return found


# Hierarchical win: Wu, Tygert & LeCun, 2019 ---------------------------------------------------------------------------------


def raw_win(graph, p, truth):
    nodes = path(graph, truth)
    last = len(nodes)
    return sum(2.0**-j * p[node] for j, node in enumerate(nodes, 1)) + 2.0**-last * p[truth]


def win(graph, p, truth):
    """Drop the root term, times 2; a truth at the root keeps the second count of its leaf."""
    nodes = path(graph, truth)
    if truth == 0:
        return p[0]
    return sum(2.0**-d * p[node] for d, node in enumerate(nodes) if d > 0) + 2.0 ** -(len(nodes) - 1) * p[truth]


def best_leaf_metrics(graph, truth, best_leaf):
    """A best leaf below an inner truth is right (docs/metrics.md, Top-1 accuracy)."""
    if truth in ancestors(graph, best_leaf):
        best_leaf = truth
    chosen, true = path(graph, best_leaf), path(graph, truth)
    one_hot = [1.0 if node in chosen else 0.0 for node in range(graph.n)]
    return {
        "one_hot_win": win(graph, one_hot, truth),
        "coarsest_accuracy": float(chosen[1:2] == true[1:2]),
        "parents_accuracy": float(chosen[:-1][-1:] == true[:-1][-1:]),
        "finest_accuracy": float(best_leaf == truth),
        "shared": float(len((set(chosen) & set(true)) - {0})),
        "claimed": float(len(chosen) - 1),
        "due": float(len(true) - 1),
    }


# Hierarchical confusion: Riehl et al., JRSS-C 2023 ----------------------------------------------------------------------


def height(graph, node):
    """Edges down to the deepest leaf below a node."""
    below = [height(graph, child) for child in range(graph.n) if node in graph.parents[child]]
    return 1 + max(below) if below else 0


def is_in_top(graph, p, truth, k):
    """Whether one of the k most probable leaves is the truth or below it; of equal ones the first."""
    leaves = sorted(leaves_below(graph, 0), key=lambda leaf: (-p[leaf], leaf))
    return any(leaf == truth or leaf in leaves_below(graph, truth) for leaf in leaves[:k])


def siblings(graph, node):
    return {child for parent in graph.parents[node] for child in graph.children[parent]} - {node}


def confusion_sets(graph, truth, predicted):
    """TP, FP, FN and the two terms of TN of one pair of paths."""
    p, q = path(graph, truth), path(graph, predicted)
    k = 0
    while k < min(len(p), len(q)) and p[k] == q[k]:
        k += 1
    last = p[k - 1]
    near = set()
    for node in p[1:k]:
        near |= siblings(graph, node)
    return {
        "tp": set(p[1:k]),
        "fp": set(q) - set(p),
        "fn": set(p) - set(q),
        "tn": (near - set(p), set(graph.children[last]) - set(p) - set(q)),
    }


def confusion(graph, truth, predicted):
    """Counts of one pair; the two TN terms are added as numbers."""
    sets = confusion_sets(graph, truth, predicted)
    return {**{cell: len(sets[cell]) for cell in ("tp", "fp", "fn")}, "tn": sum(map(len, sets["tn"]))}


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
