"""No command writes over a file that it reads."""

import shutil

import pytest

from hierviz.cli import main
from tests.fuzz.forms import predictions, taxonomies

TREE, SCORES = taxonomies()["edges"][1]["t.csv"], predictions()["p.csv"][1]
REFUSED = "expected another file to write to, got one that is read"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_bytes(TREE)
    (tmp_path / "runs").mkdir()
    for name in ("p.csv", "runs/1.csv", "runs/2.csv"):
        (tmp_path / name).write_bytes(SCORES)
    (tmp_path / "truth.csv").write_text("sample_id,truth\na,cat\nb,bird\nc,newt\n")
    (tmp_path / "weights.csv").write_text("node,weight\ncat,1\n")
    (tmp_path / "list.txt").write_text("cat\ndog\n")
    shutil.copy(tmp_path / "t.csv", tmp_path / "link target.csv")
    (tmp_path / "link.csv").symlink_to("link target.csv")
    return tmp_path


BASE = ("--taxonomy", "t.csv", "--predictions", "p.csv", "--truth", "truth.csv")


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (("taxonomy", "t.csv", "--to", "newick", "--out"), "t.csv"),
        (("taxonomy", "t.csv", "--out"), "t.csv"),
        (("taxonomy", "link.csv", "--out"), "link target.csv"),
        (("taxonomy", "t.csv", "--taxonomy-classes", "list.txt", "--out"), "list.txt"),
        (("evaluate", *BASE, "--json"), "t.csv"),
        (("evaluate", *BASE[:2], "--predictions", "a=p.csv", *BASE[4:], "--json"), "p.csv"),
        (("evaluate", *BASE[:2], "--predictions", "runs", *BASE[4:], "--json"), "runs/2.csv"),
        (("evaluate", *BASE[:2], "--predictions", "a=runs/*.csv", *BASE[4:], "--per-sample"), "runs/1.csv"),
        (("evaluate", *BASE, "--class-weights", "weights.csv", "--json"), "weights.csv"),
        (("evaluate", *BASE, "--annotations", "truth.csv", "--per-sample"), "truth.csv"),
        (("table", *BASE, "--out"), "truth.csv"),
        (("curve", *BASE, "--csv"), "p.csv"),
        (("chart", "curves", *BASE, "--out"), "t.csv"),
        (("diagnose", *BASE, "--slices"), "truth.csv"),
        (("report", *BASE, "--out"), "t.csv"),
        (("doctor", *BASE, "--json"), "p.csv"),
        (("predict", "--model", "m.onnx", "--taxonomy", "t.csv", "--inputs", "p.csv", "--out"), "p.csv"),
        (("predict", "--model", "m.onnx", "--taxonomy", "t.csv", "--inspect", "--json"), "t.csv"),
    ],
)
def test_what_is_read_is_refused_as_a_place(folder, capsys, arguments, written):
    before = (folder / written).read_bytes()
    assert main([*arguments, written]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert REFUSED in said
    assert (folder / written).read_bytes() == before


NAMES = "1\t|\troot\t|\t\t|\tscientific name\t|\n2\t|\tcat\t|\t\t|\tscientific name\t|\n"
BESIDE = [
    {
        "is_a.txt": "n00000001 n00000002\nn00000001 n00000003\n",
        "words.txt": "n00000001\troot\nn00000002\tcat\nn00000003\tdog\n",
    },
    {"a.tree": "n1 -1\nn2 -1\n", "a.names": "cat\ndog\n"},
    {"nodes.dmp": "1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tgenus\t|\n", "names.dmp": NAMES},
]


@pytest.mark.parametrize("files", BESIDE, ids=lambda files: list(files)[1])
def test_what_a_reader_finds_beside_its_input_is_no_place_either(folder, capsys, files):
    taxonomy, written = files
    for name, text in files.items():
        (folder / name).write_text(text)
    for out in ("elsewhere.csv", written):
        code = main(["taxonomy", taxonomy, "--to", "edges", "--out", out])
        said = capsys.readouterr().err
        assert (code, REFUSED in said) == ((0, False) if out != written else (2, True)), said
    assert (folder / written).read_text() == files[written]


def test_another_place_and_a_second_run_are_taken(folder, capsys):
    for _ in range(2):
        assert main(["taxonomy", "t.csv", "--to", "newick", "--out", "u.csv"]) == 0
        assert main(["evaluate", *BASE, "--media", ".", "--json", "out.json"]) in (0, 2)
        assert REFUSED not in capsys.readouterr().err


def test_doctor_replaces_no_file(folder, capsys):
    (folder / "t.csv").write_bytes(TREE + b"cat,cat\n")
    (folder / "mended").mkdir()
    (folder / "mended" / "t.csv").write_text("mine")
    assert main(["doctor", "--taxonomy", "t.csv", "--fix", "mended"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "expected no file of that name in the folder, got one" in said
    assert (folder / "mended" / "t.csv").read_text() == "mine"
    main(["doctor", "--taxonomy", "t.csv", "--fix", "other"])
    assert "Written: other/t.csv" in capsys.readouterr().out
    assert (folder / "other" / "t.csv").read_bytes() == TREE
