"""Answers outside the taxonomy: one claimed leaf below the root that is never true, by hand and on random trees."""

import math

import numpy as np
import pytest

import hierviz as hv
from hierviz.diagnosis import confused_pairs, node_table
from hierviz.diagnosis.sample_filter import SampleFilter, filtered
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.score_numbers import score_numbers
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.metrics import path_metrics
from hierviz.metrics.best_leaves import best_leaf_numbers
from hierviz.uncertainty.confidence_folds import answer_events
from tests.small_tree import EDGES


@pytest.fixture
def taxonomy():
    return hv.Taxonomy.from_edges(EDGES)


def test_one_answer_by_hand(taxonomy):
    """Four leaves: a leaf has 2 bits, cat as much; depth of cat is 2, of the claimed leaf 1."""
    values = path_metrics(taxonomy, taxonomy.nodes("cat"), [-1])
    zero = (
        "exact",
        "correct",
        "no_answer",
        "info_precision",
        "info_recall",
        "info_f1",
        "depth_precision",
        "depth_recall",
    )
    assert {key: values[key].item() for key in zero} == dict.fromkeys(zero, 0.0)
    # 2 bits up to the root, 2 down to the claimed leaf; 2 edges and 1.
    assert values["info_dist"].item() == 4.0
    assert values["depth_dist"].item() == 3.0
    assert values["selective_coverage"].item() == 1.0
    counts = hv.confusion(taxonomy, taxonomy.nodes("cat"), np.array([-1])).counts
    # Siblings of mammal are bird and newt: neither is answered nor true.
    assert counts == {"tp": 0, "tn": 2, "fp": 1, "fn": 2}


def test_it_is_wrong_even_where_the_truth_is_the_root(taxonomy):
    values = path_metrics(taxonomy, [0], [-1])
    assert (values["exact"].item(), values["correct"].item(), values["info_recall"].item()) == (0, 0, 0)
    # From the root to the claimed leaf.
    assert values["info_dist"].item() == 2.0


def _random_tree(rng):
    n = int(rng.integers(4, 30))
    return hv.Taxonomy.from_edges([(f"n{int(rng.integers(0, k))}", f"n{k}") for k in range(1, n)])


def _naive(taxonomy, truth, answer):
    """Numbers of one answer from the definition, with sets of ancestors; None is the claimed leaf, below the root."""
    up = lambda node: {0, "claimed"} if node is None else set(taxonomy.path(node).tolist())  # noqa: E731
    n_leaves = sum(bool(one) for one in taxonomy.is_leaf)
    below = [
        sum(bool(taxonomy.is_leaf[k]) and node in taxonomy.path(k) for k in range(taxonomy.n_nodes))
        for node in range(taxonomy.n_nodes)
    ]
    bits = {node: math.log2(n_leaves / below[node]) for node in range(taxonomy.n_nodes)} | {None: math.log2(n_leaves)}
    depth = {node: len(up(node)) - 1 for node in (*range(taxonomy.n_nodes), None)}
    if answer is not None and truth in up(answer):
        answer = truth
    common = max(up(truth) & up(answer), key=lambda node: depth[node])
    is_outside = answer is None
    found = {"exact": float(answer == truth), "correct": float(not is_outside and common in (truth, answer))}
    for prefix, value in (("info", bits), ("depth", depth)):
        ratio = lambda whole: 0.0 if is_outside else value[common] / whole if whole else 1.0  # noqa: B023, E731
        found[f"{prefix}_precision"], found[f"{prefix}_recall"] = ratio(value[answer]), ratio(value[truth])
        found[f"{prefix}_dist"] = value[answer] + value[truth] - 2 * value[common]
    return found


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_agree_with_the_definition(seed):
    rng = np.random.default_rng(seed)
    taxonomy = _random_tree(rng)
    truth = rng.integers(0, taxonomy.n_nodes, 20)
    answers = np.where(rng.random(20) < 0.4, -1, rng.integers(0, taxonomy.n_nodes, 20))
    values = path_metrics(taxonomy, truth, answers)
    for row, (y, answer) in enumerate(zip(truth.tolist(), answers.tolist())):
        for key, value in _naive(taxonomy, y, None if answer < 0 else answer).items():
            assert values[key][row] == pytest.approx(value, abs=1e-12), (key, row)
    # The taxonomy is what it was, and so are the numbers of the other samples.
    inside = answers >= 0
    alone = path_metrics(taxonomy, truth[inside], answers[inside])
    assert all(np.array_equal(values[key][inside], alone[key]) for key in alone)


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_answered_outside_by_every_rule_and_at_every_threshold(seed):
    rng = np.random.default_rng(seed)
    taxonomy = _random_tree(rng)
    scores = rng.dirichlet(np.ones(taxonomy.n_leaves), 30)
    outside, truth = rng.random(30) < 0.3, rng.integers(1, taxonomy.n_nodes, 30)
    model = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth, best_outside=outside)
    plain = Evaluation.from_predictions(model.replace(best_outside=None))
    evaluation = Evaluation.from_predictions(model)
    for rule, entry in INFERENCE_RULES.items():
        answers, others = (one.answers(rule) for one in (evaluation, plain))
        if entry.returns_sets:
            assert all((-1 in answers[row]) == outside[row] for row in range(30)), rule
            assert all(set(answers[row]) - {-1} == set(others[row]) for row in range(30)), rule
        else:
            assert np.array_equal(answers, np.where(outside, -1, others)), rule
    for threshold in (0.0, 0.2, 0.5, 0.9):
        nodes = np.where(outside, -1, plain.answers("threshold", threshold))
        means = evaluation.curve.at(threshold)
        for key, values in path_metrics(taxonomy, truth, nodes).items():
            if key in means:
                assert means[key] == pytest.approx(values.mean()), (key, threshold)
    summary = hv.evaluate(evaluation)["models"][0]
    assert summary["labels"]["outside_share"] == pytest.approx(outside.mean())
    assert summary["predicted"]["n_wrong"] >= outside.sum()


