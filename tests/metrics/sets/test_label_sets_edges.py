"""The edge cases of the metrics of Plaud et al., CoNLL 2024, worked by hand, and what is refused.

animal > mammal > (cat, dog); animal > bird > duck; animal > newt. 4 leaves, 6 nodes without the root. Bits beyond the
parent: mammal 1, cat 1, dog 1, bird 2, duck 0 (an only child), newt 2.
"""

import tracemalloc

import numpy as np
import pytest
from compare import family, macro_f1_by_train_count
from sample_curves import curve_areas, sample_curve, set_information, set_metrics_by_threshold

import hierviz as hv
from hierviz.inference.rules import threshold_set
from hierviz.messages.errors import PredictionsError, TaxonomyError
from hierviz.metrics.parts import ByNode, Mean, OfSums, Total
from hierviz.metrics.registry import LABEL_METRICS, METRICS, OPTIMAL_SET_METRICS, keys_of
from hierviz.metrics.sets.expected_sets import expected_by_threshold, expected_hf1
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.metrics.sets.node_sets import closed_lists, node_weights
from hierviz.metrics.sets.set_curves import SetMetricsByThreshold
from hierviz.taxonomy.taxonomy import NodeLists


def lists(taxonomy, *texts):
    """'cat;?' is the node cat and one label outside."""
    return NodeLists.from_lists(
        [-1 if one == "?" else taxonomy.node(one) for one in text.split(";") if one] for text in texts
    )


def judged(taxonomy, predicted, truth, **more):
    counts = LabelSetCounts(taxonomy)
    counts.add_lists(lists(taxonomy, *truth), lists(taxonomy, *predicted), **more)
    return counts


def row(taxonomy, **scores):
    p = np.zeros((1, taxonomy.n_nodes))
    p[0, 0] = 1
    p[0, taxonomy.nodes(*scores)] = list(scores.values())
    return p


def test_empty_prediction(taxonomy):
    counts = judged(taxonomy, ["", "animal"], ["cat", "cat"])
    found = counts.summary()
    assert found["n_empty"] == 2  # the root is not counted
    assert [found[key] for key in ("micro_precision", "micro_recall", "micro_f1", "hf1_samples", "hf1_micro")] == [
        0
    ] * 5
    assert (found["hp_samples"], found["hr_samples"], found["ihf1_samples"]) == (1, 0, 0)
    assert family(counts)["precision_samples_empty0"] == 0
    assert family(counts, "information")["precision_samples_empty1"] == 1
    assert found["n_incoherent"] == 0
    assert found["hamming_loss"] == 4 / 12


def test_no_sample_is_the_same_however_it_was_added(taxonomy):
    """Micro numbers are 0 where undefined, means over nothing None."""
    nothing, bare = np.zeros(0, dtype=int), LabelSetCounts(taxonomy)
    by_lists, by_scores, compiled = judged(taxonomy, [], []), LabelSetCounts(taxonomy), LabelSetCounts(taxonomy)
    by_scores.add(nothing, np.zeros((0, taxonomy.n_nodes)))
    compiled.add_block(nothing, lists(taxonomy), np.zeros((3, 0)))
    found = bare.summary()
    assert by_lists.summary() == by_scores.summary() == compiled.summary() == found
    assert found["micro_f1"] == found["hf1_micro"] == found["ihf1_micro"] == 0
    assert found["hf1_samples"] is found["hamming_loss"] is found["hf1_auc"] is None


