"""`hierviz chart`: every kind writes its picture and table and prints its sentence; options that change nothing are refused."""

import base64
import csv
import gzip
import html
import json
import re

import numpy as np
import pytest
from PIL import Image

import hierviz as hv
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


def steps_for(kind, folder):
    """The two models as steps of a training, for the chart of one."""
    steps = (f"m@{step}={folder / name}.csv" for step, name in enumerate(("one", "two"), 1))
    return [word for step in steps for word in ("--predictions", step)] if kind == "training" else []


OF_ONE_MODEL = ("icicle", "matrix", "flow", "rules", "fronts", "decisions")
# Runs a model: tests/onnx_models/test_sensitivity_command.py.
OF_FILES = tuple(kind for kind in KINDS if kind != "sensitivity")
MORE = {
    "facets": ["--by", "light"],
    "groups": ["--by", "light", "--metric", "correct"],
    "methods": ["--metric", "curve.ac"],
}


@pytest.mark.parametrize("kind", OF_FILES)
def test_every_kind(files, tmp_path, capsys, kind):
    names = ("one",) if kind in OF_ONE_MODEL else ("one", "two")
    given = [kind, *flags(files, *names), *MORE.get(kind, [])]
    given += ["--resamples", "50"]
    given += steps_for(kind, files)
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
        ("rejections", [], "KIND: expected one of example, curves, icicle,.*Did you mean 'rejection'?"),
        ("rules", ["--out", "c.pdf"], "--out: expected a file that ends in .svg"),
        ("rules", ["--width", "10"], "--width: expected a number from 300 to 5000, got 10"),
        ("rules", ["--by", "light"], "--by: expected with facets, groups, got it with rules"),
        (
            "rejection",
            ["--rule", "leaf"],
            "--rule: expected with example, icicle, matrix, flow, groups, levels, departures, ranks, methods, training",
        ),
        ("levels", ["--class-weights", "equal"], "--class-weights: expected with ranks, methods, agreement"),
        ("twobytwo", [], "expected two models .* got 1. Name two files"),
        ("twobytwo", ["--two", "--reading", "best"], "reading: expected one of named, to_level, correct"),
        ("twobytwo", ["--two", "--depth", "2"], "--depth: expected --reading to_level with it, got reading named"),
        ("changes", [], "--to: expected a threshold, got none. Name one, or --to-rule, or a second model"),
        ("changes", ["--to", "1.5"], "--to: expected a threshold from 0 to 1, got 1.5"),
        ("changes", ["--to", "0.7", "--to-rule", "leaf"], "--to: expected a rule with a threshold, got leaf"),
        ("changes", ["--two", "--to", "0.7"], "--to: expected one file with it, got two"),
        ("matrix", ["--to", "0.7"], "--to: expected with changes, got it with matrix"),
        ("difference", ["--two", "--metric", "curve.ac"], "value per sample"),
        ("difference", ["--two", "--reading", "named"], "--reading: expected with twobytwo, got it with difference"),
        ("rules", ["--two"], "expected one file for the curves of rules, got 2"),
        ("rules", ["--model", "m.onnx"], "--model: expected with sensitivity, got it with rules"),
        ("rules", ["--mean-of-samples"], "--mean-of-samples: expected with sensitivity, got it with rules"),
        ("ranks", ["--metric", "curve.acc"], "--metric: expected numbers of `evaluate`"),
    ],
)
def test_what_is_refused(files, tmp_path, capsys, kind, more, match):
    names = ("one", "two") if "--two" in more else ("one",)
    more = [word for word in more if word != "--two"]
    given = ["chart", kind, *flags(files, *names), "--out", str(tmp_path / "c.svg"), *more]
    assert cli.main(given) == 2
    said = capsys.readouterr().err
    assert re.search(match, said), said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(key, marks=() if key in ("example", "curves") else pytest.mark.long)
        for key in OF_FILES
        if key not in ("fronts", "levels", "agreement")
    ],
)
def test_every_kind_can_be_a_slide(files, tmp_path, capsys, kind):
    names = ("one",) if kind in OF_ONE_MODEL else ("one", "two")
    given = ["chart", kind, *flags(files, *names), *MORE.get(kind, []), "--resamples", "0", "--slide"]
    given += steps_for(kind, files)
    out = tmp_path / "slide.svg"
    assert cli.main([*given, "--out", str(out), "--data-name", "Animals & co", "--date", "2026-01-31"]) == 0
    said = capsys.readouterr().out.strip()
    svg = out.read_text()
    assert svg.startswith("<svg ")
    assert 'viewBox="0 0 1920 1080"' in svg
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert texts[0].split()[:3] == html.escape(said).split()[:3]
    (foot,) = (text for text in texts if text.startswith("Animals &amp; co"))
    assert foot.endswith("2026-01-31")
    assert "one" in foot


