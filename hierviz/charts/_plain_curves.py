"""Curves without controls: correct against information recall with marks, risk against coverage, parts of the samples."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._compose import OWN_COLOUR, STILL, frame, tooltips
from hierviz.charts._curve_panel import band_layers, bands_sentence
from hierviz.charts._figure import Figure
from hierviz.charts._plane import DASHES, OF_LINES, Plane, Room, by_name, plot_of
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.curve_lines import envelopes, plain_lines
from hierviz.charts.theme import SIZE, model_colours, palette
from hierviz.evaluation.model_table import BAND_THRESHOLDS
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import percent_text, value_text
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.taxonomy.checks import check_one_of
from hierviz.uncertainty.repeats import CurveOfRuns, run_bands

X, Y, RANGE, HEIGHT = "info_recall", "correct", (0.0, 1.0), 300


def plain_curves(curves, *, marks=None, level=None, area=False, dark=None, width=800, height=HEIGHT):
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
    draw = functools.partial(_drawn, curves, table, level, area, height)
    return Figure(draw, table, lambda: _sentence(curves, table), dark, width)


def _drawn(curves, rows, level, area, height, dark, width):
    look, colours = palette(dark), model_colours(curves, dark)
    on = Plane(look, (numbers.axis_label(X), numbers.axis_label(Y)), (RANGE, RANGE), plot_of(width), height)
    if area:
        lines = envelopes(curves, X, Y, RANGE, RANGE)
    else:
        lines = plain_lines([(curve.values[X], curve.values[Y]) for curve in curves.values()], RANGE, RANGE)
    colour = by_name(alt.Color, "name", colours, on.plot, **OF_LINES)
    layers = on.lines(lines, {"name": list(colours)}, color=colour)
    if area:
        shaded = lines.assign(colour=[list(colours.values())[number] for number in lines["model"]], floor=0.0)
        below = alt.Chart(shaded).mark_area(opacity=0.25, **STILL)
        fill = alt.Fill("colour:N", scale=None)
        layers.insert(0, below.encode(**on.place, y2=alt.Y2("floor:Q"), fill=fill, detail=alt.Detail("model:N")))
    if level is not None:
        across = alt.Chart(frame({"y": [level]})).mark_rule(strokeDash=[5, 4], color=look.ink, tooltip=None)
        layers.append(across.encode(on.place["y"]))
    if len(rows):
        marked = rows.assign(x=rows[X], y=rows[Y], colour=[colours[name] for name in rows["model"]])
        marked["shown"] = _labels(rows, curves, " · ")
        dots = alt.Chart(marked).mark_circle(size=140, opacity=1, stroke=look.background, strokeWidth=1.5)
        tips = tooltips({"shown:N": "Mark", "x:Q": ("Information recall", ".3f"), "y:Q": ("Correct", ".3f")})
        layers.append(dots.encode(**on.place, color=OWN_COLOUR, tooltip=tips))
        layers += on.words(_words(marked.to_dict("records"), on), colour=look.ink, fontSize=SIZE, fontWeight=600)
    return on.chart(layers, ["shaded: AC"] if area else ())


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


def rejection_curves(curves, *, dark=None, width=800, height=RISK_HEIGHT):
    """Share of wrong answers against the share of the samples that get an answer, one line per model.

    Parameters
    ----------
    curves : dict of str to RejectionCurve
        By model; of the same samples.
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
    points = _points(curves)
    draw = functools.partial(_drawn_risk, points, height)
    return Figure(draw, lambda: _table_risk(points), lambda: _sentence_risk(curves), dark, width)


def _drawn_risk(points, height, dark, width):
    most = max(float(risk.max()) for _, risk, _ in points.values())
    domains = (0.0, 1.0), (0.0, max(0.05, np.ceil(most * 20 + 1e-9) / 20))
    titles, colours = ("Coverage (answers below the root)", "Risk"), model_colours(points, dark)
    on = Plane(palette(dark), titles, domains, plot_of(width), height, (".0%", ".0%"))
    drawn = plain_lines([(coverage, risk) for coverage, risk, _ in points.values()], *domains)
    rows = [
        {"model": name, "x": coverage[k], "y": risk[k], "text": threshold_text(threshold[k])}
        for name, (coverage, risk, threshold) in points.items()
        for k in _evenly(len(risk), HOVERED)
    ]
    colour = by_name(alt.Color, "name", colours, on.plot, **OF_LINES)
    tips = {"model:N": "Model", "text:N": "τ", "x:Q": ("Coverage", ".1%"), "y:Q": ("Risk", ".2%")}
    layers = [*on.lines(drawn, {"name": list(colours)}, color=colour), on.hover(rows, tips)]
    return on.chart(layers, ["Better: bottom right"])