def test_label_outside_the_taxonomy(taxonomy):
    """A kept empty field: one false positive, one claimed node, the 2 bits of a leaf; no node of a macro mean."""
    found = judged(taxonomy, ["mammal;cat;?"], ["cat"]).summary()
    clean = judged(taxonomy, ["mammal;cat"], ["cat"]).summary()
    assert found["micro_precision"] == found["hp_samples"] == pytest.approx(2 / 3)
    assert found["micro_f1"] == found["hf1_samples"] == found["c_f1_micro"] == found["c_f1_micro_strict"] == 0.8
    assert found["ihf1_samples"] == pytest.approx(2 * 2 / (4 + 2))
    assert found["hamming_loss"] == 1 / 6
    for key in ("macro_f1", "macro_f1_supported", "c_f1_macro", "n_incoherent", "n_empty", "macro_f1_by_depth"):
        assert found[key] == clean[key], key

    alone = judged(taxonomy, ["?", "?;?"], ["cat", "cat"])
    assert alone.summary()["n_empty"] == alone.summary()["n_incoherent"] == 0
    assert alone.summary()["hp_samples"] == 0
    assert alone.per_sample()["n_predicted"].tolist() == [1, 2]
    hard = judged(taxonomy, ["?"], ["cat"], is_hard=True)
    assert hard.per_sample()["n_predicted"].sum() - hard.n_predicted.sum() == 1


def test_truth_at_an_inner_node(taxonomy):
    found = judged(taxonomy, ["mammal;cat"], ["mammal"]).summary()
    assert (found["hp_samples"], found["hr_samples"], found["hf1_samples"]) == (0.5, 1, pytest.approx(2 / 3))


def test_truth_at_the_root(taxonomy):
    """Nothing to find: recall 1, F1 0, no area; the other samples' mean area is kept."""
    counts = LabelSetCounts(taxonomy)
    p = np.vstack([row(taxonomy, mammal=1.0), row(taxonomy, newt=0.75)])
    counts.add(taxonomy.nodes("animal", "newt"), p)
    found, per_sample = counts.summary(), counts.per_sample()
    assert per_sample["hr_samples"].tolist() == [1, 1]
    assert per_sample["hf1_samples"].tolist() == [0, 1]
    assert np.isnan(per_sample["hf1_auc"][0])
    assert found["hf1_auc"] == found["ihf1_auc"] == found["hf1_auc_raw"] == 1
    nothing = LabelSetCounts(taxonomy)
    nothing.add(np.array([0, 0]), p)
    assert nothing.summary()["hf1_auc"] is None
    assert nothing.summary()["macro_f1_supported"] is None
    assert nothing.summary()["micro_recall"] == 0
    assert len(sample_curve(taxonomy, 0, p[0]).size) == 1


def test_multi_path_truth(taxonomy):
    found = judged(taxonomy, ["mammal;cat;newt"], ["cat;duck"]).summary()
    assert (found["hp_samples"], found["hr_samples"]) == (pytest.approx(2 / 3), 0.5)
    # Bits: shared 2, claimed 4, due 2 + 2.
    assert found["ihf1_samples"] == 0.5


def test_only_child_is_free(taxonomy):
    """bird and duck carry the same information: stopping at bird costs a node, no bits."""
    found = judged(taxonomy, ["bird"], ["duck"]).summary()
    assert found["hf1_samples"] == pytest.approx(2 / 3)
    assert found["ihf1_samples"] == 1
    assert node_weights(taxonomy, "information").tolist() == [0, 1, 1, 1, 2, 0, 2]
    curve = sample_curve(taxonomy, taxonomy.node("duck"), row(taxonomy, bird=0.5, duck=0.1)[0], weight="information")
    assert curve.size.tolist() == [0, 1]  # all bits are there with bird


def test_a_tree_without_information():
    """A chain has one leaf: every set weighs 0 bits and counts as empty; nodes still count."""
    chain = hv.Taxonomy.from_edges([("a", "b"), ("b", "c")])
    counts = LabelSetCounts(chain)
    counts.add(chain.nodes("c"), np.array([[1, 0.9, 0.4]]))
    found = counts.summary()
    assert (found["ihf1_samples"], found["ihf1_micro"], found["ihf1_auc"]) == (0, 0, None)
    assert (found["hf1_samples"], found["hf1_auc"]) == (pytest.approx(2 / 3), 1)
    assert family(counts, "information")["precision_samples_empty1"] == 1


