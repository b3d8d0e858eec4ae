"""The drawing of one sample as one Vega specification: it looks up, in the record, what stands at a threshold.

Signals: ``model`` (number), ``rule`` (key), ``value`` (of the parameter of the rule), ``dark``, ``width``, ``room`` (height),
``titled``. Bars of p share one scale from 0 to 1 with the line at the threshold and the ribbon of answers below; the terms of
the win share another.

Functions
---------
ladder_spec
"""

from __future__ import annotations

from hierviz.charts.theme import COLOURS, FONT

# Pixels: below these the drawing is that of a phone.
NARROW = 640
LOOK = ("background", "ink", "muted", "grid", "axis", "tp", "fp", "fn", "tn", "path", "root", "others", "on_colour")
# Key of what a step is for the colour of an outcome.
OUTCOME = "{exact: c.tp, coarse: c.path, no_answer: c.root, wrong: c.fp}"
IN_STEP = (
    "datum.m === model && datum.r === rule && (!datum.parameter || (datum.closed === 'low' "
    "? (datum.low <= value || datum.first) && (value < datum.high || datum.last) "
    ": (datum.low < value || datum.first) && (value <= datum.high || datum.last)))"
)
WORDS = "{tp: 'correct', fp: 'wrong', fn: 'missed', path: 'answered'}"


# Tables of a record that the specification draws from.
TABLES = ("sample", "steps", "rows", "bars", "lanes", "win", "curve", "ticks_x", "ticks_y")


def ladder_spec(record=None, *, dark=False, width=1200, height=720, titled=True):
    """The Vega specification, of a record or without its tables.

    Parameters
    ----------
    record : dict, optional
        Of `ladder_record`; without it the tables are empty, to be filled in the browser.
    dark : bool
    width, height : int
        Pixels; signal ``room`` is the height there is, ``height`` that of the drawing: more where the bars need it.
    titled : bool
        Whether the drawing says its sentence itself, and leaves room at its top left.

    Returns
    -------
    dict
    """
    record = record or {"start": {"model": 0, "rule": "", "value": 0.5}}
    inputs = {"width": width, "room": height, "dark": dark, "titled": titled} | record["start"]
    return {
        "$schema": "https://vega.github.io/schema/vega/v6.json",
        "autosize": "none",
        "padding": 0,
        "background": {"signal": "c.background"},
        "config": {"text": {"font": FONT}},
        "signals": [{"name": name, "value": value} for name, value in inputs.items()]
        + [{"name": name, "update": update} for name, update in _signals().items()],
        "data": _data(record),
        "scales": _scales(),
        "marks": _marks(),
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
        # Places, in pixels: the ladder, its lanes, names, bars, terms of the win and counts.
        "x0": "narrow ? 0 : 262",
        "lane_step": "narrow ? 10 : 18",
        "names": f"x0 + 22 + n_lanes * lane_step",
        "names_wide": "narrow ? 0 : clamp(0.16 * width, 110, 230)",
        "bars": "names + names_wide + 6",
        "counts": "width - (narrow ? 52 : 112)",
        "wins": "counts - (narrow ? 0 : 168)",
        "end": "(narrow ? counts - 6 : wins - 28)",
        "picture": "narrow ? 104 : clamp(room - 480, 120, 226)",
        "top": "narrow ? 240 : titled ? 76 : 26",
        "foot": "narrow ? 300 : 78",
        "units": "length(data('rows_now')) ? max(2, data('rows_now')[length(data('rows_now')) - 1].u2) : 2",
        "slot_tall": "clamp((room - top - foot) / units, narrow ? 26 : 10, 34)",
        "size": "narrow ? 12 : clamp(0.62 * slot_tall, 9, 13)",
        "bar_tall": "narrow ? 8 : min(18, 0.68 * slot_tall)",
        "n_lanes": "max(0, lane_extent[1])",
        "low": "top + units * slot_tall",
        "ribbon": "low + 20",
        "ribbon_tall": "30",
        "is_p": "now && (now.parameter === 'threshold' || rule === 'majority')",
        "at": "now && now.parameter ? value : rule === 'majority' ? 0.5 : null",
        "curve_top": "narrow ? ribbon + ribbon_tall + 56 : height - 34 - curve_tall",
        "curve_left": "narrow ? 44 : 40",
        "curve_tall": "narrow ? 150 : clamp(room - picture - 270, 90, 186)",
        "curve_wide": "narrow ? width - 60 : 186",
        "needed": "narrow ? ribbon + ribbon_tall + 90 + curve_tall : "
        "max(ribbon + ribbon_tall + 46, top + picture + 80 + curve_tall + 46)",
        "height": "max(room, ceil(needed))",
    }


