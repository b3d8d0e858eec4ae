"""Effects of hidden parts: the heat map by loops, means and intervals by hand, and what sentences say."""

from dataclasses import replace

import numpy as np
import pytest

import hierviz as hv
from hierviz.diagnosis._sensitivity import log_odds
from hierviz.diagnosis.hidden_parts import HiddenParts, grid_of, on_grid, part_of_picture


def of_picture(taxonomy, effect, places, shape=(8, 8), **more):
    places = np.array(places)
    names = tuple(part_of_picture(*place, shape) for place in places.tolist())
    parts = HiddenParts("picture", np.full(len(places), "1/4"), names, places, np.zeros((*shape, 3), np.uint8))
    of = {"first": 2, "second": 3, "truth": 2, "answer": 2, "why": "", "log_odds": 1.0, "n_runs": 1 + len(places)}
    return hv.diagnosis.Sensitivity(taxonomy, "M", "s", parts=parts, effect=np.array(effect, float), **(of | more))


def of_text(taxonomy, text, effect, **more):
    words = text.split()
    starts = np.cumsum([0, *(len(word) + 1 for word in words)])[:-1]
    places = np.stack([starts, starts + [len(word) for word in words]], axis=1)
    parts = HiddenParts("text", np.full(len(words), "word"), tuple(words), places, text)
    of = {"first": 2, "second": 3, "truth": 2, "answer": 2, "why": "", "log_odds": 1.0, "n_runs": 1 + len(words)}
    return hv.diagnosis.Sensitivity(taxonomy, "M", "s", parts=parts, effect=np.array(effect, float), **(of | more))


def test_each_pixel_has_the_mean_of_the_patches_that_cover_it(taxonomy):
    rng = np.random.default_rng(0)
    places = [[0, 0, 4, 4], [2, 0, 6, 4], [4, 4, 8, 8], [0, 0, 2, 8], [0, 2, 8, 3], [6, 0, 8, 2], [0, 6, 5, 8]]
    found = of_picture(taxonomy, rng.normal(size=len(places)), places)
    for y in range(8):
        for x in range(8):
            covering = [
                value
                for value, (top, left, bottom, right) in zip(found.effect, places, strict=True)
                if top <= y < bottom and left <= x < right
            ]
            assert found.heat[y, x] == pytest.approx(np.mean(covering) if covering else 0.0)


def test_the_grid_is_that_of_the_edges(taxonomy):
    found = of_picture(taxonomy, [1.0, 3.0], [[0, 0, 8, 4], [0, 2, 8, 8]])
    down, across = grid_of(found.parts)
    assert down.tolist() == [0, 8]
    assert across.tolist() == [0, 2, 4, 8]
    assert on_grid(found.parts, found.effect[None])[0].tolist() == [[1.0, 2.0, 3.0]]


def test_log_odds_and_what_is_clipped():
    p = np.array([[1.0, 0.5, 0.25], [1.0, 0.0, 1.0], [1.0, 1e-30, 0.0]])
    odds, n = log_odds(p, 1, 2)
    # ln(0.5 / 0.25) = ln 2; ln(1e-12 / 1) = -27.631; both clipped: 0.
    assert odds == pytest.approx([np.log(2), -27.6310211, 0.0])
    assert n == 3


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ([0, 0, 4, 4], "upper left part"),
        ([12, 0, 16, 4], "lower left part"),
        ([0, 6, 4, 10], "upper middle part"),
        ([6, 12, 10, 16], "right part"),
        ([6, 6, 10, 10], "middle part"),
    ],
)
def test_places_in_words(place, words):
    assert part_of_picture(*place, (16, 16)) == words


def test_sentences(taxonomy):
    places = [[0, 0, 2, 2], [6, 0, 8, 2]]
    said = of_picture(taxonomy, [-0.5, 2.14], places).sentence
    assert said == (
        "Hiding the lower left part lowers cat against dog most (2.1 log-odds). "
        "Hiding the upper left part raises it most (0.50 log-odds)."
    )
    assert of_picture(taxonomy, [-0.1, 2.14], places).sentence.endswith("(2.1 log-odds).")
    said = of_picture(taxonomy, [-3.0, -1.0], places).sentence
    assert said == "Hiding the upper left part raises cat against dog most (3.0 log-odds)."
    said = of_picture(taxonomy, [0.001, 0.0], places).sentence
    assert said == "Hiding any single part changes cat against dog by less than 0.01 log-odds."
    said = of_text(taxonomy, "a quack there", [0, 1.5, 0]).sentence
    assert said == "Leaving out the word “quack” lowers cat against dog most (1.5 log-odds)."


