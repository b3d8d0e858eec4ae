"""Taxonomies in the forms of other tools: each sample of tests/files is recognised, read, evaluated and written."""

import gzip
import json
import subprocess
import sys
import tarfile
import zipfile
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from hierviz import Taxonomy, load_predictions, load_taxonomy
from hierviz.cli import main
from hierviz.messages.errors import FileError, HiervizError, TaxonomyError
from hierviz.readers.file_role import file_role
from hierviz.readers.taxonomy_file import FORMS
from hierviz.readers.taxonomy_forms import pronto_files
from hierviz.readers.taxonomy_forms.known_taxonomy_forms import TAXONOMY_FORMS
from hierviz.readers.taxonomy_writer import write_taxonomy

FILES = Path(__file__).parents[1] / "files" / "taxonomies"
CELLS = ["root > BFO:0000004", "root > UBERON:0001062 > UBERON:0000465 > UBERON:0000061 > CL:0000000 > CL:0000211"]
# Sample: form, nodes, leaves, and paths of some of its classes from the root down.
SAMPLES = {
    "coco_categories.json": (
        "coco",
        11,
        7,
        ["root > vehicle > bicycle", "root > person", "root > kitchen > wine glass"],
    ),
    "inaturalist_categories.json": (
        "coco",
        26,
        4,
        ["root > Animalia > Chordata > Aves > Passeriformes > Sturnidae > Sturnus > Sturnus vulgaris"],
    ),
    "open_images.json": ("open_images", 9, 5, ["/m/0bl9f > /m/0jbk > /m/01yrx"]),
    "felidae.nwk": ("newick", 7, 4, ["Felidae > Felis > Felis silvestris", "Felidae > inner 1 > Schrödinger's cat"]),
    "felidae.nex": ("nexus", 7, 4, ["Felidae > Felis > Felis_catus", "Felidae > inner 1 > Panthera leo (lion)"]),
    "cell_ontology.obo": ("obo", 23, 7, CELLS),
    "cell_ontology.owl": ("owl", 23, 7, CELLS),
    "cell_ontology.json": ("obographs", 23, 7, CELLS),
    "taxrank.obo": ("obo", 61, 60, ["TAXRANK:0000000 > TAXRANK:0000002"]),
    "animals.ttl": ("skos", 9, 4, ["root > animal > mammal > dog", "root > machine > crane (cm)"]),
    "animals.rdf": ("skos", 9, 4, ["root > animal > bird > crane (cb)"]),
    "animals.nt": ("skos", 9, 4, ["root > animal > mammal > cat"]),
    "wordnet/wordnet.is_a.txt": ("wordnet", 9, 3, ["n00015388 > n01503061 > n01846331"]),
    "data.noun": ("wordnet_data", 11, 3, ["n00001740 > n00001930 > n00015388 > n01317541 > n02084071 > n02086723"]),
    "darknet/9k.tree": ("darknet", 6, 3, ["n00015388 > n01861778 > n02084071"]),
    "google_products.txt": ("google_products", 8, 4, ["root > Animals & Pet Supplies > Pet Supplies > Cat Supplies"]),
    "google_products_with_ids.txt": ("google_products", 8, 4, ["root > Apparel & Accessories > Clothing"]),
    "icd10.csv": ("codes", 11, 5, ["root > A00-A09 > A00 > A00.1", "root > A15-A19 > A15 > A15.0"]),
    "naics.csv": ("codes", 12, 4, ["root > 11 > 111 > 1111 > 11111 > 111110", "root > 31-33 > 332"]),
    "unspsc.tsv": ("codes", 13, 5, ["root > 10000000 > 10100000 > 10101500 > 10101502"]),
    "fiftyone_taxonomy.json": (
        "fiftyone_taxonomy",
        8,
        5,
        ["animal > mammal > cat", "animal > bird > goose", "animal > newt"],
    ),
    "qiime2_taxonomy.tsv": (
        "qiime2",
        24,
        5,
        [
            "root > d__Bacteria > p__Firmicutes > c__Bacilli > o__Lactobacillales > f__Streptococcaceae > g__Streptococcus"
        ],
    ),
    "greengenes.txt": (
        "qiime2",
        10,
        2,
        [
            "k__Bacteria > p__Proteobacteria > c__Gammaproteobacteria > o__Enterobacterales > f__Enterobacteriaceae > "
            "g__Escherichia > s__coli"
        ],
    ),
    "kraken2_report.txt": (
        "kraken2_report",
        12,
        3,
        ["root > cellular organisms > Bacteria > Bacillus > Bacillus subtilis"],
    ),
    "speciesnet_labels.txt": (
        "speciesnet_labels",
        15,
        4,
        ["root > mammalia > carnivora > felidae > felis > felis catus"],
    ),
    "../predictions/speciesnet.json": (
        "speciesnet",
        10,
        3,
        ["root > mammalia > carnivora > canidae > vulpes > vulpes vulpes"],
    ),
    "label_studio.xml": ("label_studio", 9, 6, ["root > Eukarya > Human"]),
    "taxdump": ("taxdump", 14, 4, ["root > cellular organisms > Bacteria > Bacillus <bacteria> > Bacillus subtilis"]),
    "gbif/Taxon.tsv": ("darwin_core", 11, 3, ["Animalia > Chordata > Mammalia > Carnivora > Vulpes vulpes"]),
}


