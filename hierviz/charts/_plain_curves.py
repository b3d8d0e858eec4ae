"""Curves without controls: correct against information recall with marks, and risk against coverage."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._compose import OWN_COLOUR, STILL, frame, tooltips
from hierviz.charts._end_labels import box_points, column_width, end_labels, label_layers
from hierviz.charts._figure import Figure
from hierviz.charts._plane import OF_LINES, Plane, Room, by_name, plot_of
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.curve_lines import envelopes, plain_lines
from hierviz.charts.theme import SIZE, model_colours, palette
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import percent_text, value_text

X, Y, RANGE, HEIGHT = "info_recall", "correct", (0.0, 1.0), 300


def plain_curves(curves, *, marks=None, level=None, area=False, among=None, dark=None, width=800, height=HEIGHT):
    """Correct answers against information recall at every threshold, both axes from 0 to 1.

    Parameters
    ----------
    curves : dict of str to OperatingCurve
    marks : dict of str to float, optional
        Label and threshold of dots on every curve.
    level : float, optional
        Share of correct answers, in [0, 1], where a line is drawn.
    area : bool
        Draw the envelopes and shade what AC integrates, the area below.
    among : sequence of str, optional
        Names that these models are chosen from, as of `operating_curves`.
    dark : bool, optional
    width, height : int
        Pixels: of the whole figure, of the plot.

    Returns
    -------
    Figure
        Its table: ``model``, ``mark``, ``threshold``, ``info_recall``, ``correct``; one row a dot.

    Raises
    ------
    PredictionsError
        If there is no curve, or a threshold is outside [0, 1].
    """
    curves = numbers.checked_curves(curves)
    table = _table(curves, marks)
    draw = functools.partial(_drawn, curves, table, level, area, height, among)
    return Figure(draw, table, lambda: _sentence(curves, table), dark, width)


def _drawn(curves, rows, level, area, height, among, dark, width):
    look, colours, side = palette(dark), model_colours(curves, dark, among), _side(curves, width)
    on = Plane(look, (numbers.axis_label(X), numbers.axis_label(Y)), (RANGE, RANGE), plot_of(width - side), height)
    if area:
        lines = envelopes(curves, X, Y, RANGE, RANGE)
    else:
        lines = plain_lines([(curve.values[X], curve.values[Y]) for curve in curves.values()], RANGE, RANGE)
    layers = on.lines(lines, {"name": list(colours)}, color=_colour(colours, on, side))
    if area:
        shaded = lines.assign(colour=[list(colours.values())[number] for number in lines["model"]], floor=0.0)
        below = alt.Chart(shaded).mark_area(opacity=0.25, **STILL)
        fill = alt.Fill("colour:N", scale=None)
        layers.insert(0, below.encode(**on.place, y2=alt.Y2("floor:Q"), fill=fill, detail=alt.Detail("model:N")))
    if level is not None:
        across = alt.Chart(frame({"y": [level]})).mark_rule(strokeDash=[5, 4], color=look.ink, tooltip=None)
        layers.append(across.encode(on.place["y"]))
    words: list[dict] = []
    if len(rows):
        marked = rows.assign(x=rows[X], y=rows[Y], colour=[colours[name] for name in rows["model"]])
        # Where curves are named at their ends, the colour says whose dot it is.
        marked["shown"] = rows["mark"] if side else _labels(rows, curves, " · ")
        dots = alt.Chart(marked).mark_circle(size=140, opacity=1, stroke=look.background, strokeWidth=1.5)
        tips = tooltips({"shown:N": "Mark", "x:Q": ("Information recall", ".3f"), "y:Q": ("Correct", ".3f")})
        layers.append(dots.encode(**on.place, color=OWN_COLOUR, tooltip=tips))
        words = _words(marked.to_dict("records"), on)
        layers += on.words(words, colour=look.ink, fontSize=SIZE, fontWeight=600)
    layers += _names(lines, colours, on, side, words)
    return on.chart(layers, ["shaded: AC"] if area else ())


# Width of a figure from which curves are named at their ends.
NAMED = 560


def _side(names, width):
    """Pixels for the names of several curves on the right of the plot; 0 where a legend has them."""
    return column_width(names) if len(names) > 1 and width >= NAMED else 0


def _colour(colours, on, side):
    """Colour by ``name``, with a legend where curves are not named at their ends."""
    found = by_name(alt.Color, "name", colours, on.plot, **OF_LINES)
    return found.legend(None) if side else found


def _names(drawn, colours, on, side, words=()):
    """The name of each of the drawn lines at its last point, clear of words that `Room.placed` gave."""
    if not side:
        return []
    lines = [
        np.array(on.pixel({axis: rows[axis].to_numpy()[::-1] for axis in "xy"})) for _, rows in drawn.groupby("model")
    ]
    named = end_labels(
        list(colours), list(colours.values()), lines, on, side, others=box_points(words, SIZE, bold=True)
    )
    return label_layers(named, on)


def _words(rows, on):
    """Labels of dots, in turn above and below the curve; where there is no room for the model, its colour says it."""
    room, words = Room((0, on.plot, -24, on.height), SIZE, bold=True), []
    above, below = [("left", 9, -13), ("right", -9, -13)], [("right", -9, 20), ("left", 9, 20)]
    for number, row in enumerate(rows):
        spots = below + above if number % 2 else above + below
        tries = [(*on.pixel(row), *spot) for spot in spots]
        label = room.placed(row["shown"], tries) or room.placed(row["mark"], tries)
        if label:
            words.append(label | {"x": row["x"], "y": row["y"]})
    return words


def _table(curves, marks):
    rows = [
        {"model": name, "mark": label, "threshold": float(threshold)}
        | {key: float(curve.at(threshold)[key]) for key in (X, Y)}
        for name, curve in curves.items()
        for label, threshold in (marks or {}).items()
    ]
    return frame({key: [row[key] for row in rows] for key in ("model", "mark", "threshold", X, Y)})


def _sentence(curves, rows):
    """One plain sentence: how correct and how specific the answers are at each mark."""
    labels = _labels(rows, curves, ", ")
    parts = [
        f"{label}: {percent_text(row[Y])} of the answers are correct, information recall {percent_text(row[X])}"
        for label, row in zip(labels, rows.to_dict("records"))
    ]
    text = "; ".join(parts) or f"correct answers against information recall of {', '.join(curves)}, at all thresholds"
    return f"{text if text[0] == 'τ' else text[0].upper() + text[1:]}."


def _labels(rows, curves, between):
    """The label of each mark, with the model where there are several."""
    return [between.join((mark, name)) if len(curves) > 1 else mark for mark, name in zip(rows["mark"], rows["model"])]


RISK_HEIGHT = 260
# Shares of the samples at which a sentence compares models.
COVERAGES = (0.5, 0.8, 0.95)
# Points of a curve that show their numbers, and rows of a table for one model.
HOVERED, MOST_ROWS = 60, 1000


def rejection_curves(curves, *, among=None, dark=None, width=800, height=RISK_HEIGHT):
    """Share of wrong answers against the share of the samples that get an answer, one line per model.

    Parameters
    ----------
    curves : dict of str to RejectionCurve
        By model; of the same samples.
    among : sequence of str, optional
        Names that these models are chosen from, as of `operating_curves`.
    dark : bool, optional
    width, height : int
        Pixels: of the whole figure, of the plot.

    Returns
    -------
    Figure
        Its table: ``model, threshold, coverage, risk``; of many points `MOST_ROWS` evenly, both ends in.

    Raises
    ------
    PredictionsError
        If there is no curve, or one covers nothing.
    """
    points = _points("rejection_curve", curves)
    draw = functools.partial(_drawn_risk, points, ("Coverage (answers below the root)", "τ"), height, among)
    return Figure(draw, lambda: _table_risk(points), lambda: _sentence_risk(curves), dark, width)


def selective_curves(curves, *, among=None, dark=None, width=800, height=RISK_HEIGHT):
    """Share of wrong answers among all samples against the coverage of climbing, one line per model.

    Parameters
    ----------
    curves : dict of str to SelectiveCurve
        By model; of the same samples.
    among : sequence of str, optional
        Names that these models are chosen from, as of `operating_curves`.
    dark : bool, optional
    width, height : int
        Pixels: of the whole figure, of the plot.

    Returns
    -------
    Figure
        Its table: ``model, theta, coverage, risk``; of many points `MOST_ROWS` evenly, both ends in. θ is nan where it is above
        all probabilities.

    Raises
    ------
    PredictionsError
        If there is no curve.
    """
    points = _points("selective_curve", curves)
    draw = functools.partial(_drawn_risk, points, ("Selective coverage", "θ"), height, among)
    table = functools.partial(_table_risk, points, "theta")
    return Figure(draw, table, lambda: _sentence_selective(curves), dark, width)


def _drawn_risk(points, words, height, among, dark, width):
    most = max(float(risk.max()) for _, risk, _ in points.values())
    domains = (0.0, 1.0), (0.0, max(0.05, np.ceil(most * 20 + 1e-9) / 20))
    (across, sign), colours = words, model_colours(points, dark, among)
    side = _side(points, width)
    on = Plane(palette(dark), (across, "Risk"), domains, plot_of(width - side), height, (".0%", ".0%"))
    drawn = plain_lines([(coverage, risk) for coverage, risk, _ in points.values()], *domains)
    rows = [
        {"model": name, "x": coverage[k], "y": risk[k], "text": _threshold_words(threshold[k])}
        for name, (coverage, risk, threshold) in points.items()
        for k in _evenly(len(risk), HOVERED)
    ]
    tips = {"model:N": "Model", "text:N": sign, "x:Q": ("Coverage", ".1%"), "y:Q": ("Risk", ".2%")}
    lines = on.lines(drawn, {"name": list(colours)}, color=_colour(colours, on, side))
    layers = [*lines, on.hover(rows, tips), *_names(drawn, colours, on, side)]
    return on.chart(layers, ["Better: bottom right"])


def _threshold_words(threshold):
    return threshold_text(threshold) if np.isfinite(threshold) else "above all"


def _evenly(n, most):
    """Places of at most so many of n rows, both ends in."""
    return np.unique(np.linspace(0, n - 1, most).astype(int)).tolist()


def _table_risk(points, threshold="threshold"):
    columns = ("coverage", "risk", threshold)
    rows = [
        {"model": name} | dict(zip(columns, point, strict=True))
        for name, of in points.items()
        for point in zip(*(values[_evenly(len(values), MOST_ROWS)].tolist() for values in of), strict=True)
    ]
    return frame(rows)[["model", threshold, "coverage", "risk"]]


def _sentence_risk(curves):
    """The risk of every model at equal coverage, in words."""
    said = []
    for coverage in COVERAGES:
        risks = {name: curve.risk_at(coverage) for name, curve in curves.items()}
        parts = [f"{name} {'–' if np.isnan(risk) else value_text(risk)}" for name, risk in risks.items()]
        said.append(f"{percent_text(coverage)} covered: {', '.join(parts)}")
    return f"Smallest share of wrong answers with at least so many samples answered. {'; '.join(said)}."


def _sentence_selective(curves):
    """hAURC of every model, and its risk where the answer is always the most probable leaf."""
    areas = ", ".join(f"{name} {value_text(curve.area)}" for name, curve in curves.items())
    leaves = ", ".join(f"{name} {value_text(float(curve.risk[-1]))}" for name, curve in curves.items())
    return (
        f"hAURC, the area below the risk over the coverage, lower is better: {areas}. Share of wrong answers at coverage 1, "
        f"where all answers are leaves: {leaves}."
    )


def _points(kind, curves):
    """Coverage, risk and threshold of each model where something is covered; `kind` is what gives such a curve."""
    if not curves:
        raise PredictionsError(
            f"{kind}s: expected at least one curve, got none. Pass {{name: hierviz.curves.{kind}(...)}}."
        )
    found = {}
    for name, curve in curves.items():
        inside = ~np.isnan(curve.risk)
        if not inside.any():
            raise PredictionsError(
                f"rejection_curves: expected answers below the root, got none for {name!r}. Leave it out."
            )
        threshold = next(iter(curve.columns().values()))
        found[name] = tuple(values[inside] for values in (curve.coverage, curve.risk, threshold))
    return found
