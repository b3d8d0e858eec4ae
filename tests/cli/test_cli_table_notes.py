"""Notes of `hierviz table` on cut files, and `evaluate --verify` in the terminal."""

import csv
import json

import pytest

from hierviz.cli import main

EDGES = [("parent", "child"), ("all", "u"), ("all", "w"), ("u", "a"), ("u", "b"), ("w", "c"), ("w", "d")]
ROWS = [("s1", 0.6, 0.2, 0.1, 0.1), ("s2", 0.1, 0.2, 0.4, 0.3), ("s3", 0.3, 0.5, 0.1, 0.1)]


@pytest.fixture
def flags(tmp_path):
    def write(name, rows):
        with open(tmp_path / name, "w", newline="") as file:
            csv.writer(file).writerows(rows)
        return str(tmp_path / name)

    scores = write("flat.csv", [("sample_id", *"abcd"), *ROWS])
    truth = write("truth.csv", [("sample_id", "truth"), ("s1", "a"), ("s2", "w"), ("s3", "a")])
    return ["--taxonomy", write("tree.csv", EDGES), "--predictions", scores, "--truth", truth]


def test_a_table_says_what_was_done_to_the_taxonomy(flags, capsys):
    plain = ["table", *flags, "--metrics", "curve.ac", "--resamples", "0"]
    main(plain)
    told = capsys.readouterr().out
    assert "Note:" not in told
    # Columns of scores depend on no rule.
    assert "Answers are those of" not in told
    main([*plain, "--max-depth", "1"])
    assert "Note: the taxonomy was cut at depth 1" in capsys.readouterr().out
    main([*plain, "--inner-truth", "other", "--format", "json"])
    (note,) = json.loads(capsys.readouterr().out)["notes"]
    assert note.startswith("1 inner classes that are truths got their own leaf")
    main(["table", *flags, "--metrics", "labels.micro_f1", "--resamples", "0"])
    assert "Answers are those of the rule 'majority'" in capsys.readouterr().out


def test_class_weights_add_their_columns(flags, capsys):
    """Asked for without a balanced column, they would otherwise do nothing."""
    ask = ["table", *flags, "--resamples", "0", "--format", "json", "--class-weights", "equal", "--metrics"]
    for asked, expected in (
        ("curve.ac,curve.ap", ["curve.ac", "curve.ap", "curve.balanced_ac", "curve.balanced_ap"]),
        ("labels.micro_f1", ["labels.micro_f1", "curve.balanced_ac"]),
        ("curve.ac,curve.balanced_ap", ["curve.ac", "curve.balanced_ap"]),
    ):
        main([*ask, asked])
        assert [column["key"] for column in json.loads(capsys.readouterr().out)["columns"]] == expected


def test_verify_says_its_result_in_the_terminal(flags, capsys, tmp_path):
    main(["evaluate", *flags, "--verify", "--json", str(tmp_path / "out.json")])
    found = json.loads((tmp_path / "out.json").read_text())["models"][0]["verify"]
    assert found["sentence"] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--max-depth", "0"], "--max-depth: expected a whole number of edges from 1 up, got 0."),
        (["--resamples", "200000"], "--resamples: expected a whole number from 2 to 100000, got 200000."),
        (["--group", "site"], "--group: expected a value of 'site' for every sample, got none for samples 's2', 's3'."),
    ],
)
def test_errors_name_the_flag_and_the_samples(more, words, flags, tmp_path, capsys):
    (tmp_path / "truth.csv").write_text("sample_id,truth,site\ns1,a,x\ns2,w,\ns3,a,\n")
    assert main(["table", *flags, *more]) == 2
    assert words in capsys.readouterr().err
