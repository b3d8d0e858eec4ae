"""Fast against naive, which enumerates all paths, on random trees and graphs; and what must hold of any input."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

from hierviz import NodeLists, PredictionsError, Taxonomy, confusion
from hierviz.metrics.confusion.constant_paths import best_constant_path
from hierviz.metrics.confusion.multi_path import confusion_paths, greedy_cover
from hierviz.metrics.confusion.path_lists import PathLists, Towards

from .naive_multi_path import Graph, cover, one_sample

CELLS = ("tp", "tn", "fp", "fn")
# Upper case comes before lower case, umlauts after both, and "AB" lies between "A" and "B".
NAMES = ["a", "B", "AB", "A", "é", "Z", "10", "2", "zz", "!", "b", "ä"]
examples = settings(derandomize=True, deadline=None, max_examples=strategies.examples(200))


@st.composite
def taxonomies(draw, is_tree):
    """(taxonomy, graph of names): edges in any order, names in no relation to it."""
    n = draw(st.integers(1, len(NAMES) - 1))
    names = ["root", *draw(st.permutations(NAMES))[:n]]
    edges = []
    for child in range(1, n + 1):
        parents = draw(st.sets(st.integers(0, child - 1), min_size=1, max_size=1 if is_tree else 3))
        edges += [(names[parent], names[child]) for parent in sorted(parents)]
    edges = draw(st.permutations(edges))
    return Taxonomy.from_edges(edges), Graph(edges)


@st.composite
def paths(draw, taxonomy):
    """A walk down from the root, now and then ending outside the taxonomy."""
    path = [0]
    while len(children := taxonomy.children[path[-1]]) and (step := draw(st.integers(-1, len(children) - 1))) >= 0:
        path.append(int(children[step]))
    return path + [-1] * draw(st.sampled_from([0, 0, 0, 0, 0, 1, 2]))


@st.composite
def cases(draw, is_tree):
    """(taxonomy, graph, truths, predicted paths): repeated truths and paths, inner nodes, root-only, no truth."""
    taxonomy, graph = draw(taxonomies(is_tree))
    truths, predicted = [], []
    for _ in range(draw(st.integers(1, 4))):
        truths.append(draw(st.lists(st.integers(0, taxonomy.n_nodes - 1), max_size=4)))
        some = draw(st.lists(paths(taxonomy), min_size=1, max_size=4))
        predicted.append(some + draw(st.lists(st.sampled_from(some), max_size=1)))
    return taxonomy, graph, truths, predicted


def names(taxonomy, nodes):
    return [taxonomy.names[node] if node >= 0 else "" for node in nodes]


def run(taxonomy, truths, predicted):
    return confusion_paths(taxonomy, NodeLists.from_lists(truths), PathLists.from_lists(predicted))


def check_against_naive(case):
    taxonomy, graph, truths, predicted = case
    found = run(taxonomy, truths, predicted)
    for row, (truth, paths_of_row) in enumerate(zip(truths, predicted, strict=True)):
        counts, pairs, surplus, left = one_sample(
            graph, names(taxonomy, truth), [names(taxonomy, path) for path in paths_of_row]
        )
        assert {cell: int(getattr(found, cell)[row]) for cell in CELLS} == counts
        ours = found.pairs(row)
        assert [names(taxonomy, path) for path in ours.surplus] == surplus
        assert [len(path) - 1 for path in ours.left_over] == left
        assert len(ours.pairs) == len(pairs)
        for pair, (q, p, nodes) in zip(ours.pairs, pairs, strict=True):
            assert (names(taxonomy, pair.predicted), names(taxonomy, pair.true)) == (q, p)
            for cell in CELLS:
                assert sorted(names(taxonomy, getattr(pair, cell))) == sorted(nodes[cell])
        for path in ours.left_over:
            assert path[0] == 0
            assert path[-1] in truth
            assert all(b in taxonomy.children[a] for a, b in pairwise(path))
        assert {cell: len(nodes) for cell, nodes in found.node_sets(row).items()} == counts


@examples
@given(cases(is_tree=True))
def test_tree_equals_naive(case):
    check_against_naive(case)


@examples
@given(cases(is_tree=False))
def test_graph_equals_naive(case):
    check_against_naive(case)


def check_cover(taxonomy, graph, labels):
    found = greedy_cover(taxonomy, NodeLists.from_lists(labels))
    assert len(found) == len(labels)
    for row, nodes in enumerate(labels):
        assert [names(taxonomy, path) for path in found[row]] == cover(graph, names(taxonomy, nodes))
        assert found.ends[row].tolist() == [path[-1] for path in found[row]]
    found.check(taxonomy)


@pytest.mark.parametrize("is_tree", [True, False])
def test_cover_equals_naive(is_tree):
    @examples
    @given(st.data())
    def check(data):
        taxonomy, graph = data.draw(taxonomies(is_tree))
        labels = st.lists(st.integers(-1, taxonomy.n_nodes - 1), max_size=6)
        check_cover(taxonomy, graph, data.draw(st.lists(labels, min_size=1, max_size=4)))

    check()


@pytest.mark.parametrize("is_tree", [True, False])
def test_a_node_alone_is_covered_by_its_first_path(is_tree):
    @settings(examples, max_examples=strategies.examples(100))
    @given(taxonomies(is_tree))
    def check(case):
        taxonomy, graph = case
        nodes = np.arange(-1, taxonomy.n_nodes)
        by_node, by_cover = (
            PathLists.from_nodes(taxonomy, nodes),
            greedy_cover(taxonomy, NodeLists.from_lists(nodes[:, None])),
        )
        for row, node in enumerate(nodes):
            assert [path.tolist() for path in by_node[row]] == [path.tolist() for path in by_cover[row]]
            if node >= 0:
                assert names(taxonomy, by_node[row][0]) == graph.paths_to(taxonomy.names[node])[0]

    check()


@pytest.mark.parametrize("is_tree", [True, False])
def test_constant_path_equals_trying_all_nodes(is_tree):
    @settings(examples, max_examples=strategies.examples(100))
    @given(cases(is_tree))
    def check(case):
        taxonomy, graph, truths, _ = case
        node, found = best_constant_path(taxonomy, NodeLists.from_lists(truths))
        f1 = []
        for name in taxonomy.names:
            path = graph.paths_to(name)[0]
            counts = [one_sample(graph, names(taxonomy, truth), [path])[0] for truth in truths]
            tp, fp, fn = (sum(one[cell] for one in counts) for cell in ("tp", "fp", "fn"))
            f1.append(Fraction(2 * tp, 2 * tp + fp + fn) if tp else Fraction(0))
        assert node == f1.index(max(f1))
        assert (found.measures["f1"] or 0.0) == float(max(f1))

    check()


@examples
@given(st.data())
def test_one_path_in_a_tree(data):
    taxonomy, _ = data.draw(taxonomies(is_tree=True))
    nodes = st.lists(st.integers(0, taxonomy.n_nodes - 1), min_size=6, max_size=6)
    truth, predicted = np.array(data.draw(nodes)), np.array(data.draw(nodes))
    found = confusion_paths(taxonomy, truth, PathLists.from_nodes(taxonomy, predicted))
    plain = confusion(taxonomy, truth, predicted)
    swapped = confusion_paths(taxonomy, predicted, PathLists.from_nodes(taxonomy, truth))
    for cell, other in zip(CELLS, ("tp", "tn", "fn", "fp")):
        np.testing.assert_array_equal(getattr(found, cell), getattr(plain, cell))
        np.testing.assert_array_equal(getattr(found, cell), getattr(swapped, other))
    for row in range(len(truth)):
        assert {key: nodes.tolist() for key, nodes in found.node_sets(row).items()} == {
            key: nodes.tolist() for key, nodes in plain.node_sets(row).items()
        }
    # hP, hR and hF of the ancestor sets, micro averaged, as exact fractions.
    sets = [(set(taxonomy.path(t)) - {0}, set(taxonomy.path(p)) - {0}) for t, p in zip(truth, predicted)]
    shared, due, claimed = (sum(map(len, one)) for one in zip(*((t & p, t, p) for t, p in sets)))
    counts = found.counts
    assert (counts["tp"], counts["tp"] + counts["fn"], counts["tp"] + counts["fp"]) == (shared, due, claimed)
    node, baseline = best_constant_path(taxonomy, truth)
    plain_node, plain_baseline = best_constant_path(taxonomy, truth)
    assert (node, baseline.counts) == (plain_node, plain_baseline.counts)


@examples
@given(st.lists(st.tuples(*[st.lists(st.integers(1, 6), max_size=6)] * 2), min_size=1, max_size=5))
def test_one_level_is_flat(samples):
    taxonomy = Taxonomy.from_edges([("root", str(node)) for node in range(6)])
    truth, labels = (NodeLists.from_lists(lists) for lists in zip(*samples))
    counts = confusion_paths(taxonomy, truth, greedy_cover(taxonomy, labels)).counts
    sets = [(set(t), set(p)) for t, p in samples]
    assert counts["tp"] == sum(len(t & p) for t, p in sets)
    assert counts["fp"] == sum(len(p - t) for t, p in sets)
    assert counts["fn"] == sum(len(t - p) for t, p in sets)


@pytest.mark.parametrize("is_tree", [True, False])
def test_sums_and_order_of_samples(is_tree):
    @settings(examples, max_examples=strategies.examples(100))
    @given(cases(is_tree))
    def check(case):
        taxonomy, _, truths, predicted = case
        found = run(taxonomy, truths, predicted)
        np.testing.assert_array_equal(found.tp + found.fp, [sum(len(path) - 1 for path in row) for row in predicted])
        if is_tree:
            np.testing.assert_array_equal(found.tp + found.fn, [taxonomy.depth[list(set(row))].sum() for row in truths])
        # Samples do not see each other, and the order of predictions does not matter; that of truths may.
        turned = run(taxonomy, truths[::-1], [row[::-1] for row in predicted[::-1]])
        for cell in CELLS:
            np.testing.assert_array_equal(getattr(found, cell), getattr(turned, cell)[::-1])
        rows = np.arange(len(truths))[::-1]
        taken = confusion_paths(taxonomy, NodeLists.from_lists(truths).take(rows), found.predicted.take(rows))
        np.testing.assert_array_equal(taken.tn, found.tn[::-1])

    check()


def test_order_of_truths_decides_ties():
    # root - A - (B, C): the prediction A shares one node with both truths and takes the first.
    taxonomy = Taxonomy.from_edges([("root", "A"), ("A", "B"), ("A", "C"), ("C", "D")])
    b, d = taxonomy.nodes("B", "D")
    found = run(taxonomy, [[b, d], [d, b]], [[[0, 1]]] * 2)
    assert [found.truth.nodes[place] for place in found.taken] == [b, d]
    assert found.fn.tolist() == [1 + 3, 2 + 2]


def test_root_only_takes_the_first_path_and_a_left_over_truth_the_shortest():
    # Two ways to C: root A C (first in edge order) has an extra node, root C is the shorter one.
    taxonomy = Taxonomy.from_edges([("root", "A"), ("root", "C"), ("A", "C"), ("root", "B")])
    c, b = taxonomy.nodes("C", "B")
    taken = run(taxonomy, [[c], [b, c]], [[[0]], [[0, b]]])
    assert taken.pairs(0).pairs[0].true.tolist() == [0, *taxonomy.nodes("A", "C")]
    assert taken.fn.tolist() == [2, 1]
    (left,) = taken.pairs(1).left_over
    assert left.tolist() == [0, c]


def test_many_ways_are_not_enumerated():
    # 60 layers of two nodes: 2 ** 59 paths to each node of the last layer.
    edges = [("root", "0a"), ("root", "0b")]
    edges += [(f"{k}{one}", f"{k + 1}{other}") for k in range(59) for one in "ab" for other in "ab"]
    taxonomy = Taxonomy.from_edges(edges)
    ends = taxonomy.nodes("59a", "59b")
    labels = NodeLists.from_lists([[*ends, *taxonomy.nodes("30b", "7b", "30a")], ends[::-1]])
    covered = greedy_cover(taxonomy, labels)
    assert [[len(path) for path in row] for row in (covered[0], covered[1])] == [[61, 61], [61, 61]]
    # The first path holds three labels: its end, 7b, and 30a before 30b in edge order. The second takes 59b and 30b in.
    assert set(taxonomy.nodes("59a", "30a", "7b").tolist()) <= set(covered[0][0].tolist())
    assert set(taxonomy.nodes("59b", "30b").tolist()) <= set(covered[0][1].tolist())
    found = confusion_paths(taxonomy, covered.ends, covered)
    assert found.counts["fp"] == found.counts["fn"] == 0
    assert best_constant_path(taxonomy, covered.ends)[0] == ends[0]


def test_cover_of_a_graph_may_end_at_a_covered_label():
    # C lies below A and B; with C listed first, the way through B ends at C again. As a truth it counts once.
    taxonomy = Taxonomy.from_edges([("root", "A"), ("root", "B"), ("A", "C"), ("B", "C")])
    a, b, c = taxonomy.nodes("A", "B", "C")
    covered = greedy_cover(taxonomy, NodeLists.from_lists([[c, a, b]]))
    assert [path.tolist() for path in covered[0]] == [[0, a, c], [0, b, c]]
    assert confusion_paths(taxonomy, covered.ends, covered).truth.nodes.tolist() == [c]


def test_cover_refuses_what_is_no_node():
    taxonomy = Taxonomy.from_edges([("root", "A")])
    with pytest.raises(PredictionsError, match="labels: expected node numbers from 0 to 1 or -1, got 2, -3"):
        greedy_cover(taxonomy, NodeLists.from_lists([[1, 2], [-3]]))


def test_blocks_of_neighbours_change_nothing(monkeypatch):
    from hierviz.metrics.confusion import multi_path

    rng = np.random.default_rng(0)
    edges = [("root", "n0")]
    for child in range(1, 40):
        edges += [(f"n{parent}", f"n{child}") for parent in sorted({*rng.integers(0, child, 3).tolist()})]
    taxonomy = Taxonomy.from_edges(edges)
    nodes = rng.integers(0, taxonomy.n_nodes, (2, 200))
    predicted = PathLists.from_nodes(taxonomy, nodes[1])
    whole = confusion_paths(taxonomy, nodes[0], predicted)
    monkeypatch.setattr(multi_path, "BLOCK_VALUES", 10)
    np.testing.assert_array_equal(confusion_paths(taxonomy, nodes[0], predicted).tn, whole.tn)


def test_towards_in_a_tree_is_the_path():
    taxonomy = Taxonomy.from_edges([("root", "A"), ("A", "B"), ("root", "C")])
    up = Towards(taxonomy, np.array([2, 3]))
    assert up.rest(np.array([0, 1, 0]), np.array([2, 2, 3])).nodes.tolist() == [1, 2, 2, 3]
    assert up.is_above(np.array([-1, 0, 1, 1]), np.array([2, 2, 2, 3])).tolist() == [False, True, True, False]
