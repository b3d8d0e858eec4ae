"""`--missing` of evaluate and curve, and the bounds that they write."""

import csv
import io
import json

import pytest
from small_tree import EDGES_CSV

from hierviz import cli

LONG = "sample_id,truth,class,score\na,cat,cat,0.625\na,cat,dog,0.25\nb,newt,cat,0.5\nb,newt,newt,0.25\n"


@pytest.fixture
def call(tmp_path, capsys):
    """call(command, *flags) -> (exit code, standard output, standard error) on a long file of two samples."""
    (tmp_path / "t.csv").write_text(EDGES_CSV)
    (tmp_path / "p.csv").write_text(LONG)

    def run(command, *flags):
        capsys.readouterr()
        code = cli.main(
            [command, "--taxonomy", str(tmp_path / "t.csv"), "--predictions", str(tmp_path / "p.csv"), *flags]
        )
        return code, *capsys.readouterr()

    return run


def test_an_incomplete_long_file_asks_for_missing(call):
    code, _, error = call("evaluate")
    assert code == 2
    assert "--missing unknown | zero" in error
    assert error.count("\n") == 1
    assert "expected --missing unknown | zero, got 'none'" in call("evaluate", "--missing", "none")[2]


def test_bounds_stand_beside_the_numbers(call):
    model = json.loads(call("evaluate", "--missing", "unknown", "--more")[1])["models"][0]
    bounds = model["bounds"]
    further = {"best_leaves", "probabilities", "random_cuts", "levels", "lca"}
    blocks = {"distribution", "top_down", "predicted", "labels", "curve", "selective", "confusion"}
    assert set(bounds) == blocks | further
    for block in further:
        assert set(bounds[block].values()) == {None}
    for block, pairs in bounds.items():
        assert set(pairs) == set(model[block]) - {"baseline", "cuts", "links"}
        for pair in pairs.values():
            assert pair is None or len(pair) == 2
    # Sample a is right whatever else there is: .625 is above all that is left. Of b at most .25 is left: cat stays ahead of
    # newt unless all of it is newt, which gives .5 and comes later.
    assert bounds["top_down"]["argmax_leaf_accuracy"] == [0.5, 0.5]
    (note,) = [note for note in model["notes"] if "2 of 4 scores are listed per sample" in note]
    assert note.endswith(
        "; they allow for rows whose sum misses 1 by up to 0.002, as those of rounded probabilities do"
    )
    zero = json.loads(call("evaluate", "--missing", "zero")[1])["models"][0]
    assert "bounds" not in zero
    assert zero["curve"]["leaf_f1"] == model["curve"]["leaf_f1"]


def test_the_curve_has_columns_of_bounds(call):
    rows = list(csv.DictReader(io.StringIO(call("curve", "--missing", "unknown")[1])))
    for row in rows:
        for key in ("correct", "exact", "info_recall", "info_precision", "depth_recall", "depth_precision"):
            assert 0 <= float(row[f"{key}_low"]) <= float(row[f"{key}_high"]) <= 1
    assert "correct_low" not in next(csv.DictReader(io.StringIO(call("curve", "--missing", "zero")[1])))


@pytest.mark.parametrize("command", ["evaluate", "curve"])
@pytest.mark.parametrize("threads", ["0", "-1", "1000000"])
def test_threads_that_no_machine_has(call, command, threads):
    code, out, error = call(command, "--missing", "zero", "--threads", threads)
    assert (code, out) == (2, "")
    assert f"--threads: expected a whole number from 1 to 1024, got {threads}. " in error
    assert error.count("\n") == 1
