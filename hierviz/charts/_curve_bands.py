"""What uncertainty and choices add to the main panel of the operating curves: pale bands, and rings at chosen thresholds."""

from __future__ import annotations

import altair as alt
import numpy as np

from hierviz.charts._rows import frame
from hierviz.charts.curve_lines import FINEST, MOST_ROWS, simplify
from hierviz.charts.theme import FONT
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
        told = (
            f"A line of several runs is their mean at each threshold, and its pale band {METRICS[y].name} ± one standard "
            f"deviation between the {n} runs{across.rstrip(',')}."
        )
        return f"{told} {_sampling_sentence(shown, across, y)}".strip() if shown else told
    return _sampling_sentence(shown, across, y)


def _sampling_sentence(shown, across, y):
    if shown[0].curve[y].level == 1:
        return (
            f"The file lists some scores of each sample only, and the line leaves the others out: the {METRICS[y].name} that all "
            f"scores would give at each threshold lies in the pale band{across.rstrip(',')}."
        )
    return (
        f"The pale band around a curve is the {100 * shown[0].curve[y].level:.4g} % bootstrap interval of "
        f"{METRICS[y].name} at each threshold{across} from samples resampled with replacement."
    )


def _fits(bands, x, y):
    """Whether both metrics of the axes are in the bands."""
    return all(key in bands.curve for key in (x, y) if key != "threshold")


def band_layers(figure, place):
    """One pale area a model: along its thresholds the interval of `y`, at the mean of `x`."""
    rows = []
    for number, name in enumerate(figure.curves):
        bands = (figure.bands or {}).get(name)
        if bands is not None and _fits(bands, figure.x, figure.y):
            rows.append(_outline(figure, *_edges(figure, bands), number))
    tables, size = [], 0
    for columns in rows:
        if not tables or size + len(columns["model"]) > MOST_ROWS:
            tables.append([])
            size = 0
        tables[-1].append(columns)
        size += len(columns["model"])
    colour = alt.Fill("model:N", legend=None, scale=None)
    return [
        alt.Chart(frame({key: np.concatenate([part[key] for part in parts]) for key in parts[0]}))
        .mark_line(filled=True, fillOpacity=PALE, strokeWidth=0, clip=True, tooltip=None, aria=False)
        .encode(place["x"], place["y"], order=alt.Order("order:Q"), fill=colour, detail=alt.Detail("part:N"))
        for parts in tables
    ]


def point_rows(figure):
    """Rings at chosen thresholds: one row a point, ``j, threshold, x, y, label, colour``."""
    rows, names = [], list(figure.curves)
    for point in figure.points or ():
        number = names.index(point["model"])
        threshold = float(point["threshold"])
        at = figure.curves[point["model"]].at(threshold)
        across = float(figure.scale.place(threshold)) if figure.x == "threshold" else float(at[figure.x])
        row = {"j": number, "threshold": threshold, "x": across, "y": float(at[figure.y]), "label": str(point["label"])}
        rows.append(row | {"colour": figure.colours[number]})
    return rows


def point_layers(figure, place):
    """Rings with their words around the chosen thresholds of the model that is looked at."""
    rows = point_rows(figure)
    if not rows:
        return []
    base = alt.Chart(frame(rows)).transform_filter("datum.j === picked").encode(place["x"], place["y"])
    colour = alt.Color("colour:N", scale=None)
    text = {"align": "right", "baseline": "middle", "dx": -13, "dy": 11, "fontSize": 12, "font": FONT, "tooltip": None}
    words = base.encode(text=alt.Text("label:N"))
    return [
        base.mark_point(filled=False, size=RING, strokeWidth=2, shape="square", opacity=1).encode(
            color=colour,
            tooltip=[alt.Tooltip("label:N", title="Goal"), alt.Tooltip("threshold:Q", title="τ", format=".4~f")],
        ),
        words.mark_text(stroke=figure.look.background, strokeWidth=4, strokeJoin="round", aria=False, **text),
        words.mark_text(fontWeight=600, **text).encode(color=colour),
    ]


def _edges(figure, bands):
    """Place across, lower and upper edge along the thresholds of the bands."""
    y = bands.curve[figure.y]
    at = figure.scale.place(bands.thresholds) if figure.x == "threshold" else bands.curve[figure.x].estimate
    known = np.isfinite(at) & np.isfinite(y.lower) & np.isfinite(y.upper)
    return np.asarray(at)[known], y.lower[known], y.upper[known]


def _outline(figure, at, low, high, number):
    """The area as one closed outline: forth along its lower edge and back along the upper one."""
    x, y = np.concatenate([at, at[::-1]]), np.concatenate([low, high[::-1]])
    limits = (0.0, 1.0) if figure.x == "threshold" else figure.x_domain
    pixels = [
        (values - edge[0]) / (edge[1] - edge[0]) * size
        for values, edge, size in zip((x, y), (limits, figure.y_domain), FINEST, strict=True)
    ]
    kept = simplify(*pixels, TOLERANCE)
    return {
        "model": np.full(len(kept), figure.colours[number], dtype=object),
        "part": np.full(len(kept), number),
        "order": np.arange(len(kept)),
        "x": np.round(x[kept], 6),
        "y": np.round(y[kept], 6),
    }
