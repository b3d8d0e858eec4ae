"""The drawing of one sample as one Vega specification: it looks up, in the record, what stands at a threshold.

Signals: ``model`` (number), ``rule`` (key), ``value`` (of the parameter of the rule), ``dark``, ``width``, ``room`` (height),
``titled``, ``fills``; where it asks before it shows (``asks``), how many rows are ``opened``, and whether the answer and the win
are shown (``told``, ``told_win``). Bars of p share one scale from 0 to 1 with the line at the threshold and the ribbon of answers
below; the terms of the win share another.

Functions
---------
ladder_spec
"""

from __future__ import annotations

from hierviz.charts.ladder_marks import ladder_marks
from hierviz.charts.theme import COLOURS, FONT, LOCALE

# Pixels: below these the drawing is that of a phone.
NARROW = 640
# What asks before it shows starts otherwise.
ASKED = {"asks": False, "opened": 999, "told": True, "told_win": True}
LOOK = (
    "background",
    "ink",
    "muted",
    "grid",
    "axis",
    "tp",
    "fp",
    "fn",
    "outside",
    "tn",
    "path",
    "root",
    "others",
    "on_colour",
)
IN_STEP = (
    "datum.m === model && datum.r === rule && (!datum.parameter || (datum.closed === 'low' "
    "? (datum.low <= value || datum.first) && (value < datum.high || datum.last) "
    ": (datum.low < value || datum.first) && (value <= datum.high || datum.last)))"
)


# Tables of a record that the specification draws from.
TABLES = ("sample", "models", "steps", "rows", "empty", "bars", "lanes", "win", "curve", "ticks_x", "ticks_y")


def ladder_spec(record=None, *, dark=False, width=1200, height=720, titled=True, fills=True):
    """The Vega specification, of a record or without its tables.

    Parameters
    ----------
    record : dict, optional
        Of `ladder_record`; without it the tables are empty, to be filled in the browser.
    dark : bool
    width, height : int
        Pixels; signal ``room`` is the height there is, ``height`` that of the drawing: more where its bars need it.
    titled : bool
        Whether the drawing says its sentence itself, and leaves room at its top left.
    fills : bool
        Whether it is as high as its room where it needs less.

    Returns
    -------
    dict
    """
    record = record or {"start": {"model": 0, "rule": "", "value": 0.5}}
    inputs = {"width": width, "room": height, "dark": dark, "titled": titled, "fills": fills} | record["start"] | ASKED
    return {
        "$schema": "https://vega.github.io/schema/vega/v6.json",
        "autosize": "none",
        "padding": 0,
        "background": {"signal": "c.background"},
        "config": {"text": {"font": FONT}, "locale": LOCALE},
        "signals": [{"name": name, "value": value} for name, value in inputs.items()]
        + [{"name": name, "update": update} for name, update in _signals().items()],
        "data": _data(record),
        "scales": _scales(),
        "marks": ladder_marks(),
    }


def _signals():
    colours = [{name: COLOURS[name][theme] for name in LOOK} for theme in (0, 1)]
    colours = [one | {"models": list(COLOURS["models"][theme])} for theme, one in enumerate(colours)]
    return {
        "c": f"dark ? {_js(colours[1])} : {_js(colours[0])}",
        "narrow": f"width < {NARROW}",
        "now": "data('now')[0]",
        "sample": "data('sample')[0]",
        "scene": "now ? now.a : -1",
        "medium": "!narrow && width < 1250",
        "of_model": "data('models')[model] || {}",
        "held_lines": "narrow ? of_model.held_narrow : medium ? of_model.held_medium : of_model.held_wide",
        "held": "!asks && titled && held_lines || []",
        # Places, in pixels: the ladder, its lanes, names, bars, terms of the win and counts.
        # Not of the height: what asks stands above the drawing, in this type, and takes some of it.
        "large": "!asks ? 1 : narrow ? 1.1 : clamp(width / 1100, 1, 1.5)",
        "has_side": "!narrow && (asks || sample.picture || length(sample.facts_wide) || data('curve').length)",
        "x0": "has_side ? 22 + 240 * large : 0",
        "lane_step": "narrow ? 10 : 18",
        "names": "x0 + 22 + n_lanes * lane_step",
        "names_wide": "narrow ? 0 : clamp(0.16 * width, 110 * large, 230 * large)",
        "bars": "names + names_wide + 6",
        "counts": "width - (narrow ? 52 : 112) * large",
        "wins": "counts - (narrow ? 0 : 168) * large",
        "end": "(narrow ? counts - 6 : wins - 28)",
        "picture": "narrow ? 92 : asks ? clamp(room - 190 * large, 120, 240 * large) : clamp(room - 480, 120, 226)",
        "side": "narrow ? 0 : asks ? 4 : titled ? 76 : 26",
        # On a phone the sample is above the sentence.
        "above": "sample.picture ? max(picture + 6, 62 + facts) : 76 + 17 * length(sample.text_narrow) + facts",
        "facts": "14 * length(asks ? sample.asked_narrow : sample.facts_narrow)",
        "held_tall": "length(held) ? 15 * length(held) + 3 : 0",
        "above_rows": "narrow ? above + (asks ? 30 : 94) : asks ? 26 * large : !titled ? 26 : room < 420 ? 60 : 76",
        "top": "above_rows + held_tall",
        "foot": "(narrow ? 300 : 78) * large",
        "units": "length(data('rows_now')) ? max(2, data('rows_now')[length(data('rows_now')) - 1].u2) : 2",
        "slot_tall": "clamp((room - top - foot) / units, narrow ? 26 : 10, 34 * large)",
        "size": "narrow ? 12 * large : clamp(0.62 * slot_tall, 9, 13 * large)",
        "bar_tall": "narrow ? 8 : min(18 * large, 0.68 * slot_tall)",
        "n_lanes": "max(sample.lanes || 0, lane_extent[1])",
        "low": "top + units * slot_tall",
        "ribbon": "low + 20 * large",
        "ribbon_tall": "30 * large",
        "is_p": "now && sample.has_p && (now.parameter === 'threshold' || rule === 'majority')",
        "axis": "is_p ? 'p' : now && now.parameter === 'lam' ? 'lam' : 'parameter'",
        "at": "now && now.parameter ? value : is_p ? 0.5 : null",
        "curve_top": "narrow ? ribbon + ribbon_tall + 56 : height - 34 - curve_tall",
        "curve_left": "narrow ? 44 : 40",
        # At the left, the sample, three lines and what else is known of it are above the curve.
        "media": "sample.picture ? picture + 18 : length(sample.text_wide) * 17 * large + 12",
        "above_curve": "side + media + 59 * large + 14 * length(sample.facts_wide) + 24",
        "curve_tall": "narrow ? 150 : clamp(room - above_curve - 34, 90, 186)",
        "curve_wide": "narrow ? width - 60 : 186",
        "side_tall": "has_side ? (asks ? side + picture + 130 * large : above_curve + curve_tall + 34) : 0",
        "needed": "narrow ? ribbon + ribbon_tall + (asks ? 44 : 90 + curve_tall) : max(ribbon + ribbon_tall + 46, side_tall)",
        "height": "max(fills ? room : 0, ceil(needed))",
    }