def test_depth_1_leaf_and_ties_across_depths(taxonomy):
    p = row(taxonomy, newt=0.5, mammal=0.5, cat=0.5)
    assert curve_areas(taxonomy, taxonomy.nodes("newt"), p)["hf1_auc"][0] == pytest.approx((1 + 1 / 3) / 2)
    assert curve_areas(taxonomy, taxonomy.nodes("cat"), p)["hf1_auc"][0] == pytest.approx((1 + 2 / 3) / 2)


def test_true_score_exactly_0(taxonomy):
    curve = sample_curve(taxonomy, taxonomy.node("cat"), row(taxonomy, mammal=0.5, dog=0.5)[0])
    assert curve.threshold[1:].tolist() == [0.5, 0.0]
    assert curve.size.tolist() == [0, 2, 6]
    assert curve.recall.tolist() == [0, 0.5, 1]
    assert curve.area == pytest.approx(0.25 * (1 + 0.5) + 0.25 * (0.5 + 1 / 3))


def test_all_scores_equal(taxonomy):
    p = np.full((1, taxonomy.n_nodes), 0.25)
    areas = curve_areas(taxonomy, taxonomy.nodes("newt"), p)
    assert areas["hf1_auc"][0] == areas["hf1_auc_raw"][0] == pytest.approx((1 + 1 / 6) / 2)
    assert areas["ihf1_auc"][0] == pytest.approx((1 + 2 / 7) / 2)


def test_exactly_the_threshold_is_not_predicted(taxonomy):
    p = row(taxonomy, mammal=0.5, cat=0.5)
    assert len(threshold_set(taxonomy, p, 0.5)[0]) == 0
    assert threshold_set(taxonomy, p, 0.4)[0].tolist() == taxonomy.nodes("mammal", "cat").tolist()
    assert threshold_set(taxonomy, p, 0)[0].tolist() == taxonomy.nodes("mammal", "cat").tolist()
    assert set_metrics_by_threshold(taxonomy, taxonomy.nodes("cat"), p, [0.5, 0.4])["n_empty"].tolist() == [1, 0]
    counts = LabelSetCounts(taxonomy, 0.5)
    counts.add(taxonomy.nodes("cat"), p)
    assert counts.summary()["n_empty"] == 1


def test_float32_is_compared_as_float64(taxonomy):
    """float32(0.1) is above 0.1: a comparison in float32 would lose the node."""
    p = row(taxonomy, newt=0.1).astype(np.float32)
    counts = LabelSetCounts(taxonomy, 0.1)
    counts.add(taxonomy.nodes("newt"), p)
    assert len(threshold_set(taxonomy, p, 0.1)[0]) == 1
    assert counts.summary()["micro_f1"] == 1
    assert counts.summary()["n_incoherent"] == 0
    assert set_metrics_by_threshold(taxonomy, taxonomy.nodes("newt"), p, [0.1])["n_empty"][0] == 0


def test_leaves_that_do_not_sum_to_1(taxonomy):
    """The root holds the sum of the row, which plays no part; expected F1 divides by it."""
    p = hv.node_probabilities(taxonomy, np.array([[0.5, 0.1, 0.1, 0.1]]), "leaf_probabilities")
    counts = LabelSetCounts(taxonomy)
    counts.add(taxonomy.nodes("cat"), p)
    assert counts.summary()["hf1_samples"] == pytest.approx(2 / 3)
    sets = expected_by_threshold(taxonomy, p[0])
    scaled = expected_by_threshold(taxonomy, p[0] / 0.8)
    np.testing.assert_allclose(sets.expected, scaled.expected)
    assert [taxonomy.names[i] for i in sets.nodes(sets.best)] == ["mammal", "cat"]
    with pytest.raises(PredictionsError, match="row 0: expected a leaf with a probability above 0"):
        expected_by_threshold(taxonomy, row(taxonomy, mammal=0.5)[0])


