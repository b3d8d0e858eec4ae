"""Calibration against bins by loops, the null distribution, and parents of calibrated leaves."""

import math
from itertools import combinations

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from naive_diagnosis import same
from strategies import many

import hierviz as hv
from hierviz.metrics.calibration import bin_ends, calibration_of
from hierviz.uncertainty.risk_bounds import wilson


def naive_bins(p, n_bins, least):
    """Lists of places, one sample after the other."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    if len(p) < least:
        return []
    size = max(least, math.ceil(len(p) / n_bins))
    bins = [[]]
    for k, i in enumerate(order):
        if len(bins[-1]) >= size and p[i] != p[order[k - 1]]:
            bins.append([])
        bins[-1].append(i)
    if len(bins) > 1 and len(bins[-1]) < least:
        bins[-2:] = [bins[-2] + bins[-1]]
    return bins


@many
@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 0.75, 0.9, 1.0]), max_size=80),
    st.integers(1, 8),
    st.integers(1, 9),
)
def test_bins(values, n_bins, least):
    ends = bin_ends(np.sort(np.array(values)), n_bins, least).tolist()
    bins = naive_bins(values, n_bins, least)
    assert ends == np.cumsum([len(one) for one in bins]).tolist()


def relation(graph, truths, node):
    """(event, left out)."""
    if any(node in naive.ancestors(graph, truth) for truth in truths):
        return True, False
    return False, any(truth in naive.ancestors(graph, node) for truth in truths)


def check(found, place, p, events, left_out, n_bins, least):
    bins = naive_bins(p, n_bins, least)
    got = found.bins(place)
    assert found.n[place] == len(p)
    assert found.n_left_out[place] == left_out
    assert got["n"].tolist() == [len(one) for one in bins]
    assert got["events"].tolist() == [sum(events[i] for i in one) for one in bins]
    same(got["p"], [sum(p[i] for i in one) / len(one) for one in bins])
    same(got["low"], [min(p[i] for i in one) for one in bins])
    same(got["high"], [max(p[i] for i in one) for one in bins])
    if bins:
        error = sum(abs(sum(p[i] for i in one) - sum(events[i] for i in one)) for one in bins) / len(p)
        same(found.ece[place], error)
        assert 0 < found.p_value[place] <= found.p_adjusted[place] <= 1
    else:
        assert np.isnan(found.ece[place])
        assert not found.is_flagged[place]


@many
@given(st.data())
def test_nodes_against_loops(data):
    source = data.draw(st.sampled_from([strategies.trees(), strategies.graphs()]))
    graph = data.draw(source)
    p = data.draw(strategies.rows(graph.n, (0.0, 0.1, 0.25, 0.5, 0.75, 1.0), least=5, most=20))
    node = st.integers(0, graph.n - 1)
    if data.draw(st.booleans()):
        truths = data.draw(
            st.lists(st.lists(node, min_size=1, max_size=3, unique=True), min_size=len(p), max_size=len(p))
        )
        truth = truths
    else:
        truth = data.draw(strategies.truths(graph, len(p)))
        truths = [[one] for one in truth.tolist()]
    predictions = hv.Predictions.from_scores(strategies.from_graph(graph), p, "node_probabilities", truth=truth)
    nodes = list(range(graph.n))
    found = hv.diagnosis.reliability(
        predictions, nodes=nodes, n_bins=4, min_samples=3, tests=hv.diagnosis.ManyTests(n_draws=19)
    )
    for node in nodes:
        kinds = [relation(graph, one, node) for one in truths]
        kept = [i for i, (_, left) in enumerate(kinds) if not left]
        events = [kinds[i][0] for i in kept]
        check(found, node, [p[i, node] for i in kept], events, len(p) - len(kept), 4, 3)


@many
@given(st.data())
def test_depths_against_loops(data):
    graph = data.draw(strategies.trees())
    p = data.draw(strategies.rows(graph.n, (0.0, 0.1, 0.25, 0.5, 0.75, 1.0), least=5, most=20))
    truth = data.draw(strategies.truths(graph, len(p)))
    predictions = hv.Predictions.from_scores(strategies.from_graph(graph), p, "node_probabilities", truth=truth)
    found = hv.diagnosis.reliability(predictions, n_bins=4, min_samples=3, tests=hv.diagnosis.ManyTests(n_draws=19))
    assert found.subjects == [
        f"depth {depth}" for depth in range(1, 1 + max(naive.depth(graph, n) for n in range(graph.n)))
    ]
    for place, depth in enumerate(found.depth.tolist()):
        family = [
            node
            for node in range(graph.n)
            if naive.depth(graph, node) == depth or (naive.depth(graph, node) < depth and node in graph.leaves)
        ]
        chosen = [max(family, key=lambda node: (row[node], -node)) for row in p]
        kinds = [relation(graph, [y], node) for y, node in zip(truth.tolist(), chosen)]
        kept = [i for i, (_, left) in enumerate(kinds) if not left]
        events = [kinds[i][0] for i in kept]
        check(found, place, [p[i, chosen[i]] for i in kept], events, len(p) - len(kept), 4, 3)


# The six pairs of two leaves under two parents: each leaf is calibrated, the parents are not --------------------------------

PARENTS = [("root", "u"), ("u", "a"), ("u", "b"), ("root", "w"), ("w", "c"), ("w", "d")]


def six_pairs(rng, n):
    """Predictions of n samples of the example, drawn from its law."""
    taxonomy = hv.Taxonomy.from_edges(PARENTS)
    leaves = {name: place for place, name in enumerate("abcd")}
    p, law = [], []
    for pair in combinations("abcd", 2):
        together = set(pair) in ({"a", "b"}, {"c", "d"})
        p.append([0.4 if name in pair else 0.1 for name in leaves])
        law.append([(0.2 if together else 0.5) if name in pair else (0.3 if together else 0.0) for name in leaves])
    kind = rng.integers(0, 6, n)
    place = (rng.random((n, 1)) > np.cumsum(np.array(law)[kind], axis=1)[:, :3]).sum(axis=1)
    nodes = taxonomy.nodes(*"abcd")
    return taxonomy, hv.Predictions.from_scores(taxonomy, np.array(p)[kind], "leaf_probabilities", truth=nodes[place])


def test_calibrated_leaves_do_not_make_calibrated_parents():
    taxonomy, predictions = six_pairs(np.random.default_rng(0), 6000)
    found = hv.diagnosis.reliability(predictions, nodes=taxonomy.nodes(*"abcduw"))
    assert found.is_flagged.tolist() == [False] * 4 + [True] * 2
    for place in (4, 5):
        bins = found.bins(place)
        same(bins["p"], [0.2, 0.5, 0.8])
        # Their p of .2, .5, .8 occurs .6, .5, .4.
        np.testing.assert_allclose(bins["rate"], [0.6, 0.5, 0.4], atol=0.05)
        assert (bins["lower"] < [0.6, 0.5, 0.4]).all()
        assert (bins["upper"] > [0.6, 0.5, 0.4]).all()
    table = hv.diagnosis.node_table(predictions, calibration=found)
    assert table.is_miscalibrated[taxonomy.nodes(*"abcduw")].tolist() == [0, 0, 0, 0, 1, 1]
    assert np.isnan(table.ece[0])
    assert table.ece[taxonomy.node("u")] == found.ece[4]
    assert "ece" not in table.reasons


@pytest.mark.parametrize("n_sets", [15, pytest.param(200, marks=pytest.mark.long)])
def test_leaves_are_rarely_flagged_and_parents_always(n_sets):
    rng, leaves, parents = np.random.default_rng(1), 0, 0
    for _ in range(n_sets):
        taxonomy, predictions = six_pairs(rng, 1200)
        found = hv.diagnosis.reliability(
            predictions, nodes=taxonomy.nodes(*"abcd"), tests=hv.diagnosis.ManyTests(n_draws=499)
        )
        leaves += found.is_flagged.any()
        parents += hv.diagnosis.reliability(
            predictions, nodes=taxonomy.nodes(*"uw"), tests=hv.diagnosis.ManyTests(n_draws=499)
        ).is_flagged.all()
    assert leaves / n_sets <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_sets)
    assert parents == n_sets


@pytest.mark.parametrize("n", [600, 4000])
@pytest.mark.parametrize("n_sets", [40, pytest.param(400, marks=pytest.mark.long)])
def test_a_calibrated_model_is_flagged_as_often_as_promised(n, n_sets):
    """Both ways of redrawing: sample by sample and, for many, in groups."""
    rng, flagged, errors = np.random.default_rng(2), 0, []
    for _ in range(n_sets):
        p = rng.beta(0.7, 1.5, n)
        found = calibration_of(p, rng.random(n) < p, n_bins=15, min_samples=20, n_redraws=199, rng=rng)
        flagged += found.p_value <= 0.05
        errors.append(found.ece)
        assert found.ece > 0
    assert flagged / n_sets <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_sets)
    assert np.mean(errors) == pytest.approx(found.null_ece.mean(), rel=0.1)


@pytest.mark.parametrize(
    "law",
    [
        lambda rng: rng.beta(0.3, 3, 1500),
        lambda rng: rng.random(1500),
        lambda rng: 0.02 * rng.random(1500) ** 3,
        lambda rng: 1 - 0.3 * rng.random(1500) ** 6,
    ],
)
def test_redrawn_in_groups_has_the_same_law(law):
    rng = np.random.default_rng(3)
    p = law(rng)
    keywords = {"n_bins": 15, "min_samples": 20, "n_redraws": 4000, "rng": rng}
    alone = calibration_of(p, p > 0.5, **keywords)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hierviz.metrics.calibration.ONE_BY_ONE", 0)
        grouped = calibration_of(p, p > 0.5, **keywords)
    for level in (0.05, 0.5, 0.95):
        assert np.quantile(alone.null_ece, level) == pytest.approx(np.quantile(grouped.null_ece, level), rel=0.05)


def test_wilson():
    stats = pytest.importorskip("scipy.stats")
    for events, n in ((0, 20), (3, 20), (20, 20), (500, 1000)):
        for confidence in (0.9, 0.95):
            expected = stats.binomtest(events, n).proportion_ci(confidence, method="wilson")
            same(wilson(events, n, confidence), expected)


def test_some_samples_are_looked_at_where_there_are_many(taxonomy):
    rng = np.random.default_rng(4)
    p = rng.dirichlet(np.ones(4), 500)
    predictions = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=rng.choice(taxonomy.leaves, 500))
    found = hv.diagnosis.reliability(predictions, nodes=[1], depths=[2], max_samples=100)
    assert (found.n_samples, found.n_used, found.n.tolist()) == (500, 100, [100, 100])
    assert found.subjects == ["mammal", "depth 2"]
    assert len(found.to_frame()) == 2
    assert len(found.to_frame(of_bins=True)) == found.offsets[-1]
    again = hv.diagnosis.reliability(hv.evaluation.judged_answers(predictions), nodes=[1], depths=[2], max_samples=100)
    assert again.ece.tolist() == found.ece.tolist()
    few = hv.diagnosis.reliability(predictions.replace(truth=np.where(np.arange(500) < 10, predictions.truth, -1)))
    assert np.isnan(few.ece).all()
    assert not few.is_flagged.any()


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"nodes": [9]}, r"^nodes: expected node numbers from 0 to 6"),
        ({"depths": [3]}, r"^depths: expected depths from 1 to 2, got \[3\]\."),
        ({"n_bins": 0}, r"^n_bins: expected a whole number >= 1, got 0\."),
        ({"max_samples": "all"}, r"^max_samples: expected a whole number >= 1, got 'all'\."),
        ({"confidence": 95}, r"^confidence: expected a number between 0 and 1, got 95\."),
        ({"tests": {"q": 0.1}}, r"^tests: expected a ManyTests, got dict"),
    ],
)
def test_errors(taxonomy, keywords, says):
    p = np.full((30, 4), 0.25)
    predictions = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=np.full(30, 2))
    with pytest.raises(hv.PredictionsError, match=says):
        hv.diagnosis.reliability(predictions, **keywords)


def test_what_has_no_calibration(taxonomy):
    with pytest.raises(hv.PredictionsError, match="expected scores, got labels, which have no probabilities"):
        hv.diagnosis.reliability(hv.Predictions.from_labels(taxonomy, [2], truth=[2]))
    with pytest.raises(hv.PredictionsError, match="expected samples with a known truth, got none"):
        hv.diagnosis.reliability(hv.Predictions.from_scores(taxonomy, np.full((1, 4), 0.25), "leaf_probabilities"))
    with pytest.raises(hv.PredictionsError, match=r"^reliability: expected a Predictions, got list"):
        hv.diagnosis.reliability([1])
