"""The marks of the drawing of one sample, as Vega takes them: each channel is an expression of signals and of the row.

Functions
---------
ladder_marks
"""

from __future__ import annotations

# Colour of the outcome of a step; words of the state of a node.
OUTCOME = "({exact: c.tp, coarse: c.path, no_answer: c.root, wrong: c.fp}[datum.outcome] || c.root)"
STATE = "(told ? {tp: 'correct', fp: 'wrong', fn: 'missed', path: 'answered'}[datum.state] || '' : '')"
# What a node is, where that is shown.
SHOWN, IS_END = "(told ? datum.state : 'root')", "(told && datum.answer || datum.truth)"
Y, LANE = "(top + datum.u * slot_tall)", "(x0 + 10 + datum.lane * lane_step)"
SMALL = {"fill": "c.muted", "fontSize": 11}
BOLD = {"fontWeight": 600}


def ladder_marks():
    """All marks, the lower ones first: list of dict."""
    return [*_frame(), *_lanes(), *_bars(), *_win(), *_ribbon(), *_counts(), *_line(), *_sample(), *_curve()]


def _mark(kind, data=None, *, name=None, interactive=False, **encode):
    """A mark of each row of a data set, or a single one; channels are expressions (text) or values."""
    entries = {key: {"signal": value} if isinstance(value, str) else {"value": value} for key, value in encode.items()}
    made = {"type": kind, "encode": {"update": entries}, "interactive": interactive}
    return made | ({"from": {"data": data}} if data else {}) | ({"name": name} if name else {})


def _text(data=None, **encode):
    encode |= {key: f"{encode[key]} * large" for key in ("fontSize", "lineHeight") if isinstance(encode.get(key), int)}
    return _mark("text", data, **{"baseline": "'middle'", "fontSize": "size", "fill": "c.ink"} | encode)


def _frame():
    """Rows, the axis of p and what the columns are."""
    head = {"y": "top - 10", **SMALL}
    return [
        _mark(
            "rect",
            "rows_now",
            x="x0",
            x2="width",
            y="top + datum.u * slot_tall",
            y2="top + datum.u2 * slot_tall - 2",
            fill="c.grid",
            fillOpacity="datum.odd ? 0.25 : 0.55",
        ),
        _mark("rule", "ticks", x="scale('p', datum.t)", y="top", y2="low", stroke="c.axis", strokeOpacity=0.6),
        _text(
            "ticks",
            x="scale('p', datum.t)",
            # Not where the label of the threshold is.
            text="is_p && abs(scale('p', datum.t) - scale('p', at)) < 46 * large ? '' : format(datum.t, '.1f')",
            align="'center'",
            **head,
        ),
        _text(x="bars - 12", text="narrow ? '' : sample.axis", align="'right'", **head),
        _text(x="wins", text="narrow || !data('win_now').length ? '' : 'win: weight × p'", **head),
        _text(x="counts", text="narrow ? '' : 'path'", **head),
        _text(x="x0 + 2", text="narrow ? '' : sample.root", limit="max(names_wide, 60)", **head),
        _text(x="bars + 12", y="top + 24", text="scene < 0 ? 'More than six paths: they are drawn below.' : ''"),
        _text(x="bars", y="ribbon + ribbon_tall + 26", text="narrow ? '' : now.unlisted", limit="end - bars", **SMALL),
    ]


def _lanes():
    """Lines from class to class; the ends of answer and truth are larger, that of the truth is a square."""
    return [
        _mark(
            "rule",
            "lanes_now",
            x="x0 + 10 + datum.lane0 * lane_step",
            y="top + datum.u0 * slot_tall",
            x2=LANE,
            y2=Y,
            stroke=f"c[{SHOWN}]",
            strokeWidth=f"{SHOWN} === 'tn' ? 2 : 4",
            strokeCap="'round'",
        ),
        _mark(
            "symbol",
            "lanes_now",
            x=LANE,
            y=Y,
            fill=f"c[{SHOWN}]",
            stroke=f"{IS_END} ? c.ink : c.background",
            size=f"{IS_END} ? 130 : 60",
            strokeWidth=f"{IS_END} ? 2 : 1",
            shape="datum.truth && !(told && datum.answer) ? 'square' : 'circle'",
        ),
    ]


