"""Win terms, confusion cells, the matrix of a data set and the dot plot: values worked by hand, both themes, both widths."""

import itertools
import math

import numpy as np
import pytest
from chart_cases import font_sizes, shown_texts, size, views

from hierviz import PredictionsError, Taxonomy, charts, confusion, win_breakdown

# cat: weights 1/2 and 1/2, p 0.6 and 0.4: win 0.5.
P = np.array([1, 0.6, 0.4, 0.2, 0.3, 0.3, 0.1])
THEMES = pytest.mark.parametrize(("dark", "width"), [(False, 1000), (True, 1000), (False, 330), (True, 330)])


def check(chart, dark, width):
    svg = charts.to_svg(chart, dark)
    assert size(svg)[0] <= width
    assert min(font_sizes(svg)) >= 11
    assert f'fill="{charts.palette(dark).background}"' in svg
    return shown_texts(svg)


@THEMES
def test_win_breakdown(taxonomy, dark, width):
    breakdown = win_breakdown(taxonomy, 2, P)
    words = check(charts.win_breakdown(taxonomy, breakdown, dark=dark, width=width), dark, width)
    assert {"mammal", "cat", "1/2 × 0.600 = 0.300", "1/2 × 0.400 = 0.200", "win 0.500"} <= set(words)


def test_win_slots_tile_the_line(taxonomy):
    breakdown = win_breakdown(taxonomy, 2, P)
    view = views(charts.win_breakdown(taxonomy, breakdown).chart.to_dict())[-3]
    slots = view["rows"][:4:2]
    filled = view["rows"][1:4:2]
    whole = view["rows"][4]
    length = whole["x2"] - whole["x"]
    assert [(row["x2"] - row["x"]) / length for row in slots] == pytest.approx([0.5, 0.5])
    assert [(row["x2"] - row["x"]) / length for row in filled] == pytest.approx([0.3, 0.2])
    assert slots[0]["x2"] == pytest.approx(slots[1]["x"])


def test_win_table_and_sentence(taxonomy):
    breakdown = win_breakdown(taxonomy, 2, P)
    table = charts.win_breakdown(taxonomy, breakdown).table
    assert table["name"].tolist() == ["mammal", "cat"]
    assert table["from"].tolist() == [0, 0.5]
    assert (table["term"] + table["lost"]).tolist() == pytest.approx(table["weight"].tolist())
    assert charts.win_breakdown(taxonomy, breakdown).sentence == (
        "The win is 0.500 (at most 1). The largest loss, 0.300, is at cat: its weight is 1/2, its probability 0.400."
    )
    perfect = win_breakdown(taxonomy, 2, np.array([1, 1, 1, 0, 0, 0, 0.0]))
    assert (
        charts.win_breakdown(taxonomy, perfect).sentence
        == "The win is 1.000 (at most 1): almost nothing is lost on the way to cat."
    )


def test_the_terms_of_a_small_win_add_up_as_they_are_written(taxonomy):
    # 1/2 × 0.0126 + 1/2 × 0.0028 = 0.0077: with three decimals 0.006 + 0.001 would stand beside 0.008.
    small = win_breakdown(taxonomy, 2, np.array([1, 0.0126, 0.0028, 0.0098, 0, 0.9, 0.0874]))
    words = shown_texts(charts.to_svg(charts.win_breakdown(taxonomy, small)))
    assert {"1/2 × 0.0126 = 0.0063", "1/2 × 0.0028 = 0.0014", "win 0.0077"} <= set(words)
    assert charts.win_breakdown(taxonomy, small).sentence.startswith("The win is 0.0077 (at most 1). ")


@pytest.mark.parametrize("truth", [0, 1, 5])
def test_win_of_inner_truths_and_the_root(taxonomy, truth):
    check(charts.win_breakdown(taxonomy, win_breakdown(taxonomy, truth, P), width=330), False, 330)


def test_win_of_a_deep_path_shares_its_last_line():
    names = [f"level {i}" for i in range(15)]
    taxonomy = Taxonomy.from_edges([*itertools.pairwise(names), ("level 0", "other")])
    breakdown = win_breakdown(taxonomy, taxonomy.node("level 14"), np.full(taxonomy.n_nodes, 0.5))
    words = check(charts.win_breakdown(taxonomy, breakdown), False, 1000)
    # 14 levels: eight lines, and one for the other six, whose weights sum to 1/256.
    assert "6 more levels to level 14" in words
    assert "1/256 in all, 0.00195" in words
    assert len(charts.win_breakdown(taxonomy, breakdown).table) == 14


