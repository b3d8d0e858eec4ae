"""A taxonomy that one zooms into on a page: the browser draws and moves, and the server hears of it afterwards."""

from __future__ import annotations

import functools
from pathlib import Path

import streamlit as st

from hierviz.app import state
from hierviz.app.widgets.figure import main_place
from hierviz.app.widgets.living import component_script
from hierviz.charts.export import packed
from hierviz.charts.ladder_module import module_name
from hierviz.charts.scripts import text_of


@functools.cache
def _component():
    return st.components.v2.component(
        "hierviz_zoom",
        html='<div class="zoom-room"><div class="zooming"></div></div>',
        css=text_of("zoom.css"),
        js=component_script("zooming.js"),
    )


@functools.cache
def _record_component():
    return st.components.v2.component(
        "hierviz_zoom_record", html="<i></i>", js=Path(__file__).with_name("zoom_record.js").read_text("utf-8")
    )


def zooming(figure, of, chosen, *, key, name, act=""):
    """Draw a figure that can be zoomed into as the main picture of the page.

    Parameters
    ----------
    figure : ZoomFigure
    of : tuple
        What its record is made of: other values are another record.
    chosen : callable
        Called with the name of the class that was chosen, and whether the button was pressed.
    key : str
        Of the widget.
    name : str
        The class that is shown, as the view has it; "" for all.
    act : str
        Label of a button for what can be done with the chosen class; empty for none.
    """

    def take():
        told = st.session_state[key].chosen
        if told:
            state.memory("zoom")[key] = int(told["n"])
            chosen(str(told["name"]), bool(told["act"]))

    record = state.computed("zoom", (key, *of), lambda: packed(figure.record))
    made_of = " ".join(map(str, of))
    with st.container(key="zoom-record"):
        # Of half a megabyte for 16,344 classes; the same message is not sent twice.
        _record_component()(key=f"{key}-record", data={"key": key, "of": made_of, "record": record})
    with main_place():
        _component()(
            key=key,
            data={
                "module": module_name(),
                "key": key,
                "of": made_of,
                "name": name,
                "sentence": figure.sentence,
                "act": act,
                "heard": state.memory("zoom").get(key, 0),
                "dark": state.is_dark(),
            },
            on_chosen_change=take,
        )
