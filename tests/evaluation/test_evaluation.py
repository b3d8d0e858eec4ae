"""`evaluate`: every block against means of naive values, what is null and why, and that the result is JSON."""

import json
import math
import sys
import threading

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.evaluation import counted_sets
from hierviz.metrics.registry import path_keys

# The blocks of docs/metrics.md, section Metrics, in their order.
BLOCKS = ("distribution", "top_down", "predicted", "labels", "curve", "confusion")
TOP_DOWN = ("one_hot_win", "coarsest_accuracy", "parents_accuracy", "finest_accuracy")
PREDICTED = path_keys()
KEYS = {
    "distribution": {
        "softmax_win",
        "softmax_win_raw",
        "neg_log_win",
        "neg_log_win_infinite",
        "cross_entropy",
        "cross_entropy_infinite",
        "cross_entropy_finite_mean",
    },
    "top_down": {
        *TOP_DOWN,
        *("argmax_leaf_accuracy", "top5_leaf_accuracy", "error_lca_height"),
        *("aggregate_precision", "aggregate_recall", "aggregate_f1"),
    },
    "predicted": {*PREDICTED, "n_exact", "n_coarse", "n_no_answer", "n_wrong"},
    "curve": {
        *("ap", "ac", "ac_exact", "depth_ap", "depth_ac", "recall_at_90_correct", "recall_at_95_correct"),
        *("majority_f1", "leaf_f1", "n_points"),
    },
    "confusion": {*("tp", "tn", "fp", "fn", "acc", "ppv", "tpr", "fnr", "fpr", "tnr", "pt", "f1", "mcc"), "baseline"},
}
RULES = {
    "leaf": lambda graph, p, threshold: naive.rule_leaf(graph, p),
    "majority": lambda graph, p, threshold: naive.rule_majority(graph, p),
    "top_down": lambda graph, p, threshold: naive.rule_top_down(graph, p),
    "threshold": naive.rule_threshold,
}


def surprise(value):
    return -math.log(value) if value else math.inf


def as_json(value):
    return "Infinity" if value == math.inf else value


def expected_blocks(graph, rows, truth, rule, threshold):
    """All blocks of one model from naive values; `rows` and `truth` of judged samples."""
    both = list(zip(rows, truth))
    wins = [naive.win(graph, p, y) for p, y in both]
    crosses = [surprise(p[y]) for p, y in both]
    finite = [value for value in crosses if value < math.inf]
    best = [naive.best_leaf_metrics(graph, y, naive.rule_top_down(graph, p)) for p, y in both]
    argmax = [naive.best_leaf_metrics(graph, y, naive.rule_leaf(graph, p)) for p, y in both]
    common = [naive.lca(graph, naive.rule_leaf(graph, p), y) for p, y in both]
    heights = [naive.height(graph, node) for node, y in zip(common, truth) if node != y]
    shared, claimed, due = (sum(one[key] for one in best) for key in ("shared", "claimed", "due"))
    answers = [RULES[rule](graph, p, threshold) for p in rows]
    metrics = [naive.path_metrics(graph, y, q) for y, q in zip(truth, answers)]
    outcomes = [naive.outcome(graph, y, q) for y, q in zip(truth, answers)]
    return {
        "distribution": {
            "softmax_win": naive.mean(wins),
            "softmax_win_raw": naive.mean([naive.raw_win(graph, p, y) for p, y in both]),
            "neg_log_win": as_json(naive.mean([surprise(value) for value in wins])),
            "neg_log_win_infinite": wins.count(0),
            "cross_entropy": as_json(naive.mean(crosses)),
            "cross_entropy_infinite": crosses.count(math.inf),
            "cross_entropy_finite_mean": naive.mean(finite) if finite else None,
        },
        "top_down": {
            **{key: naive.mean([one[key] for one in best]) for key in TOP_DOWN},
            "argmax_leaf_accuracy": naive.mean([one["finest_accuracy"] for one in argmax]),
            "top5_leaf_accuracy": naive.mean([float(naive.is_in_top(graph, p, y, 5)) for p, y in both]),
            "error_lca_height": naive.mean(heights) if heights else None,
            "aggregate_precision": shared / claimed if claimed else None,
            "aggregate_recall": shared / due if due else None,
            "aggregate_f1": 2 * shared / (claimed + due) if claimed + due else None,
        },
        "predicted": {key: naive.mean([one[key] for one in metrics]) for key in PREDICTED}
        | {f"n_{outcome}": outcomes.count(outcome) for outcome in ("exact", "coarse", "no_answer", "wrong")},
        "confusion": naive.totals(graph, truth, answers),
    }


