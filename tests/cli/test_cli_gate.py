"""`hierviz gate`: exit codes of the real command, a baseline that is kept, what is written, and what is refused."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from hierviz.comparison.gating import _gate

NAMES = ("a1", "a2", "b1", "b2")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Files of 300 samples: a baseline, one with a little noise, one that guesses a third; and the same of 12 samples."""
    folder = tmp_path_factory.mktemp("gate")
    (folder / "t.csv").write_text("parent,child\nroot,a\nroot,b\na,a1\na,a2\nb,b1\nb,b2\n")
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 300)
    logits = rng.normal(size=(300, 4))
    logits[np.arange(300), truth] += 2.5
    noise = 0.05 * rng.normal(size=(300, 4))
    guessed = np.where((np.arange(300) % 3 == 0)[:, None], 3 * rng.normal(size=(300, 4)), logits)
    for name, of in (("main", logits), ("near", logits + noise), ("bad", guessed)):
        p = np.exp(of) / np.exp(of).sum(axis=1, keepdims=True)
        rows = [",".join([str(k), *map(repr, row)]) for k, row in enumerate(p.tolist())]
        for file, n in ((name, 300), (f"{name}12", 12)):
            (folder / f"{file}.csv").write_text("\n".join([",".join(["sample_id", *NAMES]), *rows[:n], ""]))
    rows = [f"{k},{NAMES[node]},s{k % 3}" for k, node in enumerate(truth.tolist())]
    for file, n in (("truth", 300), ("truth12", 12)):
        (folder / f"{file}.csv").write_text("\n".join(["sample_id,truth,site", *rows[:n], ""]))
    return folder


@pytest.fixture
def run(world, capsys, monkeypatch):
    """Run `hierviz gate` in the folder of the world: (code, standard output, standard error)."""
    monkeypatch.chdir(world)

    def call(*flags, truth="truth.csv", resamples=100):
        given = ["gate", "--taxonomy", "t.csv", "--truth", truth, *map(str, flags)]
        code = cli.main([*given, "--resamples", str(resamples)] if resamples else given)
        return code, *capsys.readouterr()

    return call


@pytest.mark.parametrize(
    ("code", "flags", "truth"),
    [
        (0, ["--baseline", "main.csv", "--candidate", "near.csv", "--metric", "curve.ac=0.05"], "truth.csv"),
        (0, ["--baseline", "main.csv", "--candidate", "main.csv", "--metric", "predicted.exact=0"], "truth.csv"),
        (1, ["--baseline", "main.csv", "--candidate", "bad.csv"], "truth.csv"),
        (3, ["--baseline", "main12.csv", "--candidate", "near12.csv"], "truth12.csv"),
        (2, ["--baseline", "main.csv", "--candidate", "near.csv", "--metric", "curve.acc"], "truth.csv"),
    ],
)
def test_exit_codes(run, code, flags, truth):
    found, out, err = run(*flags, truth=truth)
    assert found == code
    if code == 2:
        assert (out, len(err.splitlines())) == ("", 1)
        assert "--metric: expected numbers of `evaluate`" in err
    else:
        assert out.split(" (exit ")[0] == {0: "HOLDS", 1: "FAILS", 3: "NOT CLEAR"}[code]
        assert err == ""


def test_exit_codes_of_the_process(world):
    """As a job sees them, also where nobody reads the output to its end."""
    flags = ["gate", "--taxonomy", "t.csv", "--truth", "truth.csv", "--baseline", "main.csv", "--candidate", "bad.csv"]
    command = [sys.executable, "-m", "hierviz", *flags, "--resamples", "100"]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, cwd=world, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_bug_is_no_verdict(run, monkeypatch):
    def broken(*args, **how):
        raise RuntimeError("a bug")

    monkeypatch.setattr(_gate, "gate", broken)
    code, out, err = run("--baseline", "main.csv", "--candidate", "near.csv")
    assert (code, out) == (4, "")
    assert err.startswith("Traceback")
    assert err.endswith("RuntimeError: a bug\n")


