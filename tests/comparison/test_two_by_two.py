"""Two-by-two tables against counting by hand, and what their test and interval promise."""

import math

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.comparison import two_by_two
from tests.comparison.paired_worlds import grid, labelled, scored

# Rows of truth, of A and of B; leaves of the small tree: cat dog duck newt.
TRUTH = ("cat", "cat", "dog", "duck", "newt", "mammal")
ONE = np.array([[5, 3, 1, 1], [3, 5, 1, 1], [3, 5, 1, 1], [1, 1, 3, 5], [1, 1, 1, 7], [1, 6, 1, 2]]) / 10
TWO = np.array([[3, 5, 1, 1], [5, 3, 1, 1], [1, 8, 1, 0], [0, 0, 9, 1], [4, 1, 1, 4], [1, 1, 6, 2]]) / 10


@pytest.fixture
def models(taxonomy):
    truth = taxonomy.nodes(*TRUTH)
    return [
        hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth, name=name)
        for p, name in ((ONE, "A"), (TWO, "B"))
    ]


def test_named_by_hand(models):
    """A's leaves: cat dog dog newt newt dog; right but on 1 (cat) and 3 (duck), as dog is below mammal.

    B's leaves: dog cat dog duck cat (the first of two equal ones) duck; right on 1, 2 and 3.
    """
    found = two_by_two(*models)
    assert found.counts.tolist() == [[1, 3], [2, 0]]
    assert [found.samples(*cell).tolist() for cell in (("right", "right"), ("right", "wrong"), ("wrong", "right"))] == [
        [2],
        [0, 4, 5],
        [1, 3],
    ]
    assert found.difference.estimate == pytest.approx(-1 / 6)
    # Six samples are too few for a test.
    assert np.isnan([found.difference.p_value, found.difference.lower]).all()
    assert not found.difference.is_clear
    assert found.sentence.endswith("No test was made, because 6 samples are too few: an interval needs at least 10.")
    assert any("nothing about retraining" in note for note in found.notes)
    frame = found.to_frame()
    assert frame["samples"].tolist() == [1, 3, 2, 0]
    assert frame["share"].sum() == pytest.approx(1)


def test_to_level_by_hand(models, taxonomy):
    """Majority at 0.5, depth 2: A's answers are mammal mammal mammal, root (newt .5 is not above), newt, dog.

    Samples 0 to 2 are shallower than depth 2: not said. Duck: the root, not said. Newt is at depth 1 and named. The truth mammal
    is compared at depth 1, where dog is below it: right.
    """
    found = two_by_two(*models, "to_level", level=2)
    states = list(found.states)
    assert states == ["right", "not_said", "wrong"]
    of_a = [states[k] for k in found.state[0]]
    assert of_a == ["not_said", "not_said", "not_said", "not_said", "right", "right"]
    # B: mammal mammal dog duck root (.4 each) duck; the last is at depth 2 and not below mammal.
    of_b = [states[k] for k in found.state[1]]
    assert of_b == ["not_said", "not_said", "right", "right", "not_said", "wrong"]
    assert "is right to level 2" in found.sentence


def test_to_level_uses_the_given_answers(models):
    """At threshold 0.3, depth 1, every answer is a leaf or deep enough to be judged."""
    found = two_by_two(*models, "to_level", level=1, rule="leaf")
    assert found.counts[1].sum() == found.counts[:, 1].sum() == 0


@many
@given(strategies.pairs(n=30), st.data())
def test_against_plain_definitions(case, data):
    graph, taxonomy, truth, said = case
    other = np.array(data.draw(st.lists(st.sampled_from(range(graph.n)), min_size=30, max_size=30)))
    a, b = (
        hv.Predictions.from_labels(taxonomy, one, truth=truth, name=name) for one, name in ((said, "A"), (other, "B"))
    )
    found = two_by_two(a, b)
    cells = np.zeros((2, 2), dtype=int)
    for y, one, two in zip(truth.tolist(), said.tolist(), other.tolist()):
        cells[tuple(int(naive.outcome(graph, y, answer) != "exact") for answer in (one, two))] += 1
    assert found.counts.tolist() == cells.tolist()
    gained, lost = int(cells[1, 0]), int(cells[0, 1])
    n = gained + lost
    p = min(1.0, 2 * sum(math.comb(n, k) for k in range(min(gained, lost) + 1)) / 2**n)
    assert found.difference.p_value == pytest.approx(p)
    assert found.difference.estimate == pytest.approx((gained - lost) / 30)


def world(n=200, seed=0, right=(0.6, 0.8), **more):
    rng, taxonomy = np.random.default_rng(seed), grid()
    truth = rng.choice(taxonomy.leaves, n)
    return [scored(taxonomy, truth, rng.random(n) < share, name, rng, **more) for share, name in zip(right, "AB")]


