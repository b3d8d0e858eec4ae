"""`hierviz chart`: every kind writes its picture and table and prints its sentence; options that change nothing are refused."""

import csv
import json
import re

import numpy as np
import pytest

from hierviz import cli
from hierviz.cli.chart import KINDS

LEAVES = ["a1", "a2", "b1", "b2"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Taxonomy, truth with a column of light, and two models of 60 samples."""
    folder, rng = tmp_path_factory.mktemp("chart"), np.random.default_rng(0)
    (folder / "t.csv").write_text("parent,child\nroot,a\nroot,b\na,a1\na,a2\nb,b1\nb,b2\n")
    truth = rng.integers(0, 4, 60)
    rows = [f"s{i},{LEAVES[k]},{'day' if i % 2 else 'night'}" for i, k in enumerate(truth)]
    (folder / "truth.csv").write_text("\n".join(["sample_id,truth,light", *rows]) + "\n")
    for name, skill in (("one", 2.0), ("two", 0.5)):
        z = np.exp(rng.normal(size=(60, 4)) + skill * (np.arange(4) == truth[:, None]))
        p = z / z.sum(axis=1, keepdims=True)
        lines = [f"s{i}," + ",".join(map(repr, row)) for i, row in enumerate(p.tolist())]
        (folder / f"{name}.csv").write_text("\n".join(["sample_id," + ",".join(LEAVES), *lines]) + "\n")
    return folder


def flags(folder, *names):
    given = ["--taxonomy", folder / "t.csv", "--truth", folder / "truth.csv"]
    for name in names:
        given += ["--predictions", folder / f"{name}.csv"]
    return [*map(str, given)]


MORE = {
    "facets": ["--by", "light"],
    "groups": ["--by", "light", "--metric", "correct"],
    "methods": ["--metric", "curve.ac"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(files, tmp_path, capsys, kind):
    names = ("one",) if kind in ("rules", "fronts") else ("one", "two")
    given = [kind, *flags(files, *names), *MORE.get(kind, [])]
    given += ["--resamples", "50"]
    for suffix in ("json", "csv"):
        assert cli.main(["chart", *given, "--out", str(tmp_path / f"c.{suffix}")]) == 0
        assert capsys.readouterr().out.strip()
    assert json.loads((tmp_path / "c.json").read_text())["$schema"].startswith("https://vega.github.io")
    assert len(list(csv.reader((tmp_path / "c.csv").read_text().splitlines()))) > 1


def test_pictures(files, tmp_path, capsys):
    given = ["chart", "rejection", *flags(files, "one"), "--width", "400"]
    assert cli.main([*given, "--out", str(tmp_path / "c.svg"), "--dark"]) == 0
    assert (tmp_path / "c.svg").read_text().startswith("<svg")
    assert cli.main([*given, "--out", str(tmp_path / "c.png")]) == 0
    assert (tmp_path / "c.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("kind", "more", "match"),
    [
        ("rejections", [], "KIND: expected one of curves, rules,.*Did you mean 'rejection'?"),
        ("rules", ["--out", "c.pdf"], "--out: expected a file that ends in .svg"),
        ("rules", ["--width", "10"], "--width: expected a number from 300 to 5000, got 10"),
        ("rules", ["--by", "light"], "--by: expected with facets, groups, got it with rules"),
        ("rejection", ["--rule", "leaf"], "--rule: expected with groups, levels, ranks"),
        ("levels", ["--class-weights", "equal"], "--class-weights: expected with ranks, methods, agreement"),
        ("rules", ["--two"], "expected one file for the curves of rules, got 2"),
        ("ranks", ["--metric", "curve.acc"], "metrics: expected numbers of `evaluate`"),
    ],
)
def test_what_is_refused(files, tmp_path, capsys, kind, more, match):
    names = ("one", "two") if more == ["--two"] else ("one",)
    more = [] if more == ["--two"] else more
    given = ["chart", kind, *flags(files, *names), "--out", str(tmp_path / "c.svg"), *more]
    assert cli.main(given) == 2
    said = capsys.readouterr().err
    assert re.search(match, said), said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())
