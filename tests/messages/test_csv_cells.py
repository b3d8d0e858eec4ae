"""No text that hierviz writes into a CSV file is a formula, and all of it comes back as it was."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import examples

from hierviz import Predictions, Taxonomy, cli
from hierviz.charts import to_csv
from hierviz.messages.csv_cells import cell_of_text, text_of_cell
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.predictions_writer import write_predictions
from hierviz.readers.taxonomy_file import load_taxonomy

FORMULA = re.compile(r"[=+\-@\t\r\n]")
HOSTILE = ["=1+1", "+x", "-x", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''-x", "'x", '=HYPERLINK("http://a.b","c")', "-7"]
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
texts = st.text(alphabet="'=+-@\t\r\n,\";a7é ", max_size=6)


@settings(max_examples=examples(150), deadline=None)
@given(texts)
@example("'=")
def test_every_text_has_one_cell(text):
    cell = cell_of_text(text)
    # An id such as -7 is no formula.
    assert not FORMULA.match(cell) or NUMBER.fullmatch(cell)
    assert text_of_cell(cell) == text


# A tab or a semicolon inside a name can be taken for the separator of the table, here as ever.
in_files = st.text(alphabet="'=+-@\r\n,\"a7é ", max_size=6)


@settings(max_examples=60, deadline=None)
@given(
    ids=st.lists(in_files.filter(str.strip), min_size=1, max_size=4, unique=True),
    names=st.lists(
        # The readers take spaces around a name off, and know some names as their own.
        in_files.filter(lambda one: one and one == one.strip()),
        min_size=2,
        max_size=4,
        unique=True,
    ),
    suffix=st.sampled_from([".csv", ".csv.gz"]),
)
@example(ids=["-7", "'-7"], names=["=x", "'=x"], suffix=".csv")
def test_predictions_come_back(tmp_path_factory, ids, names, suffix):
    taxonomy = Taxonomy.from_edges([("all of it", name) for name in names])
    p = np.random.default_rng(1).dirichlet(np.ones(len(names)), len(ids))
    path = tmp_path_factory.mktemp("c") / f"p{suffix}"
    write_predictions(Predictions.from_scores(taxonomy, p, "leaf_probabilities", sample_ids=np.array(ids)), path)
    found = load_predictions(path, taxonomy)
    assert found.sample_ids.tolist() == ids
    assert np.array_equal(found.scores, p)
    assert [taxonomy.names[node] for node in found.scored_nodes] == names


def formulas(text):
    """Cells of a CSV that a spreadsheet would run."""
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    return [cell for cell in cells if FORMULA.match(cell) and not re.fullmatch(r"[+-]?\d+(\.\d+)?(e-?\d+)?", cell)]


@pytest.fixture
def hostile(tmp_path):
    """Files whose every name begins a formula; paths by argument."""
    (tmp_path / "taxonomy.csv").write_text("parent,child\nall,=a()\nall,@b\n")
    (tmp_path / "-scores.csv").write_text("sample_id,=a(),@b\n-1,0.75,0.25\n+2,0.25,0.75\n=3,0.5,0.5\n")
    (tmp_path / "truth.csv").write_text("sample_id,truth\n-1,=a()\n+2,=a()\n=3,@b\n")
    return {
        "--taxonomy": tmp_path / "taxonomy.csv",
        "--predictions": tmp_path / "-scores.csv",
        "--truth": tmp_path / "truth.csv",
    }


def test_the_command_writes_no_formula(hostile, tmp_path, capsys):
    flags = [str(part) for pair in hostile.items() for part in pair]
    json_file, table = tmp_path / "out.json", tmp_path / "samples.csv"
    assert cli.main(["evaluate", *flags, "--json", str(json_file), "--per-sample", str(table)]) == 0
    text = table.read_text()
    assert formulas(text) == []
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["sample_id"] for row in rows] == ["-1", "+2", "'=3"]
    assert {row["model"] for row in rows} == {"'-scores"}
    assert rows[0]["truth"] == "'=a()"
    # JSON is no table: names stand in it as they are.
    assert json.loads(json_file.read_text())["models"][0]["name"] == "-scores"
    assert cli.main(["curve", *flags]) == 0
    assert formulas(capsys.readouterr().out) == []


def test_numbers_stay_numbers():
    table = pd.DataFrame({"=name": HOSTILE, "@n": np.arange(len(HOSTILE)) - 3, "x": -0.5})
    table["mixed"] = [-1, "-1", None, *[2.5] * (len(HOSTILE) - 3)]
    text = to_csv(table).decode()
    assert formulas(text) == []
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["'=name", "'@n", "x", "mixed"]
    assert [row[0] for row in rows[1:]] == [cell_of_text(one) for one in HOSTILE]
    assert [row[1] for row in rows[1:3]] == ["-3", "-2"]
    assert {row[2] for row in rows[1:]} == {"-0.5"}
    assert [row[3] for row in rows[1:4]] == ["-1", "-1", ""]
    assert next(iter(table.columns)) == "=name"


def test_a_guarded_file_is_read_wherever_a_name_stands(tmp_path):
    """As a spreadsheet's owner writes them by hand, and as hierviz does."""
    (tmp_path / "t.csv").write_text("parent,child\nall,'=a\nall,'-b\n")
    (tmp_path / "p.csv").write_text("sample_id,truth,predicted\n'-1,'=a,'-b\n2,'-b,'-b\n")
    taxonomy = load_taxonomy(tmp_path / "t.csv")
    assert list(taxonomy.names) == ["all", "=a", "-b"]
    found = load_predictions(tmp_path / "p.csv", taxonomy)
    assert found.sample_ids.tolist() == ["-1", "2"]
    assert found.has_truth.all()


def test_what_a_model_reads_stays_as_it_is_written(tmp_path):
    pytest.importorskip("onnxruntime")
    from hierviz.onnx.inputs.input_spec import InputSpec
    from hierviz.onnx.inputs.table_inputs import read_table_inputs

    (tmp_path / "t.csv").write_text("sample_id,text\n'-1,'-- he said\n'=2,so\n")
    found = read_table_inputs(tmp_path / "t.csv", [InputSpec("text", "str", (None,))])
    assert found["arrays"]["text"].tolist() == ["'-- he said", "so"]
    assert found["sample_ids"].tolist() == ["-1", "=2"]
