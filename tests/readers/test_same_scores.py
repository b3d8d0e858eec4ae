"""Samples in the forms of other tools give the same numbers, to the last digit, as an edge list and a plain CSV of the same data.

The CSV is worked out by hand from the sample: a probability of every class but the root.
"""

import pytest

import hierviz as hv
from tests.form_samples import FILES, taxonomy_of

ANIMALS = """parent,child
animal,mammalia
animal,aves
mammalia,carnivora
carnivora,canidae
canidae,vulpes
vulpes,Vulpes vulpes
carnivora,felidae
felidae,felis
felis,Felis catus
aves,Sturnus vulgaris
"""
BEARS = """parent,child
Animalia,Chordata
Chordata,Mammalia
Mammalia,Carnivora
Carnivora,Ursidae
Ursidae,Ursus
Ursus,Ursus arctos
Ursus,Ursus americanus
Carnivora,Felidae
Felidae,Felis
Felis,Felis silvestris
Felis,Felis catus
Mammalia,Artiodactyla
Artiodactyla,Cervidae
Cervidae,Alces
Alces,Alces alces
"""
BACTERIA = """parent,child
root,d__Bacteria
d__Bacteria,p__Firmicutes
p__Firmicutes,c__Bacilli
c__Bacilli,o__Lactobacillales
o__Lactobacillales,f__Lactobacillaceae
f__Lactobacillaceae,g__Lactobacillus
g__Lactobacillus,s__Lactobacillus_acidophilus
o__Lactobacillales,f__Streptococcaceae
f__Streptococcaceae,g__Streptococcus
p__Firmicutes,c__Clostridia
c__Clostridia,c__Clostridia > g__uncultured
d__Bacteria,p__Bacteroidota
p__Bacteroidota,c__Bacteroidia
c__Bacteroidia,o__Bacteroidales
o__Bacteroidales,f__Bacteroidaceae
f__Bacteroidaceae,g__Bacteroides
g__Bacteroides,s__Bacteroides_fragilis
root,d__Archaea
d__Archaea,p__Halobacterota
p__Halobacterota,c__Halobacteria
c__Halobacteria,o__Halobacterales
o__Halobacterales,f__Haloferacaceae
f__Haloferacaceae,f__Haloferacaceae > g__uncultured
"""
SMALL = (FILES / "taxonomy.csv").read_text()
NAIVE, EFFECTOR = "Tcm/Naive helper T cells", "Tem/Effector helper T cells"
CELLS = [f"AAACCTGAGAAA{end}-1" for end in ("CCAT", "CCGC", "CCTA", "CGCC")]
# Scores of leaves alone: sample -> (edge list, truth, score of each listed leaf).
LEAVES = {
    "bioclip.csv": (
        BEARS,
        {"Ursus-arctos.jpeg": "Ursus arctos", "Felis-catus.jpeg": "Felis catus"},
        {
            "Ursus-arctos.jpeg": {"Ursus arctos": 0.875, "Ursus americanus": 0.0625},
            "Felis-catus.jpeg": {"Felis silvestris": 0.75, "Felis catus": 0.1875},
        },
    ),
    "bioclip_classes.csv": (
        SMALL,
        {"a.jpg": "dog", "b.jpg": "duck"},
        {
            "a.jpg": {"cat": 0.5, "dog": 0.25, "duck": 0.125, "newt": 0.125},
            "b.jpg": {"duck": 0.75, "newt": 0.25, "cat": 0.0, "dog": 0.0},
        },
    ),
}
# Labels: sample -> (edge list, truth, labels).
LABELS = {
    "celltypist_labels.csv": (
        (FILES / "cells_taxonomy.csv").read_text(),
        dict.fromkeys(CELLS, "T cells"),
        dict(zip(CELLS, (NAIVE, "Classical monocytes", NAIVE, "cell"), strict=True)),
    ),
    "celltypist_predicted.csv": (
        (FILES / "cells_taxonomy.csv").read_text(),
        dict.fromkeys(CELLS, EFFECTOR),
        dict(zip(CELLS, (NAIVE, "Classical monocytes", f"{NAIVE};{EFFECTOR}", "cell"), strict=True)),
    ),
    "qiime2_labels.tsv": (
        BACTERIA,
        {
            "4b5eeb300368260019c1fbc7a3c718fc": "s__Lactobacillus_acidophilus",
            "d29fe3c70564fc0f69f2c03e0d1e5561": "s__Bacteroides_fragilis",
            "868528ca947bc57b69ffdf83e6b73bae": "p__Bacteroidota",
            "1d2e5f3444ca750c85302ceee2473331": "c__Clostridia > g__uncultured",
            "cb2fe0146e2fbcb101050edb996a0ee2": "d__Archaea",
        },
        {
            "4b5eeb300368260019c1fbc7a3c718fc": "g__Lactobacillus",
            "d29fe3c70564fc0f69f2c03e0d1e5561": "g__Bacteroides",
            "868528ca947bc57b69ffdf83e6b73bae": "d__Bacteria",
            "1d2e5f3444ca750c85302ceee2473331": "c__Clostridia > g__uncultured",
            "cb2fe0146e2fbcb101050edb996a0ee2": "root",
        },
    ),
    "kraken2.txt": (
        DUMP := """parent,child
root,cellular organisms
cellular organisms,Eukaryota
cellular organisms,Bacteria
Eukaryota,Metazoa
Metazoa,Hominidae
Hominidae,Homo
Homo,Homo sapiens
Hominidae,Pan
Pan,Pan troglodytes
Metazoa,Bacillus <walking sticks>
Bacillus <walking sticks>,Bacillus rossius
Bacteria,Bacillus <bacteria>
Bacillus <bacteria>,Bacillus subtilis
""",
        {
            "read_1": "Homo sapiens",
            "read_2": "Pan",
            "read_3": "Bacteria",
            "read_4": "Bacillus rossius",
            "read_5": "Homo",
        },
        {
            "read_1": "Homo sapiens",
            "read_2": "Homo",
            "read_3": "root",
            "read_4": "Bacillus subtilis",
            "read_5": "Homo sapiens",
        },
    ),
    "kaiju.txt": (
        DUMP,
        {"read_1": "Pan troglodytes", "read_2": "Bacillus subtilis", "read_3": "Homo"},
        {"read_1": "Homo sapiens", "read_2": "Bacteria", "read_3": "root"},
    ),
    "openai_batch.jsonl": (
        SMALL,
        {"a": "dog", "b": "duck", "c": "newt", "d": "cat"},
        {"a": "cat", "b": "duck", "d": "mammal"},
    ),
}
# Sample -> (edge list, truth by sample, probability of each class that is not 0).
FOX, CAT = "Vulpes vulpes", "Felis catus"
SCORES = {
    # The box of confidence 0.875 has fox 0.75 and cat 0.125; b.jpg has no classified box; c.jpg has one of 0.25.
    "speciesnet_5.json": (
        ANIMALS,
        {"a.jpg": FOX, "b.jpg": "Sturnus vulgaris", "c.jpg": CAT},
        {
            "a.jpg": {
                **dict.fromkeys(("mammalia", "carnivora"), 0.875),
                **dict.fromkeys(("canidae", "vulpes", FOX), 0.75),
            }
            | dict.fromkeys(("felidae", "felis", CAT), 0.125),
            "b.jpg": {"aves": 0.5, "mammalia": 0.25, "carnivora": 0.25, "felidae": 0.25},
            "c.jpg": {"aves": 0.125, "mammalia": 0.75, "carnivora": 0.75, "felidae": 0.75},
        },
    ),
    "camtrap_dp/observations.csv": (
        ANIMALS,
        {"media/IMG_0001.JPG": FOX, "media/IMG_0002.JPG": CAT, "media/IMG_0003.JPG": "Sturnus vulgaris"},
        {
            "media/IMG_0001.JPG": dict.fromkeys(("mammalia", "carnivora", "canidae", "vulpes", FOX), 0.875),
            "media/IMG_0002.JPG": dict.fromkeys(("mammalia", "carnivora", "felidae"), 0.625),
            "media/IMG_0003.JPG": {},
        },
    ),
    # Independent of each other: a group is as probable as its most probable species.
    "birdnet.csv": (
        (FILES / "birds_taxonomy.csv").read_text(),
        {
            "recordings/dawn.wav 0-3": "Turdus merula",
            "recordings/dawn.wav 1.5-4.5": "Turdus philomelos",
            "recordings/dusk.wav 0-3": "Fringilla coelebs",
        },
        {
            "recordings/dawn.wav 0-3": dict.fromkeys(("Passeriformes", "Turdidae", "Turdus merula"), 0.875)
            | dict.fromkeys(("Fringillidae", "Fringilla coelebs"), 0.25),
            "recordings/dawn.wav 1.5-4.5": dict.fromkeys(("Passeriformes", "Turdidae", "Turdus merula"), 0.75)
            | {"Turdus philomelos": 0.5},
            "recordings/dusk.wav 0-3": dict.fromkeys(("Strigiformes", "Strix aluco"), 0.625),
        },
    ),
    "bioclip_genus.csv": (
        BEARS,
        {"Ursus-arctos.jpeg": "Ursus arctos"},
        {
            "Ursus-arctos.jpeg": dict.fromkeys(("Chordata", "Mammalia"), 0.875)
            | dict.fromkeys(("Carnivora", "Ursidae", "Ursus"), 0.75)
            | dict.fromkeys(("Artiodactyla", "Cervidae", "Alces"), 0.125)
        },
    ),
    "celltypist_matrix.csv": (
        (FILES / "cells_taxonomy.csv").read_text(),
        dict(zip(CELLS, (NAIVE, "Non-classical monocytes", "T cells", "B cells"), strict=True)),
        dict(
            zip(
                CELLS,
                (
                    {"B cells": 0.0078125, NAIVE: 0.9375, "T cells": 0.9375, "lymphocyte": 0.9375, EFFECTOR: 0.5},
                    {"Classical monocytes": 0.625, "myeloid cell": 0.625, "Non-classical monocytes": 0.25},
                    {NAIVE: 0.5, "T cells": 0.875, "lymphocyte": 0.875, EFFECTOR: 0.875},
                    {"B cells": 0.125, "lymphocyte": 0.125, NAIVE: 0.0625, "T cells": 0.0625},
                ),
                strict=True,
            )
        ),
    ),
    "spacy_multilabel.jsonl": (
        SMALL,
        {"t1": "cat", "t2": "duck"},
        {
            "t1": {"mammal": 0.875, "cat": 0.75, "dog": 0.875, "newt": 0.125},
            "t2": {"mammal": 0.25, "dog": 0.25, "bird": 0.625, "duck": 0.625, "newt": 0.5},
        },
    ),
    # The box of confidence 0.926: fox 0.75, felidae family 0.125 and in it domestic cat 0.0625 more.
    "megadetector.json": (
        ANIMALS,
        {"camera 1/a.jpg": CAT, "camera 1/b.jpg": "aves", "camera 1/person.mp4": FOX, "camera 2/empty.jpg": "animal"},
        {
            "camera 1/a.jpg": {"mammalia": 0.9375, "carnivora": 0.9375, "felidae": 0.1875, "felis": 0.0625, CAT: 0.0625}
            | dict.fromkeys(("canidae", "vulpes", FOX), 0.75),
            "camera 1/b.jpg": {"aves": 1.0},
            "camera 1/person.mp4": {},
            "camera 2/empty.jpg": {},
        },
    ),
}


