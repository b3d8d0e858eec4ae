"""An evaluation that is put together from pieces is the evaluation of all rows, bit for bit, wherever it is cut."""

import pickle

import numpy as np
import pytest
from cluster_cases import RULES, TREE_ONLY, any_predictions, cuts
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.cluster.work import fields_of
from hierviz.evaluation._conformal import conformal_of_model
from hierviz.evaluation.evaluation import corpus_of
from hierviz.evaluation.pieces import EvaluationPiece, evaluation_of_pieces
from hierviz.metrics.sets.label_sets import LabelSetCounts
from tests.small_tree import EDGES


def rows_of(predictions, rows):
    return hv.Predictions(predictions.taxonomy, **fields_of(predictions, rows))


@st.composite
def cut_predictions(draw):
    predictions = draw(any_predictions())
    rules = [rule for rule in RULES if predictions.taxonomy.is_tree or rule[0] not in TREE_ONLY]
    return predictions, cuts(draw, predictions.n_samples), draw(st.sampled_from(rules))


def merged(predictions, parts, **choice):
    """From pieces that were sent from process to process; they are told how often each class is true among all rows."""
    choice["corpus"] = corpus_of(predictions)
    pieces = [
        pickle.loads(pickle.dumps(EvaluationPiece.from_predictions(rows_of(predictions, slice(*part)), **choice)))
        for part in parts
    ]
    return evaluation_of_pieces(predictions, pieces)


@many
@given(cut_predictions(), st.sampled_from([0.25, 0.5]))
def test_the_report_has_the_same_bits(case, threshold):
    predictions, parts, (rule, parameters) = case
    choice = {"rule": rule, "threshold": threshold, **parameters}
    whole = hv.Evaluation.from_predictions(predictions, threshold=threshold)
    pieces = merged(predictions, parts, **choice)
    assert hv.evaluate(pieces, **choice) == hv.evaluate(whole, **choice)
    expected, columns = whole.per_sample(**choice), pieces.per_sample(**choice)
    assert columns.keys() == expected.keys()
    for key in expected:
        np.testing.assert_array_equal(columns[key], expected[key], err_msg=key)
    if whole.table is not None:
        for name in ("offsets", "nodes", "scores"):
            np.testing.assert_array_equal(getattr(pieces.table, name), getattr(whole.table, name))


@pytest.mark.parametrize("missing", ["unknown", "zero"])
def test_scores_that_are_not_listed_stay_what_they_are(missing):
    taxonomy = hv.Taxonomy.from_edges(EDGES)
    names = [taxonomy.names[leaf] for leaf in taxonomy.leaves]
    rng = np.random.default_rng(0)
    full = rng.dirichlet(np.full(len(names), 0.5), size=12)
    # Of different lengths, so that a part that begins in the middle has to find its own entries.
    order = [np.argsort(-row, kind="stable")[: 1 + place % 2] for place, row in enumerate(full)]
    lists = [[{"label": names[k], "score": row[k]} for k in best] for row, best in zip(full, order)]
    truth = rng.choice(names, 12)
    predictions = hv.Predictions.from_pipeline(taxonomy, lists, truth=truth, missing=missing)
    whole = hv.evaluate(predictions)
    assert ("bounds" in whole["models"][0]) == (missing == "unknown")
    for parts in ([(0, 12)], [(0, 5), (5, 6), (6, 12)]):
        assert hv.evaluate(merged(predictions, parts, rule="majority", threshold=0.5)) == whole


@many
@given(cut_predictions())
def test_what_the_pieces_hold_needs_no_scores(case):
    """The scores of the whole may be out of reach once the pieces are there."""
    predictions, parts, (rule, parameters) = case
    choice = {"rule": rule, "threshold": 0.5, **parameters}
    evaluation = merged(predictions, parts, **choice)
    if predictions.has_scores:
        object.__setattr__(evaluation, "predictions", predictions.replace(scores=_Nowhere(predictions.scores)))
    report = hv.evaluate(evaluation, **choice)
    assert report == hv.evaluate(predictions, **choice)


