"""What every loss says when its input is wrong."""

import numpy as np
import pytest

from hierviz import NodeLists, PredictionsError, Taxonomy, TaxonomyError
from hierviz.losses.registry import LOSSES, loss

TREE_ONLY = [key for key, entry in LOSSES.items() if entry.tree_only]


def scores_for(taxonomy, key, n=2):
    return np.zeros((n, len(LOSSES[key].columns(taxonomy))))


def keywords_for(taxonomy, key):
    return {"counts": np.ones(taxonomy.n_nodes)} if key == "conditional_softmax_la" else {}


def test_unknown_loss(taxonomy):
    with pytest.raises(
        PredictionsError, match=r"loss: expected one of flat_ce, .*, got 'flat_cee'. Did you mean 'flat_ce'"
    ):
        loss("flat_cee", taxonomy, [2], np.zeros((1, 4)))
    with pytest.raises(PredictionsError, match=r"loss: expected one of flat_ce, .*, got None"):
        loss(None, taxonomy, [2], np.zeros((1, 4)))


@pytest.mark.parametrize("key", LOSSES)
def test_unknown_keyword(key, taxonomy):
    with pytest.raises(PredictionsError, match=rf"loss '{key}': expected only the keywords \[.*\], got 'temperature'"):
        loss(key, taxonomy, [2, 3], scores_for(taxonomy, key), temperature=3)


@pytest.mark.parametrize("key", LOSSES)
def test_scores(key, taxonomy):
    keywords = keywords_for(taxonomy, key)
    right = scores_for(taxonomy, key)
    width = right.shape[1]
    with pytest.raises(PredictionsError, match=f"scores: expected {width} columns for .*, got {width + 1}"):
        loss(key, taxonomy, [2, 3], np.zeros((2, width + 1)), **keywords)
    with pytest.raises(PredictionsError, match=r"scores: expected two axes \(samples, scores\), got shape \(4,\)"):
        loss(key, taxonomy, [2, 3], np.zeros(4), **keywords)
    for bad in ([["a"]], np.full((2, width), 1j), [[0.0], [0.0, 1.0]]):
        with pytest.raises(PredictionsError, match="scores: expected an array of real numbers"):
            loss(key, taxonomy, [2, 3], bad, **keywords)
    for bad in (np.nan, np.inf, -np.inf):
        wrong = right.copy()
        wrong[1, 2] = bad
        with pytest.raises(PredictionsError, match=f"scores: expected finite numbers, got {bad} in row 1, column 2"):
            loss(key, taxonomy, [2, 3], wrong, **keywords)


@pytest.mark.parametrize("key", LOSSES)
def test_truth(key, taxonomy):
    scores, keywords = scores_for(taxonomy, key), keywords_for(taxonomy, key)

    def call(truth):
        return loss(key, taxonomy, truth, scores, **keywords)

    with pytest.raises(PredictionsError, match=r"truth: expected 2 values \(one per row of scores\), got 3"):
        call([2, 3, 2])
    with pytest.raises(PredictionsError, match=r"truth: expected node numbers from 0 to 6, got -1. Leave out samples"):
        call([2, -1])
    with pytest.raises(PredictionsError, match="truth: expected node numbers from 0 to 6, got 7"):
        call([2, 7])
    for bad in ([2.0, 3.0], ["cat", "dog"]):
        with pytest.raises(
            PredictionsError, match=r"truth: expected one node number per sample, got .* Taxonomy.nodes"
        ):
            call(bad)
    with pytest.raises(
        PredictionsError, match=r"truth: expected node numbers of shape .*, got integers of shape \(2, 1\)"
    ):
        call([[2], [3]])
    if LOSSES[key].takes_lists:
        with pytest.raises(PredictionsError, match="truth: expected 2 values"):
            call(NodeLists.from_lists([[2]]))
        with pytest.raises(PredictionsError, match="truth: expected node numbers from 0 to 6, got 9"):
            call(NodeLists.from_lists([[2], [9]]))
    else:
        with pytest.raises(
            PredictionsError, match=f"truth: expected one node per sample for {key}, got lists of nodes"
        ):
            call(NodeLists.from_lists([[2], [3]]))


@pytest.mark.parametrize("key", ["conditional_sigmoid", "deep_rtc"])
def test_inner_truth(key, taxonomy):
    with pytest.raises(
        PredictionsError, match=f"truth: expected leaves for {key}, got 'mammal', 'animal' in 2 of 3 rows"
    ):
        loss(key, taxonomy, [1, 2, 0], scores_for(taxonomy, key, 3))


def test_inner_truth_with_smoothing(taxonomy):
    loss("flat_ce", taxonomy, [1], np.zeros((1, 4)))
    with pytest.raises(PredictionsError, match="truth: expected leaves for flat_ce, got 'mammal' in 1 of 1 rows"):
        loss("flat_ce", taxonomy, [1], np.zeros((1, 4)), smoothing=0.1)


@pytest.mark.parametrize("key", ["coarse_ce", "champ"])
def test_root_truth(key, taxonomy):
    with pytest.raises(
        PredictionsError, match=f"truth: expected nodes below the root for {key}, got 'animal' in 1 of 2"
    ):
        loss(key, taxonomy, [0, 2], scores_for(taxonomy, key))