def test_a_slide_says_the_rule_where_the_chart_depends_on_one(files, tmp_path, capsys):
    def foot(kind, *more, names=("one",)):
        out = tmp_path / "slide.svg"
        given = ["chart", kind, *flags(files, *names), "--slide", "--date", "2026-01-31", *more]
        assert cli.main([*given, "--out", str(out)]) == 0
        capsys.readouterr()
        return next(text for text in re.findall(r"<text[^>]*>([^<]*)</text>", out.read_text()) if "t.csv" in text)

    assert foot("matrix", "--threshold", "0.7") == "t.csv · one · Threshold · τ = 0.700 · 2026-01-31"
    assert foot("matrix") == "t.csv · one · Majority · 2026-01-31"
    both = foot("rejection", names=("one", "two"))
    assert both == "t.csv · one, two · 2026-01-31"


@pytest.mark.long
def test_a_slide_is_the_same_twice_and_has_its_size(files, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1769817600")  # 2026-01-31, 00:00 UTC
    given = ["chart", "curves", *flags(files, "one", "two"), "--slide", "--dark"]
    for name in ("a.png", "b.png", "a.svg", "b.svg"):
        assert cli.main([*given, "--out", str(tmp_path / name)]) == 0
    capsys.readouterr()
    for kind in ("png", "svg"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    assert "2026-01-31" in (tmp_path / "a.svg").read_text()
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.size == (1920, 1080)
        assert picture.convert("RGB").getpixel((3, 3)) == (0x17, 0x16, 0x14)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--slide", "--out", "c.csv"], "--out: expected a file that ends in .svg, .png"),
        (["--slide", "--out", "c.svg", "--width", "800"], "--width: expected none for a slide, got 800"),
        (["--slide", "--out", "c.svg", "--date", "31.1.2026"], "--date: expected a day as in 2026-01-31"),
        (["--out", "c.svg", "--date", "2026-01-31"], "--date: expected with --slide"),
        (["--out", "c.svg", "--data-name", "x"], "--data-name: expected with --slide"),
        (["--out", "c.svg", "--sample", "s1"], "--sample: expected with example, sensitivity, got it with curves"),
    ],
)
def test_what_only_slides_or_examples_have(files, tmp_path, capsys, monkeypatch, more, words):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["chart", "curves", *flags(files, "one"), *more]) == 2
    assert words in capsys.readouterr().err


def test_the_sample_of_an_example_is_named_or_the_worst(files, tmp_path, capsys):
    out = str(tmp_path / "c.csv")
    given = ["chart", "example", *flags(files, "one"), "--out", out]
    assert cli.main([*given, "--sample", "s3"]) == 0
    named = capsys.readouterr().out
    assert cli.main(given) == 0
    worst = capsys.readouterr().out
    assert "Wrong: the truth is" in worst
    assert named != worst
    assert cli.main([*given, "--sample", "nobody"]) == 2
    assert "expected the id of a sample" in capsys.readouterr().err


def test_an_example_holds_the_models_and_starts_where_it_is_told(files, tmp_path, capsys):
    """Two models, a rule and its number: picture, specification and page say what the steps of the sample say."""
    taxonomy = hv.load_taxonomy(files / "t.csv")
    predictions = hv.load_predictions(files / "one.csv", taxonomy, truth=files / "truth.csv")
    row = predictions.row("s3")
    steps = hv.diagnosis.sample_steps(hv.Evaluation.from_predictions(predictions), row)
    given = ["chart", "example", *flags(files, "one", "two"), "--sample", "s3"]
    for value in (0.2, 0.6, 0.95):
        out = tmp_path / "c.svg"
        assert cli.main([*given, "--threshold", str(value), "--width", "1300", "--out", str(out)]) == 0
        sentence = str(steps.sentence[steps.place(value)])
        assert capsys.readouterr().out == f"{sentence}\n"
        texts = [html.unescape(one) for one in re.findall(r"<text[^>]*>([^<]*)</text>", out.read_text())]
        assert sentence in texts
        assert f"τ = {value:.3f}" in texts
    out = tmp_path / "c.json"
    assert cli.main([*given, "--rule", "darts", "--lam", "0.5", "--out", str(out)]) == 0
    spec = json.loads(out.read_text())
    signals = {one["name"]: one.get("value") for one in spec["signals"]}
    assert (signals["rule"], signals["value"], signals["model"]) == ("darts", 0.5, 0)
    out = tmp_path / "c.html"
    assert cli.main([*given, "--out", str(out)]) == 0
    page = out.read_text()
    assert page.startswith("<!DOCTYPE html>")
    (text,) = re.findall(r'hierviz\.draw\(place, "([^"]+)"', page)
    record = json.loads(gzip.decompress(base64.b64decode(text)))["record"]
    assert [one["name"] for one in record["models"]] == ["one", "two"]
    assert record["start"] == {"model": 0, "rule": "threshold", "value": 0.5}


