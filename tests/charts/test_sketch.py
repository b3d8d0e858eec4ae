"""Pictures that are drawn again with other rows: what is written once, and that it is what Altair writes of each."""

import json
import re

import altair as alt
import numpy as np
import pyarrow
import pytest
from altair.utils import schemapi
from chart_cases import many_curves

from hierviz import charts
from hierviz.app.widgets.figure import arrow_bytes
from hierviz.charts import _compose, export
from hierviz.charts._canvas import boxes, legend, texts
from hierviz.charts._compose import layer, plain_columns, vconcat
from hierviz.charts._sketch import Own, Sketch, sketched
from hierviz.charts.export import _rows as as_rows

CURVES = dict(list(many_curves(3).items()))


class Kept:
    """What has been written, by layout, and how often."""

    def __init__(self):
        self.found, self.n_written = {}, 0

    def __call__(self, layout, write):
        if layout not in self.found:
            self.n_written += 1
            self.found[layout] = write()
        return self.found[layout]


def figures(threshold, **look):
    """The pictures of the Overview at a threshold; what is drawn differs in its rows alone."""
    first = next(iter(CURVES))
    at = CURVES[first].at(0.5)
    point = charts.ChosenPoint(
        first, f"τ = {threshold}", float(at["info_recall"]), float(at["correct"]) - threshold / 1e4
    )
    share = threshold / 2
    shares = {name: {"exact": share, "coarse": 0.25, "no_answer": 0.25, "wrong": 0.5 - share} for name in CURVES}
    yield charts.operating_points(CURVES, dict.fromkeys(CURVES, 0.5), point, level=0.95, **look)
    yield charts.outcome_bars(shares, highlight=first, **look)


def plain(written):
    """A specification and its rows, without the names that Altair counts and that are hashes of contents."""
    spec, tables = written
    rows = sorted(table.decode() for table in tables.values())
    names = {}

    def name(match):
        return names.setdefault(match[0], f"name {len(names)}")

    return re.sub(r"view_\w+|[0-9a-f]{32}", name, json.dumps(spec, sort_keys=True)), rows


@pytest.mark.parametrize("dark", [False, True])
def test_a_picture_with_other_rows_is_written_once_and_is_the_same_as_without(dark, monkeypatch):
    keep = Kept()
    for threshold in (0.2, 0.3, 0.4):
        for figure in figures(threshold, width=400):
            kept = charts.to_spec(figure, as_rows, dark, keep)
            # Each kept one is what Altair writes of the chart that a notebook shows.
            assert plain(kept) == plain(charts.to_spec(charts.finish(figure, dark), as_rows))
    assert keep.n_written == 2
    built = []
    monkeypatch.setattr(_compose.alt, "layer", lambda *given, **named: built.append(given))
    for figure in figures(0.1, width=400):
        spec, tables = charts.to_spec(figure, as_rows, dark, keep)
        assert set(re.findall(r"[0-9a-f]{32}", json.dumps(spec))) == set(tables)
    assert not built


def test_columns_are_what_their_table_is():
    """In the browser, as rows, and as the table that Altair is given; text, gaps, numbers of all kinds, truth values."""
    rows = [
        {"a": "x", "b": 1.5, "c": 1, "d": True},
        {"a": None, "b": np.inf, "c": 2, "d": False},
        {"b": None, "e": "y"},
    ]
    drawn, table = plain_columns(rows), _compose.frame(rows)
    wanted = {"a": ["x", None, None], "b": [1.5, None, None], "c": [1, 2, None], "d": [True, False, None]}
    wanted |= {"e": [None, None, "y"]}
    for given in (drawn, table):
        assert json.loads(as_rows(given)) == [dict(zip(wanted, row)) for row in zip(*wanted.values())]
        with pyarrow.ipc.open_stream(arrow_bytes(given)) as stream:
            assert stream.read_all().to_pydict() == wanted


def test_a_table_of_a_figure_is_its_own():
    """To change it changes nothing that is kept."""
    values = np.arange(4.0)
    values.flags.writeable = False
    table = _compose.frame({"x": values})
    table.loc[0, "x"] = 99
    assert values[0] == 0
    assert table["x"].tolist() == [99, 1, 2, 3]


def curve_figures():
    """Operating curves with all that can be drawn on them."""
    first, *_ = CURVES
    points = [{"model": first, "label": "90 % correct", "threshold": 0.6, "metric": "correct", "level": 0.9}]
    layers = charts.CurveLayers(envelope=True, levels=True, points=points)
    yield charts.operating_curves(CURVES, layers=layers)
    yield charts.operating_curves(CURVES, threshold=dict.fromkeys(CURVES, 0.4), width=400)
    yield charts.operating_curves({first: CURVES[first]}, axes=charts.CurveAxes("threshold", "exact"), dark=True)


@pytest.mark.parametrize("place", range(3))
def test_what_is_written_without_altair_is_what_altair_writes(place, monkeypatch):
    figure = list(curve_figures())[place]
    assert isinstance(figure.sketch(), Sketch)
    by_altair = plain(charts.to_spec(charts.finish(figure, figure.dark), as_rows))
    # Nothing is left to Altair.
    monkeypatch.setattr(export, "finish", None)
    assert plain(charts.to_spec(figure, as_rows)) == by_altair


