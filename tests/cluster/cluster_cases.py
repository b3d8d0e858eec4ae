"""Predictions of every kind for the tests of evaluations in pieces, and what of an evaluation has to stay the same."""

import numpy as np
import strategies
from hypothesis import strategies as st
from strategies import LOGITS, TIES

import hierviz as hv
from hierviz.parametrisation import PARAMETRISATIONS, default_columns

# Every rule that takes probabilities of nodes, with parameters that are no defaults where it has some.
RULES = (
    ("majority", {}),
    ("threshold", {}),
    ("leaf", {}),
    ("top_down", {}),
    ("plurality", {}),
    ("expected_information", {}),
    ("darts", {"lam": 0.5}),
    ("information_threshold", {"bits": 0.0}),
    ("crm_nodes", {"expectation": "leaves"}),
    ("threshold_set", {}),
)
TREE_ONLY = ("crm_nodes",)


@st.composite
def truths(draw, graph, n):
    """None, one node a sample, or lists of nodes; some of them not known."""
    kind = draw(st.sampled_from(["none", "one", "one", "one", "lists"]))
    nodes = draw(st.lists(st.integers(-1, graph.n - 1), min_size=n, max_size=n))
    if kind == "none":
        return None
    if kind == "one":
        return np.array(nodes, dtype=np.intp)
    return hv.NodeLists.from_lists([[node, (node * 7) % graph.n] if node > 0 else [] for node in nodes])


@st.composite
def any_predictions(draw):
    """Predictions of 1 to 12 samples on a tree or graph: scores of any parametrisation, or labels, with any truth."""
    graph = draw(st.one_of(strategies.trees(), strategies.trees(), strategies.graphs()))
    taxonomy = strategies.from_graph(graph)
    if draw(st.sampled_from([True, False, False, False])):
        n = draw(st.integers(1, 12))
        inside = st.integers(-1, graph.n - 1)
        lists = draw(st.lists(st.lists(inside, max_size=3), min_size=n, max_size=n))
        if draw(st.booleans()):
            return hv.Predictions.from_labels(taxonomy, np.array([max(0, *one, 0) for one in lists]), truth=draw(truths(graph, n)))
        return hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(lists), truth=draw(truths(graph, n)))
    keys = [key for key, entry in PARAMETRISATIONS.items() if taxonomy.is_tree or not entry.tree_only]
    key = draw(st.sampled_from(keys))
    columns = default_columns(taxonomy, key)
    if key == "leaf_probabilities":
        scores = draw(strategies.leaf_rows(graph, most=12))
    else:
        scores = draw(strategies.rows(len(columns), TIES if key == "node_probabilities" else LOGITS, most=12))
    kind = draw(st.sampled_from([np.float64, np.float32]))
    truth = draw(truths(graph, len(scores)))
    return hv.Predictions(taxonomy, "m", scores.astype(kind), key, truth=truth)


def cuts(draw, n):
    """Ends of one to four pieces of n rows, some of them empty."""
    inner = sorted(draw(st.lists(st.integers(0, n), max_size=3)))
    return list(zip([0, *inner], [*inner, n]))


def same_numbers(a, b):
    """Whether two reports have the same counts and texts, and means within 1e-12."""
    assert type(a) is type(b), (a, b)
    if isinstance(a, dict):
        assert list(a) == list(b)
        return all(same_numbers(a[key], b[key]) for key in a)
    if isinstance(a, list):
        assert len(a) == len(b)
        return all(map(same_numbers, a, b))
    if isinstance(a, float):
        assert a == b or abs(a - b) <= 1e-12, (a, b)
    else:
        assert a == b
    return True
