"""The results of a row are identical alone and among others, for all paths, block sizes, threads and memory orders.

Values here are not round and trees are wide, so that each change of the order of a sum shows in its last bit.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.compiled import tree_pass
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference import registry
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.metrics.sets import node_sets
from hierviz.predictions import predictions as of_predictions
from hierviz.predictions.parametrisation import PARAMETRISATIONS, default_columns, node_probabilities

STEPS = (1, 7, 10_000)
AREAS = ("hf1_auc", "ihf1_auc", "hf1_auc_raw")


@st.composite
def worlds(draw):
    """(Predictions, its scores in C order) of up to 24 samples on a tree of up to 60 nodes, with one truth or several."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_nodes, n = int(rng.integers(3, 60)), int(rng.integers(2, 24))
    bend = int(rng.choice([1, 3, n_nodes]))
    edges = [(f"n{rng.integers(min(i, bend))}", f"n{i}") for i in range(1, n_nodes)]
    taxonomy = hv.Taxonomy.from_edges(edges)
    key = draw(st.sampled_from(list(PARAMETRISATIONS)))
    columns = rng.permutation(default_columns(taxonomy, key))
    scores = 3 * rng.normal(size=(n, len(columns)))
    if key == "leaf_probabilities":
        scores = rng.dirichlet(np.full(len(columns), 0.3), n)
    if key == "node_probabilities":
        scores = 1 / (1 + np.exp(-scores))
    if key == "votes":
        scores = np.maximum(np.round(scores), 0)
    scores = scores.astype(draw(st.sampled_from([np.float64, np.float32, np.float16])))
    truth = rng.integers(-1, n_nodes, n)
    if draw(st.booleans()):
        truth = hv.NodeLists.from_lists([[node, node // 2, n_nodes - 1] if node > 0 else [] for node in truth.tolist()])
    return hv.Predictions.from_scores(taxonomy, scores, key, scored_nodes=columns, truth=truth)


def everything(predictions, threads=1):
    """All arrays that an evaluation keeps, and the answers of all rules."""
    evaluation = Evaluation.from_predictions(predictions, threshold=0.3, threads=threads)
    table, bits = evaluation.table, 0.3 * float(predictions.taxonomy.information.max())
    kept = {"offsets": table.offsets, "nodes": table.nodes, "scores": table.scores}
    for name in ("best_leaf", "leaf_mass", "win", "raw_win", "p_truth", "leaf_rank"):
        if getattr(evaluation, name) is not None:
            kept[name] = getattr(evaluation, name)
    paths = evaluation.leaf_paths(threads=threads)
    kept |= {"path_offsets": paths.paths.offsets, "path_nodes": paths.paths.nodes, "path_p": paths.p}
    if evaluation.n_judged:
        counts = evaluation.label_counts(0.3)
        names = ("n_true", "n_predicted", "n_hit", "n_valid", "n_valid_hit")
        kept |= {name: getattr(counts, name) for name in names} | counts.per_sample()
    settings = {"lam": 0.5, "bits": bits, "thresholds_by_depth": "0.9,0.5", "expectation": "exclusive"}
    settings |= {"beta": 0.7, "cost": "info_f1"}
    for rule, entry in INFERENCE_RULES.items():
        more = {name: settings[name] for name in entry.parameters if name in settings}
        answers = evaluation.answers(rule, 0.3, **more)
        kept[rule] = answers.nodes if isinstance(answers, hv.NodeLists) else answers
        if rule == "hf_optimal":
            kept |= {"sizes of hf_optimal": answers.offsets, "expected": answers.expected}
    return kept


def same(found, expected, close=()):
    """The same keys and the same bits, but for those in `close`, which agree within 1e-12."""
    assert found.keys() == expected.keys()
    for key in expected:
        if key in close:
            np.testing.assert_allclose(found[key], expected[key], rtol=0, atol=1e-12, err_msg=key)
        else:
            np.testing.assert_array_equal(found[key], expected[key], err_msg=key)


def in_blocks(patch, step, n_nodes):
    """Every division into blocks is one of `step` rows."""
    patch.setattr(of_predictions, "BLOCK_VALUES", step * n_nodes)
    patch.setattr(node_sets, "WORK_VALUES", step * n_nodes)
    patch.setattr(registry, "WORK_VALUES", step * n_nodes)
    patch.setattr(tree_pass, "block_rows", lambda n_scores: step)


@many
@given(worlds())
def test_probabilities_depend_on_nothing_but_the_row(predictions):
    taxonomy, scores, nodes = predictions.taxonomy, predictions.scores, predictions.scored_nodes
    expected = node_probabilities(taxonomy, scores, predictions.parametrisation, nodes)
    spread = np.zeros((len(scores), 2 * scores.shape[1]), scores.dtype)
    spread[:, ::2] = scores
    for stored in (scores, np.asfortranarray(scores), spread[:, ::2], scores[::-1].copy()[::-1]):
        for step in STEPS:
            parts = [stored[start : start + step] for start in range(0, len(scores), step)]
            p = [node_probabilities(taxonomy, part, predictions.parametrisation, nodes) for part in parts]
            np.testing.assert_array_equal(np.concatenate(p), expected)


@many
@given(worlds(), st.sampled_from([1, 7]), st.booleans())
def test_blocks_of_rows_change_no_bit(predictions, step, is_fortran):
    stored = predictions.replace(scores=np.asfortranarray(predictions.scores)) if is_fortran else predictions
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIERVIZ_COMPILED", "0")
        expected = everything(predictions)
        in_blocks(patch, step, predictions.taxonomy.n_nodes)
        same(everything(stored), expected)


@many
@given(worlds(), st.sampled_from(STEPS), st.sampled_from([1, 2]), st.booleans())
def test_the_compiled_path_changes_no_bit(predictions, step, threads, is_fortran):
    pytest.importorskip("numba", reason="numba is not installed: there is no compiled path")
    stored = predictions.replace(scores=np.asfortranarray(predictions.scores)) if is_fortran else predictions
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIERVIZ_COMPILED", "0")
        expected = everything(predictions)
        patch.setenv("HIERVIZ_COMPILED", "1")
        in_blocks(patch, step, predictions.taxonomy.n_nodes)
        same(everything(stored, threads), expected, AREAS)
