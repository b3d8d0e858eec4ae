"""`evaluate` and `table --conformal`, `curve --rule climbing`: their numbers are those of the package, wrong options are said."""

import csv
import json
import re

import numpy as np
import pytest
from small_tree import EDGES_CSV, LEAVES

import hierviz as hv
from hierviz.cli import COMMANDS, diagnose, main, parser
from hierviz.uncertainty.risk_bounds import wilson

N = 60


@pytest.fixture
def files(tmp_path):
    """Taxonomy, predictions with their truth in them, and other ones of the same model."""
    rng = np.random.default_rng(3)
    (tmp_path / "tree.csv").write_text(EDGES_CSV)

    def predictions(name, n, first):
        with (tmp_path / name).open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["sample_id", "truth", "user", *LEAVES])
            for i in range(n):
                p = rng.dirichlet(np.full(len(LEAVES), 0.4))
                rows.writerow([first + i, LEAVES[rng.choice(len(LEAVES), p=p)], f"u{i % 20}", *p])
        return str(tmp_path / name)

    return tmp_path, predictions("new.csv", N, 0), predictions("calibration.csv", 40, 1000)


def run(files, *arguments, command="evaluate"):
    folder, new, _ = files
    return main([command, "--taxonomy", str(folder / "tree.csv"), "--predictions", new, *arguments])


def evaluated(files, capsys, *arguments):
    assert run(files, *arguments) == 0
    out, err = capsys.readouterr()
    return json.loads(out)["models"][0], err


def loaded(files):
    taxonomy = hv.load_taxonomy(files[0] / "tree.csv")
    return [hv.load_predictions(path, taxonomy) for path in files[1:]]


def test_a_share_of_the_samples_is_calibrated_on(files, capsys):
    (new, _), found = loaded(files), evaluated(files, capsys, "--conformal", "0.2")
    expected = hv.evaluation.conformal_of_model(new, 0.2)
    assert found[0]["conformal"] == expected.to_json()
    assert found[0]["conformal"]["n_calibration"] == N / 2
    assert sum(found[0]["conformal"]["outcomes"].values()) == pytest.approx(1)
    assert expected.sentence in found[1]
    held = f"The true class is held in {100 * expected.held:.1f} %"
    assert re.search(rf"{held}(, 95 % interval \[.*\],)? of the {N // 2} held-out samples[.:]", found[1])
    assert found[1].strip().endswith("of the answers are the root.")
    model, _ = evaluated(files, capsys, "--conformal", "0.2", "--calibration", "0.25")
    assert model["conformal"]["n_calibration"] == N / 4


def test_predictions_of_other_samples_are_calibrated_on(files, capsys):
    new, other = loaded(files)
    model, said = evaluated(files, capsys, "--conformal", "0.2", "--calibration", files[2])
    assert f" of the {N} new samples" in said
    assert model["conformal"] == hv.evaluation.conformal_of_model(new, 0.2, calibration=other).to_json()
    assert (model["conformal"]["n_calibration"], model["conformal"]["n_new"]) == (40, N)
    assert model["n_samples"] == N
    by_class, _ = evaluated(files, capsys, "--conformal", "0.2", "--calibration", files[2], "--conformal-by", "class")
    assert set(by_class["conformal"]["q"]) == {"mammal", "bird", "newt"}
    groups, _ = evaluated(files, capsys, "--conformal", "0.3", "--conformal-by", "user")
    assert (groups["conformal"]["unit"], groups["conformal"]["n_calibration"]) == ("group", 10)


def test_each_sample_has_its_class_in_the_table_per_sample(files, capsys):
    new, _ = loaded(files)
    path = files[0] / "samples.csv"
    evaluated(files, capsys, "--conformal", "0.2", "--per-sample", str(path))
    found = hv.evaluation.conformal_of_model(new, 0.2)
    with path.open() as file:
        shown = [row["conformal"] for row in csv.DictReader(file)]
    expected = [""] * N
    for row, node in zip(found.rows.tolist(), found.nodes.tolist()):
        expected[row] = new.taxonomy.names[node]
    assert shown == expected
    assert shown.count("") == N // 2


