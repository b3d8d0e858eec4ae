"""Classes named by their path or code: columns of scores, classes of long and top-k tables, labels and truths; percent."""

import json

import numpy as np
import pytest

import hierviz as hv
from tests.form_samples import FILES

SEPARATORS = (" > ", ">", "/", " / ", "|", " | ", "::", ";", "; ")
P = [[0.5, 0.25, 0.125, 0.125, 0.0], [0.0, 0.0, 0.25, 0.5, 0.25]]


@pytest.fixture(scope="module")
def bears():
    return hv.load_taxonomy(FILES / "bioclip_taxonomy.csv")


def paths(taxonomy, separator):
    return [separator.join(taxonomy.names[node] for node in taxonomy.path(leaf)) for leaf in taxonomy.leaves]


@pytest.mark.parametrize("separator", SEPARATORS)
def test_paths_name_columns_and_classes(separator, bears, tmp_path):
    named, leaves = paths(bears, separator), [bears.names[leaf] for leaf in bears.leaves]
    rows = [f"s{k},{','.join(map(repr, row))}\n" for k, row in enumerate(P)]
    for name, columns in (("plain", leaves), ("paths", named)):
        (tmp_path / f"{name}.csv").write_text(f"sample_id,{','.join(columns)}\n{''.join(rows)}")
        long = [
            f"s{k},{class_},{value!r}\n" for k, row in enumerate(P) for class_, value in zip(columns, row, strict=True)
        ]
        (tmp_path / f"{name}_long.csv").write_text(f"sample_id,class,score\n{''.join(long)}")
        best = [f"s{k},{columns[np.argmax(row)]},{max(row)!r}\n" for k, row in enumerate(P)]
        (tmp_path / f"{name}_best.csv").write_text(f"sample_id,class_1,score_1\n{''.join(best)}")
    for end in ("", "_long", "_best"):
        plain, by_path = (hv.load_predictions(tmp_path / f"{name}{end}.csv", bears) for name in ("plain", "paths"))
        assert by_path.scored_nodes.tolist() == plain.scored_nodes.tolist()
        assert by_path.node_probabilities().tolist() == plain.node_probabilities().tolist()


@pytest.mark.parametrize("separator", SEPARATORS[:-2])
def test_labels_and_truths_are_paths(separator, bears, tmp_path):
    """Whole, from a rank in the middle, and to an inner class."""
    named = paths(bears, separator)
    labels = [named[0], separator.join(named[3].split(separator)[4:]), separator.join(named[4].split(separator)[:-1])]
    cells = "".join(f"s{k},{label},{named[k]}\n" for k, label in enumerate(labels))
    (tmp_path / "p.csv").write_text(f"sample_id,predicted,truth\n{cells}")
    found = hv.load_predictions(tmp_path / "p.csv", bears)
    assert [bears.names[node] for node in found.labels.nodes] == ["Ursus arctos", "Felis catus", "Alces"]
    assert [bears.names[node] for node in found.truth] == ["Ursus arctos", "Ursus americanus", "Felis silvestris"]
    assert found.is_hard


def test_a_path_that_is_none_of_the_taxonomy_is_no_match(bears, tmp_path):
    for cell in ("Felidae/Ursus arctos", "Ursus/Felidae/Felis catus", "brown/Ursus arctos"):
        (tmp_path / "p.csv").write_text(f"sample_id,predicted\na,{cell}\n")
        with pytest.raises(hv.PredictionsError, match="expected the name of a node in the taxonomy"):
            hv.load_predictions(tmp_path / "p.csv", bears)
    # Classes of one sample are no path.
    (tmp_path / "p.csv").write_text("sample_id,predicted\na,Ursus;Ursus arctos\n")
    found = hv.load_predictions(tmp_path / "p.csv", bears)
    assert [bears.names[node] for node in found.labels.nodes] == ["Ursus", "Ursus arctos"]
    # Steps that the taxonomy does not have are passed over.
    (tmp_path / "p.csv").write_text("sample_id,predicted\na,Eukaryota/Animalia/Vertebrata/Ursidae/Ursus arctos\n")
    assert bears.names[hv.load_predictions(tmp_path / "p.csv", bears).labels.nodes[0]] == "Ursus arctos"


