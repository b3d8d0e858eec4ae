"""Two numbers of every sample against each other: dots, or counts in cells where there are many."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._compose import layer
from hierviz.charts._figure import Figure
from hierviz.charts._rows import frame
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
        diagonal = frame({"x": [low, high], "y": [low, high]})
        layers.append(
            alt.Chart(diagonal).mark_line(color=look.axis, strokeDash=[4, 4], tooltip=None, aria=False).encode(*axes)
        )
    if len(finite) <= MOST_DOTS:
        rng = np.random.default_rng(0)
        shifts = [APART * (b - a) * rng.uniform(-1, 1, len(finite)) for a, b in spans]
        rows = {
            "x": np.clip(x + shifts[0], *spans[0]),
            "y": np.clip(y + shifts[1], *spans[1]),
            "sample": found.sample_ids[finite].astype(str),
            "one": x,
            "other": y,
        }
        dots = (
            alt.Chart(frame(rows))
            .mark_circle(size=46, opacity=0.55, color=look.path, cursor="pointer")
            .encode(
                *axes,
                tooltip=[
                    alt.Tooltip("sample:N", title="Sample"),
                    alt.Tooltip("one:Q", title=found.labels[0], format=".4f"),
                    alt.Tooltip("other:Q", title=found.labels[1], format=".4f"),
                ],
            )
            .add_params(alt.selection_point(name="sample", fields=["sample"], on="click", empty=False))
        )
        layers.append(dots)
    else:
        layers.insert(0, _cells(x, y, spans, axes, look, found.labels))
    return layer(*layers).properties(width=side, height=side)


def _cells(x, y, spans, axes, look, labels):
    """Counts in cells, the colour by their logarithm."""
    counts, at_x, at_y = np.histogram2d(x, y, bins=CELLS, range=[_wide(span) for span in spans])
    i, j = np.nonzero(counts)
    rows = {"x": at_x[i], "x2": at_x[i + 1], "y": at_y[j], "y2": at_y[j + 1], "n": counts[i, j].astype(int)}
    return (
        alt.Chart(frame(rows))
        .mark_rect()
        .encode(
            *axes,
            x2=alt.X2("x2:Q"),
            y2=alt.Y2("y2:Q"),
            color=alt.Color("n:Q", title="Samples")
            .scale(type="log", range=[look.grid, look.path])
            .legend(orient="bottom", format=",d"),
            tooltip=[
                alt.Tooltip("x:Q", title=f"{labels[0]} from", format=".3f"),
                alt.Tooltip("x2:Q", title="to", format=".3f"),
                alt.Tooltip("y:Q", title=f"{labels[1]} from", format=".3f"),
                alt.Tooltip("y2:Q", title="to", format=".3f"),
                alt.Tooltip("n:Q", title="Samples", format=",d"),
            ],
        )
    )


def _wide(span):
    low, high = span
    return (low, high) if high > low else (low, low + 1)
