"""`hierviz diagnose`: its JSON and tables hold the numbers of the functions, and every mistake of the caller is one line."""

import csv
import json

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from tests.small_tree import EDGES_CSV, LEAVES

TABLES = (
    "node-table",
    "departures",
    "class-table",
    "confusions",
    "matrix",
    "mistakes",
    "slices",
    "reliability",
    "overconfidence",
    "label-errors",
)
BLOCKS = [name.replace("-", "_") for name in TABLES]


@pytest.fixture
def files(tmp_path):
    """Taxonomy, scores with truth and an attribute, and lists of labels with several truths."""
    rng = np.random.default_rng(0)
    (tmp_path / "taxonomy.csv").write_text("parent,child\n" + EDGES_CSV)
    p = rng.dirichlet(np.ones(4), 80)
    lines = [f"sample_id,{','.join(LEAVES)},truth,light"]
    for row, scores in enumerate(p.tolist()):
        light = "night" if row % 2 else "day"
        lines.append(f"s{row},{','.join(map(repr, scores))},{LEAVES[rng.integers(4)]},{light}")
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
    labels = ["sample_id,labels,truth", "a,cat;newt,cat", "b,,cat;duck", "c,dog,dog;newt"]
    (tmp_path / "labels.csv").write_text("\n".join(labels) + "\n")
    return tmp_path


