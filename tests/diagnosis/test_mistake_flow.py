"""Flows of mistakes: by hand, and in every state the wrong and the coarse answers, counted by plain loops."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.diagnosis import mistake_flow
from tests.comparison.paired_worlds import grid, labelled


def flow(taxonomy, answers, truth, opened=(), most=100):
    return mistake_flow(
        hv.Predictions.from_labels(taxonomy, answers, truth=truth, name="A"), open_nodes=opened, most=most
    )


def ribbons(found):
    """{(truth, answer, kind): count} by what lines are called."""
    parts = (found.row.tolist(), found.column.tolist(), found.kind.tolist(), found.count.tolist())
    return {
        (found.line_name(row), found.line_name(column), kind): n for row, column, kind, n in zip(*parts, strict=True)
    }


def test_by_hand(taxonomy):
    """Exact answers and those without a class do not flow: cat for cat, animal for duck, cat for mammal."""
    truth = taxonomy.nodes("cat", "cat", "cat", "dog", "duck", "duck", "mammal")
    answers = taxonomy.nodes("cat", "dog", "mammal", "duck", "animal", "bird", "cat")
    closed = flow(taxonomy, answers, truth)
    assert ribbons(closed) == {
        ("mammal", "mammal", "wrong"): 1,
        ("mammal", "mammal", "coarse"): 1,
        ("mammal", "bird", "wrong"): 1,
        ("bird", "bird", "coarse"): 1,
    }
    assert closed.is_within.sum() == 3
    assert closed.total == {"coarse": 2, "wrong": 2}
    assert closed.n_samples == 7
    opened = flow(taxonomy, answers, truth, taxonomy.nodes("mammal", "bird"))
    assert ribbons(opened) == {
        ("cat", "dog", "wrong"): 1,
        ("cat", "mammal itself", "coarse"): 1,
        ("dog", "duck", "wrong"): 1,
        ("duck", "bird itself", "coarse"): 1,
    }
    assert not opened.is_within.any()
    frame = opened.to_frame()
    assert frame["count"].sum() == 4
    assert set(frame["outcome"]) == {"coarse", "wrong"}


@many
@given(strategies.pairs(n=12), st.data())
def test_ribbons_are_the_wrong_and_coarse_answers_in_every_state(case, data):
    graph, taxonomy, truth, said = case
    outcomes = [naive.outcome(graph, y, answer) for y, answer in zip(truth.tolist(), said.tolist())]
    mistakes = [row for row, outcome in enumerate(outcomes) if outcome in ("wrong", "coarse")]
    opened = data.draw(st.lists(st.integers(0, graph.n - 1), max_size=4))
    most = data.draw(st.sampled_from([1, 3, 100]))
    if not mistakes:
        with pytest.raises(hv.PredictionsError, match="expected wrong or coarse answers, got none"):
            flow(taxonomy, said, truth, opened, most)
        return
    found = flow(taxonomy, said, truth, opened, most)
    assert found.count.sum() == len(mistakes)
    assert found.total == {kind: outcomes.count(kind) for kind in ("coarse", "wrong")}
    # Every mistake is in one ribbon, of its kind.
    rows = []
    for row, column, kind, n in zip(
        found.row.tolist(), found.column.tolist(), found.kind.tolist(), found.count.tolist()
    ):
        samples = found.samples(row, column, kind).tolist()
        assert len(samples) == n
        assert {outcomes[sample] for sample in samples} == {kind}
        rows += samples
    assert sorted(rows) == mistakes
    if most < 100:
        return
    # Without lines that several classes share: the plain groups of truth and answer.
    expected = {}
    for row in mistakes:
        groups = tuple(group(graph, opened, int(node)) for node in (truth[row], said[row]))
        expected[(*groups, outcomes[row])] = expected.get((*groups, outcomes[row]), 0) + 1
    assert ribbons(found) == expected


def group(graph, opened, node):
    """The highest class on the way down to a node that is not open, all above it being open; the node itself if it is."""
    opened = {0, *opened}
    for step in naive.path(graph, node):
        is_leaf = len(naive.descendants(graph, step)) == 1
        if step not in opened or (is_leaf and step):
            return f"n{step}"
    return f"n{node} itself"


def test_opening_a_class_splits_its_ribbons():
    rng, taxonomy = np.random.default_rng(0), grid()
    truth = rng.choice(taxonomy.leaves, 300)
    said = np.where(rng.random(300) < 0.5, rng.choice(taxonomy.n_nodes - 1, 300) + 1, truth)
    closed = flow(taxonomy, said, truth)
    for node in taxonomy.children[0].tolist():
        opened = flow(taxonomy, said, truth, [node])
        assert opened.count.sum() == closed.count.sum()
        assert opened.total == closed.total
        assert len(opened) >= len(closed)


def test_what_is_refused(taxonomy):
    right = labelled(taxonomy, taxonomy.leaves, np.ones(4, bool), "A")
    with pytest.raises(hv.PredictionsError, match="A: expected wrong or coarse answers, got none"):
        mistake_flow(right)
    with pytest.raises(hv.HiervizError, match="open_nodes"):
        mistake_flow(right, open_nodes=[99])
    scores = hv.Predictions.from_scores(
        taxonomy, np.full((1, 4), 0.25), "leaf_probabilities", truth=taxonomy.nodes("cat")
    )
    with pytest.raises(hv.PredictionsError, match="one true class and one answer per sample"):
        mistake_flow(scores, "threshold_set")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"open_nodes": 3}, "open_nodes: expected a list of node numbers, got 3"),
        ({"most": "x"}, "most: expected a whole number >= 1, got 'x'"),
        ({"most": 0}, "most: expected a whole number >= 1, got 0"),
    ],
)
def test_bad_arguments_are_one_line(taxonomy, options, message):
    answers = hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat"), truth=taxonomy.nodes("dog"))
    with pytest.raises(hv.PredictionsError, match=f"^{message}"):
        hv.diagnosis.mistake_flow(answers, **options)