def numbers(predictions):
    """The numbers of an evaluation without what names the file."""
    found = hv.evaluate(predictions)["models"][0]
    return {key: value for key, value in found.items() if key not in ("name", "notes", "listed")}


def truth_file(folder, truth):
    (folder / "truth.csv").write_text("sample_id,truth\n" + "".join(f'"{key}",{name}\n' for key, name in truth.items()))
    return folder / "truth.csv"


@pytest.mark.parametrize("name", SCORES)
def test_scores_equal_those_of_a_wide_table(name, tmp_path):
    edges, truth, rows = SCORES[name]
    (tmp_path / "edges.csv").write_text(edges)
    taxonomy = hv.load_taxonomy(tmp_path / "edges.csv")
    classes = taxonomy.names[1:]
    cells = [[repr(row.get(class_, 0.0)) for class_ in classes] for row in rows.values()]
    lines = [f'"{key}",{",".join(row)}\n' for key, row in zip(rows, cells, strict=True)]
    (tmp_path / "wide.csv").write_text(f"sample_id,{','.join(classes)}\n{''.join(lines)}")
    there = truth_file(tmp_path, truth)
    wide = hv.load_predictions(tmp_path / "wide.csv", taxonomy, there)
    read = hv.load_predictions(FILES / name, hv.load_taxonomy(taxonomy_of(name)), there, missing="zero")
    assert read.ids.tolist() == wide.ids.tolist()
    by_name = [read.taxonomy.node(class_) for class_ in taxonomy.names]
    assert read.node_probabilities()[:, by_name].tolist() == wide.node_probabilities().tolist()
    assert numbers(read) == numbers(wide)


