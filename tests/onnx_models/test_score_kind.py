"""The kind of a model's scores: detected in every labelled example, its consequences, and questions if it is ambiguous."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierviz import Taxonomy
from hierviz.demo import bundle_folder
from hierviz.messages.errors import ModelError, PredictionsError
from hierviz.onnx.description.open_question import OpenQuestion
from hierviz.onnx.scores.score_kind import KINDS, columns_of, find_kind
from hierviz.onnx.scores.score_reading import changed, check_declared, check_flat, choose, require_kind
from hierviz.predictions.parametrisation import default_columns, node_probabilities
from hierviz.readers.taxonomy_file import load_taxonomy

from .one_line import one_line

# The demo's seven heads: (parametrisation, which of its columns).
HEADS = {
    "flat_softmax": "leaves",
    "conditional_softmax": "nodes",
    "conditional_sigmoid": "nodes",
    "multilabel_sigmoid": "nodes",
    "ps_softmax": "nodes",
    "softmax_all_nodes": "all",
    "log_win": "leaves",
}


@cache
def demo():
    return load_taxonomy(bundle_folder() / "assets" / "demo" / "taxonomy.csv")


@cache
def logits(head, n_rows=120):
    """Scores such as a trained network gives: some certain rows, some flat ones, a large one among many small ones."""
    key = "flat_softmax" if head == "log_win" else head
    nodes = default_columns(demo(), key)
    rng = np.random.default_rng(len(head))
    scores = rng.normal(-2, 2, (n_rows, len(nodes)))
    scores[np.arange(n_rows), rng.integers(0, len(nodes), n_rows)] += rng.uniform(0, 12, n_rows)
    return scores.astype(np.float32), nodes


def softmax(x):
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def kind_of(scores, nodes, taxonomy=None):
    found = find_kind(scores, taxonomy or demo(), nodes)
    assert found.why
    assert found.kind in KINDS
    return found.kind, found.is_certain


def rounded(values, places):
    return np.round(values, places)


FORMS = {
    "raw": (lambda x: x, "logits"),
    "raw float16": (lambda x: x.astype(np.float16), "logits"),
    "raw, 4 decimals": (lambda x: rounded(x, 4), "logits"),
    "raw, all below 0": (lambda x: x - 40, "logits"),
    "softmaxed": (softmax, "probabilities"),
    "softmaxed float16": (lambda x: softmax(x).astype(np.float16), "probabilities"),
    "softmaxed, 4 decimals": (lambda x: rounded(softmax(x), 4), "probabilities"),
    "one-hot": (lambda x: (x == x.max(axis=1, keepdims=True)).astype(np.float32), "probabilities"),
    "log-softmaxed": (lambda x: np.log(softmax(x)), "log_probabilities"),
    "log-softmaxed float16": (lambda x: np.log(softmax(x)).astype(np.float16), "log_probabilities"),
    "log-softmaxed, 4 decimals": (lambda x: rounded(np.log(softmax(x)), 4), "log_probabilities"),
    "sigmoided": (sigmoid, "independent"),
    "sigmoided float16": (lambda x: sigmoid(x).astype(np.float16), "independent"),
    "sigmoided, 4 decimals": (lambda x: rounded(sigmoid(x), 4), "independent"),
}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("form", FORMS)
def test_labelled_kinds(head, form):
    scores, nodes = logits(head)
    change, kind = FORMS[form]
    found = find_kind(change(scores), demo(), nodes)
    assert (found.kind, found.columns) == (kind, HEADS[head])
    # Sigmoids of random scores keep to no tree: they have to be asked about.
    assert found.is_certain == (kind != "independent")


def test_probabilities_of_a_tree():
    """Siblings, levels and coherent probabilities of all nodes, with and without a column of the root."""
    taxonomy = demo()
    scores, nodes = logits("conditional_softmax")
    p = node_probabilities(taxonomy, scores, "conditional_softmax")
    conditional = p[:, nodes] / p[:, taxonomy.parent[nodes]]
    assert kind_of(conditional, nodes) == ("siblings", True)
    assert kind_of(np.log(conditional), nodes) == ("siblings", True)
    assert kind_of(conditional.astype(np.float16), nodes) == ("siblings", True)
    assert kind_of(p, np.arange(taxonomy.n_nodes)) == ("independent", True)
    assert kind_of(p[:9], np.arange(taxonomy.n_nodes)) == ("independent", False)  # by chance?
    heads = np.empty_like(p)
    for depth in range(taxonomy.max_depth + 1):
        level = np.flatnonzero(taxonomy.depth == depth)
        heads[:, level] = softmax(p[:, level] * 3)
    assert kind_of(heads[:, 1:], np.arange(1, taxonomy.n_nodes)) == ("levels", True)
    assert kind_of(heads, np.arange(taxonomy.n_nodes)) == ("levels", True)
    assert kind_of(np.log(heads[:, 1:]), np.arange(1, taxonomy.n_nodes)) == ("levels", True)
    # An order of the columns of its own changes nothing.
    order = np.random.default_rng(0).permutation(len(nodes))
    assert kind_of(conditional[:, order], nodes[order]) == ("siblings", True)
    assert kind_of(conditional[:, order], nodes) != ("siblings", True)


def test_probabilities_that_went_through_a_softmax():
    scores, nodes = logits("flat_softmax")
    for numbers, is_told in (
        (softmax(softmax(scores)), True),
        (softmax(scores), False),
        (softmax(scores * 0.2), False),
    ):
        notes = []
        check_flat("m.onnx", find_kind(numbers, demo(), nodes), len(numbers), notes)
        assert [("applied twice" in note) for note in notes] == [True] * is_told
        check_flat("m.onnx", find_kind(numbers[:5], demo(), nodes), 5, notes)  # too few to say
        assert len(notes) == is_told


def test_siblings_and_levels_alike_are_asked_about():
    """One family at each depth: nothing tells the two apart."""
    taxonomy = Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    scores = np.array([[0.25, 0.75, 0.5, 0.5], [0.875, 0.125, 1, 0]])
    found = find_kind(scores, taxonomy, np.arange(1, 5))
    assert (found.kind, found.is_certain) == ("siblings", False)
    with pytest.raises(OpenQuestion, match=r"scores='siblings' \| 'levels'"):
        choose("m.onnx", found, taxonomy, np.arange(1, 5))


NEAR = {
    "2 decimals": (lambda x: rounded(softmax(x), 2), "probabilities", "probabilities rounded to 2 decimals"),
    "log-softmaxed, 2 decimals": (
        lambda x: np.minimum(rounded(np.log(softmax(x)), 2), 0) - 0.004,
        "log_probabilities",
        "rounded",
    ),
    "percentages": (lambda x: 100 * softmax(x), "percentages", "every row sums to 100"),
    "percentages, 1 decimal": (lambda x: rounded(100 * softmax(x), 1), "percentages", "percentages"),
    "whole percentages": (lambda x: rounded(100 * softmax(x), 0), "percentages", "percentages"),
    "of 255": (lambda x: 255 * softmax(x), "percentages", "every row sums to 255"),
}


@pytest.mark.parametrize("form", NEAR)
def test_near_misses_are_asked_about(form):
    scores, nodes = logits("flat_softmax")
    change, kind, words = NEAR[form]
    found = find_kind(change(scores), demo(), nodes)
    assert (found.kind, found.is_certain) == (kind, False)
    assert words in found.why
    with pytest.raises(OpenQuestion, match=rf"scores='{kind}") as raised:
        choose("m.onnx", found, demo(), nodes)
    one_line(raised)
    question = raised.value.question.as_dict()
    assert question["about"] == "scores"
    assert ("scores", kind) in [(one["keyword"], one["value"]) for one in question["choices"]]
    # The answer settles it, and the probabilities are those of before the rounding.
    key, step, _ = choose("m.onnx", found, demo(), nodes, kind=kind)
    made, kept = changed("m.onnx", change(scores), step, found, demo(), nodes, key, [])
    np.testing.assert_allclose(made, softmax(scores), atol=0.05 if "decimal" in form or "whole" in form else 1e-6)
    np.testing.assert_array_equal(kept, nodes)


def read(scores, nodes, taxonomy=None, kind=None, parametrisation=None):
    """(key, node probabilities, notes) after detection."""
    taxonomy, notes = taxonomy or demo(), []
    found = find_kind(scores, taxonomy, nodes)
    key, step, _ = choose("m.onnx", found, taxonomy, nodes[nodes >= 0], kind=kind, parametrisation=parametrisation)
    made, kept = changed("m.onnx", scores, step, found, taxonomy, nodes, key, notes)
    return key, node_probabilities(taxonomy, made, key, kept), notes


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda x: x, "flat_softmax"),
        (softmax, "leaf_probabilities"),
        (lambda x: np.log(softmax(x)), "leaf_probabilities"),
    ],
)
def test_leaves_lead_to_the_same_probabilities(change, key):
    scores, nodes = logits("flat_softmax")
    got, p, notes = read(change(scores), nodes)
    assert (got, notes) == (key, [])
    np.testing.assert_allclose(p, node_probabilities(demo(), scores, "flat_softmax"), atol=2e-6)


def test_nodes_lead_to_the_same_probabilities():
    taxonomy = demo()
    scores, nodes = logits("conditional_softmax")
    p = node_probabilities(taxonomy, scores, "conditional_softmax", nodes)
    conditional = p[:, nodes] / p[:, taxonomy.parent[nodes]]
    for numbers in (conditional, np.log(conditional)):
        key, got, _ = read(numbers, nodes)
        assert key == "conditional_softmax"
        np.testing.assert_allclose(got, p, atol=1e-5)
    key, got, _ = read(p, np.arange(61))
    assert key == "node_probabilities"
    np.testing.assert_allclose(got, p, atol=1e-6)
    # One distribution over inner nodes and leaves.
    scores, nodes = logits("softmax_all_nodes")
    expected = node_probabilities(taxonomy, scores, "softmax_all_nodes", nodes)
    for numbers in (softmax(scores), np.log(softmax(scores))):
        key, got, _ = read(numbers, nodes)
        assert key == "softmax_all_nodes"
        np.testing.assert_allclose(got, expected, atol=1e-5)


def test_raw_scores_of_nodes_are_never_guessed():
    for head in ("conditional_softmax", "multilabel_sigmoid", "softmax_all_nodes"):
        scores, nodes = logits(head)
        with pytest.raises(OpenQuestion, match=rf"parametrisation=.*'{head}'") as raised:
            read(scores, nodes)
        one_line(raised)
        offered = {value for _, value, _ in raised.value.question.choices}
        assert {"multilabel_sigmoid", "conditional_sigmoid", "conditional_softmax", "ps_softmax", "levels"} <= offered
    # A softmax over each depth, when somebody says so.
    scores, nodes = logits("ps_softmax")
    key, p, notes = read(scores, nodes, kind="levels")
    assert (key, len(notes)) == ("node_probabilities", 1)
    second = np.flatnonzero(demo().depth[nodes] == 2)
    np.testing.assert_allclose(p[:, nodes[second]], softmax(scores[:, second]), atol=1e-6)


def test_sigmoids_of_nodes():
    scores, nodes = logits("conditional_sigmoid")
    with pytest.raises(OpenQuestion) as raised:
        read(sigmoid(scores), nodes)
    offered = [one[:2] for one in raised.value.question.choices]
    assert offered == [("parametrisation", "node_probabilities"), ("scores", "conditional")]
    assert "parametrisation='node_probabilities', or scores='conditional'" in one_line(raised)
    key, p, _ = read(sigmoid(scores.astype(float)), nodes, kind="conditional")
    assert key == "conditional_sigmoid"
    np.testing.assert_allclose(p, node_probabilities(demo(), scores, "conditional_sigmoid"), atol=1e-5)
    key, p, _ = read(sigmoid(scores), nodes, kind="independent")
    assert key == "node_probabilities"
    np.testing.assert_allclose(p[:, nodes], sigmoid(scores), atol=1e-6)


QUESTIONABLE = {
    "raw nodes": ("ps_softmax", lambda x: x),
    "raw with root": ("softmax_all_nodes", lambda x: x),
    "sigmoid nodes": ("multilabel_sigmoid", sigmoid),
    "sigmoid leaves": ("flat_softmax", sigmoid),
    "sigmoid with root": ("softmax_all_nodes", sigmoid),
    "rounded": ("flat_softmax", lambda x: rounded(softmax(x), 2)),
    "percentages": ("flat_softmax", lambda x: 100 * softmax(x)),
    "percentages with root": ("softmax_all_nodes", lambda x: 100 * softmax(x)),
}


@pytest.mark.parametrize("case", QUESTIONABLE)
def test_every_offered_answer_settles_the_question(case):
    head, change = QUESTIONABLE[case]
    scores, nodes = logits(head)
    with pytest.raises(OpenQuestion) as raised:
        read(change(scores), nodes)
    choices = raised.value.question.choices
    assert len(choices) == len(set(choices)) >= 1
    for keyword, value, means in choices:
        if (keyword, value) == ("scores", "logits") and demo().n_leaves != len(nodes):
            continue  # raw scores of nodes are the next question
        p = read(change(scores), nodes, **{"kind" if keyword == "scores" else keyword: value})[1]
        assert np.isfinite(p).all()
        assert means


def test_sigmoids_of_leaves_are_asked_about():
    scores, nodes = logits("flat_softmax")
    with pytest.raises(OpenQuestion, match="scores='probabilities'"):
        read(sigmoid(scores), nodes)
    key, p, notes = read(sigmoid(scores), nodes, kind="probabilities")
    assert key == "leaf_probabilities"
    np.testing.assert_allclose(p[:, 0], 1, atol=1e-6)
    assert "divided by its sum" in notes[0]


def test_not_finite_names_rows():
    scores, nodes = logits("flat_softmax")
    scores = scores.copy()
    scores[[3, 7], 2] = [np.nan, np.inf]
    with pytest.raises(ModelError, match=r"NaN or infinity in 2 of 120 rows \('3', '7'\)"):
        find_kind(scores, demo(), nodes)


def test_a_second_softmax_and_its_consequence():
    scores, nodes = logits("flat_softmax")
    found, notes = find_kind(softmax(scores), demo(), nodes), []
    check_declared("m.onnx", found, "flat_softmax", "the model's metadata", notes)
    assert "second softmax" in notes[0]
    assert "0.065" in notes[0]  # e / (e + 39)
    assert "scores='probabilities'" in notes[0]
    worst = node_probabilities(demo(), softmax(scores), "flat_softmax")[:, nodes].max()
    assert worst < 0.0652
    # With that answer the first softmax stands.
    p = read(softmax(scores), nodes, kind="probabilities", parametrisation="flat_softmax")[1]
    np.testing.assert_allclose(p, node_probabilities(demo(), scores, "flat_softmax"), atol=1e-5)


@pytest.mark.parametrize(
    ("head", "change", "key", "words"),
    [
        ("flat_softmax", sigmoid, "flat_softmax", "applies a softmax"),
        ("flat_softmax", lambda x: 100 * softmax(x), "flat_softmax", "scores='percentages'"),
        ("multilabel_sigmoid", sigmoid, "multilabel_sigmoid", r"between 0\.5 and 0\.73"),
        ("conditional_softmax", None, "conditional_softmax", "second softmax among the children"),
        ("conditional_softmax", None, "node_probabilities", "scores='siblings'"),
        ("softmax_all_nodes", softmax, "softmax_all_nodes", "second softmax"),
    ],
)
def test_declared_a_second_time(head, change, key, words):
    scores, nodes = logits(head)
    if change is None:
        p = node_probabilities(demo(), scores, head, nodes)
        numbers = p[:, nodes] / p[:, demo().parent[nodes]]
    else:
        numbers = change(scores)
    found, notes = find_kind(numbers, demo(), nodes), []
    check_declared("m.onnx", found, key, "it", notes)
    (note,) = notes
    import re

    assert re.search(words, note)


@pytest.mark.parametrize("head", HEADS)
def test_what_is_declared_rightly_is_silent(head):
    key = "flat_softmax" if head == "log_win" else head
    scores, nodes = logits(head)
    notes = []
    check_declared("m.onnx", find_kind(scores, demo(), nodes), key, "it", notes)
    check_declared("m.onnx", find_kind(np.log(softmax(scores)), demo(), nodes), key, "it", notes)
    assert notes == []


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        (lambda x: x, "a parametrisation= that takes raw scores"),
        (lambda x: np.log(softmax(x)), "scores='log_probabilities'"),
        (lambda x: 100 * softmax(x), "scores='percentages'"),
        (lambda x: rounded(softmax(x), 2), "scores='probabilities'"),
        (sigmoid, "scores='probabilities'"),
    ],
)
def test_declared_probabilities_that_are_none(change, advice):
    scores, nodes = logits("flat_softmax")
    found = find_kind(change(scores), demo(), nodes)
    with pytest.raises(PredictionsError, match=advice) as raised:
        check_declared("m.onnx", found, "leaf_probabilities", "it", [])
    one_line(raised)


def test_a_kind_that_the_numbers_cannot_have():
    scores, nodes = logits("flat_softmax")
    for kind in ("probabilities", "log_probabilities", "percentages"):
        with pytest.raises(ModelError, match="Leave scores= out") as raised:
            read(scores, nodes, kind=kind)
        one_line(raised)
    with pytest.raises(ModelError, match="Did you mean 'logits'"):
        require_kind("logit")
    with pytest.raises(ModelError, match="expected scores that leaf_probabilities can take"):
        read(scores, nodes, kind="logits", parametrisation="leaf_probabilities")


def test_a_column_of_the_background_goes():
    scores, nodes = logits("flat_softmax")
    wide = np.concatenate([np.full((len(scores), 1), 1.5, np.float32), scores], axis=1)
    columns = np.append(-1, nodes)
    expected = node_probabilities(demo(), scores, "flat_softmax")
    for numbers, n_notes in ((wide, 0), (softmax(wide), 1), (np.log(softmax(wide)), 1)):
        _, p, notes = read(numbers, columns)
        np.testing.assert_allclose(p, expected, atol=1e-5)
        assert len(notes) == n_notes
    certain = np.zeros((2, 41))
    certain[:, 0] = 1
    _, p, notes = read(certain, columns)
    np.testing.assert_allclose(p[:, nodes], 1 / 40, rtol=1e-6)
    assert any("2 rows have no probability on any leaf" in note for note in notes)


def test_graphs_have_no_siblings(taxonomy):
    graph = Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d")])
    p = np.array([[0.5, 0.5, 0.25, 0.75]])
    assert columns_of(graph, np.arange(1, 5)) == "nodes"
    found = find_kind(p, graph, np.arange(1, 5))
    assert (found.kind, found.is_certain) == ("independent", False)
    assert columns_of(taxonomy, np.array([2, 3, 5, 6])) == "leaves"
    assert columns_of(taxonomy, np.array([2, 3, 5])) == "other"


@settings(derandomize=True, max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=3, max_size=25), st.integers(0, 2**31), st.sampled_from(range(1, 9)))
def test_any_tree(parents, seed, n_rows):
    """On random trees, numbers made as one kind are that kind, or asked about; never certainly another."""
    parents = [0, *(parent % (k + 2) for k, parent in enumerate(parents))]
    taxonomy = Taxonomy.from_edges([(str(parent), str(k + 1)) for k, parent in enumerate(parents)])
    rng = np.random.default_rng(seed)
    nodes = default_columns(taxonomy, "conditional_softmax")
    scores = rng.normal(0, 3, (n_rows, len(nodes)))
    p = node_probabilities(taxonomy, scores, "conditional_softmax", nodes)
    conditional = p[:, nodes] / p[:, taxonomy.parent[nodes]]
    # A chain gives each of its nodes 1, and a taxonomy of depth 1 has leaves only.
    if columns_of(taxonomy, nodes) == "nodes" and not (taxonomy.children.lengths <= 1).all():
        found = find_kind(conditional, taxonomy, nodes)
        assert found.kind == "siblings" or not found.is_certain
        found = find_kind(p[:, nodes], taxonomy, nodes)
        assert found.kind in ("independent", "levels") or not found.is_certain