def _js(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_js(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_js, value)) + "]"
    return repr(value)


def _data(record):
    in_scene = [{"type": "filter", "expr": "datum.m === model && datum.a === scene"}]
    of_model = [{"type": "filter", "expr": "datum.m === model"}]
    return [
        *({"name": name, "values": record.get(name, [])} for name in TABLES),
        {"name": "now", "source": "steps", "transform": [{"type": "filter", "expr": IN_STEP}]},
        {
            "name": "ribbon_steps",
            "source": "steps",
            "transform": [{"type": "filter", "expr": "datum.m === model && datum.r === rule"}],
        },
        {"name": "bars_now", "source": "bars", "transform": in_scene},
        {"name": "lanes_now", "source": "lanes", "transform": in_scene},
        {"name": "win_now", "source": "win", "transform": [{"type": "filter", "expr": "datum.m === model && now && datum.g === now.g"}]},
        {"name": "curve_now", "source": "curve", "transform": of_model},
        {
            "name": "curve_at",
            "source": "curve_now",
            "transform": [{"type": "filter", "expr": "is_p && abs(datum.t - round(200 * at) / 200) < 0.001"}],
        },
        {"name": "rows_now", "source": "rows", "transform": [{"type": "filter", "expr": "datum.m === model && now && datum.g === now.g"}]},
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
        {
            "name": "parameter",
            "type": "linear",
            "domain": {"signal": "now ? [now.from, now.to] : [0, 1]"},
            "range": {"signal": "[bars, end]"},
        },
        {"name": "weight", "type": "linear", "domain": [0, 1], "range": {"signal": "[0, 152]"}},
        *(
            {"name": f"curve_{name}", "type": "linear", "range": {"signal": ranges[name]}, "zero": False}
            | {"domain": {"data": f"ticks_{name}", "field": "at"}}
            for name in ("x", "y")
        ),
    ]


# Marks --------------------------------------------------------------------------------------------------------------


def _signal(text):
    return {"signal": text}


def _mark(kind, encode, data=None, **more):
    entries = {name: _signal(value) if isinstance(value, str) else {"value": value} for name, value in encode.items()}
    return {"type": kind, **({"from": {"data": data}} if data else {}), "encode": {"update": entries}, **more}


def _text(encode, data=None, **more):
    look = {"baseline": "'middle'", "fontSize": "size", "fill": "c.ink"}
    return _mark("text", look | encode, data, interactive=False, **more)


def _marks():
    return [*_frame(), *_lanes(), *_bars(), *_win(), *_ribbon(), *_line(), *_head(), *_curve()]


def _frame():
    """Rows, the axis of p and what the columns are."""
    return [
        _mark(
            "rect",
            {"x": "x0", "x2": "width", "y": "top + datum.u * slot_tall", "y2": "top + datum.u2 * slot_tall - 2"}
            | {"fill": "c.grid", "fillOpacity": "datum.row % 2 ? 0.25 : 0.55"},
            "rows_now",
            interactive=False,
        ),
        _mark(
            "rule",
            {"x": "scale('p', datum.t)", "y": "top", "y2": "low", "stroke": "c.axis", "strokeOpacity": 0.6},
            "ticks",
            interactive=False,
        ),
        _text(
            {"x": "scale('p', datum.t)", "y": "top - 10", "text": "format(datum.t, '.1f')", "align": "'center'"}
            | {"fill": "c.muted", "fontSize": 11},
            "ticks",
        ),
        _text({"x": "bars - 12", "y": "top - 10", "text": "narrow ? '' : 'probability p'", "align": "'right'"} | {"fill": "c.muted", "fontSize": 11}),
        _text({"x": "wins", "y": "top - 10", "text": "narrow || !data('win_now').length ? '' : 'win: weight × p'", "fill": "c.muted", "fontSize": 11}),
        _text({"x": "counts", "y": "top - 10", "text": "narrow ? '' : 'path'", "fill": "c.muted", "fontSize": 11}),
        _text(
            {"x": "x0 + 2", "y": "top - 10", "fill": "c.muted", "fontSize": 11, "limit": "max(names_wide, 60)"}
            | {"text": "narrow ? '' : sample.root"}
        ),
    ]


def _y(unit="datum.u"):
    return f"(top + {unit} * slot_tall)"


def _x_lane(lane="datum.lane"):
    return f"(x0 + 10 + {lane} * lane_step)"


