"""Eight methods with five runs each, as folders of files: one table, one chart, and forty single evaluations beside them."""

import json
import re

import numpy as np
import pytest

from hierviz import cli

LEAVES = ["a1", "a2", "b1", "b2"]
KEYS = ("curve.ac", "curve.ap", "predicted.correct", "labels.hf1_samples", "confusion.f1")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Folders m0 ... m7 with seed0.npz ... seed4.npz, of 50 samples."""
    folder, rng = tmp_path_factory.mktemp("forty"), np.random.default_rng(0)
    (folder / "t.csv").write_text("parent,child\nroot,a\nroot,b\na,a1\na,a2\nb,b1\nb,b2\n")
    truth, ids = rng.integers(0, 4, 50), np.array([f"s{i}" for i in range(50)])
    lines = [f"{i},{LEAVES[k]}" for i, k in zip(ids, truth)]
    (folder / "truth.csv").write_text("\n".join(["sample_id,truth", *lines]) + "\n")
    for m in range(8):
        (folder / f"m{m}").mkdir()
        for seed in range(5):
            logits = rng.normal(size=(50, 4)) + 0.5 * m * (np.arange(4) == truth[:, None])
            np.savez(folder / f"m{m}" / f"seed{seed}.npz", scores=logits, classes=np.array(LEAVES), sample_id=ids)
    return folder


@pytest.mark.long
def test_one_table_and_one_chart(runs, tmp_path, capsys):
    given = ["--taxonomy", str(runs / "t.csv"), "--truth", str(runs / "truth.csv"), "--parametrisation", "flat_softmax"]
    folders = [flag for m in range(8) for flag in ("--predictions", str(runs / f"m{m}"))]
    assert cli.main(["evaluate", *given, *folders]) == 0
    single = json.loads(capsys.readouterr().out)["models"]
    assert [(model["name"], model["run"]) for model in single] == [
        (f"m{m}", f"seed{s}") for m in range(8) for s in range(5)
    ]
    table = ["table", *given, *folders, "--metrics", ",".join(KEYS), "--resamples", "100", "--format", "json"]
    assert cli.main(table) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(row["model"], row["n_runs"]) for row in found["rows"]] == [(f"m{m}", 5) for m in range(8)]
    for m, row in enumerate(found["rows"]):
        for key in KEYS:
            block, metric = key.split(".")
            values = [model[block][metric] for model in single[5 * m : 5 * m + 5]]
            assert row["values"][key] == pytest.approx(np.mean(values), rel=1e-12)
            assert row["spread"][key] == pytest.approx(np.std(values, ddof=1), rel=1e-12)
    chart = ["chart", "methods", *given, *folders, "--metric", "curve.ac", "--resamples", "100"]
    assert cli.main([*chart, "--out", str(tmp_path / "runs.json")]) == 0
    assert re.match(r"AC: m7 is best with 0\.\d{3}", capsys.readouterr().out)
    drawn = json.loads((tmp_path / "runs.json").read_text())["datasets"].values()
    dots = [(row["item"], row["run"], row["value"]) for rows in drawn for row in rows if "run" in row]
    assert dots == [(model["name"], model["run"], pytest.approx(model["curve"]["ac"])) for model in single]


def test_one_evaluation_of_each_file_alone(runs, capsys):
    """A file alone has the numbers that it has among the forty."""
    given = ["--taxonomy", str(runs / "t.csv"), "--truth", str(runs / "truth.csv"), "--parametrisation", "flat_softmax"]
    alone = []
    for seed in range(5):
        assert cli.main(["evaluate", *given, "--predictions", str(runs / "m3" / f"seed{seed}.npz")]) == 0
        alone.append(json.loads(capsys.readouterr().out)["models"][0]["curve"]["ac"])
    table = ["table", *given, "--predictions", str(runs / "m3"), "--metrics", "curve.ac", "--resamples", "0"]
    assert cli.main([*table, "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["spread"]["curve.ac"] == np.std(alone, ddof=1)