def test_expected_hf1_of_labels_outside(taxonomy):
    p = row(taxonomy, mammal=1.0, cat=1.0)
    assert expected_hf1(taxonomy, p[0], lists(taxonomy, "cat;?"))[0] == pytest.approx(0.8)
    assert expected_hf1(taxonomy, p[0], lists(taxonomy, "", "cat", "?")).tolist() == [0, 1, 0]


def test_certain_sample_has_no_empty_set(taxonomy):
    sets = expected_by_threshold(taxonomy, row(taxonomy, mammal=1.0, cat=0.75, dog=0.25)[0])
    assert sets.size.tolist() == [1, 2, 3]
    assert sets.threshold_below[0] == 1
    assert sets.threshold_from.tolist() == [0.75, 0.25, 0]


def test_nodes_without_samples_cap_the_macro(taxonomy):
    """Every sample right, two of six nodes seen: macro 1/3, supported 1."""
    counts = judged(taxonomy, ["mammal;cat"], ["cat"])
    found = counts.summary()
    assert (found["macro_f1"], found["macro_f1_supported"]) == (pytest.approx(1 / 3), 1)
    assert found["macro_f1_by_depth"]["1"] == {"macro_f1": pytest.approx(1 / 3), "macro_f1_supported": 1, "n_nodes": 3}
    assert found["macro_f1_by_depth"]["2"] == {"macro_f1": pytest.approx(1 / 3), "macro_f1_supported": 1, "n_nodes": 3}
    by_count = macro_f1_by_train_count(counts, [9, 5, 5, 0, 0, 0, 0], 2)
    assert by_count["edges"] == [0]
    assert [one["n_nodes"] for one in by_count["bins"]] == [4, 2]
    assert [one["macro_f1"] for one in by_count["bins"]] == [0, 1]
    assert by_count["bins"][0]["macro_f1_supported"] is None


def test_graph_with_two_parents():
    """bat has two parents: it needs both, and claims both."""
    graph = hv.Taxonomy.from_edges([("all", "mammal"), ("all", "flyer"), ("mammal", "bat"), ("flyer", "bat")])
    counts = LabelSetCounts(graph)
    counts.add_lists(graph.nodes("bat"), lists(graph, "mammal;bat"))
    found = counts.summary()
    assert (found["n_incoherent"], found["hf1_samples"], found["micro_recall"]) == (1, 1, pytest.approx(2 / 3))
    assert (found["c_f1_micro"], found["c_f1_micro_strict"]) == (0.5, pytest.approx(0.4))
    for key in ("ihf1_samples", "ihf1_micro", "ihf1_auc", "macro_f1_by_depth"):
        assert found[key] is None
    assert "ihf1_samples" not in counts.per_sample()
    by_scores = LabelSetCounts(graph)
    by_scores.add(graph.nodes("bat"), np.array([[1, 0.9, 0.2, 0.8]]))
    assert by_scores.summary()["hf1_auc"] == 1
    assert by_scores.summary()["hf1_auc_raw"] == 1
    assert by_scores.summary()["ihf1_auc"] is None
    with pytest.raises(TaxonomyError, match="expected a tree, got 'bat' with 2 parents"):
        set_information(graph, graph.nodes("bat"))


def test_no_sample(taxonomy):
    counts = LabelSetCounts(taxonomy)
    counts.add(np.empty(0, dtype=int), np.empty((0, taxonomy.n_nodes)))
    counts.add_lists(NodeLists.from_lists([]), NodeLists.from_lists([]))
    found = counts.summary()
    keys = keys_of("labels", Mean, Total, OfSums, ByNode)
    assert tuple(found) == tuple(key for key in keys if key not in OPTIMAL_SET_METRICS)
    assert (found["hf1_samples"], found["hamming_loss"], found["n_empty"]) == (None, None, 0)
    counts.add([], np.empty((0, taxonomy.n_nodes)))
    assert np.isnan(SetMetricsByThreshold(taxonomy, [0.5]).table()["hp"]).all()
    assert len(curve_areas(taxonomy, np.empty(0, dtype=int), np.empty((0, 7)))["hf1_auc"]) == 0


