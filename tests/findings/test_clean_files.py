"""Files without a fault: no error, whatever form they have."""

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz.readers.prediction_forms.known_prediction_forms import PREDICTION_FORMS
from tests.findings.clean_files import CleanFiles, write
from tests.form_samples import FORM_OF, OTHERS, taxonomy_of

N = 200 if os.environ.get("HIERVIZ_LONG") else 8


FILES = Path(__file__).parents[1] / "files"


def test_no_error_in_the_samples_of_all_forms():
    beside = ["README.md", "words.txt", "9k.names", "names.dmp", "merged.dmp"]
    # The only form that nothing else reads.
    beside += [] if find_spec("pronto") else ["cell_ontology.json"]
    for path in sorted(FILES.glob("taxonomies/**/*")):
        if path.is_file() and path.name not in beside:
            assert hv.doctor(path).counts["error"] == 0, path
    for path in [*sorted(FILES.glob("predictions/*")), FILES / "predictions" / "camtrap_dp" / "observations.csv"]:
        if path.name not in OTHERS:
            classes = ["cat", "dog", "duck", "newt"] if path.name == "hugging_face_labels.jsonl" else None
            found = hv.doctor(taxonomy_of(str(path.relative_to(FILES / "predictions"))), path, classes=classes)
            assert found.counts["error"] == 0, f"{path}: {found}"
            said = [one.message for one in found if one.code == "other_form" and one.where == path.name]
            form = FORM_OF.get(str(path.relative_to(FILES / "predictions")))
            assert said == ([f"the file is read as {PREDICTION_FORMS[form].words} ({form})."] if form else []), path


def test_no_error_where_detections_have_the_truth_of_their_picture(tmp_path):
    taxonomy = FILES / "predictions" / "speciesnet_taxonomy.csv"
    (tmp_path / "t.csv").write_text("sample_id,truth\na.jpg,Vulpes vulpes\nb.jpg,aves\nd.jpg,aves\n")
    found = hv.doctor(
        taxonomy, FILES / "predictions" / "speciesnet_5.json", tmp_path / "t.csv", samples="detection", missing="zero"
    )
    assert found.counts["error"] == 0
    said = {one.code: one.message for one in found}
    assert "('c.jpg')" in said["samples_without_truth"]
    assert "('d.jpg')" in said["samples_without_prediction"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("reads.txt", "C\tr1\t9606\t9\t9606:9\nC\tr2\t7\t9\t7:9\n", "got '9606', '7'"),
        ("bird.csv", "Start (s),End (s),Scientific name,Common name,Confidence,File\n0,3,cat,x,high,a\n", "got 'high'"),
        ("cells.csv", ",predicted_labels\nx,Mast cells\n", "got 'Mast cells'"),
        ("clip.csv", "file_name,classification,score\na.jpg,cart,0.5\n", "Did you mean 'cat'"),
    ],
)
def test_faults_of_other_forms_are_one_error_each(name, text, words, tmp_path):
    """Not those of a table of classes, which they are not."""
    (tmp_path / name).write_text(text)
    found = hv.doctor(FILES / "predictions" / "taxonomy.csv", tmp_path / name)
    errors = [one.message for one in found if one.severity == "error"]
    assert len(errors) == 1
    assert words in errors[0]


@pytest.mark.longer
@pytest.mark.parametrize("seed", range(N))
def test_no_error_in_random_files(seed, tmp_path):
    files = CleanFiles(1000 + seed, depth=1 + seed % 3, n_samples=10 + seed)
    edges, truth = write(tmp_path / "edges.csv", files.edges), write(tmp_path / "truth.csv", files.truth)
    assert list(hv.doctor(edges)) == []
    kind = seed % 4
    levels = write(tmp_path / "levels.csv", files.levels())
    if kind == 0:
        predictions = write(tmp_path / "p.csv", files.predictions)
    elif kind == 1:
        predictions = write(tmp_path / "p.csv", files.labels())
    elif kind == 2:
        predictions = tmp_path / "p.npy"
        np.save(predictions, np.array([row[1:] for row in files.predictions[1:]], dtype=float))
    else:
        predictions = tmp_path / "p.npz"
        scores = np.array([row[1:] for row in files.predictions[1:]], dtype=float)
        np.savez(predictions, prob=scores, names=files.leaves, sample_id=[row[0] for row in files.predictions[1:]])
    found = hv.doctor(levels if seed % 2 else edges, predictions, truth, classes=files.leaves if kind == 2 else None)
    assert [one for one in found if one.severity == "error"] == [], str(found)
