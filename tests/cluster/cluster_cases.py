"""Predictions of every kind for the tests of evaluations in pieces, and what of an evaluation has to stay the same."""

import numpy as np
import strategies
from hypothesis import strategies as st
from strategies import LOGITS, TIES

import hierviz as hv
from hierviz.predictions.parametrisation import PARAMETRISATIONS, default_columns

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
    ("hf_optimal", {"beta": 0.5}),
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
            return hv.Predictions.from_labels(
                taxonomy, np.array([max(0, *one, 0) for one in lists]), truth=draw(truths(graph, n))
            )
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


def write_parts(folder, taxonomy, scores, n_parts, *, group=3, **columns):
    """A folder of Parquet parts with the leaf probabilities `scores`, `group` rows to a row group, and other columns first."""
    import pandas as pd

    folder.mkdir(exist_ok=True)
    frame = pd.DataFrame(scores, columns=[taxonomy.names[node] for node in taxonomy.leaves])
    for place, (name, values) in enumerate(columns.items()):
        frame.insert(place, name, values)
    for k, rows in enumerate(np.array_split(np.arange(len(scores)), n_parts)):
        frame.iloc[rows].to_parquet(folder / f"part-{k}.parquet", index=False, row_group_size=group)
    # What Spark leaves beside its parts.
    (folder / "_SUCCESS").write_text("")
    (folder / ".part-0.parquet.crc").write_bytes(b"crc")
    return folder


def world(taxonomy, n=47, seed=0):
    """(scores of float32, ids, names of true nodes with some unknown): eighths, so that they sum to 1 exactly."""
    rng = np.random.default_rng(seed)
    scores = rng.multinomial(8, np.full(taxonomy.n_leaves, 1 / taxonomy.n_leaves), n).astype(np.float32) / 8
    nodes = rng.integers(-1, taxonomy.n_nodes, n)
    names = ["" if node < 0 else taxonomy.names[node] for node in nodes.tolist()]
    return scores, [f"s{i}" for i in range(n)], names