def test_diagnoses_have_a_row_of_it_and_a_filter(taxonomy):
    truth, labels = taxonomy.nodes("cat", "dog", "newt", "cat"), [-1, -1, -1, taxonomy.node("cat")]
    answers = judged_answers(hv.Predictions.from_labels(taxonomy, labels, truth=truth))
    assert answers.outcome_shares == {"exact": 0.25, "coarse": 0.0, "no_answer": 0.0, "wrong": 0.75}
    assert filtered(answers, SampleFilter(outside=True)).tolist() == [True, True, True, False]
    assert filtered(answers, SampleFilter(outside=False)).tolist() == [False, False, False, True]
    pairs = confused_pairs(answers)
    assert pairs.to_frame()["predicted"].tolist() == ["(outside the taxonomy)"] * 3
    table = node_table(answers)
    # Each is an answer below the root, and of no class.
    assert table.answered[0] == 4
    assert table.answered[1:].sum() == 2
    assert table.stopped_here.sum() == 1
    assert table.n_wrong[0] == 3


def test_a_best_class_outside_is_right_in_no_level_and_no_cut(taxonomy, tmp_path):
    """By hand: two of three samples have most of their mass outside; each is sure of a class that is never true."""
    rows = ["cat,0.9,0.05,0,0.05,0", "dog,0.05,0.15,0,0,0.8", "cat,0.02,0,0,0,0.98"]
    header = "sample_id,truth,cat,dog,duck,newt,unicorn"
    (tmp_path / "s.csv").write_text("\n".join([header, *(f"{k},{row}" for k, row in enumerate(rows * 20))]))
    many = hv.load_predictions(tmp_path / "s.csv", taxonomy, outside="wrong")
    model = many.take(np.arange(3))
    evaluation = Evaluation.from_predictions(model)
    found = score_numbers(evaluation, ("probabilities", "random_cuts", "best_leaves"))
    for level in (1, 2):
        assert found["probabilities"][f"is_right.{level}"].tolist() == [1, 0, 0]
        # What no leaf has: 1 - 0.2 and 1 - 0.02; of the others the class itself.
        assert found["probabilities"][f"confidence.{level}"].tolist() == pytest.approx(
            [{1: 0.95, 2: 0.9}[level], 0.8, 0.98]
        )
    assert found["random_cuts"]["treecut_accuracy"].tolist() == [1, 0, 0]
    # Twenty of each: the levels are off by all of what they are sure of.
    by_depth = hv.diagnosis.reliability(many, depths=[1, 2])
    assert by_depth.mean_p.tolist() == pytest.approx([(0.95 + 0.8 + 0.98) / 3, (0.9 + 0.8 + 0.98) / 3])
    assert by_depth.rate.tolist() == pytest.approx([1 / 3, 1 / 3])
    numbers = hv.evaluate(many, more=True)["models"][0]["probabilities"]
    assert numbers["ece_static"] == pytest.approx((0.1 + 0.8 + 0.98) / 3)


def test_a_leaf_outside_is_not_below_a_truth_at_the_root(taxonomy):
    """All leaves are right for the root; HOPS of an order that begins outside is 0, as no order is worse."""
    leaves = taxonomy.leaves
    found = best_leaf_numbers(taxonomy, np.zeros(2, dtype=int), np.array([leaves, [-1, *leaves[:-1]]]))
    assert found["hops_5"].tolist() == [1, 0]


def test_an_answer_outside_is_no_event_after_a_sample_of_the_last_class(taxonomy):
    last = taxonomy.n_nodes - 1
    model = hv.Predictions.from_labels(taxonomy, [last, -1, -1], truth=[last, last, 1])
    assert taxonomy.is_leaf[last]
    assert answer_events(model, np.array([last, -1, -1]))[:2].tolist() == [1, 0]


def test_sets_at_every_threshold_have_the_label_outside(taxonomy, tmp_path):
    """By hand: dog is .6 under mammal .8; with the label outside the sets are {o}, {o, mammal}, {o, mammal, dog}."""
    rows = ["dog,0.2,0.6,0.1,0.1,0", "dog,0.12,0.18,0,0,0.7", "dog,0,0,0,0.3,0.7"]
    (tmp_path / "s.csv").write_text(
        "sample_id,truth,cat,dog,duck,newt,unicorn\n" + "\n".join(f"{k},{row}" for k, row in enumerate(rows))
    )
    model = hv.load_predictions(tmp_path / "s.csv", taxonomy, outside="wrong")
    evaluation = Evaluation.from_predictions(model)
    areas = evaluation.label_counts(0.5).per_sample()["hf1_auc"]
    # Recall 0, .5, 1; precision 0, 1/2, 2/3. At last all 6 classes and the label, of which two are true.
    assert areas.tolist() == pytest.approx([1, 0.5 * (0 + 1 / 2) / 2 + 0.5 * (1 / 2 + 2 / 3) / 2, (0 + 2 / 7) / 2])
    for threshold in (0.1, 0.25, 0.5):
        labels = hv.evaluate(evaluation, rule="threshold_set", threshold=threshold)["models"][0]["labels"]
        curve = hv.curves.set_curve(evaluation, [threshold, 0.99])
        for key, of_curve in (
            ("hf1_samples", "hf1_samples"),
            ("ihf1_samples", "ihf1_samples"),
            ("hp_samples", "hp_samples"),
        ):
            if of_curve in curve.values:
                assert curve.values[of_curve][-1] == pytest.approx(labels[key]), (threshold, key)
