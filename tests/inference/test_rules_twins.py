"""Every rule against its plain definition on random trees and graphs, exact where the rule is a matter of fractions."""

from fractions import Fraction

import naive
import naive_rules
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from naive_rules import Tables
from strategies import many

import hierviz as hv
from hierviz.inference import registry as inference
from hierviz.predictions.parametrisation import sum_up
from hierviz.second_opinion import plain_graph

LAMBDAS = (0, 0.25, 0.5, 1.0, 2, 17.0)


@st.composite
def stretched(draw):
    """A tree in which any node, the root included, may stand at the end of a chain of single children."""
    parents, n = draw(strategies.parent_lists(8)), 1
    last, edges = [], []
    for parent in [None, *parents]:
        top = None if parent is None else last[parent]
        for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
            if top is not None:
                edges.append((top, n))
                n += 1
            top = n - 1
        last.append(top)
    return naive.Graph(n, edges)


@st.composite
def exact_rows(draw, graph):
    """(fractions, floats) of coherent rows: whole weights of nodes added up exactly, and with the rounding of sums."""
    most = draw(st.sampled_from([1, 2, 7]))
    only_leaves = draw(st.booleans())
    fractions, own = [], []
    for _ in range(3):
        weight = [draw(st.integers(0, most)) for _ in range(graph.n)]
        if only_leaves:
            weight = [w if node in graph.leaves else 0 for node, w in enumerate(weight)]
        weight[draw(st.sampled_from(graph.leaves))] += 1
        # Totals that no float divides well, so that equal sums come out unequal.
        total = sum(weight) * draw(st.sampled_from([1, 3, 7]))
        own.append([w / total for w in weight])
        fractions.append(
            [Fraction(sum(weight[below] for below in naive.descendants(graph, node)), total) for node in range(graph.n)]
        )
    return fractions, sum_up(strategies.from_graph(graph), np.array(own))


trees = st.one_of(strategies.trees(), stretched())


@many
@given(trees, st.data())
def test_coherent_rows(graph, data):
    """Sums that are equal as fractions tie, whatever rounding says."""
    taxonomy, tables = strategies.from_graph(graph), Tables(graph)
    exact, p = data.draw(exact_rows(graph))
    for rule, twin in (("plurality", plain_graph.plurality), ("exclusive", plain_graph.exclusive)):
        assert hv.infer(taxonomy, p, rule).tolist() == [twin(graph, row) for row in exact], rule
    assert hv.infer(taxonomy, p, "crm_leaf").tolist() == [naive_rules.crm_leaf(tables, row, 0) for row in exact]
    check_by_information(taxonomy, graph, p, exact)
    f1 = hv.infer(taxonomy, p, "crm_nodes", expectation="leaves")
    assert f1.tolist() == [naive_rules.crm_f1(tables, row) for row in exact]
    recall = hv.infer(taxonomy, p, "crm_nodes", expectation="exclusive")
    assert recall.tolist() == [naive_rules.crm_correct_recall(tables, row) for row in exact]


def check_by_information(taxonomy, graph, p, rows):
    for lam in LAMBDAS:
        assert hv.infer(taxonomy, p, "darts", lam=lam).tolist() == [plain_graph.darts(graph, row, lam) for row in rows]
    found = hv.infer(taxonomy, p, "expected_information")
    assert found.tolist() == [plain_graph.darts(graph, row) for row in rows]


@many
@given(st.one_of(trees, strategies.graphs()).flatmap(lambda graph: strategies.judged(st.just(graph))), st.data())
def test_any_rows(case, data):
    """Numbers that need not be coherent, with ties everywhere, on trees and graphs."""
    graph, taxonomy, p, _ = case
    rows = p.tolist()
    check_by_information(taxonomy, graph, p, rows)
    found = hv.infer(taxonomy, p, "plurality")
    assert found.tolist() == [plain_graph.plurality(graph, row) for row in rows]
    for bits in {0.0, *graph.information, *(0.3 * b for b in graph.information), np.log2(taxonomy.n_leaves)}:
        found = hv.infer(taxonomy, p, "information_threshold", bits=bits)
        assert found.tolist() == [plain_graph.information_threshold(graph, row, bits) for row in rows], bits
    own = data.draw(st.lists(st.sampled_from(strategies.TIES), min_size=1, max_size=4))
    found = hv.infer(taxonomy, p, "depth_thresholds", thresholds_by_depth=own).tolist()
    listed = ",".join(map(repr, map(float, own)))
    assert found == [plain_graph.depth_thresholds(graph, row, listed) for row in rows], own
    if taxonomy.is_tree:
        for level in range(1, taxonomy.max_depth + 1):
            found = hv.infer(taxonomy, p, "at_level", answer_level=level).tolist()
            assert found == [plain_graph.at_level(graph, row, level) for row in rows], level
    threshold = data.draw(st.sampled_from(strategies.TIES))
    found = hv.infer(
        taxonomy, p, "depth_thresholds", thresholds_by_depth=f"{float(threshold)!r},{float(threshold)!r}"
    ).tolist()
    assert found == hv.infer(taxonomy, p, "threshold", threshold=threshold).tolist()
    sets = hv.infer(taxonomy, p, "threshold_set", threshold=threshold)
    assert [one.tolist() for one in sets] == [naive_rules.threshold_set(graph, row, threshold) for row in rows]


