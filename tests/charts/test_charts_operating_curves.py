"""Operating curves as data: exact knots, simplified lines, coupling by one selection, words, widths."""

import json

import numpy as np
import pytest
from chart_cases import curve_of, font_sizes, many_curves, shown_texts, size, three_points, views

from hierviz import METRICS, PredictionsError
from hierviz.charts import curve_table as numbers
from hierviz.charts import (
    finish,
    operating_curves,
    operating_curves_sentence,
    operating_curves_table,
    to_svg,
    to_vega_lite,
)

RULES = {"leaf": {"info_recall": 0.75, "correct": 0.6}, "majority": {"info_recall": 0.5, "correct": 0.9}}


def test_the_knot_table_holds_the_exact_value_of_every_threshold():
    curves = many_curves(2)
    table = numbers.knot_table(curves, ["correct", "info_f1"])
    assert table.columns.tolist() == ["tau", "correct_0", "f1_0", "correct_1", "f1_1"]
    assert len(table) == 1001
    for i in (0, 1, 499, 500, 1000):
        for number, curve in enumerate(curves.values()):
            assert table[f"correct_{number}"][i] == curve.at(i / 1000)["correct"]


def test_lines_are_solid_from_one_half_up_and_dashed_below_and_meet():
    lines = numbers.polylines({"m": three_points()}, "info_recall", "correct", (0, 1), (0, 1))
    parts = {part: list(zip(rows["x"], rows["y"])) for part, rows in lines.groupby("part")}
    assert parts == {"high": [(0, 1), (0.5, 0.9)], "low": [(0.5, 0.9), (0.75, 0.6)]}


def test_a_curve_that_is_always_confident_has_no_dashed_part():
    lines = numbers.polylines({"m": curve_of([0.9, 0.6])}, "info_recall", "correct", (0, 1), (0, 1))
    assert set(lines["part"]) == {"high"}


def test_the_strip_is_a_step_function():
    steps = numbers.against_threshold({"m": three_points()}, "info_f1", (0, 1))
    assert list(zip(steps["tau"], steps["y"])) == [(0, 0.7), (0.4, 0.7), (0.4, 0.6), (0.8, 0.6), (0.8, 0), (1, 0)]


def test_lines_deviate_by_a_tenth_of_a_pixel_at_most():
    curves = many_curves(1, n_points=2000)
    curve = next(iter(curves.values()))
    lines = numbers.polylines(curves, "info_recall", "correct", (0, 1), (0.5, 1))
    x, y = curve.values["info_recall"] * 1000, (curve.values["correct"] - 0.5) / 0.5 * 600
    kept = np.column_stack([lines["x"] * 1000, (lines["y"] - 0.5) / 0.5 * 600])
    worst = 0.0
    for point in np.column_stack([x, y])[::7]:
        a, b = kept[:-1], kept[1:]
        d = b - a
        along = np.clip(((point - a) * d).sum(1) / np.maximum((d * d).sum(1), 1e-12), 0, 1)
        worst = max(worst, float(np.hypot(*(a + along[:, None] * d - point).T).min()))
    assert worst <= 0.101


def test_tables_stay_below_the_limit_of_altair_for_jagged_curves():
    curves = many_curves(8, n_points=600)
    spec = operating_curves(curves).to_dict()
    assert max(len(rows) for rows in spec["datasets"].values()) <= 5000
    assert len(json.dumps(spec)) < 2.5e6


@pytest.mark.parametrize(
    ("key", "values", "zoom", "expected"),
    [
        ("correct", [0.63, 1.0], True, (0.6, 1.0)),
        ("correct", [0.63, 1.0], False, (0.0, 1.0)),
        ("correct", [0.995, 1.0], True, (0.8, 1.0)),
        ("info_recall", [0.0, 0.52], True, (0.0, 0.6)),
        ("info_dist", [2.0, 7.3], True, (0.0, 7.5)),
        ("correct", [], True, (0.0, 1.0)),
    ],
)
def test_axes_are_cropped_to_what_is_drawn(key, values, zoom, expected):
    assert numbers.domain(key, np.array(values), zoom) == pytest.approx(expected)


def test_the_selection_is_called_tau_and_has_a_slider():
    spec = operating_curves({"m": three_points()}, tau=0.62).to_dict()
    (param,) = spec["params"]
    assert param["name"] == "tau"
    assert param["select"]["type"] == "point"
    assert param["select"]["fields"] == ["tau"]
    assert param["select"]["on"] == "pointerdown, pointermove[event.buttons === 1]"
    assert param["value"] == [{"tau": 0.62}]
    assert param["bind"] == {"input": "range", "min": 0, "max": 1, "step": 0.001, "name": "threshold τ "}
    (hit,) = (view for view in views(spec) if view.get("mark", {}).get("cursor") == "ew-resize")
    assert len(hit["rows"]) == 1001
    assert hit["rows"][0]["lo"] < 0
    assert hit["rows"][-1]["hi"] > 1