def _said():
    """What is written at a bar: p, what the class is, and whether the answer stops before it."""
    is_next = "(told && is_p && now.next === datum.name && datum.kind !== 'rest')"
    where = "(now.elsewhere ? ' (in another branch)' : '')"
    stops = f"({is_next} ? now.g ? ', not above τ' : ', not above τ: stops before it' + {where} : '')"
    ends = "(told && datum.answer ? '  answer' : '') + (datum.truth ? '  truth' : '')"
    return f"(datum.text + {ends} + {stops} + (datum.mark ? '  ' + datum.mark : ''))"


def _bars():
    """Bars of p of true length with their names, numbers and states."""
    y, said = f"({Y} + (narrow ? 4 : 0))", _said()
    height = "(datum.kind === 'rest' ? min(4 * large, bar_tall) : datum.kind === 'node' ? bar_tall : 0.7 * bar_tall)"
    is_node, is_ghost = "datum.kind === 'node'", "(told && datum.state === 'ghost')"
    state = "(datum.state === 'others' || told ? datum.state : datum.kind === 'node' ? 'root' : 'tn')"
    # Where the number is inside its bar; outside it keeps clear of the line of the threshold.
    inside, after = "(scale('p', datum.p) > bars + 0.6 * (end - bars))", "scale('p', max(datum.p, datum.hi))"
    line = "(is_p ? scale('p', at) : -99)"
    beside = f"({line} > {after} - 4 && {line} < {after} + 10 + 5.6 * length({said}) ? {line} + 6 : {after} + 6)"
    on_bar = f"({state} === 'tn' || {is_ghost} ? c.ink : c.on_colour)"
    return [
        _mark(
            "rect",
            "bars_now",
            x="scale('p', datum.p)",
            x2=after,
            yc=y,
            height=height,
            fill=f"c[{is_ghost} ? 'tn' : {state}]",
            fillOpacity=0.3,
        ),
        _mark(
            "rect",
            "bars_now",
            name="bar_marks",
            interactive=True,
            x="bars",
            x2="scale('p', datum.p)",
            yc=y,
            height=height,
            fill=f"{is_ghost} ? c.background : c[{state}]",
            stroke=f"datum.truth || {is_ghost} ? c.ink : 'transparent'",
            strokeWidth="datum.truth ? 1.5 : 1",
            strokeDash=f"{is_ghost} ? [3, 3] : [1, 0]",
            tooltip="{Class: datum.name, p: datum.text}",
        ),
        _text(
            "bars_now",
            x="narrow ? bars : names",
            y=f"narrow ? {Y} - 8 : {Y}",
            text=f"datum.name + (narrow ? '  ' + {said} : '')",
            limit="narrow ? end - bars + 6 : names_wide",
            fontWeight=f"{IS_END} ? 600 : 400",
            fill=f"{is_node} ? c.ink : c.muted",
            fontSize=f"{is_node} ? size : size - 1",
        ),
        _text(
            "bars_now",
            x=f"{inside} ? scale('p', datum.p) - 6 : {beside}",
            y=y,
            text=f"narrow ? '' : {said}",
            align=f"{inside} ? 'right' : 'left'",
            fill=f"{inside} && datum.kind !== 'rest' ? {on_bar} : {is_node} ? c.ink : c.muted",
            fontSize="size - 1",
            limit=f"{inside} ? scale('p', datum.p) - bars - 8 : end + 24 - {beside}",
        ),
        _text("bars_now", x="counts + 12", y=y, text=f"{is_node} ? {STATE} : ''", fontSize="size - 1"),
        _mark(
            "symbol",
            "bars_now",
            x="counts + 4",
            y=y,
            size=50,
            fill="c[datum.state]",
            opacity=f"{is_node} && {STATE} ? 1 : 0",
        ),
    ]


def _win():
    """The terms of the win, earned out of what they weigh, and below them their sum on the same scale."""
    y, is_sum = f"(datum.u < 0 ? ribbon + 4 : {Y})", "datum.u < 0"
    bar = {
        "x": "wins",
        "y": f"{y} + 0.5 * size + 3",
        "height": "5 * large",
        "tooltip": "{'win term': told_win ? datum.text : datum.asked}",
        "interactive": True,
    }
    wide = "narrow ? 0 : scale('weight', datum.{})"
    return [
        _text(
            "win_now",
            x="wins",
            y=y,
            text="narrow ? '' : told_win ? datum.text : datum.asked",
            fontSize=f"{is_sum} ? 13 * large : size - 1",
            fontWeight=f"{is_sum} ? 600 : 400",
            limit="160 * large",
        ),
        _mark("rect", "win_now", width=wide.format("weight"), fill="c.tn", **bar),
        _mark("rect", "win_now", width=f"told_win ? {wide.format('term')} : 0", fill="c.tp", **bar),
    ]