@many
@given(trees.flatmap(lambda graph: strategies.judged(st.just(graph))))
def test_any_rows_on_trees(case):
    graph, taxonomy, p, _ = case
    tables, rows = Tables(graph), p.tolist()
    for rule, keywords, twin in (
        ("crm_leaf", {}, naive_rules.crm_leaf),
        ("crm_nodes", {}, naive_rules.crm_f1),
        ("crm_nodes", {"expectation": "exclusive"}, naive_rules.crm_correct_recall),
    ):
        found = hv.infer(taxonomy, p, rule, **keywords).tolist()
        assert found == [twin(tables, row) for row in rows], (rule, keywords)
    assert hv.infer(taxonomy, p, "exclusive").tolist() == [plain_graph.exclusive(graph, row) for row in rows]


@many
@given(trees, st.data())
def test_identities(graph, data):
    taxonomy, tables = strategies.from_graph(graph), Tables(graph)
    exact, p = data.draw(exact_rows(graph))
    same = np.testing.assert_array_equal
    infer = lambda rule, **keywords: hv.infer(taxonomy, p, rule, **keywords)  # noqa: E731
    same(infer("expected_information"), infer("darts", lam=0))
    # "With Correct taken as 'y contains u' and reward I(y), the last rule equals expected information for every p."
    same(infer("expected_information"), [naive_rules.crm_contains_information(tables, row) for row in exact])
    same(infer("majority"), infer("threshold", threshold=0.5))
    same(infer("information_threshold", bits=0), infer("threshold", threshold=1))
    same(infer("information_threshold", bits=np.log2(taxonomy.n_leaves)), infer("leaf"))
    same(infer("crm_leaf"), infer("crm_leaf", cost="depth_dist"))
    same(infer("crm_nodes"), infer("crm_nodes", expectation="leaves"))
    # So careful that only probability counts, then information.
    same(infer("darts", lam=1e4), infer("threshold", threshold=1))
    # All mass on leaves: a truth below y gives I(y) / log2 L, so the sum is I(y) p(y) / log2 L.
    leaves = p.copy()
    leaves[:, np.setdiff1d(np.arange(graph.n), graph.leaves)] = 0
    leaves = sum_up(taxonomy, leaves)
    same(
        hv.infer(taxonomy, leaves, "crm_nodes", expectation="exclusive"),
        hv.infer(taxonomy, leaves, "expected_information"),
    )
    # A size of all probabilities cannot matter to rules that compare them with each other.
    for rule in ("leaf", "plurality", "expected_information", "exclusive", "crm_leaf", "crm_nodes", "top_down"):
        same(hv.infer(taxonomy, p / 1024, rule), infer(rule), rule)


RULES = {
    **{rule: {} for rule, entry in hv.INFERENCE_RULES.items() if not set(entry.parameters) - set(entry.defaults)},
    "threshold": {"threshold": 0.3},
    "threshold_set": {"threshold": 0.3},
    "darts": {"lam": 0.5},
    "depth_thresholds": {"thresholds_by_depth": "0.6,0.4"},
    "information_threshold": {"bits": 1.0},
}


def test_every_rule_is_here():
    assert set(RULES) == set(hv.INFERENCE_RULES)


@pytest.mark.parametrize("rule", RULES)
def test_blocks_of_rows_and_types(taxonomy, monkeypatch, rule):
    """Rows are independent: worked on one by one they give the same; float32 and read-only arrays do too."""
    p = hv.node_probabilities(taxonomy, np.random.default_rng(4).normal(size=(23, 4)), "flat_softmax")
    p.flags.writeable = False
    whole = hv.infer(taxonomy, p, rule, **RULES[rule])
    assert len(whole) == 23
    monkeypatch.setattr(inference, "WORK_VALUES", 1)
    single = hv.infer(taxonomy, p, rule, **RULES[rule])
    floats = hv.infer(taxonomy, p.astype(np.float32), rule, **RULES[rule])
    doubles = hv.infer(taxonomy, p.astype(np.float32).astype(np.float64), rule, **RULES[rule])
    if hv.INFERENCE_RULES[rule].returns_sets:
        for one, other in ((whole, single), (floats, doubles)):
            np.testing.assert_array_equal(one.offsets, other.offsets)
        single, whole, floats, doubles = (one.nodes for one in (single, whole, floats, doubles))
    np.testing.assert_array_equal(single, whole)
    np.testing.assert_array_equal(floats, doubles)
    assert whole.dtype == np.intp


@pytest.mark.parametrize("rule", RULES)
def test_no_rows(taxonomy, rule):
    found = hv.infer(taxonomy, np.empty((0, 7)), rule, **RULES[rule])
    assert len(found) == 0
    if not hv.INFERENCE_RULES[rule].returns_sets:
        assert found.shape == (0,)
        assert found.dtype == np.intp