def test_names_of_models_are_never_names_of_fields():
    curves = many_curves(4)
    spec = operating_curves(curves, rules=dict.fromkeys(curves, RULES)).to_dict()
    fields = {field for rows in spec["datasets"].values() for row in rows for field in row}
    assert not fields & set(curves)
    assert all(field.replace("_", "").isalnum() for field in fields)


def test_rules_are_hollow_markers_with_one_shape_a_rule():
    spec = operating_curves({"m": three_points()}, rules={"m": RULES}).to_dict()
    (markers,) = (view for view in views(spec) if view["rows"] and "rule" in view["rows"][0])
    assert [(row["rule"], row["shape"], row["x"], row["y"]) for row in markers["rows"]] == [
        ("leaf", "circle", 0.75, 0.6),
        ("majority", "triangle-up", 0.5, 0.9),
    ]
    assert markers["mark"]["fill"] == "#ffffff"
    assert "stroke" in markers["encoding"]
    assert "color" not in markers["encoding"]


def test_a_rule_without_the_axis_metrics_is_left_out():
    spec = operating_curves({"m": three_points()}, rules={"m": {"leaf": {"exact": 0.3}}}).to_dict()
    assert not [view for view in views(spec) if view["rows"] and "rule" in view["rows"][0]]


def test_the_read_out_starts_with_the_values_at_the_threshold():
    words = shown_texts(to_svg(operating_curves({"m": three_points(), "n": curve_of([])}, tau=0.5)))
    for word in ("At τ = 0.500", "0.900", "0.600", "Distance, bits", "m", "n", "τ = 0.500"):
        assert word in words


def test_axes_are_called_as_in_the_registry():
    words = shown_texts(to_svg(operating_curves({"m": three_points()}, x="depth_recall", y="info_dist")))
    assert METRICS["depth_recall"].label in words
    assert f"{METRICS['info_dist'].label}, bits" in words


@pytest.mark.parametrize(
    ("n", "width", "dark"), [(1, 330, False), (1, 1000, True), (3, 640, False), (8, 330, True), (8, 1000, False)]
)
def test_it_compiles_fits_and_is_readable(n, width, dark):
    curves = many_curves(n)
    rules = dict.fromkeys(list(curves)[:3], RULES)
    chart = operating_curves(curves, rules=rules, width=width, dark=dark, tau=1)
    svg = to_svg(chart, dark)
    assert size(svg)[0] <= width
    assert min(font_sizes(svg)) >= 11
    words = shown_texts(svg)
    assert sum(word.startswith("Flat softmax") for word in words) >= 2
    assert not any("NaN" in word or "undefined" in word or "null" in word for word in words)
    assert to_vega_lite(chart, dark)["usermeta"]["embedOptions"]["renderer"] == "svg"


@pytest.mark.parametrize("threshold", [[], [0.7], [0.5], [1.0], [0.0]])
def test_curves_of_one_or_two_points(threshold):
    to_svg(operating_curves(curve_of(threshold), width=330))


def test_values_that_are_not_a_curve_are_refused():
    with pytest.raises(PredictionsError, match="expected at least one operating curve"):
        operating_curves({})
    with pytest.raises(PredictionsError, match="x: expected one of exact, correct"):
        operating_curves(three_points(), x="win")


def test_the_table_holds_thresholds_and_rules():
    table = operating_curves_table({"m": three_points()}, tau=0.5, rules={"m": RULES})
    assert table["rule"].tolist() == ["threshold", "leaf", "majority"]
    assert table["correct"].tolist() == [0.9, 0.6, 0.9]
    assert table["info_f1"].tolist()[0] == 0.6
    assert np.isnan(table["exact"].tolist()[1])


def test_the_sentence_has_the_numbers():
    curves = {
        "A": curve_of([], correct=[0.86], exact=[0.41], info_recall=[0.7], info_f1=[0.72]),
        "B": curve_of([], correct=[0.95], exact=[0.2], info_recall=[0.4], info_f1=[0.5]),
    }
    assert operating_curves_sentence(curves, 0.5) == (
        "At τ = 0.50 A is right 86 % of the time, names exactly the true class in 41 % of the samples, and states 70 % of "
        "what there is to say: of 2 models the best balance. B is right most often, 95 %, but states 40 %."
    )
    assert operating_curves_sentence({"A": curves["A"]}).endswith("states 70 % of what there is to say.")


def test_finish_leaves_the_chart_alone():
    chart = operating_curves({"m": three_points()})
    before = chart.to_dict()
    finish(chart, dark=True)
    assert chart.to_dict() == before
    assert "background" not in before
    assert finish(chart, dark=True).to_dict()["background"] == "#171614"
