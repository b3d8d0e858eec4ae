"""What uncertainty and choices add to the main panel of the operating curves: pale bands, and rings at chosen thresholds."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from hierviz.charts._compose import OWN_COLOUR, STILL, frame, haloed, tooltips
from hierviz.charts.curve_lines import FINEST, pixels_of, simplify, tables
from hierviz.metrics.registry import METRICS
from hierviz.uncertainty.repeats import RunBands

# Half a pixel of the largest picture: the edge of an area this pale shows no more.
TOLERANCE, PALE = 0.5, 0.16
RING = 170


def bands_sentence(bands, x="info_recall", y="correct"):
    """What the bands of `operating_curves` on these axes mean, in one sentence; empty where none is drawn."""
    shown = [band for band in (bands or {}).values() if _fits(band, x, y)]
    if not shown:
        return ""
    across = "" if x == "threshold" else f", drawn at the mean {METRICS[x].name},"
    runs = [band for band in shown if isinstance(band, RunBands)]
    shown = [band for band in shown if not isinstance(band, RunBands)]
    if runs:
        counts = sorted({band.n_runs for band in runs})
        n = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        of_runs = (
            f"Lines with several runs are means at each threshold, with a pale band of {METRICS[y].name} ± one standard "
            f"deviation between the {n} runs{across.rstrip(',')}."
        )
        return f"{of_runs} {_sampling_sentence(shown, across, y)}" if shown else of_runs
    return _sampling_sentence(shown, across, y)


def _sampling_sentence(shown, across, y):
    if shown[0].curve[y].level == 1:
        return (
            f"The file lists only some scores of each sample, and the line leaves the others out: the {METRICS[y].name} that all "
            f"scores would give at each threshold is in the pale band{across.rstrip(',')}."
        )
    return (
        f"The pale band around a curve is the {100 * shown[0].curve[y].level:.4g} % bootstrap interval of "
        f"{METRICS[y].name} at each threshold{across} from samples resampled with replacement."
    )


def _fits(bands, x, y):
    """Whether both metrics of the axes are in the bands."""
    return all(key in bands.curve for key in (x, y) if key != "threshold")


def band_layers(bands, x, y, domains, place, scale=None):
    """One pale area a model: along its thresholds the interval of `y`, at the mean of `x`, or at its place on a ThresholdScale.

    `bands` is a list of (colour, CurveBands or None), one a model.
    """
    outlines = [
        _outline(*_edges(of_model, x, y, scale), domains).assign(colour=colour, model=number)
        for number, (colour, of_model) in enumerate(bands)
        if of_model is not None and _fits(of_model, x, y)
    ]
    drawn = tables(pd.concat(outlines, ignore_index=True)) if outlines else ()
    areas = [alt.Chart(of).mark_line(filled=True, fillOpacity=PALE, strokeWidth=0, clip=True, **STILL) for of in drawn]
    fill, detail = alt.Fill("colour:N", scale=None), alt.Detail("model:N")
    return [area.encode(place["x"], place["y"], order=alt.Order("order:Q"), fill=fill, detail=detail) for area in areas]


def point_layers(figure, place):
    """Rings with their words around the chosen thresholds of the chosen model."""
    rows, names, (x, y) = [], list(figure.curves), (figure.axes.x, figure.axes.y)
    for point in figure.layers.points or ():
        number, threshold = names.index(point["model"]), float(point["threshold"])
        at = figure.curves[point["model"]].at(threshold)
        across = float(figure.scale.place(threshold) if x == "threshold" else at[x])
        row = {"j": number, "threshold": threshold, "x": across, "y": float(at[y]), "label": str(point["label"])}
        rows.append(row | {"colour": figure.colours[number]})
    if not rows:
        return []
    base = alt.Chart(frame(rows)).transform_filter("datum.j === picked").encode(place["x"], place["y"])
    text = {"align": "right", "baseline": "middle", "dx": -13, "dy": 11, "fontWeight": 600}
    rings = base.mark_point(filled=False, size=RING, strokeWidth=2, shape="square", opacity=1)
    return [
        rings.encode(color=OWN_COLOUR, tooltip=tooltips({"label:N": "Goal", "threshold:Q": ("τ", ".4~f")})),
        *haloed(base.encode(text=alt.Text("label:N")), figure.look.background, **text),
    ]


def _edges(bands, x, y, scale):
    """Place across, lower and upper edge along the thresholds of the bands."""
    of_y = bands.curve[y]
    at = scale.place(bands.thresholds) if x == "threshold" else bands.curve[x].estimate
    known = np.isfinite(at) & np.isfinite(of_y.lower) & np.isfinite(of_y.upper)
    return np.asarray(at)[known], of_y.lower[known], of_y.upper[known]


def _outline(at, low, high, domains):
    """The area as one closed outline: forth along its lower edge and back along the upper one."""
    x, y = np.concatenate([at, at[::-1]]), np.concatenate([low, high[::-1]])
    pixels = [pixels_of(*of_axis) for of_axis in zip((x, y), domains, FINEST, strict=True)]
    kept = simplify(*pixels, TOLERANCE)
    return frame({"order": np.arange(len(kept)), "x": np.round(x[kept], 6), "y": np.round(y[kept], 6)})
