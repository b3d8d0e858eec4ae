"""Taxonomies from graphs, nested dicts and frames: as from the same edges, and errors that name the way."""

import networkx as nx
import pandas as pd
import pyarrow as pa
import pytest

import hierviz as hv

EDGES = [("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")]
NESTED = {"animal": {"mammal": ["cat", "dog"], "newt": None}}
LEVELS = pd.DataFrame({"top": ["animal"] * 3, "order": ["mammal", "mammal", "newt"], "species": ["cat", "dog", None]})


def edge_frame():
    return pd.DataFrame(EDGES, columns=["parent", "child"]).assign(title=["M", None, None, None], n=[1, 2, 3, 4])


WAYS = {
    "networkx": lambda: hv.Taxonomy.from_networkx(nx.DiGraph(EDGES)),
    "several edges": lambda: hv.Taxonomy.from_networkx(nx.MultiDiGraph([*EDGES, EDGES[0]])),
    "nested names": lambda: hv.Taxonomy.from_dict(NESTED),
    "tuples": lambda: hv.Taxonomy.from_dict({"animal": ({"mammal": ("cat", "dog")}, "newt")}),
    "children by parent": lambda: hv.Taxonomy.from_dict({"animal": ["mammal", "newt"], "mammal": ["cat", "dog"]}),
    "nodes": lambda: hv.Taxonomy.from_dict(
        {"name": "animal", "children": [{"name": "mammal", "children": [{"name": "cat"}, {"name": "dog"}]}, "newt"]}
    ),
    "edges in a frame": lambda: hv.Taxonomy.from_frame(edge_frame()),
    "levels in a frame": lambda: hv.Taxonomy.from_frame(LEVELS),
    "levels by name": lambda: hv.Taxonomy.from_frame(LEVELS.assign(other=1)[::-1], levels=["top", "order", "species"]),
    "a table of Arrow": lambda: hv.Taxonomy.from_frame(pa.Table.from_pandas(LEVELS)),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_same_taxonomy(way):
    found = WAYS[way]()
    assert {(found.names[a], found.names[b]) for a, b in found.edges.tolist()} == set(EDGES)
    assert found.names[0] == "animal"


def test_titles_attributes_and_single_nodes():
    graph = nx.DiGraph(EDGES)
    graph.nodes["cat"].update(title="Katze", n=3)
    graph.add_node("rock")
    found = hv.Taxonomy.from_networkx(graph)
    assert found.title(found.node("cat")) == "Katze"
    assert found.attributes["n"][found.node("cat")] == 3
    assert found.names[found.parent[found.node("rock")]] == "root"
    found = hv.Taxonomy.from_frame(edge_frame())
    assert (found.title(found.node("mammal")), found.attributes["n"][found.node("dog")]) == ("M", 3)
    twice = hv.Taxonomy.from_dict({"plant": {"Beta": ["vulgaris"]}, "bird": {"Sturnus": ["vulgaris"]}})
    assert {"Beta > vulgaris", "Sturnus > vulgaris"} <= set(twice.names)


@pytest.mark.parametrize(
    ("value", "way"),
    [
        (nx.DiGraph(EDGES), "from_networkx"),
        (NESTED, "from_dict"),
        (LEVELS, "from_frame"),
        (pa.Table.from_pandas(LEVELS), "from_frame"),
    ],
)
@pytest.mark.parametrize(
    "call",
    [hv.Taxonomy, hv.load_taxonomy, hv.Taxonomy.from_edges, lambda value: hv.Predictions.from_votes(value, [["cat"]])],
)
def test_an_error_elsewhere_names_the_way(call, value, way):
    with pytest.raises(hv.HiervizError, match=rf"Taxonomy\.{way}"):
        call(value)


def cycle():
    inside = {}
    inside["a"] = inside
    return inside


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: hv.Taxonomy.from_networkx(nx.Graph(EDGES)), "graph: expected a directed graph, got an undirected one"),
        (lambda: hv.Taxonomy.from_networkx(nx.DiGraph([(1, "1"), (1, 2)])), "'1' more than once"),
        (lambda: hv.Taxonomy.from_networkx(nx.DiGraph([("a", "b"), ("b", "a")])), "got a cycle"),
        (
            lambda: hv.Taxonomy.from_networkx(NESTED),
            r"expected a networkx\.DiGraph, got dict\. Use Taxonomy\.from_dict",
        ),
        (lambda: hv.Taxonomy.from_dict({"a": 1.5}), r"expected names of classes, got 1\.5"),
        (lambda: hv.Taxonomy.from_dict(cycle()), "contain themselves"),
        (lambda: hv.Taxonomy.from_dict({}), "nested: expected classes, got none"),
        (lambda: hv.Taxonomy.from_frame(LEVELS.assign(order="")), "frame, row 0: expected classes without gaps"),
        (
            lambda: hv.Taxonomy.from_frame(LEVELS, levels=["top", "genus"]),
            r"expected columns of the frame.*got 'genus'",
        ),
        (lambda: hv.Taxonomy.from_frame(edge_frame().assign(child="")), "row 0: expected the name of a class as child"),
    ],
)
def test_what_is_no_taxonomy(make, words):
    with pytest.raises(hv.TaxonomyError, match=words):
        make()
