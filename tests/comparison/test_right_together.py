"""Which models are right together against counting by hand, and the filters that follow."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.comparison import right_together
from tests.comparison.paired_worlds import grid, labelled

RIGHT = np.array([[1, 1, 0, 0, 1, 0], [1, 0, 0, 1, 1, 0], [1, 0, 0, 0, 0, 0]], dtype=bool)


@pytest.fixture
def models():
    taxonomy = grid()
    truth = taxonomy.leaves[[0, 5, 9, 13, 20, 26]]
    ids = np.array([f"s{k}" for k in range(6)])
    return [labelled(taxonomy, truth, right, name, sample_ids=ids) for right, name in zip(RIGHT, "ABC")]


def test_combinations_by_hand(models):
    found = right_together(models)
    members, counts = found.combinations
    assert dict(zip(map(tuple, members.tolist()), counts.tolist())) == {
        (False, False, False): 2,
        (True, True, False): 1,
        (True, True, True): 1,
        (True, False, False): 1,
        (False, True, False): 1,
    }
    assert found.select("none").tolist() == [2, 5]
    assert found.select("all").tolist() == [0]
    assert found.select("only:A").tolist() == [1]
    assert found.select("only:C").tolist() == []
    assert found.places([True, True, False]).tolist() == [4]
    assert found.sentence == (
        "No model is right on 2 of 6 samples (33 %); all are right on 1 of 6 samples (17 %). A is most often the only right one: "
        "1 sample."
    )
    assert found.to_frame()["samples"].sum() == 6
    with pytest.raises(hv.PredictionsError, match="right: expected one of"):
        found.select("only:D")


def test_filters_of_every_model(models):
    found = right_together({"a": models[0], "b": models[1], "c": models[2]})
    chosen = hv.diagnosis.SampleFilter(right=found.samples("only:b"))
    for model in models:
        answers = hv.evaluation.judged_answers(model)
        assert np.flatnonzero(hv.diagnosis.filtered(answers, chosen)).tolist() == [3]
    # Samples are met by their ids in a model with another order.
    order = np.array([3, 5, 0, 1, 2, 4])
    first = models[0]
    turned = hv.Predictions.from_labels(
        first.taxonomy, first.labels.take(order), truth=first.truth[order], sample_ids=first.sample_ids[order]
    )
    kept = hv.diagnosis.filtered(hv.evaluation.judged_answers(turned), chosen)
    assert np.flatnonzero(kept).tolist() == [0]
    again = hv.diagnosis.SampleFilter(
        right=right_together({"a": models[0], "b": models[1], "c": models[2]}).samples("only:b")
    )
    assert again == chosen
    assert hash(again) == hash(chosen)
    assert chosen != hv.diagnosis.SampleFilter(right=found.samples("none"))


def test_runs_vote(models):
    a, b, c = (one.replace(name="M") for one in models)
    found = right_together([[a, b, c], models[0]])
    assert found.is_right[0].tolist() == [True, False, False, False, True, False]
    assert found.share[0].tolist() == pytest.approx([1, 1 / 3, 0, 1 / 3, 2 / 3, 0])


def test_against_two_by_two(models):
    found = hv.comparison.two_by_two(models[0], models[1])
    together = right_together(models[:2])
    for members, cell in (([1, 1], ("right", "right")), ([1, 0], ("right", "wrong")), ([0, 0], ("wrong", "wrong"))):
        assert together.places(members).tolist() == found.places(*cell).tolist()


def test_too_many_and_none():
    with pytest.raises(hv.PredictionsError, match="1 to 60"):
        right_together([])


def test_other_truths_and_other_taxonomies_are_refused(taxonomy):
    cats, dogs = (
        hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat", "dog"), truth=taxonomy.nodes(*truth))
        for truth in (("cat", "dog"), ("dog", "dog"))
    )
    with pytest.raises(hv.PredictionsError, match=r"^models: expected models with the same truth, got others"):
        hv.comparison.right_together([cats, dogs])
    other = hv.Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    here = hv.Predictions.from_labels(other, other.nodes("cat", "dog"), truth=other.nodes("cat", "dog"))
    with pytest.raises(hv.PredictionsError, match=r"^models: expected models of one taxonomy, got two"):
        hv.comparison.right_together([cats, here])
