"""Each form of taxonomy gives the tree of `conftest.EDGES`, or one worked by hand beside the test."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples

from hierviz import Taxonomy, TaxonomyError
from hierviz.messages.errors import FileError
from hierviz.readers.node_attributes import load_node_attributes
from hierviz.readers.taxonomy_file import load_taxonomy

NAMES = ("animal", "mammal", "cat", "dog", "bird", "duck", "newt")
EDGES = "animal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,duck\nanimal,newt\n"
REVERSED = "".join(f"{child},{parent}\n" for parent, child in (line.split(",") for line in EDGES.split()))
LEVELS = "kingdom,class,species\nanimal,mammal,cat\nanimal,mammal,dog\nanimal,bird,duck\nanimal,newt,\n"
PATHS = "animal > mammal > cat\nanimal > mammal > dog\nanimal > bird > duck\nanimal > newt\n"
NESTED = {
    "name": "animal",
    "children": [
        {"name": "mammal", "children": [{"name": "cat"}, {"name": "dog", "children": []}]},
        {"name": "bird", "children": [{"name": "duck"}]},
        {"name": "newt"},
    ],
}
PLAIN = {"animal": {"mammal": ["cat", "dog"], "bird": {"duck": {}}, "newt": None}}
RECORDS = [{"id": "animal", "parent": None}] + [
    {"id": line.split(",")[1], "parent": line.split(",")[0]} for line in EDGES.split()
]


def spelt(value, name, children):
    """`NESTED` with other words for name and children."""
    words = {"name": name, "children": children}
    if isinstance(value, list):
        return [spelt(one, name, children) for one in value]
    return {words[key]: spelt(one, name, children) if key == "children" else one for key, one in value.items()}


FORMS = {
    "edges.csv": (EDGES, {"form": "edge list", "separator": "comma", "header": "no", "encoding": "UTF-8"}),
    "with header.csv": ("parent,child\n" + EDGES, {"header": "yes", "direction": "parent, child (by the header)"}),
    "with other header.csv": ("above,below\n" + EDGES, {"header": "yes"}),
    "edges.tsv": (EDGES.replace(",", "\t"), {"separator": "tab"}),
    "edges.txt": (EDGES.replace(",", " "), {"separator": "space"}),
    "semicolons.csv": (EDGES.replace(",", ";"), {"separator": "semicolon"}),
    "quoted.csv": ('"' + EDGES.replace(",", '","').replace("\n", '"\n"')[:-1], {"form": "edge list"}),
    "dos.csv": (EDGES.replace("\n", "\r\n"), {"form": "edge list"}),
    "no final newline.csv": (EDGES[:-1], {"form": "edge list"}),
    "blank lines.csv": (EDGES.replace("\n", "\n\n"), {"form": "edge list"}),
    "bom.csv": (b"\xef\xbb\xbf" + EDGES.encode(), {"encoding": "UTF-8 with byte order mark"}),
    "utf16.csv": (EDGES.encode("utf-16"), {"encoding": "UTF-16"}),
    "utf16 without mark.csv": (EDGES.encode("utf-16-le"), {"encoding": "UTF-16 without byte order mark (assumed)"}),
    "edges.csv.gz": (gzip.compress(EDGES.encode()), {"compression": "gzip", "form": "edge list"}),
    "child first.csv": (REVERSED, {"direction": "child, parent (only that gives one root)"}),
    "child first with header.csv": ("child,parent\n" + REVERSED, {"direction": "parent, child (by the header)"}),
    "root row.csv": ("node,parent\nanimal,\n" + REVERSED, {"form": "edge list"}),
    "levels.csv": (LEVELS, {"form": "level columns", "header": "yes", "levels": "kingdom > class > species"}),
    "levels without header.csv": (LEVELS.split("\n", 1)[1], {"form": "level columns", "header": "no"}),
    "numbered levels.tsv": (
        LEVELS.replace(",", "\t").replace("kingdom\tclass\tspecies", "level_1\tlevel_2\tlevel_3"),
        {"header": "yes"},
    ),
    "paths.txt": (PATHS, {"form": "paths", "separator": ">"}),
    "slashes.txt": (PATHS.replace(" > ", "/"), {"form": "paths", "separator": "/"}),
    "slash first.txt": ("/" + PATHS.replace(" > ", "/").replace("\n", "\n/")[:-1], {"form": "paths", "separator": "/"}),
    "pipes.txt": (PATHS.replace(" > ", "|"), {"form": "paths", "separator": "|"}),
    "uneven semicolons.txt": (PATHS.replace(" > ", ";"), {"form": "paths", "separator": ";"}),
    "path column.csv": (
        "id,path\n" + "".join(f"{k},{line}\n" for k, line in enumerate(PATHS.splitlines())),
        {"column": "path"},
    ),
    "path header.txt": ("path\n" + PATHS, {"form": "paths", "header": "yes"}),
    "nested.json": (json.dumps(NESTED), {"form": "JSON", "shape": "nodes with 'name' and 'children'"}),
    "no suffix": (json.dumps(NESTED, indent=1), {"form": "JSON"}),
    "label nodes.json": (json.dumps(spelt(NESTED, "label", "nodes")), {"form": "JSON"}),
    "title subclasses.json": (json.dumps(spelt(NESTED, "title", "subclasses")), {"form": "JSON"}),
    "id child.json": (json.dumps(spelt(NESTED, "id", "child")), {"form": "JSON"}),
    "plain.json": (json.dumps(PLAIN), {"form": "JSON", "shape": "nested names"}),
    "adjacency.json": (
        json.dumps({"animal": ["mammal", "bird", "newt"], "mammal": ["cat", "dog"], "bird": ["duck"]}),
        {"shape": "children by parent"},
    ),
    "records.json": (json.dumps(RECORDS), {"shape": "records with a parent"}),
    "nested.json.gz": (gzip.compress(json.dumps(NESTED).encode()), {"compression": "gzip"}),
    "hitin.taxonomy": (
        "animal\tmammal\tbird\tnewt\nmammal\tcat\tdog\nbird\tduck",
        {"form": "parent and children per line (HiTIN)"},
    ),
    "hitin.txt": (
        "animal\tmammal\tbird\tnewt\nmammal\tcat\tdog\nbird\tduck\n",
        {"form": "parent and children per line (HiTIN)"},
    ),
}


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_tree(name, tmp_path, taxonomy):
    content, detected = FORMS[name]
    found = load_taxonomy(written(tmp_path, name, content))
    assert found.sha256 == taxonomy.sha256
    # Breadth first files name the children of animal before those of mammal.
    in_breadth = name.startswith(("hitin", "adjacency"))
    assert found.names == (("animal", "mammal", "bird", "newt", "cat", "dog", "duck") if in_breadth else NAMES)
    assert detected.items() <= dict(found.detected).items()


def test_anytree_export(tmp_path, taxonomy):
    from anytree.exporter import JsonExporter

    path = tmp_path / "anytree.json"
    with open(path, "w") as file:
        JsonExporter().write(taxonomy.to_anytree(), file)
    found = load_taxonomy(path)
    assert found.names == NAMES
    assert found.sha256 == taxonomy.sha256
    assert found.attributes["node"] == (0, 1, 2, 3, 4, 5, 6)


def test_names_stay_text(tmp_path):
    rows = [
        ("root", "1"),
        ("1", "1/1"),
        ("1/1", "007"),
        ("root", "NA"),
        ("NA", "None"),
        ("NA", "nan"),
        ("root", "9783809436690"),
    ]
    found = load_taxonomy(written(tmp_path, "t.csv", "".join(f"{a},{b}\n" for a, b in rows)))
    assert found.names == ("root", "1", "1/1", "007", "NA", "None", "nan", "9783809436690")


def test_names_with_separators_and_line_breaks(tmp_path):
    found = load_taxonomy(
        written(tmp_path, "t.csv", 'parent,child\n"all, of it","a ""b"" c"\n"all, of it","two\nlines"\n')
    )
    assert found.names == ("all, of it", 'a "b" c', "two\nlines")


def test_several_tops_get_a_root_and_a_note(tmp_path):
    found = load_taxonomy(written(tmp_path, "t.csv", "parent,child\na,b\nc,d\n"))
    assert found.names == ("root", "a", "b", "c", "d")
    assert "2 nodes have no parent ('a', 'c')" in found.notes[0]


def test_two_parents_are_a_graph_not_an_error(tmp_path):
    found = load_taxonomy(written(tmp_path, "t.csv", "a,b\na,c\nb,d\nc,d\n"))
    assert not found.is_tree
    assert found.parents[found.node("d")].tolist() == [1, 2]


def test_direction_that_cannot_be_told_is_assumed_and_can_be_said(tmp_path):
    path = written(tmp_path, "chain.csv", "a,b\nb,c\n")
    found = load_taxonomy(path)
    assert found.names == ("a", "b", "c")
    assert "were read as parent, child (assumed)" in found.notes[0]
    turned = load_taxonomy(path, direction="child,parent")
    assert turned.names == ("c", "b", "a")
    assert turned.detected["direction"] == "child, parent (as given)"
    with pytest.raises(TaxonomyError, match="direction: expected one of"):
        load_taxonomy(path, direction="up")


def test_header_can_be_said(tmp_path):
    # Without being told, the first row is taken for a header: nothing else names it, and the rest is one tree.
    path = written(tmp_path, "t.csv", "top,side\na,b\na,c\n")
    assert load_taxonomy(path).names == ("a", "b", "c")
    assert load_taxonomy(path, has_header=False).names == ("root", "top", "side", "a", "b", "c")


def test_separator_can_be_said(tmp_path):
    assert load_taxonomy(written(tmp_path, "t.txt", "a|b\na|c\n"), separator="|", form="edges").names == ("a", "b", "c")


def test_form_can_be_said(tmp_path):
    # As edges "x" has two parents; as levels there are two classes of that name.
    path = written(tmp_path, "t.csv", "a,x\nb,x\n")
    assert not load_taxonomy(path, form="edges", direction="parent,child").is_tree
    found = load_taxonomy(path, form="levels", has_header=False)
    assert found.names == ("root", "a", "a > x", "b", "b > x")
    assert found.titles == ("root", "a", "x", "b", "x")


def test_same_name_below_two_parents_is_two_classes_in_levels(tmp_path):
    text = "genus,species\nBeta,vulgaris\nSturnus,vulgaris\nGorilla,gorilla\nGorilla,Gorilla\n"
    found = load_taxonomy(written(tmp_path, "t.csv", text))
    # Gorilla as a genus keeps a name of its own: its place is short, so no parent can be put before it.
    assert found.names == (
        "root",
        "Beta",
        "Beta > vulgaris",
        "Sturnus",
        "Sturnus > vulgaris",
        "Gorilla",
        "gorilla",
        "Gorilla > Gorilla",
    )
    assert found.title(found.node("Sturnus > vulgaris")) == "vulgaris"
    assert any("3 classes share their name" in note for note in found.notes)


def test_empty_ranks_of_greengenes(tmp_path):
    text = "k__Bacteria; p__Firmicutes; c__Bacilli\nk__Bacteria; p__Firmicutes; c__\nk__Archaea; p__; c__\n"
    found = load_taxonomy(written(tmp_path, "t.txt", text))
    assert found.names == ("root", "k__Bacteria", "p__Firmicutes", "c__Bacilli", "k__Archaea")


def test_attributes_of_an_edge_list(tmp_path):
    text = "node,parent,train_count,code,name\nb,a,3,007,Bee\nc,a,,010,Sea\n"
    found = load_taxonomy(written(tmp_path, "t.csv", text))
    assert found.names == ("a", "b", "c")
    assert found.titles == ("a", "Bee", "Sea")
    assert found.attributes == {"train_count": (None, 3, None), "code": (None, "007", "010")}


def test_parents_by_id_with_names_as_titles(tmp_path):
    found = load_taxonomy(written(tmp_path, "t.csv", "id,name,parent_id\n1,animal,\n2,cat,1\n3,dog,1\n"))
    assert found.names == ("1", "2", "3")
    assert found.titles == ("animal", "cat", "dog")


def test_three_columns_without_header_are_levels(tmp_path):
    found = load_taxonomy(written(tmp_path, "t.csv", "a,b,c\na,b,d\n"))
    assert found.names == ("a", "b", "c", "d")
    assert "was read as classes" in found.notes[0]


@pytest.mark.parametrize(
    ("name", "n_nodes", "n_leaves"),
    [
        ("tiny", 11, 6),
        ("tiered_imagenet", 643, 608),
        ("tiny_imagenet_fiveai", 413, 200),
        ("imagenet_fiveai", 1372, 1000),
        ("imagenet21k", 11925, 8152),
        ("inat19", 1190, 1010),
        ("inat21", 16344, 10000),
        ("inat21_partition_d7_n2_i0_c", 9510, 5019),
        ("inat21_max_depth_4", 341, 273),
        ("audioset_tree", 497, 370),
        ("audioset_dag", 633, 474),
    ],
)
def test_real_hierarchies(name, n_nodes, n_leaves, shared_data, hierarchy):
    found = load_taxonomy(shared_data / "hierarchies" / f"{name}.csv")
    assert (found.n_nodes, found.n_leaves, found.is_tree) == (n_nodes, n_leaves, name != "audioset_dag")
    assert found.names == hierarchy(name).names
    assert found.sha256 == hierarchy(name).sha256
    if found.is_tree:
        # The README: row j introduces node j + 1.
        assert np.array_equal(found.edges[:, 1], np.arange(1, n_nodes))


def test_real_wikivitals_in_three_forms(shared_data):
    a, b, c = (load_taxonomy(shared_data / "hwv" / name) for name in ("taxonomy.csv", "hwv.taxonomy", "nodes.csv"))
    assert a.sha256 == b.sha256 == c.sha256
    assert a.names == c.names
    assert a.n_nodes == 1187
    assert a.n_leaves == 953
    assert c.attributes["train_count"][c.node("Technology")] == 128


@pytest.mark.parametrize(
    ("file", "n_nodes"),
    [("germeval2019/taxonomy_1a", 9), ("germeval2019/taxonomy_1b", 344), ("transposon/taxonomy", 19)],
)
def test_real_taxonomies_with_header(file, n_nodes, shared_data):
    found = load_taxonomy(shared_data / f"{file}.csv")
    assert (found.n_nodes, found.names[0], found.is_tree) == (n_nodes, "root", True)


def test_node_attributes(tmp_path, taxonomy):
    path = written(
        tmp_path, "nodes.csv", "node,name,train_count,code\ncat,Felis catus,3,007\nduck,,5,1\nunicorn,Unicorn,0,2\n"
    )
    found = load_node_attributes(path, taxonomy)
    assert found.title(2) == "Felis catus"
    assert found.title(5) == "duck"
    assert found.names == taxonomy.names
    assert found.attributes["train_count"] == (None, None, 3, None, None, 5, None)
    assert found.attributes["code"][2] == "007"
    assert found.notes == ("nodes.csv: 1 rows are about no node of the taxonomy and were left out ('unicorn')",)


@pytest.mark.parametrize("header", ["common_name", "Vernacular_Name", "vernacularName", "common name"])
def test_common_names_stand_after_the_others(tmp_path, header):
    taxonomy = load_taxonomy(written(tmp_path, "tree.csv", EDGES))
    rows = "cat,Felis catus,domestic cat\ndog,Canis familiaris,\nduck,,mallard\nnewt,,Newt\n"
    found = load_node_attributes(written(tmp_path, "nodes.csv", f"node,name,{header}\n{rows}"), taxonomy)
    shown = {name: found.title(found.node(name)) for name in ("cat", "dog", "duck", "newt", "bird")}
    # A name is not repeated, and one that is missing leaves no brackets.
    wanted = {"cat": "Felis catus (domestic cat)", "dog": "Canis familiaris", "duck": "duck (mallard)"}
    assert shown == wanted | {"newt": "newt", "bird": "bird"}
    assert found.attributes["common_name"][2] == "domestic cat"
    assert found.names == taxonomy.names
    # Other names later leave the common ones.
    again = found.with_nodes({"duck": "Anas platyrhynchos"})
    assert again.title(again.node("duck")) == "Anas platyrhynchos (mallard)"
    assert again.title(again.node("cat")) == "Felis catus (domestic cat)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("node,name\nkatz,Cat\nmamal,Mammal\n", r"nodes\.csv: expected rows about nodes .*'katz', 'mamal'"),
        (
            "node,name\ncat,Cat\ncat,Kitten\n",
            r"nodes\.csv:3: expected one row per node, got 'cat' again \(first at nodes\.csv:2\)",
        ),
        ("a,b,c\ncat,1,2\n", r"nodes\.csv: expected a column 'node', got 'a', 'b', 'c'"),
    ],
)
def test_bad_node_attributes(text, message, tmp_path, taxonomy):
    with pytest.raises(TaxonomyError, match=message):
        load_node_attributes(written(tmp_path, "nodes.csv", text), taxonomy)


def test_real_names_without_header(shared_data):
    taxonomy = load_taxonomy(shared_data / "hierarchies" / "audioset_tree.csv")
    found = load_node_attributes(shared_data / "hierarchies" / "audioset_names.csv", taxonomy)
    assert found.title(found.node("/m/09l8g")) == "Human voice"


NAME = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=6)


@st.composite
def named_trees(draw):
    names = draw(st.lists(NAME, min_size=3, max_size=12, unique=True))
    return [(names[draw(st.integers(0, i - 1))], names[i]) for i in range(1, len(names))]


@settings(max_examples=examples(75), deadline=None)
@given(edges=named_trees(), separator=st.sampled_from(",\t;"), header=st.booleans())
def test_written_edges_are_read_back(tmp_path_factory, edges, separator, header):
    import csv

    path = tmp_path_factory.mktemp("t") / "edges.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL).writerows([("parent", "child")] * header + edges)
    expected = Taxonomy.from_edges(edges)
    found = load_taxonomy(
        path, has_header=header, direction=None if header else "parent,child", separator=separator, form="edges"
    )
    assert found.names == expected.names
    assert np.array_equal(found.edges, expected.edges)


@settings(max_examples=examples(50), deadline=None)
@given(edges=named_trees())
def test_exported_json_is_read_back(tmp_path_factory, edges):
    from anytree.exporter import JsonExporter

    expected = Taxonomy.from_edges(edges)
    path = tmp_path_factory.mktemp("t") / "tree.json"
    with open(path, "w", encoding="utf-8") as file:
        JsonExporter().write(expected.to_anytree(), file)
    assert load_taxonomy(path).sha256 == expected.sha256


@pytest.mark.parametrize(
    ("name", "content", "edges"),
    [
        ("edges.csv", "transport,path\npath,gravel\npath,paved\ntransport,road\n", 4),
        ("child first.csv", "path,transport\nroad,transport\ngravel,path\n", 3),
        ("levels.csv", "transport,path,gravel\ntransport,path,paved\ntransport,road,tar\n", 5),
        ("steps.txt", "transport;path;gravel\ntransport;road\n", 3),
        ("blanks.csv", "transport path\npath gravel\n", 2),
        ("hitin.taxonomy", "transport\tpath\troad\npath\tgravel\n", 3),
        ("word.txt", "transport > path\ntransport > path > gravel\n", 2),
    ],
)
def test_a_class_may_be_called_path(tmp_path, name, content, edges):
    found = load_taxonomy(written(tmp_path, name, content))
    assert len(found.edges) == edges
    assert found.names[0] == "transport"
    parent = found.names[found.parent[found.node("gravel" if "gravel" in content else "path")]]
    assert parent == "path"


def test_a_file_whose_name_is_not_utf8(tmp_path, taxonomy):
    path = tmp_path / "caf\udce9\u202e.csv"
    path.write_text(EDGES)
    assert load_taxonomy(path).names == taxonomy.names
    path.write_text("cat\n")
    with pytest.raises(TaxonomyError, match=r"^caf\\udce9\\u202e\.csv: expected a tree"):
        load_taxonomy(path)
    for name, got in (("..", "got a folder"), ("a\0b", "NUL character"), ("x" * 300, "File name too long")):
        with pytest.raises(FileError, match=got) as caught:
            load_taxonomy(tmp_path / name)
        assert len(str(caught.value)) <= 500
