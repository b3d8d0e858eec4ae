"""The marks of the drawing of one sample, as Vega takes them.

Functions
---------
ladder_marks
"""

from __future__ import annotations

from hierviz.charts.ladder_bars import bars, lanes, names, rows
from hierviz.charts.ladder_channels import BOLD, SMALL, Y, mark, text
from hierviz.charts.ladder_ribbon import line, ribbon


def ladder_marks():
    """All marks, the lower ones first: list of dict."""
    return [*rows(), *lanes(), *bars(), *_win(), *ribbon(), *_counts(), *line(), *names(), *_sample(), *_curve()]


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
        text(
            "win_now",
            x="wins",
            y=y,
            text="narrow ? '' : told_win ? datum.text : datum.asked",
            fontSize=f"{is_sum} ? 13 * large : size - 1",
            fontWeight=f"{is_sum} ? 600 : 400",
            limit="160 * large",
        ),
        mark("rect", "win_now", width=wide.format("weight"), fill="c.tn", **bar),
        mark("rect", "win_now", width=f"told_win ? {wide.format('term')} : 0", fill="c.tp", **bar),
    ]


def _counts():
    """The sums of the path: nodes that are correct, wrong and missed, hP and hR."""
    is_judged, missed = "(told && isValid(now.tp))", "now.fp + ' wrong, ' + now.fn + ' missed'"
    win = "(told_win && data('win_now').length ? peek(data('win_now')).text + ' · ' : '')"
    all_in_one = f"{win} + ({is_judged} ? now.tp + ' correct, ' + {missed} + ' · ' : '') + (told ? now.sums : '')"
    return [
        text(x="counts", y="ribbon + 4", text=f"{is_judged} && !narrow ? now.tp + ' correct' : ''"),
        text(x="counts", y="ribbon + 4 + 16 * large", text=f"{is_judged} && !narrow ? {missed} : ''", fontSize=12),
        text(x="counts", y="ribbon + 4 + 33 * large", text="narrow || !told ? '' : now.sums", fontSize=12, **BOLD),
        text(x="counts", y="ribbon + 4 + 50 * large", text="narrow || !told ? '' : now.on", **SMALL),
        text(
            x="bars",
            y="ribbon + ribbon_tall + 28",
            text=f"narrow ? {all_in_one} : ''",
            fontSize=12,
            limit="width - bars",
        ),
    ]


def _sample():
    """The sentence; the sample with its truth, its answer and what else is known of it."""
    left = "(narrow && sample.picture ? picture + 10 : 0)"
    below = "(narrow ? (sample.picture ? 8 : above - facts - 64) : side + media)"
    lines = (
        "'Truth: ' + (sample.truth || 'unknown')",
        "'Answer: ' + (told ? now.name : '?')",
        "!told ? '' : now.sign ? now.sign + ' ' + now.said : now.said",
    )
    room = f"(narrow ? width - {left} : 240 * large)"
    said = "(narrow ? now.lines_narrow : medium ? now.lines_medium : now.lines_wide)"
    return [
        text(
            name="sentence",
            x="x0",
            y="narrow ? above + 12 : 10",
            text=f"asks || !titled ? '' : {said}",
            fontSize="(narrow ? 14 : 15) * large",
            lineHeight="(narrow ? 18 : 20) * large",
            **BOLD,
        ),
        text(
            name="held",
            x="x0",
            y=f"(narrow ? above + 11 + 18 * length({said}) : 9 + 20 * length({said}))",
            text="held",
            lineHeight=15,
            fontSize=12,
            fill="c.muted",
        ),
        mark(
            "image",
            x=0,
            y="side",
            width="picture",
            height="picture",
            aspect=True,
            url="sample.picture",
            opacity="sample.picture ? 1 : 0",
        ),
        text(
            x=0,
            y="narrow ? 10 : side + 8 * large",
            text="narrow ? sample.text_narrow : sample.text_wide",
            lineHeight=17,
            fontSize=13,
        ),
        *(
            text(
                x=left,
                y=f"{below} + {19 * place} * large",
                text=f"narrow || has_side ? {words} : ''",
                fontSize=13,
                limit=room,
                **BOLD,
            )
            for place, words in enumerate(lines)
        ),
        text(
            x=left,
            y=f"{below} + 59 * large",
            text=(
                "narrow ? (asks ? sample.asked_narrow : sample.facts_narrow)"
                " : !has_side ? '' : asks ? sample.asked_wide : sample.facts_wide"
            ),
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
        mark(
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
        text("ticks_x", x="scale('curve_x', datum.at)", y="curve_top + curve_tall + 10", align="'center'", **tick),
        text("ticks_y", y="scale('curve_y', datum.at)", x="curve_left - 6", align="'right'", **tick),
        text(x="curve_left - 34", y="curve_top - 12", text=f"{has_curve} ? 'correct answers' : ''", **SMALL),
        text(
            x="curve_left + curve_wide",
            y="curve_top + curve_tall + 24",
            align="'right'",
            text=f"{has_curve} ? 'information recall, all samples' : ''",
            **SMALL,
        ),
        mark(
            "line",
            "curve_now",
            stroke="c.models[data('models')[model].colour % length(c.models)]",
            strokeWidth=2,
            **place,
        ),
        mark(
            "symbol",
            "curve_at",
            name="dot",
            fill="c.models[data('models')[model].colour % length(c.models)]",
            stroke="c.background",
            size=120,
            strokeWidth=2,
            **place,
        ),
    ]
