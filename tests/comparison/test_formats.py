"""Markdown, CSV, LaTeX and JSON of a table: read back, compiled where LaTeX is installed, and with names that mean something."""

import csv
import json
import math
import re
import shutil
import subprocess

import numpy as np
import pytest

import hierviz as hv
from hierviz.comparison.columns import PRESETS
from hierviz.comparison.formats import latex_text, number

NASTY = ["a_b & 50 % $x^2$", "[1] ~tilde\\back{slash}", "*star | pipe\n=1+1", '#1 "<q>" −∞ ± τ']


@pytest.fixture
def found(taxonomy):
    rng = np.random.default_rng(0)
    truth = taxonomy.leaves[rng.integers(0, taxonomy.n_leaves, 50)]
    models = []
    for skill, name in enumerate(NASTY):
        logits = rng.normal(size=(50, 4)) + skill * (taxonomy.leaves == truth[:, None])
        models.append(hv.Predictions.from_scores(taxonomy, logits, "flat_softmax", truth=truth, name=name))
    models.append(hv.Predictions.from_labels(taxonomy, truth, truth=truth, name="oracle"))
    models += [model.replace(name="runs", run=f"seed{k}") for k, model in enumerate(models[1:3])]
    metrics = "curve.ac,labels.micro_f1,confusion.tp,distribution.cross_entropy,confusion.mcc,curve.n_points"
    return hv.compare(models, metrics=metrics, resamples=60)


def test_json(found):
    made = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert set(made) == {"columns", "rows", "constant", "agreement", "methods"}
    keys = [column["key"] for column in made["columns"]]
    for column in made["columns"]:
        assert set(column) == {"key", "block", "label", "better", "unit"}
    for row in made["rows"]:
        for part in ("values", "spread", "interval", "rank", "mark"):
            assert list(row[part]) == keys
        assert {"model", "n_samples", "n_runs", "reason", "warnings"} <= set(row)
    oracle = next(row for row in made["rows"] if row["model"] == "oracle")
    assert oracle["values"]["curve.ac"] is None
    assert "labels" in oracle["reason"]["curve.ac"]
    assert oracle["mark"]["labels.micro_f1"] == "best"
    assert made["rows"][-1]["n_runs"] == 2
    assert set(made["constant"]["values"]) == set(keys)
    assert found.to_frame().loc["oracle", "labels.micro_f1"] == 1


def test_csv(found):
    rows = list(csv.DictReader(found.to_csv().splitlines()))
    assert len(rows) == len(found.methods)
    assert rows[0]["model"] == NASTY[0]
    runs = rows[-1]
    assert float(runs["labels.micro_f1"]) == found.methods[-1].value("labels.micro_f1")
    assert float(runs["labels.micro_f1_spread"]) == found.methods[-1].spread("labels.micro_f1")
    assert rows[0]["labels.micro_f1_spread"] == ""
    low, value, high = (float(runs[f"curve.ac{part}"]) for part in ("_low", "", "_high"))
    assert low < value < high


def test_markdown_is_one_table(found):
    lines = found.to_markdown().split("\n")
    table = [line for line in lines if line.startswith("|")]
    cells = [len(re.split(r"(?<!\\)\|", line)) for line in table]
    assert len(table) == len(found.methods) + 3
    assert set(cells) == {len(found.columns) + 4}  # method, runs, and the two ends
    assert "**1.0000**" in next(line for line in table if "oracle" in line)
    assert any(line.startswith("– oracle, AC, ") for line in lines)
    assert lines[-2].startswith("Methods: ")


def tokens(text):
    """Commands, braces, ampersands and line breaks of LaTeX, with comments left out."""
    text = re.sub(r"(?<!\\)%.*", "", text)
    return re.findall(r"\\[A-Za-z]+|\\.|[{}&$]|[^\\{}&$]", text)


