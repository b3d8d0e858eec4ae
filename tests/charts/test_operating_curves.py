"""Operating curves as data: exact knots, simplified lines, coupling by one selection, words, widths."""

import json
import re

import altair as alt
import numpy as np
import pytest
import vl_convert
from chart_cases import (
    curve_of,
    distance_to_polyline,
    font_sizes,
    many_curves,
    probabilities,
    shown_texts,
    size,
    three_points,
    views,
)

from hierviz import METRICS, PredictionsError, infer, operating_curve, pareto_table
from hierviz.charts import (
    CurveAxes,
    CurveLayers,
    curve_drag,
    finish,
    knots,
    operating_curves,
    selections,
    threshold_text,
    to_svg,
    to_vega_lite,
)
from hierviz.charts import curve_lines as lines
from hierviz.charts import curve_table as numbers
from hierviz.charts._curve_figure import CurveFigure
from hierviz.charts._curve_panel import PICKED_DOT
from hierviz.charts.curve_knots import ThresholdScale
from hierviz.curves import OperatingCurve

RULES = {"leaf": {"info_recall": 0.75, "correct": 0.6}, "majority": {"info_recall": 0.5, "correct": 0.9}}


def test_the_knot_table_holds_the_exact_value_of_every_threshold():
    curves = many_curves(2)
    thresholds = knots(curves)
    table = numbers.knot_table(curves, ["correct", "info_f1"], thresholds, ThresholdScale())
    assert table.columns.tolist() == ["threshold", "at", "text", "correct_0", "f1_0", "correct_1", "f1_1"]
    assert table["threshold"].tolist() == table["at"].tolist() == thresholds.tolist()
    for i, (threshold, text) in enumerate(zip(table["threshold"], table["text"])):
        assert float(text) == threshold
        for number, curve in enumerate(curves.values()):
            assert table[f"correct_{number}"][i] == curve.at(threshold)["correct"]


def test_answers_at_every_knot_against_their_definition(taxonomy):
    tree, rng = taxonomy, np.random.default_rng(8)
    p = np.array([probabilities(tree, rng) for _ in range(40)])
    table, truth = pareto_table(tree, p), rng.choice(tree.leaves, 40)
    curves = {"m": operating_curve(tree, truth, table)}
    thresholds = knots(curves)
    found = numbers.knot_table(curves, ["correct"], thresholds, ThresholdScale(), {"m": (tree, table)})
    for i in range(0, len(thresholds), 37):
        answers = infer(tree, p, "threshold", threshold=thresholds[i])
        depths = [tree.depth[node] for node in answers.tolist()]
        assert found["mean_depth_0"][i] == pytest.approx(sum(depths) / 40, abs=1e-12)
        assert found["not_at_leaf_0"][i] == pytest.approx(sum(not tree.is_leaf[one] for one in answers.tolist()) / 40)
        assert [found[f"depth{d}_0"][i] for d in range(tree.max_depth + 1)] == [
            depths.count(d) for d in range(tree.max_depth + 1)
        ]


def test_lines_are_solid_from_one_half_up_and_dashed_below_and_meet():
    found = lines.polylines({"m": three_points()}, "info_recall", "correct", (0, 1), (0, 1))
    parts = {part: list(zip(rows["x"], rows["y"])) for part, rows in found.groupby("part")}
    assert parts == {"high": [(0, 1), (0.5, 0.9)], "low": [(0.5, 0.9), (0.75, 0.6)]}


def test_a_curve_that_is_always_confident_has_no_dashed_part():
    found = lines.polylines({"m": curve_of([0.9, 0.6])}, "info_recall", "correct", (0, 1), (0, 1))
    assert set(found["part"]) == {"high"}


def test_the_strip_is_a_step_function():
    steps = lines.against_threshold({"m": three_points()}, "info_f1", (0, 1), ThresholdScale())
    # The two parts meet at one half, in the middle of a step.
    shown = list(zip(steps["part"], steps["x"], steps["y"]))
    assert [one for one in shown if one[0] == "low"] == [
        ("low", 0, 0.7),
        ("low", 0.4, 0.7),
        ("low", 0.4, 0.6),
        ("low", 0.5, 0.6),
    ]
    assert [one for one in shown if one[0] == "high"] == [
        ("high", 0.5, 0.6),
        ("high", 0.8, 0.6),
        ("high", 0.8, 0),
        ("high", 1, 0),
    ]


