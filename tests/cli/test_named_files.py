"""Files of several runs and options for one method: `NAME=FILE`, folders, patterns, and what is refused."""

import csv
import json

import numpy as np
import pytest

from hierviz import HiervizError, cli
from hierviz.cli import app
from hierviz.opening.named_files import run_files, stem, values_by_method

EDGES = "parent,child\nroot,a\nroot,b\na,a1\na,a2\nb,b1\nb,b2\n"
LEAVES = ["a1", "a2", "b1", "b2"]


def pairs(texts):
    return [(file.path, file.method, file.run) for file in run_files(texts)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files of two methods with runs 2 and 10, of two more kinds, and the parts of one file."""
    monkeypatch.chdir(tmp_path)
    for name in ("flat/seed10.npz", "flat/seed2.npz", "hxe/seed2.npz", "a=b.csv", "parts/p0.parquet", "c.csv.gz"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    return tmp_path


def test_names_and_runs(folder):
    assert pairs(["c.csv.gz"]) == [("c.csv.gz", "c", None)]
    assert pairs(["x=flat/seed2.npz"]) == [("flat/seed2.npz", "x", None)]
    assert pairs(["x=flat/seed2.npz", "x=flat/seed10.npz"]) == [
        ("flat/seed2.npz", "x", "seed2"),
        ("flat/seed10.npz", "x", "seed10"),
    ]
    # Two files of one name.
    assert [run for *_, run in pairs(["x=flat/seed2.npz", "x=hxe/seed2.npz"])] == ["seed2", "seed2 (2)"]


def test_a_folder_and_a_pattern_are_runs_of_their_folder(folder):
    runs = [("flat/seed2.npz", "flat", "seed2"), ("flat/seed10.npz", "flat", "seed10")]
    assert pairs(["flat"]) == pairs(["flat/*.npz"]) == pairs(["flat/"]) == runs
    assert pairs(["mine=flat"]) == [(path, "mine", run) for path, _, run in runs]
    assert pairs(["*/seed*.npz"]) == [*runs, ("hxe/seed2.npz", "hxe", None)]
    # Parts of one file are one file.
    assert pairs(["parts"]) == [("parts", "parts", None)]


def test_a_path_that_exists_is_never_split(folder):
    assert pairs(["a=b.csv"]) == [("a=b.csv", "a=b", None)]
    assert pairs(["a=a=b.csv"]) == [("a=b.csv", "a", None)]
    assert pairs(["s3://bucket/x=1/p.npy"]) == [("s3://bucket/x=1/p.npy", "p", None)]
    assert pairs(["m=s3://bucket/p.npy"]) == [("s3://bucket/p.npy", "m", None)]


def test_a_file_called_as_a_method_is_a_run_of_it(folder):
    assert pairs(["c=flat/seed2.npz", "c.csv.gz"]) == [("flat/seed2.npz", "c", "seed2"), ("c.csv.gz", "c", "c")]


@pytest.mark.parametrize("text", ["=p.csv", "name=", "none/*.npz"])
def test_what_names_no_file(folder, text):
    with pytest.raises(HiervizError, match="--predictions"):
        run_files([text])


def test_stem():
    assert stem("a/b.tar/c.npz.gz") == "c"
    assert stem("v1.5") == "v1.5"


def test_values(folder):
    methods = ["flat", "hxe", "a=b"]
    assert values_by_method("--x", None, methods) == [None] * 3
    assert values_by_method("--x", ["1", "hxe=2", "a=b=3"], methods, float) == [1, 2, 3]
    assert values_by_method("--x", ["hxe=2"], methods, int) == [None, 2, None]
    assert values_by_method("--classes", ["a=b.csv"], methods) == ["a=b.csv"] * 3
    for texts, match in (
        (["1", "2"], "one value for all"),
        (["hxe=1", "hxe=2"], "one value for 'hxe'"),
        (["flatt=1"], "Did you mean .flat"),
        (["hxe=half"], "half"),
    ):
        with pytest.raises(HiervizError, match=match):
            values_by_method("--x", texts, methods, float)


@pytest.fixture
def world(tmp_path, capsys):
    """Logits of the leaves in three files, and a function that evaluates."""
    rng = np.random.default_rng(0)
    (tmp_path / "t.csv").write_text(EDGES)
    truth = rng.integers(0, 4, 30)
    rows = "".join(f"{i},{LEAVES[t]}\n" for i, t in enumerate(truth))
    (tmp_path / "truth.csv").write_text("sample_id,truth\n" + rows)
    for name in ("seed0", "seed1", "other"):
        logits = rng.normal(size=(30, 4)) + 2 * np.eye(4)[truth]
        ids = np.arange(30).astype(str)
        np.savez(tmp_path / f"{name}.npz", scores=logits, classes=np.array(LEAVES), sample_id=ids)

    def evaluate(*flags):
        both = ["--taxonomy", str(tmp_path / "t.csv"), "--truth", str(tmp_path / "truth.csv")]
        flags = [flag.replace("@", f"{tmp_path}/") for flag in flags]
        assert cli.main(["evaluate", *both, *flags]) == 0
        return json.loads(capsys.readouterr().out)["models"]

    return tmp_path, evaluate


FLAT = ("--parametrisation", "flat_softmax")


def test_evaluate_keeps_one_entry_a_file(world):
    folder, evaluate = world
    flags = ("--predictions", "flat=@seed0.npz", "--predictions", "flat=@seed1.npz", "--predictions", "@other.npz")
    found = evaluate(*flags, *FLAT, "--per-sample", "@samples.csv")
    assert [(model["name"], model.get("run")) for model in found] == [
        ("flat", "seed0"),
        ("flat", "seed1"),
        ("other", None),
    ]
    for model, name in zip(found, ("seed0", "seed1", "other")):
        (alone,) = evaluate("--predictions", f"@{name}.npz", *FLAT)
        assert {**alone, "name": model["name"]} == {key: value for key, value in model.items() if key != "run"}
    rows = list(csv.DictReader((folder / "samples.csv").read_text().splitlines()))
    assert [(row["model"], row["run"]) for row in rows[::30]] == [("flat", "seed0"), ("flat", "seed1"), ("other", "")]


def test_options_for_one_method(world):
    _, evaluate = world
    files = ("--predictions", "flat=@seed0.npz", "--predictions", "own=@seed0.npz")
    first, second = evaluate(*files, "--rule", "threshold", *FLAT, "--threshold", "0.3", "--threshold", "own=0.7")
    assert (first["threshold"], second["threshold"]) == (0.3, 0.7)
    for model, value in ((first, "0.3"), (second, "0.7")):
        (alone,) = evaluate(files[0], files[1], "--rule", "threshold", "--threshold", value, *FLAT)
        assert {**alone, "name": model["name"]} == model


def test_class_weights(world):
    folder, evaluate = world
    (plain,) = evaluate("--predictions", "@seed0.npz", *FLAT)
    (equal,) = evaluate("--predictions", "@seed0.npz", *FLAT, "--class-weights", "equal")
    more = {key: value for key, value in equal["curve"].items() if key not in plain["curve"]}
    assert {**equal, "curve": {key: equal["curve"][key] for key in plain["curve"]}} == plain
    assert "balanced_ac" in more
    (folder / "w.csv").write_text("node,weight\na1,1\na2,1\nb1,1\nb2,1\n")
    assert evaluate("--predictions", "@seed0.npz", *FLAT, "--class-weights", "@w.csv") == [equal]


def test_the_app_is_started_with_methods_and_their_runs(tmp_path, monkeypatch):
    (tmp_path / "flat").mkdir()
    for place in ("flat/seed2.npy", "flat/seed10.npy", "a=b.csv"):
        (tmp_path / place).write_text("x")
    monkeypatch.chdir(tmp_path)
    options = cli.parser().parse_args(
        ["app", "--taxonomy", "a=b.csv", *(f"--predictions={text}" for text in ("flat", "a=b.csv", "deep=a=b.csv"))]
    )
    flags = [flag for flag in app._named(options) if flag.startswith("--predictions")]
    here = tmp_path.resolve()
    assert flags == [
        f"--predictions=flat={here}/flat/seed2.npy",
        f"--predictions=flat={here}/flat/seed10.npy",
        f"--predictions={here}/a=b.csv",
        f"--predictions=deep={here}/a=b.csv",
    ]
    again = run_files([flag.partition("=")[2] for flag in flags])
    assert [(file.name, file.run) for file in again] == [
        ("flat", "seed2"),
        ("flat", "seed10"),
        (None, None),
        ("deep", None),
    ]
    missing = cli.parser().parse_args(["app", "--taxonomy", "a=b.csv", "--predictions", "x=none.csv"])
    with pytest.raises(HiervizError, match=r"none\.csv: expected a file for --predictions, got nothing there"):
        app._named(missing)


def steps_of(texts):
    return [(file.method, file.step, file.path) for file in run_files(texts)]


def test_steps_of_a_training(folder):
    assert steps_of(["m@2=flat/seed2.npz", "m@10=flat/seed10.npz", "m@0.5=hxe/seed2.npz"]) == [
        ("m", 2, "flat/seed2.npz"),
        ("m", 10, "flat/seed10.npz"),
        ("m", 0.5, "hxe/seed2.npz"),
    ]
    # Names that were legal before keep their meaning where no number follows.
    for name in ("m@v2", "@3", "a@b", "m@nan", "m@inf", "m@1_0"):
        assert pairs([f"{name}=c.csv.gz"]) == [("c.csv.gz", name, None)]
    assert steps_of(["a@b@3=c.csv.gz"]) == [("a@b", 3, "c.csv.gz")]
    assert [file.name for file in run_files(["m @ 1.0=c.csv.gz"])] == ["m@1"]
    with pytest.raises(HiervizError, match=r"m@1: expected one file for a step of a training, got 'flat/seed2.npz'"):
        run_files(["m@1=flat/seed2.npz", "m@1.0=flat/seed10.npz"])


def test_a_training_has_no_runs_of_its_name(folder):
    """Its steps would be averaged with a model of the same name."""
    words = r"m: expected steps of a training or runs .* 'flat/seed10.npz' has no step, and 'flat/seed2.npz' is m@1\. Name it m@"
    for texts in (["m@1=flat/seed2.npz", "m=flat/seed10.npz"], ["m=flat/seed10.npz", "m@1=flat/seed2.npz"]):
        with pytest.raises(HiervizError, match=words):
            run_files(texts)
    assert steps_of(["m@1=flat/seed2.npz", "last=flat/seed10.npz"])[1] == ("last", None, "flat/seed10.npz")
    for name, said in (("m@x", "'x'"), ("m @ best", "' best'"), ("m@1_000", "'1_000'")):
        with pytest.raises(HiervizError, match=rf"{name}: expected a number as the step of m, as in m@1, got {said}"):
            run_files(["m@1=flat/seed2.npz", f"{name}=flat/seed10.npz"])
    # A file of a page that has the name of a training gets another one at first.
    from hierviz.app.widgets.reading_fields import methods_of

    assert methods_of(["m_epoch1.csv", "m_epoch2.csv", "m.csv"]) == ["m@1", "m@2", "m (2)"]


def test_a_folder_of_steps_reads_the_numbers_of_its_names(folder):
    expected = [("m", 2, "flat/seed2.npz"), ("m", 10, "flat/seed10.npz")]
    assert steps_of(["m@=flat"]) == steps_of(["m@=flat/*.npz"]) == expected
    # Each Parquet file is a step, not a part.
    assert steps_of(["m@=parts"]) == [("m", 0, "parts/p0.parquet")]
    for name in ("v2/e1_of_3.csv", "v2/e02_of_3.csv", "bad/e1_l2.csv", "bad/e2_l3.csv", "none/last.csv"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    assert [step for _, step, _ in steps_of(["m@=v2"])] == [1, 2]
    with pytest.raises(HiervizError, match=r"bad/e1_l2\.csv: expected one number in the file name .* got '1', '2'"):
        run_files(["m@=bad"])
    with pytest.raises(HiervizError, match=r"none/last\.csv: expected the step as a number in the file name"):
        run_files(["m@=none"])
    with pytest.raises(HiervizError, match="--predictions m@=nowhere: expected a folder, or files that match"):
        run_files(["m@=nowhere"])


def test_uploaded_epochs_are_steps():
    from hierviz.opening.named_files import steps_of_stems

    assert steps_of_stems(["flat_epoch1", "flat_epoch10", "other", "hxe-step-2", "epoch 1", "epoch 2"]) == {
        "flat_epoch1": "flat@1",
        "flat_epoch10": "flat@10",
        "epoch 1": "model@1",
        "epoch 2": "model@2",
    }
    # "deep3" is no epoch.
    assert steps_of_stems(["deep3", "deep4"]) == {}
