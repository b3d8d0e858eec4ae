"""Answers level by level: by hand, as the authors' code counts them, from files whose levels disagree."""

import json
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from hierviz.evaluation.score_numbers import level_answers
from hierviz.metrics.level_answers import broken_links, level_answer_numbers

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "levels.json").read_text(encoding="utf-8"))
# A path that is wrong below, levels that disagree with the truth's one below, an early stop, a right leaf at level 1.
ROWS = "sample_id,level_1,level_2,truth\n1,mammal,dog,cat\n2,bird,cat,cat\n3,mammal,,dog\n4,newt,,newt\n"


@pytest.fixture
def files(tmp_path, taxonomy):
    edges = [(taxonomy.names[taxonomy.parent[i]], taxonomy.names[i]) for i in range(1, taxonomy.n_nodes)]
    (tmp_path / "t.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in edges))
    (tmp_path / "p.csv").write_text(ROWS)
    return tmp_path


def test_four_samples_by_hand(taxonomy, files):
    predictions = hv.load_predictions(files / "p.csv", taxonomy, disagreeing="levels")
    found = hv.evaluate(predictions, more=True)["models"][0]["levels"]
    # Right levels: 1 of 2, the second of 2, 1 of 2, 1 of 1.
    assert found["full_path_accuracy"] == 1 / 4
    assert found["por"] == (0.5 + 0.5 + 0.5 + 1) / 4
    assert found["s_por"] == (0.5 + 0 + 0.5 + 1) / 4
    assert found["s_por_longest_run"] == found["por"]
    # No pair is right, and newt has none.
    assert found["tor"] == 0
    # Only bird, cat is no path; stopping at mammal is one.
    assert found["tice"] == 1 / 4
    # Level 1: 3 of 4, level 2: 1 of the 3 truths that reach it; both have three classes.
    assert found["accuracy_by_depth"] == {"1": 3 / 4, "2": 1 / 3}
    assert found["wap"] == pytest.approx((3 * 3 / 4 + 3 * 1 / 3) / 6)
    assert hv.verify(predictions).of_verdict("different") == []


def test_an_answer_outside_is_a_leaf_below_the_root(taxonomy, files):
    """By hand: it may come first, or stay, but is no child of mammal, and nothing follows from it."""
    rows = ("unicorn,", "unicorn,griffin", "mammal,unicorn", "unicorn,cat", "mammal,cat")
    text = "".join(f"{k},{row},cat\n" for k, row in enumerate(rows))
    (files / "p.csv").write_text("sample_id,level_1,level_2,truth\n" + text)
    predictions = hv.load_predictions(files / "p.csv", taxonomy, disagreeing="levels", outside="wrong")
    mammal, cat = taxonomy.nodes("mammal", "cat").tolist()
    assert predictions.level_labels.tolist() == [[-2, -1], [-2, -2], [mammal, -2], [-2, cat], [mammal, cat]]
    assert broken_links(taxonomy, predictions.level_labels).tolist() == [
        [False, False], [False, False], [False, True], [False, True], [False, False]
    ]  # fmt: skip
    found = hv.evaluate(predictions, more=True)["models"][0]["levels"]
    # Right: none, none, 1 of 2, 1 of 2, both.
    assert (found["tice"], found["por"], found["full_path_accuracy"]) == (2 / 5, (0.5 + 0.5 + 1) / 5, 1 / 5)
    assert hv.verify(predictions).of_verdict("different") == []


def test_as_the_authors_code():
    taxonomy = hv.Taxonomy.from_edges([tuple(edge) for edge in GOLDEN["edges"]])
    labels = hv.NodeLists.from_lists([taxonomy.nodes(*names).tolist() for names in GOLDEN["predicted"]])
    truth = taxonomy.nodes(*GOLDEN["truth"])
    predictions = hv.Predictions(taxonomy, labels=labels, truth=truth, is_by_level=True)
    found = hv.evaluate(predictions, more=True)["models"][0]["levels"]
    for key, value in GOLDEN["percent"].items():
        assert found[key] == pytest.approx(value / 100, abs=1e-12), key
    assert found["accuracy_by_depth"] == pytest.approx({k: v / 100 for k, v in GOLDEN["accuracy_by_depth"].items()})


def test_scores_are_answered_level_by_level(taxonomy):
    """The most probable class of each level: mammal, then duck. A leaf above a level stays, and breaks nothing."""
    p = [[0.25, 0.25, 0.4, 0.1], [0.1, 0.2, 0.2, 0.5]]
    predictions = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=taxonomy.nodes("duck", "newt"))
    evaluation = hv.Evaluation.from_predictions(predictions)
    answers = level_answers(evaluation)
    assert answers.tolist() == [taxonomy.nodes("mammal", "duck").tolist(), taxonomy.nodes("newt", "newt").tolist()]
    assert broken_links(taxonomy, answers).tolist() == [[False, True], [False, False]]
    found = hv.evaluate(predictions, more=True)["models"][0]["levels"]
    assert (found["full_path_accuracy"], found["por"], found["tice"]) == (0.5, 0.75, 0.5)
    assert set(hv.Evaluation.from_predictions(predictions).per_sample(more=True)) >= {"por", "tice"}


