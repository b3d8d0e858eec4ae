"""`hierviz chart sensitivity` and `hierviz report --sensitivity` on a model of one corner."""

import base64
import csv
import gzip
import json
import re

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli

from .sensitive_models import CORNER, SIDE, corner_model

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model of the lower left corner, 44 pictures whose corner is bright or dark, and their truth."""
    folder, rng = tmp_path_factory.mktemp("sensitive"), np.random.default_rng(0)
    edges = [("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "duck"), ("animal", "newt")]
    (folder / "t.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in edges))
    taxonomy = hv.load_taxonomy(folder / "t.csv")
    corner_model(folder / "m.onnx", taxonomy)
    shown = rng.integers(90, 120, size=(44, SIDE, SIDE, 3)).astype(np.uint8)
    shown[:22, SIDE - CORNER :, :CORNER] += 100
    shown[22:, SIDE - CORNER :, :CORNER] -= 60
    np.savez(folder / "x.npz", image=shown, ids=[f"s{k}" for k in range(44)])
    rows = [f"s{k},{'cat' if k % 4 else 'newt'},{'bright' if k < 22 else 'dark'}" for k in range(44)]
    (folder / "truth.csv").write_text("\n".join(["sample_id,truth,corner", *rows]) + "\n")
    return folder


def flags(files):
    return [
        f"--{name}={files / file}" for name, file in (("taxonomy", "t.csv"), ("model", "m.onnx"), ("inputs", "x.npz"))
    ]


def run(files, tmp_path, *more, out="c.csv"):
    given = [
        "chart",
        "sensitivity",
        *flags(files),
        f"--truth={files / 'truth.csv'}",
        *more,
        "--out",
        str(tmp_path / out),
    ]
    return cli.main(given)


def test_a_sample(files, tmp_path, capsys):
    assert run(files, tmp_path, "--sample", "s1") == 0
    assert capsys.readouterr().out.startswith("Hiding the lower left part lowers cat against dog most (")
    table = list(csv.DictReader((tmp_path / "c.csv").read_text().splitlines()))
    assert len(table) == 274
    strongest = max(table, key=lambda row: float(row["effect"]))
    assert (strongest["part"], strongest["bottom"], strongest["left"]) == ("lower left part", str(SIDE), "0")


def test_two_classes_and_a_slide(files, tmp_path, capsys):
    more = ("--sample", "s1", "--between", "newt, cat", "--fill", "blur", "--slide", "--date", "2026-01-31")
    assert run(files, tmp_path, *more, out="c.svg") == 0
    said = capsys.readouterr().out
    assert said.startswith("Hiding the lower left part raises newt against cat most (")
    svg = (tmp_path / "c.svg").read_text()
    assert 'viewBox="0 0 1920 1080"' in svg
    assert "data:image/png;base64," in svg
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert texts[0].startswith("Hiding the lower left part raises newt")
    assert any("Sensitivity to hiding, not a cause" in text for text in texts)
    assert "t.csv · Sensitive · Majority · 2026-01-31" in texts


def test_means(files, tmp_path, capsys):
    assert run(files, tmp_path, "--mean-of-samples", "--where", "corner=bright", "--between", "cat,dog") == 0
    said = capsys.readouterr().out
    assert said.startswith("Mean of 22 samples: hiding the lower left part lowers cat against dog most (")
    assert (
        run(files, tmp_path, "--mean-of-samples", "--where", "corner=dark", "--between", "cat,dog", "--most", "20") == 0
    )
    assert capsys.readouterr().out.startswith("Mean of 20 samples: hiding the lower left part raises cat against dog")
    assert run(files, tmp_path, "--mean-of-samples", "--confused", "mammal,cat") == 0
    assert capsys.readouterr().out.startswith("Mean of 33 samples: hiding the lower left part ")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--between", "cat"], "--between: expected two classes of the taxonomy with a comma between them, got 'cat'"),
        (["--between", "cat,mamal"], "no node named 'mamal' in the taxonomy"),
        (["--between", "cat,mammal"], "neither contains the other"),
        (["--most", "30"], "--most: expected with --mean-of-samples"),
        (["--mean-of-samples", "--where", "corner"], "--where: expected COLUMN=VALUE, got 'corner'"),
        (
            ["--mean-of-samples", "--confused", "duck,cat"],
            "rows: expected at least 20 different rows for a mean, got 0",
        ),
        (["--sample", "nobody"], "--sample: expected the id of a sample, such as 's0', got 'nobody'"),
        (["--fill", "black"], "expected one of mean, blur, got 'black'"),
        (["--predictions", "p.csv"], "--predictions: expected --model with sensitivity"),
        (["--metric", "correct"], "--metric: expected with icicle"),
        (["--max-depth", "1"], "expected the whole taxonomy, got a part of it"),
    ],
)
def test_what_is_refused(files, tmp_path, capsys, more, words):
    assert run(files, tmp_path, *more) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_what_is_missing(files, tmp_path, capsys):
    assert cli.main(["chart", "sensitivity", "--out", str(tmp_path / "c.svg")]) == 2
    assert "sensitivity: expected --taxonomy, got none" in capsys.readouterr().err
    assert cli.main(["chart", "curves", "--out", str(tmp_path / "c.svg")]) == 2
    assert "chart: expected --taxonomy, got none" in capsys.readouterr().err


@pytest.mark.long
def test_the_report_has_as_many_as_are_asked_for(files, tmp_path, capsys):
    out = tmp_path / "r.html"
    given = [
        "report",
        *flags(files),
        f"--truth={files / 'truth.csv'}",
        "--worst",
        "2",
        "--random",
        "2",
        "--out",
        str(out),
    ]
    for n in (0, 1, 3):
        assert cli.main([*given, "--sensitivity", str(n)]) == 0
        html = out.read_text()
        assert html.count("<h4>Where the model looks</h4>") == n
        packed = re.findall(r'<script type="text/plain" id="packed-(sample-\d+-look)">([^<]+)</script>', html)
        assert len(packed) == n
    specs = json.loads(gzip.decompress(base64.b64decode(packed[0][1])))
    assert set(specs["specs"]) == {"light-wide", "light-narrow", "dark-wide", "dark-narrow"}
    assert cli.main([*given, "--sensitivity", "-1"]) == 2
    assert "--sensitivity: expected a number of samples from 0, got -1" in capsys.readouterr().err