def _js(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_js(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_js, value)) + "]"
    return repr(value)


def _data(record):
    in_scene = [{"type": "filter", "expr": "datum.m === model && datum.a === scene && datum.row < opened"}]
    # The next answer says where this one stops.
    bars = [*in_scene, {"type": "filter", "expr": "told || datum.kind !== 'ghost'"}]
    of_model = [{"type": "filter", "expr": "datum.m === model"}]
    return [
        *({"name": name, "values": record.get(name, [])} for name in TABLES),
        {"name": "now", "source": "steps", "transform": [{"type": "filter", "expr": IN_STEP}]},
        {
            "name": "ribbon_steps",
            "source": "steps",
            "transform": [{"type": "filter", "expr": "told && datum.m === model && datum.r === rule"}],
        },
        {"name": "bars_now", "source": "bars", "transform": bars},
        {"name": "lanes_now", "source": "lanes", "transform": in_scene},
        {
            "name": "win_now",
            "source": "win",
            "transform": [
                {"type": "filter", "expr": "datum.m === model && now && datum.g === now.g && datum.row < opened"}
            ],
        },
        {
            "name": "empty_now",
            "source": "empty",
            "transform": [
                {
                    "type": "filter",
                    "expr": "told && now && datum.m === model && datum.r === rule && datum.k === now.k && datum.row < opened",
                }
            ],
        },
        {"name": "curve_now", "source": "curve", "transform": [*of_model, {"type": "filter", "expr": "!asks"}]},
        {
            "name": "curve_at",
            "source": "curve_now",
            "transform": [{"type": "filter", "expr": "is_p && abs(datum.t - round(200 * at) / 200) < 0.001"}],
        },
        {
            "name": "rows_now",
            "source": "rows",
            "transform": [{"type": "filter", "expr": "datum.m === model && now && datum.g === now.g"}],
        },
        {
            "name": "lanes_of_model",
            "source": "lanes",
            "transform": [
                {"type": "filter", "expr": "datum.m === model"},
                {"type": "extent", "field": "lane", "signal": "lane_extent"},
            ],
        },
        {"name": "ticks", "values": [{"t": t / 5} for t in range(6)]},
    ]


def _scales():
    ranges = {"x": "[curve_left, curve_left + curve_wide]", "y": "[curve_top + curve_tall, curve_top]"}
    return [
        {"name": "p", "type": "linear", "domain": [0, 1], "range": {"signal": "[bars, end]"}},
        *(
            {"name": name, "type": kind, "range": {"signal": "[bars, end]"}}
            | {"domain": {"signal": "now ? [now.from, now.to] : [0, 1]"}}
            # λ goes on to thousands of bits where a model is sure.
            for name, kind in (("parameter", "linear"), ("lam", "symlog"))
        ),
        {"name": "weight", "type": "linear", "domain": [0, 1], "range": {"signal": "[0, 152 * large]"}},
        *(
            {"name": f"curve_{name}", "type": "linear", "range": {"signal": ranges[name]}, "zero": False}
            | {"domain": {"data": f"ticks_{name}", "field": "at"}}
            for name in ("x", "y")
        ),
    ]
