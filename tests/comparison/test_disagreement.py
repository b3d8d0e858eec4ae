"""Samples on which metrics or models disagree, and warnings about methods: by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.comparison.columns import columns_of
from hierviz.comparison.constants import constants
from hierviz.comparison.disagreement import SampleDisagreement, _column, _share_below, sample_metrics
from hierviz.evaluation.evaluation import NODE_COLUMNS
from hierviz.metrics.registry import METRICS
from hierviz.taxonomy.node_lists import NodeLists


@pytest.fixture
def models(taxonomy):
    """Two models on four samples: cat, cat, dog, duck."""
    truth = taxonomy.nodes("cat", "cat", "dog", "duck")
    a = [[0.9, 0.1, 0, 0], [0.4, 0.6, 0, 0], [0.2, 0.5, 0.3, 0], [0, 0, 0, 1]]
    b = [[0.9, 0.1, 0, 0], [0.8, 0.2, 0, 0], [0, 0.1, 0.9, 0], [0, 0, 0, 1]]
    return [
        hv.Evaluation.from_predictions(
            hv.Predictions.from_scores(taxonomy, np.array(p), "leaf_probabilities", truth=truth, name=name)
        )
        for name, p in (("a", a), ("b", b))
    ]


def test_models(models):
    """p of the truth: a 0.9, 0.4, 0.5, 0; b 0.9, 0.8, 0.1, 0. Cross entropy is lower where it is higher."""
    found = hv.comparison.models_on_samples(*models, "cross_entropy")
    assert found.labels == ("a", "b")
    assert found.difference[:3] == pytest.approx([0, np.log(0.4 / 0.8), np.log(0.5 / 0.1)])
    # Both are infinite on the last one.
    assert found.difference[3] == 0
    assert found.order.tolist() == [2, 1, 0, 3]
    assert found.sentence == "Of 4 samples 1 are better by a, 1 by b, and 2 are the same by both."
    assert found.to_frame(1)["sample_id"].tolist() == ["2"]
    # Without scores or with another name there is none.
    with pytest.raises(hv.PredictionsError, match="cross_entropi"):
        hv.comparison.models_on_samples(*models, "cross_entropi")


def test_metrics(models):
    """Two metrics of one model: shares of samples that are judged worse, ties counting half."""
    found = hv.comparison.metrics_on_samples(models[0], "correct", "softmax_win")
    # Majority answers: cat, dog, mammal (0.7 of it; dog has no more than 0.5), newt. Right, wrong, right, wrong.
    assert found.x.tolist() == [1, 0, 1, 0]
    # Wins: 0.95, 0.7, 0.6, 0: shares 7/8, 5/8, 3/8, 1/8; of correct 3/4, 1/4, 3/4, 1/4.
    assert found.y == pytest.approx([0.95, 0.7, 0.6, 0])
    assert found.difference == pytest.approx([-1 / 8, -3 / 8, 3 / 8, 1 / 8])
    assert found.order.tolist() == [1, 2, 0, 3]
    # Places among the samples are compared, not values: the first sample has 1 and 0.95, and another rank by each.
    assert found.sentence == (
        "Of 4 samples, each ranked by both metrics, 2 rank higher by Correct, 2 by Hierarchical win, and 0 have the same "
        "rank by both."
    )
    assert {"correct", "softmax_win", "tp"} <= set(sample_metrics(models[0]))


def test_order_of_samples_does_not_matter(models, taxonomy):
    a, b = (model.predictions.replace(sample_ids=np.array(list("wxyz"))) for model in models)
    order = np.array([2, 0, 3, 1])
    shuffled = b.replace(scores=b.scores[order], truth=b.truth[order], sample_ids=b.sample_ids[order])
    evaluated = [hv.Evaluation.from_predictions(part) for part in (a, b, shuffled)]
    one, other = (hv.comparison.models_on_samples(evaluated[0], part, "softmax_win") for part in evaluated[1:])
    assert np.array_equal(one.difference, other.difference)


def table(taxonomy, labels, truth):
    predictions = hv.Predictions.from_labels(taxonomy, labels, truth=truth, name="m")
    return hv.compare(predictions, metrics="confusion.f1,confusion.ppv,confusion.mcc", resamples=0)


def test_a_constant_answer_is_called_so(taxonomy):
    truth = taxonomy.nodes(*["cat"] * 10, *["dog", "duck", "newt"] * 2)
    found = table(taxonomy, np.full(16, taxonomy.node("cat")), truth)
    (warning, few, most) = found.warnings["m"]
    assert warning.startswith("Not better than a constant answer by F1 (nodes)")
    # Precision alone raises no alarm.
    assert "PPV" not in warning
    assert few == "Only 1 class is predicted; the truth has 4."
    assert most == "100.0 % of the answers are cat."
    assert table(taxonomy, truth, truth).warnings["m"] == []
    # What is perfect is no worse than a constant that is perfect too.
    same = taxonomy.nodes(*["cat"] * 12)
    assert table(taxonomy, same, same).warnings["m"] == []


def test_empty_answers_and_a_low_mcc(taxonomy):
    truth = taxonomy.nodes(*["cat", "dog", "duck", "newt"] * 3)
    labels = NodeLists.from_lists([[], [], [taxonomy.node("duck")], [taxonomy.node("newt")]] * 3)
    assert "6 of 12 answers are empty or the root alone." in table(taxonomy, labels, truth).warnings["m"]
    wrong = table(taxonomy, taxonomy.nodes(*["newt", "duck", "newt", "cat"] * 3), truth)
    assert any("contradict the truth" in warning for warning in wrong.warnings["m"])


def test_the_constant_of_a_column_is_its_own(taxonomy):
    truth = taxonomy.nodes("cat", "cat", "dog", "duck", "newt")
    model = hv.Evaluation.from_predictions(hv.Predictions.from_labels(taxonomy, truth, truth=truth))
    found = constants(model, columns_of(taxonomy, metrics="labels.micro_f1,labels.subset_accuracy"))
    # mammal: hits 3 of 5 + 9 nodes; cat: 2 + 3 of 10 + 9, 2 of 5 sets.
    assert found.answers["labels.micro_f1"] == "cat"
    assert found.values["labels.micro_f1"] == pytest.approx(2 * 5 / (10 + 9))
    assert found.values["labels.subset_accuracy"] == pytest.approx(2 / 5)


@many
@given(st.lists(st.sampled_from([-np.inf, -1.5, -0.0, 0.0, 0.25, 2.0, np.inf]), max_size=12))
def test_shares_below_count_ties_half(values):
    values = np.array(values, dtype=float)
    expected = [sum((other < value) + 0.5 * (other == value) for other in values) / len(values) for value in values]
    assert _share_below(values).tolist() == expected


@many
@given(st.lists(st.sampled_from([0.0, 0.25, -0.25, 1.0, float("nan")]), max_size=9), st.integers(0, 10))
def test_the_first_of_many_are_those_of_the_whole_order(gaps, most):
    gap, zeros = np.array(gaps, dtype=float), np.zeros(len(gaps))

    def found():
        ids = np.arange(len(gaps)).astype(str)
        return SampleDisagreement(("a", "b"), np.arange(len(gaps)), ids, zeros, zeros, gap)

    whole, some = found(), found().to_frame(most)
    assert some["sample_id"].astype(int).tolist() == whole.order[:most].tolist()
    known = [place for place in range(len(gaps)) if not np.isnan(gaps[place])]
    assert whole.order.tolist() == sorted(known, key=lambda place: -abs(gaps[place]))


def test_metrics_of_samples_are_the_columns_that_are_numbers(models, taxonomy):
    """Also of labels, of sets, and of a graph."""
    truth = taxonomy.nodes("cat", "duck")
    labels = hv.Predictions.from_labels(taxonomy, taxonomy.nodes("dog", "mammal"), truth=truth)
    lists = hv.Predictions.from_labels(taxonomy, NodeLists.from_lists([[3], [1, 4]]), truth=truth)
    graph = hv.Taxonomy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    of_graph = hv.Predictions.from_labels(graph, graph.nodes("d", "b"), truth=graph.nodes("d", "c"))
    further = map(hv.Evaluation.from_predictions, (labels, lists, of_graph))
    for model, rules in (
        (models[0], ("majority", "leaf", "darts", "threshold_set")),
        *((one, ("majority",)) for one in further),
    ):
        for rule in rules:
            columns = model.per_sample(rule, 0.3)
            left_out = ("row", "sample_id", "p_truth", *NODE_COLUMNS)
            numbers = [key for key in columns if key in METRICS and key not in left_out]
            assert sample_metrics(model, rule, 0.3) == numbers
            assert numbers


def test_single_numbers_are_those_of_all_columns(models):
    for model in models:
        for rule in ("majority", "threshold"):
            whole = model.per_sample(rule, 0.3)
            for key in sample_metrics(model, rule, 0.3):
                np.testing.assert_array_equal(_column(model, key, {"rule": rule, "threshold": 0.3}), whole[key])