def agree(found, expected, where):
    for key, value in expected.items():
        if value is None or isinstance(value, str):
            assert found[key] == value, (where, key)
        else:
            assert found[key] == pytest.approx(value, abs=1e-9), (where, key)


def check(graph, predictions, rule, threshold):
    result = hv.evaluate(predictions, rule, threshold)
    (model,) = result["models"]
    judged = np.flatnonzero(predictions.truth >= 0)
    p, truth = predictions.node_probabilities()[judged].tolist(), predictions.truth[judged].tolist()
    for block, expected in expected_blocks(graph, p, truth, rule, threshold).items():
        agree(model[block], expected, block)
        assert set(model[block]) == KEYS[block]
    node = naive.best_constant(graph, truth)
    baseline = model["confusion"]["baseline"]
    assert baseline["path_to"] == f"n{node}"
    agree(baseline, naive.totals(graph, truth, [node] * len(truth)), "baseline")
    assert set(baseline) == KEYS["confusion"] - {"baseline"} | {"path_to"}
    assert set(model["curve"]) == KEYS["curve"]
    for key, answer in (("majority_f1", naive.rule_majority), ("leaf_f1", naive.rule_leaf)):
        f1 = [naive.path_metrics(graph, y, answer(graph, row))["info_f1"] for row, y in zip(p, truth)]
        assert model["curve"][key] == pytest.approx(naive.mean(f1), abs=1e-9), key
    assert model["n_samples"] == len(judged)
    json.dumps(result, allow_nan=False)
    samples = hv.Evaluation.from_predictions(predictions).per_sample(rule, threshold)
    for block, keys in (
        ("distribution", ("softmax_win", "softmax_win_raw")),
        ("top_down", (*TOP_DOWN, "argmax_leaf_accuracy", "top5_leaf_accuracy")),
        ("predicted", PREDICTED),
    ):
        for key in keys:
            assert samples[key].mean() == pytest.approx(model[block][key], abs=1e-9)
    for cell in ("tp", "tn", "fp", "fn"):
        assert samples[cell].sum() == model["confusion"][cell]
    assert samples["row"].tolist() == judged.tolist()
    assert samples["truth"].tolist() == truth
    assert samples["predicted"].tolist() == [RULES[rule](graph, row, threshold) for row in p]
    assert samples["top_down"].tolist() == [naive.rule_top_down(graph, row) for row in p]
    assert samples["argmax_leaf"].tolist() == [naive.rule_leaf(graph, row) for row in p]


@many
@given(strategies.judged(), st.sampled_from(list(RULES)), st.sampled_from([0.0, 0.25, 0.3, 0.5, 1.0]), st.data())
def test_node_probabilities(case, rule, threshold, data):
    graph, taxonomy, p, truth = case
    unknown = data.draw(st.lists(st.booleans(), min_size=len(p), max_size=len(p)))
    truth = np.where([*unknown[1:], False], -1, truth)
    predictions = hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    check(graph, predictions, rule, threshold)


@many
@given(strategies.trees(), st.sampled_from(list(RULES)), st.data())
def test_leaf_probabilities(graph, rule, data):
    rows = data.draw(strategies.leaf_rows(graph))
    truth = data.draw(strategies.truths(graph, len(rows)))
    predictions = hv.Predictions.from_scores(strategies.from_graph(graph), rows, "leaf_probabilities", truth=truth)
    check(graph, predictions, rule, 0.5)


@pytest.mark.parametrize("key", [key for key in hv.PARAMETRISATIONS if "probabilities" not in key])
@pytest.mark.parametrize("rule", RULES)
def test_parametrisations(taxonomy, key, rule):
    rng = np.random.default_rng(7)
    graph = naive.Graph(7, taxonomy.edges.tolist())
    renamed = strategies.from_graph(graph)
    shape = 40, len(naive.columns(graph, key))
    # Votes are numbers of answers.
    scores = rng.poisson(1, shape) if key == "votes" else rng.normal(size=shape, scale=2)
    check(graph, hv.Predictions.from_scores(renamed, scores, key, truth=rng.integers(0, 7, 40)), rule, 0.3)


# What stands around the blocks -----------------------------------------------------------------------------------------