def test_empty_lists(taxonomy):
    empty = NodeLists.from_lists([[2], []])
    with pytest.raises(
        PredictionsError, match="expected a node below the root in every list for champ, got none in rows 1"
    ):
        loss("champ", taxonomy, empty, np.zeros((2, 6)))
    # No node is true: six questions, or one for each child of the root.
    np.testing.assert_allclose(loss("multilabel_bce", taxonomy, empty, np.zeros((2, 6)))[0][1], 6 * np.log(2))
    np.testing.assert_allclose(loss("conditional_sigmoid", taxonomy, empty, np.zeros((2, 6)))[0][1], 3 * np.log(2))


@pytest.mark.parametrize("key", TREE_ONLY)
def test_graph(key):
    graph = Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d")])
    with pytest.raises(TaxonomyError, match=f"loss '{key}': expected a tree, got 'c' with 2 parents"):
        loss(key, graph, [4], np.zeros((1, 4)))


@pytest.mark.parametrize(
    ("key", "name", "values", "span"),
    [
        ("flat_ce", "smoothing", (-0.1, 1.1, np.nan, "a", None), "from 0 to 1"),
        ("conditional_softmax", "smoothing", (-0.1, 2), "from 0 to 1"),
        ("conditional_softmax_la", "tau", (-1, np.inf), "of at least 0"),
        ("hxe", "alpha", (-1, np.nan), "of at least 0"),
        ("multilabel_focal", "alpha", (-0.1, 1.1), "from 0 to 1"),
        ("multilabel_focal", "gamma", (-1, np.inf), "of at least 0"),
        ("champ", "beta", (-1, "b"), "of at least 0"),
        ("soft_max_margin", "tau", (-1, np.nan), "of at least 0"),
        ("hard_margin", "tau", (-1, [1]), "of at least 0"),
        ("deep_rtc", "cut", (-0.1, 1.5), "from 0 to 1"),
    ],
)
def test_numbers(key, name, values, span, taxonomy):
    for value in values:
        with pytest.raises(PredictionsError, match=f"{name}: expected a number {span}, got "):
            loss(key, taxonomy, [2, 3], scores_for(taxonomy, key), **{name: value})


def test_choices(taxonomy):
    for key in ("soft_max_margin", "hard_margin"):
        with pytest.raises(
            PredictionsError, match="cost: expected one of incorrect, depth_dist, info_dist, got 'depth'"
        ):
            loss(key, taxonomy, [2], np.zeros((1, 7)), cost="depth")
    with pytest.raises(
        PredictionsError, match="parametrisation: expected one of flat_softmax, conditional_softmax, got 'deep_rtc'"
    ):
        loss("hxe", taxonomy, [2], np.zeros((1, 4)), parametrisation="deep_rtc")


def test_counts(taxonomy):
    def call(taxonomy, **keywords):
        return loss("conditional_softmax_la", taxonomy, [2], np.zeros((1, 6)), **keywords)

    with pytest.raises(PredictionsError, match="counts: expected the training samples of every node, got none"):
        call(taxonomy)
    with pytest.raises(
        PredictionsError, match=r"counts: expected shape \(7,\) \(one per node, the root included\), got \(6,\)"
    ):
        call(taxonomy, counts=np.ones(6))
    with pytest.raises(PredictionsError, match=r"counts: expected numbers of at least 0, got -1.0 at 'cat'"):
        call(taxonomy, counts=[1, 1, -1, 1, 1, 1, 1])
    with pytest.raises(PredictionsError, match="counts: expected one number per node, got 'a', 'b'"):
        call(taxonomy, counts=["a", "b"])
    attributed = taxonomy.with_nodes(attributes={"train_count": {"mammal": 3, "cat": 2}})
    with pytest.raises(PredictionsError, match="counts: expected numbers of at least 0, got nan at 'dog'"):
        call(attributed)
    named = dict(zip(taxonomy.names[1:], ["3", "2", "1", "2", "2", "0"]))
    values, _ = call(taxonomy.with_nodes(attributes={"train_count": named}))
    # Shares: mammal 3 of 3 + 2 + 1 (newt's 0 counts as 1), cat 2 of 3.
    np.testing.assert_allclose(values, -np.log(3 / 6) - np.log(2 / 3))


def test_drops(taxonomy):
    scores, right = np.zeros((2, 6)), np.zeros((2, 7), dtype=bool)
    with pytest.raises(
        PredictionsError, match=r"drops: expected True or False of shape \(2, 7\) .*, got bool of shape \(2, 6\)"
    ):
        loss("deep_rtc", taxonomy, [2, 3], scores, drops=right[:, 1:])
    with pytest.raises(PredictionsError, match=r"drops: expected True or False .*, got int64"):
        loss("deep_rtc", taxonomy, [2, 3], scores, drops=right.astype(np.int64))
    with pytest.raises(PredictionsError, match=r"deep_rtc: expected either cut or drops, got drops and cut=0.5"):
        loss("deep_rtc", taxonomy, [2, 3], scores, drops=right, cut=0.5)
    for seed in (-1, "x"):
        with pytest.raises(PredictionsError, match="seed: expected an int of at least 0 or a numpy Generator, got "):
            loss("deep_rtc", taxonomy, [2, 3], scores, cut=0.5, seed=seed)
