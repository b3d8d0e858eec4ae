"""Bands and rings on the operating curves, and the difference of two models, as data."""

from dataclasses import replace

import numpy as np
import pytest
from chart_cases import curve_of, shown_texts, three_points, views

import hierviz as hv
from hierviz.charts import (
    CurveAxes,
    CurveLayers,
    bands_sentence,
    curve_drag,
    difference_band,
    operating_curves,
    to_svg,
    to_vega_lite,
)
from hierviz.charts._difference_band import unclear_spans
from hierviz.uncertainty.bootstrap import CurveBands
from hierviz.uncertainty.model_difference import ModelDifference
from hierviz.uncertainty.resamples import Interval

TAUS = np.array([1.0, 0.75, 0.5, 0.25, 0.0])
RESAMPLES = hv.uncertainty.Resamples.draw(10, 100)


def interval(middle, half):
    """An Interval with 100 draws spread evenly around its middle."""
    middle = np.asarray(middle, dtype=float)
    draws = middle + np.asarray(half) * np.linspace(-1, 1, 100)[:, None]
    return Interval.from_draws(middle, draws, RESAMPLES)


def bands(low=0.1):
    return CurveBands(
        TAUS,
        {
            "info_recall": interval([0, 0.2, 0.5, 0.75, 0.75], 0.05),
            "correct": interval([1, 0.95, 0.9, 0.6, 0.6], low),
        },
        {},
    )


def difference():
    """Clear where at most 0.25 must be correct, unclear at 0.5, the other way round above."""
    return compared([-0.2, -0.25, 0.0, 0.2, 0.25], 0.1)


def compared(middle, half):
    """A difference of two models at some shares of correct answers."""
    levels, enough = np.array([0, 0.25, 0.5, 0.75, 0.98]), hv.uncertainty.Resamples.draw(1000, 100)
    one = replace(interval(middle, half), resamples=enough)
    return CurveBands(TAUS, {}, {}, levels, {"info_recall": one})


def test_a_band_goes_forth_along_its_lower_edge_and_back_along_the_upper():
    spec = to_vega_lite(operating_curves({"m": three_points()}, layers=CurveLayers(bands={"m": bands()})))
    (band,) = [view for view in views(spec) if view["mark"].get("filled") and view["mark"]["type"] == "line"]
    rows = sorted(band["rows"], key=lambda row: row["order"])
    outline = [(row["x"], row["y"]) for row in rows]
    one = bands().curve["correct"]
    across = bands().curve["info_recall"].estimate
    assert outline[0] == pytest.approx((across[0], one.lower[0]), abs=1e-6)
    assert outline[-1] == pytest.approx((across[0], one.upper[0]), abs=1e-6)
    wanted = {*zip(across.round(6), one.lower.round(6)), *zip(across.round(6), one.upper.round(6))}
    assert set(outline) <= wanted
    assert min(y for _, y in outline) == pytest.approx(one.lower.min(), abs=1e-6)


def test_the_axis_has_room_for_the_band_and_so_have_the_places_of_the_dots():
    curves = {"m": three_points()}
    wide = {"m": bands(0.4)}
    plain, with_bands = curve_drag(curves), curve_drag(curves, layers=CurveLayers(bands=wide))
    assert plain["y"] != with_bands["y"]
    spec = to_vega_lite(operating_curves(curves, layers=CurveLayers(bands=wide)))
    (band,) = [view for view in views(spec) if view["mark"].get("filled") and view["mark"]["type"] == "line"]
    low, high = band["encoding"]["y"]["scale"]["domain"]
    assert low <= wide["m"].curve["correct"].lower.min()
    # The place of the dot at threshold = 0, where 0.6 is correct, on the same axis.
    assert with_bands["y"][0][0] == pytest.approx(10_000 * (high - 0.6) / (high - low), abs=1)


def test_no_band_where_a_metric_of_the_axes_has_none():
    spec = to_vega_lite(
        operating_curves({"m": three_points()}, axes=CurveAxes("exact"), layers=CurveLayers(bands={"m": bands()}))
    )
    assert not [view for view in views(spec) if view["mark"].get("filled") and view["mark"]["type"] == "line"]
    assert bands_sentence({"m": bands()}, "exact", "correct") == ""
    assert "95 %" in bands_sentence({"m": bands()})
    assert bands_sentence(None) == ""


def test_rings_stand_on_the_curve_at_their_threshold():
    points = [{"model": "b", "label": "95 % correct", "threshold": 0.6}]
    curves = {"a": curve_of([0.9, 0.6]), "b": three_points()}
    spec = to_vega_lite(operating_curves(curves, layers=CurveLayers(points=points)))
    (ring,) = [
        view for view in views(spec) if view["mark"].get("shape") == "square" and view["mark"].get("size") == 170
    ]
    (row,) = ring["rows"]
    assert (row["x"], row["y"], row["j"], row["label"]) == (0.5, 0.9, 1, "95 % correct")
    with pytest.raises(hv.PredictionsError, match="points: expected a model of a, b, got 'c'"):
        operating_curves(curves, layers=CurveLayers(points=[{"model": "c", "label": "", "threshold": 0.5}]))


