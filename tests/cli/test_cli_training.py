"""Steps of a training on the command line: all in a table and a chart, a model each in `evaluate`, the last one elsewhere."""

import csv
import json
import re

import pytest

from hierviz import cli
from tests.training_files import write_training

STEPS = (1, 2, 10)


@pytest.fixture
def call(tmp_path, capsys):
    """Run a command on the folder of steps; returns (exit code, standard output, standard error)."""
    write_training(tmp_path, STEPS)

    def run(*flags, predictions=("flat@=" + str(tmp_path / "flat"),)):
        files = ["--taxonomy", tmp_path / "taxonomy.csv", "--truth", tmp_path / "truth.csv"]
        named = [flag for one in predictions for flag in ("--predictions", one)]
        code = cli.main([*flags[:1], *map(str, [*flags[1:], *files, *named])])
        return code, *capsys.readouterr()

    return run


def test_every_step_is_in_the_table_and_as_evaluate_has_it(call):
    code, out, _ = call("evaluate")
    assert code == 0
    entries = {entry["name"]: entry for entry in json.loads(out)["models"]}
    assert list(entries) == [f"flat@{step}" for step in STEPS]
    code, out, error = call("table", "--metrics", "curve.ac,predicted.info_f1", "--resamples", 50, "--format", "json")
    assert (code, error) == (0, "")
    found = json.loads(out)
    assert [row["model"] for row in found["rows"]] == ["flat@10"]
    (training,) = found["trainings"]
    assert training["model"] == "flat"
    assert [row["step"] for row in training["steps"]] == list(STEPS)
    for row in training["steps"]:
        entry = entries[f"flat@{row['step']}"]
        assert row["values"]["curve.ac"] == pytest.approx(entry["curve"]["ac"])
        assert row["values"]["predicted.info_f1"] == pytest.approx(entry["predicted"]["info_f1"])
        low, high = row["interval"]["curve.ac"]
        assert low <= row["values"]["curve.ac"] <= high
    code, out, _ = call("table", "--metrics", "curve.ac", "--resamples", 50)
    assert "## flat over its training" in out
    assert training["sentences"]["curve.ac"][:20] in out


def test_chart_and_its_table(call, tmp_path):
    place = tmp_path / "steps.csv"
    flags = ("--metric", "curve.ac", "--resamples", 50, "--out", place)
    code, out, error = call("chart", "training", *flags)
    assert (code, error) == (0, "")
    assert out.startswith("AC rises from ")
    with open(place, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["step"]) for row in rows] == list(STEPS)
    last = f"last={tmp_path / 'flat' / 'epoch_10.csv'}"
    code, _, error = call("chart", "training", *flags, predictions=[last])
    assert code == 2
    assert "expected at least two steps of one training, NAME@STEP=FILE or NAME@=FOLDER, got 'last'." in error
    code, _, error = call("chart", "training", *flags, predictions=[f"flat@={tmp_path / 'flat'}", last])
    assert (code, error) == (0, "note: not drawn, since no step of a training: 'last'\n")


def test_other_commands_take_the_last_step_and_say_so(call, tmp_path):
    code, out, error = call("curve")
    assert code == 0
    assert error == "note: flat: the last of 3 steps, 10; `hierviz table` and `hierviz chart training` show all\n"
    _, alone, _ = call("curve", predictions=[str(tmp_path / "flat" / "epoch_10.csv")])
    assert out == alone


def test_options_call_all_steps_by_the_name_of_the_training(call):
    code, out, _ = call("evaluate", "--threshold", "flat=0.7")
    assert code == 0
    assert [entry["threshold"] for entry in json.loads(out)["models"]] == [0.7] * 3


def test_a_report_says_which_step_it_is_about(call, tmp_path):
    """In its overview, in its story, and with the names of the files where it says how they were read."""
    view = "http://127.0.0.1:8501/example?sample=s1"
    code, _, _ = call("report", "--out", tmp_path / "report.html", "--view", view)
    assert code == 0
    html = re.sub(r"<script.*?</script>", "", (tmp_path / "report.html").read_text(), flags=re.DOTALL)
    words = (
        "flat@10: 3 steps, 1 (epoch_1.csv), 2 (epoch_2.csv), 10 (epoch_10.csv); this is the last one. All numbers and examples "
        "of this model are of this step."
    )
    sections = dict(re.findall(r'<section id="(\w+)">(.*?)</section>', html.replace("\u00a0", " "), flags=re.DOTALL))
    assert words in sections["story"]
    assert words in sections["overview"]
    assert "3 steps, 1 (epoch_1.csv)" in sections["files"]
    alone = [f"last={tmp_path / 'flat' / 'epoch_10.csv'}"]
    assert call("report", "--out", tmp_path / "alone.html", predictions=alone)[0] == 0
    assert "this is the last one" not in (tmp_path / "alone.html").read_text()


def test_the_name_of_a_training_is_no_markdown(call, tmp_path):
    where = [f"a*b_c*@={tmp_path / 'flat'}"]
    _, out, _ = call("table", "--metrics", "curve.ac", "--resamples", 50, predictions=where)
    assert r"## a\*b\_c\* over its training" in out