ROWS = np.array([[0.5, 0.25, 0.125, 0.125], [0.0, 0.0, 1.0, 0.0], [0.25, 0.25, 0.25, 0.25]])


@pytest.fixture
def scored(taxonomy):
    return hv.Predictions.from_scores(
        taxonomy, ROWS, "leaf_probabilities", truth=[2, 2, -1], name="flat", sample_ids=np.array(["a", "b", "c"])
    )


def notes_of(model):
    return "\n".join(model["notes"])


def test_frame(scored):
    result = hv.evaluate(scored)
    assert set(result) == {"hierviz", "taxonomy", "models"}
    assert result["hierviz"] == hv.__version__
    assert result["taxonomy"].pop("ties") == "of equal classes the first of 'cat', 'dog', 'duck', ..."
    assert result["taxonomy"] == {"n_nodes": 7, "n_leaves": 4, "is_tree": True, "max_depth": 2}
    (model,) = result["models"]
    assert tuple(model) == (
        *("name", "n_samples", "n_without_prediction", "n_without_truth", "parametrisation", "rule", "threshold"),
        *BLOCKS,
        "notes",
    )
    assert (model["name"], model["n_samples"], model["parametrisation"]) == ("flat", 2, "leaf_probabilities")
    # The threshold is that of block `labels` under other rules.
    assert (model["rule"], model["threshold"]) == ("majority", 0.5)
    counted = hv.evaluate(scored.replace(n_without_prediction=4, n_without_truth=5))["models"][0]
    assert (counted["n_without_prediction"], counted["n_without_truth"]) == (4, 5)
    threshold = hv.evaluate(scored, "threshold", 0.25)["models"][0]
    assert (threshold["rule"], threshold["threshold"]) == ("threshold", 0.25)


def test_infinite_and_undefined(scored):
    model = hv.evaluate(scored)["models"][0]
    found = model["distribution"]
    # Truth cat: p 0.5 and 0. The second row has nothing on mammal either, so its win is 0 too.
    assert (found["cross_entropy"], found["cross_entropy_infinite"]) == ("Infinity", 1)
    assert found["cross_entropy_finite_mean"] == pytest.approx(math.log(2))
    assert (found["neg_log_win"], found["neg_log_win_infinite"]) == ("Infinity", 1)
    assert found["softmax_win"] == pytest.approx((0.75 / 2 + 0.5 / 2) / 2)
    alone = hv.evaluate(scored.replace(truth=np.array([-1, 2, -1])))["models"][0]
    assert alone["distribution"]["cross_entropy_finite_mean"] is None
    rooted = hv.evaluate(scored.replace(truth=np.array([0, 0, 0])))["models"][0]
    assert {rooted["top_down"][key] for key in ("aggregate_precision", "aggregate_recall", "aggregate_f1")} == {None}
    assert rooted["confusion"]["tpr"] is None


def test_infinite_samples_count_one_by_one(scored):
    samples = hv.Evaluation.from_predictions(scored).per_sample()
    assert samples["sample_id"].tolist() == ["a", "b"]
    assert samples["cross_entropy"].tolist() == [pytest.approx(math.log(2)), math.inf]
    assert samples["p_truth"].tolist() == [0.5, 0]


def test_notes(taxonomy, scored):
    assert [note for note in hv.evaluate(scored)["models"][0]["notes"] if not note.startswith("labels")] == []
    odd = hv.Predictions.from_scores(
        taxonomy, np.full((4, 6), 0.5), "node_probabilities", truth=[1, 0, 2, -1], notes=("rows joined in order",)
    )
    notes = notes_of(hv.evaluate(odd)["models"][0])
    assert "rows joined in order" in notes
    assert "the leaves of 3 of 3 samples do not sum to 1 (2 to 2)" in notes
    assert "2 samples have their truth at an inner node" in notes
    tops = hv.Taxonomy.from_edges([("a", "b"), ("c", "d")])
    made = hv.Predictions.from_scores(tops, np.array([[0.5, 0.5]]), "leaf_probabilities", truth=[2])
    assert "a root 'root' was added" in notes_of(hv.evaluate(made)["models"][0])


# Blocks of one answer against one truth; `labels`, and `confusion` of lists, have tests of their own.
SINGLE = {"distribution", "top_down", "predicted", "curve"}


def nulls(model):
    return {block for block in (*SINGLE, "confusion") if model[block] is None}


