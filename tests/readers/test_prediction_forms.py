"""Predictions in the forms of other tools: each sample of tests/files is recognised, read and evaluated."""

import json

import numpy as np
import pytest

from hierviz import load_predictions, load_taxonomy, load_truth
from hierviz.cli import main
from hierviz.messages.errors import HiervizError, PredictionsError
from hierviz.readers.prediction_forms.known_prediction_forms import PREDICTION_FORMS
from hierviz.readers.prediction_forms.local_numbers import plain
from hierviz.readers.predictions_file import FORMS
from tests.form_samples import FILES, taxonomy_of

CLASSES = ["cat", "dog", "duck", "newt"]
# Sample -> (form, what it holds by sample and class).
SCORES = {
    "timm.json": ("timm", {"a.jpg": {"cat": 0.75, "dog": 0.125}, "b.jpg": {"duck": 0.5, "newt": 0.25}}),
    "coco_results.json": (
        "coco_results",
        {"42": {"cat": 0.5, "dog": 0.25, "duck": 0.125, "newt": 0.125}, "73": {"duck": 0.75}},
    ),
    "speciesnet.json": (
        "speciesnet",
        {
            "a.jpg": {"Vulpes vulpes": 0.8, "Felis catus": 0.15, "felidae": 0.18},
            "b.jpg": {"Felis catus": 0.6, "aves": 0.05},
        },
    ),
    "speciesnet_5.json": (
        "speciesnet_5",
        {"a.jpg": {"Vulpes vulpes": 0.75, "felidae": 0.125}, "c.jpg": {"felidae": 0.75}},
    ),
    "megadetector.json": (
        "megadetector",
        {"camera 1/a.jpg": {"Vulpes vulpes": 0.75, "felidae": 0.1875}, "camera 2/empty.jpg": {"aves": 0.0}},
    ),
    "camtrap_dp/observations.csv": (
        "camtrap_dp",
        {"media/IMG_0001.JPG": {"Vulpes vulpes": 0.875}, "media/IMG_0003.JPG": {"mammalia": 0.0}},
    ),
    "birdnet.csv": (
        "birdnet",
        {
            "recordings/dawn.wav 0-3": {"Turdus merula": 0.875, "Passeriformes": 0.875, "Fringilla coelebs": 0.25},
            "recordings/dawn.wav 1.5-4.5": {"Turdus philomelos": 0.5, "Turdidae": 0.75},
        },
    ),
    "bioclip.csv": ("bioclip", {"Felis-catus.jpeg": {"Felis silvestris": 0.75, "Felis catus": 0.1875}}),
    "bioclip_genus.csv": ("bioclip", {"Ursus-arctos.jpeg": {"Ursus": 0.75, "Alces": 0.125, "Mammalia": 0.875}}),
    "bioclip_classes.csv": ("bioclip", {"a.jpg": {"cat": 0.5, "mammal": 0.75}, "b.jpg": {"duck": 0.75, "cat": 0.0}}),
    "celltypist_matrix.csv": (
        "celltypist_matrix",
        {"AAACCTGAGAAACCAT-1": {"Tcm/Naive helper T cells": 0.9375, "T cells": 0.9375, "B cells": 0.0078125}},
    ),
    "spacy_cats.jsonl": ("spacy", {0: {"cat": 0.75, "mammal": 0.875}, 1: {"duck": 0.5, "mammal": 0.25}}),
    "spacy_multilabel.jsonl": ("spacy", {"t1": {"cat": 0.75, "dog": 0.875, "mammal": 0.875, "bird": 0.0}}),
    "fiftyone_labels.json": ("fiftyone", {"a": {"cat": 0.9}, "b": {"duck": 0.5}}),
    "fiftyone_samples.json": ("fiftyone", {"/data/a.jpg": {"cat": 0.9}, "/data/b.jpg": {"duck": 0.5}}),
    "fiftyone_fields.csv": ("fiftyone", {"/data/a.jpg": {"cat": 0.9}, "/data/b.jpg": {"duck": 0.5}}),
    "cafa.tsv": (
        "cafa",
        {
            "T1": {"GO:0000003": 0.9, "GO:0000004": 0.3, "GO:0000002": 0.9},
            "T2": {"GO:0000002": 0.5, "GO:0000003": 0.0, "GO:0000004": 0.0},
        },
    ),
    "hugging_face.json": ("lists", {0: {"cat": 0.5, "dog": 0.25, "duck": 0.125}, 1: {"duck": 0.75, "newt": 0.25}}),
    "hugging_face.jsonl": ("lists", {0: {"cat": 0.5}, 1: {"duck": 0.75}}),
    "hugging_face_labels.jsonl": ("lists", {"a": {"cat": 0.9}, "b": {"duck": 0.75}}),
    "level_arrays.npz": ("npz", {"a": {"mammal": 0.75, "cat": 0.5}, "b": {"bird": 0.5, "duck": 0.5, "newt": 0.25}}),
    "percent.csv": ("wide", {"a": {"cat": 0.5, "dog": 0.25, "duck": 0.125}, "b": {"dog": 0.75, "duck": 0.25}}),
    "records.json": ("wide", {"a": {"cat": 0.5, "dog": 0.25, "newt": 0.125}, "b": {"duck": 0.75, "newt": 0.25}}),
    "comma.tsv": ("wide", {"0,5": {"cat": 0.5, "duck": 0.125}, "1,5": {"dog": 0.75, "duck": 0.25}}),
}
for _name in ("timm_lists.csv", "timm_records.json", "timm_split.json", "timm_columns.csv"):
    SCORES[_name] = SCORES["timm.json"]
