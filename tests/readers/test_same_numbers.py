"""One tree in twenty forms and more, whose nodes come in several orders, and scores with many ties: the same numbers."""

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
    assert {form.split(" ")[0] for form in models} == set(FORMS)
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
    said = set()
    for model in models.values():
        notes = hv.evaluate(model)["models"][0]["notes"]
        (of_leaves,) = [note for note in notes if note.startswith("ties: of 40 samples")]
        assert any("constant paths are equally good" in note for note in notes)
        first = [repr(model.taxonomy.names[leaf]) for leaf in model.taxonomy.leaves[:3].tolist()]
        assert f"({', '.join(first)}, ...)" in of_leaves
        said.add(of_leaves.split("those first")[0])
    assert len(said) == 1  # how many samples tie depends on no order


def test_ties_are_counted_by_hand():
    taxonomy = hv.Taxonomy.from_edges([("r", name) for name in "abcdefg"])
    # Row 0: two best leaves. Row 1: one best; the truth g is level with fifth and sixth (b to g are equal). Row 2: no tie.
    scores = np.array([[3, 3, 1, 1, 1, 0.5, 0.5], [4, 1, 1, 1, 1, 1, 1], [7, 6, 5, 4, 3, 2, 1]], dtype=float)
    scores /= scores.sum(axis=1, keepdims=True)
    model = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=taxonomy.nodes("a", "g", "a"))
    notes = hv.evaluate(model)["models"][0]["notes"]
    assert [note for note in notes if note.startswith("ties: of 3 samples, 1 have")]
    assert [note for note in notes if "and of 1 the truth has" in note]
    # Always a: 2 of 3 right; no other path is as good.
    assert not [note for note in notes if note.startswith("confusion.baseline")]
    alone = hv.Predictions.from_scores(taxonomy, scores[2:], "leaf_probabilities", truth=taxonomy.nodes("a"))
    assert not [note for note in hv.evaluate(alone)["models"][0]["notes"] if note.startswith("ties")]
