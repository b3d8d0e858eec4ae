"""Nodes that hold the truth with a stated probability: definitions, cases by hand, and the probability in simulations."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import strategies
from exact_binomial import exact_cdf
from hypothesis import given
from hypothesis import strategies as st
from small_tree import EDGES
from strategies import many

import hierviz as hv
from hierviz.inference.leaf_paths import LeafPaths, leaf_paths
from hierviz.messages.errors import PredictionsError, TaxonomyError
from hierviz.second_opinion import plain_climbing
from hierviz.uncertainty.conformal import (
    conformal_nodes,
    conformal_quantile,
    conformal_scores,
    fewest_units,
    group_quantile,
    nodes_at,
    rank_of_quantile,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "conformal.json").read_text())
ALPHAS = (0.05, 0.1, 0.3)


# Definitions -----------------------------------------------------------------------------------------------------------


@many
@given(strategies.judged(), st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.75, 1.0, np.inf]))
def test_scores_and_answers_are_those_of_the_definition(case, q):
    graph, taxonomy, p, truth = case
    rows, y = p.tolist(), truth.tolist()
    paths = leaf_paths(taxonomy, p)
    assert conformal_scores(taxonomy, truth, paths).tolist() == [
        plain_climbing.conformal_score(graph, *pair) for pair in zip(rows, y)
    ]
    assert nodes_at(paths, q).tolist() == [plain_climbing.conformal_node(graph, row, q) for row in rows]


@many
@given(strategies.judged())
def test_an_answer_holds_the_truth_where_the_score_is_at_most_q(case):
    """The step of the proof, for scores that need not grow upwards and with ties."""
    _, taxonomy, p, truth = case
    paths = leaf_paths(taxonomy, p)
    scores = conformal_scores(taxonomy, truth, paths)
    for q in np.unique([0.0, *scores, 2.0]):
        answers = nodes_at(paths, q)
        holds = taxonomy.lca(truth, answers) == answers
        assert holds[scores <= q].all()


@many
@given(st.lists(st.sampled_from(strategies.TIES), min_size=1, max_size=30), st.integers(1, 99), st.integers(1, 6))
def test_q_is_that_of_the_definition(scores, percent, n_groups):
    exact, alpha = Fraction(percent, 100), percent / 100
    found = conformal_quantile(np.array(scores), alpha)
    assert found == plain_climbing.conformal_bound(scores, exact)
    assert np.isinf(found) == (len(scores) < fewest_units(alpha))
    group_of = np.arange(len(scores)) % n_groups
    groups = [np.array(scores)[group_of == group].tolist() for group in range(min(n_groups, len(scores)))]
    of_groups = group_quantile(np.array(scores), group_of, alpha)
    assert of_groups == plain_climbing.conformal_bound_of_groups(groups, exact)
    # Groups of one sample each are samples.
    assert group_quantile(np.array(scores), np.arange(len(scores)), alpha) == found


@many
@given(strategies.judged(most=12), st.sampled_from([0.05, 0.2, 0.5, 0.7]))
def test_by_class_each_top_class_of_the_best_leaf_has_its_own_q(case, alpha):
    graph, taxonomy, p, truth = case
    is_first = np.arange(len(p)) % 3 > 0
    found = conformal_nodes(taxonomy, truth, p, alpha, calibration=is_first, by_class=True)
    ways = [plain_climbing.upward(graph, row) for row in p.tolist()]
    tops = [way[-2] if len(way) > 1 else way[-1] for way in ways]
    assert found.classes.tolist() == sorted(set(tops))
    for place, top in enumerate(found.classes.tolist()):
        own = [i for i in np.flatnonzero(is_first).tolist() if tops[i] == top]
        scores = [plain_climbing.conformal_score(graph, p[i].tolist(), int(truth[i])) for i in own]
        assert found.q[place] == plain_climbing.conformal_bound(scores, Fraction(str(alpha)))
        assert found.n_calibration[place] == len(own)
    for row, node in zip(found.rows.tolist(), found.nodes.tolist()):
        q = found.q[found.classes.tolist().index(tops[row])]
        assert node == plain_climbing.conformal_node(graph, p[row].tolist(), q)


def test_ranks_are_those_of_alpha_as_it_is_written():
    """1 - .07 is .9299999999999999, and 100 times that would still round to 93; 1 - .1 - and 30 × .9 to 27."""
    assert [rank_of_quantile(n, 0.07) for n in (99, 199)] == [93, 186]
    assert rank_of_quantile(29, 0.1) == 27
    assert [fewest_units(alpha) for alpha in (0.1, 0.05, 0.3, 0.5, 0.07)] == [9, 19, 3, 1, 14]
    assert [rank_of_quantile(fewest_units(0.1) - k, 0.1) for k in (0, 1)] == [9, 9]


# By hand ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def small():
    """The small tree, and four samples whose best leaf is cat: p of animal, mammal, cat, dog, bird, duck, newt."""
    taxonomy = hv.Taxonomy.from_edges(EDGES)
    p = np.zeros((4, taxonomy.n_nodes))
    for row, (mammal, cat) in enumerate([(0.7, 0.6), (0.8, 0.5), (0.9, 0.4), (0.6, 0.55)]):
        p[row, taxonomy.nodes("animal", "mammal", "cat", "dog")] = 1, mammal, cat, mammal - cat
        p[row, taxonomy.nodes("newt")] = 1 - mammal
    return taxonomy, p


def test_worked_by_hand(small):
    """Truths cat, dog, newt, mammal: scores 0, .5 (cat), .9 (mammal), .55 (an inner truth: cat does not hold mammal).

    alpha .5, n = 4: rank ceil(5 / 2) = 3: q = .55. Answers: p <= .55 is none of row 0 (cat .6): cat; cat .5 of row 1 and
    .4 of row 2: mammal; cat .55 of row 3, which is equal: mammal.
    """
    taxonomy, p = small
    truth = taxonomy.nodes("cat", "dog", "newt", "mammal")
    paths = leaf_paths(taxonomy, p)
    scores = conformal_scores(taxonomy, truth, paths)
    assert scores.tolist() == [0, 0.5, 0.9, 0.55]
    q = conformal_quantile(scores, 0.5)
    assert q == 0.55
    assert [taxonomy.names[node] for node in nodes_at(paths, q)] == ["cat", "mammal", "mammal", "mammal"]


def test_the_root_is_the_answer_where_q_is_infinite_or_reached(small):
    taxonomy, p = small
    truth = taxonomy.nodes("cat", "dog", "newt", "mammal")
    mask = np.array([True, True, True, False])
    found = conformal_nodes(taxonomy, truth, p, 0.2, calibration=mask)
    assert np.isinf(found.q).all()
    assert found.nodes.tolist() == [0]
    assert found.root_share == 1
    assert found.sentence == "All answers are the root: 80 % needs at least 4 calibration samples, and there are 3."
    assert found.to_json()["q"] == "Infinity"
    # q = .9 is as large as mammal of the new sample; p of the root is 1.
    assert conformal_nodes(taxonomy, truth, p, 0.25, calibration=mask).nodes.tolist() == [0]
    assert nodes_at(leaf_paths(taxonomy, p), 1.0).tolist() == [0, 0, 0, 0]


def test_groups_worked_by_hand():
    """Group a has scores .1, .2; group b .3, .4, .5; alpha .5: shares have to sum to 1.5.

    At .3: 1 + 1/3; at .4: 1 + 2/3. So q = .4; with alpha .4 (sum 1.8) q = .5; with alpha .3 (2.1) it is infinite.
    """
    scores, groups = np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.array([0, 0, 1, 1, 1])
    assert [group_quantile(scores, groups, alpha) for alpha in (0.5, 0.4, 0.3)] == [0.4, 0.5, np.inf]


@pytest.mark.parametrize(
    ("n_held", "n", "said"),
    [
        (
            890,
            1001,
            "88.9 %, 95 % interval [86.8 %, 90.7 %], of the 1,001 held-out samples: not clearly less often than",
        ),
        (850, 1001, "84.9 %, 95 % interval [82.6 %, 87.0 %], of the 1,001 held-out samples: clearly less often than"),
        (4, 5, "80.0 % of the 5 held-out samples: less often than"),
        (901, 1001, None),
        (9, 10, None),
    ],
)
def test_a_share_below_the_promise_is_said_with_its_interval(small, n_held, n, said):
    """The interval by Wilson's formula, (p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n), z = 1.96."""
    taxonomy, p = small
    made = conformal_nodes(taxonomy, taxonomy.nodes("cat", "cat", "dog", "cat"), p, 0.1, calibration=0.5)
    made = replace(made, held=n_held / n, n_check=n)
    if said is None:
        assert made.shortfall is None
        return
    assert made.shortfall == (
        f"The true class is held in {said} the promised 90 %. The share varies with the split: the probability is an average "
        "over calibration parts and new samples."
    )
    of_file = replace(made, fraction=None).shortfall
    assert f"of the {n:,} new samples" in of_file
    assert "varies with the calibration samples" in of_file
    of_groups = replace(made, unit="group")
    assert (of_groups.held_interval, "interval" in of_groups.shortfall) == (None, False)
    assert f"{n:,} held-out groups: less often than" in of_groups.shortfall


