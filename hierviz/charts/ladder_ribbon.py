"""The threshold: the ribbon of the answers at each of its values, and its line.

Functions
---------
ribbon, line
"""

from __future__ import annotations

from hierviz.charts.ladder_channels import BOLD, OUTCOME, SMALL, mark, text


def ribbon():
    """The answer at every value of the parameter; one stretch where there is none."""
    start = "(now.parameter ? scale(axis, datum.low) : bars)"
    stop = "(now.parameter ? scale(axis, datum.high) : end)"
    name = "(datum.sign ? datum.sign + ' ' : '') + datum.name"
    # A name keeps clear of the line of the threshold.
    middle, at = f"({start} + {stop}) / 2", "scale(axis, at)"
    is_crossed = f"(now.parameter && datum.k === now.k && abs({at} - {middle}) < 3.2 * length({name}) + 8)"
    span = "from: format(datum.low, '.3~f'), to: format(datum.high, '.3~f')"
    words = "{threshold: 'answer at each τ', lam: 'answer by λ, bits', bits: 'answer by ζ, bits'}[now.parameter] || 'answer'"
    return [
        mark(
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
        text(
            "ribbon_steps",
            x=f"{is_crossed} ? ({at} - {start} > {stop} - {at} ? {start} + {at} : {at} + {stop}) / 2 : {middle}",
            y="ribbon + ribbon_tall / 2",
            align="'center'",
            text=f"{stop} - {start} > 34 ? {name} : {stop} - {start} > 12 ? datum.sign : ''",
            limit=f"max(1, ({is_crossed} ? max({at} - {start}, {stop} - {at}) : {stop} - {start}) - 8)",
            fill="datum.k === now.k ? c.on_colour : c.ink",
            fontSize=12,
        ),
        text(
            x="narrow ? bars : bars - 12",
            y="narrow ? low + 12 : ribbon + ribbon_tall / 2",
            align="narrow ? 'left' : 'right'",
            text=f"told ? {words} : ''",
            limit="names_wide + 100",
            **SMALL,
        ),
        text(
            "ticks",
            x="bars + datum.t * (end - bars)",
            y="ribbon + ribbon_tall + 10 * large",
            align="'center'",
            text="now.parameter ? format(invert(axis, bars + datum.t * (end - bars)), '.2~f') : ''",
            **SMALL,
        ),
    ]


def line():
    """The line of the threshold: through all rows where p is compared with it, else on the ribbon alone; steps by depth."""
    x = "(at === null ? -9 : scale(axis, at))"
    head, is_there = "is_p ? top - 10 : ribbon - 10", "at === null ? 0 : 1"
    sign = "({lam: 'λ', bits: 'ζ'}[now.parameter] || 'τ')"
    is_stepped = "rule === 'depth_thresholds' && isValid(datum.t)"
    ends = {"y": "is_p ? top - 2 : ribbon - 4", "y2": "ribbon + ribbon_tall + 2"}
    ends |= {"strokeDash": "now.parameter ? [1, 0] : [5, 4]", "opacity": "at === null ? 0 : now.parameter ? 1 : 0.55"}
    return [
        mark("rule", x=x, stroke="c.background", strokeWidth=5, **ends),
        mark("rule", x=x, stroke="c.ink", strokeWidth=2, **ends),
        mark(
            "rect",
            xc=x,
            width="(now && now.parameter ? 70 : 104) * large",
            yc=head,
            height="15 * large",
            fill="c.background",
            opacity=is_there,
        ),
        text(
            name="label",
            x=x,
            y=head,
            align="'center'",
            fontSize=13,
            text=f"at === null ? '' : {sign} + ' = ' + format(at, '.3f') + (now.parameter ? '' : ', fixed')",
            **BOLD,
        ),
        mark(
            "rule",
            "rows_now",
            x="scale('p', datum.t)",
            y="top + datum.u * slot_tall",
            y2="top + datum.u2 * slot_tall - 2",
            stroke="c.ink",
            strokeWidth=2,
            opacity=f"{is_stepped} ? 1 : 0",
        ),
        text(
            "rows_now",
            x="scale('p', datum.t) + 5",
            y="top + datum.u2 * slot_tall - 10",
            fontSize=11,
            text=f"{is_stepped} ? 'τ = ' + format(datum.t, '.3~f') : ''",
        ),
    ]