def test_which_side_is_true(taxonomy):
    places = [[0, 0, 2, 2]]
    for truth, expected in ((2, True), (3, False), (6, None), (None, None)):
        assert of_picture(taxonomy, [1], places, truth=truth).is_first_true is expected


def test_means_and_intervals_by_hand(taxonomy):
    values = np.arange(20.0)
    found = hv.diagnosis.averaged(
        [of_picture(taxonomy, [value, 1.0], [[0, 0, 2, 2], [6, 0, 8, 2]]) for value in values]
    )
    # Mean 9.5, variance of 0..19 is 35, t of 19 degrees at 95 % is 2.09302: 2.09302 * sqrt(35 / 20) = 2.76880.
    assert found.mean == pytest.approx([9.5, 1.0])
    assert found.n_with.tolist() == [20, 20]
    assert found.lower == pytest.approx([9.5 - 2.76880, 1.0], abs=1e-4)
    assert found.upper == pytest.approx([9.5 + 2.76880, 1.0], abs=1e-4)
    assert found.cells[:, 0, 0] == pytest.approx([9.5, 9.5 - 2.76880, 9.5 + 2.76880], abs=1e-4)
    assert found.n_runs == 60
    assert found.towards == "cat"
    assert found.is_first_true
    assert found.sentence == (
        "Mean of 20 samples: hiding the upper left part lowers cat against dog most (9.5 log-odds); interval of the mean effect "
        "+6.7 to +12.3."
    )


def test_pairs_of_their_own_are_turned_towards_the_truth(taxonomy):
    one = of_picture(taxonomy, [2.0], [[0, 0, 8, 8]])
    wrong = replace(one, first=6, second=1, truth=2, answer=6)  # newt, where mammal would be right
    found = hv.diagnosis.averaged([one] * 10 + [wrong] * 10)
    assert found.mean.tolist() == [0.0]
    assert found.towards == "the true class"
    assert found.first is None
    unknown = [replace(each, truth=None) for each in [one] * 10 + [wrong] * 10]
    found = hv.diagnosis.averaged(unknown)
    assert found.mean.tolist() == [2.0]
    assert found.towards == "the answer"
    assert found.is_first_true is None


def test_words_of_texts_are_gathered_without_marks_and_case(taxonomy):
    texts = [of_text(taxonomy, "Quack, said quack!", [1.0, 0.0, 3.0])] * 18 + [
        of_text(taxonomy, "it said rare", [0, 0.2, 9])
    ] * 2
    found = hv.diagnosis.averaged(texts)
    # Of a text with a word twice the mean counts: (1 + 3) / 2. "it" and "rare" are in fewer than five texts.
    assert dict(zip(found.parts.names, found.mean.tolist(), strict=True)) == pytest.approx({"quack": 2.0, "said": 0.02})
    assert found.parts.names[0] == "quack"
    assert found.n_with.tolist() == [18, 20]
    assert "leaving out the word “quack” lowers cat" in found.sentence
    few = hv.diagnosis.averaged([of_text(taxonomy, f"w{k} v{k}", [1, 2]) for k in range(20)])
    assert len(few.parts) == 0
    assert few.sentence == "Mean of 20 samples: no word is in 5 of the samples or more."


def test_tables(taxonomy):
    frame = of_picture(taxonomy, [1.0], [[0, 1, 2, 3]]).to_frame()
    assert frame.iloc[0].to_dict() == {
        "part": "upper left part", "what": "1/4", "top": 0, "left": 1, "bottom": 2, "right": 3, "effect": 1.0,
    }  # fmt: skip
    mean = hv.diagnosis.averaged([of_text(taxonomy, "a b", [1, 2])] * 20).to_frame()
    assert list(mean) == ["part", "what", "mean", "lower", "upper", "n_with"]


def test_errors(taxonomy):
    one = of_picture(taxonomy, [1.0], [[0, 0, 8, 8]])
    with pytest.raises(hv.PredictionsError, match="expected at least 20 for a mean, got 3"):
        hv.diagnosis.averaged([one] * 3)
    other = of_picture(taxonomy, [1.0], [[0, 0, 8, 8]], shape=(9, 8))
    with pytest.raises(hv.PredictionsError, match="expected pictures of one size, got others"):
        hv.diagnosis.averaged([one] * 20 + [other])
    with pytest.raises(hv.PredictionsError, match="level: expected a number between 0 and 1"):
        hv.diagnosis.averaged([one] * 20, level=2)
    with pytest.raises(hv.PredictionsError, match="heat: expected the sensitivity of a picture, got that of a text"):
        _ = of_text(taxonomy, "a b", [1, 2]).heat
