"""What must hold between losses, and for every loss."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from losses_cases import VARIANTS, draw_truth, graphs, per_row_keywords, trees, variant_id

import hierviz as hv
from hierviz import PARAMETRISATIONS, NodeLists, Taxonomy, TaxonomyError
from hierviz.losses import _rows
from hierviz.losses.registry import LOSSES, loss
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.win import win
from tests.strategies import examples

SEEDS = st.integers(0, 2**31)
DESIGN_KEYS = [
    "flat_ce",
    "raw_win",
    "log_win",
    "coarse_ce",
    "hxe",
    "multilabel_bce",
    "multilabel_focal",
    "conditional_softmax",
    "conditional_softmax_la",
    "conditional_sigmoid",
    "deep_rtc",
    "ps_softmax",
    "soft_max_descendant",
    "soft_max_margin",
    "hard_margin",
    "champ",
]


def on_trees(check):
    return settings(max_examples=examples(40), derandomize=True, deadline=None, database=None)(
        given(taxonomy=trees(), seed=SEEDS)(check)
    )


def close(ours, theirs):
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-13)


def drawn(taxonomy, seed, width, kind="any", n=4):
    generator = np.random.default_rng(seed)
    return 2 * generator.standard_normal((n, width)), draw_truth(taxonomy, generator, n, kind)


# The registry ----------------------------------------------------------------------------------------------------------


def test_keys_are_those_of_the_design():
    assert sorted(LOSSES) == sorted(DESIGN_KEYS)


@pytest.mark.parametrize("key", LOSSES)
def test_entry_is_complete(key):
    entry = LOSSES[key]
    assert entry.key == key
    assert all((entry.label, entry.sentence.endswith("."), entry.formula, entry.source))
    assert entry.parametrisation in PARAMETRISATIONS
    assert entry.function.__name__ == key
    assert inspect.getdoc(entry.function)
    assert set(entry.parameters) <= {
        "smoothing", "alpha", "gamma", "beta", "tau", "cut", "seed", "drops", "counts", "cost", "weighted", "parametrisation"
    }  # fmt: skip


@pytest.mark.parametrize("key", LOSSES)
def test_flags_are_what_the_function_does(key, taxonomy):
    entry = LOSSES[key]
    keywords = {"counts": np.ones(taxonomy.n_nodes)} if key == "conditional_softmax_la" else {}
    graph = Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d")])

    def accepts(taxonomy, truth):
        width = 2 if taxonomy is graph and key == "coarse_ce" else len(entry.columns(taxonomy)) if accepts_tree else 4
        try:
            loss(key, taxonomy, truth, np.zeros((1, width)), **keywords)
        except PredictionsError:
            return False
        return True

    accepts_tree = True
    assert accepts(taxonomy, taxonomy.nodes("cat"))
    assert accepts(taxonomy, taxonomy.nodes("mammal")) is not entry.leaf_truth_only
    assert accepts(taxonomy, taxonomy.nodes("animal")) is entry.root_truth
    assert accepts(taxonomy, NodeLists.from_lists([taxonomy.nodes("cat", "duck")])) is entry.takes_lists
    if entry.tree_only:
        accepts_tree = False
        with pytest.raises(TaxonomyError, match="expected a tree, got 'c' with 2 parents"):
            accepts(graph, np.array([3]))
    else:
        assert accepts(graph, np.array([3]))


@pytest.mark.parametrize("key", LOSSES)
def test_scores_fit_the_parametrisation(key, taxonomy):
    """The columns are those that `node_probabilities` reads, so one array serves both."""
    entry = LOSSES[key]
    scores = np.random.default_rng(0).standard_normal((2, len(entry.columns(taxonomy))))
    if key == "coarse_ce":
        scores = np.hstack([scores, np.zeros((2, 3))])
    p = hv.node_probabilities(taxonomy, scores, entry.parametrisation)
    truth = taxonomy.nodes("cat", "newt")
    likelihood = {"flat_ce", "conditional_softmax", "ps_softmax"}
    if key in likelihood:
        np.testing.assert_allclose(loss(key, taxonomy, truth, scores)[0], -np.log(p[[0, 1], truth]), rtol=1e-12)
    if key == "raw_win":
        np.testing.assert_allclose(loss(key, taxonomy, truth, scores)[0], -win(taxonomy, truth, p), rtol=1e-12)
    if key == "coarse_ce":
        expected = -np.log(p[[0, 1], taxonomy.nodes("mammal", "newt")])
        np.testing.assert_allclose(loss(key, taxonomy, truth, scores[:, :3])[0], expected, rtol=1e-12)


# Between losses --------------------------------------------------------------------------------------------------------


@on_trees
def test_hxe_without_decay_is_the_likelihood(taxonomy, seed):
    scores, truth = drawn(taxonomy, seed, taxonomy.n_leaves)
    close(loss("hxe", taxonomy, truth, scores, alpha=0), loss("flat_ce", taxonomy, truth, scores))
    scores, truth = drawn(taxonomy, seed, taxonomy.n_nodes - 1)
    close(
        loss("hxe", taxonomy, truth, scores, alpha=0, parametrisation="conditional_softmax"),
        loss("conditional_softmax", taxonomy, truth, scores),
    )


@on_trees
def test_deep_rtc_without_cut_is_ps_softmax(taxonomy, seed):
    scores, truth = drawn(taxonomy, seed, taxonomy.n_nodes - 1, "leaf")
    expected = loss("ps_softmax", taxonomy, truth, scores)
    close(loss("deep_rtc", taxonomy, truth, scores, cut=0), expected)
    # Dropping leaves, or the root, changes nothing.
    drops = np.broadcast_to(taxonomy.is_leaf | (np.arange(taxonomy.n_nodes) == 0), (len(scores), taxonomy.n_nodes))
    close(loss("deep_rtc", taxonomy, truth, scores, drops=drops), expected)


@on_trees
def test_deep_rtc_cut_everywhere_is_coarse(taxonomy, seed):
    scores, truth = drawn(taxonomy, seed, taxonomy.n_nodes - 1, "leaf")
    tops = LOSSES["coarse_ce"].columns(taxonomy)
    values, gradient = loss("deep_rtc", taxonomy, truth, scores, cut=1)
    expected = loss("coarse_ce", taxonomy, truth, scores[:, tops - 1])
    close((values, gradient[:, tops - 1]), expected)
    assert (np.delete(gradient, tops - 1, axis=1) == 0).all()


@on_trees
def test_margin_without_margin_is_cross_entropy(taxonomy, seed):
    scores, truth = drawn(taxonomy, seed, taxonomy.n_nodes)
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    expected = -np.log(p[np.arange(len(truth)), truth]), p - (np.arange(taxonomy.n_nodes) == truth[:, None])
    for cost in ("incorrect", "depth_dist", "info_dist"):
        close(loss("soft_max_margin", taxonomy, truth, scores, tau=0, cost=cost), expected)
    hard = loss("hard_margin", taxonomy, truth, scores, tau=0)[0]
    np.testing.assert_allclose(hard, scores.max(axis=1) - scores[np.arange(len(truth)), truth])


@on_trees
def test_soft_margin_tends_to_the_hard_one(taxonomy, seed):
    scores, truth = drawn(taxonomy, seed, taxonomy.n_nodes)
    hard = loss("hard_margin", taxonomy, truth, scores)[0]
    soft = loss("soft_max_margin", taxonomy, truth, scores)[0]
    assert (hard <= soft + 1e-12).all()
    assert (soft <= hard + np.log(taxonomy.n_nodes) + 1e-12).all()


@on_trees
def test_champ_and_focal_contain_bce(taxonomy, seed):
    scores, truth = drawn(taxonomy, seed, taxonomy.n_nodes - 1, "below root")
    bce = loss("multilabel_bce", taxonomy, truth, scores)
    close(loss("champ", taxonomy, truth, scores, beta=0), bce)
    close([2 * one for one in loss("multilabel_focal", taxonomy, truth, scores, alpha=0.5, gamma=0)], bce)
    assert (loss("champ", taxonomy, truth, scores)[0] >= bce[0] - 1e-12).all()


@on_trees
def test_without_adjustment_or_with_equal_counts_it_is_the_plain_loss(taxonomy, seed):
    scores, truth = drawn(taxonomy, seed, taxonomy.n_nodes - 1)
    plain = loss("conditional_softmax", taxonomy, truth, scores)
    counts = np.random.default_rng(seed).integers(0, 9, taxonomy.n_nodes)
    close(loss("conditional_softmax_la", taxonomy, truth, scores, tau=0, counts=counts), plain)
    close(loss("conditional_softmax_la", taxonomy, truth, scores, counts=np.full(taxonomy.n_nodes, 7)), plain)
    zeros, ones = np.zeros(taxonomy.n_nodes), np.ones(taxonomy.n_nodes)
    close(
        loss("conditional_softmax_la", taxonomy, truth, scores, counts=zeros),
        loss("conditional_softmax_la", taxonomy, truth, scores, counts=ones),
    )


@on_trees
def test_win_losses(taxonomy, seed):
    scores, truth = drawn(taxonomy, seed, taxonomy.n_leaves)
    raw, log = (loss(key, taxonomy, truth, scores)[0] for key in ("raw_win", "log_win"))
    np.testing.assert_allclose(np.exp(-log), -raw, rtol=1e-10)
    p = hv.node_probabilities(taxonomy, scores, "flat_softmax")
    np.testing.assert_allclose(-raw, win(taxonomy, truth, p), rtol=1e-10)
    # -log of win <= cross entropy, always.
    assert (log <= loss("flat_ce", taxonomy, truth, scores)[0] + 1e-12).all()


@on_trees
def test_only_the_true_set_counts(taxonomy, seed):
    """A node, a list with it, and a list with its whole path are one truth."""
    scores, truth = drawn(taxonomy, seed, taxonomy.n_nodes - 1, "leaf")
    for key in ("multilabel_bce", "multilabel_focal", "conditional_sigmoid", "champ"):
        expected = loss(key, taxonomy, truth, scores)
        close(loss(key, taxonomy, NodeLists.from_lists([[y] for y in truth]), scores), expected)
        close(loss(key, taxonomy, NodeLists.from_lists([taxonomy.path(y)[::-1] for y in truth]), scores), expected)


@settings(max_examples=examples(40), derandomize=True, deadline=None, database=None)
@given(taxonomy=graphs(), seed=SEEDS)
def test_graphs_refuse_distances(taxonomy, seed):
    if taxonomy.is_tree:
        return
    scores, truth = drawn(taxonomy, seed, taxonomy.n_nodes)
    for key in ("soft_max_margin", "hard_margin"):
        loss(key, taxonomy, truth, scores)
        with pytest.raises(TaxonomyError, match=f"loss '{key}': expected a tree"):
            loss(key, taxonomy, truth, scores, cost="depth_dist")


# For every loss --------------------------------------------------------------------------------------------------------

SHIFT_INVARIANT = {"flat_ce", "raw_win", "log_win", "coarse_ce", "soft_max_margin", "hard_margin"}
BY_FAMILY = {"conditional_softmax", "conditional_softmax_la"}


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_id)
def test_gradient_sums_to_zero_over_what_a_softmax_spans(variant):
    key, keywords, kind = variant
    flat_hxe = key == "hxe" and "parametrisation" not in keywords
    by_family = key in BY_FAMILY or (key == "hxe" and not flat_hxe)

    @on_trees
    def check(taxonomy, seed):
        scores, truth = drawn(taxonomy, seed, len(LOSSES[key].columns(taxonomy, **keywords)), kind)
        more = per_row_keywords(key, taxonomy, np.random.default_rng(seed), len(scores))
        values, gradient = loss(key, taxonomy, truth, scores, **keywords, **more)
        if key in SHIFT_INVARIANT or flat_hxe or key == "soft_max_descendant":
            np.testing.assert_allclose(gradient.sum(axis=1), 0, atol=1e-12)
        if by_family:
            columns = LOSSES[key].columns(taxonomy, **keywords)
            for parent in range(taxonomy.n_nodes):
                np.testing.assert_allclose(gradient[:, taxonomy.parent[columns] == parent].sum(axis=1), 0, atol=1e-12)
        if key in ("ps_softmax", "deep_rtc"):
            # Children of the root are in every path sum once.
            tops = LOSSES["coarse_ce"].columns(taxonomy)
            np.testing.assert_allclose(gradient[:, tops - 1].sum(axis=1), 0, atol=1e-12)
        if key != "raw_win":
            assert (values >= 0).all()
        else:
            assert ((values >= -1) & (values <= 0)).all()

    check()


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_id)
def test_rows_are_independent(variant, monkeypatch):
    """Blocks, order of samples and float32 input change nothing; the input is not written to."""
    key, keywords, kind = variant

    @settings(max_examples=10, derandomize=True, deadline=None, database=None)
    @given(taxonomy=trees(), seed=SEEDS)
    def check(taxonomy, seed):
        scores, truth = drawn(taxonomy, seed, len(LOSSES[key].columns(taxonomy, **keywords)), kind, n=5)
        scores = scores.astype(np.float32)
        more = {**keywords, **per_row_keywords(key, taxonomy, np.random.default_rng(seed), len(scores))}
        whole = loss(key, taxonomy, truth, scores.astype(np.float64), **more)
        scores.flags.writeable = False
        with monkeypatch.context() as patch:
            patch.setattr(_rows, "BLOCK_VALUES", 2 * taxonomy.n_nodes)
            blocks = loss(key, taxonomy, truth, scores, **more)
        order = np.random.default_rng(seed).permutation(5)
        if "drops" in more:
            more["drops"] = more["drops"][order]
        turned = truth.take(order) if isinstance(truth, NodeLists) else truth[order]
        shuffled = loss(key, taxonomy, turned, scores[order], **more)
        for a, b, c in zip(whole, blocks, shuffled):
            np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-15)
            np.testing.assert_allclose(a[order], c, rtol=1e-13, atol=1e-15)
        none = loss(key, taxonomy, NodeLists.from_lists([]) if kind == "lists" else truth[:0], scores[:0], **{
            name: value[:0] if name == "drops" else value for name, value in more.items()
        })  # fmt: skip
        assert (none[0].shape, none[1].shape) == ((0,), (0, scores.shape[1]))

    check()


def test_random_cuts_do_not_depend_on_blocks(taxonomy, monkeypatch):
    scores, truth = drawn(taxonomy, 3, 6, "leaf", n=50)
    whole = loss("deep_rtc", taxonomy, truth, scores, cut=0.4, seed=9)
    monkeypatch.setattr(_rows, "BLOCK_VALUES", 10)
    for a, b in zip(whole, loss("deep_rtc", taxonomy, truth, scores, cut=0.4, seed=9)):
        np.testing.assert_allclose(a, b, rtol=1e-13)
    # A Generator goes on; an int starts again.
    generator = np.random.default_rng(9)
    first, second = (loss("deep_rtc", taxonomy, truth, scores, cut=0.4, seed=generator)[0] for _ in range(2))
    np.testing.assert_allclose(first, whole[0], rtol=1e-13)
    assert not np.allclose(first, second)


# By hand ---------------------------------------------------------------------------------------------------------------


def test_worked_by_hand(taxonomy):
    """Nodes: 0 animal, 1 mammal (2 cat, 3 dog), 4 bird (5 duck), 6 newt. All scores 0."""
    cat, mammal, root = (taxonomy.nodes(name) for name in ("cat", "mammal", "animal"))
    log = np.log

    def value(key, truth, **keywords):
        return loss(key, taxonomy, truth, np.zeros((1, len(LOSSES[key].columns(taxonomy)))), **keywords)[0][0]

    np.testing.assert_allclose(value("flat_ce", cat), log(4))  # 4 leaves
    np.testing.assert_allclose(value("flat_ce", mammal), log(2))
    assert value("flat_ce", root) == 0
    np.testing.assert_allclose(value("flat_ce", cat, smoothing=0.3), log(4))
    # W = p(mammal) / 2 + p(cat) / 2 (4 + 4 of 16ths: 1/4 + 1/8); inner truth: W = p(mammal) = 1/2.
    np.testing.assert_allclose(value("raw_win", cat), -3 / 8)
    np.testing.assert_allclose(value("log_win", mammal), log(2))
    assert value("raw_win", root) == -1
    np.testing.assert_allclose(value("coarse_ce", cat), log(3))
    # mammal holds 2 of 4 leaves, cat 1 of 2: log 2 + e^-1 log 2.
    np.testing.assert_allclose(value("hxe", cat, alpha=1), (1 + np.exp(-1)) * log(2))
    np.testing.assert_allclose(value("multilabel_bce", cat), 6 * log(2))
    np.testing.assert_allclose(value("multilabel_focal", cat, alpha=0.75, gamma=1), (2 * 0.75 + 4 * 0.25) / 2 * log(2))
    np.testing.assert_allclose(value("conditional_softmax", cat), log(3) + log(2))
    np.testing.assert_allclose(value("conditional_sigmoid", cat), 5 * log(2))  # mammal, bird, newt; cat, dog
    np.testing.assert_allclose(value("ps_softmax", cat), log(4))
    # mammal against bird, duck, newt, over 2 leaves; cat against dog, bird, duck, newt.
    np.testing.assert_allclose(value("soft_max_descendant", cat), log(4) / 2 + log(5))
    np.testing.assert_allclose(value("soft_max_margin", cat, tau=1), log(3 + 4 * np.e))  # animal, mammal, cat cost 0
    np.testing.assert_allclose(value("hard_margin", cat), 5)
    np.testing.assert_allclose(value("hard_margin", cat, cost="depth_dist", tau=1), 4)  # duck: 4 edges
    np.testing.assert_allclose(value("hard_margin", cat, cost="info_dist", tau=1), log(4) * 2)  # any leaf elsewhere
    # Farthest: cat to duck, 4. From the truth {mammal, cat}: dog 1, bird 2, duck 3, newt 2.
    weights = [1 + 0.2 * ((1 + d / 4) ** 2 - 1) for d in (1, 2, 3, 2)]
    np.testing.assert_allclose(value("champ", cat), (2 + sum(weights)) * log(2))
    # bird dropped: cut nodes cat, dog, bird, newt.
    drops = np.arange(7)[None] == 4
    np.testing.assert_allclose(value("deep_rtc", cat, drops=drops), log(4))
    drops = np.arange(7)[None] == 1
    np.testing.assert_allclose(value("deep_rtc", cat, drops=drops), log(3))


def test_extreme_scores_are_exact_where_the_limit_is_known(taxonomy):
    """Leaves cat, dog, duck, newt. A lead of 1000 for cat."""
    scores = np.array([[1e3, 0, 0, 0]])
    cat, newt = taxonomy.nodes("cat"), taxonomy.nodes("newt")
    assert loss("flat_ce", taxonomy, cat, scores)[0] == 0
    assert loss("flat_ce", taxonomy, newt, scores)[0] == 1000
    assert loss("raw_win", taxonomy, cat, scores)[0] == -1
    assert loss("raw_win", taxonomy, newt, scores)[0] == 0
    # Nothing of the win is left but the 1 of newt itself, e^-1000.
    np.testing.assert_allclose(loss("log_win", taxonomy, newt, scores)[0], 1000)
    np.testing.assert_allclose(loss("log_win", taxonomy, newt, scores)[1], [[1, 0, 0, -1]], atol=1e-12)
    # A loss of 1e-13 keeps its digits, and so does the slope.
    small = loss("flat_ce", taxonomy, cat, np.array([[30.0, 0, 0, 0]]))
    np.testing.assert_allclose(small[0], 3 * np.exp(-30), rtol=1e-10)
    np.testing.assert_allclose(small[1][0], np.array([-3, 1, 1, 1]) * np.exp(-30), rtol=1e-10)
    near = loss("log_win", taxonomy, cat, np.array([[30.0, 0, 0, 0]]))
    np.testing.assert_allclose(near[0], 2.5 * np.exp(-30), rtol=1e-10)  # dog loses 1/2, duck and newt 1


def test_single_child_chain():
    """One leaf, chains only: nothing can go wrong but the yes/no decisions."""
    chain = Taxonomy.from_edges([("a", "b"), ("b", "c")])
    c = chain.nodes("c")
    for key in (
        "flat_ce",
        "log_win",
        "coarse_ce",
        "hxe",
        "conditional_softmax",
        "deep_rtc",
        "ps_softmax",
        "soft_max_descendant",
    ):
        values, gradient = loss(key, chain, c, np.full((1, len(LOSSES[key].columns(chain))), 3.0))
        assert values == 0
        assert (gradient == 0).all()
        assert not np.signbit(values).any()
    np.testing.assert_allclose(
        loss("champ", chain, chain.nodes("b"), np.zeros((1, 2)))[0], np.log(2) * (1 + 1 + 0.2 * 3)
    )
