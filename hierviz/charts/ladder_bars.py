"""The ladder itself: its rows with the axis of p, the lanes of the paths, and the bars.

Functions
---------
rows, lanes, bars, names
"""

from __future__ import annotations

from hierviz.charts.ladder_channels import IS_END, IS_ROOT, LANE, SHOWN, SMALL, STATE, Y, mark, text


def rows():
    """Rows, the axis of p and what the columns are."""
    head = {"y": "top - 10", **SMALL}
    return [
        mark(
            "rect",
            "rows_now",
            x="x0",
            x2="width",
            y="top + datum.u * slot_tall",
            y2="top + datum.u2 * slot_tall - 2",
            fill="c.grid",
            fillOpacity="datum.odd ? 0.25 : 0.55",
        ),
        mark("rule", "ticks", x="scale('p', datum.t)", y="top", y2="low", stroke="c.axis", strokeOpacity=0.6),
        text(
            "ticks",
            x="scale('p', datum.t)",
            # Not where the label of the threshold is.
            text="is_p && abs(scale('p', datum.t) - scale('p', at)) < 46 * large ? '' : format(datum.t, '.1f')",
            align="'center'",
            **head,
        ),
        text(x="bars - 12", text="narrow ? '' : sample.axis", align="'right'", **head),
        text(x="wins", text="narrow || !data('win_now').length ? '' : 'win: weight × p of the truth'", **head),
        text(x="counts", text="narrow ? '' : 'path'", **head),
        text(
            x="x0 + 2",
            text=f"narrow ? '' : {IS_ROOT} ? sample.root + ': no answer' : sample.root",
            limit="bars - x0 - 110",
            **head,
        ),
        text(x="bars + 12", y="top + 24", text="scene < 0 ? 'More than six paths: they are drawn below.' : ''"),
        text(
            x="bars",
            y="ribbon + ribbon_tall + 26",
            text="narrow ? '' : now.unlisted || (told ? now.needed : '')",
            limit="end - bars",
            **SMALL,
        ),
    ]