def check_latex(text, n_columns):
    """Balanced braces, environments and mathematics; as many cells in each row; nothing after a line break that it takes."""
    depth, environments, maths, n_cells, rows = 0, [], False, 1, []
    parts = tokens(text)
    for place, part in enumerate(parts):
        assert depth >= 0
        if part in "{}":
            depth += 1 if part == "{" else -1
        elif part == "$":
            maths = not maths
        elif part == "&":
            n_cells += 1
        elif part == "\\\\":
            rows.append(n_cells)
            n_cells = 1
            rest = "".join(parts[place + 1 :]).lstrip()
            assert not rest.startswith(("[", "*"))
        elif part in ("\\begin", "\\end"):
            name = re.match(r"\{(\w+)\}", "".join(parts[place + 1 : place + 20]))[1]
            if part == "\\begin":
                environments.append(name)
            else:
                assert environments.pop() == name
        elif part in ("#", "_", "^", "~"):
            raise AssertionError(f"bare {part}")
    assert (depth, environments, maths) == (0, [], False)
    assert set(rows) == {n_columns + 1}
    return len(rows)


def test_latex_by_a_parser(found):
    assert check_latex(found.to_latex(), len(found.columns)) == len(found.methods) + 2
    with pytest.raises(AssertionError):
        check_latex("\\begin{tabular}{l} a_b \\\\ \\end{tabular}", 0)
    with pytest.raises(AssertionError):
        check_latex("a \\\\ [x] b \\\\", 0)


def test_latex_text():
    assert latex_text("50 % of a_b & c") == r"50 \% of a\_b \& c"
    assert latex_text("\\x{y}\n[z]") == r"\textbackslash{}x\{y\} {[}z{]}"


COMPILERS = [name for name in ("tectonic", "pdflatex", "latex") if shutil.which(name)]


@pytest.mark.skipif(not COMPILERS, reason="no LaTeX (tectonic, pdflatex or latex) is installed")
def test_latex_compiles(found, tmp_path):
    text = "\\documentclass{article}\\usepackage{booktabs}\\usepackage[landscape]{geometry}\\begin{document}\n"
    tables = [found, *(hv.compare(found.models, preset, resamples=0) for preset in PRESETS)]
    text += "\\clearpage\n".join(table.to_latex() for table in tables)
    (tmp_path / "t.tex").write_text(f"{text}\\end{{document}}\n", encoding="utf-8")
    flags = [] if COMPILERS[0] == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([COMPILERS[0], *flags, "t.tex"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]


def test_numbers(found):
    count = next(column for column in found.columns if column.key == "confusion.tp")
    assert [number(value) for value in (None, 0.87405, 0.00085412, 0, math.inf, -0.81493)] == [
        *("–", "0.8741", "0.0008541", "0.0000", "∞", "-0.8149")
    ]
    assert [number(value, count) for value in (22833, 22833.5)] == ["22833", "22833.5"]


def test_methods_paragraph(found):
    text = found.methods_paragraph
    for part in ("50 test samples", "60 bootstrap resamples", "seed 0", "all pairs", "standard deviation between runs"):
        assert part in text
    assert "different things for models" in text
    assert "says nothing about retraining" in text


def test_columns_that_are_unknown(found, taxonomy):
    model = found.models[0]
    for asked, match in (
        ({"metrics": "curve.acc"}, "curve.ac"),
        ({"metrics": "labels.macro_f1_by_depth.9"}, "depth from 1 to 2"),
        ({"preset": "valmadr"}, "valmadre"),
    ):
        with pytest.raises(hv.PredictionsError, match=match):
            hv.compare(model, **asked, resamples=0)
    both = hv.compare(model, metrics=["labels.macro_f1_by_depth", "macro_f1_by_depth.2.supported"], resamples=0)
    assert [column.key.removeprefix("labels.macro_f1_by_depth.") for column in both.columns] == [
        "1",
        "2",
        "2.supported",
    ]
    assert both.to_dict()["rows"][0]["mark"] == {column.key: None for column in both.columns}
