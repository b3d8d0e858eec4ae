"""The sixteen path metrics against `naive`, by hand, and the identities between them."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from strategies import many

import hierviz as hv
from hierviz.metrics.path import PARTS, path_metrics, truncate
from hierviz.metrics.registry import path_keys


@many
@given(strategies.pairs())
def test_against_naive(case):
    graph, taxonomy, truth, predicted = case
    both = list(zip(truth.tolist(), predicted.tolist()))
    assert truncate(taxonomy, truth, predicted).tolist() == [naive.truncate(graph, y, q) for y, q in both]
    for truncated in (True, False):
        found = path_metrics(taxonomy, truth, predicted, truncated=truncated)
        expected = [naive.path_metrics(graph, y, q, truncated) for y, q in both]
        assert tuple(found) == (*path_keys(), *PARTS)
        assert set(found) == set(expected[0])
        for key in (*path_keys(), *PARTS):
            np.testing.assert_allclose(found[key], [one[key] for one in expected], atol=1e-12, err_msg=key)
            assert found[key].dtype == np.float64


@many
@given(strategies.pairs())
def test_identities(case):
    _, taxonomy, truth, predicted = case
    there, back = (path_metrics(taxonomy, a, b, truncated=False) for a, b in ((truth, predicted), (predicted, truth)))
    for value in ("info", "depth"):
        # 0/0 is 1 on both sides, so swapping truth and answer swaps precision and recall.
        np.testing.assert_array_equal(there[f"{value}_precision"], back[f"{value}_recall"])
        np.testing.assert_array_equal(there[f"{value}_dist"], back[f"{value}_dist"])
        np.testing.assert_array_equal(there[f"{value}_excess"], back[f"{value}_deficient"])
    cut = truncate(taxonomy, truth, predicted)
    np.testing.assert_array_equal(truncate(taxonomy, truth, cut), cut)
    once, twice = (path_metrics(taxonomy, truth, answer) for answer in (predicted, cut))
    for key in (*path_keys(), *PARTS):
        # Coverage is what the answer claims, also below the truth.
        if key != "selective_coverage":
            np.testing.assert_array_equal(once[key], twice[key])
    other = path_metrics(taxonomy, predicted, predicted)
    np.testing.assert_array_equal(once["selective_coverage"], other["selective_coverage"])
    assert (once["exact"] <= once["correct"]).all()
    assert not np.signbit(np.concatenate(list(once.values()))).any()


@pytest.mark.parametrize(
    ("truth", "predicted", "expected"),
    [
        # lca mammal, 1 of 2 bits and 1 of 2 edges on both sides; distance 2 + 2 - 2.
        (
            "cat",
            "dog",
            {"exact": 0, "correct": 0, "info_precision": 0.5, "info_recall": 0.5, "info_f1": 0.5, "info_dist": 2},
        ),
        (
            "cat",
            "dog",
            {"depth_precision": 0.5, "depth_recall": 0.5, "depth_dist": 2, "depth_excess": 1, "depth_deficient": 1},
        ),
        # An ancestor: all that is said is right, half of the truth is missing. F1 = 2 (1)(1/2) / (3/2).
        (
            "cat",
            "mammal",
            {"exact": 0, "correct": 1, "info_precision": 1, "info_recall": 0.5, "info_f1": 2 / 3, "info_dist": 1},
        ),
        # Below the truth: cut back to it.
        (
            "mammal",
            "cat",
            {"exact": 1, "correct": 1, "info_precision": 1, "info_recall": 1, "depth_f1": 1, "depth_dist": 0},
        ),
        # Only the root is shared; newt is at depth 1 but has all 2 bits.
        (
            "newt",
            "dog",
            {"correct": 0, "info_precision": 0, "info_recall": 0, "info_f1": 0, "info_dist": 4, "depth_dist": 3},
        ),
        # The root claims nothing: precision 0/0 = 1.
        (
            "duck",
            "animal",
            {"correct": 1, "info_precision": 1, "info_recall": 0, "info_f1": 0, "depth_precision": 1, "info_lca": 0},
        ),
        # Truth at the root: everything lies below it.
        (
            "animal",
            "duck",
            {"exact": 1, "correct": 1, "info_recall": 1, "info_precision": 1, "info_f1": 1, "depth_dist": 0},
        ),
        # An only child's parent knows as much as the child: no bit is missing, one edge is.
        (
            "duck",
            "bird",
            {"exact": 0, "correct": 1, "info_recall": 1, "info_dist": 0, "depth_recall": 0.5, "depth_deficient": 1},
        ),
    ],
)
def test_by_hand(taxonomy, truth, predicted, expected):
    found = path_metrics(taxonomy, taxonomy.nodes(truth), taxonomy.nodes(predicted))
    for key, value in expected.items():
        assert found[key][0] == pytest.approx(value, abs=1e-12), key


def test_untruncated_by_hand(taxonomy):
    found = path_metrics(taxonomy, taxonomy.nodes("mammal"), taxonomy.nodes("cat"), truncated=False)
    assert {key: value[0] for key, value in found.items() if key.startswith("info") or "_" not in key} == {
        "exact": 0,
        "correct": 1,
        "info_precision": 0.5,
        "info_recall": 1,
        "info_f1": pytest.approx(2 / 3),
        "info_dist": 1,
        "info_excess": 1,
        "info_deficient": 0,
        "info_lca": 1,
    }


@pytest.mark.parametrize("function", [path_metrics, truncate])
@pytest.mark.parametrize(
    ("truth", "predicted", "message"),
    [
        ([1, 2], [1], r"^truth and predicted: expected two arrays of one length, got shapes \(2,\) and \(1,\)"),
        ([[1]], [[1]], r"expected two arrays of one length, got shapes \(1, 1\)"),
        ([-1, 2], [1, 1], r"^truth: expected node numbers from 0 to 6, got .*-1.* to .*2.*Use Taxonomy\.nodes"),
        ([1], [7], r"^predicted: expected node numbers from 0 to 6"),
        ([1.0], [1], r"^truth: expected node numbers from 0 to 6, .*\(float64\)"),
    ],
)
def test_errors(taxonomy, function, truth, predicted, message):
    with pytest.raises(hv.PredictionsError, match=message):
        function(taxonomy, np.array(truth), np.array(predicted))


def test_messages_show_plain_numbers(taxonomy):
    with pytest.raises(hv.PredictionsError, match=r"from 0 to 6, got -1 to 2 "):
        path_metrics(taxonomy, np.array([-1, 2]), np.array([1, 1]))


def test_trees_only():
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    for function in (path_metrics, truncate):
        with pytest.raises(hv.TaxonomyError, match=r"expected a tree, got 'c' with 2 parents"):
            function(graph, np.array([3]), np.array([1]))


def test_no_samples(taxonomy):
    nothing = np.empty(0, dtype=int)
    assert all(len(values) == 0 for values in path_metrics(taxonomy, nothing, nothing).values())