def _ribbon():
    """The answer at every value of the parameter; one stretch where there is none."""
    start = "(now.parameter ? scale(axis, datum.low) : bars)"
    stop = "(now.parameter ? scale(axis, datum.high) : end)"
    name = "(datum.sign ? datum.sign + ' ' : '') + datum.name"
    # A name keeps clear of the line of the threshold.
    middle, line = f"({start} + {stop}) / 2", "scale(axis, at)"
    is_crossed = f"(now.parameter && datum.k === now.k && abs({line} - {middle}) < 3.2 * length({name}) + 8)"
    span = "from: format(datum.low, '.3~f'), to: format(datum.high, '.3~f')"
    words = "{threshold: 'answer at each τ', lam: 'answer by λ, bits', bits: 'answer by ζ, bits'}[now.parameter] || 'answer'"
    return [
        _mark(
            "rect",
            "ribbon_steps",
            name="ribbon_marks",
            interactive=True,
            x=start,
            x2=stop,
            y="ribbon",
            height="ribbon_tall",
            fill=OUTCOME,
            fillOpacity="datum.k === now.k ? 1 : 0.55",
            stroke="c.background",
            strokeWidth=1,
            tooltip=f"{{Answer: datum.name, Outcome: datum.said, {span}}}",
        ),
        _text(
            "ribbon_steps",
            x=f"{is_crossed} ? ({line} - {start} > {stop} - {line} ? {start} + {line} : {line} + {stop}) / 2 : {middle}",
            y="ribbon + ribbon_tall / 2",
            align="'center'",
            text=f"{stop} - {start} > 34 ? {name} : {stop} - {start} > 12 ? datum.sign : ''",
            limit=f"max(1, ({is_crossed} ? max({line} - {start}, {stop} - {line}) : {stop} - {start}) - 8)",
            fill="c.on_colour",
            fontSize=12,
        ),
        _text(
            x="narrow ? bars : bars - 12",
            y="narrow ? low + 12 : ribbon + ribbon_tall / 2",
            align="narrow ? 'left' : 'right'",
            text=f"told ? {words} : ''",
            limit="names_wide + 100",
            **SMALL,
        ),
        _text(
            "ticks",
            x="bars + datum.t * (end - bars)",
            y="ribbon + ribbon_tall + 10 * large",
            align="'center'",
            text="now.parameter ? format(invert(axis, bars + datum.t * (end - bars)), '.2~f') : ''",
            **SMALL,
        ),
    ]


def _counts():
    """The sums of the path: nodes that are correct, wrong and missed, hP and hR."""
    is_judged, missed = "(told && isValid(now.tp))", "now.fp + ' wrong, ' + now.fn + ' missed'"
    win = "(told_win && data('win_now').length ? peek(data('win_now')).text + ' · ' : '')"
    all_in_one = f"{win} + ({is_judged} ? now.tp + ' correct, ' + {missed} + ' · ' : '') + (told ? now.sums : '')"
    return [
        _text(x="counts", y="ribbon + 4", text=f"{is_judged} && !narrow ? now.tp + ' correct' : ''"),
        _text(x="counts", y="ribbon + 4 + 16 * large", text=f"{is_judged} && !narrow ? {missed} : ''", fontSize=12),
        _text(x="counts", y="ribbon + 4 + 33 * large", text="narrow || !told ? '' : now.sums", fontSize=12, **BOLD),
        _text(
            x="bars",
            y="ribbon + ribbon_tall + 28",
            text=f"narrow ? {all_in_one} : ''",
            fontSize=12,
            limit="width - bars",
        ),
    ]