def test_repeated_labels_count_once(taxonomy):
    assert (
        judged(taxonomy, ["cat;mammal;cat"], ["cat"]).summary() == judged(taxonomy, ["mammal;cat"], ["cat"]).summary()
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t, c: c.add(np.array([1, 1]), np.ones((2, 3))), r"p: expected shape \(n_samples, 7\), got \(2, 3\)"),
        (lambda t, c: c.add(np.array([1]), np.ones((2, 7))), "truth: expected 2 values .*, got 1. Align the rows"),
        (lambda t, c: c.add(np.array([-1]), np.ones((1, 7))), "truth: expected node numbers from 0 to 6, got .*-1"),
        (lambda t, c: c.add(np.array([1.0]), np.ones((1, 7))), "truth: expected node numbers"),
        (lambda t, c: c.add_lists(np.array([7]), lists(t, "cat")), "truth: expected node numbers from 0 to 6"),
        (
            lambda t, c: c.add_lists(np.array([1]), NodeLists.from_lists([[7]])),
            r"predicted: expected node numbers from 0 to 6, or -1 \(outside the taxonomy\), got 7",
        ),
        (lambda t, c: c.add_lists(np.array([1]), lists(t, "cat", "dog")), "expected 2 values"),
        (lambda t, c: LabelSetCounts(t, 1.5), "threshold: expected a number from 0 to 1"),
        (lambda t, c: threshold_set(t, np.ones((1, 7)), None), "threshold: expected a number from 0 to 1"),
        (lambda t, c: SetMetricsByThreshold(t, [0.5, 2]), "threshold: expected a number from 0 to 1"),
        (lambda t, c: closed_lists(t, np.array([-1])), "expected node numbers from 0"),
        (lambda t, c: node_weights(t, "bits"), "weight: expected 'nodes' or 'information', got 'bits'"),
    ],
)
def test_refused(taxonomy, call, message):
    with pytest.raises(PredictionsError, match=message):
        call(taxonomy, LabelSetCounts(taxonomy))


def test_texts():
    """Every key has a text, and no text is without a key."""
    labels = {key for key, entry in LABEL_METRICS.items() if entry.block == "labels"}
    optimal = {"hf_beta_samples", "hf_beta_expected"}
    assert set(OPTIMAL_SET_METRICS) == optimal
    assert labels | optimal == set(keys_of("labels", Mean, Total, OfSums, ByNode))
    assert not labels & optimal
    assert all(METRICS[key].sentence.endswith(".") for key in optimal)
    others = {key: entry for key, entry in METRICS.items() if entry is not LABEL_METRICS.get(key)}
    assert not set(others) & set(LABEL_METRICS)
    for key, entry in LABEL_METRICS.items():
        assert entry.key == key
        assert entry.sentence.endswith(".")
        assert entry.better in ("higher", "lower", "neither")
        assert entry.tree_only == (
            key in ("ihf1_samples", "ihf1_micro", "ihf1_auc", "macro_f1_by_depth", "ihf1", "icm", "icm_norm")
        )


@pytest.mark.long
def test_large_input_keeps_little():
    """300 rows of 16,344 nodes: beside the block itself, a few work arrays of 4 MB."""
    n_nodes = 16_344
    rng = np.random.default_rng(0)
    parent = [f"n{rng.integers(max(0, i // 4 - 40), max(1, i // 2))}" for i in range(1, n_nodes)]
    taxonomy = hv.Taxonomy.from_edges((a, f"n{i}") for i, a in enumerate(parent, 1))
    p, truth = rng.random((300, n_nodes)), rng.choice(taxonomy.leaves, 300)
    counts = LabelSetCounts(taxonomy)
    counts.add(truth[:1], p[:1])
    tracemalloc.start()
    counts.add(truth, p)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6, f"{peak / 1e6:.0f} MB beside {p.nbytes / 1e6:.0f} MB of scores"
    assert counts.summary()["n_incoherent"] > 0