def _evenly(n, most):
    """Places of at most so many of n rows, both ends in."""
    return np.unique(np.linspace(0, n - 1, most).astype(int)).tolist()


def _table_risk(points):
    columns = ("coverage", "risk", "threshold")
    rows = [
        {"model": name} | dict(zip(columns, point, strict=True))
        for name, of in points.items()
        for point in zip(*(values[_evenly(len(values), MOST_ROWS)].tolist() for values in of), strict=True)
    ]
    return frame(rows)[["model", "threshold", "coverage", "risk"]]


def _sentence_risk(curves):
    """The risk of every model at equal coverage, in words."""
    said = []
    for coverage in COVERAGES:
        risks = {name: curve.risk_at(coverage) for name, curve in curves.items()}
        parts = [f"{name} {'–' if np.isnan(risk) else value_text(risk)}" for name, risk in risks.items()]
        said.append(f"{percent_text(coverage)} covered: {', '.join(parts)}")
    return f"Smallest share of wrong answers with at least so many samples answered. {'; '.join(said)}."


def _points(curves):
    """Coverage, risk and threshold of each model where something is covered."""
    if not curves:
        raise PredictionsError(
            "rejection_curves: expected at least one curve, got none. Pass {name: hierviz.curves.rejection_curve(...)}."
        )
    found = {}
    for name, curve in curves.items():
        inside = ~np.isnan(curve.risk)
        if not inside.any():
            raise PredictionsError(
                f"rejection_curves: expected answers below the root, got none for {name!r}. Leave it out."
            )
        found[name] = tuple(values[inside] for values in (curve.coverage, curve.risk, curve.columns()["threshold"]))
    return found


# Parts that are drawn, one for each kind of line.
MOST = len(DASHES)


def facet_curves(curves, by="", *, x="info_recall", y="correct", dark=None, width=800, height=HEIGHT):
    """Two metrics at every threshold for each part of the samples: a colour for each model, a line style for each part.

    Parameters
    ----------
    curves : dict of str to dict of str to OperatingCurve
        Model, part; of `hierviz.evaluation.curves_by`.
    by : str
        What divides the samples, for the legend.
    x, y : str
        Of `hierviz.metrics.registry.path_keys`.
    dark : bool, optional
    width, height : int
        Pixels: of the whole figure, of the plot.

    Returns
    -------
    Figure
        Its table: ``model, part, n``, then AC, AP, R@90C and R@95C of the part, and F1 of the majority.

        Where a method has several runs, ``runs`` and, as ``ac_sd`` and so on, the standard deviations between them; the numbers
        are then means over the runs. Of more than four parts those with the most samples are drawn; the table has all.
        A line with several runs is their mean, with a pale band of one standard deviation between them on either side.

    Raises
    ------
    PredictionsError
        If there is no curve, or a metric is unknown.
    """
    parts = _checked_parts(curves, x, y)
    draw = functools.partial(_drawn_facets, curves, parts, by, x, y, height)
    return Figure(draw, lambda: _table_facets(curves), lambda: _sentence_facets(curves, parts, by), dark, width)


