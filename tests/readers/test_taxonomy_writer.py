"""Taxonomies to files and back, and the printed tree."""

import json

import pytest
import strategies
from anytree.importer import JsonImporter
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz import cli
from hierviz.readers.taxonomy_writer import FORMS, taxonomy_text, tree_text, write_taxonomy

TRICKY = st.text(st.sampled_from("ab'\"_,;()[]:=+é \\"), min_size=1, max_size=6).map(lambda text: f"x{text}y")


def edges(taxonomy):
    return {(taxonomy.names[a], taxonomy.names[b]) for a, b in taxonomy.edges.tolist()}


@st.composite
def named_trees(draw, source):
    graph = draw(source)
    names = draw(st.lists(TRICKY, min_size=graph.n, max_size=graph.n, unique_by=lambda name: " ".join(name.split())))
    return hv.Taxonomy.from_edges([(None, names[0]), *((names[a], names[b]) for a, b in graph.edges)])


@pytest.mark.parametrize("form", ["edges", "levels", "paths", "json"])
def test_there_and_back(form, tmp_path):
    path = tmp_path / {"paths": "tree.txt", "json": "tree.json"}.get(form, "tree.csv")

    @many
    @given(strategies.trees())
    def check(graph):
        taxonomy = strategies.from_graph(graph)
        write_taxonomy(taxonomy, path, form)
        assert edges(hv.load_taxonomy(path)) == edges(taxonomy)

    check()


def test_a_graph_has_edges_and_dot(tmp_path):
    taxonomy = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    write_taxonomy(taxonomy, tmp_path / "graph.csv")
    assert edges(hv.load_taxonomy(tmp_path / "graph.csv")) == edges(taxonomy)
    assert taxonomy_text(taxonomy, "dot").count("->") == 4
    for form in set(FORMS) - {"edges", "dot"}:
        with pytest.raises(hv.TaxonomyError, match="'c'"):
            taxonomy_text(taxonomy, form)
    with pytest.raises(hv.TaxonomyError, match="'c'"):
        tree_text(taxonomy)


def parsed_newick(text):
    """{(parent, child)} by the grammar of Newick, a character at a time."""
    place, found = 0, set()

    def label():
        nonlocal place
        if text[place] != "'":
            start = place
            while text[place] not in "(),;":
                place += 1
            return text[start:place]
        name = ""
        while True:
            place += 1
            if text[place] == "'":
                place += 1
                if text[place] != "'":
                    return name
            name += text[place]

    def subtree():
        nonlocal place
        children = []
        if text[place] == "(":
            while text[place] != ")":
                place += 1
                children.append(subtree())
            place += 1
        name = label()
        found.update((name, child) for child in children)
        return name

    subtree()
    assert text[place] == ";"
    return found


@many
@given(named_trees(strategies.trees()))
def test_newick_quotes_names(taxonomy):
    assert parsed_newick(taxonomy_text(taxonomy, "newick")) == edges(taxonomy)


def test_newick_there_and_back(tmp_path):
    """Backslashes too, which the package takes for escapes inside quotes."""
    path = tmp_path / "tree.nwk"

    @many
    @given(named_trees(strategies.trees()))
    def check(taxonomy):
        write_taxonomy(taxonomy, path)
        assert edges(hv.load_taxonomy(path)) == edges(taxonomy)

    check()
    for names in (["am\\", "b\\ c", "\\'", "d"], ["\\", "a'\\'b", "x", "y z"]):
        taxonomy = hv.Taxonomy.from_edges([("r", name) for name in names])
        write_taxonomy(taxonomy, path)
        assert hv.load_taxonomy(path).names == taxonomy.names
    path.write_text(r"('a\'b','c\'d',e)r;")
    assert hv.load_taxonomy(path).names == ("r", "a'b", "c'd", "e")


def test_json_is_that_of_anytree_and_keeps_what_is_known():
    taxonomy = hv.Taxonomy.from_edges(
        [("r", "a"), ("r", "b")], titles={"a": "Apple"}, attributes={"train_count": {"a": 3}}
    )
    text = taxonomy_text(taxonomy, "json")
    assert [node.name for node in JsonImporter().import_(text).children] == ["a", "b"]
    assert json.loads(text)["children"] == [{"name": "a", "title": "Apple", "train_count": 3}, {"name": "b"}]


@pytest.mark.parametrize("name", ["a > b", ">a", "a\nb"])
def test_names_that_hold_the_separator(name):
    with pytest.raises(hv.TaxonomyError, match="paths: expected names of one line"):
        taxonomy_text(hv.Taxonomy.from_edges([("r", name)]), "paths")


@pytest.fixture
def run(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,newt\n")
    (tmp_path / "p.csv").write_text("sample_id,labels,truth\na,cat,cat\nb,cat,dog\nc,newt,newt\n")

    def call(*flags):
        code = cli.main(["taxonomy", str(tmp_path / "t.csv"), *map(str, flags)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_the_command_prints_and_converts(run, tmp_path):
    assert run() == (0, "animal\n├── mammal\n│   ├── cat\n│   └── dog\n└── newt\n", "")
    assert run("--depth", "1")[1] == "animal\n├── mammal  + 2 below\n└── newt\n"
    code, out, _ = run("--values", "support,recall", "--predictions", tmp_path / "p.csv")
    assert (code, out.splitlines()[2]) == (0, "│   ├── cat  (support 1, recall 1.000)")
    assert run("--to", "newick")[1] == "((cat,dog)mammal,newt)animal;\n"
    assert run("--to", "json", "--out", tmp_path / "t.json")[:2] == (0, "")
    assert edges(hv.load_taxonomy(tmp_path / "t.json")) == edges(hv.load_taxonomy(tmp_path / "t.csv"))


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--values", "recal", "--predictions", "p.csv"], "--values: expected some of"),
        (["--values", "recall"], "--values: expected together with --predictions"),
        (["--predictions", "p.csv"], "--values: expected together with --predictions"),
        (["--to", "edges", "--depth", "1"], "--to: expected no --values or --depth"),
        (["--depth", "-1"], "depth: expected a whole number from 0 up, got -1"),
        (["--to", "yaml"], "invalid choice"),
    ],
)
def test_wrong_flags_are_one_line(run, flags, words, capsys):
    try:
        code, out, err = run(*flags)
    except SystemExit as stopped:
        code, out, err = stopped.code, "", capsys.readouterr().err
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err