def test_a_breakpoint_at_one_half_holds_from_one_half_on():
    steps = lines.against_threshold({"m": curve_of([0.5], info_f1=[0.2, 0.8])}, "info_f1", (0, 1), ThresholdScale())
    assert [(x, y) for part, x, y in zip(steps["part"], steps["x"], steps["y"]) if part == "low"] == [
        (0, 0.8),
        (0.5, 0.8),
        (0.5, 0.2),
    ]


def test_envelopes_are_the_area_that_is_integrated():
    for curves in (many_curves(3), {"m": three_points()}):
        found = lines.envelopes(curves, "info_recall", "correct", (0, 1), (0, 1))
        for number, curve in enumerate(curves.values()):
            mine = found[found["model"] == number]
            area = np.trapezoid(mine["y"], mine["x"])
            assert area == pytest.approx(curve.summary()["ac"], abs=2e-4)
            assert np.all(np.diff(mine["y"]) <= 1e-6)
            assert mine["x"].iloc[0] == 0


def test_lines_deviate_by_a_tenth_of_a_pixel_at_most():
    curves = many_curves(1, n_points=1500)
    found = lines.polylines(curves, "info_recall", "correct", (0, 1), (0.5, 1))
    curve = next(iter(curves.values()))
    x, y = curve.values["info_recall"] * 1000, (curve.values["correct"] - 0.5) / 0.5 * 600
    kept = np.column_stack([found["x"] * 1000, (found["y"] - 0.5) / 0.5 * 600])
    worst = max(distance_to_polyline(point, kept) for point in np.column_stack([x, y])[::7])
    assert worst <= 0.101


@pytest.mark.long
def test_tables_stay_below_the_limit_of_altair_for_jagged_curves():
    curves = many_curves(8, n_points=1200)
    spec = operating_curves(curves).chart.to_dict()
    assert max(len(rows) for rows in spec["datasets"].values()) <= 5000
    drawn = lines.polylines(curves, "info_recall", "correct", (0, 1), (0.5, 1))
    assert drawn.groupby("model").size().max() <= lines.MOST_POINTS
    parts = lines.tables(drawn)
    assert len(parts) > 1
    assert sum(map(len, parts)) == len(drawn)


def test_tables_are_not_written_out_before_they_are_asked_for():
    written = []
    alt.data_transformers.register("counted", lambda table: written.append(table) or {"name": "table"})
    with alt.data_transformers.enable("counted"):
        chart = operating_curves(many_curves(2))
        assert written == []
        chart.chart.to_dict()
    assert written


def test_a_figure_of_eight_models_is_no_more_than_two_megabytes():
    """What Streamlit sends is Arrow: columns of numbers, here counted as eight bytes each."""
    curves = many_curves(8, n_points=1200)
    figure = CurveFigure(curves)
    drawn = lines.polylines(curves, "info_recall", "correct", (0, 1), (0.5, 1))
    assert figure.knots.size * 8 + drawn.size * 8 < 2e6
    assert len(json.dumps(curve_drag(curves))) < 4e5


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


def test_the_selection_of_the_threshold_has_a_slider():
    spec = operating_curves({"m": three_points()}, threshold=0.62).chart.to_dict()
    param = next(one for one in spec["params"] if one["name"] == "chosen")
    assert param["select"]["type"] == "point"
    assert param["select"]["fields"] == ["threshold"]
    assert param["select"]["on"] == "pointerdown, pointermove[event.buttons === 1]"
    assert param["value"] == [{"threshold": 0.62}]
    assert param["bind"] == {"input": "range", "min": 0, "max": 1, "step": 0.001, "name": "threshold τ "}
    (hit,) = (view for view in views(spec) if view.get("mark", {}).get("cursor") == "ew-resize")
    assert len(hit["rows"]) == len(knots({"m": three_points()}, 0.62))
    assert hit["rows"][0]["lo"] < 0
    assert hit["rows"][-1]["hi"] > 1
    edges = np.array([(row["lo"], row["threshold"], row["hi"]) for row in hit["rows"]])
    assert np.all((edges[:, 0] < edges[:, 1]) & (edges[:, 1] < edges[:, 2]))
    assert np.array_equal(edges[1:, 0], edges[:-1, 2])


