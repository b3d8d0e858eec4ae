"""Answers that change between thresholds, rules and models: by hand, and against the answers to one sample at a time."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.comparison import answer_changes
from hierviz.comparison._answer_changes import STATES
from tests.comparison.paired_worlds import labelled

# Rows of the leaves cat dog duck newt, and their truth.
TRUTH = ("cat", "cat", "dog", "duck", "newt", "mammal")
P = np.array([[7, 2, 1, 0], [4, 5, 1, 0], [1, 1, 2, 6], [1, 1, 7, 1], [2, 2, 2, 4], [8, 1, 1, 0]]) / 10


@pytest.fixture
def scores(taxonomy):
    return hv.Predictions.from_scores(taxonomy, P, "leaf_probabilities", truth=taxonomy.nodes(*TRUTH), name="A")


def test_thresholds_by_hand(scores, taxonomy):
    """From .45 to .75.

    0: cat (.7) to mammal (.9) at .7: exact to coarse. 1: dog (.5) to mammal (.9) at .5: wrong below mammal to coarse.
    2: newt (.6) to the root at .6: wrong from the first step to no answer. 3: duck (.7) to the root at .7: exact to no answer.
    4: no leaf is above .45: the root at both. 5: cat (.8) at both, below the truth: exact.
    """
    found = answer_changes(scores, threshold=0.45, to=0.75)
    assert found.labels == ("τ = 0.450", "τ = 0.750")
    keys = list(STATES)
    assert [keys[i] for i in found.state[0]] == ["exact", "wrong_later", "wrong_first", "exact", "no_answer", "exact"]
    assert [keys[i] for i in found.state[1]] == ["coarse", "coarse", "no_answer", "no_answer", "no_answer", "exact"]
    assert found.is_changed.tolist() == [True, True, True, True, False, False]
    assert found.at[:4] == pytest.approx([0.7, 0.5, 0.6, 0.7])
    assert np.isnan(found.at[4:]).all()
    assert found.samples().tolist() == [1, 2, 0, 3]
    assert found.flows == {
        "exact-coarse": 1,
        "exact-no_answer": 1,
        "wrong_later-coarse": 1,
        "wrong_first-no_answer": 1,
        "exact-same": 1,
        "no_answer-same": 1,
    }
    assert found.samples("exact-coarse").tolist() == [0]
    assert found.samples("no_answer-same").tolist() == [4]
    assert found.totals.tolist() == [[3, 0, 1, 1, 1], [1, 2, 3, 0, 0]]
    assert found.sentence == (
        "From τ = 0.450 to τ = 0.750, 4 of 6 answers change: 1 from exact to coarse, 1 from exact to no answer, 1 from wrong to "
        "coarse and 1 from wrong to no answer. Wrong answers: 2 before, 0 after."
    )
    rows = found.to_sample_frame()
    assert rows["threshold"].tolist() == pytest.approx([0.5, 0.6, 0.7, 0.7])
    assert rows["first_answer"].tolist() == ["dog", "newt", "cat", "duck"]
    assert rows["second_answer"].tolist() == ["mammal", "animal", "mammal", "animal"]
    assert found.to_frame()["samples"].sum() == 6


def test_back_and_nowhere(scores):
    """The way back has the same changes at the same thresholds, the highest first."""
    there, back = answer_changes(scores, threshold=0.45, to=0.75), answer_changes(scores, threshold=0.75, to=0.45)
    assert np.array_equal(there.at, back.at, equal_nan=True)
    assert np.array_equal(there.changed, back.changed.T)
    assert back.samples().tolist() == [0, 3, 2, 1]
    nothing = answer_changes(scores, threshold=0.75)
    assert nothing.n_changed == 0
    assert nothing.first_flow is None
    assert nothing.sentence == "From τ = 0.750 to τ = 0.750, no answer of 6 changes."


def test_rules_and_models(scores, taxonomy):
    """Majority is a threshold of 0.5; the most probable leaves are cat dog newt duck newt cat."""
    found = answer_changes(scores, rule="majority", to_rule="leaf")
    assert found.labels == ("majority at τ = 0.500", "most probable leaf") or found.labels[1] == "most probable leaf"
    # Dog (.5 is not above .5) is answered by mammal, newt (.4) by the root.
    assert found.flows == {
        "coarse-wrong_later": 1,
        "no_answer-exact": 1,
        "exact-same": 3,
        "wrong_first-same": 1,
    }
    assert np.isnan(found.at).all()
    assert not found.has_thresholds
    both = answer_changes(scores, rule="majority", to_rule="threshold", to=0.75)
    assert both.has_thresholds
    labels = labelled(taxonomy, taxonomy.nodes("cat", "cat", "dog", "duck", "newt", "cat"), np.ones(6, bool), "B")
    other = answer_changes(scores, labels.replace(truth=taxonomy.nodes(*TRUTH)))
    assert other.labels == ("A", "B")
    assert other.n_samples == 6
    assert "different scales" not in " ".join(other.notes) or other.notes


def test_some_samples(scores):
    some = hv.evaluation.judged_answers(scores, "threshold", 0.45).take([0, 2, 4])
    found = answer_changes(some, to=0.75)
    assert found.samples().tolist() == [2, 0]
    assert found.n_samples == 3


def test_what_is_refused(scores):
    with pytest.raises(hv.PredictionsError, match="one true class and one answer per sample"):
        answer_changes(scores, rule="threshold_set", to=0.7)
    with pytest.raises(hv.PredictionsError, match="threshold"):
        answer_changes(scores, to=1.5)
    with pytest.raises(hv.PredictionsError, match="flow: expected one of"):
        answer_changes(scores, to=0.7).places("exact-better")


@many
@given(strategies.judged(most=6), st.sampled_from(strategies.TIES), st.sampled_from(strategies.TIES))
def test_against_one_sample_at_a_time(case, start, end):
    graph, taxonomy, p, truth = case
    scores = hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    found = answer_changes(scores, threshold=start, to=end)
    answers = [hv.infer(taxonomy, p, "threshold", threshold=at) for at in (start, end)]
    assert found.is_changed.tolist() == (answers[0] != answers[1]).tolist()
    for row, y in enumerate(truth.tolist()):
        for of, nodes in zip(found.state, answers, strict=True):
            assert list(STATES)[of[row]] == state_of(graph, y, int(nodes[row]))
        # The answers at all thresholds, and the end of the interval that holds at the start.
        flips = hv.diagnosis.flip_intervals(scores, row)
        place = flips.place(start)
        expected = flips.high[place] if end >= start else flips.low[place]
        if found.is_changed[row]:
            assert found.at[row] == expected
        else:
            assert np.isnan(found.at[row])
            assert flips.place(end) == place


def state_of(graph, truth, answer):
    outcome = naive.outcome(graph, truth, answer)
    if outcome != "wrong":
        return outcome
    return "wrong_later" if naive.lca(graph, truth, answer) else "wrong_first"


@many
@given(st.data())
def test_a_graph_shares_any_class(data):
    graph = data.draw(strategies.graphs())
    taxonomy = strategies.from_graph(graph)
    truth, first, second = (data.draw(strategies.truths(graph, 5)) for _ in range(3))
    a, b = (
        hv.Predictions.from_labels(taxonomy, said, truth=truth, name=name)
        for said, name in ((first, "A"), (second, "B"))
    )
    found = answer_changes(a, b)
    for y, said, place in zip(truth.tolist(), first.tolist(), found.state[0].tolist()):
        shared = (naive.ancestors(graph, y) & naive.ancestors(graph, said)) - {0}
        if list(STATES)[place].startswith("wrong"):
            assert list(STATES)[place] == ("wrong_later" if shared else "wrong_first")