def test_what_is_a_path(taxonomy):
    cat, mammal, bird, newt = taxonomy.nodes("cat", "mammal", "bird", "newt").tolist()
    rows = np.array(
        [[mammal, cat], [bird, cat], [mammal, -1], [-1, -1], [-1, cat], [cat, -1], [newt, newt], [bird, bird]]
    )
    broken = [False, True, False, False, True, True, False, True]
    assert broken_links(taxonomy, rows).any(axis=1).tolist() == broken
    found = level_answer_numbers(taxonomy, np.zeros(8, dtype=int), rows)
    assert np.isnan(found["por"]).all()
    assert found["tice"].tolist() == [float(one) for one in broken]


def test_files_with_levels_that_disagree(taxonomy, files):
    with pytest.raises(hv.PredictionsError, match=r"p\.csv:3: expected a child of 'bird'.*say disagreeing='levels'"):
        hv.load_predictions(files / "p.csv", taxonomy)
    deepest = hv.load_predictions(files / "p.csv", taxonomy, disagreeing="deepest")
    assert deepest.labels.nodes.tolist() == taxonomy.nodes("dog", "cat", "mammal", "newt").tolist()
    assert "those of 1 of 4 rows are no path from the top" in deepest.notes[0]
    assert hv.evaluate(deepest, more=True)["models"][0]["levels"]["tice"] == 0
    (files / "long.csv").write_text("sample_id,level_1,level_2,level_3\n1,mammal,cat,dog\n")
    with pytest.raises(hv.PredictionsError, match="expected at most 2 levels below the root"):
        hv.load_predictions(files / "long.csv", taxonomy, disagreeing="levels")
    (files / "typo.csv").write_text("sample_id,level_1,level_2\n1,mammal,cat\n2,mamal,cat\n")
    with pytest.raises(hv.PredictionsError, match="column 0, got 'mamal'"):
        hv.load_predictions(files / "typo.csv", taxonomy, disagreeing="levels")


def test_the_command(files, capsys):
    flags = ["evaluate", "--taxonomy", str(files / "t.csv"), "--predictions", str(files / "p.csv"), "--json", "-"]
    assert cli.main([*flags, "--disagreeing", "levels", "--more"]) == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    assert model["levels"]["tice"] == 0.25
    assert cli.main(flags) == 2
    assert "--disagreeing levels" in capsys.readouterr().err


def test_the_doctor_asks_and_is_content_with_an_answer(files, capsys):
    flags = ["doctor", "--taxonomy", str(files / "t.csv"), "--predictions", str(files / "p.csv")]
    assert cli.main(flags) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "bird" in said
    assert "--disagreeing" in said
    for choice in ("levels", "deepest"):
        assert cli.main([*flags, "--disagreeing", choice]) == 0, choice
        assert "--disagreeing" not in capsys.readouterr().out
    with pytest.raises(SystemExit):
        cli.main([*flags, "--disagreeing", "lowest"])


def test_who_has_none(taxonomy):
    lists = hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists([[2, 3]]), truth=taxonomy.nodes("cat"))
    model = hv.evaluate(lists, more=True)["models"][0]
    assert model["levels"] is None
    assert any(note.startswith("levels: null, they need one answer for each level") for note in model["notes"])