OF_PRONTO = pytest.mark.skipif(find_spec("pronto") is None, reason="needs pronto")
NAMES = [
    pytest.param(name, marks=OF_PRONTO if form in ("owl", "obographs") else ()) for name, (form, *_) in SAMPLES.items()
]


def test_every_form_has_a_sample_and_its_licence():
    assert {form for form, *_ in SAMPLES.values()} == set(TAXONOMY_FORMS)
    assert set(TAXONOMY_FORMS) < set(FORMS)
    said = (FILES / "README.md").read_text()
    for name in SAMPLES:
        top = name.removeprefix("../predictions/").split("/")[0]
        said += (FILES.parent / "predictions" / "README.md").read_text() if ".." in name else ""
        assert top.removesuffix(".txt").removesuffix("_with_ids") in said


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_recognised_and_read(name, tmp_path):
    form, n_nodes, n_leaves, paths = SAMPLES[name]
    taxonomy = load_taxonomy(FILES / name)
    assert (taxonomy.n_nodes, taxonomy.n_leaves) == (n_nodes, n_leaves)
    for path in paths:
        steps = path.split(" > ")
        nodes = taxonomy.nodes(*steps).tolist()
        assert nodes[0] == 0
        assert all(above in taxonomy.parents[below] for above, below in pairwise(nodes))
    said = load_taxonomy(FILES / name, form=form)
    assert (said.names, said.edges.tolist()) == (taxonomy.names, taxonomy.edges.tolist())
    assert file_role(FILES / name) == ("predictions" if ".." in name else "taxonomy")
    if (FILES / name).is_file() and "/" not in name:
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress((FILES / name).read_bytes()))
        assert load_taxonomy(packed).names == taxonomy.names


@pytest.mark.parametrize("name", NAMES)
def test_evaluate_runs_on_each_sample(name, tmp_path, capsys):
    taxonomy = load_taxonomy(FILES / name)
    leaves = [taxonomy.names[leaf] for leaf in taxonomy.leaves.tolist()]
    rows = "".join(f'{k},"{leaf}","{leaves[0]}"\n' for k, leaf in enumerate(leaves))
    (tmp_path / "p.csv").write_text("sample_id,truth,predicted\n" + rows)
    flags = ["--taxonomy", str(FILES / name), "--predictions", str(tmp_path / "p.csv"), "--json", "-"]
    assert main(["evaluate", *flags]) in (0, None)
    numbers = json.loads(capsys.readouterr().out)
    assert numbers["models"][0]["n_samples"] == len(leaves)


