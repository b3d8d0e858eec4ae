"""A metric in parts of the samples (by depth, training samples, attribute): a line a part, a dot with its interval a method."""

from __future__ import annotations

import altair as alt
import numpy as np

from hierviz.charts._canvas import position
from hierviz.charts._compose import layer, vconcat
from hierviz.charts._legend import legend
from hierviz.charts._rows import frame
from hierviz.charts._text import shorten
from hierviz.charts.theme import FONT, SIZE, SMALL, model_colours, palette
from hierviz.diagnosis._means_by import FEWEST
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS

# Parts that are drawn: the largest ones.
MOST = 24


def means_by(found, *, dark=False, width=800):
    """Dot plot of a metric in each part of the samples, with intervals.

    Parameters
    ----------
    found : dict of str to MeansBy
        Model, or method with its runs; of the same samples, divided by the same value.
    dark : bool
    width : int
        Pixels.

    Returns
    -------
    alt.VConcatChart
        Unconfigured; see `theme.finish`. Small circles are runs, the dot is their mean. Of more than
        `MOST` parts the largest are drawn; the table has all.

    Raises
    ------
    PredictionsError
        If there is no model, no part, or models differ in what divides their samples.
    """
    first = _checked(found)
    look, colours = palette(dark), model_colours(found, dark)
    kept = np.sort(np.argsort(-first.n, kind="stable")[:MOST])
    labels = [first.label[place] for place in kept.tolist()]
    rows = means_by_table(found)
    rows = rows[rows["part"].isin(labels) & np.isfinite(rows["mean"].astype(float))]
    width -= 8
    left = 260 if width >= 560 else 0
    step = max(30, 10 * len(found) + 12) + (18 if not left else 0)
    plot, height = width - left - 14, step * len(labels)
    middle = {label: step * place + step / 2 + (8 if not left else 0) for place, label in enumerate(labels)}
    gap = min(9, (step - 14) / max(len(found), 1))
    aside = {name: (place - (len(found) - 1) / 2) * gap for place, name in enumerate(found)}
    rows = rows.assign(
        colour=[colours[name] for name in rows["model"]],
        y=[middle[part] + aside[name] for part, name in zip(rows["part"], rows["model"], strict=True)],
    )
    low, high = _limits(found)
    x = (
        alt.X("mean:Q")
        .scale(domain=[low, high], nice=False)
        .axis(title=METRICS[first.metric].label, grid=True, tickCount=5, tickSize=0, labelPadding=6)
    )
    at_y = position("y", height, axis="y")
    lines = [
        {
            "y": middle[label] if left else middle[label] - step / 2 + 1,
            "text": shorten(f"{first.by}: {label}", (left - 90) if left else plot - 90, SIZE),
            "count": f"n = {int(first.n[place]):,}",
        }
        for label, place in zip(labels, kept.tolist(), strict=True)
    ]
    words = alt.Chart(frame(lines))
    style = {"align": "left", "baseline": "middle", "font": FONT, "tooltip": None}
    tip = [
        alt.Tooltip("model:N", title="Model"),
        alt.Tooltip("part:N", title=first.by),
        alt.Tooltip("mean:Q", title=METRICS[first.metric].label, format=".4f"),
        alt.Tooltip("lower:Q", title="Interval from", format=".4f"),
        alt.Tooltip("upper:Q", title="to", format=".4f"),
        alt.Tooltip("n:Q", title="Samples", format=",d"),
    ]
    of_runs = _run_rows(found, middle, aside, colours)
    if of_runs:
        tip.append(alt.Tooltip("spread:Q", title="Standard deviation between runs", format=".4f"))
        tip.append(alt.Tooltip("n_runs:Q", title="Runs"))
    colour = alt.Color("colour:N", scale=None)
    spans = rows[np.isfinite(rows["lower"].astype(float))]
    layers = [
        alt.Chart(frame(rows))
        .mark_circle(size=80, opacity=1, stroke=look.background, strokeWidth=1)
        .encode(x, at_y, color=colour, tooltip=tip),
        words.mark_text(fontSize=SIZE, color=look.ink, **style).encode(x=alt.XValue(-left), y=at_y, text="text:N"),
        words.mark_text(fontSize=SMALL, color=look.muted, **style).encode(
            x=alt.XValue(-82 if left else plot - 76), y=at_y, text="count:N"
        ),
    ]
    if len(spans):
        rule = alt.Chart(frame(spans)).mark_rule(strokeWidth=2.5, opacity=0.55, tooltip=None, aria=False)
        layers.insert(0, rule.encode(alt.X("lower:Q"), x2=alt.X2("upper:Q"), y=at_y, color=colour))
    if of_runs:
        tip = [
            alt.Tooltip("model:N", title="Model"),
            alt.Tooltip("run:N", title="Run"),
            alt.Tooltip("part:N", title=first.by),
            alt.Tooltip("mean:Q", title=METRICS[first.metric].label, format=".4f"),
        ]
        dots = alt.Chart(frame(of_runs)).mark_point(size=24, strokeWidth=1.1, opacity=0.9, filled=False)
        layers.append(dots.encode(x, at_y, stroke=alt.Stroke("colour:N", scale=None), tooltip=tip))
    drawn = layer(*layers).properties(width=plot, height=height)
    if len(found) == 1:
        return vconcat(drawn)
    items = [{"kind": "box", "label": name, "colour": colour} for name, colour in colours.items()]
    return vconcat(legend([(None, items)], width - 14, dark=dark, start=left), drawn, spacing=6)


