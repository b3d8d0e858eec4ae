"""Predictions: what the constructors accept, check and say, and that blocks of rows change nothing."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.predictions import predictions as module
from hierviz.taxonomy.taxonomy import NodeLists

LEAF_ROWS = np.array([[0.5, 0.25, 0.125, 0.125], [0.1, 0.2, 0.3, 0.4], [0, 0, 1, 0]])


def scored(taxonomy, scores=LEAF_ROWS, key="leaf_probabilities", **more):
    return hv.Predictions.from_scores(taxonomy, scores, key, **more)


def test_scores(taxonomy):
    made = scored(taxonomy, truth=[0, -1, 4], name="flat")
    assert (made.n_samples, made.has_scores, made.has_single_truth) == (3, True, True)
    assert made.has_truth.tolist() == [True, False, True]
    assert repr(made) == "<Predictions 'flat': leaf_probabilities of 3 samples, truth known for 2>"
    np.testing.assert_allclose(made.node_probabilities()[0], [1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125])
    np.testing.assert_array_equal(made.node_probabilities(slice(1, 2)), made.node_probabilities()[1:2])
    np.testing.assert_array_equal(made.node_probabilities(np.array([2, 0])), made.node_probabilities()[[2, 0]])
    assert made.replace(name="other").name == "other"
    assert scored(taxonomy, truth=[2, 2, 4]).truth_words == "truth known"
    assert scored(taxonomy).truth_words == "no truth"
    assert scored(taxonomy).has_truth.tolist() == [False] * 3


def test_ids_text_and_pictures(taxonomy):
    class Media:
        def png(self, name, *size):
            return name.encode()

    attributes = {"text": np.array(["a", "b", "c"]), "image": np.array(["x.png", "", "z.png"])}
    made = scored(taxonomy, sample_ids=np.array(["007", "8", "9"]), attributes=attributes, media=Media())
    assert (made.sample_id(0), made.row_of["9"], made.ids.tolist()) == ("007", 2, ["007", "8", "9"])
    assert (made.text(1), made.picture(0), made.picture(1)) == ("b", b"x.png", None)
    bare = scored(taxonomy)
    assert (bare.sample_id(2), bare.row_of["2"], bare.text(0), bare.picture(0)) == ("2", 2, None, None)


def test_labels(taxonomy):
    hard = hv.Predictions.from_labels(taxonomy, [2, 6])
    assert (hard.is_hard, hard.n_samples, hard.labels[1].tolist()) == (True, 2, [6])
    lists = hv.Predictions.from_labels(taxonomy, [[2, 6], [], [-1]], truth=[[2], [3, 6], []])
    assert (lists.is_hard, lists.n_samples, lists.has_single_truth) == (False, 3, False)
    assert lists.has_truth.tolist() == [True, True, False]
    assert [lists.labels[i].tolist() for i in range(3)] == [[2, 6], [], [-1]]
    assert repr(hard) == "<Predictions 'model': labels of 2 samples, no truth>"
    given = NodeLists.from_lists([[2], [3]])
    assert hv.Predictions.from_labels(taxonomy, given, is_hard=True).is_hard
    assert not hv.Predictions.from_labels(taxonomy, given).is_hard


def test_blocks_cover_all_rows_and_change_nothing(taxonomy, monkeypatch):
    rng = np.random.default_rng(3)
    scores = rng.dirichlet(np.ones(4), size=23)
    truth = rng.integers(0, 7, 23)
    whole = hv.evaluate(scored(taxonomy, scores, truth=truth))
    one = hv.Evaluation.from_predictions(scored(taxonomy, scores, truth=truth)).per_sample()
    monkeypatch.setattr(module, "BLOCK_VALUES", 40)
    blocked = scored(taxonomy, scores, truth=truth)
    assert [(rows.start, rows.stop) for rows in blocked.blocks()] == [(0, 5), (5, 10), (10, 15), (15, 20), (20, 23)]
    seen = []
    evaluation = hv.Evaluation.from_predictions(blocked, progress=lambda done, n: seen.append((done, n)))
    assert seen == [(5, 23), (10, 23), (15, 23), (20, 23), (23, 23)]
    assert hv.evaluate(evaluation) == whole
    for key, values in evaluation.per_sample().items():
        np.testing.assert_array_equal(values, one[key])
    table, direct = hv.pareto_table(taxonomy, blocked), hv.pareto_table(taxonomy, blocked.node_probabilities())
    for name in ("offsets", "nodes", "scores"):
        np.testing.assert_array_equal(getattr(table, name), getattr(direct, name))


def test_a_memory_mapped_file_is_enough(taxonomy, tmp_path):
    np.save(tmp_path / "scores.npy", LEAF_ROWS.astype(np.float32))
    mapped = np.load(tmp_path / "scores.npy", mmap_mode="r")
    made = scored(taxonomy, mapped, truth=[2, 3, 5])
    assert made.scores is mapped
    same = scored(taxonomy, LEAF_ROWS.astype(np.float32), truth=[2, 3, 5])
    np.testing.assert_array_equal(made.node_probabilities(), same.node_probabilities())


# Errors ----------------------------------------------------------------------------------------------------------------


def test_scores_or_labels(taxonomy):
    message = r"^predictions: expected either scores or labels, got both or neither\. Pass one of them\."
    with pytest.raises(hv.PredictionsError, match=message):
        hv.Predictions(taxonomy)
    with pytest.raises(hv.PredictionsError, match=message):
        hv.Predictions(taxonomy, scores=LEAF_ROWS, parametrisation="flat_softmax", labels=NodeLists.from_lists([[1]]))


NODES = "expected node numbers from 0 to 6, or -1"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"truth": [2, 3]}, r"^truth: expected 3 values \(one per sample\), got 2\. Align the rows\."),
        ({"sample_ids": np.array(["a"])}, r"^sample ids: expected 3 values \(one per sample\), got 1"),
        ({"attributes": {"text": np.array(["a"])}}, r"^text: expected 3 values \(one per sample\), got 1"),
        ({"truth": [2, 7, 8]}, rf"^truth, rows 1, 2: {NODES} \(not known\), got 7, 8\. Use Taxonomy\.nodes"),
        ({"truth": [2, -2, 3]}, rf"^truth, row 1: {NODES} \(not known\), got -2\."),
        ({"truth": [[2], [3, 9], []]}, rf"^truth, row 1: {NODES} \(not known\), got 9\."),
    ],
)
def test_values_per_sample(taxonomy, more, message):
    with pytest.raises(hv.PredictionsError, match=message):
        scored(taxonomy, **more)


def test_labels_are_node_numbers(taxonomy):
    with pytest.raises(hv.PredictionsError, match=rf"^labels, row 1: {NODES} \(outside the taxonomy\), got 7\."):
        hv.Predictions.from_labels(taxonomy, [[2], [7]])
    with pytest.raises(hv.PredictionsError, match=r"^model: expected scores, got labels"):
        hv.Predictions.from_labels(taxonomy, [2]).node_probabilities()


@pytest.mark.parametrize(
    ("scores", "key", "message"),
    [
        ([0.5, 0.5], "flat_softmax", r"^scores: expected two axes \(samples, scores\), got shape \(2,\)"),
        ([[0.5, 0.5, 0]], "leaf_probabilities", r"expected 4 columns for leaf_probabilities \(one per leaf\), got 3"),
        (
            [[0.25, 0.25, 0.25, 0.25], [0.5, 0.25, 0.25, 0.1]],
            "leaf_probabilities",
            r"^scores, sample '1': expected leaf probabilities that sum to 1, got a sum of 1\.1\. Such rows .*: 1\..*parametris",
        ),
        (
            [[0.5, 0.5, 0, 0], [1.5, -0.5, 0, 0]],
            "leaf_probabilities",
            r"sample '1', column 'cat': expected a probability from 0 to 1, got 1\.5\. Such values .*: 2\..*parametrisation=",
        ),
        (
            [[0.1, 0.2, 0.3, -0.25, 0.5, 0.6]],
            "node_probabilities",
            r"sample '0', column 'bird': expected a probability from 0 to 1, got -0\.25",
        ),
        (
            [[1, 0.1, 0.2, 0.3, 1.25, 0.5, 0.6]],
            "node_probabilities",
            r"sample '0', column 'bird': expected a probability from 0 to 1, got 1\.25",
        ),
        ([[0, np.nan, 0, 0]], "leaf_probabilities", r"column 'dog': expected a probability from 0 to 1, got nan"),
        ([[0, 0, np.inf, 0]], "flat_softmax", r"column 'duck': expected a finite score, got inf\. .* Correct them"),
        ([[0, 0, 0, 0, np.nan, 0]], "conditional_softmax", r"column 'dog': expected a finite score, got nan"),
        ([[1j, 0, 0, 0]], "flat_softmax", r"expected real numbers, got values of type complex128\. Convert them"),
        ([["a", "b", "c", "d"]], "flat_softmax", r"expected real numbers, got values of type <U1"),
    ],
)
def test_bad_scores(taxonomy, scores, key, message):
    with pytest.raises(hv.PredictionsError, match=message):
        scored(taxonomy, np.array(scores), key)


def test_the_named_column_is_the_one_meant(taxonomy):
    rows = np.array([[0.5, 0.5, 0, 0], [0, 0, 2, 0]])
    with pytest.raises(hv.PredictionsError, match=r"sample 'b', column 'cat': .* got 2\.0"):
        scored(taxonomy, rows, scored_nodes=np.array([6, 5, 2, 3]), sample_ids=np.array(["a", "b"]))


def test_rounded_leaf_rows_pass(taxonomy):
    """2e-3 is allowed, more is not."""
    assert scored(taxonomy, np.array([[0.5, 0.25, 0.25, 0.0019], [0.5, 0.25, 0.2481, 0]])).n_samples == 2
    with pytest.raises(hv.PredictionsError, match=r"sum of 1\.0021"):
        scored(taxonomy, np.array([[0.5, 0.25, 0.25, 0.0021]]))


def test_a_bad_value_in_a_later_block_is_found(taxonomy, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_VALUES", 14)
    rows = np.full((9, 4), 0.25)
    rows[7, 3] = 0.3
    with pytest.raises(hv.PredictionsError, match=r"sample '7': .* sum of 1\.05"):
        scored(taxonomy, rows)
    rows[7, 3] = 3
    with pytest.raises(hv.PredictionsError, match=r"sample '7', column 'newt'"):
        scored(taxonomy, rows)


@pytest.mark.parametrize("truth", [["cat", "dog", "newt"], np.array([1.5, 2.0, 3.0]), [None, 2, 3]])
def test_truth_is_node_numbers(taxonomy, truth):
    """Names belong through Taxonomy.nodes, and 1.5 is no node: neither may be cast in silence or end in a bare error."""
    with pytest.raises(hv.PredictionsError, match=r"^truth: expected node numbers"):
        scored(taxonomy, truth=truth)


def test_an_id_that_is_there_twice_is_an_error(taxonomy):
    """Models and truths are met by ids: the second of two would get the truth of the first."""
    scores = np.full((3, 4), 0.25)
    for ids, twice in ((["a", "b", "a"], "'a'"), (np.array([1, 2, 2]), "'2'"), ([1, "1", "x"], "'1'")):
        expected = rf"^sample ids: expected every id once, got {twice} more than once\. Give every sample its own id"
        with pytest.raises(hv.PredictionsError, match=expected):
            hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", sample_ids=ids)
        with pytest.raises(hv.PredictionsError, match=expected):
            hv.Predictions.from_labels(taxonomy, [2, 3, 5], sample_ids=ids)
        with pytest.raises(hv.PredictionsError, match=expected):
            hv.Predictions.from_labels(taxonomy, [2, 3, 5]).replace(sample_ids=ids)
    made = hv.Predictions.from_labels(taxonomy, [2, 3, 5], sample_ids=["a", "b", "c"])
    assert made.replace(name="other").ids.tolist() == ["a", "b", "c"]
    with pytest.raises(hv.PredictionsError, match=r"^sample ids: expected 2 values \(one per sample\), got 3\."):
        made.replace(labels=hv.NodeLists.of([2, 3]))


@pytest.mark.parametrize("truth", [[[2], [-1], [3, 5]], [[2, -1], [-1, -1], [3, 5]], [[2], [], [-1, 3, 5]]])
def test_minus_1_in_a_list_of_truths_is_no_truth(taxonomy, truth):
    for given in (truth, hv.NodeLists.from_lists(truth)):
        made = hv.Predictions.from_labels(taxonomy, [[2], [3], [3]], truth=given)
        assert [one.tolist() for one in made.truth] == [[2], [], [3, 5]]
        assert made.has_truth.tolist() == [True, False, True]
        assert hv.evaluate(made)["models"][0]["n_samples"] == 2
    with pytest.raises(hv.PredictionsError, match=rf"^truth, row 1: {NODES} \(not known\), got -2\."):
        hv.Predictions.from_labels(taxonomy, [[2], [3], [3]], truth=[[2], [-2], [3]])


def test_a_text_is_called_by_its_first_words(taxonomy):
    words = ["A cat sat on a mat, and another one sat beside it for the whole of the afternoon.", "  "]
    p = np.full((2, taxonomy.n_leaves), 1 / taxonomy.n_leaves)
    found = hv.Predictions.from_scores(
        taxonomy, p, "leaf_probabilities", sample_ids=["0", "1"], attributes={"text": np.array(words, dtype=object)}
    )
    assert [found.called(row) for row in (0, 1)] == ["A cat sat on a mat, and another one sat beside it for the …", "1"]