@pytest.mark.parametrize("missing", [None, "zero"])
@pytest.mark.parametrize("name", LEAVES)
def test_scores_of_leaves_equal_those_of_a_long_table(name, missing, tmp_path):
    edges, truth, rows = LEAVES[name]
    (tmp_path / "edges.csv").write_text(edges)
    pairs = [(key, class_, score) for key, row in rows.items() for class_, score in row.items()]
    (tmp_path / "long.csv").write_text(
        "sample_id,class,score\n" + "".join(f"{key},{class_},{score!r}\n" for key, class_, score in pairs)
    )
    there = truth_file(tmp_path, truth)
    how = missing or "unknown"
    long = hv.load_predictions(tmp_path / "long.csv", hv.load_taxonomy(tmp_path / "edges.csv"), there, missing=how)
    read = hv.load_predictions(FILES / name, hv.load_taxonomy(taxonomy_of(name)), there, missing=missing)
    assert read.parametrisation == long.parametrisation == "leaf_probabilities"
    assert numbers(read) == numbers(long)


@pytest.mark.parametrize("name", LABELS)
def test_labels_equal_those_of_a_plain_table(name, tmp_path):
    edges, truth, labels = LABELS[name]
    (tmp_path / "edges.csv").write_text(edges)
    (tmp_path / "plain.csv").write_text(
        "sample_id,predicted\n" + "".join(f"{key},{cell}\n" for key, cell in labels.items())
    )
    there = truth_file(tmp_path, truth)
    plain = hv.load_predictions(tmp_path / "plain.csv", hv.load_taxonomy(tmp_path / "edges.csv"), there)
    read = hv.load_predictions(FILES / name, hv.load_taxonomy(taxonomy_of(name)), there)
    assert read.ids.tolist() == plain.ids.tolist()
    assert [read.taxonomy.names[node] for node in read.labels.nodes] == [
        plain.taxonomy.names[node] for node in plain.labels.nodes
    ]
    assert numbers(read) == numbers(plain)


