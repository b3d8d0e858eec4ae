"""The compiled path and the numpy path give the same bits: answers, node probabilities and counts; areas to 1e-12.

Rows of ties everywhere, on random trees; blocks of 1, 7 and 10,000 rows, one and two threads, every parametrisation.
"""

import logging

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import LOGITS, TIES, many

import hierviz as hv
from hierviz import Predictions
from hierviz.compiled import compiling, curve_sums, kernel_arrays, tree_pass
from hierviz.compiled.kernels import as_float32
from hierviz.evaluation.evaluation import Evaluation
from hierviz.predictions.parametrisation import PARAMETRISATIONS, default_columns

pytest.importorskip("numba", reason="numba is not installed: there is no compiled path")
# Areas are sums of bits in another order.
AREAS = ("hf1_auc", "ihf1_auc", "hf1_auc_raw")


@pytest.fixture
def path(monkeypatch):
    """Chooses the path: path(True) compiles, path(False) does not."""
    return lambda is_compiled: monkeypatch.setenv("HIERVIZ_COMPILED", "1" if is_compiled else "0")


@st.composite
def scored(draw):
    """(taxonomy, Predictions) of any parametrisation and type of number, columns in any order, some truths unknown."""
    graph = draw(strategies.trees().filter(lambda graph: len(graph.leaves) > 1))
    taxonomy, key = strategies.from_graph(graph), draw(st.sampled_from(list(PARAMETRISATIONS)))
    columns = default_columns(taxonomy, key)
    if key == "leaf_probabilities":
        scores = draw(strategies.leaf_rows(graph, most=20))
    else:
        values = {"node_probabilities": TIES, "votes": (0.0, 1.0, 2.0, 5.0)}.get(key, LOGITS)
        scores = draw(strategies.rows(len(columns), values, most=20))
    order = np.array(draw(st.permutations(range(len(columns)))))
    kind = draw(st.sampled_from([np.float64, np.float32, np.float16]))
    truth = draw(st.lists(st.integers(-1, graph.n - 1), min_size=len(scores), max_size=len(scores)))
    lists = hv.NodeLists.from_lists([[node, (node * 7) % graph.n] if node > 0 else [] for node in truth])
    truth = lists if draw(st.booleans()) else np.array(truth)
    return taxonomy, Predictions.from_scores(
        taxonomy, scores[:, order].astype(kind), key, scored_nodes=columns[order], truth=truth
    )


def same(a, b, close=()):
    """Whether two dicts of arrays have the same keys and the same bits; those in `close` agree within 1e-12."""
    assert a.keys() == b.keys()
    for key in a:
        if key in close:
            np.testing.assert_allclose(a[key], b[key], rtol=0, atol=1e-12, err_msg=key)
        else:
            np.testing.assert_array_equal(a[key], b[key], err_msg=key)
    return True


def everything(predictions, threads=1):
    """All arrays that an evaluation keeps."""
    evaluation = Evaluation.from_predictions(predictions, threshold=0.3, threads=threads)
    table = evaluation.table
    kept = {"offsets": table.offsets, "nodes": table.nodes, "scores": table.scores}
    for name in ("best_leaf", "leaf_mass", "win", "raw_win", "p_truth", "leaf_rank"):
        if getattr(evaluation, name) is not None:
            kept[name] = getattr(evaluation, name)
    if evaluation.n_judged:
        counts = evaluation.label_counts(0.3)
        names = ("n_true", "n_predicted", "n_hit", "n_valid", "n_valid_hit")
        kept |= {name: getattr(counts, name) for name in names} | counts.per_sample()
    return kept


@many
@given(scored(), st.sampled_from([1, 7, 10_000]), st.sampled_from([1, 2]))
def test_both_paths_give_the_same(case, n_rows, threads):
    _, predictions = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIERVIZ_COMPILED", "0")
        expected = everything(predictions)
        patch.setenv("HIERVIZ_COMPILED", "1")
        patch.setattr(tree_pass, "block_rows", lambda n_scores: n_rows)
        assert same(everything(predictions, threads), expected, AREAS)


@many
@given(scored())
def test_the_table_is_that_of_the_definition(case):
    taxonomy, predictions = case
    graph = naive.Graph(taxonomy.n_nodes, taxonomy.edges.tolist())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIERVIZ_COMPILED", "1")
        table = hv.pareto_table(taxonomy, predictions)
    p = predictions.node_probabilities()
    for i, row in enumerate(p.tolist()):
        part = slice(table.offsets[i], table.offsets[i + 1])
        found = list(zip(table.nodes[part].tolist(), table.scores[part].tolist(), strict=True))
        assert found == [(node, row[node]) for node in naive.pareto_set(graph, row)]