@pytest.mark.parametrize("rule", ["majority", "hf_optimal"])
def test_further_blocks_and_conformal_nodes_need_no_scores(rule):
    """Where they were announced; else nothing reads the scores again for them."""
    taxonomy = hv.Taxonomy.from_edges(EDGES)
    rng = np.random.default_rng(1)
    scores = rng.dirichlet(np.full(taxonomy.n_leaves, 0.5), size=30)
    # The second part has no known truth.
    truth = np.where(np.arange(30) // 5 == 2, -1, rng.choice(taxonomy.leaves, 30))
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    parts = [(0, 10), (10, 15), (15, 30)]

    def without_scores(**asked):
        found = merged(predictions, parts, rule=rule, **asked)
        object.__setattr__(found, "predictions", predictions.replace(scores=_Nowhere(predictions.scores)))
        return found

    assert hv.evaluate(without_scores(more=True), rule, more=True) == hv.evaluate(predictions, rule, more=True)
    whole = hv.Evaluation.from_predictions(predictions)
    for asked in ({"paths": True}, {"more": True}):
        found = conformal_of_model(without_scores(**asked), 0.2)
        np.testing.assert_array_equal(found.nodes, conformal_of_model(whole, 0.2).nodes)
    with pytest.raises(AssertionError, match="scores were read"):
        without_scores().leaf_paths()


class _Nowhere:
    def __init__(self, scores):
        self.shape, self.dtype = scores.shape, scores.dtype

    def __getitem__(self, rows):
        raise AssertionError("scores were read")


@many
@given(cut_predictions())
def test_counts_of_parts_are_those_of_all_samples(case):
    """Sums of a naive walk over samples: how often each node is true and predicted."""
    predictions, parts, _ = case
    evaluation = merged(predictions, parts)
    if not evaluation.n_judged:
        return
    counts, taxonomy = evaluation.label_counts(0.5), predictions.taxonomy
    truth = evaluation.truth
    true = [set() for _ in range(evaluation.n_judged)]
    for above, nodes in zip(true, truth if isinstance(truth, hv.NodeLists) else truth[:, None]):
        for node in nodes:
            above |= set(taxonomy.ancestors(np.array([node])).nodes.tolist()) - {0}
    assert counts.n_true.tolist() == [sum(node in above for above in true) for node in range(taxonomy.n_nodes)]
    assert counts.n_samples == len(true)
    if predictions.has_scores:
        p = predictions.node_probabilities()[evaluation.rows]
        expected = [(p[:, node] > 0.5).sum() if node else 0 for node in range(taxonomy.n_nodes)]
        assert counts.n_predicted.tolist() == expected


def test_the_kept_answers_are_those_of_one_rule_and_setting(taxonomy):
    scores = np.array([[0.5, 0.25, 0.125, 0.125], [0.125, 0.125, 0.25, 0.5]])
    predictions = hv.Predictions.from_scores(
        taxonomy, scores, "leaf_probabilities", truth=taxonomy.nodes("cat", "newt")
    )
    evaluation = merged(predictions, [(0, 1), (1, 2)], rule="darts", lam=0.5)
    for lam in (0.0, 0.5, 3.0):
        expected = hv.infer(taxonomy, predictions.node_probabilities(), "darts", lam=lam)
        assert evaluation.answers("darts", lam=lam).tolist() == expected.tolist()


def test_counts_without_samples_merge(taxonomy):
    empty = LabelSetCounts.from_counted(taxonomy, 0.5, [LabelSetCounts(taxonomy).counted()] * 2)
    assert empty.summary() == LabelSetCounts(taxonomy).summary()


def test_pieces_of_other_rows_are_refused(taxonomy):
    predictions = hv.Predictions.from_scores(taxonomy, np.full((3, 4), 0.25), "leaf_probabilities")
    piece = EvaluationPiece.from_predictions(rows_of(predictions, slice(0, 2)))
    with pytest.raises(hv.PredictionsError, match="expected pieces of 3 samples in all, got 2"):
        evaluation_of_pieces(predictions, [piece])