SCORES["records.jsonl"] = SCORES["records.json"]
NAIVE = "Tcm/Naive helper T cells"
LABELS = {
    "hiclass_levels.csv": (
        "levels",
        ["cat", "dog", "duck", "newt", "dog", "cat"],
        ["cat", "dog", "duck", "newt", "mammal", "cat"],
    ),
    "hiclass_levels.npy": ("npy", ["cat", "dog", "duck", "newt", "dog", "cat"], None),
    "celltypist_labels.csv": ("celltypist", [NAIVE, "Classical monocytes", NAIVE, "cell"], None),
    "celltypist_predicted.csv": (
        "celltypist",
        [NAIVE, "Classical monocytes", NAIVE, "Tem/Effector helper T cells", "cell"],
        None,
    ),
    "qiime2_labels.tsv": (
        "qiime2_labels",
        ["g__Lactobacillus", "g__Bacteroides", "d__Bacteria", "c__Clostridia > g__uncultured", "root"],
        None,
    ),
    "qiime2_consensus.tsv": ("qiime2_labels", ["c__Bacilli", "s__Bacteroides_fragilis"], None),
    "kraken2.txt": ("kraken2", ["Homo sapiens", "Homo", "root", "Bacillus subtilis", "Homo sapiens"], None),
    "kraken2_names.txt": ("kraken2", ["Homo sapiens", "root", "Bacillus subtilis"], None),
    "kaiju.txt": ("kaiju", ["Homo sapiens", "Bacteria", "root"], None),
    "openai_batch.jsonl": ("openai_batch", ["cat", "duck", "mammal"], None),
    "language_model.jsonl": ("language_model", ["cat", "duck", "dog", "mammal"], ["cat", "duck", "mammal", "dog"]),
    "label_studio_tasks.json": ("label_studio_tasks", ["dog", "bird"], ["cat", "duck"]),
}


def _read(name, **more):
    taxonomy = load_taxonomy(taxonomy_of(name))
    if name == "hugging_face_labels.jsonl":
        more["classes"] = CLASSES
    return taxonomy, load_predictions(FILES / name, taxonomy, **more)


