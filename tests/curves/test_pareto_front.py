"""The Pareto front by its definition, and what each rule reaches beside it."""

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.curves.equal_levels import pareto_front
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import path_keys
from hierviz.thresholds._rule_frontiers import RULES, fronts

VALUES = st.sampled_from([0.0, 0.25, 0.5, 1.0, float("nan")])


@given(st.lists(st.tuples(VALUES, VALUES), max_size=9))
def test_no_other_point_is_better(points):
    x, y = (np.array([point[k] for point in points], dtype=float) for k in range(2))
    expected = [
        not (np.isnan(a) or np.isnan(b))
        and not any(c >= a and d >= b and (c > a or d > b) for c, d in points if not (np.isnan(c) or np.isnan(d)))
        for a, b in points
    ]
    assert pareto_front(x, y).tolist() == expected


def test_lengths_are_checked():
    with pytest.raises(hv.PredictionsError, match=r"^pareto_front: expected two lists of one length"):
        pareto_front([1], [1, 2])


@many
@given(strategies.judged(most=6))
def test_rules_equal_their_own_functions(case):
    _, taxonomy, p, truth = case
    # One more sample, whose truth is not known, plays no part.
    model = hv.Predictions(
        taxonomy,
        scores=np.vstack([p, p[:1]]),
        parametrisation="node_probabilities",
        scored_nodes=np.arange(taxonomy.n_nodes),
        truth=np.append(truth, -1),
    )
    told = []
    found = hv.thresholds.rule_frontiers(
        model, targets=[0.5, 1.0], progress=lambda done, total: told.append((done, total))
    )
    assert list(found) == list(RULES)
    assert told[-1] == (6 * len(truth), 6 * len(truth))
    for rule in ("threshold", "darts", "information_threshold"):
        curve = hv.curves.rule_curve(taxonomy, truth, p, rule)
        for key in path_keys():
            np.testing.assert_array_equal(found[rule].values[key], curve.values[key])
        assert found[rule].n_points == len(found[rule].number) == curve.n_points
    family = hv.thresholds.depth_threshold_points(taxonomy, truth, p, [0.5, 1.0])
    assert found["depth_thresholds"].thresholds_by_depth == family["thresholds_by_depth"]
    assert found["depth_thresholds"].values["correct"].tolist() == family["correct"]
    for rule in ("crm_leaf", "crm_nodes"):
        metrics = path_metrics(taxonomy, truth, hv.infer(taxonomy, p, rule))
        assert found[rule].values["info_recall"] == metrics["info_recall"].mean()
    on_front = fronts(found)
    points = [
        (one.values["info_recall"][k], one.values["correct"][k]) for one in found.values() for k in range(one.n_points)
    ]
    flags = np.concatenate([on_front[rule] for rule in found])
    for (a, b), flag in zip(points, flags):
        assert flag == (not any(c >= a and d >= b and (c > a or d > b) for c, d in points))


def test_words_and_errors(taxonomy):
    p = np.array([[1, 0.9, 0.5, 0.4, 0.1, 0.1, 0], [1, 0.6, 0.2, 0.4, 0.4, 0.4, 0]])
    model = hv.Predictions.from_scores(
        taxonomy, p, "node_probabilities", scored_nodes=np.arange(7), truth=taxonomy.nodes("cat", "duck")
    )
    found = hv.thresholds.rule_frontiers(model, ["darts", "depth_thresholds", "leaf"], targets=[0.95])
    assert found["darts"].setting(0).startswith("λ = ")
    assert found["darts"].setting(0).endswith(" bits")
    assert found["depth_thresholds"].setting(0) == "target = 0.95"
    assert found["leaf"].setting(0) == ""
    with pytest.raises(hv.PredictionsError, match="rules: expected rules that answer with one node"):
        hv.thresholds.rule_frontiers(model, ["threshold_set"])
    labels = hv.Predictions.from_labels(taxonomy, [1], truth=[1])
    with pytest.raises(hv.PredictionsError, match="expected an operating curve, got none: they need scores"):
        hv.thresholds.rule_frontiers(labels)