def test_several_models_have_a_selection_of_the_one_looked_at():
    curves = many_curves(3)
    spec = operating_curves(curves, model="hxe α=0.5").chart.to_dict()
    param = next(one for one in spec["params"] if one["name"] == "model")
    assert param["value"] == [{"model": 1}]
    assert param["bind"]["labels"] == list(curves)
    assert selections(curves) == ["chosen", "model"]
    assert selections({"m": three_points()}) == ["chosen"]
    assert "model" not in {one["name"] for one in operating_curves({"m": three_points()}).chart.to_dict()["params"]}


@pytest.mark.long
def test_every_model_can_have_a_threshold_of_its_own():
    curves = {"A": three_points(), "B": three_points()}
    svg = to_svg(operating_curves(curves, threshold={"A": 0.9, "B": 0.3}, model="B"))
    words = shown_texts(svg)
    assert "0.900" in words
    assert "0.300" in words
    assert "τ = 0.300" in words
    assert "Each at its own τ" in words
    # Correct at 0.9 and at 0.3, worked by hand in `three_points`.
    assert "1.000" in words
    assert "0.600" in words
    table = operating_curves(curves, threshold={"A": 0.9, "B": 0.3}).table
    assert table["threshold"].tolist() == [0.9, 0.3]
    assert table["correct"].tolist() == [1, 0.6]
    assert operating_curves(curves, threshold={"A": 0.9, "B": 0.3}, model="B").sentence.startswith(
        "B at τ = 0.300: 60 % of"
    )


@pytest.mark.long
def test_names_of_models_are_never_names_of_fields():
    curves = many_curves(4)
    spec = operating_curves(curves, layers=CurveLayers(rules=dict.fromkeys(curves, RULES))).chart.to_dict()
    fields = {field for rows in spec["datasets"].values() for row in rows for field in row}
    assert not fields & set(curves)
    assert all(field.replace("_", "").isalnum() for field in fields)


@pytest.mark.long
def test_rules_are_hollow_markers_with_one_shape_a_rule():
    spec = operating_curves({"m": three_points()}, layers=CurveLayers(rules={"m": RULES})).chart.to_dict()
    (markers,) = (view for view in views(spec) if view["rows"] and "rule" in view["rows"][0])
    assert [(row["rule"], row["shape"], row["x"], row["y"]) for row in markers["rows"]] == [
        ("leaf", "circle", 0.75, 0.6),
        ("majority", "triangle-up", 0.5, 0.9),
    ]
    assert markers["mark"]["fill"] == "#ffffff"
    assert "stroke" in markers["encoding"]
    assert "color" not in markers["encoding"]


@pytest.mark.long
def test_a_rule_without_the_axis_metrics_is_left_out():
    spec = operating_curves(
        {"m": three_points()}, layers=CurveLayers(rules={"m": {"leaf": {"exact": 0.3}}})
    ).chart.to_dict()
    assert not [view for view in views(spec) if view["rows"] and "rule" in view["rows"][0]]


def test_the_read_out_starts_with_the_values_at_the_threshold():
    words = shown_texts(to_svg(operating_curves({"m": three_points(), "n": curve_of([])}, threshold=0.5)))
    for word in ("At τ = 0.500", "0.900", "0.600", "F1", "m", "n", "τ = 0.500"):
        assert word in words


@pytest.mark.long
def test_axes_are_called_as_in_the_registry():
    words = shown_texts(to_svg(operating_curves({"m": three_points()}, axes=CurveAxes("depth_recall", "info_dist"))))
    assert METRICS["depth_recall"].label in words
    assert f"{METRICS['info_dist'].label}, bits" in words


@pytest.mark.parametrize(
    ("n", "width", "dark"),
    [
        (3, 330, True),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in ((1, 330, False), (3, 640, True), (1, 1000, True), (8, 330, True), (8, 1000, False))
        ),
    ],
)
def test_it_compiles_fits_and_is_readable(n, width, dark):
    curves = many_curves(n)
    rules = dict.fromkeys(list(curves)[:3], RULES)
    chart = operating_curves(curves, layers=CurveLayers(rules=rules), width=width, dark=dark, threshold=1)
    spec = to_vega_lite(chart, dark)
    svg = vl_convert.vegalite_to_svg(spec)
    assert size(svg)[0] <= width
    assert min(font_sizes(svg)) >= 11
    words = shown_texts(svg)
    assert sum(word.startswith("Flat softmax") for word in words) >= 2
    assert not any("NaN" in word or "undefined" in word or "null" in word for word in words)
    assert spec["usermeta"]["embedOptions"]["renderer"] == "svg"