@pytest.fixture
def run(files, capsys):
    """run(predictions, *flags) -> (exit code, standard output, standard error)."""

    def call(predictions, *flags):
        arguments = ["--taxonomy", files / "taxonomy.csv", "--predictions", files / predictions, *flags]
        code = cli.main(["diagnose", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def loaded(files, name):
    taxonomy = hv.load_taxonomy(files / "taxonomy.csv")
    return hv.load_predictions(files / name, taxonomy)


def rows(frame):
    return [
        {key: None if isinstance(value, float) and np.isnan(value) else value for key, value in row.items()}
        for row in frame.to_dict("records")
    ]


def test_json_holds_the_numbers_of_the_functions(run, files):
    code, out, err = run(
        "scores.csv",
        "--rule",
        "threshold",
        "--threshold",
        "0.4",
        "--open",
        "mammal",
        "--flips",
        "s3",
        "--most",
        "5",
        "--means-by",
        "depth",
        "--means-by",
        "light",
        "--metric",
        "info_recall",
    )
    assert (code, err) == (0, "")
    found = json.loads(out)
    predictions = loaded(files, "scores.csv")
    answers = hv.evaluation.judged_answers(predictions, "threshold", 0.4)
    assert found["taxonomy"] == {"n_nodes": 7, "n_leaves": 4, "is_tree": True, "max_depth": 2}
    assert (found["n_samples"], found["rule"], found["threshold"], found["notes"]) == (80, "threshold", 0.4, [])
    table = hv.diagnosis.node_table(answers)
    by_misses = np.argsort(-(table.support - table.hits), kind="stable")[:5]
    assert found["node_table"]["rows"] == rows(table.to_frame().iloc[by_misses])
    assert found["node_table"]["reasons"] == table.reasons
    confused = hv.diagnosis.confused_pairs(answers)
    assert found["confusions"]["rows"] == rows(confused.to_frame().iloc[:5])
    assert found["confusions"]["n_groups"] == len(confused)
    matrix = hv.diagnosis.matrix(answers, open_nodes=predictions.taxonomy.nodes("mammal"))
    assert found["matrix"]["rows"] == rows(matrix.to_frame())
    assert found["matrix"]["classes_of_truth"] == ["stops at animal", "stops at mammal", "cat", "dog", "bird", "newt"]
    assert found["matrix"]["total"] == 80
    ranked = hv.mistakes(predictions, "threshold", 0.4, outcome="wrong")
    assert [row["severity"] for row in found["mistakes"]["rows"]] == ranked.severity[:5].tolist()
    assert found["slices"]["rows"] == rows(hv.diagnosis.slices(answers).to_frame().drop(columns="node").iloc[:5])
    assert found["slices"]["sentence"] == hv.diagnosis.slices(answers).sentence()
    assert found["reliability"]["rows"] == rows(hv.diagnosis.reliability(predictions).to_frame())
    confidence = hv.diagnosis.overconfidence(predictions)
    assert found["overconfidence"] == {
        "sentence": confidence.sentence("{}"),
        "n_tested": len(confidence),
        "n_flagged": int((confidence.direction != 0).sum()),
        "rows": rows(confidence.to_frame().iloc[:5]),
    }
    assert found["label_errors"]["rows"] == rows(hv.diagnosis.label_errors(answers).to_frame().iloc[:5])
    classes = hv.diagnosis.class_table(answers)
    by_support = classes.to_frame().sort_values("support", ascending=False, kind="stable")
    assert found["class_table"]["rows"] == rows(by_support.iloc[:5])
    assert found["class_table"]["averages"]["exact"] == classes.exact.averages()
    assert found["class_table"]["hierarchical_f"] == hv.diagnosis.hierarchical_f(answers)
    for by in ("depth", "light"):
        means = hv.diagnosis.means_by(answers, by, metric="info_recall")
        assert found["means_by"][by]["rows"] == rows(means.to_frame())
        assert found["means_by"][by]["overall"] == means.overall
    assert found["flips"] == {"s3": rows(hv.diagnosis.flip_intervals(predictions, 3).to_frame())}


def test_tables_hold_all_rows(run, files):
    flags = [part for name in TABLES for part in (f"--{name}", files / f"{name}.out.csv")]
    code, _, err = run(
        "scores.csv", *flags, "--most", "0", "--beta", "2", "--calibrate", "mammal", "--json", files / "out.json"
    )
    assert (code, err) == (0, "")
    predictions = loaded(files, "scores.csv")
    reliability = hv.diagnosis.reliability(predictions, nodes=[1], depths=[1, 2])
    expected = {
        "node-table": hv.diagnosis.node_table(predictions, calibration=reliability).to_frame(),
        "class-table": hv.diagnosis.class_table(predictions, beta=2).to_frame(),
        "confusions": hv.diagnosis.confused_pairs(predictions).to_frame(),
        "matrix": hv.diagnosis.matrix(predictions).to_frame(),
        "departures": hv.diagnosis.departures(predictions).to_frame(),
        "slices": hv.diagnosis.slices(predictions).to_frame().drop(columns="node"),
        "reliability": reliability.to_frame(of_bins=True),
        "overconfidence": hv.diagnosis.overconfidence(predictions).to_frame(),
        "label-errors": hv.diagnosis.label_errors(predictions).to_frame(),
    }
    for name in TABLES:
        with open(files / f"{name}.out.csv", newline="", encoding="utf-8") as file:
            header, *cells = csv.reader(file)
        if name == "mistakes":
            assert header[:4] == ["sample_id", "truth", "predicted", "outcome"]
            assert len(cells) == len(hv.mistakes(predictions, outcome="wrong"))
            continue
        assert header == list(expected[name])
        assert cells == [
            ["" if value is None else str(value) for value in row.values()] for row in rows(expected[name])
        ]
    report = json.loads((files / "out.json").read_text())
    assert report["slices"]["rows"] == []


def test_labels_with_several_truths(run, files):
    code, out, err = run("labels.csv")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["rule"], found["reliability"], found["label_errors"]) == (None, None, None)
    assert found["overconfidence"] is None
    assert found["notes"][-3:] == [
        "reliability is null: it needs scores, and this file holds labels",
        "overconfidence is null: it needs scores, and this file holds labels",
        "label_errors is null: they need one true class per sample, and this truth lists several",
    ]
    assert [row["sample_id"] for row in found["mistakes"]["rows"]] == ["b", "a", "c"]
    assert found["matrix"]["classes_of_answer"][-1] == "(no answer left)"
    assert "several true classes" in found["node_table"]["reasons"]["correct"]


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--slices", "-"], "--slices: expected a file, got -, which is for the JSON. Name a CSV file."),
        (["--most", "-1"], "--most: expected a whole number from 0 up, got -1. Choose one."),
        (["--open", "mamal"], "--open: no node named 'mamal' in the taxonomy (7 nodes). Did you mean 'mammal'?"),
        (["--flips", "x"], "--flips: expected the id of a sample, got 'x'. Check the ids of the predictions."),
        (
            ["--lam", "1"],
            "--lam: expected --rule darts with it, got rule majority. Choose that rule, or leave --lam out.",
        ),
        (
            ["--calibrate", "mamal"],
            "--calibrate: no node named 'mamal' in the taxonomy (7 nodes). Did you mean 'mammal'?",
        ),
        (["--group", "observer"], "--group: expected a column of the predictions or the truth"),
        (["--attribute", "lihgt"], "--attribute: expected a column of the predictions or the truth"),
        (["--severity", "bits"], "--severity: expected one of win_lost, info_dist"),
        (["--loss", "bits"], "--loss: expected one of wrong, win_lost, info_dist"),
        (["--level", "0"], "--level: expected a depth from 1 to 2"),
        (["--q", "0"], "--q: expected a number between 0 and 1, got 0.0."),
        (["--rule", "darts", "--lam", "nan"], "--lam: expected a number of bits, 0 or more, got nan."),
        (["--rule", "information_threshold", "--bits", "9"], "--bits: expected a number from 0 to 2"),
        (["--rule", "threshold", "--threshold", "2"], "--threshold: expected a number from 0 to 1, got 2.0."),
        (
            ["--rule", "majority", "--threshold", "0.2"],
            "--threshold: expected --rule threshold or --rule threshold_set with it, got rule majority",
        ),
        (["--rule", "best"], "--rule: expected one of leaf, majority"),
        (["--json", ""], "file to write: expected a name, got ''. Name one."),
    ],
)
def test_one_line(run, flags, says):
    code, out, err = run("scores.csv", *flags)
    assert (code, out) == (2, "")
    assert err.startswith(f"hierviz: {says}")
    assert err.count("\n") == 1