def test_what_only_altair_puts_together_is_left_to_it():
    one = alt.Chart(_compose.frame([{"x": 1.0}])).mark_point().encode(x="x:Q")
    sized = one.properties(width=30)
    for drawn in (layer(one, sized), layer(one, alt.layer(one, one)), vconcat(one, data=one.data)):
        spec, tables = charts.to_spec(drawn, as_rows, False)
        by_altair, _ = charts.to_spec(charts.finish(drawn, False), as_rows)
        assert plain((spec, tables)) == plain((by_altair, tables))


def test_channels_and_marks_are_written_as_altair_does():
    table = _compose.frame({"x": [1.0, 2.0], "y": [3, 4], "name": ["a", "b"]})
    picked = alt.selection_point(name="picked", fields=["name"], empty=False)
    channels = (
        {
            "x": alt.X("x"),
            "y": alt.Y("mean(y):Q"),
            "color": alt.condition(picked, alt.value("red"), alt.Color("name:N")),
        },
        {
            "x": alt.X(field="x", type="quantitative"),
            "x2": alt.X2("y:Q"),
            "y": alt.YDatum(3),
            "tooltip": ["name:N", "x:Q"],
        },
        {"x": alt.XValue(np.int64(3)), "size": alt.SizeValue(3, condition={"test": "datum.x > 1", "value": 5})},
        {"x": alt.X("x:Q", scale=alt.Scale(domain=np.array([0.0, 2.0]))), "y": alt.Y("name:N", sort=("b", "a"))},
        {},
    )
    for keywords in channels:
        views = [alt.Chart(table).mark_bar(), alt.Chart(table).mark_bar(color="red").transform_filter("datum.x > 1")]
        drawn = layer(*(view.encode(**keywords) for view in views)).properties(title=alt.TitleParams("a", offset=2))
        drawn = vconcat(drawn, alt.Chart(table).mark_point().encode(x="x:Q").add_params(picked), spacing=3)
        with schemapi.debug_mode(False):
            assert plain(charts.to_spec(drawn, as_rows)) == plain(charts.to_spec(charts.finish(drawn), as_rows))


def test_rows_of_a_step_are_its_own():
    keep, found = Kept(), []
    for threshold in (0.2, 0.3):
        *_, bars = figures(threshold, width=400)
        found.append(charts.to_spec(bars, as_rows, False, keep)[1])
    one, other = (" ".join(table.decode() for table in tables.values()) for tables in found)
    assert "10.0 %" in one
    assert "10.0 %" not in other
    assert "15.0 %" in other


def test_another_look_is_another_layout():
    keep = Kept()
    for look in ({"width": 400}, {"width": 401}, {"width": 400, "height": 300}, {"width": 400, "dark": True}):
        for figure in figures(0.2, **look):
            charts.to_spec(figure, as_rows, keep=keep)
    # The bars of three models are as high in both heights.
    assert keep.n_written == 7


def test_views_that_share_a_table_are_another_layout_than_those_that_do_not():
    @sketched
    def mark(table, colour):
        return alt.Chart(table).mark_point(color=colour).encode(x="x:Q")

    one, same, other = (_compose.frame([{"x": value}]) for value in (1, 1, 2))
    keep = Kept()
    for tables, values in (((one, one), {1}), ((same, other), {1, 2}), ((other, other), {2})):
        drawn = layer(*(mark(table, colour) for table, colour in zip(tables, ("red", "blue"), strict=True)))
        _, found = charts.to_spec(drawn, as_rows, False, keep)
        assert {row["x"] for table in found.values() for row in json.loads(table)} == values
    assert keep.n_written == 2


@sketched
def named(table, words, colour):
    axis = alt.Axis(labelExpr=words["of"], values=words["at"])
    return alt.Chart(table).mark_bar(color=colour).encode(alt.X("x:Q", axis=axis))


def test_words_and_sizes_of_one_picture_are_written_into_what_is_written_once():
    keep = Kept()
    rows = _compose.frame([{"x": 1}])
    for text, ends, width in (("a", [0, 1], 10), ("b", [0, 2, 3], 20)):
        parts = [named(rows, {"of": Own(text), "at": Own(ends)}, colour) for colour in ("red", "blue")]
        drawn = layer(*parts).properties(width=Own(width), height=30)
        kept = charts.to_spec(drawn, as_rows, False, keep)
        assert plain(kept) == plain(charts.to_spec(charts.finish(drawn.chart), as_rows))
        spec = kept[0]
        assert (spec["width"], spec["height"]) == (width, 30)
        axes = [view["encoding"]["x"]["axis"] for view in spec["layer"]]
        assert axes == [{"labelExpr": text, "values": ends}] * 2
    assert keep.n_written == 1
    # What is not the picture's own is another layout.
    charts.to_spec(layer(parts[0], parts[0]).properties(width=Own(20), height=30), as_rows, False, keep)
    assert keep.n_written == 2


def test_a_sketch_stands_for_its_chart():
    drawn = boxes([{"x": 0, "x2": 1, "y": 0, "y2": 1, "colour": "red"}], 10, 10)
    assert isinstance(drawn, Sketch)
    assert isinstance(drawn.encode(color=alt.value("blue")), alt.Chart)
    assert isinstance(layer(drawn, alt.Chart().mark_point()).resolve_scale(x="shared"), alt.LayerChart)
    assert isinstance(
        vconcat(legend([(None, [{"kind": "dot", "label": "a", "colour": "red", "shape": "circle"}])], 90)).chart,
        alt.VConcatChart,
    )


def test_what_could_hide_a_difference_is_no_setting():
    with pytest.raises(TypeError, match="plain settings, got ndarray"):
        _ = texts([{"x": 0, "y": 0, "text": "a", "colour": "red"}], np.zeros(5000), 10).layout
