"""Pictures that cannot be read are left out, named and counted; with `strict` they stop the run."""

import json

import numpy as np
import pytest

from hierviz import cli
from hierviz.messages.errors import FileError, PredictionsError
from hierviz.onnx.inputs.model_inputs import load_inputs, without_unreadable
from hierviz.onnx.model import load_model
from hierviz.readers.attach import attach_truth
from hierviz.readers.predictions_file import load_predictions

from .one_line import one_line
from .picture_files import zipped

BAD = ["3.png", "7.png"]
LEFT = ["1", "2", "4", "5", "10"]


@pytest.fixture
def damaged(folder):
    """Seven pictures, two of them cut short, and one of another kind."""
    for name in BAD:
        (folder / name).write_bytes((folder / name).read_bytes()[:40])
    (folder / "6.jxl").write_bytes(b"x")
    return folder


@pytest.mark.parametrize("form", ["folder", "zip", "table"])
@pytest.mark.parametrize("batch_size", [2, 64])
def test_they_are_left_out(build, metadata, taxonomy, damaged, tmp_path, pictures, expected, form, batch_size):
    path, n_foreign = damaged, 1
    if form == "zip":
        path = zipped(tmp_path / "p.zip", {one.name: one.read_bytes() for one in damaged.iterdir()})
    if form == "table":
        path, n_foreign = damaged / "t.csv", 0
        path.write_text("image,light\n" + "".join(f"{k}.png,{k}\n" for k in (1, 2, 3, 4, 5, 7, 10)))
    model = load_model(build(metadata=metadata), taxonomy)
    inputs, unreadable = load_inputs(path, model), {}
    truth = ["cat", "dog", "cat", "duck", "newt", "", "cat"]
    found = model.predict(inputs, truth=truth, batch_size=batch_size, unreadable=unreadable)
    kept = [0, 1, 3, 4, 6]
    assert list(unreadable) == [2, 5]
    np.testing.assert_allclose(found.scores, expected(pictures[kept]), rtol=1e-5, atol=1e-5)
    assert found.sample_ids.tolist() == LEFT
    assert found.attributes["image"].tolist() == [f"{k}.png" for k in LEFT]
    assert [taxonomy.names[node] for node in found.truth] == [truth[k] for k in kept]
    assert found.media.names == tuple(f"{k}.png" for k in LEFT)
    # Every example is counted: those with a prediction and those without.
    assert found.n_samples + found.n_without_prediction == 7 + n_foreign
    note = next(note for note in found.notes if "could not be read" in note)
    assert note.startswith(
        "2 of 7 pictures could not be read and were left out: '3.png', '7.png' (the first: expected a picture ("
    )
    assert any("'6.jxl'" in note for note in found.notes) == (n_foreign == 1)
    left, rows = without_unreadable(inputs, unreadable)
    assert (len(left), rows.tolist()) == (5, kept)
    # Nothing else is fed in their place where somebody looks at one of them.
    with pytest.raises(FileError, match=r"3\.png: expected a picture"):
        inputs.feed(model.inputs, slice(2, 3))
    with pytest.raises(PredictionsError, match="expected 7 values"):
        model.predict(inputs, truth=truth[:5])


def test_strict_stops(build, metadata, taxonomy, damaged):
    model = load_model(build(metadata=metadata), taxonomy)
    with pytest.raises(FileError, match=r"got 1 of other kinds: '6\.jxl'.*leave strict=True out") as raised:
        model.predict(damaged, strict=True)
    one_line(raised)
    (damaged / "6.jxl").unlink()
    with pytest.raises(FileError, match=r"3\.png: expected a picture") as raised:
        model.predict(damaged, strict=True)
    one_line(raised)
    for name in damaged.iterdir():
        name.write_bytes(b"")
    with pytest.raises(FileError, match="at least one picture that can be read, got none of 7") as raised:
        model.predict(damaged)
    one_line(raised)


def test_truth_joins_what_is_left(build, metadata, taxonomy, damaged, tmp_path):
    (tmp_path / "truth.csv").write_text("sample_id,truth\n" + "".join(f"{k},cat\n" for k in (1, 2, 3, 4, 5, 6, 7, 10)))
    found = attach_truth(load_model(build(metadata=metadata), taxonomy).predict(damaged), tmp_path / "truth.csv")
    assert (found.n_samples, found.n_without_prediction, found.n_without_truth) == (5, 3, 0)
    assert any("3 samples have a truth but no prediction ('3', '6', '7')" in note for note in found.notes)


def test_the_command_names_and_counts_them(build, metadata, taxonomy, damaged, tmp_path, capsys):
    tree, out = tmp_path / "tree.csv", tmp_path / "p.parquet"
    tree.write_text("parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,duck\nanimal,newt\n")
    (tmp_path / "truth.csv").write_text("sample_id,truth\n" + "".join(f"{k},cat\n" for k in (1, 2, 3, 4, 5, 7, 10)))
    flags = ["predict", "--model", build(metadata=metadata), "--taxonomy", tree, "--inputs", damaged, "--out", out]
    flags = [*map(str, flags), "--truth", str(tmp_path / "truth.csv")]
    assert cli.main([*flags, "--strict"]) == 2
    assert "6.jxl" in capsys.readouterr().err
    assert cli.main(flags) == 0
    said = capsys.readouterr().err
    assert "note: 2 of 7 pictures could not be read and were left out: '3.png', '7.png'" in said
    assert "(5 samples with known truth" in said
    assert said.splitlines()[-1] == f"wrote 5 rows to {out}; 2 of 7 pictures left out"
    found = load_predictions(out, taxonomy)
    assert found.sample_ids.tolist() == LEFT
    assert any("2 of 7 pictures could not be read" in note for note in found.notes)
    files = ["--taxonomy", str(tree), "--predictions", str(out), "--truth", str(tmp_path / "truth.csv")]
    assert cli.main(["evaluate", *files]) == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    assert (model["n_samples"], model["n_without_prediction"]) == (5, 2)


def test_each_of_many_is_named(build, metadata, taxonomy, folder, tmp_path, capsys):
    """Twelve broken pictures: the note names ten, the command all of them with the reason."""
    names = [f"b{k:02}.png" for k in range(12)]
    for name in names:
        (folder / name).write_bytes(b"broken")
    tree = tmp_path / "tree.csv"
    tree.write_text("parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,duck\nanimal,newt\n")
    flags = ["--taxonomy", tree, "--inputs", folder, "--out", tmp_path / "p.csv"]
    assert not cli.main(["predict", "--model", str(build(metadata=metadata)), *map(str, flags)])
    told = capsys.readouterr().err
    for name in names:
        assert f"left out: {name}: expected a picture" in told
    assert "12 of 19 pictures left out" in told
