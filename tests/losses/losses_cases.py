"""Losses straight from their definitions, in decimals of 50 digits with sets and loops, and random taxonomies to try them on."""

from decimal import Decimal, localcontext
from functools import lru_cache
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from hierviz import NodeLists, Taxonomy

DIGITS = 50


# Random inputs ---------------------------------------------------------------------------------------------------------


@st.composite
def trees(draw, most=12):
    """A tree of 2 to `most` nodes: bushy, fanned out, or with long chains of only children."""
    n = draw(st.integers(2, most))
    reach = draw(st.sampled_from([1, 2, 3, most]))
    parents = [draw(st.integers(max(0, i - reach), i - 1)) for i in range(1, n)]
    return Taxonomy.from_edges([(f"n{parent}", f"n{i}") for i, parent in enumerate(parents, 1)])


@st.composite
def graphs(draw, most=9):
    """A rooted graph in which some nodes have two parents."""
    n = draw(st.integers(4, most))
    edges = []
    for i in range(1, n):
        parents = draw(st.sets(st.integers(0, i - 1), min_size=1, max_size=min(i, 2)))
        edges += [(f"n{parent}", f"n{i}") for parent in sorted(parents)]
    return Taxonomy.from_edges(edges)


def draw_truth(taxonomy, generator, n, kind):
    """Truths of one kind: 'leaf', 'any', 'below root' or 'lists'."""
    if kind == "leaf":
        return generator.choice(taxonomy.leaves, n)
    if kind == "lists":
        return NodeLists.from_lists(
            [generator.integers(1, taxonomy.n_nodes, generator.integers(1, 4)) for _ in range(n)]
        )
    return generator.integers(kind == "below root", taxonomy.n_nodes, n)


def per_row_keywords(key, taxonomy, generator, n):
    """Keywords that are arrays and have to be drawn."""
    if key == "deep_rtc":
        return {"drops": generator.random((n, taxonomy.n_nodes)) < 0.3}
    if key == "conditional_softmax_la":
        return {"counts": generator.integers(0, 5, taxonomy.n_nodes)}
    return {}


# (key, keywords, kind of truth): every loss with every variant that changes its arithmetic.
VARIANTS = [
    ("flat_ce", {}, "any"),
    ("flat_ce", {"smoothing": 0.1}, "leaf"),
    ("raw_win", {}, "any"),
    ("log_win", {}, "any"),
    ("coarse_ce", {}, "below root"),
    ("hxe", {"alpha": 0.0}, "any"),
    ("hxe", {"alpha": 0.5}, "any"),
    ("hxe", {"alpha": 0.3, "parametrisation": "conditional_softmax"}, "any"),
    ("multilabel_bce", {}, "any"),
    ("multilabel_bce", {}, "lists"),
    ("multilabel_focal", {"alpha": 0.25, "gamma": 2.0}, "any"),
    ("multilabel_focal", {"alpha": 0.95, "gamma": 0.5}, "lists"),
    ("multilabel_focal", {"alpha": 0.5, "gamma": 0.0}, "leaf"),
    ("conditional_softmax", {}, "any"),
    ("conditional_softmax", {"smoothing": 0.2}, "any"),
    ("conditional_softmax_la", {"tau": 0.7}, "any"),
    ("conditional_sigmoid", {}, "leaf"),
    ("conditional_sigmoid", {}, "lists"),
    ("deep_rtc", {}, "leaf"),
    ("ps_softmax", {}, "any"),
    ("soft_max_descendant", {}, "any"),
    ("soft_max_descendant", {"weighted": False}, "any"),
    ("soft_max_margin", {}, "any"),
    ("soft_max_margin", {"tau": 1.0, "cost": "depth_dist"}, "any"),
    ("soft_max_margin", {"tau": 1.0, "cost": "info_dist"}, "any"),
    ("hard_margin", {}, "any"),
    ("hard_margin", {"tau": 0.5, "cost": "depth_dist"}, "any"),
    ("hard_margin", {"tau": 0.5, "cost": "info_dist"}, "any"),
    ("champ", {}, "below root"),
    ("champ", {"beta": 1.5}, "lists"),
]


def variant_id(variant):
    key, keywords, kind = variant
    return "-".join([key, *(f"{name}={value}" for name, value in keywords.items()), kind])


# The tree, in sets -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=10_000)
def parents_of(taxonomy, node):
    return [int(parent) for parent, child in taxonomy.edges if child == node]


@lru_cache(maxsize=10_000)
def children_of(taxonomy, node):
    return [int(child) for parent, child in taxonomy.edges if parent == node]