def test_equal_shares_of_correct_answers_leave_equal_off_cells():
    """Of the reading correct: with as many wrong answers of both, those of A alone are as many as those of B alone."""
    a, b = (hv.Evaluation.from_predictions(one) for one in world(400))
    found = two_by_two(a, b, "correct", correct=0.9)
    assert found.counts.shape == (4, 4)
    assert found.counts.sum() == 400
    for model, point, place in zip((a, b), found.points, (0, 1)):
        answers = hv.evaluation.judged_answers(model, "threshold", point.threshold)
        assert np.array_equal(answers.outcome, found.state[place])
        assert point.values["correct"] >= 0.9 - 1e-12
        assert point.values["correct"] == pytest.approx(1 - answers.is_wrong.mean())
    (_, only_a), (only_b, _) = found.right
    assert only_a - only_b == round(400 * (found.points[0].values["correct"] - found.points[1].values["correct"]))
    # The difference is of information recall at equal shares of correct answers.
    expected = b.curve, a.curve
    gap = np.subtract(*(hv.curves.specificity_at(curve, 0.9) for curve in expected))
    assert found.difference.estimate == pytest.approx(gap)
    assert found.difference.lower < gap < found.difference.upper
    assert "τ" in found.sentence
    assert "information recall" in found.sentence


def test_filtered_answers_keep_the_thresholds_of_all_samples():
    a, b = (hv.Evaluation.from_predictions(one) for one in world(400))
    some = hv.evaluation.judged_answers(a).take(np.arange(0, 400, 4))
    whole, part = two_by_two(a, b, "correct"), two_by_two(some, b, "correct")
    assert part.n_samples == 100
    assert [point.threshold for point in part.points] == [point.threshold for point in whole.points]
    assert part.state[0].tolist() == whole.state[0][::4].tolist()
    assert two_by_two(some, b).counts.sum() == 100


def test_no_threshold_is_correct_enough():
    taxonomy = grid()
    truth = np.repeat(taxonomy.leaves, 2)
    p = np.zeros((len(truth), 27))
    p[:, 0] = 1.0
    sure = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth, name="sure")
    with pytest.raises(
        hv.PredictionsError, match=r"At no threshold are 95 % .* the highest share is 3.7037 %. Choose a smaller"
    ):
        two_by_two(sure, sure, "correct", correct=0.95)


def test_groups_are_drawn_whole():
    """Ten groups of 20 copies of one sample each: the interval is as wide as that of ten samples."""
    taxonomy, rng = grid(), np.random.default_rng(0)
    truth = np.repeat(rng.choice(taxonomy.leaves, 12), 20)
    right_a, right_b = (np.repeat(np.arange(12) % k != 0, 20) for k in (2, 4))
    place = np.repeat(np.arange(12), 20).astype(str)
    a, b = (
        scored(taxonomy, truth, right, name, attributes={"place": place})
        for right, name in ((right_a, "A"), (right_b, "B"))
    )
    alone, grouped = two_by_two(a, b), two_by_two(a, b, group="place")
    assert alone.difference.estimate == grouped.difference.estimate == pytest.approx(0.25)
    assert np.isnan(grouped.difference.p_value)
    widths = [one.difference.upper - one.difference.lower for one in (alone, grouped)]
    assert widths[1] > 3 * widths[0]
    assert "whole groups" in grouped.notes[0]


def test_runs_widen_the_interval_and_say_so():
    taxonomy, rng = grid(), np.random.default_rng(0)
    truth = rng.choice(taxonomy.leaves, 300)
    runs_a = [scored(taxonomy, truth, rng.random(300) < share, "A") for share in (0.5, 0.6, 0.7)]
    runs_b = [scored(taxonomy, truth, rng.random(300) < share, "B") for share in (0.6, 0.7, 0.8)]
    found = two_by_two(runs_a, runs_b)
    means = [
        np.array([np.mean(hv.evaluation.judged_answers(run, "leaf").outcome == 0) for run in of])
        for of in (runs_a, runs_b)
    ]
    assert found.difference.estimate == pytest.approx(means[1].mean() - means[0].mean())
    # Variance of the runs alone: with 3 and 3 runs of standard deviation 0.1 at least 2 * 0.01 / 3.
    between = math.sqrt(sum(of.var(ddof=1) / 3 for of in means))
    assert found.difference.upper - found.difference.lower > 2 * 2.0 * between
    assert not any("retraining" in note for note in found.notes)
    # A sample is right where most of its runs are.
    votes = sum(hv.evaluation.judged_answers(run, "leaf").outcome == 0 for run in runs_a)
    assert (found.state[0] == 0).tolist() == (votes >= 2).tolist()
    assert np.allclose(found.share[0], votes / 3)
    single = two_by_two(runs_a, runs_b[0])
    assert any(
        "one run of B says nothing about retraining" in note.lower().replace("b says", "B says")
        for note in single.notes
    )


