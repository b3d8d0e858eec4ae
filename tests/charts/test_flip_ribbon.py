"""The ribbon of thresholds as data: stretches, patterns, the mark, words."""

import numpy as np
import pytest
from chart_cases import font_sizes, shown_texts, size, views

import hierviz as hv
from hierviz.charts import (
    flip_ribbon,
    flip_ribbon_drag,
    flip_ribbon_sentence,
    flip_ribbon_table,
    palette,
    to_svg,
)


def flips_of(taxonomy, truth):
    # Leaves cat, dog, duck, newt: cat 0.55, mammal 0.8, animal 1.
    scores = hv.Predictions.from_scores(taxonomy, [[0.55, 0.25, 0.15, 0.05]], "leaf_probabilities", truth=truth)
    return hv.diagnosis.flip_intervals(scores, 0)


def test_stretches_outcomes_and_the_sentence(taxonomy):
    flips = flips_of(taxonomy, taxonomy.nodes("dog"))
    table = flip_ribbon_table(flips)
    assert table["name"].tolist() == ["cat", "mammal", "animal"]
    assert table["from"].tolist() == pytest.approx([0, 0.55, 0.8])
    assert table["outcome"].tolist() == ["wrong", "coarse", "no_answer"]
    assert flip_ribbon_sentence(flips, 0.6) == (
        "At τ = 0.600 the answer is mammal (p = 0.800), which is correct but coarse; it stops there for τ from 0.550 to 0.800; "
        "below that it is cat (p = 0.550), which is wrong; from 0.800 on it is animal (p = 1), which is no answer."
    )
    wrong = flips_of(taxonomy, taxonomy.nodes("newt"))
    assert "below that" not in flip_ribbon_sentence(wrong, 0.2)
    # Near 1 the root is the answer, which is no answer and not wrong.
    assert wrong.outcome[-1] == "no_answer"
    assert flip_ribbon_sentence(wrong, 0.2).endswith("; it is wrong at every τ that gives an answer.")
    unknown = hv.diagnosis.flip_intervals(
        hv.Predictions.from_scores(taxonomy, [[0.55, 0.25, 0.15, 0.05]], "leaf_probabilities"), 0
    )
    assert "which is" not in flip_ribbon_sentence(unknown, 0.2)


@pytest.mark.parametrize(("dark", "width"), [(False, 800), (True, 330)])
def test_colour_and_pattern_say_the_outcome(taxonomy, dark, width):
    flips, look = flips_of(taxonomy, taxonomy.nodes("dog")), palette(dark)
    chart = flip_ribbon(flips, 0.6, dark=dark, width=width)
    drawn = views(chart.to_dict())
    cells = next(view["rows"] for view in drawn if view["mark"].get("cornerRadius") == 0)
    assert [cell["colour"] for cell in cells] == [look.fp, look.path, look.root]
    # They tile the ribbon, in proportion to their lengths.
    wide = [cell["x2"] - cell["x"] for cell in cells]
    assert np.array(wide) / sum(wide) == pytest.approx([0.55, 0.25, 0.2])
    dotted = [view["rows"] for view in drawn if view["mark"].get("strokeDash") == [3, 4]]
    # One line for the coarse answer, two for the root, which says nothing.
    assert [len(rows) for rows in dotted] == [3]
    hatched = next(view["rows"] for view in drawn if view["mark"].get("strokeWidth") == 2 and "y2" in view["rows"][0])
    assert all(cells[0]["x"] <= row["x"] <= row["x2"] <= cells[0]["x2"] for row in hatched)
    svg = to_svg(chart, dark)
    words = shown_texts(svg)
    assert {
        "τ = 0.600",
        "cat",
        "wrong",
        "wrong, hatched",
        "correct but coarse, dotted line",
        "no answer, two dotted lines",
    } <= set(words)
    assert size(svg)[0] <= width
    assert min(font_sizes(svg)) >= 11


@pytest.mark.parametrize(("width", "threshold"), [(800, 0.25), (800, 0.27), (330, 0.3), (330, 0.1), (800, 0.9)])
def test_words_stand_clear_of_the_threshold(taxonomy, width, threshold):
    # One answer at every threshold, below the line or beside it.
    scores = hv.Predictions.from_scores(taxonomy, [[0.97, 0.01, 0.01, 0.01]], "leaf_probabilities", truth=[4])
    svg = to_svg(flip_ribbon(hv.diagnosis.flip_intervals(scores, 0), threshold, width=width))
    assert "wrong" in shown_texts(svg)
    drawn = views(flip_ribbon(hv.diagnosis.flip_intervals(scores, 0), threshold, width=width).to_dict())
    rows = [row for view in drawn for row in view["rows"]]
    at = next(row["x"] for row in rows if "wide" in row)
    words = [row for row in rows if row.get("text") in ("cat", "wrong")]
    assert len(words) == 2
    for row in words:
        assert abs(row["x"] - at) > 12


def test_what_the_program_of_the_handle_gets_is_where_the_chart_draws(taxonomy):
    flips = flips_of(taxonomy, taxonomy.nodes("dog"))
    places = flip_ribbon_drag(flips, 0.6, width=800)
    spec = flip_ribbon(flips, 0.6, width=800).to_dict()
    view = next(one for one in spec["vconcat"] if one.get("name") == "ribbon")
    cells = next(one["rows"] for one in views(spec) if one["mark"].get("cornerRadius") == 0)
    assert places["margin"] * view["width"] == pytest.approx(cells[0]["x"])
    assert places["top"] * view["height"] == pytest.approx(cells[0]["y"])
    assert places["tall"] * view["height"] == pytest.approx(cells[0]["y2"] - cells[0]["y"])
    assert places["low"] == flips.low.tolist()
    assert places["said"] == ["wrong", "correct but coarse", "no answer"]