def test_the_default_is_said(run):
    _, out, _ = run("--baseline", "main.csv", "--candidate", "near.csv", resamples=None)
    assert "no --metric is given: curve.ac may drop by at most 0.01" in out
    assert "Candidate near.csv against baseline main.csv: 300 samples, 95 % paired intervals." in out


def test_files_for_machines(run, world, tmp_path):
    places = {form: tmp_path / f"gate.{form}" for form in ("json", "markdown", "junit")}
    flags = [part for form, place in places.items() for part in (f"--{form}", place)]
    metrics = ("--metric", "curve.ac=0.05,predicted.exact=0.9", "--metric", "distribution.neg_log_win=0.5")
    code, out, _ = run("--baseline", "main.csv", "--candidate", "bad.csv", *metrics, "--by", "site", *flags)
    assert code == 1
    said = json.loads(places["json"].read_text())
    assert said["hierviz"] == hv.__version__
    gate = said["gate"]
    assert (gate["code"], gate["verdict"], gate["baseline"], gate["candidate"]) == (1, "fails", "main.csv", "bad.csv")
    assert [row["limit"] for row in gate["metrics"]] == [0.05, 0.9, 0.5]
    assert len(gate["parts"]) == 9
    suites = ET.parse(places["junit"]).getroot()
    assert int(suites.get("failures")) == len(list(suites.iter("failure"))) > 0
    assert int(suites.get("tests")) == len(list(suites.iter("testcase"))) == 12
    assert places["markdown"].read_text(encoding="utf-8").startswith("### ❌ hierviz gate: fails")
    assert out.startswith("FAILS (exit 1)")
    code, out, err = run("--baseline", "main.csv", "--candidate", "bad.csv", "--json", "-")
    assert json.loads(out)["gate"]["code"] == code == 1
    assert err.startswith("fails (exit 1): ")


def rows_of(text):
    return [{k: v for k, v in row.items() if k != "label"} for row in json.loads(text)["gate"]["metrics"]]


@pytest.mark.parametrize(
    "flags",
    [
        ["--metric", "curve.ac,predicted.exact,distribution.softmax_win,top_down.argmax_leaf_accuracy,confusion.mcc"],
        ["--metric", "labels.micro_f1,labels.macro_f1,labels.hf1_samples,labels.hf1_auc", "--threshold", "0.4"],
        ["--metric", "predicted.info_f1", "--rule", "plurality"],
        [
            "--metric",
            "best_leaves.lca_height_5=0.5,probabilities.brier=0.1,selective.haurc,curve.balanced_ac",
            "--by",
            "site",
        ],
    ],
)
def test_a_kept_baseline_gives_the_same_numbers(run, tmp_path, flags):
    if any("haurc" in flag for flag in flags):
        known = [key for key in hv.METRICS if hv.METRICS[key].block == "selective" and hv.METRICS[key].sign]
        flags = [flag.replace("selective.haurc", f"selective.{known[0]}") for flag in flags]
    kept = tmp_path / "kept.npz"
    save = [flag for flag in flags if flag not in ("--by", "site")]
    code, out, err = run("--candidate", "main.csv", *save, "--save-baseline", kept)
    assert (code, out, err) == (0, "", f"{kept}: baseline of 300 samples written\n")
    found = [run("--baseline", file, "--candidate", "bad.csv", *flags, "--json", "-") for file in ("main.csv", kept)]
    assert found[0][0] == found[1][0]
    assert rows_of(found[0][1]) == rows_of(found[1][1])
    assert json.loads(found[0][1])["gate"]["parts"] == json.loads(found[1][1])["gate"]["parts"]
    # The same file again: the same answers.
    code, out, _ = run("--baseline", kept, "--candidate", "main.csv", *save, "--json", "-")
    assert (code, {row["verdict"] for row in rows_of(out)}) == (0, {"same answers"})


