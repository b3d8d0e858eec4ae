"""Two models whose scores are on different scales: what is said of them is about equal correctness, never about equal τ."""

import numpy as np
import pytest
import vl_convert
from chart_cases import shown_texts, views

import hierviz as hv
from hierviz import charts
from hierviz.app.widgets.numbers import MARKS, Row, cell_text, ranked, too_few_text, unmarked
from hierviz.curves.envelopes import best_at_correct
from hierviz.evaluation.common_samples import judged_samples
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.model_table import BAND_LEVELS, model_intervals, model_numbers
from hierviz.messages.number_text import value_text
from hierviz.uncertainty.comparison import FEWEST_WRONG, clear_after_holm, never_reached, simultaneous, too_few_for
from hierviz.uncertainty.resamples import Interval

N = 500
RESAMPLES = hv.uncertainty.Resamples.draw(N, 100, seed=1)
EDGES = [("all", f"g{i}") for i in range(4)] + [(f"g{i}", f"l{i}{j}") for i in range(4) for j in range(4)]


@pytest.fixture(scope="module")
def taxonomy():
    return hv.Taxonomy.from_edges(EDGES)


@pytest.fixture(scope="module")
def pair(taxonomy):
    """JudgedSamples of A, which ranks well and is far too modest, and of B, which ranks worse and is sure of itself."""
    rng = np.random.default_rng(0)
    truth = rng.choice(taxonomy.leaves, N)
    z = rng.normal(0, 1, (N, taxonomy.n_leaves))
    z[np.arange(N), np.searchsorted(taxonomy.leaves, truth)] += 3.2
    noisy = z + rng.normal(0, 1.0, z.shape)

    def model(name, logits):
        leaves = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        return Evaluation.from_predictions(
            hv.Predictions.from_scores(taxonomy, leaves, truth=truth, parametrisation="leaf_probabilities", name=name)
        )

    return judged_samples([model("A", z / 1.5), model("B", noisy * 3)])


@pytest.fixture(scope="module")
def intervals(pair):
    return {one.name: model_intervals(one, RESAMPLES) for one in pair}


def test_a_modest_model_is_better_and_looks_worse_at_one_threshold(pair):
    a, b = (one.curve for one in pair)
    levels = BAND_LEVELS[1 - FEWEST_WRONG / N >= BAND_LEVELS]
    more = [best_at_correct(one.values["info_recall"], one.values["correct"], levels) for one in (a, b)]
    assert (more[0] >= more[1]).mean() == 1
    thresholds = np.linspace(0.2, 0.999, 200)
    assert (a.at(thresholds)["info_f1"] < b.at(thresholds)["info_f1"]).mean() > 0.8


@pytest.mark.long
def test_sentences_at_one_threshold_name_no_winner(pair):
    curves = {one.name: one.curve for one in pair}
    text = charts.operating_curves(curves, threshold=0.5, model="B").sentence
    assert text.startswith("B at τ = 0.500: ")
    assert " A " not in text
    for threshold, said in (
        (0.5, "The same τ means different things for different models"),
        ({"A": 0.1, "B": 0.9}, "do not"),
    ):
        chart = charts.operating_curves(curves, threshold=threshold, width=1000)
        spec = charts.to_vega_lite(chart)
        words = " ".join(shown_texts(vl_convert.vegalite_to_svg(spec)))
        assert said in words
        assert "do not show which model is better" in words
        # No number of the read-out is bold: the names of the models are.
        numbers = [view for view in views(spec) if "fontWeight" in str(view["mark"])]
        assert not [view for view in numbers if "shown" in str(view["encoding"].get("text"))]
    assert charts.threshold_caution(1) == ""
    spec = str(charts.operating_curves(curves, axes=charts.CurveAxes("threshold", "info_f1")).chart.to_dict())
    assert "Better: " not in spec