def test_the_exact_test_keeps_its_level_and_finds_a_difference():
    alarms = sum(two_by_two(*world(100, seed, (0.7, 0.7))).difference.is_clear for seed in range(100))
    assert alarms <= 5 + 3 * math.sqrt(100 * 0.05 * 0.95)
    assert sum(two_by_two(*world(200, seed)).difference.is_clear for seed in range(50)) >= 45


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"reading": "best"}, "reading: expected one of"),
        ({"reading": "to_level", "level": 9}, "level"),
        ({"confidence": 2.0}, "level"),
        ({"reading": "correct", "correct": 0.0}, "correct"),
        ({"group": "nowhere"}, "group"),
    ],
)
def test_bad_choices_are_named(models, keywords, message):
    with pytest.raises(hv.PredictionsError, match=message):
        two_by_two(*models, **keywords)


def test_other_truths_and_samples_are_refused(models, taxonomy):
    a, b = models
    other = b.replace(truth=taxonomy.nodes("dog", "cat", "dog", "duck", "newt", "mammal"))
    with pytest.raises(hv.PredictionsError, match="same truth"):
        two_by_two(a, other)
    named = [one.replace(sample_ids=np.array(list(ids))) for one, ids in zip(models, ("abcdef", "uvwxyz"))]
    with pytest.raises(hv.PredictionsError, match="judge, got none"):
        two_by_two(*named)


def test_samples_are_met_by_their_ids(models):
    a, b = (one.replace(sample_ids=np.array(list("abcdef"))) for one in models)
    order = np.array([5, 2, 0, 1, 3, 4])
    turned = hv.Predictions.from_scores(
        b.taxonomy, TWO[order], "leaf_probabilities", truth=b.truth[order], name="B", sample_ids=b.sample_ids[order]
    )
    expected, found = two_by_two(a, b), two_by_two(a, turned)
    assert found.counts.tolist() == expected.counts.tolist()
    assert found.samples("right", "wrong").tolist() == expected.samples("right", "wrong").tolist()


def test_labels_take_the_place_of_the_most_probable_leaf():
    taxonomy, rng = grid(), np.random.default_rng(1)
    truth = rng.choice(taxonomy.leaves, 50)
    right = rng.random((2, 50)) < 0.7
    scores = two_by_two(*(scored(taxonomy, truth, one, name) for one, name in zip(right, "AB")))
    labels = two_by_two(*(labelled(taxonomy, truth, one, name) for one, name in zip(right, "AB")))
    assert scores.counts.tolist() == labels.counts.tolist()
    with pytest.raises(hv.PredictionsError, match="operating curve"):
        two_by_two(labelled(taxonomy, truth, right[0], "A"), labelled(taxonomy, truth, right[1], "B"), "correct")


@pytest.mark.parametrize("reading", ["named", "to_level", "correct"])
@pytest.mark.parametrize("group", [None, "place"])
def test_some_of_the_samples(reading, group):
    place = np.array([f"p{k % 20}" for k in range(300)])
    a, b = (hv.Evaluation.from_predictions(one) for one in world(300, attributes={"place": place}))
    whole, some = two_by_two(a, b, reading, level=2, group=group), np.arange(0, 300, 3)
    part = whole.take(some)
    expected = two_by_two(hv.evaluation.judged_answers(a).take(some), b, reading, level=2, group=group)
    assert part.counts.tolist() == expected.counts.tolist()
    assert (
        part.samples("right", "wrong").tolist() == expected.samples("right", "wrong").tolist()
        if reading != "correct"
        else True
    )
    assert part.difference.estimate == pytest.approx(expected.difference.estimate)
    assert part.difference.lower == pytest.approx(expected.difference.lower)
    assert part.difference.test == expected.difference.test


def test_the_first_cell_is_what_the_sentence_begins_with(models):
    """A alone is right on three samples, B on two: A's come first, under either name, and B less A is -1 of 6."""
    a, b = models
    found, swapped = two_by_two(a, b), two_by_two(b, a)
    assert found.first_cell == ("right", "wrong")
    assert swapped.first_cell == ("wrong", "right")
    said = "Only A names the right leaf on 3 of 6 samples, only B on 2 (A less B: +16.7 points)."
    assert said in found.sentence
    assert said in swapped.sentence
    assert two_by_two(a, a).first_cell == ("right", "right")
    # Of as many, A's: it alone names the first cat, B alone the second.
    truth = a.taxonomy.nodes("cat", "cat", "dog", "dog", "dog", "newt")
    even = two_by_two(*(one.replace(truth=truth) for one in models))
    assert even.right[0, 1] == even.right[1, 0] == 1
    assert even.first_cell == ("right", "wrong")


def test_a_difference_is_of_the_model_that_is_higher():
    """The words turn estimate and interval around, never the sign of one of them alone: 151 - 14 of 400 are +34.3 points."""
    a, b = world(400, right=(0.9, 0.6))
    found = two_by_two(a, b)
    low, high = found.difference.lower, found.difference.upper
    assert found.right[0, 1] - found.right[1, 0] == 137
    assert high < 0
    span = f"A less B: +34.3 points, 95 % interval [+{-100 * high:.1f}, +{-100 * low:.1f}]"
    assert span in found.sentence
    assert span in two_by_two(b, a).sentence
    assert found.sentence.startswith("A is clearly better than B: only A ")