def test_kept_labels(run, world, tmp_path):
    for name, shift in (("l1", 0), ("l2", 1)):
        rows = [f"{k},{NAMES[(k + shift * (k % 5 == 0)) % 4]}" for k in range(300)]
        (world / f"{name}.csv").write_text("\n".join(["sample_id,predicted", *rows, ""]))
    kept, metric = tmp_path / "kept.npz", ("--metric", "labels.hf1_samples=0.02", "--metric", "confusion.f1")
    assert run("--candidate", "l1.csv", *metric, "--save-baseline", kept)[0] == 0
    found = [run("--baseline", file, "--candidate", "l2.csv", *metric, "--json", "-") for file in ("l1.csv", kept)]
    assert rows_of(found[0][1]) == rows_of(found[1][1])


def test_a_kept_baseline_has_no_scores(run, tmp_path):
    kept = tmp_path / "kept.npz"
    assert run("--candidate", "main.csv", "--save-baseline", kept)[0] == 0
    with np.load(kept) as arrays:  # no pickle
        assert {"table.offsets", "table.nodes", "table.scores", "sample_id", "truth"} <= set(arrays)
        assert "scores" not in arrays
    code, out, err = run("--baseline", kept, "--candidate", "near.csv", "--metric", "best_leaves.lca_height_5=0.5")
    assert (code, out) == (2, "")
    assert "scores were not kept" in err


def test_a_baseline_is_kept_only_where_the_gate_holds(run, tmp_path):
    kept = tmp_path / "kept.npz"
    code, _, err = run("--baseline", "main.csv", "--candidate", "bad.csv", "--save-baseline", kept)
    assert (code, kept.exists()) == (1, False)
    assert "not written, since the gate does not hold" in err
    flags = ("--metric", "curve.ac=0.05", "--save-baseline", kept)
    assert run("--baseline", "main.csv", "--candidate", "near.csv", *flags)[0] == 0
    assert hv.comparison.load_baseline(kept, hv.load_taxonomy("t.csv")).n_judged == 300


def test_damaged_and_other_baselines_are_refused(run, world, tmp_path):
    kept, taxonomy = tmp_path / "kept.npz", hv.load_taxonomy(world / "t.csv")
    assert run("--candidate", "main.csv", "--save-baseline", kept)[0] == 0
    with np.load(kept) as npz:
        arrays = dict(npz)

    def refused(words, **changed):
        place = tmp_path / "changed.npz"
        np.savez(place, **{name: of for name, of in (arrays | changed).items() if of is not None})
        with pytest.raises(hv.FileError, match=words):
            hv.comparison.load_baseline(place, taxonomy)
        assert run("--baseline", place, "--candidate", "main.csv")[0] == 2

    about = json.loads(str(arrays["hierviz_baseline"]))
    refused("damaged", **{"table.nodes": arrays["table.nodes"] + 100})
    refused("damaged", **{"table.offsets": arrays["table.offsets"][::-1]})
    refused("damaged", win=arrays["win"][:-1])
    refused("damaged", win=None)
    refused("damaged", win=arrays["win"] * 0.999)  # numbers that could be
    refused("damaged", **{"table.scores": None})
    refused("form 9", hierviz_baseline=np.array(json.dumps(about | {"form": 9})))
    refused("on another", hierviz_baseline=np.array(json.dumps(about | {"taxonomy": "x"})))
    kept.write_bytes(kept.read_bytes()[:-200])
    assert run("--baseline", kept, "--candidate", "main.csv")[0] == 2


def test_a_kept_baseline_is_no_candidate(run, tmp_path):
    kept = tmp_path / "kept.npz"
    assert run("--candidate", "main.csv", "--save-baseline", kept)[0] == 0
    code, _, err = run("--baseline", "main.csv", "--candidate", kept)
    assert code == 2
    assert "--candidate: expected predictions, got " in err
    assert "a baseline that --save-baseline wrote. Name it with --baseline" in err


