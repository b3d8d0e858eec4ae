"""The taxonomy against `naive`, its node order, and what it says about files that are none."""

import hashlib
import itertools
import re
from collections import Counter

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

from hierviz import NodeLists, Taxonomy, TaxonomyError
from hierviz.taxonomy.node_lists import counted


@many
@given(strategies.trees())
def test_tree_tables(graph):
    taxonomy = strategies.from_graph(graph)
    nodes = range(graph.n)
    assert taxonomy.is_tree
    assert taxonomy.parent.tolist() == [-1] + [parents[0] for parents in graph.parents[1:]]
    assert taxonomy.depth.tolist() == [naive.depth(graph, i) for i in nodes]
    assert taxonomy.max_depth == max(naive.depth(graph, i) for i in nodes)
    assert taxonomy.n_leaves_below.tolist() == [len(naive.leaves_below(graph, i)) for i in nodes]
    np.testing.assert_allclose(taxonomy.information, [naive.information(graph, i) for i in nodes], atol=1e-12)
    assert taxonomy.subtree_size.tolist() == [len(naive.descendants(graph, i)) for i in nodes]
    assert sorted(np.concatenate(taxonomy.levels).tolist()) == list(nodes)
    for level, found in enumerate(taxonomy.levels):
        assert {naive.depth(graph, i) for i in found.tolist()} == {level}
    a, b = (grid.ravel() for grid in np.indices((graph.n, graph.n)))
    assert taxonomy.lca(a, b).tolist() == [naive.lca(graph, x, y) for x, y in zip(a.tolist(), b.tolist())]
    assert taxonomy.is_ancestor(a, b).tolist() == [
        x in naive.ancestors(graph, y) for x, y in zip(a.tolist(), b.tolist())
    ]
    for i in nodes:
        assert taxonomy.path(i).tolist() == naive.path(graph, i)
        inside = sorted(taxonomy.preorder[sorted(naive.descendants(graph, i))].tolist())
        assert inside == list(range(taxonomy.preorder[i], taxonomy.preorder[i] + taxonomy.subtree_size[i]))


@many
@given(st.one_of(strategies.graphs(), strategies.trees()))
def test_graph_tables(graph):
    taxonomy = strategies.from_graph(graph)
    nodes = range(graph.n)
    assert taxonomy.is_tree == (max(map(len, graph.parents)) == 1)
    assert [taxonomy.parents[i].tolist() for i in nodes] == graph.parents
    assert [taxonomy.children[i].tolist() for i in nodes] == graph.children
    assert taxonomy.leaves.tolist() == graph.leaves
    assert taxonomy.is_leaf.tolist() == [i in graph.leaves for i in nodes]
    assert taxonomy.n_leaves == len(graph.leaves)
    assert taxonomy.depth.tolist() == [naive.depth(graph, i) for i in nodes]
    assert taxonomy.n_leaves_below.tolist() == [len(naive.leaves_below(graph, i)) for i in nodes]
    np.testing.assert_allclose(taxonomy.information, [naive.information(graph, i) for i in nodes], atol=1e-12)
    assert taxonomy.information[0] == 0
    asked = [*nodes, 0, graph.n - 1]
    found = taxonomy.ancestors(np.array(asked))
    assert [found[row].tolist() for row in range(len(asked))] == [sorted(naive.ancestors(graph, i)) for i in asked]
    for i in nodes:
        assert taxonomy.subtree(i).tolist() == sorted(naive.descendants(graph, i))
    groups = [set(group.tolist()) for group in taxonomy.candidate_groups]
    sizes = sorted({len(naive.leaves_below(graph, i)) for i in naive.candidates(graph)})
    assert groups == [
        {i for i in naive.candidates(graph) if len(naive.leaves_below(graph, i)) == size} for size in sizes
    ]


