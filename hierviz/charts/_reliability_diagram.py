"""Reliability diagrams: share of events against probability in bins, with the number of samples of each bin below.

On the diagonal probabilities are calibrated. Each panel has the expected calibration error (ECE) and what a calibrated model
would show: the mean and the 95 % quantile of the error of outcomes redrawn from the probabilities.
"""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._compose import STILL, frame, hconcat, layer, plain_columns, tooltips, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._sketch import Own, sketched
from hierviz.charts.theme import FONT, SMALL, palette
from hierviz.diagnosis._reliability import Reliability
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import fixed_text, percent_text
from hierviz.taxonomy.checks import check_kind

MOST = 12
# Pixels: sides of a diagram at least and at most, the strip below it, its axes, between diagrams, around all of them.
PLOT, WIDEST, STRIP, AXES, SPACING, AROUND = 210, 280, 46, 48, 14, 66
MARGIN = AXES + SPACING
QUARTERS = {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".2~f"}
FIELDS = {
    "range:N": "Probabilities",
    "p:Q": ("Mean probability", ".3f"),
    "rate:Q": ("Share of events", ".3f"),
    "lower:Q": ("95 % interval from", ".3f"),
    "upper:Q": ("to", ".3f"),
    "n:Q": ("Samples", ","),
}
KEY = ["Dots: share of events with its 95 % interval.", "Dashed: calibrated."]


def reliability_diagram(found, places=None, *, dark=None, width=1000):
    """Diagrams of some nodes or depths side by side.

    Parameters
    ----------
    found : Reliability
    places : sequence of int, optional
        Rows of it, `MOST` at most; the first by default.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: one row a bin: ``subject`` and what `Reliability.bins` gives.

    Raises
    ------
    PredictionsError
        If there is nothing to draw.
    """
    check_kind("found", found, Reliability, "hierviz.diagnosis.reliability(predictions) makes one.")
    of = found, _places(found, places)
    return Figure(functools.partial(_drawn, *of), lambda: _table(*of), lambda: _sentence(*of), dark, width)