def test_two_models_by_reading(files, tmp_path, capsys):
    """The numbers of the table are those of the package."""
    models = [
        hv.attach_truth(
            hv.load_predictions(files / f"{name}.csv", hv.load_taxonomy(files / "t.csv")), files / "truth.csv"
        )
        for name in ("one", "two")
    ]
    for more, keywords in (
        ([], {}),
        (["--reading", "to_level", "--depth", "2"], {"reading": "to_level", "level": 2}),
        (["--reading", "correct", "--correct", "0.8"], {"reading": "correct", "correct": 0.8}),
        (["--group", "light"], {"group": "light"}),
    ):
        out = tmp_path / "t.csv"
        assert cli.main(["chart", "twobytwo", *flags(files, "one", "two"), *more, "--out", str(out)]) == 0
        expected = hv.comparison.two_by_two(*models, **keywords)
        assert capsys.readouterr().out.strip() == expected.sentence
        rows = list(csv.DictReader(out.read_text().splitlines()))
        assert [int(row["samples"]) for row in rows] == expected.counts.ravel().tolist()
    given = [
        "chart",
        "difference",
        *flags(files, "one", "two"),
        "--metric",
        "predicted.info_recall",
        "--rule",
        "majority",
    ]
    assert cli.main([*given, "--out", str(tmp_path / "d.csv")]) == 0
    expected = hv.comparison.difference_tree(*models, "info_recall")
    assert capsys.readouterr().out.strip() == expected.sentence
    rows = list(csv.DictReader((tmp_path / "d.csv").read_text().splitlines()))
    assert [row["class"] for row in rows] == expected.to_frame()["class"].tolist()


def test_changes_have_the_numbers_of_python(files, tmp_path, capsys):
    one, two = (
        hv.attach_truth(
            hv.load_predictions(files / f"{name}.csv", hv.load_taxonomy(files / "t.csv")), files / "truth.csv"
        )
        for name in ("one", "two")
    )
    changes, out = hv.comparison.answer_changes, tmp_path / "c.csv"
    for names, more, expected in (
        (("one",), ["--to", "0.7"], changes(one, to=0.7)),
        (("one",), ["--threshold", "0.6", "--to", "0.3"], changes(one, threshold=0.6, to=0.3)),
        (("one",), ["--to-rule", "leaf"], changes(one, rule="majority", to_rule="leaf")),
        (("one", "two"), ["--threshold", "0.6"], changes(one, two, 0.6)),
    ):
        assert cli.main(["chart", "changes", *flags(files, *names), *more, "--out", str(out)]) == 0
        assert capsys.readouterr().out.strip() == expected.sentence
        rows = list(csv.DictReader(out.read_text().splitlines()))
        assert [int(row["samples"]) for row in rows] == list(expected.flows.values())


def test_departures_have_the_numbers_of_python(files, tmp_path, capsys):
    model = hv.attach_truth(
        hv.load_predictions(files / "one.csv", hv.load_taxonomy(files / "t.csv")), files / "truth.csv"
    )
    out = tmp_path / "d.csv"
    assert cli.main(["chart", "departures", *flags(files, "one", "two"), "--threshold", "0.6", "--out", str(out)]) == 0
    expected = hv.diagnosis.departures(model, "threshold", 0.6)
    assert f"one: {expected.sentence}" in capsys.readouterr().out
    rows = [row for row in csv.DictReader(out.read_text().splitlines()) if row["model"] == "one"]
    assert [int(row["wrong"]) for row in rows] == expected.wrong.tolist()
    assert [int(row["samples"]) for row in rows] == expected.n.tolist()