def tabled(files, capsys, *arguments):
    """The JSON of a table of the new predictions and of a model that is surer of the same samples."""
    folder, path, _ = files
    with open(path) as read, (folder / "surer.csv").open("w", newline="") as write:
        rows = list(csv.reader(read))
        made = [[*row[:3], *(np.array(row[3:], dtype=float) ** 3 / (np.array(row[3:], dtype=float) ** 3).sum())]
                for row in rows[1:]]  # fmt: skip
        csv.writer(write).writerows([rows[0], *made])
    predictions = ["--predictions", f"surer={folder / 'surer.csv'}", "--format", "json"]
    assert run(files, *predictions, *arguments, command="table") == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "more", [(), ("--calibration", "0.25"), ("--conformal-by", "class"), ("--conformal-by", "user")]
)
def test_a_table_has_columns_of_conformal_nodes(files, capsys, more):
    found = tabled(files, capsys, "--conformal", "0.2", *more, "--metrics", "conformal.held,conformal.leaf_share",
                   "--metrics", "conformal.mean_information,conformal.mean_depth,conformal.root_share")  # fmt: skip
    assert [row["model"] for row in found["rows"]] == ["new", "surer"]
    folder, path, _ = files
    for row, own in zip(found["rows"], (path, str(folder / "surer.csv")), strict=True):
        model, _ = evaluated((folder, own, None), capsys, "--conformal", "0.2", *more)
        for key, value in row["values"].items():
            assert value == pytest.approx(model["conformal"][key.removeprefix("conformal.")], abs=1e-12), key
            if "user" in more:
                # Samples of a user are dependent, and users are not drawn.
                assert row["interval"][key] is None
                continue
            low, high = row["interval"][key]
            assert low <= value <= high
    held = next(column for column in found["columns"] if column["key"] == "conformal.held")
    assert (held["label"], held["better"]) == ("True class held", "neither")
    assert found["constant"]["reason"]["conformal.mean_depth"] == "a constant answer is not calibrated"
    unit = "groups" if "user" in more else "samples in a top class" if "class" in more else "samples"
    notes = [note for note in found["notes"] if note.startswith("conformal nodes with a probability of 80 %")]
    assert len(notes) == 1
    assert re.search(rf"calibrated on [\d ,or]+ {unit} and judged on \d+ others$", notes[0])
    assert ("user" in more) == any("have no intervals: these need whole groups" in note for note in found["notes"])
    if "user" in more:
        drawn = tabled(files, capsys, "--conformal", "0.2", *more, "--group", "user", "--metrics", "conformal.held")
        low, high = drawn["rows"][0]["interval"]["conformal.held"]
        assert low <= drawn["rows"][0]["values"]["conformal.held"] <= high


