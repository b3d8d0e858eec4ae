"""Where answers leave the path: by hand, against plain loops, and as filters of samples."""

import naive
import numpy as np
import pytest
from hypothesis import given
from strategies import many, pairs

import hierviz as hv
from hierviz.diagnosis import departures
from hierviz.diagnosis._departures import WAYS, departure_filter
from hierviz.evaluation import judged_answers


def labels(taxonomy, answers, truth):
    return hv.Predictions.from_labels(taxonomy, answers, truth=truth, name="A")


def test_by_hand(taxonomy):
    """Level 1: of 6 samples (a truth at the root is none) 4 are right; the root stops; newt for duck goes wrong.

    Level 2: cat, dog, duck and a truth of mammal share their class at level 1; the truth mammal ends there. Right: cat. Stops:
    mammal for dog. Wrong: none; bird for duck stops.
    """
    truth = taxonomy.nodes("cat", "dog", "duck", "mammal", "cat", "duck", "animal")
    answers = taxonomy.nodes("cat", "mammal", "bird", "dog", "animal", "newt", "cat")
    found = departures(labels(taxonomy, answers, truth))
    assert found.level.tolist() == [1, 2]
    assert found.n.tolist() == [6, 3]
    assert found.right.tolist() == [4, 1]
    assert found.stopped.tolist() == [1, 2]
    assert found.wrong.tolist() == [1, 0]
    assert found.share("right").tolist() == pytest.approx([4 / 6, 1 / 3])
    assert (
        found.sentence
        == "1 of 1 wrong answers leave the path at level 1, 2 of 3 answers that stop early stop at level 2."
    )
    assert found.to_frame()["samples"].tolist() == [6, 3]


def test_a_truth_at_the_root_comes_nowhere(taxonomy):
    assert len(departures(labels(taxonomy, taxonomy.nodes("cat"), taxonomy.nodes("animal")))) == 0


@many
@given(pairs(n=12))
def test_against_plain_loops(case):
    graph, taxonomy, truth, said = case
    answers = judged_answers(labels(taxonomy, said, truth))
    found = departures(answers)
    counts = {way: {} for way in WAYS}
    for y, answer in zip(truth.tolist(), said.tolist()):
        true, own = naive.path(graph, y), naive.path(graph, answer)
        for level in range(1, len(true)):
            if own[:level] != true[:level]:
                break
            way = "stopped" if len(own) == level else "right" if own[level] == true[level] else "wrong"
            counts[way][level] = counts[way].get(level, 0) + 1
    for way in WAYS:
        assert {k: n for k, n in zip(found.level.tolist(), getattr(found, way).tolist()) if n} == counts[way]
        # The filter of the address leaves as many samples.
        for level, n in zip(found.level.tolist(), getattr(found, way).tolist()):
            assert int(hv.diagnosis.filtered(answers, departure_filter(level, way)).sum()) == n
    assert (found.n == found.right + found.stopped + found.wrong).all()
    outcomes = [naive.outcome(graph, y, answer) for y, answer in zip(truth.tolist(), said.tolist())]
    assert found.wrong.sum() == outcomes.count("wrong")
    assert found.stopped.sum() == outcomes.count("coarse") + outcomes.count("no_answer")


def test_what_is_refused(taxonomy):
    with pytest.raises(hv.PredictionsError, match="way: expected one of right, stopped, wrong"):
        departure_filter(1, "left")
    with pytest.raises(hv.PredictionsError, match="level"):
        departure_filter(0, "wrong")
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    with pytest.raises(hv.TaxonomyError, match="tree"):
        departures(labels(graph, graph.nodes("c"), graph.nodes("c")))
    sets = hv.Predictions.from_scores(
        taxonomy, np.full((1, 4), 0.25), "leaf_probabilities", truth=taxonomy.nodes("cat")
    )
    with pytest.raises(hv.PredictionsError, match="one true class and one answer per sample"):
        departures(sets, "threshold_set")