@pytest.mark.parametrize("form", ["edges", "levels", "paths", "json", "newick"])
@pytest.mark.parametrize("name", NAMES)
def test_there_and_back(name, form, tmp_path):
    """What `hierviz taxonomy --to` writes is read back without being told, with the same names and parents."""
    taxonomy = load_taxonomy(FILES / name)
    if form == "paths" and any(name.endswith(">") or " > " in name for name in taxonomy.names):
        with pytest.raises(TaxonomyError, match="expected names of one line"):
            write_taxonomy(taxonomy, tmp_path / "t", form)
        return
    if not taxonomy.is_tree and form != "edges":
        with pytest.raises(TaxonomyError, match="expected a tree"):
            write_taxonomy(taxonomy, tmp_path / "t", form)
        return
    endings = {"edges": "csv", "levels": "csv", "paths": "txt", "json": "json", "newick": "nwk"}
    file = tmp_path / f"t.{endings[form]}"
    write_taxonomy(taxonomy, file, form)
    back = load_taxonomy(file)
    pairs = [{(t.names[a], t.names[b]) for a, b in t.edges.tolist()} for t in (taxonomy, back)]
    assert pairs[0] == pairs[1]


def test_obo_relations_obsolete_terms_and_other_ids(tmp_path):
    text = (
        "format-version: 1.2\n\n[Term]\nid: GO:1\nname: all\n\n[Term]\nid: GO:2\nname: part {x}\n"
        "relationship: part_of GO:1 ! all\n"
        'is_a: GO:1 {source="x"} ! all\n\n[Term]\nid: GO:3\nname: leaf\nalt_id: GO:33\nsynonym: "sheet" EXACT []\n'
        "is_a: GO:1\nrelationship: part_of GO:2\n\n[Term]\nid: GO:4\nname: old\nis_obsolete: true\n\n[Typedef]\nid: part_of\n"
    )
    path = tmp_path / "go.obo"
    path.write_text(text)
    tree = load_taxonomy(path)
    assert tree.is_tree
    assert tree.names == ("GO:1", "GO:2", "GO:3")
    assert [note.split(": ", 1)[1] for note in tree.notes] == [
        "1 obsolete terms were left out",
        "relations that were not used: part_of",
    ]
    graph = load_taxonomy(path, relations=("is_a", "part_of"))
    assert [graph.names[node] for node in graph.parents[graph.node("GO:3")]] == ["GO:1", "GO:2"]
    (tmp_path / "p.csv").write_text("sample_id,truth,predicted\na,GO:33,sheet\nb,leaf,GO:2\n")
    found = load_predictions(tmp_path / "p.csv", tree)
    assert found.truth.tolist() == found.labels.nodes[:1].tolist() * 2
    with pytest.raises(TaxonomyError, match="expected relations among 'is_a', 'part_of', got 'regulates'"):
        load_taxonomy(path, relations=("regulates",))
    with pytest.raises(FileError, match="expected an ontology in OBO, OWL or obographs"):
        load_taxonomy(FILES / "felidae.nwk", relations=("is_a",))


def edges_of(taxonomy):
    return {(taxonomy.names[above], taxonomy.names[below]) for above, below in taxonomy.edges.tolist()}


@OF_PRONTO
@pytest.mark.parametrize("relations", [None, ("is_a", "part_of")])
def test_the_same_ontology_in_three_forms(relations):
    """Restrictions by the number of a node, relations and terms that are not in the file, part_of by its id BFO:0000050."""
    obo, *others = (
        load_taxonomy(FILES / f"cell_ontology.{end}", relations=relations) for end in ("obo", "owl", "json")
    )
    assert len(edges_of(obo)) == (28 if relations is None else 33)
    for other in others:
        assert edges_of(other) == edges_of(obo)
        assert dict(zip(other.names, other.titles)) == dict(zip(obo.names, obo.titles))
        for name in obo.names:
            said = [(one.attributes["synonyms"][one.node(name)] or "").split("; ") for one in (obo, other)]
            assert set(said[0]) == set(said[1])


def test_owl_without_pronto_and_what_only_says_that_all_are_so(monkeypatch, tmp_path):
    monkeypatch.setattr(pronto_files, "find_spec", lambda name: None)
    found = load_taxonomy(FILES / "cell_ontology.owl")
    assert found.detected["form"] == "SKOS"
    # The note names what differs: labels in place of ids.
    assert any("labels as names" in note and "ids such as CL:0000236" in note for note in found.notes)
    assert not any(name.startswith("CL:") for name in found.names)
    (tmp_path / "o.obo").write_text(
        "format-version: 1.2\n[Term]\nid: A:1\n[Term]\nid: A:2\nis_a: A:1\nrelationship: part_of A:2 ! itself\n"
        '[Term]\nid: A:3\nis_a: A:1\nrelationship: part_of A:2 {all_only="true"}\n'
    )
    assert load_taxonomy(tmp_path / "o.obo", relations=("is_a", "part_of")).is_tree


