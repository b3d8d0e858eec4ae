"""Random taxonomies, scores and truths for hypothesis.

A tree is any list of integers with ``parent[i] < i``; a graph adds edges from smaller to larger nodes. Every test that
compares with `naive` runs on 12 of them, the same ones each time, and on 100 before a release (`tests/run.sh --long`).
"""

import os

import naive
import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from hierviz import Taxonomy


def examples(n):
    """How many examples a test takes that takes `n` before a release: an eighth of them each day."""
    return n if os.environ.get("HIERVIZ_LONG") else max(n // 8, 12)


many = settings(
    max_examples=examples(100), deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)

# Values that meet each other, the threshold of majority and both ends; 0.1 + 0.2 and 0.3 differ by a rounding error.
TIES = (0.0, 0.1, 0.25, 1 / 3, 0.3, 0.1 + 0.2, 0.5, np.nextafter(0.5, 1), 0.75, 1.0)
LOGITS = (-800.0, -30.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 30.0, 800.0)


def from_graph(graph):
    """The Taxonomy of a `naive.Graph`: node i is called 'n<i>'."""
    taxonomy = Taxonomy.from_edges([(f"n{a}", f"n{b}") for a, b in graph.edges])
    assert taxonomy.names == tuple(f"n{i}" for i in range(graph.n))
    return taxonomy


@st.composite
def parent_lists(draw, most=12):
    """parent[1:] of a tree with 2 to `most` nodes: any, a chain, a star, or a chain that ends in a star."""
    n = draw(st.integers(2, most))
    shape = draw(st.sampled_from(["any", "any", "any", "bushy", "chain", "star", "broom"]))
    if shape == "any":
        return [draw(st.integers(0, i - 1)) for i in range(1, n)]
    if shape == "bushy":
        return [draw(st.integers(0, min(i - 1, 3))) for i in range(1, n)]
    if shape == "chain":
        return list(range(n - 1))
    bend = 0 if shape == "star" else draw(st.integers(0, n - 1))
    return [min(i - 1, bend) for i in range(1, n)]


@st.composite
def trees(draw, most=12):
    """A `naive.Graph` that is a tree."""
    parents = draw(parent_lists(most))
    return naive.Graph(len(parents) + 1, [(parent, i) for i, parent in enumerate(parents, 1)])


@st.composite
def graphs(draw, most=10):
    """A `naive.Graph` in which nodes may have several parents, listed in any order."""
    parents = draw(parent_lists(most))
    edges = []
    for i, parent in enumerate(parents, 1):
        more = draw(st.sets(st.integers(0, i - 1), max_size=2))
        own = [parent, *sorted(more - {parent})]
        edges += [(a, i) for a in (own if draw(st.booleans()) else own[::-1])]
    return naive.Graph(len(parents) + 1, edges)


@st.composite
def rows(draw, width, values=TIES, least=1, most=4):
    """An array of shape (least to most, width) with entries from `values`: ties everywhere."""
    n = draw(st.integers(least, most))
    flat = draw(st.lists(st.sampled_from(values), min_size=n * width, max_size=n * width))
    return np.array(flat).reshape(n, width)


@st.composite
def leaf_rows(draw, graph, least=1, most=4):
    """Leaf probabilities that sum to 1: whole weights over their sum, so equal values are common."""
    n_leaves = len(graph.leaves)
    weights = draw(rows(n_leaves, (0, 0, 1, 1, 2, 5), least, most))
    weights[:, draw(st.integers(0, n_leaves - 1))] += 1
    return weights / weights.sum(axis=1, keepdims=True)


def truths(graph, n):
    """A list of n nodes: leaves, inner nodes and the root."""
    return st.lists(st.integers(0, graph.n - 1), min_size=n, max_size=n).map(np.array)


@st.composite
def judged(draw, source=None, values=TIES, most=4):
    """(graph, taxonomy, p, truth): probabilities of nodes that need not be coherent, with a truth for each row."""
    graph = draw(trees() if source is None else source)
    p = draw(rows(graph.n, values, most=most))
    if draw(st.booleans()):
        p[:, 0] = 1
    return graph, from_graph(graph), p, draw(truths(graph, len(p)))


@st.composite
def pairs(draw, most=12, n=6):
    """(graph, taxonomy, truth, predicted) on a tree."""
    graph = draw(trees(most))
    return graph, from_graph(graph), draw(truths(graph, n)), draw(truths(graph, n))