def test_lineages_in_a_column_of_labels(tmp_path):
    taxonomy = hv.load_taxonomy(FILES / "../taxonomies/qiime2_taxonomy.tsv")
    cells = ("d__Bacteria; p__Firmicutes; c__Clostridia; o__; f__; g__uncultured", "d__Archaea;p__Halobacterota")
    (tmp_path / "p.csv").write_text("sample_id,predicted\n" + "".join(f"{k},{cell}\n" for k, cell in enumerate(cells)))
    found = hv.load_predictions(tmp_path / "p.csv", taxonomy)
    assert [taxonomy.names[node] for node in found.labels.nodes] == [
        "c__Clostridia > g__uncultured",
        "p__Halobacterota",
    ]


@pytest.mark.parametrize(
    ("taxonomy", "codes", "names"),
    [
        ("../taxonomies/taxdump", ("9606", "9598", "1423", "999"), ("Homo sapiens", "Pan troglodytes")),
        ("../taxonomies/kraken2_report.txt", ("9606", "9598", "1423"), ("Homo sapiens", "Pan troglodytes")),
        ("../taxonomies/icd10.csv", None, None),
    ],
)
def test_codes_name_columns_and_labels(taxonomy, codes, names, tmp_path):
    tree = hv.load_taxonomy(FILES / taxonomy)
    codes = codes or [tree.names[leaf] for leaf in tree.leaves]
    row = [0.5, 0.25, *[0.25 / (len(codes) - 2)] * (len(codes) - 2)]
    (tmp_path / "p.csv").write_text(f"sample_id,{','.join(codes)},truth\na,{','.join(map(repr, row))},{codes[1]}\n")
    found = hv.load_predictions(tmp_path / "p.csv", tree)
    assert found.parametrisation == "leaf_probabilities"
    (tmp_path / "l.csv").write_text(f"sample_id,predicted,truth\na,{codes[0]},{codes[1]}\n")
    labels = hv.load_predictions(tmp_path / "l.csv", tree)
    assert labels.truth.tolist() == found.truth.tolist()
    if names is not None:
        assert tree.names[labels.labels.nodes[0]] == names[0]
        assert tree.names[labels.truth[0]] == names[1]
        assert found.node_probabilities()[0, tree.node(names[0])] == 0.5


def test_percent_of_each_form(tmp_path):
    taxonomy = hv.load_taxonomy(FILES / "taxonomy.csv")
    texts = {
        "bioclip.csv": "file_name,classification,score\na,cat,50\na,dog,25\na,duck,12.5\na,newt,12.5\n",
        "birdnet.csv": "Start (s),End (s),Scientific name,Common name,Confidence,File\n"
        + "".join(
            f"0,3,{name},x,{score},a\n" for name, score in (("cat", 50), ("dog", 25), ("duck", 12.5), ("newt", 12.5))
        ),
        "celltypist.csv": ",cat,dog,duck,newt\na,50,25,12.5,62.5\n",
        "spacy.jsonl": json.dumps({"id": "a", "cats": {"cat": 50, "dog": 25, "duck": 12.5, "newt": 12.5}}),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        found = hv.load_predictions(tmp_path / name, taxonomy, percent=True)
        p = found.node_probabilities()[0, taxonomy.nodes("cat", "dog", "duck")]
        assert p.tolist() == [0.5, 0.25, 0.125], name
        # Independent scores have a maximum, others a sum.
        assert found.node_probabilities()[0, taxonomy.node("mammal")] == (
            0.5 if name in ("birdnet.csv", "celltypist.csv") else 0.75
        )
        with pytest.raises(hv.PredictionsError):
            hv.load_predictions(tmp_path / name, taxonomy)