@many
@given(strategies.graphs(), st.randoms(use_true_random=False))
def test_node_order_of_a_file_in_any_order(graph, random):
    edges = [(f"n{a}", f"n{b}") for a, b in graph.edges]
    random.shuffle(edges)
    taxonomy = Taxonomy.from_edges(edges)
    assert list(taxonomy.names) == naive.topological_order(edges)
    assert (taxonomy.edges[:, 0] < taxonomy.edges[:, 1]).all()
    assert [(taxonomy.names[a], taxonomy.names[b]) for a, b in taxonomy.edges.tolist()] == edges
    for i, name in enumerate(taxonomy.names):
        assert [taxonomy.names[child] for child in taxonomy.children[i]] == [b for a, b in edges if a == name]
    assert taxonomy.sha256 == strategies.from_graph(graph).sha256


def test_small_taxonomy_by_hand(taxonomy):
    assert taxonomy.names == ("animal", "mammal", "cat", "dog", "bird", "duck", "newt")
    assert taxonomy.parent.tolist() == [-1, 0, 1, 1, 0, 4, 0]
    assert taxonomy.depth.tolist() == [0, 1, 2, 2, 1, 2, 1]
    # 4 leaves: cat, dog, duck, newt. log2(4 / 4) = 0, log2(4 / 2) = 1, log2(4 / 1) = 2 bits; bird as much as duck.
    assert taxonomy.leaves.tolist() == [2, 3, 5, 6]
    assert taxonomy.information.tolist() == [0, 1, 2, 2, 2, 2, 2]
    assert [group.tolist() for group in taxonomy.candidate_groups] == [[2, 3, 5, 6], [1], [0]]
    # Depth first: animal 0, mammal 1, cat 2, dog 3, bird 4, duck 5, newt 6.
    assert taxonomy.preorder.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert taxonomy.subtree_size.tolist() == [7, 3, 1, 1, 2, 1, 1]
    assert taxonomy.lca(taxonomy.nodes("cat", "cat", "duck"), taxonomy.nodes("dog", "bird", "bird")).tolist() == [
        1,
        0,
        4,
    ]
    assert taxonomy.subtree(4).tolist() == [4, 5]
    assert repr(taxonomy) == "<Taxonomy: tree of 7 nodes, 4 leaves, depth 2>"
    assert taxonomy.notes == ()


def test_hash_is_that_of_the_sorted_edges(taxonomy):
    lines = ["animal\tbird\n", "animal\tmammal\n", "animal\tnewt\n", "bird\tduck\n", "mammal\tcat\n", "mammal\tdog\n"]
    assert taxonomy.sha256 == hashlib.sha256("".join(lines).encode()).hexdigest()


def test_depth_of_a_graph_is_the_shortest_path():
    graph = Taxonomy.from_edges([("r", "a"), ("a", "b"), ("b", "c"), ("r", "c"), ("c", "d")])
    assert dict(zip(graph.names, graph.depth.tolist())) == {"r": 0, "a": 1, "b": 2, "c": 1, "d": 2}


# Node order ------------------------------------------------------------------------------------------------------------


def test_edge_list_numbers_its_rows():
    """Node j > 0 is the child of row j, also where siblings are interleaved."""
    edges = [("r", "b"), ("r", "a"), ("b", "z"), ("a", "y"), ("b", "x")]
    assert Taxonomy.from_edges(edges).names == ("r", "b", "a", "z", "y", "x")


def test_children_before_parents_get_a_stable_topological_order():
    # As named as a child: x, b, a. x waits for b; b is placed first, which frees x, and x was named before a.
    taxonomy = Taxonomy.from_edges([("b", "x"), ("r", "b"), ("r", "a")])
    assert taxonomy.names == ("r", "b", "x", "a")


def test_a_graph_declares_its_siblings_in_file_order():
    """x is declared before y, but waits for its second parent y: sibling order is the file's, node order is not."""
    graph = Taxonomy.from_edges([("r", "x"), ("r", "y"), ("y", "x")])
    assert graph.names == ("r", "y", "x")
    assert graph.children[0].tolist() == [2, 1]


def test_several_tops_get_a_root():
    taxonomy = Taxonomy.from_edges([("b", "c"), ("a", "d"), ("b", "e")])
    assert taxonomy.names == ("root", "b", "c", "a", "d", "e")
    assert taxonomy.parent.tolist() == [-1, 0, 1, 0, 3, 1]
    assert taxonomy.notes == ("2 nodes have no parent ('b', 'a'): a root 'root' was added above them",)