@lru_cache(maxsize=10_000)
def above(taxonomy, node):
    """Ancestors, the node and the root included."""
    found = {int(node)}
    for parent in parents_of(taxonomy, node):
        found |= above(taxonomy, parent)
    return found


@lru_cache(maxsize=10_000)
def below(taxonomy, node):
    return {v for v in range(taxonomy.n_nodes) if int(node) in above(taxonomy, v)}


@lru_cache(maxsize=10_000)
def leaves_below(taxonomy, node):
    return {v for v in below(taxonomy, node) if not children_of(taxonomy, v)}


def path(taxonomy, node):
    """Root to node."""
    return sorted(above(taxonomy, node))


@lru_cache(maxsize=10_000)
def distances(taxonomy, node):
    """Edges to every node, by walking."""
    found, front = {int(node): 0}, [int(node)]
    while front:
        at = front.pop(0)
        for other in parents_of(taxonomy, at) + children_of(taxonomy, at):
            if other not in found:
                found[other] = found[at] + 1
                front.append(other)
    return found


# The losses ------------------------------------------------------------------------------------------------------------


def exp(x):
    return x.exp()


def sigma(x):
    return 1 / (1 + (-x).exp())


def share(theta, inside, of):
    """Softmax mass of `inside` among `of`."""
    return sum(exp(theta[v]) for v in inside) / sum(exp(theta[v]) for v in of)


def flat_ce(taxonomy, theta, y, smoothing=0.0):
    leaves = leaves_below(taxonomy, 0)
    e = Decimal(smoothing)
    loss = -share(theta, leaves_below(taxonomy, y), leaves).ln()
    return (1 - e) * loss + e * sum(-share(theta, {u}, leaves).ln() for u in leaves) / len(leaves)


def _win(taxonomy, theta, y):
    leaves = leaves_below(taxonomy, 0)
    v = {u: share(theta, leaves_below(taxonomy, u), leaves) for u in path(taxonomy, y)}
    nodes = path(taxonomy, y)
    depth = len(nodes) - 1
    return sum(v[nodes[d]] / 2**d for d in range(1, depth + 1)) + v[y] / 2**depth


def raw_win(taxonomy, theta, y):
    return -_win(taxonomy, theta, y)


def log_win(taxonomy, theta, y):
    return -_win(taxonomy, theta, y).ln()


def coarse_ce(taxonomy, theta, y):
    tops = children_of(taxonomy, 0)
    return -share(theta, {path(taxonomy, y)[1]}, tops).ln()


def hxe(taxonomy, theta, y, alpha, parametrisation="flat_softmax"):
    leaves, nodes, loss = leaves_below(taxonomy, 0), path(taxonomy, y), Decimal(0)
    for depth, (parent, u) in enumerate(pairwise(nodes), 1):
        if parametrisation == "flat_softmax":
            q = {v: share(theta, leaves_below(taxonomy, v), leaves) for v in (parent, u)}
            ratio = q[u] / q[parent]
        else:
            ratio = share(theta, {u}, children_of(taxonomy, parent))
        loss -= (-Decimal(alpha) * (depth - 1)).exp() * ratio.ln()
    return loss


def conditional_softmax(taxonomy, theta, y, smoothing=0.0):
    loss, e = Decimal(0), Decimal(smoothing)
    for u in range(1, taxonomy.n_nodes):
        r = share(theta, {u}, children_of(taxonomy, parents_of(taxonomy, u)[0]))
        weight = (1 - e) * (u in above(taxonomy, y)) + e * len(leaves_below(taxonomy, u)) / len(
            leaves_below(taxonomy, 0)
        )
        loss -= weight * r.ln()
    return loss


def conditional_softmax_la(taxonomy, theta, y, tau, counts):
    adjusted = {}
    for u in range(1, taxonomy.n_nodes):
        family = children_of(taxonomy, parents_of(taxonomy, u)[0])
        nu = Decimal(max(1, int(counts[u]))) / sum(max(1, int(counts[v])) for v in family)
        adjusted[u] = theta[u] + Decimal(tau) * nu.ln()
    return conditional_softmax(taxonomy, adjusted, y)


def _true(taxonomy, y):
    nodes = [y] if np.ndim(y) == 0 else y
    return set().union(*(above(taxonomy, node) for node in nodes)) - {0}


def multilabel_bce(taxonomy, theta, y):
    true = _true(taxonomy, y)
    return sum(-sigma(theta[u] if u in true else -theta[u]).ln() for u in range(1, taxonomy.n_nodes))


