"""The layered graph of paths as data: layers, outcomes, matched ends, edges, parents that are not drawn."""

import itertools

import numpy as np
import pytest
from chart_cases import font_sizes, shown_texts, size

import hierviz as hv
from hierviz.charts import path_graph, to_svg
from hierviz.charts._path_graph import _nodes_and_edges

EDGES = [
    *[("thing", "living"), ("thing", "tool"), ("living", "animal"), ("living", "plant"), ("animal", "pet")],
    *[("animal", "predator"), ("pet", "cat"), ("predator", "cat"), ("predator", "wolf"), ("plant", "herb")],
    *[("tool", "herb"), ("herb", "basil"), ("tool", "knife")],
]


@pytest.fixture(scope="module")
def graph():
    return hv.Taxonomy.from_edges(EDGES)


def lists(taxonomy, *names):
    return hv.NodeLists.from_lists([taxonomy.nodes(*one) for one in names])


def test_outcomes_layers_and_edges_agree_with_the_counts(graph):
    counts = hv.confusion(graph, lists(graph, ("wolf", "knife")), lists(graph, ("cat", "basil", "wolf")))
    table = path_graph(graph, counts, 0).table.set_index("name")
    sets = counts.node_sets(0)
    for name, row in table.iterrows():
        node = int(row["node"])
        if row["outcome"] == "tp":
            assert node in sets["tp"], name
        elif row["outcome"] == "fp":
            assert node in sets["fp"], name
            assert node not in sets["tp"], name
        elif row["outcome"] == "fn":
            assert node in sets["fn"], name
            assert node not in sets["tp"], name
    assert {"tp", "fp", "fn"} <= set(table["outcome"])
    # A node stands behind all of its drawn parents.
    rows, edges = (getattr(_nodes_and_edges(graph, counts, 0, None, (), (), ()), key) for key in ("rows", "edges"))
    layer = {row["node"]: row["layer"] for row in rows}
    assert all(layer[parent] < layer[child] for parent, child, _ in edges)
    # Every step of every path is an edge of its kind.
    pairs = counts.pairs(0)
    kinds = {(parent, child): kind for parent, child, kind in edges}
    for path in [pair.predicted for pair in pairs.pairs] + list(pairs.surplus):
        assert all(kinds[step] == "answer" for step in zip(path.tolist(), path[1:].tolist()))
    for path in [pair.true for pair in pairs.pairs] + list(pairs.left_over):
        assert all(kinds[step] in ("answer", "truth") for step in zip(path.tolist(), path[1:].tolist()))


def test_parents_that_are_not_nodes_and_edges_are_named(graph):
    counts = hv.confusion(graph, lists(graph, ("cat",)), lists(graph, ("basil",)))
    table = path_graph(graph, counts, 0).table.set_index("name")
    shown = set(table.index)
    for name, row in table.iterrows():
        parents = {graph.names[one] for one in graph.parents[graph.node(name)].tolist()}
        assert set(filter(None, row["hidden_parents"].split(", "))) == parents - shown
    assert "cat is also under predator" in path_graph(graph, counts, 0).sentence
    assert "also under predator" in shown_texts(to_svg(path_graph(graph, counts, 0, width=900)))


def test_likely_classes_off_the_paths_are_nodes_and_edges_with_a_path(graph):
    counts = hv.confusion(graph, lists(graph, ("cat",)), lists(graph, ("cat",)))
    p = np.full(graph.n_nodes, 0.01)
    p[graph.node("knife")] = 0.3
    names = path_graph(graph, counts, 0, p=p).table["name"].tolist()
    assert "knife" in names
    assert "tool" in names
    assert "basil" not in names


@pytest.mark.parametrize(("dark", "width"), [(False, 900), (True, 330)])
def test_it_fits_and_names_the_matched_ends(graph, dark, width):
    counts = hv.confusion(graph, lists(graph, ("wolf", "knife")), lists(graph, ("cat", "basil", "wolf")))
    svg = to_svg(path_graph(graph, counts, 0, dark=dark, width=width, truth=graph.nodes("animal")), dark)
    words = shown_texts(svg)
    assert size(svg)[0] <= width
    assert min(font_sizes(svg)) >= 11
    assert {"answer 1, truth 1", "answer without match"} <= set(words)
    assert "truth" in words  # animal, which is true too
    text = path_graph(graph, counts, 0).sentence
    assert text.startswith("3 predicted paths and 2 true paths: 2 matched, 1 answer without a truth left.")


def test_an_answer_without_a_path_is_no_match(graph):
    counts = hv.confusion(graph, lists(graph, ("wolf", "knife")), hv.NodeLists.from_lists([[0]]))
    assert path_graph(graph, counts, 0).sentence == "No path is predicted; 2 true paths are missed."


def test_on_a_phone_names_are_whole():
    """Where no tooltip shows what is cut, the nodes have a line each."""
    names = ["Literatur und Unterhaltung", "Liebe, Beziehung und Freundschaft"]
    tree = hv.Taxonomy.from_edges([("root", names[0]), (names[0], names[1]), ("root", "Sachbuch")])
    counts = hv.confusion(tree, lists(tree, (names[1],)), lists(tree, ("Sachbuch",)))
    assert {*names, "Sachbuch"} <= set(shown_texts(to_svg(path_graph(tree, counts, 0, width=342))))


@pytest.mark.long
def test_deep_graphs_with_long_names_fit():
    names = [f"a class with a name of quite sixty letters on level number {i:02d}" for i in range(16)]
    chain = hv.Taxonomy.from_edges([*itertools.pairwise(names), (names[0], names[5]), (names[3], "other")])
    counts = hv.confusion(chain, lists(chain, (names[15],)), lists(chain, ("other",)))
    for width in (330, 800):
        assert size(to_svg(path_graph(chain, counts, 0, width=width)))[0] <= width