def test_tables_mark_no_best_at_one_threshold(pair):
    keys = ["ac", "majority_f1", "f1"]
    numbers = [model_numbers(one) | {"f1": 0.1 * place} for place, one in enumerate(pair)]
    assert numbers[0]["majority_f1"] < numbers[1]["majority_f1"]
    rows = ranked([Row({"model": one.name}, found) for one, found in zip(pair, numbers, strict=True)], keys, ["f1"])
    assert [row.marks["ac"] for row in rows] == [{"first"}, set()]
    assert [row.marks.get("majority_f1") for row in rows] == [set(), set()]
    assert ["f1" in row.marks for row in rows] == [False, False]
    assert unmarked(["majority_f1"]).startswith("F1 at majority is measured at one τ, so no best is marked: the same")
    assert MARKS.startswith("**Bold**")


def test_the_comparison_is_of_whole_curves_and_at_equal_correctness(pair, intervals):
    numbers = {name: one.numbers for name, one in intervals.items()}
    ac = hv.uncertainty.paired_difference(numbers["A"]["ac"], numbers["B"]["ac"])
    assert ac.lower > 0
    span = f"by {ac.estimate:.3f} [{ac.lower:.3f}, {ac.upper:.3f}]"
    text = charts.comparison_sentence(numbers, "A", N)
    assert text.startswith(
        f"AC, over all thresholds: A {numbers['A']['ac'].estimate:.3f}, clearly higher than B ({span})"
    )
    assert "where at least 95 % of the answers are correct: A" in text
    assert text.count("clearly higher than B") == 2
    assert "lower" not in text
    assert "Holm's correction for 2 comparisons" in text
    # The same from the other side, with the same digits.
    text = charts.comparison_sentence(numbers, "B", N)
    assert f"clearly lower than A ({span})" in text
    assert "higher" not in text
    assert charts.comparison_sentence({"A": numbers["A"]}, "A", N) == ""


def test_where_nothing_can_be_told_it_is_said(pair, intervals):
    plain = {one.name: model_numbers(one) for one in pair}
    text = charts.comparison_sentence(plain, "A", N)
    assert "Without intervals this does not show which model is better." in text
    assert "clear" not in text.replace("clearly", "clear").split("Without")[0]
    numbers = {"A": intervals["A"].numbers, "A again": intervals["A"].numbers}
    text = charts.comparison_sentence(numbers, "A", N)
    assert "no clear difference from A again (0.000 [0.000, 0.000])" in text
    # 150 samples leave 15 wrong answers at 90 % correct and fewer than ten at 95 %; 90 samples leave too few at both.
    assert [charts.compared_keys(n) for n in (200, 150, 90)] == [
        ["ac", "recall_at_95_correct"],
        ["ac", "recall_at_90_correct"],
        ["ac"],
    ]
    assert "90 samples are too few to compare at 90 or 95 % correct" in charts.comparison_sentence(plain, "A", 90)


def test_the_difference_band_stands_over_the_share_of_correct_answers(pair, intervals):
    difference = hv.uncertainty.paired_difference(*(intervals[name].bands for name in "AB"))
    table = charts.difference_band(difference, "info_recall", "AB").table
    assert table["correct"].max() == pytest.approx(1 - 10 / N)
    levels = table["correct"].to_numpy()
    mine = [best_at_correct(one.curve.values["info_recall"], one.curve.values["correct"], levels) for one in pair]
    assert table["difference"].tolist() == pytest.approx(mine[0] - mine[1])
    # The band is no narrower than the interval of one share by itself: it holds for all at once.
    one = difference.at_correct["info_recall"]
    inside = np.isin(difference.levels, levels)
    assert (table["high"] - table["low"]).mean() > (one.upper - one.lower)[inside].mean()
    text = charts.difference_band(difference, "info_recall", ("A", "B")).sentence
    assert "where the same share of answers is correct: A is clearly higher where at least " in text
    assert "B is clearly" not in text
    assert "up to 98.0 % correct; beyond it too few answers are wrong to compare" in text
    assert "τ" not in text


def test_holm_steps_by_hand():
    # 200 draws: with alpha = 0.05 the single interval leaves out 4 at each end, half of it 2, a third of it 1.
    resamples = hv.uncertainty.Resamples.draw(10, 200)

    def with_negatives(n):
        return Interval.from_draws(1.0, np.repeat([-1.0, 1.0], [n, 200 - n]), resamples)

    assert clear_after_holm([with_negatives(4)]).tolist() == [True]
    assert clear_after_holm([with_negatives(4), with_negatives(4)]).tolist() == [False, False]
    assert clear_after_holm([with_negatives(4), with_negatives(0)]).tolist() == [True, True]
    assert clear_after_holm([with_negatives(2), with_negatives(50), with_negatives(0)]).tolist() == [True, False, True]