def test_fiftyone_without_classes_or_confidences(tmp_path):
    """A sample without a classification is answered with nothing; classes are labels where a confidence is missing."""
    path = tmp_path / "labels.json"
    path.write_text(
        '{"classes": null, "labels": {"a": {"label": "cat", "attributes": {"x": 1}}, "b": null, "c": ["dog"]}}'
    )
    taxonomy = load_taxonomy(FILES / "taxonomy.csv")
    found = load_predictions(path, taxonomy)
    assert [taxonomy.names[node] for node in found.labels.nodes] == ["cat", taxonomy.names[0], "dog"]
    assert sum("no classification" in note or "attributes of classifications" in note for note in found.notes) == 2


def test_every_form_has_a_sample():
    assert set(PREDICTION_FORMS) == {form for form, *_ in (*SCORES.values(), *LABELS.values())} & set(PREDICTION_FORMS)
    assert set(PREDICTION_FORMS) < set(FORMS)
    said = (FILES / "README.md").read_text()
    assert all(name in said or name.split("_")[0].split(".")[0] in said for name in (*SCORES, *LABELS))


@pytest.mark.parametrize("name", SCORES)
def test_scores_are_read_as_they_stand(name):
    taxonomy, predictions = _read(name)
    p = predictions.node_probabilities()
    ids = list(range(len(p))) if predictions.sample_ids is None else predictions.sample_ids.tolist()
    for sample, classes in SCORES[name][1].items():
        for class_name, score in classes.items():
            assert p[ids.index(sample), taxonomy.node(class_name)] == pytest.approx(score), (sample, class_name)


@pytest.mark.parametrize("name", LABELS)
def test_labels_and_their_truth(name):
    _, labels, truth = LABELS[name]
    taxonomy, predictions = _read(name)
    assert [taxonomy.names[node] for node in predictions.labels.nodes] == labels
    if truth is not None:
        assert [taxonomy.names[node] for node in predictions.truth] == truth
    assert "sample_id" not in predictions.attributes


@pytest.mark.parametrize("name", [*SCORES, *LABELS])
def test_evaluate_runs_on_each_sample(name, tmp_path, capsys):
    taxonomy, predictions = _read(name)
    ids = range(predictions.n_samples) if predictions.sample_ids is None else predictions.sample_ids
    leaf = taxonomy.names[taxonomy.leaves[0]]
    has_ids = predictions.sample_ids is not None
    head = "sample_id,truth\n" if has_ids else "truth\n"
    (tmp_path / "t.csv").write_text(head + "".join((f'"{name}",' if has_ids else "") + f"{leaf}\n" for name in ids))
    flags = ["--taxonomy", str(taxonomy_of(name)), "--predictions", str(FILES / name)]
    if name == "hugging_face_labels.jsonl":
        (tmp_path / "classes.txt").write_text("\n".join(CLASSES))
        flags += ["--classes", str(tmp_path / "classes.txt")]
    assert main(["evaluate", *flags, "--truth", str(tmp_path / "t.csv"), "--json", "-"]) in (0, None)
    assert json.loads(capsys.readouterr().out)["models"][0]["n_samples"] == predictions.n_samples


@pytest.mark.parametrize("name", [name for name, (form, *_) in (SCORES | LABELS).items() if form in PREDICTION_FORMS])
def test_the_form_can_be_said(name):
    form = (SCORES | LABELS)[name][0]
    assert _read(name, form=form)[1].detected == _read(name)[1].detected


def test_cells_of_local_numbers():
    assert [plain(cell) for cell in ("0,25", "25 %", "12,5%", "0.5", "-1,5", "1.000,5", "a,b", "")] == [
        "0.25",
        "0.25",
        "0.125",
        "0.5",
        "-1.5",
        "1.000,5",
        "a,b",
        "",
    ]
    assert _read("percent.csv")[1].detected["numbers"] == "decimal commas or percent"


def test_levels_may_lack_names_and_stop_early(tmp_path):
    taxonomy = load_taxonomy(FILES / "taxonomy.csv")
    np.savez(tmp_path / "p.npz", level_1=[[0.5, 0.25, 0.25]], level_2=[[0.25, 0.25, 0.25]])
    found = load_predictions(tmp_path / "p.npz", taxonomy)
    assert found.scored_nodes.tolist() == taxonomy.nodes("mammal", "bird", "newt", "cat", "dog", "duck").tolist()
    assert any("assumed to be the classes of a depth" in note for note in found.notes)
    (tmp_path / "l.csv").write_text("sample_id,level_1,level_2\na,mammal,\nb,newt,\nc,mammal,cat\n")
    stopped = load_predictions(tmp_path / "l.csv", taxonomy)
    assert [taxonomy.names[node] for node in stopped.labels.nodes] == ["mammal", "newt", "cat"]


