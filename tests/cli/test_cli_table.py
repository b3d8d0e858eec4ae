"""`hierviz table`: published tables with all their digits, the demo's heads in one command, and what is refused."""

import csv
import json

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli

MEASURES = ("acc", "ppv", "tpr", "f1", "mcc")
CELLS = ("tp", "tn", "fp", "fn")


@pytest.fixture
def table(capsys):
    """Run `hierviz table ... --format json`; returns the rows by method and the JSON."""

    def call(*flags):
        assert cli.main(["table", *map(str, flags), "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        return {row["model"]: row for row in found["rows"]}, found

    return call


def printed(row):
    """The nine cells of a row as the paper prints them: counts, and per cents with two digits."""
    values = row["values"]
    counts = [values[f"confusion.{cell}"] for cell in CELLS]
    return [*counts, *(f"{100 * values[f'confusion.{key}']:.2f}" for key in MEASURES)]


def as_printed(cells):
    return [*cells[:4], *(f"{cell:.2f}" for cell in cells[4:])]


def test_riehl_iii(table, golden, shared_data):
    folder, expected = shared_data / "transposon", golden("published_tables.json")
    files = [
        flag for name in expected["riehl_iii"] for flag in ("--predictions", f"{name}={folder}/pred_{name}.csv.gz")
    ]
    truth = ("--truth", folder / "truth.csv.gz", "--truth-column", "label_paper")
    rows, found = table("--taxonomy", folder / "taxonomy.csv", *files, *truth, "--preset", "riehl", "--resamples", 100)
    assert list(rows) == list(expected["riehl_iii"])
    for name, cells in expected["riehl_iii"].items():
        assert printed(rows[name]) == as_printed(cells), name
    constant = found["constant"]
    for key, (node, value) in expected["constants"].items():
        assert constant["answers"][f"confusion.{key}"] == node
        assert round(constant["values"][f"confusion.{key}"], len(str(value)) - 2) == value
    assert [rows[name]["mark"]["confusion.f1"] for name in rows] == ["best", "second", None]
    assert any("MCC is -0.815" in warning for warning in rows["TopDown"]["warnings"])
    assert any("constant 0.701" in warning for warning in rows["TopDown"]["warnings"])
    assert rows["RFSB"]["warnings"] == []


@pytest.mark.parametrize(("task", "key"), [("1a", "riehl_iv"), pytest.param("1b", "task_1b", marks=pytest.mark.long)])
def test_germeval(table, golden, shared_data, task, key):
    """Hierarchical columns with empty fields kept, as the authors had them; those of the organisers without."""
    folder, expected = shared_data / "germeval2019", golden("published_tables.json")[key]
    files = ["--taxonomy", folder / f"taxonomy_{task}.csv", "--truth", folder / f"truth_{task}.csv.gz"]
    for name in expected:
        files += ["--predictions", f"{name}={folder}/pred_{task}_{name}.csv.gz"]
    kept = ("--keep-empty-labels",) if task == "1a" else ()
    rows, _ = table(*files, "--preset", "riehl", "--resamples", 0, *kept)
    for name, cells in expected.items():
        assert printed(rows[name]) == as_printed(cells), name
    rows, _ = table(*files, "--preset", "riehl", "--resamples", 0)
    of_files = json.loads((folder / "expected.json").read_text())["tasks"][task]
    for name, row in rows.items():
        organisers = of_files[name]["flat_micro"]
        assert row["values"]["labels.micro_f1"] == pytest.approx(organisers["f1"], abs=1e-12), name
        for what in ("precision", "recall"):
            assert row["values"][f"labels.micro_{what}"] == pytest.approx(organisers[what], abs=1e-12), name
        assert row["values"]["labels.subset_accuracy"] == pytest.approx(organisers["subset_accuracy"], abs=1e-12)
        assert "labels" in row["reason"].get("curve.ac", "labels")


HWV = {
    "labels.hamming_loss": "threshold_0.5/hamming_loss",
    "labels.micro_f1": "threshold_0.5/micro_f1",
    "labels.macro_f1": "threshold_0.5/macro_f1",
    "labels.c_f1_micro": "threshold_0.5/c_f1_micro_prune",
    "labels.hf1_samples": "threshold_0.5/hierarchical/f1_samples",
    "labels.ihf1_micro": "threshold_0.5/information/f1_micro",
    "labels.hf1_auc": "curves/hf1_auc",
    "labels.ihf1_auc": "curves/ihf1_auc",
}


@pytest.mark.long
def test_plaud_and_wu_of_hwv(table, shared_data):
    folder = shared_data / "hwv"
    flags = ["--taxonomy", folder / "taxonomy.csv", "--truth", folder / "test.csv", "--truth-column", "leaf"]
    for name, file in (("flat", "pred_flat.npz"), ("bce", "pred_bce_nodes.npz")):
        flags += ["--predictions", f"{name}={folder}/{file}"]
    rows, _ = table(*flags, "--preset", "plaud", "--resamples", 0)
    for name, file in (("flat", "expected.json"), ("bce", "expected_bce.json")):
        expected = json.loads((folder / file).read_text())
        for key, path in HWV.items():
            value = expected
            for part in path.split("/"):
                value = value[part]
            assert rows[name]["values"][key] == pytest.approx(value, abs=1e-9), (name, key)
    rows, found = table(*flags, "--preset", "wu", "--resamples", 0)
    assert len(found["columns"]) == 10
    win = json.loads((folder / "expected.json").read_text())["win"]
    for key, value in rows["flat"]["values"].items():
        name = key.split(".")[1]
        assert value == (win[name] if isinstance(win[name], str) else pytest.approx(win[name], abs=1e-9)), key


@pytest.fixture(scope="module")
def heads(tmp_path_factory):
    """Raw scores of the demo's seven heads, the parameter-sharing ones once more, and their parametrisations."""
    from hierviz.demo import MODELS, bundle_folder, load_demo

    folder = tmp_path_factory.mktemp("heads")
    taxonomy, predictions = load_demo()
    truth, given = predictions[0].truth, {}
    with open(folder / "truth.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["sample_id", "truth"])
        writer.writerows((i, taxonomy.names[node]) for i, node in zip(predictions[0].ids, truth))
    for name, model in zip(MODELS, predictions):
        columns = model.scored_nodes
        if columns is None:
            from hierviz.predictions.parametrisation import default_columns

            columns = default_columns(taxonomy, model.parametrisation)
        names = np.array([taxonomy.names[node] for node in columns])
        np.savez(
            folder / f"{name}.npz", scores=np.asarray(model.scores), classes=names, sample_id=model.ids.astype(str)
        )
        given[name] = model.parametrisation
    np.savez(folder / "deep_rtc.npz", **np.load(folder / "parameter_sharing.npz"))
    given["deep_rtc"] = "deep_rtc"
    return bundle_folder() / "assets" / "demo" / "taxonomy.csv", folder, given


@pytest.mark.long
def test_the_demos_heads_in_one_command(heads, capsys):
    """Eight files with their own parametrisation: equal to each alone."""
    taxonomy, folder, given = heads
    assert len(set(given.values())) >= 6
    files = ["--taxonomy", str(taxonomy), "--truth", str(folder / "truth.csv")]

    def evaluate(*flags):
        assert cli.main(["evaluate", *files, *flags]) == 0
        return json.loads(capsys.readouterr().out)["models"]

    flags = [flag for name in given for flag in ("--predictions", str(folder / f"{name}.npz"))]
    flags += [flag for name, key in given.items() for flag in ("--parametrisation", f"{name}={key}")]
    together = evaluate(*flags)
    assert [(model["name"], model["parametrisation"]) for model in together] == list(given.items())
    for model in together:
        name = model["name"]
        assert evaluate("--predictions", str(folder / f"{name}.npz"), "--parametrisation", given[name]) == [model]
    assert cli.main(["table", *files, *flags, "--preset", "valmadre", "--resamples", "20", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for row, model in zip(found["rows"], together, strict=True):
        assert row["values"] == {
            f"curve.{key.split('.')[1]}": model["curve"][key.split(".")[1]] for key in row["values"]
        }
    # Logits of one network: squashing by another temperature moves thresholds, not areas over all of them.
    by_name = {row["model"]: row["values"] for row in found["rows"]}
    assert by_name["deep_rtc"]["curve.ac"] != by_name["parameter_sharing"]["curve.ac"]


@pytest.fixture
def small(tmp_path):
    (tmp_path / "t.csv").write_text("parent,child\nroot,a\nroot,b\n")
    for name, rows in (("p", "1,0.9,0.1\n2,0.2,0.8\n"), ("q", "1,0.4,0.6\n2,0.1,0.9\n")):
        (tmp_path / f"{name}.csv").write_text("sample_id,a,b\n" + rows)
    (tmp_path / "truth.csv").write_text("sample_id,truth,site\n1,a,x\n2,b,y\n")
    return [
        *("--taxonomy", str(tmp_path / "t.csv"), "--truth", str(tmp_path / "truth.csv")),
        *("--predictions", str(tmp_path / "p.csv"), "--predictions", str(tmp_path / "q.csv")),
    ]


@pytest.mark.parametrize("form", ["md", "csv", "latex", "json"])
def test_formats_and_files(small, tmp_path, capsys, form):
    flags = [
        "table",
        *small,
        "--metrics",
        "confusion.f1",
        "--metrics",
        "curve.ac",
        "--format",
        form,
        "--resamples",
        "50",
    ]
    assert cli.main(flags) == 0
    shown = capsys.readouterr().out
    assert cli.main([*flags, "--out", str(tmp_path / "out.txt")]) == 0
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == shown
    assert capsys.readouterr().out == ""
    assert "F1" in shown or "confusion.f1" in shown


@pytest.mark.parametrize(
    ("flags", "match"),
    [
        (["--preset", "riel"], "riehl"),
        (["--metrics", "curve.acc"], "curve.ac"),
        (["--confidence", "1.5"], "--confidence: expected a number between 0 and 1"),
        (["--resamples", "1"], "--resamples"),
        (["--seed", "-1"], "seed"),
        (["--group", "sit"], "site"),
        (["--class-weights", "none.csv"], "none.csv"),
        (["--out", "nowhere/x.md"], "nowhere"),
        (["--threshold", "r=0.3"], "NAME=value"),
        (["--format", "html"], "--format"),
    ],
)
def test_bad_input_is_one_line(small, capsys, flags, match):
    try:
        code = cli.main(["table", *small, *flags])
    except SystemExit as stopped:
        code = stopped.code
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert match in err


def test_python_is_the_command(small, table):
    _, found = table(*small, "--resamples", 50, "--seed", 3, "--confidence", 0.9)
    taxonomy = hv.load_taxonomy(small[1])
    models = [hv.load_predictions(path, taxonomy, truth=small[3]) for path in (small[5], small[7])]
    assert json.loads(json.dumps(hv.compare(models, resamples=50, seed=3, level=0.9).to_dict())) == found
