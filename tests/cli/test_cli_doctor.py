"""`hierviz doctor`: exit codes, JSON, mended files, words of the command line, and forms that are said."""

import json
from pathlib import Path

import pytest

from hierviz import cli
from hierviz.findings.finding import FINDINGS
from tests.findings.clean_files import CleanFiles, write


@pytest.fixture
def paths(tmp_path):
    files = CleanFiles(3)
    return files, [write(tmp_path / f"{key}.csv", getattr(files, key)) for key in ("edges", "predictions", "truth")]


def flags(paths):
    return [str(word) for pair in zip(("--taxonomy", "--predictions", "--truth"), paths, strict=True) for word in pair]


def test_no_problems(paths, capsys):
    assert cli.main(["doctor", *flags(paths[1])]) == 0
    assert capsys.readouterr().out == "No problems.\n"


def test_findings_as_json_with_mended_files(paths, tmp_path, capsys):
    files, places = paths
    files.edges.append([files.leaves[0], files.leaves[0]])
    del files.predictions[0][1]
    for row in files.predictions[1:]:
        del row[1]
    write(places[0], files.edges)
    write(places[1], files.predictions)
    assert cli.main(["doctor", *flags(places), "--json", "-", "--fix", str(tmp_path / "mended")]) == 2
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [set(one) for one in found] == [{"code", "severity", "where", "message", "fix"}] * len(found)
    assert [one["code"] for one in found] == ["own_parent", "missing_classes"]
    assert "--missing zero" in found[1]["message"]
    assert [path.name for path in (tmp_path / "mended").iterdir()] == ["edges.csv"]
    again = [*flags([tmp_path / "mended" / "edges.csv", *places[1:]]), "--missing", "zero"]
    # What is wrong once the columns are said to be all: `evaluate` says so as well.
    assert cli.main(["doctor", *again]) == 2
    assert "do not sum to 1" in capsys.readouterr().out
    assert cli.main(["evaluate", *again]) == 2
    assert "expected leaf probabilities that sum to 1" in capsys.readouterr().err


def test_mended_files_never_replace_what_was_read(paths, tmp_path, capsys):
    files, places = paths
    before = write(places[0], [*files.edges, ["top", "top"]]).read_bytes()
    assert cli.main(["doctor", "--taxonomy", str(places[0]), "--fix", str(tmp_path)]) == 2
    assert "expected another folder" in capsys.readouterr().err
    assert places[0].read_bytes() == before


def test_a_folder_whose_name_is_too_long(paths, capsys):
    assert cli.main(["doctor", "--taxonomy", str(paths[1][0]), "--fix", "x" * 5000]) == 2
    assert capsys.readouterr().err.endswith(
        "expected a folder to write to, got File name too long. Choose another one.\n"
    )


def test_names_of_a_file_of_nodes_are_names_of_classes(tmp_path, capsys):
    """As in `evaluate`: without the file the titles are no names, with it they are."""
    (tmp_path / "t.csv").write_text("parent,child\nroot,n1\nroot,n2\nn1,n3\nn1,n4\n")
    (tmp_path / "nodes.csv").write_text("node,name\nn2,duck\nn3,cat\nn4,dog\n")
    (tmp_path / "p.csv").write_text("sample_id,predicted,truth\n1,cat,cat\n2,duck,duck\n3,dog,dog\n4,dog,cat\n")
    files = ["--taxonomy", str(tmp_path / "t.csv"), "--predictions", str(tmp_path / "p.csv")]
    assert cli.main(["doctor", *files]) == 2
    assert "3 names are not in the taxonomy: 'cat' (2), 'duck' (1), 'dog' (1)" in " ".join(
        capsys.readouterr().out.split()
    )
    nodes = ["--nodes", str(tmp_path / "nodes.csv")]
    assert cli.main(["doctor", *files, *nodes]) == 0, capsys.readouterr().out
    assert cli.main(["evaluate", *files, *nodes]) == 0
    capsys.readouterr()
    (tmp_path / "nodes.csv").write_text("name\nduck\n")
    assert cli.main(["doctor", *files, *nodes]) == 2
    assert "nodes.csv" in capsys.readouterr().out


def test_every_code_is_documented():
    text = (Path(__file__).parents[2] / "docs" / "doctor.md").read_text()
    assert [line for line in text.splitlines() if line.startswith("| `")] == [
        f"| `{code}` | {severity} | {words} |" for code, (severity, words) in FINDINGS.items()
    ]


def test_predictions_form_is_said(paths, capsys):
    assert cli.main(["evaluate", *flags(paths[1]), "--predictions-form", "wide"]) == 0
    capsys.readouterr()
    assert cli.main(["evaluate", *flags(paths[1]), "--predictions-form", "npz"]) == 2
    assert "expected an array of scores with names" in capsys.readouterr().err
    assert cli.main(["evaluate", *flags(paths[1]), "--predictions-form", "wid"]) == 2
    assert "--predictions-form: expected one of" in capsys.readouterr().err