def test_segments_without_a_detection_are_answered_with_nothing(tmp_path):
    """The truth names the recordings without their folder, and a segment in one row for each species."""
    taxonomy = hv.load_taxonomy(FILES / "birds_taxonomy.csv")
    found = hv.load_predictions(FILES / "birdnet.csv", taxonomy, FILES / "birdnet_truth.csv")
    assert found.ids.tolist()[-1] == "dusk.wav 3-6"
    assert found.node_probabilities()[-1].tolist() == [1.0] + [0.0] * (taxonomy.n_nodes - 1)
    truths = [sorted(taxonomy.names[node] for node in nodes) for nodes in found.truth]
    assert truths == [["Fringilla coelebs", "Turdus merula"], ["Turdus philomelos"], ["Strix aluco"], ["Strix aluco"]]
    assert found.n_samples == 4
    assert found.n_without_prediction == 0
    assert any("'dusk.wav 3-6'); it was treated as an empty prediction" in note for note in found.notes)
    report = hv.evaluate(found, "threshold", threshold=0.5)["models"][0]
    assert report["n_samples"] == 4


def test_human_observations_are_the_truth_of_other_predictions(tmp_path):
    taxonomy = hv.load_taxonomy(FILES / "speciesnet_taxonomy.csv")
    (tmp_path / "p.csv").write_text(
        "sample_id,predicted\nmedia/IMG_0004.JPG,Vulpes vulpes\nmedia/IMG_0002.JPG,felidae\n"
    )
    found = hv.load_predictions(tmp_path / "p.csv", taxonomy, FILES / "camtrap_dp" / "observations.csv")
    assert [taxonomy.names[node] for node in found.truth[:2]] == [FOX, CAT]
    (tmp_path / "observations.csv").write_text((FILES / "camtrap_dp" / "observations.csv").read_text())
    alone = hv.load_predictions(tmp_path / "observations.csv", taxonomy)
    assert alone.ids.tolist() == ["m1", "m2", "m3"]
    assert any("there is no media.csv next to it" in note for note in alone.notes)
    boxes = hv.load_predictions(FILES / "camtrap_dp" / "observations.csv", taxonomy, samples="detection")
    assert boxes.ids.tolist() == ["o1", "o2", "o4", "o6"]
    assert [taxonomy.names[node] for node in boxes.truth] == [FOX, FOX, CAT, "Sturnus vulgaris"]


