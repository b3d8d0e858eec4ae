"""A gate: its intervals by hand and by exact enumeration, its verdicts, parts, groups and runs against plain definitions."""

import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

import hierviz as hv
from hierviz.comparison.gating._gate import limits_of
from hierviz.comparison.gating.gate_result import Gate, GateRow, verdict_of
from hierviz.comparison.gating.margins import effective_units, margin_interval, margin_p_values, score_margin
from hierviz.diagnosis.many_tests import holm
from tests.comparison.gate_worlds import TREE, models, predictions

HARD = "predicted.exact"


def gate(*args, resamples=100, **how):
    return hv.comparison.gate(*args, resamples=resamples, **how)


@pytest.fixture(scope="module")
def pair():
    """300 samples, of which the candidate guesses a third, with a column of sites."""
    sites = np.array(["north", "south", "east"])[np.arange(300) % 3]
    both = [model.replace(attributes={"site": sites, "user": np.arange(300) // 5}) for model in models(300, 3, 0.3)]
    return [hv.Evaluation.from_predictions(model) for model in both]


# Intervals -----------------------------------------------------------------------------------------------------------


def test_interval_by_hand():
    # t(0.975, 9) = 2.262157; 2.262157 * sqrt(0.01 + (2.262157 * 0.1)²) = 2.262157 * sqrt(0.0611736) = 0.559505.
    lower, upper = margin_interval(-0.2, 0.01, 9, 0.1, 0.95)
    assert (lower, upper) == pytest.approx((-0.2 - 0.559505, -0.2 + 0.559505), abs=1e-6)
    # Without differences among 100 samples: t² / n = 1.984217² / 100.
    assert margin_interval(0.0, 0.0, 99, 0.01, 0.95)[1] == pytest.approx(0.0393712, abs=1e-7)
    # With no reach it is Student's interval.
    low, high = margin_interval(0.3, 0.04, 11, 0.0, 0.95)
    assert (low, high) == pytest.approx(stats.t.interval(0.95, 11, 0.3, 0.2), rel=1e-9)


@given(
    *(st.floats(-1, 1), st.floats(0, 0.1), st.integers(9, 5000), st.floats(0, 0.1), st.floats(0, 0.5)),
    st.sampled_from([0.8, 0.95, 0.99]),
)
@example(-1.4852513062543895e-173, 0.0, 9, 0.0625, 0.0, 0.8)
@example(-5e-324, 0.0, 9, 0.0625, 0.0, 0.8)
@example(-0.5, 0.0, 9, 0.0, 0.0, 0.99)
def test_p_value_is_small_exactly_where_the_interval_is_below(estimate, variance, degrees, reach, limit, level):
    _, upper = margin_interval(estimate, variance, degrees, reach, level)
    p = float(margin_p_values(estimate, variance, degrees, reach, limit))
    assert 0 <= p <= 1
    if abs(upper + limit) > 1e-7:
        assert (upper < -limit) == (p < (1 - level) / 2)


def test_score_interval_by_hand():
    # No pair differs: Wilson's and Tango's interval of a share never seen, t² / (n + t²), with t(0.975, 11) = 2.200985.
    lower, upper, p = score_margin(0, 0, 12, 0.04, 0.95)
    assert (-lower, upper) == pytest.approx([2.200985**2 / (12 + 2.200985**2)] * 2, abs=1e-6)
    assert p > 0.5
    many = score_margin(40, 60, 100_000, 0.01, 0.95)
    np.testing.assert_allclose(many[:2], hv.uncertainty.score_interval(40, 60, 100_000), atol=1e-7)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 200), st.floats(0, 0.3))
def test_score_p_value_is_small_exactly_where_the_interval_is_below(gained, lost, ties, limit):
    n = gained + lost + ties
    if n < 2:
        return
    lower, upper, p = score_margin(gained, lost, n, limit, 0.95)
    assert lower < (gained - lost) / n < upper or abs(gained - lost) == n
    assert upper - lower > 0
    if abs(upper + limit) > 1e-7:
        assert (upper < -limit) == (p < 0.025)


def pmf(n, gain, loss):
    """Counts (gained, lost) of n pairs and their probability."""
    gained, lost = (of.ravel() for of in np.meshgrid(np.arange(n + 1), np.arange(n + 1)))
    gained, lost = gained[gained + lost <= n], lost[gained + lost <= n]
    counts = np.stack([gained, lost, n - gained - lost], axis=1)
    return gained, lost, stats.multinomial.pmf(counts, n, [gain, loss, 1 - gain - loss])


@pytest.mark.parametrize("differ", [0.02, 0.1, 0.3, 0.6, 1.0])
def test_twelve_samples_are_never_enough(differ):
    """By the exact law, without simulation: exit 3 in at least 95 % of all data sets of twelve samples."""
    for drop in (0.0, 0.04, 0.08):
        if drop > differ:
            continue
        gained, lost, p = pmf(12, (differ - drop) / 2, (differ + drop) / 2)
        lower, upper, _ = score_margin(gained, lost, 12, 0.04, 0.95)
        assert p[(lower > -0.04) | (upper < -0.04)].sum() <= 0.05


@pytest.mark.parametrize("n", [12, 60, pytest.param(150, marks=pytest.mark.long)])
@pytest.mark.parametrize("differ", [0.04, 0.1, 0.5])
def test_at_the_limit_a_share_passes_in_at_most_5_percent(n, differ):
    gained, lost, p = pmf(n, (differ - 0.04) / 2, (differ + 0.04) / 2)
    lower, _, _ = score_margin(gained, lost, n, 0.04, 0.95)
    assert p[lower > -0.04].sum() <= 0.05


@pytest.mark.parametrize("n", [60, 200, 380, 400, 600, 1500])
def test_rare_failures_at_the_limit(n):
    """A model that loses all on 1 % of the samples and is otherwise the same: a bootstrap alone passes it where none is drawn."""
    lost = np.arange(n + 1)
    estimate, variance = -lost / n, lost / n * (1 - lost / n) / (n - 1)
    lower, _ = margin_interval(estimate, variance, n - 1, 1 / n, 0.95)
    passes = stats.binom.pmf(lost, n, 0.01)
    assert passes[lower > -0.01].sum() <= 0.05
    plain, _ = margin_interval(estimate, variance, n - 1, 0.0, 0.95)
    assert passes[plain > -0.01].sum() > passes[lower > -0.01].sum()


def test_holm_by_hand():
    # 0.01 * 3, 0.02 * 2, then the largest so far: 0.04 * 1.
    assert holm([0.02, np.nan, 0.04, 0.01]) == pytest.approx([0.04, np.nan, 0.04, 0.03], nan_ok=True)
    assert holm([0.6, 0.9]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []


def test_verdicts():
    assert verdict_of(-0.009, 0.5, 0.01, 0.95) == "holds"
    assert verdict_of(-0.01, 0.5, 0.01, 0.95) == "not clear"
    assert verdict_of(-0.05, 0.025, 0.01, 0.95) == "fails"
    assert verdict_of(math.nan, math.nan, 0.01, 0.95) == "not clear"


# The whole --------------------------------------------------------------------------------------------------------------


def test_a_curve_against_its_table(pair):
    """Value, difference and variance are those of `hv.compare`; only the interval is the gate's."""
    found = gate(*pair, resamples=200)
    (row,) = found.rows
    table = hv.compare({"a": pair[0], "b": pair[1]}, metrics="curve.ac", resamples=200)
    first, second = table.methods
    assert (row.baseline, row.candidate) == (first.value("curve.ac"), second.value("curve.ac"))
    draws = second.draws["curve.ac"] - first.draws["curve.ac"]
    t = stats.t.ppf(0.975, 299)
    # One sample can move an area by 2 in 300: see the next test.
    half = t * math.sqrt(draws.var(ddof=1) * 300 / 299 + (t * 2 / 300) ** 2)
    assert (row.lower, row.upper) == pytest.approx((row.difference - half, row.difference + half), rel=1e-9)
    assert (row.limit, row.verdict, found.code, found.passed) == (0.01, "fails", 1, False)
    assert found.n_samples == 300


def test_one_sample_moves_an_area_by_almost_two_in_n():
    """Of 99 that are right with certainty and one that is wrong so: correct .99 up to the specificity .99, 1 - .99²."""
    truth = np.arange(100) % 12
    p = np.eye(12)[truth]
    right = predictions(truth, 40 * p, "right")
    p[0] = np.eye(12)[11]
    wrong = predictions(truth, 40 * p, "wrong")
    areas = [hv.Evaluation.from_predictions(of).curve.summary()["ac"] for of in (right, wrong)]
    assert areas == pytest.approx([1, 0.99**2], abs=1e-9)


def test_codes(pair):
    assert gate(*pair, {"curve.ac": 0.9}).code == 0
    assert gate(*pair[::-1]).code == 0  # clearly better
    few = [hv.Evaluation.from_predictions(model) for model in models(12, 5)]
    assert gate(*few).code == 3
    assert (
        gate(*[hv.Evaluation.from_predictions(model) for model in models(9, 5)])
        .rows[0]
        .reason.startswith("9 samples are too")
    )
    # One that holds and one that does not: the worst counts.
    assert gate(*pair, [f"{HARD}=0.9", "curve.ac=0.01"]).code == 1
    assert gate(*few, "predicted.correct=0.99,curve.ac=0.04").code == 3


def test_lower_is_better_is_turned(pair):
    (row,) = gate(*pair, {"predicted.info_dist": 0.1}).rows
    assert row.candidate > row.baseline
    assert row.difference == pytest.approx(row.baseline - row.candidate)
    assert row.verdict == "fails"
    assert gate(*pair[::-1], {"predicted.info_dist": 0.1}).passed


def test_shares_have_a_score_interval(pair):
    (row,) = gate(*pair, HARD).rows
    right = [of.per_sample()["exact"] for of in pair]
    gained, lost = int((right[1] > right[0]).sum()), int((right[1] < right[0]).sum())
    lower, upper, p = score_margin(gained, lost, 300, 0.01, 0.95)
    assert (row.lower, row.upper, row.p_value) == (lower, upper, p)
    # All right in both, by other scores: no zero width.
    few = [predictions(np.arange(12) % 12, 9 * np.eye(12) + 0.01 * k, f"m{k}") for k in (0, 1)]
    few[1] = few[1].replace(
        scores=np.asarray(few[1].scores) ** 1.1 / (np.asarray(few[1].scores) ** 1.1).sum(1, keepdims=True)
    )
    (row,) = gate(*few, HARD).rows
    assert (row.difference, row.verdict) == (0.0, "not clear")
    assert row.lower < -0.2 < 0.2 < row.upper


def test_the_same_answers_pass(pair):
    found = gate(pair[0], pair[0].predictions.replace(name="again"), [HARD, "curve.ac", "distribution.neg_log_win=0.1"])
    assert found.code == 0
    assert {row.verdict for row in found.rows} == {"same answers"}
    labels = [hv.Predictions.from_labels(TREE, TREE.leaves[:6], truth=TREE.leaves[:6]) for _ in range(2)]
    assert gate(*labels, "labels.subset_accuracy").code == 0
    changed = hv.Predictions.from_labels(TREE, TREE.leaves[[0, 1, 2, 3, 4, 6]], truth=TREE.leaves[:6])
    assert gate(labels[0], changed, "labels.subset_accuracy").code == 3


def test_the_same_scores_by_another_rule_or_threshold_are_judged(pair):
    again = pair[0].predictions.replace(name="again")
    for how in ({"rule": ["majority", "leaf"]}, {"rule": "threshold", "threshold": [0.9, 0.5]}):
        found = gate(pair[0], again, [HARD, "curve.ac"], **how)
        assert found.code == 1
        exact, area = found.rows
        assert exact.verdict == "fails"
        assert exact.difference < -0.05
        assert area.verdict == "same answers"  # the curve has all thresholds


def test_numbers_of_all_probabilities_may_differ_where_the_answers_do_not():
    """The leaves c to f are never an answer, at no threshold, but a Brier score has them."""
    edges = [("r", "A"), ("r", "B"), ("A", "a"), ("A", "b"), *(("B", leaf) for leaf in "cdef")]
    tree = hv.Taxonomy.from_edges(edges)
    rows = [[0.5, 0.25, *others] for others in ([0.0625] * 4, [0.25, 0, 0, 0])]
    truth = np.full(400, tree.leaves[0])
    both = [
        hv.Predictions.from_scores(tree, np.tile(row, (400, 1)), "leaf_probabilities", truth=truth, name=str(k))
        for k, row in enumerate(rows)
    ]
    found = gate(*both, {"probabilities.brier": 0.001, "curve.ac": 0.001})
    assert found.rows[0].difference == pytest.approx(0.328125 - 0.375)
    assert [row.verdict for row in found.rows] == ["fails", "same answers"]


@pytest.mark.parametrize("key", ["predicted.info_dist", "predicted.depth_dist"])
def test_models_without_errors_may_still_lose_many_bits(key):
    """A number that is 0 for all samples at hand is no share: one failure costs up to the longest way in the tree."""
    truth = np.arange(240) % 12
    few = [predictions(truth, k * np.eye(12)[truth], f"m{k}") for k in (8, 9)]
    (row,) = gate(*few, {key: 0.05}).rows
    longest = 2 * (TREE.information.max() if key.endswith("info_dist") else TREE.depth.max())
    t = stats.t.ppf(0.975, 239)
    assert (row.lower, row.upper) == pytest.approx((-(t**2) * longest / 240, t**2 * longest / 240))
    assert row.verdict == "not clear"
    kinds = [model.replace(attributes={"kind": np.repeat("all", 240)}) for model in few]
    (part,) = gate(*kinds, {key: 0.05}, by="kind").parts
    assert (part.lower, part.upper) == pytest.approx((row.lower, row.upper))


def test_an_infinite_loss_fails_and_an_infinite_baseline_says_nothing():
    truth = np.arange(60) % 12
    finite = predictions(truth, 3 * np.eye(12)[truth], "finite")
    p = np.asarray(finite.scores).copy()
    p[0] = np.eye(12)[1]
    infinite = hv.Predictions.from_scores(TREE, p, "leaf_probabilities", truth=finite.truth, name="infinite")
    key = {"distribution.cross_entropy": 0.5}
    assert gate(finite, infinite, key).code == 1
    assert gate(infinite, infinite.replace(scores=p[:, ::1] * 1.0, name="same"), key).code == 0
    back = gate(infinite, finite, key)
    assert (back.code, back.rows[0].verdict) == (3, "not clear")
    assert "infinite" in back.rows[0].reason
    # More samples would not help, and the sentence does not say so.
    assert back.sentence.startswith(
        "No interval, so that nothing can be said: distribution.cross_entropy (that of the baseline is"
    )
    sites = {"site": np.array(["here", "there"])[np.arange(60) % 2]}
    parts = gate(finite.replace(attributes=sites), infinite.replace(attributes=sites), key, by="site").parts
    assert [(row.part, row.verdict, row.upper) for row in parts] == [
        ("here", "fails", -np.inf),
        ("there", "holds", parts[1].upper),
    ]
    backwards = gate(infinite.replace(attributes=sites), finite.replace(attributes=sites), key, by="site").parts
    assert [row.verdict for row in backwards] == ["not clear", "holds"]
    assert "no candidate could fail" in backwards[0].reason


def test_a_limit_of_the_longest_way_is_refused():
    largest = 2 * int(TREE.depth.max())
    for text in (f"predicted.depth_dist={largest}", f"top_down.error_lca_height={largest}", "predicted.info_dist=1000"):
        with pytest.raises(hv.PredictionsError, match="no candidate could fail"):
            limits_of(TREE, text)
    assert limits_of(TREE, f"predicted.depth_dist={largest - 0.1}")


def test_names_from_files_are_one_printable_line_and_never_its_start(pair):
    """The programs that run a gate read commands from the lines of its log."""
    sites = np.array(["a\n::error::owned", "b\x1b[31m\r"])[np.arange(300) % 2]
    both = [of.predictions.replace(attributes={"site": sites}) for of in pair]
    text = gate(*both, f"{HARD}=0.5", by="site").to_text()
    assert "a ::error::owned (150)" in text
    assert not any(line.startswith(("a ", "b", ":")) for line in text.splitlines())
    assert all(line.isprintable() for line in text.splitlines())


def test_samples_without_a_value_are_said(pair):
    sites = np.array(["here", "unknown", ""])[np.arange(300) % 3]
    both = [of.predictions.replace(attributes={"site": sites}) for of in pair]
    found = gate(*both, f"{HARD}=0.5", by="site")
    assert [(row.part, row.n) for row in found.parts] == [("here", 100), ("no value", 100), ("unknown", 100)]
    assert '100 samples have no site: they are the part "no value"' in found.notes


def test_three_metrics_fail_by_holm(pair):
    keys = ["curve.ac", HARD, "distribution.softmax_win"]
    rows = gate(*pair, keys).rows
    alone = [gate(*pair, [key]).rows[0] for key in keys]
    assert [row.p_value for row in rows] == [row.p_value for row in alone]
    assert [row.p_adjusted for row in rows] == holm([row.p_value for row in alone]).tolist()


def test_groups_are_drawn_whole(pair):
    found = gate(*pair, HARD, group="user")
    assert found.n_groups == 60
    (row,) = found.rows
    right = [of.per_sample()["exact"].astype(float) for of in pair]
    d = (right[1] - right[0]).reshape(60, 5)
    draws = np.array([d[np.random.default_rng(k).integers(0, 60, 60)].mean() for k in range(2000)])
    t = stats.t.ppf(0.975, 59)
    half = t * math.sqrt(draws.var() * 60 / 59 + (t / 60) ** 2)
    assert row.upper - row.lower == pytest.approx(2 * half, rel=0.15)  # 100 resamples


def test_groups_of_other_sizes_count_as_fewer():
    """By hand, and by simulation: groups of 1 to 200 samples that fail as a whole."""
    assert effective_units(np.array([4, 2, 2])) == pytest.approx(64 / 24)
    both = models(300, 3, 0.3)
    # 20 groups of 5 and one of 200: 300² / (20 * 25 + 40000) = 2.222.
    users = np.append(np.repeat(np.arange(20), 5), np.full(200, 20))
    both = [of.replace(attributes={"user": users, "all": np.repeat("x", 300)}) for of in both]
    found = gate(*both, ["predicted.info_f1", "curve.ac"], group="user", by="all")
    n_effective = 300**2 / 40500
    t = stats.t.ppf(0.975, n_effective - 1)
    for row in [*found.rows, *found.parts]:
        assert (row.upper - row.lower) / 2 >= t**2 / n_effective
    assert any("21 groups differ in size and say as much as 2 of one size" in note for note in found.notes)
    values = [hv.Evaluation.from_predictions(of).per_sample()["info_f1"] for of in both]
    d = values[1] - values[0]
    totals = np.bincount(users, d - d.mean())
    half = t * math.sqrt((totals**2).sum() * 21 / 20 / 300**2 + (t / n_effective) ** 2)
    part = found.parts[0]
    assert (part.lower, part.upper) == pytest.approx((part.difference - half, part.difference + half))
    rng, passed = np.random.default_rng(1), {"counted": 0, "groups": 0}
    for _ in range(400):
        sizes = np.minimum((1 / rng.random(60)).astype(int), 200)
        n, lost = sizes.sum(), np.where(rng.random(60) < 0.3, sizes, 0)
        drop = -lost.sum() / n
        variance = ((lost + drop * sizes) ** 2).sum() * 60 / 59 / n**2
        for name, units in (("counted", effective_units(sizes)), ("groups", 60)):
            passed[name] += margin_interval(drop, variance, max(units - 1, 1), 1 / units, 0.95)[0] > -0.3
    assert passed["counted"] <= 400 * 0.05
    assert passed["groups"] >= 400 * 0.1  # what is mended


def test_runs_add_to_the_interval(pair):
    again = [hv.Evaluation.from_predictions(model) for model in models(300, 3, 0.6)]
    (one,) = gate(pair[0], pair[1]).rows
    several = gate(pair[0], [pair[1], again[1]])
    (row,) = several.rows
    assert row.upper - row.lower > 2 * (one.upper - one.lower)
    assert any("1 run of the baseline" in note for note in several.notes)


# Parts --------------------------------------------------------------------------------------------------------------------


def naive_part(d, limit):
    """Difference, ends and p-value of the values of one part, of a mean that is no share."""
    n, t = len(d), stats.t.ppf(0.975, len(d) - 1)
    half = t * math.sqrt(d.var(ddof=1) / n + (t / n) ** 2)
    return d.mean(), d.mean() - half, d.mean() + half


def test_parts_by_plain_loops(pair):
    key = "predicted.info_f1"
    values = [of.per_sample()["info_f1"] for of in pair]
    d, sites = values[1] - values[0], pair[0].predictions.attributes["site"]
    found = gate(*pair, key, by="site")
    assert [row.part for row in found.parts] == ["east", "north", "south"]
    for row in found.parts:
        mean, lower, upper = naive_part(d[sites == row.part], 0.01)
        assert (row.difference, row.lower, row.upper) == pytest.approx((mean, lower, upper), rel=1e-9)
        assert row.baseline == pytest.approx(values[0][sites == row.part].mean())
        assert row.n == 100
    found = gate(*pair, [key, HARD], by="node")
    truth = np.asarray(pair[0].truth)
    assert len(found.parts) == 2 * (TREE.n_nodes - 1)
    for row in found.parts:
        below = [TREE.names[node] for node in range(TREE.n_nodes) if row.part in (TREE.names[node], *up(node))]
        inside = np.isin([TREE.names[node] for node in truth], below)
        assert row.n == inside.sum()
        if row.key == key:
            assert row.lower == pytest.approx(naive_part(d[inside], 0.01)[1], rel=1e-9)


def up(node):
    """Names of the ancestors of a node."""
    while (node := int(TREE.parent[node])) > 0:
        yield TREE.names[node]


def test_parts_of_a_curve_are_gates_of_their_own(pair):
    found = gate(*pair, by="site")
    rows = np.flatnonzero(pair[0].predictions.attributes["site"] == "north")
    own = gate(*(of.predictions.take(rows) for of in pair)).rows[0]
    part = next(row for row in found.parts if row.part == "north")
    for name in ("n", "baseline", "candidate", "difference", "lower", "upper", "p_value"):
        assert getattr(part, name) == pytest.approx(getattr(own, name), rel=1e-9)


def test_parts_change_the_code_only_where_they_are_asked_for():
    """One site of ten loses all: too little for the whole."""
    both = models(1000, 4)
    sites, p = np.arange(1000) % 10, np.asarray(both[1].scores).copy()
    hit = np.flatnonzero(sites == 7)
    p[hit] = np.roll(p[hit], 5, axis=1)
    both = [both[0], both[1].replace(scores=p)]
    both = [hv.Evaluation.from_predictions(model.replace(attributes={"site": sites})) for model in both]
    limits = {"predicted.exact": 0.2}
    assert gate(*both, limits).code == 0
    found = gate(*both, limits, by="site")
    assert found.code == 1
    assert [row.part for row in found.failed] == ["7"]
    assert gate(*both, limits, by="site", max_drop=0.99).code == 0
    assert gate(*both, limits, by="depth", max_drop=0.2).code == 0


def test_parts_have_the_weights_of_the_whole(pair):
    weights = np.ones(TREE.n_nodes)
    weights[TREE.leaves[0]] = 50
    both = [of.predictions.replace(attributes={"all": np.repeat("x", 300)}) for of in pair]
    found = gate(*both, {"curve.balanced_ac": 0.3}, by="all", class_weights=weights)
    for name in ("baseline", "candidate", "difference", "lower", "upper"):
        assert getattr(found.parts[0], name) == pytest.approx(getattr(found.rows[0], name), rel=1e-9)


def test_a_part_of_nine_is_too_few(pair):
    names = np.where(np.arange(300) < 9, "rare", "usual")
    both = [of.predictions.replace(attributes={"kind": names}) for of in pair]
    for key in ("curve.ac", HARD, "predicted.info_f1"):
        rare = next(row for row in gate(*both, key, by="kind").parts if row.part == "rare")
        assert (rare.n, rare.verdict) == (9, "not clear")
        assert "9 samples are too few" in rare.reason


# What is refused, and forms --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metrics", "words"),
    [
        ("curve.acc", "expected numbers of `evaluate`"),
        ("curve.ac=x", "expected KEY=LIMIT"),
        ("curve.ac=-1", "a number >= 0"),
        ("curve.ac=nan", "a number >= 0"),
        (
            "predicted.exact=2",
            r"predicted\.exact: .* less than 1, .*no candidate could fail\. Two percentage points are 0\.02",
        ),
        ("curve.ac=1", "less than 1"),
        ("probabilities.brier=2", "less than 2"),
        ("curve.ac,curve.ac=.1", "curve.ac twice"),
        ("confusion.tp", "a count"),
        ("predicted.n_coarse", "a count"),
        ("predicted.info_dist", "predicted.info_dist=LIMIT"),
        ("", "expected at least one"),
    ],
)
def test_bad_metrics(metrics, words):
    with pytest.raises(hv.PredictionsError, match="(?s)" + words):
        limits_of(TREE, metrics)


def test_bad_input(pair):
    labels = hv.Predictions.from_labels(TREE, pair[0].truth, truth=pair[0].truth)
    with pytest.raises(hv.PredictionsError, match=r"none for curve\.ac of the candidate: they need scores"):
        gate(labels, labels.replace(name="b"))
    with pytest.raises(hv.PredictionsError, match="by: expected depth, node or a column"):
        gate(*pair, by="sight")
    with pytest.raises(hv.PredictionsError, match="max_drop: expected parts"):
        gate(*pair, max_drop=0.1)
    with pytest.raises(hv.PredictionsError, match="resamples"):
        gate(*pair, resamples=10)
    with pytest.raises(
        hv.PredictionsError, match=r"by: expected numbers that parts of the samples have, got labels\.f_max"
    ):
        gate(*pair, "labels.f_max=0.5", by="depth")
    with pytest.raises(
        hv.PredictionsError, match=r"max_drop: expected the largest drop of predicted\.exact .*less than 1"
    ):
        gate(*pair, HARD, by="site", max_drop=5)
    other = pair[0].predictions.replace(truth=np.roll(pair[0].predictions.truth, 1))
    with pytest.raises(
        hv.PredictionsError, match="baseline: expected the truth of candidate, got another one for sample"
    ):
        gate(other, pair[1], [HARD])
    with pytest.raises(hv.PredictionsError, match="baseline: expected at least one model"):
        gate([], pair[1])


def test_what_holm_changes_is_said(pair):
    """An interval below -limit that does not fail, since two metrics were asked for."""
    (row,) = gate(*pair, HARD).rows
    limit = round(-row.upper - 0.002, 4)
    assert gate(*pair, {HARD: limit}).code == 1
    found = gate(*pair, {HARD: limit, "predicted.correct": 0.9, "curve.ac": 0.9})
    assert (found.code, found.rows[0].verdict) == (3, "not clear")
    assert found.rows[0].upper < -limit
    assert "the interval is below −limit, but not after Holm's correction: p = " in found.to_text()
    assert "and 0.025 or less fails." in found.to_markdown()


def test_a_clear_drop_within_reach_of_the_limit_is_said(pair):
    """Not clear by the limit, but the whole interval is below 0; the limit is said once, with one sign."""
    (row,) = gate(*pair, HARD).rows
    limit = round(-row.difference, 2)
    assert row.lower < -limit < row.upper < 0
    found = gate(*pair, {HARD: limit})
    assert found.code == 3
    words = f"Clearly worse (the whole interval is below 0), but not clearly by more than the limit: {HARD}."
    assert found.sentence.endswith(words)
    assert words in found.to_text()
    assert words in found.to_markdown().replace("\\", "")
    (error,) = ET.fromstring(found.to_junit()).iter("error")
    message = error.get("message")
    assert message.endswith(f"limit {limit:.3f}: not clear, but clearly worse (the whole interval is below 0).")
    assert message.count("limit") == 1
    (failure,) = ET.fromstring(gate(*pair, HARD).to_junit()).iter("failure")
    assert failure.get("message").count("limit") == 1
    assert "Clearly worse" not in gate(*models(12, 5)).to_text()


def test_parts_of_several_units_are_ordered_by_their_limits():
    """One that fails first, then by drop divided by limit: 0.9 of 2 bits is less than 0.09 of 0.1."""
    info, exact = (one.column for one in limits_of(TREE, "predicted.info_dist=2,predicted.exact=0.1"))

    def row(column, part, difference, limit, verdict="not clear"):
        return GateRow(column, part, 50, 0.5, 0.5, difference, -1.0, 1.0, limit, 0.5, 0.5, verdict)

    rows = [row(info, f"{k}", 0.0, 2.0, "holds") for k in range(25)]
    rows += [row(info, "bits", -0.9, 2.0), row(exact, "share", -0.09, 0.1), row(exact, "bad", -0.05, 0.02, "fails")]
    text = Gate(("a", "b"), [], rows, "site", 0.95, 300).to_text()
    assert "; 20 are listed, those that fail first, each by drop divided by limit:" in text
    listed = [line.split(" (")[0] for line in text.splitlines() if " (50) " in line]
    assert (listed[:3], len(listed)) == (
        ["predicted.exact of bad", "predicted.exact of share", "predicted.info_dist of bits"],
        20,
    )
    none = [row(exact, "better", 0.3, 0.0), row(exact, "worse", -0.1, 0.0), row(exact, "same", 0.0, 0.0)]
    text = Gate(("a", "b"), [], none, "site", 0.95, 300).to_text()
    assert [line.split()[2] for line in text.splitlines() if " (50)" in line] == ["worse", "same", "better"]


def test_both_sides_that_lack_samples_are_named():
    whole = models(40, 2)
    ids = np.array([f"s{k:02}" for k in range(40)])
    a, b = (of.replace(sample_ids=ids).take(rows) for of, rows in zip(whole, (np.arange(30), np.arange(9, 40))))
    words = (
        r"^baseline main: expected the 31 samples of candidate change, got 21 of them, 10 missing \('s30', 's31' and 8 more\); "
        r"candidate change lacks 9 of the 30 of baseline main \('s00', 's01' and 7 more\)\. Give both the same samples"
    )
    with pytest.raises(hv.PredictionsError, match=words):
        gate(a, b)
    with pytest.raises(hv.PredictionsError, match=r"candidate change: expected the 40 .* got 12 of them, 28 missing"):
        gate(whole[0], whole[1].take(np.arange(12)))


def test_parts_without_an_interval_are_counted_and_not_listed(pair):
    names = np.where(np.arange(300) < 9, "rare", "usual")
    found = gate(*(of.predictions.replace(attributes={"kind": names}) for of in pair), HARD, by="kind")
    assert (
        "By kind: 1 of 2 fail, 0 hold, 0 are not clear, 1 has no interval (fewer than 10 samples):" in found.to_text()
    )
    assert "rare" not in found.to_text()
    assert {row["part"] for row in found.to_dict()["gate"]["parts"]} == {"rare", "usual"}
    users = np.where(np.arange(300) < 9, "a", "b")
    found = gate(*(of.predictions.replace(attributes={"user": users}) for of in pair), HARD, by="user", group="user")
    assert (
        "By user: 0 of 2 fail, 0 hold, 0 are not clear, 2 have no interval (fewer than 10 groups)." in found.to_text()
    )


def test_forms(pair):
    odd = np.where(np.arange(300) < 150, "a|b <c> & \x01", "plain")
    both = [of.predictions.replace(attributes={"odd": odd}) for of in pair]
    found = gate(*both, [HARD, "predicted.info_f1=0.9"], by="odd")
    suites = ET.fromstring(found.to_junit())
    counts = {key: int(suites.get(key)) for key in ("tests", "failures", "errors", "skipped")}
    cases = list(suites.iter("testcase"))
    assert counts["tests"] == len(cases) == 6
    assert counts["failures"] == len(list(suites.iter("failure"))) == len(found.failed)
    assert "predicted.exact [a|b <c> & �]" in {case.get("name") for case in cases}
    few = gate(*models(12, 5))
    (error,) = ET.fromstring(few.to_junit()).iter("error")  # never green
    assert "not clear" in error.get("message")
    lines = found.to_markdown().splitlines()
    assert lines[0] == "### ❌ hierviz gate: fails"
    assert sum(line.startswith("| ") for line in lines) == 2 + 2 + 2 + 4
    assert r"a\|b \<c\> &" in found.to_markdown()
    assert found.to_text().startswith("FAILS (exit 1). The candidate is worse")
    said = found.to_dict()["gate"]
    assert (said["code"], said["verdict"], len(said["metrics"]), len(said["parts"])) == (1, "fails", 2, 4)
    assert said["metrics"][0]["interval"] == [found.rows[0].lower, found.rows[0].upper]
    frame = found.to_frame()
    assert frame["verdict"].tolist() == [row.verdict for row in [*found.rows, *found.parts]]


def test_parts_are_counted_by_verdict(pair):
    sites = np.array(["large", "small"])[(np.arange(300) >= 296).astype(int)]
    sites[100:200] = "other"
    both = [of.predictions.replace(attributes={"site": sites, "one": np.arange(300)}) for of in pair]
    text = gate(*both, HARD + "=0.9", by="site").to_text()
    assert "By site: 0 of 3 fail, 2 hold, 0 are not clear, 1 has no interval (fewer than 10 samples):" in text
    listed = [line for line in text.splitlines() if line.startswith(f"{HARD} of ")]
    drops = [float(line.split()[6].replace("−", "-")) for line in listed]
    assert len(drops) == 2
    assert drops == sorted(drops)
    assert "one that is not clear changes nothing" in text
    several = gate(*both, f"{HARD}=0.9,curve.ac=0.9", by="site").to_text()
    assert "By site, 3 parts by 2 metrics: 0 of 6 fail, " in several
    alone = gate(*both, HARD + "=0.9", by="one").to_text()
    assert "By one: 0 of 300 fail, 0 hold, 0 are not clear, 300 have no interval" in alone
    unclear = gate(*both, HARD + "=0.3", by="site").parts
    n_unclear = sum(row.verdict == "not clear" and not math.isnan(row.lower) for row in unclear)
    n_failed = sum(row.verdict == "fails" for row in unclear)
    said = f"{n_unclear} {'is' if n_unclear == 1 else 'are'} not clear"
    assert f"By site: {n_failed} of 3 fail, " in gate(*both, HARD + "=0.3", by="site").to_text()
    assert said in gate(*both, HARD + "=0.3", by="site").to_text()


def test_per_cent_are_translated():
    for text, words in (("curve.ac=1%", r"Write curve\.ac=0\.01\."), ("curve.ac=2.5 %", r"Write curve\.ac=0\.025\.")):
        with pytest.raises(hv.PredictionsError, match=rf"expected KEY=LIMIT .*{words}"):
            limits_of(TREE, text)
    with pytest.raises(hv.PredictionsError, match="less than 1"):
        limits_of(TREE, "curve.ac=1")


def test_the_same_answers_are_not_resampled(pair, monkeypatch):
    """Their interval is that of many resamples, which all differ by 0."""
    drawn = []
    draw = hv.uncertainty.Resamples.draw
    monkeypatch.setattr(hv.uncertainty.Resamples, "draw", lambda n, k, *args: drawn.append(k) or draw(n, k, *args))
    again = pair[0].predictions.replace(name="again")
    row, area = gate(pair[0], again, ["predicted.info_f1", "curve.ac"], resamples=5000).rows
    assert max(drawn) < 50
    t = stats.t.ppf(0.975, 299)
    assert (row.lower, row.upper) == pytest.approx((-(t**2) / 300, t**2 / 300))
    assert (row.verdict, area.verdict) == ("same answers", "same answers")
    gate(*pair, "curve.ac", resamples=200)
    assert drawn[-1] == 200


def test_runs_are_named(pair):
    named = [pair[1].predictions.replace(name=f"seed{k}") for k in range(5)]
    found = gate(pair[0], named)
    assert found.names == (pair[0].predictions.name, "seed0, seed1, seed2 and 2 more")
    assert "Candidate seed0, seed1, seed2 and 2 more against" in found.to_text()
