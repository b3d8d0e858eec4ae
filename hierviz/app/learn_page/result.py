"""Numbers, table and charts of a step."""

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.learn_page.look import ENLARGED
from hierviz.app.state.escape import escape
from hierviz.app.widgets.figure import draw, figure, written_out
from hierviz.app.widgets.numbers import number
from hierviz.lessons.lesson import Number
from hierviz.metrics.registry import METRICS

# Pixels of a picture beside the text.
BESIDE = {1600: 900, 1200: 690, 900: 500}
# Pixels of one of two pictures beside each other in presenter mode.
HALF = 640
# Numbers in a row; more are in the table of a chart.
MOST = 9


def draw_figures(figures, where, plain=False, small=False):
    """Charts of a step; `plain` without their tables, and in presenter mode without their sentences too; there two
    `small` ones have room beside each other."""
    presents = bool(state.view().presenter) and not state.is_narrow()
    width = BESIDE.get(state.session.px, min(state.session.px, 540)) if not plain else min(state.session.px, 690)
    if presents and not plain:
        width = round((HALF if small else BESIDE[1600]) / ENLARGED)
    for one in figures:
        made = one.draw(dark=state.is_dark(), width=width)
        key = f"{where}-{one.name}"
        if plain or presents:
            draw(written_out(made), key=f"chart-{key}", alt=one.sentence)
            if plain:
                st.markdown(escape(one.sentence))
        else:
            shown = charts.Figure(made.draw, one.table, one.sentence, width=width)
            figure(shown, name=one.name, key=f"chart-{key}")


def draw_quoted(result):
    """The text that a step is about."""
    if result.quoted:
        st.markdown("\n".join(f"> {line}" for line in escape(result.quoted).splitlines()))
        st.caption(escape(result.credit))


def draw_numbers(result, where):
    """Numbers that come with the answer."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for place, one in enumerate(result.numbers[:MOST]):
            if one.key in METRICS:
                number(one.key, one.value, label=escape(one.label), where=f"{where}-{place}", text=one.text)
            else:
                st.markdown(f"{escape(one.label)} **{one.text}**", width="content")


def draw_result(result, where):
    """Table and charts that come with the answer."""
    if result.rows:
        st.markdown(table_text(result.rows), width="content" if state.view().presenter else "stretch")
    draw_figures(result.after, where, small=True)


def table_text(rows):
    """A Markdown table."""
    heads = list(rows[0])
    lines = [heads, ["---"] * len(heads)]
    lines += [[_cell(row[head]) for head in heads] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value):
    return f"**{value.text}**" if isinstance(value, Number) else str(value)
