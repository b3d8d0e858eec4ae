"""One tree in twenty forms and more, whose nodes come in several orders, and scores with many ties: the same numbers."""

from importlib.util import find_spec

import numpy as np
import pytest

import hierviz as hv
from hierviz.readers.taxonomy_file import FORMS
from tests.fuzz.forms import Forms

pytest.importorskip("rdflib")
pytest.importorskip("newick")
pytest.importorskip("anytree")

GROUPS = {"mammal": ["cat", "dog", "cow"], "bird": ["duck", "crane", "owl"], "fish": ["pike", "eel"]}
PARENTS = dict.fromkeys(GROUPS, "animal") | {name: group for group, names in GROUPS.items() for name in names}
# OWL is read without pronto, too.
NEED_PRONTO = set() if find_spec("pronto") else {"obographs"}
RULES = ("majority", "threshold")  # of the others the first of several equal nodes is the answer
# Of several equal leaves one has to be taken, and on the curve of several equal nodes.
OF_ORDER = ("curve.", "top_down.", "confusion.baseline.path_to")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Predictions by form."""
    folder, tree, rng = tmp_path_factory.mktemp("forms"), Forms(PARENTS), np.random.default_rng(0)
    p = rng.integers(0, 3, (40, len(tree.leaves))).astype(float)
    p[:6] = 1
    p[p.sum(axis=1) == 0] = 1
    p /= p.sum(axis=1, keepdims=True)
    truth = rng.choice(tree.leaves, len(p))
    rows = [f"s{k},{','.join(map(repr, row))},{name}\n" for k, (row, name) in enumerate(zip(p.tolist(), truth))]
    (folder / "p.csv").write_text(f"sample_id,{','.join(tree.leaves)},truth\n{''.join(rows)}")
    found = {}
    for form, (name, files) in tree.all().items():
        if form in NEED_PRONTO:
            continue
        place = folder / form
        place.mkdir()
        for file, content in files.items():
            (place / file).write_bytes(content if isinstance(content, bytes) else content.encode())
        found[form] = hv.load_predictions(folder / "p.csv", hv.load_taxonomy(place / name))
    return found


def numbers(value, key=""):
    """Numbers and texts of nested dicts by their keys, notes left out."""
    if not isinstance(value, dict):
        return {key: value}
    return {
        name: number
        for part, inside in value.items()
        if part not in ("notes", "name")
        for name, number in numbers(inside, f"{key}.{part}" if key else part).items()
    }


def test_all_forms_are_there(models):
    assert {form.split(" ")[0] for form in models} == set(FORMS) - NEED_PRONTO
    assert len(models) >= 20
    orders = {tuple(model.taxonomy.title(leaf) for leaf in model.taxonomy.leaves.tolist()) for model in models.values()}
    assert len(orders) >= 3  # else nothing is shown


@pytest.mark.parametrize("rule", RULES)
def test_numbers_that_depend_on_no_order_are_the_same(models, rule):
    expected = None
    for form, model in models.items():
        got = numbers(hv.evaluate(model, rule)["models"][0])
        got = {key: value for key, value in got.items() if not key.startswith(OF_ORDER)}
        expected = got if expected is None else expected
        assert set(got) == set(expected), form
        for key, value in expected.items():
            is_same = got[key] == value if not isinstance(value, float) else got[key] == pytest.approx(value, rel=1e-12)
            assert is_same, (form, key, got[key], value)


def test_order_is_said_where_it_decides(models):
    for model in models.values():
        report = hv.evaluate(model)
        first = [repr(model.taxonomy.names[leaf]) for leaf in model.taxonomy.leaves[:3].tolist()]
        assert report["taxonomy"]["ties"] == f"of equal classes the first of {', '.join(first)}, ..."
        assert any("constant paths are equally good" in note for note in report["models"][0]["notes"])


def test_constants_that_are_equally_good_are_counted_by_hand():
    """Truths a, a, g: always a is right twice; with truths a, g both are right once."""
    taxonomy = hv.Taxonomy.from_edges([("r", name) for name in "abcdefg"])
    for names, n_best in (("aag", 1), ("ag", 2)):
        p = np.full((len(names), 7), 1 / 7)
        model = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=taxonomy.nodes(*names))
        notes = [note for note in hv.evaluate(model)["models"][0]["notes"] if note.startswith("confusion.baseline")]
        assert [note.split()[1] for note in notes] == ([str(n_best)] if n_best > 1 else [])