def _drawn(found, places, dark, width):
    beside = max(1, min(len(places), int(width // (PLOT + MARGIN))))
    # As many in each row, so that none is alone in the last one.
    beside = -(-len(places) // -(-len(places) // beside))
    plot = min(WIDEST, max(PLOT, int(width - AROUND) // beside - MARGIN))
    panels = [_panel(found, place, dark, plot) for place in places]
    rows = [hconcat(*panels[i : i + beside], spacing=SPACING) for i in range(0, len(panels), beside)]
    key = {
        "text": [" ".join(KEY)] if beside > 1 else KEY,
        "anchor": "start",
        "color": palette(dark).muted,
        "fontSize": 12,
    }
    return vconcat(*rows, spacing=12).properties(title=key | {"offset": 8})


def _table(found, places):
    subjects = found.subjects
    bins = [found.bins(place) for place in places]
    names = np.repeat(np.array([subjects[place] for place in places], dtype=object), [len(of["n"]) for of in bins])
    return frame({"subject": names} | {key: np.concatenate([of[key] for of in bins]) for key in bins[0]})


def _sentence(found, places):
    """What the diagrams show, in words: the error of each subject and what a calibrated model would show."""
    subjects, flagged = found.subjects, [place for place in places if found.is_flagged[place]]
    if len(places) == 1:
        (place,) = places
        mean, rate, error, usual, most = (
            fixed_text(of[place], 3) for of in (found.mean_p, found.rate, found.ece, found.null_mean, found.null_high)
        )
        said = f"{subjects[place]}: mean probability {mean}, share of events {rate}"
        if np.isnan(found.ece[place]):
            return f"{said}; too few samples for bins ({found.n[place]:,})."
        verdict = "larger than" if flagged else "within"
        return (
            f"{said}; its expected calibration error of {error} is {verdict} what a calibrated model would show ({usual} on "
            f"average, up to {most} in 95 %)."
        )
    n_judged = sum(bool(np.isfinite(found.ece[place])) for place in places)
    names = ", ".join(subjects[place] for place in flagged[:5]) + (" and others" if len(flagged) > 5 else "")
    what = f": {names}" if flagged else ""
    return (
        f"{len(flagged):,} of {n_judged:,} diagrams shown have a larger error than a calibrated model would show{what}."
    )


def _places(found, places):
    places = list(range(min(len(found), MOST))) if places is None else [int(place) for place in places]
    if not places or len(places) > MOST:
        raise PredictionsError(f"reliability diagrams: expected 1 to {MOST} of them, got {len(places)}. Pass `places`.")
    return places


def _panel(found, place, dark, plot):
    look, bins = palette(dark), found.bins(place)
    ranges = [
        percent_text(a, 1) if a == b else f"{percent_text(a, 1)} to {percent_text(b, 1)}"
        for a, b in zip(bins["low"].tolist(), bins["high"].tolist())
    ]
    # Bins are as wide as their probabilities reach, and at least as wide as can be seen.
    left = np.clip(np.minimum(bins["low"], bins["p"] - 0.008), 0, 1)
    right = np.clip(np.maximum(bins["high"], bins["p"] + 0.008), 0, 1)
    of_bins = plain_columns({**bins, "range": ranges, "left": left, "right": right})
    layers = [_diagonal(plain_columns({"p": [0.0, 1.0], "rate": [0.0, 1.0]}), look)]
    if len(bins["n"]):
        layers += [_spans(of_bins, look), _dots(of_bins, look)]
    title = {
        "text": Own(found.subjects[place]),
        "limit": plot + 20,
        "subtitle": Own(_verdict(found, place)),
        "anchor": "start",
        "fontWeight": 600,
        "subtitleFontSize": SMALL,
        "subtitleFont": FONT,
        "subtitleColor": Own((look.ink if dark else look.fp) if found.is_flagged[place] else look.muted),
        "offset": 8,
    }
    below = _counts(of_bins, look, Own([0, float(bins["n"].max(initial=1))])).properties(width=plot, height=STRIP)
    return vconcat(layer(*layers).properties(width=plot, height=plot, title=title), below, spacing=4)


def _at(field="rate:Q"):
    """The channels of a place in the diagram."""
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(title="share of events", grid=True, **QUARTERS)
    return alt.X("p:Q", scale=scale, axis=None), alt.Y(field, scale=scale, axis=axis)


@sketched
def _diagonal(table, look):
    line = alt.Chart(table).mark_line(strokeDash=[4, 3], color=look.muted, strokeWidth=1.5, **STILL)
    return line.encode(*_at())


@sketched
def _spans(table, look):
    spans = alt.Chart(table).mark_rule(strokeWidth=2, color=look.path, **STILL)
    return spans.encode(*_at("lower:Q"), y2=alt.Y2("upper:Q"))


@sketched
def _dots(table, look):
    mark = {"size": 60, "opacity": 1, "color": look.path, "stroke": look.background, "strokeWidth": 1}
    return alt.Chart(table).mark_circle(**mark).encode(*_at(), tooltip=tooltips(FIELDS))


@sketched
def _counts(table, look, ends):
    """The number of samples of each bin, on an axis with these ends."""
    counts = alt.Axis(title="n per bin", values=ends, format="~s", grid=False)
    bars = alt.Chart(table).mark_rect(color=look.tn, stroke=look.background, strokeWidth=0.5)
    return bars.encode(
        alt.X("left:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=alt.Axis(title="probability", **QUARTERS)),
        alt.Y("n:Q", scale=alt.Scale(domain=ends, nice=False), axis=counts),
        x2=alt.X2("right:Q"),
        y2=alt.Y2Datum(0),
        tooltip=tooltips(FIELDS),
    )


def _verdict(found, place):
    if np.isnan(found.ece[place]):
        return [f"too few samples for bins: {found.n[place]:,}", ""]
    mark = "✗ not calibrated" if found.is_flagged[place] else "✓ as a calibrated model"
    if direction := found.direction[place]:
        mark = f"✗ {'over' if direction > 0 else 'under'}confident"
    return [
        f"ECE {fixed_text(found.ece[place], 3)}  {mark}",
        f"calibrated: {fixed_text(found.null_mean[place], 3)}, 95 % below {fixed_text(found.null_high[place], 3)}",
    ]
