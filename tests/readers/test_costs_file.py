"""Tables of what a mistake costs: read right in any order of rows and columns, and refused in one line otherwise."""

import gzip
import itertools

import numpy as np
import pytest

import hierviz as hv
from hierviz.inference import crm
from hierviz.readers.class_numbers_file import load_costs

LEAVES = ("cat", "dog", "duck", "newt")
PAIRS = list(itertools.product(LEAVES, LEAVES))


def rows(change=None):
    """A cost for every pair: its number in the list."""
    found = {pair: str(number) for number, pair in enumerate(PAIRS)}
    return [f"{a},{b},{cost}" for (a, b), cost in (found | (change or {})).items()]


def write(path, lines, header="predicted,truth,cost"):
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


def test_any_order(tmp_path, taxonomy):
    """Leaves in the order of the tree: cat, dog, duck, newt."""
    plain = load_costs(write(tmp_path / "costs.csv", rows()), taxonomy)
    assert plain.name == "costs.csv"
    assert [taxonomy.names[leaf] for leaf in taxonomy.leaves] == list(LEAVES)
    np.testing.assert_array_equal(plain.values, np.arange(16).reshape(4, 4))
    mixed = [f"{b}\t note \t{cost}\t{a}" for a, b, cost in (line.split(",") for line in reversed(rows()))]
    path = tmp_path / "mixed.tsv"
    write(path, mixed, "Truth\tremark\tCOST\tpredicted")
    np.testing.assert_array_equal(load_costs(path, taxonomy).values, plain.values)
    packed = tmp_path / "costs.csv.gz"
    packed.write_bytes(gzip.compress((tmp_path / "costs.csv").read_bytes()))
    np.testing.assert_array_equal(load_costs(packed, taxonomy).values, plain.values)
    again = load_costs(tmp_path / "costs.csv", taxonomy)
    assert again == plain
    assert hash(again) == hash(plain)
    assert load_costs(packed, taxonomy) != plain  # another name


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            rows()[:-1],
            r"^costs\.csv: expected a cost for each of the 16 pairs of 4 leaves, got none for predicted 'newt', "
            r"truth 'newt'\. Add what is missing\.$",
        ),
        (rows()[:3], r"got none for predicted 'cat', truth 'newt' and 12 more\."),
        ([], r"expected"),
        (
            [*rows(), "dog,cat,4"],
            r"^costs\.csv:18: expected every pair of leaves once, got predicted 'dog', truth 'cat' again \(first at "
            r"costs\.csv:6\)\. Remove one of the rows\.$",
        ),
        ([*rows()[:-1], "dog,cat,4"], r"^costs\.csv:17: expected every pair of leaves once"),
        (
            [*rows()[:-1], "newt,newd,1"],
            r"^costs\.csv:17, column 'truth': expected the name of a leaf, got 'newd'\. Did you mean 'newt'\? Correct it\.$",
        ),
        (
            ["mammal,cat,1", *rows()],
            r"^costs\.csv:2, column 'predicted': expected the name of a leaf, got 'mammal', which has classes below it\.",
        ),
        (rows({("cat", "dog"): "-1"}), r"^costs\.csv:3: expected a finite cost of 0 or more, got -1\. Correct it\.$"),
        (rows({("cat", "dog"): "nan"}), r"^costs\.csv:3: expected a finite cost of 0 or more, got nan\."),
        (rows({("cat", "dog"): "inf"}), r"^costs\.csv:3: expected a finite cost of 0 or more, got inf\."),
        (rows({("cat", "dog"): "dear"}), r"^costs\.csv:3.*'dear'"),
        (rows({("cat", "dog"): ""}), r"^costs\.csv:3.*''"),
        ([*rows()[:2], "cat,dog"], r"^costs\.csv:4: expected 3 cells as in line 1, got 2"),
    ],
)
def test_refused(tmp_path, taxonomy, lines, message):
    with pytest.raises(hv.HiervizError, match=message) as found:
        load_costs(write(tmp_path / "costs.csv", lines), taxonomy)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("header", ["predicted,truth,price", "a,b,c", "cost,cost,truth"])
def test_columns_have_names(tmp_path, taxonomy, header):
    message = r"^costs\.csv: expected the columns predicted, truth, cost, each once, got '.*\. Name them so in the first line\.$"
    with pytest.raises(hv.FileError, match=message):
        load_costs(write(tmp_path / "costs.csv", rows(), header), taxonomy)


def test_too_many_leaves(tmp_path, taxonomy, monkeypatch):
    """Refused before the table is read."""
    wide = hv.Taxonomy.from_edges([("root", f"leaf {number}") for number in range(2001)])
    message = r"^costs\.csv: expected a taxonomy of at most 2,000 leaves for the costs of all pairs, got 2,001\."
    with pytest.raises(hv.TaxonomyError, match=message):
        load_costs(write(tmp_path / "costs.csv", ["none of them,is,read"]), wide)
    monkeypatch.setattr(crm, "MOST_LEAVES", 4)
    assert load_costs(write(tmp_path / "costs.csv", rows()), taxonomy).values.shape == (4, 4)