@pytest.mark.long
@pytest.mark.parametrize("threshold", [[], [0.7], [0.5], [1.0], [0.0]])
def test_curves_of_one_or_two_points(threshold):
    to_svg(operating_curves(curve_of(threshold), width=330))


def test_values_that_are_not_a_curve_are_refused():
    with pytest.raises(PredictionsError, match="expected at least one operating curve"):
        operating_curves({})
    with pytest.raises(PredictionsError, match="x: expected one of exact, correct"):
        operating_curves(three_points(), axes=CurveAxes("win"))


def test_the_table_holds_thresholds_and_rules():
    table = operating_curves({"m": three_points()}, threshold=0.5, layers=CurveLayers(rules={"m": RULES})).table
    assert table["rule"].tolist() == ["threshold", "leaf", "majority"]
    assert table["correct"].tolist() == [0.9, 0.6, 0.9]
    assert table["info_f1"].tolist()[0] == 0.6
    assert np.isnan(table["exact"].tolist()[1])


def test_the_sentence_has_the_numbers():
    curves = {
        "A": curve_of([], correct=[0.86], exact=[0.41], info_recall=[0.7], info_f1=[0.72], no_answer=[0.3]),
        "B": curve_of([], correct=[0.95], exact=[0.2], info_recall=[0.4], info_f1=[0.5]),
    }
    assert operating_curves(curves, threshold=0.5).sentence == (
        "A at τ = 0.500: 86 % of the answers are correct, 41 % exact; 30.0 % get no answer; of the others 80.0 % are correct; "
        "information recall 70 %."
    )
    assert operating_curves({"A": curves["A"]}).sentence.endswith("information recall 70 %.")
    # The sentence in the picture, written by the browser, rounds in the same way: 0.785 in a table is 79 %.
    half = {"A": curve_of([], correct=[0.785], exact=[0.145], info_recall=[0.625])}
    assert "79 % of the answers are correct, 15 % exact" in operating_curves(half).sentence
    (live,) = [text for text in shown_texts(to_svg(operating_curves(half))) if text.startswith("A at τ")]
    assert live.endswith("correct 79 %, exact 15 %, no answer 50 %, information recall 63 %.")


@pytest.mark.long
def test_finish_leaves_the_chart_alone():
    chart = operating_curves({"m": three_points()})
    before = chart.chart.to_dict()
    finish(chart, dark=True)
    assert chart.chart.to_dict() == before
    assert "background" not in before
    assert finish(chart, dark=True).to_dict()["background"] == "#171614"


def crowded(n=2000, seed=3):
    """Scores of a model that is nearly always sure: 1 - threshold falls evenly in its logarithm from 0.5 to 1e-6."""
    rng = np.random.default_rng(seed)
    threshold = np.unique(1 - 10 ** rng.uniform(-6, np.log10(0.5), n))[::-1]
    steps = np.linspace(0, 1, len(threshold) + 1)
    return curve_of(threshold, info_recall=steps, correct=1 - 0.3 * steps, info_f1=steps)


@pytest.mark.long
def test_crowded_scores_have_knots_and_room():
    curves = {"m": crowded()}
    thresholds = knots(curves)
    assert len(thresholds) <= 1501
    assert set(np.arange(1001) / 1000) <= set(thresholds)
    # A linear slider would have 10 thresholds above 0.99, where three quarters of all changes are.
    assert (thresholds > 0.99).sum() > 300
    spread, linear = ThresholdScale.from_curves(curves), ThresholdScale.from_curves(curves, spread=False)
    assert spread.nines >= 4
    assert linear.nines == 0
    for scale in (spread, linear):
        at = scale.place(thresholds)
        assert (at[0], at[-1]) == (0, pytest.approx(1))
        assert np.all(np.diff(at) > 0)
    assert spread.place(0.9) < 0.4
    assert ThresholdScale.from_curves({"m": three_points()}).nines == 0
    words = shown_texts(to_svg(operating_curves(curves, threshold=0.99987)))
    assert {"0.99", "0.999", "Threshold τ, spread near 1", "τ = 0.99987"} <= set(words)