def test_the_sentence_says_marginal_and_for_whom(small):
    taxonomy, p = small
    many_rows, truth = np.tile(p, (10, 1)), np.tile(taxonomy.nodes("cat", "dog", "newt", "mammal"), 10)
    found = conformal_nodes(taxonomy, truth, many_rows, 0.1)
    assert found.sentence == (
        "With a probability of at least 90 % the true class of a new sample is its answer or below it; this is marginal, an "
        "average over all samples and classes."
    )
    groups = conformal_nodes(taxonomy, truth, many_rows, 0.4, groups=np.arange(40) // 4)
    assert "the true class of a new sample of a new group is its answer" in groups.sentence
    assert (groups.unit, groups.n_calibration.tolist(), groups.n_check) == ("group", [5], 5)
    by_class = conformal_nodes(taxonomy, truth, many_rows, 0.1, by_class=True)
    assert by_class.sentence.startswith("Within each top class of the most probable leaf, with a probability of")
    assert "marginal" in by_class.sentence
    assert by_class.to_json()["q"] == {"mammal": 0.9}


def test_samples_without_a_truth_are_new_and_none_of_the_others_is_calibrated_on(small):
    taxonomy, p = small
    truth = np.array([*taxonomy.nodes("cat", "dog", "newt"), -1])
    found = conformal_nodes(taxonomy, truth, p, 0.5, calibration=0.5, seed=3)
    assert 3 in found.rows
    assert len(found.rows) + found.n_calibration[0] == 4
    assert found.n_check == len(found.rows) - 1
    with pytest.raises(PredictionsError, match=r"calibration: expected samples with a known truth, got none in rows 3"):
        conformal_nodes(taxonomy, truth, p, 0.5, calibration=np.ones(4, dtype=bool))


def test_paths_of_a_file_and_of_the_data_at_hand_are_put_together(small):
    taxonomy, p = small
    both = LeafPaths.concatenate([leaf_paths(taxonomy, p[:1]), leaf_paths(taxonomy, p[1:])])
    whole = leaf_paths(taxonomy, hv.Predictions.from_scores(taxonomy, p, "node_probabilities"))
    for one, other in ((both, whole), (whole.take(np.array([2, 0])), leaf_paths(taxonomy, p[[2, 0]]))):
        assert one.p.tolist() == other.p.tolist()
        assert one.paths.nodes.tolist() == other.paths.nodes.tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0}, "alpha: expected a number between 0 and 1, got 0"),
        ({"alpha": 1.5}, "alpha: expected a number between 0 and 1"),
        ({"calibration": 0.0}, "fraction: expected a number between 0 and 1, got 0.0"),
        ({"calibration": [True]}, "calibration: expected a share between 0 and 1, or true or false for each of the 4"),
        ({"groups": ["a", "a", "b", "b"], "by_class": True}, "by_class: expected no groups with it, got both"),
        (
            {"groups": ["a", "a", "b", "b"], "calibration": [True, False] * 2},
            "calibration: expected whole groups, got 2",
        ),
        ({"truth": [1, 2]}, "truth: expected one node for each of the 4 samples, got 2"),
        ({"truth": [1, 2, 99, 0]}, "truth: expected node numbers from 0 to 6"),
        ({"truth": hv.NodeLists.from_lists([[1, 2]] * 4)}, "truth: expected one node number a sample, got lists"),
    ],
)
def test_bad_input_is_one_clear_line(small, change, message):
    taxonomy, p = small
    given_ = {"truth": [2, 2, 3, 6], "alpha": 0.5} | change
    with pytest.raises(PredictionsError, match=message):
        conformal_nodes(taxonomy, given_.pop("truth"), p, given_.pop("alpha"), **given_)