def test_no_truth(taxonomy, scored):
    for predictions in (scored.replace(truth=None), scored.replace(truth=np.array([-1, -1, -1]))):
        model = hv.evaluate(predictions)["models"][0]
        assert {block for block in BLOCKS if model[block] is None} == set(BLOCKS)
        assert model["n_samples"] == 0
        assert "predicted: null, no sample has a known truth" in model["notes"]
    nothing = hv.Predictions.from_scores(taxonomy, np.empty((0, 4)), "flat_softmax", truth=[])
    assert nulls(hv.evaluate(nothing)["models"][0]) == {*SINGLE, "confusion"}


def test_several_truths(taxonomy):
    lists = hv.Predictions.from_scores(taxonomy, ROWS, "leaf_probabilities", truth=[[2, 6], [3], []])
    model = hv.evaluate(lists)["models"][0]
    assert nulls(model) >= SINGLE
    assert model["n_samples"] == 2
    assert "curve: null, they need one true class per sample, and this truth lists several" in model["notes"]
    with pytest.raises(
        hv.PredictionsError, match=r"^model: expected an operating curve, got none: they need one true class"
    ):
        _ = hv.Evaluation.from_predictions(lists).curve


def test_graphs():
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d")])
    made = hv.Predictions.from_scores(graph, np.array([[0.5, 0.5]]), "leaf_probabilities", truth=[3])
    model = hv.evaluate(made)["models"][0]
    assert nulls(model) >= SINGLE
    assert "curve: null, they are defined on trees, and 'c' has several parents in this taxonomy" in model["notes"]
    assert hv.Evaluation.from_predictions(made).answers("leaf").tolist() == [3]


def test_hard_labels(taxonomy):
    made = hv.Predictions.from_labels(taxonomy, [2, 3, 6, 0], truth=[2, 2, 2, -1])
    model = hv.evaluate(made)["models"][0]
    assert nulls(model) == SINGLE
    assert (model["rule"], model["threshold"], model["parametrisation"]) == (None, None, None)
    assert [model["confusion"][cell] for cell in ("tp", "tn", "fp", "fn")] == [3, 6, 2, 3]
    assert "predicted: null, they need scores, and this file holds labels" in model["notes"]
    assert hv.Evaluation.from_predictions(made).per_sample()["tp"].tolist() == [2, 1, 0]
    with pytest.raises(hv.PredictionsError, match=r"^model: expected scores for rule 'leaf', got labels\."):
        hv.Evaluation.from_predictions(made).answers("leaf")
    with pytest.raises(hv.PredictionsError, match=r"^model: expected an operating curve, got none: they need scores"):
        _ = hv.Evaluation.from_predictions(made).curve


def test_label_lists(taxonomy):
    one = hv.Predictions.from_labels(taxonomy, [[2], [], [6]], truth=[2, 2, 2])
    # cat is right; nothing predicted is the root alone; newt shares only the root.
    confusion = hv.evaluate(one)["models"][0]["confusion"]
    assert [confusion[cell] for cell in ("tp", "tn", "fp", "fn")] == [2, 3 + 2 + 1, 1, 0 + 2 + 2]
    several = hv.Predictions.from_labels(taxonomy, [[2, 6], [], [6]], truth=[2, 2, 2])
    assert nulls(hv.evaluate(several)["models"][0]) >= SINGLE


def test_answers_are_those_of_infer(taxonomy):
    rng = np.random.default_rng(11)
    made = hv.Predictions.from_scores(taxonomy, rng.normal(size=(50, 4)), "flat_softmax")
    evaluation, p = hv.Evaluation.from_predictions(made), made.node_probabilities()
    given = {"threshold": 0.3, "bits": 0.5, "lam": 0.25, "thresholds_by_depth": "0.6,0.3"}
    for rule, entry in hv.INFERENCE_RULES.items():
        keywords = {name: value for name, value in given.items() if name in entry.parameters}
        ours, theirs = evaluation.answers(rule, **given), hv.infer(taxonomy, p, rule, **keywords)
        if entry.returns_sets:
            np.testing.assert_array_equal(ours.offsets, theirs.offsets)
            ours, theirs = ours.nodes, theirs.nodes
        np.testing.assert_array_equal(ours, theirs)


def test_several_models(taxonomy, scored):
    other = hv.Predictions.from_labels(taxonomy, [2, 3, 5], truth=[2, 2, -1], name="hard")
    result = hv.evaluate([scored, hv.Evaluation.from_predictions(other)])
    assert [model["name"] for model in result["models"]] == ["flat", "hard"]
    assert result["models"][0] == hv.evaluate(scored)["models"][0]


