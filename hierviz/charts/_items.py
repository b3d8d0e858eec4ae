"""Numbers of some items, an item a line: estimates with their intervals as dots.

Names of items are labels of an axis, which cuts those that are too long; tooltips have them whole.
"""

from __future__ import annotations

import json

import altair as alt
import numpy as np

from hierviz.charts._compose import STILL, frame, layer, plain_columns, tooltips
from hierviz.charts._figure import Figure
from hierviz.charts._plane import by_name
from hierviz.charts._sketch import Own, sketched
from hierviz.charts.theme import SIZE, SMALL, model_colours, palette
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS

# Pixels: widest names of items, of one series in a line, between lines, of a line of a name; below which numbers need more of
# the room.
NAMES, SERIES, BETWEEN, LINE, NARROW = 250, 11, 16, 16, 560
ENDS = ("estimate", "lower", "upper")


# The library gives names the width that they need, and the plot the rest.
FIT = alt.AutoSizeParams(type="fit-x", contains="padding")


def item_places(items, colours, look, width, highlight=None):
    """(properties of the chart, settings of `places_of` for the rows ``item`` and ``model``)."""
    order, bold = Own(list(items)), Own(f"datum.value === {json.dumps(highlight)}")
    n_lines = 1 + max((str(item).count("\n") for item in items), default=0)
    height = Own(len(items) * max(SERIES * len(colours) + BETWEEN, LINE * n_lines + BETWEEN // 2))
    # The library puts the first line of a name beside its row.
    offset = Own(LINE * (1 - n_lines) / 2)
    return {"width": width, "height": height, "autosize": FIT}, (order, colours, look, width, bold, offset)


def places_of(order, colours, look, width, bold, offset):
    """Encodings of the place and colour of rows."""
    axis = alt.Axis(
        title=None,
        domain=False,
        ticks=False,
        grid=False,
        labelPadding=10,
        labelLimit=min(NAMES, 0.4 * width) - 12,
        labelOffset=offset,
        labelColor=look.ink,
        labelFontSize=SIZE,
        labelFontWeight={"condition": {"test": bold, "value": 600}, "value": 400},
        labelExpr="split(datum.label, '\\n')",
    )
    colour = by_name(alt.Color, "model", colours, 0.6 * width, symbolType="square")
    return {
        "y": alt.Y("item:N", sort=order, axis=axis).scale(paddingInner=0.25, paddingOuter=0.15),
        "yOffset": alt.YOffset("model:N", sort=list(colours)),
        "color": colour if len(colours) > 1 else colour.legend(None),
    }


def dots(rows, colours, tooltip, *, title, domain, look, width, runs=None, line=None, highlight=None):
    """Dots of estimates on one scale, with lines from end to end of their intervals.

    Parameters
    ----------
    rows : DataFrame
        ``item``, ``model``, ``value``, ``lower`` and ``upper`` (empty where there is no interval), what `tooltip` names, and
        optionally ``text`` to write above a dot; items in their order.
    colours : dict of str to str
        By model.
    tooltip : dict of str to str
        Field with its type, as in ``"value:Q"``, to title.
    title : str or None
        Of the axis.
    domain : (float, float)
    look : Palette
    width : int
    runs : list of dict, optional
        Small circles: ``item``, ``model``, ``run``, ``value``.
    line : (float, dict), optional
        Where a line is drawn, and how.
    highlight : str, optional
        Item whose name is bold.
    """
    size, at = item_places(list(dict.fromkeys(rows["item"])), colours, look, width, highlight)
    x, table = (Own(list(domain)), Own(title)), plain_columns({name: rows[name].to_numpy() for name in rows})
    layers = [] if line is None else [_line(plain_columns({"value": [line[0]]}), x, line[1])]
    layers += [_spans(table, at), _circles(table, at, x, tooltip)]
    if runs:
        of_run = {name: tooltip[name] for name in tooltip if name.partition(":")[0] in runs[0]} | {"run:N": "Run"}
        layers.append(_rings(plain_columns(runs), at, x, of_run))
    if "text" in rows:
        layers.append(_above(table, at, x))
    return layer(*layers).properties(**size)


def _value(domain, title):
    """The channel of values of `dots`."""
    x = alt.X("value:Q", axis=alt.Axis(title=title, grid=True, tickCount=5, tickSize=0, labelPadding=6))
    return x.scale(domain=domain, nice=False, zero=False)


@sketched
def _line(table, x, mark):
    return alt.Chart(table).mark_rule(**mark, **STILL).encode(_value(*x))


@sketched
def _spans(table, at):
    spans = alt.Chart(table).mark_rule(strokeWidth=2.5, opacity=0.55, **STILL)
    return spans.encode(alt.X("lower:Q"), x2=alt.X2("upper:Q"), **places_of(*at))


@sketched
def _circles(table, at, x, tooltip):
    _, _, look, *_ = at
    circles = alt.Chart(table).mark_circle(size=85, opacity=1, stroke=look.background, strokeWidth=1)
    return circles.encode(_value(*x), **places_of(*at), tooltip=tips_of(tooltip))


@sketched
def _rings(table, at, x, tooltip):
    rings = alt.Chart(table).mark_point(size=26, strokeWidth=1.2, opacity=0.9, filled=False)
    return rings.encode(_value(*x), **places_of(*at), tooltip=tips_of(tooltip))


@sketched
def _above(table, at, x):
    _, _, look, *_ = at
    words, places = alt.Chart(table).mark_text(dy=-12, fontSize=SMALL, color=look.ink, tooltip=None), places_of(*at)
    return words.encode(_value(*x), places["y"], places["yOffset"], text=alt.Text("text:N"))


def tips_of(fields):
    return tooltips({field: (title, ".4~f") if field.endswith(":Q") else title for field, title in fields.items()})


def metric_bars(values, *, metrics=None, among=None, dark=None, width=1000):
    """Dot plot of metrics between 0 and 1: models by a few metrics.

    Parameters
    ----------
    values : dict of str to dict of str to float
        Model, metric; None and nan are left out.
    metrics : sequence of str, optional
        Keys of `METRICS` with range 0 to 1, in order; all that the models have by default.
    among : sequence of str, optional
        Names that these models are chosen from, as of `operating_curves`.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``model``, ``metric``, ``name``, ``value``.

    Raises
    ------
    PredictionsError
        If no metric is left to show.
    """
    wanted = dict.fromkeys(metrics if metrics is not None else (key for model in values.values() for key in model))
    wanted = [key for key in wanted if key in METRICS and METRICS[key].range == (0.0, 1.0)]
    pairs = [(key, name) for key in wanted for name in values]
    columns = {"model": [name for _, name in pairs], "metric": [key for key, _ in pairs]}
    columns |= {"name": [METRICS[key].label for key, _ in pairs]}
    table = frame(columns | {"value": np.array([values[name].get(key) for key, name in pairs], dtype=float)})
    rows = table[table["value"].notna()]
    if not len(rows):
        raise PredictionsError("metric bars: expected a metric between 0 and 1, got none. Pass `metrics`.")

    def draw(dark, width):
        shown = rows.assign(item=rows["name"], lower=np.nan, upper=np.nan)
        tips = {"model:N": "Model", "name:N": "Metric", "value:Q": "Value"}
        colours, look = model_colours(values, dark, among), palette(dark)
        return dots(shown, colours, tips, title=None, domain=(0, 1), look=look, width=width)

    return Figure(draw, table, dark=dark, width=width)


def interval_lines(items, *, zero=False, highlight=None, dark=None, width=1000):
    """Estimates with intervals on one scale.

    Parameters
    ----------
    items : dict of str to (float, float, float)
        Name to estimate, lower and upper end.
    zero : bool
        Whether 0 is on the scale, with a line.
    highlight : str, optional
        Name of an item that is bold.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``item``, ``estimate``, ``lower``, ``upper``.
    """
    values = {key: [float(row[i]) for row in items.values()] for i, key in enumerate(ENDS)}
    table = frame({"item": list(items), **values})

    def draw(dark, width):
        look = palette(dark)
        ends = [*values["lower"], *values["upper"], *([0.0] if zero else [])]
        pad = 0.06 * (max(ends) - min(ends)) or 0.05
        rows = table.assign(model="", value=table["estimate"], text=list(map(value_text, values["estimate"])))
        tips = {"item:N": "What", "value:Q": "Estimate", "lower:Q": "From", "upper:Q": "To"}
        where = {"domain": (min(ends) - pad, max(ends) + pad), "line": (0.0, {"color": look.axis}) if zero else None}
        return dots(rows, {"": look.models[0]}, tips, title=None, look=look, width=width, highlight=highlight, **where)

    return Figure(draw, table, dark=dark, width=width)