def test_a_kept_baseline_with_other_samples_is_named(run, tmp_path):
    """By the model and the file; where only truths are missing, that is said."""
    kept = tmp_path / "kept.npz"
    assert run("--candidate", "main.csv", "--save-baseline", kept)[0] == 0
    whole = "the 300 samples of baseline main.csv (kept.npz), got 12 of them, 288 missing"
    _, _, err = run("--baseline", kept, "--candidate", "main12.csv")
    assert f"candidate main12.csv: expected {whole}" in err
    _, _, err = run("--baseline", kept, "--candidate", "main.csv", truth="truth12.csv")
    assert f"candidate main.csv: expected the truth of {whole}" in err
    code, out, _ = run("--baseline", f"old={kept}", "--candidate", "main.csv")
    assert code == 0
    assert "Candidate main.csv against baseline old: " in out


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--candidate", "near.csv"], "--baseline: expected predictions to compare with"),
        (["--candidate", "near.csv", "--save-baseline", "x.npz", "--by", "site"], "--by: expected --baseline with it"),
        (["--baseline", "main.csv", "--candidate", "near.csv", "--max-drop", "0.1"], "--max-drop: expected --by"),
        (
            ["--baseline", "main.csv", "--candidate", "near.csv", "--by", "sight"],
            "--by: expected depth, node or a column",
        ),
        (
            ["--baseline", "main.csv", "--candidate", "near.csv", "--by", "site", "--max-drop", "-1"],
            "--max-drop: expected the",
        ),
        (["--baseline", "main.csv", "--candidate", "near.csv", "--json", "-", "--junit", "-"], "expected one of them"),
        (
            ["--baseline", "main.csv", "--candidate", "near.csv", "--json", "main.csv"],
            "main.csv: expected another file",
        ),
        (
            ["--baseline", "main.csv", "--candidate", "main12.csv"],
            "candidate main12.csv: expected the 300 samples of baseline main.csv, got 12 of them, 288 missing ('100', ",
        ),
        (
            ["--baseline", "old=main12.csv", "--candidate", "main.csv"],
            "baseline old: expected the 300 samples of candidate main.csv, got 12 of them, 288 missing ('100', ",
        ),
        (
            ["--baseline", "main.csv", "--candidate", "near.csv", "--by", "depth", "--by", "site"],
            "--by: expected one, got 'depth' and 'site'. Run the gate once for each.",
        ),
        (
            ["--baseline", "main.csv", "--candidate", "near.csv", "--metric", "probabilities.cross_entropy=1"],
            "Did you mean 'distribution.cross_entropy'?",
        ),
        (["--baseline", "truth.csv", "--candidate", "main.csv"], "truth.csv: expected a column per class"),
        (["--baseline", "none.npz", "--candidate", "main.csv"], "none.npz"),
    ],
)
def test_bad_options(run, flags, words):
    code, out, err = run(*flags)
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1


def test_runs_and_options_of_one_side(run):
    flags = (
        "--baseline",
        "old=main.csv",
        "--candidate",
        "new=near.csv",
        "--candidate",
        "new=main.csv",
        "--threshold",
        "old=.4",
    )
    code, out, _ = run(*flags, "--metric", "labels.micro_f1=0.5", "--json", "-")
    gate = json.loads(out)["gate"]
    assert (code, gate["baseline"], gate["candidate"]) == (0, "old", "new")
    assert any("1 run of the baseline" in note for note in gate["notes"])


def test_steps_of_a_training_are_compared(run, world, tmp_path):
    """Two steps with each other; of a folder the last one, which is said."""
    steps = ("--baseline", "m@1=main.csv", "--candidate", "m@2=bad.csv")
    code, out, err = run(*steps)
    assert (code, err) == (1, "")
    assert "Candidate m@2 against baseline m@1: 300 samples" in out
    alone = run("--baseline", "main.csv", "--candidate", "bad.csv")[1]
    assert out.splitlines()[3:5] == alone.splitlines()[3:5]
    for step, name in ((2, "bad"), (10, "main")):
        (tmp_path / f"epoch{step}.csv").write_text((world / f"{name}.csv").read_text())
    code, out, err = run("--baseline", f"m@={tmp_path}", "--candidate", "near.csv", "--metric", "curve.ac=0.05")
    assert code == 0
    assert "Candidate near.csv against baseline m@10: 300 samples" in out
    assert err == "note: m: the last of 2 steps, 10; `hierviz table` and `hierviz chart training` show all\n"