def test_the_added_root_gets_a_free_name():
    taxonomy = Taxonomy.from_edges([("root", "a"), ("root 2", "b")])
    assert taxonomy.names[0] == "root 3"
    assert "a root 'root 3' was added" in taxonomy.notes[0]


def test_nodes_without_parent_or_child():
    taxonomy = Taxonomy.from_edges([(None, "b"), (None, "a"), ("a", "c")])
    assert taxonomy.names == ("root", "b", "a", "c")
    assert taxonomy.leaves.tolist() == [1, 3]
    assert Taxonomy.from_edges([(None, "a"), ("a", "c")]).names == ("a", "c")


def test_repeated_edges_are_read_once():
    taxonomy = Taxonomy.from_edges([("r", "a"), ("r", "b"), ("r", "a"), ("r", "a")])
    assert taxonomy.is_tree
    assert taxonomy.names == ("r", "a", "b")
    assert taxonomy.notes == ("2 repeated edges were read once",)


def test_numbers_become_text():
    assert Taxonomy.from_edges([(1, 2), (1, 30)]).names == ("1", "2", "30")


def test_notes_and_detected_are_kept():
    taxonomy = Taxonomy.from_edges([("r", "a")], notes=("said before",), detected={"separator": ","})
    assert taxonomy.notes == ("said before",)
    assert taxonomy.detected == {"separator": ","}


# Errors ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([], r"^t\.csv: expected at least two nodes, got 0\. Is the file empty\?"),
        ([(None, "a")], r"^t\.csv: expected at least two nodes, got 1\."),
        ([("r", "a"), ("r", "")], r"^t\.csv: expected two names in edge 2, got \('r', ''\)\. Name every node\."),
        ([("r", "a"), ("r", None)], r"^t\.csv: expected two names in edge 2, got \('r', None\)"),
        ([("", "a")], r"^t\.csv: expected two names in edge 1, got \('', 'a'\)"),
        ([("r", "a"), ("a", "a")], r"^t\.csv: .* got a cycle: 'a' is its own parent \(edge 2\)\. Remove that edge\."),
    ],
)
def test_bad_edges(edges, message):
    with pytest.raises(TaxonomyError, match=message):
        Taxonomy.from_edges(edges, where="t.csv")


