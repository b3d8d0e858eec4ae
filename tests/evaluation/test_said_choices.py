"""Notes of `evaluate` on its input: a threshold without a rule, swapped columns, no truth."""

import json

import numpy as np
import pytest

import hierviz as hv
from hierviz.cli import main
from hierviz.comparison.table import compare as comparison_table
from tests.small_tree import EDGES, EDGES_CSV, LEAVES

TREE = hv.Taxonomy.from_edges(EDGES)
SCORES = np.array([[0.5, 0.25, 0.125, 0.125], [0.75, 0.125, 0.0625, 0.0625]])


def predictions(names=LEAVES, scores=SCORES, truth=("cat", "cat")):
    return hv.Predictions.from_predict_proba(TREE, scores, names, truth=truth)


def model(*given, **choice):
    return hv.evaluate(predictions(*given), **choice)["models"][0]


def test_a_threshold_without_a_rule_is_that_of_the_threshold_rule():
    # mammal has 0.75 and cat 0.5 in the first row, cat 0.75 in the second: above 0.7 are mammal and cat.
    found = model(threshold=0.7)
    assert (found["rule"], found["threshold"], found["predicted"]["exact"]) == ("threshold", 0.7, 0.5)
    assert model()["rule"] == "majority"
    a = hv.Evaluation.from_predictions(predictions())
    expected = TREE.nodes("mammal", "cat").tolist()
    assert a.answers(threshold=0.7).tolist() == expected
    assert a.per_sample(threshold=0.7)["predicted"].tolist() == expected
    assert hv.mistakes(a, threshold=0.7, order="file").predicted.tolist() == expected
    assert hv.verify(a, threshold=0.7).sentence
    compared = comparison_table([predictions()], metrics="predicted.exact", threshold=0.7, resamples=10)
    (row,) = compared.to_dict()["rows"]
    assert row["values"]["predicted.exact"] == 0.5
    # Of a rule that has none it changes the sets alone, and this is said.
    assert "threshold 0.7: of block labels alone, the rule leaf has none" in model(rule="leaf", threshold=0.7)["notes"]
    assert not any("of block labels" in note for note in model(rule="leaf")["notes"])


def test_a_threshold_without_a_rule_on_the_command_line(tmp_path, capsys):
    (tmp_path / "t.csv").write_text(EDGES_CSV)
    (tmp_path / "p.csv").write_text("id,cat,dog,duck,newt,truth\n1,0.5,0.25,0.125,0.125,cat\n2,0.75,0.25,0,0,cat\n")
    files = ["--taxonomy", str(tmp_path / "t.csv"), "--predictions", str(tmp_path / "p.csv"), "--threshold", "0.7"]
    assert main(["evaluate", *files]) == 0
    (found,) = json.loads(capsys.readouterr().out)["models"]
    assert (found["rule"], found["predicted"]["exact"]) == ("threshold", 0.5)
    assert main(["table", *files, "--metrics", "predicted.exact", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["values"]["predicted.exact"] == 0.5


def test_columns_that_look_exchanged_are_noted():
    y = np.repeat(np.arange(4), 40)
    scores = np.full((160, 4), 0.1)
    scores[np.arange(160), y] = 0.7
    truth = np.array(LEAVES)[y]
    words = "2 columns of siblings look exchanged: 'dog' holds 'cat', 'cat' holds 'dog', judged by the truth."
    notes = model(["dog", "cat", "duck", "newt"], scores, truth)["notes"]
    assert any(note.startswith(words) for note in notes)
    assert not any("exchanged" in note for note in model(LEAVES, scores, truth)["notes"])


def test_no_truth_at_all_is_said(tmp_path, capsys):
    words = "no sample has a known truth: nothing is evaluated"
    assert model(LEAVES, SCORES, None)["notes"][0] == words
    (tmp_path / "t.csv").write_text(EDGES_CSV)
    (tmp_path / "p.csv").write_text("id,cat,dog,duck,newt\n1,0.5,0.25,0.125,0.125\n")
    assert main(["evaluate", "--taxonomy", str(tmp_path / "t.csv"), "--predictions", str(tmp_path / "p.csv")]) == 0
    assert capsys.readouterr().err == f"hierviz: {words}. Give it as --truth.\n"


@pytest.mark.parametrize("threshold", [pytest.param([0.7], marks=pytest.mark.long), 0.7])
def test_a_report_takes_the_rule_of_its_threshold(threshold):
    assert hv.report([predictions()], threshold=threshold).evaluate["models"][0]["rule"] == "threshold"