def lanes():
    """Lines from class to class; the ends of answer and truth are larger, that of the truth is a square."""
    return [
        mark(
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
        mark(
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
        mark(
            "symbol",
            "lanes_now",
            x="x0 + 10 + datum.lane0 * lane_step",
            y="top",
            fill="c.root",
            stroke="c.ink",
            size=130,
            strokeWidth=2,
            opacity=f"datum.row === 0 && {IS_ROOT} ? 1 : 0",
        ),
    ]


def _said():
    """What is written at a bar: p, what the class is, and whether the answer stops before it."""
    is_next = "(told && is_p && now.next === datum.name && datum.kind !== 'rest')"
    where = "(now.elsewhere ? ' (in another branch)' : '')"
    # Where the axis is short, or ends soon, there is no room to say that the answer stops.
    is_short = "(end - bars < 340 || end - max(scale('p', datum.p), is_p ? scale('p', at) : 0) < 150 * large)"
    stops = f"({is_next} ? now.g || {is_short} ? ', not above τ' : ', not above τ: stops before it' + {where} : '')"
    is_answer = "told && datum.answer"
    ends = f"({is_answer} ? datum.truth ? '  answer, truth' : '  answer' : datum.truth ? '  truth' : '')"
    ends += f" + ({is_answer} && datum.leaf ? ', a leaf' : '')"
    return f"(datum.text + {ends} + {stops} + (datum.mark ? '  ' + datum.mark : ''))"


def bars():
    """Bars of p of true length with their names, numbers and states."""
    y, said = f"({Y} + (narrow ? 5 : 0))", _said()
    height = "(datum.kind === 'rest' ? min(4 * large, bar_tall) : datum.kind === 'node' ? bar_tall : 0.7 * bar_tall)"
    is_node, is_ghost = "datum.kind === 'node'", "(told && datum.state === 'ghost')"
    state = "(datum.state === 'others' || told ? datum.state : datum.kind === 'node' ? 'root' : 'tn')"
    # Where the number is inside its bar; outside it keeps clear of the line of the threshold.
    after, line = "scale('p', max(datum.p, datum.hi, datum.i1 || 0))", "(is_p ? scale('p', at) : -99)"
    # The line of an interval is not written over.
    edge = "scale('p', isValid(datum.of) ? datum.i0 : datum.p)"
    is_crossed = f"({line} < {edge} + 4 && {line} > {edge} - 14 - 6 * length({said}))"
    # After a long interval there is no room.
    is_full = f"(end + 24 - {after} < 6 * length({said}) && {edge} - bars > 6 * length({said}) + 8)"
    inside = f"(({edge} > bars + 0.6 * (end - bars) || {is_full}) && !{is_crossed})"
    beside = f"({line} > {after} - 4 && {line} < {after} + 10 + 5.6 * length({said}) ? {line} + 6 : {after} + 6)"
    on_bar = f"({state} === 'tn' || {is_ghost} ? c.ink : c.on_colour)"
    return [
        mark(
            "rect",
            "bars_now",
            x="scale('p', datum.p)",
            x2="scale('p', max(datum.p, datum.hi))",
            yc=y,
            height=height,
            fill=f"c[{is_ghost} ? 'tn' : {state}]",
            fillOpacity=0.3,
        ),
        mark(
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
            tooltip="isValid(datum.of) ? {Class: datum.name, p: datum.text, 'Answers, 95 % interval': datum.of} : "
            "{Class: datum.name, p: datum.text}",
        ),
        *_interval(y),
        text(
            "bars_now",
            x=f"{inside} ? {edge} - 6 : {beside}",
            y=y,
            text=f"narrow ? '' : {said}",
            align=f"{inside} ? 'right' : 'left'",
            fill=f"{inside} && datum.kind !== 'rest' ? {on_bar} : {is_node} ? c.ink : c.muted",
            fontSize="size - 1",
            limit=f"{inside} ? {edge} - bars - 8 : end + 24 - {beside}",
        ),
        text("bars_now", x="counts + 12", y=y, text=f"{is_node} ? {STATE} : ''", fontSize="size - 1"),
        mark(
            "symbol",
            "bars_now",
            x="counts + 4",
            y=y,
            size=50,
            fill="c[datum.state]",
            opacity=f"{is_node} && {STATE} ? 1 : 0",
        ),
    ]


def _interval(y):
    """The interval of the share of several answers: a line with its ends, over the end of the bar."""
    there = "isValid(datum.of) && datum.i1 > datum.i0 ? 1 : 0"
    look = {"stroke": "c.ink", "strokeWidth": 1.5, "opacity": there}
    low, high = ("scale('p', datum.i0 || 0)", "scale('p', datum.i1 || 0)")
    return [
        mark("rule", "bars_now", x=low, x2=high, y=y, y2=y, **look),
        *(mark("rule", "bars_now", x=end, x2=end, y=f"{y} - 4", y2=f"{y} + 4", **look) for end in (low, high)),
    ]


def names():
    """Names of the bars, on a phone above them, and why a row has none; clear of the line of the threshold."""
    is_node, said = "datum.kind === 'node'", f"'  ' + {_said()}"
    look = {
        "x": "narrow ? bars : names",
        "y": f"narrow ? {Y} - 8 : {Y}",
        "limit": "narrow ? end - bars + 6 : names_wide",
        "fontWeight": f"{IS_END} ? 600 : 400",
        "fontSize": f"{is_node} ? size : size - 1",
    }
    empty = {"x": "bars + (narrow ? 0 : 12)", "y": Y, "text": "datum.text", "limit": "end - bars - 12"}
    behind = {"stroke": "c.background", "strokeWidth": 3, "opacity": 0.9}
    return [
        text("empty_now", **empty, **SMALL, **behind),
        text("empty_now", **empty, **SMALL),
        text("bars_now", text=f"narrow ? datum.name + {said} : ''", **look, **behind),
        text("bars_now", text=f"datum.name + (narrow ? {said} : '')", fill=f"{is_node} ? c.ink : c.muted", **look),
    ]
