"""The diagnoses once more, with sets and plain loops from their definitions, and random input for them."""

import math

import naive
import numpy as np
import strategies
from hypothesis import strategies as st

import hierviz as hv
from hierviz.metrics.confusion.multi_path import confusion_paths, greedy_cover

NAN = float("nan")


def set_outcome(graph, truth, predicted):
    """What a set is, in one word; -1 is a label outside the taxonomy."""
    true, said = (closure(graph, [node for node in nodes if node >= 0]) for nodes in (truth, predicted))
    if any(node < 0 for node in predicted):
        return "wrong"
    return "exact" if true == said else "wrong" if said - {0} else "no_answer"


def closure(graph, nodes):
    return {above for node in nodes for above in naive.ancestors(graph, node)} | {0}


def over(part, whole):
    return part / whole if whole else NAN


def node_table(graph, truths, answers):
    """One dict a node, from one list of true and one of predicted nodes a sample."""
    rows = []
    empty = {i for i, nodes in enumerate(answers) if not set(nodes) - {0} and set(truths[i]) - {0}}
    for node in range(graph.n):
        true = {i for i, nodes in enumerate(truths) if node in closure(graph, nodes)}
        said = {i for i, nodes in enumerate(answers) if node in closure(graph, [n for n in nodes if n >= 0])}
        hits = len(true & said)
        rows.append(
            {
                "support": len(true),
                "answered": len(said),
                "hits": hits,
                "stopped_here": sum(node in nodes or (node == 0 and not nodes) for nodes in answers),
                "n_no_answer": len(true & empty),
                "recall": over(hits, len(true)),
                "precision": over(hits, len(said)),
                "f1": over(2 * hits, len(true) + len(said)),
            }
        )
    return rows


def pairs_of_paths(taxonomy, truths, answers):
    """(sample, truth or None, answer or None or 'outside') by the pairs that the confusion of paths spells out."""
    true = greedy_cover(taxonomy, hv.NodeLists.from_lists(truths)).ends
    matched = confusion_paths(taxonomy, true, greedy_cover(taxonomy, hv.NodeLists.from_lists(answers)))
    found = []
    for i in range(len(truths)):
        pairs = matched.pairs(i)
        found += [(i, int(pair.true[-1]), _end(pair.predicted)) for pair in pairs.pairs]
        found += [(i, None, _end(path)) for path in pairs.surplus]
        found += [(i, int(path[-1]), None) for path in pairs.left_over]
    return found


def _end(path):
    return "outside" if path[-1] < 0 else int(path[-1])


def group_of(parent, node, open_nodes):
    """('stops', node) or ('below', node) of a node in a tree, by walking down from the root."""
    way = [node]
    while way[-1]:
        way.append(parent[way[-1]])
    for one in reversed(way):
        if one not in open_nodes:
            return "below", one
    return "stops", node


@st.composite
def labelled(draw, most_samples=6, least=0, source=None):
    """(graph, taxonomy, truths, answers): lists of nodes a sample; a truth has one at least, -1 is an unknown label."""
    graph = draw(source if source is not None else st.one_of(strategies.trees(), strategies.graphs()))
    n = draw(st.integers(1, most_samples))
    node = st.integers(0, graph.n - 1)
    truths = draw(st.lists(st.lists(node, min_size=1, max_size=3, unique=True), min_size=n, max_size=n))
    said = st.lists(st.integers(-1, graph.n - 1), min_size=least, max_size=3, unique=True)
    return graph, strategies.from_graph(graph), truths, draw(st.lists(said, min_size=n, max_size=n))


def same(found, expected):
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(expected, float), atol=1e-12)


def is_nan(value):
    return isinstance(value, float) and math.isnan(value)
