"""Case studies of the paper, read with nothing but the standard library, and random graphs."""

import csv
import gzip
import json
from types import SimpleNamespace

import pytest

from hierviz import NodeLists, Taxonomy

CELLS = ("tp", "tn", "fp", "fn")


def rows_of(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def taxonomy_of(path):
    return Taxonomy.from_edges([(row["parent"], row["child"]) for row in rows_of(path)])


def label_lists(taxonomy, cells, keep_empty=False):
    """NodeLists of cells such as "a;b"; a cell of None is a sample without a row."""
    return NodeLists.from_lists(
        [
            []
            if cell is None
            else [taxonomy.index[name] if name else -1 for name in cell.split(";") if name or keep_empty]
            for cell in cells
        ]
    )


@pytest.fixture(scope="session")
def germeval(shared_data):
    """Taxonomy, cells and expected numbers of a task and submission of GermEval 2019."""
    folder = shared_data / "germeval2019"
    expected = json.loads((folder / "expected.json").read_text())
    per_sample = {}
    for row in rows_of(folder / "expected_per_sample.csv.gz"):
        key = row["task"], row["submission"], row["sample_id"]
        per_sample[key] = [int(row[cell.upper()]) for cell in CELLS]
    tasks = {}
    for task in ("1a", "1b"):
        taxonomy = taxonomy_of(folder / f"taxonomy_{task}.csv")
        truth = {row["sample_id"]: row["labels"] for row in rows_of(folder / f"truth_{task}.csv.gz")}
        for name, entry in expected["tasks"][task].items():
            cells = {row["sample_id"]: row["labels"] for row in rows_of(folder / entry["predictions"])}
            tasks[task, name] = SimpleNamespace(
                taxonomy=taxonomy,
                truth=list(truth.values()),
                predicted=[cells.get(one) for one in truth],
                expected=entry,
                per_sample=[per_sample[task, name, one] for one in truth],
            )
    return tasks


@pytest.fixture(scope="session")
def transposon(shared_data):
    """Taxonomy, truth columns, predicted labels and expected numbers of the transposon case study."""
    folder = shared_data / "transposon"
    expected = json.loads((folder / "expected.json").read_text())["models"]
    truth = rows_of(folder / "truth.csv.gz")
    per_sample = {}
    for row in rows_of(folder / "expected_per_sample.csv.gz"):
        per_sample[row["model"], row["sample_id"]] = [int(row[cell.upper()]) for cell in CELLS]
    predicted = {}
    for model, entry in expected.items():
        cells = {row["sample_id"]: row["label"] for row in rows_of(folder / entry["predictions"])}
        predicted[model] = [cells[row["sample_id"]] for row in truth]
    return SimpleNamespace(
        taxonomy=taxonomy_of(folder / "taxonomy.csv"),
        truth={
            name: [row[f"label_{column}"] for row in truth]
            for name, column in (("paper", "paper"), ("raw_truth", "raw"))
        },
        predicted=predicted,
        expected=expected,
        per_sample={model: [per_sample[model, row["sample_id"]] for row in truth] for model in expected},
    )


@pytest.fixture(scope="session")
def as_lists():
    return label_lists
