"""`hierviz predict` on models that leave something open, and what its files remember."""

import json

import numpy as np
import pytest

from hierviz import cli
from hierviz.demo import bundle_folder
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.run_record import record_path
from hierviz.readers.taxonomy_file import load_taxonomy

LEAVES = ["newt", "cat", "duck", "dog"]


@pytest.fixture
def tree(tmp_path):
    """The small taxonomy as a file."""
    path = tmp_path / "tree.csv"
    path.write_text("parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,duck\nanimal,newt\n")
    return path


@pytest.fixture
def array(tmp_path, pictures):
    """The pictures as an .npy file."""
    np.save(tmp_path / "pictures.npy", pictures)
    return tmp_path / "pictures.npy"


@pytest.fixture
def predict(tree, capsys):
    """predict(model, ...) -> (exit code, standard output, standard error)."""

    def call(model, *more):
        code = cli.main(["predict", "--model", str(model), "--taxonomy", str(tree), *map(str, more)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_inspect_asks(build, predict):
    path = build(dtype="float32", shape=("n", 5, 6, 3))
    code, out, err = predict(path, "--inspect")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert "input: image, float32 [any, 5, 6, 3]" in lines
    assert "outputs: logits, tensor(float) [any, 4]" in lines
    assert "question: What are the class names of the 4 output columns, in order? (--classes)" in lines
    assert any(line.startswith("question: For pictures: how to scale 0..255") for line in lines)
    assert any(line.startswith("format: IR version 8, opset ai.onnx 17, ") for line in lines)
    code, out, _ = predict(path, "--inspect", "--json", "-")
    assert code == 0
    assert [one["about"] for one in json.loads(out)["questions"]] == ["classes", "preprocessing"]


def test_inspect_shows_what_did_not_match(build, metadata, predict):
    names = ["newt", "CAT", "duk", "dog"]
    code, out, err = predict(build(metadata={**metadata, "nodes": names}), "--inspect")
    assert (code, err) == (0, "")
    assert "no node: column 2, 'duk'" in out
    assert "'CAT' is node: cat" in out
    assert "question: 1 of 4 class names in the model's metadata is not in the taxonomy ('duk')." in out


def test_the_flags_reach_the_model(build, predict, array, tmp_path, taxonomy, pictures, expected):
    (tmp_path / "classes.txt").write_text("\n".join(LEAVES))
    path = build(dtype="float32", shape=("n", 5, 6, 3), outputs=(("one", None), ("two", None)))
    flags = ["--inputs", array, "--classes", tmp_path / "classes.txt", "--out", tmp_path / "p.parquet"]
    code, _, err = predict(path, *flags)
    assert code == 2
    assert "--output" in err
    flags += ["--output", "two", "--batch", "3", "--cpu-seconds", "30"]
    code, _, err = predict(path, *flags)
    assert code == 2
    assert "--range" in err
    said = ["--range", "-1,1", "--colour", "BGR", "--mean", "-0.5,0,0.5", "--std", "2"]
    code, out, err = predict(path, *flags, *said)
    assert (code, out) == (0, ""), err
    seen = (pictures[..., ::-1] / 127.5 - 1 - [-0.5, 0, 0.5]) / 2
    e = np.exp(expected(seen))
    found = load_predictions(tmp_path / "p.parquet", taxonomy)
    p = found.node_probabilities()[:, taxonomy.nodes(*LEAVES)]
    np.testing.assert_allclose(p, e / e.sum(axis=1, keepdims=True), rtol=1e-5)
    code, _, err = predict(path, *flags, "--range", "0;1")
    assert (code, err.count("\n")) == (2, 1)
    assert "--range: expected numbers as LOW,HIGH" in err


def test_scores_of_nodes_are_asked_about(build, predict, array, tmp_path, taxonomy):
    (tmp_path / "classes.txt").write_text("newt\ncat\nduck\ndog\nbird\nmammal")
    flags = ["--inputs", array, "--classes", tmp_path / "classes.txt", "--out", tmp_path / "p.csv"]
    code, _, err = predict(build(width=6), *flags)
    assert (code, err.count("\n")) == (2, 1)
    assert "--parametrisation multilabel_sigmoid | " in err
    assert not (tmp_path / "p.csv").exists()
    assert predict(build(width=6), *flags, "--scores", "siblings")[0] == 0
    # The root is 1, and mammal, bird and newt share it.
    p = load_predictions(tmp_path / "p.csv", taxonomy).node_probabilities()
    np.testing.assert_allclose(p[:, taxonomy.nodes("mammal", "bird", "newt")].sum(axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".csv.gz"])
def test_the_file_remembers(build, metadata, predict, array, tmp_path, taxonomy, tree, suffix, capsys):
    out = tmp_path / f"p{suffix}"
    path = build(metadata=metadata, softmax=True)  # a second softmax
    code, _, err = predict(path, "--inputs", array, "--out", out)
    assert code == 0
    assert "note: " in err
    assert "second softmax" in err
    found = load_predictions(out, taxonomy)
    assert found.detected["made by"] == "Tiny"
    assert found.detected["made by, parametrisation"] == "flat_softmax (the model's metadata)"
    import hashlib

    assert found.detected["made by, sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.detected["made by, sha256 of inputs"] == hashlib.sha256(array.read_bytes()).hexdigest()
    for package in ("hierviz", "onnxruntime", "numpy"):
        assert found.detected[f"made by, {package}"]
    (tmp_path / "truth.csv").write_text("truth\n" + "cat\n" * 7)
    flags = ["--taxonomy", str(tree), "--predictions", str(out), "--truth", str(tmp_path / "truth.csv")]
    assert cli.main(["evaluate", *flags]) == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    assert any("second softmax" in note for note in model["notes"])


def test_a_record_is_only_believed_about_its_own_file(build, metadata, predict, array, tmp_path, taxonomy):
    out = tmp_path / "p.csv"
    assert predict(build(metadata=metadata), "--inputs", array, "--out", out)[0] == 0
    beside = record_path(out)
    assert json.loads(beside.read_text())["classes"] == LEAVES
    text = out.read_text()
    out.write_text(text + "\n")
    found = load_predictions(out, taxonomy)
    assert "made by" not in found.detected
    assert any("is not the file that it was written with" in note for note in found.notes)
    out.write_text(text)
    for broken in ("{", "[1]", '{"detected": 3}'):
        beside.write_text(broken)
        found = load_predictions(out, taxonomy)
        assert "made by" not in found.detected
        assert any("was not used" in note for note in found.notes)


def test_another_taxonomy_is_said(build, metadata, predict, array, tmp_path):
    from hierviz import Taxonomy

    assert predict(build(metadata=metadata), "--inputs", array, "--out", tmp_path / "p.parquet")[0] == 0
    other = Taxonomy.from_edges([("r", "cat"), ("r", "dog"), ("r", "duck"), ("r", "newt")])
    found = load_predictions(tmp_path / "p.parquet", other)
    assert any("made with another taxonomy" in note for note in found.notes)


def test_truth_shows_the_order_of_the_classes(build, metadata, predict, tmp_path, taxonomy):
    """The truth is what the model answers, its columns being in alphabetical order."""
    rng = np.random.default_rng(0)
    colours = rng.integers(0, 256, (400, 1, 1, 3), dtype=np.uint8)
    np.save(tmp_path / "many.npy", colours + np.zeros((400, 5, 6, 3), np.uint8))
    path, many = build(metadata={**metadata, "nodes": sorted(LEAVES)}), tmp_path / "many.npy"
    assert predict(path, "--inputs", many, "--out", tmp_path / "p.csv")[0] == 0
    p = load_predictions(tmp_path / "p.csv", taxonomy).node_probabilities()
    best = [taxonomy.names[node] for node in taxonomy.leaves[p[:, taxonomy.leaves].argmax(axis=1)]]
    assert len(set(best)) > 2
    (tmp_path / "truth.csv").write_text("truth\n" + "\n".join(best))
    flags = ["--inputs", many, "--out", tmp_path / "q.csv", "--truth", tmp_path / "truth.csv"]
    code, out, err = predict(path, *flags)
    assert (code, out) == (0, "")
    assert "order of the classes (400 samples with known truth" in err
    assert "100.0 %  as matched (used)" in err
    assert "warning" not in err
    # Somebody lists them in another order.
    (tmp_path / "classes.txt").write_text("\n".join(LEAVES))
    code, _, err = predict(path, *flags, "--classes", tmp_path / "classes.txt")
    assert code == 0
    assert "warning: the columns are probably in another order" in err
    assert "100.0 % in alphabetical order" in err
    # Nobody does: the table helps, and nothing is taken by position.
    code, out, err = predict(build("bare.onnx"), *flags)
    assert (code, err.count("\n")) == (2, 1)
    assert "100.0 %  alphabetical order" in out
    assert "--classes" in err
    assert "(used)" not in out
    code, _, err = predict(path, *flags[:-1], tmp_path / "no.csv")
    assert (code, err.count("\n")) == (2, 1)


def test_truth_by_the_names_of_picture_files(build, metadata, predict, folder, tmp_path):
    """Inputs are called p0, the truth calls them x/p0.png; ids that do not meet are told before the model runs."""
    path, out = build(metadata=metadata), tmp_path / "p.csv"
    ids = sorted(one.stem for one in folder.iterdir())
    truth = tmp_path / "truth.csv"
    truth.write_text("sample_id,truth\n" + "".join(f"x/{one}.png,cat\n" for one in ids))
    flags = ["--inputs", folder, "--out", out, "--truth", truth]
    code, _, err = predict(path, *flags)
    assert code == 0, err
    assert f"order of the classes ({len(ids)} samples with known truth" in err
    out.unlink()
    # Nothing in common, and two that would be called alike.
    for rows in ("else,cat\n", f"x/{ids[0]}.png,cat\ny/{ids[0]}.png,cat\n"):
        truth.write_text("sample_id,truth\n" + rows)
        code, _, err = predict(path, *flags)
        assert (code, err.count("\n")) == (2, 1)
        assert f"got none in common: '{ids[0]}'" in err
        assert not out.exists()


def test_truths_outside_the_taxonomy(build, metadata, predict, folder, tmp_path):
    """Left out or mapped, as `evaluate` reads the same files, before the model runs."""
    path, out, truth = build(metadata=metadata), tmp_path / "p.csv", tmp_path / "truth.csv"
    ids = sorted(one.stem for one in folder.iterdir())
    truth.write_text("sample_id,truth\n" + "".join(f"{one},{'dgo' if one == ids[0] else 'cat'}\n" for one in ids))
    flags = ["--inputs", folder, "--out", out, "--truth", truth]
    code, _, err = predict(path, *flags)
    assert (code, err.count("\n")) == (2, 1)
    assert "got 'dgo'" in err
    assert "--outside-truth" in err
    code, _, err = predict(path, *flags, "--outside-truth", "drop")
    assert code == 0, err
    assert f"order of the classes ({len(ids) - 1} samples with known truth" in err
    assert "1 sample with truths outside the taxonomy left out" in err
    (tmp_path / "mapping.csv").write_text("given,mapped_to\ndgo,dog\n")
    code, _, err = predict(path, *flags, "--mapping", tmp_path / "mapping.csv")
    assert code == 0, err
    assert f"order of the classes ({len(ids)} samples with known truth" in err
    assert "'dgo' is 'dog'" in err


def test_flags_that_do_not_go_together(build, metadata, predict, array, tmp_path):
    path = build(metadata=metadata)
    for more, words in (
        (["--json", "-"], "--json: expected --inspect"),
        (["--size", "5"], "--size: expected HxW in pixels"),
        (["--color", "BRG"], "BRG"),
    ):
        code, _, err = predict(path, "--inputs", array, "--out", tmp_path / "p.csv", *more)
        assert (code, err.count("\n")) == (2, 1)
        assert words in err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (
            ["--size", "8x8", "--crop", "6x6"],
            "expected a crop of the size that the model is fed, 8 x 8 (height x width), got 6 x 6. Leave --crop out",
        ),
        (["--crop", "6x6"], "expected a crop of the size that the model is fed, 5 x 6"),
        (["--resize", "9", "--pad"], "with borders nothing is cut off. Leave --pad out, or --resize and --crop."),
        (["--resize", "4", "--crop", "5x6"], "expected a size to resize to of at least 5 x 6"),
        (["--resize", "4x5x6"], "--resize: expected pixels of the shorter side, or HxW, got '4x5x6'"),
        (["--resample", "cubic"], "'resample': expected NEAREST or LANCZOS"),
        (["--pad", "300"], "'pad': expected the grey level of the borders, 0 to 255, got 300"),
        (["--range", "0,1", "--mean", "127"], "expected a mean inside the range 0 to 1"),
    ],
)
def test_contradictions_about_the_preparation(build, metadata, predict, flags, words):
    model = build(dtype="float32", shape=("n", 5, 6, 3), metadata={"nodes": metadata["nodes"]})
    code, _, told = predict(model, "--inspect", *flags)
    assert code == 2
    assert words in told
    assert told.count("\n") == 1


def test_permuted_classes_of_the_demo(tmp_path, capsys):
    """The demo's columns are in the tree's order; an alphabetical list of classes runs and gets nothing right."""
    pytest.importorskip("onnxruntime")
    demo, model = bundle_folder() / "assets" / "demo", bundle_folder() / "models" / "flat_softmax.onnx"
    taxonomy = load_taxonomy(demo / "taxonomy.csv")
    (tmp_path / "classes.txt").write_text("\n".join(sorted(taxonomy.names[node] for node in taxonomy.leaves)))
    flags = ["--model", model, "--taxonomy", demo / "taxonomy.csv", "--inputs", demo / "pictures.zip"]
    flags += ["--classes", tmp_path / "classes.txt", "--truth", demo / "examples.csv", "--out", tmp_path / "p.parquet"]
    assert cli.main(["predict", *map(str, flags)]) == 0
    err = capsys.readouterr().err
    assert "warning: the columns are probably in another order" in err
    assert "in the taxonomy's order" in err
    assert "warning: accuracy is close to chance" in err
    assert "check the order of the classes and the scaling" in err