def test_lineages_are_the_truth_of_features(tmp_path):
    taxonomy = hv.load_taxonomy(FILES / "../taxonomies/qiime2_taxonomy.tsv")
    (tmp_path / "p.csv").write_text("sample_id,predicted\nAB000001,g__Lactobacillus\nAB000006,d__Archaea\n")
    found = hv.load_predictions(tmp_path / "p.csv", taxonomy, FILES / "../taxonomies/qiime2_taxonomy.tsv")
    assert [taxonomy.names[node] for node in found.truth[:2]] == ["s__Lactobacillus_acidophilus", "root"]


def test_a_report_is_refused_with_a_sentence(tmp_path):
    text = "         precision    recall  f1-score   support\n\n    cat       0.50      1.00      0.67         1\n"
    (tmp_path / "report.txt").write_text(text)
    with pytest.raises(
        hv.FileError, match="got a classification_report of scikit-learn, which holds totals of each class only"
    ):
        hv.load_predictions(tmp_path / "report.txt", hv.load_taxonomy(FILES / "taxonomy.csv"))
    found = hv.doctor(FILES / "taxonomy.csv", tmp_path / "report.txt")
    assert [one.code for one in found if one.severity == "error"] == ["unreadable"]
    assert "classification_report" in next(iter(found)).message


def test_detections_inherit_the_truth_of_their_picture(tmp_path):
    taxonomy = hv.load_taxonomy(FILES / "speciesnet_taxonomy.csv")
    truth = truth_file(tmp_path, {"a.jpg": FOX, "b.jpg": "aves", "c.jpg": CAT})
    found = hv.load_predictions(FILES / "speciesnet_5.json", taxonomy, truth, samples="detection")
    assert found.ids.tolist() == ["a.jpg#0", "a.jpg#1", "b.jpg#0", "c.jpg#0", "c.jpg#1"]
    assert [taxonomy.names[node] for node in found.truth] == [FOX, FOX, "aves", CAT, CAT]
    assert found.attributes["picture"].tolist() == ["a.jpg", "a.jpg", "b.jpg", "c.jpg", "c.jpg"]
    by_stem = truth_file(tmp_path, {"x/a.png": FOX, "x/c.png": CAT})
    found = hv.load_predictions(FILES / "speciesnet_5.json", taxonomy, by_stem, samples="detection")
    assert [taxonomy.names[node] if node >= 0 else None for node in found.truth] == [FOX, FOX, None, CAT, CAT]
    (tmp_path / "timm.csv").write_text("filename,label,prob\na.jpg,cat,0.5\n")
    with pytest.raises(
        hv.FileError, match=r"timm.csv: expected detections in pictures .*samples='detection'"
    ) as raised:
        hv.load_predictions(tmp_path / "timm.csv", hv.load_taxonomy(FILES / "taxonomy.csv"), samples="detection")
    assert "\n" not in str(raised.value)