def test_knots_are_all_breakpoints_of_a_small_data_set_and_what_is_asked_for():
    curve = curve_of([0.91234567, 0.4, 1e-5])
    thresholds = knots({"m": curve}, 0.123456)
    assert 0.123456 in thresholds
    for one in curve.threshold:
        above = thresholds[np.searchsorted(thresholds, one)]
        assert above - one < 1e-4
        assert curve.place(above) == curve.place(one)


@pytest.mark.parametrize("threshold", [0, 0.5, 1, 0.9312, 0.999871, 1 - 1e-9, 1e-5])
def test_thresholds_are_written_in_full(threshold):
    text = threshold_text(threshold)
    assert float(text) == threshold
    assert len(text.split(".")[1]) >= 3


@pytest.mark.long
def test_construction_lines_end_where_the_summary_says():
    curves = many_curves(2)
    chart = operating_curves(curves, layers=CurveLayers(levels=True))
    rows = [row for view in views(chart.chart.to_dict()) for row in view["rows"] if "level" in row]
    for number, curve in enumerate(curves.values()):
        found = {row["level"]: row["x"] for row in rows if row["j"] == number}
        summary = curve.summary()
        assert found == {0.9: summary["recall_at_90_correct"], 0.95: summary["recall_at_95_correct"]}
    first = next(iter(curves.values())).summary()
    assert f"R@95C {first['recall_at_95_correct']:.3f}" in shown_texts(to_svg(chart))
    exact = operating_curves(curves, axes=CurveAxes("exact"), layers=CurveLayers(levels=True))
    assert any(word.startswith("Exact@90C") for word in shown_texts(to_svg(exact)))


def test_a_metric_against_the_threshold():
    curve = three_points()
    extra = OperatingCurve(curve.threshold, curve.values | {"hf1_samples": np.array([0.1, 0.5, 0.4])}, 10)
    chart = operating_curves(
        {"m": extra}, axes=CurveAxes("threshold", "hf1_samples"), layers=CurveLayers(levels=True, envelope=True)
    )
    words = shown_texts(to_svg(chart))
    assert METRICS["hf1_samples"].label in words
    assert words.count("Threshold τ") == 2
    assert "0.500" in words
    with pytest.raises(PredictionsError, match="y: expected one of exact, correct"):
        operating_curves({"m": curve}, axes=CurveAxes("threshold", "hf1_samples"))
    with pytest.raises(PredictionsError, match="model: expected one of m"):
        operating_curves({"m": curve}, model="other")


def test_places_to_drag_to_are_those_of_the_drawing():
    curves = {"A": three_points(), "B": curve_of([0.6, 0.2], info_recall=[0.1, 0.4, 0.5], correct=[1, 0.8, 0.7])}
    found = curve_drag(curves, threshold=0.3, model="B", axes=CurveAxes(zoom=False))
    assert (found["models"], found["picked"], found["shared"]) == (["A", "B"], 1, True)
    assert found["thresholds"] == knots(curves, 0.3).tolist()
    assert [float(text) for text in found["texts"]] == found["thresholds"]
    at = {threshold: i for i, threshold in enumerate(found["thresholds"])}
    assert [found["x"][1][at[threshold]] for threshold in (0.1, 0.3, 0.7)] == [5000, 4000, 1000]
    assert [found["y"][0][at[threshold]] for threshold in (0.1, 0.5, 0.9)] == [4000, 1000, 0]
    assert found["strip"][at[0.25]] == 2500
    changes = [
        [threshold for threshold, one in zip(found["thresholds"], row) if one == "1"] for row in found["changes"]
    ]
    # The first threshold counts as a change.
    assert changes == [[0, 0.4, 0.8], [0, 0.2, 0.6]]
    stops = [[found["thresholds"][stop] for stop in row] for row in found["stops"]]
    for curve, (majority, best, *right) in zip(curves.values(), stops):
        assert majority == 0.5
        assert best == curve.best_threshold("info_f1")
        assert right == [curve.best_threshold("info_recall", correct=0.95)]


def parting_curves():
    """Two models whose answers are all correct up to an information recall of 0.4, and of 0.5."""
    return {
        "A": curve_of([0.8, 0.5, 0.3], info_recall=[0, 0.4, 0.6, 0.8], correct=[1, 1, 0.9, 0.7]),
        "B": curve_of([0.8, 0.5, 0.3], info_recall=[0, 0.5, 0.7, 0.9], correct=[1, 1, 0.8, 0.6]),
    }


