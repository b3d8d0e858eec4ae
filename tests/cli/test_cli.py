"""The command line: exit codes, the one line of an error, the JSON contract against hand-worked numbers, ONNX in and out.

Most calls run `hierviz.cli.main` in process; what only a process can show (tracebacks, pipes, terminals) runs as one.
"""

import csv
import io
import json
import math
import os
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from hierviz.demo import MODELS, load_demo
from hierviz.metrics.registry import path_keys
from tests.readers.bad_files import BAD_FILES, EDGES, PNG

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets" / "demo"
BLOCKS = ("distribution", "top_down", "predicted", "labels", "curve", "confusion")
COMMANDS = ("app", "evaluate", "curve", "diagnose", "predict")


@pytest.fixture
def run(capsys):
    """run(*arguments) -> (exit code, standard output, standard error)."""

    def call(*arguments):
        capsys.readouterr()
        try:
            code = cli.main([str(one) for one in arguments])
        except SystemExit as end:  # argparse: help, version, wrong arguments
            code = end.code
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def evaluate(run):
    """The JSON that `evaluate` prints, alone on standard output."""

    def call(*arguments, said=""):
        code, out, err = run("evaluate", *arguments)
        assert code == 0
        assert re.fullmatch(said, err)
        return json.loads(out)

    return call


def as_flags(arguments):
    """{"truth_column": "c"} -> ["--truth-column", "c"]."""
    return [part for key, value in arguments.items() for part in (f"--{key.replace('_', '-')}", str(value))]


def command(*arguments):
    """The command as a process of its own, warnings being errors."""
    return [sys.executable, "-W", "error", "-m", "hierviz", *map(str, arguments)]


def as_process(*arguments, **options):
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=120, **options)


def assert_one_line(err, match):
    assert re.search(match, err), err
    assert err.startswith("hierviz")
    assert err.endswith("\n")
    assert err.count("\n") == 1, err


