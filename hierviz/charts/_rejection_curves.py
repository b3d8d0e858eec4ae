"""Risk against coverage of several models: how often answers are wrong among the samples that get one."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._compose import layer, vconcat
from hierviz.charts._coupling import LEFT
from hierviz.charts._figure import Figure
from hierviz.charts._legend import legend
from hierviz.charts._plane import RIGHT, hover_layer, line_layers, plane
from hierviz.charts._rows import frame
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.curve_lines import plain_lines
from hierviz.charts.theme import model_colours
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import percent_text, value_text

HEIGHT = 260
# Shares of the samples at which a sentence compares models.
COVERAGES = (0.5, 0.8, 0.95)
# Points of a curve that show their numbers, and rows of a table for one model.
HOVERED, MOST_ROWS = 60, 1000


def rejection_curves(curves, *, dark=None, width=800, height=HEIGHT):
    """Share of wrong answers against the share of the samples that get an answer, a line a model.

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
    draw = functools.partial(_drawn, points, height)
    return Figure(draw, lambda: _table(points), lambda: _sentence(curves), dark, width)


def _drawn(points, height, dark, width):
    plot = max(width - LEFT - RIGHT, 160)
    most = max(float(risk.max()) for _, risk, _ in points.values())
    top = max(0.05, np.ceil(most * 20 + 1e-9) / 20)
    domains = ((0.0, 1.0), (0.0, top))
    place = plane(("Coverage (answers below the root)", "Risk"), domains, plot, (".0%", ".0%"))
    colours = model_colours(points, dark)
    drawn = plain_lines([(coverage, risk) for coverage, risk, _ in points.values()], *domains)
    rows = [
        {"model": name, "x": coverage[k], "y": risk[k], "text": threshold_text(threshold[k])}
        for name, (coverage, risk, threshold) in points.items()
        for k in np.unique(np.linspace(0, len(risk) - 1, HOVERED).astype(int)).tolist()
    ]
    tip = [
        alt.Tooltip("model:N", title="Model"),
        alt.Tooltip("text:N", title="τ"),
        alt.Tooltip("x:Q", title="Coverage", format=".1%"),
        alt.Tooltip("y:Q", title="Risk", format=".2%"),
    ]
    layers = [*line_layers(drawn, place, list(colours.values())), hover_layer(rows, place, tip)]
    items = [{"kind": "line", "label": name, "colour": colour} for name, colour in colours.items()]
    key = legend(
        [("Models", items), (None, [{"kind": "note", "label": "Better: bottom right"}])],
        width - RIGHT,
        dark=dark,
        start=LEFT,
    )
    return vconcat(key, layer(*layers).properties(width=plot, height=height), spacing=18)


def _table(points):
    rows = {"model": [], "threshold": [], "coverage": [], "risk": []}
    for name, (coverage, risk, threshold) in points.items():
        kept = np.unique(np.linspace(0, len(risk) - 1, MOST_ROWS).astype(int))
        rows["model"] += [name] * len(kept)
        for key, values in (("threshold", threshold), ("coverage", coverage), ("risk", risk)):
            rows[key] += values[kept].tolist()
    return frame(rows)


def _sentence(curves):
    """The risk of every model at equal coverage, in words."""
    said = []
    for coverage in COVERAGES:
        parts = [
            f"{name} {'–' if np.isnan(risk) else value_text(risk)}"
            for name, risk in ((name, curve.risk_at(coverage)) for name, curve in curves.items())
        ]
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
