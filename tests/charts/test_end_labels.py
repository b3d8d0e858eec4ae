"""Names at the ends of curves: each once, in its colour, clear of each other and of the curves."""

import itertools

import numpy as np
import pytest
from chart_cases import curve_of, many_curves, shown_texts, three_points, views
from hypothesis import given
from hypothesis import strategies as st

from hierviz.charts import CurveAxes, CurveLayers, operating_curves, plain_curves, to_svg
from hierviz.charts._curve_figure import CurveFigure
from hierviz.charts._end_labels import SIZE, column_width, end_labels, spread
from hierviz.charts._text import text_width
from hierviz.charts.theme import model_colours


def box(row):
    """Left, right, top and bottom of a name, pixels."""
    wide = text_width(row["text"], SIZE, bold=True)
    left = row["across"] + row["dx"] - (wide if row["align"] == "right" else 0)
    middle = row["down"] + row["dy"]
    return left, left + wide, middle - SIZE / 2, middle + SIZE / 2


def meet(a, b):
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def cases():
    """Models by name: falling curves, all the same curve, and ends in a bunch."""
    rng = np.random.default_rng(5)
    for n in range(2, 9):
        yield f"{n} falling", many_curves(n)
        yield f"{n} equal", {f"model {i}": three_points() for i in range(n)}
        ends = rng.uniform(0.6, 0.7, (n, 2))
        bunch = {
            f"a model with a long name {i}": curve_of([0.5], info_recall=[0, x], correct=[1, y])
            for i, (x, y) in enumerate(ends.tolist())
        }
        yield f"{n} in a bunch", bunch


@pytest.mark.parametrize(("name", "curves"), [pytest.param(*case, id=case[0]) for case in cases()])
def test_end_labels_do_not_overlap(name, curves):
    figure = CurveFigure(curves)
    on, room = figure.plane(700, 300), column_width(curves)
    lines = [np.array(figure.places(k)) * [[700], [300]] for k in range(len(curves))]
    rows = end_labels(list(curves), figure.colours, lines, on, room)
    assert [row["colour"] for row in rows] == list(model_colours(curves).values())
    boxes = list(map(box, rows))
    assert not [pair for pair in itertools.combinations(boxes, 2) if meet(*pair)]
    for row, (left, right, top, bottom) in zip(rows, boxes, strict=True):
        assert left >= 0
        assert right <= 700 + room
        assert top >= -1
        assert bottom <= 301
        is_in_column = "end_x" in row
        assert is_in_column == (left >= 700)
        if not is_in_column:
            for line in lines:
                assert not ((line[0] > left) & (line[0] < right) & (line[1] > top) & (line[1] < bottom)).any()


@pytest.mark.parametrize("n", [*(pytest.param(n, marks=pytest.mark.long) for n in (2, 5)), 8])
def test_every_curve_is_named_once_in_the_picture(n):
    curves = {f"model {i}": three_points() for i in range(n)}
    words = shown_texts(to_svg(operating_curves(curves)))
    # With a halo below it, and once more in the table of numbers.
    assert [words.count(name) for name in curves] == [3] * n
    phone = shown_texts(to_svg(operating_curves(curves, width=340)))
    assert [phone.count(name) for name in curves] == [2] * n


def test_names_that_are_not_at_their_end_are_joined_to_it():
    curves = {"A": three_points(), "B": three_points()}
    spec = operating_curves(curves).chart.to_dict()
    joined = [view["rows"] for view in views(spec) if view["rows"] and {"x2", "y2"} <= set(view["rows"][0])]
    ends = [(row["x"], row["y"]) for rows in joined for row in rows]
    assert ends == [pytest.approx((0.75, 0.6))] * 2
    # Against the threshold all curves end at one place, and a line would say nothing.
    against = operating_curves(curves, axes=CurveAxes("threshold", "correct")).chart.to_dict()
    assert not [view for view in views(against) if view["rows"] and {"x2", "y2"} <= set(view["rows"][0])]


def test_a_name_keeps_clear_of_marks_of_rules():
    alone = {"A": curve_of([0.5], info_recall=[0, 0.5], correct=[1, 0.6])}
    free = CurveFigure(alone)
    marked = CurveFigure(alone, layers=CurveLayers(rules={"A": {"leaf": {"info_recall": 0.51, "correct": 0.6}}}))
    found = []
    for figure in (free, marked):
        on = figure.plane(700, 300)
        marks = np.array([on.pixel(row) for row in figure.markers]).reshape(-1, 2).T
        line = np.array(figure.places(0)) * [[700], [300]]
        found.append(end_labels(["A"], ["#000000"], [line], on, 100, others=marks)[0])
    assert ["end_x" in row for row in found] == [False, True]


def test_curves_without_controls_are_named_too(taxonomy):
    words = shown_texts(to_svg(plain_curves({"A": three_points(), "B": three_points()})))
    assert [words.count(name) for name in "AB"] == [2, 2]
    (alone, *_) = (shown_texts(to_svg(plain_curves({"A": three_points()}, width=width))) for width in (800, 340))
    assert alone.count("A") == 1


@given(
    st.lists(st.floats(-50, 350), min_size=1, max_size=6).map(sorted),
    st.floats(1, 20),
)
def test_places_are_apart_inside_and_as_close_as_possible(wanted, gap):
    low, high = 0.0, 300.0
    found = spread(np.array(wanted), gap, low, high)
    assert np.all(np.diff(found) >= gap - 1e-9)
    assert found[0] >= low - 1e-9
    assert found[-1] <= high + 1e-9

    # Moving any run of neighbours together does not help: the sum of squares is convex.
    def cost(places):
        return float(((places - wanted) ** 2).sum())

    for first, last in itertools.combinations(range(len(wanted) + 1), 2):
        for step in (-0.01, 0.01):
            moved = found.copy()
            moved[first:last] += step
            allowed = np.all(np.diff(moved) >= gap - 1e-12) and moved[0] >= low and moved[-1] <= high
            if allowed:
                assert cost(moved) >= cost(found) - 1e-6