def test_a_graph_is_refused_with_the_reason():
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    with pytest.raises(TaxonomyError, match="path to the most probable leaf: expected a tree, got 'c' with 2 parents"):
        conformal_nodes(graph, [3], np.ones((1, 4)), 0.5)


# Against other packages ------------------------------------------------------------------------------------------------


def test_q_is_that_of_crepes_and_mapie():
    """On the same scores; see tests/golden/README.md for how the numbers were made."""
    for case in GOLDEN["cases"]:
        scores = np.random.default_rng(case["seed"]).random(case["n"]) ** case["power"]
        if case["decimals"]:
            scores = scores.round(case["decimals"])
        assert scores[:3].tolist() == case["first"]
        for alpha, of_package in case["q"].items():
            found = conformal_quantile(scores, float(alpha))
            for package, expected in of_package.items():
                assert found == (np.inf if expected == "Infinity" else expected), (case, alpha, package)


# Simulations -----------------------------------------------------------------------------------------------------------

SETS, SIZE, NEW = 500, 60, 20


def _law(rng, n, sharpness, inner):
    """(taxonomy, p, truth) of n samples: probabilities raised to a power are over- or underconfident; some truths are inner."""
    parents = [(i - 1) // 3 for i in range(1, 40)]
    taxonomy = hv.Taxonomy.from_edges([(f"n{a}", f"n{i}") for i, a in enumerate(parents, 1)])
    true = rng.dirichlet(np.full(taxonomy.n_leaves, 0.15), n)
    truth = taxonomy.leaves[(true.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(0, taxonomy.n_leaves - 1)]
    if inner:
        truth = np.where(rng.random(n) < 0.4, taxonomy.parent[truth], truth)
    said = (true + 1e-12) ** sharpness
    said /= said.sum(axis=1, keepdims=True)
    return taxonomy, hv.node_probabilities(taxonomy, said, "leaf_probabilities"), truth


@pytest.mark.long
@pytest.mark.parametrize("inner", [False, True], ids=["leaves", "inner truths"])
@pytest.mark.parametrize("sharpness", [1.0, 3.0, 0.3], ids=["calibrated", "overconfident", "underconfident"])
def test_the_truth_is_held_as_often_as_promised(sharpness, inner):
    """500 calibration sets of 60 with 20 new samples each: mean coverage at least 1 - alpha - 3 standard errors."""
    rng = np.random.default_rng([25, int(10 * sharpness), inner])
    taxonomy, p, truth = _law(rng, SETS * (SIZE + NEW), sharpness, inner)
    paths = leaf_paths(taxonomy, p)
    scores = conformal_scores(taxonomy, truth, paths).reshape(SETS, SIZE + NEW)
    for alpha in ALPHAS:
        q = conformal_quantile(scores[:, :SIZE], alpha)
        answers = nodes_at(paths, np.repeat(q, SIZE + NEW))
        holds = (taxonomy.lca(truth, answers) == answers).reshape(SETS, SIZE + NEW)[:, SIZE:].mean(axis=1)
        error = holds.std(ddof=1) / np.sqrt(SETS)
        assert holds.mean() >= 1 - alpha - 3 * error, (alpha, holds.mean(), error)
        # Not only by always answering the root.
        assert (answers > 0).mean() > 0.05


@pytest.mark.long
@pytest.mark.parametrize("sharpness", [1.0, 3.0], ids=["calibrated", "overconfident"])
def test_with_groups_one_sample_of_a_new_group_is_held_as_often_as_promised(sharpness):
    """30 groups of 2 to 9 samples that are alike, 500 sets: with q of samples alone too few are held, with that of groups not."""
    rng = np.random.default_rng([26, int(sharpness)])
    n_groups = 30
    size = rng.integers(2, 10, SETS * (n_groups + 1))
    taxonomy, p, truth = _law(rng, len(size), sharpness, False)
    # All samples of a group have its probabilities and truth, but for one in four.
    group = np.repeat(np.arange(len(size)), size)
    own = np.where(rng.random(len(group)) < 0.75, group, rng.integers(0, len(size), len(group)))
    paths = leaf_paths(taxonomy, p).take(own)
    truths = truth[own]
    scores = conformal_scores(taxonomy, truths, paths)
    set_of, is_new = group // (n_groups + 1), group % (n_groups + 1) == n_groups
    starts = np.searchsorted(set_of, np.arange(SETS + 1))
    for alpha in ALPHAS:
        q = np.array(
            [
                group_quantile(scores[a:b][~is_new[a:b]], group[a:b][~is_new[a:b]], alpha)
                for a, b in pairwise(starts.tolist())
            ]
        )
        answers = nodes_at(paths, q[set_of])
        holds = taxonomy.lca(truths, answers) == answers
        # One sample of the new group of each set: the mean over its samples is its expected value.
        held = np.bincount(set_of[is_new], holds[is_new]) / np.bincount(set_of[is_new])
        error = held.std(ddof=1) / np.sqrt(SETS)
        assert held.mean() >= 1 - alpha - 3 * error, (alpha, held.mean(), error)


@pytest.mark.long
def test_by_class_each_class_is_held_as_often_as_promised():
    rng = np.random.default_rng(27)
    taxonomy, p, truth = _law(rng, SETS * 160, 2.0, True)
    paths = leaf_paths(taxonomy, p)
    tops, held = paths.top_classes, {}
    for start in range(0, len(truth), 160):
        rows = np.arange(start, start + 160)
        found = conformal_nodes(
            taxonomy, truth[rows], paths.take(rows), 0.1, calibration=np.arange(160) < 120, by_class=True
        )
        holds = taxonomy.lca(truth[rows[120:]], found.nodes) == found.nodes
        for top in np.unique(tops[rows[120:]]).tolist():
            held.setdefault(top, []).append(holds[tops[rows[120:]] == top].mean())
    assert len(held) == 3
    for top, shares in held.items():
        assert np.mean(shares) >= 0.9 - 3 * np.std(shares, ddof=1) / np.sqrt(len(shares)), top


@pytest.mark.long
def test_of_continuous_scores_the_share_at_most_q_is_k_over_n_plus_1():
    """Over 500 sets of 60 with 40 fresh scores each: inside the exact interval (Clopper-Pearson, 99.9 %) of one score a set."""
    rng = np.random.default_rng(28)
    for alpha in ALPHAS:
        scores = rng.gamma(2.0, size=(SETS, SIZE + 1))
        q = conformal_quantile(scores[:, :SIZE], alpha)
        n_held = int((scores[:, SIZE] <= q).sum())
        share = Fraction(rank_of_quantile(SIZE, alpha), SIZE + 1)
        # Neither tail of the binomial distribution is below .0005: the share lies in the interval of the count.
        assert exact_cdf(n_held, SETS, share) > Fraction(5, 10_000), (alpha, n_held)
        assert 1 - exact_cdf(n_held - 1, SETS, share) > Fraction(5, 10_000), (alpha, n_held)


def test_no_sample_of_a_calibration_group_is_new():
    """Twelve groups of five, one sample of each without a truth: of a drawn group it is neither for calibration nor new."""
    taxonomy = hv.Taxonomy.from_edges([("r", "a"), ("r", "b")])
    groups, truth = np.repeat(np.arange(12), 5), np.tile([1, 1, 2, 2, -1], 12)
    p = np.tile([1.0, 0.6, 0.4], (60, 1))
    found = conformal_nodes(taxonomy, truth, p, 0.3, groups=groups)
    new = np.unique(groups[found.rows])
    assert len(found.rows) == 5 * len(new) == 5 * (12 - found.n_calibration[0])
    assert "an average over groups, each counting once, and over classes" in found.sentence


def test_a_sample_by_class_is_calibrated_on_its_class():
    """And calibration samples are others than those that are judged."""
    taxonomy = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")])
    p = np.array([[1.0, 0.8, 0.2, 0.5, 0.3, 0.1, 0.1]] * 30 + [[1.0, 0.2, 0.8, 0.1, 0.1, 0.5, 0.3]])
    truth = np.array([taxonomy.node("c")] * 30 + [taxonomy.node("e")])
    model = hv.Predictions.from_scores(
        taxonomy, p, "node_probabilities", scored_nodes=np.arange(7), truth=truth, sample_ids=np.arange(31).astype(str)
    )
    evaluation = hv.Evaluation.from_predictions(model)
    alone = hv.evaluation.conformal_of_sample(evaluation, 30, 0.1, by="class")
    assert (alone.n_calibration.tolist(), alone.nodes.tolist()) == ([0], [0])
    assert taxonomy.names[alone.classes[0]] == "b"
    found = hv.evaluation.conformal_of_sample(evaluation, 0, 0.1, by="class")
    assert (found.n_calibration.tolist(), taxonomy.names[found.nodes[0]]) == ([29], "c")
    with pytest.raises(
        PredictionsError, match=r"expected calibration samples that .* does not have, got 31 that are in both"
    ):
        hv.evaluation.conformal_of_model(model, 0.1, calibration=model)
