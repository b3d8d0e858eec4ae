"""Two models at equal correctness and equal specificity, against loops; what an increasing map and equal models give."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.uncertainty.comparison import no_clear_difference

TREE = hv.Taxonomy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("b", "b2"), ("b", "b3")]
)


def simulated(rng, n, skill=(2.0, 2.0), taxonomy=TREE):
    """(truth, p of each model): logits that favour the truth, independent between the models given the truth."""
    leaves = taxonomy.leaves
    place = rng.integers(0, len(leaves), n)
    models = []
    for gain in skill:
        logits = rng.normal(size=(n, len(leaves)))
        logits[np.arange(n), place] += gain
        models.append(hv.node_probabilities(taxonomy, logits, "flat_softmax"))
    return leaves[place], models


@many
@given(strategies.judged(), st.sampled_from(["info_recall", "exact", "depth_recall"]))
def test_steps_against_loops(case, key):
    _, taxonomy, p, truth = case
    curve = hv.operating_curve(taxonomy, truth, p)
    points = list(zip(curve.values["correct"].tolist(), curve.values[key].tolist()))
    levels = [0, 0.5, 1, *{c for c, _ in points}, *{x for _, x in points}, 1.01]
    found, other = hv.curves.specificity_at(curve, levels, key), hv.curves.correctness_at(curve, levels, key)
    for place, level in enumerate(levels):
        assert found[place] == max((x for c, x in points if c >= level), default=0)
        reached = [c for c, x in points if x >= level]
        assert other[place] == max(reached) if reached else np.isnan(other[place])
    assert hv.curves.specificity_at(curve, 0.5, key) == found[1]


def test_a_difference_is_that_of_curves_made_anew_in_each_resample():
    truth, (a, b) = simulated(np.random.default_rng(1), 60)
    resamples = hv.uncertainty.Resamples.draw(60, 25, 3)
    found = hv.uncertainty.difference_of_models(
        TREE, truth, a, b, resamples, correct=[0.5, 0.7, 0.99], specificity=[0.2, 0.6]
    )
    for index in range(25):
        rows = np.repeat(np.arange(60), resamples.counts(index))
        one, other = (hv.operating_curve(TREE, truth[rows], p[rows]) for p in (a, b))
        assert found.at_correct.draws[index] == pytest.approx(
            hv.curves.specificity_at(one, [0.5, 0.7, 0.99]) - hv.curves.specificity_at(other, [0.5, 0.7, 0.99]),
            abs=1e-12,
        )
        assert found.at_specificity.draws[index] == pytest.approx(
            hv.curves.correctness_at(one, [0.2, 0.6]) - hv.curves.correctness_at(other, [0.2, 0.6]), abs=1e-12
        )
        for key in ("ac", "ap"):
            assert found.summary[key].draws[index] == pytest.approx(
                one.summary()[key] - other.summary()[key], abs=1e-12
            )
    # 60 samples leave 18 wrong at 70 %, and .6 at 99 %: no interval there.
    assert np.isnan(found.at_correct.lower).tolist() == [False, False, True]
    assert "too few samples for an interval" in hv.uncertainty.difference_sentence(
        ("A", "B"), _single(found.at_correct, 2), "Information recall at 99 % correct"
    )


def _single(interval, place):
    from hierviz.uncertainty.resamples import Interval

    return Interval(
        interval.estimate[place],
        interval.lower[place],
        interval.upper[place],
        interval.draws[:, place],
        interval.level,
        interval.resamples,
    )


def test_draws_without_the_number_take_the_interval_away():
    """Beyond the largest recall C(x) is undefined: in some draws only, or in all."""
    truth, (a, b) = simulated(np.random.default_rng(2), 50)
    resamples = hv.uncertainty.Resamples.draw(50, 200, 0)
    ends = [hv.operating_curve(TREE, truth, p).values["info_recall"].max() for p in (a, b)]
    wanted = [0.1, min(ends) - 1e-9, max(ends) + 0.5]
    found = hv.uncertainty.difference_of_models(TREE, truth, a, b, resamples, specificity=wanted)
    lacking = np.isnan(found.at_specificity.draws).mean(axis=0)
    assert lacking[0] == 0
    assert 0.025 < lacking[1] < 1
    assert lacking[2] == 1
    assert np.isnan(found.at_specificity.lower).tolist() == [False, True, True]
    assert np.isnan(found.at_specificity.estimate).tolist() == [False, False, True]
    few = hv.uncertainty.difference_of_models(
        TREE, truth, a, b, hv.uncertainty.Resamples.draw(50, 40, 0), specificity=[ends[0] * 0.8]
    )
    known = few.at_specificity.draws[:, 0]
    if 0 < np.isnan(known).mean() <= 0.025:
        assert np.isfinite(few.at_specificity.lower[0])


def test_an_increasing_map_of_node_scores_changes_nothing():
    """Cubes of all node probabilities: exactly 0 in every draw, and so in the band and the sentence."""
    truth, (a, _) = simulated(np.random.default_rng(3), 300)
    assert len(np.unique(a)) == len(np.unique(a**3))
    resamples = hv.uncertainty.Resamples.draw(300, 100, 0)
    levels = [0.5, 0.7, 0.8, 0.9]
    found = hv.uncertainty.difference_of_models(
        TREE, truth, a, a**3, resamples, correct=levels, specificity=[0.1, 0.3, 0.5]
    )
    for interval in (found.at_correct, found.at_specificity, *found.summary.values(), found.over_range(0.5, 0.9)):
        assert not np.nan_to_num(interval.draws).any()
        assert not np.any(interval.estimate)
        assert not np.any(interval.lower)
        assert not np.any(interval.upper)
    sentence = hv.uncertainty.difference_sentence(("A", "B"), found.summary["ac"], "AC")
    assert sentence.startswith("AC: no clear difference between A and B (+0.0000")
    assert "equal" not in sentence
    # At one threshold the answers do change.
    assert (hv.infer(TREE, a, "majority") != hv.infer(TREE, a**3, "majority")).any()


def test_a_better_model_is_found_and_named():
    truth, (a, b) = simulated(np.random.default_rng(4), 500, (3.0, 1.5))
    found = hv.uncertainty.difference_of_models(
        TREE, truth, b, a, hv.uncertainty.Resamples.draw(500, 200, 0), correct=[0.7, 0.8, 0.9]
    )
    assert hv.uncertainty.difference_sentence(("B", "A"), found.summary["ac"], "AC").startswith(
        "AC: A is clearly better than B (−"
    )
    band = found.over_range(0.7, 0.9)
    assert (band.upper < 0).all()
    # The band of a range is wider than the interval of any one level.
    assert (band.lower <= found.at_correct.lower + 0.02).all()
    with pytest.raises(hv.PredictionsError, match="expected levels with an interval"):
        found.over_range(0.95, 1)


def test_a_level_that_is_never_reached(taxonomy):
    p = np.tile([1, 0, 0, 0, 0, 0, 1.0], (40, 1))
    p[:, 0] = 0
    truth = np.full(40, taxonomy.node("cat"))
    found = hv.uncertainty.difference_of_models(
        taxonomy, truth, p, p, hv.uncertainty.Resamples.draw(40, 40, 0), correct=[0.5]
    )
    assert [one.tolist() for one in found.unreached] == [[True], [True]]


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_equal_models_and_a_planted_difference():
    """Two models drawn independently from one law given the truth: the interval of the AC difference holds 0 in 93-99 %."""
    rng = np.random.default_rng(0)
    n_sets, n = 1000, 500
    holds = clear = 0
    for place in range(n_sets):
        truth, (a, b) = simulated(rng, n)
        resamples = hv.uncertainty.Resamples.draw(n, 100, place)
        found = hv.uncertainty.difference_of_models(TREE, truth, a, b, resamples, correct=())
        holds += bool(no_clear_difference(found.summary["ac"]))
        if place < 200:
            truth, (a, b) = simulated(rng, n, (2.4, 2.0))
            found = hv.uncertainty.difference_of_models(TREE, truth, a, b, resamples, correct=())
            clear += bool(found.summary["ac"].lower > 0)
    print(
        f"the interval holds 0 in {holds / n_sets:.1%} of {n_sets}; a gain of .4 logits is found in {clear / 200:.1%} of 200"
    )
    assert 0.93 <= holds / n_sets <= 0.99
    assert clear / 200 > 0.8


def test_risk_and_coverage_against_loops():
    truth, (p, _) = simulated(np.random.default_rng(5), 40)
    curve = hv.operating_curve(TREE, truth, p)
    graph = naive.Graph(TREE.n_nodes, TREE.edges.tolist())
    for min_depth in (None, 1, 2):
        found = hv.curves.rejection_curve(TREE, truth, p, min_depth=min_depth)
        np.testing.assert_array_equal(found.threshold, curve.threshold)
        for place in range(0, curve.n_points, 5):
            at = curve.threshold[place] if place < len(curve.threshold) else 0.0
            answers = hv.infer(TREE, p, "threshold", threshold=min(float(at), 1.0))
            covered = [node for node in range(40) if (naive.depth(graph, int(answers[node])) >= (min_depth or 1))]
            wrong = [row for row in covered if answers[row] not in naive.ancestors(graph, int(truth[row]))]
            assert found.coverage[place] == pytest.approx(len(covered) / 40)
            if covered:
                assert found.risk[place] == pytest.approx(len(wrong) / len(covered))
            else:
                assert np.isnan(found.risk[place])
    plain = hv.curves.rejection_curve(TREE, truth, p)
    inside = plain.coverage > 0
    expected = (1 - curve.values["correct"][inside]) / plain.coverage[inside]
    assert plain.risk[inside] == pytest.approx(expected)
    assert list(plain.columns()) == ["threshold", "coverage", "risk"]
    with pytest.raises(hv.PredictionsError, match="min_depth: expected a whole number from 1 to 2"):
        hv.curves.rejection_curve(TREE, truth, p, min_depth=0)