@pytest.mark.parametrize(
    "edges",
    [
        [("a", "b"), ("b", "a")],
        [("a", "b"), ("b", "c"), ("c", "a")],
        [("r", "a"), ("b", "c"), ("c", "b")],
        [("r", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")],
        [("r", "x"), ("s", "y"), ("y", "a"), ("a", "b"), ("b", "y")],
        [(f"n{i}", f"n{(i + 1) % 5}") for i in range(5)],
    ],
)
def test_a_cycle_is_named(edges):
    with pytest.raises(
        TaxonomyError, match=r"^t\.csv: expected a tree or a directed acyclic graph, got a cycle: "
    ) as e:
        Taxonomy.from_edges(edges, where="t.csv")
    named = re.findall(r"'(.*?)'", str(e.value))
    assert named[0] == named[-1]
    assert set(itertools.pairwise(named)) <= set(edges)


def test_a_long_cycle_is_cut():
    with pytest.raises(TaxonomyError, match=r"cycle: ('n\d+' > ){5}'n\d+' > …\. Remove one"):
        Taxonomy.from_edges([(f"n{i}", f"n{(i + 1) % 40}") for i in range(40)])


def test_what_needs_a_tree_names_a_node_with_two_parents():
    graph = Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d")])
    assert repr(graph) == "<Taxonomy: directed acyclic graph of 5 nodes, 2 leaves, depth 2>"
    message = r"expected a tree, got 'c' with 2 parents \('a', 'b'\)\. Keep one of them"
    with pytest.raises(TaxonomyError, match=r"^parent: " + message):
        _ = graph.parent
    with pytest.raises(TaxonomyError, match=r"^path: " + message):
        graph.path(3)
    with pytest.raises(TaxonomyError, match=message):
        graph.lca(np.array([2]), np.array([3]))
    with pytest.raises(TaxonomyError, match=message):
        graph.is_ancestor(np.array([2]), np.array([3]))


def test_unknown_names_offer_the_near_miss(taxonomy):
    with pytest.raises(
        TaxonomyError, match=r"^no node named 'duk' in the taxonomy \(7 nodes\)\. Did you mean 'duck'\?$"
    ):
        taxonomy.node("duk")
    with pytest.raises(TaxonomyError, match=r"no node named ' CAT'.* Did you mean 'cat'\?"):
        taxonomy.nodes("dog", " CAT")
    with pytest.raises(TaxonomyError, match=r"no node named 'xyzzy' in the taxonomy \(7 nodes\)\.$"):
        taxonomy.node("xyzzy")


def test_names_of_nodes(taxonomy):
    assert taxonomy.nodes("newt", "cat").tolist() == [6, 2]
    assert taxonomy.nodes().tolist() == []


# Titles, attributes, anytree -------------------------------------------------------------------------------------------


def test_titles_and_attributes(taxonomy):
    named = taxonomy.with_nodes(titles={"cat": "Katze"}, attributes={"train_count": {"dog": 3}}, notes=("two read",))
    assert [named.title(node) for node in (2, 3)] == ["Katze", "dog"]
    assert named.attributes["train_count"] == (None, None, None, 3, None, None, None)
    assert named.notes == ("two read",)
    again = named.with_nodes(attributes={"colour": {"newt": "red"}})
    assert again.title(2) == "Katze"
    assert set(again.attributes) == {"train_count", "colour"}
    assert taxonomy.title(2) == "cat"
    with pytest.raises(
        TaxonomyError, match=r"^node attributes: expected names .* got 'catt', 'fish'\. Did you mean 'cat'"
    ):
        taxonomy.with_nodes(titles={"catt": "x"}, attributes={"n": {"fish": 1}})


def test_titles_and_attributes_at_building():
    taxonomy = Taxonomy.from_edges([("r", "a"), ("r", "b")], titles={"a": "A"}, attributes={"n": {"b": 2}})
    assert taxonomy.titles == ("r", "A", "b")
    assert taxonomy.attributes == {"n": (None, None, 2)}


def test_anytree_there_and_back(taxonomy):
    anytree = pytest.importorskip("anytree")
    root = taxonomy.to_anytree()
    assert [(node.name, node.node) for node in anytree.PreOrderIter(root)] == list(zip(taxonomy.names, range(7)))
    assert [node.name for node in root.children] == ["mammal", "bird", "newt"]
    back = Taxonomy.from_anytree(root)
    assert back.names == taxonomy.names
    assert back.edges.tolist() == taxonomy.edges.tolist()
    twin = anytree.Node("r", children=[anytree.Node("a"), anytree.Node("b", children=[anytree.Node("a")])])
    with pytest.raises(TaxonomyError, match=r"^anytree: expected unique names, got 'a' more than once\. Rename them\."):
        Taxonomy.from_anytree(twin)


def test_a_taxonomy_is_immutable(taxonomy):
    for array in (taxonomy.edges, taxonomy.parent, taxonomy.depth, taxonomy.leaves, taxonomy.information):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        taxonomy.names = ()


@many
@given(st.lists(st.integers(0, 9), max_size=12), st.sampled_from([10, 10**6]))
def test_numbers_are_counted(numbers, n):
    """In a table of all of them, and sorted where these would be too many."""
    found, count = counted(np.array(numbers, dtype=int), n)
    assert dict(zip(found.tolist(), count.tolist(), strict=True)) == Counter(numbers)
    assert found.tolist() == sorted(set(numbers))


@many
@given(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6), st.data())
def test_node_lists(lists, data):
    made = NodeLists.from_lists(lists)
    assert [made[i].tolist() for i in range(len(made))] == lists
    assert made.lengths.tolist() == [len(one) for one in lists]
    places = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=5)) if lists else []
    taken = made.take(np.array(places, dtype=int))
    assert [taken[i].tolist() for i in range(len(taken))] == [lists[place] for place in places]