@pytest.mark.parametrize("pack", ["zip", "tar.gz", "nodes.dmp"])
def test_a_taxdump_in_an_archive_or_beside_its_file(tmp_path, pack):
    folder = FILES / "taxdump"
    wanted = load_taxonomy(folder)
    path = folder / pack
    if pack != "nodes.dmp":
        path = tmp_path / f"taxdump.{pack}"
        files = sorted(folder.iterdir(), reverse=True)
        if pack == "zip":
            with zipfile.ZipFile(path, "w") as archive:
                for file in files:
                    archive.write(file, f"x/{file.name}")
        else:
            with tarfile.open(path, "w:gz") as archive:
                for file in files:
                    archive.add(file, f"x/{file.name}")
    found = load_taxonomy(path)
    assert (found.names, found.edges.tolist()) == (wanted.names, wanted.edges.tolist())
    assert file_role(path) == "taxonomy"


def test_only_what_the_classes_need_is_read_of_a_dump():
    taxonomy = load_taxonomy(FILES / "taxdump", classes=["human", "Bacillus subtilis", "chimpanzee"])
    assert taxonomy.n_leaves == 3
    assert "Bacillus <walking sticks>" not in taxonomy.names
    assert taxonomy.names[taxonomy.leaves[0]] == "Homo sapiens"
    # Merged ids lead to what they became.
    assert load_taxonomy(FILES / "taxdump", classes=["63221"]).names[-1] == "Homo sapiens"
    with pytest.raises(TaxonomyError, match=r"expected one class called 'Bacillus', got 2 \(tax id 55087, 1386\)"):
        load_taxonomy(FILES / "taxdump", classes=["Bacillus"])
    with pytest.raises(TaxonomyError, match=r"got 1 of 2 that are not: 'Unicorn'"):
        load_taxonomy(FILES / "taxdump", classes=["Homo", "Unicorn"])
    birds = load_taxonomy(FILES / "gbif", classes=["Sturnus domesticus", "5219243"])
    assert {birds.names[leaf] for leaf in birds.leaves} == {"Sturnus vulgaris", "Vulpes vulpes"}


def test_names_in_predictions_find_what_the_classes_became(tmp_path):
    (tmp_path / "classes.txt").write_text("human\nBacillus subtilis\n")
    (tmp_path / "p.csv").write_text("sample_id,truth,human,Bacillus subtilis\na,9606,0.75,0.25\n")
    more = ["--predictions", str(tmp_path / "p.csv"), "--json", str(tmp_path / "o.json")]
    flags = ["--taxonomy", str(FILES / "taxdump"), "--taxonomy-classes", str(tmp_path / "classes.txt")]
    assert main(["evaluate", *flags, *more]) in (
        0,
        None,
    )
    assert json.loads((tmp_path / "o.json").read_text())["models"][0]["n_samples"] == 1


def test_any_taxonomy_can_be_cut_to_its_classes(tmp_path):
    taxonomy = load_taxonomy(FILES / "wordnet" / "wordnet.is_a.txt", classes=["n02084071", "n01846331"])
    assert taxonomy.n_leaves == 2
    assert taxonomy.title(taxonomy.node("n01846331")) == "duck"
    assert any(
        "8 of 9 nodes were kept: 2 classes" in note or "7 of 9 nodes were kept" in note for note in taxonomy.notes
    )


@pytest.mark.long
@pytest.mark.parametrize("n", [300_000])
def test_a_large_dump_is_read_in_part(tmp_path, n):
    """A binary heap of taxa: the way from a leaf to the root is what is kept."""
    numbers = np.arange(1, n + 1)
    lines = (f"{k}\t|\t{max(k // 2, 1)}\t|\tno rank\t|\n" for k in numbers.tolist())
    (tmp_path / "nodes.dmp").write_text("".join(lines))
    (tmp_path / "names.dmp").write_text(
        "".join(f"{k}\t|\tTaxon {k}\t|\t\t|\tscientific name\t|\n" for k in numbers.tolist())
    )
    taxonomy = load_taxonomy(tmp_path, classes=[f"taxon_{n}", f"Taxon {n - 1}"])
    path, k = set(), n
    for k in (n, n - 1):
        while k:
            path.add(f"Taxon {k}")
            k //= 2
    assert set(taxonomy.names) == path