def _line():
    """The line of the threshold: through all rows where p is compared with it, else on the ribbon alone; steps by depth."""
    x = "(at === null ? -9 : scale(axis, at))"
    head, is_there = "is_p ? top - 10 : ribbon - 10", "at === null ? 0 : 1"
    sign = "({lam: 'λ', bits: 'ζ'}[now.parameter] || 'τ')"
    is_stepped = "rule === 'depth_thresholds' && isValid(datum.t)"
    line = {"y": "is_p ? top - 2 : ribbon - 4", "y2": "ribbon + ribbon_tall + 2"}
    line |= {"strokeDash": "now.parameter ? [1, 0] : [5, 4]", "opacity": "at === null ? 0 : now.parameter ? 1 : 0.55"}
    return [
        _mark("rule", x=x, stroke="c.background", strokeWidth=5, **line),
        _mark("rule", x=x, stroke="c.ink", strokeWidth=2, **line),
        _mark("rect", xc=x, width="70 * large", yc=head, height="15 * large", fill="c.background", opacity=is_there),
        _text(
            name="label",
            x=x,
            y=head,
            align="'center'",
            fontSize=13,
            text=f"at === null ? '' : {sign} + ' = ' + format(at, '.3f')",
            **BOLD,
        ),
        _mark(
            "rule",
            "rows_now",
            x="scale('p', datum.t)",
            y="top + datum.u * slot_tall",
            y2="top + datum.u2 * slot_tall - 2",
            stroke="c.ink",
            strokeWidth=2,
            opacity=f"{is_stepped} ? 1 : 0",
        ),
        _text(
            "rows_now",
            x="scale('p', datum.t) + 5",
            y="top + datum.u2 * slot_tall - 10",
            fontSize=11,
            text=f"{is_stepped} ? 'τ = ' + format(datum.t, '.3~f') : ''",
        ),
    ]


def _sample():
    """The sentence; the sample with its truth, its answer and what else is known of it."""
    left = "(narrow && sample.picture ? 112 : 0)"
    words = "(sample.picture ? picture + 18 : length(sample.text_wide) * 17 * large + 12)"
    below = f"(narrow ? (sample.picture ? 12 : above - facts - 72) : side + {words})"
    lines = (
        "'Truth: ' + (sample.truth || 'unknown')",
        "'Answer: ' + (told ? now.name : '?')",
        "!told ? '' : now.sign ? now.sign + ' ' + now.said : now.said",
    )
    room = f"(narrow ? width - {left} : 240 * large)"
    return [
        _text(
            name="sentence",
            x="x0",
            y="narrow ? above + 10 : 10",
            text="asks || !titled ? '' : narrow ? now.lines_narrow : width < 1250 ? now.lines_medium : now.lines_wide",
            fontSize=15,
            lineHeight=20,
            **BOLD,
        ),
        _mark(
            "image",
            x=0,
            y="side",
            width="picture",
            height="picture",
            aspect=True,
            url="sample.picture",
            opacity="sample.picture ? 1 : 0",
        ),
        _text(
            x=0,
            y="narrow ? 10 : side + 8 * large",
            text="narrow ? sample.text_narrow : sample.text_wide",
            lineHeight=17,
            fontSize=13,
        ),
        *(
            _text(
                x=left,
                y=f"{below} + {19 * place} * large",
                text=f"narrow || has_side ? {text} : ''",
                fontSize=13,
                limit=room,
                **BOLD,
            )
            for place, text in enumerate(lines)
        ),
        _text(
            x=left,
            y=f"{below} + 59 * large",
            text="narrow ? sample.facts_narrow : has_side ? sample.facts_wide : ''",
            lineHeight=14,
            **SMALL,
        ),
    ]


def _curve():
    """The operating curve of the model, whose dot is at the same threshold."""
    place = {"x": "scale('curve_x', datum.x)", "y": "scale('curve_y', datum.y)"}
    tick = {"text": "asks ? '' : format(datum.at, '.0%')", "fill": "c.muted", "fontSize": 10}
    has_curve = "data('curve_now').length"
    return [
        _mark(
            "rect",
            x="curve_left",
            width="curve_wide",
            y="curve_top",
            height="curve_tall",
            fill="c.background",
            stroke="c.axis",
            strokeWidth=1,
            opacity=f"{has_curve} ? 1 : 0",
        ),
        _text("ticks_x", x="scale('curve_x', datum.at)", y="curve_top + curve_tall + 10", align="'center'", **tick),
        _text("ticks_y", y="scale('curve_y', datum.at)", x="curve_left - 6", align="'right'", **tick),
        _text(x="curve_left - 34", y="curve_top - 12", text=f"{has_curve} ? 'correct answers' : ''", **SMALL),
        _text(
            x="curve_left + curve_wide",
            y="curve_top + curve_tall + 24",
            align="'right'",
            text=f"{has_curve} ? 'information recall, all samples' : ''",
            **SMALL,
        ),
        _mark("line", "curve_now", stroke="c.models[model % 8]", strokeWidth=2, **place),
        _mark(
            "symbol",
            "curve_at",
            name="dot",
            fill="c.models[model % 8]",
            stroke="c.background",
            size=120,
            strokeWidth=2,
            **place,
        ),
    ]
