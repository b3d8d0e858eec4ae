"""Two numbers of every sample against each other: dots, or counts in cells where there are many."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._compose import STILL, frame, layer, tooltips
from hierviz.charts._figure import Figure
from hierviz.charts.theme import palette
from hierviz.messages.errors import PredictionsError

# More samples are counted in cells, so many a side.
MOST_DOTS, CELLS = 2000, 40
# Samples of the table.
LISTED = 100
# Dots at one place lie in a heap; they are moved apart by up to so much of an axis.
APART = 0.008


def sample_scatter(found, *, dark=None, width=560):
    """Scatter of a SampleDisagreement.

    Parameters
    ----------
    found : SampleDisagreement
        Of `hierviz.comparison.disagreement`.
    dark : bool, optional
    width : int
        Pixels; the figure is square, at most 520.

    Returns
    -------
    Figure
        Its table: the `LISTED` samples that differ most. With dots, a click selects ``sample`` (the id); equal dots are
        moved apart a little.

    Raises
    ------
    PredictionsError
        If no sample has both numbers.
    """
    places = found.known
    finite = places[np.isfinite(found.x[places]) & np.isfinite(found.y[places])]
    if not len(finite):
        raise PredictionsError("scatter: expected a sample with both numbers, got none. Choose other metrics.")
    draw = functools.partial(_drawn, found, finite)
    return Figure(draw, lambda: found.to_frame(LISTED), found.sentence, dark, width)


def _drawn(found, finite, dark, width):
    look = palette(dark)
    side = min(width - 70, 520)
    x, y = found.x[finite], found.y[finite]
    low, high = float(min(x.min(), y.min(), 0)), float(max(x.max(), y.max(), 1e-9))
    is_same_scale = found.x is found.y or (low >= 0 and high <= 1)
    spans = [(low, high)] * 2 if is_same_scale else [(float(v.min()), float(v.max()) or 1.0) for v in (x, y)]
    axes = [
        kind(f"{field}:Q").scale(domain=span, nice=False).axis(title=label, tickCount=5)
        for kind, field, span, label in zip((alt.X, alt.Y), ("x", "y"), spans, found.labels)
    ]
    layers = []
    if is_same_scale:
        diagonal = alt.Chart(frame({"x": [low, high], "y": [low, high]}))
        layers.append(diagonal.mark_line(color=look.axis, strokeDash=[4, 4], **STILL).encode(*axes))
    if len(finite) <= MOST_DOTS:
        rng = np.random.default_rng(0)
        shifts = [APART * (b - a) * rng.uniform(-1, 1, len(finite)) for a, b in spans]
        moved = {key: np.clip(v + s, *span) for key, v, s, span in zip("xy", (x, y), shifts, spans)}
        rows = moved | {"sample": found.sample_ids[finite].astype(str), "one": x, "other": y}
        titles = dict(zip(("one:Q", "other:Q"), ((label, ".4f") for label in found.labels)))
        dots = alt.Chart(frame(rows)).mark_circle(size=46, opacity=0.55, color=look.path, cursor="pointer")
        chosen = alt.selection_point(name="sample", fields=["sample"], on="click", empty=False)
        layers.append(dots.encode(*axes, tooltip=tooltips({"sample:N": "Sample"} | titles)).add_params(chosen))
    else:
        layers.insert(0, _cells(x, y, spans, axes, look, found.labels))
    return layer(*layers).properties(width=side, height=side)


def _cells(x, y, spans, axes, look, labels):
    """Counts in cells, the colour by their logarithm."""
    wide = [(low, high) if high > low else (low, low + 1) for low, high in spans]
    counts, at_x, at_y = np.histogram2d(x, y, bins=CELLS, range=wide)
    i, j = np.nonzero(counts)
    rows = {"x": at_x[i], "x2": at_x[i + 1], "y": at_y[j], "y2": at_y[j + 1], "n": counts[i, j].astype(int)}
    colour = alt.Color("n:Q", title="Samples").scale(type="log", range=[look.grid, look.path])
    fields = {"x:Q": (f"{labels[0]} from", ".3f"), "x2:Q": ("to", ".3f"), "y:Q": (f"{labels[1]} from", ".3f")}
    tips = tooltips(fields | {"y2:Q": ("to", ".3f"), "n:Q": ("Samples", ",d")})
    of_cells = {"x2": alt.X2("x2:Q"), "y2": alt.Y2("y2:Q"), "color": colour.legend(orient="bottom", format=",d")}
    return alt.Chart(frame(rows)).mark_rect().encode(*axes, **of_cells, tooltip=tips)
