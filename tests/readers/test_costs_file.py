"""Tables of what a mistake costs: read right in any order of rows and columns, and refused in one line otherwise."""

import gzip
import itertools

import numpy as np
import pytest

import hierviz as hv
from hierviz.inference import leaf_costs
from hierviz.readers.costs_file import costs_csv, load_costs

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
            ["cat,mammal,1", *rows()],
            r"^costs\.csv:2, column 'truth': expected the name of a leaf, got 'mammal', which has classes below it\.",
        ),
        (
            ["mammal,cat,1", *rows()],
            r"^costs\.csv: expected a cost for each of the 16 pairs of 4 leaves and of 1 inner class with them, got none for "
            r"predicted 'mammal', truth 'dog' and 2 more\.",
        ),
        (
            [*rows(), "mamal,cat,1"],
            r"^costs\.csv:18, column 'predicted': expected a class of the taxonomy, got 'mamal'\. Did you mean 'mammal'\?",
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
    message = r"^costs\.csv: expected the columns predicted, truth, cost, each once, got '.*\. Name them so in the first line, "
    with pytest.raises(hv.FileError, match=message):
        load_costs(write(tmp_path / "costs.csv", rows(), header), taxonomy)


def test_too_many_leaves(tmp_path, taxonomy, monkeypatch):
    """Refused before the table is read, or where its inner classes are too many."""
    wide = hv.Taxonomy.from_edges([("root", f"leaf {number}") for number in range(4473)])
    message = r"^costs\.csv: expected a table of at most 20,000,000 costs, got 20,007,729 of 4,473 leaves\."
    with pytest.raises(hv.TaxonomyError, match=message):
        load_costs(write(tmp_path / "costs.csv", ["none of them,is,read"]), wide)
    monkeypatch.setattr(leaf_costs, "MOST_CELLS", 16)
    assert load_costs(write(tmp_path / "costs.csv", rows()), taxonomy).values.shape == (4, 4)
    message = r"^costs\.csv: expected a table of at most 16 costs, got 20 of 4 leaves and 1 inner classes\."
    with pytest.raises(hv.TaxonomyError, match=message):
        load_costs(write(tmp_path / "costs.csv", ["mammal,cat,1", *rows()]), taxonomy)


INNER = {"bird": [6, 6, 1, 6], "animal": [3, 3.5, 3, 3], "mammal": [1, 2, 6, 0.1]}


def test_inner_answers_from_both_shapes(tmp_path, taxonomy):
    """Inner classes are rows below the leaves, in the order of the taxonomy, whatever the order of the file."""
    more = [f"{name},{leaf},{cost}" for name, costs in INNER.items() for leaf, cost in zip(LEAVES, costs, strict=True)]
    long = load_costs(write(tmp_path / "costs.csv", [*more[:5], *rows(), *more[5:]]), taxonomy)
    assert long.inner == ("animal", "mammal", "bird")
    order = (3, 1, 0, 2)
    lines = [f"{name},{','.join(str(costs[k]) for k in order)}" for name, costs in INNER.items()]
    lines += [f"{leaf},{','.join(str(4 * place + k) for k in order)}" for place, leaf in enumerate(LEAVES)]
    wide = load_costs(write(tmp_path / "wide.csv", lines, f"predicted,{','.join(LEAVES[k] for k in order)}"), taxonomy)
    expected = np.vstack([np.arange(16).reshape(4, 4), [INNER[name] for name in long.inner]])
    np.testing.assert_array_equal(long.values, expected)
    np.testing.assert_array_equal(wide.values, expected)
    (tmp_path / "again.csv").write_text(costs_csv(wide))
    np.testing.assert_array_equal(load_costs(tmp_path / "again.csv", taxonomy).values, expected)
    p = np.array([[1, 0.75, 0.5, 0.25, 0, 0, 0.25]])
    # cat: .25 * 1 + .25 * 3 = 1; animal 3.125; mammal .5 + .5 + .025 = 1.025; dog 4 * .5 + 5 * .25 + 7 * .25 = 5.
    assert hv.infer(taxonomy, p, "optimal_node", cost=wide).tolist() == taxonomy.nodes("cat").tolist()
    # cat .4 + 1.2 = 1.6; mammal .2 + .8 + .04 = 1.04.
    p = np.array([[1, 0.6, 0.2, 0.4, 0, 0, 0.4]])
    assert hv.infer(taxonomy, p, "optimal_node", cost=long).tolist() == taxonomy.nodes("mammal").tolist()
    assert hv.infer(taxonomy, p, "crm_leaf", cost=long).tolist() == taxonomy.nodes("cat").tolist()


def test_wide_parquet(tmp_path, taxonomy):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = pd.DataFrame([*np.eye(4), [1, 2, 3, 4]], columns=LEAVES)
    table.insert(2, "predicted", [*LEAVES, "animal"])
    table.to_parquet(tmp_path / "wide.parquet")
    found = load_costs(tmp_path / "wide.parquet", taxonomy)
    np.testing.assert_array_equal(found.values, [*np.eye(4), [1, 2, 3, 4]])
    assert found.inner == ("animal",)


@pytest.mark.parametrize(
    ("lines", "header", "message"),
    [
        (["cat,0,1,1"], "predicted,cat,dog,duck", r"^wide\.csv: expected a cost for each of the 16 pairs"),
        (
            ["cat,0,1"],
            "predicted,cat,mammal",
            r"^wide\.csv, column 'mammal': expected the name of a leaf, got 'mammal', which",
        ),
        (
            ["cat,0,1"],
            "predicted,cat,duk",
            r"^wide\.csv, column 'duk': expected the name of a leaf, got 'duk'\. Did you mean 'duck'",
        ),
        (["cat,0,1"], "predicted,cat,cat", r"^wide\.csv: expected a column for every leaf once, got 'cat' again"),
        (["cat,0,1", "cat,0,1"], "predicted,cat,dog", r"^wide\.csv:3: expected every answer once, got 'cat' again"),
        (["cat,0,-1"], "predicted,cat,dog", r"^wide\.csv:2: expected a finite cost of 0 or more, got -1"),
        (["cat,0,dear"], "predicted,cat,dog", r"^wide\.csv:2, column 'dog': expected a number, got 'dear'"),
    ],
)
def test_wide_refused(tmp_path, taxonomy, lines, header, message):
    with pytest.raises(hv.FileError, match=message) as found:
        load_costs(write(tmp_path / "wide.csv", lines, header), taxonomy)
    assert "\n" not in str(found.value)


def test_large_tables_are_kept_short(monkeypatch, taxonomy):
    """Above some cells, numbers are float32; expectations are added up in blocks of answers all the same."""
    values = np.random.default_rng(2).random((5, 4))
    monkeypatch.setattr(leaf_costs, "BLOCK_CELLS", 8)
    whole = leaf_costs.LeafCosts.from_array(taxonomy, values, inner=["animal"])
    monkeypatch.setattr(leaf_costs, "MOST_DOUBLES", 19)
    short = leaf_costs.LeafCosts.from_array(taxonomy, values, inner=["animal"])
    assert (whole.values.dtype, short.values.dtype) == (np.float64, np.float32)
    p = np.random.default_rng(3).dirichlet(np.ones(4), 6)
    np.testing.assert_allclose(whole.expected(taxonomy, p)[:, [2, 3, 5, 6, 0]], p @ values.T, rtol=0, atol=1e-15)
    np.testing.assert_allclose(short.expected(taxonomy, p), whole.expected(taxonomy, p), rtol=1e-6)