def _run_rows(found, middle, aside, colours):
    """Rows of the single runs of methods that have several."""
    return [
        {"model": name, "run": f"{run + 1} of {one.n_runs}", "part": part, "mean": float(value)}
        | {"y": middle[part] + aside[name], "colour": colours[name]}
        for name, one in found.items()
        if one.n_runs > 1
        for run, means in enumerate(one.run_means)
        for part, value in zip(one.label, means, strict=True)
        if part in middle and np.isfinite(value)
    ]


def means_by_table(found):
    """Table behind `means_by`: ``model``, ``part``, ``n``, ``mean``, ``lower``, ``upper``; with runs ``n_runs``, ``spread``."""
    keys = ["n", "mean", "lower", "upper"]
    has_runs = any(one.n_runs > 1 for one in found.values())
    rows = {key: [] for key in ["model", "part", *keys, *(["n_runs", "spread"] if has_runs else [])]}
    for name, one in found.items():
        rows["model"] += [name] * len(one)
        rows["part"] += one.label
        for key in keys:
            rows[key] += getattr(one, key).tolist()
        if has_runs:
            rows["n_runs"] += [one.n_runs] * len(one)
            rows["spread"] += one.spread.tolist()
    return frame(rows)


def means_by_sentence(found):
    """Where each model is weakest, in words, and whether its interval excludes the mean over all samples."""
    said = []
    for name, one in found.items():
        entry = METRICS[one.metric]
        known = np.flatnonzero(np.isfinite(one.mean) & np.isfinite(one.lower))
        if not len(known):
            said.append(f"{name}: no part has ten samples.")
            continue
        lower_is_worse = entry.better != "lower"
        worst = known[np.argmin(one.mean[known]) if lower_is_worse else np.argmax(one.mean[known])]
        is_clear = one.upper[worst] < one.overall if lower_is_worse else one.lower[worst] > one.overall
        mean, low, high = (value_text(float(values[worst])) for values in (one.mean, one.lower, one.upper))
        said.append(
            f"{name}: {entry.label} is worst for {one.by} "
            f"{one.label[worst]}, {mean}{_spread(one, worst)} [{low}, {high}] of {int(one.n[worst]):,} samples; "
            f"over all samples it is "
            f"{value_text(one.overall)}{'' if is_clear else ', which lies in this interval: no clear difference'}."
        )
    first = next(iter(found.values()))
    few = [label for label, n in zip(first.label, first.n.tolist(), strict=True) if 0 < n < FEWEST]
    if few:
        named = ", ".join(few[:5]) + (f" and {len(few) - 5} more" if len(few) > 5 else "")
        said.append(f"Dots without a line ({first.by} {named}): fewer than {FEWEST} samples have no interval.")
    return " ".join(said)


def _spread(one, place):
    """± the standard deviation between runs, in words; empty with one run."""
    if one.n_runs < 2 or not np.isfinite(one.spread[place]):
        return ""
    return f" (± {value_text(float(one.spread[place]))} between {one.n_runs} runs)"


def _checked(found):
    if not found:
        raise PredictionsError(
            "means_by: expected at least one model, got none. Pass {name: hierviz.diagnosis.means_by(...)}."
        )
    first = next(iter(found.values()))
    for name, one in found.items():
        if (one.by, one.metric, one.label) != (first.by, first.metric, first.label):
            raise PredictionsError(
                f"means_by: expected models whose samples are divided alike, got {one.by!r} with {len(one)} parts in {name!r}. "
                "Use the same samples, value and metric."
            )
    if not len(first):
        raise PredictionsError(
            "means_by: expected at least one part of the samples, got none. Divide by something else."
        )
    return first


def _limits(found):
    """Range of the axis: that of the metric where it is bounded, else of what is drawn."""
    first = next(iter(found.values()))
    low, high = METRICS[first.metric].range
    if np.isfinite([low, high]).all():
        return low, high
    values = np.concatenate([np.concatenate([one.mean, one.upper]) for one in found.values()])
    values = values[np.isfinite(values)]
    return low if np.isfinite(low) else 0.0, float(values.max(initial=1.0)) * 1.05