@pytest.mark.long
def test_a_dump_of_two_million_taxa_takes_less_than_a_gigabyte(tmp_path):
    """Measured were 156 MB; the peak is that of the program, not of the process that started it (`ru_maxrss` keeps that)."""
    n = 2_000_000
    with open(tmp_path / "nodes.dmp", "w") as nodes, open(tmp_path / "names.dmp", "w") as names:
        for k in range(1, n + 1):
            nodes.write(f"{k}\t|\t{max(k // 3, 1)}\t|\tno rank\t|\n")
            names.write(f"{k}\t|\tTaxon {k}\t|\t\t|\tscientific name\t|\n")
    program = (
        "import re, sys, hierviz\n"
        f"taxonomy = hierviz.load_taxonomy(sys.argv[1], classes=['Taxon {n}', 'taxon_7'])\n"
        "peak = re.search(r'VmHWM:\\s+(\\d+) kB', open('/proc/self/status').read())[1]\n"
        "print(taxonomy.n_leaves, int(peak) // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=True)
    n_leaves, megabytes = map(int, done.stdout.split())
    assert n_leaves == 2
    assert megabytes < 1024


def test_pairs_of_wnids_in_the_other_order(tmp_path):
    (tmp_path / "t.csv").write_text("n00000002,n00000001\nn00000003,n00000001\n")
    assert load_taxonomy(tmp_path / "t.csv").names[0] == "n00000001"
    (tmp_path / "u.csv").write_text("n00000002,n00000001\n")
    assert load_taxonomy(tmp_path / "u.csv", direction="child,parent").names[0] == "n00000001"


def test_codes_that_are_unclear_are_asked_about(tmp_path):
    (tmp_path / "c.csv").write_text("code,title\nX1,a\nY2,b\nZ3,c\nX11,d\n")
    with pytest.raises(TaxonomyError, match=r"got 3 of 4 that do not .* or a column 'parent'"):
        load_taxonomy(tmp_path / "c.csv")


BROKEN = {
    "data.noun": "00001740 03 n 01 entity 0 001 ~ 00001930 n\n",
    "b.noun": "00001740 03 n 01 entity 0 001 @ 00001930 n 0000 | x\n",
    "a.nwk": "((a,b);",
    "b.nwk": "((a,),b);",
    "c.nwk": "(a,a);",
    "a.nex": "#NEXUS\nbegin taxa;\nend;\n",
    "a.obo": "format-version: 1.2\n[Term]\nname: x\n",
    "b.obo": "format-version: 1.2\n[Term]\nid: A\n[Term]\nid: A\n",
    "c.obo": "format-version: 1.2\n",
    "a.ttl": "@prefix skos: <http://x> .\nnothing at all",
    "b.ttl": "@prefix skos: <http://x> .\n",
    "a.tree": "a -1\nb 0\na 0\n",
    "a.xml": "<View><Taxonomy><Choice value='a'><Choice/></Choice></Taxonomy></View>",
    "b.xml": "<View><Taxonomy><Choice value='a'></View>",
    "c.xml": "<?xml version='1.0'?><note/>",
    "d.xml": "<!DOCTYPE x [<!ENTITY a 'b'>]>\n<View><Choices><Choice value='&a;'/></Choices></View>",
    "a.json": '{"categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "a"}]}',
    "b.json": '{"LabelName": "a", "Subcategory": [{"x": 1}]}',
    "c.json": '{"LabelName": "a", "Subcategory": [{"LabelName": "b", "Subcategory": [{"LabelName": "a"}]}]}',
    "google.txt": "# Google_Product_Taxonomy_Version: 2021\nA > > B\n",
    "codes.csv": "code,title\nA00,a\nA00,b\n",
    "nodes.dmp": "no dump\n",
    "Taxon.tsv": "taxonID\tparentNameUsageID\n1\t\n",
    "is_a.txt": "n00000001 n00000001\n",
    "circle.txt": "n00000001 n00000002\nn00000002 n00000001\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused_in_one_line(name, tmp_path):
    (tmp_path / name).write_text(BROKEN[name])
    with pytest.raises(HiervizError) as raised:
        load_taxonomy(tmp_path / name)
    assert "\n" not in str(raised.value)
    assert str(raised.value).startswith(name) or "node" in str(raised.value), str(raised.value)


def test_what_was_read_before_is_read_as_before(tmp_path):
    """Tables that look a little like one of the forms."""
    for text, form in (
        ("code,parent\nA1,A\nA2,A\n", "edge list"),
        ("name id\na 1\nb 1\n", "edge list"),
        ("kingdom,species\nA,b\nA,c\n", "level columns"),
        ("(a) > b\n(a) > c\n", "paths"),
        ("code,parent,title\nA1,A,x\nA2,A,y\n", "edge list"),
        ('{"categories": [{"id": 1, "name": "a", "children": [{"id": 2, "name": "b"}]}]}', "JSON"),
    ):
        (tmp_path / "t.csv").write_text(text)
        taxonomy = load_taxonomy(tmp_path / "t.csv")
        assert taxonomy.detected["form"] == form
        assert "b" not in text or form != "JSON" or taxonomy.names[-1] == "b"
    assert isinstance(load_taxonomy(tmp_path / "t.csv"), Taxonomy)


def test_categories_keep_all_their_ranks(tmp_path):
    """Other ranks than those of iNaturalist, in whatever letters; one that a category lacks is left out and said."""
    lion = {"id": 1, "name": "Panthera leo", "order": "Carnivora", "Class": "Mammalia", "superfamily": "Feloidea"}
    raven = {"id": 2, "name": "Corvus corax", "order": "Passeriformes", "Class": "Aves", "species": "Corvus corax"}
    (tmp_path / "c.json").write_text(json.dumps({"categories": [lion, raven]}))
    taxonomy = load_taxonomy(tmp_path / "c.json")
    paths = [" > ".join(taxonomy.names[n] for n in taxonomy.path(leaf)[1:]) for leaf in taxonomy.leaves]
    assert paths == ["Mammalia > Carnivora > Feloidea > Panthera leo", "Aves > Passeriformes > Corvus corax"]
    assert taxonomy.detected["levels"] == "class > order > superfamily > species > name"
    assert taxonomy.notes[:1] == ("c.json: 1 of 2 categories have no superfamily and are below the rank before it",)
    # A single rank is no tree beside supercategories, and is said; without them it is the level.
    for more, n_leaves, n_nodes, words in (
        ({"supercategory": "animal"}, 2, 3, "rank 'class' was left out"),
        ({}, 2, 5, ""),
    ):
        of_one = [{"id": k, "name": f"c{k}", "class": f"d{k}"} | more for k in (1, 2)]
        (tmp_path / "one.json").write_text(json.dumps({"categories": of_one}))
        taxonomy = load_taxonomy(tmp_path / "one.json")
        assert (taxonomy.n_leaves, taxonomy.n_nodes) == (n_leaves, n_nodes)
        assert words in " ".join(taxonomy.notes)


@pytest.mark.parametrize(
    ("text", "n_trees"),
    [
        ("(a,b)r;", 1),
        ("(a,b)r", 1),
        ("(a,b)r;\n(c,d)s;\n", 2),
        ("(a,b)r;;\n ;(c)s", 2),
        ("('a;x',b[;])r;(c,d)s;(e)t;", 3),
        ("[;]\n(a,'it''s;')r;(b)s;", 2),
    ],
)
def test_the_first_of_several_trees(tmp_path, text, n_trees):
    """The end of a tree is no semicolon in a quoted name or a comment."""
    (tmp_path / "t.nwk").write_text(text)
    found = load_taxonomy(tmp_path / "t.nwk")
    assert found.names[found.parent.tolist().index(-1)] == "r"
    assert [note for note in found.notes if "trees" in note] == (
        [f"t.nwk: the first of {n_trees} trees was read"] if n_trees > 1 else []
    )