def test_with_too_few_resamples_nothing_is_clear():
    """40 draws are the fewest of which one lies beyond each end of a 95 % interval; Holm's first step takes m times more."""

    def clear(n_resamples, m):
        draws = np.linspace(0.1, 0.2, n_resamples)
        return Interval.from_draws(0.15, draws, hv.uncertainty.Resamples.draw(500, n_resamples)), m

    for m in (1, 2, 14):
        for n_resamples in (20, 40 * m - 1, 40 * m):
            one, m = clear(n_resamples, m)
            assert clear_after_holm([one] * m).tolist() == [n_resamples == 40 * m] * m
    assert [hv.uncertainty.no_clear_difference(clear(n, 1)[0]).tolist() for n in (39, 40)] == [True, False]
    numbers = {name: {"ac": clear(100, 1)[0]} for name in "ABCD"}
    for name, shift in zip("BCD", (1, 2, 3)):
        one = numbers[name]["ac"]
        numbers[name]["ac"] = Interval.from_draws(one.estimate - shift, one.draws - shift, one.resamples)
    text = charts.comparison_sentence(numbers, "A", 90)
    assert "100 resamples are too few to call any of 3 differences clear: take at least 120" in text
    assert "clearly" not in text
    assert "Holm" not in text


def test_a_share_of_correct_answers_that_is_never_reached_is_said(taxonomy):
    rng = np.random.default_rng(0)
    truth = rng.choice(taxonomy.leaves, N)
    named = np.where(rng.random(N) < 0.77, truth, rng.choice(taxonomy.leaves, N))
    sure = (named[:, None] == taxonomy.leaves).astype(float)
    models = {"A": 0.9 * sure + 0.1 / taxonomy.n_leaves, "B": sure}
    models = [
        Evaluation.from_predictions(
            hv.Predictions.from_scores(taxonomy, scores, truth=truth, parametrisation="leaf_probabilities", name=name)
        )
        for name, scores in models.items()
    ]
    a, b = judged_samples(models)
    assert never_reached(a.curve) == []  # with a high threshold the root is always right
    assert never_reached(b.curve) == ["recall_at_95_correct", "recall_at_90_correct"]
    never = {one.name: never_reached(one.curve) for one in (a, b)}
    plain = {one.name: model_numbers(one) for one in (a, b)}
    text = charts.comparison_sentence(plain, "A", N, never=never)
    assert "(B never has 95 % correct, which counts as 0)" in text
    spans = {one.name: model_intervals(one, RESAMPLES, thresholds=(), keys=(), levels=()).numbers for one in (a, b)}
    assert "(B never has 95 % correct, which counts as 0)" in charts.comparison_sentence(spans, "A", N, never=never)
    row = Row({}, plain["B"], never=tuple(never["B"]))
    assert cell_text(row, "recall_at_95_correct") == "0.000 (never 95 % correct)"
    assert cell_text(row, "ac") == value_text(plain["B"]["ac"])


def test_numbers_at_equal_correctness_stand_unmarked_where_the_samples_are_too_few():
    keys = ["ac", "recall_at_90_correct", "recall_at_95_correct"]
    assert [too_few_for(keys, n) for n in (99, 100, 199, 200)] == [keys[1:], keys[2:], keys[2:], []]
    assert "R@95C needs at least 200 samples; with fewer, neither marks nor intervals are shown" in too_few_text(
        keys[2:]
    )
    assert too_few_text([]) == ""


def test_a_simultaneous_band_covers_whole_rows():
    rng = np.random.default_rng(3)
    draws = rng.normal(0, 1, (400, 30)) * np.linspace(0.1, 2, 30)
    draws[:, 5] = 0.0
    band = simultaneous(Interval.from_draws(np.zeros(30), draws, hv.uncertainty.Resamples.draw(10, 400)))
    held = ((draws >= band.lower) & (draws <= band.upper)).all(axis=1).mean()
    assert 0.95 <= held < 0.96
    assert band.lower[5] == band.upper[5] == 0