def multilabel_focal(taxonomy, theta, y, alpha, gamma):
    alpha, gamma, true, loss = Decimal(alpha), Decimal(gamma), _true(taxonomy, y), Decimal(0)
    for u in range(1, taxonomy.n_nodes):
        right, wrong = sigma(theta[u]), sigma(-theta[u])
        if u in true:
            loss -= alpha * wrong**gamma * right.ln()
        else:
            loss -= (1 - alpha) * right**gamma * wrong.ln()
    return loss


def conditional_sigmoid(taxonomy, theta, y):
    true, loss = _true(taxonomy, y), Decimal(0)
    for parent in true | {0}:
        for u in children_of(taxonomy, parent):
            loss -= sigma(theta[u] if u in true else -theta[u]).ln()
    return loss


def _beta(taxonomy, theta):
    return {u: sum((theta[v] for v in above(taxonomy, u) - {0}), Decimal(0)) for u in range(taxonomy.n_nodes)}


def cut_nodes(taxonomy, dropped):
    """Childless nodes of the tree truncated at the dropped nodes."""
    kept, front = [], [0]
    while front:
        node = front.pop()
        children = [] if node in dropped else children_of(taxonomy, node)
        front += children
        if not children:
            kept.append(node)
    return sorted(kept)


def deep_rtc(taxonomy, theta, y, drops=()):
    dropped = {u for u in range(1, taxonomy.n_nodes) if len(drops) and drops[u]}
    cut = cut_nodes(taxonomy, dropped)
    (target,) = above(taxonomy, y) & set(cut)
    return -share(_beta(taxonomy, theta), {target}, cut).ln()


def ps_softmax(taxonomy, theta, y):
    return flat_ce(taxonomy, _beta(taxonomy, theta), y)


def soft_max_descendant(taxonomy, theta, y, weighted=True):
    loss = Decimal(0)
    for u in above(taxonomy, y):
        unrelated = set(range(taxonomy.n_nodes)) - above(taxonomy, u) - below(taxonomy, u)
        term = -share(theta, {u}, unrelated | {u}).ln()
        loss += term / len(leaves_below(taxonomy, u)) if weighted else term
    return loss


def _cost(taxonomy, v, y, cost):
    if cost == "incorrect":
        return Decimal(v not in above(taxonomy, y))
    if cost == "depth_dist":
        return Decimal(distances(taxonomy, v)[y])
    total = len(leaves_below(taxonomy, 0))
    nats = {u: Decimal(total).ln() - Decimal(len(leaves_below(taxonomy, u))).ln() for u in range(taxonomy.n_nodes)}
    lca = max(above(taxonomy, v) & above(taxonomy, y))
    return nats[v] + nats[y] - 2 * nats[lca]


def soft_max_margin(taxonomy, theta, y, tau=5.0, cost="incorrect"):
    nodes = range(taxonomy.n_nodes)
    return -share({v: theta[v] + Decimal(tau) * _cost(taxonomy, v, y, cost) for v in nodes}, {y}, nodes).ln()


def hard_margin(taxonomy, theta, y, tau=5.0, cost="incorrect"):
    nodes = range(taxonomy.n_nodes)
    return max(Decimal(0), *(theta[v] - theta[y] + Decimal(tau) * _cost(taxonomy, v, y, cost) for v in nodes))


def champ(taxonomy, theta, y, beta=0.2):
    true, nodes, loss = _true(taxonomy, y), range(1, taxonomy.n_nodes), Decimal(0)
    steps = {u: distances(taxonomy, u) for u in nodes}
    longest = max(steps[u][v] for u in nodes for v in nodes)
    for u in nodes:
        if u in true:
            loss -= sigma(theta[u]).ln()
        else:
            near = Decimal(min(steps[u][v] for v in true)) / longest
            loss -= (1 + Decimal(beta) * ((1 + near) ** 2 - 1)) * sigma(-theta[u]).ln()
    return loss


def naive(key, taxonomy, columns, scores, truth, **keywords):
    """Values of the loss `key` for every row, as float64."""
    values = []
    for i, row in enumerate(scores):
        theta = {int(node): Decimal(float(score)) for node, score in zip(columns, row)}
        own = {name: value[i] if name == "drops" else value for name, value in keywords.items()}
        truth_i = truth[i] if isinstance(truth, NodeLists) else int(truth[i])
        with localcontext() as context:
            context.prec = DIGITS
            values.append(float(globals()[key](taxonomy, theta, truth_i, **own)))
    return np.array(values)