def test_what_the_kernel_does_not_judge_goes_the_other_way(taxonomy, path):
    scores = np.full((20, taxonomy.n_leaves), 1 / taxonomy.n_leaves)
    scores[3, 0] = -0.25
    predictions = Predictions(taxonomy, scores=scores, parametrisation="leaf_probabilities")
    path(False)
    expected = hv.pareto_table(taxonomy, predictions)
    path(True)
    table = hv.pareto_table(taxonomy, predictions)
    assert np.array_equal(table.nodes, expected.nodes)
    assert np.array_equal(table.scores, expected.scores)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused_on_both_paths(taxonomy, path, value):
    scores = np.full((20, taxonomy.n_leaves), 0.25)
    scores[3, 0] = value
    predictions = Predictions(taxonomy, scores=scores, parametrisation="leaf_probabilities")
    for is_compiled in (False, True):
        path(is_compiled)
        with pytest.raises(hv.PredictionsError, match="finite"):
            hv.pareto_table(taxonomy, predictions)


@many
@given(st.lists(st.sampled_from([*TIES, -0.0, 5e-324, 1e300, -5e-324, -0.5, -1e300, np.inf, -np.inf]), max_size=30))
def test_the_order_of_thresholds(values):
    values = np.array(values, dtype=float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIERVIZ_COMPILED", "1")
        fallen, order = curve_sums.descending(values)
    assert order.tolist() == sorted(range(len(values)), key=lambda i: -values[i])
    assert fallen.tobytes() == (values[order] + 0.0).tobytes()


@many
@given(st.lists(st.sampled_from([0, 1, 2, 2047, 2048, 1 << 31, 1 << 40]), max_size=30))
def test_numbers_are_numbered(values):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIERVIZ_COMPILED", "1")
        found, place = curve_sums.numbered(np.array(values, dtype=np.int64))
    assert found.tolist() == sorted(set(values))
    assert [found[i] for i in place.tolist()] == values


@many
@given(strategies.judged(), st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_curves_have_the_same_bits(case, counts):
    from hierviz.curves.operating_curve import CurveSteps

    _, taxonomy, p, truth = case
    counts = np.array(counts[: len(p)])
    curves = []
    with pytest.MonkeyPatch.context() as patch:
        for is_compiled in "01":
            patch.setenv("HIERVIZ_COMPILED", is_compiled)
            steps = CurveSteps.from_table(taxonomy, truth, hv.pareto_table(taxonomy, p))
            curves += [[steps.curve(), steps.curve(counts) if counts.any() else steps.curve()]]
    for plain, compiled in zip(*curves, strict=True):
        assert same(compiled.values, plain.values)
        assert np.array_equal(compiled.threshold, plain.threshold)


def test_small_inputs_never_wait_for_a_compiler(taxonomy, monkeypatch):
    monkeypatch.delenv("HIERVIZ_COMPILED", raising=False)
    predictions = Predictions(taxonomy, scores=np.full((9, 4), 0.25), parametrisation="leaf_probabilities")
    assert not tree_pass.is_used(predictions)
    monkeypatch.setattr(tree_pass, "WORTH_COMPILING", 36)
    assert tree_pass.is_used(predictions)


def test_compiling_is_said_once(taxonomy, path, tmp_path, monkeypatch, caplog):
    """The second pass says nothing; neither does one over values of a type that has been compiled."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path(True)
    scores = np.full((20, taxonomy.n_leaves), 0.25)
    with caplog.at_level(logging.WARNING, "hierviz"):
        for kind in (np.float64, np.float64, np.float32, np.float16):
            hv.pareto_table(
                taxonomy, Predictions(taxonomy, scores=scores.astype(kind), parametrisation="leaf_probabilities")
            )
    assert caplog.messages == 2 * ["compiling for this processor, about ten seconds, once ..."]


def test_compiling_that_was_interrupted_is_said_again(taxonomy, path, tmp_path, monkeypatch, caplog):
    from hierviz.compiled import kernels

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path(True)
    predictions = Predictions(taxonomy, scores=np.full((20, 4), 0.25), parametrisation="leaf_probabilities")

    def interrupted(*arguments):
        raise KeyboardInterrupt

    with caplog.at_level(logging.WARNING, "hierviz"):
        with monkeypatch.context() as patch:
            patch.setattr(kernels, "run", interrupted)
            with pytest.raises(KeyboardInterrupt):
                hv.pareto_table(taxonomy, predictions, threads=1)
        assert not compiling.is_compiled("kernels", np.dtype(np.float64))
        hv.pareto_table(taxonomy, predictions, threads=1)
    assert len(caplog.messages) == 2
    assert compiling.is_compiled("kernels", np.dtype(np.float64))


def test_a_cache_that_cannot_be_written_is_no_error(taxonomy, path, tmp_path, monkeypatch, caplog):
    place = tmp_path / "file"
    place.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    path(True)
    predictions = Predictions(taxonomy, scores=np.full((20, 4), 0.25), parametrisation="leaf_probabilities")
    with caplog.at_level(logging.WARNING, "hierviz"):
        assert hv.pareto_table(taxonomy, predictions).n_samples == 20
    assert not compiling.is_compiled("kernels", np.dtype(np.float64))
    assert len(caplog.messages) == 1
    assert "at each start" in caplog.messages[0]


@pytest.mark.parametrize("n_rows", [16, 17, 23])
def test_a_block_that_is_not_judged_leaves_nothing_behind(n_rows, taxonomy, path, monkeypatch):
    """What is kept from block to block holds no nan of an earlier one; the last tile is not full."""
    scores = np.full((3 * n_rows, taxonomy.n_leaves), 0.25)
    scores[n_rows // 2 :: n_rows, 0] = [-1, 0.25, 0.25]
    predictions = Predictions(taxonomy, scores=scores, parametrisation="leaf_probabilities")
    monkeypatch.setattr(tree_pass, "block_rows", lambda n_scores: n_rows)
    path(True)
    blocks = list(tree_pass.tree_pass(predictions, threads=1))
    assert [isinstance(block, slice) for block in blocks] == [True, False, False]


def test_lists_that_have_no_room_left_grow(taxonomy, path, monkeypatch):
    """Sets of more elements than there was room for: the kernel stops, and goes on at that row."""
    scores = np.random.default_rng(0).dirichlet(np.ones(taxonomy.n_leaves), 1000)
    predictions = Predictions(taxonomy, scores=scores, parametrisation="leaf_probabilities", truth=np.full(1000, 3))
    path(False)
    expected = everything(predictions)
    path(True)
    n_grown = []
    grow = kernel_arrays.KernelArrays.grow
    monkeypatch.setattr(kernel_arrays, "ELEMENTS_A_ROW", 0)
    monkeypatch.setattr(kernel_arrays.KernelArrays, "grow", lambda self: n_grown.append(1) or grow(self))
    assert same(everything(predictions), expected, AREAS)
    assert len(n_grown) > 3


@many
@given(scored(), st.sampled_from([0.0, 0.5, 1.0, 17.0]), st.sampled_from([1, 7, 10_000]))
def test_rules_give_the_same_answers(case, number, n_rows):
    taxonomy, predictions = case
    bits = min(number, float(taxonomy.information.max()))
    choices = {
        "plurality": {},
        "expected_information": {},
        "darts": {"lam": number},
        "information_threshold": {"bits": bits},
    }
    answers = []
    with pytest.MonkeyPatch.context() as patch:
        for is_compiled in "01":
            patch.setenv("HIERVIZ_COMPILED", is_compiled)
            patch.setattr(tree_pass, "block_rows", lambda n_scores: n_rows)
            evaluation = Evaluation.from_predictions(predictions)
            answers.append({rule: evaluation.answers(rule, **keywords) for rule, keywords in choices.items()})
    assert same(*answers)
    p = predictions.node_probabilities()
    for rule, keywords in choices.items():
        assert np.array_equal(answers[0][rule], hv.infer(taxonomy, p, rule, **keywords))


def test_keywords_of_rules_are_checked_on_both_paths(taxonomy, path):
    predictions = Predictions(taxonomy, scores=np.full((20, 4), 0.25), parametrisation="leaf_probabilities")
    for is_compiled in (False, True):
        path(is_compiled)
        evaluation = Evaluation.from_predictions(predictions)
        for rule, keywords in (("darts", {"lam": -1}), ("information_threshold", {"bits": 99})):
            with pytest.raises(hv.PredictionsError, match="expected a number"):
                evaluation.answers(rule, **keywords)


def test_every_half_precision_number_is_exact():
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16).reshape(256, 256)
    for array in (halves, halves.T):
        found = as_float32(array)
        assert found.dtype == np.float32
        assert found.flags.c_contiguous
        np.testing.assert_array_equal(found, array.astype(np.float32))
