"""The difference of two models over the threshold, with its interval, and where it is not clear."""

from __future__ import annotations

import altair as alt
import numpy as np

from hierviz.charts._rows import frame
from hierviz.charts._text import percent_text, text_width
from hierviz.charts.curve_table import short_label
from hierviz.charts.theme import FONT, SMALL, palette
from hierviz.comparison import no_clear_difference
from hierviz.errors import PredictionsError
from hierviz.metrics import METRICS

LEFT, RIGHT, HATCH, UNCLEAR = 48, 14, 10, "no clear difference"
# Share of the thresholds below which a sentence says nothing of a side.
LEAST = 0.01


def difference_band(difference, key, names, *, dark=False, width=800, height=190):
    """Paired difference of two models against τ: line, band, and grey hatched stretches where 0 lies in the band.

    Parameters
    ----------
    difference : CurveBands
        Of `hierviz.comparison.paired_difference`: first model minus second.
    key : str
        Of `difference.curve`.
    names : (str, str)
        Of the two models.
    dark : bool
    width, height : int
        Pixels: of the whole figure, of the plot.

    Returns
    -------
    alt.VConcatChart
        Unconfigured; see `theme.finish`.

    Raises
    ------
    PredictionsError
        If there is no such key.
    """
    look, rows = palette(dark), difference_band_table(difference, key)
    plot = max(width - LEFT - RIGHT, 120)
    spans = unclear_spans(difference, key)
    highest = float(np.nanmax(np.abs(np.append(rows[["low", "high"]].to_numpy(dtype=float), 0.0))))
    top = max(0.02, 1.08 * highest)
    at_x = alt.X("tau:Q").scale(domain=[0, 1], nice=False)
    at_x = at_x.axis(title="Threshold τ", tickCount=5 if plot < 500 else 10, grid=False, tickSize=4)
    at_y = alt.Y("difference:Q").scale(domain=[-top, top], nice=False)
    at_y = at_y.axis(
        title=f"{short_label(key)}: {names[0]} − {names[1]}",
        titleAngle=0,
        titleAlign="left",
        titleAnchor="end",
        titleBaseline="bottom",
        titleX=-LEFT + 2,
        titleY=-8,
        minExtent=LEFT - 4,
        maxExtent=LEFT - 4,
        format="+.2f",
        tickCount=5,
        grid=True,
    )
    still = {"tooltip": None, "aria": False, "clip": True}
    base = alt.Chart(rows.assign(up=top, down=-top))
    layers = []
    down = alt.Y("up:Q").scale(domain=[-top, top], nice=False)
    across = alt.X("start:Q").scale(domain=[0, 1], nice=False)
    if spans:
        grey = frame([one | {"up": top, "down": -top} for one in spans])
        hatch = frame(_hatch(spans, plot, height, top))
        layers += [
            alt.Chart(grey)
            .mark_rect(color=look.others, opacity=0.75, **still)
            .encode(across, down, x2="end:Q", y2="down:Q"),
            alt.Chart(hatch)
            .mark_rule(color=look.muted, strokeWidth=1, **still)
            .encode(across, down, x2="end:Q", y2="down:Q"),
        ]
    zero = alt.Chart(frame({"difference": [0.0]})).mark_rule(color=look.muted, strokeDash=[3, 3], **still)
    layers += [
        base.mark_area(color=look.path, opacity=0.28, **still).encode(at_x, alt.Y("low:Q"), y2="high:Q"),
        zero.encode(at_y),
        base.mark_line(color=look.path, strokeWidth=2, **still).encode(at_x, at_y),
        base.mark_rule(opacity=0, strokeWidth=3).encode(
            at_x,
            down,
            y2="down:Q",
            tooltip=[
                alt.Tooltip("tau:Q", title="τ", format=".3f"),
                alt.Tooltip("difference:Q", title="Difference", format="+.3f"),
                alt.Tooltip("low:Q", title="from", format="+.3f"),
                alt.Tooltip("high:Q", title="to", format="+.3f"),
                alt.Tooltip("verdict:N", title="Verdict"),
            ],
        ),
    ]
    room = [one for one in spans if (one["end"] - one["start"]) * plot > text_width(UNCLEAR, SMALL) + 12]
    if room:
        words = frame([{"tau": (one["start"] + one["end"]) / 2, "up": top, "text": UNCLEAR} for one in room])
        mark = {"baseline": "top", "dy": 3, "fontSize": SMALL, "font": FONT, "color": look.ink, "tooltip": None}
        layers.append(alt.Chart(words).mark_text(**mark).encode(at_x, down, text="text:N"))
    # Alone, a layered chart would be fitted with its axes into its own height.
    return alt.vconcat(alt.layer(*layers).properties(width=plot, height=height))


