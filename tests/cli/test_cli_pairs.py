"""What `hierviz chart` and `hierviz diagnose` say of two models, two thresholds and two rules: every option does what it says.

Two models on twelve samples: A names cat, dog, duck and newt right on 4, B on 8 of them, never both wrong in the same way.
"""

import json

import pytest

from hierviz.cli import main

LEAVES = ["cat", "dog", "duck", "newt"]
TREE = "parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,duck\nanimal,newt\n"


def rows(n, is_right):
    """Scores of `n` samples: 0.7 on the truth where it is right, else on the next leaf."""
    lines = ["sample_id,truth,user," + ",".join(LEAVES)]
    for i in range(n):
        named = (i + (not is_right(i))) % 4
        lines.append(f"s{i},{LEAVES[i % 4]},u{i % 3}," + ",".join("0.7" if k == named else "0.1" for k in range(4)))
    return "\n".join(lines)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tree.csv").write_text(TREE)
    for n in (6, 60):
        (tmp_path / f"A{n}.csv").write_text(rows(n, lambda i: i % 3 == 0))
        (tmp_path / f"B{n}.csv").write_text(rows(n, lambda i: i % 3 != 1))
    (tmp_path / "labels.csv").write_text("sample_id,true,predicted\na,cat,dog\nb,dog,dog\n")
    (tmp_path / "no_truth.csv").write_text("sample_id," + ",".join(LEAVES) + "\ns0,0.7,0.1,0.1,0.1\n")
    return tmp_path


@pytest.fixture
def run(folder, capsys):
    """What a command of some files prints: standard output, or the only line of an error."""

    def said(command, files, *more):
        if command == "diagnose":
            given = ["diagnose", "--json", str(folder / "out.json")]
        else:
            given = ["chart", command, "--out", str(folder / "out.csv")]
        named = [word for name in files.split() for word in ("--predictions", str(folder / f"{name}.csv"))]
        words = [str(folder / f"{word[1:]}.csv") if word.startswith("@") else word for word in more]
        code = main([*given, "--taxonomy", str(folder / "tree.csv"), *named, *words])
        out = capsys.readouterr()
        assert code in (0, 2)
        if code == 2:
            assert out.err.count("\n") == 1
            return out.err.removeprefix("hierviz: ").strip()
        return out.out.strip()

    return said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        # On the way from depth 1 to the leaves every answer changes but newt: 45 of 60.
        (
            ("--rule", "at_level", "--answer-level", "1", "--to-answer-level", "2"),
            "From only at one level, level 1 to only at one level, level 2, 45 of 60 answers change",
        ),
        (("--to-rule", "at_level", "--to-answer-level", "1"), "From majority to only at one level, level 1, 45 of 60"),
        (
            ("--rule", "darts", "--lam", "0", "--to-lam", "50"),
            "From DARTS λ = 0.000 to DARTS λ = 50.000, 60 of 60 answers change",
        ),
        (
            ("--to-lam", "2"),
            "--to-lam: expected --to-rule darts with it, got rule threshold. Choose that rule, or leave",
        ),
        (("--to-rule", "majority", "--to-lam", "2"), "--to-lam: expected --to-rule darts with it, got rule majority."),
        (("--to-rule", "darts", "--to", "0.4"), "--to: expected a rule with a threshold, got darts."),
        (
            ("--rule", "at_level", "--answer-level", "1", "--to-answer-level", "9"),
            "--to-answer-level: expected a whole number from 1 to 2 (the depth of the taxonomy), got 9",
        ),
        (
            ("--rule", "at_level", "--answer-level", "9", "--to-answer-level", "1"),
            "--answer-level: expected a whole number from 1 to 2",
        ),
        (("--to-rule", "crm_leaf", "--to-cost", "none.csv"), "--to-cost: expected depth_dist, info_dist, "),
        (("--rule", "majority", "--threshold", "0.3", "--to", "0.7"), "--threshold: expected --rule threshold or"),
        (("--threshold", "0.3", "--to", "0.7"), "From τ = 0.300 to τ = 0.700, 60 of 60 answers change"),
    ],
)
def test_changes_between_two_rules(run, more, said):
    assert run("changes", "A60", *more).startswith(said)


@pytest.mark.parametrize("more", [("--to", "0.7"), ("--to-rule", "leaf"), ("--to-lam", "1")])
def test_labels_have_no_second_rule(run, more):
    for command in ("changes", "diagnose"):
        said = run(command, "labels", *more)
        assert said.startswith(f"{more[0]}: expected scores, got labels (labels), which no rule changes.")