# Errors ----------------------------------------------------------------------------------------------------------------


def test_rule_and_threshold(scored):
    with pytest.raises(hv.PredictionsError, match=r"^evaluate: expected at least one model, got none"):
        hv.evaluate([])
    with pytest.raises(hv.PredictionsError, match=r"^rule: expected one of leaf, .*, got 'best'"):
        hv.evaluate(scored, "best")
    with pytest.raises(hv.PredictionsError, match=r"^threshold: expected a number from 0 to 1, got 2"):
        hv.evaluate(scored, "threshold", 2)
    with pytest.raises(hv.PredictionsError, match=r"^rule: expected one of"):
        hv.Evaluation.from_predictions(scored).answers("best")
    with pytest.raises(hv.PredictionsError, match=r"^threshold: expected a number"):
        hv.Evaluation.from_predictions(scored).answers("threshold", -1)


def test_models_must_match(taxonomy, scored):
    other = scored.replace(sample_ids=np.array(["a", "x", "y"]), name="other")
    with pytest.raises(
        hv.PredictionsError,
        match=r"^other: expected the samples of flat, got 2 missing \('b', 'c'\) and 2 others \('x', 'y'\)\. Compare",
    ):
        hv.evaluate([scored, other])
    short = hv.Predictions.from_labels(taxonomy, [2], name="short")
    with pytest.raises(hv.PredictionsError, match=r"^short: expected the 3 samples of flat, got 1\."):
        hv.evaluate([scored, short])
    tree = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("r", "c"), ("r", "d")])
    with pytest.raises(
        hv.TaxonomyError, match=r"^model: expected the taxonomy of flat \(7 nodes\), got another one \(5 n"
    ):
        hv.evaluate([scored, hv.Predictions.from_labels(tree, [1, 2, 3])])
    again = hv.Taxonomy.from_edges(
        [
            ("animal", "mammal"),
            ("mammal", "cat"),
            ("mammal", "dog"),
            ("animal", "bird"),
            ("bird", "duck"),
            ("animal", "newt"),
        ]
    )
    assert len(hv.evaluate([scored, scored.replace(taxonomy=again)])["models"]) == 2


def test_counts_of_label_sets_stay_while_there_is_room(scored, monkeypatch):
    """All thresholds of a small file; of more samples those that came first, and the last."""
    fresh = hv.Evaluation.from_predictions(scored)
    counts = {threshold: fresh.label_counts(threshold) for threshold in (0.2, 0.3, 0.4, 0.9)}
    assert all(fresh.label_counts(threshold) is found for threshold, found in counts.items())
    monkeypatch.setattr(counted_sets, "MOST_COUNTED", 1)
    few = hv.Evaluation.from_predictions(scored)
    for threshold in (0.2, 0.3, 0.4, 0.9):
        few.label_counts(threshold)
    assert list(few._label_counts) == [0.2, 0.9]


def test_what_no_threshold_changes_is_in_memory_once(scored):
    both = hv.Evaluation.from_predictions(scored)
    low, high = both.label_counts(0.2), both.label_counts(0.9)
    for key in ("hf1_auc", "ihf1_auc", "hf1_auc_raw", "n_true", "nodes_due", "information_due"):
        assert np.shares_memory(low.parts()[key], high.parts()[key]), key
    for counts in (low, high):
        alone = hv.Evaluation.from_predictions(scored).label_counts(counts.threshold)
        assert counts.summary() == alone.summary()
        for key, values in alone.parts().items():
            np.testing.assert_array_equal(counts.parts()[key], values, err_msg=key)


def test_threads_that_ask_for_other_thresholds_get_their_own(scored, monkeypatch):
    monkeypatch.setattr(counted_sets, "MOST_COUNTED", 1)
    shared, failed = hv.Evaluation.from_predictions(scored), []

    def ask(thresholds):
        try:
            for threshold in thresholds:
                assert shared.label_counts(threshold).threshold == threshold
        except (RuntimeError, KeyError, AssertionError) as error:
            failed.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=ask, args=(np.tile([0.1, 0.2, 0.3, 0.4], 50)[k:],)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failed


def test_the_truth_of_an_evaluation_cannot_be_changed(scored):
    evaluated = hv.Evaluation.from_predictions(scored)
    with pytest.raises(ValueError, match="read-only"):
        evaluated.truth[:] = 0
    assert scored.truth.flags.writeable
