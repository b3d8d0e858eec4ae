"""Confused classes against plain counting."""

from collections import Counter

import naive
import naive_diagnosis
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from naive_diagnosis import same
from strategies import many

import hierviz as hv
from hierviz.evaluation._judged_answers import LABEL_OUTSIDE, NO_PARTNER
from hierviz.metrics.outcomes import OUTCOMES


def at_level(graph, node, level):
    return naive.path(graph, node)[: level + 1][-1]


def branch(graph, common, node):
    way = naive.path(graph, node)
    return way[way.index(common) :][:2][-1]


@many
@given(strategies.pairs(n=8), st.data())
def test_against_counting(case, data):
    graph, taxonomy, truth, said = case
    by = data.draw(st.sampled_from(["classes", "branches", "common"]))
    deepest = int(taxonomy.max_depth)
    level = data.draw(st.sampled_from([None, *range(1, deepest + 1)])) if by == "classes" else None
    outcomes = data.draw(st.sampled_from([("wrong",), ("coarse", "no_answer"), tuple(OUTCOMES)]))
    cost = data.draw(st.sampled_from(["info_dist", "depth_dist", "lost_hf1"]))
    order = data.draw(st.sampled_from(["count", "cost"]))
    predictions = hv.Predictions.from_labels(taxonomy, said, truth=truth)
    found = hv.diagnosis.confused_pairs(predictions, by=by, level=level, cost=cost, order=order, outcomes=outcomes)
    counts, costs, members = Counter(), Counter(), {}
    for i, (y, a) in enumerate(zip(truth.tolist(), said.tolist())):
        if naive.outcome(graph, y, a) not in outcomes:
            continue
        metrics = naive.path_metrics(graph, y, a)
        true, claimed = (naive.ancestors(graph, node) - {0} for node in (y, a))
        lost = 1 - 2 * len(true & claimed) / (len(true) + len(claimed)) if true or claimed else 0.0
        worth = lost if cost == "lost_hf1" else metrics[cost]
        common = naive.lca(graph, y, a)
        if by == "common":
            key = common, common
        elif by == "branches":
            key = branch(graph, common, y), branch(graph, common, a)
        else:
            key = (y, a) if level is None else (at_level(graph, y, level), at_level(graph, a, level))
            if level is not None and key[0] == key[1] and "exact" not in outcomes:
                continue
        counts[key] += 1
        costs[key] += worth
        members.setdefault(key, []).append(i)
    keys = list(zip(found.truth.tolist(), found.predicted.tolist()))
    assert sorted(keys) == sorted(counts)
    for place, key in enumerate(keys):
        assert found.count[place] == counts[key]
        same(found.cost[place], costs[key])
        assert found.rows(place).tolist() == members[key]
        assert found.common[place] == naive.lca(graph, *key)
    assert found.n_total == found.count.sum()
    ranked = found.count if order == "count" else found.cost
    assert (np.diff(ranked) <= 1e-12).all()


@many
@given(naive_diagnosis.labelled())
def test_several_paths(case):
    _, taxonomy, truths, answers = case
    predictions = hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths)
    found = hv.diagnosis.confused_pairs(predictions)
    words = {None: NO_PARTNER, "outside": LABEL_OUTSIDE}
    pairs = naive_diagnosis.pairs_of_paths(taxonomy, truths, answers)
    expected = Counter((words.get(t, t), words.get(a, a)) for _, t, a in pairs if t != a)
    assert dict(zip(zip(found.truth.tolist(), found.predicted.tolist()), found.count.tolist())) == expected
    assert found.cost_key == "lost_hf1"
    # What a sample loses is shared by its pairs that are wrong.
    for place in range(len(found)):
        assert len(found.rows(place)) == found.count[place]
    losing = {i for i, t, a in pairs if t != a}
    per_sample = hv.Evaluation.from_predictions(predictions).per_sample()["hf1_samples"]
    same(found.cost.sum(), sum(1 - per_sample[i] for i in losing))


def test_by_hand(taxonomy):
    predictions = hv.Predictions.from_labels(taxonomy, [3, 3, 6, 5, 1], truth=[2, 2, 2, 3, 2])
    found = hv.diagnosis.confused_pairs(predictions)
    assert [(taxonomy.names[t], taxonomy.names[a]) for t, a in zip(found.truth, found.predicted)] == [
        ("cat", "dog"),
        ("cat", "newt"),
        ("dog", "duck"),
    ]
    assert found.count.tolist() == [2, 1, 1]
    # cat to mammal and back: 1 + 1 bits; cat to the root and down to newt: 2 + 2 bits.
    assert found.cost.tolist() == [4, 4, 4]
    coarse = hv.diagnosis.confused_pairs(predictions, level=1)
    assert coarse.count.tolist() == [1, 1]
    assert coarse.to_frame()[["truth", "predicted"]].values.tolist() == [["mammal", "bird"], ["mammal", "newt"]]
    assert hv.diagnosis.confused_pairs(predictions, by="common").to_frame()["common"].tolist() == ["animal", "mammal"]


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"by": "names"}, r"^by: expected one of classes, branches, common, got 'names'\."),
        ({"order": "bits"}, r"^order: expected one of count, cost, got 'bits'\."),
        ({"cost": "bits"}, r"^cost: expected one of win_lost, .* got 'bits'\."),
        ({"cost": "win_lost"}, r"^cost 'win_lost': .*it needs scores"),
        ({"level": 3}, r"^level: expected a depth from 1 to 2 with by='classes', got 3 with by='classes'\."),
        (
            {"level": 1, "by": "common"},
            r"^level: expected a depth from 1 to 2 with by='classes', got 1 with by='common'",
        ),
        ({"outcomes": ["right"]}, r"^outcomes: expected a list of exact, coarse, no_answer, wrong, got \['right'\]\."),
        ({"outcomes": "wrong"}, r"^outcomes: expected a list of"),
    ],
)
def test_errors(taxonomy, keywords, says):
    with pytest.raises(hv.PredictionsError, match=says):
        hv.diagnosis.confused_pairs(hv.Predictions.from_labels(taxonomy, [3], truth=[2]), **keywords)