def _lanes():
    above = _y("datum.u0")
    return [
        _mark(
            "rule",
            {"x": _x_lane("datum.lane0"), "y": above, "x2": _x_lane(), "y2": _y(), "stroke": "c[datum.state]"}
            | {"strokeWidth": "datum.state === 'tn' ? 2 : 4", "strokeCap": "'round'"},
            "lanes_now",
            interactive=False,
        ),
        _mark(
            "symbol",
            {"x": _x_lane(), "y": _y(), "fill": "c[datum.state]", "stroke": "datum.answer || datum.truth ? c.ink : c.background"}
            | {"size": "datum.answer || datum.truth ? 130 : 60", "strokeWidth": "datum.answer || datum.truth ? 2 : 1"}
            | {"shape": "datum.truth && !datum.answer ? 'square' : 'circle'"},
            "lanes_now",
            interactive=False,
        ),
    ]


def _bars():
    thin = "(datum.kind === 'rest' ? min(4, bar_tall) : datum.kind === 'node' ? bar_tall : 0.7 * bar_tall)"
    y = f"({_y()} + (narrow ? 4 : 0))"
    inside = "(scale('p', datum.p) > bars + 0.6 * (end - bars))"
    # A number keeps clear of the line of the threshold.
    after = "scale('p', max(datum.p, datum.hi))"
    line = "(is_p ? scale('p', at) : -99)"
    beside = f"({line} > {after} - 4 && {line} < {after} + 48 ? {line} + 6 : {after} + 6)"
    is_next = "(is_p && now.next === datum.name && datum.kind !== 'rest')"
    stops = f"({is_next} ? ', not above τ: stops before it' + (now.elsewhere ? ' (in another branch)' : '') : '')"
    said = (
        "(datum.text + (datum.answer ? '  answer' : '') + (datum.truth ? '  truth' : '') + "
        f"{stops} + (datum.mark ? '  ' + datum.mark : ''))"
    )
    return [
        _mark(
            "rect",
            {"x": "scale('p', datum.p)", "x2": "scale('p', max(datum.hi, datum.p))", "yc": y, "height": thin}
            | {"fill": "c[datum.state === 'ghost' ? 'tn' : datum.state]", "fillOpacity": 0.3},
            "bars_now",
            interactive=False,
        ),
        _mark(
            "rect",
            {"x": "bars", "x2": "scale('p', datum.p)", "yc": y, "height": thin}
            | {"fill": "datum.state === 'ghost' ? c.background : c[datum.state]"}
            | {"stroke": "datum.truth || datum.state === 'ghost' ? c.ink : 'transparent'", "strokeWidth": "datum.truth ? 1.5 : 1"}
            | {"strokeDash": "datum.state === 'ghost' ? [3, 3] : [1, 0]"}
            | {"tooltip": "{Class: datum.name, p: datum.text}"},
            "bars_now",
            name="bar_marks",
        ),
        _text(
            {"x": "narrow ? bars : names", "y": f"narrow ? {_y()} - 8 : {_y()}", "text": f"datum.name + (narrow ? '  ' + {said} : '')"}
            | {"limit": "narrow ? end - bars + 6 : names_wide", "fontWeight": "datum.answer || datum.truth ? 600 : 400"}
            | {"fill": "datum.kind === 'node' ? c.ink : c.muted", "fontSize": "datum.kind === 'node' ? size : size - 1"},
            "bars_now",
        ),
        _text(
            {"x": f"{inside} ? scale('p', datum.p) - 6 : {beside}", "y": y, "text": f"narrow ? '' : {said}"}
            | {"align": f"{inside} ? 'right' : 'left'"}
            | {"fill": f"{inside} && datum.kind !== 'rest' ? (datum.state === 'tn' || datum.state === 'ghost' ? c.ink : c.on_colour) : datum.kind === 'node' ? c.ink : c.muted"}
            | {"fontSize": "size - 1", "limit": f"{inside} ? scale('p', datum.p) - bars - 8 : end + 24 - {beside}"},
            "bars_now",
        ),
        _text(
            {"x": "counts + 12", "y": y, "text": f"datum.kind === 'node' ? ({WORDS})[datum.state] || '' : ''", "fill": "c.ink", "fontSize": "size - 1"},
            "bars_now",
        ),
        _mark(
            "symbol",
            {"x": "counts + 4", "y": y, "size": 50, "fill": "c[datum.state]"}
            | {"opacity": f"datum.kind === 'node' && ({WORDS})[datum.state] ? 1 : 0"},
            "bars_now",
            interactive=False,
        ),
    ]