def _drawn_facets(curves, parts, by, x, y, height, dark, width):
    sizes = {part: max(of[part].n_samples for of in curves.values()) for part in parts}
    shown = sorted(sorted(parts, key=lambda part: -sizes[part])[:MOST], key=parts.index)
    named = {part: f"{part}, n = {sizes[part]:,}" for part in shown}
    colours = dict(zip((_named(*of) for of in curves.items()), model_colours(curves, dark).values(), strict=True))
    drawn = {(name, part): curves[name][part] for name in curves for part in shown}
    series = {"name": [_named(name, curves[name]) for name, _ in drawn], "of_part": [named[part] for _, part in drawn]}
    bands = _bands(curves, shown)
    edges = {key: [numbers.extremes(curve, key) for curve in drawn.values()] for key in (x, y)}
    edges[y] += [edge for band in bands.values() for edge in (band.curve[y].lower, band.curve[y].upper)]
    domains = tuple(numbers.domain(key, np.concatenate(edges[key])) for key in (x, y))
    on = Plane(palette(dark), tuple(numbers.axis_label(key) for key in (x, y)), domains, plot_of(width), height)
    lines = plain_lines([(curve.values[x], curve.values[y]) for curve in drawn.values()], *domains)
    rows = [
        {"model": name, "part": part, "text": threshold_text(tau), "x": float(at[x]), "y": float(at[y])}
        for (name, part), curve in drawn.items()
        for tau in (np.arange(21) / 20).tolist()
        for at in [curve.at(tau)]
    ]
    colour = by_name(alt.Color, "name", colours, on.plot, "Models", **OF_LINES)
    dashes = by_name(alt.StrokeDash, "of_part", dict(zip(named.values(), DASHES)), on.plot, by or "Part", **OF_LINES)
    of_models = [(colours[_named(name, curves[name])], bands.get((name, part))) for name, part in drawn]
    layers = [
        *band_layers(of_models, x, y, domains, on.place),
        *on.lines(lines, series, color=colour, strokeDash=dashes),
        on.hover(rows, {"model:N": "Model", "part:N": by or "Part", "text:N": "τ", **numbers.tips_of(x, y)}),
    ]
    return on.chart(layers, [f"Only in the table: {len(parts) - len(shown)}"] if len(parts) > len(shown) else ())


def _table_facets(curves):
    has_runs = any(isinstance(curve, CurveOfRuns) for of in curves.values() for curve in of.values())
    rows = []
    for name, of in curves.items():
        for part, curve in of.items():
            summary = curve.summary()
            row = {"model": name, "part": part, "n": curve.n_samples} | {key: summary[key] for key in SUMMARY}
            if has_runs:
                runs, spread = (curve.runs, curve.spread()) if isinstance(curve, CurveOfRuns) else ([curve], {})
                row |= {"runs": len(runs)} | {f"{key}_sd": spread.get(key, np.nan) for key in SUMMARY}
            rows.append(row)
    return frame(rows)


SUMMARY = ("ac", "ap", "recall_at_90_correct", "recall_at_95_correct", "majority_f1")


def _sentence_facets(curves, parts, by):
    """The area AC of every part for every model, in words, the lowest named; with several runs mean ± standard deviation."""

    def spread(curve):
        return f" ± {value_text(curve.spread()['ac'])}" if isinstance(curve, CurveOfRuns) else ""

    said = []
    for name, of in curves.items():
        areas = {part: curve.summary()["ac"] for part, curve in of.items()}
        worst = min(areas, key=areas.__getitem__)
        listed = ", ".join(
            f"{part} {value_text(area)}{spread(of[part])} (n = {of[part].n_samples:,})" for part, area in areas.items()
        )
        said.append(f"{_named(name, of)}: {METRICS['ac'].label} {listed}; lowest for {f'{by} ' if by else ''}{worst}.")
    return " ".join([*said, bands_sentence(_bands(curves, parts))]).strip()


def _bands(curves, parts):
    """Bands between the runs by model and part, of the methods that have several."""
    return {
        (name, part): run_bands(of[part].runs, BAND_THRESHOLDS)
        for name, of in curves.items()
        for part in parts
        if isinstance(of[part], CurveOfRuns)
    }


def _named(name, of):
    """A method with the number of its runs, where there are several."""
    first = next(iter(of.values()))
    return f"{name} ({len(first.runs)} runs)" if isinstance(first, CurveOfRuns) else name


def _checked_parts(curves, x, y):
    """The parts, in order."""
    parts = list(dict.fromkeys(part for of in curves.values() for part in of)) if curves else []
    if not parts or any(list(of) != parts for of in curves.values()):
        raise PredictionsError(
            "facet_curves: expected models with curves of the same parts, got others or none. Pass those of curves_by."
        )
    for what, key in (("x", x), ("y", y)):
        check_one_of(what, key, path_keys())
    return parts
