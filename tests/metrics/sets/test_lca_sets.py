"""LCA-F: by hand, as the plain definition and as the authors' program compute it, at a maximum distance, in blocks and tables."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import from_graph, graphs, many, trees

import hierviz as hv
from hierviz.evaluation.pieces import EvaluationPiece, evaluation_of_pieces
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.sets import lca_sets
from hierviz.metrics.sets.lca_sets import lca_scores
from hierviz.second_opinion.plain_graph import PlainGraph
from hierviz.second_opinion.plain_lca import lca_of_sample

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "lca.json").read_text(encoding="utf-8"))
KEYS = ("lca_precision", "lca_recall", "lca_f1")


def scores_of(taxonomy, predicted, truth, max_distance=None):
    """(precision, recall, F1) of each sample; lists of names."""
    lists = [
        hv.NodeLists.from_lists([taxonomy.nodes(*names).tolist() for names in rows]) for rows in (truth, predicted)
    ]
    found = lca_scores(taxonomy, *lists, max_distance)
    return np.stack([found[key] for key in KEYS], axis=1).tolist()


@pytest.mark.parametrize(
    ("predicted", "truth", "expected"),
    [
        # The same labels need no way.
        (["cat"], ["cat"], (1, 1, 1)),
        # {cat, mammal} and {dog, mammal} share mammal.
        (["cat"], ["dog"], (1 / 2, 1 / 2, 1 / 2)),
        # Mammal is above cat: {mammal} and {cat, mammal}.
        (["mammal"], ["cat"], (1, 1 / 2, 2 / 3)),
        # Most specific labels first: mammal besides cat counts for nothing.
        (["cat", "mammal"], ["cat"], (1, 1, 1)),
        # {newt, animal} and {cat, mammal, animal}: the root counts.
        (["newt"], ["cat"], (1 / 2, 1 / 3, 2 / 5)),
        # Nothing predicted is the root alone.
        ([], ["cat"], (1, 1 / 3, 1 / 2)),
        # Cat is right and needs no way of its own. Newt meets the nearest true label, cat, at animal.
        (["cat", "newt"], ["cat"], (2 / 3, 2 / 3, 2 / 3)),
        # Duck is right. Dog and cat meet at mammal: {cat, duck, mammal} and {dog, duck, mammal}.
        (["cat", "duck"], ["dog", "duck"], (2 / 3, 2 / 3, 2 / 3)),
    ],
)
def test_by_hand(taxonomy, predicted, truth, expected):
    assert scores_of(taxonomy, [predicted], [truth]) == [pytest.approx(expected)]


def test_an_ancestor_that_no_label_needs_is_left_out():
    """n and m meet at c. M meets n at b, but N meets M at a: M has a, n has c, so b is left out."""
    names = [("r", "a"), ("a", "b"), ("b", "c"), ("c", "n"), ("c", "m"), ("b", "M"), ("a", "N")]
    tree = hv.Taxonomy.from_edges(names)
    # True: n, c and N, a. Predicted: m, c and M, b, a. They share c and a.
    assert scores_of(tree, [["m", "M"]], [["n", "N"]]) == [pytest.approx((2 / 5, 2 / 4, 4 / 9))]


def test_two_lowest_common_ancestors_of_a_graph():
    """y and z meet at a and at b, two edges away each: the last in the order of nodes is left out."""
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "y"), ("b", "y"), ("a", "z"), ("b", "z")])
    assert scores_of(graph, [["z"]], [["y"]]) == [pytest.approx((1 / 2, 1 / 2, 1 / 2))]


def test_maximum_distance(taxonomy):
    """With one edge, cat and newt meet above all classes: cat, mammal and it, newt, animal and it."""
    assert scores_of(taxonomy, [["newt"]], [["cat"]], 1) == [pytest.approx((1 / 3, 1 / 3, 1 / 3))]
    assert scores_of(taxonomy, [["newt"]], [["cat"]], 2) == scores_of(taxonomy, [["newt"]], [["cat"]])
    for wrong in (0, 1.5, "2"):
        with pytest.raises(PredictionsError, match="max_distance: expected a whole number from 1"):
            scores_of(taxonomy, [["newt"]], [["cat"]], wrong)


def test_labels_outside_the_taxonomy(taxonomy):
    """Each is one more node below the root: {-1, -1, animal} for {cat, mammal, animal}."""
    found = lca_scores(taxonomy, taxonomy.nodes("cat"), hv.NodeLists.from_lists([[-1, -1]]))
    assert [found[key][0] for key in KEYS] == pytest.approx([1 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize("kind", GOLDEN["cases"])
def test_as_the_authors_program(kind):
    """HEMKit writes six digits."""
    for case in GOLDEN["cases"][kind]:
        taxonomy = hv.Taxonomy.from_edges([(f"n{a}", f"n{b}") for a, b in case["edges"]])
        names = [[[f"n{node}" for node in labels]] for labels in (case["predicted"], case["truth"])]
        found = scores_of(taxonomy, *names, case["max_distance"])[0]
        assert found == pytest.approx([case[key] for key in KEYS], abs=2e-6), case


@many
@given(data=st.data(), graph=trees(14) | graphs(12), most=st.sampled_from([None, None, 1, 2, 3]))
def test_as_the_plain_definition(data, graph, most):
    """In blocks of any size; repeated labels, the root, empty lists and labels outside among them."""
    taxonomy = from_graph(graph)
    plain = PlainGraph([list(map(int, taxonomy.parents[node])) for node in range(taxonomy.n_nodes)])
    n, nodes = data.draw(st.integers(1, 4)), st.integers(0, taxonomy.n_nodes - 1)
    truth = data.draw(st.lists(st.lists(nodes, max_size=5), min_size=n, max_size=n))
    predicted = data.draw(st.lists(st.lists(st.just(-1) | nodes, max_size=5), min_size=n, max_size=n))
    lists = [hv.NodeLists.from_lists(rows) for rows in (truth, predicted)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lca_sets, "PAIRS_AT_ONCE", data.draw(st.sampled_from([1, 40, 10**6])))
        found = lca_scores(taxonomy, *lists, most)
    for i in range(n):
        expected = lca_of_sample(plain, predicted[i], truth[i], most)
        assert [found[key][i] for key in KEYS] == pytest.approx(expected, abs=1e-12), (truth[i], predicted[i])


def predictions_of(taxonomy, n=40, seed=0):
    rng = np.random.default_rng(seed)
    truth = taxonomy.leaves[rng.integers(0, taxonomy.n_leaves, n)]
    return hv.Predictions.from_scores(taxonomy, rng.dirichlet(np.ones(4), n), "leaf_probabilities", truth=truth)


@pytest.mark.parametrize(
    ("rule", "sets"), [("majority", "threshold_set"), ("threshold_set", "threshold_set"), ("hf_optimal", "hf_optimal")]
)
def test_block_of_an_evaluation(taxonomy, rule, sets):
    """The sets of block labels: all classes above the threshold, or those that a rule chooses."""
    predictions = predictions_of(taxonomy)
    model = hv.Evaluation.from_predictions(predictions)
    block = hv.evaluate(model, rule, 0.25, more=True)["models"][0]["lca"]
    expected = lca_scores(taxonomy, predictions.truth, model.answers(sets, 0.25))
    assert block == {key: pytest.approx(expected[key].mean()) for key in KEYS} | {"links": {"max_distance": None}}
    assert "lca" not in hv.evaluate(model, rule, 0.25)["models"][0]
    columns = model.per_sample(rule, 0.25, more=True)
    assert columns["lca_f1"].tolist() == expected["lca_f1"].tolist()
    assert "lca_f1" not in model.per_sample(rule, 0.25)


def test_graphs_and_several_truths():
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("b", "x"), ("b", "y")])
    lists = [hv.NodeLists.from_lists(rows) for rows in ([[3], [4], []], [[3], [3, 4], [1]])]
    block = hv.evaluate(hv.Predictions.from_labels(graph, lists[0], truth=lists[1]), more=True)["models"][0]["lca"]
    # The second: x meets y at b, so {y, b} and {x, y, b}; the third is {r} and {a, r}.
    assert [block[key] for key in KEYS] == pytest.approx([1, (1 + 2 / 3 + 1 / 2) / 3, (1 + 4 / 5 + 2 / 3) / 3])


@pytest.mark.parametrize("rule", ["majority", "hf_optimal"])
def test_pieces_bring_their_sets(taxonomy, rule):
    """On a cluster the scores are elsewhere: nothing is read from them once more."""
    whole = predictions_of(taxonomy, 24)
    parts = [
        hv.Predictions.from_scores(taxonomy, whole.scores[rows], "leaf_probabilities", truth=whole.truth[rows])
        for rows in (slice(0, 11), slice(11, 24))
    ]
    pieces = [EvaluationPiece.from_predictions(part, rule=rule, more=True) for part in parts]
    merged = evaluation_of_pieces(whole, pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hv.Predictions, "node_probabilities", None)
        (found,) = hv.evaluate(merged, rule, more=True)["models"]
    assert found["lca"] == hv.evaluate(whole, rule, more=True)["models"][0]["lca"]


def test_a_column_with_interval_and_constant(taxonomy):
    predictions = predictions_of(taxonomy, seed=2)
    found = hv.compare(predictions, metrics="lca.lca_f1,lca.lca_precision,lca_recall", resamples=50).to_dict()
    low, high = found["rows"][0]["interval"]["lca.lca_f1"]
    assert low < found["rows"][0]["values"]["lca.lca_f1"] < high
    constant = found["constant"]
    # The root alone has nothing wrong.
    assert constant["reason"] == {"lca.lca_precision": "always answering the root has a perfect value"}
    for key in ("lca_f1", "lca_recall"):
        node = taxonomy.names.index(constant["answers"][f"lca.{key}"])
        always = lca_scores(taxonomy, predictions.truth, hv.NodeLists.from_lists([[node]] * 40))
        assert always[key].mean() == pytest.approx(constant["values"][f"lca.{key}"])
        best = max(
            lca_scores(taxonomy, predictions.truth, hv.NodeLists.from_lists([[other]] * 40))[key].mean()
            for other in range(taxonomy.n_nodes)
        )
        assert best == pytest.approx(constant["values"][f"lca.{key}"])