def test_difference_table_and_spans():
    table = difference_band(difference(), "info_recall", ("a", "b")).table
    assert table["correct"].tolist() == [0, 0.25, 0.5, 0.75, 0.98]
    assert table["clear"].tolist() == [True, True, False, True, True]
    assert table["verdict"].tolist() == ["second is higher"] * 2 + ["no clear difference"] + ["first is higher"] * 2
    # Half way to the neighbours that are clear.
    assert unclear_spans(difference_band(difference(), "info_recall", ("a", "b")).table) == [
        {"start": 0.375, "end": 0.625}
    ]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 1200])
def test_difference_is_drawn_with_words_and_hatch_not_colour_alone(dark, width):
    chart = difference_band(difference(), "info_recall", ("a", "b"), dark=dark, width=width)
    spec = to_vega_lite(chart, dark)
    drawn = {view["mark"]["type"] for view in views(spec)}
    assert {"area", "line", "rule", "rect"} <= drawn
    (grey,) = [view for view in views(spec) if view["mark"]["type"] == "rect"]
    assert [(row["start"], row["end"]) for row in grey["rows"]] == [(0.375, 0.625)]
    hatch = [view for view in views(spec) if view["mark"]["type"] == "rule" and "end" in view["rows"][0]]
    assert all(0.375 <= row["start"] < row["end"] <= 0.625 for view in hatch for row in view["rows"])
    assert "no clear difference" in shown_texts(to_svg(chart, dark))


def test_difference_in_words():
    text = difference_band(difference(), "info_recall", ("a", "b")).sentence
    assert "a is clearly higher where at least 75.0 % to 98.0 % are correct" in text
    assert "b is clearly higher where at least 0.0 % to 25.0 % are correct" in text
    assert "where it is grey and hatched, no difference is clear" in text
    same = compared(np.zeros(5), 0)
    assert "no clear difference between a and b" in difference_band(same, "info_recall", ("a", "b")).sentence
    clear = compared([0.3, 0.31, 0.32, 0.33, 0.34], 0.1)
    assert "a is clearly higher at all shares (95 %" in difference_band(clear, "info_recall", ("a", "b")).sentence
    assert unclear_spans(difference_band(clear, "info_recall", ("a", "b")).table) == []
    to_svg(difference_band(clear, "info_recall", ("a", "b")))
    to_svg(difference_band(same, "info_recall", ("a", "b")))
    few = replace(clear, at_correct={"info_recall": replace(clear.at_correct["info_recall"], resamples=RESAMPLES)})
    text = difference_band(few, "info_recall", ("a", "b")).sentence
    assert "0.0 % correct; beyond it too few answers are wrong to compare" in text
    # Fewer than ten samples cannot leave ten wrong answers: nothing is compared, and nothing is drawn.
    one = replace(clear.at_correct["info_recall"], resamples=hv.uncertainty.Resamples.draw(5, 100))
    fewer = replace(clear, at_correct={"info_recall": one})
    assert len(difference_band(fewer, "info_recall", ("a", "b")).table) == 0
    text = difference_band(fewer, "info_recall", ("a", "b")).sentence
    assert "5 samples are too few to compare a and b" in text
    to_svg(difference_band(fewer, "info_recall", ("a", "b")))
    one = replace(clear.at_correct["info_recall"], resamples=hv.uncertainty.Resamples.draw(1000, 20))
    text = difference_band(replace(clear, at_correct={"info_recall": one}), "info_recall", ("a", "b")).sentence
    assert text.endswith("20 resamples are too few to call a difference clear: take at least 40.")
    # A model that never has so many correct answers counts as 0 there.
    text = difference_band(clear, "info_recall", ("a", "b"), most_correct=(1.0, 0.77)).sentence
    assert "b never has more than 77.0 % correct and counts as 0 from there on" in text
    assert "a never" not in text
    with pytest.raises(hv.PredictionsError, match="key: expected one of info_recall, got 'nothing'"):
        difference_band(clear, "nothing", ("a", "b"))


def test_a_difference_at_equal_specificity_is_drawn_and_said():
    values, enough = np.array([0, 0.4, 0.6, 0.9]), hv.uncertainty.Resamples.draw(1000, 100)
    # Beyond the end of a curve there is no number.
    middle, half = np.array([0.0, 0.1, 0.2, np.nan]), 0.05
    found = replace(interval(middle, half), resamples=enough)
    summary = {"ac": found, "ap": found}
    none = replace(interval(np.empty(0), half), resamples=enough)
    apart = ModelDifference("info_recall", np.empty(0), none, (np.empty(0), np.empty(0)), values, found, summary)
    table = difference_band(apart, "correct", ("a", "b")).table
    assert table["info_recall"].tolist() == [0, 0.4, 0.6]
    spec = str(to_vega_lite(difference_band(apart, "correct", ("a", "b"))))
    assert "Information recall, at least" in spec
    text = difference_band(apart, "correct", ("a", "b")).sentence
    assert text.startswith("Correct where information recall is at least the same: a is clearly higher at ")
    with pytest.raises(hv.PredictionsError, match="expected 'correct' of a difference at equal specificity"):
        difference_band(apart, "info_recall", ("a", "b"))
