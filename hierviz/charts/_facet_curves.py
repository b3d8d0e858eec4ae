"""Operating curves of the parts of the samples: a colour for each model, a line style for each part."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._compose import frame
from hierviz.charts._curve_panel import band_layers, bands_sentence
from hierviz.charts._figure import Figure
from hierviz.charts._plain_curves import HEIGHT
from hierviz.charts._plane import DASHES, OF_LINES, Plane, by_name, plot_of
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.curve_lines import plain_lines
from hierviz.charts.theme import model_colours, palette
from hierviz.evaluation.model_table import BAND_THRESHOLDS
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.taxonomy.checks import check_one_of
from hierviz.uncertainty.repeats import CurveOfRuns, run_bands

# Parts that are drawn, one for each kind of line.
MOST = len(DASHES)


def facet_curves(curves, by="", *, x="info_recall", y="correct", among=None, dark=None, width=800, height=HEIGHT):
    """Two metrics at every threshold for each part of the samples: a colour for each model, a line style for each part.

    Parameters
    ----------
    curves : dict of str to dict of str to OperatingCurve
        Model, part; of `hierviz.evaluation.curves_by`.
    by : str
        What divides the samples, for the legend.
    x, y : str
        Of `hierviz.metrics.registry.path_keys`.
    among : sequence of str, optional
        Names that these models are chosen from, as of `operating_curves`.
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
    draw = functools.partial(_drawn, curves, parts, by, x, y, height, among)
    return Figure(draw, lambda: _table(curves), lambda: _sentence(curves, parts, by), dark, width)


def _drawn(curves, parts, by, x, y, height, among, dark, width):
    sizes = {part: max(of[part].n_samples for of in curves.values()) for part in parts}
    shown = sorted(sorted(parts, key=lambda part: -sizes[part])[:MOST], key=parts.index)
    named = {part: f"{part}, n = {sizes[part]:,}" for part in shown}
    colours = dict(
        zip((_named(*of) for of in curves.items()), model_colours(curves, dark, among).values(), strict=True)
    )
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


def _table(curves):
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


def _sentence(curves, parts, by):
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