def _win():
    y = f"(datum.u < 0 ? ribbon + 4 : {_y()})"
    return [
        _text(
            {"x": "wins", "y": y, "text": "narrow ? '' : datum.text", "fontSize": "datum.u < 0 ? 13 : size - 1"}
            | {"fontWeight": "datum.u < 0 ? 600 : 400", "limit": 160},
            "win_now",
        ),
        *(
            _mark(
                "rect",
                {"x": "wins", "width": f"narrow ? 0 : scale('weight', {length})", "y": f"{y} + 0.5 * size + 3", "height": 5}
                | {"fill": f"c.{fill}", "tooltip": "{'win term': datum.text}"},
                "win_now",
            )
            for length, fill in (("datum.weight", "tn"), ("datum.term", "tp"))
        ),
    ]


def _ribbon():
    x, x2 = "scale('parameter', datum.low)", "scale('parameter', datum.high)"
    colour = f"(({OUTCOME})[datum.outcome] || c.root)"
    return [
        _mark(
            "rect",
            {"x": f"now.parameter ? {x} : bars", "x2": f"now.parameter ? {x2} : end", "y": "ribbon", "height": "ribbon_tall"}
            | {"fill": colour, "stroke": "c.background", "strokeWidth": 1}
            | {"fillOpacity": "datum.k === now.k ? 1 : 0.55"}
            | {"tooltip": "{Answer: datum.name, Outcome: datum.said, from: format(datum.low, '.3~f'), to: format(datum.high, '.3~f')}"},
            "ribbon_steps",
            name="ribbon_marks",
        ),
        _text(
            {"x": f"now.parameter ? ({x} + {x2}) / 2 : (bars + end) / 2", "y": "ribbon + ribbon_tall / 2", "align": "'center'"}
            | {"text": f"(now.parameter ? {x2} - {x} : end - bars) > 34 ? (datum.sign ? datum.sign + ' ' : '') + datum.name : (now.parameter ? {x2} - {x} : 99) > 12 ? datum.sign : ''"}
            | {"limit": f"max(1, (now.parameter ? {x2} - {x} : end - bars) - 8)", "fill": "c.on_colour", "fontSize": 12},
            "ribbon_steps",
        ),
        _text(
            {"x": "narrow ? bars : bars - 12", "y": "narrow ? low + 12 : ribbon + ribbon_tall / 2", "align": "narrow ? 'left' : 'right'"}
            | {"text": "now.parameter === 'lam' ? 'answer by λ, bits' : now.parameter === 'bits' ? 'answer by ζ, bits' : now.parameter ? 'answer at each τ' : 'answer'"}
            | {"fill": "c.muted", "fontSize": 11, "limit": "names_wide + 60"},
        ),
        _text(
            {"x": "bars + datum.t * (end - bars)", "y": "ribbon + ribbon_tall + 10", "align": "'center'", "fill": "c.muted", "fontSize": 11}
            | {"text": "now.parameter ? format(now.from + datum.t * (now.to - now.from), '.2~f') : ''"},
            "ticks",
        ),
        _text(
            {"x": "counts", "y": "ribbon + 4", "text": "!isValid(now.tp) ? '' : narrow ? '' : now.tp + ' correct'"},
        ),
        _text({"x": "counts", "y": "ribbon + 20", "text": "!isValid(now.tp) || narrow ? '' : now.fp + ' wrong, ' + now.fn + ' missed'", "fontSize": 12}),
        _text({"x": "counts", "y": "ribbon + 37", "text": "narrow ? '' : now.sums", "fontSize": 12, "fontWeight": 600}),
        _text({"x": "bars", "y": "ribbon + ribbon_tall + 28", "fontSize": 12, "limit": "width - bars"}
              | {"text": "!narrow ? '' : (data('win_now').length ? data('win_now')[data('win_now').length - 1].text + ' · ' : '') + (isValid(now.tp) ? now.tp + ' correct, ' + now.fp + ' wrong, ' + now.fn + ' missed · ' : '') + now.sums"}),
    ]