def test_a_threshold_means_one_thing(run, folder):
    """Alone it is that of the rule threshold, in `chart` and in `diagnose`; next to a rule without one it is refused."""
    run("diagnose", "A60", "--threshold", "0.3", "--to", "0.7")
    found = json.loads((folder / "out.json").read_text())
    assert (found["rule"], found["threshold"], found["changes"]["n_changed"]) == ("threshold", 0.3, 60)
    assert run("changes", "A60", "--threshold", "0.3", "--to", "0.7").startswith(found["changes"]["sentence"])
    for command in ("diagnose", "matrix", "flow", "departures"):
        said = run(command, "A60", "--rule", "leaf", "--threshold", "0.3")
        assert said.startswith("--threshold: expected --rule threshold or --rule threshold_set with it, got rule leaf.")


@pytest.mark.parametrize(("name", "value"), [("--to", "0"), ("--by", "user"), ("--to-lam", "0")])
def test_options_of_other_kinds_are_refused(run, name, value):
    said = run("twobytwo", "A60 B60", name, value)
    assert said.startswith(f"{name}: expected with ")
    assert said.endswith(", got it with twobytwo. Leave it out.")


@pytest.mark.parametrize("kind", ["twobytwo", "difference", "methods", "together"])
def test_draws(run, kind):
    assert run(kind, "A60 B60", "--seed", "-1").startswith("--seed: expected a whole number >= 0, got -1.")
    for value in ("1", "-5"):
        assert run(kind, "A60 B60", "--resamples", value).startswith(
            "--resamples: expected a whole number from 2 to 100000"
        )


def test_draws_of_tables(run):
    assert run("methods", "A60 B60", "--metric", "predicted.exact", "--resamples", "50").startswith(
        "Exact: B60 is best"
    )


@pytest.mark.parametrize("name", ["--rule", "--threshold"])
def test_a_reading_that_has_answers_of_its_own(run, name):
    value = "threshold" if name == "--rule" else "0.3"
    said = run("twobytwo", "A60 B60", name, value)
    assert said.startswith(
        f"{name}: expected --reading to_level with it, got reading named, which chooses its own answers."
    )
    assert "only B60 is right to level 1" in run("twobytwo", "A60 B60", "--reading", "to_level", name, value)


def test_what_no_part_uses_is_refused(run):
    assert run("diagnose", "A60", "--metric", "nonsense").startswith(
        "--metric: expected --means-by or --against with it"
    )
    assert run("diagnose", "A60", "--metric", "nonsense", "--against", "@B60").startswith(
        "--metric: expected a number with"
    )
    assert run("diagnose", "A60", "--against", "@B60", "--against", "@A6").startswith(
        "--against: expected one file, got 2. Run the command once per model."
    )
    assert run("diagnose", "A60", "--against", "@B60") == ""


def test_no_interval_no_verdict(run):
    """Of 6 samples A is right on 0 and 3, B on 0, 2, 3, 5."""
    assert run("twobytwo", "A6 B6") == (
        "Only B6 names the right leaf on 2 of 6 samples, only A6 on 0 (B6 less A6: +33.3 points). No test was made, because 6 "
        "samples are too few: an interval needs at least 10."
    )
    assert run("twobytwo", "A60 B60", "--group", "user").endswith(
        "No test was made, because 3 groups are too few: an interval needs at least 10."
    )
    said = run("twobytwo", "A60 B60", "--reading", "correct")
    assert "clear" not in said
    assert said.endswith(
        "No test was made, because at 95 % correct answers 60 samples have 3 wrong ones, and an interval needs at least 10."
    )
    assert run("twobytwo", "A60 B60", "--reading", "correct", "--correct", "0.6").startswith(
        "B60 is clearly better than A60"
    )


@pytest.mark.parametrize("more", [(), ("--level", "1")])
def test_errors_name_the_options_that_were_typed(run, more):
    at_depth = ("--reading", "to_level", "--depth", "9")
    assert run("diagnose", "A60", "--against", "@B60", *at_depth, *more).startswith(
        "--depth: expected a whole number from 1"
    )
    assert run("twobytwo", "A60 B60", *at_depth).startswith("--depth: expected a whole number from 1 to 2, got 9.")
    assert run("twobytwo", "A60 B60", "--reading", "correct", "--correct", "2").startswith(
        "--correct: expected a number"
    )
    assert run("diagnose", "A60", "--against", "@no_truth").startswith("no_truth: expected samples with a known truth")
