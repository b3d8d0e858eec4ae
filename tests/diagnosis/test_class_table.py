"""Scores of single classes against sets and loops, and against scikit-learn where the sets coincide."""

from collections import Counter

import naive
import naive_diagnosis
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from naive_diagnosis import NAN, over, same
from sklearn.metrics import fbeta_score, precision_recall_fscore_support
from strategies import many

import hierviz as hv

BETAS = st.sampled_from([0.5, 1, 2])


def f_beta(precision, recall, beta):
    if not precision * recall:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


@many
@given(naive_diagnosis.labelled(), BETAS)
def test_against_loops(case, beta):
    graph, taxonomy, truths, answers = case
    found = hv.diagnosis.class_table(
        hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths), beta=beta
    )
    closed = [naive_diagnosis.closure(graph, nodes) for nodes in truths]
    said = [naive_diagnosis.closure(graph, [node for node in nodes if node >= 0]) for nodes in answers]
    readings = {
        "exact": ([set(nodes) for nodes in truths], [set(nodes) for nodes in answers]),
        "inclusive": (closed, said),
    }
    for reading, (true, predicted) in readings.items():
        scores = getattr(found, reading)
        classes = range(1, graph.n)
        if reading == "exact":
            classes = [v for v in classes if v in graph.leaves or any(v in nodes for nodes in truths)]
        assert np.flatnonzero(scores.is_class).tolist() == list(classes)
        rows = []
        for v in classes:
            tp = sum(v in a and v in b for a, b in zip(true, predicted))
            n_true, n_said = sum(v in a for a in true), sum(v in b for b in predicted)
            precision, recall = over(tp, n_said), over(tp, n_true)
            f = NAN if not n_true + n_said else f_beta(tp and precision, tp and recall, beta)
            same([scores.precision[v], scores.recall[v], scores.f[v]], [precision, recall, f])
            assert (scores.support[v], scores.answered[v], scores.hits[v]) == (n_true, n_said, tp)
            rows.append((n_true, precision, recall, f))
        for name, least in (("all", 0), ("support", 1)):
            some, average = [row for row in rows if row[0] >= least], scores.averages()[name]
            assert average["n_classes"] == len(some)
            assert average["n_undefined"] == sum(row[1] != row[1] for row in some)
            for place, key in enumerate(("precision", "recall", "f"), 1):
                values = [0 if row[place] != row[place] else row[place] for row in some]
                assert average[key] == (pytest.approx(sum(values) / len(values)) if values else None)
    shared = [len((a & b) - {0}) for a, b in zip(closed, said)]
    outside = [sum(node < 0 for node in nodes) for nodes in answers]
    claimed = [len(b - {0}) + extra for b, extra in zip(said, outside)]
    due = [len(a - {0}) for a in closed]
    each = [f_beta(over(s, c) if c else 0, over(s, d) if d else 0, beta) for s, c, d in zip(shared, claimed, due)]
    hf = hv.diagnosis.hierarchical_f(
        hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths), beta=beta
    )
    assert hf["samples"] == pytest.approx(sum(each) / len(each))
    micro = f_beta(
        over(sum(shared), sum(claimed)) if sum(claimed) else 0, over(sum(shared), sum(due)) if sum(due) else 0, beta
    )
    assert hf["micro"] == pytest.approx(micro)


@many
@given(strategies.pairs(n=8), BETAS)
def test_scikit_learn_and_confusions(case, beta):
    graph, taxonomy, truth, answers = case
    predictions = hv.Predictions.from_labels(taxonomy, np.array(answers), truth=np.array(truth))
    found = hv.diagnosis.class_table(predictions, beta=beta)
    classes = np.arange(1, graph.n)
    precision, recall, f, support = precision_recall_fscore_support(
        truth, answers, beta=beta, labels=classes, zero_division=np.nan
    )
    same(found.exact.precision[1:], precision)
    same(found.exact.recall[1:], recall)
    assert found.exact.support[1:].tolist() == support.tolist()
    is_used = found.exact.support[1:] + found.exact.answered[1:] > 0
    same(found.exact.f[1:][is_used], f[is_used])
    indicator = [[[v in naive.ancestors(graph, node) for v in classes] for node in nodes] for nodes in (truth, answers)]
    hf = hv.diagnosis.hierarchical_f(predictions, beta=beta)
    if len(classes) == 1:  # scikit-learn takes one column for two classes
        indicator = [[[*row, False] for row in rows] for rows in indicator]
    assert hf["micro"] == pytest.approx(fbeta_score(*indicator, beta=beta, average="micro", zero_division=0))
    assert hf["samples"] == pytest.approx(fbeta_score(*indicator, beta=beta, average="samples", zero_division=0))
    for node in range(graph.n):
        wrong = Counter(
            said for true, said in zip(truth, answers) if true == node and naive.outcome(graph, true, said) == "wrong"
        )
        most = max(wrong.values(), default=0)
        assert found.confused_count[node] == most
        assert found.confused_with[node] == min((said for said, n in wrong.items() if n == most), default=-1)


@pytest.mark.parametrize("beta", [0, -1, float("nan"), float("inf"), "1"])
def test_beta_is_checked(taxonomy, beta):
    predictions = hv.Predictions.from_labels(taxonomy, [[1]], truth=[1])
    for function in (hv.diagnosis.class_table, hv.diagnosis.hierarchical_f):
        with pytest.raises(hv.PredictionsError, match="beta: expected a number above 0"):
            function(predictions, beta=beta)


def test_frame(taxonomy):
    predictions = hv.Predictions.from_labels(taxonomy, [[1]], truth=[1])
    frame = hv.diagnosis.class_table(predictions).to_frame()
    assert len(frame) == taxonomy.n_nodes - 1
    assert list(frame["class"]) == list(taxonomy.names[1:])
    assert {"precision", "f_inclusive", "confused_with"} < set(frame)
