"""Operating curves with one chosen point: correct against information recall, the target as a line, a dot for every model."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import altair as alt
import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._compose import OWN_COLOUR, frame, plain_columns, tooltips
from hierviz.charts._end_labels import box_points, column_width, end_labels, label_layers
from hierviz.charts._figure import Figure
from hierviz.charts._plane import Plane, Room, plot_of
from hierviz.charts._sketch import sketched
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.curve_lines import whole_lines
from hierviz.charts.theme import SIZE, SMALL, model_colours, palette
from hierviz.messages.number_text import percent_text
from hierviz.taxonomy.checks import check_kind, check_share

X, Y = "info_recall", "correct"
# Pixels below which a picture is that of a phone.
NARROW = 400
# Name of the selection of a dot, and models that a sentence names besides the chosen one.
CLICKED, MOST_NAMED = "model", 3


@dataclass(frozen=True)
class ChosenPoint:
    """The point that `operating_points` is about.

    Attributes
    ----------
    model : str
    label : str
        How it was chosen, such as ``"τ = 0.709"``.
    info_recall, correct : float
        In [0, 1].
    """

    model: str
    label: str
    info_recall: float
    correct: float


def operating_points(curves, thresholds, chosen, *, level=None, among=None, dark=None, width=480, height=400):
    """Correct answers against information recall at every threshold, with a dot for each model and the chosen one named.

    Parameters
    ----------
    curves : dict of str to OperatingCurve
        By model, of the same samples.
    thresholds : dict of str to float
        Of the other models' dots, such as `hierviz.thresholds.most_specific.equally_correct` finds; a model may have none.
    chosen : ChosenPoint
        On the curve of one of the models, of another inference rule beside it, or of a model that has labels and no curve.
    level : float, optional
        Share of correct answers where a line is drawn, in [0, 1].
    among : sequence of str, optional
        Names of all models, whose order gives the colours.
    dark : bool, optional
    width, height : int
        Pixels: of the whole figure, of the plot.

    Returns
    -------
    Figure
        Its table: ``model, threshold, info_recall, correct, chosen``. A click on a dot selects its ``model``.

    Raises
    ------
    PredictionsError
        If there is no curve, or a share is outside [0, 1].
    """
    curves = numbers.checked_curves(curves)
    check_kind("chosen", chosen, ChosenPoint, "Pass hierviz.charts.ChosenPoint(...).")
    if level is not None:
        check_share("level", level, with_ends=True)
    table = _table(curves, thresholds, chosen)
    draw = functools.partial(_drawn, curves, table, chosen, level, among, height)
    return Figure(draw, table, lambda: _sentence(table, chosen), dark, width)


def _table(curves, thresholds, chosen):
    rows = [
        {"model": chosen.model, "threshold": chosen.label, X: chosen.info_recall, Y: chosen.correct, "chosen": True}
    ]
    for name, curve in curves.items():
        if name != chosen.model and thresholds.get(name) is not None:
            at = curve.at(thresholds[name])
            text = f"τ = {threshold_text(thresholds[name])}"
            rows.append({"model": name, "threshold": text, X: float(at[X]), Y: float(at[Y]), "chosen": False})
    return frame(rows)


def _drawn(curves, table, chosen, level, among, height, dark, width):
    look, colours = palette(dark), model_colours(list(dict.fromkeys((*curves, chosen.model))), dark, among)
    # On a phone names need a larger share: cut ones are alike.
    side = column_width(curves, (0.32 if width >= NARROW else 0.42) * width)
    domains = _domains(curves, table, level)
    on = Plane(
        look, ("Information recall: how specific", "Correct"), domains, plot_of(width) - side, height, ("%", "%")
    )
    drawn = whole_lines(curves, X, Y, *domains)
    wide = [3.0 if name == chosen.model else 1.5 for name in curves]
    layers = []
    if level is not None:
        layers.append(_across(plain_columns({"y": [level]}), on))
    series = {"colour": [colours[name] for name in curves], "wide": wide}
    width_of = alt.StrokeWidth("wide:Q", scale=None, legend=None)
    layers += on.lines(drawn, series, color=OWN_COLOUR, strokeWidth=width_of)
    rows = table.assign(x=table[X], y=table[Y], colour=[colours[name] for name in table["model"]])
    rows["size"] = np.where(rows["chosen"], 260, 90)
    of_curves = {name: colours[name] for name in curves}
    layers += _words(drawn, rows.to_dict("records"), of_curves, chosen, level, on, side)
    return on.chart([*layers, _dots(rows.sort_values("chosen"), on)])


@sketched
def _across(table, on):
    return alt.Chart(table).mark_rule(strokeDash=[5, 4], color=on.look.ink, tooltip=None).encode(on.place["y"])


@sketched
def _dots(table, on):
    mark = alt.Chart(table).mark_circle(opacity=1, stroke=on.look.background, strokeWidth=2, cursor="pointer")
    tips = {
        "model:N": "Model",
        "threshold:N": "Chosen by",
        "x:Q": ("Information recall", ".1%"),
        "y:Q": ("Correct", ".1%"),
    }
    clicked = alt.selection_point(name=CLICKED, fields=["model"], on="click", toggle=False, empty=False)
    size = alt.Size("size:Q", scale=None, legend=None)
    return mark.encode(**on.place, color=OWN_COLOUR, size=size, tooltip=tooltips(tips)).add_params(clicked)


def _domains(curves, table, level):
    """Ranges of the axes: what the curves need where they differ, the dots and the line."""
    up = [numbers.extremes(curve, Y) for curve in curves.values()]
    y = numbers.domain(Y, np.concatenate([*up, table[Y], [1.0 if level is None else level]]))
    # Left of the place where the first curve leaves 1 there is nothing to see.
    left = min(float(np.min(curve.values[X][curve.values[Y] < 0.995], initial=1.0)) for curve in curves.values())
    x = numbers.domain(X, np.concatenate([*(numbers.extremes(curve, X) for curve in curves.values()), table[X]]))
    low = max(x[0], np.floor(10 * min(left, table[X].min() - 0.02)) / 10)
    return (float(min(low, x[1] - 0.2)), x[1]), y


def _words(lines, rows, colours, chosen, level, on, side):
    """The name of each curve at its end, the line's, and the chosen dot's."""
    words, layers = [], []
    (row,) = [row for row in rows if row["chosen"]]
    x, y = on.pixel(row)
    room = Room(
        (0, on.plot + side, -20, on.height), SIZE, bold=True, others=np.array([on.pixel(one) for one in rows]).T
    )
    tries = [(x, y, align, dx, dy) for dy in (-20, 22, -38, 40, -56, 58) for align, dx in (("left", 6), ("right", -6))]
    label = room.placed(f"{chosen.model}, {chosen.label}", tries) or room.placed(chosen.label, tries)
    if label:
        words.append(label)
        layers += on.words([label | {"x": row["x"], "y": row["y"]}], colour=on.look.ink, fontSize=SIZE, fontWeight=700)
    if level is not None:
        line = {
            "x": on.domains[0][0],
            "y": level,
            "text": f"{percent_text(level)} correct",
            "align": "left",
            "dx": 4,
            "dy": 11,
        }
        layers += on.words([line], colour=on.look.muted, fontSize=SMALL)
    ends = [np.array(on.pixel({axis: of[axis].to_numpy()[::-1] for axis in "xy"})) for _, of in lines.groupby("model")]
    taken = box_points(words, SIZE, bold=True)
    named = end_labels(list(colours), list(colours.values()), ends, on, side, others=taken)
    return [*label_layers(named, on), *layers]


def _sentence(table, chosen):
    """The chosen point, and how specific the others are with as many correct answers, the best first."""
    said = (
        f"{chosen.model}, {chosen.label}: {percent_text(chosen.correct, 1)} of the answers are correct, information recall "
        f"{percent_text(chosen.info_recall, 1)}."
    )
    others = table[~table["chosen"].astype(bool)].sort_values(X, ascending=False, kind="stable")
    if len(others):
        listed = [f"{row.model} {percent_text(row.info_recall, 1)}" for row in others.head(MOST_NAMED).itertuples()]
        more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
        said += f" The other dots, each with as many correct answers: information recall {', '.join(listed)}{more}."
    return said