RANKS = """kingdom,phylum,order,species
Animalia,Chordata,Carnivora,lion
Animalia,Chordata,Galli,hen
Plantae,Tracheophyta,Poales,vulgaris
Plantae,Tracheophyta,Asterales,vulgaris
"""


def test_labels_and_truths_in_columns_of_ranks(tmp_path):
    """Not all ranks of the taxonomy, a row that stops early, a name at two places, and columns in another order."""
    (tmp_path / "t.csv").write_text(RANKS)
    taxonomy = load_taxonomy(tmp_path / "t.csv")
    (tmp_path / "p.csv").write_text(
        "id,kingdom,order,species,text\n1,Animalia,Carnivora,lion,a\n2,Animalia,Galli,,b\n3,Plantae,Poales,vulgaris,c\n"
    )
    (tmp_path / "truth.csv").write_text("id,order,kingdom\n3,Asterales,Plantae\n2,Galli,Animalia\n1,,Animalia\n")
    found = load_predictions(tmp_path / "p.csv", taxonomy, tmp_path / "truth.csv")
    assert [taxonomy.names[node] for node in found.labels.nodes] == ["lion", "Galli", "Poales > vulgaris"]
    assert [taxonomy.names[node] for node in found.truth] == ["Animalia", "Galli", "Asterales"]
    assert list(found.attributes) == ["text"]
    assert found.detected["predicted columns"] == "kingdom, order, species"
    assert any("deepest class of its columns 'order', 'kingdom'" in note for note in found.notes)
    (tmp_path / "q.csv").write_text("id,kingdom,order\n1,Animalia,Carnivora\n2,Animalia,Poales\n")
    with pytest.raises(PredictionsError, match=r"q\.csv:3: expected classes on one path .* got 'Animalia', 'Poales'"):
        load_predictions(tmp_path / "q.csv", taxonomy)
    # An attribute beside the truth is none of its ranks.
    (tmp_path / "y.csv").write_text("id,class,group\n1,lion,a\n2,hen,b\n3,hen,a\n")
    assert load_truth(tmp_path / "y.csv", taxonomy).attributes["group"].tolist() == ["a", "b", "a"]


