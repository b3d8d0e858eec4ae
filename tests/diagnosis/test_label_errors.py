"""Doubtful truths against loops, and how many of the first thirty are planted ones."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from naive_diagnosis import same
from strategies import many

import hierviz as hv
from hierviz.diagnosis import _label_errors as module
from hierviz.diagnosis import sample_paths

# Mean over twenty draws of the moved labels.
PRECISION = 0.803


@many
@given(strategies.judged(most=8))
def test_against_loops(case):
    graph, taxonomy, p, truth = case
    predictions = hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    expected = []
    for row, y in enumerate(truth.tolist()):
        answer = naive.rule_threshold(graph, p[row].tolist(), 0.3)
        if naive.outcome(graph, y, answer) != "wrong":
            continue
        common = naive.lca(graph, y, answer)
        true, said = (naive.path(graph, node) for node in (y, answer))
        below = len(naive.path(graph, common))
        expected.append(
            (
                -round(float(p[row, said[below]] - p[row, true[below]]), 12),
                row,
                y,
                answer,
                common,
                true[below],
                said[below],
            )
        )
    expected.sort()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample_paths, "BLOCK_VALUES", 2 * graph.n)
        found = hv.diagnosis.label_errors(predictions, "threshold", 0.3)
    same(found.score, [-one[0] for one in expected])
    keys = ("row", "truth", "predicted", "common", "true_branch", "predicted_branch")
    for place, key in enumerate(keys, 1):
        assert getattr(found, key).tolist() == [one[place] for one in expected]
    same(found.p_predicted - found.p_true, found.score)
    same(found.p_answer, [float(p[row, answer]) for _, row, _, answer, *_ in expected])
    assert len(hv.diagnosis.label_errors(predictions, "threshold", 0.3, most=1)) == min(1, len(expected))


@pytest.mark.parametrize("parametrisation", ["leaf_probabilities", "conditional_sigmoid", "multilabel_sigmoid"])
@pytest.mark.parametrize("least_read", [1, 1024])
@pytest.mark.parametrize("most", [0, 1, 7, 100])
def test_the_first_ones_are_those_of_all(monkeypatch, parametrisation, most, least_read):
    """With ties, and with rules whose answers are no element of the Pareto set."""
    edges = [("r", f"{a}") for a in range(3)] + [(f"{a}", f"{a}.{b}") for a in range(3) for b in range(3)]
    edges += [(f"{a}.{b}", f"{a}.{b}.{c}") for a in range(3) for b in range(3) for c in range(3)]
    taxonomy, rng = hv.Taxonomy.from_edges(edges), np.random.default_rng(0)
    n, read = 6000, []
    if parametrisation == "leaf_probabilities":
        scores = np.round(rng.dirichlet(np.full(27, 0.1), n), 2)
        scores[:, 0] += 1 - scores.sum(axis=1)
        scores = np.abs(scores) / np.abs(scores).sum(axis=1, keepdims=True)
    else:
        scores = np.round(rng.standard_normal((n, taxonomy.n_nodes - 1)) * 3)
    predictions = hv.Predictions.from_scores(taxonomy, scores, parametrisation, truth=rng.choice(taxonomy.n_nodes, n))
    evaluation = hv.Evaluation.from_predictions(predictions)
    whole = module.listed_probabilities
    monkeypatch.setattr(module, "LEAST_READ", least_read)

    def counted(predictions, rows, *lists, progress=None):
        read.append(len(rows))
        return whole(predictions, rows, *lists, progress=progress)

    monkeypatch.setattr(module, "listed_probabilities", counted)
    for rule in ("majority", "top_down"):
        every, first = (
            hv.diagnosis.label_errors(evaluation, rule),
            hv.diagnosis.label_errors(evaluation, rule, most=most),
        )
        assert first.n_candidates == every.n_candidates == len(every)
        for key in ("row", "truth", "predicted", "true_branch", "p_true", "p_predicted", "score"):
            assert getattr(first, key).tolist() == getattr(every, key)[:most].tolist()
        if parametrisation == "leaf_probabilities" and rule == "majority" and most < 100:
            assert sum(read) < 2 * len(every)
        read.clear()


def moved_across_top_branches(taxonomy, truth, share, rng):
    """The truth, `share` of it replaced by a leaf below another child of the root, and which samples these are."""
    tops = np.array([taxonomy.path(int(node))[1] for node in taxonomy.leaves])
    moved = rng.choice(len(truth), round(share * len(truth)), replace=False)
    truth = truth.copy()
    for row in moved.tolist():
        truth[row] = rng.choice(taxonomy.leaves[tops != taxonomy.path(int(truth[row]))[1]])
    return truth, moved


def test_moved_labels_are_found():
    """5 % of the demo's labels moved across top branches: 30 of 600. Most of the first 30 candidates are moved ones."""
    from hierviz.demo import load_demo

    taxonomy, (flat,) = load_demo(["flat_softmax"])
    precision = []
    for seed in range(20):
        truth, moved = moved_across_top_branches(taxonomy, flat.truth, 0.05, np.random.default_rng(seed))
        found = hv.diagnosis.label_errors(flat.replace(truth=truth), most=30)
        assert len(found) == 30
        precision.append(np.isin(found.row, moved).mean())
    assert np.mean(precision) == pytest.approx(PRECISION, abs=0.005)


def test_what_has_no_candidates(taxonomy):
    labels = hv.Predictions.from_labels(taxonomy, [2], truth=[3])
    with pytest.raises(
        hv.PredictionsError, match=r"^model: expected candidates .*: they need scores, and this file holds"
    ):
        hv.diagnosis.label_errors(labels)
    several = hv.Predictions.from_scores(taxonomy, np.full((1, 4), 0.25), "leaf_probabilities", truth=[[2, 6]])
    with pytest.raises(hv.PredictionsError, match="this truth lists several"):
        hv.diagnosis.label_errors(several)
    with pytest.raises(hv.PredictionsError, match=r"^most: expected a whole number >= 0, got -1\."):
        hv.diagnosis.label_errors(several, most=-1)
    right = hv.Predictions.from_scores(taxonomy, np.eye(4), "leaf_probabilities", truth=taxonomy.leaves)
    assert len(hv.diagnosis.label_errors(right)) == 0
    assert "held-out" in hv.diagnosis.label_errors(right).caution


def test_frame(taxonomy):
    p = np.array([[0.6, 0.1, 0.2, 0.1]])
    made = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=taxonomy.nodes("duck"))
    assert hv.diagnosis.label_errors(made).to_frame().round(6).values.tolist() == [
        ["0", "duck", "cat", "animal", "bird", "mammal", 0.2, 0.7, 0.5, 0.6]
    ]