def same(found, expected, tolerance=1e-12, where="json"):
    """Equal structure, key order and types; numbers to a tolerance, counts exactly."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), where
        assert list(found) == list(expected), where
        for key, value in expected.items():
            same(found[key], value, tolerance, f"{where}.{key}")
    elif isinstance(expected, float):
        assert isinstance(found, float), (where, found)
        assert found == pytest.approx(expected, rel=0, abs=tolerance), where
    else:
        assert type(found) is type(expected), where
        assert found == expected, where


# Bad input ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_file_is_one_line_and_exit_2(name, tmp_path, run):
    code, out, err = run("evaluate", *as_flags(BAD_FILES[name].write(tmp_path)))
    assert (code, out) == (2, "")
    assert_one_line(err, BAD_FILES[name].match)
    # where: expected X, got Y. What to do.
    message = err.rstrip("\n").partition(": ")[2]
    assert ": expected" in message, message
    assert ", got " in message, message
    assert message[-1] in ".?", message
    assert len(message) <= 500
    assert message.isprintable()


# The others are read without a process of their own each day.
@pytest.mark.parametrize(
    "name",
    [
        *("npz that says it is huge", "cycle"),
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("PNG called CSV", "gap in a path", "truth column ambiguous")
        ),
    ],
)
def test_bad_file_in_a_process_of_its_own(name, tmp_path):
    done = as_process("evaluate", *as_flags(BAD_FILES[name].write(tmp_path)))
    assert (done.returncode, done.stdout) == (2, "")
    assert_one_line(done.stderr, BAD_FILES[name].match)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["doctor"], "doctor"),
        (["report"], "report"),
        (["evaluate"], "--taxonomy, --predictions"),
        (["evaluate", "--taxonomy", "t.csv"], "--predictions"),
        (["evaluate", "--taxonomy", "t.csv", "--predictions", "p.csv", "--threshold", "half"], "--threshold.*half"),
        (["evaluate", "--taxonomy", "t.csv", "--predictions", "p.csv", "--top-k", "5"], "--top-k"),
        (["predict", "--taxonomy", "t.csv"], "--model"),
    ],
)
def test_wrong_arguments_are_one_line_and_exit_2(arguments, match, run):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert_one_line(err, match)


def test_our_own_bug_is_not_dressed_up(world, monkeypatch):
    monkeypatch.setattr(cli.evaluate, "evaluate", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cli.main(["evaluate", *map(str, world.flags)])


# A tiny world, worked by hand ------------------------------------------------------------------------------------------
#
# animal > mammal > cat, dog;  animal > bird > duck;  animal > newt.  Information: mammal 1 bit, leaves and bird 2 bits.
#
#        cat    dog    duck   newt  | mammal bird  | truth   majority   best leaf (top down)
#   a    1/2    1/4    1/8    1/8   | 3/4    1/8   | cat     mammal     cat
#   b    1/4    1/4    1/4    1/4   | 1/2    1/4   | duck    animal     cat (first of equals, mammal beats bird)
#   c    1/8    1/8    5/8    1/8   | 1/4    5/8   | newt    duck       duck

SCORES = "sample_id,cat,dog,duck,newt\na,0.5,0.25,0.125,0.125\nb,0.25,0.25,0.25,0.25\nc,0.125,0.125,0.625,0.125\n"
# A second model: sure of the wrong leaf in a and b, right in c.
SURE = "sample_id,cat,dog,duck,newt\na,0,0,1,0\nb,0,1,0,0\nc,0,0,0,1\n"
TRUTH = "sample_id,truth,image\na,cat,a.png\nb,duck,b.png\nc,newt,c.png\n"
NODES = "node,name,train_count\ncat,Cat,3\ndog,Dog,2\nduck,Duck,1\nnewt,Newt,0\n"


class World:
    """The files of the tiny world in a folder."""

    def __init__(self, folder):
        self.folder = folder
        for name, text in {
            "taxonomy.csv": EDGES,
            "hedged.csv": SCORES,
            "sure.csv": SURE,
            "truth.csv": TRUTH,
            "nodes.csv": NODES,
        }.items():
            (folder / name).write_text(text, encoding="utf-8")
        self.both = ["--taxonomy", folder / "taxonomy.csv", "--truth", folder / "truth.csv"]
        self.flags = [*self.both, "--predictions", folder / "hedged.csv"]


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


HEDGED = {
    "name": "hedged",
    "n_samples": 3,
    "n_without_prediction": 0,
    "n_without_truth": 0,
    "parametrisation": "leaf_probabilities",
    "rule": "majority",
    "threshold": 0.5,
    # win: a 3/4·1/2 + 1/2·1/4 + 1/2·1/4 = 5/8;  b 1/4 (bird and duck);  c 1/8.  p of the truth: 1/2, 1/4, 1/8.
    "distribution": {
        "softmax_win": 1 / 3,
        "softmax_win_raw": 2 / 3,
        "neg_log_win": -math.log(5 / 8 * 1 / 4 * 1 / 8) / 3,
        "neg_log_win_infinite": 0,
        "cross_entropy": 2 * math.log(2),
        "cross_entropy_infinite": 0,
        "cross_entropy_finite_mean": 2 * math.log(2),
    },
    # Best leaves cat, cat, duck: only a is right, and b and c leave the true branch at the top.
    # Nodes without the root: shared 2 + 0 + 0, claimed 2 + 2 + 2, due 2 + 2 + 1.
    "top_down": {
        "one_hot_win": 1 / 3,
        "coarsest_accuracy": 1 / 3,
        "parents_accuracy": 1 / 3,
        "finest_accuracy": 1 / 3,
        "argmax_leaf_accuracy": 1 / 3,
        "top5_leaf_accuracy": 1.0,
        "error_lca_height": 2.0,  # b and c meet their truth at the root
        "aggregate_precision": 2 / 6,
        "aggregate_recall": 2 / 5,
        "aggregate_f1": 4 / 11,
    },
    # a mammal for cat: precision 1, recall 1/2, F1 2/3, distance 1 bit, 1 edge.  b the root: precision 1 (0/0), recall 0,
    # F1 0, 2 bits, 2 edges.  c duck for newt: all 0, 2 + 2 bits, 2 + 1 edges.
    "predicted": {
        "exact": 0.0,
        "correct": 2 / 3,
        "no_answer": 1 / 3,
        "info_precision": 2 / 3,
        "info_recall": 1 / 6,
        "info_f1": 2 / 9,
        "info_dist": 7 / 3,
        "depth_precision": 2 / 3,
        "depth_recall": 1 / 6,
        "depth_f1": 2 / 9,
        "depth_dist": 6 / 3,
        "n_exact": 0,
        "n_coarse": 1,
        "n_no_answer": 1,
        "n_wrong": 1,
    },
    # Node sets {p > 1/2}: a mammal;  b nothing;  c bird, duck.  Truth closed: mammal cat;  bird duck;  newt.
    # TP 1, FP 2, FN 4 of 3 x 6 cells; F1 is 1 for mammal and 0 for the five others, four of which are true somewhere.
    # In bits a node adds to its parent mammal 1, cat 1, dog 1, bird 2, duck 0, newt 2: shared 1, claimed 1 + 2, due 2 + 2 + 2.
    # AUC: a ranks its two nodes first: 1.  b finds both only with all six nodes: precision 2/6, area half of it; in bits 2/7.
    # c likewise: 1/6; in bits 2/7.
    "labels": {
        "micro_precision": 1 / 3,
        "micro_recall": 1 / 5,
        "micro_f1": 2 / 8,
        "macro_f1": 1 / 6,
        "macro_f1_supported": 1 / 5,
        "hamming_loss": 6 / 18,
        "c_f1_micro": 2 / 8,
        "c_f1_macro": 1 / 6,
        "c_f1_micro_strict": 2 / 8,
        "c_f1_macro_strict": 1 / 6,
        "hf1_samples": (2 / 3) / 3,
        "hf1_micro": 2 / 8,
        "hp_samples": 2 / 3,  # an empty prediction counts as 1
        "hr_samples": (1 / 2) / 3,
        # Of mammal, bird and duck only mammal is one of the 5 true nodes.
        "ihf1_samples": (2 / 3) / 3,
        "ihf1_micro": 2 / 9,
        "hp_micro": 1 / 3,
        "hr_micro": 1 / 5,
        "subset_accuracy": 0.0,
        "n_empty": 1,
        "outside_share": 0.0,
        "n_incoherent": 0,
        "hf1_auc": (1 + 1 / 6 + 1 / 12) / 3,
        "ihf1_auc": (1 + 1 / 7 + 1 / 7) / 3,
        "hf1_auc_raw": (1 + 1 / 6 + 1 / 12) / 3,
        "macro_f1_by_depth": {
            "1": {"macro_f1": 1 / 3, "macro_f1_supported": 1 / 3, "n_nodes": 3},
            "2": {"macro_f1": 0.0, "macro_f1_supported": 0.0, "n_nodes": 3},
        },
        # One sample of three is below mammal, bird and newt: log2(3) bits each, and a leaf adds 0 to mammal or bird.
        # a shares, claims and is due one of them, b is due one, c claims one and is due one: in these bits
        # 3 - 1 - 1 = 1, 0 - 0 - 1 = -1 and 0 - 1 - 1 = -2, and 1 each for the truth itself.
        "icm": (1 - 1 - 2) / 3 * math.log2(3),
        "icm_norm": (-2 + 3) / (2 * 3),
    },
    # Pareto sets: a root, mammal .75, cat .5;  b root, mammal .5, cat .25;  c root, duck .625.  Five points (recall,
    # precision = correct, exact): (0, 1, 0), (1/6, 1, 0), (1/6, 2/3, 0), (1/3, 1/3, 1/3) twice.
    "curve": {
        "ap": 1 / 6 * 1 + 1 / 6 * 1 / 3,
        "ac": 1 / 6 * 1 + 1 / 6 * 1 / 3,
        "ac_exact": 1 / 3 * 1 / 3,
        "depth_ap": 1 / 6 * 1 + 1 / 6 * 1 / 3,
        "depth_ac": 1 / 6 * 1 + 1 / 6 * 1 / 3,
        "recall_at_90_correct": 1 / 6,
        "recall_at_95_correct": 1 / 6,
        "majority_f1": 2 / 9,
        "leaf_f1": 1 / 3,
        "n_points": 5,
    },
    # a: TP mammal, FN cat, TN bird newt dog.  b: FN bird duck, TN mammal newt.  c: FP bird duck, FN newt, TN mammal.
    "confusion": {
        "tp": 1,
        "tn": 6,
        "fp": 2,
        "fn": 4,
        "acc": 7 / 13,
        "ppv": 1 / 3,
        "tpr": 1 / 5,
        "fnr": 4 / 5,
        "fpr": 2 / 8,
        "tnr": 6 / 8,
        "pt": (math.sqrt(1 / 5 * 1 / 4) + 3 / 4 - 1) / (1 / 5 + 3 / 4 - 1),
        "f1": 2 / 8,
        "mcc": (1 * 6 - 2 * 4) / math.sqrt(3 * 5 * 8 * 10),
        # Always cat: F1 = 4/11, as always duck; cat comes first.  a: TP 2, TN bird newt dog.  b: FP 2, FN 2, TN newt.
        # c: FP 2, FN 1, TN bird.
        "baseline": {
            "path_to": "cat",
            "tp": 2,
            "tn": 5,
            "fp": 4,
            "fn": 3,
            "acc": 7 / 14,
            "ppv": 2 / 6,
            "tpr": 2 / 5,
            "fnr": 3 / 5,
            "fpr": 4 / 9,
            "tnr": 5 / 9,
            "pt": (math.sqrt(2 / 5 * 4 / 9) + 5 / 9 - 1) / (2 / 5 + 5 / 9 - 1),
            "f1": 4 / 11,
            "mcc": (2 * 5 - 4 * 3) / math.sqrt(6 * 5 * 9 * 8),
        },
    },
}
SAMPLE_KEYS = {
    *(key for key in HEDGED["predicted"] if not key.startswith("n_")),
    *("top_down", "argmax_leaf", "softmax_win", "softmax_win_raw", "neg_log_win", "cross_entropy", "p_truth"),
    *("one_hot_win", "coarsest_accuracy", "parents_accuracy", "finest_accuracy", "top5_leaf_accuracy"),
    *("tp", "tn", "fp", "fn", "hp", "hr", "hf1", "hp_samples", "hr_samples", "hf1_samples", "ihf1_samples", "hf1_auc"),
}


def assert_nulls_are_explained(model):
    for block in BLOCKS:
        noted = any(note.startswith(f"{block}: null, ") for note in model["notes"])
        assert noted == (model[block] is None), (block, model["notes"])


def test_evaluate_by_hand(world, evaluate):
    found = evaluate(*world.flags)
    assert list(found) == ["hierviz", "taxonomy", "models"]
    assert found["hierviz"] == hv.__version__
    assert found["taxonomy"].pop("ties").startswith("of equal classes the first of '")
    same(found["taxonomy"], {"n_nodes": 7, "n_leaves": 4, "is_tree": True, "max_depth": 2})
    (model,) = found["models"]
    assert_nulls_are_explained(model)
    assert [note.split(";")[0] for note in model.pop("notes")] == [
        "confusion.baseline: 2 constant paths are equally good"
    ]
    # Values by hand; metrics that are added to the registry are checked against their plain definitions elsewhere.
    for key in set(path_keys()) - set(HEDGED["predicted"]):
        del model["predicted"][key]
    same(model, HEDGED)


def test_rule_and_threshold(world, evaluate):
    (model,) = evaluate(*world.flags, "--rule", "threshold", "--threshold", "0.7")["models"]
    assert (model["rule"], model["threshold"]) == ("threshold", 0.7)
    # mammal, root, root.
    assert model["predicted"]["info_dist"] == pytest.approx((1 + 2 + 2) / 3)
    assert [model["confusion"][cell] for cell in ("tp", "fp", "fn")] == [1, 0, 4]
    (model,) = evaluate(*world.flags, "--rule", "leaf", "--threshold", "0.7")["models"]
    # The leaf asks for no threshold, the sets of labels do: a mammal, b and c nothing.
    assert (model["rule"], model["threshold"]) == ("leaf", 0.7)
    assert (model["labels"]["n_empty"], model["labels"]["micro_precision"], model["labels"]["micro_recall"]) == (
        2,
        1,
        0.2,
    )
    assert model["predicted"]["exact"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("threshold", ["1.5", "-0.1", "nan", "inf"])
def test_threshold_out_of_range(world, run, threshold):
    code, out, err = run("evaluate", *world.flags, "--rule", "threshold", f"--threshold={threshold}")
    assert (code, out) == (2, "")
    assert_one_line(err, "threshold: expected a number from 0 to 1, got")


def test_unknown_rule(world, run):
    code, out, err = run("evaluate", *world.flags, "--rule", "majorty")
    assert (code, out) == (2, "")
    assert_one_line(err, r"rule: expected one of leaf, majority, .* got 'majorty'")


@pytest.mark.parametrize("rule", hv.INFERENCE_RULES)
def test_every_rule_runs(world, evaluate, rule):
    (model,) = evaluate(*world.flags, "--rule", rule)["models"]
    assert model["rule"] == rule
    assert model["threshold"] == 0.5
    # What does not depend on a rule stays.
    for block in ("distribution", "top_down", "curve"):
        same(model[block], HEDGED[block])
    labels = dict(model["labels"])
    if rule != "hf_optimal":
        same(labels, HEDGED["labels"])
        return
    # It chooses the sets itself: mammal and cat (expected F1 1/2 + 1/4 * 1/2) for a, all six nodes (3/4 * 4/8 + 1/4 * 2/7) for
    # b, bird and duck (5/8) for c. They reach 1, 2 * 2 / (6 + 2) and 0. Areas stay those of the scores.
    expected = {"hf_beta_samples": 1 / 2, "hf_beta_expected": (5 / 8 + 25 / 56 + 5 / 8) / 3, "beta": 1.0}
    same({key: labels.pop(key) for key in expected}, expected)
    assert list(labels) == list(HEDGED["labels"])
    assert (labels["hf1_samples"], labels["n_empty"], labels["micro_precision"]) == (pytest.approx(1 / 2), 0, 4 / 10)
    for key in ("hf1_auc", "ihf1_auc", "hf1_auc_raw"):
        same(labels[key], HEDGED["labels"][key])


def test_several_models(world, evaluate):
    found = evaluate(*world.flags, "--predictions", world.folder / "sure.csv")
    first, second = found["models"]
    assert evaluate(*world.flags)["models"] == [first]
    assert evaluate(*world.both, "--predictions", world.folder / "sure.csv")["models"] == [second]
    assert (first["name"], second["name"]) == ("hedged", "sure")
    # sure: duck for cat, dog for duck, newt right. Wins 0, 0, 1, so both means of logarithms are infinite.
    distribution = second["distribution"]
    assert distribution["softmax_win"] == pytest.approx(1 / 3)
    assert (distribution["neg_log_win"], distribution["neg_log_win_infinite"]) == ("Infinity", 2)
    assert (distribution["cross_entropy"], distribution["cross_entropy_infinite"]) == ("Infinity", 2)
    assert distribution["cross_entropy_finite_mean"] == 0
    assert second["predicted"]["exact"] == pytest.approx(1 / 3)
    assert [second["confusion"][cell] for cell in ("tp", "fp", "fn")] == [1, 4, 4]


def test_models_of_other_samples_are_refused(world, run):
    (world.folder / "other.csv").write_text(SURE.replace("\nc,", "\nd,"))
    (world.folder / "truth.csv").write_text(TRUTH + "d,newt,d.png\n")
    code, out, err = run("evaluate", *world.flags, "--predictions", world.folder / "other.csv")
    assert (code, out) == (2, "")
    assert_one_line(err, r"other: expected the samples of hedged, got 1 missing .*'?c'?.* and 1 others .*'?d'?")


def test_per_sample(world, evaluate):
    path = world.folder / "samples.csv"
    found = evaluate(*world.flags, "--predictions", world.folder / "sure.csv", "--per-sample", path)
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:4] == ["model", "sample_id", "truth", "predicted"]
    assert SAMPLE_KEYS - set(rows[0]) == set()
    assert [(row["model"], row["sample_id"]) for row in rows] == [
        (model, sample) for model in ("hedged", "sure") for sample in "abc"
    ]
    expected = [
        ("cat", "mammal", "cat", 5 / 8, 1 / 2, 1, 1 / 2, 1, 1, 3, 0, 1),
        ("duck", "animal", "cat", 1 / 4, 1 / 4, 1, 0, 2, 0, 2, 0, 2),
        ("newt", "duck", "duck", 1 / 8, 1 / 8, 0, 0, 4, 0, 1, 2, 1),
    ]
    for row, (*nodes, win, p, correct, recall, distance, tp, tn, fp, fn) in zip(rows, expected):
        assert [row[key] for key in ("truth", "predicted", "top_down")] == nodes
        keys = ("softmax_win", "p_truth", "correct", "info_recall", "info_dist")
        assert [float(row[key]) for key in keys] == [win, p, correct, recall, distance]
        assert [row[key] for key in ("tp", "tn", "fp", "fn")] == [str(cell) for cell in (tp, tn, fp, fn)]
    assert [float(row["hf1_auc"]) for row in rows[:3]] == pytest.approx([1, 1 / 6, 1 / 12])
    assert [float(row["hf1_samples"]) for row in rows[:3]] == pytest.approx([2 / 3, 0, 0])
    assert (rows[3]["neg_log_win"], rows[3]["cross_entropy"]) == ("Infinity", "Infinity")
    for model in found["models"]:
        mine = [row for row in rows if row["model"] == model["name"]]
        for key in ("exact", "correct", "info_f1", "depth_dist"):
            assert np.mean([float(row[key]) for row in mine]) == pytest.approx(model["predicted"][key])
        assert sum(int(row["tn"]) for row in mine) == model["confusion"]["tn"]


def test_json_to_a_file(world, run):
    path = world.folder / "out.json"
    code, out, err = run("evaluate", *world.flags, "--json", path)
    assert (code, out, err) == (0, "", "")
    code, printed, _ = run("evaluate", *world.flags, "--json", "-")
    assert code == 0
    assert path.read_text(encoding="utf-8") == printed
    assert run("evaluate", *world.flags)[1] == printed


def test_node_attributes_and_pictures(world, evaluate, run):
    plain = evaluate(*world.flags)
    assert evaluate(*world.flags, "--nodes", world.folder / "nodes.csv") == plain
    media = world.folder / "media"
    media.mkdir()
    for name in "ab":
        (media / f"{name}.png").write_bytes(PNG)
    code, out, err = run("evaluate", *world.flags, "--media", media)
    assert (code, out) == (2, "")
    assert_one_line(err, r"media: expected the pictures of column 'image', got no 'c\.png'")
    (media / "c.png").write_bytes(PNG)
    assert evaluate(*world.flags, "--media", media) == plain
    # One row about no node is left out and said; no row about a node is an error.
    nodes = world.folder / "nodes.csv"
    nodes.write_text(NODES.replace("newt", "nwet"))
    found = evaluate(*world.flags, "--nodes", nodes)
    assert any("nodes.csv: 1 rows" in note and "'nwet'" in note for note in found["models"][0].pop("notes"))
    plain["models"][0].pop("notes")
    assert found == plain
    nodes.write_text("node,name\nnwet,Newt\n")
    code, out, err = run("evaluate", *world.flags, "--nodes", nodes)
    assert (code, out) == (2, "")
    assert_one_line(err, r"nodes\.csv.*'nwet'.*Did you mean 'newt'")


@pytest.mark.parametrize("flag", ["--json", "--per-sample", "--csv"])
@pytest.mark.parametrize("place", ["", "nowhere/out"])
def test_unwritable_output(world, run, flag, place):
    code, out, err = run("curve" if flag == "--csv" else "evaluate", *world.flags, flag, world.folder / place)
    assert (code, out) == (2, "")
    assert_one_line(err, r": expected a file that can be written, got: (Is a directory|No such file)")


def test_notes_of_samples_left_out(world, evaluate):
    (world.folder / "truth.csv").write_text(TRUTH.replace("\nb,", "\nx,"))
    (model,) = evaluate(*world.flags)["models"]
    counts = (model["n_samples"], model["n_without_prediction"], model["n_without_truth"])
    assert counts == (2, 1, 1)
    assert any("'x'" in note for note in model["notes"])
    assert any("'b'" in note for note in model["notes"])
    # a and c of the worked world.
    assert model["predicted"]["info_dist"] == pytest.approx((1 + 4) / 2)


def test_label_files(world, evaluate, run):
    (world.folder / "hard.csv").write_text("sample_id,label\na,mammal\nb,animal\nc,duck\n")
    flags = [*world.both, "--predictions", world.folder / "hard.csv"]
    (model,) = evaluate(*flags)["models"]
    assert_nulls_are_explained(model)
    for key in ("distribution", "top_down", "predicted", "curve", "rule", "threshold", "parametrisation"):
        assert model[key] is None, key
    # The same answers as the majority of the scores, so the same matrix and, as paths, the same sets; but no ranking.
    same(model["confusion"], HEDGED["confusion"])
    for key, value in HEDGED["labels"].items():
        if "auc" not in key and key != "macro_f1_by_depth":
            assert model["labels"][key] == pytest.approx(value), key
    assert [model["labels"][key] for key in ("hf1_auc", "ihf1_auc", "hf1_auc_raw")] == [None] * 3
    for given in (("--rule", "majority"), ("--threshold", 0.5), ("--rule", "optimal_node", "--cost", "depth_dist")):
        code, out, err = run("evaluate", *flags, *given)
        assert (code, out) == (2, "")
        assert f"{given[0]}: expected scores" in err
    code, out, err = run("curve", *flags)
    assert (code, out) == (2, "")
    assert_one_line(err, "hard: expected an operating curve, got none: .*scores")


# Taxonomies that are no trees ---------------------------------------------------------------------------------------------

TREE_ONLY = ("distribution", "top_down", "predicted", "curve")


def assert_graph(model):
    assert_nulls_are_explained(model)
    for block in TREE_ONLY:
        assert model[block] is None
        assert any(note.startswith(f"{block}: null") and "parents" in note for note in model["notes"])


def test_small_graph(tmp_path, evaluate, run):
    (tmp_path / "dag.csv").write_text("parent,child\nr,a\nr,b\na,c\nb,c\na,d\n")
    (tmp_path / "scores.csv").write_text("sample_id,truth,c,d\n1,c,0.75,0.25\n2,d,0.5,0.5\n")
    flags = ["--taxonomy", tmp_path / "dag.csv", "--predictions", tmp_path / "scores.csv"]
    found = evaluate(*flags, "--per-sample", tmp_path / "samples.csv")
    assert found["taxonomy"].pop("ties").startswith("of equal classes the first of '")
    same(found["taxonomy"], {"n_nodes": 5, "n_leaves": 2, "is_tree": False, "max_depth": 2})
    assert_graph(found["models"][0])
    assert (tmp_path / "samples.csv").read_text().count("\n") == 3
    code, out, err = run("curve", *flags)
    rows = list(csv.DictReader(out.splitlines()))
    assert (code, list(rows[0])) == (0, ["threshold", "hp_samples", "hr_samples", "hf1_samples"])
    # Above 0.5: {a, b, c} of {a, b, c}, and {a} of {a, d}.
    at = next(row for row in rows if float(row["threshold"]) == 0.5)
    assert [float(value) for value in at.values()] == pytest.approx([0.5, 1, 0.75, 5 / 6])
    (tmp_path / "scores.csv").write_text("sample_id,truth,a,b,c,d\n1,c,0,0,0,0\n")
    code, out, err = run("evaluate", *flags, "--parametrisation", "conditional_softmax")
    assert (code, out) == (2, "")
    assert_one_line(err, r"tree.*'c'")


def test_audioset(shared_data, tmp_path, evaluate, run):
    path = shared_data / "hierarchies" / "audioset_dag.csv"
    with open(path, encoding="utf-8", newline="") as file:
        edges = list(csv.reader(file))
    parents = {parent for parent, _ in edges}
    leaves = list(dict.fromkeys(child for _, child in edges if child not in parents))
    rows = np.random.default_rng(0).dirichlet(np.ones(len(leaves)), size=20)
    with open(tmp_path / "scores.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sample_id", "truth", *leaves])
        writer.writerows([k, leaves[k], *row] for k, row in enumerate(rows.tolist()))
    flags = ["--taxonomy", path, "--predictions", tmp_path / "scores.csv"]
    found = evaluate(*flags)
    assert (found["taxonomy"]["n_nodes"], found["taxonomy"]["n_leaves"]) == (633, 474)
    assert found["taxonomy"]["is_tree"] is False
    assert found["models"][0]["n_samples"] == 20
    assert_graph(found["models"][0])
    # Graphs have a curve of predicted sets.
    code, out, _ = run("curve", *flags)
    assert code == 0
    assert "hf1_samples" in out.splitlines()[0]
    assert "correct" not in out.splitlines()[0]


# The curve -----------------------------------------------------------------------------------------------------------------


def read_curve(text):
    header, *rows = csv.reader(io.StringIO(text))
    return {key: np.array(column, dtype=float) for key, column in zip(header, zip(*rows))}


def test_curve_by_hand(world, run):
    code, out, err = run("curve", *world.flags)
    assert (code, err) == (0, "")
    found = read_curve(out)
    assert found["threshold"].tolist() == [1, 0.75, 0.625, 0.5, 0.25]
    np.testing.assert_allclose(found["correct"], [1, 1, 2 / 3, 1 / 3, 1 / 3], atol=1e-12)
    np.testing.assert_allclose(found["info_recall"], [0, 1 / 6, 1 / 6, 1 / 3, 1 / 3], atol=1e-12)
    np.testing.assert_allclose(found["exact"], [0, 0, 0, 1 / 3, 1 / 3], atol=1e-12)
    path = world.folder / "curve.csv"
    assert run("curve", *world.flags, "--csv", path) == (0, "", "")
    assert path.read_text(encoding="utf-8") == out


def test_curve_is_the_operating_curve(demo, written, run, tmp_path):
    """Of a model whose scores break the order of the tree, with ties to the last bit."""
    taxonomy, models, _ = demo
    for name in ("flat_softmax", "multilabel_sigmoid"):
        flags = ["--taxonomy", DEMO / "taxonomy.csv", "--truth", DEMO / "examples.csv"]
        code, out, err = run("curve", *flags, "--predictions", written[name], "--csv", tmp_path / "curve.csv")
        assert (code, out, err) == (0, "", "")
        found = read_curve((tmp_path / "curve.csv").read_text(encoding="utf-8"))
        again = hv.load_predictions(written[name], taxonomy, truth=DEMO / "examples.csv")
        curve = hv.operating_curve(taxonomy, again.truth, hv.pareto_table(taxonomy, again))
        assert list(found) == ["threshold", *curve.values]
        assert len(found["threshold"]) == curve.n_points > 1000
        assert found["threshold"][0] == 1
        np.testing.assert_array_equal(found["threshold"][1:], curve.threshold)
        for key, values in curve.values.items():
            np.testing.assert_array_equal(found[key], values, err_msg=key)
        # And, within rounding, that of the model itself.
        itself = hv.Evaluation.from_predictions(models[name]).curve
        for threshold in (0.1, 0.5, 0.9):
            for key, value in itself.at(threshold).items():
                assert curve.at(threshold)[key] == pytest.approx(value, abs=1e-5)


def test_curve_takes_one_model(world, run):
    code, out, err = run("curve", *world.flags, "--predictions", world.folder / "sure.csv")
    assert (code, out) == (2, "")
    assert_one_line(err, "--predictions: expected one file for a curve, got 2")


# Real files ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("taxonomy", ["taxonomy.csv", "hwv.taxonomy"])
def test_hwv(shared_data, evaluate, taxonomy):
    hwv = shared_data / "hwv"
    flags = ["--taxonomy", hwv / taxonomy, "--predictions", hwv / "pred_flat.npz", "--truth", hwv / "test.csv"]
    found = evaluate(*flags)
    assert found["taxonomy"].pop("ties").startswith("of equal classes the first of '")
    same(found["taxonomy"], {"n_nodes": 1187, "n_leaves": 953, "is_tree": True, "max_depth": 6})
    (model,) = found["models"]
    counts = [model[key] for key in ("n_samples", "n_without_prediction", "n_without_truth")]
    assert counts == [2003, 0, 0]
    expected = json.loads((hwv / "expected.json").read_text())["win"]
    values = {**model["distribution"], **model["top_down"]}
    # What is not in the published file is compared with a plain count in tests/metrics.
    assert values.keys() - expected.keys() == {"top5_leaf_accuracy", "error_lca_height"}
    assert len(values) == 17
    for key in values.keys() & expected.keys():
        value = values[key]
        assert value == expected[key] if isinstance(value, str) else value == pytest.approx(expected[key], abs=1e-9), (
            key
        )


SUBMISSIONS = (
    "EricssonResearch__fconv_A6C1Y",
    "Comtravo-DS__local_clf_logit_cnn",
    "DFKI-SLT__full",
    "LT-UHH__baseline",
)


@pytest.mark.parametrize("task", ["1a", "1b"])
@pytest.mark.parametrize("submission", SUBMISSIONS)
def test_germeval(shared_data, evaluate, task, submission):
    folder = shared_data / "germeval2019"
    expected = json.loads((folder / "expected.json").read_text())["tasks"][task][submission]
    flags = ["--taxonomy", folder / f"taxonomy_{task}.csv", "--truth", folder / f"truth_{task}.csv.gz"]
    flags += ["--predictions", folder / f"pred_{task}_{submission}.csv.gz"]
    missing = {"1a": 516, "1b": 495}[task] if submission == "LT-UHH__baseline" else 0
    assert missing == expected["n_samples_without_prediction_row"]
    for variant, more in (("clean", ()), ("paper", ("--keep-empty-labels",))):
        # A label that is kept empty is one outside the taxonomy.
        said = r"(\d+ \(.+ %\) of 4,157 samples answered outside the taxonomy\n)?" if more else ""
        (model,) = evaluate(*flags, *more, said=said)["models"]
        assert (model["n_samples"], model["n_without_prediction"], model["n_without_truth"]) == (4157, missing, 0)
        assert any("without a prediction" in note or "no prediction" in note for note in model["notes"]) == bool(
            missing
        )
        assert_nulls_are_explained(model)
        # The paper's own script drops empty labels in task 1B.
        if task == "1a" or variant == "clean":
            cells = {cell: model["confusion"][cell.lower()] for cell in ("TP", "TN", "FP", "FN")}
            assert cells == {cell: expected[variant][cell] for cell in cells}


# All three together: test_expected_files.py.
@pytest.mark.parametrize(
    "name", ["RFSB", *(pytest.param(name, marks=pytest.mark.long) for name in ("HC_GA", "TopDown"))]
)
def test_transposon(shared_data, evaluate, name):
    folder = shared_data / "transposon"
    expected = json.loads((folder / "expected.json").read_text())["models"][name]
    flags = ["--taxonomy", folder / "taxonomy.csv", "--truth", folder / "truth.csv.gz"]
    for column, variant in (("label_paper", "paper"), ("label_raw", "raw_truth")):
        chosen = [*flags, "--truth-column", column]
        (labels,) = evaluate(*chosen, "--predictions", folder / f"pred_{name}.csv.gz")["models"]
        (scores,) = evaluate(*chosen, "--predictions", folder / f"scores_{name}.csv.gz", "--rule", "top_down")["models"]
        for model in (labels, scores):
            counts = [model[key] for key in ("n_samples", "n_without_prediction", "n_without_truth")]
            assert counts == [9006, 0, 0]
        assert scores["parametrisation"] == "node_probabilities"
        for key, value in expected[variant].items():
            assert labels["confusion"][key.lower()] == pytest.approx(value, abs=1e-12), key
        # The labels were decoded from these scores by stepping to the best child.
        same(scores["confusion"], labels["confusion"])


# ONNX models -----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo():
    """Taxonomy, Predictions by file name, and the JSON of the demo as the app computes it."""
    taxonomy, predictions = load_demo()
    return taxonomy, dict(zip(MODELS, predictions)), dict(zip(MODELS, hv.evaluate(predictions)["models"]))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Parquet files of `hierviz predict`, by model."""
    folder = tmp_path_factory.mktemp("predicted")
    flags = ["--taxonomy", str(DEMO / "taxonomy.csv"), "--inputs", str(DEMO / "pictures.zip")]
    for name in MODELS:
        model, out = str(ROOT / "models" / f"{name}.onnx"), str(folder / f"{name}.parquet")
        assert cli.main(["predict", "--model", model, *flags, "--out", out]) == 0
    return {name: folder / f"{name}.parquet" for name in MODELS}