def test_a_table_that_does_not_apply(run, files):
    code, _, err = run("labels.csv", "--node-table", files / "nodes.csv", "--label-errors", files / "out.csv")
    assert code == 2
    assert "expected candidates for label errors, got none" in err
    assert not (files / "out.csv").exists()
    # Nothing is written before everything is worked out.
    assert not (files / "nodes.csv").exists()


def test_a_severity_that_a_file_does_not_have(run):
    assert run("labels.csv", "--severity", "win_lost")[2].startswith(
        "hierviz: --severity 'win_lost': expected an input"
    )
    assert run("labels.csv", "--loss", "win_lost")[2].startswith(
        "hierviz: --loss 'win_lost': expected an input that has"
    )


def test_no_truth(run, files):
    (files / "scores.csv").write_text("sample_id,cat,dog,duck,newt\na,1,0,0,0\n")
    code, out, err = run("scores.csv")
    assert (code, out) == (2, "")
    assert err.startswith(
        "hierviz: scores: expected samples with a known truth, got none. Name a file of the truth with"
    )
    assert "--truth, or its column with --truth-column." in err


def test_no_input_and_no_other_output_is_written_over(run, files):
    before = (files / "scores.csv").read_text()
    for flag in ("--json", "--node-table"):
        code, _, err = run("scores.csv", flag, files / "scores.csv")
        assert (code, (files / "scores.csv").read_text()) == (2, before)
        assert err.endswith(
            "scores.csv: expected another file to write to, got one that is read. Choose another place.\n"
        )
    (files / "link.csv").symlink_to(files / "out.csv")
    code, _, err = run("scores.csv", "--slices", files / "out.csv", "--confusions", files / "link.csv")
    assert (code, (files / "out.csv").exists()) == (2, False)
    assert "out.csv: expected one table or report for this file, got several." in err


def test_every_severity_ranks_mistakes(run):
    for key in ("win_lost", "info_dist", "depth_dist", "confidence_dist", "lost_hf1"):
        found = json.loads(run("scores.csv", "--severity", key)[1])
        assert (found["mistakes"]["severity"], found["confusions"]["cost"]) == (key, key)
        numbers = [row["severity"] for row in found["mistakes"]["rows"]]
        assert numbers == sorted(numbers, reverse=True)


def test_what_is_asked_for_twice_is_tested_once(run):
    once = json.loads(run("scores.csv", "--attribute", "light", "--calibrate", "cat")[1])
    twice = json.loads(run("scores.csv", *["--attribute", "light", "--calibrate", "cat"] * 2)[1])
    assert once == twice


def test_groups_and_attributes(run):
    code, out, _ = run("scores.csv", "--group", "light", "--attribute", "light", "--loss", "depth_dist", "--q", "0.1")
    assert code == 0
    found = json.loads(out)["slices"]
    # Two groups are too few for a test, which is said.
    assert (found["test"], found["loss"], found["n_groups"]) == ("none", "depth_dist", 2)
    assert found["sentence"] == "Slices are not tested: 2 groups, and a test needs at least 10."
    assert all(row["p_value"] is None and not row["is_flagged"] for row in found["rows"])
    alone = json.loads(run("scores.csv", "--attribute", "light", "--loss", "depth_dist")[1])["slices"]
    assert alone["test"] == "permutation"
    assert alone["worst_subtree"] is None or alone["worst_subtree"].startswith("Worst subtree: ")