BROKEN = {
    "levels.csv": "sample_id,level_1,level_2\na,mammal,duck\n",
    "gap.csv": "sample_id,level_1,level_2\na,,cat\n",
    "none.csv": "sample_id,level_1,level_2\na,,\n",
    "timm.json": '{"a.jpg": {"label": ["cat", "dog"], "prob": [0.5]}}',
    "timm.csv": "filename,label,prob\na.jpg,\"['cat' 'dog']\",[0.5]\n",
    "coco.json": '[{"image_id": 1, "category_id": 1, "score": 0.5, "bbox": [0, 0, 1, 1]}]',
    "coco2.json": '[{"image_id": 1, "category_id": 77, "score": 0.5}]',
    "species.json": '{"predictions": [{"filepath": "a", "classifications": {"classes": ["x"], "scores": []}}]}',
    "species2.json": '{"predictions": [{"filepath": "a", "failures": ["CLASSIFIER"]}, {"filepath": "b", "classifications": {}}]}',
    "fiftyone.json": '{"classes": ["cat"], "labels": {"a": 3}}',
    "fiftyone2.json": '{"samples": [{"filepath": "a", "x": {"_cls": "Detections"}}]}',
    "species5.json": '{"predictions": [{"filepath": "a", "detections": [{"category": "1", "raw_classifications": {}}]}]}',
    "species5b.json": '{"predictions": [{"filepath": "a", "detections": [{"category": "1", "conf": 0.5, "raw_classifications": '
    '{"classes": ["cat", "dog"], "scores": [0.5]}}]}]}',
    "species5c.json": '{"predictions": [{"filepath": "b", "failures": ["DETECTOR"]}, {"filepath": "a", "detections": '
    '[{"category": "1", "conf": "x", "raw_classifications": {"classes": ["cat"], "scores": [0.5]}}]}]}',
    "mega.json": '{"images": [{"file": "a", "failure": "x"}], "detection_categories": {}}',
    "mega2.json": '{"images": [{"file": "a", "detections": [{"category": "1", "conf": 0.5, "classifications": [["7", 0.5]]}]}], '
    '"detection_categories": {"1": "animal"}, "classification_categories": {"1": "cat"}}',
    "mega3.json": '{"images": [{"file": "a", "detections": [{"category": "1", "conf": 0.5, "classifications": ["1", 0.5]}]}], '
    '"detection_categories": {"1": "animal"}, "classification_categories": {"1": "cat"}}',
    "mega4.json": '{"images": [{"file": "a", "detections": [{"category": "1", "classifications": [["1", 0.5]]}]}], '
    '"detection_categories": {"1": "animal"}, "classification_categories": {"1": "cat"}}',
    "studio.json": '[{"id": 1, "data": {}, "annotations": [], "predictions": []}]',
    "studio2.json": '[{"id": 1, "data": {}, "predictions": [{"result": []}]}]',
    "cafa.tsv": "AUTHOR x\nT1 GO:0000001 0.5\nT1 GO:0000001 7\nEND\n",
    "bird.csv": "Start (s),End (s),Scientific name,Common name,Confidence,File\n0,3,cat,cat,high,a.wav\n",
    "bird2.csv": "Start (s),End (s),Scientific name,Common name,Confidence,File\nnow,3,cat,cat,0.5,a.wav\n",
    "bird3.csv": "Start (s),End (s),Scientific name,Common name,Confidence\n0,3,cat,cat,0.5\n",
    "bird4.csv": "Start (s),End (s),Scientific name,Common name,Confidence,File\n0,3,Corvus corax,Raven,0.5,a.wav\n",
    "clip.csv": "file_name,classification,score\na.jpg,cat,much\n",
    "clip2.csv": "file_name,kingdom,phylum,score\na.jpg,Animalia,Chordata,0.5\n",
    "cells.csv": ",predicted_labels\nx,Mast cells\n",
    "matrix.csv": ",cat,dog,duck,newt\nx,0.5,0.5,0.5,0.5\ny,0.5,0.5,0.5,7\n",
    "features.tsv": "Feature ID\tTaxon\tConfidence\nx\td__Bacteria; p__Firmicutes\t0.9\n",
    "reads.txt": "C\tread_1\t9606\t150\t9606:88\nC\tread_2\t9606\t150\t9606:88\n",
    "reads2.txt": "C\tread_1\t9606\n" * 60 + "C\tread_2\tHomo sapiens\n",
    "cats.jsonl": '{"text": "a", "cats": {"cat": 0.5, "dog": 0.5}}\n{"text": "b"}\n',
    "batch.jsonl": '{"custom_id": "a", "response": {"body": {"object": "embedding"}}, "error": null}\n'
    '{"custom_id": "b", "response": {"body": {}}, "error": null}\n',
    "batch2.jsonl": '{"custom_id": "a", "response": {"body": {"choices": [{"message": {"content": "A cat."}}]}}}\n' * 2,
    "observations.csv": "observationID,mediaID,observationType,scientificName,classificationMethod\no1,m1,animal,cat,human\n",
    "observations2.csv": "observationID,mediaID,observationType,scientificName,classificationMethod,classificationProbability\n"
    "o1,m1,animal,cat,machine,sure\n",
    "report.txt": "         precision    recall  f1-score   support\n\n    cat       0.50      1.00      0.67         1\n",
    "report.json": '{"cat": {"precision": 0.5, "recall": 1.0, "f1-score": 0.67, "support": 1.0}, "accuracy": 0.5}',
    "report.csv": ",precision,recall,f1-score,support\ncat,0.5,1.0,0.67,1.0\n",
    "label.jsonl": '{"label": "LABEL_7", "score": 0.5}\n{"label": "LABEL_1", "score": 0.5}\n',
    "arrays.npz": None,
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused_in_one_line(name, tmp_path):
    if BROKEN[name] is None:
        np.savez(tmp_path / name, level_1=[[0.5, 0.5]], level_2=[[0.25, 0.25, 0.25]])
    else:
        (tmp_path / name).write_text(BROKEN[name])
    with pytest.raises(HiervizError) as raised:
        load_predictions(tmp_path / name, load_taxonomy(FILES / "taxonomy.csv"))
    assert "\n" not in str(raised.value)
    assert str(raised.value).startswith(name)


def test_a_label_that_is_a_number_asks_for_the_classes(tmp_path):
    (tmp_path / "p.json").write_text('[[{"label": "LABEL_0", "score": 1.0}]]')
    with pytest.raises(
        PredictionsError, match=r"got 'LABEL_0'\. If these are numbers of classes, list these: classes="
    ):
        load_predictions(tmp_path / "p.json", load_taxonomy(FILES / "taxonomy.csv"))


RECORDS = {
    "long.json": [{"sample_id": s, "class": c, "score": 0.25} for s in "ab" for c in CLASSES],
    "listed.json": [{"sample_id": s, "label": c, "score": 0.25} for s in "ab" for c in CLASSES],
    "columns.json": [dict.fromkeys("0123", 0.25), dict.fromkeys("0123", 0.25)],
    "labels.json": [{"sample_id": "a", "predicted": ["cat", "duck"]}, {"sample_id": "b", "predicted": ["newt"]}],
}


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("is_lines", [False, True])
def test_objects_are_rows_of_any_table(name, is_lines, tmp_path):
    path = tmp_path / (name + "l" if is_lines else name)
    path.write_text("\n".join(map(json.dumps, RECORDS[name])) if is_lines else json.dumps(RECORDS[name], indent=2))
    taxonomy = load_taxonomy(FILES / "taxonomy.csv")
    found = load_predictions(path, taxonomy, classes=CLASSES if name == "columns.json" else None)
    assert found.n_samples == 2
    if name == "labels.json":
        assert [[taxonomy.names[node] for node in nodes] for nodes in found.labels] == [["cat", "duck"], ["newt"]]
    else:
        assert found.node_probabilities()[:, taxonomy.nodes(*CLASSES)].tolist() == [[0.25] * 4] * 2


def test_truth_of_objects(tmp_path):
    (tmp_path / "t.json").write_text('[{"sample_id": "b", "truth": "cat"}, {"sample_id": "a", "truth": "newt"}]')
    found = load_predictions(FILES / "records.jsonl", load_taxonomy(FILES / "taxonomy.csv"), tmp_path / "t.json")
    assert [found.taxonomy.names[node] for node in found.truth] == ["newt", "cat"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            '[{"cat": 0.5, "dog": 0.5}, {"cat": "x", "dog": 0.5}]',
            "sample number 2, key 'cat': expected a number, got 'x'",
        ),
        ('[{"cat": 0.5, "dog": 0.5}, {"cat": 0.5}]', "sample number 2, key 'dog': expected a number, got ''"),
        (
            '[{"cat": 0.5, "dog": 0.5}, {"cat": 0.5, "frog": 0.5}]',
            "sample number 2: expected the keys of the first sample",
        ),
        ('[{"cat": 0.5, "dgo": 0.5}]', "column 'dgo': expected columns of numbers to be named after nodes"),
        ('[{"cat": 0.5, "dog": 0.5}', "expected"),
    ],
)
def test_faults_of_objects_say_their_sample(content, words, tmp_path):
    (tmp_path / "p.json").write_text(content)
    with pytest.raises(HiervizError, match=words) as raised:
        load_predictions(tmp_path / "p.json", load_taxonomy(FILES / "taxonomy.csv"))
    assert "\n" not in str(raised.value)