@pytest.mark.long
def test_the_axis_starts_where_curves_part_and_says_so():
    curves = parting_curves()
    # Both are at 1 up to 0.4, where A leaves it; the axis goes back to the next tenth, with air.
    assert numbers.parting(curves, "info_recall", "correct", 0.005) == 0.4
    assert CurveFigure(curves).domains[0] == pytest.approx((0.3, 1.0))
    assert "x axis from 0.3" in shown_texts(to_svg(operating_curves(curves)))
    whole = CurveAxes(zoom=False)
    assert CurveFigure(curves, axes=whole).domains[0] == (0, 1)
    assert not any("x axis from" in text for text in shown_texts(to_svg(operating_curves(curves, axes=whole))))
    # A mark or a ring further left stays in the picture.
    rules = CurveLayers(rules={"A": {"leaf": {"info_recall": 0.15, "correct": 0.9}}})
    assert CurveFigure(curves, layers=rules).domains[0][0] == pytest.approx(0.1)
    ring = CurveLayers(points=[{"model": "A", "label": "sure", "threshold": 0.9}])
    assert CurveFigure(curves, layers=ring).domains[0][0] == 0


def test_curves_that_start_apart_or_never_part_are_not_cropped():
    apart = {"A": curve_of([0.5], info_recall=[0, 0.8], correct=[1, 0.9]), "B": curve_of([0.5], correct=[0.7, 0.7])}
    assert CurveFigure(apart).domains[0][0] == 0
    flat = {"A": curve_of([0.5], info_recall=[0, 0.8], correct=[1, 1])}
    assert numbers.parting(flat, "info_recall", "correct", 0.005) == -np.inf
    assert CurveFigure(flat).domains[0][0] == 0


@pytest.mark.long
def test_a_dot_left_of_a_cropped_axis_is_an_arrow_at_its_edge():
    (svg, inside) = (to_svg(operating_curves(parting_curves(), threshold=threshold)) for threshold in (0.9, 0.4))
    arrows = [
        len(re.findall(r"<path aria-label=\"[^\"]*Model: A[^\"]*\"[^>]*aria-roledescription=\"point\"", one))
        for one in (svg, inside)
    ]
    assert arrows == [1, 1]
    shapes = [
        re.search(r'd="([^"]+)"', path)[1]
        for one in (svg, inside)
        for path in re.findall(r"<path[^>]*Model: A[^>]*>", one)
    ]
    # Vega draws a circle as arcs and an arrow as straight lines.
    assert ["A" in shape for shape in shapes] == [False, True]
    drag = curve_drag(parting_curves())
    assert min(min(places) for places in drag["x"]) == 0


def test_a_target_is_a_line_and_not_a_name_at_its_ring():
    points = [
        {"model": "A", "label": "90 % correct", "threshold": 0.6, "metric": "correct", "level": 0.9},
        {"model": "A", "label": "lowest cost", "threshold": 0.4},
    ]
    chart = operating_curves(parting_curves(), layers=CurveLayers(points=points))
    spec = chart.chart.to_dict()
    lines = [view for view in views(spec) if view["rows"] == [{"y": 0.9}]]
    assert [view["mark"]["type"] for view in lines] == ["rule"]
    words = shown_texts(to_svg(chart))
    # At the line, with a halo below it, and not in the legend, where the target is that is no line.
    assert words.count("90 % correct") == 2
    assert words.count("lowest cost") == 1
    across = operating_curves(parting_curves(), axes=CurveAxes("correct", "exact"), layers=CurveLayers(points=points))
    assert [view["rows"] for view in views(across.chart.to_dict()) if view["rows"] == [{"x": 0.9}]]


@pytest.mark.long
def test_the_majority_shows_around_the_dot_that_covers_it():
    spec = operating_curves({"m": three_points()}, layers=CurveLayers(rules={"m": RULES})).chart.to_dict()
    (markers,) = (view for view in views(spec) if view["rows"] and "rule" in view["rows"][0])
    sizes = {row["rule"]: row["size"] for row in markers["rows"]}
    # Half the side of a triangle of that area parameter against the radius of a circle of the dot's.
    assert np.sqrt(sizes["majority"]) / 2 > np.sqrt(PICKED_DOT / np.pi) + 3
    assert "at τ" in shown_texts(to_svg(operating_curves({"m": three_points()})))