def difference_band_table(difference, key):
    """Table behind `difference_band`: ``tau, difference, low, high, clear, verdict``, one row a threshold."""
    one = _interval(difference, key)
    clear = ~no_clear_difference(one)
    order = np.argsort(difference.thresholds)
    verdict = np.where(~clear, UNCLEAR, np.where(one.estimate > 0, "first is higher", "second is higher"))
    return frame(
        {
            "tau": difference.thresholds[order],
            "difference": one.estimate[order],
            "low": one.lower[order],
            "high": one.upper[order],
            "clear": clear[order],
            "verdict": verdict[order].astype(object),
        }
    )


def difference_band_sentence(difference, key, names):
    """One plain sentence: at which thresholds one model is clearly better, and where nobody can tell."""
    one = _interval(difference, key)
    unclear = no_clear_difference(one)
    share = f"{100 * one.level:.4g} %"
    label, lower = METRICS[key].label, METRICS[key].better == "lower"
    if unclear.all():
        return (
            f"At no threshold is there a clear difference between {names[0]} and {names[1]} in {label}: the {share} "
            "interval of their difference holds 0 everywhere."
        )
    thresholds = difference.thresholds
    signs = (-1, 1) if lower else (1, -1)
    sides = [(name, ~unclear & (sign * one.estimate > 0)) for name, sign in zip(names, signs, strict=True)]
    told = [
        f"{name} is clearly {'lower' if lower else 'higher'} {_where(thresholds, where)}"
        for name, where in sides
        if _share(thresholds, where) >= LEAST
    ]
    if not told:
        told = [f"{names[0]} and {names[1]} differ clearly only in stretches of τ shorter than {percent_text(LEAST)}"]
    rest = "; where it is grey and hatched, nobody can tell" if unclear.any() else ""
    return (
        f"{label}: {', '.join(told)}{rest} ({share} intervals of the paired difference, at each threshold by itself)."
    )


def unclear_spans(difference, key):
    """Stretches of τ without a clear difference: list of dicts ``start``, ``end``, ascending, half a step wider each way."""
    table = difference_band_table(difference, key)
    return _spans(table["tau"].to_numpy(), ~table["clear"].to_numpy(dtype=bool))


def _spans(tau, inside):
    """Runs of True along ascending thresholds."""
    if not inside.any():
        return []
    middles = np.concatenate([[tau[0]], (tau[1:] + tau[:-1]) / 2, [tau[-1]]])
    change = np.diff(np.concatenate([[0], inside.astype(int), [0]]))
    starts, ends = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    return [{"start": float(middles[a]), "end": float(middles[b])} for a, b in zip(starts.tolist(), ends.tolist())]


def _runs(thresholds, where):
    order = np.argsort(thresholds)
    return _spans(np.asarray(thresholds)[order], np.asarray(where)[order])


def _share(thresholds, where):
    """Share of the axis of thresholds."""
    return sum(one["end"] - one["start"] for one in _runs(thresholds, where))


def _where(thresholds, where):
    """How much of the thresholds, and the longest stretch of them, in words."""
    if where.all():
        return "at every threshold"
    longest = max(_runs(thresholds, where), key=lambda one: one["end"] - one["start"])
    return (
        f"at {percent_text(_share(thresholds, where))} of the thresholds (the longest stretch: τ from "
        f"{longest['start']:.2f} to {longest['end']:.2f})"
    )


def _hatch(spans, plot, height, top):
    """Strokes at 45 degrees along the foot of every stretch, in the units of the axes."""
    rows = []
    for one in spans:
        left, right = one["start"] * plot, one["end"] * plot
        for x in np.arange(left - HATCH, right, 6):
            # Cut to the stretch: a stroke rises one pixel a pixel.
            start, end = max(x, left), min(x + HATCH, right)
            if end > start:
                foot, head = (2 * top * (one - x) / height - top for one in (start, end))
                rows.append({"start": start / plot, "end": end / plot, "up": foot, "down": head})
    return rows or [{"start": 0.0, "end": 0.0, "up": -top, "down": -top}]


def _interval(difference, key):
    if key not in difference.curve:
        raise PredictionsError(f"key: expected one of {', '.join(difference.curve)}, got {key!r}. Choose one.")
    return difference.curve[key]