def _line():
    """The line of the threshold: through all rows where it is compared with p, else on the ribbon alone."""
    x = "(at === null ? -9 : scale(is_p ? 'p' : 'parameter', at))"
    sign = "(now.parameter === 'lam' ? 'λ' : now.parameter === 'bits' ? 'ζ' : 'τ')"
    return [
        _mark(
            "rule",
            {"x": x, "y": "is_p ? top - 2 : ribbon - 4", "y2": "ribbon + ribbon_tall + 2", "stroke": colour, "strokeWidth": wide}
            | {"strokeDash": "now.parameter ? [1, 0] : [5, 4]", "opacity": "at === null ? 0 : now.parameter ? 1 : 0.55"},
            interactive=False,
        )
        for colour, wide in (("c.background", 5), ("c.ink", 2))
    ] + [
        _mark(
            "rect",
            {"xc": x, "width": 70, "yc": "is_p ? top - 10 : ribbon - 10", "height": 15, "fill": "c.background", "opacity": "at === null ? 0 : 1"},
            interactive=False,
        ),
        _text(
            {"x": x, "y": "is_p ? top - 10 : ribbon - 10", "align": "'center'", "fontWeight": 600, "fontSize": 13}
            | {"text": f"at === null ? '' : {sign} + ' = ' + format(at, '.3f')"},
            name="label",
        ),
    ]


def _head():
    """The sentence; the sample with its truth, its answer and what else is known."""
    left = "(narrow && sample.picture ? 112 : 0)"
    words = "length(sample.text_wide) * 17"
    below = f"(narrow ? (sample.picture ? 12 : 84) : top + (sample.picture ? picture + 18 : {words} + 12))"
    room = f"(narrow ? width - {left} : 240)"
    answer = "'Answer: ' + now.name + (now.sign ? ' (' + now.sign + ' ' + now.said + ')' : '')"
    small = {"fill": "c.muted", "fontSize": 11, "lineHeight": 14}
    return [
        _text(
            {"x": "x0", "y": "narrow ? 126 : 10", "fontSize": 15, "fontWeight": 600, "lineHeight": 20}
            | {"text": "!titled ? '' : narrow ? now.lines_narrow : width < 1250 ? now.lines_medium : now.lines_wide"},
            name="sentence",
        ),
        _mark(
            "image",
            {"x": 0, "y": "narrow ? 0 : top", "width": "picture", "height": "picture", "aspect": True}
            | {"url": "sample.picture", "opacity": "sample.picture ? 1 : 0"},
            interactive=False,
        ),
        _text(
            {"x": 0, "y": "narrow ? 10 : top + 8", "text": "narrow ? sample.text_narrow : sample.text_wide"}
            | {"lineHeight": 17, "fontSize": 13}
        ),
        *(
            _text({"x": left, "y": f"{below} + {y}", "text": text, "fontSize": 13, "fontWeight": 600, "limit": room})
            for y, text in ((0, "'Truth: ' + (sample.truth || 'unknown')"), (19, answer))
        ),
        _text({"x": left, "y": f"{below} + 40", "text": "narrow ? sample.facts_narrow : sample.facts_wide"} | small),
    ]


def _curve():
    """The operating curve of the model; its dot is at the same threshold."""
    ticks = []
    for name, where in (("x", {"y": "curve_top + curve_tall + 10", "align": "'center'"}), ("y", {"x": "curve_left - 6", "align": "'right'"})):
        ticks.append(
            _text(
                {name: f"scale('curve_{name}', datum.at)", **where, "text": "format(datum.at, '.0%')", "fill": "c.muted", "fontSize": 10},
                f"ticks_{name}",
            )
        )
    frame = {"x": "curve_left", "x2": "curve_left + curve_wide", "y": "curve_top", "y2": "curve_top + curve_tall"}
    words = [
        _text({"x": "curve_left - 34", "y": "curve_top - 12", "text": "data('curve_now').length ? 'correct answers' : ''", "fill": "c.muted", "fontSize": 11}),
        _text(
            {"x": "curve_left + curve_wide", "y": "curve_top + curve_tall + 24", "align": "'right'", "fill": "c.muted", "fontSize": 11}
            | {"text": "data('curve_now').length ? 'information recall, all samples' : ''"}
        ),
    ]
    return [
        _mark("rect", frame | {"fill": "c.background", "stroke": "c.axis", "strokeWidth": 1, "opacity": "data('curve_now').length ? 1 : 0"}, interactive=False),
        *ticks,
        *words,
        _mark(
            "line",
            {"x": "scale('curve_x', datum.x)", "y": "scale('curve_y', datum.y)", "stroke": "c.models[model % 8]", "strokeWidth": 2},
            "curve_now",
            interactive=False,
        ),
        _mark(
            "symbol",
            {"x": "scale('curve_x', datum.x)", "y": "scale('curve_y', datum.y)", "fill": "c.models[model % 8]", "stroke": "c.background"}
            | {"size": 120, "strokeWidth": 2},
            "curve_at",
            name="dot",
        ),
    ]