def test_a_second_model(run, files, tmp_path):
    rng = np.random.default_rng(1)
    lines = (files / "scores.csv").read_text().splitlines()
    body = [line.split(",") for line in lines[1:]]
    shuffled = [[row[0], *map(repr, rng.dirichlet(np.ones(4)).tolist()), *row[5:]] for row in body]
    (files / "second.csv").write_text("\n".join([lines[0], *(",".join(row) for row in shuffled)]) + "\n")
    tables = {name: tmp_path / f"{name}.csv" for name in ("two-by-two", "difference-tree")}
    flags = [word for name, path in tables.items() for word in (f"--{name}", path)]
    code, out, _ = run("scores.csv", "--against", files / "second.csv", *flags)
    assert code == 0
    found, models = json.loads(out)["against"], [loaded(files, name) for name in ("scores.csv", "second.csv")]
    expected = hv.comparison.two_by_two(*models)
    assert found["models"] == ["scores", "second"]
    assert found["two_by_two"]["sentence"] == expected.sentence
    assert found["two_by_two"]["rows"] == rows(expected.to_frame())
    assert found["two_by_two"]["difference"]["p_value"] == expected.difference.p_value
    tree = hv.comparison.difference_tree(*models)
    assert found["difference_tree"]["n_tested"] == tree.n_tested
    with tables["difference-tree"].open() as file:
        assert [row["class"] for row in csv.DictReader(file)] == tree.to_frame()["class"].tolist()
    with tables["two-by-two"].open() as file:
        assert [int(row["samples"]) for row in csv.DictReader(file)] == expected.counts.ravel().tolist()


def test_what_needs_a_second_model(run):
    for flag, value in (("--reading", "named"), ("--two-by-two", "t.csv"), ("--depth", "1")):
        code, _, err = run("scores.csv", flag, value)
        assert code == 2
        assert f"{flag}: expected --against with it" in err


def test_answers_that_change(run, files, tmp_path):
    code, out, _ = run(
        "scores.csv", "--rule", "threshold", "--threshold", "0.4", "--to", "0.6", "--changes", tmp_path / "c.csv"
    )
    assert code == 0
    found, expected = (
        json.loads(out)["changes"],
        hv.comparison.answer_changes(loaded(files, "scores.csv"), threshold=0.4, to=0.6),
    )
    assert expected.n_changed
    assert (found["sentence"], found["n_changed"]) == (expected.sentence, expected.n_changed)
    assert found["flows"] == rows(expected.to_frame())
    with (tmp_path / "c.csv").open() as file:
        assert [row["sample_id"] for row in csv.DictReader(file)] == expected.to_sample_frame()["sample_id"].tolist()
    code, _, err = run("scores.csv", "--changes", tmp_path / "d.csv")
    assert code == 2
    assert "--changes: expected --to or --to-rule with it" in err


@pytest.mark.parametrize("how", ["isotonic", "venn-abers", "temperature", "none"])
def test_confidence_map(run, files, how):
    """Its block, the column of mistakes and the bins are those of the functions; all other blocks stay as they are."""
    tables = ("--mistakes", files / "mistakes.csv", "--reliability", files / "bins.csv")
    flags = ("--rule", "leaf")
    code, plain, _ = run("scores.csv", *flags)
    code, told, _ = run("scores.csv", *flags, "--confidence-map", how, *tables)
    assert code == 0
    report, plain = json.loads(told), json.loads(plain)
    found = hv.evaluation.answer_confidence(loaded(files, "scores.csv"), how, "leaf")
    block = report.pop("confidence")
    assert "confidence" not in plain
    assert [row.pop("confidence") for row in report["mistakes"]["rows"]] == [
        found.confidence[found.evaluation.predictions.row(row["sample_id"])] for row in report["mistakes"]["rows"]
    ]
    assert report == plain
    maps = found.compared()
    assert block["map"] == how
    assert block["sentence"] == maps.sentence
    assert [row["map"] for row in block["maps"]] == ["none", "temperature", "isotonic", "venn-abers"]
    assert [row["log_loss"] for row in block["maps"]] == maps.log_loss.estimate.tolist()
    judged = hv.diagnosis.confidence_reliability(found)
    assert [row["subject"] for row in block["rows"]] == judged.subjects
    assert [row["ece"] for row in block["rows"]] == judged.ece.tolist()
    with open(files / "bins.csv", encoding="utf-8") as file:
        bins = [row for row in csv.DictReader(file) if row["subject"] in judged.subjects]
    assert [int(row["n"]) for row in bins] == judged.bin_columns["n"].tolist()
    with open(files / "mistakes.csv", encoding="utf-8") as file:
        assert "confidence" in next(csv.reader(file))


def test_confidence_map_by_too_few_groups(run):
    code, _, error = run("scores.csv", "--confidence-map", "isotonic", "--group", "light")
    assert code == 2
    assert "folds: expected at least 5 samples or groups, got 2" in error


def test_confidence_map_of_what_has_no_confidence(run):
    code, told, _ = run("labels.csv", "--confidence-map", "isotonic")
    assert code == 0
    report = json.loads(told)
    assert report["confidence"] is None
    assert any(note.startswith("confidence is null: they need") for note in report["notes"])
