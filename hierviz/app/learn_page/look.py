"""How a lesson looks: large type on one screen, paper, and the pictures, numbers and table of a step."""

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.components import component, style_sheet
from hierviz.app.state.escape import escape
from hierviz.app.widgets.figure import draw, figure, written_out
from hierviz.app.widgets.numbers import number
from hierviz.app.widgets.sample_keys import PRESENTER
from hierviz.lessons.lesson import Number, markdown_table
from hierviz.metrics.registry import METRICS

# Pixels of a screen that the large type is made for, and times that pictures grow there: what they hold grows with them.
SCREEN, ENLARGED = 1920, 1.35
# Pixels of a picture next to the text.
BESIDE = {1600: 900, 1200: 690, 900: 500}
# Pixels of one of two pictures side by side in presenter mode.
HALF = 640
# Numbers in a row; more are in the table of a chart.
MOST = 9


def draw_figures(figures, where, plain=False, small=False):
    """Charts of a step; `plain` without their tables, and in presenter mode without their sentences too; there two
    `small` ones have room side by side."""
    presents = bool(state.view().presenter) and not state.is_narrow()
    width = BESIDE.get(state.session.px, min(state.session.px, 540)) if not plain else min(state.session.px, 690)
    if presents and not plain:
        width = round((HALF if small else BESIDE[1600]) / ENLARGED)
    for one in figures:
        shown = charts.Figure(one.figure.draw, lambda one=one: one.figure.table, one.sentence, width=width)
        key = f"{where}-{one.name}"
        if plain or presents:
            draw(written_out(shown), key=f"chart-{key}", alt=one.sentence)
            if plain:
                st.markdown(escape(one.sentence))
        else:
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
    return markdown_table(list(rows[0]), [[_cell(cell) for cell in row.values()] for row in rows])


def _cell(value):
    return f"**{value.text}**" if isinstance(value, Number) else str(value)


def style(is_large):
    """Style of the page."""
    sheet = style_sheet(__file__, "learn")
    if is_large:
        large = style_sheet(__file__, "presenter").replace("ENLARGED", str(ENLARGED))
        sheet = f'{sheet}{large}<i class="{PRESENTER}" hidden></i>'
    st.html(sheet)


def fit_to_screen():
    """Draw the step as large as the screen allows, whatever is shown of it."""
    with st.container(key="presenter-fit"):
        component(__file__, "presenter_fit")(key="presenter-fit-part", data={"screen": SCREEN})
