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