def test_conformal_columns_are_there_where_they_are_asked_for(files, capsys):
    plain = tabled(files, capsys, "--metrics", "curve.ac")
    asked = tabled(files, capsys, "--metrics", "curve.ac", "--conformal", "0.2")
    keys = ["held", "mean_information", "mean_depth", "root_share"]
    assert [column["key"] for column in plain["columns"]] == ["curve.ac"]
    assert [column["key"] for column in asked["columns"]] == ["curve.ac", *(f"conformal.{key}" for key in keys)]
    assert asked["rows"][0]["values"]["curve.ac"] == plain["rows"][0]["values"]["curve.ac"]
    # Wilson's interval of the new samples alone, half of all.
    value = asked["rows"][0]["values"]["conformal.held"]
    low, high = wilson(round(value * N / 2), N // 2)
    assert asked["rows"][0]["interval"]["conformal.held"] == pytest.approx([float(low), float(high)])
    missing = tabled(files, capsys, "--metrics", "conformal.held")
    assert missing["rows"][0]["values"]["conformal.held"] is None
    assert missing["rows"][0]["reason"]["conformal.held"] == "it needs conformal nodes, which are not asked for"
    everything = tabled(files, capsys, "--preset", "all", "--resamples", "0")
    assert not any(column["block"] == "conformal" for column in everything["columns"])


def test_of_labels_and_graphs_the_reason_is_in_the_notes(tmp_path, capsys):
    (tmp_path / "tree.csv").write_text(EDGES_CSV)
    (tmp_path / "labels.csv").write_text("sample_id,truth,predicted\n0,cat,dog\n1,newt,newt\n")
    files = tmp_path, str(tmp_path / "labels.csv"), None
    model, _ = evaluated(files, capsys, "--conformal", "0.2")
    assert model["conformal"] is None
    assert "conformal: null, they need scores, and this file holds labels" in model["notes"]
    (tmp_path / "graph.csv").write_text("r,a\nr,b\na,c\nb,c\nb,d\n")
    (tmp_path / "scores.csv").write_text("sample_id,truth,c,d\n0,c,0.5,0.5\n1,d,0.25,0.75\n")
    assert main(["evaluate", "--taxonomy", str(tmp_path / "graph.csv"), "--predictions", str(tmp_path / "scores.csv")]
                + ["--conformal", "0.2", "--more"]) == 0  # fmt: skip
    model = json.loads(capsys.readouterr().out)["models"][0]
    assert (model["conformal"], model["selective"]) == (None, None)
    for block in ("conformal", "selective"):
        assert any(note.startswith(f"{block}: null, they are defined on trees, and 'c'") for note in model["notes"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--conformal", "1.5"], "--conformal: expected a number between 0 and 1, got 1.5. 0.1 asks"),
        (["--calibration", "0.5"], "--calibration: expected --conformal with it, got none"),
        (["--conformal-by", "class"], "--conformal-by: expected --conformal with it, got none"),
        (["--conformal", "0.1", "--calibration", "2"], "--calibration: expected a share between 0 and 1, got 2"),
        (["--conformal", "0.1", "--calibration", "none.csv"], "or a file, got 'none.csv', which is no file"),
        (["--conformal", "0.1", "--conformal-by", "usr"], "got 'usr'. Did you mean 'user'?"),
    ],
)
@pytest.mark.parametrize("command", ["evaluate", "table"])
def test_wrong_options_are_one_line(files, capsys, command, arguments, message):
    assert run(files, *arguments, command=command) == 2
    err = capsys.readouterr().err
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_the_curve_of_climbing_is_that_of_the_package(files, capsys):
    new, _ = loaded(files)
    assert run(files, "--rule", "climbing", command="curve") == 0
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))
    curve = hv.curves.selective_curve(new.taxonomy, new.truth, new)
    assert rows[0][:3] == ["theta", "selective_coverage", "selective_risk"]
    assert len(rows) == curve.n_points + 1
    assert rows[1][:3] == ["inf", "0.0", "0.0"]
    shown = np.array([row[:3] for row in rows[2:]], dtype=float)
    assert shown == pytest.approx(np.column_stack([curve.threshold, curve.coverage[1:], curve.risk[1:]]))


def test_the_chart_of_climbing_says_the_area(files, capsys):
    folder, path, _ = files
    arguments = ["--taxonomy", str(folder / "tree.csv"), "--predictions", path, "--out", str(folder / "chart.csv")]
    assert main(["chart", "selective", *arguments]) == 0
    new, _ = loaded(files)
    area = hv.curves.selective_curve(new.taxonomy, new.truth, new).area
    assert f"lower is better: new {area:.3f}" in capsys.readouterr().out
    assert (folder / "chart.csv").read_text().startswith("model,theta,coverage,risk\n")


def test_every_command_has_its_flags_once():
    """A parameter of a rule whose flag a command has already would end that command."""
    for name in COMMANDS:
        parser(name)


@pytest.mark.parametrize(("rule", "passed_on"), [("majority", {}), ("hf_optimal", {"beta": 9.0})])
def test_beta_of_diagnose_is_that_of_the_rule_too(files, capsys, monkeypatch, rule, passed_on):
    """The F of classes has it under every rule; a rule that takes it is given it."""
    seen = []

    def judged_one(*arguments):
        chosen = of_package(*arguments)
        seen.extend(chosen.choices)
        return chosen

    of_package = diagnose.judged_one
    monkeypatch.setattr(diagnose, "judged_one", judged_one)
    assert run(files, "--rule", rule, "--beta", "9", command="diagnose") == 0
    assert '"beta": 9.0' in capsys.readouterr().out
    assert [{key: value for key, value in choice.items() if key == "beta"} for choice in seen] == [passed_on]