@pytest.mark.parametrize("name", MODELS)
def test_predict_and_evaluate(name, demo, written, evaluate):
    flags = ["--taxonomy", DEMO / "taxonomy.csv", "--predictions", written[name], "--truth", DEMO / "examples.csv"]
    (model,) = evaluate(*flags)["models"]
    expected = demo[2][name]
    assert model["n_samples"] == 600
    for block in BLOCKS:
        # Rounding may split or join thresholds.
        if block == "curve":
            assert model[block].pop("n_points") == pytest.approx(expected[block]["n_points"], rel=0.01)
        same(model[block], _without(expected[block], "n_points"), 1e-5, block)


def _without(block, key):
    return block and {name: value for name, value in block.items() if name != key}


def test_all_seven_at_once(demo, written, evaluate):
    predictions = [part for path in written.values() for part in ("--predictions", path)]
    found = evaluate("--taxonomy", DEMO / "taxonomy.csv", "--truth", DEMO / "examples.csv", *predictions)
    assert [model["name"] for model in found["models"]] == list(MODELS)
    wins = [model["distribution"]["softmax_win"] for model in found["models"]]
    assert wins == pytest.approx([demo[2][name]["distribution"]["softmax_win"] for name in MODELS], abs=1e-5)


@pytest.mark.parametrize(
    ("name", "width"), [("flat_softmax", 40), pytest.param("softmax_margin", 60, marks=pytest.mark.long)]
)
def test_predict_to_csv(name, width, written, tmp_path, run):
    flags = ["--model", ROOT / "models" / f"{name}.onnx", "--taxonomy", DEMO / "taxonomy.csv"]
    code, out, err = run("predict", *flags, "--inputs", DEMO / "pictures.zip", "--out", tmp_path / "p.csv")
    assert (code, out) == (0, "")
    assert_one_line_of_success(err, 600)
    with open(tmp_path / "p.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[0] == "sample_id"
    assert len(header) == 1 + width
    assert [row[0] for row in rows] == [f"v{k:04d}" for k in range(1, 601)]
    pyarrow = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.read_table(written[name])
    assert table.column_names == header
    columns = [table.column(key).to_numpy() for key in header[1:]]
    np.testing.assert_allclose(np.array([row[1:] for row in rows], dtype=float).T, columns, rtol=0, atol=1e-12)
    if width == 40:
        np.testing.assert_allclose(np.sum(columns, axis=0), 1, atol=1e-9)


def assert_one_line_of_success(err, n):
    assert re.fullmatch(rf"wrote {n} rows to \S+\n", err), err


def test_inspect(run):
    flags = ["--model", ROOT / "models" / "softmax_margin.onnx", "--taxonomy", DEMO / "taxonomy.csv"]
    code, out, err = run("predict", *flags, "--inspect")
    assert (code, err) == (0, "")
    said = dict(line.split(": ", 1) for line in out.splitlines())
    assert said["title"] == "Soft-max margin"
    assert said["parametrisation"].startswith("softmax_all_nodes (")
    assert said["scores in"] == "logits"
    assert said["classes"].startswith("61 names")
    assert said["taxonomy"] == "the taxonomy that the model was trained with"
    assert re.fullmatch("[0-9a-f]{64}", said["sha256"])


@pytest.mark.parametrize("flag", ["--inputs", "--out"])
def test_predict_needs_inputs_and_out(flag, tmp_path, run):
    flags = ["--model", ROOT / "models" / "log_win.onnx", "--taxonomy", DEMO / "taxonomy.csv"]
    given = {"--inputs": DEMO / "pictures.zip", "--out": tmp_path / "p.csv"}
    (other,) = (one for one in given if one != flag)
    code, out, err = run("predict", *flags, other, given[other])
    assert (code, out) == (2, "")
    assert_one_line(err, f"predict: expected {flag}, got nothing")


@pytest.mark.parametrize("name", ["p.txt", "nowhere/p.csv"])
def test_predict_to_an_impossible_place(name, tmp_path, run, few_pictures):
    flags = ["--model", ROOT / "models" / "log_win.onnx", "--taxonomy", DEMO / "taxonomy.csv"]
    code, out, err = run("predict", *flags, "--inputs", few_pictures, "--out", tmp_path / name)
    assert (code, out) == (2, "")
    assert_one_line(err, r"p\.(txt|csv): expected .*, got ")


def test_predict_does_not_write_over_its_inputs(tmp_path, run):
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    flags = ["--model", ROOT / "models" / "log_win.onnx", "--taxonomy", DEMO / "taxonomy.csv"]
    code, out, err = run("predict", *flags, "--inputs", tmp_path / "rows.csv", "--out", tmp_path / "rows.csv")
    assert (code, out, (tmp_path / "rows.csv").read_text()) == (2, "", "a,b\n1,2\n")
    assert_one_line(err, "rows.csv: expected another file to write to, got one that is read")


@pytest.fixture
def few_pictures(tmp_path):
    """Three pictures of the demo in a folder."""
    import zipfile

    folder = tmp_path / "few"
    with zipfile.ZipFile(DEMO / "pictures.zip") as archive:
        archive.extractall(folder, archive.namelist()[:3])
    return folder


def test_a_model_without_class_names(tmp_path, run, few_pictures):
    onnx = pytest.importorskip("onnx")
    model = onnx.load(ROOT / "models" / "flat_softmax.onnx")
    metadata = {one.key: one.value for one in model.metadata_props}
    del model.metadata_props[:]
    onnx.save(model, tmp_path / "bare.onnx")
    flags = ["--model", tmp_path / "bare.onnx", "--taxonomy", DEMO / "taxonomy.csv", "--inputs", few_pictures]
    code, out, err = run("predict", *flags, "--out", tmp_path / "p.csv")
    assert (code, out) == (2, "")
    assert_one_line(err, r"bare\.onnx.*--classes")
    assert not (tmp_path / "p.csv").exists()

    names = json.loads(metadata["hierviz.nodes"])
    (tmp_path / "classes.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    flags += ["--classes", tmp_path / "classes.txt"]
    # Raw scores of the leaves can only be meant in one way.
    assert run("predict", *flags, "--out", tmp_path / "told.csv")[0] == 0
    code, out, err = run("predict", *flags, "--parametrisation", "flat_softmax", "--out", tmp_path / "p.csv")
    assert (code, out) == (0, "")
    assert (tmp_path / "told.csv").read_text() == (tmp_path / "p.csv").read_text()
    named = ["--model", ROOT / "models" / "flat_softmax.onnx", "--taxonomy", DEMO / "taxonomy.csv"]
    assert run("predict", *named, "--inputs", few_pictures, "--out", tmp_path / "q.csv")[0] == 0
    assert (tmp_path / "p.csv").read_text() == (tmp_path / "q.csv").read_text()


def test_a_model_of_another_taxonomy(tmp_path, run, world):
    flags = ["--model", ROOT / "models" / "log_win.onnx", "--taxonomy", world.folder / "taxonomy.csv"]
    code, out, err = run("predict", *flags, "--inspect")
    assert (code, out) == (2, "")
    assert_one_line(err, r"log_win\.onnx, class names .*: expected .*the taxonomy \(7 nodes\), got 'bicycle'")


# The command itself ----------------------------------------------------------------------------------------------------


def test_version(run):
    assert run("--version") == (0, f"hierviz {hv.__version__}\n", "")
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", hv.__version__)


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help(run, name):
    code, out, err = run(*filter(None, [name]), "--help")
    assert (code, err) == (0, "")
    words = " ".join(out.split())
    if name == "":
        assert all(re.search(rf"^ +{one} ", out, re.MULTILINE) for one in COMMANDS)
    if name in ("evaluate", "curve", "predict"):
        for key in hv.PARAMETRISATIONS:
            assert key in words
    if name == "evaluate":
        for key in hv.INFERENCE_RULES:
            assert key in words


def test_the_flags_of_the_design(run):
    design = {
        "app": "--taxonomy --predictions --model --inputs",
        "evaluate": "--taxonomy --predictions --truth --truth-column --classes --parametrisation --rule --threshold "
        "--keep-empty-labels --nodes --media --json --per-sample",
        "curve": "--taxonomy --predictions --truth --classes --csv",
        "diagnose": "--taxonomy --predictions --truth --classes --rule --threshold --group --json --node-table --confusions "
        "--matrix --mistakes --slices --reliability --label-errors --flips",
        "predict": "--model --taxonomy --inputs --classes --parametrisation --out --inspect",
    }
    assert set(design) == set(COMMANDS)
    for name, flags in design.items():
        out = run(name, "--help")[1]
        for flag in flags.split():
            assert re.search(rf"^  {flag}\b", out, re.MULTILINE), (name, flag)


def test_the_entry_point_is_main():
    from importlib.metadata import entry_points

    (script,) = (one for one in entry_points(group="console_scripts") if one.name == "hierviz")
    assert script.load() is cli.main


def test_python_dash_m(world):
    done = as_process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"hierviz {hv.__version__}\n", "")
    done = as_process("evaluate", *world.flags)
    assert (done.returncode, done.stderr) == (0, "")
    same(json.loads(done.stdout)["models"][0]["confusion"], HEDGED["confusion"])


def test_a_package_that_takes_two_seconds_is_not_imported(tmp_path):
    """With Jupyter comes one that jsonschema imports, if it is there, for Altair."""
    (tmp_path / "rfc3987_syntax.py").write_text("raise SystemExit('was imported')\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from hierviz import cli; cli.main(['taxonomy', 'none.csv'])"
    done = subprocess.run([sys.executable, "-c", f"{code}; import altair"], capture_output=True, text=True)
    assert (done.returncode, "none.csv" in done.stderr) == (0, True), done.stderr


@pytest.mark.parametrize("name", ["evaluate", "curve"])
def test_a_reader_that_goes_away(world, name):
    """`hierviz evaluate ... | head -0`: no traceback, and not the exit code of a bug."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            command(name, *world.flags), stdout=write, stderr=subprocess.PIPE, text=True, timeout=60, cwd=world.folder
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_help_without_a_reader():
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(command("--help"), stdout=write, stderr=subprocess.PIPE, text=True, timeout=60)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [["evaluate"], ["curve"], ["--help"]])
def test_standard_output_that_is_closed(arguments, world, monkeypatch, capsys):
    """`hierviz evaluate ... >&-`: Python has no standard output then."""
    flags = world.flags if arguments != ["--help"] else []
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        assert cli.main([*arguments, *map(str, flags)]) == 2
    assert_one_line(capsys.readouterr().err, "^hierviz: standard output: expected it open, got a closed one")


def test_both_outputs_closed(world):
    import shlex

    line = " ".join(map(shlex.quote, command("evaluate", *world.flags)))
    done = subprocess.run(["sh", "-c", f"{line} >&- 2>&-"], timeout=60)
    assert done.returncode == 2


def test_files_whose_names_are_not_utf8(world, tmp_path, run):
    files = {}
    for flag, name in (("--taxonomy", "taxonomy.csv"), ("--predictions", "hedged.csv"), ("--truth", "truth.csv")):
        files[flag] = tmp_path / f"caf\udce9\u202e-{name}"
        files[flag].write_bytes((world.folder / name).read_bytes())
    out = tmp_path / "\udcff.csv"
    flags = [part for flag, path in files.items() for part in (flag, path)]
    code, found, err = run("evaluate", *flags, "--per-sample", out)
    assert (code, err) == (0, "")
    assert json.loads(found)["models"][0]["name"] == r"caf\udce9\u202e-hedged"
    assert out.read_text(encoding="utf-8").splitlines()[1].startswith(r"caf\udce9\u202e-hedged,")
    files["--predictions"].write_text("x\n")
    code, _, err = run("evaluate", *flags)
    assert code == 2
    assert_one_line(err, r"^hierviz: caf\\udce9\\u202e-hedged\.csv: ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk(world):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("evaluate", *world.flags), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode == 2
    assert_one_line(done.stderr, "standard output: expected a file that can be written, got: No space left")


def test_output_is_utf8_whatever_the_terminal(world):
    for name in ("taxonomy.csv", "hedged.csv", "truth.csv"):
        path = world.folder / name
        path.write_text(path.read_text(encoding="utf-8").replace("cat", "猫"), encoding="utf-8")
    done = subprocess.run(
        command("evaluate", *world.flags),
        capture_output=True,
        timeout=60,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout.decode("utf-8"))["models"][0]["confusion"]["baseline"]["path_to"] == "猫"


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are tested with a pty")
def test_progress_only_to_a_terminal(world):
    import pty

    for is_terminal in (True, False):
        ours, theirs = pty.openpty() if is_terminal else os.pipe()
        process = subprocess.Popen(command("evaluate", *world.flags), stdout=subprocess.PIPE, stderr=theirs)
        out, _ = process.communicate(timeout=60)
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # a terminal whose other end is closed
            pass
        os.close(ours)
        assert process.returncode == 0
        assert json.loads(out)["models"][0]["n_samples"] == 3
        assert (b"hedged: 3 of 3" in shown) == is_terminal
        assert is_terminal or shown == b""


# The app is started, not run, here -------------------------------------------------------------------------------------


@pytest.fixture
def started(monkeypatch):
    """(file, its arguments, settings of the server) of the apps that would have been served."""
    found = []

    class App:
        def run(self, config):
            found.append((Path(sys.argv[0]), sys.argv[1:], config))

    monkeypatch.setattr(sys, "argv", ["hierviz"])
    monkeypatch.setattr(runpy, "run_path", lambda path: {"app": App()})
    return found


def test_without_arguments_the_app_opens(run, started, monkeypatch):
    assert run() == (0, "", "")
    # `hierviz` reads sys.argv.
    monkeypatch.setattr(sys, "argv", ["hierviz"])
    assert cli.main() == 0
    assert run("app") == (0, "", "")
    first, second, third = started
    assert first == second == third
    file, arguments, settings = first
    assert (file, arguments) == (ROOT / "app.py", ["--max-data-gb", "8.0", "--max-files", "100"])
    # Streamlit would mix .streamlit/config.toml with the user's own: all of it goes along.
    tables = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    flat = {f"{key}.{name}": value for key, table in tables.items() for name, value in table.items()}
    for theme in ("light", "dark"):
        flat |= {f"theme.{theme}.{name}": value for name, value in flat.pop(f"theme.{theme}").items()}
    assert settings == flat
    assert settings["server.address"] == "127.0.0.1"
    assert settings["server.allowedHosts"] == ["localhost", "127.0.0.1", "::1"]
    assert settings["browser.gatherUsageStats"] is False


def test_the_app_on_files(world, run, started, monkeypatch):
    monkeypatch.chdir(world.folder)
    flags = ["--taxonomy", "taxonomy.csv", "--predictions", "hedged.csv", "--predictions", "sure.csv"]
    flags += ["--truth", "truth.csv", "--truth-column", "truth"]
    assert run("app", *flags, "--port", "8999", "--no-browser") == (0, "", "")
    ((_, theirs, settings),) = started
    assert settings["server.port"] == 8999
    assert settings["server.headless"] is True
    # Paths survive a change of folder.
    given = [one.partition("=")[::2] for one in theirs]
    assert dict(given)["--taxonomy"] == str(world.folder / "taxonomy.csv")
    assert [value for flag, value in given if flag == "--predictions"] == [
        str(world.folder / name) for name in ("hedged.csv", "sure.csv")
    ]
    assert dict(given)["--truth-column"] == "truth"


def test_who_may_reach_the_app(run, started, tmp_path):
    local = ["localhost", "127.0.0.1", "::1"]
    assert run("app", "--allow-host", "Cluster.example", "--allow-host", "[fe80::1]") == (0, "", "")
    assert run("app", "--host", "127.0.0.2")[0] == 0
    code, out, err = run("app", "--host", "0.0.0.0")
    assert (code, out) == (0, "")
    assert_one_line(err, "browsers on other machines are refused unless .*: --allow-host NAME")
    assert run("app", "--host", "0.0.0.0", "--allow-host", "a.example", "--allow-paths", tmp_path) == (0, "", "")
    settings = [(one["server.address"], one["server.allowedHosts"]) for _, _, one in started]
    assert settings == [
        ("127.0.0.1", [*local, "cluster.example", "fe80::1"]),
        ("127.0.0.2", [*local, "127.0.0.2"]),
        ("0.0.0.0", local),
        ("0.0.0.0", [*local, "a.example"]),
    ]
    assert started[-1][1][:2] == ["--allow-paths", str(tmp_path.resolve())]
    assert all("--allow-paths" not in arguments for _, arguments, _ in started[:-1])


@pytest.mark.parametrize(
    ("flags", "match"),
    [
        (["--host", "192.0.2.1"], r"--host: expected an address of this machine, got '192\.0\.2\.1'"),
        (["--host", "http://x"], "--host: expected an address of this machine, got 'http://x'"),
        (["--host", "x" * 70], "--host: expected an address"),
        (
            ["--allow-host", "http://a.example"],
            "--allow-host: expected the host name .* got 'http://a.example'. Leave out",
        ),
        (["--allow-host", "a.example:80"], "--allow-host: expected the host name"),
        (["--allow-host", "*"], "--allow-host: expected the host name"),
        (["--allow-host", ""], "--allow-host: expected the host name"),
        (["--allow-paths", "nowhere"], "--allow-paths: expected a folder, got 'nowhere'"),
        (["--allow-paths", "x" * 5000], "--allow-paths: expected a folder, got "),
    ],
)
def test_wrong_hosts_and_folders_are_one_line(run, started, flags, match):
    code, out, err = run("app", *flags)
    assert (code, out, started) == (2, "", [])
    assert_one_line(err, match)


@pytest.mark.parametrize(
    ("flags", "match"),
    [
        (["--predictions", "hedged.csv"], "app: expected --taxonomy with --predictions or --model, got none"),
        (["--taxonomy", "nowhere.csv"], r"nowhere\.csv: expected a file for --taxonomy, got nothing there"),
        (["--taxonomy", "taxonomy.csv", "--model", "m.onnx"], r"m\.onnx: expected a file for --model"),
    ],
)
def test_the_app_on_files_that_are_not_there(world, run, started, monkeypatch, flags, match):
    monkeypatch.chdir(world.folder)
    code, out, err = run("app", *flags)
    assert (code, out) == (2, "")
    assert_one_line(err, match)
    assert started == []


def test_curve_of_several_true_classes(tmp_path, capsys):
    def write(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    taxonomy = write("taxonomy.csv", "parent,child\nroot,a\nroot,b\na,c\na,d\n")
    predictions = write("scores.csv", "sample_id,c,d,b\ns0,0.5,0.25,0.25\ns1,0.125,0.125,0.75\n")
    truth = write("truth.csv", "sample_id,truth\ns0,c;b\ns1,b\n")
    files = ["--taxonomy", taxonomy, "--predictions", predictions, "--truth", truth]
    assert cli.main(["curve", *files]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert list(rows[0]) == ["threshold", "hp_samples", "hr_samples", "hf1_samples", "ihf1_samples"]
    # At 0.3: {a, c} of {a, c, b}, and {b} of {b}.
    at = next(row for row in rows if float(row["threshold"]) == 0.3)
    assert [float(at[key]) for key in ("hp_samples", "hr_samples", "hf1_samples")] == pytest.approx([1, 5 / 6, 9 / 10])
