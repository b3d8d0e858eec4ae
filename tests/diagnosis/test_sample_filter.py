"""Which samples fulfil conditions, against sets and plain loops."""

import naive
import naive_diagnosis
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.diagnosis.sample_filter import _contains
from hierviz.metrics.outcomes import OUTCOMES


def conditions(n_nodes):
    node = st.none() | st.integers(0, n_nodes - 1)
    return st.fixed_dictionaries(dict.fromkeys(("under", "truth", "answered", "answer"), node))


def fits(graph, truths, answers, asked):
    """Whether any truth and any answer fulfil what is asked of them."""
    for key, nodes in (("under", truths), ("truth", truths), ("answered", answers), ("answer", answers)):
        node = asked[key]
        if node is None:
            continue
        below = [node in naive.ancestors(graph, one) if key in ("under", "answered") else node == one for one in nodes]
        if not any(below):
            return False
    return True


@many
@given(strategies.pairs(n=8), st.data())
def test_one_truth_and_one_answer(case, data):
    graph, taxonomy, truth, said = case
    asked = data.draw(conditions(graph.n))
    outcome = data.draw(st.sampled_from([None, *OUTCOMES]))
    common = data.draw(st.none() | st.integers(0, int(taxonomy.max_depth)))
    predictions = hv.Predictions.from_labels(taxonomy, said, truth=truth)
    keep = hv.diagnosis.filtered(
        hv.evaluation.judged_answers(predictions), hv.diagnosis.SampleFilter(outcome=outcome, common=common, **asked)
    )
    for i, (y, a) in enumerate(zip(truth.tolist(), said.tolist())):
        expected = fits(graph, [y], [a], asked)
        expected &= outcome is None or naive.outcome(graph, y, a) == outcome
        expected &= common is None or len(naive.path(graph, naive.lca(graph, y, a))) - 1 == common
        assert keep[i] == expected
    # A mask of them restricts the ranking, which stays in order.
    every, some = hv.mistakes(predictions), hv.mistakes(predictions, among=keep)
    assert some.row.tolist() == [row for row in every.row.tolist() if keep[row]]


@many
@given(naive_diagnosis.labelled(), st.data())
def test_several_of_them_and_graphs(case, data):
    graph, taxonomy, truths, answers = case
    asked = data.draw(conditions(graph.n))
    outcome = data.draw(st.sampled_from([None, "exact", "no_answer", "wrong"]))
    predictions = hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths)
    judged = hv.evaluation.judged_answers(predictions)
    if judged.is_single:
        outcome = None
    keep = hv.diagnosis.filtered(judged, hv.diagnosis.SampleFilter(outcome=outcome, **asked))
    for i, (true, said) in enumerate(zip(truths, answers)):
        what = naive_diagnosis.set_outcome(graph, true, said)
        # Where no sample has two labels, no label is the root.
        said = np.atleast_1d(judged.predicted[i]).tolist()
        expected = fits(graph, true, [node for node in said if node >= 0], asked)
        expected &= outcome is None or what == outcome
        assert keep[i] == expected


def test_attributes_and_words(taxonomy):
    attributes = {"where": np.array(["sea", "lake", "sea"]), "text": np.array(["A Duck", "a newt", "no bird"])}
    predictions = hv.Predictions.from_labels(taxonomy, [2, 3, 5], truth=[2, 3, 6])
    predictions = predictions.replace(attributes=attributes, sample_ids=np.array(["x1", "x2", "duck3"]))
    answers = hv.evaluation.judged_answers(predictions)

    def rows(**asked):
        return np.flatnonzero(hv.diagnosis.filtered(answers, hv.diagnosis.SampleFilter(**asked))).tolist()

    assert rows(where=(("where", "sea"),)) == [0, 2]
    assert rows(text="DUCK") == [0, 2]
    assert rows(where=(("where", "sea"),), text="bird") == [2]
    assert hv.diagnosis.facets(predictions, np.arange(3)) == {"where": {"sea": 2, "lake": 1}}
    assert hv.diagnosis.facets(predictions, np.arange(3), most=1) == {}
    with pytest.raises(hv.PredictionsError, match=r"where: expected a column .* got 'colour'"):
        rows(where=(("colour", "red"),))
    with pytest.raises(hv.PredictionsError, match="expected a node number from 0 to 6, got 7"):
        rows(under=7)
    with pytest.raises(hv.PredictionsError, match="among: expected True or False for each of the 3 judged samples"):
        hv.mistakes(predictions, among=np.ones(2, dtype=bool))


@many
@given(
    st.lists(st.text(st.sampled_from("aAbB7 _.éÉßİ\0\n"), max_size=6), min_size=1, max_size=8),
    st.text(st.sampled_from("aAbB7 _é\0"), min_size=1, max_size=3),
    st.integers(0, 70),
)
def test_texts_that_hold_a_part_are_those_of_single_texts(texts, part, more):
    """Also where one of them is long, or not of ASCII letters."""
    column = np.array([*texts, "x" * more])
    sought = part.casefold()
    # numpy drops zeros at the end.
    expected = [sought.rstrip("\0") in text.rstrip("\0").lower() for text in column.tolist()]
    assert _contains(column, sought).tolist() == expected
