"""The role of a file, detected from its content."""

import numpy as np
import pytest

from hierviz.readers.file_role import file_role, file_roles
from tests.form_samples import FILES, FORM_OF

TEXTS = {
    "edges.csv": ("parent,child\nanimal,cat\nanimal,dog\n", "taxonomy"),
    "levels.csv": ("order,family,species\nA,B,c\nA,B,d\n", "taxonomy"),
    "paths.txt": ("animal > cat\nanimal > dog\n", "taxonomy"),
    "tree.json": ('{"name": "animal", "children": [{"name": "cat"}]}', "taxonomy"),
    "tree.taxonomy": ("animal\tcat\tdog\n", "taxonomy"),
    "a.csv": ("sample_id,cat,dog\na,0.5,0.5\nb,0.25,0.75\n", "predictions"),
    "with_truth.csv": ("sample_id,truth,cat,dog\na,cat,0.5,0.5\n", "predictions"),
    "long.tsv": ("sample\tclass\tscore\na\tcat\t0.5\n", "predictions"),
    "best.csv": ("id,class_1,score_1\na,cat,0.9\n", "predictions"),
    "answers.csv": ("sample_id,labels\na,cat;dog\n", "predictions"),
    "truth.csv": ("sample_id,truth\na,cat\n", "truth"),
    "gold.csv": ("sample_id,labels\na,cat;dog\n", "truth"),
    "samples.csv": ("sample_id,truth,light,place,age\na,cat,day,road,7\n", "truth"),
    "nodes.csv": ("node,parent,depth\ncat,animal,1\n", "nodes"),
    "empty.csv": ("", "predictions"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_role_of_a_text(tmp_path, name):
    text, role = TEXTS[name]
    path = tmp_path / name
    path.write_text(text)
    assert file_role(path) == role


def test_roles_of_arrays_archives_and_models(tmp_path):
    np.save(tmp_path / "a.npy", np.ones((2, 3)))
    np.savez(tmp_path / "b.npz", prob=np.ones((2, 3)))
    (tmp_path / "c.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    (tmp_path / "d.onnx").write_bytes(b"\x08\x08\x12\x00")
    paths = [tmp_path / name for name in ("a.npy", "c.zip", "b.npz", "d.onnx")]
    assert file_roles(paths) == {"predictions": [paths[0], paths[2], paths[3]], "media": [paths[1]]}


@pytest.mark.parametrize("name", FORM_OF)
def test_predictions_of_other_tools_are_predictions(name):
    assert file_role(FILES / name) == "predictions"