@THEMES
@pytest.mark.parametrize("row", [0, 1, 2, 3])
def test_confusion_breakdown(taxonomy, row, dark, width):
    found = confusion(taxonomy, np.array([2, 2, 0, 5]), np.array([3, 0, 0, 4]))
    words = check(charts.confusion_breakdown(taxonomy, found, row, dark=dark, width=width), dark, width)
    expected = [
        ["hP = 1/2 = 0.500 of the answer's nodes are true", "hR = 1/2 = 0.500 of the true nodes are answered"],
        ["hP = 1: nothing is predicted", "hR = 0/2 = 0.000 of the true nodes are answered"],
        ["hP = 1: nothing is predicted", "hR = 1: the truth is the root"],
        ["hP = 1/1 = 1.000 of the answer's nodes are true", "hR = 1/2 = 0.500 of the true nodes are answered"],
    ]
    assert set(expected[row]) <= set(words)


def test_confusion_cells_name_their_nodes(taxonomy):
    found = confusion(taxonomy, np.array([2]), np.array([3]))
    table = charts.confusion_breakdown(taxonomy, found, 0).table
    assert list(zip(table["cell"], table["name"])) == [
        ("tp", "mammal"),
        ("fn", "cat"),
        ("fp", "dog"),
        ("tn", "bird"),
        ("tn", "newt"),
    ]
    assert charts.confusion_breakdown(taxonomy, found, 0).sentence == (
        "Of the 2 nodes on the way to the answer dog, 1 is true; of the 2 nodes on the way to the truth cat, 1 is answered."
    )


def test_a_cell_of_two_thousand_siblings_counts_the_rest():
    taxonomy = Taxonomy.from_edges([("root", f"sibling {i:04d}") for i in range(2101)])
    found = confusion(taxonomy, np.array([1]), np.array([2]))
    words = check(charts.confusion_breakdown(taxonomy, found, 0), False, 1000)
    assert "2,099" in words
    assert any(word.endswith(" more") for word in words)


@THEMES
def test_confusion_matrix(taxonomy, dark, width):
    # cat/dog: tp 1, fn 1, fp 1, tn 2 (bird, newt). newt/newt: tp 1, tn 2.
    found = confusion(taxonomy, np.array([2, 6]), np.array([3, 6]))
    words = check(charts.confusion(taxonomy, found, dark=dark, width=width), dark, width)
    assert {"2", "1", "4", "0.667", "True positives"} <= set(words)
    table = charts.confusion(taxonomy, found).table.set_index("key")
    assert table["value"][["tp", "tn", "fp", "fn"]].tolist() == [2, 4, 1, 1]
    assert charts.confusion(taxonomy, found).sentence == (
        "Over 2 samples 67 % of the answered nodes are true, and 67 % of the true nodes are answered."
    )


def test_undefined_measures_are_said_so(taxonomy):
    found = confusion(taxonomy, np.array([2]), np.array([0]))
    assert "undefined" in shown_texts(charts.to_svg(charts.confusion(taxonomy, found)))
    assert charts.confusion(taxonomy, found).sentence == "Over 1 samples no answered node is below the root."


@THEMES
def test_metric_bars(dark, width):
    values = {"Flat": {"ap": 0.7, "ac": 0.6, "n_points": 12}, "Conditional": {"ap": 0.8, "ac": None}}
    chart = charts.metric_bars(values, dark=dark, width=width)
    words = check(chart, dark, width)
    assert {"AP", "AC", "Flat", "Conditional"} <= set(words)
    # Number of points is not between 0 and 1, and an unknown value is no dot.
    table = charts.metric_bars(values).table
    assert table["metric"].tolist() == ["ap", "ap", "ac", "ac"]
    assert math.isnan(table["value"].iloc[-1])
    dots = next(view for view in views(chart.chart.to_dict()) if view["mark"]["type"] == "circle")
    assert sorted(row["value"] for row in dots["rows"]) == [0.6, 0.7, 0.8]


def test_metric_bars_without_a_metric():
    with pytest.raises(PredictionsError, match="expected a metric between 0 and 1"):
        charts.metric_bars({"Flat": {"info_dist": 3.0}})
