"""The best constant answer by MCC: every node tried by the definition, and the published data set."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import from_graph, graphs, many, trees

from hierviz import NodeLists, confusion, load_taxonomy, load_truth
from hierviz.metrics.confusion.constant_paths import MOST_TRIED, best_constant_path, constant_counts
from hierviz.metrics.confusion.multi_path import greedy_cover


def naive_mcc(tp, tn, fp, fn):
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / product**0.5 if product else None


@many
@given(st.data())
def test_every_node_tried(data):
    graph = data.draw(trees())
    taxonomy = from_graph(graph)
    truth = data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=8))
    node, found = best_constant_path(taxonomy, np.array(truth), "mcc")
    values = {v: naive_mcc(**naive.totals(graph, truth, [v] * len(truth))) for v in range(graph.n)}
    defined = {v: mcc for v, mcc in values.items() if mcc is not None}
    if not defined:
        assert node == 0
        return
    assert found.measures["mcc"] == pytest.approx(max(defined.values()))
    assert found.counts == naive.totals(graph, truth, [node] * len(truth))


@many
@given(st.data())
def test_counts_of_several_truths(data):
    """Of every node, as the matching of paths counts them."""
    graph = data.draw(trees())
    taxonomy = from_graph(graph)
    labels = st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=4, unique=True)
    lists = data.draw(st.lists(labels, min_size=1, max_size=5))
    truth = greedy_cover(taxonomy, NodeLists.from_lists(lists)).ends
    counts = constant_counts(taxonomy, truth)
    assert counts is not None
    for node in range(graph.n):
        found = confusion(taxonomy, truth, np.full(len(lists), node)).counts
        assert {cell: counts[cell][node] for cell in counts} == found
    # As they are listed, a truth may be above another one: then nodes are tried, and the best of them is the answer.
    _, best = best_constant_path(taxonomy, NodeLists.from_lists(lists), "mcc")
    tried = [
        confusion(taxonomy, NodeLists.from_lists(lists), np.full(len(lists), v)).measures["mcc"] for v in range(graph.n)
    ]
    tried = [mcc for mcc in tried if mcc is not None]
    assert not tried or best.measures["mcc"] == pytest.approx(max(tried))


@many
@given(st.data())
def test_graphs(data):
    graph = data.draw(graphs())
    taxonomy = from_graph(graph)
    truth = np.array(data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=5)))
    _, best = best_constant_path(taxonomy, truth, "mcc")
    tried = [confusion(taxonomy, truth, np.full(len(truth), v)).measures["mcc"] for v in range(graph.n)]
    tried = [mcc for mcc in tried if mcc is not None]
    assert not tried or best.measures["mcc"] == pytest.approx(max(tried))


def test_a_large_graph_is_not_tried():
    from hierviz import Taxonomy

    edges = [("root", f"c{i}") for i in range(MOST_TRIED)] + [("c0", "both"), ("c1", "both")]
    taxonomy = Taxonomy.from_edges(edges)
    assert best_constant_path(taxonomy, taxonomy.nodes("both"), "mcc") == (None, None)


def test_transposon(shared_data):
    """By F1 it is 1/1/1 with MCC .4645; by MCC 1/1 with .4907."""
    folder = shared_data / "transposon"
    taxonomy = load_taxonomy(str(folder / "taxonomy.csv"))
    truth = load_truth(str(folder / "truth.csv.gz"), taxonomy, "label_paper").nodes
    node, found = best_constant_path(taxonomy, truth, "mcc")
    assert taxonomy.names[node] == "1/1"
    assert found.measures["mcc"] == pytest.approx(0.4907, abs=5e-5)
