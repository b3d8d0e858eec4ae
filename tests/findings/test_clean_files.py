"""Files without a fault: no error, whatever form they have."""

import os
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
    beside = ("README.md", "words.txt", "9k.names", "names.dmp", "merged.dmp")
    for path in sorted(FILES.glob("taxonomies/**/*")):
        if path.is_file() and path.name not in beside:
            assert hv.doctor(path).counts["error"] == 0, path
    for path in [*sorted(FILES.glob("predictions/*")), FILES / "predictions" / "camtrap_dp" / "observations.csv"]:
        if path.name not in OTHERS:
            classes = ["cat", "dog", "duck", "newt"] if path.name == "hugging_face_labels.jsonl" else None
            found = hv.doctor(taxonomy_of(str(path.relative_to(FILES / "predictions"))), path, classes=classes)
            assert found.counts["error"] == 0, f"{path}: {found}"
            said = [one.message for one in found if one.code == "other_form"]
            form = FORM_OF.get(str(path.relative_to(FILES / "predictions")))
            assert said == ([f"the file is read as {PREDICTION_FORMS[form].words} ({form})."] if form else []), path


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
